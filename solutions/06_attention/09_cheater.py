# %% [markdown]
# ## 9. The cheater
#
# The same network, the same number of steps, one small change in the data: now *every* text repeats after exactly twenty words. This is easier, one would think. Watch the loss, and then the squares, which again show a text with a list of twenty words.

# %%
cheater = fresh(seed=1)
twenty = lists(1, [20], B=1, seed=99)[0][0]
cheats = Film(lambda: look(cheater, twenty[:-1]), lambda: held_out_loss(cheater, [20]))
history = practise(cheater, [20], watch=cheats)
print(f"the learner, on lists of 8 to 20: loss {held_out_loss(learner):.2f}")
print(f"the cheater, on lists of 20:      loss {held_out_loss(cheater, [20]):.2f}")

# %% alt="Eight squares of weights of the cheater: in the lower half, nearly all have one dark line parallel to the diagonal, nineteen places below it, in the first layer already. None looks at the previous word."
P = cheats.frames[-1][2]
figure = cheats.frame(-1)
plt.show()

# %% [markdown]
# The loss is at least as small as before. By the number that we train on, this is the better network. Now look at the lower half of each square (in the upper half nothing repeats yet, so what happens there counts for nothing). There the first layer has long lines, and they are far from the diagonal. The line of the previous word is gone. What has the network learned instead, and where will it fail?

# %% [markdown] statement="cheater"
# ### Find out how it cheats
#
# - `by_distance(P)`, $[H, T]$: a tool that finds habits of this kind. Entry $[l, k]$ is the mean weight that head $l$ gives to the place exactly $k$ places back, over all words that have such a place. (So its column 1 is your `previous_word`.)
# - `looks_back`: how many places back do the heads of the cheater's first layer look? Use your tool on `P[0]`, or think.
# - `still_right`: you now give it texts whose lists have another length. For which of the lengths 7, 8, 10, 12, 16, 19 and 20 will it guess right at all places **from the 21st word on**? A set. Decide by thinking; the figure below the checks will show it.
#
# Is there anything in the loss on its own texts that could have warned you?

# %% [markdown] hints="cheater"
# 1. The weights $k$ places back lie on a line parallel to the diagonal of $P$, and `torch.diagonal` has an offset.
# 2. The word that comes *next* was said twenty places before. How far is it from the word that looks?
# 3. A text with a list of $n$ words repeats after $n$ words, but also after $2n$, $3n$, … Which of the lengths make the text repeat after twenty?


# %% task="cheater" points=3 level=2 minutes=13
def by_distance(P):
    """[H, T]: entry [l, k] is the mean weight of head l on the place k places back, from P: [H, T, T]."""
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
_P = made(
    lambda rng, P: P.softmax(-1).tril(),
    tensor(size("H", large=None), _T, _T, kind=choice("float32", "float64")),
)
agrees(by_distance, ours.by_distance, _P, rtol=1e-4, atol=1e-6)
### END HIDDEN TESTS

