"""What the report shows equals what other libraries make of the same marks, read past our code from the database."""

import random
import re
import sqlite3
import statistics
from collections import defaultdict

import numpy as np
import pytest
from matplotlib.figure import Figure

from autograder.authoring.build import build
from autograder.course import Course
from autograder.grading.coordinator import register
from autograder.grading.gradebook import open_gradebook
from autograder.pages.report import write_report
from conftest import CHAPTER, TEXT, make_course

HARDNESS = {"square": 0.3, "second": 0.6, "third": 0.7}
STUDENTS = 24
# What nbgrader stored, as its tables have it: a mark given by hand goes before the automatic one.
SCORES = """
SELECT submitted_assignment.student_id, base_cell.name, grade_cells.max_score,
       COALESCE(grade.manual_score, grade.auto_score) + COALESCE(grade.extra_credit, 0)
FROM grade
JOIN grade_cells ON grade_cells.id = grade.cell_id
JOIN base_cell ON base_cell.id = grade_cells.id
JOIN submitted_notebook ON submitted_notebook.id = grade.notebook_id
JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Three tasks of two tests, and a class whose marks are in the gradebook; some were given by hand."""
    before, _, rest = TEXT.partition('# %% [markdown] statement="square"')
    task, mark, after = ('# %% [markdown] statement="square"' + rest).partition("# %% scratch")
    tasks = "".join(task.replace("square", name) for name in HARDNESS)
    course = make_course(tmp_path_factory.mktemp("statistics"), before + tasks + mark + after)
    build(course, CHAPTER)
    register(course, CHAPTER)
    dice = random.Random(3)
    with open_gradebook(course) as gradebook:
        for number in range(STUDENTS):
            gradebook.update_or_create_student(f"s{number:02}")
            submission = gradebook.update_or_create_submission(CHAPTER, f"s{number:02}")
            for grade in submission.notebooks[0].grades:
                hardness = HARDNESS[grade.name.partition("--")[0]]
                passed = number / STUDENTS + dice.gauss(0, 0.2) > hardness
                grade.auto_score = grade.max_score * passed
                grade.needs_manual_grade = False
                if grade.name.startswith("third") and number % 7 == 0:
                    grade.manual_score = 0.5
                if number == 5:
                    grade.extra_credit = 0.25
        gradebook.db.commit()
    return course


@pytest.fixture(scope="module")
def scores(course: Course) -> dict[str, dict[str, tuple[float, float]]]:
    """Points and highest possible points by test and student."""
    found: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    with sqlite3.connect(course.root / "gradebook.db") as database:
        for student, test, most, points in database.execute(SCORES):
            found[test][student] = (points, most)
    assert len(found) == 6 and all(len(of) == STUDENTS for of in found.values())
    return found


@pytest.fixture(scope="module")
def shown(course: Course) -> tuple[str, list[Figure]]:
    """The page's text and the figures that were drawn for it."""
    figures: list[Figure] = []
    draw = Figure.savefig

    def keep(self: Figure, *arguments: object, **settings: object) -> None:
        figures.append(self)
        draw(self, *arguments, **settings)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", keep)
        html, _ = write_report(course, CHAPTER)
    return html.read_text(), figures


def totals_of(scores: dict[str, dict[str, tuple[float, float]]]) -> list[float]:
    return [sum(of[student][0] for of in scores.values()) for student in scores["square--small-numbers"]]


def test_mean_median_and_distribution(scores, shown) -> None:
    (page, figures), totals = shown, totals_of(scores)
    mean, median, most = re.search(r"Mean (\S+), median (\S+) of (\S+) points", page).groups()
    assert float(mean) == pytest.approx(statistics.fmean(totals), abs=0.0501)
    assert float(median) == pytest.approx(statistics.median(totals), abs=0.0501)
    assert float(most) == 9
    heights = [bar.get_height() for bar in figures[0].axes[0].patches]
    counts, edges = np.histogram(totals, bins=10, range=(0, max(9, *totals)))
    assert heights == counts.tolist() and sum(heights) == STUDENTS
    assert [bar.get_x() for bar in figures[0].axes[0].patches] == pytest.approx(edges[:-1])


def test_mean_share_of_each_task(scores, shown) -> None:
    axes = shown[1][1].axes[0]
    bars = dict(zip((label.get_text() for label in axes.get_yticklabels()), axes.patches, strict=True))
    assert bars.keys() == HARDNESS.keys()
    for task, bar in bars.items():
        pairs = [pair for test, of in scores.items() if test.startswith(f"{task}--") for pair in of.values()]
        assert bar.get_width() == pytest.approx(100 * sum(p for p, _ in pairs) / sum(m for _, m in pairs))


def test_difficulty_and_discrimination_of_each_check(scores, shown) -> None:
    totals = totals_of(scores)
    rows = re.findall(
        r'<td>([^<]+)</td><td>([^<]+)</td><td class="number">(\d+) %</td>\s*<td class="number">(-?\d\.\d\d)</td>',
        shown[0],
    )
    assert len(rows) == len(scores)
    for task, aspect, passed_by, correlation in rows:
        by_student = scores[f"{task}--{aspect.replace(' ', '-')}"]
        of_test = [by_student[student] for student in scores["square--small-numbers"]]
        passed = [float(points >= most) for points, most in of_test]
        rest = [total - points for total, (points, _) in zip(totals, of_test, strict=True)]
        assert float(passed_by) == pytest.approx(100 * statistics.fmean(passed), abs=0.501)
        assert float(correlation) == pytest.approx(statistics.correlation(passed, rest), abs=0.00501)
