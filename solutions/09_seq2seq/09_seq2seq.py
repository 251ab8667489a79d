# ---
# title: From one sequence to another
# ---

# %%
import math
import random

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

from lmkit import paths, plots
from lmkit.models.seq2seq import BOS, EOS, PAD
from lmkit.testing import (
    arguments_after,
    close,
    gradients,
    is_number,
    parameter_gradients,
    torch_module,
)
from lmkit.training import set_seed

plots.use_style()
plt.rcParams.update({"figure.figsize": (6, 2.5), "figure.dpi": 68})  # many figures
torch.set_num_threads(1)  # our networks are small: a second thread costs more

# %% [markdown]
# ## 7. A Transformer that reads one sequence and writes another
#
# An LSTM reads word after word, and so does its decoder. A Transformer reads a whole sentence at once (chapter 7) and trains on all places of a text at once (chapter 8). Put together, they are the model of Vaswani and others (2017), which was made for translation.
#
# An encoder layer is what you know. A decoder layer has *three* parts: the words written so far look at each other, then each of them looks at the source, then a feed-forward network works on each. So there are three attentions in the model, and each has its own rule about who may look where.

# %% [markdown] statement="three_masks"
# `three_masks(source, target)`: word numbers $[B, m]$ and $[B, n]$, filled up with `PAD` $= 0$; each text begins with a word. Three tensors of bools, True where the row may look at the column:
#
# - *inside the source* $[B, m, m]$: every place at every word;
# - *inside the target* $[B, n, n]$: at words up to its own place;
# - *across* $[B, n, m]$: every place of the target at every word of the source.
#
# Nobody may look at padding. Rows that belong to padding follow the same rules as the others; nobody reads what they say.

# %% [markdown] hints="three_masks"
# 1. Which axis of a mask belongs to who asks, and which to who is asked? Padding matters on one of them only.
# 2. `source != PAD` is $[B, m]$. Where must a new axis go, so that it stands for "all rows"?
# 3. The mask inside the target is two conditions at once: a lower triangle, the same for all texts, and the words of each text. `expand` turns a broadcast axis into a real one.


# %% task="three_masks" points=3 level=1 minutes=11
def three_masks(source, target):
    """(inside the source [B, m, m], inside the target [B, n, n], across [B, n, m]): bools, True: may look."""
    ### BEGIN SOLUTION
    (B, m), n = source.shape, target.shape[1]
    is_word, is_written = (source != PAD)[:, None], (target != PAD)[:, None]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    return is_word.expand(B, m, m), causal & is_written, is_word.expand(B, n, m)
    ### END SOLUTION


# %%
def masks_by_loop(source, target):
    """The three masks, question by question."""
    x, y = source.tolist(), target.tolist()
    m, n = range(len(x[0])), range(len(y[0]))
    return (
        [[[row[j] != PAD for j in m] for _ in m] for row in x],
        [[[j <= i and row[j] != PAD for j in n] for i in n] for row in y],
        [[[row[j] != PAD for j in m] for _ in n] for row in x],
    )


def check_mask(got, source, target, which):
    """Compare the mask of that number with the one made by loop."""
    name = ("inside the source", "inside the target", "across")[which]
    assert isinstance(got, tuple | list) and len(got) == 3, (
        f"Return three masks; yours: {got!r}."
    )
    wanted, mine = masks_by_loop(source, target)[which], np.asarray(got[which])
    assert mine.dtype == bool, f"The mask {name} should hold bools; yours: {mine!r}."
    assert mine.shape == np.shape(wanted), (
        f"Source {list(source.shape)}, target {list(target.shape)}: the mask {name} "
        f"should be {np.shape(wanted)}; yours: {mine.shape}."
    )
    wrong = np.argwhere(mine != np.asarray(wanted))
    assert not len(wrong), (
        f"Source {source.tolist()}, target {target.tolist()}, mask {name}: "
        f"entry {wrong[0].tolist()} is wrong."
    )


# %% test="three_masks" aspect="inside the source" points=1
_cases = [([[4, 5, 2]], [[1, 7]])]
### BEGIN HIDDEN TESTS
_cases = [
    ([[4, 5, 2, 0], [6, 2, 0, 0], [4, 9, 9, 2]], [[1, 7], [1, 0], [1, 3]]),
    ([[3]], [[1, 4, 4]]),
    ([[3, 0, 0, 0, 0]], [[1, 4, 4]]),
]
### END HIDDEN TESTS
for _case in _cases:
    _x, _y = map(torch.tensor, _case)
    check_mask(three_masks(_x.clone(), _y.clone()), _x, _y, 0)
### BEGIN HIDDEN TESTS
_after = arguments_after(three_masks, _x.clone(), _y.clone())
assert close(_after[0], _x) and close(_after[1], _y), "The texts are changed."
### END HIDDEN TESTS

# %% test="three_masks" aspect="inside the target" points=1
_cases = [([[4, 5]], [[1, 7, 8]])]
### BEGIN HIDDEN TESTS
_cases = [
    ([[4, 5]] * 3, [[1, 7, 8, 3, 3], [1, 9, 0, 0, 0], [1, 3, 3, 3, 0]]),
    ([[5, 3, 3, 3]], [[1]]),
    ([[5, 3]] * 2, [[1, 0, 0], [1, 5, 2]]),
]
### END HIDDEN TESTS
for _case in _cases:
    _x, _y = map(torch.tensor, _case)
    check_mask(three_masks(_x.clone(), _y.clone()), _x, _y, 1)

# %% test="three_masks" aspect="across" points=1
_cases = [([[4, 5]], [[1, 7, 8]])]
### BEGIN HIDDEN TESTS
_cases = [
    ([[4, 5, 2, 0], [6, 2, 0, 0], [4, 9, 9, 2]], [[1, 7], [1, 0], [1, 3]]),
    ([[5, 3, 0]] * 2, [[1, 4, 4, 3, 0], [1, 0, 0, 0, 0]]),
    ([[5, 0, 0, 0]], [[1]]),
]
### END HIDDEN TESTS
for _case in _cases:
    _x, _y = map(torch.tensor, _case)
    check_mask(three_masks(_x.clone(), _y.clone()), _x, _y, 2)

# %%
source = torch.tensor([[4, 5, 6, EOS, PAD]])
target = torch.tensor([[BOS, 9, 8, 7, PAD, PAD]])
names = ["inside the source", "inside the target", "across"]
_, axes = plt.subplots(1, 3, figsize=(7, 2.4), width_ratios=[5, 6, 5])
for ax, mask, name in zip(axes, three_masks(source, target), names, strict=True):
    ax.imshow(mask[0], cmap="Greys", vmin=0, vmax=1.5)
    ax.set(title=name, xlabel="looked at", ylabel="looks")
    ax.set(xticks=range(mask.shape[2]), yticks=range(mask.shape[1]))
    ax.grid(visible=False)
