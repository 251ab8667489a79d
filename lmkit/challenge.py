"""The text of a challenge: what entries learn from, what they are scored on, and what the truth says of it.

    python -m lmkit.challenge FILE [--words 100000] [--scored 4000] [--seed S]

writes an .npz file with three arrays and two numbers: `train` [N], tokens of stories that nobody has seen before, one
behind the other; `scored` [S] the same for the text that counts, `truth` [S] ln P of each of its tokens by the language
itself; `vocabulary`, how many tokens there are, and the `seed`. Tokens are numbers: 0 ends a story, 1 stands for every
word that occurs only once in `train`; which number a word has is drawn anew each time, so that nothing can be known of
a word before it is read.
"""

import argparse
import secrets
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lmkit import kitchen
from lmkit.ngrams import END, UNKNOWN

LEAST = 2  # times that a word must occur in the training text to have a number of its own


def make(words: int, scored: int, seed: int) -> dict[str, NDArray[np.generic]]:
    """The arrays of a challenge (see above) with at least so many tokens to learn from and to be scored on."""
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


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Write the text of a challenge.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--words", type=int, default=100_000, help="tokens to learn from, at least")
    parser.add_argument("--scored", type=int, default=4_000, help="tokens that are scored, at least")
    parser.add_argument("--seed", type=int, default=None, help="default: drawn, and known to nobody")
    options = parser.parse_args()
    seed = secrets.randbits(31) if options.seed is None else options.seed
    with options.file.open("wb") as file:
        np.savez(file, allow_pickle=False, **make(options.words, options.scored, seed))


if __name__ == "__main__":
    main()
