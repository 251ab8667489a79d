"""Answers to the task lstm_layer of chapter 05."""


# %% right="matmul, slices, states filled in"
def input_shares(e, W_x, b):
    return e @ W_x.T + b


def lstm_layer(a, h, C, W_h):
    B, T, k4 = a.shape
    k = k4 // 4
    out = []
    for t in range(T):
        z = a[:, t] + h @ W_h.t()
        gates = torch.sigmoid(z)
        new = torch.tanh(z[:, 2 * k : 3 * k])
        C = gates[:, k : 2 * k] * C + gates[:, :k] * new
        h = gates[:, 3 * k :] * torch.tanh(C)
        out.append(h[:, None])
    return torch.cat(out, dim=1), h, C


# %% right="einsum, recursion"
def input_shares(e, W_x, b):
    return torch.einsum("btd,gd->btg", e, W_x) + b


def lstm_layer(a, h, C, W_h):
    first, rest = a[:, 0], a[:, 1:]
    i, f, g, o = torch.tensor_split(first + torch.einsum("bk,gk->bg", h, W_h), 4, dim=-1)
    C = f.sigmoid() * C + i.sigmoid() * g.tanh()
    h = o.sigmoid() * C.tanh()
    if rest.shape[1] == 0:
        return h[:, None], h, C
    states, last_h, last_C = lstm_layer(rest, h, C, W_h)
    return torch.cat([h[:, None], states], 1), last_h, last_C


# %% wrong="bias forgotten" caught_by="shares of all words" change="linear(e, W_x, b -> linear(e, W_x"


# %% wrong="the lecture's order of gates" caught_by="equal to nn.LSTM" change="i, f, new -> new, f, i"


# %% wrong="cell does not go on" caught_by="equal to nn.LSTM"
# -         C = torch.sigmoid(i) * torch.tanh(new) + torch.sigmoid(f) * C
# -         h = torch.sigmoid(o) * torch.tanh(C)
# +         now = torch.sigmoid(i) * torch.tanh(new) + torch.sigmoid(f) * C
# +         h = torch.sigmoid(o) * torch.tanh(now)


# %% wrong="state does not go on" caught_by="equal to nn.LSTM" change="a_t, h -> a_t, 0 * h"


# %% wrong="states along the wrong axis" caught_by="equal to nn.LSTM" change="states, 1 -> states"


# %% wrong="W_h not transposed" caught_by="equal to nn.LSTM" change="W_h.T -> W_h.reshape(h.shape[1], -1)"


# %% wrong="reads from right to left" caught_by="no state sees the future"
# -     for a_t in a.unbind(1):
# +     for a_t in a.flip(1).unbind(1):

# -     return torch.stack(states, 1), h, C
# +     return torch.stack(states[::-1], 1), h, C


# %% wrong="the state is detached at each step" caught_by="gradients through all steps" change="a_t, h -> a_t, h.detach()"


# %% wrong="the cell is detached at each step" caught_by="gradients through all steps" change="* C -> * C.detach()"


# %% wrong="centred with the whole text" caught_by="no state sees the future" change="states = [] -> states, a = [], a - a.mean(1, keepdim=True)"


# %% wrong="last h and C swapped" caught_by="equal to nn.LSTM" change="1), h, C -> 1), C, h"


# %% wrong="single dimensions squeezed away" caught_by="equal to nn.LSTM"
# -         i, f, new, o = torch.addmm(a_t, h, W_h.T).chunk(4, 1)
# +         i, f, new, o = (a_t + h @ W_h.T).chunk(4, 1)

# -     return torch.stack(states, 1), h, C
# +     return torch.stack(states, 1).squeeze(), h, C


# %% wrong="shares squeezed" caught_by="shares of all words"
# -     return F.linear(e, W_x, b)
# +     return F.linear(e, W_x, b).squeeze()

# -         i, f, new, o = torch.addmm(a_t, h, W_h.T).chunk(4, 1)
# +         i, f, new, o = (a_t + h @ W_h.T).chunk(4, 1)


# %% wrong="adds to the caller's shares" caught_by="equal to nn.LSTM"
# -     for a_t in a.unbind(1):
# -         i, f, new, o = torch.addmm(a_t, h, W_h.T).chunk(4, 1)
# +     for t in range(a.shape[1]):
# +         z = a[:, t] + h @ W_h.T
# +         a.data[:, t] = z.data
# +         i, f, new, o = z.chunk(4, 1)


# %% wrong="begins at zero whatever h is" caught_by="equal to nn.LSTM"
# -     states = []
# +     h, states = torch.zeros_like(h), []

# -         i, f, new, o = torch.addmm(a_t, h, W_h.T).chunk(4, 1)
# +         i, f, new, o = (a_t + h @ W_h.T).chunk(4, 1)


# %% wrong="no gradient back into the first state" caught_by="gradients through all steps"
# -     states = []
# +     h, C, states = h.detach(), C.detach(), []

# -         i, f, new, o = torch.addmm(a_t, h, W_h.T).chunk(4, 1)
# +         i, f, new, o = (a_t + h @ W_h.T).chunk(4, 1)


# %% wrong="the last h of the first text for all" caught_by="equal to nn.LSTM"
# -         i, f, new, o = torch.addmm(a_t, h, W_h.T).chunk(4, 1)
# +         i, f, new, o = (a_t + h @ W_h.T).chunk(4, 1)

# -     return torch.stack(states, 1), h, C
# +     return torch.stack(states, 1), h[:1], C


# %% wrong="peeks at the next word's share" caught_by="no state sees the future"
# -     for a_t in a.unbind(1):
# -         i, f, new, o = torch.addmm(a_t, h, W_h.T).chunk(4, 1)
# +     for t in range(a.shape[1]):
# +         z = a[:, t] + h @ W_h.T + 1e-3 * a[:, min(t + 1, a.shape[1] - 1)]
# +         i, f, new, o = z.chunk(4, 1)


# %% wrong="no gradient crosses twenty steps" caught_by="gradients through all steps"
#       for a_t in a.unbind(1):
# -         i, f, new, o = torch.addmm(a_t, h, W_h.T).chunk(4, 1)
# +         if len(states) % 20 == 19:
# +             h, C = h.detach(), C.detach()
# +         i, f, new, o = torch.addmm(a_t, h, W_h.T).chunk(4, 1)


# %% wrong="a tanh of its own that overflows" caught_by="equal to nn.LSTM" change="torch.tanh(new) -> ((2 * new).exp() - 1) / ((2 * new).exp() + 1)"


# %% wrong="a view of the words, which a transposed batch does not allow" caught_by="shares of all words"
# -     return F.linear(e, W_x, b)
# +     return (e.view(-1, e.shape[-1]) @ W_x.T + b).view(*e.shape[:2], -1)


# %% wrong="W_x as it stands where that fits" caught_by="shares of all words"
# -     return F.linear(e, W_x, b)
# +     return e @ (W_x if len(W_x) == W_x.shape[1] else W_x.T) + b