plt.show()

# %% [markdown]
# Dark: may look. The source ends with one place of padding, the target with two. Only the mask in the middle has a triangle: the source is there from the beginning, so nothing of it lies in the future.


# %%
class Attention(nn.Module):
    """Chapter 6's MultiHead, with questions from x and answers from y."""

    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.out = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, y, mask=None):
        """x [B, n, d], y [B, m, d], mask [B, n, m] -> [B, n, d]"""
        mask = None if mask is None else mask[:, None]  # the same for all heads
        q, k, v = self.split(self.q(x)), self.split(self.k(y)), self.split(self.v(y))
        z = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(z.transpose(1, 2).flatten(2))

    def split(self, x):
        return x.unflatten(2, (self.h, -1)).transpose(1, 2)  # [B, h, n, d / h]


# %%
class FeedForward(nn.Module):
    """Four times wider, GELU, and back: chapter 7's."""

    def __init__(self, d):
        super().__init__()
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


# %% [markdown] statement="DecoderLayer"
# Write `DecoderLayer(d, h)`, pre-norm as in chapter 7: three steps, and each *adds* to the stream what its module makes of a normalised copy.
#
# | step | module | its norm, an `nn.LayerNorm(d)` |
# |---|---|---|
# | look at what is written | `inside`, an `Attention(d, h)` | `inside_norm` |
# | look at the source | `across`, an `Attention(d, h)` | `across_norm` |
# | work on each place | `feed`, a `FeedForward(d)` | `feed_norm` |
#
# `forward(x, memory, inside_mask, across_mask)`: target $x$ $[B, n, d]$ and `memory` $[B, m, d]$, what the encoder says of the source; masks $[B, n, n]$ and $[B, n, m]$, or None. The encoder has already normalised its memory, so it is used as it is.

# %% [markdown] hints="DecoderLayer"
# 1. `Attention` takes two texts. In the first step both are the same; who asks and who answers in the second?
# 2. In the first step questions *and* answers come from the normalised copy.
# 3. Chapter 7's block was two lines, `x = x + module(norm(x))`, each with its own module. Here there are three, and two of them need more arguments.


# %% task="DecoderLayer" points=3 level=2 minutes=16
class DecoderLayer(nn.Module):
    """Target [B, n, d] and memory [B, m, d] -> [B, n, d]; what is handed over stays as it is."""

    def __init__(self, d, h):
        super().__init__()
        ### BEGIN SOLUTION
        self.inside, self.inside_norm = Attention(d, h), nn.LayerNorm(d)
        self.across, self.across_norm = Attention(d, h), nn.LayerNorm(d)
        self.feed, self.feed_norm = FeedForward(d), nn.LayerNorm(d)
        ### END SOLUTION

    def forward(self, x, memory, inside_mask=None, across_mask=None):
        """inside_mask [B, n, n], across_mask [B, n, m], True: may look; None: all may."""
        ### BEGIN SOLUTION
        y = self.inside_norm(x)
        x = x + self.inside(y, y, inside_mask)
        x = x + self.across(self.across_norm(x), memory, across_mask)
        return x + self.feed(self.feed_norm(x))
        ### END SOLUTION


# %%
def renamed(state, norms=("inside_norm", "across_norm", "feed_norm")):
    """The state dict of torch's layer with our names; one matrix of three becomes three."""
    OURS = {"linear1": "feed.up", "linear2": "feed.down"}
    OURS |= {"self_attn": "inside", "multihead_attn": "across"}
    OURS |= {f"norm{i}": name for i, name in enumerate(norms, 1)}
    found = {}
    for name, part in state.items():
        module, rest = name.split(".", 1)
        if "in_proj" in rest:
            end = rest.removeprefix("in_proj_")
            three = zip("qkv", part.chunk(3), strict=True)
            found |= {f"{OURS[module]}.{letter}.{end}": one for letter, one in three}
        else:
            found[f"{OURS[module]}.{rest.replace('out_proj', 'out')}"] = part
    return found


def torch_decoder_layer(d, h):
    """torch's own layer, pre-norm, with random weights: gains and biases, too."""
    layer = nn.TransformerDecoderLayer(
        d, h, 4 * d, 0.0, "gelu", batch_first=True, norm_first=True
    )
    return set_at_random(layer)


def set_at_random(module):
    with torch.no_grad():
        for weight in module.parameters():
            weight.copy_(torch.randn(weight.shape) / math.sqrt(weight.shape[-1]))
    return module


def with_same_weights(kind, layer, d, h):
    """A layer of that class with the weights of torch's."""
    mine, wanted = kind(d, h), renamed(layer.state_dict())
    found = {name: np.shape(part) for name, part in dict(mine.state_dict()).items()}
    shapes = {name: tuple(part.shape) for name, part in wanted.items()}
    assert found == shapes, f"Weights {shapes} wanted; yours: {found}."
    mine.load_state_dict(wanted)
    return mine


# %% test="DecoderLayer" aspect="equal to torch's layer" points=1
_sizes = [(2, 3, 5, 4, 2)]  # B, n, m, d, h
### BEGIN HIDDEN TESTS
_sizes = [(3, 4, 2, 6, 3), (1, 1, 4, 8, 2), (2, 5, 1, 4, 1), (1, 3, 3, 5, 5)]
### END HIDDEN TESTS
for _B, _n, _m, _d, _h in _sizes:
    _torch = torch_decoder_layer(_d, _h)
    _mine = with_same_weights(DecoderLayer, _torch, _d, _h)
    _x, _y = torch.randn(_B, _n, _d), torch.randn(_B, _m, _d) * 2 + 1
    _got = _mine(_x.clone(), _y.clone())
    assert np.shape(_got) == (_B, _n, _d), (
        f"Target [{_B}, {_n}, {_d}], memory [{_B}, {_m}, {_d}]: yours has the shape {np.shape(_got)}."
    )
    assert close(_got, _torch(_x, _y), 1e-3, 1e-3), (
        "Same weights, no masks: not what nn.TransformerDecoderLayer(norm_first=True) computes."
    )
### BEGIN HIDDEN TESTS
_after = arguments_after(_mine, _x.clone(), _y.clone())
assert close(_after[0], _x) and close(_after[1], _y), (
    "The target or the memory is changed by your layer: x += ... does that."
)
### END HIDDEN TESTS

