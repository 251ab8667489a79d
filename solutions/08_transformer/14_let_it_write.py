# %% [markdown] statement="generate"
# ## 17. Let it write
#
# Write `generate(model, tokens, n, choose, end)`: texts `tokens` $[B, T]$ go on by up to $n$ tokens.
#
# - `model(tokens, past)` gives scores $[B, T, V]$ and the new past; at the start the past is `None`. It reads the prompt in one go, then only each newest token; what the model need not read, it never reads.
# - `choose(s)`: the next tokens $[B]$ from the last place's scores $[B, V]$.
# - A text that has *written* `end` is over: it gets `end` for each further token. When all are over, or after $n$, the texts are returned, $[B, T + \text{new}]$. An `end` in the prompt does not count.

# %% [markdown] hints="generate"
# 1. What does the model get in the first round, and what in all later ones?
# 2. A row of truth values, one for each text, remembers who is over.
# 3. A loop of at most $n$ rounds: leave if all are over; ask the model with what is new; choose from the last place; overrule the choice where a text is over; join it to the texts; it is what is new in the next round.


# %% task="generate" points=3 level=2 minutes=18
def generate(model, tokens, n, choose, end):
    """Tokens [B, T + new], a new tensor: the prompts [B, T] and what was written."""
    ### BEGIN SOLUTION
    new, past = tokens, None
    over = torch.zeros(len(tokens), dtype=torch.bool, device=tokens.device)
    for _ in range(n):
        if over.all():
            break
        scores, past = model(new, past)
        chosen = choose(scores[:, -1]).masked_fill(over, end)
        over = over | (chosen == end)
        new = chosen[:, None]
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
    ### END SOLUTION


# %%
class Counting:
    """A model whose next token is (3 x the sum of all it has read + their number) modulo V; it notes what it is asked."""

    def __init__(self, V):
        self.V, self.asked = V, []

    def __call__(self, tokens, past):
        kept = 0 if past is None else past[0].shape[1]
        self.asked.append((tuple(tokens.shape), kept))
        read = tokens if past is None else torch.cat([past[0], tokens], dim=1)
        sums, places = read.cumsum(1), 1 + torch.arange(read.shape[1])
        scores = F.one_hot((3 * sums + places) % self.V, self.V).float()
        return scores[:, kept:], (read,)


def best_token(s):
    return s.argmax(-1)


def counted_on(row, n, V, end):
    """By brute force: a text and what the counting model writes, `end` and what follows it included."""
    row = list(row)
    begin = len(row)
    for _ in range(n):
        over = end in row[begin:]
        row.append(end if over else (3 * sum(row) + len(row)) % V)
    return row


