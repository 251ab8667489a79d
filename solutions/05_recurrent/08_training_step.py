# %% [markdown]
# ## 8. A training step of your own
#
# What explodes is at least visible, and there is a crude cure, **gradient clipping** (R. Pascanu and others, 2013).
# Take the gradients of *all* weights as one long vector $g$. Its direction is still worth something; only its length is
# not. So if it is longer than a limit $c$, shorten it to that length:
#
# $$\lVert g \rVert = \sqrt{\textstyle\sum_j g_j^2}, \qquad g \leftarrow g \cdot \frac{c}{\lVert g \rVert} \ \text{ if } \lVert g \rVert > c .$$
#
# Then gradient descent as in chapter 04: each weight $w \leftarrow w - \eta\, g_w$, with learning rate $\eta$. What has
# vanished cannot be brought back this way; that takes another network (section 10).

# %% [markdown] statement="train_step"
# Write the whole step of truncated BPTT, `train_step(model, inputs, targets, state, rate, limit)`. It changes the
# weights of `model` in place (gradients that an earlier `backward()` left in them do not count) and returns three things:
#
# - the loss before the step, a float: mean cross-entropy over all $B \times T$ targets;
# - $\lVert g \rVert$ *before* clipping, a float. With `limit=None` nothing is clipped;
# - the new state, for the next call: its numbers, without its history.
#
# `model(inputs, state)` gives scores, shape $[B, T, |V|]$, and the state. A state is `None` before the first word, then a
# tensor or, for an LSTM, a tuple of two.

# %% [markdown] hints="train_step"
# 1. In which order: loss, gradients, norm, shortening, update? And which of these must not itself be recorded by
#    autograd?
# 2. `F.cross_entropy` wants scores of shape $[\text{many}, |V|]$ and as many targets. Gradients that are stored in the
#    weights pile up from call to call; `torch.autograd.grad` hands them back instead.
# 3. There is *one* norm for all weights together, so you need all gradients before you change the first weight. The
#    state: which tensor method keeps numbers and drops history, and what if there are two tensors?


# %% task="train_step" points=5 level=2 minutes=24
def train_step(model, inputs, targets, state, rate, limit):
    """(loss, norm, state): one clipped step of gradient descent on inputs and targets, [B, T] or [B, T, d] and [B, T].

    The weights of `model` change in place; inputs, targets and state stay as they are.
    """
    ### BEGIN SOLUTION
    scores, state = model(inputs, state)
    loss = F.cross_entropy(scores.flatten(0, 1), targets.flatten())
    weights = list(model.parameters())
    found = torch.autograd.grad(loss, weights)
    norm = math.sqrt(sum((g**2).sum().item() for g in found))
    shrink = 1.0 if limit is None or norm <= limit else limit / norm
    with torch.no_grad():
        for weight, g in zip(weights, found, strict=True):
            weight -= rate * shrink * g
    if isinstance(state, tuple):
        state = tuple(part.detach() for part in state)
    else:
        state = state.detach()
    return loss.item(), norm, state
    ### END SOLUTION


# %% test="train_step" aspect="loss and norm come first" points=1
_model = torch_module("RNN", 3, 4, batch_first=True)
_twin = nn.RNN(3, 4, batch_first=True)
_twin.load_state_dict({name: w.clone() for name, w in _model.state_dict().items()})
_x, _y = torch.randn(2, 5, 3), torch.randint(4, (2, 5))
_loss = F.cross_entropy(_twin(_x)[0].flatten(0, 1), _y.flatten())
_g = torch.autograd.grad(_loss, list(_twin.parameters()))
_norm = math.sqrt(sum((part**2).sum().item() for part in _g))
_got = train_step(_model, _x.clone(), _y.clone(), None, 0.5, None)
expect(_got, "loss, norm, state")
for _value in _got[:2]:
    assert is_number(_value) and not torch.is_tensor(_value), (
        f"Loss and norm are floats: a tensor drags its history along. Yours: {_value!r}."
    )
