# %% [markdown]
# ## 4. Ask the things seen once
#
# I. J. Good (1953), after Alan Turing, found an answer. The shortest way to it is to **leave one out**. Take one token out of a text of $N$ tokens.
# Is its pair new to the other $N - 1$? Exactly if the pair occurred once in all, and $N_1$ of the $N$ tokens are such. So a fraction
# $N_1/N$ of all tokens was unseen by the rest:
#
# $$P(\text{unseen}) \approx \frac{N_1}{N}.$$

# %% [markdown]
# The same question, one step up. Take out each of the $N$ tokens in turn, and look at the others, *the rest*. For how many tokens does the rest know the pair
# exactly $c$ times? For those whose pair occurs $c + 1$ times in the whole text, and there are $(c+1)\,N_{c+1}$ such tokens. In the rest, roughly $N_c$ pairs
# have the count $c$. The $(c+1)\,N_{c+1}$ tokens that we have just counted are spread over these pairs. So each of them comes up
#
# $$c^* = (c+1)\,\frac{N_{c+1}}{N_c}$$
#
# times in $N$ trials: this is what a count of $c$ is really worth.

# %% folded="draws the move of a held-out token" alt="Boxes for pairs never seen, seen once, twice and three times. An arrow leads from each to the one before it: if one token is held out, its pair moves from count c + 1 to c."
drawings.good_turing_leave_one_out()

# %% [markdown]
# In the drawing, the token that is left out moves its pair one box to the left.
#
# By hand, for the six tokens *a b c d e e*: four types occur once and one occurs twice, so $N_1 = 4$ and $N_2 = 1$. Four
# of the six tokens would be new to the rest, hence $P(\text{unseen}) \approx 4/6$. Two tokens, each *e*, are seen once by
# the rest. If they share out over the $N_1 = 4$ types with count 1, each of these comes up $c^*(1) = 2 N_2 / N_1 = 1/2$
# times. So a type that was seen once is worth only half an occurrence.
#
# (Beware of toy texts. For *a a a b b c*, with $N_1 = N_2 = 1$, the same formula says that a count of 1 is worth *two*.
# The $N_c$ must be large before their ratio means anything.)

# %% [markdown] statement="good_turing"
# - `count_of_counts(counts)`: `{c: N_c}` for `counts` as `{n-gram: int}` (some may be 0), without $c = 0$;
# - `good_turing(counts)`: the pair ($N_1/N$, `{c: c*}` for each $c > 0$ that occurs); some counts may be 0;
# - `mean_elsewhere(counts, others)`: `{c: mean}` for each $c > 0$ in `counts`: how often the n-grams with count $c$ occur in
#   another text, on average (0 times, if they are missing there). Again some counts may be 0. It measures what $c^*$ promises.

# %% [markdown] hints="good_turing"
# 1. The values of a dictionary can be counted just like words.
# 2. $N$ counts tokens, not types: how do you get it from the counts, or from all $c$ and $N_c$? And what is $N_{c+1}$ if no n-gram
#    has that count?
# 3. For the last one, visit the n-grams of the *first* text: collect what each has in the other, for each $c$ apart,
#    and take means.


# %% task="good_turing" points=4 level=2 minutes=16
def count_of_counts(counts):
    """{c: how many n-grams occur exactly c times}, for counts {n-gram: int}."""
    ### BEGIN SOLUTION
    return Counter(count for count in counts.values() if count > 0)
    ### END SOLUTION


def good_turing(counts):
    """(N_1 / N, {c: (c + 1) N_(c+1) / N_c}); counts stay as they are."""
    ### BEGIN SOLUTION
    N = count_of_counts(counts)
    tokens = sum(c * N[c] for c in N)
    return N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}
    ### END SOLUTION


def mean_elsewhere(counts, others):
    """{c: how often the n-grams with count c occur in `others`, on average}; both dicts stay as they are."""
    ### BEGIN SOLUTION
    found = defaultdict(list)
    for gram, count in counts.items():
        if count > 0:
            found[count].append(others.get(gram, 0))
    return {count: sum(times) / len(times) for count, times in found.items()}
    ### END SOLUTION


# %% family="good_turing"
_counts = made(
    lambda rng: (
        {f"w{i}": rng.randint(0, 5) for i in range(rng.randint(4, 30))} | {"a": 3}
    ),
    edges=[
        *(
            {"a": 1},
            {"a": 2},
            {"a": 4, "b": 1},
            {"a": 1, "b": 3},
            {"a": 2, "b": 2, "c": 5},
        ),
        {"a": 1, "b": 4, "c": 0, "d": 4, "e": 5, "f": 0, "g": 9, "h": 1000},
        {"a": 1, "b": 0, "c": 0},
    ],
)

