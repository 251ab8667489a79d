"""Pictures are stored small, whatever is drawn."""

import io

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from PIL import Image

from lmkit import plots


def test_a_picture_is_a_small_png_of_the_same_figure() -> None:
    plots.use_style()
    figure, axes = plt.subplots()
    for colour in plots.COLOURS:
        axes.plot([0, 1], [0, 1], color=colour)
        axes.lines[-1].set_ydata([0, len(axes.lines)])
    axes.set(xlabel="x", ylabel="y", ylim=(0, 8))
    full = io.BytesIO()
    figure.savefig(full, bbox_inches="tight")
    small = plots.picture(figure)
    plt.close(figure)
    picture = Image.open(io.BytesIO(small))
    assert picture.format == "PNG" and picture.size == Image.open(full).size
    assert len(small) < 0.5 * len(full.getvalue())
    colours = {colour for _, colour in picture.convert("RGB").getcolors()}
    for wanted in plots.COLOURS:
        rgb = [int(wanted[i : i + 2], 16) for i in (1, 3, 5)]
        nearest = min(sum(abs(a - b) for a, b in zip(rgb, colour, strict=True)) for colour in colours)
        assert nearest < 12, f"{wanted} is not among the colours of the picture"


def test_a_colour_that_only_the_legend_shows_stays() -> None:
    plots.use_style()
    figure, axes = plt.subplots()
    for number in (0, 1, 2):  # the last line hides the others
        axes.plot([0, 1, 2, 3], [1, 0, 0, 0], "o-", color=plots.COLOURS[number], label=str(number))
    axes.legend()
    small = plots.picture(figure)
    plt.close(figure)
    colours = {colour for _, colour in Image.open(io.BytesIO(small)).convert("RGB").getcolors()}
    for wanted in plots.COLOURS[:3]:
        rgb = [int(wanted[i : i + 2], 16) for i in (1, 3, 5)]
        assert min(sum(abs(a - b) for a, b in zip(rgb, colour, strict=True)) for colour in colours) < 12


def test_repetitions_are_dots_around_a_line_of_means() -> None:
    figure, axes = plt.subplots()
    plots.dots(axes, (1, 2, 4), [[1, 3], [2, 2], [0, 5]], "black", "two draws")
    plots.log_ticks(axes, (1, 2, 4), xlabel="depth")
    assert [line.get_ydata().tolist() for line in axes.lines] == [[1, 2, 0], [3, 2, 5], [2, 2, 2.5]]
    assert axes.get_xscale() == "log" and [text.get_text() for text in axes.get_xticklabels()] == ["1", "2", "4"]
    plt.close(figure)
