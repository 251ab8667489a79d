"""What pyproject.toml cannot say: the texts of data/, which lies at the top, go into the package as lmkit/data."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithData(build_py):
    """The usual build, and the data beside lmkit's modules, where `lmkit.paths` looks first."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:  # there lmkit finds data/ at the top
            shutil.copytree("data", Path(self.build_lib) / "lmkit" / "data", dirs_exist_ok=True)


setup(cmdclass={"build_py": BuildWithData})
