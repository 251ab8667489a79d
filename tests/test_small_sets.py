"""The parallel corpus and the retrieval collection: frozen as generated, and true to what their datasheets say."""

import math
from collections import Counter
from pathlib import Path

import pytest

from lmkit import retrieval, translation

PAIRS = {split: translation.split(split) for split in translation.SPLITS}


# ---- translation ----


def test_the_frozen_pairs_are_what_the_generator_writes(tmp_path: Path) -> None:
    translation.write(tmp_path)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (translation.FOLDER / path.name).read_bytes(), path.name


def test_splits_have_their_sizes_and_share_no_source() -> None:
    sources = {split: {" ".join(source) for source in PAIRS[split][0]} for split in PAIRS}
    assert {split: len(found) for split, found in sources.items()} == translation.SPLITS
    assert not sources["train"] & sources["test"] and not sources["train"] & sources["valid"]
    known = {word for source in PAIRS["train"][0] for word in source}
    assert {word for source in PAIRS["test"][0] for word in source} <= known
    known = {word for target in PAIRS["train"][1] for word in target}
    unseen = [word for target in PAIRS["test"][1] for word in target if word not in known]
    assert len(unseen) < 0.02 * sum(map(len, PAIRS["test"][1]))


def test_every_frozen_target_is_a_valid_translation_and_most_have_rivals() -> None:
    sources, targets = PAIRS["test"]
    counts = []
    for source, target in zip(sources, targets, strict=True):
        assert translation.is_translation(source, target), " ".join(source)
        counts.append(len(translation.references(source)))
    assert sum(count > 1 for count in counts) > 0.9 * len(counts)
    assert max(counts) < 500


def words(text: str) -> list[str]:
    return text.split()


def test_references_of_a_sentence_that_was_translated_by_hand() -> None:
    # Two words for soup, of different class; two words for like; two orders.
    expected = {
        f"{order} {verb}"
        for soup in ("supen ta", "borel to")
        for verb in ("amara", "pleta")
        for order in (f"torel to {soup} ne", f"{soup} ne torel to")
    }
    found = translation.references(words("the waiter likes the soup"))
    assert {" ".join(target) for target in found} == expected
    assert len(found) == len(expected)


def test_an_ambiguous_source_has_the_translations_of_both_readings() -> None:
    found = {" ".join(target) for target in translation.references(words("you slept"))}
    assert found == {"dormis", "ti dormis", "dormisu", "tis dormisu"}


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("an old doctor helped the children", "medur vedo po pineten tas ne ajudi"),
        ("she does not drink the cold tea", "shai frida ta ne ve bevera"),
        ("the guests give the cook a spoon", "mivonen tas lushak pa ne kubar to lu donan"),
        ("the guests give a spoon to the cook", "lushak pa ne mivonen tas kubar to lu donan"),
        ("did the singers wait", "kanvelen tas atendin ka"),
        ("the waiter who knows the baker is tired", None),
        ("the waiter who knew the baker greets you", None),
        ("we are happy today", "hode mas gaios damu"),
        ("two plates were red in the garden", "orsun to mek dul tavelen rubas din"),
        ("a cook who broke the plates laughs", "tavelen tas ne rompi ri kubar po riluna"),
    ],
)
def test_translations_by_hand(source: str, target: str | None) -> None:
    if target is None:
        with pytest.raises(ValueError, match="not in the language"):
            translation.is_translation(words(source), [])
    else:
        assert translation.is_translation(words(source), words(target))


@pytest.mark.parametrize(
    ("fault", "target"),
    [
        ("class of the adjective", "medur veda po pineten tas ne ajudi"),
        ("number of the article", "medur vedo po pineten ta ne ajudi"),
        ("number of the verb", "medur vedo po pineten tas ne ajudin"),
        ("tense of the verb", "medur vedo po pineten tas ne ajuda"),
        ("no object particle", "medur vedo po pineten tas ajudi"),
        ("who helps whom", "pineten tas medur vedo po ne ajudi"),
        ("verb not last", "medur vedo po ajudi pineten tas ne"),
        ("adjective before its noun", "vedo medur po pineten tas ne ajudi"),
        ("a word left out", "medur po pineten tas ne ajudi"),
        ("nothing", ""),
    ],
)
def test_each_fault_makes_a_translation_invalid(fault: str, target: str) -> None:
    source = words("an old doctor helped the children")
    assert translation.is_translation(source, words("pineten tas ne medur vedo po ajudi"))
    assert not translation.is_translation(source, words(target)), fault


