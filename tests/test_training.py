"""The training loop: each promise of its docstring, and a run that is killed and goes on as if nothing had happened."""

import itertools
import math
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lmkit.budgets import budget
from lmkit.training import choose_device, live_plot, plot_loss, set_seed, shuffled, train, warmup_cosine

INPUTS = torch.randn(96, 5, generator=torch.Generator().manual_seed(1))
TARGETS = (INPUTS @ torch.tensor([1.0, -2.0, 0.5, 0.0, 1.0]) > 0).long()


def classifier() -> nn.Module:
    set_seed(3)
    return nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 2))


def batches(step: int, size: int = 8) -> tuple[Tensor, Tensor]:
    chosen = shuffled(len(INPUTS), size, seed=5)(step)
    return INPUTS[chosen], TARGETS[chosen]


def loss(model: nn.Module, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, int]:
    return F.cross_entropy(model(batch[0]), batch[1]), len(batch[1])


class One(nn.Module):
    """A single weight, so that every update can be worked out by hand; `loss` is weight * batch, gradient = batch."""

    def __init__(self, start: float = 0.0) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(start))


def slope(model: nn.Module, batch: float) -> tuple[Tensor, int]:
    return model.weight * batch, 1


def plain(model: nn.Module, rate: float = 1.0) -> torch.optim.Optimizer:
    return torch.optim.SGD(model.parameters(), lr=rate)


def figures(history: pd.DataFrame) -> list[list[str]]:
    """Every number but the seconds, to the last bit."""
    return [[float(value).hex() for value in row] for row in history.drop(columns="seconds").to_numpy()]


# ---- what a step does ----


def test_it_learns_and_history_says_what_happened() -> None:
    model = classifier()
    history = train(model, batches, loss, steps=250, rate=0.02, validation=[(INPUTS, TARGETS)], every=100)
    assert list(history.columns) == ["step", "train loss", "validation loss", "learning rate", "tokens", "seconds"]
    assert history["step"].tolist() == [100, 200, 250]
    assert history["tokens"].tolist() == [800, 1600, 2000]
    assert history["seconds"].is_monotonic_increasing and history["seconds"].iloc[0] > 0
    assert history.attrs["stopped"] == "steps"
    assert history["validation loss"].iloc[-1] < history["validation loss"].iloc[0] < math.log(2) / 3
    assert not model.training
    assert history["validation loss"].iloc[-1] == pytest.approx(loss(model, (INPUTS, TARGETS))[0].item(), abs=1e-6)


def test_train_loss_weighs_each_batch_by_its_tokens() -> None:
    def uneven(model: nn.Module, batch: int) -> tuple[Tensor, int]:
        return 0 * model.weight + [1.0, 4.0][batch], [30, 10][batch]

    history = train(One(), lambda i: i % 2, uneven, steps=2, every=2)
    assert history["train loss"].tolist() == [(30 * 1 + 10 * 4) / 40]
    history = train(One(), lambda i: 0, uneven, steps=1, validation=[0, 1])
    assert history["validation loss"].tolist() == [(30 * 1 + 10 * 4) / 40]


@pytest.mark.parametrize(("clip", "moved"), [(None, 30.0), (1.0, 1.0), (100.0, 30.0)])
def test_clipping_shortens_long_gradients_only(clip: float | None, moved: float) -> None:
    model = One()
    train(model, lambda i: 30.0, slope, steps=1, optimiser=plain(model), clip=clip)
    assert model.weight.item() == pytest.approx(-moved, rel=1e-5)


def test_clipping_uses_the_norm_of_all_weights_together() -> None:
    model = nn.ModuleList([One(), One()])
    gradients = (3.0, 4.0)
    train(
        model,
        lambda i: gradients,
        lambda pair, batch: (pair[0].weight * batch[0] + pair[1].weight * batch[1], 1),
        steps=1,
        optimiser=[plain(model[0]), plain(model[1])],
        clip=1.0,
    )
    assert [one.weight.item() for one in model] == pytest.approx([-0.6, -0.8], rel=1e-5)


