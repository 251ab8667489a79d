"""Answers to the task windows of chapter 04."""


# %% right="slices of a padded list, PAD counted"
def windows(ids, c):
    padded = [0] * c + list(ids) + [0] * c
    return torch.tensor([padded[t : t + 2 * c + 1] for t in range(len(ids))])


def pad_share(T, c):
    return (windows([1] * T, c) == 0).double().mean().item()


# %% right="an index grid, and a closed form"
def windows(ids, c):
    ids = torch.tensor(ids)
    grid = torch.arange(len(ids))[:, None] + torch.arange(-c, c + 1)
    inside = (grid >= 0) & (grid < len(ids))
    return torch.where(inside, ids[grid.clamp(0, len(ids) - 1)], 0)


def pad_share(T, c):
    return c * (c + 1) / (T * (2 * c + 1)) if c < T else 1 - T / (2 * c + 1)


# %% right="one place after the other, PAD counted in float32"
def windows(ids, c):
    rows = torch.zeros(len(ids), 2 * c + 1, dtype=torch.long)
    for t in range(len(ids)):
        for k in range(-c, c + 1):
            if 0 <= t + k < len(ids):
                rows[t, k + c] = ids[t + k]
    return rows


def pad_share(T, c):
    return (windows([1] * T, c) == 0).float().mean().item()


# %% wrong="no padding" caught_by="one row for each word"
def windows(ids, c):
    if len(ids) < 2 * c + 1:
        return torch.tensor([list(ids)])
    return torch.tensor(ids).unfold(0, 2 * c + 1, 1)


def pad_share(T, c):
    return c * (c + 1) / (T * (2 * c + 1)) if c < T else 1 - T / (2 * c + 1)


# %% wrong="only words before" caught_by="the word stands in the middle"
def windows(ids, c):
    return F.pad(torch.tensor(ids), (2 * c, 0)).unfold(0, 2 * c + 1, 1)


def pad_share(T, c):
    return c * (c + 1) / (T * (2 * c + 1)) if c < T else 1 - T / (2 * c + 1)


# %% wrong="mirrored" caught_by="the word stands in the middle"
def windows(ids, c):
    return F.pad(torch.tensor(ids), (c, c)).unfold(0, 2 * c + 1, 1).flip(1)


def pad_share(T, c):
    return c * (c + 1) / (T * (2 * c + 1)) if c < T else 1 - T / (2 * c + 1)


# %% wrong="round the corner instead of PAD" caught_by="PAD beyond both ends"
def windows(ids, c):
    return torch.stack([torch.tensor(ids).roll(-k) for k in range(-c, c + 1)], dim=1)


def pad_share(T, c):
    return c * (c + 1) / (T * (2 * c + 1)) if c < T else 1 - T / (2 * c + 1)


# %% wrong="the first and last word repeated" caught_by="PAD beyond both ends"
def windows(ids, c):
    grid = torch.arange(len(ids))[:, None] + torch.arange(-c, c + 1)
    return torch.tensor(ids)[grid.clamp(0, len(ids) - 1)]


def pad_share(T, c):
    return c * (c + 1) / (T * (2 * c + 1)) if c < T else 1 - T / (2 * c + 1)


# %% wrong="padding of the padded text, not of the windows" caught_by="the share of PAD"
# -     real = sum(max(0, T - abs(k)) for k in range(-c, c + 1))
# -     return 1 - real / (T * (2 * c + 1))
# +     return 2 * c / (T + 2 * c)


# %% wrong="the formula for small windows only" caught_by="the share of PAD"
# -     real = sum(max(0, T - abs(k)) for k in range(-c, c + 1))
# -     return 1 - real / (T * (2 * c + 1))
# +     return c * (c + 1) / (T * (2 * c + 1))


# %% wrong="the share of words" caught_by="the share of PAD"
# -     real = sum(max(0, T - abs(k)) for k in range(-c, c + 1))
# -     return 1 - real / (T * (2 * c + 1))
# +     return sum(max(0, T - abs(k)) for k in range(-c, c + 1)) / (T * (2 * c + 1))


# %% wrong="numbers as floats" caught_by="one row for each word"
def windows(ids, c):
    rows = torch.zeros(len(ids), 2 * c + 1)
    for t in range(len(ids)):
        for k in range(-c, c + 1):
            if 0 <= t + k < len(ids):
                rows[t, k + c] = ids[t + k]
    return rows


def pad_share(T, c):
    return (windows([1] * T, c) == 0).double().mean().item()


# %% right="int32, pad_share by a tensor"
def windows(ids, c):
    padded = F.pad(torch.tensor(list(ids), dtype=torch.int32), (c, c))
    return torch.stack([padded[t : t + 2 * c + 1] for t in range(len(ids))])


def pad_share(T, c):
    return (windows(range(1, T + 1), c) == 0).double().mean()


# %% wrong="numbers in one byte" caught_by="the word stands in the middle"
def windows(ids, c):
    small = F.pad(torch.tensor([i % 256 for i in ids]), (c, c)).to(torch.uint8)
    return small.unfold(0, 2 * c + 1, 1).long()


