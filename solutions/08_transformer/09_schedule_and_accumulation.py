# %% [markdown] statement="rate_factor"
# ## 10. Slowly up, slowly down
#
# "Very sensitive to learning rate schedule → linear warm up + cosine decay" (003). At first $v$ is the mean of few gradients, and a full step in a direction so uncertain can do harm: the rate goes up slowly. At the end it goes down, so as not to jump about the minimum. The rate of step $s = 0, 1, \dots, N - 1$ is $\eta$ times
#
# $$f(s) = \begin{cases}(s + 1) / n & s < n\\ \ell + (1 - \ell) \left(1 + \cos \pi p\right) / 2 & s \ge n\end{cases} \qquad p = \frac{s - n}{N - n}$$
#
# In this section $N$ is the number of steps, $n$ of them warm-up; $\ell$ is where the cosine ends. Write `rate_factor(s, N, n, lowest)`, for one step or for an array of steps.

# %% [markdown] hints="rate_factor"
# 1. What is $p$ in the first step after the warm-up, and what would it be in step $N$?
# 2. With $n = 0$ there is no warm-up: nothing should be divided by zero.
# 3. For an array, compute both lines for all steps and choose with a condition; make the divisor of the first at least 1.


# %% task="rate_factor" points=3 level=1 minutes=10
def rate_factor(s, N, n, lowest):
    """The factor f(s), a number or an array like s; N steps in all, n < N of them warm-up."""
    ### BEGIN SOLUTION
    s = np.asarray(s)
    cosine = lowest + (1 - lowest) * (1 + np.cos(np.pi * (s - n) / (N - n))) / 2
    return np.where(s < n, (s + 1) / max(n, 1), cosine)
    ### END SOLUTION


