# %% [markdown] statement="operations"
# ## 18. The bill
#
# Every word scores every other, and that is not free. Lecture 001's table, without the $O$: `operations(kind, n, d, k, r)`
# counts multiplications for $n$ words of $d$ numbers ($k$ is here the width of a convolution's kernel):
#
# - `"attention"`: $QK^T$ and the product with $V$;
# - `"restricted"`: the same, but each word has only $r \le n$ keys and values;
# - `"recurrent"`: $W_x x_t + W_h h_{t-1}$, matrices $[d, d]$;
# - `"convolutional"`: $k$ matrices $[d, d]$ for each word.
#
# `exponent(sizes, values)`: the $p$ of values $\sim \text{size}^p$, by least squares on logarithms.
# `crossover(d)`: at which $n$ do attention and recurrence cost the same?

# %% [markdown] hints="operations"
# 1. A product of $[a, b]$ and $[b, c]$ takes $abc$ multiplications.
# 2. $v = c\, n^p$ is a straight line after taking logarithms of both sides. What is its slope?
# 3. Set the two formulas equal and solve for $n$; it is simpler than it looks.


# %% task="operations" points=3 level=1 minutes=10
def operations(kind, n, d, k, r):
    """Multiplications of a layer; kind: "attention", "restricted", "recurrent" or "convolutional"."""
    ### BEGIN SOLUTION
    work = {"attention": 2 * n * n * d, "restricted": 2 * n * r * d}
    work |= {"recurrent": 2 * n * d * d, "convolutional": n * k * d * d}
    return work[kind]
    ### END SOLUTION


def exponent(sizes, values):
    """The slope of log(values) over log(sizes)."""
    ### BEGIN SOLUTION
    return np.polyfit(np.log(sizes), np.log(values), 1)[0]
    ### END SOLUTION


def crossover(d):
    """The n at which attention and recurrence take equally many multiplications."""
    ### BEGIN SOLUTION
    return d
    ### END SOLUTION


# %% test="operations" aspect="multiplications are counted" points=1
_kinds = ("attention", "restricted", "recurrent", "convolutional")
_got = [operations(_kind, 10, 4, 3, 5) for _kind in _kinds]
assert all(map(is_number, _got)), f"operations returns a number; yours: {_got!r}."
assert _got[0] == 800, (
    f"Attention, n = 10, d = 4: QKᵀ has 10 · 4 · 10, twice that in all; yours: {_got[0]}."
)
### BEGIN HIDDEN TESTS
_r, _k, _d, _n = sorted(random.sample(range(3, 40), 4))
_d, _k = random.sample([_d, _k], 2)
_wanted = (2 * _n * _n * _d, 2 * _n * _r * _d, 2 * _n * _d * _d, _n * _k * _d * _d)
for _kind, _number in zip(_kinds, _wanted, strict=True):
    _got = operations(_kind, _n, _d, _k, _r)
    assert close(_got, _number, 0, 0), (
        f"{_kind}: n, d, k, r = {_n, _d, _k, _r} take {_number}; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="operations" aspect="a slope of logarithms" points=1
_got = exponent([1, 2, 4, 8], [3, 12, 48, 192])
assert is_number(_got), f"A number is wanted, not {_got!r}."
assert close(_got, 2, 1e-5), (
    f"3, 12, 48, 192 for 1, 2, 4, 8 grow like the square: 2; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _falls in (1, -1):
    _x = np.cumsum(np.random.default_rng().uniform(1, 3, 6))[
        np.random.default_rng().permutation(6)
    ]
    _y = _x**_falls * np.random.default_rng().uniform(1, 9, 6)
    _a, _b = np.log(_x) - np.log(_x).mean(), np.log(_y) - np.log(_y).mean()
    _got = exponent(_x.copy(), _y.copy())
    assert close(_got, (_a * _b).sum() / (_a * _a).sum(), 1e-4, 1e-6), (
        "For points off the line, the slope is not that of least squares on logarithms."
    )
_after = arguments_after(exponent, _x.copy(), _y.copy())
assert all(map(close, _after, (_x, _y))), (
    "exponent changes the sizes or values it is given."
)
### END HIDDEN TESTS

# %% test="operations" aspect="where they cost the same" points=1
_got = crossover(512)
assert is_number(_got), f"crossover returns a number; yours: {_got!r}."
assert _got > 0, f"A number of words is wanted; yours: {_got}."
### BEGIN HIDDEN TESTS
for _d in (random.randint(2, 99), 300, 4096):
    _got = crossover(_d)
    assert close(_got, _d, 1e-5), f"d = {_d}: 2n²d = 2nd² at another n than {_got}."
### END HIDDEN TESTS


# %%
def restricted(X, r=32):
    """Each word attends to the r words that end with it."""
    near = F.pad(X, (0, 0, r - 1, 0)).unfold(0, r, 1)  # [n, d, r]
    return ((X[:, None] @ near / math.sqrt(X.shape[1])).softmax(-1) @ near.mT)[:, 0]


def attention(X):
    return (X @ X.T / math.sqrt(X.shape[1])).softmax(1) @ X


# %%
rnn, conv = nn.RNN(64, 64), nn.Conv1d(64, 64, 3, padding=1)
rows = {"attention": attention, "recurrent": rnn}
rows |= {"convolutional": lambda X: conv(X.T), "restricted": restricted}
sizes = (256, 512, 1024, 2048)
texts = [torch.randn(n, 64) for n in sizes]

# %%
times, memory = {}, {}
for name, row in rows.items():
    with torch.no_grad():
        times[name] = [[milliseconds(row, x) for _ in range(3)] for x in texts]
    memory[name] = [kept_for_backward(row, x) for x in texts]

# %%
# NBVAL_IGNORE_OUTPUT
# (times differ from run to run)
least, ranges = {}, {}
for name, its in times.items():
    least[name] = [min(tries) for tries in its]
    ranges[name] = [f"{min(tries):.2f} to {max(tries):.2f}" for tries in its]

for label, costs, shown in (
    ("processor time (ms)", least, ranges),
    ("kept for backward (MiB)", memory, memory),
):
    table = pd.DataFrame(shown, index=[f"n = {n:,}" for n in sizes]).T
    table["grows like"] = [f"n^{exponent(sizes, its):.1f}" for its in costs.values()]
    print(label, table.to_string(float_format="{:.2f}".format), sep="\n", end="\n\n")

# %% [markdown]
# Times: least and most of three; exponents are fitted to the least. Attention's time and memory grow
# about with the square of the text, all others' at most about in proportion. By counting, attention and recurrence cost the
# same at $n = d = 64$; by the clock only between 1,024 and 2,048. One reason: attention multiplies in few large products,
# the RNN in many small ones, one after the other.

# %%
for d in (64, 512):
    counts = {kind: operations(kind, 1024, d, 3, 32) / 1e6 for kind in rows}
    print(f"n = 1,024, d = {d}:", *(f"{kind} {counts[kind]:,.0f} M;" for kind in rows))
print("d = 512: attention and recurrence cost the same at n =", crossover(512), "words")

# %% [markdown]
# ## What you have now
#
# You began with one dot product, and you have built multi-head attention, with masks that hide the future and
# positions that tell the words apart. Every word can now look at every other word in a single step, and no state in
# between can lose anything on the way. You have also opened a trained Transformer and found the one head on which
# most of its copying depends.
#
# The price is the square: twice as many words cost about four times as much. And our own small model has not beaten
# the counts yet. What is missing is depth that can be trained, which comes in chapter 07, and a longer training,
# which comes in chapter 08. There, attention writes.
