# %% [markdown] statement="continue_greedy"
# ## 12. Writing: the likeliest next word
#
# A language model can also write. The **greedy** way appends the likeliest next word, again and again. Write
# `continue_greedy(model, prompt, max_words)`, which returns `prompt` (a list of tokens) with the new words after it:
#
# - the context is the last word, as it is written; an empty prompt starts a sentence, with the context `<s>`;
# - of equally likely words, any will do;
# - stop when `</s>` is the likeliest (do not write it), when the context was never seen (it has no row; no row is
#   empty), or after `max_words` new words.

# %% [markdown] hints="continue_greedy"
# 1. What does a bigram model need to know of a prompt of nine words?
# 2. Only the last word is context. When there is none, the sentence has just begun.
# 3. Every new word becomes the next context, so the list that grows is all you need to keep. Of the three reasons to
#    stop, one is known before you look into the model, one when you look for the row, one only when the word is
#    chosen.


# %% task="continue_greedy" points=3 level=2 minutes=13
def continue_greedy(model, prompt, max_words):
    """The prompt and at most max_words likeliest next words, as one list of tokens."""
    ### BEGIN SOLUTION
    words = list(prompt)
    for _ in range(max_words):
        row = model.get(words[-1] if words else "<s>")
        if not row:
            break
        word = max(row, key=row.get)
        if word == "</s>":
            break
        words.append(word)
    return words
    ### END SOLUTION


# %% test="continue_greedy" aspect="likeliest word, again and again" points=1
_model = {
    "we": {"sit": 0.3, "eat": 0.7},
    "eat": {"</s>": 0.2, "in": 0.5, "sit": 0.3},
    "in": {"a": 0.4, "the": 0.6},
    "the": {"garden": 0.9, "in": 0.1},
    "garden": {"in": 1.0},
}
_words = continue_greedy(_model, ["we"], 4)
assert hasattr(_words, "__len__"), (
    f"Return a list of tokens; yours returned {_words!r}."
)
assert list(_words) == ["we", "eat", "in", "the", "garden"], (
    f"Four new words wanted: {_words}."
)
_words = continue_greedy(_model, ["so", "we", "eat"], 1)
assert list(_words) == ["so", "we", "eat", "in"], (
    f"One new word after the prompt wanted: {_words}."
)
### BEGIN HIDDEN TESTS
_words = continue_greedy({"very": {"good": 0.4, "very": 0.6}}, ["so", "very"], 3)
assert hasattr(_words, "__len__") and list(_words) == ["so", *["very"] * 4], (
    f"The likeliest word may be the one just said, again and again; yours: {_words!r}."
)
for _ in range(8):
    _model, _names = {}, ["</s>", *"abcdef"]
    for _word in ["<s>", *"abcdef"]:
        _best = random.choice("abcdef")  # never the end symbol, however likely that is
        _row = {other: random.uniform(0.01, 0.1) for other in random.sample(_names, 7)}
        _model[_word] = _row | {"</s>": 0.3, _best: 0.4}
    _prompt = random.choices("abcdef", k=random.randint(1, 4))
    _wanted, _most = list(_prompt), random.randint(1, 7)
    for _ in range(_most):
        _row = _model[_wanted[-1]]
        _wanted.append(next(word for word in "abcdef" if _row[word] == 0.4))
    _words = continue_greedy(_model, list(_prompt), _most)
    assert hasattr(_words, "__len__") and list(_words) == _wanted, (
        f"{_most} words after {_prompt}, all of them with .4: {_wanted}; yours: {_words!r}."
    )
### END HIDDEN TESTS

