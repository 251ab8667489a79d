"""Variants: cells that take the place of a chapter's own, and tests that follow; last year's answers fail."""

import shutil
from pathlib import Path

import nbformat
import pytest
from typer.testing import CliRunner

from autograder.authoring.bank import read_bank, try_answers
from autograder.authoring.build import build
from autograder.chapter.reference import read_reference, reference_answers
from autograder.chapter.text import SourceError
from autograder.chapter.variants import chapter_as_built, chosen_variants, read_variant, variants_of
from autograder.chapter.verdicts import Outcome
from autograder.cli import app
from autograder.course import Course, CourseError, open_course
from autograder.wall.trial import NO_SECRET, judged
from conftest import CHAPTER, ROOT, make_course

CUBES = '''# The chapter of squares with cubes.

# %% [markdown] statement="square"
# ### Cubes
# Return the cube of $x$.

# %% task="square" points=3 level=1 minutes=2
def square(x):
    """The cube of x."""
    ### BEGIN SOLUTION
    return x * x * x
    ### END SOLUTION


# %% test="square" aspect="small numbers" points=1
assert square(2) == 8, f"the cube of 2 is 8, yours is {square(2)}"
### BEGIN HIDDEN TESTS
assert square(3) == 27, f"the cube of 3 is 27, yours is {square(3)}"
### END HIDDEN TESTS

# %% test="square" aspect="signs stay" replaces="square--negative-numbers" points=2
assert square(-2) == -8, "the cube of a negative number is negative"

# %% replaces="cubes-4"
print(square(1))
'''
# A build takes long: one variant of each chapter is tried in `make test`, the others in `make test-all`.
VARIED = [
    pytest.param(chapter, name, marks=[pytest.mark.thorough] if number else [])
    for chapter in open_course(ROOT).chapters()
    for number, name in enumerate(variants_of(open_course(ROOT), chapter))
]


def course_with(folder: Path, variant: str = CUBES) -> Course:
    course = make_course(folder)
    (course.source / CHAPTER / "variant_2027.py").write_text(variant.replace("cubes-4", "squares-4"))
    return course


def test_cells_of_a_variant_take_the_place_of_the_chapters_own(tmp_path: Path) -> None:
    course = course_with(tmp_path)
    plain, varied = (read_variant(course, CHAPTER, name) for name in ("", "2027"))
    changed = {old.source: new for old, new in zip(plain.cells, varied.cells, strict=True) if old != new}
    assert len(changed) == 5
    build(course, CHAPTER, variant="2027")
    assert chapter_as_built(course, CHAPTER) == varied
    reference = read_reference(course, CHAPTER)
    assert [test.aspect for test in reference.tests] == ["small numbers", "signs stay"]
    released = nbformat.read(course.released(CHAPTER), as_version=4)
    assert "Return the cube" in str(released) and "Return the square" not in str(released)
    assert (released.metadata.variant, reference.node.metadata.variant) == ("2027", "2027")


def test_an_answer_to_the_chapter_as_it_stands_fails_in_the_variant(tmp_path: Path) -> None:
    course = course_with(tmp_path)
    build(course, CHAPTER, variant="2027")
    reference = read_reference(course, CHAPTER)
    assert all(verdict.outcome == Outcome.PASSED for verdict in judged(course, reference, reference, NO_SECRET))
    old = reference.with_sources({"square": "def square(x):\n    return x * x"})
    assert not any(verdict.outcome == Outcome.PASSED for verdict in judged(course, old, reference, NO_SECRET))
    assert build(course, CHAPTER).changed  # and back
    assert chapter_as_built(course, CHAPTER) == read_variant(course, CHAPTER, "")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('statement="square"', 'statement="cube"', "has no cell for statement='cube'"),
        ("cubes-4", "cubes-9", "has no cell for replaces='squares-9'"),
        ('replaces="cubes-4"', "", "Say which cell this one replaces"),
        ("points=2", "points=1", "Begin this cell as 01_squares.py:"),
        ('aspect="signs stay"', 'aspect="small numbers"', "two cells called 'square--small-numbers'"),
        ("### END SOLUTION", "", "Close each"),
        ('replaces="cubes-4"', 'replaces="square"', "replaces the same cell"),
    ],
)
def test_a_mistake_in_a_variant_is_named_with_its_line(tmp_path: Path, old: str, new: str, problem: str) -> None:
    text = CUBES.replace(old, new.replace("cubes", "squares"), 1)
    course = course_with(tmp_path, text)
    with pytest.raises(SourceError, match="variant_2027.py:[0-9]+: ") as raised:
        read_variant(course, CHAPTER, "2027")
    assert problem in str(raised.value)


def test_settings_choose_a_variant_and_the_option_overrules_them(tmp_path: Path) -> None:
    course = course_with(tmp_path)
    assert chosen_variants(course, [CHAPTER], None) == {CHAPTER: ""}
    assert chosen_variants(course, [CHAPTER], "2027") == {CHAPTER: "2027"}
    with pytest.raises(CourseError, match="No chapter has a variant '2028'; there are: 2027"):
        chosen_variants(course, [CHAPTER], "2028")
    with (course.root / "nbgrader_config.py").open("a") as file:
        file.write('c.Authoring.variant = "2027"\n')
    course = open_course(course.root)
    assert chosen_variants(course, [CHAPTER], None) == {CHAPTER: "2027"}
    assert chosen_variants(course, [CHAPTER], "") == {CHAPTER: ""}
    done = CliRunner().invoke(app, ["build", "--course", str(course.root)])
    assert (done.exit_code, chapter_as_built(course, CHAPTER).name) == (0, CHAPTER)
    assert read_reference(course, CHAPTER).node.metadata.variant == "2027"


@pytest.fixture(scope="module")
def varied_course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The real chapters that have variants, in a course of their own."""
    folder = tmp_path_factory.mktemp("varied")
    (folder / "nbgrader_config.py").write_text(
        f'c = get_config()\nload_subconfig("nbgrader_config.py", path={str(ROOT)!r})\n'
    )
    for chapter in {param.values[0] for param in VARIED}:
        shutil.copytree(ROOT / "solutions" / chapter, folder / "solutions" / chapter)
        shutil.copytree(ROOT / "tests" / "answers" / chapter, folder / "tests" / "answers" / chapter)
    return open_course(folder)


@pytest.mark.parametrize(("chapter", "variant"), VARIED)
def test_bank_of_a_variant_and_answers_of_another(
    varied_course: Course, real_course: Course, chapter: str, variant: str
) -> None:
    build(varied_course, chapter, variant=variant)
    reference, plain = (read_reference(course, chapter) for course in (varied_course, real_course))
    answers, old = reference_answers(reference), reference_answers(plain)
    changed = {task for task in answers if answers[task] != old[task]}
    bank = read_bank(varied_course, chapter)
    kept = {path.stem for path in (varied_course.root / "tests" / "answers" / chapter / variant).glob("*.py")}
    assert changed and changed == kept, "each task that the variant changes has answers of its own"
    trials = try_answers(varied_course, chapter, {task: bank[task] for task in changed})
    assert [(trial.answer.label, trial.problem) for trial in trials if trial.problem] == []
    verdicts = judged(varied_course, reference, reference, NO_SECRET)
    assert [verdict.message for verdict in verdicts if verdict.outcome != Outcome.PASSED] == []
    lost = judged(varied_course, reference.with_sources({task: old[task] for task in changed}), reference, NO_SECRET)
    assert {verdict.task for verdict in lost if verdict.outcome != Outcome.PASSED} == changed
