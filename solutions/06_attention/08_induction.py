# %% [markdown]
# ## 7. Watch a circuit form
#
# Everything is ready for the promise of this chapter. Take the lists of section 4 again, on which one lookup has failed. How could *two* lookups, one after the other, continue a list?
#
# Here is a plan, on the text *moss kite drum moss kite*. The last word wants to know what came after the first *kite*. So it has to find a place that stands right after a *kite*. At first, no place knows that about itself. But in a first layer each word can look at the word before it and take its name along, as a **note**: *drum* now carries the note "after kite". In a second layer, the last word looks for this note:
#
# | place | 0 | 1 | 2 | 3 | 4 |
# |---|---|---|---|---|---|
# | the word | moss | kite | **drum** | moss | kite |
# | layer 0 adds the note | | "after moss" | **"after kite"** | "after drum" | "after moss" |
# | layer 1: what the key of each place says | | I come after moss | **I come after kite** | I come after drum | I come after moss |
# | layer 1: what the query of the last word says | | | | | who comes after kite? |
# | layer 1: value of the place that fits | | | **drum** | | |
#
# Now the same in symbols. Call the vectors of the two words *kite* and *drum* $a$ and $b$.
#
# - In layer 0, a head at *drum* looks back to *kite*. It finds the value $a W_v$, and `out` maps it. Let $W_o$ be the part of `out` that belongs to this head: then the note is $a W_v W_o$.
# - The layer adds the note to the vector of *drum*, which becomes $h = b + a W_v W_o$.
# - In layer 1, the key of this place is $h W_k = b W_k + a W_v W_o W_k$. Its first part says *drum*, and its second part says "after kite".
# - The query of the last *kite* is made from its vector, which has got a note as well. The part that comes from the word itself is $a W_q$.
#
# The score is the product of this query and this key. So if $a W_q$ fits $a W_v W_o W_k$ whenever both are made from the same word, and does not fit otherwise, layer 1 finds the place. **A value of layer 0 has become part of a key of layer 1.** (In the literature this is called *K-composition*.)
#
# (Place 0 has no word before it and can look only at itself, which leaves a useless note.) The plan needs two layers, and we give the network nothing else. Will it find the plan by itself, only because it helps?

# %% [markdown] statement="AttentionOnly"
# ### The network
#
# Put it together: each word becomes a vector, a vector for its place is added, and then come the layers. Each layer *adds* what it has found to the vectors, $x \leftarrow x + \text{layer}(x)$, which is called a **residual connection**. No word may look at later ones. At the end a linear map turns each vector into a score for each word that may come next.
#
# Write `AttentionOnly(vocabulary, longest, C, layers)` with
#
# - `embedding` and `positions`, both `nn.Embedding`, for so many words and for so many places;
# - `layers`, a list of modules, which are called as `layer(x, mask=mask)` with a causal mask;
# - `to_words`, a linear map with bias, which makes the scores.
#
# Two of your `MultiHead` layers go into it, and then it learns.

# %% [markdown] hints="AttentionOnly"
# 1. Which places does a text of $T$ words need, if the table has `longest` of them?
# 2. A Python list hides modules from torch; `nn.ModuleList` shows them. And your `causal_mask` makes its mask on the CPU: bring it to where the words are.
# 3. `forward` has four lines: words plus places; the mask; a loop in which `x` becomes `x + layer(x, mask=mask)`; the scores.


# %% task="AttentionOnly" points=3 level=2 minutes=20
class AttentionOnly(nn.Module):
    """Scores [B, T, vocabulary] for the next word at each place of texts [B, T] of up to `longest` words."""

    def __init__(self, vocabulary, longest, C, layers):
        super().__init__()
        ### BEGIN SOLUTION
        self.embedding = nn.Embedding(vocabulary, C)
        self.positions = nn.Embedding(longest, C)
        self.layers = nn.ModuleList(layers)
        self.to_words = nn.Linear(C, vocabulary)
        ### END SOLUTION

    def forward(self, words):
        ### BEGIN SOLUTION
        T = words.shape[1]
        x = self.embedding(words) + self.positions.weight[:T]
        mask = causal_mask(T).to(words.device)
        for layer in self.layers:
            x = x + layer(x, mask=mask)
        return self.to_words(x)
        ### END SOLUTION


