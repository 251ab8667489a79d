"""Calls itself without end, with the recursion limit taken away.

Honest mark: 0 of 3.
"""

import sys

sys.setrecursionlimit(2**30)


def square(x):
    return square([x])
