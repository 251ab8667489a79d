"""An independent reader: the derivation of a text, from its words alone, by rules written a second time.

It follows neither `grammar` nor any program that runs it (`lmkit.kitchen.reader`, `sampler`, `oracle`). It shares with
them the word tables (`words`), the weights (`rates`) and the *names* of the places where a choice is made; the rules of
the language are written down here the other way round: look at the next word, infer the choice. So it tells whether
the grammar makes the language that it is meant to make.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from functools import cache

from lmkit.kitchen import NotKitchen, Reading
from lmkit.kitchen import words as w
from lmkit.kitchen.rates import RATES
from lmkit.kitchen.tables import PhraseBook, Table, VerbTable, inflect, plural


def read(tokens: Sequence[str]) -> Reading:
    """The derivation of a whole document. Raises NotKitchen if it has none."""
    reader = Reader(tokens)
    try:
        reader.read_document()
    except KeyError as error:
        raise NotKitchen(f"token {reader.at}: {error}") from error
    if reader.at != len(tokens):
        raise NotKitchen(f"token {reader.at}: the document should have ended")
    return reader.reading


_PLURAL_FORM = {False: "third", True: "base"}


@cache
def _log_odds(place: str, barred: tuple[str, ...]) -> dict[str, float]:
    possible = {key: rate for key, rate in RATES[place].items() if key not in barred and rate > 0}
    total = math.log(math.fsum(possible.values()))
    return {key: math.log(rate) - total for key, rate in possible.items()}


class Reader:
    """Reads a text part by part, from its beginning."""

    def __init__(self, tokens: Sequence[str]):
        self.tokens = tokens
        self.at, self.sentences, self.done = 0, 0, False
        self.reading = Reading()
        self.waiting = 0.0
        self.names: list[tuple[str, str]] = []
        self.dishes: dict[int, tuple[str, str]] = {}
        self.he_or_she = 0
        self.house, self.kind, self.town = "", "", ""
        self.mood, self.server = "", ""
        self.in_past, self.moved = False, False

    # ------------------------------------------------------------ the bookkeeping of a reading
    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, word: str, tag: str) -> str:
        if self.next != word:
            raise NotKitchen(f"token {self.at}: {word!r} expected, {self.next!r} found")
        self.reading.tags.append(tag)
        self.reading.log_probabilities.append(self.waiting)
        self.waiting = 0.0
        self.at += 1
        return word

    def take_all(self, tagged: str) -> None:
        for item in tagged.split():
            word, _, tag = item.rpartition("/")
            self.take(word, tag)

    def take_from(self, table: Table, without: Sequence[str] = ()) -> str:
        word = self.next
        if word not in table or word in without:
            raise NotKitchen(f"token {self.at}: {word!r} cannot stand here")
        place = table.index[word]
        self.waiting += math.log(table.probabilities[place])
        if without:
            self.waiting -= math.log1p(
                -sum(table.probabilities[table.index[x]] for x in set(without) if x in table.index)
            )
        return self.take(word, table.tags[place])

    def infer(self, place: str, option: str, weights: Mapping[str, float]) -> str:
        possible = {key: weight for key, weight in weights.items() if weight > 0}
        if option not in possible:
            raise NotKitchen(f"token {self.at}: {option!r} is impossible at {place!r}")
        if len(possible) > 1:
            self.waiting += math.log(possible[option]) - math.log(math.fsum(possible.values()))
            self.reading.choices.append((place, option))
        return option

    def decide(self, place: str, option: str, barred: Collection[str] = ()) -> str:
        odds = _log_odds(place, tuple(barred))
        if option not in odds:
            raise NotKitchen(f"token {self.at}: {option!r} is impossible at {place!r}")
        if len(odds) > 1:
            self.waiting += odds[option]
            self.reading.choices.append((place, option))
        return option

    def did(self, place: str, fact: bool) -> bool:
        self.decide(place, "yes" if fact else "no")
        return fact

    def follow(self, book: PhraseBook) -> None:
        while True:
            word = self.take_from(book.table)
            if word not in book.after:
                return
            book = book.after[word]

    def verb(self, table: VerbTable, many: bool) -> str:
        form = "past" if self.in_past else _PLURAL_FORM[many]
        return table.lemma(self.take_from(table.forms[form]), form)

    def next_in(self, table: VerbTable, many: bool) -> bool:
        return self.next in table.forms["past" if self.in_past else _PLURAL_FORM[many]].index

    # ------------------------------------------------------------ sentences
    def read_document(self) -> None:
        while not self.done:
            self.read_part()

    def read_part(self) -> None:
        """The opening, the next sentence or the closing."""
        if not self.sentences:
            self.read_opening()
        elif self.next != "finally":
            if self.sentences > 2:
                self.decide("close", "no")
            self.read_sentence()
            if self.sentences == 7:
                raise NotKitchen("too many sentences")
        else:
            if self.sentences < 3:
                raise NotKitchen("too few sentences")
            if self.sentences < 7:
                self.decide("close", "yes")
            self.read_closing()
            self.done = True
        self.sentences += 1

    def read_opening(self) -> None:
        if self.did("weather", self.next == "on"):
            self.take_all("on/ADP a/DET")
            self.take_from(w.WEATHER)
            self.take_from(w.DAYPARTS)
            self.take_all(",/PUNCT")
        self.meet_guest()
        pair = self.did("company", self.next == "and")
        if pair:
            self.take_all("and/CCONJ")
            self.meet_guest()
        self.in_past = self.next in w.VISIT.forms["past"]
        self.decide("tense", "past" if self.in_past else "present")
        self.verb(w.VISIT, pair)
        self.read_new_house()
        self.take_all("./PUNCT")

    def read_closing(self) -> None:
        self.take_all("finally/ADV ,/PUNCT")
        for i, (first, last) in enumerate(self.names):
            if i:
                self.take_all("and/CCONJ")
            self.take(first, "PROPN")
            if self.did("surname in closing", self.next == last):
                self.take(last, "PROPN")
        many = len(self.names) > 1
        mood = "good" if self.next_in(w.CLOSE["good"], many) else "bad"
        if not self.mood:
            self.decide("mood", mood)
        elif mood != self.mood:
            raise NotKitchen("the closing has another mood")
        self.verb(w.CLOSE[mood], many)
        self.take_all(f"the/DET {self.house} in/ADP {self.town}/PROPN ./PUNCT </s>/X")

    def read_sentence(self) -> None:
        if self.next in ("soon", "then", "later", "meanwhile", "at", "after"):
            lead = self.decide("lead", self.next)
            self.take(lead, "ADP" if lead in ("at", "after") else "ADV")
            if lead == "at":
                self.take_from(w.HOURS)
            if lead == "after":
                self.take_from(w.NUMBERS)
                self.take_all("minutes/NOUN")
            self.take_all(",/PUNCT")
        else:
            self.decide("lead", "none")
        if self.next == "the":
            self.decide("sentence", "the")
            self.take_all("the/DET")
            self.read_after_the()
        elif self.next in ("some", "every"):
            self.decide("sentence", self.next)
            many = self.take(self.next, "DET") == "some"
            self.read_crowd(many)
        elif self.next in w.NUMBERS:
            self.decide("sentence", "number")
            self.take_from(w.NUMBERS)
            self.read_crowd(True)
        else:
            self.decide("sentence", "guest")
            self.read_guest_sentence()
        self.take_all("./PUNCT")

    def read_after_the(self) -> None:
        barred = () if self.dishes else ("dish",)
        word = self.next
        if word in ("waiter", "waitress"):
            self.decide("the", "server", barred)
            self.read_server()
        elif word in w.HOUSE_ADJECTIVES:
            self.decide("the", "house", barred)
            self.take_all(f"{self.house} {'was' if self.in_past else 'is'}/AUX the/DET best/ADJ")
            self.take_all(f"{self.kind}/NOUN in/ADP {self.town}/PROPN")
        elif word in w.EVENTS[False] or word in w.EVENTS[True]:
            self.decide("the", "event", barred)
            self.read_event()
        elif word in w.PEOPLE_ADJECTIVES or word in w.PEOPLE[False] or word in w.PEOPLE[True]:
            self.decide("the", "crowd", barred)
            self.read_crowd(None)
        else:
            self.decide("the", "dish", barred)
            guest = self.read_some_dish()
            if self.did("dish owner", self.next == "of"):
                self.take_all("of/ADP")
                self.read_owner(guest)
            self.take("was" if self.in_past else "is", "AUX")
            opinion = self.read_opinion()
            if self.did("second opinion", self.next == "and"):
                self.take_all("and/CCONJ")
                self.read_opinion([opinion])

    # ------------------------------------------------------------ names
    def meet_guest(self) -> None:
        first = self.take_from(w.FIRST_NAMES, [f for f, _ in self.names])
        last = self.take_from(w.SURNAMES, [s for _, s in self.names])
        self.he_or_she = len(self.names)
        self.names.append((first, last))

    def is_woman(self, guest: int) -> bool:
        return self.names[guest][0] in w.WOMEN

    def read_new_house(self) -> None:
        self.take_all("the/DET")
        old = [item.rpartition("/")[0] for item in self.house.split()]
        first = self.take_from(w.HOUSE_ADJECTIVES, old)
        second = self.take_from(w.HOUSE_NOUNS, old)
        self.house = f"{first}/PROPN {second}/PROPN"
        self.take_all(",/PUNCT a/DET")
        self.kind = self.take_from(w.KINDS, [self.kind])
        self.take_all("in/ADP")
        self.town = self.take_from(w.TOWNS, [self.town])

    def read_which(self, guest: int, pool: Collection[int]) -> None:
        self.infer("which guest", str(guest), {str(i): 1.0 for i in pool})

    def read_mention(self, role: str, pool: list[int]) -> int:
        barred = () if self.he_or_she in pool else ("pronoun",)
        if self.next in ("he", "she"):
            self.decide(role, "pronoun", barred)
            self.take("she" if self.is_woman(self.he_or_she) else "he", "PRON")
            return self.he_or_she
        if self.next in ("mr", "mrs"):
            self.decide(role, "title", barred)
            women = [i for i in pool if self.is_woman(i)]
            sizes = {"mr": len(pool) - len(women), "mrs": len(women)}
            title = self.infer("title", self.next, {t: float(n) for t, n in sizes.items()})
            self.take(title, "PROPN")
            same = women if title == "mrs" else [i for i in pool if i not in women]
            guest = {self.names[i][1]: i for i in same}[self.next]
            self.read_which(guest, same)
            self.take(self.next, "PROPN")
            return guest
        self.decide(role, "first", barred)
        guest = {self.names[i][0]: i for i in pool}[self.next]
        self.read_which(guest, pool)
        self.take(self.next, "PROPN")
        if self.did(f"surname of {role}", self.next == self.names[guest][1]):
            self.take(self.next, "PROPN")
        return guest

    def read_dish(self, guest: int) -> None:
        for word in self.dishes[guest]:
            self.take(word, "NOUN")

    def read_some_dish(self) -> int:
        owners = sorted(self.dishes)
        guest = {self.dishes[i][0]: i for i in owners}[self.next]
        self.read_which(guest, owners)
        self.read_dish(guest)
        return guest

    def read_owner(self, guest: int) -> None:
        self.take(self.names[guest][0], "PROPN")
        self.he_or_she = guest

    def read_opinion(self, without: Sequence[str] = ()) -> str:
        mood = "good" if self.next in w.PRAISE_WORDS else "bad"
        if self.mood:
            self.did("mood kept", mood == self.mood)
        else:
            self.mood = self.decide("mood", mood)
        return self.take_from(w.OPINIONS[mood, self.kind], without)

    # ------------------------------------------------------------ noun phrases
    def read_number(self, place: str, tables: Mapping[bool, Table]) -> bool:
        many = self.did(place, self.next in tables[True])
        self.take_from(tables[many])
        return many

    def read_person(self, many: bool | None = None) -> bool:
        if self.did("people adjective", self.next in w.PEOPLE_ADJECTIVES):
            self.take_from(w.PEOPLE_ADJECTIVES)
        if many is None:
            return self.read_number("people plural", w.PEOPLE)
        self.take_from(w.PEOPLE[many])
        return many

    def read_people(self) -> bool:
        many = self.read_person()
        if self.did("people located", self.next in w.PEOPLE_PREPOSITIONS):
            self.read_location()
        return many

    def read_location(self) -> None:
        self.read_place(w.PLACES_AFTER[self.take_from(w.PEOPLE_PREPOSITIONS)])

    def read_place(self, tables: Mapping[bool, Table]) -> None:
        self.take_all("the/DET")
        if self.did("place adjective", self.next in w.PLACE_ADJECTIVES):
            self.take_from(w.PLACE_ADJECTIVES)
        self.read_number("place plural", tables)

    def read_thing(self, name: str, determiner: str, verb: str) -> str:
        if name in w.EDIBLE:
            adjectives = w.FOOD_ADJECTIVES[self.kind]
            if self.did("food adjective", self.next in adjectives):
                self.take_from(adjectives, [verb, inflect(verb, "past")])
        return self.take_from(w.THINGS[name, determiner], [verb, plural(verb)])

    def read_object(self, name: str, verb: str) -> None:
        barred = () if name in ("liquid", "menu") else ("a",)
        determiner = self.take(self.decide("determiner", self.next, barred), "DET")
        if determiner == "a":
            self.take_from(w.CONTAINERS, [verb])
            self.take_all("of/ADP")
            self.take_from(w.DRINKS[self.kind])
            return
        noun = self.read_thing(name, determiner, verb)
        if determiner != "those" and noun in w.COMPOUND_HEADS:
            tails = w.COMPOUND_TAILS[w.COMPOUND_HEADS[noun], determiner]
            if self.did("compound", self.next in tails):
                self.take_from(tails, [noun, verb, plural(verb)])

    def read_adjunct(self, edible: bool = False, adverb: bool = False) -> None:
        barred = (() if edible else ("pinch",)) + (() if adverb else ("adverb",))
        if self.next in w.TIME_WORDS:
            self.decide("adjunct", "time", barred)
            self.read_time()
        elif self.next in w.OUTSIDE:
            self.decide("adjunct", "place", barred)
            self.take_from(w.OUTSIDE)
            self.read_place(w.LANDMARKS)
        elif self.next in w.LATE_ADVERBS:
            self.decide("adjunct", "adverb", barred)
            self.take_from(w.LATE_ADVERBS)
        elif self.next == "with":
            self.decide("adjunct", "pinch", barred)
            self.take_all("with/ADP a/DET pinch/NOUN of/ADP")
            self.take_from(w.SPICES)
        elif self.next in w.ADJUNCTS.table:
            self.decide("adjunct", "phrase", barred)
            self.follow(w.ADJUNCTS)
        else:
            self.decide("adjunct", "none", barred)

    def read_time(self) -> None:
        self.take_from(w.TIME_WORDS)
        here = len(self.reading.tags) - 1
        self.take_all("the/DET")
        many = self.read_people()
        if self.next_in(w.INTRANSITIVE, many):
            self.decide("time then", "verb")
            self.verb(w.INTRANSITIVE, many)
            self.reading.tags[here] = "SCONJ"
        else:
            self.decide("time then", "stop")

    # ------------------------------------------------------------ the crowd and its verbs
    def read_crowd(self, many: bool | None) -> None:
        many = self.read_person(many)
        barred: tuple[str, ...] = ()
        if self.next == "with":
            self.decide("crowd then", "with")
            self.take_all("with/ADP the/DET")
            if self.did("clothes adjective", self.next in w.CLOTHES_ADJECTIVES):
                self.take_from(w.CLOTHES_ADJECTIVES)
            self.read_number("clothes plural", w.CLOTHES)
            barred = ("with",)
        if self.next in w.PEOPLE_PREPOSITIONS:
            self.decide("crowd then", "place", barred)
            self.read_location()
            barred = ("with", "place")
        if self.next in ("who", "that"):
            self.decide("crowd then", "clause", barred)
            relative = self.take(self.decide("relative", self.next), "PRON")
            self.read_clause(many)
            if self.did("clause again", self.next == "and"):
                self.take_all(f"and/CCONJ {relative}/PRON")
                self.read_clause(many)
        else:
            self.decide("crowd then", "verb", barred)
        self.read_crowd_verb(many)

    def read_clause(self, many: bool) -> None:
        if self.next == "the":
            self.decide("clause about", "object")
            self.take_all("the/DET")
            self.verb(w.CLAUSE_VERBS_OF_PEOPLE, self.read_people())
            return
        self.decide("clause about", "subject")
        lemma = self.verb(w.CLAUSE_VERBS, many)
        determiner = self.take(self.decide("clause object", self.next), "DET")
        share = w.CLAUSE_FRAMES[lemma] if determiner == "the" else 0.0
        weights = {"people": share, "thing": 1.0 - share}
        word = self.next
        menu = w.THINGS["menu", determiner], w.FOOD_ADJECTIVES[self.kind]
        if any(word in table for table in menu):
            self.infer("clause object is", "thing", weights)
            self.read_thing("menu", determiner, lemma)
        else:
            self.infer("clause object is", "people", weights)
            self.read_people()

    def read_crowd_verb(self, many: bool) -> None:
        if self.next in ("is", "are", "was", "were"):
            self.decide("crowd does", "be")
            self.read_be(many)
            if self.next in w.STATES:
                self.decide("be", "state")
                self.take_from(w.STATES)
            else:
                self.decide("be", "simile")
                self.follow(w.SIMILES)
        elif self.next in w.MODALS["past" if self.in_past else "present"]:
            self.decide("crowd does", "modal")
            self.read_modal()
        elif self.next_in(w.HAVE, many):
            self.decide("crowd does", "have")
            self.read_having(many)
        else:
            self.decide("crowd does", "verb")
            self.read_frame(self.verb(w.VERBS, many))

    def read_be(self, many: bool) -> None:
        self.take((("is", "are"), ("was", "were"))[self.in_past][many], "AUX")

    def read_modal(self) -> None:
        self.take_from(w.MODALS["past" if self.in_past else "present"])
        self.read_infinitive()

    def read_having(self, many: bool) -> None:
        self.verb(w.HAVE, many)
        self.take_all("a/DET")
        self.take_from(w.LIGHT_NOUNS)
        self.read_adjunct()

    def read_frame(self, lemma: str) -> None:
        share, name = w.VERB_FRAMES[lemma]
        transitive = self.next in ("the", "that", "those", "a")
        weights = {"yes": share, "no": 1.0 - share}
        self.infer("with an object", "yes" if transitive else "no", weights)
        if transitive:
            self.read_object(name, lemma)
        self.read_adjunct(edible=transitive and name == "food", adverb=not transitive)

    def read_infinitive(self) -> None:
        if self.next == "can":
            self.decide("infinitive", "can")
            self.take_all("can/VERB")
            self.read_object("fruit", "can")
            self.read_adjunct()
        else:
            self.decide("infinitive", "any")
            self.read_frame(self.take_from(w.INFINITIVES.forms["base"]))

    def read_event(self) -> None:
        many = self.read_number("people plural", w.EVENTS)
        self.take_all("of/ADP the/DET")
        self.read_people()
        if self.next in ("is", "are", "was", "were"):
            self.decide("event then", "be")
            self.read_be(many)
            self.take_from(w.EVENT_STATES)
        else:
            self.decide("event then", "verb")
            self.verb(w.EVENT_VERBS, many)
            self.read_adjunct()

    def read_server(self) -> None:
        if not self.server:
            self.server = self.infer("server", self.next, {"waiter": 1.0, "waitress": 1.0})
        self.take(self.server, "NOUN")
        self.verb(w.BRING, False)
        everyone = list(range(len(self.names)))
        if self.next != "the":
            self.decide("served", "guest first")
            guest = self.read_mention("object", everyone)
            self.take_all("the/DET")
            if guest in self.dishes:
                self.read_dish(guest)
            else:
                self.take_all("menu/NOUN")
            return
        self.decide("served", "dish first")
        self.take_all("the/DET")
        if self.dishes:
            guest = self.read_some_dish()
            self.take_all("to/ADP")
            self.read_owner(guest)
        else:
            self.take_all("menu/NOUN to/ADP")
            self.read_mention("object", everyone)

    # ------------------------------------------------------------ what guests do
    def read_guest_sentence(self) -> None:
        known = len(self.names)
        together = False
        is_new = self.next in w.FIRST_NAMES and self.next not in [f for f, _ in self.names]
        if known < 3:
            self.did(f"new guest, {known} known", is_new)
        elif is_new:
            raise NotKitchen("a fourth guest")
        if is_new:
            self.meet_guest()
            guest = known
            self.read_apposition()
        else:
            guest = self.read_mention("subject", list(range(known)))
            if known > 1 and (together := self.did("pair", self.next == "and")):
                self.take_all("and/CCONJ")
                self.read_mention("object", [i for i in range(known) if i != guest])
            self.he_or_she = guest
        if self.did("manner", self.next in w.MANNER):
            self.take_from(w.MANNER)
        self.read_deed(guest, together)

    def read_apposition(self) -> None:
        mark = self.next if self.next in ("(", ",") else "none"
        self.decide("apposition", mark)
        if mark == "none":
            return
        self.take_all(f"{mark}/PUNCT a/DET")
        self.take_from(w.ROLES)
        if self.did("role from", self.next == "from"):
            self.take_all("from/ADP")
            self.take_from(w.VILLAGES)
        if self.did("role near", self.next in w.BESIDE):
            self.take_from(w.BESIDE)
            self.read_place(w.LANDMARKS)
        self.take(")" if mark == "(" else ",", "PUNCT")

    _DEEDS = (
        ("order", w.ORDER),
        ("judge dish", w.JUDGE_DISH),
        ("eat", w.EAT),
        ("cut", w.CUT),
        ("say", w.SAY),
        ("intend", w.INTEND),
        ("meet", w.MEET),
        ("believe", w.BELIEVE),
        ("urge", w.URGE),
        ("take", w.TAKE),
        ("return", w.RETURN),
        ("reserve", w.RESERVE),
        ("have", w.HAVE),
        ("move", w.MOVE),
    )

    def read_deed(self, guest: int, together: bool) -> None:
        barred = ["order" if guest in self.dishes else "judge dish"]
        barred += ["order", "judge dish", "meet"] if together else []
        barred += ["meet"] if len(self.names) == 1 else []
        barred += ["move"] if self.moved else []
        if self.next in w.MODALS["past" if self.in_past else "present"]:
            self.decide("guest does", "modal", barred)
            self.read_modal()
            return
        deed, table = next(
            ((deed, table) for deed, table in self._DEEDS if self.next_in(table, together)),
            ("", w.HAVE),
        )
        self.decide("guest does", deed, barred)
        if deed == "have":
            self.read_having(together)
            return
        lemma = self.verb(table, together)
        others = [i for i in range(len(self.names)) if i != guest]
        if deed == "order":
            self.take_all("the/DET")
            first = self.take_from(w.DISH_FIRST[self.kind], [d for d, _ in self.dishes.values()])
            self.dishes[guest] = (first, self.take_from(w.DISH_LAST[self.kind]))
            if self.did("glass too", self.next == "and"):
                self.take_all("and/CCONJ a/DET glass/NOUN of/ADP")
                self.take_from(w.DRINKS[self.kind])
        elif deed == "judge dish":
            self.take_all("the/DET")
            self.read_dish(guest)
        elif deed in ("eat", "cut"):
            self.read_fruit(w.COMPANIONS[lemma] if deed == "eat" else w.TOOLS[lemma])
        elif deed == "say":
            self.read_speech(together)
        elif deed == "intend":
            self.take_all("to/PART")
            self.read_infinitive()
        elif deed == "meet":
            self.read_mention("object", others)
            self.read_adjunct()
        elif deed == "believe":
            self.read_belief()
        elif deed in ("urge", "take"):
            whom = "people" if self.next == "the" else "guest"
            self.decide("urged", whom, () if others and not together else ("guest",))
            if whom == "people":
                self.take_all("the/DET")
                self.read_people()
            else:
                self.read_mention("object", others)
            self.take("to", "PART" if deed == "urge" else "ADP")
            self.take_from(w.HELPS if deed == "urge" else w.ERRANDS)
            self.read_adjunct()
        elif deed == "return":
            self.take_all("to/ADP")
            self.take_from(w.ERRANDS)
            self.read_adjunct()
        elif deed == "reserve":
            self.take_all("a/DET table/NOUN for/ADP")
            self.take_from(w.NUMBERS)
            self.read_adjunct()
        else:
            self.take_all("to/ADP")
            self.read_new_house()
            self.mood = ""
            self.moved = True

    def read_fruit(self, companions: Table) -> None:
        determiner = self.take(self.decide("fruit", self.next), "DET")
        self.take_from(w.FRUIT[determiner])
        barred: list[str] = []
        if self.next == "that":
            self.decide("fruit then", "that", barred)
            self.take_all("that/PRON the/DET")
            self.verb(w.DELIVER, self.read_people())
            barred += ["that"]
        if self.next == "from":
            self.decide("fruit then", "from", barred)
            self.take_all("from/ADP")
            self.read_place(w.SOURCES)
            barred = ["that", "from"]
        if self.next in w.BESIDE:
            self.decide("fruit then", "beside", barred)
            self.take_from(w.BESIDE)
            self.read_place(w.LANDMARKS)
            barred = ["that", "from", "beside"]
        if self.next != "with":
            self.decide("fruit then", "stop", barred)
            return
        self.decide("fruit then", "with", barred)
        self.take_all("with/ADP")
        first = self.take_from(companions)
        if self.did("second companion", self.next == "and"):
            self.take_all("and/CCONJ")
            self.take_from(companions, [first])

    def read_speech(self, together: bool) -> None:
        self.take_all(",/PUNCT")
        mark = self.take(self.decide("marks", self.next), "PUNCT")
        self.read_utterance(together)
        if self.did("speech goes on", self.next == ","):
            self.take_all(",/PUNCT and/CCONJ")
            self.read_utterance(together)
        self.take("”" if mark == "“" else "»", "PUNCT")

    def read_utterance(self, together: bool) -> None:
        barred = () if self.dishes else ("dish",)
        me = "we" if together else "i"
        if self.next == me:
            self.decide("speech", "want", barred)
            self.take(me, "PRON")
            self.take_from(w.INTEND.forms["base"])
            self.take_all("to/PART")
            self.read_infinitive()
        elif self.next == "can":
            self.decide("speech", "can", barred)
            self.take_all(f"can/AUX {me}/PRON")
            self.read_infinitive()
        elif self.next == "please":
            self.decide("speech", "please", barred)
            self.take_all("please/INTJ")
            self.read_infinitive()
        elif self.next == "the":
            self.decide("speech", "dish", barred)
            self.take_all("the/DET")
            self.read_some_dish()
            self.take_all("is/AUX")
            self.read_opinion()
        else:
            self.decide("speech", "formula", barred)
            self.follow(w.FORMULAS)

    def read_belief(self) -> None:
        self.take_all("that/SCONJ")
        if self.next == "the":
            self.decide("believe that", "the")
            self.take_all("the/DET")
            self.verb(w.INTRANSITIVE, self.read_people())
        elif self.next in w.PEOPLE[True]:
            self.decide("believe that", "plural")
            self.take_from(w.PEOPLE[True])
            self.verb(w.INTRANSITIVE, True)
        else:
            self.decide("believe that", "that one")
            self.reading.tags[-1] = "DET"
            self.take_from(w.PEOPLE[False])
        self.read_adjunct()
