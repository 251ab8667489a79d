"""Right code that prints a great deal.

Honest mark: 3 of 3.
"""


def square(x):
    for number in range(3000):
        print("trying", number)
    return x * x
