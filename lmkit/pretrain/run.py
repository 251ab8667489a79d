"""One run from the text to its record."""

import json
import math
import time
from contextlib import closing, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from lmkit.optimizers import adamw, muon
from lmkit.pretrain import record, text
from lmkit.pretrain.configs import PretrainConfig, RunError, differences
from lmkit.pretrain.data import Batches, validation
from lmkit.pretrain.evaluate import loss_with_context
from lmkit.pretrain.processes import Processes
from lmkit.training import set_seed, train, warmup_cosine
from lmkit.training.tools import usual_precision
from lmkit.transformer import Transformer

SAMPLES = 3


def pretrain(
    config: PretrainConfig,
    out: Path,
    *,
    file: Path | None = None,
    resume: bool = False,
    command: str = "",
    processes: Processes | None = None,
) -> dict[str, Any]:
    """Train, validate, sample; returns what `out`/record.json then holds (without the hashes).

    In `out`: log.txt, history.csv, samples.txt, loss.png, record.json, and state/ (checkpoint, numbered text), which
    only a resumed run needs. Raises RunError, with one line, for what the user can mend.
    """
    processes = processes or Processes()
    if config.batch % (processes.count * config.accumulate):
        raise RunError(
            f"batch {config.batch} cannot be divided among {processes.count} processes in {config.accumulate} parts"
            " each (--set batch=..., --set accumulate=...)."
        )
    state = out / "state"
    _check_folder(out, config, resume)
    processes.wait()  # nobody writes before all have looked
    if processes.first:
        try:
            state.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"--out {out}: {error.strerror}.") from None
        _prepare_text(config, file, state)
        record.write(state / "config.json", json.dumps(asdict(config), indent=1) + "\n")
    processes.wait()
    source = text.load(state / "text.pt")
    config = replace(config, model=replace(config.model, vocabulary=len(source.symbols)))
    say = Log(out / "log.txt", processes.first)

    set_seed(config.seed)
    model = Transformer(config.model).to(processes.device)
    precision = usual_precision(processes.device)
    name = record.device_name(processes.device)
    floor = f"; floor {source.floor:.4f} nats" if source.floor else ""
    say(
        f"{config.name}: {config.model.parameter_count:,} parameters, {config.tokens_per_step:,} tokens a step;"
        f" {processes.count} x {name}, {precision}"
    )
    say(
        f"{source.name}, {source.level}: {len(source.train):,} training tokens, {len(source.valid):,} to validate on,"
        f" {len(source.symbols):,} symbols{floor}"
    )

    def use(speed: float) -> float | None:
        return record.utilisation(config.model.flops_per_token, speed, name, precision, processes.count)

    def watch(history: pd.DataFrame) -> None:
        if not processes.first:
            return
        history = record.with_speed(history)
        record.write(out / "history.csv", history.to_csv(index=False))
        row = history.iloc[-1]
        say(
            f"step {int(row['step']):>7,}  train {row['train loss']:.4f}  validation {row['validation loss']:.4f}"
            f"  {row['tokens per second']:>11,.0f} tokens/s"
            f"  utilisation {record.percent(use(row['tokens per second']))}"
        )

    history = _train(config, model, source, state / "checkpoint.pt", processes, watch)
    if not processes.first:
        return {}
    history = record.with_speed(history)
    record.write(out / "history.csv", history.to_csv(index=False))  # a run that had only this left to do has none yet
    last = history.iloc[-1]
    speed = float(history["tokens per second"].median())  # of the rows: the first one holds what compiling costs
    judged = loss_with_context(model, source.valid, config.model.block)
    results = {
        "steps": int(last["step"]),
        "tokens": int(last["tokens"]),
        "training seconds": round(float(last["seconds"]), 1),
        "train loss": float(last["train loss"]),
        "validation loss": float(last["validation loss"]),
        "validation loss with context": judged,
        "bits per character": text.nats_to_bits_per_character(judged, source),
        "floor": source.floor,
        "tokens per second": speed,
        "model FLOP utilisation": use(speed),
    }
    above = f" (floor {source.floor:.4f})" if source.floor else ""
    say(
        f"with half a block of context or more: {judged:.4f} nats per token{above},"
        f" perplexity {math.exp(judged):.3f}, {results['bits per character']:.3f} bits per character"
    )
    record.write(out / "samples.txt", _samples(model, source, config))
    made = record.make_record(config, source, command, processes, precision, results)
    record.finish(out, made, history, source.floor)
    return made


