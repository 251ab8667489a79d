"""Stops its own process, so that it never answers and never ends.

Honest mark: 0 of 3.
"""

import os
import signal


def square(x):
    os.kill(os.getpid(), signal.SIGSTOP)
    return x * x
