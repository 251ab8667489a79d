# %% [markdown]
# ## 2. The first real table
#
# Here are the published counts of the eight words. Each row of the table belongs to a word, and each column to the word that came right after it. For example,
# the row *want* has 608 in the column *to*. So people said *want to* 608 times. In the same row, the column *want* has a 0: nobody said *want want*. Such zeros
# will matter. Half of the 64 numbers in this table are zeros.
#
# The line above the table tells how often each of the eight words was said in all.

# %%
pair_counts = berkeley.table("bigram_counts")
word_counts = berkeley.unigram_counts().to_dict()
print("How often each word occurs:", word_counts)
pair_counts

# %% [markdown] statement="count_table"
# ### Does our text have these counts?
#
# Our invented sentences should agree with all of these numbers. Check it: write `count_table(sentences, words)`, which makes such a table for any list of
# sentences. The first check below compares your table with the 64 printed numbers.

# %% [markdown] hints="count_table"
# 1. What stands after the last word of a sentence?
# 2. One pass can count every pair of the text; the table is then 64 look-ups. (64 passes are slow.)
# 3. Where two sentences meet no pair may arise, so pairs must be formed while you still know which sentence you are
#    in. And a pair nobody counted must come out as 0, not as an error.


# %% task="count_table" points=3 level=2 minutes=12
def count_table(sentences, words):
    """A DataFrame with a row and a column for each of `words`, in that order.

    How often w2 (column) stands right after w1 (row) in the same sentence; 0 for a pair that never occurs.
    """
    ### BEGIN SOLUTION
    counts = Counter(pair for sentence in sentences for pair in pairwise(sentence))
    return pd.DataFrame(
        [[counts[w1, w2] for w2 in words] for w1 in words], index=words, columns=words
    )
    ### END SOLUTION


# %% test="count_table" aspect="all 64 printed counts" points=1
_got = count_table(train_sentences + test_sentences, list(berkeley.WORDS))
assert hasattr(_got, "loc"), f"Return a DataFrame; yours: {_got!r}."
assert np.shape(_got) == (8, 8), (
    f"Eight words make a table of shape (8, 8); yours: {np.shape(_got)}."
)
_cells = [(w1, w2) for w1 in berkeley.WORDS for w2 in berkeley.WORDS]
_off = [cell for cell in _cells if _got.loc[cell] != pair_counts.loc[cell]]
assert not _off, (
    f"{64 - len(_off)} of 64 cells are as printed. One that is not: `{' '.join(_off[0])}` is printed "
    f"as {pair_counts.loc[_off[0]]}, you count {_got.loc[_off[0]]}."
)


### BEGIN HIDDEN TESTS
def _parts(function, *given):
    table = function(*given)
    return [list(table.index), list(table.columns), table.to_numpy()]


_some = made(lambda rng: rng.sample(train_sentences, 300))
_words = made(lambda rng: rng.sample(list(berkeley.WORDS), 4))
agrees(count_table, ours.count_table, _some, _words, by=_parts)
_got = count_table([["a"] * 70_001, ["b"]], ["b", "a"])
assert close(_got.loc["a", "a"], 70_000), (
    f"70,001 times `a` in a row are 70,000 pairs; yours: {_got.loc['a', 'a']}."
)
### END HIDDEN TESTS

# %% test="count_table" aspect="no pair across two sentences" points=1
_got = count_table([["no", "tea"], ["no", "no", "no"], ["tea"]], ["no", "tea"])
assert hasattr(_got, "loc"), f"Return a DataFrame; yours: {_got!r}."
assert _got.loc["tea", "no"] == 0, (
    f"`tea` ends a sentence, `no` begins the next: no pair; yours: {_got.loc['tea', 'no']}."
)
assert _got.loc["no", "no"] == 2, (
    f"`no no no` has two pairs `no no`; yours: {_got.loc['no', 'no']}."
)


### BEGIN HIDDEN TESTS
def _parts(function, *given):
    table = function(*given)
    return [list(table.index), list(table.columns), table.to_numpy()]


for _alphabet in (
    "abcd",
    ["tea", ".", "no", "not", "ea", "No"],
    ["|", "#", "-", "/"],
    ["a", "a b", "b", "b a"],
):
    _text = listing(
        size("sentences", least=0), words(size("length", least=0), _alphabet)
    )
    _words = made(
        lambda rng, k, known=_alphabet: rng.sample(list(known), k), whole(1, 4)
    )
    agrees(count_table, ours.count_table, _text, _words, by=_parts, mixtures=6)
