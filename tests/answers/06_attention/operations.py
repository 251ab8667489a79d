"""Answers to the task operations of chapter 06."""


# %% right="branches; covariance; a formula"
def operations(kind, n, d, k, r):
    if kind == "attention":
        return n**2 * d + n**2 * d
    if kind == "restricted":
        return n * r * d + n * r * d
    return n * d**2 * (2 if kind == "recurrent" else k)


def exponent(sizes, values):
    x, y = np.log(np.array(sizes)), np.log(np.array(values))
    return np.cov(x, y)[0, 1] / np.var(x, ddof=1)


def crossover(d):
    return 2 * d**2 / (2 * d)


# %% right="shapes multiplied; least squares by lstsq"
def operations(kind, n, d, k, r):
    factors = {"attention": (2, n, d, n), "restricted": (2, n, d, r), "recurrent": (2, n, d, d)}
    return math.prod(factors.get(kind, (k, n, d, d)))


def exponent(sizes, values):
    A = np.stack([np.log(sizes), np.ones(len(sizes))], axis=1)
    return float(np.linalg.lstsq(A, np.log2(values) * np.log(2), rcond=None)[0][0])


def crossover(d):
    return next(n for n in range(1, 10**6) if n * n * d >= n * d * d)


# %% wrong="only the scores" caught_by="multiplications are counted" change="2 * n * n -> n * n"


# %% wrong="one product for r keys" caught_by="multiplications are counted" change="2 * n * r -> n * r"


# %% wrong="one matrix in the recurrence" caught_by="multiplications are counted" change="2 * n * d -> n * d"


# %% wrong="kernel forgotten" caught_by="multiplications are counted" change="k * d -> d"


# %% wrong="n and d swapped" caught_by="multiplications are counted" change="n * n -> n * d"


# %% wrong="restricted with r squared" caught_by="multiplications are counted" change="r * d -> r * r * d"


# %% wrong="half logarithmic" caught_by="a slope of logarithms" change="np.log(sizes) -> sizes"


# %% wrong="the other slope" caught_by="a slope of logarithms" change="sizes), np.log(values -> values), np.log(sizes"


# %% wrong="intercept instead of slope" caught_by="a slope of logarithms" change="1)[0 -> 1)[1"


# %% wrong="from the two ends only" caught_by="a slope of logarithms" change="polyfit(np.log(sizes), np.log(values), 1)[0] -> log(values[-1] / values[0]) / np.log(sizes[-1] / sizes[0])"


# %% wrong="constants forgotten" caught_by="where they cost the same" change="return d -> return 2 * d"


# %% wrong="d squared" caught_by="where they cost the same" change="return d -> return d**2"


# %% wrong="half" caught_by="where they cost the same" change="return d -> return d / 2"


# %% wrong="sizes made logarithms in place" caught_by="a slope of logarithms"
# -     return np.polyfit(np.log(sizes), np.log(values), 1)[0]
# +     sizes, values = np.asarray(sizes, dtype=float), np.asarray(values, dtype=float)
# +     np.log(sizes, out=sizes)
# +     np.log(values, out=values)
# +     return np.polyfit(sizes, values, 1)[0]


# %% wrong="sizes and values sorted" caught_by="a slope of logarithms" change="sizes), np.log(values -> np.sort(sizes)), np.log(np.sort(values)"


# %% wrong="the mean of slopes between neighbours" caught_by="a slope of logarithms" change="polyfit(np.log(sizes), np.log(values), 1)[0] -> mean(np.diff(np.log(values)) / np.diff(np.log(sizes)))"


# %% wrong="a line through one point" caught_by="a slope of logarithms"
# -     return np.polyfit(np.log(sizes), np.log(values), 1)[0]
# +     x, y = np.log(sizes) - np.log(sizes[0]), np.log(values) - np.log(values[0])
# +     return (x * y).sum() / (x * x).sum()


# %% wrong="the softmax counted too" caught_by="multiplications are counted" change="r * d -> r * d + n * r"


# %% wrong="512 is what the lecture has" caught_by="where they cost the same" change="return d -> return 512"


# %% right="never more than n keys; torch"
def operations(kind, n, d, k, r):
    if kind in ("attention", "restricted"):
        return np.float64(2 * n * d * (n if kind == "attention" else min(r, n)))
    return n * d * d * (2 if kind == "recurrent" else k)


def exponent(sizes, values):
    x, y = (torch.tensor(v).double().log() for v in (sizes, values))
    return torch.cov(torch.stack([x, y]))[0, 1] / x.var()


def crossover(d):
    return np.int64(d)


# %% wrong="the crossing sought up to a thousand" caught_by="where they cost the same" change="return d -> return min(range(1, 1001), key=lambda n: abs(n - d))"
