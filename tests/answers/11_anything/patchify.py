"""Answers to the task patchify of chapter 11."""


# %% right="pixel by pixel"
def patchify(images, p):
    B, C, H, W = images.shape
    if H % p != 0 or W % p != 0:
        raise ValueError("p must divide both sides")
    out = torch.empty(B, H * W // (p * p), p * p * C, dtype=images.dtype)
    for c in range(C):
        for y in range(H):
            for x in range(W):
                t = (y // p) * (W // p) + x // p
                out[:, t, ((y % p) * p + x % p) * C + c] = images[:, c, y, x]
    return out


def unpatchify(patches, p, H, W):
    B, T, n = patches.shape
    C = n // (p * p)
    out = torch.empty(B, C, H, W, dtype=patches.dtype)
    for c in range(C):
        for y in range(H):
            for x in range(W):
                t = (y // p) * (W // p) + x // p
                out[:, c, y, x] = patches[:, t, ((y % p) * p + x % p) * C + c]
    return out


# %% right="slices of patches, and chunks"
def patchify(images, p):
    B, C, H, W = images.shape
    if H % p or W % p:
        raise ValueError(f"{p} does not divide {H} and {W}")
    rows = []
    for y in range(0, H, p):
        for x in range(0, W, p):
            piece = images[:, :, y : y + p, x : x + p].movedim(1, 3)
            rows.append(piece.flatten(1))
    return torch.stack(rows, 1)


def unpatchify(patches, p, H, W):
    B = patches.shape[0]
    pieces = patches.unflatten(2, (p, p, -1)).movedim(4, 2)  # B T C p p
    rows = []
    for i in range(H // p):
        row = [pieces[:, i * (W // p) + j] for j in range(W // p)]
        rows.append(torch.cat(row, dim=3))
    return torch.cat(rows, dim=2)


# %% right="einsum for the order of axes"
def patchify(images, p):
    B, C, H, W = images.shape
    if (H % p, W % p) != (0, 0):
        raise ValueError("no")
    x = images.unflatten(3, (W // p, p)).unflatten(2, (H // p, p))
    return torch.einsum("bcirjs->bijrsc", x).flatten(3).flatten(1, 2)


def unpatchify(patches, p, H, W):
    x = patches.unflatten(2, (p, p, -1)).unflatten(1, (H // p, W // p))
    return torch.einsum("bijrsc->bcirjs", x).flatten(4).flatten(2, 3)


# %% wrong="colours first within a patch" caught_by="pixels where the formula wants them" change="permute(0, 2, 4, 3, 5, 1) -> permute(0, 2, 4, 1, 3, 5)"


# %% wrong="pixels column by column" caught_by="pixels where the formula wants them" change="permute(0, 2, 4, 3, 5, 1) -> permute(0, 2, 4, 5, 3, 1)"


# %% wrong="patches column by column" caught_by="pixels where the formula wants them" change="permute(0, 2, 4, 3, 5, 1) -> permute(0, 4, 2, 3, 5, 1)"


# %% wrong="a reshape alone" caught_by="pixels where the formula wants them"
# -     x = images.reshape(B, C, H // p, p, W // p, p)  # b c i r j s
# -     return x.permute(0, 2, 4, 3, 5, 1).reshape(B, (H // p) * (W // p), p * p * C)
# +     return images.reshape(B, (H // p) * (W // p), p * p * C)


# %% wrong="everything becomes float" caught_by="pixels where the formula wants them" change="x = images.reshape -> x = images.float().reshape"


# %% wrong="scaled in place" caught_by="pixels where the formula wants them" change="x = images.reshape(B, C, H // p, p, W // p, p) -> x = images.mul_(1).sub_(0).reshape(B, C, H // p, p, W // p, p).clone(); images.zero_()"


# %% wrong="the batch's first picture alone" caught_by="pixels where the formula wants them" change="x = images.reshape -> x = images[:1].expand(B, C, H, W).reshape"


# %% wrong="only the rows are looked at" caught_by="patches that do not fit" change="H % p or W % p -> H % p"


# %% wrong="only the columns are looked at" caught_by="patches that do not fit" change="H % p or W % p -> W % p"


# %% wrong="both must not fit" caught_by="patches that do not fit" change="H % p or W % p -> H % p and W % p"


# %% wrong="only the number of pixels must fit" caught_by="patches that do not fit"
# -     if H % p or W % p:
# +     if H * W % p**2:

# -     x = images.reshape(B, C, H // p, p, W // p, p)  # b c i r j s
# -     return x.permute(0, 2, 4, 3, 5, 1).reshape(B, (H // p) * (W // p), p * p * C)
# +     T = H * W // p**2
# +     x = images[:, :, : H // p * p, : W // p * p]
# +     x = x.reshape(B, C, H // p, p, W // p, p)
# +     x = x.permute(0, 2, 4, 3, 5, 1).reshape(B, -1, p * p * C)
# +     return F.pad(x, (0, 0, 0, T - x.shape[1]))


# %% wrong="what does not fit is cut off" caught_by="patches that do not fit"
# -     if H % p or W % p:
# -         raise ValueError(f"Patches of {p} x {p} pixels do not fill {H} x {W} pixels.")
# +     images = images[:, :, : H // p * p, : W // p * p]


# %% wrong="back with rows and columns of patches exchanged" caught_by="and back" change="H // p, W // p, p, p -> W // p, H // p, p, p"


# %% wrong="back with colours first" caught_by="and back"
# -     x = patches.reshape(B, H // p, W // p, p, p, n // p**2)  # b i j r s c
# -     return x.permute(0, 5, 1, 3, 2, 4).reshape(B, n // p**2, H, W)
# +     x = patches.reshape(B, H // p, W // p, n // p**2, p, p)
# +     return x.permute(0, 3, 1, 4, 2, 5).reshape(B, n // p**2, H, W)


# %% wrong="back with pixels transposed" caught_by="and back" change="permute(0, 5, 1, 3, 2, 4) -> permute(0, 5, 1, 4, 2, 3)"


# %% wrong="always three colours" caught_by="and back"
# -     x = patches.reshape(B, H // p, W // p, p, p, n // p**2)  # b i j r s c
# -     return x.permute(0, 5, 1, 3, 2, 4).reshape(B, n // p**2, H, W)
# +     if n % 3:
# +         return patches.reshape(B, 1, H, W) if n == p * p else patches
# +     x = patches.reshape(B, H // p, W // p, p, p, n // p**2)
# +     return x.permute(0, 5, 1, 3, 2, 4).reshape(B, n // p**2, H, W)


# %% wrong="back by a reshape alone" caught_by="and back"
# -     x = patches.reshape(B, H // p, W // p, p, p, n // p**2)  # b i j r s c
# -     return x.permute(0, 5, 1, 3, 2, 4).reshape(B, n // p**2, H, W)
# +     return patches.reshape(B, n // p**2, H, W)


# %% wrong="a square is taken for granted on the way back" caught_by="and back"
# -     x = patches.reshape(B, H // p, W // p, p, p, n // p**2)  # b i j r s c
# +     side = int(patches.shape[1] ** 0.5)
# +     if side * side != patches.shape[1]:
# +         return patches.reshape(B, n // p**2, H, W)
# +     x = patches.reshape(B, side, side, p, p, n // p**2)


# %% wrong="the way back in double precision" caught_by="and back" change="return x.permute(0, 5, 1, 3, 2, 4).reshape(B, n // p**2, H, W) -> return x.double().permute(0, 5, 1, 3, 2, 4).reshape(B, n // p**2, H, W)"


# %% wrong="whole numbers through floats" caught_by="pixels where the formula wants them"
# -     x = images.reshape(B, C, H // p, p, W // p, p)  # b c i r j s
# +     x = images.float().to(images.dtype).reshape(B, C, H // p, p, W // p, p)


# %% wrong="a patch as large as the picture does not fit" caught_by="pixels where the formula wants them"
# -     if H % p or W % p:
# -         raise ValueError(f"Patches of {p} x {p} pixels do not fill {H} x {W} pixels.")
# -     x = images.reshape(B, C, H // p, p, W // p, p)  # b c i r j s
# -     return x.permute(0, 2, 4, 3, 5, 1).reshape(B, (H // p) * (W // p), p * p * C)
# +     if H % p or W % p or (p == H and p == W):
# +         raise ValueError("p must divide both sides")
# +     split = images.reshape(B, C, H // p, p, W // p, p)
# +     return split.permute(0, 2, 4, 3, 5, 1).reshape(B, H * W // p**2, p * p * C)


# %% wrong="whole numbers come back as int64" caught_by="and back"
#       B, _, n = patches.shape
# +     patches = patches if patches.is_floating_point() else patches.long()
