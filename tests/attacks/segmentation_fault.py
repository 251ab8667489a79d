"""Crashes the interpreter by reading address zero.

Honest mark: 0 of 3.
"""

import ctypes


def square(x):
    ctypes.string_at(0)
    return x * x
