"""The Transformer: what it may see, what it costs, and that each choice is what its name says."""

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from lmkit.optimizers import Muon, adamw, decay_groups, muon, nearly_orthogonal
from lmkit.transformer import Cache, Transformer, TransformerConfig, probabilities, rotary_angles, rotate

CONFIG = TransformerConfig(vocabulary=50, block=16, layers=2, heads=4, width=32)
VARIANTS = [
    CONFIG,
    replace(CONFIG, positions="learned"),
    replace(CONFIG, norm="layer"),
    replace(CONFIG, norm="layer", bias=True, activation="gelu", positions="learned", tied=False),
    replace(CONFIG, bias=True, tied=False),
    replace(CONFIG, norm_place="after", activation="relu"),
    replace(CONFIG, norm="none", positions="none", deviation=0.05),
    replace(CONFIG, rotary_base=100.0),
    replace(CONFIG, shift=True),
    replace(CONFIG, shift=True, norm_place="after", positions="none"),
    TransformerConfig(vocabulary=7, block=5, layers=3, heads=1, width=6),
]


def made(config: TransformerConfig = CONFIG, seed: int = 0, larger: float = 1.0) -> Transformer:
    """A model in evaluation; `larger` weights make it far from uniform."""
    torch.manual_seed(seed)
    model = Transformer(config).eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim == 2:
                weight *= larger
        for block in model.blocks:
            for shift in block.shifts or ():
                shift.weight.uniform_(-1, 1)  # 0 at first
    return model


def some_tokens(config: TransformerConfig, texts: int = 3, length: int | None = None, seed: int = 0) -> Tensor:
    dice = torch.Generator().manual_seed(seed)
    return torch.randint(config.vocabulary, (texts, length or config.block), generator=dice)


def size_of(scores: Tensor) -> float:
    """The largest score, at least 1. Without a norm scores grow to millions, and rounding grows with them."""
    return max(1.0, scores.abs().max().item())


# ---- what it may see


