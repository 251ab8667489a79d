"""Makes the tables of this folder: the vectors of chapter 03, trained for longer than a notebook should wait.

    python data/vectors/record.py [windows] [negatives] [products]

The functions are the chapter's own; README.md says what the tables hold.
"""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from lmkit import kitchen
from lmkit.kitchen import words as lexicon
from lmkit.kitchen.tables import VerbTable, inflect, plural

HERE = Path(__file__).resolve().parent
CHAPTER = HERE.parent.parent / "solutions" / "03_vectors" / "03_vectors.py"
SEEDS = (1, 2, 3)
LAPTOP, LONG = 1_000_000, 10_000_000  # tokens
STEPS = 16_000  # of 256 pairs
NEEDED = ("import math", "def cooccurrences", "def pmi", "def noise", "def update", "def all_pairs", "def learn")


def chapter() -> dict[str, Any]:
    """The chapter's functions, from its own cells."""
    cells = re.split(r"^# %%.*\n", CHAPTER.read_text(encoding="utf-8"), flags=re.MULTILINE)
    names: dict[str, Any] = {}
    for cell in cells:
        if cell.lstrip().startswith(NEEDED):
            exec(cell, names)
    return names


class Text:
    """Documents as numbers: words seen at least `least` times, all others are word 0."""

    def __init__(self, documents: Iterable[kitchen.Document], least: int = 20):
        documents = list(documents)
        counts = Counter(word for document in documents for word in document.tokens)
        self.words = ["<UNK>", *(word for word, count in counts.most_common() if count >= least)]
        self.number = {word: i for i, word in enumerate(self.words)}
        self.texts = [[self.number.get(word, 0) for word in document.tokens] for document in documents]
        self.occurrences = np.bincount(np.concatenate(self.texts), minlength=len(self.words))
        tags: dict[str, Counter[str]] = defaultdict(Counter)
        for document in documents:
            for word, tag in zip(document.tokens, document.tags, strict=True):
                tags[word][tag] += 1
        self.tags = tags
        self.tag = np.array([tags[word].most_common(1)[0][0] if i else "" for i, word in enumerate(self.words)])

    def pure(self, word: str, tag: str) -> bool:
        """Seen 100 times or more, nine times in ten with that tag."""
        found = self.tags.get(word, Counter())
        return word in self.number and found.total() >= 100 and found[tag] >= 0.9 * found.total()


def unit(A: Any) -> np.ndarray:
    A = np.asarray(A, dtype=float)
    return A / np.maximum(np.linalg.norm(A, axis=1, keepdims=True), 1e-12)


def ten_nearest(A: Any) -> np.ndarray:
    """For every word but <UNK>, its ten nearest others."""
    cosines = unit(A)[1:] @ unit(A)[1:].T
    np.fill_diagonal(cosines, -9)
    return np.argsort(-cosines, axis=1)[:, :10] + 1


def tag_share(A: Any, text: Text) -> float:
    """The share of the ten nearest neighbours whose commonest tag is the word's own."""
    return float(np.mean(text.tag[ten_nearest(A)] == text.tag[1:, None]))


def story_table(text: Text) -> np.ndarray:
    """How many times as often as by chance two words are in the same story."""
    inside = np.zeros((len(text.texts), len(text.words)), dtype=np.float32)
    for row, ids in enumerate(text.texts):
        inside[row, ids] = 1
    together, alone = inside.T @ inside, inside.sum(0)
    return together * len(text.texts) / np.maximum(np.outer(alone, alone), 1)


def story_ratio(A: Any, stories: np.ndarray) -> float:
    """The median over words of the mean ratio of `story_table` with the ten nearest neighbours."""
    near = ten_nearest(A)
    return float(np.median([stories[i + 1, row].mean() for i, row in enumerate(near)]))


