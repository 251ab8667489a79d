# %% [markdown]
# ## 7. Caught
#
# Your machine writes, and people have been impressed by less. Now let us find out what it can never do.
#
# Look at the word *for* in two requests: *is it open for lunch* and *i am looking for a restaurant*. What comes after *for* depends on what came *before*
# it. But a bigram model that has arrived at *for* has forgotten everything before *for*. It must believe that, **given the middle word, the word before and the word after
# have nothing to do with each other.**
#
# That is a claim about language, and we can test it with counts. Suppose that *for* stands in 100 places. In 30 of them *open* comes before, and in 20 of them *lunch* comes after. If the two had nothing to do with each other, we would expect both in 20 % of the 30 places, so in $30 \cdot 20 / 100 = 6$. In general, let the middle word stand in $N$ places, $c(x)$ of them with the word $x$ before it, and
# $c(y)$ of them with the word $y$ after it. Then we expect the count
#
# $$E(x, y) = \frac{c(x)\,c(y)}{N}.$$

# %% [markdown] statement="middle_word"
# ### Ask the middle word
#
# Write
#
# - `triple_table(sentences, middle)`: how often each pair of words stands around the word `middle`, as a dictionary `{(before, after): count}`. The edges of a sentence count as `<s>` and `</s>`;
# - `expected_counts(table)`: from such a dictionary, the dictionary of $E$ for *every* word before combined with *every* word after, also for combinations that never occurred.
#
# Then we compare what you count with what you expect, in our sentences, in your own text, and in a text that the bigram machine has written itself.

# %% [markdown] hints="middle_word"
# 1. In a table of cats and dogs by black and white, how many black cats do you expect if colour has nothing to do with
#    kind?
# 2. A pair that never occurred has count 0, but an expected count above 0: it belongs in the answer.
# 3. A place of `middle` may be the first or the last of a sentence, and two places may share a word: every place
#    counts by itself. For E, which totals does one cell need, and which can be collected before you visit any cell?


# %% task="middle_word" points=4 level=3 minutes=17
def triple_table(sentences, middle):
    """{(before, after): count} for the places where the word `middle` stands."""
    ### BEGIN SOLUTION
    table = Counter()
    for sentence in sentences:
        padded = ["<s>", *sentence, "</s>"]
        for before, word, after in zip(padded, padded[1:], padded[2:], strict=False):
            if word == middle:
                table[before, after] += 1
    return table
    ### END SOLUTION


def expected_counts(table):
    """{(before, after): expected count} for every `before` of the table with every `after`."""
    ### BEGIN SOLUTION
    rows, columns = Counter(), Counter()
    for (before, after), count in table.items():
        rows[before] += count
        columns[after] += count
    return {(b, a): rows[b] * columns[a] / rows.total() for b in rows for a in columns}
    ### END SOLUTION


# %% test="middle_word" aspect="triples are counted" points=1
_table = triple_table(
    [["spend", "it", "on", "lunch"], ["go", "on", "foot"], ["go", "on", "foot"]], "on"
)
assert hasattr(_table, "keys"), (
    f"Return a dict (before, after) -> count, not {_table!r}."
)
assert dict(_table) == {("it", "lunch"): 1, ("go", "foot"): 2}, (
    f"Three places; yours: {dict(_table)}."
)
### BEGIN HIDDEN TESTS
_text = listing(size("sentences"), words(size("length", least=0), "abcabc"))
agrees(triple_table, ours.triple_table, _text, choice("b", "z"))
### END HIDDEN TESTS

# %% test="middle_word" aspect="edges and repeated words" points=1
_table = triple_table([["on", "on", "on"]], "on")
assert hasattr(_table, "keys"), (
    f"Return a dict (before, after) -> count, not {_table!r}."
)
_wanted = {("<s>", "on"): 1, ("on", "on"): 1, ("on", "</s>"): 1}
assert dict(_table) == _wanted, (
    f"`on on on` has three places, the edges count: {dict(_table)}."
)
### BEGIN HIDDEN TESTS
_text = listing(
    size("sentences", least=0),
    words(size("length", least=0), ["b", "b", "a", "B", "bb"]),
)
agrees(triple_table, ours.triple_table, _text, "b")
### END HIDDEN TESTS

# %% test="middle_word" aspect="row total times column total" points=1
_table = {("x", "u"): 10, ("x", "v"): 20, ("y", "u"): 30, ("y", "v"): 40}
_expected = expected_counts(_table)
assert hasattr(_expected, "keys"), (
    f"Return a dict (before, after) -> number, not {_expected!r}."
)
assert close(_expected.get(("x", "u"), 0), 12), (
    f"Rows 30, 70; columns 40, 60; total 100: E(x, u) = 12, yours is {_expected.get(('x', 'u'))}."
)
### BEGIN HIDDEN TESTS
_table = made(
    lambda rng, n, m, most: {
        (b, a): rng.randint(1, most) for b in "abcdefg"[:n] for a in "cadexyz"[:m]
    },
    size("befores", large=None),
    size("afters", large=None),
    choice(50, 10**6),
)
agrees(expected_counts, ours.expected_counts, _table)
### END HIDDEN TESTS

