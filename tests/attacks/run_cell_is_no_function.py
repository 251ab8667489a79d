"""Puts a number in the place of the shell's run_cell, so that running a cell raises where nobody expects it.

Honest mark: 1 of 3.
"""

from IPython import get_ipython


def square(x):
    return x * abs(x)


get_ipython().run_cell = 4
