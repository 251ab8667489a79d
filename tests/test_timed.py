"""`benchmarks.timed`: training for seconds of CPU time."""

import itertools
import time

import pytest
import torch
from torch import Tensor, nn

from benchmarks.timed import steady_then_down, train_for


def test_it_trains_until_the_processor_has_spent_the_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()
    monkeypatch.setattr(time, "process_time", lambda: float(next(ticks)))  # a second whenever it is asked
    model = nn.Linear(1, 1, bias=False)

    def loss(model: nn.Module, batch: float) -> tuple[Tensor, int]:
        return model(torch.tensor([batch])).sum(), 1

    history = train_for(8, model, lambda step: 1.0, loss, torch.optim.SGD(model.parameters(), 0.1), every=1)
    assert history.step.tolist()[-1] == history.seconds.iloc[-1] == 8
    assert history["learning rate"].round(6).tolist() == [0.1] * 5 + [0.075, 0.05, 0.025]
    assert [steady_then_down(0, share) for share in (0, 0.5, 0.75, 1)] == [1, 1, 0.5, 0]
