"""The derivation of a text, from its words alone: the grammar, told by the text what to choose.

The same `Grammar` that makes texts runs once more. Its teller looks at the next word, and that is always enough: the
rule of the language is that a choice is made only where the very next word reveals it. A wrong word raises NotKitchen.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lmkit.kitchen import words as w
from lmkit.kitchen.grammar import Grammar, Guest, State
from lmkit.kitchen.rates import RATES
from lmkit.kitchen.tables import Table, VerbTable


class NotKitchen(ValueError):
    """The text is not a document of the kitchen language."""


@dataclass
class Reading:
    """What the reader found out: one tag and one ln P per token, and the choices in order."""

    tags: list[str] = field(default_factory=list)
    log_probabilities: list[float] = field(default_factory=list)
    choices: list[tuple[str, str]] = field(default_factory=list)

    @property
    def log_probability(self) -> float:
        """ln P of all that was read."""
        return math.fsum(self.log_probabilities)


class Memory(NamedTuple):
    """What is known between two parts of a story: what comes next depends on nothing else before."""

    at: int = 0
    parts: int = 0
    done: bool = False
    guests: tuple[Guest, ...] = ()
    house: tuple[str, str] = ("", "")
    kind: str = ""
    town: str = ""
    tense: str = ""
    mood: str = ""
    server: str = ""
    focus: int = 0
    has_moved: bool = False

    @property
    def state(self) -> State:
        """The place as the grammar writes it down, to go on from."""
        return State([*self.guests], *self[4:])


def read(tokens: Sequence[str]) -> Reading:
    """The derivation of a whole document. Raises NotKitchen if it has none."""
    reading = Reading()
    reader = _Reader(tokens, Memory(), reading)
    reader.grammar.document()
    if reader.position != len(tokens):
        raise NotKitchen(f"token {reader.position}: the document should have ended")
    return reading


def read_part(tokens: Sequence[str], memory: Memory) -> tuple[float, Memory]:
    """Reads the part (opening, sentence or closing) that begins at `memory.at`: its ln P, and what is known after it.

    Raises NotKitchen if no such part begins there.
    """
    reader = _Reader(tokens, memory)
    done = reader.grammar.part(memory.parts + 1)
    state = reader.grammar.state
    return reader.log_probability, Memory(
        reader.position,
        memory.parts + 1,
        done,
        tuple(state.guests),
        state.house,
        state.kind,
        state.town,
        state.tense,
        state.mood,
        state.server,
        state.focus,
        state.has_moved,
    )


def next_words(tokens: Sequence[str], memory: Memory, place: int) -> dict[str, float]:
    """P(word | tokens[:place]) for every word that may stand at the place, which lies in the part after `memory`.

    What stands there and after it changes nothing. Raises NotKitchen if no part begins with the words before.
    """
    found: dict[str, float] = {}
    scripts: list[tuple[str, ...]] = [()]
    while scripts:
        script = scripts.pop()
        lister = _Lister(tokens, memory, place, script)
        try:
            lister.grammar.part(memory.parts + 1)
        except _Fork as fork:
            scripts += [(*script, option) for option in fork.options]
        except _Listed as listed:
            for word, probability in listed.words.items():
                found[word] = found.get(word, 0.0) + probability
    return found


def next_word_distribution(prefix: Sequence[str]) -> dict[str, float]:
    """P(word | prefix) for every word that can follow; the others have probability zero.

    `prefix` starts at the beginning of a document. Raises ValueError if no document starts so.
    """
    memory = Memory()
    while not memory.done:
        try:
            memory = read_part(prefix, memory)[1]
        except NotKitchen:
            break
    try:
        if not memory.done:
            return next_words(prefix, memory, len(prefix))
    except NotKitchen:
        pass
    raise ValueError("No document of the kitchen language starts with these words.")


class _Reader:
    """A teller that makes each choice as the next word of the text reveals it.

    It counts up `log_probability`; with a `reading` it also writes down what it finds, token by token.
    """

    def __init__(self, tokens: Sequence[str], memory: Memory, reading: Reading | None = None):
        self.position, self.reading = memory.at, reading
        self._rest = iter(tokens[memory.at :])
        self.before, self.word = "", next(self._rest, "")  # the last word and the next one, "" where there is none
        self.log_probability = 0.0
        self.grammar = Grammar(self, memory.state)

    def _refusal(self) -> NotKitchen:
        return NotKitchen(f"token {self.position}: {self.word or 'the end'!r} cannot stand here")

    def choose(self, place: str, weights: Mapping[str, float]) -> str:
        if revealed := _OPTIONS.get(place):
            options, otherwise, rates, log_rates = revealed
            option = options.get(self.word, otherwise)
            log_rate = log_rates.get(option) if weights is rates else None
        else:
            option, log_rate = _REMEMBERED[place](self.grammar.state, self.before, self.word), None
        if log_rate is None:
            weight, total = weights.get(option, 0.0), sum(weights.values())
            if not 0.0 < weight < total:
                possible = [option for option, weight in weights.items() if weight > 0.0]
                if len(possible) > 1:
                    raise self._refusal()
                return possible[0]
            log_rate = math.log(weight / total)
        self.log_probability += log_rate
        if self.reading is not None:
            self.reading.choices.append((place, option))
        return option

    def draw(self, table: Table, excluding: Collection[str] = ()) -> str:
        word = self.word
        row = table.index.get(word)
        if row is None or word in excluding:
            raise self._refusal()
        probability = table.probabilities[row]
        self.log_probability += math.log(probability / table.mass(excluding) if excluding else probability)
        self.say(word, table.tags[row])
        return word

    def say(self, word: str, tag: str) -> None:
        if self.word != word:
            raise self._refusal()
        if self.reading is not None:
            self.reading.tags.append(tag)
            self.reading.log_probabilities.append(self.log_probability)
            self.log_probability = 0.0
        self.position += 1
        self.before, self.word = word, next(self._rest, "")

    def retag(self, position: int, tag: str) -> None:
        if self.reading is not None:
            self.reading.tags[position] = tag

    def mark(self, kind: str, distance: int = 0, rivals: Collection[str] = ()) -> None:
        pass


class _Fork(Exception):
    """The script of choices is used up: here are the options."""

    def __init__(self, options: list[str]):
        self.options = options


class _Listed(Exception):
    """The words that may stand at the place, each with its probability."""

    def __init__(self, words: dict[str, float]):
        self.words = words


class _Lister(_Reader):
    """Reads up to a place; follows a script of choices from there; then lists the words."""

    def __init__(self, tokens: Sequence[str], memory: Memory, place: int, script: Sequence[str]):
        super().__init__(tokens, memory)
        self._place = place
        self._script = iter(script)
        self._probability = 1.0  # of the choices since the last word before the place

    def choose(self, place: str, weights: Mapping[str, float]) -> str:
        if self.position < self._place:
            return super().choose(place, weights)
        options = [option for option, weight in weights.items() if weight > 0.0]
        if len(options) == 1:
            return options[0]
        for option in self._script:
            self._probability *= weights[option] / sum(weights.values())
            return option
        raise _Fork(options)

    def draw(self, table: Table, excluding: Collection[str] = ()) -> str:
        if self.position < self._place:
            return super().draw(table, excluding)
        share = self._probability / table.mass(excluding)
        rows = zip(table.words, table.probabilities, strict=True)
        raise _Listed({word: share * probability for word, probability in rows if word not in excluding})

    def say(self, word: str, tag: str) -> None:
        if self.position == self._place:
            raise _Listed({word: self._probability})
        super().say(word, tag)


# ---------------------------------------------------------------- what the next word reveals
# At each place: the option that a word reveals; the one that every other word reveals; the rates there, and the ln P
# of each option where all are possible.
_OPTIONS: dict[str, tuple[dict[str, str], str, dict[str, float], dict[str, float]]] = {}


def _reveal(place: str, options: Mapping[str, Collection[str]], otherwise: str = "") -> None:
    table: dict[str, str] = {}
    for option, revealing in options.items():
        for word in revealing:
            if table.setdefault(word, option) != option:
                raise ValueError(f"{word!r} reveals two options at {place!r}")
    rates = RATES.get(place, {})
    log_rates = {option: math.log(rate / sum(rates.values())) for option, rate in rates.items()}
    _OPTIONS[place] = table, otherwise, rates, log_rates


def _forms(*tables: VerbTable) -> set[str]:
    return {word for table in tables for form in table.forms.values() for word in form.words}


def _words(*tables: Table) -> set[str]:
    return {word for table in tables for word in table.words}


_BE = ("is", "are", "was", "were")
_MODALS = _words(*w.MODALS.values())
_PEOPLE = _words(w.PEOPLE_ADJECTIVES, *w.PEOPLE.values())

for _place, _revealing in {
    "close": ["finally"],
    "weather": ["on"],
    "company": ["and"],
    "role from": ["from"],
    "role near": w.BESIDE.words,
    "pair": ["and"],
    "manner": w.MANNER.words,
    "people adjective": w.PEOPLE_ADJECTIVES.words,
    "people plural": _words(w.PEOPLE[True], w.EVENTS[True]),
    "people located": w.PEOPLE_PREPOSITIONS.words,
    "place adjective": w.PLACE_ADJECTIVES.words,
    "place plural": _words(w.LANDMARKS[True], w.ORIGINS[True], w.SOURCES[True], w.SEATS[True]),
    "clothes adjective": w.CLOTHES_ADJECTIVES.words,
    "clothes plural": w.CLOTHES[True].words,
    "glass too": ["and"],
    "second companion": ["and"],
    "speech goes on": [","],
    "clause again": ["and"],
    "food adjective": _words(*w.FOOD_ADJECTIVES.values()),
    "compound": _words(*w.COMPOUND_TAILS.values()),
    "dish owner": ["of"],
    "second opinion": ["and"],
    "with an object": ["the", "that", "those", "a"],
}.items():
    _reveal(_place, {"yes": _revealing}, "no")
for _place in ("fruit", "marks", "relative", "clause object", "determiner"):
    _reveal(_place, {option: [option] for option in RATES[_place]})
_reveal("title", {"mr": ["mr"], "mrs": ["mrs"]})
_reveal("server", {"waiter": ["waiter"], "waitress": ["waitress"]})
_reveal("tense", {"past": w.VISIT.forms["past"].words}, "present")
_reveal("mood", {mood: {*w.MOODS[mood], *_forms(table)} for mood, table in w.CLOSE.items()})
_reveal("lead", {option: [option] for option in RATES["lead"]}, "none")
_reveal("sentence", {"the": ["the"], "some": ["some"], "every": ["every"], "number": w.NUMBERS.words}, "guest")
_reveal(
    "the",
    {
        "crowd": _PEOPLE,
        "server": ["waiter", "waitress"],
        "event": _words(*w.EVENTS.values()),
        "house": w.HOUSE_ADJECTIVES.words,
    },
    "dish",
)
_reveal("apposition", {"(": ["("], ",": [","]}, "none")
for _place in ("subject", "object"):
    _reveal(_place, {"pronoun": ["he", "she"], "title": ["mr", "mrs"]}, "first")
_deeds = (deed for deed in RATES["guest does"] if deed != "modal")  # each has a table of verbs by its name: JUDGE_DISH
_reveal(
    "guest does", {"modal": _MODALS} | {deed: _forms(getattr(w, deed.upper().replace(" ", "_"))) for deed in _deeds}
)
_reveal("fruit then", {"that": ["that"], "from": ["from"], "beside": w.BESIDE.words, "with": ["with"]}, "stop")
_reveal("believe that", {"the": ["the"], "plural": w.PEOPLE[True].words}, "that one")
_reveal("urged", {"people": ["the"]}, "guest")
_reveal("speech", {"want": ["i", "we"], "can": ["can"], "please": ["please"], "dish": ["the"]}, "formula")
_reveal("crowd then", {"with": ["with"], "place": w.PEOPLE_PREPOSITIONS.words, "clause": ["who", "that"]}, "verb")
_reveal("clause about", {"object": ["the"]}, "subject")
_reveal("clause object is", {"people": _PEOPLE}, "thing")
_reveal("crowd does", {"be": _BE, "modal": _MODALS, "have": _forms(w.HAVE)}, "verb")
_reveal("be", {"state": w.STATES.words}, "simile")
_reveal("event then", {"be": _BE}, "verb")
_reveal("infinitive", {"can": ["can"]}, "any")
_reveal(
    "adjunct",
    {
        "phrase": w.ADJUNCTS.table.words,
        "time": w.TIME_WORDS.words,
        "place": w.OUTSIDE.words,
        "adverb": w.LATE_ADVERBS.words,
        "pinch": ["with"],
    },
    "none",
)
_reveal("time then", {"verb": _forms(w.INTRANSITIVE)}, "stop")
_reveal("served", {"dish first": ["the"]}, "guest first")


def _which_guest(state: State, before: str, word: str) -> str:
    for i, guest in enumerate(state.guests):
        if before in ("mr", "mrs"):
            said = guest.last
        elif before == "the":
            said = guest.dish[0] if guest.dish else ""
        else:
            said = guest.first
        if said == word:
            return str(i)
    return ""


def _surname(state: State, before: str, word: str) -> str:
    return "yes" if any(guest.first == before and guest.last == word for guest in state.guests) else "no"


def _new_guest(state: State, before: str, word: str) -> str:
    return "yes" if word in w.FIRST_NAMES and all(guest.first != word for guest in state.guests) else "no"


def _mood_kept(state: State, before: str, word: str) -> str:
    return "yes" if (word in w.PRAISE_WORDS) == (state.mood == "good") else "no"


# Places where the next word reveals the option to those who remember the story and the word before.
_REMEMBERED: dict[str, Callable[[State, str, str], str]] = {
    "which guest": _which_guest,
    "surname of subject": _surname,
    "surname of object": _surname,
    "surname in closing": _surname,
    "new guest, 1 known": _new_guest,
    "new guest, 2 known": _new_guest,
    "mood kept": _mood_kept,
}
