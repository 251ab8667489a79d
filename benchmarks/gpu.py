"""Everything that only a GPU can show, in one command of at most ten minutes on one H100.

    python -m benchmarks.gpu --out runs/gpu-day --text input.txt
    python -m benchmarks.gpu --out runs/again --text input.txt --only learner
    python -m benchmarks.gpu --rehearse --out runs/rehearsal       # the same parts, tiny, on whatever there is

tests       the tests marked `gpu`
big         the config `gpu` (85 million weights, bfloat16, compiled): tokens a second, utilisation while it trains and
            by the wall clock
resume      a run that is killed after its first checkpoint, and goes on
characters  nanoGPT's character Transformer (10.6 million weights; 1,500 steps of 64 x 256 characters, dropout 0.2) with
            this course's parts and optimiser. nanoGPT reports 1.4697 nats on tiny Shakespeare: give that file as --text
chapters    every chapter that trains, executed on the GPU with the small sizes that grading takes
learner     chapter 08 with the sizes that it takes on a GPU, and TEXT as the learner's own text,
            as far as the time reaches: OUT/learner.ipynb

Each part leaves its folder or log in OUT, and OUT/gpu.json what was measured; no file is above 16 MB. A part that fails
does not stop the others, and the command then ends with 1.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import nbformat
import torch
import typer
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError

from lmkit.paths import DATA
from lmkit.runs import load
from lmkit.runs.record import device_name, write_json
from lmkit.training import choose_device

ROOT = DATA.parent
CHARACTERS = {
    **{"block": 256, "layers": 6, "heads": 6, "width": 384, "dropout": 0.2, "batch": 64, "steps": 1_500},
    **{"every": 250, "save_every": 1_500, "rate": 0.02, "adam_rate": 3e-3, "level": "character", "compiled": "true"},
}
TESTS = ["-m", "pytest", "-q", "--noconftest", "-p", "no:cacheprovider", "-m", "gpu", "tests/test_gpu.py"]
BIG = {"steps": 300, "tokens": 20_000_000, "every": 50, "save_every": 300, "weights": "false"}
RESUMED = {"steps": 120, "tokens": 2_000_000, "every": 20, "save_every": 20, "weights": "false"}


def as_learner(chapter: str) -> Any:
    """A chapter's reference, a notebook, with the checks that the release shows: hidden tests are for a CPU."""
    solved, release = (
        nbformat.read(ROOT / folder / chapter / f"{chapter}.ipynb", as_version=4)
        for folder in ("solutions", "notebooks")
    )
    checks = {cell.metadata.nbgrader.grade_id: cell.source for cell in release.cells if is_test(cell)}
    for cell in solved.cells:
        if is_test(cell):
            cell.source = checks[cell.metadata.nbgrader.grade_id]
    return solved


def is_test(cell: Any) -> bool:
    """Whether a cell is a check, and nothing that a learner writes."""
    about = cell.metadata.get("nbgrader", {})
    return bool(about.get("grade") and not about.get("solution"))


