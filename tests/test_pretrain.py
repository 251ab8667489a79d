"""A run of `python -m lmkit.pretrain`: the same whatever it is cut into, and recorded."""

import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from lmkit.pretrain import CONFIGS, RunError, changed, data, pretrain, read_text, record, run
from lmkit.pretrain.configs import differences
from lmkit.pretrain.evaluate import loss_with_context
from lmkit.pretrain.processes import Processes
from lmkit.transformer import Transformer

TINY = replace(CONFIGS["tiny"], steps=6, every=2, batch=8, tokens=3_000, warmup=2, sample_tokens=12)
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "LMKIT_DEVICE": "cpu"}


@pytest.fixture(autouse=True)
def on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LMKIT_DEVICE", "cpu")
    monkeypatch.setattr(record, "git_commit", lambda: "0" * 40)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def command(*words: str | Path, processes: int = 1) -> subprocess.CompletedProcess[str]:
    start = [sys.executable]
    if processes > 1:
        start += ["-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={processes}"]
    return subprocess.run(
        [*start, "-m", "lmkit.pretrain", *map(str, words)],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=300,
    )


def history(out: Path) -> pd.DataFrame:
    return pd.read_csv(out / "history.csv")


def weights(out: Path) -> dict[str, Any]:
    return torch.load(out / "state" / "checkpoint.pt", weights_only=True)["model"]


# ---- a run and its record


def test_a_run_leaves_a_record_that_fits_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "mine"
    made = pretrain(TINY, out, command="python -m lmkit.pretrain --config tiny")
    kept = json.loads((out / "record.json").read_text())
    hashes = kept.pop("sha256")
    assert kept == json.loads(json.dumps(made))
    for name, found in hashes.items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == found
    assert set(hashes) == {"log.txt", "history.csv", "samples.txt", "loss.png"}
    assert (out / "log.txt").read_text() == capsys.readouterr().out

    table = history(out)
    assert table["step"].tolist() == [2, 4, 6] and table["tokens"].tolist() == [512, 1024, 1536]
    assert kept["command"] == "python -m lmkit.pretrain --config tiny" and kept["commit"] == "0" * 40
    assert kept["config"]["steps"] == 6 and kept["config"]["model"]["vocabulary"] == kept["text"]["symbols"]
    assert kept["machine"]["torch"] == torch.__version__ and kept["machine"]["processes"] == 1
    results = kept["results"]
    assert results["tokens"] == 6 * 8 * 32
    assert results["validation loss"] == pytest.approx(table["validation loss"].iloc[-1])
    assert results["validation loss"] < math.log(kept["text"]["symbols"])
    assert results["floor"] is None  # so small a text leaves too many words unknown
    assert results["model FLOP utilisation"] is None  # of a processor nobody knows it
    shape = replace(TINY.model, vocabulary=kept["text"]["symbols"])
    assert kept["parameters"] == sum(weight.numel() for weight in Transformer(shape).parameters())
    assert (out / "samples.txt").read_text().count("----") == 2


@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_a_run_that_was_killed_ends_with_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dropout: float
) -> None:
    config = changed(TINY, [f"dropout={dropout}"])
    pretrain(config, tmp_path / "whole")
    real = run.train

    def killed(model: Any, batches: Callable[[int], Any], *rest: Any, **options: Any) -> Any:
        def until_five(number: int) -> Any:
            if number == 5:
                raise KeyboardInterrupt
            return batches(number)

        return real(model, until_five, *rest, **options)

    monkeypatch.setattr(run, "train", killed)
    with pytest.raises(KeyboardInterrupt):
        pretrain(config, tmp_path / "cut")
    assert history(tmp_path / "cut")["step"].tolist() == [2, 4]
    monkeypatch.setattr(run, "train", real)
    pretrain(config, tmp_path / "cut", resume=True)
    columns = ["step", "train loss", "validation loss", "learning rate", "tokens"]
    assert history(tmp_path / "cut")[columns].equals(history(tmp_path / "whole")[columns])
    one, other = weights(tmp_path / "whole"), weights(tmp_path / "cut")
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert (tmp_path / "cut" / "samples.txt").read_text() == (tmp_path / "whole" / "samples.txt").read_text()


