"""What a test hands over arrives at the student's side as it was: modules, layouts, and room for recursion."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from autograder.wall import warm
from autograder.wall.inside import wire
from autograder.wall.sandbox import Limits
from autograder.wall.student import StudentSide

DEPTH = """
def depth(use=abs):
    reached = 0
    def deeper(number):
        nonlocal reached
        use(number)
        reached = number
        deeper(number + 1)
    try:
        deeper(1)
    except RecursionError:
        pass
    return reached
"""
STUDENT = """
import copy, torch
from torch import nn

class Stack(nn.Module):
    def __init__(self, part, times=1):
        super().__init__()
        self.parts = nn.ModuleList([part] + [copy.deepcopy(part) for _ in range(times - 1)])
        self.named = nn.ModuleDict({"last": nn.Sequential(part, nn.Identity())})

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return self.named["last"](x)

def same(part): return part
def is_module(part): return isinstance(part, nn.Module)
def mode(part): return part.training
def quiet(part, x): return part.eval()(x)
def layout(x): return list(x.stride() if torch.is_tensor(x) else x.strides), x.shape, x
"""


@pytest.fixture(scope="module")
def side() -> Iterator[StudentSide]:
    side = StudentSide(warm.Kind((), Limits(memory=4 * 2**30), ("numpy", "torch")))
    side.start()
    _, error = side.run_cell(STUDENT + DEPTH, 60)
    assert error is None, error
    yield side
    side.stop()
    warm.close()


def of(side: StudentSide, name: str) -> Any:
    side.allow(20)
    return side.get(name)[0]


class Half(torch.nn.Module):
    """Half of its input; all of it while it trains."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x if self.training else x / 2


def test_a_module_of_a_test_goes_wherever_modules_go(side: StudentSide) -> None:
    part = Half().eval()
    stack = of(side, "Stack")(part, times=2)
    assert torch.equal(stack(torch.tensor([8.0])), torch.tensor([1.0]))
    assert of(side, "same")(part) is part
    assert of(side, "is_module")(part) is True and of(side, "is_module")(abs) is False
    assert of(side, "is_module")(Half) is False, "a class is none"


def test_a_module_answers_in_the_mode_that_it_is_put_into_and_is_left_as_it_was(side: StudentSide) -> None:
    part = Half()
    part.inner.eval()
    assert of(side, "mode")(part) is True and of(side, "mode")(Half().eval()) is False
    assert of(side, "quiet")(part, torch.tensor([4.0])).item() == 2
    assert part.training and not part.inner.training


def test_recursion_goes_as_deep_as_in_jupyter(side: StudentSide) -> None:
    notebook = new_notebook(cells=[new_code_cell(DEPTH + "print(depth(), depth(lambda number: number))")])
    NotebookClient(notebook).execute()
    plain, calling = map(int, notebook.cells[0].outputs[0].text.split())
    outputs, error = side.run_cell("print(depth())", 20)
    assert error is None and int(outputs[0]["text"]) >= plain
    assert of(side, "depth")() >= plain
    assert of(side, "depth")(lambda number: [[number]]) >= calling


numbers = torch.arange(24.0).reshape(2, 3, 4)
LAID_OUT = [
    numbers.mT,
    numbers.permute(2, 0, 1),
    torch.arange(3).expand(4, 3),
    torch.arange(4.0)[:, None].expand(4, 3).mT,
    torch.tensor(True).expand(2, 2),
    torch.ones(1, 5, dtype=torch.complex64).mT.conj().expand(3, 5, 1),
    numbers.numpy().transpose(1, 2, 0),
    np.asfortranarray(np.arange(6, dtype=">i4").reshape(2, 3)),
    np.broadcast_to(np.array([[1.5], [2.5]]), (2, 3)),
    np.broadcast_to(np.array([True, False]), (3, 2)),
]


@pytest.mark.parametrize("number", range(len(LAID_OUT)))
def test_numbers_lie_on_the_students_side_as_they_lay_on_ours(side: StudentSide, number: int) -> None:
    ours = LAID_OUT[number]
    strides, shape, back = of(side, "layout")(ours)
    assert strides == list(ours.stride() if torch.is_tensor(ours) else ours.strides) and shape == tuple(ours.shape)
    if torch.is_tensor(ours):
        assert torch.equal(back, ours) and back.dtype == ours.dtype and back.is_contiguous()
    else:
        assert np.array_equal(back, ours) and back.dtype == ours.dtype.newbyteorder("=") and back.flags.c_contiguous


def test_a_gradient_is_asked_of_an_expanded_tensor(side: StudentSide) -> None:
    ours = torch.ones(3).expand(2, 3).requires_grad_()
    assert of(side, "layout")(ours)[2].requires_grad


@pytest.mark.parametrize("value", [torch.ones(1).expand(1000), np.broadcast_to(np.ones(1), (1000,))])
def test_no_layout_of_the_students_side_is_followed(value: Any) -> None:
    message = wire.to_bytes(value, dict, is_judge=True)
    assert len(message) < 200 and wire.from_bytes(message, dict, of_judge=True).shape == (1000,)
    with pytest.raises(wire.WireError):
        wire.from_bytes(message, dict)
