"""Recorded runs: what is stored is what the code says, and a small one can be made, killed and made again."""

import hashlib
import json
import time
from dataclasses import asdict, replace

import pandas as pd
import pytest
import torch

from lmkit import runs
from lmkit.models import build, nats_per_token, parameter_count
from lmkit.runs import reading, run, stories
from lmkit.runs.configs import RUNS, SIZES, STUDIES, RunConfig, Study
from lmkit.runs.processes import Processes
from lmkit.runs.stories import Stories, pair, spelled, vocabulary
from lmkit.runs.text import NO_TARGET

RECORDED = runs.names()
STUDIED = sorted(name for name in STUDIES if (reading.FOLDER / name / "record.json").exists())
SMALL = RunConfig("small", "transformer", {"width": 16, "layers": 1, "heads": 2, "block": 160}, 6, 1e-3, seeds=(1, 2))


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_loss_is_found_again(name):
    recorded = runs.load(name)
    if RUNS[name].weights:
        wanted = recorded.numbers["weights"]["valid nats"]
        texts = stories.valid_texts(RUNS[name].level)
        assert nats_per_token(recorded.model, texts) == pytest.approx(wanted, abs=1e-4)
        assert parameter_count(recorded.model.network) == recorded.each("parameters")[0]
    else:
        with pytest.raises(ValueError, match="without weights"):
            _ = recorded.model


@pytest.mark.parametrize("name", [*RECORDED, *STUDIED])
def test_the_record_belongs_to_its_files_and_to_the_code(name):
    folder = reading.FOLDER / name
    record = json.loads((folder / "record.json").read_text())
    for file, digest in record["sha256"].items():
        assert hashlib.sha256((folder / file).read_bytes()).hexdigest() == digest, file
    if name in RUNS:
        assert RunConfig.read(record["config"]) == RUNS[name], "the config has changed: make the run again"
    else:
        now = json.loads(json.dumps(asdict(STUDIES[name])))
        base = RunConfig.read(record["config"].pop("base"))
        assert base == RunConfig.read(now.pop("base")) and record["config"] == now
    assert name in record["command"]


@pytest.mark.parametrize("name", RECORDED)
def test_history_and_numbers_are_of_the_same_seeds(name):
    recorded = runs.load(name)
    assert recorded.seeds == [str(seed) for seed in RUNS[name].seeds]
    assert sorted(recorded.history["seed"].unique()) == sorted(RUNS[name].seeds)
    for seed in RUNS[name].seeds:
        last = recorded.history[recorded.history["seed"] == seed].iloc[-1]
        assert last["step"] == RUNS[name].steps
        assert last["seconds"] == pytest.approx(recorded.numbers[str(seed)]["CPU seconds"], rel=1e-3)


def test_loading_is_quick_and_all_is_small():
    size = sum(file.stat().st_size for file in reading.FOLDER.rglob("*") if file.is_file())
    assert size <= 25e6
    for name in RECORDED:
        if RUNS[name].weights:
            begin = time.process_time()
            _ = runs.load(name).model
            assert time.process_time() - begin < 1


def test_the_stored_vocabularies_are_those_of_the_text():
    for level in ("word", "character"):
        stored = (reading.FOLDER / "symbols" / f"{level}.txt").read_text(encoding="utf-8").split("\n")[:-1]
        assert tuple(stored) == vocabulary(level)


def test_what_is_compared_has_equally_many_weights():
    counts = []
    for name, sizes in SIZES.items():
        network = build(name, 100, **sizes)
        counts.append(parameter_count(network) - 100 * sizes["width"])
    assert max(counts) / min(counts) < 1.002


