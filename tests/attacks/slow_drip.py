"""Announces a long message and then sends one byte every few hundredths of a second, without end.

Honest mark: 0 of 3.
"""

import gc
import signal
import struct
import time


def square(x):
    return 5


agent = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Agent")
signal.setitimer(signal.ITIMER_REAL, 0)
agent.connection.sendall(struct.pack(">Q", 2**25))
while True:
    agent.connection.sendall(b"x")
    time.sleep(0.05)
