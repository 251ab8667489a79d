"""Answers to the task mixture of chapter 10."""


# %% right="the maximum taken out by hand"
def mix(ln_p, weights):
    ln_p = np.asarray(ln_p, dtype=float)
    rows = [(w, row) for w, row in zip(weights, ln_p) if w > 0]
    top = np.max([row for _, row in rows], axis=0)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return top + np.log(sum(w * np.exp(row - top) for w, row in rows))


def em_weights(ln_p, rounds):
    M = len(ln_p)
    weights = np.ones(M) / M
    for _ in range(rounds):
        top = np.max(ln_p, axis=0)
        joint = weights[:, None] * np.exp(np.asarray(ln_p) - top)
        weights = np.mean(joint / joint.sum(axis=0), axis=1)
    return weights


# %% right="two at a time, in a loop; lists of weights"
def mix(ln_p, weights):
    total = np.full(np.shape(ln_p)[1], -np.inf)
    for row, w in zip(ln_p, weights):
        if w:
            total = np.logaddexp(total, row + math.log(w))
    return total


def em_weights(ln_p, rounds):
    weights = [1 / len(ln_p)] * len(ln_p)
    for _ in range(rounds):
        whole = mix(ln_p, weights)
        weights = [float(np.mean(np.exp(row + math.log(w) - whole))) if w else 0.0 for row, w in zip(ln_p, weights)]
    return np.array(weights)


# %% wrong="logarithms are mixed" caught_by="probabilities are mixed"
# -     return np.logaddexp.reduce(np.asarray(ln_p) + ln_weights[:, None], axis=0)
# +     return np.asarray(weights) @ np.asarray(ln_p)


# %% wrong="it underflows" caught_by="no underflow, weight zero, impossible tokens"
# -     return np.logaddexp.reduce(np.asarray(ln_p) + ln_weights[:, None], axis=0)
# +     with np.errstate(divide="ignore"):
# +         return np.log(np.asarray(weights) @ np.exp(ln_p))


# %% wrong="the largest number of all is taken out" caught_by="no underflow, weight zero, impossible tokens"
# -     return np.logaddexp.reduce(np.asarray(ln_p) + ln_weights[:, None], axis=0)
# +     ln_p = np.asarray(ln_p)
# +     first = ln_p[0]
# +     with np.errstate(all="ignore"):
# +         return first + np.log(np.exp(ln_weights) @ np.exp(ln_p - first))


# %% wrong="equal weights" caught_by="probabilities are mixed" change="np.log(np.asarray(weights, dtype=float)) -> np.log(np.full(len(weights), 1 / len(weights)))"


# %% wrong="the best one only" caught_by="probabilities are mixed" change="np.logaddexp.reduce -> np.max"


# %% wrong="a little is added to each weight" caught_by="no underflow, weight zero, impossible tokens"
# -         ln_weights = np.log(np.asarray(weights, dtype=float))
# +         ln_weights = np.log(np.asarray(weights, dtype=float) + 1e-5)


# %% wrong="over the tokens, not over the models" caught_by="probabilities are mixed" change="ln_weights[:, None], axis=0) -> ln_weights[:, None], axis=1)"


# %% wrong="shares without the weights" caught_by="rounds of EM" change="rows = ln_p + np.log(weights)[:, None] -> rows = ln_p + np.log(np.full(len(ln_p), 1 / len(ln_p)))[:, None]"


# %% wrong="the share of wins" caught_by="rounds of EM"
# -         weights = np.exp(rows - mix(ln_p, weights)).mean(axis=1)
# +         weights = np.eye(len(ln_p))[rows.argmax(axis=0)].mean(axis=0)


# %% wrong="a sum for a mean" caught_by="rounds of EM" change="mix(ln_p, weights)).mean(axis=1) -> mix(ln_p, weights)).sum(axis=1)"


# %% wrong="one round less" caught_by="rounds of EM" change="range(rounds) -> range(rounds - 1)"


# %% wrong="at least one round" caught_by="rounds of EM" change="range(rounds) -> range(max(rounds, 1))"


# %% wrong="shares are in proportion to the logarithms" caught_by="rounds of EM"
# -         weights = np.exp(rows - mix(ln_p, weights)).mean(axis=1)
# +         weights = (rows / rows.sum(axis=0)).mean(axis=1)


# %% wrong="weights are normalised sums of probabilities" caught_by="rounds of EM"
# -         weights = np.exp(rows - mix(ln_p, weights)).mean(axis=1)
# +         weights = np.exp(rows).sum(axis=1)
# +         weights = weights / weights.sum()


# %% wrong="EM underflows" caught_by="rounds of EM"
# -         weights = np.exp(rows - mix(ln_p, weights)).mean(axis=1)
# +         p = np.exp(rows) + 1e-300
# +         weights = (p / p.sum(axis=0)).mean(axis=1)


# %% wrong="ln_p gets the weights in place" caught_by="probabilities are mixed"
# -     return np.logaddexp.reduce(np.asarray(ln_p) + ln_weights[:, None], axis=0)
# +     ln_p = np.asarray(ln_p)
# +     ln_p += ln_weights[:, None]
# +     return np.logaddexp.reduce(ln_p, axis=0)

# -             rows = ln_p + np.log(weights)[:, None]
# +             rows = ln_p + np.log(weights)[:, None]
# +             whole = np.logaddexp.reduce(rows, axis=0)

# -         weights = np.exp(rows - mix(ln_p, weights)).mean(axis=1)
# +         weights = np.exp(rows - whole).mean(axis=1)


# %% wrong="a model that errs once is out for good" caught_by="rounds of EM"
# -     ln_p = np.asarray(ln_p)
# +     ln_p = np.where(np.isneginf(ln_p).any(axis=1, keepdims=True), -np.inf, ln_p)


