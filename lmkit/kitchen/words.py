"""Every word of the kitchen language, in tables. Tables that compete at one place share no word."""

import itertools
import random

from lmkit.kitchen.tables import PhraseBook, Table, VerbTable, listed, plural, zipf

# ---------------------------------------------------------------- names
# All in lower case, so that many are also common words: a tagger has to look at the neighbours.
WOMEN = listed(
    "olive anna hope maria ginger clara sage nora ida lena olga vera rosa julia emma greta helen "
    "irene judith karin laura marta nina paula ruth sara tilda ursula wilma yvonne zoe alma"
)
MEN = listed(
    "basil adam will boris bill carl cliff david emil felix georg hugo ivan jakob konrad leo martin "
    "niels otto paul quentin robert simon tomas ulrich victor walter anton bruno caspar dennis edgar"
)
SURNAMES_THAT_ARE_WORDS = listed(
    "cook baker rice guard young fish farmer rich gardener butcher church painter judge park sailor "
    "garden hall bridge nurse strange singer lamb gate driver small clerk miner field barber banker "
    "mill lake dancer tower lemon oliver forest dry loud coffee"
)
SURNAME_STEMS = listed("bram kel ost hart lind mor stein wald berg falk")
TOWN_STEMS = listed("eld ash wind stone mill oak west north king bridge")

FIRST_NAMES = zipf([name for pair in zip(WOMEN, MEN, strict=True) for name in pair], "PROPN", 0.5)
SURNAMES = zipf(
    [
        name
        for pair in zip(
            SURNAMES_THAT_ARE_WORDS,
            [a + b for a in SURNAME_STEMS for b in ("ler", "man", "sen", "wick")],
            strict=True,
        )
        for name in pair
    ],
    "PROPN",
    0.5,
)
TOWNS = zipf([a + b for a in TOWN_STEMS for b in ("ford", "ham", "ton", "mere")], "PROPN", 0.6)
# None of these is in PEOPLE_ADJECTIVES: "the warm" begins a name, "the old" a person.
HOUSE_ADJECTIVES = zipf(
    listed(
        "golden warm white silver open sweet red sunny happy blue copper royal cool merry lucky green "
        "sleepy crooked wild brave"
    ),
    "PROPN",
)
HOUSE_NOUNS = zipf(
    listed(
        "plate pear kettle garden goose lemon spoon salmon bridge duck fork basket lobster gate onion "
        "apron fox tower lamb star"
    ),
    "PROPN",
)
HOUSE_KINDS = listed("bakery grill cafe tavern teahouse diner bistro canteen")
KINDS = zipf(HOUSE_KINDS, "NOUN", 0.5)


def _coined(onsets: str, vowels: str, endings: str, size: int, key: str) -> list[str]:
    """`size` different words made of syllables, in an order fixed by `key`."""
    middles = listed("r l n m v rd lt")
    made = ["".join(parts) for parts in itertools.product(onsets.split(), vowels, middles, endings.split())]
    random.Random(key).shuffle(made)
    return made[:size]


# The open classes: a Zipf tail that no training text exhausts, yet with known probabilities.
VILLAGES = zipf(
    _coined("b d g k p t v z", "aeou", "avia esk ona ovar umi", 900, "v"),
    "PROPN",
    1.15,
)
SPICES = zipf(_coined("b d f j k s t z", "aiou", "ani esh ira oka undi", 900, "s"), "NOUN", 1.15)

# ---------------------------------------------------------------- people and places
PEOPLE_NOUNS = listed(
    "cook guard guest host judge nurse guide chef farmer baker sailor painter teacher driver lawyer "
    "student tourist singer banker dancer gardener butcher neighbour cousin doctor writer builder "
    "barber clerk pilot miner child woman man boy girl manager"
)
PEOPLE = {
    False: zipf(PEOPLE_NOUNS, "NOUN"),
    True: zipf([plural(noun) for noun in PEOPLE_NOUNS], "NOUN"),
}
_NO_ROLES = listed("guest host child woman man boy girl")
ROLES = zipf([noun for noun in PEOPLE_NOUNS if noun not in _NO_ROLES], "NOUN")
PEOPLE_ADJECTIVES = zipf(
    listed(
        "old young late tall early tired busy hungry kind clever famous local strange quiet cheerful "
        "nervous rude patient loud shy rich poor proud gentle angry polite"
    ),
    "ADJ",
)
STATES = zipf(
    listed(
        "late busy early tired hungry ready happy angry proud nervous quiet asleep awake alone cheerful "
        "patient polite sick famous hopeful"
    ),
    "ADJ",
)
CLOTHES = {
    False: zipf(listed("hat apron coat scarf book bag umbrella dog guitar basket plate"), "NOUN"),
    True: zipf(listed("hats aprons coats books bags plates dogs gloves umbrellas baskets"), "NOUN"),
}
CLOTHES_ADJECTIVES = zipf(listed("dry clean white tall red blue long dirty old small"), "ADJ")
PLACE_ADJECTIVES = zipf(
    listed("open warm clean empty cool dry old small busy quiet famous local dark narrow sunny"),
    "ADJ",
)


