"""Answers to the task glove of chapter 03."""


# %% right="term by term"
def terms(N):
    return sum(1 for row in N for n in row if n > 0)


def glove(A, B, s, t, N):
    J = torch.zeros((), dtype=A.dtype)
    g_A, g_B, g_s, g_t = (torch.zeros_like(part) for part in (A, B, s, t))
    for i in range(len(A)):
        for j in range(len(B)):
            if N[i, j] > 0:
                f = min(1.0, (float(N[i, j]) / 100) ** 0.75)
                error = A[i] @ B[j] + s[i] + t[j] - torch.log(N[i, j])
                J += f * error**2
                g_A[i] += 2 * f * error * B[j]
                g_B[j] += 2 * f * error * A[i]
                g_s[i] += 2 * f * error
                g_t[j] += 2 * f * error
    return J, g_A, g_B, g_s, g_t


# %% right="only the cells that count"
def terms(N):
    return len(N.nonzero())


def glove(A, B, s, t, N):
    i, j = N.nonzero(as_tuple=True)
    n = N[i, j]
    f = torch.minimum(torch.ones_like(n), (n / 100) ** 0.75)
    e = (A[i] * B[j]).sum(1) + s[i] + t[j] - n.log()
    g = (2 * f * e)[:, None]
    zero_A, zero_s = torch.zeros_like(A), torch.zeros_like(s)
    return (
        (f * e * e).sum(),
        zero_A.index_add(0, i, g * B[j]),
        zero_A.index_add(0, j, g * A[i]),
        zero_s.index_add(0, i, g[:, 0]),
        zero_s.index_add(0, j, g[:, 0]),
    )


# %% wrong="all sixteen" caught_by="only pairs that met" change="int((N > 0).sum()) -> N.numel()"

# %% wrong="ln of 0 as 0, with weight" caught_by="only pairs that met" change="f = (N / 100).pow(0.75).clamp(max=1) -> f = (N.clamp(min=1) / 100).pow(0.75).clamp(max=1)"

# %% wrong="no limit for the weight" caught_by="weights of the counts" change=".pow(0.75).clamp(max=1) -> .pow(0.75)"

# %% wrong="the weight squared" caught_by="weights of the counts" change="(f * error**2).sum() -> ((f * error) ** 2).sum()"

# %% wrong="the mean over all cells" caught_by="weights of the counts" change="(f * error**2).sum() -> (f * error**2).mean()"

# %% wrong="the 2 forgotten" caught_by="gradients of the vectors | gradients of the biases" change="E = 2 * f * error -> E = f * error"

# %% wrong="not transposed" caught_by="gradients of the vectors" change="E.T @ A -> E @ A"

# %% wrong="A for B" caught_by="gradients of the vectors" change="E @ B, E.T @ A -> E @ A, E.T @ B"

# %% wrong="biases exchanged" caught_by="gradients of the biases" change="E.sum(1), E.sum(0) -> E.sum(0), E.sum(1)"

# %% wrong="the mean over contexts" caught_by="gradients of the biases" change="E.sum(1), E.sum(0) -> E.mean(1), E.mean(0)"

# %% wrong="errors clipped at 100" caught_by="gradients of the vectors" change="E = 2 * f * error -> E = (2 * f * error).clamp(-100, 100)"


# %% wrong="no weight in the gradients" caught_by="gradients of the vectors"
# -     f = (N / 100).pow(0.75).clamp(max=1)
# -     error = A @ B.T + beta[:, None] + gamma - torch.where(N > 0, N, 1).log()
# -     E = 2 * f * error
# -     return (f * error**2).sum(), E @ B, E.T @ A, E.sum(1), E.sum(0)
# +     met = N > 0
# +     N = N.to(A.dtype)
# +     f = torch.clamp((N / 100) ** 0.75, max=1)
# +     bracket = A @ B.T + beta[:, None] + gamma - torch.log(torch.where(met, N, 1.0))
# +     E = torch.where(met, 2 * bracket, 0.0)
# +     return (f * bracket**2).sum(), E @ B, E.T @ A, E.sum(1), E.sum(0)


# %% wrong="ones written into N" caught_by="only pairs that met"
# -     f = (N / 100).pow(0.75).clamp(max=1)
# -     error = A @ B.T + beta[:, None] + gamma - torch.where(N > 0, N, 1).log()
# -     E = 2 * f * error
# -     return (f * error**2).sum(), E @ B, E.T @ A, E.sum(1), E.sum(0)
# +     f = torch.clamp((N / 100) ** 0.75, max=1)
# +     N[N == 0] = 1
# +     bracket = A @ B.T + beta[:, None] + gamma - torch.log(N)
# +     E = 2 * f * bracket
# +     return (f * bracket**2).sum(), E @ B, E.T @ A, E.sum(1), E.sum(0)
