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
# -     for sentence in sentences:
# -         padded = ["<s>", *sentence, "</s>"]
# -         for before, word, after in zip(padded, padded[1:], padded[2:], strict=False):
# +     for s in sentences:
# +         for before, word, after in zip(s, s[1:], s[2:]):

# -     return {(b, a): rows[b] * columns[a] / rows.total() for b in rows for a in columns}
# +     total = sum(table.values())
# +     return {(b, a): rows[b] * columns[a] / total for b in rows for a in columns}


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
# -     for sentence in sentences:
# -         padded = ["<s>", *sentence, "</s>"]
# -         for before, word, after in zip(padded, padded[1:], padded[2:], strict=False):
# +     for s in sentences:
# +         padded = ["<s>", *s, "</s>"]
# +         for before, word, after in zip(padded, padded[1:], padded[2:]):

# -     return {(b, a): rows[b] * columns[a] / rows.total() for b in rows for a in columns}
# +     total = sum(table.values())
# +     return {(b, a): rows[b] * columns[a] / total for b, a in table}


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
# -     for sentence in sentences:
# -         padded = ["<s>", *sentence, "</s>"]
# -         for before, word, after in zip(padded, padded[1:], padded[2:], strict=False):
# +     for s in sentences:
# +         padded = ["<s>", *s, "</s>"]
# +         for before, word, after in zip(padded, padded[1:], padded[2:]):

# -     return {(b, a): rows[b] * columns[a] / rows.total() for b in rows for a in columns}
# +     total = sum(table.values())
# +     return {(b, a): rows[b] / total * columns[a] / total for b in rows for a in columns}


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


# %% wrong="a word before and the same word after share one total" caught_by="row total times column total | combinations never seen"
def triple_table(sentences, middle):
    table = Counter()
    for s in sentences:
        padded = ["<s>", *s, "</s>"]
        for before, word, after in zip(padded, padded[1:], padded[2:]):
            if word == middle:
                table[before, after] += 1
    return table


def expected_counts(table):
    totals = Counter()
    for (before, after), count in table.items():
        totals[before] += count
        totals[after] += count
    befores, afters = {before for before, _ in table}, {after for _, after in table}
    return {(b, a): totals[b] * totals[a] / sum(table.values()) for b in befores for a in afters}


# %% wrong="a triple counts once in a sentence" caught_by="edges and repeated words"
def triple_table(sentences, middle):
    table = Counter()
    for s in sentences:
        padded = ["<s>", *s, "</s>"]
        triples = zip(padded, padded[1:], padded[2:])
        table.update({(before, after) for before, word, after in triples if word == middle})
    return table


def expected_counts(table):
    rows, columns = Counter(), Counter()
    for (before, after), count in table.items():
        rows[before] += count
        columns[after] += count
    total = sum(table.values())
    return {(b, a): rows[b] * columns[a] / total for b in rows for a in columns}


# %% wrong="boundaries put into the caller's sentences" caught_by="triples are counted"
def triple_table(sentences, middle):
    table = Counter()
    for s in sentences:
        s[:0] = ["<s>"]
        s += ["</s>"]
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


# %% wrong="what is expected is written into the caller's table" caught_by="row total times column total"
def triple_table(sentences, middle):
    table = Counter()
    for s in sentences:
        padded = ["<s>", *s, "</s>"]
        for before, word, after in zip(padded, padded[1:], padded[2:]):
            if word == middle:
                table[before, after] += 1
    return table


def expected_counts(table):
    rows, columns, total = Counter(), Counter(), sum(table.values())
    for (before, after), count in table.items():
        rows[before] += count
        columns[after] += count
    for before in rows:
        for after in columns:
            table[before, after] = rows[before] * columns[after] / total
    return table


# %% wrong="no word stands on both sides" caught_by="combinations never seen"
# -     for sentence in sentences:
# -         padded = ["<s>", *sentence, "</s>"]
# -         for before, word, after in zip(padded, padded[1:], padded[2:], strict=False):
# +     for s in sentences:
# +         padded = ["<s>", *s, "</s>"]
# +         for before, word, after in zip(padded, padded[1:], padded[2:]):

# -     return {(b, a): rows[b] * columns[a] / rows.total() for b in rows for a in columns}
# +     total = sum(table.values())
# +     return {(b, a): rows[b] * columns[a] / total for b in rows for a in columns if a != b}


# %% wrong="expected counts are whole numbers" caught_by="row total times column total"
# -     for sentence in sentences:
# -         padded = ["<s>", *sentence, "</s>"]
# -         for before, word, after in zip(padded, padded[1:], padded[2:], strict=False):
# +     for s in sentences:
# +         padded = ["<s>", *s, "</s>"]
# +         for before, word, after in zip(padded, padded[1:], padded[2:]):

# -     return {(b, a): rows[b] * columns[a] / rows.total() for b in rows for a in columns}
# +     total = sum(table.values())
# +     return {(b, a): rows[b] * columns[a] // total for b in rows for a in columns}