def nouns(text: Text) -> dict[str, list[tuple[str, str]]]:
    """Singular and plural of each kind of noun."""
    places = [t[False].words for t in (lexicon.LANDMARKS, lexicon.ORIGINS, lexicon.SOURCES, lexicon.SEATS)]
    kinds = {
        "people": lexicon.PEOPLE_NOUNS,
        "places": dict.fromkeys(noun for some in places for noun in some),
        "fruit": lexicon.FRUIT_A + lexicon.FRUIT_AN,
    }
    return {kind: [(noun, plural(noun)) for noun in some] for kind, some in kinds.items()}


def verbs() -> list[str]:
    tables: list[Any] = []
    for value in vars(lexicon).values():
        tables += list(value.values()) if isinstance(value, dict) else [value]
    return list(dict.fromkeys(lemma for table in tables if isinstance(table, VerbTable) for lemma in table.lemmas))


def analogies(A: Any, text: Text) -> list[tuple[str, int, float, float]]:
    """(relation, questions, share with the very word, share with a word of the right kind), by 3CosAdd."""
    U, number = unit(A), text.number

    def ask(pairs: list, others: list, kind: set[str]) -> tuple[int, float, float]:
        exact, right = [], []
        for a, b in pairs:
            for c, wanted in others:
                if a != c:
                    scores = U @ (U[number[b]] - U[number[a]] + U[number[c]])
                    scores[[number[a], number[b], number[c]]] = -9
                    got = text.words[int(scores.argmax())]
                    exact.append(got == wanted)
                    right.append(got in kind)
        return len(exact), float(np.mean(exact)), float(np.mean(right))

    rows = []
    kinds = nouns(text)
    known = {k: [p for p in ps if all(text.pure(w, "NOUN") for w in p)] for k, ps in kinds.items()}
    for one in kinds:
        for other in kinds:
            kind = {many for _, many in kinds[other]}
            rows.append((f"number: {one} to {other}", *ask(known[one], known[other], kind)))
    lemmas = verbs()
    for one, other in (("base", "third"), ("third", "past"), ("base", "past")):
        pairs = [(inflect(v, one), inflect(v, other)) for v in lemmas]
        some = [p for p in pairs if p[0] != p[1] and all(text.pure(w, "VERB") for w in p)]
        rows.append((f"verb: {one} to {other}", *ask(some, some, {p[1] for p in pairs})))
    return rows


def save(rows: list, columns: str, name: str) -> None:
    pd.DataFrame(rows, columns=columns.split()).to_csv(HERE / f"{name}.csv", index=False, float_format="%.4f")
    print(name, rows[-1], flush=True)


def windows(names: dict[str, Any]) -> None:
    """Window sweep and analogies on the laptop's text."""
    text = Text(kitchen.documents(tokens=LAPTOP, seed=1))
    V, stories = len(text.words), story_table(text)
    q = names["noise"](text.occurrences, 0.75)
    rows, asked = [], []
    for seed in SEEDS:
        for c in (1, 2, 5, 10):
            A, B, _ = names["learn"](names["update"], names["all_pairs"](text.texts, c), V, q, steps=STEPS, seed=seed)
            for name, table in (("A", A), ("B", B), ("A + B", A + B)):
                rows.append((c, seed, name, tag_share(table, text), story_ratio(table, stories)))
            asked += [(c, seed, *row) for row in analogies(A, text)]
            save(rows, "c seed vectors same_tag story_ratio", "windows")
            save(asked, "c seed relation questions exact kind", "analogies")


def shifted(q: np.ndarray, k: int) -> Callable:
    """A step of noise-contrastive estimation: scores are compared with ln(k q)."""
    shift = torch.tensor(np.log(k * q)).float()

    def step(A: Any, B: Any, i: Any, j: Any, n: Any, rate: float) -> tuple:
        others = torch.cat([j[:, None], n], 1)
        a, b = A[i], B[others]
        g = ((b @ a[:, :, None])[:, :, 0] - shift[others]).sigmoid()
        g[:, 0] -= 1
        A = A.index_add(0, i, (g[:, None] @ b)[:, 0], alpha=-rate)
        return A, B.index_add(0, others.flatten(), (g[:, :, None] * a[:, None]).flatten(0, 1), alpha=-rate), 0.0

    return step


