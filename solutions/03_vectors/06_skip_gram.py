# %% [markdown]
# ## 7. Learning to guess the neighbours
#
# Section 6 needed the whole table of counts at once, and then a decomposition of it. With the vocabulary of a large text, that matrix has a side of a million.
# **Skip-gram** (T. Mikolov and others, 2013) works differently: it goes through the text pair by pair, and moves vectors a little at each (from section 8 on,
# only a few of them). There is no large matrix to factorise, and one machine is enough. That is why people liked it.
#
# Given word $i$, guess one of its neighbours $j$. With the scores $x_v = a_i \cdot b_v$ of all words $v$, the probability of $j$ is
# their **softmax**, and the loss $L$ is minus its logarithm:
#
# $$p(j \mid i) = \frac{e^{x_j}}{\sum_v e^{x_v}}, \qquad L = -\ln p(j \mid i) = \ln\sum_v e^{x_v} - x_j .$$

# %% folded="draws the task of skip-gram" alt="In the text the dog bit the man, the vector of bit points to its neighbours dog and the; the words two places away are grey."
drawings.skip_gram(("the", "dog", "bit", "the", "man"), place=2, c=1)

# %% [markdown] statement="skip_gram"
# ### Pairs, and the loss of one
#
# Write
#
# - `pairs(text, c)`: the list of all pairs `(i, j)` of a text, $j$ up to $c$ places from $i$, in any order, each as
#   often as it occurs;
# - `softmax_pair(A, B, i, j)`: for tensors $A$ and $B$, $(V, d)$: the loss, its gradient with respect to $a_i$,
#   $(d,)$, and with respect to $B$, $(V, d)$. Derive them with the chain rule: first $\partial L / \partial x_v$. No
#   autograd; scores of several hundred must not overflow.

# %% [markdown] hints="skip_gram"
# 1. `the dog bit the man` has 8 pairs for $c = 1$. For the loss: what does adding the same number to all $x_v$ change?
# 2. $\partial L/\partial x_v$ has two parts, one of the logarithm of the sum, one of $-x_j$, which only $v = j$ feels.
#    What is the derivative of $\ln\sum_v e^{x_v}$, in one word that you know?
# 3. Call that derivative $g$, shape $(V,)$. $x = B a_i$: so $a_i$ gets a sum over all rows of $B$, and each row of $B$
#    gets its own $g_v$ times the same vector.


# %% task="skip_gram" points=4 level=3 minutes=26
def pairs(text, c):
    """All pairs (word, neighbour up to c places away) of a list of word numbers."""
    ### BEGIN SOLUTION
    return [
        (i, text[s])
        for t, i in enumerate(text)
        for s in range(max(0, t - c), min(len(text), t + c + 1))
        if s != t
    ]
    ### END SOLUTION


def softmax_pair(A, B, i, j):
    """The loss of the pair (i, j), its gradient for row i of A (d,), its gradient for B (V, d)."""
    ### BEGIN SOLUTION
    x = B @ A[i]
    g = x.softmax(0)
    g[j] -= 1
    return x.logsumexp(0) - x[j], B.T @ g, torch.outer(g, A[i])
    ### END SOLUTION


# %% family="skip_gram"
_V, _d = size("V"), size("d")
_A, _B = (tensor(_V, _d, kind="float64", edges=["huge"]) for _ in "AB")
_i, _j = (made(lambda rng, V: rng.randrange(V), _V) for _ in "ij")

# %% test="skip_gram" aspect="every pair of neighbours" points=1
_got = pairs([0, 1, 2, 0, 3], 1)
assert hasattr(_got, "__len__") and len(_got) == 8, (
    f"the dog bit the man, c = 1: 8 pairs; yours: {_got!r}."
)
assert Counter((int(i), int(j)) for i, j in _got) == Counter(
    [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2), (0, 3), (3, 0)]
), f"Each word with its neighbours on both sides; yours: {_got!r}."


### BEGIN HIDDEN TESTS
def _counted(function, text, c):
    return Counter((int(i), int(j)) for i, j in function(text, c))


_text = made(
    lambda rng, T: rng.choices(range(4), k=T),
    size("T", least=0),
    edges=[lambda rng, T: [1] * T, lambda rng, T: list(range(T))],
)
agrees(pairs, ours.pairs, _text, whole(1, 9), by=_counted)
### END HIDDEN TESTS

# %% test="skip_gram" aspect="minus ln of the softmax" points=1
_got = softmax_pair(torch.zeros(5, 2), torch.ones(5, 2), 1, 3)
assert isinstance(_got, tuple | list) and len(_got) == 3, (
    f"Return loss and two gradients; yours: {_got!r}."
)
assert is_number(_got[0]) and close(_got[0], math.log(5), 1e-5), (
    f"All scores equal, five words: the loss is ln 5; yours: {_got[0]!r}."
)
### BEGIN HIDDEN TESTS
_low = torch.tensor([[30.0]]), torch.tensor([[-30.0], [-31.0]]), 0, 1
for _inputs in ((_A, _B, _i, _j), _low):
    agrees(
        softmax_pair,
        ours.softmax_pair,
        *_inputs,
        by=lambda function, *inputs: function(*inputs)[0],
        rtol=1e-5,
        atol=1e-6,
    )
