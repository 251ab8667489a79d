"""Answers to the task heads_at_once of chapter 06."""


# %% right="view and permute, per batch"
def split_heads(X, h):
    *first, T, d = X.shape
    return X.reshape(*first, T, h, d // h).swapaxes(-3, -2)


def merge_heads(Z):
    *first, h, T, d_k = Z.shape
    return Z.swapaxes(-3, -2).contiguous().view(*first, T, h * d_k)


# %% right="stack of slices, and einsum"
def split_heads(X, h):
    return torch.stack(X.chunk(h, dim=-1), dim=-3)


def merge_heads(Z):
    return torch.cat(Z.unbind(-3), dim=-1)


# %% wrong="reshape alone" caught_by="each head its columns" change="unflatten(-1, (heads, X.shape[-1] // heads)).transpose(-3, -2 -> reshape(*X.shape[:-2], heads, X.shape[-2], X.shape[-1] // heads"


# %% wrong="not transposed" caught_by="each head its columns" change=").transpose(-3, -2) -> )"


# %% wrong="interleaved columns" caught_by="each head its columns" change="heads, X.shape[-1] // heads)).transpose(-3, -2 -> X.shape[-1] // heads, heads)).movedim(-1, -3"


# %% wrong="transposed inside the head" caught_by="each head its columns" change=").transpose(-3, -2 -> ).movedim(-3, -1"


# %% wrong="merged by a reshape alone" caught_by="merged as it was" change="transpose(-3, -2).flatten(-2 -> reshape(*Z.shape[:-3], Z.shape[-2], -1"


# %% wrong="merged with heads inside" caught_by="merged as it was" change="Z.transpose(-3, -2 -> Z.movedim(-3, -1"


# %% wrong="the lecture's axes 0 and 1" caught_by="merged as it was" change="-3, -2).flatten(-2 -> 0, 1).reshape(Z.shape[1], -1"


# %% wrong="split by axes 0 and 1" caught_by="batches stay apart" change=").transpose(-3, -2 -> ).transpose(0, 1"


# %% wrong="batch flattened" caught_by="batches stay apart"
#       """[..., H, T, D] from X: [..., T, C]; H is `heads`, D = C / H, and head 0 has the first D columns. Gradients pass."""
# +     X = X.reshape(-1, X.shape[-1])


# %% wrong="one leading axis at most" caught_by="batches stay apart"
def split_heads(X, h):
    if X.ndim == 3:
        B, T, d = X.shape
        return X.view(B, T, h, d // h).transpose(1, 2)
    return X.view(*X.shape[:-1], h, X.shape[-1] // h).transpose(0, 1)


def merge_heads(Z):
    return Z.transpose(-3, -2).flatten(-2)


# %% wrong="merged with one leading axis at most" caught_by="merged as it was"
# -     return Z.transpose(-3, -2).flatten(-2)
# +     if Z.ndim == 4:
# +         return Z.transpose(1, 2).flatten(2)
# +     return Z.transpose(0, 1).flatten(-2)


# %% wrong="two heads whatever h is" caught_by="each head its columns" change="heads, X.shape[-1] // heads -> 2, X.shape[-1] // 2"


# %% wrong="d / h and h mixed up" caught_by="each head its columns" change="heads, X.shape[-1] // heads -> X.shape[-1] // heads, heads"


# %% wrong="NumPy for the shapes, where gradients end" caught_by="each head its columns"
def split_heads(X, h):
    return torch.from_numpy(np.stack(np.split(X.numpy(), h, axis=-1), axis=-3))


def merge_heads(Z):
    return Z.transpose(-3, -2).flatten(-2)


# %% wrong="split: one text is no batch" caught_by="batches stay apart"
#       """[..., H, T, D] from X: [..., T, C]; H is `heads`, D = C / H, and head 0 has the first D columns. Gradients pass."""
# +     if X.ndim > 2 and len(X) == 1:
# +         X = X[0]


# %% wrong="merge: one text is no batch" caught_by="merged as it was"
# -     return Z.transpose(-3, -2).flatten(-2)
# +     merged = Z.transpose(-3, -2).flatten(-2)
# +     return merged[0] if merged.ndim > 2 and len(merged) == 1 else merged


# %% wrong="as many heads as words: taken for merged rows" caught_by="merged as it was"
def split_heads(X, h):
    return X.unflatten(-1, (h, -1)).transpose(-3, -2)


def merge_heads(Z):
    if Z.shape[-3] == Z.shape[-2]:
        return Z.flatten(-2)
    return Z.transpose(-3, -2).flatten(-2)


# %% wrong="merged by way of NumPy, where no gradient passes" caught_by="merged as it was" change="return Z.transpose(-3, -2).flatten(-2) -> return torch.from_numpy(np.concatenate(list(np.moveaxis(Z.detach().numpy(), -3, 0)), axis=-1))"
