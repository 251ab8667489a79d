"""Calls a function of the judge's that it was never given.

Honest mark: 0 of 3.
"""

import gc


def square(x):
    agent = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Agent")
    agent.send(agent.pack({"kind": "callback", "number": 140_000_000_000_000, "args": [], "kwargs": {}}))
    return x * x
