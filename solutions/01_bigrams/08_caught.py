# %% [markdown] statement="repair"
# ## 7. It repairs what you mistype
#
# A model that knows what is likely can do more than babble. When you type *fodo* on your phone and *food* appears, a language model
# has compared the sentences that you could have meant. Let us build this. Write
#
# - `neighbours(word, vocabulary)`: the *other* words of the vocabulary that are one edit away from `word`: one letter (or other sign) added, dropped or
#   replaced, or two adjacent letters exchanged;
# - `repair(model, sentence, vocabulary)`: the most probable among the sentence itself and all sentences in which the word at *one* place is replaced by a
#   neighbour. `log_probability(model, sentence)`, which we have imported from the library, is the judge; it does what yours does.

# %% [markdown] hints="repair"
# 1. Which words of your vocabulary could `fod` be? Which of them can stand after `chinese`?
# 2. Two ways to neighbours: make every edit and keep what is in the vocabulary, or test each vocabulary word of a
#    fitting length.
# 3. A repair changes one place, not one word wherever it stands. If the original is among the candidates, whether to
#    repair at all and what to repair become the same question; mind who wins a tie.

# %% task="repair" points=4 level=4 minutes=28
def neighbours(word, vocabulary):
    """The set of words of the vocabulary that are one edit away from `word`, which is not among them."""
    ### BEGIN SOLUTION
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits |= {head + tail[1:], head + tail[1:2] + tail[:1] + tail[2:]}
        edits |= {
            head + letter + rest for letter in letters for rest in (tail, tail[1:])
        }
    return (edits & set(vocabulary)) - {word}
    ### END SOLUTION


def repair(model, sentence, vocabulary):
    """The likeliest of the sentence and its one-word repairs, as a list of tokens; the sentence itself wins ties."""
    ### BEGIN SOLUTION
    candidates = [list(sentence)]
    for i, word in enumerate(sentence):
        for other in sorted(neighbours(word, vocabulary)):
            candidates.append([*sentence[:i], other, *sentence[i + 1 :]])
    return max(candidates, key=lambda words: log_probability(model, words))
    ### END SOLUTION


# %% test="repair" aspect="add, drop and replace" points=1
_vocabulary = {"food", "good", "foot", "for", "fod", "floods", "wood", "of"}
_found = neighbours("food", _vocabulary)
assert hasattr(_found, "__len__"), f"Return a set of words; yours returned {_found!r}."
assert "food" not in _found, "A word is not its own neighbour."
assert set(_found) == {"good", "foot", "fod", "wood"}, (
    f"Of `food` yours finds {sorted(_found)}."
)
_found = neighbours("fod", _vocabulary)
assert set(_found) == {"food", "for"}, (
    f"`fod`: one letter added or replaced; found {sorted(_found)}."
)
### BEGIN HIDDEN TESTS
_word = made(
    lambda rng, letters: "".join(letters), words(size("letters", large=None), "abc'A")
)
_asked = made(
    lambda rng, letters: "".join(letters), words(size("length", large=None), "abc'")
)
_vocabulary = made(  # among others words that are one letter longer, shorter or larger
    lambda rng, word, found: {
        *found,
        *(f"{word}a", f"b{word}", word[:-1], word[1:], word.capitalize()),
    },
    _asked,
    listing(size("V", large=150), _word),
)
agrees(
    neighbours,
    ours.neighbours,
    _asked,
    _vocabulary,
    by=lambda f, *given: set(f(*given)),
)
### END HIDDEN TESTS

