"""Training what is recorded. Chapters do not come here: they read what was kept."""

import hashlib
import json
import math
import platform
import shutil
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Optimizer

from lmkit import kitchen
from lmkit.kitchen import Document
from lmkit.models import Neural, answers, build, by_place, encode, nats_per_token, parameter_count, write
from lmkit.optimizers import adamw, muon
from lmkit.pretrain.record import device_name, git_commit
from lmkit.runs.configs import RunConfig, Study
from lmkit.runs.text import NO_TARGET, Stories, digest, pair, shard, spelled, vocabulary
from lmkit.training import set_seed, train, warmup_cosine

PROBED = 60_000  # tokens of fresh text
ROWS = 24  # of the history, each with a validation
EDGES = (0, 1, 2, 4, 8, 16, 32, 64, 128, 1_000)  # places in a story
WORDS_OF_TEST = 50_000


def optimisers(config: RunConfig, network: nn.Module) -> list[Optimizer]:
    """Those that the config asks for, at its rates."""
    if config.optimiser == "muon":
        return muon(network, network.blocks, config.rate, config.adam_rate, config.decay, config.betas)  # type: ignore[arg-type]
    if config.optimiser == "sgd":
        return [torch.optim.SGD(network.parameters(), lr=config.rate, momentum=0.9)]
    return [adamw(network, config.rate, config.decay, config.betas)]


def story_loss(network: nn.Module, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, int]:
    """Mean of -ln P(target) over the tokens of a batch of stories, and their number."""
    inputs, targets = batch
    kept = targets != NO_TARGET
    return F.cross_entropy(network(inputs)[kept], targets[kept]), int(kept.sum())