# %% test="rate_factor" aspect="equal steps up" points=1
_got = [rate_factor(_s, 100, 4, 0.1) for _s in range(5)]
assert close(_got, [0.25, 0.5, 0.75, 1, 1], 1e-5), (
    f"n = 4: .25, .5, .75, 1, then the cosine begins at 1; yours: {_got}."
)
for _n in (0, 1):
    _got = rate_factor(0, 10, _n, 0.1)
    assert close(_got, 1, 1e-5), (
        f"Without warm-up (n = 0), or with one step, the first factor is 1; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
_n = whole(0, 40, (1, 7))
_N = made(lambda rng, n, further: n + further, _n, whole(1, 90))
_s = made(  # without warm-up all steps count
    lambda rng, n, N: rng.randint(0, n or N - 1), _n, _N, edges=[0, lambda rng, n, N: n]
)
agrees(
    rate_factor, ours.rate_factor, _s, _N, _n, choice(0.0, 0.1), rtol=1e-5, atol=1e-6
)
### END HIDDEN TESTS

# %% test="rate_factor" aspect="half a cosine down" points=1
_got = [rate_factor(_s, 20, 4, 0.1) for _s in (4, 12, 20)]
assert close(_got, [1, 0.55, 0.1], 1e-5), (
    f"N = 20, n = 4: 1, in the middle .55, at the end .1; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_n = whole(0, 40, (1, 7))
_N = made(lambda rng, n, further: n + further, _n, whole(1, 90))
_s = made(
    lambda rng, n, N: rng.randint(n, N - 1), _n, _N, edges=[lambda rng, n, N: N - 1]
)
agrees(
    rate_factor, ours.rate_factor, _s, _N, _n, choice(0.0, 0.1), rtol=1e-4, atol=1e-6
)
### END HIDDEN TESTS

# %% test="rate_factor" aspect="an array of steps" points=1
_got = rate_factor(np.arange(9), 9, 3, 0.0)
assert np.shape(_got) == (9,), f"Nine steps, nine factors; yours: {_got!r}."
_wanted = [1 / 3, 2 / 3, 1, *(math.cos(math.pi / 12 * k) ** 2 for k in range(6))]
assert close(_got, _wanted, 1e-4, 1e-6), (
    f"Factors {np.round(_wanted, 2)} wanted; yours: {np.round(_got, 2)}."
)
### BEGIN HIDDEN TESTS
_n = whole(0, 40, (1, 7))
_N = made(lambda rng, n, further: n + further, _n, whole(1, 90))
_kind = choice("int64", "float64")
_s = made(
    lambda rng, N, T, kind: np.array(rng.choices(range(N), k=T), dtype=kind),
    *(_N, size("T"), _kind),
    edges=[lambda rng, N, *_: np.arange(N), lambda rng, N, *_: np.arange(N)[::-1]],
)
agrees(
    rate_factor, ours.rate_factor, _s, _N, _n, choice(0.0, 0.1), rtol=1e-4, atol=1e-6
)
### END HIDDEN TESTS

# %% folded="draws three schedules" alt="Three curves of the factor over 200 steps: after 0, 20 and 80 steps of straight rise each falls along a cosine to 0.1."
s = np.arange(200)
_, axes = plt.subplots(figsize=(4.5, 1.8))
for n in (0, 20, 80):
    axes.plot(s, rate_factor(s, 200, n, 0.1), label=f"n = {n}")
axes.set(xlabel="step s, of N = 200", ylabel="f(s)", ylim=(0, 1.05))
axes.legend()
plt.show()

# %% [markdown]
# "Very unstable: if the learning rate is too large, it diverges; if too small, it does not learn well" (004). Is it so? In section 6's figure pre-norm learned something (a loss below $\ln V = 3.58$) at six of seven rates, but good ones span hardly a decade. And rate 1? Three seeds, without and with weight decay:

# %%
highest = rates[(rates.kind == "pre-norm") & (rates.rate == 1)]
highest.pivot(index=["schedule", "decay"], columns="seed", values="nats").round(1)

# %% [markdown]
# Decay seems to work wonders: at the constant rate a loss of 3, without it 40 to 83. But it multiplies each weight by $1 - 1 \cdot 0.1 = 0.9$ a step, so that none can grow. That is not stability, it is forgetting.
#
# And the schedule? In so short a training it does not beat the best constant rate (section 6's figure): it loses steps at both ends. At rate 1, without decay, it has 4 nats instead of 40 and more.
#
# What is the slow rise worth? 242 steps on kitchen stories (recorded; one seed at each rate, four at each best):

# %% folded="draws the study" alt="Held-out loss by learning rate for warm-ups of 1, 10, 50 and 150 steps: with more warm-up the valley lies at larger rates and stays low there."
_, axes = plt.subplots(figsize=(5, 2.4))
study = runs.load_study("warmup")
for i, (name, found) in enumerate(study.groupby("variant", sort=False)):
    n, style = name.split()[0], {"color": plots.COLOURS[i], "alpha": 0.7}
    axes.plot(found["rate"], found["valid nats"], "o", label=f"n = {n}", **style)
    found = found[found["seed"] == 4]  # the seed that chose the rate
    axes.plot(found["rate"], found["valid nats"], **style)
log_ticks(axes, sorted(set(study["rate"])), xlabel="learning rate (log)")
axes.set_ylabel("held-out nats per word")
axes.legend()
plt.show()

# %% [markdown]
# A long rise makes high rates work; at low ones it only costs steps. Each at its best rate, $n = 150$ is 0.13 nats ahead of $n = 1$, whose seeds differ by 0.07.

# %% [markdown]
# ## 11. Many texts, one step
#
# Texts differ in length; a batch is a rectangle. So short texts are filled up (**padding**): with any token in the inputs, and in the targets with $-100$, which torch's cross-entropy leaves out of the mean. Predict: does filling *tea* up to the length of *strawberry* change its scores?


# %%
def pad(texts):
    """Inputs and targets, [B, T] each, from lists of at least two token numbers."""
    T = max(map(len, texts)) - 1
    inputs = [[*words[:-1], *[0] * (T + 1 - len(words))] for words in texts]
    targets = [[*words[1:], *[-100] * (T + 1 - len(words))] for words in texts]
    return torch.tensor(inputs), torch.tensor(targets)


# %%
model = small()
padded, targets = pad([[number[a] for a in word] for word in ("strawberry", "tea")])
print("inputs:", padded[1].tolist(), " targets:", targets[1].tolist())
with torch.no_grad():
    alone, beside = model(padded[1:, :2])[0], model(padded)[1, :2]
print(f"largest change of a score of tea: {(alone - beside).abs().max():.7f}")

# %% [markdown]
# No mask is needed: padding stands on the *right*, where a causal model never looks.
#
# A batch too large for memory is cut in parts. The gradient of the whole mean loss is the mean of the parts' gradients, each weighted with its number of targets (sums add up; means of means do not). It saves memory, since backward needs what forward computed.

# %% [markdown] statement="left_padding"
# #### Padding on the left
#
# So that all prompts of a batch end at the same place, a friend pads on the *left*. Which two things go wrong in the
# model of section 5, and how do you mend each?

# %% [markdown] written="left_padding" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: every place may look to its left, so real tokens now look at padding, and scores change. 1
# point: the text's first token no longer stands at place 0 and gets another position vector than without padding. 1
# point: both mends: forbid padding as a key ($-\infty$ added to its scores, for each text its own mask), and count
# places from the first real token.
#
# The third point needs both mends; one with its fault explained is 2 points in all at most. Good but not asked: rows
# of padding that may look nowhere give NaN, so let them see themselves. A usual wrong idea: targets of $-100$ are
# enough. They take padding out of the loss, not out of what the others read.
#
# **Sample, 3 points.** The causal mask lets a token see everything before it, and now that includes the padding, so
# each word's average contains vectors of padding. I would add $-\infty$ to the scores of the padded places, a
# different mask for each text. And *tea* now begins at place 7 instead of 0, so it gets other position vectors. I
# would subtract the number of padded places, so that its first letter is place 0 again.
#
# **Sample, 1 point.** The letters of *tea* look back at the padding, and padding means nothing, so the scores are
# disturbed. One should train with left padding, then the model gets used to it.
#
# **Sample, 0 points.** Nothing goes wrong, because padded targets are $-100$ and torch leaves them out. On the left
# there are just as many of them as on the right.
# ### END SOLUTION
