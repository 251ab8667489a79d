"""Small mistakes put into the reference answers by machine are caught by the chapter's tests."""

import pytest

from autograder.course import Course
from conftest import ROOT
from mutants import chosen, equivalents, mutants_of, mutants_of_chapter, survivors

SQUARES = '''def total(values, start=0):
    """The docstring stays."""
    result = start
    for value in values[1:]:
        if value < 3 and not value == 2:
            result += value * 2
    return result
'''


def test_mutants_make_one_mistake_each() -> None:
    mutants = mutants_of("total", SQUARES)
    changes = {mutant.change for mutant in mutants}
    assert {
        "def total(values, start=1):",
        "for value in values[2:]:",
        "for value in values[1 + 1:]:",
        "if value <= 3 and (not value == 2):",
        "if value < 3 or not value == 2:",
        "if value < 3 and value == 2:",
        "if not (value < 3 and (not value == 2)):",
        "result += value / 2",
        "result += value",
        "without result += value * 2",
        "return start",
    } <= changes
    assert all(
        compile(mutant.source, "<mutant>", "exec") and "The docstring stays." in mutant.source for mutant in mutants
    )
    assert len({mutant.source for mutant in mutants}) == len(mutants)
    assert chosen(mutants, 9, seed=1) == chosen(mutants, 9, seed=1)
    assert len({mutant.kind for mutant in chosen(mutants, 9, seed=1)}) == 9


@pytest.mark.parametrize("chapter", ["01_bigrams", "02_smoothing"])
def test_tests_catch_mutants(real_course: Course, chapter: str) -> None:
    """A sample, two for each task; benchmarks/mutants.py tries them all."""
    mutants = mutants_of_chapter(real_course, chapter, most=2, seed=2)
    same = equivalents(chapter)
    alive = survivors(real_course, chapter, mutants)
    equivalent = [mutant for mutant in alive if (mutant.task, mutant.change) in same]
    weak = [mutant for mutant in alive if mutant not in equivalent]
    count = sum(map(len, mutants.values())) - len(equivalent)
    print(f"{chapter}: {count - len(weak)} of {count} mutants caught, {len(equivalent)} more do the same as the answer")
    assert count >= 25
    assert len(weak) <= 0.05 * count, "\n".join(f"{mutant.task}:\n{mutant.diff}" for mutant in weak)


def test_listed_equivalents_are_mutants_of_their_task(real_course: Course) -> None:
    for path in (ROOT / "solutions").glob("*/*.ipynb"):
        everything = mutants_of_chapter(real_course, path.stem, most=10_000, seed=0)
        known = {(task, mutant.change) for task, listed in everything.items() for mutant in listed}
        assert set(equivalents(path.stem)) <= known
