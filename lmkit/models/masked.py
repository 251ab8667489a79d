"""Models that fill in a blank from both sides, behind one interface, and the truth as one of them.

    model = BothSides(build_both("encoder", len(symbols), width=64), symbols)
    model.fill(tokens, places)                [B, T], [B] -> ln P of the word at each text's place, [B, V]
    filled(model, documents, blanks)          ln P of the word in each blank, and whether it is the likeliest

Letters: B texts, T places, C width, V symbols. Symbol 0 is PAD, which fills short texts up, symbol 1 is MASK.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from lmkit.models.interface import Document, LanguageModel, encode
from lmkit.models.networks import Tied
from lmkit.training.tools import device_of
from lmkit.transformer import rotary_angles, rotate

PAD, MASK = "<PAD>", "<MASK>"


class FillIn(Protocol):
    """Gives ln P of each symbol in a blank, given all other words of its text."""

    @property
    def symbols(self) -> Sequence[str]: ...

    def fill(self, tokens: Tensor, places: Tensor) -> Tensor:
        """Texts [B, T], filled up with 0, and one place of each [B] -> ln P [B, V]; the word there changes nothing."""


class TwoSidedWindow(Tied):
    """The vectors of n words on each side and the place's own, side by side, then a hidden layer."""

    def __init__(self, vocabulary: int, width: int = 64, hidden: int = 156, n: int = 4) -> None:
        super().__init__(vocabulary, width)
        self.n = n
        self.hidden, self.out = nn.Linear((2 * n + 1) * width, hidden), nn.Linear(hidden, width)

    def between(self, x: Tensor, tokens: Tensor) -> Tensor:
        x = F.pad(x, (0, 0, self.n, self.n))  # beyond the text stands nothing: zeros
        windows = x.unfold(1, 2 * self.n + 1, 1).transpose(2, 3).flatten(2)  # [B, T, (2n + 1) C]
        result: Tensor = self.out(torch.tanh(self.hidden(windows)))
        return result

    def forward(self, tokens: Tensor) -> Tensor:
        return F.linear(self.states(tokens), self.embedding.weight)

    def states(self, tokens: Tensor) -> Tensor:
        """[B, T] -> [B, T, C], from which the scores are made; padding is a vector of zeros."""
        return self.between(self.embedding(tokens) * (tokens > 0)[..., None], tokens)


