# %% [markdown]
# ## 7. Before and after
#
# Now for the real training. One function is still missing, the one that lets the network write. Until now, the course did that for you.

# %% [markdown] statement="generate"
# ### Let it write
#
# In chapter 01 you wrote a machine that draws a token, puts it at the end, and looks what may come next. A recurrent network makes it even simpler, since it need
# not look back at the text at all. Everything that it knows about the past is in its state. So to go on it needs two things: the last token and the state.
#
# - `probabilities(s, temperature)` is the softmax of the scores $s$ at a temperature $\tau$ above 0, that is, of $s / \tau$. Scores may be in the thousands.
# - `generate(step, token, h, length, temperature, rng)` returns the list of the next `length` tokens after `token`. Here `step(token, h)` gives the scores and the
#   next state. At temperature 0, always take the token with the highest score.
#
# When it works, the best network of your experiment writes with it.

# %% [markdown] hints="generate"
# 1. Which number may you subtract from all scores without changing a softmax?
# 2. Each step has an input, a state and a choice; the choice is the next step's input. Never divide by a temperature
#    of 0.
# 3. In the loop: ask `step`, replace the state, choose by argmax or with `rng.choice` and its `p`, keep the chosen
#    token and go on from it.


# %% task="generate" points=5 level=2 minutes=12
def probabilities(s, temperature):
    """softmax(s / temperature), an array of shape [V], from an array of scores s; temperature > 0."""
    ### BEGIN SOLUTION
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()
    ### END SOLUTION


def generate(step, token, h, length, temperature, rng):
    """The `length` tokens (ints) that follow `token`; step(token, h) -> (s [V], new h).

    rng: a NumPy generator, the only source of chance.
    """
    ### BEGIN SOLUTION
    written = []
    for _ in range(length):
        s, h = step(token, h)
        greedy = temperature == 0
        token = int(
            np.argmax(s)
            if greedy
            else rng.choice(len(s), p=probabilities(s, temperature))
        )
        written.append(token)
    return written
    ### END SOLUTION


# %% test="generate" aspect="temperature divides the scores" points=1
_s = np.log([0.5, 0.3, 0.2])
for _temperature, _wanted in (
    (1, [0.5, 0.3, 0.2]),
    (0.5, [0.25 / 0.38, 0.09 / 0.38, 0.04 / 0.38]),
):
    _got = probabilities(_s.copy(), _temperature)
    assert np.shape(_got) == (3,), (
        f"Three scores, three probabilities; yours: {_got!r}."
    )
    assert close(_got, _wanted, 1e-5), (
        f"temperature {_temperature}: {np.round(_wanted, 3)} wanted, yours: {np.round(_got, 3)}."
    )
### BEGIN HIDDEN TESTS
_V, _temperature = size("V", large=300), number(0.2, 5, (0.5, 1, 2))
_s = array(_V, scale=3.0, kind=choice("float64", "int64"))
agrees(probabilities, ours.probabilities, _s, _temperature, rtol=1e-4, atol=1e-6)
### END HIDDEN TESTS