def test_parts_of_a_step_change_nothing_but_the_order_of_sums(tmp_path: Path) -> None:
    pretrain(replace(TINY, optimiser="adamw"), tmp_path / "one")
    pretrain(replace(TINY, optimiser="adamw", accumulate=4), tmp_path / "four")
    for name in ("train loss", "validation loss"):
        assert np.allclose(history(tmp_path / "one")[name], history(tmp_path / "four")[name], rtol=0, atol=1e-5)


def test_two_processes_give_the_losses_of_one(tmp_path: Path) -> None:
    changes = ["steps=12", "every=2", "tokens=3000", "accumulate=2", "optimiser=adamw"]
    options = [word for change in changes for word in ("--set", change)]
    found = command("--config", "tiny", *options, "--out", tmp_path / "two", processes=2)
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("step ") == 6  # the second process says nothing
    config = changed(CONFIGS["tiny"], changes)
    pretrain(replace(config, accumulate=1), tmp_path / "one")
    one, two = history(tmp_path / "one"), history(tmp_path / "two")
    for name in ("train loss", "validation loss"):
        assert np.abs(one[name] - two[name]).max() <= 1e-5
        assert one[name].iloc[0] - one[name].iloc[-1] > 0.05  # they have learned something in the meantime
    assert one["tokens"].equals(two["tokens"])
    kept = json.loads((tmp_path / "two" / "record.json").read_text())
    assert kept["machine"]["processes"] == 2
    assert kept["command"].startswith("torchrun --nproc_per_node=2 -m lmkit.pretrain --config tiny --set steps=12")
    # A checkpoint knows nothing of processes: one goes on where two have stopped.
    shutil.copytree(tmp_path / "two" / "state", tmp_path / "on" / "state")
    results = pretrain(config, tmp_path / "on", resume=True)["results"]
    assert results["validation loss"] == pytest.approx(two["validation loss"].iloc[-1], abs=1e-12)


def test_two_processes_with_muon(tmp_path: Path) -> None:
    changes = ["steps=12", "every=2", "tokens=3000"]
    options = [word for change in changes for word in ("--set", change)]
    found = command("--config", "tiny", *options, "--out", tmp_path / "two", processes=2)
    assert found.returncode == 0, found.stderr
    pretrain(changed(CONFIGS["tiny"], changes), tmp_path / "one")
    one, two = history(tmp_path / "one"), history(tmp_path / "two")
    for name in ("train loss", "validation loss"):
        assert np.abs(one[name] - two[name]).max() <= 1e-5
        assert one[name].iloc[0] - one[name].iloc[-1] > 0.1


# ---- batches


def test_processes_and_parts_share_out_one_batch() -> None:
    text = torch.arange(1000)
    whole = data.Batches(text, 7, 12, 1)
    for step in (0, 3):
        tokens, targets, last = whole(step)
        assert tokens.shape == (12, 7) and last and torch.equal(tokens + 1, targets)
        parts = [
            data.Batches(text, 7, 12, 2, rank=rank, processes=3)(2 * step + part)
            for rank in range(3)
            for part in (0, 1)
        ]
        assert torch.equal(torch.cat([part[0] for part in parts]), tokens)
        assert [part[2] for part in parts] == [False, True] * 3
    assert not torch.equal(whole(0)[0], whole(1)[0])


def test_batches_reach_every_place_of_the_text() -> None:
    batches = data.Batches(torch.arange(20), 4, 300, 1)
    tokens, targets, _ = batches(0)
    assert set(tokens[:, 0].tolist()) == set(range(16)) and targets.max() == 19


def test_what_is_loaded_ahead_is_what_would_have_come() -> None:
    text = torch.arange(100)
    for order in ([0, 1, 2], [5, 6, 2, 3, 3]):
        ahead = data.Batches(text, 4, 6, 1, seed=9)
        for number in order:
            assert torch.equal(ahead(number)[0], data.Batches(text, 4, 6, 1, seed=9).make(number)[0])


