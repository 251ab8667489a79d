"""A causal Transformer: which token comes next, asked at every place of a text at once.

    config = TransformerConfig(vocabulary=65)
    model = Transformer(config)
    logits = model(tokens)                 [B, T] -> [B, T, V]
    loss = model(tokens, targets)          mean of -ln P(target), a scalar, in nats
    longer = model.generate(tokens, 200, temperature=0.8, top_p=0.95)

Letters for shapes: B texts in a batch, T tokens in each, C width (channels), H heads, D = C / H width of a head,
V tokens in the vocabulary. Each of the choices in `TransformerConfig` can be changed alone and measured.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class TransformerConfig:
    """Everything that decides the shape of a model."""

    vocabulary: int  # V
    block: int = 64  # the longest text it is trained on, T
    layers: int = 4
    heads: int = 4  # H
    width: int = 128  # C
    dropout: float = 0.0
    positions: Literal["learned", "rotary", "none"] = "rotary"
    rotary_base: float = 10_000.0  # how many times more slowly the last pair turns than the first, nearly
    norm: Literal["layer", "rms", "none"] = "rms"
    norm_place: Literal["before", "after"] = "before"  # of attention and feed-forward: pre-norm or post-norm
    residual: bool = True  # each part adds to the stream; without, it replaces it
    activation: Literal["relu", "gelu", "squared_relu"] = "squared_relu"
    shift: bool = False  # each part reads a learned share of the token before, too
    tied: bool = True  # the output layer is the embedding, transposed
    bias: bool = False  # in linear layers and LayerNorm
    deviation: float = 0.02  # of the weights at first

    def __post_init__(self) -> None:
        for name in ("vocabulary", "block", "layers", "heads", "width"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1; it is {getattr(self, name)}.")
        if self.width % self.heads:
            raise ValueError(f"width {self.width} cannot be divided among {self.heads} heads.")
        if self.positions == "rotary" and self.width // self.heads % 2:
            raise ValueError(f"Rotary positions turn pairs: a head's width, {self.width // self.heads}, must be even.")
        if self.rotary_base <= 0:
            raise ValueError(f"rotary_base must be above 0; it is {self.rotary_base}.")
        if self.deviation < 0:
            raise ValueError(f"deviation must be at least 0; it is {self.deviation}.")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout is a probability below 1; it is {self.dropout}.")
        for name, allowed in (
            ("positions", ("learned", "rotary", "none")),
            ("norm", ("layer", "rms", "none")),
            ("norm_place", ("before", "after")),
            ("activation", ("relu", "gelu", "squared_relu")),
        ):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is {getattr(self, name)!r}; choose one of: {', '.join(allowed)}.")

    @property
    def parameter_count(self) -> int:
        """How many numbers the model learns; a tied output layer costs nothing."""
        C, V = self.width, self.vocabulary
        norm = {"none": 0, "rms": C, "layer": 2 * C if self.bias else C}[self.norm]
        biases = 3 * C + C + 4 * C + C if self.bias else 0
        layer = 4 * C * C + 8 * C * C + biases + 2 * norm  # attention, feed-forward
        layer += 2 * C if self.shift else 0
        ends = V * C + (self.block * C if self.positions == "learned" else 0) + (0 if self.tied else V * C)
        return ends + self.layers * layer + norm

    @property
    def flops_per_token(self) -> int:
        """Floating-point operations to train on one token of a full block: the matrix products, forward and backward.

        A product with a weight costs 2 operations per number in it, and backward twice as much again (one product
        for the gradient of the input, one for that of the weight). Scores and mixing cost 2 T C each in every layer:
        what the causal mask throws away is counted too, as usual when a utilisation is reported.
        """
        C = self.width
        weights = self.layers * 12 * C * C + self.vocabulary * C
        attention = self.layers * 2 * self.block * C
        return 3 * 2 * (weights + attention)


class Cache:
    """Keys and values of the tokens read so far, so that a new token costs one column and not the whole text again."""

    def __init__(self, config: TransformerConfig, batch: int, like: Tensor, length: int | None = None) -> None:
        """Room for `length` tokens (default: a block) on the device and in the number format of `like`."""
        shape = config.layers, batch, config.heads, length or config.block, config.width // config.heads
        self.keys, self.values = like.new_zeros(shape), like.new_zeros(shape)  # [layers, B, H, length, D]
        self.last = like.new_zeros(config.layers, 2, batch, 1, config.width)  # what each part of a layer read last
        self.length = 0  # how many tokens have been read

    def extend(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Keep the new keys and values [B, H, T, D] of a layer; returns all of them, [B, H, length + T, D]."""
        end = self.length + k.shape[2]
        if end > self.keys.shape[3]:
            raise ValueError(f"The cache has room for {self.keys.shape[3]} tokens; {end} were read.")
        self.keys[layer, :, :, self.length : end] = k
        self.values[layer, :, :, self.length : end] = v
        return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]


