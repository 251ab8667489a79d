"""The story of the kitchen language, measured: one text, every model of the course, and the floor.

    python -m benchmarks.kitchen                     everything; the networks are the recorded runs (data/runs)
    python -m benchmarks.kitchen --train 50000 --test 20000 --tagging 0     a quick look

Prints Markdown. How the networks were trained: `python -m lmkit.runs list`.
"""

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Annotated

import numpy as np
import torch
import typer
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.models import MODELS, Text
from lmkit import kitchen, ngrams, runs
from lmkit.kitchen import Document
from lmkit.models import LanguageModel, by_band, encode, nats_per_token
from lmkit.runs.stories import vocabulary

COUNTED = ("Laplace 2", "modified Kneser-Ney 3", "modified Kneser-Ney 5")
START = 0  # before and after a text, as taggers see it
Ids = np.ndarray  # the words of one document as numbers, shape (T,)


# ---------------------------------------------------------------- tagging
class WindowTagger(nn.Module):
    def __init__(self, size: int, tags: int, mean: bool):
        super().__init__()
        self.mean = mean
        self.embedding = nn.Embedding(size, 64)
        self.net = nn.Sequential(nn.Linear(64 if mean else 320, 128), nn.Tanh(), nn.Linear(128, tags))

    def forward(self, words: Tensor) -> Tensor:  # (B, T) -> (B, T, tags)
        window = self.embedding(F.pad(words, (2, 2), value=START).unfold(1, 5, 1))  # (B, T, 5, 64)
        scores: Tensor = self.net(window.mean(2) if self.mean else window.flatten(2))
        return scores


class ContextTagger(nn.Module):
    def __init__(self, size: int, tags: int):
        super().__init__()
        self.embedding = nn.Embedding(size, 64)
        self.cell = nn.LSTM(64, 64, batch_first=True, bidirectional=True)
        self.out = nn.Linear(128, tags)

    def forward(self, words: Tensor) -> Tensor:
        scores: Tensor = self.out(self.cell(self.embedding(words))[0])
        return scores


def _numbers(symbols: Sequence[str], documents: Sequence[Document]) -> list[Ids]:
    """The words of each document as numbers, "</s>" left out."""
    return [ids.numpy()[:-1] for ids in encode(symbols, [document.tokens for document in documents])]


def tagging(symbols: Sequence[str], train_set: list[Document], test_set: list[Document], seconds: float) -> None:
    """Prints the tagging table. "</s>" is left out."""
    unknown = list(symbols).index(ngrams.UNKNOWN)
    names = sorted({tag for document in train_set for tag in document.tags})
    number = {name: i for i, name in enumerate(names)}
    words = _numbers(symbols, train_set)
    gold = [np.array([number[tag] for tag in d.tags])[:-1] for d in train_set]
    seen: dict[int, Counter[int]] = defaultdict(Counter)
    for ids, tags in zip(words, gold, strict=True):
        for word, tag in zip(ids, tags, strict=True):
            seen[int(word)][int(tag)] += 1
    ambiguous = {word for word, counts in seen.items() if len(counts) > 1 and word != unknown}
    groups = ["all", "ambiguous"]
    rows: dict[str, list[float]] = {}

    def score(name: str, predict: Callable[[Ids], np.ndarray]) -> None:
        hits: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for document, ids in zip(test_set, _numbers(symbols, test_set), strict=True):
            marks = {m.position: m.kind[5:] for m in document.marks if m.kind.startswith("tag: ")}
            guesses = predict(ids)
            for i, word in enumerate(ids):
                hit = names[guesses[i]] == document.tags[i]
                for group in (
                    "all",
                    "ambiguous" if int(word) in ambiguous else "",
                    marks.get(i, ""),
                ):
                    if group:
                        hits[group] += hit
                        total[group] += 1
        groups.extend(sorted(set(total) - set(groups)))
        rows[name] = [100 * hits[group] / total[group] for group in groups]
        score.total = total  # type: ignore[attr-defined]

    usual = {word: counts.most_common(1)[0][0] for word, counts in seen.items()}
    score("most frequent tag", lambda ids: np.array([usual.get(int(i), number["NOUN"]) for i in ids]))
    models = {
        "mean of the window ±2": WindowTagger(len(symbols), len(names), mean=True),
        "concatenated window ±2": WindowTagger(len(symbols), len(names), mean=False),
        "BiLSTM": ContextTagger(len(symbols), len(names)),
    }
    both = [np.stack([a, b]) for a, b in zip(words, gold, strict=True)]
    for name, model in models.items():
        optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
        shuffle = np.random.default_rng(0)
        begin = time.process_time()
        while (done := (time.process_time() - begin) / seconds) < 1.0:
            for group in optimiser.param_groups:
                group["lr"] = 3e-3 * (1.02 - done)
            chosen = [both[i] for i in shuffle.integers(len(both), size=16)]
            longest = max(pair.shape[1] for pair in chosen)
            batch = np.stack([np.pad(p, ((0, 0), (0, longest - p.shape[1])), constant_values=-1) for p in chosen])
            inputs, targets = torch.from_numpy(batch).unbind(1)
            logits = model(inputs.clamp(min=0))
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()

        def predict(ids: Ids, model: nn.Module = model) -> np.ndarray:
            with torch.no_grad():
                return np.asarray(model(torch.from_numpy(ids)[None])[0].argmax(-1))

        score(name, predict)
    total = score.total  # type: ignore[attr-defined]
    print(f"\n| tagger ({seconds:.0f} CPU s each) | " + " | ".join(groups) + " |")
    print("|---" * (len(groups) + 1) + "|")
    print("| test tokens | " + " | ".join(f"{total[group]:,}" for group in groups) + " |")
    for name, row in rows.items():
        print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in row) + " |", flush=True)


