"""Makes the tables of data/vectors: the vectors of chapter 03, trained for longer than a notebook should wait.

    python -m benchmarks.record.vectors [windows] [ways] [negatives] [products] [pieces] [bigrams]

The functions are the chapter's own; data/vectors/README.md says what the tables hold.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import torch

from benchmarks.chapters import chapter_functions
from benchmarks.commands import run_parts
from lmkit import kitchen
from lmkit.kitchen import words as lexicon
from lmkit.kitchen.tables import VerbTable, inflect, plural
from lmkit.paths import DATA

HERE = DATA / "vectors"
SEEDS = (1, 2, 3)
LAPTOP, LONG = 1_000_000, 10_000_000  # tokens
STEPS = 16_000  # of 256 pairs


def chapter() -> dict[str, Any]:
    """The chapter's functions by name."""
    return chapter_functions("03_vectors", {"cooccurrences", "pmi", "noise", "update", "all_pairs", "learn"})


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

    def labelled(self, documents: Iterable[kitchen.Document], tags: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """Word numbers and tag numbers of all tokens."""
        both = [
            (self.number.get(w, 0), tags.index(t)) for d in documents for w, t in zip(d.tokens, d.tags, strict=True)
        ]
        x, y = torch.tensor(both).T
        return x, y

    def pure(self, word: str, tag: str) -> bool:
        """Seen 100 times or more, nine times in ten with that tag."""
        found = self.tags.get(word, Counter())
        return word in self.number and found.total() >= 100 and found[tag] >= 0.9 * found.total()


def unit(A: Any) -> np.ndarray:
    A = np.asarray(A, dtype=float)
    return np.asarray(A / np.maximum(np.linalg.norm(A, axis=1, keepdims=True), 1e-12))


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

    def ask(pairs: list[Any], others: list[Any], kind: set[str]) -> tuple[int, float, float]:
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


def parallel(offsets: np.ndarray) -> float:
    """The mean cosine of two different rows."""
    U, n = unit(offsets), len(offsets)
    return float((np.square(U.sum(0)).sum() - n) / (n * (n - 1)))


def offsets(A: Any, text: Text, seed: int) -> list[tuple[str, int, float, float, float]]:
    """(relation, pairs, how parallel the offsets are: of pairs, of the same words paired at random, of any words)."""
    A, number, draw = np.asarray(A, dtype=float), text.number, np.random.default_rng(seed)
    lemmas = verbs()
    relations = {f"number: {kind}": (some, "NOUN") for kind, some in nouns(text).items()}
    for one, other in (("base", "third"), ("third", "past")):
        relations[f"verb: {one} to {other}"] = ([(inflect(v, one), inflect(v, other)) for v in lemmas], "VERB")
    rows = []
    for relation, (some, tag) in relations.items():
        pairs = [p for p in some if p[0] != p[1] and all(text.pure(w, tag) for w in p)]
        one, two = np.array([[number[w] for w in p] for p in pairs]).T
        mixed = np.roll(draw.permutation(len(two)), 1)
        any_two = draw.permutation(len(text.words) - 1)[: 2 * len(two)].reshape(2, -1) + 1
        rows.append(
            (
                relation,
                len(pairs),
                parallel(A[two] - A[one]),
                parallel(A[two[mixed]] - A[one]),
                parallel(A[any_two[1]] - A[any_two[0]]),
            )
        )
    return rows


LAYER_RATES = (0.01, 0.03, 0.1)
TABLE_RATES = (0.0, 0.0003, 0.001, 0.003, 0.01, 0.03)  # of the vectors; 0: frozen


def tag_counts(x: torch.Tensor, y: torch.Tensor, V: int, K: int) -> torch.Tensor:
    """How often each word (V) has each tag (K)."""
    return torch.bincount(x * K + y, minlength=V * K).reshape(V, K)


def tag_layer(
    table: torch.Tensor, some: tuple[torch.Tensor, torch.Tensor], choose: torch.Tensor, judge: torch.Tensor, rate: float
) -> tuple[float, int, float, float]:
    """(layer rate, step, share right, the same over words not among the examples) of the best run on `choose`.

    A linear layer names the tag of a token from the vector of its word alone, and its loss also moves the vectors if
    `rate` is above 0. The rate of the layer and the step at which to stop are those with most right tags in `choose`;
    the shares are those in `judge`. Both are counts [V, K] as `tag_counts` makes them.
    """
    x, y = some
    words, back = x.unique(return_inverse=True)
    new = torch.ones(len(table), dtype=torch.bool)
    new[words] = False
    best: tuple[Any, ...] = (-1,)
    for layer_rate in LAYER_RATES:
        moved, now = table[words].clone().requires_grad_(rate > 0), table.clone()
        W = torch.zeros(table.shape[1], choose.shape[1], requires_grad=True)
        b = torch.zeros(W.shape[1], requires_grad=True)
        groups = [{"params": [W, b], "lr": layer_rate}, *([{"params": [moved], "lr": rate}] if rate else [])]
        optimiser = torch.optim.Adam(groups)
        for step in range(1, 401):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(moved[back] @ W + b, y).backward()
            optimiser.step()
            if step % 10 == 0:
                with torch.no_grad():
                    now[words] = moved
                    answer = (now @ W + b).argmax(1, keepdim=True)
                right = int(choose.gather(1, answer).sum())
                if right > best[0]:
                    found = judge.gather(1, answer)[:, 0]
                    best = (right, layer_rate, step, found.sum() / judge.sum(), found[new].sum() / judge[new].sum())
    return best[1], best[2], float(best[3]), float(best[4])


def ways(names: dict[str, Any]) -> None:
    """Vectors frozen or moved along with a tagger, at each rate; all else is chosen on text that does not judge."""
    text = Text(kitchen.documents(tokens=LAPTOP, seed=1))
    V, q = len(text.words), names["noise"](text.occurrences, 0.75)
    tags = sorted({tag for document in kitchen.split("train") for tag in document.tags})
    x, y = text.labelled(kitchen.split("train"), tags)
    valid = list(kitchen.split("valid"))
    choose, judge = (tag_counts(*text.labelled(part, tags), V, len(tags)) for part in (valid[::2], valid[1::2]))
    seen, rows = names["all_pairs"](text.texts, 2), []
    for seed in SEEDS:
        A = names["learn"](names["update"], seen, V, q, steps=STEPS, seed=seed)[0]
        for n in (50, 200, 1000):
            for draw in range(5):
                generator = torch.Generator().manual_seed(1000 * seed + draw)
                some = torch.randperm(len(x), generator=generator)[:n]
                rough = torch.randn(A.shape, generator=generator) * A.std()
                for start, table in (("random", rough), ("word vectors", A)):
                    for rate in TABLE_RATES:
                        found = tag_layer(table, (x[some], y[some]), choose, judge, rate)
                        rows.append((seed, n, draw, start, rate, *found))
            save(rows, "seed examples draw start rate layer_rate step right right_new_words", "ways")


def save(rows: list[Any], columns: str, name: str) -> None:
    pd.DataFrame(rows, columns=columns.split()).to_csv(HERE / f"{name}.csv", index=False, float_format="%.4f")
    print(name, rows[-1], flush=True)


def windows(names: dict[str, Any]) -> None:
    """Window sweep, analogies and offsets, on the laptop's text."""
    text = Text(kitchen.documents(tokens=LAPTOP, seed=1))
    V, stories = len(text.words), story_table(text)
    q = names["noise"](text.occurrences, 0.75)
    rows, asked, apart = [], [], []
    for seed in SEEDS:
        for c in (2, 1, 5, 10):
            A, B, _ = names["learn"](names["update"], names["all_pairs"](text.texts, c), V, q, steps=STEPS, seed=seed)
            if c == 2:
                if seed == 1:
                    np.savez_compressed(HERE / "words.npz", words=text.words, A=A.numpy().astype(np.float16))
                apart += [(seed, *row) for row in offsets(A, text, seed)]
                save(apart, "seed relation pairs paired shuffled any_words", "offsets")
            for name, table in (("A", A), ("B", B), ("A + B", A + B)):
                rows.append((c, seed, name, tag_share(table, text), story_ratio(table, stories)))
            asked += [(c, seed, *row) for row in analogies(A, text)]
            save(rows, "c seed vectors same_tag story_ratio", "windows")
            save(asked, "c seed relation questions exact kind", "analogies")


def shifted(q: np.ndarray, k: int) -> Callable[..., Any]:
    """A step of noise-contrastive estimation: scores are compared with ln(k q)."""
    shift = torch.tensor(np.log(k * q)).float()

    def step(A: Any, B: Any, i: Any, j: Any, n: Any, rate: float) -> tuple[Any, ...]:
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
    N: np.ndarray = np.zeros(V * V)
    some: list[np.ndarray] = []
    for document in documents:
        some.append(np.array([number.get(word, 0) for word in document.tokens] + [-1] * c))
        if len(some) == 2000:
            N, some = N + pairs_of(some, V, c), []
    square = (N + pairs_of(some, V, c) if some else N).reshape(V, V)
    return np.asarray(square + square.T)


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


def grams(word: str, low: int = 3, high: int = 4) -> list[str]:
    """The pieces of a word as task `pieces` cuts them."""
    marked = f"<{word}>"
    return [marked[t : t + n] for n in range(low, high + 1) for t in range(len(marked) - n + 1)]


def misspelt(word: str, draw: np.random.Generator) -> str:
    """One letter missing, or twice, or two neighbours changed over."""
    t = int(draw.integers(1, len(word) - 1))
    return (word[:t] + word[t + 1 :], word[:t] + word[t] + word[t:], word[:t] + word[t + 1] + word[t] + word[t + 2 :])[
        int(draw.integers(3))
    ]


def pieces(names: dict[str, Any]) -> None:
    """Skip-gram whose word vectors are sums of the vectors of their pieces."""
    text = Text(kitchen.documents(tokens=LAPTOP, seed=1))
    V, seen = len(text.words), names["all_pairs"](text.texts, 2)
    q = names["noise"](text.occurrences, 0.75)
    cut = [[text.words[0]], *(grams(word) for word in text.words[1:])]  # the unknown word is one piece
    known = sorted({piece for some in cut for piece in some})
    place = {piece: i for i, piece in enumerate(known)}
    G, longest = len(known), max(map(len, cut))
    rows_of = torch.tensor([[*(place[piece] for piece in some), *[G] * (longest - len(some))] for some in cut])

    def compose(word: str, Z: np.ndarray) -> np.ndarray:
        found = [place[piece] for piece in grams(word) if piece in place]
        return Z[found].sum(0) if found else np.zeros(Z.shape[1])

    def spelt(Z: np.ndarray) -> np.ndarray:
        return np.array([Z[place[text.words[0]]], *(compose(word, Z) for word in text.words[1:])])

    def nearest_to(vectors: np.ndarray, A: np.ndarray, n: int) -> np.ndarray:
        return np.argsort(-(unit(vectors) @ unit(A)[1:].T), axis=1)[:, :n] + 1

    new = [(word, found.most_common(1)[0][0]) for word, found in text.tags.items() if word not in text.number]
    rows = []
    for seed in SEEDS:
        draw = np.random.default_rng(seed)
        typos = [(misspelt(w, draw), i) for i, w in enumerate(text.words) if i and len(w) >= 5 and w.isalpha()]
        typos = [(typo, i) for typo, i in typos if typo not in text.number]
        Z = torch.randn(G + 1, 50, generator=torch.Generator().manual_seed(seed)) * 0.03
        Z[G] = 0
        tables = {"random": Z[:G].double().numpy().copy()}

        def step(A: Any, B: Any, i: Any, j: Any, n: Any, rate: float, Z: torch.Tensor = Z) -> tuple[Any, ...]:
            others, some = torch.cat([j[:, None], n], 1), rows_of[i]
            a, b = Z[some].sum(1), B[others]
            g = (b @ a[:, :, None])[:, :, 0].sigmoid()
            g[:, 0] -= 1
            step_a = ((g[:, None] @ b)[:, 0])[:, None].expand(-1, longest, -1)
            Z.index_add_(0, some.flatten(), step_a.flatten(0, 1), alpha=-rate)
            Z[G] = 0
            return A, B.index_add_(0, others.flatten(), (g[:, :, None] * a[:, None]).flatten(0, 1), alpha=-rate), 0.0

        names["learn"](step, seen, V, q, steps=STEPS, seed=seed, rate=0.01)
        tables["learned"] = Z[:G].double().numpy()
        if seed == 1:
            np.savez_compressed(HERE / "pieces.npz", pieces=known, Z=tables["learned"].astype(np.float16))
        for name, table in tables.items():
            A = spelt(table)
            near = nearest_to(np.array([compose(typo, table) for typo, _ in typos]), A, 1)[:, 0]
            right = float(np.mean(near == np.array([i for _, i in typos])))
            row: list[Any] = [seed, name, tag_share(A, text), len(typos), right]
            for some in ("NOUN", "PROPN", "VERB"):
                chosen = [word for word, tag in new if tag == some]
                near = nearest_to(np.array([compose(word, table) for word in chosen]), A, 10)
                row += [len(chosen), float(np.mean(text.tag[near] == some)), float(np.mean(text.tag[1:] == some))]
            rows.append(tuple(row))
        columns = " ".join(f"{some} {some}_same_tag {some}_chance" for some in ("NOUN", "PROPN", "VERB"))
        save(rows, f"seed table known_same_tag typos typos_right {columns}", "pieces")


def bigrams(names: dict[str, Any]) -> None:
    """Skip-gram that guesses the next word only, with a softmax: how far from the counts, how good on new text."""
    text = Text(kitchen.split("train"))
    V = len(text.words)

    def following(texts: list[list[int]]) -> torch.Tensor:
        row = np.concatenate([[*some, -1] for some in texts])
        both = (row[:-1] >= 0) & (row[1:] >= 0)
        return torch.tensor(np.bincount(row[:-1][both] * V + row[1:][both], minlength=V * V).reshape(V, V)).float()

    N = following(text.texts)
    valid = following([[text.number.get(w, 0) for w in document.tokens] for document in kitchen.split("valid")])
    share, counted = N / N.sum(), N / N.sum(1, keepdim=True).clamp(min=1)
    least = -float((share[N > 0] * counted[N > 0].log()).sum())
    smoothed = ((N + 0.1) / (N + 0.1).sum(1, keepdim=True)).log()
    rows: list[Any] = [("counts + 0.1", 0, 0, 0, -float((share * smoothed).sum()) - least,
                   -float((valid * smoothed).sum() / valid.sum()))]  # fmt: skip
    for d in (2, 10, 50):
        for seed in SEEDS:
            generator = torch.Generator().manual_seed(seed)
            A = (torch.randn(V, d, generator=generator) * 0.1).requires_grad_()
            B = (torch.randn(V, d, generator=generator) * 0.1).requires_grad_()
            moves = torch.optim.Adam([A, B], lr=0.05)
            for s in range(301):
                log_p = (A @ B.T).log_softmax(1)
                loss = -(share * log_p).sum()
                if s in (0, 30, 100, 300):
                    new = -float((valid * log_p).sum() / valid.sum())
                    rows.append(("skip-gram", d, seed, s, float(loss) - least, new))
                moves.zero_grad()
                loss.backward()
                moves.step()
            save(rows, "model d seed step kl valid_nats", "bigrams")


if __name__ == "__main__":
    torch.set_num_threads(1)
    found = chapter()
    parts = (products, windows, ways, negatives, pieces, bigrams)
    run_parts({part.__name__: partial(part, found) for part in parts})