def rotary_angles(length: int, width: int, base: float = 10_000.0) -> Tensor:
    """Cosines and sines of the angle of each place and pair, [2, length, width / 2]; pair i turns base^(-2i/width)."""
    speeds = base ** (-torch.arange(0, width, 2, dtype=torch.float32) / width)
    angles = torch.arange(length, dtype=torch.float32)[:, None] * speeds
    return torch.stack([angles.cos(), angles.sin()])


def rotate(x: Tensor, angles: Tensor) -> Tensor:
    """Turn each pair (x_i, x_(i + D/2)) by the angle of its place; x [..., T, D], angles [2, T, D/2].

    A product of two vectors turned by m and n angles depends on m - n alone: that is how attention sees distance.
    """
    cos, sin = angles
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1).to(x.dtype)


def _norm(config: TransformerConfig) -> nn.Module:
    """LayerNorm: (x - mean) / deviation * weight + bias. RMSNorm: x / sqrt(mean of x^2) * weight."""
    if config.norm == "none":
        return nn.Identity()
    if config.norm == "layer":
        return nn.LayerNorm(config.width, bias=config.bias)
    return nn.RMSNorm(config.width, eps=1e-6)


class Attention(nn.Module):
    """Every token asks the tokens before it, and itself, and takes the mean of their values by how well they match."""

    def __init__(self, config: TransformerConfig, layer: int) -> None:
        super().__init__()
        self.layer, self.heads, self.dropout = layer, config.heads, config.dropout
        # Three matrices, because Muon treats each by itself: in one, the values' large gradient would drown the others.
        self.query = nn.Linear(config.width, config.width, bias=config.bias)
        self.key = nn.Linear(config.width, config.width, bias=config.bias)
        self.value = nn.Linear(config.width, config.width, bias=config.bias)
        self.out = nn.Linear(config.width, config.width, bias=config.bias)

    def forward(self, x: Tensor, angles: Tensor | None, cache: Cache | None) -> Tensor:
        """[B, T, C] -> [B, T, C]"""
        B, T, C = x.shape
        parts = self.query, self.key, self.value
        weight = torch.cat([part.weight for part in parts])  # one large product is quicker than three small ones
        bias = None if self.query.bias is None else torch.cat([part.bias for part in parts])
        qkv = F.linear(x, weight, bias).view(B, T, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        # [3, B, H, T, D]
        q, k, v = qkv.unbind(0) if angles is None else (*rotate(qkv[:2], angles).unbind(0), qkv[2])
        past = 0
        if cache is not None:
            past = cache.length
            k, v = cache.extend(self.layer, k, v)
        mask = None
        if past and T > 1:  # place t of the new ones may look at past + t + 1 places
            mask = torch.ones(T, past + T, dtype=torch.bool, device=x.device).tril(past)
        mixed = F.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, dropout_p=self.dropout if self.training else 0.0, is_causal=past == 0
        )  # [B, H, T, D]
        result: Tensor = self.out(mixed.transpose(1, 2).reshape(B, T, C))
        return result


