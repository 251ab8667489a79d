"""Counting n-grams with sorted arrays, and what every model of the next word can do once it has its probabilities.

    counts = NgramCounts(train_sentences, order=3)
    counts[2]["count"]            how often each different bigram occurs, shape [G2]
    model.score(test_sentences)   ln P of each word and each </s>
    model.perplexity(test_sentences)
    model.mass(contexts)          sums of distributions: 1, if it is a probability

Conventions. Before each sentence stands `<s>`, behind it `</s>`. Events are all words, `<UNK>` among them, and `</s>`;
`<s>` is only ever a context. One `<s>` says it all: a context that begins with several is the same as with one, and
n-grams with more than one are not counted (as in KenLM).
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

START, END, UNKNOWN = "<s>", "</s>", "<UNK>"

Sentences = Sequence[Sequence[str]]
Numbers = NDArray[np.int64]
Values = NDArray[np.float64]
Context = tuple[str, ...]


def events(sentences: Sentences, min_count: int = 1) -> list[str]:
    """What a model of these sentences can predict: their words, sorted, then `<UNK>` and `</s>`."""
    if min_count <= 1:
        words = set(chain.from_iterable(sentences))
    else:
        numbers = _Index(sorted(set(chain.from_iterable(sentences))))
        often = np.bincount(_flat(sentences, numbers), minlength=len(numbers)) >= min_count
        words = {word for word, number in numbers.items() if often[number]}
    return [*sorted(words - {START, END, UNKNOWN}), UNKNOWN, END]


class _Index(dict[str, int]):
    """Word -> number, the number of `<UNK>` for a word that is not there."""

    def __init__(self, words: Iterable[str]) -> None:
        super().__init__((word, number) for number, word in enumerate(words))
        self.unknown = self.get(UNKNOWN, -1)

    def __missing__(self, word: str) -> int:
        if self.unknown < 0:
            raise KeyError(f"{word!r} is not in the vocabulary, and neither is {UNKNOWN}")
        return self.unknown


def _flat(sentences: Sentences, index: _Index) -> Numbers:
    return np.fromiter(map(index.__getitem__, chain.from_iterable(sentences)), dtype=np.int64)


class NgramCounts:
    """The different n-grams of a text for n = 1 to order, as arrays: no dictionary, no loop over words.

    `vocabulary` lists the events; word number v is `vocabulary[v]`, and `<s>` has the number V = len(vocabulary).
    `counts[n]` holds the G_n different n-grams in sorted order, as a dict of arrays of shape [G_n]:

        context   the number of its first n-1 words among the (n-1)-grams (0 for n = 1)
        shorter   the number of its last n-1 words among the (n-1)-grams (0 for n = 1)
        word      the number of its last word
        count     how often it occurs
        left      before how many different words it goes: N1+(. gram); what begins with <s> has nothing to the left, so
                  its count stands there. The longest n-grams have no `left`.

    All 1-grams are listed, also those that never occur, in the order of the vocabulary; the last one is `<s>`, count 0.
    """

    def __init__(self, sentences: Sentences, order: int, vocabulary: Sequence[str] | None = None) -> None:
        if order < 1:
            raise ValueError(f"An n-gram has at least one word; order is {order}.")
        self.order = order
        met: defaultdict[str, int] = defaultdict(count().__next__)  # numbers in the order of the text
        words = None
        if vocabulary is None:
            words = np.fromiter(map(met.__getitem__, chain.from_iterable(sentences)), dtype=np.int64)
        self.vocabulary = list(vocabulary) if vocabulary is not None else events([list(met)])
        if END not in self.vocabulary or START in self.vocabulary:
            raise ValueError(f"The vocabulary lists what can be predicted: {END} belongs to it and {START} does not.")
        self.index = _Index([*self.vocabulary, START])
        self._word_bits = len(self.vocabulary).bit_length()
        self.levels: list[dict[str, Numbers]] = []
        self._keys: list[Numbers] = []
        if words is not None:
            words = np.fromiter(map(self.index.__getitem__, met), dtype=np.int64, count=len(met))[words]
        self._count(self._encode(sentences, words))

    def __getitem__(self, n: int) -> dict[str, Numbers]:
        if not 1 <= n <= self.order:
            raise IndexError(f"n-grams are counted for n = 1 to {self.order}; asked for n = {n}.")
        return self.levels[n - 1]

    def __len__(self) -> int:
        return self.order

    def encode(self, sentences: Sentences) -> Numbers:
        """All sentences as one array of word numbers, each between `<s>` and `</s>`."""
        return self._encode(sentences, None)

    def _encode(self, sentences: Sentences, words: Numbers | None) -> Numbers:
        if words is None:
            words = _flat(sentences, self.index)
        V, end = len(self.vocabulary), self.index[END]
        if np.any((words == V) | (words == end)):
            raise ValueError(f"Give the sentences without {START} and {END}; both are put around each of them here.")
        lengths = np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences)) + 2
        ends = np.cumsum(lengths)
        text = np.empty(int(lengths.sum()), dtype=np.int64)
        inside = np.ones(len(text), dtype=bool)
        inside[ends - lengths] = inside[ends - 1] = False
        text[ends - lengths], text[ends - 1] = V, end
        text[inside] = words
        return text

    def _count(self, text: Numbers) -> None:
        size = len(self.vocabulary) + 1
        start = text == size - 1
        often = np.bincount(text[~start], minlength=size)
        zeros = np.zeros(size, dtype=np.int64)
        self.levels.append({"context": zeros, "shorter": zeros, "word": np.arange(size), "count": often})
        self._keys.append(np.arange(size))
        opens = np.arange(size) == size - 1
        numbers = text  # numbers[i]: the n-gram that ends at place i, if the sentence has begun by then
        place = np.arange(len(text)) - np.maximum.accumulate(np.where(start, np.arange(len(text)), 0))
        for n in range(2, self.order + 1):
            at = np.flatnonzero(place >= n - 1)
            keys, order = _sort((numbers[at - 1] << self._word_bits) | text[at])
            new = np.ones(len(keys), dtype=bool)
            np.not_equal(keys[1:], keys[:-1], out=new[1:])
            first = np.flatnonzero(new)
            keys, group = keys[first], np.cumsum(new) - 1
            shorter = numbers[at[order[first]]]
            level = {
                "context": keys >> self._word_bits,
                "shorter": shorter,
                "word": keys & ((1 << self._word_bits) - 1),
                "count": np.diff(first, append=len(at)),
            }
            below = self.levels[-1]
            below["left"] = np.bincount(shorter, minlength=len(opens))
            below["left"][opens] = below["count"][opens]
            opens = opens[level["context"]]
            numbers = np.full(len(text), -1)
            numbers[at[order]] = group
            self.levels.append(level)
            self._keys.append(keys)

    def find(self, text: Numbers) -> list[Numbers]:
        """For each n, the number of the n-gram that ends at each place of an encoded text; -1 where it is not known."""
        found = [text]
        at = np.flatnonzero(text != len(self.vocabulary))
        for n in range(2, self.order + 1):
            at = at[found[-1][at - 1] >= 0]  # a word is never at place 0: an encoded text begins with <s>
            keys, order = _sort((found[-1][at - 1] << self._word_bits) | text[at])
            known = self._keys[n - 1]
            where = np.searchsorted(known, keys)
            hit = known[np.minimum(where, len(known) - 1)] == keys if len(known) else np.zeros(len(keys), dtype=bool)
            numbers = np.full(len(text), -1)
            numbers[at[order[hit]]] = where[hit]
            found.append(numbers)
        return found

    def number(self, gram: Context) -> int:
        """The number of an n-gram among those of its length, or -1; the empty one has the number 0."""
        number = 0
        for n, word in enumerate(gram, start=1):
            key = (number << self._word_bits) | self.index[word]
            if n == 1:
                number = self.index[word]
                continue
            where = int(np.searchsorted(self._keys[n - 1], key))
            if where == len(self._keys[n - 1]) or self._keys[n - 1][where] != key:
                return -1
            number = where
        return number

    def followers(self, context: Context) -> slice:
        """Where in `counts[n]` the n-grams stand that begin with this context of n-1 words."""
        number = self.number(context)
        if not context:
            return slice(0, len(self.vocabulary))
        if number < 0:
            return slice(0, 0)
        low, high = np.searchsorted(self[len(context) + 1]["context"], [number, number + 1])
        return slice(int(low), int(high))

    def row(self, context: Context) -> Numbers:
        """How often each event follows the context, shape [V]."""
        here = self.followers(context)
        level = self[len(context) + 1]
        row = np.zeros(len(self.vocabulary), dtype=np.int64)
        row[level["word"][here]] = level["count"][here]
        return row

    def matrix(self) -> Numbers:
        """All bigram counts, shape [V+1, V]: row = previous word (the last row is `<s>`), column = next event."""
        matrix = np.zeros((len(self.vocabulary) + 1, len(self.vocabulary)), dtype=np.int64)
        matrix[self[2]["context"], self[2]["word"]] = self[2]["count"]
        return matrix


def _sort(keys: Numbers) -> tuple[Numbers, Numbers]:
    """The sorted keys, and where each of them stood.

    Sorting numbers is several times faster than sorting places by numbers, so the place rides in the low bits
    if there is room.
    """
    if not len(keys):
        return keys, keys
    bits = len(keys).bit_length()
    if int(keys.max()).bit_length() + bits > 63:
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    packed = (keys << bits) | np.arange(len(keys))
    packed.sort()
    return packed >> bits, packed & ((1 << bits) - 1)


class LanguageModel:
    """A model of the next word. A subclass sets `order` and `vocabulary` (a list).

    It defines `prob` or `context_distribution`, or both; each gets a context of at most order-1 known words, oldest
    first, with at most one `<s>` (see `normal`).
    """

    order: int
    vocabulary: list[str]

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The place of each event in the vocabulary, that of `<UNK>` for any other word."""
        return _Index(self.vocabulary)

    def normal(self, context: Sequence[str]) -> Context:
        """The last order-1 words of a context; `<UNK>` for unknown ones, one `<s>` for several."""
        words = [word if word == START or word in self.index else UNKNOWN for word in context]
        words = words[max(0, len(words) - self.order + 1) :]
        while words[:2] == [START, START]:
            del words[0]
        return tuple(words)

    def prob(self, word: str, context: Sequence[str]) -> float:
        """P(word | context)."""
        return float(self.context_distribution(context)[self.index[word]])

    def context_distribution(self, context: Sequence[str]) -> Values:
        """P(w | context) for each event w, shape [V], in the order of the vocabulary."""
        if type(self).prob is LanguageModel.prob:
            raise NotImplementedError("A model defines prob or context_distribution.")
        return np.array([self.prob(word, context) for word in self.vocabulary], dtype=float)

    def score(self, sentences: Sentences) -> Values:
        """ln P of each word given those before it, and of each sentence's `</s>`, in the order of the text."""
        places: dict[Context, list[tuple[int, str]]] = {}
        length = 0
        for sentence in sentences:
            words = [START] * max(0, self.order - 1) + list(sentence) + [END]
            for i in range(max(0, self.order - 1), len(words)):
                places.setdefault(self.normal(words[max(0, i - self.order + 1) : i]), []).append((length, words[i]))
                length += 1
        result = np.empty(length)
        by_word = type(self).context_distribution is LanguageModel.context_distribution
        for context, here in places.items():
            if by_word:
                known = (word if word in self.index else UNKNOWN for _, word in here)
                values = np.array([self.prob(word, context) for word in known])
            else:
                values = self.context_distribution(context)[[self.index[word] for _, word in here]]
            result[[place for place, _ in here]] = values
        with np.errstate(divide="ignore"):
            return np.log(result)

    def perplexity(self, sentences: Sentences) -> float:
        """exp of the mean of -ln P over all words and `</s>`."""
        return float(np.exp(-np.mean(self.score(sentences))))

    def mass(self, contexts: Iterable[Sequence[str]]) -> Values:
        """What the distribution over all events sums to in each context; NaN where an entry is negative or NaN."""
        sums = []
        for context in contexts:
            distribution = np.asarray(self.context_distribution(self.normal(context)), dtype=float)
            sums.append(float(distribution.sum()) if np.all(distribution >= 0) else math.nan)
        return np.array(sums)