# %% test="AttentionOnly" aspect="words, places, scores" points=1
_model = AttentionOnly(7, 9, 3, [])
_shapes = {_name: np.shape(_part) for _name, _part in dict(_model.state_dict()).items()}
_wanted = {"embedding.weight": (7, 3), "positions.weight": (9, 3)}
_wanted |= {"to_words.weight": (7, 3), "to_words.bias": (7,)}
assert _shapes == _wanted, (
    f"Without layers, weights {_wanted} are wanted; yours: {_shapes}."
)
_s = {_name: torch.randn(_shape) for _name, _shape in _wanted.items()}
_model.load_state_dict(_s)
_words = torch.randint(7, (2, 5))
_got = _model(_words)
assert np.shape(_got) == (2, 5, 7), (
    f"Two texts of 5 words, 7 words known: scores {2, 5, 7}; yours: {np.shape(_got)}."
)
_x = _s["embedding.weight"][_words] + _s["positions.weight"][:5]
assert close(
    _got, F.linear(_x, _s["to_words.weight"], _s["to_words.bias"]), 1e-4, 1e-4
), (
    "Without layers: the word's vector plus that of its place, from place 0 on, then to_words."
)


### BEGIN HIDDEN TESTS
def _called(AttentionOnly, vocabulary, C, words, more, state):
    model = AttentionOnly(vocabulary, words.shape[1] + more, C, [])
    model.load_state_dict(state)
    return model(words)


_V, _C, _T, _more = size("vocabulary"), size("C"), size("T"), size("more", least=0)
_words = made(
    lambda rng, B, T, V: torch.tensor([rng.choices(range(V), k=T) for _ in range(B)]),
    *(size("B"), _T, _V),
)
_state = made(
    lambda rng, E, P, W, b: {
        "embedding.weight": E,
        "positions.weight": P,
        "to_words.weight": W,
        "to_words.bias": b,
    },
    tensor(_V, _C),
    made(
        lambda rng, P, more, C: torch.cat([P, P.new_ones(more, C)]),
        tensor(_T, _C),
        _more,
        _C,
    ),
    tensor(_V, _C),
    tensor(_V),
)
_given = _V, _C, _words, _more, _state
agrees(AttentionOnly, ours.AttentionOnly, *_given, by=_called, rtol=1e-4, atol=1e-4)
### END HIDDEN TESTS


# %% test="AttentionOnly" aspect="layers add, under a causal mask" points=1
class _Layer(nn.Module):
    """Adds up what may be seen, times a factor."""

    def __init__(self, factor):
        super().__init__()
        self.factor, self.masks = factor, []

    def forward(self, x, y=None, *, mask=None):
        self.masks.append(mask)
        mask = torch.ones(x.shape[1], x.shape[1]) if mask is None else mask
        return self.factor * (mask.to(x.dtype) @ x).tanh()


_layer, _words = _Layer(1.0), torch.randint(7, (2, 4))
_got = AttentionOnly(7, 9, 3, [_layer])(_words)
assert np.shape(_got) == (2, 4, 7), f"Scores {2, 4, 7} wanted; yours: {np.shape(_got)}."
assert len(_layer.masks) == 1 and _layer.masks[0] is not None, (
    "The layer should be called once, as layer(x, mask=mask)."
)
_mask = torch.as_tensor(_layer.masks[0])
assert _mask.dtype == torch.bool and _mask.reshape(-1, 4, 4)[0].tolist() == (
    torch.ones(4, 4).bool().tril().tolist()
), f"The mask should be a causal one, bools [4, 4]; the layer got {_mask}."


