"""Prints without end, and so do its calls.

Honest mark: 0 of 3.
"""


def square(x):
    while True:
        print("planted " * 10_000)


while True:
    print("planted " * 10_000)
