"""Answers to the task masked_attention of chapter 06."""


# %% right="exponentials, divided by a sum that may be zero"
def causal_mask(T):
    places = torch.arange(T)
    return places[None, :] <= places[:, None]


def masked_attention(Q, K, V, mask):
    S = torch.matmul(Q, K.transpose(-2, -1)) / Q.shape[-1] ** 0.5
    E = torch.exp(S - S.amax(dim=-1, keepdim=True)) * mask
    total = E.sum(dim=-1, keepdim=True)
    return (E / torch.where(total == 0, 1.0, total)) @ V


# %% right="added mask, row by row"
def causal_mask(T):
    return torch.tensor([[j <= i for j in range(T)] for i in range(T)])


def masked_attention(Q, K, V, mask):
    added = torch.where(mask, 0.0, -torch.inf).to(Q.dtype)
    Z = torch.softmax(Q @ K.mT * Q.shape[-1] ** -0.5 + added, dim=-1) @ V
    return torch.where(mask.any(dim=-1)[:, None], Z, torch.zeros_like(Z))


# %% wrong="strictly below the diagonal" caught_by="on and below the diagonal"
# -     """Tensor of bools, [T, T]: True where row i may look at column j."""
# -     return torch.ones(T, T, dtype=torch.bool).tril()
# +     """bool [T, T]: True where row i may look at column j."""
# +     return torch.ones(T, T, dtype=torch.bool).tril(-1)


# %% wrong="the future instead of the past" caught_by="on and below the diagonal"
# -     """Tensor of bools, [T, T]: True where row i may look at column j."""
# -     return torch.ones(T, T, dtype=torch.bool).tril()
# +     """bool [T, T]: True where row i may look at column j."""
# +     return torch.ones(T, T, dtype=torch.bool).triu()


# %% wrong="one word ahead" caught_by="on and below the diagonal"
# -     """Tensor of bools, [T, T]: True where row i may look at column j."""
# -     return torch.ones(T, T, dtype=torch.bool).tril()
# +     """bool [T, T]: True where row i may look at column j."""
# +     return torch.ones(T, T, dtype=torch.bool).tril(1)


# %% wrong="numbers instead of bools" caught_by="on and below the diagonal"
# -     """Tensor of bools, [T, T]: True where row i may look at column j."""
# -     return torch.ones(T, T, dtype=torch.bool).tril()
# +     """bool [T, T]: True where row i may look at column j."""
# +     return torch.ones(T, T).tril()


# %% wrong="mask the other way round" caught_by="only what may be seen" change="~mask, -> mask,"


# %% wrong="filled with zero" caught_by="only what may be seen" change="-math.inf -> 0"


# %% wrong="masked after the softmax" caught_by="only what may be seen"
# -     S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -math.inf)
# -     A = S.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0)
# +     S = Q @ K.mT / math.sqrt(Q.shape[-1])
# +     A = S.softmax(-1).masked_fill(~mask, 0)


# %% wrong="not scaled" caught_by="only what may be seen" change="mT / math.sqrt(Q.shape[-1]) -> mT"


# %% wrong="scaled by d_k" caught_by="only what may be seen" change="math.sqrt(Q.shape[-1]) -> Q.shape[-1]"


# %% wrong="scaled by the number of words" caught_by="only what may be seen" change="-1] -> -2]"


# %% wrong="softmax over the queries" caught_by="only what may be seen" change="-1) -> -2)"


# %% wrong="a row of nothing is not a number" caught_by="a row that sees nothing" change=".masked_fill(~mask.any(-1, keepdim=True), 0) -> "


# %% wrong="a row of nothing sees all: -1e9" caught_by="a row that sees nothing"
# -     S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -math.inf)
# -     A = S.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0)
# +     S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -1e9)
# +     A = S.softmax(-1)


# %% wrong="columns without a viewer instead of rows" caught_by="a row that sees nothing" change="-1, -> -2,"


# %% wrong="filled with minus a hundred" caught_by="only what may be seen" change="math.inf -> 100"


# %% wrong="the mask mended in place" caught_by="a row that sees nothing"
# -     S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -math.inf)
# -     A = S.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0)
# -     return A @ V
# +     empty = ~mask.any(-1)
# +     mask[empty] = True
# +     Z = attend(Q, K, V, attn_mask=mask)
# +     return torch.where(empty[:, None], torch.zeros_like(Z), Z)


