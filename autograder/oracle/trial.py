"""The trial of an answer: which cases are tried, which small case is shown, and what the message says."""

import functools
import inspect
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograder.oracle.compare import SUMMARY, difference, kind_of, shown
from autograder.oracle.sources import MAX_USUAL, Case, Source, size

USUAL_TRIES = 10  # usual cases, until one is among the inputs for which the course has an answer
MAX_PAIRS = 20  # cases with an extreme size and an edge of something else
MIXTURES = 8  # cases in which several sources take an edge at once
MAX_TRIES = 60  # calls to make a failing case smaller
EDGE_SHARE = 0.35  # of the sources of a mixture
MAX_LINE = 400  # characters that describe the inputs of a case
ALARM = 6.0  # standard deviations: by luck once in 10^9 comparisons
MORE_OF_OURS = 5  # times as often as theirs the course's random function is called: it costs no message

Differ = Callable[[Any, Any, Sequence[Any], dict[str, Any]], str]


def agrees(
    theirs: Callable[..., Any],
    ours: Callable[..., Any],
    *inputs: Any,
    by: Callable[..., Any] | None = None,
    compare: Callable[..., str | bool | None] | None = None,
    strict: bool = False,
    rtol: float | None = None,
    atol: float | None = None,
    raises: type[Exception] | tuple[type[Exception], ...] = (),
    changes: bool = False,
    mixtures: int = MIXTURES,
    **options: Any,
) -> None:
    """Compare a student's function with the course's for `inputs` (by position) and `options` (by keyword).

    With `by`, what is compared is `by(function, *inputs, **options)`: a scenario, such as one that makes a model of a
    class and calls it. If it has the attribute `runs_beside_the_answer`, a judge runs it where the student's objects
    are, which is quicker; see `autograder.wall.inside.scenarios` for what it may use. With `by`, `theirs` and `ours`
    may be tuples of functions and classes.

    `compare(got, wanted, *inputs, **options)` may accept what is as good as the course's result: it returns what is
    wrong, in words about "your result", or something false if nothing is; True means wrong without a word. `changes`
    allows a function to change its arguments. For `strict`, `rtol` and `atol` see `difference`.

    Where the course's function raises one of the exceptions `raises`, the student's must, too; a case in which it
    raises another one does not count. Raises AssertionError with the smallest case found in which the two differ.
    """
    trial = _Trial(theirs, ours, inputs, options, by, changes, raises, compare is not None)

    def differ(got: Any, wanted: Any, values: Sequence[Any], named: dict[str, Any]) -> str:
        if compare is None:
            return difference(got, wanted, rtol, atol, strict)
        found = compare(got, wanted, *values, **named)
        return "is wrong" if found is True else found or ""

    for case in _cases(trial, random.getrandbits(60), mixtures):
        failure = trial.failure(case, differ)
        if failure:
            raise AssertionError(trial.smallest(case, failure, differ))
    if by is None and not changes and (failure := trial.fleeting(case, differ)):
        raise AssertionError(f"{trial.described(case)} {failure}.")


def spreads_like(
    theirs: Callable[..., Any],
    ours: Callable[..., Any],
    *inputs: Any,
    of: Callable[[Any], Any] = repr,
    samples: int = 600,
    by: Callable[..., Any] | None = None,
    **options: Any,
) -> None:
    """Compare how often two random functions give each outcome; `of(result)` (hashable) is the outcome that counts.

    The student's function is called `samples` times on one usual case, the course's more often; their outcomes are
    compared by a chi-squared test that gives a false alarm once in a thousand million. Raises AssertionError and names
    the outcome that stands out most.
    """
    trial = _Trial(theirs, ours, inputs, options, by)
    seed = random.getrandbits(60)
    theirs_found = Counter(of(trial.result(trial.call_theirs, Case(seed))) for _ in range(samples))
    positional, named = trial.values(Case(seed))  # the course's function leaves them as they are
    ours_found = Counter(of(trial.call_ours(*positional, **named)) for _ in range(MORE_OF_OURS * samples))
    surprise, worst = _surprise(theirs_found, ours_found)
    if surprise > ALARM:
        share, wanted = (counter[worst] / counter.total() for counter in (theirs_found, ours_found))
        raise AssertionError(
            f"{trial.described(Case(seed))} your random results are spread differently: {shown(worst)} came in "
            f"{share:.1%} of {samples} calls, wanted about {wanted:.1%}."
        )


def _surprise(one: Counter[Any], other: Counter[Any]) -> tuple[float, Any]:
    """How many standard deviations two samples are too different, and the outcome whose share differs most.

    Rare outcomes are counted together; the chi-squared statistic is made normal after Wilson and Hilferty (1931).
    """
    ratio = (other.total() / one.total()) ** 0.5
    often = [outcome for outcome, count in (one + other).items() if count >= 10 * (1 + ratio**2) / 2]
    parts = [(one[outcome], other[outcome]) for outcome in often]
    parts.append((one.total() - sum(a for a, _ in parts), other.total() - sum(b for _, b in parts)))
    terms = [(ratio * a - b / ratio) ** 2 / (a + b) for a, b in parts if a + b]
    freedom = max(1, len(terms) - 1)
    shrunk = (sum(terms) / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))
    worst = max(one + other, key=lambda outcome: abs(ratio * one[outcome] - other[outcome] / ratio))
    return shrunk / (2 / (9 * freedom)) ** 0.5, worst