def test_batches_are_whole_stories_and_a_function_of_their_number():
    symbols = vocabulary("word")
    config = replace(SMALL, batch=4)
    batches = Stories("word").batches(config, 1, Processes())
    inputs, targets, count, last = batches(3)
    again = Stories("word").batches(config, 1, Processes())(3)
    torch.testing.assert_close((inputs, targets), again[:2])
    assert count == int((targets != NO_TARGET).sum()) and last
    assert not torch.equal(batches(4)[1][:, :20], targets[:, :20])
    halves = [Stories("word").batches(replace(config, accumulate=2), 1, Processes())(number) for number in (6, 7)]
    assert sum(half[2] for half in halves) == count and [half[3] for half in halves] == [False, True]
    for read, wanted in zip(inputs, targets, strict=True):
        length = int((wanted != NO_TARGET).sum())
        assert read[0] == symbols.index("</s>") and wanted[length - 1] == symbols.index("</s>")
        assert torch.equal(read[1:length], wanted[: length - 1])
    padded = pair([torch.tensor([5, 6, 7]), torch.tensor([8])], end=1)
    assert padded[0].tolist() == [[1, 5, 6], [1, 8, 1]] and padded[1].tolist() == [[5, 6, 7], [8, -100, -100]]
    assert spelled(["ab", "c", "</s>"], "character") == ["a", "b", " ", "c", "</s>"]


def test_a_killed_run_goes_on_and_ends_with_the_same_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(stories, "PROBED", 500)
    monkeypatch.setattr(stories, "WORDS_OF_TEST", 500)
    stories._test.cache_clear()
    config = replace(SMALL, weights=True)
    run.make(config, tmp_path / "whole", command="make small")

    first = run.trained

    def killed(config, seed, source, **options):
        if seed == 2:
            raise KeyboardInterrupt
        return first(config, seed, source, **options)

    monkeypatch.setattr(run, "trained", killed)
    with pytest.raises(KeyboardInterrupt):
        run.make(config, tmp_path / "parts", command="make small")
    assert not (tmp_path / "parts" / "record.json").exists()
    monkeypatch.setattr(run, "trained", first)
    run.make(config, tmp_path / "parts", command="make small")
    stories._test.cache_clear()

    one, other = (json.loads((tmp_path / part / "numbers.json").read_text()) for part in ("whole", "parts"))
    for seed in ("1", "2"):
        for varies in ("CPU seconds", "wall seconds", "tokens per second"):
            one[seed].pop(varies), other[seed].pop(varies)
    assert one == other
    assert not (tmp_path / "parts" / "state").exists()
    record = json.loads((tmp_path / "parts" / "record.json").read_text())
    assert set(record["sha256"]) == {
        *("history.csv", "weights.pt", "samples.txt", "numbers.json", "log.txt", "loss.png")
    }


def test_a_study_gives_each_variant_its_own_best_rate(tmp_path, monkeypatch):
    tried = []

    def result(config, seed):
        tried.append((config.warmup, config.rate, seed))
        best = 0.1 if config.warmup == 1 else 0.2
        loss = float("nan") if config.rate == 0.3 else abs(config.rate - best)
        return {"valid nats": loss, "CPU seconds": 1.0, "parameters": 5}

    monkeypatch.setattr(run, "_tried", result)
    study = Study("s", SMALL, {"a": {"warmup": 1}, "b": {"warmup": 2}}, rates=(0.3, 0.2, 0.1), seeds=(1, 2))
    run.make_study(study, "make s", tmp_path)
    assert [rate for warmup, rate, seed in tried if seed != 4] == [0.1, 0.1, 0.2, 0.2]
    before = list(tried)
    run.make_study(study, "make s", tmp_path)
    assert tried == before  # what is there is not trained again
    rows = pd.read_csv(tmp_path / "results.csv")
    assert len(rows) == 10 and list(rows["variant"].unique()) == ["a", "b"]


def test_variants_change_fields_and_sizes():
    study = STUDIES["ablations"]
    assert study.config("post-norm", 0.5).sizes["norm_place"] == "after"
    assert study.config("post-norm", 0.5).sizes["layers"] == 2
    assert study.config("SGD", 0.5).optimiser == "sgd"
    assert STUDIES["networks"].config("lstm", 0.5).sizes == SIZES["lstm"]
    for study in STUDIES.values():
        for variant in study.variants:
            config = study.config(variant, study.rates_of(variant)[0])
            build(config.network, 10, **config.sizes)


def test_what_is_not_recorded():
    with pytest.raises(ValueError, match="There is no recorded run 'nothing'; give the folder"):
        runs.load("nothing")
    with pytest.raises(ValueError, match="There is no recorded study 'nothing'"):
        runs.load_study("nothing")