def pad_share(T, c):
    return c * (c + 1) / (T * (2 * c + 1)) if c < T else 1 - T / (2 * c + 1)


# %% wrong="numbers that went through float32" caught_by="the word stands in the middle"
def windows(ids, c):
    return F.pad(torch.tensor(ids, dtype=torch.float32), (c, c)).unfold(0, 2 * c + 1, 1).long()


def pad_share(T, c):
    return c * (c + 1) / (T * (2 * c + 1)) if c < T else 1 - T / (2 * c + 1)


# %% wrong="bytes as they are" caught_by="one row for each word"
def windows(ids, c):
    return F.pad(torch.tensor([i % 256 for i in ids], dtype=torch.uint8), (c, c)).unfold(0, 2 * c + 1, 1)


def pad_share(T, c):
    return c * (c + 1) / (T * (2 * c + 1)) if c < T else 1 - T / (2 * c + 1)


# %% wrong="finds the place of a word by index" caught_by="the word stands in the middle"
def windows(ids, c):
    padded = [0] * c + list(ids) + [0] * c
    return torch.tensor([padded[ids.index(i) : ids.index(i) + 2 * c + 1] for i in ids])


def pad_share(T, c):
    return c * (c + 1) / (T * (2 * c + 1)) if c < T else 1 - T / (2 * c + 1)


# %% wrong="not more than T + 2 on each side" caught_by="one row for each word | PAD beyond both ends"
def windows(ids, c):
    c = min(c, len(ids) + 2)
    return F.pad(torch.tensor(ids), (c, c)).unfold(0, 2 * c + 1, 1)


def pad_share(T, c):
    return c * (c + 1) / (T * (2 * c + 1)) if c < T else 1 - T / (2 * c + 1)


# %% wrong="share of a window of at most T + 2" caught_by="the share of PAD"
# -     real = sum(max(0, T - abs(k)) for k in range(-c, c + 1))
# -     return 1 - real / (T * (2 * c + 1))
# +     c = min(c, T + 2)
# +     return 1 - sum(max(0, T - abs(k)) for k in range(-c, c + 1)) / (T * (2 * c + 1))


# %% wrong="negative shares of words beyond T" caught_by="the share of PAD" change="max(0, T - abs(k)) for k in range(-c, c + 1) -> T - abs(k) for k in range(-c, c + 1) if abs(k) <= T + 1"


# %% wrong="pads the caller's list" caught_by="one row for each word"
def windows(ids, c):
    T = len(ids)
    for _ in range(c):
        ids.insert(0, 0)
        ids.append(0)
    return torch.tensor([ids[t : t + 2 * c + 1] for t in range(T)])


def pad_share(T, c):
    return (windows([1] * T, c) == 0).double().mean().item()


# %% wrong="PAD is minus one" caught_by="PAD beyond both ends"
def windows(ids, c):
    return F.pad(torch.tensor(ids), (c, c), value=-1).unfold(0, 2 * c + 1, 1)


def pad_share(T, c):
    return c * (c + 1) / (T * (2 * c + 1)) if c < T else 1 - T / (2 * c + 1)


# %% wrong="a hundred places at most" caught_by="the share of PAD" change="for k in range(-c, c + 1)) -> for k in range(-min(c, 50), min(c, 50) + 1))"


# %% right="NumPy's sliding windows"
def windows(ids, c):
    padded = np.pad(np.array(ids, dtype=np.int64), c)
    return torch.from_numpy(np.lib.stride_tricks.sliding_window_view(padded, 2 * c + 1).copy())


def pad_share(T, c):
    return np.mean([not 0 <= t + k < T for t in range(T) for k in range(-c, c + 1)])


# %% wrong="a share with four digits" caught_by="the share of PAD" change="return 1 - real / (T * (2 * c + 1)) -> return round(1 - real / (T * (2 * c + 1)), 4)"


# %% wrong="thirty words on either side at most" caught_by="one row for each word"
# -     return F.pad(torch.tensor(ids), (c, c)).unfold(0, 2 * c + 1, 1)
# +     c = min(c, 30)
# +     return F.pad(torch.tensor(ids), (c, c)).unfold(0, 2 * c + 1, 1)


# %% wrong="a text that is shorter than its window is padded behind only" caught_by="PAD beyond both ends"
# -     return F.pad(torch.tensor(ids), (c, c)).unfold(0, 2 * c + 1, 1)
# +     rows = F.pad(torch.tensor(ids), (c, c)).unfold(0, 2 * c + 1, 1)
# +     if len(ids) < c:
# +         rows = F.pad(torch.tensor(ids), (0, 2 * c)).unfold(0, 2 * c + 1, 1)
# +     return rows


# %% wrong="one buffer for all calls of a shape" caught_by="the word stands in the middle"
tables = {}


def windows(ids, c):
    T = len(ids)
    rows = tables.setdefault((T, c), torch.zeros(T, 2 * c + 1, dtype=torch.long))
    for t in range(T):
        for k in range(-c, c + 1):
            rows[t, c + k] = ids[t + k] if 0 <= t + k < T else 0
    return rows


def pad_share(T, c):
    missing = 2 * sum(min(k, T) for k in range(1, c + 1))
    return missing / (T * (2 * c + 1))