@pytest.mark.parametrize("config", VARIANTS)
@torch.no_grad()
def test_a_token_changes_nothing_before_it_and_everything_from_it_on(config: TransformerConfig) -> None:
    model, tokens = made(config, larger=10), some_tokens(config)
    before = model(tokens)
    for place in (0, config.block // 2, config.block - 1):
        other = tokens.clone()
        other[:, place] = (other[:, place] + 1) % config.vocabulary
        change = (model(other) - before).abs().amax(-1) / size_of(before)  # [B, T]
        assert change[:, :place].max() < 1e-5 if place else True
        assert change[:, place:].min() > 1e-4


@pytest.mark.parametrize("config", VARIANTS)
@torch.no_grad()
def test_reading_with_a_cache_in_parts_equals_reading_at_once(config: TransformerConfig) -> None:
    model, tokens = made(config, larger=10), some_tokens(config)
    for cuts in ([1] * config.block, [2, 1, config.block - 3], [1, config.block - 1]):
        cache, found = Cache(config, len(tokens), model.embedding.weight), []
        for part in tokens.split(cuts, dim=1):
            found.append(model(part, cache=cache))
        assert cache.length == config.block
        whole = model(tokens)
        assert torch.allclose(torch.cat(found, dim=1), whole, atol=1e-5 * size_of(whole))
    with pytest.raises(ValueError, match="room for|learned positions"):
        model(tokens[:, :1], cache=cache)


@pytest.mark.parametrize("config", VARIANTS)
def test_generation_with_and_without_cache_is_the_same_beyond_the_block_too(config: TransformerConfig) -> None:
    model, start = made(config, larger=10), some_tokens(config, length=3)
    texts = []
    for cache in (True, False):
        dice = torch.Generator().manual_seed(5)
        texts.append(model.generate(start, 2 * config.block, temperature=1.3, cache=cache, generator=dice))
    assert torch.equal(*texts)
    assert texts[0].shape == (3, 3 + 2 * config.block) and torch.equal(texts[0][:, :3], start)
    assert len({tuple(row) for row in texts[0].tolist()}) == 3


def test_generation_leaves_the_mode_and_takes_long_beginnings() -> None:
    model = made(replace(CONFIG, dropout=0.5)).train()
    start = some_tokens(CONFIG, length=40)
    greedy = [model.generate(start, 4, temperature=0, cache=cache) for cache in (True, False)]
    assert model.training and torch.equal(*greedy)


@torch.no_grad()
def test_rotary_reads_beyond_its_block_and_learned_positions_refuse() -> None:
    tokens = some_tokens(CONFIG, length=40)
    wide = made(replace(CONFIG, block=64))
    assert torch.allclose(made()(tokens), wide(tokens), atol=1e-5)
    with pytest.raises(ValueError, match="40 tokens: the model has learned positions for 16"):
        made(replace(CONFIG, positions="learned"))(tokens)


# ---- its parts


def test_rotary_products_depend_on_distance_alone() -> None:
    torch.manual_seed(1)
    q, k = torch.randn(8), torch.randn(8)
    angles = rotary_angles(60, 8)
    products = rotate(q.expand(60, 8), angles) @ rotate(k.expand(60, 8), angles).T  # [60, 60]
    for distance in (-20, 0, 7, 40):
        line = products.diagonal(distance)
        assert torch.allclose(line, line[0].expand_as(line), atol=1e-4)
    lines = torch.stack([products.diagonal(distance)[0] for distance in range(-20, 20)])
    assert lines.std() > 0.1
    assert torch.allclose(products.diagonal(), (q @ k).expand(60), atol=1e-5)
    assert torch.allclose(rotate(q.expand(60, 8), angles).norm(dim=-1), q.norm().expand(60), atol=1e-5)


def test_norms_follow_their_formulas() -> None:
    x = torch.randn(5, 32) * 3 + 1
    weight = torch.randn(32)
    rms, layer = made().norm, made(replace(CONFIG, norm="layer")).norm
    with torch.no_grad():
        rms.weight.copy_(weight), layer.weight.copy_(weight)  # type: ignore[operator]
    assert torch.allclose(rms(x), x / (x.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * weight, atol=1e-5)
    centred = x - x.mean(-1, keepdim=True)
    assert torch.allclose(layer(x), centred / (centred.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() * weight, atol=1e-5)


def test_the_feed_forward_bends_as_it_says() -> None:
    x = torch.randn(4, 32)
    for name, bend in (("relu", F.relu), ("gelu", F.gelu), ("squared_relu", lambda y: y.clamp(min=0) ** 2)):
        part = made(replace(CONFIG, activation=name)).blocks[0].feed_forward
        assert torch.allclose(part(x), bend(x @ part.up.weight.T) @ part.down.weight.T, atol=1e-6)


@torch.no_grad()
def test_norms_before_or_after_and_with_or_without_a_stream() -> None:
    x = torch.randn(2, 16, 32)
    for place in ("before", "after"):
        for residual in (True, False):
            block = made(replace(CONFIG, norm_place=place, residual=residual, positions="none"), larger=10).blocks[0]
            wanted = x
            for norm, layer in (
                (block.attention_norm, lambda y, attention=block.attention: attention(y, None, None)),
                (block.feed_forward_norm, block.feed_forward),
            ):
                stream = wanted if residual else 0
                wanted = stream + layer(norm(wanted)) if place == "before" else norm(stream + layer(wanted))
            assert torch.allclose(block(x, None, None), wanted, atol=1e-5)


@torch.no_grad()
def test_without_positions_the_order_of_what_was_read_does_not_count() -> None:
    for positions in ("none", "rotary"):
        model = made(replace(CONFIG, positions=positions, layers=1), larger=10)
        tokens = some_tokens(CONFIG)
        other = tokens[:, [2, 0, 1, *range(3, 16)]]
        assert torch.allclose(model(tokens)[:, 5:], model(other)[:, 5:], atol=1e-4) is (positions == "none")


@torch.no_grad()
def test_rotary_positions_go_on_beyond_the_block_with_the_same_base() -> None:
    tokens = some_tokens(CONFIG, length=24)
    found = {}
    for base in (100.0, 10_000.0):
        small = replace(CONFIG, rotary_base=base)
        found[base] = made(small, larger=10)(tokens)
        assert torch.allclose(found[base], made(replace(small, block=24), larger=10)(tokens), atol=1e-4)
    assert not torch.allclose(found[100.0], found[10_000.0], atol=1e-2)
    with pytest.raises(ValueError, match="rotary_base must be above 0"):
        replace(CONFIG, rotary_base=0.0)


@torch.no_grad()
def test_attention_written_out_gives_the_same() -> None:
    config = replace(CONFIG, positions="learned")
    part, x = made(config, larger=10).blocks[0].attention, torch.randn(2, 16, 32)
    q, k, v = (y.view(2, 16, 4, 8).transpose(1, 2) for y in (part.query(x), part.key(x), part.value(x)))
    scores = (q @ k.transpose(2, 3) / math.sqrt(8)).masked_fill(torch.ones(16, 16).triu(1) > 0, -math.inf)
    wanted = (scores.softmax(-1) @ v).transpose(1, 2).reshape(2, 16, 32) @ part.out.weight.T
    assert torch.allclose(part(x, None, None), wanted, atol=1e-5)


def test_tied_weights_are_one_and_untied_are_two() -> None:
    tied, untied = made(), made(replace(CONFIG, tied=False))
    assert tied.head.weight is tied.embedding.weight
    tied(some_tokens(CONFIG)).sum().backward()
    before = untied.embedding.weight.clone()
    with torch.no_grad():
        untied.head.weight.zero_()
    assert torch.equal(untied.embedding.weight, before) and torch.equal(
        untied(some_tokens(CONFIG)), torch.zeros(3, 16, 50)
    )


# ---- at the start


@pytest.mark.parametrize("width", [32, 128, 384])
@pytest.mark.parametrize("tied", [True, False])
@torch.no_grad()
def test_loss_at_the_start_is_that_of_a_fair_die(width: int, tied: bool) -> None:
    config = TransformerConfig(vocabulary=1000, block=32, layers=3, heads=4, width=width, tied=tied)
    tokens = some_tokens(config, 16, 33)
    loss = made(config)(tokens[:, :-1], tokens[:, 1:]).item()
    assert loss == pytest.approx(math.log(1000), rel=0.02)


@torch.no_grad()
def test_the_stream_does_not_grow_with_depth() -> None:
    """What the layers add, measured before the last norm: with 24 layers not much more than with 2."""
    added = []
    for layers in (2, 24):
        config = replace(CONFIG, layers=layers, width=128)
        model, seen = made(config), []
        model.norm.register_forward_pre_hook(lambda _, inputs, seen=seen: seen.append(inputs[0]))
        tokens = some_tokens(config)
        model(tokens)
        added.append((seen[0] - model.embedding(tokens)).std().item())
    assert added[1] < 1.5 * added[0]


def test_loss_is_the_mean_of_minus_log_probability_of_the_targets() -> None:
    model, tokens = made(larger=5), some_tokens(CONFIG, length=9)
    targets = tokens[:, 1:].clone()
    by_hand = -model(tokens[:, :-1]).log_softmax(-1).gather(-1, targets[..., None])[..., 0]
    assert model(tokens[:, :-1], targets).item() == pytest.approx(by_hand.mean().item(), abs=1e-5)
    targets[0] = -100
    assert model(tokens[:, :-1], targets).item() == pytest.approx(by_hand[1:].mean().item(), abs=1e-5)


def test_it_learns_one_batch_by_heart() -> None:
    model, tokens = made().train(), some_tokens(CONFIG, length=17)
    optimiser = adamw(model, 3e-3, 0.0)
    for _ in range(150):
        optimiser.zero_grad()
        loss = model(tokens[:, :-1], tokens[:, 1:])
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.1


# ---- what it costs


@pytest.mark.parametrize("config", VARIANTS)
def test_the_formula_counts_the_parameters(config: TransformerConfig) -> None:
    assert sum(weight.numel() for weight in made(config).parameters()) == config.parameter_count


@pytest.mark.parametrize("config", VARIANTS)
def test_the_formula_counts_what_torch_counts(config: TransformerConfig) -> None:
    model, tokens = made(config), some_tokens(config)
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        model(tokens, tokens).backward()
    assert counter.get_total_flops() == config.flops_per_token * tokens.numel()


# ---- drawing the next token


def test_temperature_top_k_and_top_p() -> None:
    given = torch.tensor([[0.5, 0.05, 0.3, 0.15]])
    scores = given.log() + 3
    assert torch.allclose(probabilities(scores), given)
    assert torch.allclose(probabilities(scores, 0.5), given**2 / (given**2).sum())
    assert probabilities(scores, 0).tolist() == [[1, 0, 0, 0]]
    assert torch.allclose(probabilities(scores, top_k=2), torch.tensor([[0.625, 0, 0.375, 0]]))
    assert torch.allclose(probabilities(scores, top_k=9), given)
    for p, kept in ((0.4, [0]), (0.6, [0, 2]), (0.94, [0, 2, 3]), (1.0, [0, 1, 2, 3])):
        found = probabilities(scores, top_p=p)[0]
        assert found.nonzero().flatten().tolist() == kept and found.sum().item() == pytest.approx(1)
    # of the two best, 0.625 and 0.375, the first alone has 0.6
    assert torch.allclose(probabilities(scores, top_k=2, top_p=0.6), torch.tensor([[1.0, 0, 0, 0]]))
    for wrong in ({"temperature": -1.0}, {"top_k": 0}, {"top_p": 0.0}, {"top_p": 1.1}):
        with pytest.raises(ValueError, match="must be at least 0"):
            probabilities(scores, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"width": 30}, "width 30 cannot be divided among 4 heads"),
        ({"width": 20}, "a head's width, 5, must be even"),
        ({"layers": 0}, "layers must be at least 1"),
        ({"dropout": 1.0}, "below 1"),
        ({"norm": "batch"}, "choose one of: layer, rms"),
    ],
)
def test_impossible_shapes_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(CONFIG, **change)  # type: ignore[arg-type]