# %% test="repair" aspect="swapped letters" points=1
_found = neighbours("googel", {"google", "goggle", "googles"})
assert hasattr(_found, "__len__"), f"Return a set of words; yours returned {_found!r}."
assert set(_found) == {"google"}, (
    f"`googel` is one swap from `google`; found {sorted(_found)}."
)
### BEGIN HIDDEN TESTS
for _word, _others, _wanted in (
    ("abcd", "bacd acbd abdc cbad dbca badc abcd", "bacd acbd abdc"),
    ("to", "ot oot", "ot"),
    ("soon", "soon osno snoo sono osoon", "sono osoon"),
    ("abcd", "bacde bac acb", ""),
):
    _found = neighbours(_word, set(_others.split()))
    assert hasattr(_found, "__len__") and set(_found) == set(_wanted.split()), (
        f"Adjacent letters are swapped, in any one place; `{_word}`: yours finds {_found!r}."
    )
### END HIDDEN TESTS

# %% test="repair" aspect="context chooses the neighbour" points=1
_model = {
    "<s>": {"good": 0.5, "i": 0.5},
    "i": {"eat": 1.0},
    "eat": {"food": 0.4, "good": 0.6},
    "good": {"food": 0.7, "wood": 0.3},
    "food": {"</s>": 1.0},
    "wood": {"</s>": 1.0},
}
_words = ["i", "eat", "good", "food", "wood"]
_best = repair(_model, ["i", "eat", "foof"], _words)
assert hasattr(_best, "__len__"), f"Return a list of tokens; yours returned {_best!r}."
assert list(_best) == ["i", "eat", "food"], f"Yours repairs `i eat foof` to {_best}."
_best = repair(_model, ["good", "ood"], _words)
assert list(_best) == ["good", "food"], f"Yours repairs `good ood` to {_best}."
### BEGIN HIDDEN TESTS
_words = ["bat", "cat", "hat", "mat", "rat", "sat"]
_model = made(
    lambda rng, *rows: dict(
        zip(
            ["<s>", *_words],
            (dict(zip([*_words, "</s>"], row, strict=True)) for row in rows),
            strict=True,
        )
    ),
    *(shares(7) for _ in range(7)),
)
_text = words(size("length", least=0, large=None), [*_words, "zat", "at"])


def _as_good(got, wanted, model, sentence, vocabulary):
    """Any of the likeliest candidates will do, but the sentence itself wins ties."""
    best, ours_of_old = log_probability(model, wanted), log_probability(model, sentence)
    if not isinstance(got, list | tuple) or len(got) != len(sentence):
        return f"is {got!r}, wanted a list such as {wanted}"
    if ours_of_old == best:
        return (
            list(got) != list(sentence)
            and f"is {got}, but the sentence itself is as likely"
        )
    changed = sum(a != b for a, b in zip(got, sentence, strict=True))
    return (
        changed > 1 or not math.isclose(log_probability(model, got), best)
    ) and f"is {got}, wanted {wanted}"


agrees(repair, ours.repair, _model, _text, _words, compare=_as_good)
### END HIDDEN TESTS

# %% test="repair" aspect="what must stay as it is" points=1
_model = {"<s>": {"cat": 0.5, "bat": 0.5}, "cat": {"</s>": 1.0}, "bat": {"</s>": 1.0}}
_best = repair(_model, ["cat"], ["bat", "cat"])
assert hasattr(_best, "__len__"), f"Return a list of tokens; yours returned {_best!r}."
assert list(_best) == ["cat"], (
    f"`bat` is not likelier than `cat`: the original wins; yours: {_best}."
)
### BEGIN HIDDEN TESTS
_best = repair(_model, ["bat"], ["bat", "cat"])
assert hasattr(_best, "__len__") and list(_best) == ["bat"], (
    f"The original wins ties: {_best!r}."
)
_best = repair(_model, ["rat", "rat"], ["bat", "cat"])
assert hasattr(_best, "__len__") and list(_best) == ["rat", "rat"], (
    f"No candidate is possible: leave it as it is; yours: {_best!r}."
)
_best = repair(_model, [], ["bat", "cat"])
assert hasattr(_best, "__len__") and len(_best) == 0, (
    f"An empty sentence stays empty: {_best!r}."
)
_model = {"<s>": {"hot": 1.0}, "hot": {"soup": 1.0}, "soup": {"</s>": 1.0}}
_best = repair(_model, ["hit", "soap"], ["hot", "soup"])
assert hasattr(_best, "__len__") and list(_best) == ["hit", "soap"], (
    f"Only one word may change, which does not help here: {_best}."
)
_row = {"soup": 0.7, "soap": 0.3}
_model = {"<s>": {"hot": 0.6, "hit": 0.4}, "hot": _row, "hit": _row}
_model |= {"soup": {"</s>": 1.0}, "soap": {"</s>": 1.0}}
_best = repair(_model, ["hit", "soap"], ["hot", "hit", "soup", "soap"])
assert hasattr(_best, "__len__") and list(_best) == ["hit", "soup"], (
    f"Only one word may change, the one that helps most: `hit soup`; yours: {_best}."
)
_model = {"<s>": {"tea": 0.6, "tee": 0.4}, "or": {"tea": 0.8, "tee": 0.2}}
_model |= {word: {"or": 0.5, "</s>": 0.5} for word in ("tea", "tee")}
_best = repair(_model, ["tee", "or", "tee"], ["tea", "tee", "or"])
assert hasattr(_best, "__len__") and list(_best) == ["tee", "or", "tea"], (
    f"One place may change, not every place of the same word; yours: {_best}."
)
### END HIDDEN TESTS

