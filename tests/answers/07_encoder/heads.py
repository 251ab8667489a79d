"""Answers to the task heads of chapter 07."""


# %% right="text by text"
def tag_head(X, W, b):
    return torch.stack([text @ W + b for text in X])


def class_head(X, lengths, W, b, how):
    if how not in ("mean", "max"):
        raise ValueError(how)
    rows = []
    for text, n in zip(X, lengths.tolist()):
        own = text[:n]
        rows.append(own.mean(dim=0) if how == "mean" else own.max(dim=0).values)
    return torch.stack(rows) @ W + b


# %% right="einsum, where, linear"
def tag_head(X, W, b):
    return torch.einsum("btc,ck->btk", X, W) + b


def class_head(X, lengths, W, b, how):
    real = torch.arange(X.shape[1]).expand(len(X), -1).lt(lengths.view(-1, 1))
    if how == "mean":
        zero = torch.zeros((), dtype=X.dtype)
        sums = torch.where(real.unsqueeze(-1), X, zero).sum(dim=1)
        return F.linear(sums / lengths.unsqueeze(1), W.T, b)
    if how == "max":
        low = torch.tensor(-math.inf, dtype=X.dtype)
        return F.linear(torch.where(real.unsqueeze(-1), X, low).max(1)[0], W.T, b)
    raise ValueError("mean or max")


# %% wrong="softmax over the tags" caught_by="a score for each word and tag" change="return X @ W + b -> return (X @ W + b).softmax(-1)"


# %% wrong="tags without bias" caught_by="a score for each word and tag" change="return X @ W + b -> return X @ W"


# %% wrong="tags with the weights the other way round" caught_by="a score for each word and tag" change="return X @ W + b -> return X @ W.T + b"


# %% wrong="divided by T" caught_by="the mean of a text's own words" change="sum(1) / lengths[:, None] -> mean(1)"


# %% wrong="padding is not left out of the mean" caught_by="the mean of a text's own words | padding never counts" change="X.masked_fill(padding, 0).sum(1) -> X.sum(1)"


# %% wrong="zeros in the maximum" caught_by="the maximum of a text's own words" change="-math.inf).amax -> 0).amax"


# %% wrong="a small number for the maximum, not small enough" caught_by="the maximum of a text's own words" change="-math.inf).amax -> -5).amax"


# %% wrong="multiplied with the mask" caught_by="padding never counts" change="X.masked_fill(padding, 0).sum(1) -> (X * ~padding).sum(1)"


# %% wrong="minus infinity is added" caught_by="padding never counts"
# -         pooled = X.masked_fill(padding, -math.inf).amax(1)
# +         pooled = (X + torch.zeros(padding.shape).masked_fill(padding, -math.inf)).amax(1)


# %% wrong="one place too many" caught_by="the mean of a text's own words" change=">= lengths[:, None])[ -> > lengths[:, None])["


# %% wrong="the longest text's length for all" caught_by="the mean of a text's own words" change=">= lengths[:, None])[ -> >= lengths.max())[None, :].expand(len(X), -1)["


# %% wrong="any other word is the maximum" caught_by="padding never counts"
# -     elif how == "max":
# +     else:

# -     else:
# -         raise ValueError(f"how is mean or max, not {how!r}")


# %% wrong="softmax over the classes" caught_by="the mean of a text's own words | the maximum of a text's own words" change="return pooled @ W + b -> return (pooled @ W + b).softmax(-1)"


# %% wrong="padding is replaced in the caller's X" caught_by="the maximum of a text's own words" change="X.masked_fill(padding, -math.inf) -> X.masked_fill_(padding, -math.inf)"


# %% wrong="maximum over the numbers, not the places" caught_by="the maximum of a text's own words" change="amax(1) -> amax(2)[:, : X.shape[2]]"


# %% wrong="NaN cleaned, infinities kept" caught_by="padding never counts" change="X.masked_fill(padding, 0).sum(1) -> (X.masked_fill(X.isnan(), 0) * ~padding).sum(1)"

# %% wrong="padding filled with minus a million" caught_by="the maximum of a text's own words" change="-math.inf -> -1e6"


# %% wrong="the mean sets padding to 0 in place" caught_by="the mean of a text's own words" change="X.masked_fill(padding, 0) -> X.masked_fill_(padding, 0) if not X.requires_grad else X.masked_fill(padding, 0)"


# %% wrong="tag head without gradients" caught_by="a score for each word and tag" change="return X @ W + b -> return X.detach() @ W.detach() + b"


# %% wrong="b gets no gradient in class_head" caught_by="padding never counts" change="return pooled @ W + b -> return pooled @ W + b.detach()"


# %% wrong="infinity replaced in the words, too" caught_by="the maximum of a text's own words" change="X.masked_fill(padding, -math.inf).amax(1) -> torch.nan_to_num(X).masked_fill(padding, -math.inf).amax(1)"