### BEGIN HIDDEN TESTS
def _called(AttentionOnly, vocabulary, C, words, factors, state):
    model = AttentionOnly(vocabulary, words.shape[1], C, [_Layer(f) for f in factors])
    model.load_state_dict(state)
    T = words.shape[1]
    lengths = (
        (T + 1) // 2,
        T,
        max(1, T // 3),
        1,
    )  # a shorter text first, and others later
    return [model(words[:, :n]) for n in lengths] + [model.eval()(words)]


_V, _C, _T = size("vocabulary"), size("C"), size("T")
_words = made(
    lambda rng, B, T, V: torch.tensor([rng.choices(range(V), k=T) for _ in range(B)]),
    *(size("B"), _T, _V),
)
_state = made(
    lambda rng, E, P, W, b: {
        "embedding.weight": E,
        "positions.weight": P,
        "to_words.weight": W,
        "to_words.bias": b,
    },
    *(tensor(_V, _C), tensor(_T, _C), tensor(_V, _C), tensor(_V)),
)
_factors = choice([1.0], [0.5, -2.0], [1.0, 2.0, 3.0])
_given = _V, _C, _words, _factors, _state
agrees(AttentionOnly, ours.AttentionOnly, *_given, by=_called, rtol=1e-3, atol=1e-3)
### END HIDDEN TESTS

# %% test="AttentionOnly" aspect="all weights can learn" points=1
_model = AttentionOnly(
    7, 4, 3, [torch_module("Linear", 3, 3), torch_module("Linear", 3, 3)]
)
_names = {*dict(_model.named_parameters())}
for _name in ("layers.0.weight", "layers.1.bias", "embedding.weight", "to_words.bias"):
    assert _name in _names, (
        f"{_name} is not among {sorted(_names)}: nothing would train it."
    )
### BEGIN HIDDEN TESTS
_model = AttentionOnly(7, 4, 3, [])
_found = parameter_gradients(_model, torch.tensor([[1, 2, 3, 6]]))
for _name in (
    "embedding.weight",
    "positions.weight",
    "to_words.weight",
    "to_words.bias",
):
    assert _found.get(_name) is not None, f"No gradient reaches {_name}."
_part = torch_module("TransformerEncoderLayer", 3, 1, 4, 0.0, batch_first=True)
_layer = torch_module("TransformerEncoder", _part, 1, enable_nested_tensor=False)
try:
    parameter_gradients(AttentionOnly(7, 4, 3, [_layer]), torch.tensor([[1, 2, 3, 6]]))
except Exception as _error:  # this layer may refuse how yours is called
    assert "inplace" not in str(_error), (
        "No gradient comes back through a layer: x is changed in place. Write x = x + …, not x += …"
    )
### END HIDDEN TESTS

# %% [markdown]
# ### Watch the squares
#
# The next cell trains two of your layers, with four heads each and 64 numbers for each word, for 500 steps and with the same loss as before. (Its first vectors are smaller than those that torch would give it. With torch's own, the loss after 500 steps was just as small when we tried it once.)
#
# Every 20 steps it draws where all eight heads look, on one text with a list of twelve words. Each head has a square. A row of the square is the word that looks, a column is the word that is looked at, and a dark cell is a large weight. Do not watch the loss. **Watch the squares**, and look for lines. (On paper you see only the last picture. A strip of six moments comes after the next task.)


# %%
def fresh(seed, layers=2):
    """A new network of your layers, with small first vectors."""
    set_seed(seed)
    model = AttentionOnly(len(WORDS), 64, 64, [MultiHead(64, 4) for _ in range(layers)])
    for table in (model.embedding, model.positions):
        nn.init.normal_(table.weight, std=0.3)
    return model.to(device)


def look(model, words):
    """Weights [layers, H, T, T] of all heads on one text, by your own functions."""
    words = words[None].to(device)
    return weights_of_heads(
        model, words, lambda X: split_heads(X, 4), masked_attention
    )[:, 0].cpu()


def on_words_said(model):
    """The probability that a model gives to words already said, on average over repeats."""
    words, repeats = (part.to(device) for part in lists(0, range(8, 21), B=64, seed=99))
    with torch.no_grad():
        p = model(words[:, :-1]).softmax(-1)
    said_before = F.one_hot(words[:, :-1], len(WORDS)).cumsum(1) > 0
    return (p * said_before).sum(-1)[repeats].mean().item()


# %%
learner = fresh(seed=1)
shown = lists(1, [12], B=1, seed=99)[0][0]
film = Film(lambda: look(learner, shown[:-1]), lambda: held_out_loss(learner))
on_list = [on_words_said(learner)]


def watch(history):
    film(history)
    on_list.append(on_words_said(learner))


history = practise(learner, range(8, 21), watch=watch)

# %% alt="Eight squares of weights after training: in layer 0, some heads have a dark line just below the diagonal, which ends about half way down; in layer 1, the heads have lines parallel to the diagonal, eleven places below it and, in round three, darker ones twenty-three places below."
figure = film.frame(-1)
plt.show()

# %% [markdown]
# Did you see it? At first all squares are a pale blur, because each head looks a little at every word. (Weights below about 0.03 are white.) Then, within a few dozen steps, lines appear in both layers, and the loss falls off a cliff.
#
# **Layer 0.** Some heads have a dark line one place below the diagonal. They have begun to look at the **previous word**. (A line *on* the diagonal belongs to a head that looks at the word itself.)
#
# **Layer 1.** Our text says a list of twelve words. So in row 12 the first word of the list is said again. It was said at place 0, and what came after it stands at place 1. Find row 12 in a square of layer 1: its dark cell is in column 1, eleven places back. From there a line runs down, eleven places below the diagonal, until it fades in round three. (Why it fades is a question for section 9.) From row 24 on, in round three, the right word stands at two places, eleven and twenty-three back, so there is a second line. (The cells in rows 0 to 11 mean nothing. No word has come twice there, and no loss is counted.)
#
# Is it the two layers that do it? The next cell gives the same texts to two other kinds of network. One has a single layer of yours, with four heads. The other is an LSTM as in chapter 05, with more weights than yours and with the learning rate that suited it best of the three that we tried. Of each kind, one network gets the same 500 steps and another one 2,000.


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
class Recurrent(nn.Module):
    """An LSTM: scores [B, T, 64] for the next word at each place of texts [B, T]."""

    def __init__(self, C=64, state=96):
        super().__init__()
        self.embedding = nn.Embedding(len(WORDS), C)
        self.lstm = nn.LSTM(C, state, batch_first=True)
        self.to_words = nn.Linear(state, len(WORDS))

    def forward(self, words):
        return self.to_words(self.lstm(self.embedding(words))[0])


contest = {"two layers, 500 steps": learner}
for steps in (500, 2000):
    layer = contest[f"one layer, {steps} steps"] = fresh(seed=1, layers=1)
    practise(layer, range(8, 21), steps=steps)
    set_seed(1)
    lstm = contest[f"LSTM, {steps} steps"] = Recurrent().to(device)
    practise(lstm, range(8, 21), steps=steps, rate=0.003)
for name, model in contest.items():
    tell(name, held_out_loss(model), guessed(model))
tell_readers()
print(
    "\nweights:",
    sum(W.numel() for W in learner.parameters()),
    "with two layers,",
    end=" ",
)
print(sum(W.numel() for W in lstm.parameters()), "in an LSTM")

# %% [markdown]
# Look at the lines with one layer first. With 2,000 steps it is still right in fewer texts than the reader that strikes out the last seven words. So nothing in its numbers shows copying, although it has had four times as many steps as your two layers. (It is also smaller than they are, with four heads against eight, and we have tried one learning rate and one seed.) The LSTM has hardly begun after 500 steps, but after 2,000 it is right in about half of the texts. It *can* learn to copy. It must carry the whole list in its state, though, and here it took longer to learn that. Two layers of attention can jump.
#
# So it seems to take two layers here, for the reason of section 5: a word cannot be found by what stood before it unless something has told it so. And what you saw in their squares looks like our plan, although we have not told it to the network. The second head of such a pair is called an **induction head**, and the pair an induction circuit. N. Elhage and others described it in 2021. A year later C. Olsson and others
# found induction heads in language models of many sizes, as soon as there are at least two layers. They appear during a short phase of the training, and in that same phase the models begin to profit from what stands in their prompt.
#
# A good story, so let us not believe it yet. A dark line can be an accident. To be sure we have to measure what the heads do, and then take them away.

# %% [markdown] statement="heads_at_work"
# ### Measure, then cut
#
# You write three tools to take a network apart. $P$ $[H, T, T]$ holds the weights of $H$ causal heads on one text (a row for each word that looks), and `words` is the list of its $T$ words.
#
# - `previous_word(P)`, $[H]$: how much weight a head gives to the word just before, on average over words 1, 2, …, $T - 1$;
# - `copying(P, words)`, $[H]$: for each word that has occurred before, the weight on all places *right after its earlier occurrences* together (one of them may be its own place); the mean over such words, and zeros if there are none;
# - `without_head(W, head, heads)`: the knife. `W` $[C, C]$ is the weight of `out`, the `nn.Linear` that gets the results of all heads, side by side. Return a copy in which what head number `head` (0, 1, …) has found counts for nothing.
#
# The cells below the checks give each head of your network its two scores, show how they grow while the loss falls, and then cut out heads, alone and together.

# %% [markdown] hints="heads_at_work"
# 1. Draw $P$ for four words. Where do the weights on the previous word lie?
# 2. For `copying` walk through the words with their places. For the word at place $i$: at which $j < i$ did it occur, and
#    which columns of row $i$ follow?
# 3. For `without_head`: `nn.Linear` computes $zW^T$. Which index of $W$ meets the numbers of $z$, and which of these
#    numbers are the head's?


# %% task="heads_at_work" points=3 level=3 minutes=40
def previous_word(P):
    """[H]: mean weight of words 1 to T - 1 on the word before, from P: [H, T, T]."""
    ### BEGIN SOLUTION
    return P.diagonal(-1, dim1=1, dim2=2).mean(-1)
    ### END SOLUTION


def copying(P, words):
    """[H]: mean weight on the places right after earlier occurrences of the asking word."""
    ### BEGIN SOLUTION
    found = []
    for i, word in enumerate(words):
        after = [j + 1 for j in range(i) if words[j] == word]
        if after:
            found.append(P[:, i, after].sum(-1))
    return torch.stack(found).mean(0) if found else P.new_zeros(len(P))
    ### END SOLUTION


def without_head(W, head, heads):
    """A copy of W: [C, C], the weight of out, in which one of so many heads adds nothing."""
    ### BEGIN SOLUTION
    W, d_k = W.clone(), W.shape[1] // heads
    W[:, head * d_k : (head + 1) * d_k] = 0
    return W
    ### END SOLUTION


# %% test="heads_at_work" aspect="weight on the word before" points=1
_P = torch.tensor([[[1.0, 0, 0], [0.3, 0.7, 0], [0.1, 0.8, 0.1]]])
_got = previous_word(_P.clone())
assert close(np.shape(_got), (1,), 0, 0), f"One head: one number; yours: {_got!r}."
assert close(_got, [0.55], 1e-5), f"(.3 + .8) / 2 = .55; yours: {_got}."
### BEGIN HIDDEN TESTS
_T = size("T", least=2, large=60)
_P = made(
    lambda rng, P: P.exp().tril() / P.exp().tril().sum(-1, keepdim=True),
    tensor(size("H"), _T, _T),
)
agrees(previous_word, ours.previous_word, _P, rtol=1e-4, atol=1e-6)
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
_T = size("T", large=50)
_P = made(
    lambda rng, P: P.exp().tril() / P.exp().tril().sum(-1, keepdim=True),
    tensor(size("H"), _T, _T),
)
_words = made(  # equal numbers from 1000 on, each an int of its own
    lambda rng, T, kinds: [1000 + rng.randrange(kinds) for _ in range(T)],
    _T,
    whole(1, 4, (50,)),
    edges=[
        lambda rng, T, kinds: [i // 2 for i in range(T)],
        lambda rng, T, kinds: [i * (i < T - 2) for i in range(T)],
        lambda rng, T, kinds: list(range(T)),
    ],
)
agrees(copying, ours.copying, _P, _words, rtol=1e-4, atol=1e-6)
for _words in ([1, 2, 3], [5]):
    _got = copying(torch.ones(2, len(_words), len(_words)), list(_words))
    assert close(_got, [0, 0]), f"No word occurs twice: zeros; yours: {_got!r}."
### END HIDDEN TESTS

# %% test="heads_at_work" aspect="one head has no say" points=1
_W = torch.arange(1.0, 17).view(4, 4)
_got = without_head(_W.clone(), 1, 2)
assert close(np.shape(_got), (4, 4), 0, 0), f"[4, 4] as before; yours: {_got!r}."
assert close(_got[0, :2], _W[0, :2]), (
    f"Head 0 should keep its say, 1 and 2; yours: {_got[0, :2]}."
)
assert close(_got[:, 2:], torch.zeros(4, 2)), (
    f"Head 1 of two has the last two columns of W: zeros wanted there; yours: {_got[:, 2:].tolist()}."
)
### BEGIN HIDDEN TESTS
_H, _D = size("H"), size("D")
_W = made(lambda rng, W: W, tensor(*[made(lambda rng, H, D: H * D, _H, _D)] * 2))
_head = made(lambda rng, H: rng.randrange(H), _H, edges=[0, lambda rng, H: H - 1])
agrees(without_head, ours.without_head, _W, _head, _H)
### END HIDDEN TESTS


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
def scores_of(P, words):
    """A table: both scores of each head, from its weights [layers, H, T, T]."""
    names, rows = [], []
    for layer, its in enumerate(P):
        both = (previous_word(its), copying(its, words.tolist()))
        for head, (before, copies) in enumerate(zip(*both, strict=True)):
            names.append(f"layer {layer}, head {head}")
            rows.append((float(before), float(copies)))
    return pd.DataFrame(rows, names, ["previous word", "copying"])


table = scores_of(film.frames[-1][2], shown[:-1])
print(table.round(2).to_string())

# %% alt="Two heads at six steps: at first both squares are grey; between steps 60 and 140 a line just below the diagonal appears in layer 0, and lines eleven places below the diagonal in layer 1."
first = int(table["previous word"][:4].argmax())
second = int(table["copying"][4:].argmax())
rows = [scores_of(P, shown[:-1]) for _, _, P in film.frames]
steps = [step for step, _, _ in film.frames]
figure = film.strip([(0, first), (1, second)], [0, 60, 80, 100, 140, 500])
plt.show()

# %% alt="Two panels over the training steps. Left: the probability of words that were said rises first, from near 0.2 to nearly 1; after it the scores of the previous-word head, which ends near one half, and of the copying head rise together. Right: the loss falls from above 4 to nearly 0 in the same steps."
_, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.4), width_ratios=(3, 2))
left.plot(steps, on_list, "^-", label="says a word of the list")
for name, column, at, mark in (
    ("looks at the previous word", "previous word", first, "o-"),
    ("copies", "copying", 4 + second, "s-"),
):
    left.plot(steps, [row[column].iloc[at] for row in rows], mark, label=name)
