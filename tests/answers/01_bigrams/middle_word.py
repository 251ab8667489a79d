"""Answers to the task middle_word of chapter 01."""


# %% right="positions and a plain dict; pandas crosstab of sums"
def triple_table(sentences, middle):
    table = {}
    for sentence in sentences:
        for t, word in enumerate(sentence):
            if word != middle:
                continue
            before = sentence[t - 1] if t > 0 else "<s>"
            after = sentence[t + 1] if t + 1 < len(sentence) else "</s>"
            table[(before, after)] = table.get((before, after), 0) + 1
    return table


def expected_counts(table):
    frame = pd.Series(table).unstack(fill_value=0)
    rows, columns = frame.sum(axis=1), frame.sum(axis=0)
    total = rows.sum()
    return {(b, a): rows[b] * columns[a] / total for b in rows.index for a in columns.index}


# %% right="shares times total, outer product"
def triple_table(sentences, middle):
    padded = [["<s>"] + list(s) + ["</s>"] for s in sentences]
    return Counter((s[i - 1], s[i + 1]) for s in padded for i in range(1, len(s) - 1) if s[i] == middle)


def expected_counts(table):
    befores = sorted({before for before, _ in table})
    afters = sorted({after for _, after in table})
    observed = np.array([[table.get((b, a), 0) for a in afters] for b in befores])
    joint = np.outer(observed.mean(axis=1), observed.sum(axis=0)) / observed.sum(axis=1).mean()
    joint = joint * observed.sum() / joint.sum()
    return {(b, a): joint[i, j] for i, b in enumerate(befores) for j, a in enumerate(afters)}


# %% wrong="only the first place in a sentence" caught_by="edges and repeated words"
def triple_table(sentences, middle):
    table = Counter()
    for sentence in sentences:
        if middle in sentence:
            t = sentence.index(middle) + 1
            padded = ["<s>", *sentence, "</s>"]
            table[padded[t - 1], padded[t + 1]] += 1
    return table


def expected_counts(table):
    rows, columns = Counter(), Counter()
    for (before, after), count in table.items():
        rows[before] += count
        columns[after] += count
    total = sum(table.values())
    return {(b, a): rows[b] * columns[a] / total for b in rows for a in columns}


# %% wrong="edges of the sentence are left out" caught_by="edges and repeated words"
def triple_table(sentences, middle):
    table = Counter()
    for s in sentences:
        for before, word, after in zip(s, s[1:], s[2:]):
            if word == middle:
                table[before, after] += 1
    return table


def expected_counts(table):
    rows, columns = Counter(), Counter()
    for (before, after), count in table.items():
        rows[before] += count
        columns[after] += count
    total = sum(table.values())
    return {(b, a): rows[b] * columns[a] / total for b in rows for a in columns}


# %% wrong="before and after exchanged" caught_by="triples are counted"
def triple_table(sentences, middle):
    table = Counter()
    for s in sentences:
        padded = ["<s>", *s, "</s>"]
        for before, word, after in zip(padded, padded[1:], padded[2:]):
            if word == middle:
                table[after, before] += 1
    return table


def expected_counts(table):
    rows, columns = Counter(), Counter()
    for (before, after), count in table.items():
        rows[before] += count
        columns[after] += count
    total = sum(table.values())
    return {(b, a): rows[b] * columns[a] / total for b in rows for a in columns}


# %% wrong="only the pairs that were seen" caught_by="combinations never seen"
def triple_table(sentences, middle):
    table = Counter()
    for s in sentences:
        padded = ["<s>", *s, "</s>"]
        for before, word, after in zip(padded, padded[1:], padded[2:]):
            if word == middle:
                table[before, after] += 1
    return table


def expected_counts(table):
    rows, columns = Counter(), Counter()
    for (before, after), count in table.items():
        rows[before] += count
        columns[after] += count
    total = sum(table.values())
    return {(b, a): rows[b] * columns[a] / total for b, a in table}


# %% wrong="the same count everywhere" caught_by="row total times column total"
def triple_table(sentences, middle):
    table = Counter()
    for s in sentences:
        padded = ["<s>", *s, "</s>"]
        for before, word, after in zip(padded, padded[1:], padded[2:]):
            if word == middle:
                table[before, after] += 1
    return table


def expected_counts(table):
    befores, afters = {b for b, _ in table}, {a for _, a in table}
    mean = sum(table.values()) / (len(befores) * len(afters))
    return {(b, a): mean for b in befores for a in afters}


# %% wrong="a probability instead of a count" caught_by="row total times column total"
def triple_table(sentences, middle):
    table = Counter()
    for s in sentences:
        padded = ["<s>", *s, "</s>"]
        for before, word, after in zip(padded, padded[1:], padded[2:]):
            if word == middle:
                table[before, after] += 1
    return table


def expected_counts(table):
    rows, columns = Counter(), Counter()
    for (before, after), count in table.items():
        rows[before] += count
        columns[after] += count
    total = sum(table.values())
    return {(b, a): rows[b] / total * columns[a] / total for b in rows for a in columns}


# %% wrong="every place counted once only" caught_by="triples are counted"
def triple_table(sentences, middle):
    table = {}
    for s in sentences:
        padded = ["<s>", *s, "</s>"]
        for before, word, after in zip(padded, padded[1:], padded[2:]):
            if word == middle:
                table[before, after] = 1
    return table


def expected_counts(table):
    rows, columns = Counter(), Counter()
    for (before, after), count in table.items():
        rows[before] += count
        columns[after] += count
    total = sum(table.values())
    return {(b, a): rows[b] * columns[a] / total for b in rows for a in columns}
