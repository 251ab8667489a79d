# %% [markdown]
# ## 17. Inside a trained Transformer
#
# Do trained heads do anything that has a name? We open a recorded Transformer (two layers of four heads, trained on kitchen
# stories for 17 minutes; chapter 8 builds it) and watch it read. Names recur in these stories. How could a network *copy*
# them?
#
# "The sweet pear" was read some time ago, and now again "the sweet". A head would ask: *which word stood after an earlier
# "sweet"?* But *pear* does not know what stood before it, unless a head below has told it. One head passes on the previous
# word, one above looks for places whose previous word is the present one: an **induction head** (N. Elhage and others,
# 2021).

# %% [markdown] statement="heads_at_work"
# Three tools to take a network apart, for weights $P$ $[h, T, T]$ of $h$ causal heads (row: who asks) and the list of the $T$ words:
#
# - `previous_word(P)`, $[h]$: the mean weight that words 1, 2, ..., $T - 1$ give to the word just before them;
# - `copying(P, words)`, $[h]$: for each word that occurred before, the weight on all places *right after its earlier
#   occurrences* together (one may be its own place); the mean over such words, zeros if there are none;
# - `without_head(W, head, h)`: `W` $[d, d]$ is the weight of `out`, an `nn.Linear` applied to the heads' results side by
#   side. A copy in which head `head` (0, 1, ...) has no say.

# %% [markdown] hints="heads_at_work"
# 1. Draw $P$ for four words. Where do the weights on the previous word lie?
# 2. For `copying` walk through the words with their places. For the word at place $i$: at which $j < i$ did it occur, and
#    which columns of row $i$ follow?
# 3. For `without_head`: `nn.Linear` computes $zW^T$. Which index of $W$ meets the numbers of $z$, and which of these
#    numbers are the head's?


# %% task="heads_at_work" points=3 level=2 minutes=18
def previous_word(P):
    """[h]: mean weight of words 1 to T - 1 on the word before, from P: [h, T, T]."""
    ### BEGIN SOLUTION
    return P.diagonal(-1, dim1=1, dim2=2).mean(-1)
    ### END SOLUTION


def copying(P, words):
    """[h]: mean weight on the places right after earlier occurrences of the asking word."""
    ### BEGIN SOLUTION
    found = []
    for i, word in enumerate(words):
        after = [j + 1 for j in range(i) if words[j] == word]
        if after:
            found.append(P[:, i, after].sum(-1))
    return torch.stack(found).mean(0) if found else P.new_zeros(len(P))
    ### END SOLUTION


def without_head(W, head, h):
    """A copy of W: [d, d], the weight of out, in which one of h heads has no say."""
    ### BEGIN SOLUTION
    W, d_k = W.clone(), W.shape[1] // h
    W[:, head * d_k : (head + 1) * d_k] = 0
    return W
    ### END SOLUTION


# %% test="heads_at_work" aspect="weight on the word before" points=1
_P = torch.tensor([[[1.0, 0, 0], [0.3, 0.7, 0], [0.1, 0.8, 0.1]]])
_got = previous_word(_P.clone())
assert close(np.shape(_got), (1,), 0, 0), f"One head: one number; yours: {_got!r}."
assert close(_got, [0.55], 1e-5), f"(.3 + .8) / 2 = .55; yours: {_got}."
### BEGIN HIDDEN TESTS
for _h, _T in ((3, 5), (1, 2), (5, 4), (2, 9)):
    _P = torch.rand(_h, _T, _T).tril()
    _P /= _P.sum(-1, keepdim=True)
    _wanted = [
        np.mean([float(_P[_l, i, i - 1]) for i in range(1, _T)]) for _l in range(_h)
    ]
    assert close(previous_word(_P.clone()), _wanted, 1e-4, 1e-6), (
        f"{_h} heads, {_T} words: the mean weight on the word before is wrong. "
        "Row i asks; word 0 has none before it and does not count."
    )
