"""Encoders and decoders: what reaches the output and what must not, and that writing step by step changes nothing."""

from itertools import product

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from lmkit import translation
from lmkit.models.seq2seq import (
    BOS,
    EOS,
    PAD,
    UNK,
    EncoderDecoder,
    Memory,
    Vocabulary,
    build_pair,
    translate,
)

PAIRS = [("lstm", "vector"), *product(("lstm", "transformer"), ("lstm", "transformer"))]
WITH_ATTENTION = [pair for pair in PAIRS if pair[1] != "vector"]
SOURCE = torch.tensor([[5, 6, 7, 8, EOS], [9, 5, EOS, PAD, PAD], [4, EOS, PAD, PAD, PAD]])
TARGET = torch.tensor([[BOS, 4, 5, 6], [BOS, 7, 7, 8], [BOS, 9, 4, 4]])


def made(pair: tuple[str, str], seed: int = 0) -> EncoderDecoder:
    """A small model in evaluation, far from uniform."""
    torch.manual_seed(seed)
    model = build_pair(*pair, 11, 12, width=16, hidden=12, heads=2).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight *= 2
    return model


@pytest.mark.parametrize("pair", PAIRS)
@torch.no_grad()
def test_shapes_and_each_place_sees_only_what_is_written(pair: tuple[str, str]) -> None:
    model = made(pair)
    before = model(SOURCE, TARGET)
    assert before.shape == (3, 4, 12)
    for place in range(4):
        other = TARGET.clone()
        other[:, place] = 10
        after = model(SOURCE, other)
        assert torch.allclose(after[:, :place], before[:, :place], atol=1e-5)
        assert (after[:, place:] - before[:, place:]).abs().amax(2).min() > 1e-5


@pytest.mark.parametrize("pair", PAIRS)
@torch.no_grad()
def test_every_word_of_the_source_is_heard_and_padding_is_not(pair: tuple[str, str]) -> None:
    model = made(pair)
    before = model(SOURCE, TARGET)
    for place in range(5):
        other = SOURCE.clone()
        other[0, place] = 10
        after = model(other, TARGET)
        assert (after[0] - before[0]).abs().max() > 1e-5
        assert torch.allclose(after[1:], before[1:], atol=1e-5)  # another text of the batch
    longer = F.pad(SOURCE, (0, 3), value=PAD)
    assert torch.allclose(model(longer, TARGET), before, atol=1e-5)
    assert torch.allclose(model(SOURCE[2:, :2], TARGET[2:]), before[2:], atol=1e-5)


@pytest.mark.parametrize("pair", PAIRS)
@torch.no_grad()
def test_word_by_word_gives_what_all_at_once_gives(pair: tuple[str, str]) -> None:
    model = made(pair)
    memory, wanted = model.encode(SOURCE), model(SOURCE, TARGET)
    for sizes in ((1, 1, 1, 1), (2, 2), (3, 1)):
        past, found = None, []
        for some in TARGET.split(sizes, dim=1):
            scores, past = model.decode(memory, some, past)
            found.append(scores)
        assert torch.allclose(torch.cat(found, 1), wanted, atol=1e-5)


@torch.no_grad()
def test_without_attention_only_one_vector_passes() -> None:
    model = made(("lstm", "vector"))
    memory = model.encode(SOURCE)
    other = Memory(torch.randn_like(memory.states), memory.seen, memory.last)
    assert torch.equal(model.decode(other, TARGET)[0], model.decode(memory, TARGET)[0])
    moved = Memory(memory.states, memory.seen, (memory.last[0] + 1, memory.last[1]))
    assert (model.decode(moved, TARGET)[0] - model.decode(memory, TARGET)[0]).abs().max() > 1e-3
    with_it = made(("lstm", "lstm"))
    memory = with_it.encode(SOURCE)
    other = Memory(torch.randn_like(memory.states), memory.seen, memory.last)
    assert (with_it.decode(other, TARGET)[0] - with_it.decode(memory, TARGET)[0]).abs().max() > 1e-3


@pytest.mark.parametrize("pair", WITH_ATTENTION)
@torch.no_grad()
def test_attention_looks_at_words_and_its_weights_sum_to_one(pair: tuple[str, str]) -> None:
    model = made(pair)
    model(SOURCE, TARGET)
    weights = model.decoder.weights
    assert weights is not None and weights.shape == (3, 4, 5)
    assert torch.allclose(weights.sum(2), torch.ones(3, 4), atol=1e-5)
    assert weights[(SOURCE == PAD)[:, None].expand(3, 4, 5)].max() == 0


@pytest.mark.parametrize("pair", PAIRS)
@torch.no_grad()
def test_translate_takes_the_best_word_again_and_again(pair: tuple[str, str]) -> None:
    model, limit = made(pair), 6
    found = translate(model, SOURCE, limit)
    for source, row in zip(SOURCE, found.tolist(), strict=True):
        target = [BOS]
        while len(target) <= limit and target[-1] != EOS:
            target.append(int(model(source[None], torch.tensor([target]))[0, -1].argmax()))
        assert row == target[1:] + [PAD] * (len(row) - len(target) + 1)


