"""Questions with known answers: what must a model remember, and from how far back?"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from lmkit.kitchen import words
from lmkit.kitchen.sampler import Document, documents

KINDS = ("agreement", "companion", "copying", "ambiguous tags")


@dataclass(frozen=True)
class Probe:
    """One position of one document.

    agreement       `right` is the verb form that agrees, `wrong` the other number
    companion       `right` holds all words that may follow "with" after such a verb, `wrong` the others
    copying         `right` is a word said before; every other word is wrong (`wrong` is empty)
    ambiguous tags  `right` is the gold tag, `wrong` the other tags the same word has elsewhere

    The label "no attractor" is generous: nouns inside people's places and inside relative clauses are not looked at, so
    a noun of the other number may stand between after all. "other number between" is always true.

    `distance` is counted in tokens, back to what decides: the head noun, the verb, the last time the
    word was said; 0 where nothing single decides.
    """

    document: Document
    position: int
    label: str
    distance: int
    right: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def prefix(self) -> list[str]:
        """What a language model may look at."""
        return self.document.tokens[: self.position]

    @property
    def band(self) -> str:
        """The row of a table that the probe counts in: its label, and how far back it must look."""
        if self.label in ("no attractor", "other number between"):
            return f"agreement, {self.label}, {_between(self.distance, (1, 2, 5, 9, 14))} back"
        if self.label in ("tool", "food"):
            return f"companion, {_between(self.distance, (3, 5, 9, 14))} back"
        if self.label == "copy: surname":
            return f"copy: surname, {_between(self.distance, (1, 21, 51))} back"
        return self.label


def _between(distance: int, firsts: Sequence[int]) -> str:
    """The interval between neighbouring `firsts` that holds the distance: "1", "2-4", "14+"."""
    first = max((number for number in firsts if number <= distance), default=firsts[0])
    if first == firsts[-1]:
        return f"{first}+"
    last = firsts[firsts.index(first) + 1] - 1
    return f"{first}-{last}" if last > first else str(first)


def probes(kind: str, *, tokens: int = 300_000, seed: int = 13) -> list[Probe]:
    """All probes of one of the KINDS in that many tokens of fresh text, in the order of the text."""
    if kind not in KINDS:
        raise ValueError(f"There is no probe {kind!r}; choose one of: {', '.join(KINDS)}.")
    return probes_in(kind, documents(tokens=tokens, seed=seed))


def probes_in(kind: str, sampled: Sequence[Document]) -> list[Probe]:
    """The probes of one kind in sampled documents (those keep the marks that probes are made from)."""
    if kind == "ambiguous tags":
        return _tag_probes(sampled)
    found = []
    for document in sampled:
        for mark in document.marks:
            word = document.tokens[mark.position]
            right: tuple[str, ...] = (word,)
            label, distance = mark.kind, mark.distance
            if kind == "agreement" and mark.kind.startswith("agreement"):
                label = "other number between" if "attracted" in mark.kind else "no attractor"
            elif kind == "companion" and mark.kind == "companion":
                is_tool = word in words.TOOL_NOUNS
                right = tuple(words.TOOL_NOUNS if is_tool else words.COMPANION_NOUNS)
                label = "tool" if is_tool else "food"
            elif kind == "copying" and mark.kind.startswith(("copy", "recall")):
                before = document.tokens[: mark.position]
                distance = 1 + before[::-1].index(word)
            else:
                continue
            found.append(Probe(document, mark.position, label, distance, right, mark.rivals))
    return found


def _tag_probes(sampled: Sequence[Document]) -> list[Probe]:
    tags_of: dict[str, set[str]] = defaultdict(set)
    for document in sampled:
        for word, tag in zip(document.tokens, document.tags, strict=True):
            tags_of[word].add(tag)
    found = []
    for document in sampled:
        marks = {m.position: m for m in document.marks if m.kind.startswith("tag: ")}
        for position, (word, tag) in enumerate(zip(document.tokens, document.tags, strict=True)):
            if len(tags_of[word]) > 1:
                mark = marks.get(position)
                label, distance = (mark.kind[5:], mark.distance) if mark else ("any other", 0)
                others = tuple(sorted(tags_of[word] - {tag}))
                found.append(Probe(document, position, label, distance, (tag,), others))
    return found
