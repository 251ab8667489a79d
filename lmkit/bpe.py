"""Byte-pair encoding: a vocabulary of frequent byte strings, learned from a text.

    bpe = train(text, vocabulary=500)
    tokens = bpe.encode("Where is the soup?")    numbers from 0 to len(bpe) - 1
    bpe.decode(tokens)                           the text again
    [bpe.symbols[token] for token in tokens]     the tokens, readable
    bpe.save("bpe.json"); bpe = load("bpe.json")

The first 256 tokens are the bytes, so every text, and every other file, can be encoded, and `decode_bytes` gives
exactly the same bytes back. A merge joins two tokens that often stand side by side into a new one. Merges never
cross the border of a *piece*: a word with the blank before it, a number, a run of punctuation, or blanks.
"""

import heapq
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from lmkit.files import write_whole

BYTES = 256  # the tokens that are there before anything is learned
KIND = "byte-pair encoding"  # what a saved file says it is
CACHED = 200_000  # pieces whose tokens are remembered

# As GPT-2 splits, written for the standard library: English contractions; letters, digits or other signs, each with
# the blank before it; the blanks that are left. A piece has at most 64 characters behind its blank, or a file without
# any blank would be one piece, and would take time that grows with the square of its length.
PIECES = re.compile(r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]{1,64}| ?\d{1,64}| ?(?:[^\w\s]|_){1,64}|\s{1,64}(?!\S)|\s{1,64}")


def pieces(text: str | bytes) -> list[str]:
    """The pieces of a text in order; joined, they are the text.

    Bytes that are not UTF-8 are kept as Python's "surrogateescape" characters, so none is lost.
    """
    return PIECES.findall(text if isinstance(text, str) else text.decode("utf-8", "surrogateescape"))


def bits_per_byte(nats_per_token: float, tokens: int, bytes: int) -> float:
    """A cross-entropy in nats per token as bits per byte of the text, the unit in which all models can be compared.

    `tokens` and `bytes` are the sizes of the same text: its number of predicted tokens, and its length in UTF-8.
    Raises ValueError unless both are positive.
    """
    if tokens <= 0 or bytes <= 0:
        raise ValueError(f"A text has at least one token and one byte; got tokens={tokens}, bytes={bytes}.")
    return nats_per_token * tokens / (bytes * math.log(2))


class BPE:
    """A vocabulary of byte strings and the merges that made it.

    `merges` holds pairs of token numbers in the order in which they are applied; merge r makes token 256 + r.
    `vocabulary[t]` is the byte string of token t, `symbols[t]` the same to read. `len(bpe)` is the number of tokens V.
    """

    def __init__(self, merges: Sequence[tuple[int, int]] = ()):
        """Raises ValueError for a merge of a token which no earlier merge has made, or that makes one there is."""
        self.merges: list[tuple[int, int]] = []
        self.vocabulary = [bytes([byte]) for byte in range(BYTES)]
        self._known = set(self.vocabulary)
        # A row of tokens is a string here, with token t as character chr(t): then `str.replace` merges, at C's speed.
        self._ranks: dict[str, int] = {}
        self._cache: dict[str, tuple[int, ...]] = {}
        for first, second in merges:
            self._merge(first, second)

    def _merge(self, first: int, second: int) -> str:
        """Add a merge; the character of the token that it makes."""
        here = f"merge {len(self.merges)} joins {first} and {second}"
        if not (0 <= first < len(self) and 0 <= second < len(self)):
            raise ValueError(f"{here}, but there are only {len(self)} tokens before it")
        token = self.vocabulary[first] + self.vocabulary[second]
        if token in self._known:  # training never does: all bytes of it were merged where it was first made
            raise ValueError(f"{here}, which makes a second token of {token!r}")
        self._known.add(token)
        self._ranks[chr(first) + chr(second)] = len(self.merges)
        self.merges.append((first, second))
        self.vocabulary.append(token)
        return chr(len(self) - 1)

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BPE) and self.merges == other.merges

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"BPE of {len(self)} tokens"

    @property
    def symbols(self) -> list[str]:
        """The tokens to read, V strings: ␣ is a blank, ⏎ a line end, \\xe2 a byte that is no whole character."""
        readable = (token.decode("utf-8", "backslashreplace") for token in self.vocabulary)
        return ["".join(map(_visible, symbol)) for symbol in readable]

    def encode(self, text: str | bytes) -> list[int]:
        """The numbers of the tokens of a text or of any bytes, N of them.

        Raises ValueError for a string that holds half of a surrogate pair: UTF-8 has no bytes for it.
        """
        tokens: list[int] = []
        cache = self._cache
        for piece in pieces(text):
            found = cache.get(piece)
            if found is None:
                if len(cache) >= CACHED:
                    cache.clear()
                found = cache[piece] = tuple(map(ord, self._merged(_spelled(piece))))
            tokens += found
        return tokens

    def _merged(self, word: str) -> str:
        """A piece with all merges applied, the earliest merge that fits first."""
        ranks, last = self._ranks, len(self.merges)
        while len(word) > 1:
            rank = min([ranks.get(first + second, last) for first, second in zip(word, word[1:], strict=False)])
            if rank == last:
                break
            first, second = self.merges[rank]
            word = word.replace(chr(first) + chr(second), chr(BYTES + rank))
        return word

    def decode_bytes(self, tokens: Iterable[int]) -> bytes:
        """The bytes that the tokens stand for. Raises ValueError for a number that is no token."""
        vocabulary = self.vocabulary
        numbers = [int(token) for token in tokens]
        if numbers and not 0 <= min(numbers) <= max(numbers) < len(vocabulary):
            wrong = next(number for number in numbers if not 0 <= number < len(vocabulary))
            raise ValueError(f"There is no token {wrong}: they are numbered from 0 to {len(vocabulary) - 1}.")
        return b"".join([vocabulary[number] for number in numbers])

    def decode(self, tokens: Iterable[int]) -> str:
        """The text that the tokens stand for; � where their bytes are no UTF-8, as at a character cut in two.

        Raises ValueError for a number that is no token.
        """
        return self.decode_bytes(tokens).decode("utf-8", "replace")

    def save(self, path: str | Path) -> None:
        """Write the merges as JSON; the file is whole at every moment."""
        write_whole(Path(path), (json.dumps({"kind": KIND, "merges": self.merges}) + "\n").encode())