class TwoSidedLSTM(TwoSidedWindow):
    """One LSTM reads from the left, another from the right; a place has both states. Neither reads padding first."""

    def __init__(self, vocabulary: int, width: int = 64, hidden: int = 80) -> None:
        Tied.__init__(self, vocabulary, width)
        self.right, self.left = (nn.LSTM(width, hidden, batch_first=True) for _ in range(2))
        self.out = nn.Linear(2 * hidden, width)

    def between(self, x: Tensor, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        at = torch.arange(T, device=tokens.device).expand_as(tokens)
        back = torch.where(at < (n := (tokens > 0).sum(1, keepdim=True)), n - 1 - at, at)  # its own inverse
        turn = back[..., None]
        from_right = self.left(x.gather(1, turn.expand_as(x)))[0]
        from_right = from_right.gather(1, turn.expand_as(from_right))
        result: Tensor = self.out(torch.cat([self.right(x)[0], from_right], dim=2))
        return result


class Layer(nn.Module):
    """Pre-norm: attention over the whole text, then a feed-forward network with GELU."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.qkv, self.mix = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor, seen: Tensor, angles: Tensor | None) -> Tensor:
        """x [B, T, C], seen [B, 1, 1, T]: which places hold a word."""
        B, T, C = x.shape
        q, k, v = self.qkv(self.norms[0](x)).view(B, T, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if angles is not None:
            q, k = rotate(q, angles), rotate(k, angles)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        x = x + self.mix(mixed.transpose(1, 2).reshape(B, T, C))
        result: Tensor = x + self.feed(self.norms[1](x))
        return result


class TwoSidedTransformer(TwoSidedWindow):
    """An encoder: every place sees every other. Places are turned into queries and keys, or added once at the start."""

    def __init__(
        self, vocabulary: int, width: int = 64, layers: int = 2, heads: int = 4, positions: str = "rotary"
    ) -> None:
        Tied.__init__(self, vocabulary, width)
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))
        self.norm, self.head_width, self.positions = nn.LayerNorm(width), width // heads, positions

    def between(self, x: Tensor, tokens: Tensor) -> Tensor:
        angles = rotary_angles(x.shape[1], self.head_width if self.positions == "rotary" else x.shape[2])
        angles = angles.to(x.device)
        x = x * x.shape[2] ** 0.5  # as large as what the layers add to it at first (Vaswani and others, 2017)
        if self.positions == "added":
            x = x + 0.4 * angles.permute(1, 2, 0).flatten(1)  # cosine and sine in turn, as large as the embedding
        for layer in self.layers:
            x = layer(x, (tokens > 0)[:, None, None], angles if self.positions == "rotary" else None)
        result: Tensor = self.norm(x)
        return result


BOTH_SIDES: dict[str, Callable[..., TwoSidedWindow]] = {
    "window": TwoSidedWindow,
    "bilstm": TwoSidedLSTM,
    "encoder": TwoSidedTransformer,
}


def build_both(name: str, vocabulary: int, **sizes: Any) -> TwoSidedWindow:
    """The network of that name that reads both sides."""
    if name not in BOTH_SIDES:
        raise ValueError(f"There is no network {name!r}; choose one of: {', '.join(BOTH_SIDES)}.")
    return BOTH_SIDES[name](vocabulary, **sizes)


class BothSides:
    """A network of this module: the place is hidden behind MASK, then asked."""

    def __init__(self, network: TwoSidedWindow, symbols: Sequence[str]) -> None:
        self.network, self.symbols = network, list(symbols)

    @torch.no_grad()
    def fill(self, tokens: Tensor, places: Tensor) -> Tensor:
        """Computed where the network is; the result is where the tokens are."""
        self.network.eval()
        hidden = tokens.scatter(1, places[:, None], self.symbols.index(MASK)).to(device_of(self.network))
        states = self.network.states(hidden)  # [B, T, C]
        states = states.take_along_dim(places.to(states.device)[:, None, None], dim=1)[:, 0]
        return F.linear(states, self.network.embedding.weight).float().log_softmax(-1).to(tokens.device)


class LeftOnly:
    """A language model of `lmkit.models`: it sees only what stands before the blank."""

    def __init__(self, model: LanguageModel) -> None:
        self.model, self.symbols = model, model.symbols

    def fill(self, tokens: Tensor, places: Tensor) -> Tensor:
        return self.model.log_probabilities(tokens)[torch.arange(len(tokens)), places]


class Unigram:
    """How often each symbol occurs, whatever stands around it."""

    def __init__(self, symbols: Sequence[str], counts: Sequence[float]) -> None:
        self.symbols = list(symbols)
        self.row = torch.tensor(counts, dtype=torch.float64).div(sum(counts)).log().float()

    def fill(self, tokens: Tensor, places: Tensor) -> Tensor:
        return self.row.expand(len(tokens), -1)


def filled(
    model: FillIn, documents: Sequence[Document], blanks: Sequence[tuple[int, int]], batch: int = 64
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """For each blank (document, place), its text whole otherwise: ln P of its word, and whether it is the likeliest."""
    numbers = sorted({i for i, _ in blanks})
    texts = dict(zip(numbers, encode(model.symbols, [documents[i] for i in numbers]), strict=True))
    log_p, right = np.zeros(len(blanks)), np.zeros(len(blanks), dtype=bool)
    order = sorted(range(len(blanks)), key=lambda b: len(texts[blanks[b][0]]))
    for begin in range(0, len(order), batch):
        here = order[begin : begin + batch]
        tokens = nn.utils.rnn.pad_sequence([texts[blanks[b][0]] for b in here], batch_first=True)
        places = torch.tensor([blanks[b][1] for b in here])
        rows = model.fill(tokens, places)
        wanted = tokens[torch.arange(len(here)), places]
        log_p[here] = rows.gather(1, wanted[:, None])[:, 0].double().numpy()
        right[here] = (rows.argmax(1) == wanted).numpy()
    return log_p, right
