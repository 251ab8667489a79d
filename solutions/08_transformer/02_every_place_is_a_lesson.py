# %% [markdown]
# ## 2. Every place is a lesson
#
# Now that a text is a list of tokens, what is there to learn from it? As in chapter 01, a language model gives a probability to each next token, and the
# probability of the whole text is the product of them all (the chain rule):
#
# $$P(\text{text}) = \prod_{t=1}^{T} P(\text{token } t \mid \text{tokens } 1 \dots t - 1).$$
#
# So a language model is a classifier. Its classes are the $V$ tokens of the vocabulary, and every place of every text is a question with a known answer. Take *a
# quick brown fox jumps*. What comes after *a*? After *a quick*? After *a quick brown*? In the same way, every stretch of $T + 1$ tokens contains $T$ questions.
#
# An LSTM answers these $T$ questions one after the other. A Transformer computes all answers in parallel, which suits a GPU. As in chapter 05, each question is
# asked about the *true* beginning of the text. So a wrong guess at one place does not spoil the question at the next one. This is called **teacher forcing**.
#
# These names for sizes stay the same in the whole chapter. Shapes are written in brackets.
#
# | letter | what |
# |---|---|
# | $B$, $T$ | texts in a batch, tokens in each: inputs are $[B, T]$ |
# | $V$ | the size of the vocabulary |
# | $C$ | the width: how many numbers describe one token |
# | $H$, $D$ | heads, and the width of one: $D = C / H$ |
# | $N$ | layers (blocks) |

# %% [markdown] statement="examples"
# ### A batch and its loss
#
# A training step takes $B$ stretches from random places of the text. Write
#
# - `examples(ids, starts, T)`: the inputs and the targets, both $[B, T]$. Row $b$ of the inputs begins at place `starts[b]` of the text `ids`; the targets are
#   the same stretch, one place further on.
# - `lm_loss(scores, targets)`: the loss. The model gives **logits**, that is, scores before the softmax, of shape $[B, T, V]$. The loss is the mean of
#   $-\ln P(\text{true next token})$ over all $B \cdot T$ places, in nats: low when the model found the text probable, and comparable between long texts and short
#   ones.
#
# A little below the checks, one row of each is printed, one above the other, so that you can see with your own eyes what the model is asked.

# %% [markdown] hints="examples"
# 1. How many tokens of `ids` does one row need, inputs and targets together?
# 2. A start is one number, a row is a range of them: a column $[B, 1]$ plus a row $[T]$ gives a table of places.
# 3. torch's cross-entropy takes the *second* axis for the classes. Join $B$ and $T$ to one axis first, in scores and targets alike.


# %% task="examples" points=3 level=1 minutes=10
def examples(ids, starts, T):
    """(inputs, targets), both [B, T], from the token numbers ids [n] of a text and starts [B]."""
    ### BEGIN SOLUTION
    places = starts[:, None] + torch.arange(T, device=starts.device)
    return ids[places], ids[places + 1]
    ### END SOLUTION


def lm_loss(scores, targets):
    """Mean of -ln P(target), one number, from scores [B, T, V] and targets [B, T]; gradients pass.

    A score may be 1,000 where another is 0, and both tensors may be views (not contiguous).
    """
    ### BEGIN SOLUTION
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten())
    ### END SOLUTION


# %% test="examples" aspect="targets are one ahead" points=1
_fox = ["a", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog"]
_got = examples(torch.arange(9), torch.tensor([0]), 8)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return the pair (inputs, targets); yours: {_got!r}."
)
for _side, _name in enumerate(("inputs", "targets")):
    assert np.shape(_got[_side]) == (1, 8), (
        f"One text of 8 words: [1, 8]; your {_name}: {_got[_side]!r}."
    )
    assert close(_got[_side], [range(_side, _side + 8)]), (
        f"Your {_name} should be {' '.join(_fox[_side : _side + 8])!r}, token numbers {list(range(_side, _side + 8))}; "
        f"yours: {_got[_side]}."
    )
### BEGIN HIDDEN TESTS
assert all(np.asarray(_side).dtype.kind in "iu" for _side in _got), (
    f"Inputs and targets are token numbers; yours: {_got}."
)
_T = size("T")
_tokens = made(lambda rng, T: torch.tensor(rng.sample(range(99), T + 1)), _T)
_zeros = made(lambda rng, B: torch.zeros(B, dtype=torch.int64), size("B"))
agrees(  # a pair of any kind, of token numbers of the kind that ids has
    examples,
    ours.examples,
    _tokens,
    _zeros,
    _T,
    by=lambda examples, *inputs: [*examples(*inputs)],
    strict=True,
)
### END HIDDEN TESTS

