"""Every drawing is readable: nothing overlaps, nothing is cut off, labels are in their boxes, colours have meaning."""

import inspect
import warnings
from collections.abc import Callable
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch, Polygon
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from lmkit import drawings, plots
from lmkit.drawings import canvas

VARIANTS: dict[str, Callable[[], Figure]] = {
    **{name: getattr(drawings, name) for name in drawings.__all__},
    "chain_rule a dollar sign": lambda: drawings.chain_rule(("pay", "$5", "now")),
    "ngram_window n=1": lambda: drawings.ngram_window(("costs", "$5"), n=1),
    "ngram_window n=2": lambda: drawings.ngram_window(n=2),
    "ngram_window n=4": lambda: drawings.ngram_window(("i", "eat", "thai"), n=4),
    "backing_off two words": lambda: drawings.backing_off(("about", "chez")),
    "interpolation three words": lambda: drawings.interpolation(("i", "want", "thai"), "dishes"),
    "window_classifier c=2": lambda: drawings.window_classifier(("can", "a", "canner", "can", "a"), 2, c=2),
    "bengio_network three words": lambda: drawings.bengio_network(("i", "want", "thai"), direct=False),
    "look_up small": lambda: drawings.look_up(0, 3, 2),
    "negative_sampling long": lambda: drawings.negative_sampling("restaurant", "guard", ("a", "ordered")),
    "unrolled_rnn two steps": lambda: drawings.unrolled_rnn(2),
    "truncated_bptt two pieces": lambda: drawings.truncated_bptt(2, 4),
    "stacked_and_bidirectional two": lambda: drawings.stacked_and_bidirectional(2),
    "soft_lookup three": lambda: drawings.soft_lookup(3),
    "masks one": lambda: drawings.masks({"mine": [[True, False, False], [True, True, False], [True, True, True]]}),
    "cross_attention long": lambda: drawings.cross_attention(("ich", "mag", "Curry"), ("i", "like", "curry")),
    "transformer_block post": lambda: drawings.transformer_block("post"),
    "patches p=3": lambda: drawings.patches(3),
    "shared_vocabulary two": lambda: drawings.shared_vocabulary({"words": 12, "sound": 100}),
    "transformer_stack two": lambda: drawings.transformer_stack(2),
    "kv_cache long": lambda: drawings.kv_cache(6, 4),
    "reach wider": lambda: drawings.reach(6, 2, 2),
    "course_map with points": lambda: drawings.course_map({"01": (66, 66), "09": (12.5, 100)}),
    "encoder_heads two fillers": lambda: drawings.encoder_heads(("i", "eat", "-", "-"), 2),
}

ALLOWED = {canvas.LINE, canvas.GROUND, *canvas.ROLES.values(), *(canvas.tint(role) for role in canvas.ROLES)}


def faults(figure: Figure) -> list[str]:
    """What a reader would stumble over in this drawing."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    texts = figure.findobj(lambda artist: isinstance(artist, Text) and bool(artist.get_text()))
    boxes = [(text, text.get_window_extent(renderer)) for text in texts]
    patches = list(figure.axes[0].patches)
    found = []
    for (one, first), (two, second) in combinations(boxes, 2):
        if shrunk(first).overlaps(shrunk(second)):
            found.append(f"{one.get_text()!r} and {two.get_text()!r} overlap")
    shapes = {patch.get_gid(): patch.get_window_extent(renderer) for patch in patches if patch.get_gid() != "line"}
    lines = np.concatenate([way(patch) for patch in patches])
    for text, box in boxes:
        if not holds(figure.bbox, box):
            found.append(f"{text.get_text()!r} is cut off")
        if text.get_gid() and not holds(shapes[text.get_gid()], box):
            found.append(f"{text.get_text()!r} is larger than its box")
        if text.get_fontsize() < 10:
            found.append(f"{text.get_text()!r} is too small")
        if runs_through(lines, shrunk(box)):
            found.append(f"a line runs through {text.get_text()!r}")
    for patch in patches:
        if not holds(figure.bbox, patch.get_window_extent(renderer)):
            found.append(f"{patch} is cut off")
        colours = {to_hex(colour).upper() for colour in (patch.get_facecolor(), patch.get_edgecolor()) if colour[3] > 0}
        if not colours <= {colour.upper() for colour in ALLOWED}:
            found.append(f"{patch} has a colour without a meaning: {colours}")
    if figure.get_figwidth() > 8 or figure.get_figheight() > 4.2:
        found.append(f"too large for a notebook: {figure.get_size_inches()}")
    return found


def shrunk(box: Bbox) -> Bbox:
    """Text extents have a little air around the letters."""
    return box.padded(-1)


def holds(outer: Bbox, inner: Bbox) -> bool:
    return bool(
        outer.x0 <= inner.x0 + 1 and outer.y0 <= inner.y0 + 1 and inner.x1 <= outer.x1 + 1 and inner.y1 <= outer.y1 + 1
    )


def runs_through(points: np.ndarray, box: Bbox) -> bool:
    return bool((((box.x0, box.y0) < points) & (points < (box.x1, box.y1))).all(axis=1).any())


def way(patch: Patch) -> np.ndarray:
    """Points along a line or around the head of an arrow; shapes with a label inside have none."""
    if isinstance(patch, PathPatch) or (isinstance(patch, Polygon) and patch.get_gid() == "head"):
        return patch.get_path().interpolated(100).transformed(patch.get_transform()).vertices
    return np.empty((0, 2))


@pytest.mark.parametrize("name", VARIANTS)
def test_a_drawing_is_readable_and_small(name: str) -> None:
    with warnings.catch_warnings(), plt.rc_context():
        warnings.simplefilter("error")
        plots.use_style()  # as in a notebook
        figure = VARIANTS[name]()
        assert faults(figure) == []
        assert len(plots.picture(figure)) < 25_000


@pytest.mark.parametrize("name", drawings.__all__)
def test_a_drawing_says_what_it_shows(name: str) -> None:
    drawing = getattr(drawings, name)
    assert drawing.__doc__ and len(drawing.__doc__) > 100
    assert all(parameter.default is not parameter.empty for parameter in inspect.signature(drawing).parameters.values())


def test_the_faults_are_found() -> None:
    sheet = canvas.Canvas(6, 3)
    sheet.text(2, 2, "one word")
    sheet.text(2.3, 2.1, "another word")
    sheet.text(5.9, 1, "at the edge")
    sheet.box(1, 0.5, 0.5, 0.5, "too long a label")
    sheet.text(4.5, 0.4, "tiny", 7)
    sheet.arrow((3.5, 0.4), (5.5, 0.4))
    sheet.axes.patches[-1].set_edgecolor("#123456")
    report = "\n".join(faults(sheet.figure))
    for fault in ("overlap", "cut off", "larger than its box", "too small", "line runs through", "without a meaning"):
        assert fault in report
