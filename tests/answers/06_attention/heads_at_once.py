"""Answers to the task heads_at_once of chapter 06."""


# %% right="view and permute, per batch"
def split_heads(X, h):
    *first, T, d = X.shape
    return X.reshape(*first, T, h, d // h).swapaxes(-3, -2)


def merge_heads(Z):
    *first, h, T, d_k = Z.shape
    return Z.swapaxes(-3, -2).contiguous().view(*first, T, h * d_k)


def multihead(x, W_q, W_k, W_v, H, h):
    Q, K, V = split_heads(x @ W_q, h), split_heads(x @ W_k, h), split_heads(x @ W_v, h)
    S = Q @ K.transpose(-2, -1) / np.sqrt(Q.shape[-1])
    return torch.matmul(merge_heads(torch.softmax(S, dim=-1) @ V), H)


# %% right="stack of slices, and einsum"
def split_heads(X, h):
    return torch.stack(X.chunk(h, dim=-1), dim=-3)


def merge_heads(Z):
    return torch.cat(Z.unbind(-3), dim=-1)


def multihead(x, W_q, W_k, W_v, H, h):
    W = torch.stack([W_q, W_k, W_v])
    Q, K, V = split_heads(torch.einsum("...td,kdc->k...tc", x, W), h)
    weights = torch.einsum("...ta,...ua->...tu", Q, K).div(Q.shape[-1] ** 0.5).softmax(-1)
    return merge_heads(torch.einsum("...tu,...ua->...ta", weights, V)) @ H


# %% wrong="reshape alone" caught_by="each head its columns" change="unflatten(-1, (h, X.shape[-1] // h)).transpose(-3, -2 -> reshape(*X.shape[:-2], h, X.shape[-2], X.shape[-1] // h"


# %% wrong="not transposed" caught_by="each head its columns" change=").transpose(-3, -2) -> )"


# %% wrong="interleaved columns" caught_by="each head its columns" change="h, X.shape[-1] // h)).transpose(-3, -2 -> X.shape[-1] // h, h)).movedim(-1, -3"


# %% wrong="transposed inside the head" caught_by="each head its columns" change=").transpose(-3, -2 -> ).movedim(-3, -1"


# %% wrong="merged by a reshape alone" caught_by="merged as it was" change="transpose(-3, -2).flatten(-2 -> reshape(*Z.shape[:-3], Z.shape[-2], -1"


# %% wrong="merged with heads inside" caught_by="merged as it was" change="Z.transpose(-3, -2 -> Z.movedim(-3, -1"


# %% wrong="lecture 000: axes 0 and 1" caught_by="merged as it was" change="-3, -2).flatten(-2 -> 0, 1).reshape(Z.shape[1], -1"


# %% wrong="split by axes 0 and 1" caught_by="batches stay apart" change=").transpose(-3, -2 -> ).transpose(0, 1"


# %% wrong="batch flattened" caught_by="batches stay apart"
#       """[..., h, T, d / h] from X: [..., T, d]."""
# +     X = X.reshape(-1, X.shape[-1])


# %% wrong="H left out" caught_by="equal to the loop" change=") @ H -> )"


# %% wrong="H transposed" caught_by="equal to the loop" change="@ H -> @ H.T"


# %% wrong="scaled by the full width" caught_by="equal to the loop" change="K, V) -> K, V, scale=x.shape[-1] ** -0.5)"


# %% wrong="heads never split" caught_by="equal to the loop" change="merge_heads(attend(Q, K, V) -> attend(x @ W_q, x @ W_k, x @ W_v"


# %% wrong="values are the words" caught_by="equal to the loop" change="K, V) -> K, split_heads(x, h))"


# %% wrong="matrices from the left" caught_by="equal to the loop" change="@ W -> @ W.T"


# %% wrong="one leading axis at most" caught_by="batches stay apart"
def split_heads(X, h):
    if X.ndim == 3:
        B, T, d = X.shape
        return X.view(B, T, h, d // h).transpose(1, 2)
    return X.view(*X.shape[:-1], h, X.shape[-1] // h).transpose(0, 1)


def merge_heads(Z):
    return Z.transpose(-3, -2).flatten(-2)


def multihead(x, W_q, W_k, W_v, H, h):
    Q, K, V = ((x @ W).unflatten(-1, (h, -1)).transpose(-3, -2) for W in (W_q, W_k, W_v))
    return attend(Q, K, V).transpose(-3, -2).flatten(-2) @ H


# %% wrong="merged with one leading axis at most" caught_by="merged as it was"
# -     return Z.transpose(-3, -2).flatten(-2)
# +     if Z.ndim == 4:
# +         return Z.transpose(1, 2).flatten(2)
# +     return Z.transpose(0, 1).flatten(-2)

# -     return merge_heads(attend(Q, K, V)) @ H
# +     return attend(Q, K, V).transpose(-3, -2).flatten(-2) @ H


# %% wrong="the map of queries scaled in place" caught_by="equal to the loop"
# -     """[..., T, d] from x: [..., T, d] and four matrices [d, d]."""
# +     W_q /= math.sqrt(x.shape[-1] // h)

# -     return merge_heads(attend(Q, K, V)) @ H
# +     return merge_heads((Q @ K.mT).softmax(-1) @ V) @ H


# %% wrong="two heads whatever h is" caught_by="each head its columns" change="h, X.shape[-1] // h -> 2, X.shape[-1] // 2"


# %% wrong="d / h and h mixed up" caught_by="each head its columns" change="h, X.shape[-1] // -> X.shape[-1] // h,"


# %% right="NumPy for the shapes, leading axes flattened"
def split_heads(X, h):
    return torch.from_numpy(np.stack(np.split(X.numpy(), h, axis=-1), axis=-3))


def merge_heads(Z):
    return Z.transpose(-3, -2).flatten(-2)


def multihead(x, W_q, W_k, W_v, H, h):
    flat = x.reshape(-1, *x.shape[-2:])
    Q, K, V = (torch.stack((flat @ W).chunk(h, -1), 1) for W in (W_q, W_k, W_v))
    return (torch.cat(attend(Q, K, V).unbind(1), -1) @ H).reshape(x.shape)


# %% wrong="multihead: one text is no batch" caught_by="equal to the loop"
# -     return merge_heads(attend(Q, K, V)) @ H
# +     Z = merge_heads(attend(Q, K, V)) @ H
# +     return Z[0] if Z.ndim > 2 and len(Z) == 1 else Z


# %% wrong="split: one text is no batch" caught_by="batches stay apart"
#       """[..., h, T, d / h] from X: [..., T, d]."""
# +     if X.ndim > 2 and len(X) == 1:
# +         X = X[0]

# -     return merge_heads(attend(Q, K, V)) @ H
# +     return merge_heads(attend(Q, K, V)).view(x.shape) @ H


# %% wrong="merge: one text is no batch" caught_by="merged as it was"
# -     return Z.transpose(-3, -2).flatten(-2)
# +     merged = Z.transpose(-3, -2).flatten(-2)
# +     return merged[0] if merged.ndim > 2 and len(merged) == 1 else merged

# -     return merge_heads(attend(Q, K, V)) @ H
# +     return merge_heads(attend(Q, K, V)).view(x.shape) @ H


# %% wrong="as many heads as words: taken for merged rows" caught_by="merged as it was"
def split_heads(X, h):
    return X.unflatten(-1, (h, -1)).transpose(-3, -2)


def merge_heads(Z):
    if Z.shape[-3] == Z.shape[-2]:
        return Z.flatten(-2)
    return Z.transpose(-3, -2).flatten(-2)


def multihead(x, W_q, W_k, W_v, H, h):
    z = attend(*(split_heads(x @ W, h) for W in (W_q, W_k, W_v)))
    return z.transpose(-3, -2).flatten(-2) @ H
