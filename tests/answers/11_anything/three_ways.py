"""Answers to the task three_ways of chapter 11."""


# %% right="patch by patch, loops over kernels"
def by_unfold(images, p):
    B, C, H, W = images.shape
    columns = F.unfold(images, kernel_size=p, stride=p)
    order = [c * p * p + rs for rs in range(p * p) for c in range(C)]
    return columns[:, order].transpose(1, 2)


def one_hot_kernels(C, p):
    kernels = torch.zeros(p * p * C, C, p, p)
    for r in range(p):
        for s in range(p):
            for c in range(C):
                kernels[(r * p + s) * C + c, c, r, s] = 1.0
    return kernels


def as_kernels(E, C, p):
    kernels = torch.empty(E.shape[0], C, p, p, dtype=E.dtype)
    for r in range(p):
        for s in range(p):
            for c in range(C):
                kernels[:, c, r, s] = E[:, (r * p + s) * C + c]
    return kernels


# %% right="einsum and unflatten, double kernels"
def by_unfold(images, p):
    x = F.unfold(images, p, stride=p).unflatten(1, (images.shape[1], p * p))
    return torch.einsum("bcrt->btrc", x).flatten(2)


def one_hot_kernels(C, p):
    return torch.eye(p * p * C).unflatten(1, (p, p, C)).movedim(3, 1)


def as_kernels(E, C, p):
    return torch.einsum("drsc->dcrs", E.unflatten(1, (p, p, C)))


# %% right="the projection from one-hot kernels"
def by_unfold(images, p):
    B, C, H, W = images.shape
    out = F.conv2d(images, one_hot_kernels(C, p).to(images.dtype), stride=p)
    return out.flatten(2).transpose(1, 2)


def one_hot_kernels(C, p):
    kernels = torch.zeros(p, p, C, C, p, p)
    for c in range(C):
        for r in range(p):
            for s in range(p):
                kernels[r, s, c, c, r, s] = 1
    return kernels.flatten(0, 2)


def as_kernels(E, C, p):
    return torch.tensordot(E, one_hot_kernels(C, p).to(E.dtype), dims=1)


# %% wrong="unfold's own order" caught_by="unfold, in our order"
# -     x = F.unfold(images, p, stride=p)  # [B, C p p, T]
# -     T = x.shape[2]
# -     return x.reshape(B, C, p * p, T).permute(0, 3, 2, 1).reshape(B, T, p * p * C)
# +     return F.unfold(images, p, stride=p).transpose(1, 2)


# %% wrong="not transposed" caught_by="unfold, in our order"
# -     return x.reshape(B, C, p * p, T).permute(0, 3, 2, 1).reshape(B, T, p * p * C)
# +     return x.reshape(B, C, p * p, T).transpose(1, 2).reshape(B, p * p * C, T)


# %% wrong="pixels and colours split in the wrong order" caught_by="unfold, in our order" change="x.reshape(B, C, p * p, T).permute(0, 3, 2, 1) -> x.reshape(B, p * p, C, T).permute(0, 3, 2, 1)"


# %% wrong="reshaped instead of transposed" caught_by="unfold, in our order"
# -     return x.reshape(B, C, p * p, T).permute(0, 3, 2, 1).reshape(B, T, p * p * C)
# +     return x.reshape(B, C, p * p, T).transpose(1, 2).reshape(B, T, p * p * C)


# %% wrong="kernels in unfold's order" caught_by="kernels that read one number" change="return as_kernels(torch.eye(p * p * C), C, p) -> return torch.eye(p * p * C).reshape(p * p * C, C, p, p)"


# %% wrong="every colour is read" caught_by="kernels that read one number"
# -     return as_kernels(torch.eye(p * p * C), C, p)
# +     return as_kernels(torch.eye(p * p * C), C, p).sum(1, keepdim=True).expand(-1, C, -1, -1)


# %% wrong="rows and columns of a kernel exchanged" caught_by="kernels that read one number" change="as_kernels(torch.eye(p * p * C), C, p) -> as_kernels(torch.eye(p * p * C), C, p).transpose(2, 3)"


# %% wrong="three colours are taken for granted" caught_by="kernels that read one number"
# -     return as_kernels(torch.eye(p * p * C), C, p)
# +     return as_kernels(torch.eye(p * p * 3), 3, p)[:, :C][: p * p * C]


# %% wrong="whole numbers, which no convolution takes" caught_by="kernels that read one number" change="as_kernels(torch.eye(p * p * C), C, p) -> as_kernels(torch.eye(p * p * C).long(), C, p)"


# %% wrong="kernels turned round, as in a true convolution" caught_by="a projection is a convolution" change="return E.reshape(len(E), p, p, C).permute(0, 3, 1, 2) -> return E.reshape(len(E), p, p, C).permute(0, 3, 1, 2).flip(2, 3)"


# %% wrong="the weights only reshaped" caught_by="a projection is a convolution" change="E.reshape(len(E), p, p, C).permute(0, 3, 1, 2) -> E.reshape(len(E), C, p, p)"


# %% wrong="columns before rows" caught_by="a projection is a convolution" change="permute(0, 3, 1, 2) -> permute(0, 3, 2, 1)"


# %% wrong="E is taken the other way round" caught_by="a projection is a convolution" change="E.reshape(len(E), p, p, C) -> E.T.reshape(len(E), p, p, C)"


# %% wrong="each kernel has length 1" caught_by="a projection is a convolution" change="return E.reshape(len(E), p, p, C).permute(0, 3, 1, 2) -> return F.normalize(E, dim=1).reshape(len(E), p, p, C).permute(0, 3, 1, 2)"


# %% wrong="kernels in float32 whatever E is" caught_by="a projection is a convolution" change="return E.reshape(len(E), p, p, C).permute(0, 3, 1, 2) -> return E.float().reshape(len(E), p, p, C).permute(0, 3, 1, 2)"


# %% wrong="one patch: no axis for it" caught_by="unfold, in our order" change="reshape(B, T, p * p * C) -> reshape(B, T, p * p * C).squeeze(1)"


# %% wrong="patches down the columns" caught_by="unfold, in our order"
# -     B, C, _, _ = images.shape
# -     x = F.unfold(images, p, stride=p)  # [B, C p p, T]
# -     T = x.shape[2]
# -     return x.reshape(B, C, p * p, T).permute(0, 3, 2, 1).reshape(B, T, p * p * C)
# +     B, C, H, W = images.shape
# +     columns = F.unfold(images, p, stride=p).reshape(B, C, p * p, H // p, W // p)
# +     return columns.permute(0, 4, 3, 2, 1).reshape(B, -1, p * p * C)


# %% wrong="float64 through float32" caught_by="a projection is a convolution" change="return E.reshape(len(E), p, p, C).permute(0, 3, 1, 2) -> return E.float().reshape(len(E), p, p, C).permute(0, 3, 1, 2).to(E.dtype)"