left.set(
    xlabel="step", ylabel="probability or weight", xlim=(0, 300), ylim=(-0.03, 1.4)
)
left.set(
    yticks=np.arange(0, 1.1, 0.2), title="First any word of the list, then both heads"
)
left.legend(fontsize=10, ncols=2, loc="upper left")
right.plot(steps, [loss for _, loss, _ in film.frames], "k.-")
right.set(xlabel="step", ylabel="loss on the repeats (nats)", xlim=(0, 300))
right.set(title="The loss")
plt.show()

# %% [markdown]
# The strip shows the two heads with the best scores, one in each layer, at six moments. The curves below it say the same in numbers, and they show something that you do not see in the squares. The triangles are the probability that the network gives to *any* word that its text has already said. They rise *first*, while the scores of both heads are still near where they began. So in a first phase the network learns to say some word of the list, no matter which one.
#
# For this, no head has to look at a special place. A head that looks everywhere alike brings home a mixture of the words said so far. The network has to learn only one thing: say what you have brought home.
#
# **A riddle.** The two heads need each other. The copying head finds nothing before a head of layer 0 has written the notes. But writing notes pays nothing before some head reads them. How can two such parts begin at all?
#
# The first phase may be the answer. Suppose that the network already says what its heads bring home. Then a head of layer 1 that leans towards the right place, however little, lowers the loss at once. And a head of layer 0 that leans towards the previous word lowers the loss as well, because its faint notes are what lets layer 1 lean. Neither has to wait until the other is ready. (This is how we understand the curves. They show only the order of events. The reason we have not tested.)
#
# **Something odd.** One thing in the squares does *not* fit our plan. The line of the previous-word head ends half way down, near place 19. (Therefore its score stays near one half: it is a mean over all 37 places.) Keep this in mind until section 9.

