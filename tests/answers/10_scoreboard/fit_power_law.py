"""Answers to the task fit_power_law of chapter 10."""


# %% right="the normal equations"
def fit_power_law(sizes, losses, floor):
    X = np.stack([np.ones(len(sizes)), np.log(sizes)], axis=1)
    y = np.log([loss - floor for loss in losses])
    start, slope = np.linalg.lstsq(X, y, rcond=None)[0]
    return np.exp(start), -slope


def tokens_for(loss, a, b, floor):
    above = loss - floor
    return math.exp(math.log(a / above) / b) if above > 0 else float("inf")


# %% right="sums by hand"
def fit_power_law(sizes, losses, floor):
    x = [math.log10(n) for n in sizes]
    y = [math.log10(loss - floor) for loss in losses]
    n, mx, my = len(x), sum(x) / len(x), sum(y) / len(y)
    slope = sum((p - mx) * (q - my) for p, q in zip(x, y)) / sum((p - mx) ** 2 for p in x)
    return [10 ** (my - slope * mx), -slope]


def tokens_for(loss, a, b, floor):
    if loss > floor:
        return (a / (loss - floor)) ** (1 / b)
    return np.inf


# %% wrong="the floor is forgotten" caught_by="points on a line" change="np.asarray(losses) - floor -> np.asarray(losses)"


# %% wrong="the floor after the logarithm" caught_by="points on a line" change="np.log(np.asarray(losses) - floor) -> np.log(np.asarray(losses)) - floor"


# %% wrong="the sign of the exponent" caught_by="points on a line" change="math.exp(intercept), -slope -> math.exp(intercept), slope"


# %% wrong="the intercept itself" caught_by="points on a line" change="math.exp(intercept), -slope -> intercept, -slope"


# %% wrong="base ten for one of the two" caught_by="points on a line" change="np.polyfit(np.log(sizes) -> np.polyfit(np.log10(sizes)"


# %% wrong="only through the first and the last" caught_by="least squares on logarithms"
# -     slope, intercept = np.polyfit(np.log(sizes), np.log(np.asarray(losses) - floor), 1)
# +     x, y = np.log(sizes), np.log(np.asarray(losses) - floor)
# +     slope = (y[-1] - y[0]) / (x[-1] - x[0])
# +     intercept = y[0] - slope * x[0]


# %% wrong="the line is drawn through the first point" caught_by="least squares on logarithms"
# -     return math.exp(intercept), -slope
# +     return (losses[0] - floor) * sizes[0] ** -slope, -slope


# %% wrong="b before a" caught_by="points on a line" change="math.exp(intercept), -slope -> -slope, math.exp(intercept)"


# %% wrong="x and y swapped" caught_by="points on a line"
# -     slope, intercept = np.polyfit(np.log(sizes), np.log(np.asarray(losses) - floor), 1)
# +     slope, intercept = np.polyfit(np.log(np.asarray(losses) - floor), np.log(sizes), 1)


# %% wrong="the exponent is not turned round" caught_by="how much text for a loss" change="** (-1 / b) -> ** -b"


# %% wrong="its sign is lost" caught_by="how much text for a loss" change="** (-1 / b) -> ** (1 / b)"


# %% wrong="the floor is not taken off" caught_by="how much text for a loss" change="((loss - floor) / a) -> (loss / a)"


# %% wrong="at the floor it divides by zero" caught_by="how much text for a loss" change="if loss <= floor: -> if loss < floor:"


# %% wrong="a negative loss alone is impossible" caught_by="how much text for a loss" change="if loss <= floor: -> if loss <= 0:"


# %% wrong="losses lose their floor in place" caught_by="points on a line"
# -     slope, intercept = np.polyfit(np.log(sizes), np.log(np.asarray(losses) - floor), 1)
# +     losses = np.asarray(losses, dtype=float)
# +     losses -= floor
# +     slope, intercept = np.polyfit(np.log(sizes), np.log(losses), 1)


# %% wrong="weighted by the losses" caught_by="least squares on logarithms" change="np.log(np.asarray(losses) - floor), 1) -> np.log(np.asarray(losses) - floor), 1, w=np.asarray(losses))"


# %% wrong="below the floor the distance is taken" caught_by="how much text for a loss"
# -     if loss <= floor:
# +     if loss == floor:

# -     return ((loss - floor) / a) ** (-1 / b)
# +     return (abs(loss - floor) / a) ** (-1 / b)


# %% wrong="tokens rounded up to a whole number" caught_by="how much text for a loss" change="return ((loss - floor) / a) ** (-1 / b) -> return math.ceil(((loss - floor) / a) ** (-1 / b))"


# %% wrong="at least one token" caught_by="how much text for a loss" change="return ((loss - floor) / a) ** (-1 / b) -> return max(1, ((loss - floor) / a) ** (-1 / b))"


# %% wrong="more than a trillion is never" caught_by="how much text for a loss"
# -     return ((loss - floor) / a) ** (-1 / b)
# +     tokens = ((loss - floor) / a) ** (-1 / b)
# +     return tokens if tokens < 1e12 else math.inf


# %% wrong="a loss that grows is said to fall" caught_by="least squares on logarithms" change="-slope -> abs(slope)"


# %% wrong="each size once" caught_by="least squares on logarithms"
# -     slope, intercept = np.polyfit(np.log(sizes), np.log(np.asarray(losses) - floor), 1)
# +     sizes, first = np.unique(sizes, return_index=True)
# +     slope, intercept = np.polyfit(np.log(sizes), np.log(np.asarray(losses)[first] - floor), 1)


# %% wrong="a trillion tokens are endless" caught_by="how much text for a loss" change="if loss <= floor: -> if loss <= floor or ((loss - floor) / a) ** (-1 / b) > 1e12:"


# %% wrong="the mean of the slopes from point to point" caught_by="least squares on logarithms"
# -     slope, intercept = np.polyfit(np.log(sizes), np.log(np.asarray(losses) - floor), 1)
# -     return math.exp(intercept), -slope
# +     x, y = np.log(np.array(sizes, dtype=float)), np.log(np.array(losses) - floor)
# +     b = -np.mean(np.diff(y) / np.diff(x))
# +     return float(np.exp((y + b * x).mean())), b
