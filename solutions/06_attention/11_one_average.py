# %% [markdown]
# ## 10. What one lookup can never do
#
# Your layers have four heads, and the circuit needs two layers. Could one head do, if it were only trained for longer? Or one layer? Here is a task so small that we can work out an answer with paper and pencil. A menu has $N$ dishes with prices, and then comes a question:
#
# > soup 2.1, tart 0.4, cake −1.3. *How much more does the soup cost than the tart?*
#
# This takes **two lookups**, one for each price. A second kind of question takes **two hops**, as our circuit does. Each dish names a partner that is served with it, and we ask: *what does the partner of the soup cost?* First you have to find the soup, to learn who its partner is, and only then can you look for the partner.
#
# Each row of the table is one word. Its vector has three blocks of $N$ numbers. A dish fills the first two: its own name, and its partner's. The question fills the last two: the dishes that it asks about (for two hops, only the first of them counts). A name is **one-hot**, that is, a 1 at the place of the name.
#
# | word | own name | partner, or first asked | second asked | price |
# |---|---|---|---|---|
# | soup, served with cake | 1 0 0 | 0 0 1 | 0 0 0 | 2.1 |
# | tart, served with soup | 0 1 0 | 1 0 0 | 0 0 0 | 0.4 |
# | cake, served with tart | 0 0 1 | 0 1 0 | 0 0 0 | −1.3 |
# | question: soup, tart? | 0 0 0 | 1 0 0 | 0 1 0 | 0 |
#
# Queries and keys are made from these vectors, and the values are the prices, which are random, with mean 0 and variance 1.

# %% folded="makes menus and questions"
def questions(task, N, B, seed=None):
    """X: [B, N + 1, 3N], price: [B, N + 1, 1] (the question's is 0), and the answers [B]."""
    draw, rows = np.random.default_rng(seed), np.arange(B)
    partner = (np.arange(N) + draw.integers(1, N, size=(B, N))) % N
    price, asked = draw.normal(size=(B, N + 1)), draw.random((B, N)).argsort(1)[:, :2]
    price[:, N], X = 0, np.zeros((B, N + 1, 3 * N))
    X[:, :N, :N], X[:, :N, N : 2 * N] = np.eye(N), np.eye(N)[partner]
    X[rows, N, N + asked[:, 0]] = X[rows, N, 2 * N + asked[:, 1]] = 1
    more = price[rows, asked[:, 0]] - price[rows, asked[:, 1]]
    hop = price[rows, partner[rows, asked[:, 0]]]
    y = more if task == "two lookups" else hop
    return tuple(torch.tensor(M).float() for M in (X, price[..., None], y))


# %% [markdown]
# **One head, two lookups.** A head returns $\sum_i p_i v_i$, and a network may multiply that by a number $c$. So the two prices that we want come in with the factors $\alpha = c\,p_1$ and $\beta = c\,p_2$. Weights are positive, so $\alpha$ and $\beta$ have the *same sign*. But the answer is $v_1 - v_2$, with a plus and a minus. What is missing is
#
# $$(v_1 - v_2) - (\alpha v_1 + \beta v_2) = (1 - \alpha)\, v_1 - (1 + \beta)\, v_2,$$
#
# and since prices are independent with variance 1, its variance is $(1 - \alpha)^2 + (1 + \beta)^2$. With the same sign for both, this is never below 1: if they are positive, the second term is at least 1, and if they are negative, the first one is. The answer itself has variance 2. So **one head explains at most half** of it, however long it is trained.
#
# **One head, two hops.** The question does not know the partner's name, since that stands in the soup's vector only. All that one head can do is to avoid the soup itself, because the partner is another dish, and take the mean of the others. With five dishes these are four, and the partner is one of them. The error of that mean has the variance $(1 - \frac14)^2 + 3\,(\frac14)^2 = \frac34$, where a price has 1. So **one quarter** is explained.

# %% [markdown] statement="difference_heads"
# ### Two heads can subtract
#
# Give the question *two* heads, and let their answers be mixed by a small matrix `mix`. Show without any training that this is enough, by setting the weights with your own hands.
#
# `difference_heads(N)` returns `([(W_q, W_k), (W_q, W_k)], mix)`, tensors, each $W$ $[3N, N]$ and `mix` $[2, 1]$. Each head computes $\mathrm{softmax}(QK^T\!/\sqrt{N})\,v$ with $Q = XW_q$, $K = XW_k$ and the prices $v$. The last row of $[\text{head}_1; \text{head}_2]$ times `mix` is to be the first price minus the second.
#
# When it works, the cell below shows your heads at work on the menu above.