# %% [markdown]
# ### Does layer 1 really use what layer 0 has left?
#
# So far we have seen two lines that appear together. That one *uses* the other is still only our plan. But the plan says something that we can test on the weights alone. In layer 1 the query of *kite*, $a W_q$, must fit the note that says "after kite", $a W_v W_o W_k$, and no note about another word.
#
# So we compute the score of each of the 64 queries with each of the 64 notes. (Biases and the vectors of the places are left out.) If the plan is right, each query has its largest score with the note about its own word. By chance, this would happen to one word in 64.
#
# Which heads of layer 0 write the notes? A head that looks everywhere alike would have a previous-word score of 0.09. We call those with more than 0.2 **previous-word heads**. There are two controls: the other heads of layer 0, and the same matrices of a network that has not been trained.
#
# The next cell does this for your network and for two more that differ in their seed. After it comes a figure of all 64 times 64 scores of yours. A dark cell is a large score, and scores below 0 are white. So look for a dark diagonal.


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
def heads_by_score(scores):
    """Which heads have a score above 0.2, best first, and which have not."""
    order = torch.as_tensor(scores).argsort(descending=True).tolist()
    return [h for h in order if scores[h] > 0.2], [h for h in order if scores[h] <= 0.2]


def left_by(model, heads):
    """[64, C]: what these heads of layer 0 add to a word that looks at each of the 64 words."""
    layer, left = model.layers[0], torch.zeros_like(model.embedding.weight)
    for head in heads:
        its = slice(16 * head, 16 * head + 16)
        W_v, W_o = layer.v.weight[its], layer.out.weight[:, its]
        left = left + model.embedding.weight @ W_v.T @ W_o.T
    return left


