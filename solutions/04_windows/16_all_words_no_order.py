# %% [markdown] statement="bag_means"
# ## 17. All words, no order
#
# So look at *all* words so far. But how, with a network whose input has a fixed size? Average their vectors, $\frac1i \sum_{j=1}^{i} \phi(w_j)$, before a
# tanh layer and a softmax: a **bag of words**. Three ways to the mean:
#
# - `bag_by_loop(vectors, i)`: this mean for one $i$ from 0 to $T$. At $i = 0$ return what the formula gives: NaN;
# - `bag_means(vectors)`: for all $i = 1, \dots, T$ at once;
# - `uniform_attention(T)`: the matrix $A$ with the same means in `A @ vectors`. Row $i$ has $i$ equal weights, the softmax of $i$ zeros, and is 0 from place
#   $i + 1$ on.

# %% [markdown] hints="bag_means"
# 1. At $i = 0$ there is a sum of nothing, divided by nothing; in torch, 0/0 is NaN, in Python an error.
# 2. A running total is one call in torch. Divide each row by how many words it holds; mind the shapes.
# 3. For $A$: scores of zero where a word may be seen, minus infinity where it stands in the future, then a softmax over
#    each row.


# %% task="bag_means" points=5 level=2 minutes=19
def bag_by_loop(vectors, i):
    """The mean of the first i of the vectors (T, m), shape (m,); NaN for i = 0. `vectors` stays as it is."""
    ### BEGIN SOLUTION
    total = torch.zeros(vectors.shape[1], dtype=vectors.dtype)
    for j in range(i):
        total = total + vectors[j]
    return total / i if i else total / torch.zeros(1)
    ### END SOLUTION


def bag_means(vectors):
    """Row i - 1: the mean of the first i vectors, for i = 1 ... T; (T, m) -> (T, m). Gradients must pass through."""
    ### BEGIN SOLUTION
    places = torch.arange(1, len(vectors) + 1, device=vectors.device)
    return vectors.cumsum(0) / places[:, None]
    ### END SOLUTION


def uniform_attention(T):
    """The tensor (T, T) of weights: attention with zero scores that sees no future."""
    ### BEGIN SOLUTION
    future = torch.ones(T, T).triu(1).bool()
    return torch.zeros(T, T).masked_fill(future, -math.inf).softmax(1)
    ### END SOLUTION


# %% family="bag_means"
_T, _m = whole(2, 7, (1, 300)), whole(2, 6, (1,))
_vectors = tensor(_T, _m)

# %% test="bag_means" aspect="undefined before the first word" points=1
_got = bag_by_loop(torch.tensor([[1.0, 2.0], [3.0, 8.0]]), 0)
assert hasattr(_got, "tolist"), f"bag_by_loop returns a tensor; yours: {_got!r}."
assert tuple(_got.shape) == (2,), (
    f"Vectors of two numbers, so is their mean; yours: {_got!r}."
)
assert all(math.isnan(value) for value in _got.tolist()), (
    f"(1/0) times an empty sum is NaN; yours: {_got.tolist()}."
)
### BEGIN HIDDEN TESTS
agrees(bag_by_loop, ours.bag_by_loop, tensor(whole(0, 7), _m), 0, mixtures=0)
### END HIDDEN TESTS

# %% test="bag_means" aspect="mean of the words so far" points=1
_got = bag_means(torch.tensor([[1.0, 2.0], [3.0, 8.0], [2.0, -1.0]]))
assert tuple(getattr(_got, "shape", ())) == (3, 2), (
    f"Three words, three means: shape (3, 2); yours: {_got!r}."
)
assert close(_got, [[1, 2], [2, 5], [2, 3]], 1e-5, 1e-6), (
    f"The means are (1, 2), (2, 5), (2, 3); yours: {_got.tolist()}."
)
### BEGIN HIDDEN TESTS
_gaps = made(lambda rng, T, v: v * (torch.arange(T) % 3 > 0)[:, None], _T, _vectors)
agrees(
    bag_means, ours.bag_means, choice(_vectors, _gaps), rtol=1e-4, atol=1e-5, mixtures=1
)
### END HIDDEN TESTS

