"""Skip-gram with negative samples: the chapter's own functions, a faster step, and gensim's Word2Vec, in one run.

    python -m benchmarks.vectors [--tokens 1000000] [--seeds 1,2,3] [--sweep]

About three CPU minutes. gensim: pip install -c constraints.txt -e '.[vectors]'; without it, it is left out.

All get the same text as numbers, width 50, two words on each side (gensim without its random shrinking of windows),
five negatives a pair, no subsampling, and the same number of passes; all stay on one core.

    chapter       `learn` with `update`, as the notebook runs them: pairs drawn at random, with replacement
    faster        the same sums, no autograd in either: each pair once a pass; negatives are slices of a shuffled table
                  (word2vec itself draws from a table); of a batch, true neighbours and negatives are the outermost
                  axis, so that sums run over long rows; rows are added in place; no loss is computed;
                  small first vectors, as word2vec has them (up to .5 / 50; the chapter's: about 0.1)
    gensim        compiled; one pair at a time

Two tasks. "neighbours": generated kitchen text, noise with power 3/4: the share of the ten nearest neighbours with the
word's own commonest tag, and analogies by 3CosAdd, means over all questions of `benchmarks.record.vectors` (over the
relations one with two questions would weigh as one with 400): right kind and form, and the very word. "products": the
shipped text, eight passes, noise with power 1: the correlation of the products of vectors with PMI - ln 5, over pairs
that met 5 (20) times or more.

Speed is words of text a second of CPU time, from numbers (gensim: strings of digits, vocabulary built before) to
vectors; they take turns, so that what else the machine does meets all alike. Each has its own rate: the best mean of a
task's measures in --sweep, which uses a seed that is not used otherwise; chapter and faster share theirs. The rates
fall to 0. Writes benchmarks/results/vectors.csv.
"""

import csv
import importlib.util
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy starts its threads

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch import Tensor  # noqa: E402

from benchmarks.record import vectors as record  # noqa: E402
from benchmarks.record.vectors import Text  # noqa: E402
from lmkit import kitchen  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "benchmarks" / "results" / "vectors.csv"
WIDTH, WINDOW, NEGATIVES, BATCH = 50, 2, 5, 256
TABLE = 1 << 20
SWEPT = {"faster": (0.025, 0.05, 0.1), "gensim": (0.025, 0.05, 0.1, 0.2)}
RATES = {  # the best of the sweep
    "neighbours": {"faster": 0.05, "gensim": 0.05},
    "products": {"faster": 0.05, "gensim": 0.1},
}
PASSES = {"neighbours": 1, "products": 8}
POWERS = {"neighbours": 0.75, "products": 1.0}
SWEEP_SEED = 4
Vectors = tuple[np.ndarray, np.ndarray]
Row = tuple[str, str, int, str, float]  # as in the file


def chapter(names: dict[str, Any], text: Text, task: str, rate: float, seed: int) -> Vectors:
    seen, V = names["all_pairs"](text.texts, WINDOW), len(text.words)
    q = names["noise"](text.occurrences, POWERS[task])
    steps = PASSES[task] * seen.shape[1] // BATCH
    made = names["learn"](names["update"], seen, V, q, NEGATIVES, WIDTH, steps, seed, rate, BATCH)
    return made[0].numpy(), made[1].numpy()


def step(A: Tensor, B: Tensor, i: Tensor, others: Tensor, rate: float) -> None:
    """The chapter's `update` in place; others (k + 1, P): row 0 has the true neighbours, the rest the negatives."""
    d = A.shape[1]
    a, b = A.index_select(0, i), B.index_select(0, others.flatten()).view(*others.shape, d)
    g = (b * a).sum(2).sigmoid_()
    g[0] -= 1
    g = (g * -rate)[:, :, None]
    A.scatter_add_(0, i[:, None].expand(-1, d), (g * b).sum(0))
    B.scatter_add_(0, others.flatten()[:, None].expand(-1, d), (g * a).view(-1, d))


