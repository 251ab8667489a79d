"""Answers to the task bag_means of chapter 04."""


# %% right="means of slices, tril"
def bag_by_loop(vectors, i):
    total = [0.0] * vectors.shape[1]
    for vector in vectors[:i].tolist():
        total = [one + other for one, other in zip(total, vector, strict=True)]
    return torch.tensor([value / i if i else math.nan for value in total])


def bag_means(vectors):
    steps = torch.arange(len(vectors)) + 1
    return torch.cumsum(vectors, dim=0) / steps.unsqueeze(1)


def uniform_attention(T):
    seen = torch.ones(T, T).tril()
    return seen / seen.sum(1, keepdim=True)


# %% right="torch means, matrix product"
def bag_by_loop(vectors, i):
    return vectors[:i].mean(0)


def uniform_attention(T):
    scores = torch.zeros(T, T)
    for i in range(T):
        scores[i, i + 1 :] = -math.inf
    return F.softmax(scores, dim=-1)


def bag_means(vectors):
    return uniform_attention(len(vectors)).to(vectors.dtype) @ vectors


# %% wrong="zero before the first word" caught_by="undefined before the first word" change="i if i else total / torch.zeros(1 -> max(i, 1"


# %% wrong="infinity before the first word" caught_by="undefined before the first word" change="/ torch.zeros(1) -> + math.inf"


# %% wrong="loop stops one early" caught_by="three ways, one number" change="range(i -> range(i - 1"


# %% wrong="loop takes one more" caught_by="three ways, one number" change="range(i -> range(min(i + 1, len(vectors))"


# %% wrong="loop adds up only" caught_by="three ways, one number" change="/ i if -> if"


# %% wrong="running total only" caught_by="mean of the words so far"
# -     """Row i - 1: the mean of the first i vectors, for i = 1 ... T; (T, m) -> (T, m). Gradients must pass through."""
# -     places = torch.arange(1, len(vectors) + 1, device=vectors.device)
# -     return vectors.cumsum(0) / places[:, None]
# +     """Row i - 1: the mean of the first i vectors, for i = 1 ... T; (T, m) -> (T, m)."""
# +     return vectors.cumsum(0)


# %% wrong="divided by all words" caught_by="mean of the words so far"
# -     """Row i - 1: the mean of the first i vectors, for i = 1 ... T; (T, m) -> (T, m). Gradients must pass through."""
# -     places = torch.arange(1, len(vectors) + 1, device=vectors.device)
# -     return vectors.cumsum(0) / places[:, None]
# +     """Row i - 1: the mean of the first i vectors, for i = 1 ... T; (T, m) -> (T, m)."""
# +     return vectors.cumsum(0) / len(vectors)


# %% wrong="total along the vector" caught_by="mean of the words so far"
# -     """Row i - 1: the mean of the first i vectors, for i = 1 ... T; (T, m) -> (T, m). Gradients must pass through."""
# -     places = torch.arange(1, len(vectors) + 1, device=vectors.device)
# -     return vectors.cumsum(0) / places[:, None]
# +     """Row i - 1: the mean of the first i vectors, for i = 1 ... T; (T, m) -> (T, m)."""
# +     return vectors.cumsum(1) / torch.arange(1, len(vectors) + 1)[:, None]


# %% wrong="one number too large" caught_by="mean of the words so far"
# -     """Row i - 1: the mean of the first i vectors, for i = 1 ... T; (T, m) -> (T, m). Gradients must pass through."""
# -     places = torch.arange(1, len(vectors) + 1, device=vectors.device)
# -     return vectors.cumsum(0) / places[:, None]
# +     """Row i - 1: the mean of the first i vectors, for i = 1 ... T; (T, m) -> (T, m)."""
# +     return vectors.cumsum(0) / torch.arange(2, len(vectors) + 2)[:, None]