class Day:
    """The parts, one after the other, until the time is over."""

    def __init__(self, out: Path, rehearsal: bool, seconds: float) -> None:
        self.out, self.rehearsal, self.end = out, rehearsal, time.monotonic() + seconds
        self.found: dict[str, Any] = {
            "device": device_name(choose_device()),
            "torch": torch.__version__,
            "cuda": torch.version.cuda,
            "parts": {},
        }
        self.environment = {name: value for name, value in os.environ.items() if name != "LMKIT_DEVICE" or rehearsal}
        # A notebook runs in its own folder, and lmkit need not be installed.
        self.environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))

    def part(self, name: str, work: Callable[[], dict[str, Any]]) -> None:
        """Do it, and write down what came of it at once."""
        begin = time.monotonic()
        try:
            found = {"ok": True, **work()}
        except (
            RuntimeError,
            OSError,
            ValueError,
            subprocess.SubprocessError,
            CellExecutionError,
            CellTimeoutError,
        ) as error:
            found = {"ok": False, "error": f"{type(error).__name__}: {error}"[-2000:]}
        self.found["parts"][name] = found | {"seconds": round(time.monotonic() - begin, 1)}
        write_json(self.out / "gpu.json", self.found)
        print(f"{name}: {json.dumps(self.found['parts'][name])}", flush=True)

    def command(self, log: str, *words: str, **more: str) -> None:
        """Run Python with these words, its output in OUT/LOG; RuntimeError with the last lines if it fails."""
        with (self.out / log).open("ab") as file:
            left = max(1.0, self.end - time.monotonic())
            environment = {**self.environment, **more}
            done = subprocess.run(
                [sys.executable, *words], cwd=ROOT, stdout=file, stderr=file, env=environment, timeout=left
            )
        if done.returncode:
            raise RuntimeError((self.out / log).read_text(errors="replace")[-1500:])

    def train(self, name: str, config: str, changes: dict[str, Any], *more: str) -> dict[str, Any]:
        """A run of lmkit.pretrain into OUT/NAME, and the numbers of its record."""
        self.command(f"{name}.log", *self.words(name, config, changes), *more)
        numbers: dict[str, Any] = load(self.out / name).numbers["1"]
        return numbers

    def words(self, name: str, config: str, changes: dict[str, Any]) -> list[str]:
        if self.rehearsal:
            config, small = "tiny", {"steps": 12, "every": 2, "save_every": 2, "tokens": 20_000}
            changes = {key: value for key, value in changes.items() if key in ("level", "weights")} | small
        settings = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
        return ["-m", "lmkit.pretrain", "--config", config, "--out", str(self.out / name), *settings]

    def tests(self) -> dict[str, Any]:
        self.command("tests.log", *TESTS)
        return {"says": (self.out / "tests.log").read_text().strip().splitlines()[-1]}

    def resume(self) -> dict[str, Any]:
        words, state = self.words("resume", "gpu", RESUMED), self.out / "resume" / "state"
        with (self.out / "resume.log").open("ab") as file:
            run = subprocess.Popen([sys.executable, *words], cwd=ROOT, stdout=file, stderr=file, env=self.environment)
            while run.poll() is None and not any(state.glob("*.checkpoint")):
                time.sleep(0.02)
            run.send_signal(signal.SIGKILL)
            run.wait()
        self.command("resume.log", *words, "--resume")
        said = (self.out / "resume.log").read_text()
        if "Going on from step" not in said:
            raise RuntimeError("the run began again instead of going on")
        return {"says": next(line for line in said.splitlines() if line.startswith("Going on"))}

    def chapters(self) -> dict[str, Any]:
        references = sorted((ROOT / "solutions").glob("[01]*/[01]*.ipynb"))
        training = [path for path in references if "choose_device()" in path.read_text(encoding="utf-8")]
        if self.rehearsal:
            training = training[:1]

        (self.out / "chapters").mkdir()

        def execute(reference: Path) -> tuple[str, float]:
            begin = time.monotonic()
            notebook = self.out / "chapters" / reference.name
            nbformat.write(as_learner(reference.stem), notebook)
            words = ["-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", str(notebook)]
            self.command(f"{reference.stem}.log", *words, LMKIT_BUDGET="grading")
            return reference.stem, round(time.monotonic() - begin, 1)

        with ThreadPoolExecutor(6) as pool:
            return {"seconds of each": dict(pool.map(execute, training))}

    def learner(self, text: Path | None) -> dict[str, Any]:
        """Run the cells of chapter 08 one after the other, and keep those that the time allowed."""
        texts = self.out / "texts"
        texts.mkdir()
        if text:
            shutil.copy(text, texts / "own.txt")
        notebook = as_learner("08_transformer")
        environment = self.environment | {
            "LMKIT_BUDGET": "grading" if self.rehearsal else "gpu",
            "LMKIT_TEXTS": str(texts),
            "LMKIT_GALLERY": str(self.out / "gallery"),
        }
        client = NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(ROOT)}})
        slow: dict[int, float] = {}
        count = 0
        with client.setup_kernel(env=environment):
            for count, cell in enumerate(notebook.cells):
                begin = time.monotonic()
                if begin > self.end - 15 or (self.rehearsal and count > 30):
                    break
                client.timeout = max(1, int(self.end - begin))
                client.execute_cell(cell, count)
                if time.monotonic() - begin > 5:
                    slow[count] = round(time.monotonic() - begin, 1)
                nbformat.write(notebook, self.out / "learner.ipynb")
        return {"cells": [count + 1, len(notebook.cells)], "seconds of slow cells": slow}


def main(
    out: Annotated[Path, typer.Option(help="Folder for what is measured; it must not be there yet.")],
    text: Annotated[
        Path | None, typer.Option(help="For `characters`: tiny Shakespeare; default: kitchen stories.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only this part; may be given several times.")] = None,
    seconds: Annotated[float, typer.Option(help="For all parts together.")] = 590,
    rehearse: Annotated[bool, typer.Option(help="Tiny sizes, on whatever there is.")] = False,
) -> None:
    """Everything that only a GPU can show."""
    if choose_device().type != "cuda" and not rehearse:
        sys.exit("gpu: there is no CUDA device here; --rehearse tries the parts in small.")
    if out.exists():
        sys.exit(f"gpu: {out} is there already; choose another folder.")
    if text and not text.is_file():
        sys.exit(f"gpu: --text {text}: there is no such file.")
    out = out.resolve()
    out.mkdir(parents=True)
    day = Day(out, rehearse, seconds)
    source = ["--text", str(text.resolve())] if text else []
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "tests": day.tests,
        "big": lambda: day.train("big", "gpu", BIG),
        "resume": day.resume,
        "characters": lambda: day.train("characters", "gpu", CHARACTERS, *source),
        "chapters": day.chapters,
        "learner": lambda: day.learner(text),
    }
    if rehearse:
        del parts["tests"]
    for name in only or parts:
        day.part(name, parts[name])
    failed = [name for name, found in day.found["parts"].items() if not found["ok"]]
    sys.exit(f"gpu: failed: {', '.join(failed)} (logs in {out})" if failed else 0)


if __name__ == "__main__":
    typer.run(main)
