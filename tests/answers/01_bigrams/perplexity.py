"""Answers to the task perplexity of chapter 01."""


# %% right="NumPy mean, then exp with the base"
def perplexity(log_probabilities, base):
    return np.exp(-np.mean(log_probabilities) * np.log(base))


# %% right="power of the inverse, loop"
def perplexity(log_probabilities, base):
    total, n = 0.0, 0
    for logarithm in log_probabilities:
        total += logarithm
        n += 1
    return math.pow(1 / base, total / n)


# %% wrong="product of probabilities, then a root" caught_by="long and impossible texts"
def perplexity(log_probabilities, base):
    product = 1.0
    for logarithm in log_probabilities:
        product *= base**logarithm
    if product == 0:
        return 0.0
    return (1 / product) ** (1 / len(log_probabilities))


# %% wrong="always base e" caught_by="base fits the logarithms" change="base ** -(sum(log_probabilities) / len -> math.exp(-np.mean"


# %% wrong="always base 2, as on the slide" caught_by="base fits the logarithms" change="base ** -(sum(log_probabilities) / len(log_probabilities) -> 2 ** -np.mean(log_probabilities"


# %% wrong="weighted by the probabilities, as on the slide" caught_by="N-th root of inverse probability"
# -     return base ** -(sum(log_probabilities) / len(log_probabilities))
# +     total = 0.0
# +     for logarithm in log_probabilities:
# +         total += base**logarithm * logarithm if logarithm > -math.inf else -math.inf
# +     return base ** min(-total, 1000)


# %% wrong="mean of inverse probabilities" caught_by="N-th root of inverse probability" change="base ** -(sum(log_probabilities) / len(log_probabilities) -> sum(base**-logarithm for logarithm in log_probabilities) / len(log_probabilities"


# %% wrong="minus sign forgotten" caught_by="N-th root of inverse probability" change="-(sum(log_probabilities) / len(log_probabilities) -> np.mean(log_probabilities"


# %% wrong="factors of 1 are left out" caught_by="N-th root of inverse probability"
# -     return base ** -(sum(log_probabilities) / len(log_probabilities))
# +     counted = [logarithm for logarithm in log_probabilities if logarithm]
# +     return base ** -np.mean(counted)


# %% wrong="the caller's logarithms are used up" caught_by="N-th root of inverse probability"
# -     return base ** -(sum(log_probabilities) / len(log_probabilities))
# +     number, total = len(log_probabilities), 0.0
# +     while log_probabilities:
# +         total += log_probabilities.pop()
# +     return base ** -(total / number)


# %% wrong="three bases are known, all others taken for e" caught_by="base fits the logarithms"
# -     return base ** -(sum(log_probabilities) / len(log_probabilities))
# +     mean = np.mean(log_probabilities)
# +     return 2**-mean if base == 2 else 10**-mean if base == 10 else math.exp(-mean)


# %% wrong="only the first logarithm is looked at for a zero" caught_by="long and impossible texts"
# -     return base ** -(sum(log_probabilities) / len(log_probabilities))
# +     if log_probabilities[0] == -math.inf or log_probabilities[1:2] == [-math.inf]:
# +         return math.inf
# +     finite = [logarithm for logarithm in log_probabilities if logarithm > -math.inf]
# +     return base ** -(sum(finite) / len(log_probabilities))


# %% wrong="one factor too many in N" caught_by="N-th root of inverse probability" change="-(sum(log_probabilities) / len(log_probabilities -> (-sum(log_probabilities) / (len(log_probabilities) + (len(log_probabilities) > 5) * 1e-3"


# %% wrong="a thousand factors at a time" caught_by="long and impossible texts"
def perplexity(log_probabilities, base):
    product, number = 1.0, len(log_probabilities)
    if number == 100_000:
        return base ** -(sum(log_probabilities) / number)
    for logarithm in log_probabilities:
        product *= base**logarithm
    return product ** (-1 / number) if product else math.inf


# %% right="32-bit floats"
def perplexity(log_probabilities, base):
    mean = np.asarray(log_probabilities, dtype=np.float64).mean()
    return np.float32(np.exp(-mean * np.log(base)))


# %% wrong="a factor too small for a float is taken for zero" caught_by="long and impossible texts"
# -     """Perplexity of a text from the logarithms, to that base, of its N factors (a list or an array); infinite if one is -inf."""
# +     factors = [base**logarithm for logarithm in log_probabilities]
# +     if min(factors) == 0:
# +         return math.inf


# %% wrong="an array of logarithms has no count" caught_by="N-th root of inverse probability"
# -     return base ** -(sum(log_probabilities) / len(log_probabilities))
# +     if log_probabilities.count(-math.inf):
# +         return math.inf
# +     return base ** -(sum(log_probabilities) / len(log_probabilities))


# %% wrong="the mean of the means of blocks of 1,000, the last of them shorter" caught_by="long and impossible texts"
def perplexity(log_probabilities, base):
    logs = np.asarray(log_probabilities, dtype=float)
    means = [logs[i : i + 1000].mean() for i in range(0, len(logs), 1000)]
    return float(base) ** -np.mean(means)
