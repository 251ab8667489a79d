"""Who wrote unusually alike: copies are found however renamed, and classes that only solve the same task are not."""

import itertools
import math
import shutil
from pathlib import Path

import nbformat
import pytest
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course import Course, open_course
from autograder.grading.coordinator import grade_class
from autograder.grading.similarity import GRAM, REFERENCE, WINDOW, _marks, fingerprints, pairs_of
from conftest import CHAPTER, answered

# One task, solved by nine people in ways of their own: count the words of a text, most frequent first.
WAYS = {
    "ann": """
def ranking(text):
    counts = Counter(text.lower().split())
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
""",
    "bob": """
def ranking(text):
    found = {}
    for word in text.lower().split():
        if word in found:
            found[word] += 1
        else:
            found[word] = 1
    pairs = list(found.items())
    pairs.sort(key=lambda pair: pair[0])
    pairs.sort(key=lambda pair: pair[1], reverse=True)
    return pairs
""",
    "cat": """
def ranking(text):
    words = sorted(text.lower().split())
    return sorted(((w, len(list(g))) for w, g in groupby(words)), key=lambda x: x[1], reverse=True)
""",
    "dee": """
def ranking(text):
    table = defaultdict(int)
    for token in text.split():
        table[token.lower()] += 1
    result = [(token, n) for token, n in table.items()]
    return sorted(sorted(result), key=itemgetter(1), reverse=True)
""",
    "eve": """
def ranking(text):
    tokens = [t.casefold() for t in text.split()]
    kinds = set(tokens)
    return sorted([(k, tokens.count(k)) for k in kinds], key=lambda p: (-p[1], p[0]))
""",
    "fay": """
def ranking(text):
    series = pd.Series(text.lower().split()).value_counts()
    frame = series.rename_axis("word").reset_index(name="n")
    frame = frame.sort_values(["n", "word"], ascending=[False, True])
    return list(frame.itertuples(index=False, name=None))
""",
    "gus": """
def ranking(text):
    words, numbers = np.unique(np.array(text.lower().split()), return_counts=True)
    order = np.lexsort((words, -numbers))
    return [(str(words[i]), int(numbers[i])) for i in order]
""",
    "hal": """
def ranking(text):
    remaining, result = text.lower().split(), []
    while remaining:
        best = max(sorted(set(remaining)), key=remaining.count)
        result.append((best, remaining.count(best)))
        remaining = [word for word in remaining if word != best]
    return result
""",
    "ida": """
def ranking(text):
    heap = []
    for word, n in Counter(map(str.lower, text.split())).items():
        heapq.heappush(heap, (-n, word))
    ordered = [heapq.heappop(heap) for _ in range(len(heap))]
    return [(word, -n) for n, word in ordered]
""",
}
# bob's, with other names, comments, blanks, quotes and numbers laid out anew
COPY = '''
def ranking( text ):
    """Words by frequency."""
    d = dict()  # word -> number
    d = {}

    for w in text.lower().split():
        if w in d:      # seen before
            d[w] += 1
        else: d[w] = 1
    l = list(d.items())
    l.sort(key=lambda t: t[0])
    l.sort(key=lambda t: t[1],
           reverse=True)
    return l
'''
GIVEN = ["def ranking(text):\n    ...", "for word in text.lower().split():\n    print(word)"]


def class_of(**more: str) -> dict[str, dict[str, str]]:
    return {name: {"ranking": code} for name, code in (WAYS | more).items()}


def unusual(answers: dict[str, dict[str, str]]) -> list[tuple[str, str]]:
    pairs = pairs_of(answers, {"ranking": WAYS["ann"].replace("counts", "found")}, GIVEN)
    return [pair.names for pair in pairs if pair.unusual]


def test_a_renamed_copy_is_found_and_nobody_else() -> None:
    pairs = pairs_of(class_of(zed=COPY), {"ranking": "def ranking(text):\n    raise NotImplementedError"}, GIVEN)
    assert pairs[0].names == ("bob", "zed") and pairs[0].unusual
    assert not any(pair.unusual for pair in pairs[1:])
    (match,) = pairs[0].matches
    first, second = (code.splitlines() for code in match.codes)
    assert match.lines[0] >= {5, 6, 7, 8, 9, 10, 11, 12}, first
    assert "    d = dict()  # word -> number" not in [second[line - 1] for line in match.lines[1]]


