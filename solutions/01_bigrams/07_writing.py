# %% [markdown]
# ## 6. Your machine writes
#
# You have all the parts of the babbling machine except one: the dice. At each step the model gives a probability to each word, and
# one of the words must be drawn.
#
# There is also a knob to turn. If you always take the likeliest word, the text is safe and dull, and soon it repeats itself. If you draw exactly by the
# probabilities, rare words come up now and then and the text can go astray. Between the two, and beyond them, lies the **temperature** $\tau$: raise every
# probability to the power $1/\tau$ and divide by the sum,
#
# $$P_\tau(w) = \frac{P(w)^{1/\tau}}{\sum_{v} P(v)^{1/\tau}}.$$
#
# At $\tau = 1$ nothing changes. At a low temperature, the likely words become even likelier. At a high one, all words come closer together. This knob is on
# every language model that you can use today, under this name.

# %% folded="draws one distribution at three temperatures" alt="Three bar charts of the same five words after eat. At temperature 0.3 the first word has most of the probability, at 1 the bars are as counted, and at 3 they are nearly equal."
counted_row = {"lunch": 0.45, "dinner": 0.3, "at": 0.15, "thai": 0.07, "here": 0.03}
_, panels = plt.subplots(1, 3, figsize=(8, 2.6), sharey=True)
for axes, heat in zip(panels, (0.3, 1, 3), strict=True):
    shown = at_temperature(counted_row, heat)
    axes.bar([*shown], [*shown.values()], color=plots.COLOURS[1])
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
# 1. Try it on paper with the probabilities 0.8 and 0.2 and the temperature 0.5. What is $1/\tau$, and what do you divide by?
# 2. The dart decides by running totals: the first word whose piece ends beyond the dart is hit. What about a word of length 0?
# 3. At a very low temperature, $P^{1/\tau}$ is too small for a computer, for all words at once, and you would divide 0 by 0. What happens to
#    the formula if you first divide all probabilities by the largest one?


# %% task="temperature" points=4 level=2 minutes=15
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
agrees(temper, ours.temper, _row, number(0.2, 5, (1.0, 0.5, 30.0)), rtol=1e-5)
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

# %% [markdown]
# Now everything comes together. `train_machine` uses *your* `ngrams` and *your* `bigram_mle`. For a machine with two words of memory we only have to tell
# `bigram_mle` that the "word before" is a pair of words, and it does not mind. (If a context was never seen, the machine falls back to a shorter one.)


# %%
def train_machine(sentences, memory):
    """Your model: for each length of context up to memory, {context: {word: probability}}."""
    tables = []
    for n in range(1, memory + 2):
        found = Counter(gram for s in sentences for gram in ngrams(s, n))
        split = {(gram[:-1], gram[-1]): count for gram, count in found.items()}
        tables.append(bigram_mle(split))
    return tables


def write(tables, start, temperature, rng, words=28):
    """Let a machine go on from start, a list of words, drawing each word with your dice."""
    text = list(start)
    while len(text) < words:
        past = ["<s>"] * (len(tables) - 1) + text
        for n in range(len(tables), 0, -1):
            row = tables[n - 1].get(tuple(past[len(past) - n + 1 :]))
            if row:
                break
        word = sample(temper(row, temperature), rng.random)
        if word == "</s>":
            break
        text.append(word)
    return " ".join(text)


# %%
my_machines = [train_machine(my_train, memory) for memory in (0, 1, 2)]
for memory, tables in enumerate(my_machines):
    print(f"memory {memory}:  {write(tables, [], 1.0, random.Random(7))}\n")

# %% [markdown]
# This time it is your machine that speaks: your counting, your dividing, your dice. Turn the knob:

# %%
for temperature in (0.3, 0.7, 1.0, 2.0):
    said = write(my_machines[2], [], temperature, random.Random(1))
    print(f"temperature {temperature}:  {said}\n")

# %% scratch=true
# Play: another beginning, another temperature, more memory.
print(write(my_machines[1], ["the"], 0.8, random.Random(3), words=40))

# %% [markdown]
# ### Why not ten words of memory?
#
# Now you can answer the question from the beginning. Train machines with more and more memory, let each of them write, and look for the longest piece of its text that
# stands word for word in the text that it has read.

# %% alt="The longest copied run of words grows with the memory of the machine: a few words with memory 1, and whole sentences from memory 4 on."
read = " ".join(word for s in my_train for word in ["<s>", *s, "</s>"])


def longest_copy(text):
    """The number of words of the longest run of text that the machine has read."""
    words = text.split()
    longest = 0
    for i in range(len(words)):
        while (
            i + longest < len(words)
            and f" {' '.join(words[i : i + longest + 1])} " in read
        ):
            longest += 1
    return longest


memories, copied = range(1, 7), []
for memory in memories:
    tables = train_machine(my_train, memory)
    texts = [write(tables, [], 1.0, random.Random(i), words=40) for i in range(6)]
    copied.append([longest_copy(text) for text in texts])
    print(f"memory {memory}:  {texts[0][:110]}")
_, axes = plt.subplots(figsize=(6, 2.8))
axes.plot(memories, [np.mean(found) for found in copied], "o-")
for memory, found in zip(memories, copied, strict=True):
    axes.plot([memory] * len(found), found, ".", color="grey", markersize=4)
axes.set(
    title="With a long memory the machine recites",
    xlabel="words of memory",
    ylabel="longest copied run (words)",
    ylim=(0, None),
)
plt.show()

# %% [markdown]
# With six words of memory the text looks perfect. But it is no longer the machine's own. Nearly every context of six words occurs exactly once in the text, so there is
# exactly one word that can follow, and the machine can do nothing but recite. A long memory needs enormously more text, because every further word of memory multiplies the number of
# possible contexts by the size of the vocabulary. That is the wall that all counting models run into.
#
# Before we go on, let us keep your machine. The **gallery** collects one model from each chapter, together with how it continues the same three
# prompts. When you have reached the end of the course, you will see all of them side by side.

# %%
bytes_written, log2_sum = 0, 0.0
for s in my_valid:
    for gram in ngrams(s, 2):
        seen = my_machines[1][1].get(gram[:-1], {})
        often = my_machines[1][0][()].get(gram[-1], 0)
        p = 0.9 * seen.get(gram[-1], 0) + 0.1 * (
            0.9 * often + 0.1 / (len(mine.vocabulary) + 1)
        )
        log2_sum -= math.log2(p)
    bytes_written += len((" ".join(s) + "\n").encode())
gallery.keep(
    "01_bigram",
    text=mine.name,
    continuations={
        prompt: write(my_machines[1], prompt.split(), 1.0, random.Random(0), words=20)
        for prompt in gallery.prompts(mine)
    },
    bits_per_byte=log2_sum / bytes_written,
    notes="counts of pairs; a tenth of the probability goes to single words",
)

# %%
# NBVAL_IGNORE_OUTPUT
gallery.show()
