# %% [markdown] statement="beyond_the_window"
# ## 16. One word too far: predict, then measure
#
# *I visited New York. I had a really fun time going up the ...* Which words fit, and which word decides? (The example is G. Durrett's.) We make texts in
# which this is known. A text is $T$ filler words that tell nothing, and the blank is the place right after the last one. One of the words is overwritten by a
# **cue**, 0 or 1, and the question at the blank is which of the two it was. Distance 1 means that the cue is the last word of the text, distance 2 the word
# before it, and so on. A model that sees the last $n = 4$ words, trained on cues at distances 1 to 6, waits below: `reader`.
#
# - `exam(fillers, distance, n)`: take two copies of all $N$ texts. In the first copy, overwrite the word that stands `distance` places before the blank by
#   cue 0; in the second copy, by cue 1. Return the last $n$ words of all $2N$ texts, $(2N, n)$, first those with cue 0, and their cues, $(2N,)$. `fillers`
#   itself stays as it is;
# - `guess_beyond`: the share right at distance 5, $n = 4$;
# - `measured_beyond`: a list of six numbers, one for each of the distances 1 to 6: the share of the rows of the exam from `exam_fillers`, with $n = 4$, for
#   which `reader` names the right cue.

# %% [markdown] hints="beyond_the_window"
# 1. Which column of a text of $T$ words is `distance` places before the blank after it?
# 2. Overwrite that column in two copies, put them under each other, *then* cut off all but the last $n$ columns. Leave
#    `fillers` itself unchanged.
# 3. At distance $n + 1$ the rows $i$ and $i + N$ are equal, but their answers differ. How many of the two can any model
#    get right? `reader(rows)` gives scores $(2N, 2)$; compare its argmax with the cues.

# %%
exam_fillers = torch.randint(
    2, 12, (500, 8), generator=torch.Generator().manual_seed(5)
)


# %%
def practice(step, seen, T=8):
    """256 texts of T words, the cue at a random distance from 1 to 6: their last words, (256, seen), and their cues."""
    draw = torch.Generator().manual_seed(step)
    drill = torch.randint(2, 12, (256, T), generator=draw)
    cues = torch.randint(2, (256,), generator=draw)
    distances = torch.randint(1, 7, (256,), generator=draw)
    drill[torch.arange(256), T - distances] = cues
    return drill[:, -seen:], cues


def new_reader():
    """The vectors of 4 words end to end, a hidden layer, scores of the two cues."""
    vectors = [nn.Embedding(12, 8), nn.Flatten(1)]
    return nn.Sequential(*vectors, nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))


# %%
def train_reader(make, seed, seen, T=8):
    """A reader of the last `seen` words, trained on texts of T words with cues at distance 1 to 6."""
    set_seed(seed)
    net = make().to(device)
    train(
        net,
        lambda step: practice(step, seen, T),
        lambda net, batch: (F.cross_entropy(net(batch[0]), batch[1]), len(batch[1])),
        steps=200,
        rate=1e-2,
    )
    return net.to("cpu")


reader = train_reader(new_reader, seed=5, seen=4)
print("trained on cues at distance 1 to 6, sees 4 words back")


# %% task="beyond_the_window" points=4 level=3 minutes=19
def exam(fillers, distance, n):
    """Rows (2N, n) and cues (2N,), both int64, of fillers (N, T).

    All fillers with cue 0 at this distance, then all with cue 1; of each the last n words.
    """
    ### BEGIN SOLUTION
    N, T = fillers.shape
    cues = torch.arange(2).repeat_interleave(N)
    texts = fillers.repeat(2, 1)
    texts[:, T - distance] = cues
    return texts[:, T - n :], cues
    ### END SOLUTION


# guess_beyond = a number between 0 and 1, written down before you measure
# measured_beyond = [..., ..., ..., ..., ..., ...]
### BEGIN SOLUTION
guess_beyond = 0.5
measured_beyond = []
for distance in range(1, 7):
    exam_rows, cues = exam(exam_fillers, distance, 4)
    measured_beyond.append((reader(exam_rows).argmax(1) == cues).double().mean().item())
### END SOLUTION

# %% family="beyond_the_window"
_N, _T = whole(2, 7, (1, 501)), whole(2, 7, (1,))
_fillers = made(lambda rng, fillers: fillers + 2, ids(_N, _T, below=7))
_distance, _n = (
    made(lambda rng, T: rng.randint(1, T), _T, edges=[1, lambda rng, T: T])
    for _ in "dn"
)


def _wanted(fillers, distance, n):  # `ours.exam` would have to train `reader`
    texts, cues = fillers.repeat(2, 1), torch.arange(2).repeat_interleave(len(fillers))
    texts[:, -distance] = cues
    return texts[:, texts.shape[1] - n :], cues


