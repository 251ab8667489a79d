"""The gallery: what is kept comes back, side by side in order; damage is named and costs nothing else; no pickle."""

import json
import multiprocessing
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import lmkit
from lmkit import gallery
from lmkit.corpora import Corpus

TEXTS = {"on a cold evening ,": "anton visits the fox .", "the waiter serves": "soup", "meanwhile , the young": "cook"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LMKIT_GALLERY", str(tmp_path / "gallery"))
    return tmp_path / "gallery"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def test_what_is_kept_comes_back() -> None:
    gallery.keep(
        "01_trigram", None, TEXTS, text="kitchen", bits_per_byte=1.9, bits_above_floor=2, minutes=0.1, notes="my first"
    )
    one = gallery.load("01_trigram")
    assert (one.name, one.chapter, one.text, one.notes) == ("01_trigram", 1, "kitchen", "my first")
    assert one.continuations == TEXTS and list(one.continuations) == list(TEXTS)
    assert (one.bits_per_byte, one.bits_above_floor, one.minutes) == (1.9, 2.0, 0.1)
    assert one.model is None and one.kept.startswith("20")
    gallery.keep("a word about it", bits_per_byte=torch.tensor(1.5), chapter=4)
    assert (gallery.load("a word about it").bits_per_byte, gallery.load("a word about it").chapter) == (1.5, 4)


def test_a_network_comes_back_and_computes_the_same() -> None:
    torch.manual_seed(0)
    network = torch.nn.LSTM(5, 7)
    gallery.keep("lstm", network.state_dict())
    again = torch.nn.LSTM(5, 7)
    again.load_state_dict(gallery.load("lstm").model)
    given = torch.randn(3, 2, 5)
    assert torch.equal(network(given)[0], again(given)[0])


def test_every_kind_of_model_comes_back_exactly() -> None:
    given: dict[str, Any] = {
        "counts": {("i", "want"): 827, ("i",): Counter(a=2, b=1), (): 0.5},
        "symbols": ["<UNK>", "a", "ß", "\n", "🙂"],
        "nothing": None,
        "file": True,
        3: (1, [2.5, "x"]),
        "table": np.arange(6, dtype=np.int16).reshape(2, 3),
        "words": np.array(["a", "bc"]),
        "number": np.float32(0.5),
        "half": torch.randn(3, 4).bfloat16(),
        "mask": torch.tensor([True, False]),
        "turned": torch.arange(6).reshape(2, 3).T,
        "one": torch.tensor(2.0, requires_grad=True),
        "empty": torch.zeros(0, 3),
    }
    gallery.keep("all", given)
    found = gallery.load("all").model
    assert list(found) == list(given)
    for key, value in given.items():
        if isinstance(value, torch.Tensor):
            assert (
                found[key].dtype == value.dtype
                and torch.equal(found[key], value.detach())
                and found[key].shape == value.shape
            )
        elif isinstance(value, np.ndarray):
            assert found[key].dtype == value.dtype and np.array_equal(found[key], value)
        else:
            assert found[key] == value and type(found[key]) in (type(value), float)


class Network:
    def __reduce__(self) -> tuple[Any, ...]:
        raise AssertionError("somebody pickles")


@pytest.mark.parametrize(
    "model, message",
    [
        (Network(), "cannot hold a Network: give its state_dict"),
        ({"a": {1, 2}}, "cannot hold a set"),
        ({"a": np.array([Network()], dtype=object)}, "cannot hold a ndarray"),
    ],
)
def test_what_cannot_be_kept_is_refused_before_anything_is_written(folder: Path, model: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gallery.keep("x", model)
    assert not folder.exists()


def test_wrong_arguments_are_refused_in_one_line(folder: Path) -> None:
    wrong: list[dict[str, Any]] = [
        {"bits_per_byte": float("nan")}, {"minutes": "long"}, {"text": 5}, {"notes": None}, {"chapter": "first"},
        {"continuations": {"a": 5}}, {"continuations": {5: "a"}}, {"bits_above_floor": torch.zeros(2)},
    ]  # fmt: skip
    for arguments in wrong:
        with pytest.raises(ValueError) as error:
            gallery.keep("x", **arguments)
        assert "\n" not in str(error.value)
    assert not folder.exists()


@pytest.mark.parametrize(
    "name", ["../x", "/etc/x", ".hidden", "a\\b", "C:x", "größe?", "x.json", "..", "con*", "<b>", "%2E"]
)
def test_odd_names_stay_in_the_folder_and_come_back(folder: Path, name: str) -> None:
    gallery.keep(name, {"a": 1}, notes="odd")
    gallery.keep("other")
    assert gallery.load(name).name == name and gallery.load(name).model == {"a": 1}
    assert [path.name for path in folder.parent.iterdir()] == ["gallery"]
    assert len(names(folder)) == 3 and all(path.is_file() for path in folder.iterdir())
    assert {one.name for one in gallery.show().models} == {name, "other"}


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "a\nb", "a\0b", "x~1", None, 5])
def test_impossible_names_are_refused(folder: Path, name: Any) -> None:
    with pytest.raises(ValueError, match="1 to 60 printable characters"):
        gallery.keep(name)
    assert not folder.exists()


