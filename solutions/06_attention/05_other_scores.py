# %% [markdown] statement="score_forms"
# ## 6. Other ways to score
#
# **Bilinear**: $s = x W y^T$, for a learned matrix $W$. **Additive** (D. Bahdanau,
# K. Cho and Y. Bengio, 2015, who brought attention into translation): a small network with one hidden layer,
# $s = \tanh(q W_q + k W_k) \cdot u$.
#
# - `bilinear_scores(X, W, Y)`, $[m, n]$: all pairs of rows of $X$ $[m, d]$ and $Y$ $[n, d']$, $W$ $[d, d']$;
# - `additive_scores(Q, K, W_q, W_k, u)`, $[m, n]$: $Q$ $[m, d_q]$, $K$ $[n, d_k]$, $W_q$ $[d_q, a]$, $W_k$ $[d_k, a]$, $u$ $[a]$.
#
# The first explains what $W_q$ and $W_k$ really are.

# %% [markdown] hints="score_forms"
# 1. Which two axes must the result have, and which must be summed away?
# 2. Additive: each of $m$ queries meets each of $n$ keys, so in between there is an array $[m, n, a]$. Let broadcasting make it.
# 3. Neither needs a loop. Additive: project both, give each result an axis of
#    length 1 where the other counts; what remains sums over the last axis.


# %% task="score_forms" points=2 level=2 minutes=13
def bilinear_scores(X, W, Y):
    """[m, n] from tensors X: [m, d], W: [d, d'], Y: [n, d']."""
    ### BEGIN SOLUTION
    return X @ W @ Y.T
    ### END SOLUTION


def additive_scores(Q, K, W_q, W_k, u):
    """[m, n] from tensors Q: [m, d_q], K: [n, d_k], W_q: [d_q, a], W_k: [d_k, a], u: [a]."""
    ### BEGIN SOLUTION
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ u
    ### END SOLUTION


# %% test="score_forms" aspect="bilinear, all pairs" points=1
_sizes = [(3, 5, 2, 4)]  # m, n, d, d'
### BEGIN HIDDEN TESTS
_sizes = [(1, 4, 2, 3), (4, 1, 3, 2), (1, 1, 1, 1), (3, 2, 1, 4), (3, 2, 4, 1)]
_sizes += [(2, 4, 3, 3), (3, 3, 3, 3)]  # a square W
_sizes += [random.sample(range(2, 8), 4)] * 2  # the same shapes, other numbers
### END HIDDEN TESTS
for _m, _n, _d, _e in _sizes:
    _X, _W, _Y = (
        torch.randn(*_size).double() for _size in ((_m, _d), (_d, _e), (_n, _e))
    )
    _got = bilinear_scores(_X.clone(), _W.clone(), _Y.clone())
    assert np.shape(_got) == (_m, _n), (
        f"{_m} rows of X, {_n} of Y: shape {_m, _n}; yours: {np.shape(_got)}."
    )
    _wanted = np.einsum("ia,ab,jb->ij", _X, _W, _Y)
    for _i, _j in np.ndindex(_m, _n):
        assert close(_got[_i][_j], _wanted[_i, _j], 1e-4, 1e-5), (
            f"Pair {_i, _j}: {_wanted[_i, _j]:.4f}; yours: {_got[_i][_j]:.4f}."
        )
### BEGIN HIDDEN TESTS
_after = arguments_after(bilinear_scores, _X.clone(), _W.clone(), _Y.clone())
assert all(map(close, _after, (_X, _W, _Y))), (
    "bilinear_scores changes the tensors it is given."
)
### END HIDDEN TESTS

# %% test="score_forms" aspect="additive, all pairs" points=1
_all = [(3, 5, 2, 4, 6)]  # m, n, d_q, d_k, a
### BEGIN HIDDEN TESTS
_all = [(1, 4, 2, 3, 5), (4, 1, 3, 2, 5), (1, 1, 1, 1, 1), (3, 2, 1, 4, 1)]
_all += [(2, 3, 4, 1, 3), *[random.sample(range(2, 9), 5)] * 2]  # the last one twice
### END HIDDEN TESTS
for _m, _n, _d_q, _d_k, _a in _all:
    _sizes = ((_m, _d_q), (_n, _d_k), (_d_q, _a), (_d_k, _a), (_a,))
    _inputs = [torch.randn(*_size).double() for _size in _sizes]
    _Q, _K, _W_q, _W_k, _v = _inputs
    _got = additive_scores(*(_M.clone() for _M in _inputs))
    assert np.shape(_got) == (_m, _n), (
        f"{_m} queries, {_n} keys: shape {_m, _n}; yours: {np.shape(_got)}."
    )
    for _i, _j in np.ndindex(_m, _n):  # lecture 000's way: [q; k] through one network
        _inner = np.concatenate([_Q[_i], _K[_j]]) @ np.concatenate([_W_q, _W_k])
        _wanted = np.tanh(_inner) @ _v.numpy()
        assert close(_got[_i][_j], _wanted, 1e-4, 1e-5), (
            f"Pair {_i, _j}: {_wanted:.4f}; yours: {_got[_i][_j]:.4f}."
        )
