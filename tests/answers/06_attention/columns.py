"""Answers to the task columns of chapter 06."""


# %% right="through rows and back"
def attention_columns(W, Q, K, V):
    x = W.T
    P = torch.softmax((x @ Q.T) @ (x @ K.T).T, dim=1)
    return (P @ (x @ V.T)).T, P.T


def row_maps(Q, K, V):
    return [M.transpose(0, 1) for M in (Q, K, V)]


W_Q, tokens = np.array([[0, 1], [0, 1]]), np.eye(2)
queries = {"rows": [e @ W_Q for e in tokens], "columns": [W_Q @ e for e in tokens]}


# %% right="einsum, one column at a time"
def attention_columns(W, Q, K, V):
    q, k, v = Q @ W, K @ W, V @ W
    columns = [torch.einsum("ci,c->i", k, q[:, t]).softmax(0) for t in range(W.shape[1])]
    A = torch.stack(columns, dim=1)
    return torch.einsum("ci,it->ct", v, A), A


def row_maps(Q, K, V):
    return tuple(torch.einsum("ab->ba", M).contiguous() for M in (Q, K, V))


queries = {"rows": ((0, 1), (0, 1)), "columns": ((0, 0), (1, 1))}


# %% wrong="softmax along the rows" caught_by="columns sum to one" change="(K @ W).T @ (Q @ W), dim=0 -> W.T @ K.T @ Q @ W, dim=1"


# %% wrong="Q and K swapped" caught_by="who takes from whom" change="(K @ W).T @ (Q @ W) -> W.T @ Q.T @ K @ W"


# %% wrong="A transposed in the mix" caught_by="who takes from whom"
# -     A = torch.softmax((K @ W).T @ (Q @ W), dim=0)
# -     return V @ W @ A, A
# +     A = torch.softmax(W.T @ K.T @ Q @ W, dim=0)
# +     return V @ W @ A.T, A


# %% wrong="scaled" caught_by="who takes from whom" change="(K @ W).T @ (Q @ W) -> W.T @ K.T @ Q @ W / Q.shape[0] ** 0.5"


# %% wrong="A of the rows, transposed twice" caught_by="columns sum to one"
# -     A = torch.softmax((K @ W).T @ (Q @ W), dim=0)
# -     return V @ W @ A, A
# +     A = torch.softmax((W.T @ Q.T) @ (K @ W), dim=1)
# +     return V @ W @ A.T, A


# %% wrong="maps as they are" caught_by="rows do the same"
# -     A = torch.softmax((K @ W).T @ (Q @ W), dim=0)
# +     A = torch.softmax(W.T @ K.T @ Q @ W, dim=0)

# -     return Q.T, K.T, V.T
# +     return Q, K, V


# %% wrong="queries and keys swapped" caught_by="rows do the same"
# -     A = torch.softmax((K @ W).T @ (Q @ W), dim=0)
# +     A = torch.softmax(W.T @ K.T @ Q @ W, dim=0)

# -     return Q.T, K.T, V.T
# +     return K.T, Q.T, V.T


# %% wrong="reshaped, not transposed" caught_by="rows do the same"
# -     A = torch.softmax((K @ W).T @ (Q @ W), dim=0)
# +     A = torch.softmax(W.T @ K.T @ Q @ W, dim=0)

# -     return Q.T, K.T, V.T
# +     return tuple(M.reshape(M.shape[1], M.shape[0]) for M in (Q, K, V))


# %% wrong="always the ones" caught_by="one matrix, two meanings"
# -     A = torch.softmax((K @ W).T @ (Q @ W), dim=0)
# +     A = torch.softmax(W.T @ K.T @ Q @ W, dim=0)

# - queries = {"rows": [[0, 1], [0, 1]], "columns": [[0, 0], [1, 1]]}
# + queries = {"rows": [[0, 1], [0, 1]], "columns": [[0, 1], [0, 1]]}


# %% wrong="the two swapped" caught_by="one matrix, two meanings"
# -     A = torch.softmax((K @ W).T @ (Q @ W), dim=0)
# +     A = torch.softmax(W.T @ K.T @ Q @ W, dim=0)

# - queries = {"rows": [[0, 1], [0, 1]], "columns": [[0, 0], [1, 1]]}
# + queries = {"rows": [[0, 0], [1, 1]], "columns": [[0, 1], [0, 1]]}


# %% wrong="a map turned in place" caught_by="columns sum to one" change="(K @ W).T @ (Q @ W) -> W.T @ K.t_() @ Q @ W"


# %% wrong="maps turned in place" caught_by="rows do the same" change="T, K.T, V.T -> t_(), K.t_(), V.t_()"


# %% wrong="scaled by the number of words" caught_by="who takes from whom" change="W), -> W) / math.sqrt(W.shape[1]),"


# %% wrong="H lacks the values' map" caught_by="who takes from whom | columns sum to one" change="V @ W -> W"


# %% right="other maps that do the same, NumPy"
def attention_columns(W, Q, K, V):
    W, Q, K, V = (np.asarray(M) for M in (W, Q, K, V))
    S = (K @ W).T @ (Q @ W)
    A = np.exp(S - S.max(axis=0))
    A /= A.sum(axis=0)
    return [V @ W @ A, A]


def row_maps(Q, K, V):
    R = torch.linalg.qr(torch.randn(len(Q), len(Q)).double())[0] * 2
    return (R @ Q.double()).T, (torch.linalg.inv(R).T @ K.double()).T, V.T


queries = {"rows": [[0, 1], [0, 1]], "columns": [[0, 0], [1, 1]]}


# %% wrong="the largest score of all is taken off" caught_by="who takes from whom"
# -     A = torch.softmax((K @ W).T @ (Q @ W), dim=0)
# +     S = (K @ W).T @ (Q @ W)
# +     A = (S - S.max()).exp()
# +     A = A / A.sum(0)
