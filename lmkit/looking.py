"""What the heads of an attention layer look at: on a sentence that the reader types, and while a network learns."""

import html
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from lmkit import runs
from lmkit.sliders import somebody_is_here
from lmkit.transformer import Attention, rotate

START = "</s>"  # stands before the first word of every story
WORTH_A_NUMBER = 0.05  # a weight
BLUE = (0, 114, 178)  # plots.COLOURS[0]
FAINT = 0.13  # where in the colours from white (0) to dark blue (1) the weight 0 has its tint


@dataclass(frozen=True)
class Reading:
    """A sentence as a network has read it."""

    words: list[str]  # T of them; the first one is START
    unknown: list[str]  # those that are not in the network's vocabulary
    next_words: dict[str, float]  # the likeliest next words and their probabilities
    weights: Tensor  # [layers, h, T, T], row: the word that looks


class KitchenReader:
    """A recorded Transformer that has learned kitchen stories, opened so that one sees what its heads look at."""

    def __init__(self, name: str = "kitchen-transformer-muon") -> None:
        run = runs.load(name)
        network: Any = run.network
        self.network = network
        self.symbols = list(run.spelling.symbols)
        self._number = {symbol: number for number, symbol in enumerate(self.symbols)}
        self.layers, self.heads = len(network.blocks), network.blocks[0].attention.heads

    @torch.no_grad()
    def read(self, sentence: str, best: int = 4) -> Reading:
        """Read a sentence word by word; a word that the network does not know becomes `<UNK>`."""
        words = re.findall(r"</s>|\w+|[^\w\s]", sentence.lower())
        unknown = [word for word in words if word not in self._number]
        numbers = [self._number.get(word, self._number["<UNK>"]) for word in [START, *words]]
        found: list[Tensor] = []

        def note(part: nn.Module, inputs: tuple[Any, ...]) -> None:
            assert isinstance(part, Attention)
            q, k = (one(inputs[0])[0].unflatten(-1, (self.heads, -1)).transpose(0, 1) for one in (part.query, part.key))
            q, k = rotate(q, inputs[1]), rotate(k, inputs[1])
            future = torch.ones(len(numbers), len(numbers), dtype=torch.bool).triu(1)
            found.append((q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(future, -math.inf).softmax(-1))

        hooks = [block.attention.register_forward_pre_hook(note) for block in self.network.blocks]
        try:
            chances = self.network(torch.tensor([numbers]))[0, -1].softmax(-1)
        finally:
            for hook in hooks:
                hook.remove()
        top = chances.topk(best)
        next_words = {self.symbols[i]: p for p, i in zip(top.values.tolist(), top.indices.tolist(), strict=True)}
        return Reading([START, *words], unknown, next_words, torch.stack(found))


class Shaded:
    """A sentence whose words are the darker the more weight they get: HTML in a notebook, a line of text elsewhere."""

    def __init__(self, words: list[str], weights: list[float], after: str = "") -> None:
        self.words, self.weights, self.after = words, weights, after

    def __repr__(self) -> str:
        marked = (f"{w}({p:.2f})" if p >= WORTH_A_NUMBER else w for w, p in zip(self.words, self.weights, strict=True))
        return " ".join(marked) + self.after

    def _repr_html_(self) -> str:
        spans = []
        for word, weight in zip(self.words, self.weights, strict=True):
            number = f"<sub> {weight:.2f}</sub>" if weight >= WORTH_A_NUMBER else ""
            spans.append(f'<span style="{_shade(weight)}">{html.escape(word)}{number}</span>')
        page = " ".join(spans)
        return f'<div style="font-size:115%;line-height:2">{page}{html.escape(self.after)}</div>'


def _shade(weight: float) -> str:
    """The style of a word that gets this weight: the colour of its text can be read on that of its ground.

    The grounds are opaque, from white to `BLUE`, so that they are the same where the page is dark. A weight that is not
    worth a number has none.
    """
    weight = round(weight, 2)
    style = "padding:2px 3px;border-radius:3px"
    if weight < WORTH_A_NUMBER:
        return style
    red, green, blue = (round(255 + (part - 255) * weight) for part in BLUE)
    colour = "white" if weight > 0.93 else "black"  # whichever is the better one, at least 4.5 : 1
    return f"background:rgb({red},{green},{blue});color:{colour};{style}"


def shaded(reading: Reading, layer: int, head: int, place: int = -1) -> Shaded:
    """Where the word at `place` (the last one) looks through one head; layers and heads count from 0."""
    weights = reading.weights[layer, head, place].tolist()
    place = range(len(weights))[place]
    guess, chance = next(iter(reading.next_words.items()))
    after = f"  →  {guess} ({chance:.0%})" if place == len(weights) - 1 else ""
    return Shaded(reading.words[: place + 1], weights[: place + 1], after)


def type_a_sentence(reader: KitchenReader, sentence: str, layer: int, head: int) -> None:
    """A field for a sentence and two choices, layer and head; below, the sentence, shaded by the last word's weights.

    Where nobody sits at the notebook and where ipywidgets is missing, the sentence is shown once.
    """
    from IPython.display import display

    def show(sentence: str, layer: int, head: int) -> None:
        reading = reader.read(sentence)
        display(shaded(reading, layer, head))
        for word in reading.unknown:
            print(f"(The network has never read the word {word!r}.)")

    if not somebody_is_here():
        show(sentence, layer, head)
        return
    import ipywidgets

    wide = ipywidgets.Layout(width="95%", height="5em")
    field = ipywidgets.Textarea(sentence, description="sentence", layout=wide)
    layers = ipywidgets.Dropdown(options=range(reader.layers), value=layer, description="layer")
    heads = ipywidgets.Dropdown(options=range(reader.heads), value=head, description="head")
    page = ipywidgets.Output()

    def changed(_: object = None) -> None:
        page.clear_output(wait=True)
        with page:
            show(field.value, layers.value, heads.value)

    for control in (field, layers, heads):
        control.observe(changed, names="value")
    changed()
    display(field, layers, heads, page)


@torch.no_grad()
def weights_of_heads(
    model: Any, words: Tensor, split: Callable[[Tensor], Tensor], attend: Callable[..., Tensor]
) -> Tensor:
    """Weights [layers, B, h, T, T] of all causal heads of `model.layers` on texts `words` [B, T].

    They are found with the model's own functions: `split` cuts [B, T, C] into heads [B, h, T, C / h], and
    `attend(Q, K, V, mask)` looks up. With the unit matrix as values, what it looks up is the weights. Every layer has
    the linear maps `q` and `k`, and its first argument is the text.
    """
    found: list[Tensor] = []

    def note(layer: Any, inputs: tuple[Tensor, ...]) -> None:
        Q, K = split(layer.q(inputs[0])), split(layer.k(inputs[0]))
        T = Q.shape[-2]
        unit = torch.eye(T, dtype=Q.dtype, device=Q.device).expand(*Q.shape[:-1], T)
        mask = torch.ones(T, T, dtype=torch.bool, device=Q.device).tril()
        found.append(attend(Q, K, unit, mask))

    hooks = [layer.register_forward_pre_hook(note) for layer in model.layers]
    try:
        model(words)
    finally:
        for hook in hooks:
            hook.remove()
    return torch.stack(found)


class OneLook(nn.Module):
    """Scores [B, T, 64] for the next word of texts [B, T], 64 words at most, by a single lookup.

    The lookup is `attend(Q, K, V)`, from three tensors [B, T, C] to one.
    """

    def __init__(self, attend: Callable[[Tensor, Tensor, Tensor], Tensor], C: int = 64) -> None:
        super().__init__()
        self._attend = attend
        self.words_and_places = nn.Parameter(0.3 * torch.randn(2, 64, C))
        self.maps = nn.Linear(C, 3 * C)
        self.scores = nn.Linear(C, 64)

    def forward(self, words: Tensor) -> Tensor:
        names, places = self.words_and_places
        x = names[words] + places[: words.shape[1]]
        scores: Tensor = self.scores(x + self._attend(*self.maps(x).chunk(3, dim=-1)))
        return scores


class Film:
    """For `watch`: keeps the squares of all heads at each row of the history, and shows them while somebody looks.

    `look()` gives weights [layers, h, T, T] on one text, `loss()` the number that stands above them.
    """

    def __init__(self, look: Callable[[], Tensor], loss: Callable[[], float]) -> None:
        self._look, self._loss = look, loss
        self.frames: list[tuple[int, float, Tensor]] = []  # step, loss, weights
        self._handle: Any = None
        self.take(0)

    def __call__(self, history: pd.DataFrame) -> None:
        self.take(int(history["step"].iloc[-1]))

    def take(self, step: int) -> None:
        """One more frame; in a notebook where somebody sits, the picture below the cell changes."""
        self.frames.append((step, self._loss(), self._look().cpu()))
        if not somebody_is_here():
            return
        import matplotlib.pyplot as plt
        from IPython.display import display

        figure = self.frame(-1)
        plt.close(figure)
        if self._handle is None:
            self._handle = display(figure, display_id=True)
        else:
            self._handle.update(figure)

    def frame(self, number: int) -> Figure:
        """All heads at one moment: a row for each layer."""
        import matplotlib.pyplot as plt

        step, loss, weights = self.frames[number]
        layers, heads = weights.shape[:2]
        figure, axes = plt.subplots(layers, heads, figsize=(8.8, 2.1 * layers + 0.6), squeeze=False)
        for layer in range(layers):
            for head in range(heads):
                shades = square(axes[layer, head], weights[layer, head], left=head == 0, below=layer == layers - 1)
                axes[layer, head].set_title(f"layer {layer}, head {head}", fontsize=10)
        figure.supxlabel("place that is looked at", fontsize=11)
        figure.supylabel("place that looks", fontsize=11)
        figure.suptitle(f"step {step}: loss on the repeats {loss:.2f}")
        figure.colorbar(shades, ax=axes, label="weight", shrink=0.6, aspect=30)
        return figure

    def strip(self, heads: list[tuple[int, int]], steps: list[int]) -> Figure:
        """One row for each head (layer, head; counted from 0), one column for each step: the frame nearest to it."""
        import matplotlib.pyplot as plt

        taken = np.array([frame[0] for frame in self.frames])
        chosen = [self.frames[int(np.abs(taken - step).argmin())] for step in steps]
        figure, axes = plt.subplots(len(heads), len(steps), figsize=(8.8, 1.25 * len(heads) + 1.0), squeeze=False)
        for row, (layer, head) in enumerate(heads):
            for column, (step, loss, weights) in enumerate(chosen):
                shades = square(axes[row, column], weights[layer, head], left=column == 0, below=row == len(heads) - 1)
                if row == 0:
                    axes[row, column].set_title(f"step {step}\nloss {loss:.2f}", fontsize=11)
            axes[row, 0].set_ylabel(f"layer {layer},\nhead {head}", fontsize=11)
        figure.supxlabel("place that is looked at", fontsize=11)
        figure.supylabel("place that looks", fontsize=11)
        figure.colorbar(shades, ax=axes, label="weight", shrink=0.8)
        return figure


def square(axes: Any, weights: Tensor, left: bool = True, below: bool = True) -> Any:
    """Draw weights [T, T] of one causal head, a row for each word that looks. The image, for a bar of shades.

    What a word may look at is pale for 0 and dark blue for 1. What it may not see, the words after it, is white, and a
    line marks the diagonal. Numbers stand at the left edge and below if wanted.
    """
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    shades = ListedColormap(colormaps["Blues"](np.linspace(FAINT, 1, 256)))
    later = np.triu(np.ones(tuple(weights.shape), dtype=bool), 1)
    image = axes.imshow(np.ma.masked_where(later, weights.numpy()), cmap=shades, vmin=0, vmax=1)
    axes.axline((0, 0), slope=1, color="0.75", linewidth=0.6)
    axes.set(xticks=range(0, weights.shape[1], 10), yticks=range(0, weights.shape[0], 10), facecolor="white")
    axes.tick_params(labelbottom=below, labelleft=left, labelsize=10)
    axes.grid(visible=False)
    return image
