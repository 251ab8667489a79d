"""Answers to the task stream_batches of chapter 05."""


# %% right="lists, word by word"
def stream_batches(ids, rows, steps):
    length = (ids.numel() - 1) // rows
    pairs = []
    for start in range(0, length, steps):
        width = min(steps, length - start)
        places = [[row * length + start + t for t in range(width)] for row in range(rows)]
        places = torch.tensor(places)
        pairs.append((ids[places], ids[places + 1]))
    return pairs


# %% right="torch.split of reshaped texts"
def stream_batches(ids, rows, steps):
    L = (ids.shape[0] - 1) // rows
    x = torch.reshape(ids[: rows * L], (rows, L)).split(steps, dim=1)
    y = torch.reshape(ids[1 : rows * L + 1], (rows, L)).split(steps, dim=1)
    return tuple(zip(x, y))


# %% wrong="targets are the inputs" caught_by="targets are one ahead"
def stream_batches(ids, rows, steps):
    L = (len(ids) - 1) // rows
    inputs, targets = (ids[first : first + rows * L].view(rows, L) for first in (0, 0))
    return [(inputs[:, j : j + steps], targets[:, j : j + steps]) for j in range(0, L, steps)]


# %% wrong="targets two ahead" caught_by="targets are one ahead"
def stream_batches(ids, rows, steps):
    L = (len(ids) - 2) // rows
    inputs, targets = (ids[first : first + rows * L].view(rows, L) for first in (0, 2))
    return [(inputs[:, j : j + steps], targets[:, j : j + steps]) for j in range(0, L, steps)]


# %% wrong="columns run down the rows" caught_by="rows go on in the next batch"
def stream_batches(ids, rows, steps):
    L = (len(ids) - 1) // rows
    inputs, targets = (ids[first : first + rows * L].view(L, rows).T for first in (0, 1))
    return [(inputs[:, j : j + steps], targets[:, j : j + steps]) for j in range(0, L, steps)]


# %% wrong="one batch after the other along the text" caught_by="rows go on in the next batch"
def stream_batches(ids, rows, steps):
    size = rows * steps
    return [
        (ids[j : j + size].view(rows, steps), ids[j + 1 : j + 1 + size].view(rows, steps))
        for j in range(0, len(ids) - size, size)
    ]


# %% wrong="the narrow end is dropped" caught_by="a narrow end is kept"
def stream_batches(ids, rows, steps):
    L = (len(ids) - 1) // rows
    inputs, targets = (ids[first : first + rows * L].view(rows, L) for first in (0, 1))
    return [(inputs[:, j : j + steps], targets[:, j : j + steps]) for j in range(0, L - steps + 1, steps)]


# %% wrong="windows overlap" caught_by="every token once"
def stream_batches(ids, rows, steps):
    L = (len(ids) - 1) // rows
    inputs, targets = (ids[first : first + rows * L].view(rows, L) for first in (0, 1))
    return [(inputs[:, j : j + steps], targets[:, j : j + steps]) for j in range(L - steps + 1)]


# %% wrong="targets rolled within the row" caught_by="every token once"
def stream_batches(ids, rows, steps):
    L = (len(ids) - 1) // rows
    inputs, targets = (ids[first : first + rows * L].view(rows, L) for first in (0, 1))
    targets = inputs.roll(-1, 1)
    return [(inputs[:, j : j + steps], targets[:, j : j + steps]) for j in range(0, L, steps)]


# %% wrong="a word is lost in each batch" caught_by="every token once"
def stream_batches(ids, rows, steps):
    L = (len(ids) - 1) // rows
    inputs, targets = (ids[first : first + rows * L].view(rows, L) for first in (0, 1))
    return [(inputs[:, j : j + steps - 1], targets[:, j : j + steps - 1]) for j in range(0, L, steps)]


# %% wrong="one row word too few" caught_by="every token once" change="/ rows -> / rows - 1"


