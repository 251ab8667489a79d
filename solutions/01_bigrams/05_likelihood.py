# %% [markdown]
# ## 6. Why divide? Likelihood
#
# Many models could be fitted to a text. Ask each how probable it makes the text that we have. This
# probability, as a function of the model $q$, is the **likelihood** $L(q)$. The text has one factor for each bigram,
# and equal ones come together:
#
# $$L(q) = \prod_{w_1, w_2} q(w_2 \mid w_1)^{\,c(w_1 w_2)},$$
# $$\ln L(q) = \sum_{w_1, w_2} c(w_1 w_2) \ln q(w_2 \mid w_1).$$
#
# Both peak at the same place, the **maximum likelihood estimate** (MLE). Each context $w_1$ has probabilities of its
# own, and only they must sum to 1. So we may maximise row by row.

# %% [markdown]
# In one row, take counts $c(w)$ with the sum $N$, their shares $p(w) = c(w) / N$, and any other probabilities $q(w)$.
# Sums run over the words with $c(w) > 0$. If $q$ gives one of these the probability 0, the text is impossible, and $q$ is
# certainly no better. Otherwise we use that $\ln x \le x - 1$, with equality only at $x = 1$: the straight line $x - 1$
# touches the curve $\ln x$ there, and lies above it everywhere else. So
#
# $$\sum_w c(w) \ln q(w) - \sum_w c(w) \ln p(w) = N \sum_w p(w) \ln \frac{q(w)}{p(w)}$$
# $$\le N \sum_w p(w) \Big(\frac{q(w)}{p(w)} - 1\Big) = N \Big(\sum_w q(w) - 1\Big) \le 0.$$
#
# No $q$ is better than the shares, and none as good unless $q(w) = p(w)$ everywhere. So counting and dividing *is*
# maximum likelihood.

# %% [markdown]
# <details><summary>The same with a Lagrange multiplier</summary>
#
# Maximise $\sum_w c(w) \ln q(w)$ under the constraint $\sum_w q(w) = 1$. With a multiplier $\lambda$, the derivative
# of $\sum_w c(w) \ln q(w) - \lambda \big(\sum_w q(w) - 1\big)$ by each $q(w)$ must be 0:
#
# $$\frac{c(w)}{q(w)} - \lambda = 0, \qquad\text{so}\qquad q(w) = \frac{c(w)}{\lambda}.$$
#
# The constraint makes $\lambda = \sum_w c(w) = N$. The logarithm is concave, so this is the maximum.
#
# </details>

# %% [markdown] statement="likelihood"
# Now disturb the counts of one row, a dict `counts`, and watch.
#
# - `log_likelihood(counts, q)`: $\sum_w c(w) \ln q(w)$ for a dict `q` of probabilities. A word with count 0 adds
#   nothing, whatever `q` says; a counted word to which `q` gives 0, or which it lacks, makes the result `-math.inf`.
# - `after_perturbing(counts, word, extra)`: add `extra` to the count of `word`, turn the changed counts into
#   probabilities, and return the log-likelihood of the *original* counts under these. `extra` may be a fraction or
#   negative (no changed count is below 0, and their sum is positive), and `word` may be new.

# %% [markdown] hints="likelihood"
# 1. For the counts a: 3, b: 1, what are the shares, and what is the logarithm of their product, one factor for each
#    token?
# 2. Two sets of counts are at work in the second function. One makes the probabilities; which of them is the text?
# 3. Logarithms of 0 appear in two cases that must end differently: a word that the text does not hold has no factor at
#    all, a word that it holds and the model forbids makes the whole product 0.


# %% task="likelihood" points=4 level=2 minutes=17
def log_likelihood(counts, q):
    """The sum of c(w) ln q(w) for counts {word: number} and probabilities {word: number}."""
    ### BEGIN SOLUTION
    total = 0.0
    for word, count in counts.items():
        if count > 0:
            if q.get(word, 0) == 0:
                return -math.inf
            total += count * math.log(q[word])
    return total
    ### END SOLUTION


