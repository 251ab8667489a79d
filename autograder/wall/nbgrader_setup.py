"""What a course's `nbgrader_config.py` calls so that plain `nbgrader autograde` grades inside the sandbox."""

import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy.exc import SAWarning
from traitlets.config import Config

import autograder
import autograder.oracle

# What hidden tests import (see `autograder.authoring.ours`): nothing else of the harness is seen in a sandbox.
ORACLE = (Path(autograder.__file__), Path(autograder.oracle.__file__).parent)


def harden(config: Config, visible: Sequence[Path] = (), environment: dict[str, str] | None = None) -> None:
    """Put our intake and the sandboxed execution into nbgrader's own autograding.

    `visible` are the folders that student code may read besides its Python: the packages and data
    that notebooks use; `environment` are variables of the course's own that they find set.
    """
    _find_tools_of_this_environment()
    # nbgrader 0.9.6 meets SQLAlchemy 2 with a harmless warning for every submission.
    warnings.filterwarnings("ignore", category=SAWarning, module="nbgrader")
    config.Judge.visible_folders = [str(folder) for folder in visible]
    config.SandboxedExecute.visible_folders = [*config.Judge.visible_folders, *map(str, ORACLE)]
    config.Judge.environment = config.SandboxedExecute.environment = environment or {}
    config.Autograde.exporter_class = "autograder.intake.submission.TolerantExporter"
    # The feedback that nbgrader makes itself must not show hidden tests either.
    config.GenerateFeedback.preprocessors = [
        "nbgrader.preprocessors.ClearHiddenTests",
        "nbgrader.preprocessors.GetGrades",
        "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
    ]
    config.Autograde.autograde_preprocessors = [
        "autograder.wall.judge.Judge",
        "nbgrader.preprocessors.IgnorePattern",
        "nbgrader.preprocessors.LimitOutput",
        "nbgrader.preprocessors.SaveAutoGrades",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]


def visible_folders(config: Config) -> list[Path]:
    """What cells may read where tests run beside them: the folders that `harden` was given, and the oracle."""
    return [*map(Path, config.Judge.visible_folders), *ORACLE]


def environment(config: Config) -> dict[str, str]:
    """The variables that `harden` was given."""
    return dict(config.Judge.environment)


def _find_tools_of_this_environment() -> None:
    """nbgrader calls `alembic` by name, which works only if the environment is active or on the path."""
    folder = str(Path(sys.executable).parent)
    path = os.environ.get("PATH", "").split(os.pathsep)
    if folder not in path:
        os.environ["PATH"] = os.pathsep.join([folder, *path])
