# %% [markdown] statement="cosines"
# ## 15. One word, two vectors
#
# *Increase* can be a noun or a verb. Its static vector is the same everywhere; the state $h_t$ after it has also read
# what came before: a **contextual** vector. Does it tell noun from verb?
#
# From vectors of the same word at $n$ places and the tag at each, compute `cosines(vectors, tags)`: the mean cosine of
# all pairs of *two different* places with the same tag, and the mean over all pairs with different tags. Pairs of both
# kinds occur.

# %% [markdown] hints="cosines"
# 1. All cosines at once: a product of one matrix with its own transpose, if the rows have length 1.
# 2. Which entries of that table are a place with itself? They are always 1 and would flatter.
# 3. Make a table of *same tag?* beside the table of cosines, take the diagonal out of both, and average each kind.


# %% task="cosines" points=3 level=2 minutes=12
def cosines(vectors, tags):
    """(mean cosine of pairs with the same tag, of pairs with different tags) from an array [n, k] and n tags."""
    ### BEGIN SOLUTION
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    table, same = unit @ unit.T, np.equal.outer(np.array(tags), np.array(tags))
    other = ~np.eye(len(tags), dtype=bool)
    return table[same & other].mean(), table[~same].mean()
    ### END SOLUTION


# %% test="cosines" aspect="four vectors by hand" points=1
_got = cosines(
    np.array([[2.0, 0], [3, 4], [0, 5], [0, 1]]), ["NOUN", "NOUN", "VERB", "VERB"]
)
assert np.shape(_got) == (2,), f"Return two numbers; yours: {_got!r}."
assert close(_got[0], 0.8, 1e-5), (
    f"Same tag: cosines .6 and 1, mean .8; yours: {_got[0]:.4f}."
)
assert close(_got[1], 0.4, 1e-5), (
    f"Different tags: 0, 0, .8 and .8, mean .4; yours: {_got[1]:.4f}."
)
### BEGIN HIDDEN TESTS
_unit = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0.6, 0.8, 0], [0, 0.6, -0.8]])
for _tags in (("A", "A", "B", "B", "C"), ("A", "B", "A", "B", "B")):
    _lengths = np.random.default_rng().uniform(0.5, 4, (5, 1))
    _pairs = [(i, j) for i in range(5) for j in range(i)]
    _wanted = [
        np.mean(
            [_unit[i] @ _unit[j] for i, j in _pairs if (_tags[i] == _tags[j]) == same]
        )
        for same in (True, False)
    ]
    _got = cosines(_unit * _lengths, list(_tags))
    assert close(_got, _wanted, 1e-4, 1e-5), (
        f"Five vectors, tags {_tags}: {np.round(_wanted, 4)} wanted, whatever their lengths; yours: {_got!r}."
    )
_left = arguments_after(cosines, _unit * _lengths, list(_tags))
assert close(_left[0], _unit * _lengths) and list(_left[1]) == [*_tags], (
    "cosines changed the caller's vectors or tags."
)
### END HIDDEN TESTS

