"""`benchmarks.chapters`: programs run a chapter's own code, and only what they ask for."""

from pathlib import Path

import pytest

from benchmarks import chapters

TEXT = '''# %% [markdown]
# # A chapter

# %%
import math

# %%
def twice(x):
    return 1


# %% keys
FACTOR, unused = 2, print("not asked for")
FACTOR = FACTOR


def twice(x):
    """The last definition holds; `helper` is local here, not the function below."""
    helper = Number(x)
    return math.floor([FACTOR * y.value for y in (helper,)][0])


class Number:
    def __init__(self, value):
        self.value = checked(value)


# %%
def checked(value):
    return value


def helper():
    return twice(0)


assert twice(3) == 7, "a test of the chapter does not run"
raise SystemExit
'''


@pytest.fixture
def chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "01_doubles").mkdir()
    (tmp_path / "01_doubles" / "01_doubles.py").write_text(TEXT)
    monkeypatch.setattr(chapters, "SOLUTIONS", tmp_path)
    return "01_doubles"


def test_a_function_comes_with_what_it_needs_and_nothing_else(chapter: str) -> None:
    found = chapters.chapter_functions(chapter, {"twice"})
    assert found["twice"](3.5) == 7
    assert set(found) - {"__builtins__"} == {"math", "twice", "FACTOR", "unused", "Number", "checked"}


def test_what_is_not_needed_does_not_run(chapter: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(chapters.chapter_functions(chapter, {"checked"})) == {"__builtins__", "math", "checked"}
    assert capsys.readouterr().out == ""


def test_a_name_that_the_chapter_lacks_is_named(chapter: str) -> None:
    with pytest.raises(NameError, match="01_doubles does not define halves, thirds"):
        chapters.chapter_functions(chapter, {"twice", "thirds", "halves"})


def test_code_can_be_given_another_part(chapter: str) -> None:
    found = chapters.chapter_functions(chapter, {"twice"})
    found["FACTOR"] = 10
    assert found["twice"](1) == 10 and chapters.chapter_functions(chapter, {"twice"})["twice"](1) == 2
