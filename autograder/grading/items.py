"""What a class says about the tests: how hard each is, whether it tells strong work from weak, what failed there.

A test that strong students fail, or that weak ones pass as often, is more likely the course's fault than the class's.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import nbformat
import pandas as pd

from autograder.chapter.cells import Way
from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import Outcome, recorded_verdicts
from autograder.course import Course, notebook_in

FEW = 8  # students; below, no correlation is worth a look
STRONG = 0.2  # the share of a class, by the points of all other tests, that counts as strong
WEAK = 0.1  # a discrimination below this says that the test has little to do with the others
MAX_MESSAGES = 3  # of a test that are shown
MAX_ANSWERS = 3  # of a message that are shown
YOURS = "yours"  # after this word a message says what an answer gave
NO_WORK = ("NotImplementedError", "Your cell for")  # nothing written, or it does not run: no mistake found by a test


@dataclass(frozen=True)
class Message:
    """What students were told by one test, alike but for what was drawn and what they had answered."""

    times: int  # students
    example: str
    answers: Sequence[tuple[int, str]]  # wrong answers that several gave alike, most frequent first


@dataclass(frozen=True)
class Item:
    """One test of a chapter and what became of it in a class."""

    task: str
    aspect: str
    passed: float  # share of the class, 0 to 1
    discrimination: float  # correlation of passing with the points of all other tests, -1 to 1; nan if undefined
    strong_failed: float  # share of the strong students who failed it
    messages: Sequence[Message]  # most frequent first
    is_beside: bool = False  # whether it was judged beside the student's code

    @property
    def is_odd(self) -> bool:
        """Whether the test itself deserves a look: it does not go along with the others, or half of the best fail."""
        return self.discrimination < WEAK or self.strong_failed >= 0.5


def items_of(course: Course, chapter: str, marks: pd.DataFrame) -> list[Item]:
    """The tests of a chapter with `marks` as from `marks_of_class`, fewest passed first."""
    parts = course.parts(chapter)
    whole = {part: f"{notebook_in(part)}/" if len(parts) > 1 else "" for part in parts}  # as in `marks_of_class`
    tests = {f"{whole[part]}{cell.name}": cell for part in parts for cell in read_reference(course, part).tests}
    counted = marks[(marks["most_points"] > 0) & marks["grade_id"].isin([*tests])]
    points = counted.pivot(index="student", columns="grade_id", values="points")
    messages: dict[str, list[Message]] = {}
    for part in parts:
        of_part = _messages(course, part, list(points.index))
        messages |= {f"{whole[part]}{name}": found for name, found in of_part.items()}
    items = []
    for grade_id, rows in counted.groupby("grade_id", sort=False):
        of_test = rows.set_index("student")
        passed = (of_test["points"] >= of_test["most_points"]).astype(float)
        rest = points.drop(columns=grade_id).sum(axis=1)
        strong = rest[rest >= rest.quantile(1 - STRONG)].index
        items.append(
            Item(
                task=str(of_test["task"].iloc[0]),
                aspect=str(of_test["aspect"].iloc[0] or grade_id),
                passed=float(passed.mean()),
                discrimination=_correlation(passed, rest),
                strong_failed=float(1 - passed[strong].mean()) if len(points) >= FEW else 0.0,
                messages=messages.get(str(grade_id), []),
                is_beside=tests[str(grade_id)].way == Way.BESIDE,
            )
        )
    return sorted(items, key=lambda item: item.passed)


def _correlation(passed: pd.Series, rest: pd.Series) -> float:
    """Pearson's, which is called point-biserial when one side is yes or no; nan if a side does not vary."""
    if len(passed) < FEW or passed.nunique() < 2 or rest.nunique() < 2:
        return float("nan")
    return float(passed.corr(rest))


def _messages(course: Course, chapter: str, students: Sequence[str]) -> dict[str, list[Message]]:
    """By grade id: what failed students were told."""
    told: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))  # grade id, kind of message
    for student in students:
        path = course.graded(student, chapter)
        if not path.is_file():
            continue
        for verdict in recorded_verdicts(nbformat.read(path, as_version=4)):
            if verdict.outcome != Outcome.PASSED and not verdict.message.startswith(NO_WORK):
                told[verdict.grade_id][_kind(verdict.message)].append(verdict.message)
    return {
        name: sorted(map(_counted, kinds.values()), key=lambda message: -message.times)[:MAX_MESSAGES]
        for name, kinds in told.items()
    }


def _counted(messages: list[str]) -> Message:
    """Messages of one kind as one. An answer is what stands after "yours"; one that nobody shares is not counted."""
    answers = Counter(message.partition(YOURS)[2].strip(": .") for message in messages)
    shared = [(times, answer) for answer, times in answers.most_common(MAX_ANSWERS) if answer and times > 1]
    return Message(len(messages), messages[0], shared)


def _kind(message: str) -> str:
    """A message without what a test drew and what an answer gave: numbers, texts in quotes, all after "yours"."""
    message = message.partition(YOURS)[0]
    return re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`|-?\d[\d.,e+-]*|\[[^\]]*\]", "…", message).strip()
