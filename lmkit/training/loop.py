"""The loop. Read it once from top to bottom: nothing in it is specific to one model or one text."""

import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from lmkit.training.state import Checkpoint, Progress
from lmkit.training.tools import Batch, Schedule, device_of, synchronise, to_device, usual_precision

Loss = Callable[..., tuple[Tensor, int]]


def train(
    model: nn.Module,
    batches: Callable[[int], Batch],
    loss: Loss,
    *,
    steps: int | None = None,
    seconds: float | None = None,
    rate: float = 1e-3,
    optimiser: Optimizer | Sequence[Optimizer] | None = None,
    schedule: Schedule | None = None,
    clip: float | None = 1.0,
    accumulate: int = 1,
    validation: Sequence[Batch] | None = None,
    every: int = 50,
    save_every: int | None = None,
    patience: int | None = None,
    carry: dict[str, Any] | None = None,
    checkpoint: str | Path | None = None,
    precision: str | None = None,
    watch: Callable[[pd.DataFrame], None] | None = None,
    progress: bool | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> pd.DataFrame:
    """Train the model in place for `steps` steps or `seconds` seconds of training, whichever is over first.

    The model stays on the device where it is (`model.to(choose_device())`), and every batch is brought there.
    `batches(i)` is the i-th batch, i = 0, 1, ...; `loss(model, batch)` gives the mean loss per token in nats (a scalar
    tensor) and the number of tokens that it is the mean of.

    A step takes `accumulate` batches, with the gradient of one large batch; scales that gradient down to a norm of
    at most `clip` (None: never); and updates with AdamW at learning rate `rate`, or with your own `optimiser` (or
    several), times `schedule(step, share of the budget used)`.
    Every `every` steps there is a row of history, a validation and a call of `watch(history)`.
    `patience`: stop after so many validations without a new best, and go back to the weights of the best one.
    `carry={}`: `loss(model, batch, carry)` may keep in it what the next batch needs, such as the detached state of a
    recurrent network. Every validation starts with an empty one.
    `checkpoint`: a file that holds all that a killed run needs, written at every row that is `save_every` steps after
    the last one written (None: at each row). If it exists, the run goes on from there; on a CPU, and if no clock plays
    a part, the same to the last bit.
    `precision`: "float32", "bfloat16" or "float16"; by default bfloat16 on a GPU that has it, else float32.
    `progress`: None shows a bar only where somebody looks. `clock` gives the time in seconds.

    Returns the columns step, train loss and validation loss (nats per token), learning rate, tokens (since step 0) and
    seconds (of training alone); `attrs["stopped"]` is "steps", "seconds" or "patience". The model is left in `eval`
    mode, with the gradients of the last step. Raises FloatingPointError if a loss is not finite.
    """
    _check(batches, steps, seconds, validation, patience, min(accumulate, every, save_every or 1))
    device = device_of(model)
    precision = precision or usual_precision(device)
    model.train()
    optimiser = optimiser or torch.optim.AdamW(model.parameters(), lr=rate)
    optimisers = [optimiser] if isinstance(optimiser, Optimizer) else list(optimiser)
    rates = [float(group["lr"]) for one in optimisers for group in one.param_groups]
    # Small gradients are zero in float16, so the scaler enlarges the loss; with other types it does nothing.
    scaler = torch.amp.GradScaler(device.type, enabled=precision == "float16")
    now = Progress(carry=None if carry is None else dict(carry))
    file = None
    if checkpoint:
        settings: dict[str, Any] = {"learning rates": rates, "clip": clip, "accumulate": accumulate, "every": every}
        settings |= {"device": device.type, "precision": precision}
        file = Checkpoint(Path(checkpoint), model, [*optimisers, scaler], device, settings)
        now = file.load() or now
    groups = [group for one in optimisers for group in one.param_groups]  # only now: loading makes new ones
    weights = [weight for group in groups for weight in group["params"]]

    def measure(batch: Batch, carried: dict[str, Any] | None) -> tuple[Tensor, int]:
        more = () if carried is None else (carried,)
        with torch.autocast(device.type, getattr(torch, precision), enabled=precision != "float32"):
            value, tokens = loss(model, to_device(batch, device), *more)
        return value, int(tokens)

    def reason_to_stop() -> str:
        if steps is not None and now.step >= steps:
            return "steps"
        if seconds is not None and now.seconds >= seconds:
            return "seconds"
        return "patience" if patience and now.validations_since_best >= patience else ""

    bar = _progress_bar(progress, steps, now.step)
    losses: list[Tensor] = []  # of every batch since the last row; only read there, because reading waits for the GPU
    counts: list[int] = []  # and their tokens
    saved = now.step
    begin = clock()
    while not reason_to_stop():
        share = now.step / steps if steps else now.seconds / seconds if seconds else 0.0
        factor = schedule(now.step, share) if schedule else 1.0
        for group, full in zip(groups, rates, strict=True):
            group["lr"] = full * factor
        for one in optimisers:
            one.zero_grad()
        for number in range(now.step * accumulate, (now.step + 1) * accumulate):
            value, tokens = measure(batches(number), now.carry)
            if tokens < 1:
                raise ValueError(f"Step {now.step}: batches({number}) has no token to predict; leave such batches out.")
            scaler.scale(value * tokens if accumulate > 1 else value).backward()
            losses.append(value.detach())
            counts.append(tokens)
        step_tokens = sum(counts[-accumulate:])
        for one in optimisers:
            scaler.unscale_(one)
        if accumulate > 1:  # from the sum over all tokens of the step to the mean
            for weight in weights:
                if weight.grad is not None:
                    weight.grad /= step_tokens
        if clip is not None:
            nn.utils.clip_grad_norm_(weights, clip)
        for one in optimisers:
            scaler.step(one)
        scaler.update()
        now.step, now.tokens = now.step + 1, now.tokens + step_tokens
        bar.update()
        if now.step % every == 0 or now.step == steps:
            synchronise(device)  # a GPU works on after Python has gone on: wait, or its time is lost from sight
        last, begin = begin, clock()
        now.seconds += begin - last

        if now.step % every == 0 or reason_to_stop():
            train_loss = _mean(losses, counts, "train", now.step - len(losses) // accumulate, accumulate)
            validation_loss = math.nan
            if validation is not None:
                validation_loss = _validate(model, validation, measure, None if carry is None else {}, now.step)
                if patience:
                    now.note(validation_loss, model)
            now.rows.append((now.step, train_loss, validation_loss, groups[0]["lr"], now.tokens, now.seconds))
            bar.set_postfix({"loss": f"{train_loss:.3f}", "tokens/s": f"{now.tokens / max(now.seconds, 1e-9):,.0f}"})
            losses, counts = [], []
            if watch:
                watch(now.history())
            if file and (now.step - saved >= (save_every or 1) or reason_to_stop()):
                file.save(now)  # after watch, which may draw random numbers
                saved = now.step
            model.train()
            begin = clock()
    bar.close()
    if now.best_weights:
        model.load_state_dict(now.best_weights)
    model.eval()
    history = now.history()
    history.attrs["stopped"] = reason_to_stop()
    return history


def _check(
    batches: Any, steps: int | None, seconds: float | None, validation: Any, patience: int | None, least: int
) -> None:
    if not callable(batches):
        raise TypeError(
            "batches must be a function, step -> batch; for a list write batches=lambda i: data[i % len(data)]."
        )
    if steps is None and seconds is None:
        raise ValueError("How long? Give steps, seconds, or both.")
    if (steps is not None and steps < 1) or (seconds is not None and seconds <= 0) or least < 1:
        raise ValueError("steps, seconds, accumulate, every and save_every must be positive.")
    if validation is not None and len(validation) == 0:
        raise ValueError("validation holds no batch; leave it out or put some in.")
    if patience is not None and (validation is None or patience < 1):
        raise ValueError("patience counts validations: it needs validation batches and must be at least 1.")


@torch.no_grad()
def _validate(
    model: nn.Module,
    batches: Sequence[Batch],
    measure: Callable[[Batch, dict[str, Any] | None], tuple[Tensor, int]],
    carry: dict[str, Any] | None,
    step: int,
) -> float:
    model.eval()
    found = [measure(batch, carry) for batch in batches]
    for number, (_, tokens) in enumerate(found):
        if tokens < 1:
            raise ValueError(f"Validation batch {number} has no token to predict; leave such batches out.")
    return _mean([value for value, _ in found], [tokens for _, tokens in found], "validation", step, len(found))


def _mean(losses: Sequence[Tensor], counts: Sequence[int], name: str, first_step: int, accumulate: int) -> float:
    """Mean loss per token, all batches together; an error that names the step if one is not finite."""
    values = torch.stack(list(losses)).double().tolist()
    for i, value in enumerate(values):
        if not math.isfinite(value):
            raise FloatingPointError(
                f"Step {first_step + i // accumulate}: the {name} loss is {value}. Lower the learning rate, clip the "
                "gradient (clip=1.0), warm up, or look for log(0) and division by zero in the model or this batch."
            )
    return math.fsum(value * count for value, count in zip(values, counts, strict=True)) / sum(counts)


def _progress_bar(show: bool | None, total: int | None, done: int) -> Any:
    """Nothing where nobody looks: what a cell writes to stderr counts as a failure when it is graded."""
    if show is None:
        show = "JPY_SESSION_NAME" in os.environ or sys.stderr.isatty()
    if show:
        from tqdm.auto import tqdm
    else:
        from tqdm import tqdm
    return tqdm(total=total, initial=done, unit="step", disable=not show)
