"""Answers to the task next_distribution of chapter 08."""


# %% right="scores to minus infinity, sorted and scattered back"
def next_distribution(s, tau=1.0, k=None, p=None):
    if tau == 0:
        best = torch.zeros_like(s)
        best[torch.arange(len(s)), s.argmax(1)] = 1
        return best
    values, order = (s / tau).sort(dim=1, descending=True)
    if k is not None and k < s.shape[1]:
        values = values.masked_fill(values < values[:, k - 1 : k], -math.inf)
    chances = values.softmax(1)
    if p is not None:
        before = chances.cumsum(1) - chances
        last = values.masked_fill(before >= p, math.inf).min(1, keepdim=True).values
        chances[values < last] = 0
        chances = chances / chances.sum(1, keepdim=True)
    return torch.zeros_like(chances).scatter(1, order, chances)


# %% right="row by row, a loop, in float32"
def next_distribution(s, tau=1.0, k=None, p=None):
    rows = []
    for row in s.float():
        best = sorted(range(len(row)), key=lambda v: -float(row[v]))
        if tau == 0:
            kept, chances = best[:1], torch.ones_like(row)
        else:
            chances = torch.exp((row - row.max()) / tau)
            if k is not None:
                best = [v for v in best if row[v] >= row[best[min(k, len(best)) - 1]]]
            kept = best
            if p is not None:
                total, far, i = chances[best].sum(), 0.0, 0
                while i < len(best) and far < p:
                    far, i = far + chances[best[i]] / total, i + 1
                kept = [v for v in best if row[v] >= row[best[i - 1]]]
        new = torch.zeros_like(row)
        new[kept] = chances[kept] / chances[kept].sum()
        rows.append(new)
    return torch.stack(rows)


# %% wrong="multiplied with the temperature" caught_by="temperature" change="/ tau -> * tau"


# %% wrong="temperature on the chances" caught_by="temperature" change="s / tau, dim=-1) -> s, dim=-1) / tau"


# %% wrong="the best row, not the best token" caught_by="temperature" change="-1), s.shape[-1]) -> 0), s.shape[-1])[: len(s)]"


# %% wrong="softmax over the batch" caught_by="temperature" change="dim=-1 -> dim=0"


# %% wrong="not scaled after top-k" caught_by="the k most likely"
#           chances = chances * (chances >= least)
# -         chances = chances / chances.sum(-1, keepdim=True)


# %% wrong="one too many" caught_by="the k most likely" change="1]) - 1 -> 1] - 1)"


# %% wrong="the k least likely" caught_by="the k most likely"
# -         least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
# -         chances = chances * (chances >= least)
# +         least = chances.sort().values[:, min(k, s.shape[-1]) - 1, None]
# +         chances = chances * (chances <= least)


# %% wrong="equal chances for the k" caught_by="the k most likely" change="chances * (chances -> 1.0 * (chances"


# %% wrong="the one that crosses p is dropped" caught_by="the fewest that reach p"
# -         kept = ordered.cumsum(-1) - ordered < p
# -         chances = chances * (
# -             chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1)
# -         )
# +         kept = (ordered.cumsum(-1) <= p) | (ordered == ordered[:, :1])
# +         chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))


# %% wrong="all above p" caught_by="the fewest that reach p"
# -         chances = chances * (
# -             chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1)
# -         )
# +         chances = chances * ((chances >= p) | (chances == ordered[:, :1]))


# %% wrong="not scaled after top-p" caught_by="the fewest that reach p"
# -         chances = chances * (
# -             chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1)
# -         )
# -         chances = chances / chances.sum(-1, keepdim=True)
# +         chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))


# %% wrong="top-p ignores that top-k was there" caught_by="all three in order"
# -         ordered = chances.sort(descending=True).values
# +         ordered = torch.softmax(s / tau, dim=-1).sort(descending=True).values

# -         chances = chances * (
# -             chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1)
# -         )
# +         chances = chances * (torch.softmax(s / tau, dim=-1) >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))


