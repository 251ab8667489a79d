# %% [markdown]
# ## 8. One model for all of them
#
# So far each model had one kind of thing to read. Now for the last step: one model that reads and writes several. Everything in this section is a real token, one of finitely many that can be predicted: words, bins of brightness, bins of angles. To share a model they need *one* numbering. Each kind gets a stretch of its own, one after another:

# %% folded="draws the shared numbers" alt="Three blocks in a row share one softmax: numbers 0 to 7 for pictures, 8 to 15 for words, 16 to 47 for the arm."
drawings.shared_vocabulary()

# %% [markdown]
# And one softmax over all $V$ numbers decides two things at once. With $q$ for the kind of the token $k$:
#
# $$-\ln P(k) = \underbrace{-\ln P(q)}_{\text{which kind?}} \; \underbrace{- \ln P(k \mid q)}_{\text{which of its tokens?}} , \qquad P(q) = \sum_{k' \text{ of kind } q} P(k') .$$
#
# The first part is the price of sharing. Our models of one kind have all $V$ outputs, too, but they soon learn that the other kinds never come, and pay next
# to nothing.

# %% [markdown] statement="join"
# `sizes`: a dict, kind → how many tokens it has (perhaps 0). With `{"words": 8, "arm": 32}`, the words have the numbers 0 to 7, the arm 8 to 39.
#
# - `stretches(sizes)`: a dict, kind → the `range` of its shared numbers.
# - `join(parts, sizes)`: `parts` is a list of pairs (kind, list of tokens, perhaps empty), tokens numbered from 0 in their kind. Returns one list of shared numbers. A token that its kind does not have: `ValueError`.
# - `split(numbers, sizes)`: back, a list of such pairs. Neighbours of one kind share a pair; none is empty.
# - `kind_and_token(logits, numbers, sizes)`: logits $[T, V]$, perhaps large, and the shared numbers that came, a tensor $[T]$. Returns two tensors $[T]$, $-\ln P(q)$ and $-\ln P(k \mid q)$.

# %% [markdown] hints="join"
# 1. The first number of a kind is the sum of all sizes before it. Which kind owns a number, if one kind has size 0?
# 2. `itertools.groupby` finds stretches of equal neighbours, if its key is the kind of a number.
# 3. $\ln P(q)$ is a `logsumexp` over a slice of the `log_softmax`; what is left of the cross-entropy is the second part.


# %% task="join" points=3 level=2 minutes=18
def stretches(sizes):
    """Dict kind -> the range of its shared numbers."""
    ### BEGIN SOLUTION
    ends = itertools.accumulate(sizes.values())
    return {q: range(e - n, e) for (q, n), e in zip(sizes.items(), ends, strict=True)}
    ### END SOLUTION


def join(parts, sizes):
    """Pairs (kind, tokens) -> one list of shared numbers; ValueError if a kind lacks a token."""
    ### BEGIN SOLUTION
    numbers, owned = [], stretches(sizes)
    for q, tokens in parts:
        for token in tokens:
            if not 0 <= token < sizes[q]:
                raise ValueError(
                    f"{q} has {sizes[q]} tokens, but none numbered {token}."
                )
            numbers.append(owned[q][token])
    return numbers
    ### END SOLUTION


def split(numbers, sizes):
    """Shared numbers -> pairs (kind, tokens); neighbours of one kind share a pair."""
    ### BEGIN SOLUTION
    pairs, owned = [], stretches(sizes)
    for number in numbers:
        q = next(q for q, some in owned.items() if number in some)
        if not pairs or pairs[-1][0] != q:
            pairs.append((q, []))
        pairs[-1][1].append(number - owned[q].start)
    return pairs
    ### END SOLUTION


def kind_and_token(logits, numbers, sizes):
    """Logits [T, V], shared numbers [T] -> -ln P(kind) [T] and -ln P(token | kind) [T]."""
    ### BEGIN SOLUTION
    logs = logits.log_softmax(-1)
    whole = -logs.gather(1, numbers[:, None])[:, 0]
    kind = torch.zeros_like(whole)
    for some in stretches(sizes).values():
        there = (numbers >= some.start) & (numbers < some.stop)
        if there.any():
            kind[there] = -logs[there, some.start : some.stop].logsumexp(-1)
    return kind, whole - kind
    ### END SOLUTION


# %% family="join"
_kinds = ["words", "arm", "picture", "sound", "", 3]