class BackoffModel(LanguageModel):
    """A model given by one table for each n, as a file in ARPA format gives it.

    `probability[n-1]`, shape [G_n]: P(last word | first words) of each n-gram in `counts[n]`.
    `backoff[n-1]`, shape [G_(n-1)]: what an (n-1)-gram, as a context, multiplies the shorter context's probability
    with when the n-gram is not in the table. (`backoff[0]` is never asked: all 1-grams are in the table.)
    """

    def __init__(
        self, counts: NgramCounts, probability: Sequence[Values], backoff: Sequence[Values], name: str = ""
    ) -> None:
        for n, (level, table) in enumerate(zip(counts.levels, probability, strict=True), start=1):
            if np.shape(table) != level["count"].shape:
                raise ValueError(f"{n}-grams: {np.shape(table)} probabilities for {level['count'].shape} n-grams.")
        self.counts, self.name = counts, name
        self.order, self.vocabulary = counts.order, counts.vocabulary
        self.probability, self.backoff = list(probability), list(backoff)

    def context_distribution(self, context: Sequence[str]) -> Values:
        context = self.normal(context)
        distribution = np.array(self.probability[0][: len(self.vocabulary)], dtype=float)
        for n in range(2, len(context) + 2):
            number = self.counts.number(context[len(context) - n + 1 :])
            if number < 0:
                break
            here = self.counts.followers(context[len(context) - n + 1 :])
            distribution *= self.backoff[n - 1][number]
            distribution[self.counts[n]["word"][here]] = self.probability[n - 1][here]
        return distribution

    def prob(self, word: str, context: Sequence[str]) -> float:
        context = self.normal(context)
        result = float(self.probability[0][self.index[word]])
        for n in range(2, len(context) + 2):
            number = self.counts.number(context[len(context) - n + 1 :])
            if number < 0:
                break
            gram = self.counts.number((*context[len(context) - n + 1 :], word))
            result = float(self.probability[n - 1][gram]) if gram >= 0 else result * float(self.backoff[n - 1][number])
        return result

    def score(self, sentences: Sentences) -> Values:
        text = self.counts.encode(sentences)
        found = self.counts.find(text)
        result = np.asarray(self.probability[0], dtype=float)[text]
        for n in range(2, self.order + 1):
            context = np.roll(found[n - 2], 1)
            context[text == len(self.vocabulary)] = -1
            at = np.flatnonzero(context >= 0)
            gram = found[n - 1][at]
            result[at] = np.where(
                gram >= 0, self.probability[n - 1][gram], result[at] * self.backoff[n - 1][context[at]]
            )
        with np.errstate(divide="ignore"):
            logarithms: Values = np.log(result[text != len(self.vocabulary)])
        return logarithms


