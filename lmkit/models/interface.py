"""What a language model is to everybody who only asks it."""

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lmkit import kitchen, ngrams
from lmkit.ngrams import END, START, UNKNOWN
from lmkit.training.tools import device_of

Document = Sequence[str]  # the tokens of a text; its last one may be </s>


class LanguageModel(Protocol):
    """Gives ln P of each next token. Token number v is `symbols[v]`; `</s>` is one of them."""

    @property
    def symbols(self) -> Sequence[str]: ...

    def log_probabilities(self, tokens: Tensor) -> Tensor:
        """Texts [B, T] -> [B, T + 1, V]: entry t holds ln P of each token that may follow the first t of its text.

        Every text begins at the beginning: entry 0 is what the model expects before it has read anything.
        """


class Neural:
    """A network that scores the next token after each token, [B, T] -> [B, T, V].

    Texts are read as in one long row: `</s>`, which ends a text, stands before the first token of the next one.
    """

    def __init__(self, network: nn.Module, symbols: Sequence[str]) -> None:
        self.network, self.symbols = network, list(symbols)
        self.end = self.symbols.index(END)

    @torch.no_grad()
    def log_probabilities(self, tokens: Tensor) -> Tensor:
        """Computed where the network is; the result is where the tokens are."""
        self.network.eval()
        begin = tokens.new_full((len(tokens), 1), self.end)
        read = torch.cat([begin, tokens], dim=1).to(device_of(self.network))
        scores: Tensor = self.network(read)  # [B, T + 1, V]
        return scores.float().log_softmax(-1).to(tokens.device)


class Counted:
    """A model of chapters 01 and 02 (`lmkit.ngrams`) behind the same interface."""

    def __init__(self, model: ngrams.LanguageModel) -> None:
        self.model, self.symbols = model, model.vocabulary
        self._rows: dict[tuple[str, ...], NDArray[np.float32]] = {}  # the same contexts come again and again

    def log_probabilities(self, tokens: Tensor) -> Tensor:
        texts = [[START] * max(0, self.model.order - 1) + [self.symbols[v] for v in row] for row in tokens.tolist()]
        rows = [[self._after(text[: t + self.model.order - 1]) for t in range(tokens.shape[1] + 1)] for text in texts]
        return torch.from_numpy(np.array(rows))

    def _after(self, words: Sequence[str]) -> NDArray[np.float32]:
        context = self.model.normal(words)
        if context not in self._rows:
            with np.errstate(divide="ignore"):
                self._rows[context] = np.log(self.model.context_distribution(context)).astype(np.float32)
        return self._rows[context]


class Truth:
    """The kitchen language itself, some 8 ms a token. Words that are no symbols count as `<UNK>` together."""

    def __init__(self, symbols: Sequence[str]) -> None:
        self.symbols = list(symbols)
        self.index = {symbol: number for number, symbol in enumerate(self.symbols)}

    def log_probabilities(self, tokens: Tensor) -> Tensor:
        rows = torch.full((len(tokens), tokens.shape[1] + 1, len(self.symbols)), math.nan)
        for i, text in enumerate(tokens.tolist()):
            words = [self.symbols[number] for number in text]
            for t in range(len(words) + 1):
                if UNKNOWN in words[:t] or END in words[:t]:
                    break  # nobody can say which word that was, and behind the end there is nothing: not a number
                rows[i, t] = self._after(words[:t])
        return rows

    def _after(self, words: Sequence[str]) -> Tensor:
        row = torch.zeros(len(self.symbols), dtype=torch.float64)
        for word, probability in kitchen.next_word_distribution(words).items():
            row[self.index.get(word, self.index[UNKNOWN])] += probability
        return row.log().float()


def encode(symbols: Sequence[str], documents: Sequence[Document]) -> list[Tensor]:
    """The numbers of each document's tokens, [T] int64; that of `<UNK>` for every token that is no symbol."""
    index = {symbol: number for number, symbol in enumerate(symbols)}
    unknown = index.get(UNKNOWN)
    found = []
    for document in documents:
        numbers = [index.get(token, unknown) for token in document]
        if None in numbers:
            raise ValueError(f"{document[numbers.index(None)]!r} is not among the symbols, and neither is {UNKNOWN}.")
        found.append(torch.tensor(numbers, dtype=torch.int64))
    return found


def score(model: LanguageModel, documents: Sequence[Document], batch: int = 32) -> list[NDArray[np.float64]]:
    """ln P of each token of each document, given all tokens before it: an array [T] for each."""
    texts = encode(model.symbols, documents)
    result: list[NDArray[np.float64]] = [np.empty(0)] * len(texts)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))  # texts of one length need no padding
    for begin in range(0, len(order), batch):
        here = order[begin : begin + batch]
        padded = nn.utils.rnn.pad_sequence([texts[i] for i in here], batch_first=True)
        rows = model.log_probabilities(padded)[:, :-1]  # what is behind a text changes nothing before it
        chosen = rows.gather(2, padded[:, :, None])[:, :, 0].double().numpy()
        for row, i in zip(chosen, here, strict=True):
            result[i] = row[: len(texts[i])]
    return result


def write(
    model: LanguageModel,
    generator: torch.Generator | None = None,
    *,
    begin: Document = (),
    max_tokens: int = 200,
    temperature: float = 1.0,
) -> list[str]:
    """A text that goes on after `begin`, up to `</s>` or `max_tokens`; temperature 0 takes the likeliest each time."""
    tokens = encode(model.symbols, [begin])[0]
    end = list(model.symbols).index(END)
    while len(tokens) < max_tokens and not (len(tokens) and int(tokens[-1]) == end):
        row = model.log_probabilities(tokens[None])[0, -1]  # [V]
        if temperature == 0:
            chosen = row.argmax(keepdim=True)
        else:
            chosen = torch.multinomial((row / temperature).softmax(-1), 1, generator=generator)
        tokens = torch.cat([tokens, chosen])
    return [model.symbols[number] for number in tokens.tolist()]
