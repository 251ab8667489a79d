"""A cell to play in, without a reader: it writes once."""

import pytest

from lmkit.playground import play


def test_without_a_reader_it_writes_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    play(lambda prompt, temperature, top_p: f"{prompt} {temperature} {top_p}", "Once")
    play(lambda prompt, temperature: f"{prompt} {temperature}", "Once", top_p=False)
    assert capsys.readouterr().out == "Once 0.8 0.95\nOnce 0.8\n"


@pytest.mark.parametrize(("top_p", "wanted"), [(True, ("Once", 0.8, 0.95)), (False, ("Once", 0.8))])
def test_with_a_reader_the_button_writes(
    top_p: bool, wanted: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    ipywidgets = pytest.importorskip("ipywidgets")
    monkeypatch.setenv("JPY_SESSION_NAME", "a notebook")
    shown, asked = [], []
    monkeypatch.setattr("IPython.display.display", lambda *widgets: shown.extend(widgets))

    def write(*inputs: object) -> str:
        asked.append(inputs)
        return "text"

    play(write, "Once", top_p)
    (button,) = [one for one in shown if isinstance(one, ipywidgets.Button)]
    button.click()
    assert asked == [wanted]
