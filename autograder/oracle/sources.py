"""Where the inputs of a test come from: sources that draw a usual value, and know the edges of what they draw.

A `Case` gives each source a value, once: a size that two tensors share is one size in both. Any argument of a source
may itself be a source.
"""

import copy
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

LARGE = "large"
MAX_USUAL = 7  # a size that nobody chose for being small or large


class Source:
    """Something that inputs are drawn from. `edges` names the special values that must be tried one by one."""

    edges: Sequence[Any] = ()
    name = ""  # how a message calls its value; empty if it shows it as it is
    simple: Sequence[Any] = ()  # edges that are easier to read than a usual value
    told: Sequence[Any] = ()  # edges that no value shows, so that a message must name them

    def draw(self, case: "Case", rng: random.Random, edge: Any = None) -> Any:
        """A usual value, or the one that `edge` (one of `edges`) stands for."""
        raise NotImplementedError

    def smaller(self, value: Any, edge: Any = None) -> Sequence[Any]:
        """Simpler edges than the one that gave `value`, the simplest first, to make a failing case smaller."""
        return () if edge in self.simple else self.simple


class Case:
    """One value for each source that is asked for, all decided by a seed and by the edges that some of them take."""

    def __init__(self, seed: int, taken: dict[Source, Any] | None = None, outer: "Case | None" = None):
        self.seed, self.taken, self.outer = seed, taken or {}, outer
        self.drawn: dict[Source, Any] = {}
        self.inner: dict[Source, None] = {}  # sources that only the items of lists ask for
        self.asked = 0
        self.ready: tuple[list[Any], dict[str, Any]] | None = None  # inputs that were drawn and that nobody has had yet

    def get(self, wanted: Any) -> Any:
        """The value of a source in this case; whatever is no source stands for itself, data for a copy of itself."""
        if not isinstance(wanted, Source):
            return _fresh(wanted)
        place: Case | None = self
        while place is not None:
            if wanted in place.drawn:
                return place.drawn[wanted]
            place = place.outer
        value = wanted.draw(self, self.rng(), self.taken.get(wanted))
        self.drawn[wanted] = value
        return value

    def rng(self) -> random.Random:
        """Randomness for the next source: what one of them draws does not depend on how much the others drew."""
        self.asked += 1
        return random.Random(self.seed * 1_000_003 + self.asked)

    def item(self, number: int, is_special: bool) -> "Case":
        """The case of one item of a list. Edges of what only items ask for are taken by the special one."""
        taken = self.taken if is_special else {}
        return Case(random.Random(f"{self.seed} item {number}").getrandbits(64), taken, self)

    def sources(self) -> list[Source]:
        """All sources that were asked for, in the order in which they were drawn."""
        return [*self.drawn, *self.inner]

    def words(self) -> list[str]:
        """What the named sources have become, as in 'T = 1'."""
        return [f"{source.name} = {value}" for source, value in self.drawn.items() if source.name]


def _fresh(value: Any) -> Any:
    """A copy of data, which a call may change; anything else as it is."""
    if type(value) in (list, tuple, set):
        return type(value)(map(_fresh, value))
    if type(value) is dict:
        return {key: _fresh(item) for key, item in value.items()}
    is_array = hasattr(value, "shape") and type(value).__module__.partition(".")[0] in ("numpy", "torch")
    return copy.deepcopy(value) if is_array else value


@dataclass(frozen=True, eq=False)
class size(Source):
    """The size of an axis or the length of a list: `least` (0, where it is allowed), 1, 2, an odd one and `large`.

    Within a case the usual sizes differ, so that exchanged axes show. `large=None` leaves the large one out.
    """

    name: str
    least: int = 1
    most: int = MAX_USUAL
    large: int | None = 40

    @property
    def edges(self) -> Sequence[Any]:  # type: ignore[override]
        usual = [value for value in (0, 1, 2, 5) if self.least <= value <= self.most]
        return [*dict.fromkeys([self.least, *usual]), *([] if self.large is None else [self.large])]

    def draw(self, case: Case, rng: random.Random, edge: Any = None) -> int:
        if edge is not None:
            return int(edge)
        others = {value for source, value in case.drawn.items() if isinstance(source, size)}
        usual: list[int] = [*range(max(self.least, 2), self.most + 1)] or [self.least]
        return rng.choice([value for value in usual if value not in others] or usual)

    def smaller(self, value: Any, edge: Any = None) -> Sequence[Any]:
        return [less for less in (0, 1, 2, 3) if self.least <= less < value]


@dataclass(frozen=True, eq=False)
class whole(Source):
    """A whole number from `low` to `high`, both of them edges, and further edges of the author's."""

    low: Any
    high: Any
    further: Sequence[Any] = ()
    simple = ("low",)

    @property
    def edges(self) -> Sequence[Any]:  # type: ignore[override]
        return ["low", "high", *self.further]

    def draw(self, case: Case, rng: random.Random, edge: Any = None) -> Any:
        low, high = case.get(self.low), case.get(self.high)
        if edge is None:
            return rng.randint(low, high)
        return low if edge == "low" else high if edge == "high" else edge


