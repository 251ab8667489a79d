"""Every model behind one interface: ln P of each next token, for a batch."""

import math

import numpy as np
import pytest
import torch

from lmkit import kitchen, models, ngrams
from lmkit.kitchen import Probe
from lmkit.models import Counted, LanguageModel, Neural, Truth

SYMBOLS = ["<UNK>", "</s>", "a", "b", "c"]
SMALL = {
    "window": {"width": 8, "hidden": 12, "n": 4},
    "rnn": {"width": 8, "hidden": 12},
    "lstm": {"width": 8, "hidden": 12},
    "transformer": {"width": 8, "layers": 2, "heads": 2, "block": 16},
}


class Bigram(ngrams.LanguageModel):
    """After a always b, else all alike."""

    order = 2
    vocabulary = SYMBOLS

    def context_distribution(self, context):
        return np.array([0.0, 0, 0, 1, 0]) if context[-1:] == ("a",) else np.full(5, 0.2)


def made(name: str) -> LanguageModel:
    if name == "counted":
        return Counted(Bigram())
    torch.manual_seed(1)
    network = models.build(name, len(SYMBOLS), **SMALL[name])
    with torch.no_grad():
        for weight in network.parameters():  # far from the small beginnings, where all tokens are alike
            weight.add_(0.3 * torch.randn_like(weight))
    return Neural(network, SYMBOLS)


ALL = [*SMALL, "counted"]


@pytest.mark.parametrize("name", ALL)
def test_rows_are_distributions_and_nobody_reads_ahead(name):
    model = made(name)
    tokens = torch.tensor([[2, 3, 4, 2, 2, 3], [4, 4, 3, 2, 0, 1], [3, 2, 3, 4, 1, 1]])
    rows = model.log_probabilities(tokens)
    assert rows.shape == (3, 7, 5)
    torch.testing.assert_close(rows.exp().sum(-1), torch.ones(3, 7))
    for t in range(6):
        other = tokens.clone()
        other[:, t:] = (other[:, t:] + 2) % 5
        torch.testing.assert_close(model.log_probabilities(other)[:, : t + 1], rows[:, : t + 1])
    torch.testing.assert_close(model.log_probabilities(tokens[:, :0])[:, 0], rows[:, 0])
    if name != "counted":
        assert not torch.allclose(rows[0, 1], rows[1, 1])  # what was read does count


@pytest.mark.parametrize("name", ALL)
def test_a_score_does_not_depend_on_the_neighbours(name):
    model = made(name)
    documents = [["a", "b", "c", "</s>"], ["b"], ["c", "unheard of", "a", "b", "</s>"], []]
    together = models.score(model, documents, batch=3)
    assert [len(one) for one in together] == [4, 1, 5, 0]
    for document, row in zip(documents, together, strict=True):
        np.testing.assert_allclose(models.score(model, [document])[0], row, atol=1e-6)
        probability = math.exp(sum(row))
        assert 0 < probability <= 1
    everything = np.concatenate(together)
    assert models.nats_per_token(model, documents) == pytest.approx(-everything.mean())


def test_counted_models_score_as_they_do_themselves():
    documents = [["a", "b", "a", "b"], ["c"]]
    found = np.concatenate(models.score(Counted(Bigram()), [[*one, "</s>"] for one in documents]))
    np.testing.assert_allclose(found, Bigram().score(documents), rtol=1e-6)


def test_the_truth_scores_as_the_language_does():
    document = kitchen.documents(count=1, seed=5)[0]
    words = [*sorted(set(document.tokens) - {"</s>"}), "</s>"]
    whole = Truth(["<UNK>", *words])
    rows = whole.log_probabilities(models.encode(whole.symbols, [document.tokens[:12]])[0][None])[0]
    torch.testing.assert_close(rows.exp().sum(-1), torch.ones(13))
    found = models.score(whole, [document.tokens[:12]])[0]
    np.testing.assert_allclose(found, document.log_probabilities[:12], atol=1e-5)
    missing = next(word for word in document.tokens[3:12] if document.tokens.index(word) > 2)
    place = document.tokens.index(missing)
    fewer = Truth([symbol for symbol in whole.symbols if symbol != missing])
    short = models.score(fewer, [document.tokens[: place + 2]])[0]
    assert document.log_probabilities[place] <= short[place] <= 0  # that one of the unknown words comes
    assert math.isnan(short[place + 1])


def test_losses_by_place():
    documents = [["a", "b", "</s>"], ["a", "b", "c"]]
    first, second, third = models.by_place(Counted(Bigram()), documents, (0, 1, 2, 3))
    assert first == pytest.approx(math.log(5)) and third == pytest.approx(math.log(5))
    assert second == pytest.approx(0)
    assert math.isnan(models.by_place(Counted(Bigram()), documents, (0, 3, 9))[1])


def test_probes():
    document = kitchen.Document(tokens=["a", "b", "c", "</s>"])
    asked = [
        Probe(document, 1, "copy: town", 1, ("b",), ()),  # b for certain
        Probe(document, 2, "copy: town", 1, ("c",), ()),  # all alike: the first of them, <UNK>, is on top
        Probe(document, 1, "no attractor", 3, ("b", "unheard of"), ("c",)),
        Probe(document, 1, "no attractor", 3, ("c",), ("b",)),
        Probe(document, 1, "no attractor", 3, ("unheard of",), ("c",)),  # the model knows none of the right ones
        Probe(document, 1, "no attractor", 3, ("b",), ("unheard of",)),
    ]
    assert [answer.right for answer in models.answers(Counted(Bigram()), asked)] == [True, False, True, False]
    table = models.by_band(Counted(Bigram()), asked)
    assert table == {"agreement, no attractor, 2-4 back": (1, 2), "copy: town": (1, 2)}


def test_bands_of_probes():
    def band(label: str, distance: int) -> str:
        return Probe(kitchen.Document(), 0, label, distance, (), ()).band

    assert band("no attractor", 1) == "agreement, no attractor, 1 back"
    assert band("other number between", 8) == "agreement, other number between, 5-8 back"
    assert band("tool", 13) == "companion, 9-13 back"
    assert band("food", 14) == "companion, 14+ back"
    assert band("copy: surname", 51) == "copy: surname, 51+ back"
    assert band("copy: town", 70) == "copy: town"


def test_writing():
    generator = torch.Generator().manual_seed(3)
    text = models.write(Counted(Bigram()), generator, begin=["c", "a"], max_tokens=40)
    assert text[:3] == ["c", "a", "b"]
    assert (text[-1] == "</s>" or len(text) == 40) and "</s>" not in text[:-1]
    assert models.write(Counted(Bigram()), begin=["a"], max_tokens=2, temperature=0) == ["a", "b"]


def test_what_is_not_there():
    with pytest.raises(ValueError, match="choose one of: window, rnn, lstm, transformer"):
        models.build("gpt", 5)
    with pytest.raises(ValueError, match="not among the symbols"):
        models.encode(["a"], [["b"]])