# %%
vocabulary = {word for sentence in train_sentences for word in sentence}
for line in (
    "i wnat to eat lunch",
    "i want to eat chinese fod",
    "is it oven for dinner",
    "tell me about che panisse",
):
    print(
        f"{line:27} -> {' '.join(repair(restaurant_model, line.split(), vocabulary))}"
    )

# %% [markdown]
# Notice the third line. *Oven* is a perfectly good English word, so no dictionary would have stopped at it. Only the neighbours of the word can tell that
# *open* was meant.

# %% [markdown]
# ## 8. Caught
#
# Your machine writes and repairs, and people have been impressed by less. Now let us find out what it can never do.
#
# Look at the word *for* in two requests: *is it open for lunch* and *i am looking for a restaurant*. What comes after *for* depends on what came *before*
# it. But a bigram model that has arrived at *for* has forgotten everything before *for*. It must believe that, **given the middle word, the word before and the word after
# have nothing to do with each other.**
#
# That is a claim about language, and we can test it with counts. Suppose the middle word stands in $N$ places, $c(x)$ of them have the word $x$ before it, and
# $c(y)$ of them the word $y$ after it. If the two had nothing to do with each other, the share of places with both would be the product of the two shares, and so we would expect the count
#
# $$E(x, y) = N \cdot \frac{c(x)}{N} \cdot \frac{c(y)}{N} = \frac{c(x)\,c(y)}{N}.$$

# %% [markdown] statement="middle_word"
# ### Ask the middle word
#
# Write
#
# - `triple_table(sentences, middle)`: how often each pair of words stands around the word `middle`, as a dictionary `{(before, after): count}`. The edges of a sentence count as `<s>` and `</s>`;
# - `expected_counts(table)`: from such a dictionary, the dictionary of $E$ for *every* word before combined with *every* word after, also for combinations that never occurred.
#
# Then we compare what you count with what you expect, in the text that we have, and in texts that the bigram model has written itself.

# %% [markdown] hints="middle_word"
# 1. In a table of cats and dogs by black and white, how many black cats do you expect if colour has nothing to do with
#    kind?
# 2. A pair that never occurred has count 0, but an expected count above 0: it belongs in the answer.
# 3. A place of `middle` may be the first or the last of a sentence, and two places may share a word: every place
#    counts by itself. For E, which totals does one cell need, and which can be collected before you visit any cell?


# %% task="middle_word" points=4 level=3 minutes=17
def triple_table(sentences, middle):
    """{(before, after): count} for the places where the word `middle` stands."""
    ### BEGIN SOLUTION
    table = Counter()
    for sentence in sentences:
        padded = ["<s>", *sentence, "</s>"]
        for before, word, after in zip(padded, padded[1:], padded[2:], strict=False):
            if word == middle:
                table[before, after] += 1
    return table
    ### END SOLUTION


