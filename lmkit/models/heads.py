"""What chapters 06 and 07 build of a Transformer, ready for the chapters after them.

Letters: B texts, n and m places, d width, h heads. Masks are bools, True where a row may look at a column.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Attention(nn.Module):
    """Several heads: queries from one text, keys and values from another or from the same one."""

    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.out = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x: Tensor, y: Tensor, mask: Tensor | None = None) -> Tensor:
        """x [B, n, d], y [B, m, d], mask [B, n, m] or None (all may look) -> [B, n, d]"""
        return self.among(x, y, None if mask is None else mask[:, None])

    def among(self, x: Tensor, y: Tensor, mask: Tensor | None) -> Tensor:
        """Attention with a mask that fits [B, h, n, m]."""
        q, k, v = (
            part(z).unflatten(2, (self.h, -1)).transpose(1, 2) for part, z in ((self.q, x), (self.k, y), (self.v, y))
        )
        found: Tensor = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        result: Tensor = self.out(found.transpose(1, 2).flatten(2))
        return result


class MultiHead(Attention):
    """Several heads of one text that looks at itself; the names of its weights are those of chapter 06."""

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:  # type: ignore[override]
        """x [B, T, d], mask [T, T] or any shape that fits [B, h, T, T], or None -> [B, T, d]"""
        return self.among(x, x, mask)


def from_torch(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The state dict of an `nn.MultiheadAttention` with the names of `MultiHead` and `Attention`."""
    found = {"out.weight": state["out_proj.weight"], "out.bias": state["out_proj.bias"]}
    for kind in ("weight", "bias"):
        parts = zip("qkv", state[f"in_proj_{kind}"].chunk(3), strict=True)
        found |= {f"{name}.{kind}": part for name, part in parts}
    return found


class FeedForward(nn.Module):
    """Four times wider, GELU, and back: every place for itself."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x: Tensor) -> Tensor:
        """[..., d] -> [..., d]"""
        result: Tensor = self.down(F.gelu(self.up(x)))
        return result


class EncoderLayer(nn.Module):
    """Pre-norm: attention inside one text, then feed-forward; each adds to the stream."""

    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.inside, self.inside_norm = Attention(d, h), nn.LayerNorm(d)
        self.feed, self.feed_norm = FeedForward(d), nn.LayerNorm(d)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """x [B, m, d], mask [B, m, m] or None -> [B, m, d]"""
        y = self.inside_norm(x)
        x = x + self.inside(y, y, mask)
        result: Tensor = x + self.feed(self.feed_norm(x))
        return result


def influence(layer: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """bool [T, T]: does row i of layer(x) change when row j of x [T, d] gets other numbers?"""
    y, columns = layer(x), []
    for j in range(len(x)):
        other = x.clone()
        other[j] += torch.randn_like(x[j])
        columns.append((layer(other) != y).any(dim=1))
    return torch.stack(columns, dim=1)
