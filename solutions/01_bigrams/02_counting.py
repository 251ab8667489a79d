# %% [markdown]
# ## 1. What to count?
#
# Let us open the machine. What should it count? The most obvious idea is to count whole sentences: a sentence that was said 5 times in 1,000
# gets the probability 0.005. Before we build anything cleverer, let us see how far this goes.
#
# For this we need a text about which other people have published numbers. In the **Berkeley Restaurant Project** (1994),
# people asked a machine where to eat, and 9,222 of their sentences were counted. Textbooks still print a small part of these counts. Eight words were
# chosen. For each of them we are told how often it occurred, which makes 8 numbers, and how often it was followed by each of the eight, which makes 64.
#
# The sentences themselves are not ours to give you, so we have invented 9,222 others. They are made so that all 72 numbers come out as printed. Everything else that
# we shall measure on them is a fact about our invention, not about how people spoke.
#
# In code, a *sentence* is a list of words. (In a text of your own, it is one line or one paragraph of the file.) We keep 922 of the sentences back, to test on.

# %%
corpus = lmkit.load("berkeley")
train_sentences, test_sentences = corpus.splits["train"], corpus.splits["test"]
for sentence in train_sentences[:4]:
    print(" ".join(sentence))
print(len(train_sentences), "sentences to learn from,", len(test_sentences), "to test")

# %% [markdown]
# The **count** $c(s)$ of a sentence $s$ is the number of times it occurs among the 8,300 sentences that we learn from. Its **share** is $c(s)/8300$, and this
# would be our estimate of its probability. Guess before you run the next cell: how many of the 922 test
# sentences also occur among the 8,300 others?

# %%
sentence_counts = Counter(map(tuple, train_sentences))
old = [s for s in test_sentences if tuple(s) in sentence_counts]
new_sentences = [s for s in test_sentences if tuple(s) not in sentence_counts]
print(
    f"said before: {len(old) / len(test_sentences):.0%}, {np.mean([len(s) for s in old]):.1f} words long on average"
)
print(
    f"never said:  {len(new_sentences) / len(test_sentences):.0%}, {np.mean([len(s) for s in new_sentences]):.1f} words long on average"
)

# %% [markdown]
# So counting sentences does not work. Six in ten of the test sentences are not among the training sentences, so they would get the probability 0, although there is nothing wrong with them. Would more text help? For short sentences it would: the mean lengths show that what comes again is short. For long ones there is no hope,
# because 1,000 words can be put into $1000^7 = 10^{21}$ sequences of seven words. Nearly all of these are nonsense. But even if only one in a million makes sense, that is $10^{15}$ sentences, and we have 8,300.
#
# And what about the other four in ten? It is normal that people say the same short things again and again. But these sentences tell us nothing about how a model deals with something new, because a model that merely knows its training text by heart gives all of them a good probability. If a test repeats what the model has read, it has **leaked**: part of a good score is then memory, and not skill. So for the restaurant sentences we shall always say which ones we mean, all 922 or only the new ones.

# %% [markdown] statement="ngrams"
# ### n-grams
#
# If whole sentences are too long to be counted, count short pieces. An **n-gram** is a run of $n$ tokens, and a **token** is
# one unit of the text: here a word, or one of two marks that we add. The mark `</s>` stands after the last word of a
# sentence, so that a model can also learn where sentences end. And in front of the first word we put $n-1$ marks `<s>`, so that
# even the first word has $n-1$ tokens before it. A **bigram** ($n = 2$) is one word of memory and the next word; a
# **trigram** ($n = 3$) is two words of memory and the next word. The drawing below shows the four trigrams of *how we wish*. Read $P(\textit{wish} \mid \textit{how we})$ there as "the probability of *wish* after *how we*".
#
# Write `ngrams(tokens, n)`, which returns all n-grams of one sentence, from left to right. When you are done, the cell below the
# checks counts the bigrams of three sentences with your function, and you can follow it with a pencil.

# %% alt="A window of three boxes slides over the padded sentence <s> <s> how we wish </s>, one step a row. In each row the first two boxes are the context and the third is the word that is predicted."
drawings.ngram_window(["how", "we", "wish"], 3)

# %% [markdown] hints="ngrams"
# 1. Pad first; then slide a window of fixed width along the padded sentence.
# 2. How many windows of width $n$ fit into a list of length $L$? Try $L = 4$, $n = 2$ with your fingers.
# 3. Every window ends at a different token, and may end at each that the model has to predict. So there is one n-gram
#    for each word and one for `</s>`, whatever $n$ is: a good check of where your windows start and stop.


# %% task="ngrams" points=3 level=1 minutes=8
def ngrams(tokens, n):
    """The n-grams (tuples) of one sentence, padded with n-1 `<s>` in front and one `</s>` at the end."""
    ### BEGIN SOLUTION
    padded = ["<s>"] * (n - 1) + list(tokens) + ["</s>"]
    return [tuple(padded[i : i + n]) for i in range(len(padded) - n + 1)]
    ### END SOLUTION


# %% test="ngrams" aspect="bigrams of three words" points=1
_got = ngrams(["we", "sat", "here"], 2)
_wanted = [("<s>", "we"), ("we", "sat"), ("sat", "here"), ("here", "</s>")]
assert _got is not None, "You return None; return a list of tuples."
assert list(_got) == _wanted, (
    f"The bigrams of `we sat here` are {_wanted}; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
agrees(ngrams, ours.ngrams, words(size("length"), ["no", "tea", "or"]), 2)
### END HIDDEN TESTS

# %% test="ngrams" aspect="n minus one start symbols" points=1
for _n, _first in (
    (1, ("we",)),
    (3, ("<s>", "<s>", "we")),
    (4, ("<s>", "<s>", "<s>", "we")),
):
    _got = ngrams(["we", "sat"], _n)
    assert hasattr(_got, "__iter__"), f"Return a list of tuples; you return {_got!r}."
    _got = list(_got)
    assert _got[:1] == [_first], (
        f"The first {_n}-gram of `we sat` is {_first}; yours: {_got[:1]}."
    )
### BEGIN HIDDEN TESTS
agrees(
    ngrams, ours.ngrams, words(size("length", least=0, large=None), "ab"), whole(1, 7)
)
### END HIDDEN TESTS

# %% test="ngrams" aspect="one for each word, one for the end" points=1
_got = list(ngrams(["a", "b", "c"], 3) or [])
assert len(_got) == 4, (
    f"Three words have four 3-grams, the last for `</s>`; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
agrees(ngrams, ours.ngrams, words(size("length", least=0), "abcd"), whole(1, 7, (4,)))
### END HIDDEN TESTS

# %% [markdown]
# Here is your function at work on three short sentences. Count some of the pairs yourself: how often does *we* occur, and what
# follows it?

# %%
sentences = [
    ["we", "sat", "in", "the", "house"],
    ["we", "sat", "here", "we", "two", "and", "we", "said"],
    ["how", "we", "wish", "we", "had", "something", "to", "do"],
]
counts = Counter(pair for sentence in sentences for pair in ngrams(sentence, 2))
for (w1, w2), count in counts.most_common(5):
    print(f"{count} times  {w1} {w2}")
