"""Counting n-grams in arrays against counting them one by one, and the base class of all models."""

import math
import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks import ngrams as benchmark
from lmkit import ngrams
from lmkit.ngrams import BackoffModel, LanguageModel, NgramCounts, RowModel


def random_text(seed: int, words: str = "aaabbcd", sentences: int = 40) -> list[list[str]]:
    dice = random.Random(seed)
    return [dice.choices(words, k=dice.randint(0, 7)) for _ in range(sentences)]


def one_by_one(text: Sequence[Sequence[str]], n: int) -> Counter[tuple[str, ...]]:
    grams: Counter[tuple[str, ...]] = Counter()
    for sentence in text:
        words = ["<s>", *sentence, "</s>"]
        grams.update(tuple(words[i - n + 1 : i + 1]) for i in range(max(1, n - 1), len(words)))
    return grams


def spelled(counts: NgramCounts, n: int) -> list[tuple[str, ...]]:
    """The n-grams of one length as words, read through `context`."""
    names = [*counts.vocabulary, "<s>"]
    before = spelled(counts, n - 1) if n > 1 else [()]
    return [(*before[h], names[w]) for h, w in zip(counts[n]["context"], counts[n]["word"], strict=True)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_arrays_agree_with_counting_one_by_one(seed: int, order: int) -> None:
    text = random_text(seed)
    counts = NgramCounts(text, order)
    for n in range(1, order + 1):
        wanted, grams, level = one_by_one(text, n), spelled(counts, n), counts[n]
        assert len(set(grams)) == len(grams)
        found = {gram: int(count) for gram, count in zip(grams, level["count"], strict=True) if count}
        assert found == dict(wanted)
        assert grams == sorted(grams, key=lambda gram: [counts.index[word] for word in gram])
        for gram, shorter in zip(grams, level["shorter"], strict=True):
            assert counts.number(gram[1:]) == shorter
        assert [counts.number(gram) for gram in grams] == list(range(len(grams)))
        if n == order:
            assert "left" not in level
            continue
        longer = one_by_one(text, n + 1)
        for gram, left in zip(grams, level["left"], strict=True):
            begins = gram[0] == "<s>"
            assert left == (wanted[gram] if begins else sum(other[1:] == gram for other in longer))


def test_find_gives_the_number_of_each_ngram_of_a_new_text() -> None:
    counts = NgramCounts(random_text(1), 4, [*"abcd", "<UNK>", "</s>"])
    new = random_text(2, "aabbce")
    text = counts.encode(new)
    found = counts.find(text)
    names = [*counts.vocabulary, "<s>"]
    for place, word in enumerate(text):
        since = next(i for i in range(place, -1, -1) if names[text[i]] == "<s>")
        for n in range(2, 5):
            gram = tuple(names[w] for w in text[max(since, place - n + 1) : place + 1])
            wanted = counts.number(gram) if len(gram) == n and names[word] != "<s>" else -1
            assert found[n - 1][place] == wanted


def test_rows_and_matrix() -> None:
    text = random_text(3)
    counts = NgramCounts(text, 3)
    pairs, triples = one_by_one(text, 2), one_by_one(text, 3)
    for h, row in zip([*counts.vocabulary, "<s>"], counts.matrix(), strict=True):
        assert row.tolist() == [pairs[h, w] for w in counts.vocabulary] == counts.row((h,)).tolist()
    assert counts.row(("<s>", "a")).tolist() == [triples["<s>", "a", w] for w in counts.vocabulary]
    assert not counts.row(("</s>", "a")).any()
    assert counts.row(()).sum() == sum(len(sentence) + 1 for sentence in text)


def test_keys_too_long_for_packing_are_sorted_all_the_same() -> None:
    keys = np.random.default_rng(0).integers(1 << 61, 1 << 62, 500) // 7 * 7
    keys[250:] = keys[:250]
    found, order = ngrams._sort(keys)
    assert np.array_equal(found, np.sort(keys))
    assert np.array_equal(keys[order], found)


def test_unknown_words_and_sentences_that_are_empty() -> None:
    counts = NgramCounts([["a"], []], 2)
    assert counts.vocabulary == ["a", "<UNK>", "</s>"]
    assert counts.encode([["z"], []]).tolist() == [3, 1, 2, 3, 2]
    assert counts.row(("<s>",)).tolist() == [1, 0, 1]
    with pytest.raises(KeyError, match="not in the vocabulary"):
        NgramCounts([["a"]], 1, ["</s>"])


@pytest.mark.parametrize(
    ("vocabulary", "order", "message"),
    [(["a"], 1, "belongs to it"), (["a", "<s>", "</s>"], 1, "does not"), (["a", "</s>"], 0, "at least one word")],
)
def test_what_cannot_be_counted_is_said(vocabulary: list[str], order: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NgramCounts([["a"]], order, vocabulary)


@pytest.mark.parametrize("vocabulary", [None, ["a", "<UNK>", "</s>"]])
@pytest.mark.parametrize("symbol", ["<s>", "</s>"])
def test_sentences_come_without_boundaries(vocabulary: list[str] | None, symbol: str) -> None:
    with pytest.raises(ValueError, match="without <s> and </s>"):
        NgramCounts([["a", symbol]], 2, vocabulary)


def test_events_by_count() -> None:
    text = [["b", "a", "b"], ["c", "<UNK>"], ["c"]]
    assert ngrams.events(text) == ["a", "b", "c", "<UNK>", "</s>"]
    assert ngrams.events(text, 2) == ["b", "c", "<UNK>", "</s>"]


class Coin(LanguageModel):
    order, vocabulary = 3, ["a", "<UNK>", "</s>"]

    def prob(self, word: str, context: Sequence[str]) -> float:
        if context == ("<s>",):
            return {"a": 1.0}.get(word, 0.0)
        return 0.5 if word in ("a", "</s>") else 0.0


def test_base_class_on_a_model_given_by_prob() -> None:
    model = Coin()
    assert model.normal(("<s>", "<s>", "z", "a")) == ("<UNK>", "a")
    assert model.normal(("<s>", "<s>")) == ("<s>",)
    assert model.context_distribution(("a",)).tolist() == [0.5, 0, 0.5]
    assert np.allclose(model.score([["a", "a"], ["a"]]), np.log([1, 0.5, 0.5, 1, 0.5]))
    assert math.isclose(model.perplexity([["a", "a"], ["a"]]), 2 ** (3 / 5))
    assert model.perplexity([["z"]]) == math.inf
    assert model.mass([("<s>", "<s>"), ("a",)]).tolist() == [1, 1]


def test_mass_does_not_hide_what_is_negative() -> None:
    class Broken(Coin):
        def context_distribution(self, context: Sequence[str]) -> np.ndarray:
            return np.array([1.5, -0.5, 0.0])

    assert math.isnan(Broken().mass([()])[0])


def kneser_ney(text: list[list[str]], order: int) -> BackoffModel:
    counts = NgramCounts(text, order)
    tables = benchmark.reference()["kneser_ney"](counts.levels, len(counts.vocabulary))
    return BackoffModel(counts, *zip(*tables, strict=True))


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_fast_score_single_probabilities_and_distributions_are_the_same(order: int) -> None:
    model = kneser_ney(random_text(5), order)
    new = random_text(6, "aabbcde")
    assert np.allclose(model.score(new), LanguageModel.score(model, new), rtol=1e-12, atol=0)
    for context in [(), ("<s>",), ("a",), ("a", "b"), ("z", "a"), ("<s>", "<s>", "a"), ("a", "b", "a", "a", "b")]:
        distribution = model.context_distribution(context)
        assert math.isclose(distribution.sum(), 1, rel_tol=1e-12)
        assert np.allclose([model.prob(word, context) for word in model.vocabulary], distribution, rtol=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("words", ["aaabbcd", "abcdefghijklmnopqrst", "ab"])
def test_the_library_s_kneser_ney_is_that_of_chapter_02(order: int, words: str) -> None:
    text, new = random_text(8, words), random_text(9, words)
    for known in (None, [*"abz", "<UNK>", "</s>"]):
        counts = NgramCounts(text, order, known)
        tables = benchmark.reference()["kneser_ney"](counts.levels, len(counts.vocabulary))
        taught = BackoffModel(counts, *zip(*tables, strict=True))
        model = ngrams.kneser_ney(text, order, known)
        assert np.allclose(model.score(new), taught.score(new), rtol=1e-12, atol=0)
        assert np.allclose(model.mass([(), ("a",), ("a", "b")]), 1)


def test_row_model_is_the_rule_applied_from_the_bottom() -> None:
    text = random_text(7)

    def rule(row: np.ndarray, lower: np.ndarray) -> np.ndarray:
        return (row + 2 * lower) / (row.sum() + 2)

    model = RowModel(NgramCounts(text, 2), rule)
    words, pairs = one_by_one(text, 1), one_by_one(text, 2)
    V = len(model.vocabulary)
    below = (words["b",] + 2 / V) / (words.total() + 2)
    n = sum(count for pair, count in pairs.items() if pair[0] == "a")
    assert math.isclose(model.prob("b", ("a",)), (pairs["a", "b"] + 2 * below) / (n + 2))
    assert np.allclose(model.mass([("a",), ("<s>",), ("z",)]), 1)


def test_order_of_characters_is_usable() -> None:
    text = [list("the cat sat on the mat"), list("the cat ate the rat")] * 5
    model = kneser_ney(text, 8)
    assert model.perplexity([list("the cat sat")]) < 2
    assert np.allclose(model.mass([("t", "h", "e"), tuple("qqq")]), 1)


# What KenLM 0.3.0 prints for the text below (`lmplz --discount_fallback`, `query -v summary`, by `benchmark.kenlm`): it
# has no Debian package, so its figures are kept here. `benchmarks/ngrams.py --kenlm FOLDER` runs it on larger texts.
@pytest.mark.parametrize(("order", "kenlm"), [(2, 821.5541038617336), (3, 821.4745735940178), (5, 831.3295018587527)])
def test_perplexity_of_kenlm(order: int, kenlm: float) -> None:
    text = benchmark.made_text(30_000)
    train, test = text[:-100], text[-100:]
    known = {word for sentence in train for word in sentence}
    test = [[word if word in known else sentence[0] for word in sentence] for sentence in test if sentence[0] in known]
    assert math.isclose(kneser_ney(train, order).perplexity(test), kenlm, rel_tol=1e-6)
