"""Answers to the task look_back of chapter 09."""


# %% right="einsum, and a mask that is added"
def look_back(h, states, lengths):
    scores = torch.einsum("bnd,bmd->bnm", h, states)
    hidden = torch.arange(states.shape[1])[None, None] >= lengths[:, None, None]
    weights = torch.softmax(scores - torch.where(hidden, torch.inf, 0.0), dim=2)
    return torch.einsum("bnm,bmd->bnd", weights, states), weights


# %% right="a loop over the batch"
def look_back(h, states, lengths):
    contexts, weights = [], []
    for b, length in enumerate(lengths.tolist()):
        p = (h[b] @ states[b, :length].T).softmax(-1)
        contexts.append(p @ states[b, :length])
        weights.append(F.pad(p, (0, states.shape[1] - length)))
    return torch.stack(contexts), torch.stack(weights)


# %% wrong="scaled" caught_by="two states by hand | equal to nn.MultiheadAttention" change="h @ states.transpose(1, 2) -> h @ states.transpose(1, 2) / math.sqrt(h.shape[2])"


# %% wrong="normalised over the target" caught_by="two states by hand" change=".softmax(-1) -> .softmax(1).nan_to_num()"


# %% wrong="padding set to 0 before the softmax" caught_by="padding answers nothing" change="~real[:, None], -math.inf -> ~real[:, None], 0"


# %% wrong="padding set to 0 after the softmax" caught_by="padding answers nothing"
# -     weights = scores.masked_fill(~real[:, None], -math.inf).softmax(-1)
# +     weights = scores.softmax(-1).masked_fill(~real[:, None], 0)


# %% wrong="no mask" caught_by="padding answers nothing" change="scores.masked_fill(~real[:, None], -math.inf).softmax(-1) -> scores.softmax(-1)"


# %% wrong="one place of padding is seen" caught_by="padding answers nothing" change="< lengths[:, None] -> <= lengths[:, None]"


# %% wrong="the mask of the longest" caught_by="padding answers nothing" change="< lengths[:, None] -> < lengths.max().expand(len(lengths))[:, None]"


# %% wrong="exponentials by hand" caught_by="two states by hand"
# -     weights = scores.masked_fill(~real[:, None], -math.inf).softmax(-1)
# +     weights = scores.exp() * real[:, None]
# +     weights = weights / weights.sum(-1, keepdim=True)


# %% wrong="contexts of the best state only" caught_by="two states by hand"
# -     return weights @ states, weights
# +     best = weights.argmax(-1)
# +     return torch.stack([s[i] for s, i in zip(states, best)]), weights


# %% wrong="weights, then contexts" caught_by="two states by hand" change="return weights @ states, weights -> return weights, weights @ states"


# %% wrong="the state is added to the context" caught_by="two states by hand" change="return weights @ states, weights -> return h + weights @ states, weights"


# %% wrong="the weights are detached" caught_by="equal to nn.MultiheadAttention" change="return weights @ states, weights -> return weights.detach() @ states, weights"


# %% wrong="padding in the states is wiped out in place" caught_by="equal to nn.MultiheadAttention"
#       real = torch.arange(states.shape[1], device=h.device) < lengths[:, None]
# +     states *= real[..., None]


# %% wrong="padding scores -1,000" caught_by="padding answers nothing" change="-math.inf -> -1000.0"


# %% right="pair by pair, without any padding"
def look_back(h, states, lengths):
    B, n, m = h.shape[0], h.shape[1], states.shape[1]
    contexts, weights = [], []
    for b in range(B):
        real = states[b, : int(lengths[b])]
        s = torch.einsum("nd,md->nm", h[b], real)
        alpha = torch.exp(s - torch.logsumexp(s, dim=1, keepdim=True))
        contexts.append(torch.einsum("nm,md->nd", alpha, real))
        weights.append(torch.cat([alpha, alpha.new_zeros(n, m - len(real))], dim=1))
    return torch.stack(contexts), torch.stack(weights)
