"""Answers to the task scale of chapter 06."""


# %% right="torch's own"
def scaled_attention(Q, K, V):
    return F.scaled_dot_product_attention(Q, K, V)


# %% right="einsum, powers and sums"
def scaled_attention(Q, K, V):
    S = torch.einsum("...mk,...nk->...mn", Q * Q.shape[-1] ** -0.5, K)
    P = torch.exp(S - S.amax(-1, keepdim=True))
    return P / P.sum(-1, keepdim=True) @ V


# %% wrong="not scaled" caught_by="scaled by the keys' width"
def scaled_attention(Q, K, V):
    return torch.softmax(Q @ K.transpose(-2, -1), -1) @ V


# %% wrong="divided by d_k" caught_by="scaled by the keys' width"
def scaled_attention(Q, K, V):
    return torch.softmax(Q @ K.transpose(-2, -1) / K.shape[-1], -1) @ V


# %% wrong="scaled by the values' width" caught_by="scaled by the keys' width"
def scaled_attention(Q, K, V):
    return torch.softmax(Q @ K.transpose(-2, -1) / V.shape[-1] ** 0.5, -1) @ V


# %% wrong="weights scaled, not scores" caught_by="scaled by the keys' width"
def scaled_attention(Q, K, V):
    return torch.softmax(Q @ K.transpose(-2, -1), -1) / K.shape[-1] ** 0.5 @ V


# %% wrong="softmax over axis 1" caught_by="texts keep apart"
def scaled_attention(Q, K, V):
    return torch.softmax(Q @ K.transpose(-2, -1) / K.shape[-1] ** 0.5, 1) @ V


# %% wrong="first and second axis swapped" caught_by="texts keep apart"
def scaled_attention(Q, K, V):
    return torch.softmax(Q @ K.transpose(0, 1) / K.shape[-1] ** 0.5, -1) @ V


# %% wrong="two leading axes, no more, no less" caught_by="texts keep apart"
# -     S = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
# -     return torch.softmax(S, dim=-1) @ V
# +     if Q.ndim == 2:
# +         return torch.softmax(Q @ K.T / math.sqrt(K.shape[-1]), dim=-1) @ V
# +     B, h, m, d_k = Q.shape
# +     return torch.softmax(Q @ K.transpose(2, 3) / math.sqrt(d_k), dim=3) @ V


# %% wrong="queries scaled in place" caught_by="scaled by the keys' width"
# -     S = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
# -     return torch.softmax(S, dim=-1) @ V
# +     Q /= math.sqrt(K.shape[-1])
# +     return torch.softmax(Q @ K.mT, dim=-1) @ V


# %% right="float32, torch's own"
def scaled_attention(Q, K, V):
    return F.scaled_dot_product_attention(Q.float(), K.float(), V.float())


# %% wrong="one text is no batch" caught_by="texts keep apart"
# -     return torch.softmax(S, dim=-1) @ V
# +     Z = torch.softmax(S, dim=-1) @ V
# +     return Z[0] if Z.ndim > 2 and len(Z) == 1 else Z


# %% wrong="weights cut from their history" caught_by="texts keep apart" change="torch.softmax(S, dim=-1) @ V -> torch.softmax(S, dim=-1).detach() @ V"


# %% wrong="keys in blocks of 64, sums not made smaller for a larger maximum" caught_by="scaled by the keys' width"
def scaled_attention(Q, K, V):
    top, total, mixed = -math.inf, 0.0, 0.0
    for begin in range(0, K.shape[-2], 64):
        k, v = K[..., begin : begin + 64, :], V[..., begin : begin + 64, :]
        s = Q @ k.mT / math.sqrt(K.shape[-1])
        largest = s.amax(dim=-1, keepdim=True)
        top = largest if begin == 0 else torch.maximum(top, largest)
        e = torch.exp(s - top)
        total, mixed = total + e.sum(-1, keepdim=True), mixed + e @ v
    return mixed / total
