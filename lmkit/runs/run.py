"""One run, from the text to a folder that `load` opens."""

import json
import math
import shutil
import sysconfig
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.optim import Optimizer

from lmkit.files import write_whole
from lmkit.models import build, parameter_count
from lmkit.optimizers import adamw, muon
from lmkit.runs import record, rows
from lmkit.runs.batches import Batches
from lmkit.runs.configs import RunConfig, RunError, Study, differences
from lmkit.runs.processes import Processes
from lmkit.runs.stories import Stories
from lmkit.runs.text import Loss, Part, Source
from lmkit.training import set_seed, to_device, train, warmup_cosine
from lmkit.training.tools import usual_precision
from lmkit.transformer import Transformer, TransformerConfig

Watch = Callable[[pd.DataFrame], None]


def optimisers(config: RunConfig, network: nn.Module) -> list[Optimizer]:
    """The optimisers that the config asks for, at its learning rates."""
    if config.optimiser == "muon":
        if not isinstance(network, Transformer):
            raise RunError("Muon is set up for the Transformer; choose adamw or sgd for other networks.")
        return muon(network, network.blocks, config.rate, config.adam_rate, config.decay, config.betas, config.compiled)
    if config.optimiser == "sgd":
        return [torch.optim.SGD(network.parameters(), lr=config.rate, momentum=0.9)]
    return [adamw(network, config.rate, config.decay, config.betas)]


def trained(
    config: RunConfig,
    seed: int,
    source: Source,
    *,
    checkpoint: Path | None = None,
    processes: Processes | None = None,
    watch: Watch | None = None,
) -> tuple[nn.Module, pd.DataFrame]:
    """The network of one seed, on the processes' device, and its history; seconds are the source's (`clock`)."""
    processes = processes or Processes()
    if config.threads:
        torch.set_num_threads(config.threads)
    set_seed(seed)
    network = build(config.network, len(source.symbols), **config.sizes).to(processes.device)
    # The wrappers share the network's weights. `train` gets the network itself: a checkpoint knows nothing of them.
    runner: nn.Module = Loss(network, padded=config.corpus is None)
    if config.compiled:
        runner = torch.compile(runner, dynamic=False)  # type: ignore[assignment]
    if processes.count > 1:
        places = [processes.device] if processes.device.type == "cuda" else None
        runner = DistributedDataParallel(runner, device_ids=places, broadcast_buffers=False)

    def loss(_: nn.Module, part: Part) -> tuple[Tensor, int]:
        tokens, targets, count, last = part
        # The gradients of all processes are added up once for each step, not for each part of it.
        alone = isinstance(runner, DistributedDataParallel) and not last
        with runner.no_sync() if alone else nullcontext():  # type: ignore[operator]
            value = runner(tokens, targets)
        return processes.mean(value), count * processes.count

    with ExitStack() as stack:
        batches = source.batches(config, seed, processes)
        if isinstance(batches, Batches):
            stack.enter_context(closing(batches))
        history = train(
            network,
            batches,
            loss,
            steps=config.steps,
            optimiser=optimisers(config, network),
            schedule=warmup_cosine(config.warmup, config.lowest),
            clip=config.clip,
            accumulate=config.accumulate,
            validation=source.validation(config, processes),
            every=config.row_every,
            save_every=config.save_every,
            checkpoint=checkpoint,
            watch=watch,
            progress=False,
            clock=source.clock,
        )
    return network, history


def make(
    config: RunConfig,
    out: Path,
    *,
    command: str = "",
    resume: bool | None = None,
    processes: Processes | None = None,
) -> None:
    """Train every seed, measure it, and write the run's folder; `load(out)` opens it.

    In `out`: record.json, history.csv, numbers.json, log.txt, and with weights also these, the spelling, samples.txt
    and loss.png. What is unfinished is in `state/`, and a killed run goes on where its last checkpoint was.
    `resume`: True asks for a run that was begun, False refuses one; None takes what is there. Raises RunError, with one
    line, for what the user can put right.
    """
    processes = processes or Processes()
    _check(config, processes)
    _check_folder(out, config, resume)
    state = out / "state"
    processes.wait()  # nobody writes before all have looked
    if processes.first:
        try:
            state.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"--out {out}: {error.strerror}.") from None
        if config.corpus:
            _prepare_text(config, state)
        record.write_json(state / "config.json", asdict(config))
    processes.wait()
    source: Source = rows.Rows(rows.load(state / "text.pt")) if config.corpus else Stories(config.level)
    for seed in config.seeds:
        if not _of(state, seed, "json").exists():
            _one_seed(config, seed, source, out, processes)
            processes.wait()
    if processes.first:
        _finish(config, command, out, source, processes)


