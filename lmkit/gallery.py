"""The gallery: the models that a learner has made, each with how it continues the same prompts.

    corpus = lmkit.load("kitchen")
    gallery.keep(
        "01_trigram",
        model={"counts": counts},
        text=corpus.name,
        continuations={prompt: write(prompt) for prompt in gallery.prompts(corpus)},
        bits_per_byte=1.9,
        minutes=0.1,
    )
    gallery.show()                            all of them, in the order of the chapters
    gallery.load("01_trigram").model          {"counts": ...}

The files are in work/gallery/ (`lmkit.paths.own_folder`; the environment variable LMKIT_GALLERY names another folder):
NAME.json can be read by people, NAME-....npz holds the weights or counts. Keeping a name again makes the one before it
NAME~1. A file that is damaged is named in one line and left as it is. Nothing here uses pickle.
"""

import atexit
import functools
import hashlib
import html
import io
import itertools
import json
import math
import os
import re
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from lmkit.budgets import is_grading
from lmkit.corpora import Corpus
from lmkit.files import write_whole
from lmkit.paths import own_folder

if TYPE_CHECKING:
    import pandas as pd

KIND = "model in the gallery"  # what a record says it is
FORMER = "~1"  # behind the name of the model that was kept under the same name before
LONGEST_NAME = 60  # characters
LONGEST_TEXT = 2_000  # characters of a continuation that are kept
SHOWN = 400  # characters of a continuation that are shown
WAIT = 30.0  # seconds for another notebook that is writing
PROMPTS = {
    "names": ("", "ma", "jo"),
    "kitchen": ("on a cold evening ,", "the waiter serves", "meanwhile , the young"),
    "berkeley": ("i want to", "is it open for", "tell me about"),
    "tiny-shakespeare": ("ROMEO:\n", "My lord, ", "To be, or not "),
}


