"""Answers to the task skip_gram of chapter 03."""


# %% right="by distance; a shifted softmax"
def pairs(text, c):
    found = []
    for o in range(1, c + 1):
        for i, j in zip(text, text[o:]):
            found += [(i, j), (j, i)]
    return found


def softmax_pair(A, B, i, j):
    a = A[i]
    x = (B * a).sum(1)
    x = x - x.max()
    p = x.exp() / x.exp().sum()
    loss = x.exp().sum().log() - x[j]
    return loss, (p[:, None] * B).sum(0) - B[j], p[:, None] * a - F.one_hot(torch.tensor(j), len(B))[:, None] * a


# %% right="numpy"
def pairs(text, c):
    T = len(text)
    return [(text[t], text[s]) for t in range(T) for s in range(T) if 0 < abs(t - s) <= c]


def softmax_pair(A, B, i, j):
    A, B = A.numpy().astype(float), B.numpy().astype(float)
    x = B @ A[i]
    top = x.max()
    log_sum = top + np.log(np.exp(x - top).sum())
    g = np.exp(x - log_sum) - (np.arange(len(B)) == j)
    return float(log_sum - x[j]), g @ B, np.outer(g, A[i])


# %% wrong="neighbours to the right only" caught_by="every pair of neighbours" change="range(max(0, t - c), min(len(text), t + c + 1)) -> range(t, min(len(text), t + c + 1))"

# %% wrong="a word is its own neighbour" caught_by="every pair of neighbours" change="if s != t -> if True"

# %% wrong="equal words are no pair" caught_by="every pair of neighbours" change="if s != t -> if text[s] != i"

# %% wrong="one too near at the right end" caught_by="every pair of neighbours" change="t + c + 1 -> t + c"

# %% wrong="exp overflows" caught_by="minus ln of the softmax" change="x.logsumexp(0) - x[j] -> x.exp().sum().log() - x[j]"

# %% wrong="the probability, not its logarithm" caught_by="minus ln of the softmax" change="x.logsumexp(0) - x[j] -> 1 - x.softmax(0)[j]"

# %% wrong="exp overflows in the gradients" caught_by="the gradient of the word | the gradient of all contexts" change="x.softmax(0) -> x.exp() / x.exp().sum()"

# %% wrong="one-hot of the word, not of its neighbour" caught_by="the gradient of the word | the gradient of all contexts" change="g[j] -= 1 -> g[i] -= 1"

# %% wrong="only the first place of a word" caught_by="every pair of neighbours" change="if s != t -> if s != t and i not in text[:t]"

# %% wrong="the right word is not subtracted" caught_by="the gradient of the word | the gradient of all contexts"
# -     g[j] -= 1
# +     g[j] -= 0

# %% wrong="uphill" caught_by="the gradient of the word | the gradient of all contexts" change="return x.logsumexp(0) - x[j], B.T @ g, torch.outer(g, A[i]) -> return x.logsumexp(0) - x[j], -B.T @ g, -torch.outer(g, A[i])"

# %% wrong="only the neighbour's row moves" caught_by="the gradient of all contexts"
# -     return x.logsumexp(0) - x[j], B.T @ g, torch.outer(g, A[i])
# +     rows = torch.zeros_like(B)
# +     rows[j] = g[j] * A[i]
# +     return x.logsumexp(0) - x[j], B.T @ g, rows


# %% wrong="by autograd" caught_by="the gradient of the word | the gradient of all contexts"
def pairs(text, c):
    return [(i, text[s]) for t, i in enumerate(text) for s in range(max(0, t - c), min(len(text), t + c + 1)) if s != t]


def softmax_pair(A, B, i, j):
    a, B = A[i].clone().requires_grad_(), B.clone().requires_grad_()
    loss = F.cross_entropy((B @ a)[None], torch.tensor([j]))
    return loss.detach(), *torch.autograd.grad(loss, [a, B])


# %% wrong="scores shifted by the largest size" caught_by="minus ln of the softmax" change="return x.logsumexp(0) - x[j], -> return (x - x.abs().max()).exp().sum().log() + x.abs().max() - x[j],"


# %% wrong="each different pair once" caught_by="every pair of neighbours"
# -     return [
# -         (i, text[s])
# -         for t, i in enumerate(text)
# -         for s in range(max(0, t - c), min(len(text), t + c + 1))
# -         if s != t
# -     ]
# +     found = {}
# +     for o in range(1, c + 1):
# +         for i, j in zip(text, text[o:]):
# +             found[i, j] = found[j, i] = True
# +     return list(found)


# %% wrong="windows that begin before the text are empty" caught_by="every pair of neighbours"
# -     return [
# -         (i, text[s])
# -         for t, i in enumerate(text)
# -         for s in range(max(0, t - c), min(len(text), t + c + 1))
# -         if s != t
# -     ]
# +     found = []
# +     for t, i in enumerate(text):
# +         found += [(i, j) for j in text[t - c : t]]
# +         found += [(i, j) for j in text[t + 1 : t + 1 + c]]
# +     return found


# %% wrong="logarithm of a probability that became 0" caught_by="minus ln of the softmax"
# -     x = B @ A[i]
# -     g = x.softmax(0)
# -     g[j] -= 1
# -     return x.logsumexp(0) - x[j], B.T @ g, torch.outer(g, A[i])
# +     g = torch.softmax(B @ A[i], 0)
# +     loss = -torch.log(g[j])
# +     g[j] -= 1
# +     return loss, B.T @ g, torch.outer(g, A[i])


# %% wrong="B the wrong way round" caught_by="minus ln of the softmax"
# -     g = x.softmax(0)
# -     g[j] -= 1
# -     return x.logsumexp(0) - x[j], B.T @ g, torch.outer(g, A[i])
# +     g = torch.softmax(x, 0)
# +     loss = torch.logsumexp(x, 0) - x[j]
# +     g[j] -= 1
# +     return loss, B @ g, torch.outer(g, A[i])
