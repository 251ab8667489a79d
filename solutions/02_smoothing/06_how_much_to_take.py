# %% [markdown]
# ## 6. How much?
#
# Which $k$? Leave one out again. Take one token out of the text; its pair occurs $c$ times in all, and $c - 1$ times in the rest. How probable does the rest
# hold it? (Let us say that seen words get nothing from below. Section 10 builds that model.)
#
# - If $c \ge 2$, the rest has seen the pair: $P = (c - 1 - k)/(n - 1)$.
# - If $c = 1$, it has not. The rest gives it a share of the freed mass. The freed mass is $k$ times a number of words, so $P = k \times$ something that does
#   not contain $k$.
#
# Take logarithms and add over all tokens; a pair with count $c$ is taken out $c$ times. Leave out everything that does not contain $k$. The sum is
#
# $$F(k) = N_1 \ln k + \sum_{\text{pairs with } c \ge 2} c\, \ln(c - 1 - k).$$
#
# (One case does not fit. If the token was also the only one after its context, then the rest has never seen this context, and asks the shorter memory. No $k$
# is in that probability. We treat these tokens like the others, and the cell behind your task shows what that costs.)

# %% [markdown] statement="choose_discount"
# The larger $k$, the better for the singletons (the pairs with $c = 1$) and the worse for all other pairs. It is worst for those with $c = 2$. Keep only
# these two kinds: $N_1 \ln k + 2 N_2 \ln(1 - k)$. Its derivative $N_1/k - 2N_2/(1 - k)$ is 0 at
#
# $$k = \frac{N_1}{N_1 + 2 N_2}.$$
#
# - `leave_one_out(counts, k)`: $F(k)$ for an array of counts, each at least 1;
# - `estimate_discount(counts)`: the prediction $N_1/(N_1 + 2N_2)$; zeros among the counts do not matter.
#
# Will this $k$ also be the best on new text, where seen words do get something from below? Note your guess before you run the cells behind the task.

# %% [markdown] hints="choose_discount"
# 1. The sum runs over pairs; a pair that occurs $c$ times is taken out $c$ times.
# 2. A mask chooses the counts above 1; those equal to 1 all contribute the same.
# 3. For the estimate only two numbers of the array matter: how many ones, how many twos.


# %% task="choose_discount" points=3 level=3 minutes=14
def leave_one_out(counts, k):
    """F(k), a number, for an array of counts, each at least 1, and 0 < k < 1."""
    ### BEGIN SOLUTION
    more = counts[counts > 1]
    return np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))
    ### END SOLUTION


def estimate_discount(counts):
    """N_1 / (N_1 + 2 N_2), a number, for an array of counts; 0 may be among them."""
    ### BEGIN SOLUTION
    n1, n2 = np.sum(counts == 1), np.sum(counts == 2)
    return n1 / (n1 + 2 * n2)
    ### END SOLUTION


# %% family="choose_discount"
def _mixed(least):
    """Counts from `least` on, some of them alike; or all alike, or without ones, or without twos."""
    lists = (
        [1],
        [2],
        [1, 1, 1],
        [4, 2, 2, 7],
        [2, 1, 1],
        [1, 5],
        [1, 2, 40, 5000, 200_000],
    )
    return made(
        lambda rng: np.array(rng.choices(range(least, 9), k=rng.randint(5, 40)) + [2]),
        edges=[np.array(some) for some in lists],
    )