def fit(model, left, head):
    """Scores [64, 64] of a head of layer 1: row, the word that asks; column, the word that `left` is of."""
    its, layer = slice(16 * head, 16 * head + 16), model.layers[1]
    with torch.no_grad():
        Q = model.embedding.weight @ layer.q.weight[its].T
        K = left @ layer.k.weight[its].T
    return (Q @ K.T / math.sqrt(16)).cpu()


def fitting(scores):
    """For how many of the 64 words that ask the word itself has the best score."""
    return int((scores.argmax(1) == torch.arange(64)).sum())


learners = {1: learner}
for seed in (2, 3):  # two more networks, to see what depends on the seed
    learners[seed] = fresh(seed)
    practise(learners[seed], range(8, 21))
tellers, rest, copier = {}, {}, {}
for seed, model in learners.items():
    P = look(model, shown[:-1])
    tellers[seed], rest[seed] = heads_by_score(previous_word(P[0]))
    copier[seed] = int(torch.as_tensor(copying(P[1], shown[:-1].tolist())).argmax())
    notes = {
        "of the previous-word heads": (model, tellers[seed]),
        "of the other heads": (model, rest[seed]),
        "of an untrained network, all heads": (fresh(seed), range(4)),
    }
    print(f"seed {seed}: previous-word heads {sorted(tellers[seed])}")
    for name, (network, heads) in notes.items():
        best = fitting(fit(network, left_by(network, heads), copier[seed]))
        print(f"    notes {name:34}: {best:2} of 64 queries fit their own best")