assert close(_got[0], _loss.item(), 1e-4), (
    f"Mean over all 2 × 5 targets, before the step: {_loss.item():.4f}; yours: {_got[0]:.4f}."
)
### BEGIN HIDDEN TESTS
assert close(_got[1], _norm, 1e-3), (
    f"The norm of all gradients as one vector is {_norm:.4f}; yours: {_got[1]:.4f}."
)
for _B, _T, _limit in ((1, 6, 0.01), (4, 1, 0.02), (3, 2, 1000.0)):
    _model = torch_module("RNN", 2, 5, batch_first=True)
    _twin = nn.RNN(2, 5, batch_first=True)
    _twin.load_state_dict({name: w.clone() for name, w in _model.state_dict().items()})
    _x, _y = torch.randn(_B, _T, 2), torch.randint(5, (_B, _T))
    _loss = F.cross_entropy(_twin(_x)[0].flatten(0, 1), _y.flatten())
    _g = torch.autograd.grad(_loss, list(_twin.parameters()))
    _norm = math.sqrt(sum((part**2).sum().item() for part in _g))
    _got = train_step(_model, _x.clone(), _y.clone(), None, 0.7, _limit)
    expect(_got, "loss, norm, state")
    assert close(_got[0], _loss.item(), 1e-4), (
        f"B = {_B}, T = {_T}: the loss is the mean over all targets, before the step."
    )
    assert close(_got[1], _norm, 1e-3), (
        f"Clipped or not, return the norm before: {_norm:.4f}; yours: {_got[1]:.4f}."
    )
### END HIDDEN TESTS

# %% test="train_step" aspect="downhill, all weights" points=1
_cases = [("RNN", 2, 5, None)]
### BEGIN HIDDEN TESTS
_cases += [("RNN", 1, 3, 1000.0), ("LSTM", 3, 4, None), ("GRU", 2, 1, None)]
### END HIDDEN TESTS
for _kind, _B, _T, _limit in _cases:
    _model = torch_module(_kind, 3, 4, batch_first=True)
    _twin = getattr(nn, _kind)(3, 4, batch_first=True)
    _twin.load_state_dict({name: w.clone() for name, w in _model.state_dict().items()})
    _x, _y, _rate = (
        torch.randn(_B, _T, 3),
        torch.randint(4, (_B, _T)),
        random.uniform(0.3, 2),
    )
    F.cross_entropy(_twin(_x)[0].flatten(0, 1), _y.flatten()).backward()
    train_step(_model, _x.clone(), _y.clone(), None, _rate, _limit)
    _after = dict(_model.state_dict())
    for _name, _weight in _twin.named_parameters():
        _wanted = _weight.detach() - _rate * _weight.grad
        _uphill = _weight.detach() + _rate * _weight.grad
        assert close(_uphill, _wanted, 1e-3) or not close(
            _after[_name], _uphill, 1e-4
        ), f"nn.{_kind}: {_name} moved uphill."
        assert close(_after[_name], _wanted, 1e-4, 1e-6), (
            f"nn.{_kind}, limit {_limit}: {_name} should move by rate times its gradient, downhill, no more and no less."
        )

# %% test="train_step" aspect="a long gradient is shortened" points=1
_cases = [(0.5, 1)]  # limit as a share of the norm, layers
### BEGIN HIDDEN TESTS
_cases += [(0.0, 1), (0.01, 1), (0.9, 2), (1.1, 3), (5.0, 1)]
_cases += [(random.uniform(0.2, 0.8), 2)]
### END HIDDEN TESTS
for _share, _layers in _cases:
    _model = torch_module("RNN", 3, 4, _layers, batch_first=True)
    _twin = nn.RNN(3, 4, _layers, batch_first=True)
    _twin.load_state_dict({name: w.clone() for name, w in _model.state_dict().items()})
    _x, _y = torch.randn(2, 5, 3), torch.randint(4, (2, 5))
    F.cross_entropy(_twin(_x)[0].flatten(0, 1), _y.flatten()).backward()
    _norm = math.sqrt(sum((w.grad**2).sum().item() for w in _twin.parameters()))
    train_step(_model, _x.clone(), _y.clone(), None, 1.0, _share * _norm)
    _after, _moved = dict(_model.state_dict()), 0.0
    for _name, _weight in _twin.named_parameters():
        _moved += ((_after[_name] - _weight.detach()) ** 2).sum().item()
    _wanted = min(1, _share) * _norm
    assert close(math.sqrt(_moved), _wanted, 1e-3), (
        f"Norm {_norm:.3f}, limit {_share * _norm:.3f}, rate 1: all weights together move by {_wanted:.3f}; "
        f"yours by {math.sqrt(_moved):.3f}."
    )
    for _name, _weight in _twin.named_parameters():
        _right = _weight.detach() - min(1, _share) * _weight.grad
        assert close(_after[_name], _right, 1e-3, 1e-6), (
            f"The direction stays: every gradient is multiplied by the same number; {_name} is off."
        )

