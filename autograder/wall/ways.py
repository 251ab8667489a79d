"""Try the reference of an adopted course, to find out which of its tests can be judged through the wall.

The reference is its own first submission. A test that gives it all points through the wall is judged there. Any other
runs beside the student's code, and where the reference loses points even so, that is said.
"""

from collections.abc import Iterable

from autograder.chapter.beside import folder_for
from autograder.chapter.cells import Notebook, Way
from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import Outcome, Verdict
from autograder.chapter.ways import Tried, keep_ways, kept_ways, with_ways
from autograder.course import Course
from autograder.wall.foreign import is_plain
from autograder.wall.judge import Judge
from autograder.wall.seeds import key_of, seed_of

NOT_PLAIN = "uses a magic"
LONGEST_REASON = 100  # characters


def tried_reference(course: Course, chapter: str) -> Notebook:
    """A chapter's reference, of which it is known how each test is judged: tried now, if nobody has tried it before."""
    reference = read_reference(course, chapter)
    if not reference.is_adopted or kept_ways(course, chapter, reference) is not None:
        return reference
    keep_ways(course, chapter, reference, try_reference(course, chapter, reference))
    return read_reference(course, chapter)


def try_reference(course: Course, chapter: str, reference: Notebook) -> dict[str, Tried]:
    """What becomes of each test when the reference is graded."""
    ways = {test.name: Tried(Way.WALL, False, "") for test in reference.tests}
    ways |= {test.name: Tried(Way.BESIDE, False, NOT_PLAIN) for test in reference.tests if not is_plain(test.source)}
    for _ in range(2):  # what a test defines for later ones is not there for them once it runs beside
        lost = _lost(_judged(course, chapter, with_ways(reference, ways)), Way.WALL)
        if not lost:
            break
        ways |= {verdict.grade_id: Tried(Way.BESIDE, False, _reason(verdict)) for verdict in lost}
    for verdict in _lost(_judged(course, chapter, with_ways(reference, ways)), None):
        ways[verdict.grade_id] = Tried(Way.BESIDE, True, _reason(verdict))
    return ways


def _judged(course: Course, chapter: str, reference: Notebook) -> list[Verdict]:
    judge = Judge(config=course.nbgrader, files=folder_for(course, chapter))
    judge.is_trying = True
    notebook = as_submission(reference)
    return judge.judge(notebook, reference, seed_of(key_of(course, chapter), notebook))


def as_submission(reference: Notebook) -> Notebook:
    """The reference as if somebody had handed it in, outputs aside."""
    notebook = reference.copy()
    for cell in notebook.cells:
        if cell.is_code:
            cell.node.outputs, cell.node.execution_count = [], None
    return notebook


def _lost(verdicts: Iterable[Verdict], way: Way | None) -> list[Verdict]:
    """Those that do not give all points, of one way or of both."""
    return [
        verdict
        for verdict in verdicts
        if way in (None, verdict.way) and (verdict.outcome != Outcome.PASSED or verdict.points < verdict.most_points)
    ]


def _reason(verdict: Verdict) -> str:
    text = verdict.message or verdict.outcome
    if verdict.outcome == Outcome.PASSED:
        text = f"gives {verdict.points:g} of {verdict.most_points:g} points"
    return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]}..."
