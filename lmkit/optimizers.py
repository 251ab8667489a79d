"""AdamW and Muon, set up as Transformers want them; the algorithms are torch's own.

train(model, ..., optimiser=adamw(model, rate=1e-3))
train(model, ..., optimiser=muon(model, model.blocks, rate=0.02, adam_rate=3e-3))
"""

from collections.abc import Iterable
from typing import Any

from torch import nn
from torch.optim import AdamW, Muon, Optimizer


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


def muon(
    model: nn.Module,
    hidden: nn.Module,
    rate: float = 0.02,
    adam_rate: float = 3e-3,
    decay: float = 0.1,
    betas: tuple[float, float] = (0.9, 0.95),
) -> list[Optimizer]:
    """Muon (Keller Jordan, 2024) for the matrices inside `hidden`, AdamW for all other weights.

    Muon steps by the momentum made nearly orthogonal: all its singular values are brought near 1, so that a direction
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
