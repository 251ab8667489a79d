"""Answers to the task next_distribution of chapter 08."""


# %% right="scores sorted, and scattered back"
def next_distribution(scores, tau=1.0, p=None):
    if tau == 0:
        best = torch.zeros_like(scores)
        best[torch.arange(len(scores)), scores.argmax(1)] = 1
        return best
    values, order = (scores / tau).sort(dim=1, descending=True)
    chances = values.softmax(1)
    if p is not None:
        chances[chances.cumsum(1) - chances >= p] = 0
        chances = chances / chances.sum(1, keepdim=True)
    return torch.zeros_like(chances).scatter(1, order, chances)


# %% right="row by row, a loop, in float32"
def next_distribution(scores, tau=1.0, p=None):
    rows = []
    for row in scores.float():
        best = sorted(range(len(row)), key=lambda v: -float(row[v]))
        if tau == 0:
            kept, chances = best[:1], torch.ones_like(row)
        else:
            chances = torch.exp((row - row.max()) / tau)
            kept = best
            if p is not None:
                total, far, i = chances.sum(), 0.0, 0
                while i < len(best) and far < p:
                    far, i = far + chances[best[i]] / total, i + 1
                kept = best[:i]
        new = torch.zeros_like(row)
        new[kept] = chances[kept] / chances[kept].sum()
        rows.append(new)
    return torch.stack(rows)


# %% wrong="multiplied with the temperature" caught_by="temperature" change="/ tau -> * tau"


# %% wrong="temperature on the chances" caught_by="temperature" change="scores / tau, dim=-1) -> scores, dim=-1) / tau"


# %% wrong="the best row, not the best token" caught_by="temperature" change="-1), scores.shape[-1]) -> 0), scores.shape[-1])[: len(scores)]"


# %% wrong="softmax over the batch" caught_by="temperature" change="dim=-1 -> dim=0"


# %% wrong="the one that crosses p is dropped" caught_by="the fewest that reach p"
# -         kept = ordered.cumsum(-1) - ordered < p
# +         kept = (ordered.cumsum(-1) <= p) | (ordered == ordered[:, :1])


# %% wrong="all above p" caught_by="the fewest that reach p"
# -         chances = chances * (chances >= least)
# +         chances = chances * ((chances >= p) | (chances == ordered[:, :1]))


# %% wrong="the least likely ones are kept" caught_by="the fewest that reach p"
# -         ordered = chances.sort(descending=True).values
# +         ordered = chances.sort().values

# -         chances = chances * (chances >= least)
# +         chances = chances * (chances <= least)


# %% wrong="not scaled after top-p" caught_by="the fewest that reach p"
#           chances = chances * (chances >= least)
# -         chances = chances / chances.sum(-1, keepdim=True)


# %% wrong="equal chances for those kept" caught_by="the fewest that reach p" change="chances * (chances -> 1.0 * (chances"


# %% wrong="cut as in the first row" caught_by="the fewest that reach p" change="(chances >= least) -> (chances >= least[:1])"


# %% wrong="top-p at temperature 1" caught_by="temperature first, then p"
# -         ordered = chances.sort(descending=True).values
# +         plain = torch.softmax(scores, dim=-1)
# +         ordered = plain.sort(descending=True).values

# -         chances = chances * (chances >= least)
# +         chances = chances * (plain >= least)


# %% wrong="the temperature after top-p" caught_by="temperature first, then p"
# -     chances = torch.softmax(scores / tau, dim=-1)
# +     chances = torch.softmax(scores, dim=-1)

# -     return chances
# +     chances = chances ** (1 / tau)
# +     return chances / chances.sum(-1, keepdim=True)


# %% wrong="one more where the sum is exactly p" caught_by="the fewest that reach p" change="ordered < p -> ordered <= p"


# %% wrong="p = 1 is never reached in float32" caught_by="the fewest that reach p"
# -         kept = ordered.cumsum(-1) - ordered < p
# +         first = (ordered.cumsum(-1) >= p).int().argmax(-1, keepdim=True)
# +         kept = torch.arange(scores.shape[-1]) <= first


# %% wrong="no temperature is a temperature of 1/1000" caught_by="temperature"
# -     if tau == 0:
# -         return F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)
# +     tau = max(tau, 1e-3)


# %% wrong="scores divided in place" caught_by="temperature"
# -     chances = torch.softmax(scores / tau, dim=-1)
# +     scores /= tau
# +     chances = torch.softmax(scores, dim=-1)


# %% wrong="tau = 0 only without p" caught_by="temperature" change="if tau == 0: -> if tau == 0 and p is None:"


# %% wrong="an exponential that overflows" caught_by="temperature"
# -     chances = torch.softmax(scores / tau, dim=-1)
# +     chances = torch.exp(scores / tau)
# +     chances = chances / chances.sum(-1, keepdim=True)


# %% wrong="equals share at temperature 0" caught_by="temperature"
# -         return F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)
# +         best = (scores == scores.amax(-1, keepdim=True)).to(scores.dtype)
# +         return best / best.sum(-1, keepdim=True)


# %% wrong="nearly as likely counts as just as likely" caught_by="the fewest that reach p" change="chances >= least -> chances >= 0.99 * least"


# %% wrong="nearly frozen is frozen" caught_by="temperature" change="if tau == 0: -> if tau < 1e-3:"


# %% wrong="top-p looks at a hundred tokens at most" caught_by="the fewest that reach p"
def next_distribution(scores, tau=1.0, p=None):
    if tau == 0:
        return F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)
    chances = (scores / tau).softmax(-1)
    if p is None:
        return chances
    ordered, places = chances.topk(min(100, chances.shape[-1]), dim=-1)
    before = ordered.cumsum(-1) - ordered
    ordered = ordered.masked_fill(before >= p, 0)
    kept = torch.zeros_like(chances).scatter(-1, places, ordered)
    return kept / kept.sum(-1, keepdim=True)


# %% wrong="whole numbers at temperature 0" caught_by="temperature" change=".to(scores.dtype) -> "


# %% wrong="no temperature where p is 1" caught_by="the fewest that reach p"
# -     if tau == 0:
# +     if p == 1:
# +         return scores.softmax(-1)
# +     if tau == 0:
