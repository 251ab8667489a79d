# %% [markdown]
# ## 7. Caught
#
# Your machine writes, and people have been impressed by less. Now let us find out what a machine with one word of memory can never do.
#
# Look at the word *for* in two requests: *is it open for lunch* and *i am looking for a restaurant*. What comes after *for* depends on what came *before* *for*.
# But when a bigram model has arrived at *for*, it has forgotten everything before. It must believe that, **given the middle word, the word before and the word
# after have nothing to do with each other.**
#
# That is a claim about language, and we can test it with counts. Suppose that *for* stands in 100 places. In 30 of them *open* comes before it. In 20 of them,
# that is in 20 %, *lunch* comes after it. If the word before made no difference, *lunch* would also come after 20 % of the 30 *open for*. So we would expect
# *open for lunch* in $30 \cdot 20 / 100 = 6$ places.
#
# In general, let the middle word $m$ stand in $c(m)$ places. In $c(x)$ of them the word $x$ comes before it, and in $c(y)$ of them the word $y$ comes after it.
# Then the count that we expect is
#
# $$E(x, y) = \frac{c(x)\,c(y)}{c(m)}.$$

# %% [markdown] statement="middle_word"
# ### Ask the middle word
#
# Write
#
# - `triple_table(sentences, middle)`: how often each pair of words stands around the word `middle`, as a dictionary `{(before, after): count}`. The edges of a
#   sentence count as `<s>` and `</s>`;
# - `expected_counts(table)`: from such a dictionary, the dictionary of $E$ for *every* word before combined with *every* word after, also for combinations that
#   never occurred.
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
agrees(triple_table, ours.triple_table, [["."], ["a", ".", "c"], ["b", "c"]], ".")
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
_sentence = choice(["b"], ["b", "b"], ["b", "a"], ["a", "b"], ["a"], [])
_text = made(lambda rng, *sentences: list(sentences), _sentence, _sentence)
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
# Here are the restaurant sentences, with *for* in the middle. Each row of the table is a word before *for* and a word after it. The column *counted* tells how
# often this happened. The column *expected* tells how often it would happen if the word before made no difference.

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
# First the column *counted*. After *open for*, *lunch* came 37 times and *a* came 0 times. After *looking for* it was the other way round: *lunch* came 9 times
# and *a* came 253 times.
#
# Now the column *expected*. After *open for*, it has 4.7 for *lunch* and 17.3 for *a*, so *a* is 3.7 times as frequent. After *looking for*, it has 46.6 and
# 171.2, so again *a* is 3.7 times as frequent. The bigram model must give the same answer in both cases, because at *for* it no longer knows whether it has said
# *open* or *looking*.
#
# Would more text help? The next cell trains the machine with one word of memory on the first eighth of the 8,300 restaurant sentences, on the first quarter,
# on the first half, and on all of them. Each row of the table is one machine. The column *impossible* is the share of the new test sentences that have the
# probability 0. The *perplexity* is that of the mixture with the weight 0.7, on the same sentences. The last three columns tell the machine's $P(a \mid
# \textit{for})$, how often it therefore expects *open for a*, and how often that came. Which columns will change?

