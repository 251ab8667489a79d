"""Byte-pair encoding: the merges of the library `tokenizers`, nothing lost, fast enough, files that do no harm."""

import json
import random
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.bpe import learned_by_tokenizers, made_text
from conftest import ROOT
from lmkit import bpe

TEXT = made_text(1_000_000)
TRAINED = bpe.train(TEXT, 500)


def test_by_hand() -> None:
    learned = bpe.train("low low low lower lowest", 256 + 4)
    # "lo" and "ow" occur five times each, " l" four times; l = 108 comes before o = 111.
    assert learned.vocabulary[256:] == [b"lo", b"low", b" low", b" lowe"]
    assert learned.merges == [(108, 111), (256, 119), (32, 257), (258, 101)]
    assert learned.encode("low slow") == [257, 32, 115, 257]
    assert learned.symbols[256:] == ["lo", "low", "␣low", "␣lowe"]
    assert learned.symbols[10] == "⏎" and learned.symbols[0xE2] == "\\xe2" and learned.symbols[0] == "\\x00"


def test_neighbours_that_overlap_are_merged_from_the_left() -> None:
    learned = bpe.train("aaaaa aaaaa", 258)
    assert learned.vocabulary[256:] == [b"aa", b"aaa"]
    assert learned.encode("aaa") == [257] and learned.encode("aaaa") == [256, 256]


def test_training_stops_when_nothing_occurs_often_enough() -> None:
    assert bpe.train("abc xyz", 300).merges == []
    assert len(bpe.train("abc xyz", 300, least=1)) == 256 + 4 + 1  # " xyz" and "abc" are whole, then nothing is left
    assert bpe.train("", 300) == bpe.BPE() and bpe.BPE().encode("") == []
    with pytest.raises(ValueError, match="at least the 256 bytes; got 255"):
        bpe.train("abc", 255)


@pytest.mark.parametrize("vocabulary", [500, 2_000])
def test_merges_and_tokens_are_those_of_tokenizers(vocabulary: int) -> None:
    """It is given byte b as character b: ties go by the order of its characters, as ours go by that of the bytes."""
    merges, encode = learned_by_tokenizers(bpe.pieces(TEXT), vocabulary)
    learned = bpe.train(TEXT, vocabulary)
    assert learned.merges == merges and len(learned) == vocabulary
    part = TEXT[:50_000]
    assert learned.encode(part) == encode(bpe.pieces(part))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("abc", min_size=1, max_size=9), min_size=1, max_size=40), st.integers(257, 300))
def test_merges_are_those_of_tokenizers_where_almost_all_counts_tie(words: list[str], vocabulary: int) -> None:
    text = " ".join(words)
    merges, encode = learned_by_tokenizers(bpe.pieces(text), vocabulary)
    learned = bpe.train(text, vocabulary)
    assert learned.merges == merges
    assert learned.encode(text) == encode(bpe.pieces(text))


def test_ten_thousand_random_byte_strings_come_back() -> None:
    draws = random.Random(35)
    for number in range(10_000):
        data = draws.randbytes(draws.randrange(60))
        if number % 2:  # mostly text, with damage
            start = draws.randrange(len(TEXT) - 60)
            data = TEXT[start : start + 40].encode() + data[:3] + "ʒ€🙂".encode()[: draws.randrange(10)]
        tokens = TRAINED.encode(data)
        assert TRAINED.decode_bytes(tokens) == data
        assert all(0 <= token < len(TRAINED) for token in tokens)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_comes_back_and_its_bytes_have_the_same_tokens(text: str) -> None:
    tokens = TRAINED.encode(text)
    assert TRAINED.decode(tokens) == text
    assert tokens == TRAINED.encode(text.encode())
    assert "".join(bpe.pieces(text)) == text


def test_the_beginning_of_every_file_of_the_repository_comes_back() -> None:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    files = [path for name in names if name and (path := ROOT / name.decode()).is_file()]
    assert len(files) > 300
    for path in files:
        data = path.read_bytes()[:50_000]  # most of a notebook is its pictures, digits and letters without end
        assert TRAINED.decode_bytes(TRAINED.encode(data)) == data, path