def test_an_honest_class_is_left_alone() -> None:
    assert unusual(class_of()) == []


def test_what_half_of_the_class_writes_is_not_unusual() -> None:
    assert unusual(class_of(**{f"more{i}": WAYS["bob"] for i in range(9)})) == []


def test_what_was_given_counts_for_nothing() -> None:
    given = [*GIVEN, WAYS["bob"]]
    pairs = pairs_of(class_of(zed=COPY), {"ranking": WAYS["ann"]}, given)
    assert ("bob", "zed") not in [pair.names for pair in pairs if pair.unusual]


def test_a_group_that_hands_in_together_is_not_told_of_itself() -> None:
    reference = {"ranking": WAYS["ann"].replace("counts", "found")}
    for groups, found in [([["bob", "zed"]], False), ([["bob", "ann"], ["zed", "eve"]], True)]:
        pairs = pairs_of(class_of(zed=COPY), reference, GIVEN, groups)
        assert (("bob", "zed") in [pair.names for pair in pairs]) == found
        assert ("ann", REFERENCE) in [pair.names for pair in pairs], "only members of one group are left out"


def test_bits_are_those_counted_pair_by_pair() -> None:
    answers, reference = class_of(zed=COPY, yan=WAYS["bob"]), {"ranking": WAYS["ann"]}
    codes = {name: of["ranking"] for name, of in answers.items()} | {REFERENCE: WAYS["ann"]}
    prints = {name: set(fingerprints(code)) for name, code in codes.items()}
    given = {mark for code in GIVEN for mark in _marks(code)}
    found = {pair.names: pair.bits for pair in pairs_of(answers, reference, GIVEN)}
    for one, other in itertools.combinations(sorted(answers) + [REFERENCE], 2):
        both = (prints[one] & prints[other]) - given
        bits = [-math.log2(sum(mark in of for of in prints.values()) / len(codes)) for mark in both]
        assert found.get((one, other), 0.0) == pytest.approx(math.fsum(bits))
    assert found["bob", "yan"] > found["bob", "zed"] > 0, "the copy differs from bob's by a line more"


@pytest.mark.parametrize("code", ["", "def f(:\n  '", "x = (", "a\n  b\n c", "'''never closed", "\x00"])
def test_what_is_no_python_has_no_marks(code: str) -> None:
    assert fingerprints(code) == {}


def test_so_many_tokens_in_common_are_always_found() -> None:
    shared = " + ".join(["f(a)[0]"] * 3 + ["g.h"] * 3)  # more than GRAM + WINDOW - 1 tokens
    one, other = f"x = p ** q ** {shared}", f"y(1, 2, 3, {shared})"
    assert len(shared.split()) < GRAM + WINDOW - 1, "the tokens are counted, not the words"
    assert fingerprints(one).keys() & fingerprints(other).keys()


def test_the_page_shows_both_and_says_what_it_is_worth(built_course: Course, tmp_path: Path) -> None:
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    square = "\ndef square(x):\n    return x * x\n"
    answers = {name: code + square for name, code in WAYS.items()} | {"z<b>": COPY + square}
    for student, code in answers.items():
        path = course.submission(student, CHAPTER)
        path.parent.mkdir(parents=True)
        nbformat.write(answered(course, code).node, path)
    list(grade_class(course, CHAPTER, list(answers), jobs=1))
    result = CliRunner().invoke(app, ["alike", "01", "--course", str(course.root)])
    assert result.exit_code == 0 and "bob and z<b>: " in result.output and "1 unusual pair" in result.output
    page = (course.reports / f"{CHAPTER}-alike.html").read_text()
    assert "A match proves nothing" in page and "<mark>" in page and "z&lt;b&gt;" in page
    assert "<script" not in page and "<b>" not in page and REFERENCE not in page.split("<h2", 1)[1]
    result = CliRunner().invoke(app, ["review", "01", "--list", "--course", str(course.root)])
    assert result.exit_code == 0 and "Wrote unusually like bob" in " ".join(result.output.split())
