"""Answers to the task masked_loss of chapter 07."""


# %% right="gather from log-softmax"
def masked_loss(scores, targets):
    asked = (targets != -100).to(scores.dtype)
    ln = scores.log_softmax(-1)
    each = ln.gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(each * asked).sum() / max(float(asked.sum()), 1.0)


# %% right="cross_entropy with ignore_index, the edge by itself"
def masked_loss(scores, targets):
    if not (targets != -100).any():
        return (scores * 0).sum()
    return F.cross_entropy(scores.transpose(1, 2), targets, ignore_index=-100)


# %% right="a loop over places"
def masked_loss(scores, targets):
    total, count = scores.sum() * 0, 0
    for row, wanted in zip(scores.flatten(0, 1), targets.flatten().tolist()):
        if wanted >= 0:
            total = total + row.logsumexp(0) - row[wanted]
            count += 1
    return total / count if count else total


# %% wrong="NaN where nothing is asked" caught_by="nothing asked" change=".clamp(min=1) -> "


# %% wrong="a sum" caught_by="only where asked" change="return total / asked.sum().clamp(min=1) -> return total"


# %% wrong="divided by all places" caught_by="only where asked" change="asked.sum().clamp(min=1) -> asked.numel()"


# %% wrong="all places, -100 counts as word 0" caught_by="only where asked" change="scores[asked], targets[asked], -> scores.flatten(0, 1), targets.flatten().clamp(min=0),"


# %% wrong="the mean of the texts' means" caught_by="every blank weighs the same"
# -     total = F.cross_entropy(scores[asked], targets[asked], reduction="sum")
# -     return total / asked.sum().clamp(min=1)
# +     means = [
# +         F.cross_entropy(s[a], t[a])
# +         for s, t, a in zip(scores, targets, asked)
# +         if a.any()
# +     ]
# +     return torch.stack(means).mean() if means else scores.sum() * 0


# %% wrong="divided by the number of texts" caught_by="every blank weighs the same" change="asked.sum().clamp(min=1) -> max(1, int(asked.any(1).sum()))"


# %% wrong="word 0 is never asked" caught_by="every blank weighs the same" change="targets != -100 -> targets > 0"


# %% wrong="exp overflows" caught_by="every blank weighs the same"
# -     total = F.cross_entropy(scores[asked], targets[asked], reduction="sum")
# +     powers = scores[asked].exp()
# +     own = powers.gather(1, targets[asked][:, None])[:, 0]
# +     total = -(own / powers.sum(1)).log().sum()


# %% wrong="one place is added to the number" caught_by="only where asked" change="asked.sum().clamp(min=1) -> (asked.sum() + 1)"


# %% wrong="a 0 without gradient" caught_by="nothing asked"
#       asked = targets != -100
# +     if not asked.any():
# +         return 0.0


# %% wrong="the gradient of a place that is not asked" caught_by="nothing asked" change="return total / asked -> return (total + (scores - scores.detach()).sum()) / asked"


# %% wrong="softmax taken twice" caught_by="only where asked" change="F.cross_entropy(scores[asked], -> F.cross_entropy(scores[asked].softmax(-1),"


# %% wrong="the targets are cleaned in place" caught_by="only where asked" change="return total / asked -> targets.clamp_(min=0)\n    return total / asked"


# %% wrong="the loss of probabilities clipped at 1e-9" caught_by="every blank weighs the same"
# -     total = F.cross_entropy(scores[asked], targets[asked], reduction="sum")
# +     P = scores[asked].softmax(-1).clamp(min=1e-9)
# +     total = F.nll_loss(P.log(), targets[asked], reduction="sum")


# %% right="NaN replaced: torch's gradient is 0 there"
def masked_loss(scores, targets):
    return torch.nan_to_num(F.cross_entropy(scores.flatten(0, 1), targets.flatten()))


# %% right="nothing asked: a 0 of its own"
def masked_loss(scores, targets):
    asked = targets != -100
    if not asked.any():
        return torch.zeros([], requires_grad=True)
    return F.cross_entropy(scores[asked], targets[asked])


# %% wrong="zero times the sum of all scores" caught_by="nothing asked"
def masked_loss(scores, targets):
    asked = targets != -100
    if not asked.any():
        return (scores.exp() * 0).sum()
    loss = F.cross_entropy(scores[asked], targets[asked], reduction="sum")
    return loss / asked.sum().clamp(min=1)