# %% test="good_turing" aspect="how many occur c times" points=1
_got = count_of_counts({"a": 1, "b": 1, "c": 4, "d": 0})
assert hasattr(_got, "keys"), f"count_of_counts returns a dict; yours: {_got!r}."
assert {c: n for c, n in _got.items() if n and c} == {1: 2, 4: 1}, (
    f"Two once, one 4 times; yours: {_got!r}."
)


### BEGIN HIDDEN TESTS
def _zeros_aside(got, wanted, counts):
    return difference({c: n for c, n in got.items() if n}, wanted)


agrees(count_of_counts, ours.count_of_counts, _counts, compare=_zeros_aside)
### END HIDDEN TESTS


# %% test="good_turing" aspect="mass of the unseen" points=1
_toy = {f"once{i}": 1 for i in range(13)} | {"sat": 2, "we": 6}
_got = good_turing(dict(_toy))
assert np.shape(_got) == (2,), (
    f"good_turing returns a number and a dict; yours: {_got!r}."
)
assert close(_got[0], 13 / 21), (
    f"Of the 21 tokens of three sentences in chapter 01, 13 are words seen once: 13/21 = .619; yours: {_got[0]}."
)


### BEGIN HIDDEN TESTS
def _mass(got, wanted, counts):
    return difference(got[0], wanted[0], rtol=1e-5)


agrees(good_turing, ours.good_turing, _counts, compare=_mass)
### END HIDDEN TESTS


# %% test="good_turing" aspect="adjusted counts and their gaps" points=1
_toy = {f"once{i}": 1 for i in range(13)} | {"sat": 2, "we": 6}
_got = good_turing(dict(_toy))
assert np.shape(_got) == (2,), (
    f"good_turing returns a number and a dict; yours: {_got!r}."
)
_got = _got[1]
assert hasattr(_got, "keys"), f"The second is a dict from c to c*; yours: {_got!r}."
assert close(_got.get(1), 2 / 13), (
    f"N_1 = 13, N_2 = 1: c*(1) = 2 · 1 / 13 = .154; yours: {_got.get(1)}."
)
assert close(_got.get(2), 0), (
    f"Nothing occurs 3 times: the formula gives c*(2) = 0; yours: {_got.get(2)}."
)


### BEGIN HIDDEN TESTS
def _adjusted(got, wanted, counts):
    return difference(got[1], wanted[1], rtol=1e-5)


agrees(good_turing, ours.good_turing, _counts, compare=_adjusted)
### END HIDDEN TESTS


# %% test="good_turing" aspect="what another text shows" points=1
_got = mean_elsewhere({"a": 1, "b": 1, "c": 5, "d": 1}, {"a": 2, "c": 3, "e": 9})
assert hasattr(_got, "keys"), f"mean_elsewhere returns a dict; yours: {_got!r}."
assert close(_got.get(1), 2 / 3), (
    f"a, b, d occur once here, and 2, 0, 0 times there: 2/3 on average; yours: {_got.get(1)}."
)
assert close(_got.get(5), 3), (
    f"c occurs 5 times here and 3 times there; yours: {_got.get(5)}."
)
_got = mean_elsewhere({"a": 1, "b": 0, "c": 0}, {"a": 3, "b": 5})
assert hasattr(_got, "keys") and dict(_got) == {1: 3}, (
    f"Counts a 1, b 0, c 0: a mean for count 1 alone, since only c > 0 has one; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_others = made(
    lambda rng: {f"w{i}": rng.randint(0, 5) for i in range(0, 40, 3)},
    edges=[{}, {"a": 5, "z": 3}, {"a": 0, "b": 4}],
)
agrees(mean_elsewhere, ours.mean_elsewhere, _counts, _others, rtol=1e-5)
_here = {"a": 1, "b": 1, "c": 7, "d": 7, "e": 0}  # the same text, held against others
agrees(mean_elsewhere, ours.mean_elsewhere, _here, _others, mixtures=0, rtol=1e-5)
_given = defaultdict(int, _here), defaultdict(int, {"a": 2, "z": 1})
for _after, _before in zip(
    arguments_after(mean_elsewhere, *_given), (_here, {"a": 2, "z": 1}), strict=True
):
    assert _after == _before, (
        f"Counts may be a defaultdict: your look-ups added {set(_after) - set(_before)}."
    )
### END HIDDEN TESTS


# %%
def count_pairs(sentences):
    """{(w1, w2): int} with boundaries."""
    return Counter(
        pair for sentence in sentences for pair in pairwise(["<s>", *sentence, "</s>"])
    )


here, there = count_pairs(train_sentences[::2]), count_pairs(train_sentences[1::2])
unseen_mass, adjusted = good_turing(here)
seen_there = mean_elsewhere(here, there)
N = Counter(count_of_counts(here))

