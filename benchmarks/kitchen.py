"""The story of the kitchen language, measured: one text, many models, and the floor.

    python -m benchmarks.kitchen                     everything, about 20 minutes on one core
    python -m benchmarks.kitchen --train 50000 --seconds 5     a quick look

Every neural model gets the same CPU time on one thread. Prints Markdown.
"""

import argparse
import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lmkit import kitchen
from lmkit.kitchen import Document, Probe

START, UNKNOWN = 0, 1
Ids = np.ndarray  # the words of one document as numbers, shape (T,)


class Vocabulary:
    """Every word seen at least twice in training; the others are UNKNOWN."""

    def __init__(self, documents: Sequence[Document]):
        counts = Counter(word for document in documents for word in document.tokens)
        kept = sorted(word for word, count in counts.items() if count > 1)
        self.ids = {word: i for i, word in enumerate(kept, start=2)}
        self.size = len(kept) + 2

    def encode(self, document: Document) -> Ids:
        return np.array([self.ids.get(word, UNKNOWN) for word in document.tokens])


# ---------------------------------------------------------------- counting models
class KneserNey:
    """Interpolated modified Kneser-Ney. An n-gram is one integer, its words the digits to base V."""

    def __init__(self, order: int, size: int, texts: Sequence[Ids]):
        self.order, self.size = order, size
        padded = [np.concatenate([np.zeros(order - 1, int), ids]) for ids in texts]
        windows = np.concatenate([np.lib.stride_tricks.sliding_window_view(ids, order) for ids in padded])
        codes, counts = np.unique(self._pack(windows), return_counts=True)
        self.levels = [(codes, counts)]
        for n in range(order - 1, 0, -1):  # lower orders count in how many contexts, not how often
            codes, counts = np.unique(codes % size**n, return_counts=True)
            self.levels.insert(0, (codes, counts))
        self.discounts = [self._discounts(counts) for _, counts in self.levels]

    def _pack(self, rows: np.ndarray) -> np.ndarray:
        return rows @ self.size ** np.arange(rows.shape[1])[::-1]

    @staticmethod
    def _discounts(counts: np.ndarray) -> np.ndarray:
        n1, n2, n3, n4 = (max(1, int((counts == k).sum())) for k in (1, 2, 3, 4))
        y = n1 / (n1 + 2 * n2)
        return np.clip([0.0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3], 0, None)

    def distributions(self, ids: Ids) -> np.ndarray:
        """Shape (T, V)."""
        padded = np.concatenate([np.zeros(self.order - 1, int), ids])
        rows = np.full((len(ids), self.size), 1.0 / self.size)
        for n, ((codes, counts), discounts) in enumerate(zip(self.levels, self.discounts, strict=True), start=1):
            for t, row in enumerate(rows):
                context = padded[t + self.order - n : t + self.order - 1]
                first = int(self._pack(context[None])[0]) * self.size if n > 1 else 0
                low, high = np.searchsorted(codes, (first, first + self.size))
                if low == high:
                    continue
                seen, discount = counts[low:high], discounts[np.minimum(counts[low:high], 3)]
                total = seen.sum()
                row *= discount.sum() / total
                row[codes[low:high] - first] += (seen - discount) / total
        return np.log(rows)


class LaplaceBigram:
    def __init__(self, size: int, texts: Sequence[Ids]):
        self.counts = np.zeros((size, size), dtype=np.float32)
        for ids in texts:
            np.add.at(self.counts, (np.concatenate([[START], ids[:-1]]), ids), 1)

    def distributions(self, ids: Ids) -> np.ndarray:
        rows = self.counts[np.concatenate([[START], ids[:-1]])] + 1
        return np.log(rows / rows.sum(1, keepdims=True))


# ---------------------------------------------------------------- neural models: (B, T) -> (B, T, V)
class Tied(nn.Module):
    """Embedding in, the same embedding out; subclasses fill the space between."""

    def __init__(self, size: int, width: int = 128):
        super().__init__()
        self.embedding = nn.Embedding(size, width)
        nn.init.normal_(self.embedding.weight, std=0.05)
        self.bias = nn.Parameter(torch.zeros(size))

    def between(self, inputs: Tensor) -> Tensor:
        raise NotImplementedError

    def forward(self, inputs: Tensor) -> Tensor:  # (B, T): the words before each position
        return F.linear(self.between(inputs), self.embedding.weight, self.bias)


