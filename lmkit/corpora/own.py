"""A learner's own text: any file in UTF-8, or whatever is in work/texts/. Every problem is one line."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from lmkit.paths import own_folder

Splits = dict[str, list[list[str]]]
LEAST = 1_000  # characters: what is shorter has hardly a hundred to be tested on
MOST = 50_000_000  # bytes: one list of characters takes eight times as much memory
REACH = 1_000  # characters in which a cut between two splits looks for a blank; a twentieth of a short text


def is_path(name: str) -> bool:
    """Whether it names a file: no corpus has a dot, a slash or a backslash in its name."""
    return any(sign in name for sign in "./\\")


def read(path: str | Path) -> str:
    """The text of a file, every line end as \\n. ValueError or FileNotFoundError says in one line what is wrong."""
    path = Path(path).expanduser()
    if not path.is_file():
        if path.is_dir():
            raise ValueError(f"{path} is a folder: give the name of a file, or use load('mine') for work/texts/.")
        raise FileNotFoundError(f"There is no file {path} (looked for in {Path.cwd()}).")
    try:
        if path.stat().st_size > MOST:
            raise ValueError(f"{path} has more than {MOST // 10**6} MB: keep a part of it.")
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not UTF-8 (byte {error.start} of {len(content)}): save it as UTF-8 text."
        ) from None
    if "\0" in text:
        raise ValueError(f"{path} is no text: it holds zero bytes. Save it as plain text in UTF-8.")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise ValueError(f"{path} is empty.")
    return text


def split(texts: Sequence[str]) -> Splits:
    """Of each text the last tenth is "test", the tenth before it "valid", the rest "train"; characters by paragraph.

    A cut goes to the next blank, if one is near. The parts of a split, joined, are its text.
    """
    splits: Splits = {"train": [], "valid": [], "test": []}
    for text in texts:
        first, second = (_near_blank(text, len(text) * tenths // 10) for tenths in (8, 9))
        for name, stretch in zip(splits, (text[:first], text[first:second], text[second:]), strict=True):
            splits[name] += [list(part) for part in re.split(r"(?<=\n\n)(?!\n)", stretch) if part]
    return splits


def _near_blank(text: str, place: int) -> int:
    blank = re.compile(r"\s+").search(text, place, place + min(REACH, len(text) // 20))
    return blank.end() if blank else place


def checked_size(name: str, texts: Sequence[str]) -> int:
    """How many characters the texts have together; ValueError if these are too few."""
    size = sum(map(len, texts))
    if size < LEAST:
        raise ValueError(f"{name} has only {size} characters; a model needs at least {LEAST:,}, better 100,000.")
    return size


def mine() -> tuple[list[str], list[str]]:
    """The names and the texts of all files .txt in the learner's folder, in the order of their names."""
    folder = own_folder("texts")
    if not folder.is_dir():
        return [], []
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".txt" and path.is_file())
    texts = [read(path) for path in files]
    return [path.name for path in files], [text if text.endswith("\n") else text + "\n" for text in texts]


def offline() -> bool:
    """Whether the environment variable LMKIT_OFFLINE forbids to fetch anything."""
    return os.environ.get("LMKIT_OFFLINE", "") not in ("", "0")
