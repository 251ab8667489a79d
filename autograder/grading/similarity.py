"""Who wrote unusually alike: winnowing (S. Schleimer, D. Wilkerson and A. Aiken, 2003) over the tokens of answers.

Short functions are alike by nature, so what two answers share counts the more, the fewer others have it too. A match
proves nothing: it says where a person should look.
"""

import builtins
import hashlib
import io
import keyword
import tokenize
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import nbformat
import numpy as np
import pandas as pd

from autograder.chapter.cells import BEGIN_SOLUTION, Notebook
from autograder.chapter.reference import read_reference
from autograder.course import Course, CourseError, assignment_in, notebook_in
from autograder.grading.gradebook import students_in
from autograder.grading.term import read_term

GRAM = 10  # tokens in a row that are compared
WINDOW = 6  # of so many neighbouring grams one is kept: whatever GRAM + WINDOW - 1 tokens have in common is found
REFERENCE = "the course's own answers"
LEAST_BITS = 25.0  # a match worth less is never called unusual
SKIPPED = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


@dataclass(frozen=True, slots=True)
class Match:
    """What two have in common in one task. A class of 300 has a million of these, so each holds little."""

    task: str
    bits: float  # the sum of log2(class / how many have it) over what both have
    codes: tuple[str, str]
    known: frozenset[str]  # marks of what was given, which count for nothing

    @property
    def lines(self) -> tuple[set[int], set[int]]:
        """Which lines (from 1) of either code are alike."""
        one, other = (fingerprints(code) for code in self.codes)
        both = (one.keys() & other.keys()) - self.known
        return {line for mark in both for line in one[mark]}, {line for mark in both for line in other[mark]}


@dataclass(frozen=True)
class Pair:
    """Two students, or a student and the reference, and what they share, most telling task first."""

    names: tuple[str, str]
    matches: Sequence[Match]
    unusual: bool  # far above the other pairs of this class

    @property
    def bits(self) -> float:
        return sum(match.bits for match in self.matches)


def alike(course: Course, chapter: str) -> list[Pair]:
    """All pairs of a graded chapter that share anything, most bits first. Raises CourseError if nothing is graded."""
    answers: dict[str, dict[str, str]] = {}
    reference: dict[str, str] = {}
    given: list[str] = []
    parts = course.parts(chapter)
    for part in parts:
        whole = f"{notebook_in(part)}/" if len(parts) > 1 else ""  # as in `marks_of_class`
        of_course = read_reference(course, part)
        reference |= {f"{whole}{task}": code for task, code in answers_of(of_course).items()}
        released = course.released(part)
        given += _texts(nbformat.read(released, as_version=4) if released.is_file() else of_course.node)
        for student in sorted(students_in(course, chapter)):
            path = course.graded(student, part)
            if path.is_file():
                mine = answers_of(Notebook.of(nbformat.read(path, as_version=4)))
                answers.setdefault(student, {}).update({f"{whole}{task}": code for task, code in mine.items()})
    if not answers:
        raise CourseError(f"Nothing is graded yet: run `autograder grade {chapter}`.")
    groups = [group.students for group in read_term(course).groups if group.chapter == assignment_in(chapter)]
    return pairs_of(answers, reference, given, groups)


def _texts(notebook: nbformat.NotebookNode) -> list[str]:
    """What of a notebook students are given: of a reference, what is nobody's answer."""
    return [cell.source for cell in Notebook.of(notebook).cells if BEGIN_SOLUTION not in cell.source]


def answers_of(notebook: Notebook) -> dict[str, str]:
    """The code of each task."""
    return {cell.name: cell.source for cell in notebook.tasks}


