"""Helpers for test cells.

`close` and `is_number` compare; they belong to the test. The others do work that must be done where the student's
objects are, so that only numbers reach the test: plain nbgrader and *Validate* call them like any function, and a judge
that runs tests apart from the student's code sees the mark `runs_beside_the_answer` and has them called on the
student's side.
"""

import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any


def is_number(value: Any) -> bool:
    """Whether a value is one real number that is not NaN: Python's, NumPy's, or an array or tensor with shape []."""
    array = _numbers(value)
    return array is not None and array.shape == () and array.dtype.kind in "biuf" and bool(array == array)


def close(got: Any, wanted: Any, rtol: float = 1e-6, atol: float = 1e-9) -> bool:
    """Whether `got` holds the same numbers as `wanted` in the same shape, be it a list, an array or a tensor.

    Unlike `numpy.allclose` nothing is broadcast, so an empty or a smaller answer is never close to a larger one; what
    holds anything but numbers is not close, nor is NaN, not even to itself. Two numbers a and w are close if
    |a - w| <= atol + rtol |w|; infinities of the same sign are.
    """
    import numpy as np

    ours, theirs = _numbers(wanted), _numbers(got)
    if ours is None:
        raise TypeError(f"close compares with numbers, not with {wanted!r}")
    return theirs is not None and ours.shape == theirs.shape and bool(np.allclose(theirs, ours, rtol, atol))


def _numbers(value: Any) -> Any:
    """A NumPy array of the numbers in a value, or None if it is no number, array, tensor or list of them."""
    import numpy as np

    if hasattr(value, "detach") and hasattr(value, "is_floating_point"):  # a tensor, without importing torch
        value = value.detach().cpu()
        value = (value.double() if value.is_floating_point() else value).numpy()
    if isinstance(value, (list, tuple)) and any(hasattr(item, "detach") for item in value):
        parts = [_numbers(item) for item in value]
        value = None if any(part is None for part in parts) else parts
    if not isinstance(value, (list, tuple, int, float, complex, Fraction, np.ndarray, np.number, np.bool_)):
        return None
    try:
        array = np.asarray(value)
        if array.dtype == object and all(isinstance(item, (int, Fraction)) for item in array.flat):
            array = array.astype(float)  # whole numbers beyond 64 bits, fractions
    except (ValueError, OverflowError):  # lists of different lengths; numbers beyond 1e308
        return None
    return array if array.dtype.kind in "biufc" else None


