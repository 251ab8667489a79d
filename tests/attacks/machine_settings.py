"""Writes settings of the machine under /proc, each with the value it has: as root that changes what it likes.

Honest mark: 1 of 3.
"""

import os


def square(x):
    return x * abs(x)


for folder, _, names in os.walk("/proc/sys"):
    for name in names:
        try:
            with open(f"{folder}/{name}", "r+") as setting:
                value = setting.read()
                setting.write(value)
                print("changed", folder, name)
        except (OSError, UnicodeDecodeError):
            pass
