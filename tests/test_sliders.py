"""A figure moves where somebody can move it and stands still elsewhere."""

import sys

import pytest

from lmkit.sliders import slider


def test_without_a_reader_the_figure_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    drawn: list[float] = []
    slider(drawn.append, 0.5, -5, 1, 0.25)
    assert drawn == [0.5]


def test_without_ipywidgets_the_figure_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JPY_SESSION_NAME", "02_smoothing.ipynb")
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    drawn: list[float] = []
    slider(drawn.append, 0.5, -5, 1, 0.25)
    assert drawn == [0.5]


def test_for_a_reader_the_slider_draws_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    import ipywidgets

    monkeypatch.setenv("JPY_SESSION_NAME", "02_smoothing.ipynb")
    controls = []
    monkeypatch.setattr(ipywidgets, "interact", lambda draw, **control: controls.append((draw, control)))
    slider(lambda alpha: None, 0.5, -5, 1, 0.25)
    ((_, control),) = controls
    assert control["alpha"].value == 0.5 and (control["alpha"].min, control["alpha"].max) == (-5, 1)
