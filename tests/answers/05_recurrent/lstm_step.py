"""Answers to the task lstm_step of chapter 05."""


# %% right="NumPy style, two products for word and state"
def lstm_step(e, h, C, W, b):
    d = e.shape[1]

    def affine(part):
        return e.matmul(W[part][:, :d].t()) + h.matmul(W[part][:, d:].t()) + b[part]

    candidate = affine("C").tanh()
    forget, let_in, let_out = (1 / (1 + torch.exp(-affine(part))) for part in "fio")
    cell = forget.mul(C).add(let_in.mul(candidate))
    return [let_out * cell.tanh(), cell]


# %% right="einsum, one stacked matrix"
def lstm_step(e, h, C, W, b):
    stacked = torch.stack([W[p] for p in ("i", "f", "o", "C")])
    bias = torch.stack([b[p] for p in ("i", "f", "o", "C")])
    i, f, o, new = torch.einsum("pkj,bj->pbk", stacked, torch.hstack([e, h])) + bias[:, None]
    C = C * f.sigmoid() + new.tanh() * i.sigmoid()
    return C.tanh() * o.sigmoid(), C


# %% wrong="input and forget gate swapped" caught_by="each gate does its own" change="i\"]) * torch.tanh(a[\"C\"]) + torch.sigmoid(a[\"f -> f\"]) * torch.tanh(a[\"C\"]) + torch.sigmoid(a[\"i"


# %% wrong="h from the old cell" caught_by="half-open gates, by hand"
# -     C = torch.sigmoid(a["i"]) * torch.tanh(a["C"]) + torch.sigmoid(a["f"]) * C
# -     return torch.sigmoid(a["o"]) * torch.tanh(C), C
# +     new = torch.sigmoid(a["i"]) * torch.tanh(a["C"]) + torch.sigmoid(a["f"]) * C
# +     return torch.sigmoid(a["o"]) * torch.tanh(C), new


# %% wrong="no tanh around the cell" caught_by="half-open gates, by hand" change="torch.tanh(C) -> C"


# %% wrong="no tanh around the candidate" caught_by="half-open gates, by hand" change="torch.tanh(a[\"C\"]) -> a[\"C\"]"


# %% wrong="candidate through the sigmoid" caught_by="half-open gates, by hand" change="tanh(a -> sigmoid(a"


# %% wrong="state before word" caught_by="token first, then state" change="[e, h -> [h, e"


# %% wrong="output gate forgotten" caught_by="each gate does its own" change="sigmoid(a[\"o\"]) * torch.tanh -> tanh"


# %% wrong="pair the wrong way round" caught_by="half-open gates, by hand" change="torch.sigmoid(a[\"o\"]) * torch.tanh(C), C -> C, torch.sigmoid(a[\"o\"]) * torch.tanh(C)"


# %% wrong="bias forgotten" caught_by="half-open gates, by hand" change="+ b[part] for -> for"


# %% wrong="input gate is one minus forget gate" caught_by="each gate does its own" change="torch.sigmoid(a[\"i\"] -> (1 - torch.sigmoid(a[\"f\"])"


# %% wrong="old cell not forgotten" caught_by="each gate does its own" change="torch.sigmoid(a[\"f\"]) * C -> C"


# %% right="float32 inside, a list"
def lstm_step(e, h, C, W, b):
    x = torch.cat([e, h], dim=1).float()
    i, f, o, new = (F.linear(x, W[part].float(), b[part].float()) for part in "ifoC")
    cell = torch.lerp(torch.zeros_like(C).float(), C.float(), f.sigmoid()) + i.sigmoid() * new.tanh()
    return [o.sigmoid() * cell.tanh(), cell]


# %% wrong="the caller's C is overwritten" caught_by="token first, then state"
def lstm_step(e, h, C, W, b):
    x = torch.cat([e, h], dim=-1)
    a = {part: x @ W[part].T + b[part] for part in "Cfio"}
    C *= torch.sigmoid(a["f"])
    C += torch.sigmoid(a["i"]) * torch.tanh(a["C"])
    return torch.sigmoid(a["o"]) * torch.tanh(C), C


