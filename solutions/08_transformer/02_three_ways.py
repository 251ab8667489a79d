# %% [markdown] statement="masked_softmax"
# ## 2. Three ways, one number, and a slide that is wrong
#
# A weight that must not be is 0; the others still sum to 1. So lecture 004 multiplies each power with a mask $m_i$ (1: may be seen, 0: not) before dividing by the
# sum. Since $m_i e^{x_i} = e^{x_i + \ln m_i}$, one may as well *add* $\ln m_i$ to the scores $x_i$: 0 or $-\infty$. That is what lecture 000 does:
#
# $$\text{masked\_softmax}(x, m)_i = \frac{m_i e^{x_i}}{\sum_j m_j e^{x_j}} = \text{softmax}(x + \ln m)_i$$
#
# - `by_hand()`: scores $0, \ln 3, \ln 4$; the third is in the future. Three weights.
# - `masked_softmax(x, m)`: along the last axis; $m$ is 0 or 1, in each row somewhere 1. A score may be 1,000, masked or not.
# - `additive_mask(T)`: what lecture 000 adds, $[T, T]$, row $t$ for the asking place; a new tensor with each call.

# %% [markdown]
# The misprint: let $a_{it}$ be the weight of input $i$ for place $t = 1, 2, \dots$ Lecture 004 wants each place to use the inputs with $i \le t$, then prints "we could enforce $a_{it} = 0$ for $i \ge t$". Write down which weights are left for
# the first places, and set
#
# - `no_weights`: the place that would have nothing left to look at;
# - `sign`: what should stand instead of ≥, one of `"<"`, `"<="` or `">"`.

# %% [markdown] hints="masked_softmax"
# 1. By hand: leave the third out altogether. The two others must share all of the weight.
# 2. May a word look at itself? Read $i \le t$ once more, and write the table for three places on paper.
# 3. $e^{1000}$ is infinite, and infinity times 0 is no number. So remove a masked score *before* the exponential: $\ln 0 = -\infty$.


# %% task="masked_softmax" points=4 level=2 minutes=17
def by_hand():
    """The weights of the three inputs for place 2."""
    ### BEGIN SOLUTION
    return [1 / 4, 3 / 4, 0]
    ### END SOLUTION


def masked_softmax(x, m):
    """Weights like x, zero where m is 0, with sum 1 along the last axis; x and m, of one shape, stay as they are."""
    ### BEGIN SOLUTION
    return torch.softmax(x + torch.log(m), dim=-1)
    ### END SOLUTION


def additive_mask(T):
    """[T, T] of floats: 0 where row t may look, -inf where it may not."""
    ### BEGIN SOLUTION
    return torch.full((T, T), -math.inf).triu(1)
    ### END SOLUTION


# no_weights = a place, counted from 1
# sign = "<", "<=" or ">"
### BEGIN SOLUTION
no_weights = 1
sign = ">"
### END SOLUTION

# %% test="masked_softmax" aspect="three words by hand" points=1
_got = by_hand()
assert np.shape(_got) == (3,), f"by_hand returns three numbers; yours: {_got!r}."
assert close(sum(_got), 1, 0, 0.006), (
    f"What is left to look at gets all the weight; yours: {_got}."
)
### BEGIN HIDDEN TESTS
assert close(_got, [1 / 4, 3 / 4, 0], 0, 0.006), (
    f"Not {_got}: powers 1 and 3, and the third word left out."
)
### END HIDDEN TESTS

# %% test="masked_softmax" aspect="hidden scores have no say" points=1
_x = torch.tensor([[0.0, math.log(3), 1000], [5, 5, 5]])
_got = masked_softmax(_x.clone(), torch.tensor([[1.0, 1, 0], [1, 1, 1]]))
assert np.shape(_got) == (2, 3), (
    f"Weights of the shape of x, (2, 3), are wanted; yours: {np.shape(_got)}."
)
assert close(_got[1], [1 / 3] * 3, 0, 1e-5), (
    f"Nothing masked, equal scores: 1/3 each; yours: {_got[1]}."
)
assert close(_got[0], [0.25, 0.75, 0], 0, 1e-5), (
    f"Scores 0, ln 3 and a masked 1,000: .25, .75, 0; yours: {_got[0]}."
)
### BEGIN HIDDEN TESTS
_V = size("V")
for _axes in ((_V,), (size("T"), _V), (size("B"), size("T"), _V)):
    _seen = made(
        lambda rng, seen, place: (
            seen | (torch.arange(seen.shape[-1]) == place % seen.shape[-1])
        ).double(),
        truths(*_axes),
        whole(0, 40),
    )
    _scores = made(
        lambda rng, x, m, high: x + high * (1 - m),
        tensor(*_axes, scale=3, edges=("huge",), kind="float64"),
        _seen,
        choice(0, 1000),
    )
    agrees(masked_softmax, ours.masked_softmax, _scores, _seen, rtol=1e-3, atol=1e-6)
