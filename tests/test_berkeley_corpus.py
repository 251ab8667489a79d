"""Recounts the Berkeley corpus from its text. Shares no code with benchmarks/record/berkeley.py."""

import hashlib
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from lmkit import berkeley

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "data" / "berkeley"
TEXT = (FOLDER / "corpus.txt").read_text()
LINES = TEXT.splitlines()

EXAMPLES = """\
can you tell me about any good cantonese restaurants close by
mid priced thai food is what i'm looking for
tell me about chez panisse
can you give me a listing of the kinds of food that are available
i'm looking for a good place to eat breakfast
when is caffe venezia open during the day""".splitlines()

# Typed from the lecture, so that the test does not read the tables that the generator reads.
WORDS = ["i", "want", "to", "eat", "chinese", "food", "lunch", "spend"]
UNIGRAMS = [2533, 927, 2417, 746, 158, 1093, 341, 278]
BIGRAMS = """\
5 827 0 9 0 0 0 2
2 0 608 1 6 6 5 1
2 0 4 686 2 0 6 211
0 0 2 0 16 2 42 0
1 0 0 0 0 82 1 0
15 0 15 0 1 4 0 0
2 0 0 0 0 1 0 0
1 0 1 0 0 0 0 0""".splitlines()


def count_word(word: str) -> int:
    return sum(line.split(" ").count(word) for line in LINES)


def count_pair(first: str, second: str) -> int:
    """Slow and simple: look at every position of every line. <s> and </s> stand at the edges."""
    total = 0
    for line in LINES:
        tokens = ["<s>", *line.split(" "), "</s>"]
        for position in range(1, len(tokens)):
            total += tokens[position - 1] == first and tokens[position] == second
    return total


@pytest.mark.parametrize(("word", "expected"), list(zip(WORDS, UNIGRAMS, strict=True)))
def test_unigram_count(word: str, expected: int) -> None:
    assert count_word(word) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (first, second, int(count))
        for first, row in zip(WORDS, BIGRAMS, strict=True)
        for second, count in zip(WORDS, row.split(), strict=True)
    ],
)
def test_bigram_count(first: str, second: str, expected: int) -> None:
    assert count_pair(first, second) == expected


def test_the_typed_tables_are_the_shipped_tables() -> None:
    assert list(berkeley.unigram_counts()) == UNIGRAMS
    table = berkeley.table("bigram_counts")
    assert list(table.index) == list(table.columns) == WORDS
    assert [list(row) for row in table.to_numpy()] == [[int(n) for n in row.split()] for row in BIGRAMS]


def test_number_of_sentences_and_types() -> None:
    assert len(LINES) == 9222
    assert len({token for line in LINES for token in line.split(" ")}) == 1446


def test_probabilities_of_the_lectures() -> None:
    assert round(count_pair("<s>", "i") / 9222, 2) == 0.25
    assert count_pair("want", "english") == 1
    assert round(count_pair("want", "english") / count_word("want"), 4) == 0.0011
    assert count_pair("english", "food") / count_word("english") == 0.5
    assert round(count_pair("food", "</s>") / count_word("food"), 2) == 0.68


@pytest.mark.parametrize("sentence", EXAMPLES)
def test_printed_example_occurs(sentence: str) -> None:
    assert sentence in LINES


def test_only_to_after_lunch_is_missing_from_the_zero_probability_example() -> None:
    tokens = ["<s>", "i", "bring", "my", "lunch", "to", "work"]
    unseen = [pair for pair in pairwise(tokens) if not count_pair(*pair)]
    assert unseen == [("lunch", "to")]


def test_format() -> None:
    assert TEXT.endswith("\n")
    for line in LINES:
        assert line == " ".join(line.split()) == line.lower() and line
        assert line.isascii() and not set(line) - set("abcdefghijklmnopqrstuvwxyz' ")


def test_rare_words_and_pairs_thin_out_as_in_text() -> None:
    """Good-Turing needs N1 > N2 > N3 > ..., of words and of pairs."""
    words: dict[str, int] = {}
    pairs: dict[tuple[str, str], int] = {}
    for line in LINES:
        tokens = ["<s>", *line.split(" "), "</s>"]
        for token in tokens[1:-1]:
            words[token] = words.get(token, 0) + 1
        for pair in pairwise(tokens):
            pairs[pair] = pairs.get(pair, 0) + 1
    for counts, deepest in ((words, 5), (pairs, 6)):
        sizes = [list(counts.values()).count(times) for times in range(1, deepest + 1)]
        assert sizes == sorted(sizes, reverse=True) and sizes[0] > 300


def test_checksum() -> None:
    recorded = (FOLDER / "corpus.sha256").read_text().split()[0]
    assert hashlib.sha256(TEXT.encode()).hexdigest() == recorded


def test_generator_writes_the_same_bytes(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "benchmarks.record.berkeley", str(tmp_path)], cwd=ROOT, check=True, timeout=120
    )
    for name in ("corpus.txt", "corpus.sha256"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()


def test_sentences() -> None:
    begin = time.process_time()
    sentences = berkeley.sentences()
    assert time.process_time() - begin < 1
    assert [" ".join(sentence) for sentence in sentences] == LINES


def test_split() -> None:
    train, test = berkeley.split()
    assert len(train) == 8300 and len(test) == 922
    assert sorted(train + test) == sorted(berkeley.sentences())
    assert berkeley.split() == (train, test)
    assert berkeley.split(seed=1) != (train, test)
    assert len(berkeley.split(test_size=100)[1]) == 100
