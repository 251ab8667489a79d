# %% [markdown]
# ## 7. Let it write
#
# So far a token was drawn exactly by the model's probabilities. Then now and then a very unlikely one comes up, and a single nonsense token can throw the rest of the text off, because the model must go on from there. Always taking the
# likeliest token is no way out: the text soon runs in a circle. Good writing is in between, and there are three knobs for it: temperature, top-k and top-p. The last two do the same job, cutting off the unlikely tokens, and below we shall play with temperature and top-p.
#
# You know the **temperature** $\tau$ from chapter 01: divide the scores by $\tau$ before the softmax. **Top-k** keeps only the $k$ most likely tokens. But how many good
# continuations are there? After *New York Ci* one, after *I like* a thousand. **Top-p** (A. Holtzman and others, 2020) adapts to this: it keeps the fewest most likely tokens that together have at least the probability $p$. Here is an example with $p = 0.6$:
#
# | token | tea | coffee | soup | gravel |
# |---|---|---|---|---|
# | probability | 0.5 | 0.3 | 0.15 | 0.05 |
# | running sum | 0.5 | 0.8 | 0.95 | 1 |
# | kept, and divided by their sum | 0.625 | 0.375 | 0 | 0 |
#
# The second token is kept, because *tea* alone has less than 0.6.

# %% [markdown] statement="next_distribution"
# ### From scores to a choice
#
# Write `next_distribution(s, tau, k, p)`, which turns scores $[B, V]$ into probabilities $[B, V]$. First comes the temperature, then top-k, then top-p; `None` for $k$ or $p$ means that nothing is cut.
#
# - At $\tau = 0$ all probability goes to the best token (to one of them, if several are equally good).
# - Otherwise ties are kept: if several tokens are exactly as likely as the last one you keep, keep them all.
# - Set the probabilities of dropped tokens to 0 and make the rest sum to 1 again, after top-k and after top-p.
#
# When it works, you can play with your model in the cell below.

# %% [markdown] hints="next_distribution"
# 1. Probabilities .5, .3, .2 and $p = 0.6$: is the second one kept?
# 2. Sort each row from likely to unlikely; then top-k is a slice, and top-p a running sum.
# 3. A token is kept as long as those *before* it have less than $p$ together. You need not sort back: the probability of the last one kept is a threshold, and what equals it
#    stays.


