"""What a course's `nbgrader_config.py` calls so that plain `nbgrader autograde` grades inside the sandbox."""

from pathlib import Path

from traitlets.config import Config


def harden(config: Config, visible: list[Path]) -> None:
    """Put our intake and the sandboxed execution into nbgrader's own autograding.

    `visible` are the folders that student code may read besides its Python: the packages and data
    that notebooks use.
    """
    config.SandboxedExecute.visible_folders = [str(folder) for folder in visible]
    config.Autograde.exporter_class = "autograder.intake.TolerantExporter"
    config.Autograde.autograde_preprocessors = [
        "autograder.execute.SandboxedExecute",
        "nbgrader.preprocessors.IgnorePattern",
        "nbgrader.preprocessors.LimitOutput",
        "nbgrader.preprocessors.SaveAutoGrades",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]


def visible_folders(config: Config) -> list[Path]:
    """The folders that `harden` was given."""
    return [Path(folder) for folder in config.SandboxedExecute.visible_folders]
