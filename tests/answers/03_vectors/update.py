"""Answers to the task update of chapter 03."""


# %% right="pair by pair"
def update(A, B, i, j, n, rate):
    new_A, new_B, total = A.clone(), B.clone(), 0.0
    for p in range(len(i)):
        a = A[i[p]]
        for r, v in enumerate([j[p], *n[p]]):
            x = a @ B[v]
            g = torch.sigmoid(x) - float(r == 0)
            total += float(F.softplus(-x if r == 0 else x))
            new_A[i[p]] -= rate * g * B[v]
            new_B[v] -= rate * g * a
    return new_A, new_B, total / len(i)


# %% right="autograd on the sum"
def update(A, B, i, j, n, rate):
    A, B = A.clone().requires_grad_(), B.clone().requires_grad_()
    true = (A[i] * B[j]).sum(1)
    made_up = torch.einsum("pd,pkd->pk", A[i], B[n])
    loss = -F.logsigmoid(true).sum() - F.logsigmoid(-made_up).sum()
    g_A, g_B = torch.autograd.grad(loss, [A, B])
    return (A - rate * g_A).detach(), (B - rate * g_B).detach(), loss.item() / len(i)


# %% wrong="the mean of the gradients" caught_by="word vectors move | repeated words add up" change="g = x.sigmoid() -> g = x.sigmoid() ; rate = rate / len(i)"

# %% wrong="repeated words once" caught_by="repeated words add up"
# -     new_A = A.index_add(0, i, g_a, alpha=-rate)
# -     new_B = B.index_add(0, others.flatten(), g_b.flatten(0, 1), alpha=-rate)
# +     new_A, new_B = A.clone(), B.clone()
# +     new_A[i] -= rate * g_a
# +     new_B[others.flatten()] -= rate * g_b.flatten(0, 1)

# %% wrong="B learns from the new A" caught_by="context vectors move"
# -     new_A = A.index_add(0, i, g_a, alpha=-rate)
# +     new_A = A.index_add(0, i, g_a, alpha=-rate)
# +     g_b = g[:, :, None] * new_A[i][:, None]

# %% wrong="uphill" caught_by="word vectors move | context vectors move"
# -     new_A = A.index_add(0, i, g_a, alpha=-rate)
# -     new_B = B.index_add(0, others.flatten(), g_b.flatten(0, 1), alpha=-rate)
# +     new_A = A.index_add(0, i, g_a, alpha=rate)
# +     new_B = B.index_add(0, others.flatten(), g_b.flatten(0, 1), alpha=rate)

# %% wrong="the sum of the losses" caught_by="the mean loss before the step" change=".sum(1).mean().item() -> .sum().item()"

# %% wrong="the mean over the negatives too" caught_by="the mean loss before the step" change=".sum(1).mean().item() -> .mean().item()"

# %% wrong="negatives as true pairs" caught_by="the mean loss before the step" change="signs[:, 1:] = -1 -> signs[:, 1:] = 1"

# %% wrong="in place" caught_by="context vectors move"
# -     new_A = A.index_add(0, i, g_a, alpha=-rate)
# -     new_B = B.index_add(0, others.flatten(), g_b.flatten(0, 1), alpha=-rate)
# +     new_A = A.index_add_(0, i, g_a, alpha=-rate)
# +     new_B = B.index_add_(0, others.flatten(), g_b.flatten(0, 1), alpha=-rate)

# %% wrong="every pair has the negatives of the first" caught_by="context vectors move" change="torch.cat([j[:, None], n], 1) -> torch.cat([j[:, None], n[:1].expand(n.shape)], 1)"


# %% wrong="probabilities are held above a ten-millionth" caught_by="the mean loss before the step" change="loss = -F.logsigmoid(signs * x).sum(1).mean().item() -> loss = -(signs * x).sigmoid().clamp(min=1e-7).log().sum(1).mean().item()"


# %% wrong="ln of a sigma that became 0" caught_by="the mean loss before the step"
# -     others = torch.cat([j[:, None], n], 1)
# -     a, b = A[i], B[others]
# -     x = (b * a[:, None]).sum(2)
# -     signs = torch.ones_like(x)
# -     signs[:, 1:] = -1
# -     loss = -F.logsigmoid(signs * x).sum(1).mean().item()
# -     g = x.sigmoid()
# -     g[:, 0] -= 1
# -     g_a, g_b = (g[:, :, None] * b).sum(1), g[:, :, None] * a[:, None]
# -     new_A = A.index_add(0, i, g_a, alpha=-rate)
# -     new_B = B.index_add(0, others.flatten(), g_b.flatten(0, 1), alpha=-rate)
# -     return new_A, new_B, loss
# +     a, b, c = A[i], B[j], B[n]
# +     x, y = (a * b).sum(-1), torch.einsum("pd,pkd->pk", a, c)
# +     loss = -torch.log(torch.sigmoid(x)).sum() - torch.log(torch.sigmoid(-y)).sum()
# +     gx, gy = torch.sigmoid(x) - 1, torch.sigmoid(y)
# +     new_A = A.index_add(0, i, -rate * (gx[:, None] * b + torch.einsum("pk,pkd->pd", gy, c)))
# +     new_B = B.index_add(0, j, -rate * gx[:, None] * a)
# +     new_B = new_B.index_add(0, n.flatten(), -rate * (gy[..., None] * a[:, None]).flatten(0, 1))
# +     return new_A, new_B, float(loss) / len(i)