def _some(rng, n, most):
    """How many tokens n kinds have; the first of them has some."""
    named = rng.sample(_kinds, n)
    sizes = {q: rng.choice([0, 0, 1, most, rng.randint(1, most)]) for q in named}
    return {**sizes, named[0]: most}


_sizes = made(_some, size("kinds", most=6, large=None), choice(2, 9, 300))
_large = made(_some, size("kinds", most=6, large=None), choice(2, 9, 40_000))

# %% test="join" aspect="no two kinds share a number" points=1
_sizes = {"words": 8, "arm": 32}
_got = stretches(dict(_sizes))
assert {q: list(some) for q, some in _got.items()} == {
    "words": list(range(8)),
    "arm": list(range(8, 40)),
}, f"words 0 to 7, arm 8 to 39; yours: {_got!r}."
_got = join([("words", [7, 0]), ("arm", [0, 31])], dict(_sizes))
assert isinstance(_got, list | tuple), f"join returns a list; yours: {_got!r}."
assert list(_got) == [7, 0, 8, 39], (
    f"words 7, 0, arm 0, 31: 7 0 8 39 wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS
agrees(
    stretches,
    ours.stretches,
    _sizes,
    by=lambda f, sizes: {q: list(some) for q, some in f(sizes).items()},
)


def _parts(rng, sizes, n, wrong):
    """Pairs (kind, tokens), perhaps with a token at some place that the kind does not have."""
    parts = []
    for q in rng.choices([*sizes], k=n):
        parts.append(
            (q, rng.choices(range(sizes[q]), k=rng.randrange(4) if sizes[q] else 0))
        )
    if wrong and parts:
        q, tokens = rng.choice(parts)
        tokens.insert(rng.randint(0, len(tokens)), wrong(sizes[q]))
    return parts


_wrong = choice(None, lambda n: n, lambda n: -1, lambda n: n + 1)
_length = size("parts", least=0)
agrees(
    join,
    ours.join,
    made(_parts, _large, _length, _wrong),
    _large,
    raises=ValueError,
    mixtures=40,
)
### END HIDDEN TESTS

# %% test="join" aspect="back into kinds" points=1
_sizes = {"words": 8, "arm": 32}
_got = split([7, 0, 8, 39, 3], dict(_sizes))
_wanted = [("words", [7, 0]), ("arm", [0, 31]), ("words", [3])]
assert isinstance(_got, list | tuple), (
    f"split returns a list of pairs; yours: {_got!r}."
)
assert [(q, list(some)) for q, some in _got] == _wanted, (
    f"7 0 8 39 3: {_wanted} wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_numbers = made(
    lambda rng, sizes, n: rng.choices(range(sum(sizes.values())), k=n),
    *(_large, size("numbers", least=0)),
)
agrees(split, ours.split, _numbers, _large, mixtures=60)
### END HIDDEN TESTS

# %% test="join" aspect="which kind, then which token" points=1
_logits = torch.tensor([[0.0, 0, 0, 0], [0, 0, 0, math.log(3)]])
_got = kind_and_token(_logits.clone(), torch.tensor([0, 3]), {"words": 1, "arm": 3})
assert isinstance(_got, list | tuple) and len(_got) == 2, (
    f"Two tensors wanted; yours: {_got!r}."
)
assert close(_got[0], [math.log(4), math.log(6 / 5)], 1e-4, 1e-5), (
    f"P(words) = 1/4, then P(arm) = 5/6: -ln of them wanted; yours: {_got[0]!r}."
)
assert close(_got[1], [0, math.log(5 / 3)], 1e-4, 1e-5), (
    f"The only word is certain, then 3/5: -ln of them wanted; yours: {_got[1]!r}."
)
### BEGIN HIDDEN TESTS
_T, _V = size("T"), made(lambda rng, sizes: sum(sizes.values()), _sizes)
agrees(
    kind_and_token,
    ours.kind_and_token,
    tensor(_T, _V, scale=3, edges=["huge"]),
    ids(_T, below=_V),
    _sizes,
    rtol=1e-4,
    atol=1e-3,  # float32 keeps logits of 1,000 to about 0.0001
)
_loud, _numbers = tensor(_T, 4, scale=300), ids(_T, below=4)  # whole kinds at e^-300
_given = _loud, _numbers, {"words": 1, "arm": 3}
agrees(kind_and_token, ours.kind_and_token, *_given, rtol=1e-4, atol=1e-3)
### END HIDDEN TESTS

# %% [markdown]
# What happens when they share? Three kinds: the brightness of 64 patches of a drawn shape, in 8 bins; a caption of three words, such as *cross top left*; the two angles of an arm at 12 points of a circle, in 32 bins. Three causal Transformers (chapter 8) learned one kind each, *alone*, for 20 seconds. One Transformer of the same width learned all of them for 60 seconds, *together*; there each caption follows its picture. (Recorded: `python -m benchmarks.record.mixed`.)

# %% alt="Left: nats per token of picture and arm, alone and together, differ little. Right: a caption costs 0.9 nats alone, 0.4 after its picture, and 3 after another picture."
table = pd.read_csv(paths.DATA / "anything" / "mixed.csv")
kinds = ["picture", "words", "arm"]
means = table.groupby(["model", "kind"])[["nats", "kind_nats", "steps"]].mean()
_, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6))
for side, name in ((-1, "alone"), (1, "together")):
    rows = table[table["model"] == name].pivot(
        index="kind", columns="seed", values="nats"
    )
    colour = plots.COLOURS[(side + 1) // 2]
    x = np.arange(2) + 0.17 * side
    shown = rows.loc[["picture", "arm"]]
    left.bar(x, shown.mean(axis=1), 0.32, color=colour, label=name)
    left.plot(x, shown, "k.")
    right.bar((side + 1) // 2, rows.loc["words"].mean(), 0.5, color=colour)
    right.plot([(side + 1) // 2] * 3, rows.loc["words"], "k.")
swapped = table["swapped"].dropna()
right.bar(2, swapped.mean(), 0.5, color=plots.COLOURS[2])
right.plot([2] * 3, swapped, "k.")
left.set(xticks=range(2), xticklabels=["picture", "arm"], ylabel="nats per token")
left.set(title="Sharing a model changes little", ylim=(0, 1.1))
left.legend(loc="upper left", ncols=2)
labels = ["alone", "together,\nits picture before", "together, another\npicture before"]
right.set(xticks=range(3), xticklabels=labels, title="A caption reads its picture")
plt.show()
means.loc[["alone", "together"]].round({"nats": 3, "kind_nats": 4, "steps": 0})

# %% [markdown]
# (A black dot is one training.) On the left: what a token of a picture or an arm costs is nearly the same, alone or together. Do not read more into it.
# Pictures are 2 % *better* together, but the comparison was not even: in its 60 seconds the shared model made 2,670 steps, half of them on pictures with
# captions, and the picture model alone managed 690 in its 20 seconds. Arms are 1 % worse, about as much as the price of the kind, 0.013 nats a token, the
# first part of the formula. The seeds differ by more. All we can say is that one small model holds both without visible harm.
#
# On the right is what no model of one kind can have. With its picture before it, a caption takes less than half of the nats, and after *another* picture more than three times as many as alone. So the model really looks: the tokens of one kind have become a condition for those of the next (chapter 9), and nobody had to tell it how.

# %% [markdown]
# ### Let it write
#
# A model of many kinds can also *write* many kinds. The next cells load one like *together*, which learned for five minutes, and draw eight documents from
# it, one token after the other. Of each, we choose the kind of the first token, and when to stop. Your `split` takes apart what it says, and your `from_bins`
# makes angles of the tokens of the arm. What do you expect of a painter that knows nothing of space, and has only ever guessed the next number in a row?


# %% folded="loads the model and lets it write"
KINDS = {"picture": 8, "words": 8, "arm": 32}
CAPTIONS = [*anything.SHAPES, "top", "bottom", "left", "right"]
START = sum(KINDS.values())
writer = Transformer(
    TransformerConfig(
        START + 1, block=80, layers=2, heads=4, width=48, positions="learned"
    )
).eval()
stored = np.load(paths.DATA / "anything" / "writer.npz")
writer.load_state_dict(
    {name: torch.from_numpy(stored[name].astype("float32")) for name in stored.files}
)


@torch.no_grad()
def go_on(numbers, length, dice=None):
    """Shared numbers until there are `length` of them; drawn with `dice`, else always the likeliest."""
    numbers = list(numbers)
    while len(numbers) < length:
        scores = writer(torch.tensor([[START, *numbers]]))[0, -1, :START]
        if dice is None:
            numbers.append(int(scores.argmax()))
        else:
            chances = scores.softmax(-1)
            numbers.append(int(torch.multinomial(chances, 1, generator=dice)))
    return numbers


def document(kind, seed):
    """What the model writes if its first token is of that kind: pairs (kind, tokens)."""
    dice = torch.Generator().manual_seed(seed)
    length = {"arm": 24, "picture": 67}[kind]  # a picture and its caption
    own = stretches(KINDS)[kind]
    with torch.no_grad():
        chances = writer(torch.tensor([[START]]))[0, -1, list(own)].softmax(-1)
    first = own[int(torch.multinomial(chances, 1, generator=dice))]
    return split(go_on([first], length, dice), KINDS)


# %% alt="Eight panels, drawn by one model: small grey pictures in which a bright square, disk, triangle or cross can be made out, each with a caption of three words, and round paths of an arm."
# NBVAL_IGNORE_OUTPUT
# (one last digit rounded otherwise changes a token, and all that follow)
_, axes = plt.subplots(2, 4, figsize=(8, 4.4))
for seed, ax in enumerate(axes.flat):
    for kind, tokens in document("picture" if seed < 4 else "arm", seed):
        if kind == "picture" and len(tokens) == 64:
            shades = np.reshape(tokens, (8, 8))
            ax.imshow(shades, cmap="gray", vmin=0, vmax=7)
        elif kind == "words":
            ax.set_title(" ".join(CAPTIONS[i] for i in tokens), fontsize=11)
        elif kind == "arm" and len(tokens) % 2 == 0:
            bins = torch.tensor(tokens).view(-1, 2)
            path = anything.hand(np.pi * from_bins(bins, 32).numpy())
            ax.plot(*path.T, "o-")
            ax.set(aspect="equal", title="arm")
            ax.title.set_fontsize(11)
    ax.grid(visible=False)
    ax.set(xticks=[], yticks=[])
plt.suptitle("One model, two kinds of document")
plt.show()

# %%
# NBVAL_IGNORE_OUTPUT
# (one last digit rounded otherwise changes a token, and all that follow)
images, shown = anything.shapes(200, seed=7)
bright = F.avg_pool2d(images.mean(1), 2).flatten(1)  # [200, 64], from 0 to 1
tokens = to_bins(2 * bright - 1, 8).tolist()
named = [split(go_on(join([("picture", row)], KINDS), 65), KINDS)[-1] for row in tokens]
right = [
    kind == "words" and word == [number]
    for (kind, word), number in zip(named, shown.tolist(), strict=True)
]
print(f"new pictures named rightly: {np.mean(right):.0%} of {len(right)}")

# %% [markdown]
# In the upper row it has painted, token by token, from the left to the right and from the top to the bottom, and then it has said what it painted. In our run
# a bright square stands where its caption says, *square top right*, and nobody has ever told the model that the eighth token stands above the sixteenth. In
# the lower row it has moved an arm. It has only ever seen round paths, and these are nearly round. (A bin is 0.2 radians wide, so they cannot be smooth.) And
# if you show it a new picture, made by our program, it names the shape in nine of ten cases, where guessing brings one in four.

# %% [markdown]
# One column of the table is strange. `kind_nats` is what it costs to say of which kind a token is, and in the model of many kinds it is 0.013 for an arm and 0.021 for a picture. Should it not be $\ln 2$ once, at the first token, where nobody can know which kind of document comes?
#
# Let $p$ be the probability that the model gives there to *arm*. Half of its batches are arms, and the loss is a mean over the tokens of a batch. An arm has 24 tokens, so in its batches the first token has weight $\frac{1}{24}$; a picture with its caption has 67, so there it has weight $\frac{1}{67}$. What the training makes small is therefore
#
# $$\tfrac12 \cdot \tfrac{1}{24} (-\ln p) + \tfrac12 \cdot \tfrac{1}{67} (-\ln (1 - p)) , \qquad \text{smallest where } \frac{1}{24\, p} = \frac{1}{67\, (1 - p)} , \text{ that is } p = \frac{67}{67 + 24} .$$
#
# Not ½ but 0.74: the model leans towards arms, because a mistake there weighs more. Now spread the cost over the tokens of a kind: $-\frac{1}{24} \ln \frac{67}{91} = 0.0128$ for each of the 24 of an arm, $-\frac{1}{64} \ln \frac{24}{91} = 0.0208$ for each of the 64 of a picture. Compare with the table. How batches are mixed is part of what a model of mixed kinds learns.

# %% [markdown]
# ## What this course was
#
# One question, *what comes next?*, and one number to judge an answer. Each model answered well until something broke it, and what broke it was the reason for the next:
#
# | chapter | what it brought | what broke it |
# |---|---|---|
# | 1 | Counting gives every sentence a probability. | A pair of words that was never seen is impossible. |
# | 2 | Smoothing keeps something for what was never seen. | In a table of counts, no two words are alike. |
# | 3 | Word vectors put similar words near each other. | A word has one vector, whatever it means in this sentence. |
# | 4 | A network over a window learns its own features. | Nothing beyond the window can matter. |
# | 5 | A recurrent network carries a state through a text of any length. | Old news fades, and each step has to wait for the one before. |
# | 6 | Attention looks at all places at once. | By itself it does not know their order. |
# | 7 | An encoder reads both sides of a gap. | It cannot write. |
# | 8 | A causal Transformer reads and writes. | It says what is likely, which need not be what you want it to say. |
# | 9 | A condition tells it what to say: *this*, in another language. | Many translations are right, and a score knows only some of them. |
# | 10 | A scoreboard compares all models fairly. | On one text, in one language. |
# | 11 | A token need not be a word. | That part is yours. |

# %% [markdown]
# What never changed is the chain rule of chapter 1: a probability for each next token, multiplied together. All that the models learned was how to fill in these factors. And most of the work was in two questions that no architecture answers for you: *what are the tokens*, and *is the comparison fair?*

# %% [markdown]
# *Sources.* Much of this chapter's plan, and the sentence that it takes at its word, come from a lecture by Yoav Artzi, which thanks Lucas Beyer, from whose slides some of its content comes, and Greg Durrett, Ana Marasović and Christian von der Weth. Benjamin Muller's lecture ends with these references: Devlin and others 2018 (BERT), Radford and others 2019 (GPT-2), Rae and others 2018, Siegelmann and Sontag 1992, Vaswani and others 2017.
#
# Named in this chapter: Chen and others 2021 (Decision Transformer), Haviv and others 2022 and Kazemnejad and others 2023 (no positions), Dosovitskiy and others 2021 (Vision Transformer), van den Oord and others 2017 (learned codes for pictures), Radford and others 2022 (Whisper), Brohan and others 2022 and 2023 (RT-1, RT-2), Reed and others 2022 (Gato), van den Oord and others 2016 (WaveNet).

# %% [markdown]
# ## What you can do now
#
# You have reached the last page of the course. Take a moment to see how far that is. You started with a table of eight words, and you have since written, with your own hands, a smoothed n-gram model, word vectors, a recurrent network with its gradients, attention, an encoder, a Transformer that writes, beam search, and the statistics that tell whether any of it is better than the rest. Every part was checked by tests that you could not see. Nobody can tell you any more that a language model is magic; you know which multiplication it is.
#
# So, if somebody now hands you a new model, you can
#
# - read its paper with a pencil: find the tokens, the factors of the chain rule, and the place where information flows from one position to another;
# - build a small version that runs on your own computer, and test it against a case whose answer you know;
# - find the usual bugs, such as a mask that leaks, a softmax over the wrong axis, or a target that stands in the input;
# - and ask the four questions of chapter 10 before you believe its table.
#
# **Something to build next.** Start small and finish it.
#
# - *A writer of your own.* Train the Transformer of chapter 8 on a text that you love, and let it continue a sentence of yours.
# - *An entry for the challenge.* `autograder challenge my_model.ipynb`: a fixed budget of computing time, an exact floor, and room below every model of this course.
# - *A painter.* Give this chapter's patches real tokens: cluster them into 64 kinds, number the kinds, train a causal Transformer on the rows, and let it draw a shape. You have every part already; only the clustering is new.
# - *A reader of bytes.* Every file on your disk is a row of numbers below 256. What does a Transformer make of pictures, songs or programs without being told what they are?
#
# **Something to read next**, from near to far.
#
# - A. Karpathy's *nanoGPT* and *nanochat*: the Transformer of chapter 8, grown up, in code short enough to read in an afternoon. You will recognise nearly every line.
# - Stanford's *CS336, Language Modeling from Scratch*: the same journey on real data and many GPUs.
# - J. Hoffmann and others, *Training compute-optimal large language models* (2022): how large a model, and how much text, for a given budget?
# - C. Olsson and others, *In-context learning and induction heads* (2022): what the attention heads of chapter 6 do inside a model that nobody wired.
# - L. Ouyang and others, *Training language models to follow instructions with human feedback* (2022): how a model that says what is likely becomes one that says what you asked for. It begins where chapter 8 broke.
#
# One question has carried you from counting pairs of words to moving an arm. It is a good question to keep asking.
#
# *What comes next?*
