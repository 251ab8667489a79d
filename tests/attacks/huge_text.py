"""Returns a text of fifteen million letters, which the test's message would quote.

Honest mark: 0 of 3.
"""


def square(x):
    return "four " * 3_000_000
