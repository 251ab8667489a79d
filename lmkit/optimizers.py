"""AdamW and Muon, set up as Transformers want them.

train(model, ..., optimiser=adamw(model, rate=1e-3))
train(model, ..., optimiser=muon(model, model.blocks, rate=0.02, adam_rate=3e-3))
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer


def decay_groups(weights: Iterable[nn.Parameter], decay: float) -> list[dict[str, Any]]:
    """Two groups: matrices decay towards 0, vectors do not.

    Decay keeps the many numbers of a matrix from growing without need. Gains of norms and biases are few, and a gain
    that is pulled to 0 switches its layer off.
    """
    weights = [weight for weight in weights if weight.requires_grad]
    return [
        {"params": [weight for weight in weights if weight.ndim >= 2], "weight_decay": decay},
        {"params": [weight for weight in weights if weight.ndim < 2], "weight_decay": 0.0},
    ]


def adamw(model: nn.Module, rate: float = 1e-3, decay: float = 0.1, betas: tuple[float, float] = (0.9, 0.95)) -> AdamW:
    """AdamW with decay groups. Fused: all steps of the formula in one pass over the weights, not a pass for each."""
    return AdamW(decay_groups(model.parameters(), decay), lr=rate, betas=betas, fused=True)


class Muon(Optimizer):
    """Muon (Keller Jordan, 2024) for matrices: each steps by its momentum, made nearly orthogonal.

    The same steps as `torch.optim.Muon`, which however multiplies in bfloat16 everywhere: a CPU without instructions
    for that is five times slower with it, and the order of sums shows in the second digit. Here that is left to GPUs.
    """

    def __init__(
        self, matrices: Iterable[nn.Parameter], lr: float, weight_decay: float = 0.1, momentum: float = 0.95
    ) -> None:
        super().__init__(matrices, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Update all matrices that have a gradient."""
        for group in self.param_groups:
            rate, momentum = group["lr"], group["momentum"]
            for weight in group["params"]:
                if weight.grad is None:
                    continue
                state = self.state[weight]
                mean = state.setdefault("momentum_buffer", torch.zeros_like(weight.grad))
                mean.lerp_(weight.grad, 1 - momentum)
                step = nearly_orthogonal(weight.grad.lerp(mean, momentum))
                rows, columns = weight.shape
                weight.mul_(1 - rate * group["weight_decay"])
                weight.add_(step, alpha=-rate * math.sqrt(max(1.0, rows / columns)))


def nearly_orthogonal(matrix: Tensor, rounds: int = 5) -> Tensor:
    """The matrix [m, n] with all its singular values brought near 1, by a polynomial applied again and again."""
    x = matrix.bfloat16() if matrix.is_cuda else matrix
    x = x / x.norm().clamp(min=1e-7)
    if tall := x.shape[0] > x.shape[1]:  # the smaller square is the cheaper one
        x = x.T
    for _ in range(rounds):
        square = x @ x.T
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    result: Tensor = (x.T if tall else x).to(matrix.dtype)
    return result


def muon(
    model: nn.Module,
    hidden: nn.Module,
    rate: float = 0.02,
    adam_rate: float = 3e-3,
    decay: float = 0.1,
    betas: tuple[float, float] = (0.9, 0.95),
) -> list[Optimizer]:
    """Muon for the matrices inside `hidden`, AdamW for all other weights.

    All singular values of Muon's step are near 1, so that a direction
    which a matrix uses rarely learns as fast as the others. Embeddings are tables of rows, not maps between spaces,
    and the output layer is no hidden one: both stay with AdamW. Two optimisers: `train` steps them together.
    """
    matrices = [weight for weight in hidden.parameters() if weight.ndim == 2]
    inside = {id(weight) for weight in matrices}
    others = [weight for weight in model.parameters() if id(weight) not in inside]
    return [
        Muon(matrices, lr=rate, weight_decay=decay),
        AdamW(decay_groups(others, decay), lr=adam_rate, betas=betas, fused=True),
    ]