def _check(config: RunConfig, processes: Processes) -> None:
    """What would fail late, or silently be something else."""
    if config.batch % (processes.count * config.accumulate):
        raise RunError(
            f"batch {config.batch} cannot be divided among {processes.count} processes in {config.accumulate} parts"
            " each (--set batch=..., --set accumulate=...)."
        )
    if processes.count > 1 and not config.corpus:
        raise RunError("Fresh stories are read by one process; several need a --corpus or --text.")
    if config.compiled:
        headers = Path(sysconfig.get_paths()["include"], "Python.h").exists()
        if not headers or not any(map(shutil.which, ("cc", "gcc", "clang"))):
            raise RunError(
                "Compiling needs a C compiler and Python's headers (Debian: build-essential and python3-dev);"
                " install them, or --set compiled=false."
            )
        if " " in torch.__file__:
            raise RunError(
                f"torch cannot compile where its own path has a blank ({Path(torch.__file__).parent}):"
                " install the course in a folder without one, or --set compiled=false."
            )


def _check_folder(out: Path, config: RunConfig, resume: bool | None) -> None:
    """A folder belongs to one run: no other one may start there, and only that one may go on there."""
    kept = out / "state" / "config.json"
    if (out / "record.json").exists() and resume is not None:
        raise RunError(f"There is a finished run in {out}: start another one with another --out.")
    if resume and not kept.exists():
        raise RunError(f"--resume: there is no run in {out}.")
    if resume is False and any(kept.parent.glob("*.checkpoint")):
        raise RunError(f"There is a run in {out}: go on with --resume, or start another one with another --out.")
    if resume is False:
        (kept.parent / "text.pt").unlink(missing_ok=True)  # begun, but nothing was learned: forgotten
    elif kept.exists() and (found := differences(json.loads(kept.read_text()), config)):
        raise RunError(f"--resume: {out} holds another run ({'; '.join(found)}).")


def _prepare_text(config: RunConfig, state: Path) -> None:
    """Number the text once for all processes and for a run that is resumed."""
    kept = state / "text.pt"
    if not kept.exists():
        rows.save(rows.read_text(config), kept)
    elif Path(config.corpus or "").is_file() and rows.load(kept).sha256 != rows.read_text(config).sha256:
        raise RunError(f"--resume: {config.corpus} has changed since the run in {state.parent} began.")


def _of(state: Path, seed: int, suffix: str) -> Path:
    return state / f"seed-{seed}.{suffix}"


def _one_seed(config: RunConfig, seed: int, source: Source, out: Path, processes: Processes) -> None:
    """Train and measure; the first process leaves history, numbers and weights in `state/`."""
    state, say = out / "state", Log(out / "log.txt", processes.first)
    precision, device = usual_precision(processes.device), record.device_name(processes.device)
    flops = 0  # per token, unknown for other networks
    if config.network == "transformer":
        flops = TransformerConfig(len(source.symbols), **config.sizes).flops_per_token

    def use(speed: float) -> float | None:
        return record.utilisation(flops, speed, device, precision, processes.count) if flops else None

    def watch(history: pd.DataFrame) -> None:
        if processes.first:
            row = record.with_speed(history).iloc[-1]
            say(
                f"step {int(row['step']):>7,}  train {row['train loss']:.4f}  validation {row['validation loss']:.4f}"
                f"  {row['tokens per second']:>11,.0f} tokens/s"
                f"  utilisation {record.percent(use(row['tokens per second']))}"
            )

    text = ", ".join(f"{key} {value}" for key, value in source.described().items() if len(str(value)) < 64)
    say(f"{config.name}, seed {seed}: {processes.count} x {device}, {precision}; {text}")
    begin, checkpoint = time.perf_counter(), _of(state, seed, "checkpoint")
    try:
        network, history = trained(config, seed, source, checkpoint=checkpoint, processes=processes, watch=watch)
    except FloatingPointError as error:
        raise RunError(str(error)) from error
    wall = time.perf_counter() - begin
    if not processes.first:
        return
    history = record.with_speed(history)
    last = history.iloc[-1]
    speed = float(history["tokens per second"].median())  # of the rows: the first one holds what compiling costs
    seconds = "CPU seconds" if isinstance(source, Stories) else "training seconds"
    numbers = source.measured(config, network) | {
        seconds: float(last["seconds"]),
        "wall seconds": round(wall, 1),  # compiling, validation and checkpoints too; of a resumed run the last part
        "tokens": int(last["tokens"]),
        "validation loss": float(last["validation loss"]),
        "tokens per second": speed,
        "model FLOP utilisation": use(speed),
        "utilisation of the wall clock": use(float(last["tokens"]) / wall),
    }
    history.insert(0, "seed", seed)
    history.to_csv(_of(state, seed, "csv"), index=False, float_format="%.6g")
    weights = to_device(dict(network.state_dict()), torch.device("cpu"))
    write_whole(_of(state, seed, "pt"), partial(torch.save, weights))
    record.write_json(_of(state, seed, "json"), numbers)
    gained = "bits above the floor" if "bits above the floor" in numbers else "bits per byte"
    say(f"{config.name}, seed {seed}: {numbers[gained]:.4f} {gained}, {last['seconds']:.0f} seconds of training")


