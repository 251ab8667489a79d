"""Answers of the bank that are the reference with an edit."""

import pathlib

import pytest

from autograder.authoring.bank import read_bank
from autograder.authoring.build import build
from autograder.chapter.edits import EditError, changed, is_patch, patched
from autograder.chapter.text import SourceError
from autograder.course import Course
from conftest import CHAPTER, make_course

REFERENCE = "def f(x):\n    y = x + 1\n\n    if x:\n        y = x\n    return y"
PATCH = "# -     y = x + 1\n# +     y = x + 2\n# +     z = y\n\n#       if x:\n# +         x += 1\n\n# -     return y"


def test_a_change_and_a_patch_give_the_edited_reference() -> None:
    assert changed(REFERENCE, "x + 1 -> x - 1") == REFERENCE.replace("x + 1", "x - 1")
    assert changed(REFERENCE, "def f -> def g -> h") == REFERENCE.replace("def f", "def g -> h")
    assert is_patch(PATCH) and not is_patch(REFERENCE) and not is_patch("") and not is_patch("# a remark\n" + REFERENCE)
    wanted = "def f(x):\n    y = x + 2\n    z = y\n\n    if x:\n        x += 1\n        y = x"
    assert patched(REFERENCE, PATCH) == wanted


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        ("nonsense", "write change="),
        (" -> z", "write change="),
        ("nothing -> z", "'nothing' occurs 0 times in the reference, not once"),
        ("y = x -> y = 1", "'y = x' occurs 2 times"),
        ("# -     y = 3\n# +     y = 4", "'y = 3' on occur 0 times"),
        ("# +     y = 4", "nothing says where"),
        ("# -     y = x + 1\n# ?     y = 4", "begins with '# ?'"),
    ],
)
def test_an_edit_that_does_not_fit_is_an_error(edit: str, reason: str) -> None:
    with pytest.raises(EditError) as caught:
        patched(REFERENCE, edit) if edit.startswith("#") else changed(REFERENCE, edit)
    assert reason in str(caught.value)


BANK = '''"""Answers to square."""


# %% right="turned round"
def square(x):
    return abs(x) * abs(x)


# %% wrong="doubled" caught_by="small numbers" change="x * x -> \\"2\\" and x * 2"

# %% wrong="plus one" caught_by="small numbers"
# -     return secret_product
# +     return secret_product + 1
'''


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = make_course(tmp_path_factory.mktemp("edits"))
    build(course, CHAPTER)
    return course


def bank_file(course: Course) -> pathlib.Path:
    path = course.root / "tests" / "answers" / CHAPTER / "square.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_the_bank_holds_edits(course: Course) -> None:
    bank_file(course).write_text(BANK)
    right, doubled, plus_one = (answer.source for answer in read_bank(course, CHAPTER)["square"])
    assert "abs(x) * abs(x)" in right and "BEGIN SOLUTION" not in doubled + plus_one
    assert 'secret_product = "2" and x * 2' in doubled and "square of x" in doubled
    assert plus_one.endswith("secret_product = x * x\n    return secret_product + 1")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("x * x ->", "x ** 2 ->", 9, "This edit does not fit: 'x \\*\\* 2' occurs 0 times"),
        ("# -     return secret_product", "# -     return nothing", 11, "'return nothing' on occur 0 times"),
        ('x * 2"\n', 'x * 2"\nprint()\n', 9, "has a change and code too"),
    ],
)
def test_an_edit_that_does_not_fit_names_file_and_line(
    course: Course, old: str, new: str, line: int, message: str
) -> None:
    assert BANK.count(old) == 1
    bank_file(course).write_text(BANK.replace(old, new))
    with pytest.raises(SourceError, match=rf"square\.py:{line}: .*{message}"):
        read_bank(course, CHAPTER)
