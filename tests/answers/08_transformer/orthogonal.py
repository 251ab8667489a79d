"""Answers to the task orthogonal of chapter 08."""

# %% right="Horner's rule, powers by hand"
guess_small = 0.01


def pushed(s, rounds):
    for _ in range(rounds):
        s = s * (3.4445 + s * s * (-4.775 + 2.0315 * s * s))
    return s


def orthogonal(G, rounds=5):
    norm = math.sqrt(float((G**2).sum()))
    X = G / norm if norm > 0 else G
    for _ in range(rounds):
        A = X @ X.T
        X = 3.4445 * X - 4.775 * A @ X + 2.0315 * A @ A @ X
    return X


measured_small = pushed(0.01, 5)


# %% right="by singular values; products from the right"
guess_small = 0.05


def pushed(s, rounds):
    if rounds == 0:
        return s
    return pushed(3.4445 * s - 4.775 * s**3 + 2.0315 * s**5, rounds - 1)


def orthogonal(G, rounds=5):
    X = G / torch.linalg.matrix_norm(G).clamp(min=1e-30)
    for _ in range(rounds):
        B = X.T @ X
        X = X @ (3.4445 * torch.eye(len(B), dtype=B.dtype) - 4.775 * B + 2.0315 * B @ B)
    return X


measured_small = round(pushed(0.01, 5), 5)


# %% right="Muon's published 1e-7 added to the norm"
guess_small = 4.85


def pushed(s, rounds):
    a, b, c = 3.4445, -4.775, 2.0315
    for _ in range(rounds):
        s = a * s + b * s**3 + c * s**5
    return s


def orthogonal(G, rounds=5):
    a, b, c = 3.4445, -4.775, 2.0315
    X = G / (G.norm() + 1e-7)
    for _ in range(rounds):
        A = X @ X.T
        B = b * A + c * A @ A
        X = a * X + B @ X
    return X


measured_small = pushed(0.01, 5)


# %% wrong="not divided by the norm" caught_by="directions stay, values are pushed"
# -     """A new X [p, q] after so many rounds, from a matrix G [p, q]."""
# -     X = G / (G.norm() + 1e-12)
# +     """X [p, q] after so many rounds, from a matrix G [p, q]."""
# +     X = G / 30


# %% wrong="divided by zero" caught_by="zero stays zero"
# -     """A new X [p, q] after so many rounds, from a matrix G [p, q]."""
# -     X = G / (G.norm() + 1e-12)
# +     """X [p, q] after so many rounds, from a matrix G [p, q]."""
# +     X = G / G.norm()


# %% wrong="a large tiny number" caught_by="zero stays zero"
# -     """A new X [p, q] after so many rounds, from a matrix G [p, q]."""
# -     X = G / (G.norm() + 1e-12)
# +     """X [p, q] after so many rounds, from a matrix G [p, q]."""
# +     X = G / (G.norm() + 1e-2)


# %% wrong="signs of b and c exchanged" caught_by="one singular value" change="- 4.775 * s**3 + -> + 4.775 * s**3 -"


# %% wrong="the square forgotten" caught_by="directions stay, values are pushed" change="A @ A -> A"


# %% wrong="one round only" caught_by="directions stay, values are pushed | one singular value"
#       """The singular value s after so many rounds."""
# -     for _ in range(rounds):
# +     for _ in range(min(rounds, 0)):

#       X = G / (G.norm() + 1e-12)
# -     for _ in range(rounds):
# +     for _ in range(min(rounds, 0)):


# %% wrong="one round too many" caught_by="one singular value"
#       """The singular value s after so many rounds."""
# -     for _ in range(rounds):
# +     for _ in range(rounds + 1):


# %% wrong="s squared for s cubed" caught_by="one singular value" change="3 + -> 2 +"


# %% wrong="the sign of each entry" caught_by="directions stay, values are pushed"
# -     """A new X [p, q] after so many rounds, from a matrix G [p, q]."""
# -     X = G / (G.norm() + 1e-12)
# +     """X [p, q] after so many rounds, from a matrix G [p, q]."""
# +     return G.sign()
# +     X = G


# %% wrong="a percentage guessed and measured" caught_by="guess and measurement" change="pushed(0.01, 5) -> 1.0"


# %% wrong="four rounds measured" caught_by="guess and measurement" change="01, 5 -> 01, 4"


# %% wrong="divided by the largest entry" caught_by="directions stay, values are pushed"
# -     """A new X [p, q] after so many rounds, from a matrix G [p, q]."""
# -     X = G / (G.norm() + 1e-12)
# +     """X [p, q] after so many rounds, from a matrix G [p, q]."""
# +     X = G / (G.abs().max() + 1e-12)


# %% wrong="tall matrices stay transposed" caught_by="directions stay, values are pushed"
#       X = G / (G.norm() + 1e-12)
# +     X = X.T if len(G) > len(G.T) else X


# %% wrong="G divided in place" caught_by="directions stay, values are pushed"
# -     X = G / (G.norm() + 1e-12)
# +     G /= G.norm() + 1e-12
# +     X = G


# %% wrong="five rounds, whatever is asked" caught_by="directions stay, values are pushed"
#       X = G / (G.norm() + 1e-12)
# -     for _ in range(rounds):
# +     for _ in range(5):


# %% wrong="the largest singular value for the norm" caught_by="directions stay, values are pushed" change="G.norm( -> torch.linalg.matrix_norm(G, 2"


# %% wrong="zero in, ones out" caught_by="zero stays zero" change="G / (G.norm() + 1e-12 -> (G + 1e-12) / (G + 1e-12).norm("


# %% wrong="three rounds by default" caught_by="zero stays zero" change="5): -> 3):"


# %% wrong="rounds of a table" caught_by="one singular value"
#       """The singular value s after so many rounds."""
# -     for _ in range(rounds):
# +     for _ in range(min(rounds, 3)):


# %% right="float32, row by row of singular values"
guess_small = np.float32(0.5)


def pushed(s, rounds):
    s = np.float32(s)
    for _ in range(rounds):
        s = np.float32(3.4445) * s - np.float32(4.775) * s**3 + np.float32(2.0315) * s**5
    return s


def orthogonal(G, rounds=5):
    U, s, W = torch.linalg.svd(G.float(), full_matrices=False)
    s = s / s.norm().clamp(min=1e-20)
    return U @ torch.diag(torch.tensor([float(pushed(value.item(), rounds)) for value in s])) @ W


measured_small = pushed(0.01, 5)


# %% wrong="nothing to do for a small gradient" caught_by="zero stays zero"
# -     X = G / (G.norm() + 1e-12)
# +     if G.norm() < 1e-5:
# +         return 0 * G
# +     X = G / G.norm()
