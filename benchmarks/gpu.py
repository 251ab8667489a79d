"""Everything that only a GPU can show, in one command of at most ten minutes on one H100.

    python -m benchmarks.gpu --out runs/gpu-day --text input.txt
    python -m benchmarks.gpu --rehearse --out runs/rehearsal       # the same parts, tiny, on whatever there is

tests       the tests marked `gpu`
big         the config `gpu` (85 million weights, bfloat16, compiled): tokens a second, utilisation while it trains and
            by the wall clock
resume      a run that is killed after its first checkpoint, and goes on
characters  nanoGPT's character Transformer (10.7 million weights; 5,000 steps of 64 x 256 characters, dropout 0.2) with
            this course's parts and optimiser. nanoGPT reports 1.4697 nats on tiny Shakespeare: give that file as --text
chapters    every chapter that trains, executed on the GPU

Each part leaves its folder or log in OUT, and OUT/gpu.json what was measured; no file is above 16 MB. A part that fails
does not stop the others, and the command then ends with 1.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from lmkit.paths import DATA
from lmkit.runs import load
from lmkit.runs.record import device_name, write_json
from lmkit.training import choose_device

ROOT = DATA.parent
SECONDS = 590  # for all parts together
CHARACTERS = {
    **{"block": 256, "layers": 6, "heads": 6, "width": 384, "dropout": 0.2, "batch": 64, "steps": 5_000},
    **{"every": 250, "save_every": 5_000, "rate": 0.02, "adam_rate": 3e-3, "level": "character", "compiled": "true"},
}
BIG = {"steps": 300, "tokens": 20_000_000, "every": 50, "save_every": 300, "weights": "false"}
RESUMED = {"steps": 120, "tokens": 2_000_000, "every": 20, "save_every": 20, "weights": "false"}


class Day:
    """The parts, one after the other, until the time is over."""

    def __init__(self, out: Path, rehearsal: bool) -> None:
        self.out, self.rehearsal, self.end = out, rehearsal, time.monotonic() + SECONDS
        self.found: dict[str, Any] = {
            "device": device_name(choose_device()),
            "torch": torch.__version__,
            "cuda": torch.version.cuda,
            "parts": {},
        }
        self.environment = {name: value for name, value in os.environ.items() if name != "LMKIT_DEVICE" or rehearsal}

    def part(self, name: str, work: Callable[[], dict[str, Any]]) -> None:
        """Do it, and write down what came of it at once."""
        begin = time.monotonic()
        try:
            found = {"ok": True, **work()}
        except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as error:
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
        self.command("tests.log", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "gpu", "tests/test_gpu.py")
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

        def execute(reference: Path) -> tuple[str, float]:
            begin = time.monotonic()
            words = [
                "-m",
                "jupyter",
                "nbconvert",
                "--to",
                "notebook",
                "--execute",
                "--output-dir",
                str(self.out / "chapters"),
            ]
            self.command(f"{reference.stem}.log", *words, str(reference), LMKIT_BUDGET="grading")
            return reference.stem, round(time.monotonic() - begin, 1)

        with ThreadPoolExecutor(4) as pool:
            return {"seconds of each": dict(pool.map(execute, training))}


def main(
    out: Annotated[Path, typer.Option(help="Folder for what is measured; it must not be there yet.")],
    text: Annotated[
        Path | None, typer.Option(help="For `characters`: tiny Shakespeare; default: kitchen stories.")
    ] = None,
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
    day = Day(out, rehearse)
    source = ["--text", str(text.resolve())] if text else []
    if not rehearse:
        day.part("tests", day.tests)
    day.part("big", lambda: day.train("big", "gpu", BIG))
    day.part("resume", day.resume)
    day.part("characters", lambda: day.train("characters", "gpu", CHARACTERS, *source))
    day.part("chapters", day.chapters)
    failed = [name for name, found in day.found["parts"].items() if not found["ok"]]
    sys.exit(f"gpu: failed: {', '.join(failed)} (logs in {out})" if failed else 0)


if __name__ == "__main__":
    typer.run(main)