_glued = [["no", "tea"], ["a", "not", "ea"]]
agrees(count_table, ours.count_table, _glued, ["no", "not", "ea", "tea"], by=_parts)
### END HIDDEN TESTS

# %% test="count_table" aspect="words in the order given" points=1
_got = count_table([["x", "z"], ["z", "x", "z"]], ["z", "x", "y"])
assert hasattr(_got, "loc"), f"Return a DataFrame; yours: {_got!r}."
assert list(_got.index) == list(_got.columns) == ["z", "x", "y"], (
    f"Rows and columns follow `words`, also `y`, which never occurs; yours: {list(_got.index)}, {list(_got.columns)}."
)
assert np.array_equal(_got, [[0, 1, 0], [2, 0, 0], [0, 0, 0]]), (
    f"`x z` occurs twice, `z x` once, all others 0 times; row first, then column. Yours: {np.array(_got).tolist()}."
)


### BEGIN HIDDEN TESTS
def _parts(function, *given):
    table = function(*given)
    return [list(table.index), list(table.columns), table.to_numpy()]


_text = listing(size("sentences"), words(size("length"), ["to", "go", "out", "is"]))
_words = made(
    lambda rng, k: rng.sample(["out", "go", "never", "to", "nor"], k), whole(1, 5)
)
agrees(count_table, ours.count_table, _text, _words, by=_parts)
agrees(count_table, ours.count_table, [["to", "to"], ["eat"]], ["to", "eat"], by=_parts)
### END HIDDEN TESTS

# %% [markdown]
# When the first check passes, all 64 counts of our sentences are the published ones. The published ones were counted in real sentences. So these numbers, and
# everything that follows from them alone, are facts about what people said in 1994. Everything else about our sentences is invented.
#
# Now from counts to probabilities. By the published counts, *i* was said 2,533 times, and *want* came next 827 times. So the natural estimate for the probability
# that *want* comes after *i* is the share $827 / 2533 = 0.33$. In general, let $c(w_1 w_2)$ be the count of a pair, and let $c(w_1)$ be the count of its first
# word. Then
#
# $$P(w_2 \mid w_1) = \frac{c(w_1 w_2)}{c(w_1)}.$$
#
# Read the left side as "the probability of $w_2$, given that $w_1$ came just before". This is the whole **bigram model**.
#
# Do the probabilities of everything that may follow $w_1$ sum to 1? Yes. Each time that $w_1$ is said, something comes after it: another word, or the mark `</s>`
# for the end of the sentence. So if we add up $c(w_1 w_2)$ over all possible $w_2$, we get $c(w_1)$.

# %% [markdown] statement="bigram_mle"
# ### From counts to probabilities
#
# First compute four such probabilities with a pencil. Then write the model twice, once for counts in a dictionary and once for counts in an array:
#
# - `by_hand()`: count in the three `sentences` of section 1 with a pencil, and return the dictionary
#   `{"sat|we": ..., "wish|we": ..., "in|sat": ..., "</s>|house": ...}` (the check below looks at one of the four, the hidden test at all of them);
# - `bigram_mle(counts)`: from `{(w1, w2): count}` to the nested dictionary `model[w1][w2]`;
# - `bigram_mle_array(C)`: from an array of counts, with a row for each $w_1$, to the array of probabilities, without a loop.
#
# The machine with one word of memory, which babbled in the beginning, was made just like this. Below the checks, yours will speak.

# %% [markdown] hints="bigram_mle"
# 1. The word that stands *after* the bar picks the row; everything in that row is divided by one number.
# 2. Loop: no entry can be divided before the total of its row is known. Array: the totals need a shape that spreads
#    over the columns.
# 3. A row total of 0 would give 0/0. All entries of such a row are 0 anyway: by which other number could you divide
#    them?


# %% task="bigram_mle" points=4 level=2 minutes=20
def by_hand():
    """Four probabilities of the three sentences, as a dict from "w2|w1" to a float."""
    ### BEGIN SOLUTION
    return {"sat|we": 2 / 6, "wish|we": 1 / 6, "in|sat": 1 / 2, "</s>|house": 1.0}
    ### END SOLUTION


def bigram_mle(counts):
    """model[w1][w2] = P(w2 | w1) for the pairs in `counts`, {(w1, w2): positive int}; rows only for those w1."""
    ### BEGIN SOLUTION
    totals = Counter()
    for (w1, _), count in counts.items():
        totals[w1] += count
    model = defaultdict(dict)
    for (w1, w2), count in counts.items():
        model[w1][w2] = count / totals[w1]
    return dict(model)
    ### END SOLUTION


