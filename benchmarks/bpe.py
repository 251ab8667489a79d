"""Byte-pair encoding: lmkit's, in pure Python, beside the library `tokenizers`, in Rust, on the same pieces of text.

    python -m benchmarks.bpe [--text FILE] [--vocabulary 500] [--rounds 3]

Without --text, a megabyte of kitchen text is made. Both learn a vocabulary and encode the text; the best of the rounds
is printed, in seconds of wall clock. For lmkit that is everything: splitting the text, training, encoding. `tokenizers`
is given the pieces that lmkit cut (that took part of lmkit's time), as one text, byte b as character b.
"""

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from lmkit import bpe, kitchen

BORDER = "\u2400"  # between pieces, for `tokenizers`; no byte has this character
SEED = 35


def made_text(size: int) -> str:
    """Stories of the kitchen language, one a line, of at least so many characters."""
    stories: list[str] = []
    for story in kitchen.documents(tokens=size, seed=SEED):
        stories.append(" ".join(story.tokens[:-1]) + "\n")
        size -= len(stories[-1])
        if size <= 0:
            break
    return "".join(stories)


def learned_by_tokenizers(
    pieces: Sequence[str], vocabulary: int
) -> tuple[list[tuple[int, int]], Callable[[Sequence[str]], list[int]]]:
    """The merges that `tokenizers` learns from the pieces of a text, and its `encode` for other pieces."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Split(BORDER, "removed")
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=2,
        show_progress=False,
        initial_alphabet=[chr(byte) for byte in range(bpe.BYTES)],
        limit_alphabet=bpe.BYTES + 1,  # the border counts, though it is no part of any piece
    )
    tokenizer.train_from_iterator([_as_characters(pieces)], trainer)
    model = json.loads(tokenizer.to_str())["model"]
    numbers = model["vocab"]
    merges = [(numbers[first], numbers[second]) for first, second in model["merges"]]
    return merges, lambda others: list(tokenizer.encode(_as_characters(others)).ids)


def _as_characters(pieces: Sequence[str]) -> str:
    """The bytes of each piece as the characters 0 to 255, and borders."""
    return BORDER.join(piece.encode("utf-8", "surrogateescape").decode("latin-1") for piece in pieces)


def _best(rounds: int, action: Callable[[], object]) -> float:
    """Seconds that it took in the fastest round."""
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main(
    text: Annotated[Path | None, typer.Option(help="a text in UTF-8; default: a megabyte of kitchen text")] = None,
    vocabulary: Annotated[int, typer.Option(min=bpe.BYTES)] = 500,
    rounds: Annotated[int, typer.Option(min=1)] = 3,
) -> None:
    """Print the seconds that both take."""
    given = text.read_text(encoding="utf-8") if text else made_text(1_000_000)
    pieces = bpe.pieces(given)
    ours = bpe.train(given, vocabulary)
    training = _best(rounds, lambda: bpe.train(given, vocabulary))
    encoding = _best(rounds, lambda: bpe.BPE(ours.merges).encode(given))  # a new one remembers no piece
    tokens = ours.encode(given)
    size = len(given.encode())
    print(f"{size:,} bytes, {len(tokens):,} tokens of {len(ours):,}, {os.cpu_count()} cores")
    print(f"{'':12}{'train, s':>12}{'encode, s':>12}")
    print(f"{'lmkit':12}{training:12.2f}{encoding:12.2f}")
    try:
        merges, encode = learned_by_tokenizers(pieces, vocabulary)
    except ModuleNotFoundError:
        print("tokenizers is not installed: pip install -e .[dev]")
        return
    training = _best(rounds, lambda: learned_by_tokenizers(pieces, vocabulary))
    encoding = _best(rounds, lambda: encode(pieces))
    print(f"{'tokenizers':12}{training:12.2f}{encoding:12.2f}")
    print(f"the same merges: {merges == ours.merges}; the same tokens: {encode(pieces) == tokens}")


if __name__ == "__main__":
    typer.run(main)
