"""Answers to the task attend_next of chapter 08."""


# %% right="torch's attention without a mask"
def attend_next(q, k, v, past):
    keys, values = (k, v) if past is None else (torch.cat((past[0], k), -2), torch.cat((past[1], v), -2))
    return F.scaled_dot_product_attention(q, keys, values), (keys, values)


def reads(m, n):
    return n * m + n * (n - 1) // 2, m + (n - 1)


def cache_bytes(N, B, T, C, size):
    keys = N * B * T * C
    return (keys + keys) * size


# %% right="einsum, lists"
def attend_next(q, k, v, past):
    keys, values = k, v
    if past:
        keys = torch.cat([past[0], k], dim=-2)
        values = torch.cat([past[1], v], dim=-2)
    s = torch.einsum("bhqd,bhkd->bhqk", q, keys) * q.size(-1) ** -0.5
    a = torch.exp(s - s.max(-1, keepdim=True).values)
    a = a / a.sum(-1, keepdim=True)
    return [torch.einsum("bhqk,bhkd->bhqd", a, values), [keys, values]]


def reads(m, n):
    return sum(range(m, m + n)), m + n - 1


def cache_bytes(N, B, T, C, size):
    return math.prod((N, B, T, C, size)) * 2


# %% wrong="only the past is seen" caught_by="step by step, all at once"
# -     scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
# -     return scores.softmax(-1) @ v, (k, v)
# +     old_k, old_v = past if past is not None else (k, v)
# +     scores = q @ old_k.transpose(2, 3) / math.sqrt(q.shape[-1])
# +     return scores.softmax(-1) @ old_v, (k, v)


# %% wrong="the new token in front, but values behind" caught_by="step by step, all at once" change="past[0], k -> k, past[0]"


# %% wrong="not scaled" caught_by="step by step, all at once" change="3) / math.sqrt(q.shape[-1]) -> 3)"


# %% wrong="scaled by the width, not its root" caught_by="step by step, all at once" change="math.sqrt(q.shape[-1]) -> q.shape[-1]"


# %% wrong="softmax over the queries" caught_by="step by step, all at once" change="-1) -> -2)"


# %% wrong="the cache is not extended" caught_by="step by step, all at once" change="(k, v -> (past if past is not None else (k, v)"


# %% wrong="values are not kept" caught_by="step by step, all at once" change="torch.cat([past[1], v], dim=2 -> v.expand(-1, -1, past[0].shape[2] + 1, -1"


# %% wrong="the pair the other way round" caught_by="one token alone | step by step, all at once" change="(k, v -> (v, k"


# %% wrong="the newest pair in front" caught_by="step by step, all at once" change="past[0], k], dim=2), torch.cat([past[1], v -> k, past[0]], dim=2), torch.cat([v, past[1]"


# %% wrong="a cache of its own instead of past" caught_by="step by step, all at once"
# -     """(z [B, H, 1, D], (keys, values) [B, H, t + 1, D]) for the newest token; scores may be 1,000 or -1,000."""
# +     global _cache

# -         k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
# +         k, v = torch.cat([_cache[0], k], dim=2), torch.cat([_cache[1], v], dim=2)
# +     _cache = k, v

#       return scores.softmax(-1) @ v, (k, v)
# +
# +
# + _cache = None


# %% wrong="the pair is extended in place" caught_by="step by step, all at once"
def attend_next(q, k, v, past):
    pair = list(past) if isinstance(past, tuple) else past
    if pair is None:
        pair = [k, v]
    else:
        pair[0], pair[1] = torch.cat([pair[0], k], dim=2), torch.cat([pair[1], v], dim=2)
    scores = q @ pair[0].transpose(2, 3) / math.sqrt(q.shape[-1])
    return scores.softmax(-1) @ pair[1], pair


def reads(m, n):
    """(tokens read without a cache, with a cache)."""
    return sum(m + i for i in range(n)), m + n - 1


def cache_bytes(N, B, T, C, size):
    """Bytes for keys and values of B texts of T tokens, width C, in N layers."""
    return 2 * N * B * T * C * size


# %% wrong="the query scaled in place" caught_by="step by step, all at once"
# -     scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
# +     q /= math.sqrt(q.shape[-1])
# +     scores = q @ k.transpose(2, 3)


# %% wrong="at most four places are kept" caught_by="step by step, all at once"
#           k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
# +     k, v = k[:, :, -4:], v[:, :, -4:]


# %% wrong="all heads share the first one's scores" caught_by="step by step, all at once" change="return scores -> return scores[:, :1]"


# %% right="float32, an array of two numbers"
def attend_next(q, k, v, past):
    old = past or (k[:, :, :0], v[:, :, :0])
    keys, values = (torch.cat(pair, 2).float() for pair in zip(old, (k, v)))
    weights = torch.softmax((q.float() * keys).sum(-1) / q.shape[-1] ** 0.5, -1)
    return (weights[..., None] * values).sum(2, keepdim=True), (keys, values)


def reads(m, n):
    return np.array([np.arange(m, m + n).sum(), m + n - 1])


def cache_bytes(N, B, T, C, size):
    return 2.0 * N * B * T * C * size


# %% wrong="powers of scores as they are" caught_by="step by step, all at once"
# -     return scores.softmax(-1) @ v, (k, v)
# +     powers = torch.exp(scores)
# +     return powers @ v / powers.sum(-1, keepdim=True), (k, v)


# %% wrong="a window of 64 places" caught_by="step by step, all at once"
#       if past is not None:
#           k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
# +         k, v = k[:, :, -64:], v[:, :, -64:]


# %% wrong="the largest score of all heads is taken off" caught_by="step by step, all at once"
# -     return scores.softmax(-1) @ v, (k, v)
# +     powers = (scores - scores.amax()).exp()
# +     return powers / powers.sum(-1, keepdim=True) @ v, (k, v)