def _of_whole(numbers):
    assert "int" in str(numbers.dtype), (
        f"Word numbers and cues are whole numbers; yours: {numbers.dtype}."
    )
    return numbers


# %% test="beyond_the_window" aspect="the cue at its distance" points=1
_got = exam(torch.tensor([[7, 8, 9], [4, 5, 6]]), 2, 3)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return rows and cues; yours: {_got!r}."
)
assert hasattr(_got[0], "tolist"), f"The rows are a tensor; yours: {_got[0]!r}."
assert _got[0].tolist() == [[7, 0, 9], [4, 0, 6], [7, 1, 9], [4, 1, 6]], (
    f"Distance 2 of 3; yours: {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
agrees(
    exam,
    _wanted,
    *(_fillers, _distance, _T),
    by=lambda exam, *inputs: _of_whole(exam(*inputs)[0]),
    mixtures=1,
)
_others = made(lambda rng, fillers: fillers + 2, ids(3, 4, below=7))  # of one size
agrees(
    exam, _wanted, _others, 2, 3, by=lambda exam, *inputs: exam(*inputs)[0], mixtures=1
)
### END HIDDEN TESTS

# %% test="beyond_the_window" aspect="each filler with both cues" points=1
_got = exam(torch.tensor([[7, 8, 9], [4, 5, 6]]), 1, 2)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return rows and cues; yours: {_got!r}."
)
assert hasattr(_got[1], "tolist"), f"The cues are a tensor; yours: {_got[1]!r}."
assert _got[1].tolist() == [0, 0, 1, 1], (
    f"Two fillers, first both with cue 0, then with 1; yours: {_got[1].tolist()}."
)
_left = arguments_after(exam, torch.tensor([[7, 8, 9], [4, 5, 6]]), 1, 2)[0].tolist()
assert _left == [[7, 8, 9], [4, 5, 6]], (
    f"exam wrote into fillers itself: the next exam finds the old cue; now {_left}."
)
### BEGIN HIDDEN TESTS
agrees(
    exam,
    _wanted,
    *(_fillers, _distance, _n),
    by=lambda exam, *inputs: [
        len(part) if part.ndim > 1 else _of_whole(part).tolist()
        for part in exam(*inputs)
    ],
    mixtures=1,
)
### END HIDDEN TESTS

# %% test="beyond_the_window" aspect="only the last n words" points=1
_got = exam(torch.tensor([[7, 8, 9, 3]]), 3, 2)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return rows and cues; yours: {_got!r}."
)
assert hasattr(_got[0], "tolist"), f"The rows are a tensor; yours: {_got[0]!r}."
assert _got[0].tolist() == [[9, 3], [9, 3]], (
    f"Cue 3 back, 2 words seen: only 9 3 is left; yours: {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
agrees(
    exam,
    _wanted,
    _fillers,
    _distance,
    _n,
    by=lambda exam, *inputs: exam(*inputs)[0],
    mixtures=1,
)
### END HIDDEN TESTS

# %% test="beyond_the_window" aspect="predicted, then measured" points=1
assert is_number(guess_beyond), (
    f"guess_beyond should be a number, not {guess_beyond!r}."
)
assert 0 <= guess_beyond <= 1, (
    f"guess_beyond is a share between 0 and 1, not {guess_beyond}; a wrong guess costs nothing."
)
assert np.shape(measured_beyond) == (6,), (
    f"measured_beyond is a list of six shares; yours: {measured_beyond!r}."
)
### BEGIN HIDDEN TESTS
_measured = [float(share) for share in measured_beyond]
assert all(0.9 < share <= 1 for share in _measured[:4]), (
    f"Within the window reader is right nearly always; yours: {_measured}."
)
assert _measured[4] == _measured[5] == 0.5, (
    f"Beyond it the two of a pair look alike; yours: {_measured[4:]}."
)
assert all(abs(1000 * share - round(1000 * share)) < 0.001 for share in _measured), (
    f"Shares of 1,000 right or wrong answers are multiples of 1/1000: count answers, not probabilities; yours: {_measured}."
)
### END HIDDEN TESTS

# %%
for distance, share in enumerate(measured_beyond, start=1):
    print(f"distance {distance}: {100 * share:.1f} % right")

# %% [markdown]
# Not *about* chance: exactly chance. Beyond the edge, the two texts of a pair are the same input. So every model with this
# window gets one of them right and the other one wrong, however long it is trained.
#
# In section 13 a network beat counts with the same window, but it shares their *Markov assumption*: what stands further back does not matter. In language it
# does. How does this sentence go on: *a strawberry that was picked in the field by the best farmer in the world with some ...*? Probably with *cream*. Now
# put *a hedge that was cut* in the place of *a strawberry that was picked*, and you expect *clippers*. Even the nearer of the two words that decide, *picked*
# or *cut*, stands thirteen words before the one that we guess. (The example is Y. Artzi's.)
