"""A run of `python -m lmkit.pretrain`: the same whatever it is cut into, and recorded."""

import hashlib
import json
import math
import os
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

from lmkit.runs import CONFIGS, RunConfig, RunError, batches, changed, load, record, rows, run
from lmkit.runs.configs import differences
from lmkit.runs.processes import Processes
from lmkit.runs.run import make
from lmkit.runs.text import text_loss
from lmkit.transformer import Transformer, TransformerConfig

TINY = replace(CONFIGS["tiny"], steps=6, every=2, batch=8, tokens=3_000, warmup=2, sample_tokens=12)
BLOCKS = replace(TINY, sizes={**TINY.sizes, "block": 7}, batch=12, accumulate=1)
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


def numbers(out: Path) -> dict[str, Any]:
    return json.loads((out / "numbers.json").read_text())["1"]


def by_letters(config: RunConfig, file: Path) -> RunConfig:
    return replace(config, level="character", corpus=str(file))


# ---- a run and its record


def test_a_run_leaves_a_record_that_fits_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "mine"
    make(TINY, out, command="python -m lmkit.pretrain --config tiny", resume=False)
    kept = json.loads((out / "record.json").read_text())
    hashes = kept["sha256"]
    for name, found in hashes.items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == found
    files = {"log.txt", "history.csv", "samples.txt", "loss.png", "numbers.json", "weights.pt", "spelling.json"}
    assert set(hashes) == files == {file.name for file in out.iterdir()} - {"record.json"}
    assert (out / "log.txt").read_text() == capsys.readouterr().out

    table = history(out)
    assert table["step"].tolist() == [2, 4, 6] and table["tokens"].tolist() == [512, 1024, 1536]
    assert kept["command"] == "python -m lmkit.pretrain --config tiny" and kept["commit"] == "0" * 40
    assert RunConfig.read(kept["config"]) == TINY
    assert kept["machine"]["torch"] == torch.__version__ and kept["machine"]["processes"] == 1
    results = numbers(out)
    assert results["tokens"] == 6 * 8 * 32 and results["wall seconds"] > 0
    assert results["validation loss"] == pytest.approx(table["validation loss"].iloc[-1], rel=1e-5)
    assert results["valid nats with context"] <= results["valid nats"] < math.log(kept["text"]["symbols"])
    assert results["floor"] is None  # so small a text leaves too many words unknown
    assert results["model FLOP utilisation"] is None  # of a processor nobody knows it
    shape = TransformerConfig(kept["text"]["symbols"], **TINY.sizes)
    assert results["parameters"] == sum(weight.numel() for weight in Transformer(shape).parameters())
    assert (out / "samples.txt").read_text().count("----") == 2


@pytest.mark.parametrize("level", ["word", "character", "bpe"])
def test_a_run_ends_with_a_model_that_is_found_again(tmp_path: Path, level: str) -> None:
    (tmp_path / "my text.txt").write_text("The cat sat. Was für ein Tag!\nThe dog's cat?\n" * 60, encoding="utf-8")
    config = replace(
        TINY, level=level, corpus=str(tmp_path / "my text.txt"), vocabulary=280 if level == "bpe" else None
    )
    make(config, tmp_path / "out", resume=False)
    there = load(tmp_path / "out")
    assert there.config == config and there.spelling.level == level
    text = rows.read_text(config)
    judged = rows.judged(there.network, text, config.block)
    assert judged["valid nats"] == pytest.approx(numbers(tmp_path / "out")["valid nats"], abs=2e-3)  # half precision
    written = there.write("The cat", 5)
    assert written.startswith("The cat") and written == there.write("The cat", 5) != there.write("The cat", 5, seed=1)
    assert math.isfinite(judged["bits per byte"]) and text.valid_bytes > 0