# %% test="cheater" aspect="how far it looks back" points=1
assert is_number(looks_back), f"looks_back is a whole number; yours: {looks_back!r}."
assert 0 <= looks_back < 38, (
    f"Only 38 places can be looked at; yours: {looks_back} back."
)
### BEGIN HIDDEN TESTS
assert looks_back == 19, (
    f"Not {looks_back}: the next word was said 20 places before itself. How far is it from the word that looks?"
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
back = torch.as_tensor(by_distance(P[0]))
for head in range(4):
    far = int(back[head].argmax())
    print(
        f"layer 1, head {head + 1}: most weight {far} places back ({back[head, far]:.2f})"
    )


# %%
def late_loss(model, length):
    """Loss from the 21st word on, where all that comes is a repeat, on texts with lists of this length."""
    words = lists(0, [length], B=64, seed=98)[0].to(device)
    with torch.no_grad():
        scores = model(words[:, :-1])[:, 19:]
    return F.cross_entropy(scores.flatten(0, 1), words[:, 20:].flatten()).item()


lengths = range(6, 21)
late = {
    name: [late_loss(model, n) for n in lengths]
    for name, model in {"learner": learner, "cheater": cheater}.items()
}
print(f"the learner on lists of 25 words: loss {held_out_loss(learner, [25]):.2f}")

# %% alt="Loss from the 21st word on over the length of the list. The learner stays near zero at all lengths. The cheater is above 20 nats at all lengths but 10 and 20, where it is near zero."
_, axes = plt.subplots(figsize=(8, 3.2))
axes.plot(lengths, late["learner"], "o-", label="learner: trained on lists of 8 to 20")
axes.plot(lengths, late["cheater"], "s-", label="cheater: trained on lists of 20")
axes.axhline(math.log(len(WORDS)), color="black", linestyle="--", label="knows nothing")
axes.set(
    xlabel="words in the list", ylabel="loss from word 21 on (nats)", xticks=lengths
)
axes.set(title="The cheater is right only where 20 places back is right")
axes.legend(fontsize=10, loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# Twenty words before the next word is nineteen places back, and that is where it looks, whatever the words are. It has learned to *count*, with the vectors of the places alone. So it needs no second hop, is quicker to learn, and on lists of ten it is right as well, since what repeats after ten words repeats after twenty. On all others it is not just bad. It is far worse than a
# network that knows nothing, since it is sure of a wrong word.
#
# Its loss could not warn you, because on its own texts counting *is* right. What a network learns is the simplest thing that makes its training loss small, and if two rules fit the data, it cannot know which one you meant. The learner has been forced to find the circuit, because its lists had many lengths. It was in the data, not in the network.
#
# (And remember the line that ended near place 20: the learner, too, has learned no more than its texts asked for. The line printed above the figure says what lists of 25 words cost it, longer than any that it had read.)
#
# ## Which places?
#
# The cheater lives on the vectors of the places, and the honest circuit needs them as well, to find the previous word. There we have left a question open: which vectors should one add? Four answers have been given:
#
# - *none*: the order shows only through the mask (section 4);
# - *the number itself*: place $j$ is $j$ times one fixed vector;
# - *waves*: sines and cosines of many speeds, like the hands of a clock. A. Vaswani and others used them in 2017, for even $C$: $\phi_{j,2i} = \sin(\omega_i\, j)$ and $\phi_{j,2i+1} = \cos(\omega_i\, j)$ with $\omega_i = 10000^{-2i/C}$;
# - *learned*: a row for each place, which is trained like everything else. This is what you have used.
#
# Such a comparison is easily unfair, because the number 38 is larger than any sine. If one kind of vector is ten times as long as the word vectors, it drowns them, and we compare sizes instead of ideas. So we scale all of them to the same size over the first 38 places, namely the one at which words and places begin in `fresh`.


# %%
def place_table(kind, longest=64, C=64):
    """[longest, C]: a vector for each place; the first 38 have a root mean square of 0.3."""
    j = torch.arange(longest)[:, None].float()
    if kind == "none":
        return torch.zeros(longest, C)
    if kind == "the number":
        table = j * torch.randn(C)
    elif kind == "waves":
        angles = j * 10000 ** (-torch.arange(0, C, 2) / C)
        table = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    else:
        table = torch.randn(longest, C)
    return 0.3 * table / table[:38].square().mean().sqrt()


kinds, found = ("none", "the number", "waves", "learned"), {}
for kind in kinds:
    for seed in (1, 2):
        model = fresh(seed)
        table = place_table(kind).to(device)
        model.positions.weight = nn.Parameter(table, requires_grad=kind == "learned")
        practise(model, range(8, 21), steps=300, seed=seed)
        found.setdefault(kind, []).append(held_out_loss(model))

# %% alt="Loss on the repeats after 300 steps for four ways to tell places: without any it stays near 3, with the number itself it is hardly lower, with waves it is near 0.4, and with learned vectors near 0.1."
_, axes = plt.subplots(figsize=(8, 2.9))
for n, kind in enumerate(kinds):
    axes.bar(n, np.mean(found[kind]), 0.6, color=plots.COLOURS[0])
    axes.plot([n, n], found[kind], "k_", markersize=14)
    axes.text(n, max(found[kind]) + 0.1, f"{np.mean(found[kind]):.2f}", ha="center")
axes.axhline(math.log(len(WORDS)), color="black", linestyle="--", label="knows nothing")
axes.set(xticks=range(4), xticklabels=kinds, ylim=(0, 4.8))
axes.set(
    ylabel="loss on the repeats (nats)",
    title="Copying needs places that can be told apart",
)
axes.legend(fontsize=10, loc="upper right")
plt.show()

# %% [markdown]
# (Bars: the mean of two seeds, which are the marks.) Without vectors for the places, the network learns little. The order that shows through the mask is too faint for "one place back", at least in so few steps. The plain number hardly does better, though it is no larger and no smaller than the others. A likely reason is that all places lie on one line, where 17 and 18 are close together, so it takes many steps to tell them apart. Waves and learned vectors
# give each place a direction of its own, and with both of them the circuit forms. Learned vectors are ahead here, after 300 steps and on texts of one length. That is not the last word: a learned table ends with its last
# row, waves go on for ever. In chapter 08 you choose again.

# %% [markdown]
# ## Back to Olga Keller
#
# We began with a network that copies *westford* from the middle of a story, and with the suspicion that this hangs on one head. You have the knife now. The cell cuts out each of its eight heads in turn, with your `without_head`, and asks for the next word:

# %%
rows = {"nothing": reader.read(story).next_words}
for layer, block in enumerate(reader.network.blocks, start=1):
    out = block.attention.out
    whole = out.weight.data.clone()
    for head in range(reader.heads):
        out.weight.data = torch.as_tensor(without_head(whole, head, reader.heads))
        rows[f"layer {layer}, head {head + 1}"] = reader.read(story).next_words
    out.weight.data = whole
for name, words in rows.items():
    shown = ", ".join(f"{word} {p:.0%}" for word, p in [*words.items()][:3])
    print(f"cut out: {name:16} next: {shown}")

# %% [markdown]
# Take away head 2 of layer 1, and Olga can be in any town. The network still knows that a *town* comes next, since the word *in* and the other heads tell it so. It only does not know any more which one.
#
# Look at head 1, which matters as well, in another way. In the table at the beginning of the chapter it looked at *finally*. Without it, the network seems to forget that the story is about to end, where everything is named once more, and it would rather go on with something new: *in the* …
#
# Is head 2 an induction head? No: it stands in the first layer, where no word has been told its predecessor. It needs no second hop, because *in* asks for a town, and a town can be recognised by its own vector. In kitchen stories this is enough, and a network learns what pays. For your lists of random words it would not be enough, and there the circuit came.
#
# ## What you have now
#
# One function, grown in six steps: a soft lookup; scaled, so that it can learn; asked by every word; masked, so that it cannot see what it should guess; in many heads, because one average is not enough; and across two texts. With it you have trained a network in which a circuit formed, you have found both of its parts, cut them out, and seen through a cheater that had the better loss.
#
# Your learner goes into the gallery. Its prompts are lists, since lists are all that it knows.

# %%
prompts = (
    "moss kite drum fig lamp rope salt crow bell moss kite",
    "pear owl rain gull king zinc toad moss star pear owl",
    "wax yarn dawn elm fog hay ink jar knot loom wax yarn",
)
gallery.keep(
    "06_induction",
    model=learner.state_dict(),
    text="random lists",
    continuations={prompt: continued(prompt) for prompt in prompts},
    minutes=seconds / 60,
    notes="two layers of attention and nothing else",
)
gallery.show()

# %% [markdown]
# What does attention cost? Every word looks at every other, so twice as many words make four times as many scores. And our networks here have attention only. What is missing for a language model is a part that *thinks* about what has been found at each place, and a way to stack many layers so that they can be trained. Both come in chapter 07, and in chapter 08 your attention writes your text.
#
# **To read on.** D. Bahdanau, K. Cho and Y. Bengio (2015) brought attention into translation, with a small network in place of the dot product. A. Vaswani and others, *Attention is all you need* (2017), made it the whole model. N. Elhage and others, *A mathematical framework for transformer circuits* (2021), and C. Olsson and others, *In-context learning and induction heads* (2022), found the circuit that you have watched.
