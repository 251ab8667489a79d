# %% [markdown]
# ## 14. A second opinion
#
# BLEU sees only whole words and short rows of them. What does a person do who mends a translation? The *edit distance* counts: how many words must be inserted, deleted or exchanged to make the reference out of the output. Let $D_{ij}$ be the distance between the first $i$ words of $a$ and the first $j$ of $b$:
#
# $$D_{i0} = i, \quad D_{0j} = j, \qquad D_{ij} = \min \begin{cases} D_{i-1,j} + 1 & \text{delete } a_i \\ D_{i,j-1} + 1 & \text{insert } b_j \\ D_{i-1,j-1} + [a_i \ne b_j] & \text{keep or exchange} \end{cases}$$

# %% [markdown] statement="edit_distance"
# - `edit_distance(a, b)`: $D$ of two whole lists of words, an integer.
# - `post_editing(outputs, references)`: edits per reference word. For each sentence take the fewest edits to any of its references; divide their sum by the sum, over the sentences, of the *mean* length of its references.

# %% [markdown] hints="edit_distance"
# 1. Fill a table row by row; its first row and column are known.
# 2. Row $i$ needs only row $i - 1$, so one list is enough, or keep it all: a table of lists is fine.
# 3. The translation error rate TER (Snover et al., 2006) is this, with one more kind of edit: a whole phrase moved counts once. Ours does not know that edit.


# %% task="edit_distance" points=3 level=2 minutes=14
def edit_distance(a, b):
    """The fewest insertions, deletions and exchanges of words that make b of a."""
    ### BEGIN SOLUTION
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        new = [i]
        for j, y in enumerate(b, 1):
            new.append(min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (x != y)))
        row = new
    return row[-1]
    ### END SOLUTION


def post_editing(outputs, references):
    """Edits per reference word of a text."""
    ### BEGIN SOLUTION
    edits = words = 0
    for output, some in zip(outputs, references, strict=True):
        edits += min(edit_distance(output, reference) for reference in some)
        words += sum(map(len, some)) / len(some)
    return edits / words
    ### END SOLUTION


# %% test="edit_distance" aspect="the table" points=2
_got = edit_distance(
    ["the", "coffee", "black", "me", "pleases"], ["I", "like", "black", "coffee"]
)
assert is_number(_got), f"edit_distance returns a number; yours: {_got!r}."
assert _got == 4, (
    f"*the coffee black me pleases* to *I like black coffee*: 4 edits; yours: {_got}."
)
### BEGIN HIDDEN TESTS
a, b = (size(name, least=0, large=150) for name in "ab")
_some = choice("abc", ["a", "ab", "A"])
agrees(edit_distance, ours.edit_distance, words(a, _some), words(b, _some))
agrees(
    edit_distance, ours.edit_distance, words(a, ["word", "ward"]), words(b, ["ward"])
)
_got = edit_distance(["a", "b"], ["b", "a"])
assert _got == 2, f"*a b* to *b a*: 2 edits, a swap is none; yours: {_got}."
_a = list(map(str, range(360)))
_got = edit_distance(_a, _a[50:] + _a[:50])
assert _got == 100, f"360 words, shifted by 50: 100 wanted (and soon); yours: {_got}."
_got = edit_distance([], ["a"] * 300)
assert _got == 300, f"Nothing becomes 300 words: 300 edits wanted; yours: {_got}."
assert np.asarray(_got).dtype.kind in "iu", f"An integer is wanted; yours: {_got!r}."
### END HIDDEN TESTS