# %% test="examples" aspect="each row from its start" points=1
_N, _T, _starts = 20, 4, [3, 0, 15]
_ids = torch.from_numpy(np.random.default_rng().permutation(_N))
_got = examples(_ids.clone(), torch.tensor(_starts), _T)
for _side, _name in enumerate(("inputs", "targets")):
    assert np.shape(_got[_side]) == (len(_starts), _T), (
        f"{len(_starts)} starts, T = {_T}: your {_name} have the shape {np.shape(_got[_side])}."
    )
    _wanted = torch.stack([_ids[s + _side : s + _side + _T] for s in _starts])
    assert close(_got[_side], _wanted), (
        f"A text of {_N} tokens, T = {_T}, starts {_starts}: some {_name} are wrong."
    )
### BEGIN HIDDEN TESTS
_B, _T, _further = size("B"), size("T"), size("further", least=0)
_ids = made(
    lambda rng, T, more: torch.tensor(rng.sample(range(99), T + 1 + more)), _T, _further
)
_starts = made(
    lambda rng, B, more: torch.tensor(rng.choices(range(more + 1), k=B)),
    _B,
    _further,
    edges=[lambda rng, B, more: torch.full((B,), more)],
)
agrees(examples, ours.examples, _ids, _starts, _T)
### END HIDDEN TESTS

# %% test="examples" aspect="mean of all places" points=1
_got = lm_loss(torch.zeros(2, 3, 5), torch.tensor([[0, 1, 2], [3, 4, 0]]))
assert np.shape(_got) == (), (
    f"The loss is one number; yours has the shape {np.shape(_got)}."
)
assert close(_got, math.log(5), 1e-5), (
    f"All 5 tokens alike: ln 5 = 1.609 nats; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_B, _T, _V = size("B"), size("T"), size("V")
_scores = tensor(
    _B, _T, _V, scale=3, edges=("huge",), kind=choice("float64", "float32")
)
_targets = made(
    lambda rng, B, T, V: torch.tensor([rng.choices(range(V), k=T) for _ in range(B)]),
    _B,
    _T,
    _V,
)
_close = {"rtol": 1e-4, "atol": 1e-3}
agrees(lm_loss, ours.lm_loss, _scores, _targets, **_close)
agrees(
    lm_loss,
    ours.lm_loss,
    _scores,
    _targets,
    by=laid_out_otherwise,
    mixtures=0,
    **_close,
)
agrees(lm_loss, ours.lm_loss, _scores, _targets, by=gradients, rtol=1e-3, atol=1e-5)
### END HIDDEN TESTS

# %% [markdown]
# Your text comes back in section 4, as soon as there is a model for it. Until then we work on the **kitchen text**, which was generated for this course: short
# stories of guests, cooks and dishes. We read it letter by letter. Its sentences are simple, so a tiny model shows within seconds what it can do, and that is
# what one wants in a laboratory.


# %%
kitchen_text = "\n".join(map(" ".join, lmkit.load("kitchen").splits["train"]))
alphabet = sorted(set(kitchen_text))
V = len(alphabet)
number_of = {letter: i for i, letter in enumerate(alphabet)}
kitchen_ids = torch.tensor([number_of[letter] for letter in kitchen_text])
print(f"{len(kitchen_ids):,} letters, V = {V}:", "".join(alphabet).strip())
print(kitchen_text[:160])


# %%
def batch(step, B=16, T=16):
    """The batch of a step: B texts of T letters, from places drawn with the step as seed."""
    starts = np.random.default_rng([8, step]).integers(0, len(kitchen_ids) - T, B)
    return examples(kitchen_ids, torch.from_numpy(starts), T)


# %%
for side in batch(0, B=1):
    print(repr("".join(alphabet[i] for i in side[0])))

# %% [markdown]
# The first line is a row of the inputs, the second one the same row of the targets. Compare them letter by letter: below each letter stands the one that
# follows it. Do you see the danger? Attention without a mask, as chapter 06 began with it, looks at the *whole* input. But the answer for place $t$ is written
# in the input itself, at place $t + 1$. A model that may look there need only copy, and it learns next to nothing about language. We must forbid it.
