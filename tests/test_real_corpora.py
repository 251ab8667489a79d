"""Fetching from a server on this machine, preparing lines made up here: needs no network and no real file."""

import hashlib
import http.server
import io
import threading
import tomllib
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import lmkit
from lmkit import real
from lmkit.corpora import REAL
from lmkit.corpora import __main__ as command_line
from lmkit.paths import DATA
from lmkit.real import Entry, FetchError, File

CONTENT = bytes(range(256)) * 2000  # 512,000 bytes
SHA = hashlib.sha256(CONTENT).hexdigest()
OTHER = hashlib.sha256(b"other").hexdigest()

# From the issue, typed again.
KNOWN = {
    "ptb.train.txt": (5_101_618, "fcea919f6cf83f35d4d00c6cbf08040d13d4155226340912e2fef9c9c4102cbf"),
    "ptb.valid.txt": (399_782, "c9fe6985fe0d4ccb578183407d7668fc6066c20700cb4cf87d8ff1cc34df1bf2"),
    "ptb.test.txt": (449_945, "dd65dff31e70846b2a6030a87482edcd5d199130cdcfa1f3dccbb033728deee0"),
    "transcript.txt": (388_992, "a5d765a61b3b0635a90dc423b53a9334793af78a8167a8a16d3139418d7a5583"),
    "input.txt": (1_115_394, "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"),
}


@dataclass
class Site:
    """What the server sends and what it was asked."""

    url: str = ""
    content: bytes = CONTENT
    cuts: int = 0  # so many answers stop early
    status: int = 200
    asked: int = 0  # how often