# %% test="edit_distance" aspect="edits per reference word" points=1
_outs, _refs = [["a", "b"], ["c"]], [[["a", "x"], ["a", "b", "c", "d"]], [["c"]]]
_got = post_editing(
    [list(o) for o in _outs], [[list(r) for r in some] for some in _refs]
)
assert is_number(_got) and close(_got, 1 / 4), (
    f"1 edit and 0 edits, 3 words on average and 1: 1/4 wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
agrees(
    post_editing,
    ours.post_editing,
    made(random_text, size("sentences")),
    by=lambda judge, text: judge(*text),
)
_got = post_editing([["a", "b", "c"]], [[["x"]]])
assert close(_got, 3), f"*a b c* in place of *x*: 3 edits per word; yours: {_got}."
### END HIDDEN TESTS


# %%
def chrf(output, references, longest=6, beta=2):
    """chrF (Popovic, 2015), the best over references: shared rows of letters, recall weighing beta times precision."""

    def grams(text, i):
        return Counter(text[j : j + i] for j in range(len(text) - i + 1))

    def one(mine, other):
        parts = []
        for i in range(1, longest + 1):
            a, b = grams(mine, i), grams(other, i)
            if a and b:
                shared = (a & b).total()
                parts.append((shared / a.total(), shared / b.total()))
        precision, recall = np.mean(parts, 0)
        both = beta**2 * precision + recall
        return (1 + beta**2) * precision * recall / both if both else 0.0

    return max(one("".join(output), "".join(r)) for r in references)


# %%
rows = {
    how: (
        bleu(outputs, references),
        1 - post_editing(outputs, references),
        np.mean([chrf(o, r) for o, r in zip(outputs, references, strict=True)]),
    )
    for how, outputs in spoilt.items()
}


# %% folded="draws three scores of four errors" alt="Four kinds of errors, scored by BLEU, by edits and by chrF: a swap costs BLEU most, with 0.67; a wrong ending costs BLEU 0.29 and the others only 0.11."
_, axes = plt.subplots(figsize=(8.5, 3.4))
for i, name in enumerate(("BLEU, all references", "1 - edits per word", "chrF")):
    places = np.arange(len(rows)) + 0.26 * (i - 1)
    bars = axes.barh(places, [row[i] for row in rows.values()], 0.24, label=name)
    axes.bar_label(bars, fmt="%.2f", padding=3)
axes.set(
    yticks=range(len(rows)), yticklabels=list(rows), xlabel="score", xlim=(0, 1.05)
)
axes.invert_yaxis()
axes.set_title("The same errors, weighed in three ways")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()


# %% [markdown]
# The three agree that all of these texts are worse than perfect, and that a swap is worse than a lost word and than a wrong ending. They do not agree on by how
# much, nor on the rest. For BLEU a swap is the worst (it breaks up to three pairs, four triples and five 4-grams), though no word is wrong. For our edit
# distance it is two edits; for one that also knows moving a word, it would be one. A lost word, a foreign one and a wrong ending cost an editor the same. chrF,
# which reads letters, forgives the ending: nearly all of the word is there, and a reader would understand it. Which error matters, no formula says: where it
# counts, people compare the outputs or mend them.

# %% [markdown]
# ## 15. What comes next
#
# Look back at the way you came. A table with one row for each whole sentence knew its training text by heart and was lost with every new sentence. One vector
# between two LSTMs could *read* a new sentence, but got a third of them right at best, and hardly a long one. Attention let the decoder look back, and found
# out by itself which words belong together. With attention, most translations of new sentences were right, after a short training on 5,000 examples.
#
# Two things are worth remembering when you read about a better translator. First, most of its mistakes are the model's own: in section 11 a wider beam
# searched better and better, and the share of right sentences stayed where it was. Second, a single score can rise while the translations get worse. Section
# 10 has asked how that can be, and you could only notice it where, as here, a grammar knows the truth.
#
# What about that truth for language models? In chapter 10 all models of this course read one text whose exact probabilities are known, and you will learn when a difference between two of them may be believed.
#
# *To read on:* Sutskever, Vinyals and Le 2014 (two LSTMs); Bahdanau, Cho and Bengio 2015 and Luong, Pham and Manning 2015 (attention); Vaswani and others 2017 (the Transformer); Brown and others 1993 (the noisy channel); Papineni and others 2002 (BLEU); Post 2018 (`sacrebleu`).
