# Chapter 01 for 2028: the table around a middle word names the word after it first.

# %% [markdown] statement="middle_word"
# ### Ask the middle word
#
# Write
#
# - `triple_table(sentences, middle)`: how often each pair of words stands around the word `middle`, as a dictionary `{(after, before): count}`, in which the word *after* it comes first. The
#   edges of a sentence count as `<s>` and `</s>`;
# - `expected_counts(table)`: from such a dictionary, the dictionary of $E$ for *every* word after combined with *every* word before, also for combinations that never occurred.
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
_text = listing(size("sentences"), words(size("length", least=0), "abcabc"))
agrees(triple_table, ours.triple_table, _text, choice("b", "z"))
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

# %% replaces="ask-the-middle-word-6" alt="Bars for two contexts. In our sentences lunch follows open for in all cases and looking for in hardly any. What a bigram model must believe is the same share for both, about a fifth."
_, axes = plt.subplots(figsize=(6, 2.8))
for offset, before in ((-0.2, "looking"), (0.2, "open")):
    shares = []
    for counted in (table, expected):
        lunch, a = (counted.get((after, before), 0) for after in ("lunch", "a"))
        shares.append(100 * lunch / (lunch + a))
    axes.bar(np.arange(2) + offset, shares, 0.38, label=f"after “{before} for”")
    print(
        f"{before:7} for: “lunch”, not “a”, in {shares[0]:.0f} % of our sentences; a bigram model believes in {shares[1]:.0f} %"
    )
axes.set_xticks([0, 1], ["our sentences", "what a bigram model believes"])
axes.set(
    title="The model cannot carry “open” past “for”",
    ylabel="“lunch”, not “a” (%)",
    ylim=(0, 105),
)
axes.legend()
plt.show()


# %% replaces="ask-the-middle-word-9"
def standing_out(sentences):
    """(excess, words, count, expected) for triples around frequent words, the largest excess first."""
    found = []
    for middle, _ in Counter(word for s in sentences for word in s).most_common(30):
        own = triple_table(sentences, middle)
        believed = expected_counts(own)
        for (after, before), count in own.items():
            if before != "<s>" and after != "</s>":
                excess = count - believed[after, before]
                found.append(
                    (
                        excess,
                        f"{before} {middle} {after}",
                        count,
                        believed[after, before],
                    )
                )
    return sorted(found, reverse=True)


luck = standing_out(written_text(my_machines[1], my_train, seed=1))
rows = [
    (text, count, round(belief, 1))
    for _, text, count, belief in standing_out(my_train)[:8]
]
_, text, count, belief = luck[0]
print(
    f"by luck, in what the machine wrote, at most: {text}, {count} times instead of {belief:.0f}"
)
pd.DataFrame(rows, columns=["in your text", "counted", "a bigram model expects"])
