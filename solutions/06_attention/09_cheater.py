# %% [markdown]
# ## 8. The cheater
#
# We take the same network and the same number of steps, and make one small change in the data: now *every* text repeats after exactly twenty words. Watch the
# loss, and then the squares. This time the text in the squares has a list of twenty words.

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
cheater = fresh(seed=1)
twenty = lists(1, [20], B=1, seed=99)[0][0]
cheats = Film(lambda: look(cheater, twenty[:-1]), lambda: held_out_loss(cheater, [20]))
history = practise(cheater, [20], watch=cheats)
print(f"the learner, on lists of 8 to 20: loss {held_out_loss(learner):.3f}")
print(f"the cheater, on lists of 20:      loss {held_out_loss(cheater, [20]):.3f}")

# %% alt="Eight squares of weights of the cheater: in the lower half, nearly all have one dark line parallel to the diagonal, nineteen places below it, in layer 0 already. In the upper half of layer 0 there are dark lines on or near the diagonal. None looks at the previous word."
P = cheats.frames[-1][2]
figure = cheats.frame(-1)
plt.show()

# %% [markdown]
# Two losses of nearly 0. By the number that we train on, nobody could tell the two networks apart.
#
# Now look at the squares of layer 0, the upper four. In their lower half, from row 20 on, the list is repeated. There each of them has a long dark line, and
# this line is far from the diagonal. The learner had lines one cell below the diagonal in its layer 0, because its heads looked at the previous word. In the
# cheater there is no such line next to the diagonal. The line that you still see in the upper half lies *on* the diagonal, where a word looks at itself. (In
# the squares of layer 1, skip rows 0 to 19. What the last layer says there does not count for the loss.)
#
# What has this network learned instead, and where will it fail?

# %% [markdown] statement="cheater"
# ### Find out how it cheats
#
# - `by_distance(P)`, $[H, T]$: a tool that finds habits of this kind. Row $h$ belongs to head $h$. Entry $[h, k]$ is the mean weight that this head gives to the
#   place exactly $k$ places back, over all words that have such a place. (So its column 1 is your `previous_word`.)
# - `looks_back`: how many places back do the heads of the cheater's layer 0 look, once the list repeats? Use your tool on `P[0]`, or think.
# - `still_right`: you now give it texts whose lists have another length. For which of the lengths 7, 8, 10, 12, 16, 19 and 20 will it guess right at all places
#   **from the 22nd word on**? A set. Decide by thinking; the figure below the checks draws your lengths as crosses.
#
# Is there anything in the loss on its own texts that could have warned you?

# %% [markdown] hints="cheater"
# 1. The weights $k$ places back lie on a line parallel to the diagonal of $P$, and `torch.diagonal` has an offset.
# 2. The word that comes *next* was said twenty places before. How far is it from the word that looks?
# 3. A text with a list of $n$ words repeats after $n$ words, but also after $2n$, $3n$, … Which of the lengths make the text repeat after twenty?


# %% task="cheater" points=3 level=2 minutes=20
def by_distance(P):
    """[H, T]: entry [h, k] is the mean weight of head h on the place k places back, from P: [H, T, T]."""
    ### BEGIN SOLUTION
    T = P.shape[-1]
    return torch.stack(
        [P.diagonal(-k, dim1=1, dim2=2).mean(-1) for k in range(T)], dim=1
    )
    ### END SOLUTION


# looks_back = a whole number
# still_right = {lengths of lists}
### BEGIN SOLUTION
looks_back = 19
still_right = {10, 20}
### END SOLUTION

