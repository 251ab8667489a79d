"""The challenge: each entry is trained in the sandbox and scored on text that did not exist when it was written.

An entry is a notebook that defines `fit(tokens, vocabulary, seconds)`. It gets the training text, an array of numbers
[N], and returns a function `model(prefixes)`: prefixes [B, t] of t tokens each, t from 0 on -> ln P of each possible
next token, [B, vocabulary]. `seconds` of CPU time are for everything that the entry does, answers included.

What an answer cannot win by: a row is normalised here, in double precision, whatever it sums to. Nobody sees what
follows, since a question holds nothing but the past of its places. At the end some questions are asked once more.
"""

import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
from numpy.typing import NDArray

from autograder.chapter.verdicts import Outcome
from autograder.course import CONFIGURATION, Course, CourseError
from autograder.intake.files import read_file
from autograder.processes import fresh_processes
from autograder.wall import warm
from autograder.wall.faults import OurFault
from autograder.wall.handles import CallableHandle
from autograder.wall.inside import wire
from autograder.wall.sandbox import Limits, bubblewrap_works
from autograder.wall.student import StudentGone, StudentSide, TimeUp

CELL_SECONDS = 20.0  # of CPU time for all cells of an entry, which only define things
ASKED_AGAIN = 5  # places at which all stories are asked about once more
SAME = 1e-5  # as far as two answers to one question may differ, as probabilities
MODULES = ("numpy", "torch")  # imported before any clock runs
ATTEMPTS = 2  # at an entry, if a fault of ours ends the first
DRAWS = 2000  # of stories, for an interval


@dataclass(frozen=True)
class Game:
    """The text of one challenge."""

    train: NDArray[np.int64]  # [N]
    stories: list[NDArray[np.int64]]  # that are scored
    truth: list[NDArray[np.float64]]  # ln P of each of their tokens
    vocabulary: int
    seed: int
    module: str = ""  # which made it and holds the truth


@dataclass(frozen=True)
class Entry:
    """What became of an entry: bits above the truth, per token, of each story, or why it has none."""

    name: str
    bits: tuple[float, ...] = ()  # of each story: the sum over its tokens
    tokens: tuple[int, ...] = ()  # of each story
    seconds: float = 0.0  # of CPU time that it used
    problem: str = ""

    @property
    def score(self) -> float:
        """Bits above the truth per token; infinite if it holds impossible what came."""
        return sum(self.bits) / sum(self.tokens) if self.bits else math.inf


class Broken(Exception):
    """An entry that cannot be scored, and why, in words for its author."""


def module_of(course: Course) -> str:
    """The course's module that makes texts, as its settings name it. Raises CourseError if they name none."""
    module: str = course.nbgrader.Challenge.get("module", "")
    if not module:
        raise CourseError(
            f"Nothing makes texts for a challenge here: name a module in {CONFIGURATION}, such as "
            "c.Challenge.module = 'lessons.challenge'."
        )
    return module


def make_game(module: str, words: int, scored: int, seed: int | None, folder: Path) -> Game:
    """Have the course's `module` make the text, in a process of its own. Raises CourseError if it cannot."""
    file = folder / "game.npz"
    command = [sys.executable, "-m", module, str(file), "--words", str(words), "--scored", str(scored)]
    result = subprocess.run(
        [*command, *(["--seed", str(seed)] if seed is not None else [])], capture_output=True, text=True, check=False
    )
    if result.returncode:
        raise CourseError(f"No text for the challenge: {(result.stderr.strip() or 'no reason given').splitlines()[-1]}")
    with np.load(file, allow_pickle=False) as made:
        ends = np.flatnonzero(made["scored"] == 0)[:-1] + 1
        stories, truth = np.split(made["scored"], ends), np.split(made["truth"], ends)
        return Game(made["train"], stories, truth, int(made["vocabulary"]), int(made["seed"]), module)


def require_sandbox() -> None:
    """Raises CourseError in the reduced mode: there an entry could read the language that it is to learn."""
    if not bubblewrap_works():
        raise CourseError(
            "A challenge needs bubblewrap: without it an entry could read the truth. See docs/challenge.md."
        )


