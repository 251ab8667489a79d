"""Answers to the task smoothed_loss of chapter 09."""


# %% right="by the distribution q"
def smoothed_loss(scores, targets, eps):
    V = scores.shape[-1]
    q = (1 - eps) * F.one_hot(targets, V).to(scores.dtype) + eps / V
    each = -(q * torch.log_softmax(scores, 2)).sum(2)
    counted = (targets != 0).to(scores.dtype)
    return (each * counted).sum() / counted.sum()


def least_loss(V, eps):
    q = np.full(V, eps / V)
    q[0] += 1 - eps
    q = q[q > 0]
    return float(-(q * np.log(q)).sum())


# %% right="torch's own loss"
def smoothed_loss(scores, targets, eps):
    return F.cross_entropy(
        scores.reshape(-1, scores.shape[-1]), targets.reshape(-1), ignore_index=0, label_smoothing=float(eps)
    )


def least_loss(V, eps):
    q = torch.full((V,), eps / V, dtype=torch.float64)
    q[-1] += 1 - eps
    return torch.special.entr(q).sum().item()


# %% wrong="padding counts" caught_by="padding does not count" change="loss[targets != PAD].mean() -> loss.mean()"


# %% wrong="padding is 0 above the line, but counts below" caught_by="padding does not count" change="loss[targets != PAD].mean() -> (loss * (targets != PAD)).mean()"


# %% wrong="the mean of each text, then over texts" caught_by="padding does not count"
# -     return loss[targets != PAD].mean()
# +     words = (targets != PAD).to(loss.dtype)
# +     return ((loss * words).sum(1) / words.sum(1)).mean()


# %% wrong="ε for each word" caught_by="a share for every word" change="eps * log_p.mean(-1) -> eps * log_p.sum(-1)"


# %% wrong="the right word keeps all" caught_by="a share for every word" change="(1 - eps) * usual -> usual"


# %% wrong="ε only for the other words" caught_by="a share for every word"
# -     loss = (1 - eps) * usual - eps * log_p.mean(-1)
# +     V = scores.shape[-1]
# +     others = (log_p.sum(-1) + usual) / (V - 1)
# +     loss = (1 - eps) * usual - eps * others


# %% wrong="the sign of the share" caught_by="a share for every word" change="usual - eps -> usual + eps"


# %% wrong="no smoothing at all" caught_by="a share for every word" change="(1 - eps) * usual - eps * log_p.mean(-1) -> usual"


# %% wrong="a sum over places" caught_by="a share for every word" change="PAD].mean() -> PAD].sum()"


# %% wrong="softmax, then the logarithm" caught_by="a share for every word" change="scores.log_softmax(-1) -> scores.softmax(-1).log()"


# %% wrong="softmax over places" caught_by="a share for every word" change="log_softmax(-1) -> log_softmax(1)"


# %% wrong="the probabilities are smoothed, not the target" caught_by="a share for every word"
# -     log_p = scores.log_softmax(-1)
# +     log_p = ((1 - eps) * scores.softmax(-1) + eps / scores.shape[-1]).log()

# -     loss = (1 - eps) * usual - eps * log_p.mean(-1)
# +     loss = usual


# %% wrong="the share sends no gradient" caught_by="a share for every word" change="log_p.mean(-1) -> log_p.mean(-1).detach()"


# %% wrong="padding is no word of V" caught_by="a share for every word" change="log_p.mean(-1) -> log_p[..., 1:].mean(-1)"


# %% wrong="nothing is lowest" caught_by="as low as it gets"
# -     return -sum(count * q * math.log(q) for count, q in parts if count and q > 0)
# +     return 0.0 if eps < 1 else math.log(V)


# %% wrong="only the right word" caught_by="as low as it gets" change="(1, first), (V - 1, other) -> (1, first), (0, other)"


# %% wrong="V other words" caught_by="as low as it gets" change="(V - 1, other) -> (V, other)"


# %% wrong="the right word gets no share" caught_by="as low as it gets" change="first, other = 1 - eps + eps / V, eps / V -> first, other = 1 - eps, eps / max(V - 1, 1)"


# %% wrong="in bits" caught_by="as low as it gets" change="math.log(q) -> math.log2(q)"


# %% wrong="0 ln 0 is an error" caught_by="as low as it gets" change=" if count and q > 0) -> )"
