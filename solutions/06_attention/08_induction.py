# %% [markdown]
# ## 8. Watch a circuit form
#
# Everything is ready for the promise of this chapter. So far, we told the lookups what to look for, or the task made it plain. Will a network find something by itself that we have not put there, only because it helps?
#
# We give it texts in which just one trick is worth knowing. Each text is a list of random words, said again and again:

# %%
sixty_four = (
    "moss kite drum fig lamp rope salt crow bell fern mint harp silk pond oak plum "
    "wolf tent coin leaf star boat cork dune echo frog gate hill iron jade king lark "
    "mask nest opal pine quill reed sand tide urn vine wax yarn zinc ash bay clay "
    "dawn elm fog gull hay ink jar knot loom mud nut owl pear rain sage toad"
)
WORDS = sixty_four.split()


def lists(step, lengths, B=32, T=39, seed=0):
    """B texts of T words: each says one random list again and again; its length is drawn from `lengths`.

    Returns the words [B, T] and, for each of the first T - 1 places, whether the word after it is a repeat.
    """
    draw = np.random.default_rng([seed, step])
    chosen = draw.choice(lengths, size=B)
    rows = [np.resize(draw.permutation(len(WORDS))[:n], T) for n in chosen]
    repeats = np.arange(1, T) >= chosen[:, None]
    return torch.from_numpy(np.array(rows)), torch.from_numpy(repeats)


def said(numbers):
    return " ".join(WORDS[i] for i in numbers)


print(len(WORDS), "words; two texts:\n")
for row in lists(0, [8, 13], B=2, seed=3)[0]:
    print(said(row), "\n")

# %% [markdown]
# The first round of a list cannot be guessed, because the words are random. But from the second round on, a perfect reader makes no mistakes. How would *you* do it? You come to *kite*. You find the last place where *kite* was said, look at the word after it, and say that. The length of the list is another one in each text, between 8 and 20, so you
# cannot simply count.
#
# This takes two hops. A word cannot look for "the place after the last *kite*" in one step, since the word at that place does not know what stood before it. One layer must first tell each word its predecessor. So two layers of attention should be enough, and we give the network nothing else.

# %% [markdown] statement="AttentionOnly"
# ### The network
#
# Put it together: each word becomes a vector, a vector for its place is added, and then come the layers. Each layer *adds* what it has found to the vectors, $x \leftarrow x + \text{layer}(x)$, as the readers in section 6 did. No word may look at later ones. At the end a linear map turns each vector into a score for each word that may come next.
#
# Write `AttentionOnly(vocabulary, longest, C, layers)` with
#
# - `embedding` and `positions`, both `nn.Embedding`, for so many words and for so many places;
# - `layers`, a list of modules, which are called as `layer(x, mask=mask)` with a causal mask;
# - `head`, a linear map with bias.
#
# Two of your `MultiHead` layers go into it, and then it learns.

# %% [markdown] hints="AttentionOnly"
# 1. Which places does a text of $T$ words need, if the table has `longest` of them?
# 2. A Python list hides modules from torch; `nn.ModuleList` shows them. And your `causal_mask` makes its mask on the CPU: bring it to where the words are.
# 3. `forward` has four lines: words plus places; the mask; a loop in which `x` becomes `x + layer(x, mask=mask)`; the scores.


# %% task="AttentionOnly" points=3 level=2 minutes=12
class AttentionOnly(nn.Module):
    """Scores [B, T, vocabulary] for the next word at each place of texts [B, T] of up to `longest` words."""

    def __init__(self, vocabulary, longest, C, layers):
        super().__init__()
        ### BEGIN SOLUTION
        self.embedding = nn.Embedding(vocabulary, C)
        self.positions = nn.Embedding(longest, C)
        self.layers = nn.ModuleList(layers)
        self.head = nn.Linear(C, vocabulary)
        ### END SOLUTION

    def forward(self, words):
        ### BEGIN SOLUTION
        T = words.shape[1]
        x = self.embedding(words) + self.positions.weight[:T]
        mask = causal_mask(T).to(words.device)
        for layer in self.layers:
            x = x + layer(x, mask=mask)
        return self.head(x)
        ### END SOLUTION


