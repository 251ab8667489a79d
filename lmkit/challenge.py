"""The text of a challenge: what entries learn from, what they are scored on, and what the truth says of it.

    python -m lmkit.challenge FILE [--words 100000] [--scored 4000] [--seed S]

writes an .npz file with three arrays and two numbers: `train` [N], tokens of stories that nobody has seen before, one
behind the other; `scored` [S] the same for the text that counts, `truth` [S] ln P of each of its tokens by the language
itself; `vocabulary`, how many tokens there are, and the `seed`. Tokens are numbers: 0 ends a story, 1 stands for every
word that occurs only once in `train`; which number a word has is drawn anew each time, so that nothing can be known of
a word before it is read.
"""

import secrets
from collections import Counter
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from lmkit import kitchen
from lmkit.ngrams import END, UNKNOWN

LEAST = 2  # times that a word must occur in the training text to have a number of its own


def make(words: int, scored: int, seed: int) -> dict[str, NDArray[np.generic]]:
    """The arrays of a challenge with at least so many tokens to learn from and to be scored on."""
    draws = np.random.default_rng(seed)
    first, second = (int(number) for number in draws.integers(2**31, size=2))
    stories = kitchen.documents(tokens=words, seed=first)
    counts = Counter(word for story in stories for word in story.tokens)
    known = sorted(word for word, often in counts.items() if often >= LEAST and word != END)
    draws.shuffle(known)
    number = {END: 0, UNKNOWN: 1} | {word: place + 2 for place, word in enumerate(known)}
    asked = kitchen.documents(tokens=scored, seed=second)
    said = {*known, END}
    return {
        "train": _numbers(stories, number),
        "scored": _numbers(asked, number),
        "truth": np.concatenate([kitchen.log_probabilities(story, said) for story in asked]),
        "vocabulary": np.array(len(number)),
        "seed": np.array(seed),
    }


def _numbers(stories: list[kitchen.Document], number: dict[str, int]) -> NDArray[np.generic]:
    return np.array([number.get(word, 1) for story in stories for word in story.tokens], dtype=np.int64)


app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def main(
    file: Annotated[Path, typer.Argument(help="Where the text goes, .npz.")],
    words: Annotated[int, typer.Option(help="Tokens to learn from, at least.")] = 100_000,
    scored: Annotated[int, typer.Option(help="Tokens that are scored, at least.")] = 4_000,
    seed: Annotated[int | None, typer.Option(help="Default: drawn, and known to nobody.")] = None,
) -> None:
    """Write the text of a challenge."""
    made = make(words, scored, secrets.randbits(31) if seed is None else seed)
    with file.open("wb") as opened:
        np.savez(opened, allow_pickle=False, **made)


if __name__ == "__main__":
    app()