# %% test="bag_means" aspect="attention to the past, evenly" points=1
_got = uniform_attention(3)
assert tuple(getattr(_got, "shape", ())) == (3, 3), (
    f"T = 3: shape (3, 3) wanted; yours: {_got!r}."
)
assert close(np.sum(_got.tolist(), 1), [1, 1, 1], 1e-5), (
    f"Each row sums to 1; yours: {_got.sum(1).tolist()}."
)
assert _got[0, 1] == _got[0, 2] == _got[1, 2] == 0, (
    f"Nobody sees a later word; yours: {_got.tolist()}."
)
### BEGIN HIDDEN TESTS
agrees(uniform_attention, ours.uniform_attention, _T, rtol=1e-5, atol=1e-6, mixtures=1)
### END HIDDEN TESTS

# %% test="bag_means" aspect="three ways, one number" points=1
_vectors = torch.tensor([[1.0, 2.0], [3.0, 8.0], [2.0, -1.0], [0.0, 5.0]])
_all, _weights = bag_means(_vectors.clone()), uniform_attention(4)
assert tuple(getattr(_all, "shape", ())) == (4, 2), (
    f"bag_means: shape (4, 2) wanted; yours: {_all!r}."
)
assert tuple(getattr(_weights, "shape", ())) == (4, 4), (
    f"uniform_attention(4): shape (4, 4); yours: {_weights!r}."
)
for _i in range(1, 5):
    _one = bag_by_loop(_vectors.clone(), _i)
    assert tuple(getattr(_one, "shape", ())) == (2,), (
        f"bag_by_loop: shape (2,) wanted; yours: {_one!r}."
    )
    _ways = [
        _one.tolist(),
        _all[_i - 1].tolist(),
        (_weights @ _vectors)[_i - 1].tolist(),
    ]
    assert close(_ways, [_vectors[:_i].mean(0).tolist()] * 3, 1e-5, 1e-6), (
        f"i = {_i}: loop, running total, attention give {_ways}."
    )
### BEGIN HIDDEN TESTS
_i = made(lambda rng, T: rng.randint(1, T), _T, edges=[1, lambda rng, T: T])
_near = {"rtol": 1e-4, "atol": 1e-5, "mixtures": 2}
agrees(bag_by_loop, ours.bag_by_loop, _vectors, _i, **_near)
agrees(uniform_attention, ours.uniform_attention, whole(2, 7), mixtures=0)
agrees(bag_means, ours.bag_means, torch.randn(6, 3), **_near | {"mixtures": 0})
### END HIDDEN TESTS

