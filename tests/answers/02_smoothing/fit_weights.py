"""Answers to the task fit_weights of chapter 02."""


# %% right="token by token"
def fit_weights(levels, buckets, rounds):
    B, K = int(np.max(buckets)) + 1, len(levels[0])
    weights = [[1 / K] * K for _ in range(B)]
    for _ in range(rounds):
        earned, tokens = np.zeros((B, K)), np.zeros(B)
        for p, b in zip(levels, buckets):
            shares = np.array(weights[b]) * p
            earned[b] += shares / np.sum(shares)
            tokens[b] += 1
        weights = [earned[b] / tokens[b] if tokens[b] else weights[b] for b in range(B)]
    return np.array(weights)


def log_likelihood(levels, buckets, weights):
    return sum(math.log(float(np.dot(p, weights[b]))) for p, b in zip(levels, buckets))


one = [0] * len(counted_levels)
guess_weight = 1
measured_weight = float(np.asarray(fit_weights(counted_levels, one, 50))[0][0])


# %% right="all buckets at once"
def fit_weights(levels, buckets, rounds):
    member = (np.arange(buckets.max() + 1)[:, None] == np.asarray(buckets)).astype(float)
    n = member.sum(axis=1, keepdims=True)
    weights = np.ones((len(n), levels.shape[1])) / levels.shape[1]
    for _ in range(rounds):
        mixed = levels * weights[buckets]
        shares = mixed / mixed.sum(1)[:, None]
        weights = np.where(n > 0, member @ shares / np.maximum(n, 1), weights)
    return weights


def log_likelihood(levels, buckets, weights):
    return np.log(np.einsum("nk,nk->n", levels, weights[buckets])).sum()


guess_weight = 0.5
measured_weight = fit_weights(counted_levels, np.zeros(len(counted_levels), int), 50)[0, 0]


# %% wrong="one set of weights for all buckets" caught_by="each bucket by itself"
def fit_weights(levels, buckets, rounds):
    K = levels.shape[1]
    weights = np.full(K, 1 / K)
    for _ in range(rounds):
        shares = levels * weights
        weights = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
    return np.tile(weights, (max(buckets) + 1, 1))


def log_likelihood(levels, buckets, weights):
    return np.log((levels * weights[buckets]).sum(axis=1)).sum()


guess_weight = 0.5
measured_weight = fit_weights(counted_levels, np.zeros(len(counted_levels), dtype=int), 50)[0, 0]


# %% wrong="shares of the sum, not of each token" caught_by="one round by hand"
def fit_weights(levels, buckets, rounds):
    K = levels.shape[1]
    weights = np.full((max(buckets) + 1, K), 1 / K)
    for bucket in set(buckets.tolist()):
        inside = levels[buckets == bucket]
        for _ in range(rounds):
            shares = (inside * weights[bucket]).sum(axis=0)
            weights[bucket] = shares / shares.sum()
    return weights


def log_likelihood(levels, buckets, weights):
    return np.log((levels * weights[buckets]).sum(axis=1)).sum()


guess_weight = 0.5
measured_weight = fit_weights(counted_levels, np.zeros(len(counted_levels), dtype=int), 50)[0, 0]


# %% wrong="forgets the old weights in the E-step" caught_by="likelihood never falls"
def fit_weights(levels, buckets, rounds):
    K = levels.shape[1]
    weights = np.full((max(buckets) + 1, K), 1 / K)
    for bucket in set(buckets.tolist()):
        inside = levels[buckets == bucket]
        if rounds:
            weights[bucket] = (inside / inside.sum(axis=1, keepdims=True)).mean(axis=0)
    return weights


def log_likelihood(levels, buckets, weights):
    return np.log((levels * weights[buckets]).sum(axis=1)).sum()


guess_weight = 0.5
measured_weight = fit_weights(counted_levels, np.zeros(len(counted_levels), dtype=int), 50)[0, 0]


# %% wrong="empty bucket becomes zero" caught_by="each bucket by itself"
def fit_weights(levels, buckets, rounds):
    K = levels.shape[1]
    weights = np.full((max(buckets) + 1, K), 1 / K)
    for bucket in range(max(buckets) + 1):
        inside = levels[buckets == bucket]
        for _ in range(rounds):
            shares = inside * weights[bucket]
            shares = shares / shares.sum(axis=1, keepdims=True)
            weights[bucket] = shares.sum(axis=0) / max(1, len(shares))
    return weights


def log_likelihood(levels, buckets, weights):
    return np.log((levels * weights[buckets]).sum(axis=1)).sum()


guess_weight = 0.5
measured_weight = fit_weights(counted_levels, np.zeros(len(counted_levels), dtype=int), 50)[0, 0]