def run_entry(path: Path, game: Game, seconds: float, memory: int) -> Entry:
    """Train and score one entry. What goes wrong in it is its problem; what goes wrong on our side is tried again."""
    for attempt in range(1, ATTEMPTS + 1):
        side = StudentSide(warm.Kind((), Limits(memory=memory), MODULES, "", (("OMP_NUM_THREADS", "1"),)))
        try:
            bits = _scored(side, _cells(path), game, seconds)
            return Entry(path.stem, bits, tuple(map(len, game.stories)), round(side.used, 2))
        except (Broken, StudentGone, TimeUp, wire.WireError) as error:
            is_late = isinstance(error, TimeUp) or isinstance(error, StudentGone) and error.reason == Outcome.TIMED_OUT
            told = f"Your entry had {seconds:g} CPU seconds for all that it does, and was stopped."
            problem = told if is_late else str(error)
            return Entry(path.stem, seconds=round(side.used, 2), problem=" ".join(problem.split())[:300])
        except OurFault:
            if attempt == ATTEMPTS:
                raise
        finally:
            side.stop()
    raise AssertionError("no attempt was made")


def _cells(path: Path) -> list[str]:
    """The code cells of an entry. Raises Broken if it is no notebook."""
    try:
        notebook = nbformat.reads(read_file(path).decode(), as_version=4)
    except Exception as error:  # whatever nbformat makes of a file
        raise Broken(f"This is no notebook that can be read: {type(error).__name__}.") from None
    return [cell.source for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def _scored(side: StudentSide, cells: list[str], game: Game, seconds: float) -> tuple[float, ...]:
    """Bits above the truth of each story."""
    side.start()
    _no_truth_inside(side, game)
    side.allow(CELL_SECONDS)
    for source in cells:
        left = max(0.1, side.limit - side.meter.used)
        _, error = side.run_cell(source, left, pictures=False)
        if error:
            raise Broken(f"A cell of yours fails: {error['name']}: {error['text']}"[:300])
    found = side.get("fit")
    if not found or not isinstance(found[0], CallableHandle):
        raise Broken("Define a function fit(tokens, vocabulary, seconds).")
    side.allow(seconds)
    model = _asked(found[0], game.train.copy(), game.vocabulary, float(seconds))
    if not isinstance(model, CallableHandle):
        raise Broken(f"fit should return a function of prefixes; yours returns {type(model).__name__}.")
    return _bits(model, game)


def _no_truth_inside(side: StudentSide, game: Game) -> None:
    """Raises CourseError if the package that made the text can be imported where entries run."""
    package = game.module.partition(".")[0]
    if not package:
        return
    look = f"import importlib.util\n_found = importlib.util.find_spec({package!r}) is not None"
    side.run_cell(look, CELL_SECONDS, False)
    if side.get("_found") != [False]:
        raise CourseError(
            f"{package} can be imported inside the sandbox, and with it the truth: install it as in the README."
        )
    side.run_cell("del _found", CELL_SECONDS, False)


def _asked(function: CallableHandle, *arguments: Any) -> Any:
    """What a function of the entry returns. Raises Broken if it raises an exception of its own."""
    try:
        return function(*arguments)
    except (StudentGone, TimeUp, wire.WireError):
        raise
    except Exception as error:
        raise Broken(f"Your code raises {getattr(error, 'student_text', None) or type(error).__name__}"[:300]) from None


def _bits(model: CallableHandle, game: Game) -> tuple[float, ...]:
    """Ask about the first token of all stories, then the second, and so on; then some of it again."""
    longest = max(map(len, game.stories))
    rows: dict[int, NDArray[np.float64]] = {}
    again = np.random.default_rng(game.seed).choice(longest, size=min(ASKED_AGAIN, longest), replace=False)
    bits = np.zeros(len(game.stories))
    for t in range(longest):
        here = [i for i, story in enumerate(game.stories) if len(story) > t]
        ln_p = _rows(model, game, here, t)
        if t in again:
            rows[t] = ln_p
        for i, row in zip(here, ln_p, strict=True):
            bits[i] += (game.truth[i][t] - row[game.stories[i][t]]) / math.log(2)
    for t, before in rows.items():
        here = [i for i, story in enumerate(game.stories) if len(story) > t]
        order = np.random.default_rng([game.seed, t]).permutation(len(here))
        now = _rows(model, game, [here[k] for k in order], t)
        if np.abs(np.exp(now) - np.exp(before[order])).max() > SAME:
            raise Broken(
                "Asked the same question twice, your model answers differently: it must not learn from the test."
            )
    return tuple(map(float, bits))


def _rows(model: CallableHandle, game: Game, here: list[int], t: int) -> NDArray[np.float64]:
    """Normalised ln P [B, V] of the token at place t of these stories, from what stands before it."""
    prefixes = np.array([game.stories[i][:t] for i in here], dtype=np.int64).reshape(len(here), t)
    answer = _asked(model, prefixes)
    if type(answer).__module__.startswith("torch"):
        answer = answer.detach().numpy()
    if not isinstance(answer, (list, tuple, np.ndarray)):
        raise Broken(f"Your model should return an array [B, vocabulary]; it returns {type(answer).__name__}.")
    try:
        found = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        raise Broken("Your model's answer is no array of numbers.") from None
    wanted = (len(here), game.vocabulary)
    if found.shape != wanted:
        raise Broken(f"Asked about {len(here)} prefixes, your model returns shape {found.shape}, not {wanted}.")
    if np.isnan(found).any() or np.isposinf(found).any():
        raise Broken("Your model's answer holds NaN or infinity where ln P is wanted.")
    top = found.max(axis=1, keepdims=True)
    if np.isneginf(top).any():
        raise Broken("Your model holds every token impossible.")
    shifted = found - top
    result: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return result


def better_than(first: Entry, second: Entry, seed: int) -> tuple[float, float]:
    """Where 95 % of the differences second - first lie, bits per token, if stories are drawn anew (bootstrap)."""
    if not (first.bits and second.bits):
        return math.nan, math.nan
    return _interval(np.subtract(second.bits, first.bits), first.tokens, seed)


def give_or_take(entry: Entry, seed: int) -> float:
    """Half the interval in which 95 % of an entry's scores lie, bits per token, if stories are drawn anew."""
    low, high = _interval(np.array(entry.bits), entry.tokens, seed) if entry.bits else (math.nan, math.nan)
    return (high - low) / 2


def _interval(bits: NDArray[np.float64], tokens: Sequence[int], seed: int) -> tuple[float, float]:
    """Bounds of the middle 95 % of bits per token, stories drawn with replacement; nan: no finite score."""
    if not np.isfinite(bits).all():
        return math.nan, math.nan
    lengths = np.array(tokens)
    draws = np.random.default_rng(seed).integers(len(bits), size=(DRAWS, len(bits)))
    low, high = np.quantile(bits[draws].sum(axis=1) / lengths[draws].sum(axis=1), [0.025, 0.975])
    return float(low), float(high)


def run_entries(paths: list[Path], game: Game, seconds: float, memory: int, jobs: int | None) -> Iterator[Entry]:
    """Each entry as soon as it is scored, in processes that share nothing."""
    with fresh_processes(jobs) as pool:
        waiting = [pool.submit(run_entry, path, game, seconds, memory) for path in paths]
        for done in as_completed(waiting):
            yield done.result()


def entries_in(paths: Sequence[Path]) -> list[Path]:
    """The notebooks that are meant: files, and all notebooks of folders. Raises CourseError if one is missing."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(file for file in path.glob("*.ipynb") if not file.name.startswith("."))
        elif path.is_file():
            found.append(path)
        else:
            raise CourseError(f"{path} does not exist: name a notebook, or a folder of notebooks.")
    names = [path.stem for path in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise CourseError(f"Two entries are called {', '.join(twice)}: each needs a name of its own.")
    return found


def standing(entries: list[Entry]) -> list[Entry]:
    """Best first; those without a score at the end, by name."""
    return sorted(entries, key=lambda entry: (entry.score, entry.name))


def fields(entries: list[Entry], seed: int) -> list[dict[str, Any]]:
    """The standing as rows of a table, best first, each with the interval of its lead over the next."""
    rows = []
    ordered = standing(entries)
    for place, entry in enumerate(ordered, 1):
        following = ordered[place] if place < len(ordered) else None
        low, high = better_than(entry, following, seed) if following else (math.nan, math.nan)
        half = give_or_take(entry, seed)
        rows.append(
            {
                "place": place if entry.bits else "",
                "entry": entry.name,
                "bits above the truth": round(entry.score, 4) if entry.bits else "",
                "±": "" if math.isnan(half) else round(half, 4),
                "better than the next, from": "" if math.isnan(low) else round(low, 4),
                "to": "" if math.isnan(high) else round(high, 4),
                "CPU seconds": entry.seconds,
                "problem": entry.problem,
            }
        )
    return rows
