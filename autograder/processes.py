"""Python processes beside this one, for work that takes long and shares nothing."""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from functools import cache


def fresh_processes(jobs: int | None) -> ProcessPoolExecutor:
    """Processes that share nothing with this one; texts come out of a set in the order that grading has."""
    os.environ["PYTHONHASHSEED"] = "0"  # for processes that start from now on, as in `grading.worker`
    return ProcessPoolExecutor(jobs or os.cpu_count(), mp_context=multiprocessing.get_context("spawn"))


@cache
def kept_processes(jobs: int | None) -> ProcessPoolExecutor:
    """Processes to work beside this one, kept until this process ends.

    To start one takes longer than most notebooks, and judging starts many. One submission learns nothing of another
    there: students' code runs in forks of a sandboxed process of its own.
    """
    return fresh_processes(jobs)
