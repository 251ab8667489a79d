"""Fills the work folder, /tmp and /dev/shm with files until nothing more fits.

Honest mark: 1 of 3.
"""

import itertools


def square(x):
    return x * abs(x)


for folder in (".", "/tmp", "/dev/shm", "/dev", "/", "/usr", "/agent"):
    try:
        for number in itertools.count():
            with open(f"{folder}/{number}", "wb") as stream:
                stream.write(bytes(60 * 2**20))
            if number > 20:
                print("no limit in", folder)
                break
    except OSError as problem:
        print(folder, problem)