# %% alt="A square of 64 by 64 scores: rows are words that ask, columns the notes of layer 0. The diagonal is dark; nearly all other cells are pale."
S = fit(learner, left_by(learner, tellers[1]), copier[1])
_, axes = plt.subplots(figsize=(6, 5.2))
shades = axes.imshow(S, cmap="Blues", vmin=0)
axes.set(
    xlabel="the note that layer 0 has left", ylabel="the word that asks in layer 1"
)
axes.set_title("A word's query fits the note about itself")
axes.set_xticks(range(0, 64, 9), WORDS[::9])
axes.set_yticks(range(0, 64, 9), WORDS[::9])
axes.grid(visible=False)
plt.colorbar(shades, label="score", shrink=0.8)
plt.show()

# %% [markdown]
# The diagonal is dark, and the first line of each seed says it in a number: with the notes of the previous-word heads, all 64 queries fit the note about their own word best. In an untrained network about as many do as chance would give. So nobody has told the matrices of two different layers to fit each other, and training has done it.
#
# The line in the middle may surprise you. The notes of the *other* heads fit as well, for many words. Does this contradict the plan? No: the test says only that layer 1 can *read* the note. It does not say what the note is *about*, because that depends on where the head of layer 0 looks. If it looks at the previous word, its note says "after kite". If it looks at the word itself, its note says "I am kite". Only the first kind is of use.
#
# (In what is written about circuits, the product $W_q W_k^T$ of a head is called its QK circuit, because it decides where the head looks. And $W_v W_o$ is called its OV circuit, because it decides what the head brings along. So our test has shown that the OV circuit of one layer fits the QK circuit of the next.)
#
# And now the knife, for the other half of the proof: take the previous-word heads out, and see whether the heads of layer 1 still find their places. There are two controls. One takes out the other heads of layer 0. The other one takes out *as many* heads as the previous-word heads are, but other sets of them, and we take the mean over these sets. (If three of the four heads are previous-word heads, each of these sets leaves one of them in place.)


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
def with_cut(model, layer, heads, measure):
    """measure() while these heads of a layer are cut out."""
    out = model.layers[layer].out
    whole = out.weight.data.clone()
    for head in heads:
        out.weight.data = torch.as_tensor(without_head(out.weight.data, head, 4))
    measured = measure()
    out.weight.data = whole
    return measured


def best_copying(model):
    """The largest copying score of a head of layer 1."""
    return float(max(copying(look(model, shown[:-1])[1], shown[:-1].tolist())))


def sureness(model):
    """The probability of the word that a model finds most likely, on average over repeats."""
    words, repeats = (part.to(device) for part in lists(0, range(8, 21), B=64, seed=99))
    with torch.no_grad():
        return model(words[:, :-1]).softmax(-1).amax(-1)[repeats].mean().item()


def as_many_others(heads):
    """All other sets of as many heads of a layer of four."""
    return [[*its] for its in combinations(range(4), len(heads)) if {*its} != {*heads}]


cuts = {  # of which layer, and for each seed the sets of heads over which we take the mean
    "nothing": (0, {seed: [[]] for seed in learners}),
    "previous-word\nheads": (0, {seed: [tellers[seed]] for seed in learners}),
    "the other heads\nof layer 0": (0, {seed: [rest[seed]] for seed in learners}),
    "as many heads,\nother sets": (
        0,
        {seed: as_many_others(tellers[seed]) for seed in learners},
    ),
    "the best\nof layer 0": (0, {seed: [tellers[seed][:1]] for seed in learners}),
    "all heads\nof layer 1": (1, {seed: [range(4)] for seed in learners}),
}
losses = {}
for name, (layer, sets) in cuts.items():
    losses[name], sure, copies = (
        [
            np.mean(
                [
                    with_cut(model, layer, heads, lambda m=model, f=f: f(m))
                    for heads in sets[seed]
                ]
            )
            for seed, model in learners.items()
        ]
        for f in (held_out_loss, sureness, best_copying)
    )
    print(
        f"cut out: {name:26}".replace("\n", " ")
        + f" copying in layer 1 {np.round(copies, 2)}, the likeliest word has {np.round(sure, 2)}"
    )