class RowModel(LanguageModel):
    """A model given by one rule that makes the distribution after a context from that after a shorter one.

    `rule(row, lower)`: row [V] says how often each event follows the context, lower [V] is the distribution after the
    context without its oldest word; below the empty context all events are equally likely.
    """

    def __init__(self, counts: NgramCounts, rule: Callable[[Numbers, Values], Values], name: str = "") -> None:
        self.counts, self.rule, self.name = counts, rule, name
        self.order, self.vocabulary = counts.order, counts.vocabulary
        self._known: dict[Context, Values] = {}

    def context_distribution(self, context: Sequence[str]) -> Values:
        context = self.normal(context)
        if context in self._known:
            return self._known[context]
        V = len(self.vocabulary)
        lower = self.context_distribution(context[1:]) if context else np.full(V, 1 / V)
        distribution = np.asarray(self.rule(self.counts.row(context), lower), dtype=float)
        if len(context) + 1 < self.order:  # these are asked again and again; the longest would fill the memory
            self._known[context] = distribution
        return distribution


def kneser_ney(sentences: Sentences, order: int, vocabulary: Sequence[str] | None = None) -> BackoffModel:
    """Modified Kneser-Ney (S. Chen and J. Goodman, 1998), counted from sentences without `<s>` and `</s>`.

    The discounts of an order are estimated from its own counts of counts; where these do not allow it, they are 1/2, 1
    and 3/2. Below the 1-grams stands the uniform distribution over the vocabulary.
    """
    counts = NgramCounts(sentences, order, vocabulary)
    probability, backoff = [], []
    below = np.array([1 / len(counts.vocabulary)])
    for n, level in enumerate(counts.levels, start=1):
        seen = level["count" if n == order else "left"]
        discount = _discounts(seen)[np.minimum(seen, 3)]
        total = np.bincount(level["context"], seen, len(below))
        freed = np.bincount(level["context"], discount, len(below))
        rest = np.divide(freed, total, out=np.ones(len(below)), where=total > 0)
        below = (seen - discount) / total[level["context"]] + rest[level["context"]] * below[level["shorter"]]
        probability.append(below)
        backoff.append(rest)
    return BackoffModel(counts, probability, backoff, "modified Kneser-Ney")


def _discounts(seen: Numbers) -> Values:
    """What a count of 0, 1, 2, and 3 or more loses, shape [4]."""
    once, twice, thrice, four = (int(np.count_nonzero(seen == c)) for c in (1, 2, 3, 4))
    if once and twice and thrice:
        share = once / (once + 2 * twice)
        lost = np.array([0, share, 2 - 3 * share * thrice / twice, 3 - 4 * share * four / thrice])
        if lost.min() >= 0:
            return lost
    return np.array([0, 0.5, 1, 1.5])
