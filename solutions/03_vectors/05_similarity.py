# %% [markdown]
# ## 6. What does *similar* mean?
#
# Which words lie near *tea*? The unsigned lecture measures similarity by the dot product: large means similar, small very
# different. But $u \cdot v = |u|\,|v| \cos\varphi$, with $\varphi$ the angle between the vectors $u$ and $v$: a long
# one has large products with many others. The **cosine**
#
# $$\cos\varphi = \frac{u \cdot v}{|u|\,|v|}$$
#
# does not depend on lengths: it is 1 for the same direction, 0 for a right angle, $-1$ for the opposite.

# %% [markdown] statement="nearest"
# ### The nearest words
#
# Write
#
# - `cosines(A, i)`: the cosines of row $i$ with all rows of $A$, shape $(V,)$. Where one of the two vectors is zero
#   there is no angle: put 0 (also for row $i$ with itself).
# - `nearest(A, i, n)`: a list of the numbers of the $n < V$ words with the largest cosines, the largest first, without
#   $i$. Of equal cosines the smaller number comes first.
# - `counter_example`: three vectors `(u, v, w)` of two numbers each. $v$ has the direction of $u$, and $w$ makes an
#   angle of at least 45 degrees with it; still $u \cdot w$ is at least twice $u \cdot v$, and $u \cdot v > 0$.

# %% [markdown] hints="nearest"
# 1. On paper: make one vector ten times as long. What happens to its dot products, what to its cosines?
# 2. All the products of row $i$ with all rows are one product of a matrix and a vector. Divide by lengths, but not by
#    zero.
# 3. Sort numbers by decreasing cosine with a sort that keeps equal ones in order, then leave out the word itself
#    *before* you cut off $n$. For the counter-example, $w$ may be as long as you like.


# %% task="nearest" points=4 level=1 minutes=18
def cosines(A, i):
    """The cosines (V,) of row i with every row of the array A (V, d); 0 where a vector is zero."""
    ### BEGIN SOLUTION
    lengths = np.sqrt((A**2).sum(1))
    scale = lengths * lengths[i]
    return np.where(scale > 0, A @ A[i] / np.where(scale > 0, scale, 1), 0)
    ### END SOLUTION


def nearest(A, i, n):
    """The numbers of the n rows nearest to row i by cosine, nearest first, without i."""
    ### BEGIN SOLUTION
    order = np.argsort(-cosines(A, i), kind="stable")
    return [int(j) for j in order if j != i][:n]
    ### END SOLUTION


# counter_example = (u, v, w), each a list of two numbers
### BEGIN SOLUTION
counter_example = ([1, 0], [1, 0], [10, 10])
### END SOLUTION

# %% test="nearest" aspect="lengths do not matter" points=1
_got = cosines(np.array([[3.0, 4.0], [30.0, 40.0], [-4.0, 3.0], [0.0, -2.0]]), 0)
assert np.shape(_got) == (4,), f"Four rows, four cosines; yours: {_got!r}."
assert close(_got, [1, 1, 0, -0.8], 1e-5, 1e-6), (
    f"Same direction 1, right angle 0, (0, -2) -0.8; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_A = made(
    lambda rng, V, d: np.array(
        [
            [length * rng.gauss(0, 1) for _ in range(d)]
            for length in rng.choices([1e-5, 1, 100], k=V)
        ]
    ),
    size("V"),
    size("d"),
    edges=[np.array([[3e-5, 4e-5], [0.0, 2e-5], [1.0, 0.0]])],
)
_i = made(lambda rng, A: rng.randrange(len(A)), _A, edges=[0])
agrees(cosines, ours.cosines, _A, _i, rtol=1e-5, atol=1e-6)
### END HIDDEN TESTS