def test_synonyms_keep_their_own_class() -> None:
    source = words("the hot soup is good")
    assert translation.is_translation(source, words("supen kalora ta bona da"))
    assert translation.is_translation(source, words("borel kaloro to bono da"))
    assert not translation.is_translation(source, words("borel kaloro to bona da"))


def test_english_outside_the_grammar_is_refused() -> None:
    for text in ("the waiter like the soup", "soup the likes waiter", "the teapot is red", ""):
        with pytest.raises(ValueError, match="not in the language"):
            translation.references(words(text))


def test_the_same_seed_gives_the_same_pairs() -> None:
    assert translation.pairs(50, seed=4) == translation.pairs(50, seed=4) != translation.pairs(50, seed=5)
    for source, target in translation.pairs(100, seed=9):
        assert translation.is_translation(source, target)


# ---- retrieval ----

COLLECTION = retrieval.frozen()


def test_the_frozen_collection_is_what_the_generator_writes(tmp_path: Path) -> None:
    retrieval.write(tmp_path)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (retrieval.FOLDER / path.name).read_bytes(), path.name
    assert retrieval.collection() == COLLECTION


def test_sizes_and_grades() -> None:
    assert len(COLLECTION.documents) == retrieval.DOCUMENTS
    assert len(COLLECTION.queries) == len(COLLECTION.relevance) == retrieval.QUERIES
    assert len({tuple(query) for query in COLLECTION.queries}) == retrieval.QUERIES
    for grades in COLLECTION.relevance:
        assert 2 in grades.values() and set(grades.values()) <= {1, 2}
        assert min(grades) >= 0 and max(grades) < len(COLLECTION.documents)
    known = {word for document in COLLECTION.documents for word in document}
    assert all(word in known for query in COLLECTION.queries for word in query)


def ranking(query: list[str], weight: float) -> list[int]:
    """Documents by query likelihood; `weight` of the document, the rest of the collection."""
    total = sum(map(len, COLLECTION.documents))
    scores = []
    for number, document in enumerate(COLLECTION.documents):
        probabilities = [
            weight * COUNTS[number][word] / len(document) + (1 - weight) * ALL[word] / total for word in query
        ]
        scores.append((sum(map(math.log, probabilities)) if all(probabilities) else -math.inf, -number))
    return [-number for _, number in sorted(scores, reverse=True)]


COUNTS = [Counter(document) for document in COLLECTION.documents]
ALL = Counter(word for document in COLLECTION.documents for word in document)


def mean_average_precision(weight: float) -> float:
    precisions = []
    for query, grades in zip(COLLECTION.queries, COLLECTION.relevance, strict=True):
        best = {number for number, grade in grades.items() if grade == 2}
        hits, found = 0, 0.0
        for rank, number in enumerate(ranking(query, weight), 1):
            if number in best:
                hits += 1
                found += hits / rank
        precisions.append(found / len(best))
    return sum(precisions) / len(precisions)


def test_smoothing_matters() -> None:
    lacking = sum(
        any(word not in COUNTS[number] for word in query)
        for query, grades in zip(COLLECTION.queries, COLLECTION.relevance, strict=True)
        for number, grade in grades.items()
        if grade == 2
    )
    assert lacking > 0.5 * sum(grade == 2 for grades in COLLECTION.relevance for grade in grades.values())
    unsmoothed, smoothed = mean_average_precision(1.0), mean_average_precision(0.3)
    assert smoothed > 1.5 * unsmoothed, (unsmoothed, smoothed)


def test_too_many_queries_for_too_few_documents_is_an_error() -> None:
    with pytest.raises(ValueError, match="too few"):
        retrieval.collection(documents=1, queries=200)