def test_the_model_in_a_folder_writes_and_is_evaluated(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two three four five. " * 60)
    (tmp_path / "b.txt").write_text("three two one. " * 30)
    made = command(
        "--config", "tiny", "--level", "bpe", "--text", tmp_path / "a.txt", "--set", "steps=30", "--out", tmp_path / "o"
    )
    assert made.returncode == 0, made.stderr
    said = command("sample", tmp_path / "o", "--prompt", "one", "--tokens", "12")
    assert said.returncode == 0 and said.stdout.startswith("one"), said.stderr
    here, other = (command("evaluate", tmp_path / "o", *more) for more in ([], ["--text", tmp_path / "b.txt"]))
    assert "bits per byte" in here.stdout and "bits per byte" in other.stdout, other.stderr
    assert here.stdout != other.stdout
    nothing = command("sample", tmp_path)
    assert nothing.returncode == 1 and nothing.stderr.startswith("pretrain: There is no recorded run")


def test_weights_beyond_the_size_of_a_file_are_kept_in_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "SHARD", 100)
    weights = {f"w{number}": torch.full((20,), float(number)) for number in range(12)}
    files = record.save_weights(tmp_path, weights)
    assert files[:2] == ["weights.pt", "weights-2.pt"] and len(files) == 6
    again = record.load_weights(tmp_path)
    assert again.keys() == weights.keys() and all(torch.equal(again[name], weights[name]) for name in weights)


@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_a_run_that_was_killed_ends_with_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dropout: float
) -> None:
    config = changed(TINY, [f"dropout={dropout}"])
    make(config, tmp_path / "whole")
    real = run.train

    def killed(model: Any, batches: Callable[[int], Any], *rest: Any, **options: Any) -> Any:
        def until_five(number: int) -> Any:
            if number == 5:
                raise KeyboardInterrupt
            return batches(number)

        return real(model, until_five, *rest, **options)

    monkeypatch.setattr(run, "train", killed)
    with pytest.raises(KeyboardInterrupt):
        make(config, tmp_path / "cut")
    assert (tmp_path / "cut" / "log.txt").read_text().count("step ") == 2
    monkeypatch.setattr(run, "train", real)
    make(config, tmp_path / "cut", resume=True)
    columns = ["step", "train loss", "validation loss", "learning rate", "tokens"]
    assert history(tmp_path / "cut")[columns].equals(history(tmp_path / "whole")[columns])
    one, other = (record.load_weights(tmp_path / name) for name in ("whole", "cut"))
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert (tmp_path / "cut" / "samples.txt").read_text() == (tmp_path / "whole" / "samples.txt").read_text()


def test_parts_of_a_step_change_nothing_but_the_order_of_sums(tmp_path: Path) -> None:
    adamw = replace(TINY, optimiser="adamw", rate=3e-3)
    make(adamw, tmp_path / "one")
    make(replace(adamw, accumulate=4), tmp_path / "four")
    for name in ("train loss", "validation loss"):
        assert np.allclose(history(tmp_path / "one")[name], history(tmp_path / "four")[name], rtol=0, atol=1e-5)


def test_two_processes_give_the_losses_of_one(tmp_path: Path) -> None:
    changes = ["steps=12", "every=2", "tokens=3000", "accumulate=2", "optimiser=adamw", "rate=0.003"]
    options = [word for change in changes for word in ("--set", change)]
    found = command("--config", "tiny", *options, "--out", tmp_path / "two", processes=2)
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("step ") == 6  # the second process says nothing
    config = changed(CONFIGS["tiny"], changes)
    make(replace(config, accumulate=1), tmp_path / "one")
    one, two = history(tmp_path / "one"), history(tmp_path / "two")
    for name in ("train loss", "validation loss"):
        assert np.abs(one[name] - two[name]).max() <= 1e-5
        assert one[name].iloc[0] - one[name].iloc[-1] > 0.05  # they have learned something in the meantime
    assert one["tokens"].equals(two["tokens"])
    kept = json.loads((tmp_path / "two" / "record.json").read_text())
    assert kept["machine"]["processes"] == 2
    assert kept["command"].startswith("torchrun --nproc_per_node=2 -m lmkit.pretrain --config tiny --set steps=12")