def test_a_name_kept_again_leaves_the_one_before_it(folder: Path) -> None:
    for number in range(1, 4):
        gallery.keep("x", {"w": torch.full((2,), float(number))}, notes=str(number))
    assert gallery.load("x").notes == "3" and gallery.load("x").model["w"].tolist() == [3, 3]
    assert gallery.load("x~1").notes == "2" and gallery.load("x~1").model["w"].tolist() == [2, 2]
    assert [one.notes for one in gallery.show().models] == ["3"], "what was replaced is not shown"
    assert len(names(folder)) == 4, "no file of the first one is left"
    gallery.keep("x", {"w": torch.full((2,), 3.0)}, notes="4")  # the same weights as before
    assert gallery.load("x~1").model["w"].tolist() == gallery.load("x").model["w"].tolist() == [3, 3]
    gallery.keep("x", notes="5")
    gallery.keep("x", notes="6")
    assert names(folder) == ["x.json", "x~1.json"]


def test_a_name_that_there_is_not_lists_those_there_are() -> None:
    with pytest.raises(ValueError, match="There is no 'y' in the gallery; it holds: nothing"):
        gallery.load("y")
    gallery.keep("x")
    with pytest.raises(ValueError, match="it holds: x"):
        gallery.load("../y")


GOOD: dict[str, Any] = {
    "kind": gallery.KIND, "name": "bad", "chapter": None, "text": "", "continuations": {}, "bits_per_byte": None,
    "bits_above_floor": None, "minutes": None, "notes": "", "kept": "2027-01-01T00:00:00+00:00", "state": None,
}  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [
        b"",
        json.dumps(GOOD).encode()[:-20],
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b"null",
        json.dumps(GOOD | {"kind": "x"}).encode(),
        json.dumps(GOOD | {"name": 5}).encode(),
        json.dumps(GOOD | {"chapter": "one"}).encode(),
        json.dumps(GOOD | {"chapter": True}).encode(),
        json.dumps(GOOD | {"continuations": {"a": 5}}).encode(),
        json.dumps(GOOD | {"continuations": ["a"]}).encode(),
        json.dumps(GOOD | {"minutes": float("nan")}).encode(),
        json.dumps(GOOD | {"bits_per_byte": "1"}).encode(),
        json.dumps(GOOD | {"kept": None}).encode(),
        json.dumps(GOOD | {"state": {"file": "../secret.npz", "sha256": ""}}).encode(),
        json.dumps(GOOD | {"state": {"file": "x.npz"}}).encode(),
        json.dumps(GOOD | {"more": 1}).encode(),
        json.dumps({key: value for key, value in GOOD.items() if key != "notes"}).encode(),
        pickle.dumps(GOOD),
    ],
)
def test_a_damaged_file_is_named_skipped_and_left(
    folder: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    gallery.keep("good", notes="here")
    (folder / "bad.json").write_bytes(content)
    shown = gallery.show()
    assert [one.name for one in shown.models] == ["good"]
    (line,) = capsys.readouterr().out.splitlines()
    assert "bad.json is damaged (" in line and line.endswith("It was left as it is.")
    with pytest.raises(ValueError, match="bad.json is damaged") as error:
        gallery.load("bad")
    assert "\n" not in str(error.value)
    gallery.keep("bad", notes="again")
    assert capsys.readouterr().out.endswith("It is now bad.damaged-1.\n")
    assert gallery.load("bad").notes == "again" and (folder / "bad.damaged-1").read_bytes() == content
    (folder / "bad~1.json").write_bytes(content)
    gallery.keep("bad", notes="and again")
    assert gallery.load("bad~1").notes == "again" and (folder / "bad~1.damaged-1").read_bytes() == content


def test_the_good_record_of_the_tests_is_good(folder: Path) -> None:
    folder.mkdir()
    (folder / "bad.json").write_text(json.dumps(GOOD))
    assert gallery.load("bad").name == "bad"


def test_a_damaged_or_missing_model_is_named_and_its_texts_are_still_shown(folder: Path) -> None:
    gallery.keep("x", {"w": torch.zeros(1000)}, TEXTS)
    (file,) = folder.glob("*.npz")
    whole = file.read_bytes()
    for content in (whole[:1000], whole[:-1] + b"?", pickle.dumps([1]), b""):
        file.write_bytes(content)
        assert gallery.load("x").continuations == TEXTS and len(gallery.show().models) == 1
        with pytest.raises(ValueError, match="The model of 'x' is damaged"):
            _ = gallery.load("x").model
    file.unlink()
    with pytest.raises(ValueError, match="cannot be read: .*No such file"):
        _ = gallery.load("x").model


def test_nothing_is_pickled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("pickle")

    monkeypatch.setattr(pickle, "dumps", refused)
    monkeypatch.setattr(pickle, "loads", refused)
    monkeypatch.setattr(torch, "save", refused)
    monkeypatch.setattr(torch, "load", refused)
    gallery.keep("x", {"w": torch.ones(2), "t": np.ones(2), "c": {("a",): 1}})
    assert gallery.load("x").model["w"].tolist() == [1, 1]
    source = Path(gallery.__file__).read_text()
    assert "import pickle" not in source and source.count("allow_pickle=False") == 2


def _keep_often(number: int) -> None:
    for turn in range(8):
        gallery.keep("same", {"w": torch.full((50,), float(number)), "turn": turn}, notes=str(number))
        gallery.keep(f"own {number}", notes=str(turn))


def test_several_notebooks_may_keep_at_once(folder: Path) -> None:
    workers = [multiprocessing.get_context("fork").Process(target=_keep_often, args=(number,)) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert sorted(one.name for one in gallery.show().models) == ["own 0", "own 1", "own 2", "same"]
    for name in ("same", "same~1"):
        one = gallery.load(name)
        assert one.model["w"].tolist() == [float(one.notes)] * 50
    assert len(list(folder.glob("*.npz"))) == 2 and not list(folder.glob("*.writing"))


def test_a_kill_while_writing_leaves_the_model_before(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gallery.keep("x", {"w": 1}, notes="before")
    write = gallery.write_whole
    for stop in range(3):  # the model, NAME~1, the record
        calls = []

        def killed(path: Path, content: bytes, stop: int = stop, calls: list[Path] = calls) -> None:
            if len(calls) == stop:
                raise KeyboardInterrupt
            calls.append(path)
            write(path, content)

        monkeypatch.setattr(gallery, "write_whole", killed)
        with pytest.raises(KeyboardInterrupt):
            gallery.keep("x", {"w": 2}, notes="after")
        assert gallery.load("x").notes == "before" and gallery.load("x").model == {"w": 1}
    monkeypatch.setattr(gallery, "write_whole", write)
    gallery.keep("x", {"w": 2}, notes="after")
    assert gallery.load("x").model == {"w": 2} and gallery.load("x~1").model == {"w": 1}


def test_a_folder_that_cannot_be_written_is_said_in_one_line(folder: Path) -> None:
    folder.write_text("a file is in the way")
    with pytest.raises(OSError, match="cannot be written .*: set LMKIT_GALLERY to a folder") as error:
        gallery.keep("x")
    assert "\n" not in str(error.value)
    assert gallery.show().models == []


def test_the_table_has_the_order_of_the_chapters() -> None:
    gallery.keep("zoo")
    gallery.keep("08_mine", minutes=5, bits_per_byte=2.1, text="mine")
    gallery.keep("01_trigram", bits_above_floor=1.25, text="kitchen")
    gallery.keep("more of it", chapter=1)
    table = gallery.show().table
    assert isinstance(table, pd.DataFrame)
    assert list(table.index) == ["01_trigram", "more of it", "08_mine", "zoo"]
    assert table.loc["08_mine", ["minutes", "bits per byte", "text"]].tolist() == [5.0, 2.1, "mine"]
    assert table["bits above the floor"].isna().tolist() == [False, True, True, True]
    assert list(gallery.show("kitchen").table.index) == ["01_trigram"]


def test_what_they_write_stands_side_by_side_and_nothing_is_markup() -> None:
    gallery.keep("01_<b>bold", None, {"The <i>": "<script>alert(1)</script>\n& more", "I": "a" * 500}, text="<u>")
    gallery.keep("02_second", None, {"The <i>": "second's text", "": "from nothing"}, text="<u>")
    gallery.keep("03_other", None, {"ma": "ry"}, text="names", notes="<script>")
    shown = gallery.show()
    page = shown._repr_html_()
    for tag in ("<script", "<b>", "<i>The", "<u>"):
        assert tag not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;<br>&amp; more" in page and "The &lt;i&gt;" in page
    assert "a" * gallery.SHOWN + "…" in page and "a" * 401 not in page
    assert page.count("<table") == 3, "numbers, and one for each text"
    first, second = page[page.index("<tbody>", page.index("<caption>")) :].split("<tr>")[1:3]
    assert first.count("<td") == second.count("<td") == 3 and "second&#x27;s text" in second
    plain = repr(shown)
    assert (
        "names: 'ma' ..." in plain
        and "  03_other: ry" in plain
        and plain.index("01_<b>bold") < plain.index("02_second")
    )


def test_counts_need_no_torch(folder: Path) -> None:
    program = (
        "import sys; from lmkit import gallery; gallery.keep('x', {('a',): 1}); gallery.show();"
        " assert gallery.load('x').model == {('a',): 1}; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_an_empty_gallery_says_so() -> None:
    assert repr(gallery.show()) == gallery.EMPTY and gallery.EMPTY in gallery.show()._repr_html_()
    assert gallery.show().table.empty


def test_continuations_have_a_limit_and_no_half_characters() -> None:
    gallery.keep("x", None, {"a\ud800": "b" * 5_000})
    assert gallery.load("x").continuations == {"a?": "b" * gallery.LONGEST_TEXT}


@pytest.mark.parametrize("name", ["names", "kitchen", "berkeley"])
def test_prompts_are_words_of_the_text(name: str) -> None:
    corpus = lmkit.load(name)
    found = gallery.prompts(corpus)
    assert found == gallery.PROMPTS[name] and len(set(found)) == 3
    known = set(corpus.vocabulary)
    assert all({*(prompt.split() if corpus.unit == "word" else prompt)} <= known for prompt in found)


def test_prompts_of_an_own_text_are_from_it() -> None:
    parts = [list(f"Line number {chr(97 + place)} of it.\n") for place in range(20)]
    corpus = Corpus("mine", "", {"train": parts, "valid": parts[10:18]}, unit="character")
    assert gallery.prompts(corpus) == ("Line number m", "Line number o", "Line number q")
    words = Corpus("mine", "", {"train": [["some", "words", "of", "mine"]]})
    assert gallery.prompts(words) == ("some words of",) * 3


def test_the_course_s_own_run_leaves_nothing_in_a_learners_gallery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LMKIT_GALLERY")
    monkeypatch.setenv("LMKIT_BUDGET", "grading")
    monkeypatch.chdir(tmp_path)
    gallery.keep("01_trigram", None, TEXTS, text="kitchen")
    assert gallery.load("01_trigram").continuations == TEXTS
    assert not (tmp_path / "gallery").exists()
