"""A machine that babbles: it has counted one text, remembers a few words, and says what often came next.

machine = Babbler(sentences, memory=2)
machine.write(words=25, seed=1)             text of its own
machine.next_words(["i", "want"])           {word: probability}, the likeliest first
guess_the_next_word(machine, sentences)     a game against it, after Shannon (1951)
"""

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Protocol

from lmkit.sliders import somebody_is_here

BREAK = "\n"  # stands between two sentences
LISTED = 5  # words that the machine shows as its guesses


class Babbler:
    """Counts which words follow the last `memory` words of a text, and of fewer words where these were never seen.

    `memory=0` knows only how frequent each word is. Raises ValueError for a text without words.
    """

    def __init__(self, sentences: Sequence[Sequence[str]], memory: int) -> None:
        if not any(sentences):
            raise ValueError("There is no word to learn from: give a list of sentences, each a list of words.")
        self.memory = memory
        self._follow: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        text = [word for sentence in sentences if sentence for word in (*sentence, BREAK)]
        for place, word in enumerate(text):
            for length in range(min(memory, place) + 1):
                self._follow[tuple(text[place - length : place])][word] += 1

    def next_words(self, context: Sequence[str]) -> dict[str, float]:
        """The words that may come next, with their probabilities, the likeliest first; `context` is a list of words."""
        found = self._row(context)
        return {word: count / found.total() for word, count in found.most_common()}

    def _row(self, context: Sequence[str]) -> Counter[str]:
        known = tuple(context[-self.memory :]) if self.memory else ()
        while known not in self._follow:  # the empty one is always there
            known = known[1:]
        return self._follow[known]

    def write(self, words: int = 25, seed: int = 0, start: Sequence[str] = ()) -> str:
        """So many words drawn one after the other, each given the ones before it; blanks between them, no lines."""
        rng = random.Random(seed)
        text = [BREAK, *start] if start else [BREAK]
        written: list[str] = list(start)
        while len(written) < words + len(start):
            row = self._row(text)
            word = rng.choices([*row], cum_weights=[*accumulate(row.values())])[0]
            text.append(word)
            if word != BREAK:
                written.append(word)
        return " ".join(written)


class Machine(Protocol):
    """What plays the game: a Babbler, or a machine that somebody has built."""

    def next_words(self, context: Sequence[str]) -> dict[str, float]: ...


def rounds_of(sentences: Sequence[Sequence[str]], rounds: int, seed: int = 0) -> list[tuple[list[str], str]]:
    """Openings of sentences and the word that came next: what the game asks, `rounds` of them."""
    long = [sentence for sentence in sentences if len(sentence) >= 5]
    chosen = random.Random(seed).choices(long or [s for s in sentences if len(s) > 1], k=rounds)
    places = [random.Random(f"{seed} {i}").randrange(min(3, len(s) - 1), len(s)) for i, s in enumerate(chosen)]
    return [(list(s[:place]), s[place]) for s, place in zip(chosen, places, strict=True)]


def verdict(machine: Machine, context: Sequence[str], truth: str, guess: str | None) -> str:
    """One round in words: what the reader said, what the machine would have said, what was true and how likely."""
    likely = machine.next_words(context)
    best = [word.replace(BREAK, "(end)") for word in likely][:LISTED]
    lines = [f"the machine's guesses: {', '.join(best)}"]
    if guess is not None:
        lines.insert(0, f"your guess: {guess or '(nothing)'}{'   right!' if guess == truth else ''}")
    share = likely.get(truth, 0.0)
    place = [*likely].index(truth) + 1 if truth in likely else None
    rank = f"place {place} of its list, probability {share:.3f}" if place else "not in its list: probability 0"
    return "\n".join([*lines, f"the truth: {truth}   ({rank})"])


def guess_the_next_word(machine: Machine, sentences: Sequence[Sequence[str]], rounds: int = 10, seed: int = 0) -> None:
    """Play: type what you think comes next, then see the machine's guesses and the truth. Counts both sides' hits.

    Where nobody sits at the notebook, three rounds are shown without a guess.
    """
    asked = rounds_of(sentences, rounds, seed)
    if somebody_is_here():
        _play(machine, asked)
        return
    for context, truth in asked[:3]:
        print(" ".join(context), "___")
        print(verdict(machine, context, truth, None), end="\n\n")


def _play(machine: Machine, asked: list[tuple[list[str], str]]) -> None:
    import ipywidgets
    from IPython.display import display

    field = ipywidgets.Text(placeholder="your guess, then Enter", continuous_update=False)
    page = ipywidgets.Output()
    score: Counter[str] = Counter()
    turn = iter(asked)
    now: list[Any] = [next(turn)]

    def ask() -> None:
        print(f"\n{score['asked'] + 1}.  {' '.join(now[0][0])} ___")

    def answered(change: dict[str, Any]) -> None:
        guess = str(change["new"]).strip()
        if not guess or now[0] is None:
            return
        context, truth = now[0]
        with page:
            print(verdict(machine, context, truth, guess))
            score.update(asked=1, you=guess == truth, machine=next(iter(machine.next_words(context))) == truth)
            now[0] = next(turn, None)
            if now[0] is None:
                print(f"\nYou: {score['you']} of {score['asked']}, the machine: {score['machine']}.")
                field.disabled = True
            else:
                ask()
        field.value = ""

    field.observe(answered, names="value")
    with page:
        ask()
    display(page, field)
