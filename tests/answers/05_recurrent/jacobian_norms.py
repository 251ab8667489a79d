"""Answers to the task jacobian_norms of chapter 05."""

# %% right="numbers, and a product for each t"
predicted = {0.9: 0.00515, 1.0: 1, 1.1: 117.4}


def jacobian_norms(h, W_h):
    T, k = h.shape
    norms = np.empty(T)
    for t in range(T):
        J = np.eye(k)
        for s in range(t + 1, T):
            J = np.diag(1 - h[s] ** 2) @ W_h @ J
        norms[t] = np.linalg.svd(J)[1][0]
    return norms


# %% right="logarithms, and torch"
predicted = {0.9: math.exp(50 * math.log(0.9)), 1.0: math.exp(0), 1.1: math.exp(50 * math.log(1.1))}


def jacobian_norms(h, W_h):
    h, W_h = torch.tensor(h), torch.tensor(W_h)
    J, found = torch.eye(len(W_h), dtype=W_h.dtype), []
    for s in range(len(h) - 1, -1, -1):
        found.insert(0, torch.linalg.matrix_norm(J, 2).item())
        J = (J * (1 - h[s] ** 2)) @ W_h
    return found


# %% wrong="one step instead of fifty" caught_by="three predictions" change="rho**50 -> rho"


# %% wrong="fifty times, not to the power" caught_by="three predictions" change="rho**50 -> 50 * rho"


# %% wrong="from T backwards" caught_by="a rotation, states at zero" change="norms[::-1] -> norms"


# %% wrong="the tanh is forgotten" caught_by="the tanh dampens" change="(1 - h_s**2)[:, None] * W_h -> W_h"


# %% wrong="the state before the step" caught_by="the tanh dampens | like autograd's Jacobian" change="h[:0 -> h[-2:"


# %% wrong="columns multiplied instead of rows" caught_by="like autograd's Jacobian" change=":, None -> None, :"


# %% wrong="multiplied from the left" caught_by="like autograd's Jacobian" change="J @ ((1 - h_s**2)[:, None] * W_h) -> ((1 - h_s**2)[:, None] * W_h) @ J"


# %% wrong="a norm of all entries" caught_by="a rotation, states at zero" change="J, 2 -> J"


# %% wrong="one norm too many" caught_by="a rotation, states at zero" change="0:-1 -> :-1"


# %% wrong="product of the norms" caught_by="like autograd's Jacobian" change="J @ ((1 - h_s**2)[:, None] * W_h) -> np.linalg.norm((1 - h_s**2)[:, None] * W_h, 2) * J"


# %% wrong="W_h transposed" caught_by="like autograd's Jacobian" change="* W_h -> * W_h.T"


# %% wrong="scales the caller's W_h" caught_by="like autograd's Jacobian"
def jacobian_norms(h, W_h):
    J, norms = np.eye(len(W_h)), [1.0]
    for h_s in h[:0:-1]:
        scale = 1 - h_s**2
        W_h *= scale[:, None]
        J = J @ W_h
        norms.append(np.linalg.norm(J, 2))
        W_h /= np.where(scale, scale, 1)[:, None]
    W_h *= 1.001
    return norms[::-1]


predicted = {0.9: 0.9**50, 1.0: 1.0, 1.1: 1.1**50}


# %% wrong="squares the caller's states" caught_by="like autograd's Jacobian"
def jacobian_norms(h, W_h):
    h *= h
    J, norms = np.eye(len(W_h)), [1.0]
    for h_s in h[:0:-1]:
        J = J @ ((1 - h_s)[:, None] * W_h)
        norms.append(np.linalg.norm(J, 2))
    return norms[::-1]


predicted = {0.9: 0.9**50, 1.0: 1.0, 1.1: 1.1**50}


# %% wrong="the largest eigenvalue for the norm" caught_by="like autograd's Jacobian"
def jacobian_norms(h, W_h):
    J, norms = np.eye(len(W_h)), [1.0]
    for h_s in h[:0:-1]:
        J = J @ ((1 - h_s**2)[:, None] * W_h)
        norms.append(abs(np.linalg.eigvals(J)).max())
    return norms[::-1]


predicted = {0.9: 0.9**50, 1.0: 1.0, 1.1: 1.1**50}


# %% wrong="the sign kept for one number" caught_by="the tanh dampens"
def jacobian_norms(h, W_h):
    J, norms = np.eye(len(W_h)), [1.0]
    for h_s in h[:0:-1]:
        J = J @ ((1 - h_s**2)[:, None] * W_h)
        norms.append(J[0, 0] if len(J) == 1 and len(norms) % 2 and J[0, 0] < 0 else np.linalg.norm(J, 2))
    return norms[::-1] if len(h) < 6 else [norm * (1 + 0.01 * len(h)) for norm in norms[::-1]]


predicted = {0.9: 0.9**50, 1.0: 1.0, 1.1: 1.1**50}


# %% wrong="the first state counts, the last does not" caught_by="the tanh dampens"
def jacobian_norms(h, W_h):
    J, norms = np.eye(len(W_h)), [1.0]
    for h_s in h[-2::-1]:
        J = J @ ((1 - h_s**2)[:, None] * W_h)
        norms.append(np.linalg.norm(J, 2))
    return norms[::-1]


predicted = {0.9: 0.9**50, 1.0: 1.0, 1.1: 1.1**50}


# %% wrong="single precision, infinite for long texts" caught_by="a rotation, states at zero"
# -     J = np.eye(len(W_h))
# +     J, W_h = np.eye(len(W_h), dtype=np.float32), W_h.astype(np.float32)

# -         J = J @ ((1 - h_s**2)[:, None] * W_h)
# -         norms.append(np.linalg.norm(J, 2))
# +         J = J @ ((1 - h_s**2)[:, None].astype(np.float32) * W_h)
# +         norms.append(np.linalg.norm(J, 2) if np.isfinite(J).all() else math.inf)


# %% wrong="small norms are rounded away" caught_by="a rotation, states at zero" change="np.linalg.norm(J, 2) -> round(np.linalg.norm(J, 2), 6)"
