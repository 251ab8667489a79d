"""Randomness that follows a seed: that of tests on our side of the wall, that of answers on the student's.

While a seed is followed, `random`, NumPy and torch draw from it, and so does every generator that is made without a
seed of its own. Both sides run this file, so it imports nothing of ours, and NumPy and torch only if somebody else has.
"""

import contextlib
import random
import sys
import types
from collections.abc import Iterator
from typing import Any

_source: random.Random | None = None  # what a generator without a seed gets its own from
_plain: dict[tuple[Any, str], Any] = {}  # what stood where our replacements stand now
_plain_seed = random.Random.seed
_instance = random.seed.__self__  # type: ignore[attr-defined]  # the generator behind `random.random` and its like


def follow(seed: str) -> None:
    """Start all randomness of this process from `seed`."""
    global _source
    for owner, name, replacement in _replacements():
        if (owner, name) not in _plain:
            _plain[owner, name] = getattr(owner, name)
            setattr(owner, name, replacement)
    _source = random.Random(seed)
    random.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(_bits(32))  # without a number it would go on from where it is
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(_bits(63))


@contextlib.contextmanager
def following(seed: str) -> Iterator[None]:
    """Follow `seed` within a `with` block and leave everything as it was."""
    global _source
    before, is_outermost = _source, not _plain
    states = _states()
    follow(seed)
    try:
        yield
    finally:
        _source = before
        for restore, state in states:
            restore(state)
        if is_outermost:
            for (owner, name), plain in _plain.items():
                setattr(owner, name, plain)
            _plain.clear()


def _states() -> list[tuple[Any, Any]]:
    """How to set each library's own generator, and the state to set it to."""
    states: list[tuple[Any, Any]] = [(random.setstate, random.getstate())]
    if "numpy" in sys.modules:
        numbers = sys.modules["numpy"].random
        states.append((numbers.set_state, numbers.get_state()))
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        states.append((torch.set_rng_state, torch.get_rng_state()))
    return states


def _replacements() -> Iterator[tuple[Any, str, Any]]:
    """What stands where, while a seed is followed."""
    yield random.Random, "seed", _seed
    yield random, "seed", types.MethodType(_seed, _instance)
    if "numpy" in sys.modules:  # whatever NumPy makes without a seed asks this for its entropy
        yield sys.modules["numpy"].random.bit_generator, "randbits", _bits
    if "torch" in sys.modules:
        yield sys.modules["torch"], "Generator", _torch_generator(_plain_torch_generator())


def _seed(self: random.Random, a: Any = None, version: int = 2) -> None:
    """`random.Random.seed`, for which no seed means one of ours."""
    _plain_seed(self, _bits(128) if a is None else a, version)


def _bits(count: int) -> int:
    assert _source is not None
    return _source.getrandbits(count)


def _plain_torch_generator() -> type:
    torch = sys.modules["torch"]
    generator: type = _plain.get((torch, "Generator"), torch.Generator)
    return generator


def _torch_generator(plain: type) -> type:
    """A class that makes torch's generators with a seed of ours; torch's own always begin with the same one."""

    class OfThisKind(type):
        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, plain)

    class Generator(metaclass=OfThisKind):
        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            generator = plain(*args, **kwargs)
            generator.manual_seed(_bits(63))
            return generator

    return Generator
