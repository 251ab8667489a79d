"""Answers to the task shift of chapter 09."""


# %% right="lists, filled up"
def shift(targets):
    n = max(len(t) for t in targets)
    given = [[BOS] + list(t) + [PAD] * (n - len(t)) for t in targets]
    wanted = [list(t) + [EOS] + [PAD] * (n - len(t)) for t in targets]
    return torch.tensor(given), torch.tensor(wanted)


def translation_loss(scores, wanted):
    real = wanted != PAD
    costs = -scores.log_softmax(-1).gather(2, wanted[..., None])[..., 0]
    return (costs * real).sum() / real.sum()


# %% right="pad_sequence, and only real places chosen"
def shift(targets):
    def filled(rows):
        return nn.utils.rnn.pad_sequence([torch.tensor(r) for r in rows], batch_first=True, padding_value=PAD)

    return filled([[BOS, *t] for t in targets]), filled([[*t, EOS] for t in targets])


def translation_loss(scores, wanted):
    real = wanted != PAD
    return F.cross_entropy(scores[real], wanted[real])


# %% wrong="both rows in step" caught_by="one place apart" change="torch.tensor([*target, EOS]) -> torch.tensor([BOS, *target])"


# %% wrong="no end" caught_by="one place apart"
# -         wanted[b, : len(target) + 1] = torch.tensor([*target, EOS])
# +         wanted[b, : len(target)] = torch.tensor(target, dtype=torch.long)


# %% wrong="the end at the end of the row" caught_by="one place apart"
# -         wanted[b, : len(target) + 1] = torch.tensor([*target, EOS])
# +         wanted[b, : len(target)] = torch.tensor(target, dtype=torch.long)
# +         wanted[b, n] = EOS


# %% wrong="wanted is given, rolled" caught_by="one place apart"
# -     return given, wanted
# +     return given, given.roll(-1, 1).masked_fill(given.roll(-1, 1) == BOS, EOS)


# %% wrong="padded in front" caught_by="one place apart"
# -         given[b, : len(target) + 1] = torch.tensor([BOS, *target])
# -         wanted[b, : len(target) + 1] = torch.tensor([*target, EOS])
# +         given[b, n - len(target) :] = torch.tensor([BOS, *target])
# +         wanted[b, n - len(target) :] = torch.tensor([*target, EOS])


# %% wrong="given also holds the end" caught_by="one place apart"
#           given[b, : len(target) + 1] = torch.tensor([BOS, *target])
# +         if len(target) < n:
# +             given[b, len(target) + 1] = EOS


# %% wrong="padded with the end" caught_by="one place apart" change="wanted = torch.full((len(targets), n + 1), PAD) -> wanted = torch.full((len(targets), n + 1), EOS)"


# %% wrong="room for the first target" caught_by="one place apart" change="n = max(map(len, targets)) -> n = max(map(len, targets[-1:] + targets[:1]))"


# %% wrong="padding counts" caught_by="mean over real places | padding teaches nothing" change=", ignore_index=PAD -> "


# %% wrong="padding costs nothing and is counted" caught_by="mean over real places | padding teaches nothing"
# -     return F.cross_entropy(scores.flatten(0, 1), wanted.flatten(), ignore_index=PAD)
# +     costs = F.cross_entropy(scores.flatten(0, 1), wanted.flatten(), reduction="none")
# +     return (costs * (wanted.flatten() != PAD)).mean()


# %% wrong="a mean for each row, then their mean" caught_by="mean over real places"
# -     return F.cross_entropy(scores.flatten(0, 1), wanted.flatten(), ignore_index=PAD)
# +     rows = [F.cross_entropy(s, w, ignore_index=PAD) for s, w in zip(scores, wanted)]
# +     return torch.stack(rows).mean()


# %% wrong="the sum" caught_by="mean over real places" change="ignore_index=PAD -> ignore_index=PAD, reduction=\"sum\""


# %% wrong="the end is ignored too" caught_by="mean over real places"
# -     return F.cross_entropy(scores.flatten(0, 1), wanted.flatten(), ignore_index=PAD)
# +     real = wanted > EOS
# +     if not real.any():
# +         real = wanted != PAD
# +     return F.cross_entropy(scores[real], wanted[real])


# %% wrong="no gradient passes" caught_by="padding teaches nothing" change="scores.flatten(0, 1) -> scores.detach().flatten(0, 1)"


# %% wrong="padding is forbidden as an answer" caught_by="padding teaches nothing"
#   def translation_loss(scores, wanted):
#       """Mean of -ln P(wanted) over the places that are not PAD, without axes."""
# +     scores = scores.index_fill(2, torch.tensor([PAD]), -1e9)


# %% wrong="the logarithm of a softmax" caught_by="mean over real places"
# -     return F.cross_entropy(scores.flatten(0, 1), wanted.flatten(), ignore_index=PAD)
# +     p = scores.softmax(-1).gather(2, wanted[..., None])[..., 0]
# +     return -p.log()[wanted != PAD].mean()


# %% wrong="the largest score of the batch is taken off, not that of each place" caught_by="mean over real places"
# -     return F.cross_entropy(scores.flatten(0, 1), wanted.flatten(), ignore_index=PAD)
# +     scores = scores - scores.max().detach()
# +     logs = scores - scores.exp().sum(-1, keepdim=True).log()
# +     return -logs.gather(-1, wanted[..., None])[..., 0][wanted != PAD].mean()


# %% wrong="a target in which the end stands is cut there" caught_by="one place apart"
# -     n = max(map(len, targets))
# +     targets = [t[: t.index(EOS)] if EOS in t else t for t in targets]
# +     n = max(map(len, targets))


# %% right="padded by torch, a loss from a table of places"
def shift(targets):
    def padded(rows):
        return nn.utils.rnn.pad_sequence(
            [torch.tensor(r, dtype=torch.long) for r in rows], batch_first=True, padding_value=PAD
        )

    return padded([[BOS, *t] for t in targets]), padded([[*t, EOS] for t in targets])


def translation_loss(scores, wanted):
    row, place = torch.nonzero(wanted != PAD, as_tuple=True)
    real = scores[row, place]
    chosen = real[torch.arange(len(real), device=real.device), wanted[row, place]]
    return (torch.logsumexp(real, dim=1) - chosen).sum() / len(real)


# %% wrong="empty targets make a tensor of floats" caught_by="one place apart"
def shift(targets):
    n = max(map(len, targets))
    words = torch.tensor([[*t] + [PAD] * (n - len(t)) for t in targets])
    given = torch.cat([torch.full((len(targets), 1), BOS), words], dim=1)
    wanted = [[*t, EOS] + [PAD] * (n - len(t)) for t in targets]
    return given, torch.tensor(wanted)


def translation_loss(scores, wanted):
    return F.cross_entropy(scores.flatten(0, 1), wanted.flatten(), ignore_index=PAD)


# %% wrong="the loss fails on targets from which columns have been cut off" caught_by="mean over real places" change="wanted.flatten() -> wanted.view(-1)"


# %% wrong="numbers through half precision" caught_by="one place apart" change="torch.tensor([*target, EOS]) -> torch.tensor([*target, EOS]).half()"
