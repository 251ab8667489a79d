"""`python -m lmkit.pretrain`, or `torchrun --nproc_per_node=N -m lmkit.pretrain` with one process for each GPU."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from lmkit.pretrain.configs import CONFIGS, RunError, changed
from lmkit.pretrain.processes import joined
from lmkit.pretrain.record import command_line
from lmkit.pretrain.run import pretrain

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command(no_args_is_help=True)
def run(
    config: Annotated[str, typer.Option(help=f"What to train: {', '.join(CONFIGS)}.")] = "laptop",
    level: Annotated[str | None, typer.Option(help="character or word; default: what the config says.")] = None,
    text: Annotated[Path | None, typer.Option(help="A UTF-8 file to learn from; its last tenth validates.")] = None,
    corpus: Annotated[str | None, typer.Option(help="A corpus by name: python -m lmkit.corpora list.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the run; default: runs/CONFIG.")] = None,
    resume: Annotated[bool, typer.Option(help="Go on with the run in that folder.")] = False,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change the config; may be repeated.")
    ] = None,
) -> None:
    """Train a causal Transformer and keep a record of it. Started with torchrun, all processes train one model."""
    if config not in CONFIGS:
        raise RunError(f"--config {config}: choose one of: {', '.join(CONFIGS)}.")
    if text and corpus:
        raise RunError("Give --text or --corpus, not both.")
    if text and not text.is_file():
        raise RunError(f"--text {text}: there is no such file.")
    named = [f"{name}={value}" for name, value in (("level", level), ("corpus", corpus)) if value]
    chosen = changed(CONFIGS[config], [*(changes or []), *named])
    with joined() as processes:
        command = command_line(sys.argv[1:], processes)
        pretrain(chosen, out or Path("runs") / config, file=text, resume=resume, command=command, processes=processes)


def main() -> None:
    """Run the command line; mistakes that the user can mend end in one line, not in a traceback."""
    first = os.environ.get("RANK", "0") == "0"
    if not first:  # what all would say, the first one says
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
    try:
        app()
    except RunError as error:
        sys.exit(f"pretrain: {error}" if first else 1)


if __name__ == "__main__":
    main()
