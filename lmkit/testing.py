"""Helpers for test cells whose work must be done where the student's objects are, so that only numbers reach the test.

Plain nbgrader and *Validate* call them like any function. A judge that runs tests apart from the student's code sees
the mark `runs_beside_the_answer` and has them called on the student's side.
"""

from collections.abc import Callable
from typing import Any


def beside_the_answer(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a helper that must run on the student's side."""
    function.runs_beside_the_answer = True  # type: ignore[attr-defined]
    return function


@beside_the_answer
def gradients(function: Callable[..., Any], *inputs: Any) -> list[Any]:
    """The gradients of sum(function(*inputs)) with respect to each floating-point tensor among the inputs, in order.

    An input that the result does not depend on has gradient zero, in its own shape.
    """
    import torch

    inputs = tuple(
        value.detach().clone().requires_grad_(True) if torch.is_tensor(value) and value.is_floating_point() else value
        for value in inputs
    )
    wanted = [value for value in inputs if torch.is_tensor(value) and value.requires_grad]
    result = function(*inputs).sum()
    found = torch.autograd.grad(result, wanted, allow_unused=True)
    return [
        torch.zeros_like(value) if gradient is None else gradient for value, gradient in zip(wanted, found, strict=True)
    ]


@beside_the_answer
def without_autograd(function: Callable[..., Any], *inputs: Any) -> Any:
    """function(*inputs) while torch records nothing: whoever asks autograd for a gradient meets a RuntimeError."""
    import torch

    with torch.inference_mode():
        return function(*inputs)


@beside_the_answer
def arguments_after(function: Callable[..., Any], *inputs: Any) -> tuple[Any, ...]:
    """The inputs as they are after function(*inputs): what it changed in place shows."""
    function(*inputs)
    return inputs


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
