"""Fill in the blank: the true distribution of a word, given every other word of its story.

P(word | all other words) is proportional to P(story with the word in the blank), so the story is scored with each word
that fits. Four things make that quick, and none of them approximates:

* **Few words fit.** The grammar, run up to the blank, lists what may stand there after the words before it.
* **Nothing before is read again.** A story is a chain of parts (opening, sentences, closing), and the `Memory`
  between two parts can be copied: each word is tried from the beginning of the sentence with the blank.
* **It stops early:** where a word leads to something impossible (most do, one or two words after the blank), and where
  the same is known as in another version of the story: the rest is then already scored.
* **Words that nothing tells apart** (the 900 villages, the 900 spices) are scored once for all.
"""

import math
import random
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from lmkit.kitchen import words as w
from lmkit.kitchen.entropy import Floor
from lmkit.kitchen.frozen import split
from lmkit.kitchen.reader import Memory, NotKitchen, next_words, read_part
from lmkit.kitchen.sampler import Document

# Their words stand in no other table, are compared with nothing and remembered by nothing.
_ALIKE = (w.VILLAGES, w.SPICES)
_MOVES = {word for table in w.MOVE.forms.values() for word in table.words}


class Story:
    """A whole text of the language, ready for questions about any of its places (0 to len(tokens) - 1).

    Raises NotKitchen if the tokens are no document.
    """

    def __init__(self, tokens: Sequence[str]):
        self.tokens = list(tokens)
        self._memories: list[Memory] = []  # what is known before each part
        self._rest: dict[Memory, float] = {}
        memory = Memory()
        while not memory.done:
            self._memories.append(memory)
            memory = read_part(self.tokens, memory)[1]
        if memory.at != len(self.tokens):
            raise NotKitchen(f"token {memory.at}: the document should have ended")
        self._guests = [guest.first for guest in memory.guests]
        self._last_house = memory.house, memory.town
        self._last_move = max((at for at, word in enumerate(self.tokens) if word in _MOVES), default=0)
        self._said: dict[int, set[str]] = {}  # the words from a token on

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def log_probability(self) -> float:
        """ln P of the story as it is."""
        return self._rest_from(Memory())

    def candidates(self, place: int) -> set[str]:
        """The words that may follow the words before the place, whatever comes after it."""
        return {*next_words(self.tokens, self._before(place), place)}

    def log_joint(self, place: int) -> dict[str, float]:
        """ln P(story with the word at the place), for every word with which that is not zero."""
        before = self._before(place)
        base = self.log_probability - self._rest_from(before)
        joint: dict[str, float] = {}
        left = self.candidates(place)
        for alike in _ALIKE:
            if (first := alike.words[0]) in left:
                left.difference_update(alike.words)
                value = base + self._score(before, place, first) - math.log(alike.probability(first))
                if value > -math.inf:
                    joint |= {word: value + math.log(alike.probability(word)) for word in alike.words}
        for word in left:
            value = base + self._score(before, place, word)
            if value > -math.inf:
                joint[word] = value
        return joint

    def distribution(self, place: int) -> dict[str, float]:
        """P(word | all other words of the story), the most probable first. Words left out have probability zero.

        The word that stands at the place changes nothing.
        """
        joint = self.log_joint(place)
        most = max(joint.values())
        weights = {word: math.exp(value - most) for word, value in joint.items()}
        total = math.fsum(weights.values())
        return {word: weights[word] / total for word in sorted(weights, key=lambda word: (-weights[word], word))}

    def _before(self, place: int) -> Memory:
        """What is known before the part with the place."""
        if not 0 <= place < len(self):
            raise IndexError(f"There is no place {place}: the story has the places 0 to {len(self) - 1}.")
        return next(memory for memory in reversed(self._memories) if memory.at <= place)

    def _score(self, before: Memory, place: int, word: str) -> float:
        """ln P of everything from the beginning of the part on, with this word at the place."""
        tokens = self.tokens
        if word == tokens[place]:
            return self._rest_from(before)
        return self._read_on([*tokens[:place], word, *tokens[place + 1 :]], before)

    def _rest_from(self, memory: Memory) -> float:
        """ln P(tokens[memory.at :]) given what is known."""
        if not self._may_close(memory):
            return -math.inf
        memory = self._needed(memory)
        if memory not in self._rest:
            if memory.done:
                value = 0.0 if memory.at == len(self) else -math.inf
            else:
                value = self._read_on(self.tokens, memory)
            self._rest[memory] = value
        return self._rest[memory]

    def _may_close(self, memory: Memory) -> bool:
        """False if the closing (which the rest keeps) names other guests or another place than are known."""
        return [guest.first for guest in memory.guests] == self._guests[: len(memory.guests)] and (
            memory.at <= self._last_move or (memory.house, memory.town) == self._last_house
        )

    def _needed(self, memory: Memory) -> Memory:
        """The memory without the surnames that the rest does not say, once all guests are known.

        While guests are still to come, a surname matters without being said: no two guests share one.
        """
        if len(memory.guests) < len(self._guests):
            return memory
        if memory.at not in self._said:
            self._said[memory.at] = {*self.tokens[memory.at :]}
        said = self._said[memory.at]
        return memory._replace(
            guests=tuple(guest if guest.last in said else guest._replace(last="") for guest in memory.guests)
        )

    def _read_on(self, tokens: Sequence[str], memory: Memory) -> float:
        try:
            log_probability, after = read_part(tokens, memory)
        except NotKitchen:
            return -math.inf
        return log_probability + self._rest_from(after)


