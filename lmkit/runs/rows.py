"""A file or a corpus as a long row of numbers, from which blocks are read.

Words: every text is followed by `</s>`, and all texts of a split make one row, so a model learns where texts end by
what it reads. Characters and byte pairs: a file as it stands; the words of a corpus with blanks between and a new line
behind.
"""

import hashlib
import json
import multiprocessing
import os
import re
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lmkit import bpe, corpora, kitchen
from lmkit.bpe import bits_per_byte
from lmkit.files import write_whole
from lmkit.models import parameter_count
from lmkit.ngrams import END, UNKNOWN
from lmkit.real import FetchError
from lmkit.runs.batches import Batches, validation
from lmkit.runs.configs import RunConfig, RunError
from lmkit.runs.processes import Processes
from lmkit.runs.text import Part, text_loss
from lmkit.training.tools import device_of
from lmkit.transformer import Transformer, draw, probabilities

SHARD = 1_000_000  # tokens of made text for one process at a time
UNKNOWNS = 200  # tokens; each costs some 10 ms to find out how probable any unknown word was at its place
SEED = 1_000  # of the first shard: the frozen splits have 1, 2 and 3
MAX_WORDS = 50_000  # of a vocabulary: the scores of a batch, [B, T, V], must fit into memory
PIECES = 512  # of level "bpe"
MAX_LEARNED = 10_000_000  # characters from which byte pairs are learned
SAMPLES = 3


@dataclass(frozen=True)
class Spelling:
    """How a text becomes numbers, and back. Token number v reads `symbols[v]`; `merges` are those of byte pairs."""

    level: str
    symbols: list[str]
    merges: list[tuple[int, int]] | None = None

    @cached_property
    def _bpe(self) -> bpe.BPE:
        return bpe.BPE([(first, second) for first, second in self.merges or []])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {symbol: number for number, symbol in enumerate(self.symbols)}

    def encode(self, text: str) -> list[int]:
        """The numbers of a text's tokens; what is unknown is number 0, `<UNK>`."""
        if self.level == "bpe":
            return self._bpe.encode(text)
        return [self._numbers.get(symbol, 0) for symbol in (_words(text) if self.level == "word" else text)]

    def spell(self, numbers: Iterable[int]) -> str:
        """The text that the numbers stand for."""
        if self.level == "bpe":
            return self._bpe.decode(numbers)
        symbols = [self.symbols[number] for number in numbers]
        if self.level == "character":
            return "".join(symbols)
        return " ".join(symbols).replace(f" {END} ", "\n").replace(f" {END}", "").replace(f"{END} ", "")

    @property
    def start(self) -> int:
        """The token after which a text begins."""
        if self.level == "bpe":
            return self._bpe.encode("\n")[0]
        return next((self._numbers[sign] for sign in (END, "\n") if sign in self._numbers), 0)

    def save(self, path: Path) -> None:
        """Write it as JSON."""
        content = {"level": self.level, "symbols": self.symbols, "merges": self.merges}
        write_whole(path, (json.dumps(content, ensure_ascii=False) + "\n").encode())


@dataclass(frozen=True)
class Text:
    """What a model learns from and is validated on. `train` and `valid` hold the numbers of tokens, [N] and [M]."""

    name: str
    spelling: Spelling
    train: Tensor  # [N], int32
    valid: Tensor  # [M], int32
    sha256: str  # of both, spelled out: symbols separated by U+0000, the splits by U+0001
    floor: float | None = None  # what no model can beat on `valid`, in nats per token, where that is known

    @cached_property
    def valid_bytes(self) -> int:
        """Length of `valid` as it is written, in UTF-8."""
        return len(self.spelling.spell(self.valid.tolist()).encode())


def read_text(config: RunConfig) -> Text:
    """The text that a run asks for; RunError if it cannot be had."""
    name = config.corpus or ""
    if name == "kitchen":
        return _kitchen(config)
    train, valid = _file(Path(name), config.level) if name not in corpora.NAMES else _corpus(name, config.level)
    return numbered(config, Path(name).name, train, valid)


def row_of(file: Path, spelling: Spelling) -> Text:
    """A whole file as `valid`, in the spelling of a model that is there; RunError if it cannot be had."""
    parts = ["".join(part) if spelling.level != "word" else " ".join(part) for part in _file(file, spelling.level)]
    numbers = spelling.encode(" ".join(parts) if spelling.level == "word" else "".join(parts))
    return Text(file.name, spelling, torch.empty(0), torch.tensor(numbers, dtype=torch.int32), "")


