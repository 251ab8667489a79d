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
_cases = [
    ([["A"], ["A"], ["b", "a"]], 2),
    ([["a", "b"], ["b", "c"], []], 1),
    ([["a", "b"], ["b", "c"]], 3),
    ([], 1),
    ([["x"] * 20, ["y"] * 19, ["z"] * 21, ["y"]], 20),
]
_cases += [
    ([random.choices("abcdefgh", k=random.randint(0, 9)) for _ in range(12)], least)
    for least in (1, 2, 5, 9)
]
for _sentences, _least in _cases:
    _flat = [word for sentence in _sentences for word in sentence]
    _kept = {word for word in _flat if _flat.count(word) >= _least}
    _got = numbering([list(sentence) for sentence in _sentences], _least)
    assert isinstance(_got, dict), f"Return a dict; yours: {_got!r}."
    assert set(_got) == _kept, (
        f"{_sentences}, at least {_least} times: {sorted(_kept)} wanted; yours: {sorted(_got)}."
    )
    assert sorted(_got.values()) == list(range(2, 2 + len(_kept))), (
        f"{len(_kept)} words are kept: numbers from 2 on, each once, no gap; yours: {_got}."
    )
_left = arguments_after(numbering, [["a", "b"], ["b"]], 2)[0]
assert [list(sentence) for sentence in _left] == [["a", "b"], ["b"]], (
    "numbering changed the caller's sentences."
)
### END HIDDEN TESTS

# %% test="unknown_words" aspect="the others are unknown" points=1
_got = numbers_of(["can", "you", "see", "the", "can"], {"the": 2, "can": 3})
assert isinstance(_got, list | tuple), f"Return a list of numbers; yours: {_got!r}."
assert list(_got) == [3, 1, 1, 2, 3], (
    f"can is 3, the is 2, you and see are unknown; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _T in (0, 1, 2, 7, 30):
    _words = random.choices("abcdefghij", k=_T)
    _number = {letter: 2 + i for i, letter in enumerate(random.sample("abcde", k=3))}
    _got = numbers_of(list(_words), dict(_number))
    _wanted = [_number.get(word, 1) for word in _words]
    assert isinstance(_got, list | tuple) and list(_got) == _wanted, (
        f"{_words} with the numbers {_number}: {_wanted} wanted; yours: {_got!r}."
    )
_got = numbers_of(["The", "the", "", " the", "THE"], {"the": 2, "Oslo": 3})
assert isinstance(_got, list | tuple) and list(_got) == [1, 2, 1, 1, 1], (
    f"Only the word as it is written has the number: The is unknown where the is 2; yours: {_got!r}."
)
_left = arguments_after(numbers_of, ["a", "x", "x"], {"a": 2})
assert list(_left[0]) == ["a", "x", "x"] and _left[1] == {"a": 2}, (
    "numbers_of changed the caller's words or numbers: an unknown word gets no entry."
)
### END HIDDEN TESTS

# %% test="unknown_words" aspect="errors of one group" points=1
_predicted, _right = torch.tensor([1, 2, 3, 4]), torch.tensor([1, 5, 3, 5])
_got = error_rate(_predicted, _right, torch.tensor([True, True, True, False]))
assert is_number(_got), f"error_rate returns a number; yours: {_got!r}."
assert close(_got, 1 / 3), (
    f"In the group are the first three; the second is wrong: 1/3; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _T in (1, 2, 5, 40, 2000):
    _right = torch.randint(4, (_T,))
    _predicted = torch.where(torch.rand(_T) < 0.5, _right, torch.randint(4, (_T,)))
    for _group in (torch.ones(_T).bool(), torch.rand(_T) < 0.4, torch.arange(_T) == 0):
        _in = [i for i in range(_T) if _group[i]]
        _got = error_rate(_predicted.clone(), _right.clone(), _group.clone())
        if _in:
            _wanted = sum(int(_predicted[i] != _right[i]) for i in _in) / len(_in)
            assert is_number(_got), f"error_rate returns a number; yours: {_got!r}."
            assert close(_got, _wanted, 1e-5, 1e-6), (
                f"{_T} tokens, {len(_in)} of them in the group: {_wanted:.4f} wanted; yours: {_got}."
            )
_got = error_rate(torch.tensor([1, 2]), torch.tensor([1, 3]), torch.zeros(2).bool())
assert math.isnan(float(_got)), (
    f"Nobody is in the group: there is no error rate, NaN; yours: {_got!r}."
)
_left = arguments_after(error_rate, _predicted.clone(), _right.clone(), _group.clone())
assert all(
    close(one.int(), other.int())
    for one, other in zip(_left, (_predicted, _right, _group), strict=True)
), "error_rate changed the caller's tensors."
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