# %% wrong="negatives that are the true neighbour do not count" caught_by="the mean loss before the step"
# -     others = torch.cat([j[:, None], n], 1)
# -     a, b = A[i], B[others]
# -     x = (b * a[:, None]).sum(2)
# -     signs = torch.ones_like(x)
# -     signs[:, 1:] = -1
# -     loss = -F.logsigmoid(signs * x).sum(1).mean().item()
# -     g = x.sigmoid()
# -     g[:, 0] -= 1
# -     g_a, g_b = (g[:, :, None] * b).sum(1), g[:, :, None] * a[:, None]
# -     new_A = A.index_add(0, i, g_a, alpha=-rate)
# -     new_B = B.index_add(0, others.flatten(), g_b.flatten(0, 1), alpha=-rate)
# -     return new_A, new_B, loss
# +     a, b, c = A[i], B[j], B[n]
# +     x, y = (a * b).sum(-1), torch.einsum("pd,pkd->pk", a, c)
# +     other = (n != j[:, None]).to(A.dtype)
# +     loss = -F.logsigmoid(x).sum() - (other * F.logsigmoid(-y)).sum()
# +     gx, gy = torch.sigmoid(x) - 1, other * torch.sigmoid(y)
# +     new_A = A.index_add(0, i, -rate * (gx[:, None] * b + torch.einsum("pk,pkd->pd", gy, c)))
# +     new_B = B.index_add(0, j, -rate * gx[:, None] * a)
# +     new_B = new_B.index_add(0, n.flatten(), -rate * (gy[..., None] * a[:, None]).flatten(0, 1))
# +     return new_A, new_B, float(loss) / len(i)


# %% wrong="squeezed scores" caught_by="the mean loss before the step"
# -     others = torch.cat([j[:, None], n], 1)
# -     a, b = A[i], B[others]
# -     x = (b * a[:, None]).sum(2)
# -     signs = torch.ones_like(x)
# -     signs[:, 1:] = -1
# -     loss = -F.logsigmoid(signs * x).sum(1).mean().item()
# -     g = x.sigmoid()
# -     g[:, 0] -= 1
# -     g_a, g_b = (g[:, :, None] * b).sum(1), g[:, :, None] * a[:, None]
# -     new_A = A.index_add(0, i, g_a, alpha=-rate)
# -     new_B = B.index_add(0, others.flatten(), g_b.flatten(0, 1), alpha=-rate)
# -     return new_A, new_B, loss
# +     a, b, c = A[i], B[j], B[n]
# +     x = (a * b).sum(-1)
# +     y = torch.bmm(c, a.unsqueeze(2)).squeeze()
# +     loss = -F.logsigmoid(x).sum() - F.logsigmoid(-y).sum()
# +     gx, gy = torch.sigmoid(x) - 1, torch.sigmoid(y)
# +     new_A = A.index_add(0, i, -rate * (gx[:, None] * b + (gy.unsqueeze(-1) * c).sum(1)))
# +     new_B = B.index_add(0, j, -rate * gx[:, None] * a)
# +     new_B = new_B.index_add(0, n.flatten(), -rate * (gy.unsqueeze(-1) * a[:, None]).flatten(0, 1))
# +     return new_A, new_B, float(loss) / len(i)


# %% wrong="single precision tables only" caught_by="the mean loss before the step"
# -     others = torch.cat([j[:, None], n], 1)
# -     a, b = A[i], B[others]
# -     x = (b * a[:, None]).sum(2)
# -     signs = torch.ones_like(x)
# -     signs[:, 1:] = -1
# -     loss = -F.logsigmoid(signs * x).sum(1).mean().item()
# -     g = x.sigmoid()
# -     g[:, 0] -= 1
# -     g_a, g_b = (g[:, :, None] * b).sum(1), g[:, :, None] * a[:, None]
# -     new_A = A.index_add(0, i, g_a, alpha=-rate)
# -     new_B = B.index_add(0, others.flatten(), g_b.flatten(0, 1), alpha=-rate)
# -     return new_A, new_B, loss
# +     a, b, c = A[i], B[j], B[n]
# +     x, y = (a * b).sum(-1), torch.einsum("pd,pkd->pk", a, c)
# +     loss = -F.logsigmoid(x).sum() - F.logsigmoid(-y).sum()
# +     gx, gy = torch.sigmoid(x) - 1, torch.sigmoid(y)
# +     to_A, to_B = torch.zeros(A.shape), torch.zeros(B.shape)
# +     to_A.index_add_(0, i, gx[:, None] * b + torch.einsum("pk,pkd->pd", gy, c))
# +     to_B.index_add_(0, j, gx[:, None] * a)
# +     to_B.index_add_(0, n.flatten(), (gy[..., None] * a[:, None]).flatten(0, 1))
# +     return A - rate * to_A, B - rate * to_B, float(loss) / len(i)


# %% wrong="more than 256 pairs in several steps" caught_by="repeated words add up"
# -     others = torch.cat([j[:, None], n], 1)
# +     if len(i) > 256:
# +         A, B, first = update(A, B, i[:256], j[:256], n[:256], rate)
# +         A, B, rest = update(A, B, i[256:], j[256:], n[256:], rate)
# +         return A, B, (256 * first + (len(i) - 256) * rest) / len(i)
# +     others = torch.cat([j[:, None], n], 1)