# %%
surprise = (
    sum(times for pair, times in there.items() if pair not in here) / there.total()
)
print(f"unseen: N1/N promises {unseen_mass:.4f}, the other half shows {surprise:.4f}")
halves, gaps, drops = [], [], []
edges = [4, 6, 11, 21, 51, 101]
for seed in range(8):  # eight other ways to halve the text
    mixed = random.Random(seed).sample(train_sentences, len(train_sentences))
    one, other = count_pairs(mixed[::2]), count_pairs(mixed[1::2])
    halves.append(mean_elsewhere(one, other))
    new = sum(times for pair, times in other.items() if pair not in one)
    gaps.append(good_turing(one)[0] - new / other.total())
    drop = pd.Series({pair: c - other[pair] for pair, c in one.items()})
    drops.append(drop.groupby(pd.cut(pd.Series(one), edges, right=False)).mean())
print(f"eight other halves: promised minus found {min(gaps):+.4f} to {max(gaps):+.4f}")
means = pd.DataFrame(halves)[list(range(1, 10))]
worth = pd.DataFrame({"N_c": N, "c*": adjusted, "this half": seen_there})
worth = worth.loc[means.columns].assign(halvings=means.mean(), sd=means.std())
worth["c - halvings"] = worth.index - worth["halvings"]
print(worth.round(2).to_string())
drops = pd.DataFrame(drops).agg(["mean", "std"]).round(2)
drops.columns = [f"{low} to {high - 1}" for low, high in pairwise(edges)]
print("c - halvings, larger groups:", drops.to_string(), sep="\n")

# %% [markdown]
# Each half predicts well how much of the other half is new, and that a pair seen once is worth 0.6. For larger counts
# the noise grows. And where $N_{c+1} = 0$ the formula even says $c^* = 0$: the most frequent pair would be worth nothing.
#
# **Simple Good-Turing** (W. Gale and G. Sampson, 1995) repairs this by smoothing the counts of counts themselves. For small $c$, where $N_c$ is large, it
# keeps Turing's value. It also fits a straight line to $\ln N_c$ against $\ln c$. Call $S_c$ the height of the line at $c$. Then $(c+1)\,S_{c+1}/S_c$ is a
# second value for $c^*$. The method starts with Turing's value. As soon as the two are closer than 1.65 standard deviations of Turing's value, it takes the
# second, and it keeps to the second for all larger $c$. At the end all values are multiplied by one number, so that the seen get exactly what the unseen
# leave.


# %%
def spread(N):
    """Z_c = N_c / ((t - q) / 2), with q and t the counts before and after c (0 before the first)."""
    c = sorted(N)
    ends = [*c[1:], 2 * c[-1] - (c[-2] if len(c) > 1 else 0)]
    gaps = zip([0, *c], c, ends, strict=False)
    return {middle: 2 * N[middle] / (t - q) for q, middle, t in gaps}


def simple_good_turing(N):
    """{c: c*} from {c: N_c}: Turing's values while they say more than the line, with the right sum."""
    Z, adjusted, trusted = spread(N), {}, True
    slope, _ = np.polyfit(np.log(list(Z)), np.log(list(Z.values())), 1)
    for c in sorted(N):
        line, more = (c + 1) * (1 + 1 / c) ** slope, N.get(c + 1, 0)
        turing = (c + 1) * more / N[c]
        noise = (c + 1) / N[c] * math.sqrt(more * (1 + more / N[c]))
        trusted = trusted and abs(turing - line) > 1.65 * noise > 0
        adjusted[c] = turing if trusted else line
    scale = sum(c * N[c] for c in N if c > 1) / sum(N[c] * adjusted[c] for c in N)
    return {c: scale * value for c, value in adjusted.items()}


# %% folded="draws the counts of counts" alt="Dots on logarithmic axes fall along a straight line. For large counts the raw numbers form a level row of ones; spread over the gaps they follow the line down."
_, axes = plt.subplots()
Z, c = spread(dict(N)), np.array(sorted(N))
slope, height = np.polyfit(np.log(list(Z)), np.log(list(Z.values())), 1)
axes.loglog(c, [N[i] for i in c], ".", color="gray", label="N_c")
axes.loglog(
    c, [Z[i] for i in c], ".", color=plots.COLOURS[0], label="spread over the gaps"
)
axes.loglog(c, np.exp(height) * c**slope, color=plots.COLOURS[1], label="straight line")
axes.set(xlabel="count c (log scale)", ylabel="how many pairs (log scale)")
axes.set_title(
    "Spread over the gaps, most N_c lie near a line", loc="left", fontsize=11
)
axes.legend(fontsize=10)
plt.show()

