# %% [markdown] statement="softmax_smoothing"
# ## 14. Softmax smooths, at a price
#
# Chapter 02 worked hard so that no word has probability 0. Here it comes for free: $\exp$ is never 0, on paper. In
# float64 $e^{-800}$ *is* 0 and $e^{800}$ is infinite, so a program must take care. Write
#
# - `log_probability(y, w)`: $\ln \text{softmax}(y)_w$, right for scores of any size;
# - `never_met(train_grams, test_grams)`: the share of the tuples in the second list that plain counting calls
#   impossible;
# - `multiplications(V, n, m, h)`: how many the Bengio model needs for *one* probability (no exp, no divisions).

# %% [markdown] hints="softmax_smoothing"
# 1. Add 5 to all scores: what happens to the probabilities?
# 2. So you may shift the scores until the largest exponent is 0: nothing overflows, and the sum is at least 1. Stay
#    with logarithms to the end.
# 3. Take the logarithm of $e^{y_w - r} / \sum_v e^{y_v - r}$ before you compute anything; which $r$? For the price:
#    each entry of each of three matrices is used once, and a softmax needs *all* scores, even for one word.


# %% task="softmax_smoothing" points=3 level=2 minutes=17
def log_probability(y, w):
    """ln softmax(y)_w for an array of scores y, shape (V,), as exact as float32 holds them or better."""
    ### BEGIN SOLUTION
    largest = np.max(y)
    return y[w] - largest - np.log(np.sum(np.exp(y - largest)))
    ### END SOLUTION


def never_met(train_grams, test_grams):
    """The share of test_grams (list of tuples of any length, repeats count) that do not occur in train_grams."""
    ### BEGIN SOLUTION
    known = set(train_grams)
    return sum(gram not in known for gram in test_grams) / len(test_grams)
    ### END SOLUTION


def multiplications(V, n, m, h):
    """Multiplications for one probability of the Bengio model; looking up vectors costs none."""
    ### BEGIN SOLUTION
    return V * n * m + h * n * m + V * h
    ### END SOLUTION


# %% test="softmax_smoothing" aspect="right for scores of any size" points=1
_got = log_probability(np.array([1.0, 2.0, 4.0]), 1)
assert is_number(_got), f"log_probability returns a number; yours: {_got!r}."
assert close(_got, 2 - math.log(math.e + math.e**2 + math.e**4), 1e-5), (
    f"Scores 1, 2, 4, word 1; yours: {_got}."
)
assert close(log_probability(np.array([0.0, 5000.0]), 0), -5000, 1e-6), (
    "Scores 0 and 5000: word 0 has ln P = -5000."
)
### BEGIN HIDDEN TESTS
_y = made(
    lambda rng, V, scale, shift: np.array([rng.gauss(shift, scale) for _ in range(V)]),
    *(whole(2, 9, (1, 300)), choice(1, 30, 3000), choice(0, -3000, 3000)),
    edges=[
        np.array([800.0, 799.0, 801.0]),
        np.array([-800.0, 900.0]),
        np.array([-40.0, 2.0, 2.0, 1.9, -40.0]),  # two are the largest
    ],
)
_w = made(
    lambda rng, y: rng.randrange(len(y)), _y, edges=[0, lambda rng, y: len(y) - 1]
)
agrees(
    log_probability,
    ours.log_probability,
    *(_y, _w),
    compare=lambda got, wanted, y, w: difference(
        got,
        wanted,
        1e-5,
        1e-6 * (1 + np.abs(y).max()),  # as exact as float32 is
    ),
    mixtures=1,
)
_y = np.array([-40.0, 2.0, 2.0, 1.9])  # far below the others
agrees(log_probability, ours.log_probability, _y, 0, mixtures=0, rtol=1e-5)
### END HIDDEN TESTS

