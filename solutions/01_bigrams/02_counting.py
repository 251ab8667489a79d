# %% [markdown]
# ## 1. What to count?
#
# Let us open the machine. What should it count? The most obvious idea is to count whole sentences. If a sentence was said 5 times among 1,000 sentences, it
# gets the probability 0.005. Before we build anything cleverer, let us see how far this idea goes.
#
# We try it on short requests about restaurants. In the **Berkeley Restaurant Project** (1994), people asked a machine where to eat. Two public lectures, one
# by Fabrizio Silvestri and one by Benjamin Muller, print two things about 9,222 of the real sentences: how often each of eight frequent words was said, and,
# for each of the 64 ordered pairs of these words, how often the second came right after the first. (The textbook by Daniel Jurafsky and James Martin has made
# these counts well known.) The counts are real, and in section 2 we shall use them. The sentences are not ours to give you. So we have invented 9,222
# sentences of our own, in which these eight words, and their pairs, occur as often as in the lectures' tables. Whatever else we shall measure on them is a
# fact about our invention, and not about how people spoke.
#
# In code, a *sentence* is a list of words. We keep 922 of the sentences back, to test on, and learn from the other 8,300.

# %%
corpus = lmkit.load("berkeley")
train_sentences, test_sentences = corpus.splits["train"], corpus.splits["test"]
for sentence in train_sentences[:4]:
    print(" ".join(sentence))
print(len(train_sentences), "sentences to learn from,", len(test_sentences), "to test")

# %% [markdown]
# The 8,300 sentences from which we learn are called the **training sentences**. The **count** $c(s)$ of a sentence $s$ is the number of times that it occurs
# among them. Its **share** is $c(s)/8300$, and this would be our estimate of its probability.
#
# Guess before you run the next cell: how many of the 922 test sentences are new, that is, do not occur among the training sentences?

# %%
sentence_counts = Counter(map(tuple, train_sentences))
new_sentences = [s for s in test_sentences if tuple(s) not in sentence_counts]
print(f"new: {len(new_sentences) / len(test_sentences):.0%} of the test sentences")
for least, most in ((1, 2), (3, 4), (5, 6), (7, 18)):
    group = [s for s in test_sentences if least <= len(s) <= most]
    new = sum(tuple(s) not in sentence_counts for s in group)
    print(f"{least} to {most:2} words: {new:3} of {len(group)}, {new / len(group):.0%}")

# %% [markdown]
# The first line says that 60 % of the test sentences are new. If we count whole sentences, each of these gets the probability 0, although there is nothing wrong
# with it. So on these sentences, counting whole sentences does not work.
#
# The other lines show what length does. Of the sentences with one or two words, 9 % are new, and of those with five or six words 47 %. Of the 324 sentences
# with seven words or more, not a single one occurs among the training sentences. The last step is our own doing: when we invented the sentences, we made none
# of seven words or more twice. But that the share rises with the length has a general reason: with each further word, there are many more sentences that one
# could say.
#
# The other 40 % of the test sentences are a problem of another kind. A model that has merely learned its training sentences by heart gives all of these a good
# probability. It is then praised for its memory, and not for what it does with something new. Some repetition is honest: people do make short requests more than
# once. If test sentences have got into the training text by mistake, we say that the test has **leaked**. An honest repetition and a leak raise the score alike,
# and the score does not tell which of them it was. So whenever we test on the restaurant sentences, we shall say whether we use all 922 of them or only the new
# ones.

# %% [markdown] statement="ngrams"
# ### n-grams
#
# If whole sentences are too long to be counted, count short pieces. An **n-gram** is a run of $n$ tokens, and a **token** is
# one unit of the text: here a word (a full stop counts as one), or one of two marks that we add. The mark `</s>` stands after the last word of a
# sentence, so that a model can also learn where sentences end. And in front of the first word we put $n-1$ marks `<s>`, so that
# even the first word has $n-1$ tokens before it. A **bigram** ($n = 2$) is one word of memory and the next word; a
# **trigram** ($n = 3$) is two words of memory and the next word. The drawing below shows the four trigrams of *how we wish*. Read $P(\textit{wish} \mid
# \textit{how we})$ there as "the probability of *wish* after *how we*".
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
agrees(ngrams, ours.ngrams, words(size("length", large=3000), ["no", "tea", "or"]), 2)
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
# Here is your function at work on three short sentences. The cell counts their bigrams and prints five of the counts. Check the pair *we sat* with a pencil: how
# often does it occur in the three sentences?

# %%
sentences = [
    ["we", "sat", "in", "the", "house"],
    ["we", "sat", "here", "we", "two", "and", "we", "said"],
    ["how", "we", "wish", "we", "had", "something", "to", "do"],
]
counts = Counter(pair for sentence in sentences for pair in ngrams(sentence, 2))
for (w1, w2), count in counts.most_common(5):
    print(f"{count} times  {w1} {w2}")
