"""Prints the environment of this process and of its parents: tokens and passwords often stand there.

Honest mark: 1 of 3.
"""

import os
import subprocess


def square(x):
    return x * abs(x)


print(dict(os.environ))
for number in (1, os.getppid(), os.getpid()):
    try:
        with open(f"/proc/{number}/environ") as stream:
            print(stream.read())
    except OSError as problem:
        print(problem)
print(subprocess.run("env; set; id; cat /etc/passwd /etc/shadow", shell=True, capture_output=True, text=True))
