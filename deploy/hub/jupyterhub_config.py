"""A JupyterHub for a course: each student with a server of their own, and the exchange of deploy/hub/students.

`jupyterhub -f deploy/hub/jupyterhub_config.py`, started with the Python in which the course is installed (docs/hub.md).
"""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821  (JupyterHub's loader provides it)

FOLDER = Path(__file__).resolve().parent
PROGRAMS = Path(sys.executable).parent

c.JupyterHub.bind_url = os.environ.get("HUB_URL", "http://127.0.0.1:8000")
c.Spawner.cmd = [str(PROGRAMS / "jupyterhub-singleuser")]
c.Spawner.notebook_dir = "~"
c.Spawner.environment = {
    "JUPYTER_CONFIG_PATH": str(FOLDER / "students"),  # where the students' servers find nbgrader_config.py
    "NBGRADER_EXCHANGE": os.environ.get("NBGRADER_EXCHANGE", "/srv/nbgrader/exchange"),
    "PATH": f"{PROGRAMS}:/usr/local/bin:/usr/bin:/bin",
}

# To try it on one machine: whoever is named gets in with one password. A real hub signs people in by the university's
# own authenticator instead: https://jupyterhub.readthedocs.io, "Authenticators".
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = os.environ["HUB_PASSWORD"]
c.Authenticator.allowed_users = set(os.environ["HUB_USERS"].split(","))