# %% test="DecoderLayer" aspect="each mask in its place" points=1
_B, _n, _m, _d, _h = 2, 3, 4, 4, 2
### BEGIN HIDDEN TESTS
_B, _n, _m, _d, _h = random.choice([(3, 4, 6, 6, 2), (4, 5, 2, 6, 3)])
### END HIDDEN TESTS
_inside = torch.ones(_n, _n, dtype=torch.bool).tril().expand(_B, _n, _n).clone()
_across = torch.rand(_B, _n, _m) < 0.5
_across[:, :, 0] = torch.arange(_n) % 2 == 0
_across[:, :, 1] |= ~_across.any(-1)
### BEGIN HIDDEN TESTS
_inside[0, :, 1:-1] = False
_inside |= torch.eye(_n, dtype=torch.bool)
### END HIDDEN TESTS
_torch = torch_decoder_layer(_d, _h)
_mine = with_same_weights(DecoderLayer, _torch, _d, _h)
_x, _y = torch.randn(_B, _n, _d), torch.randn(_B, _m, _d)
for _pair in ((_inside, _across), (_inside, None), (None, _across)):
    _theirs = [None if one is None else ~one.repeat_interleave(_h, 0) for one in _pair]
    _wanted = _torch(_x, _y, tgt_mask=_theirs[0], memory_mask=_theirs[1])
    _got = _mine(_x.clone(), _y.clone(), *_pair)
    assert close(_got, _wanted, 1e-3, 1e-3), (
        f"inside_mask {'given' if _pair[0] is not None else 'None'}, across_mask "
        f"{'given' if _pair[1] is not None else 'None'}: not what torch's layer computes with the same masks."
    )

# %% test="DecoderLayer" aspect="gradients to target, memory and weights" points=1
_B, _n, _m, _d, _h = 2, 3, 5, 4, 2
### BEGIN HIDDEN TESTS
_B, _n, _m, _d, _h = 1, 2, 6, 6, 3
### END HIDDEN TESTS
_torch = torch_decoder_layer(_d, _h)
_mine = with_same_weights(DecoderLayer, _torch, _d, _h)
_x, _y = torch.randn(_B, _n, _d), torch.randn(_B, _m, _d)
_leaves = [_x.clone().requires_grad_(True), _y.clone().requires_grad_(True)]
_torch(*_leaves).sum().backward()
for _name, _got, _leaf in zip(
    ("target", "memory"), gradients(_mine, _x, _y), _leaves, strict=True
):
    assert close(_got, _leaf.grad, 1e-2, 1e-3), (
        f"The gradient of the {_name} is not that of torch's layer."
    )
_got = dict(parameter_gradients(_mine, _x, _y))
_wanted = {_name: _weight.grad for _name, _weight in _torch.named_parameters()}
for _name, _one in renamed(_wanted).items():
    assert close(_got[_name], _one, 1e-2, 1e-3), (
        f"The gradient of {_name} is not that of torch's layer."
    )


# %%
class EncoderLayer(nn.Module):
    """Chapter 7's layer: a decoder layer without its middle."""

    def __init__(self, d, h):
        super().__init__()
        self.inside, self.inside_norm = Attention(d, h), nn.LayerNorm(d)
        self.feed, self.feed_norm = FeedForward(d), nn.LayerNorm(d)

    def forward(self, x, mask=None):
        y = self.inside_norm(x)
        x = x + self.inside(y, y, mask)
        return x + self.feed(self.feed_norm(x))


# %%
class Stack(nn.Module):
    """Layers one after the other, all called with the same memory and masks; a norm at the end."""

    def __init__(self, layers, d):
        super().__init__()
        self.layers, self.norm = nn.ModuleList(layers), nn.LayerNorm(d)

    def forward(self, x, *more):
        for layer in self.layers:
            x = layer(x, *more)
        return self.norm(x)


# %% [markdown]
# Two stacks make the whole. Are they `nn.Transformer`, with the same weights, on a batch with padding?

# %%
B, m, n, d, h, N = 2, 6, 4, 32, 4, 3
set_seed(1)
options = {"batch_first": True, "norm_first": True}
reader = nn.TransformerEncoder(
    nn.TransformerEncoderLayer(d, h, 4 * d, 0.0, "gelu", **options),
    N,
    nn.LayerNorm(d),
    enable_nested_tensor=False,  # or torch warns that it cannot use them
)
whole = nn.Transformer(d, h, N, N, 4 * d, 0.0, "gelu", reader, **options).eval()
encoder = Stack([EncoderLayer(d, h) for _ in range(N)], d)
decoder = Stack([DecoderLayer(d, h) for _ in range(N)], d)
for ours, theirs in ((encoder, whole.encoder), (decoder, whole.decoder)):
    ours.norm.load_state_dict(theirs.norm.state_dict())
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        norms = ["inside_norm", "across_norm", "feed_norm"]
        if ours is encoder:
            norms.remove("across_norm")
        mine.load_state_dict(renamed(other.state_dict(), norms))

# %%
source = torch.tensor([[4, 5, 6, 7, 8, EOS], [9, 4, EOS, PAD, PAD, PAD]])
target = torch.tensor([[BOS, 5, 6, 7], [BOS, 8, PAD, PAD]])
x, y = torch.randn(B, m, d), torch.randn(B, n, d)  # embeddings with places
inside_source, inside_target, across = three_masks(source, target)
with torch.no_grad():
    memory = encoder(x, inside_source)
    mine = decoder(y, memory, inside_target, across)
    other = whole(
        x,
        y,
        tgt_mask=~torch.ones(n, n).tril().bool(),
        src_key_padding_mask=source == PAD,
        memory_key_padding_mask=source == PAD,
        tgt_key_padding_mask=target == PAD,
    )
words = target != PAD
difference = (mine - other)[words].abs().max().item()
print("ours against nn.Transformer: below 0.00001:", difference < 1e-5)

# %% [markdown]
# Six layers, three masks, two sequences of different lengths: the same numbers as torch's.

# %% [markdown] statement="EncoderDecoder"
# Lecture 002 prints a class `EncoderDecoder` with `encode`, `decode` and `forward`. It keeps a *generator*, the layer that turns vectors into scores, but none of its three methods calls it. Ours does.
#
# - `EncoderDecoder(encoder, decoder, src_embed, tgt_embed, generator)` keeps the five parts under these names.
# - `encode(source, inside_source)`: the encoder is called with the embedded source and its mask.
# - `decode(memory, across, target, inside_target)`: the decoder is called with the embedded target, the memory, the mask inside the target and the mask across, in this order; the generator makes scores $[B, n, V]$ of what it returns.
# - `forward(source, target, masks)`: both, with the three masks in the order of `three_masks`.

# %% [markdown]
# **Encode once, decode many**: who writes needs the memory in every round, but it never changes.
#
# - `write(encode, decode, source, n, masks)`: `encode` and `decode` are two such methods, `masks(source, target)` gives the three masks. Each round appends the best next word, for all texts at once. A text ends with its first `EOS`, behind it stands `PAD`. It returns the words without `BOS`, $[B, t]$, $t \le n$, and stops when all texts are over.