# %% wrong="stops after five rounds" caught_by="rounds of EM" change="range(rounds) -> range(min(rounds, 5))"


# %% wrong="each token's largest is taken out, without its weight" caught_by="no underflow, weight zero, impossible tokens"
# -     with np.errstate(divide="ignore"):
# -         ln_weights = np.log(np.asarray(weights, dtype=float))
# -     return np.logaddexp.reduce(np.asarray(ln_p) + ln_weights[:, None], axis=0)
# +     top = np.max(ln_p, axis=0)
# +     with np.errstate(divide="ignore"):
# +         return top + np.log(np.asarray(weights) @ np.exp(ln_p - top))


# %% wrong="a weight of zero becomes a tiny one" caught_by="no underflow, weight zero, impossible tokens"
# -     with np.errstate(divide="ignore"):
# -         ln_weights = np.log(np.asarray(weights, dtype=float))
# +     ln_weights = np.log(np.maximum(weights, 1e-12))


# %% wrong="stops once the weights hardly move" caught_by="rounds of EM"
# -         weights = np.exp(rows - mix(ln_p, weights)).mean(axis=1)
# +         new = np.exp(rows - mix(ln_p, weights)).mean(axis=1)
# +         if np.abs(new - weights).max() < 1e-6:
# +             break
# +         weights = new


# %% wrong="scaled by each token's largest joint probability: NaN where all are impossible" caught_by="no underflow, weight zero, impossible tokens"
def mix(ln_p, weights):
    with np.errstate(divide="ignore"):
        joint = np.log(np.asarray(weights, float)).reshape(-1, 1) + np.asarray(ln_p)
    top = joint.max(axis=0)
    return top + np.log(np.exp(joint - top).sum(axis=0))


def em_weights(ln_p, rounds):
    scaled = np.exp(ln_p - np.max(ln_p, axis=0))
    weights = [1 / len(ln_p)] * len(ln_p)
    for _ in range(rounds):
        joint = np.array(weights)[:, None] * scaled
        weights = list((joint / joint.sum(axis=0)).mean(axis=1))
    return weights


# %% wrong="impossible is e^-50" caught_by="no underflow, weight zero, impossible tokens" change="np.asarray(ln_p) + ln_weights[:, None] -> np.nan_to_num(np.asarray(ln_p), neginf=-50) + ln_weights[:, None]"


# %% wrong="nothing is less probable than e^-3000" caught_by="no underflow, weight zero, impossible tokens" change="np.asarray(ln_p) + ln_weights[:, None] -> np.maximum(np.asarray(ln_p), -3000) + ln_weights[:, None]"


# %% wrong="the first thousand tokens" caught_by="rounds of EM"
# -     ln_p = np.asarray(ln_p)
# +     ln_p = np.asarray(ln_p)[:, :1000]


# %% wrong="a token that comes twice is read once" caught_by="rounds of EM"
# -     ln_p = np.asarray(ln_p)
# +     ln_p = np.unique(ln_p, axis=1)


# %% wrong="shifted by the first model" caught_by="no underflow, weight zero, impossible tokens"
# -     with np.errstate(divide="ignore"):
# -         ln_weights = np.log(np.asarray(weights, dtype=float))
# -     return np.logaddexp.reduce(np.asarray(ln_p) + ln_weights[:, None], axis=0)
# +     first = ln_p[0]
# +     with np.errstate(all="ignore"):
# +         return first + np.log(weights @ np.exp(ln_p - first))


# %% wrong="tokens that one model thinks impossible are left out" caught_by="rounds of EM"
# -     ln_p = np.asarray(ln_p)
# -     weights = np.full(len(ln_p), 1 / len(ln_p))
# -     for _ in range(rounds):
# -         with np.errstate(divide="ignore"):
# -             rows = ln_p + np.log(weights)[:, None]
# -         weights = np.exp(rows - mix(ln_p, weights)).mean(axis=1)
# +     ln_p = ln_p[:, np.isfinite(ln_p).all(0)]
# +     M = len(ln_p)
# +     weights = np.full(M, 1 / M)
# +     for _ in range(rounds):
# +         weights = np.exp(ln_p + np.log(weights)[:, None] - mix(ln_p, weights)).mean(1)


# %% wrong="every round from equal weights" caught_by="rounds of EM"
# -     ln_p = np.asarray(ln_p)
# -     weights = np.full(len(ln_p), 1 / len(ln_p))
# -     for _ in range(rounds):
# -         with np.errstate(divide="ignore"):
# -             rows = ln_p + np.log(weights)[:, None]
# -         weights = np.exp(rows - mix(ln_p, weights)).mean(axis=1)
# +     M = len(ln_p)
# +     start = weights = np.full(M, 1 / M)
# +     for _ in range(rounds):
# +         weights = np.exp(ln_p + np.log(start)[:, None] - mix(ln_p, start)).mean(1)


# %% wrong="tiny weights are none" caught_by="no underflow, weight zero, impossible tokens"
# -         ln_weights = np.log(np.asarray(weights, dtype=float))
# +         ln_weights = np.log(np.where(weights < 1e-12, 0, weights))


# %% wrong="the largest of the terms is taken out: NaN where all are impossible" caught_by="no underflow, weight zero, impossible tokens"
def mix(ln_p, weights):
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = ln_p + np.log(weights)[:, None]
        top = terms.max(0)
        return top + np.log(np.exp(terms - top).sum(0))


def em_weights(ln_p, rounds):
    weights = np.full(len(ln_p), 1 / len(ln_p))
    for _ in range(rounds):
        with np.errstate(divide="ignore"):
            shares = np.exp(ln_p + np.log(weights)[:, None] - mix(ln_p, weights))
        weights = shares.mean(1)
    return weights