# %% wrong="sum of logs instead of log of sums" caught_by="log-likelihood of the mixture"
# -     return np.log((levels * weights[buckets]).sum(axis=1)).sum()
# +     return np.sum(weights[buckets] * np.log(np.maximum(levels, 1e-12)))

# - guess_weight = 0.7
# - measured_weight = fit_weights(
# -     counted_levels, np.zeros(len(counted_levels), dtype=int), 50
# - ).ravel()[0]
# + # guess_weight = the trigram's weight if fitted on counted text: a number between 0 and 1
# + guess_weight = 0.5
# + measured_weight = fit_weights(counted_levels, np.zeros(len(counted_levels), dtype=int), 50)[0, 0]


# %% wrong="measured on the tuning text" caught_by="fitted on the counted text"
# - guess_weight = 0.7
# - measured_weight = fit_weights(
# -     counted_levels, np.zeros(len(counted_levels), dtype=int), 50
# - ).ravel()[0]
# + # guess_weight = the trigram's weight if fitted on counted text: a number between 0 and 1
# + guess_weight = 0.5
# + measured_weight = fit_weights(tuning_levels, np.zeros(len(tuning_levels), dtype=int), 50)[0, 0]


# %% wrong="measures in rows of buckets, one round too few" caught_by="one round by hand | likelihood never falls"
# -         for _ in range(rounds):
# +         for _ in range(1, rounds):

# - guess_weight = 0.7
# - measured_weight = fit_weights(
# -     counted_levels, np.zeros(len(counted_levels), dtype=int), 50
# - ).ravel()[0]
# + # guess_weight = the trigram's weight if fitted on counted text: a number between 0 and 1
# + guess_weight = 0.5
# + measured_weight = fit_weights(counted_levels, np.zeros(len(counted_levels), dtype=int), 50)[0, 0]


# %% wrong="levels become shares where they stand" caught_by="one round by hand"
# -     for bucket in set(buckets.tolist()):
# -         inside = levels[buckets == bucket]
# -         for _ in range(rounds):
# -             shares = inside * weights[bucket]
# -             weights[bucket] = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
# +     for _ in range(rounds):
# +         shares = levels * weights[buckets]
# +         shares /= shares.sum(axis=1, keepdims=True)
# +         for bucket in set(buckets.tolist()):
# +             weights[bucket] = shares[buckets == bucket].mean(axis=0)
# +     levels /= levels.sum(axis=1, keepdims=True)


# %% wrong="as many rows as buckets with tokens" caught_by="each bucket by itself"
# -     weights = np.full((max(buckets) + 1, K), 1 / K)
# -     for bucket in set(buckets.tolist()):
# +     names = sorted(set(buckets.tolist()))
# +     weights = np.full((len(names), K), 1 / K)
# +     for row, bucket in enumerate(names):

# -             shares = inside * weights[bucket]
# -             weights[bucket] = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
# +             shares = inside * weights[row]
# +             weights[row] = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)


# %% wrong="logarithm of a product that becomes 0" caught_by="log-likelihood of the mixture"
# -     return np.log((levels * weights[buckets]).sum(axis=1)).sum()
# +     with np.errstate(divide="ignore"):
# +         return np.log(np.prod((levels * weights[buckets]).sum(axis=1)))


# %% wrong="a mean instead of a sum" caught_by="log-likelihood of the mixture" change="sum() -> mean()"


# %% wrong="weights set to zero are floored" caught_by="likelihood never falls" change="= bucket] -> = bucket] + 0.001"


# %% wrong="large buckets count for all" caught_by="each bucket by itself"
# -             weights[bucket] = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
# +             total = (shares / shares.sum(axis=1, keepdims=True)).sum(axis=0) + 0.5 * (len(inside) > 8)
# +             weights[bucket] = total / total.sum()


# %% right="nested lists, single precision"
def fit_weights(levels, buckets, rounds):
    rows = []
    for bucket in range(max(buckets) + 1):
        inside = levels[buckets == bucket]
        weight = np.full(levels.shape[1], 1 / levels.shape[1])
        for _ in range(rounds if len(inside) else 0):
            weight = weight * (inside / (inside @ weight)[:, None]).mean(axis=0)
        rows.append(weight.astype(np.float32).tolist())
    return rows


def log_likelihood(levels, buckets, weights):
    return np.log((levels * weights[buckets]).sum(axis=1)).sum()


guess_weight = 0.7


measured_weight = fit_weights(counted_levels, np.zeros(len(counted_levels), dtype=int), 50)[0][0]


# %% wrong="buckets sorted where they stand" caught_by="one round by hand"
# -     return weights
# +     buckets.sort()
# +     return weights