def test_accumulation_equals_the_large_batch_even_if_parts_differ_in_tokens() -> None:
    cuts = [(0, 20), (20, 27), (27, 32)]  # 20, 7 and 5 examples
    parts = [(INPUTS[a:b], TARGETS[a:b]) for a, b in cuts]
    found = []
    for give, accumulate in ((lambda i: (INPUTS[:32], TARGETS[:32]), 1), (lambda i: parts[i % 3], 3)):
        model = classifier().double()
        model[2].p = 0.0  # dropout would draw differently
        as_double = lambda m, b: loss(m, (b[0].double(), b[1]))  # noqa: E731
        history = train(
            model, give, as_double, steps=4, optimiser=plain(model, 0.5), clip=0.1, accumulate=accumulate, every=1
        )
        found.append((history, [weight.detach() for weight in model.parameters()]))
    (large, large_weights), (small, small_weights) = found
    assert large["tokens"].tolist() == small["tokens"].tolist() == [32, 64, 96, 128]
    assert np.allclose(large["train loss"], small["train loss"], rtol=0, atol=1e-12)
    for a, b in zip(large_weights, small_weights, strict=True):
        assert torch.allclose(a, b, rtol=0, atol=1e-12)


def test_accumulation_takes_batches_in_order() -> None:
    asked: list[int] = []
    train(One(), lambda i: asked.append(i) or 1.0, slope, steps=3, accumulate=2)
    assert asked == [0, 1, 2, 3, 4, 5]


def test_schedule_in_closed_form() -> None:
    factor = warmup_cosine(warmup=4, lowest=0.2)
    assert factor(0, 0.0) == 1 / 4 and factor(3, 0.0) == 1.0
    assert factor(50, 0.5) == pytest.approx(0.6) and factor(99, 1.0) == pytest.approx(0.2)
    model = One()
    history = train(model, lambda i: 1.0, slope, steps=8, optimiser=plain(model, 0.5), schedule=factor, every=1)
    wanted = [0.5 * min(1, (i + 1) / 4) * (0.2 + 0.8 * (1 + math.cos(math.pi * i / 8)) / 2) for i in range(8)]
    assert history["learning rate"].tolist() == pytest.approx(wanted, rel=1e-12)
    assert model.weight.item() == pytest.approx(-sum(wanted), rel=1e-5)


def test_each_group_of_the_optimiser_keeps_its_own_rate() -> None:
    pair = nn.ModuleList([One(), One()])
    groups = [{"params": pair[0].parameters(), "lr": 1.0}, {"params": pair[1].parameters(), "lr": 0.1}]
    train(
        pair,
        lambda i: 1.0,
        lambda m, b: (m[0].weight + m[1].weight, 1),
        steps=2,
        optimiser=torch.optim.SGD(groups),
        schedule=lambda step, share: [1.0, 0.5][step],
        clip=None,
    )
    assert [one.weight.item() for one in pair] == pytest.approx([-1.5, -0.15], rel=1e-5)


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_mixed_precision_computes_in_it_and_keeps_weights_in_float32(precision: str) -> None:
    seen = []

    def spy(model: nn.Module, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, int]:
        scores = model(batch[0])
        seen.append(scores.dtype)
        return F.cross_entropy(scores.float(), batch[1]), len(batch[1])

    model = classifier()
    history = train(model, batches, spy, steps=150, rate=0.02, precision=precision, every=30)
    assert set(seen) == {getattr(torch, precision)}
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}
    assert history["train loss"].iloc[-1] < 0.4


def test_float32_is_the_default_on_a_cpu() -> None:
    model = classifier()
    kinds = []
    train(model, batches, lambda m, b: kinds.append(m(b[0]).dtype) or loss(m, b), steps=1)
    assert kinds == [torch.float32]


# ---- when it ends ----


def test_a_time_budget_counts_training_and_bends_the_schedule() -> None:
    clock = itertools.count(0, 0.5)  # each look at the clock is half a second later
    model = One()
    history = train(
        model,
        lambda i: 1.0,
        slope,
        seconds=2.0,
        optimiser=plain(model),
        schedule=lambda step, share: 1 - share,
        every=1,
        clock=lambda: float(next(clock)),
    )
    assert history["step"].tolist() == [1, 2, 3, 4] and history.attrs["stopped"] == "seconds"
    assert history["learning rate"].tolist() == [1.0, 0.75, 0.5, 0.25]
    assert history["seconds"].tolist() == [0.5, 1.0, 1.5, 2.0]


def test_validation_and_watching_cost_no_training_time() -> None:
    time = [0.0]

    def lossy(model: nn.Module, batch: float) -> tuple[Tensor, int]:
        time[0] += 1.0 if model.training else 100.0
        return slope(model, batch)

    def watch(history: pd.DataFrame) -> None:
        time[0] += 1000.0

    history = train(
        One(), lambda i: 1.0, lossy, seconds=3, validation=[1.0], every=1, watch=watch, clock=lambda: time[0]
    )
    assert history["seconds"].tolist() == [1.0, 2.0, 3.0]


