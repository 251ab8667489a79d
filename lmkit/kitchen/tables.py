"""Weighted word tables and phrase books: the two sources of words of the kitchen language."""

import bisect
import itertools
import math
import random
from collections.abc import Collection, Mapping, Sequence

FORMS = ("base", "third", "past")


def listed(text: str) -> list[str]:
    """The words of a text, as a list."""
    return text.split()


class Table:
    """Words that compete for one slot, each with its probability and its part of speech."""

    def __init__(self, words: Sequence[str], tags: str | Sequence[str], weights: Sequence[float]):
        total = math.fsum(weights)
        self.words = tuple(words)
        self.tags = (tags,) * len(self.words) if isinstance(tags, str) else tuple(tags)
        self.probabilities = tuple(weight / total for weight in weights)
        self.index = {word: i for i, word in enumerate(self.words)}
        self._cumulative = [*itertools.accumulate(self.probabilities)]
        self._cumulative[-1] = 1.0
        if len(self.index) != len(self.words):
            raise ValueError("a word stands twice in one table")

    def __contains__(self, word: str) -> bool:
        return word in self.index

    def tag(self, word: str) -> str:
        """The part of speech of a word of this table."""
        return self.tags[self.index[word]]

    def probability(self, word: str, excluding: Collection[str] = ()) -> float:
        """P(word), renormalised after the excluded words are taken out."""
        if word in excluding:
            return 0.0
        return self.probabilities[self.index[word]] / self.mass(excluding)

    def mass(self, excluding: Collection[str] = ()) -> float:
        """What is left of 1 when the excluded words are taken out."""
        if not excluding:
            return 1.0
        return 1.0 - math.fsum(self.probabilities[self.index[w]] for w in set(excluding) if w in self.index)

    def sample(self, uniform: float) -> str:
        """The word at which the cumulative probability passes `uniform`, a number in [0, 1)."""
        return self.words[bisect.bisect(self._cumulative, uniform)]


def zipf(
    words: Sequence[str],
    tag: str,
    exponent: float = 0.9,
    offset: float = 2.0,
    shuffle: str | None = None,
) -> Table:
    """A table in which the word of rank r (from 0) weighs (r + offset) ** -exponent.

    With `shuffle`, the ranks are dealt out in an order fixed by that string: one list, many tastes.
    """
    words = list(words)
    if shuffle is not None:
        random.Random(shuffle).shuffle(words)
    return Table(words, tag, [(rank + offset) ** -exponent for rank in range(len(words))])


class VerbTable:
    """Verbs that compete for one slot, as three tables of word forms over the same lemmas."""

    def __init__(self, lemmas: Sequence[str], exponent: float = 0.7):
        self.lemmas = tuple(lemmas)
        self.forms = {form: zipf([inflect(lemma, form) for lemma in lemmas], "VERB", exponent) for form in FORMS}

    def lemma(self, word: str, form: str) -> str:
        """The dictionary form of a word of that form."""
        return self.lemmas[self.forms[form].index[word]]


IRREGULAR_PLURALS = {
    "child": "children",
    "woman": "women",
    "man": "men",
    "knife": "knives",
    "loaf": "loaves",
    "shelf": "shelves",
}
PAST_FORMS = dict(
    pair.split("-")
    for pair in listed(
        "buy-bought sell-sold bring-brought drink-drank sing-sang sleep-slept know-knew cut-cut say-said "
        "eat-ate choose-chose meet-met leave-left take-took drive-drove lead-led send-sent go-went "
        "come-came hear-heard think-thought tell-told teach-taught have-had find-found grow-grew "
        "begin-began plan-planned chop-chopped can-canned stop-stopped hold-held"
    )
)


def plural(noun: str) -> str:
    """The plural of a noun; also how a verb takes its third person -s."""
    if noun in IRREGULAR_PLURALS:
        return IRREGULAR_PLURALS[noun]
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "sh", "ch", "x", "go", "to")) else "s")


def inflect(lemma: str, form: str) -> str:
    """One of the FORMS of a verb: base (also the plural), third person singular, past."""
    if form == "base":
        return lemma
    if form == "third":
        return "has" if lemma == "have" else plural(lemma)
    if lemma in PAST_FORMS:
        return PAST_FORMS[lemma]
    if lemma.endswith("y") and lemma[-2] not in "aeiou":
        return lemma[:-1] + "ied"
    return lemma + ("d" if lemma.endswith("e") else "ed")


class PhraseBook:
    """Fixed phrases, told apart at the first word where they differ: a tree of tables."""

    def __init__(self, weights: Mapping[str, float]):
        """`weights` maps phrases such as "at/ADP the/DET bar/NOUN" to positive numbers."""
        groups: dict[str, dict[str, float]] = {}
        for phrase, weight in weights.items():
            first, _, rest = phrase.partition(" ")
            groups.setdefault(first, {})[rest] = weight
        pairs = [first.rsplit("/", 1) for first in groups]
        self.table = Table(
            [word for word, _ in pairs],
            [tag for _, tag in pairs],
            [math.fsum(group.values()) for group in groups.values()],
        )
        self.after: dict[str, PhraseBook] = {}
        for (word, _), group in zip(pairs, groups.values(), strict=True):
            if "" in group and len(group) > 1:
                raise ValueError(f"a phrase ends at {word!r} where another goes on")
            if "" not in group:
                self.after[word] = PhraseBook(group)
