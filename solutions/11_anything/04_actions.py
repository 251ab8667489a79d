# %% [markdown]
# ## 4. Actions are tokens
#
# A game is also a sequence: a state, an action, a reward, the next state, the next action. L. Chen and others (2021) had a lovely idea what to do with such
# sequences, the **Decision Transformer**. Before each action they wrote *how much reward is still to come* in that game, a number that is known once the game
# is over. Then they trained a causal Transformer on these rows, to say the next action. (In their network the reward to come was a number that a linear map
# put in. Here it is a token like all others.)
#
# What does such a model learn? Two things at once: what players do who are about to earn 3, and what players do who are about to earn 10. So to make it play well, you do not have to train it again. You ask it for a lot: you write "10 still to come" where the row begins, and let it continue.

# %% [markdown] statement="returns"
# - `returns_to_go(rewards)`: rewards $[B, T]$ of $B$ games → what comes from each step on, that step's own reward included, $[B, T]$: $G_t = r_t + r_{t+1} + \dots + r_T$.
# - `interleave(returns, states, actions, most, places)`: three arrays of whole numbers $[B, T]$ → tokens $[B, 3T]$ in the order $G_1, s_1, a_1, G_2, s_2, a_2, \dots$ All kinds share one vocabulary: a return keeps its number (from 0 to `most`; larger ones are written as `most`), a state gets `most + 1` added, an action `most + 1 + places`.

# %% [markdown] hints="returns"
# 1. The last return is the last reward. And the one before?
# 2. A sum from the end: turn round, add up, turn back. The kinds must not share a number: whose numbers begin where?
# 3. `np.cumsum` on the reversed axis; for the tokens, `np.stack` the three on a new last axis and `reshape`.


# %% task="returns" points=4 level=2 minutes=14
def returns_to_go(rewards):
    """What is earned from each step on: [B, T]."""
    ### BEGIN SOLUTION
    return np.cumsum(np.asarray(rewards)[:, ::-1], axis=1)[:, ::-1]
    ### END SOLUTION


def interleave(returns, states, actions, most, places):
    """Tokens [B, 3T] of returns, states and actions in turns, each kind with numbers of its own."""
    ### BEGIN SOLUTION
    returns = np.minimum(returns, most)
    states = np.asarray(states) + most + 1
    actions = np.asarray(actions) + most + 1 + places
    return np.stack([returns, states, actions], axis=2).reshape(len(returns), -1)
    ### END SOLUTION


# %% test="returns" aspect="what is still to come" points=2
_got = returns_to_go(np.array([[1, 0, 2], [0, 5, 0]]))
assert np.shape(_got) == (2, 3), f"Shape (2, 3) wanted; yours: {np.shape(_got)}."
assert close(_got, [[3, 2, 2], [5, 5, 0]]), f"3 2 2 and 5 5 0 wanted; yours: {_got}."
### BEGIN HIDDEN TESTS
_B, _T = size("B"), size("T")
agrees(
    returns_to_go,
    ours.returns_to_go,
    choice(array(_B, _T, below=9, kind="int64"), array(_B, _T, scale=3)),
    atol=1e-6,
)
### END HIDDEN TESTS

# %% test="returns" aspect="three kinds in turns" points=2
_got = interleave(np.array([[3, 2]]), np.array([[0, 1]]), np.array([[1, 0]]), 9, 4)
assert np.shape(_got) == (1, 6), (
    f"Two steps: shape (1, 6) wanted; yours: {np.shape(_got)}."
)
assert close(_got, [[3, 10, 15, 2, 11, 14]]), f"3 10 15 2 11 14 wanted; yours: {_got}."
assert np.asarray(_got).dtype.kind in "iu", (
    f"A token is the number of an embedding, a whole number; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_B, _T, _places = size("B"), size("T"), whole(1, 60)
_most = choice(whole(0, 25), 70_000)  # more than two bytes hold


def _below(limit):
    """Whole numbers [B, T] below a limit."""
    return made(
        lambda rng, B, T, n: np.array([rng.choices(range(n), k=T) for _ in range(B)]),
        *(_B, _T, limit),
    )


agrees(
    interleave,
    ours.interleave,
    array(_B, _T, below=choice(30, 140_000), kind="int64"),
    _below(_places),
    _below(9),
    _most,
    _places,
)
_small = np.array([[3, 2]], dtype=np.int8)  # small numbers, of which tokens need not be
agrees(
    interleave,
    ours.interleave,
    _small,
    np.array([[0, 9]]),
    np.array([[1, 0]]),
    120,
    100,
)
### END HIDDEN TESTS

# %% [markdown]
# The game: a grid of five by five places, start in the middle, eight moves. The place entered pays 0 to 3 coins, every time. The players that we watch move at random, so nobody here has ever played on purpose. A small Transformer learns their rows.

# %%
SIDE, STEPS, MOST = 5, 8, 24
PLACES, ACTIONS = SIDE * SIDE, 4
coins = np.random.default_rng(3).choice([0, 0, 1, 3], size=PLACES)
VOCABULARY = MOST + 1 + PLACES + ACTIONS


def moved(place, action):
    """Where the actions 0 to 3 (up, down, left, right) lead; at the border one stays."""
    row, column = place // SIDE, place % SIDE
    row = np.clip(row + np.array([-1, 1, 0, 0])[action], 0, SIDE - 1)
    column = np.clip(column + np.array([0, 0, -1, 1])[action], 0, SIDE - 1)
    return row * SIDE + column


def play(choose, games):
    """Places [games, STEPS], actions, rewards; `choose(places, actions, rewards)` gives the next actions [games]."""
    place = np.full(games, PLACES // 2)
    places, actions, rewards = (np.zeros((games, 0), dtype=int) for _ in range(3))
    for _ in range(STEPS):
        places = np.concatenate([places, place[:, None]], axis=1)
        action = choose(places, actions, rewards)
        place = moved(place, action)
        actions = np.concatenate([actions, action[:, None]], axis=1)
        rewards = np.concatenate([rewards, coins[place][:, None]], axis=1)
    return places, actions, rewards


rng = np.random.default_rng(4)
places, actions, rewards = play(
    lambda places, *_: rng.integers(ACTIONS, size=len(places)), 4000
)
rows = interleave(returns_to_go(rewards), places, actions, MOST, PLACES)
print(coins.reshape(SIDE, SIDE))
print("a game as tokens:", rows[0][:9], f"... it earned {rewards[0].sum()}")
print(
    f"random players earn {rewards.sum(1).mean():.1f} on average, the luckiest {rewards.sum(1).max()};"
    f" {100 * (rewards.sum(1) > 10).mean():.0f} % of the games earn more than 10"
)

# %%
set_seed(1)
player = build("transformer", VOCABULARY, width=32, layers=2, heads=2, block=3 * STEPS)
data = torch.from_numpy(rows)
optimiser = torch.optim.AdamW(player.parameters(), lr=5e-3)
for step in range(1, 1601):
    batch = data[torch.randint(len(data), (64,))]
    # Only the actions are learned: token 3t + 2 is predicted from all up to the state before it.
    logits = player(batch[:, :-1])[:, 1::3]
    loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 2::3].flatten())
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    if step == 400:
        beginner = copy.deepcopy(player)