# %% test="softmax_smoothing" aspect="impossible for counts" points=1
_got = never_met(
    [("a", "b"), ("b", "c")], [("a", "b"), ("c", "b"), ("c", "b"), ("a", "c")]
)
assert is_number(_got), f"never_met returns a share, a number; yours: {_got!r}."
assert close(_got, 0.75, 1e-6), (
    f"Three of these four were never met, (c, b) counts twice; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_some, _length = choice("ab", "abcdefghijklmnopqrst"), whole(1, 4)
_train, _test = (
    made(
        lambda rng, n, some, length: [
            tuple(rng.choices(some, k=length)) for _ in range(n)
        ],
        *(size(name, least=least, large=300), _some, _length),
    )
    for name, least in (("met", 0), ("asked", 1))
)
_test = made(  # the last one that was met, and twice one that never was
    lambda rng, train, test, n: [*test, *train[-1:], *[("x",) * n] * 2],
    *(_train, _test, _length),
)
agrees(never_met, ours.never_met, _train, _test, rtol=1e-5, atol=1e-6, mixtures=1)
_train = [("ab", "c"), ("a b", "c"), ("d", "e"), ("d", "e", "f")]
_test = [("a", "bc"), ("a", "b c"), ("d", "e", "g"), ("e", "d"), ("d", "e"), ("d",)]
agrees(never_met, ours.never_met, _train, _test, mixtures=0, rtol=1e-5)
### END HIDDEN TESTS

# %% test="softmax_smoothing" aspect="the price of one probability" points=1
_got = multiplications(10, 1, 2, 3)
assert is_number(_got), f"multiplications returns a number; yours: {_got!r}."
assert _got == 56, f"V=10, n=1, m=2, h=3: W has 20 entries, H 6, U 30; yours: {_got}."
### BEGIN HIDDEN TESTS
_sizes = (whole(1, 40, (200,)) for _ in "Vnmh")
agrees(multiplications, ours.multiplications, *_sizes, mixtures=1)
### END HIDDEN TESTS

# %%
costs = {}
for n in (1, 2, 4):
    met, asked = (
        [tuple(gram) for gram in torch.column_stack(all_examples(texts, n)).tolist()]
        for texts in (stories, held_out)
    )
    costs[n] = {"impossible for counts, %": round(100 * never_met(met, asked))}
    costs[n]["multiplications of the net"] = (
        f"{multiplications(len(lexicon), n, 32, 64):,}"
    )
pd.DataFrame.from_dict(costs, orient="index").rename_axis("words back")

# %%
with torch.no_grad():
    rows, _ = all_examples(held_out[:10], 2)
    scores = bengio[2, 1](rows).numpy()
smallest = min(log_probability(y, y.argmin()) for y in scores) / math.log(10)
print(f"the network's least probable word: about 10 to the {round(smallest, -1):.0f}")

# %%
asked = [tuple(row) for row in all_examples(held_out[:40], 2)[0].tolist()]
queries = [[lexicon[i] for i in row] for row in asked[:300]]
rows = torch.tensor(asked)


def microseconds(work, queries):
    """Computing time of one query, the fastest of ten runs."""
    found = []
    for _ in range(10):
        begin = time.process_time()
        work()
        found.append(1e6 * (time.process_time() - begin) / queries)
    return min(found)


# %%
# NBVAL_IGNORE_OUTPUT
# (computing times differ from machine to machine)
def by_counter():
    return [counters[2].prob("the", context) for context in queries]


print(f"counter, one query: {microseconds(by_counter, 300):.0f} microseconds")
for V in (len(lexicon), 100_000):
    net = BengioLM(V, 2, 32, 64)  # untrained: it computes just as long
    for size in (1, 100):
        with torch.no_grad():
            time_each = microseconds(
                lambda net=net, size=size: F.softmax(net(rows[:size]), 1)[:, 7], size
            )
        print(f"network, {V:7,} words, {size:3} at once: {time_each:5.0f} for each")

# %% [markdown]
# In the stored notebook, plain counting calls a third of all held-out trigrams impossible (with a laptop's larger training text it is a fifth). The network
# gives each of them a probability. The price is that it must compute the scores of *all* words at each query. In the stored notebook, one query takes five to
# six times as long as one to the counter. With 1,100 words, most of this is the cost of calling torch: of a hundred contexts at once, each takes only 4
# microseconds. That is about as fast as the counter, which was asked one by one.
#
# With 100,000 words, calling torch no longer matters. Even in a batch, each context takes about a thousand microseconds, while the counter looks up a few
# numbers, however many words there are. (All are computing times on a CPU, the fastest of ten runs.)