def test_two_processes_with_muon(tmp_path: Path) -> None:
    changes = ["steps=12", "every=2", "tokens=3000"]
    options = [word for change in changes for word in ("--set", change)]
    found = command("--config", "tiny", *options, "--out", tmp_path / "two", processes=2)
    assert found.returncode == 0, found.stderr
    make(changed(CONFIGS["tiny"], changes), tmp_path / "one")
    one, two = history(tmp_path / "one"), history(tmp_path / "two")
    for name in ("train loss", "validation loss"):
        assert np.abs(one[name] - two[name]).max() <= 1e-5
        assert one[name].iloc[0] - one[name].iloc[-1] > 0.1


# ---- batches


def test_processes_and_parts_share_out_one_batch() -> None:
    text = torch.arange(1000)
    whole = batches.Batches(text, BLOCKS, 1, Processes())
    for step in (0, 3):
        tokens, targets, count, last = whole(step)
        assert tokens.shape == (12, 7) and last and count == 84 and torch.equal(tokens + 1, targets)
        parts = [
            batches.Batches(text, replace(BLOCKS, accumulate=2), 1, Processes(rank, 3))(2 * step + part)
            for rank in range(3)
            for part in (0, 1)
        ]
        assert torch.equal(torch.cat([part[0] for part in parts]), tokens)
        assert [part[3] for part in parts] == [False, True] * 3
    assert not torch.equal(whole(0)[0], whole(1)[0])


def test_batches_reach_every_place_of_the_text() -> None:
    config = replace(BLOCKS, sizes={**BLOCKS.sizes, "block": 4}, batch=300)
    tokens, targets, *_ = batches.Batches(torch.arange(20), config, 1, Processes())(0)
    assert set(tokens[:, 0].tolist()) == set(range(16)) and targets.max() == 19


def test_what_is_loaded_ahead_is_what_would_have_come() -> None:
    text = torch.arange(100)
    for order in ([0, 1, 2], [5, 6, 2, 3, 3]):
        ahead = batches.Batches(text, BLOCKS, 9, Processes())
        for number in order:
            assert torch.equal(ahead(number)[0], batches.Batches(text, BLOCKS, 9, Processes()).make(number)[0])