def faster(names: dict[str, Any], text: Text, task: str, rate: float, seed: int) -> Vectors:
    generator = torch.Generator().manual_seed(seed)
    seen, V = names["all_pairs"](text.texts, WINDOW), len(text.words)
    ends = names["noise"](text.occurrences, POWERS[task]).cumsum()
    table = torch.from_numpy(np.searchsorted(ends, (np.arange(TABLE) + 0.5) / TABLE).clip(max=V - 1))
    table = table[torch.randperm(TABLE, generator=generator)]
    A, B = (torch.rand(V, WIDTH, generator=generator) - 0.5) / WIDTH, torch.zeros(V, WIDTH)
    starts = torch.randint(TABLE - NEGATIVES * BATCH, (4 * TABLE // BATCH,), generator=generator).tolist()
    steps, done = PASSES[task] * -(-seen.shape[1] // BATCH), 0
    for _ in range(PASSES[task]):
        shuffled = seen[:, torch.randperm(seen.shape[1], generator=generator)]
        for i, j in zip(*(row.split(BATCH) for row in shuffled), strict=True):
            place = starts[done % len(starts)]
            others = torch.cat([j, table[place : place + NEGATIVES * len(j)]]).view(-1, len(j))
            step(A, B, i, others, rate * (1 - done / steps))
            done += 1
    return A.numpy(), B.numpy()


def of_gensim(text: Text, task: str, rate: float, seed: int) -> Callable[[], Vectors]:
    """Everything up to the vocabulary now, the training when called."""
    from gensim.models import Word2Vec

    sentences = [[str(number) for number in ids] for ids in text.texts]
    model = Word2Vec(
        sg=1,
        hs=0,
        vector_size=WIDTH,
        window=WINDOW,
        shrink_windows=False,
        negative=NEGATIVES,
        ns_exponent=POWERS[task],
        sample=0,
        min_count=1,
        workers=1,
        seed=seed,
    )
    model.build_vocab(sentences)

    def train() -> Vectors:
        model.train(
            sentences, total_examples=len(sentences), epochs=PASSES[task], start_alpha=rate, end_alpha=rate * 1e-4
        )
        order = [model.wv.key_to_index[str(number)] for number in range(len(text.words))]
        return model.wv.vectors[order], model.syn1neg[order]

    return train


def trained(name: str, names: dict[str, Any], text: Text, task: str, rate: float, seed: int) -> tuple[float, Vectors]:
    """Words a second, and vectors A and B."""
    work: Callable[[], Vectors]
    if name == "gensim":
        work = of_gensim(text, task, rate, seed)
    else:
        method = {"chapter": chapter, "faster": faster}[name]

        def work() -> Vectors:
            return method(names, text, task, rate, seed)

    start = time.process_time()
    vectors = work()
    return PASSES[task] * sum(map(len, text.texts)) / (time.process_time() - start), vectors


def judged(names: dict[str, Any], text: Text, task: str, vectors: Vectors) -> dict[str, float]:
    A, B = vectors
    if task == "neighbours":
        _, questions, exact, kind = zip(*record.analogies(A, text), strict=True)
        asked = [number > 0 for number in questions]

        def mean(shares: tuple[float, ...]) -> float:
            return float(np.average(np.array(shares)[asked], weights=np.array(questions)[asked]))

        return {"same tag": record.tag_share(A, text), "analogies": mean(kind), "the very word": mean(exact)}
    N = names["cooccurrences"](text.texts, len(text.words), WINDOW)
    best, x = names["pmi"](N) - np.log(NEGATIVES), A.astype(float) @ B.T.astype(float)
    found = {}
    for least in (5, 20):
        met = np.greater_equal(N, least)
        found[f"r, met {least}"] = float(np.corrcoef(x[met], best[met])[0, 1])
    return found


def sweep(names: dict[str, Any], texts: dict[str, Text]) -> None:
    for task, text in texts.items():
        for name, rates in SWEPT.items():
            for rate in rates:
                speed, vectors = trained(name, names, text, task, rate, SWEEP_SEED)
                found = judged(names, text, task, vectors)
                print(f"{task:10} {name:7} rate {rate:6}: {speed:8,.0f} words/s;", end=" ")
                print(", ".join(f"{key} {value:.4f}" for key, value in found.items()), flush=True)


def main(
    tokens: Annotated[int, typer.Option(help="Of generated text.")] = 1_000_000,
    seeds: Annotated[str, typer.Option(help="With commas between them.")] = "1,2,3",
    swept: Annotated[bool, typer.Option("--sweep", help="Try learning rates; writes nothing.")] = False,
) -> None:
    """Skip-gram: the chapter's functions, a faster step, gensim."""
    torch.set_num_threads(1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    if not (compiled := bool(importlib.util.find_spec("gensim"))):
        print("gensim is not here: pip install -c constraints.txt -e '.[vectors]'.")
        SWEPT.pop("gensim")
    names = record.chapter()
    texts = {
        "neighbours": Text(kitchen.documents(tokens=tokens, seed=1)),
        "products": Text(kitchen.split("train")),
    }
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    for task, text in texts.items():
        size = sum(map(len, text.texts))
        print(f"{task}: {size:,} tokens, {len(text.words):,} words, passes: {PASSES[task]}, {RATES[task]}", flush=True)
    if swept:
        return sweep(names, texts)

    rows: list[Row] = []
    for task, text in texts.items():
        for seed in map(int, seeds.split(",")):
            for name in ("chapter", "faster", "gensim") if compiled else ("chapter", "faster"):
                rate = RATES[task]["gensim" if name == "gensim" else "faster"]
                speed, vectors = trained(name, names, text, task, rate, seed)
                found = {"words/s": speed, **judged(names, text, task, vectors)}
                rows += [(task, name, seed, key, value) for key, value in found.items()]
                print(task, name, seed, " ".join(f"{key} {value:.4g}" for key, value in found.items()), flush=True)
                save(rows)
        report([row for row in rows if row[0] == task])


def save(rows: list[Row]) -> None:
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["task", "who", "seed", "measure", "value"])
        writer.writerows([*row[:4], f"{row[4]:.4f}"] for row in rows)


def report(rows: list[Row]) -> None:
    """Mean over the seeds (least to greatest); speeds as shares of gensim's, from the same seed's turn."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for _, name, _, measure, _ in rows:
        here = [value for _, other, _, key, value in rows if (other, key) == (name, measure)]
        found.setdefault(measure, {})[name] = np.array(here)
    for measure, of in found.items():
        digits = ",.0f" if measure == "words/s" else ".4f"
        for name, values in of.items():
            line = (
                f"  {measure:14} {name:8} {values.mean():{digits}} ({values.min():{digits}} to {values.max():{digits}})"
            )
            if "gensim" in of and name != "gensim":
                theirs = of["gensim"]
                share = values / theirs
                line += (
                    f"  {share.mean():.2f} of gensim's ({share.min():.2f} to {share.max():.2f})"
                    if measure == "words/s"
                    else f"  {100 * (values.mean() - theirs.mean()):+.1f} points"
                )
            print(line, flush=True)


if __name__ == "__main__":
    typer.run(main)
