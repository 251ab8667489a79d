"""Answers to the task needle of chapter 06."""


# %% right="differences of logarithms"
def weight_on_one(n, s):
    return math.exp(s - np.logaddexp(s, math.log(n - 1)))


def score_needed(n, share):
    return math.log(n - 1) + math.log(share) - math.log(1 - share)


guess = 0
measured = 0.18


# %% right="a sigmoid, and a whole text"
def weight_on_one(n, s):
    return torch.sigmoid(torch.tensor(s - math.log(n - 1)).double()).item()


def score_needed(n, share):
    hay = n - 1
    return np.log(share * hay / (1 - share))


guess = 1
keys = np.zeros((100_000, 2))
keys[:, 0] = 10
keys[77] = [0, 10]
measured = lookup(np.array([0, 1]), keys, keys / 10)[1]


# %% right="bisection"
def weight_on_one(n, s):
    return 1.0 if s > 500 else math.exp(s) / (math.exp(s) + n - 1)


def score_needed(n, share):
    low, high = -100, 100
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if weight_on_one(n, middle) < share else (low, middle)
    return high


guess = np.float64(0.5)
measured = weight_on_one(1e5, 10)


# %% wrong="n others" caught_by="one among n | the score a share needs"
# -     return 1 / (1 + (n - 1) * math.exp(-s))
# +     return 1 / (1 + n * math.exp(-s))

# -     return math.log((n - 1) * share / (1 - share))
# +     return math.log(n * share / (1 - share))


# %% wrong="a score of 0 counts nothing" caught_by="one among n"
def weight_on_one(n, s):
    return 1.0


def score_needed(n, share):
    return math.log((n - 1) * share / (1 - share))


guess = 1
measured = 0.1805


# %% wrong="overflow" caught_by="one among n"
# -     return 1 / (1 + (n - 1) * math.exp(-s))
# +     with np.errstate(all="ignore"):
# +         e_s = np.exp(np.float64(s))
# +     return float(e_s / (e_s + n - 1)) if np.isfinite(e_s) else math.nan


# %% wrong="share against all, not against the rest" caught_by="the score a share needs" change="share / (1 - share) -> share"


# %% wrong="only for one half" caught_by="the score a share needs" change="(n - 1) * share / (1 - share) -> n - 1"


# %% wrong="base 10" caught_by="the score a share needs" change="log -> log10"


# %% wrong="the guess again" caught_by="guess and measurement" change="weight_on_one(100_000, 10) -> guess"


# %% wrong="percent" caught_by="guess and measurement"
# - guess = 0.9
# - measured = weight_on_one(100_000, 10)
# + # guess = a number from 0 to 1, written down before you compute
# + guess = 90
# + measured = 18.05


# %% wrong="score 1 instead of 10" caught_by="guess and measurement" change="10) -> 1)"


# %% wrong="never below its share" caught_by="the score a share needs" change="math.log((n - 1) * share / (1 - share -> max(0, math.log((n - 1) * share / (1 - share)"


# %% wrong="a negative score counted as none" caught_by="one among n" change="s)) -> max(s, 0)))"


# %% wrong="large scores cut off" caught_by="one among n"
# -     return 1 / (1 + (n - 1) * math.exp(-s))
# +     one = math.exp(min(s, 12))
# +     return one / (one + n - 1)


# %% wrong="large scores taken for certain" caught_by="one among n" change="1 / (1 + (n - 1) * math.exp(-s) -> 1.0 if s > 12 else math.exp(s) / (math.exp(s) + n - 1"


# %% wrong="bisection from zero" caught_by="the score a share needs"
# -     return math.log((n - 1) * share / (1 - share))
# +     low, high = 0, 100
# +     for _ in range(80):
# +         middle = (low + high) / 2
# +         low, high = (middle, high) if weight_on_one(n, middle) < share else (low, middle)
# +     return high


# %% right="tensors of one number, float32"
# -     return 1 / (1 + (n - 1) * math.exp(-s))
# +     return torch.sigmoid(torch.tensor(float(s - math.log(n - 1))))

# -     return math.log((n - 1) * share / (1 - share))
# +     return np.float32(math.log(n - 1) + math.log(share / (1 - share)))


# %% wrong="bisection from minus ten" caught_by="the score a share needs"
# -     return math.log((n - 1) * share / (1 - share))
# +     low, high = -10.0, 30.0
# +     while high - low > 1e-9:
# +         middle = (low + high) / 2
# +         if weight_on_one(n, middle) < share:
# +             low = middle
# +         else:
# +             high = middle
# +     return low


# %% wrong="certain from a score of 25 on" caught_by="one among n" change="return 1 / (1 + (n - 1) * math.exp(-s)) -> return 1 / (1 + (n - 1) * math.exp(-s)) if s < 25 else 1.0"


# %% wrong="bisection between -50 and 50" caught_by="the score a share needs"
# -     return math.log((n - 1) * share / (1 - share))
# +     low, high = -50.0, 50.0
# +     for _ in range(200):
# +         middle = (low + high) / 2
# +         low, high = (middle, high) if weight_on_one(n, middle) < share else (low, middle)
# +     return middle
