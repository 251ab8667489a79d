"""Answers to the task attention_masks of chapter 07."""


# %% right="loops and sets"
def gpt(T):
    return torch.tensor([[j <= i for j in range(T)] for i in range(T)])


def bert(T):
    return torch.ones(T, T, dtype=torch.bool)


def prefix(T, p):
    mask = torch.ones(T, T).tril().bool()
    mask[:, :p] = True
    return mask


def layers_reach(mask, N):
    T = len(mask)
    reach = torch.eye(T, dtype=torch.bool)
    for _ in range(min(N, T)):
        new = reach.clone()
        for i in range(T):
            for k in range(T):
                if mask[i, k]:
                    new[i] |= reach[k]
        reach = new
    return reach


# %% right="NumPy, powers clipped"
def gpt(T):
    return np.tri(T) > 0


def bert(T):
    return np.ones((T, T)) > 0


def prefix(T, p):
    return (np.tri(T) > 0) | (np.arange(T) < p)[None]


def layers_reach(mask, N):
    step = np.minimum(mask.numpy() + np.eye(len(mask)), 1)
    power = np.eye(len(mask))
    for _ in range(N):
        power = np.minimum(power @ step, 1)
    return power > 0


# %% wrong="GPT sees the future" caught_by="GPT and BERT | the prefix" change="(place <= place[:, None]) -> (place >= place[:, None])"


# %% wrong="one place too many in the prefix" caught_by="the prefix" change="(place < p) -> (place <= p)"


# %% wrong="what is written cannot see all of itself" caught_by="the prefix" change="(place <= place[:, None]) -> (place < place[:, None])"


# %% wrong="the rows of the prefix see everything" caught_by="the prefix" change="(place < p) -> (place < p)[:, None]"


# %% wrong="floats to be added" caught_by="GPT and BERT | the prefix" change="| (place < p) -> | (place < p)).float() + 0 * (place > 0"


# %% wrong="a place may lose itself" caught_by="nobody loses himself" change="mask + itself, itself -> mask.float(), itself"


# %% wrong="one layer too many" caught_by="reach after N layers | nobody loses himself" change="mask + itself, itself -> mask + itself, ((mask + itself) > 0).float()"


# %% wrong="the mask is the reach" caught_by="reach after N layers"
# -     for _ in range(N):
# -         reach = (look @ reach > 0).float()
# +     if N:
# +         reach = look


# %% wrong="columns hear rows" caught_by="reach after N layers" change="look @ reach -> look.T @ reach"


# %% wrong="powers that overflow" caught_by="nobody loses himself" change="(look @ reach > 0).float() -> look @ reach"


# %% wrong="whole numbers that run over" caught_by="nobody loses himself"
# -     for _ in range(N):
# -         reach = (look @ reach > 0).float()
# +     reach = torch.linalg.matrix_power(look.long(), N)

# -     return reach > 0
# +     return reach != 0


# %% wrong="only as many layers as two" caught_by="reach after N layers" change="range(N) -> range(min(N, 2))"


# %% wrong="the mask is widened in place" caught_by="reach after N layers"
#       itself = torch.eye(len(mask))
# +     mask |= itself > 0


# %% wrong="a bidirectional BERT that does not see its own place" caught_by="GPT and BERT" change="return prefix(T, T) -> return prefix(T, T) & ~torch.eye(T).bool()"


# %% wrong="counted in bytes" caught_by="nobody loses himself"
# -     for _ in range(N):
# -         reach = (look @ reach > 0).float()
# +     look, reach = look.byte(), reach.byte()
# +     for _ in range(N):
# +         reach = (look @ reach > 0).byte()


# %% wrong="a power of the matrix: infinity times zero" caught_by="nobody loses himself"
# -     itself = torch.eye(len(mask))
# -     look, reach = mask + itself, itself
# -     for _ in range(N):
# -         reach = (look @ reach > 0).float()
# -     return reach > 0
# +     look = (mask | torch.eye(len(mask), dtype=torch.bool)).double()
# +     return torch.linalg.matrix_power(look, N) > 0


# %% wrong="twenty layers at most" caught_by="reach after N layers" change="range(N) -> range(min(N, 20))"


# %% wrong="64 layers at most" caught_by="reach after N layers" change="for _ in range(N): -> for _ in range(min(N, 64)):"
