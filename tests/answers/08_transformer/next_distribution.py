"""Answers to the task next_distribution of chapter 08."""


# %% right="scores to minus infinity, sorted and scattered back"
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


# %% right="row by row, a loop"
def next_distribution(s, tau=1.0, k=None, p=None):
    rows = []
    for row in s:
        best = sorted(range(len(row)), key=lambda v: -float(row[v]))
        if tau == 0:
            kept, chances = best[:1], torch.ones_like(row)
        else:
            chances = torch.exp((row - row.max()) / tau)
            kept = best[:k]
            if p is not None:
                total, far, i = chances[kept].sum(), 0.0, 0
                while i < len(kept) and far < p:
                    far, i = far + chances[kept[i]] / total, i + 1
                kept = kept[:i]
        new = torch.zeros_like(row)
        new[kept] = chances[kept] / chances[kept].sum()
        rows.append(new)
    return torch.stack(rows)


# %% wrong="multiplied with the temperature" caught_by="temperature"
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s * tau, dim=-1)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
        chances = chances / chances.sum(-1, keepdim=True)
    return chances


# %% wrong="temperature on the chances" caught_by="temperature"
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s, dim=-1) / tau
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
        chances = chances / chances.sum(-1, keepdim=True)
    return chances


# %% wrong="the best row, not the best token" caught_by="temperature"
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    if tau == 0:
        return F.one_hot(s.argmax(0), s.shape[-1])[: len(s)].to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
        chances = chances / chances.sum(-1, keepdim=True)
    return chances


# %% wrong="softmax over the batch" caught_by="temperature"
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=0)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
        chances = chances / chances.sum(-1, keepdim=True)
    return chances


# %% wrong="not scaled after top-k" caught_by="the k most likely"
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
        chances = chances / chances.sum(-1, keepdim=True)
    return chances


# %% wrong="one too many" caught_by="the k most likely"
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1] - 1), None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
        chances = chances / chances.sum(-1, keepdim=True)
    return chances


# %% wrong="the k least likely" caught_by="the k most likely"
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if k is not None:
        least = chances.sort().values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances <= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
        chances = chances / chances.sum(-1, keepdim=True)
    return chances


# %% wrong="equal chances for the k" caught_by="the k most likely"
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = 1.0 * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
        chances = chances / chances.sum(-1, keepdim=True)
    return chances


# %% wrong="the one that crosses p is dropped" caught_by="the fewest that reach p"
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = (ordered.cumsum(-1) <= p) | (ordered == ordered[:, :1])
        chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
        chances = chances / chances.sum(-1, keepdim=True)
    return chances


# %% wrong="all above p" caught_by="the fewest that reach p"
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * ((chances >= p) | (chances == ordered[:, :1]))
        chances = chances / chances.sum(-1, keepdim=True)
    return chances


# %% wrong="not scaled after top-p" caught_by="the fewest that reach p"
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
    return chances


# %% wrong="top-p ignores that top-k was there" caught_by="all three in order"
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = torch.softmax(s / tau, dim=-1).sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (torch.softmax(s / tau, dim=-1) >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
        chances = chances / chances.sum(-1, keepdim=True)
    return chances


# %% wrong="top-p at temperature 1" caught_by="all three in order"
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        plain = torch.softmax(s, dim=-1) * (chances > 0)
        plain = plain / plain.sum(-1, keepdim=True)
        ordered = plain.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (plain >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
        chances = chances / chances.sum(-1, keepdim=True)
    return chances


# %% wrong="one more where the sum is exactly p" caught_by="the fewest that reach p"
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered <= p
        chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
        chances = chances / chances.sum(-1, keepdim=True)
    return chances
