# %% [markdown]
# ## 5. Learning to remember
#
# Enough theory. Can it be *learned*? Here is a game that needs nothing but memory. A network reads a text of numbers. The first one is 0 or 1, all others are 0. At the very end we ask: what was the first? We begin with short texts. If the network learns them, we give it longer ones, until it fails.
#
# Three networks play, each with three random starts, and each gets 100 training steps for every length:
#
# - an RNN (torch's `nn.RNN`, which does what your `rnn` does for a whole batch);
# - *your* LSTM, with all biases at zero, as one would naively start it;
# - *your* LSTM, with the bias of the forget gate set by *your* `forget_bias` to a half-life of 100 steps. That is the only difference.
#
# The next cell builds the network around your step. It is worth reading, because the same few lines will be used for your text.


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


class FirstBit(nn.Module):
    """Reads numbers [B, T, 1], answers once, at the end: a score [B], positive for 1."""

    def __init__(self, layer, k):
        super().__init__()
        self.layer, self.out = layer, nn.Linear(k, 1)

    def forward(self, numbers):
        return self.out(self.layer(numbers)[0][:, -1])[:, 0]


# %%
def recall(length, layer, seed, steps=100, k=16):
    """The share of right answers after training on texts of that length."""
    set_seed(seed)
    model = FirstBit(layer(k), k).to(device)
    dice = torch.Generator().manual_seed(seed)

    def batch(_, size=32):
        first = torch.randint(2, (size,), generator=dice).float()
        return F.pad(first[:, None], (0, length - 1))[..., None], first

    def loss(model, batch):
        score = model(batch[0])
        return F.binary_cross_entropy_with_logits(score, batch[1]), len(batch[1])

    train(model, batch, loss, steps=steps, rate=5e-3)
    numbers, first = (part.to(device) for part in batch(0, 1000))
    with torch.no_grad():
        return ((model(numbers) > 0) == (first > 0)).float().mean().item()


def longest_learned(layer, seed):
    """The longest of the lengths up to which at least 90 % of the answers became right; 0: none."""
    longest = 0
    for length in lengths:
        if recall(length, layer, seed) < 0.9:
            break
        longest = length
    return longest


# %% [markdown]
# Before you run it: which row will be longest, and what about the second one? It is an LSTM, after all. (On a laptop, this takes about a minute.)

# %%
lengths = (5, 7, 10, 14, 20, 28, 40, 80)
seeds = (1, 2, 3)
players = {
    "RNN": lambda k: nn.RNN(1, k, batch_first=True),
    "your LSTM,\ngates half open": lambda k: LSTM(1, k),
    "your LSTM,\ngates open": lambda k: LSTM(1, k, forget_bias(100)),
}
learned = {
    name: [longest_learned(layer, seed) for seed in seeds]
    for name, layer in players.items()
}

# %% folded="draws the longest texts" alt="The longest text that was learned, a dot for each of three starts: 10 to 20 numbers by the RNN, about as many by the LSTM with half-open gates, 40 to 80 by the LSTM with open gates."
_, axes = plt.subplots(figsize=(7, 3))
for place, longest in enumerate(learned.values()):
    for seed, length in enumerate(longest):
        axes.plot(
            max(length, 3.5),
            place + 0.15 * (seed - 1),
            "o",
            color=plots.COLOURS[place],
            markersize=8,
        )
axes.set_yticks(range(len(learned)), list(learned))
log_ticks(
    axes, [3.5, *lengths], xlabel="longest text that was learned in 100 steps (numbers)"
)
axes.set_xticks([3.5, *lengths], ["none", *lengths])
axes.set(title="Open gates make the difference, not gates as such", ylim=(-0.5, 2.5))
axes.grid(axis="x", alpha=0.3)
plt.show()
for name, longest in learned.items():
    print(f"{name.replace(chr(10), ' '):32} {longest}")

# %% [markdown]
# The third row learns texts of 40 numbers and more. The other two give up long before. And the second row is the surprise: an LSTM whose forget gates start half open is hardly better than the plain RNN. It has all the gates and all the weights. But at every step half of the cell is lost, and half of the gradient with it. After 20 steps, a millionth is left, and no training signal ever says *open the gate*. So if you start an LSTM, open
# its forget gates first. R. Jozefowicz and others (2015), who tried more than ten thousand architectures on real tasks, recommend it for every LSTM.

# %% [markdown] statement="gates_or_start"
# ### Because it has gates?
#
# "An LSTM remembers longer than an RNN because it has gates." Which row of the figure contradicts this, what does the
# sentence leave out, and why do the gates matter all the same?

# %% [markdown] written="gates_or_start" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: the middle row: with half-open gates, the LSTM has the same gates and learns hardly longer
# texts than the RNN. 1 point: where training starts is left out: near $b_f = 0$ the forget gate is $\sigma(0) = \frac12$, the cell
# and its gradient halve at each step, and training hears nothing of what was far back; 5 higher it is .993. 1 point:
# what gates give nevertheless: one number per cell sets how long it keeps, with no tanh or matrix on its way, so a
# good start is easy to choose, and training can change it; or, a gate can stay open for one thing and close for
# another.
#
# No point for praising the cell in general. A usual wrong idea: the row with open gates has more or other weights; it
# differs in the start only.
#
# **Sample, 3 points.** The middle row: an LSTM with half-open gates learns texts of 14 to 20 numbers, no more than the RNN. It
# has all its gates. What is missing is the start: with $b_f = 0$ half of the cell is forgotten at each step, after 20
# steps a millionth is left, so no gradient tells it to open the gate. With a half-life of 100 the gate begins at .993 and it
# learns 40 or more. The gates still matter, because there is such a number to set at all: the cell is only multiplied
# by $f$, while in the RNN everything passes through $W_h$ and tanh.
#
# **Sample, 2 points.** The LSTM of the second row learned no longer texts than the RNN, although it has gates. The sentence
# forgets that the bias of the forget gate has to start high, otherwise it forgets half in each step. I do not know
# why gates matter then, perhaps they do not.
#
# **Sample, 0 points.** The RNN row, because it has no gates and learned least. The sentence leaves out that an LSTM
# has four times the weights, and that is why it remembers longer.
# ### END SOLUTION