def _finish(config: RunConfig, command: str, out: Path, source: Source, processes: Processes) -> None:
    """Gather the seeds, keep the first one's weights, and say where all came from."""
    state, first = out / "state", config.seeds[0]
    numbers = {str(seed): json.loads(_of(state, seed, "json").read_text()) for seed in config.seeds}
    history = pd.concat([pd.read_csv(_of(state, seed, "csv")) for seed in config.seeds])
    write_whole(out / "history.csv", history.to_csv(index=False).encode())
    kept = ["history.csv", "numbers.json", "log.txt"]
    if config.weights:
        weights = torch.load(_of(state, first, "pt"), map_location="cpu", weights_only=True)
        kept += record.save_weights(out, weights)
        network = build(config.network, len(source.symbols), **config.sizes)
        network.load_state_dict(record.load_weights(out))  # what is kept, rounded as it is
        network.to(processes.device)
        numbers["weights"] = {"valid nats": source.valid_nats(network)}
        write_whole(out / "samples.txt", source.samples(config, network).encode())
        picture = record.loss_figure(history[history["seed"] == first], numbers[str(first)].get("floor"))
        write_whole(out / "loss.png", picture)
        kept += ["samples.txt", "loss.png"]
        if isinstance(source, rows.Rows):
            source.text.spelling.save(out / "spelling.json")
            kept.append("spelling.json")
    record.write_json(out / "numbers.json", numbers)
    record.finish(out, config.name, command, config, kept, source.described(), processes)
    shutil.rmtree(state)


class Log:
    """Says a line on the terminal and keeps it."""

    def __init__(self, path: Path, first: bool) -> None:
        self.path, self.first = path, first

    def __call__(self, line: str) -> None:
        if self.first:
            print(line, flush=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")


def make_study(study: Study, command: str, out: Path) -> None:
    """Train what the study asks for; results.csv has a row for each run as soon as it is over."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / "results.csv"
    done: list[dict[Any, Any]] = pd.read_csv(file).to_dict("records") if file.exists() else []

    def result(variant: str, rate: float, seed: int) -> float:
        for row in done:
            if (row["variant"], row["rate"], row["seed"]) == (variant, rate, seed):
                return float(row["valid nats"])
        done.append({"variant": variant, "rate": rate, "seed": seed, **_tried(study.config(variant, rate), seed)})
        pd.DataFrame(done).to_csv(file, index=False)
        print(f"{study.name}: {done[-1]}", flush=True)
        return float(done[-1]["valid nats"])

    for variant in study.variants:
        tried = {rate: result(variant, rate, study.tuning_seed) for rate in study.rates_of(variant)}
        best = min(tried, key=lambda rate: math.inf if math.isnan(tried[rate]) else tried[rate])
        for seed in study.seeds:
            result(variant, best, seed)
    record.finish(out, study.name, command, study, ["results.csv"], Stories(study.base.level).described(), Processes())


def _tried(config: RunConfig, seed: int) -> dict[str, float]:
    """What is kept of one run of a study; the loss is not a number if it diverged, and that is a result too."""
    source = Stories(config.level)
    try:
        network, history = trained(config, seed, source)
    except FloatingPointError:
        return {"valid nats": math.nan, "CPU seconds": math.nan, "parameters": math.nan}
    seconds = float(history["seconds"].iloc[-1])
    nats = source.valid_nats(network)
    return {"valid nats": round(nats, 5), "CPU seconds": round(seconds, 1), "parameters": parameter_count(network)}
