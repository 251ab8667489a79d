"""Answers to the task difference_heads of chapter 06."""

# %% right="loops, another size, signs in another place"


def difference_heads(N):
    name, first, second = torch.zeros(3 * N, N), torch.zeros(3 * N, N), torch.zeros(3 * N, N)
    for i in range(N):
        name[i, i] = 500
        first[N + i, i] = 1
        second[2 * N + i, i] = 1
    return ([(second, name), (first, name)], torch.tensor([[-1], [1]]))


# %% right="NumPy blocks, keys turned as queries are"


def difference_heads(N):
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(N, N)))[0]
    zero = np.zeros((N, N))
    name, first, second = (np.vstack([40 * turn if i == j else zero for i in range(3)]) for j in range(3))
    t = torch.tensor
    return [[t(first), t(name)], [t(second), t(name)]], t([[1.0], [-1.0]])


# %% wrong="too flat" caught_by="two sharp heads" change="30 * torch -> torch"


# %% wrong="both heads ask for the first" caught_by="two sharp heads" change="(second -> (first"


# %% wrong="partners as keys" caught_by="first minus second" change="name), -> first),"


# %% wrong="second minus first" caught_by="first minus second" change="1.0], [-1 -> -1.0], [1"


# %% wrong="sum instead of difference" caught_by="first minus second" change="[-1 -> [1"


# %% wrong="half of the difference" caught_by="first minus second" change="1.0], [-1.0 -> 0.5], [-0.5"


# %% wrong="queries and keys swapped" caught_by="two sharp heads" change="first, name), (second, name -> name, first), (name, second"


# %% wrong="sharp enough for a few dishes" caught_by="two sharp heads"
# -     name, first, second = (30 * torch.eye(3 * N)).split(N, dim=1)
# -     return [(first, name), (second, name)], torch.tensor([[1.0], [-1.0]])
# +     name, first, second = torch.eye(3 * N).split(N, dim=1)
# +     return [(20 * first, name), (20 * second, name)], torch.tensor([[1.0], [-1.0]])


# %% wrong="made for ten dishes at most" caught_by="two sharp heads | first minus second"
#       name, first, second = (30 * torch.eye(3 * N)).split(N, dim=1)
# +     name[10:] = 0


# %% wrong="the asked names in both queries" caught_by="two sharp heads" change="first, name), (second -> first + second / 2, name), (second / 2 + first"


# %% right="float64 arrays, keys of another size"


def difference_heads(N):
    blocks = np.split(np.eye(3 * N), 3, axis=1)
    return ([[1000 * blocks[1], blocks[0]], [1000 * blocks[2], blocks[0]]], np.array([[1], [-1]]))


# %% wrong="sharp enough for twenty dishes" caught_by="two sharp heads" change="(30 -> (40**0.5"


# %% right="keys that answer to a partner's name as well, half as loud"
def difference_heads(N):
    one, none = torch.eye(N), torch.zeros(N, N)
    keys = torch.cat([one, one / 2, none])
    loud = 20 * math.sqrt(N) * one
    return [(torch.cat([none, loud, none]), keys), (torch.cat([none, none, loud]), keys)], torch.tensor([[1.0], [-1.0]])
