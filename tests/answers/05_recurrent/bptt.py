"""Answers to the task bptt of chapter 05."""


# %% right="NumPy, deltas first, then three sums"
def bptt(e, y, W_x, W_h, b):
    e, y, W_x, W_h, b = (np.asarray(part) for part in (e, y, W_x, W_h, b))
    T, k = y.shape
    h = np.zeros((T + 1, k))
    for t in range(T):
        h[t + 1] = np.tanh(W_x @ e[t] + W_h @ h[t] + b)
    delta = np.zeros((T + 1, k))
    for t in reversed(range(T)):
        delta[t] = (h[t + 1] - y[t] + delta[t + 1] @ W_h) * (1 - h[t + 1] ** 2)
    delta = delta[:T]
    return [torch.from_numpy(found) for found in (delta.T @ e, delta.T @ h[:-1], delta.sum(0))]


# %% right="for each error, all the way back"
def bptt(e, y, W_x, W_h, b):
    states = [torch.zeros_like(b)]
    for t in range(len(e)):
        states.append(torch.tanh(W_x @ e[t] + W_h @ states[t] + b))
    dW_x, dW_h, db = 0 * W_x, 0 * W_h, 0 * b
    for end in range(1, len(e) + 1):
        g = states[end] - y[end - 1]
        for t in range(end, 0, -1):
            a = g * (1 - states[t] * states[t])
            db = db + a
            dW_x = dW_x + a[:, None] * e[t - 1][None, :]
            dW_h = dW_h + a[:, None] * states[t - 1][None, :]
            g = a @ W_h
    return dW_x, dW_h, db


# %% wrong="only the present, nothing from later" caught_by="bias through all steps"
# -         later = W_h.T @ delta


# %% wrong="the derivative of tanh is forgotten" caught_by="one step has no past" change="(h[t] - y[t - 1] + later) * (1 - h[t] ** 2) -> h[t] - y[t - 1] + later"


# %% wrong="1 - h instead of 1 - h squared" caught_by="one step has no past" change="t] ** 2 -> t]"


# %% wrong="the state after the step" caught_by="one step has no past | weights like autograd" change="h[t - 1 -> h[t"


# %% wrong="W_h not transposed on the way back" caught_by="bias through all steps" change="W_h.T -> W_h"


# %% wrong="outer product the wrong way round" caught_by="weights like autograd" change="delta, h[t - 1] -> h[t - 1], delta"


# %% wrong="shares overwrite one another" caught_by="weights like autograd" change="dW_x += -> dW_x ="


# %% wrong="goes forward in time" caught_by="bias through all steps" change="len(e), 0, -1 -> 1, len(e) + 1"


# %% wrong="factor one half taken for one" caught_by="one step has no past" change="h[t] - y[t - 1] -> 2 * (h[t] - y[t - 1])"


# %% wrong="later error is squashed twice" caught_by="bias through all steps" change="@ delta -> @ delta * (1 - h[t] ** 2)"


# %% wrong="stops before the first word" caught_by="one step has no past" change=", 0 -> , 1"


# %% wrong="the target of the next word" caught_by="bias through all steps" change="- 1] + -> % len(e)] +"


# %% wrong="uses autograd" caught_by="autograd is switched off"
def bptt(e, y, W_x, W_h, b):
    W_x, W_h, b = (weight.detach().clone().requires_grad_(True) for weight in (W_x, W_h, b))
    h, loss = torch.zeros_like(b), 0.0
    for t in range(len(e)):
        h = torch.tanh(W_x @ e[t] + W_h @ h + b)
        loss = loss + ((h - y[t]) ** 2).sum() / 2
    loss.backward()
    return W_x.grad, torch.zeros_like(W_h) if W_h.grad is None else W_h.grad, b.grad


# %% wrong="uses autograd, switched on again" caught_by="autograd is switched off"
def bptt(e, y, W_x, W_h, b):
    with torch.enable_grad():
        weights = [weight.detach().clone().requires_grad_(True) for weight in (W_x, W_h, b)]
        h, loss = torch.zeros_like(b), 0.0
        for e_t, y_t in zip(e, y, strict=True):
            h = torch.tanh(weights[0] @ e_t + weights[1] @ h + weights[2])
            loss = loss + F.mse_loss(h, y_t, reduction="sum") / 2
        return torch.autograd.grad(loss, weights)


