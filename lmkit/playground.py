"""A cell to play in: a prompt, a temperature and a top-p, and what a model makes of them."""

from collections.abc import Callable

from lmkit.sliders import somebody_is_here


def play(write: Callable[..., str], prompt: str, top_p: bool = True) -> None:
    """Show a field and two sliders, and what `write(prompt, temperature, top_p)` returns, after each press of a button.

    With `top_p=False` there is one slider, and `write(prompt, temperature)` is called.

    Where a notebook is executed without a reader (build, grading, nbconvert) and where ipywidgets is missing, it is
    written once, at temperature 0.8 and top-p 0.95.
    """
    if not somebody_is_here():
        print(write(prompt, 0.8, *([0.95] if top_p else [])))
        return
    import ipywidgets
    from IPython.display import display

    field = ipywidgets.Textarea(prompt, description="prompt")
    temperature = ipywidgets.FloatSlider(0.8, min=0.0, max=2.0, step=0.1, description="temperature")
    mass = ipywidgets.FloatSlider(0.95, min=0.1, max=1.0, step=0.05, description="top-p")
    knobs = [temperature, mass] if top_p else [temperature]
    button = ipywidgets.Button(description="Write")
    page = ipywidgets.Output()

    def pressed(_: object) -> None:
        page.clear_output()
        with page:
            print(write(field.value, *(knob.value for knob in knobs)))

    button.on_click(pressed)
    display(field, *knobs, button, page)