# %% wrong="top-p at temperature 1" caught_by="all three in order"
# -         ordered = chances.sort(descending=True).values
# +         plain = torch.softmax(s, dim=-1) * (chances > 0)
# +         plain = plain / plain.sum(-1, keepdim=True)
# +         ordered = plain.sort(descending=True).values

# -         chances = chances * (
# -             chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1)
# -         )
# +         chances = chances * (plain >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))


# %% wrong="one more where the sum is exactly p" caught_by="the fewest that reach p"
# -         kept = ordered.cumsum(-1) - ordered < p
# -         chances = chances * (
# -             chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1)
# -         )
# +         kept = ordered.cumsum(-1) - ordered <= p
# +         chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))


# %% wrong="of equally likely ones some are dropped" caught_by="the k most likely | the fewest that reach p"
def next_distribution(s, tau=1.0, k=None, p=None):
    if tau == 0:
        best = torch.zeros_like(s)
        best[torch.arange(len(s)), s.argmax(1)] = 1
        return best
    values, order = (s / tau).sort(dim=1, descending=True)
    if k is not None:
        values[:, k:] = -math.inf
    chances = values.softmax(1)
    if p is not None:
        before = chances.cumsum(1) - chances
        chances[before >= p] = 0
        chances = chances / chances.sum(1, keepdim=True)
    return torch.zeros_like(chances).scatter(1, order, chances)


# %% wrong="the library's own, which breaks ties" caught_by="the k most likely | the fewest that reach p"
def next_distribution(s, tau=1.0, k=None, p=None):
    return transformer.probabilities(s, tau, k, p)


# %% wrong="p = 1 is never reached in float32" caught_by="the fewest that reach p"
# -         kept = ordered.cumsum(-1) - ordered < p
# -         chances = chances * (
# -             chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1)
# -         )
# +         first = (ordered.cumsum(-1) >= p).int().argmax(-1, keepdim=True)
# +         kept = torch.arange(s.shape[-1]) <= first
# +         chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))


# %% wrong="no temperature is a temperature of 1/1000" caught_by="temperature"
# -     if tau == 0:
# -         return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
# +     tau = max(tau, 1e-3)


# %% wrong="scores divided in place" caught_by="temperature"
# -     chances = torch.softmax(s / tau, dim=-1)
# +     s /= tau
# +     chances = torch.softmax(s, dim=-1)


# %% wrong="top-p before top-k" caught_by="all three in order"
def next_distribution(s, tau=1.0, k=None, p=None):
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
        chances = chances / chances.sum(-1, keepdim=True)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    return chances


# %% wrong="cut as in the first row" caught_by="the k most likely"
#       if k is not None:
# +         chances = chances * (chances >= chances[:1].sort(descending=True).values[:, min(k, s.shape[-1]) - 1])


# %% wrong="tau = 0 only without k and p" caught_by="temperature"
#       """Chances [B, V] from scores s [B, V], which stay as they are."""
# +     tau = tau if tau or (k is None and p is None) else 1.0


# %% wrong="an exponential that overflows" caught_by="temperature"
# -     chances = torch.softmax(s / tau, dim=-1)
# +     chances = torch.exp(s / tau)
# +     chances = chances / chances.sum(-1, keepdim=True)


# %% wrong="k different chances" caught_by="the k most likely"
#       if k is not None:
# -         least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
# +         kinds = [sorted(set(row.tolist()), reverse=True)[:k] for row in chances]
# +         least = torch.tensor([[row[-1]] for row in kinds], dtype=s.dtype)


# %% wrong="equals share at temperature 0" caught_by="temperature"
# -         return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
# +         best = (s == s.amax(-1, keepdim=True)).to(s.dtype)
# +         return best / best.sum(-1, keepdim=True)


# %% wrong="nearly as likely counts as just as likely" caught_by="the k most likely"
# -         chances = chances * (chances >= least)
# +         chances = chances * (chances >= 0.99 * least)


# %% wrong="nearly frozen is frozen" caught_by="temperature" change="if tau == 0: -> if tau < 1e-3:"
