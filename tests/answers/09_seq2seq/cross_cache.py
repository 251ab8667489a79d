"""Answers to the task cross_cache of chapter 09."""


# %% right="keys kept turned and divided, einsum"
def keep(Y, W_k, W_v):
    return (Y @ W_k).T / Y.shape[1] ** 0.5, Y @ W_v


def ask(x, kept, W_q):
    keys, values = kept
    weights = F.softmax(torch.einsum("d,de->e", x, W_q) @ keys, dim=0)
    return torch.einsum("m,md->d", weights, values)


def fold(W_q, W_k):
    return torch.einsum("ae,be->ab", W_q, W_k)


def products(m, n, d):
    return {"kept": 2 * m * d**2, "anew": 2 * m * n * d**2}


# %% right="a loop over the words of the source, folded keys are not used"
def keep(Y, W_k, W_v):
    return torch.stack([y @ W_k for y in Y]), torch.stack([y @ W_v for y in Y])


def ask(x, kept, W_q):
    q = x @ W_q
    powers = [torch.exp(q @ k / math.sqrt(len(q))) for k in kept[0]]
    return sum(p * v for p, v in zip(powers, kept[1], strict=True)) / sum(powers)


def fold(W_q, W_k):
    return (W_k @ W_q.T).T


def products(m, n, d):
    one = m * d * d + m * d * d
    return dict(anew=sum(one for _ in range(n)), kept=one)


# %% wrong="keys and values swapped" caught_by="kept once, asked often" change="K, V = kept -> V, K = kept"


# %% wrong="not divided by the root" caught_by="kept once, asked often" change=" / math.sqrt(len(x)), dim -> , dim"


# %% wrong="divided by the length of the source" caught_by="kept once, asked often" change="math.sqrt(len(x)) -> math.sqrt(len(K))"


# %% wrong="divided by d" caught_by="kept once, asked often" change="math.sqrt(len(x)) -> len(x)"


# %% wrong="the word is not mapped" caught_by="kept once, asked often" change="x @ W_q @ K.T -> x @ K.T"


# %% wrong="the memory itself is kept as values" caught_by="kept once, asked often" change="Y @ W_k, Y @ W_v -> Y @ W_k, Y"


# %% wrong="the matrix of the query turned" caught_by="kept once, asked often" change="x @ W_q @ K.T -> x @ W_q.T @ K.T"


# %% wrong="no softmax" caught_by="kept once, asked often"
# -     return torch.softmax(x @ W_q @ K.T / math.sqrt(len(x)), dim=-1) @ V
# +     return (x @ W_q @ K.T / math.sqrt(len(x))) @ V


# %% wrong="the last memory is remembered in a global name" caught_by="kept once, asked often"
# -     return Y @ W_k, Y @ W_v
# +     global LAST
# +     LAST = Y @ W_k, Y @ W_v
# +     return LAST

# -     K, V = kept
# +     K, V = LAST


# %% wrong="the second matrix is not turned" caught_by="one matrix in place of two" change="W_q @ W_k.T -> W_q @ W_k"


# %% wrong="the first matrix is turned" caught_by="one matrix in place of two" change="W_q @ W_k.T -> W_q.T @ W_k"


# %% wrong="the wrong way round" caught_by="one matrix in place of two" change="W_q @ W_k.T -> W_k @ W_q.T"


# %% wrong="divided by the root already" caught_by="one matrix in place of two" change="return W_q @ W_k.T -> return W_q @ W_k.T / math.sqrt(len(W_q))"


# %% wrong="keys only" caught_by="multiplications" change="once = 2 * m -> once = m"


# %% wrong="d once" caught_by="multiplications" change="m * d * d -> m * d"


# %% wrong="the longer text with each round" caught_by="multiplications" change="n * once -> n * (n + 1) // 2 * once"


# %% wrong="kept costs one word" caught_by="multiplications" change="\"kept\": once -> \"kept\": once // m"


# %% wrong="one round more" caught_by="multiplications" change="n * once -> (n + 1) * once"


# %% wrong="keeps the ingredients" caught_by="kept once, asked often"
# -     return Y @ W_k, Y @ W_v
# +     return Y, W_k, W_v

# -     K, V = kept
# +     K, V = kept[0] @ kept[1], kept[0] @ kept[2]


# %% wrong="large keys are made smaller in place when they are asked" caught_by="kept once, asked often"
#       K, V = kept
# +     K /= K.abs().max().clamp(min=300) / 300


# %% right="keys and values lie side by side in one kept tensor"
def keep(Y, W_k, W_v):
    """What is needed of the memory Y [m, d], as a tuple of tensors."""
    return (Y @ torch.cat([W_k, W_v], dim=1),)


def ask(x, kept, W_q):
    """[d]: what one word x [d] gets from the kept source."""
    (both,) = kept
    keys, values = both.tensor_split(2, dim=1)
    scores = torch.mv(keys, torch.mv(W_q.T, x)) * len(x) ** -0.5
    return torch.exp(scores - scores.logsumexp(0)) @ values


def fold(W_q, W_k):
    """A [d, d] such that x A Y^T are the scores before they are divided."""
    return torch.einsum("ic,jc->ij", W_q, W_k)


def products(m, n, d):
    """{"anew": ..., "kept": ...}: multiplications for all keys and values, n words written, m read."""
    once = sum(d for _matrix in "kv" for _entry in range(m * d))
    return dict(zip(("anew", "kept"), (n * once, once), strict=True))
