"""Sleeps for an hour in its cell, and again when the cell is run anew.

Honest mark: 0 of 3.
"""

import time

time.sleep(3600)


def square(x):
    return x * x