def load(path: str | Path) -> BPE:
    """The encoding that `save` wrote. Raises OSError if there is no such file, ValueError if it is not one of ours."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(content, dict) or content.get("kind") != KIND:
            raise ValueError(f'it does not say "kind": "{KIND}"')
        merges = content.get("merges")
        if not isinstance(merges, list) or not all(_is_pair(pair) for pair in merges):
            raise ValueError("its merges are not pairs of numbers")
        return BPE([(first, second) for first, second in merges])
    except (ValueError, RecursionError) as error:  # JSON that is broken, and text that is no UTF-8, are ValueErrors
        raise ValueError(f"{path} is no saved byte-pair encoding: {error}.") from None


def _is_pair(pair: object) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(type(number) is int for number in pair)


def train(text: str | bytes, vocabulary: int, least: int = 2) -> BPE:
    """Learn an encoding of at most so many tokens, 256 of which are the bytes.

    Merges the most frequent pair of neighbouring tokens, again and again; among equally frequent ones the pair with
    the lowest numbers, first token first, as the library `tokenizers` does. Stops early when no pair occurs
    `least` times. Raises ValueError for a vocabulary below 256.

    Only the pieces that hold the merged pair are visited, each different piece once, weighted by how often it occurs.
    """
    if vocabulary < BYTES:
        raise ValueError(f"A vocabulary holds at least the {BYTES} bytes; got {vocabulary}.")
    found = Counter(pieces(text))
    words = [_spelled(piece) for piece in found]
    often = list(found.values())
    counts: dict[str, int] = defaultdict(int)  # pair, as a string of two characters -> how often it occurs
    where: dict[str, set[int]] = defaultdict(set)  # pair -> the words that hold it, or once held it
    for number, word in enumerate(words):
        for pair in map("".join, zip(word, word[1:], strict=False)):
            counts[pair] += often[number]
            where[pair].add(number)
    queue = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(queue)
    bpe = BPE()
    while queue and len(bpe) < vocabulary:
        negative, pair = heapq.heappop(queue)
        if -negative != counts[pair]:  # counted before some of its places were taken by other merges
            if counts[pair] >= least:
                heapq.heappush(queue, (-counts[pair], pair))
            continue
        if -negative < least:
            break
        joined = bpe._merge(*map(ord, pair))
        changed: dict[str, int] = defaultdict(int)
        for number in where.pop(pair):
            old = words[number]
            new = old.replace(pair, joined)
            if len(new) == len(old):
                continue
            words[number] = new
            weight = often[number]
            for neighbours in map("".join, zip(old, old[1:], strict=False)):
                changed[neighbours] -= weight
            for neighbours in map("".join, zip(new, new[1:], strict=False)):
                changed[neighbours] += weight
                if joined in neighbours:
                    where[neighbours].add(number)
        for neighbours, change in changed.items():
            counts[neighbours] += change
            if change > 0:
                heapq.heappush(queue, (-counts[neighbours], neighbours))
    return bpe


def _spelled(piece: str) -> str:
    """The bytes of a piece as a string of the characters 0 to 255."""
    try:
        return piece.encode("utf-8", "surrogateescape").decode("latin-1")
    except UnicodeEncodeError as error:
        raise ValueError(f"A text cannot hold {piece[error.start]!a}, half of a surrogate pair.") from None


def _visible(character: str) -> str:
    """Blanks and line ends as signs, other characters that print nothing as escapes."""
    return {" ": "␣", "\n": "⏎", "\t": "⇥"}.get(character) or (
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
    )
