"""Fill in the blank: the true distribution of a word, given every other word of its story.

P(word | all other words) is proportional to P(story with the word in the blank), so the story is scored with each word
that fits. Four things make that quick, and none of them approximates:

* **Few words fit.** The grammar, run up to the blank, lists what may stand there after the words before it.
* **Nothing before is read again.** A story is a chain of parts (opening, sentences, closing), and the reader's `Memory`
  between two parts can be copied: each word is tried from the beginning of the sentence with the blank.
* **It stops early:** where a word leads to something impossible (most do, one or two words after the blank), and where
  the reader knows the same as it does in another version of the story: the rest is then already scored.
* **Words that nothing tells apart** (the 900 villages, the 900 spices) are scored once for all.
"""

import math
import random
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from lmkit.kitchen import words as w
from lmkit.kitchen.entropy import Floor
from lmkit.kitchen.frozen import split
from lmkit.kitchen.grammar import Grammar, Guest, State
from lmkit.kitchen.reader import Memory, NotKitchen, Reader, Reading
from lmkit.kitchen.sampler import Document
from lmkit.kitchen.tables import Table

# Their words stand in no other table, are compared with nothing and remembered by nothing.
_ALIKE = (w.VILLAGES, w.SPICES)
_MOVES = {word for table in w.MOVE.forms.values() for word in table.words}


class Story:
    """A whole text of the language, ready for questions about any of its places (0 to len(tokens) - 1).

    Raises NotKitchen if the tokens are no document.
    """

    def __init__(self, tokens: Sequence[str]):
        self.tokens = list(tokens)
        self._parts: list[tuple[Memory, Reading]] = []  # what is known before each part, and its reading
        self._rest: dict[Memory, float] = {}
        reader = Reader(self.tokens)
        while not reader.done:
            before = reader.memory
            reader = Reader(self.tokens, before)
            try:
                reader.read_part()
            except KeyError as error:
                raise NotKitchen(f"token {reader.at}: {error}") from error
            self._parts.append((before, reader.reading))
        if reader.at != len(self.tokens):
            raise NotKitchen(f"token {reader.at}: the document should have ended")
        end = reader.memory
        self._guests = [first for first, _ in end.names]
        self._last_house = end.house, end.town
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
        before, reading = self._part(place)
        known = reading.revealed[place - before.at - 1] if place > before.at else 0
        found: set[str] = set()
        scripts = [[option for _, option in reading.choices[:known]]]
        while scripts:
            script = scripts.pop()
            teller = _Lister(self.tokens, before.at, place, script, found)
            grammar = Grammar(teller)
            grammar.state = _state(before)
            try:
                grammar.part(before.sentences + 1)
            except _Fork:
                scripts += [[*script, option] for option in teller.options]
            except _Stop:
                pass
        return found

    def log_joint(self, place: int) -> dict[str, float]:
        """ln P(story with the word at the place), for every word with which that is not zero."""
        before, _ = self._part(place)
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

    def _part(self, place: int) -> tuple[Memory, Reading]:
        if not 0 <= place < len(self):
            raise IndexError(f"There is no place {place}: the story has the places 0 to {len(self) - 1}.")
        return next(part for part in reversed(self._parts) if part[0].at <= place)

    def _score(self, before: Memory, place: int, word: str) -> float:
        """ln P of everything from the beginning of the part on, with this word at the place."""
        tokens = self.tokens
        if word == tokens[place]:
            return self._rest_from(before)
        return self._read_on(Reader([*tokens[:place], word, *tokens[place + 1 :]], before))

    def _rest_from(self, memory: Memory) -> float:
        """ln P(tokens[memory.at :]) for a reader that knows this."""
        if not self._may_close(memory):
            return -math.inf
        memory = self._needed(memory)
        if memory not in self._rest:
            if memory.done:
                value = 0.0 if memory.at == len(self) else -math.inf
            else:
                value = self._read_on(Reader(self.tokens, memory))
            self._rest[memory] = value
        return self._rest[memory]

    def _may_close(self, memory: Memory) -> bool:
        """False if the closing (which the rest keeps) names other guests or another place than the reader knows."""
        return [name for name, _ in memory.names] == self._guests[: len(memory.names)] and (
            memory.at <= self._last_move or (memory.house, memory.town) == self._last_house
        )

    def _needed(self, memory: Memory) -> Memory:
        """The memory without the surnames that the rest does not say, once all guests are known.

        While guests are still to come, a surname matters without being said: no two guests share one.
        """
        if len(memory.names) < len(self._guests):
            return memory
        if memory.at not in self._said:
            self._said[memory.at] = {*self.tokens[memory.at :]}
        said = self._said[memory.at]
        return memory._replace(names=tuple((first, last if last in said else "") for first, last in memory.names))

    def _read_on(self, reader: Reader) -> float:
        try:
            reader.read_part()
        except (NotKitchen, KeyError):
            return -math.inf
        return reader.reading.log_probability + self._rest_from(reader.memory)


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


class _Fork(Exception):
    """The script is used up at the blank: here are the options."""


class _Stop(Exception):
    """The words that may fill the blank are listed."""


class _Lister:
    """A teller that retells the words before a blank by their choices, then lists the words that may follow."""

    def __init__(self, tokens: Sequence[str], at: int, blank: int, script: Sequence[str], found: set[str]):
        self.tokens, self.position, self.blank, self.found = tokens, at, blank, found
        self.options: list[str] = []
        self._script = iter(script)

    def choose(self, place: str, weights: Mapping[str, float]) -> str:
        options = [option for option, weight in weights.items() if weight > 0.0]
        if len(options) == 1:
            return options[0]
        for option in self._script:
            return option
        self.options = options
        raise _Fork

    def draw(self, table: Table, excluding: Collection[str] = ()) -> str:
        if self.position == self.blank:
            self.found.update(word for word in table.words if word not in excluding)
            raise _Stop
        self.position += 1
        return self.tokens[self.position - 1]

    def say(self, word: str, tag: str) -> None:
        if self.position == self.blank:
            self.found.add(word)
            raise _Stop
        self.position += 1

    def retag(self, position: int, tag: str) -> None:
        pass

    def mark(self, kind: str, distance: int = 0, rivals: Collection[str] = ()) -> None:
        pass


def _state(memory: Memory) -> State:
    """What the reader knows, as the grammar writes it down."""
    if not memory.sentences:
        return State()
    dishes = dict(memory.dishes)
    first, second = (item.rpartition("/")[0] for item in memory.house.split())
    return State(
        [Guest(name[0], name[1], name[0] in w.WOMEN, dishes.get(i)) for i, name in enumerate(memory.names)],
        (first, second),
        memory.kind,
        memory.town,
        "past" if memory.in_past else "present",
        memory.mood,
        memory.server,
        memory.he_or_she,
        memory.moved,
    )
