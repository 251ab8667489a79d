"""Ends its process while its cell runs.

Honest mark: 0 of 3.
"""

import os


def square(x):
    return x * x


os._exit(0)
