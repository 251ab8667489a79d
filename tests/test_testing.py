"""`lmkit.testing`: a comparison of answers that an empty, smaller or otherwise different answer cannot pass."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from lmkit.testing import (
    close,
    gradients,
    is_number,
    laid_out_otherwise,
    leave_gradients,
    reading_once,
    torch_module,
    warnings_of,
    without_autograd,
)

NUMBERS = [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    "got", [NUMBERS, np.array(NUMBERS), torch.tensor(NUMBERS), [torch.tensor(row) for row in NUMBERS]]
)
def test_the_same_numbers_are_close_in_any_container(got: object) -> None:
    assert close(got, NUMBERS) and close(NUMBERS, got)


@pytest.mark.parametrize(
    "got",
    [
        np.zeros((0, 2)),
        [],
        [[], []],
        2.5,
        np.array([1.0, 2.0]),
        np.array([NUMBERS]),
        [["1", "2"], ["3", "4"]],
        np.array([[1, 2], [3, None]], dtype=object),
        [[1.0], [3.0, 4.0]],
        [[math.nan, 2.0], [3.0, 4.0]],
        "1234",
        None,
        {1.0, 2.0, 3.0, 4.0},
    ],
    ids=repr,
)
def test_what_has_another_shape_or_kind_is_not_close(got: object) -> None:
    assert not close(got, NUMBERS)


def test_tolerances_and_infinities() -> None:
    assert close(1.0 + 1e-7, 1) and not close(1.0 + 1e-5, 1)
    assert close(1.1, 1, rtol=0.1) and close(0.05, 0, atol=0.1)
    assert close(-math.inf, -math.inf) and not close(math.inf, -math.inf) and not close(math.nan, math.nan)
    assert close([], []) and not close([], 0)
    with pytest.raises(TypeError, match="compares with numbers"):
        close(1, "one")


def test_large_integers_and_fractions_are_numbers() -> None:
    assert close(math.factorial(25), float(math.factorial(25))) and is_number(math.factorial(25))
    assert close([Fraction(1, 3), 1], [1 / 3, 1]) and is_number(Fraction(1, 3)) and not is_number(10**400)


def test_what_counts_as_a_number() -> None:
    for value in (1, 1.5, np.float32(2), np.int64(3), torch.tensor(4.0), np.array(5)):
        assert is_number(value)
    for value in (None, "1", [1], np.array([1]), torch.ones(1), math.nan, 1j, {}):
        assert not is_number(value)


def test_a_module_is_made_beside_the_answer_from_its_name() -> None:
    module = torch_module("Linear", 3, 5, bias=False)
    assert isinstance(module, torch.nn.Linear) and module.weight.shape == (5, 3) and module.bias is None
    assert torch_module.runs_beside_the_answer


def test_a_module_keeps_the_gradients_that_are_left_in_it() -> None:
    module = torch_module("RNN", 2, 3)
    leave_gradients(module, torch.ones(4, 2))
    leave_gradients(module, torch.ones(4, 2))
    wanted = torch.autograd.grad(2 * module(torch.ones(4, 2))[0].sum(), list(module.parameters()))
    assert all(close(weight.grad, one, 1e-4) for weight, one in zip(module.parameters(), wanted, strict=True))
    assert leave_gradients.runs_beside_the_answer


def test_of_several_results_the_gradient_of_the_first() -> None:
    x = torch.tensor([1.0, 2.0])
    assert close(gradients(lambda value: (value**2, 5 * value), x)[0], [2, 4])


def test_a_list_that_can_be_read_only_once() -> None:
    assert reading_once(lambda factor, values: [factor * sum(values), sum(values)], 2, [3, 4]) == [14, 0]


def test_the_warnings_of_a_call() -> None:
    zeros = np.zeros(2)
    assert [("in log" in text) for text in warnings_of(lambda x: [np.log(x), np.log(x)], zeros)] == [True, True]
    with np.errstate(all="ignore"):
        assert warnings_of(np.log, zeros) == []
    assert warnings_of(np.log, zeros + 1) == []
    assert warnings_of.runs_beside_the_answer


def test_equal_numbers_laid_out_the_other_way_round() -> None:
    array, tensor = np.arange(24.0).reshape(2, 3, 4), torch.arange(24).reshape(2, 3, 4)
    one, two, row, number = laid_out_otherwise(lambda *values: values, array, tensor, tensor[0, 0], 5)
    assert np.array_equal(one, array) and one.flags.f_contiguous and not one.flags.c_contiguous
    assert torch.equal(two, tensor) and not two.is_contiguous() and two.permute(2, 1, 0).is_contiguous()
    assert torch.equal(row, tensor[0, 0]) and number == 5 and laid_out_otherwise.runs_beside_the_answer
    with pytest.raises(RuntimeError, match="view"):
        laid_out_otherwise(lambda value: value.view(6, 4), tensor)


def test_without_autograd_no_gradient_can_be_had() -> None:
    def by_the_back_door(x: torch.Tensor) -> torch.Tensor:
        with torch.inference_mode(False), torch.enable_grad():
            x = x.clone().requires_grad_(True)
            return torch.autograd.grad((x**2).sum(), x)[0]

    x = torch.tensor([1.0, 2.0])
    assert close(without_autograd(lambda value: 2 * value, x), [2, 4])
    with pytest.raises(RuntimeError, match="switched off"):
        without_autograd(by_the_back_door, x)