class Ends(EncoderDecoder):
    """Text b is over after b + 1 words; counts how often the source is read."""

    read = 0

    def encode(self, source: Tensor) -> Memory:
        self.read += 1
        return super().encode(source)

    def decode(self, memory: Memory, tokens: Tensor, past: object = None) -> tuple[Tensor, object]:
        step = 0 if past is None else int(past[0])  # type: ignore[index]
        best = torch.tensor([EOS if b == step else 5 for b in range(len(tokens))])
        return F.one_hot(best, 12)[:, None].float(), (torch.tensor(step + 1),)


def test_translate_reads_once_and_ends_each_text_by_itself() -> None:
    small = made(("lstm", "vector"))
    model = Ends(small.encoder, small.decoder).train()  # type: ignore[arg-type]
    assert translate(model, SOURCE).tolist() == [[EOS, PAD, PAD], [5, EOS, PAD], [5, 5, EOS]]
    assert translate(model, SOURCE, limit=2).tolist() == [[EOS, PAD], [5, EOS], [5, 5]]
    assert model.read == 2 and model.training


@pytest.mark.parametrize("pair", PAIRS)
def test_every_weight_learns(pair: tuple[str, str]) -> None:
    model = build_pair(*pair, 11, 12, width=16, hidden=12, heads=2)
    model(SOURCE, TARGET).square().sum().backward()
    assert all(weight.grad is not None and weight.grad.abs().sum() > 0 for weight in model.parameters())


def test_a_small_model_learns_to_copy() -> None:
    torch.manual_seed(1)
    model = build_pair("transformer", "lstm", 12, 12, width=16, hidden=24, heads=2, dropout=0.0)
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.01)
    first = last = 0.0
    for step in range(60):
        words = torch.randint(4, 12, (16, 3))
        source = F.pad(words, (0, 1), value=EOS)
        scores = model(source, F.pad(words, (1, 0), value=BOS))
        loss = F.cross_entropy(scores.flatten(0, 1), source.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        first, last = (loss.item(), 0.0) if step == 0 else (first, loss.item())
    assert last < first - 0.5


def test_a_vocabulary_counts_fills_up_and_finds_back() -> None:
    words = Vocabulary([["b", "a"], ["b", "c"]])
    assert words.words[4:] == ["b", "a", "c"] and len(words) == 7
    tokens = words.encode([["b", "c", "q"], ["a"], []], begin=True)
    assert tokens.tolist() == [[BOS, 4, 6, UNK, EOS], [BOS, 5, EOS, PAD, PAD], [BOS, EOS, PAD, PAD, PAD]]
    assert words.decode(tokens) == [["b", "c", "<UNK>"], ["a"], []]
    assert words.encode([["a", "b"]], end=False).tolist() == [[5, 4]]
    assert words.decode(torch.tensor([[4, EOS, 5], [4, 4, 4]])) == [["b"], ["b", "b", "b"]]


def test_an_unknown_name_says_what_there_is() -> None:
    with pytest.raises(ValueError, match="lstm, transformer"):
        build_pair("gru", "lstm", 5, 5)
    with pytest.raises(ValueError, match="vector, lstm, transformer"):
        build_pair("lstm", "gru", 5, 5)


def named(source: str, target: str) -> set[tuple[str, str]]:
    """The linked words of a pair."""
    x, y = source.split(), target.split()
    return {(x[i], y[j]) for i, j in translation.links(x, y)}


def test_links_by_the_grammar() -> None:
    assert named("you like three apples", "tir mapulen ne pletas") == {
        ("three", "tir"),
        ("apples", "mapulen"),
        ("like", "pletas"),
    }
    assert named("did we taste some juices", "mas sukelen pos ne gustimu ka") == {
        ("we", "mas"),
        ("taste", "gustimu"),
        ("some", "pos"),
        ("juices", "sukelen"),
    }
    phrase = {(a, b) for a in ("in", "the", "garden") for b in ("orsun", "to", "mek")}
    assert phrase <= named("you greeted the old waiter in the garden", "orsun to mek ti torel vedo to ne salumis")
    assert ("not", "ve") in named(
        "the friends who liked the cakes do not eat the mushroom",
        "tortelen tos ne amarin ri amulen tos fungel to ne ve mankan",
    )
    with pytest.raises(ValueError, match="no translation"):
        translation.links(["you", "like", "three", "apples"], ["mapulen"])
    with pytest.raises(ValueError, match="grammar"):
        translation.links(["apples"], ["mapulen"])


def test_links_exist_for_every_frozen_pair_and_stay_inside() -> None:
    sources, targets = translation.split("test")
    for source, target in zip(sources, targets, strict=True):
        links = translation.links(source, target)
        assert links and all(i < len(source) and j < len(target) for i, j in links)
        assert all(target[j] not in ("ne", "ka") for _, j in links)
        unlinked = {word for j, word in enumerate(target) if j not in {place for _, place in links}}
        assert unlinked <= {"ne", "ka", "lu"}
        assert "lu" not in unlinked or "to" not in source
