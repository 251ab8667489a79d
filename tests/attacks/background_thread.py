"""Leaves threads behind that keep changing builtins, the namespace and the outputs while later cells run.

Honest mark: 1 of 3.
"""

import threading
import time

from IPython import get_ipython


def square(x):
    return x * abs(x)


shell = get_ipython()


def meddle():
    while True:
        shell.user_ns["result"] = 4
        shell.user_ns["points"] = 3
        time.sleep(0.01)


for _ in range(5):
    threading.Thread(target=meddle, daemon=True).start()