def test_pieces() -> None:
    assert bpe.pieces("It's 42 cafés, isn't  it_?\n\n ok") == [
        "It", "'s", " 42", " cafés", ",", " isn", "'t", " ", " it", "_?", "\n\n", " ok",
    ]  # fmt: skip
    assert max(map(len, bpe.pieces("a" * 200))) == 64


def test_a_vocabulary_of_500_is_learned_from_a_megabyte_in_less_than_a_second_and_a_half() -> None:
    assert len(TEXT.encode()) >= 1_000_000
    times = []
    for _ in range(3):  # the machine may be busy once
        start = time.process_time()
        bpe.train(TEXT, 500)
        times.append(time.process_time() - start)
    assert min(times) < 1.5, times


@pytest.mark.parametrize("text", [TEXT, b"a" * 1_000_000, random.Random(1).randbytes(300_000)], ids=["text", "a", "?"])
def test_encoding_is_fast_also_where_there_are_no_blanks(text: str | bytes) -> None:
    fresh = bpe.BPE(TRAINED.merges)
    start = time.process_time()
    fresh.encode(text)
    assert time.process_time() - start < 4


def test_a_file_gives_the_same_encoding(tmp_path: Path) -> None:
    TRAINED.save(tmp_path / "bpe.json")
    again = bpe.load(tmp_path / "bpe.json")
    assert again == TRAINED and again.vocabulary == TRAINED.vocabulary
    assert again.encode(TEXT[:10_000]) == TRAINED.encode(TEXT[:10_000])
    assert [path.name for path in tmp_path.iterdir()] == ["bpe.json"]


@pytest.mark.parametrize(
    "content, reason",
    [
        (b'{"kind": "byte-pair enc', "Unterminated"),
        (b"\xff\xfe", "utf-8"),
        (b"[]", "does not say"),
        (b'{"kind": "model"}', "does not say"),
        (b'{"kind": "byte-pair encoding"}', "not pairs"),
        (b'{"kind": "byte-pair encoding", "merges": [[1, "2"]]}', "not pairs"),
        (b'{"kind": "byte-pair encoding", "merges": [[1, 2, 3]]}', "not pairs"),
        (b'{"kind": "byte-pair encoding", "merges": [[1, true]]}', "not pairs"),
        (b'{"kind": "byte-pair encoding", "merges": [[1, 256]]}', "only 256 tokens"),
        (b'{"kind": "byte-pair encoding", "merges": [[-1, 2]]}', "only 256 tokens"),
        (b'{"kind": "byte-pair encoding", "merges": [[1, 2], [1, 2]]}', "second token"),
        (b"[" * 100_000, "no saved byte-pair"),
    ],
)
def test_a_file_that_is_damaged_is_refused_in_one_line(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "bpe.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="bpe.json is no saved byte-pair encoding") as error:
        bpe.load(path)
    assert reason in str(error.value) and "\n" not in str(error.value)
    assert path.read_bytes() == content


def test_what_cannot_be_is_refused_in_one_line() -> None:
    with pytest.raises(ValueError, match="no token 500: they are numbered from 0 to 499"):
        TRAINED.decode([1, 500])
    with pytest.raises(ValueError, match="no token -1"):
        TRAINED.decode([-1])
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        TRAINED.encode("a\ud800b")
    with pytest.raises(FileNotFoundError):
        bpe.load("there/is/none.json")


def test_bits_per_byte_is_the_same_for_every_cut_of_a_text() -> None:
    assert bpe.bits_per_byte(nats_per_token=0.6931471805599453, tokens=100, bytes=100) == pytest.approx(1)
    # Who gives each byte 1/256 says 8 bits a byte, whatever the tokens are.
    assert bpe.bits_per_byte(nats_per_token=4 * 5.545177444479562, tokens=25, bytes=100) == pytest.approx(8)
    for tokens, count in ((0, 5), (5, 0)):
        with pytest.raises(ValueError, match="at least one token"):
            bpe.bits_per_byte(1.0, tokens, count)


def test_the_saved_form_is_plain(tmp_path: Path) -> None:
    bpe.train("aaaa aaaa", 257).save(tmp_path / "small.json")
    assert json.loads((tmp_path / "small.json").read_text()) == {"kind": "byte-pair encoding", "merges": [[97, 97]]}