# %%
rows = []
for part in (8, 4, 2, 1):
    some = train_sentences[: len(train_sentences) // part]
    forgetful = train_machine(some, memory=1)
    model = {word: row for (word,), row in forgetful[1].items()}
    zero = [sentence_log_probability(model, s) == -math.inf for s in new_sentences]
    mixed = surprise(forgetful, new_sentences, [0.7] * len(forgetful), known=occurs)
    after_open = Counter(
        c for s in some for a, b, c in ngrams(s, 3) if (a, b) == ("open", "for")
    )
    p = model["for"]["a"]
    rows.append(
        [
            len(some),
            f"{np.mean(zero):.0%}",
            mixed,
            p,
            after_open.total() * p,
            after_open["a"],
        ]
    )
names = ["sentences", "impossible", "perplexity", "P(a | for)", "expected", "counted"]
pd.DataFrame(rows, columns=names).round(2)

# %% [markdown]
# More text helps much. From the first row to the last, the impossible sentences fall from 77 % to 41 %, and the perplexity falls from 25.32 to 15.94. But now
# look at *open for a*. However much the machine reads, it believes that *a* comes after *for* in about four of ten places, also after *open for*. So the more
# often it reads *open for*, the more often it expects *open for a*: at first 3 times, and in the end 17 times. And it never came.
#
# More text makes the numbers for pairs more exact. But the machine would need a number for the three words *open for lunch*, and its table has only numbers for
# pairs. **No amount of text will change that.**
#
# You may object that we have invented these sentences ourselves. So ask your own text the same question. A cell below takes its 30 most frequent words, one
# after the other, as the word in the middle. For each pair of words around it, the **excess** is the real count minus the expected one. The first table shows
# the eight triples with the largest excess. (Marks such as full stops and the edges of sentences are left out, and so is a middle word with more than a
# million possible pairs around it.)
#
# Among thousands of triples, some have an excess by chance. How large can it be? To see this, your machine with one word of memory writes five texts with as
# many sentences as yours, by the folded cell. This machine really forgets, so in its texts every excess is chance. The second table shows the largest excess
# of each.


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
    """[words, count, expected, excess] for triples around frequent words, the largest excess first."""
    frequent = Counter(word for s in sentences for word in s if word[0].isalpha())
    found = []
    for middle, _ in frequent.most_common(30):
        own = triple_table(sentences, middle)
        before, after = map(set, zip(*own, strict=True))
        if len(before) * len(after) > 1_000_000:
            continue  # so many expected counts would fill the memory
        believed = expected_counts(own)
        for (before, after), count in own.items():
            if before[0].isalpha() and after[0].isalpha():
                e = round(believed[before, after], 1)
                found.append([f"{before} {middle} {after}", count, e, count - e])
    return sorted(found, key=lambda row: row[3], reverse=True)


columns = ["words", "counted", "expected", "excess"]
display(pd.DataFrame(standing_out(my_train)[:8], columns=columns).round(1))
luck = [
    standing_out(written_text(my_machines[1], my_train, seed))[0]
    for seed in range(1, 6)
]
print("The largest excess by chance, in five texts that the machine has written:")
pd.DataFrame(luck, columns=columns).round(1)

# %% [markdown]
# Compare the numbers in the column *excess*. If a triple of your text has a far larger excess than all five in the second table, it is hardly chance: after
# this first word and this middle word, the third word comes more often than it does after the middle word in general, and your machine with one word of
# memory cannot know it.
#
# The kitchen text is generated, too. So we also ask something that nobody has invented for a course: 12,000 of the most frequent first names, from the counts
# of the United States' Social Security Administration. Here a name is a sentence, and a letter is a word. A machine with one letter of memory must believe
# that, given the middle letter, the letters on its two sides have nothing to do with each other.

# %%
names = lmkit.load("names").splits["train"][:12_000]
display(pd.DataFrame(standing_out(names)[:5], columns=columns).round(1))
of_names = train_machine(names, memory=1)
luck = [standing_out(written_text(of_names, names, seed))[0] for seed in range(1, 6)]
print("The largest excess by chance, in five lists that the machine has written:")
pd.DataFrame(luck, columns=columns).round(1)

# %% [markdown]
# In these names, *a* stands 381 times between *m* and *r*, and the machine with one letter of memory would expect 115. The difference of 266 is far beyond
# the largest of chance, 41. So here, too, the model is wrong in what it believes, and this time nobody has made the data so.
#
# Would a second word of memory help at *for*? The last cell trains such a machine on the restaurant sentences.

# %%
two_words = train_machine(train_sentences, memory=2)
value = surprise(two_words, new_sentences, [0.7] * 3, known=occurs)
print(f"restaurant sentences, two words of memory: perplexity {value:.2f}")
after_open = two_words[2]["open", "for"]
print({word: round(after_open.get(word, 0), 2) for word in ("lunch", "a")})

# %% [markdown]
# A machine with two words of memory has a table for such triples: at *for* it still remembers *open*, as the last lines show, and its perplexity on the new
# restaurant sentences falls from 15.94 to 11.07. (So a 12 like that of your friend in section 5 needs no trick at all.) But say *open today for lunch*, and
# it has forgotten *open* again. We expect that each further word of memory only moves the problem one word further back, and in section 6 you have seen how
# little it brings to remember more than two.

# %% [markdown]
# ## What you have now
#
# You have built a language model from nothing but counts. You know why no other bigram model makes the counted text more probable. Your machine writes, and you
# can say in one number how surprised it is by a text. And you have caught it twice:
#
# - **Counting and dividing calls a pair possible only if it was seen.** New sentences made of seen pairs are possible, but one unseen pair makes a sentence
#   impossible. Adding $k$ cures this, but then, after *thai*, say, all words that were never seen there get the same probability. Chapter 02 shows better ways to
#   give some probability to what was never seen.
# - **It forgets.** With one word of memory it no longer knows at *for* whether it said *open*. With two words it knows this, and forgets what came before
#   *open*. And to remember five words brought hardly more than to remember two: 75 % of the contexts of five words in the new kitchen text had never been
#   seen. Of the 25 % that had been seen, two in five had never been followed by the word that now came. From chapter 04 on, you will build models that look
#   further back without counting every context. First, words that are used alike will share what is learned about them. Then the model will keep a short
#   summary of all that it has read so far. At last, in chapter 08, you will let every word look back at every earlier one. That model is called a
#   Transformer, and it will write about your text, too.
