"""AdamW and Muon, set up as Transformers want them.

train(model, ..., optimiser=adamw(model, lr=1e-3))
train(model, ..., optimiser=muon(model, model.blocks, lr=0.02, adam_lr=3e-3))
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer


def decay_groups(weights: Iterable[nn.Parameter], weight_decay: float) -> list[dict[str, Any]]:
    """Two groups: matrices decay towards 0, vectors do not.

    Decay keeps the many numbers of a matrix from growing without need. Gains of norms and biases are few, and a gain
    that is pulled to 0 switches its layer off.
    """
    weights = [weight for weight in weights if weight.requires_grad]
    return [
        {"params": [weight for weight in weights if weight.ndim >= 2], "weight_decay": weight_decay},
        {"params": [weight for weight in weights if weight.ndim < 2], "weight_decay": 0.0},
    ]


def adamw(
    model: nn.Module, lr: float = 1e-3, weight_decay: float = 0.1, betas: tuple[float, float] = (0.9, 0.95)
) -> AdamW:
    """AdamW with decay groups. Fused: all steps of the formula in one pass over the weights, not a pass for each."""
    return AdamW(decay_groups(model.parameters(), weight_decay), lr=lr, betas=betas, fused=True)


class Muon(Optimizer):
    """Muon (Keller Jordan, 2024) for matrices: each steps by its momentum, made nearly orthogonal.

    The same steps as `torch.optim.Muon`, which however multiplies in bfloat16 everywhere: a CPU without instructions
    for that is five times slower with it, and the order of sums shows in the second digit. Here that is left to GPUs.
    Matrices of one shape are made orthogonal together, in one stack: a GPU is kept busy by few large products. Where
    several processes train one model, each does its share of a stack and gets the rest from the others.
    """

    def __init__(
        self,
        matrices: Iterable[nn.Parameter],
        lr: float,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        compiled: bool = False,
    ) -> None:
        super().__init__(matrices, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum})
        self.orthogonal = torch.compile(nearly_orthogonal, dynamic=False) if compiled else nearly_orthogonal

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Update all matrices that have a gradient."""
        for group in self.param_groups:
            lr, momentum = group["lr"], group["momentum"]
            stacks: dict[torch.Size, list[Tensor]] = defaultdict(list)
            for weight in group["params"]:
                if weight.grad is not None:
                    stacks[weight.shape].append(weight)
            for (rows, columns), weights in stacks.items():
                gradients = [weight.grad for weight in weights if weight.grad is not None]
                for weight in weights:
                    if "momentum_buffer" not in self.state[weight]:
                        self.state[weight]["momentum_buffer"] = torch.zeros_like(weight)
                means = [self.state[weight]["momentum_buffer"] for weight in weights]
                torch._foreach_lerp_(means, gradients, 1 - momentum)
                steps = self._shared(torch.stack(torch._foreach_lerp(gradients, means, momentum)))
                torch._foreach_mul_(weights, 1 - lr * group["weight_decay"])
                torch._foreach_add_(weights, list(steps), alpha=-lr * math.sqrt(max(1.0, rows / columns)))

    def _shared(self, stack: Tensor) -> Tensor:
        """The stack [n, rows, columns], made orthogonal, by all processes together."""
        processes = dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1
        if processes == 1:
            return self.orthogonal(stack)
        each = -(-len(stack) // processes)
        filled = torch.cat([stack, stack[:1].expand(each * processes - len(stack), -1, -1)])
        mine = self.orthogonal(filled[dist.get_rank() * each :][:each]).contiguous()
        parts = [torch.empty_like(mine) for _ in range(processes)]
        dist.all_gather(parts, mine)
        return torch.cat(parts)[: len(stack)]


def nearly_orthogonal(matrices: Tensor, rounds: int = 5) -> Tensor:
    """Matrices [..., m, n] with all their singular values brought near 1, by a polynomial applied again and again."""
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    x = x / x.norm(dim=(-2, -1), keepdim=True).clamp(min=1e-7)
    if tall := x.shape[-2] > x.shape[-1]:  # the smaller square is the cheaper one
        x = x.mT
    for _ in range(rounds):
        square = x @ x.mT
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    result: Tensor = (x.mT if tall else x).to(matrices.dtype)
    return result


def muon(
    model: nn.Module,
    hidden: nn.Module,
    lr: float = 0.02,
    adam_lr: float = 3e-3,
    weight_decay: float = 0.1,
    betas: tuple[float, float] = (0.9, 0.95),
    compiled: bool = False,
) -> list[Optimizer]:
    """Muon for the matrices inside `hidden`, AdamW for all other weights; `compiled`: torch.compile for the former.

    All singular values of Muon's step are near 1, so that a direction
    which a matrix uses rarely learns as fast as the others. Embeddings are tables of rows, not maps between spaces,
    and the output layer is no hidden one: both stay with AdamW. Two optimisers: `train` steps them together.
    """
    matrices = [weight for weight in hidden.parameters() if weight.ndim == 2]
    inside = {id(weight) for weight in matrices}
    others = [weight for weight in model.parameters() if id(weight) not in inside]
    return [
        Muon(matrices, lr=lr, weight_decay=weight_decay, compiled=compiled),
        AdamW(decay_groups(others, weight_decay), lr=adam_lr, betas=betas, fused=True),
    ]
