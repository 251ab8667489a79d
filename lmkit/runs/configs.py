"""Every run that is recorded: what it was, in one place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal


@dataclass(frozen=True)
class RunConfig:
    """One network, trained from each of its seeds on fresh kitchen stories.

    `steps` and not seconds say how long, so that the run can be made again on a machine of another speed. The steps of
    runs that are compared were chosen such that all took the same CPU time on the machine that recorded them.
    """

    name: str
    network: Literal["window", "rnn", "lstm", "transformer"]
    sizes: Mapping[str, Any]  # of the network; lmkit.models.build
    steps: int
    rate: float
    optimiser: Literal["adamw", "muon", "sgd"] = "adamw"
    adam_rate: float = 4e-3  # of what Muon leaves to AdamW
    decay: float = 0.01
    warmup: int = 100  # steps
    betas: tuple[float, float] = (0.9, 0.98)  # of AdamW
    clip: float | None = 1.0
    batch: int = 16  # stories
    level: Literal["word", "character"] = "word"
    seeds: Sequence[int] = (1, 2, 3)
    threads: int = 1
    weights: bool = False  # whether the first seed's weights are kept


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
        """Those that a variant is tried at."""
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
            rates=(2e-3, 4e-3, 8e-3),
            own_rates={"Muon": (0.01, 0.02, 0.04), "SGD": (0.03, 0.1, 0.3), "no norm": (1e-3, 2e-3, 4e-3)},
        ),
        Study(
            "warmup",
            _network("transformer", 0.5),
            {f"{steps} steps": {"warmup": steps} for steps in (1, 10, 50, 150)},
            rates=(1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2, 3.2e-2),
        ),
    )
}