# %% test="train_step" aspect="steps do not pile up" points=1
_cases = [("RNN", 3, None)]
### BEGIN HIDDEN TESTS
_cases += [("LSTM", 4, 0.1), ("RNN", 5, 0.05), ("GRU", 2, None), ("RNN", 2, 50.0)]
### END HIDDEN TESTS
for _kind, _steps, _limit in _cases:
    _model = torch_module(_kind, 3, 4, batch_first=True)
    _twin = getattr(nn, _kind)(3, 4, batch_first=True)
    _twin.load_state_dict({name: w.clone() for name, w in _model.state_dict().items()})
    _x, _y = torch.randn(2, 5, 3), torch.randint(4, (2, 5))
    ### BEGIN HIDDEN TESTS
    leave_gradients(_model, torch.randn(3, 2, 3))
    ### END HIDDEN TESTS
    for _step in range(_steps):
        _loss = F.cross_entropy(_twin(_x)[0].flatten(0, 1), _y.flatten())
        _twin.zero_grad()
        _loss.backward()
        if _limit is not None:
            nn.utils.clip_grad_norm_(_twin.parameters(), _limit)
        for _w in _twin.parameters():
            _w.data -= 0.8 * _w.grad
        _got = train_step(_model, _x.clone(), _y.clone(), None, 0.8, _limit)
        expect(_got, "loss, norm, state")
        assert close(_got[0], _loss.item(), 1e-3), (
            f"Step {_step + 1} on the same batch: loss {_loss.item():.4f} wanted; yours: {_got[0]:.4f}. "
            "Is an older gradient still there?"
        )

# %% test="train_step" aspect="the state goes on, its history not" points=1
_cases = [("RNN", 2)]
### BEGIN HIDDEN TESTS
_cases += [("LSTM", 3), ("GRU", 1), ("LSTM", 1)]
### END HIDDEN TESTS
for _kind, _B in _cases:
    _model = torch_module(_kind, 3, 4, batch_first=True)
    _twin = getattr(nn, _kind)(3, 4, batch_first=True)
    _twin.load_state_dict({name: w.clone() for name, w in _model.state_dict().items()})
    _state, _mine = None, None
    for _step in range(3):
        _x, _y = torch.randn(_B, 5, 3), torch.randint(4, (_B, 5))
        _scores, _state = _twin(_x, _state)
        _state = (
            tuple(s.detach() for s in _state) if _kind == "LSTM" else _state.detach()
        )
        _loss = F.cross_entropy(_scores.flatten(0, 1), _y.flatten())
        _twin.zero_grad()
        _loss.backward()
        for _w in _twin.parameters():
            _w.data -= 0.5 * _w.grad
        _got = train_step(_model, _x.clone(), _y.clone(), _mine, 0.5, None)
        expect(_got, "loss, norm, state")
        _mine = _got[2]
        _pairs = (
            list(zip(_mine, _state, strict=False))
            if isinstance(_mine, tuple | list)
            else [(_mine, _state)]
        )
        assert (_kind == "LSTM") == isinstance(_mine, tuple | list), (
            f"nn.{_kind}: return the state in the form that the model gave it."
        )
        for _one, _two in _pairs:
            assert torch.is_tensor(_one), (
                f"nn.{_kind}: a state is a tensor or a tuple of tensors; yours: {_mine!r}."
            )
            assert not _one.requires_grad, (
                f"nn.{_kind}: the state still drags its history along."
            )
            assert close(_one, _two, 1e-3, 1e-5), (
                f"nn.{_kind}, piece {_step + 1}: the state is not the one after the last word. Was the old one read?"
            )
        assert close(_got[0], _loss.item(), 1e-3, 1e-5), (
            f"nn.{_kind}, piece {_step + 1}: the loss is another. Did the model start from the state that it was given?"
        )


# %% [markdown]
# Now the same network on the same words, with and without clipping, at a learning rate chosen too large. First, the text:

# %%
corpus = lmkit.load("kitchen")
text = {
    split: ["</s>"]
    + [w for document in corpus.splits[split] for w in [*document, "</s>"]]
    for split in ("train", "valid")
}
vocabulary = ["<UNK>", *sorted(set(text["train"]))]
number, V = {word: i for i, word in enumerate(vocabulary)}, len(vocabulary)
ids = {
    split: torch.tensor([number.get(word, 0) for word in text[split]]) for split in text
}
print(f"{len(ids['train']):,} words to learn from, {V:,} different ones")


