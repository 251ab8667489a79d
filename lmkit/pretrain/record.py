"""What is kept of a run, so that anybody can see where its figures come from, and make them again."""

import hashlib
import json
import math
import os
import platform
import shlex
import subprocess
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from lmkit.pretrain.configs import PretrainConfig
from lmkit.pretrain.processes import Processes
from lmkit.pretrain.text import Text

# Dense bfloat16 products with sums in float32, operations per second, as several tables quote them from NVIDIA's data
# sheets (half of what those print for sparse matrices). Names as torch.cuda.get_device_name gives them. No entry, no
# figure.
PEAK_BFLOAT16 = {
    "NVIDIA A10": 125e12,
    "NVIDIA A100-PCIE-40GB": 312e12,
    "NVIDIA A100-SXM4-40GB": 312e12,
    "NVIDIA A100-SXM4-80GB": 312e12,
    "NVIDIA A100 80GB PCIe": 312e12,
    "NVIDIA H100 PCIe": 756e12,
    "NVIDIA H100 80GB HBM3": 989e12,
    "NVIDIA H200": 989e12,
    "NVIDIA L4": 121e12,
    "NVIDIA L40S": 362e12,
}


def device_name(device: torch.device) -> str:
    """The name of the GPU, or of the processor."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def utilisation(
    flops_per_token: int, tokens_per_second: float, name: str, precision: str, devices: int
) -> float | None:
    """Model FLOP utilisation: the share of the devices' peak that the model's own products make up.

    None where the peak of that device, or of that number format on it, is not known.
    """
    peak = PEAK_BFLOAT16.get(name) if precision == "bfloat16" else None
    return flops_per_token * tokens_per_second / (peak * devices) if peak else None


def percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.1f} %"


def with_speed(history: pd.DataFrame) -> pd.DataFrame:
    """The history, with the speed between rows in tokens per second."""
    before = history[["tokens", "seconds"]].shift(fill_value=0)
    speed = (history["tokens"] - before["tokens"]) / (history["seconds"] - before["seconds"])
    return history.assign(**{"tokens per second": speed.round(1)})


def command_line(arguments: list[str], processes: Processes) -> str:
    """The command that starts this run."""
    start = ["python"]
    if processes.count > 1:
        here = int(os.environ.get("LOCAL_WORLD_SIZE", processes.count))
        nodes = [f"--nnodes={processes.count // here}"] if processes.count > here else []
        start = ["torchrun", *nodes, f"--nproc_per_node={here}"]
    return shlex.join([*start, "-m", "lmkit.pretrain", *arguments])


def git_commit() -> str:
    """The commit of the code, with "+ changes" if files of lmkit differ from it; "unknown" outside a repository."""
    folder = Path(__file__).resolve().parent.parent
    try:
        found = [
            subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
            for words in (["rev-parse", "HEAD"], ["status", "--porcelain", "."])
        ]
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found[0] + (" + changes" if found[1] else "")


def make_record(
    config: PretrainConfig, text: Text, command: str, processes: Processes, precision: str, results: dict[str, Any]
) -> dict[str, Any]:
    """Everything about a run but its files: what it was, where it ran, what came out."""
    model = config.model
    return {
        "name": config.name,
        "command": command,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": git_commit(),
        "config": asdict(config),
        "parameters": model.parameter_count,
        "flops per token": model.flops_per_token,
        "text": {
            "name": text.name,
            "level": text.level,
            "sha256": text.sha256,
            "symbols": len(text.symbols),
            "training tokens": len(text.train),
            "validation tokens": len(text.valid),
        },
        "machine": {
            "device": device_name(processes.device),
            "processes": processes.count,
            "threads": torch.get_num_threads(),
            "precision": precision,
            "system": platform.platform(),
            "python": platform.python_version(),
            "torch": torch.__version__,
            "cuda": torch.version.cuda,
        },
        "results": {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in results.items()
        },
    }


def write(path: Path, content: str | bytes) -> None:
    """Beside its place and then there: nobody ever sees half a file."""
    beside = path.with_name(path.name + ".writing")
    beside.write_bytes(content.encode() if isinstance(content, str) else content)
    beside.replace(path)


def finish(out: Path, record: dict[str, Any], history: pd.DataFrame, floor: float | None) -> None:
    """Write loss.png, and record.json with the SHA-256 of each file beside it."""
    write(out / "loss.png", loss_figure(history, floor))
    files = ("log.txt", "history.csv", "samples.txt", "loss.png")
    hashes = {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in files}
    write(out / "record.json", json.dumps({**record, "sha256": hashes}, indent=1) + "\n")


def loss_figure(history: pd.DataFrame, floor: float | None) -> bytes:
    """Loss against step as PNG, with the floor where it is known."""
    import matplotlib.pyplot as plt

    from lmkit.plots import picture
    from lmkit.training import plot_loss

    figure, axes = plt.subplots(figsize=(7, 3.2))
    plot_loss(history, axes)
    if floor is not None:
        axes.axhline(floor, linestyle=":", color="black", label="floor: no model can do better")
        axes.legend()
    image = picture(figure)
    plt.close(figure)
    return image