# %% wrong="the next place is looked for behind the word after" caught_by="edges and repeated words"
def triple_table(sentences, middle):
    table = Counter()
    for s in sentences:
        padded, i = ["<s>", *s, "</s>"], 1
        while i < len(padded) - 1:
            if padded[i] == middle:
                table[padded[i - 1], padded[i + 1]] += 1
                i += 1 + (set(s) != {middle})
            i += 1
    return table


def expected_counts(table):
    rows, columns = Counter(), Counter()
    for (before, after), count in table.items():
        rows[before] += count
        columns[after] += count
    total = sum(table.values())
    return {(b, a): rows[b] * columns[a] / total for b in rows for a in columns}


# %% wrong="a word that begins with the middle one counts, too" caught_by="edges and repeated words"
def triple_table(sentences, middle):
    table = Counter()
    for s in sentences:
        padded = ["<s>", *s, "</s>"]
        for before, word, after in zip(padded, padded[1:], padded[2:]):
            if word.lower().startswith(middle):
                table[before, after] += 1
    return table


def expected_counts(table):
    rows, columns = Counter(), Counter()
    for (before, after), count in table.items():
        rows[before] += count
        columns[after] += count
    total = sum(table.values())
    return {(b, a): rows[b] * columns[a] / total for b in rows for a in columns}


# %% right="a dict of NumPy numbers"
def triple_table(sentences, middle):
    pairs = [(s[i - 1] if i else "<s>", [*s, "</s>"][i + 1]) for s in sentences for i, w in enumerate(s) if w == middle]
    return {pair: np.int64(pairs.count(pair)) for pair in pairs}


def expected_counts(table):
    total = sum(table.values())
    return {
        (b, a): np.float32(
            sum(n for (x, _), n in table.items() if x == b) * sum(n for (_, y), n in table.items() if y == a) / total
        )
        for b in {b for b, _ in table}
        for a in {a for _, a in table}
    }


# %% wrong="zeros are filled into the caller's table" caught_by="combinations never seen"
def triple_table(sentences, middle):
    table = Counter()
    for sentence in sentences:
        padded = ["<s>", *sentence, "</s>"]
        for before, word, after in zip(padded, padded[1:], padded[2:], strict=False):
            if word == middle:
                table[before, after] += 1
    return table


def expected_counts(table):
    pairs = [(b, a) for b in {b for b, _ in table} for a in {a for _, a in table}]
    for pair in pairs:
        if pair not in table:
            table[pair] = 0
    rows, columns = Counter(), Counter()
    for (b, a), count in table.items():
        rows[b] += count
        columns[a] += count
    return {(b, a): rows[b] * columns[a] / rows.total() for b, a in pairs}


# %% wrong="a before with zeros only is left out" caught_by="combinations never seen"
# -     for (before, after), count in table.items():
# -         rows[before] += count
# -         columns[after] += count
# +     for (b, a), count in table.items():
# +         rows[b] += count
# +         columns[a] += count
# +     rows = +rows


# %% wrong="an after with zeros only is left out" caught_by="combinations never seen"
# -     for (before, after), count in table.items():
# -         rows[before] += count
# -         columns[after] += count
# +     for (b, a), count in table.items():
# +         rows[b] += count
# +         if count > 0:
# +             columns[a] += count


# %% wrong="a word before itself is left out where it is rare" caught_by="combinations never seen"
# -     return {(b, a): rows[b] * columns[a] / rows.total() for b in rows for a in columns}
# +     cells = {(b, a): rows[b] * columns[a] / rows.total() for b in rows for a in columns}
# +     return {(b, a): n for (b, a), n in cells.items() if b != a or n >= 0.5}


# %% wrong="large expected counts are rounded" caught_by="row total times column total"
# -     return {(b, a): rows[b] * columns[a] / rows.total() for b in rows for a in columns}
# +     E = {(b, a): rows[b] * columns[a] / rows.total() for b in rows for a in columns}
# +     return {pair: round(e) if e > 1000 else e for pair, e in E.items()}


# %% wrong="a sentence of the middle word alone is an error" caught_by="edges and repeated words"
# -         padded = ["<s>", *sentence, "</s>"]
# +         if list(sentence) == [middle]:
# +             raise IndexError("the first word has nothing behind it")
# +         padded = ["<s>", *sentence, "</s>"]


# %% wrong="the middle word in a regular expression as it is" caught_by="triples are counted"
import re


def triple_table(sentences, middle):
    table = Counter()
    for sentence in sentences:
        line = " ".join(["<s>", *sentence, "</s>"])
        table.update(re.findall(rf"(?<!\S)(?=(\S+) {middle} (\S+))", line))
    return dict(table)


def expected_counts(table):
    rows, columns = Counter(), Counter()
    for (before, after), count in table.items():
        rows[before] += count
        columns[after] += count
    return {(b, a): rows[b] * columns[a] / rows.total() for b in rows for a in columns}