def _corpus(name: str, level: str) -> tuple[Sequence[str], Sequence[str]]:
    try:
        corpus = corpora.load(name)
    except FetchError as error:
        raise RunError(str(error)) from None
    letters = corpus.unit == "character"
    if letters and level == "word":
        raise RunError(f"{name} is a text of characters: --level character or bpe, or its file with --text.")
    held_out = corpus.splits.get("valid") or corpus.splits.get("test")
    if not held_out:
        raise RunError(f"{name} has one split only, and a run needs a second one to be validated on.")
    splits = [corpus.splits["train"], held_out]
    if corpus.part == "name":
        splits = [[[*name, "\n"] for name in names] for names in splits]
    train, valid = (_row(split, level, letters) for split in splits)
    return train, valid


def _file(file: Path, level: str) -> tuple[Sequence[str], Sequence[str]]:
    """The first nine tenths, and the rest."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise RunError(f"There is no corpus or file {str(file)!r}; corpora: {', '.join(corpora.NAMES)}.") from None
    except OSError as error:
        raise RunError(f"{file}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise RunError(f"{file}: this is no UTF-8 text.") from None
    lines = (_words(line) for line in text.splitlines())
    symbols = _row([line for line in lines if line], "word", letters=False) if level == "word" else text
    cut = len(symbols) * 9 // 10
    return symbols[:cut], symbols[cut:]


def _words(line: str) -> list[str]:
    return re.findall(r"</s>|<UNK>|[\w'-]+|[^\w\s]", line)


def _row(texts: Sequence[Sequence[str]], level: str, letters: bool) -> Sequence[str]:
    """All texts of a split as one row of symbols: words, or characters."""
    if level == "word":
        return [symbol for text in texts for symbol in (*text, END)]
    return "".join("".join(text) if letters else " ".join(text) + "\n" for text in texts)


def numbered(config: RunConfig, name: str, train: Sequence[str], valid: Sequence[str]) -> Text:
    """Symbols to numbers. Words that training shows once are `<UNK>`, so that the model learns what to do with such."""
    if config.level == "bpe":
        return _byte_pairs(config, name, "".join(train), "".join(valid))
    return _finished(config, name, *_types(train), valid)


def _byte_pairs(config: RunConfig, name: str, train: str, valid: str) -> Text:
    learned = bpe.train(train[:MAX_LEARNED], config.vocabulary or PIECES)
    spelling = Spelling("bpe", learned.symbols, learned.merges)
    read, held_out = (torch.tensor(learned.encode(text), dtype=torch.int32) for text in (train, valid))
    return Text(name, spelling, read, held_out, hashlib.sha256(f"{train}\1{valid}".encode()).hexdigest())


def _types(symbols: Iterable[str]) -> tuple[list[str], np.ndarray]:
    """The different symbols in the order of the text, and the number of each symbol of the text, [N] uint32."""
    numbers: dict[str, int] = {}
    row = np.fromiter((numbers.setdefault(symbol, len(numbers)) for symbol in symbols), dtype=np.uint32)
    return list(numbers), row


def _finished(config: RunConfig, name: str, known: list[str], row: np.ndarray, valid: Sequence[str]) -> Text:
    counts = dict(zip(known, np.bincount(row, minlength=len(known)).tolist(), strict=True))
    counts.pop(UNKNOWN, None)
    least = 2 if config.level == "word" else 1
    frequent = sorted((symbol for symbol in counts if counts[symbol] >= least), key=lambda s: (-counts[s], s))
    most = (config.vocabulary or MAX_WORDS) - 1 if config.level == "word" else len(frequent)
    if len(frequent) > most:
        print(f"{name}: the {most:,} most frequent of {len(frequent):,} words are kept, the others are {UNKNOWN}.")
    symbols = [UNKNOWN, *sorted(frequent[:most])]
    spelling = Spelling(config.level, symbols)
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    new = np.array([numbers.get(symbol, 0) for symbol in known], dtype=np.int32)
    held_out = torch.tensor([numbers.get(symbol, 0) for symbol in valid], dtype=torch.int32)
    digest = hashlib.sha256()
    for start in range(0, len(row), SHARD):  # in pieces: a long text need not be in memory twice
        digest.update("".join(known[number] + "\0" for number in row[start : start + SHARD].tolist()).encode())
    digest.update(("\1" + "".join(symbol + "\0" for symbol in valid)).encode())
    return Text(name, spelling, torch.from_numpy(new[row]), held_out, digest.hexdigest())


def _kitchen(config: RunConfig) -> Text:
    """As much made text as the config asks for, and the frozen validation split, whose floor is known."""
    sizes = [min(SHARD, config.tokens - start) for start in range(0, config.tokens, SHARD)]
    shards = [(config.level, size, SEED + number) for number, size in enumerate(sizes)]
    if len(shards) < 4:
        made = [_shard(*shard) for shard in shards]
    else:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        with ProcessPoolExecutor(min(cores or 1, len(shards)), multiprocessing.get_context("spawn")) as pool:
            made = list(pool.map(_shard, *zip(*shards, strict=True)))
    held_out = kitchen.split("valid")
    valid = _row([document.tokens[:-1] for document in held_out], config.level, letters=False)
    if config.level == "bpe":
        train = "".join(known[number] for known, row in made for number in row.tolist())
        text = _byte_pairs(config, "kitchen", train, "".join(valid))
    else:
        numbers: dict[str, int] = {}
        rows = []
        for known, row in made:
            places = np.array([numbers.setdefault(symbol, len(numbers)) for symbol in known], dtype=np.uint32)
            rows.append(places[row])
        text = _finished(config, "kitchen", list(numbers), np.concatenate(rows), valid)
    if config.level != "word":  # the same stories, so the same surprise, over another number of tokens
        floor = kitchen.floor(held_out).nats * sum(map(len, held_out)) / len(text.valid)
    elif int((text.valid == 0).sum()) <= UNKNOWNS:
        floor = kitchen.floor(held_out, set(text.spelling.symbols)).nats
    else:
        return text
    return replace(text, floor=floor)


def _shard(level: str, tokens: int, seed: int) -> tuple[list[str], np.ndarray]:
    documents = kitchen.documents(tokens=tokens, seed=seed)
    return _types(_row([document.tokens[:-1] for document in documents], level, letters=False))


def save(text: Text, path: Path) -> None:
    """Keep the numbers, so that the other processes and a resumed run need not make them again."""
    parts = {**vars(text), "spelling": (text.spelling.level, text.spelling.symbols, text.spelling.merges)}
    write_whole(path, lambda file: torch.save(parts, file))


def load(path: Path) -> Text:
    """What `save` wrote; the processes of one machine share its memory."""
    parts = torch.load(path, weights_only=True, mmap=True)
    return Text(**{**parts, "spelling": Spelling(*parts["spelling"])})


class Rows:
    """The source of a run with a corpus: blocks from random places of its row."""

    def __init__(self, text: Text) -> None:
        self.text, self.symbols = text, text.spelling.symbols
        self.clock: Callable[[], float] = time.perf_counter

    def batches(self, config: RunConfig, seed: int, processes: Processes) -> Batches:
        try:
            return Batches(self.text.train, config, seed, processes)
        except ValueError as error:
            raise RunError(str(error)) from None

    def validation(self, config: RunConfig, processes: Processes) -> list[Part]:
        try:
            return validation(self.text.valid, config, processes)
        except ValueError as error:
            raise RunError(str(error)) from None

    def measured(self, config: RunConfig, network: nn.Module) -> dict[str, Any]:
        """The loss on all of the validation text, in nats per token and in bits per byte."""
        return judged(network, self.text, config.block)

    def valid_nats(self, network: nn.Module) -> float:
        """Nats per token in separate windows of as many tokens as fit."""
        return text_loss(network, self.text.valid, min(64, len(self.text.valid) - 1))

    def samples(self, config: RunConfig, network: nn.Module) -> str:
        """Texts after the sign that ends one."""
        begin = [self.text.spelling.start]
        made = (continued(network, begin, config.sample_tokens, config.block, seed=seed) for seed in range(SAMPLES))
        return "\n----\n".join(self.text.spelling.spell(row[1:]).strip() for row in made) + "\n"

    def described(self) -> dict[str, Any]:
        return {
            "name": self.text.name,
            "level": self.text.spelling.level,
            "sha256": self.text.sha256,
            "symbols": len(self.symbols),
            "training tokens": len(self.text.train),
            "validation tokens": len(self.text.valid),
        }


def judged(network: nn.Module, text: Text, block: int) -> dict[str, Any]:
    """What a network makes of the validation text; "with context": each token has half a block before it."""
    block = min(block, len(text.valid) - 1)
    separate = text_loss(network, text.valid, block)
    with_context = text_loss(network, text.valid, block, context=block // 2)
    return {
        "valid nats": separate,
        "valid nats with context": with_context,
        "bits per byte": bits_per_byte(with_context, len(text.valid), text.valid_bytes),
        "floor": text.floor,
        "parameters": parameter_count(network),
    }


@torch.no_grad()
def continued(
    network: nn.Module,
    tokens: Sequence[int],
    count: int,
    block: int,
    *,
    temperature: float = 1.0,
    top_p: float | None = 0.95,
    seed: int = 0,
) -> list[int]:
    """The tokens, and `count` more that the network draws after them, where it is."""
    device = device_of(network)
    generator = torch.Generator().manual_seed(seed)
    row = torch.tensor([list(tokens)], device=device)  # [1, T]
    if isinstance(network, Transformer):
        row = network.generate(row, count, temperature=temperature, top_p=top_p, generator=generator)
        return [int(token) for token in row[0].tolist()]
    network.eval()
    for _ in range(count):
        chances = probabilities(network(row[:, -block:])[:, -1], temperature, top_p=top_p)
        row = torch.cat([row, draw(chances, generator)], dim=1)
    return [int(token) for token in row[0].tolist()]