def trained(config: RunConfig, seed: int, checkpoint: Path | None = None) -> tuple[nn.Module, pd.DataFrame]:
    """The network of one seed and its history; seconds are CPU seconds of training, making the text not counted."""
    torch.set_num_threads(config.threads)
    symbols = vocabulary(config.level)
    set_seed(seed)
    network = build(config.network, len(symbols), **config.sizes)
    stories = Stories(symbols, config.level, config.batch, seed)
    history = train(
        network,
        stories,
        story_loss,
        steps=config.steps,
        optimiser=optimisers(config, network),
        schedule=warmup_cosine(config.warmup, lowest=0.0),
        clip=config.clip,
        validation=_validation(config.level),
        every=max(1, config.steps // ROWS),
        checkpoint=checkpoint,
        device="cpu",
        precision="float32",
        clock=lambda: time.process_time() - stories.seconds,
    )
    return network, history


@lru_cache
def _validation(level: str) -> list[tuple[Tensor, Tensor]]:
    """Some stories of the frozen split "valid", longest last."""
    symbols = vocabulary(level)
    texts = encode(symbols, [spelled(story, level) for story in kitchen.split("valid")[:96]])
    texts.sort(key=len)
    return [pair(texts[i : i + 16], symbols.index("</s>")) for i in range(0, len(texts), 16)]


@lru_cache
def _test(level: str) -> tuple[list[list[str]], float, float]:
    """Stories of the frozen split "test" as tokens, and their floor in nats per token with its standard error."""
    stories: list[Document] = []
    for story in kitchen.split("test"):
        if sum(map(len, stories)) >= WORDS_OF_TEST:
            break
        stories.append(story)
    return _with_floor(stories, level)


def _with_floor(stories: Sequence[Document], level: str) -> tuple[list[list[str]], float, float]:
    texts = [spelled(story, level) for story in stories]
    floor = kitchen.floor(stories, set(vocabulary("word")) if level == "word" else None)
    share = floor.tokens / sum(map(len, texts))  # the same surprise, over more tokens
    return texts, floor.nats * share, floor.nats_error * share


def measured(config: RunConfig, network: nn.Module) -> dict[str, Any]:
    """What is asked of every network when its training is over."""
    model = Neural(network, vocabulary(config.level))
    texts, floor, error = _test(config.level)
    nats = nats_per_token(model, texts)
    found: dict[str, Any] = {
        "test nats": nats,
        "floor nats": floor,
        "floor error": error,
        "bits above the floor": (nats - floor) / math.log(2),
        "parameters": parameter_count(network),
    }
    if config.level == "character":
        return found
    found["nats by place"] = dict(zip(map(str, EDGES), by_place(model, texts, EDGES), strict=False))
    fresh = kitchen.documents(tokens=PROBED, seed=13)
    table: dict[str, list[bool]] = defaultdict(list)
    for kind in ("agreement", "companion", "copying"):
        for answer in answers(model, kitchen.probes_in(kind, fresh)):
            table[answer.probe.band].append(answer.right)
    found["probes"] = {name: [sum(right), len(right)] for name, right in sorted(table.items())}
    return found


def make(config: RunConfig, command: str, out: Path, seeds: Sequence[int] | None = None) -> None:
    """Train every seed that is not yet there, measure it, and write the run's folder once all are.

    A killed run goes on where its last checkpoint was. `state/` holds what is unfinished; it is deleted at the end.
    """
    state = out / "state"
    state.mkdir(parents=True, exist_ok=True)
    for seed in seeds or config.seeds:
        if _of(state, seed, "json").exists():
            continue
        network, history = trained(config, seed, state / f"seed-{seed}.checkpoint")
        numbers = measured(config, network)
        numbers["CPU seconds"] = float(history["seconds"].iloc[-1])
        numbers["tokens"] = int(history["tokens"].iloc[-1])
        history.insert(0, "seed", seed)
        history.to_csv(_of(state, seed, "csv"), index=False, float_format="%.5g")
        torch.save({name: value.half() for name, value in network.state_dict().items()}, _of(state, seed, "pt"))
        _of(state, seed, "json").write_text(json.dumps(numbers, indent=1))
        print(f"{config.name}, seed {seed}: {numbers['bits above the floor']:.4f} bits above the floor,", end=" ")
        print(f"{numbers['CPU seconds']:.0f} CPU seconds", flush=True)
    if all(_of(state, seed, "json").exists() for seed in config.seeds):
        _finish(config, command, out, state)


def _of(state: Path, seed: int, suffix: str) -> Path:
    return state / f"seed-{seed}.{suffix}"


def _finish(config: RunConfig, command: str, out: Path, state: Path) -> None:
    """Gather the seeds, keep the first one's weights, and say where all came from."""
    numbers = {str(seed): json.loads(_of(state, seed, "json").read_text()) for seed in config.seeds}
    history = pd.concat([pd.read_csv(_of(state, seed, "csv")) for seed in config.seeds])
    history.to_csv(out / "history.csv", index=False)
    kept = ["history.csv"]
    if config.weights:
        shutil.copy(_of(state, config.seeds[0], "pt"), out / "weights.pt")
        network = build(config.network, len(vocabulary(config.level)), **config.sizes)
        network.load_state_dict({n: value.float() for n, value in torch.load(out / "weights.pt").items()})
        model = Neural(network, vocabulary(config.level))
        numbers["weights"] = {"valid nats": nats_per_token(model, valid_texts(config.level))}
        (out / "samples.txt").write_text("\n".join(_samples(model, config)) + "\n")
        kept += ["weights.pt", "samples.txt"]
    (out / "numbers.json").write_text(json.dumps(numbers, indent=1) + "\n")
    kept.append("numbers.json")
    _write_record(out, config.name, command, asdict(config), kept)
    shutil.rmtree(state)


def valid_texts(level: str) -> list[list[str]]:
    """The stories on which stored weights are tried again: the first of the frozen split "valid"."""
    return [spelled(story, level) for story in kitchen.split("valid")[:96]]


def _samples(model: Neural, config: RunConfig) -> list[str]:
    """Stories that the model makes up: how each was drawn, a tab, and its tokens."""
    most = 200 if config.level == "word" else 600
    found = []
    for number, temperature in enumerate((1.0, 1.0, 0.7, 0.7)):
        generator = torch.Generator().manual_seed(number)
        found.append((f"temperature {temperature}", write(model, generator, most=most, temperature=temperature)))
    between = " " if config.level == "word" else ""
    return [f"{name}\t{between.join(tokens)}" for name, tokens in found]


def make_study(study: Study, command: str, out: Path) -> None:
    """Train what the study asks for; results.csv has a row for each run as soon as it is over."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / "results.csv"
    rows: list[dict[Any, Any]] = pd.read_csv(file).to_dict("records") if file.exists() else []

    def result(variant: str, rate: float, seed: int) -> float:
        for row in rows:
            if (row["variant"], row["rate"], row["seed"]) == (variant, rate, seed):
                return float(row["valid nats"])
        rows.append({"variant": variant, "rate": rate, "seed": seed, **_tried(study.config(variant, rate), seed)})
        pd.DataFrame(rows).to_csv(file, index=False)
        print(f"{study.name}: {rows[-1]}", flush=True)
        return float(rows[-1]["valid nats"])

    for variant in study.variants:
        tried = {rate: result(variant, rate, study.tuning_seed) for rate in study.rates_of(variant)}
        best = min(tried, key=lambda rate: math.inf if math.isnan(tried[rate]) else tried[rate])
        for seed in study.seeds:
            result(variant, best, seed)
    _write_record(out, study.name, command, asdict(study), ["results.csv"])


def _tried(config: RunConfig, seed: int) -> dict[str, float]:
    """What is kept of one run of a study; the loss is not a number if it diverged, and that is a result too."""
    try:
        network, history = trained(config, seed)
    except FloatingPointError:
        return {"valid nats": math.nan, "CPU seconds": math.nan, "parameters": math.nan}
    nats = nats_per_token(Neural(network, vocabulary(config.level)), valid_texts(config.level))
    seconds = float(history["seconds"].iloc[-1])
    return {"valid nats": round(nats, 5), "CPU seconds": round(seconds, 1), "parameters": parameter_count(network)}


def _write_record(out: Path, name: str, command: str, config: dict[str, Any], kept: Sequence[str]) -> None:
    record = {
        "name": name,
        "command": command,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": git_commit(),
        "config": config,
        "text": {"first training stories": digest(shard(100_000, 16))},
        "machine": {
            "device": device_name(torch.device("cpu")),
            "threads": torch.get_num_threads(),
            "system": platform.platform(),
            "python": platform.python_version(),
            "torch": torch.__version__,
        },
        "sha256": {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in kept},
    }
    (out / "record.json").write_text(json.dumps(record, indent=1) + "\n")
