"""A file or a corpus as a long row of numbers.

Words: every text is followed by `</s>`, and all texts of a split make one row, so a model learns where texts end by
what it reads. Characters: a file as it stands; the words of a corpus with blanks between and a new line behind.
"""

import hashlib
import math
import multiprocessing
import os
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from lmkit import corpora, kitchen
from lmkit.pretrain.configs import PretrainConfig, RunError
from lmkit.real import FetchError

END, UNKNOWN = "</s>", "<UNK>"
SHARD = 1_000_000  # tokens of made text for one process at a time
UNKNOWNS = 200  # tokens; each costs some 10 ms to find out how probable any unknown word was at its place
SEED = 1_000  # of the first shard: the frozen splits have 1, 2 and 3


@dataclass(frozen=True)
class Text:
    """What a model learns from and is validated on. `train` and `valid` hold numbers of symbols, [N] each."""

    name: str
    level: str
    symbols: list[str]  # symbol number v is symbols[v]
    train: Tensor  # [N], int32
    valid: Tensor  # [M], int32
    sha256: str  # of both, spelled out: symbols separated by U+0000, the splits by U+0001
    floor: float | None = None  # what no model can beat on `valid`, in nats per token, where that is known

    def spell(self, numbers: Iterable[int]) -> str:
        """The text that the numbers stand for."""
        symbols = [self.symbols[number] for number in numbers]
        if self.level == "character":
            return "".join(symbols)
        return " ".join(symbols).replace(f" {END} ", "\n").replace(f" {END}", "").replace(f"{END} ", "")


def read_text(config: PretrainConfig, file: Path | None = None) -> Text:
    """The text that a run asks for; RunError if it cannot be had."""
    if file is not None:
        train, valid = _file(file, config.level)
        return numbered(file.name, config.level, train, valid)
    if config.corpus not in corpora.NAMES:
        raise RunError(f"There is no corpus {config.corpus!r}; choose one of: {', '.join(corpora.NAMES)}.")
    if config.corpus == "kitchen":
        return _kitchen(config)
    try:
        corpus = corpora.load(config.corpus)
    except FetchError as error:
        raise RunError(str(error)) from None
    splits, letters = corpus.splits, corpus.unit == "character"
    if letters and config.level == "word":
        raise RunError(f"{config.corpus} is a text of characters: --level character, or its file with --text.")
    held_out = splits.get("valid") or splits.get("test")
    if not held_out:
        raise RunError(f"{config.corpus} has one split only, and a run needs a second one to be validated on.")
    train, valid = (_row(split, config.level, letters) for split in (splits["train"], held_out))
    return numbered(config.corpus, config.level, train, valid)


