"""What deploy/containers runs, without containers: each service is started by its own command and settings.

The hub itself needs root and its own packages: `python -m benchmarks.hub`.
"""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from postgresql import postgresql
from sqlalchemy.engine import make_url
from test_coordinator import MARKS, class_of, marks

from autograder.course import Course, open_course
from conftest import CHAPTER, ROOT

CONTAINERS, HUB = ROOT / "deploy" / "containers", ROOT / "deploy" / "hub"
BIN = Path(sys.executable).parent
MAX_SECONDS = 60  # that a service may take to answer


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load((CONTAINERS / "compose.yml").read_text())["services"]
    return found


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_for_port(port: int) -> None:
    for _ in range(MAX_SECONDS * 10):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"nothing answers at port {port}")


def test_scheduler_workers_and_gradebook_grade_a_class(
    services: dict[str, dict[str, Any]], built_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, running = free_port(), []
    server = tmp_path / "server"
    server.mkdir()
    class_of(built_course, tmp_path / "course")
    with postgresql(server) as url:
        told = make_url(services["grader"]["environment"]["NBGRADER_DB"])
        here = make_url(url)
        assert (told.drivername, told.username) == (here.drivername, here.username)
        assert told.host == "gradebook" and told.database == services["gradebook"]["environment"]["POSTGRES_DB"]
        monkeypatch.setenv("NBGRADER_DB", url)
        monkeypatch.setenv("NBGRADER_EXCHANGE", str(tmp_path / "exchange"))
        try:
            for name in ("scheduler", "worker"):
                program, *options = services[name]["command"]
                options = [option.replace("//scheduler:8786", f"//127.0.0.1:{port}") for option in options]
                options = [str(port) if option == "8786" else option for option in options]
                with (tmp_path / f"{name}.log").open("w") as log:
                    running.append(subprocess.Popen([BIN / program, *options], cwd=tmp_path, stdout=log, stderr=log))
                wait_for_port(port)
            command = [BIN / "autograder", "grade", CHAPTER, "--scheduler", f"tcp://127.0.0.1:{port}"]
            done = subprocess.run(command, cwd=tmp_path / "course", capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        finally:
            for process in reversed(running):
                process.terminate()
                process.wait(30)
        course = open_course(tmp_path / "course")
        assert marks(course) == MARKS and not (course.root / "gradebook.db").exists()
        assert course.nbgrader.Exchange.root == str(tmp_path / "exchange")


def test_students_meet_no_solution_and_no_password(services: dict[str, dict[str, Any]]) -> None:
    hub = services["hub"]
    assert not any(volume.startswith((".", "/")) for volume in hub["volumes"])
    assert not {*hub["networks"]} & {*services["scheduler"]["networks"], *services["gradebook"]["networks"]}
    assert "GRADEBOOK_PASSWORD" not in str(hub) and "GRADEBOOK_PASSWORD" not in str(services["worker"])
    stages = re.split(r"^FROM ", (CONTAINERS / "Dockerfile").read_text(), flags=re.MULTILINE)
    (students,) = (stage for stage in stages if stage.startswith(f"base AS {hub['build']['target']}"))
    assert re.findall(r"^COPY (\S+)", students, re.MULTILINE) == ["kit", "deploy/hub"]
    let_in = (CONTAINERS / "Dockerfile.dockerignore").read_text().split()
    assert let_in[0] == "*" and not {"!solutions", "!tests", "!.autograder", "!."} & {*let_in}


def test_paths_ports_and_stages_of_the_containers_exist(services: dict[str, dict[str, Any]]) -> None:
    stages = re.findall(r"^FROM \S+ AS (\w+)", (CONTAINERS / "Dockerfile").read_text(), re.MULTILINE)
    for service in services.values():
        if "build" in service:
            assert service["build"]["target"] in stages
            assert (CONTAINERS / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
        for needed in service.get("depends_on", ()):
            assert needed in services
            assert {*service["networks"]} & {*services[needed]["networks"]}
    version = re.search(r'"torch==([^"]+)"', (ROOT / "pyproject.toml").read_text())
    assert version and f"ARG TORCH={version[1]}\n" in (CONTAINERS / "Dockerfile").read_text()


def test_the_hub_s_start_makes_users_and_an_exchange(tmp_path: Path) -> None:
    for name, text in {
        "id": "[ $1 = ada ]",  # she is there from the last time
        "useradd": f'echo "$@" >> {tmp_path}/made',
        "jupyterhub": f'echo "$@" > {tmp_path}/started',
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    settings = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "NBGRADER_EXCHANGE": str(tmp_path / "exchange")}
    subprocess.run([HUB / "start"], check=True, env={**settings, "HUB_USERS": "ada,ben,cem"})
    assert (tmp_path / "made").read_text() == "--create-home ben\n--create-home cem\n"
    assert (tmp_path / "exchange").stat().st_mode & 0o777 == 0o777
    option, config = (tmp_path / "started").read_text().strip().split(maxsplit=1)
    assert option == "-f" and Path(config).samefile(HUB / "jupyterhub_config.py")
    refused = subprocess.run([HUB / "start"], env=settings, capture_output=True, text=True)
    assert refused.returncode and "HUB_USERS" in refused.stderr