# %% test="continue_greedy" aspect="stops where it should" points=1
_model = {
    "i": {"eat": 1.0},
    "eat": {"</s>": 0.6, "i": 0.4},
    "go": {"on": 1.0},
    "on": {"go": 1.0},
}
_words = continue_greedy(_model, ["i"], 20)
assert hasattr(_words, "__len__"), (
    f"Return a list of tokens; yours returned {_words!r}."
)
assert list(_words) == ["i", "eat"], (
    f"`</s>` is likeliest after `eat`: stop, do not write it: {_words}."
)
_words = continue_greedy(_model, ["go"], 5)
assert len(_words) == 6, (
    f"A loop must end after max_words = 5 new words; yours has {len(_words) - 1}."
)
### BEGIN HIDDEN TESTS
_words = continue_greedy({"go": {"on": 1.0}, "on": {"go": 1.0}}, ["go"], 61)
assert hasattr(_words, "__len__") and list(_words) == ["go", "on"] * 31, (
    f"Only max_words = 61 ends a loop of two words; yours ends after {_words!r}."
)
_model = {"i": {"eat": 1.0}, "eat": {"i": 0.35, "</s>": 0.4, "go": 0.25}}
_model |= {"go": {"on": 1.0}, "on": {"</s>": 0.4, "snow": 0.6}}
_quiet, _loud = {"</s>": 0.5, "i": 0.4, "go": 0.1}, {"i": 0.7, "</s>": 0.3}
for _start, _text, _most, _wanted, _why in (
    (_loud, "i snow", 5, "i snow", "after an unseen word nothing can follow"),
    (_loud, "snow", 5, "snow", "after an unseen word nothing can follow"),
    (_loud, "go", 9, "go on snow", "a word of the model may be an unseen context, too"),
    (_loud, "go", 0, "go", "with max_words = 0 the prompt comes back"),
    (_loud, "", 0, "", "with max_words = 0 the prompt comes back"),
    (_quiet, "", 5, "", "`</s>` may be likeliest at once"),
    (_loud, "i eat", 5, "i eat", "`</s>` may be likeliest at once"),
    (
        _loud,
        "i",
        5,
        "i eat",
        "`</s>` stops when it is likeliest, even with less than a half",
    ),
    (
        _loud,
        "go on",
        1,
        "go on snow",
        "`</s>` does not stop when another word is likelier",
    ),
):
    _model["<s>"] = _start
    _words = continue_greedy(_model, _text.split(), _most)
    assert hasattr(_words, "__len__") and list(_words) == _wanted.split(), (
        f"Prompt `{_text}`, max_words = {_most}: {_why}; yours: {_words!r}."
    )
### END HIDDEN TESTS

# %% test="continue_greedy" aspect="case and short prompts" points=1
_model = {
    "<s>": {"The": 1.0},
    "The": {"United": 1.0},
    "United": {"States": 1.0},
    "united": {"we": 1.0},
}
_words = continue_greedy(_model, ["The", "United"], 1)
assert hasattr(_words, "__len__"), (
    f"Return a list of tokens; yours returned {_words!r}."
)
assert list(_words) == ["The", "United", "States"], (
    f"`United` is not `united`; yours: {_words}."
)
for _prompt in ([], ["The"]):
    _words = continue_greedy(_model, list(_prompt), 2 - len(_prompt))
    assert list(_words) == ["The", "United"], (
        f"Prompt {_prompt}: wanted `The United`; yours: {_words}."
    )
### BEGIN HIDDEN TESTS
_model |= {
    "We": {"sat": 1.0},
    "sat": {"Here": 1.0},
    "here": {"we": 1.0},
    "we": {"United": 1.0},
}
for _text, _most, _wanted in (
    ("We", 4, "We sat Here"),
    ("here", 3, "here we United States"),
    ("Here", 3, "Here"),
    ("", 3, "The United States"),
):
    _words = continue_greedy(_model, _text.split(), _most)
    assert hasattr(_words, "__len__") and list(_words) == _wanted.split(), (
        f"Mind the case of letters: `{_text}` becomes `{_wanted}`; yours: {_words!r}."
    )
_after = arguments_after(continue_greedy, _model, ["The"], 2)
assert list(_after[1]) == ["The"], f"Leave the prompt as it is; it became {_after[1]}."
assert _after[0] == _model, "Leave the model as it is: your function changes it."
_after = arguments_after(continue_greedy, _model, ["snow"], 2)[0]
assert _after == _model, (
    f"Leave the model as it is; it got rows for {set(_after) - set(_model)}."
)
_grown = {word: defaultdict(float, row) for word, row in _model.items()}

for _text in ("snow", "We", "we Here", ""):
    for _rows in (_grown, {word: _grown[word] for word in _grown if word != "<s>"}):
        _after = arguments_after(
            continue_greedy, defaultdict(dict, _rows), _text.split(), 5
        )[0]
        assert _after == _rows, (
            f"A model may be a defaultdict: your look-ups for `{_text}` left {_after}."
        )
### END HIDDEN TESTS

# %%
for prompt in (["i"], ["where", "can"], ["is", "bombay"], ["i'm"], ["spaghetti"]):
    print(
        " ".join(prompt), "->", " ".join(continue_greedy(restaurant_model, prompt, 16))
    )

# %%
prompts = random.Random(2).sample(corpus.vocabulary, 200)
ends = Counter(
    " ".join(continue_greedy(restaurant_model, [word], 16)[-2:]) for word in prompts
)
print("how the continuations of 200 words end:", ends.most_common(3))

# %% scratch=true
# Your own prompts: which end in other ways than "golden lantern"?
print(" ".join(continue_greedy(restaurant_model, ["how"], 16)))


# %% [markdown]
# Of 200 starts, 31 end in the same two words: where two paths meet, they go on together.

# %% [markdown]
# <details><summary>Slips in a printed program: four ways to stumble</summary>
#
# F. Silvestri's program for trigrams lower-cases the prompt, but not the counts; a prompt of one word crashes it;
# asking a `defaultdict` for an unseen context *adds* it; and after the end of a sentence it returns the same text.
#
# </details>