def main(
    train: Annotated[int, typer.Option(help="Tokens that the counting models and taggers see.")] = 1_000_000,
    test_tokens: Annotated[int, typer.Option("--test", help="Test tokens.")] = 100_000,
    probe: Annotated[int, typer.Option(help="Tokens that the probes come from.")] = 60_000,
    seconds: Annotated[float, typer.Option("--tagging", help="CPU seconds a tagger; 0 leaves them out.")] = 40,
) -> None:
    """What the models of the course reach on kitchen text."""
    torch.set_num_threads(1)
    torch.manual_seed(0)

    training = kitchen.documents(tokens=train, seed=11)
    test = kitchen.documents(tokens=test_tokens, seed=12)
    fresh = kitchen.documents(tokens=probe, seed=13)
    asked = [p for kind in ("agreement", "companion", "copying") for p in kitchen.probes_in(kind, fresh)]
    symbols = vocabulary("word")
    texts = [document.tokens for document in test]
    known = kitchen.floor(test, set(symbols))
    print(f"{sum(map(len, test)):,} test tokens. Floor, words that no model knows merged: {known}")
    print("\n| model | CPU s | tokens read | perplexity | bits above the floor |\n|---|---|---|---|---|")
    probe_rows = {}

    def row(name: str, cpu: float, tokens: int, model: LanguageModel) -> None:
        nats = nats_per_token(model, texts)
        gap = nats / math.log(2) - known.bits
        print(f"| {name} | {cpu:.0f} | {tokens:,} | {math.exp(nats):.2f} | {gap:.3f} |", flush=True)
        probe_rows[name] = by_band(model, asked)

    text = Text.of(training, symbols)
    for name in COUNTED:
        begin = time.process_time()
        model = MODELS[name].make(text)
        row(name, time.process_time() - begin, text.tokens, model)
    for name in runs.names():
        run = runs.load(name)
        if runs.RUNS[name].weights and runs.RUNS[name].level == "word":
            row(name, run.each("CPU seconds")[0], int(run.each("tokens")[0]), run.model)
    print(f"| floor | | | {known.perplexity:.2f} ± {known.perplexity_error:.2f} | 0 |\n")
    print("| probe (number), % right | " + " | ".join(probe_rows) + " |")
    print("|---" * (len(probe_rows) + 1) + "|")
    first = next(iter(probe_rows.values()))
    for label in first:
        cells = " | ".join(f"{100 * rows[label][0] / rows[label][1]:.0f}" for rows in probe_rows.values())
        print(f"| {label} ({first[label][1]}) | {cells} |")
    if seconds:
        tagging(symbols, training[: len(training) * 2 // 5], test, seconds)


if __name__ == "__main__":
    typer.run(main)
