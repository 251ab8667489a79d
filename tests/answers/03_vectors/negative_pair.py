"""Answers to the task negative_pair of chapter 03."""


# %% right="one by one, with softplus"
def negative_pair(a, b, n):
    loss = F.softplus(-(a @ b))
    pull = torch.sigmoid(-(a @ b))
    g_a, g_n = -pull * b, torch.zeros_like(n)
    for r, row in enumerate(n):
        loss = loss + F.softplus(a @ row)
        push = torch.sigmoid(a @ row)
        g_a = g_a + push * row
        g_n[r] = push * a
    return loss, g_a, -pull * a, g_n


# %% right="numpy, all rows at once"
def negative_pair(a, b, n):
    a, rows = np.array(a, dtype=float), np.vstack([np.array(b)[None], np.array(n)])
    x = rows @ a
    target = np.array([1.0] + [0.0] * len(n))
    loss = np.logaddexp(0, np.where(target > 0, -x, x)).sum()
    g = np.exp(-np.logaddexp(0, -x)) - target
    return float(loss), g @ rows, g[0] * a, g[1:, None] * a


# %% wrong="the mean over the negatives" caught_by="one true, k made up" change="F.logsigmoid(-made_up).sum() -> (F.logsigmoid(-made_up).sum() / max(len(n), 1))"

# %% wrong="negatives as true" caught_by="one true, k made up" change="F.logsigmoid(-made_up) -> F.logsigmoid(made_up)"

# %% wrong="ln of a sigmoid that became 0" caught_by="one true, k made up" change="F.logsigmoid(true) -> torch.sigmoid(true).log()"

# %% wrong="negatives do not push the word" caught_by="the gradient of the word" change="g * b + g_n @ n -> g * b"

# %% wrong="negatives pull the word" caught_by="the gradient of the word" change="g * b + g_n @ n -> g * b - g_n @ n"

# %% wrong="uphill" caught_by="the gradient of the word | the gradient of the neighbour | the gradients of the negatives" change="return loss, g * b + g_n @ n, g * a, torch.outer(g_n, a) -> return loss, -g * b - g_n @ n, -g * a, -torch.outer(g_n, a)"

# %% wrong="sigma, not sigma - 1" caught_by="the gradient of the neighbour" change="torch.sigmoid(true) - 1, -> torch.sigmoid(true),"

# %% wrong="exp over exp overflows" caught_by="the gradients of the negatives" change="torch.sigmoid(made_up) -> made_up.exp() / (1 + made_up.exp())"

# %% wrong="the negatives' rows, not the word" caught_by="the gradients of the negatives" change="torch.outer(g_n, a) -> g_n[:, None] * n"

# %% wrong="all negatives like their mean" caught_by="the gradients of the negatives" change="torch.outer(g_n, a) -> g_n.mean() * a.expand(n.shape)"


# %% wrong="by autograd" caught_by="the gradient of the word | the gradient of the neighbour | the gradients of the negatives"
def negative_pair(a, b, n):
    a, b, n = (value.clone().requires_grad_() for value in (a, b, n))
    loss = -F.logsigmoid(a @ b) - F.logsigmoid(-(n @ a)).sum()
    return loss.detach(), *torch.autograd.grad(loss, [a, b, n])


# %% wrong="the logarithm turns straight at 5" caught_by="one true, k made up" change="loss = -F.logsigmoid(true) - F.logsigmoid(-made_up).sum() -> loss = F.softplus(-true, threshold=5) + F.softplus(made_up, threshold=5).sum()"


# %% wrong="one minus sigma for the negatives" caught_by="one true, k made up"
# -     true, made_up = a @ b, n @ a
# -     loss = -F.logsigmoid(true) - F.logsigmoid(-made_up).sum()
# -     g, g_n = torch.sigmoid(true) - 1, torch.sigmoid(made_up)
# -     return loss, g * b + g_n @ n, g * a, torch.outer(g_n, a)
# +     x, y = a @ b, n @ a
# +     loss = -F.logsigmoid(x) - torch.log(1 - torch.sigmoid(y)).sum()
# +     gx, gy = torch.sigmoid(x) - 1, torch.sigmoid(y)
# +     return loss, gx * b + gy @ n, gx * a, torch.outer(gy, a)


# %% wrong="a negative that is the true neighbour is left out" caught_by="one true, k made up"
# -     true, made_up = a @ b, n @ a
# -     loss = -F.logsigmoid(true) - F.logsigmoid(-made_up).sum()
# -     g, g_n = torch.sigmoid(true) - 1, torch.sigmoid(made_up)
# -     return loss, g * b + g_n @ n, g * a, torch.outer(g_n, a)
# +     x, y = a @ b, n @ a
# +     other = (n != b).any(1).to(n.dtype)
# +     loss = -F.logsigmoid(x) - (other * F.logsigmoid(-y)).sum()
# +     gx, gy = torch.sigmoid(x) - 1, other * torch.sigmoid(y)
# +     return loss, gx * b + gy @ n, gx * a, torch.outer(gy, a)


# %% wrong="n scaled in place" caught_by="one true, k made up"
# -     true, made_up = a @ b, n @ a
# -     loss = -F.logsigmoid(true) - F.logsigmoid(-made_up).sum()
# -     g, g_n = torch.sigmoid(true) - 1, torch.sigmoid(made_up)
# -     return loss, g * b + g_n @ n, g * a, torch.outer(g_n, a)
# +     x, y = a @ b, n @ a
# +     loss = -F.logsigmoid(x) - F.logsigmoid(-y).sum()
# +     gx, gy = torch.sigmoid(x) - 1, torch.sigmoid(y)
# +     n *= gy[:, None]
# +     return loss, gx * b + n.sum(0), gx * a, torch.outer(gy, a)
