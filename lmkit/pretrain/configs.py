"""What a run is, in one place."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from lmkit.transformer import TransformerConfig


class RunError(Exception):
    """Something that whoever started the run can mend; the message says how, in one line."""


@dataclass(frozen=True)
class PretrainConfig:
    """One run. The model's vocabulary is 1 until the text is read."""

    name: str
    model: TransformerConfig
    # text
    level: Literal["character", "word"] = "word"
    corpus: str = "kitchen"  # a name that lmkit.load knows; a file given with --text goes before
    tokens: int = 1_000_000  # how much text is made, where it is made (kitchen)
    # optimiser
    steps: int = 2_000
    batch: int = 16  # texts in a step, all processes together
    accumulate: int = 1  # parts in which a process works a step off, to need less memory
    optimiser: Literal["adamw", "muon"] = "muon"
    rate: float = 3e-3  # of AdamW
    muon_rate: float = 0.02
    decay: float = 0.1
    warmup: int = 100  # steps
    lowest: float = 0.0  # where the cosine ends, as a share of the learning rates
    clip: float = 1.0
    seed: int = 1
    # machine
    compiled: bool = False
    # what is looked at
    every: int = 100  # steps between two rows of the history, each with a validation and a checkpoint
    validation_batches: int = 8
    sample_tokens: int = 300

    def __post_init__(self) -> None:
        for field in ("tokens", "steps", "batch", "accumulate", "every", "validation_batches"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field} must be at least 1; it is {getattr(self, field)}.")
        for field, allowed in (("level", ("character", "word")), ("optimiser", ("adamw", "muon"))):
            if getattr(self, field) not in allowed:
                raise ValueError(f"{field} is {getattr(self, field)!r}; choose one of: {', '.join(allowed)}.")

    @property
    def tokens_per_step(self) -> int:
        return self.batch * self.model.block


def _shape(block: int, layers: int, heads: int, width: int, dropout: float = 0.0) -> TransformerConfig:
    return TransformerConfig(1, block=block, layers=layers, heads=heads, width=width, dropout=dropout)


CONFIGS = {
    config.name: config
    for config in (
        # Seconds: for tests, and to see whether everything is there.
        PretrainConfig(
            "tiny",
            _shape(block=32, layers=2, heads=2, width=32),
            tokens=20_000,
            steps=60,
            batch=8,
            every=20,
            warmup=10,
            sample_tokens=40,
        ),
        # 0.8 million weights in the layers, as in chapter 08: minutes on one core.
        PretrainConfig("laptop", _shape(block=64, layers=4, heads=4, width=128), rate=1e-2, muon_rate=0.04),
        # 85 million weights in the layers. Wide, since narrow products leave a GPU waiting; made text enough that
        # none is read twice: 65,536 tokens a step.
        PretrainConfig(
            "gpu",
            _shape(block=256, layers=12, heads=6, width=768),
            tokens=100_000_000,
            steps=1_500,
            batch=256,
            rate=1e-3,
            muon_rate=0.01,
            compiled=True,
            every=50,
        ),
    )
}


def changed(config: PretrainConfig, changes: Sequence[str]) -> PretrainConfig:
    """The config with `name=value` for any field of it or of its model, such as "steps=500" or "dropout=0.1"."""
    own = {field.name: type(getattr(config, field.name)) for field in fields(config) if field.name not in _FIXED}
    shape = {field.name: type(getattr(config.model, field.name)) for field in fields(config.model)}
    shape.pop("vocabulary")
    for change in changes:
        name, _, text = change.partition("=")
        if name not in own and name not in shape:
            raise RunError(f"--set {change}: there is no {name!r}; choose one of: {', '.join([*own, *shape])}.")
        try:
            value = _read(text, own.get(name) or shape[name])
        except ValueError:
            kind = (own.get(name) or shape[name]).__name__
            raise RunError(f"--set {change}: {text!r} is no {kind}.") from None
        try:
            if name in own:
                config = replace(config, **{name: value})
            else:
                config = replace(config, model=replace(config.model, **{name: value}))
        except ValueError as error:
            raise RunError(f"--set {change}: {error}") from None
    return config


_FIXED = ("name", "model")


def _read(text: str, kind: type) -> Any:
    if kind is bool:
        if text not in ("true", "false"):
            raise ValueError
        return text == "true"
    if kind is int:
        return int(text.replace("_", "").replace(",", ""))
    return kind(text)


def differences(there: dict[str, Any], here: PretrainConfig) -> list[str]:
    """Where a recorded config differs from this one: "steps: 500 there, 60 here", ..."""
    mine = asdict(here)
    found = []
    for name in mine:
        a, b = there.get(name), mine[name]
        if isinstance(b, dict):
            a = a if isinstance(a, dict) else {}
            found += [f"{key}: {a.get(key)} there, {b[key]} here" for key in b if a.get(key) != b[key]]
        elif a != b:
            found.append(f"{name}: {a} there, {b} here")
    return found
