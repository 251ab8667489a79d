"""Asks for memory without end, in one process and then in several.

Honest mark: 0 of 3.
"""

import os
import time


def square(x):
    for _ in range(6):
        if os.fork() == 0:
            kept = [bytearray(b"x" * 2**20) for _ in range(160)]
            time.sleep(20)
            os._exit(len(kept))
    kept = [bytes(2**40)]
    return len(kept)
