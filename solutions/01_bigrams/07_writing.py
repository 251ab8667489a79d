# %% [markdown]
# ## 6. Your machine writes
#
# Your machine has spoken already, with one word of memory and with borrowed dice. Now it gets more memory, dice of your own, and a knob.
#
# What is the knob for? If the machine always takes the likeliest word, the text is safe and dull, and soon it repeats itself. If it draws exactly by the
# probabilities, rare words come up now and then, and the text can go astray. One number, the **temperature** $\tau$, leads from the one to the other and beyond:
#
# - near $\tau = 0$, the machine takes the likeliest word nearly always;
# - at $\tau = 1$, it draws by the probabilities as they are;
# - far above 1, all words that it has seen here become almost equally likely.
#
# To get there, we raise every probability to the power $1/\tau$ and divide by the sum, so that they sum to 1 again:
#
# $$P_\tau(w) = \frac{P(w)^{1/\tau}}{\sum_{v} P(v)^{1/\tau}}.$$
#
# For example, let one word have 0.8 and another one 0.2. At $\tau = 0.5$ the power is 2, so we get $0.64$ and $0.04$, and after the division $0.94$ and $0.06$. The likelier word has won. Most language models that one can use from a program today have this knob, under this name.
#
# The figure shows the five likeliest words after *eat* at three temperatures.

# %% folded="draws one row at three temperatures" alt="Three bar charts of the five likeliest words after eat. At temperature 0.3 they have nearly all of the probability, and the likeliest most of it. At 1 the bars are as counted. At 3 they are small and nearly equal, because all other words have grown."
row = restaurant_model["eat"]
likeliest = sorted(row, key=row.get, reverse=True)[:5]
_, panels = plt.subplots(1, 3, figsize=(8, 2.6), sharey=True)
for axes, heat in zip(panels, (0.3, 1, 3), strict=True):
    tempered = at_temperature(row, heat)
    axes.bar(likeliest, [tempered[word] for word in likeliest], color=plots.COLOURS[1])
    axes.set_title(f"temperature {heat}")
    axes.tick_params(axis="x", rotation=45)
panels[0].set_ylabel("probability after “eat”")
plt.show()

# %% [markdown] statement="temperature"
# ### Dice with a temperature
#
# Write
#
# - `temper(distribution, temperature)`: the dictionary `{word: probability}` at a temperature above 0;
# - `sample(distribution, dart)`: one word, drawn by its probability. Your only source of chance is `dart`: each call `dart()` returns a random
#   number from 0 up to, but not including, 1.
#
# Think of a stick of length 1 that is cut into pieces, one for each word and as long as its probability. The dart hits the stick somewhere. When your two
# functions work, your own machine talks in the cell below the checks.

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
        _throws = iter([_edge])
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
# Now put the machine together. It has a list of tables. `tables[0]` knows how frequent each word is, `tables[1]` what comes after one word, `tables[2]` what comes after two words,
# and so on. Suppose that it has three tables, and that its text so far ends with *the green*. It looks up *the green* in `tables[2]`. If there is a row for these two words, it draws the next word from it. If there is none, it drops the older word and looks up *green* in `tables[1]`. And if that fails, too, it draws from `tables[0]`, which has only one row. This is called **backing off**. (It is needed only after an opening that *you* have given. What the machine itself has written, it has read somewhere, and something came after it.)
#
# Write `write(tables, start, words, draw)`, which lets the machine go on from `start`. How a word is drawn is somebody else's business: `draw(row)` gives you one. In the next cell this will be your own dice, and your
# machine will speak.

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


_draw = made(_dice)
agrees(write, ours.write, _rows, choice([], ["a"]), size("words", least=0), _draw)
### END HIDDEN TESTS

# %% [markdown]
# Now everything comes together: *your* `ngrams`, *your* `bigram_mle`, *your* dice, *your* machine. How do we make a table with two words of memory? Its rows are made of trigrams: two words and the next one. In general, a table with $n$ words of memory needs `ngrams(s, n + 1)`. So we cut each of these into a pair: the tuple of the first $n$ words, such as `('the', 'green')`, and the word that follows. `bigram_mle` counts such pairs as it has counted the others, because a tuple can be the key of a dictionary.


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
my_machines = [tables[: memory + 1] for memory in range(6)]
for memory in (0, 1, 2):
    print(f"memory {memory}:  {say(my_machines[memory], [], 1.0, seed=7)}\n")

