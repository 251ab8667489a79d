"""Every language model of the course by name, behind the one interface of `lmkit.models`.

    MODELS["Katz 3"].make(text)        a model fitted to the text, or read from data/runs

The counting models are the reference answers and given cells of chapter 02, read from the chapter, so that what is
measured is what the course teaches. (They stand here and not in lmkit, which the students have before they solve 02.)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from benchmarks.chapters import chapter_functions
from lmkit import ngrams, runs
from lmkit.models import Counted, LanguageModel, Truth
from lmkit.ngrams import END, UNKNOWN


@dataclass(frozen=True)
class Text:
    """What a counting model counts: sentences without `</s>`, and all symbols that can be predicted (V of them)."""

    sentences: Sequence[Sequence[str]]
    symbols: Sequence[str]

    @property
    def tokens(self) -> int:
        """All words, and an end for each sentence."""
        return sum(len(sentence) + 1 for sentence in self.sentences)

    @property
    def vocabulary(self) -> list[str]:
        """The symbols, `</s>` last, as `lmkit.ngrams` wants it."""
        return [symbol for symbol in self.symbols if symbol != END] + [END]

    @classmethod
    def of(cls, documents: Sequence[Any], symbols: Sequence[str]) -> "Text":
        """Documents whose last token is `</s>`; every word that is no symbol becomes `<UNK>`."""
        known = set(symbols)
        tokens = [list(getattr(document, "tokens", document)) for document in documents]
        return cls([[word if word in known else UNKNOWN for word in words[:-1]] for words in tokens], symbols)


@dataclass(frozen=True)
class Entry:
    """A model of the scoreboard: how to make it, and what kind it is."""

    kind: str  # "counted", "recorded" or "truth"
    make: Callable[[Text], LanguageModel]
    run: str = ""  # the recorded run, if it is one


@lru_cache
def _taught() -> dict[str, Any]:
    """The functions and classes of chapter 02 by name."""
    wanted = {
        "absolute_discount", "count_of_counts", "estimate_discount", "good_turing", "good_turing_rule",
        "katz_rule", "kneser_ney", "leave_one_out", "lidstone_array", "simple_good_turing", "smooth_level",
        "spread", "three_discounts", "Continuations",
    }  # fmt: skip
    return chapter_functions("02_smoothing", wanted)


Rule = Callable[[Any, Any], Any]


def _by_rule(order: int, rule_of: Callable[[ngrams.NgramCounts], Rule], counting: str = "") -> Entry:
    def make(text: Text) -> LanguageModel:
        counts = (_taught()[counting] if counting else ngrams.NgramCounts)(text.sentences, order, text.vocabulary)
        return Counted(ngrams.RowModel(counts, rule_of(counts)))

    return Entry("counted", make)


def _add_one(counts: ngrams.NgramCounts) -> Rule:
    return lambda row, lower: (row + 1) / (row.sum() + len(row))


def _constant_discount(counts: ngrams.NgramCounts) -> Rule:
    k = _taught()["estimate_discount"](counts[counts.order]["count"])
    return lambda row, lower: _taught()["absolute_discount"](row, lower, k)


def _modified_kneser_ney(order: int) -> Entry:
    def make(text: Text) -> LanguageModel:
        counts = ngrams.NgramCounts(text.sentences, order, text.vocabulary)
        P, weights = zip(*_taught()["kneser_ney"](counts.levels, len(text.symbols)), strict=True)
        return Counted(ngrams.BackoffModel(counts, P, weights))

    return Entry("counted", make)


def _recorded(run: str) -> Entry:
    return Entry("recorded", lambda text: runs.load(run).model, run)


MODELS: dict[str, Entry] = {
    "unigram": _by_rule(1, _add_one),  # one more for each word, for some symbols do not occur in the counted text
    "Laplace 2": _by_rule(2, _add_one),
    "Good-Turing 3": _by_rule(3, lambda counts: _taught()["good_turing_rule"](counts)),
    "Katz 3": _by_rule(3, lambda counts: _taught()["katz_rule"](counts)),
    "Kneser-Ney 3": _by_rule(3, _constant_discount, "Continuations"),
    "modified Kneser-Ney 3": _modified_kneser_ney(3),
    "modified Kneser-Ney 5": _modified_kneser_ney(5),
    "window": _recorded("kitchen-window"),
    "RNN": _recorded("kitchen-rnn"),
    "LSTM": _recorded("kitchen-lstm"),
    "Transformer": _recorded("kitchen-transformer"),
    "Transformer, Muon": _recorded("kitchen-transformer-muon"),
    "Transformer, shift": _recorded("kitchen-transformer-shift"),
    "truth": Entry("truth", lambda text: Truth(text.symbols)),
}