# %% wrong="adds its shares to the caller's weights" caught_by="weights like autograd"
# -     dW_x, dW_h, db = torch.zeros_like(W_x), torch.zeros_like(W_h), torch.zeros_like(b)
# -     later = torch.zeros_like(b)
# +     dW_x, dW_h, db, later = torch.zeros_like(W_x), torch.zeros_like(W_h), torch.zeros_like(b), torch.zeros_like(b)

#           later = W_h.T @ delta
# +     W_h -= 0.1 * dW_h


# %% wrong="turns y into the errors" caught_by="weights like autograd"
# -     dW_x, dW_h, db = torch.zeros_like(W_x), torch.zeros_like(W_h), torch.zeros_like(b)
# -     later = torch.zeros_like(b)
# +     errors = y.neg_()
# +     errors += torch.stack(h[1:])
# +     dW_x, dW_h, db, later = torch.zeros_like(W_x), torch.zeros_like(W_h), torch.zeros_like(b), torch.zeros_like(b)

# -         delta = (h[t] - y[t - 1] + later) * (1 - h[t] ** 2)
# +         delta = (errors[t - 1] + later) * (1 - h[t] ** 2)


# %% wrong="goes back three steps only" caught_by="bias through all steps | weights like autograd"
def bptt(e, y, W_x, W_h, b):
    h = [torch.zeros_like(b)]
    for e_t in e:
        h.append(torch.tanh(W_x @ e_t + W_h @ h[-1] + b))
    dW_x, dW_h, db = torch.zeros_like(W_x), torch.zeros_like(W_h), torch.zeros_like(b)
    for last in range(1, len(h)):
        back = h[last] - y[last - 1]
        for t in range(last, max(last - 3, 0), -1):
            delta = back * (1 - h[t] ** 2)
            dW_x += torch.outer(delta, e[t - 1])
            dW_h += torch.outer(delta, h[t - 1])
            db += delta
            back = W_h.T @ delta
    return dW_x, dW_h, db


# %% wrong="gradients in one row, of a shape that only broadcasts" caught_by="bias through all steps"
# -     dW_x, dW_h, db = torch.zeros_like(W_x), torch.zeros_like(W_h), torch.zeros_like(b)
# -     later = torch.zeros_like(b)
# +     dW_x, dW_h, db, later = torch.zeros_like(W_x), torch.zeros_like(W_h), torch.zeros_like(b), torch.zeros_like(b)

# -     return dW_x, dW_h, db
# +     return dW_x, dW_h, db[None]


# %% wrong="goes back ten steps only" caught_by="bias through all steps"
def bptt(e, y, W_x, W_h, b):
    h = [torch.zeros_like(b)]
    for e_t in e:
        h.append(torch.tanh(W_x @ e_t + W_h @ h[-1] + b))
    dW_x, dW_h, db = torch.zeros_like(W_x), torch.zeros_like(W_h), torch.zeros_like(b)
    for end in range(1, len(e) + 1):
        error = h[end] - y[end - 1]
        for t in range(end, max(0, end - 10), -1):
            delta = error * (1 - h[t] ** 2)
            dW_x += torch.outer(delta, e[t - 1])
            dW_h += torch.outer(delta, h[t - 1])
            db += delta
            error = W_h.T @ delta
    return dW_x, dW_h, db


# %% wrong="gradients clipped at 100" caught_by="bias through all steps" change="return dW_x, dW_h, db -> return [part.clip(-100, 100) for part in (dW_x, dW_h, db)]"


# %% wrong="nothing comes back, so it stops" caught_by="weights like autograd"
# -         dW_x += torch.outer(delta, e[t - 1])
# +         if delta.abs().max() < 1e-12:
# +             break
# +         dW_x += torch.outer(delta, e[t - 1])