def expected_counts(table):
    """{(before, after): expected count} for every `before` of the table with every `after`."""
    ### BEGIN SOLUTION
    rows, columns = Counter(), Counter()
    for (before, after), count in table.items():
        rows[before] += count
        columns[after] += count
    return {(b, a): rows[b] * columns[a] / rows.total() for b in rows for a in columns}
    ### END SOLUTION


# %% test="middle_word" aspect="triples are counted" points=1
_table = triple_table(
    [["spend", "it", "on", "lunch"], ["go", "on", "foot"], ["go", "on", "foot"]], "on"
)
assert hasattr(_table, "keys"), (
    f"Return a dict (before, after) -> count, not {_table!r}."
)
assert dict(_table) == {("it", "lunch"): 1, ("go", "foot"): 2}, (
    f"Three places; yours: {dict(_table)}."
)
### BEGIN HIDDEN TESTS
_text = listing(size("sentences"), words(size("length", least=0), "abcabc"))
agrees(triple_table, ours.triple_table, _text, choice("b", "z"))
### END HIDDEN TESTS

# %% test="middle_word" aspect="edges and repeated words" points=1
_table = triple_table([["on", "on", "on"]], "on")
assert hasattr(_table, "keys"), (
    f"Return a dict (before, after) -> count, not {_table!r}."
)
_wanted = {("<s>", "on"): 1, ("on", "on"): 1, ("on", "</s>"): 1}
assert dict(_table) == _wanted, (
    f"`on on on` has three places, the edges count: {dict(_table)}."
)
### BEGIN HIDDEN TESTS
_text = listing(
    size("sentences", least=0),
    words(size("length", least=0), ["b", "b", "a", "B", "bb"]),
)
agrees(triple_table, ours.triple_table, _text, "b")
### END HIDDEN TESTS

# %% test="middle_word" aspect="row total times column total" points=1
_table = {("x", "u"): 10, ("x", "v"): 20, ("y", "u"): 30, ("y", "v"): 40}
_expected = expected_counts(_table)
assert hasattr(_expected, "keys"), (
    f"Return a dict (before, after) -> number, not {_expected!r}."
)
assert close(_expected.get(("x", "u"), 0), 12), (
    f"Rows 30, 70; columns 40, 60; total 100: E(x, u) = 12, yours is {_expected.get(('x', 'u'))}."
)
### BEGIN HIDDEN TESTS
_table = made(
    lambda rng, n, m: {
        (b, a): rng.randint(1, 50) for b in "abcdefg"[:n] for a in "cadexyz"[:m]
    },
    size("befores", large=None),
    size("afters", large=None),
)
agrees(expected_counts, ours.expected_counts, _table)
### END HIDDEN TESTS

# %% test="middle_word" aspect="combinations never seen" points=1
_expected = expected_counts({("spend", "lunch"): 6, ("open", "friday"): 4})
assert hasattr(_expected, "keys"), (
    f"Return a dict (before, after) -> number, not {_expected!r}."
)
assert len(_expected) == 4, (
    f"2 befores x 2 afters are 4 combinations; yours has {len(_expected)}."
)
_value = _expected.get(("spend", "friday"))
assert is_number(_value) and close(_value, 2.4), (
    f"E(spend, friday) = 6 · 4 / 10 = 2.4; yours is {_value}."
)
### BEGIN HIDDEN TESTS
_pairs = [
    (b, a) for b in ("go", "foot", "<s>", "by") for a in ("foot", "go", "</s>", "by")
]
_table = made(
    lambda rng, n: (
        {pair: rng.randint(0, 9) for pair in rng.sample(_pairs, n)} | {("go", "on"): 3}
    ),
    size("pairs", most=9, large=16),
)
_kinds = choice(
    _table,
    made(lambda rng, table: Counter(table), _table),
    made(lambda rng, table: defaultdict(int, table), _table),
)
agrees(expected_counts, ours.expected_counts, _kinds)
### END HIDDEN TESTS

