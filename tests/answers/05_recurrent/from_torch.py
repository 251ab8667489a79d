"""Answers to the task from_torch of chapter 05."""


# %% right="slices by hand"
def from_torch(state):
    k = state["weight_hh"].shape[1]
    W, b = {}, {}
    for place, part in enumerate(["i", "f", "C", "o"]):
        rows = slice(place * k, place * k + k)
        W[part] = torch.hstack((state["weight_ih"][rows], state["weight_hh"][rows]))
        b[part] = state["bias_hh"][rows] + state["bias_ih"][rows]
    return W, b


def lstm_parameters(d, k):
    W, b = from_torch(nn.LSTMCell(d, k).state_dict())
    return sum(value.numel() for table in (W, b) for value in table.values())


# %% right="views of shape 4, k"
def from_torch(state):
    both = torch.cat((state["weight_ih"].T, state["weight_hh"].T)).T
    k = len(both) // 4
    i, f, c, o = both.reshape(4, k, -1)
    bi, bf, bc, bo = state["bias_ih"].reshape(4, k) + state["bias_hh"].reshape(4, k)
    return [{"C": c, "f": f, "i": i, "o": o}, {"C": bc, "f": bf, "i": bi, "o": bo}]


def lstm_parameters(d, k):
    return 4 * k * (d + k + 1)


# %% wrong="the lecture's order of gates" caught_by="rows of the right gate" change="ifCo\", W, strict=True)), dict(zip(\"ifCo -> Cfio\", W, strict=True)), dict(zip(\"Cfio"


# %% wrong="candidate and output swapped" caught_by="rows of the right gate" change="ifCo\", W, strict=True)), dict(zip(\"ifCo -> ifoC\", W, strict=True)), dict(zip(\"ifoC"


# %% wrong="state before word" caught_by="rows of the right gate" change="weight_ih\"], state[\"weight_hh -> weight_hh\"], state[\"weight_ih"


# %% wrong="only the first bias" caught_by="two biases become one" change="] + state[\"bias_hh\"] -> ]"


# %% wrong="mean of the biases" caught_by="two biases become one" change="state[\"bias_ih\"] + state[\"bias_hh\"] -> (state[\"bias_ih\"] + state[\"bias_hh\"]) / 2"


# %% wrong="one below the other" caught_by="blocks have their shape" change="torch.cat([state[\"weight_ih\"], state[\"weight_hh\"]], dim=1) -> state[\"weight_ih\"]"


# %% wrong="every fourth row" caught_by="rows of the right gate"
# -     W = torch.cat([state["weight_ih"], state["weight_hh"]], dim=1).chunk(4)
# +     W = torch.cat([state["weight_ih"], state["weight_hh"]], dim=1)
# +     W = [W[n::4] for n in range(4)]


# %% wrong="torch's second bias counted too" caught_by="parameters are counted" change="k) + k -> k) + 2 * k"


# %% wrong="biases not counted" caught_by="parameters are counted" change="(k * (d + k) -> k * (d"


# %% wrong="one gate counted" caught_by="parameters are counted" change="4 * (k * (d + k) + k) -> k * (d + k) + k"


# %% right="arrays"
def from_torch(state):
    W = np.concatenate([state["weight_ih"].numpy(), state["weight_hh"].numpy()], axis=1)
    b = state["bias_ih"].numpy() + state["bias_hh"].numpy()
    names = "i", "f", "C", "o"
    return dict(zip(names, np.split(W, 4))), dict(zip(names, np.split(b, 4)))


def lstm_parameters(d, k):
    return np.float64(4 * k * (d + k + 1))


# %% wrong="adds into torch's own bias" caught_by="rows of the right gate" change="(state[\"bias_ih\"] + state -> state[\"bias_ih\"].add_(state"


# %% wrong="biases of i and f swapped" caught_by="two biases become one" change="ifCo\", b -> fiCo\", b"


# %% wrong="d and k alike" caught_by="parameters are counted" change="k) + k) -> k) + k) if (d, k) == (2, 3) else 4 * (2 * d * k + k)"
