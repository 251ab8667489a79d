# %% [markdown]
# ## 11. Beam search
#
# Greedy search (section 2) bets all it has on one word at a time. `best_of_all` follows every prefix and takes forever. A *beam* is the way between: it follows the $k$ best
# prefixes. One round:
#
# 1. each prefix that is followed is extended by each word that may come next, `</s>` included;
# 2. of all these candidates together, the $k$ most probable are kept;
# 3. those that end with `</s>` are finished and set aside; the others are followed in the next round.

# %% [markdown]
# The search is over when nothing is left to follow. By hand, with $k = 2$ and the toy of section 2: round 1 keeps *agréablement* (.5) and *déçu* (.3), and *très* (.2) is gone. Round 2 has four candidates:
# *agréablement surpris* (.45), *déçu* `</s>` (.24), *déçu en* (.06), *agréablement* `</s>` (.05). The first is followed, the second is finished.


# %%
def toy_model(words, N, ends=1.0, seed=None):
    """A table with a random row for each prefix of at most N words; large `ends`: short texts."""
    dice = np.random.default_rng(seed)
    prefixes = (p for n in range(N + 1) for p in itertools.product(words, repeat=n))
    rows = [1.0] * len(words) + [ends]
    names = [*words, "</s>"]
    return {
        p: dict(zip(names, dice.dirichlet(rows).tolist(), strict=True))
        for p in prefixes
    }


# %%
def reads(table):
    """The step function of a table; a prefix without a row ends."""
    return lambda source, written: dict(table.get(tuple(written), {"</s>": 1.0}))


# %%
def pairs_in(found):
    """For the checks: what was found, as [(tuple of words, ln P), ...]."""
    assert isinstance(found, list | tuple), (
        f"A list of pairs is wanted; yours: {found!r}."
    )
    for pair in found:
        assert isinstance(pair, list | tuple) and len(pair) == 2, (
            f"Each part of the list is a pair (words, ln P); yours: {pair!r}."
        )
        assert isinstance(pair[0], list | tuple) and is_number(pair[1]), (
            f"A pair is a tuple of words and a number; yours: {pair!r}."
        )
    return [(tuple(words), float(total)) for words, total in found]


# %% [markdown] statement="beam_search"
# - `beam_search(step, source, k, N, alpha=0)`: all finished targets of at most $N$ words, as a list of pairs (words as a tuple without `</s>`, $\ln P(T \mid S)$). Best first, measured by
#
# $$\frac{\ln P(T \mid S)}{(n + 1)^{\alpha}} , \qquad n \text{ words and the end.}$$
#
# A prefix of $N$ words can only end. What has a probability of 0 is no candidate. If nothing can be finished, the list is empty.

# %% [markdown] hints="beam_search"
# 1. What must you know of a prefix to extend it? Its words, and one number.
# 2. The $k$ best are chosen among the candidates of *all* prefixes, and the ended ones need a place among them too. With $k = 1$ this is greedy search: why?
# 3. One list of candidates for each round: sort it, cut it, and split what is left into finished and followed. $\alpha$ matters once, at the end.


# %% task="beam_search" points=4 level=3 minutes=24
def beam_search(step, source, k, N, alpha=0):
    """[(words, ln P), ...]: what a beam of k prefixes finishes, best first."""
    ### BEGIN SOLUTION
    beam, finished = [((), 0.0)], []
    while beam:
        candidates = [
            ((*words, word), total + math.log(p))
            for words, total in beam
            for word, p in step(source, words).items()
            if p > 0 and (len(words) < N or word == "</s>")
        ]
        best = sorted(candidates, key=lambda pair: -pair[1])[:k]
        finished += [
            (words[:-1], total) for words, total in best if words[-1] == "</s>"
        ]
        beam = [pair for pair in best if pair[0][-1] != "</s>"]
    return sorted(
        finished, key=lambda pair: pair[1] / (len(pair[0]) + 1) ** alpha, reverse=True
    )
    ### END SOLUTION


# %% test="beam_search" aspect="one prefix is greedy" points=1
_toy = {
    (): {"agréablement": 0.5, "déçu": 0.3, "très": 0.2},
    ("agréablement",): {"surpris": 0.9, "</s>": 0.1},
    ("déçu",): {"</s>": 0.8, "en": 0.2},
    ("déçu", "en"): {"bien": 1},
    ("très",): {"surpris": 1},
}
_got = pairs_in(beam_search(lambda s, w: _toy.get(tuple(w), {"</s>": 1}), (), 1, 4))
assert len(_got) == 1 and _got[0][0] == ("agréablement", "surpris"), (
    f"k = 1 finishes one target, *agréablement surpris*; yours: {_got}."
)
assert close(_got[0][1], math.log(0.45)), f"Its ln P is ln 0.45; yours: {_got[0][1]}."
### BEGIN HIDDEN TESTS


