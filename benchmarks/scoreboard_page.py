"""docs/scoreboard.md from the tables in data/scoreboard; `python -m benchmarks.scoreboard` writes it."""

import math
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from lmkit import kitchen, runs
from lmkit.scoreboard import TRUTH, log_probabilities, table

FILE = Path(__file__).resolve().parent.parent / "docs" / "scoreboard.md"
MASKED = FILE.parent.parent / "data" / "masked" / "ladder.csv"  # recorded with chapter 07
PROBES = (
    "Some words are decided by others far away: a verb by its subject, a name by its first mention. How often does each"
    " model give the right one the most probability (copy, recall) or more than the wrong form (agreement, companion)?"
    " Per cent right; distances are in tokens, back to the word that decides."
)
LECTURES = (  # what the slides print for the Penn Treebank, and the same family here
    ("Kneser-Ney, order 5", 141, "modified Kneser-Ney 5"),
    ("neural n-gram", 140, "window"),
    ("RNN", 125, "RNN"),
    ("LSTM", 115, "LSTM"),
)


def page() -> str:
    """The whole page."""
    parts = [
        "# The scoreboard: every model of the course on one text",
        text(
            "One text, all models: how close does each model of the course come to the truth, what does it cost, and"
            " which questions can it answer? `python -m benchmarks.scoreboard` wrote this page from"
            " `data/scoreboard/*.csv`; do not edit it. [The README of that folder](../data/scoreboard/README.md) says"
            " what each column means and how it was measured."
        ),
        *models(),
        "## The order that the lectures print",
        *lectures(),
        "## Probes by distance",
        text(PROBES),
        probes(),
        "## By the share of the training text",
        *shares(),
        "## By the number of weights",
        *sizes(),
        "## Calibration",
        *trust(),
        "## Models that read both sides",
        *both_sides(),
    ]
    return "\n\n".join(parts) + "\n"


def text(paragraph: str) -> str:
    """A paragraph in lines."""
    return "\n".join(textwrap.wrap(paragraph, 118, break_long_words=False, break_on_hyphens=False))


