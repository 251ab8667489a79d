"""What heads look at: a sentence that is typed, a network that learns."""

import math
from functools import partial
from typing import Any

import pandas as pd
import pytest
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from lmkit.looking import Film, KitchenReader, OneLook, _shade, shaded, square, type_a_sentence, weights_of_heads

STORY = (
    "on a foggy day , olga keller visits the golden fox , a grill in westford . finally , olga loves the golden fox in"
)


@pytest.fixture(scope="module")
def reader() -> KitchenReader:
    return KitchenReader()


def test_the_weights_are_those_that_the_network_uses(reader: KitchenReader) -> None:
    reading = reader.read(STORY)
    assert reading.words[0] == "</s>" and len(reading.words) == 1 + len(STORY.split()) and reading.unknown == []
    assert reading.weights.shape == (2, 4, len(reading.words), len(reading.words))
    assert torch.allclose(reading.weights.sum(-1), torch.ones(2, 4, len(reading.words)), atol=1e-5)
    assert reading.weights.triu(1).abs().max() == 0
    seen: list[Tensor] = []
    part = reader.network.blocks[0].attention
    hook = part.out.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    values: list[Tensor] = []
    hook2 = part.register_forward_pre_hook(lambda part, inputs: values.append(part.value(inputs[0])))
    reader.read(STORY)
    hook.remove(), hook2.remove()
    v = values[0][0].unflatten(-1, (4, -1)).transpose(0, 1)
    assert torch.allclose((reading.weights[0] @ v).transpose(0, 1).flatten(1), seen[0][0], atol=1e-4)


def test_another_name_is_copied(reader: KitchenReader) -> None:
    for town in ("westford", "ashmere"):
        reading = reader.read(STORY.replace("westford", town))
        assert next(iter(reading.next_words)) == town
        assert reading.weights[0, 1, -1, reading.words.index(town)] > 0.5


def test_unknown_words_are_named_and_signs_cut_off(reader: KitchenReader) -> None:
    reading = reader.read("Olga, the xylophone!")
    assert reading.words == ["</s>", "olga", ",", "the", "xylophone", "!"]
    assert reading.unknown == ["xylophone", "!"]


def test_a_sentence_is_shaded(reader: KitchenReader) -> None:
    reading = reader.read(STORY)
    picture = shaded(reading, layer=0, head=1)
    assert "westford(0.9" in repr(picture) and repr(picture).endswith("→  westford (100%)")
    page = picture._repr_html_()
    assert page.count("<span") == len(reading.words) and "&lt;/s&gt;" in page
    assert _shade(0.0).startswith("padding") and "white" in _shade(0.999) and "black" in _shade(0.93)
    earlier = shaded(reading, layer=1, head=0, place=5)
    assert len(earlier.words) == 6 and earlier.after == ""


def test_without_a_reader_the_sentence_is_shown_once(
    reader: KitchenReader, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    type_a_sentence(reader, STORY + " zzz", 0, 1)
    out = capsys.readouterr().out
    assert "westford" in out and "never read the word 'zzz'" in out


def test_with_a_reader_the_field_is_read_again(reader: KitchenReader, monkeypatch: pytest.MonkeyPatch) -> None:
    ipywidgets = pytest.importorskip("ipywidgets")
    monkeypatch.setenv("JPY_SESSION_NAME", "a notebook")
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", lambda *widgets: shown.extend(widgets))
    type_a_sentence(reader, STORY, 0, 1)
    (field,) = [one for one in shown if isinstance(one, ipywidgets.Textarea)]
    field.value = STORY.replace("westford", "ashmere")
    assert "→  ashmere" in repr(shown[-1])


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(4, 4) for _ in range(3))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return attend(self.q(x), self.k(x), self.v(x), mask)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.layers = nn.Embedding(5, 4), nn.ModuleList([Layer(), Layer()])

    def forward(self, words: Tensor) -> Tensor:
        x = self.embedding(words)
        for layer in self.layers:
            x = x + layer(x, torch.ones(words.shape[1], words.shape[1]).bool().tril())
        return x


def attend(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor) -> Tensor:
    return (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -math.inf).softmax(-1) @ V


def test_own_heads_tell_their_weights() -> None:
    torch.manual_seed(1)
    model, words = Model(), torch.tensor([[0, 1, 2], [4, 4, 3]])
    P = weights_of_heads(model, words, lambda X: X.unflatten(-1, (2, 2)).transpose(1, 2), attend)
    assert P.shape == (2, 2, 2, 3, 3) and torch.allclose(P.sum(-1), torch.ones(2, 2, 2, 3))
    x = model.embedding(words)
    Q, K = model.layers[0].q(x)[..., 2:], model.layers[0].k(x)[..., 2:]
    wanted = (Q @ K.mT / math.sqrt(2)).masked_fill(~torch.ones(3, 3).bool().tril(), -math.inf).softmax(-1)
    assert torch.allclose(P[0, :, 1], wanted, atol=1e-6)
    assert not model.layers[0]._forward_pre_hooks


def test_one_look_sees_what_its_lookup_allows() -> None:
    torch.manual_seed(1)
    words = torch.tensor([[0, 1, 2], [4, 4, 3]])
    other = words.clone()
    other[:, 2] = 63
    for causal in (True, False):
        seen = torch.ones(3, 3).bool().tril(0 if causal else 2)
        model = OneLook(partial(attend, mask=seen))
        assert model(words).shape == (2, 3, 64)
        moved = (model(other) - model(words)).abs().amax(-1)[0] > 1e-6
        assert moved.tolist() == [not causal, not causal, True]
    swapped = model(words[:, [1, 0, 2]])[0, 2]
    assert not torch.allclose(swapped, model(words)[0, 2])  # places count


def test_a_film_keeps_a_frame_for_each_row() -> None:
    step = torch.zeros(())
    film = Film(lambda: step + torch.eye(3).expand(2, 4, 3, 3), lambda: 1.5)
    film(pd.DataFrame({"step": [20]}))
    assert [frame[:2] for frame in film.frames] == [(0, 1.5), (20, 1.5)]
    figure = film.strip([(0, 1), (1, 3)], [0, 20])
    assert len(figure.axes) == 5 and figure.axes[0].get_title() == "step 0\nloss 1.50"
    assert figure.axes[2].get_ylabel() == "layer 1,\nhead 3"
    assert len(film.frame(-1).axes) == 9  # eight squares and the bar of shades


def test_what_may_be_seen_has_a_tint() -> None:
    image = square(Figure().subplots(), torch.tensor([[1.0, 0], [0, 1]]))
    shown = image.get_array()
    assert shown.mask.tolist() == [[False, True], [False, False]]
    colours = image.cmap(shown)
    assert colours[0, 1, 3] == 0 and colours[1, 0, 0] < 0.92 < colours[1, 0, 2]  # no colour; a pale blue
    assert colours[0, 0, :3].sum() < 0.8


def test_a_film_shows_itself_where_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ipywidgets")
    monkeypatch.setenv("JPY_SESSION_NAME", "a notebook")
    shown: list[Any] = []

    class Handle:
        def update(self, figure: Any) -> None:
            shown.append(figure)

    monkeypatch.setattr("IPython.display.display", lambda figure, display_id: shown.append(figure) or Handle())
    film = Film(lambda: torch.eye(3).expand(1, 1, 3, 3), lambda: 0.5)
    film(pd.DataFrame({"step": [7]}))
    assert len(shown) == 2 and "step 7" in shown[1].get_suptitle()
