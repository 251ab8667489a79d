"""Answers to the task information of chapter 01 in the variant 2028."""


# %% right="positions and a plain dict; entropies of rows, columns and cells"
def pairs_apart(sentences, gap):
    table = {}
    for sentence in sentences:
        for i in range(len(sentence) - gap):
            pair = sentence[i + gap], sentence[i]
            table[pair] = table.get(pair, 0) + 1
    return table


def mutual_information(table):
    frame = pd.Series(dict(table)).unstack(fill_value=0).to_numpy(dtype=float)

    def entropy(counts):
        p = counts[counts > 0] / counts.sum()
        return -(p * np.log2(p)).sum()

    return entropy(frame.sum(0)) + entropy(frame.sum(1)) - entropy(frame)


# %% right="expected counts first, natural logarithms"
def pairs_apart(sentences, gap):
    found = defaultdict(int)
    for sentence in sentences:
        for later in range(gap, len(sentence)):
            found[sentence[later], sentence[later - gap]] += 1
    return found


def mutual_information(table):
    N = sum(table.values())
    total = 0.0
    for (x, y), count in table.items():
        row = sum(c for (a, _), c in table.items() if a == x)
        column = sum(c for (_, b), c in table.items() if b == y)
        if count:
            total += count / N * math.log(count / (row * column / N))
    return total / math.log(2)


# %% right="conditional shares against shares"
def pairs_apart(sentences, gap):
    return Counter((s[i + gap], s[i]) for s in sentences for i in range(max(0, len(s) - gap)))


def mutual_information(table):
    rows, columns = {}, {}
    for (x, y), count in table.items():
        rows.setdefault(x, {})[y] = count
        columns[y] = columns.get(y, 0) + count
    N = sum(columns.values())
    bits = 0
    for row in rows.values():
        n = sum(row.values())
        for y, count in row.items():
            if count > 0:
                bits += count / N * (np.log2(count / n) - np.log2(columns[y] / N))
    return np.float64(bits)


# %% wrong="pairs cross from one sentence to the next" caught_by="pairs at a distance"
# -     return Counter(
# -         pair
# -         for sentence in sentences
# -         for pair in zip(sentence[gap:], sentence, strict=False)
# -     )
# +     text = [word for sentence in sentences for word in sentence]
# +     return Counter(zip(text[gap:], text))


# %% wrong="padded" caught_by="pairs at a distance"
# -         for sentence in sentences
# -         for pair in zip(sentence[gap:], sentence, strict=False)
# +         for s in (["<s>", *sentence, "</s>"] for sentence in sentences)
# +         for pair in zip(s[gap:], s)


# %% wrong="one place too far" caught_by="pairs at a distance" change="sentence[gap:] -> sentence[gap + 1 :]"


# %% wrong="last year's answer: earlier word first" caught_by="pairs at a distance" change="zip(sentence[gap:], sentence, strict=False) -> zip(sentence, sentence[gap:])"


# %% wrong="all pairs up to the gap" caught_by="pairs at a distance"
# -         for pair in zip(sentence[gap:], sentence, strict=False)
# +         for near in range(1, gap + 1)
# +         for pair in zip(sentence[near:], sentence)


# %% wrong="short sentences wrap round" caught_by="pairs at a distance"
# -         for pair in zip(sentence[gap:], sentence, strict=False)
# +         for pair in ((sentence[i], sentence[i - gap]) for i in range(len(sentence)) if abs(i - gap) <= len(sentence))


# %% wrong="each pair once a sentence" caught_by="pairs at a distance" change="for pair in zip(sentence[gap:], sentence, strict=False) -> for pair in set(zip(sentence[gap:], sentence))"


# %% wrong="words removed from the caller's sentences" caught_by="pairs at a distance"
# -     return Counter(
# -         pair
# -         for sentence in sentences
# -         for pair in zip(sentence[gap:], sentence, strict=False)
# -     )
# +     table = Counter()
# +     for sentence in sentences:
# +         while len(sentence) > gap:
# +             table[sentence[gap], sentence[0]] += 1
# +             sentence.pop(0)
# +     return table


# %% wrong="natural logarithm" caught_by="bits of a table" change="math.log2 -> math.log"


# %% wrong="not weighted by the share" caught_by="bits of a table" change="count / N * math.log2( -> math.log2("


# %% wrong="weighted by the count" caught_by="bits of a table" change="count / N * math -> count * math"


# %% wrong="each cell weighs the same" caught_by="bits of a table" change="count / N * math.log2( -> 1 / len(table) * math.log2("


# %% wrong="rows and columns in one Counter" caught_by="bits of a table" change="rows, columns = Counter(), Counter() -> rows = columns = Counter()"


# %% wrong="N forgotten in the expected count" caught_by="bits of a table" change="count * N / -> count /"


# %% wrong="the row's entropy" caught_by="bits of a table"
# -         count / N * math.log2(count * N / (rows[x] * columns[y]))
# +         count / N * math.log2(N / rows[x])


# %% wrong="the conditional entropy" caught_by="bits of a table"
# -         count / N * math.log2(count * N / (rows[x] * columns[y]))
# +         count / N * math.log2(rows[x] / count)


# %% wrong="a zero cell is an error" caught_by="zeros and independence" change="if count > 0 -> if True"


# %% wrong="one is added to each cell" caught_by="bits of a table | zeros and independence"
# -     for (x, y), count in table.items():
# -         rows[x] += count
# +     table = {pair: count + 1 for pair, count in table.items()}
# +     for (x, y), count in table.items():
# +         rows[x] += count


# %% wrong="only cells above what is expected" caught_by="bits of a table" change="if count > 0 -> if count * N > rows[x] * columns[y]"


# %% wrong="zero cells are deleted from the caller's table" caught_by="zeros and independence"
# -     rows, columns = Counter(), Counter()
# +     for pair in [pair for pair, count in table.items() if not count]:
# +         del table[pair]
# +     rows, columns = Counter(), Counter()


# %% wrong="the whole grid is looked up in the caller's table" caught_by="zeros and independence"
def pairs_apart(sentences, gap):
    return Counter(pair for s in sentences for pair in zip(s[gap:], s))


def mutual_information(table):
    xs, ys = dict.fromkeys(x for x, _ in table), dict.fromkeys(y for _, y in table)
    c = np.array([[table.setdefault((x, y), 0) for y in ys] for x in xs], dtype=float)
    p = c / c.sum()
    chance = np.outer(p.sum(1), p.sum(0))
    return (p[p > 0] * np.log2(p[p > 0] / chance[p > 0])).sum()
