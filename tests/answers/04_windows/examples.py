"""Answers to the task examples of chapter 04."""


# %% right="slices in a loop"
def examples(ids, n, start, end):
    rows, targets = [], []
    for t in range(len(ids) + 1):
        past = ids[max(0, t - n) : t]
        rows.append([start] * (n - len(past)) + past)
        targets.append(ids[t] if t < len(ids) else end)
    return torch.tensor(rows), torch.tensor(targets)


# %% right="columns shifted"
def examples(ids, n, start, end):
    text = [start] * n + list(ids)
    columns = [torch.tensor(text[k : k + len(ids) + 1]) for k in range(n)]
    return torch.stack(columns, dim=1), torch.tensor(list(ids) + [end])


# %% wrong="no end" caught_by="each word once, then the end" change="ids) + [end] -> ids)"


# %% wrong="the word to guess is in its context" caught_by="the context stands before" change=", :n -> , 1:"


# %% wrong="nearest word first" caught_by="the context stands before" change=":n] -> :n].flip(1)"


# %% wrong="end as padding" caught_by="start where nothing stands" change="[start -> [end"


# %% wrong="zero as padding" caught_by="start where nothing stands" change="[start -> [0"


# %% wrong="one start too few, shorter" caught_by="the context stands before" change="* n -> * (n - 1)"


# %% wrong="next words not shifted" caught_by="each word once, then the end" change="padded[n: -> padded[n - 1 : -1"


# %% wrong="padded on both sides" caught_by="each word once, then the end" change="end] -> end] * n"


# %% wrong="start where the end should be" caught_by="each word once, then the end" change="[end -> [start"


# %% wrong="contexts as floats" caught_by="the context stands before"
def examples(ids, n, start, end):
    rows = torch.full((len(ids) + 1, n), float(start))
    for t in range(len(ids) + 1):
        for k in range(1, min(n, t) + 1):
            rows[t, n - k] = ids[t - k]
    return rows, torch.tensor([*ids, end])


# %% wrong="next words as floats" caught_by="each word once, then the end" change="padded[n:] -> torch.Tensor(list(ids) + [end])"


# %% right="an index grid, int32 contexts"
def examples(ids, n, start, end):
    padded = torch.tensor([start] * n + list(ids) + [end])
    grid = torch.arange(len(ids) + 1)[:, None] + torch.arange(n)
    return padded[grid].int(), padded[n:].clone()


# %% wrong="the end is always 1" caught_by="each word once, then the end" change="[end -> [1"


# %% wrong="appends to the caller's list" caught_by="each word once, then the end"
def examples(ids, n, start, end):
    ids.append(end)
    padded = torch.tensor([start] * n + ids)
    return padded.unfold(0, n + 1, 1)[:, :n], padded[n:]


# %% wrong="finds the place of a word by index" caught_by="the context stands before"
def examples(ids, n, start, end):
    padded = [start] * n + list(ids)
    rows = [padded[ids.index(word) : ids.index(word) + n] for word in ids] + [padded[len(ids) :]]
    return torch.tensor(rows), torch.tensor(list(ids) + [end])


# %% wrong="numbers that went through float32" caught_by="each word once, then the end | the context stands before" change="end] -> end], dtype=torch.float32).long("


# %% wrong="start set only once" caught_by="start where nothing stands" change="start] * n -> 0] * (n - 1) + [start]"


# %% wrong="no context for the end" caught_by="the context stands before"
def examples(ids, n, start, end):
    padded = torch.tensor([start] * n + list(ids) + [end])
    rows = padded.unfold(0, n + 1, 1)[:, :n]
    return rows[:-1] if len(ids) > 5 else rows, padded[n:]


# %% wrong="no second end behind a text that ends like this" caught_by="each word once, then the end" change="list(ids) + [end] -> list(ids) + [end] * (list(ids)[-1:] != [end])"


# %% wrong="fails for a text of no words" caught_by="each word once, then the end" change="list(ids) + [end] -> [ids[0]] + list(ids[1:]) + [end]"


# %% right="a column of a table, also where it holds one number"
def examples(ids, n, start, end):
    whole = [start] * n + list(ids) + [end]
    rows = torch.tensor([whole[t : t + n + 1] for t in range(len(ids) + 1)])
    return rows[:, :n], rows[:, n]


# %% wrong="a text without words makes float contexts" caught_by="each word once, then the end"
def examples(ids, n, start, end):
    text = [start] * n + list(ids)
    rows = [text[t : t + n] for t in range(len(ids))]
    last = torch.tensor(text[len(ids) :]).reshape(1, n)
    return torch.cat([torch.tensor(rows).reshape(-1, n), last]), torch.tensor([*ids, end])


# %% wrong="the end counts as start" caught_by="the context stands before"
def examples(ids, n, start, end):
    text = [start] * n + list(ids)
    rows = [text[t : t + n] for t in range(len(ids) + 1)]
    rows = [[start if word == end else word for word in row] for row in rows]
    return torch.tensor(rows), torch.tensor([*ids, end])


# %% wrong="starts anew after an end inside the text" caught_by="the context stands before"
def examples(ids, n, start, end):
    text = [start] * n + list(ids)
    if end in ids:
        text = text[: n + ids.index(end)] + [start] * n + text[n + ids.index(end) :]
    rows = [text[t : t + n] for t in range(len(ids) + 1)]
    return torch.tensor(rows), torch.tensor([*ids, end])


# %% right="a queue of words"
def examples(ids, n, start, end):
    from collections import deque

    context, rows = deque([start] * n, maxlen=n), []
    for word in ids:
        rows.append([*context])
        context.append(word)
    return torch.tensor([*rows, [*context]]), torch.tensor([*ids, end])


# %% wrong="words of number 0 are dropped" caught_by="each word once, then the end" change="list(ids) + -> [word for word in ids if word] +"


# %% wrong="starts at the begin of the text are dropped" caught_by="each word once, then the end"
def examples(ids, n, start, end):
    text = list(ids)
    while text and text[0] == start:
        text = text[1:]
    padded = torch.tensor([start] * n + text + [end])
    return padded.unfold(0, n + 1, 1)[:, :n], padded[n:]


# %% wrong="next words in int32" caught_by="each word once, then the end" change="padded[n:] -> padded[n:].int()"


# %% wrong="eight words back at most" caught_by="the context stands before" change="[:, :n] -> [:, max(n - 8, 0) : n]"


# %% wrong="pads with 0 and replaces every 0 by start" caught_by="the context stands before"
def examples(ids, n, start, end):
    line = torch.tensor([0] * n + list(ids) + [end])
    rows = line.unfold(0, n + 1, 1).clone()
    contexts, following = rows[:, :n], rows[:, n].clone()
    return contexts.masked_fill(contexts == 0, start), following
