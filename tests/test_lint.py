"""Rules for tests that can be read off a chapter's text; each breach is one line with file and line."""

from pathlib import Path

import pytest

from autograder.authoring.build import build
from autograder.authoring.lint import problems_of
from autograder.chapter.source import read_chapter
from autograder.chapter.text import SourceError
from conftest import CHAPTER, TEXT, make_course

HIDDEN = 'assert square(3) == 9, f"square(3) is 9, yours gives {square(3)}"'
# One hidden part more keeps the rule about visible points.
GOOD = TEXT.replace(
    '"the square of a negative number is positive"\n',
    '"the square of a negative number is positive"\n### BEGIN HIDDEN TESTS\nassert square(-9) == 81, "81"\n'
    "### END HIDDEN TESTS\n",
)
TEST_OF_CUBE = '# %% test="cube"'
SECOND_TASK = """
# %% [markdown] statement="cube"
# ### Cubes

# %% [markdown] hints="cube"
# 1. a
# 2. b
# 3. c

# %%
side = square(2)

# %%
area = math.pi


# %% task="cube" points=1 level=1 minutes=2
def cube(x):
    ### BEGIN SOLUTION
    return x**3
    ### END SOLUTION


# %% test="cube" aspect="cubes" points=1
_area = area
### BEGIN HIDDEN TESTS
assert cube(2) == 8, "8"
### END HIDDEN TESTS
"""


def problems(folder: Path, text: str) -> list[str]:
    course = make_course(folder, text)
    chapter = read_chapter(course.chapter_source(CHAPTER))
    return [
        str(problem.error()).removeprefix(f"{chapter.path / CHAPTER}.py:")
        for problem in problems_of(chapter, lambda name: chapter.path)
    ]


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_a_chapter_that_keeps_the_rules(tmp_path: Path) -> None:
    assert problems(tmp_path, GOOD + SECOND_TASK) == []


def test_visible_tests_give_a_third_at_most(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, TEXT)
    assert problem.startswith(f"{line_of(TEXT, '# %% task=')}: Tests of 'square' without a hidden part give 2 of its 3")


def test_a_test_asks_for_names_of_its_own_task_only(tmp_path: Path) -> None:
    for number, foreign in enumerate(["side", "square(2)"]):
        text = GOOD + SECOND_TASK.replace("_area = area", f"_area = {foreign}")
        (problem,) = problems(make_folder(tmp_path, number), text)
        name = foreign.split("(")[0]
        assert problem.startswith(f"{line_of(text, TEST_OF_CUBE)}: ")
        assert f"takes {name} from the student's side" in problem


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import numpy as np\nassert np.allclose(square(3), 9), 'no'", "allclose broadcasts"),
        ("from numpy import allclose\nassert allclose(square(3), 9), 'no'", "allclose broadcasts"),
        ("import random\nassert square(random.Random(3).random()), 'no'", "random.Random(3): leave the seed out"),
        ("import numpy as np\n_dice = np.random.default_rng(seed=1)", "leave the seed out"),
    ],
)
def test_forms_that_tests_must_not_have(tmp_path: Path, code: str, message: str) -> None:
    text = GOOD.replace(HIDDEN, code)
    (problem, *_) = problems(tmp_path, text)
    assert message in problem and problem.startswith(f"{line_of(text, code.splitlines()[-1])}: ")


def test_a_mark_for_nbval_stands_alone(tmp_path: Path) -> None:
    cell = "# %%\n# NBVAL_IGNORE_OUTPUT: it prints the time\nside = square(2)"
    text = (GOOD + SECOND_TASK).replace("# %%\nside = square(2)", cell)
    (problem,) = problems(tmp_path, text)
    assert problem.startswith(f"{line_of(text, 'NBVAL')}: nbval overlooks a mark with words beside it")
    (tmp_path / "alone").mkdir()
    assert problems(tmp_path / "alone", text.replace(": it prints", "\n# It prints")) == []


def test_text_links_to_no_file(tmp_path: Path) -> None:
    question = "What is the area of a square?"
    web = GOOD.replace(question, "See [there](https://example.org/a_b) and [above](#squares).")
    assert problems(make_folder(tmp_path, 0), web) == []
    (found,) = problems(make_folder(tmp_path, 1), GOOD.replace(question, "See [the rules](../../docs/challenge.md)."))
    assert "the link to ../../docs/challenge.md leads nowhere" in found


def test_a_seed_may_be_named_where_students_see_it_and_where_it_is_drawn(tmp_path: Path) -> None:
    visible = "assert square(2) == 4"
    drawn = "import random\nassert square(random.Random(random.getrandbits(9)).random()) >= 0, 'no'"
    text = GOOD.replace(visible, f"import random\nrandom.Random(3)\n{visible}").replace(HIDDEN, drawn)
    assert problems(tmp_path, text) == []


def test_the_build_stops_at_the_first_problem_where_the_course_wants_rules_kept(tmp_path: Path) -> None:
    course = make_course(tmp_path, TEXT)
    assert build(course, CHAPTER).executed
    course.nbgrader.Authoring.rules = True
    with pytest.raises(SourceError, match="without a hidden part give 2"):
        build(course, CHAPTER)


def make_folder(parent: Path, number: int) -> Path:
    folder = parent / str(number)
    folder.mkdir()
    return folder