def test_early_stopping_keeps_the_best_weights() -> None:
    model = One(2.5)  # each step takes 1 off; |weight| is least after step 2 or 3: 0.5, then -0.5, -1.5, ...

    def bowl(model: nn.Module, batch: float) -> tuple[Tensor, int]:
        return (model.weight if model.training else (model.weight - 0.4).abs()), 1

    history = train(
        model, lambda i: 0.0, bowl, steps=50, optimiser=plain(model), clip=None, validation=[0.0], every=1, patience=3
    )
    assert history["validation loss"].tolist() == pytest.approx([1.1, 0.1, 0.9, 1.9, 2.9], rel=1e-5)
    assert model.weight.item() == 0.5
    assert history.attrs["stopped"] == "patience"


def test_without_patience_the_last_weights_stay() -> None:
    model = One(2.5)
    train(model, lambda i: 1.0, slope, steps=5, optimiser=plain(model), validation=[1.0], every=1, clip=None)
    assert model.weight.item() == -2.5


# ---- seeds, data order, state that is carried ----


def test_seeds_repeat_python_numpy_and_torch() -> None:
    def draw() -> tuple[float, float, float]:
        return random.random(), float(np.random.rand()), torch.rand(1).item()

    set_seed(7)
    first = draw()
    assert draw() != first
    set_seed(7)
    assert draw() == first
    set_seed(8)
    assert draw() != first


def test_the_same_seed_gives_the_same_run() -> None:
    runs = [figures(train(classifier(), batches, loss, steps=20, every=5)) for _ in range(2)]
    assert runs[0] == runs[1]


def test_shuffled_shows_every_example_once_a_pass_in_a_new_order() -> None:
    pick = shuffled(12, 4, seed=0)
    passes = [torch.cat([pick(step) for step in range(3 * n, 3 * n + 3)]).tolist() for n in range(3)]
    assert all(sorted(one) == list(range(12)) for one in passes)
    assert len({tuple(one) for one in passes}) == 3
    assert pick(1).tolist() == passes[0][4:8] == shuffled(12, 4, seed=0)(1).tolist()
    assert torch.cat([shuffled(12, 4, seed=1)(step) for step in range(3)]).tolist() != passes[0]
    seen = {int(i) for step in range(40) for i in shuffled(10, 4, seed=0)(step)}
    assert seen == set(range(10))  # those left over at the end of a pass are not always the same


def test_state_is_carried_between_batches_and_starts_anew_in_validation() -> None:
    log: list[tuple[bool, int]] = []

    def counting(model: nn.Module, batch: float, carry: dict[str, Any]) -> tuple[Tensor, int]:
        carry["count"] = carry.get("count", 0) + 1
        log.append((model.training, carry["count"]))
        return slope(model, batch)

    mine: dict[str, Any] = {}
    train(One(), lambda i: 1.0, counting, steps=4, every=2, validation=[1.0, 1.0], carry=mine)
    assert [count for training, count in log if training] == [1, 2, 3, 4]
    assert [count for training, count in log if not training] == [1, 2, 1, 2]
    assert mine == {}


# ---- kill and resume ----