# %% wrong="the mask turned round in place" caught_by="only what may be seen"
# -     S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -math.inf)
# -     A = S.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0)
# -     return A @ V
# +     S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(mask.logical_not_(), -math.inf)
# +     return S.softmax(-1).nan_to_num() @ V


# %% wrong="empty rows sought among the texts" caught_by="a row that sees nothing"
# -     S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -math.inf)
# -     A = S.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0)
# -     return A @ V
# +     S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -1e9)
# +     Z = S.softmax(-1) @ V
# +     for i in range(min(len(mask), len(Z))):
# +         if not mask[i].any():
# +             Z[i] = 0
# +     return Z


# %% wrong="only the first text is mended" caught_by="a row that sees nothing"
# -     S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -math.inf)
# -     A = S.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0)
# -     return A @ V
# +     S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -1e9)
# +     Z = S.softmax(-1) @ V
# +     first = Z if Z.ndim == 2 else Z.flatten(0, -3)[0]
# +     first[~mask.any(-1)] = 0
# +     return Z


# %% wrong="one empty row is looked for" caught_by="a row that sees nothing"
# -     S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -math.inf)
# -     A = S.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0)
# -     return A @ V
# +     Z = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -1e9).softmax(-1) @ V
# +     empty = (~mask.any(-1)).int()
# +     if empty.any():
# +         Z[..., empty.argmax(), :] = 0
# +     return Z


# %% wrong="ends in NumPy, where no gradient passes" caught_by="only what may be seen"
def causal_mask(T):
    return torch.from_numpy(np.tri(T, dtype=bool))


def masked_attention(Q, K, V, mask):
    S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -math.inf)
    return (S.softmax(-1).nan_to_num(0) @ V).numpy()


# %% wrong="one key is always seen" caught_by="a row that sees nothing"
#       """[..., m, d_v]; mask: bool [m, n], True = may look. Zeros where a row may look nowhere. Gradients pass."""
# +     if K.shape[-2] == 1:
# +         mask = torch.ones_like(mask)


# %% wrong="one query has no axis" caught_by="a row that sees nothing" change="A @ -> A.squeeze(-2) @"


# %% wrong="one number for each word has no axis" caught_by="a row that sees nothing" change="A @ V -> (A @ V).squeeze(-1)"


# %% wrong="forbidden scores become -10,000" caught_by="only what may be seen" change="-math.inf -> -1e4"


# %% wrong="queries of zeros see nothing" caught_by="a row that sees nothing" change="return A @ V -> return A @ V * (Q != 0).any(-1, keepdim=True)"


# %% wrong="a triangle of at most 512 words" caught_by="on and below the diagonal" change=".tril() -> .tril().triu(-511)"


# %% wrong="keys are counted in 8 bits" caught_by="a row that sees nothing" change="~mask.any(-1, keepdim=True) -> mask.sum(-1, keepdim=True).to(torch.uint8) == 0"


# %% right="what is not a number becomes zero" change=".masked_fill(~mask.any(-1, keepdim=True), 0) -> .nan_to_num(0)"


# %% wrong="masked after the softmax, then divided by the rest" caught_by="only what may be seen"
# -     S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -math.inf)
# -     A = S.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0)
# +     A = (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(-1) * mask
# +     A = A / A.sum(-1, keepdim=True).clamp(min=1e-30)


# %% wrong="keys in blocks of 100: nan for a row that sees nothing of the first" caught_by="a row that sees nothing"
def causal_mask(T):
    return torch.ones(T, T).bool().tril()


def masked_attention(Q, K, V, mask):
    top, total, mixed = None, 0.0, 0.0
    nowhere = ~mask.any(-1, keepdim=True)
    for begin in range(0, K.shape[-2], 100):
        block = slice(begin, begin + 100)
        s = Q @ K[..., block, :].mT / math.sqrt(K.shape[-1])
        s = s.masked_fill(~mask[..., block], -math.inf).masked_fill(nowhere, 0.0)
        largest = s.amax(-1, keepdim=True).detach()
        new = largest if top is None else torch.maximum(top, largest)
        old = 0.0 if top is None else torch.exp(top - new)
        e = torch.exp(s - new)
        total = total * old + e.sum(-1, keepdim=True)
        mixed = mixed * old + e @ V[..., block, :]
        top = new
    return (mixed / total).masked_fill(nowhere, 0.0)
