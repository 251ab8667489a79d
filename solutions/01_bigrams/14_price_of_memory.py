# %% [markdown] statement="unseen_share"
# ## 15. The price of a longer memory
#
# `unseen_share(train_sentences, test_sentences, n)`: of all n-grams in the test sentences, which share never occurs in
# the training sentences? Count *tokens*: an n-gram that stands twice in the test text counts twice. Pad as before:
# $n - 1$ symbols `<s>` in front, one `</s>` at the end; `windows` does that.

# %% [markdown] hints="unseen_share"
# 1. For n = 1 this is the share of unknown words (with the ends of sentences in the total).
# 2. Order and number matter on the test side, only presence matters on the training side: which containers fit these
#    two needs?
# 3. A test n-gram that comes three times is asked about three times, so nothing may be merged on that side; on the
#    other, asking "is it there?" must stay quick for 60,000 n-grams. The share is a mean of yes and no.


# %% task="unseen_share" points=3 level=2 minutes=8
def unseen_share(train_sentences, test_sentences, n):
    """Share of the n-gram tokens of the test sentences that the training sentences do not hold."""
    ### BEGIN SOLUTION
    seen = {gram for sentence in train_sentences for gram in windows(sentence, n)}
    asked = [gram for sentence in test_sentences for gram in windows(sentence, n)]
    return sum(gram not in seen for gram in asked) / len(asked)
    ### END SOLUTION


# %% test="unseen_share" aspect="tokens, not types" points=1
_share = unseen_share([["a", "b"]], [["a", "c", "c", "c"]], 1)
assert is_number(_share), f"Return a number; yours returned {_share!r}."
assert close(_share, 3 / 5), (
    f"a, c, c, c and `</s>` are five tokens, three of them unseen: 0.6. Yours: {_share:.3f}."
)
### BEGIN HIDDEN TESTS
for _train, _test, _n, _wanted, _why in (
    ("a b", "c c a/c c", 1, 4 / 7, "`c` stands four times among seven tokens"),
    ("c b", "a c b/a c", 2, 5 / 7, "`<s> a` and `a c` count twice, `c </s>` once"),
    ("no tea", "No tea", 1, 1 / 3, "`No` is not `no`"),
    ("ab c", "a bc", 2, 1, "`a bc` is not `ab c`"),
    ("a bb", "ab b", 3, 1, "`ab b` is not `a bb`"),
):
    _lines = [[line.split() for line in text.split("/")] for text in (_train, _test)]
    _share = unseen_share(*_lines, _n)
    assert close(_share, _wanted, rtol=1e-5), (
        f"Train `{_train}`, test `{_test}`, n = {_n}: {_why}; yours: {_share!r}."
    )
_after = arguments_after(unseen_share, [["a"], ["b"]], [["b", "c"]], 3)
assert [list(line) for line in _after[0]] == [["a"], ["b"]], (
    "Leave the training sentences as they are."
)
assert [list(line) for line in _after[1]] == [["b", "c"]], (
    "Leave the test sentences as they are."
)
### END HIDDEN TESTS

# %% test="unseen_share" aspect="padding at both ends" points=1
_share = unseen_share([["a", "b"]], [["b", "a"]], 2)
assert is_number(_share), f"Return a number; yours returned {_share!r}."
assert close(_share, 1), (
    f"`<s> b`, `b a`, `a </s>` are all unseen: 1. Yours: {_share:.3f}."
)
_share = unseen_share([["a", "b"]], [["a", "c"]], 3)
assert close(_share, 2 / 3), (
    f"For n = 3 a sentence of 2 words has 3 trigrams; two are unseen here. Yours: {_share:.3f}."
)
### BEGIN HIDDEN TESTS
for _train, _test, _n, _wanted in (
    ([["a"]], [["a"]], 5, 0),
    ([["a"]], [["b"]], 5, 1),
    ([["a", "b"]], [["a"], ["a", "b", "b"]], 4, 3 / 6),
    ([["a"]], [[], ["a"]], 3, 1 / 3),
    ([[], ["a"]], [[]], 2, 0),
):
    _share = unseen_share(_train, _test, _n)
    assert close(_share, _wanted, rtol=1e-5), (
        f"Train {_train}, test {_test}, n = {_n}: {_wanted:.3f} are new; yours: {_share!r}."
    )
### END HIDDEN TESTS

# %% test="unseen_share" aspect="right share for every n" points=1
_train, _test = [["a", "b", "a"], ["b"]], [["a", "b", "b"], ["b", "a"]]
_shares = [unseen_share(_train, _test, n) for n in (1, 2, 3)]
assert all(is_number(s) for s in _shares), f"Return numbers: {_shares}."
assert close(_shares, [0, 1 / 7, 3 / 7]), (
    f"Train `a b a` and `b`, test `a b b` and `b a`: the shares are 0, 1/7, 3/7; yours: {_shares}."
)
### BEGIN HIDDEN TESTS
_text = [random.choices("abcd", k=random.randint(1, 7)) for _ in range(60)]
_train, _test = _text[:30], _text[30:]
for _n in range(1, 6):
    _known, _hits = set(), []
    for _number, _s in enumerate(_text):
        for _end in range(len(_s) + 1):
            _gram = " ".join((["<s>"] * _n + _s + ["</s>"])[_end + 1 : _end + 1 + _n])
            _known.add(_gram) if _number < 30 else _hits.append(_gram not in _known)
    _share = unseen_share(_train, _test, _n)
    assert close(_share, np.mean(_hits), rtol=1e-5), (
        f"On a random text, n = {_n}: yours is {_share!r}, not {np.mean(_hits):.3f}."
    )
### END HIDDEN TESTS


# %% [markdown]
# We measure this on three texts: our restaurant sentences, the reference manual of Python, and stories in the
# *kitchen* language, which was made up for this course. We train on 40,000 words of each text, and for the kitchen
# stories also on 400,000. What do you expect of ten times as much text?

# %%
import re
from pydoc_data.topics import topics

from lmkit import kitchen

paragraphs = [part for text in topics.values() for part in text.split("\n\n")]
reference = [re.findall("[a-z]+", part.lower()) for part in paragraphs]
stories = [story.tokens for story in kitchen.documents(tokens=460_000, seed=5)]
texts = {
    "restaurant": (everything, 40_000),
    "Python reference": ([part for part in reference if len(part) > 3], 40_000),
    "kitchen": (stories, 40_000),
    "kitchen, ten times": (stories, 400_000),
}


def cut(sentences, words):
    """The first sentences, with so many words and ends together, and the others."""
    ends = np.cumsum([len(sentence) + 1 for sentence in sentences])
    place = int(np.searchsorted(ends, words))
    return sentences[:place], sentences[place:]


# %%
orders, never = range(1, 6), {name: [] for name in texts}
for name, (text, words) in texts.items():
    for seed in range(3):
        mixed = random.Random(seed).sample(text, len(text))
        learned, rest = cut(mixed, words)
        known = set(map(tuple, learned))
        asked = [
            sentence for sentence in cut(rest, 8_000)[0] if tuple(sentence) not in known
        ]
        never[name].append([unseen_share(learned, asked, n) for n in orders])

# %% folded="draws the share of n-grams never seen" alt="Four rising lines for n from 1 to 5: almost no word is new, but of the n-grams with five tokens about 40 percent in the restaurant text and 90 percent in the Python reference were never seen."
_, axes = plt.subplots()
for (name, found), style in zip(never.items(), ("o-", "s--", "^-", "v:"), strict=True):
    middle, low, high = np.mean(found, 0), np.min(found, 0), np.max(found, 0)
    axes.errorbar(orders, middle, [middle - low, high - middle], fmt=style, label=name)
axes.set(xlabel="n (tokens in an n-gram)", ylabel="share of n-grams never seen")
axes.set(xticks=orders, ylim=(0, 1))
axes.legend(fontsize=9)
plt.show()

# %%
V = len(set(train_words))
types = [len({g for s in train_sentences for g in windows(s, n)}) for n in orders]
for n, found in zip(orders, types, strict=True):
    print(f"n = {n}: {V**n:.0e} possible, {found:6,} in 8,300 sentences")

# %% [markdown]
# In every text, the longer the n-gram, the more likely it is new. The highest line is that of Python's manual. It is
# the only one of the three texts that people wrote, but it is also the only manual, so the figure cannot say which of
# the two is the reason.
#
# Ten times as much text leaves about 4 % of the kitchen's bigrams new, but over 60 % of its 5-grams. (Three splits;
# the whiskers are hardly longer than the marks.)
#
# Each word of memory multiplies the possible n-grams by $V$, here some
# 1,400, and those in our text by 4.5, 1.9, 1.4 and 1.2.
#
# A context gets rare as it grows:

# %%
past = ["want", "to", "go", "to"]
contexts = [past[-k:] for k in range(1, 5)]
durrett = (1_000_000, 50_000, 1_500, 100)
for c, there in zip(contexts, durrett, strict=True):
    here = sum(s[i : i + len(c)] == c for s in everything for i in range(len(s)))
    print(f"{' '.join(c):13} {here:5,} times here, {there:9,} on G. Durrett's slide")

# %% [markdown]
# <details><summary>A slip in the printed slides: the large list of 2006</summary>
#
# Google's counts of 2006 hold 13.6 million words and 3.8 billion n-grams ($n$ from 1 to 5, each met 40 times or more).
# G. Durrett's slide has 2008, 1.3 million and 4 billion.
#
# </details>
