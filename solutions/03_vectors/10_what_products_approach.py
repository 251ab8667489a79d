# %% [markdown]
# ## 11. What do the products approach?
#
# O. Levy and Y. Goldberg (2014) asked what negative sampling would learn if vectors had so many numbers, as many as there are words, that every product
# $x_{ij} = a_i \cdot b_j$ could be chosen by itself. Read the whole text once. The pair $(i, j)$ comes $N_{ij}$ times as a true one. Word $i$ comes in $N_i$
# pairs, the sum of its row of $N$, with $k$ negatives each, so $j$ is its negative about $k N_i q_j$ times. All terms with $x_{ij}$ together are
#
# $$-N_{ij} \ln\sigma(x_{ij}) \;-\; k N_i q_j \ln\sigma(-x_{ij}).$$
#
# No other term contains it, so each score has its own minimum. Where is it?

# %% [markdown] statement="best_scores"
# ### The best scores
#
# Set the derivative to zero and write
#
# - `cost(x, N, q, k)`: the sum of these terms over all $i$ and $j$, for arrays $x$ and $N$, $(V, V)$, and $q$, $(V,)$;
# - `best_scores(N, q, k)`: the scores $(V, V)$ that make the cost smallest.

# %% [markdown] hints="best_scores"
# 1. Of what share of its appearances is the pair $(i, j)$ a true one? What would you answer, if you had to name one
#    probability for all of them?
# 2. The derivative of $-\ln\sigma(x)$ is $\sigma(x) - 1$, that of $-\ln\sigma(-x)$ is $\sigma(x)$. Solve for
#    $\sigma(x)$, then for $x$.
# 3. If $\sigma(x)$ is the share of true ones, $e^{x}$ is true over made up. For the cost,
#    $-\ln\sigma(x) = \ln(1 + e^{-x})$, which NumPy computes
#    safely as `np.logaddexp(0, -x)`; only $0 \cdot \infty$ is left to take care of.


# %% task="best_scores" points=4 level=3 minutes=20
def cost(x, N, q, k):
    """The expected loss of scores x (V, V), for counts N (V, V), noise q (V,) and k negatives.

    Scores of several hundred do not overflow; a score of -inf where N is 0 costs nothing.
    """
    ### BEGIN SOLUTION
    true = np.logaddexp(0, -np.where(N > 0, x, 0)) * N
    made_up = np.logaddexp(0, x) * (k * N.sum(1, keepdims=True) * q)
    return true.sum() + made_up.sum()
    ### END SOLUTION


def best_scores(N, q, k):
    """The scores (V, V) of smallest cost; -inf where N is 0, as in the row of a word never seen. All q are above 0."""
    ### BEGIN SOLUTION
    found = np.full(np.shape(N), -np.inf)
    seen = N > 0
    made_up = k * N.sum(1, keepdims=True) * q
    found[seen] = np.log(N[seen] / made_up[seen])
    return found
    ### END SOLUTION