# %% test="middle_word" aspect="combinations never seen" points=1
_expected = expected_counts({("spend", "lunch"): 6, ("open", "friday"): 4})
assert hasattr(_expected, "keys"), (
    f"Return a dict (before, after) -> number, not {_expected!r}."
)
assert len(_expected) == 4, (
    f"2 befores x 2 afters are 4 combinations; yours has {len(_expected)}."
)
_value = _expected.get(("spend", "friday"))
assert is_number(_value) and close(_value, 2.4), (
    f"E(spend, friday) = 6 · 4 / 10 = 2.4; yours is {_value}."
)
### BEGIN HIDDEN TESTS
_pairs = [
    (b, a) for b in ("go", "foot", "<s>", "by") for a in ("foot", "go", "</s>", "by")
]
_table = made(
    lambda rng, n: (
        {pair: rng.randint(0, 9) for pair in rng.sample(_pairs, n)} | {("go", "on"): 3}
    ),
    size("pairs", most=9, large=16),
    edges=[
        {("go", "on"): 3, ("by", "foot"): 0},
        {
            ("go", "on"): 9,
            ("by", "foot"): 1,
            ("foot", "by"): 1,
        },  # a word itself after it, rarely
    ],
)
_kinds = choice(
    _table,
    made(lambda rng, table: Counter(table), _table),
    made(lambda rng, table: defaultdict(int, table), _table),
)
agrees(expected_counts, ours.expected_counts, _kinds)
### END HIDDEN TESTS

# %% [markdown]
# Here are our sentences. Compare the two columns of numbers: what was counted, and what one would expect if *for* forgot the word before it.

# %%
table = triple_table(train_sentences, "for")
expected = expected_counts(table)
rows = [
    (before, after, table.get((before, after), 0), round(expected[before, after], 1))
    for before in ("open", "looking")
    for after in ("lunch", "a")
]
pd.DataFrame(rows, columns=["before", "after", "counted", "expected"])

# %% [markdown]
# After *open for* comes *lunch* and never *a*. After *looking for*, it is nearly always *a*. The last column is what a bigram model believes: 4.7 against 17.3 after *open for*, and 46.6 against 171.2 after *looking for*. Both times that is 21 % *lunch*, because the model must give the same answer twice.

# %% alt="Bars for two contexts. In our sentences lunch follows open for in all cases and looking for in hardly any. What a bigram model must believe is the same share for both, about a fifth."
_, axes = plt.subplots(figsize=(6, 2.8))
for offset, before in ((-0.2, "looking"), (0.2, "open")):
    shares = []
    for counted in (table, expected):
        lunch, a = (counted.get((before, after), 0) for after in ("lunch", "a"))
        shares.append(100 * lunch / (lunch + a))
    axes.bar(np.arange(2) + offset, shares, 0.38, label=f"after “{before} for”")
    print(
        f"{before:7} for: “lunch”, not “a”, in {shares[0]:.0f} % of our sentences; a bigram model believes in {shares[1]:.0f} %"
    )
axes.set_xticks([0, 1], ["our sentences", "what a bigram model believes"])
axes.set(
    title="The model cannot carry “open” past “for”",
    ylabel="“lunch”, not “a” (%)",
    ylim=(0, 105),
)
axes.legend()
plt.show()

# %% [markdown]
# There it is. The model does know that *for* follows *open*, and it does know that *lunch* follows *for*. But it cannot put the two together, and **no amount of text will change that**: the number that it would need has no place in its table.
#
# You may object that we have invented these sentences ourselves. That is right, and so you should ask your own text the same question. The next cell takes its most frequent words, one after the other as the word in the middle, and shows where the count is furthest from what
# forgetting would predict. Among thousands of combinations, some will stand out by luck. As a control, we therefore do the same with a text of the same length that your machine with one word of memory has written: there, everything that stands out is luck.


# %% folded="lets your machine with one word of memory write a long text, quickly"
def written_text(tables, sentences, seed):
    """As many sentences as in `sentences`, drawn from the table with one word of memory."""
    rows = {w: ([*row], [*row.values()]) for (w,), row in tables[1].items()}
    dice, text = random.Random(seed), []
    for _ in sentences:
        words = ["<s>"]
        while words[-1] != "</s>":
            following, weights = rows[words[-1]]
            words += dice.choices(following, weights)
        text.append(words[1:-1])
    return text


# %%
def standing_out(sentences):
    """(excess, words, count, expected) for triples around frequent words, the largest excess first."""
    found = []
    for middle, _ in Counter(word for s in sentences for word in s).most_common(30):
        own = triple_table(sentences, middle)
        believed = expected_counts(own)
        for (before, after), count in own.items():
            if before != "<s>" and after != "</s>":
                excess = count - believed[before, after]
                found.append(
                    (
                        excess,
                        f"{before} {middle} {after}",
                        count,
                        believed[before, after],
                    )
                )
    return sorted(found, reverse=True)


luck = standing_out(written_text(my_machines[1], my_train, seed=1))
rows = [
    (text, count, round(belief, 1))
    for _, text, count, belief in standing_out(my_train)[:8]
]
_, text, count, belief = luck[0]
print(
    f"by luck, in what the machine wrote, at most: {text}, {count} times instead of {belief:.0f}"
)
pd.DataFrame(rows, columns=["in your text", "counted", "a bigram model expects"])

# %% [markdown]
# Each line is something that your text says again and again, and that your bigram machine cannot know: it has seen both pairs of neighbours, and it has no idea that they belong together.
#
# You could give the machine two words of memory, and these cases would be solved. But then the same happens one word further on, with *open today for*, and section 6 has shown what a longer memory costs.

# %% [markdown]
# ## What you have now
#
# You have built a language model from nothing but counts, and you know why no other choice of its numbers fits the counted text better. It writes, and you can say
# in one number how surprised it is by a text. And you have caught it twice:
#
# - **It calls possible what it has seen, and nothing else.** One unseen pair makes a sentence impossible. Chapter 02 shows how to give some probability to what was never
#   seen, and how much.
# - **It forgets.** At *for*, it no longer knows whether it said *open*. A longer memory of the same kind recites. From chapter 04 on, you will build models that look further
#   back without counting every context separately: first by giving similar words similar numbers, then by carrying a state along, and at last, in chapter 08, by letting every word
#   look back at every other one. That model is called a Transformer, and it will write about your text, too.