@torch.no_grad()
def asking_for(total, model):
    """Chooses actions by the model, asked for `total` in all."""

    def choose(places, actions, rewards):
        earned = np.concatenate(
            [np.zeros((len(places), 1), dtype=int), rewards.cumsum(1)], axis=1
        )
        wanted = np.clip(total - earned, 0, MOST)
        missing = np.zeros((len(places), 1), dtype=int)  # the action that is asked for
        tokens = interleave(
            wanted, places, np.concatenate([actions, missing], axis=1), MOST, PLACES
        )
        logits = model(torch.from_numpy(tokens[:, :-1]))[:, -1, -ACTIONS:]
        return torch.multinomial(logits.softmax(-1), 1)[:, 0].numpy()

    return choose


# %% alt="Coins earned over coins asked for: after 1,600 steps the line follows the diagonal up to 20, far above the players it learned from; after 400 steps it levels off at 10."
# NBVAL_IGNORE_OUTPUT
# Another machine rounds otherwise, and one other action changes the rest of a game.
torch.manual_seed(2)
asked = np.arange(0, MOST + 1, 3)
_, axes = plt.subplots(figsize=(9, 4))
axes.plot(asked, asked, ":", color="gray", label="as asked")
for i, (model, steps) in enumerate(((beginner, 400), (player, 1600))):
    earned = np.array(
        [play(asking_for(total, model), 200)[2].sum(1) for total in asked]
    )
    axes.errorbar(
        asked + 0.15 * i,
        earned.mean(1),
        earned.std(1),
        fmt="o-",
        capsize=3,
        color=plots.COLOURS[i],
        label=f"after {steps:,} steps\n(200 games, ± deviation)",
    )
    print(
        f"after {steps:,} steps:",
        dict(zip(asked.tolist(), earned.mean(1).round(1).tolist(), strict=True)),
    )
axes.axhline(
    rewards.sum(1).mean(), color=plots.COLOURS[2], label="players it learned from"
)
axes.axvline(rewards.sum(1).max() + 0.5, color="gray", linewidth=1)
axes.set(xlabel="coins asked for", ylabel="coins earned", xticks=asked)
axes.set_title("Ask for more, get more: returns on demand")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# Follow the orange curve, the model after 1,600 steps. Asked for nothing, it avoids nearly every coin. Asked for 3, it earns 3; asked for 12, between 11 and 12; asked for 21, still more than 19. The players that it learned from earned 5.4 on average and moved *at random*. Nobody ever played well on purpose, and nobody rewarded the model. It has only learned which kind of game goes with which number, and you choose the number.
#
# Two honest remarks. After 400 steps (blue) the curve goes flat at about ten, although every eighth game in the data earned more: the data was good enough, the
# training was too short. And look at the right end. No game that it has seen earned more than 22 (the grey line), and 22 is also the most that these coins
# allow. So the token "24 to come" never occurred in training, and asked for that the model plays worse, and not at its best: a token that was never trained
# means nothing. What is rare is not safe, either. Asked for 20 or 22, which only a few of its games earned, some of our trainings came near it, and others did
# as badly as for 24.
#
# Nothing in the model knows that these tokens are actions and those are places. We numbered them, and kept the numbers apart.
