"""Returns a dict subclass whose methods lie, with keys that collide and disagree with themselves.

Honest mark: 0 of 3.
"""


class Key:
    def __hash__(self):
        return 1

    def __eq__(self, other):
        raise KeyboardInterrupt


class Liar(dict):
    def __eq__(self, other):
        return True

    def items(self):
        raise SystemExit

    def __len__(self):
        return -1


def square(x):
    answer = Liar()
    answer[Key()] = 1
    answer["self"] = answer
    return answer
