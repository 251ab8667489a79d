"""Answers to the task two_heads of chapter 06."""

# %% right="everything written out, a list"
heads_by_hand = np.array([2.0, 5.0]) @ np.array([[1, 0], [1, 1]])
wrong_lines = [2, 3, 6]


def multihead_loop(Q, K, V, H, h):
    out, width = torch.zeros_like(V), V.shape[1] // h
    for start in range(0, V.shape[1], width):
        stop = start + width
        S = Q[:, start:stop] @ K[:, start:stop].T / width**0.5
        A = torch.exp(S - S.max(dim=1, keepdim=True).values)
        out[:, start:stop] = A / A.sum(dim=1, keepdim=True) @ V[:, start:stop]
    return out @ H


# %% right="chunks, and rows of H for each head"
heads_by_hand = (7.0, 5.0)
wrong_lines = frozenset({6, 3, 2})


def multihead_loop(Q, K, V, H, h):
    parts = zip(*(M.chunk(h, dim=1) for M in (Q, K, V, H.T)))
    return sum(attend(q, k, v) @ m.T for q, k, v, m in parts)


# %% wrong="not mixed" caught_by="two heads by hand"
# - heads_by_hand = [7, 5]
# + # heads_by_hand = [number, number]
# + heads_by_hand = [2, 5]


# %% wrong="H from the left" caught_by="two heads by hand"
# - heads_by_hand = [7, 5]
# + # heads_by_hand = [number, number]
# + heads_by_hand = [2, 7]


# %% wrong="both heads with the weights of the first" caught_by="two heads by hand"
# - heads_by_hand = [7, 5]
# + # heads_by_hand = [number, number]
# + heads_by_hand = [5, 3]


# %% wrong="ln 3 taken as 3" caught_by="two heads by hand"
# - heads_by_hand = [7, 5]
# + # heads_by_hand = [number, number]
# + heads_by_hand = [7.62, 5.81]


# %% wrong="scaled by the full width" caught_by="head by head" change="own]) -> own], scale=Q.shape[1] ** -0.5)"


# %% wrong="not scaled" caught_by="head by head" change="own]) -> own], scale=1)"


# %% wrong="interleaved columns" caught_by="head by head" change="head * d_k, (head + 1) * d_k -> head, None, h"


# %% wrong="h and d_k mixed up" caught_by="head by head" change="Q.shape[1] // h -> h"


# %% wrong="values of the first head for all" caught_by="head by head" change="own]) -> :d_k])"


# %% wrong="one head over all columns" caught_by="head by head"
# -         own = slice(head * d_k, (head + 1) * d_k)
# +         own = slice(None)

# -     return torch.cat(heads, dim=1) @ H
# +     return heads[0] @ H


# %% wrong="keys and queries swapped" caught_by="head by head" change="Q[:, own], K -> K[:, own], Q"


# %% wrong="H left out" caught_by="the mixing matrix" change="1) @ H -> 1)"


# %% wrong="H transposed" caught_by="the mixing matrix" change="@ H -> @ H.T"


# %% wrong="heads in the opposite order" caught_by="head by head" change="heads, -> heads[::-1],"


# %% wrong="line 4 suspected" caught_by="lines that cannot run" change="3, 6 -> 3, 4, 6"


# %% wrong="slice overlooked" caught_by="lines that cannot run" change="3, 6 -> 6"


# %% wrong="text believed: V is transposed in line 5" caught_by="lines that cannot run" change="2, 3 -> 3, 5"


# %% wrong="always two heads" caught_by="head by head"
heads_by_hand = [7, 5]


wrong_lines = {2, 3, 6}


def multihead_loop(Q, K, V, H, h):
    d_k = Q.shape[1] // 2
    parts = [slice(0, d_k), slice(d_k, None)]
    return torch.cat([attend(Q[:, own], K[:, own], V[:, own]) for own in parts], dim=1) @ H


# %% wrong="queries scaled in place" caught_by="the mixing matrix"
heads_by_hand = [7, 5]


wrong_lines = {2, 3, 6}


def multihead_loop(Q, K, V, H, h):
    d_k = Q.shape[1] // h
    Q /= math.sqrt(d_k)
    parts = zip(*(M.split(d_k, dim=1) for M in (Q, K, V)))
    return torch.cat([(q @ k.T).softmax(1) @ v for q, k, v in parts], dim=1) @ H


# %% wrong="each head mixed by its own block of H only" caught_by="the mixing matrix"
heads_by_hand = [7, 5]


wrong_lines = {2, 3, 6}


def multihead_loop(Q, K, V, H, h):
    d_k = Q.shape[1] // h
    heads = []
    for start in range(0, Q.shape[1], d_k):
        own = slice(start, start + d_k)
        heads.append(attend(Q[:, own], K[:, own], V[:, own]) @ H[own, own])
    return torch.cat(heads, dim=1)


# %% wrong="heads cut from the words, not the columns" caught_by="head by head"
heads_by_hand = [7, 5]


wrong_lines = {2, 3, 6}


def multihead_loop(Q, K, V, H, h):
    T, d = Q.shape
    parts = zip(*(M.reshape(h, T, d // h) for M in (Q, K, V)))
    return torch.cat([attend(q, k, v) for q, k, v in parts], dim=1) @ H


# %% right="NumPy, tensors of numbers"
heads_by_hand = torch.tensor([7.0, 5.0])


wrong_lines = np.array([6, 2, 3])


def multihead_loop(Q, K, V, H, h):
    Q, K, V, H = (np.asarray(M) for M in (Q, K, V, H))
    heads = []
    for q, k, v in zip(*(np.split(M, h, axis=1) for M in (Q, K, V))):
        A = np.exp(q @ k.T / q.shape[1] ** 0.5)
        heads.append(A / A.sum(axis=1, keepdims=True) @ v)
    return np.hstack(heads) @ H


# %% wrong="H only where heads are several" caught_by="the mixing matrix"
#           heads.append(attend(Q[:, own], K[:, own], V[:, own]))
# +     if len(heads) == 1:
# +         return heads[0]


# %% wrong="one word comes back as a vector" caught_by="the mixing matrix"
# -     return torch.cat(heads, dim=1) @ H
# +     mixed = torch.cat(heads, dim=1) @ H
# +     return mixed if len(mixed) > 1 else mixed[0]


# %% wrong="at most eight heads" caught_by="head by head" change="return torch.cat(heads, dim=1) @ H -> return torch.cat(heads[:8] + [0 * one for one in heads[8:]], dim=1) @ H"