def test_validation_windows_lie_side_by_side_and_have_the_shape_of_training() -> None:
    text = torch.arange(35)
    config = replace(BLOCKS, sizes={**BLOCKS.sizes, "block": 4}, batch=6, validation_batches=100)
    for processes in (1, 2):
        for accumulate in (1, 3):
            parts = [
                part
                for rank in range(processes)
                for part in batches.validation(text, replace(config, accumulate=accumulate), Processes(rank, processes))
            ]
            assert {part[0].shape for part in parts} == {(6 // processes // accumulate, 4)}
            kept = [(part[0][part[1] >= 0], part[1][part[1] >= 0], part[2]) for part in parts]
            assert sorted(torch.cat([tokens for tokens, _, _ in kept]).tolist()) == list(range(32))
            assert all(torch.equal(tokens + 1, targets) and len(tokens) == count for tokens, targets, count in kept)
    few = batches.validation(text, replace(config, batch=3, validation_batches=2), Processes())
    assert torch.equal(torch.cat([part[0] for part in few]).flatten(), torch.arange(24))
    with pytest.raises(ValueError, match="too few for 2 blocks of 20"):
        batches.validation(text, replace(config, sizes={**config.sizes, "block": 20}), Processes(0, 2))


class Counting(torch.nn.Module):
    """Certain (nearly) of the next number once it has seen `need` numbers, else it has no idea."""

    def __init__(self, need: int) -> None:
        super().__init__()
        self.need, self.weight = need, torch.nn.Parameter(torch.zeros(1))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        scores = 50.0 * torch.nn.functional.one_hot((tokens + 1) % 64, 64)
        scores[:, : self.need - 1] = 0
        return scores


@pytest.mark.parametrize("context", [0, 1, 4, 7])
def test_every_token_of_a_text_counts_once_with_its_context_before_it(context: int) -> None:
    text = torch.arange(64)
    assert text_loss(Counting(1), text, 8, context=context) == pytest.approx(0, abs=1e-6)
    begins = sorted({*range(0, 63 - 8, 8 - context), 63 - 8})
    for need in (2, 4, 6):  # at a loss: tokens that have fewer than `need` before them in the window that counts them
        first = [min(begin for begin in begins if begin < target <= begin + 8) for target in range(1, 64)]
        lost = sum(target - begin < need for target, begin in zip(range(1, 64), first, strict=True))
        assert text_loss(Counting(need), text, 8, context=context, batch=3) == pytest.approx(
            lost * math.log(64) / 63, abs=1e-6
        )
    with pytest.raises(ValueError, match="a block of 64 and its targets need more"):
        text_loss(Counting(1), text, 64)


# ---- texts


def test_a_file_by_characters_and_by_words(tmp_path: Path) -> None:
    file = tmp_path / "verse.txt"
    file.write_text("The cat sat.\nThe dog's cat!\n" * 20, encoding="utf-8")
    letters = rows.read_text(by_letters(TINY, file))
    assert letters.spelling.spell(letters.train.tolist() + letters.valid.tolist()) == file.read_text()
    assert (
        len(letters.train) == 9 * len(letters.valid) and letters.spelling.symbols[1] == "\n" and letters.floor is None
    )
    words = rows.read_text(replace(TINY, corpus=str(file)))
    assert words.spelling.spell(words.train[:9].tolist()) == "The cat sat .\nThe dog's cat !"
    assert set(words.spelling.symbols) == {"<UNK>", "</s>", "The", "cat", "sat", ".", "dog's", "!"}
    assert words.sha256 != letters.sha256 == rows.read_text(by_letters(TINY, file)).sha256
    pairs = rows.read_text(replace(TINY, corpus=str(file), level="bpe", vocabulary=270))
    assert pairs.spelling.spell(pairs.train.tolist() + pairs.valid.tolist()) == file.read_text()
    assert len(pairs.spelling.symbols) <= 270 and len(pairs.train) < len(letters.train)
    assert rows.row_of(file, pairs.spelling).valid_bytes == file.stat().st_size


def test_a_vocabulary_has_a_limit_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "many.txt"
    file.write_text(" ".join(f"word{number}" for number in range(50) for _ in range(2 + number // 10)) + " end" * 60)
    text = rows.read_text(replace(TINY, corpus=str(file), vocabulary=11))
    assert len(text.spelling.symbols) == 11 and "the 10 most frequent of 51 words are kept" in capsys.readouterr().out
    assert {f"word{number}" for number in range(40, 49)} <= set(text.spelling.symbols)


def test_rare_words_are_unknown_and_so_are_new_ones(tmp_path: Path) -> None:
    file = tmp_path / "rare.txt"
    file.write_text("a b a b once a b a b a b a b a b a b a new")
    text = rows.read_text(replace(TINY, corpus=str(file)))
    assert text.spelling.symbols == ["<UNK>", "a", "b"]
    assert text.train.tolist().count(0) == 1 and text.valid.tolist().count(0) >= 1


def test_kitchen_text_has_its_floor_in_any_spelling() -> None:
    words, letters, pairs = (
        rows.read_text(replace(TINY, level=level, tokens=150_000)) for level in ("word", "character", "bpe")
    )
    assert words.floor and letters.floor and pairs.floor
    assert pairs.floor * len(pairs.valid) == pytest.approx(letters.floor * len(letters.valid))
    # The floors are one figure, but that by words merges those which training does not show.
    assert words.floor * len(words.valid) < letters.floor * len(letters.valid)
    assert letters.floor * len(letters.valid) / len(words.valid) == pytest.approx(1.58, abs=0.05)
    assert words.spelling.spell(words.valid[:400].tolist()).count("\n") > 0
    assert letters.spelling.spell(letters.valid[:200].tolist()).startswith(
        words.spelling.spell(words.valid[:3].tolist()).split("<UNK>")[0]
    )


def test_made_text_is_the_same_from_one_process_and_from_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lmkit.runs.rows.SHARD", 500)
    many = rows.read_text(replace(TINY, tokens=2_000))
    monkeypatch.setattr("lmkit.runs.rows.ProcessPoolExecutor", lambda *_: pytest.fail("three shards need no processes"))
    few = rows.read_text(replace(TINY, tokens=1_500))
    assert len(many.train) > len(few.train) + 400
    assert (
        many.spelling.spell(many.train[:400].tolist()).split()[:20]
        != few.spelling.spell(few.train[600:1000].tolist()).split()[:20]
    )


# ---- utilisation


def test_utilisation_is_a_share_of_a_known_peak_or_unknown() -> None:
    assert record.utilisation(10**9, 98_900, "NVIDIA H200", "bfloat16", 1) == pytest.approx(0.1)
    assert record.utilisation(10**9, 98_900, "NVIDIA H200", "bfloat16", 2) == pytest.approx(0.05)
    assert record.utilisation(10**9, 98_900, "NVIDIA H200", "float32", 1) is None
    assert record.utilisation(10**9, 98_900, "NVIDIA H201", "bfloat16", 1) is None
    assert record.utilisation(10**9, 98_900, "NVIDIA H100 80GB HBM3", "bfloat16", 1) == pytest.approx(0.1)
    assert record.utilisation(10**9, 83_500, "NVIDIA H100 NVL", "bfloat16", 1) == pytest.approx(0.1)
    assert record.percent(None) == "unknown" and record.percent(0.4123) == "41.2 %"


def test_speed_is_that_between_rows() -> None:
    table = pd.DataFrame({"tokens": [100, 300], "seconds": [1.0, 2.0]})
    assert record.with_speed(table)["tokens per second"].tolist() == [100.0, 200.0]


# ---- mistakes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--config", "huge"], "pretrain: --config huge: choose one of: tiny, laptop, gpu."),
        (
            ["--config", "gpu"],
            "pretrain: --config gpu: no GPU was found, and a CPU would need months; choose --config laptop.",
        ),
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
        ("speed=9", "there is no 'speed'; choose one of: steps, rate"),
        ("warmup=1.5", "'1.5' is no int"),
        ("optimiser=adam", "choose one of: adamw, muon, sgd"),
        ("batch=0", "batch must be at least 1"),
    ],
)
def test_a_change_that_makes_no_sense_is_named(change: str, message: str) -> None:
    with pytest.raises(RunError, match=message):
        changed(TINY, [change])


def test_changes_reach_the_run_and_its_model() -> None:
    config = changed(TINY, ["steps=1_000", "dropout=0.1", "compiled=true", "norm=layer"])
    assert (config.steps, config.sizes["dropout"], config.compiled, config.sizes["norm"]) == (1000, 0.1, True, "layer")
    config = changed(TINY, ["rate=1", "vocabulary=600", "corpus=berkeley", "every=7"])
    assert (config.rate, config.vocabulary, config.corpus, config.row_every) == (1.0, 600, "berkeley", 7)


def test_what_cannot_be_run_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RunError, match="batch 8 cannot be divided among 3 processes in 1 parts"):
        make(TINY, tmp_path, processes=Processes(count=3))
    with pytest.raises(RunError, match="Fresh stories are read by one process"):
        make(replace(TINY, corpus=None), tmp_path, processes=Processes(count=2))
    with pytest.raises(RunError, match="There is no corpus or file 'bible'"):
        make(replace(TINY, corpus="bible"), tmp_path / "a")
    with pytest.raises(RunError, match="toy-house has one split only"):
        make(changed(TINY, ["corpus=toy-house"]), tmp_path / "b")
    (tmp_path / "short.txt").write_text("too short")
    with pytest.raises(RunError, match="a block of 32 and its targets need more"):
        make(by_letters(TINY, tmp_path / "short.txt"), tmp_path / "c")
    (tmp_path / "latin.txt").write_bytes("Müller".encode("latin-1"))
    with pytest.raises(RunError, match="this is no UTF-8 text"):
        make(by_letters(TINY, tmp_path / "latin.txt"), tmp_path / "d")
    with pytest.raises(RunError, match="Muon is set up for the Transformer"):
        make(replace(TINY, network="lstm", sizes={"width": 8, "hidden": 8}), tmp_path / "e")
    monkeypatch.setattr(run.shutil, "which", lambda _: None)
    with pytest.raises(RunError, match="Compiling needs a C compiler"):
        make(replace(TINY, compiled=True), tmp_path / "f")


@pytest.mark.parametrize("error", [ValueError("a bug of ours"), FloatingPointError("The loss is nan")])
def test_a_bug_in_training_keeps_its_traceback(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a loss that is not finite is the user's to mend: the rate was too high."""

    def fails(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(run, "train", fails)
    with pytest.raises(RunError if isinstance(error, FloatingPointError) else ValueError, match=str(error)):
        make(TINY, tmp_path)


def test_a_folder_belongs_to_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RunError, match="there is no run in"):
        make(TINY, tmp_path, resume=True)
    file = tmp_path / "mine.txt"
    file.write_text("words and words " * 400)
    config, out = replace(TINY, steps=2, every=1, corpus=str(file)), tmp_path / "out"
    monkeypatch.setattr(rows.Rows, "measured", lambda *_: pytest.fail("stop"))  # killed after its training
    with pytest.raises(pytest.fail.Exception):
        make(config, out, resume=False)
    monkeypatch.undo()
    with pytest.raises(RunError, match="go on with --resume"):
        make(config, out, resume=False)
    with pytest.raises(RunError, match=r"holds another run \(rate: 0.02 there, 0.1 here; layers: 2 there, 3 here\)"):
        make(changed(config, ["layers=3", "rate=0.1"]), out, resume=True)
    file.write_text("other words " * 400)
    with pytest.raises(RunError, match=r"mine.txt has changed since"):
        make(config, out, resume=True)
    file.write_text("words and words " * 400)
    make(config, out, resume=True)
    with pytest.raises(RunError, match="There is a finished run in"):
        make(config, out, resume=False)
    assert differences(json.loads((out / "record.json").read_text())["config"], config) == []


def test_what_ended_before_anything_was_learned_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "trained", lambda *_, **__: (_ for _ in ()).throw(MemoryError))
    with pytest.raises(MemoryError):
        make(TINY, tmp_path, resume=False)
    monkeypatch.undo()
    make(replace(TINY, batch=4), tmp_path, resume=False)
    assert load(tmp_path).config.batch == 4


def test_a_learning_rate_far_too_high_is_one_line_too(tmp_path: Path) -> None:
    config = changed(TINY, ["optimiser=adamw", "rate=1e30", "clip=1e30", "warmup=1"])
    with pytest.raises(RunError, match="loss is nan|loss is inf"):
        make(config, tmp_path)


def test_other_networks_learn_from_a_text_too(tmp_path: Path) -> None:
    config = replace(
        TINY, network="lstm", sizes={"width": 16, "hidden": 16}, optimiser="adamw", rate=1e-2, weights=True
    )
    make(config, tmp_path / "lstm")
    assert load(tmp_path / "lstm").write("a", 4).startswith("a ") and numbers(tmp_path / "lstm")["parameters"] > 0


def test_compiled_training_gives_the_losses_of_plain_training(tmp_path: Path) -> None:
    config = replace(TINY, steps=4, optimiser="adamw", rate=3e-3)
    make(config, tmp_path / "plain")
    if " " in torch.__file__:
        with pytest.raises(RunError, match="torch cannot compile where its own path has a blank"):
            make(replace(config, compiled=True), tmp_path / "compiled")
        return
    make(replace(config, compiled=True), tmp_path / "compiled")
    for name in ("train loss", "validation loss"):
        one, other = (history(tmp_path / kind)[name] for kind in ("plain", "compiled"))
        assert np.allclose(one, other, rtol=0, atol=1e-4)