def _places(nouns: str) -> dict[bool, Table]:
    singular = nouns.split()
    return {
        False: zipf(singular, "NOUN"),
        True: zipf([plural(noun) for noun in singular], "NOUN"),
    }


LANDMARKS = _places(
    "door window stove counter garden church river bridge hall tower station hotel market square "
    "cellar terrace harbour school corner gate fountain library museum theatre park mill lake"
)
ORIGINS = _places("village farm harbour market hotel school office island valley bank theatre ship")
SOURCES = _places("garden market orchard farm shop valley field village cellar forest")
SEATS = _places("bar table window counter door stove fire piano gate")
PEOPLE_PREPOSITIONS = zipf(listed("from near at behind beside"), "ADP", 0.6)
PLACES_AFTER = {
    "from": ORIGINS,
    "at": SEATS,
    "near": LANDMARKS,
    "behind": LANDMARKS,
    "beside": LANDMARKS,
}
BESIDE = zipf(listed("near behind beside"), "ADP", 0.5)
OUTSIDE = zipf(listed("near behind beside outside"), "ADP", 0.5)

# ---------------------------------------------------------------- food
DISH_FIRST_WORDS = listed(
    "plum leek pear fig apple cherry peach lemon carrot onion garlic potato tomato bean pea lentil "
    "mushroom pumpkin spinach cabbage beet radish turnip cucumber celery fennel corn barley oat "
    "walnut almond hazelnut chestnut egg salmon trout cod herring tuna shrimp crab lobster oyster "
    "mussel squid chicken duck goose turkey lamb pork beef ham bacon sausage rabbit venison noodle "
    "chili ginger mint basil thyme sage parsley vanilla chocolate caramel coconut mango melon grape "
    "banana pineapple lime strawberry raspberry apricot quince olive caper mustard"
)
DISH_LAST_WORDS = listed(
    "roast stew toast soup pie tart cake bread roll salad sandwich curry omelette pancake pudding pasta risotto "
    "broth casserole porridge muffin biscuit skewer platter burger chowder crumble sorbet gratin "
    "ragout"
)
DISH_FIRST = {kind: zipf(DISH_FIRST_WORDS, "NOUN", 1.0, 1.5, f"first {kind}") for kind in HOUSE_KINDS}
DISH_LAST = {kind: zipf(DISH_LAST_WORDS, "NOUN", 1.2, 1.5, f"last {kind}") for kind in HOUSE_KINDS}
FRUIT_A = listed(
    "strawberry plum pear fig cherry peach lemon tomato mushroom radish carrot turnip melon lime banana mango beet"
)
FRUIT_AN = listed("apple onion apricot orange olive")
FRUIT_PLURAL = zipf([plural(noun) for noun in FRUIT_A[:9] + FRUIT_AN + FRUIT_A[9:]], "NOUN")
FRUIT = {"a": zipf(FRUIT_A, "NOUN"), "an": zipf(FRUIT_AN, "NOUN")}
FRUIT |= dict.fromkeys(("the", "some", "those"), FRUIT_PLURAL)
DRINKS = {
    kind: zipf(
        listed("tea coffee water juice wine beer milk cider lemonade cocoa"),
        "NOUN",
        1.0,
        1.5,
        f"drink {kind}",
    )
    for kind in HOUSE_KINDS
}
FOOD_ADJECTIVES = {
    kind: zipf(
        listed("warm dry cool hot sweet salted smoked roasted spiced buttered sour ripe large small thin thick plain"),
        "ADJ",
        1.0,
        1.5,
        f"adjective {kind}",
    )
    for kind in HOUSE_KINDS
}
PRAISE_WORDS = listed(
    "fresh crisp tasty perfect lovely splendid delicious tender fragrant superb juicy light wonderful balanced fine"
)
BLAME_WORDS = listed("cold bland burnt stale soggy greasy awful dull bitter tough watery dry horrible lukewarm raw")
MOODS = {"good": PRAISE_WORDS, "bad": BLAME_WORDS}
OPINIONS = {
    (mood, kind): zipf(opinions, "ADJ", 1.0, 1.5, f"{mood} {kind}")
    for mood, opinions in MOODS.items()
    for kind in HOUSE_KINDS
}

