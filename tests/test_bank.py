"""Every right answer of the bank keeps its points, every wrong one is caught by the test that is named for it.

`make test` tries all right answers and a failure of each test, `make test-all` and `autograder bank` all answers.
"""

from pathlib import Path

import pytest

from autograder.authoring.bank import (
    Answer,
    Trial,
    essential_answers,
    read_bank,
    shared_out,
    try_answers,
    try_bank,
    try_folder,
    unsteady_answers,
)
from autograder.authoring.build import build
from autograder.authoring.by_heart import ByHeart, earned_by_heart, problems_by_heart
from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import Outcome
from autograder.course import Course, CourseError, open_course
from conftest import CHAPTER, ROOT, TEXT, make_course

CHAPTERS = open_course(ROOT).chapters()
SAME_MEANING = "a test must mean the same to *Validate* and to the judge"


@pytest.mark.thorough
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_whole_bank_is_judged_as_expected(real_course: Course, chapter: str) -> None:
    assert problems_of(try_bank(real_course, chapter)) == []


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_right_answers_and_one_failure_of_each_test_are_judged_as_expected(real_course: Course, chapter: str) -> None:
    trials = try_bank(real_course, chapter, essential=True)
    assert problems_of(trials) == []

    chosen: dict[str, list[Answer]] = {}
    for trial in trials:  # a kernel takes long: one right and one wrong answer; a loop would take a minute a test
        listed = chosen.setdefault(trial.answer.task, [])
        hangs = any(verdict.outcome == Outcome.TIMED_OUT for verdict in trial.verdicts)
        if not hangs and all(earlier.is_right != trial.answer.is_right for earlier in listed):
            listed.append(trial.answer)
    assert differences(trials, try_answers(real_course, chapter, chosen, in_kernel=True)) == [], SAME_MEANING


@pytest.mark.thorough
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_failure_of_each_test_means_the_same_to_validate(real_course: Course, chapter: str) -> None:
    trials = try_bank(real_course, chapter, essential=True)
    chosen: dict[str, list[Answer]] = {}
    for trial in trials:
        if all(verdict.outcome != Outcome.TIMED_OUT for verdict in trial.verdicts):
            chosen.setdefault(trial.answer.task, []).append(trial.answer)
    assert differences(trials, try_answers(real_course, chapter, chosen, in_kernel=True)) == [], SAME_MEANING


@pytest.mark.thorough
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_cells_that_only_show_something_decide_nothing(real_course: Course, chapter: str) -> None:
    answers = read_bank(real_course, chapter)
    ways = [try_answers(real_course, chapter, answers, run_shown=run_shown) for run_shown in (False, True)]
    without, everything = (
        {(trial.answer.task, trial.answer.label): [v.outcome for v in trial.verdicts] for trial in way} for way in ways
    )
    assert {answer for answer in without if without[answer] != everything[answer]} == set()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_visible_checks_learned_by_heart_earn_a_third_at_most(real_course: Course, chapter: str) -> None:
    found = earned_by_heart(real_course, chapter)
    print(f"{chapter}: {sum(one.earned for one in found):g} of {sum(one.most_points for one in found):g} points")
    assert problems_by_heart(found) == []


# A visible check that is lucky one time in two, and one that looks at shapes of its own accord.
LUCKY = TEXT.replace(
    'assert square(3) == 9, f"square(3) is 9, yours gives {square(3)}"',
    'import random\n_x = random.choice([2, 3])\nassert square(_x) == _x**2, "no"',
)
SMALL_BANK = '''"""Answers to square."""

# %% right="a power"
def square(x):
    return x**2

# %% right="turned round"
def square(x):
    return abs(x) * abs(x)

# %% wrong="doubled" caught_by="negative numbers" change="x * x -> x + x"

# %% wrong="negative" caught_by="small numbers" change="x * x -> -x * x"

# %% wrong="plus one" caught_by="small numbers | negative numbers" change="x * x -> x * x + 1"
'''


@pytest.fixture(scope="module")
def lucky_course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = make_course(tmp_path_factory.mktemp("lucky"), LUCKY)
    build(course, CHAPTER)
    path = course.root / "tests" / "answers" / CHAPTER / "square.py"
    path.parent.mkdir(parents=True)
    path.write_text(SMALL_BANK)
    return course


def test_repeats_list_the_answers_that_luck_decides_about(lucky_course: Course, tmp_path: Path) -> None:
    first, second = (try_bank(lucky_course, CHAPTER) for _ in range(2))
    assert [trial.verdicts[0].outcome for trial in first] == [trial.verdicts[0].outcome for trial in second]
    (found,) = unsteady_answers(lucky_course, CHAPTER, repeats=12)
    assert (found.answer.label, found.aspect) == ("doubled", "small numbers")
    assert set(found.outcomes) == {"passed", "failed"} and found.outcomes.total() == 12
    (tmp_path / "square.py").write_text('# %% wrong="mine" caught_by="?" change="x * x -> x + x"\n')
    (found,) = unsteady_answers(lucky_course, CHAPTER, repeats=12, folder=tmp_path)
    assert (found.answer.label, found.outcomes.total()) == ("mine", 12)


