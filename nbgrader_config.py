"""The course's nbgrader configuration; `nbgrader`, formgrader and `autograder` all load it."""

import os
from pathlib import Path

from autograder.wall.nbgrader_setup import harden

ROOT = Path(__file__).parent

c = get_config()  # noqa: F821  (nbgrader's loader provides it)

c.CourseDirectory.course_id = "counts-to-transformers"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"
# The text sources of the chapters lie beside the reference notebooks and must not reach students.
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", "*.py"]

c.ClearSolutions.code_stub = {"python": 'raise NotImplementedError("Write your answer here and delete this line.")'}

# Where the gradebook and the exchange are, if not beside this file: the containers of deploy/ say it.
if "NBGRADER_DB" in os.environ:
    c.CourseDirectory.db_url = os.environ["NBGRADER_DB"]
if "NBGRADER_EXCHANGE" in os.environ:
    c.Exchange.root = os.environ["NBGRADER_EXCHANGE"]

# `autograder build` holds tests to the rules of docs/authoring.md.
c.Authoring.rules = True

# `autograder challenge` has this make the texts, and `autograder site` writes this below its pages.
c.Challenge.module = "lmkit.challenge"
c.Site.copyright = "its authors; text: CC BY 4.0, code: MIT"

# What notebooks import and read; solutions, gradebook and other submissions stay out of the sandbox.
# References and submissions train at the smallest size (lmkit.budgets), and on the CPU: marks do not depend on a GPU.
harden(c, visible=[ROOT / "lmkit", ROOT / "data"], environment={"LMKIT_BUDGET": "grading", "LMKIT_DEVICE": "cpu"})
