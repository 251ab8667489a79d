"""Answers to the task rate_factor of chapter 08."""


# %% right="an empty array, filled in two parts"
def rate_factor(s, S, n, lowest):
    steps = np.atleast_1d(np.asarray(s, dtype=float))
    factors = np.empty(len(steps))
    rising = steps < n
    factors[rising] = (steps[rising] + 1) / n if n else 1
    p = (steps[~rising] - n) / (S - n)
    factors[~rising] = lowest + (1 - lowest) * np.cos(np.pi * p / 2) ** 2
    return factors if np.ndim(s) else factors[0]


# %% right="minimum of two, a loop over steps"
def rate_factor(s, S, n, lowest):
    def one(step):
        if step < n:
            return (step + 1) / n
        p = (step - n) / (S - n)
        return (1 + lowest) / 2 + (1 - lowest) / 2 * math.cos(math.pi * p)

    if np.ndim(s) == 0:
        return one(s)
    return np.array([one(step) for step in s])


# %% wrong="starts at zero" caught_by="equal steps up" change="(s + 1) -> s"


# %% wrong="the cosine begins at step 0" caught_by="half a cosine down" change="(s - n) / (S - n) -> s / S"


# %% wrong="ends at zero" caught_by="half a cosine down" change="lowest + (1 - lowest) * (1 -> (1"


# %% wrong="a whole cosine" caught_by="half a cosine down" change="np.pi -> 2 * np.pi"


# %% wrong="a straight line down" caught_by="half a cosine down" change="+ np.cos(np.pi * (s - n) / (S - n))) / 2 -> - (s - n) / (S - n))"


# %% wrong="not lowered from 1" caught_by="half a cosine down" change="- lowest) * (1 + -> +"


# %% wrong="one step too long" caught_by="equal steps up" change="< n -> <= n"


# %% wrong="the first factor of an array for all" caught_by="an array of steps" change="asarray(s) -> ravel(s)[0]"


# %% wrong="warm-up times cosine" caught_by="half a cosine down | an array of steps" change="where(s < n, (s + 1) / max(n, 1), cosine -> minimum((s + 1) / max(n, 1), 1) * (lowest + (1 - lowest) * (1 + np.cos(np.pi * s / S)) / 2"


# %% wrong="no warm-up, no schedule" caught_by="equal steps up"
#       s = np.asarray(s)
# +     if n == 0:
# +         return np.ones(s.shape)


# %% wrong="the first n of the array are the warm-up" caught_by="an array of steps"
def rate_factor(s, S, n, lowest):
    cosine = lowest + (1 - lowest) * (1 + np.cos(np.pi * (np.asarray(s) - n) / (S - n))) / 2
    if np.ndim(s) == 0:
        return (s + 1) / n if s < n else cosine
    return np.concatenate([(s[:n] + 1) / max(n, 1), cosine[n:]])


# %% wrong="an array is always all steps" caught_by="an array of steps"
def rate_factor(s, S, n, lowest):
    """The factor f(s), a number or an array like s; S steps in all, n < S of them warm-up."""
    s = np.asarray(s)
    cosine = lowest + (1 - lowest) * (1 + np.cos(np.pi * (s - n) / (S - n))) / 2
    factors = np.where(s < n, (s + 1) / max(n, 1), cosine)
    if s.ndim == 0:
        return factors
    return np.array([rate_factor(step, S, n, lowest) for step in range(len(s))])


# %% wrong="written into the array of steps" caught_by="an array of steps"
def rate_factor(s, S, n, lowest):
    """The factor f(s), a number or an array like s; S steps in all, n < S of them warm-up."""
    s = np.asarray(s)
    cosine = lowest + (1 - lowest) * (1 + np.cos(np.pi * (s - n) / (S - n))) / 2
    factors = np.asarray(s, dtype=float)
    rising = s < n
    factors[...] = np.where(rising, (s + 1) / max(n, 1), cosine)
    return factors


# %% wrong="whole numbers in, whole numbers out" caught_by="an array of steps"
# -     return np.where(s < n, (s + 1) / max(n, 1), cosine)
# +     factors = np.where(s < n, (s + 1) / max(n, 1), cosine)
# +     return factors.astype(s.dtype) if s.ndim else factors


# %% wrong="one step of warm-up at least" caught_by="equal steps up" change="s = np.asarray(s -> s, n = np.asarray(s), max(n, 1"


# %% right="float32, lists for arrays"
def rate_factor(s, S, n, lowest):
    steps = np.asarray(s, dtype=np.float32)
    p = np.clip((steps - n) / (S - n), 0, None)
    down = lowest + (1 - lowest) * np.cos(np.pi / 2 * p) ** 2
    up = np.minimum(1, (steps + 1) / n) if n else 1
    factors = up * down
    return factors.tolist() if np.ndim(s) else float(factors)


# %% wrong="never lower than a half of the way" caught_by="half a cosine down" change="    s = np.asarray(s) ->     s, lowest = np.asarray(s), min(lowest, 0.5)"


# %% wrong="steps compared as small whole numbers" caught_by="an array of steps" change="np.where(s < n -> np.where(s.astype(np.int8) < n"