def bigram_mle_array(C):
    """P, shape [V, V]: P[i, j] = P(word j | word i) from counts C, shape [V, V]; a row without counts stays zero."""
    ### BEGIN SOLUTION
    totals = C.sum(axis=1, keepdims=True)
    return C / np.where(totals == 0, 1, totals)
    ### END SOLUTION


# %% test="bigram_mle" aspect="four probabilities by hand" points=1
_got = by_hand()
assert hasattr(_got, "keys"), f"by_hand returns a dict; yours: {_got!r}."
for _name in ("sat|we", "wish|we", "in|sat", "</s>|house"):
    _value = _got.get(_name)
    assert is_number(_value), f"{_name}: a number is wanted, not {_value!r}."
assert math.isclose(_got["in|sat"], 0.5), (
    f"sat occurs twice, once before in: .5; yours: {_got['in|sat']}."
)
### BEGIN HIDDEN TESTS
_wanted = {"sat|we": 1 / 3, "wish|we": 1 / 6, "in|sat": 1 / 2, "</s>|house": 1}
for _name, _value in _wanted.items():
    assert close(_got[_name], _value, atol=0.006), (
        f"{_name} is not {_got[_name]}: count again, first the word after the bar, then how often the other follows it."
    )
### END HIDDEN TESTS

# %% test="bigram_mle" aspect="rows divide by their context" points=1
_got = bigram_mle(
    {("i", "want"): 3, ("i", "eat"): 1, ("you", "want"): 5, ("want", "i"): 2}
)
assert hasattr(_got, "keys") and "i" in _got, (
    f"model['i'] should hold the words that follow i; yours: {_got!r}."
)
assert close(_got["i"].get("want", 0), 0.75), (
    f"i occurs 4 times as first word, 3 times before want: P(want | i) = .75; yours: {_got['i']!r}."
)
### BEGIN HIDDEN TESTS
_befores = ["<s>", "a", "b", "('a',)", "1"], [(a,) for a in "abcd"] + [("a", "b")]
_counts = made(
    lambda rng, n, befores: {
        pair: rng.randint(1, 9)
        for pair in rng.sample([*itertools.product(befores, [*"abcdefg", "</s>"])], n)
    },
    size("pairs", most=20),
    choice(*_befores),
)
_growing = made(lambda rng, counts: defaultdict(int, counts), _counts)
agrees(bigram_mle, ours.bigram_mle, choice(_counts, _growing))
### END HIDDEN TESTS

# %% test="bigram_mle" aspect="the array divides row by row" points=1
_got = bigram_mle_array(np.array([[0, 3, 1], [2, 0, 2], [1, 1, 8]]))
assert np.shape(_got) == (3, 3), f"Wanted shape (3, 3); yours: {np.shape(_got)}."
assert close(np.sum(_got, axis=1), [1, 1, 1]), (
    f"Each row sums to 1; yours: {np.sum(_got, axis=1)}."
)
### BEGIN HIDDEN TESTS
_V = size("V")
_C = array(_V, _V, below=19, kind=choice("int64", "float64"))
agrees(bigram_mle_array, ours.bigram_mle_array, made(lambda rng, C: C + 1, _C))
### END HIDDEN TESTS

# %% test="bigram_mle" aspect="empty rows stay zero" points=1
with np.errstate(all="ignore"):
    _got = bigram_mle_array(np.array([[1, 3], [0, 0]]))