class FeedForward(nn.Module):
    """Four times wider, a bend, and back: every token for itself."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.up = nn.Linear(config.width, 4 * config.width, bias=config.bias)
        self.down = nn.Linear(4 * config.width, config.width, bias=config.bias)
        self.activation = config.activation

    def forward(self, x: Tensor) -> Tensor:
        """[B, T, C] -> [B, T, C]"""
        hidden = self.up(x)  # [B, T, 4C]
        if self.activation == "gelu":
            hidden = F.gelu(hidden)
        else:
            hidden = F.relu(hidden)
            hidden = hidden.square() if self.activation == "squared_relu" else hidden
        result: Tensor = self.down(hidden)
        return result


class Shift(nn.Module):
    """y_t = x_t + weight * x_(t-1), a share for each channel, 0 at first: the "token shift" of B. Peng et al. (2023).

    What follows whom is known before any attention; keys that hold the token before are half of what copying needs.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor, last: Tensor | None) -> Tensor:
        """[B, T, C] -> [B, T, C]; `last` [B, 1, C] is the token before the first, replaced by the last of these."""
        before = torch.zeros_like(x[:, :1]) if last is None else last.clone()
        if last is not None:
            last.copy_(x[:, -1:])
        return x + self.weight * torch.cat([before, x[:, :-1]], dim=1)


class Block(nn.Module):
    """Attention, then feed-forward.

    Pre-norm: what is added to the stream is computed from a normalised copy; the stream itself stays as it is.
    Post-norm, as in 2017: the stream is normalised after each addition.
    """

    def __init__(self, config: TransformerConfig, layer: int) -> None:
        super().__init__()
        self.attention_norm, self.attention = _norm(config), Attention(config, layer)
        self.feed_forward_norm, self.feed_forward = _norm(config), FeedForward(config)
        self.dropout = nn.Dropout(config.dropout)
        self.pre_norm, self.residual = config.norm_place == "before", config.residual
        self.layer = layer
        self.shifts = nn.ModuleList([Shift(config.width) for _ in range(2)]) if config.shift else None

    def forward(self, x: Tensor, angles: Tensor | None, cache: Cache | None) -> Tensor:
        """[B, T, C] -> [B, T, C]"""
        x = self._part(x, self.attention_norm, lambda y: self.attention(self._shifted(0, y, cache), angles, cache))
        return self._part(x, self.feed_forward_norm, lambda y: self.feed_forward(self._shifted(1, y, cache)))

    def _shifted(self, part: int, x: Tensor, cache: Cache | None) -> Tensor:
        if self.shifts is None:
            return x
        shifted: Tensor = self.shifts[part](x, None if cache is None else cache.last[self.layer, part])
        return shifted

    def _part(self, x: Tensor, norm: nn.Module, layer: Callable[[Tensor], Tensor]) -> Tensor:
        new: Tensor = self.dropout(layer(norm(x) if self.pre_norm else x))
        if self.residual:
            new = x + new
        return new if self.pre_norm else norm(new)