# %% [markdown]
# Among the large counts nearly every $N_c$ is 0 or 1 (grey dots; those that are 0 cannot be drawn). So divide each $N_c$ by half the distance between the
# neighbouring counts that do occur. If a single pair occurs 320 times, and the neighbouring counts are 300 and 340, its 1 becomes 1/20: one pair for a
# stretch of twenty counts. Spread in this way, most dots fall along a line again. The very largest counts lie below it, and so does $N_1$.


# %%
def lost(worths):
    """The share of all tokens that neither the seen nor the unseen get."""
    return 1 - (N[1] + sum(N[c] * worths[c] for c in N)) / here.total()


simple = simple_good_turing(dict(N))
print(
    f"of {len(N)} different counts c Turing makes {sum(N[c + 1] == 0 for c in N)} worthless"
)
print(f"probability lost by this with Turing: {lost(adjusted):.0%}")
row_total = Counter(w1 for w1, _ in here.elements())
laplace = defaultdict(list)
for (w1, _), c in here.items():
    laplace[c].append((c + 1) * row_total[w1] / (row_total[w1] + V))

# %% folded="draws four estimates of a count" alt="Black dots of what was seen elsewhere lie a little below the diagonal. Simple Good-Turing follows them, Turing jumps up and down at large counts, and add-one lies far below."
first = means.columns
_, axes = plt.subplots()
axes.plot(first, first, "--", color="gray", label="c* = c")
axes.errorbar(
    first, means.mean(), means.std(), fmt="ko", markersize=4, label="seen elsewhere"
)
for name, line in {
    "Turing": adjusted,
    "Simple Good-Turing": simple,
    "add one": {c: np.mean(laplace[c]) for c in N},
}.items():
    axes.plot(first, [line[c] for c in first], label=name)
axes.set(xlabel="count c in one half", ylabel="c* (tokens)", xticks=first)
axes.set_title("A count is worth a little less than it says", loc="left", fontsize=11)
axes.legend(fontsize=10, labelspacing=0.2)
plt.show()

# %% [markdown]
# The dots are what the other half shows (mean and standard deviation over eight ways to halve the text). Turing zigzags around them, Simple Good-Turing stays
# nearer (except at 3), add-one is far off.
#
# So we know how *much* the unseen deserve, not *which* of them. And how far are the dots below the dashed $c^* = c$? Go back to the table that was printed
# before the two figures. Its column *halvings* is the mean over the eight halvings, and *c - halvings* is what a count loses: the count less what it was
# worth. It is .4 tokens for $c = 1$, .7 for $c = 8$ and 1.1 for $c = 9$. So it grows, but much more slowly than the count does. It is not a share of the
# count, as with add-one.
#
# For larger counts there are too few pairs of each, so the last lines take them in groups. The loss stays somewhere between .5 and 1 token. For counts from
# 51 to 100 it is .8, but this number is so noisy (*std*) that it could just as well be 0. In any case it is hardly more than one per cent of such a count.

# %% [markdown] statement="zigzag"
# #### Seven times, eight times
#
# For Turing, a pair seen 7 times is worth 8.64 and one seen 8 times only 4.50. Explain this drop with the numbers in column $N_c$. And why does the mean over
# eight halvings (column *halvings*: 6.32, then 7.33) not drop?

# %% [markdown] written="zigzag" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: puts the numbers in, $8 \cdot 94/87 = 8.64$ and $9 \cdot 47/94 = 4.50$. 1 point: names the
# accident: $N_8 = 94$ is large beside its neighbours 87 and 47 (smoothly falling numbers would put it between them).
# It stands above the line in $c^*(7)$ and below it in $c^*(8)$, so the same accident raises one and lowers the other.
# (That 47 is small may be said as well.) 1 point: *halvings* is no ratio of two such numbers. It looks up how often each
# pair really occurs in the other half, a mean over all pairs of that count and over eight ways to halve the text.
#
# "Noise" alone earns nothing: which number is noisy, and where does it enter? A usual wrong idea: pairs seen 8 times
# really come up less often elsewhere than those seen 7 times; the column *halvings* shows that they do not.
#
# **Sample, 3 points.** $c^*(7) = 8 \cdot 94/87 = 8.64$ and $c^*(8) = 9 \cdot 47/94 = 4.50$. $N_8$ should be between
# 87 and 47 but happens to be 94. Too large an $N_8$ makes the first fraction too big and the second too small. The
# column *halvings* does not divide one $N$ by another: it counts how often these pairs appear in the other half and
# averages over 94 or so pairs, eight times.
#
# **Sample, 1 point.** Turing divides neighbouring $N_c$. For 7 that is 94/87, more than 1, for 8 it is 47/94, one
# half, and times 8 and 9 this gives the two numbers. The column *halvings* is smoother because more text was used for
# it.
#
# **Sample, 0 points.** A pair seen 8 times is rarer than one seen 7 times, so less of it will be seen in the other
# half. In the column *halvings* this is hidden by rounding.
# ### END SOLUTION