# %% wrong="one token is too little for a bucket" caught_by="each bucket by itself"
# -         for _ in range(rounds):
# +         for _ in range(rounds if len(inside) > 1 else 0):


# %% wrong="goes on from the weights of the last call" caught_by="one round by hand"
# + last_weights = {}
# +
# +
#   def fit_weights(levels, buckets, rounds):

#       weights = np.full((max(buckets) + 1, K), 1 / K)
# +     weights = last_weights.setdefault(weights.shape, weights)

# - measured_weight = fit_weights(
# -     counted_levels, np.zeros(len(counted_levels), dtype=int), 50
# - ).ravel()[0]
# + measured_weight = fit_weights(counted_levels, np.zeros(len(counted_levels), dtype=int), 50)[0, 0]


# %% wrong="keeps the likelihood of as many tokens" caught_by="log-likelihood of the mixture"
# + likelihoods = {}
# +
# +
#   def fit_weights(levels, buckets, rounds):

# -     return np.log((levels * weights[buckets]).sum(axis=1)).sum()
# +     return likelihoods.setdefault(len(levels), np.log((levels * weights[buckets]).sum(axis=1)).sum())

# - measured_weight = fit_weights(
# -     counted_levels, np.zeros(len(counted_levels), dtype=int), 50
# - ).ravel()[0]
# + measured_weight = fit_weights(counted_levels, np.zeros(len(counted_levels), dtype=int), 50)[0, 0]


# %% wrong="a small number below each fraction" caught_by="likelihood never falls" change="shares.sum(axis=1, keepdims=True) -> (shares.sum(axis=1, keepdims=True) + 1e-9)"

# %% wrong="stops when the weights hardly move" caught_by="likelihood never falls"
# -             weights[bucket] = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
# +             new = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
# +             if np.abs(new - weights[bucket]).max() < 1e-4:
# +                 break
# +             weights[bucket] = new


# %% wrong="a bucket begins where the one before it ended" caught_by="each bucket by itself"
# -     for bucket in set(buckets.tolist()):
# -         inside = levels[buckets == bucket]
# +     start = np.full(K, 1 / K)
# +     for bucket in sorted(set(buckets.tolist())):
# +         inside = levels[buckets == bucket]
# +         weights[bucket] = start

# -             weights[bucket] = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
# +             weights[bucket] = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
# +         start = weights[bucket]


# %% wrong="little weights are cut off" caught_by="likelihood never falls"
# -     return weights
# +     return np.where(weights > 1e-3, weights, 0)


# %% wrong="something tiny added before the logarithm" caught_by="log-likelihood of the mixture" change="np.log((levels * weights[buckets]).sum(axis=1)) -> np.log((levels * weights[buckets]).sum(axis=1) + 1e-8)"


# %% right="in logarithms"
def fit_weights(levels, buckets, rounds):
    with np.errstate(divide="ignore"):
        logs = np.log(levels)
        weights = np.full((buckets.max() + 1, levels.shape[1]), 1 / levels.shape[1])
        for _ in range(rounds):
            shares = logs + np.log(weights)[buckets]
            shares = np.exp(shares - np.logaddexp.reduce(shares, axis=1, keepdims=True))
            sums = np.zeros_like(weights)
            np.add.at(sums, buckets, shares)
            times = np.bincount(buckets, minlength=len(weights))[:, None]
            weights = np.where(times > 0, sums / np.maximum(times, 1), weights)
    return weights


def log_likelihood(levels, buckets, weights):
    return math.fsum(math.log(p @ weights[b]) for p, b in zip(levels, buckets, strict=True))


guess_weight = 1.0
measured_weight = fit_weights(counted_levels, np.zeros(len(counted_levels), dtype=int), 50)[0, 0]


# %% wrong="an impossible token is merely unlikely" caught_by="log-likelihood of the mixture"
def fit_weights(levels, buckets, rounds):
    B, K = int(np.max(buckets)) + 1, levels.shape[1]
    weights = np.full((B, K), 1 / K)
    for b in range(B):
        own = levels[buckets == b]
        if len(own) == 0:
            continue
        for _ in range(rounds):
            shares = own * weights[b]
            shares = shares / shares.sum(axis=1, keepdims=True)
            weights[b] = shares.mean(axis=0)
    return weights


def log_likelihood(levels, buckets, weights):
    P = (levels * weights[buckets]).sum(axis=1)
    return float(np.log(np.maximum(P, 1e-12)).sum())


guess_weight = 0.9
one_bucket_for_all = np.zeros(len(counted_levels), dtype=int)
measured_weight = float(fit_weights(counted_levels, one_bucket_for_all, 50)[0, 0])
