"""Answers to the task needle of chapter 06."""


# %% right="differences of logarithms"
def weight_on_one(n, s):
    return math.exp(s - np.logaddexp(s, math.log(n - 1)))


guess = 0
measured = 0.18


# %% right="a sigmoid, and a whole text"
def weight_on_one(n, s):
    return torch.sigmoid(torch.tensor(s - math.log(n - 1)).double()).item()


guess = 1
keys = np.zeros((100_000, 2))
keys[:, 0] = 10
keys[77] = [0, 10]
measured = lookup(np.array([0, 1]), keys, keys / 10)[1]


# %% right="the sum of all powers"
def weight_on_one(n, s):
    return 1.0 if s > 500 else math.exp(s) / (math.exp(s) + n - 1)


guess = np.float64(0.5)
measured = weight_on_one(1e5, 10)


# %% wrong="n others" caught_by="one among n"
# -     return 1 / (1 + (n - 1) * math.exp(-s))
# +     return 1 / (1 + n * math.exp(-s))


# %% wrong="a score of 0 counts nothing" caught_by="one among n"
def weight_on_one(n, s):
    return 1.0


guess = 1
measured = 0.1805


# %% wrong="overflow" caught_by="one among n"
# -     return 1 / (1 + (n - 1) * math.exp(-s))
# +     with np.errstate(all="ignore"):
# +         e_s = np.exp(np.float64(s))
# +     return float(e_s / (e_s + n - 1)) if np.isfinite(e_s) else math.nan


# %% wrong="the guess again" caught_by="guess and measurement" change="weight_on_one(100_000, 10) -> guess"


# %% wrong="percent" caught_by="guess and measurement"
# - guess = 0.9
# - measured = weight_on_one(100_000, 10)
# + # guess = a number from 0 to 1, written down before you compute
# + guess = 90
# + measured = 18.05


# %% wrong="score 1 instead of 10" caught_by="guess and measurement" change="10) -> 1)"


# %% wrong="a negative score counted as none" caught_by="one among n" change="s)) -> max(s, 0)))"


# %% wrong="large scores cut off" caught_by="one among n"
# -     return 1 / (1 + (n - 1) * math.exp(-s))
# +     one = math.exp(min(s, 12))
# +     return one / (one + n - 1)


# %% wrong="large scores taken for certain" caught_by="one among n" change="1 / (1 + (n - 1) * math.exp(-s) -> 1.0 if s > 12 else math.exp(s) / (math.exp(s) + n - 1"


# %% right="tensors of one number, float32"
# -     return 1 / (1 + (n - 1) * math.exp(-s))
# +     return torch.sigmoid(torch.tensor(float(s - math.log(n - 1))))


# %% wrong="certain from a score of 25 on" caught_by="one among n" change="return 1 / (1 + (n - 1) * math.exp(-s)) -> return 1 / (1 + (n - 1) * math.exp(-s)) if s < 25 else 1.0"
