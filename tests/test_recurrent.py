"""lmkit.recurrent: cells of one number are torch's, noise stays within bounds, gradients are those of small steps."""

import math
from typing import Any

import pytest
import torch
from torch import nn

from lmkit.recurrent import PARTS, go_on, lstm_gradients, one_cell, one_number, stream_loss


def test_one_number_is_torchs_rnn() -> None:
    cell: Any = nn.RNN(1, 1).double()
    for name, value in (("weight_ih_l0", 1.5), ("weight_hh_l0", -0.7), ("bias_ih_l0", 0.2), ("bias_hh_l0", 0.0)):
        getattr(cell, name).data.fill_(value)
    bits = [1.0, 0.0, 0.0, 1.0]
    wanted = cell(torch.tensor(bits).double()[:, None])[0].flatten().tolist()
    assert one_number(1.5, -0.7, 0.2, bits) == pytest.approx(wanted)


def test_noise_moves_the_next_state_and_no_further_than_it_may() -> None:
    quiet, first, again = (one_number(0.0, 1.0, 0.0, [0, 0], noise, seed=3) for noise in (0.0, 0.1, 0.1))
    assert first == again and first[0] == quiet[0] == 0.0
    assert 0 < abs(first[1]) <= math.tanh(0.1)


def test_one_cell_is_torchs_lstm() -> None:
    cell: Any = nn.LSTM(2, 1, batch_first=True).double()
    rows = torch.cat([cell.weight_ih_l0, cell.weight_hh_l0], dim=1).detach().chunk(4)
    shifts = (cell.bias_ih_l0 + cell.bias_hh_l0).detach().chunk(4)
    words = [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
    W, b = (dict(zip("ifCo", parts, strict=True)) for parts in (rows, shifts))
    wanted = cell(torch.tensor([words]).double())[0].flatten().tolist()
    assert one_cell(W, b, words) == pytest.approx(wanted)
    as_lists = {part: W[part].tolist() for part in PARTS}, {part: b[part].tolist() for part in PARTS}
    assert one_cell(*as_lists, words) == pytest.approx(wanted)


def test_gradients_are_those_of_small_steps() -> None:
    torch.manual_seed(1)
    B, d, k = 2, 3, 2
    e, h, C, dh, dC = (torch.randn(B, n).double() for n in (d, k, k, k, k))
    W = {part: torch.randn(k, d + k).double() for part in PARTS}
    b = {part: torch.randn(k).double() for part in PARTS}
    found = lstm_gradients(e, h, C, W, b, dh, dC)

    def loss(C: torch.Tensor, b_f: torch.Tensor) -> Any:
        cell: Any = nn.LSTMCell(d, k).double()
        order = "ifCo"
        cell.weight_ih.data = torch.cat([W[part][:, :d] for part in order])
        cell.weight_hh.data = torch.cat([W[part][:, d:] for part in order])
        cell.bias_ih.data = torch.cat([(b | {"f": b_f})[part] for part in order])
        cell.bias_hh.data.zero_()
        new_h, new_C = cell(e, (h, C))
        return (dh * new_h).sum() + (dC * new_C).sum()

    step = torch.zeros_like(C)
    step[1, 0] = 1e-5
    by_steps = (loss(C + step, b["f"]) - loss(C - step, b["f"])) / 2e-5
    assert found[2][1, 0].item() == pytest.approx(by_steps.item(), rel=1e-6)
    step = torch.tensor([0.0, 1e-5]).double()
    by_steps = (loss(C, b["f"] + step) - loss(C, b["f"] - step)) / 2e-5
    assert found[4]["f"][1].item() == pytest.approx(by_steps.item(), rel=1e-6)
    assert [part.shape for part in found[:3]] == [e.shape, h.shape, C.shape]


def test_a_stream_goes_on_from_the_last_state_without_its_history() -> None:
    torch.manual_seed(2)
    cell: Any = nn.LSTM(3, 4, batch_first=True)
    vectors, targets = torch.randn(2, 6, 3), torch.randint(4, (2, 6))
    whole = nn.functional.cross_entropy(cell(vectors)[0].flatten(0, 1), targets.flatten())
    carry: dict[str, Any] = {}
    first, count = stream_loss(cell, (vectors[:, :3], targets[:, :3]), carry)
    assert count == 6 and not any(part.requires_grad for part in carry["state"])
    second, _ = stream_loss(cell, (vectors[:, 3:], targets[:, 3:]), carry)
    assert ((first + second) / 2).item() == pytest.approx(whole.item(), rel=1e-5)


class Sums(nn.Module):
    """Nearly sure that the next token is the sum of all tokens so far, modulo 7; its state is that sum."""

    def __init__(self) -> None:
        super().__init__()
        self.sure = nn.Parameter(torch.tensor(60.0))

    def forward(self, tokens: torch.Tensor, state: Any = None) -> Any:
        sums = (tokens.cumsum(1) + (0 if state is None else state)) % 7
        return self.sure * nn.functional.one_hot(sums, 7), sums[:, -1:]


def test_a_writer_takes_token_and_state_on() -> None:
    assert go_on(Sums(), [1, 2], 4) == [3, 6, 5, 3]
    assert go_on(Sums(), [4], 0) == []


def test_a_writer_follows_temperature_and_seed() -> None:
    flat = Sums()
    flat.sure.data.fill_(0.0)
    assert go_on(flat, [1], 20, seed=1) == go_on(flat, [1], 20, seed=1) != go_on(flat, [1], 20, seed=2)
    flat.sure.data.fill_(1.0)
    hits = [
        sum(a == b for a, b in zip(told, expected(told), strict=True))
        for told in (go_on(flat, [0], 200, temperature) for temperature in (0.2, 5.0))
    ]
    assert hits[0] > 180 and hits[1] < 80


def expected(told: list[int]) -> list[int]:
    """What Sums thinks likeliest at each place of a text that follows a 0."""
    return [sum(told[:place]) % 7 for place in range(len(told))]
