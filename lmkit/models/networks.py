"""The networks of the course by name, and how large each is to be for a fair comparison.

Every network maps tokens [B, T] to scores [B, T, V] for the token after each. All share the embedding with the output
layer, so that at equal width V counts alike in all of them, and what is between is what is compared.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lmkit.transformer import Transformer, TransformerConfig


class Tied(nn.Module):
    """Embedding in, the same embedding out; a subclass says what is between."""

    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        nn.init.normal_(self.embedding.weight, std=0.05)

    def between(self, x: Tensor, tokens: Tensor) -> Tensor:
        """Vectors [B, T, C] of the tokens [B, T] -> [B, T, C]"""
        raise NotImplementedError

    def forward(self, tokens: Tensor) -> Tensor:
        """[B, T] -> [B, T, V]"""
        return F.linear(self.between(self.embedding(tokens), tokens), self.embedding.weight)


class WindowNetwork(Tied):
    """Y. Bengio and others (2003): the vectors of the last n - 1 tokens side by side, then a hidden layer."""

    def __init__(self, vocabulary: int, width: int = 128, hidden: int = 616, n: int = 5) -> None:
        super().__init__(vocabulary, width)
        self.before = n - 1
        self.hidden, self.out = nn.Linear((n - 1) * width, hidden), nn.Linear(hidden, width)
        # Before a text stands nothing: a vector of its own, so that the first window is as long as all others.
        self.nothing = nn.Parameter(torch.zeros(width))

    def between(self, x: Tensor, tokens: Tensor) -> Tensor:
        B, T, C = x.shape
        x = torch.cat([self.nothing.expand(B, self.before - 1, C), x], dim=1)
        windows = x.unfold(1, self.before, 1).transpose(2, 3).flatten(2)  # [B, T, (n - 1) C]
        result: Tensor = self.out(torch.tanh(self.hidden(windows)))
        return result


class Recurrent(Tied):
    """A recurrent layer of torch's, `nn.RNN` or `nn.LSTM`; every text starts from a zero state."""

    def __init__(self, vocabulary: int, cell: Callable[..., nn.Module], width: int = 128, hidden: int = 256) -> None:
        super().__init__(vocabulary, width)
        self.cell, self.out = cell(width, hidden, batch_first=True), nn.Linear(hidden, width)

    def between(self, x: Tensor, tokens: Tensor) -> Tensor:
        result: Tensor = self.out(self.cell(x)[0])
        return result


def _transformer(vocabulary: int, **sizes: Any) -> nn.Module:
    return Transformer(TransformerConfig(vocabulary, **sizes))


NETWORKS: dict[str, Callable[..., nn.Module]] = {
    "window": WindowNetwork,
    "rnn": lambda vocabulary, **sizes: Recurrent(vocabulary, nn.RNN, **sizes),
    "lstm": lambda vocabulary, **sizes: Recurrent(vocabulary, nn.LSTM, **sizes),
    "transformer": _transformer,
}


def build(name: str, vocabulary: int, **sizes: Any) -> nn.Module:
    """The network of that name for a vocabulary of V tokens; `sizes` are its own (width, hidden, layers, ...)."""
    if name not in NETWORKS:
        raise ValueError(f"There is no network {name!r}; choose one of: {', '.join(NETWORKS)}.")
    return NETWORKS[name](vocabulary, **sizes)


def parameter_count(network: nn.Module) -> int:
    """How many numbers it learns; a shared matrix counts once."""
    return sum(weight.numel() for weight in network.parameters())
