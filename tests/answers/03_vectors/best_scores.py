"""Answers to the task best_scores of chapter 03."""


# %% right="cell by cell"
def cost(x, N, q, k):
    total = 0.0
    for i in range(len(N)):
        for j in range(len(q)):
            if N[i][j] > 0:
                total += N[i][j] * np.logaddexp(0, -x[i][j])
            total += k * sum(N[i]) * q[j] * np.logaddexp(0, x[i][j])
    return total


def best_scores(N, q, k):
    return [
        [math.log(N[i][j]) - math.log(k * sum(N[i]) * q[j]) if N[i][j] else -math.inf for j in range(len(q))]
        for i in range(len(N))
    ]


# %% right="torch"
def cost(x, N, q, k):
    x, N, q = torch.tensor(x), torch.tensor(N), torch.tensor(q)
    true = torch.where(N > 0, -F.logsigmoid(x) * N, 0)
    return float((true - F.logsigmoid(-x) * k * N.sum(1)[:, None] * q).sum())


def best_scores(N, q, k):
    rows = N.sum(1)[:, None]
    with np.errstate(all="ignore"):
        found = np.log(N / np.where(rows > 0, rows, 1) / q / k)
    return found


# %% wrong="made up as often as true" caught_by="true and made up" change="np.logaddexp(0, x) * (k * N.sum(1, keepdims=True) * q) -> np.logaddexp(0, x) * (k * N)"

# %% wrong="k forgotten in the cost" caught_by="true and made up" change="np.logaddexp(0, x) * (k * -> np.logaddexp(0, x) * (1 * "

# %% wrong="contexts counted, not words" caught_by="true and made up" change="np.logaddexp(0, x) * (k * N.sum(1, keepdims=True) * q) -> np.logaddexp(0, x) * (k * N.sum(0) * q)"

# %% wrong="zero times infinity" caught_by="scores far out"
# -     true = np.logaddexp(0, -np.where(N > 0, x, 0)) * N
# +     with np.errstate(all="ignore"):
# +         true = np.logaddexp(0, -x) * N

# %% wrong="exp overflows" caught_by="scores far out"
# -     made_up = np.logaddexp(0, x) * (k * N.sum(1, keepdims=True) * q)
# +     with np.errstate(all="ignore"):
# +         made_up = np.log(1 + np.exp(x)) * (k * N.sum(1, keepdims=True) * q)


# %% wrong="PMI without ln k" caught_by="where the cost is smallest"
def cost(x, N, q, k):
    true = np.logaddexp(0, -np.where(N > 0, x, 0)) * N
    return true.sum() + (np.logaddexp(0, x) * (k * N.sum(1, keepdims=True) * q)).sum()


def best_scores(N, q, k):
    found = np.full(np.shape(N), -np.inf)
    made_up = N.sum(1, keepdims=True) * q
    found[N > 0] = np.log(N[N > 0] / made_up[N > 0])
    return found


# %% wrong="the probability, not its score" caught_by="where the cost is smallest" change="np.log(N[seen] / made_up[seen]) -> N[seen] / (N[seen] + made_up[seen])"

# %% wrong="0 for pairs that never met" caught_by="pairs that never met" change="np.full(np.shape(N), -np.inf) -> np.zeros(np.shape(N))"

# %% wrong="NaN for words never seen" caught_by="pairs that never met"
# -     seen = N > 0
# +     seen = N > 0
# +     found[N.sum(1) == 0] = np.nan


# %% wrong="low scores are no scores" caught_by="where the cost is smallest" change="np.log(N[seen] / made_up[seen]) -> np.log(np.where(N[seen] / made_up[seen] < 1e-6, 1e-300, N[seen] / made_up[seen]))"


# %% wrong="minus infinity into a table like N" caught_by="pairs that never met"
# -     found = np.full(np.shape(N), -np.inf)
# -     seen = N > 0
# -     made_up = k * N.sum(1, keepdims=True) * q
# -     found[seen] = np.log(N[seen] / made_up[seen])
# -     return found
# +     made = k * N.sum(1, keepdims=True) * q
# +     out = np.full_like(N, -np.inf)
# +     out[N > 0] = np.log(N[N > 0] / made[N > 0])
# +     return out


# %% wrong="a score of minus infinity never costs anything" caught_by="scores far out"
# -     true = np.logaddexp(0, -np.where(N > 0, x, 0)) * N
# -     made_up = np.logaddexp(0, x) * (k * N.sum(1, keepdims=True) * q)
# -     return true.sum() + made_up.sum()
# +     made = k * N.sum(1, keepdims=True) * q
# +     far = np.isneginf(x)
# +     true = np.where(far, 0, np.logaddexp(0, -np.where(far, 0, x)) * N)
# +     return float((true + made * np.logaddexp(0, x)).sum())


# %% wrong="the noise of the word instead of the context" caught_by="true and made up"
# -     true = np.logaddexp(0, -np.where(N > 0, x, 0)) * N
# -     made_up = np.logaddexp(0, x) * (k * N.sum(1, keepdims=True) * q)
# -     return true.sum() + made_up.sum()
# +     made = k * N.sum(1, keepdims=True) * q[:, None]
# +     true = np.where(N > 0, np.logaddexp(0, -np.where(N > 0, x, 0)) * N, 0)
# +     return float((true + made * np.logaddexp(0, x)).sum())


# %% right="torch and logarithms"
def cost(x, N, q, k):
    X, C = torch.tensor(np.array(x)), torch.tensor(np.array(N, dtype=float))
    made = k * torch.outer(C.sum(1), torch.tensor(np.array(q)))
    true = torch.where(C > 0, -C * F.logsigmoid(X), 0.0)
    neg = torch.where(made > 0, -made * F.logsigmoid(-X), 0.0)
    return (true + neg).sum().item()


def best_scores(N, q, k):
    with np.errstate(all="ignore"):
        found = np.log(N) - np.log(N.sum(1))[:, None] - np.log(q)[None] - math.log(k)
    return np.where(N == 0, -np.inf, found)
