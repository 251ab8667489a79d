"""What is measured of every model alike."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import nn

from lmkit.kitchen import Probe
from lmkit.models.interface import Document, LanguageModel, encode, score


def nats_per_token(model: LanguageModel, documents: Sequence[Document]) -> float:
    """Mean of -ln P over all tokens, </s> among them."""
    return -float(np.concatenate(score(model, documents)).mean())


def by_place(model: LanguageModel, documents: Sequence[Document], edges: Sequence[int]) -> list[float]:
    """Mean of -ln P over the tokens at places edges[i] to edges[i + 1] - 1 of their texts; NaN where there is none."""
    found = score(model, documents)
    places = np.concatenate([np.arange(len(one)) for one in found])
    losses = -np.concatenate(found)
    shares = (losses[(low <= places) & (places < high)] for low, high in zip(edges, edges[1:], strict=False))
    return [float(part.mean()) if len(part) else float("nan") for part in shares]


@dataclass(frozen=True)
class Answer:
    """A model's answer to a probe: `right` says whether it knew."""

    probe: Probe
    right: bool


def answers(model: LanguageModel, probes: Sequence[Probe], batch: int = 32) -> list[Answer]:
    """Ask the model each probe whose words it knows.

    Where the probe names wrong words, the right ones must have more probability in all; else the right one must be the
    likeliest of all tokens.
    """
    index = {symbol: number for number, symbol in enumerate(model.symbols)}
    documents = {id(probe.document): probe.document for probe in probes}
    asked: dict[int, list[Probe]] = defaultdict(list)
    for probe in probes:
        asked[id(probe.document)].append(probe)
    keys = sorted(documents, key=lambda key: len(documents[key].tokens))
    found = []
    for begin in range(0, len(keys), batch):
        here = keys[begin : begin + batch]
        texts = encode(model.symbols, [documents[key].tokens for key in here])
        rows = model.log_probabilities(nn.utils.rnn.pad_sequence(texts, batch_first=True)).numpy()
        for row, key in zip(rows, here, strict=True):
            for probe in asked[key]:
                right = [index[word] for word in probe.right if word in index]
                wrong = [index[word] for word in probe.wrong if word in index]
                if right and (wrong or not probe.wrong):
                    found.append(Answer(probe, _knows(row[probe.position], right, wrong)))
    return found


def by_band(model: LanguageModel, probes: Sequence[Probe]) -> dict[str, tuple[int, int]]:
    """For each band of probes, how many answers were right, and how many were asked; sorted by the bands' names."""
    found: dict[str, list[bool]] = defaultdict(list)
    for answer in answers(model, probes):
        found[answer.probe.band].append(answer.right)
    return {band: (sum(right), len(right)) for band, right in sorted(found.items())}


def _knows(row: NDArray[np.float32], right: list[int], wrong: list[int]) -> bool:
    if wrong:
        return bool(np.logaddexp.reduce(row[right]) > np.logaddexp.reduce(row[wrong]))
    return int(row.argmax()) == right[0]
