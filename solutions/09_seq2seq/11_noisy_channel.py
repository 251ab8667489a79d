# %% [markdown]
# ## 12. The noisy channel
#
# Before networks, translation went backwards. Read the source as if it were a target that came through a *noisy channel* (Silvestri), and ask Bayes:
#
# $$P(T \mid S) \propto P(S \mid T)\, P(T) .$$

# %% [markdown]
# The product is a division of labour. The channel $P(S \mid T)$ keeps the meaning; the language model $P(T)$ keeps the target fluent, and it learns from target text alone, of which there is far more. The oldest channel (Brown et al., 1993, *Model 1*) is simple: each source word $x_j$ comes from one
# target word or from the empty word $y_0$, each of them equally likely:
#
# $$P(S \mid T) = \prod_{j=1}^{m} \frac{1}{n+1} \sum_{i=0}^{n} t(x_j \mid y_i)$$
#
# $t(x \mid y)$ is a table: how $y$ is said in the source language. (A full model would also say how probable a source of $m$ words is. Model 1 takes this to
# be the same for all targets, and where we only compare targets it may be left out.)

# %% [markdown] statement="noisy_channel"
# - `channel(t, source, target)`: $\ln P(S \mid T)$ by Model 1. `t` maps pairs $(x, y)$ to probabilities; what is not in it is 0; `y_0` is the word `""`. $-\infty$ if impossible; an empty source has $\ln 1$. Sources may have thousands of words.
# - `noisy_channel(t, language, source, candidates, weight=1)`: the candidate with the highest $\ln P(S \mid T) + \text{weight} \cdot \ln P(T)$; `language(target)` gives $\ln P(T)$ and is not asked if the weight is 0. The first of equals, also if all are impossible.

# %% [markdown] hints="noisy_channel"
# 1. For each source word: a sum over the target words and one more. For the sentence: a product, so a sum of logarithms.
# 2. The $n + 1$ counts the empty word; a word that stands twice in the target counts twice.
# 3. `max` with a key returns the first of equals. With a weight of 0, beware of `0 * -math.inf`.


# %% task="noisy_channel" points=3 level=2 minutes=12
def channel(t, source, target):
    """ln P(source | target) by Model 1."""
    ### BEGIN SOLUTION
    total = 0
    for x in source:
        p = sum(t.get((x, y), 0) for y in ["", *target]) / (len(target) + 1)
        if p == 0:
            return -math.inf
        total += math.log(p)
    return total
    ### END SOLUTION


def noisy_channel(t, language, source, candidates, weight=1):
    """The best candidate by channel and language model together."""

    ### BEGIN SOLUTION
    def value(target):
        fluent = weight * language(target) if weight else 0
        return channel(t, source, target) + fluent

    return max(candidates, key=value)
    ### END SOLUTION


# %% test="noisy_channel" aspect="the channel" points=1
_t = {
    ("el", "the"): 0.9,
    ("café", "coffee"): 0.8,
    ("negro", "black"): 0.7,
    ("el", ""): 0.3,
}
_got = channel(_t, ["el", "café", "negro"], ["black", "coffee"])
assert is_number(_got), f"channel returns a number; yours: {_got!r}."
assert close(_got, math.log(0.3 / 3 * 0.8 / 3 * 0.7 / 3)), (
    f"Three places (two words and the empty one): (.3/3)(.8/3)(.7/3), ln = -5.080; yours: {_got}."
)
### BEGIN HIDDEN TESTS
agrees(
    channel,
    ours.channel,
    made(
        lambda rng: {(x, y): rng.uniform(0.01, 1) for x in "abc" for y in ("", *"xy")}
    ),
    words(size("m", least=0, large=3000), choice("abc", "abcd")),
    words(size("n", least=0), "xyz"),
)
_got = channel({("a", ""): 1e-13}, ["a"] * 3000, [])
assert close(_got, 3000 * math.log(1e-13)), (
    f"3,000 words, t = 1e-13 each: 3000 ln 1e-13 = -89801 wanted; yours: {_got}."
)
### END HIDDEN TESTS