@dataclass(frozen=True, eq=False)
class number(Source):
    """A number between `low` and `high`; edges are these two and further ones of the author's."""

    low: float
    high: float
    further: Sequence[float] = ()

    @property
    def edges(self) -> Sequence[Any]:  # type: ignore[override]
        return [self.low, self.high, *self.further]

    def draw(self, case: Case, rng: random.Random, edge: Any = None) -> float:
        return rng.uniform(self.low, self.high) if edge is None else edge


class choice(Source):
    """One of several values or sources; each of them is an edge."""

    def __init__(self, *options: Any):
        self.options = options
        self.edges = range(len(options))

    def draw(self, case: Case, rng: random.Random, edge: Any = None) -> Any:
        return case.get(self.options[rng.randrange(len(self.options)) if edge is None else edge])


class made(Source):
    """`function(rng, *values)` for values of other sources: the way to anything. `edges` are values or functions of
    the same arguments; `rng` is a `random.Random`, and nothing else may decide what is drawn."""

    def __init__(self, function: Callable[..., Any], *parts: Any, edges: Sequence[Any] = ()):
        self.function, self.parts = function, parts
        self.alternatives = edges
        self.edges = range(len(edges))

    def draw(self, case: Case, rng: random.Random, edge: Any = None) -> Any:
        function = self.function if edge is None else self.alternatives[edge]
        return function(rng, *map(case.get, self.parts)) if callable(function) else case.get(function)


class listing(Source):
    """A list with `length` items, each drawn from `item` anew. What only the items ask for has its edges tried in one
    item of the list."""

    def __init__(self, length: Any, item: Any):
        self.length, self.item = length, item

    def draw(self, case: Case, rng: random.Random, edge: Any = None) -> list[Any]:
        length = case.get(self.length)
        special = rng.randrange(length) if length else 0
        items = []
        for place in range(length):
            inner = case.item(place, place == special)
            items.append(inner.get(self.item))
            case.inner |= dict.fromkeys(inner.sources())
        return items


class words(Source):
    """A list of `length` words out of `alphabet`, repeated ones among them; edges: one word only, no word twice."""

    edges = ("one word", "no word twice")
    simple = ("one word",)

    def __init__(self, length: Any, alphabet: Any = "abcde"):
        self.length, self.alphabet = length, alphabet

    def draw(self, case: Case, rng: random.Random, edge: Any = None) -> list[Any]:
        length, alphabet = case.get(self.length), list(case.get(self.alphabet))
        if edge == "no word twice" and length <= len(alphabet):
            return rng.sample(alphabet, length)
        if edge == "one word":
            return [rng.choice(alphabet)] * length
        return rng.choices(alphabet, k=length)


class shares(Source):
    """A list of `length` probabilities that sum to 1; edges: all equal, a certain one, some that are 0."""

    edges = ("equal", "certain", "zeros")
    simple = ("equal",)

    def __init__(self, length: Any):
        self.length = length

    def draw(self, case: Case, rng: random.Random, edge: Any = None) -> list[float]:
        weights = [1.0 if edge == "equal" else rng.uniform(0.02, 1) for _ in range(case.get(self.length))]
        if edge in ("certain", "zeros") and weights:
            kept = rng.randrange(len(weights))
            for place in range(len(weights)):
                if place != kept and (edge == "certain" or rng.random() < 0.5):
                    weights[place] = 0.0
        return [weight / sum(weights) for weight in weights]


class _Array(Source):
    """Numbers in an array or a tensor of the given axes. By rule: other layouts in memory, ties, zeros."""

    layouts: Sequence[str] = ("laid out column by column", "expanded")

    def __init__(self, *axes: Any, kind: Any, edges: Sequence[str]):
        self.axes, self.kind = axes, kind
        layouts = [layout for layout in self.layouts if len(axes) >= (2 if "column" in layout else 1)]
        self.edges = [*layouts, *edges]
        self.told, self.simple = self.layouts, [edge for edge in ("ties",) if edge in self.edges]

    def draw(self, case: Case, rng: random.Random, edge: Any = None) -> Any:
        shape = tuple(map(case.get, self.axes))
        return self.laid_out(self.values(shape, case, rng, edge), edge)

    def values(self, shape: tuple[int, ...], case: Case, rng: random.Random, edge: Any) -> Any:
        raise NotImplementedError

    def laid_out(self, values: Any, edge: Any) -> Any:
        raise NotImplementedError


