# %% [markdown] statement="zero_factors"
# ## 10. One zero is enough
#
# In the table of section 8, P(to | lunch) is 0. So *i bring my lunch to work* has probability 0, whatever its other
# factors are. Write
#
# - `zero_factors(model, sentence)`: the pairs `(w1, w2)` of probability zero as a list, in their order, boundaries
#   included. An unseen context allows nothing. A pair that comes again need not be listed again.
# - `guess`, before you measure: which share of `new_sentences` is impossible for `restaurant_model`, the bigram model
#   of the training sentences? Then `measured`: the share of `new_sentences` with such a pair.

# %% [markdown] hints="zero_factors"
# 1. Write down all the factors of `i bring my lunch to work`. With both boundaries there are seven.
# 2. A factor is zero for two reasons: its context has a row without that word, or has no row at all.
# 3. Both reasons can be one question if a missing row counts as a row without words. And one zero or four in a
#    sentence make no difference to the share: which numbers do you divide?


# %% task="zero_factors" points=4 level=2 minutes=12
def zero_factors(model, sentence):
    """The pairs (w1, w2) of the padded sentence, in order, with P(w2 | w1) = 0."""
    ### BEGIN SOLUTION
    pairs = pairwise(["<s>", *sentence, "</s>"])
    return [(w1, w2) for w1, w2 in pairs if model.get(w1, {}).get(w2, 0) == 0]
    ### END SOLUTION


# guess = a number between 0 and 1, written down before you measure
# measured = the share, computed with your function
### BEGIN SOLUTION
guess = 0.1
measured = np.mean(
    [len(zero_factors(restaurant_model, sentence)) > 0 for sentence in new_sentences]
)
### END SOLUTION

# %% test="zero_factors" aspect="zero pairs are found" points=1
_model = {
    "<s>": {"i": 1.0},
    "i": {"bring": 0.5, "eat": 0.5},
    "bring": {"my": 1.0},
    "my": {"lunch": 1.0},
    "lunch": {"</s>": 1.0, "to": 0.0},
    "to": {"work": 1.0},
    "work": {"</s>": 1.0},
    "eat": {"lunch": 1.0},
}
_found = zero_factors(_model, ["i", "bring", "my", "lunch", "to", "work"])
assert hasattr(_found, "__len__"), (
    f"Return the pairs in a list; yours returned {_found!r}."
)
_found = {tuple(pair) for pair in _found}
assert _found == {("lunch", "to")}, (
    f"Exactly one factor is zero here; yours names {_found}."
)
_found = zero_factors(_model, ["i", "eat", "lunch"])
assert hasattr(_found, "__len__"), (
    f"Return a list even when it is empty, not {_found!r}."
)
assert len(_found) == 0, (
    f"No factor of `i eat lunch` is zero here; yours names {_found}."
)
### BEGIN HIDDEN TESTS
_words = random.sample("abcdefghi", 9)
_model = {
    w1: dict.fromkeys("abcdefghi", 0.2) | {"</s>": 1e-9} for w1 in ["<s>", *_words]
}
for _i, (_w1, _w2) in enumerate(pairwise(_words)):
    if _i % 3:
        _model[_w1][_w2] = 0.0
    else:
        del _model[_w1][_w2]
_found = zero_factors(_model, [*_words, *_words[3:6]])
assert hasattr(_found, "__len__"), (
    f"Return the pairs in a list; yours returned {_found!r}."
)
_found = list(dict.fromkeys(tuple(pair) for pair in _found))
assert set(_found) == set(pairwise(_words)), (
    f"Impossible: a word missing in the row or of probability 0; yours names {_found}."
)
assert _found == list(pairwise(_words)), (
    f"The pairs are wanted in their order; yours: {_found}."
)
_after = arguments_after(zero_factors, _model, list(_words))
assert _after[0] == _model and list(_after[1]) == _words, (
    "Leave model and sentence as they are."
)
### END HIDDEN TESTS