def test_validation_windows_lie_side_by_side() -> None:
    text = torch.arange(35)
    parts = data.validation(text, 4, 3, 2)
    assert torch.equal(torch.cat([part[0] for part in parts]).flatten(), torch.arange(24))
    assert torch.equal(torch.cat([part[1] for part in parts]).flatten(), torch.arange(1, 25))
    every = data.validation(text, 4, 4, 100, processes=2, rank=0) + data.validation(
        text, 4, 4, 100, processes=2, rank=1
    )
    assert sorted(torch.cat([part[0] for part in every]).flatten().tolist()) == list(range(32))
    with pytest.raises(ValueError, match="too few for 2 blocks of 20"):
        data.validation(text, 20, 2, 1, processes=2)


class Counting(torch.nn.Module):
    """Certain (nearly) of the next number once it has seen `need` numbers, else it has no idea."""

    def __init__(self, need: int) -> None:
        super().__init__()
        self.need, self.weight = need, torch.nn.Parameter(torch.zeros(1))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        scores = 50.0 * torch.nn.functional.one_hot((tokens + 1) % 64, 64)
        scores[:, : self.need - 1] = 0
        return scores


def test_loss_with_context_counts_each_token_once_with_half_a_block_before_it() -> None:
    text = torch.arange(64)
    assert loss_with_context(Counting(1), text, 8) == pytest.approx(0, abs=1e-6)
    windows = (63 - 8) // 4 + 1
    tokens = 4 + 4 * windows
    for need, at_loss in ((4, 3), (5, 4), (6, 4 + windows)):
        wanted = at_loss * math.log(64) / tokens
        assert loss_with_context(Counting(need), text, 8, batch=3) == pytest.approx(wanted, abs=1e-6)


# ---- texts


def test_a_file_by_characters_and_by_words(tmp_path: Path) -> None:
    file = tmp_path / "verse.txt"
    file.write_text("The cat sat.\nThe dog's cat!\n" * 20, encoding="utf-8")
    letters = read_text(replace(TINY, level="character"), file)
    assert letters.spell(letters.train.tolist() + letters.valid.tolist()) == file.read_text()
    assert len(letters.train) == 9 * len(letters.valid) and letters.symbols[1] == "\n" and letters.floor is None
    words = read_text(TINY, file)
    assert words.spell(words.train[:9].tolist()) == "The cat sat .\nThe dog's cat !"
    assert set(words.symbols) == {"<UNK>", "</s>", "The", "cat", "sat", ".", "dog's", "!"}
    assert words.sha256 != letters.sha256 == read_text(replace(TINY, level="character"), file).sha256


def test_rare_words_are_unknown_and_so_are_new_ones(tmp_path: Path) -> None:
    file = tmp_path / "rare.txt"
    file.write_text("a b a b once a b a b a b a b a b a b a new")
    text = read_text(TINY, file)
    assert text.symbols == ["<UNK>", "a", "b"]
    assert text.train.tolist().count(0) == 1 and text.valid.tolist().count(0) >= 1


def test_kitchen_text_has_its_floor_in_any_spelling() -> None:
    words, letters = (read_text(replace(TINY, level=level, tokens=150_000)) for level in ("word", "character"))
    assert words.floor and letters.floor
    # The floors are one figure, but that by words merges those which training does not show.
    assert words.floor * len(words.valid) < letters.floor * len(letters.valid)
    assert letters.floor * len(letters.valid) / len(words.valid) == pytest.approx(1.58, abs=0.05)
    assert words.spell(words.valid[:400].tolist()).count("\n") > 0
    assert letters.spell(letters.valid[:200].tolist()).startswith(
        words.spell(words.valid[:3].tolist()).split("<UNK>")[0]
    )


def test_made_text_is_the_same_from_one_process_and_from_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lmkit.pretrain.text.SHARD", 500)
    many = read_text(replace(TINY, tokens=2_000))
    monkeypatch.setattr(
        "lmkit.pretrain.text.ProcessPoolExecutor", lambda *_: pytest.fail("three shards need no processes")
    )
    few = read_text(replace(TINY, tokens=1_500))
    assert len(many.train) > len(few.train) + 400
    assert many.spell(many.train[:400].tolist()).split()[:20] != few.spell(few.train[600:1000].tolist()).split()[:20]


# ---- utilisation