# ---------------------------------------------------------------- verbs of guests (VP = verb table)
ORDER = VerbTable(listed("order choose request"))
JUDGE_DISH = VerbTable(listed("praise finish dislike admire"))
EAT = VerbTable(listed("taste eat sample enjoy devour nibble"))
CUT = VerbTable(listed("slice pick cut peel chop"))
SAY = VerbTable(listed("answer say whisper shout reply ask"))
INTEND = VerbTable(listed("plan hope need want try"))
MEET = VerbTable(listed("meet greet thank join"))
BELIEVE = VerbTable(listed("know hear believe remember"))
URGE = VerbTable(listed("tell help persuade teach expect"))
TAKE = VerbTable(listed("take drive lead send follow"))
RETURN = VerbTable(listed("return come go"))
RESERVE = VerbTable(listed("book reserve"))
MOVE = VerbTable(listed("move hurry"))
HAVE = VerbTable(["have"])
VISIT = VerbTable(listed("visit find enter"))
BRING = VerbTable(listed("bring serve hand offer"))
CLOSE = {
    "good": VerbTable(listed("love praise miss")),
    "bad": VerbTable(listed("leave hate avoid")),
}
DELIVER = VerbTable(listed("bring pick buy carry order"))
COMPANION_NOUNS = listed("cream sugar honey yoghurt jam custard syrup salt butter cheese nuts cinnamon oil")
COMPANIONS = {v: zipf(COMPANION_NOUNS, "NOUN", 1.0, 1.5, f"with {v}") for v in EAT.lemmas}
TOOLS = {
    "pick": zipf(listed("clippers gloves baskets ladders tongs shears"), "NOUN"),
    "cut": zipf(listed("scissors knives shears clippers blades"), "NOUN"),
    "peel": zipf(listed("peelers knives blades gloves"), "NOUN"),
    "slice": zipf(listed("knives slicers blades wires"), "NOUN"),
    "chop": zipf(listed("cleavers knives axes blades"), "NOUN"),
}
TOOL_NOUNS = tuple(dict.fromkeys(tool for table in TOOLS.values() for tool in table.words))

# ---------------------------------------------------------------- verbs of everyone else
# lemma: (share of uses with an object, class of that object), commonest first
VERB_FRAMES = {
    "drink": (0.15, "liquid"),
    "order": (0.4, "menu"),
    "like": (1.0, "menu"),
    "cook": (0.4, "food"),
    "dance": (0.0, ""),
    "rest": (0.0, ""),
    "share": (1.0, "menu"),
    "plan": (1.0, "meal"),
    "work": (0.0, ""),
    "guard": (1.0, "door"),
    "talk": (0.0, ""),
    "walk": (0.0, ""),
    "want": (1.0, "menu"),
    "smoke": (0.3, "food"),
    "host": (1.0, "meal"),
    "judge": (1.0, "food"),
    "roast": (1.0, "food"),
    "clean": (1.0, "ware"),
    "open": (1.0, "door"),
    "need": (1.0, "menu"),
    "dry": (1.0, "ware"),
    "plate": (1.0, "food"),
    "nurse": (1.0, "liquid"),
    "water": (1.0, "plant"),
    "warm": (1.0, "food"),
    "spice": (1.0, "food"),
    "toast": (1.0, "bread"),
    "butter": (1.0, "bread"),
    "cool": (1.0, "liquid"),
    "empty": (1.0, "ware"),
    "stew": (1.0, "food"),
    "salt": (1.0, "food"),
    "book": (1.0, "table"),
    "fish": (0.0, ""),
    "sample": (1.0, "food"),
    "stock": (1.0, "shelf"),
    "oil": (1.0, "ware"),
    "increase": (1.0, "order"),
    "sing": (0.0, ""),
    "wait": (0.0, ""),
    "bring": (1.0, "menu"),
    "sleep": (0.0, ""),
    "prepare": (1.0, "food"),
}
VERBS = VerbTable(list(VERB_FRAMES), 0.55)
INFINITIVES = VerbTable([v for v in VERB_FRAMES if v not in ("like", "want", "need")], 0.55)
INTRANSITIVE = VerbTable(listed("drink order rest dance cook work walk talk smoke sing wait leave sleep"), 0.4)
# lemma: share of objects that are people
CLAUSE_FRAMES = {
    "like": 0.25,
    "know": 0.8,
    "want": 0.15,
    "order": 0.0,
    "bring": 0.3,
    "share": 0.0,
    "need": 0.3,
    "praise": 0.5,
    "prepare": 0.0,
    "remember": 0.6,
    "taste": 0.0,
    "hate": 0.4,
    "buy": 0.0,
}
CLAUSE_VERBS = VerbTable(list(CLAUSE_FRAMES), 0.5)
CLAUSE_VERBS_OF_PEOPLE = VerbTable(listed("know like remember need praise hate join"))
EVENT_VERBS = VerbTable(listed("increase change stop begin end grow"), 0.5)
EVENT_STATES = zipf(listed("late early simple strange ready famous small new perfect secret"), "ADJ")

