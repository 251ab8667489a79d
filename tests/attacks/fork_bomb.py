"""Starts processes that start processes, six hundred at most and for half a minute at most.

Honest mark: 0 of 3.
"""

import os
import time


def square(x):
    end = time.monotonic() + 30
    for _ in range(600):
        if os.fork() == 0:
            time.sleep(max(0, end - time.monotonic()))
            os._exit(0)
    time.sleep(max(0, end - time.monotonic()))
    return x * x
