"""Returns a list that contains itself, through a dict and a tuple.

Honest mark: 0 of 3.
"""


def square(x):
    answer = [x * x]
    answer.append({"again": (answer,)})
    return answer