assert np.shape(_got) == (2, 2), f"Wanted shape (2, 2); yours: {np.shape(_got)}."
assert close(_got, [[0.25, 0.75], [0, 0]]), (
    f"Counts [[1, 3], [0, 0]]: the second row was never seen and stays zero, the first is divided as ever; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_V = size("V")
_C = made(  # every third row is empty
    lambda rng, C, first: (C + 1) * (np.arange(len(C)) % 3 != first)[:, None],
    array(_V, _V, below=19, kind=choice("int64", "float64")),
    whole(0, 2, (1,)),
)
_few = array(_V, _V, below=2)
agrees(bigram_mle_array, ours.bigram_mle_array, choice(_C, _few))
### END HIDDEN TESTS

# %%
restaurant_model = bigram_mle(
    Counter(pair for s in train_sentences for pair in ngrams(s, 2))
)
for w1, w2 in (("i", "want"), ("want", "to"), ("to", "eat"), ("chinese", "food")):
    print(f"P({w2:4} | {w1:7}) = {restaurant_model[w1].get(w2, 0):.2f}")

# %% [markdown]
# These numbers are already little pieces of knowledge. After *want*, the next word is *to* with probability 0.65: this is knowledge about grammar. After
# *chinese*, it is *food* with probability 0.54: this is knowledge about what people ask of a restaurant guide. Your function was told none of this. It has only
# counted the 8,300 training sentences.
#
# These sentences are invented, so what do the published counts say? By them, *to* follows *want* with the probability $608/927 = 0.66$, and *food* follows
# *chinese* with $82/158 = 0.52$. These two are facts about what people said. (Our numbers must be near them, because the invented sentences were made to have the
# published counts.)
#
# ### Your machine speaks
#
# What does your function make of *your* text? The cell below counts the bigrams of your text with your `ngrams`, and your `bigram_mle` turns the counts into a
# model. Then it draws one word after the other. Each word is drawn from the row of the word before it, so that *to* is drawn after *want* as often as the row
# *want* says. Where a sentence ends, the next one begins.


# %%
my_bigrams = bigram_mle(Counter(pair for s in my_train for pair in ngrams(s, 2)))
dice, said = random.Random(11), ["<s>"]
while len(said) < 40:
    row = my_bigrams[said[-1]]
    (word,) = dice.choices([*row], weights=[*row.values()])
    said.append("<s>" if word == "</s>" else word)
print(" ".join(word for word in said if word != "<s>"))

# %% [markdown]
# You have now built a machine with one word of memory, like the borrowed one at the beginning of this chapter. Are the two really the same? The next cell
# takes every word of your text and compares two rows of probabilities: what may come after this word in the borrowed machine, and in yours. It also compares
# the row `<s>`. The borrowed machine has no `<s>` and no `</s>`. It has one line-end word instead. What comes after a line end is the beginning of a line, so
# its row for this word is compared with your row `<s>`. But the first line of the file has no line end before it, so the borrowed machine counts one
# beginning fewer than you do, and the probabilities in this row differ a little.

# %%
theirs = machines["one word"]
same = 0
for word in my_words:
    own = my_bigrams[word]
    borrowed = {
        w.replace("\n", "</s>"): p for w, p in theirs.next_words([word]).items()
    }
    same += {*own} == {*borrowed} and all(
        math.isclose(own[w], borrowed[w]) for w in own
    )
print(f"{same:,} of {len(my_words):,} rows are equal, number by number")
begins = theirs.next_words(["\n"])  # what begins a line
own = my_bigrams["<s>"]
gap = max(abs(own.get(w, 0) - begins.get(w, 0)) for w in {*own, *begins})
print(f"in the row <s>, no probability differs by more than {gap:.5f}")

# %% [markdown]
# A bigram model does not need words. The next cell uses your array function on the *letters* of your text. Each row belongs to a letter, and each column to the
# letter that comes next. (The sign ␣ is the gap between two words.) The darker a square, the more probable the next letter. (The colour follows the square root
# of the probability, so that small ones can be seen. The bar on the right gives the probability itself.)
#
# Find the row of *q*. In an English text it usually has a single dark square, in the column *u*: after a *q*, the next letter is almost certain.  Then find a row
# that has many pale squares and not a single dark one. After such a letter, many others are possible and none is likely, so it is hard to guess what comes next.

# %% alt="A square map of 27 by 27 letters and the blank. Rows are letters, columns the letters that follow; dark squares are frequent pairs, such as t before h, or a single dark square in the row of q."
letters = " abcdefghijklmnopqrstuvwxyz"
text = " ".join(
    word for sentence in my_train for word in sentence if word.isalpha()
).lower()
spelled = [letters.index(sign) for sign in text if sign in letters]
C = np.zeros((27, 27))
np.add.at(C, (spelled[:-1], spelled[1:]), 1)
P = bigram_mle_array(C)
_, axes = plt.subplots(figsize=(6.4, 6))
image = axes.imshow(P**0.5, cmap="Blues", vmin=0, vmax=1)
scale = plt.colorbar(image, label="probability", shrink=0.7)
scale.set_ticks(
    [0, 0.1**0.5, 0.25**0.5, 0.5**0.5, 1], labels=["0", "0.1", "0.25", "0.5", "1"]
)
axes.set_xticks(range(27), letters.replace(" ", "␣"))
axes.set_yticks(range(27), letters.replace(" ", "␣"))
axes.set(
    title="Which letter follows which in your text",
    xlabel="next letter",
    ylabel="letter",
)
axes.grid(False)
plt.show()
