"""Answers to the task edit_distance of chapter 09."""


# %% right="the whole table"
def edit_distance(a, b):
    D = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    D[:, 0], D[0] = np.arange(len(a) + 1), np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            D[i, j] = min(D[i - 1, j] + 1, D[i, j - 1] + 1, D[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
    return D[-1, -1]


def post_editing(outputs, references):
    edits = [min(edit_distance(o, r) for r in some) for o, some in zip(outputs, references, strict=True)]
    return sum(edits) / sum(np.mean([len(r) for r in some]) for some in references)


# %% right="remembered calls"


def edit_distance(a, b):
    rows = {(0, j): j for j in range(len(b) + 1)} | {(i, 0): i for i in range(len(a) + 1)}
    for i, j in itertools.product(range(1, len(a) + 1), range(1, len(b) + 1)):
        kept = rows[i - 1, j - 1] + int(a[i - 1] != b[j - 1])
        rows[i, j] = min(kept, 1 + rows[i - 1, j], 1 + rows[i, j - 1])
    return rows[len(a), len(b)]


def post_editing(outputs, references):
    edits = words = 0
    for o, some in zip(outputs, references):
        edits += min(edit_distance(r, o) for r in some)
        words += np.mean(list(map(len, some)))
    return edits / words


# %% wrong="an exchange costs two" caught_by="the table" change="row[j - 1] + (x != y) -> row[j - 1] + 2 * (x != y)"

# %% wrong="no exchange, only equal words go on" caught_by="the table" change="row[j - 1] + (x != y) -> row[j - 1] if x == y else len(a) + len(b)"

# %% wrong="places compared one by one" caught_by="the table"
# -     row = list(range(len(b) + 1))
# +     return sum(x != y for x, y in zip(a, b)) + abs(len(a) - len(b))
# +     row = list(range(len(b) + 1))


# %% wrong="letters instead of words" caught_by="the table"
# -     row = list(range(len(b) + 1))
# +     a, b = " ".join(a), " ".join(b)
# +     row = list(range(len(b) + 1))


# %% wrong="swapped neighbours cost one" caught_by="the table"
# -     return row[-1]
# +     pairs = zip(zip(a, a[1:]), zip(b, b[1:]))
# +     return row[-1] - any(x == y[::-1] and x[0] != x[1] for x, y in pairs)


# %% wrong="the first column is zero" caught_by="the table" change="new = [i] -> new = [0]"

# %% wrong="tries everything" caught_by="the table"
# -     row = list(range(len(b) + 1))
# +     if not a or not b:
# +         return len(a) + len(b)
# +     shorter = [edit_distance(a[1:], b), edit_distance(a, b[1:])]
# +     same = edit_distance(a[1:], b[1:]) + (a[0] != b[0])
# +     return min(same, 1 + min(shorter))
# +     row = list(range(len(b) + 1))


# %% wrong="the first reference only" caught_by="edits per reference word" change="for reference in some) -> for reference in some[:1])"

# %% wrong="edits to all references" caught_by="edits per reference word" change="min(edit_distance(output, reference) for reference in some) -> sum(edit_distance(output, reference) for reference in some)"

# %% wrong="mean of the sentences" caught_by="edits per reference word"
# -     edits = words = 0
# +     rates = []

# -         edits += min(edit_distance(output, reference) for reference in some)
# -         words += sum(map(len, some)) / len(some)
# -     return edits / words
# +         edits = min(edit_distance(output, reference) for reference in some)
# +         rates.append(edits / (sum(map(len, some)) / len(some)))
# +     return sum(rates) / len(rates)


# %% wrong="length of the closest reference" caught_by="edits per reference word" change="words += sum(map(len, some)) / len(some) -> words += len(min(some, key=lambda r: edit_distance(output, r)))"

# %% wrong="per word of the output" caught_by="edits per reference word" change="words += sum(map(len, some)) / len(some) -> words += len(output)"

# %% wrong="never more than one edit a word" caught_by="edits per reference word" change="return edits / words -> return min(1.0, edits / words)"


# %% wrong="a floating-point number" caught_by="the table" change="return row[-1] -> return float(row[-1])"


# %% wrong="capitals do not count" caught_by="the table" change="(x != y) -> (x.lower() != y.lower())"


# %% wrong="a swap of neighbours is one edit" caught_by="the table"
def edit_distance(a, b):
    D = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            if i == 0 or j == 0:
                D[i][j] = i + j
            else:
                D[i][j] = min(D[i - 1][j] + 1, D[i][j - 1] + 1, D[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                D[i][j] = min(D[i][j], D[i - 2][j - 2] + 1)
    return D[-1][-1]


def post_editing(outputs, references):
    edits = words = 0
    for output, some in zip(outputs, references, strict=True):
        edits += min(edit_distance(output, one) for one in some)
        words += sum(map(len, some)) / len(some)
    return edits / words


# %% wrong="a band of the table" caught_by="the table" change="row[j - 1] + (x != y)) -> row[j - 1] + (x != y)) if abs(i - j) <= abs(len(a) - len(b)) + 3 else math.inf"
