# %% [markdown]
# ## 3. A memory with gates
#
# What exactly wears the past down in an RNN? At every single step, the old state is multiplied by a matrix and squeezed by a tanh, whether there is anything new
# to remember or not. It is like a notebook that you have to copy by hand each time a word is spoken. After fifty copies the first line cannot be read any more.
#
# So let us build a notebook that stays as it is unless somebody decides to change it. It is a list of $k$ numbers, the **cell** $C_t$, and we carry it along
# together with the state $h_t$. Three decisions are made at each step, for each of the $k$ numbers separately:
#
# 1. How much of the old number stays? This is the **forget gate** $f_t$. At 1 the number stays as it is, at 0 it is erased, at 0.5 half of it is left.
# 2. How much of something new is added? This is the **input gate** $i_t$. The new thing itself is called the **candidate**, $\tilde C_t$.
# 3. How much of the cell is shown to the rest of the network? This is the **output gate** $o_t$. What is shown is the state $h_t$. A number can be kept for a
#    long time without being shown.
#
# Here is one step with $k = 3$, in numbers. The sign $\star$ means: multiply entry by entry. Choose a place, say the left-most box of each strip, and look only
# at that place, row by row, from top to bottom. Then do the same for the other two. Which of the three old numbers survives the step?

# %% folded="draws the gates in numbers" alt="Four rows of three numbers each: forget multiplies the old cell, input multiplies the new content, add sums the two, and output multiplies the tanh of the sum to give the state."
drawings.lstm_gates()

# %% [markdown]
# The first number survives: its forget gate is 1, so it is kept as it is, and its output gate is 1, so it is shown. The second is erased and gets a new value,
# but it is not shown yet. Of the third, one half is kept, and half of its candidate is added. Now look at the row *add*. On the way from the old cell to the new
# one there is no matrix and no tanh. The old number is multiplied by a gate, something is added to it, and that is all.

# %% [markdown]
# And who makes the decisions? The network does. Each gate is a small layer of its own. It reads the token and the last state, $[e_t, h_{t-1}]$, joined to one
# vector of $d + k$ numbers. A decision must be a number between 0 and 1, so its activation function is the **sigmoid** $\sigma(a) = 1 / (1 + e^{-a})$: for
# example, $\sigma(0) = 0.5$, $\sigma(5) = 0.993$ and $\sigma(-5) = 0.007$. The candidate is made in the same way, but with a tanh, since new content may be
# negative as well.
#
# Together, these are the equations of the **LSTM**, which stands for *long short-term memory* (S. Hochreiter and J. Schmidhuber, 1997; the forget gate was added
# by F. Gers and others in 2000):
#
# $$\begin{aligned}
# f_t &= \sigma(W_f\,[e_t, h_{t-1}] + b_f) & \tilde C_t &= \tanh(W_C\,[e_t, h_{t-1}] + b_C)\\
# i_t &= \sigma(W_i\,[e_t, h_{t-1}] + b_i) & C_t &= f_t \star C_{t-1} + i_t \star \tilde C_t\\
# o_t &= \sigma(W_o\,[e_t, h_{t-1}] + b_o) & h_t &= o_t \star \tanh(C_t)
# \end{aligned}$$
#
# Each $W$ has the shape $[k, d + k]$ and each bias the shape $[k]$. The left column holds the three decisions. The right column says what is done with them. In
# the drawing below, the cell runs along the top, and the four grey boxes hold all the weights. (C. Olah's *Understanding LSTM Networks*, 2015, taught many people
# to see the cell in this way, as a conveyor belt.)

# %% folded="draws the cell" alt="Above a straight line carries the cell past a product and a sum. Below, state and token feed four boxes: forget gate, input gate, new content and output gate, whose results meet that line."
drawings.lstm_cell()

# %% [markdown]
# Follow the line at the top with your finger, as if you were a suitcase on that belt: you pass one multiplication and one addition, and nothing else. From now on
# we call this line the **belt**.

