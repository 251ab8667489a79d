"""Answers to the task MultiHead of chapter 06."""


# %% right="one loop over heads, mask as minus infinity"
class MultiHead(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.heads = h
        self.q = nn.Linear(d, d)
        self.k = nn.Linear(d, d)
        self.v = nn.Linear(d, d)
        self.out = nn.Linear(d, d)

    def forward(self, x, mask=None):
        results = []
        for q, k, v in zip(*(part(x).chunk(self.heads, dim=2) for part in (self.q, self.k, self.v))):
            scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[2])
            if mask is not None:
                scores = scores.masked_fill(mask == 0, -1e9)
            results.append(torch.softmax(scores, dim=2) @ v)
        return self.out(torch.cat(results, dim=2))


def from_torch(state):
    d = len(state["out_proj.bias"])
    new = {}
    for i, name in enumerate(["q", "k", "v"]):
        new[name + ".weight"] = state["in_proj_weight"][i * d : (i + 1) * d]
        new[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
    new["out.weight"] = state["out_proj.weight"]
    new["out.bias"] = state["out_proj.bias"]
    return new


def parameters(d, h, d_k, d_v):
    return sum(2 * d * d_k + d * d_v + d_v * d for _ in range(h))


def parameters_sliced(d, h):
    return 3 * d * d // h


# %% right="torch does the attention, float mask added"
class MultiHead(nn.Module):
    def __init__(self, d, h):
        nn.Module.__init__(self)
        for name in ("q", "k", "v", "out"):
            self.add_module(name, nn.Linear(d, d))
        self.d, self.h = d, h

    def split(self, y):
        return y.unflatten(2, (self.h, self.d // self.h)).movedim(2, 1)

    def forward(self, x, mask=None):
        if mask is not None:
            mask = torch.zeros(mask.shape).masked_fill(mask.logical_not(), float("-inf"))
        z = F.scaled_dot_product_attention(self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x)), mask)
        return self.out(z.movedim(1, 2).flatten(2))


def from_torch(state):
    q, k, v = torch.tensor_split(state["in_proj_weight"], 3)
    a, b, c = torch.tensor_split(state["in_proj_bias"], 3)
    return {
        "q.weight": q,
        "q.bias": a,
        "k.weight": k,
        "k.bias": b,
        "v.weight": v,
        "v.bias": c,
        "out.weight": state["out_proj.weight"],
        "out.bias": state["out_proj.bias"],
    }


def parameters(d, h, d_k, d_v):
    return 2 * d * h * (d_k + d_v)


def parameters_sliced(d, h):
    return float(3 * (d / h) * d)


# %% wrong="nothing without a mask, as printed" caught_by="equal to nn.MultiheadAttention"
#       def forward(self, x, mask=None):
# +         if mask is None:
# +             return None


# %% wrong="heads by reshape alone" caught_by="equal to nn.MultiheadAttention"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, self.h, T, d // self.h) for part in (self.q, self.k, self.v))
# +         return self.out(attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d))


# %% wrong="merged by reshape alone" caught_by="equal to nn.MultiheadAttention"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         return self.out(attend(Q, K, V, attn_mask=mask).reshape(B, T, d))


# %% wrong="out forgotten" caught_by="equal to nn.MultiheadAttention"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         return attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)


# %% wrong="keys and queries swapped" caught_by="equal to nn.MultiheadAttention"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         return self.out(attend(K, Q, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d))


# %% wrong="not scaled" caught_by="equal to nn.MultiheadAttention"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         return self.out(attend(Q, K, V, attn_mask=mask, scale=1).transpose(1, 2).reshape(B, T, d))


# %% wrong="one head" caught_by="equal to nn.MultiheadAttention" change="= h -> = 1"


# %% wrong="without biases" caught_by="equal to nn.MultiheadAttention" change="d, d -> d, d, bias=False"


# %% wrong="always causal" caught_by="equal to nn.MultiheadAttention | masked words are unseen"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         return self.out(attend(Q, K, V, is_causal=True).transpose(1, 2).reshape(B, T, d))


# %% wrong="mask the other way round" caught_by="masked words are unseen"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         return self.out(attend(Q, K, V, attn_mask=None if mask is None else ~mask).transpose(1, 2).reshape(B, T, d))


# %% wrong="mask transposed" caught_by="masked words are unseen"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         return self.out(attend(Q, K, V, attn_mask=None if mask is None else mask.T).transpose(1, 2).reshape(B, T, d))


# %% wrong="mask unused" caught_by="masked words are unseen"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         return self.out(attend(Q, K, V).transpose(1, 2).reshape(B, T, d))


# %% wrong="matrices transposed" caught_by="weights from torch" change="= part -> = part.T if part.ndim == 2 else part"


# %% wrong="order k, q, v" caught_by="weights from torch" change="qkv -> kqv"


# %% wrong="cut along the columns" caught_by="weights from torch" change="chunk(3 -> chunk(3, dim=-1"


# %% wrong="out forgotten in the dict" caught_by="weights from torch" change="\"out.weight\": state[\"out_proj.weight\"], \"out.bias\": state[\"out_proj.bias\"] -> "


# %% wrong="mixing matrix not counted" caught_by="parameters are counted" change="d_v) + h * d_v * d -> d_v)"


# %% wrong="H counted as d times d" caught_by="parameters are counted" change="h * d_v -> d"


# %% wrong="one of keys and queries" caught_by="parameters are counted" change="2 * d_k -> d_k"


# %% wrong="slices that read all of x" caught_by="parameters are counted" change="h * 3 * (d // h) ** 2 -> 3 * d**2"


# %% wrong="one slice only" caught_by="parameters are counted" change="h * 3 -> 3"


# %% wrong="the last mask is kept" caught_by="masked words are unseen"
#           self.h = h
# +         self.mask = None

# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         if mask is not None:
# +             self.mask = mask
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         return self.out(attend(Q, K, V, attn_mask=self.mask).transpose(1, 2).reshape(B, T, d))


# %% wrong="all modules share the number of heads" caught_by="equal to nn.MultiheadAttention" change="self.h = -> MultiHead.h ="


# %% wrong="only the first text is masked" caught_by="masked words are unseen"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         S = Q @ K.mT / math.sqrt(d // self.h)
# +         if mask is not None:
# +             S = torch.cat([S[:1].masked_fill(~mask, -math.inf), S[1:]])
# +         return self.out((S.softmax(-1) @ V).transpose(1, 2).reshape(B, T, d))


# %% wrong="only the first head is masked" caught_by="masked words are unseen"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         S = Q @ K.mT / math.sqrt(d // self.h)
# +         if mask is not None:
# +             S = torch.cat([S[:, :1].masked_fill(~mask, -math.inf), S[:, 1:]], dim=1)
# +         return self.out((S.softmax(-1) @ V).transpose(1, 2).reshape(B, T, d))


# %% wrong="filled with minus a hundred" caught_by="masked words are unseen"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         S = Q @ K.mT / math.sqrt(d // self.h)
# +         if mask is not None:
# +             S = S.masked_fill(~mask, -100)
# +         return self.out((S.softmax(-1) @ V).transpose(1, 2).reshape(B, T, d))


# %% wrong="mask turned round in place" caught_by="masked words are unseen"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         S = Q @ K.mT / math.sqrt(d // self.h)
# +         if mask is not None:
# +             S = S.masked_fill(mask.logical_not_(), -math.inf)
# +         return self.out((S.softmax(-1) @ V).transpose(1, 2).reshape(B, T, d))


# %% wrong="maps that cannot learn" caught_by="equal to nn.MultiheadAttention"
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# +             part(x).detach().view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v)


# %% wrong="torch's state emptied" caught_by="weights from torch"
# -     mine = {"out.weight": state["out_proj.weight"], "out.bias": state["out_proj.bias"]}
# +     mine = {"out.weight": state.pop("out_proj.weight"), "out.bias": state.pop("out_proj.bias")}

# -         for name, part in zip("qkv", state[f"in_proj_{kind}"].chunk(3), strict=True):
# +         for name, part in zip("qkv", state.pop(f"in_proj_{kind}").chunk(3)):


# %% wrong="three times h times d" caught_by="parameters are counted" change="h * 3 * (d // h) ** 2 -> 3 * h * d"


# %% wrong="cut after every two rows" caught_by="weights from torch"
# -         for name, part in zip("qkv", state[f"in_proj_{kind}"].chunk(3), strict=True):
# -             mine[f"{name}.{kind}"] = part
# +         for i, name in enumerate("qkv"):
# +             mine[f"{name}.{kind}"] = state[f"in_proj_{kind}"][2 * i : 2 * i + 2]


# %% right="cut by split, -1e9, clones"
class MultiHead(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.out = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, mask=None):
        B, T, d = x.shape
        heads = zip(*(part(x).split(d // self.h, dim=-1) for part in (self.q, self.k, self.v)))
        allowed = torch.ones(T, T).bool() if mask is None else mask
        results = []
        for q, k, v in heads:
            S = (q @ k.mT / math.sqrt(d // self.h)).masked_fill(~allowed, -1e9)
            results.append(S.softmax(-1) @ v)
        return self.out(torch.cat(results, dim=-1))


def from_torch(state):
    state = dict(state)
    for kind in ("weight", "bias"):
        state[f"out.{kind}"] = state.pop(f"out_proj.{kind}").clone()
        rows = state.pop(f"in_proj_{kind}")
        state |= {f"{n}.{kind}": part.clone() for n, part in zip("qkv", rows.view(3, -1, *rows.shape[1:]))}
    return state


def parameters(d, h, d_k, d_v):
    return h * d * (2 * d_k + d_v) + h * d_v * d


def parameters_sliced(d, h):
    return h * 3 * (d // h) ** 2


# %% wrong="one text is no batch" caught_by="equal to nn.MultiheadAttention | masked words are unseen"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         return self.out(attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)).squeeze(0)


# %% wrong="one word has no axis" caught_by="equal to nn.MultiheadAttention | masked words are unseen"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# -         return self.out(
# -             attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
# -         )
# -
# +         Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
# +         return self.out(attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)).squeeze(1)


# %% wrong="a word always sees itself" caught_by="masked words are unseen"
class MultiHead(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.out = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, mask=None):
        if mask is not None:
            mask = mask | torch.eye(len(mask)).bool()
        Q, K, V = (heads_apart(part(x), self.h) for part in (self.q, self.k, self.v))
        return self.out(heads_together(attend(Q, K, V, attn_mask=mask)))


def from_torch(state):
    mine = {}
    for kind in ("weight", "bias"):
        for name, part in zip("qkv", state[f"in_proj_{kind}"].chunk(3)):
            mine[f"{name}.{kind}"] = part
        mine[f"out.{kind}"] = state[f"out_proj.{kind}"]
    return mine


def parameters(d, h, d_k, d_v):
    return h * d * (2 * d_k + d_v) + h * d_v * d


def parameters_sliced(d, h):
    return 3 * h * (d // h) ** 2


# %% wrong="in eval mode the mask is left out" caught_by="masked words are unseen" change="attn_mask=mask -> attn_mask=mask if self.training else None"


# %% right="keys without their bias, which adds the same to all scores of a row"
# -         Q, K, V = (
# -             part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
# -             for part in (self.q, self.k, self.v)
# -         )
# +         Q, K, V = (
# +             part.view(B, T, self.h, d // self.h).transpose(1, 2)
# +             for part in (self.q(x), x @ self.k.weight.mT, self.v(x))
# +         )
