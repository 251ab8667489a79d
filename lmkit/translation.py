"""Sentence pairs for translation: English and Selvan, an invented language, from one synchronous grammar.

pairs(5000, seed=1)              sampled (source, target) pairs
references(source)               every valid translation of an English sentence
is_translation(source, target)   whether a given target is one of them
links(source, target)            which word stands for which, by the grammar
split("train")                   the frozen pairs that ship with the course

The grammar is `data/translation/grammar.toml`; its head says how Selvan differs from English.
`python -m lmkit.translation` writes the frozen pairs anew.
"""

import random
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path

from lmkit.paths import DATA
from lmkit.sums import write_with_sums

FOLDER = DATA / "translation"
SPLITS = {"train": 5000, "valid": 500, "test": 500}
SEED = 1966  # the year of A. Aho and J. Ullman's first work on syntax-directed translation

Sentence = list[str]
Words = tuple[str, ...]
_NONTERMINAL = re.compile(r"([A-Z]+)(?:\(([^)]*)\))?(?:\.(\d+))?")
_PERSONS = [
    ("one", "1", "m"),
    ("one", "2", "s"),
    ("one", "3", ""),
    ("many", "1", "mu"),
    ("many", "2", "su"),
    ("many", "3", "n"),
]


@dataclass(frozen=True)
class Rule:
    """One synchronous rule with all features filled in.

    `source` and each of the `targets` are lists of words (str) and, in place of a nonterminal, its number
    (int) among the nonterminals of the source, whose names are `children`.
    """

    weight: float
    source: tuple[str | int, ...]
    targets: tuple[tuple[str | int, ...], ...]
    children: tuple[str, ...]


@dataclass(frozen=True)
class Tree:
    """A derivation: a rule and one tree for each of its nonterminals."""

    rule: Rule
    children: tuple["Tree", ...] = field(default=())

    def source(self) -> Words:
        """The English words that this derivation builds."""
        return tuple(
            word
            for part in self.rule.source
            for word in ([part] if isinstance(part, str) else self.children[part].source())
        )

    def targets(self) -> list[Words]:
        """Every Selvan phrase that this derivation builds; the most usual first."""
        choices = [child.targets() for child in self.children]
        return [
            tuple(word for part in pattern for word in ([part] if isinstance(part, str) else chosen[part]))
            for pattern in self.rule.targets
            for chosen in product(*choices)
        ]


def _compile(line: str, features: dict[str, list[str]]) -> Iterator[tuple[str, Rule]]:
    """(left side, rule) for every assignment of values to the features that occur in the line."""
    left, source, target = (part.strip() for part in line.split(" : "))
    weight, left = left.split(maxsplit=1)
    names = {
        name for text in (left, source) for _, inside, _ in _NONTERMINAL.findall(text) for name in inside.split(",")
    }
    free = sorted(names & set(features))
    for values in product(*(features[name] for name in free)):
        filled = dict(zip(free, values, strict=True))
        symbols: list[str] = []
        bases: list[str] = []

        def named(base: str, inside: str, filled: dict[str, str] = filled) -> str:
            return f"{base}({','.join(filled.get(name, name) for name in inside.split(','))})" if inside else base

        english: list[str | int] = []
        for token in source.split():
            if match := _NONTERMINAL.fullmatch(token):
                english.append(len(symbols))
                symbols.append(named(match[1], match[2]))
                bases.append(match[1])
            else:
                english.append(token)
        selvan = []
        for alternative in target.split(" / "):
            pattern: list[str | int] = []
            for token in alternative.replace("-", "").split():
                if match := _NONTERMINAL.fullmatch(token):
                    places = [place for place, base in enumerate(bases) if base == match[1]]
                    pattern.append(places[int(match[3] or 1) - 1])
                else:
                    pattern.append(token)
            selvan.append(tuple(pattern))
        (base, inside, _), *_ = _NONTERMINAL.findall(left)
        yield named(base, inside), Rule(float(weight), tuple(english), tuple(selvan), tuple(symbols))


def _entries(text: str) -> list[tuple[str, str]]:
    """(English, Selvan) of each entry of a word list."""
    entries = [entry.strip().split(" = ") for entry in text.replace("\n", " ").split(";")]
    return [(english, selvan) for english, selvan in entries]


def _plural(noun: str) -> str:
    """The English plural; also a verb's third person singular."""
    if noun == "child":
        return "children"
    if noun == "knife":
        return "knives"
    return noun + ("es" if noun.endswith(("s", "sh", "ch", "x")) else "s")


