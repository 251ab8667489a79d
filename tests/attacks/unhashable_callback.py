"""Asks the judge, while a cell runs, to call back a list: a key that no dict can look up.

Honest mark: 0 of 3.
"""

import gc


def square(x):
    return 5


agent = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Agent")
agent.send(agent.pack({"kind": "callback", "number": [1], "args": [], "kwargs": {}}))
