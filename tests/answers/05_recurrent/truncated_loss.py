"""Answers to the task truncated_loss of chapter 05."""


# %% right="chunk after chunk"
def truncated_loss(e, y, W_x, W_h, b, tau):
    h, losses = torch.zeros_like(b), []
    for start in range(0, len(e), tau):
        h = h.detach()
        for e_t, y_t in zip(e[start : start + tau], y[start : start + tau]):
            h = torch.tanh(e_t @ W_x.T + h @ W_h.T + b)
            losses.append(F.mse_loss(h, y_t, reduction="sum") / 2)
    return torch.stack(losses).sum()


# %% right="states first, loss at the end"
def truncated_loss(e, y, W_x, W_h, b, tau):
    states = []
    for t, e_t in enumerate(e):
        before = states[-1] if states else torch.zeros_like(b)
        if t and not t % tau:
            before = before.clone().detach()
        states.append(torch.tanh(W_x @ e_t + W_h @ before + b))
    return (torch.stack(states) - y).pow(2).sum() / 2


# %% wrong="the state is set to zero at a cut" caught_by="the loss knows no cut" change="h.detach( -> torch.zeros_like(b"


# %% wrong="no cut at all" caught_by="no gradient crosses a cut" change="h = h.detach() -> pass"


# %% wrong="cut at every step" caught_by="one long chunk is plain BPTT | no gradient crosses a cut"
# -         if t % tau == 0:
# -             h = h.detach()
# +         h = h.detach()


# %% wrong="cut one word late" caught_by="no gradient crosses a cut" change="= 0 -> = 1 % tau and t > 0"


# %% wrong="cut one word early" caught_by="no gradient crosses a cut" change="t % -> (t + 1) %"


# %% wrong="the loss is cut, not the state" caught_by="no gradient crosses a cut" change="h = h -> loss = loss if t == 0 else loss"


# %% wrong="only the last chunk counts" caught_by="the loss knows no cut" change="h = h.detach() -> h, loss = h.detach(), 0.0"


# %% wrong="mean instead of half the sum" caught_by="the loss knows no cut" change="0.5 * ((h - y[t]) ** 2).sum -> ((h - y[t]) ** 2).mean"


# %% wrong="the last incomplete chunk is dropped" caught_by="the loss knows no cut" change="len(e) -> len(e) // tau * tau"


# %% wrong="input weights get no gradient" caught_by="one long chunk is plain BPTT" change="W_x @ -> W_x.detach() @"


# %% wrong="the caller's targets are used up" caught_by="the loss knows no cut"
#           loss = loss + 0.5 * ((h - y[t]) ** 2).sum()
# +     with torch.no_grad():
# +         y *= 0


# %% wrong="only one cut, after the first chunk" caught_by="no gradient crosses a cut | weights feel their own chunk" change="% tau == 0 -> == tau"


# %% wrong="every word sees tau words back" caught_by="no gradient crosses a cut"
def truncated_loss(e, y, W_x, W_h, b, tau):
    states = [torch.zeros_like(b)]
    for t in range(len(e)):
        states.append(torch.tanh(W_x @ e[t] + W_h @ states[-1] + b))
    loss = 0.0
    for t in range(len(e)):
        first = max(0, t + 1 - tau)
        h = states[first].detach()
        for s in range(first, t + 1):
            h = torch.tanh(W_x @ e[s] + W_h @ h + b)
        loss = loss + 0.5 * ((h - y[t]) ** 2).sum()
    return loss


# %% wrong="no cut where tau is 1" caught_by="no gradient crosses a cut" change="t % -> tau > 1 and t %"


# %% wrong="the last, shorter chunk is not cut off" caught_by="weights feel their own chunk" change="= 0 -> = 0 and t + tau <= len(e)"


# %% wrong="a first state in float64" caught_by="the loss knows no cut" change="torch.zeros_like(b) -> torch.zeros(len(b)).double()"


# %% wrong="asks for gradients in the caller's weights" caught_by="the loss knows no cut" change="h, loss = torch.zeros_like(b), 0.0 -> h, loss, _ = torch.zeros_like(b), 0.0, [part.requires_grad_() for part in (W_x, W_h, b)]"


# %% wrong="a call in a call for each word" caught_by="the loss knows no cut"
def truncated_loss(e, y, W_x, W_h, b, tau):
    def from_word(t, h):
        if t == len(e):
            return 0 * b.sum()
        h = torch.tanh(W_x @ e[t] + W_h @ (h.detach() if t % tau == 0 else h) + b)
        return 0.5 * ((h - y[t]) ** 2).sum() + from_word(t + 1, h)

    return from_word(0, torch.zeros_like(b))