# %% [markdown] hints="difference_heads"
# 1. A weighted mean of $a$ and $b$ times a number: can one count with a plus and the other with a minus? And what do two
#    heads and `mix` add to that?
# 2. What must query and key have in common for a large score at the asked dish and none elsewhere? Names are one-hot.
# 3. Scores are divided by $\sqrt{N}$, and 100 dishes share what is left of the weight: how large must the right one be (section 2)?


# %% task="difference_heads" points=3 level=3 minutes=26
def difference_heads(N):
    """([(W_q, W_k), (W_q, W_k)], mix), tensors of shape [3N, N] and [2, 1]: the output is first minus second price. N up to 100."""
    ### BEGIN SOLUTION
    name, first, second = (30 * torch.eye(3 * N)).split(N, dim=1)
    return [(first, name), (second, name)], torch.tensor([[1.0], [-1.0]])
    ### END SOLUTION


# %% test="difference_heads" aspect="two sharp heads" points=1
_sizes = [4]
### BEGIN HIDDEN TESTS
_sizes = [20, 100, random.randint(5, 9), 2]
### END HIDDEN TESTS
for _N in _sizes:
    _X, _price, _ = questions("two lookups", _N, 40)
    _got = difference_heads(_N)
    assert isinstance(_got, tuple | list) and len(_got) == 2 and len(_got[0]) == 2, (
        f"Return (two heads, mix); yours: {_got!r}."
    )
    _heads = [
        [torch.tensor(np.asarray(_W)).float() for _W in _head] for _head in _got[0]
    ]
    _shapes = [[tuple(_W.shape) for _W in _head] for _head in _heads]
    assert _shapes == [[(3 * _N, _N)] * 2] * 2, (
        f"N = {_N}: {3 * _N, _N} four times; yours: {_shapes}."
    )
    _looks = [
        ((_X @ _q) @ (_X @ _k).mT / math.sqrt(_N))[:, -1].softmax(1)
        for _q, _k in _heads
    ]
    assert min(_A.amax(1).min() for _A in _looks) > 0.99, (
        f"N = {_N}: each head should look at one dish only; the softmax is too flat."
    )
    assert not (_looks[0].argmax(1) == _looks[1].argmax(1)).any(), (
        "Two different dishes were asked for, but your heads look at the same one."
    )

# %% test="difference_heads" aspect="first minus second" points=2
_sizes = [5]
### BEGIN HIDDEN TESTS
_sizes = [20, 100, random.randint(6, 9), 2]
### END HIDDEN TESTS
for _N in _sizes:
    _X, _price, _y = questions("two lookups", _N, 50)
    _heads, _mix = difference_heads(_N)
    _mix = torch.tensor(np.asarray(_mix)).float()
    assert _mix.shape == (2, 1), (
        f"mix has the shape (2, 1); yours: {tuple(_mix.shape)}."
    )
    _heads = [
        [torch.tensor(np.asarray(_W)).float() for _W in _head] for _head in _heads
    ]
    _seen = [attend(_X @ _q, _X @ _k, _price)[:, -1] for _q, _k in _heads]
    _answer = (torch.cat(_seen, dim=1) @ _mix)[:, 0]
    _worst = (_answer - _y).abs().argmax()
    assert close(_answer, _y, 0, 0.02), (
        f"N = {_N}: the first costs {_y[_worst]:.2f} more than the second; you answer {_answer[_worst]:.2f}."
    )

# %%
menu = torch.zeros(4, 9)
menu[[0, 1, 2], [0, 1, 2]] = menu[[0, 1, 2], [5, 3, 7]] = 1  # names, partners
menu[3, 3] = menu[3, 7] = 1  # soup, tart?
price = torch.tensor([[2.1], [0.4], [-1.3], [0.0]])
heads, mix = difference_heads(3)
answers = [
    scaled_attention(menu @ W_q, menu @ W_k, price)[-1].item() for W_q, W_k in heads
]
print("the two heads find", np.round(answers, 2))
print("mixed:", round((torch.tensor(answers) @ torch.as_tensor(mix)).item(), 2))

# %% [markdown]
# So two heads *can* do what one cannot. Would a network find that by itself, by gradient descent? And does it really stop at one half and at one quarter if it has one head only? We train three kinds of small readers on both questions, with two seeds each, all with your `scaled_attention`. As before, each layer adds what its heads have found to the vectors, and at the end a linear map reads the answer off the question's
# vector.