# %% [markdown]
# Here are our sentences. Compare the two columns of numbers: what was counted, and what one would expect if *for* forgot the word before it.

# %%
table = triple_table(train_sentences, "for")
expected = expected_counts(table)
rows = [
    (before, after, table.get((before, after), 0), round(expected[before, after], 1))
    for before in ("open", "looking")
    for after in ("lunch", "a")
]
pd.DataFrame(rows, columns=["before", "after", "counted", "expected"])

# %% [markdown]
# After *open for* comes *lunch* and never *a*. After *looking for*, it is nearly always *a*. The expectation is wrong by far. And what does the model write? We let it
# write as many sentences as we have, ten times over, and count again.


# %% folded="lets the bigram model write quickly"
def quick_writer(model):
    """A function that draws a sentence from a bigram model, as your dice would, but faster."""
    rows = {w: ([*row], [*row.values()]) for w, row in model.items()}

    def draw(rng):
        words = ["<s>"]
        while words[-1] != "</s>":
            following, weights = rows[words[-1]]
            words += rng.choices(following, weights)
        return words[1:-1]

    return draw


# %% alt="Bars for two contexts. In our sentences, lunch follows open for in all cases and looking for in hardly any. In ten texts that the bigram model wrote, the two bars are equally high, up to chance."
draw = quick_writer(restaurant_model)
written = [
    triple_table([draw(rng) for _ in train_sentences], "for")
    for rng in map(random.Random, range(10))
]


def share_of_lunch(table, before):
    """Of the places where lunch or a follows, the share of lunch, in percent."""
    lunch, a = (table.get((before, after), 0) for after in ("lunch", "a"))
    return 100 * lunch / (lunch + a)


_, axes = plt.subplots(figsize=(6, 2.8))
for offset, before in ((-0.2, "looking"), (0.2, "open")):
    drawn = [share_of_lunch(one, before) for one in written]
    heights = [share_of_lunch(table, before), np.mean(drawn)]
    bars = axes.bar(np.arange(2) + offset, heights, 0.38, label=f"after “{before} for”")
    axes.plot([1 + offset] * 10, drawn, ".", color="black", markersize=4)
    print(
        f"{before:8} for: “lunch” instead of “a” in {heights[0]:.0f} % of our sentences,"
        f" in {min(drawn):.0f} to {max(drawn):.0f} % of what the model writes"
    )
axes.set_xticks([0, 1], ["our sentences", "what the model writes"])
axes.set(
    title="The model cannot carry “open” past “for”",
    ylabel="“lunch”, not “a” (%)",
    ylim=(0, 105),
)
axes.legend()
plt.show()

# %% [markdown]
# There it is. Our sentences distinguish the two cases almost completely. In what the model writes, the two bars are equally high, apart from luck (the dots show all ten texts). The
# model does know that *for* follows *open*, and it does know that *lunch* follows *for*. But it cannot put the two together, and **no amount of text will change that**: the number
# that it would need has no place in its table.
#
# You could give it two words of memory, and this case would be solved. But then the same happens one word further on, with *open today for*, and section 6 has shown what
# a longer memory costs.

# %% [markdown]
# ## What you have now
#
# You have built a language model from nothing but counts, and you know why no other choice of its numbers fits the counted text better. It writes, it repairs, and you can say
# in one number how surprised it is by a text. And you have caught it twice:
#
# - **It calls possible what it has seen, and nothing else.** One unseen pair makes a sentence impossible. Chapter 02 shows how to give some probability to what was never
#   seen, and how much.
# - **It forgets.** At *for*, it no longer knows whether it said *open*. A longer memory of the same kind recites. From chapter 04 on, you will build models that look further
#   back without counting every context separately: first by giving similar words similar numbers, then by carrying a state along, and at last, in chapter 08, by letting every word
#   look back at every other one. That model is called a Transformer, and it will write about your text, too.