### END HIDDEN TESTS

# %% test="skip_gram" aspect="the gradient of the word" points=1
_A, _B = torch.tensor([[1.0, 2.0], [0.0, 0.0]]), torch.tensor([[1.0, 0.0], [0.0, 3.0]])
_got = softmax_pair(_A.clone(), _B.clone(), 1, 0)
assert isinstance(_got, tuple | list) and len(_got) == 3, (
    f"Return loss and two gradients; yours: {_got!r}."
)
assert np.shape(_got[1]) == (2,), (
    f"The gradient of one row of A has d = 2 numbers; yours: {_got[1]!r}."
)
assert close(_got[1], [-0.5, 1.5], 1e-5, 1e-6), (
    f"Both words have probability 1/2, word 0 was right: the gradient of a is not {_got[1]!r}."
)
### BEGIN HIDDEN TESTS
agrees(
    softmax_pair,
    ours.softmax_pair,
    *(_A, _B, _i, _j),
    by=lambda function, *inputs: without_autograd(function, *inputs)[1],
    rtol=1e-5,
    atol=1e-6,
)
### END HIDDEN TESTS

# %% test="skip_gram" aspect="the gradient of all contexts" points=1
_got = softmax_pair(torch.tensor([[2.0], [0.0]]), torch.zeros(2, 1), 0, 1)
assert isinstance(_got, tuple | list) and len(_got) == 3, (
    f"Return loss and two gradients; yours: {_got!r}."
)
assert close(_got[2], [[1.0], [-1.0]], 1e-5, 1e-6), (
    f"Both words have probability 1/2, word 1 was right: the gradient of B is not {_got[2]!r}."
)
### BEGIN HIDDEN TESTS
_j = made(lambda rng, V, i: rng.randrange(V), _V, _i, edges=[lambda rng, V, i: i])
agrees(
    softmax_pair,
    ours.softmax_pair,
    *(_A, _B, _i, _j),
    by=lambda function, *inputs: without_autograd(function, *inputs)[2],
    rtol=1e-5,
    atol=1e-6,
)
### END HIDDEN TESTS

# %% [markdown]
# Each gradient is a difference: what the model expected minus what stood there. But look at its size: *every* row of $B$ gets something, at every single
# pair. How does the time grow with $V$? We measure one pair with $d = 50$. For comparison we give the same function only six rows of $B$, one true neighbour
# and five other words, which is all that the next section will touch.


# %%
def fastest(A, B, rows=None):
    """Microseconds of softmax_pair on A and B (V, d), or on these rows of B only: five fastest of twenty runs."""
    found = []
    for _ in range(20):
        begin = time.process_time()
        softmax_pair(A, B if rows is None else B[rows], 1, 2)
        found.append(1e6 * (time.process_time() - begin))
    return sorted(found)[:5]


# %%
sizes = [1_000, 3_000, 10_000, 30_000, 100_000]
times = {"softmax: all rows": [], "six rows": []}
for size in sizes:
    big_A, big_B = torch.randn(size, 50), torch.randn(size, 50)
    times["softmax: all rows"].append(fastest(big_A, big_B))
    times["six rows"].append(fastest(big_A, big_B, torch.randint(size, (6,))))

# %% folded="draws the times" alt="Computing time on logarithmic axes: over all rows it rises with the number of words, from 30 to 2,500 microseconds; over six rows it stays at about 20."
_, axes = plt.subplots(figsize=(7, 2.4))
for (name, found), colour in zip(times.items(), plots.COLOURS, strict=False):
    axes.loglog(sizes, np.min(found, 1), color=colour, label=name)
    axes.loglog(sizes, found, ".", color=colour, markersize=4)
axes.set(xlabel="number of words V", ylabel="computing time (microseconds)")
axes.legend()
plt.show()

# %% [markdown]
# Dots: the five fastest of twenty runs. The softmax touches all $Vd$ numbers, so for large vocabularies its time grows at least as fast as $V$: from 10,000
# to 100,000 words it grew more than tenfold when we ran it, because large tables also no longer fit into the fast memory of the processor. (For small $V$ it
# grows more slowly, because starting an operation costs the same, however small it is.) The time of six rows, looking them up included, does not depend on
# $V$. (Silvestri's lecture prints $O(|V|^2)$; chapter 04 takes that up.) With a vocabulary of a million words and billions of pairs, the sum over all words
# must go.