# %% test="bag_means" aspect="gradients reach all words so far" points=1
_cases = [
    (
        torch.tensor([[1.0, 2.0], [3.0, 8.0]]),
        "the first vector is all of the first mean and half of the second",
    )
]
for _vectors, _why in _cases:
    _T, _d = _vectors.shape
    try:
        _got = gradients(bag_means, _vectors.clone())[0]
    except NotImplementedError:
        raise
    except RuntimeError as _error:
        raise AssertionError(
            f"No gradient reaches the vectors, so they would never learn ({_error})."
        ) from None
    _wanted = [[sum(1 / i for i in range(j + 1, _T + 1))] * _d for j in range(_T)]
    assert close(_got, _wanted, 1e-4, 1e-5), (
        f"{_T} words: {_why}, so the gradients of the summed means are {np.round(_wanted, 3).tolist()}; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
agrees(
    bag_means,
    ours.bag_means,
    tensor(whole(2, 7, (1, 40)), _m),
    by=gradients,
    rtol=1e-3,
    atol=1e-4,
    mixtures=1,
)
### END HIDDEN TESTS

# %% [markdown]
# The start symbol mends the first step: with `<s>` as $w_1$, the mean is never empty.


# %%
class BagLM(nn.Module):
    """b + U tanh(d + H mean), for every place of a text at once."""

    def __init__(self, V, m=32, h=64):
        super().__init__()
        self.embedding, self.hidden, self.out = (
            nn.Embedding(V, m),
            nn.Linear(m, h),
            nn.Linear(h, V),
        )
        nn.init.normal_(self.embedding.weight, std=0.3)

    def forward(self, ids):
        """Word numbers (T,) of one text, <s> first -> scores (T, V) for the word after each."""
        return self.out(torch.tanh(self.hidden(bag_means(self.embedding(ids)))))


# %%
class LastWordLM(BagLM):
    """The same network with the vector of the last word in the place of the mean."""

    def forward(self, ids):
        return self.out(torch.tanh(self.hidden(self.embedding(ids))))


# %%
def story(text):
    """Inputs (T + 1,), <s> first, and next words (T + 1,)."""
    ids = [place.get(word, UNK) for word in text]
    return torch.tensor([START, *ids]), torch.tensor([*ids, END])


def bag_loss(model, batch):
    scores = torch.cat([model(ids) for ids, _ in batch])
    following = torch.cat([words for _, words in batch])
    return F.cross_entropy(scores, following), len(scores)


# %%
encoded, valid_encoded = (
    [story(text) for text in stories],
    [story(text) for text in held_out],
)


bag_steps = budget().choose(grading=500, laptop=1500, gpu=4000)


def train_bag(seed, steps=bag_steps, make=BagLM):
    """A trained bag-of-words model."""
    set_seed(seed)
    model, draw = make(len(lexicon)).to(device), shuffled(len(stories), 8, seed)
    train(
        model,
        lambda step: [encoded[i] for i in draw(step)],
        bag_loss,
        steps=steps,
        rate=5e-2,
        schedule=warmup_cosine(20),
    )
    return model.to("cpu")


# %%
def perplexity_on_held_out(model):
    with torch.no_grad():
        return math.exp(bag_loss(model, valid_encoded)[0].item())


bags = [train_bag(seed) for seed in (1, 2, 3)]
perplexity["bag of words"] = [perplexity_on_held_out(bag) for bag in bags]

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
twice = perplexity_on_held_out(train_bag(1, 2 * bag_steps))
last_word = perplexity_on_held_out(train_bag(1, make=LastWordLM))
print(f"{bag_steps * 8 / len(stories):.1f} passes through the training text;", end=" ")
print(
    f"perplexity {perplexity['bag of words'][0]:.1f}, {twice:.1f} after twice as many"
)
print(f"the same network with the last word alone: {last_word:.1f}")
print(f"the counter that sees one word back: {perplexity['Kneser-Ney, 1 back'][0]:.1f}")

# %%
past, _ = story(held_out[0])
mixed = past[torch.randperm(len(past))]
with torch.no_grad():
    change = (bags[0](past)[-1] - bags[0](mixed)[-1]).abs().max().item()
print(
    f"the past in another order changes the scores by {change:.0e}"
    if change > 1e-4
    else "the past in another order: no change"
)

# %%
print(uniform_attention(4).numpy().round(2))

# %% folded="draws the ranking" alt="Held-out perplexity of eight models: the bag of words is worst at 50, network and counter with one word back lie at 28, the networks with four words at 14, and the floor at 5."
_, axes = plt.subplots(figsize=(7, 2.3))
ranking = sorted(perplexity, key=lambda name: -perplexity[name][0])
for row, name in enumerate(ranking):
    colour = plots.COLOURS[first_words.index(name.split()[0])]
    axes.plot(perplexity[name], [row] * len(perplexity[name]), "o", color=colour)
axes.axvline(floor.perplexity, color="black", linestyle="--", label="floor")
axes.set_yticks(range(len(ranking)), ranking)
axes.set(xlabel="held-out perplexity", xscale="log")
axes.set_xticks([5, 10, 20, 50, 100], [5, 10, 20, 50, 100])
axes.minorticks_off()
axes.legend()
plt.show()

# %% [markdown]
# The bag remembers everything, and yet it loses clearly to every model that sees *one* word back (mind the logarithmic axis; three seeds). More training is
# not what it lacks: one bag that trained twice as long came, as printed above, nowhere near. Nor is it the kind of network: give the same network the last
# word alone in the place of the mean, train it in the same way, and its perplexity is less than half of the bag's (one seed). What the bag lacks is order. In
# a mean, the word that came last weighs no more than any other, and the last word tells most about the next.
#
# So is a bag good for nothing? Give it the exam of section 16: which of two cues stood *anywhere* in the text?


# %%
class BagReader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(12, 8)
        self.top = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 2))

    def forward(self, rows):
        """Texts (B, T) -> scores of the two cues (B, 2)"""
        return self.top(self.embedding(rows).mean(1))


