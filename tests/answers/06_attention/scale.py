"""Answers to the task scale of chapter 06."""


# %% right="one pair at a time, Jacobian, torch's own"
def softmax_gradient(p, g):
    return (np.diag(p) - np.outer(p, p)) @ g


def scaled_attention(Q, K, V):
    return F.scaled_dot_product_attention(Q, K, V)


# %% right="einsum, loops"
def softmax_gradient(p, g):
    n = len(p)
    return np.array([sum(g[i] * p[i] * ((i == j) - p[j]) for i in range(n)) for j in range(n)])


def scaled_attention(Q, K, V):
    S = torch.einsum("...mk,...nk->...mn", Q * Q.shape[-1] ** -0.5, K)
    P = torch.exp(S - S.amax(-1, keepdim=True))
    return P / P.sum(-1, keepdim=True) @ V


# %% right="the mean as a sum"
# -     return p * (g - p @ g)
# +     return p * (g - (p * g).sum())


# %% wrong="the diagonal only" caught_by="back through the softmax"
# -     return p * (g - p @ g)
# +     return p * (1 - p) * g


# %% wrong="g untouched by the others" caught_by="back through the softmax"
# -     return p * (g - p @ g)
# +     return p * g


# %% wrong="the mean of g, unweighted" caught_by="back through the softmax"
# -     return p * (g - p @ g)
# +     return p * (g - g.mean())


# %% wrong="not scaled" caught_by="scaled by the keys' width"
def softmax_gradient(p, g):
    return p * (g - (p * g).sum())


def scaled_attention(Q, K, V):
    return torch.softmax(Q @ K.transpose(-2, -1), -1) @ V


# %% wrong="divided by d_k" caught_by="scaled by the keys' width"
def softmax_gradient(p, g):
    return p * (g - (p * g).sum())


def scaled_attention(Q, K, V):
    return torch.softmax(Q @ K.transpose(-2, -1) / K.shape[-1], -1) @ V


# %% wrong="scaled by the values' width" caught_by="scaled by the keys' width"
def softmax_gradient(p, g):
    return p * (g - (p * g).sum())


def scaled_attention(Q, K, V):
    return torch.softmax(Q @ K.transpose(-2, -1) / V.shape[-1] ** 0.5, -1) @ V


# %% wrong="weights scaled, not scores" caught_by="scaled by the keys' width"
def softmax_gradient(p, g):
    return p * (g - (p * g).sum())


def scaled_attention(Q, K, V):
    return torch.softmax(Q @ K.transpose(-2, -1), -1) / K.shape[-1] ** 0.5 @ V


# %% wrong="softmax over axis 1" caught_by="texts keep apart"
def softmax_gradient(p, g):
    return p * (g - (p * g).sum())


def scaled_attention(Q, K, V):
    return torch.softmax(Q @ K.transpose(-2, -1) / K.shape[-1] ** 0.5, 1) @ V


# %% wrong="first and second axis swapped" caught_by="texts keep apart"
def softmax_gradient(p, g):
    return p * (g - (p * g).sum())


def scaled_attention(Q, K, V):
    return torch.softmax(Q @ K.transpose(0, 1) / K.shape[-1] ** 0.5, -1) @ V


# %% wrong="g centred in place" caught_by="back through the softmax"
# -     return p * (g - p @ g)
# +     g -= p @ g
# +     return p * g


# %% wrong="an answer of g's kind" caught_by="back through the softmax"
# -     return p * (g - p @ g)
# +     slopes = np.zeros_like(g)
# +     for j in range(len(p)):
# +         slopes[j] = p[j] * (g[j] - p @ g)
# +     return slopes


# %% wrong="by autograd" caught_by="back through the softmax"
# -     return p * (g - p @ g)
# +     s = torch.tensor(np.log(np.maximum(p, 1e-300))).requires_grad_(True)
# +     (torch.softmax(s, 0) @ torch.tensor(np.asarray(g, dtype=float))).backward()
# +     return s.grad.numpy()


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


# %% right="float32, a tensor of one number"
def softmax_gradient(p, g):
    p, g = (np.array(v, dtype=np.float32) for v in (p, g))
    return (p * (g - p @ g)).tolist()


def scaled_attention(Q, K, V):
    return F.scaled_dot_product_attention(Q.float(), K.float(), V.float())


# %% wrong="one text is no batch" caught_by="texts keep apart"
# -     return torch.softmax(S, dim=-1) @ V
# +     Z = torch.softmax(S, dim=-1) @ V
# +     return Z[0] if Z.ndim > 2 and len(Z) == 1 else Z


# %% wrong="weights cut from their history" caught_by="texts keep apart" change="torch.softmax(S, dim=-1) @ V -> torch.softmax(S, dim=-1).detach() @ V"