# %% test="nearest" aspect="vectors of length zero" points=1
_got = cosines(np.array([[1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]), 0)
assert np.shape(_got) == (3,), f"Three rows, three cosines; yours: {_got!r}."
assert close(_got[1], 0), f"The zero vector has no angle: 0; yours: {_got!r}."
### BEGIN HIDDEN TESTS
_A = made(
    lambda rng, V, d, length: np.array(
        [[length * (v % 3 > 0) * rng.gauss(0, 1) for _ in range(d)] for v in range(V)]
    ),
    size("V"),
    size("d"),
    choice(1.0, 1e-9),  # short is not zero
)
_i = made(
    lambda rng, A: rng.randrange(len(A)), _A, edges=[0, lambda rng, A: len(A) - 1]
)
agrees(cosines, ours.cosines, _A, _i, rtol=1e-5, atol=1e-6)
### END HIDDEN TESTS

# %% test="nearest" aspect="nearest first, without itself" points=1
_A = np.array([[1.0, 0.0], [9.0, 9.0], [2.0, 1.0], [-1.0, 0.0]])
_got = nearest(_A.copy(), 0, 2)
assert hasattr(_got, "__len__"), f"nearest returns a list of numbers; yours: {_got!r}."
assert list(_got) == [2, 1], f"Nearest to row 0: first 2, then 1; yours: {_got!r}."


### BEGIN HIDDEN TESTS
def _along_axes(rng, V, d):  # equal cosines, exactly
    rows = np.zeros((V, d))
    for row in rows:
        row[rng.randrange(d)] = rng.choice([-3, 0, 1, 2, 5])
    return rows


_V = size("V")
_A = made(
    lambda rng, V, d: np.array([[rng.gauss(0, 1) for _ in range(d)] for _ in range(V)]),
    _V,
    size("d", least=2),
)
_i = made(lambda rng, V: rng.randrange(V), _V, edges=[0, lambda rng, V: V - 1])
_n = made(lambda rng, V: rng.randrange(V), _V, edges=[0, lambda rng, V: V - 1])
agrees(nearest, ours.nearest, _A, _i, _n)
agrees(nearest, ours.nearest, made(_along_axes, _V, size("d")), _i, _n)
_all = made(lambda rng, V: V - 1, _V)
agrees(nearest, ours.nearest, made(_along_axes, _V, 1), _i, _all)  # many opposites


def _side_by_side(rng, V):  # cosines that differ in the fifth decimal
    angles = [0, *(1 + 1e-5 * step for step in rng.sample(range(99), V - 1))]
    return np.array([[math.cos(angle), math.sin(angle)] for angle in angles])


agrees(nearest, ours.nearest, made(_side_by_side, _V), 0, _all)
### END HIDDEN TESTS

# %% test="nearest" aspect="a large product without likeness" points=1
assert np.shape(counter_example) == (3, 2), (
    f"counter_example holds three vectors of two numbers; yours: {counter_example!r}."
)
### BEGIN HIDDEN TESTS
_u, _v, _w = (np.array(_vector, dtype=float) for _vector in counter_example)
assert _u @ _v > 0 and abs(_u[0] * _v[1] - _u[1] * _v[0]) <= 1e-9 * (_u @ _v), (
    "v should have the direction of u."
)
assert _u @ _w <= (math.cos(math.pi / 4) + 1e-9) * math.sqrt((_u @ _u) * (_w @ _w)), (
    "The angle between u and w should be at least 45 degrees."
)
assert _u @ _w >= 2 * (_u @ _v), (
    "The product of u and w should be at least twice that of u and v."
)
### END HIDDEN TESTS

# %%
A_svd, B_svd = factors(M, 50)
for word in ("tea", "guard", "orders", "golden"):
    near = ", ".join(words[j] for j in nearest(A_svd, number[word], 5))
    products = N @ N[number[word]]  # the dot product of raw counts
    big = ", ".join(words[j] for j in np.argsort(-products, kind="stable")[:5])
    print(f"{word:7} cosine: {near}")
    print(f"{'':7} dot product of counts: {big}")

# %% [markdown]
# Counting, one logarithm and one decomposition put *tea* with what is served, *guard* with people, *orders* with verbs and *golden* with adjectives. By the
# dot product of raw counts, all are most similar to the same few frequent words. But these two lists differ in *two* things, the table and the rule. Which of
# the two made the difference? We try all four combinations, and count how many of a word's ten nearest words have the same commonest tag (noun, verb, name
# ...) as the word itself.

# %%
tags_seen = {}
for story, tags in zip(stories, kitchen.tags["train"], strict=True):
    for word, tag in zip(story, tags, strict=True):
        tags_seen.setdefault(word, Counter())[tag] += 1
tag_of = np.array(["", *(tags_seen[word].most_common(1)[0][0] for word in frequent)])


def largest_products(table, i, n):
    """The numbers of the n rows with the largest dot products with row i of a table (V, d), without i."""
    products = table @ table[i]
    products[i] = -np.inf
    return np.argsort(-products, kind="stable")[:n]


for name, table in {"raw counts": N, "A of the SVD": A_svd}.items():
    for rule, near in {"dot product": largest_products, "cosine": nearest}.items():
        right = [np.mean(tag_of[near(table, i, 10)] == tag_of[i]) for i in range(1, V)]
        print(
            f"{name:12} {rule:11} {np.mean(right):.0%} of the nearest have the same tag"
        )

# %% [markdown]
# Either remedy is enough: the cosine cures the raw counts, and the table of PPMI, which no longer says how frequent a word is, cures the dot product. Only raw
# counts with the dot product fail, and both remedies together are best. So the dot product is not wrong in itself. It goes wrong where the lengths of the
# vectors say something that you did not want to ask, such as how frequent a word is.
#
# ### How many sentences of *veltin*?
#
# Now back to the opening. You needed three sentences to know what *veltin* is. How many does counting need? So far, a new word would not even have a vector:
# all words seen fewer than 20 times are `<UNK>`. This time we let it in, however rare it is. We hide it in the text: at 3, 10 or 30 of the 100 places that say
# *coffee*, drawn at random, we write *veltin* instead. Then we count, take the PPMI and factor as before. *Predict:* after how many sentences is *coffee* among
# the nearest neighbours of *veltin*?

# %%
spots = [
    (s, t)
    for s, text in enumerate(texts)
    for t, i in enumerate(text)
    if i == number["coffee"]
]
for n in (3, 10, 30):
    ranks = []
    for seed in range(3):
        planted = [list(text) for text in texts]
        for s, t in np.random.default_rng(seed).permutation(spots)[:n]:
            planted[s][t] = V  # the number of the new word
        A_new, _ = factors(ppmi(cooccurrences(planted, V + 1, 2)), 50)
        near = nearest(A_new, V, V)
        ranks.append(near.index(number["coffee"]) + 1)
        if seed == 0:
            first = ", ".join(words[j] for j in near[:6])
    print(f"{n:2} times: coffee comes at place {ranks} of {V} (three draws)")
    print(f"{'':9} nearest in the first draw: {first}")

# %% [markdown]
# Three sentences already say a lot. The vector of *veltin* knows *coffee* as one of the nearest 36 of 664 words in all three draws, where luck would put it
# near place 332. But names come first in the list, because with so few neighbours each accident weighs as much as all the rest. With 30 sentences *coffee* is
# at place 1 in two draws, and four of the first six words are drinks. Yet the third draw still has *coffee* at place 35. You needed three sentences because
# you already knew the language, and knew what happens to people after three glasses. The program starts with nothing but its counts. (Put *tea* in the place
# of *coffee*, and the places get worse. The neighbours of *tea* are mostly dishes, as you have seen, and so *veltin* becomes a dish.)
