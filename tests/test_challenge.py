"""The challenge: honest entries get what they earn, and nothing else earns anything."""

import math
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from typer.testing import CliRunner

from autograder.challenge.game import Entry, Game, better_than, entries_in, give_or_take, make_game, run_entry, standing
from autograder.cli import app
from autograder.course import CourseError
from lmkit import kitchen
from lmkit.challenge import make

ROOT = Path(__file__).resolve().parent.parent
OWN = ROOT / "challenge"
MEMORY = 4 * 2**30
V = 12
SECONDS = 1.5


def small_game() -> Game:
    """Five stories of different lengths, of which the truth knows little more than that all tokens are alike."""
    draws = np.random.default_rng(1)
    stories = [np.array([*draws.integers(1, V, size=length), 0]) for length in (1, 3, 4, 6, 6)]
    return Game(draws.integers(V, size=400), stories, [np.full(len(story), -math.log(V)) for story in stories], V, 7)


def entry(folder: Path, source: str, name: str = "entry") -> Path:
    path = folder / f"{name}.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(source)]), path)
    return path


def run(folder: Path, source: str, name: str = "entry") -> Entry:
    return run_entry(entry(folder, source, name), small_game(), SECONDS, MEMORY)


HEAD = "import os, sys, time, threading\nimport numpy as np\n"
UNIFORM = "def model(p):\n        return np.zeros((len(p), V))"


def fit(body: str = "", model: str = UNIFORM, returned: str = "model") -> str:
    """An entry whose fit does `body`, defines `model` and returns it."""
    return f"{HEAD}def fit(tokens, V, seconds):\n    {body or 'pass'}\n    {model}\n    return {returned}\n"


def answers(expression: str) -> str:
    return f"def model(p):\n        return {expression}"


# What an entry tries, and the words in which it is told that it got nothing for it.
HELD = {
    "NaN": (fit(model=answers("np.full((len(p), V), np.nan)")), "NaN or infinity"),
    "infinity": (fit(model=answers("np.full((len(p), V), np.inf)")), "NaN or infinity"),
    "everything impossible": (fit(model=answers("np.full((len(p), V), -np.inf)")), "every token impossible"),
    "one row for all": (fit(model=answers("np.zeros(V)")), "shape"),
    "too many columns": (fit(model=answers("np.zeros((len(p), V + 1))")), "shape"),
    "texts": (fit(model=answers("[['a'] * V] * len(p)")), "no array of numbers"),
    "nothing": (fit(model=answers("None")), "NoneType"),
    "an object of its own": (fit(model=answers("model")), "should return an array"),
    "a huge array": (fit(model=answers("np.zeros((3000, 3000))")), "longer than 64 MiB"),
    "an endless loop": (fit("while True: pass"), "was stopped"),
    "sleeping": (fit("time.sleep(1000)"), "was stopped"),
    "training in a child": (
        fit("child = os.fork()\n    while True:\n        if child: time.sleep(1)"),
        "was stopped",
    ),
    "training in threads": (
        fit("[threading.Thread(target=lambda: all(iter(int, 1))).start() for _ in range(3)]\n    time.sleep(1000)"),
        "was stopped",
    ),
    "training while it answers": (
        fit(model="def model(p):\n        while True: pass"),
        "was stopped",
    ),
    "learning from the test": (
        fit(
            "seen = []",
            "def model(p):\n        seen.append(1)\n        return np.eye(V)[len(seen) % V] + np.zeros((len(p), V))",
        ),
        "answers differently",
    ),
    "the language itself": (fit("import lmkit.kitchen"), "No module named 'lmkit'"),
    "the text on the disk": (fit("open('/tmp/game.npz')"), "No such file"),
    "ending the process": (fit(model=answers("os._exit(0)")), "ended the Python process"),
    "noise on the wire": (
        fit("[os.write(n, b'x' * 64) for n in range(3, 40) if os.path.exists(f'/proc/self/fd/{n}')]"),
        "ended the Python process|protocol|too large|raises|cannot",
    ),
    "no fit": ("x = 1", "Define a function fit"),
    "fit is no function": ("fit = 3", "Define a function fit"),
    "no model": (fit(returned="7"), "should return a function"),
    "an error": (fit(model=answers("1 / 0")), "ZeroDivisionError"),
    "an error in a cell": ("import nothing_of_this_name", "A cell of yours fails"),
    "leaving from a cell": ("import os\nos._exit(1)", "ended the Python process"),
}


@pytest.mark.parametrize("attempt", HELD)
def test_what_is_no_answer_has_no_score_and_is_told_why(attempt: str, tmp_path: Path) -> None:
    source, words = HELD[attempt]
    found = run(tmp_path, source)
    assert found.bits == () and found.score == math.inf
    assert any(word in found.problem for word in words.split("|")), found.problem


# Attempts that are let through, since they change nothing: what counts is what the rows say.
HARMLESS = {
    "rows that sum to far more than 1": fit(model=answers("np.full((len(p), V), 500.0)")),
    "questions changed in place": fit(model="def model(p):\n        p[:] = 0\n        return np.zeros((len(p), V))"),
    "printing": fit("print('bits above the truth: 0' * 1000)"),
    "whole numbers": fit(model=answers("np.zeros((len(p), V), dtype=int)")),
    "lists": fit(model=answers("[[0.0] * V for _ in p]")),
    "a tensor": fit("import torch", answers("torch.zeros(len(p), V)")),
}


