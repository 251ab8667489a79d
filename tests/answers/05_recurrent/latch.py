"""Answers to the task latch of chapter 05."""


# %% right="weaker, but enough" change="10.0, 4.0, -1.0 -> (6, 3, -0.8)"


# %% right="an array, steeper" change="10.0, 4.0, -1.0 -> np.array([40.0, 20.0, -5.0])"


# %% wrong="a pure copy of the past" caught_by="silence is not a 1" change="10.0, 4.0, -1 -> 1.0, 1.0, 0"


# %% wrong="rests on the zero that no noise may touch" caught_by="noise does no harm" change="1.0 -> 1e-9"


# %% wrong="too weak to hold" caught_by="a 1 is remembered" change="4.0, -1.0 -> 0.5, -0.1"


# %% wrong="the bias pulls a remembered 1 down" caught_by="a 1 is remembered" change="1.0 -> 5.0"


# %% wrong="the input is too weak to lift" caught_by="a 1 is remembered" change="return 10 -> return 3"


# %% wrong="tipped to the wrong side" caught_by="silence is not a 1" change="0, -1 -> 0, 1"


# %% wrong="the sign of the input" caught_by="a 1 is remembered" change="return 10 -> return -10"


# %% wrong="barely two resting places" caught_by="noise does no harm" change="10.0, 4.0, -1.0 -> 5.0, 1.05, -0.001"


# %% wrong="alternates" caught_by="a 1 is remembered | silence is not a 1" change="0, 4 -> 0, -4"


# %% right="a tuple of 0-dim tensors" change="10.0, 4.0, -1.0 -> tuple(torch.tensor([12.0, 5.0, -1.2]))"


# %% wrong="two numbers and a list" caught_by="silence is not a 1 | a 1 is remembered | noise does no harm" change="4.0, -1.0 -> [4.0, -1.0]"


# %% wrong="steady noise wears the 1 off in 6,000 steps" caught_by="noise does no harm" change="10.0, 4.0, -1.0 -> 20.0, 2.5, -0.65477349233509"
