"""Each chapter that trains, on a device that is not the CPU (tests/pretend_device.py).

Its reference runs as it stands, with the checks as a learner has them: so a chapter that forgets to move a tensor fails
here, not with the first reader who has a GPU. Hidden tests do not run: grading is on the CPU. It is the device that is
tested, not the learning, so `train` takes a few steps and what is long is cut short.
"""

import warnings
from dataclasses import dataclass, field
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import pytest
import torch
from pretend_device import NAME, pretend
from torch import nn

from benchmarks.gpu import as_learner
from lmkit.training import train
from lmkit.training.tools import device_of

STEPS = 3


@dataclass(frozen=True)
class Chapter:
    """What is known of a chapter."""

    models: str  # an expression: what it has trained, after its last cell
    trainings: int  # how often it calls `train`
    shorter: dict[str, str] = field(default_factory=dict)  # what is cut short
    without: tuple[
        str, ...
    ] = ()  # words that only a cell has which is long and neither trains nor asks a trained model


CHAPTERS = {
    "04_windows": Chapter(
        "[fresh]",
        51,
        {
            "(5, 150)": "(1, 2)",
            "(150,)": "(2,)",
            "torch.zeros(3, 149, 21), torch.zeros(3, 150, 21)": "torch.zeros(3, 1, 21), torch.zeros(3, 2, 21)",
            "for step in range(30)": "for step in range(2)",
        },
        (
            "linear_W, linear_b, curve",
            "confused, behind_to = Counter()",
            "seen_pairs = set()",
            "costs = {}",
            "def by_counter()",
        ),
    ),
    "05_recurrent": Chapter(
        "[my_model, first_model]",
        28,
        {
            "(5, 10, 20, 40, 80)": "(5, 10)",
            "copies=300": "copies=3",
            "grading=100,": "grading=4,",
            "grading=400, laptop=4_000": "grading=4, laptop=4_000",
            "grading=5_000,": "grading=200,",
            "grading=400, laptop=1_500": "grading=200, laptop=1_500",
            "length=120": "length=5",
            "length=180": "length=5",
            "length=160": "length=5",
            "length=200": "length=5",
        },
    ),
    "06_attention": Chapter(
        "[*learners.values(), *contest.values(), cheater, *cured.values(), *lookers.values()]",
        17,
        {"np.logspace(0.31, 6, 60)": "np.logspace(0.31, 6, 6)"},
    ),
    "07_encoder": Chapter("[filler, tagger]", 1),
    "08_transformer": Chapter(
        "[my_model, lstm, *patients.values()]",
        12,
        {
            "n=80": "n=5",
            "prompt, 60, to_probabilities": "prompt, 5, to_probabilities",
            "prompt, 200, to_probabilities": "prompt, 5, to_probabilities",
            "grading=600,": "grading=4,",
            "grading=2_001": "grading=129",
        },
    ),
    "09_seq2seq": Chapter(
        "[*(model for model, _ in learned.values()), my_transformer]",
        3,
        {"for source in valid_sources[:100]": "for source in valid_sources[:5]"},
    ),
}


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_trains_where_choose_device_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chapter, places, trainings = CHAPTERS[name], set[str](), list[str]()

    def a_few_steps(model: nn.Module, batches: Any, loss: Any, *, steps: int, **more: Any) -> pd.DataFrame:
        def watched(model: nn.Module, *batch: Any) -> tuple[torch.Tensor, int]:
            value, tokens = loss(model, *batch)
            places.add(value.device.type)
            return value, tokens

        trainings.append(device_of(model).type)
        history = train(model, batches, watched, steps=min(steps, STEPS), **more)
        missing = steps // more.get("every", 50) - len(history)  # rows that a whole run has and the chapter may look at
        return pd.concat([history, *[history.tail(1)] * missing], ignore_index=True)

    monkeypatch.setattr("lmkit.training.train", a_few_steps)
    monkeypatch.setenv("LMKIT_DEVICE", NAME)
    monkeypatch.setenv("LMKIT_BUDGET", "grading")
    monkeypatch.setattr(plt, "show", lambda: plt.close("all"))
    names = run(name, chapter)
    assert places == set(trainings) == {NAME} and len(trainings) >= chapter.trainings
    models = eval(chapter.models, names)
    assert models and {weight.device.type for model in models for weight in model.parameters()} == {NAME}


def run(name: str, chapter: Chapter) -> dict[str, Any]:
    """The chapter's names after all its cells; of those that test, what the release shows."""
    plt.switch_backend("agg")
    sources = {i: cell.source for i, cell in enumerate(as_learner(name).cells) if cell.cell_type == "code"}
    for old, new in chapter.shorter.items():
        assert any(old in source for source in sources.values()), f"{name} has no {old!r} to cut short any more"
        sources = {i: source.replace(old, new) for i, source in sources.items()}
    for words in chapter.without:
        found = [i for i, source in sources.items() if words in source]
        assert len(found) == 1, f"{name}: {len(found)} cells with {words!r}"
        del sources[found[0]]
    names: dict[str, Any] = {"__name__": "__main__"}
    threads = torch.get_num_threads()
    with pretend(), plt.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # three steps make figures of nothing
        try:
            for i, source in sources.items():
                exec(compile(source, f"{name}, code cell {i}", "exec"), names)
        finally:
            torch.set_num_threads(threads)
            plt.close("all")
    return names


def test_a_tensor_that_stays_behind_is_found() -> None:
    """The model is there, its batch is not: what the chapters must not do is refused."""
    with pretend() as device, pytest.raises(RuntimeError, match="same device"):
        nn.Linear(2, 1).to(device)(torch.ones(3, 2))