# %% [markdown]
# This time it is your machine that speaks. Turn the knob, with one word of memory and always the same beginning. What will happen at 0.1, and why?

# %%
for temperature in (0.1, 0.5, 1.0, 5.0):
    said = say(my_machines[1], ["the"], temperature, seed=1)
    print(f"temperature {temperature}:  {said}\n")

# %% [markdown]
# At 0.1 the machine takes the likeliest next word nearly every time. After the same word it then goes on in the same way, so the same few phrases come again and again. At 5 it takes any word that it has ever seen there, and the text falls apart.

# %% scratch=true
# Play: another beginning, another temperature, more memory.
print(say(my_machines[2], ["the"], 0.8, seed=3, words=40))

# %% [markdown]
# ### Why not ten words of memory?
#
# Now you can answer the question from the beginning, with two measurements for each length of memory.
#
# **How surprised is it by new text?** We measure the perplexity on the part of your text that the machine has not read. So that nothing is impossible, we mix the tables. With one word of memory, for example, and $v$ for the word before,
#
# $$P(w \mid v) = 0.7\,\frac{c(vw)}{c(v)} + 0.3\,P(w).$$
#
# So the longest context gets 70 % of our **trust**, and the shorter memory gets the rest. The shorter memory is a mixture, too: $P(w) = 0.7\,c(w)/N + 0.3/V$, where $c(w)/N$ is the share of $w$ in the whole text. And with two words of memory, we take 70 % of the share after these two words and 30 % of the $P(w \mid v)$ above. So each further word puts one more step on top. Where a context was never seen, its step is left out. This is called **interpolation**. We try a trust of 70 % and one of 40 %. (Chapter 02 finds better ones.)
#
# **How much does it copy?** In passages of 40 words that the machine has written, we look for the longest run of words that stands word for word in the text that it has read. As a control, we do the same with passages of 40 words of your own text that it has *not* read.


# %%
def probability(tables, past, word, trust):
    """P(word | past), interpolated: each context that was seen has this weight, and the next shorter one the rest."""
    p = 1 / (len(my_words) + 2)
    for n, table in enumerate(tables):
        row = table.get(tuple(past[len(past) - n :]))
        if row:
            p = trust * row.get(word, 0) + (1 - trust) * p
    return p


def surprise(tables, sentences, trust):
    """The perplexity of a machine on some sentences."""
    grams = [gram for s in sentences for gram in ngrams(s, len(tables))]
    logs = [
        math.log2(probability(tables, gram[:-1], gram[-1], trust)) for gram in grams
    ]
    return perplexity(logs, 2)


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


def passages(sentences, count=12, length=40):
    """The first passages of this length, across the ends of sentences."""
    words = itertools.chain.from_iterable(sentences)
    return [[*itertools.islice(words, length)] for _ in range(count)]


def spoken(tables):
    """Sentences that a machine says, one after the other, without end."""
    for seed in itertools.count():
        yield say(tables, [], 1.0, seed, words=40).split()


# %%
curves = {
    trust: [surprise(tables, my_valid, trust) for tables in my_machines]
    for trust in (0.7, 0.4)
}
said = [passages(spoken(tables)) for tables in my_machines]
copied = [np.mean([longest_copy(text)[1] for text in texts]) for texts in said]
control = np.mean([longest_copy(text)[1] for text in passages(my_valid)])

# %% folded="draws both measurements" alt="Two panels against the words of memory. On the left, on a log axis, the perplexity on new text falls steeply from memory 0 to 1 and a little to 2, and then stays level or rises, for a trust of 70 and of 40 percent. On the right the longest copied run grows with every word of memory; the dashed line of new passages is crossed on the way."
_, (left, right) = plt.subplots(1, 2, figsize=(8, 2.8))
for (trust, values), style in zip(curves.items(), ("o-", "s--"), strict=True):
    left.plot(values, style, label=f"trust {trust:.0%}")