# ---------------------------------------------------------------- things
# class: (words that stand alone in the singular, plurals); commonest first
_THINGS = {
    "food": (
        "fish soup meat rice roast sauce bread stock toast cheese fruit",
        "dishes roasts beans",
    ),
    "liquid": ("tea coffee water drink wine beer milk cider stock", "drinks beers wines"),
    "menu": (
        "fish lunch soup tea dinner meat rice coffee bread drink order cheese fruit roast toast dish spice cake",
        "orders drinks dishes spices cans samples plates",
    ),
    "bread": ("bread toast cake", "rolls"),
    "plant": ("garden yard terrace", "plants flowers herbs roses"),
    "ware": ("plate pan can dish glass pot", "plates pans dishes cans glasses knives pots"),
    "door": ("door window gate book", "doors windows gates cans books"),
    "table": ("table room hall", "tables rooms"),
    "meal": ("dinner lunch breakfast feast", "dinners lunches"),
    "order": ("order price share stock", "orders prices shares"),
    "shelf": ("shelf cellar kitchen", "shelves"),
    "fruit": ("fruit", "plums tomatoes cherries pears peaches beans"),
}
THINGS: dict[tuple[str, str], Table] = {}
for _name, (_singular, _plural) in _THINGS.items():
    _alone, _many = _singular.split(), _plural.split()
    _mixed = [word for pair in itertools.zip_longest(_alone, _many) for word in pair if word is not None]
    THINGS[_name, "the"] = zipf(_mixed, "NOUN")
    THINGS[_name, "that"] = zipf(_alone, "NOUN")
    THINGS[_name, "those"] = zipf(_many, "NOUN")
PLURAL_THINGS = frozenset(word for _, many in _THINGS.values() for word in many.split())
EDIBLE = frozenset(("food", "liquid", "menu", "bread"))
# noun + noun: what may follow a food, a drink or a meal
_COMPOUND_TAILS = {
    "food": "order dish plate cook roast stock sample spice can",
    "drink": "order dance drink sample cook can",
    "meal": "order dance drink talk walk plan rest work",
}
COMPOUND_TAILS: dict[tuple[str, str], Table] = {}
for _name, _tails in _COMPOUND_TAILS.items():
    _alone, _many = _tails.split(), [plural(noun) for noun in _tails.split()]
    _many = [noun for noun in _many if noun not in ("stocks", "rests", "works")]
    _mixed = [word for pair in itertools.zip_longest(_alone, _many) for word in pair if word is not None]
    COMPOUND_TAILS[_name, "the"] = zipf(_mixed, "NOUN", 0.5)
    COMPOUND_TAILS[_name, "that"] = zipf(_alone, "NOUN", 0.5)
    COMPOUND_TAILS[_name, "those"] = zipf(_many, "NOUN", 0.5)
COMPOUND_HEADS = dict.fromkeys(listed("fish soup meat rice bread cheese fruit"), "food")
COMPOUND_HEADS |= dict.fromkeys(listed("tea coffee wine beer"), "drink")
COMPOUND_HEADS |= dict.fromkeys(listed("lunch dinner breakfast"), "meal")
EVENT_NOUNS = listed("visit order plan taste offer answer request hope talk praise need dance drink whisper")
EVENTS = {
    False: zipf(EVENT_NOUNS, "NOUN", 0.6),
    True: zipf([plural(n) for n in EVENT_NOUNS if n not in ("praise",)], "NOUN", 0.6),
}
LIGHT_NOUNS = zipf(listed("drink rest walk plan talk smoke taste need dance slice cut"), "NOUN", 0.6)
ERRANDS = zipf(listed("work lunch dinner drink dance rest"), "NOUN", 0.5)
HELPS = zipf(listed("work dance rest drink cook walk order talk"), "VERB", 0.5)