# %% test="zero_factors" aspect="boundaries and unseen contexts" points=1
_model = {
    "<s>": {"i": 1.0},
    "i": {"eat": 1.0},
    "eat": {"lunch": 1.0},
    "lunch": {"</s>": 1.0},
}
_found = zero_factors(_model, ["eat"])
assert hasattr(_found, "__len__"), (
    f"Return the pairs in a list; yours returned {_found!r}."
)
_found = {tuple(pair) for pair in _found}
assert ("<s>", "eat") in _found, (
    f"No sentence starts with `eat`: that is a zero; found {_found}."
)
assert ("eat", "</s>") in _found, (
    f"No sentence ends after `eat`: that is a zero; found {_found}."
)
### BEGIN HIDDEN TESTS
for _text, _wanted in (
    ("i eat snow lunch", {("eat", "snow"), ("snow", "lunch")}),
    ("i eat snow", {("eat", "snow"), ("snow", "</s>")}),
    ("snow snow", {("<s>", "snow"), ("snow", "snow"), ("snow", "</s>")}),
    ("", {("<s>", "</s>")}),
    ("i eat lunch", set()),
):
    _found = zero_factors(_model, _text.split())
    assert hasattr(_found, "__len__"), (
        f"Return the pairs in a list; yours returned {_found!r}."
    )
    assert {tuple(pair) for pair in _found} == _wanted, (
        f"Unseen contexts and both boundaries count: `{_text}`; yours names {_found}."
    )
_found = zero_factors({"lunch": {"</s>": 1.0}}, ["lunch"])
assert hasattr(_found, "__len__") and {tuple(pair) for pair in _found} == {
    ("<s>", "lunch")
}, f"A model without a row for `<s>` lets no sentence begin; yours names {_found!r}."
_after = arguments_after(zero_factors, _model, ["snow", "snow"])[0]
assert _after == _model, (
    f"Leave the model as it is; it got rows for {set(_after) - set(_model)}."
)
_grown = {word: defaultdict(float, row) for word, row in _model.items()}

for _text in ("snow snow", "i snow", "eat lunch", "i eat snow lunch", ""):
    _after = arguments_after(zero_factors, defaultdict(dict, _grown), _text.split())[0]
    assert _after == _model, (
        f"A model may be a defaultdict: your look-ups for `{_text}` left {_after}."
    )
### END HIDDEN TESTS

# %% test="zero_factors" aspect="a guess comes first" points=1
assert is_number(guess), f"`guess` must be a number, not {guess!r}."
assert 0 <= guess <= 1, f"A share lies between 0 and 1; `guess` is {guess}."

# %% test="zero_factors" aspect="share of impossible sentences" points=1
assert is_number(measured), f"`measured` must be a number: {measured!r}."
assert 0 <= measured <= 1, (
    f"A share lies between 0 and 1, not {measured}: divide by the sentences."
)
### BEGIN HIDDEN TESTS
_seen = {pair for s in train_sentences for pair in pairwise(["<s>", *s, "</s>"])}
_hit = [not _seen.issuperset(pairwise(["<s>", *s, "</s>"])) for s in new_sentences]
assert close(measured, sum(_hit) / len(_hit), atol=0.001), (
    f"`measured` is {measured:.4f}. Count new sentences, also those said twice, with at least one zero, then divide by {len(_hit)}."
)
### END HIDDEN TESTS


# %% [markdown]
# Would more sentences help? (Five random orders: mean, lowest, highest.)

# %%
sizes = [100, 300, 1000, 3000, 8300]
shares = {"all held-out sentences": [], "new sentences": []}
for seed in range(5):
    mixed = random.Random(seed).sample(train_sentences, len(train_sentences))
    models = [estimate(mixed[:size]) for size in sizes]
    for name, asked in zip(shares, (test_sentences, new_sentences), strict=True):
        shares[name].append(
            [np.mean([len(zero_factors(m, s)) > 0 for s in asked]) for m in models]
        )
for name, found in shares.items():
    print(f"{name}: impossible with all 8,300: {np.mean(found, axis=0)[-1]:.0%}")

# %% folded="draws the share of impossible sentences" alt="Two falling lines: with 100 training sentences nearly all sentences are impossible, with 8,300 still a quarter of all held-out ones and two fifths of the new ones, far above the dotted guess."
_, axes = plt.subplots()
for (name, found), style in zip(shares.items(), ("s--", "o-"), strict=True):
    middle, low, high = np.mean(found, 0), np.min(found, 0), np.max(found, 0)
    axes.errorbar(
        sizes, middle, [middle - low, high - middle], fmt=style, capsize=3, label=name
    )
axes.axhline(guess, color=plots.COLOURS[2], linestyle=":", label="your guess")
axes.set(
    title="Impossible for a bigram model",
    xlabel="training sentences (log scale)",
    ylabel="share of sentences",
    xscale="log",
    ylim=(0, 1.05),
)
axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
axes.minorticks_off()
axes.legend(loc="upper right")
plt.show()

# %% [markdown]
# More text helps, but slowly: from 1,000 sentences on, each time we triple the text, the share of impossible
# sentences falls by not quite 20 percentage points. Chapter 02 cures this.
