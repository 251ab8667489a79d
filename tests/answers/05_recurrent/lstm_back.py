"""Answers to the task lstm_back of chapter 05."""


# %% right="word and state apart, sums by einsum"
def lstm_back(e, h, C, W, b, dh, dC):
    d = e.shape[1]

    def inside(p):
        return e @ W[p][:, :d].T + h @ W[p][:, d:].T + b[p]

    forget, write, show = (1 / (1 + torch.exp(-inside(p))) for p in "fio")
    candidate = inside("C").tanh()
    cell = write * candidate + forget * C
    through = dC + dh * show * (1 - cell.tanh() ** 2)
    delta = {
        "o": dh * cell.tanh() * show * (1 - show),
        "i": through * candidate * write * (1 - write),
        "f": through * C * forget * (1 - forget),
        "C": through * write * (1 - candidate**2),
    }
    dW = {
        p: torch.cat([torch.einsum("bk,bd->kd", delta[p], e), torch.einsum("bk,bj->kj", delta[p], h)], 1) for p in delta
    }
    de = sum(torch.einsum("bk,kd->bd", delta[p], W[p][:, :d]) for p in delta)
    dh_old = sum(torch.einsum("bk,kj->bj", delta[p], W[p][:, d:]) for p in delta)
    return de, dh_old, through * forget, dW, {p: torch.ones(len(e)).to(e) @ delta[p] for p in delta}


# %% right="one text at a time, outer products"
def lstm_back(e, h, C, W, b, dh, dC):
    de, dh_old, dC_old = torch.zeros_like(e), torch.zeros_like(h), torch.zeros_like(C)
    dW = {p: torch.zeros_like(W[p]) for p in W}
    db = {p: torch.zeros_like(b[p]) for p in b}
    for n in range(len(e)):
        x = torch.cat([e[n], h[n]])
        f, i, o = (torch.sigmoid(W[p] @ x + b[p]) for p in "fio")
        new = torch.tanh(W["C"] @ x + b["C"])
        top = torch.tanh(i * new + f * C[n])
        cell = dC[n] + dh[n] * o * (1 - top * top)
        for p, delta in (
            ("C", cell * i * (1 - new * new)),
            ("f", cell * C[n] * f * (1 - f)),
            ("i", cell * new * i * (1 - i)),
            ("o", dh[n] * top * o * (1 - o)),
        ):
            dW[p] = dW[p] + torch.outer(delta, x)
            db[p] = db[p] + delta
            back = W[p].T @ delta
            de[n] += back[: e.shape[1]]
            dh_old[n] += back[e.shape[1] :]
        dC_old[n] = cell * f
    return [de, dh_old, dC_old, dW, db]


# %% wrong="the way through h forgotten" caught_by="back into the cell"
# -     dC = dC + dh * o * (1 - tanh_C**2)


# %% wrong="what comes through the cell forgotten" caught_by="back into the cell" change="dC = dC + dh -> dC = dh"


# %% wrong="tanh of h not differentiated" caught_by="back into the cell" change="dC + dh * o * (1 - tanh_C**2) -> dC + dh * o"


# %% wrong="the old cell gets the gradient as it is" caught_by="back into the cell" change="dC * f, dW -> dC, dW"


# %% wrong="the old cell through the wrong gate" caught_by="back into the cell" change="dC * f, dW -> dC * i, dW"


# %% wrong="tanh of the old cell" caught_by="the last gate, by hand" change="torch.tanh(i * new + f * C) -> torch.tanh(C)"


# %% wrong="the output gate not differentiated" caught_by="the last gate, by hand" change="dh * tanh_C * o * (1 - o) -> dh * tanh_C"


# %% wrong="the last gate through the cell" caught_by="the last gate, by hand" change="dh * tanh_C -> dC * tanh_C"


# %% wrong="new and old cell swapped" caught_by="back into weights and biases"
# -         "f": dC * C * f * (1 - f),
# -         "i": dC * new * i * (1 - i),
# +         "f": dC * new * f * (1 - f),
# +         "i": dC * C * i * (1 - i),


# %% wrong="the sigmoid's derivative for the candidate" caught_by="back into weights and biases" change="(1 - new**2) -> new * (1 - new)"


# %% wrong="means over the batch" caught_by="back into weights and biases" change="sum(dim=0) -> mean(dim=0)"


# %% wrong="summed over the state" caught_by="back into weights and biases" change="sum(dim=0) -> sum(dim=1)"


# %% wrong="only the word in dW" caught_by="back into weights and biases" change=".T @ x for -> .T @ e for"