class Transformer(nn.Module):
    """Embedding, blocks, norm, and a score for each token of the vocabulary."""

    angles: Tensor

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        if config.positions == "learned":
            self.positions = nn.Embedding(config.block, config.width)
        elif config.positions == "rotary":  # computed, not learned, so not part of a checkpoint
            angles = rotary_angles(config.block, config.width // config.heads, config.rotary_base)
            self.register_buffer("angles", angles, persistent=False)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList([Block(config, layer) for layer in range(config.layers)])
        self.norm = _norm(config)
        self.head = nn.Linear(config.width, config.vocabulary, bias=False)
        if config.tied:
            self.head.weight = self.embedding.weight
        self.initialise()

    def initialise(self) -> None:
        """Small normal weights, so that at first all tokens are nearly equally likely: a loss of about ln V.

        2 layers additions go into the stream. Were each as large as the first, its variance would grow with depth, so
        what writes into it begins smaller by the root of their number.
        """
        small = self.config.deviation
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=small)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)
        for block in self.blocks:
            for writes in (block.attention.out, block.feed_forward.down):  # type: ignore[union-attr]
                nn.init.normal_(writes.weight, std=small / math.sqrt(2 * self.config.layers))  # type: ignore[union-attr, arg-type]

    def forward(self, tokens: Tensor, targets: Tensor | None = None, cache: Cache | None = None) -> Tensor:
        """Tokens [B, T] -> scores [B, T, V]; with targets [B, T], the mean loss in nats instead (-100 is left out).

        With a cache, the tokens go on where the last call ended. Rotary positions reach as far as you like; learned
        ones end with the block (ValueError).
        """
        T, past = tokens.shape[1], cache.length if cache is not None else 0
        x = self.embedding(tokens)  # [B, T, C]
        angles = None
        if self.config.positions == "learned":
            if past + T > self.config.block:
                raise ValueError(f"{past + T} tokens: the model has learned positions for {self.config.block}.")
            x = x + self.positions(torch.arange(past, past + T, device=tokens.device))
        elif self.config.positions == "rotary" and past + T <= self.config.block:
            angles = self.angles[:, past : past + T]
        elif self.config.positions == "rotary":
            longer = rotary_angles(past + T, self.config.width // self.config.heads, self.config.rotary_base)
            angles = longer[:, past:].to(tokens.device)
        x = self.dropout(x)
        for block in self.blocks:
            x = block(x, angles, cache)
        if cache is not None:
            cache.length += T
        scores: Tensor = self.head(self.norm(x))  # [B, T, V]
        if targets is None:
            return scores
        # In float32, also under autocast: a sum of V exponentials needs the digits.
        return F.cross_entropy(scores.flatten(0, 1).float(), targets.flatten())

    @torch.no_grad()
    def generate(
        self,
        tokens: Tensor,
        count: int,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        cache: bool = True,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """Go on after the texts [B, T] by `count` tokens each, [B, T + count]; see `probabilities` for the options.

        When the text outgrows the block, the older half of it is forgotten. With and without the cache the model sees
        the same tokens; only the work differs. A generator on the CPU draws the same text on every device.
        """
        training = self.training
        self.eval()
        begin, memory = 0, None
        for _ in range(count):
            length = tokens.shape[1]
            if length - begin > self.config.block:
                begin, memory = length - max(1, self.config.block // 2), None
            window = tokens[:, begin:]
            if cache:
                if memory is None:
                    memory = Cache(self.config, len(tokens), self.embedding.weight)
                scores = self(window[:, memory.length :], cache=memory)
            else:
                scores = self(window)
            chances = probabilities(scores[:, -1], temperature, top_k, top_p)
            tokens = torch.cat([tokens, draw(chances, generator)], dim=1)
        self.train(training)
        return tokens


def draw(chances: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """Distributions [B, V] -> a token of each, [B, 1]; drawn where the generator is, returned where the chances are."""
    there = chances if generator is None else chances.to(generator.device)
    return torch.multinomial(there, 1, generator=generator).to(chances.device)


def probabilities(
    scores: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    """Scores [B, V] -> the distribution [B, V] to draw from.

    `temperature` divides the scores (0: always the best token). `top_k` keeps the k best tokens; of what is left,
    `top_p` keeps the fewest best tokens that have together at least that probability.
    """
    if temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError("temperature must be at least 0, top_k at least 1, top_p above 0 and at most 1.")
    if temperature == 0:
        return F.one_hot(scores.argmax(-1), scores.shape[-1]).float()
    sorted_scores, order = (scores.float() / temperature).sort(dim=-1, descending=True)
    if top_k is not None:
        sorted_scores[:, top_k:] = -math.inf
    chances = sorted_scores.softmax(-1)
    if top_p is not None:
        before = chances.cumsum(-1) - chances  # of the better tokens together
        chances = chances.masked_fill(before >= top_p, 0.0)
        chances = chances / chances.sum(-1, keepdim=True)
    return torch.zeros_like(chances).scatter(-1, order, chances)
