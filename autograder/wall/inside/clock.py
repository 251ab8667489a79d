"""Interrupts student code that takes too long: the seconds it computes and those it sleeps, not those it waits.

By the machine's clock a verdict would depend on what else the machine has to do.
"""

import contextlib
import os
import signal
import time
from typing import Any


class TimeUp(BaseException):
    """The time that the judge allowed is over; no `except Exception` catches it."""


class Clock:
    """One alarm; `begin` and `stop` it around student code."""

    def __init__(self) -> None:
        signal.signal(signal.SIGPROF, self._ring)
        signal.signal(signal.SIGALRM, self._look)

    def begin(self, seconds: float) -> None:
        """Ring after so many seconds."""
        self.seconds, self.begun, self.waited = seconds, time.monotonic(), _waited()
        signal.setitimer(signal.ITIMER_PROF, seconds)  # computing, in all threads
        signal.setitimer(signal.ITIMER_REAL, seconds)  # by the machine's clock: time to look how long it slept

    def stop(self) -> None:
        """Do not ring."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)

    def pause(self) -> tuple[float, ...]:
        """Do not ring until `resume` is given what this returns; in between others may begin and stop."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        computing, _ = signal.setitimer(signal.ITIMER_PROF, 0)
        return self.seconds, self.begun, self.waited, max(0.01, computing), time.monotonic()

    def resume(self, paused: tuple[float, ...]) -> None:
        """Go on as if no time had passed since `pause`. How long it waited for a core is only read when it may ring."""
        self.seconds, begun, self.waited, computing, since = paused
        now = time.monotonic()
        self.begun = begun + now - since
        signal.setitimer(signal.ITIMER_PROF, computing)
        signal.setitimer(signal.ITIMER_REAL, max(0.01, self.seconds - (now - self.begun)))

    def _left(self) -> float:
        return self.seconds - (time.monotonic() - self.begun) + (_waited() - self.waited)

    def _look(self, *_: Any) -> None:
        left = self._left()
        if _has_children():
            left = max(left, 1.0)  # whether they compute or sleep is seen from outside
        if left <= 0.01:
            self._ring()
        signal.setitimer(signal.ITIMER_REAL, left)

    def _ring(self, *_: Any) -> None:
        raise TimeUp("time is up")


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _waited() -> float:
    """The seconds that the threads of this process have waited for a core; 0 where Linux does not say.

    Without any function that is written in Python: student code may have set a trace function that meddles with those.
    """
    waited = 0
    with contextlib.suppress(OSError, IndexError, ValueError):
        for thread in os.listdir("/proc/self/task"):  # noqa: PTH208
            descriptor = os.open(f"/proc/self/task/{thread}/schedstat", os.O_RDONLY)
            try:
                waited += int(os.read(descriptor, 100).split()[1])
            finally:
                os.close(descriptor)
    return waited / 1e9