# %% [markdown] hints="EncoderDecoder"
# 1. Which of the calls does *not* depend on the words that have been written? It belongs before the loop.
# 2. The target begins as a column of `BOS`; each round decodes all of it, and only the scores of the last place count.
# 3. `masked_fill` overrules the choice for texts that are over. Which mask does `encode` need, and does it change while you write? You may ask `masks` with the first column.


# %% task="EncoderDecoder" points=3 level=2 minutes=17
class EncoderDecoder(nn.Module):
    """Lecture 002's class, with its generator in use."""

    def __init__(self, encoder, decoder, src_embed, tgt_embed, generator):
        super().__init__()
        ### BEGIN SOLUTION
        self.encoder, self.decoder, self.generator = encoder, decoder, generator
        self.src_embed, self.tgt_embed = src_embed, tgt_embed
        ### END SOLUTION

    def encode(self, source, inside_source):
        """The memory of a source [B, m]."""
        ### BEGIN SOLUTION
        return self.encoder(self.src_embed(source), inside_source)
        ### END SOLUTION

    def decode(self, memory, across, target, inside_target):
        """Scores [B, n, V] for the word after each of the target [B, n]."""
        ### BEGIN SOLUTION
        x = self.decoder(self.tgt_embed(target), memory, inside_target, across)
        return self.generator(x)
        ### END SOLUTION

    def forward(self, source, target, masks):
        """Scores [B, n, V]; masks: inside the source, inside the target, across."""
        ### BEGIN SOLUTION
        inside_source, inside_target, across = masks
        memory = self.encode(source, inside_source)
        return self.decode(memory, across, target, inside_target)
        ### END SOLUTION


def write(encode, decode, source, n, masks):
    """At most n words for each source [B, m], greedily: [B, t] without BOS."""
    ### BEGIN SOLUTION
    target = torch.full((len(source), 1), BOS)
    over = torch.zeros(len(source), dtype=torch.bool)
    memory = encode(source, masks(source, target)[0])
    for _ in range(n):
        if over.all():
            break
        _, inside, across = masks(source, target)
        scores = decode(memory, across, target, inside)
        word = scores[:, -1].argmax(-1).masked_fill(over, PAD)
        over = over | (word == EOS)
        target = torch.cat([target, word[:, None]], dim=1)
    return target[:, 1:]
    ### END SOLUTION


# %%
class ByRule:
    """A model that computes its next word from all it was given, and notes what it is asked."""

    V = 13

    def __init__(self):
        self.encoded, self.decoded = [], []

    def encode(self, source, inside_source):
        self.encoded.append((source.tolist(), tuple(inside_source.shape)))
        return 2 * source + 1

    def decode(self, memory, across, target, inside_target):
        self.decoded.append(tuple(target.shape))
        heard = (memory * across[:, 0]).sum(1, keepdim=True)
        said = (inside_target * target[:, None]).sum(2)
        return F.one_hot(EOS + (heard + 3 * said) % (self.V - EOS), self.V).float()


def by_rule(row, n):
    """What `ByRule` writes for one source, by hand."""
    heard, target = sum(2 * word + 1 for word in row if word != PAD), [BOS]
    while len(target) <= n and target[-1] != EOS:
        target.append(EOS + (heard + 3 * sum(target)) % (ByRule.V - EOS))
    return target[1:]


def loop_masks(source, target):
    return tuple(map(torch.tensor, masks_by_loop(source, target)))


# %% test="EncoderDecoder" aspect="five parts, wired" points=1
_parts = [torch_module("Linear", 2, 3) for _ in range(5)]
_names = ["encoder", "decoder", "src_embed", "tgt_embed", "generator"]
_state = dict(EncoderDecoder(*_parts).state_dict())
assert sorted({name.split(".")[0] for name in _state}) == sorted(_names), (
    f"Five modules wanted, {_names}; torch finds the weights {sorted(_state)}."
)
### BEGIN HIDDEN TESTS
_calls = []


def _noting(name, answer):
    def part(*inputs):
        _calls.append((name, [one.clone() for one in inputs]))
        return answer.clone()

    return part


_answers = {name: torch.randn(2, 3, 4) for name in _names}
_model = EncoderDecoder(*(_noting(name, _answers[name]) for name in _names))
_source, _target = torch.tensor([[4, 5, 2], [6, 2, 0]]), torch.tensor([[1, 7], [1, 0]])
_m = loop_masks(_source, _target)
_order = [
    ("src_embed", [_source]),
    ("encoder", [_answers["src_embed"], _m[0]]),
    ("tgt_embed", [_target]),
    ("decoder", [_answers["tgt_embed"], _answers["encoder"], _m[1], _m[2]]),
    ("generator", [_answers["decoder"]]),
]
for _what in ("encode", "decode", "forward"):
    _calls.clear()
    if _what == "encode":
        _got, _end = _model.encode(_source, _m[0]), "encoder"
    elif _what == "decode":
        _got = _model.decode(_answers["encoder"], _m[2], _target, _m[1])
        _end = "generator"
    else:
        _got, _end = _model(_source, _target, _m), "generator"
    assert close(_got, _answers[_end]), f"{_what} returns what the {_end} says."
    _wanted = {"encode": _order[:2], "decode": _order[2:], "forward": _order}[_what]
    _found = dict(_calls)
    assert sorted(name for name, _ in _calls) == sorted(name for name, _ in _wanted), (
        f"{_what} calls {[name for name, _ in _wanted]}, each once; yours: {[name for name, _ in _calls]}."
    )
    for _name, _inputs in _wanted:
        assert len(_found[_name]) == len(_inputs) and all(
            close(one, other) for one, other in zip(_found[_name], _inputs, strict=True)
        ), f"{_what}: {_name} is called with something else, or in another order."
### END HIDDEN TESTS

# %% test="EncoderDecoder" aspect="encode once, decode many" points=1
_rows, _n = [[4, 5, 2], [7, 2, 0]], 3
### BEGIN HIDDEN TESTS
_rows = [[random.randint(4, 30) for _ in range(4)] for _ in range(500)]
_rows = [_row for _row in _rows if EOS not in by_rule(_row, 5)][:3]
_rows[1:2], _n = [[*_rows[1], 0]], 5
_rows = [(_row + [0])[:5] for _row in _rows]
### END HIDDEN TESTS
_model, _source = ByRule(), torch.tensor(_rows)
_got = write(_model.encode, _model.decode, _source.clone(), _n, loop_masks)
_wanted = [by_rule(_row, _n) for _row in _rows]
_longest = max(map(len, _wanted))
_wanted = [_row + [PAD] * (_longest - len(_row)) for _row in _wanted]
assert close(_got, _wanted), (
    f"Sources {_rows}, n = {_n}, a model that adds up what it is given: {_wanted} wanted; yours: {_got}."
)
assert _model.encoded == [(_rows, (len(_rows), len(_rows[0]), len(_rows[0])))], (
    f"The encoder should be asked once, with the whole source and its mask; yours asks {len(_model.encoded)} times."
)
assert _model.decoded == [(len(_rows), _t + 1) for _t in range(_longest)], (
    f"Each round decodes BOS and the words so far; yours decodes the shapes {_model.decoded}."
)

