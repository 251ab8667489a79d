"""The ready parts that chapters use instead of an earlier answer: equal to torch's."""

import pytest
import torch
from torch import nn

from lmkit.models.heads import Attention, EncoderLayer, MultiHead, from_torch, influence


@pytest.fixture
def theirs() -> nn.MultiheadAttention:
    torch.manual_seed(1)
    attention = nn.MultiheadAttention(12, 3, batch_first=True)
    nn.init.normal_(attention.in_proj_bias)
    nn.init.normal_(attention.out_proj.bias)
    return attention


def test_heads_look_at_another_text_as_torch_does(theirs: nn.MultiheadAttention) -> None:
    mine = Attention(12, 3)
    mine.load_state_dict(from_torch(theirs.state_dict()))
    x, y = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    seen = torch.arange(7) < torch.tensor([7, 4])[:, None]  # [B, m]
    wanted = theirs(x, y, y, key_padding_mask=~seen)[0]
    torch.testing.assert_close(mine(x, y, seen[:, None].expand(2, 5, 7)), wanted)
    torch.testing.assert_close(mine(x, y), theirs(x, y, y)[0])


@pytest.mark.parametrize("shape", [(5, 5), (1, 1, 5, 5)])
def test_heads_of_one_text_take_masks_of_several_shapes(theirs: nn.MultiheadAttention, shape: tuple[int, ...]) -> None:
    mine, x = MultiHead(12, 3), torch.randn(2, 5, 12)
    mine.load_state_dict(from_torch(theirs.state_dict()))
    causal = torch.ones(5, 5).tril().bool()
    torch.testing.assert_close(mine(x, causal.view(shape)), theirs(x, x, x, attn_mask=~causal)[0])


def test_a_layer_is_torchs_pre_norm_layer() -> None:
    torch.manual_seed(2)
    theirs = nn.TransformerEncoderLayer(12, 3, 48, 0.0, "gelu", batch_first=True, norm_first=True)
    for weight in theirs.parameters():
        nn.init.normal_(weight, std=0.3)
    state, mine = theirs.state_dict(), EncoderLayer(12, 3)
    found = {f"inside.{name}": part for name, part in from_torch({k[10:]: v for k, v in state.items()
             if k.startswith("self_attn.")}).items()}  # fmt: skip
    for old, new in (
        ("norm1", "inside_norm"),
        ("norm2", "feed_norm"),
        ("linear1", "feed.up"),
        ("linear2", "feed.down"),
    ):
        found |= {f"{new}.{end}": state[f"{old}.{end}"] for end in ("weight", "bias")}
    mine.load_state_dict(found)
    x = torch.randn(2, 6, 12)
    torch.testing.assert_close(mine(x), theirs(x), rtol=1e-4, atol=1e-5)


def test_influence_finds_which_rows_a_layer_mixes() -> None:
    torch.manual_seed(3)
    mask = torch.tensor([[1, 0, 1], [0, 1, 0], [1, 1, 1]]).bool()
    heads = MultiHead(4, 1).double()
    found = influence(lambda x: heads(x[None], mask)[0], torch.randn(3, 4).double())
    assert found.tolist() == mask.tolist()