# ---------------------------------------------------------------- small words
NUMBERS = zipf(listed("two three four five six seven eight nine ten twelve"), "NUM")
WEATHER = zipf(listed("rainy sunny cold warm windy foggy snowy quiet grey bright stormy cloudy"), "ADJ")
DAYPARTS = zipf(listed("morning evening afternoon night day"), "NOUN")
HOURS = zipf(listed("noon midnight lunch dinner breakfast"), "NOUN")
MANNER = zipf(listed("often always usually slowly quickly quietly happily gladly politely proudly"), "ADV")
LATE_ADVERBS = zipf(listed("late early again together slowly fast alone"), "ADV")
MODALS = {
    "past": zipf(listed("could would must"), "AUX"),
    "present": zipf(listed("can will must"), "AUX"),
}
TIME_WORDS = zipf(listed("before after"), "ADP", 0.4)
CONTAINERS = zipf(listed("can glass cup taste bottle sample"), "NOUN")

# ---------------------------------------------------------------- fixed phrases
_TAGS = {
    "ADP": "at in on by for from of like out under to with over as near",
    "DET": "the a an all every this what some no",
    "ADJ": "long cold steep old dark high busy first last lovely best good kind other same quiet",
    "PRON": "you us me it i we",
    "VERB": "thank bring show come wait see pay bring stay said",
    "AUX": "is was could would may",
    "ADV": "again very much then now so",
    "CCONJ": "and",
    "INTJ": "please",
    "NUM": "one",
}
_TAG_OF = {word: tag for tag, words in _TAGS.items() for word in words.split()}


def _phrase_book(text: str, exponent: float) -> PhraseBook:
    """One phrase per line; a word's tag is written after a slash, taken from _TAGS, or NOUN."""
    phrases = [
        " ".join(w if "/" in w else f"{w}/{_TAG_OF.get(w, 'NOUN')}" for w in line.split())
        for line in text.strip().splitlines()
    ]
    return PhraseBook({p: (rank + 4) ** -exponent for rank, p in enumerate(phrases)})


ADJUNCTS = _phrase_book(
    """
    in the middle of the night
    at the end of the evening
    at the end of a long day
    by the light of the moon
    at the top of the stairs
    in the kitchen
    at the back of a long queue
    in the heat of the moment
    at the foot of the hill
    by the side of the road
    in the corner of the room
    on the edge of the wood
    to the sound of the bells
    by the side of a long river
    in the middle of a cold night
    for the first time in years
    in the garden
    at the start of the week
    in the shade of the trees
    at the top of a high tower
    on the other side of the street
    in the corner of a dark cellar
    from the start of the day
    at the foot of a steep hill
    on the edge of a dark lake
    in the shade of an old oak
    from the bottom of the heart
    at the start of a busy month
    at the back of the house
    like a fish out of water
        for the sake of the children
    from time to time
    in the yard
    at the mouth of the river
    on the first day of the year
    on the last day of the month
    for the benefit of the poor
    for the rest of the family
    in the light of the candles
    at the other end of the town
    on the steps of the church
    like a bird in a cage
    like a king in a castle
    to the end of the song
    to the rhythm of the drums
    under the eyes of the owner
    under the roof of an old barn
    in the hall
    by the sound of it
    out of the goodness of the heart
    over a cup of strong/ADJ coffee
    over a glass of red/ADJ wine
    """,
    0.6,
)
SIMILES = _phrase_book(
    """
    as/ADV busy/ADJ as a bee
    as/ADV hungry/ADJ as a wolf
    as/ADV quiet/ADJ as a mouse
    as/ADV cool/ADJ as a cucumber
    as/ADV proud/ADJ as a peacock
    as/ADV happy/ADJ as a lark
    as/ADV free/ADJ as a bird
    as/ADV old/ADJ as the hills
    as/ADV fresh/ADJ as a daisy
    as/ADV fit/ADJ as a fiddle
    as/ADV good/ADJ as gold
    as/ADV sick/ADJ as a dog
    as/ADV strong/ADJ as an ox
    as/ADV sharp/ADJ as a knife
    as/ADV poor/ADJ as a church mouse
    """,
    0.5,
)
FORMULAS = _phrase_book(
    """
    thank you very much for the lovely evening
    what a lovely place this/PRON is
    what a long day this/PRON was
    could you bring us the bill
    could you show us the garden
    thank you very much for the good wine
    it was very kind of you to/PART wait
    it was very good of you to/PART come
    this/PRON is the best table in the house
    this/PRON is the best night of the year
    how/ADV about/ADP a table by the window
    how/ADV about/ADP a walk by the river
    how/ADV about/ADP a song by the fire
    could you bring me the menu
    what a quiet corner this/PRON is
    """,
    0.5,
)