# %% [markdown] statement="lstm_step"
# ### One step of an LSTM
#
# Write `lstm_step(e, h, C, W, b)`. It takes one step with $B$ texts at once, one in each row of `e`, `h` and `C`. `W` and `b` are dictionaries with the keys
# `"C"`, `"f"`, `"i"` and `"o"`. It returns the new $h$ and the new $C$.
#
# All models that you train on your text in this chapter are built around this function. When it works, it reads your text a few cells further down, and writes.

# %% [markdown] hints="lstm_step"
# 1. A batch has one text in each row. So which of the two is transposed when you multiply $[B, d + k]$ with $[k, d + k]$?
# 2. Put `e` and `h` side by side once. Then there are four affine maps of the same thing, one through tanh and three through the sigmoid.
# 3. Now the right column of the equations, from top to bottom. Mind that the new $h$ needs the *new* $C$, and that the caller still needs the old one.


# %% task="lstm_step" points=4 level=1 minutes=12
def lstm_step(e, h, C, W, b):
    """New (h [B, k], C [B, k]) from e [B, d], h [B, k], C [B, k]; W[part] is [k, d + k], b[part] is [k]. Gradients pass."""
    ### BEGIN SOLUTION
    x = torch.cat([e, h], dim=-1)
    a = {part: x @ W[part].T + b[part] for part in "Cfio"}
    C = torch.sigmoid(a["i"]) * torch.tanh(a["C"]) + torch.sigmoid(a["f"]) * C
    return torch.sigmoid(a["o"]) * torch.tanh(C), C
    ### END SOLUTION


