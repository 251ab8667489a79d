"""Train a causal Transformer on any text, on one CPU, one GPU or many, and use what was trained.

python -m lmkit.pretrain --config laptop --text my.txt --level bpe --out runs/mine
python -m lmkit.pretrain sample runs/mine --prompt "Once"
python -m lmkit.pretrain evaluate runs/mine --text another.txt
torchrun --nproc_per_node=8 -m lmkit.pretrain --config gpu --out runs/big       one process for each GPU
"""

import math
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from lmkit.runs import CONFIGS, RunError, changed, load
from lmkit.runs.processes import joined
from lmkit.runs.reading import Run
from lmkit.runs.record import command_line
from lmkit.runs.run import make
from lmkit.training import choose_device

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, help=__doc__)


@app.callback(invoke_without_command=True)
def train(
    context: typer.Context,
    config: Annotated[str, typer.Option(help=f"What to train: {', '.join(CONFIGS)}.")] = "laptop",
    level: Annotated[str | None, typer.Option(help="word, character or bpe; default: what the config says.")] = None,
    text: Annotated[Path | None, typer.Option(help="A UTF-8 file to learn from; its last tenth validates.")] = None,
    corpus: Annotated[str | None, typer.Option(help="A corpus by name: python -m lmkit.corpora list.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the run; default: runs/CONFIG.")] = None,
    resume: Annotated[bool, typer.Option(help="Go on with the run in that folder.")] = False,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change the config; may be repeated.")
    ] = None,
) -> None:
    """Train a causal Transformer and keep model and record. Started with torchrun, all processes train one model."""
    if context.invoked_subcommand:
        return
    if config not in CONFIGS:
        raise RunError(f"--config {config}: choose one of: {', '.join(CONFIGS)}.")
    if config == "gpu" and choose_device().type == "cpu":
        raise RunError("--config gpu: no GPU was found, and a CPU would need months; choose --config laptop.")
    if text and corpus:
        raise RunError("Give --text or --corpus, not both.")
    if text and not text.is_file():
        raise RunError(f"--text {text}: there is no such file.")
    named = [f"{name}={value}" for name, value in (("level", level), ("corpus", text or corpus)) if value]
    chosen = changed(CONFIGS[config], [*(changes or []), *named])
    with joined() as processes:
        command = command_line(sys.argv[1:], processes)
        make(chosen, out or Path("runs") / config, command=command, resume=resume, processes=processes)


@app.command()
def sample(
    folder: Path,
    prompt: Annotated[str, typer.Option(help="What the text begins with.")] = "",
    tokens: Annotated[int, typer.Option(help="How many to draw.")] = 300,
    temperature: Annotated[float, typer.Option(help="0: the likeliest token each time.")] = 1.0,
    top_p: Annotated[float, typer.Option(help="Draw from the likeliest tokens that have this probability.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Another one draws another text.")] = 0,
) -> None:
    """Let the model in FOLDER write."""
    run = _loaded(folder)
    try:
        print(run.write(prompt, tokens, temperature=temperature, top_p=top_p, seed=seed))
    except ValueError as error:
        raise RunError(str(error)) from None


@app.command()
def evaluate(
    folder: Path,
    text: Annotated[Path | None, typer.Option(help="A UTF-8 file; default: the validation text of the run.")] = None,
) -> None:
    """What the model in FOLDER makes of a text: nats per token, bits per byte, perplexity."""
    from lmkit.runs import rows

    run = _loaded(folder)
    if run.config.corpus is None:
        raise RunError(f"{folder} learned from fresh stories; its numbers.json has what was measured.")
    judged = rows.row_of(text, run.spelling) if text else rows.read_text(run.config)
    found = rows.judged(run.network, judged, run.config.block)
    nats = found["valid nats with context"]
    print(f"separate windows of {run.config.block} tokens: {found['valid nats']:.4f} nats per token")
    print(f"half a window of context or more: {nats:.4f} nats per token, perplexity {math.exp(nats):.3f}")
    print(
        f"{found['bits per byte']:.4f} bits per byte" + (f"; floor {found['floor']:.4f} nats" if found["floor"] else "")
    )


def _loaded(folder: Path) -> Run:
    try:
        run = load(folder)
        run.network.to(choose_device())
    except ValueError as error:
        raise RunError(str(error)) from None
    return run


def main() -> None:
    """Run the command line; mistakes that the user can put right end in one line, not in a traceback."""
    first = os.environ.get("RANK", "0") == "0"
    if not first:  # what all would say, the first one says
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
    try:
        app()
    except RunError as error:
        sys.exit(f"pretrain: {error}" if first else 1)


if __name__ == "__main__":
    main()