# %% test="choose_discount" aspect="each occurrence left out once" points=2
_got = leave_one_out(np.array([1, 1, 3]), 0.5)
assert is_number(_got), f"leave_one_out returns a number; yours: {_got!r}."
_wanted = 2 * math.log(0.5) + 3 * math.log(1.5)
assert close(_got, _wanted), (
    f"Counts 1, 1, 3 at k = .5: 2 ln .5 + 3 ln 1.5 = {_wanted:.4f}; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _counts in (_mixed(1), np.array([5, 3])):
    agrees(
        leave_one_out,
        ours.leave_one_out,
        _counts,
        number(0.1, 0.9),
        rtol=1e-5,
        atol=1e-5,
    )
### END HIDDEN TESTS


# %% test="choose_discount" aspect="estimate from once and twice" points=1
_got = estimate_discount(np.array([1, 2, 0, 1, 7, 1, 2, 1]))
assert is_number(_got), f"estimate_discount returns a number; yours: {_got!r}."
assert close(_got, 0.5), (
    f"Four counts of 1, two of 2: 4 / (4 + 2 * 2) = .5; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
agrees(estimate_discount, ours.estimate_discount, _mixed(0), rtol=1e-5, atol=1e-7)
### END HIDDEN TESTS


# %%
discounts = np.arange(0.02, 0.99, 0.02)
predicted = float(estimate_discount(C[C > 0]))
left_out = discounts[np.argmax([leave_one_out(C[C > 0], k) for k in discounts])]


def held_out_perplexity(C, lower, pairs, k):
    """Perplexity of pairs [pairs, 2] with your rule of task 5."""
    logs = []
    for h in np.unique(pairs[:, 0]):
        P = absolute_discount(C[h], lower, k)
        logs += np.log(P[pairs[pairs[:, 0] == h, 1]]).tolist()
    return np.exp(-np.mean(logs))


# %%
ks = np.append(discounts, 1)
measured = [held_out_perplexity(C, unigram, new_pairs, k) for k in ks]
print(
    f"predicted {predicted:.2f}, leave-one-out {left_out:.2f}, best {ks[np.argmin(measured)]:.2f}"
)
for name, k in {"predicted": predicted, "leave-one-out": left_out, "one": 1}.items():
    print(
        f"{name}: perplexity {held_out_perplexity(C, unigram, new_pairs, k):.2f}",
        end="; ",
    )
print(f"best: {min(measured):.2f}")
alone = (C == 1) & (C.sum(axis=1, keepdims=True) == 1)  # the only token of its context
others = C[(C > 0) & ~alone]
found = discounts[np.argmax([leave_one_out(others, k) for k in discounts])]
print(
    f"without the {alone.sum()} of {(C == 1).sum()} singletons that are alone:", end=" "
)
print(f"predicted {estimate_discount(others):.2f}, leave-one-out {found:.2f}")


# %% folded="prepares the figure with the slider"
def show_discount(k):
    """The measured curve, and where this k stands on it."""
    _, axes = plt.subplots()
    axes.plot(ks, measured)
    axes.plot(
        k,
        held_out_perplexity(C, unigram, new_pairs, k),
        "o",
        color=plots.COLOURS[1],
        label=f"k = {k:.2f}",
    )
    axes.axvline(predicted, linestyle="--", color=plots.COLOURS[2], label="predicted")
    axes.axvline(
        left_out, linestyle=":", color=plots.COLOURS[3], label="best leave-one-out"
    )
    axes.set(xlabel="discount k (counts)", ylabel="perplexity, new sentences")
    axes.set_title(
        "Every k from 0.3 to 0.7 does nearly as well", loc="left", fontsize=11
    )
    axes.legend(loc="upper left", bbox_to_anchor=(0.08, 1))
    plt.show()


# %% alt="A valley of perplexity over the discount k, flat between 0.3 and 0.7. The dot of the slider, the predicted discount and the best leave-one-out discount all lie at the bottom."
slider(show_discount, start=0.5, low=0.02, high=1, step=0.02)

# %% [markdown]
# In a running notebook you can move the dot along the curve. At the right end, with $k = 1$, each pair loses a whole
# occurrence, so that what was seen once counts as unseen. That is too much, and the perplexity shows it.
#
# The two estimates miss the best $k$ by 0.12 and 0.06. But the valley is flat at its bottom, so this costs them almost nothing: as printed above, less than
# 0.05 of perplexity each, and they did it without a single held-out token. (This is one split.) Without the singletons that are alone after their context,
# both estimates become smaller by .04, which hardly matters either.
#
# *A good place to stop today.*