def _file(file: Path, level: str) -> tuple[list[str], list[str]]:
    """The first nine tenths, and the rest."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise RunError(f"--text {file}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise RunError(f"--text {file}: this is no UTF-8 text.") from None
    if level == "character":
        symbols = list(text)
    else:
        lines = (re.findall(r"[\w'<>-]+|[^\w\s]", line) for line in text.splitlines())
        symbols = _row([line for line in lines if line], "word", letters=False)
    cut = len(symbols) * 9 // 10
    return symbols[:cut], symbols[cut:]


def _row(texts: Sequence[Sequence[str]], level: str, letters: bool) -> list[str]:
    """All texts of a split as one row of symbols."""
    if level == "word":
        return [symbol for text in texts for symbol in (*text, END)]
    if letters:
        return [symbol for text in texts for symbol in text]
    return list("".join(" ".join(text) + "\n" for text in texts))


def numbered(name: str, level: str, train: Sequence[str], valid: Sequence[str], floor: float | None = None) -> Text:
    """Symbols to numbers. Words that training shows once are `<UNK>`, so that the model learns what to do with such."""
    known, row = _types(train)
    return _finished(name, level, known, row, valid, floor)


def _types(symbols: Iterable[str]) -> tuple[list[str], np.ndarray]:
    """The different symbols in the order of the text, and the number of each symbol of the text, [N] uint32."""
    numbers: dict[str, int] = {}
    row = np.fromiter((numbers.setdefault(symbol, len(numbers)) for symbol in symbols), dtype=np.uint32)
    return list(numbers), row


def _finished(
    name: str, level: str, known: list[str], row: np.ndarray, valid: Sequence[str], floor: float | None = None
) -> Text:
    counts = np.bincount(row, minlength=len(known))
    least = 2 if level == "word" else 1
    kept = sorted(symbol for symbol, count in zip(known, counts, strict=True) if count >= least and symbol != UNKNOWN)
    symbols = [UNKNOWN, *kept]
    index = {symbol: number for number, symbol in enumerate(symbols)}
    new = np.array([index.get(symbol, 0) for symbol in known], dtype=np.int32)
    train = torch.from_numpy(new[row])
    held_out = torch.tensor([index.get(symbol, 0) for symbol in valid], dtype=torch.int32)
    digest = hashlib.sha256()
    for start in range(0, len(row), SHARD):  # in pieces: a long text need not be in memory twice
        digest.update("".join(known[number] + "\0" for number in row[start : start + SHARD].tolist()).encode())
    digest.update(("\1" + "".join(symbol + "\0" for symbol in valid)).encode())
    return Text(name, level, symbols, train, held_out, digest.hexdigest(), floor)


def _kitchen(config: PretrainConfig) -> Text:
    """As much made text as the config asks for, and the frozen validation split, whose floor is known."""
    sizes = [min(SHARD, config.tokens - start) for start in range(0, config.tokens, SHARD)]
    shards = [(config.level, size, SEED + number) for number, size in enumerate(sizes)]
    if len(shards) < 4:
        made = [_shard(*shard) for shard in shards]
    else:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        with ProcessPoolExecutor(min(cores or 1, len(shards)), multiprocessing.get_context("spawn")) as pool:
            made = list(pool.map(_shard, *zip(*shards, strict=True)))
    numbers: dict[str, int] = {}
    rows = []
    for known, row in made:
        places = np.array([numbers.setdefault(symbol, len(numbers)) for symbol in known], dtype=np.uint32)
        rows.append(places[row])
    held_out = kitchen.split("valid")
    valid = _row([document.tokens[:-1] for document in held_out], config.level, letters=False)
    text = _finished("kitchen", config.level, list(numbers), np.concatenate(rows), valid)
    if config.level == "character":  # the same stories, so the same surprise, over more tokens
        nats = kitchen.floor(held_out).nats * sum(map(len, held_out)) / len(valid)
    elif int((text.valid == 0).sum()) <= UNKNOWNS:
        nats = kitchen.floor(held_out, set(text.symbols)).nats
    else:
        return text
    return Text(text.name, text.level, text.symbols, text.train, text.valid, text.sha256, nats)


def _shard(level: str, tokens: int, seed: int) -> tuple[list[str], np.ndarray]:
    documents = kitchen.documents(tokens=tokens, seed=seed)
    return _types(_row([document.tokens[:-1] for document in documents], level, letters=False))


def save(text: Text, path: Path) -> None:
    """Keep the numbers, so that the other processes and a resumed run need not make them again."""
    beside = path.with_name(path.name + ".writing")
    torch.save({name: getattr(text, name) for name in Text.__dataclass_fields__}, beside)
    beside.replace(path)


def load(path: Path) -> Text:
    """What `save` wrote."""
    return Text(**torch.load(path, weights_only=True))


def nats_to_bits_per_character(nats: float, text: Text) -> float:
    """A loss per token as bits per character of the validation text as it is written, whatever a token is."""
    if text.level == "character":
        return nats / math.log(2)
    written = len(" ".join(text.symbols[number] for number in text.valid.tolist())) + 1
    return nats * len(text.valid) / math.log(2) / written