# %% test="best_scores" aspect="true and made up" points=1
_got = cost(
    np.zeros((2, 2)), np.array([[3.0, 1.0], [0.0, 2.0]]), np.array([0.5, 0.5]), 2
)
assert is_number(_got), f"cost returns a number; yours: {_got!r}."
assert close(_got, 18 * math.log(2), 1e-5), (
    f"6 true pairs and 12 negatives, all scores 0: 18 ln 2; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_V = size("V", large=20)
_q = made(lambda rng, q: np.array(q), shares(_V))
_x, _N = array(_V, _V, scale=2), array(_V, _V, below=9)
agrees(cost, ours.cost, _x, _N, _q, whole(1, 15), rtol=1e-5, atol=1e-6)
### END HIDDEN TESTS

# %% test="best_scores" aspect="scores far out" points=1
_N, _q = np.array([[0.0, 2.0], [1.0, 1.0]]), np.array([0.5, 0.5])
_got = cost(np.array([[-np.inf, 0.0], [0.0, 0.0]]), _N.copy(), _q.copy(), 1)
assert is_number(_got), f"A score of -inf where N is 0 costs 0; you return {_got!r}."
assert close(_got, 7 * math.log(2), 1e-5), (
    f"The score -inf costs 0, all else 4 ln 2 and 3 ln 2; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_V = size("V", large=20)
_q = made(lambda rng, q: np.array(q), shares(_V))
_N = array(_V, _V, below=3)
_x = made(
    lambda rng, N: np.array(
        [
            [rng.choice([-900.0, 0.5, 800.0] if n else [-np.inf, 800.0]) for n in row]
            for row in N
        ]
    ),
    _N,
)
agrees(cost, ours.cost, _x, _N, _q, whole(1, 15), rtol=1e-6, atol=1e-9)
_never = np.array([[-np.inf, 0.5], [0.0, 0.5]])  # a pair that met: endless cost
_N, _q = np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([0.5, 0.5])
agrees(cost, ours.cost, _never, _N, _q, 1)
### END HIDDEN TESTS

# %% test="best_scores" aspect="where the cost is smallest" points=1
_N, _q = np.array([[6.0, 2.0], [1.0, 3.0]]), np.array([0.25, 0.75])
_got = best_scores(_N.copy(), _q.copy(), 1)
assert np.shape(_got) == (2, 2), f"Shape (2, 2) wanted; yours: {_got!r}."
assert close(_got, np.log([[3, 1 / 3], [1, 1]]), 1e-5, 1e-6), (
    f"Pair (0, 0): 6 times true, 8 times a quarter made up; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_V = size("V", large=20)
_N = made(
    lambda rng, V: np.array([rng.choices(range(1, 40), k=V) for _ in range(V)]) * 1.0,
    _V,
)
_q = made(
    lambda rng, V: np.arange(1, V + 1) * 2 / (V * (V + 1)),
    _V,
    edges=[lambda rng, V: np.full(V, 1 / V)],
)
_far = made(  # some pairs meet a hundred million times as often as others
    lambda rng, N: N * np.array(rng.choices([1, 10**8], k=N.size)).reshape(N.shape), _N
)
for _counts in (_N, _far):
    agrees(
        best_scores,
        ours.best_scores,
        *(_counts, _q, whole(1, 15)),
        rtol=1e-5,
        atol=1e-6,
    )
### END HIDDEN TESTS

# %% test="best_scores" aspect="pairs that never met" points=1
_got = best_scores(np.array([[4.0, 0.0], [2.0, 2.0]]), np.array([0.5, 0.5]), 2)
assert np.shape(_got) == (2, 2), f"Shape (2, 2) wanted; yours: {_got!r}."
assert _got[0][1] == -math.inf, f"Never true, only made up: -inf; yours: {_got!r}."
### BEGIN HIDDEN TESTS
_V = size("V", large=20)
_q = made(lambda rng, V: np.arange(1, V + 1) * 2 / (V * (V + 1)), _V)
_N = array(_V, _V, below=3)
agrees(best_scores, ours.best_scores, _N, _q, whole(1, 15), rtol=1e-5, atol=1e-6)
### END HIDDEN TESTS

# %% [markdown]
# If negatives are drawn as often as words are contexts, $q_j = p_j$, the best score is
#
# $$x_{ij} = \ln\frac{N_{ij}}{k N_i p_j} = \ln\frac{p_{ij}}{p_i p_j} - \ln k = \text{PMI}_{ij} - \ln k .$$
#
# That is the table of section 4, moved down by $\ln k$. The network has never seen it. (We draw words as often as they occur, which for most words is nearly
# $p_j$.) *Predict:* will the products of trained vectors lie on it? They have $d = 50$ numbers, and have seen three times as many pairs as the text has.

# %%
power_one = noise(occurrences, 1)
A1, B1, _ = learn(update, seen, V, power_one, steps=steps)
scores = (A1 @ B1.T).double().numpy()
wanted = best_scores(N, power_one, 5)

# %% folded="draws products against PMI" alt="Two clouds around a diagonal. For pairs met one to four times the cloud is wide, with a correlation of 0.56; for those met at least twenty times it is a thin stripe, 0.96."
_, panels = plt.subplots(1, 2, figsize=(7, 2.7), sharey=True)
for axes, low, high in ((panels[0], 1, 4), (panels[1], 20, np.inf)):
    where = (low <= N) & (high >= N)
    axes.plot(
        wanted[where],
        scores[where],
        "," if low == 1 else ".",
        markersize=3,
        color=plots.COLOURS[0],
    )
    axes.axline((0, 0), slope=1, color="gray", linestyle=":")
    axes.set(xlabel="best score", xlim=(-6, 6), ylim=(-6, 6))
    r = np.corrcoef(wanted[where], scores[where])[0, 1]
    rule = f"met {low} to {high} times" if low == 1 else f"met {low} times or more"
    axes.set_title(f"{rule}: r = {r:.2f}", fontsize=10)
panels[0].set_ylabel("product of the vectors")
plt.show()

# %% [markdown]
# Each dot is a pair of words; on the dotted line, its product and its best score agree. Pairs that met often lie close to the line. Pairs that met a few
# times do not: their PMI is mostly chance, and neither a short vector nor a short training follows every accident.
#
# On the right, the cloud bends below the line above a score of about 2. Why? There are two suspects. The training may be unfinished: when a score is high,
# $\sigma$ is near 1 and the gradient is small, so such pairs move slowly. Or 50 numbers are too few. The next cell compares our training with one of three
# times as many steps, and with one of the old length but 200 numbers instead of 50. It prints the mean product of the pairs that met 20 times or more, where
# the best score is between 2 and 3, and where it is above 3.

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
some = {"best between 2 and 3": (wanted > 2) & (wanted < 3), "above 3": wanted > 3}
some = {name: where & (N >= 20) for name, where in some.items()}
met_rarely = (N >= 1) & (N <= 4)
ended = {f"d = 50, {steps:,} steps": scores}
for d, length in ((50, 3 * steps), (200, steps)):
    A2, B2, _ = learn(update, seen, V, power_one, d=d, steps=length)
    ended[f"d = {d}, {length:,} steps"] = (A2 @ B2.T).double().numpy()
ended["best score"] = wanted
print({name: f"{where.sum()} pairs" for name, where in some.items()})
shown = pd.DataFrame(
    {n: [x[w].mean() for x in ended.values()] for n, w in some.items()}
)
shown["r, met 1 to 4 times"] = [
    np.corrcoef(wanted[met_rarely], x[met_rarely])[0, 1] for x in ended.values()
]
shown.set_axis(ended).round(2)

# %% [markdown]
# Both suspects are guilty. Three times the training brought the scores above 3 most of the way when we ran it, and 200 numbers helped as well, though less.
# But mind that the second experiment is not clean. At the same learning rate, products of vectors with more numbers also move faster, so part of what they
# gain may be speed again. The last column is about the pairs on the left of the figure. There, too, both help, but much of the scatter stays. Is what stays a
# fault?

# %%
recorded = pd.read_csv(paths.DATA / "vectors" / "products.csv")
both = recorded[recorded.k == 5].groupby(["least", "against"]).correlation
shown = pd.DataFrame({"lowest": both.min(), "highest": both.max()}).round(2)
shown.unstack("against").swaplevel(axis=1).sort_index(axis=1)

# %% [markdown]
# Here we trained on the shipped text once for each of three seeds, 12,000 steps, $d = 50$, $k = 5$. Then we compared the products with PMI $- \ln k$ twice:
# counted in the text that the vectors have read (*own counts*), and counted in a text a hundred times as long, which begins with theirs and goes on. The row
# named 5 has only the pairs that met at least five times in the shipped text. Over all pairs that met, the products agree *better* with the long text, of
# which they have read a hundredth. (For pairs that met often it is the other way round, by a little.) So much of what short vectors and a short training
# leave out was accident: no loss for one who learns from a sample.