### BEGIN HIDDEN TESTS
_others = [_M.flip(0) + 1 for _M in _inputs]
for _place in range(5):  # one argument is another, the others are as before
    _new = [_others[i] if i == _place else _M for i, _M in enumerate(_inputs)]
    _wanted = torch.tanh((_new[0] @ _new[2])[:, None] + _new[1] @ _new[3]) @ _new[4]
    assert close(additive_scores(*(_M.clone() for _M in _new)), _wanted, 1e-4, 1e-5), (
        f"Called again with another {('Q', 'K', 'W_q', 'W_k', 'u')[_place]} of the "
        "same shape: the scores are wrong."
    )
_after = arguments_after(additive_scores, *(_M.clone() for _M in _inputs))
assert all(map(close, _after, _inputs)), (
    "additive_scores changes the tensors it is given."
)
### END HIDDEN TESTS

# %% [markdown]
# Attention's dot product is bilinear in disguise: with $q = xW_q$ and $k = yW_k$,
#
# $$q \cdot k = (x W_q)(y W_k)^T = x\,(W_q W_k^T)\,y^T$$
#
# so two maps are *one* matrix $W = W_q W_k^T$, with a restriction: a product through a bottleneck of width $d_k$ has rank
# $d_k$ at most. Keeping the first $d_k$ terms of its singular value decomposition comes closest to a wanted $W$ (C. Eckart
# and G. Young, 1936).


# %%
def factors(W, d_k):
    """(W_q, W_k), each [d, d_k]: of all such pairs the one with W_q W_k^T closest to W."""
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T


set_seed(1)
d = 64
tables = {"random": torch.randn(d, d), "each word seeks itself": torch.eye(d)}
tables["maps of width 8"] = torch.randn(d, 8) @ torch.randn(8, d)

# %%
for name, W in tables.items():
    pairs = [factors(W, d_k) for d_k in (1, 8, 32, 63, 64)]
    missing = [((W - W_q @ W_k.T).norm() / W.norm()).item() for W_q, W_k in pairs]
    shown = "   ".join(f"{abs(share):.2f}" for share in missing)
    print(f"{name:24} missing with d_k = 1, 8, 32, 63, 64:   {shown}")

# %% [markdown]
# Nothing is missing once $d_k$ reaches the rank of $W$. A narrow head is cheap, but "each word seeks itself" needs the full width.
#
# <details><summary>A slip in the printed slides</summary>
#
# 001 prints $k^T W q$ as "scaled" dot product. It is the bilinear form; nothing is scaled. Many maps are indeed equivalent:
# multiply all queries by an invertible matrix $A$ and all keys by $(A^{-1})^T$, and no score changes.
# </details>
#
# *A good place to stop for today.*

# %% [markdown]
# ## 7. The kitchen model: what a lookup buys
#
# The model reads $T = 64$ words, $[B, T]$, and gives at each place **logits** (scores before the softmax, one for each word of the
# vocabulary) of the next word. The parts in *italics* are what we shall add:
#
# 1. each word becomes a vector $x$ of 64 numbers, *plus a vector for its place*;
# 2. *once or twice, with one head or four*: $x \leftarrow x + z H$, where $z$ is what the word looks up among the words *up
#    to itself* (those after it are to be guessed);
# 3. a small network with the activation function tanh; the result is scored against all word vectors.
#
# `even` (*RMSNorm*, chapter 8) first gives all vectors the same length, so that no part drowns another.

# %%
# kitchen model: the text
corpus = lmkit.load("kitchen")
text = {
    split: [w for story in corpus.splits[split] for w in [*story, "</s>"]]
    for split in ("train", "valid")
}
vocabulary = ["<UNK>", *sorted(set(text["train"]))]
ids = {word: i for i, word in enumerate(vocabulary)}
row = {s: torch.tensor([ids.get(word, 0) for word in text[s]]) for s in text}
stretches = row["train"].unfold(0, 65, 8)  # 64 words, and the one after each
held_out = row["valid"].unfold(0, 65, 65)
print(tuple(stretches.shape), tuple(held_out.shape), len(vocabulary), "words")
print(" ".join(vocabulary[i] for i in held_out[1, :24]), "...")


# %%
# kitchen model: the network
def even(x):
    """Each vector scaled to a mean square of 1."""
    return F.rms_norm(x, x.shape[-1:])


# %%
# kitchen model: the places
def place_table(places, d, longest=256):
    """[longest, d]: what is added to the words, by place."""
    j = torch.arange(longest)[:, None]
    if places == "integer":
        return j.expand(longest, d).float()
    if places == "learned":
        return nn.Parameter(0.02 * torch.randn(longest, d))
    if places == "sinusoids":
        angles = j * 10000 ** (-torch.arange(0, d, 2) / d)
        return 0.05 * torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    return torch.zeros(longest, d)