def pairs_of(
    answers: dict[str, dict[str, str]],
    reference: dict[str, str],
    given: Iterable[str],
    groups: Sequence[Collection[str]] = (),
) -> list[Pair]:
    """All pairs that share anything, most bits first, of answers by student and task.

    What stands in `given` code counts for nothing. Members of one of the `groups` hand in together and
    are not compared with each other.
    """
    known = frozenset(mark for code in given for mark in _marks(code))
    matches: dict[tuple[str, str], list[Match]] = {}
    for task, solution in reference.items():
        codes = {name: answers[name][task] for name in sorted(answers) if task in answers[name]} | {REFERENCE: solution}
        bits = _bits_in_common([fingerprints(code).keys() - known for code in codes.values()])
        names = list(codes)
        for i, j in np.argwhere(np.triu(bits, k=1) > 0):
            one, other = names[i], names[j]
            if not any(one in group and other in group for group in groups):
                match = Match(task, float(bits[i, j]), (codes[one], codes[other]), known)
                matches.setdefault((one, other), []).append(match)
    totals = {pair: sum(match.bits for match in found) for pair, found in matches.items()}
    far_out = _far_out(totals, len(answers))
    return [
        Pair(pair, sorted(matches[pair], key=lambda match: -match.bits), bits > far_out)
        for pair, bits in sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    ]


def _bits_in_common(prints: Sequence[set[str]]) -> np.ndarray:
    """How many bits of marks any two of a class share, as a square array in the order of `prints`.

    A mark that half of the class has is worth one bit, one that only two have much more, one that all have nothing.
    """
    columns = {mark: column for column, mark in enumerate(sorted(set().union(*prints)))}
    has = np.zeros((len(prints), len(columns)))
    for row, marks in enumerate(prints):
        has[row, [columns[mark] for mark in marks]] = 1
    worth = np.log2(len(prints) / has.sum(axis=0))
    return np.asarray((has * worth) @ has.T)


def fingerprints(code: str) -> dict[str, set[int]]:
    """The marks of a text of Python, each with the lines it covers; none if it is no Python.

    Names that the writer chose, numbers, texts, comments and the layout do not count, so that renaming hides nothing.
    """
    words = _words(code)
    grams = []
    for start in range(len(words) - GRAM + 1):
        text = " ".join(word for word, _ in words[start : start + GRAM])
        digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
        grams.append((digest, {line for _, line in words[start : start + GRAM]}))
    kept: dict[str, set[int]] = {}
    for start in range(max(1, len(grams) - WINDOW + 1) if grams else 0):
        digest, lines = min(reversed(grams[start : start + WINDOW]), key=lambda gram: gram[0])
        kept[digest] = kept.get(digest, set()) | lines
    return kept


def _marks(code: str) -> set[str]:
    """Every gram of given code, not only those that winnowing keeps: none of them may tell against anybody."""
    words = [word for word, _ in _words(code)]
    grams = (" ".join(words[start : start + GRAM]) for start in range(len(words) - GRAM + 1))
    return {hashlib.blake2b(text.encode(), digest_size=8).hexdigest() for text in grams}


def _words(code: str) -> list[tuple[str, int]]:
    """Tokens with their lines; names of the writer's own are all `v`, numbers `0`, texts `s`."""
    words: list[tuple[str, int]] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type in SKIPPED:
                continue
            after_dot = bool(words) and words[-1][0] == "."
            word = token.string
            if token.type == tokenize.NAME and not (after_dot or keyword.iskeyword(word) or hasattr(builtins, word)):
                word = "v"
            elif token.type == tokenize.NUMBER:
                word = "0"
            elif token.type == tokenize.STRING:
                word = "s"
            words.append((word, token.start[0]))
    except (tokenize.TokenError, SyntaxError):
        return []
    return words


def _far_out(totals: dict[tuple[str, str], float], students: int) -> float:
    """Above this a pair is unusual: three times the spread of the middle half above it, of all pairs there could be."""
    possible = students * (students + 1) // 2
    bits = pd.Series([*totals.values(), *[0.0] * (possible - len(totals))])
    low, high = bits.quantile(0.25), bits.quantile(0.75)
    return max(LEAST_BITS, float(high + 3 * (high - low)))
