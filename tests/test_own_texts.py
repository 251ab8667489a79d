"""Names, word vectors, a learner's own text, and what takes its place where there is none."""

from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import lmkit
from lmkit import corpora, kitchen, paths, real
from lmkit.corpora import Corpus, NameCorpus, Vectors
from lmkit.real import FetchError

PARAGRAPH = "Whan that Aprille with his shoures soote, the droghte of Marche hath perced to the roote.\n\n"
STORY = PARAGRAPH * 40


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The learner's folder, as the current one; nothing is in the cache, and no network is asked."""
    monkeypatch.setenv("LMKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LMKIT_OFFLINE", "1")
    monkeypatch.delenv("LMKIT_TEXTS", raising=False)
    folder = tmp_path / "work"
    (folder / "texts").mkdir(parents=True)
    (folder / paths.STARTED).write_text("{}")
    monkeypatch.chdir(folder)
    return folder


def text_of(corpus: Corpus, split: str | None = None) -> str:
    splits = [split] if split else list(corpus.splits)
    return "".join(chain.from_iterable(chain.from_iterable(corpus.splits[name] for name in splits)))


def test_names() -> None:
    corpus = lmkit.load("names")
    assert isinstance(corpus, NameCorpus) and corpus.unit == "character"
    names = {split: ["".join(name) for name in parts] for split, parts in corpus.splits.items()}
    assert {split: len(parts) for split, parts in names.items()} == {"train": 25_600, "valid": 3_200, "test": 3_200}
    assert len(set(chain.from_iterable(names.values()))) == 32_000, "no name is in two splits"
    assert names["train"][:3] == ["james", "john", "robert"]
    assert (corpus.girls["train"][0], corpus.boys["train"][0]) == (23_826, 5_238_570)
    assert len(corpus.vocabulary) == 26
    for split in names:
        assert len(corpus.girls[split]) == len(corpus.boys[split]) == len(names[split])
        often = np.array(corpus.girls[split]) + np.array(corpus.boys[split])
        assert (np.diff(often) <= 0).all() and often[0] > 10_000 * often[-1], "each split has frequent and rare names"


def test_glove() -> None:
    glove = lmkit.load("glove")
    assert isinstance(glove, Vectors)
    assert glove.matrix.shape == (10_000, 100) and glove.matrix.dtype == np.float32 and np.isfinite(glove.matrix).all()
    assert len(set(glove.words)) == 10_000 and glove.words[0] == "the"
    unit = glove.matrix / np.linalg.norm(glove.matrix, axis=1, keepdims=True)
    for left, right, third, expected in (("king", "man", "woman", "queen"), ("paris", "france", "italy", "rome")):
        near = unit @ (glove[left] - glove[right] + glove[third])
        near[[glove.numbers[word] for word in (left, right, third)]] = -np.inf
        assert glove.words[int(near.argmax())] == expected
    with pytest.raises(KeyError, match="no vector for 'Paris'"):
        glove["Paris"]
    assert sum(path.stat().st_size for path in (paths.DATA / "glove").iterdir()) <= 2_200_000


def test_a_file_is_read_whole_and_cut_in_order(work: Path) -> None:
    (work / "my.txt").write_text(STORY, encoding="utf-8")
    for given in ("my.txt", "./my.txt", str(work / "my.txt"), work / "my.txt"):
        corpus = lmkit.load(given)
        assert corpus.name == "my.txt" and corpus.unit == "character" and corpus.part == "paragraph"
        assert text_of(corpus) == STORY
        sizes = [len(text_of(corpus, split)) / len(STORY) for split in ("train", "valid", "test")]
        assert sizes == pytest.approx([0.8, 0.1, 0.1], abs=0.01)
        assert "".join(corpus.splits["train"][0]) == PARAGRAPH
    words = lmkit.load("my.txt", "word")
    assert words.unit == "word" and words.part == "line"
    assert words.splits["train"][0][:8] == ["Whan", "that", "Aprille", "with", "his", "shoures", "soote", ","]


def test_line_ends_and_the_mark_of_windows_are_taken_away(work: Path) -> None:
    (work / "my.txt").write_bytes(b"\xef\xbb\xbf" + STORY.replace("\n", "\r\n").encode())
    assert text_of(lmkit.load("my.txt")) == STORY


def test_a_text_without_blanks_has_three_splits(work: Path) -> None:
    text = "語" * 1_000
    (work / "my.txt").write_text(text, encoding="utf-8")
    corpus = lmkit.load("my.txt")
    assert text_of(corpus) == text and [len(text_of(corpus, name)) for name in corpus.splits] == [800, 100, 100]
    (work / "my.txt").write_text("x" * 700 + " " + "y" * 299 + "\n", encoding="utf-8")
    assert all(text_of(lmkit.load("my.txt"), split) for split in ("train", "valid", "test"))


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "my.txt is empty"),
        (b" \n\n", "my.txt is empty"),
        (b"A short text.", "only 1[34] characters; a model needs at least 1,000"),
        ("Größe".encode("latin-1") * 500, r"not UTF-8 \(byte 2 of 2500\): save it as UTF-8"),
        (STORY.encode("utf-16"), "not UTF-8"),
        (STORY.encode("utf-16-le"), "zero bytes"),
    ],
)
def test_a_file_that_is_no_use_is_refused_in_one_line(work: Path, content: bytes, message: str) -> None:
    (work / "texts" / "my.txt").write_bytes(content)
    for name in ("my.txt", "mine"):
        with pytest.raises(ValueError, match=message.removeprefix("my.txt ")) as error:
            lmkit.load(name)
        assert "\n" not in str(error.value) and str(work / "texts") in str(error.value) or name == "my.txt"