# %% test="noisy_channel" aspect="both together" points=2
_t = {
    ("me", "me"): 0.5,
    ("gusta", "like"): 0.4,
    ("gusta", "pleases"): 0.6,
    ("me", "I"): 0.4,
}
_fluent = {"I like": -1.0, "pleases me": -6.0, "I pleases": -9.0}
_some = [["pleases", "me"], ["I", "like"], ["I", "pleases"]]
_got = noisy_channel(_t, lambda T: _fluent[" ".join(T)], ["me", "gusta"], list(_some))
assert isinstance(_got, list | tuple), f"A candidate is wanted; yours: {_got!r}."
assert list(_got) == ["I", "like"], f"*I like* wanted; yours: {_got!r}."


### BEGIN HIDDEN TESTS
def _value(t, fluent, S, weight, T):
    total = ours.channel(t, S, T)
    return total + weight * sum(fluent[y] for y in T) if weight else total


agrees(
    noisy_channel,
    ours.noisy_channel,
    made(
        lambda rng: {(x, y): rng.uniform(0.01, 1) for x in "abc" for y in ("", *"xyz")}
    ),
    made(lambda rng: {y: rng.uniform(-3, -0.5) for y in "xyz"}),
    words(size("m", least=0, large=None), choice("abc", "abcd")),
    listing(size("candidates"), words(size("length", large=None), "xyz")),
    number(-3, 4, (0, -1, -2)),
    by=beside_the_answer(
        lambda best, t, fluent, S, some, weight: best(
            t, lambda T: sum(fluent[y] for y in T), S, some, weight
        )
    ),
    compare=lambda got, wanted, t, fluent, S, some, weight: (
        list(got) not in some
        or not close(*(_value(t, fluent, S, weight, T) for T in (got, wanted)))
    ),
)
_t = {("a", "x"): 0.5, ("a", "y"): 0.4999}
for _weight, _some, _wanted in (
    (0, [["z"], ["y"], ["x"]], ["x"]),
    (1, [["z"], ["x"], ["y"]], ["y"]),
    (1, [["y", "z"], ["z", "y"]], ["y", "z"]),  # equals
    (1, [["z"], ["x"]], ["z"]),  # both are impossible
):
    _got = noisy_channel(
        dict(_t), lambda T: -math.inf if "x" in T else -1.0, ["a"], _some, _weight
    )
    assert isinstance(_got, list | tuple) and list(_got) == _wanted, (
        f"t = {_t}, the language model calls x impossible, weight {_weight}, candidates {_some}: {_wanted} wanted; yours: {_got!r}."
    )
_t = {("a", "x"): 1.0, ("a", "y"): 0.2}
_got = noisy_channel(_t, lambda T: -6.0 if T[0] == "x" else -1.0, ["a"], [["x"], ["y"]])
assert list(_got) == ["y"], (
    f"Channels .5 and .1, language models ln P = -6 and -1: ln .1 - 1 is more than ln .5 - 6; yours: {_got!r}."
)
_both = [["x", "y"], ["y", "x"]]
_got = noisy_channel(_t, lambda T: -6.0 if T[0] == "x" else -1.0, ["a"], _both)
assert list(_got) == ["y", "x"], (
    f"The same words, and the language model prefers y first: *y x* wanted; yours: {_got!r}."
)
_t = {("a", "x"): 0.4, ("a", "y"): 0.5}
_got = noisy_channel(_t, lambda T: -1.0, ["a"] * 3000, [["x"], ["y"]])
assert list(_got) == ["y"], (
    f"3,000 times a, and t = {_t}: y is more probable; yours: {_got!r}."
)
_asked = []
noisy_channel(_t, lambda T: _asked.append(T) or 0.0, ["me"], [["I"], ["me"]], 0)
assert not _asked, "If the weight is 0, the language model is not asked; yours asks it."
### END HIDDEN TESTS

# %% [markdown]
# Where does $t$ come from? Nobody links words by hand. *Expectation maximisation* guesses: share each source word among the target words by the present $t$, count these shares, divide, and begin again. A uniform start is enough:


# %%
def learn_channel(sources, targets, rounds=6):
    """t(x | y) of Model 1, by expectation maximisation."""
    t = {}
    for turn in range(rounds):
        counts, totals = Counter(), Counter()
        for S, T in zip(sources, targets, strict=True):
            for x in S:
                shares = [t[x, y] if turn else 1 for y in ("", *T)]
                whole = sum(shares)
                for y, share in zip(("", *T), shares, strict=True):
                    counts[x, y] += share / whole
                    totals[y] += share / whole
        t = {(x, y): n / totals[y] for (x, y), n in counts.items()}
    return t


# %%
links = learn_channel(sources[:1500], targets[:1500])
known_words = {y for T in targets[:1500] for y in T}
following = Counter(
    pair for T in targets for pair in itertools.pairwise(["<s>", *T, "</s>"])
)
before = Counter(v for v, _ in following.elements())


def fluency(target):
    """ln P of a Selvan text by counted pairs; 0.1 is added to each count (chapter 2)."""
    texts = itertools.pairwise(["<s>", *target, "</s>"])
    total = 0.1 * (len(selvan) - 3)  # all words and </s>
    return sum(
        math.log((following[v, w] + 0.1) / (before[v] + total)) for v, w in texts
    )


# %%
for y in ("", "kavel", "nok", "ka"):
    row = sorted(((p, x) for (x, z), p in links.items() if z == y), reverse=True)[:3]
    print(f"{y or '(empty)':8}", ", ".join(f"{x} {p:.2f}" for p, x in row))

# %% [markdown]
# The table knows what the words mean: *kavel* is coffee, *nok gero* "last night", and *ka* ends a question. Now put all to the test. For each new sentence,
# one true target stands among false ones: the same words in other orders, or with one word exchanged. Who finds the true one?


# %%
dice = random.Random(1)
kinds = {"other order": [], "other word": [], "both": []}


# %%
for S, T in zip(valid_sources, valid_targets, strict=True):
    if not 4 <= len(T) <= 9 or not {*T} <= known_words:
        continue
    orders = [dice.sample(T, len(T)) for _ in range(8)]
    words = []
    for _ in range(8):
        other = dice.choice([X for X in targets if len(X) > 3])
        place = dice.randrange(len(T))
        words.append([*T[:place], dice.choice(other), *T[place + 1 :]])
    for kind, others in (
        ("other order", orders),
        ("other word", words),
        ("both", orders + words),
    ):
        some = [T, *(X for X in others if X != T)]
        dice.shuffle(some)
        picks = (
            noisy_channel(links, fluency, S, some, weight=0),
            max(some, key=fluency),
            noisy_channel(links, fluency, S, some),
        )
        kinds[kind].append([pick == T for pick in picks])


# %% folded="draws the choices" alt="How often the true target is chosen. The channel alone fails where the order differs, the language model alone is good, and the product is near 100 percent in all three kinds."
_, axes = plt.subplots(figsize=(7, 2.6))
for i, (who, colour) in enumerate(
    (("channel alone", "C0"), ("language model alone", "C1"), ("product", "C2"))
):
    shares = [100 * np.mean([row[i] for row in rows]) for rows in kinds.values()]
    axes.bar(np.arange(3) + 0.27 * (i - 1), shares, 0.25, label=who, color=colour)
axes.set(
    xticks=range(3), xticklabels=kinds, ylabel="true target chosen, %", ylim=(0, 100)
)
axes.set_title("Only the product is nearly always right in all three tests")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# For the channel, all orders of the same words are equally probable, so against other orders it can only guess. When only the order is wrong, the language
# model nearly always finds the true target. (The false orders are random ones, so they are easy to tell.) Against another word both are useful: the channel
# knows what must be said, the language model what goes together. Only the product is nearly always right in all three.
#
# Here is the same in Spanish (Silvestri's example). Without a language model, *El café negro me gusta mucho* may as well become *The coffee black me pleases
# much*: the words are right, the order is that of the source. Modern decoders have both in one network; yet a language model trained on far more text is
# still mixed in where pairs are rare. Our two factors learned from unequal amounts of text as well: the channel from 1,500 pairs, the language model from all
# 5,000 Selvan sentences.
