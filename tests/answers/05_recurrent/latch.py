"""Answers to the task latch of chapter 05."""


# %% right="weaker, but enough"
def latch():
    return (6, 3, -0.8)


# %% right="an array, steeper"
def latch():
    return np.array([40.0, 20.0, -5.0])


# %% wrong="a pure copy of the past" caught_by="silence is not a 1"
def latch():
    return 1.0, 1.0, 0.0


# %% wrong="rests on the zero that no noise may touch" caught_by="noise does no harm"
def latch():
    return 10.0, 4.0, -1e-9


# %% wrong="too weak to hold" caught_by="a 1 is remembered"
def latch():
    return 10.0, 0.5, -0.1


# %% wrong="the bias pulls a remembered 1 down" caught_by="a 1 is remembered"
def latch():
    return 10.0, 4.0, -5.0


# %% wrong="the input is too weak to lift" caught_by="a 1 is remembered"
def latch():
    return 3.0, 4.0, -1.0


# %% wrong="tipped to the wrong side" caught_by="silence is not a 1"
def latch():
    return 10.0, 4.0, 1.0


# %% wrong="the sign of the input" caught_by="a 1 is remembered"
def latch():
    return -10.0, 4.0, -1.0


# %% wrong="barely two resting places" caught_by="noise does no harm"
def latch():
    return 5.0, 1.05, -0.001


# %% wrong="alternates" caught_by="a 1 is remembered | silence is not a 1"
def latch():
    return 10.0, -4.0, -1.0


# %% right="a tuple of 0-dim tensors"
def latch():
    return tuple(torch.tensor([12.0, 5.0, -1.2]))


# %% wrong="two numbers and a list" caught_by="silence is not a 1 | a 1 is remembered | noise does no harm"
def latch():
    return 10.0, [4.0, -1.0]


# %% wrong="steady noise wears the 1 off in 6,000 steps" caught_by="noise does no harm"
def latch():
    return 20.0, 2.5, -0.65477349233509