# %% test="lstm_step" aspect="half-open gates, by hand" points=1
_W = {part: torch.zeros(1, 3).double() for part in "Cfio"}
_b = {part: torch.zeros(1).double() for part in "Cfio"} | {"C": torch.ones(1).double()}
_got = lstm_step(
    torch.ones(2, 2).double(),
    torch.ones(2, 1).double(),
    torch.full((2, 1), 0.4).double(),
    _W,
    _b,
)
expect(_got, "h, C")
_h, _C = _got
assert np.shape(_h) == np.shape(_C) == (2, 1), (
    "h and C should both have the shape [B, k]."
)
assert close(_C[0, 0], 0.5 * math.tanh(1) + 0.2, 1e-5), (
    f"Gates at 1/2: C = ½ tanh(1) + ½ · 0.4 = .5808; yours: {_C[0, 0]:.4f}."
)
assert close(_h[1, 0], 0.5 * math.tanh(0.5 * math.tanh(1) + 0.2), 1e-5), (
    f"h = ½ tanh(C) = .2617, with the new C; yours: {_h[1, 0]:.4f}."
)
### BEGIN HIDDEN TESTS
_B, _d, _k = size("B"), size("d", large=None), size("k", large=None)
_e, _h, _C = (tensor(_B, _width, kind="float64") for _width in (_d, _k, _k))
_both = made(lambda rng, d, k: d + k, _d, _k)
_W, _b = (
    made(lambda rng, parts: dict(zip("foiC", parts, strict=True)), _parts)
    for _parts in (
        tensor(4, _k, _both, kind="float64", scale=0),
        tensor(4, _k, kind="float64"),
    )
)
agrees(lstm_step, ours.lstm_step, _e, _h, _C, _W, _b, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="lstm_step" aspect="each gate does its own" points=1
_cases = [(1, 0, 1, 0.3), (0, 1, 1, 0.3), (1, 1, 0, 0.3), (0, 0, 1, 0.3)]
for _f, _i, _o, _old in _cases:
    _W = {part: torch.zeros(1, 2).double() for part in "Cfio"}
    _b = {
        part: torch.full((1,), 80.0 * gate - 40).double()
        for part, gate in zip("fio", (_f, _i, _o), strict=True)
    }
    _one, _C = torch.ones(1, 1).double(), torch.full((1, 1), _old).double()
    _got = lstm_step(
        _one, _one.clone(), _C, _W, _b | {"C": torch.full((1,), 0.5).double()}
    )
    expect(_got, "h, C")
    _wanted = _f * _old + _i * math.tanh(0.5)
    assert close(_got[1], [[_wanted]], 1e-5, 1e-6), (
        f"Gates f = {_f}, i = {_i}, old C = {_old:.2f}, candidate tanh(.5): C should be {_wanted:.4f}; yours: {_got[1]}."
    )
    assert close(_got[0], [[_o * math.tanh(_wanted)]], 1e-5, 1e-6), (
        f"Output gate o = {_o} and C = {_wanted:.4f}: h should be {_o * math.tanh(_wanted):.4f}; yours: {_got[0]}."
    )
### BEGIN HIDDEN TESTS
_B, _d, _k = size("B"), size("d", large=None), size("k", large=None)
_e, _h, _C = (tensor(_B, _width, kind="float64") for _width in (_d, _k, _k))
_both = made(lambda rng, d, k: d + k, _d, _k)
_W, _b = (
    made(lambda rng, parts: dict(zip("foiC", parts, strict=True)), _parts)
    for _parts in (
        tensor(4, _k, _both, kind="float64"),
        tensor(4, _k, kind="float64", edges=("huge",)),
    )
)
_C = tensor(_B, _k, kind="float64", scale=choice(1, 40))
agrees(lstm_step, ours.lstm_step, _e, _h, _C, _W, _b, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="lstm_step" aspect="token first, then state" points=1
_W = {part: torch.zeros(1, 3).double() for part in "Cfio"}
_b = {part: torch.full((1,), 40.0).double() for part in "fio"} | {
    "C": torch.zeros(1).double()
}
_W["C"][0] = torch.tensor([0.1, 0.2, 0.4])
_got = lstm_step(
    torch.tensor([[1.0, 0.0]]).double(),
    torch.ones(1, 1).double(),
    torch.zeros(1, 1).double(),
    _W,
    _b,
)
expect(_got, "h, C")
assert close(_got[1], [[math.tanh(0.5)]], 1e-5), (
    f"W_C [1, 0, h=1] = .1 + .4, so C = tanh(.5) = .4621; yours: {_got[1]}. Which comes first, e or h?"
)
### BEGIN HIDDEN TESTS
_B, _d, _k = size("B"), size("d", large=None), size("k", large=None)
_e, _h, _C = (tensor(_B, _width, kind="float64") for _width in (_d, _k, _k))
_both = made(lambda rng, d, k: d + k, _d, _k)
_W, _b = (
    made(lambda rng, parts: dict(zip("foiC", parts, strict=True)), _parts)
    for _parts in (tensor(4, _k, _both, kind="float64"), tensor(4, _k, kind="float64"))
)
agrees(lstm_step, ours.lstm_step, _e, _h, _C, _W, _b, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="lstm_step" aspect="two steps like torch's cell" points=1
_cell = nn.LSTMCell(3, 2).double()
_rows = torch.cat([_cell.weight_ih, _cell.weight_hh], dim=1).detach().chunk(4)
_shifts = (_cell.bias_ih + _cell.bias_hh).detach().chunk(4)
_W, _b = (dict(zip("ifCo", _parts, strict=True)) for _parts in (_rows, _shifts))
_e, _h, _C = (torch.randn(4, _width).double() for _width in (3, 2, 2))
_wanted = _state = _h.clone(), _C.clone()
for _step in (1, 2):
    _wanted = _cell(_e, _wanted)
    _state = lstm_step(_e.clone(), *_state, _W, _b)
    expect(_state, "h, C")
    assert all(
        close(_one, _two, 1e-5, 1e-6)
        for _one, _two in zip(_state, _wanted, strict=True)
    ), f"After {_step} steps your h and C differ from those of torch's LSTMCell."
### BEGIN HIDDEN TESTS
_B, _d, _k = size("B"), size("d", large=None), size("k", large=None)
_e, _h, _C = (tensor(_B, _width, kind="float64") for _width in (_d, _k, _k))
_both = made(lambda rng, d, k: d + k, _d, _k)
_W, _b = (
    made(lambda rng, parts: dict(zip("oCif", parts, strict=True)), _parts)
    for _parts in (tensor(4, _k, _both, kind="float64"), tensor(4, _k, kind="float64"))
)


@beside_the_answer
def _two_steps(step, e, h, C, W, b):
    C = C.clone().requires_grad_()
    h, last = step(e, *step(e, h, C, W, b), W, b)
    return h, last, *torch.autograd.grad((h + last).sum(), C)  # along the belt, too


for _scenario in (_two_steps, gradients):
    _given = _e, _h, _C, _W, _b
    agrees(lstm_step, ours.lstm_step, *_given, by=_scenario, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS


# %% [markdown]
# ### Your text, already
#
# You have an LSTM, so let it read something. Here is your text. If you have put a file into `work/texts`, it is that one. The network reads it character by
# character, so a token is now a character, and the vocabulary is small: $V$ is the number of different characters in the part that it learns from, and one more:
# a character that your network has never met in training is read as �.

# %%
mine = lmkit.load("mine", unit="character")
my_text = {name: "".join(map("".join, parts)) for name, parts in mine.splits.items()}
symbols = ["�", *sorted(set(my_text["train"]) - {"�"})]
index_of = {symbol: i for i, symbol in enumerate(symbols)}
V = len(symbols)


def to_ids(text):
    """The numbers in `symbols` of the characters of a text, a tensor."""
    return torch.tensor(
        [index_of.get(character, 0) for character in text], dtype=torch.long
    )


text_ids = {name: to_ids(text) for name, text in my_text.items()}
prompt = gallery.prompts(mine)[0]
print(f"{len(text_ids['train']):,} characters to learn from, V = {V}. It begins:\n")
print(my_text["train"][:200])

# %% [markdown]
# Around your step we need two classes, and they stay with us for the whole chapter. `LSTM` is a layer: it goes through a text and calls your step for each token.
# `LanguageModel` is the network around it: an embedding below, which turns each token into its vector, and above it the matrix $U$ of section 2 (with a bias),
# which makes the scores. The layer has one knob, `b_f`, the bias of the forget gate. For the moment it is 0.


# %%
class LSTM(nn.Module):
    """Your LSTM as a layer: vectors [B, T, d] and a state (h, C), or None -> states [B, T, k] and the last (h, C)."""

    def __init__(self, d, k, b_f=0.0):
        super().__init__()
        self.k = k
        bound = k**-0.5
        self.W = nn.ParameterDict(
            {part: torch.empty(k, d + k).uniform_(-bound, bound) for part in PARTS}
        )
        self.b = nn.ParameterDict({part: torch.zeros(k) for part in PARTS})
        with torch.no_grad():
            self.b["f"] += float(b_f)

    def forward(self, e, state=None):
        if state is None:
            zero = torch.zeros(len(e), self.k, device=e.device)
            state = zero, zero
        h, C = state
        W, b = ({part: table[part] for part in PARTS} for table in (self.W, self.b))
        states = []
        for e_t in e.unbind(1):
            h, C = lstm_step(e_t, h, C, W, b)
            states.append(h)
        return torch.stack(states, 1), (h, C)


class LanguageModel(nn.Module):
    """Tokens [B, T] and a state -> scores [B, T, V] and the new state. In the middle is your LSTM."""

    def __init__(self, V, d, k, b_f=0.0):
        super().__init__()
        self.embedding = nn.Embedding(V, d)
        self.layer = LSTM(d, k, b_f)
        self.out = nn.Linear(k, V)

    def forward(self, tokens, state=None):
        states, state = self.layer(self.embedding(tokens), state)
        return self.out(states), state


# %%
# NBVAL_IGNORE_OUTPUT
# (one last digit rounded otherwise changes a character, and all that follow)
def first_words(length=160):
    """How the first network goes on from the prompt, at temperature 0.8."""
    told = go_on(first_model, to_ids(prompt).tolist(), length)
    return prompt + "".join(symbols[i] for i in told)


set_seed(1)
first_size = budget().choose(grading=(32, 96), laptop=(48, 128), gpu=(64, 256))
first_model = LanguageModel(V, *first_size).to(device)
print(f"{sum(w.numel() for w in first_model.parameters()):,} weights, all random:\n")
print(first_words())

# %% [markdown]
# Dice with $V$ faces. The network has never seen a text. So let it see yours, for about a minute. The next cell cuts random **excerpts** of 64 characters out of
# your text and gives the network 32 of them at a time. Such a group is called a **batch**. For each character, the course's own loop from chapter 04 asks the
# network which one comes next. You will replace all of this later; it is only a first look. What do you expect after one minute: the right letters? Words?
# Sentences?

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
excerpts_from = np.random.default_rng(1)


def random_excerpts(_):
    """A batch of 32 excerpts of 64 characters, and the same places one character later."""
    begins = excerpts_from.integers(0, len(text_ids["train"]) - 65, 32)
    found = torch.stack([text_ids["train"][begin : begin + 65] for begin in begins])
    return found[:, :-1], found[:, 1:]


first_history = train(
    first_model,
    random_excerpts,
    lambda model, batch: stream_loss(model, batch, {}),
    steps=budget().choose(grading=150, laptop=3_000, gpu=1_500),
    seconds=60,
    rate=1e-2,
)
print(
    f"{first_history['step'].iloc[-1]:,} steps in {first_history['seconds'].iloc[-1]:.0f} seconds; "
    f"the loss is {first_history['train loss'].iloc[-1]:.2f} nats per character now\n"
)
print(first_words())

# %% [markdown]
# Your equations have learned the alphabet, the spelling of short words, and a little of how your text sounds. Nobody has told the network what a word is. It
# reads one character at a time, and all that it has of the past is a list of numbers.
#
# Two questions come up. *How could it learn that?* In section 1 a gradient was dead after ten steps. To spell, three or four steps may be enough. In section 4
# you will measure how far a gradient comes in an LSTM that has not been trained yet. And: *how do we make it good?* We could wait longer, of course. In section 6
# you will try two other things: a limit for the length of a gradient, and gates that are more or less open at the start.

# %% [markdown]
# ### The bit once more
#
# Let us begin with the gates. Can this thing hold a bit? We repeat what you did in section 1, and we make it a little harder and more useful: the machine should
# be able to *change its mind*. It reads two numbers at each step, $e_t = [\text{bit}, \text{write}]$, each of them 0 or 1. Whenever *write* is 1, the cell has to
# take over the bit. Whenever *write* is 0, it has to keep what it has, whatever the bit is. That is how a memory chip works. For example, if it reads
#
# | step | 1 | 2 | 3 | 4 | 5 |
# |---|---|---|---|---|---|
# | bit | 1 | 0 | 0 | 1 | 0 |
# | write | 1 | 0 | 1 | 0 | 0 |
#
# then it has to say *1, 1, 0, 0, 0*. At step 2 the bit is 0, but nobody has said *write*. The latch of section 1 could not do that: once it has seen a 1, it says
# *yes* for ever.

# %% [markdown] statement="keep_bit"
# ### Set the gates by hand
#
# The cell has one number ($k = 1$), and you set its weights. There are two functions to write.
#
# `keep_bit()` returns `(W, b)`, dictionaries of nested lists. After a 1 was written, $h_t$ must be above 0.5, and after a 0 was written, below $-0.5$, even 1,000
# steps later.
#
# For the second function, suppose that all matrices are zero, and that nothing is ever added to the cell. Only $b_f$ is left. Then the forget gate is the
# same at every step, $f = \sigma(b_f)$, and the cell fades. The **half-life** of this memory is the number of steps after which half of it is left.
# `forget_bias(steps)` returns the $b_f$ that gives the half-life `steps`. For example, at $b_f = 0$ the gate is one half, so the half-life is a single step.
#
# When both work, the next figure shows your memory chip at work.

# %% [markdown] hints="keep_bit"
# 1. For each of the four parts ask: which of *bit*, *write* and $h$ should it depend on at all?
# 2. $\sigma(20)$ is 1 for our purposes, $\sigma(-20)$ is 0. A weight of 40 and a bias of -20 make a switch.
# 3. Write opens one gate and closes another; the candidate says +1 or -1; the output gate need not depend on anything. For the
#    bias: what must the product of `steps` equal factors be, and which number has this sigmoid?


# %% task="keep_bit" points=4 level=3 minutes=25
def keep_bit():
    """(W, b): W[...] of shape [1, 3] for (bit, write, h), b[...] of shape [1], keys "C", "f", "i", "o"."""
    ### BEGIN SOLUTION
    W = {"C": [[40, 0, 0]], "f": [[0, -40, 0]], "i": [[0, 40, 0]], "o": [[0, 0, 0]]}
    b = {"C": [-20], "f": [20], "i": [-20], "o": [20]}
    return W, b
    ### END SOLUTION


def forget_bias(steps):
    """The b_f such that sigmoid(b_f) ** steps = 1/2."""
    ### BEGIN SOLUTION
    f = 0.5 ** (1 / steps)
    return math.log(f / (1 - f))
    ### END SOLUTION


# %% test="keep_bit" aspect="a written bit shows" points=1
_got = keep_bit()
expect(_got, "W, b")
for _bit in (1, 0):
    _h = one_cell(*_got, [(_bit, 1)])[-1]
    assert (_h > 0.5) if _bit else (_h < -0.5), (
        f"Right after bit {_bit} was written, h is {_h:.3f}."
    )
    _h = one_cell(*_got, [(1 - _bit, 1), (_bit, 1)])[-1]
    assert (_h > 0.5) if _bit else (_h < -0.5), (
        f"Bit {1 - _bit} was written, then {_bit}; h is {_h:.3f}."
    )
### BEGIN HIDDEN TESTS
for _part in "Cfio":
    _shapes = tuple(np.shape(_got[0][_part])), tuple(np.shape(_got[1][_part]))
    assert _shapes == ((1, 3), (1,)), (
        f"W[{_part!r}] has the shape [1, 3], b[{_part!r}] [1]; yours: {_shapes}."
    )
for _bit in (1, 0):
    for _words in (
        [(1 - _bit, 0)],
        [(_bit, 0)] * 50,
        [(1 - _bit, 1)] * 100,
        [(_bit, 1)] * 100,
    ):
        _h = one_cell(*_got, [*_words, (_bit, 1)])[-1]
        assert (_h > 0.5) if _bit else (_h < -0.5), (
            f"{len(_words)} times the token {_words[0]} (bit, write), then bit {_bit} is written: h is {_h:.3f}."
        )
### END HIDDEN TESTS

# %% test="keep_bit" aspect="it stays for 1,000 steps" points=1
_got = keep_bit()
expect(_got, "W, b")
_draw = random.Random(1)
### BEGIN HIDDEN TESTS
_draw = random.Random()
### END HIDDEN TESTS
for _noise in (lambda: 0, lambda: 1, lambda: _draw.randint(0, 1)):
    for _bit in (0, 1):
        _states = one_cell(*_got, [(_bit, 1), *((_noise(), 0) for _ in range(1000))])
        _wrong = [
            t for t, _h in enumerate(_states) if (_h < 0.5 if _bit else _h > -0.5)
        ]
        assert not _wrong, (
            f"Bit {_bit} is lost {_wrong[0]} steps after it was written: h = {_states[_wrong[0]]:.3f}."
        )
### BEGIN HIDDEN TESTS
for _bit in (0, 1):
    for _first in ([(1 - _bit, 1)], [(1 - _bit, 1)] * 50, [(_bit, 1)] * 50):
        for _idle in (lambda: _draw.randint(0, 1), lambda b=_bit: 1 - b):
            _words = [*_first, (_bit, 1), *((_idle(), 0) for _ in range(1000))]
            _h = one_cell(*_got, _words)[-1]
            assert (_h > 0.5) if _bit else (_h < -0.5), (
                f"Bit {_first[0][0]} was written {len(_first)} times, then {_bit}: 1,000 steps later h = {_h:.3f}."
            )
### END HIDDEN TESTS

# %% test="keep_bit" aspect="the last written bit counts" points=1
_got = keep_bit()
expect(_got, "W, b")
_draw, _last, _rounds, _idle = random.Random(2), 1, [300], 0
### BEGIN HIDDEN TESTS
_draw, _rounds, _idle = random.Random(), [300, 300, 300], 200
### END HIDDEN TESTS
for _round, _n in enumerate(_rounds):
    _words = [
        (1, 1),
        *((_draw.randint(0, 1), 0) for _ in range(_idle)),
        *(
            (_draw.randint(0, 1), int(_draw.random() < (0.3, 0.05, 0.8)[_round]))
            for _ in range(_n)
        ),
    ]
    for _t, (_h, (_bit, _write)) in enumerate(
        zip(one_cell(*_got, _words), _words, strict=True)
    ):
        _last = _bit if _write else _last
        assert (_h > 0.5) == bool(_last) and abs(_h) > 0.5, (
            f"Step {_t}: the last bit written is {_last}, but h = {_h:.3f}."
        )

# %% test="keep_bit" aspect="half is left" points=1
_steps_wanted = [1, 10, 100]
for _steps in _steps_wanted:
    _b = forget_bias(_steps)
    assert is_number(_b), f"forget_bias returns a number; yours: {_b!r}."
    _left = (1 / (1 + math.exp(-_b))) ** _steps
    assert close(_left, 0.5, 1e-5), (
        f"With your b_f = {_b:.3f}, {_left:.4f} is left after {_steps} steps."
    )
### BEGIN HIDDEN TESTS
_steps = choice(whole(1, 100_000, (2, 3, 7, 50, 1000)), 0.25, 0.5)
agrees(forget_bias, ours.forget_bias, _steps, rtol=0, atol=1e-5)
### END HIDDEN TESTS


# %% [markdown]
# Here is your chip at work, over 200 steps. The small grey dots are the bits that it reads: they change at random, and most of the time they mean nothing. The
# triangles are the five moments at which *write* is 1. Look at what the state does between two triangles.

# %% folded="draws your memory chip" alt="The state of the cell over 200 steps, at plus or minus 0.76. It takes over the bit at each of five marked moments and stays level between them, while the grey dots of random bits change all the time."
rng = random.Random(4)
orders = {10: 1, 45: 0, 60: 1, 110: 0, 170: 1}  # at which step what is written
words = [(orders.get(t, rng.randint(0, 1)), int(t in orders)) for t in range(200)]
_, axes = plt.subplots(figsize=(7.4, 2.8))
axes.plot(
    [2 * bit - 1 for bit, _ in words],
    ".",
    color="gray",
    markersize=3,
    label="bit (1 is up)",
)
axes.plot(
    one_cell(*keep_bit(), words),
    color=plots.COLOURS[0],
    linewidth=2,
    label="state $h_t$",
)
axes.plot(
    [*orders],
    [2 * bit - 1 for bit in orders.values()],
    "v",
    color=plots.COLOURS[1],
    label="write = 1",
)
axes.set(
    title="Between two orders to write, nothing disturbs the cell",
    xlabel="step",
    ylabel="state $h_t$, and bits",
    ylim=(-1.3, 1.3),
)
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()
for half_life in (1, 5, 20, 100):
    print(f"half-life {half_life:3} steps: b_f = {forget_bias(half_life):.2f}")

# %% [markdown]
# The state changes at the triangles and nowhere else.
#
# Now look at the printed lines. With $b_f = 0$, the forget gate is $\sigma(0) = \tfrac12$, and half of everything is gone after a single step. Your first model
# started like this, and so, nearly, does torch's `nn.LSTM`. (Keras starts with $b_f = 1$, a half-life of two steps.) A half-life of 1, that is, a *half-open*
# forget gate, will come back in sections 4, 5 and 6.

# %% [markdown]
# ### The other side of the bargain
#
# Your latch and your cell both hold a bit, but in opposite ways. The latch *pulls its state back* to a fixed point at every step. The cell is *left alone*. In
# section 1 we shook the latch. To be fair, let us shake the cell as well: 300 copies of it, each with a 1 written at step 0, and after each step up to $\pm 0.1$
# is added to $C_t$. Beside them, 300 of your latches get the same noise. What share of each still says *1* after 1,000 steps?

# %% alt="The share of memories that still hold the bit, over 1,000 noisy steps. The latches stay at 100 percent. The cells, if nothing pulls them back, stay near 100 percent for some fifty steps, and then sink slowly towards a dotted line at 50 percent."


@torch.no_grad()
def shaken_cells(noise=0.1, steps=1_000, copies=300):
    """The share of copies of your cell with h > 0, step by step, after a 1 was written and while C is shaken."""
    W, b = (
        {part: torch.tensor(table[part]).double() for part in PARTS}
        for table in keep_bit()
    )
    dice = torch.Generator().manual_seed(1)
    h = C = torch.zeros(copies, 1).double()
    shares = []
    for t in range(steps):
        order = [1.0, 1.0] if t == 0 else [0.0, 0.0]
        h, C = lstm_step(torch.tensor([order] * copies).double(), h, C, W, b)
        shares.append((h > 0).double().mean().item())
        C = C + noise * (2 * torch.rand(copies, 1, generator=dice).double() - 1)
    return shares


latch_numbers = [float(value) for value in latch()]
latches = [
    one_number(*latch_numbers, [1.0] + [0.0] * 999, 0.1, seed) for seed in range(300)
]
shares = {
    "your latches": (np.array(latches) > 0).mean(0),
    "your cells": np.array(shaken_cells()),
}
_, axes = plt.subplots(figsize=(7, 2.8))
for (name, share), colour in zip(shares.items(), plots.COLOURS[1::-1], strict=False):
    axes.plot(100 * share, color=colour, label=name)
axes.axhline(50, color="gray", linestyle=":")
axes.text(1_000, 51, "as with a coin", color="gray", fontsize=10, ha="right")
axes.set(
    title="Which memory survives a noise of ±0.1 at every step?",
    xlabel="steps since the 1 was written",
    ylabel="right now (%)",
    ylim=(0, 105),
)
axes.legend(loc="lower left")
plt.show()
for name, share in shares.items():
    print(
        f"{name:13} "
        + "".join(f"{t:6,}: {share[t - 1]:4.0%}" for t in (50, 200, 1_000))
    )

# %% [markdown]
# All latches still hold their 1 after 1,000 steps. The cells drift. A forget gate that is nearly 1 does not pull them back, so the small pushes add up, and
# sooner or later they carry it across zero. Some cells drift back again, and so the line goes up as well as down. In the course's own run, 71 % of the cells are
# on the right side after 1,000 steps. If one waits long enough, it will be one half, as with a coin. This is the dotted line.
#
# But perhaps you found another solution in `keep_bit`, and none of *your* cells was lost. For example, a cell may refresh itself whenever it reads $(0, 0)$:
# there the forget gate is closed, the input gate is open, and the candidate has the sign of the old $h$, so that the cell writes its own bit anew. Such a
# cell is a latch, too, and you pay for it as in section 1.
#
# So there is a bargain between robust memory and learnability, and the cell has not escaped from it. It has taken *the other side*. The latch shrinks small
# changes: noise dies, and the gradient dies with it. The cell lets small changes pass: noise stays, and so does the gradient.
#
# For a network that has to learn, this can be a good trade. Nobody shakes its cells from outside. In section 5 you will see a game in which the trade pays.
# Whether it pays on a text, you will try in section 6. But first, how much of the gradient does stay?
