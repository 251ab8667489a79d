# %% [markdown] statement="knows"
# ## 3. Which of our models learn them?
#
# A language model says no by giving no probability. In $a^n b^n$, once the first *b* has been read, everything is decided: *b* until there are $n$ of them, then the end. So we can ask a model for one word of the language whether it **knows** $n$.
#
# `knows(following, n)`: `following(prefix)` takes a string of *a* and *b* and returns a dict `{"a": p, "b": p, "</s>": p}`. Return `True` if for each prefix $a^n b^k$, $1 \le k \le n$, the right symbol has more probability than either of the others. (Equal is not enough. For $n = 0$ nothing is asked, so `True`.)

# %% [markdown] hints="knows"
# 1. Which symbol is right for $k < n$, and which for $k = n$?
# 2. The prefixes begin with the first *b*: before it, nobody can know $n$.
# 3. "More than either of the others": compare the right one with the largest of the other two, and stop at the first failure.


# %% task="knows" points=3 level=2 minutes=12
def knows(following, n):
    """Whether a model continues a^n b^k rightly for every k from 1 to n."""
    ### BEGIN SOLUTION
    for k in range(1, n + 1):
        p = following("a" * n + "b" * k)
        right = "</s>" if k == n else "b"
        others = [p[symbol] for symbol in ("a", "b", "</s>") if symbol != right]
        if p[right] <= max(others):
            return False
    return True
    ### END SOLUTION


# %% family="knows"
def _model(rng, n, high, place, change):
    """What a model says after each b of a^n b^k; the right symbol has `high`, but for one place."""
    rows = []
    for k in range(n + 1):
        right = "</s>" if k == n else "b"
        first, other = rng.sample([s for s in ("a", "b", "</s>") if s != right], 2)
        row = {first: (1 - high) / 2, right: high, other: (1 - high) / 2}
        rows.append(change(right, first, row) if k == place else row)
    return [dict(rng.sample([*row.items()], 3)) for row in rows]


@beside_the_answer
def _asked(knows, rows):
    """Whether `knows` says, asked twice, that the model with these rows knows n."""
    n = len(rows) - 1
    nowhere = {"a": 1.0, "b": 0.0, "</s>": 0.0}  # after any other prefix
    after = {"a" * n + "b" * k: row for k, row in enumerate(rows)}
    return [knows(lambda prefix: after.get(prefix, nowhere), n) for _ in range(2)]


_n = size("n", least=0)
_place = made(lambda rng, n: rng.randint(0, n), _n, edges=[0, 1, lambda rng, n: n])


# %% test="knows" aspect="b, and then the end" points=1
def _perfect(prefix):
    """The language itself."""
    left = prefix.count("a") - prefix.count("b")
    if "b" not in prefix:
        return {"a": 0.5, "b": 0.4, "</s>": 0.1}
    return (
        {"a": 0.1, "b": 0.6, "</s>": 0.3} if left else {"a": 0.1, "b": 0.3, "</s>": 0.6}
    )


def _always(symbol):
    """A model that always expects the same."""
    return lambda prefix: {s: 0.8 if s == symbol else 0.1 for s in ("a", "b", "</s>")}


_got = [knows(_perfect, 3), knows(_always("b"), 3), knows(_always("</s>"), 3)]
assert None not in _got, "You return None; return True or False."
assert [bool(one) for one in _got] == [True, False, False], (
    f"The language knows 3; who always says b does not, nor who always ends; yours: {_got}."
)


### BEGIN HIDDEN TESTS


def _exchanged(right, first, row):
    """Another symbol has what the right one should have."""
    return {**row, right: row[first], first: row[right]}


_rows = made(_model, _n, choice(0.8, 0.5), _place, _exchanged)
agrees(knows, ours.knows, _rows, by=_asked)
### END HIDDEN TESTS

# %% test="knows" aspect="one failure is enough" points=2
_got = knows(lambda prefix: {"a": 0.2, "b": 0.4, "</s>": 0.4}, 1)
assert _got is not None and not _got, (
    "b and the end are equally likely: that is not knowing."
)


def _except(place):
    """Right everywhere but after the b of that number."""

    def following(prefix):
        p = dict(_likely(prefix))
        if prefix.count("b") == place:
            p["b"], p["</s>"] = p["</s>"], p["b"]
        return p

    return following


def _likely(prefix):
    more = prefix.count("b") < prefix.count("a")
    return {"a": 0.0, "b": 0.9 if more else 0.1, "</s>": 0.1 if more else 0.9}


### BEGIN HIDDEN TESTS


_changes = choice(
    lambda right, first, row: {**row, first: row[right]},
    lambda right, first, row: {**row, right: row[first], first: row[right]},
    lambda right, first, row: {**row, right: 0.2, first: 0.3},
)
_high = choice(0.9, 0.34, 0.334, 1 / 3 + 1e-9)
for _where in (_place, 0):  # after 0 b nobody is asked
    _rows = made(_model, _n, _high, _where, _changes)
    agrees(knows, ours.knows, _rows, by=_asked, mixtures=30)
### END HIDDEN TESTS

# %% [markdown]
# A bigram model first, by counting, on one word of each $n$ from 1 to 12:

# %%
words = ["a" * n + "b" * n for n in range(1, 13)]
after = {symbol: Counter() for symbol in "ab"}
for word in words:
    for x, y in zip(word, [*word[1:], "</s>"], strict=True):
        after[x][y] += 1


