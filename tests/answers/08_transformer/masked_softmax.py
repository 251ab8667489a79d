"""Answers to the task masked_softmax of chapter 08."""


# %% right="masked_fill, comparison of places"
def by_hand():
    powers = np.array([1, 3, 0])
    return powers / powers.sum()


def masked_softmax(x, m):
    return x.masked_fill(m == 0, -math.inf).softmax(-1)


def additive_mask(T):
    place = torch.arange(T)
    return torch.where(place <= place[:, None], 0.0, -torch.inf)


no_weights = 1
sign = ">"


# %% right="by the formula, the largest allowed score taken off"
def by_hand():
    return (0.25, 0.75, 0.0)


def masked_softmax(x, m):
    x = torch.where(m > 0, x, torch.tensor(-1e30, dtype=x.dtype))
    powers = m * torch.exp(x - x.amax(-1, keepdim=True))
    return powers / powers.sum(-1, keepdim=True)


def additive_mask(T):
    mask = torch.zeros(T, T)
    for t in range(T):
        mask[t, t + 1 :] = float("-inf")
    return mask


no_weights, sign = 1.0, " > "


# %% wrong="not shared out again" caught_by="three words by hand" change="4, 3 / 4 -> 8, 3 / 8"


# %% wrong="the future counts, too" caught_by="three words by hand" change="4, 3 / 4, 0 -> 8, 3 / 8, 4 / 8"


# %% wrong="scores for powers" caught_by="three words by hand" change="1 / 4, 3 / 4 -> 0, 1"


# %% wrong="the printed formula, term by term" caught_by="hidden scores have no say" change="torch.softmax(x + torch.log(m), dim=-1 -> m * x.exp() / (m * x.exp()).sum(-1, keepdim=True"


# %% wrong="masked after the softmax" caught_by="hidden scores have no say" change="torch.softmax(x + torch.log(m), dim= -> m * x.softmax("


# %% wrong="scores times mask" caught_by="hidden scores have no say" change="torch.softmax(x + torch.log(m), dim= -> (m * x).softmax("


# %% wrong="the sum goes over the rows" caught_by="hidden scores have no say" change="dim=-1 -> dim=0"


# %% wrong="the softmax is set to minus infinity" caught_by="hidden scores have no say" change="torch.softmax(x + torch.log(m), dim=-1 -> x.softmax(-1) + torch.log(m"


# %% wrong="off by one, as printed" caught_by="zero, and minus infinity above" change="triu(1 -> triu(0"


# %% wrong="one place too far" caught_by="zero, and minus infinity above" change="triu(1 -> triu(2"


# %% wrong="the past is hidden" caught_by="zero, and minus infinity above" change="triu(1 -> tril(-1"


# %% wrong="zeros and ones" caught_by="zero, and minus infinity above" change="full((T, T), -math.inf).triu(1 -> ones(T, T).tril("


# %% wrong="a large number for infinity" caught_by="zero, and minus infinity above" change="math.inf -> 1e9"


# %% wrong="the last place" caught_by="the printed sign"
# - no_weights = 1
# + # no_weights = a place, counted from 1
# + no_weights = 3


# %% wrong="counted from zero" caught_by="the printed sign"
# - no_weights = 1
# + # no_weights = a place, counted from 1
# + no_weights = 0


# %% wrong="the past is forbidden" caught_by="the printed sign" change="= \"> -> = \"<"


# %% wrong="scores above 88 overflow" caught_by="hidden scores have no say"
# -     return torch.softmax(x + torch.log(m), dim=-1)
# +     powers = torch.exp(x.float().masked_fill(m == 0, -math.inf))
# +     return powers / powers.sum(-1, keepdim=True)


# %% wrong="the scores are masked in place" caught_by="hidden scores have no say" change="torch.softmax(x + torch.log(m), dim= -> x.masked_fill_(m == 0, -math.inf).softmax("


# %% wrong="the largest score of all taken off, masked ones too" caught_by="hidden scores have no say"
# -     return torch.softmax(x + torch.log(m), dim=-1)
# +     powers = m * torch.exp(x - x.amax(-1, keepdim=True))
# +     return powers / (powers.sum(-1, keepdim=True) + 1e-30)


# %% wrong="a thousand is enough" caught_by="hidden scores have no say" change="+ torch.log(m -> - 1004 * (1 - m"


# %% wrong="a mask of four places only" caught_by="zero, and minus infinity above" change="T, T), -math.inf).triu(1) -> 4, 4), -math.inf).triu(1)[:T, :T]"


# %% right="in float32, a mask of float64"
# -     return [1 / 4, 3 / 4, 0]
# +     return torch.tensor([0.25, 0.75, 0])

# -     return torch.softmax(x + torch.log(m), dim=-1)
# +     return torch.where(m.bool(), x.float(), torch.tensor(-math.inf)).softmax(-1)

# -     return torch.full((T, T), -math.inf).triu(1)
# +     return torch.full((T, T), -math.inf, dtype=torch.float64).triu(1)


# %% wrong="the largest score of all rows is taken off" caught_by="hidden scores have no say"
# -     return torch.softmax(x + torch.log(m), dim=-1)
# +     powers = m * torch.exp(torch.where(m > 0, x - x[m > 0].amax(), -torch.inf))
# +     return powers / powers.sum(-1, keepdim=True)


# %% wrong="the same mask for every caller" caught_by="zero, and minus infinity above"
# -     return torch.full((T, T), -math.inf).triu(1)
# +     known = additive_mask.__dict__.setdefault("known", {})
# +     return known.setdefault(T, torch.full((T, T), -math.inf).triu(1))
