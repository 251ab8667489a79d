# %% [markdown] statement="unknown_words"
# ## 5. Words the tagger has never met
#
# A new text holds words that were not in the training text: *out-of-vocabulary* words. They all share one vector, that
# of `<UNK>`, number 1. To have it trained, we turn the **rare** words of the training text into `<UNK>` too. Write
#
# - `numbering(sentences, least)`: from lists of words, a dict: a number for each word that occurs at least `least`
#   times in all, from 2 on without gaps, in any order;
# - `numbers_of(words, number)`: the list of the words' numbers; 1 for a word that is not in the dict as it is written;
# - `error_rate(predicted, right, group)`: three tensors $(T,)$, `group` of booleans: the share of wrong answers among
#   the tokens whose `group` is true; NaN if there are none.

# %% [markdown] hints="unknown_words"
# 1. Count before you number: a word can be frequent in all sentences together and rare in each.
# 2. `Counter` and `enumerate` do the numbering; a dict's `get` has a second argument. Is a word that occurs exactly
#    `least` times kept?
# 3. For the error rate, decide first which tokens take part, then compare two tensors at these places only. What does a
#    mean over no tokens give, and what does the statement ask for?


# %% task="unknown_words" points=3 level=1 minutes=15
def numbering(sentences, least):
    """A dict, word -> number 2, 3, ..., of the words that occur at least `least` times."""
    ### BEGIN SOLUTION
    counts = Counter(word for sentence in sentences for word in sentence)
    kept = [word for word, count in counts.items() if count >= least]
    return {word: i for i, word in enumerate(kept, start=2)}
    ### END SOLUTION


def numbers_of(words, number):
    """The numbers of a list of words: `number[word]`, or 1 for a word that has none."""
    ### BEGIN SOLUTION
    return [number.get(word, 1) for word in words]
    ### END SOLUTION


def error_rate(predicted, right, group):
    """The share of the tokens of the group where `predicted` is not `right`; NaN for an empty group."""
    ### BEGIN SOLUTION
    return (predicted != right)[group].double().mean().item()
    ### END SOLUTION


# %% test="unknown_words" aspect="who gets a number" points=1
_got = numbering([["the", "cook", "can"], ["the", "can", "the"]], 2)
assert isinstance(_got, dict), f"Return a dict; yours: {_got!r}."
assert set(_got) == {"the", "can"}, (
    f"the occurs 3 times, can 2, cook once; at least 2 are kept; yours: {sorted(_got)}."
)
assert sorted(_got.values()) == [2, 3], (
    f"Two words are kept; their numbers are 2 and 3 (0 is PAD, 1 is <UNK>); yours: {_got}."
)


### BEGIN HIDDEN TESTS
def _kept(numbering, sentences, least):
    number = numbering(sentences, least)
    return {"words": set(number), "numbers": sorted(number.values())}


_sentences = made(
    lambda rng, n: [
        rng.choices(["a", "A", "b", "bb", " b", ""], k=rng.randint(0, 6))
        for _ in range(n)
    ],
    whole(0, 7, (1, 40)),
    edges=[
        [["A"], ["A"], [], ["a", "b", "a"], ["b", "b"]],
        [["x"] * 20, ["y"] * 19, ["z"] * 21, ["y"]],
        [[f"w{i}" for i in range(300)]] * 3,
    ],
)
_least = choice(1, 2, 3, 5, 20)
agrees(
    numbering, ours.numbering, sentences=_sentences, least=_least, by=_kept, mixtures=1
)
### END HIDDEN TESTS

# %% test="unknown_words" aspect="the others are unknown" points=1
_got = numbers_of(["can", "you", "see", "the", "can"], {"the": 2, "can": 3})
assert isinstance(_got, list | tuple), f"Return a list of numbers; yours: {_got!r}."
assert list(_got) == [3, 1, 1, 2, 3], (
    f"can is 3, the is 2, you and see are unknown; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_some = ["the", "The", " the", "", "Oslo", "oslo", "can"]
_known = made(
    lambda rng, n: {word: 2 + i for i, word in enumerate(rng.sample(_some, n))},
    whole(0, 7),
    edges=[{"the": 3, "Oslo": 2}],
)
_words = words(whole(2, 7, (0, 1, 40)), _some)
agrees(numbers_of, ours.numbers_of, choice(_words, _some), _known, mixtures=1)
_known = {"the": 0, "Oslo": 3}
agrees(numbers_of, ours.numbers_of, _some, _known, mixtures=0)
### END HIDDEN TESTS

# %% test="unknown_words" aspect="errors of one group" points=1
_predicted, _right = torch.tensor([1, 2, 3, 4]), torch.tensor([1, 5, 3, 5])
_got = error_rate(_predicted, _right, torch.tensor([True, True, True, False]))
assert is_number(_got), f"error_rate returns a number; yours: {_got!r}."
assert close(_got, 1 / 3), (
    f"In the group are the first three; the second is wrong: 1/3; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_T = whole(2, 9, (0, 1, 2000))
_right = ids(_T, below=4)
_predicted = made(
    lambda rng, right, other, same: right.where(same, other),
    *(_right, ids(_T, below=4), truths(_T)),
)
_one = made(lambda rng, T: torch.arange(T) == rng.randrange(max(T, 1)), _T)
agrees(
    error_rate,
    ours.error_rate,
    _predicted,
    _right,
    choice(truths(_T), _one),
    rtol=1e-5,
    atol=1e-6,
    mixtures=1,
)
### END HIDDEN TESTS

# %%
number = numbering([words for words, _ in train_text], least=20)
tag_names = sorted(set(all_tags))


def encode(text, c):
    """All windows of a list of tagged sentences (N, 2c + 1), and the tags (N,)."""
    rows = [windows(numbers_of(words, number), c) for words, _ in text]
    return torch.cat(rows), torch.tensor(
        [tag_names.index(tag) for _, tags in text for tag in tags]
    )


# %%
inputs, targets = encode(train_text, 10)  # the widest windows that we shall need
valid_inputs, valid_targets = encode(valid_text, 10)


def middle(rows, c):
    """From these wide windows those of c words on each side."""
    return rows[:, 10 - c : 11 + c]


# %%
valid_words = [word for words, _ in valid_text for word in words]
unknown = torch.tensor([word not in number for word in valid_words])
unsure = torch.tensor([kinds[word] > 1 for word in valid_words]) & ~unknown
print(f"{len(number):,} of {len(kinds):,} words have a vector of their own;", end=" ")
print(f"of {len(valid_words):,} tokens to tag,")
print(f"{unknown.sum():,} are unknown, {unsure.sum():,} known and ambiguous")

# %% [markdown]
# Nearly half of the words are unknown, but only one token in twenty. *Predict:* a tagger that sees only `<UNK>` gives
# all unknown words one tag. How many of them will be wrong, and how many with one neighbour on each side? Section 7
# measures both.