def test_no_answer_is_graded_beside_one_that_it_calls(tmp_path: Path) -> None:
    """A right answer to cube would lose its points beside a wrong square, and a wrong one be caught for it."""
    cube = """
# %%
def area(x):
    return square(x)


# %% [markdown] statement="cube"
# ### Cubes
# Return the cube of $x$.

# %% [markdown] hints="cube"
# 1. Think of a volume.
# 2. An area, and a height.
# 3. Multiply.


# %% task="cube" points=3 level=1 minutes=2
def cube(x):
    ### BEGIN SOLUTION
    return x * area(x)
    ### END SOLUTION


# %% test="cube" aspect="one cube" points=3
assert cube(2) == 8, "the cube of 2 is 8"
"""
    course = make_course(tmp_path, TEXT + cube)
    build(course, CHAPTER)

    def answer(task: str, source: str) -> Answer:
        return Answer(task, source, source, ())

    squares = [answer("square", source) for source in ("square = lambda x: x + x", "square = abs", "square = 1 +")]
    calls, calls_by_way, calls_none = (
        answer("cube", f"def cube(x):\n    return {source}") for source in ("square(x) * x", "area(x) * x", "x**3")
    )
    rounds = shared_out({"square": squares, "cube": [calls, calls_by_way, calls_none]}, read_reference(course, CHAPTER))
    assert sorted(one.label for chosen in rounds for one in chosen.values()) == sorted(
        one.label for one in (*squares, calls, calls_by_way, calls_none)
    )
    assert [chosen for chosen in rounds if len(chosen) == 2] == [{"cube": calls_none, "square": rounds[-1]["square"]}]


def test_somebody_elses_answers_need_not_name_a_test(built_course: Course, tmp_path: Path) -> None:
    kept = "square = lambda x: x**2  # wrong by its label alone"
    cells = {'right="a power"': "square = lambda x: x * x", 'wrong="cube" caught_by="?"': "square = lambda x: x**3"}
    cells['wrong="right" caught_by="?"'] = kept
    (tmp_path / "square.py").write_text("\n\n".join(f"# %% {key}\n{code}" for key, code in cells.items()))
    trials = try_folder(built_course, CHAPTER, tmp_path)
    assert {trial.answer.label: trial.problem for trial in trials} == {
        "a power": "",
        "cube": "",
        "right": "keeps all points",
    }
    (tmp_path / "square.py").rename(tmp_path / "cube.py")
    with pytest.raises(CourseError, match="no task 'cube'"):
        try_folder(built_course, CHAPTER, tmp_path)
    (tmp_path / "cube.py").unlink()
    with pytest.raises(CourseError, match="holds no answers"):
        try_folder(built_course, CHAPTER, tmp_path)


def test_what_is_learned_by_heart_is_what_visible_checks_ask(lucky_course: Course) -> None:
    (found,) = earned_by_heart(lucky_course, CHAPTER)
    # square(2) and square(-2) are learned; whether the hidden part asks for square(3) is drawn.
    assert found.earned in (2, 3) and found.most_points == 3 and found.is_too_much
    assert "square: the visible checks learned by heart earn" in problems_by_heart([found])[0]
    assert problems_by_heart([ByHeart("square", 1, 3)]) == []


def test_essential_answers_fail_each_test_once() -> None:
    def answer(label: str, *caught_by: str) -> Answer:
        return Answer("task", label, "", caught_by)

    right, other = answer("right"), answer("other")
    a, b, both, c = answer("a", "x"), answer("b", "x"), answer("both", "x", "y"), answer("c", "y")
    assert essential_answers([right, a, b, both, c, other]) == [right, a, both, other]


def problems_of(trials: list[Trial]) -> list[str]:
    return [f"{trial.answer.task}, {trial.answer.label!r}: {trial.problem}" for trial in trials if trial.problem]


def differences(trials: list[Trial], in_kernel: list[Trial]) -> list[str]:
    """Answers whose tests came out otherwise, as one line each.

    Of a wrong answer, the tests that it names count: tests draw random inputs, so the others may fail or pass.
    """
    judged = {(trial.answer.task, trial.answer.label): trial for trial in trials}
    return [
        f"{other.answer.task}, {other.answer.label!r}: {verdict.aspect}: {verdict.outcome}, in kernel {its.outcome}"
        for other in in_kernel
        for verdict, its in zip(judged[other.answer.task, other.answer.label].verdicts, other.verdicts, strict=True)
        if verdict.outcome != its.outcome and (other.answer.is_right or verdict.aspect in other.answer.caught_by)
    ]
