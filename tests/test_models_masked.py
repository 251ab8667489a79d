"""Models that fill in blanks, behind one interface."""

import pytest
import torch

from lmkit import kitchen
from lmkit.models import build
from lmkit.models.interface import Neural
from lmkit.models.masked import (
    BOTH_SIDES,
    MASK,
    PAD,
    BothSides,
    LeftOnly,
    Unigram,
    build_both,
    filled,
)

STORIES = sorted((story.tokens for story in kitchen.split("valid")), key=len)[:6]
SYMBOLS = [PAD, MASK, "<UNK>", *sorted({word for story in STORIES for word in story})]


@pytest.mark.parametrize("name", BOTH_SIDES)
def test_neighbours_in_the_batch_change_nothing(name: str) -> None:
    torch.manual_seed(1)
    network = build_both(name, 30, width=8, **({"layers": 1, "heads": 2} if name == "encoder" else {"hidden": 5}))
    long, short = torch.randint(3, 30, (1, 9)), torch.randint(3, 30, (1, 4))
    batch = torch.cat([long, torch.cat([short, torch.zeros(1, 5, dtype=torch.int64)], 1)])
    assert torch.allclose(network.states(batch)[1, :4], network.states(short)[0], atol=1e-5)


@pytest.mark.parametrize("name", BOTH_SIDES)
def test_both_sides_count_and_the_word_itself_does_not(name: str) -> None:
    torch.manual_seed(1)
    model = BothSides(build_both(name, len(SYMBOLS), width=16), SYMBOLS)
    text, place = torch.randint(3, len(SYMBOLS), (1, 7)), torch.tensor([3])
    first = model.fill(text, place)
    assert torch.allclose(first.exp().sum(1), torch.ones(1), atol=1e-4)
    for other, same in ((3, True), (2, False), (4, False)):
        changed = text.clone()
        changed[0, other] = 3 + (text[0, other] - 2) % (len(SYMBOLS) - 3)
        assert torch.equal(model.fill(changed, place), first) == same


class MaskedTruth:
    """The kitchen language itself; texts are whole stories. Words that are no symbols count as `<UNK>` together."""

    symbols = SYMBOLS

    def fill(self, tokens: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        rows = torch.zeros(len(tokens), len(SYMBOLS), dtype=torch.float64)
        for row, text, place in zip(rows, tokens.tolist(), places.tolist(), strict=True):
            story = [SYMBOLS[number] for number in text if number]
            for word, probability in kitchen.masked_distribution(story, place).items():
                row[SYMBOLS.index(word if word in SYMBOLS else "<UNK>")] += probability
        return rows.log().float()


def test_the_truth_is_one_of_them() -> None:
    blanks = [(2, 0), (0, 5), (2, 7), (5, 3)]
    log_p, right = filled(MaskedTruth(), STORIES, blanks)
    for value, (story, place) in zip(log_p, blanks, strict=True):
        wanted = kitchen.masked_log_probabilities(STORIES[story])[place]
        assert value == pytest.approx(wanted, abs=1e-5)
    assert right.dtype == bool


def test_left_only_and_unigram() -> None:
    torch.manual_seed(1)
    model = LeftOnly(Neural(build("lstm", len(SYMBOLS), width=8, hidden=6), SYMBOLS))
    text, place = torch.randint(3, len(SYMBOLS), (1, 6)), torch.tensor([2])
    changed = text.clone()
    changed[0, 2:] = 4
    assert torch.allclose(model.fill(text, place), model.fill(changed, place), atol=1e-6)
    row = Unigram(SYMBOLS, [1.0] * len(SYMBOLS)).fill(text, place)
    assert torch.allclose(row.exp(), torch.full((1, len(SYMBOLS)), 1 / len(SYMBOLS)))


def test_unknown_network() -> None:
    with pytest.raises(ValueError, match="no network"):
        build_both("gru", 10)