def bigram(prefix):
    """P of each symbol after the last one of the prefix."""
    row = after[prefix[-1]]
    return {symbol: row[symbol] / row.total() for symbol in ("a", "b", "</s>")}


print([n for n in range(1, 41) if knows(bigram, n)], bigram("aab"))

# %% [markdown]
# It knows no $n$ at all. After a *b* it always expects another one, and it cannot know better: it remembers one symbol only. But recurrent networks have a
# state, and Transformers see all that was read.
#
# We trained an RNN, an LSTM, a Transformer with rotary positions, one with none, and a bigram model, on $(ab)^*$ and on $a^n b^n$ with $n$ up to 12. Each had
# the same CPU time, the best of three learning rates (chosen with a seed of its own), and three seeds (recorded: `data/anything`). Predict: who is right on
# the lengths it has seen? Who on lengths up to 40, which it has not?

# %% alt="Lengths right for five models. On the lengths that were seen all except the bigram are at 100 percent, from 13 to 24 they spread between 0 and 100, beyond that nearly all are at 0."
record = pd.read_csv(paths.DATA / "anything" / "automata.csv")
spans = ["1-12", "13-24", "25-40"]
kinds = list(dict.fromkeys(record["model"]))
for language, found in record.groupby("language"):
    seen, beyond = found["1-12"], found[["13-24", "25-40"]]
    print(
        f"{language:8} {len(found)} models; right on every length that was seen: {(seen == 1).sum()},"
        f" on every length up to 40: {((seen == 1) & (beyond == 1).all(axis=1)).sum()}"
    )
_, axes = plt.subplots(figsize=(9, 3.6))
for i, kind in enumerate(kinds):
    rows = record[(record["model"] == kind) & (record["language"] == "a^n b^n")]
    for j, values in enumerate(100 * rows[spans].to_numpy(float)):
        places = np.arange(3) + 0.15 * (i - 2) + 0.035 * (j - (len(rows) - 1) / 2)
        label = kind if j == 0 else None
        axes.plot(places, values, "o", color=plots.COLOURS[i], label=label)
for place in (0.5, 1.5):
    axes.axvline(place, color="lightgray", linewidth=1)
labels = ["n = 1-12\n(seen in training)", "n = 13-24", "n = 25-40"]
axes.set_xticks(range(3), labels)
axes.set_ylabel("lengths right (%)")
axes.set_title("$a^n b^n$: right on what they have seen, mostly lost beyond it")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# The pattern $(ab)^*$ needs one fact of memory, and every model knows it for every length, the bigram included. So the figure shows $a^n b^n$ only; each dot is one training, three of them for each network. The bigram knows nothing. All networks are right on the lengths that they have seen. On the next twelve the RNN is lost; the LSTM and the Transformer with rotary positions know 42 to 83 % of them; beyond 24, none of their six trainings knows a single one.
#
# And then there is one dot at 100 %: of the three Transformers *without* positions, one gets every length right. Is that possible, if it has no positions? It
# is, because our Transformer is causal and each word begins with a start symbol. The first token after it looks at two symbols, the tenth at eleven, and in an
# even mean over these the start symbol has a share of a half or of an eleventh. So a layer of attention can find out how far along it is; A. Haviv and others
# (2022) showed that such models do learn positions. A. Kazemnejad and others (2023) compared the usual ways to encode positions on tasks where the test is
# longer than the training, and having none at all did best. So our lucky dot is not a miracle. But look at its two sisters: one knows a third of the next
# twelve lengths and the other none. What the good one has learned we have not looked at. With a single seed we would have drawn one of two opposite
# conclusions, and believed it.
#
# So the answer to the first question: they *take* every row of symbols, and on the lengths they have seen they are perfect. Whether they have understood the rule is another matter. The push-down automaton has four rules and is right for every $n$.

# %% [markdown] statement="taking_everything"
# #### Does it take everything?
#
# "Whatever you can tokenize, the Transformer will take." The sentence can mean that a Transformer *accepts* every row of symbols, or that it *learns the
# rule* behind them. Say what the figure above shows of each, and which of the two a person needs who wants a model to check whether brackets close.

# %% [markdown] written="taking_everything" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: what is supported: any rows of symbols can be trained on, and within the lengths seen the Transformers reach what the figure shows for n up to 12 (with the figure named). 1 point: what is contradicted: taking is not generalising; beyond 12 they fail where a push-down automaton, with four rules, is right for every n. 1 point: a reasoned choice for brackets: the automaton, because it is right for all lengths and one can prove it; or a network only if lengths are bounded and covered by its training.
#
# No point for "Transformers are universal" or "neural networks cannot count". A usual wrong idea: more training on the same lengths would mend it.
#
# **Sample, 3 points.** One can train on any symbols, and up to n = 12 the networks learned it. But for longer words almost all of them are wrong, so they learned something about these lengths and not the rule. For brackets I would take the push-down automaton: it needs a stack and four rules and is right for every length.
#
# **Sample, 1 point.** The Transformer takes the tokens but it is not perfect for long ones. I would train it with longer examples.
#
# **Sample, 0 points.** It takes everything, since everything can be tokenised, and it would learn brackets too if it were larger.
# ### END SOLUTION