# %% test="EncoderDecoder" aspect="each text ends by itself" points=1
_cases = [([[5, 2], [9, 2]], 4)]
### BEGIN HIDDEN TESTS
_pool = [[random.randint(4, 40), random.randint(4, 40), 2] for _ in range(2000)]
_by_end = {
    _t: [
        _row
        for _row in _pool
        if EOS in by_rule(_row, 8) and len(by_rule(_row, 8)) == _t
    ]
    for _t in (1, 2, 3, 5)
}
_cases = [
    ([_by_end[_t][0] for _t in (3, 1, 5)], 8),
    ([_by_end[_t][0] for _t in (2, 5)], 3),
    ([_by_end[1][0]] * 2, 6),
    ([_by_end[3][0]], 3),
    ([_by_end[2][0]], 0),
]
### END HIDDEN TESTS
for _rows, _n in _cases:
    _wanted = [by_rule(_row, _n) for _row in _rows]
    _longest = max(map(len, _wanted))
    _wanted = [_row + [PAD] * (_longest - len(_row)) for _row in _wanted]
    _model = ByRule()
    _got = write(_model.encode, _model.decode, torch.tensor(_rows), _n, loop_masks)
    assert np.shape(_got) == (len(_rows), _longest), (
        f"Sources {_rows}, n = {_n}: {_longest} columns wanted, without BOS; yours has the shape {np.shape(_got)}."
    )
    assert close(_got, np.reshape(_wanted, (len(_rows), _longest))), (
        f"Sources {_rows}, n = {_n}: {_wanted} wanted; yours: {_got}."
    )
    assert len(_model.decoded) == _longest, (
        f"When all texts are over, nothing more should be decoded: {_longest} rounds wanted, yours: {len(_model.decoded)}."
    )

# %% [markdown] statement="cross_cache"
# ### Three ways, one number
#
# Chapter 8 kept keys and values of old words. Here it pays even more, for the source never grows: its keys and values are needed in every round, and never change. Take one head. A word $x$ $[d]$ asks the memory $Y$ $[m, d]$:
#
# $$\text{anew}(x, Y) = \text{softmax}\!\left(\frac{(x W_q)(Y W_k)^\top}{\sqrt d}\right) (Y W_v)$$
#
# with three matrices $[d, d]$. There are two other ways to the same numbers: keep the keys and values, or do without keys.

# %% [markdown]
# - `keep(Y, W_k, W_v)` returns whatever `ask(x, kept, W_q)` needs: the work on the source is done once;
# - `fold(W_q, W_k)`: one matrix $A$ $[d, d]$ with $x A Y^\top = (x W_q)(Y W_k)^\top$ for all $x$ and $Y$, so that the memory itself serves as keys.
#
# And the price: `products(m, n, d)` returns a dict: how many multiplications of two numbers the products with $W_k$ and $W_v$ need, in all $n$ rounds, `"anew"` (in every round) and `"kept"`.

# %% [markdown] hints="cross_cache"
# 1. Underline in the formula what does not change from round to round.
# 2. $(Y W_k)^\top = W_k^\top Y^\top$. Write the score with this, and look for two neighbours that know nothing of the texts.
# 3. A product of $[m, d]$ and $[d, d]$ has $m d$ entries, each a sum of $d$ products.


# %% task="cross_cache" points=3 level=2 minutes=14
def keep(Y, W_k, W_v):
    """What is needed of the memory Y [m, d], as a tuple of tensors."""
    ### BEGIN SOLUTION
    return Y @ W_k, Y @ W_v
    ### END SOLUTION


def ask(x, kept, W_q):
    """[d]: what one word x [d] gets from the kept source."""
    ### BEGIN SOLUTION
    K, V = kept
    return torch.softmax(x @ W_q @ K.T / math.sqrt(len(x)), dim=-1) @ V
    ### END SOLUTION


def fold(W_q, W_k):
    """A [d, d] such that x A Y^T are the scores before they are divided."""
    ### BEGIN SOLUTION
    return W_q @ W_k.T
    ### END SOLUTION


def products(m, n, d):
    """{"anew": ..., "kept": ...}: multiplications for all keys and values, n words written, m read."""
    ### BEGIN SOLUTION
    once = 2 * m * d * d
    return {"anew": n * once, "kept": once}
    ### END SOLUTION


# %%
def anew(x, Y, W_q, W_k, W_v):
    """The first way, the formula as it stands."""
    return torch.softmax((x @ W_q) @ (Y @ W_k).T / math.sqrt(len(x)), -1) @ (Y @ W_v)


# %% test="cross_cache" aspect="kept once, asked often" points=1
_sizes = [(3, 2, 2)]  # m, d, rounds
### BEGIN HIDDEN TESTS
_sizes = [(5, 3, 3), (1, 4, 2), (2, 6, 4), (7, 1, 2)]
### END HIDDEN TESTS
for _m, _d, _rounds in _sizes:
    _Y, _W = torch.randn(_m, _d).double(), torch.randn(3, _d, _d).double()
    _x = torch.randn(_rounds, _d).double() * 2
    _kept = keep(_Y.clone(), _W[1].clone(), _W[2].clone())
    _other = keep(torch.randn(_m, _d).double(), _W[2].clone(), _W[1].clone())
    for _one in _x:
        _got, _wanted = ask(_one.clone(), _kept, _W[0].clone()), anew(_one, _Y, *_W)
        assert np.shape(_got) == (_d,), (
            f"m = {_m}, d = {_d}: shape ({_d},) wanted; yours: {np.shape(_got)}."
        )
        assert close(_got, _wanted, 1e-5, 1e-7), (
            f"m = {_m}, d = {_d}: {_wanted.tolist()} wanted, as the formula says; yours: {_got}."
        )

# %% test="cross_cache" aspect="one matrix in place of two" points=1
_d = 2
### BEGIN HIDDEN TESTS
for _d in (1, 4, 5):
    _Y, _W = torch.randn(3, _d).double(), torch.randn(2, _d, _d).double()
    _x = torch.randn(2, _d).double()
    _got = fold(_W[0].clone(), _W[1].clone())
    assert np.shape(_got) == (_d, _d), f"A is [{_d}, {_d}]; yours: {np.shape(_got)}."
    _mine = _x @ torch.tensor(np.asarray(_got).tolist()).double() @ _Y.T
    assert close(_mine, (_x @ _W[0]) @ (_Y @ _W[1]).T, 1e-5, 1e-7), (
        f"d = {_d}: x A Yᵀ should be (x W_q)(Y W_k)ᵀ, undivided; for random numbers it is not."
    )
