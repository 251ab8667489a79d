# ---
# title: From one sequence to another
# ---

# %%
import itertools
import math
import random

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

from lmkit import drawings, paths, plots, translation
from lmkit.models import seq2seq
from lmkit.models.seq2seq import BOS, EOS, PAD, UNK
from lmkit.testing import (
    arguments_after,
    close,
    gradients,
    is_number,
    laid_out_otherwise,
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
for _name, _got, _wanted in zip(
    ("target", "memory"),
    gradients(_mine, _x, _y),
    gradients(_torch, _x, _y),
    strict=True,
):
    assert close(_got, _wanted, 1e-2, 1e-3), (
        f"The gradient of the {_name} is not that of torch's layer."
    )
_got = dict(parameter_gradients(_mine, _x, _y))
for _name, _wanted in renamed(parameter_gradients(_torch, _x, _y)).items():
    assert close(_got[_name], _wanted, 1e-2, 1e-3), (
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
# - `write(model, source, n, masks)`: **encode once, decode many**. Each round appends the best next word, for all texts at once. `masks(source, target)` gives the three masks. A text ends with its first `EOS`, behind it stands `PAD`. It returns the words without `BOS`, $[B, t]$, $t \le n$, and stops when all texts are over.

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


def write(model, source, n, masks):
    """At most n words for each source [B, m], greedily; model has `encode` and `decode`."""
    ### BEGIN SOLUTION
    target = torch.full((len(source), 1), BOS)
    over = torch.zeros(len(source), dtype=torch.bool)
    memory = model.encode(source, masks(source, target)[0])
    for _ in range(n):
        if over.all():
            break
        _, inside, across = masks(source, target)
        scores = model.decode(memory, across, target, inside)
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
_got = write(_model, _source.clone(), _n, loop_masks)
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
    _got = write(_model, torch.tensor(_rows), _n, loop_masks)
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
# with three matrices $[d, d]$. Get the same numbers in two other ways:
#
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