def negatives(names: dict[str, Any]) -> None:
    """How many negatives, and who normalises itself: ln of the sum of exp(score) over all words, for every word."""
    text = Text(kitchen.documents(tokens=LAPTOP, seed=1))
    V, seen = len(text.words), names["all_pairs"](text.texts, 2)
    q = names["noise"](text.occurrences, 0.75)
    weight = text.occurrences / text.occurrences.sum()
    rows = []
    for seed in SEEDS:
        for k in (1, 5, 15):
            for kind, step in (("negative sampling", names["update"]), ("NCE", shifted(q, k))):
                A, B, _ = names["learn"](step, seen, V, q, k=k, steps=STEPS, seed=seed, rate=0.25 / max(k, 5))
                log_z = torch.logsumexp(A.double() @ B.double().T, 1).numpy()
                mean = float(weight @ log_z)
                spread = float(np.sqrt(weight @ (log_z - mean) ** 2))
                rows.append((kind, k, seed, tag_share(A, text), mean, spread))
                save(rows, "kind k seed same_tag mean_log_z spread_log_z", "negatives")


def counts(documents: Iterable[kitchen.Document], number: dict[str, int], c: int) -> np.ndarray:
    """Co-occurrences of a text too long to be kept: story by story."""
    V = len(number)
    N, some = np.zeros(V * V), []
    for document in documents:
        some.append(np.array([number.get(word, 0) for word in document.tokens] + [-1] * c))
        if len(some) == 2000:
            N, some = N + pairs_of(some, V, c), []
    N = (N + pairs_of(some, V, c) if some else N).reshape(V, V)
    return N + N.T


def pairs_of(some: list[np.ndarray], V: int, c: int) -> np.ndarray:
    row = np.concatenate(some)
    found = np.zeros(V * V)
    for o in range(1, c + 1):
        one, two = row[:-o], row[o:]
        both = (one >= 0) & (two >= 0)
        found += np.bincount(one[both] * V + two[both], minlength=V * V)
    return found


def products(names: dict[str, Any]) -> None:
    """Products of vectors from the shipped text, against ln of what the counts say: its own, and of a long text."""
    text = Text(kitchen.split("train"))
    V, c = len(text.words), 2
    own = names["cooccurrences"](text.texts, V, c)

    def long() -> Iterable[kitchen.Document]:
        size = 0
        for document in kitchen.stream(1):
            if size >= LONG:
                return
            size += len(document)
            yield document

    truth = counts(long(), text.number, c)
    seen, occurrences = names["all_pairs"](text.texts, c), text.occurrences
    rows = []
    for seed in SEEDS:
        for k in (1, 5, 15):
            q = names["noise"](occurrences, 1)
            A, B, _ = names["learn"](names["update"], seen, V, q, k=k, steps=12_000, seed=seed, rate=0.25 / max(k, 5))
            x = (A @ B.T).double().numpy()
            for least in (1, 5, 20):
                where = own >= least
                for against, N in (("own counts", own), ("a hundred times the text", truth)):
                    pmi = names["pmi"](N)
                    both = where & np.isfinite(pmi)
                    wanted = pmi[both] - np.log(k)
                    r = float(np.corrcoef(x[both], wanted)[0, 1])
                    off = float((x[both] - wanted).mean())
                    rows.append((k, seed, least, against, int(both.sum()), r, off))
            save(rows, "k seed least against pairs correlation mean_difference", "products")


if __name__ == "__main__":
    torch.set_num_threads(1)
    found = chapter()
    for what in sys.argv[1:] or ("products", "windows", "negatives"):
        {"windows": windows, "negatives": negatives, "products": products}[what](found)