def after_perturbing(counts, word, extra):
    """ln L of `counts` under the shares of the counts with `extra` more of `word`."""
    ### BEGIN SOLUTION
    changed = dict(counts)
    changed[word] = changed.get(word, 0) + extra
    total = sum(changed.values())
    return log_likelihood(counts, {w: count / total for w, count in changed.items()})
    ### END SOLUTION


# %% test="likelihood" aspect="counts times logarithms" points=1
_got = log_likelihood({"a": 3, "b": 1}, {"a": 0.5, "b": 0.25, "c": 0.25})
assert is_number(_got), f"Return a number; yours: {_got!r}."
assert close(_got, 3 * math.log(0.5) + math.log(0.25)), (
    f"Three times ln .5 and once ln .25 is {3 * math.log(0.5) + math.log(0.25):.4f}; "
    f"yours: {_got:.4f}."
)
### BEGIN HIDDEN TESTS
_names = "abcdefghijklmnopqrstuvwxyz"
_q = made(
    lambda rng, p: {word: (p + 0.1) / 3 for word, p in zip(_names, p, strict=False)},
    shares(size("words", large=26)),
)
_counts = made(
    lambda rng, q: {word: rng.choice([1, 7, 0.5, 2000]) for word in reversed(q)}, _q
)
agrees(log_likelihood, ours.log_likelihood, _counts, _q, rtol=1e-5)
### END HIDDEN TESTS

# %% test="likelihood" aspect="two kinds of zero" points=1
_got = log_likelihood({"a": 2, "b": 0}, {"a": 1.0, "b": 0.0})
assert is_number(_got), f"Return a number; yours: {_got!r}."
assert close(_got, 0), f"b does not occur: ln L is 2 ln 1 = 0; yours: {_got!r}."
_got = log_likelihood({"a": 2, "b": 1}, {"a": 1.0, "b": 0.0})
assert is_number(_got) and _got == -math.inf, (
    f"b occurs and has probability 0, so L = 0 and ln L = -inf; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _counts, _q, _wanted in (
    ({"a": 1, "b": 2}, {"a": 1.0}, -math.inf),
    ({"b": 1}, {}, -math.inf),
    ({"a": 0, "b": 3}, {"b": 0.5, "c": 0.5}, 3 * math.log(0.5)),
    ({"a": 0, "b": 1}, {"a": 0.5, "b": 0.5}, math.log(0.5)),
    ({"c": 0, "a": 4, "b": 2}, {"a": 0.9, "c": 0.1}, -math.inf),
    ({}, {"a": 1.0}, 0),
    ({"a": 1}, {"a": 1e-300}, math.log(1e-300)),
):
    for _kind in (dict, Counter):
        _got = log_likelihood(_kind(_counts), defaultdict(float, _q))
        assert is_number(_got) and (_got == _wanted or close(_got, _wanted)), (
            f"ln L of {_counts} under {_q} is {_wanted:.4g}; yours: {_got!r}."
        )
### END HIDDEN TESTS

# %% test="likelihood" aspect="changed model, original text" points=1
_got = after_perturbing({"a": 3, "b": 1}, "b", 4)
assert is_number(_got), f"Return a number; yours: {_got!r}."
assert close(_got, 3 * math.log(3 / 8) + math.log(5 / 8)), (
    "a: 3, b: 1 and four more b make the probabilities 3/8 and 5/8; the text still has "
    f"three a and one b: {3 * math.log(3 / 8) + math.log(5 / 8):.4f}; yours: {_got:.4f}."
)
### BEGIN HIDDEN TESTS
_counts = made(
    lambda rng, n: {word: rng.randint(2, 30) for word in "abcdefgh"[:n]},
    size("words", large=8),
)
_kind = choice(dict, Counter, lambda counts: defaultdict(int, counts))
_changed = made(lambda rng, kind, counts: kind(counts), _kind, _counts)
_word = made(lambda rng, counts: rng.choice([*counts]), _counts)
_extra = choice(0, 5, 0.25, -1, -1.5)
agrees(after_perturbing, ours.after_perturbing, _changed, _word, _extra, rtol=1e-5)
agrees(after_perturbing, ours.after_perturbing, _changed, "new", 2, rtol=1e-5)
### END HIDDEN TESTS

