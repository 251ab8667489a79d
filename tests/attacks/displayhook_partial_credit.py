"""Shows NaN through sys.displayhook and then fails: plain nbgrader takes the shown number for partial credit.

Honest mark: 1 of 3.
"""

import sys


def square(x):
    if x in (-2, 3):
        sys.displayhook(float("nan"))
    return x * abs(x)