_d = 2
### END HIDDEN TESTS
_got = fold(torch.eye(_d).double(), torch.eye(_d).double())
assert close(_got, np.eye(_d)), (
    f"Both maps do nothing, so x A Yᵀ is x Yᵀ; your A: {_got}."
)

# %% test="cross_cache" aspect="multiplications" points=1
_got = products(1, 1, 1)
assert hasattr(_got, "keys") and {"anew", "kept"} <= set(_got), (
    f'A dict with "anew" and "kept" wanted; yours: {_got!r}.'
)
assert _got["anew"] == _got["kept"] == 2, (
    f"One word, one round, d = 1: one product for the key, one for the value; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _m, _n, _d in ((3, 1, 2), (1, 4, 3), (9, 12, 64), (random.randint(2, 30), 7, 5)):
    _got = products(_m, _n, _d)
    for _name, _rounds in (("anew", _n), ("kept", 1)):
        _wanted = sum(2 * _d * _d for _ in range(_m) for _ in range(_rounds))
        assert _got[_name] == _wanted, (
            f"m = {_m}, n = {_n}, d = {_d}: {_name} {_wanted:,}; yours: {_got[_name]}."
        )
### END HIDDEN TESTS

# %% [markdown]
# ## 8. Two encoders, two decoders
#
# An encoder and a decoder know of each other only through the memory, so any encoder goes with any decoder. LSTM and Transformer are the most efficient ones, says lecture 004, with a warning from section 3: one vector for the whole source is "very simple" and fails on long sentences. Which pair is best?

# %% [markdown]
# A fair race, recorded by `benchmarks/translation.py`: five models learn from the same 5,000 pairs, each with about 230,000 weights between its embeddings, at its own best learning rate, for 75 seconds of CPU time, with three seeds. Then each translates 1,500 new sentences, always with the best next word. Selvan leaves much free, so the grammar judges: a translation is *right* if it is one of all valid ones.
#
# Predict before you look: which model wins, and what does one vector for a whole sentence cost?

# %%
folder = paths.DATA / "seq2seq"
record = pd.read_csv(folder / "runs.csv")
record["pair"] = record.encoder + " → " + record.decoder
record["astray"] = record.alignment_error_2.fillna(record.alignment_error)
race = record[record.part == "models"]
order = ["lstm → vector", "lstm → lstm", "transformer → lstm"]
order += ["lstm → transformer", "transformer → transformer"]
order = [pair for pair in order if pair in set(race.pair)]
shades = dict(zip(order, plots.COLOURS, strict=False))

# %%
_, axes = plt.subplots(figsize=(6.5, 2.3))
for y, pair in enumerate(order):
    found = 100 * race[race.pair == pair].right
    axes.plot(found, [y] * len(found), "o", color=shades[pair], alpha=0.7)
    axes.text(found.max() + 2, y, f"{found.mean():.1f}", va="center")
axes.set(yticks=range(len(order)), yticklabels=order, xlim=(-3, 105))
axes.set_ylim(len(order) - 0.5, -0.5)
axes.set_xlabel("right translations (%); a dot is a seed")
plt.show()

# %%
columns = {
    "rate": "rate",
    "read": "1,000 words",
    "loss": "nats per word",
    "right": "right",
    "astray": "astray",
    "translated_per_second": "words/s",
}
table = race.groupby("pair")[list(columns)].mean().loc[order]
table = table.rename(columns=columns)
table["1,000 words"] = (table["1,000 words"] / 1000).round().astype(int)
table["words/s"] = table["words/s"].round(-2).astype(int)
print(table.round(3).to_string(na_rep="-"))

# %% [markdown]
# Means over seeds. *1,000 words*: how many target words it read in its 75 seconds; *astray*: the share of target words at which attention, in the last layer, looks most at a source word that the grammar does not pair with them; *words/s*: translated in a second of CPU time, 100 sentences at once.

# %%
lengths = pd.read_csv(folder / "lengths.csv")
lengths["pair"] = lengths.encoder + " → " + lengths.decoder


def by_length(axes, rows, label, **style):
    """The share of right translations for each length of the source, all seeds together."""
    sums = rows.groupby(["shortest", "longest"])[["asked", "right"]].sum()
    share = (100 * sums.right / sums.asked).tolist()
    axes.plot(range(len(share)), share, "o-", label=label, **style)
    axes.set_xticks(range(len(share)), ["≤ 5", "6-7", "8-9", "10-11", "≥ 12"])
    axes.set(xlabel="words of the source", ylabel="right (%)", ylim=(-3, 103))
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))


_, axes = plt.subplots(figsize=(6.5, 2.5))
for pair in order:
    rows = lengths[(lengths.part == "models") & (lengths.pair == pair)]
    by_length(axes, rows, pair, color=shades[pair])
plt.show()

# %% [markdown]
# One vector is no match: 3 % right against 59 % with attention, with the same cells, as many weights and even more words read. Look at the second figure: with one vector hardly a sentence of eight words comes out right. This is a race against the clock; with more time the vector would learn more, but so would the others.
#
# The Transformer gets 79 %, although it read a third fewer words. Its price is paid when it writes: fewer than half as many words per second. All lose on long sentences.
#
# MIXED8

# %% [markdown]
# ## 9. One model, many tasks
#
# Nothing in these models knows that they translate. Whatever can be written as "this text in, that text out" can be learned by the same network. Lecture 003 shows T5 (Raffel and others, 2020): one model, one training, and the task stands as a few words *in front of the input*. Even a decision is written out as text.
#
# The slide prints three inputs and three outputs, and leaves it to you to say which belongs to which.

# %% [markdown] statement="text_to_text"
# - `t5`: a dict from each input of the slide (`INPUTS`) to its output (`OUTPUTS`).
# - `in_and_out(task, source, target)`: lists of words, the input and the output of one example. The input is the name of the task, then the source. Output for `"translate"`: the target; `"backwards"`: the source from its last word to its first; `"count"`: one word, the number of words of the source in digits. `ValueError` for any other task.
# - `uses`: lecture 004 lists more sequence-to-sequence problems. For each key of `PROBLEMS` a pair (what goes in, what comes out), each one of `"text"`, `"sound"`, `"image"`.

# %% [markdown] hints="text_to_text"
# 1. What a T5 model gets to see is only the input. Does the output have to say which task it was?
# 2. "In digits" is text, too: `"7"`, and it stands in a list of one word.
# 3. Summaries and simpler versions are made of texts. For the two others ask what a microphone and a camera deliver.