# %% wrong="the caller's b is emptied" caught_by="half-open gates, by hand"
def lstm_step(e, h, C, W, b):
    x = torch.cat([e, h], dim=-1)
    a = {part: x @ W[part].T + b.pop(part) for part in "Cfio"}
    new = torch.sigmoid(a["i"]) * torch.tanh(a["C"]) + torch.sigmoid(a["f"]) * C
    return torch.sigmoid(a["o"]) * torch.tanh(new), new


# %% wrong="the first text's state for all" caught_by="token first, then state"
def lstm_step(e, h, C, W, b):
    x = torch.cat([e, h[:1].expand_as(h)], dim=-1)
    a = {part: x @ W[part].T + b[part] for part in "Cfio"}
    C = torch.sigmoid(a["i"]) * torch.tanh(a["C"]) + torch.sigmoid(a["f"]) * C
    return torch.sigmoid(a["o"]) * torch.tanh(C), C


# %% wrong="a batch of one is squeezed" caught_by="token first, then state"
def lstm_step(e, h, C, W, b):
    x = torch.cat([e, h], dim=-1)
    a = {part: x @ W[part].T + b[part] for part in "Cfio"}
    C = torch.sigmoid(a["i"]) * torch.tanh(a["C"]) + torch.sigmoid(a["f"]) * C
    return (torch.sigmoid(a["o"]) * torch.tanh(C)).squeeze(0), C.squeeze(0)


# %% wrong="parts in the order of the dict" caught_by="token first, then state"
# -     a = {part: x @ W[part].T + b[part] for part in "Cfio"}
# +     a = dict(zip("Cfio", (x @ W[part].T + b[part] for part in W), strict=True))


# %% wrong="weights and biases paired by place" caught_by="token first, then state"
# -     a = {part: x @ W[part].T + b[part] for part in "Cfio"}
# +     a = {part: x @ w.T + bias for (part, w), bias in zip(W.items(), b.values(), strict=True)}


# %% wrong="a sigmoid that divides infinity by infinity" caught_by="each gate does its own"
# -     C = torch.sigmoid(a["i"]) * torch.tanh(a["C"]) + torch.sigmoid(a["f"]) * C
# -     return torch.sigmoid(a["o"]) * torch.tanh(C), C
# +     f, i, o = (a[part].exp() / (1 + a[part].exp()) for part in "fio")
# +     C = i * torch.tanh(a["C"]) + f * C
# +     return o * torch.tanh(C), C


# %% wrong="a tanh that divides infinity by infinity" caught_by="each gate does its own"
# -     C = torch.sigmoid(a["i"]) * torch.tanh(a["C"]) + torch.sigmoid(a["f"]) * C
# +     new = (a["C"].exp() - (-a["C"]).exp()) / (a["C"].exp() + (-a["C"]).exp())
# +     C = torch.sigmoid(a["i"]) * new + torch.sigmoid(a["f"]) * C


# %% wrong="the state is not read" caught_by="two steps like torch's cell" change="[e, h] -> [e, 0 * h]"


# %% wrong="the candidate is the same for all texts" caught_by="two steps like torch's cell" change="torch.tanh(a[\"C\"]) -> torch.tanh(a[\"C\"][:1])"


# %% wrong="the cell loses its history" caught_by="two steps like torch's cell"
def lstm_step(e, h, C, W, b):
    x = torch.cat([e, h], dim=1)
    a = {part: x @ W[part].T + b[part] for part in "Cfio"}
    f, i, o = (torch.sigmoid(a[part]) for part in "fio")
    C = f * C.detach() + i * torch.tanh(a["C"])
    return o * torch.tanh(C), C


# %% wrong="the cell is kept between -5 and 5" caught_by="each gate does its own"
# -     return torch.sigmoid(a["o"]) * torch.tanh(C), C
# +     C = C.clamp(-5, 5)
# +     return torch.sigmoid(a["o"]) * torch.tanh(C), C


# %% wrong="the new cell comes back without its history" caught_by="two steps like torch's cell" change="tanh(C), C -> tanh(C), C.detach()"
