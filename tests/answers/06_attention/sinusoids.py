"""Answers to the task sinusoids of chapter 06."""


# %% right="double loop; a solved system; cosines"
def sinusoids(T, d):
    E = torch.zeros(T, d, dtype=torch.float64)
    for j in range(T):
        for i in range(d // 2):
            angle = j / 10000 ** (2 * i / d)
            E[j, 2 * i], E[j, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return E


def shift(k, d):
    R = torch.zeros(d, d, dtype=torch.float64)
    for i in range(0, d, 2):
        a = k * 10000 ** (-i / d)
        R[i, i] = R[i + 1, i + 1] = math.cos(a)
        R[i + 1, i], R[i, i + 1] = math.sin(a), -math.sin(a)
    return R


# %% right="NumPy, columns filled in steps of two"
def sinusoids(T, d):
    angles = np.outer(np.arange(T), np.exp(-np.log(10000) * np.arange(0, d, 2) / d))
    E = np.empty((T, d))
    E[:, 0::2], E[:, 1::2] = np.sin(angles), np.cos(angles)
    return torch.from_numpy(E)


def shift(k, d):
    now = sinusoids(abs(k) + 1, d)[abs(k)]
    if k < 0:  # the sines turn round
        now = now * torch.tensor([-1.0, 1.0]).double().repeat(d // 2)
    even, odd = torch.arange(0, d, 2), torch.arange(1, d, 2)
    R = torch.zeros(d, d, dtype=now.dtype)
    R[even, even] = R[odd, odd] = now[odd]
    R[odd, even] = now[even]
    R[even, odd] = -now[even]
    return R


# %% wrong="frequencies from 0 to d instead of by pairs" caught_by="waves, fast to slow" change="-torch -> -2 * torch"


# %% wrong="half the exponent" caught_by="waves, fast to slow" change="float64) / d -> float64) / (2 * d)"


# %% wrong="sines first, then all cosines" caught_by="waves, fast to slow" change="stack([angles.sin(), angles.cos()], dim=-1).flatten(1 -> cat([angles.sin(), angles.cos()], dim=1"


# %% wrong="cosine before sine" caught_by="waves, fast to slow" change="sin(), angles.cos -> cos(), angles.sin"


# %% wrong="places from one" caught_by="waves, fast to slow" change="arange(T -> arange(1, T + 1"


# %% wrong="slow to fast" caught_by="waves, fast to slow" change="-torch -> torch"


# %% wrong="a thousand instead of ten thousand" caught_by="waves, fast to slow" change="10000 ** (-torch -> 1000 ** (-torch"


# %% wrong="backwards" caught_by="a shift is one matrix" change="-math.sin(a)], [math.sin(a) -> math.sin(a)], [-math.sin(a)"


# %% wrong="one step only" caught_by="a shift is one matrix" change="a = steps * -> a = "


# %% wrong="one step too many" caught_by="a shift is one matrix" change="a = steps * -> a = (steps + 1) * "


# %% wrong="added, not turned" caught_by="a shift is one matrix" change="[[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]] -> [[1, 0], [0, 1]]"


# %% wrong="fitted to a few places, not to all" caught_by="the same R for long ways"
def sinusoids(T, d):
    omega = 10000 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = torch.arange(T)[:, None] * omega
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def shift(k, d):
    return torch.linalg.lstsq(sinusoids(3, d), sinusoids(3 + k, d)[k:], driver="gelsd").solution


# %% wrong="float32 angles" caught_by="waves, fast to slow" change="float64) / d -> float32) / d"


# %% wrong="a table that ends" caught_by="waves, fast to slow"
# -     angles = torch.arange(T)[:, None] * omega
# -     return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
# +     angles = torch.arange(1024)[:, None] * omega
# +     return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:T]


# %% wrong="fitted to fifty places" caught_by="a shift is one matrix"
# -     blocks = []
# -     for i in range(0, d, 2):
# -         a = steps * 10000 ** (-i / d)
# -         blocks.append([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
# -     return torch.block_diag(*torch.tensor(blocks, dtype=torch.float64))
# +     if steps < 0:
# +         return shift(-steps, d).T
# +     E = sinusoids(50 + steps, d)
# +     return torch.linalg.lstsq(E[:50], E[steps:]).solution


# %% wrong="the way back for long ways" caught_by="the same R for long ways"
#       blocks = []
# +     steps = steps if steps < 10 or d <= 8 else -steps


# %% right="NumPy, complex numbers"
def sinusoids(T, d):
    z = np.exp(1j * np.outer(np.arange(T), 10000.0 ** (-np.arange(0, d, 2) / d)))
    return torch.from_numpy(np.stack([z.imag, z.real], axis=2).reshape(T, d))


def shift(k, d):
    R = np.zeros((d, d))
    for i in range(0, d, 2):
        a = k * 10000.0 ** (-i / d)
        R[i : i + 2, i : i + 2] = [[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]
    return R.tolist()


# %% wrong="an array instead of a tensor" caught_by="waves, fast to slow" change="dim=-1).flatten(1) -> dim=-1).flatten(1).numpy()"


# %% wrong="waves in float32" caught_by="waves, fast to slow" change="flatten(1) -> flatten(1).float()"


# %% wrong="the way back goes on" caught_by="a shift is one matrix" change="a = steps * -> a = abs(steps) * "


# %% wrong="a row of the table, which has none before 0" caught_by="a shift is one matrix"
# -     blocks = []
# -     for i in range(0, d, 2):
# -         a = steps * 10000 ** (-i / d)
# -         blocks.append([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
# +     s, c = sinusoids(max(steps, 0) + 1, d)[max(steps, 0)].view(-1, 2).unbind(1)
# +     blocks = [[[b, -a], [a, b]] for a, b in zip(s.tolist(), c.tolist())]