# ---- optimisers


def test_matrices_decay_and_vectors_do_not() -> None:
    model = made(replace(CONFIG, norm="layer", bias=True))
    matrices, vectors = decay_groups(model.parameters(), 0.1)
    assert matrices["weight_decay"] == 0.1 and {weight.ndim for weight in matrices["params"]} == {2}
    assert vectors["weight_decay"] == 0.0 and {weight.ndim for weight in vectors["params"]} == {1}
    assert len(matrices["params"]) + len(vectors["params"]) == len(list(model.parameters()))


def test_our_muon_takes_the_steps_of_torchs() -> None:
    torch.manual_seed(3)
    ours, theirs = ([torch.nn.Parameter(torch.empty(shape)) for shape in ((24, 96), (96, 24), (24, 24))] for _ in "ab")
    for a, b in zip(ours, theirs, strict=True):
        torch.nn.init.normal_(a)
        b.data.copy_(a.data)
    both = Muon(ours, lr=0.02, weight_decay=0.1), torch.optim.Muon(theirs, lr=0.02, weight_decay=0.1)
    for _ in range(6):
        for a, b in zip(ours, theirs, strict=True):
            a.grad = torch.randn_like(a)
            b.grad = a.grad.clone()
        before = [a.detach().clone() for a in ours]
        for optimiser in both:
            optimiser.step()
        for a, b, old in zip(ours, theirs, before, strict=True):
            assert (a - b).norm() < 0.02 * (a - old).norm() * 6  # theirs is rounded to bfloat16 in every product
    step = nearly_orthogonal(torch.randn(24, 96))
    assert ((torch.linalg.svdvals(step) - 1).abs() < 0.35).all()