# %%
# kitchen model: the lookup
class Lookup(nn.Module):
    """What each word finds among the words up to itself, mixed: [B, T, d]."""

    def __init__(self, d, heads, look):
        super().__init__()
        self.look, self.split = look, (heads, -1)
        parts = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.q, self.k, self.v, self.out = parts

    def forward(self, x):
        parts = (part(x) for part in (self.q, self.k, self.v))
        Q, K, V = (part.unflatten(-1, self.split).transpose(1, 2) for part in parts)
        Q = Q * (self.look == "soft")  # with queries of 0 all weights are equal
        Z = F.scaled_dot_product_attention(Q, K, V, is_causal=True)
        return self.out(Z.transpose(1, 2).flatten(-2))


# %%
# kitchen model: the network
class Guesser(nn.Module):
    """Logits for the next word at each place, [B, T, V], from words [B, T]."""

    def __init__(self, size, look="soft", places="none", heads=1, layers=1, d=64):
        super().__init__()
        self.embedding = nn.Embedding(size, d)
        nn.init.normal_(self.embedding.weight, std=0.1)
        self.table = place_table(places, d)
        self.lookups = nn.ModuleList(Lookup(d, heads, look) for _ in range(layers))
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, words):
        places = self.table[: words.shape[1]].to(words.device)
        x = even(self.embedding(words) + places)
        for lookup in self.lookups:
            x = x + lookup(even(x))
        x = x + self.down(torch.tanh(self.up(even(x))))
        return even(x) @ self.embedding.weight.T


# %%
# kitchen model: what is added, part by part
RUNGS = {
    "last word": {"layers": 0},
    "+ mean of the words": {"look": "mean"},
    "+ soft lookup": {},
    "+ places": {"places": "sinusoids"},
    "+ four heads": {"places": "sinusoids", "heads": 4},
    "+ a second layer": {"places": "sinusoids", "heads": 4, "layers": 2},
}


# %%
# kitchen model: the loss
def guess_loss(model, batch):
    """Mean loss (nats) of the words after each word, and their number."""
    logits, wanted = model(batch[:, :-1]), batch[:, 1:]
    return F.cross_entropy(logits.flatten(0, 1), wanted.flatten()), wanted.numel()


def perplexity(model, texts):
    """Of held-out texts, [number, T + 1]."""
    with torch.no_grad():
        return math.exp(guess_loss(model, texts.to(device))[0])


# %%
# kitchen model: the training
def practise(steps, seed, **choices):
    """A Guesser, trained on so many batches of 8 stretches."""
    set_seed(seed)
    model = Guesser(len(vocabulary), **choices).to(device)
    pick = shuffled(len(stretches), 8, seed)
    how = {"rate": 8e-3, "schedule": warmup_cosine(20, 0.05)}
    train(model, lambda i: stretches[pick(i)], guess_loss, steps=steps, **how)
    return model


# %% [markdown]
# Training was done once, with three seeds (`data/attention/README.md`). Before you look: how will the first three models rank?

# %%
recorded = pd.read_csv(paths.DATA / "attention" / "rungs.csv")
floor = corpus.floor("valid").perplexity


def of(rung, length=64):
    """Perplexities of the recorded runs of a rung, a number for each seed."""
    chosen = (recorded.rung == rung) & (recorded.length == length)
    return recorded[chosen].perplexity


# %%
def ladder(*names):
    """A line for each rung: its mean perplexity as a bar, and the range of the seeds."""
    for name in names:
        mean, least, most = of(name).agg(["mean", "min", "max"])
        print(f"{name:20} {'█' * round(mean)} {mean:.1f} ({least:.1f} to {most:.1f})")
    print(f"{'the language itself':20} {'░' * round(floor)} {floor:.1f}")


# %%
ladder(*[*RUNGS][:3])

# %%
steps = budget().choose(grading=60, laptop=3000, gpu=3000)
lookup_model = practise(steps, seed=1)
print(f"soft lookup, {steps:,} steps: {perplexity(lookup_model, held_out):.1f}")

# %% [markdown]
# The bars of the ladder are recorded means of three seeds, with the least and the most in brackets. The mean of all
# words so far helps, and choosing the words to listen to helps further; no two ranges touch. The last line is the
# program that wrote the stories: on average, nothing can beat it.
#
# The single line below the ladder is a model trained in this notebook. We need it in the next cell. Its number of
# steps is not that of the recorded runs, so do not compare its perplexity with theirs.

# %%
words = held_out[:, :64].to(device)
mixed = words[:, [*random.Random(1).sample(range(63), 63), 63]]  # the last one stays
with torch.no_grad():
    before, after = lookup_model(words)[:, -1], lookup_model(mixed)[:, -1]
print("63 words in another order, the same logits:", close(after, before, 0, 1e-3))

# %% [markdown]
# 63 words were shuffled, and the logits after the last one did not move. "The cook thanks the guest" and "the guest thanks
# the cook" are the same to this model. Is that a matter of training?

# %%
attend = (
    F.scaled_dot_product_attention
)  # softmax(Q Kᵀ / √d_k) V over the last two axes, torch's own
