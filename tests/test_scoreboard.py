"""The scoreboard: every model behind one interface, and the recorded tables against what makes them."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from autograder.course import sections_of
from benchmarks import scoreboard as command
from benchmarks import scoreboard_page
from benchmarks.models import MODELS, Text
from conftest import ROOT
from lmkit import kitchen, runs, scoreboard
from lmkit.models import encode, score
from lmkit.ngrams import END

CHAPTER = "\n".join(path.read_text() for path in sections_of(ROOT / "solutions" / "10_scoreboard"))
CLAIMS = list(csv.DictReader((scoreboard.FOLDER / "claims" / "chapter.csv").open()))


@pytest.fixture(scope="module")
def text() -> Text:
    return Text.of(kitchen.split("train")[:150], command.symbols())


@pytest.fixture(scope="module")
def scores() -> scoreboard.Scores:
    return scoreboard.log_probabilities()


def test_the_registry_holds_every_recorded_run_with_weights_and_every_row_of_the_table() -> None:
    with_weights = {name for name in runs.names() if (runs.load(name).folder / "weights.pt").exists()}
    assert {entry.run for entry in MODELS.values() if entry.run} == with_weights - {"kitchen-gpt"}  # chapter 08's own
    assert list(scoreboard.table("models")["model"]) == list(MODELS)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_gives_rows_that_sum_to_one_and_reads_nothing_ahead(name: str, text: Text) -> None:
    model = MODELS[name].make(text)
    story = kitchen.split("test")[0].tokens[:7]
    (tokens,) = encode(model.symbols, [story])
    rows = model.log_probabilities(tokens[None])
    assert rows.shape == (1, 8, len(text.symbols))
    assert sorted(model.symbols) == sorted(text.symbols)
    assert torch.allclose(rows.double().exp().sum(-1), torch.ones(1, 8, dtype=torch.float64), atol=1e-5)
    assert torch.allclose(model.log_probabilities(tokens[None, :4]), rows[:, :5], atol=1e-4)


@pytest.mark.parametrize("name", ["window", "LSTM"])
def test_stored_log_probabilities_are_found_again(name: str, scores: scoreboard.Scores, text: Text) -> None:
    stories = kitchen.split("test")[:12]
    found = np.concatenate(score(MODELS[name].make(text), [story.tokens for story in stories]))
    assert np.abs(found - scores[name][: len(found)]).max() < 1e-3


def test_stored_counting_model_is_found_again(scores: scoreboard.Scores) -> None:
    model = MODELS["Laplace 2"].make(command.counted_text())
    found = np.concatenate(score(model, [story.tokens for story in kitchen.split("test")[:12]]))
    assert np.abs(found - scores["Laplace 2"][: len(found)]).max() < 1e-3


def test_stored_tokens_are_the_frozen_stories(scores: scoreboard.Scores) -> None:
    stories = kitchen.split("test")[: command.SAMPLE]
    words = torch.cat(encode(scores.symbols, [story.tokens for story in stories])).numpy()
    assert np.array_equal(scores.tokens, words)
    assert np.array_equal(np.bincount(scores.document), [len(story) for story in stories])
    ends = scores.tokens == list(scores.symbols).index(END)
    assert np.array_equal(np.flatnonzero(ends), np.flatnonzero(np.diff(scores.document, append=-1)))
    assert list(scores.names) == list(command.KEPT)


def test_the_truth_is_the_exact_floor_and_nothing_is_likelier_than_its_likeliest(scores: scoreboard.Scores) -> None:
    exact = -np.concatenate(command.true_nats()[: command.SAMPLE])
    assert np.abs(scores["truth"] - exact).max() < 1e-4
    best = scores.confidence("truth")
    assert np.abs(best - scores.true_confidence("truth")).max() < 1e-3
    for name in scores.names:
        assert (scores.true_confidence(name) <= best + 1e-3).all(), name
        assert (scores[name] <= np.log(scores.confidence(name)) + 2e-3).all(), name
        hit = scores.top(name) == scores.tokens
        assert np.abs(np.exp(scores[name][hit]) - scores.confidence(name)[hit]).max() < 1e-3, name


def test_the_table_of_models_agrees_with_the_stored_tokens(scores: scoreboard.Scores) -> None:
    """200 of 1,220 stories: the gap may differ by a few standard errors, and the order of distant models may not."""
    table = scoreboard.table("models").set_index("model")
    for name in scores.names:
        gap = (scores["truth"] - scores[name]).mean() / np.log(2)
        assert abs(gap - table.loc[name, "bits above the floor"]) <= 5 * 6.1**0.5 * table.loc[name, "error"] + 1e-6


def test_derived_tables_follow_from_the_recorded_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {name: scoreboard.table(name) for name in ("calibration", "trust", "exponents")}
    for name in ("shares.csv",):
        (tmp_path / name).write_bytes((scoreboard.FOLDER / name).read_bytes())
    stored = scoreboard.log_probabilities()
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    monkeypatch.setattr(command, "log_probabilities", lambda: stored)
    command.calibration()
    command.exponents()
    for name, table in before.items():
        pd.testing.assert_frame_equal(pd.read_csv(tmp_path / f"{name}.csv"), table)


def test_the_page_is_made_from_the_tables() -> None:
    assert scoreboard_page.FILE.read_text(encoding="utf-8") == scoreboard_page.page()


def test_a_wrong_name_gets_one_clear_line(scores: scoreboard.Scores) -> None:
    with pytest.raises(ValueError, match="no table 'nothing'; choose one of: "):
        scoreboard.table("nothing")
    with pytest.raises(ValueError, match="no scores of 'GPT'; choose one of: unigram"):
        scores["GPT"]


def test_a_corpus_that_is_not_there_gets_one_clear_line() -> None:
    with pytest.raises(SystemExit, match="'nothing'"):
        command.other_corpus("nothing", 1)


def test_compared_counts_stories_as_the_draws() -> None:
    nats = [np.array([1.0, 3.0]), np.array([2.0])]
    floor = [np.array([0.5, 1.5]), np.array([2.0])]
    found = command.compared(nats, floor)
    assert found["perplexity"] == pytest.approx(np.exp(2))
    assert found["bits above the floor"] == pytest.approx(2 / 3 / np.log(2))
    assert found["error"] == pytest.approx(np.hypot(2 - 4 / 3, 0 - 2 / 3) / 3 / np.log(2))


@pytest.mark.parametrize("claim", CLAIMS, ids=[claim["says"] for claim in CLAIMS])
def test_what_the_chapter_says_in_prose_is_what_was_recorded(claim: dict[str, str]) -> None:
    """`says` stands in the chapter word for word, and `how`, an expression on the tables, makes the same text."""
    names = {name: scoreboard.table(name) for name in scoreboard.tables()}
    models = names["models"].set_index("model")
    asked = names["probes"].set_index("probe")

    def share(model: str, kind: str) -> pd.Series:
        """The share of right answers to each probe whose name holds `kind`."""
        rows = asked[(asked["model"] == model) & asked.index.str.contains(kind)]
        return rows["right"] / rows["asked"]

    made = eval(claim["how"], {**names, "M": models, "share": share})
    assert made == claim["says"]
    assert claim["says"] in " ".join(CHAPTER.replace("\n# ", "\n").split())
