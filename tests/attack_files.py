"""Reads tests/attacks/ and hands its files in, for the test of our own wall and for the benchmark against nbgrader.

An attack is one file. Its docstring says what it tries and which mark is the honest one. It is the text of the task
cell, where `# %%` begins a further cell of the student's; or it defines `submission(notebook)`, which makes the file
that is handed in out of the released notebook (a dict); or `place(folder)`, which puts more into the folder.
"""

import ast
import copy
import json
import re
import runpy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "attacks"
TASK = "square"


@dataclass(frozen=True)
class Attack:
    """One hostile or broken submission to the small course of conftest.py."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def honest_mark(self) -> float:
        """What the code would earn if it attacked nothing."""
        (mark,) = re.findall(r"^Honest mark: ([0-3]) of 3\.$", self.path.read_text(), re.MULTILINE)
        return float(mark)

    @property
    def what(self) -> str:
        """The first line of its docstring."""
        return self.path.read_text().split("\n", 1)[0].strip('"')

    def hand_in(self, folder: Path, released: dict[str, Any], chapter: str) -> None:
        """Put the submission into `folder`. `released` is the notebook that students received."""
        text = self.path.read_text()
        functions = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
        defined = runpy.run_path(str(self.path)) if functions & {"submission", "place"} else {"ANSWER": text}
        content = defined.get("submission", lambda notebook: json.dumps(notebook))(
            with_answer(released, defined["ANSWER"]) if "ANSWER" in defined else copy.deepcopy(released)
        )
        folder.mkdir(parents=True)
        (folder / f"{chapter}.ipynb").write_bytes(content if isinstance(content, bytes) else content.encode())
        defined.get("place", lambda _: None)(folder)


def read_attacks() -> list[Attack]:
    return [Attack(path) for path in sorted(FOLDER.glob("*.py"))]


def with_answer(released: dict[str, Any], text: str) -> dict[str, Any]:
    """The notebook with `text` as its answer; what follows a line `# %%` becomes a cell of its own."""
    notebook = copy.deepcopy(released)
    answer, *others = re.split(r"^# %%\n", text, flags=re.MULTILINE)
    own = [
        {"cell_type": "code", "id": f"mine-{number}", "metadata": {}, "source": source, "outputs": []}
        | {"execution_count": None}
        for number, source in enumerate(others)
    ]
    position = next(number for number, cell in enumerate(notebook["cells"]) if cell["id"] == TASK)
    notebook["cells"][position]["source"] = answer
    notebook["cells"] += own
    return notebook
