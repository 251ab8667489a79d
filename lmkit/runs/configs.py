"""What a run is: everything that decides its result, in one place. And every run that has a name."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args, get_type_hints

from lmkit.transformer import TransformerConfig


class RunError(Exception):
    """Something that whoever started the run can put right; the message says how, in one line."""


@dataclass(frozen=True)
class RunConfig:
    """One network, trained from each of its seeds.

    Without a `corpus` it reads fresh kitchen stories, none twice. With one, the text is one long row of tokens; steps
    read blocks of it from random places. `steps` and not seconds say how long, so that the run can be made again on a
    machine of another speed. The steps of runs that are compared were chosen such that all took the same CPU time on
    the machine that recorded them.
    """

    name: str
    network: Literal["window", "rnn", "lstm", "transformer"]
    sizes: Mapping[str, Any]  # of the network; lmkit.models.build
    steps: int
    rate: float  # of the optimiser
    optimiser: Literal["adamw", "muon", "sgd"] = "adamw"
    adam_rate: float = 4e-3  # of what Muon leaves to AdamW
    decay: float = 0.01
    warmup: int = 100  # steps
    betas: tuple[float, float] = (0.9, 0.98)  # of AdamW
    clip: float | None = 1.0
    batch: int = 16  # stories or blocks in a step, all processes together
    level: Literal["word", "character", "bpe"] = "word"
    seeds: Sequence[int] = (1, 2, 3)
    threads: int = 1  # 0: as many as torch takes
    weights: bool = False  # whether the first seed's weights are kept
    corpus: str | None = None  # a name that lmkit.load knows, or a file; None: fresh kitchen stories
    tokens: int = 1_000_000  # how much text is made, where it is made (corpus "kitchen")
    vocabulary: int | None = None  # at most so many words (None: 50,000), or pieces for level "bpe" (None: 512)
    lowest: float = 0.0  # where the cosine ends, as a share of the learning rates
    accumulate: int = 1  # parts in which a process works a step off, to need less memory
    compiled: bool = False
    every: int | None = None  # steps between two rows of the history, each with a validation; None: 24 rows
    save_every: int | None = None  # steps between two checkpoints, at least; None: at each row
    validation_batches: int = 8  # of a corpus
    sample_tokens: int = 300

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "tokens", "accumulate", "every", "save_every", "vocabulary"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1; it is {value}.")
        for name, kind in get_type_hints(RunConfig).items():
            value, allowed = getattr(self, name), get_args(kind)
            if isinstance(value, str) and allowed and str not in allowed and value not in allowed:
                raise ValueError(f"{name} is {value!r}; choose one of: {', '.join(allowed)}.")
        if self.network == "transformer":
            TransformerConfig(1, **self.sizes)

    @property
    def block(self) -> int:
        """How many tokens a network reads at once, of a corpus."""
        return int(self.sizes.get("block", 128))

    @property
    def row_every(self) -> int:
        """Steps between two rows of the history."""
        return self.every or max(1, self.steps // 24)

    @classmethod
    def read(cls, recorded: Mapping[str, Any]) -> "RunConfig":
        """The config that a record holds; what was not there yet when it was written has its default."""
        known: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in recorded.items()
        }
        return cls(**known)


@dataclass(frozen=True)
class Study:
    """Variants of one run, each at a learning rate of its own.

    Every variant is tried at each of its rates with `tuning_seed`, then at the best of them with the `seeds`, so that
    no variant is judged at a rate that suits another one better.
    """

    name: str
    base: RunConfig
    variants: Mapping[str, Mapping[str, Any]]  # name -> what differs from the base: fields of the run or sizes
    rates: Sequence[float]
    own_rates: Mapping[str, Sequence[float]] = field(default_factory=dict)
    tuning_seed: int = 4
    seeds: Sequence[int] = (1, 2, 3)

    def config(self, variant: str, rate: float) -> RunConfig:
        """The run of a variant at a rate."""
        changes = dict(self.variants[variant])
        own = {name: changes.pop(name) for name in list(changes) if name in RunConfig.__dataclass_fields__}
        if own.get("network", self.base.network) == self.base.network:
            own["sizes"] = {**self.base.sizes, **changes}
        return replace(self.base, rate=rate, **own)

    def rates_of(self, variant: str) -> Sequence[float]:
        """The learning rates that a variant is tried at."""
        return self.own_rates.get(variant, self.rates)


# Widths such that each has 0.394 million weights beside its embedding, within 0.2 %.
SIZES: dict[str, dict[str, Any]] = {
    "window": {"width": 128, "hidden": 614, "n": 5},
    "rnn": {"width": 128, "hidden": 512},
    "lstm": {"width": 128, "hidden": 243},
    "transformer": {"width": 128, "layers": 2, "heads": 4, "block": 160, "deviation": 0.05, "rotary_base": 1000.0},
}
# By characters: the same weights, a longer block.
SIZES_OF_CHARACTERS: dict[str, dict[str, Any]] = {
    "lstm": SIZES["lstm"],
    "transformer": {**SIZES["transformer"], "block": 1_000},
}
STEPS_OF_CHARACTERS = {"lstm": 880, "transformer": 500}  # a minute
# Of CPU time on one thread of the machine that recorded the runs: `python -m lmkit.runs calibrate`.
STEPS_A_MINUTE = {"window": 630, "rnn": 495, "lstm": 610, "transformer": 485}
TUNING_STEPS = {"window": 1_260, "rnn": 1_080, "lstm": 1_360, "transformer": 1_000}  # about two minutes
RATES = {"window": 1.6e-2, "rnn": 4e-3, "lstm": 1.6e-2, "transformer": 4e-3}  # the best ones of the study "networks"


def _network(network: str, minutes: float, name: str = "", **changes: Any) -> RunConfig:
    steps = round(STEPS_A_MINUTE[network] * minutes)
    return RunConfig(name or f"kitchen-{network}", network, SIZES[network], steps, RATES[network], **changes)  # type: ignore[arg-type]


def _characters(network: str, minutes: float, rate: float, **changes: Any) -> RunConfig:
    """Four stories a step, for each has some five times as many characters as words."""
    return RunConfig(
        f"characters-{network}",
        network,  # type: ignore[arg-type]
        SIZES_OF_CHARACTERS[network],
        round(STEPS_OF_CHARACTERS[network] * minutes),
        rate,
        batch=4,
        level="character",
        **changes,
    )


RUNS: dict[str, RunConfig] = {
    config.name: config
    for config in (
        *(_network(network, 4, weights=True) for network in SIZES),
        *(_network(network, 1, f"kitchen-{network}-1min") for network in ("lstm", "transformer")),
        *(
            _network(network, minutes, f"kitchen-{network}-{minutes}min", seeds=(1,))
            for network in ("lstm", "transformer")
            for minutes in (15, 60)
        ),
        # The one that chapters take apart and let write: it copies names, which AdamW's hardly begins to in this time.
        RunConfig(
            "kitchen-transformer-muon",
            "transformer",
            SIZES["transformer"],
            steps=417 * 15,  # 15 minutes; a step of Muon takes longer
            rate=0.02,
            optimiser="muon",
            seeds=(1,),
            weights=True,
        ),
        # The best that a CPU has done: each part of a layer also reads a share of the token before (`Shift`).
        RunConfig(
            "kitchen-transformer-shift",
            "transformer",
            {**SIZES["transformer"], "shift": True},
            steps=16_000,  # 40 minutes
            rate=0.02,
            optimiser="muon",
            seeds=(1,),
            weights=True,
        ),
        # In the form of GPT-2: what chapter 08 builds, so that its weights fit into a learner's class.
        RunConfig(
            "kitchen-gpt",
            "transformer",
            {
                **{"width": 128, "layers": 2, "heads": 4, "block": 256, "deviation": 0.05},
                **{"positions": "learned", "norm": "layer", "activation": "gelu", "bias": True},
            },
            steps=417 * 6,
            rate=0.02,
            optimiser="muon",
            seeds=(1,),
            weights=True,
        ),
        _characters("lstm", 4, 1.6e-2),
        _characters("transformer", 4, 2e-3),
    )
}

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        Study(
            "networks",
            replace(_network("transformer", 2), name="networks"),
            {
                network: {"network": network, "sizes": SIZES[network], "steps": TUNING_STEPS[network]}
                for network in SIZES
            },
            rates=(2e-3, 4e-3, 8e-3),
            own_rates={"window": (4e-3, 8e-3, 1.6e-2, 3.2e-2), "lstm": (4e-3, 8e-3, 1.6e-2, 3.2e-2)},
            seeds=(),
        ),
        Study(
            "characters",
            _characters("transformer", 2, 4e-3),
            {
                network: {
                    "network": network,
                    "sizes": SIZES_OF_CHARACTERS[network],
                    "steps": 2 * STEPS_OF_CHARACTERS[network],
                }
                for network in SIZES_OF_CHARACTERS
            },
            rates=(2e-3, 4e-3, 8e-3),
            own_rates={"lstm": (4e-3, 8e-3, 1.6e-2)},
            seeds=(),
        ),
        Study(
            "ablations",
            _network("transformer", 1),
            {
                "as it is": {},
                "learned positions": {"positions": "learned"},
                "no positions": {"positions": "none"},
                "LayerNorm": {"norm": "layer"},
                "no norm": {"norm": "none"},
                "post-norm": {"norm_place": "after"},
                "token shift": {"shift": True},
                "GELU": {"activation": "gelu"},
                "ReLU": {"activation": "relu"},
                "Muon": {"optimiser": "muon"},
                "SGD": {"optimiser": "sgd"},
                "no residual": {"residual": False},
                "1 layer": {"layers": 1},
                "4 layers": {"layers": 4},
                "1 head": {"heads": 1},
                "8 heads": {"heads": 8},
            },
            rates=(2e-3, 4e-3, 8e-3, 1.6e-2),
            own_rates={
                "Muon": (0.01, 0.02, 0.04),
                "SGD": (0.03, 0.1, 0.3, 1.0),
                "no norm": (1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2, 3.2e-2),
                "no residual": (1e-3, 2e-3, 4e-3, 8e-3),
                "learned positions": (2e-3, 4e-3, 8e-3, 1.6e-2, 3.2e-2),
                "token shift": (2e-3, 4e-3, 8e-3, 1.6e-2, 3.2e-2),
            },
        ),
    )
}


_PRETRAINING: dict[str, Any] = {
    "network": "transformer",
    "corpus": "kitchen",
    "optimiser": "muon",
    "decay": 0.1,
    "betas": (0.9, 0.95),
    "seeds": (1,),
    "threads": 0,
    "weights": True,
}
# For `python -m lmkit.pretrain`: a Transformer on any text.
CONFIGS: dict[str, RunConfig] = {
    config.name: config
    for config in (
        # Seconds: for tests, and to see whether everything is there.
        RunConfig(
            "tiny",
            sizes={"block": 32, "layers": 2, "heads": 2, "width": 32},
            steps=60,
            rate=0.02,
            adam_rate=3e-3,
            tokens=20_000,
            batch=8,
            every=20,
            warmup=10,
            sample_tokens=40,
            **_PRETRAINING,
        ),
        # 0.8 million weights in the layers, as in chapter 08: minutes on one core.
        RunConfig(
            "laptop",
            sizes={"block": 64, "layers": 4, "heads": 4, "width": 128},
            steps=2_000,
            rate=0.04,
            adam_rate=1e-2,
            every=100,
            **_PRETRAINING,
        ),
        # 85 million weights in the layers. Wide, since narrow products leave a GPU waiting; made text enough that
        # none is read twice: 65,536 tokens a step.
        RunConfig(
            "gpu",
            sizes={"block": 256, "layers": 12, "heads": 6, "width": 768},
            steps=1_500,
            rate=0.01,
            adam_rate=1e-3,
            tokens=100_000_000,
            batch=256,
            compiled=True,
            every=50,
            save_every=500,
            **_PRETRAINING,
        ),
    )
}


def changed(config: RunConfig, changes: Sequence[str]) -> RunConfig:
    """The config with `name=value` for any field of it or size of its Transformer: "steps=500", "dropout=0.1"."""
    own = {name: kind for name, kind in get_type_hints(RunConfig).items() if name not in _FIXED}
    shape = {name: kind for name, kind in get_type_hints(TransformerConfig).items() if name != "vocabulary"}
    for change in changes:
        name, _, text = change.partition("=")
        if name not in own and name not in shape:
            raise RunError(f"--set {change}: there is no {name!r}; choose one of: {', '.join([*own, *shape])}.")
        value = _value(text, own.get(name) or shape[name])
        if value is None:
            kind = getattr(own.get(name) or shape[name], "__name__", "number")
            raise RunError(f"--set {change}: {text!r} is no {kind}.")
        try:
            here = {name: value} if name in own else {"sizes": {**config.sizes, name: value}}
            config = replace(config, **here)
        except ValueError as error:
            raise RunError(f"--set {change}: {error}") from None
    return config


_FIXED = ("name", "network", "sizes", "seeds", "betas")


def _value(text: str, kind: Any) -> Any:
    """The text as a value of that kind; None if it is none."""
    kinds = get_args(kind) or (kind,)
    if str in kinds or isinstance(kinds[0], str):
        return text
    if bool in kinds:
        return {"true": True, "false": False}.get(text)
    try:
        value = ast.literal_eval(re.sub(r"(?<=\d),(?=\d)", "", text))
    except (ValueError, SyntaxError):
        return None
    if float in kinds and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value if type(value) in kinds else None


def differences(there: Mapping[str, Any], here: RunConfig) -> list[str]:
    """Where a recorded config differs from this one: "steps: 500 there, 60 here", ..."""
    old, new = (_flat(asdict(RunConfig.read(there))), _flat(asdict(here)))
    names = [*new, *(name for name in old if name not in new)]
    return [f"{name}: {old.get(name)} there, {new.get(name)} here" for name in names if old.get(name) != new.get(name)]


def _flat(config: dict[str, Any]) -> dict[str, Any]:
    sizes = config.pop("sizes")
    return {**config, **sizes}