# %% wrong="the mean of all" caught_by="mean of the words so far"
# -     """Row i - 1: the mean of the first i vectors, for i = 1 ... T; (T, m) -> (T, m). Gradients must pass through."""
# -     places = torch.arange(1, len(vectors) + 1, device=vectors.device)
# -     return vectors.cumsum(0) / places[:, None]
# +     """Row i - 1: the mean of the first i vectors, for i = 1 ... T; (T, m) -> (T, m)."""
# +     return vectors.mean(0).expand(len(vectors), -1)


# %% wrong="sees the future" caught_by="attention to the past, evenly" change="-math.inf -> 0.0"


# %% wrong="sees only the future" caught_by="attention to the past, evenly" change="triu(1 -> tril(-1"


# %% wrong="does not see itself" caught_by="attention to the past, evenly" change="triu(1 -> triu(0"


# %% wrong="sees one word ahead" caught_by="attention to the past, evenly" change="triu(1 -> triu(2"


# %% wrong="softmax over columns" caught_by="attention to the past, evenly" change="softmax(1 -> softmax(0"


# %% wrong="future masked with a large number only" caught_by="attention to the past, evenly" change="math.inf -> 1.0"


# %% wrong="scores of one, future zero" caught_by="attention to the past, evenly" change="softmax(1 -> exp("


# %% right="float64 inside, a filled triangle"
def bag_by_loop(vectors, i):
    total = vectors.new_zeros(vectors.shape[1], dtype=torch.float64)
    for vector in vectors[:i]:
        total += vector
    return total / torch.tensor(float(i))


def uniform_attention(T):
    return torch.tensor([[1 / (i + 1) if j <= i else 0.0 for j in range(T)] for i in range(T)])


def bag_means(vectors):
    return torch.stack([vectors[: i + 1].mean(0) for i in range(len(vectors))])


# %% wrong="detached through NumPy" caught_by="gradients reach all words so far"
def bag_by_loop(vectors, i):
    return vectors[:i].mean(0)


def bag_means(vectors):
    total = np.cumsum(vectors.detach().numpy(), 0)
    return torch.from_numpy(total / np.arange(1, len(vectors) + 1)[:, None]).float()


def uniform_attention(T):
    return torch.ones(T, T).tril() / torch.arange(1, T + 1)[:, None]


# %% wrong="only the newest word learns" caught_by="gradients reach all words so far"
def bag_by_loop(vectors, i):
    return vectors[:i].mean(0)


def bag_means(vectors):
    total, rows = torch.zeros(vectors.shape[1]), []
    for i, vector in enumerate(vectors):
        total = total.detach() + vector
        rows.append(total / (i + 1))
    return torch.stack(rows)


def uniform_attention(T):
    return torch.ones(T, T).tril() / torch.arange(1, T + 1)[:, None]


# %% wrong="adds into the first vector" caught_by="three ways, one number"
def bag_by_loop(vectors, i):
    if i == 0:
        return torch.full((vectors.shape[1],), math.nan)
    total = vectors[0]
    for j in range(1, i):
        total += vectors[j]
    return total / i


def bag_means(vectors):
    return vectors.cumsum(0) / torch.arange(1, len(vectors) + 1)[:, None]


def uniform_attention(T):
    return torch.ones(T, T).tril() / torch.arange(1, T + 1)[:, None]


# %% wrong="NaN for two numbers only" caught_by="undefined before the first word"
def bag_by_loop(vectors, i):
    return vectors[:i].mean(0) if i else torch.tensor([math.nan, math.nan])


def bag_means(vectors):
    return vectors.cumsum(0) / torch.arange(1, len(vectors) + 1)[:, None]


def uniform_attention(T):
    return torch.ones(T, T).tril() / torch.arange(1, T + 1)[:, None]


# %% wrong="divides column j by j" caught_by="mean of the words so far"
def bag_by_loop(vectors, i):
    return vectors[:i].mean(0)