# %% test="likelihood" aspect="new words and lost ones" points=1
_got = after_perturbing({"a": 3, "b": 1}, "c", 4)
assert is_number(_got), f"Return a number; yours: {_got!r}."
assert close(_got, 3 * math.log(3 / 8) + math.log(1 / 8)), (
    "Four counts for the new word c take probability from a and b, 3/8 and 1/8: "
    f"{3 * math.log(3 / 8) + math.log(1 / 8):.4f}; yours: {_got:.4f}."
)
### BEGIN HIDDEN TESTS
for _counts, _word, _extra, _wanted in (
    ({"a": 3, "b": 1}, "b", -1, -math.inf),
    ({"a": 3, "b": 1, "c": 2}, "a", -3, -math.inf),
    ({"a": 2, "b": 0}, "b", 2, 2 * math.log(1 / 2)),
    ({"a": 2, "b": 0}, "b", 0, 0),
    ({"a": 2, "b": 2}, "c", 0, 4 * math.log(1 / 2)),
    ({"a": 2}, "c", 0.5, 2 * math.log(4 / 5)),
    ({"a": 5}, "a", -4, 0),
):
    _got = after_perturbing(dict(_counts), _word, _extra)
    assert is_number(_got) and (_got == _wanted or close(_got, _wanted)), (
        f"{_counts} with {_extra} more of {_word}: {_wanted:.4g}; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% [markdown]
# Left: one count of the row of *we* is changed. Right: for each of 120 dots, all counts of the row of *want* are
# multiplied by random factors between $1/f$ and $f$. Where will the curves peak? Can a dot lie above 0?

# %%
row_we = {w2: count for (w1, w2), count in counts.items() if w1 == "we"}
want = Counter(
    b for s in train_sentences for a, b in pairwise([*s, "</s>"]) if a == "want"
)
best_we, best_want = after_perturbing(row_we, "sat", 0), after_perturbing(want, "to", 0)
rng, factors, falls = np.random.default_rng(6), [], []
for factor in np.geomspace(1.02, 4, 120):
    noise = factor ** rng.uniform(-1, 1, len(want))
    weights = noise * list(want.values())
    q = dict(zip(want, weights / weights.sum(), strict=True))
    factors.append(factor)
    falls.append(log_likelihood(want, q) - best_want)
print(
    "random changes:", len(falls), " of them better:", sum(fall > 0 for fall in falls)
)

# %% folded="draws the two experiments" alt="Left: three curves that touch zero where nothing is added to a count and fall on both sides. Right: dots that start at zero and fall further the larger the factor f is."
_, (left, right) = plt.subplots(1, 2, figsize=(8, 2.9))
for word, style in (("sat", "-"), ("said", "--"), ("danced", ":")):
    extras = np.linspace(-0.99 * row_we.get(word, 0), 6, 80)
    ends = [after_perturbing(row_we, word, extra) - best_we for extra in extras]
    left.plot(extras, ends, style, label=f"{word}, c = {row_we.get(word, 0)}")
left.set(xlabel="added to one count of the row “we”", ylabel="change of ln L (nats)")
left.legend()
right.semilogx(factors, falls, ".", markersize=4)
right.set_xticks([1.1, 1.5, 2, 4], ["1.1", "1.5", "2", "4"])
right.set(xlabel="f, for the row “want” (log scale)", ylabel="change of ln L (nats)")
right.minorticks_off()
plt.show()

# %% [markdown]
# Every change makes the text less likely, and no dot lies above 0: the counts sit on the peak. What is given to a word
# that never occurred, like *danced*, is lost. So what fits the *training* text best gives every unseen word
# probability 0.
