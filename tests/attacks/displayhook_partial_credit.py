"""Shows 3.0 through sys.displayhook and then fails: plain nbgrader reads the shown number as partial credit.

Honest mark: 1 of 3.
"""

import sys


def square(x):
    if x in (-2, 3):
        sys.displayhook(3.0)
    return x * abs(x)
