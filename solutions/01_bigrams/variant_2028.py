# Chapter 01 for 2028: the table around a middle word names the word after it first.

# %% [markdown] statement="middle_word"
# ### Ask the middle word
#
# Write
#
# - `triple_table(sentences, middle)`: how often each pair of words stands around the word `middle`, as a dictionary `{(after, before): count}`, in which the word
#   *after* it comes first. The edges of a sentence count as `<s>` and `</s>`;
# - `expected_counts(table)`: from such a dictionary, the dictionary of $E$ for *every* word after combined with *every* word before, also for combinations that
#   never occurred.
#
# Then we compare what you count with what you expect, in our sentences, in your own text, and in a text that the bigram machine has written itself.


# %% task="middle_word" points=4 level=3 minutes=17
def triple_table(sentences, middle):
    """{(after, before): count} for the places where the word `middle` stands."""
    ### BEGIN SOLUTION
    table = Counter()
    for sentence in sentences:
        padded = ["<s>", *sentence, "</s>"]
        for before, word, after in zip(padded, padded[1:], padded[2:], strict=False):
            if word == middle:
                table[after, before] += 1
    return table
    ### END SOLUTION


def expected_counts(table):
    """{(after, before): expected count} for every `after` of the table with every `before`."""
    ### BEGIN SOLUTION
    rows, columns = Counter(), Counter()
    for (after, before), count in table.items():
        rows[after] += count
        columns[before] += count
    return {(a, b): rows[a] * columns[b] / rows.total() for a in rows for b in columns}
    ### END SOLUTION


# %% test="middle_word" aspect="triples are counted" points=1
_table = triple_table(
    [["spend", "it", "on", "lunch"], ["go", "on", "foot"], ["go", "on", "foot"]], "on"
)
assert hasattr(_table, "keys"), (
    f"Return a dict (after, before) -> count, not {_table!r}."
)
assert dict(_table) == {("lunch", "it"): 1, ("foot", "go"): 2}, (
    f"Three places; yours: {dict(_table)}."
)
### BEGIN HIDDEN TESTS
_text = listing(size("sentences"), words(size("length", least=0), "abc.bc"))
agrees(triple_table, ours.triple_table, _text, choice("b", "z", "."))
### END HIDDEN TESTS

# %% test="middle_word" aspect="edges and repeated words" points=1
_table = triple_table([["on", "on", "on"]], "on")
assert hasattr(_table, "keys"), (
    f"Return a dict (after, before) -> count, not {_table!r}."
)
_wanted = {("on", "<s>"): 1, ("on", "on"): 1, ("</s>", "on"): 1}
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

# %% replaces="ask-the-middle-word-4"
table = triple_table(train_sentences, "for")
expected = expected_counts(table)
rows = [
    (before, after, table.get((after, before), 0), round(expected[after, before], 1))
    for before in ("open", "looking")
    for after in ("lunch", "a")
]
pd.DataFrame(rows, columns=["before", "after", "counted", "expected"])


# %% replaces="ask-the-middle-word-9"
def standing_out(sentences):
    """[words, count, expected, excess] for triples around frequent words, the largest excess first."""
    frequent = Counter(word for s in sentences for word in s if word[0].isalpha())
    found = []
    for middle, _ in frequent.most_common(30):
        own = triple_table(sentences, middle)
        before, after = map(set, zip(*own, strict=True))
        if len(before) * len(after) > 1_000_000:
            continue  # so many expected counts would fill the memory
        believed = expected_counts(own)
        for (after, before), count in own.items():
            if before[0].isalpha() and after[0].isalpha():
                e = round(believed[after, before], 1)
                found.append([f"{before} {middle} {after}", count, e, count - e])
    return sorted(found, key=lambda row: row[3], reverse=True)


columns = ["words", "counted", "expected", "excess"]
luck = standing_out(written_text(my_machines[1], my_train, seed=1))
display(pd.DataFrame(standing_out(my_train)[:8], columns=columns).round(1))
print("The largest excess by chance, in what the machine has written:")
pd.DataFrame(luck[:1], columns=columns).round(1)