class Mlp(Tied):
    """The four words before (n = 5), as Bengio et al. 2003."""

    def __init__(self, size: int):
        super().__init__(size)
        self.net = nn.Sequential(nn.Linear(4 * 128, 256), nn.Tanh(), nn.Linear(256, 128))

    def between(self, inputs: Tensor) -> Tensor:
        padded = F.pad(inputs, (3, 0), value=START)
        four = padded.unfold(1, 4, 1)  # (B, T, 4)
        return self.net(self.embedding(four).flatten(2))


class Recurrent(Tied):
    def __init__(self, size: int, cell: Callable[..., nn.Module]):
        super().__init__(size)
        self.cell = cell(128, 256, batch_first=True)
        self.out = nn.Linear(256, 128)

    def between(self, inputs: Tensor) -> Tensor:
        return self.out(self.cell(self.embedding(inputs))[0])


class Block(nn.Module):
    """Pre-norm attention with rotary positions, then a feed-forward layer."""

    def __init__(self, width: int = 128, heads: int = 4):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, -1).transpose(1, 2)
            for part in self.qkv(self.norms[0](x)).chunk(3, dim=-1)
        )
        attended = F.scaled_dot_product_attention(rotate(q), rotate(k), v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norms[1](x))


def rotate(x: Tensor) -> Tensor:  # (B, H, T, D): rotary position embedding
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[-2])[:, None] * 1000.0 ** (-torch.arange(half) / half)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


class Transformer(Tied):
    def __init__(self, size: int, layers: int = 2):
        super().__init__(size)
        self.blocks = nn.Sequential(*[Block() for _ in range(layers)])
        self.norm = nn.LayerNorm(128)

    def between(self, inputs: Tensor) -> Tensor:
        return self.norm(self.blocks(self.embedding(inputs)))


