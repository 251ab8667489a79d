"""Kitchen stories for training: fresh ones for every step, none read twice. Each is a row of the batch."""

import hashlib
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lmkit import kitchen
from lmkit.kitchen import Document
from lmkit.models import Neural, by_band, by_place, encode, nats_per_token, parameter_count, write
from lmkit.ngrams import END, UNKNOWN
from lmkit.runs.configs import RunConfig
from lmkit.runs.processes import Processes
from lmkit.runs.text import NO_TARGET, Part

SEED = 1_000_000  # of the first shard; the frozen splits have 1, 2 and 3, probes 13
SHARD = 1_024  # stories
VOCABULARY_TOKENS = 1_000_000
WORDS_OF_TEST = 50_000
PROBED = 60_000  # tokens of fresh text
LONGEST_SAMPLE = 200  # words; three times as many letters
EDGES = (0, 1, 2, 4, 8, 16, 32, 64, 128, 1_000)  # places in a story


def shard(number: int, count: int = SHARD) -> list[Document]:
    """The stories of a shard, the same on every machine."""
    return list(islice(kitchen.stream(SEED + number), count))


def spelled(document: Document | Sequence[str], level: str) -> list[str]:
    """A story as tokens, its end among them: words, or the characters of the words with blanks between."""
    words = list(document.tokens if isinstance(document, Document) else document)
    if level == "word":
        return words
    return [*" ".join(words[:-1]), END]


@lru_cache
def vocabulary(level: str) -> tuple[str, ...]:
    """What a model can predict, sorted: all that occurs at least twice in the first million words of training."""
    counts: Counter[str] = Counter()
    number = 0
    while counts.total() < VOCABULARY_TOKENS:
        counts.update(chain.from_iterable(spelled(document, level) for document in shard(number)))
        number += 1
    return (UNKNOWN, *sorted(symbol for symbol, count in counts.items() if count > 1))


@lru_cache
def _test(level: str) -> tuple[list[list[str]], float, float]:
    """Stories of the frozen split "test" as tokens, and their floor in nats per token with its standard error."""
    stories: list[Document] = []
    for story in kitchen.split("test"):
        if sum(map(len, stories)) >= WORDS_OF_TEST:
            break
        stories.append(story)
    texts = [spelled(story, level) for story in stories]
    floor = kitchen.floor(stories, set(vocabulary("word")) if level == "word" else None)
    share = floor.tokens / sum(map(len, texts))  # the same surprise, over more tokens
    return texts, floor.nats * share, floor.nats_error * share


def valid_texts(level: str) -> list[list[str]]:
    """The stories on which stored weights are tried again: the first of the frozen split "valid"."""
    return [spelled(story, level) for story in kitchen.split("valid")[:96]]


class Stories:
    """The source of a run without a corpus, in one process. Every seed reads stories of its own.

    Before the first token of a story stands `</s>`; behind its last one there is padding. `seconds` is the CPU time
    spent on making stories, which is no part of training.
    """

    def __init__(self, level: str) -> None:
        self.symbols, self.level = list(vocabulary(level)), level
        self.end = self.symbols.index(END)
        self.seconds = 0.0
        self._held: tuple[tuple[int, ...], list[list[Tensor]]] = ((), [])

    def clock(self) -> float:
        return time.process_time() - self.seconds

    def batches(self, config: RunConfig, seed: int, processes: Processes) -> Callable[[int], Part]:
        """Whole stories of similar length: inputs and targets, [B, T] each."""

        def part(number: int) -> Part:
            begin = time.process_time()
            step, piece = divmod(number, config.accumulate)
            texts = self._stories(seed, step, config.batch)
            made = self._part(texts[piece :: config.accumulate], piece == config.accumulate - 1)
            self.seconds += time.process_time() - begin
            return made

        return part

    def _stories(self, seed: int, step: int, size: int) -> list[Tensor]:
        number, place = divmod(step, SHARD // size)
        if self._held[0] != (seed, number, size):
            stories = shard(seed * 100_000 + number)
            texts = encode(self.symbols, [spelled(story, self.level) for story in stories])
            texts.sort(key=len)
            order = np.random.default_rng([seed, number]).permutation(SHARD // size)
            self._held = (seed, number, size), [texts[i * size : (i + 1) * size] for i in order]
        return self._held[1][place]

    def _part(self, texts: Sequence[Tensor], last: bool = True) -> Part:
        inputs, targets = pair(texts, self.end)
        return inputs, targets, int((targets != NO_TARGET).sum()), last

    def validation(self, config: RunConfig, processes: Processes) -> list[Part]:
        """Some stories of the frozen split "valid", longest last."""
        texts = sorted(encode(self.symbols, valid_texts(self.level)), key=len)
        return [self._part(texts[i : i + 16]) for i in range(0, len(texts), 16)]

    def measured(self, config: RunConfig, network: nn.Module) -> dict[str, Any]:
        """Bits above the floor on the test stories; by words, also the loss by place, and the probes."""
        model = Neural(network, self.symbols)
        texts, floor, error = _test(self.level)
        nats = nats_per_token(model, texts)
        found: dict[str, Any] = {
            "test nats": nats,
            "floor nats": floor,
            "floor error": error,
            "bits above the floor": (nats - floor) / math.log(2),
            "parameters": parameter_count(network),
        }
        if self.level == "character":
            return found
        found["nats by place"] = dict(zip(map(str, EDGES), by_place(model, texts, EDGES), strict=False))
        fresh = kitchen.documents(tokens=PROBED, seed=13)
        asked = [probe for kind in ("agreement", "companion", "copying") for probe in kitchen.probes_in(kind, fresh)]
        found["probes"] = by_band(model, asked)
        return found

    def valid_nats(self, network: nn.Module) -> float:
        """Nats per token of the stories on which stored weights are tried again."""
        return nats_per_token(Neural(network, self.symbols), valid_texts(self.level))

    def samples(self, config: RunConfig, network: nn.Module) -> str:
        """A story a line: how it was drawn, a tab, and its tokens."""
        model, max_tokens = Neural(network, self.symbols), LONGEST_SAMPLE * (1 if self.level == "word" else 3)
        between = " " if self.level == "word" else ""
        lines = []
        for number, temperature in enumerate((1.0, 1.0, 0.7, 0.7)):
            made = write(model, torch.Generator().manual_seed(number), max_tokens=max_tokens, temperature=temperature)
            lines.append(f"temperature {temperature}\t{between.join(made)}\n")
        return "".join(lines)

    def described(self) -> dict[str, Any]:
        return {"first training stories": digest(shard(100_000, 16))}


def pair(texts: Sequence[Tensor], end: int) -> tuple[Tensor, Tensor]:
    """Texts, [T_i] each -> what is read and what is to be predicted, [B, T] each."""
    targets = nn.utils.rnn.pad_sequence(list(texts), batch_first=True, padding_value=NO_TARGET)
    begin = targets.new_full((len(targets), 1), end)
    inputs = torch.cat([begin, targets[:, :-1]], dim=1)
    return inputs.masked_fill(inputs == NO_TARGET, end), targets


def digest(documents: Sequence[Document]) -> str:
    """SHA-256 of stories, one a line."""
    return hashlib.sha256("".join(" ".join(document.tokens) + "\n" for document in documents).encode()).hexdigest()
