"""The one program that defines the kitchen language.

`Grammar.document` tells a short story about guests in a restaurant. It makes no random number itself: every choice goes
to a `Teller`, so the same program samples texts (`sampler`) and enumerates what can come next (`oracle`).

One rule keeps the probability of every *token* exact: **a choice is made only where the very next word reveals it.**
Then all choices since the last word belong to the next word, and their log probabilities add up to its own.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple, Protocol

from lmkit.kitchen import words as w
from lmkit.kitchen.rates import RATES
from lmkit.kitchen.tables import PhraseBook, Table, VerbTable, inflect, plural


class Teller(Protocol):
    """Who decides. Each method stands for one kind of event in a derivation."""

    position: int  # how many words have been said

    def choose(self, place: str, weights: Mapping[str, float]) -> str:
        """Pick one key; zero weights are impossible, a single possible key costs nothing."""
        ...

    def draw(self, table: Table, excluding: Collection[str] = ()) -> str:
        """Say a word of the table, renormalised after the excluded words are taken out."""
        ...

    def say(self, word: str, tag: str) -> None:
        """Say a word that could not be otherwise."""
        ...

    def retag(self, position: int, tag: str) -> None:
        """The part of speech of an earlier word has only now become known."""
        ...

    def mark(self, kind: str, distance: int = 0, rivals: Collection[str] = ()) -> None:
        """Note that the last word is worth a probe: what it depends on lies `distance` tokens back."""
        ...


class Guest(NamedTuple):
    first: str
    last: str
    dish: tuple[str, str] | None = None

    @property
    def is_woman(self) -> bool:
        """Guests whose first name says so: Mrs, she."""
        return self.first in w.WOMEN

    @property
    def title(self) -> str:
        """How they are addressed, with their surname."""
        return "mrs" if self.is_woman else "mr"


@dataclass
class State:
    """What a document remembers. Everything here was revealed by a word when it was set."""

    guests: list[Guest] = field(default_factory=list)
    house: tuple[str, str] = ("", "")
    kind: str = ""
    town: str = ""
    tense: str = ""
    mood: str = ""
    server: str = ""
    focus: int = 0  # the guest whom he or she means
    has_moved: bool = False

    def with_dish(self) -> list[int]:
        return [i for i, guest in enumerate(self.guests) if guest.dish]


MAX_SENTENCES = 8


@cache
def _rates_without(place: str, barred: tuple[str, ...]) -> dict[str, float]:
    return {option: rate for option, rate in RATES[place].items() if option not in barred}


class Grammar:
    """The document state and one method per phrase. Methods return what agreement needs: is it plural?"""

    def __init__(self, teller: Teller, state: State | None = None):
        self.teller = teller
        self.draw = teller.draw
        self.state = state or State()

    # ------------------------------------------------------------ helpers
    def choose(self, place: str, barred: tuple[str, ...] = ()) -> str:
        """One of the options at this place of `rates`, without those that are barred now."""
        return self.teller.choose(place, _rates_without(place, barred) if barred else RATES[place])

    def happens(self, place: str) -> bool:
        """Yes or no, at a place with these two options."""
        return self.teller.choose(place, RATES[place]) == "yes"

    def pick_guest(self, pool: Collection[int]) -> int:
        """One of these guests, each as likely as the others."""
        return int(self.teller.choose("which guest", {str(i): 1.0 for i in pool}))

    def say(self, *tagged: str) -> None:
        """Words that could not be otherwise, each as "word/TAG"."""
        for item in tagged:
            word, tag = item.rsplit("/", 1)
            self.teller.say(word, tag)

    def phrase(self, book: PhraseBook) -> None:
        """One of the fixed phrases of a book."""
        node: PhraseBook | None = book
        while node is not None:
            node = node.after.get(self.draw(node.table))

    def form(self, plural: bool) -> str:
        """The form of a finite verb: past, or by the number of its subject."""
        return "past" if self.state.tense == "past" else "base" if plural else "third"

    def verb(self, table: VerbTable, plural: bool, head: int | None = None, kind: str = "agreement") -> str:
        """A finite verb that agrees; returns its lemma. `head`: position of the noun it agrees with."""
        form = self.form(plural)
        lemma = table.lemma(self.draw(table.forms[form]), form)
        if head is not None and form != "past":
            i = table.lemmas.index(lemma)
            other = table.forms["third" if plural else "base"].words[i]
            self.teller.mark(kind, self.teller.position - 1 - head, [other])
        return lemma

    def be(self, plural: bool, head: int | None = None, kind: str = "agreement") -> None:
        """is, are, was or were; `head` and `kind` as in `verb`."""
        forms = ("was", "were") if self.state.tense == "past" else ("is", "are")
        self.say(f"{forms[plural]}/AUX")
        if head is not None:
            self.teller.mark(kind, self.teller.position - 1 - head, [forms[not plural]])

    # ------------------------------------------------------------ the document
    def document(self) -> None:
        """A whole story."""
        number = 1
        while not self.part(number):
            number += 1

    def part(self, number: int) -> bool:
        """The opening (number 1), a sentence or the closing; returns whether it was the closing.

        Only `state` goes from one part to the next.
        """
        if number == 1:
            self.opening()
        elif number == MAX_SENTENCES or (number > 3 and self.happens("close")):
            self.closing()
            return True
        else:
            self.sentence()
        return False

    def opening(self) -> None:
        """On a rainy evening, Anna Cook and Carl Fish found the Golden Fork, a bakery in Eldham."""
        if self.happens("weather"):
            self.say("on/ADP", "a/DET")
            self.draw(w.WEATHER)
            self.draw(w.DAYPARTS)
            self.say(",/PUNCT")
        self.new_guest()
        several = self.happens("company")
        if several:
            self.say("and/CCONJ")
            self.new_guest()
        self.state.tense = self.choose("tense")
        self.verb(w.VISIT, several)
        self.new_house()
        self.say("./PUNCT")

    def closing(self) -> None:
        """Finally, Anna Cook and Carl loved the Golden Fork in Eldham."""
        state = self.state
        self.say("finally/ADV", ",/PUNCT")
        for i, guest in enumerate(state.guests):
            if i:
                self.say("and/CCONJ")
            self.say(f"{guest.first}/PROPN")
            self.teller.mark("copy: next of the guests" if i else "copy: first guest")
            if self.happens("surname in closing"):
                self.surname(guest)
        mood = state.mood or self.choose("mood")
        self.verb(w.CLOSE[mood], len(state.guests) > 1)
        self.house_again()
        self.say("in/ADP", f"{state.town}/PROPN")
        self.teller.mark("copy: town")
        self.say("./PUNCT", "</s>/X")

    def sentence(self) -> None:
        """Anything but the opening and the closing."""
        self.lead()
        kind = self.choose("sentence")
        if kind == "guest":
            self.guest_sentence()
        elif kind == "the":
            self.sentence_with_the()
        else:
            self.crowd(kind)
        self.say("./PUNCT")

    def sentence_with_the(self) -> None:
        """A sentence whose subject begins with "the"."""
        self.say("the/DET")
        kind = self.choose("the", () if self.state.with_dish() else ("dish",))
        if kind == "crowd":
            self.crowd("the")
        elif kind == "server":
            self.server_sentence()
        elif kind == "event":
            self.event()
        elif kind == "house":
            self.house_again(article=False)
            self.be(False)
            self.say("the/DET", "best/ADJ", f"{self.state.kind}/NOUN", "in/ADP")
            self.say(f"{self.state.town}/PROPN")
            self.teller.mark("copy: town")
        else:
            self.dish_sentence()

    def lead(self) -> None:
        """meanwhile, at noon, after ten minutes: or nothing."""
        lead = self.choose("lead")
        if lead == "none":
            return
        self.say(f"{lead}/{'ADP' if lead in ('at', 'after') else 'ADV'}")
        if lead == "at":
            self.draw(w.HOURS)
        elif lead == "after":
            self.draw(w.NUMBERS)
            self.say("minutes/NOUN")
        self.say(",/PUNCT")

    # ------------------------------------------------------------ names, copied or new
    def new_guest(self) -> int:
        """A first name and a surname that no guest has yet; returns the number of the guest."""
        guests = self.state.guests
        first = self.draw(w.FIRST_NAMES, [guest.first for guest in guests])
        last = self.draw(w.SURNAMES, [guest.last for guest in guests])
        guests.append(Guest(first, last))
        self.state.focus = len(guests) - 1
        return self.state.focus

    def new_house(self) -> None:
        """the Golden Fork , a bakery in Eldham: new words only, if there was a house before."""
        state = self.state
        self.say("the/DET")
        old_adjective, old_noun = state.house
        adjective = self.draw(w.HOUSE_ADJECTIVES, [old_adjective])
        state.house = (adjective, self.draw(w.HOUSE_NOUNS, [old_noun]))
        self.say(",/PUNCT", "a/DET")
        state.kind = self.draw(w.KINDS, [state.kind])
        self.say("in/ADP")
        state.town = self.draw(w.TOWNS, [state.town])

    def house_again(self, article: bool = True) -> None:
        """[the] Golden Fork: the house where the guests are."""
        if article:
            self.say("the/DET")
        self.say(f"{self.state.house[0]}/PROPN")
        self.teller.mark("copy: house, first word")
        self.say(f"{self.state.house[1]}/PROPN")
        self.teller.mark("copy: house, second word")

    def surname(self, guest: Guest) -> None:
        """The surname of a guest who is known."""
        self.say(f"{guest.last}/PROPN")
        self.teller.mark("copy: surname")

    def mention(self, role: str, pool: Collection[int]) -> int:
        """Name a known guest again, as `role` (subject or object); returns which."""
        guests = self.state.guests
        way = self.choose(role, () if self.state.focus in pool else ("pronoun",))
        if way == "pronoun":
            self.say("she/PRON" if guests[self.state.focus].is_woman else "he/PRON")
            return self.state.focus
        if way == "title":
            titles = [guests[i].title for i in pool]
            title = self.teller.choose("title", {t: titles.count(t) for t in ("mr", "mrs")})
            self.say(f"{title}/PROPN")
            guest = self.pick_guest([i for i in pool if guests[i].title == title])
            self.surname(guests[guest])
            return guest
        guest = self.pick_guest(pool)
        self.say(f"{guests[guest].first}/PROPN")
        if self.happens(f"surname of {role}"):
            self.surname(guests[guest])
        return guest

    def dish(self, guest: int, kind: str) -> None:
        """Name the dish of a guest again. `kind`: how its first word is known."""
        first, last = self.state.guests[guest].dish or ("", "")
        self.say(f"{first}/NOUN")
        self.teller.mark(kind)
        self.say(f"{last}/NOUN")
        self.teller.mark("copy: dish, second word")

    def opinion(self, excluding: Collection[str] = ()) -> str:
        """A word of praise or blame that fits the kind of house; returns the word."""
        state = self.state
        if not state.mood:
            state.mood = mood = self.choose("mood")
        else:
            changed = "bad" if state.mood == "good" else "good"
            mood = state.mood if self.happens("mood kept") else changed
        return self.draw(w.OPINIONS[mood, state.kind], excluding)

    # ------------------------------------------------------------ people, places, things
    def people(self) -> bool:
        """[young] cooks [from the village]; returns whether they are plural."""
        if self.happens("people adjective"):
            self.draw(w.PEOPLE_ADJECTIVES)
        plural = self.happens("people plural")
        self.draw(w.PEOPLE[plural])
        if self.happens("people located"):
            self.location()
        return plural

    def location(self) -> bool:
        """Where people are or come from; returns whether that is a plural."""
        preposition = self.draw(w.PEOPLE_PREPOSITIONS)
        return self.place(w.PLACES_AFTER[preposition])

    def place(self, table: Mapping[bool, Table]) -> bool:
        """the quiet gardens; returns whether they are plural."""
        self.say("the/DET")
        if self.happens("place adjective"):
            self.draw(w.PLACE_ADJECTIVES)
        plural = self.happens("place plural")
        self.draw(table[plural])
        return plural

    def thing(self, name: str, determiner: str, verb: str, compound: bool) -> bool:
        """The object of a verb after its determiner, of the class `name`; returns whether it is plural.

        No word comes twice: nobody spices the spiced spice.

        A noun compound ("the fish order") is possible in main clauses only: in a relative clause the
        word after the noun is the verb of the main clause ("the guests who like the fish order").
        """
        if name in w.EDIBLE and self.happens("food adjective"):
            self.draw(w.FOOD_ADJECTIVES[self.state.kind], [verb, inflect(verb, "past")])
        noun = self.draw(w.THINGS[name, determiner], [verb, plural(verb)])
        tails = w.COMPOUND_HEADS.get(noun)
        if compound and tails and determiner != "those" and self.happens("compound"):
            noun = self.draw(w.COMPOUND_TAILS[tails, determiner], [noun, verb, plural(verb)])
            self.teller.mark("tag: noun after noun")
        return noun in w.PLURAL_THINGS

    def object(self, name: str, verb: str) -> None:
        """What a verb is done to, with its determiner: the fish order, a cup of tea."""
        portions = name in ("liquid", "menu")
        determiner = self.choose("determiner", () if portions else ("a",))
        self.say(f"{determiner}/DET")
        if determiner == "a":
            self.draw(w.CONTAINERS, [verb])
            self.say("of/ADP")
            self.draw(w.DRINKS[self.state.kind])
        else:
            self.thing(name, determiner, verb, compound=True)

    def adjunct(self, *, edible: bool = False, adverb: bool = False) -> None:
        """What may end a clause: nothing, a fixed phrase, a time, a place; with food, a spice."""
        way = self.choose("adjunct", (() if edible else ("pinch",)) + (() if adverb else ("adverb",)))
        if way == "phrase":
            self.phrase(w.ADJUNCTS)
        elif way == "time":
            self.time()
        elif way == "place":
            self.draw(w.OUTSIDE)
            self.place(w.LANDMARKS)
        elif way == "adverb":
            self.draw(w.LATE_ADVERBS)
        elif way == "pinch":
            self.say("with/ADP", "a/DET", "pinch/NOUN", "of/ADP")
            self.draw(w.SPICES)

    def time(self) -> None:
        """before the guests (ADP), or before the guests sing (SCONJ): known only after the noun."""
        self.draw(w.TIME_WORDS)
        where = self.teller.position - 1
        self.teller.mark("tag: before, after")
        self.say("the/DET")
        head, plural = self.people_and_head()
        if self.choose("time then") == "verb":
            self.verb(w.INTRANSITIVE, plural, head)
            self.teller.retag(where, "SCONJ")

    def people_and_head(self) -> tuple[int, bool]:
        """Like `people`; also returns the position of the noun."""
        if self.happens("people adjective"):
            self.draw(w.PEOPLE_ADJECTIVES)
        plural = self.happens("people plural")
        self.draw(w.PEOPLE[plural])
        head = self.teller.position - 1
        if self.happens("people located"):
            self.location()
        return head, plural

    # ------------------------------------------------------------ the crowd: agreement at a distance
    def crowd(self, opener: str) -> None:
        """[the] cooks with the tall hats who know the farmer from the village sing ... ."""
        if opener in ("some", "every"):
            self.say(f"{opener}/DET")
        elif opener == "number":
            self.draw(w.NUMBERS)
        if self.happens("people adjective"):
            self.draw(w.PEOPLE_ADJECTIVES)
        plural = opener in ("some", "number")
        if opener == "the":
            plural = self.happens("people plural")
        self.draw(w.PEOPLE[plural])
        head = self.teller.position - 1
        between: set[bool] = set()  # the numbers of the nouns between the head and its verb
        after_noun = False
        parts = ("with", "place", "clause")
        passed: tuple[str, ...] = ()
        while (part := self.choose("crowd then", passed)) != "verb":
            passed = parts[: parts.index(part) + 1]
            if part == "with":
                self.say("with/ADP", "the/DET")
                if self.happens("clothes adjective"):
                    self.draw(w.CLOTHES_ADJECTIVES)
                number = self.happens("clothes plural")
                self.draw(w.CLOTHES[number])
                between.add(number)
            elif part == "place":
                between.add(self.location())
            else:
                after_noun = self.relative_clauses(plural, head, between)
        attracted = (not plural) in between
        self.crowd_verb(plural, head, "agreement, attracted" if attracted else "agreement", after_noun)

    def relative_clauses(self, plural: bool, head: int, between: set[bool]) -> bool:
        """Returns whether the last word is a thing that a compound could go on from."""
        relative = self.choose("relative")
        self.say(f"{relative}/PRON")
        after_noun = self.relative_clause(plural, head, between)
        if self.happens("clause again"):
            self.say("and/CCONJ", f"{relative}/PRON")
            after_noun = self.relative_clause(plural, head, between)
        return after_noun

    def relative_clause(self, plural: bool, head: int, between: set[bool]) -> bool:
        """[who] like the soup; [that] the cook knows. Returns whether it ends with a thing."""
        if self.choose("clause about") == "object":
            self.say("the/DET")
            inner_head, number = self.people_and_head()
            between.add(number)
            self.verb(w.CLAUSE_VERBS_OF_PEOPLE, number, inner_head)
            return False
        lemma = self.verb(w.CLAUSE_VERBS, plural, head)
        determiner = self.choose("clause object")
        self.say(f"{determiner}/DET")
        share = w.CLAUSE_FRAMES[lemma] if determiner == "the" else 0.0
        if self.teller.choose("clause object is", {"people": share, "thing": 1.0 - share}) == "people":
            between.add(self.people())
            return False
        between.add(self.thing("menu", determiner, lemma, compound=False))
        return True

    def crowd_verb(self, plural: bool, head: int, kind: str, after_noun: bool) -> None:
        """What a crowd does; `kind` and `after_noun` are for the probes."""
        does = self.choose("crowd does")
        if does == "be":
            self.be(plural, head, kind)
            if self.choose("be") == "state":
                self.draw(w.STATES)
            else:
                self.phrase(w.SIMILES)
        elif does == "modal":
            self.draw(w.MODALS[self.state.tense])
            self.base_verb()
        elif does == "have":
            self.verb(w.HAVE, plural, head, kind)
            self.light_object()
        else:
            lemma = self.verb(w.VERBS, plural, head, kind)
            if after_noun:
                self.teller.mark("tag: verb after noun")
            self.rest_of_verb(lemma)

    def rest_of_verb(self, lemma: str) -> None:
        """What follows a verb of the crowd: its object, if any, and an adjunct."""
        share, name = w.VERB_FRAMES[lemma]
        uses = {"yes": share, "no": 1.0 - share}
        has_object = self.teller.choose("with an object", uses) == "yes"
        if has_object:
            self.object(name, lemma)
        self.adjunct(edible=has_object and name == "food", adverb=not has_object)

    def base_verb(self) -> None:
        """The infinitive of any verb, with what belongs to it."""
        if self.choose("infinitive") == "can":
            self.say("can/VERB")
            self.object("fruit", "can")
            self.adjunct()
        else:
            self.rest_of_verb(self.draw(w.INFINITIVES.forms["base"]))

    def light_object(self) -> None:
        """[have] a rest before the guests sing"""
        self.say("a/DET")
        self.draw(w.LIGHT_NOUNS)
        self.adjunct()

    def event(self) -> None:
        """the plans of the cook from the village change / are late."""
        plural = self.happens("people plural")
        self.draw(w.EVENTS[plural])
        head = self.teller.position - 1
        self.say("of/ADP", "the/DET")
        attracted = self.people() != plural
        kind = "agreement, attracted" if attracted else "agreement"
        if self.choose("event then") == "be":
            self.be(plural, head, kind)
            self.draw(w.EVENT_STATES)
        else:
            self.verb(w.EVENT_VERBS, plural, head, kind)
            self.adjunct()

    # ------------------------------------------------------------ service and dishes
    def server_sentence(self) -> None:
        """the waiter brings Anna the plum soup; the waitress hands the menu to Mr Fish."""
        state = self.state
        if not state.server:
            state.server = self.teller.choose("server", {"waiter": 1.0, "waitress": 1.0})
        self.say(f"{state.server}/NOUN")
        self.verb(w.BRING, False)
        if self.choose("served") == "guest first":
            guest = self.mention("object", range(len(state.guests)))
            self.say("the/DET")
            if state.guests[guest].dish:
                self.dish(guest, "recall: dish of the guest")
            else:
                self.say("menu/NOUN")
            return
        self.say("the/DET")
        if not (owners := state.with_dish()):
            self.say("menu/NOUN", "to/ADP")
            self.mention("object", range(len(state.guests)))
            return
        guest = self.pick_guest(owners)
        self.dish(guest, "copy: any dish, first word")
        self.say("to/ADP")
        self.owner(guest)

    def owner(self, guest: int) -> None:
        """The first name of the guest whose dish was named."""
        self.say(f"{self.state.guests[guest].first}/PROPN")
        self.teller.mark("recall: guest of the dish")
        self.state.focus = guest

    def dish_sentence(self) -> None:
        """the plum soup of Anna is cold and stale."""
        guest = self.pick_guest(self.state.with_dish())
        self.dish(guest, "copy: any dish, first word")
        if self.happens("dish owner"):
            self.say("of/ADP")
            self.owner(guest)
        self.be(False)
        opinion = self.opinion()
        if self.happens("second opinion"):
            self.say("and/CCONJ")
            self.opinion([opinion])

    # ------------------------------------------------------------ what guests do
    def guest_sentence(self) -> None:
        """A guest, new or known, or two of them, and what they do."""
        state = self.state
        known = len(state.guests)
        is_new = known < 3 and self.happens(f"new guest, {known} known")
        plural = False
        if is_new:
            guest = self.new_guest()
            self.apposition()
        else:
            guest = self.mention("subject", range(known))
            if known > 1 and self.happens("pair"):
                self.say("and/CCONJ")
                self.mention("object", [i for i in range(known) if i != guest])
                plural = True
            state.focus = guest
        if self.happens("manner"):
            self.draw(w.MANNER)
        barred: tuple[str, ...] = ("order",) if state.guests[guest].dish else ("judge dish",)
        if plural:
            barred += ("order", "judge dish", "meet")
        elif len(state.guests) == 1:
            barred += ("meet",)
        if state.has_moved:
            barred += ("move",)
        does = self.choose("guest does", barred)
        getattr(self, "do_" + does.replace(" ", "_"))(guest, plural)

    def apposition(self) -> None:
        """( a farmer from Karnesk near the lake )"""
        mark = self.choose("apposition")
        if mark == "none":
            return
        self.say(f"{mark}/PUNCT", "a/DET")
        self.draw(w.ROLES)
        if self.happens("role from"):
            self.say("from/ADP")
            self.draw(w.VILLAGES)
        if self.happens("role near"):
            self.draw(w.BESIDE)
            self.place(w.LANDMARKS)
        self.say(")/PUNCT" if mark == "(" else ",/PUNCT")
        self.teller.mark("closing mark")

    def do_order(self, guest: int, plural: bool) -> None:
        """orders the plum soup and a glass of water: from now on the dish of this guest"""
        state = self.state
        self.verb(w.ORDER, plural)
        self.say("the/DET")
        taken = [g.dish[0] for g in state.guests if g.dish]
        first = self.draw(w.DISH_FIRST[state.kind], taken)
        last = self.draw(w.DISH_LAST[state.kind])
        state.guests[guest] = state.guests[guest]._replace(dish=(first, last))
        if self.happens("glass too"):
            self.say("and/CCONJ", "a/DET", "glass/NOUN", "of/ADP")
            self.draw(w.DRINKS[state.kind])

    def do_judge_dish(self, guest: int, plural: bool) -> None:
        """praises the plum soup, which this guest ordered"""
        self.verb(w.JUDGE_DISH, plural)
        self.say("the/DET")
        self.dish(guest, "recall: dish of the guest")

    def do_eat(self, guest: int, plural: bool) -> None:
        """eats the plums ... with cream: the verb decides what they go with"""
        lemma = self.verb(w.EAT, plural)
        self.fruit(w.COMPANIONS[lemma], w.TOOL_NOUNS)

    def do_cut(self, guest: int, plural: bool) -> None:
        """peels the plums ... with knives: the verb decides the tool"""
        lemma = self.verb(w.CUT, plural)
        self.fruit(w.TOOLS[lemma], w.COMPANION_NOUNS)

    def fruit(self, companions: Table, rivals: Collection[str]) -> None:
        """the plums that the cook bought from the garden near the lake with cream and honey."""
        verb = self.teller.position - 1
        determiner = self.choose("fruit")
        self.say(f"{determiner}/DET")
        self.draw(w.FRUIT[determiner])
        parts = ("that", "from", "beside", "with")
        passed: tuple[str, ...] = ()
        while (part := self.choose("fruit then", passed)) != "stop":
            passed = parts[: parts.index(part) + 1]
            if part == "that":
                self.say("that/PRON", "the/DET")
                head, plural = self.people_and_head()
                self.verb(w.DELIVER, plural, head)
            elif part == "from":
                self.say("from/ADP")
                self.place(w.SOURCES)
            elif part == "beside":
                self.draw(w.BESIDE)
                self.place(w.LANDMARKS)
            else:
                self.say("with/ADP")
                companion = self.draw(companions)
                self.teller.mark("companion", self.teller.position - 1 - verb, rivals)
                if self.happens("second companion"):
                    self.say("and/CCONJ")
                    self.draw(companions, [companion])
                return

    def do_say(self, guest: int, plural: bool) -> None:
        """says, “please drink the tea”: the marks match"""
        self.verb(w.SAY, plural)
        self.say(",/PUNCT")
        mark = self.choose("marks")
        self.say(f"{mark}/PUNCT")
        start = self.teller.position
        self.speech(plural)
        if self.happens("speech goes on"):
            self.say(",/PUNCT", "and/CCONJ")
            self.speech(plural)
        closing = {"“": "”", "«": "»"}
        self.say(f"{closing[mark]}/PUNCT")
        other = "»" if mark == "“" else "”"
        self.teller.mark("quote", self.teller.position - start, [other])

    def speech(self, plural: bool) -> None:
        """What is said between the marks, by one guest or two."""
        owners = self.state.with_dish()
        kind = self.choose("speech", () if owners else ("dish",))
        me = "we/PRON" if plural else "i/PRON"
        if kind == "formula":
            self.phrase(w.FORMULAS)
        elif kind == "want":
            self.say(me)
            self.draw(w.INTEND.forms["base"])
            self.say("to/PART")
            self.base_verb()
        elif kind == "can":
            self.say("can/AUX", me)
            self.base_verb()
        elif kind == "please":
            self.say("please/INTJ")
            self.base_verb()
        else:
            self.say("the/DET")
            self.dish(self.pick_guest(owners), "copy: any dish, first word")
            self.say("is/AUX")
            self.opinion()

    def do_intend(self, guest: int, plural: bool) -> None:
        """wants to cook the fish"""
        self.verb(w.INTEND, plural)
        self.say("to/PART")
        self.base_verb()

    def do_modal(self, guest: int, plural: bool) -> None:
        """will cook the fish"""
        self.draw(w.MODALS[self.state.tense])
        self.base_verb()

    def do_meet(self, guest: int, plural: bool) -> None:
        """meets another guest near the church"""
        self.verb(w.MEET, plural)
        self.mention("object", [i for i in range(len(self.state.guests)) if i != guest])
        self.adjunct()

    def do_believe(self, guest: int, plural: bool) -> None:
        """knows that cook (DET), knows that cooks sing, knows that the cooks sing (SCONJ)."""
        self.verb(w.BELIEVE, plural)
        self.say("that/SCONJ")
        that = self.teller.position - 1
        what = self.choose("believe that")
        if what == "that one":
            self.draw(w.PEOPLE[False])
            self.teller.retag(that, "DET")
        elif what == "plural":
            self.draw(w.PEOPLE[True])
            self.verb(w.INTRANSITIVE, True, self.teller.position - 1)
        else:
            self.say("the/DET")
            head, number = self.people_and_head()
            self.verb(w.INTRANSITIVE, number, head)
        self.adjunct()

    def person_moved(self, guest: int, plural: bool) -> None:
        """Whom somebody urges or takes: another guest, or people (always, when two guests do it)."""
        others = [] if plural else [i for i in range(len(self.state.guests)) if i != guest]
        if self.choose("urged", () if others else ("guest",)) == "guest":
            self.mention("object", others)
        else:
            self.say("the/DET")
            self.people()

    def do_urge(self, guest: int, plural: bool) -> None:
        """tells the cooks near the bar to work: PART and VERB, because of a verb far back."""
        self.verb(w.URGE, plural)
        verb = self.teller.position - 1
        self.person_moved(guest, plural)
        self.say("to/PART")
        self.draw(w.HELPS)
        self.teller.mark("tag: to, after urging", self.teller.position - 1 - verb)
        self.adjunct()

    def do_take(self, guest: int, plural: bool) -> None:
        """leads the cooks near the bar to work: ADP and NOUN, because of a verb far back."""
        self.verb(w.TAKE, plural)
        verb = self.teller.position - 1
        self.person_moved(guest, plural)
        self.say("to/ADP")
        self.draw(w.ERRANDS)
        self.teller.mark("tag: to, after taking", self.teller.position - 1 - verb)
        self.adjunct()

    def do_return(self, guest: int, plural: bool) -> None:
        """goes to lunch"""
        self.verb(w.RETURN, plural)
        self.say("to/ADP")
        self.draw(w.ERRANDS)
        self.adjunct()

    def do_reserve(self, guest: int, plural: bool) -> None:
        """books a table for ten"""
        self.verb(w.RESERVE, plural)
        self.say("a/DET", "table/NOUN", "for/ADP")
        self.draw(w.NUMBERS)
        self.adjunct()

    def do_have(self, guest: int, plural: bool) -> None:
        """has a rest"""
        self.verb(w.HAVE, plural)
        self.light_object()

    def do_move(self, guest: int, plural: bool) -> None:
        """The topic shifts: a new house, another kind, another town, and no opinion yet."""
        self.verb(w.MOVE, plural)
        self.say("to/ADP")
        self.new_house()
        self.state.mood = ""
        self.state.has_moved = True
