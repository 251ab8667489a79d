# %% [markdown]
# ## 6. Your machine writes
#
# Your machine has spoken already, with one word of memory. It left the drawing to Python's `random`. Now it gets more memory, dice of your own, and a knob on the
# dice.
#
# What is the knob for? If the machine always takes the likeliest word, the text is dull, and soon it repeats itself. If it draws exactly by the
# probabilities, rare words come up now and then, and the text can go astray. The knob leads from the one to the other and beyond. It is called the
# **temperature** $\tau$:
#
# - near $\tau = 0$, the machine takes the likeliest word nearly always;
# - at $\tau = 1$, it draws by the probabilities as they are;
# - far above 1, all words that ever came after this context become almost equally likely.
#
# To get there, we raise every probability to the power $1/\tau$. Then we divide by the sum, so that the results sum to 1 again:
#
# $$P_\tau(w) = \frac{P(w)^{1/\tau}}{\sum_{v} P(v)^{1/\tau}}.$$
#
# For example, let one word have 0.8 and another one 0.2. At $\tau = 0.5$ the power is $1/0.5 = 2$, so we get $0.8^2 = 0.64$ and $0.2^2 = 0.04$. Their sum is
# $0.68$. After the division the two words have $0.94$ and $0.06$, so the likelier word has won even more. At $\tau = 2$ they have $0.67$ and $0.33$, so they have
# come closer to each other.

# %% [markdown] statement="temperature"
# ### Dice with a temperature
#
# Write
#
# - `temper(distribution, temperature)`: the dictionary `{word: probability}` at a temperature above 0;
# - `sample(distribution, dart)`: one word, drawn by its probability. Your only source of chance is `dart`: each call `dart()` returns a random
#   number from 0 up to, but not including, 1.
#
# Think of a stick of length 1 that is cut into pieces, one for each word and as long as its probability. The dart hits the stick somewhere. In the next task,
# your own machine will throw these darts and talk.

# %% [markdown] hints="temperature"
# 1. Try it on paper with the probabilities 0.9 and 0.1 and the temperature 0.5. What is $1/\tau$, and what do you divide by?
# 2. The dart decides by running totals: the first word whose piece ends beyond the dart is hit. What about a word of length 0?
# 3. At a very low temperature, $P^{1/\tau}$ is too small for a computer, for all words at once, and you would divide 0 by 0. What happens to
#    the formula if you first divide all probabilities by the largest one?


# %% task="temperature" points=4 level=2 minutes=18
def temper(distribution, temperature):
    """{word: probability} at a temperature above 0, however close to 0; a word of probability 0 keeps it."""
    ### BEGIN SOLUTION
    largest = max(distribution.values())
    raised = {
        word: (p / largest) ** (1 / temperature) for word, p in distribution.items()
    }
    total = sum(raised.values())
    return {word: weight / total for word, weight in raised.items()}
    ### END SOLUTION


def sample(distribution, dart):
    """One word, drawn by its probability with uniform numbers dart() in [0, 1).

    A word of probability 0 is never drawn; some word always is, even where rounding leaves the sum a little below 1.
    """
    ### BEGIN SOLUTION
    hit, end = dart(), 0.0
    for word, probability in distribution.items():
        end += probability
        if hit < end:
            return word
    return max(distribution, key=distribution.get)
    ### END SOLUTION


# %% test="temperature" aspect="ratios become powers" points=1
_got = temper({"a": 0.8, "b": 0.2}, 0.5)
assert hasattr(_got, "keys"), (
    f"Return a dict word -> probability; yours returned {_got!r}."
)
assert close(sum(_got.values()), 1), (
    f"The probabilities sum to {sum(_got.values()):.3f}."
)
assert close(_got["a"], 16 * _got["b"]), (
    f"a is 4 times as likely as b; at temperature 0.5 the exponent is 2, so 16 times. Yours: {dict(_got)}."
)
### BEGIN HIDDEN TESTS
_row = made(
    lambda rng, shares: dict(zip("abcdefghijkl", shares, strict=False)),
    shares(size("words", large=12)),
)
agrees(temper, ours.temper, _row, number(0.2, 5, (1.0, 0.5, 30.0, 1e3)), rtol=1e-5)
### END HIDDEN TESTS

