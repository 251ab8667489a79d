"""GPT-2's published weights (A. Radford and others, 2019), by the names of chapter 08.

    published = gpt2.load()                  fetched once, some 550 MB; FetchError where there is no internet
    model.load_state_dict(published.weights)
    published.merges                         for `lmkit.bpe.BPE`, or for a learner's own `encode` and `decode`

OpenAI published weights and merges under the MIT licence; the copies fetched here are those of Hugging Face. Nothing
here uses pickle: a safetensors file is a length, a header in JSON, and numbers.
"""

import json
import re
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from lmkit.real.fetching import cache_folder, fetch
from lmkit.real.registry import Entry, File

_SOURCE = "https://huggingface.co/openai-community/gpt2"
FILES = Entry(
    name="gpt2",
    unit="token",
    part="text",
    about="The smallest GPT-2: 124 million weights, and its byte-pair merges.",
    licence="MIT",
    source=_SOURCE,
    files=tuple(File(name, f"{_SOURCE}/resolve/main/{name}") for name in ("model.safetensors", "merges.txt")),
)
_KINDS = {"F32": np.float32, "F16": np.float16, "F64": np.float64}
_PLAIN = {"ln_1": "attention_norm", "ln_2": "feed_forward_norm"}
_TURNED = {"attn.c_proj": "attention.out", "mlp.c_fc": "feed_forward.up", "mlp.c_proj": "feed_forward.down"}


@dataclass(frozen=True)
class Published:
    """Weights by the names of chapter 08, and merges whose token r is number 256 + r, as in `lmkit.bpe`."""

    weights: dict[str, Tensor]
    merges: list[tuple[int, int]]
    heads: int

    @property
    def sizes(self) -> dict[str, int]:
        """vocabulary V, block (the longest text), width C, layers, heads."""
        vocabulary, width = self.weights["embedding.weight"].shape
        layers = 1 + max(int(name.split(".")[1]) for name in self.weights if name.startswith("blocks."))
        block = len(self.weights["positions.weight"])
        return {"vocabulary": vocabulary, "block": block, "width": width, "layers": layers, "heads": self.heads}


def load(folder: str | Path | None = None, heads: int = 12) -> Published:
    """The published model, from a folder with both files or from the cache, into which it is fetched if need be.

    Raises `lmkit.real.FetchError` if it cannot be fetched, and ValueError for files of another form.
    """
    if folder is None:
        fetch(FILES)
        folder = cache_folder() / FILES.name
    weights, merges = Path(folder) / "model.safetensors", Path(folder) / "merges.txt"
    return Published(renamed(read_safetensors(weights)), read_merges(merges.read_text(encoding="utf-8")), heads)


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a file by name, as float32; those of whole numbers are left out. ValueError if it is damaged."""
    content = path.read_bytes()
    try:
        (length,) = struct.unpack("<Q", content[:8])
        header = json.loads(content[8 : 8 + length])
        found = {}
        for name, entry in header.items():
            if name == "__metadata__" or entry["dtype"] not in _KINDS:
                continue
            begin, end = entry["data_offsets"]
            numbers = np.frombuffer(content[8 + length + begin : 8 + length + end], dtype=_KINDS[entry["dtype"]])
            found[name] = torch.from_numpy(numbers.astype(np.float32).reshape(entry["shape"]))
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no safetensors file: {error}.") from None
    return found


def renamed(published: dict[str, Tensor]) -> dict[str, Tensor]:
    """GPT-2's names -> the chapter's; the rows of the first 256 tokens in the order of the bytes.

    GPT-2 keeps the matrix of a linear layer as [in, out], torch as [out, in]; and queries, keys and values in one.
    Raises ValueError if a part is missing.
    """
    old = {name.removeprefix("transformer."): value for name, value in published.items()}
    try:
        rows = torch.arange(len(old["wte.weight"]))
        rows[:256] = torch.tensor(_order_of_bytes()).argsort()
        new = {"embedding.weight": old["wte.weight"][rows], "positions.weight": old["wpe.weight"]}
        layers = {int(found[1]) for name in old if (found := re.match(r"h\.(\d+)\.", name))}
        for layer in sorted(layers):
            here, there = f"blocks.{layer}", f"h.{layer}"
            for part in ("weight", "bias"):
                for name, mine in _PLAIN.items():
                    new[f"{here}.{mine}.{part}"] = old[f"{there}.{name}.{part}"]
                for name, mine in _TURNED.items():
                    new[f"{here}.{mine}.{part}"] = _turned(old[f"{there}.{name}.{part}"])
                together = _turned(old[f"{there}.attn.c_attn.{part}"])
                for mine, piece in zip(("query", "key", "value"), together.chunk(3), strict=True):
                    new[f"{here}.attention.{mine}.{part}"] = piece.contiguous()
        new |= {f"norm.{part}": old[f"ln_f.{part}"] for part in ("weight", "bias")}
    except KeyError as error:
        raise ValueError(f"These are not GPT-2's weights: {error} is missing.") from None
    return new | {"head.weight": new["embedding.weight"]}


def _turned(value: Tensor) -> Tensor:
    """A matrix [in, out] as [out, in]; a bias as it is."""
    return value.mT.contiguous() if value.ndim == 2 else value


def read_merges(text: str) -> list[tuple[int, int]]:
    """Pairs of token numbers from the lines of merges.txt, where each byte is written as a printable character."""
    numbers = {sign: byte for byte, sign in _signs().items()}
    merges = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#version"):
            continue
        first, second = line.split(" ")
        merges.append((numbers[first], numbers[second]))
        numbers[first + second] = 255 + len(merges)
    return merges


def _order_of_bytes() -> list[int]:
    """The byte of each of GPT-2's first 256 tokens: those that can be printed come first."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return printable + [byte for byte in range(256) if byte not in printable]


def _signs() -> dict[int, str]:
    """The character that merges.txt writes for each byte."""
    order = _order_of_bytes()
    return {byte: chr(byte) if number < 188 else chr(256 + number - 188) for number, byte in enumerate(order)}
