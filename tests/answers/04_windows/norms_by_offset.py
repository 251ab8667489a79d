"""Answers to the task norms_by_offset of chapter 04."""


# %% right="chunks and square roots"
def norms_by_offset(gradient, c):
    return [math.sqrt((block**2).sum()) for block in gradient.chunk(2 * c + 1)]


def real_share(T, k):
    return sum(0 <= t + k < T for t in range(T)) / T


# %% right="numpy"
def norms_by_offset(gradient, c):
    blocks = gradient.numpy().reshape(2 * c + 1, -1, gradient.shape[1])
    return np.sqrt((blocks**2).sum(axis=(1, 2)))


def real_share(T, k):
    return (T - min(T, abs(k))) / T


# %% right="einsum"
def norms_by_offset(gradient, c):
    blocks = gradient.unflatten(0, (2 * c + 1, -1))
    return torch.einsum("kij,kij->k", blocks, blocks) ** 0.5


def real_share(T, k):
    return max(0.0, 1 - abs(k) / T)


# %% right="a share in float32"
def norms_by_offset(gradient, c):
    return (gradient.unflatten(0, (2 * c + 1, -1)) ** 2).sum((1, 2)).sqrt()


def real_share(T, k):
    places = torch.arange(T) + k
    return ((places >= 0) & (places < T)).float().mean().item()


# %% wrong="every place-th row instead of blocks" caught_by="one block for each place" change="gradient.reshape(2 * c + 1, -1).norm(dim=1 -> torch.stack([gradient[k :: 2 * c + 1].norm() for k in range(2 * c + 1)]"


# %% wrong="no root" caught_by="root of the sum of squares" change="norm(dim=1 -> square().sum(1"


# %% wrong="mean for sum" caught_by="root of the sum of squares" change="norm(dim=1 -> square().mean(1).sqrt("


# %% wrong="sum of absolute values" caught_by="root of the sum of squares" change="norm(dim=1 -> abs().sum(1"


# %% wrong="one norm for each row" caught_by="one block for each place" change="reshape(2 * c + 1, -1).norm -> norm"


# %% wrong="shares below zero" caught_by="who has a word there" change="max(0, T -> (T"


# %% wrong="the sign of the offset matters" caught_by="who has a word there" change="max(0, T - abs(k)) / T -> min(1, max(0, T - k) / T)"


# %% wrong="one too few" caught_by="who has a word there" change="abs -> 1 - abs"


# %% wrong="squares the caller's gradient" caught_by="root of the sum of squares"
# -     return gradient.reshape(2 * c + 1, -1).norm(dim=1)
# +     gradient *= gradient
# +     return gradient.reshape(2 * c + 1, -1).sum(1).sqrt()


# %% wrong="zero only beyond T + 1" caught_by="who has a word there" change="max(0, T - abs(k)) / T -> abs(T - abs(k)) / T if abs(k) <= T + 1 else 0"


# %% wrong="nobody at T - 1" caught_by="who has a word there" change="max(0, T - abs(k)) / T -> (T - abs(k)) / T if k == 0 or abs(k) < T - 1 else 0"


# %% wrong="the spectral norm of each block" caught_by="root of the sum of squares" change="gradient.reshape(2 * c + 1, -1).norm(dim=1) -> [torch.linalg.matrix_norm(block, 2) for block in gradient.chunk(2 * c + 1)]"


# %% wrong="as wide as the hidden layer" caught_by="one block for each place"
# -     return gradient.reshape(2 * c + 1, -1).norm(dim=1)
# +     d = gradient.shape[1]
# +     return torch.stack([gradient[k * d : (k + 1) * d].norm() for k in range(2 * c + 1)])


# %% wrong="view, which a transposed gradient refuses" caught_by="root of the sum of squares" change="reshape -> view"


# %% wrong="the norm of the sums" caught_by="root of the sum of squares"
def norms_by_offset(gradient, c):
    return gradient.reshape(2 * c + 1, -1).pow(2).sum(1).clamp(min=1e-12).sqrt().round(decimals=4)


def real_share(T, k):
    return max(0, T - abs(k)) / T


# %% right="plain Python"
def norms_by_offset(gradient, c):
    rows = [sum(number * number for number in row) for row in gradient.tolist()]
    m = len(rows) // (2 * c + 1)
    return torch.tensor([math.sqrt(sum(rows[k * m : (k + 1) * m])) for k in range(2 * c + 1)])


def real_share(T, k):
    return len(set(range(T)) & set(range(k, T + k))) / T


# %% wrong="norms in half precision" caught_by="root of the sum of squares" change="norm(dim=1) -> half().norm(dim=1).float()"


# %% wrong="a share with two digits" caught_by="who has a word there" change="max(0, T - abs(k)) / T -> round(max(0, T - abs(k)) / T, 2)"


# %% wrong="mean of the rows' norms" caught_by="root of the sum of squares" change="gradient.reshape(2 * c + 1, -1).norm(dim=1) -> gradient.norm(dim=1).reshape(2 * c + 1, -1).sum(1)"


# %% wrong="reads the numbers in the order of memory" caught_by="root of the sum of squares"
def norms_by_offset(gradient, c):
    numbers = gradient.detach().numpy().ravel(order="K").reshape(2 * c + 1, -1)
    return torch.from_numpy(np.sqrt((numbers**2).sum(1)))


def real_share(T, k):
    return max(0, T - abs(k)) / T
