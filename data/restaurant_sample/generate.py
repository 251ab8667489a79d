"""Write train.txt and test.txt: questions to a restaurant guide, one sentence a line, lower case, no punctuation.

Templates with typed slots, written for this course. Fillers are drawn with Zipf-like weights (the r-th has weight 1/r),
so that many are rare and held-out sentences hold pairs of words that training never showed. Six sentences at the top
of train.txt are real: examples from the Berkeley Restaurant Project, as F. Silvestri's lecture quotes them.

Run it with: python generate.py
"""

import random
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
TRAIN, TEST, SEED = 900, 150, 9222

BERKELEY = """\
can you tell me about any good cantonese restaurants close by
mid priced thai food is what i'm looking for
tell me about chez panisse
can you give me a listing of the kinds of food that are available
i'm looking for a good place to eat breakfast
when is caffe venezia open during the day
""".splitlines()

# One type of filler a line, most frequent filler first.
FILLERS = """\
cuisine: chinese, italian, thai, mexican, indian, japanese, french, greek, vietnamese, korean, spanish, turkish, \
english, ethiopian, cantonese, german, lebanese, moroccan, brazilian, cuban, hungarian, polish
meal: lunch, dinner, breakfast, brunch, a late supper, a quick snack
dish: noodles, pizza, soup, ice cream, a salad, seafood, dumplings, a sandwich, curry, pancakes, a burrito, sushi, \
fresh bread, grilled fish, lamb, cheese cake, oysters, hot chocolate
sum: twenty, ten, fifteen, thirty, five, eight, forty, fifty, twelve, sixty
price: cheap, inexpensive, mid priced, expensive, not too expensive, very cheap
quality: good, nice, quiet, small, new, friendly, famous, romantic, lively
day: friday, saturday, sunday, monday, thursday, tuesday, wednesday
time: today, tonight, tomorrow, this evening, this weekend, after the movie, before noon, right now
near: near, close to, not far from, next to
place: the university, the station, my hotel, the harbour, the park, the market, the old theatre, the library, \
the town hall, the river, the museum, the stadium, the airport
name: the golden lotus, la luna, the blue door, casa verde, the corner table, little athens, the green pepper, \
chez marie, the copper pot, the silver spoon, bombay garden, the lighthouse, olive and thyme, the red lantern
people: two, four, three, six, five, ten, eight
with: my friends, my parents, a colleague, my children, my sister, some students, my neighbours
way: walk, drive, cycle
minutes: ten, five, fifteen, twenty, thirty
feature: a garden, live music, a terrace, a view, parking, vegetarian food, a bar, high chairs, free coffee
""".splitlines()
FILLERS = {kind: words.split(", ") for kind, words in (line.split(": ") for line in FILLERS)}

# Most frequent first.
TEMPLATES = """\
i want to eat {cuisine} food
i want to eat {cuisine} food {near} {place}
i want {dish} for {meal}
i want to spend {sum} dollars on {meal}
i want to spend less than {sum} dollars
i'd like to eat {meal} {near} {place}
i'd like to go to a {cuisine} restaurant {time}
tell me about {name}
tell me more about {name}
is {name} open on {day}
is {name} open for {meal} on {day}
how much do i spend on {meal} at {name}
where can i eat {dish} {near} {place}
where can i find {price} {cuisine} food
show me {cuisine} restaurants {near} {place}
i'm looking for a {quality} place to eat {meal}
i'm looking for a {quality} {cuisine} restaurant
i don't want to spend more than {sum} dollars on {meal}
i don't want to {way} more than {minutes} minutes
i want a {quality} place for {meal} with {with}
do you know a {quality} place to eat {dish}
can you give me a list of {cuisine} restaurants
can you tell me about {price} places {near} {place}
is there a {cuisine} restaurant {near} {place}
i want to have {meal} with {with} on {day}
i want a table for {people} on {day}
can i get a table for {people} at {name} {time}
i like {cuisine} food and {cuisine} food
which {cuisine} restaurant has {feature}
does {name} have {feature}
does {name} serve {dish} on {day}
what kind of food does {name} serve
we want to eat {dish} {time}
we are {people} people and want {price} food
how far is {name} from {place}
how long does it take to {way} from {place} to {name}
i would like some {cuisine} food now
let's go to {name} for {meal}
i have {sum} dollars to spend {time}
lunch should cost less than {sum} dollars
where do people go to eat {dish} on {day}
when does {name} close on {day}
not {cuisine} food please something else
start over please
""".splitlines()


def zipf(items, rng, exponent=1.0):
    """One of the items; the r-th (from 1) has weight 1 / r ** exponent."""
    return rng.choices(items, [rank**-exponent for rank in range(1, len(items) + 1)])[0]


def sentence(rng):
    """One sentence; no filler stands in it twice."""
    while True:
        template = zipf(TEMPLATES, rng, 0.4)
        fillers = [zipf(FILLERS[kind], rng) for kind in re.findall(r"{(\w+)}", template)]
        if len(set(fillers)) == len(fillers):
            break
    text = re.sub(r"{\w+}", "{}", template).format(*fillers)
    return re.sub(r"\ba (?=[aeiou])", "an ", text)


def main():
    rng = random.Random(SEED)
    test = set()
    while len(test) < TEST:
        test.add(sentence(rng))
    train = list(BERKELEY)
    while len(train) < TRAIN:
        candidate = sentence(rng)
        if candidate not in test:
            train.append(candidate)
    for split, lines in (("train", train), ("test", sorted(test))):
        (FOLDER / f"{split}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
