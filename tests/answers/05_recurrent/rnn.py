"""Answers to the task rnn of chapter 05."""


# %% right="inputs all at once, then the loop"
def rnn(e, h, W_x, W_h, b):
    inputs = e @ W_x.T + b
    rows = []
    for t in range(e.shape[0]):
        h = (inputs[t] + h @ W_h.T).tanh()
        rows.append(h[None])
    return torch.cat(rows)


# %% right="one joint matrix"
def rnn(e, h, W_x, W_h, b):
    W = torch.cat([W_x, W_h], dim=1)
    states = torch.empty(len(e), len(b), dtype=b.dtype)
    for t, e_t in enumerate(e):
        h = torch.tanh(W @ torch.cat([e_t, h]) + b)
        states[t] = h
    return states


# %% wrong="the state is never replaced" caught_by="two steps by hand | the past goes on"
def rnn(e, h, W_x, W_h, b):
    return torch.stack([torch.tanh(W_x @ e_t + W_h @ h + b) for e_t in e])


# %% wrong="the bias is left out" caught_by="equal to nn.RNN" change="h + b -> h"


# %% wrong="recurrent weights transposed" caught_by="equal to nn.RNN" change="+ W_h -> + W_h.T"


# %% wrong="begins at zero whatever h is" caught_by="the past goes on" change="states = -> h, states = torch.zeros_like(h),"


# %% wrong="a sigmoid" caught_by="two steps by hand" change="tanh -> sigmoid"


# %% wrong="states before each word" caught_by="two steps by hand"
def rnn(e, h, W_x, W_h, b):
    states = []
    for e_t in e:
        states.append(h)
        h = torch.tanh(W_x @ e_t + W_h @ h + b)
    return torch.stack(states)


# %% wrong="only the last state" caught_by="two steps by hand"
def rnn(e, h, W_x, W_h, b):
    for e_t in e:
        h = torch.tanh(W_x @ e_t + W_h @ h + b)
    return h


# %% right="an in-place list of NumPy steps, float32"
def rnn(e, h, W_x, W_h, b):
    states = torch.empty(len(e), len(h), dtype=h.dtype)
    state = h.clone()
    for t, e_t in enumerate(e):
        state = (W_x.mv(e_t) + W_h.mv(state) + b).tanh()
        states[t] = state
    return states


# %% wrong="the caller's h is overwritten" caught_by="the past goes on"
def rnn(e, h, W_x, W_h, b):
    states = []
    for e_t in e:
        h[:] = torch.tanh(W_x @ e_t + W_h @ h + b)
        states.append(h.clone())
    return torch.stack(states)


# %% wrong="one state tensor for all steps" caught_by="two steps by hand | equal to nn.RNN"
def rnn(e, h, W_x, W_h, b):
    states, h = [], h.clone()
    for e_t in e:
        h.copy_(torch.tanh(W_x @ e_t + W_h @ h + b))
        states.append(h)
    return torch.stack(states)


# %% wrong="a text of one word is squeezed" caught_by="equal to nn.RNN" change="states) -> states).squeeze(0)"


# %% wrong="the bias goes into the caller's word vectors" caught_by="the past goes on"
def rnn(e, h, W_x, W_h, b):
    e = e.mul_(1.0001) if e.shape[1] == W_x.shape[1] else e
    states = []
    for e_t in e / 1.0001:
        h = torch.tanh(W_x @ e_t + W_h @ h + b)
        states.append(h)
    return torch.stack(states)


# %% wrong="input weights in the order of the words" caught_by="equal to nn.RNN" change="+ W_h -> + h @ W_h + b) if len(h) == 2 else torch.tanh(W_x @ e_t + W_h.T"


# %% wrong="a tanh of its own that overflows" caught_by="equal to nn.RNN"
# -         h = torch.tanh(W_x @ e_t + W_h @ h + b)
# +         a = W_x @ e_t + W_h @ h + b
# +         h = (a.exp() - (-a).exp()) / (a.exp() + (-a).exp())


# %% wrong="multiplies by whichever of W_x and its transpose fits" caught_by="equal to nn.RNN"
# -     states = []
# +     states, W_x = [], W_x.T if e.shape[1] == len(W_x) else W_x


# %% wrong="a word that comes twice gets its first state again" caught_by="equal to nn.RNN"
def rnn(e, h, W_x, W_h, b):
    seen, states = {}, []
    for word in e:
        key = tuple(word.tolist())
        if key not in seen:
            seen[key] = torch.tanh(W_x @ word + W_h @ h + b)
        h = seen[key]
        states.append(h)
    return torch.stack(states)


# %% wrong="every state loses its history" caught_by="the past goes on"
def rnn(e, h, W_x, W_h, b):
    states = []
    for e_t in e:
        h = torch.tanh(W_x @ e_t + W_h @ h + b)
        states.append(h.detach())
    return torch.stack(states)


# %% wrong="the state loses its history on the way" caught_by="the past goes on"
def rnn(e, h, W_x, W_h, b):
    states = []
    for e_t in e:
        h = torch.tanh(W_x @ e_t + W_h @ h + b)
        states.append(h)
        h = h.detach()
    return torch.stack(states)


# %% wrong="recursion, too deep for a long text" caught_by="equal to nn.RNN"
def rnn(e, h, W_x, W_h, b):
    new = torch.tanh(W_x @ e[0] + W_h @ h + b)
    if len(e) == 1:
        return new[None]
    return torch.cat([new[None], rnn(e[1:], new, W_x, W_h, b)])
