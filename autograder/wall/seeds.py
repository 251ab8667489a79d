"""Where the seeds come from: a secret of the course, the answers of a submission, the test.

The same answers meet the same draws whenever they are graded, and nobody who lacks the secret can know them. What goes
to a worker of a cluster is a key made from the secret, and what stays with a verdict is the submission's seed.
"""

import contextlib
import hashlib
import json
import os
import secrets

from autograder.chapter.cells import Notebook
from autograder.course import Course, CourseError


def secret_of(course: Course) -> str:
    """The course's secret, made if there is none yet. Raises CourseError if it cannot be made or read."""
    path = course.state / "secret"
    try:
        if not path.exists():
            course.state.mkdir(exist_ok=True)
            unfinished = path.with_name(f"secret-{os.getpid()}")
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_hex(32))
            with contextlib.suppress(FileExistsError):  # another process was faster: its secret counts
                os.link(unfinished, path)
            unfinished.unlink()
        secret = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} must be readable and its folder writable for you: {error}.") from None
    if not secret:
        raise CourseError(f"{path} is empty: remove it, and a new secret is made.")
    return secret


def key_of(course: Course, chapter: str) -> str:
    """What a chapter's submissions get their seeds from."""
    return derived(secret_of(course), chapter)


def seed_of(key: str, notebook: Notebook) -> str:
    """The seed of a rebuilt notebook: its answers and own cells decide, not what else stands in the file."""
    free = [cell.source for cell in notebook.cells if cell.is_code and not cell.is_locked]
    return derived(key, json.dumps(free))


def derived(*parts: str) -> str:
    """A seed made of others and of labels, from which those cannot be found again."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