@pytest.fixture
def site() -> Iterator[Site]:
    state = Site()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked += 1
            if state.status != 200:
                self.send_error(state.status)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(state.content)))
            self.end_headers()
            cut, state.cuts = state.cuts > 0, max(state.cuts - 1, 0)
            self.wfile.write(state.content[: len(state.content) // 3] if cut else state.content)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/text.txt"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LMKIT_CACHE", str(tmp_path / "cache"))
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def entry(url: str, sha256: str | None = SHA, name: str = "text.txt") -> Entry:
    return Entry("some-text", "about", "licence", "source", (File(name, url, len(CONTENT), sha256),))


def one_line(error: pytest.ExceptionInfo[FetchError]) -> str:
    message = str(error.value)
    assert "\n" not in message
    return message


def left_over(name: str = "some-text") -> list[str]:
    return sorted(path.name for path in (real.cache_folder() / name).iterdir())


def test_a_good_file_is_fetched_once(site: Site) -> None:
    (path,) = real.fetch(entry(site.url), progress=False).values()
    assert path.read_bytes() == CONTENT
    real.fetch(entry(site.url), progress=False)
    assert site.asked == 1
    assert left_over() == ["text.txt"]
    assert real.is_cached(entry(site.url))


def test_a_progress_bar_is_drawn(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    real.fetch(entry(site.url))
    assert "100%" in capsys.readouterr().err


def test_a_wrong_hash_is_refused_in_one_line_and_nothing_is_kept(site: Site) -> None:
    with pytest.raises(FetchError) as error:
        real.fetch(entry(site.url, OTHER), progress=False)
    message = one_line(error)
    assert "refused text.txt" in message and SHA in message and OTHER in message
    assert left_over() == []
    assert site.asked == 1, "a wrong file does not get better when it is fetched again"


def test_a_damaged_copy_in_the_cache_is_replaced(site: Site) -> None:
    (path,) = real.fetch(entry(site.url), progress=False).values()
    path.write_bytes(b"damaged")
    real.fetch(entry(site.url), progress=False)
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("sha256", [SHA, None])
def test_a_cut_connection_is_one_clear_line_and_the_next_call_begins_again(site: Site, sha256: str | None) -> None:
    site.cuts = 1
    with pytest.raises(FetchError) as error:
        real.fetch(entry(site.url, sha256), progress=False)
    assert "no connection" in one_line(error) and "--from" in one_line(error)
    assert left_over() == []
    (path,) = real.fetch(entry(site.url), progress=False).values()
    assert path.read_bytes() == CONTENT and left_over() == ["text.txt"]


def test_without_a_network_there_is_one_clear_line() -> None:
    with pytest.raises(FetchError) as error:
        real.fetch(entry("http://127.0.0.1:9/text.txt"), progress=False)
    assert "no connection" in one_line(error) and "--from FILE" in one_line(error)


def test_a_missing_page_is_asked_for_once(site: Site) -> None:
    site.status = 404
    with pytest.raises(FetchError) as error:
        real.fetch(entry(site.url), progress=False)
    assert "answers 404" in one_line(error)
    assert site.asked == 1


def test_an_unknown_hash_is_recorded_with_a_warning_and_then_holds(site: Site) -> None:
    unknown = entry(site.url, None)
    assert not real.is_cached(unknown)
    with pytest.warns(UserWarning, match=SHA):
        (path,) = real.fetch(unknown, progress=False).values()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        real.fetch(unknown, progress=False)
    path.unlink()
    site.content = b"something else"
    with pytest.raises(FetchError, match="refused"):
        real.fetch(unknown, progress=False)


def test_from_takes_a_file_by_its_hash_whatever_its_name(tmp_path: Path) -> None:
    mine = tmp_path / "my copy.txt"
    mine.write_bytes(CONTENT)
    (path,) = real.fetch(entry("http://127.0.0.1:9/"), [mine]).values()
    assert path.name == "text.txt" and path.read_bytes() == CONTENT and mine.exists()


def test_from_refuses_a_wrong_file_and_keeps_what_there_is(tmp_path: Path) -> None:
    mine, wrong = tmp_path / "mine.txt", tmp_path / "wrong.txt"
    mine.write_bytes(CONTENT)
    wrong.write_bytes(b"wrong")
    known = entry("http://127.0.0.1:9/")
    real.fetch(known, [mine])
    with pytest.raises(FetchError) as error:
        real.fetch(known, [wrong])
    assert "refused" in one_line(error) and SHA in one_line(error)
    assert real.is_cached(known)
    with pytest.raises(FetchError, match="no file"):
        real.fetch(known, [tmp_path / "nowhere.txt"])


def test_from_says_what_is_still_missing(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_bytes(CONTENT)
    two = Entry("two", "", "", "", (File("one.txt", "", None, SHA), File("two.txt", "", None, OTHER)))
    with pytest.raises(FetchError, match=r"two\.txt is still missing"):
        real.fetch(two, [mine])


def test_from_records_an_unknown_hash(tmp_path: Path) -> None:
    mine = tmp_path / "text.txt"
    mine.write_bytes(CONTENT)
    with pytest.warns(UserWarning, match="recorded"):
        real.fetch(entry("http://127.0.0.1:9/", None), [mine])
    assert real.is_cached(entry("", None))


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in the way").write_text("a file where the folder should be")
    monkeypatch.setenv("LMKIT_CACHE", str(tmp_path / "in the way"))
    with pytest.raises(FetchError) as error:
        real.fetch(entry("http://127.0.0.1:9/"))
    assert "cannot make the folder" in one_line(error)


# ---- the registry and the command line ----


def test_the_registry_holds_the_known_hashes_and_invents_none() -> None:
    entries = real.registry()
    assert set(entries) == set(REAL) == set(real.PREPARE)
    files = {file.name: (file.bytes, file.sha256) for one in entries.values() for file in one.files}
    assert {name: found for name, found in files.items() if found[1]} == KNOWN
    assert {name for name, found in files.items() if not found[1]} == {"text8.zip", "wikitext-2-v1.zip"}
    for one in entries.values():
        assert one.about and one.licence and one.source
        assert all(file.url.startswith("https://") for file in one.files)


def test_command_line(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def run(*arguments: str) -> int:
        with pytest.raises(SystemExit) as ended:
            command_line.app(arguments)
        return int(ended.value.code or 0)

    assert run("list") == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in REAL) and "5,951,345 bytes" in listed and "here" not in listed
    monkeypatch.setattr(real, "registry", lambda: {"some-text": entry(site.url, None)})
    assert run("fetch", "some-text") == 0
    captured = capsys.readouterr()
    assert "text.txt  512,000 bytes" in captured.out
    assert captured.err.count("warning: No SHA-256") == 1
    wrong = tmp_path / "wrong.txt"
    wrong.write_bytes(b"wrong")
    assert run("fetch", "some-text", "--from", str(wrong)) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("error: ") and captured.err.count("\n") == 1 and "Traceback" not in captured.err
    assert run("fetch", "other") == run("fetch", "some-text", str(wrong)) == 2
    errors = capsys.readouterr().err
    assert "other is none of: some-text." in errors and "files go behind --from" in errors


def test_command_line_takes_several_files_behind_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    contents = {"one.txt": b"1", "two.txt": b"2"}
    files = tuple(File(name, "", None, hashlib.sha256(text).hexdigest()) for name, text in contents.items())
    monkeypatch.setattr(real, "registry", lambda: {"two": Entry("two", "", "", "", files)})
    for name, text in contents.items():
        (tmp_path / f"my {name}").write_bytes(text)
    with pytest.raises(SystemExit):
        command_line.app(["fetch", "two", "--from", *(str(tmp_path / f"my {name}") for name in contents)])
    assert left_over("two") == ["one.txt", "two.txt"]


# ---- preparing ----


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("33_1_0001 okay let's see . [uh] i want thai food", "okay let's see i want thai food"),
        ("33_1_0002 <i> <like> <to> [uh] i like to eat . at ten a__m", "i like to eat at ten a__m"),
        ("33_1_0003 i wa- wanna eat -o you", "i wanna eat you"),
        ("33_1_0004 (thi)-s is for din-(ner)", "this is for dinner"),
        ("33_1_0005 <(te)-ll> <me> tell me more", "tell me more"),
        ("33_1_0006 i don't *understand* !thai food", "i don't understand thai food"),
        ("33_1_0007 <no [loud_breath] not that> <no> never mind [laughter]", "never mind"),
        ("33_1_0008 (i'd) like {(wan)-t} something: cheap", "i'd like want something cheap"),
        ("33_1_0009 au-coquelet on san__pablo", "au-coquelet on san__pablo"),
        ("33_1_0010 [um] .", ""),
    ],
)
def test_berkeley_transcripts_lose_their_markup(line: str, words: str) -> None:
    assert real.transcript_words(line) == words.split()


def prepared(monkeypatch: pytest.MonkeyPatch, name: str, files: dict[str, bytes]) -> lmkit.Corpus:
    """The corpus as `load` gives it, made from these contents."""
    folder = real.cache_folder() / name
    folder.mkdir(parents=True)
    listed = []
    for file, content in files.items():
        (folder / file).write_bytes(content)
        listed.append(File(file, "http://127.0.0.1:9/", len(content), hashlib.sha256(content).hexdigest()))
    known = real.registry()[name]
    monkeypatch.setattr(real, "registry", lambda: {name: replace(known, files=tuple(listed))})
    return lmkit.load(name)


def zipped(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def test_no_speaker_of_the_transcripts_is_in_both_splits(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"{speaker:02}_1_{n:04} [uh] i am speaker-{speaker}x" for speaker in range(40) for n in range(5)]
    lines.append("07_1_0099 [uh]")
    corpus = prepared(monkeypatch, "berkeley-transcripts", {"transcript.txt": "\n".join(lines).encode()})
    train, test = ({sentence[-1] for sentence in corpus.splits[split]} for split in ("train", "test"))
    assert len(train) == 36 and len(test) == 4 and not train & test
    assert len(corpus.splits["train"]) + len(corpus.splits["test"]) == 200, "an utterance without words is no sentence"


def test_shakespeare_is_characters_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"Speaker {n}:\nI say {n}, and\nagain {n}.\n\n" for n in range(100))
    corpus = prepared(monkeypatch, "tiny-shakespeare", {"input.txt": text.encode()})
    assert corpus.unit == "character" and corpus.part == "speech"
    joined = "".join("".join(part) for split in ("train", "valid", "test") for part in corpus.splits[split])
    assert joined == text
    assert "".join(corpus.splits["train"][0]) == "Speaker 0:\nI say 0, and\nagain 0.\n\n"
    assert 0.88 < sum(map(len, corpus.splits["train"])) / len(text) < 0.92


def test_penn_treebank_keeps_its_splits(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        f"ptb.{split}.txt": f" no it was n't {split} \n <unk> N years \n".encode()
        for split in ("train", "valid", "test")
    }
    corpus = prepared(monkeypatch, "ptb", files)
    assert corpus.splits["valid"] == [["no", "it", "was", "n't", "valid"], ["<unk>", "N", "years"]]


def test_wikitext_drops_empty_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    content = zipped(
        {
            f"wikitext-2/wiki.{split}.tokens": f" \n = {split} = \n \n A <unk> . \n"
            for split in ("train", "valid", "test")
        }
    )
    corpus = prepared(monkeypatch, "wikitext-2", {"wikitext-2-v1.zip": content})
    assert corpus.splits["test"] == [["=", "test", "="], ["A", "<unk>", "."]]


def test_text8_keeps_every_word_over_block_borders(monkeypatch: pytest.MonkeyPatch) -> None:
    text = " " + " ".join(f"{'abcdefghij'[n % 10] * (1 + n % 13)}" for n in range(30_000))
    corpus = prepared(monkeypatch, "text8", {"text8.zip": zipped({"text8": text})})
    words = [word for split in ("train", "valid", "test") for part in corpus.splits[split] for word in part]
    assert " " + " ".join(words) == text
    assert corpus.splits["valid"] and corpus.splits["test"]


def test_an_archive_that_is_none_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FetchError, match="cannot be read"):
        prepared(monkeypatch, "text8", {"text8.zip": b"<html>moved</html>"})


def test_the_registry_is_plain_toml() -> None:
    assert tomllib.loads((DATA / "registry.toml").read_text())
