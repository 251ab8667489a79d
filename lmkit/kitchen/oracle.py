"""Backward by brute force: every derivation of a text, and every word that may come next.

The same `Grammar` runs against given words. Where it must choose, the run is repeated once for each option; a run ends
where it says something else than the text. Nothing is assumed about the grammar, so this also proves that each text
has exactly one derivation.
"""

import math
from collections.abc import Collection, Mapping, Sequence

from lmkit.kitchen.grammar import Grammar
from lmkit.kitchen.tables import Table


class _Fork(Exception):
    """The script is used up: here are the options."""


class _Stop(Exception):
    """This run says something else than the text, or has come to its end."""


class _Follower:
    """A teller that follows a text and a script of choices, and forks where the script ends."""

    def __init__(self, tokens: Sequence[str], script: tuple[str, ...]):
        self.tokens, self.script = tokens, script
        self.position = 0
        self.log_probability = 0.0
        self.tags: list[str] = []
        self.choices: list[tuple[str, str]] = []
        self.options: list[str] = []
        self.next_words: dict[str, float] = {}
        self._step = 0

    def choose(self, place: str, weights: Mapping[str, float]) -> str:
        options = [option for option, weight in weights.items() if weight > 0.0]
        if len(options) == 1:
            return options[0]
        if self._step == len(self.script):
            self.options = options
            raise _Fork
        option = self.script[self._step]
        self._step += 1
        self.choices.append((place, option))
        self.log_probability += math.log(weights[option] / sum(weights.values()))
        return option

    def draw(self, table: Table, excluding: Collection[str] = ()) -> str:
        if self.position == len(self.tokens):
            here, left = math.exp(self.log_probability), table.mass(excluding)
            for word, probability in zip(table.words, table.probabilities, strict=True):
                if word not in excluding:
                    self.next_words[word] = here * probability / left
            raise _Stop
        word = self.tokens[self.position]
        if word not in table or word in excluding:
            raise _Stop
        self.log_probability += math.log(table.probability(word, excluding))
        self._advance(table.tag(word))
        return word

    def say(self, word: str, tag: str) -> None:
        if self.position == len(self.tokens):
            self.next_words[word] = math.exp(self.log_probability)
            raise _Stop
        if self.tokens[self.position] != word:
            raise _Stop
        self._advance(tag)

    def _advance(self, tag: str) -> None:
        self.position += 1
        self.tags.append(tag)

    def retag(self, position: int, tag: str) -> None:
        self.tags[position] = tag

    def mark(self, kind: str, distance: int = 0, rivals: Collection[str] = ()) -> None:
        pass


def _explore(tokens: Sequence[str]) -> tuple[list[_Follower], list[_Follower]]:
    """All runs that reproduce the tokens: those that are finished, those that would go on."""
    finished, open_ended = [], []
    scripts: list[tuple[str, ...]] = [()]
    while scripts:
        script = scripts.pop()
        follower = _Follower(tokens, script)
        try:
            Grammar(follower).document()
        except _Fork:
            scripts.extend((*script, option) for option in follower.options)
        except _Stop:
            if follower.next_words:
                open_ended.append(follower)
        else:
            if follower.position == len(tokens):
                finished.append(follower)
    return finished, open_ended


def derivations(tokens: Sequence[str]) -> list[tuple[float, list[tuple[str, str]], list[str]]]:
    """Every derivation of a whole document, each as (ln P, choices, tags). There should be one."""
    return [(run.log_probability, run.choices, run.tags) for run in _explore(tokens)[0]]


def joint_next_words(prefix: Sequence[str]) -> dict[str, float]:
    """P(prefix, word) for every word that can follow the prefix, summed over all derivations."""
    joint: dict[str, float] = {}
    for run in _explore(prefix)[1]:
        for word, probability in run.next_words.items():
            joint[word] = joint.get(word, 0.0) + probability
    return joint
