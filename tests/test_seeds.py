"""Every draw follows a seed: the same answers meet the same tests, other secrets other ones."""

import random
import secrets
import stat
from collections.abc import Callable
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch
from nbgrader.apps import AutogradeApp

from autograder.authoring.build import build
from autograder.chapter.cells import Notebook
from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import Verdict, recorded_verdicts
from autograder.course import Course, CourseError, open_course
from autograder.grading.coordinator import grade_class
from autograder.learner.check import check_notebook, key_to_learn_with
from autograder.wall.inside import draws
from autograder.wall.seeds import key_of, secret_of, seed_of
from autograder.wall.trial import NO_SECRET, run_tests
from conftest import make_course

CHAPTER = "01_draws"
# A silent answer passes. One that is not says what it was asked and what it draws itself, so that verdicts
# show all draws of both sides.
TEXT = """# ---
# title: Draws
# ---

# %%
import random
import numpy as np
import torch

start = random.Random().random()

# %% [markdown] statement="echo"
# ## Echo

# %% [markdown] hints="echo"
# 1. a
# 2. b
# 3. c


# %% task="echo" points=2 level=1 minutes=2
### BEGIN SOLUTION
silent = True
own = [random.random(), np.random.default_rng().random(), torch.rand(1).item()]


def echo(asked):
    words = {f"word {number}" for number in range(50)}
    return [*asked, *own, random.random(), np.random.rand(), next(iter(words))]
    ### END SOLUTION


# %% test="echo" aspect="first" points=1
assert silent, str(echo([start, random.random(), np.random.default_rng().integers(10**9)]))

# %% test="echo" aspect="second" points=1
_numbers = [random.Random().random(), np.random.RandomState().rand(), torch.Generator().initial_seed(), random.random()]
assert silent, str(echo([*_numbers, np.random.rand(), torch.rand(1).item()]))
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = make_course(tmp_path_factory.mktemp("draws"), TEXT, CHAPTER)
    build(course, CHAPTER)
    with (course.root / "nbgrader_config.py").open("a") as file:
        file.write("c.Judge.timeout = 60\n")  # torch is imported meanwhile
    return open_course(course.root)


def talkative(course: Course) -> Notebook:
    """The reference with an answer that fails each test, so that its draws are seen."""
    notebook = read_reference(course, CHAPTER)
    sources = {cell.name: cell.source.replace("silent = True", "silent = False") for cell in notebook.cells}
    return notebook.with_sources(sources)


def messages(verdicts: list[Verdict]) -> list[str]:
    return [verdict.message for verdict in verdicts]


def graded(
    course: Course, key: str, change: Callable[[Notebook], Notebook] = lambda notebook: notebook
) -> list[Verdict]:
    return run_tests(course, CHAPTER, change(talkative(course)), key)


def test_the_same_answers_meet_the_same_draws_and_another_secret_others(course: Course) -> None:
    first, again = graded(course, "one"), graded(course, "one")
    assert messages(first) == messages(again) and len(set(messages(first))) == 2
    assert {verdict.seed for verdict in first} == {seed_of("one", talkative(course))}
    for other in (graded(course, "two"), graded(course, "one", change_answer)):
        for mine, theirs in zip(messages(first), messages(other), strict=True):
            asked, others = mine.strip("[]").split(", "), theirs.strip("[]").split(", ")
            same = [number for number, of_other in zip(asked, others, strict=True) if number == of_other]
            assert all("word" in text for text in same), "only the order in a set may be the same"


def change_answer(notebook: Notebook) -> Notebook:
    return notebook.with_sources({task.name: f"{task.source}\n# another answer" for task in notebook.tasks})


def test_a_test_draws_the_same_whatever_ran_before_it(course: Course) -> None:
    def leave_out_first(notebook: Notebook) -> Notebook:
        return notebook.with_cells(cell for cell in notebook.cells if cell.aspect != "first")

    first, second = graded(course, "one")
    missing, alone = graded(course, "one", leave_out_first)
    assert missing.outcome == "missing" and alone.message == second.message


def test_all_doors_use_the_secret_of_the_course(course: Course) -> None:
    secret = course.state / "secret"
    notebook = course.submitted / "ada" / CHAPTER / f"{CHAPTER}.ipynb"
    notebook.parent.mkdir(parents=True)
    notebook.write_text(nbformat.writes(talkative(course).node))
    checked = check_notebook(course, notebook).verdicts
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600 and len(secret_of(course)) == 64
    assert [path.name for path in course.state.iterdir()] == ["secret"]
    assert messages(checked) == messages(graded(course, key_of(course, CHAPTER)))
    for _ in range(2):
        assert [result.problem for result in grade_class(course, CHAPTER, ["ada"], jobs=1)] == [""]
        assert messages(in_gradebook(course)) == messages(checked)
    app = AutogradeApp(config=open_course(course.root).nbgrader)
    app.initialize([CHAPTER, "--force", "--CourseDirectory.root", str(course.root)])
    app.start()
    assert messages(in_gradebook(course)) == messages(checked)
    graded_text = (course.autograded / "ada" / CHAPTER / f"{CHAPTER}.ipynb").read_text()
    assert secret_of(course) not in graded_text and key_of(course, CHAPTER) not in graded_text
    secret.write_text("")
    with pytest.raises(CourseError, match="is empty: remove it"):
        secret_of(course)
    secret.unlink()
    assert messages(check_notebook(course, notebook).verdicts) != messages(checked)


def in_gradebook(course: Course) -> list[Verdict]:
    path = course.autograded / "ada" / CHAPTER / f"{CHAPTER}.ipynb"
    return recorded_verdicts(nbformat.read(path, as_version=4))


def test_check_works_in_a_course_that_belongs_to_somebody_else(course: Course, tmp_path: Path) -> None:
    closed = Course(tmp_path / "a file, no folder", course.nbgrader)
    closed.root.write_text("")
    with pytest.raises(CourseError, match="must be readable"):
        secret_of(closed)
    assert key_to_learn_with(closed, CHAPTER) == NO_SECRET


def everything() -> list[object]:
    return [
        random.random(),
        random.Random().random(),
        np.random.rand(),
        np.random.default_rng().random(),
        np.random.RandomState().rand(),
        np.random.Generator(np.random.PCG64()).random(),
        torch.rand(1).item(),
        torch.rand(1, generator=torch.Generator()).item(),
        (random.seed(), random.random())[1],
        (np.random.seed(), np.random.rand())[1],
    ]


def test_following_a_seed_reaches_every_generator_and_leaves_no_trace() -> None:
    generator = torch.Generator
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    plain = [random.random(), np.random.rand(), torch.rand(1).item()]
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    with draws.following("a"):
        first = everything()
        with draws.following("b"):
            other = everything()
        assert isinstance(torch.Generator(), torch.Generator) and isinstance(torch.default_generator, torch.Generator)
        fixed = [random.Random(3).random(), np.random.default_rng(3).random()]
    with draws.following("a"):
        assert everything() == first
    assert len({*first, *other}) == len(first) + len(other)
    assert plain == [random.random(), np.random.rand(), torch.rand(1).item()]
    assert fixed == [random.Random(3).random(), np.random.default_rng(3).random()]
    assert torch.Generator is generator and random.Random().random() != random.Random().random()
    assert np.random.default_rng().random() != np.random.default_rng().random()
    assert np.random.bit_generator.randbits is secrets.randbits