def batches(texts: Sequence[Ids], size: int, shuffle: np.random.Generator) -> Iterable[np.ndarray]:
    """Endless batches of whole documents of similar length, padded with -1."""
    while True:
        order = shuffle.permutation(len(texts))
        for part in np.array_split(order, max(1, len(order) // (size * 32))):
            pool = sorted(part.tolist(), key=lambda i: len(texts[i]))
            groups = [pool[i : i + size] for i in range(0, len(pool), size)]
            for g in shuffle.permutation(len(groups)):
                longest = max(len(texts[i]) for i in groups[g])
                batch = np.full((len(groups[g]), longest), -1)
                for row, i in enumerate(groups[g]):
                    batch[row, : len(texts[i])] = texts[i]
                yield batch


def shifted(targets: Tensor) -> Tensor:
    """The inputs that predict these targets: START, then everything but the last."""
    return F.pad(targets.clamp(min=0), (1, 0), value=START)[:, :-1]


def train(model: nn.Module, texts: Sequence[Ids], seconds: float, rate: float, seed: int) -> tuple[float, int]:
    """AdamW with a warm-up and a cosine over the CPU time there is; returns (epochs, steps)."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01)
    stream = batches(texts, 16, np.random.default_rng(seed))
    begin, seen, steps = time.process_time(), 0, 0
    while (done := (time.process_time() - begin) / seconds) < 1.0:
        now = rate * min(1.0, (steps + 1) / 100) * (0.02 + 0.98 * (1 + math.cos(math.pi * done)) / 2)
        for group in optimiser.param_groups:
            group["lr"] = now
        targets = torch.from_numpy(next(iter(stream)))
        keep = targets >= 0
        logits = model(shifted(targets))[keep]
        loss = F.cross_entropy(logits, targets[keep])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        seen += int(keep.sum())
        steps += 1
    return seen / sum(len(ids) for ids in texts), steps


def distributions_of(model: nn.Module) -> Callable[[Ids], np.ndarray]:
    @torch.no_grad()
    def distributions(ids: Ids) -> np.ndarray:
        targets = torch.from_numpy(ids)[None]
        return model(shifted(targets))[0].log_softmax(-1).double().numpy()

    return distributions


# ---------------------------------------------------------------- measuring
def band(probe: Probe) -> str:
    """The row of the probe table that a probe counts in."""
    d = probe.distance
    if probe.label in ("no attractor", "other number between"):
        for low, high in ((1, 1), (2, 4), (5, 8), (9, 13)):
            if low <= d <= high:
                return f"agreement, {probe.label}, {low}-{high} back"
        return f"agreement, {probe.label}, 14+ back"
    if probe.label in ("tool", "food"):
        for low, high in ((3, 4), (5, 8), (9, 13)):
            if low <= d <= high:
                return f"companion, {low}-{high} back"
        return "companion, 14+ back"
    if probe.label == "copy: surname":
        return f"copy: surname, {'1-20' if d <= 20 else '21-50' if d <= 50 else '51+'} back"
    return probe.label


class Measure:
    """Runs a model over the test documents and the probes."""

    def __init__(self, vocabulary: Vocabulary, test: Sequence[Document], asked: Sequence[Probe]):
        self.vocabulary, self.test = vocabulary, test
        self.by_document: dict[int, list[Probe]] = defaultdict(list)
        self.documents = {id(probe.document): probe.document for probe in asked}
        for probe in asked:
            self.by_document[id(probe.document)].append(probe)

    def perplexity(self, distributions: Callable[[Ids], np.ndarray]) -> float:
        total, count = 0.0, 0
        for document in self.test:
            ids = self.vocabulary.encode(document)
            total -= float(distributions(ids)[np.arange(len(ids)), ids].sum())
            count += len(ids)
        return math.exp(total / count)

    def probes(self, distributions: Callable[[Ids], np.ndarray]) -> dict[str, tuple[float, int]]:
        right: Counter[str] = Counter()
        asked: Counter[str] = Counter()
        ids_of = self.vocabulary.ids
        for key, document in self.documents.items():
            rows = distributions(self.vocabulary.encode(document))
            for probe in self.by_document[key]:
                row = rows[probe.position]
                good = [ids_of[word] for word in probe.right if word in ids_of]
                bad = [ids_of[word] for word in probe.wrong if word in ids_of]
                if not good or (probe.wrong and not bad):
                    continue
                if probe.wrong:
                    right[band(probe)] += bool(np.exp(row[good]).sum() > np.exp(row[bad]).sum())
                else:
                    right[band(probe)] += int(row.argmax()) == good[0]
                asked[band(probe)] += 1
        return {name: (100 * right[name] / n, n) for name, n in asked.items()}


# ---------------------------------------------------------------- tagging
class WindowTagger(nn.Module):
    def __init__(self, size: int, tags: int, mean: bool):
        super().__init__()
        self.mean = mean
        self.embedding = nn.Embedding(size, 64)
        self.net = nn.Sequential(nn.Linear(64 if mean else 320, 128), nn.Tanh(), nn.Linear(128, tags))

    def forward(self, words: Tensor) -> Tensor:  # (B, T) -> (B, T, tags)
        window = self.embedding(F.pad(words, (2, 2), value=START).unfold(1, 5, 1))  # (B, T, 5, 64)
        return self.net(window.mean(2) if self.mean else window.flatten(2))


class ContextTagger(nn.Module):
    def __init__(self, size: int, tags: int):
        super().__init__()
        self.embedding = nn.Embedding(size, 64)
        self.cell = nn.LSTM(64, 64, batch_first=True, bidirectional=True)
        self.out = nn.Linear(128, tags)

    def forward(self, words: Tensor) -> Tensor:
        return self.out(self.cell(self.embedding(words))[0])


def tagging(vocabulary: Vocabulary, train_set: list[Document], test_set: list[Document], seconds: float) -> None:
    """Prints the tagging table. "</s>" is left out."""
    names = sorted({tag for document in train_set for tag in document.tags})
    number = {name: i for i, name in enumerate(names)}
    words = [vocabulary.encode(d)[:-1] for d in train_set]
    gold = [np.array([number[tag] for tag in d.tags])[:-1] for d in train_set]
    seen: dict[int, Counter[int]] = defaultdict(Counter)
    for ids, tags in zip(words, gold, strict=True):
        for word, tag in zip(ids, tags, strict=True):
            seen[int(word)][int(tag)] += 1
    ambiguous = {word for word, counts in seen.items() if len(counts) > 1 and word != UNKNOWN}
    groups = ["all", "ambiguous"]
    rows: dict[str, list[float]] = {}

    def score(name: str, predict: Callable[[Ids], np.ndarray]) -> None:
        hits: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for document in test_set:
            ids = vocabulary.encode(document)[:-1]
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
        "mean of the window ±2": WindowTagger(vocabulary.size, len(names), mean=True),
        "concatenated window ±2": WindowTagger(vocabulary.size, len(names), mean=False),
        "BiLSTM": ContextTagger(vocabulary.size, len(names)),
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
                return model(torch.from_numpy(ids)[None])[0].argmax(-1).numpy()

        score(name, predict)
    total = score.total  # type: ignore[attr-defined]
    print(f"\n| tagger ({seconds:.0f} CPU s each) | " + " | ".join(groups) + " |")
    print("|---" * (len(groups) + 1) + "|")
    print("| test tokens | " + " | ".join(f"{total[group]:,}" for group in groups) + " |")
    for name, row in rows.items():
        print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in row) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", type=int, default=1_000_000, help="training tokens")
    parser.add_argument("--test", type=int, default=100_000, help="test tokens")
    parser.add_argument("--probe", type=int, default=150_000, help="tokens the probes come from")
    parser.add_argument("--seconds", type=float, default=230, help="CPU seconds per neural model")
    parser.add_argument("--tagging", type=float, default=40, help="CPU seconds per tagger")
    parser.add_argument("--seed", type=int, default=0, help="of the models, not of the text")
    parser.add_argument("--only", default="", help="models to run, by their names, comma separated")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)

    begin = time.process_time()
    training = kitchen.documents(tokens=args.train, seed=11)
    speed = sum(map(len, training)) / (time.process_time() - begin)
    test = kitchen.documents(tokens=args.test, seed=12)
    fresh = kitchen.documents(tokens=args.probe, seed=13)
    asked = [p for kind in ("agreement", "companion", "copying") for p in kitchen.probes_in(kind, fresh)]
    vocabulary = Vocabulary(training)
    texts = [vocabulary.encode(document) for document in training]
    unknown = sum(int((vocabulary.encode(d) == UNKNOWN).sum()) for d in test)
    unseen = {w for d in test for w in d.tokens} - {w for d in training for w in d.tokens}
    print(
        f"{sum(map(len, training)):,} training tokens at {speed:,.0f} tokens per CPU second;",
        end=" ",
    )
    print(f"vocabulary {vocabulary.size:,}; {unknown} of {sum(map(len, test)):,} test tokens unknown,")
    print(f"{len(unseen)} test words never seen in training.")
    print(f"Floor of the test text: {kitchen.floor(test)}")
    known = kitchen.floor(test, set(vocabulary.ids))
    print(f"Floor with unknown words merged: {known}")

    measure = Measure(vocabulary, test, asked)
    size = vocabulary.size
    counted: dict[str, Callable[[], Callable[[Ids], np.ndarray]]] = {
        "Laplace bigram": lambda: LaplaceBigram(size, texts).distributions,
        "Kneser-Ney 3": lambda: KneserNey(3, size, texts).distributions,
        "Kneser-Ney 5": lambda: KneserNey(5, size, texts).distributions,
    }
    neural: dict[str, tuple[Callable[[], nn.Module], float]] = {
        "MLP (n = 5)": (lambda: Mlp(size), 2e-3),
        "RNN": (lambda: Recurrent(size, nn.RNN), 1.5e-3),
        "LSTM": (lambda: Recurrent(size, nn.LSTM), 4e-3),
        "Transformer": (lambda: Transformer(size), 3e-3),
    }
    probe_rows: dict[str, dict[str, tuple[float, int]]] = {}
    print("\n| model | CPU s | epochs | perplexity | bits above the floor |\n|---|---|---|---|---|")
    for name in [*counted, *neural]:
        if args.only and name not in args.only.split(","):
            continue
        begin = time.process_time()
        epochs = ""
        if name in counted:
            distributions = counted[name]()
            cpu = time.process_time() - begin
        else:
            build, rate = neural[name]
            torch.manual_seed(args.seed)
            model = build()
            ran, _ = train(model, texts, args.seconds, rate, args.seed)
            cpu, epochs = time.process_time() - begin, f"{ran:.1f}"
            distributions = distributions_of(model)
        perplexity = measure.perplexity(distributions)
        gap = math.log2(perplexity) - known.bits
        print(f"| {name} | {cpu:.0f} | {epochs} | {perplexity:.2f} | {gap:.3f} |", flush=True)
        probe_rows[name] = measure.probes(distributions)
    print(f"| floor | | | {known.perplexity:.2f} ± {known.perplexity_error:.2f} | 0 |\n")
    if probe_rows:
        print("| probe (number), % right | " + " | ".join(probe_rows) + " |")
        print("|---" * (len(probe_rows) + 1) + "|")
        first = next(iter(probe_rows.values()))
        for label in sorted(first):
            cells = " | ".join(f"{rows[label][0]:.0f}" for rows in probe_rows.values())
            print(f"| {label} ({first[label][1]}) | {cells} |")
    if args.tagging:
        tagging(vocabulary, training[: len(training) * 2 // 5], test, args.tagging)


if __name__ == "__main__":
    main()
