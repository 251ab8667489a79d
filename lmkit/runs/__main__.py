"""python -m lmkit.runs: what is recorded, and how it is made again."""

import argparse
import time
from pathlib import Path

import torch

from lmkit.models import build
from lmkit.runs.configs import RUNS, SIZES, STUDIES, RunConfig
from lmkit.runs.making import make, make_study, optimisers, story_loss
from lmkit.runs.reading import FOLDER, load, names
from lmkit.runs.text import Stories, vocabulary


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m lmkit.runs", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="the recorded runs, and how far each is above the floor")
    make_it = commands.add_parser("make", help="train again what is recorded; a killed command goes on")
    make_it.add_argument("names", nargs="+", choices=[*RUNS, *STUDIES], metavar="NAME")
    make_it.add_argument("--out", type=Path, default=FOLDER, help="folder for the runs (default: data/runs)")
    commands.add_parser("calibrate", help="how many steps each network takes in a minute of CPU time")
    commands.add_parser("symbols", help="write the vocabularies that the recorded models share")
    options = parser.parse_args(arguments)
    if options.command == "list":
        for name in names():
            run = load(name)
            gaps = ", ".join(f"{gap:.3f}" for gap in run.each("bits above the floor"))
            seconds = sum(run.each("CPU seconds")) / len(run.seeds)
            print(f"{name:28} {gaps} bits above the floor; {seconds:,.0f} CPU seconds a seed")
    elif options.command == "make":
        for name in options.names:
            command = f"python -m lmkit.runs make {name}"
            if name in RUNS:
                make(RUNS[name], command, options.out / name)
            else:
                make_study(STUDIES[name], command, options.out / name)
    elif options.command == "symbols":
        (FOLDER / "symbols").mkdir(parents=True, exist_ok=True)
        for level in ("word", "character"):
            (FOLDER / "symbols" / f"{level}.txt").write_text("".join(f"{symbol}\n" for symbol in vocabulary(level)))
    else:
        calibrate()


def calibrate(turns: int = 5, steps: int = 20) -> None:
    """The networks take turns, so that what else the machine does meets all of them alike."""
    torch.set_num_threads(1)
    symbols = vocabulary("word")
    spent: dict[str, list[float]] = {name: [] for name in SIZES}
    networks = {name: build(name, len(symbols), **sizes) for name, sizes in SIZES.items()}
    for turn in range(turns):
        for name, network in networks.items():
            stories = Stories(symbols, "word", 16, seed=1)
            stories(turn * steps)
            optimiser = optimisers(RunConfig(name, name, SIZES[name], steps, 1e-3), network)[0]  # type: ignore[arg-type]
            begin = time.process_time()
            for step in range(turn * steps, (turn + 1) * steps):
                optimiser.zero_grad()
                story_loss(network, stories(step))[0].backward()
                torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                optimiser.step()
            spent[name].append((time.process_time() - begin - (stories.seconds if turn == 0 else 0)) / steps)
    for name, seconds in spent.items():
        print(f"{name}: {60 / sorted(seconds)[turns // 2]:.0f} steps a minute of CPU time")


if __name__ == "__main__":
    main()