# %% test="AttentionOnly" aspect="words, places, scores" points=1
_model = AttentionOnly(7, 9, 3, [])
_shapes = {_name: np.shape(_part) for _name, _part in dict(_model.state_dict()).items()}
_wanted = {"embedding.weight": (7, 3), "positions.weight": (9, 3)}
_wanted |= {"head.weight": (7, 3), "head.bias": (7,)}
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
assert close(_got, F.linear(_x, _s["head.weight"], _s["head.bias"]), 1e-4, 1e-4), (
    "Without layers: the word's vector plus that of its place, from place 0 on, then head."
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
        "head.weight": W,
        "head.bias": b,
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

    def forward(self, x, y=None, mask=None):
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
    return [model(words), model.eval()(words), model(words[:, :1])]


_V, _C, _T = size("vocabulary"), size("C"), size("T")
_words = made(
    lambda rng, B, T, V: torch.tensor([rng.choices(range(V), k=T) for _ in range(B)]),
    *(size("B"), _T, _V),
)
_state = made(
    lambda rng, E, P, W, b: {
        "embedding.weight": E,
        "positions.weight": P,
        "head.weight": W,
        "head.bias": b,
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
for _name in ("layers.0.weight", "layers.1.bias", "embedding.weight", "head.bias"):
    assert _name in _names, (
        f"{_name} is not among {sorted(_names)}: nothing would train it."
    )
### BEGIN HIDDEN TESTS
_model = AttentionOnly(7, 4, 3, [])
_found = parameter_gradients(_model, torch.tensor([[1, 2, 3, 6]]))
for _name in ("embedding.weight", "positions.weight", "head.weight", "head.bias"):
    assert _found.get(_name) is not None, f"No gradient reaches {_name}."
### END HIDDEN TESTS

# %% [markdown]
# ### A few seconds
#
# The next cell trains two of your layers, with four heads each and 64 numbers for each word, for 500 steps. It counts the loss only where the next word is a repeat, because only there is something to learn. A model that knows nothing has a loss of $\ln 64 = 4.16$ there.
#
# Every 20 steps it draws where all eight heads look, on one text with a list of twelve words. A row of a square is the word that looks, a column the word that is looked at. Do not watch the loss. **Watch the squares**, and look for lines.


# %%
def repeat_loss(model, batch):
    """Mean loss (nats) of the words that are repeats, and how many they are."""
    words, repeats = batch
    scores = model(words[:, :-1])
    losses = F.cross_entropy(
        scores.flatten(0, 1), words[:, 1:].flatten(), reduction="none"
    )
    known = repeats.flatten().to(losses.dtype)
    return (losses * known).sum() / known.sum(), int(known.sum())


def fresh(seed):
    """A new network of two of your layers, with small first vectors."""
    set_seed(seed)
    layers = [MultiHead(64, 4), MultiHead(64, 4)]
    model = AttentionOnly(len(WORDS), 64, 64, layers)
    for table in (model.embedding, model.positions):
        nn.init.normal_(table.weight, std=0.3)
    return model.to(device)


def practise(model, lengths, steps=500, watch=None, seed=0):
    return train(
        model,
        batches=lambda step: lists(step, lengths, seed=seed),
        loss=repeat_loss,
        steps=steps,
        rate=0.01,
        schedule=warmup_cosine(10, 0.1),
        every=20,
        watch=watch,
    )


# %%
def held_out_loss(model, lengths=range(8, 21)):
    """Loss on the repeats of 64 texts that the model has never seen."""
    batch = [part.to(device) for part in lists(0, lengths, B=64, seed=99)]
    with torch.no_grad():
        return repeat_loss(model, batch)[0].item()


def look(model, words):
    """Weights [layers, H, T, T] of all heads on one text, by your own functions."""
    words = words[None].to(device)
    return weights_of_heads(
        model, words, lambda X: split_heads(X, 4), masked_attention
    )[:, 0].cpu()


# %%
learner = fresh(seed=1)
shown = lists(1, [12], B=1, seed=99)[0][0]
film = Film(lambda: look(learner, shown[:-1]), lambda: held_out_loss(learner))
begin = time.perf_counter()
history = practise(learner, range(8, 21), watch=film)
seconds = time.perf_counter() - begin

# %% alt="Eight squares of weights after training: in layer 1, two heads have a dark line just below the diagonal, which ends about half way down; in layer 2, the heads have dark lines parallel to the diagonal, twelve places away."
figure = film.frame(-1)
plt.show()

# %% [markdown]
# Did you see it? For the first steps all squares are a grey blur, and the loss hardly moves. Then, within a few dozen steps, a dark line appears in the *first* layer, one place below the diagonal: some head there has begun to look at the **previous word**. Almost at once lines light up in the *second* layer, and the loss falls off a cliff.
#
# This is our recipe, and we have not told it to the network. A head of the first layer tells each word its predecessor. A head of the second layer asks, at the word *kite*: "whose predecessor is *kite*?", and finds the word after the last *kite*. Such a pair is called an **induction head**. N. Elhage and others described it in 2021, and a year later C. Olsson and others
# found induction heads in language models of every size. They appear during a short phase of the training, and in that same phase the models begin to profit from what stands in their prompt.
#
# A good story, so let us not believe it yet. A dark line can be an accident. To be sure we have to measure what the heads do, and then take them away.

# %% [markdown] statement="heads_at_work"
# ### Measure, then cut
#
# Three tools to take a network apart. $P$ $[H, T, T]$ holds the weights of $H$ causal heads on one text (a row for each word that looks), and `words` is the list of its $T$ words.
#
# - `previous_word(P)`, $[H]$: how much weight a head gives to the word just before, on average over words 1, 2, …, $T - 1$;
# - `copying(P, words)`, $[H]$: for each word that has occurred before, the weight on all places *right after its earlier occurrences* together (one of them may be its own place); the mean over such words, and zeros if there are none;
# - `without_head(W, head, heads)`: the knife. `W` $[C, C]$ is the weight of `out`, the `nn.Linear` that gets the results of all heads, side by side. Return a copy in which head number `head` (0, 1, …) has no say.
#
# The cells below the checks give each head of your network its two scores, show how they grow while the loss falls, and then cut out one head after another.

# %% [markdown] hints="heads_at_work"
# 1. Draw $P$ for four words. Where do the weights on the previous word lie?
# 2. For `copying` walk through the words with their places. For the word at place $i$: at which $j < i$ did it occur, and
#    which columns of row $i$ follow?
# 3. For `without_head`: `nn.Linear` computes $zW^T$. Which index of $W$ meets the numbers of $z$, and which of these
#    numbers are the head's?


# %% task="heads_at_work" points=3 level=2 minutes=18
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
    """A copy of W: [C, C], the weight of out, in which one of so many heads has no say."""
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
### BEGIN HIDDEN TESTS
_H, _D = size("H"), size("D")
_W = made(lambda rng, W: W, tensor(*[made(lambda rng, H, D: H * D, _H, _D)] * 2))
_head = made(lambda rng, H: rng.randrange(H), _H, edges=[0, lambda rng, H: H - 1])
agrees(without_head, ours.without_head, _W, _head, _H)
### END HIDDEN TESTS


# %%
def scores_of(P, words):
    """A table: both scores of each head, from its weights [layers, H, T, T]."""
    names, rows = [], []
    for layer, its in enumerate(P, start=1):
        both = (previous_word(its), copying(its, words.tolist()))
        for head, (before, copies) in enumerate(zip(*both, strict=True), start=1):
            names.append(f"layer {layer}, head {head}")
            rows.append((float(before), float(copies)))
    return pd.DataFrame(rows, names, ["previous word", "copying"])


table = scores_of(film.frames[-1][2], shown[:-1])
print(table.round(2).to_string())

# %% alt="Two heads at six steps: at first both squares are grey; between steps 60 and 140 a line just below the diagonal appears in the first layer, and lines twelve places away in the second."
first = int(table["previous word"][:4].argmax())
second = int(table["copying"][4:].argmax())
rows = [scores_of(P, shown[:-1]) for _, _, P in film.frames]
steps = [step for step, _, _ in film.frames]
figure = film.strip([(0, first), (1, second)], [0, 60, 80, 100, 140, 500])
plt.show()

# %% alt="Over the training steps, the loss on the repeats falls from above 4 to nearly 0. In the same steps in which it falls, the score of the best previous-word head and that of the best copying head rise."
_, axes = plt.subplots(figsize=(8, 3.3))
axes.plot(steps, [row["previous word"].iloc[first] for row in rows], "o-")
axes.plot(steps, [row["copying"].iloc[4 + second] for row in rows], "s-")
axes.set(xlabel="step", ylabel="score of the head", ylim=(-0.03, 1.2))
axes.set_title("The loss falls when both heads are there")
other = axes.twinx()
other.plot(steps, [loss for _, loss, _ in film.frames], "k--")
other.set(ylabel="loss on the repeats (nats)", ylim=(-0.13, 5.2))
other.spines.right.set_visible(True)
other.grid(visible=False)
axes.legend(
    axes.lines + other.lines,
    ["looks at the previous word (layer 1)", "copies (layer 2)", "loss"],
    fontsize=10,
)
plt.show()

# %% [markdown]
# The strip shows the two heads with the best scores, one in each layer, at six moments. The curves below it say the same in numbers: for a while nothing happens, and then both scores rise and the loss falls, all within the same few dozen steps. That is what one would expect of two parts of one machine. A copying head is of no use before some head of the first layer finds the previous word, and finding the previous word does not pay before some head copies.
#
# One thing in the squares looks odd. The line of the previous-word head ends half way down, near place 20. Why does it not go on? Because it is not needed there: no list is longer than 20 words, so by then every word has been told its predecessor once, and that is enough. A network learns what pays, and not more. Keep this in mind for the next section.
#
# And now the knife. For each of the eight heads we take it out, measure the loss, and put it back:


# %%
def loss_without(model, layer, heads):
    """The loss on the repeats, with these heads (0 to 3) of a layer (0 or 1) cut out."""
    out = model.layers[layer].out
    whole = out.weight.data.clone()
    for head in heads:
        out.weight.data = without_head(out.weight.data, head, 4)
    loss = held_out_loss(model)
    out.weight.data = whole
    return loss


score = {0: table["previous word"][:4], 1: table["copying"][4:]}
losses = {}
for layer in (0, 1):
    *others, next_best, best = np.argsort(score[layer].to_numpy()).tolist()
    cut = {f"head {head + 1}": [head] for head in range(4)}
    cut |= {"best two": [best, next_best], "other two": others, "all four": range(4)}
    losses[layer] = [loss_without(learner, layer, heads) for heads in cut.values()]

# %% alt="Loss on the repeats with heads cut out, for both layers. Single heads are missed only a little. In the first layer the two heads with the best scores are missed far more than the two others. Without all four heads of either layer the loss is back above 4."
_, axes = plt.subplots(figsize=(8, 3.4))
for layer, heights in losses.items():
    at = np.arange(len(cut)) + 0.4 * layer - 0.2
    axes.bar(
        at, heights, 0.38, color=plots.COLOURS[layer], label=f"of layer {layer + 1}"
    )
    for x_0, height in zip(at, heights, strict=True):
        axes.text(x_0, height + 0.08, f"{height:.1f}", ha="center", fontsize=10)
axes.axhline(math.log(len(WORDS)), color="black", linestyle="--", label="knows nothing")
axes.axhline(
    held_out_loss(learner), color="grey", linestyle=":", label="nothing cut out"
)
axes.set(xticks=range(len(cut)), xticklabels=cut, ylim=(0, 7), xlabel="cut out")
axes.set(ylabel="loss on the repeats (nats)")
axes.set_title("Cut out the circuit, and it forgets how to copy")
axes.legend(ncols=2, fontsize=10, loc="upper left")
plt.show()

# %% [markdown]
# *Best* are the two heads of a layer with the best scores in your table: in the first layer those that look at the previous word most, in the second one those that copy most. A single head is missed less than you may have expected. The network keeps spares: if one head is gone, others do its work, only a little less well. Take away both of the best in the first layer, and copying breaks down. Take away the two others, which is our control,
# and hardly anything happens. In the second layer more heads copy, so it takes more to break it: only without all four the loss is back where it was before the training. So be careful with the sentence "this head does it".
#
# So the story holds. Your layer, trained only to guess the next word, has built a mechanism of two parts, and you have found both. Let it play:


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
# A list of your own, of 8 to 20 words out of WORDS, and the beginning of its second round.
mine = "pear owl rain gull king zinc toad moss star pear owl"
print(mine, "…", continued(mine))