def beside_the_answer(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a helper that must run on the student's side."""
    function.runs_beside_the_answer = True  # type: ignore[attr-defined]
    return function


@beside_the_answer
def gradients(function: Callable[..., Any], *inputs: Any) -> list[Any]:
    """The gradients of sum(function(*inputs)) with respect to each floating-point tensor among the inputs, in order.

    Of several results the first counts.
    An input that the result does not depend on has gradient zero, in its own shape.
    """
    import torch

    inputs = tuple(
        value.detach().clone().requires_grad_(True) if torch.is_tensor(value) and value.is_floating_point() else value
        for value in inputs
    )
    wanted = [value for value in inputs if torch.is_tensor(value) and value.requires_grad]
    result = function(*inputs)
    result = (result[0] if isinstance(result, (tuple, list)) else result).sum()
    found = torch.autograd.grad(result, wanted, allow_unused=True)
    return [
        torch.zeros_like(value) if gradient is None else gradient for value, gradient in zip(wanted, found, strict=True)
    ]


@beside_the_answer
def without_autograd(function: Callable[..., Any], *inputs: Any) -> Any:
    """function(*inputs) while torch records nothing: whoever asks autograd for a gradient meets a RuntimeError."""
    import torch

    def refuse(value: Any) -> Any:
        raise RuntimeError("Autograd is switched off here.")

    # Whoever switches recording on again meets the second: nothing can be kept for a gradient.
    with torch.inference_mode(), torch.autograd.graph.saved_tensors_hooks(refuse, refuse):
        return function(*inputs)


@beside_the_answer
def arguments_after(function: Callable[..., Any], *inputs: Any) -> tuple[Any, ...]:
    """The inputs as they are after function(*inputs): what it changed in place shows."""
    function(*inputs)
    return inputs


@beside_the_answer
def is_an_argument(function: Callable[..., Any], *inputs: Any) -> bool:
    """Whether function(*inputs) is one of the inputs itself: then whoever changes the result changes that, too."""
    result = function(*inputs)
    return any(result is value for value in inputs)


@beside_the_answer
def warnings_of(function: Callable[..., Any], *inputs: Any) -> list[str]:
    """The texts of all warnings that function(*inputs) gives, in their order, repeated ones too."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*inputs)
    return [str(one.message) for one in found]


@beside_the_answer
def torch_module(kind: str, *inputs: Any, **options: Any) -> Any:
    """A module of torch.nn, as in torch_module("Linear", 3, 5, bias=False), made where the student's objects are.

    So a test can build a student's class around modules, or hand one to a student's function, without any name that
    their side binds.
    """
    import torch

    return getattr(torch.nn, kind)(*inputs, **options)


@beside_the_answer
def wrapped(module: Any, most: int | None = None) -> Any:
    """A torch module that hands all inputs, or the first `most`, to another one, whose class it does not have."""
    import torch

    class Wrapped(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.within = module

        def forward(self, *inputs: Any) -> Any:
            return self.within(*inputs[:most])

    return Wrapped()


@beside_the_answer
def training_log(
    learn: Callable[..., Any],
    held_out: Sequence[float],
    steps: int,
    every: int,
    patience: int,
    old_gradient: float = 1.0,
    watched: bool = True,
) -> dict[str, Any]:
    """What a training loop does, told by a model of three weights whose held-out losses are given beforehand.

    Calls learn(model, batches, loss, move, measure, steps, every, patience, watch), without `watch` unless `watched`.
    Returns what it returned, the numbers of the batches it asked for, the gradient of each loss by itself, the steps at
    which it watched and moved, the gradient that each move found, measurements and watching in order, and the weights
    at the end. The k-th measurement gives held_out[k], and the last one for all further ones.
    """
    import torch

    model = torch.nn.Linear(3, 1, bias=False).double()
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[0.5, -1.0, 2.0]]))
    model.weight.grad = torch.full_like(model.weight, old_gradient)
    log: dict[str, list[Any]] = {
        "batches": [],
        "of each loss": [],
        "watched": [],
        "moved": [],
        "gradients": [],
        "order": [],
    }
    told = iter(held_out)
    last = held_out[-1]

    def batches(number: int) -> tuple[torch.Tensor, torch.Tensor]:
        log["batches"].append(int(number))
        x = torch.sin(torch.arange(12, dtype=torch.float64) * (number + 1)).view(4, 3)
        return x, x.sum(1, keepdim=True) + number % 3

    def loss(model: Any, batch: tuple[torch.Tensor, torch.Tensor]) -> Any:
        value = (model(batch[0]) - batch[1]).square().mean()
        if value.requires_grad:
            alone = torch.autograd.grad(value, model.weight, retain_graph=True)[0]
            log["of each loss"].append(alone.flatten().tolist())
        return value

    def move(model: Any, step: int) -> None:
        log["moved"].append(int(step))
        log["gradients"].append(model.weight.grad.flatten().tolist())
        with torch.no_grad():
            model.weight -= 0.1 * model.weight.grad

    def measure(model: Any) -> float:
        log["order"].append("measure")
        return next(told, last)

    def watch(step: int, model: Any) -> None:
        log["watched"].append(int(step))
        log["order"].append("watch")

    result = learn(model, batches, loss, move, measure, steps, every, patience, *([watch] if watched else []))
    history = [(int(step), float(value)) for step, value in result]
    return {"history": history, **log, "weights": model.weight.detach().flatten().tolist()}


@beside_the_answer
def leave_gradients(module: Any, *inputs: Any) -> None:
    """Leave in the parameters of a torch module the gradients of sum(module(*inputs)), as an earlier `backward` would.

    Of several results the first counts.
    """
    result = module(*inputs)
    (result[0] if isinstance(result, (tuple, list)) else result).sum().backward()


@beside_the_answer
def reading_once(function: Callable[..., Any], *inputs: Any) -> Any:
    """function(*inputs) with each list among the inputs as an iterator: no length, no index, to be read only once."""
    return function(*(iter(value) if isinstance(value, list) else value for value in inputs))


@beside_the_answer
def laid_out_otherwise(function: Callable[..., Any], *inputs: Any) -> Any:
    """function(*inputs) with equal arrays and tensors whose numbers lie the other way round, column by column.

    That is a transposed copy viewed back, for two or more dimensions: what only works on numbers that lie row by row
    fails.
    """
    return function(*(_column_by_column(value) for value in inputs))


def _column_by_column(value: Any) -> Any:
    import numpy as np

    if getattr(value, "ndim", 0) < 2:
        return value
    if hasattr(value, "detach"):  # a tensor, without importing torch
        axes = range(value.ndim - 1, -1, -1)
        return value.permute(*axes).contiguous().permute(*axes)
    return np.array(value, order="F") if isinstance(value, np.ndarray) else value


@beside_the_answer
def parameter_gradients(module: Any, *inputs: Any) -> dict[str, Any]:
    """By name, the gradients of sum(module(*inputs)) with respect to the parameters of a torch module."""
    import torch

    parameters = dict(module.named_parameters())
    found = torch.autograd.grad(module(*inputs).sum(), list(parameters.values()), allow_unused=True)
    return dict(zip(parameters, found, strict=True))


@beside_the_answer
def describe_figure(figure: Any) -> list[dict[str, Any]]:
    """What the axes of a matplotlib figure show: title, labels, scales, lines, bars and legend of each."""
    return [
        {
            "title": axes.get_title(),
            "x_label": axes.get_xlabel(),
            "y_label": axes.get_ylabel(),
            "x_scale": axes.get_xscale(),
            "y_scale": axes.get_yscale(),
            "lines": [[line.get_xdata().tolist(), line.get_ydata().tolist()] for line in axes.get_lines()],
            "bars": [bar.get_height() for bar in axes.patches if hasattr(bar, "get_height")],
            "legend": [text.get_text() for text in axes.get_legend().get_texts()] if axes.get_legend() else [],
        }
        for axes in figure.axes
    ]
