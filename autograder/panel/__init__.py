"""The panel of JupyterLab: the built extension, and the small part of the server that runs the learner's commands.

The sources of what the browser runs are in `panel/` at the top of the repository; `make panel` builds them.
"""

from typing import Any


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Where JupyterLab finds the bundle in a development install."""
    return [{"src": "labextension", "dest": "nbgrader-wall-panel"}]


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "autograder.panel"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Add the handlers to a running `jupyter_server.serverapp.ServerApp`."""
    from autograder.panel.handlers import add_handlers

    add_handlers(server)