# %% test="temperature" aspect="nearly frozen" points=1
_got = temper({"a": 0.6, "b": 0.4}, 0.001)
assert hasattr(_got, "keys"), (
    f"Return a dict word -> probability; yours returned {_got!r}."
)
assert close(_got["a"], 1) and close(_got["b"], 0), (
    f"At temperature 0.001 nearly all of the probability is on the likeliest word; yours: {dict(_got)}."
)
### BEGIN HIDDEN TESTS
agrees(
    temper,
    ours.temper,
    choice(
        {"a": 0.3, "b": 0.7},
        {"a": 0.4995, "b": 0.5005},
        {"a": 0.5, "b": 0.5},
        {"a": 1e-9, "b": 1 - 1e-9},
        dict.fromkeys("abcd", 0.25),
    ),
    number(0.0004, 0.01, (1e-6,)),
    atol=1e-9,
)
### END HIDDEN TESTS

# %% test="temperature" aspect="draws by probability" points=1
_dart = random.Random(3).random
_words = [sample({"rare": 0.25, "common": 0.75}, _dart) for _ in range(80)]
_share = sum(word == "common" for word in _words) / 80
assert set(_words) <= {"rare", "common"}, (
    f"sample must return a word; yours returned {_words[0]!r}."
)
assert abs(_share - 0.75) < 0.15, (
    f"A word with probability .75 was drawn in {_share:.2f} of cases."
)
### BEGIN HIDDEN TESTS
_few = {"a": 0.3, "b": 0.25, "c": 0.25, "d": 0.19, "e": 0.01}
_many = {"often": 0.1} | {f"rare{i}": 0.0045 for i in range(200)}
spreads_like(sample, ours.sample, _few, random.random, of=str, samples=700)
spreads_like(
    sample, ours.sample, _many, random.random, of=lambda word: word[:5], samples=150
)
_word = sample({f"word{i}": 0.0005 for i in range(2000)}, random.random)
assert isinstance(_word, str), (
    f"Of 2000 words, all of probability .0005, one is drawn, not {_word!r}."
)
### END HIDDEN TESTS

# %% test="temperature" aspect="all chance comes from the dart" points=1
_coin = {"heads": 0.5, "tails": 0.5}
_dart = random.Random(8).random
_first = [sample(_coin, _dart) for _ in range(30)]
_dart = random.Random(8).random
_again = [sample(_coin, _dart) for _ in range(30)]
assert _first == _again, (
    "The same numbers from dart() gave different words: use no other chance."
)
assert len(set(_first)) == 2, f"30 throws of a fair coin gave only {_first[0]!r}."
### BEGIN HIDDEN TESTS
_old, _seed = {"a": 0.4, "b": 0.25, "c": 0.35}, random.random()
_darts = [random.Random(_seed).random for _ in range(2)]
_first, _again = ([sample(dict(_old), dart) for _ in range(30)] for dart in _darts)
assert all(isinstance(word, str) for word in _first), (
    f"Return a word, not {_first[0]!r}."
)
assert _first == _again, (
    "The same numbers from dart() gave different words: use no other chance."
)
assert len(set(_first)) > 1, f"30 darts all hit the same of three words: {_first[0]!r}."
for _old in ({"never": 0.0, "a": 0.5, "b": 0.5}, {"a": 0.5, "never": 0.0, "b": 0.5}):
    for _edge in (0.0, 0.5):
        _throws = iter([_edge, 0.7, 0.3])  # who throws again draws what never comes
        _word = sample(dict(_old), lambda throws=_throws: next(throws, random.random()))
        assert isinstance(_word, str) and _word in set("ab"), (
            f"A dart of exactly {_edge} drew {_word!r} from {_old}."
        )