def test_a_file_that_is_not_there_is_named_in_one_line(work: Path) -> None:
    with pytest.raises(FileNotFoundError, match="There is no file my.txt .looked for in") as error:
        lmkit.load("my.txt")
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match="is a folder"):
        lmkit.load("./texts")
    with pytest.raises(ValueError, match="'mytext'; choose one of: .*mine, shakespeare.* path of a text file"):
        lmkit.load("mytext")


def test_too_long_a_file_is_refused(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (work / "my.txt").write_text(STORY)
    monkeypatch.setattr(corpora.own, "MOST", 1_000)
    with pytest.raises(ValueError, match="keep a part of it"):
        lmkit.load("my.txt")


def test_a_file_that_may_not_be_read(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    (work / "my.txt").write_text(STORY)
    monkeypatch.setattr(Path, "read_bytes", refused)
    with pytest.raises(ValueError, match="my.txt cannot be read: Permission denied"):
        lmkit.load("my.txt")


def test_mine_joins_the_texts_of_the_folder(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / "texts" / "b.txt").write_text(STORY.upper().rstrip("\n"))
    (work / "texts" / "a.TXT").write_text(STORY)
    (work / "texts" / "README.md").write_text("not read")
    corpus = lmkit.load("mine")
    assert corpus.name == "mine" and "a.TXT, b.txt" in corpus.about
    for split in ("train", "valid", "test"):
        text = text_of(corpus, split)
        assert any(map(str.islower, text[:100])) and text[-100:].isupper(), "of each file a part is in each split"
    assert capsys.readouterr().out == (
        f"Your own text: a.TXT, b.txt from {work / 'texts'}, {2 * len(STORY) - 1:,} characters.\n"
    )


def test_without_a_text_it_is_shakespeare_if_that_is_in_the_cache(
    work: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    speeches = "ROMEO:\nIt is my lady.\n\n" * 100
    monkeypatch.setattr(real, "is_cached", lambda entry: True)
    monkeypatch.setattr(corpora.real, "splits", lambda name: {"train": [list(speeches)], "valid": [], "test": []})
    assert text_of(lmkit.load("mine")) == speeches
    (line,) = capsys.readouterr().out.splitlines()
    assert line == f"There is no .txt file in {work / 'texts'}, so this is tiny Shakespeare."
    assert text_of(lmkit.load("shakespeare", "character")) == speeches
    assert capsys.readouterr().out == "", "it was asked for by name"


def test_where_nothing_can_be_fetched_it_is_kitchen_text_and_says_so(
    work: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = lmkit.load("kitchen", "character")
    assert lmkit.load("shakespeare").splits == lmkit.load("mine").splits == expected.splits
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("Tiny Shakespeare may not be fetched") and second.startswith("There is no .txt file in")
    assert first.endswith(end := "so this is kitchen text, made for the course.") and second.endswith(end)

    def refused(name: str) -> real.Splits:
        raise FetchError("no connection")

    monkeypatch.setenv("LMKIT_OFFLINE", "0")
    monkeypatch.setattr(corpora.real, "splits", refused)
    assert lmkit.load("mine").name == "kitchen"
    assert "lmkit.corpora fetch tiny-shakespeare says why" in capsys.readouterr().out
    with pytest.raises(FetchError):
        lmkit.load("tiny-shakespeare")


def test_the_course_s_own_run_reads_the_kitchen_text_whatever_lies_there(
    work: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "texts" / "mine.txt").write_text("to be or not to be\n" * 200)
    monkeypatch.setenv("LMKIT_BUDGET", "grading")
    assert lmkit.load("mine").splits == lmkit.load("kitchen", "character").splits
    assert "on your machine, this is your text" in capsys.readouterr().out


def test_units_of_the_kitchen() -> None:
    words, characters = lmkit.load("kitchen"), lmkit.load("kitchen", "character")
    assert lmkit.load("kitchen", "word").splits == words.splits and characters.unit == "character"
    assert "".join(characters.splits["valid"][0]) == " ".join(words.splits["valid"][0]) + "\n"
    assert characters.in_unit("word").splits == words.splits
    floor, known = characters.floor("valid"), kitchen.floor("valid")
    assert floor is not None and floor.tokens == sum(map(len, characters.splits["valid"]))
    assert floor.nats * floor.tokens == pytest.approx(known.nats * known.tokens)
    assert floor.nats_error / floor.nats == pytest.approx(known.nats_error / known.nats)
    with pytest.raises(ValueError, match="not by 'byte'"):
        words.in_unit("byte")  # type: ignore[arg-type]


def test_where_the_learners_folder_is(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = work / "one" / "two"
    deep.mkdir(parents=True)
    for here in (work, deep, work.parent):
        monkeypatch.chdir(here)
        assert paths.own_folder("texts") == work / "texts"
    monkeypatch.setenv("LMKIT_TEXTS", str(deep))
    assert paths.own_folder("texts") == deep and paths.own_folder("gallery") == work / "gallery"
    monkeypatch.delenv("LMKIT_TEXTS")
    (work / paths.STARTED).unlink()  # any folder may be called "work"
    monkeypatch.chdir(deep)
    assert paths.own_folder("texts") == deep / "texts"