# %% test="cosines" aspect="static vectors are all alike" points=1
_got = cosines(
    np.array([[0.3, -2.0, 1.0]] * 5), ["NOUN", "VERB", "NOUN", "VERB", "NOUN"]
)
assert np.shape(_got) == (2,), f"Return two numbers; yours: {_got!r}."
assert close(_got, [1, 1], 1e-5), (
    f"Equal vectors have cosine 1 whatever the tags; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _tags in (
    ["ADJ", "NOUN", "ADJ"],
    ["ADV", "VERB", "ADV", "ADJ", "VERB", "ADJ", "ADJ"],
):
    _got = cosines(
        np.array([np.random.default_rng().normal(size=4)] * len(_tags)), list(_tags)
    )
    assert close(_got, [1, 1], 1e-4), (
        f"Equal vectors, tags {_tags}: both means are 1; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% test="cosines" aspect="random vectors, uneven groups" points=1
_groups = [["NOUN", "VERB", "NOUN", "NOUN", "VERB", "NOUN"]]
### BEGIN HIDDEN TESTS
_groups += [
    random.sample(group, len(group))
    for group in (
        ["ADJ"] * 3 + ["NOUN"] * 5 + ["VERB"] * 2,
        ["NOUN"] * 3 + ["NUM"] * 2 + ["N"] * 2,
        [*"AAABBCD"],
        [*"XXYYYY"],
    )
]
### END HIDDEN TESTS
for _tags in _groups:
    _n = len(_tags)
    for _ in range(1000):  # draw until it matters how the pairs are averaged
        _vectors = np.random.default_rng().normal(size=(_n, 3))
        _table = {
            (i, j): _vectors[i] @ _vectors[j] for i in range(_n) for j in range(i)
        }
        _table = {
            (i, j): v
            / math.dist(_vectors[i], [0] * 3)
            / math.dist(_vectors[j], [0] * 3)
            for (i, j), v in _table.items()
        }
        _same = {
            tag: [v for (i, j), v in _table.items() if _tags[i] == _tags[j] == tag]
            for tag in _tags
        }
        _other = [v for (i, j), v in _table.items() if _tags[i] != _tags[j]]
        _all = [v for part in _same.values() for v in part]
        _wanted = [np.mean(_all), np.mean(_other)]
        _each = np.mean([np.mean(part) for part in _same.values() if part])
        _known = [
            v
            for (i, j), v in _table.items()
            if _tags[i] != _tags[j] and {_tags[i], _tags[j]} == {"NOUN", "VERB"}
        ]
        _far = (
            abs(_each - _wanted[0]),
            np.mean(np.abs(_all)) - _wanted[0],
            np.mean(np.abs(_other)) - _wanted[1],
        )
        if min(_far) > 0.01 and (
            len({*_tags}) == 2 or not _known or abs(np.mean(_known) - _wanted[1]) > 0.01
        ):
            break
    _got = cosines(_vectors.copy(), list(_tags))
    assert close(_got, _wanted, 1e-4, 1e-5), (
        f"Tags {_tags}: {np.round(_wanted, 4)} wanted; yours: {_got!r}. Every pair counts once, and alike."
    )


# %%
@torch.no_grad()
def vectors_of(word, model, number, sentences, tags):
    """At each place of the word: its static vector, the state after it, its tag."""
    static, states, found = [], [], []
    for words, names in zip(sentences, tags, strict=True):
        read = [number.get(w, 0) for w in ["</s>", *words]]
        e = model.embedding(torch.tensor(read, device=device))
        e, h = e.cpu(), model.cell(e[None])[0][0].cpu()
        for t in [t for t, w in enumerate(words) if w == word]:
            static.append(e[t + 1].numpy())
            states.append(h[t + 1].numpy())
            found.append(names[t])
    return np.array(static), np.array(states), found


# %%
toy = lmkit.load("toy-increase")
sentences = [[*sentence, "</s>"] for sentence in toy.splits["train"]]
toy_text = ["</s>", *(word for sentence in sentences for word in sentence)]
toy_number = {word: i for i, word in enumerate(sorted(set(toy_text)))}
toy_ids = torch.tensor([[toy_number[word] for word in toy_text]])


# %%
def toy_model(seed):
    """An LSTM that has learned the six sentences of the toy."""
    set_seed(seed)
    model = LanguageModel(nn.LSTM, len(toy_number), 16, 16).to(device)
    pair = toy_ids[:, :-1], toy_ids[:, 1:]
    train(model, lambda _: pair, word_loss, steps=60, rate=1e-2)
    return model


# %%
sources = {
    "increase": [(toy_model(seed), toy_number, toy) for seed in seeds],
    "order": [(model, number, corpus) for model in models["LSTM"]],
    "cook": [(model, number, corpus) for model in models["LSTM"]],
}

# %%
heights, names = [], []
for word, trained in sources.items():
    found = []
    for model, index, source in trained:
        split = "valid" if source is corpus else "train"
        static, states, tags = vectors_of(
            word, model, index, source.splits[split], source.tags[split]
        )
        found.append((cosines(static, tags)[1], *cosines(states, tags)))
    heights.append(found)
    names.append(f"{word}\n({len(tags)} places)")
heights = np.array(heights)  # [word, seed, bar]

# %% alt="Mean cosine for increase, order and cook: static vectors are always 1, states with the same tag are about 0.75 to 0.85, those with different tags lower, 0.5 to 0.8."
_, axes = plt.subplots()
labels = "static, any tags", "states, same tag", "states, different tags"
for bar, label in enumerate(labels):
    place = np.arange(len(names)) + 0.27 * (bar - 1)
    axes.bar(place, heights[:, :, bar].mean(1), width=0.25, label=label)
    axes.plot(place, heights[:, :, bar], "k.", markersize=5)
axes.set_xticks(range(len(names)), names)
axes.set(ylabel="mean cosine", ylim=(0, 1.5), yticks=(0, 0.5, 1))
axes.legend(ncols=3, loc="upper center")
plt.show()
print(
    "same tag more alike, in each seed:", (heights[:, :, 1] > heights[:, :, 2]).all(1)
)

# %% [markdown]
# Bars are means, dots three seeds of the network. Static vectors have cosine 1; states differ from place to place, and on
# average places with the same tag are more alike than places with different tags. How much
# more depends on the word, and on the seed most of all in the toy, with its six places. (The toy's network is read on
# its own training sentences.)
#
# Yet a state has only read the *left* side, $x_1, \dots, x_t$. In *the cook book* the word that decides comes later;
# reading both sides needs another task than the next word (chapter 07).