def _word_lines(data: dict[str, dict[str, str]]) -> Iterator[str]:
    """Rules for the words of the lists, written as the rules of the file are."""
    for kind, text in data["nouns"].items():
        for rank, (english, translations) in enumerate(_entries(text), 1):
            for translation in translations.split(", "):
                stem, noun_class = translation.split()
                yield f"{1 / rank} N({kind},one,{noun_class}) : {english} : {stem}"
                yield f"{1 / rank} N({kind},many,{noun_class}) : {_plural(english)} : {stem}en"
    for kind, text in data["adjectives"].items():
        for rank, (english, stems) in enumerate(_entries(text), 1):
            for noun_class, (number, ending) in product("ao", [("one", ""), ("many", "s")]):
                selvan = " / ".join(stem + noun_class + ending for stem in stems.split(", "))
                yield f"{1 / rank} ADJ({kind},{number},{noun_class}) : {english} : {selvan}"
    for kind, text in data["verbs"].items():
        letter, features = {"receiver": ("D", ""), "alone": ("I", "")}.get(kind, ("V", f"{kind},"))
        for rank, (forms, stems) in enumerate(_entries(text), 1):
            base, past = forms.split(", ")
            for (tense, vowel), (number, person, ending) in product([("now", "a"), ("then", "i")], _PERSONS):
                selvan = " / ".join(stem + vowel + ending for stem in stems.split(", "))
                third = _plural(base) if (number, person) == ("one", "3") else base
                place = f"({features}{tense},{number},{person})"
                yield f"{1 / rank} {letter}F{place} : {third if tense == 'now' else past} : {selvan}"
                yield f"{1 / rank} {letter}B{place} : {base} : {selvan}"


@cache
def grammar() -> dict[str, list[Rule]]:
    """The rules of each nonterminal, features filled in."""
    data = tomllib.loads((FOLDER / "grammar.toml").read_text(encoding="utf-8"))
    lines = [line for text in data["rules"].values() for line in text.strip().splitlines()]
    rules: dict[str, list[Rule]] = {}
    for line in [*lines, *_word_lines(data)]:
        for left, rule in _compile(line, data["features"]):
            rules.setdefault(left, []).append(rule)
    return rules


def _sample(symbol: str, source: random.Random) -> Tree:
    rules = grammar()[symbol]
    rule = source.choices(rules, [rule.weight for rule in rules])[0]
    return Tree(rule, tuple(_sample(child, source) for child in rule.children))


def _one_target(tree: Tree, source: random.Random) -> Words:
    """One of the targets of a derivation; the r-th alternative of a rule has weight 1 / r."""
    patterns = tree.rule.targets
    pattern = source.choices(patterns, [1 / rank for rank in range(1, len(patterns) + 1)])[0]
    return tuple(
        word
        for part in pattern
        for word in ([part] if isinstance(part, str) else _one_target(tree.children[part], source))
    )


def _with_articles(words: Sequence[str]) -> Sentence:
    """ "a" becomes "an" before a vowel."""
    following = [*words[1:], ""]
    return [
        "an" if word == "a" and after[:1] in "aeiou" and after else word
        for word, after in zip(words, following, strict=True)
    ]


def stream(seed: int) -> Iterator[tuple[Sentence, Sentence]]:
    """Pairs (English, Selvan) without end; no word but "the", "a" and the like is said twice in a sentence."""
    source = random.Random(seed)
    allowed = {"the", "a", "some", "two", "three", "five", "ten", "to"}
    while True:
        tree = _sample("S", source)
        target = _one_target(tree, source)
        words = tree.source()
        content = [word for word in words if word not in allowed]
        if len(set(content)) == len(content):
            yield _with_articles(words), list(target)


def pairs(count: int, seed: int = 0) -> list[tuple[Sentence, Sentence]]:
    """That many (source, target) pairs. The same seed gives the same pairs on every machine; some may be equal."""
    sampled = stream(seed)
    return [next(sampled) for _ in range(count)]


