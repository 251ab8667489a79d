"""Mistakes of authors end in one line that names file and line and says what to write."""

from pathlib import Path

import pytest

from autograder.chapter.source import notebook_of, read_chapter
from autograder.chapter.text import SourceError
from autograder.cli import app
from autograder.course import open_course
from conftest import CHAPTER, ROOT, TEXT, make_course

TASK_LINE = '# %% task="square" points=3 level=1 minutes=2'
TEST_LINE = '# %% test="square" aspect="negative numbers" points=2'


def line_of(text: str) -> int:
    return TEXT[: TEXT.index(text)].count("\n") + 1


AT_TOP, AT_GIVEN, AT_HINTS = 1, line_of("# %%\nimport math"), line_of("# %% [markdown] hints=")
AT_TASK, AT_TEST = line_of(TASK_LINE), line_of(TEST_LINE)
AT_SCRATCH, AT_END = line_of("# %% scratch"), line_of("# %%\nprint")
BOTH_TESTS = TEXT[TEXT.index("# %% test=") : TEXT.index("# %% scratch")]

MISTAKES = {
    "unknown key": (TASK_LINE, TASK_LINE + " colour=1", AT_TASK, "Unknown key 'colour'"),
    "unknown first key": ("# %% scratch=true", "# %% scrap=true", AT_SCRATCH, "Unknown key 'scrap'"),
    "points missing": (TASK_LINE, '# %% task="square" level=1 minutes=2', AT_TASK, "lacks 'points': write points=1"),
    "points of a test missing": (TEST_LINE, TEST_LINE.replace(" points=2", ""), AT_TEST, "lacks 'points'"),
    "points do not add up": (TEST_LINE, TEST_LINE.replace("points=2", "points=1"), AT_TASK, "its tests give 2"),
    "level too high": (TASK_LINE, TASK_LINE.replace("level=1", "level=7"), AT_TASK, "write 1, 2, 3 or 4"),
    "points in quotes": (TASK_LINE, TASK_LINE.replace("points=3", 'points="3"'), AT_TASK, "write a whole number"),
    "test without task": (TEST_LINE, TEST_LINE.replace('"square"', '"circle"'), AT_TEST, "There is no task 'circle'"),
    "task without test": (BOTH_TESTS, "", AT_TASK, "has no test: add"),
    "aspect without test": ('test="square" aspect="n', 'aspect="n', AT_TEST, "write test= before it"),
    "two tasks of one name": (
        "# %% scratch=true",
        TASK_LINE + "\n### BEGIN SOLUTION\n### END SOLUTION\n\n# %% scratch=true",
        AT_SCRATCH,
        f"exists already in {CHAPTER}.py:{AT_TASK}",
    ),
    "two tests of one aspect": (TEST_LINE, TEST_LINE.replace("negative", "small"), AT_TEST, "reword one"),
    "include not found": ("# %%\nprint", '# %% include="02_nothing:square"\nprint', AT_END, "no chapter '02_nothing'"),
    "included task not found": (
        "# %%\nprint",
        f'# %% include="{CHAPTER}:cube"\nprint',
        AT_END,
        "has no task 'cube'",
    ),
    "no statement": ('# %% [markdown] statement="square"', "# %% [markdown]", AT_TASK, "needs exactly one cell"),
    "two hints": ("# 3. A number by itself.\n", "", AT_HINTS, "exactly three items"),
    "solution not closed": ("    ### END SOLUTION\n", "", AT_TASK, "Close each"),
    "task without solution": (
        "    ### BEGIN SOLUTION\n    secret_product = x * x\n    return secret_product\n    ### END SOLUTION\n",
        "    return 0\n",
        AT_TASK,
        "Put the reference answer between",
    ),
    "hidden tests outside a test": (
        "# %%\nimport math",
        "# %%\n### BEGIN HIDDEN TESTS\nimport math",
        AT_GIVEN,
        "belongs in a",
    ),
    "family of no task": (
        "# %%\nprint",
        '# %% family="circle"\n_x = 1\n\n# %%\nprint',
        AT_END,
        "No test of a task 'circle'",
    ),
    "two families": (
        "# %%\nprint",
        '# %% family="square"\n_x = 1\n# %% family="square"\n_y = 1\n\n# %%\nprint',
        AT_END + 2,
        "has a family already",
    ),
    "no title": ("# title: Squares", "# author: me", AT_TOP, "# title: ..."),
    "formula beside code": (
        "the square of $x$",
        "the square of $P($`x`$)$",
        line_of("# %% [markdown] statement"),
        "touches",
    ),
    "markdown forgotten": ('# %% [markdown] hints="square"', '# %% hints="square"', AT_HINTS, "[markdown]"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_named_with_its_line(tmp_path: Path, mistake: str) -> None:
    before, after, line, message = MISTAKES[mistake]
    assert before in TEXT, "the example has changed; mend this test"
    course = make_course(tmp_path, TEXT.replace(before, after))
    folder = course.chapter_source(CHAPTER)
    with pytest.raises(SourceError) as error:
        notebook_of(read_chapter(folder), course.chapter_source)
    text = str(error.value)
    assert text.startswith(f"{folder / CHAPTER}.py:{line}: "), text
    assert message in text
    assert "\n" not in text


def test_the_example_itself_is_accepted(tmp_path: Path) -> None:
    chapter = read_chapter(make_course(tmp_path).chapter_source(CHAPTER))
    assert [task.keys["task"] for task in chapter.tasks()] == ["square"]


def test_every_command_is_documented_in_the_readme_or_the_docs() -> None:
    texts = "".join(path.read_text() for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    names = [command.name or command.callback.__name__ for command in app.registered_commands]
    assert [name for name in names if f"autograder {name}" not in texts] == []


def test_outside_a_course_the_error_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="is not inside a course: go to the folder that holds nbgrader_config.py"):
        open_course(tmp_path)