class _Trial:
    """A student's function, the course's, and where their inputs come from."""

    def __init__(
        self,
        theirs: Callable[..., Any],
        ours: Callable[..., Any],
        inputs: Sequence[Any],
        options: dict[str, Any],
        by: Callable[..., Any] | None,
        changes: bool = False,
        raises: type[Exception] | tuple[type[Exception], ...] = (),
        compares_by_inputs: bool = True,
    ):
        self.theirs, self.ours, self.by, self.raises = theirs, ours, by, raises
        by_ours, by_theirs = _on_both_sides(by, theirs)
        self.call_ours = ours if by is None else functools.partial(by_ours, ours)
        self.call_theirs = theirs if by is None else functools.partial(by_theirs, theirs)
        self.inputs, self.options = inputs, options
        # Beside the student's code; a wall compares what it has handed over for itself.
        self.watches = by is None and not changes and not getattr(theirs, "watches_arguments", False)
        self.compares_by_inputs = compares_by_inputs
        self.counted = 0
        self.unfit: Exception = ValueError("no case at all")
        self.name = getattr(ours, "__name__", "your function").replace("<lambda>", "your function")

    def learn(self, case: Case) -> None:
        """Have a case know its sources; what was drawn for that is what `values` returns first."""
        case.ready = self._drawn(case)

    def values(self, case: Case) -> tuple[list[Any], dict[str, Any]]:
        """The inputs of a case, drawn anew: nobody's changes are in them."""
        ready, case.ready = case.ready, None
        return ready or self._drawn(case)

    def _drawn(self, case: Case) -> tuple[list[Any], dict[str, Any]]:
        fresh = Case(case.seed, case.taken, case.outer)
        positional = [fresh.get(wanted) for wanted in self.inputs]
        named = {name: fresh.get(wanted) for name, wanted in self.options.items()}
        case.drawn, case.inner = fresh.drawn, fresh.inner
        return positional, named

    def result(self, call: Callable[..., Any], case: Case) -> Any:
        positional, named = self.values(case)
        return call(*positional, **named)

    def failure(self, case: Case, differ: Differ) -> str:
        """What is wrong with their answer in this case, as the rest of a sentence; empty if nothing is."""
        expected: type[Exception] | None = None
        wanted: Any = None
        try:
            wanted = self.result(self.call_ours, case)
        except self.raises as error:
            expected = type(error)
        except Exception as error:  # no input that the task allows
            self.unfit = error
            return ""
        self.counted += 1
        positional, named = self.values(case)
        try:
            got = self.call_theirs(*positional, **named)
            if isinstance(wanted, Iterator) and isinstance(got, Iterator):
                got = list(got)
        except AssertionError:
            raise
        except Exception as error:
            if getattr(error, "ends_the_test", False):  # time is up, or their process has ended
                raise
            if expected is not None and isinstance(error, expected):
                return ""
            text = getattr(error, "student_text", None) or f"{type(error).__name__}: {error}"
            return f"your function raises {text}" + (f", wanted {expected.__name__}" if expected else "")
        if expected is not None:
            return f"your function returns {shown(got)}, wanted {expected.__name__}"
        untouched, unnamed = self.values(case) if self.watches or self.compares_by_inputs else ([], {})
        if self.watches:
            for before, after in zip([*untouched, *unnamed.values()], [*positional, *named.values()], strict=True):
                if _is_data(before) and difference(after, before):
                    return f"your function changes an argument (a {kind_of(before)}) in place: work on a copy"
        found = differ(got, wanted, untouched, unnamed)
        return f"your result {found}" if found else ""

    def fleeting(self, case: Case, differ: Differ) -> str:
        """What one more call, with data of the same sizes or of others, makes of this result; empty if it leaves it."""
        same_sizes = Case(case.seed)
        same_sizes.drawn = {
            source: value for source, value in case.drawn.items() if isinstance(value, (int, float, str))
        }
        call = getattr(self.theirs, "first_of_two", functools.partial(_first_of_two, self.theirs))
        for other in (Case(case.seed + 1, outer=same_sizes), Case(case.seed + 1)):
            try:
                wanted, _ = self.result(self.call_ours, case), self.result(self.call_ours, other)
            except Exception:  # no two inputs that the task allows
                continue
            if isinstance(wanted, Iterator) or isinstance(self.ours, type):
                continue
            try:
                got = call(self.values(case), self.values(other))
            except Exception as error:
                if getattr(error, "ends_the_test", False):
                    raise
                continue  # its calls one by one have said more
            if found := differ(got, wanted, *self.values(case)):
                return f"your result is right until your function is called again: then it {found}. Return a new object"
        return ""

    def smallest(
        self, case: Case, failure: str, differ: Callable[[Any, Any, Sequence[Any], dict[str, Any]], str]
    ) -> str:
        """The message for a case that is made smaller for as long as it goes on failing."""
        tries, improved = 0, True
        while improved and tries < MAX_TRIES:
            improved = False
            for simpler in self._simpler(case):
                tries += 1
                found = self.failure(simpler, differ)
                if found:
                    case, failure, improved = simpler, found, True
                    break
                if tries == MAX_TRIES:
                    break
        self.learn(case)
        return f"{self.described(case)} {failure}."

    def _simpler(self, case: Case) -> Iterator[Case]:
        self.learn(case)
        for source in case.sources():
            if not isinstance(source, size) and case.taken.get(source, None) not in (None, *source.simple):
                yield Case(case.seed, {other: edge for other, edge in case.taken.items() if other is not source})
        for source, value in case.drawn.items():
            for edge in source.smaller(value, case.taken.get(source)):
                yield Case(case.seed, {**case.taken, source: edge})
        for source in case.inner:
            if source not in case.taken:
                for edge in source.smaller(MAX_USUAL):
                    yield Case(case.seed, {**case.taken, source: edge})

    def described(self, case: Case) -> str:
        """The inputs of a case as the begin of a sentence: as a call if they are short, else by what matters."""
        positional, named = self.values(case)
        try:
            parameters = [*inspect.signature(self.ours).parameters] if self.by is None else []
        except (TypeError, ValueError):
            parameters = []
        names = [*parameters[: len(positional)], *[""] * (len(positional) - len(parameters)), *named]
        shown_values = [shown(value) for value in [*positional, *named.values()]]
        parts = [f"{name} = {text}" if name else text for name, text in zip(names, shown_values, strict=True)]
        told = [edge for source, edge in case.taken.items() if edge in source.told]
        are_whole = not any(text.endswith("…") or text.startswith(SUMMARY) for text in shown_values)
        sizes = [] if are_whole else [text for text in case.words() if text not in parts]
        line = "; ".join([*sizes, *parts, *told])
        return f"For {line}:" if line and len(line) <= MAX_LINE else f"For {'; '.join([*case.words(), *told])}:"