left.set(
    title="How surprised it is by new text",
    xlabel="words of memory",
    ylabel="perplexity (log scale)",
    yscale="log",
)
ticks = [
    value for value in (10, 20, 50, 100, 200, 500, 1000) if value < 1.2 * curves[0.7][0]
]
left.set_yticks(ticks, [str(value) for value in ticks])
left.minorticks_off()
left.legend()
right.plot(copied, "o-", label="what the machine writes")
right.axhline(control, linestyle="--", color="black", label="new passages")
right.set(
    title="How much it copies",
    xlabel="words of memory",
    ylabel="longest copied run (words)",
    ylim=(0, None),
)
right.legend()
plt.show()
for trust, values in curves.items():
    print(f"perplexity, trust {trust:.0%}:", *(f"{value:.0f}" for value in values))
once = np.mean([len(row) == 1 for row in my_machines[-1][-1].values()])
print(f"with 5 words of memory, {once:.0%} of the contexts have one next word only\n")
for memory in (2, 5):
    text = said[memory][0]
    start, longest = longest_copy(text)
    text = [
        *text[:start],
        "[",
        *text[start : start + longest],
        "]",
        *text[start + longest :],
    ]
    print(f"memory {memory}, its longest copied run in brackets:\n{' '.join(text)}\n")

# %% [markdown]
# **On the left**, the first word of memory is worth most, and the second one usually helps again. From then on, more memory hardly helps with *new* text. With a trust of 70 % it may even hurt.
#
# **On the right**, look where the curve crosses the dashed line. As long as it is near the line, the machine repeats no longer pieces than new passages of your text do. (Each point is a mean of only twelve passages, so small differences mean nothing.) Far above the line, it copies. With five words of memory, nearly every context has been followed by a single word, so the machine often has no choice.
#
# The two panels show two machines. The left one mixes its tables. The right one, which writes, trusts its longest context completely. A machine that writes from a mixture should copy less, but we have not measured it here.
#
# Every further word of memory multiplies the number of possible contexts by the size of the vocabulary, so most long contexts are new when the machine meets them. With these two weights, that is where more memory stops to help. Chapter 02 chooses the weights better and asks again.

# %% [markdown]
# ### Your machine plays
#
# In the first ten minutes you have played against a borrowed machine. Now play against your own, with two words of memory, on the same passages. (The game needs a row, and not a word. So the cell calls your `write` for one word, with dice that only note the row that they are given.) Its guesses and probabilities should be those that you have seen then.


# %%
class MyMachine:
    """Your machine with two words of memory, as the game wants it."""

    def next_words(self, context):
        """{word: probability}, the likeliest first: the row from which `write` draws its next word."""
        rows = []
        write(my_machines[2], context, 1, lambda row: rows.append(row) or "</s>")
        return dict(sorted(rows[0].items(), key=lambda item: -item[1]))


guess_the_next_word(MyMachine(), my_valid, rounds=10)

# %% [markdown]
# And what is the machine's score? Now you can say it in one number: the perplexity of its ten rounds. As it stands it would be infinite if a single truth had the probability 0, so we take the mixture with a trust of 70 %.

# %%
asked = rounds_of(my_valid, rounds=10)
chances = [
    probability(my_machines[2], ["<s>", "<s>", *context], truth, 0.7)
    for context, truth in asked
]
for (context, truth), p in zip(asked, chances, strict=True):
    print(f"{' '.join(context[-4:]):>40} … {truth:12} probability {p:.4f}")
print(f"perplexity of the ten rounds: {perplexity(np.log2(chances), 2):.0f}")

# %% [markdown]
# Ten words are few, so the number jumps about if you ask other ten. (On all new words it is the number of the figure above.) But it is an honest score: each round counts, and the machine loses less by a word to which it gave 0.2 than by one to which it gave 0.002, also when neither was its first guess.
#
# Before we go on, let us keep your machine. The **gallery** collects one model from each chapter, together with how it continues the same three prompts, and when you have reached the end of the course, you will see all of them side by side.
#
# It also notes the **bits per byte**: take $-\log_2 P$ of every word and of every `</s>` of a text that was kept back until now, add them up, and divide by the number of bytes of this text, with each sentence on a line of its own. (Where your text has words that the machine does not know, the number is a little too good: any such word is charged as the one token `<UNK>`, and nobody asks the machine to spell it. Two columns of the table are still empty; they are for later chapters.)

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
    * math.log2(surprise(my_machines[2], my_test, 0.7))
    / size_of_file,
    notes="counts, two words of memory; backs off to write, interpolates for the bits",
)

# %%
# NBVAL_IGNORE_OUTPUT
# (the day on which each model was kept stands in the table)
gallery.show()