def masked_distribution(tokens: Sequence[str], place: int) -> dict[str, float]:
    """P(word | all other words of the story) for one place of a whole story; see `Story` for many places."""
    return Story(tokens).distribution(place)


def masked_log_probabilities(tokens: Sequence[str], vocabulary: Collection[str] | None = None) -> list[float]:
    """ln P(token | all other tokens) in nats for every token of a whole story. For `vocabulary` see `blanks`."""
    story = Story(tokens)
    return [_fill(story, 0, place, vocabulary).log_probability for place in range(len(story))]


def pseudo_log_likelihood(tokens: Sequence[str]) -> float:
    """The sum of `masked_log_probabilities` in nats. It is not ln P(tokens): that is `read(tokens).log_probability`."""
    return math.fsum(masked_log_probabilities(tokens))


@dataclass(frozen=True)
class Blank:
    """One place of one of the documents, and what the truth says there when all other words are given."""

    document: int
    place: int
    log_probability: float  # of the word that stands there, in nats
    best: float  # the probability of the most probable word: how often the best guesser is right here


@dataclass(frozen=True)
class MaskedFloor(Floor):
    """What the best possible masked model reaches: -ln P(word | all other words), and the share it guesses right.

    It is the floor for one blank at a time. With more blanks in one story no model gets below it on average.
    """

    accuracy: float
    accuracy_error: float

    def __str__(self) -> str:
        return f"{super().__str__()}; accuracy {self.accuracy:.2%} ± {self.accuracy_error:.2%}"


def blanks(
    documents: Sequence[Document],
    count: int | None = None,
    seed: int = 0,
    vocabulary: Collection[str] | None = None,
) -> list[Blank]:
    """`count` places of the documents, drawn without replacement, each with its truth; without `count`, all places.

    With a `vocabulary`, all words outside it count as one word, as in `log_probabilities`; the other words stay known.
    """
    places = [(number, place) for number, document in enumerate(documents) for place in range(len(document))]
    if count is not None:
        places = sorted(random.Random(seed).sample(places, min(count, len(places))))
    filled = []
    for number, group in groupby(places, key=lambda pair: pair[0]):
        story = Story(documents[number].tokens)
        filled += [_fill(story, number, place, vocabulary) for _, place in group]
    return filled


def _fill(story: Story, number: int, place: int, vocabulary: Collection[str] | None) -> Blank:
    joint, word = story.log_joint(place), story.tokens[place]
    chances = [value for other, value in joint.items() if vocabulary is None or other in vocabulary]
    outside = [value for other, value in joint.items() if vocabulary is not None and other not in vocabulary]
    if outside:
        chances.append(_log_sum(outside))
    total = _log_sum(chances)
    here = joint[word] if vocabulary is None or word in vocabulary else chances[-1]
    return Blank(number, place, min(here - total, 0.0), min(math.exp(max(chances) - total), 1.0))


def _log_sum(values: Sequence[float]) -> float:
    most = max(values)
    return most + math.log(math.fsum(math.exp(value - most) for value in values))


def masked_floor(
    documents: Sequence[Document] | str,
    count: int | None = 10_000,
    seed: int = 0,
    vocabulary: Collection[str] | None = None,
) -> MaskedFloor:
    """The masked floor of documents, or of a frozen split by its name, over `blanks(documents, count, seed)`."""
    if isinstance(documents, str):
        documents = split(documents)
    return summary(blanks(documents, count, seed, vocabulary))


def summary(filled: Sequence[Blank]) -> MaskedFloor:
    """The masked floor of these blanks. The standard errors take whole documents as the independent draws."""
    nats, nats_error = _mean(filled, lambda blank: -blank.log_probability)
    accuracy, accuracy_error = _mean(filled, lambda blank: blank.best)
    return MaskedFloor(len(filled), nats, nats_error, accuracy, accuracy_error)


def _mean(filled: Sequence[Blank], value: Callable[[Blank], float]) -> tuple[float, float]:
    """The mean over the blanks, with the standard error of a ratio estimate over their documents."""
    mean = math.fsum(map(value, filled)) / len(filled)
    off: dict[int, float] = defaultdict(float)
    for blank in filled:
        off[blank.document] += value(blank) - mean
    return mean, math.sqrt(math.fsum(total * total for total in off.values())) / len(filled)
