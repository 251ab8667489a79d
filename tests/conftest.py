"""A small course in a temporary folder, for tests that need a build or a class but not a real chapter."""

import os
import re
import sys
from pathlib import Path

import pretend_device
import pytest
from xdist.scheduler import LoadFileScheduling

from autograder.authoring.build import build
from autograder.chapter.cells import Notebook
from autograder.chapter.reference import read_reference
from autograder.course import Course, open_course

ROOT = Path(__file__).resolve().parent.parent
pretend_device.register()
os.environ["LMKIT_DEVICE"] = "cpu"  # what is compared to the bit is; tests marked `gpu` ask for the other one
CHAPTER = "01_squares"
TEXT = '''# ---
# title: Squares
# ---

# %% [markdown]
# ## Opening
# What is the area of a square?

# %%
import math

# %% [markdown] statement="square"
# ### Squares
# Return the square of $x$.

# %% [markdown] hints="square"
# 1. Think of an area.
# 2. Multiply.
# 3. A number by itself.


# %% task="square" points=3 level=1 minutes=2
def square(x):
    """The square of x."""
    ### BEGIN SOLUTION
    secret_product = x * x
    return secret_product
    ### END SOLUTION


# %% test="square" aspect="small numbers" points=1
assert square(2) == 4, f"square(2) is 4, yours gives {square(2)}"
### BEGIN HIDDEN TESTS
assert square(3) == 9, f"square(3) is 9, yours gives {square(3)}"
### END HIDDEN TESTS

# %% test="square" aspect="negative numbers" points=2
assert square(-2) == 4, "the square of a negative number is positive"

# %% scratch=true
square(5)

# %%
print(square(math.sqrt(4)))
'''
SETTINGS = f'load_subconfig("nbgrader_config.py", path={str(ROOT)!r})\nc.Judge.timeout = 6\nc.Authoring.rules = False\n'

# What takes longest begins first, or one core would be idle at the end.
LONGEST = ("test_attacks", "test_browser", "test_demo", "test_bank", "test_kills", "test_mutants", "test_coordinator")
# Files whose tests share nothing that takes long to make; those of any other file stay with one worker of pytest-xdist.
SPLIT = (
    "test_bank",
    "test_kills",
    "test_mutants",
    "test_coordinator",
    "test_drawings",
    "test_pretrain",
    "test_sandbox",
    "test_chapter_devices",
)

OF_CHAPTERS = ("test_bank", "test_mutants")

# Tools that nbgrader calls by name live beside this Python.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests (`--no-loadscope-reorder` keeps that)."""
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))


class SplitFiles(LoadFileScheduling):
    """Each test of some files goes to whoever is free, with others of the same chapter; the others file by file."""

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        chapter = re.search(r"\[(\d\d_\w+)", test)  # which one process has imported all of already
        if chapter and Path(file).stem in OF_CHAPTERS:
            return chapter[1]
        return nodeid if Path(file).stem in SPLIT else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> SplitFiles:
    return SplitFiles(config, log)


def make_course(folder: Path, text: str = TEXT, chapter: str = CHAPTER) -> Course:
    """A course with one chapter that is not built yet."""
    (folder / "nbgrader_config.py").write_text(SETTINGS)
    source = folder / "solutions" / chapter / f"{chapter}.py"
    source.parent.mkdir(parents=True)
    source.write_text(text)
    return open_course(folder)


@pytest.fixture(scope="session")
def built_course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The small course, built; tests must not change its chapter."""
    course = make_course(tmp_path_factory.mktemp("course"))
    build(course, CHAPTER)
    return course


@pytest.fixture(scope="session")
def real_course() -> Course:
    """The course in this repository."""
    return open_course(ROOT)


def answered(course: Course, code: str) -> Notebook:
    """The reference notebook of the small course with `code` in place of the answer."""
    return read_reference(course, CHAPTER).with_sources({"square": code})