def derivations(source: Sequence[str]) -> list[Tree]:
    """Every derivation of an English sentence; none if the grammar does not build it."""
    words = ["a" if word == "an" else word for word in source]
    rules = grammar()
    known: dict[tuple[str, int], list[tuple[int, Tree]]] = {}

    def parse(symbol: str, start: int) -> list[tuple[int, Tree]]:
        """(end, tree) of every phrase of that kind that starts there."""
        if (symbol, start) not in known:
            found = []
            for rule in rules.get(symbol, ()):
                partial: list[tuple[int, tuple[Tree, ...]]] = [(start, ())]
                for part in rule.source:
                    if isinstance(part, str):
                        partial = [(end + 1, done) for end, done in partial if end < len(words) and words[end] == part]
                    else:
                        partial = [
                            (further, (*done, tree))
                            for end, done in partial
                            for further, tree in parse(rule.children[part], end)
                        ]
                    if not partial:
                        break
                found += [(end, Tree(rule, done)) for end, done in partial]
            known[symbol, start] = found
        return known[symbol, start]

    return [tree for end, tree in parse("S", 0) if end == len(words)]


@cache
def _references(source: Words) -> tuple[Words, ...]:
    return tuple(dict.fromkeys(target for tree in derivations(source) for target in tree.targets()))


def references(source: Sequence[str]) -> list[Sentence]:
    """Every valid Selvan translation of an English sentence, without repetition.

    Raises ValueError for a sentence that the grammar does not build.
    """
    found = _references(tuple(source))
    if not found:
        raise ValueError(f"This sentence is not in the language of the grammar: {' '.join(source)}")
    return [list(target) for target in found]


def is_translation(source: Sequence[str], target: Sequence[str]) -> bool:
    """Whether `target` is a valid Selvan translation of the English `source` (ValueError if that is none)."""
    references(source)
    return tuple(target) in _references(tuple(source))


def links(source: Sequence[str], target: Sequence[str]) -> set[tuple[int, int]]:
    """The alignment by the grammar: pairs (place in the English source, place in the Selvan target), from 0.

    The words that one rule writes on both sides belong together, each with each: "in the garden" with "lindel ta mek".
    The particles "ne" and "ka" stand for no word, nor does "lu" where English has no "to"; and nothing stands for "do",
    "does" and "did" or for a pronoun that is left out.
    Of several derivations the first that builds this target counts. ValueError if it is no translation of the source.
    """
    for tree in derivations(source):
        for places, words in _aligned(tree):
            if words == tuple(target):
                return {(i, j) for j, found in enumerate(places) for i in found}
    references(source)
    raise ValueError(f"This is no translation of {' '.join(source)!r}: {' '.join(target)}")


def _aligned(tree: Tree, begin: int = 0) -> Iterator[tuple[tuple[tuple[int, ...], ...], Words]]:
    """For every target of a derivation: the source places of each target word, and the words."""
    own, starts, at = [], [], begin
    for part in tree.rule.source:
        if isinstance(part, str):
            own.append(at)
            at += 1
        else:
            starts.append(at)
            at += len(tree.children[part].source())
    choices = [list(_aligned(child, start)) for child, start in zip(tree.children, starts, strict=True)]
    for pattern in tree.rule.targets:
        for chosen in product(*choices):
            places: list[tuple[int, ...]] = []
            words: list[str] = []
            for part in pattern:
                if isinstance(part, str):
                    places.append(() if part in ("ne", "ka") else tuple(own))
                    words.append(part)
                else:
                    places += chosen[part][0]
                    words += chosen[part][1]
            yield tuple(places), tuple(words)


def split(name: str, folder: Path = FOLDER) -> tuple[list[Sentence], list[Sentence]]:
    """The frozen (sources, targets) of "train", "valid" or "test": two lists of the same length."""
    if name not in SPLITS:
        raise ValueError(f"There is no split {name!r}; choose one of: {', '.join(SPLITS)}.")
    lines = [line.split("\t") for line in (folder / f"{name}.tsv").read_text(encoding="utf-8").splitlines()]
    return [source.split() for source, _ in lines], [target.split() for _, target in lines]


def write(folder: Path = FOLDER) -> None:
    """Generate the frozen pairs and their SHA-256 sums. No source occurs twice, within a split or across."""
    sampled, seen = stream(SEED), set()
    texts = {}
    for name, size in SPLITS.items():
        lines: list[str] = []
        while len(lines) < size:
            source, target = (" ".join(words) for words in next(sampled))
            if source not in seen:
                seen.add(source)
                lines.append(f"{source}\t{target}\n")
        texts[f"{name}.tsv"] = "".join(lines)
    write_with_sums(folder, texts)


if __name__ == "__main__":
    write()