def grid(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def seconds(value: float) -> str:
    """Whole seconds, or two digits of less than ten."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def models() -> list[str]:
    """What each model costs and reaches."""
    found = table("models")
    floor = found.loc[found["model"] == TRUTH, "perplexity"].item()
    tokens = sum(map(len, kitchen.split("test")))
    rows: list[Sequence[object]] = []
    for row in found[found["model"] != TRUTH].to_dict("records"):
        read, kept = f"{int(row['tokens read']):,}", f"{int(row['weights']):,}"
        above = f"{row['bits above the floor']:.3f} ± {row['error']:.3f}"
        speeds = [f"{row[f'{how}, unigram = 1']:.2g}" for how in ("scoring", "writing")]
        cost = [read, f"{row['CPU seconds']:.3g}"]
        rows.append(
            [row["model"], *cost, f"{row['perplexity']:.2f}", above, kept, f"{row['bytes'] / 1e6:.2f}", *speeds]
        )
    rows.append(["truth", "", "", f"{floor:.3f}", 0, "", "", "", ""])
    head = "model, tokens read, CPU s, perplexity, bits above the floor, numbers kept, MB, scoring, writing"
    return [
        text(
            f"The text is the frozen test split of the kitchen language, {tokens:,} tokens. Its exact floor is a"
            f" perplexity of {floor:.3f}: no model can do better in the long run. Words outside the vocabulary count as"
            " one word, for every model and for the truth. **The comparison is not at equal text or time.** The"
            " counting models have counted a finite text of a million tokens; the networks have read fresh stories,"
            " none of them twice, for as long as the table says."
        ),
        grid(head.split(", "), rows),
        text(
            "Scoring and writing are speeds in tokens per CPU second, relative to the unigram measured next to them."
            " Our interface returns the probabilities of all words at every place, and reads the whole text so far"
            " again for every token that it writes. A program that looks up one probability, or keeps its state, is"
            " faster."
        ),
    ]


def lectures() -> list[str]:
    """The slides' figures, and the same families here."""
    perplexity = table("models").set_index("model")["perplexity"]
    rows = [
        [
            name,
            printed,
            f"{math.log2(printed):.3f}",
            ours,
            f"{perplexity[ours]:.2f}",
            f"{math.log2(perplexity[ours]):.3f}",
        ]
        for name, printed, ours in LECTURES
    ]
    values = [float(perplexity[ours]) for _, _, ours in LECTURES]
    same = "the same" if values == sorted(values, reverse=True) else "not the same"
    bits = {name: runs.load(f"characters-{name}").each("bits above the floor") for name in ("lstm", "transformer")}
    order = "the opposite" if max(bits["lstm"]) < min(bits["transformer"]) else "not surely another"
    spans = {name: f"{min(found):.3f} to {max(found):.3f}" for name, found in bits.items()}
    return [
        text("One of the lectures prints test perplexities on the Penn Treebank. Is it the same order here?"),
        grid(["lecture", "perplexity", "bits", "here", "perplexity", "bits"], rows),
        text(
            f"The order is {same}, though not at equal text; a table below compares models on one finite text. For the"
            " characters of text8 the lecture prints bits per character: LSTM 1.25, Transformer 1.07. We trained both"
            " on the characters of kitchen stories, four CPU minutes each, at the best of three learning rates"
            " (`data/runs/characters-lstm` and `characters-transformer`, three seeds). In bits above the truth the LSTM"
            f" reaches {spans['lstm']}, the Transformer {spans['transformer']}. That is {order} order. The reason is"
            " the short time: on words, too, the Transformer needs more than a minute to overtake the LSTM."
        ),
    ]


def probes() -> str:
    """Per cent right, a row for each kind and distance."""
    found = table("probes")
    names = list(found["model"].unique())
    rows = []
    for band, asked in found.groupby("probe"):
        share = (100 * asked["right"] / asked["asked"]).set_axis(asked["model"])
        rows.append([f"{band} ({asked['asked'].iloc[0]})", *(f"{share[name]:.0f}" for name in names)])
    return grid(["probe (number)", *names], rows)


def shares() -> list[str]:
    """Bits above the floor by the share of text, and the exponents."""
    found = table("shares")
    fits = table("exponents").groupby("model").first()
    columns = sorted(found["share"].unique())
    rows = []
    for name, here in found.groupby("model", sort=False):
        mean = here.groupby("share")["bits above the floor"].mean()
        fit = f"{fits.exponent[name]:.3f} ± {fits.error[name]:.3f}" if name in fits.index else ""
        rows.append([name, *(f"{mean[share]:.3f}" if share in mean else "" for share in columns), fit])
    seeds = found["seed"].max()
    return [
        text(
            "Here every model reads the same text: 10, 30 or 100 % of the shipped training text (100,000 tokens), and"
            " the models that count also three and ten times as much. The numbers are bits above the floor. Networks:"
            f" {seeds} seed{'s' * int(seeds > 1)}, a CPU minute on all of the text and less on less of it, the best of"
            " 16 validations. The exponent b is that of bits above the floor = a N^-b for N tokens, fitted to 10, 30"
            " and 100 %; the error is that of the fit. (The networks' exponents belong to this recipe, since with less"
            " text they also made fewer steps.)"
        ),
        grid(["model", *(f"{share} %" for share in columns), "exponent"], rows),
    ]


def sizes() -> list[str]:
    """Narrower networks."""
    rows = [
        [row["network"], row["width"], f"{row['weights']:,}", f"{row['CPU seconds']:.0f}", f"{row['perplexity']:.2f}",
         f"{row['bits above the floor']:.3f}"]
        for row in table("sizes").sort_values(["network", "width"]).to_dict("records")
    ]  # fmt: skip
    return [
        text(
            "Fresh text, and as many steps as the network of width 128 makes in a minute. One seed, and the learning"
            " rate of width 128; narrower networks might do better with another one."
        ),
        grid(["network", "width", "weights", "CPU s", "perplexity", "bits above the floor"], rows),
    ]


def trust() -> list[str]:
    """What models say of the token that they hold likeliest, and what comes."""
    columns = ("said", "came", "calibration error", "word by word")
    rows = [
        [row["model"], *(f"{100 * row[name]:.1f}" for name in columns)] for row in table("trust").to_dict("records")
    ]
    stories = int(log_probabilities().document.max()) + 1
    return [
        text(
            "When a model is 70 % sure of the next token, is it right in 70 % of the cases? For the token that each"
            f" model finds most probable, on {stories} test stories, in per cent: the probability that it gives on"
            " average (said), how often it is right (came), the calibration error in ten bins, and how far its"
            " probability is from the true one of the same token at the same place, on average (word by word)."
        ),
        grid(["model", "said", "came", "calibration error", "word by word"], rows),
    ]


def both_sides() -> list[str]:
    """Recorded with chapter 07."""
    ladder = pd.read_csv(MASKED)
    rows = [
        [name, f"{here['nats'].mean():.3f}", f"{100 * here['accuracy'].mean():.1f}"]
        for name, here in ladder[ladder["kind"] == "all"].groupby("model", sort=False)
    ]
    return [
        text(
            "A masked model gives no probability of a text: the product of its probabilities of each word, given all"
            " others, does not sum to one over all texts. So it has a table of its own, which cannot be compared with"
            " the others: nats for the word in a blank when both sides are known, 3,000 blanks, three seeds"
            " (`data/masked/ladder.csv`). Summed over a text this is the pseudo-log-likelihood."
        ),
        grid(["model", "nats in a blank", "most probable word is right, %"], rows),
    ]
