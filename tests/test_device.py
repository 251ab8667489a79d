"""All of lmkit's training on a device that is not the CPU (tests/pretend_device.py), and what that device is."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from pretend_device import pretend
from torch import nn
from torch.nn import functional as F

from lmkit import kitchen
from lmkit.models import Neural, build, by_band, by_place, nats_per_token, write
from lmkit.models.masked import BOTH_SIDES, MASK, PAD, BothSides, build_both, filled
from lmkit.ngrams import END, UNKNOWN
from lmkit.optimizers import adamw, muon
from lmkit.runs import CONFIGS, load, run, stories
from lmkit.runs.configs import SIZES
from lmkit.runs.processes import Processes
from lmkit.training import set_seed, to_device, train
from lmkit.transformer import Transformer, TransformerConfig

WORDS = [PAD, MASK, UNKNOWN, END, *"abcdefgh"]
TEXTS = [["a", "b", "c", "d", END], ["e", "f", END], ["g", "a", "h", "b", "a", "c", END]]


@pytest.fixture
def device() -> Iterator[torch.device]:
    with pretend() as there:
        yield there


# ---- the device itself


def test_it_refuses_what_a_gpu_refuses(device: torch.device) -> None:
    there, here = torch.arange(3.0).to(device), torch.arange(3.0)
    assert there.device.type == "pretend" and (there * 2 + 1).cpu().tolist() == [1, 3, 5]
    for mixed in (lambda: there + here, lambda: there[here.long()].add_(here), lambda: torch.cat([there, here])):
        with pytest.raises(RuntimeError, match="same device"):
            mixed()
    with pytest.raises(TypeError, match="cpu"):
        there.numpy()
    assert torch.ones(2, device=device).device.type == "pretend" and float(there.sum()) == 3
    layer = nn.Linear(3, 2).to(device)
    with pytest.raises(RuntimeError, match="same device"):
        layer(here)
    layer(there).sum().backward()
    assert layer.weight.grad is not None and layer.weight.grad.device.type == "pretend"


# ---- training


def test_training_stays_where_the_model_is_and_goes_on_there(device: torch.device, tmp_path: Path) -> None:
    data = torch.randint(0, 12, (64, 9), generator=torch.Generator().manual_seed(1))

    def learned(where: torch.device | str, **more: object) -> tuple[nn.Module, list[float]]:
        set_seed(1)
        model = Transformer(TransformerConfig(12, block=8, layers=2, heads=2, width=16)).to(where)
        history = train(
            model,
            lambda step: (data[step % 8 * 8 :][:8, :-1], data[step % 8 * 8 :][:8, 1:]),
            lambda model, batch: (model(*batch), batch[1].numel()),
            optimiser=muon(model, model.blocks),
            validation=[(data[:8, :-1], data[:8, 1:])],
            every=2,
            progress=False,
            **more,
        )
        return model, history["train loss"].tolist()

    model, losses = learned(device, steps=6)
    assert {weight.device.type for weight in model.parameters()} == {"pretend"}
    assert losses == pytest.approx(learned("cpu", steps=6)[1], abs=1e-5)
    learned(device, steps=4, checkpoint=tmp_path / "there")
    _, whole = learned(device, steps=6, checkpoint=tmp_path / "there")
    assert whole == pytest.approx(losses, abs=1e-6)
    with pytest.raises(ValueError, match="device: pretend there, cpu here"):
        learned("cpu", steps=8, checkpoint=tmp_path / "there")


def test_a_carried_state_stays_there_too(device: torch.device) -> None:
    cell = nn.LSTM(4, 4, batch_first=True).to(device)

    def loss(model: nn.Module, x: torch.Tensor, carry: dict[str, object]) -> tuple[torch.Tensor, int]:
        out, state = model(x, carry.get("state"))
        carry["state"] = tuple(part.detach() for part in state)
        return out.square().mean(), x.shape[1]

    train(cell, lambda step: torch.ones(2, 3, 4), loss, steps=3, carry={}, progress=False)
    assert {part.device.type for part in to_device({"a": (torch.ones(2),)}, device)["a"]} == {"pretend"}


@pytest.mark.parametrize("network", ["window", "rnn", "lstm", "transformer"])
def test_networks_score_and_write_there(device: torch.device, network: str) -> None:
    sizes = {"window": {"width": 8, "hidden": 8}, "transformer": {"width": 8, "heads": 2, "layers": 1, "block": 16}}
    set_seed(2)
    built = build(network, len(WORDS), **sizes.get(network, {"width": 8, "hidden": 8}))
    here = Neural(built, WORDS)
    nats, places = nats_per_token(here, TEXTS), by_place(here, TEXTS, (0, 2, 9))
    text = write(here, torch.Generator().manual_seed(1), max_tokens=8)
    there = Neural(built.to(device), WORDS)
    assert nats_per_token(there, TEXTS) == pytest.approx(nats, abs=1e-5)
    assert by_place(there, TEXTS, (0, 2, 9)) == pytest.approx(places, abs=1e-5)
    assert write(there, torch.Generator().manual_seed(1), max_tokens=8) == text
    F.cross_entropy(
        built(torch.zeros(2, 5, dtype=torch.int64, device=device)).flatten(0, 1),
        torch.zeros(10, dtype=torch.int64, device=device),
    ).backward()
    adamw(built).step()


def test_probes_are_asked_there(device: torch.device) -> None:
    texts = kitchen.documents(tokens=3_000, seed=5)
    symbols = [UNKNOWN, END, *sorted({word for text in texts for word in text.tokens} - {END})]
    probes = kitchen.probes_in("companion", texts)
    network = build("lstm", len(symbols), width=8, hidden=8)
    here = by_band(Neural(network, symbols), probes)
    assert by_band(Neural(network.to(device), symbols), probes) == here and here


@pytest.mark.parametrize("positions", ["learned", "rotary", "none"])
def test_the_transformer_writes_there_with_its_cache(device: torch.device, positions: str) -> None:
    set_seed(3)
    config = TransformerConfig(9, block=6, layers=2, heads=2, width=8, positions=positions, shift=True)
    model = Transformer(config).to(device)
    begin = torch.tensor([[1, 2]], device=device)
    with_cache, without = (model.generate(begin, 9, temperature=0, cache=cache) for cache in (True, False))
    assert with_cache.cpu().tolist() == without.cpu().tolist() and with_cache.device.type == "pretend"


@pytest.mark.parametrize("name", BOTH_SIDES)
def test_models_that_read_both_sides_fill_in_there(device: torch.device, name: str) -> None:
    set_seed(4)
    network = build_both(name, len(WORDS), width=8)
    blanks = [(0, 1), (2, 3), (1, 0)]
    here, _ = filled(BothSides(network, WORDS), TEXTS, blanks)
    there, _ = filled(BothSides(network.to(device), WORDS), TEXTS, blanks)
    assert np.allclose(here, there, atol=1e-5)


# ---- the house of runs


@pytest.mark.parametrize("level", ["word", "bpe"])
def test_a_run_on_a_text_from_training_to_writing(device: torch.device, tmp_path: Path, level: str) -> None:
    (tmp_path / "a.txt").write_text("one two three four five, once upon a time. " * 60)
    config = replace(CONFIGS["tiny"], corpus=str(tmp_path / "a.txt"), level=level, steps=4, every=2, sample_tokens=5)
    run.make(config, tmp_path / "there", processes=Processes(device=device))
    run.make(config, tmp_path / "here")
    one, other = (load(tmp_path / name) for name in ("there", "here"))
    for name in ("valid nats", "bits per byte", "validation loss"):
        assert one.each(name) == pytest.approx(other.each(name), abs=1e-4)
    assert one.write("one", 4, seed=2) == other.write("one", 4, seed=2)


@pytest.mark.parametrize("network", ["lstm", "transformer"])
def test_a_run_on_fresh_stories(
    device: torch.device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, network: str
) -> None:
    monkeypatch.setattr("lmkit.runs.stories.PROBED", 500)
    monkeypatch.setattr("lmkit.runs.stories.LONGEST_SAMPLE", 12)
    monkeypatch.setattr("lmkit.runs.stories.WORDS_OF_TEST", 300)
    monkeypatch.setattr("lmkit.runs.stories.valid_texts", lambda level: TEXTS)
    sizes = {**SIZES[network], "width": 16, **({"hidden": 8} if network == "lstm" else {"layers": 1})}
    config = replace(
        CONFIGS["tiny"],
        network=network,
        sizes=sizes,
        corpus=None,
        optimiser="adamw",
        rate=1e-3,
        steps=2,
        batch=4,
        every=1,
    )
    stories._test.cache_clear()
    run.make(config, tmp_path, processes=Processes(device=device))
    stories._test.cache_clear()
    assert load(tmp_path).each("test nats")[0] > 0 and load(tmp_path).samples
