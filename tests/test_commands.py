"""`benchmarks.commands`: programs made of parts."""

import sys

import pytest

from benchmarks.commands import run_parts


@pytest.mark.parametrize(("named", "made"), [([], ["a", "b", "c"]), (["c", "a"], ["c", "a"])])
def test_the_named_parts_run_in_their_order_or_all(
    monkeypatch: pytest.MonkeyPatch, named: list[str], made: list[str]
) -> None:
    done: list[str] = []
    monkeypatch.setattr(sys, "argv", ["program", *named])
    with pytest.raises(SystemExit) as ended:
        run_parts({name: lambda name=name: done.append(name) for name in "abc"})  # type: ignore[misc]
    assert not ended.value.code and done == made


def test_nothing_runs_if_a_name_is_unknown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["program", "a", "z"])
    with pytest.raises(SystemExit) as ended:
        run_parts({"a": pytest.fail})
    assert ended.value.code == 2 and "z is none of: a." in capsys.readouterr().err