def _on_both_sides(by: Callable[..., Any] | None, theirs: Any) -> tuple[Any, Any]:
    """`by` as it is called for the course's answer and for the student's, which may be behind a wall."""
    answer = theirs[0] if type(theirs) is tuple else theirs
    if getattr(by, "runs_beside_the_answer", False) is True and hasattr(type(answer), "beside"):
        both: tuple[Any, Any] = answer.beside(by)
        return both
    return by, by


def _first_of_two(function: Callable[..., Any], *inputs: tuple[list[Any], dict[str, Any]]) -> Any:
    """The result of the first of two calls, after the second."""
    return [function(*positional, **named) for positional, named in inputs][0]


def _is_data(value: Any) -> bool:
    return isinstance(value, (list, dict, set)) or hasattr(value, "shape")


def _cases(trial: _Trial, seed: int, mixtures: int) -> Iterator[Case]:
    """A usual case, each edge of each source by rule, some of them together, and the usual case once more."""
    for attempt in range(USUAL_TRIES):
        usual = Case(seed - attempt)
        trial.learn(usual)
        yield usual
        if trial.counted:
            break
    else:
        raise trial.unfit  # a mistake of the test's: hardly any of its inputs is one that the task allows
    done: set[tuple[Source, int]] = set()
    known = usual.sources()
    first = dict.fromkeys(known, usual)
    for source in known:  # grows: an edge may bring sources that the usual case did not ask for
        for place, edge in enumerate(source.edges):
            if (source, place) not in done:
                done.add((source, place))
                case = Case(seed + len(done), {source: edge})
                trial.learn(case)
                if source not in case.sources():  # a choice has left it aside: choose as when it was first seen
                    case = Case(first[source].seed, {**first[source].taken, source: edge})
                    trial.learn(case)
                first = {**dict.fromkeys(case.sources(), case), **first}
                known.extend(other for other in case.sources() if other not in known)
                yield case
    ones: dict[Source, Any] = {source: 1 for source in known if isinstance(source, size) and source.least <= 1}
    if len(ones) > 1:  # an axis of one may be lost only if another one is of one, too
        yield Case(seed, ones)
    pairs = [  # an empty input may be treated well in one mode only; what is rare piles up in a long one
        {source: extreme, other: edge}
        for source in known
        if isinstance(source, size)
        for extreme in dict.fromkeys([source.least, *([] if source.large is None else [source.large])])
        for other in known
        if not isinstance(other, size)
        for edge in other.edges
    ]
    rng = random.Random(seed)
    for taken in rng.sample(pairs, min(len(pairs), MAX_PAIRS)):
        yield Case(seed, taken)
    for _ in range(mixtures):
        taken = {}
        for source in known:
            edges = [edge for edge in source.edges if not isinstance(source, size) or edge != source.large]
            if edges and rng.random() < EDGE_SHARE:
                taken[source] = rng.choice(edges)
        yield Case(rng.getrandbits(60), taken)
    yield usual  # what a function keeps between its calls shows when it is asked again; this one must be the last