# %% task="next_distribution" points=4 level=2 minutes=30
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V], which stay as they are."""
    ### BEGIN SOLUTION
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (
            chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1)
        )
        chances = chances / chances.sum(-1, keepdim=True)
    return chances
    ### END SOLUTION


# %% test="next_distribution" aspect="temperature" points=1
_s = torch.tensor([[0.0, math.log(2), math.log(3)], [5.0, 900.0, 1.0]]).double()
for _tau, _wanted in (
    (1.0, [1 / 6, 2 / 6, 3 / 6]),
    (0.5, [1 / 14, 4 / 14, 9 / 14]),
    (0, [0, 0, 1]),
):
    _got = next_distribution(_s.clone(), _tau)
    assert np.shape(_got) == (2, 3), (
        f"Chances of shape (2, 3) are wanted; yours: {np.shape(_got)}."
    )
    assert close(_got[0], _wanted, 1e-5, 1e-6), (
        f"Scores ln 1, ln 2, ln 3 at {_tau}: {np.round(_wanted, 3)}; yours: {_got[0]}."
    )
    assert close(_got[1], [0, 1, 0], 1e-5, 1e-6), (
        f"A score of 900 beside 5 and 1 at {_tau}: all to it; yours: {_got[1]}."
    )
assert close(next_distribution(_s.clone())[0], [1 / 6, 2 / 6, 3 / 6], 1e-5), (
    "If none is given, the temperature is 1."
)
### BEGIN HIDDEN TESTS
_s = tensor(size("B"), size("V"), scale=3, edges=("huge",), kind="float64")
_tau = choice(0.3, 1.0, 1.7, 4.0)
agrees(next_distribution, ours.next_distribution, _s, _tau, rtol=1e-3, atol=1e-5)
_near = tensor(size("B"), size("V"), scale=3e-4, kind="float64")
agrees(next_distribution, ours.next_distribution, _near, 1e-4, rtol=1e-3, atol=1e-5)
_distinct = made(
    lambda rng, B, V: torch.tensor([rng.sample(range(50), V) for _ in range(B)]) / 7,
    *(size("B"), size("V")),
    edges=[torch.tensor([[1e-30, 0.0, -1.0], [-900.0, 3.0, 3.001]])],
)
_more = {"tau": choice(0, 0.0), "k": choice(None, 2, 3), "p": choice(None, 0.5, 0.9)}
agrees(next_distribution, ours.next_distribution, _distinct, **_more, atol=1e-6)
_s = torch.tensor([[1.0, 2.0, 2.0], [3.0, 3.0, 3.0], [0.0, -1.0, 0.0]])
for _more in ((0,), (0, 2, 0.9)):
    for _line, _scores in zip(next_distribution(_s.clone(), *_more), _s, strict=True):
        _line = np.asarray(_line)
        assert close(sorted(_line), [0, 0, 1], 0, 1e-6), (
            f"tau = 0 gives all to one token, of equals to any one: scores {_scores}; yours: {_line}."
        )
        assert _scores[_line.argmax()] == _scores.max(), (
            f"tau = 0 gives all to one of the best: scores {_scores}; yours: {_line}."
        )
### END HIDDEN TESTS

# %% test="next_distribution" aspect="the k most likely" points=1
_s = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.4, 0.3, 0.2, 0.1]]).double().log()
_got = next_distribution(_s.clone(), 1.0, 2)
assert np.shape(_got) == (2, 4), (
    f"Chances of shape (2, 4) are wanted; yours: {np.shape(_got)}."
)
assert close(_got, [[0, 4 / 7, 0, 3 / 7], [4 / 7, 3 / 7, 0, 0]], 1e-5, 1e-6), (
    f"k = 2: two of each row, sum 1; yours: {_got}."
)
assert close(next_distribution(_s.clone(), 1.0, 9), _s.exp(), 1e-5), (
    "k larger than V keeps everything."
)
### BEGIN HIDDEN TESTS
_B, _V = size("B"), size("V")
_s = choice(
    made(lambda rng, s: s.round(), tensor(_B, _V, kind="float64")),  # many ties
    tensor(_B, _V, scale=3, edges=("huge",), kind="float64"),
)
_k = choice(1, 2, 3, 6, _V, 50)
agrees(next_distribution, ours.next_distribution, _s, 1.0, _k, rtol=1e-3, atol=1e-5)
_s = torch.tensor([[0.0, 3.0, 3.001], [3.001, -1.0, 3.0]])
for _more in ((1.0, 1), (1.0, None, 0.4), (1.0, 2, 0.4)):
    _got = next_distribution(_s.clone(), *_more)
    assert close(_got, [[0, 0, 1], [1, 0, 0]], 0, 1e-6), (
        f"A score of 3.001 is better than one of 3, if only by a thousandth: it alone stays "
        f"with tau, k, p = {_more}; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="next_distribution" aspect="the fewest that reach p" points=1
_s = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.02, 0.03, 0.9, 0.05]]).double().log()
for _p, _wanted in (
    (0.6, [[0, 4, 0, 3], [0, 0, 1, 0]]),
    (0.95, [[1, 4, 2, 3], [0, 0, 90, 5]]),
    (0.3, [[0, 1, 0, 0], [0, 0, 1, 0]]),
):
    _wanted = np.array(_wanted) / np.sum(_wanted, axis=1, keepdims=True)
    _p = _p - 1e-6  # .9 and .05 are .95, whatever rounding makes of it
    _got = next_distribution(_s.clone(), 1.0, None, _p)
    assert np.shape(_got) == (2, 4), (
        f"Chances of shape (2, 4) are wanted; yours: {np.shape(_got)}."
    )
    assert close(_got, _wanted, 1e-5, 1e-6), (
        f"p = {_p:.2f}, chances {_s.exp().numpy()}: {_wanted.round(3)} wanted; yours {_got}."
    )
### BEGIN HIDDEN TESTS
_half = torch.tensor([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]).double()
for _s in (_half.log() + shift for shift in range(9)):
    if all(
        torch.equal(part.softmax(1).double(), _half) for part in (_s, _s.float())
    ):  # rounding leaves the half alone
        _got = next_distribution(_s.clone(), 1.0, None, 0.5)
        assert close(_got, [[1, 0, 0], [0, 1, 0]], 0, 1e-6), (
            f"Chances .5, .25, .25 and p = .5: the best alone has at least p, so only it stays; yours: {_got[0]}."
        )


def _safe(rng, s, tau, k):  # a p that no sum of chances comes near
    sums = ours.next_distribution(s, tau, k).sort(descending=True).values.cumsum(-1)
    tries = [rng.uniform(0.2, 0.98) for _ in range(8)]
    return max(tries, key=lambda p: (sums - p).abs().min())


_B, _V = size("B", large=None), size("V")
_s = choice(
    made(lambda rng, s: s.round(), tensor(_B, _V, kind="float64")),  # many ties
    tensor(_B, _V, kind="float64"),
)
_p = made(_safe, _s, 1.0, None, edges=[1e-6])
agrees(
    next_distribution, ours.next_distribution, _s, 1.0, None, _p, rtol=1e-3, atol=1e-5
)
_s = torch.randn(60, 50)
assert close(
    next_distribution(_s.clone(), 1.0, None, 1.0), _s.softmax(-1), 1e-3, 1e-5
), "p = 1 keeps everything, also where 50 chances in float32 add up to 0.9999999."
### END HIDDEN TESTS

# %% test="next_distribution" aspect="all three in order" points=1
_cases = [(torch.tensor([[0.0, 1, 0.5, -1], [2, 1.9, 1.8, 1.7]]).double(), 0.7, 3, 0.8)]


### BEGIN HIDDEN TESTS
def _safe(rng, s, tau, k):  # a p that no sum of chances comes near
    sums = ours.next_distribution(s, tau, k).sort(descending=True).values.cumsum(-1)
    tries = [rng.uniform(0.2, 0.98) for _ in range(8)]
    return max(tries, key=lambda p: (sums - p).abs().min())


_s = tensor(size("B", large=None), size("V", least=6, most=9), kind="float64")
_tau, _k = choice(0.6, 0.8, 2.0), choice(3, 4, 5, 1, None)
_inputs = (_s, _tau, _k, made(_safe, _s, _tau, _k))
agrees(
    next_distribution,
    ours.next_distribution,
    *_inputs,
    mixtures=60,
    rtol=1e-3,
    atol=1e-5,
)
### END HIDDEN TESTS
for _s, _tau, _k, _p in _cases:
    _got = next_distribution(_s.clone(), _tau, _k, _p)
    assert np.shape(_got) == tuple(_s.shape), (
        f"Shape {tuple(_s.shape)} is wanted; yours: {np.shape(_got)}."
    )
    for _row, _line in enumerate(_s.tolist()):
        _best = sorted(range(len(_line)), key=lambda v: -_line[v])[:_k]
        _all = sum(math.exp(_line[v] / _tau) for v in _best)
        _kept, _sum = [], 0.0
        for _v in _best:
            if _sum < _p:
                _kept.append(_v)
            _sum += math.exp(_line[_v] / _tau) / _all
        _total = sum(math.exp(_line[v] / _tau) for v in _kept)
        _wanted = [
            math.exp(_line[v] / _tau) / _total if v in _kept else 0
            for v in range(len(_line))
        ]
        assert close(_got[_row], _wanted, 1e-4, 1e-5), (
            f"tau = {_tau}, k = {_k}, p = {_p}: {np.round(_wanted, 3)} wanted; yours: {np.round(_got[_row], 3)}."
        )

# %% [markdown]
# Now play. Change the prompt, and try temperatures from 0 up to 2. When does the text begin to repeat itself? When does it fall apart? And what does top-p rescue?


# %%
# NBVAL_IGNORE_OUTPUT
# (one last digit rounded otherwise changes a token, and all that follow)
def write(prompt, temperature, top_p, n=80, seed=1):
    """Your model goes on from the prompt."""
    return continued(
        my_model,
        prompt,
        n,
        lambda s: next_distribution(s, temperature, None, top_p),
        seed,
        T,
    )


play(write, prompt)

# %% [markdown]
# ### How good is it?
#
# Let us compare your model with what the earlier chapters had, on one test text that none of them has read. Nats per *token* would not be fair, because somebody with other tokens has an easier or a harder question to answer at each step. So we divide by something that everybody
# agrees on: **bits per byte**, the total number of bits that a model needs for the text, divided by the bytes of the text. A file that is not compressed has 8.
#
# Three models read the same tokens:
#
# - *counts*, with modified Kneser-Ney smoothing as in chapter 02. How many tokens of context serve best depends on the tokens, so the cell tries one to five and takes what is best on the held-out text;
# - an *LSTM*, as in chapter 05, with about as many weights as yours apart from the embedding. It is trained by your own loop, with your own optimiser, on the same batches, for as many steps, with the same early stopping;
# - your Transformer.
#
# If your text is the kitchen text, there is a fourth line: the *floor*, which no model can beat, because the text was generated with dice. It was computed for the whole test text, and on the part that is judged here it may be a little different.
#
# Be warned, because it may hurt: **your Transformer will probably not win.** On Shakespeare, at a laptop's sizes, our LSTM and our Transformer were level, with 2.18 and 2.19 bits per character (three seeds each), and the LSTM needed a fifth of the time
# (`python -m benchmarks.own_transformer`, with `--lstm` and without). With the tiny sizes with which the course checks this notebook on the kitchen text, in 600 steps, it is not even close: about 0.95 bits per byte for the LSTM and 1.2 for the Transformer, while the counts had 0.90. One guess at the reason: what is worth knowing about 128 tokens of context fits well into the state of an LSTM, and a
# Transformer has to learn first where to look. In section 9 you will see runs of up to 45 minutes, on the kitchen text in words, in which the LSTM falls behind.
#
# Also know what this comparison cannot tell. Each network is trained once, so a difference of one or two
# hundredths means nothing. The LSTM's learning rate is one that worked in our trials, not one that was searched for on your text. The steps are equal, but the times are not; both are printed. And both networks read the test text in separate stretches of $T$ tokens, so at the beginning of each stretch they know nothing of what came before, while the
# counts always have their full context; this costs the networks a little.


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
judged = my_tokens["test"][: budget().choose(grading=2_001, laptop=40_001, gpu=400_001)]
judged = judged[: (len(judged) - 1) // T * T + 1]
read_bytes = len(decode(judged[1:].tolist(), merges).encode())


def in_bits(nats):
    """Nats per token of the test text as bits per byte."""
    return bpe.bits_per_byte(nats, len(judged) - 1, read_bytes)


def counts_cost(model, tokens):
    """Mean nats per token, without the first one, of a model of counts."""
    row = [str(token) for token in tokens.tolist()]
    return -model.score([row])[1:-1].mean()


training_row = [str(token) for token in my_tokens["train"].tolist()]
symbols = [*(str(token) for token in range(my_V)), "<UNK>", "</s>"]
counted = [ngrams.kneser_ney([training_row], order, symbols) for order in range(2, 7)]
counts = min(counted, key=lambda model: counts_cost(model, my_tokens["valid"][:5_000]))
context = counted.index(counts) + 1
print(f"best on held-out text: counts with {context} tokens of context")

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
width = my_size["width"]
goal = weights - my_V * width


def lstm_with(hidden):
    """An LSTM with so many hidden units."""
    return models.build("lstm", my_V, width=width, hidden=hidden)


def weights_between(hidden):
    """The number of its weights apart from the embedding."""
    return sum(w.numel() for w in lstm_with(hidden).parameters()) - my_V * width


hidden = bisect_left(range(1, 4_000), goal, key=weights_between) + 1
set_seed(1)
lstm = lstm_with(hidden).to(device)
nn.init.normal_(lstm.embedding.weight, std=0.5)  # it learned fastest so
begin = time.perf_counter()
my_training(lstm, my_steps, 1.6e-2 if width < 384 else 4e-3)
lstm_minutes = (time.perf_counter() - begin) / 60
league = {
    f"counts, context {context}": in_bits(counts_cost(counts, judged)),
    "LSTM": in_bits(held_out_loss(lstm, judged, T=T)),
    "your Transformer": in_bits(held_out_loss(my_model, judged, T=T)),
}
floor = mine.floor("test")
if floor:
    league["floor"] = floor.nats / math.log(2)
for name, bits in league.items():
    print(f"{name:20} {bits:.2f} bits per byte")
print(f"training: LSTM {lstm_minutes:.1f}, your Transformer {minutes:.1f} minutes")

# %% [markdown]
# Did your Transformer win? It is the only one of the three that can look at every one of the last $T$ tokens directly: the counts see a few, and the LSTM has to squeeze them all into one state. But a network has to learn how to use what it sees, and with little text or little time it may lose
# even against counts. If yours has lost, try more steps. Whether they help, and whether more text does, depends on your text; the held-out curve of section 6 tells you when it learns by heart.
#
# Your model goes into the gallery. Its three prompts are the same ones that your earlier models had to continue.

# %%
# NBVAL_IGNORE_OUTPUT
# (the day on which it was kept stands in it)
gallery.keep(
    "08_transformer",
    model={
        "weights": my_model.state_dict(),
        "merges": merges,
        "sizes": my_size | {"block": T},
    },
    text=mine.name,
    continuations={
        one: write(one, 0.8, 0.95)[len(one) :] for one in gallery.prompts(mine)
    },
    bits_per_byte=league["your Transformer"],
    bits_above_floor=league["your Transformer"] - league["floor"] if floor else None,
    minutes=minutes,
    notes=f"{weights:,} weights, {my_steps:,} steps",
)
gallery.show(mine.name)