@pytest.mark.parametrize("attempt", HARMLESS)
def test_a_uniform_model_scores_like_one_whatever_else_it_does(attempt: str, tmp_path: Path) -> None:
    found = run(tmp_path, HARMLESS[attempt])
    assert found.problem == "" and found.tokens == (2, 4, 5, 7, 7)
    assert found.score == pytest.approx(0, abs=1e-9)


def test_entries_do_not_meet(tmp_path: Path) -> None:
    leaves = fit("open('left', 'w').write('x'); open('/tmp/left', 'w').write('x')")
    looks = fit("assert not os.path.exists('left') and not os.path.exists('/tmp/left')")
    assert run(tmp_path, leaves, "leaves").problem == ""
    assert run(tmp_path, looks, "looks").problem == ""


def test_a_question_holds_nothing_but_the_past(tmp_path: Path) -> None:
    """Every prefix that a model is asked about is the beginning of a story, and shorter than that story."""
    told = "def model(p):\n        assert p.shape[1] < 7 and not (p == 0).any()\n        return np.zeros((len(p), V))"
    assert run(tmp_path, fit(model=told)).problem == ""


def test_the_text_is_new_each_time_and_the_same_for_a_seed() -> None:
    first, again, other = (make(3000, 300, seed) for seed in (5, 5, 6))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["train"][:500], other["train"][:500])
    assert first["train"][-1] == first["scored"][-1] == 0  # whole stories
    counts = np.bincount(first["train"], minlength=int(first["vocabulary"]))
    assert counts[2:].min() == 2 and len(counts) == first["vocabulary"]
    assert len(first["truth"]) == len(first["scored"]) and (first["truth"] <= 0).all()


def test_the_truth_is_the_languages_own() -> None:
    made = make(2000, 200, seed=3)
    draws = np.random.default_rng(3)
    _, second = (int(number) for number in draws.integers(2**31, size=2))
    exact = np.concatenate([kitchen.log_probabilities(story) for story in kitchen.documents(tokens=200, seed=second)])
    known = made["scored"] != 1
    np.testing.assert_allclose(made["truth"][known], exact[known])
    assert (made["truth"][~known] >= exact[~known] - 1e-9).all()  # some unknown word is likelier than this one


def test_the_same_entry_scores_alike_on_fresh_texts(tmp_path: Path) -> None:
    found = []
    for seed in (1, 2, 3):
        game = make_game("lmkit.challenge", 8000, 1500, seed, tmp_path)
        scored = run_entry(OWN / "unigram.ipynb", game, 20.0, MEMORY)
        assert scored.problem == ""
        half = give_or_take(scored, seed)
        bits, tokens = np.array(scored.bits), np.array(scored.tokens)
        left = bits - scored.score * tokens  # of a ratio of sums
        assert half == pytest.approx(1.96 * math.sqrt((left**2).sum()) / tokens.sum(), rel=0.2)
        found.append((scored.score, half))
    for score, half in found:
        for other, others_half in found:
            assert abs(score - other) < 2 * math.hypot(half, others_half)


def test_the_lead_of_an_entry_has_an_interval() -> None:
    draws = np.random.default_rng(1)
    tokens = tuple(int(n) for n in draws.integers(40, 90, size=50))
    good = tuple(float(n * draws.normal(1.0, 0.3)) for n in tokens)
    worse = tuple(bits + 0.2 * n for bits, n in zip(good, tokens, strict=True))
    first, second = Entry("good", good, tokens), Entry("worse", worse, tokens)
    low, high = better_than(first, second, 1)
    assert low == pytest.approx(0.2) and high == pytest.approx(0.2)  # pairs differ by that in every story
    noise = tuple(float(bits + draws.normal(0, 30)) for bits in good)
    low, high = better_than(first, Entry("noise", noise, tokens), 1)
    assert low < 0 < high
    assert [one.name for one in standing([second, Entry("broken", problem="no"), first])] == ["good", "worse", "broken"]


def test_the_command_writes_a_standing(tmp_path: Path) -> None:
    folder = tmp_path / "entries"
    folder.mkdir()
    entry(folder, fit(), "=uniform")
    entry(folder, fit(returned="7"), "broken")
    options = ["--words", "2000", "--scored", "200", "--seconds", "5", "--jobs", "2", "--no-baselines"]
    result = CliRunner().invoke(
        app, ["challenge", str(folder), *options, "--out", str(tmp_path / "out"), "--course", str(ROOT)]
    )
    assert result.exit_code == 0, result.output
    rows = (tmp_path / "out" / "standing.csv").read_text().splitlines()
    assert rows[1].startswith("1,'=uniform,") and "fit should return a function" in rows[2]
    assert "bits per token above the truth" in (tmp_path / "out" / "standing.html").read_text()


def test_entries_that_are_not_there_or_share_a_name_get_one_line(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="does not exist: name a notebook"):
        entries_in([tmp_path / "none.ipynb"])
    (tmp_path / "a").mkdir()
    with pytest.raises(CourseError, match="Two entries are called entry"):
        entries_in([entry(tmp_path, ""), entry(tmp_path / "a", "")])
    (tmp_path / "torn.ipynb").write_text("{")
    assert "no notebook that can be read" in run_entry(tmp_path / "torn.ipynb", small_game(), 1.0, MEMORY).problem