# %%
INPUTS = [
    "Translate EN-DE: This is good.",
    "Summarize: state authorities dispatched...",
    "Is this toxic: You look beautiful today!",
]
OUTPUTS = [
    "This is not toxic.",
    "Das ist gut.",
    "A storm in Attala caused 6 victims.",
]
PROBLEMS = ["summarisation", "simplification", "speech-to-text", "captioning"]


# %% task="text_to_text" points=2 level=1 minutes=10
def in_and_out(task, source, target):
    """(words in, words out) of one example; source and target, lists of words, stay as they are."""
    ### BEGIN SOLUTION
    answers = {
        "translate": list(target),
        "backwards": list(source[::-1]),
        "count": [str(len(source))],
    }
    if task not in answers:
        raise ValueError(f"{task!r} is none of the tasks {', '.join(answers)}.")
    return [task, *source], answers[task]
    ### END SOLUTION


# t5 = {an input: its output, ...}
# uses = {a problem: (what goes in, what comes out), ...}
### BEGIN SOLUTION
t5 = dict(zip(INPUTS, [OUTPUTS[1], OUTPUTS[2], OUTPUTS[0]], strict=True))
uses = {
    "summarisation": ("text", "text"),
    "simplification": ("text", "text"),
    "speech-to-text": ("sound", "text"),
    "captioning": ("image", "text"),
}
### END SOLUTION

# %% test="text_to_text" aspect="in and out as words" points=1
_source, _target = ["the", "cooks", "sing"], ["kubaren", "tos", "kantan"]
_wanted = {"translate": _target, "backwards": _source[::-1], "count": ["3"]}
### BEGIN HIDDEN TESTS
for _m, _n in ((1, 4), (12, 2), (0, 1), (random.randint(4, 9), 3)):
    _source = [random.choice("abcdefg") for _ in range(_m)]
    _target = [random.choice("xyz") for _ in range(_n)]
    for _task, _output in (
        ("translate", _target),
        ("backwards", [*reversed(_source)]),
        ("count", [str(_m)]),
    ):
        for _ in range(2):
            _got = in_and_out(_task, list(_source), list(_target))
            assert isinstance(_got, tuple | list) and len(_got) == 2, (
                f"A pair (words in, words out) wanted; yours: {_got!r}."
            )
            assert list(_got[0]) == [_task, *_source], (
                f"{_task}, source {_source}: input {[_task, *_source]} wanted; yours: {_got[0]!r}."
            )
            assert list(_got[1]) == _output, (
                f"{_task}, source {_source}, target {_target}: output {_output} wanted; yours: {_got[1]!r}."
            )
        _after = arguments_after(in_and_out, _task, list(_source), list(_target))
        assert list(_after[1]) == _source and list(_after[2]) == _target, (
            f"{_task}: the source or the target is changed."
        )
for _task in ("Translate", "", "sing"):
    try:
        _got = in_and_out(_task, ["a"], ["b"])
    except ValueError:
        _got = "ValueError"
    assert _got == "ValueError", f"Task {_task!r}: ValueError wanted; yours: {_got!r}."
_source, _target = ["the", "cooks", "sing"], ["kubaren", "tos", "kantan"]
### END HIDDEN TESTS
for _task, _output in _wanted.items():
    _got = in_and_out(_task, list(_source), list(_target))
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"A pair (words in, words out) wanted; yours: {_got!r}."
    )
    assert list(_got[0]) == [_task, *_source] and list(_got[1]) == _output, (
        f"{_task}: {[_task, *_source]} in, {_output} out; yours: {_got!r}."
    )

# %% test="text_to_text" aspect="which belongs to which" points=1
assert hasattr(t5, "keys") and sorted(t5) == sorted(INPUTS), (
    f"t5 has the three inputs as keys; yours: {t5!r}."
)
assert sorted(t5.values()) == sorted(OUTPUTS), (
    "Each output of the slide belongs to one input, letter by letter."
)
assert hasattr(uses, "keys") and sorted(uses) == sorted(PROBLEMS), (
    f"uses has the keys {PROBLEMS}; yours: {uses!r}."
)
for _problem in PROBLEMS:
    _pair = uses[_problem]
    assert isinstance(_pair, tuple | list) and len(_pair) == 2, (
        f"{_problem}: a pair (in, out) wanted; yours: {_pair!r}."
    )
    assert all(_one in ("text", "sound", "image") for _one in _pair), (
        f'{_problem}: each of the two is "text", "sound" or "image"; yours: {_pair!r}.'
    )
### BEGIN HIDDEN TESTS
_words = {"Translate": "gut", "Summarize": "storm", "Is": "toxic"}
for _input in INPUTS:
    assert _words[_input.split()[0].rstrip(":")] in t5[_input], (
        f"{_input!r} is not answered by {t5[_input]!r}."
    )
for _problem, _kind in zip(PROBLEMS, ("text", "text", "sound", "image"), strict=True):
    assert tuple(uses[_problem]) == (_kind, "text"), (
        f"{_problem}: not {tuple(uses[_problem])}. What is it made from, and what does it make?"
    )
### END HIDDEN TESTS

# %% [markdown]
# Does it work in small? One Transformer, as large as the last one of section 8, learned three tasks at once: 15,000 examples, made from the 5,000 pairs (its numbers were words: *seven*).

# %%
three = pd.read_csv(folder / "tasks.csv")
three["share"] = 100 * three.right / three.asked
_, axes = plt.subplots(figsize=(6, 2.3))
for (task, rows), colour in zip(three.groupby("task"), plots.COLOURS, strict=False):
    axes.plot(rows.seconds, rows.share, "o", color=colour, alpha=0.7)
    mean = rows.groupby("seconds").share.mean()
    axes.plot(mean.index, mean, color=colour, label=task)
axes.set(xlabel="CPU seconds of training", ylabel="right (%)", ylim=(-3, 103))
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()
for row in pd.read_csv(folder / "task_examples.csv").head(6).itertuples():
    print(f"{row.source:50} → {row.output}")

# %% [markdown]
# The first word of the input steers all the others: the same sentence comes back translated, turned round or counted. But tasks share their time, too. The Transformer of section 8 spent all its 75 seconds on translation and got about twice as many right. Three tasks do not help each other here; T5 hopes that they do when texts are scarce and models are large.

# %% [markdown]
# ## 10. Do not be so sure
#
# Selvan often has several right words for the next place, yet each pair shows just one of them. Training with $-\ln P(\text{word})$ still asks the model to put everything on that one. **Label smoothing** asks for less. The target of each place is no longer one word, but a distribution over all $V$: a share $\varepsilon$ is spread evenly,
#
# $$q(v) = (1 - \varepsilon)\,[v = y] + \frac{\varepsilon}{V} \qquad\qquad \text{loss} = -\sum_v q(v) \ln P(v)$$
#
# where $[v = y]$ is 1 for the word that stands there, and 0 for all others.

