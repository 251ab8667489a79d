"""Loops forever, catches every interrupt and blocks the alarm signal.

Honest mark: 0 of 3.
"""

import signal


def square(x):
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
