"""Answers to the task analogy of chapter 03."""


# %% right="word by word"
def analogy(A, a, b, c):
    unit = [row / np.linalg.norm(row) for row in A]
    aim = unit[b] - unit[a] + unit[c]
    best, found = -math.inf, None
    for w, row in enumerate(unit):
        if w not in (a, b, c) and row @ aim > best:
            best, found = row @ aim, w
    return found


wrong_cells = {(1, 0), (5, 2), (6, 1), (8, 0), (9, 1), (3, 0)}


# %% right="three cosines, added"
def analogy(A, a, b, c):
    scores = np.array(cosines(A, b)) - cosines(A, a) + cosines(A, c)
    order = [int(w) for w in np.argsort(-scores)]
    return next(w for w in order if w not in {a, b, c})


wrong_cells = [[1, 0], [5, 2], [6, 1], [8, 0], [8, 1], [9, 1], [7, 2], [8, 2]]


# %% wrong="the step backwards" caught_by="the step from a to b" change="unit[b] - unit[a] + unit[c] -> unit[a] - unit[b] + unit[c]"

# %% wrong="no step, only near c" caught_by="the step from a to b" change="unit[b] - unit[a] + unit[c] -> unit[c]"

# %% wrong="all three added" caught_by="the step from a to b" change="unit[b] - unit[a] -> unit[b] + unit[a]"

# %% wrong="c may be the answer" caught_by="never one of the three" change="scores[[a, b, c]] -> scores[[a, b]]"

# %% wrong="nobody is excluded" caught_by="never one of the three" change="scores[[a, b, c]] = -np.inf -> scores = scores + 0"

# %% wrong="scores of the three set to 0" caught_by="never one of the three" change="= -np.inf -> = 0"

# %% wrong="vectors not scaled" caught_by="lengths and printed errors" change="unit = A / np.sqrt((A**2).sum(1, keepdims=True)) -> unit = A.copy()"

# %% wrong="right answers called wrong" caught_by="lengths and printed errors" change="(9, 1)] -> (9, 1), (5, 1)]"

# %% wrong="counted from 1" caught_by="lengths and printed errors" change="[(1, 0), (5, 2), (6, 1), (8, 0), (8, 1), (9, 1)] -> [(2, 1), (6, 3), (7, 2), (9, 1), (9, 2)]"

# %% wrong="cosine with c only, plus the step" caught_by="lengths and printed errors" change="unit @ (unit[b] - unit[a] + unit[c]) -> unit @ (A[b] - A[a] + unit[c])"

# %% wrong="scores of the three set to -1" caught_by="never one of the three" change="= -np.inf -> = -1"


# %% wrong="c is not scaled" caught_by="the step from a to b"
def analogy(A, a, b, c):
    unit = A / np.linalg.norm(A, axis=1, keepdims=True)
    found = unit @ (unit[b] - unit[a] + A[c])
    found[[a, b, c]] = -np.inf
    return int(found.argmax())


wrong_cells = [(1, 0), (6, 1), (8, 0), (8, 1), (9, 1)]


# %% wrong="the sign of the cosine is dropped" caught_by="the step from a to b"
def analogy(A, a, b, c):
    unit = A / np.linalg.norm(A, axis=1, keepdims=True)
    found = abs(unit @ (unit[b] - unit[a] + unit[c]))
    found[[a, b, c]] = -1
    return int(found.argmax())


wrong_cells = [(1, 0), (6, 1), (8, 0), (8, 1), (9, 1)]


# %% wrong="words with the same vector are out, too" caught_by="never one of the three" change="scores[[a, b, c]] = -np.inf -> scores[[(unit[word] == unit[[a, b, c]]).all(1).any() for word in range(len(A))]] = -np.inf"


# %% wrong="a little added to the lengths" caught_by="the step from a to b" change="np.sqrt((A**2).sum(1, keepdims=True)) -> (np.sqrt((A**2).sum(1, keepdims=True)) + 1e-8)"


# %% wrong="long words win" caught_by="the step from a to b"
# -     unit = A / np.sqrt((A**2).sum(1, keepdims=True))
# -     scores = unit @ (unit[b] - unit[a] + unit[c])
# +     unit = A / np.linalg.norm(A, axis=1, keepdims=True)
# +     scores = A @ (unit[b] - unit[a] + unit[c])


# %% wrong="the step scaled to length 1" caught_by="never one of the three"
# -     unit = A / np.sqrt((A**2).sum(1, keepdims=True))
# -     scores = unit @ (unit[b] - unit[a] + unit[c])
# +     unit = A / np.linalg.norm(A, axis=1, keepdims=True)
# +     step = unit[b] - unit[a]
# +     length = np.linalg.norm(step)
# +     scores = unit @ (step / (length or 1) + unit[c])
