"""Modified Kneser-Ney: ours (the chapter's own reference answers), KenLM and NLTK on the same text, in one run.

    python -m benchmarks.ngrams [--text FILE] [--tokens N] [--orders 2,3,5] [--kenlm FOLDER] [--rounds 3] [--characters]

Without --text, a text is made: Zipf's law for words, and each word partly chosen by the one or two before it, seeded.
KenLM: FOLDER holds `lmplz` and `query`; without it both are looked for on the PATH. What is not installed is left out.
NLTK has no modified Kneser-Ney and is slow: it fits its interpolated Kneser-Ney on a part of the text, for speed only.

Conventions, the same for ours and KenLM: one sentence per line, one <s> before it (never predicted), one </s> behind it
(predicted, counted); words seen less than three times are one ordinary word; <unk> is a further event, never seen, so
it shares what the 1-grams leave to the uniform distribution over all events (KenLM's default, --interpolate_unigrams).
Where counts of counts allow no estimate, both discount .5, 1, 1.5 (--discount_fallback).
Speeds are by CPU time, so that other programs on the machine disturb little; ours, query and NLTK run on one core.
"""

import importlib.util
import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.chapters import chapter_functions
from lmkit import ngrams

ROOT = Path(__file__).resolve().parent.parent
RARE = "rare-word"
SIGNS = {"<unk>", "<UNK>", "<s>", "</s>"}  # KenLM ends at a text that holds its own signs
WORD = re.compile(r"</?\w+>|[\w'<>-]+|[^\w\s]")
KENLM_MOST = 6  # what its own build files say, if nothing else is asked for
TYPES, LENGTH, SEED = 36_000, 22, 1998
NLTK_TOKENS = 50_000
Sentences = list[list[str]]


def reference() -> dict[str, Any]:
    """Chapter 02's modified Kneser-Ney, `kneser_ney`, and what it stands on."""
    return chapter_functions("02_smoothing", {"kneser_ney"})


def made_text(tokens: int, seed: int = SEED) -> Sentences:
    """Zipf-Mandelbrot words; six in ten follow a habit of the word, or of the two words, before them."""
    rng = np.random.default_rng(seed)
    weights = 1 / (np.arange(TYPES) + 2.7)
    cumulative = np.cumsum(weights / weights.sum())

    def zipf(uniform: np.ndarray) -> np.ndarray:
        return np.minimum(np.searchsorted(cumulative, uniform), TYPES - 1)

    plain = zipf(rng.random(tokens)).tolist()
    rank = np.floor(np.exp(rng.random(tokens) * np.log(60))).astype(int).tolist()  # few habits, some frequent
    habits = zipf(rng.random(1 << 20)).tolist()
    kind, ends = rng.random(tokens).tolist(), (rng.random(tokens) < 1 / LENGTH).tolist()
    sentences: Sentences = [[]]
    older = last = 0
    for i in range(tokens):
        word = plain[i]
        if kind[i] < 0.35:
            word = habits[(last * 7919 + rank[i] * 104_729) & 0xFFFFF]
        elif kind[i] < 0.6:
            word = habits[(older * 15_485_863 + last * 7919 + rank[i] * 32_452_843) & 0xFFFFF]
        sentences[-1].append(f"w{word}")
        older, last = last, word
        if ends[i]:
            sentences.append([])
    return [sentence for sentence in sentences if sentence]


def read_text(path: Path) -> Sentences:
    """Words and punctuation marks of a file, a sentence per line; what a tool takes for a sign of its own is rare."""
    lines = path.read_text(encoding="utf-8").splitlines()
    words = ([RARE if word in SIGNS else word for word in WORD.findall(line)] for line in lines)
    return [found for found in words if found]


Seconds = tuple[float, float]  # wall, CPU


def best(rounds: int, work: Callable[[], Any]) -> tuple[Seconds, Any]:
    """The shortest wall and CPU time of some rounds, and what came out."""
    walls, cpus, result = [], [], None
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return (min(walls), min(cpus)), result