# %% wrong="state and word swapped at the end" caught_by="back into token and state" change="dx[:, : e.shape[1]], dx[:, e.shape[1] :], -> dx[:, h.shape[1] :], dx[:, : h.shape[1]],"


# %% wrong="one part forgotten on the way back" caught_by="back into token and state"
# -     dx = sum(delta[part] @ W[part] for part in "Cfio")
# +     dx = sum(delta[part] @ W[part] for part in "Cfi")


# %% wrong="autograd does it" caught_by="autograd is switched off"
def lstm_back(e, h, C, W, b, dh, dC):
    with torch.enable_grad():
        asked = [part.clone().requires_grad_(True) for part in (e, h, C)]
        mats = {p: W[p].clone().requires_grad_(True) for p in W}
        bias = {p: b[p].clone().requires_grad_(True) for p in b}
        x = torch.cat(asked[:2], 1)
        a = {p: x @ mats[p].T + bias[p] for p in "Cfio"}
        cell = a["i"].sigmoid() * a["C"].tanh() + a["f"].sigmoid() * asked[2]
        loss = (dh * a["o"].sigmoid() * cell.tanh()).sum() + (dC * cell).sum()
        loss.backward()
    return (
        asked[0].grad,
        asked[1].grad,
        asked[2].grad,
        {p: mats[p].grad for p in W},
        {p: bias[p].grad for p in b},
    )


# %% wrong="the caller's dC is changed" caught_by="autograd is switched off" change="dC = dC + dh * o * (1 - tanh_C**2) -> dC += dh * o * (1 - tanh_C**2)"


# %% wrong="gradients of the biases clipped at 10" caught_by="back into weights and biases" change="delta[part].sum(dim=0) for -> delta[part].sum(dim=0).clip(-10, 10) for"


# %% wrong="slopes of the sigmoid by powers of e" caught_by="autograd is switched off"
def lstm_back(e, h, C, W, b, dh, dC):
    x = torch.cat([e, h], dim=1)
    a = {part: x @ W[part].T + b[part] for part in "Cfio"}
    f, i, o = (torch.sigmoid(a[part]) for part in "fio")
    new = torch.tanh(a["C"])
    t = torch.tanh(f * C + i * new)
    dC = dC + dh * o * (1 - t**2)
    e_f, e_i = torch.exp(a["f"]), torch.exp(a["i"])
    delta = {
        "o": dh * t * o * (1 - o),
        "f": dC * C * e_f / (1 + e_f) ** 2,
        "i": dC * new * e_i / (1 + e_i) ** 2,
        "C": dC * i * (1 - new**2),
    }
    dx = sum(delta[p] @ W[p] for p in "Cfio")
    d = e.shape[1]
    dW = {p: delta[p].T @ x for p in "Cfio"}
    db = {p: delta[p].sum(0) for p in "Cfio"}
    return dx[:, :d], dx[:, d:], dC * f, dW, db


# %% wrong="the two dicts are made once, for all calls" caught_by="autograd is switched off"
def lstm_back(e, h, C, W, b, dh, dC, dW={}, db={}):
    x = torch.cat([e, h], 1)
    f, i, o = (torch.sigmoid(x @ W[part].T + b[part]) for part in "fio")
    c = torch.tanh(x @ W["C"].T + b["C"])
    t = torch.tanh(f * C + i * c)
    G = dC + dh * o * (1 - t**2)
    delta = {"C": G * i * (1 - c**2), "f": G * C * f * (1 - f), "i": G * c * i * (1 - i), "o": dh * t * o * (1 - o)}
    dx = sum(delta[part] @ W[part] for part in "Cfio")
    for part in "Cfio":
        dW[part] = delta[part].T @ x
        db[part] = delta[part].sum(0)
    return dx[:, : e.shape[1]], dx[:, e.shape[1] :], G * f, dW, db


# %% wrong="gradients along the belt are kept below a million" caught_by="autograd is switched off"
# -     dC = dC + dh * o * (1 - tanh_C**2)
# +     dC = (dC + dh * o * (1 - tanh_C**2)).clamp(-1e6, 1e6)


# %% wrong="tanh of the new cell by exponentials" caught_by="autograd is switched off"
# -     tanh_C = torch.tanh(i * new + f * C)
# +     grown = torch.exp(2 * (i * new + f * C))
# +     tanh_C = (grown - 1) / (grown + 1)


# %% wrong="works in double precision only" caught_by="autograd is switched off"
# -     dx = sum(delta[part] @ W[part] for part in "Cfio")
# +     dx = torch.zeros(len(e), e.shape[1] + h.shape[1], dtype=torch.float64)
# +     for part in "Cfio":
# +         dx.addmm_(delta[part], W[part])
