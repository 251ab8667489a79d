"""The wheel alone: lmkit with its texts, installed where no repository is."""

import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

from conftest import ROOT
from lmkit import berkeley, corpora, real, runs
from lmkit.paths import DATA

NEEDED = ("lmkit", "autograder", "data", "pyproject.toml", "setup.py", "README.md", "LICENSE", "LICENSE-text")
LOAD_EVERYTHING = """
import json
from lmkit import berkeley, corpora, load, paths, real, runs
print(json.dumps({
    "data": str(paths.DATA),
    "texts": {name: sum(map(len, load(name).splits.values())) for name in corpora.EMBEDDED},
    "weights": [name for name in runs.names() if (runs.load(name).folder / "weights.pt").exists()],
    "parameters": sum(p.numel() for p in runs.load("kitchen-lstm").model.network.parameters()),
    "runs": runs.names(),
    "registry": sorted(real.registry()),
    "unigrams": int(berkeley.unigram_counts().sum()),
}))
"""


def test_an_installed_wheel_finds_every_text(tmp_path: Path) -> None:
    source, wheels, environment = tmp_path / "source", tmp_path / "wheels", tmp_path / "environment"
    source.mkdir()
    for name in NEEDED:  # a build leaves folders beside what it builds: not in the repository
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, source / name)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    offline = ["--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "wheel", *offline, "--no-build-isolation", "-w", str(wheels), str(source)], check=True)
    (wheel,) = wheels.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    packed = {name.removeprefix("lmkit/data/") for name in names if name.startswith("lmkit/data/")}
    here = {str(path.relative_to(DATA)) for path in DATA.rglob("*") if path.is_file() and path.suffix != ".py"}
    assert packed == {name for name in here if "__pycache__" not in name}
    assert not [name for name in names if name.startswith(("tests/", "solutions/", "notebooks/", "data/"))]
    assert wheel.stat().st_size < 10e6

    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / "bin" / "python"
    subprocess.run([*pip, "--python", str(python), "install", *offline, str(wheel)], check=True)
    site = next((environment / "lib").glob("python*/site-packages"))
    # NumPy, torch and the like from here; a path named in a .pth file brings none of the .pth files that lie there.
    (site / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    shown = subprocess.run(
        [str(python), "-I", "-c", LOAD_EVERYTHING], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    found = json.loads(shown.stdout)
    assert found["data"] == str(site / "lmkit" / "data")
    assert found["texts"] == {name: sum(map(len, corpora.load(name).splits.values())) for name in corpora.EMBEDDED}
    assert found["runs"] == runs.names() and "kitchen-lstm" in found["weights"] and found["parameters"] > 0
    assert found["registry"] == sorted(real.registry())
    assert found["unigrams"] == int(berkeley.unigram_counts().sum())