# %%
def descent(limit, seed, rate=3.0, steps=80):
    """Losses and gradient norms of an RNN on the kitchen text."""
    set_seed(seed)
    model, state, losses, norms = LanguageModel(nn.RNN, V).to(device), None, [], []
    for inputs, targets in stream_batches(ids["train"].to(device), 16, 32)[:steps]:
        loss, norm, state = train_step(model, inputs, targets, state, rate, limit)
        losses.append(loss)
        norms.append(norm)
    return losses, norms, model


# %%
clipped, unclipped = ([descent(limit, seed) for seed in seeds] for limit in (1.0, None))

# %% folded="draws both ways of training" alt="Left: three clipped trainings fall steadily to about 4 nats; the unclipped ones jump up to 12. Right: clipped gradients have norms near one, unclipped ones reach ten thousand."
_, (left, right) = plt.subplots(1, 2, figsize=(6.4, 2.6))
for i, (losses, norms, _) in enumerate(clipped + unclipped):
    colour = plots.COLOURS[i // 3]
    left.plot(range(0, 80, 4), losses[::4], color=colour, linewidth=1)
    line = {"color": colour}
    looks = {"boxprops": line, "medianprops": line, "whiskerprops": line}
    right.boxplot(norms, positions=[i], whis=(0, 100), **looks, capprops=line)
left.set(xlabel="step", ylabel="loss (nats per word)", ylim=(3, 12))
right.axhline(1, color="gray", linestyle=":")
right.set(yscale="log", ylabel="norms of the gradients (log)")
right.set_xticks([1, 4], ["clipped at 1", "not clipped"])
plt.show()

# %% [markdown]
# Three runs of each kind (left, the axis ends at 12). Right, a box for each run: the middle half of its 80 norms, with
# whiskers to the shortest and the longest. Without clipping, each run's longest gradient is more than ten times as long
# as any clipped run's, and the loss jumps about. Shortened to length 1 (dotted), the steps learn: at the end all three
# clipped runs lie below all three others. The course's `train` clips too, at 1.
#
# Does *every* part of the model get a gradient? A forgotten part would stay at its random start, and nothing would
# complain.

# %%
_, _, learner = descent(1.0, seed=1, steps=1)
words, next_words = stream_batches(ids["train"].to(device), 16, 32)[1]
scores, _ = learner(words)
F.cross_entropy(scores.flatten(0, 1), next_words.flatten()).backward()
for name, weight in learner.named_parameters():
    share = (weight.grad != 0).float().mean()
    print(f"{name:22} norm {weight.grad.norm():8.1e}   entries reached {share:6.1%}")

# %% [markdown]
# All seven are reached; in the embedding, only the rows of words in this batch.


# %% [markdown] statement="clip_each"
# #### Entry by entry
#
# A friend moves every entry of $g$ outside $[-1, 1]$ to the nearer end. Compare with section 8 ($c = 1$) on a long
# $g$ of two numbers. What is lost, and how long can $g$ remain?

# %% [markdown] written="clip_each" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: an example with both results right, say $g = (10, 0.1)$: shortened to length 1 it is about $(1,
# .01)$, entry by entry $(1, 0.1)$. 1 point: the direction is lost; entries that were far apart become alike, and the
# step goes another way than the gradient. 1 point: the length is bounded by $\sqrt{n}$ for $n$ weights, not by 1:
# with 100,000 weights a step may still be 316 long (to say that two numbers allow $\sqrt2$, and more weights more, is
# enough).
#
# Of an example whose entries have one size, such as $(10, 10)$, only the length can be told, since the direction
# stays; it earns the first point but not the second. A usual wrong idea: if no entry is larger than 1, the length is
# at most 1.
#
# **Sample, 3 points.** $g = (30, 0.3)$. Section 8 divides by the length, about 30, and gets $(1, .01)$: same
# direction. The friend gets $(1, 0.3)$: the second weight now moves nearly a third as far as the first, but its slope
# is only a hundredth, so the direction is wrong. The longest it can be is when all entries are ±1: $\sqrt2$ here, and
# $\sqrt{n}$ with $n$ weights, which is in the hundreds for a network.
#
# **Sample, 2 points.** $g = (10, 0.1)$: by the length it becomes about $(1, .01)$, by the friend's way $(1, 0.1)$.
# The ratio of the two was 100 and is now 10, so it points somewhere else. The length is at most 1 for both.
#
# **Sample, 0 points.** $g = (3, 4)$ becomes $(1, 1)$ in both ways, because clipping cuts off what is too large.
# Nothing is lost but the size, which was wrong anyway.
# ### END SOLUTION