def test_utilisation_is_a_share_of_a_known_peak_or_unknown() -> None:
    assert record.utilisation(10**9, 98_900, "NVIDIA H200", "bfloat16", 1) == pytest.approx(0.1)
    assert record.utilisation(10**9, 98_900, "NVIDIA H200", "bfloat16", 2) == pytest.approx(0.05)
    assert record.utilisation(10**9, 98_900, "NVIDIA H200", "float32", 1) is None
    assert record.utilisation(10**9, 98_900, "NVIDIA H201", "bfloat16", 1) is None
    assert record.percent(None) == "unknown" and record.percent(0.4123) == "41.2 %"


def test_speed_is_that_between_rows() -> None:
    table = pd.DataFrame({"tokens": [100, 300], "seconds": [1.0, 2.0]})
    assert record.with_speed(table)["tokens per second"].tolist() == [100.0, 200.0]


# ---- mistakes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--config", "huge"], "pretrain: --config huge: choose one of: tiny, laptop, gpu."),
        (["--config", "tiny", "--text", "no.txt"], "pretrain: --text no.txt: there is no such file."),
        (
            ["--config", "tiny", "--set", "heads=3"],
            "pretrain: --set heads=3: width 32 cannot be divided among 3 heads.",
        ),
    ],
)
def test_a_mistake_ends_in_one_line(words: list[str], message: str, tmp_path: Path) -> None:
    found = command(*words, "--out", tmp_path / "out")
    assert found.returncode == 1 and found.stdout == "" and found.stderr.strip() == message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("steps=many", "'many' is no int"),
        ("compiled=yes", "'yes' is no bool"),
        ("speed=9", "there is no 'speed'; choose one of: level, corpus"),
        ("vocabulary=9", "there is no 'vocabulary'"),
        ("optimiser=sgd", "choose one of: adamw, muon"),
        ("batch=0", "batch must be at least 1"),
    ],
)
def test_a_change_that_makes_no_sense_is_named(change: str, message: str) -> None:
    with pytest.raises(RunError, match=message):
        changed(TINY, [change])


def test_changes_reach_the_run_and_its_model() -> None:
    config = changed(TINY, ["steps=1_000", "dropout=0.1", "compiled=true", "norm=layer"])
    assert (config.steps, config.model.dropout, config.compiled, config.model.norm) == (1000, 0.1, True, "layer")


def test_what_cannot_be_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="batch 8 cannot be divided among 3 processes in 1 parts"):
        pretrain(TINY, tmp_path, processes=Processes(count=3))
    with pytest.raises(RunError, match="There is no corpus 'bible'"):
        pretrain(replace(TINY, corpus="bible"), tmp_path / "a")
    with pytest.raises(RunError, match="toy-house has one split only"):
        pretrain(changed(TINY, ["corpus=toy-house"]), tmp_path / "b")
    (tmp_path / "short.txt").write_text("too short")
    with pytest.raises(RunError, match="a block of 32 and its targets need more"):
        pretrain(replace(TINY, level="character"), tmp_path / "c", file=tmp_path / "short.txt")
    (tmp_path / "latin.txt").write_bytes("Müller".encode("latin-1"))
    with pytest.raises(RunError, match="this is no UTF-8 text"):
        pretrain(TINY, tmp_path / "d", file=tmp_path / "latin.txt")


def test_a_folder_belongs_to_one_run(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="there is no run in"):
        pretrain(TINY, tmp_path, resume=True)
    config = replace(TINY, steps=1, every=1)
    pretrain(config, tmp_path)
    with pytest.raises(RunError, match="go on with --resume"):
        pretrain(config, tmp_path)
    with pytest.raises(RunError, match=r"holds another run \(layers: 2 there, 3 here; rate: 0.003 there, 0.1 here\)"):
        pretrain(changed(config, ["layers=3", "rate=0.1"]), tmp_path, resume=True)
    other = tmp_path / "other.txt"
    other.write_text("words and words " * 100)
    with pytest.raises(RunError, match="reads another text"):
        pretrain(config, tmp_path, file=other, resume=True)
    assert differences({}, config)


def test_a_learning_rate_far_too_high_is_one_line_too(tmp_path: Path) -> None:
    config = changed(TINY, ["optimiser=adamw", "rate=1e30", "clip=1e30", "warmup=1"])
    with pytest.raises(RunError, match="loss is nan|loss is inf"):
        pretrain(config, tmp_path)
