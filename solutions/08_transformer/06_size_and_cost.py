# %% [markdown] statement="count"
# ## 7. Predict, then measure: size and cost
#
# Before you start a long training, know what it will cost. Its size you can count (chapter 7: a layer weighs about $12 C^2$); tied weights count once, so `total`, below, is the size of this model, too: 124,439,808 for GPT-2. Its work: take $N$ layers, as built. A product of $[n, a]$ and $[a, b]$ has $nb$ results of $a$ multiplications and $a$ additions: $2nab$ operations; count only products.
#
# - `flops(V, T, C, N)`: `(rest, square)` for *one* text of $T$ tokens, forward: `square` holds what grows with $T^2$;
# - `guess_square`: before you count, guess the share of `square` in all operations of GPT-2 (50257, 1024, 768, 12); then `measured_square`, by your function.

# %% include="07_encoder:weights"

# %% [markdown] hints="count"
# 1. A linear layer from $a$ to $b$ costs $2Tab$ for $T$ tokens. Which six are there, and how wide?
# 2. Tied weights are counted once as weights, but *used* twice: once to look up, which is free, and once in a product.
# 3. Two products in a layer have no weights: queries with keys, weights with values. In each head $[T, D]$ meets $[D, T]$; all
#    heads together have $H \cdot D = C$.


# %% task="count" points=3 level=3 minutes=18
def flops(V, T, C, N):
    """(operations in products with weights, in products of the T x T tables), one text forward."""
    ### BEGIN SOLUTION
    return 2 * T * (12 * N * C * C + V * C), 4 * N * T * T * C
    ### END SOLUTION


# guess_square = a share between 0 and 1, written down before you count
# measured_square = the share of the second number in the sum of both, for GPT-2
### BEGIN SOLUTION
guess_square = 0.5
rest, square = flops(50257, 1024, 768, 12)
measured_square = square / (rest + square)
### END SOLUTION

# %% test="count" aspect="products with weights" points=1
_got = flops(50257, 1024, 768, 12)
assert np.shape(_got) == (2,), f"flops returns two numbers; yours: {_got!r}."
assert _got[0] + _got[1] == 291_648_307_200, (
    f"For GPT-2's sizes 291,648,307,200 operations are known; yours in all: {_got[0] + _got[1]:,}."
)
### BEGIN HIDDEN TESTS
for _V, _T, _C, _N in (
    (11, 7, 4, 3),
    (5, 9, 6, 1),
    (random.randint(30, 90), 3, 8, 5),
    (7, 1, 3, 2),
):
    _sizes = [(_C, 3 * _C), (_C, _C), (_C, 4 * _C), (4 * _C, _C)] * _N + [(_C, _V)]
    _wanted, _got = sum(2 * _T * a * b for a, b in _sizes), flops(_V, _T, _C, _N)
    assert np.shape(_got) == (2,), f"flops returns two numbers; yours: {_got!r}."
    assert close(_got[0], _wanted), (
        f"V, T, C, N = {_V, _T, _C, _N}: {_wanted} wanted in products with weights; yours {_got[0]}."
    )
### END HIDDEN TESTS

# %% test="count" aspect="what grows with the square" points=1
_one, _two = flops(10, 8, 4, 3), flops(10, 16, 4, 3)
assert np.shape(_one) == np.shape(_two) == (2,), (
    f"flops returns two numbers; yours: {_one!r}."
)
assert _two[0] == 2 * _one[0] and _two[1] == 4 * _one[1], (
    f"Twice the length: the first number should double, the second be four times as large; yours: {_one}, {_two}."
)
### BEGIN HIDDEN TESTS
for _T, _C, _N in ((6, 4, 2), (3, 10, 1), (9, 4, 5), (1, 3, 2)):
    _got = flops(10, _T, _C, _N)
    assert np.shape(_got) == (2,), f"flops returns two numbers; yours: {_got!r}."
    assert close(_got[1], _N * 2 * (2 * _T * _C * _T)), (
        f"T, C, N = {_T, _C, _N}: two products of T x C x T per layer; not {_got[1]}."
    )
### END HIDDEN TESTS

# %% test="count" aspect="guess and measurement" points=1
for _name, _value in (
    ("guess_square", guess_square),
    ("measured_square", measured_square),
):
    assert is_number(_value), f"{_name} should be a number; yours: {_value!r}."
    assert 0 <= _value <= 1, f"{_name} is a share between 0 and 1; yours: {_value}."
### BEGIN HIDDEN TESTS
assert abs(measured_square - 0.132539) < 5e-5, (
    f"The T x T products are not a share of {measured_square:.4f} of all operations of GPT-2."
)
### END HIDDEN TESTS

# %%
model, tokens = gpt(), torch.zeros(1, 16, dtype=torch.long)
counter = FlopCounterMode(display=False)
with counter, torch.no_grad():
    model(tokens)
print(
    "parameters:",
    total(V, 16, 64, 2),
    "=",
    sum(weight.numel() for weight in model.parameters()),
)
print("operations:", sum(flops(V, 16, 64, 2)), "=", counter.get_total_flops())

# %% folded="draws the shares of the operations" alt="Stacked shares over the length of the text: the weights of the layers take most at first; the T × T tables grow and take more than 80 percent at 65,000 tokens."
T = 2 ** np.arange(6, 17)
parts = np.array([[*flops(0, t, 768, 12), 2 * t * 768 * 50257] for t in T.tolist()]).T
parts = parts[[1, 0, 2]]  # the square first
names = ["T × T tables", "weights of the layers", "output"]
_, axes = plt.subplots()
axes.stackplot(T, 100 * parts / parts.sum(0), labels=names)
axes.axvline(6 * 768, color="black", linestyle=":")
axes.set(
    xscale="log",
    xlabel="T, tokens in a text (log); dotted: T = 6C",
    ylabel="operations (%)",
    xlim=(64, 65536),
)
axes.legend(loc="center left", facecolor="white", framealpha=1, frameon=True)
plt.show()

# %% [markdown]
# Your counts are torch's to the last digit. The picture is GPT-2 at other lengths: lecture 003's dreaded $O(n^2)$ overtakes the layers' weights only from $T = 6C$ on. (Training costs three times a forward pass: backward makes two products for each one.)
#
# Operations are not seconds. Here are your model's, forward, against the count:

# %%
model, lengths, seconds = gpt(block=2048), (64, 128, 256, 512, 1024, 2048), []
for t in lengths:
    tokens, times = ids[None, :t], []
    for _ in range(5):
        begin = time.process_time()
        with torch.no_grad():
            model(tokens)
        times.append(time.process_time() - begin)
    seconds.append(times[1:])  # the first one touches new memory

# %% alt="CPU time by length on logarithmic axes: it follows the dashed line of the operations up to 512 tokens and rises faster beyond."
seconds = np.array(seconds)
count = np.array([sum(flops(V, t, 64, 2)) for t in lengths])
as_counted = count * seconds.min(1)[2] / count[2]
_, axes = plt.subplots()
dots(axes, lengths, 1000 * seconds, plots.COLOURS[0], "measured, 4 times", np.min)
axes.plot(lengths, 1000 * as_counted, "--", color="gray", label="as operations grow")
axes.set(yscale="log", ylabel="CPU time (ms, log)")
log_ticks(axes, lengths, xlabel="T, tokens in a text (log)")
axes.legend()
plt.show()

# %% [markdown]
# Dots are four measurements each; the dashed line is the count, laid through $T = 256$. Where the two part, something else costs time: for short texts the fixed price of each call, for long ones (probably) tables of $H \cdot T \cdot T$ numbers that no longer fit the processor's cache.
