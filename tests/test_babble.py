"""The machine and the game of chapter 01's first ten minutes."""

import math

import pytest

from lmkit.babble import BREAK, Babbler, guess_the_next_word, rounds_of, verdict

SENTENCES = [["we", "sat", "here"], ["we", "sat", "in", "the", "house"], ["how", "we", "wish"]]


def test_what_it_has_counted_is_what_it_expects() -> None:
    expected = {"we": 3 / 14, "sat": 2 / 14, BREAK: 3 / 14}
    frequent = Babbler(SENTENCES, 0).next_words(["whatever"])
    assert {word: frequent[word] for word in expected} == pytest.approx(expected)
    assert math.fsum(frequent.values()) == pytest.approx(1)
    assert Babbler(SENTENCES, 1).next_words(["we"]) == pytest.approx({"sat": 2 / 3, "wish": 1 / 3})
    assert Babbler(SENTENCES, 2).next_words(["how", "we"]) == {"wish": 1.0}


def test_a_context_that_was_never_seen_is_cut_until_it_is_known() -> None:
    machine = Babbler(SENTENCES, 2)
    assert machine.next_words(["zzz", "the"]) == {"house": 1.0}
    assert machine.next_words(["zzz"]) == Babbler(SENTENCES, 0).next_words([])


@pytest.mark.parametrize("memory", [0, 1, 2])
def test_it_writes_as_many_words_as_asked_and_the_same_for_a_seed(memory: int) -> None:
    machine = Babbler(SENTENCES, memory)
    assert len(machine.write(20, seed=1).split()) == 20
    assert machine.write(20, seed=1) == machine.write(20, seed=1) != machine.write(20, seed=2)
    assert machine.write(5, start=["how", "we"]).startswith("how we ")
    assert BREAK not in machine.write(50)


def test_a_text_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="no word to learn from"):
        Babbler([[], []], 1)


def test_a_round_says_who_was_right_and_how_surprised_the_machine_was() -> None:
    machine = Babbler(SENTENCES, 1)
    assert "your guess: sat   right!" in verdict(machine, ["we"], "sat", "sat")
    assert "the truth: wish   (place 2 of its list, probability 0.333)" in verdict(machine, ["we"], "wish", "sat")
    assert "not in its list: probability 0" in verdict(machine, ["we"], "house", None)
    for context, truth in rounds_of(SENTENCES, 10):
        assert context and any(s[: len(context) + 1] == [*context, truth] for s in SENTENCES)


def test_where_nobody_plays_three_rounds_are_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    guess_the_next_word(Babbler(SENTENCES, 1), SENTENCES)
    assert capsys.readouterr().out.count("the truth: ") == 3