def test_muon_steps_by_nearly_orthogonal_matrices_and_adamw_by_the_rest() -> None:
    model, tokens = made().train(), some_tokens(CONFIG)
    optimisers = muon(model, model.blocks, lr=0.02, adam_lr=1e-3, weight_decay=0.0)
    before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    model(tokens, tokens).backward()
    for one in optimisers:
        one.step()
    inside = 0
    for name, weight in model.named_parameters():
        step = weight.detach() - before[name]
        if name.startswith("blocks") and weight.ndim == 2:
            stretched = 0.02 * max(1, weight.shape[0] / weight.shape[1]) ** 0.5
            u, gradient, v = torch.linalg.svd(weight.grad, full_matrices=False)
            strong = gradient > 0.02 * weight.grad.norm()  # five rounds lift no weaker direction all the way
            along = -(u.T @ step @ v.T).diagonal() / stretched  # of each of the gradient's own directions
            assert strong.sum() > 5 and gradient[strong].max() > 5 * gradient[strong].min(), name
            assert along[strong].min() > 0.5 and along[strong].max() < 1.3, name
            assert torch.linalg.svdvals(step / stretched).max() < 1.3, name
            inside += 1
        else:
            moved = step.abs()[weight.grad.abs() > 1e-5]
            assert moved.numel() and moved.max() < 1.01e-3, name
    assert inside == 12
    owned = [weight for one in optimisers for group in one.param_groups for weight in group["params"]]
    assert {id(weight) for weight in owned} == {id(weight) for weight in model.parameters()}
    assert len(owned) == len(list(model.parameters()))
