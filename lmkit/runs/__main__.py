"""python -m lmkit.runs: what is recorded, and how it is made again."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lmkit.runs import run, stories
from lmkit.runs.configs import RUNS, SIZES, STUDIES
from lmkit.runs.reading import FOLDER, load, names

app = typer.Typer(add_completion=False, no_args_is_help=True, help=__doc__)


@app.command("list")
def list_runs() -> None:
    """The recorded runs, and how far each is above the floor."""
    for name in names():
        recorded = load(name)
        gaps = ", ".join(f"{gap:.3f}" for gap in recorded.each("bits above the floor"))
        seconds = sum(recorded.each("CPU seconds")) / len(recorded.seeds)
        print(f"{name:28} {gaps} bits above the floor; {seconds:,.0f} CPU seconds a seed")


@app.command()
def make(
    wanted: Annotated[list[str], typer.Argument(metavar="NAME...", help="Runs and studies.")],
    out: Annotated[Path, typer.Option(help="Folder for the runs; default: data/runs.")] = FOLDER,
) -> None:
    """Train again what is recorded; a killed command goes on."""
    for name in wanted:
        if name not in RUNS and name not in STUDIES:
            raise typer.BadParameter(f"{name!r} is neither a run nor a study: {', '.join([*RUNS, *STUDIES])}.")
    for name in wanted:
        command = f"python -m lmkit.runs make {name}"
        if name in RUNS:
            run.make(RUNS[name], out / name, command=command)
        else:
            run.make_study(STUDIES[name], command, out / name)


@app.command()
def calibrate(steps: int = 100) -> None:
    """How many steps each network takes in a minute of CPU time."""
    source = stories.Stories("word")
    for network, sizes in SIZES.items():
        config = replace(RUNS[f"kitchen-{network}"], sizes=sizes, steps=steps, every=steps)
        _, history = run.trained(config, 1, source)
        print(f"{network}: {60 * steps / history['seconds'].iloc[-1]:.0f} steps a minute of CPU time")


@app.command()
def symbols() -> None:
    """Write the vocabularies that the recorded models share."""
    (FOLDER / "symbols").mkdir(parents=True, exist_ok=True)
    for level in ("word", "character"):
        text = "".join(f"{symbol}\n" for symbol in stories.vocabulary(level))
        (FOLDER / "symbols" / f"{level}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    app()