assert close(arguments_after(previous_word, _P.clone())[0], _P), (
    "previous_word changes the weights that it is given."
)
### END HIDDEN TESTS

# %% test="heads_at_work" aspect="weight where a copy is found" points=1
_P = torch.ones(1, 5, 5).tril() / torch.arange(1, 6.0)[:, None]
_P = torch.cat([_P, torch.eye(5)[None]])
_got = copying(_P.clone(), [7, 8, 7, 9, 8])
assert close(np.shape(_got), (2,), 0, 0), f"Two heads: two numbers; yours: {_got!r}."
assert close(_got, [(1 / 3 + 1 / 5) / 2, 0], 1e-5), (
    "Words 7 8 7 9 8: place 2 should look at 1, place 4 at 2. A head that looks at all "
    f"alike gives 1/3 and 1/5, one that looks at itself 0 and 0; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_texts = [[4, 4, 4, 4], [1, 2, 1, 2, 1, 2, 3], [5, 6, 5, 5, 6, 5], [3, 3], [9, 2, 9]]
_texts += [[random.randint(0, 3) for _ in range(12)] + [0, 0], [3, 0, 3, 3]]
_texts += [
    [random.randint(1000, 1002) for _ in range(9)]
]  # equal, each an int of its own
for _words in _texts:
    _T = len(_words)
    _P = torch.rand(3, _T, _T).tril()
    _P /= _P.sum(-1, keepdim=True)
    _same = np.array([[_one == _two for _two in _words] for _one in _words])
    _after = np.zeros((_T, _T))
    _after[:, 1:] = np.tril(_same, -1)[:, :-1]  # [i, j + 1]: word j is word i, j < i
    _asks = _after.any(1)
    _wanted = (_P.numpy() * _after).sum(2)[:, _asks].mean(1)
    assert close(copying(_P.clone(), list(_words)), _wanted, 1e-4, 1e-6), (
        f"Words {_words}: all places after all earlier occurrences count together, and "
        "the mean is over the words that occurred before."
    )
for _words in ([1, 2, 3], [5]):
    _got = copying(torch.ones(2, len(_words), len(_words)), list(_words))
    assert close(_got, [0, 0]), f"No word occurs twice: zeros; yours: {_got!r}."
_after = arguments_after(copying, _P.clone(), list(_texts[-1]))
assert close(_after[0], _P) and list(_after[1]) == _texts[-1], (
    "copying changes the weights or the words that it is given."
)
### END HIDDEN TESTS

# %% test="heads_at_work" aspect="one head has no say" points=1
_W = torch.arange(1.0, 17).view(4, 4)
_got = without_head(_W.clone(), 1, 2)
assert close(np.shape(_got), (4, 4), 0, 0), f"[4, 4] as before; yours: {_got!r}."
assert close(_got[0, :2], _W[0, :2]), (
    f"Head 0 should keep its say, 1 and 2; yours: {_got[0, :2]}."
)
### BEGIN HIDDEN TESTS
for _h, _d_k in ((2, 2), (3, 2), (1, 3), (4, 1), (3, 5)):
    _d = _h * _d_k
    for _head in range(_h):
        _W, _z = torch.randn(_d, _d), torch.randn(7, _d)
        _got = without_head(_W.clone(), _head, _h)
        assert close(np.shape(_got), (_d, _d), 0, 0), (
            f"d = {_d}: shape {_d, _d}; yours: {np.shape(_got)}."
        )
        _z_without = _z.clone()
        _z_without[:, _head * _d_k : (_head + 1) * _d_k] = 0
        assert close(_z @ torch.as_tensor(_got).T, _z_without @ _W.T, 1e-3, 1e-4), (
            f"Head {_head} of {_h}, d = {_d}: z Wᵀ should be what it is when this head's "
            "numbers of z are 0, and keep all that the others say."
        )
_after = arguments_after(without_head, _W.clone(), 0, _h)[0]
assert close(_after, _W), "without_head changes the W that it is given: make a copy."
### END HIDDEN TESTS

# %%
run = runs.load("kitchen-transformer-muon")
network, symbols = run.model.network, run.model.symbols
layers, heads = network.config.layers, network.config.heads
size = sum(weights.numel() for weights in network.parameters())
last = run.history.iloc[-1]
print(f"{layers} layers of {heads} heads, {size:,} numbers")
print(f"trained for {last.step:,.0f} steps, {last.seconds / 60:.0f} minutes")


# %%
@torch.no_grad()
def read(words):
    """Logits [T, V] and all weights P: [layers, h, T, T] for words: [T]."""
    found = []

    def note(part, inputs):
        x, angles = inputs[:2]
        Q, K = (heads_apart(m(x)[0], heads) for m in (part.query, part.key))
        Q, K = (rotate(M, angles) for M in (Q, K))  # places by turning: chapter 8
        S = Q @ K.mT / math.sqrt(Q.shape[-1])
        unseen = ~torch.ones(len(words), len(words)).tril().bool()
        found.append(S.masked_fill(unseen, -math.inf).softmax(-1))

    hooks = [b.attention.register_forward_pre_hook(note) for b in network.blocks]
    logits = network(words[None])[0]
    for hook in hooks:
        hook.remove()
    return logits, torch.stack(found)


# %%
number = {symbol: i for i, symbol in enumerate(symbols)}
stories = kitchen.documents(tokens=6_000, seed=17)  # fresh: never trained on
coded = [
    torch.tensor([number["</s>"], *[number.get(w, 0) for w in s.tokens]])
    for s in stories
]

# %%
scores = {"previous word": [], "copying": [], "itself": [], "first place": []}
for words in coded:
    P = read(words[:-1])[1].flatten(0, 1)  # [layers * h, T, T]
    scores["previous word"].append(previous_word(P))
    scores["copying"].append(copying(P, words[:-1].tolist()))
    scores["itself"].append(P.diagonal(dim1=1, dim2=2).mean(-1))
    scores["first place"].append(P[:, 1:, 0].mean(-1))

# %%
names = [f"layer {i + 1}, head {j + 1}" for i in range(layers) for j in range(heads)]
table = pd.DataFrame({k: torch.stack(v).mean(0) for k, v in scores.items()}, names)
errors = [torch.stack(v).std(0).max() / len(stories) ** 0.5 for v in scores.values()]
print(f"{len(stories)} stories; standard errors: at most {max(errors):.3f}")
previous = int(table["previous word"].argmax())
print(table.round(2).to_string())

# %% [markdown]
# All heads of the second layer look at the previous word more than any of the first does, one of them two thirds of the
# time; but none looks where an induction head would: none has formed. One head of the *first* layer does look there, a
# quarter of the time, although there no word knows its neighbours yet. What does it look for? Where a story must repeat
# something, how large is the loss, and which head looks most at the word to repeat?

# %%
found = []
for story, words in zip(stories, coded, strict=True):
    logits, P = read(words[:-1])
    loss = F.cross_entropy(logits, words[1:], reduction="none")
    for probe in kitchen.probes_in("copying", [story]):
        place = probe.position
        earlier = [j for j in range(place + 1) if words[j] == words[place + 1]]
        seen = P.flatten(0, 1)[:, place, earlier].sum(-1)  # [layers * h]
        kind = probe.label.removeprefix("copy: ")
        found.append((kind, loss[place].item(), -story.log_probabilities[place], seen))


# %%
def with_error(values):
    """Mean ± standard error."""
    return f"{np.mean(values):.2f} ± {np.std(values) / len(values) ** 0.5:.2f}"


# %%
rows, best = {}, {}
for kind in ("house, first word", "house, second word", "town", "first guest"):
    its = [one[1:] for one in found if one[0] == kind]
    cost, least, seen = zip(*its, strict=True)
    best[kind] = int(torch.stack(seen).mean(0).argmax())
    looks = torch.stack(seen)[:, best[kind]].numpy()
    rows[kind] = [len(its), with_error(cost), f"{np.mean(least):.2f}"]
    rows[kind] += [names[best[kind]], with_error(looks)]
finder = best["town"]
columns = ["times", "loss (nats)", "the language's", "most on the word", "its weight"]
print(pd.DataFrame.from_dict(rows, orient="index", columns=columns).to_string())

# %%
chosen = min((s for s in stories if len(s) > 36), key=len)
words = torch.tensor([number["</s>"], *[number.get(w, 0) for w in chosen.tokens]])
P, read_words = read(words[:-1])[1].flatten(0, 1), ["</s>", *chosen.tokens[:-1]]

# %% folded="draws the weights of two heads" alt="Weights of two heads for the last nine words: one looks at the word before, the dark cells form a diagonal; the other looks back to what stood behind an earlier occurrence of the word."
_, both = plt.subplots(2, 1, figsize=(7.4, 3.6), sharex=True)
for axes, head in zip(both, (previous, finder), strict=True):
    axes.imshow(P[head, -9:], cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.set_yticks(range(9), read_words[-9:], fontsize=9)
    axes.set(title=names[head], ylabel="asking word")
    axes.grid(False)
axes.set_xticks(range(len(read_words)), read_words, rotation=90, fontsize=8)
axes.set_xlabel("looks at")
plt.show()

# %% [markdown]
# All four are copied: town and guest cost hardly more than in the language itself, each word of the house .2 ± .1 nats
# more. The same head, `finder`, looks at the word to copy. It needs no detour over the previous word: *in* asks for a
# **town**, and that *eldmere* is one can be told from its embedding (lower map, row *in*). Only the house's first word can
# be any adjective; there its weight is smallest. Does it matter? Switch each head off:

# %%
GROUPS = ("house, first word", "all other copies", "all other words")


@torch.no_grad()
def as_it_is(words):
    return network(words[None])[0]


# %%
def losses():
    """Mean loss (nats) of each story in each of the three groups, [stories, 3]."""
    result = []
    for story, words in zip(stories, coded, strict=True):
        loss = F.cross_entropy(as_it_is(words[:-1]), words[1:], reduction="none")
        group = torch.full((len(loss),), 2)
        for probe in kitchen.probes_in("copying", [story]):
            group[probe.position] = 0 if probe.label.endswith(GROUPS[0]) else 1
        result.append([loss[group == g].mean() for g in range(3)])
    return torch.tensor(result)


# %%
whole, changes = losses(), []
for block in network.blocks:
    out = block.attention.out
    kept = out.weight.data
    for head in range(heads):
        out.weight.data = without_head(kept, head, heads)
        changes.append(losses() - whole)
    out.weight.data = kept
changes = torch.stack(changes)  # [layers * h, stories, 3]

# %% alt="Loss added when one of eight heads is off: heads 1 and 2 of layer 1 add up to 4 and 5 nats for copied words, all others next to nothing."
_, axes = plt.subplots(figsize=(7, 2.7))
for n, label in enumerate(GROUPS):
    mean, error = changes[..., n].mean(1), changes[..., n].std(1) / len(stories) ** 0.5
    x = np.arange(len(names)) + 0.27 * (n - 1)
    axes.bar(x, mean, 0.25, yerr=error, label=label)
axes.set_xticks(range(len(names)), [n.replace(", ", "\n") for n in names], fontsize=9)
axes.set(xlabel="head that is switched off", ylabel="loss added (nats)")
axes.legend(fontsize=9)
plt.show()

# %% [markdown]
# (Bars with standard errors.) Without `finder` alone, copies cost four and a half to five nats more, other words a quarter.
# The house's first word takes a second head of the first layer as well. So this network needs no induction head: in kitchen
# stories a word's *kind* is enough to find it. Random tokens have no kinds: to copy those, one layer must first tell each
# what stood before it. (One network: another may use other heads.)