# %% alt="Loss on the repeats with heads cut out, for three networks. With nothing cut out, and without the other heads of layer 0, it is near 0. Without the previous-word heads, and without layer 1, it is close to that of a reader that knows nothing. Without as many heads in other sets it is less than half as high, and without the best head of layer 0 alone it is below one half."
_, axes = plt.subplots(figsize=(8.6, 3.6))
for n, its in enumerate(losses.values()):
    axes.bar(n, np.mean(its), 0.6, color=plots.COLOURS[0])
    axes.plot([n] * len(its), its, "k_", markersize=14)
axes.axhline(math.log(len(WORDS)), color="black", linestyle="--", label="knows nothing")
axes.axhline(bag_loss(), color="grey", linestyle=":", label="knows which words")
axes.set(xticks=range(len(losses)), xticklabels=losses, xlabel="cut out")
axes.tick_params(axis="x", labelsize=10)
axes.set(ylabel="loss on the repeats (nats)", ylim=(0, 5.4))
axes.set_title("Without its previous-word heads, copying breaks down")
axes.legend(ncols=2, fontsize=10, loc="upper center")
plt.show()

# %% [markdown]
# Each bar is the mean of three networks that differ in their seed, and the marks are the three.
#
# - **Previous-word heads.** Without them the loss rises from 0 to about 4, nearly to that of a reader that knows nothing. The printed lines say why: the copying score of even the best head of layer 1 falls from nearly 1 to 0.15 or less. So its square depends on layer 0, as the plan says.
# - **The controls.** Without the other heads of layer 0, nothing is lost. With as many heads cut out, but other sets, the loss rises less than half as far. So if one previous-word head stays, layer 1 still finds some of its places. If only the other head stays, which looks elsewhere, layer 1 finds hardly any.
# - **The best head.** A *single* head is missed much less, because others do the same work. So be careful with the sentence "this head does it", and with any such figure that shows one network.
# - **Layer 1.** Without its heads the loss is that of a reader that knows nothing, although their copying scores are as before. They still look at the right places. Only what they find is no longer used.
#
# One more thing is in the printed lines. A network without its circuit has become less sure: its likeliest word gets a probability of 0.3 or less, on average. It is still surer than it should be, since a reader that says 0.3 and is right so often would have a loss below 3.6.
#
# So the plan was right about the two parts. Your layers, trained on nothing but the repeats of lists, have built them, and you have found both parts and the joint between them. Let it play, and try to break it:


# %%
def continued(text, count=8, model=None):
    """The text and the words that the model says next, one after the other."""
    numbers = [WORDS.index(word) for word in text.split()]
    with torch.no_grad():
        for _ in range(count):
            scores = (model or learner)(torch.tensor([numbers], device=device))
            numbers.append(int(scores[0, -1].argmax()))
    return said(numbers[-count:])


# %% scratch=true
# NBVAL_IGNORE_OUTPUT
# A list of your own, of 8 to 20 words out of WORDS, and the beginning of its second round.
mine = "pear owl rain gull king zinc toad moss star pear owl"
print(mine, "…", continued(mine))

# %% scratch=true
# NBVAL_IGNORE_OUTPUT
# Three ways to break it. Guess what it says before you run the cell.
tricks = {
    "a word twice in the list (rain)": "pear owl rain gull king rain toad moss star pear owl",
    "one wrong word in round two (wolf)": "pear owl rain gull king zinc toad moss star pear wolf",
    "a list of 25 words": said([*range(25), 0, 1]),
}
for name, text in tricks.items():
    print(f"{name}:\n  {text} … {continued(text)}\n")
print(
    f"three networks on lists of 25: {[round(held_out_loss(m, [25]), 2) for m in learners.values()]}"
)

# %% [markdown]
# - **A word twice.** After *rain*, was it *gull* or *toad*? The plan cannot answer, because the circuit knows only the one word before, and both fit equally well. So look which one it takes, and whether it goes round in a small circle from there.
# - **A wrong word.** After *wolf* there is nothing to find, so what it says then is a guess. But once it has said a word of the list, it can go on from there, and it may even repeat your *wolf* the next time round.
# - **25 words.** This list is longer than any that it has read, and it copies all the same. So what it has learned is not a number of places. (The losses in the last line are from our texts of 39 words, which have room for thirteen words of round two. We come back to this test in section 9.)
