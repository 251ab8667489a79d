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
# - `beam_search(step, source, k, N, alpha=0)`: the targets of at most $N$ words that the beam has set aside as finished, as a list of pairs (words as a tuple
#   without `</s>`, $\ln P(T \mid S)$). Best first, measured by
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
    """[(words, ln P), ...]: what a beam of k prefixes finishes, best first. P may be below 1e-300."""
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
N = size("N", least=0, most=5, large=None)
agrees(
    beam_search,
    ours.beam_search,
    made(random_toy, N, "abc"),
    N,
    by=beside_the_answer(
        lambda search, table, N: pairs_in(search(reads(table), (), 1, N))
    ),
)
_got = pairs_in(beam_search(lambda s, w: {"a": 0.9, "</s>": 0.1}, (), 1, 2))
assert len(_got) == 1 and _got[0][0] == ("a", "a"), (
    f"After two words, N = 2, only the end may follow, even if another word is likelier: *a a* wanted; yours: {_got}."
)
agrees(  # a model may hand out the same row again
    beam_search,
    ours.beam_search,
    {"a": 1e-10, "</s>": 1e-12},
    by=beside_the_answer(
        lambda search, row: pairs_in(search(lambda s, w: row, (), 1, 50))
    ),
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
N = size("N", least=0, most=5, large=None)
agrees(
    beam_search,
    ours.beam_search,
    made(random_toy, N, "ab", 0.4, choice(0, 0.2, 0.6)),
    N,
    by=lambda search, table, N: pairs_in(
        search(
            lambda source, w: {("x", "y"): table}[tuple(source)][tuple(w)],
            ("x", "y"),
            2 ** (N + 1),
            N,
        )
    ),
)
_got = beam_search(lambda s, w: {"a": 1.0}, (), 3, 4)
assert list(_got) == [], f"A model that never ends: an empty list; yours: {_got!r}."
### END HIDDEN TESTS

# %% test="beam_search" aspect="the k best of each round" points=1
_trap = {(): {"a": 0.5, "b": 0.4, "c": 0.1}, ("a",): {str(i): 0.1 for i in range(10)}}
_got = pairs_in(
    beam_search(lambda s, w: dict(_trap.get(tuple(w), {"</s>": 1.0})), (), 2, 5)
)
assert _got and _got[0][0] == ("b",), f"k = 2 finds *b*; yours: {_got}."
### BEGIN HIDDEN TESTS
N = size("N", least=0, most=5, large=None)
agrees(
    beam_search,
    ours.beam_search,
    made(random_toy, N, choice("ab", "abc"), choice(0.3, 1.0, 6.0)),
    whole(2, 5),
    N,
    by=beside_the_answer(
        lambda search, table, k, N: pairs_in(search(reads(table), (), k, N))
    ),
)
for _row, _wanted in (
    ({"a": 0.5, "b": 0.3, "</s>": 0.2}, [("a",), ("b",)]),  # no place for the end
    ({"</s>": 0.5, "b": 0.3, "a": 0.2}, [(), ("b",), ("b", "c")]),  # it takes one
    ({"</s>": 0.9995, "a": 0.0005}, [(), ("a",)]),  # however likely it is
):
    _table = {(): _row} | ({("b",): {"</s>": 0.9, "c": 0.1}} if () in _wanted else {})
    _got = pairs_in(beam_search(reads(_table), (), 2, 3))
    assert [words for words, _ in _got] == _wanted, (
        f"Rows {_table}, else the end, k = 2: {_wanted} wanted; yours: {_got}."
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
N = size("N", least=0, most=4, large=None)
agrees(
    beam_search,
    ours.beam_search,
    made(random_toy, N, "ab", choice(0.3, 1.0, 6.0)),
    choice(9, 1, 2),
    N,
    choice(0, 0.5, 1, 2, 3),
    by=beside_the_answer(
        lambda search, table, *more: pairs_in(search(reads(table), (), *more))
    ),
)
### END HIDDEN TESTS


# %%
widths = (1, 2, 4, 8, 16, 1000)
best = []
true = []
for seed in range(300):
    step = reads(toy_model("abc", 4, 0.7, seed))
    some = [beam_search(step, (), k, 4) for k in widths]
    best.append([pairs[0][1] if pairs else -math.inf for pairs in some])
    true.append([best_of_all(step, (), 4)[1]])
best, true = np.array(best), np.array(true)

# %%
print("k             ", *(f"{k:6}" for k in widths))
print("best of all   ", *(f"{x:6.0%}" for x in np.mean(best > true - 1e-9, 0)))
worse = np.mean(best[:, 1:] < best[:, :-1] - 1e-9, 0)
print("below narrower", " " * 6, *(f"{x:6.1%}" for x in worse))

# %%
for k in (1, 2, 3):
    some = beam_search(reads(TRAP), (), k, 3)
    p = math.exp(some[0][1]) if some else 0
    print(f"your TRAP, k = {k}: finds a target with P = {p:.3f}")

# %%
on_and_on = {"go": 0.9, "</s>": 0.1}
for alpha in (0, 1):
    words, total = beam_search(lambda s, w: on_and_on, (), 30, 20, alpha)[0]
    print(f"α = {alpha}: {len(words)} words, P = {math.exp(total):.3f}")

# %% [markdown]
# On 300 toys a wider beam finds the best target, that of your `best_of_all`, more and more often. Does it ever find less than a narrower one? Rarely: the
# last row counts how often. A wider beam can follow a prefix that looks better and thereby push out, one round later, the one that would have won. Only a
# beam that drops nothing is sure. And your own trap for greedy search, is it also a trap for a beam of two?

# %% [markdown]
# The cell with `on_and_on` shows what $\alpha$ is for. This model goes on with probability .9 and ends with .1, whatever it has written. Its most probable
# target is the *empty* one, with $P = .1$; that with one word has only $.9 \cdot .1 = .09$, that with two .081, and so on. $\ln P$ is a sum of negative
# numbers, one for each word and one for the end, so a model that finds the end about as likely at each place will prefer short texts. A narrow beam may not
# notice it, because it drops the early end. A better search finds it. Dividing by the length undoes this: with $\alpha = 1$ the mean per word decides, and
# now the longest target wins. In practice $\alpha$ lies between 0 and 1 and is tuned on held-out text (Wu and others, 2016, used a similar penalty with an
# exponent of 0.6 to 0.7).
#
# This toy was made for the purpose. Whether a real network has that fault depends on how well it has learned where a text ends. The next cells show it for
# yours.

# %% [markdown]
# ### Whose fault is it?
#
# Ask of a wrong translation: is there a valid one with a higher $P(T \mid S)$? If so, the *search* has failed: it has stopped before the best. If not, the
# *model* prefers nonsense to everything that is right, and no search helps.
#
# Now you have all that it takes to find out for *your* network, the one with attention that you trained in section 6. The next cell translates new sentences
# with your `beam_search`, at four widths. Where the result is wrong, it asks your `score` for the probability of every valid translation. What will a wider
# beam mend?


# %%
# NBVAL_IGNORE_OUTPUT
# Another machine trains slightly other weights.
next_words = functools.lru_cache(maxsize=None)(translator)  # many prefixes come again


def remembered(source, written):
    """`translator`, asked only once for each prefix."""
    return next_words(tuple(source), tuple(written))


def fault(source, words, total):
    """Who is to blame for a translation: nobody ("right"), the "model" or the "search"."""
    valid = translation.references(source)
    if list(words) in valid:
        return "right"
    known = [T for T in valid if all(word in selvan.number for word in T)]
    if not known:
        return "wrong: model"
    best = preferred(remembered, source, known)
    found_less = score(remembered, source, best) > total
    return "wrong: search" if found_less else "wrong: model"


asked = valid_sources[:60]
rows = []
for k, alpha in ((1, 0), (2, 0), (4, 0), (8, 0), (8, 1)):
    faults, logs, lengths_found = [], [], []
    for source in asked:
        found = beam_search(remembered, source, k, 20, alpha)
        words, total = found[0] if found else ((), -math.inf)
        faults.append(fault(source, words, total))
        logs.append(total)
        lengths_found.append(len(words))
    shares = pd.Series(faults).value_counts(normalize=True) * 100
    rows.append(
        {"k": k, "α": alpha, **shares, "mean ln P": np.mean(logs)}
        | {"words": np.mean(lengths_found)}
    )
names = ["k", "α", "right", "wrong: model", "wrong: search", "mean ln P", "words"]
print(pd.DataFrame(rows, columns=names).fillna(0).round(2).to_string(index=False))
true = np.mean([len(target) for target in valid_targets[: len(asked)]])
print(f"words of the reference: {true:.2f}")

# %% [markdown]
# When we ran it, greedy search ($k = 1$) got 70 % of 60 sentences right. For 20 % the model itself prefers the wrong sentence to every right one, and for 10
# % something better was there to be found. With a beam of four the search is never at fault. And yet hardly more translations are right, 72 %. For the most
# part the blame has only moved, from the search to the model: the better search has found another sentence that is wrong, and more probable than any right
# one. The wider beam does find more probable targets, as the mean of $\ln P$ shows. But **a beam cannot mend a model.** How is it with your network?
#
# And $\alpha$? The last column has the mean length, and the line below the table that of the references. A wide beam writes hardly less than greedy search,
# so this network knows well where a sentence ends, and dividing by the length wins nothing, as the last row says. (The 3.33 % under *search* in this row are
# no failures of the search. In two of the 60 sentences a valid translation has the higher $P$, but the division by the length puts a wrong one first, and
# `fault` compares only $P$.)
