"""What needs a GPU (marked `gpu`: `python -m benchmarks.gpu` runs it), and that command, rehearsed without one."""

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lmkit.models import Neural, build, nats_per_token
from lmkit.optimizers import Muon, adamw, muon, nearly_orthogonal
from lmkit.runs import CONFIGS, load
from lmkit.runs.processes import Processes
from lmkit.runs.run import make
from lmkit.training import set_seed, train
from lmkit.training.tools import usual_precision
from lmkit.transformer import Transformer, TransformerConfig

CUDA = torch.device("cuda")
ON_GPU = pytest.mark.gpu
TEXTS = [["a", "b", "c", "</s>"], ["c", "a", "</s>"]]
SMALL = replace(CONFIGS["tiny"], steps=40, every=10, tokens=20_000, warmup=5)
SHAPE = TransformerConfig(50, block=64, layers=2, heads=2, width=64)


def learned(where: torch.device, **options: object) -> list[float]:
    """The losses of 30 steps on a text that repeats."""
    set_seed(1)
    model = Transformer(SHAPE).to(where)
    rows = torch.arange(65).remainder(50).expand(8, -1)
    history = train(
        model,
        lambda step: (rows[:, :-1], rows[:, 1:]),
        lambda model, batch: (model(*batch), batch[1].numel()),
        steps=30,
        every=10,
        progress=False,
        optimiser=adamw(model, 3e-3),
        **options,
    )
    return list(history["train loss"])


@ON_GPU
def test_float32_learns_as_on_a_cpu() -> None:
    assert learned(CUDA, precision="float32") == pytest.approx(learned(torch.device("cpu")), abs=2e-2)


@ON_GPU
def test_bfloat16_is_the_default_where_it_is_fast_and_learns_too() -> None:
    if torch.cuda.get_device_capability() >= (8, 0):
        assert usual_precision(CUDA) == "bfloat16"
    assert learned(CUDA)[-1] < 0.5 * learned(CUDA)[0]


@ON_GPU
def test_fused_attention_is_taken() -> None:
    q = torch.randn(2, 4, 128, 64, device=CUDA, dtype=torch.bfloat16)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION):
        mixed = torch.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)
    assert torch.isfinite(mixed).all()


@ON_GPU
@pytest.mark.parametrize("compiled", [False, True])
def test_a_run_ends_with_a_model_that_scores_alike_on_both(tmp_path: Path, compiled: bool) -> None:
    make(replace(SMALL, compiled=compiled), tmp_path / "out", processes=Processes(device=CUDA))
    run = load(tmp_path / "out")
    here = nats_per_token(Neural(run.network, run.spelling.symbols), [["</s>"]])
    there = nats_per_token(Neural(run.network.to(CUDA), run.spelling.symbols), [["</s>"]])
    assert there == pytest.approx(here, abs=1e-3) and math.isfinite(here)
    assert run.each("valid nats")[0] < math.log(len(run.spelling.symbols))


@ON_GPU
def test_compiled_muon_steps_as_plain_muon() -> None:
    weights = [torch.nn.Parameter(torch.randn(64, 32, device=CUDA)) for _ in range(6)]
    copies = [torch.nn.Parameter(weight.detach().clone()) for weight in weights]
    for weight, copy in zip(weights, copies, strict=True):
        weight.grad = torch.randn_like(weight)
        copy.grad = weight.grad.clone()
    Muon(weights, lr=0.1).step()
    Muon(copies, lr=0.1, compiled=True).step()
    for weight, copy in zip(weights, copies, strict=True):
        torch.testing.assert_close(weight, copy, atol=5e-3, rtol=0)
    values = torch.linalg.svdvals(nearly_orthogonal(torch.randn(3, 64, 32, device=CUDA)))
    assert float(values.min()) > 0.3 and float(values.max()) < 1.7


@ON_GPU
def test_recurrent_networks_train_there_with_muon_and_adamw_on_their_own_device() -> None:
    network = build("lstm", 10, width=16, hidden=16).to(CUDA)
    rows = torch.arange(20).remainder(10).expand(4, -1)
    train(
        network,
        lambda step: rows,
        lambda model, batch: (model(batch).flatten(0, 1).float().logsumexp(-1).mean(), batch.numel()),
        steps=3,
        progress=False,
    )
    assert {weight.device.type for weight in network.parameters()} == {"cuda"}
    model = Transformer(SHAPE).to(CUDA)
    assert all(
        weight.device.type == "cuda"
        for one in muon(model, model.blocks)
        for group in one.param_groups
        for weight in group["params"]
    )


def test_the_command_for_the_day_rehearsed(tmp_path: Path) -> None:
    """The parts in small, on a CPU, one chapter only and the beginning of another; no file above 16 MB."""
    (tmp_path / "text.txt").write_text("To be, or not to be, that is the question. " * 200)
    environment = {**os.environ, "LMKIT_DEVICE": "cpu", "OMP_NUM_THREADS": "1"}
    words = [sys.executable, "-m", "benchmarks.gpu", "--out", tmp_path / "day", "--text", tmp_path / "text.txt"]
    refused = subprocess.run([*map(str, words)], env=environment, capture_output=True, text=True)
    assert refused.returncode == 1 and "there is no CUDA device here" in refused.stderr
    done = subprocess.run([*map(str, words), "--rehearse"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    parts = json.loads((tmp_path / "day" / "gpu.json").read_text())["parts"]
    assert list(parts) == ["big", "resume", "characters", "chapters", "learner"]
    assert all(part["ok"] for part in parts.values())
    assert parts["resume"]["says"].startswith("Going on from step")
    assert load(tmp_path / "day" / "characters").spelling.level == "character"
    assert max(file.stat().st_size for file in (tmp_path / "day").rglob("*") if file.is_file()) < 16e6