_old = dict.fromkeys("abcdefghij", 0.1)  # the sum is rounded to a little less than 1
_never = {"no": 0.0}
for _all in (_old, _old | _never, _never | _old, _old | _never | {"nor": 0.0}):
    for _edge in (1 - 2**-53, 0.0):
        # Whoever throws again for each word misses every tenth that begins at 0.
        _throws = iter([_edge, *(random.uniform(0.1, 1) for _ in range(20))])
        _word = sample(dict(_all), lambda throws=_throws: next(throws, random.random()))
        assert isinstance(_word, str) and _word in _old, (
            f"Rounding leaves the sum a little below 1: the dart {_edge!r} still hits "
            f"a word, and none of probability 0; not {_word!r}."
        )
### END HIDDEN TESTS

# %% [markdown] statement="writing"
# ### The machine itself
#
# Now put the machine together. It has a list of tables. `tables[0]` knows how frequent each word is, `tables[1]` what comes after one word, `tables[2]` what
# comes after two words, and so on. Suppose that it has three tables, and that its text so far ends with *the green*. It looks up *the green* in `tables[2]`.
# If there is a row for these two words, it draws the next word from it. If there is none, it drops the older word and looks up *green* in `tables[1]`. And if
# that fails, too, it draws from `tables[0]`, which has only one row. This is called **backing off**.
#
# Write `write(tables, start, words, draw)`, which lets the machine go on from `start`. How a word is drawn is somebody else's business: `draw(row)` gives you
# one. Below the checks this will be your own dice, and your machine will speak.

# %% [markdown] hints="writing"
# 1. Play machine with paper: tables for memory 0 and 1, the start `["tea"]`. Which row do you look up first? And after the next word?
# 2. The context of length $n$ is a tuple of the last $n$ words. At the beginning of a sentence there are no words yet, so `<s>` stands in their places.
# 3. Go through the lengths from the longest to 0 and stop at the first context that is in its table. The empty context `()` always is.


# %% task="writing" points=4 level=2 minutes=20
def write(tables, start, words, draw):
    """The words of the list `start` and at most `words` new ones, in a list; `</s>` ends it and is not written.

    tables[n] maps contexts, tuples of n words with `<s>` in the places before the first word, to rows
    {word: probability}. Each new word is draw(row), with the row of the longest context that its table knows.
    """
    ### BEGIN SOLUTION
    text = list(start)
    for _ in range(words):
        past = ["<s>"] * len(tables) + text
        for n in reversed(range(len(tables))):
            context = tuple(past[len(past) - n :])
            if context in tables[n]:
                break
        word = draw(tables[n][context])
        if word == "</s>":
            break
        text.append(word)
    return text
    ### END SOLUTION


# %% test="writing" aspect="each word follows the last ones" points=1
_tables = [
    {(): {"tea": 1.0}},
    {("tea",): {"or": 1.0}, ("or",): {"milk": 1.0}, ("milk",): {"or": 1.0}},
]
_got = write(_tables, ["no", "tea"], 3, lambda row: max(row, key=row.get))
assert hasattr(_got, "__len__"), f"Return a list of words; yours returned {_got!r}."
assert list(_got) == ["no", "tea", "or", "milk", "or"], (
    f"After tea comes or, after or milk, after milk or; three new words are wanted. Yours: {_got}."
)
### BEGIN HIDDEN TESTS
_rows = made(
    lambda rng, memory: [
        {
            context: {
                word: rng.random() for word in dict.fromkeys(rng.choices("abc", k=2))
            }
            for context in itertools.product(["<s>", "a", "b", "c"], repeat=n)
        }
        for n in range(memory + 1)
    ],
    whole(0, 3, (1, 2)),
)
_draw = made(lambda rng: lambda row: min(row, key=row.get))
agrees(
    write,
    ours.write,
    _rows,
    words(size("start", least=3), "abc"),
    size("words", least=0),
    _draw,
)
### END HIDDEN TESTS

