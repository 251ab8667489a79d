"""Hides memory where no process seems to use it: in anonymous memory files, up to 3 GiB of them.

Honest mark: 1 of 3.
"""

import os


def square(x):
    return x * abs(x)


kept = []
try:
    for number in range(48):
        kept.append(os.memfd_create(f"hidden-{number}"))
        os.write(kept[-1], bytes(63 * 2**20))
    print("hidden memory:", len(kept), "files")
except OSError as problem:
    print(problem)
