# %% [markdown] statement="parameters"
# ## 2. Three ways, one number
#
# A recurrent language model has four matrices: the embedding $E$, shape $[|V|, d]$ (a row for each word), $W_x$, $W_h$
# and the output layer $U$, shape $[|V|, k]$. Count its weights:
#
# - `by_terms(V, d, k)`: the sizes of $E$, $W_x$, $W_h$, $U$, a list;
# - `by_product(V, d, k)`: their sum, as a product of two factors;
# - `by_module(V, d, k)`: loop over `nn.Embedding`, `nn.RNN`, `nn.Linear`; here the biases count;
# - `times_printed`: for $|V| = 10^5$, $d = k = 10^2$, lecture 002 prints $10^7$ in all: your total (no biases) divided
#   by that, exactly.

# %% [markdown] hints="parameters"
# 1. A matrix of shape $[m, n]$ holds $mn$ numbers.
# 2. Sort the four terms into pairs: $|V|d$ and $kd$; $kk$ and $|V|k$. What can be taken out of each pair?
# 3. Make the three modules, go through the parameters of each, and add up how many elements each one has.


# %% task="parameters" points=4 level=1 minutes=12
def by_terms(V, d, k):
    """[size of E, of W_x, of W_h, of U]."""
    ### BEGIN SOLUTION
    return [d * V, d * k, k * k, k * V]
    ### END SOLUTION


def by_product(V, d, k):
    """The sum of the four, as a product of two factors."""
    ### BEGIN SOLUTION
    return (d + k) * (V + k)
    ### END SOLUTION


def by_module(V, d, k):
    """How many numbers torch's Embedding, RNN and Linear hold, their biases included."""
    ### BEGIN SOLUTION
    parts = nn.Embedding(V, d), nn.RNN(d, k), nn.Linear(k, V)
    return sum(weight.numel() for part in parts for weight in part.parameters())
    ### END SOLUTION


# times_printed = a number
### BEGIN SOLUTION
times_printed = by_product(10**5, 100, 100) / 10**7
### END SOLUTION


# %% test="parameters" aspect="four matrices" points=1
_got = by_terms(7, 2, 3)
assert np.shape(_got) == (4,), f"by_terms returns four numbers; yours: {_got!r}."
assert list(_got) == [14, 6, 9, 21], (
    f"V = 7, d = 2, k = 3: E holds 7 × 2 numbers, and so on; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _V, _d, _k in ((30, 4, 9), (5, 12, 8), (9, 6, 6), random.sample(range(2, 50), 3)):
    _wanted = [
        np.zeros(shape).size for shape in ((_V, _d), (_k, _d), (_k, _k), (_V, _k))
    ]
    _got = by_terms(_V, _d, _k)
    assert close(_got, _wanted), f"V, d, k = {_V, _d, _k}: your sizes are {_got!r}."
### END HIDDEN TESTS

# %% test="parameters" aspect="the product is the sum" points=1
_got = by_product(7, 2, 3)
assert is_number(_got), f"by_product returns a number; yours: {_got!r}."
assert _got == 50, f"V = 7, d = 2, k = 3: 14 + 6 + 9 + 21 = 50; your product is {_got}."
### BEGIN HIDDEN TESTS
for _V, _d, _k in ((30, 4, 9), (5, 12, 8), (9, 6, 6), random.sample(range(2, 50), 3)):
    _wanted, _got = _d * _V + _d * _k + _k**2 + _k * _V, by_product(_V, _d, _k)
    assert is_number(_got) and _got == _wanted, (
        f"V, d, k = {_V, _d, _k}: the terms sum to {_wanted}, not {_got!r}."
    )
### END HIDDEN TESTS

# %% test="parameters" aspect="torch's biases are counted" points=1
_got = by_module(7, 2, 3)
assert is_number(_got), f"by_module returns a number; yours: {_got!r}."
assert _got != 50, (
    "by_module leaves out the biases: nn.RNN and nn.Linear have some by default."
)
assert _got == 63, (
    f"V = 7, d = 2, k = 3: torch holds 63 numbers, biases included; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_sizes = (30, 4, 9), (5, 12, 8), (9, 6, 6), random.sample(range(2, 50), 3)
for _V, _d, _k in _sizes:
    _wanted = _d * _V + _d * _k + _k**2 + _k * _V + 2 * _k + _V
    _got = by_module(_V, _d, _k)
    assert is_number(_got) and _got == _wanted, (
        f"V, d, k = {_V, _d, _k}: torch holds {_wanted} numbers, not {_got!r}."
    )
### END HIDDEN TESTS

# %% test="parameters" aspect="the printed total" points=1
assert is_number(times_printed), f"times_printed is a number, not {times_printed!r}."
assert times_printed > 1, (
    f"The slide prints too few, not too many; yours: {times_printed}."
)
### BEGIN HIDDEN TESTS
assert close(times_printed, 2.002, 1e-6), (
    f"Not {times_printed}: divide the exact total by 10^7."
)
### END HIDDEN TESTS


# %%
exact = by_product(10**5, 100, 100)
with_biases = by_module(10**5, 100, 100)
ratio = (11 * 10**10 + 10**5) / exact
print(f"{exact:,}; with biases {with_biases:,}")
print(f"the one-hot network of chapter 04: {ratio:,.0f} times as many")

# %% [markdown]
# Two of the four terms grow with $|V|$, and none with the length of the past. A window network needs $d$ more columns in
# its hidden layer for each further word it looks at, the recurrent network needs nothing. (With $d = k$, one matrix can
# serve as $E$ *and* as $U$: *tied weights*.)
#
# <details><summary>Slips in the printed slides: a total, and a listing</summary>
#
# Lecture 002 drops one of the two terms with $|V|$, so its total is half of the truth. Its program predicts only the word
# after the *last* state; section 13 shows what predicting at every step is worth.
# </details>


# %%
class LanguageModel(nn.Module):
    """Scores s_t = U h_t of the next word at every step (and a bias), from one of torch's cells."""

    def __init__(self, cell, V, d=64, k=128):
        super().__init__()
        self.embedding = nn.Embedding(V, d)
        self.cell = cell(d, k, batch_first=True)
        self.out = nn.Linear(k, V)

    def forward(self, words, state=None):
        """Words [B, T] -> scores [B, T, V] and the last state, to go on from."""
        states, state = self.cell(self.embedding(words), state)
        return self.out(states), state
