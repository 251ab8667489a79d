"""Answers to the task one_hot_slide of chapter 04."""


# %% right="factored, tolist"
def repaired_parameters(V, k):
    return V * (k * V + 1)


def leaks(rows, targets):
    wanted = targets.tolist()
    return [c for c, column in enumerate(rows.T.tolist()) if column == wanted]


# %% right="broadcast"
def repaired_parameters(V, k):
    return sum(p.numel() for p in nn.Linear(k, 1, bias=False).parameters()) * V * V + V


def leaks(rows, targets):
    return torch.nonzero((rows == targets[:, None]).all(0)).flatten().tolist()


# %% wrong="as printed" caught_by="the word to guess left out" change="n * -> (n + 1) *"


# %% wrong="the bias dropped too" caught_by="the word to guess left out" change="2 + V -> 2"


# %% wrong="one output" caught_by="the word to guess left out" change="V**2 -> V"


# %% wrong="bias for each input" caught_by="the word to guess left out" change="+ V -> + n * V"


# %% wrong="one hit is a leak" caught_by="columns that give it away"
# -     return [
# -         column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()
# -     ]
# +     return [column for column in range(rows.shape[1]) if (rows[:, column] == targets).any()]


# %% wrong="only the first row looked at" caught_by="columns that give it away"
# -     return [
# -         column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()
# -     ]
# +     return [column for column in range(rows.shape[1]) if rows[0, column] == targets[0]]


# %% wrong="only the last column looked at" caught_by="columns that give it away"
# -     return [
# -         column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()
# -     ]
# +     return [column for column in range(rows.shape[1] - 1, rows.shape[1]) if (rows[:, column] == targets).all()]


# %% wrong="the first column left out" caught_by="columns that give it away"
# -     return [
# -         column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()
# -     ]
# +     return [column for column in range(1, rows.shape[1]) if (rows[:, column] == targets).all()]


# %% wrong="the last column left out" caught_by="columns that give it away"
# -     return [
# -         column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()
# -     ]
# +     return [column for column in range(rows.shape[1] - 1) if (rows[:, column] == targets).all()]


# %% wrong="columns that do not leak" caught_by="columns that give it away"
# -     return [
# -         column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()
# -     ]
# +     return [column for column in range(rows.shape[1]) if not (rows[:, column] == targets).all()]


# %% wrong="nearly equal is enough" caught_by="columns that give it away"
def repaired_parameters(V, k):
    return k * V**2 + V


def leaks(rows, targets):
    return [column for column in range(rows.shape[1]) if (rows[:, column] == targets).double().mean() > 0.9]


# %% right="a tensor of columns"
def repaired_parameters(V, k):
    return np.float64(k) * V * V + V


def leaks(rows, targets):
    return tuple(np.flatnonzero((rows.numpy() == targets.numpy()[:, None]).all(0)))


# %% wrong="the first hundred rows are enough" caught_by="columns that give it away"
def repaired_parameters(V, k):
    return k * V**2 + V


def leaks(rows, targets):
    rows, targets = rows[:100], targets[:100]
    return [column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()]


# %% wrong="the last row missed" caught_by="columns that give it away"
def repaired_parameters(V, k):
    return k * V**2 + V


def leaks(rows, targets):
    last = max(len(rows) - 1, 1)
    return [column for column in range(rows.shape[1]) if (rows[:last, column] == targets[:last]).all()]


# %% wrong="stops at the first leak" caught_by="columns that give it away"
def repaired_parameters(V, k):
    return k * V**2 + V


def leaks(rows, targets):
    for column in range(rows.shape[1]):
        if (rows[:, column] == targets).all():
            return [column]
    return []


# %% wrong="sums compared" caught_by="columns that give it away"
def repaired_parameters(V, k):
    return k * V**2 + V


def leaks(rows, targets):
    return [c for c in range(rows.shape[1]) if sorted(rows[:, c].tolist()) == sorted(targets.tolist())]


# %% wrong="takes the targets off the caller's rows" caught_by="columns that give it away"
def repaired_parameters(V, k):
    return k * V**2 + V


def leaks(rows, targets):
    rows -= targets[:, None]
    return [column for column in range(rows.shape[1]) if not rows[:, column].any()]


# %% wrong="nearly equal is equal" caught_by="columns that give it away" change="(rows[:, column] == targets).all() -> torch.allclose(rows[:, column].double(), targets.double())"


# %% wrong="in float32" caught_by="columns that give it away" change="(rows[:, column] == targets) -> (rows[:, column].float() == targets.float())"


# %% wrong="one row in a thousand may differ" caught_by="columns that give it away" change="(rows[:, column] == targets).all() -> (rows[:, column] == targets).double().mean() >= 0.999"


# %% right="nothing is left of the difference"
def repaired_parameters(V, n):
    return V + V * n * V


def leaks(rows, targets):
    apart = (rows.T - targets).abs().amax(1)
    return [column for column, far in enumerate(apart.tolist()) if not far]


# %% wrong="a column that is there twice is named once" caught_by="columns that give it away"
# -     return [
# -         column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()
# -     ]
# +     found = {tuple(rows[:, column].tolist()): column for column in range(rows.shape[1])}
# +     return [column for column in found.values() if (rows[:, column] == targets).all()]


# %% wrong="means compared" caught_by="columns that give it away" change="(rows[:, column] == targets).all() -> rows[:, column].double().mean() == targets.double().mean()"


# %% wrong="only every second row looked at" caught_by="columns that give it away" change="(rows[:, column] == targets).all() -> (rows[::2, column] == targets[::2]).all()"
