"""Chapter 05: cells of one number under weights set by hand, gradients to compare with, a stream's loss, a writer.

Plain Python and autograd, so that a chapter can show what weights do without showing how a cell is written.
"""

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

PARTS = "Cfio"  # the four maps of an LSTM: candidate, forget, input and output gate


def one_number(
    w_x: float, w_h: float, b: float, bits: Sequence[float], noise: float = 0.0, seed: int = 0
) -> list[float]:
    """The states h_1, h_2, ... of a recurrent network with a state of one number, which begins at 0.

    After each step a random number between -noise and noise is added to the state that the next step sees; what is
    returned is the state before that.
    """
    rng, h, states = random.Random(seed), 0.0, []
    for bit in bits:
        states.append(math.tanh(w_x * bit + w_h * h + b))
        h = states[-1] + rng.uniform(-noise, noise)
    return states


def one_cell(W: Mapping[str, Any], b: Mapping[str, Any], words: Sequence[Sequence[float]]) -> list[float]:
    """The states h of an LSTM whose cell is one number, after each word; both begin at 0.

    W: for each of the parts C, f, i and o a row [1, d + 1] of weights for (word, h); b: for each a bias [1].
    """
    rows = {part: np.ravel(np.asarray(W[part], float)) for part in PARTS}
    shifts = {part: float(np.ravel(np.asarray(b[part], float))[0]) for part in PARTS}
    h, cell, states = 0.0, 0.0, []
    for word in words:
        a = {part: float(np.dot(rows[part], [*word, h])) + shifts[part] for part in PARTS}
        forget, write, show = ((1 + math.tanh(a[part] / 2)) / 2 for part in "fio")
        cell = write * math.tanh(a["C"]) + forget * cell
        h = show * math.tanh(cell)
        states.append(h)
    return states


def lstm_gradients(e: Any, h: Any, C: Any, W: Mapping[str, Any], b: Mapping[str, Any], dh: Any, dC: Any) -> Any:
    """By autograd (de, dh, dC, dW, db): the gradients of sum(dh * new h) + sum(dC * new C) after one step of an LSTM.

    e [B, d], h and C [B, k] are what the step reads; W[part] [k, d + k] and b[part] [k] for the parts C, f, i and o.
    """
    import torch
    from torch.nn import functional as F

    given = [e, h, C, *(table[part] for table in (W, b) for part in PARTS)]
    given = [part.clone().requires_grad_(True) for part in given]
    x, cell = torch.cat(given[:2], dim=1), given[2]
    a = [F.linear(x, *pair) for pair in zip(given[3:7], given[7:], strict=True)]
    cell = a[2].sigmoid() * a[0].tanh() + a[1].sigmoid() * cell
    loss = (dh * a[3].sigmoid() * cell.tanh()).sum() + (dC * cell).sum()
    found = torch.autograd.grad(loss, given)
    dW, db = (dict(zip(PARTS, part, strict=True)) for part in (found[3:7], found[7:]))
    return (*found[:3], dW, db)


def stream_loss(model: Any, batch: Any, carry: dict[str, Any]) -> tuple[Any, int]:
    """For `lmkit.training.train` with `carry={}`: mean cross-entropy of a piece, and its number of targets.

    batch: inputs and targets [B, T]. model(inputs, state) -> (scores [B, T, V], a tuple of tensors); each piece goes on
    from the state at the end of the one before, without its history.
    """
    from torch.nn import functional as F

    inputs, targets = batch
    scores, state = model(inputs, carry.get("state"))
    carry["state"] = tuple(part.detach() for part in state)
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten()), targets.numel()


def go_on(model: Any, ids: Sequence[int], length: int, temperature: float = 0.8, seed: int = 1) -> list[int]:
    """The next `length` tokens that a recurrent language model draws after it has read `ids` (at least one token).

    model(inputs [1, T], state) -> (scores [1, T, V], state); its state begins as None. temperature > 0.
    """
    import torch

    device = next(model.parameters()).device
    dice, state, written = torch.Generator().manual_seed(seed), None, list(ids)
    read = written
    with torch.no_grad():
        for _ in range(length):
            scores, state = model(torch.tensor([read], device=device), state)
            chances = (scores[0, -1].double().cpu() / temperature).softmax(0)
            read = [int(torch.multinomial(chances, 1, generator=dice))]
            written = [*written, *read]
    return written[len(ids) :]