class tensor(_Array):
    """A torch tensor of normal numbers times `scale`, such as `choice(1, 1e-9)`. Further `edges` that an author may
    ask for: "huge" (around 1,000 in either direction), "-inf" (some numbers, never a whole row of the last axis).
    `kind` is a dtype by name; several inputs share one if it is a source: `kind = choice("float32", "float64")`."""

    def __init__(self, *axes: Any, scale: Any = 1.0, edges: Sequence[str] = (), kind: Any = "float32"):
        super().__init__(*axes, kind=kind, edges=["ties", "zeros", *edges])
        self.scale = scale

    def values(self, shape: tuple[int, ...], case: Case, rng: random.Random, edge: Any) -> Any:
        import torch

        source = torch.Generator().manual_seed(rng.getrandbits(60))
        found = torch.randn(shape, generator=source, dtype=torch.float64) * case.get(self.scale)
        if edge == "zeros":
            found = torch.zeros(shape, dtype=torch.float64)
        elif edge == "ties":
            found = found.round().clamp(-1, 1)
        elif edge == "huge":
            found = found + 1000 * torch.randint(-1, 2, shape, generator=source)
        elif edge == "-inf" and shape and shape[-1] > 1:
            hidden = torch.rand(shape, generator=source) < 0.4
            hidden[..., rng.randrange(shape[-1])] = False
            found = found.masked_fill(hidden, -torch.inf)
        return found.to(getattr(torch, case.get(self.kind)))

    def laid_out(self, values: Any, edge: Any) -> Any:
        if edge == "laid out column by column":
            axes = range(values.ndim - 1, -1, -1)
            return values.permute(*axes).contiguous().permute(*axes)
        if edge == "expanded" and values.shape and values.shape[0]:
            return values[:1].expand(values.shape)
        return values


class ids(tensor):
    """A torch tensor of whole numbers from 0 to below `below`; edges: all equal, all of them the last one."""

    def __init__(self, *axes: Any, below: Any, kind: Any = "int64"):
        super().__init__(*axes, kind=kind)
        self.below = below
        self.simple = ["zeros"]
        self.edges = ["zeros", "last", *[edge for edge in self.edges if edge in self.layouts]]

    def values(self, shape: tuple[int, ...], case: Case, rng: random.Random, edge: Any) -> Any:
        import torch

        below = case.get(self.below)
        source = torch.Generator().manual_seed(rng.getrandbits(60))
        found = torch.randint(below, shape, generator=source)
        if edge in ("zeros", "last"):
            found = torch.full(shape, 0 if edge == "zeros" else below - 1)
        return found.to(getattr(torch, case.get(self.kind)))


class truths(tensor):
    """A torch tensor of True and False; edges: all True, all False."""

    def __init__(self, *axes: Any):
        super().__init__(*axes, kind="bool")
        self.simple = ["all True"]
        self.edges = ["all True", "all False", *[edge for edge in self.edges if edge in self.layouts]]

    def values(self, shape: tuple[int, ...], case: Case, rng: random.Random, edge: Any) -> Any:
        import torch

        if edge in ("all True", "all False"):
            return torch.full(shape, edge == "all True")
        return torch.rand(shape, generator=torch.Generator().manual_seed(rng.getrandbits(60))) < 0.5


class array(_Array):
    """A NumPy array of normal numbers times `scale`, or of counts from 0 to `below` - 1 if that is given. Edges that
    are always tried: column by column, expanded (read-only, too), zeros; with counts also "large" ones. Counts are
    float64 and int64 unless `kind` says it, all others float64."""

    def __init__(
        self,
        *axes: Any,
        scale: Any = 1.0,
        below: Any = None,
        edges: Sequence[str] = (),
        kind: Any = None,
    ):
        always = ["zeros", LARGE] if below is not None else ["zeros", "ties"]
        if kind is None:
            kind = "float64" if below is None else choice("float64", "int64")
        super().__init__(*axes, kind=kind, edges=[*always, *edges])
        self.scale, self.below = scale, below

    def values(self, shape: tuple[int, ...], case: Case, rng: random.Random, edge: Any) -> Any:
        import numpy as np

        source = np.random.default_rng(rng.getrandbits(60))
        found: np.ndarray[Any, Any]
        if edge == "zeros":
            found = np.zeros(shape)
        elif self.below is not None:
            found = source.integers(0, case.get(self.below), shape) * (10**6 if edge == LARGE else 1)
        else:
            found = source.normal(size=shape) * case.get(self.scale)
            found = np.clip(np.round(found), -1, 1) if edge == "ties" else found
        return np.asarray(found, dtype=case.get(self.kind))

    def laid_out(self, values: Any, edge: Any) -> Any:
        import numpy as np

        if edge == "laid out column by column":
            return np.asfortranarray(values)
        if edge == "expanded" and values.shape and values.shape[0]:
            return np.broadcast_to(values[:1], values.shape)
        return values
