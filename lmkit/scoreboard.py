"""The scoreboard: every model of the course on one text, recorded by `python -m benchmarks.scoreboard`.

    table("models")              a recorded table, data/scoreboard/models.csv
    scores = log_probabilities() what nine models say of each token of 200 test stories
    scores["LSTM"]               ln P of each token, [N]
    scores.document              the number of the story that each token belongs to, [N]

Nothing is computed here: the README in `data/scoreboard` says what each column means and how it was measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lmkit.paths import DATA

FOLDER = DATA / "scoreboard"
TRUTH = "truth"  # the name of the language itself among the models


@dataclass(frozen=True)
class Scores:
    """What several models say of the same N tokens, those of D stories one behind the other, each `</s>` included.

    Token number v is `symbols[v]`; all words that are no symbol are `<UNK>`, for every model alike. Logarithms are
    natural ones, float32 as recorded, given as float64. The truth reads the words themselves, also those that the
    models do not know; what it says of the next one is added up to the same symbols.
    """

    names: Sequence[str]  # "truth" is one of them
    symbols: Sequence[str]  # [V]
    document: NDArray[np.int64]  # [N], 0 to D - 1: the stories in the order of the frozen split "test"
    tokens: NDArray[np.int64]  # [N]
    _given: NDArray[np.float32]  # [models, N]
    _top: NDArray[np.int16]  # [models, N]
    _top_given: NDArray[np.float16]  # [models, N], probabilities
    _top_true: NDArray[np.float16]  # [models, N], probabilities

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """ln P of each token given all tokens of its story before it, [N]."""
        return np.asarray(self._given[self._row(name)], np.float64)

    def top(self, name: str) -> NDArray[np.int64]:
        """The token that the model holds likeliest at each place, [N]."""
        return np.asarray(self._top[self._row(name)], np.int64)

    def confidence(self, name: str) -> NDArray[np.float64]:
        """P that the model gives to that likeliest token, [N], to three digits (float16)."""
        return np.asarray(self._top_given[self._row(name)], np.float64)

    def true_confidence(self, name: str) -> NDArray[np.float64]:
        """P that the truth gives to the token that the *model* holds likeliest, [N], to three digits (float16)."""
        return np.asarray(self._top_true[self._row(name)], np.float64)

    def _row(self, name: str) -> int:
        if name not in self.names:
            raise ValueError(f"There are no scores of {name!r}; choose one of: {', '.join(self.names)}.")
        return list(self.names).index(name)


def log_probabilities() -> Scores:
    """What was recorded of each token of the first 200 stories of the frozen split "test" (data/scoreboard)."""
    with np.load(FOLDER / "log_probabilities.npz", allow_pickle=False) as file:
        return Scores(
            names=[str(name) for name in file["names"]],
            symbols=[str(symbol) for symbol in file["symbols"]],
            document=file["document"].astype(np.int64),
            tokens=file["tokens"].astype(np.int64),
            _given=file["given"],
            _top=file["top"],
            _top_given=file["top_given"],
            _top_true=file["top_true"],
        )


def tables() -> list[str]:
    """The names of the recorded tables."""
    return sorted(path.stem for path in FOLDER.glob("*.csv"))


def table(name: str) -> pd.DataFrame:
    """A recorded table by its name; ValueError if there is none."""
    if name not in tables():
        raise ValueError(f"The scoreboard has no table {name!r}; choose one of: {', '.join(tables())}.")
    return pd.read_csv(FOLDER / f"{name}.csv")
