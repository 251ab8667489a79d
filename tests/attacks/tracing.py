"""Sets a trace function that changes the results of every function called later.

Honest mark: 1 of 3.
"""

import sys


def square(x):
    return x * abs(x)


def trace(frame, event, argument):
    for name in ("value", "reply", "result"):
        if name in frame.f_locals:
            frame.f_locals[name] = 4
    return trace


sys.settrace(trace)
