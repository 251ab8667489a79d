"""Answers to the task standard_error of chapter 10."""


# %% right="loops"
def by_formula(d):
    mean = sum(d) / len(d)
    return (sum((x - mean) ** 2 for x in d) / (len(d) - 1) / len(d)) ** 0.5


def by_jackknife(d):
    d = list(d)
    means = [sum(d[:j] + d[j + 1 :]) / (len(d) - 1) for j in range(len(d))]
    centre = sum(means) / len(means)
    return math.sqrt((len(d) - 1) / len(d) * sum((m - centre) ** 2 for m in means))


def by_bootstrap(d, draws):
    means = [sum(d[j] for j in row) / len(row) for row in draws]
    return np.std(means)


# %% right="the variance first; the jackknife's centre is the mean itself"
def by_formula(d):
    return np.sqrt(np.var(d, ddof=1) / len(d))


def by_jackknife(d):
    n = len(d)
    keep = ~np.eye(n, dtype=bool)
    means = np.array([np.asarray(d)[row].mean() for row in keep])
    return np.sqrt((n - 1) * np.mean((means - np.mean(d)) ** 2))


def by_bootstrap(d, draws):
    means = np.take(d, draws).mean(-1)
    return np.sqrt(np.mean(means**2) - means.mean() ** 2 + 0.0) if len(means) > 1 else 0.0


# %% wrong="divides by D inside" caught_by="the formula" change="ddof=1 -> ddof=0"


# %% wrong="the deviation of one, not of the mean" caught_by="the formula" change="np.std(d, ddof=1) / math.sqrt(len(d)) -> np.std(d, ddof=1)"


# %% wrong="divided by D, not by its root" caught_by="the formula" change="/ math.sqrt(len(d)) -> / len(d)"


# %% wrong="the jackknife without its factor" caught_by="leaving one out" change="(D - 1) / D * ((means -> 1 / D * ((means"


# %% wrong="the jackknife with the factor upside down" caught_by="leaving one out" change="(D - 1) / D * ((means -> D / (D - 1) * ((means"


# %% wrong="left out of the sum, not of the number" caught_by="leaving one out" change="np.sum(d) - d) / (D - 1) -> np.sum(d) - d) / D"


# %% wrong="nothing is left out" caught_by="leaving one out" change="(np.sum(d) - d) / (D - 1) -> d / (D - 1) ** 0.5"


# %% wrong="means over the draws, not over a row" caught_by="drawing with replacement" change="mean(axis=1) -> mean(axis=0)"


# %% wrong="divided by R - 1" caught_by="drawing with replacement" change=".mean(axis=1).std() -> .mean(axis=1).std(ddof=1)"


# %% wrong="once more by the root of D" caught_by="drawing with replacement" change="d[draws].mean(axis=1).std() -> d[draws].mean(axis=1).std() / math.sqrt(len(d))"


# %% wrong="scatter within a row" caught_by="drawing with replacement" change=".mean(axis=1).std() -> .std(axis=1).mean()"


# %% wrong="scatter about the mean of d" caught_by="drawing with replacement" change="d[draws].mean(axis=1).std() -> np.sqrt(((d[draws].mean(axis=1) - np.mean(d)) ** 2).mean())"


# %% wrong="d is centred in place" caught_by="leaving one out"
# -     D = len(d)
# +     D = len(d)
# +     if isinstance(d, np.ndarray):
# +         d -= d.mean()


# %% wrong="the jackknife divides by D twice" caught_by="leaving one out" change="(D - 1) / D * ((means -> (D - 1) / D**2 * ((means"


# %% wrong="only the first D draws" caught_by="drawing with replacement" change="d[draws].mean(axis=1).std() -> d[draws[: len(d)]].mean(axis=1).std()"


# %% wrong="only the first hundred stories are left out" caught_by="leaving one out" change="(np.sum(d) - d) / (D - 1) -> (np.sum(d) - d[:100]) / (D - 1)"


# %% wrong="a thousand draws are enough" caught_by="drawing with replacement" change="return d[draws] -> return d[draws[:1000]]"


# %% wrong="squares minus the squared mean" caught_by="the formula"
# -     return np.std(d, ddof=1) / math.sqrt(len(d))
# +     D = len(d)
# +     return math.sqrt(((d**2).sum() - D * d.mean() ** 2) / (D - 1)) / math.sqrt(D)


# %% wrong="mean of squares minus square of the mean" caught_by="the formula"
def by_formula(d):
    D = len(d)
    variance = max((d**2).mean() - d.mean() ** 2, 0.0) * D / (D - 1)
    return math.sqrt(variance / D)


def by_jackknife(d):
    D = len(d)
    means = (d.sum() - d) / (D - 1)
    return math.sqrt((D - 1) / D * ((means - means.mean()) ** 2).sum())


def by_bootstrap(d, draws):
    return d[draws].mean(axis=1).std()


# %% wrong="means of counts are whole numbers" caught_by="leaving one out"
# -     means = (np.sum(d) - d) / (D - 1)
# +     means = ((np.sum(d) - d) / (D - 1)).astype(d.dtype)