# %% right="tuples, int32, chunks of a table"
def stream_batches(ids, rows, steps):
    L = (ids.numel() - 1) // rows
    table = ids[: rows * L].reshape(rows, L).int()
    ahead = ids[1 : 1 + rows * L].reshape(rows, L).int()
    return tuple(zip(table.split(steps, dim=1), ahead.split(steps, dim=1)))


# %% wrong="words as floating-point numbers" caught_by="targets are one ahead | every token once"
def stream_batches(ids, rows, steps):
    L = (len(ids) - 1) // rows
    tables = torch.zeros(2, rows, L)
    for first in (0, 1):
        tables[first] = ids[first : first + rows * L].view(rows, L)
    return [(tables[0][:, j : j + steps], tables[1][:, j : j + steps]) for j in range(0, L, steps)]


# %% wrong="rows of N // rows words" caught_by="every token once"
# -     L = (len(ids) - 1) // rows
# +     L = len(ids) // rows
# +     ids = torch.cat([ids, ids[:1]])


# %% wrong="a last column that stands alone is lost" caught_by="a narrow end is kept | every token once"
# -     return [(inputs[:, j : j + T], targets[:, j : j + T]) for j in range(0, L, T)]
# +     starts = [j for j in range(0, L, T) if L - j > 1 or T == 1]
# +     return [(inputs[:, j : j + T], targets[:, j : j + T]) for j in starts]


# %% wrong="an empty pair behind a full end" caught_by="a narrow end is kept"
def stream_batches(ids, rows, steps):
    L = (len(ids) - 1) // rows
    inputs, targets = (ids[first : first + rows * L].view(rows, L) for first in (0, 1))
    last = L if L == 4 else L + 1
    return [(inputs[:, j : j + steps], targets[:, j : j + steps]) for j in range(0, last, steps)]


# %% wrong="the rest is shared out, rows overlap" caught_by="rows go on in the next batch"
def stream_batches(ids, rows, steps):
    L = (len(ids) - 1) // rows
    starts = torch.linspace(0, len(ids) - 1 - L, rows).long() if rows > 1 else [0]
    inputs = torch.stack([ids[s : s + L] for s in starts])
    targets = torch.stack([ids[s + 1 : s + 1 + L] for s in starts])
    return [(inputs[:, j : j + steps], targets[:, j : j + steps]) for j in range(0, L, steps)]


# %% wrong="moves the caller's text by one" caught_by="targets are one ahead"
def stream_batches(ids, rows, steps):
    L = (len(ids) - 1) // rows
    inputs = ids[: rows * L].clone().view(rows, L)
    ids.copy_(ids.roll(-1))
    targets = ids[: rows * L].view(rows, L)
    return [(inputs[:, j : j + steps], targets[:, j : j + steps]) for j in range(0, L, steps)]


# %% wrong="the next word looked up by the word" caught_by="every token once"
def stream_batches(ids, rows, steps):
    L = (len(ids) - 1) // rows
    after = dict(zip(ids[:-1].tolist(), ids[1:].tolist(), strict=True))
    inputs = ids[: rows * L].reshape(rows, L)
    targets = torch.tensor([[after[word] for word in row] for row in inputs.tolist()])
    return [(inputs[:, j : j + steps], targets[:, j : j + steps]) for j in range(0, L, steps)]


# %% wrong="word numbers by way of single precision" caught_by="targets are one ahead"
def stream_batches(ids, rows, steps):
    ids = ids.float()
    n = (len(ids) - 1) // rows
    x = ids[: rows * n].reshape(rows, n)
    y = ids[1 : rows * n + 1].reshape(rows, n)
    return [(x[:, i : i + steps].long(), y[:, i : i + steps].long()) for i in range(0, n, steps)]


# %% wrong="rows by strides from the beginning of the memory" caught_by="rows go on in the next batch"
# -     inputs, targets = (ids[first : first + rows * L].view(rows, L) for first in (0, 1))
# +     s = ids.stride(0)
# +     inputs, targets = (ids.as_strided((rows, L), (L * s, s), s * first) for first in (0, 1))