### END HIDDEN TESTS

# %% test="masked_softmax" aspect="zero, and minus infinity above" points=1
_sizes = (1, 4)
### BEGIN HIDDEN TESTS
_sizes = (4, 1, 2, 7)
### END HIDDEN TESTS
for _T in _sizes:
    ### BEGIN HIDDEN TESTS
    _call = torch_module("Module")  # a mask is made, then changed by who asked for it
    _call.forward = additive_mask
    torch_module("Sequential", _call, torch_module("Hardtanh", -2, -1, True))(_T)
    ### END HIDDEN TESTS
    _got = additive_mask(_T)
    assert np.shape(_got) == (_T, _T), (
        f"T = {_T}: shape {_T, _T} wanted; yours: {np.shape(_got)}."
    )
    assert torch.is_tensor(_got) and _got.is_floating_point(), (
        f"A tensor of floats is added to scores; yours: {_got!r}."
    )
    for _t in range(_T):
        assert _got[_t, _t] == 0, "A word may look at itself: 0 on the diagonal."
        assert all(v == 0 for v in _got[_t, :_t].tolist()), (
            f"Row {_t}: earlier places are allowed, so 0 there."
        )
        assert all(v == -math.inf for v in _got[_t, _t + 1 :].tolist()), (
            f"Row {_t}: -inf wanted for later places."
        )

# %% test="masked_softmax" aspect="the printed sign" points=1
assert is_number(no_weights), f"no_weights is a place such as 3; yours: {no_weights!r}."
assert str(sign).strip() in ("<", "<=", ">"), (
    f'sign is one of "<", "<=" and ">"; yours: {sign!r}.'
)
### BEGIN HIDDEN TESTS
assert no_weights == 1, (
    f"Place {no_weights} still has something to look at, or is none. Try the smallest t."
)
assert str(sign).strip() == ">", (
    f"With a = 0 for i {sign} t, place t would not see just the inputs up to t."
)
### END HIDDEN TESTS

# %%
x, m = torch.tensor([0, math.log(3), math.log(4)]), torch.tensor([1.0, 1, 0])
print("by hand:       ", by_hand())
print("multiplied:    ", masked_softmax(x, m).numpy().round(4))
print("added:         ", (x + additive_mask(3)[1]).softmax(0).numpy().round(4))
print("nothing to see:", (x + torch.full((3,), -math.inf)).softmax(0).numpy())

# %% [markdown]
# Three ways, one number. The last line is why each row needs a 1: if everything is forbidden, the softmax divides 0 by 0, and one NaN (not a number) spoils all that is computed from it.
#
# <details><summary>A slip in the printed slides</summary>
#
# Lecture 003 masks by "setting softmax to $-\infty$". The *scores* are set to $-\infty$; the softmax makes zeros of them.
#
# </details>


# %%
def multi_head(q, k, v, heads, mask):
    """Chapter 6's heads: [B, T, C] from q, k, v: [B, T, C]. Each of H heads takes C / H columns; mask [T, T] is added to the scores."""
    B, T, C = q.shape
    q, k, v = (
        part.view(B, T, heads, C // heads).transpose(1, 2) for part in (q, k, v)
    )  # [B, H, T, D]
    s = q @ k.transpose(2, 3) / math.sqrt(C // heads) + mask  # [B, H, T, T]
    return (s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C)


# %%
def future_mask(T):
    """What is added to scores [T, T]: 0 up to the asking place, -inf after it."""
    return torch.full((T, T), -math.inf).triu(1)