class Log:
    """Says a line on the terminal and keeps it."""

    def __init__(self, path: Path, first: bool) -> None:
        self.path, self.first = path, first

    def __call__(self, line: str) -> None:
        if self.first:
            print(line, flush=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")


def _check_folder(out: Path, config: PretrainConfig, resume: bool) -> None:
    """A folder belongs to one run: no other one may start there, and only that one may go on there."""
    kept = out / "state" / "config.json"
    if resume and not kept.exists():
        raise RunError(f"--resume: there is no run in {out}.")
    if kept.exists() and not resume:
        raise RunError(f"There is a run in {out}: go on with --resume, or start another one with another --out.")
    if resume and (found := differences(json.loads(kept.read_text()), config)):
        raise RunError(f"--resume: {out} holds another run ({'; '.join(found)}).")


def _prepare_text(config: PretrainConfig, file: Path | None, state: Path) -> None:
    """Number the text once for all processes and for a run that is resumed."""
    kept = state / "text.pt"
    if not kept.exists():
        text.save(text.read_text(config, file), kept)
        return
    before = text.load(kept)
    same = before.sha256 == text.read_text(config, file).sha256 if file else before.name == config.corpus
    if not same:
        raise RunError(f"--resume: the run in {state.parent} reads another text ({before.name}).")


def _train(
    config: PretrainConfig,
    model: Transformer,
    source: text.Text,
    checkpoint: Path,
    processes: Processes,
    watch: Any,
) -> pd.DataFrame:
    """`lmkit.training.train`, with this process's share of each batch."""
    block, device = config.model.block, processes.device
    share = {"rank": processes.rank, "processes": processes.count}
    try:
        batches = Batches(
            source.train,
            block,
            config.batch,
            config.accumulate,
            seed=config.seed,
            seed_torch=config.model.dropout > 0,
            pinned=device.type == "cuda",
            **share,
        )
        held_out = validation(source.valid, block, config.batch, config.validation_batches, **share)
    except ValueError as error:
        raise RunError(str(error)) from None
    if config.optimiser == "muon":
        optimisers = muon(model, model.blocks, config.muon_rate, config.rate, config.decay)
    else:
        optimisers = [adamw(model, config.rate, config.decay)]

    # The wrappers share the model's weights. `train` gets the model itself, so that a checkpoint knows nothing of them.
    runner: nn.Module = torch.compile(model) if config.compiled else model  # type: ignore[assignment]
    if processes.count > 1:
        places = [device] if device.type == "cuda" else None
        runner = DistributedDataParallel(runner, device_ids=places, broadcast_buffers=False)

    def loss(_: nn.Module, part: tuple[Tensor, Tensor, bool]) -> tuple[Tensor, int]:
        tokens, targets, last = part
        # The gradients of all processes are added up once for each step, not for each part of it.
        alone = isinstance(runner, DistributedDataParallel) and not last
        with runner.no_sync() if alone else nullcontext():  # type: ignore[operator]
            value = runner(tokens, targets)
        return processes.mean(value), targets.numel() * processes.count

    def clock() -> float:
        if device.type == "cuda":
            torch.cuda.synchronize(device)  # a GPU works on after Python has gone on: wait, or time is lost from sight
        return time.perf_counter()

    try:
        with closing(batches):
            return train(
                model,
                batches,
                loss,
                steps=config.steps,
                optimiser=optimisers,
                schedule=warmup_cosine(config.warmup, config.lowest),
                clip=config.clip,
                accumulate=config.accumulate,
                validation=held_out,
                every=config.every,
                checkpoint=checkpoint,
                device=device,
                watch=watch,
                progress=False,
                clock=clock,
            )
    except (ValueError, FloatingPointError) as error:
        raise RunError(str(error)) from error


def _samples(model: Transformer, source: text.Text, config: PretrainConfig) -> str:
    """Texts that the model makes up, each after the sign that ends a text."""
    start = "\n" if source.level == "character" else text.END
    first = source.symbols.index(start) if start in source.symbols else int(source.train[0])
    device = next(model.parameters()).device
    tokens = torch.full((SAMPLES, 1), first, device=device)
    dice = torch.Generator(device).manual_seed(config.seed)
    made = model.generate(tokens, config.sample_tokens, top_p=0.95, generator=dice)
    return "\n----\n".join(source.spell(row).strip() for row in made[:, 1:].tolist()) + "\n"
