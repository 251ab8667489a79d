"""Answers to the task examples of chapter 08."""


# %% right="slices stacked, log-softmax and gather"
def examples(ids, starts, T):
    rows = torch.stack([ids[s : s + T + 1] for s in starts.tolist()])
    return rows[:, :-1], rows[:, 1:]


def lm_loss(scores, targets):
    return -scores.log_softmax(-1).gather(2, targets[..., None]).mean()


# %% right="lists, classes on the second axis"
def examples(ids, starts, T):
    windows = ids.unfold(0, T, 1)
    return [windows[starts], windows[starts + 1]]


def lm_loss(scores, targets):
    return F.cross_entropy(scores.transpose(1, 2), targets)


# %% right="a sum over all places, divided"
def examples(ids, starts, T):
    places = starts[:, None] + torch.arange(T)
    return ids[places], ids[places + 1]


def lm_loss(scores, targets):
    B, T, V = scores.shape
    right = scores.reshape(B * T, V)[torch.arange(B * T), targets.reshape(-1)]
    return (scores.logsumexp(-1).sum() - right.sum()) / (B * T)


# %% wrong="targets are the inputs" caught_by="targets are one ahead"
def examples(ids, starts, T):
    places = starts[:, None] + torch.arange(T)
    return ids[places], ids[places]


def lm_loss(scores, targets):
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten())


# %% wrong="targets are one behind" caught_by="targets are one ahead | each row from its start"
def examples(ids, starts, T):
    places = starts[:, None] + torch.arange(T)
    return ids[places + 1], ids[places]


def lm_loss(scores, targets):
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten())


# %% wrong="rolled, so that the last target is the first input" caught_by="targets are one ahead"
def examples(ids, starts, T):
    inputs = ids[starts[:, None] + torch.arange(T)]
    return inputs, inputs.roll(-1, 1)


def lm_loss(scores, targets):
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten())


# %% wrong="one text after the other, starts not used" caught_by="each row from its start"
def examples(ids, starts, T):
    places = torch.arange(len(starts) * T).view(len(starts), T) % (len(ids) - 1)
    return ids[places], ids[places + 1]


def lm_loss(scores, targets):
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten())


# %% wrong="axes swapped" caught_by="targets are one ahead | each row from its start"
def examples(ids, starts, T):
    places = starts + torch.arange(T)[:, None]
    return ids[places], ids[places + 1]


def lm_loss(scores, targets):
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten())


# %% wrong="only the last place counts" caught_by="mean of all places"
def examples(ids, starts, T):
    places = starts[:, None] + torch.arange(T)
    return ids[places], ids[places + 1]


def lm_loss(scores, targets):
    return F.cross_entropy(scores[:, -1], targets[:, -1])


# %% wrong="the sum instead of the mean" caught_by="mean of all places"
def examples(ids, starts, T):
    places = starts[:, None] + torch.arange(T)
    return ids[places], ids[places + 1]


def lm_loss(scores, targets):
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten(), reduction="sum")


# %% wrong="softmax over the places" caught_by="mean of all places"
def examples(ids, starts, T):
    places = starts[:, None] + torch.arange(T)
    return ids[places], ids[places + 1]


def lm_loss(scores, targets):
    return -scores.log_softmax(1).gather(2, targets[..., None]).mean()


# %% wrong="the sign of the print" caught_by="mean of all places"
def examples(ids, starts, T):
    places = starts[:, None] + torch.arange(T)
    return ids[places], ids[places + 1]


def lm_loss(scores, targets):
    return scores.log_softmax(-1).gather(2, targets[..., None]).mean()


# %% wrong="bits instead of nats" caught_by="mean of all places"
def examples(ids, starts, T):
    places = starts[:, None] + torch.arange(T)
    return ids[places], ids[places + 1]


def lm_loss(scores, targets):
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten()) / math.log(2)


# %% wrong="V and B melted into one axis without care" caught_by="mean of all places"
def examples(ids, starts, T):
    places = starts[:, None] + torch.arange(T)
    return ids[places], ids[places + 1]


def lm_loss(scores, targets):
    B, T, V = scores.shape
    return F.cross_entropy(scores.reshape(B, V, T), targets)
