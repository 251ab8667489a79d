"""`scripts/setup` with programs that only note how they were called: which installer it takes, and which PyTorch."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT

CPU = "https://download.pytorch.org/whl/cpu"
# Each writes its name, arguments and what it was told by the environment; the Python of .venv also plays the index.
NOTE = '#!/bin/sh\necho "{name} $* backend=$UV_TORCH_BACKEND index=$PIP_EXTRA_INDEX_URL" >>{log}\n'
VENV = 'mkdir -p .venv/bin\nfor name in python autograder; do cp "{bin}/venv-$name" .venv/bin/$name; done\n'
TOOLS = ("bash", "sh", "cp", "mkdir", "sed", "grep", "dirname", "id", "rm", "true")


@pytest.mark.parametrize("installer", ["uv", "pip"])
@pytest.mark.parametrize("card", [False, True])
@pytest.mark.parametrize("answers", [False, True])
def test_uv_where_it_is_and_the_small_pytorch_where_no_card_is(
    tmp_path: Path, installer: str, card: bool, answers: bool
) -> None:
    course, programs, log = tmp_path / "course", tmp_path / "bin", tmp_path / "log"
    (course / "scripts").mkdir(parents=True)
    programs.mkdir()
    shutil.copy(ROOT / "scripts" / "setup", course / "scripts" / "setup")
    shutil.copy(ROOT / "pyproject.toml", course)
    for tool in TOOLS:
        (programs / tool).symlink_to(shutil.which(tool) or tool)

    def program(name: str, does: str = "") -> None:
        path = programs / name
        path.write_text(NOTE.format(name=name, log=log) + does.format(bin=programs))
        path.chmod(0o755)

    index = f'case "$*" in *urlopen*) exit {0 if answers else 1};; esac\n'
    program("venv-python", index)
    program("venv-autograder")
    program("bwrap")
    program("uname", "echo Linux\n")
    if installer == "uv":
        program("uv", f'if [ "$1" = venv ]; then {VENV} fi\n')
    else:
        program("python3", f'if [ "$2" = venv ]; then {VENV} fi\n')
    if card:
        program("nvidia-smi")
    environment = {"PATH": str(programs), "HOME": str(tmp_path)}
    done = subprocess.run([course / "scripts" / "setup", "run"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    torch, rest = (line for line in log.read_text().splitlines() if " install " in line)
    small = answers and not card
    called = "uv pip install" if installer == "uv" else "venv-python -m pip install"
    assert torch.startswith(called) and rest.startswith(called)
    assert "-c constraints.txt torch==" in torch and "-c constraints.txt -e ./autograder -e . " in rest
    assert torch.endswith(f" backend=cpu index={CPU}" if small else " backend= index=")
    assert rest.endswith(" backend= index=")
    assert ("build of PyTorch for CPUs" in done.stdout) == small
    assert os.access(course / ".venv" / "bin" / "autograder", os.X_OK)
