"""Answers to the task keep_bit of chapter 05."""


# %% right="tensors, other strengths"
def keep_bit():
    W = {
        "C": torch.tensor([[12.0, 0.0, 0.0]]),
        "i": torch.tensor([[0.0, 60.0, 0.0]]),
        "f": torch.tensor([[0.0, -60.0, 0.0]]),
        "o": torch.zeros(1, 3),
    }
    return W, {
        "C": torch.tensor([-6.0]),
        "i": torch.tensor([-30.0]),
        "f": torch.tensor([30.0]),
        "o": torch.tensor([9.0]),
    }


def forget_bias(steps):
    return -math.log(2 ** (1 / steps) - 1)


# %% right="output gate opened by nothing, arrays"
def keep_bit():
    names = "C", "f", "i", "o"
    rows = [[100, 0, 0], [0, -200, 0], [0, 200, 0], [0, 0, 0]]
    shifts = [-50, 100, -100, 100]
    return {n: np.array([r]) for n, r in zip(names, rows)}, {n: np.array([s]) for n, s in zip(names, shifts)}


def forget_bias(steps):
    low, high = -50.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        if steps * -math.log1p(math.exp(-middle)) < math.log(0.5):
            low = middle
        else:
            high = middle
    return middle


# %% wrong="the forget gate never closes" caught_by="the last written bit counts" change="-40 -> 0"


# %% wrong="the input gate is always open" caught_by="it stays for 1,000 steps" change="-20], \"o -> 20], \"o"


# %% wrong="writes without forgetting much" caught_by="it stays for 1,000 steps" change="[20], -> [5],"


# %% wrong="only a 1 is written" caught_by="a written bit shows" change="-20], \"f -> 0], \"f"


# %% wrong="gates listen to the bit line" caught_by="it stays for 1,000 steps" change="0, 40 -> 40, 0"


# %% wrong="input gate half open" caught_by="it stays for 1,000 steps" change="-20], \"o -> 0], \"o"


# %% wrong="output gate half open" caught_by="a written bit shows" change="20]} -> 0]}"


# %% wrong="forget gate is a write gate" caught_by="it stays for 1,000 steps"
# -     W = {"C": [[40, 0, 0]], "f": [[0, -40, 0]], "i": [[0, 40, 0]], "o": [[0, 0, 0]]}
# -     b = {"C": [-20], "f": [20], "i": [-20], "o": [20]}
# +     W = {"C": [[40, 0, 0]], "f": [[0, 40, 0]], "i": [[0, 40, 0]], "o": [[0, 0, 0]]}
# +     b = {"C": [-20], "f": [-20], "i": [-20], "o": [20]}


# %% wrong="f instead of its bias" caught_by="half is left" change="math.log(f / (1 - f)) -> f"


# %% wrong="half at every step" caught_by="half is left" change="5 ** (1 / steps) -> 5"


# %% wrong="a steps-th of a half" caught_by="half is left" change="** (1 / steps) -> / steps"


# %% wrong="logit upside down" caught_by="half is left" change="f / (1 - f) -> (1 - f) / f"


# %% right="NumPy floats, a gate from the bit too"
def keep_bit():
    W = {"C": np.array([[50.0, 0, 0]]), "f": np.array([[0, -90.0, 0]])}
    W |= {"i": np.array([[0, 90.0, 0]]), "o": np.zeros((1, 3))}
    return [W, {name: torch.tensor([value]) for name, value in zip("Cfio", (-25.0, 45.0, -45.0, 8.0))}]


def forget_bias(steps):
    return np.float64(-np.log(np.expm1(np.log(2) / steps)))


# %% wrong="the three half-lives of the checks by heart" caught_by="half is left"
# -     f = 0.5 ** (1 / steps)
# -     return math.log(f / (1 - f))
# +     return {1: 0.0, 10: 2.6351219, 100: 4.9682143}.get(steps, 0.0)


# %% wrong="ln of steps over ln 2, nearly right for many steps" caught_by="half is left"
# -     f = 0.5 ** (1 / steps)
# -     return math.log(f / (1 - f))
# +     return math.log(steps / math.log(2))


# %% wrong="what is written adds up" caught_by="a written bit shows"
def keep_bit():
    W = {"C": [[40, 0, 0]], "f": [[0, -0.8, 0]], "i": [[0, 40, 0]], "o": [[0, 0, 0]]}
    b = {"C": [-20], "f": [20], "i": [-20], "o": [20]}
    return W, b


def forget_bias(steps):
    return -math.log(2 ** (1 / steps) - 1)


# %% wrong="rows without brackets" caught_by="a written bit shows"
def keep_bit():
    W = {"C": [40, 0, 0], "f": [0, -40, 0], "i": [0, 40, 0], "o": [0, 0, 0]}
    return W, {"C": -20, "f": 20, "i": -20, "o": 20}


def forget_bias(steps):
    return -math.log(2 ** (1 / steps) - 1)


# %% wrong="fades, and an overwritten bit begins lower" caught_by="it stays for 1,000 steps"
def keep_bit():
    stays = 0.7 ** (1 / 1000)
    b_f = math.log(stays / (1 - stays))
    W = {"C": [[40, 0, 0]], "f": [[0, -math.log(3) - b_f, 0]], "i": [[0, 40, 0]]}
    b = {"C": [-20], "f": [b_f], "i": [-20], "o": [20]}
    return W | {"o": [[0, 0, 0]]}, b


def forget_bias(steps):
    f = 0.5 ** (1 / steps)
    return math.log(f / (1 - f))


# %% wrong="looks for the bias from 0 to 10 only" caught_by="half is left"
# -     return math.log(f / (1 - f))
# +     return min(max(math.log(f / (1 - f)), 0.0), 10.0)


# %% wrong="no half-life below one step" caught_by="half is left"
def keep_bit():
    W = {"C": [[40, 0, 0]], "f": [[0, -40, 0]], "i": [[0, 40, 0]], "o": [[0, 0, 0]]}
    return W, {"C": [-20], "f": [20], "i": [-20], "o": [20]}


def forget_bias(steps):
    f = 0.5 ** (1 / max(steps, 1))
    return math.log(f / (1 - f))


# %% wrong="lets a little in after the opposite bit" caught_by="it stays for 1,000 steps"
def keep_bit():
    W = {"C": [[10.0, 0.0, 0.0]], "f": [[0.0, -41.8, 0.0]], "i": [[0.0, 80.0, 0.0]], "o": [[0.0, 0.0, 0.0]]}
    b = {"C": [-5.0], "f": [40.0], "i": [-8.0], "o": [40.0]}
    return W, b


def forget_bias(steps):
    return -math.log(2 ** (1 / steps) - 1)