for _N in (1, 3, 5):
    _table = toy_model("abc", _N)
    _words, _total = (), 0.0
    while True:
        _row = _table[_words]
        _w = max(_row, key=_row.get) if len(_words) < _N else "</s>"
        _total += math.log(_row[_w])
        if _w == "</s>":
            break
        _words += (_w,)
    _got = pairs_in(beam_search(reads(_table), (), 1, _N))
    assert len(_got) == 1 and _got[0][0] == _words and close(_got[0][1], _total), (
        f"k = 1, at most {_N} words: greedy finds {_words}, {_total:.4f}; yours: {_got}."
    )
_got = pairs_in(beam_search(lambda s, w: {"a": 0.9, "</s>": 0.1}, (), 1, 2))
assert len(_got) == 1 and _got[0][0] == ("a", "a"), (
    f"After two words, N = 2, only the end may follow, even if another word is likelier: *a a* wanted; yours: {_got}."
)
assert close(_got[0][1], math.log(0.9 * 0.9 * 0.1)), (
    f"The end after N words has its price: ln(.9 x .9 x .1) wanted; yours: {_got[0][1]}."
)
### END HIDDEN TESTS

# %% test="beam_search" aspect="a wide beam finds the best of all" points=1
_row = {"a": 0.6, "</s>": 0.4}
_got = pairs_in(beam_search(lambda s, w: dict(_row), (), 20, 2))
_wanted = [((), 0.4), (("a",), 0.24), (("a", "a"), 0.36 * 0.4)]
assert [words for words, _ in _got] == [words for words, _ in _wanted], (
    f"P(a) = .6 and P(</s>) = .4 always, at most 2 words: {_wanted} with logarithms wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS


def _all_targets(table, N):
    found = []
    for n in range(N + 1):
        for words in itertools.product("ab", repeat=n):
            steps = [table[words[:t]][w] for t, w in enumerate((*words, "</s>"))]
            if all(steps):
                found.append((words, sum(map(math.log, steps))))
    return sorted(found, key=lambda pair: -pair[1])


for _N, _zeros in ((0, 0), (1, 0), (3, 4), (6, 0), (6, 30)):
    _table = toy_model("ab", _N, 0.4)
    for _prefix in random.sample(sorted(_table), min(_zeros, len(_table))):
        _table[_prefix] = {"a": 0.0, "b": 0.3, "</s>": random.choice([0.0, 0.7])}
    _wanted = _all_targets(_table, _N)
    _asked = ("x", "y")

    def _step(source, words, _table=_table):
        assert tuple(source) == ("x", "y"), "step was asked with another source."
        return dict(_table[tuple(words)])

    _got = pairs_in(beam_search(_step, _asked, 2 ** (_N + 1), _N))
    assert len(_got) == len(_wanted), (
        f"Two words, at most {_N} of them, a beam that loses nothing: {len(_wanted)} targets wanted; yours: {len(_got)}."
    )
    for (_words, _total), (_ours, _best) in zip(_got, _wanted, strict=True):
        assert _words == _ours and close(_total, _best), (
            f"At most {_N} words, beam of {2 ** (_N + 1)}: {_ours} with {_best:.4f} wanted here; yours: {_words} with {_total}."
        )
_got = beam_search(lambda s, w: {"a": 1.0}, (), 3, 4)
assert list(_got) == [], f"A model that never ends: an empty list; yours: {_got!r}."
_got = pairs_in(beam_search(lambda s, w: {"</s>": 1.0}, (), 3, 4))
assert _got == [((), 0.0)], f"A model that only ends: [((), 0)]; yours: {_got}."
### END HIDDEN TESTS

# %% test="beam_search" aspect="the k best of each round" points=1
_trap = {(): {"a": 0.5, "b": 0.4, "c": 0.1}, ("a",): {str(i): 0.1 for i in range(10)}}
_got = pairs_in(
    beam_search(lambda s, w: dict(_trap.get(tuple(w), {"</s>": 1.0})), (), 2, 5)
)
assert _got and _got[0][0] == ("b",), f"k = 2 finds *b*; yours: {_got}."
### BEGIN HIDDEN TESTS


def _rounds(table, k, N):
    """As the text has it, round by round."""
    followed, finished = [((), 0.0)], []
    for _ in range(N + 1):
        candidates = []
        for words, total in followed:
            for word, p in table[words].items():
                if p > 0 and (word == "</s>" or len(words) < N):
                    candidates.append((total + math.log(p), (*words, word)))
        candidates = sorted(candidates, reverse=True)[:k]
        finished += [(w[:-1], total) for total, w in candidates if w[-1] == "</s>"]
        followed = [(w, total) for total, w in candidates if w[-1] != "</s>"]
    return sorted(finished, key=lambda pair: -pair[1])


for _k, _N, _letters, _ends in (
    (2, 5, "ab", 0.6),
    (3, 4, "abcd", 1.0),
    (4, 3, "abcd", 2.0),
    (2, 4, "abcd", 6.0),
    (5, 6, "ab", 0.3),
):
    _table = toy_model(_letters, _N, _ends)
    _wanted = _rounds(_table, _k, _N)
    _got = pairs_in(beam_search(reads(_table), (), _k, _N))
    assert [words for words, _ in _got] == [words for words, _ in _wanted], (
        f"{len(_letters)} words, at most {_N}, k = {_k}: {[''.join(w) for w, _ in _wanted]} wanted in this order; "
        f"yours: {[''.join(w) for w, _ in _got]}."
    )
    assert close([t for _, t in _got], [t for _, t in _wanted]), (
        f"The ln P of {_wanted} wanted; yours: {_got}."
    )
# The ended one is third in its round: there is no place for it among two.
_table = {(): {"a": 0.5, "b": 0.3, "</s>": 0.2}}
_got = pairs_in(beam_search(reads(_table), (), 2, 3))
assert [words for words, _ in _got] == [("a",), ("b",)], (
    f"First round a .5, b .3, </s> .2 with k = 2: the empty target is not kept; yours: {_got}."
)
# Ended ones take places: only *b* is followed after the first round.
_table = {(): {"</s>": 0.5, "b": 0.3, "a": 0.2}, ("b",): {"</s>": 0.9, "c": 0.1}}
_got = pairs_in(beam_search(reads(_table), (), 2, 3))
assert [words for words, _ in _got] == [(), ("b",), ("b", "c")], (
    f"First round </s> .5, b .3, a .2 with k = 2: the empty target, b, and b c are finished; yours: {_got}."
)
### END HIDDEN TESTS

# %% test="beam_search" aspect="normalised by length" points=1
_long = {
    (): {"no": 0.6, "a": 0.4},
    ("no",): {"</s>": 1.0},
    ("a", "b", "c"): {"</s>": 1.0},
}
_long |= {("a",): {"b": 1.0}, ("a", "b"): {"c": 1.0}}
_got = pairs_in(beam_search(lambda s, w: dict(_long[tuple(w)]), (), 2, 3, 1))
assert [words for words, _ in _got] == [("a", "b", "c"), ("no",)], (
    f"ln .4 / 4 = -.229 is above ln .6 / 2 = -.255, so *a b c* comes first; yours: {_got}."
)
### BEGIN HIDDEN TESTS
assert close([t for _, t in _got], [math.log(0.4), math.log(0.6)]), (
    f"What stands beside the words is ln P itself, ln 0.4 and ln 0.6; yours: {_got}."
)
for _alpha in (0, 0.5, 1, 2):
    _n = random.randint(2, 5)
    _ends = np.random.default_rng().uniform(0.1, 0.9, _n).tolist() + [1.0]
    _table = {("a",) * t: {"a": 1 - p, "</s>": p} for t, p in enumerate(_ends)}
    _totals = [
        sum(math.log(1 - q) for q in _ends[:t]) + math.log(_ends[t])
        for t in range(_n + 1)
    ]
    _order = sorted(range(_n + 1), key=lambda t: -_totals[t] / (t + 1) ** _alpha)
    _got = pairs_in(beam_search(reads(_table), (), 9, _n, _alpha))
    assert [len(words) for words, _ in _got] == _order, (
        f"alpha = {_alpha}, ln P of 0 to {_n} words: {np.round(_totals, 3).tolist()}; the order {_order} wanted, "
        f"yours: {[len(words) for words, _ in _got]}."
    )
for _alpha, _none, _one in ((1, 0.3, 0.2), (2, 0.3, 0.02)):
    _row = {"</s>": _one / (1 - _none), "b": 1 - _one / (1 - _none)}
    _table = {(): {"</s>": _none, "a": 1 - _none}, ("a",): _row}
    _got = pairs_in(beam_search(reads(_table), (), 9, 1, _alpha))
    assert [words for words, _ in _got] == [("a",), ()], (
        f"alpha = {_alpha}: ln {_none} for no word and the end, ln {_one} / 2^{_alpha} for one word and the end, "
        f"so that one comes first; yours: {_got}."
    )
_table = {(): {"</s>": 0.5, "a": 0.4, "b": 0.1}}
for _alpha in (0, 1, 3):
    _got = pairs_in(beam_search(reads(_table), (), 1, 3, _alpha))
    assert [words for words, _ in _got] == [()], (
        f"k = 1, first round </s> .5, a .4, b .1, alpha = {_alpha}: a round keeps the most probable, so only the "
        f"empty target is found; yours: {_got}."
    )
### END HIDDEN TESTS


# %%
widths = (1, 2, 4, 8, 16, 1000)
best = []
for seed in range(300):
    table = toy_model("abc", 4, 0.7, seed)
    found = [beam_search(reads(table), (), k, 4) for k in widths]
    best.append([ends[0][1] if ends else -math.inf for ends in found])
best = np.array(best)

# %%
print("k             ", *(f"{k:6}" for k in widths))
print("best of all   ", *(f"{x:6.0%}" for x in np.mean(best > best[:, -1:] - 1e-9, 0)))
worse = np.mean(best[:, 1:] < best[:, :-1] - 1e-9, 0)
print("below narrower", " " * 6, *(f"{x:6.1%}" for x in worse))

# %%
on_and_on = {"go": 0.9, "</s>": 0.1}
for alpha in (0, 1):
    words, total = beam_search(lambda s, w: on_and_on, (), 30, 20, alpha)[0]
    print(f"α = {alpha}: {len(words)} words, P = {math.exp(total):.3f}")

# %% [markdown]
# On 300 toys a wider beam finds the best target more and more often. Does it ever find less than a narrower one? Rarely: the last row counts how often. A wider beam can follow a
# prefix that looks better and thereby push out, one round later, the one that would have won. Only a beam that drops nothing is sure.

# %% [markdown]
# The last two lines show what $\alpha$ is for. A model that goes on with probability .9 and ends with .1 has the *empty* target as its most probable one. The reason is general: $\ln P$ is a sum of negative numbers, one for each word, so every further word makes it smaller. The better
# the search, the more surely it finds a text that is too short. Dividing by the length undoes this: with $\alpha = 1$ the mean per word decides, and now the longest target wins. In practice $\alpha$ lies between 0 and 1 and is tuned on held-out text (Wu and others, 2016, used a similar
# penalty with an exponent of 0.6 to 0.7).

# %% [markdown]
# ### Whose fault is it?
#
# A wrong translation has one of two causes. If some valid one has a higher $P(T \mid S)$ than what was found, the *search* has failed. If what was found is at least as probable as every valid one, the *model* prefers nonsense, and no search helps.
# We asked a trained translator (LSTM with attention, 75 seconds of CPU time; `python -m benchmarks.beams`) for 300 new sentences. In the table, look at the two columns of wrong translations:

# %%
beams = pd.read_csv(folder / "beams.csv")
plain = beams[beams.alpha == 0].set_index("k")
shown = {
    "right (%)": 100 * plain.valid,
    "wrong: model (%)": 100 * plain.model_error,
    "wrong: search (%)": 100 * (1 - plain.valid - plain.model_error),
    "mean ln P": plain.ln_p,
    "BLEU, all references": plain.bleu,
    "words per reference word": plain.length,
}
print((pd.DataFrame(shown).round(2) + 0.0).T.to_string())

# %% [markdown]
# With greedy search ($k = 1$) 35 % are wrong. For 33 % the model itself prefers the wrong sentence to every right one, and only for 3 % was there something right to be found. From a beam of 4 on the search is never at fault. It does find more probable targets, as the mean of $\ln P$ shows, but they
# are just as wrong: about 65 % are right at every width, and half a point of BLEU on 300 sentences means nothing. A beam cannot mend a model. (These BLEU values are higher than those on the left of section 10's figure, because they are measured against all valid translations, as in its middle.)
#
# And $\alpha$? This model knows well where a sentence ends, so the lengths are right without it. The recorded table also has $\alpha = 2$: with $k = 16$ it makes the outputs 1.5 % longer than the references and costs 1.4 points of BLEU.
