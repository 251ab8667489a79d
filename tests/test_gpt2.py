"""GPT-2's files, tried with small ones of the same form: random numbers, a few merges."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from lmkit import bpe, gpt2
from lmkit.transformer import Transformer, TransformerConfig

V, C, T, H, N = 259, 8, 16, 2, 3
MERGES = "#version: 0.2\nĠ t\nh e\nĠt he\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files as GPT-2's, 259 tokens, three layers of width 8."""
    rng = np.random.default_rng(1)
    shapes: dict[str, tuple[int, ...]] = {"wte.weight": (V, C), "wpe.weight": (T, C)}
    shapes |= {"ln_f.weight": (C,), "ln_f.bias": (C,)}
    for layer in range(N):
        for name, size in (("attn.c_attn", (C, 3 * C)), ("attn.c_proj", (C, C)), ("mlp.c_fc", (C, 4 * C))):
            shapes |= {f"h.{layer}.{name}.weight": size, f"h.{layer}.{name}.bias": size[1:]}
        shapes |= {f"h.{layer}.mlp.c_proj.weight": (4 * C, C), f"h.{layer}.mlp.c_proj.bias": (C,)}
        shapes |= {f"h.{layer}.{name}.{part}": (C,) for name in ("ln_1", "ln_2") for part in ("weight", "bias")}
    header, content = {"__metadata__": {"format": "pt"}}, b""
    for name, shape in shapes.items():
        numbers = rng.normal(size=shape).astype(np.float32).tobytes()
        entry = {"dtype": "F32", "shape": shape, "data_offsets": [len(content), len(content) + len(numbers)]}
        header[name], content = entry, content + numbers  # type: ignore[assignment]
    text = json.dumps(header).encode()
    (tmp_path / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + content)
    (tmp_path / "merges.txt").write_text(MERGES, encoding="utf-8")
    return tmp_path


def by_formula(old: dict[str, torch.Tensor], tokens: torch.Tensor) -> torch.Tensor:
    """GPT-2 as it was published: rows times matrices [in, out]; tokens in GPT-2's own numbers [T]."""
    x = old["wte.weight"][tokens] + old["wpe.weight"][: len(tokens)]
    for layer in range(N):
        w = {name.removeprefix(f"h.{layer}."): value for name, value in old.items() if name.startswith(f"h.{layer}.")}
        y = F.layer_norm(x, (C,), w["ln_1.weight"], w["ln_1.bias"])
        q, k, v = (y @ w["attn.c_attn.weight"] + w["attn.c_attn.bias"]).split(C, dim=1)
        q, k, v = (part.view(-1, H, C // H).transpose(0, 1) for part in (q, k, v))
        z = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(0, 1).reshape(-1, C)
        x = x + z @ w["attn.c_proj.weight"] + w["attn.c_proj.bias"]
        y = F.layer_norm(x, (C,), w["ln_2.weight"], w["ln_2.bias"])
        hidden = F.gelu(y @ w["mlp.c_fc.weight"] + w["mlp.c_fc.bias"])
        x = x + hidden @ w["mlp.c_proj.weight"] + w["mlp.c_proj.bias"]
    return F.layer_norm(x, (C,), old["ln_f.weight"], old["ln_f.bias"]) @ old["wte.weight"].T


def test_a_model_with_its_weights_gives_its_scores(folder: Path) -> None:
    published = gpt2.load(folder, heads=H)
    assert published.sizes == {"vocabulary": V, "block": T, "width": C, "layers": N, "heads": H}
    model: nn.Module = Transformer(
        TransformerConfig(V, T, N, H, C, positions="learned", norm="layer", activation="gelu", bias=True)
    )
    model.load_state_dict(published.weights)
    mine = torch.tensor([*b"\n ab\xc3\xa9", 256, 258])  # in our numbers
    order = gpt2._order_of_bytes()
    theirs = torch.tensor([order.index(t) if t < 256 else t for t in mine.tolist()])
    wanted = by_formula(gpt2.read_safetensors(folder / "model.safetensors"), theirs)
    wanted = torch.cat([wanted[:, [order.index(byte) for byte in range(256)]], wanted[:, 256:]], dim=1)
    with torch.no_grad():
        assert torch.allclose(model(mine[None])[0], wanted, atol=1e-4)


def test_known_numbers_of_gpt2s_tokens() -> None:
    order = gpt2._order_of_bytes()
    assert [order.index(byte) for byte in b"!A\n "] == [0, 32, 198, 220]  # as in its published vocabulary


def test_merges_are_those_of_our_encoding(folder: Path) -> None:
    learned = bpe.BPE(gpt2.load(folder, heads=H).merges)
    assert learned.vocabulary[256:] == [b" t", b"he", b" the"]
    assert learned.encode(" the") == [258]


def test_other_files_are_refused_in_one_line(folder: Path) -> None:
    with pytest.raises(ValueError, match="These are not GPT-2's weights: 'wpe.weight' is missing."):
        gpt2.renamed({"wte.weight": torch.zeros(V, C)})
    (folder / "model.safetensors").write_bytes(b"12345678nothing")
    with pytest.raises(ValueError, match="is no safetensors file"):
        gpt2.load(folder)