def command(line: list[str | Path], source: Path, target: Path) -> Seconds:
    """Run a program from file to file."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    with source.open("rb") as stdin, target.open("wb") as stdout:
        subprocess.run(line, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL, check=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(name: str, order: int, sizes: tuple[int, int], fit: Seconds, score: Seconds, note: str) -> None:
    cells = [
        f"{wall:7.2f} {cpu:7.2f} {size / cpu / 1e6 if cpu > 0.005 else np.nan:6.2f}"
        for size, (wall, cpu) in zip(sizes, (fit, score), strict=True)
    ]
    print(f"{name:20} {order:2} {' '.join(cells)}  {note}", flush=True)


def ours(train: Sentences, test: Sentences, order: int, rounds: int) -> float:
    """From lists of words to tables, and from lists of words to logarithms."""
    kneser_ney = reference()["kneser_ney"]

    def fit() -> ngrams.BackoffModel:
        counts = ngrams.NgramCounts(train, order)
        P, weights = zip(*kneser_ney(counts.levels, len(counts.vocabulary)), strict=True)
        return ngrams.BackoffModel(counts, P, weights, name="ours")

    seconds, model = best(rounds, fit)
    scoring, logarithms = best(rounds, lambda: model.score(test))
    perplexity = float(np.exp(-np.mean(logarithms)))
    report("ours", order, (sum(map(len, train)), sum(map(len, test))), seconds, scoring, f"{perplexity:.4f}")
    return perplexity


def kenlm(folder: Path, train: Sentences, test: Sentences, order: int) -> float:
    """lmplz from text to ARPA; query from text to the sum, once the model is in memory (the load is taken off)."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for part, sentences in (("train", train), ("test", test), ("one", test[:1])):
            (work / part).write_text("\n".join(map(" ".join, sentences)) + "\n", encoding="utf-8")
        lmplz: list[str | Path] = [
            folder / "lmplz",
            "-o",
            str(order),
            "-S",
            "1G",
            "-T",
            work / "t",
            "--discount_fallback",
        ]
        fit = command(lmplz, work / "train", work / "arpa")
        query: list[str | Path] = [folder / "query", "-v", "summary", work / "arpa"]
        scoring = command(query, work / "test", work / "out")
        loading = command(query, work / "one", work / "none")
        found = re.search(r"including OOVs:\s*([\d.]+)", (work / "out").read_text())
    if not found:
        raise SystemExit("KenLM's query printed no perplexity.")
    score = max(scoring[0] - loading[0], 0.0), max(scoring[1] - loading[1], 0.0)
    note = f"{float(found[1]):.4f}  (loading took {loading[1]:.2f} s of CPU)"
    report("KenLM", order, (sum(map(len, train)), sum(map(len, test))), fit, score, note)
    return float(found[1])


def nltk(train: Sentences, test: Sentences, order: int) -> None:
    from nltk.lm import KneserNeyInterpolated
    from nltk.lm.preprocessing import padded_everygram_pipeline
    from nltk.util import ngrams as windows

    part = cut(train, NLTK_TOKENS)
    few = cut(test, 50)

    def fit() -> KneserNeyInterpolated:
        grams, words = padded_everygram_pipeline(order, part)
        model = KneserNeyInterpolated(order)
        model.fit(grams, words)
        return model

    def score() -> None:
        for sentence in few:
            for window in windows(["<s>"] * (order - 1) + sentence + ["</s>"], order):
                model.score(window[-1], window[:-1])

    fitting, model = best(1, fit)
    scoring, _ = best(1, score)
    sizes = sum(map(len, part)), sum(map(len, few))
    report("NLTK", order, sizes, fitting, scoring, f"(not modified; only {sizes[0]:,} and {sizes[1]:,} tokens)")


def cut(sentences: Sentences, tokens: int) -> Sentences:
    """The first sentences with about so many tokens."""
    sizes = np.cumsum([len(sentence) for sentence in sentences])
    return sentences[: int(np.searchsorted(sizes, tokens)) + 1]


def main(
    text: Annotated[Path | None, typer.Option(help="A text file, a sentence a line; default: a made text.")] = None,
    tokens: Annotated[int, typer.Option(help="Of the made text.")] = 2_000_000,
    orders: Annotated[str, typer.Option(help="With commas between them.")] = "2,3,5",
    kenlm_folder: Annotated[Path | None, typer.Option("--kenlm", help="The folder with KenLM's lmplz.")] = None,
    rounds: Annotated[int, typer.Option(help="The best of so many counts.")] = 3,
    characters: Annotated[bool, typer.Option("--characters", help="Of characters, not of words.")] = False,
) -> None:
    """Modified Kneser-Ney: ours, KenLM, NLTK."""
    sentences = read_text(text) if text else made_text(tokens * 23 // 20)
    if characters:
        letters = [list(" ".join(sentence)) for sentence in sentences]
        sentences = [["_" if letter == " " else letter for letter in sentence] for sentence in letters]
    held_out = max(1, len(sentences) * 3 // 23)
    train, test = sentences[:-held_out], sentences[-held_out:]
    frequency = Counter(word for sentence in train for word in sentence)
    train, test = (
        [[word if frequency[word] > 2 else RARE for word in sentence] for sentence in part] for part in (train, test)
    )
    types = len({word for sentence in train for word in sentence})
    print(f"{sum(map(len, train)):,} tokens to fit, {sum(map(len, test)):,} to score, {types:,} types;", end=" ")
    print(f"load {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores; M/s: million words (</s> not counted) a CPU second")
    print(f"{'':20}  n {'fit: s':>7} {'CPU s':>7} {'M/s':>6} {'score: s':>7} {'CPU s':>6} {'M/s':>6}  perplexity")
    folder = kenlm_folder or (Path(found).parent if (found := shutil.which("lmplz")) else None)
    for order in map(int, orders.split(",")):
        perplexity = ours(train, test, order, rounds)
        if folder and order > KENLM_MOST:
            print(f"KenLM is built for orders up to {KENLM_MOST}.")
        elif folder:
            theirs = kenlm(folder, train, test, order)
            print(f"{'':23} ours differs from KenLM by {abs(perplexity / theirs - 1):.2e}")
        if importlib.util.find_spec("nltk"):
            nltk(train, test, order)
    if not folder:
        print("KenLM is not here: build it (cmake, Boost) and name its folder with --kenlm.")
    if not importlib.util.find_spec("nltk"):
        print("NLTK is not here: pip install nltk.")


if __name__ == "__main__":
    typer.run(main)