class Small(nn.Module):
    """An LSTM with dropout: everything a checkpoint has to remember matters to it."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.cell = nn.LSTM(8, 12, batch_first=True)
        self.out = nn.Linear(12, 11)

    def forward(self, ids: Tensor, state: Any) -> tuple[Tensor, Any]:
        hidden, state = self.cell(F.dropout(self.embedding(ids), 0.3, self.training), state)
        return self.out(hidden), state


def long_run(steps: int, checkpoint: Path | None = None, tell: bool = False) -> tuple[pd.DataFrame, nn.Module]:
    torch.set_num_threads(1)
    set_seed(2)
    model = Small()
    text = torch.randint(0, 11, (4, 400), generator=torch.Generator().manual_seed(0))

    def give(i: int) -> Tensor:
        if tell:
            print(i, flush=True)
        return text[:, i % 40 * 9 : i % 40 * 9 + 10]

    def next_word(model: nn.Module, ids: Tensor, carry: dict[str, Any]) -> tuple[Tensor, int]:
        scores, (hidden, cell) = model(ids[:, :-1], carry.get("state"))
        carry["state"] = (hidden.detach(), cell.detach())
        noise = 1 + 0.01 * random.random() + 0.01 * float(np.random.rand())  # so that these two states matter as well
        return noise * F.cross_entropy(scores.flatten(0, 1), ids[:, 1:].flatten()), ids[:, 1:].numel()

    history = train(
        model,
        give,
        next_word,
        steps=steps,
        rate=0.01,
        schedule=warmup_cosine(10),
        accumulate=2,
        validation=[text[:, :30]],
        every=3,
        patience=1000,
        carry={},
        checkpoint=checkpoint,
        watch=lambda history: torch.rand(3),  # a sample of text, say
    )
    return history, model


CHILD = "import sys, pathlib, test_training as t; t.long_run(150, pathlib.Path(sys.argv[1]), tell=True)"


def test_a_killed_run_goes_on_to_the_same_loss_curve(tmp_path: Path) -> None:
    whole, whole_model = long_run(150)
    checkpoint = tmp_path / "run.pt"
    for low, high in ((20, 120), (150, 250)):  # of 300 batches
        fatal = random.randint(low, high)
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(checkpoint)], cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        for line in child.stdout:
            if line.strip() == str(fatal):
                child.send_signal(signal.SIGKILL)
                break
        assert child.wait(30) == -signal.SIGKILL
    done = torch.load(checkpoint, weights_only=True)["progress"]["step"]
    assert 0 < done < 150
    broken, broken_model = long_run(150, checkpoint)
    assert len(whole) == 50 and figures(broken) == figures(whole)
    for name, value in whole_model.state_dict().items():
        assert torch.equal(value, broken_model.state_dict()[name]), name


def test_a_longer_budget_goes_on_and_a_finished_run_does_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "run.pt"
    settings: dict[str, Any] = {"every": 5, "checkpoint": path}
    train(classifier(), batches, loss, steps=10, **settings)
    longer = train(classifier(), batches, loss, steps=20, **settings)
    assert figures(longer) == figures(train(classifier(), batches, loss, steps=20, every=5))
    model = classifier()
    again = train(model, lambda i: pytest.fail("a batch was asked for"), loss, steps=20, **settings)
    assert figures(again) == figures(longer)


def test_early_stopping_survives_a_break(tmp_path: Path) -> None:
    def bowl(model: nn.Module, batch: float) -> tuple[Tensor, int]:
        return (model.weight if model.training else (model.weight - 0.4).abs()), 1

    for steps in (4, 50):  # the best is at step 2, patience ends at 5
        model = One(2.5)
        history = train(
            model,
            lambda i: 0.0,
            bowl,
            steps=steps,
            optimiser=plain(model),
            clip=None,
            validation=[0.0],
            every=1,
            patience=3,
            checkpoint=tmp_path / "run.pt",
        )
        assert model.weight.item() == 0.5
    assert history["step"].tolist() == [1, 2, 3, 4, 5]


def test_a_kill_while_writing_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.pt"
    train(classifier(), batches, loss, steps=10, every=5, checkpoint=path)

    def half_way(parts: Any, file: Any) -> None:
        file.write(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(torch, "save", half_way)
        with pytest.raises(KeyboardInterrupt):
            train(classifier(), batches, loss, steps=20, every=5, checkpoint=path)
    broken = train(classifier(), batches, loss, steps=20, every=5, checkpoint=path)
    assert figures(broken) == figures(train(classifier(), batches, loss, steps=20, every=5))


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    train(classifier(), batches, loss, steps=2, checkpoint=path)
    with pytest.raises(ValueError, match="learning rates: .0.001. there, .0.1. here"):
        train(classifier(), batches, loss, steps=4, rate=0.1, checkpoint=path)
    with pytest.raises(ValueError, match="other weights"):
        train(One(), batches, slope, steps=4, checkpoint=path)
    path.write_bytes(b"my notes")
    with pytest.raises(ValueError, match="no checkpoint of lmkit.training"):
        train(classifier(), batches, loss, steps=4, checkpoint=path)
    assert path.read_bytes() == b"my notes"


# ---- bad input: one clear line ----


def test_a_loss_that_is_not_finite_names_its_step() -> None:
    with pytest.raises(FloatingPointError, match=r"^Step 7: the train loss is nan\. Lower the learning rate"):
        train(One(), lambda i: math.nan if i >= 7 else 1.0, slope, steps=30, every=10)
    with pytest.raises(FloatingPointError, match=r"^Step 13: the train loss is inf"):
        train(One(1.0), lambda i: math.inf if i == 27 else 1.0, slope, steps=30, every=10, accumulate=2)
    with pytest.raises(FloatingPointError, match=r"^Step 10: the validation loss is nan"):
        train(One(), lambda i: 1.0, slope, steps=30, every=10, validation=[1.0, math.nan])


def test_a_run_that_diverged_leaves_a_healthy_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    with pytest.raises(FloatingPointError):
        train(One(), lambda i: math.nan if i >= 7 else 1.0, slope, steps=30, every=5, checkpoint=path)
    kept = torch.load(path, weights_only=True)
    assert kept["progress"]["step"] == 5 and kept["model"]["weight"].isfinite()


def test_a_batch_without_tokens_names_its_number() -> None:
    with pytest.raises(ValueError, match=r"^Step 3: batches\(7\) has no token"):
        train(One(), lambda i: i, lambda m, i: (m.weight, 0 if i == 7 else 5), steps=9, accumulate=2)
    with pytest.raises(ValueError, match="Validation batch 1 has no token"):
        train(One(), lambda i: 1, lambda m, i: (m.weight, i), steps=9, validation=[5, 0])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({}, "How long"),
        ({"steps": 0}, "positive"),
        ({"seconds": 0}, "positive"),
        ({"steps": 5, "accumulate": 0}, "positive"),
        ({"steps": 5, "every": 0}, "positive"),
        ({"steps": 5, "validation": []}, "no batch"),
        ({"steps": 5, "patience": 2}, "patience counts validations"),
    ],
)
def test_settings_that_make_no_sense(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        train(One(), lambda i: 1.0, slope, **wrong)


def test_a_list_of_batches_is_refused_with_the_way_to_write_it() -> None:
    with pytest.raises(TypeError, match=r"data\[i % len\(data\)\]"):
        train(One(), [1.0], slope, steps=1)  # type: ignore[arg-type]


def test_a_batch_larger_than_the_data() -> None:
    with pytest.raises(ValueError, match="A batch of 5 cannot be drawn from 4 examples"):
        shuffled(4, 5, seed=0)


# ---- what is seen ----


def test_nothing_is_written_where_nobody_looks(capfd: pytest.CaptureFixture[str]) -> None:
    train(One(), lambda i: 1.0, slope, steps=3, watch=live_plot())
    assert capfd.readouterr() == ("", "")
    train(One(), lambda i: 1.0, slope, steps=3, every=1, progress=True)
    assert "tokens/s" in capfd.readouterr().err


def test_watch_sees_the_history_grow_and_plot_draws_it() -> None:
    seen: list[int] = []
    history = train(
        One(),
        lambda i: 1.0,
        slope,
        steps=4,
        every=2,
        validation=[1.0],
        watch=lambda history: seen.append(len(history)),
    )
    assert seen == [1, 2]
    axes = plot_loss(history)
    assert [line.get_label() for line in axes.get_lines()] == ["train loss", "validation loss"]
    assert axes.get_ylabel() == "loss (nats per token)"
    axes = plot_loss(history.assign(**{"validation loss": math.nan}))
    assert len(axes.get_lines()) == 1


def test_what_watch_and_validation_do_to_the_mode_does_not_last() -> None:
    model, modes = One(), []

    def note(model: nn.Module, batch: float) -> tuple[Tensor, int]:
        modes.append(model.training)
        return slope(model, batch)

    train(model, lambda i: 1.0, note, steps=2, every=1, validation=[1.0], watch=lambda history: model.eval())
    assert modes == [True, False, True, False]


# ---- device and budget ----


def test_the_device_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LMKIT_DEVICE", raising=False)
    assert choose_device().type == ("cuda" if torch.cuda.is_available() else "cpu")
    monkeypatch.setenv("LMKIT_DEVICE", "mps")
    assert choose_device().type == "mps"


def test_the_budget_is_the_named_one_else_what_the_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LMKIT_BUDGET", "grading")
    assert budget().name == "grading"
    assert budget().choose(grading=1, laptop=2, gpu=3) == 1
    monkeypatch.delenv("LMKIT_BUDGET")
    for there, name in ((True, "gpu"), (False, "laptop")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=there: there)
        assert budget().name == name
    monkeypatch.setenv("LMKIT_BUDGET", "huge")
    with pytest.raises(ValueError, match="LMKIT_BUDGET is 'huge'; set it to one of: grading, laptop, gpu"):
        budget()