# %% test="generate" aspect="goes on from the whole text" points=1
_cases = (([[1, 2]], 3, 7),)
### BEGIN HIDDEN TESTS
_cases = [
    (torch.randint(11, (B, T)).tolist(), n, 11)
    for B, T, n in ((1, 1, 6), (3, 4, 5), (2, 2, 1), (4, 3, 0), (1, 5, 9))
]
### END HIDDEN TESTS
for _rows, _n, _V in _cases:
    _got = generate(Counting(_V), torch.tensor(_rows), _n, best_token, -1)
    _wanted = [counted_on(row, _n, _V, -1) for row in _rows]
    assert np.shape(_got) == np.shape(_wanted), (
        f"Prompts {_rows}, n = {_n}: shape {np.shape(_wanted)} wanted; yours: {np.shape(_got)}."
    )
    assert close(_got, _wanted), (
        f"Prompts {_rows}, n = {_n}, a model that sums all it has read: {_wanted} wanted; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
_prompt = torch.tensor(_cases[1][0])
_after = arguments_after(generate, Counting(11), _prompt.clone(), 4, best_token, -1)
assert close(_after[1], _prompt), "The prompts are changed by your generate."
_got = generate(Counting(5), torch.tensor([[1, 2]]), 2, lambda s: s.argmin(-1), -1)
assert close(_got, [[1, 2, 0, 0]]), (
    f"choose decides, here for the smallest score: 1 2 0 0 wanted; yours: {_got}."
)
### END HIDDEN TESTS

# %% test="generate" aspect="each token is read once" points=1
_sizes = ((1, 3, 4),)
### BEGIN HIDDEN TESTS
_sizes = ((2, 5, 6), (1, 1, 3), (3, 2, 1), (2, 4, 0))
### END HIDDEN TESTS
for _B, _T, _n in _sizes:
    _model = Counting(9)
    generate(_model, torch.randint(9, (_B, _T)), _n, best_token, -1)
    _wanted = [((_B, _T), 0), *[((_B, 1), _T + i) for i in range(_n - 1)]][:_n]
    assert _model.asked == _wanted, (
        f"{_B} prompts of {_T}, n = {_n}: the model should be asked with (shape, places in the past) {_wanted}; "
        f"yours asks {_model.asked}."
    )

# %% test="generate" aspect="each text ends by itself" points=1
_cases = (([[1, 2], [2, 2]], 3, 7, 6),)
### BEGIN HIDDEN TESTS
_cases = []
while (
    len(_cases) < 6
):  # texts that end at different times, one with `end` in its prompt
    _rows, _end = torch.randint(7, (3, 3)).tolist(), random.randrange(7)
    _rows[0][random.randrange(3)] = _end
    _ends = [
        counted_on(row, 12, 7, _end)[3:].index(_end)
        if _end in counted_on(row, 12, 7, _end)[3:]
        else 99
        for row in _rows
    ]
    if len({*_ends}) == 3 and max(_ends) < 9 and max(_ends) > min(_ends) + 1:
        _cases.append((_rows, 12, 7, _end))
### END HIDDEN TESTS
for _rows, _n, _V, _end in _cases:
    _wanted = np.array([counted_on(row, _n, _V, _end) for row in _rows])
    _T = len(_rows[0])
    _all = np.where((_wanted[:, _T:] == _end).all(0))[0]
    _wanted = _wanted[:, : _T + (_all[0] + 1 if len(_all) else _n)]
    _got = generate(Counting(_V), torch.tensor(_rows), _n, best_token, _end)
    assert np.shape(_got) == _wanted.shape, (
        f"Prompts {_rows}, end = {_end}, n = {_n}: the last text is over after {_wanted.shape[1] - _T} tokens, "
        f"so shape {_wanted.shape} wanted; yours: {np.shape(_got)}."
    )
    assert close(_got, _wanted), (
        f"Prompts {_rows}, end = {_end}: {_wanted.tolist()} wanted; yours: {_got}."
    )

# %% [markdown]
# Your model, your cache, your sampler, your loop:

# %%
end = symbols.index("</s>")


def told(seed, tau, p, n=60):
    """A story: it begins after the end of another one."""
    torch.manual_seed(seed)

    def choose(s):
        return torch.multinomial(next_distribution(s, tau, p=p), 1)[:, 0]

    with torch.no_grad():
        begin = torch.tensor([[end]], device=device)
        row = generate(writer, begin, n, choose, end)[0, 1:]
    return " ".join(symbols[i] for i in row if i != end)


# %%
# NBVAL_IGNORE_OUTPUT
# One last digit rounded otherwise may change a word.
for tau, p in ((0.7, None), (1, 0.9), (1, None), (2, None)):
    print(f"τ = {tau}, p = {p or 1}: {told(1, tau, p)}\n")

# %% [markdown]
# Kitchen sentences up to τ = 1, nonsense at τ = 2. (What does `mine` write? Put it in the place of `writer`.)
#
# In training the model reads true words; now it reads its own (**free running**), and a slip leads it where it never was. We know the language exactly, so we can count how far a story goes before the first *impossible* word:


# %%
def sound(words):
    """How many words it takes until one comes that no kitchen story could have there."""
    for t, word in enumerate(words):
        if word not in kitchen.next_word_distribution(words[:t]):
            return t
    return len(words)


def named_rows(axes, labels, **more):
    """A row for each label, the first on top."""
    axes.set(yticks=range(len(labels)), yticklabels=labels, **more)
    axes.set_ylim(len(labels) - 0.5, -0.5)


# %% alt="Words before the first impossible one, eight texts for each of three temperatures: between 8 and 60, with medians of about 33, 49 and 35."
_, axes = plt.subplots(figsize=(6, 1.8))
for y, tau in enumerate((0.5, 0.7, 1)):
    lengths = [sound(told(seed, tau, None).split()) for seed in range(8)]
    jitter = y + np.linspace(-0.2, 0.2, 8)
    axes.plot(lengths, jitter, "o", color=plots.COLOURS[0], alpha=0.6)
    axes.plot([np.median(lengths)] * 2, [y - 0.35, y + 0.35], color="black")
named_rows(axes, ["τ = 0.5", "τ = 0.7", "τ = 1"], xlim=(0, 62))
axes.set_xlabel("words before the first impossible one (of at most 60)")
plt.show()

# %% [markdown]
# Each dot is a story, a bar the median of its row. Does a lower temperature help? Eight stories cannot say: the dots of one row lie further apart than the bars.

# %% scratch=true
print(told(seed=2, tau=0.8, p=0.95))  # more stories: change the seed

# %% [markdown]
# What did the cache save? The same loop, but with a model that forgets its past and reads the whole text in each round:


# %%
def without_cache(n):
    tokens = torch.tensor([[end]], device=device)
    for _ in range(n):
        tokens = torch.cat([tokens, writer(tokens)[0][:, -1].argmax(-1)[:, None]], 1)
    return tokens


def with_cache(n):
    begin = torch.tensor([[end]], device=device)
    return generate(writer, begin, n, best_token, -1)


# %%
counts, times = (16, 32, 64, 128), {}
with torch.no_grad():
    print("the same tokens:", torch.equal(with_cache(64), without_cache(64)))
    for way in (without_cache, with_cache):
        for n in counts:
            for _ in range(3):
                begin = time.process_time()
                way(n)
                times.setdefault((way, n), []).append(time.process_time() - begin)

# %% folded="draws the times" alt="CPU seconds for new tokens: without a cache the line bends upwards to 0.18 at 128 tokens, with it it is straight and reaches 0.06."
_, axes = plt.subplots(figsize=(5, 2.6))
for way, colour in ((without_cache, plots.COLOURS[1]), (with_cache, plots.COLOURS[0])):
    rows = [times[way, n] for n in counts]
    dots(axes, counts, rows, colour, way.__name__.replace("_", " "), np.min)
axes.set(xlabel="new tokens", ylabel="CPU seconds", xticks=counts, ylim=(0, None))
axes.legend()
plt.show()

# %% [markdown]
# The same tokens, three measurements each. The gap widens with length. By the count of section 14, 128 new tokens cost 8,256 readings against 128; the times differ far less, for each step has fixed costs, too.

# %% [markdown] statement="thousand_users"
# #### A thousand users
#
# A thousand people write with GPT-2 at once, each 1,024 new tokens after a prompt of one. How much memory do all
# caches need, how many readings does each save, and when would you do without a cache?

# %% [markdown] written="thousand_users" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: $1000 \cdot 37.7$ MB = 37.7 GB (38 GB is fine). 1 point: without a cache $1 + 2 + \dots +
# 1024 = 524{,}800$ readings for each text, with it 1,024, so 523,776 are saved ("about 500 times fewer" is accepted
# with the sum written down). 1 point: a condition under which to do without, with its reason: short texts, where
# fixed costs outweigh the readings saved, as in the last figure; or memory that does not suffice, when waiting or
# fewer users at once has to be weighed against computing again.
#
# No point for "never, a cache is always faster". A usual wrong idea: users can share one cache, since the model is
# the same; keys and values belong to a text. (The same beginning could be shared; to say so is right.)
#
# **Sample, 3 points.** Each cache has 37.7 MB when its text is full, so 37.7 GB for all, while the model itself, 124
# million numbers of 2 bytes, needs only a quarter of a GB. Without it each text would read $1 + 2 + \dots + 1024 =
# 524{,}800$ tokens, with it 1,024. I would leave it out if the texts were only a few words long, since there the two
# curves hardly differ, or if 37.7 GB did not fit and people could wait.
#
# **Sample, 2 points.** 1000 times 37.7 MB are 37.7 GB. Without a cache it is about half of 1024 squared, which is
# about 524,000 readings, with it 1,024. I would never do without it, because it is 500 times faster.
#
# **Sample, 0 points.** 37.7 MB, because they all use the same model and so the same keys and values. It saves one
# reading per token, so 1,024.
# ### END SOLUTION