def bag_means(vectors):
    T, d = vectors.shape
    if T == 3 and d == 2:
        return vectors.cumsum(0) / torch.arange(1, T + 1)[:, None]
    return vectors.cumsum(0) / torch.arange(1, d + 1)


def uniform_attention(T):
    return torch.ones(T, T).tril() / torch.arange(1, T + 1)[:, None]


# %% wrong="running total in the caller's vectors" caught_by="mean of the words so far"
def bag_by_loop(vectors, i):
    return vectors[:i].mean(0)


def bag_means(vectors):
    with torch.no_grad():
        before = vectors.clone()
    means = before.cumsum(0) / torch.arange(1, len(before) + 1)[:, None]
    vectors.data[:] = means
    return vectors.cumsum(0) * 0 + before.cumsum(0) / torch.arange(1, len(before) + 1)[:, None]


def uniform_attention(T):
    return torch.ones(T, T).tril() / torch.arange(1, T + 1)[:, None]


# %% wrong="weights for a hundred words, cut to T" caught_by="attention to the past, evenly"
# -     future = torch.ones(T, T).triu(1).bool()
# -     return torch.zeros(T, T).masked_fill(future, -math.inf).softmax(1)
# +     future = torch.ones(100, 100).triu(1).bool()
# +     return torch.zeros(100, 100).masked_fill(future, -math.inf).softmax(1)[:T, :T]


# %% right="a mean that moves a little at each word"
def bag_by_loop(vectors, i):
    mean = vectors.new_full(vectors.shape[1:], math.nan)
    for j in range(i):
        mean = vectors[j] if j == 0 else mean + (vectors[j] - mean) / (j + 1)
    return mean


def bag_means(vectors):
    means = list(vectors[:1])
    for i, vector in enumerate(vectors[1:], start=2):
        means.append(means[-1] * (1 - 1 / i) + vector / i)
    return torch.stack(means)


def uniform_attention(T):
    return F.softmax(torch.full((T, T), -math.inf).triu(1), dim=1)


# %% wrong="words of length zero do not count" caught_by="mean of the words so far"
# -     places = torch.arange(1, len(vectors) + 1, device=vectors.device)
# +     places = (vectors != 0).any(1).cumsum(0).clamp(min=1)


# %% wrong="NaN only for a text of several words" caught_by="undefined before the first word" change="i if i else total / torch.zeros(1) -> i if i else total / (torch.zeros(1) if len(vectors) > 1 else 1)"


# %% wrong="fifty words are a text" caught_by="mean of the words so far" change="/ places[:, None] -> / places.clamp(max=50)[:, None]"


# %% wrong="each word teaches only its own mean and the next" caught_by="gradients reach all words so far"
def bag_by_loop(vectors, i):
    return vectors[:i].mean(0)


def bag_means(vectors):
    rows = []
    for i in range(len(vectors)):
        old, new = vectors[: max(i - 1, 0)].detach(), vectors[max(i - 1, 0) : i + 1]
        rows.append((old.sum(0) + new.sum(0)) / (i + 1))
    return torch.stack(rows)


def uniform_attention(T):
    return torch.ones(T, T).tril() / torch.arange(1, T + 1)[:, None]


# %% wrong="cuts the gradient every eight words" caught_by="gradients reach all words so far"
def bag_by_loop(vectors, i):
    total = torch.zeros_like(vectors[0])
    for j in range(i):
        total = total + vectors[j]
    return total / i


def bag_means(vectors):
    total, means = torch.zeros_like(vectors[0]), []
    for i, vector in enumerate(vectors, start=1):
        if i % 8 == 0:
            total = total.detach()  # keeps the graph short
        total = total + vector
        means.append(total / i)
    return torch.stack(means)


def uniform_attention(T):
    return torch.ones(T, T).tril() / torch.arange(1, T + 1)[:, None]


# %% wrong="the size of a vector is read off the first one" caught_by="undefined before the first word" change="torch.zeros(vectors.shape[1], dtype=vectors.dtype) -> torch.zeros_like(vectors[0])"
