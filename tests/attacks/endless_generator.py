"""Returns a generator that never ends.

Honest mark: 0 of 3.
"""


def square(x):
    while True:
        yield x * x