# %% test="writing" aspect="back to a shorter memory" points=1
_tables = [{(): {"x": 1.0}}, {("a",): {"b": 1.0}}, {("c", "a"): {"d": 1.0}}]
for _start, _next in ((["c", "a"], "d"), (["b", "a"], "b"), (["a", "b"], "x")):
    _got = write(_tables, list(_start), 1, lambda row: max(row, key=row.get))
    assert hasattr(_got, "__len__"), f"Return a list of words; yours returned {_got!r}."
    assert list(_got) == [*_start, _next], (
        f"After {' '.join(_start)}, the longest context that a table knows gives {_next}; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
_rows = made(
    lambda rng, memory: [
        {
            context: {
                word: rng.random() for word in dict.fromkeys(rng.choices("ab", k=2))
            }
            for context in itertools.product(["<s>", "a", "b"], repeat=n)
            if n == 0 or rng.random() < 0.4
        }
        for n in range(memory + 1)
    ],
    whole(0, 4, (1, 2)),
)
_draw = made(lambda rng: lambda row: min(row, key=row.get))
agrees(
    write, ours.write, _rows, words(size("start", least=0), "abc"), size("words"), _draw
)
_sure = [{(): {"x": 1.0}}, {("<s>",): {"y": 1.0}, ("a",): {"y": 1.0}}]
_sure.append({("<s>", "<s>"): {"z": 1.0}, ("<s>", "a"): {"z": 1.0}})
_long = [*_sure, {("c", "b", "a"): {"w": 1.0}}]
agrees(write, ours.write, choice(_sure, _long), choice([], ["a"]), 1, _draw)
agrees(write, ours.write, _long, ["c", "b", "a"], 1, _draw)
### END HIDDEN TESTS

# %% test="writing" aspect="sentences begin and end" points=1
_tables = [{(): {"x": 1.0}}, {("<s>",): {"b": 1.0}}, {("<s>", "<s>"): {"a": 1.0}}]
_tables[2] |= {("<s>", "a"): {"c": 1.0}, ("a", "c"): {"</s>": 1.0}}
_got = write(_tables, [], 9, lambda row: max(row, key=row.get))
assert hasattr(_got, "__len__"), f"Return a list of words; yours returned {_got!r}."
assert list(_got) == ["a", "c"], (
    f"`<s> <s>` is the context of the first word, `<s> a` of the second, and `</s>` ends the text unwritten; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_rows = made(
    lambda rng, memory: [
        {
            context: {word: rng.random() for word in rng.sample(["a", "b", "</s>"], 3)}
            for context in itertools.product(["<s>", "a", "b"], repeat=n)
        }
        for n in range(memory + 1)
    ],
    whole(0, 3, (1, 2)),
)
_draw = made(lambda rng: lambda row: min(row, key=row.get))
agrees(write, ours.write, _rows, choice([], ["a"]), size("words", least=0), _draw)
agrees(write, ours.write, [{(): {"a": 1.0}}], [], 40, _draw)
### END HIDDEN TESTS

# %% test="writing" aspect="one draw for each word" points=1
_asked = []


def _counting(row):
    _asked.append(dict(row))
    return "tea" if len(_asked) < 3 else "</s>"


_got = write([{(): {"tea": 0.5, "</s>": 0.5}}], ["no"], 5, _counting)
assert hasattr(_got, "__len__") and list(_got) == ["no", "tea", "tea"], (
    f"draw gave tea, tea, </s>: `no tea tea` is wanted; yours: {_got!r}."
)
assert len(_asked) == 3, (
    f"Two words and the end are three draws; yours drew {len(_asked)}."
)
### BEGIN HIDDEN TESTS
_rows = made(
    lambda rng: [
        {(): {"a": 0.5, "b": 0.3, "</s>": 0.2}},
        {("a",): {"a": 0.5, "b": 0.5}},
    ]
)


def _dice(rng):
    dice = random.Random(rng.random())
    return lambda row: dice.choice(sorted(row))


def _counted(write, rows, start, words, draw):
    asked = []
    text = write(rows, start, words, lambda row: (asked.append(1), draw(row))[1])
    return {"text": list(text), "number of draws": len(asked)}


_given = _rows, choice([], ["a"]), size("words", least=0), made(_dice)
agrees(write, ours.write, *_given, by=_counted)
### END HIDDEN TESTS

# %% [markdown]
# Now everything comes together: *your* `ngrams`, *your* `bigram_mle`, *your* dice, *your* machine. The next cell makes the tables.
#
# A table with two words of memory comes from trigrams, for example `('the', 'green', 'house')`. We cut each trigram into a pair: the context `('the', 'green')`
# and the next word `'house'`. A tuple can be the key of a dictionary, just as a word can. So your `bigram_mle` makes a table of such pairs without any change.
# For $n$ words of memory, we do the same with `ngrams(s, n + 1)`.


# %%
def train_machine(sentences, memory):
    """Your tables: for each length n of a context up to memory, {context: {word: probability}}."""
    tables = []
    for n in range(memory + 1):
        found = Counter(gram for s in sentences for gram in ngrams(s, n + 1))
        split = {(gram[:-1], gram[-1]): count for gram, count in found.items()}
        tables.append(bigram_mle(split))
    return tables


def say(tables, start, temperature, seed, words=28):
    """What your machine says, as a string."""
    dart = random.Random(seed).random
    text = write(
        tables, start, words, lambda row: sample(temper(row, temperature), dart)
    )
    return " ".join(text)


# %%
tables = train_machine(my_train, memory=5)
# A machine with two words of memory also needs the tables for one word and for none.
my_machines = [tables[: memory + 1] for memory in range(6)]
for memory in (0, 1, 2):
    print(f"memory {memory}:  {say(my_machines[memory], [], 1.0, seed=7)}\n")

# %% [markdown]
# These three lines came from your own machine. (While it writes on from its own words, it never has to back off. If it drew *soup* after *the green*, then *the
# green soup* stands in your text, so *green soup* has a row in the table. Only a `start` that was never seen forces it down.) Now turn the knob: the next cell lets the machine with one word of memory go on from *the* at four temperatures.
# What will happen at 0.1, and why?

# %%
for temperature in (0.1, 0.5, 1.0, 5.0):
    said = say(my_machines[1], ["the"], temperature, seed=1)
    print(f"temperature {temperature}:  {said}\n")

# %% [markdown]
# At 0.1 only the likeliest few words are left. In our run, *the* is followed by *menu* or *golden* six times out of seven. So the same few phrases come
# again and again. At 5 it draws almost any word that has ever come after the last one, and the text falls apart.

# %% scratch=true
# Play: another beginning, another temperature, more memory.
print(say(my_machines[2], ["the"], 0.8, seed=3, words=40))

# %% [markdown]
# ### Why not ten words of memory?
#
# Now you can answer the question from the beginning. We make two measurements for each length of memory. The first one: how surprised is a machine by the
# part of your text that it has not read? For this we use the perplexity.
#
# But we need a cure for the zeros again, because after a long context most words were never seen. This time we do not add $k$. We mix the tables, step by
# step:
#
# - Let $V$ now be the number of different words of *your* text, plus two for `</s>` and `<UNK>`. Before any table is used, each of these $V$ tokens has the
#   same probability $1/V$.
# - With no memory: $P_0(w) = \lambda_0 \cdot (\text{the share of } w \text{ in the text}) + (1 - \lambda_0) \cdot \frac1V$.
# - With one word of memory: $P_1(w) = \lambda_1 \cdot (\text{the share of } w \text{ after the last word}) + (1 - \lambda_1) \cdot P_0(w)$.
# - With two words of memory: $P_2(w) = \lambda_2 \cdot (\text{the share of } w \text{ after the last two words}) + (1 - \lambda_2) \cdot P_1(w)$.
#
# And so on up to five words. If a context was never seen, its table is left out. For example, if the last two words were never seen together, then $P_2(w)$
# is simply $P_1(w)$. This is called **interpolation**, and $\lambda_n$ is the **weight** of the contexts of $n$ words.
#
# Which weights? We try two ways. In the first, all of them are 0.7. In the second, each length gets a weight of its own. Each machine starts with the weights
# of the machine before it, and 0.1 for its new length. Then, from the longest context to the shortest, one weight after the other is replaced by the best of
# six values, judged by the perplexity on the first half of the held-out text. (A weight that is chosen on a text fits that text especially well. So both ways
# are compared on the *other* half, from which nothing was chosen.) In the figure, which begins at one word of memory, see where each of the two curves falls
# and where it rises.


# %%
def probability(tables, past, word, weights, known=my_words):
    """P(word | past), interpolated: each context that was seen has the weight of its length, the next shorter one the rest."""
    p = 1 / (len(known) + 2)
    for n, (table, weight) in enumerate(zip(tables, weights, strict=True)):
        row = table.get(tuple(past[len(past) - n :]))
        if row:
            p = weight * row.get(word, 0) + (1 - weight) * p
    return p


def surprise(tables, sentences, weights, known=my_words):
    """The perplexity of a machine on some sentences; `known` are the different words of its text."""
    grams = [gram for s in sentences for gram in ngrams(s, len(tables))]
    logs = [
        math.log2(probability(tables, gram[:-1], gram[-1], weights, known))
        for gram in grams
    ]
    return perplexity(logs, 2)


def tuned(tables, sentences, weights):
    """These weights, from the last to the first replaced by the best of six values."""
    for n in reversed(range(len(weights))):
        tries = [
            [*weights[:n], x, *weights[n + 1 :]]
            for x in (0.05, 0.1, 0.3, 0.5, 0.7, 0.9)
        ]
        weights = min(tries, key=lambda ws: surprise(tables, sentences, ws))
    return weights


# %%
middle = len(my_valid) // 2
for_choosing, for_measuring = my_valid[:middle], my_valid[middle:]
my_weights = []  # of each machine
for tables_of_it in my_machines:
    start = [*my_weights[-1], 0.1] if my_weights else [0.5]
    my_weights.append(tuned(tables_of_it, for_choosing, start))

# %% alt="Perplexity on new text against one to five words of memory, for two ways to weigh. With the weight 0.7 for all lengths it falls to two words and rises again; with a weight for each length it falls to two words and then stays nearly level."
ways = {
    "all weights 0.7": [[0.7] * len(its) for its in my_machines],
    "a weight for each length": my_weights,
}
surprises = {
    name: [
        surprise(its, for_measuring, w)
        for its, w in zip(my_machines, weights, strict=True)
    ]
    for name, weights in ways.items()
}
_, axes = plt.subplots(figsize=(6, 3))
for (name, values), style in zip(surprises.items(), ("o-", "s--"), strict=True):
    axes.plot(range(1, 6), values[1:], style, label=name)
axes.set(
    title="How surprised the machine is by new text",
    xlabel="words of memory",
    ylabel="perplexity",
    xticks=range(1, 6),
)
axes.legend()
plt.show()
print("words of memory              0      1      2      3      4      5")
for name, values in surprises.items():
    print(f"{name:25}", *(f"{value:6.1f}" for value in values))
known = [
    np.mean([gram[:-1] in table for s in my_valid for gram in ngrams(s, memory + 1)])
    for memory, table in enumerate(tables)
]
came = [
    np.mean(
        [
            gram[-1] in table[gram[:-1]]
            for s in my_valid
            for gram in ngrams(s, memory + 1)
            if gram[:-1] in table
        ]
    )
    for memory, table in enumerate(tables)
]
print(f"{'contexts known':25}", *(f"{share:6.0%}" for share in known))
print(f"{'and the true word in them':25}", *(f"{share:6.0%}" for share in came))
print("weights for no word to five:", my_weights[5])

# %% [markdown]
# The first word of memory is worth most, whichever way we weigh. After that the two curves tell different stories. With the weight 0.7 for all, two words of
# memory are best, with 26.5, and with five the perplexity is 41.4, worse than with one word. One could think that more memory does harm.
#
# It does not. With a weight for each length, nothing rises: 34.9, 26.0, 25.5, 25.3, 25.3. The last printed line says what the first way did wrong. Here the
# contexts of three, four and five words get the weight 0.1, and the first way gave them 0.7.
#
# Why so little? Where a long context has been seen, the true word is often not among those that came after it: it is in 76 % of the cases for two words, and
# in about 60 % for three and more. And where it is, the shorter contexts mostly know it, too. Besides, long contexts are seldom asked at all. Each further
# word multiplies the number of possible contexts by the size of the vocabulary, so fewer and fewer of them have been seen: of the contexts in new text 90 %
# for two words, 68 % for three, 25 % for five. So more memory does no harm if one listens to it with care. But in a text of this size it brings very little:
# **of all that five words bring, two words bring nearly everything.**
#
# One weight for all contexts of a length is still crude. A context that was seen three hundred times surely deserves more than one that was seen once.
# Chapter 02 has better rules.
#
# Is this so for other texts? The kitchen text was generated, and the third word back may matter less in it than in yours. For *tiny Shakespeare*, a megabyte
# of his plays, the same cells print:
#
# | words of memory | 1 | 2 | 3 | 4 | 5 |
# |---|---|---|---|---|---|
# | all weights 0.7 | 215 | 259 | 308 | 349 | 393 |
# | a weight for each length | 220 | 209 | 208 | 206 | 206 |
#
# There, too, the second word brings nearly all that more memory brings. (For one word the chosen weights are worse than 0.7. Perhaps they suit the half on
# which they were chosen better than the other one, or six values tried in one round are too few.)

# %% [markdown]
# The second measurement: how much does a machine copy? We let each of the six machines write sentence after sentence and cut what it has written into forty
# passages of 40 words. In each passage, we look for the longest run of words that stands word for word in the text that the machine has read. (A machine that
# writes does not mix its tables. It draws from the row of its longest context, as you have programmed it.)
#
# Some copying is normal, because people repeat themselves. So we cut forty passages from your own text, too, from the part that the machine has *not* read.
# (A passage may run over the end of a sentence, but a copied run is counted only up to that end. So in a play, where lines are short, all runs are short.) In
# the figure, each dot is a passage, sorted within its column. Compare each column with the last one.


# %%
read = " ".join(word for s in my_train for word in ["<s>", *s, "</s>"])


def longest_copy(words):
    """Where the longest run of words begins that the machine has read, and how many words it has."""
    start, longest = 0, 0
    for i in range(len(words)):
        while i + longest < len(words) and (
            f" {' '.join(words[i : i + longest + 1])} " in read
        ):
            start, longest = i, longest + 1
    return start, longest


def passages(sentences, count=40, length=40):
    """The first passages of this length, across the ends of sentences; fewer if the sentences end."""
    words = itertools.chain.from_iterable(sentences)
    some = ([*itertools.islice(words, length)] for _ in range(count))
    return [passage for passage in some if len(passage) == length]


def spoken(tables):
    """Sentences that a machine says, one after the other, without end."""
    for seed in itertools.count():
        yield say(tables, [], 1.0, seed, words=1_000).split()


# %% alt="Seven columns of forty dots: the longest copied run of each passage, for machines with zero to five words of memory and for new passages of the text. The columns rise with every word of memory; the one of new passages is among those of one to three words."
written = [passages(spoken(tables)) for tables in my_machines]
copied = [
    [longest_copy(text)[1] for text in texts]
    for texts in [*written, passages(my_valid)]
]
_, axes = plt.subplots(figsize=(6, 3))
for x, runs in enumerate(copied):
    color = "black" if x == 6 else "C0"
    places = x + np.linspace(-0.25, 0.25, len(runs))
    axes.plot(places, sorted(runs), ".", ms=3, color=color)
    axes.plot([x - 0.35, x + 0.35], [np.mean(runs)] * 2, color=color)
axes.set_xticks(range(7), [*range(6), "new text"])
axes.set(
    title="How much the machine copies (lines: means)",
    xlabel="words of memory",
    ylabel="longest copied run (words)",
    ylim=(0, 41),
)
plt.show()
for what, of in (("shortest", min), ("mean", np.mean), ("longest", max)):
    print(f"{what:8}", *(f"{of(runs):6.1f}" for runs in copied))
met = [
    tables[5][tuple(text[i - 5 : i])]
    for text in written[5]
    for i in range(5, len(text))
    if tuple(text[i - 5 : i]) in tables[5]
]
forced = np.mean([len(row) == 1 for row in met] or [0])
print("where the machine with 5 words of memory has read the last five words,", end=" ")
print(f"{forced:.0%} have one next word only\n")
for memory in (2, 5):
    by_run = sorted(written[memory], key=lambda text: longest_copy(text)[1])
    text = by_run[len(by_run) // 2]

    start, longest = longest_copy(text)
    end = start + longest
    text = [*text[:start], "[", *text[start:end], "]", *text[end:]]
    print(
        f"memory {memory}, a usual passage, its longest copied run in brackets:\n{' '.join(text)}\n"
    )

# %% [markdown]
# Begin with the line of the means. With two words of memory, a copied run has 7.2 words on average, no more than in new text, with 7.3. With five words it
# has 23.4. The printed line gives the reason: where the machine knew the last five words, in 86 % of the places only one word ever came after them, and it
# had no choice.
#
# So what do the two measurements say together? More than two words of memory make the machine hardly less surprised by new text. And if it always draws from
# its longest context, more and more of what it says is not its own. (A machine that draws from the *mixture*, with its weights, seldom follows a long
# context. With five words of memory, its longest copied runs had 6.4 words on average when we tried it, less than in new text.)
#
# On Shakespeare, where lines are short, the machine with two words of memory copies already: 6.7 words on average, where new text has 3.4. Compare
# your own numbers.

# %% [markdown]
# ### Your machine plays
#
# In the beginning you played ten rounds against a machine with two words of memory. What would be its score, as one number? Take the perplexity of the ten true
# words. If the machine of the game gave the probability 0 to a single true word, this is infinite. So we score the mixture of your own tables, in which no word has the
# probability 0.

# %%
asked = rounds_of(my_valid, rounds=10)
chances = [
    probability(my_machines[2], ["<s>", "<s>", *context], truth, my_weights[2])
    for context, truth in asked
]
for (context, truth), p in zip(asked, chances, strict=True):
    print(f"{' '.join(context[-4:]):>40} … {truth:12} probability {p:.4f}")
print(f"perplexity of the ten rounds: {perplexity(np.log2(chances), 2):.0f}")

# %% [markdown]
# Ten words are few, and one very improbable word can ruin the score, as *hartler* does in our run. But every round counts: the machine loses less by a true
# word to which it gave 0.2 than by one to which it gave 0.002, even if neither was its first guess.
#
# Before we go on, let us keep your machine. The **gallery** collects one model from each chapter, together with how it continues the same three prompts. At the
# end of the course, you will see all of them side by side. (Two of its columns are for networks of later chapters, and empty here.)
#
# The gallery also notes a score, the **bits per byte**: over the last part of your text, which nothing has used so far, we sum up $-\log_2 P$ and divide by
# the number of bytes. Later chapters cut a text into pieces other than words. The number of bytes is the same however a text is cut, so scores per byte can
# be compared. Our machine's score is nevertheless a little too good, for two reasons. Where a word is unknown, our machine only has to say *unknown*, while a
# model of letters must spell the word, and that costs more. And we count the bytes of the text as we print it, with a space before each full stop and comma,
# which are more than the file has. (How much this is worth, we have not measured.)

# %%
my_test = first_words(mine.splits["test"], 20_000)
tokens = sum(len(s) + 1 for s in my_test)
size_of_file = sum(len((" ".join(s) + "\n").encode()) for s in my_test)
gallery.keep(
    "01_trigram",
    text=mine.name,
    continuations={
        prompt: say(my_machines[2], prompt.split(), 1.0, seed, words=20)
        for seed, prompt in enumerate(gallery.prompts(mine))
    },
    bits_per_byte=tokens
    * math.log2(surprise(my_machines[2], my_test, my_weights[2]))
    / size_of_file,
    notes="counts, two words of memory; backs off to write, interpolates for the bits",
)

# %%
# NBVAL_IGNORE_OUTPUT
# (the day on which each model was kept stands in the table)
gallery.show()
