"""Where submissions are graded: processes of this machine, or a Dask cluster, both behind the standard Executor."""

import contextlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import psutil

from autograder.course import CourseError
from autograder.grading.worker import Workers, grade_beside

SHARE_OF_LIMIT = 4  # a notebook seldom needs more than this part of the memory it may use
SECONDS_TO_CONNECT = 10


@dataclass(frozen=True)
class Pool:
    """An executor, the function that it is to run on each unit of work, and how many run at once."""

    executor: Executor
    grade: Callable[[Any], Any]
    size: Callable[[], int]


def workers_that_fit(memory_of_notebook: int) -> int:
    """One worker for each core, fewer if the free memory does not carry them."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    fit = psutil.virtual_memory().available // max(1, memory_of_notebook // SHARE_OF_LIMIT)
    number: int = max(1, min(cores, fit))
    return number


@contextlib.contextmanager
def local_pool(jobs: int) -> Iterator[Pool]:
    """`jobs` processes of this machine; leaving ends them, whatever they do."""
    workers = Workers(pinned=True)
    executor = ThreadPoolExecutor(jobs)
    try:
        # Each thread waits for a process: a worker that dies takes nothing else with it.
        yield Pool(executor, workers.grade, lambda: jobs)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        workers.close()


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Pool]:
    """The Dask cluster whose scheduler is at `address`. Raises CourseError, saying what to do, if there is none."""
    try:
        from distributed import Client
    except ImportError:
        raise CourseError("--scheduler needs Dask: run `pip install distributed`.") from None
    try:
        client = Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError, TimeoutError):
        raise CourseError(f"No Dask scheduler answers at {address}: start one with `dask scheduler`.") from None
    try:
        if not client.nthreads():
            raise CourseError(f"The cluster has no workers: start some with `dask worker {address} --nthreads 1`.")
        executor = client.get_executor(pure=False)
        try:
            yield Pool(executor, grade_beside, lambda: max(1, sum(client.nthreads().values())))
        finally:
            executor.shutdown(wait=False)
    finally:
        client.close(timeout=SECONDS_TO_CONNECT)