def prompts(corpus: Corpus) -> tuple[str, str, str]:
    """The three prompts that every model of this text continues.

    Fixed for the texts in PROMPTS; for any other, such as your own, the first words of three parts of its validation
    split (of the training split if it has no other), so that a model has seen all or nearly all of their characters.
    Words are joined by blanks.
    """
    if corpus.name in PROMPTS:
        return PROMPTS[corpus.name]
    parts = corpus.splits.get("valid") or corpus.splits["train"]
    blank = " " if corpus.unit == "word" else ""
    openings = (blank.join(parts[len(parts) * quarter // 4][:60]).split() for quarter in (1, 2, 3))
    first, second, third = (" ".join(words[:3]) or " " for words in openings)
    return first, second, third


@dataclass(frozen=True)
class Kept:
    """One model of the gallery. What was not given is None, or "" where it is text."""

    name: str
    chapter: int | None
    text: str  # what it has learned from
    continuations: dict[str, str]  # prompt -> how it goes on
    bits_per_byte: float | None
    bits_above_floor: float | None  # per token
    minutes: float | None  # of training
    notes: str
    kept: str  # when, such as 2027-02-03T14:15:16+00:00
    state: dict[str, str] | None = field(default=None, repr=False)  # the file with the model and its SHA-256

    @property
    def model(self) -> Any:
        """What was given to `keep` as its model, or None: tensors on the CPU, every mapping as a dict.

        Raises ValueError if its file is missing or damaged.
        """
        if self.state is None:
            return None
        path = _folder() / self.state["file"]
        try:
            content = path.read_bytes()
        except OSError as error:
            raise ValueError(f"The model of {self.name!r} cannot be read: {path}: {error.strerror}.") from None
        if hashlib.sha256(content).hexdigest() != self.state["sha256"]:
            raise ValueError(f"The model of {self.name!r} is damaged: {path} is not what was written.")
        return _unpack(content)


def keep(
    name: str,
    model: Any = None,
    continuations: Mapping[str, str] | None = None,
    *,
    text: str = "",
    bits_per_byte: float | None = None,
    bits_above_floor: float | None = None,
    minutes: float | None = None,
    notes: str = "",
    chapter: int | None = None,
) -> None:
    """Put a model into the gallery; one of the same name becomes NAME~1, and the NAME~1 before it is gone.

    `model` is whatever is needed to use it again: a `state_dict()`, counts, a vocabulary, or a dict of such things.
    Tensors, NumPy arrays, mappings (also with tuples as keys), lists, tuples, strings, numbers, booleans and None can
    be kept. `chapter` orders the gallery; without it, a number at the beginning of the name does.

    Raises ValueError, before anything is written, for what cannot be kept, and OSError if the folder cannot be
    written.
    """
    if not isinstance(name, str) or not 0 < len(name.strip()) <= LONGEST_NAME or not name.isprintable() or "~" in name:
        raise ValueError(
            f"A name in the gallery has 1 to {LONGEST_NAME} printable characters, ~ not among them: {name!r}."
        )
    number = re.match(r"\d{1,3}", name)
    record = Kept(
        name=name,
        chapter=int(number[0]) if chapter is None and number else chapter,
        text=text,
        continuations={_clean(prompt): _clean(more) for prompt, more in (continuations or {}).items()},
        bits_per_byte=_number(bits_per_byte),
        bits_above_floor=_number(bits_above_floor),
        minutes=_number(minutes),
        notes=notes,
        kept=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    packed = None if model is None else _pack(model)
    content = {"kind": KIND, **vars(record)}
    folder, slug = _folder(), _slug(name)
    if packed is not None:
        digest = hashlib.sha256(packed).hexdigest()
        content["state"] = {"file": f"{slug}-{digest[:12]}.npz", "sha256": digest}
    _checked(content)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock", timeout=WAIT):
            if packed is not None:
                write_whole(folder / content["state"]["file"], packed)
            _make_former(folder, slug, content["state"])
            write_whole(folder / f"{slug}.json", (json.dumps(content, indent=1) + "\n").encode())
    except Timeout:
        raise OSError(f"Another program has been writing to {folder} for {WAIT:.0f} seconds; try again.") from None
    except OSError as error:
        raise OSError(
            f"The gallery {folder} cannot be written ({error.strerror}): set LMKIT_GALLERY to a folder that can."
        ) from None


def _make_former(folder: Path, slug: str, state: dict[str, str] | None) -> None:
    """NAME becomes NAME~1; the model of the NAME~1 before it is deleted unless one of the two, or `state`, is it."""
    current, former = folder / f"{slug}.json", folder / f"{slug}{FORMER}.json"
    now, before = _sound(current), _sound(former)
    if now is None:
        return
    write_whole(former, current.read_bytes())
    used = [one["file"] for one in (state, now.state) if one]
    if before and before.state and before.state["file"] not in used:
        (folder / before.state["file"]).unlink(missing_ok=True)


def _sound(path: Path) -> Kept | None:
    """The record of that file, or None. One that is damaged is moved out of the way, never deleted, and said."""
    if not path.exists():
        return None
    try:
        return _read(path)
    except ValueError as error:
        names = (path.with_suffix(f".damaged-{number}") for number in itertools.count(1))
        beside = next(name for name in names if not name.exists())
        path.rename(beside)
        print(f"{error} It is now {beside.name}.")
        return None


def load(name: str) -> Kept:
    """The model of that name; NAME~1 is the one that was kept as NAME before it.

    Raises ValueError, with the names there are, if there is none, or if its file is damaged.
    """
    path = _folder() / f"{_slug(name)}.json"
    if not path.is_file():
        found = ", ".join(one.name for one in _all(_folder())) or "nothing"
        raise ValueError(f"There is no {name!r} in the gallery; it holds: {found}.")
    return _read(path)


def show(text: str | None = None) -> "Gallery":
    """All models, or those that learned from that text, in the order of the chapters: a notebook draws it.

    `.table` has a row for each model; what it writes stands side by side below. Prints a line on each damaged file.
    """
    return Gallery([one for one in _all(_folder()) if text is None or one.text == text])


@dataclass(frozen=True)
class Gallery:
    """The models of the gallery, in order."""

    models: Sequence[Kept]

    @property
    def table(self) -> "pd.DataFrame":
        """One row for each model: chapter, text, bits, minutes, when, notes."""
        import pandas as pd

        columns = ["chapter", "text", "bits per byte", "bits above the floor", "minutes", "kept", "notes"]
        rows = [
            [one.chapter, one.text, one.bits_per_byte, one.bits_above_floor, one.minutes, one.kept[:10], one.notes]
            for one in self.models
        ]
        names = pd.Index([one.name for one in self.models], name="model", dtype=object)
        numbers = dict.fromkeys(["bits per byte", "bits above the floor", "minutes"], float) | {"chapter": "Int64"}
        return pd.DataFrame(rows, index=names, columns=columns).astype(numbers)

    @property
    def texts(self) -> list[tuple[str, list[str], list[Kept]]]:
        """For each text its prompts, in the order in which they were met, and the models that continue them."""
        found = []
        for text in dict.fromkeys(one.text for one in self.models):
            models = [one for one in self.models if one.text == text and one.continuations]
            if models:
                found.append(
                    (text, list(dict.fromkeys(prompt for one in models for prompt in one.continuations)), models)
                )
        return found

    def __repr__(self) -> str:
        if not self.models:
            return EMPTY
        lines = [self.table.to_string(na_rep="", float_format="{:.2f}".format)]
        for text, found, models in self.texts:
            for prompt in found:
                lines += ["", f"{text}: {prompt!r} ..."]
                for one in models:
                    more = " ".join(one.continuations.get(prompt, "").split())[:SHOWN]
                    lines += textwrap.wrap(more, 100, initial_indent=f"  {one.name}: ", subsequent_indent="    ")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        if not self.models:
            return f"<p>{html.escape(EMPTY)}</p>"
        parts = [self.table.to_html(na_rep="", float_format="{:.2f}".format, escape=True)]
        for text, found, models in self.texts:
            heads = "".join(f"<th {LEFT}>{_shown(prompt) or '<i>(from nothing)</i>'}</th>" for prompt in found)
            rows = "".join(
                f"<tr><th {LEFT}>{html.escape(one.name)}</th>"
                + "".join(f"<td {LEFT}>{_shown(one.continuations.get(prompt, ''))}</td>" for prompt in found)
                + "</tr>"
                for one in models
            )
            parts.append(
                f"<table><caption>{html.escape(text) or 'continuations'}</caption>"
                f"<thead><tr><th></th>{heads}</tr></thead><tbody>{rows}</tbody></table>"
            )
        return "\n".join(parts)


LEFT = 'style="text-align: left; vertical-align: top"'  # JupyterLab puts all tables to the right
EMPTY = "The gallery is empty: no model has been kept yet."


def _shown(text: str) -> str:
    """Text for a cell of a table: nothing in it is markup, its line ends stay."""
    cut = text if len(text) <= SHOWN else text[:SHOWN] + "…"
    return html.escape(cut).replace("\n", "<br>")


@functools.cache
def _courses_own() -> Path:
    """A folder for what the course's own run keeps: nothing of it is a learner's, and it goes with the process."""
    folder = tempfile.mkdtemp(prefix="gallery-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _folder() -> Path:
    if is_grading() and "LMKIT_GALLERY" not in os.environ:
        return _courses_own()
    return own_folder("gallery")


def _slug(name: str) -> str:
    """The name as a file can have it: no separator, nothing hidden; different names stay different."""
    return quote(name, safe=" ,()+").replace(".", "%2E")


def _all(folder: Path) -> list[Kept]:
    """What can be read, in order, without those that were replaced; a line is printed on what cannot."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            record = _read(path)
        except ValueError as error:
            print(f"{error} It was left as it is.")
            continue
        if not path.stem.endswith(FORMER):
            found.append(record)
    return sorted(found, key=lambda one: (math.inf if one.chapter is None else one.chapter, one.kept, one.name))


def _read(path: Path) -> Kept:
    """A record. Raises ValueError, one line that names the file, for anything but what `keep` writes."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return _checked(content)
    except (OSError, ValueError, TypeError, RecursionError) as error:
        reason = (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
        raise ValueError(f"{path} is damaged ({reason}).".replace("\n", " ")) from None


def _checked(content: object) -> Kept:
    """A record with every field of its type; ValueError names the first that is not."""
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise ValueError(f'it does not say "kind": "{KIND}"')
    fields = {key: value for key, value in content.items() if key != "kind"}
    tests: dict[str, Callable[[Any], bool]] = {
        "name": lambda value: isinstance(value, str),
        "chapter": lambda value: value is None or type(value) is int,
        "text": lambda value: isinstance(value, str),
        "continuations": _strings,
        "bits_per_byte": _measured,
        "bits_above_floor": _measured,
        "minutes": _measured,
        "notes": lambda value: isinstance(value, str),
        "kept": lambda value: isinstance(value, str),
        # A record names a file beside it and no other.
        "state": lambda value: (
            value is None
            or (
                _strings(value)
                and {*value} == {"file", "sha256"}
                and bool(re.fullmatch(r"[^/\\]+\.npz", value["file"]))
            )
        ),
    }
    for key, test in tests.items():
        if key not in fields or not test(fields[key]):
            raise ValueError(f"{key!r} is {fields[key]!r:.40}" if key in fields else f"it has no {key!r}")
    if unknown := {*fields} - {*tests}:
        raise ValueError(f"it has {min(unknown)!r}, which no model has")
    return Kept(**fields)


def _strings(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(word, str) for pair in value.items() for word in pair)


def _measured(value: object) -> bool:
    return value is None or (type(value) in (int, float) and math.isfinite(value))  # type: ignore[arg-type]


def _number(value: float | None) -> float | None:
    """A plain float of what measures something: also of a tensor or an array with one number."""
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"A measure is a number; got {value!r:.60}.")
    return number


def _clean(text: str) -> str:
    """A prompt or a continuation as it is kept: not too long, no half characters."""
    if not isinstance(text, str):
        raise ValueError(f"Prompts and continuations are strings; got {text!r:.60}.")
    return text[:LONGEST_TEXT].encode("utf-8", "replace").decode()


def _pack(model: Any) -> bytes:
    """A model as the bytes of an .npz file: its arrays, numbered, and "structure", JSON that says where they belong."""
    arrays: list[NDArray[Any]] = []
    structure = json.dumps(_plain(model, arrays)).encode()
    named = {str(number): array for number, array in enumerate(arrays)}
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, structure=np.frombuffer(structure, dtype=np.uint8), **named)
    return buffer.getvalue()


def _plain(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """`value` for JSON: lists, and dicts with one key that says what they stand for; its arrays go to `arrays`."""
    if value is None or isinstance(value, bool | str | int | float):
        return value
    if isinstance(value, np.generic):
        return _plain(value.item(), arrays)
    if isinstance(value, list):
        return [_plain(one, arrays) for one in value]
    if isinstance(value, tuple):
        return {"tuple": [_plain(one, arrays) for one in value]}
    if isinstance(value, Mapping):
        return {"dict": [[_plain(key, arrays), _plain(one, arrays)] for key, one in value.items()]}
    torch = sys.modules.get("torch")  # without it nothing can be a tensor, and to import it takes a second
    if torch and isinstance(value, torch.Tensor):
        kind = str(value.dtype).removeprefix("torch.")
        number = value.detach().cpu()
        # NumPy has no bfloat16; float32 holds each of its numbers exactly.
        arrays.append((number.float() if number.dtype == torch.bfloat16 else number).contiguous().numpy())
        return {"tensor": len(arrays) - 1, "dtype": kind}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufcUS":
        arrays.append(value)
        return {"array": len(arrays) - 1}
    raise ValueError(f"A model cannot hold a {type(value).__name__}: give its state_dict(), or its counts as a dict.")


def _unpack(content: bytes) -> Any:
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        return _rebuilt(json.loads(file["structure"].tobytes()), file)


def _rebuilt(value: Any, file: Mapping[str, NDArray[Any]]) -> Any:
    """The opposite of `_plain`."""
    if isinstance(value, list):
        return [_rebuilt(one, file) for one in value]
    if not isinstance(value, dict):
        return value
    if "tuple" in value:
        return tuple(_rebuilt(one, file) for one in value["tuple"])
    if "dict" in value:
        return {_rebuilt(key, file): _rebuilt(one, file) for key, one in value["dict"]}
    if "array" in value:
        return file[str(value["array"])]
    import torch

    return torch.from_numpy(file[str(value["tensor"])]).to(getattr(torch, value["dtype"]))
