"""The loss that a model is judged by."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

MOST = 200_000  # tokens; more would not change the third digit


@torch.no_grad()
def loss_with_context(model: nn.Module, text: Tensor, block: int, batch: int = 64, most: int = MOST) -> float:
    """Mean loss in nats per token of a text [N], where each token is predicted from at least half a block.

    In separate windows the first token of each has nothing before it, which no reader of a long text would suffer.
    So windows overlap by half, and only the second half of each is counted (of the first window, all).
    """
    device = next(model.parameters()).device
    training = model.training
    model.eval()
    half = max(1, block // 2)
    text = text[: most + 1].long()
    whole = (len(text) - 1 - block) // half + 1  # windows that fit
    if whole < 1:
        raise ValueError(f"The text has {len(text):,} tokens; a block of {block} and its targets need more.")
    rows = text[: (whole - 1) * half + block + 1].unfold(0, block + 1, half)  # [windows, block + 1]
    total, count = 0.0, 0
    for begin in range(0, whole, batch):
        here = rows[begin : begin + batch].to(device)
        scores = model(here[:, :-1])  # [b, T, V]
        losses = F.cross_entropy(scores.flatten(0, 1).float(), here[:, 1:].flatten(), reduction="none")
        losses = losses.view(len(here), block)
        if begin == 0:
            total += float(losses[0, : block - half].double().sum())
            count += block - half
        total += float(losses[:, block - half :].double().sum())
        count += len(here) * half
    model.train(training)
    return total / count