# %% test="generate" aspect="large scores do not overflow" points=1
for _large in ([5000.0, 5000.0, -5000.0], [-9000.0, -9000.0, -30000.0]):
    with np.errstate(all="ignore"):
        _got = probabilities(np.array(_large), 0.7)
    assert np.shape(_got) == (3,), (
        f"Three scores, three probabilities; yours: {_got!r}."
    )
    assert close(_got, [0.5, 0.5, 0], 1e-5, 1e-6), (
        f"Scores {_large}: half, half and 0 wanted; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
for _shift, _temperature in (
    (0, 0.001),
    (800, 1),
    (-800, 1),
    (5000, 0.3),
    (-9000, 2),
    (20, 0.01),
    (0, 2000.0),
):
    _s = np.array([0.0, 1.0, -4.0, 0.5]) * _temperature
    with np.errstate(all="ignore"):
        _got = probabilities(_s + _shift, _temperature)
    _wanted = np.exp([0.0, 1.0, -4.0, 0.5]) / np.exp([0.0, 1.0, -4.0, 0.5]).sum()
    assert close(_got, _wanted, 1e-4, 1e-6), (
        f"Scores around {_shift}, temperature {_temperature}: {_wanted} wanted; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="generate" aspect="greedy takes token and state on" points=1


def _step(word, h):
    return -np.abs(np.arange(11) - (2 * word + h) % 11.0), h + 1


_starts = [(1, 3, 8)]
### BEGIN HIDDEN TESTS
_starts += [
    (random.randrange(11), random.randrange(11), length)
    for length in (0, 1, 2, 8, 13, 300)
]
### END HIDDEN TESTS
for _first, _begin, _length in _starts:
    _word, _h, _wanted = _first, _begin, []
    for _ in range(_length):
        _word, _h = (2 * _word + _h) % 11, _h + 1
        _wanted.append(_word)
    _got = generate(_step, _first, _begin, _length, 0, np.random.default_rng(0))
    assert np.shape(_got) == (_length,), f"{_length} tokens wanted; yours: {_got!r}."
    assert [int(_w) for _w in _got] == _wanted, (
        f"From token {_first} and state {_begin} the likeliest tokens are {_wanted}; yours: {list(_got)}. "
        "Do both, the token and the state, go on?"
    )
### BEGIN HIDDEN TESTS
_dice = made(lambda rng: np.random.default_rng(rng.randrange(99)))
_given = whole(0, 10), whole(0, 10), size("length", least=0), 0, _dice
agrees(generate, ours.generate, made(lambda rng: _step), *_given, mixtures=0)
for _gap in (0.01, 1e-6, 1e-12):  # one token of five is likelier, but only just
    _got = generate(
        lambda word, h, more=_gap: (1 + more * (np.arange(5) == h), (h + 1) % 5),
        0,
        0,
        60,
        0,
        np.random.default_rng(),
    )
    assert np.shape(_got) == (60,), f"60 tokens wanted; yours: {_got!r}."
    assert [int(_w) for _w in _got] == [_t % 5 for _t in range(60)], (
        f"Temperature 0: always the likeliest, be its score larger by {_gap} only; "
        f"yours: {list(_got)}."
    )
### END HIDDEN TESTS

# %% test="generate" aspect="samples follow the temperature" points=1
_table = np.log([0.6, 0.3, 0.1])
_got = generate(
    lambda word, h: (_table.copy(), h), 0, None, 150, 0.5, np.random.default_rng(4)
)
assert np.shape(_got) == (150,), f"150 tokens wanted; yours: {_got!r}."
_share = [sum(int(_w) == word for _w in _got) / 150 for word in range(3)]
assert close(_share, [0.783, 0.196, 0.022], 0, 0.16), (
    f"At temperature .5, tokens of probability .6, .3, .1 should come up in .78, .20, .02 of all draws; yours: {_share}."
)
_got = generate(
    lambda word, h: (_table.copy(), h), 0, None, 150, 2.0, np.random.default_rng(4)
)
_share = [sum(int(_w) == word for _w in _got) / 150 for word in range(3)]
assert close(_share, [0.473, 0.334, 0.193], 0, 0.16), (
    f"At temperature 2 these words should come up in .47, .33, .19 of all draws; yours: {_share}."
)
### BEGIN HIDDEN TESTS
for _temperature in (0.001, 0.02, 0.07, 1.5):
    _scores = np.log([0.15, 0.1, 0.6, 0.15] * 60) * _temperature
    _got = generate(
        lambda word, h, s=_scores: (s.copy(), h),
        1,
        None,
        150,
        _temperature,
        np.random.default_rng(),
    )
    assert np.shape(_got) == (150,), f"150 tokens wanted; yours: {_got!r}."
    _share = [sum(int(_w) % 4 == word for _w in _got) / 150 for word in range(4)]
    assert close(_share, [0.15, 0.1, 0.6, 0.15], 0, 0.2), (
        f"At temperature {_temperature}, four kinds of tokens should come up in .15, .1, .6, .15 of all draws; yours: {_share}. "
        "Only 0 means: the likeliest."
    )
_runs = [
    [
        int(_w)
        for _w in generate(
            lambda word, h: (np.zeros(7), h),
            0,
            None,
            30,
            1,
            np.random.default_rng(seed),
        )
    ]
    for seed in (5, 5, 6)
]
assert _runs[0] == _runs[1], (
    "The same rng twice, but other tokens: draw with the rng that is given, not with another."
)
assert _runs[0] != _runs[2], (
    "Another rng, but the same tokens: draw with the rng that is given, not with another."
)
### END HIDDEN TESTS

# %% test="generate" aspect="samples take token and state on" points=1


def _sure(word, h):
    return 3000 - 60.0 * np.abs(np.arange(7) - (3 * word + h) % 7.0), h + 1


_starts = [(1, 2, 6, 1.0)]
### BEGIN HIDDEN TESTS
_starts += [
    (random.randrange(7), random.randrange(7), length, heat)
    for length, heat in ((0, 1), (1, 1), (9, 0.6), (12, 1.5), (300, 1))
]
### END HIDDEN TESTS
for _first, _begin, _length, _heat in _starts:
    _word, _h, _wanted = _first, _begin, []
    for _ in range(_length):
        _word, _h = (3 * _word + _h) % 7, _h + 1
        _wanted.append(_word)
    _got = generate(_sure, _first, _begin, _length, _heat, np.random.default_rng())
    assert np.shape(_got) == (_length,), f"{_length} tokens wanted; yours: {_got!r}."
    assert [int(_w) for _w in _got] == _wanted, (
        f"Temperature {_heat}, but each time one token has nearly all the probability: {_wanted}; yours: {list(_got)}. "
        "Do both, the token drawn and the state, go on?"
    )


# %% [markdown]
# ### Before
#
# The next cell makes the network that you will train for real. On a laptop it is larger than those before, and its forget gates start with the half-life that
# was best in your experiment. It has learned nothing yet, so the best small network of section 6 tries your `generate` first. It reads the prompt character by
# character, so that the state knows it. Then your function goes on.

# %%
# NBVAL_IGNORE_OUTPUT
# (one last digit rounded otherwise changes a character, and all that follow)
d, k = budget().choose(grading=(32, 96), laptop=(64, 192), gpu=(128, 1024))


def step_of(model):
    """What your `generate` asks for, from your network."""

    @torch.no_grad()
    def step(token, state):
        scores, state = model(torch.tensor([[token]], device=device), state)
        return scores[0, 0].double().cpu().numpy(), state

    return step


def write(text, temperature, length=200, seed=1, model=None):
    """Your network (or `model`) reads a text and goes on."""
    model = my_model if model is None else model
    *first, last = to_ids(text or "\n").tolist()
    step, state = step_of(model), None
    for token in first:
        _, state = step(token, state)
    dice = np.random.default_rng(seed)
    told = generate(step, last, state, length, temperature, dice)
    return text + "".join(symbols[token] for token in told)


set_seed(1)
my_model = LanguageModel(V, d, k, forget_bias(best_start)).to(device)
print(f"{sum(w.numel() for w in my_model.parameters()):,} weights, all random\n")
for heat in (0.5, 1.0):
    print(f"the small network of section 6, temperature {heat}:")
    print(write(prompt, heat, length=120, model=starters[best_start]) + "\n")
