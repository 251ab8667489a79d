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
# 3. The translation edit rate TER (Snover et al., 2006) is this, with one more kind of edit: a whole phrase moved counts once. Ours does not know that edit.


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
        if not parts:
            return 0.0
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


# %% folded="draws three scores of four errors" alt="Four kinds of errors, scored by BLEU, by edits and by chrF: BLEU is lowest for a swap, 0.67; all three are mild on a wrong ending, and chrF most of all, with 0.96."
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
# The three agree that all of these texts are worse than perfect, and that a swap is worse than a wrong ending. They do not agree on by how much, nor on the
# rest. For BLEU a swap is the worst (it breaks up to three pairs, four triples and five 4-grams), though no word is wrong. For our edit distance it is two
# edits; for one that also knows moving a word, it would be one. A lost word, a foreign one and a wrong ending cost an editor the same. chrF, which reads
# letters, hardly distinguishes the first three, but it nearly forgives the wrong ending, with 0.96: almost all of the word is there.
#
# And yet this ending says who acts: *konuramu* is "we know", *konurasu* "you know". So chrF is mildest where a small change of letters has changed the
# meaning. Which error matters, no formula says: where it counts, people compare the outputs or mend them.

# %% [markdown]
# Now let all of them judge your own translators: the sentences that they wrote in sections 6 and 7.

# %%
# NBVAL_IGNORE_OUTPUT
# Another machine trains slightly other weights.
table = {}
for name, outputs in translated.items():
    some, one = references[: len(outputs)], [[T] for T in valid_targets[: len(outputs)]]
    right = map(translation.is_translation, valid_sources, outputs)
    table[name] = {
        "right": np.mean([*right]),
        "BLEU, one reference": bleu(outputs, one),
        "BLEU, all": bleu(outputs, some),
        "1 - edits": 1 - post_editing(outputs, some),
        "chrF": np.mean([chrf(o, r) for o, r in zip(outputs, some, strict=True)]),
    }
print(pd.DataFrame(table).T.round(2).to_string())

# %% [markdown]
# Compare the last two rows. When we ran it, the Transformer had more right sentences than the two LSTMs with attention, 78 against 74, and yet a *lower* BLEU
# with one reference, 0.65 against 0.67. With all references the two are level, 0.92. On a hundred sentences such differences may be luck. The race of section
# 8 has more to offer: twelve trainings with attention, each judged on 1,500 sentences. Take any two of them. How often does the one with the higher BLEU have
# fewer right translations?

# %%
runs = race[race.decoder != "vector"].to_dict("records")
count = math.comb(len(runs), 2)
for judge, name in (("bleu", "one reference"), ("bleu_all", "all references")):
    misled = [
        (100 * (worse["right"] - better["right"]), better[judge] - worse[judge])
        for better, worse in itertools.permutations(runs, 2)
        if better[judge] > worse[judge] and better["right"] < worse["right"]
    ]
    clear = [(loss, gain) for loss, gain in misled if gain >= 0.5]
    print(f"BLEU, {name}: misled in {len(misled)} of {count} pairs of trainings")
    if clear:
        loss, gain = max(clear)
        print(
            f"  {len(clear)} of them by half a point of BLEU or more; at worst {gain:.2f} "
            f"points more BLEU, and {loss:.1f} % of the sentences fewer are right"
        )

# %% [markdown]
# With one reference, BLEU prefers the worse of two trainings about once in five. In the worst of these cases, its lead of almost a point would look like
# progress in many a report. With all references it is misled in fewer cases. (The size of the leads cannot be compared: with all references all scores are
# near 100, so half a point is more there.) But for a real language nobody has all references.

# %% [markdown]
# ## 15. What comes next
#
# Look back at the way you came. A table with one row for each whole sentence fitted its training text best, and for a new sentence it knew no more than a
# model without any source. One vector between two LSTMs could *read* a new sentence, but after 75 seconds it got no more than 40 % of them right, and hardly
# a long one. Attention let the decoder look back, and found out by itself which words belong together. With attention, most translations of new sentences
# were right, after a short training on 5,000 examples.
#
# Two things are worth remembering when you read about a better translator. First, most of its mistakes are the model's own: in section 11 a wider beam
# searched better and better, and the share of right sentences stayed about where it was. Second, a higher score need not mean better translations. In the
# table above, BLEU with one reference sometimes prefers the training with fewer right sentences. You could only notice it where, as here, a grammar knows the
# truth.
#
# What about that truth for language models? In chapter 10 all models of this course read one text whose exact probabilities are known, and you will learn when a difference between two of them may be believed.
#
# *To read on:* Sutskever, Vinyals and Le 2014 (two LSTMs); Bahdanau, Cho and Bengio 2015 and Luong, Pham and Manning 2015 (attention); Vaswani and others
# 2017 (the Transformer) and Rush 2018 (the same, line by line in code: *The Annotated Transformer*); Raffel and others 2020 (T5); Wu and others 2016 (beam
# search in practice); Brown and others 1993 (the noisy channel); Papineni and others 2002 (BLEU); Post 2018 (`sacrebleu`); Snover and others 2006 (TER);
# Popović 2015 (chrF).
