"""What is kept of a run, so that anybody can see where its figures come from, make them again, and use the model."""

import hashlib
import json
import math
import os
import platform
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from lmkit.files import write_whole
from lmkit.runs.processes import Processes

# Dense bfloat16 products with sums in float32, operations per second, from NVIDIA's data sheets (half of what those
# print for sparse matrices), by a word of the device's name; the first that fits. No entry, no figure.
PEAK_BFLOAT16 = {
    "B200": 2250e12,
    "GH200": 989e12,
    "H200": 989e12,
    "H100 NVL": 835e12,
    "H100 PCIe": 756e12,
    "H100": 989e12,
    "A100": 312e12,
    "A10": 125e12,
    "L40S": 362e12,
    "L4": 121e12,
    "RTX 4090": 165e12,
}
SHARD = 15_000_000  # bytes of a file of weights


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
    peaks = [peak for word, peak in PEAK_BFLOAT16.items() if re.search(rf"\b{word}\b", name)]
    return flops_per_token * tokens_per_second / (peaks[0] * devices) if peaks and precision == "bfloat16" else None


def percent(share: float | None) -> str:
    """A share to read."""
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


def finish(
    out: Path, name: str, command: str, config: Any, kept: Sequence[str], text: Mapping[str, Any], processes: Processes
) -> None:
    """Write record.json: what was run, by which command, on what, and the SHA-256 of each file that was kept."""
    record = {
        "name": name,
        "command": command,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": git_commit(),
        "config": asdict(config) if is_dataclass(config) and not isinstance(config, type) else config,
        "text": text,
        "machine": {
            "device": device_name(processes.device),
            "processes": processes.count,
            "threads": torch.get_num_threads(),
            "system": platform.platform(),
            "python": platform.python_version(),
            "torch": torch.__version__,
            "cuda": torch.version.cuda,
        },
        "sha256": {file: hashlib.sha256((out / file).read_bytes()).hexdigest() for file in kept},
    }
    write_json(out / "record.json", record)


def write_json(path: Path, content: Any) -> None:
    """JSON to read; a number that is not finite becomes null."""
    write_whole(path, (json.dumps(_finite(content), indent=1) + "\n").encode())


def _finite(content: Any) -> Any:
    if isinstance(content, Mapping):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def save_weights(folder: Path, weights: Mapping[str, Tensor]) -> list[str]:
    """Write the weights in half precision, in files of some 15 MB at most; the names of these: weights.pt, ..."""
    shards: list[dict[str, Tensor]] = [{}]
    size = 0
    for name, weight in weights.items():
        half = weight.detach().half().cpu()
        size += half.nbytes
        if size > SHARD and shards[-1]:
            shards.append({})
            size = half.nbytes
        shards[-1][name] = half
    files = ["weights.pt", *(f"weights-{number}.pt" for number in range(2, len(shards) + 1))]
    for file, shard in zip(files, shards, strict=True):
        write_whole(folder / file, partial(torch.save, shard))
    return files


def load_weights(folder: Path) -> dict[str, Tensor]:
    """What `save_weights` wrote, in float32 on the CPU."""
    found: dict[str, Tensor] = {}
    for file in sorted(folder.glob("weights*.pt")):
        found.update(torch.load(file, map_location="cpu", weights_only=True))
    return {name: weight.float() for name, weight in found.items()}


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
