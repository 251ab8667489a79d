"""A cell to play in, without a reader: it writes once."""

import pytest

from lmkit.playground import play


def test_without_a_reader_it_writes_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    play(lambda prompt, temperature, top_p: f"{prompt} {temperature} {top_p}", "Once")
    assert capsys.readouterr().out == "Once 0.8 0.95\n"


def test_with_a_reader_the_button_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    ipywidgets = pytest.importorskip("ipywidgets")
    monkeypatch.setenv("JPY_SESSION_NAME", "a notebook")
    shown, asked = [], []
    monkeypatch.setattr("IPython.display.display", lambda *widgets: shown.extend(widgets))
    play(lambda *inputs: asked.append(inputs) or "text", "Once")
    (button,) = [one for one in shown if isinstance(one, ipywidgets.Button)]
    button.click()
    assert asked == [("Once", 0.8, 0.95)]
