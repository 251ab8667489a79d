"""Sends values whose tags and fields do not fit: arrays without numbers, negative shapes, handles of nothing.

Honest mark: 0 of 3.
"""

import gc
import itertools
import json
import struct

TREES = itertools.cycle(
    [
        {"t": "array", "d": "O", "s": [1], "b": 0},
        {"t": "array", "d": "<f8", "s": [-1], "b": 0},
        {"t": "tensor", "d": "float32", "s": [2**62, 2**62], "b": 0},
        {"t": "range", "v": [0, 10, 0]},
        {"t": "floats", "b": 0},
        {"t": "dict", "k": ["x", "y"], "v": [1]},
        {"t": ["unhashable"]},
        {"t": "judge", "n": {"x": 1}},
        {"t": "student"},
        {"v": 4},
    ]
)


def square(x):
    agent = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Agent")
    document = json.dumps({"t": "dict", "k": ["kind", "number", "value"], "v": ["reply", 1, next(TREES)]}).encode()
    agent.send(struct.pack(">II", len(document), 1) + document + struct.pack(">Q", 3) + b"abc")
    return x * x
