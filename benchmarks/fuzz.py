"""Random and hostile input into the wire or intake for some minutes: `python -m benchmarks.fuzz wire --minutes 10`.

The input and what must hold come from tests/strategies.py. With atheris (`pip install atheris`, optional) coverage of
our code steers the choice; without it hypothesis chooses. Prints the number of examples and each kind of failure once.
"""

import os
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import typer

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

try:
    import atheris
except ImportError:
    atheris = None
else:
    with atheris.instrument_imports(include=["autograder.wall.inside.wire", "autograder.intake.submission"]):
        import autograder.intake.submission
        import autograder.wall.inside.wire  # noqa: F401

import nbformat
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import strategies

SHOWN_EVERY = 60  # seconds
SUBMISSION = nbformat.writes(strategies.REFERENCE).encode()


class Count:
    """What was tried and what went wrong: the kinds of failure with the first traceback of each."""

    def __init__(self, minutes: float):
        self.examples = 0
        self.failures: Counter[str] = Counter()
        self.start = time.monotonic()
        self.end = self.start + 60 * minutes
        self.slowest = 0.0
        self.shown = self.start

    def trying(self, check: Callable[[Any], None]) -> Callable[[Any], None]:
        def tried(example: Any) -> None:
            if time.monotonic() > self.end:
                self.finish()
            if time.monotonic() > self.shown + SHOWN_EVERY:
                self.shown = time.monotonic()
                print(f"  {self.examples:,} examples, {sum(self.failures.values())} failures", flush=True)
            self.examples += 1
            start = time.monotonic()
            try:
                check(example)
            except Exception as error:
                place = traceback.extract_tb(error.__traceback__)[-1]
                kind = f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}"
                if kind not in self.failures:
                    print(f"{kind} with {example!r:.1000}\n{traceback.format_exc(limit=-5)}", flush=True)
                self.failures[kind] += 1
            self.slowest = max(self.slowest, time.monotonic() - start)

        return tried

    def finish(self) -> None:
        seconds = time.monotonic() - self.start
        print(
            f"{self.examples:,} examples in {seconds / 60:.1f} minutes, the slowest took {self.slowest:.2f} s; "
            f"{sum(self.failures.values())} failures of {len(self.failures)} kinds",
            flush=True,
        )
        for kind, count in self.failures.most_common():
            print(f"  {count} x {kind}", flush=True)
        os._exit(1 if self.failures else 0)  # atheris has no other way out


def checks(target: str, folder: Path) -> list[tuple[st.SearchStrategy[Any], Callable[[Any], None]]]:
    """The strategies of a target, each with what must hold; the last one's examples are bytes."""
    if target == "wire":
        return [(strategies.values, strategies.check_round_trip), (strategies.messages, strategies.check_message)]
    return [(strategies.submissions, lambda data: strategies.check_submission(data, folder))]


def main(target: Literal["wire", "intake"], minutes: float = 10) -> None:
    """Try made-up inputs until the time is over."""
    warnings.simplefilter("ignore")
    count = Count(minutes)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        counted = [(strategy, count.trying(check)) for strategy, check in checks(target, folder)]
        tests = [_test(strategy, check) for strategy, check in counted]
        how = "atheris, guided by coverage" if atheris else "hypothesis"
        print(f"{target}: {minutes:g} minutes with {how}", flush=True)
        if atheris:
            # Raw bytes let coverage climb into the decoder; the strategies build what is nearly right.
            _run_guided([*(test.hypothesis.fuzz_one_input for test in tests), counted[-1][1]], folder)
        while True:
            for test in tests:
                test()


def _test(strategy: st.SearchStrategy[Any], check: Callable[[Any], None]) -> Any:
    # Failures are counted, not raised, so there is nothing to shrink and nothing to keep.
    free = settings(
        max_examples=2000,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    return free(given(strategy)(check))


def _run_guided(runs: list[Callable[[bytes], Any]], folder: Path) -> None:
    def one(data: bytes) -> None:
        if data:
            runs[data[0] % len(runs)](data[1:])

    corpus = folder / "corpus"
    corpus.mkdir()
    for number in range(200):
        (corpus / str(number)).write_bytes(random.Random(number).randbytes(2000))
    raw = bytes([len(runs) - 1])
    for number, data in enumerate(
        [strategies.message(b'{"t":"array","d":"<f8","s":[1],"b":0}', [bytes(8)]), SUBMISSION]
    ):
        (corpus / f"raw-{number}").write_bytes(raw + data)
    atheris.Setup(
        [
            sys.argv[0],
            str(corpus),
            "-max_len=8192",
            "-len_control=0",
            "-timeout=60",
            "-rss_limit_mb=4096",
            "-verbosity=0",
        ],
        one,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    typer.run(main)