# %% alt="Right answers by the distance of the cue. The window of four words is at 100 percent up to distance four and at 50 beyond; the bag of all words stays at 100 throughout."
_, axes = plt.subplots(figsize=(7, 2.3))
for make, seen, name, colour, shift in (
    (new_reader, 4, "window of 4 words", plots.COLOURS[0], -0.08),
    (BagReader, 8, "bag of all 8 words", plots.COLOURS[2], 0.08),
):
    for seed in (5, 6, 7):
        net, right_answers = train_reader(make, seed, seen), []
        for distance in range(1, 9):
            rows, cues = exam(exam_fillers, distance, seen)
            right_answers.append(
                100 * (net(rows).argmax(1) == cues).double().mean().item()
            )
        places = [distance + shift for distance in range(1, 9)]
        axes.plot(
            places, right_answers, ".", color=colour, label=name if seed == 5 else None
        )
axes.axvline(
    6.5, color="gray", linestyle="--", label="trained on distances to the left"
)
axes.set(
    xlabel="distance of the cue (words before the blank)",
    ylabel="right, %",
    ylim=(0, 105),
)
axes.legend(loc="lower left", fontsize=10)
plt.show()

# %% [markdown]
# There it is (three seeds each). The window is right in exactly half of the cases as soon as the cue is outside. The bag finds the cue at *every* distance,
# even at distances that it was never trained on. It could hardly be otherwise: in a mean all places weigh the same, so wherever the cue stands, the bag sees
# a mean of one cue and seven fillers. It cannot prefer one distance to another.
#
# But all texts had eight words, in the training and in the exam. The next cell gives the same bags longer texts, in which the cue is a smaller part of the
# mean. Beside them it prints three bags that were trained on texts of 80 words, in as many steps. What do you expect?


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
bag_readers = {
    long: [train_reader(BagReader, seed, long, T=long) for seed in (5, 6, 7)]
    for long in (8, 80)
}
print("% right, three bags each      trained on 8 words      trained on 80 words")
for T in (8, 16, 40, 80):
    draw_texts = torch.Generator().manual_seed(5)
    rows, cues = exam(torch.randint(2, 12, (500, T), generator=draw_texts), 3, T)
    right = [
        "".join(
            f"{100 * (net(rows).argmax(1) == cues).double().mean():6.1f}"
            for net in nets
        )
        for nets in bag_readers.values()
    ]
    print(f"exam on texts of {T:2} words: {right[0]:>21}{right[1]:>25}")

# %% [markdown]
# The memory of a bag has no edge. But a bag that was trained on texts of 8 words fails on long ones: the cue makes an eighth of the mean there, in a text of
# 80 words an eightieth, and the layer above was never trained to notice so little. That is no limit of the mean itself. Trained on texts of 80 words, the
# same network finds the cue in texts of any of these lengths, in as many steps. So where it matters only *which* words occur, a bag can be enough, if it was
# trained on texts as long as those that it will meet.
#
# Now look once more at the matrix of weights that `uniform_attention` printed. Row $i$ says how much word $i$ takes from each word so far, and it takes the
# same from all. Such a matrix holds **attention weights**, here in their simplest form: each word looks at itself and at all words before it, evenly.

# %% [markdown]
# ## What you can do now
#
# You have built a network that reads a few words through a window, and you know it from the inside: you wrote its training loop, worked out each of its
# gradients, and checked them by a method that shares no line with your own. You know how to tell a good loss from a suspicious one: while all scores are
# still small, the loss is close to the logarithm of the number of classes, and a held-out loss that stays below the floor means a leak.
#
# You have also seen, on our text, why networks took over from counters. A counter must have met a context exactly. A network only needs to have met words
# that behave alike, and it finds out by itself which these are. You have their map. (Our text suits the network: a program wrote it from classes of words,
# and the words of a class are used alike. In natural text of the same size, the lead could be smaller; we have not measured it.)
#
# And you know where the window ends. It keeps the order of a few words and is blind to all others. The bag sees all words and forgets their order. We want
# both, and this course takes two ways there. One carries a summary of everything so far along, word by word. That is chapter 05. The other lets the weights
# of the mean depend on the words themselves. That is chapter 06, and it is what the models that you talk to are made of.
