"""Answers to the task middle_word of chapter 01 for 2028."""


# %% right="pairs of bigrams"
def triple_table(sentences, middle):
    table = {}
    for sentence in sentences:
        padded = ["<s>", *sentence, "</s>"]
        for i in range(1, len(padded) - 1):
            if padded[i] == middle:
                key = padded[i + 1], padded[i - 1]
                table[key] = table.get(key, 0) + 1
    return table


def expected_counts(table):
    afters, befores = {a for a, _ in table}, {b for _, b in table}
    total = sum(table.values())
    return {
        (a, b): sum(n for (x, _), n in table.items() if x == a)
        * sum(n for (_, y), n in table.items() if y == b)
        / total
        for a in afters
        for b in befores
    }


# %% right="a Counter of a generator" change="table = Counter() -> table = defaultdict(int)"

# %% wrong="before first, as in other years" caught_by="triples are counted" change="table[after, before] += 1 -> table[before, after] += 1"

# %% wrong="the edges are left out" caught_by="edges and repeated words" change="padded = [\"<s>\", *sentence, \"</s>\"] -> padded = list(sentence)"

# %% wrong="only what occurred is expected" caught_by="combinations never seen" change="for a in rows for b in columns} -> for a in rows for b in columns if table.get((a, b))}"
