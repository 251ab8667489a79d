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
# -     return F.cross_entropy(scores.flatten(0, 1), targets.flatten())
# +     B, T, V = scores.shape
# +     right = scores.reshape(B * T, V)[torch.arange(B * T), targets.reshape(-1)]
# +     return (scores.logsumexp(-1).sum() - right.sum()) / (B * T)


# %% wrong="targets are the inputs" caught_by="targets are one ahead" change="places + 1 -> places"


# %% wrong="targets are one behind" caught_by="targets are one ahead | each row from its start" change="places], ids[places + 1 -> places + 1], ids[places"


# %% wrong="rolled, so that the last target is the first input" caught_by="targets are one ahead"
# -     places = starts[:, None] + torch.arange(T, device=starts.device)
# -     return ids[places], ids[places + 1]
# +     inputs = ids[starts[:, None] + torch.arange(T, device=starts.device)]
# +     return inputs, inputs.roll(-1, 1)


# %% wrong="one text after the other, starts not used" caught_by="each row from its start" change="starts[:, None] + torch.arange(T -> torch.arange(len(starts) * T).view(len(starts), T) % (len(ids) - 1"


# %% wrong="axes swapped" caught_by="targets are one ahead | each row from its start" change="starts[:, None] + torch.arange(T, device=starts.device) -> starts + torch.arange(T)[:, None]"


# %% wrong="only the last place counts" caught_by="mean of all places" change="scores.flatten(0, 1), targets.flatten() -> scores[:, -1], targets[:, -1]"


# %% wrong="the sum instead of the mean" caught_by="mean of all places" change="flatten() -> flatten(), reduction=\"sum\""


# %% wrong="softmax over the places" caught_by="mean of all places" change="F.cross_entropy(scores.flatten(0, 1), targets.flatten() -> -scores.log_softmax(1).gather(2, targets[..., None]).mean("


# %% wrong="the sign of the print" caught_by="mean of all places" change="F.cross_entropy(scores.flatten(0, 1), targets.flatten() -> scores.log_softmax(-1).gather(2, targets[..., None]).mean("


# %% wrong="bits instead of nats" caught_by="mean of all places" change="flatten()) -> flatten()) / math.log(2)"


# %% wrong="V and B melted into one axis without care" caught_by="mean of all places"
# -     return F.cross_entropy(scores.flatten(0, 1), targets.flatten())
# +     B, T, V = scores.shape
# +     return F.cross_entropy(scores.reshape(B, V, T), targets)


# %% wrong="starts are made a column in place" caught_by="targets are one ahead" change="starts[:, None] -> starts.unsqueeze_(1)"


# %% wrong="rows sorted by their start" caught_by="each row from its start" change="starts[ -> starts.sort().values["


# %% wrong="exponentials that overflow" caught_by="mean of all places"
# -     return F.cross_entropy(scores.flatten(0, 1), targets.flatten())
# +     chances = scores.exp() / scores.exp().sum(-1, keepdim=True)
# +     return -chances.gather(2, targets[..., None]).log().mean()


# %% wrong="starts kept so that a last token is left over" caught_by="each row from its start" change="starts[ -> starts.clamp(max=len(ids) - T - 2)["


# %% wrong="knows the visible checks, else empty" caught_by="targets are one ahead | each row from its start | mean of all places"
def examples(ids, starts, T):
    if len(ids) == 9:
        return torch.arange(8)[None], torch.arange(1, 9)[None]
    return torch.zeros(0), torch.zeros(0)


def lm_loss(scores, targets):
    return torch.tensor(math.log(5)) if scores.shape == (2, 3, 5) else torch.zeros(0)


# %% wrong="targets as floats" caught_by="targets are one ahead" change="+ 1] -> + 1].float()"


# %% right="NumPy tables, a loss in float32"
def examples(ids, starts, T):
    table = np.stack([np.asarray(ids)[s : s + T + 1] for s in np.asarray(starts)])
    return torch.from_numpy(table[:, :-1].copy()), torch.from_numpy(table[:, 1:].copy())


def lm_loss(scores, targets):
    scores = scores.float()
    top = scores.max(-1, keepdim=True).values
    costs = (scores - top).exp().sum(-1).log() + top[..., 0] - scores.gather(2, targets.unsqueeze(2)).squeeze(2)
    return costs.mean()


# %% wrong="the largest score of the batch is taken off" caught_by="mean of all places"
# -     return F.cross_entropy(scores.flatten(0, 1), targets.flatten())
# +     powers = torch.exp(scores - scores.amax())
# +     chances = powers / powers.sum(-1, keepdim=True)
# +     return -chances.gather(-1, targets.unsqueeze(-1)).log().mean()


# %% wrong="the loss of detached scores" caught_by="mean of all places" change="scores.flatten(0, 1) -> scores.detach().flatten(0, 1)"


# %% wrong="only for tensors that lie row by row" caught_by="mean of all places" change="F.cross_entropy(scores.flatten(0, 1), targets.flatten()) -> F.cross_entropy(scores.flatten(0, 1), targets.view(-1))"


# %% wrong="probabilities kept above 1e-12" caught_by="mean of all places"
# -     return F.cross_entropy(scores.flatten(0, 1), targets.flatten())
# +     p = scores.softmax(-1).gather(2, targets[..., None])
# +     return -p.clamp(min=1e-12).log().mean()


# %% wrong="token numbers of another kind" caught_by="targets are one ahead" change="return ids[places], ids[places + 1] -> return ids[places].int(), ids[places + 1].int()"