# %%
class Head(nn.Module):
    """One lookup with maps of its own: [B, T, C] -> [B, T, D]. Only values see the prices."""

    def __init__(self, C, D):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(C, D, bias=False) for _ in range(3))

    def forward(self, x, price):
        return scaled_attention(self.q(x), self.k(x), self.v(x + price))


class Reader(nn.Module):
    """A number for each question, from layers of heads that stand side by side."""

    def __init__(self, layers, heads, C=32):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleList(Head(C, C // heads) for _ in range(heads))
            for _ in range(layers)
        )
        self.mixes = nn.ModuleList(nn.Linear(C, C, bias=False) for _ in range(layers))
        self.C, self.out = C, nn.Linear(C, 1)

    def forward(self, X, price):  # [B, N + 1, 3N], [B, N + 1, 1] -> [B]
        x = F.pad(2 * X, (0, self.C - X.shape[-1]))
        price = F.pad(price, (self.C - 1, 0))
        for heads, mix in zip(self.heads, self.mixes, strict=True):
            x = x + mix(torch.cat([head(x, price) for head in heads], dim=-1))
        return self.out(x[:, -1]).squeeze(-1)


# %%
def squared_error(model, batch):
    return F.mse_loss(model(*batch[:2]), batch[2]), len(batch[2])


def explained(task, layers, heads, seed, steps=400):
    """The share of the variance that a newly trained Reader explains on new questions."""
    set_seed(seed)
    model = Reader(layers, heads).to(device)
    train(
        model,
        batches=lambda step: questions(task, 5, 64, [seed, step]),
        loss=squared_error,
        steps=steps,
        rate=1e-2,
        schedule=warmup_cosine(20, 0.05),
    )
    new = [part.to(device) for part in questions(task, 5, 5000, 10**6)]
    with torch.no_grad():
        return 1 - (squared_error(model, new)[0] / new[2].var()).item()


kinds = {
    "1 layer, 1 head": (1, 1),
    "1 layer, 2 heads": (1, 2),
    "2 layers, 1 head": (2, 1),
}
bounds = {
    "two lookups": 1 / 2,
    "two hops": 1 / 4,
}  # of one head in one layer, worked out above
shares = {
    (task, kind): [explained(task, *sizes, seed) for seed in (1, 2)]
    for task in bounds
    for kind, sizes in kinds.items()
}

# %% folded="draws what each reader explains" alt="Variance explained in two tasks. Two lookups: one head gets 50 percent, two heads or two layers get 100. Two hops: one layer gets about 24 percent with one head or with two, two layers get 100."
_, axes = plt.subplots(figsize=(8, 3.2))
for x_0, task in enumerate(bounds):
    for n, kind in enumerate(kinds):
        at, its = x_0 + 0.26 * (n - 1), 100 * np.array(shares[task, kind])
        axes.bar(at, its.mean(), 0.24, color=plots.COLOURS[n], label="_" * x_0 + kind)
        over = (
            max(its.mean(), 100 * bounds[task] * (n == 0)) + 2
        )  # above the dashed line
        axes.text(at, over, f"{its.mean():.0f}", ha="center")
    axes.plot([x_0 - 0.4, x_0 - 0.13], [100 * bounds[task]] * 2, "k--")
axes.set(xticks=[0, 1], xticklabels=bounds, ylabel="variance explained (%)")
axes.set(title="One head stops where we worked it out", ylim=(0, 115))
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# Each bar is the mean of two seeds, and the dashed lines are what we worked out with paper and pencil. Training lands on them: one head stops at one half for two lookups, and at one quarter for two hops (a measured bar may pass the line by a little, because it is measured on 5,000 questions). A second head makes the subtraction possible. For two hops a second head does not help here, in 400 steps, and a second *layer* solves them: in the
# first one the question finds out who the partner is, in the second one it looks for the partner.
#
# But beware of the sentence "two hops *need* two layers". With enough heads, one layer can cheat, and here is how. For each dish $h$ take one head that asks: "is $h$ the partner of the dish asked for?" It gives the asked dish the score 2, but only 1 if its partner is $h$, and it gives dish $h$ the score 1.5 (all of them many times as large, so that the largest wins). If $h$ is the partner, this head finds the price of $h$, and otherwise that of the asked dish. Add up all $N$ heads and subtract the price of the asked dish $N - 1$ times,
# which takes one more head: the partner's price is left. So depth can be bought with width, at one head for each dish. A language with 50,000 words had better take a second layer.