# %% [markdown] statement="smoothed_loss"
# - `smoothed_loss(scores, targets, eps)`: from scores $[B, n, V]$ (before the softmax) and targets $[B, n]$ the mean loss over all places whose target is not `PAD`. With `eps` $= 0$ it is the usual loss.
# - `least_loss(V, eps)`: no model can get below a certain loss; which? In nats, for $0 \le \varepsilon \le 1$.

# %% [markdown] hints="smoothed_loss"
# 1. The sum over $v$ splits into two: the usual loss, and the mean of $-\ln P(v)$ over all words.
# 2. A place of padding counts neither above nor below the line of the mean.
# 3. Chapter 1: $-\sum_v q(v) \ln P(v)$ is smallest for $P = q$. Then it is the entropy of $q$, and $q$ has only two different values. What is $0 \ln 0$ here?


# %% task="smoothed_loss" points=3 level=2 minutes=14
def smoothed_loss(scores, targets, eps):
    """The mean in nats, without axes; gradients pass. A score may be 1,000 beside 0."""
    ### BEGIN SOLUTION
    log_p = scores.log_softmax(-1)
    usual = -log_p.gather(-1, targets[..., None])[..., 0]  # [B, n]
    loss = (1 - eps) * usual - eps * log_p.mean(-1)
    return loss[targets != PAD].mean()
    ### END SOLUTION


def least_loss(V, eps):
    """The smallest smoothed loss that any scores can reach."""
    ### BEGIN SOLUTION
    first, other = 1 - eps + eps / V, eps / V
    parts = [(1, first), (V - 1, other)]
    return -sum(count * q * math.log(q) for count, q in parts if count and q > 0)
    ### END SOLUTION


# %% test="smoothed_loss" aspect="a share for every word" points=1
_got = smoothed_loss(torch.zeros(1, 2, 5), torch.tensor([[3, 4]]), 0.1)
assert np.shape(_got) == (), f"The loss is one number; yours: {_got!r}."
assert close(_got, math.log(5), 1e-5), (
    f"Five words alike: ln 5 = 1.609 for any target; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _B, _n, _V, _eps in ((2, 3, 5, 0.1), (1, 4, 9, 0.3), (3, 1, 3, 0.0), (2, 2, 4, 1)):
    _s = torch.randn(_B, _n, _V).double() * 3
    _t = torch.from_numpy(np.random.default_rng().integers(1, _V, (_B, _n)))
    _q = (1 - _eps) * F.one_hot(_t, _V) + _eps / _V
    _wanted = -(_q * _s.log_softmax(-1)).sum(-1).mean()
    _got = smoothed_loss(_s.clone(), _t.clone(), _eps)
    assert close(_got, _wanted, 1e-4, 1e-5), (
        f"Random scores {_B, _n, _V}, ε = {_eps}: {_wanted:.4f} wanted; yours: {_got}."
    )
    _slope = (_s.softmax(-1) - _q) / (_B * _n)
    assert close(gradients(smoothed_loss, _s, _t, _eps)[0], _slope, 1e-3, 1e-5), (
        f"ε = {_eps}: the gradient that your loss sends to the scores is wrong."
    )
    _far = _s + 1000 * F.one_hot((_t + 1) % _V, _V)
    _wanted = F.cross_entropy(
        _far.flatten(0, 1), _t.flatten(), label_smoothing=float(_eps)
    )
    assert close(smoothed_loss(_far, _t.clone(), _eps), _wanted, 1e-4, 1e-3), (
        "One score lies 1,000 above the others: your loss is wrong there, or no number."
    )
    _after = arguments_after(smoothed_loss, _s.clone(), _t.clone(), _eps)
    assert close(_after[0], _s) and close(_after[1], _t), (
        "Scores or targets are changed by your loss."
    )
### END HIDDEN TESTS

# %% test="smoothed_loss" aspect="padding does not count" points=1
_t = torch.tensor([[3, 2], [1, PAD]])
### BEGIN HIDDEN TESTS
_t = torch.tensor([[3, 2, 4, 1], [1, 2, PAD, PAD], [4, PAD, PAD, PAD]])
### END HIDDEN TESTS
_s = torch.randn(*_t.shape, 6).double() * 2
_wanted = F.cross_entropy(
    _s.flatten(0, 1), _t.flatten(), ignore_index=PAD, label_smoothing=0.2
)
_got = smoothed_loss(_s.clone(), _t.clone(), 0.2)
assert close(_got, _wanted, 1e-4, 1e-5), (
    f"Targets {_t.tolist()}, ε = 0.2: {_wanted:.4f} wanted, the mean over all words; yours: {_got}."
)

# %% test="smoothed_loss" aspect="as low as it gets" points=1
_got = least_loss(2, 1)
assert is_number(_got), f"least_loss returns a number; yours: {_got!r}."
assert close(_got, math.log(2), 1e-6), (
    f"V = 2, ε = 1: both words are wanted equally, ln 2 = 0.693; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _V, _eps in (
    (719, 0.1),
    (719, 0.2),
    (5, 0.3),
    (2, 0.5),
    (random.randint(3, 50), 0.25),
):
    _q = torch.full((_V,), _eps / _V).double()
    _q[0] += 1 - _eps
    _wanted = -(_q * _q.log()).sum()
    assert close(least_loss(_V, _eps), _wanted, 1e-6), (
        f"V = {_V}, ε = {_eps}: {_wanted:.4f} wanted, the entropy of q; yours: {least_loss(_V, _eps)}."
    )
assert close(least_loss(7, 0), 0), (
    f"ε = 0: a sure model has loss 0; yours: {least_loss(7, 0)}."
)
assert close(least_loss(7, 1), math.log(7)), (
    f"V = 7, ε = 1: ln 7 = 1.9459; yours: {least_loss(7, 1)}."
)
assert close(least_loss(1, 0.3), 0), (
    f"V = 1: there is no other word, 0 wanted; yours: {least_loss(1, 0.3)}."
)
### END HIDDEN TESTS

# %%
smooth = record[(record.encoder == "transformer") & (record.decoder == "transformer")]
smooth = smooth[smooth.part.isin(["models", "smoothing"])]
_, axes = plt.subplots(1, 3, figsize=(7, 2.3))
titles = {"loss": "usual loss (nats per word)", "bleu": "BLEU", "right": "right (%)"}
for ax, (column, title) in zip(axes, titles.items(), strict=True):
    values = smooth[column] * (100 if column == "right" else 1)
    ax.plot(smooth.smoothing, values, "o", color=plots.COLOURS[0], alpha=0.7)
    mean = values.groupby(smooth.smoothing).mean()
    ax.plot(mean.index, mean, color=plots.COLOURS[0])
    ax.set(title=title, xlabel="ε", xticks=sorted(set(smooth.smoothing)))
plt.show()

# %% [markdown]
# TODO10