# %% test="cheater" aspect="mean weight at each distance" points=1
_P = torch.tensor([[[1.0, 0, 0], [0.3, 0.7, 0], [0.1, 0.8, 0.1]]])
_got = by_distance(_P.clone())
assert close(np.shape(_got), (1, 3), 0, 0), (
    f"One head, three words: shape (1, 3); yours: {np.shape(_got)}."
)
assert close(_got, [[0.6, 0.55, 0.1]], 1e-5), (
    f"Itself (1 + .7 + .1) / 3, one back (.3 + .8) / 2, two back .1; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_T = size("T", large=60)
_H = choice(size("H", large=None), _T)
_P = made(  # at a scale of 300, most weights are 0
    lambda rng, P: P.softmax(-1).tril(),
    tensor(_H, _T, _T, scale=choice(1, 300), kind=choice("float32", "float64")),
)
agrees(by_distance, ours.by_distance, _P, rtol=1e-4, atol=1e-6)
### END HIDDEN TESTS

# %% test="cheater" aspect="how far it looks back" points=1
assert is_number(looks_back), f"looks_back is a whole number; yours: {looks_back!r}."
assert looks_back in range(20), (
    f"At its place 20, where its list repeats, there are 20 places before it; yours: {looks_back!r} back."
)
_text = [*range(20), *range(20)]  # a list of 20 words, said twice
for _i in range(20, 39):
    _says = _text[_i - int(looks_back)]
    assert _says == _text[_i + 1], (
        f"Words 0 1 2 … 19 0 1 2 … 19: at place {_i}, {looks_back} places back stands word {_says}. "
        f"That is what it would say, but word {_text[_i + 1]} comes next."
    )
### BEGIN HIDDEN TESTS
assert looks_back == 19, (
    f"Not {looks_back!r}: the next word was said 20 places before itself. How far is it from the word that looks?"
)
### END HIDDEN TESTS

# %% test="cheater" aspect="where it is still right" points=1
assert isinstance(still_right, set | frozenset | list | tuple), (
    f"still_right is a set of lengths; yours: {still_right!r}."
)
assert {*still_right} <= {7, 8, 10, 12, 16, 19, 20} and 20 in {*still_right}, (
    f"Lengths out of 7, 8, 10, 12, 16, 19 and 20, and 20 is what it was trained on; yours: {still_right!r}."
)
### BEGIN HIDDEN TESTS
assert {*still_right} == {10, 20}, (
    f"Not {still_right!r}: it says the word that was said 20 places before. For which lists is that the right one?"
)
### END HIDDEN TESTS

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
back = torch.as_tensor(by_distance(P[0]))
for head in range(4):
    far = int(back[head].argmax())
    print(
        f"layer 0, head {head}: most weight {far} places back ({back[head, far]:.2f})"
    )


def own_loss():
    return held_out_loss(cheater, [20])


every = range(4)  # all heads of a layer
print(f"cut out, loss: layer 0 {with_cut(cheater, 0, every, own_loss):.2f},", end=" ")
print(f"layer 1 {with_cut(cheater, 1, every, own_loss):.2f},", end=" ")
neither = with_cut(cheater, 0, every, lambda: with_cut(cheater, 1, every, own_loss))
print(f"both {neither:.2f}")


def silent_at_first(found, words):
    """For `altered`: layer 0 finds nothing at places 0 to 19."""
    found[:, :, :20] = 0
    return found


mean_at_first = on_average(every, slice(20))
for what, alter in {"zeros": silent_at_first, "its mean": mean_at_first}.items():
    loss = held_out_loss(altered(cheater, alter), [20])
    print(f"layer 0 at places 0 to 19 replaced by {what}: loss {loss:.2f}")


# %%
def late_loss(model, length):
    """Loss from the 22nd word on, where all that comes is a repeat, on texts with lists of this length."""
    words = lists(0, [length], B=64, seed=98)[0].to(device)
    with torch.no_grad():
        scores = model(words[:, :-1])[:, 20:]
    return F.cross_entropy(scores.flatten(0, 1), words[:, 21:].flatten()).item()


lengths = range(6, 21)
late = {
    name: [late_loss(model, n) for n in lengths]
    for name, model in {"learner": learner, "cheater": cheater}.items()
}

# %% alt="Loss from the 22nd word on over the length of the list. The learner stays near zero at all lengths. The cheater is above 20 nats at all lengths but 10 and 20, where it is near zero."
_, axes = plt.subplots(figsize=(8, 3.2))
axes.plot(lengths, late["learner"], "o-", label="learner: trained on lists of 8 to 20")
axes.plot(lengths, late["cheater"], "s-", label="cheater: trained on lists of 20")
axes.plot([*still_right], [0] * len(still_right), "kx", ms=9, label="your still_right")
axes.axhline(math.log(len(WORDS)), color="black", linestyle="--", label="knows nothing")
axes.set(
    xlabel="words in the list", ylabel="loss from word 22 on (nats)", xticks=lengths
)
axes.set(title="The cheater is right only if the next word was said 20 words before")
axes.legend(fontsize=10, loc="center", bbox_to_anchor=(0.64, 0.5))
plt.show()

# %% [markdown]
# Stand at place 25 of the cheater's text. (Places are counted from 0, and the list has twenty words.) The next word, that of place 26, was also said at place
# 6, nineteen places back. And nineteen places back is where all four heads of its layer 0 look, as the printed lines say, on one text. How does a head find
# that place? Not by the words: they are random, and any word may stand nineteen places before any other. So it must go by the places. For each place the
# cheater has learned which place stands nineteen back.
#
# The four lower squares, of layer 1, have the same line. So which of the two layers does the work? The line *cut out* says it: without layer 0 the loss is
# 0.4, without layer 1 it is 1.0, and without both 4.3, when we ran this. The first two are far below the 4.16 of a network that knows nothing. So in this
# network each layer can do the trick alone, if less well. (We have trained a single cheater. In another one, one layer may do it all.)
#
# What of the line on the diagonal, in the first twenty rows? Does layer 1 use what layer 0 looks up there? It seems so at first: if layer 0 finds only zeros
# at places 0 to 19, the loss rises to 0.78, as the line *replaced by zeros* says. But the last line says otherwise. There layer 0 finds, at each of these
# places, the mean of what it finds there in all 64 texts. A mean tells nothing about the words of one text, and yet the loss is only 0.02. So layer 1 needs
# hardly anything of what was looked up there. It only expects that the usual vector is added. A cut with zeros can mislead, and the mean is the better
# control.
#
# The figure shows on which lists the trick works. The orange squares are the cheater. It is right on lists of twenty, and on lists of ten, because what
# repeats after ten words also repeats after twenty. On all other lists its loss is above 20 nats, far worse than the 4.16 of a network that knows nothing. It
# is sure, and wrong. The blue dots are the learner, which copies lists of all these lengths, even those of six and seven words, which are shorter than any
# that it had read.
#
# The loss of the cheater could not warn you, because on its own texts looking nineteen back *is* right. If two rules fit the data, a network cannot know which
# one you meant. The learner is the same kind of network. What has kept it from this rule was its data: in lists of many lengths, no fixed distance is right.
