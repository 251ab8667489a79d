"""Answers to the task rate_factor of chapter 08."""


# %% right="an empty array, filled in two parts"
def rate_factor(s, N, n, lowest):
    steps = np.atleast_1d(np.asarray(s, dtype=float))
    factors = np.empty(len(steps))
    rising = steps < n
    factors[rising] = (steps[rising] + 1) / n if n else 1
    p = (steps[~rising] - n) / (N - n)
    factors[~rising] = lowest + (1 - lowest) * np.cos(np.pi * p / 2) ** 2
    return factors if np.ndim(s) else factors[0]


# %% right="minimum of two, a loop over steps"
def rate_factor(s, N, n, lowest):
    def one(step):
        if step < n:
            return (step + 1) / n
        p = (step - n) / (N - n)
        return (1 + lowest) / 2 + (1 - lowest) / 2 * math.cos(math.pi * p)

    if np.ndim(s) == 0:
        return one(s)
    return np.array([one(step) for step in s])


# %% wrong="starts at zero" caught_by="equal steps up"
def rate_factor(s, N, n, lowest):
    """The factor f(s), a number or an array like s; N steps in all, n < N of them warm-up."""
    s = np.asarray(s)
    cosine = lowest + (1 - lowest) * (1 + np.cos(np.pi * (s - n) / (N - n))) / 2
    return np.where(s < n, s / max(n, 1), cosine)


# %% wrong="the cosine begins at step 0" caught_by="half a cosine down"
def rate_factor(s, N, n, lowest):
    """The factor f(s), a number or an array like s; N steps in all, n < N of them warm-up."""
    s = np.asarray(s)
    cosine = lowest + (1 - lowest) * (1 + np.cos(np.pi * s / N)) / 2
    return np.where(s < n, (s + 1) / max(n, 1), cosine)


# %% wrong="ends at zero" caught_by="half a cosine down"
def rate_factor(s, N, n, lowest):
    """The factor f(s), a number or an array like s; N steps in all, n < N of them warm-up."""
    s = np.asarray(s)
    cosine = (1 + np.cos(np.pi * (s - n) / (N - n))) / 2
    return np.where(s < n, (s + 1) / max(n, 1), cosine)


# %% wrong="a whole cosine" caught_by="half a cosine down"
def rate_factor(s, N, n, lowest):
    """The factor f(s), a number or an array like s; N steps in all, n < N of them warm-up."""
    s = np.asarray(s)
    cosine = lowest + (1 - lowest) * (1 + np.cos(2 * np.pi * (s - n) / (N - n))) / 2
    return np.where(s < n, (s + 1) / max(n, 1), cosine)


# %% wrong="a straight line down" caught_by="half a cosine down"
def rate_factor(s, N, n, lowest):
    """The factor f(s), a number or an array like s; N steps in all, n < N of them warm-up."""
    s = np.asarray(s)
    cosine = lowest + (1 - lowest) * (1 - (s - n) / (N - n))
    return np.where(s < n, (s + 1) / max(n, 1), cosine)


# %% wrong="not lowered from 1" caught_by="half a cosine down"
def rate_factor(s, N, n, lowest):
    """The factor f(s), a number or an array like s; N steps in all, n < N of them warm-up."""
    s = np.asarray(s)
    cosine = lowest + (1 + np.cos(np.pi * (s - n) / (N - n))) / 2
    return np.where(s < n, (s + 1) / max(n, 1), cosine)


# %% wrong="one step too long" caught_by="equal steps up"
def rate_factor(s, N, n, lowest):
    """The factor f(s), a number or an array like s; N steps in all, n < N of them warm-up."""
    s = np.asarray(s)
    cosine = lowest + (1 - lowest) * (1 + np.cos(np.pi * (s - n) / (N - n))) / 2
    return np.where(s <= n, (s + 1) / max(n, 1), cosine)


# %% wrong="the first factor of an array for all" caught_by="an array of steps"
def rate_factor(s, N, n, lowest):
    """The factor f(s), a number or an array like s; N steps in all, n < N of them warm-up."""
    s = np.ravel(s)[0]
    cosine = lowest + (1 - lowest) * (1 + np.cos(np.pi * (s - n) / (N - n))) / 2
    return np.where(s < n, (s + 1) / max(n, 1), cosine)


# %% wrong="warm-up times cosine" caught_by="half a cosine down | an array of steps"
def rate_factor(s, N, n, lowest):
    """The factor f(s), a number or an array like s; N steps in all, n < N of them warm-up."""
    s = np.asarray(s)
    cosine = lowest + (1 - lowest) * (1 + np.cos(np.pi * (s - n) / (N - n))) / 2
    return np.minimum((s + 1) / max(n, 1), 1) * (lowest + (1 - lowest) * (1 + np.cos(np.pi * s / N)) / 2)
