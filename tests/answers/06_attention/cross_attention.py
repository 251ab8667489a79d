"""Answers to the task cross_attention of chapter 06."""


# %% right="text by text, cut to its length"
def padding_mask(lengths, n):
    return torch.tensor([[j < int(length) for j in range(n)] for length in lengths])


def cross_attention(x, y, lengths, W_q, W_k, W_v, H, h):
    found = []
    for asks, answers, length in zip(x, y, lengths):
        if length == 0:
            found.append(torch.zeros_like(asks))
            continue
        words = answers[: int(length)]
        Z = attend(heads_apart(asks @ W_q, h), heads_apart(words @ W_k, h), heads_apart(words @ W_v, h))
        found.append(heads_together(Z) @ H)
    return torch.stack(found)


# %% right="written out, weights of padding set to zero"
def padding_mask(lengths, n):
    places = torch.arange(n).expand(len(lengths), n)
    return places.lt(lengths.unsqueeze(1))


def cross_attention(x, y, lengths, W_q, W_k, W_v, H, h):
    B, m, d = x.shape
    n = y.shape[1]
    Q = (x @ W_q).view(B, m, h, d // h).permute(0, 2, 1, 3)
    K = (y @ W_k).view(B, n, h, d // h).permute(0, 2, 3, 1)
    V = (y @ W_v).view(B, n, h, d // h).permute(0, 2, 1, 3)
    real = padding_mask(lengths, n).view(B, 1, 1, n)
    S = (Q @ K / math.sqrt(d // h)).masked_fill(~real, float("-inf"))
    P = torch.nan_to_num(torch.softmax(S, dim=-1))
    return (P @ V).permute(0, 2, 1, 3).reshape(B, m, d) @ H


# %% right="numbers that are far below, then nothing for empty texts"
def padding_mask(lengths, n):
    return torch.stack([torch.cat([torch.ones(k), torch.zeros(n - k)]).bool() for k in lengths.tolist()])


def cross_attention(x, y, lengths, W_q, W_k, W_v, H, h):
    Q, K, V = heads_apart(x @ W_q, h), heads_apart(y @ W_k, h), heads_apart(y @ W_v, h)
    added = torch.where(padding_mask(lengths, y.shape[1]), 0.0, -1e30).to(x.dtype)
    result = heads_together(attend(Q, K, V, attn_mask=added[:, None, None])) @ H
    return result * (lengths > 0)[:, None, None]


# %% wrong="as torch's module reads it: True where padding is" caught_by="padding is marked" change="device) < lengths -> device) >= lengths"


# %% wrong="one place too many" caught_by="padding is marked" change="device) < lengths -> device) <= lengths"


# %% wrong="as wide as the longest text" caught_by="padding is marked" change="arange(n, device=lengths.device) -> arange(int(lengths.max()))"


# %% wrong="numbers, not bools" caught_by="padding is marked" change="return torch.arange(n, device=lengths.device) < lengths[:, None] -> return 1 * (torch.arange(n) < lengths[:, None])"


# %% wrong="padding is heard" caught_by="padding is unseen" change=", attn_mask=real -> "


# %% wrong="the mask forbids what it should allow" caught_by="another text answers | padding is unseen" change="attn_mask=real -> attn_mask=~real"


# %% wrong="a small penalty instead of minus infinity" caught_by="padding is unseen" change="attn_mask=real -> attn_mask=torch.where(real, 0.0, -100.0).to(x.dtype)"


# %% wrong="the texts change roles" caught_by="another text answers" change="(x @ W_q, y @ W_k, -> (y @ W_q, x @ W_k,"


# %% wrong="a text asks itself" caught_by="another text answers"
# -     Q, K, V = (heads_apart(X, h) for X in (x @ W_q, y @ W_k, y @ W_v))
# -     real = padding_mask(lengths, y.shape[1])[:, None, None]  # [B, 1, 1, n]
# -     Z = attend(Q, K, V, attn_mask=real)
# +     Q, K, V = (heads_apart(X, h) for X in (x @ W_q, x @ W_k, x @ W_v))
# +     Z = attend(Q, K, V)


# %% wrong="values of the asking text" caught_by="another text answers" change="y @ W_v -> x @ W_v"


# %% wrong="keys are values" caught_by="another text answers" change="y @ W_v -> y @ W_k"


# %% wrong="one head" caught_by="another text answers" change="heads_apart(X, h) for -> heads_apart(X, 1) for"


# %% wrong="H forgotten" caught_by="another text answers" change="heads_together(Z) @ H -> heads_together(Z)"


# %% wrong="padded words hand over zeros, but keep their weight" caught_by="padding is unseen"
# -     Z = attend(Q, K, V, attn_mask=real)
# +     Z = attend(Q, K, V * real.mT)


# %% wrong="every text as long as the first" caught_by="padding is unseen" change="padding_mask(lengths, y -> padding_mask(lengths[:1].expand(len(lengths)), y"


# %% wrong="an empty text hears its padding" caught_by="padding is unseen"
# -     Z = attend(Q, K, V, attn_mask=real)
# -     Z = Z.masked_fill((lengths == 0)[:, None, None, None], 0)
# +     real = real | (lengths == 0)[:, None, None, None]
# +     Z = attend(Q, K, V, attn_mask=real)


# %% wrong="lengths are cut in place" caught_by="another text answers | padding is unseen"
#   def cross_attention(x, y, lengths, W_q, W_k, W_v, H, h):
# +     lengths.clamp_(max=y.shape[1] - 1)


# %% wrong="maps transposed, as a Linear keeps them" caught_by="another text answers" change="(x @ W_q, y @ W_k, y @ W_v) -> (x @ W_q.T, y @ W_k.T, y @ W_v.T)"


# %% wrong="padding is emptied in place" caught_by="padding is unseen"
#       Q, K, V = (heads_apart(X, h) for X in (x @ W_q, y @ W_k, y @ W_v))
# +     y[~padding_mask(lengths, y.shape[1])] = 0


# %% wrong="lengths of 8 bits" caught_by="padding is marked" change="lengths[:, None] -> lengths[:, None].to(torch.int8)"


# %% wrong="padding has a score lower by 100" caught_by="padding is unseen"
# -     Z = attend(Q, K, V, attn_mask=real)
# +     Z = attend(Q, K, V, attn_mask=(~real).to(Q.dtype) * -100)
