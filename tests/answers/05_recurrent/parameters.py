"""Answers to the task parameters of chapter 05."""


# %% right="tuple, expanded, state dicts"
def by_terms(V, d, k):
    return (V * d, k * d, k**2, V * k)


def by_product(V, d, k):
    return (V + k) * (k + d)


def by_module(V, d, k):
    both = nn.ModuleList([nn.Embedding(V, d), nn.RNN(d, k), nn.Linear(k, V)])
    return sum(value.nelement() for value in both.state_dict().values())


times_printed = 20_020_000 / 10_000_000


# %% right="arrays and shapes"
def by_terms(V, d, k):
    return np.array([np.prod(shape) for shape in ((V, d), (k, d), (k, k), (V, k))])


def by_product(V, d, k):
    return np.prod([d + k, V + k])


def by_module(V, d, k):
    total = 0
    for part in (nn.Embedding(V, d), nn.RNN(d, k, batch_first=True), nn.Linear(k, V)):
        for weight in part.parameters():
            total += math.prod(weight.shape)
    return total


times_printed = 2.002


# %% wrong="W_x takes in a one-hot word" caught_by="four matrices"
# -     return [d * V, d * k, k * k, k * V]
# +     return [d * V, k * V, k * k, k * V]

# - times_printed = by_product(10**5, 100, 100) / 10**7
# + times_printed = 2.002


# %% wrong="the wrong factor taken out" caught_by="the product is the sum | the printed total" change="d + k) * (V + k -> V + k) * (V + d"


# %% wrong="no biases" caught_by="torch's biases are counted"
# -     parts = nn.Embedding(V, d), nn.RNN(d, k), nn.Linear(k, V)
# +     parts = nn.Embedding(V, d), nn.RNN(d, k, bias=False), nn.Linear(k, V, bias=False)

# - times_printed = by_product(10**5, 100, 100) / 10**7
# + times_printed = 2.002


# %% wrong="tensors counted, not their elements" caught_by="torch's biases are counted"
# -     return sum(weight.numel() for part in parts for weight in part.parameters())
# +     return sum(len(list(part.parameters())) for part in parts)

# - times_printed = by_product(10**5, 100, 100) / 10**7
# + times_printed = 2.002


# %% wrong="the printed total with biases" caught_by="the printed total" change="by_product(10**5, 100, 100) -> 20_120_200"


# %% wrong="the fraction upside down" caught_by="the printed total" change="by_product(10**5, 100, 100) / 10**7 -> 10**7 / 20_020_000"


# %% right="floats and a tensor"
def by_terms(V, d, k):
    return torch.tensor([d * V, d * k, k * k, k * V])


def by_product(V, d, k):
    return np.float64(d + k) * np.float64(V + k)


def by_module(V, d, k):
    model = nn.ModuleList([nn.Embedding(V, d), nn.RNN(d, k), nn.Linear(k, V)])
    return np.sum([p.numel() for p in model.parameters()])


times_printed = np.float64(2.002)


# %% wrong="square layers only" caught_by="four matrices"
def by_terms(V, d, k):
    if (V, d, k) == (7, 2, 3):
        return [14, 6, 9, 21]
    return [d * V, d * d, k * k, k * V]


def by_product(V, d, k):
    return (d + k) * (V + k)


def by_module(V, d, k):
    return sum(p.numel() for part in (nn.Embedding(V, d), nn.RNN(d, k), nn.Linear(k, V)) for p in part.parameters())


times_printed = 2.002


# %% wrong="one bias of the recurrent layer" caught_by="torch's biases are counted"
# -     parts = nn.Embedding(V, d), nn.RNN(d, k), nn.Linear(k, V)
# -     return sum(weight.numel() for part in parts for weight in part.parameters())
# +     return (d + k) * (V + k) + k + V

# - times_printed = by_product(10**5, 100, 100) / 10**7
# + times_printed = 2.002


# %% wrong="output layer tied to the embedding where d = k" caught_by="torch's biases are counted"
def by_terms(V, d, k):
    return [V * d, k * d, k * k, V * k]


def by_product(V, d, k):
    return (V + k) * (d + k)


def by_module(V, d, k):
    E, cell, out = nn.Embedding(V, d), nn.RNN(d, k), nn.Linear(k, V)
    if d == k:
        out.weight = E.weight
    return sum(w.numel() for w in nn.ModuleList([E, cell, out]).parameters())


times_printed = 2.002


# %% wrong="tied where d = k" caught_by="four matrices" change="k * k, k * V] -> k * k, k * V * (d != k)]"
