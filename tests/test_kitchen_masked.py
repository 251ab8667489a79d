"""Blanks of the kitchen language: the masked distribution against brute force, its floor, its edges."""

import math
import random
from collections.abc import Iterable, Sequence

import pytest

from lmkit import kitchen
from lmkit.kitchen import masked, words
from lmkit.kitchen.oracle import derivations, joint_next_words
from lmkit.kitchen.tables import PhraseBook, Table, VerbTable

CLOSE = 1e-10


@pytest.fixture(scope="module")
def short() -> list[kitchen.Document]:
    """Stories of four sentences: the grammar's own search through all derivations is quick on them."""
    return [d for d in kitchen.documents(400, seed=17) if len(d) <= 52]


def brute_force(tokens: Sequence[str], place: int, candidates: Iterable[str]) -> dict[str, float]:
    """P(word | both sides) from the grammar alone: ln P of every story, summed over all derivations, normalised."""
    joint = {}
    for word in candidates:
        found = derivations([*tokens[:place], word, *tokens[place + 1 :]])
        if found:
            joint[word] = math.fsum(math.exp(value) for value, _, _ in found)
    total = math.fsum(joint.values())
    return {word: value / total for word, value in joint.items()}


def place_of(document: kitchen.Document, kind: str) -> int:
    return next((mark.position for mark in document.marks if mark.kind == kind), -1)


def agree(found: dict[str, float], expected: dict[str, float]) -> None:
    assert set(found) == set(expected)
    for word, probability in expected.items():
        assert math.log(found[word]) == pytest.approx(math.log(probability), abs=CLOSE), word


def everything() -> set[str]:
    """Every word of every table and of every frozen text."""
    found = {word for name in ("train", "valid", "test") for d in kitchen.split(name) for word in d.tokens}
    todo = [value for key, value in vars(words).items() if not key.startswith("_")]
    while todo:
        value = todo.pop()
        if isinstance(value, Table):
            found.update(value.words)
        elif isinstance(value, VerbTable):
            todo += value.forms.values()
        elif isinstance(value, PhraseBook):
            todo += [value.table, *value.after.values()]
        elif isinstance(value, dict):
            todo += value.values()
    return found


def test_brute_force_at_random_places(short):
    """The words that may follow the left side are all there are; each is scored through the whole grammar."""
    dice = random.Random(1)
    tried = 0
    while tried < 25:
        document = dice.choice(short)
        place = dice.randrange(len(document))
        fit = joint_next_words(document.tokens[:place])
        if len(fit) > 60:
            continue
        story = kitchen.Story(document.tokens)
        assert story.candidates(place) == set(fit)
        agree(story.distribution(place), brute_force(document.tokens, place, fit))
        tried += 1


def test_brute_force_over_the_whole_vocabulary(short):
    """At one place every word of the language is tried, also those that nothing before the blank allows."""
    vocabulary = everything()
    assert len(vocabulary) > 2500
    document = next(d for d in short if d.tokens[0] == "on")
    for place in (2, 0):
        agree(masked.masked_distribution(document.tokens, place), brute_force(document.tokens, place, vocabulary))


@pytest.mark.parametrize(
    "kind",
    [
        "agreement",
        "agreement, attracted",
        "companion",
        "copy: first guest",
        "copy: surname",
        "copy: house, first word",
        "copy: town",
        "copy: dish, second word",
        "recall: dish of the guest",
        "recall: guest of the dish",
        "quote",
        "closing mark",
        "tag: before, after",
        "tag: to, after taking",
    ],
)
def test_brute_force_where_memory_decides(kind):
    document = min((d for d in kitchen.documents(300, seed=23) if place_of(d, kind) >= 0), key=len)
    place = place_of(document, kind)
    found = kitchen.masked_distribution(document.tokens, place)
    fit = joint_next_words(document.tokens[:place])
    agree(found, brute_force(document.tokens, place, fit))
    if kind.startswith(("copy: town", "copy: house", "quote", "closing", "copy: first")):
        assert found == {document.tokens[place]: 1.0}


def test_brute_force_where_a_name_is_new(short):
    """The first time a name is said: every other name is possible, unless the rest of the story says it again."""
    dice = random.Random(4)
    several = next(d for d in short if any(place == "new guest, 1 known" and o == "yes" for place, o in d.choices))
    for place in (
        (several.tokens.index(",", 0) if several.tokens[0] == "on" else -1) + 1,
        several.tokens.index("in") + 1,
    ):
        fit = set(joint_next_words(several.tokens[:place]))
        agree(kitchen.masked_distribution(several.tokens, place), brute_force(several.tokens, place, fit))
    free = 0
    for document in dice.sample(short, 20):
        place = (document.tokens.index(",") if document.tokens[0] == "on" else -1) + 2  # the first surname
        found = kitchen.masked_distribution(document.tokens, place)
        free += len(found) > 10
        said_again = document.tokens[place] in document.tokens[place + 1 :]
        if not said_again:
            assert len(found) > 10
        some = dice.sample(sorted(found), min(4, len(found)))
        ratios = brute_force(document.tokens, place, some)
        total = math.fsum(found[word] for word in some)
        agree({word: found[word] / total for word in some}, ratios)
    assert free > 2


def test_words_that_nothing_tells_apart():
    """The spices that are scored once for all keep the proportions of their table, and its share of the rest."""
    document = next(d for d in kitchen.documents(200, seed=5) if "pinch" in d.tokens)
    place = document.tokens.index("pinch") + 2
    found = kitchen.masked_distribution(document.tokens, place)
    assert set(found) == set(words.SPICES.words)
    for word, probability in found.items():
        assert probability == pytest.approx(words.SPICES.probability(word), rel=1e-12)
    joint = kitchen.Story(document.tokens).log_joint(place)
    for word in [*joint][::300]:
        changed = [*document.tokens[:place], word, *document.tokens[place + 1 :]]
        assert [joint[word]] == pytest.approx([value for value, _, _ in derivations(changed)], abs=CLOSE)


def test_alike_words_stand_in_no_other_table():
    for alike in masked._ALIKE:
        others = [t for t in vars(words).values() if isinstance(t, Table) and t is not alike]
        assert not any(word in other for other in others for word in alike.words)


def test_a_distribution_of_all_that_fits(short):
    """It sums to one, the most probable word comes first, and the word in the blank changes nothing."""
    dice = random.Random(9)
    for document in short[:12]:
        story = kitchen.Story(document.tokens)
        for place in range(len(document)):
            found = story.distribution(place)
            assert math.fsum(found.values()) == pytest.approx(1.0, abs=1e-12)
            assert [*found.values()] == sorted(found.values(), reverse=True)
            assert min(found.values()) > 0.0
            assert document.tokens[place] in found
        place = dice.randrange(len(document))
        other = dice.choice(sorted(story.distribution(place)))
        changed = [*document.tokens[:place], other, *document.tokens[place + 1 :]]
        agree(kitchen.masked_distribution(changed, place), story.distribution(place))
        assert story.log_joint(place)[other] == pytest.approx(kitchen.read(changed).log_probability, abs=CLOSE)


def test_a_full_stop_may_be_a_word_in_the_middle():
    """The cook rests [before, after, .] the guests sing. The blank decides how many sentences there are."""
    for document in kitchen.documents(150, seed=31):
        story = kitchen.Story(document.tokens)
        for place, word in enumerate(document.tokens):
            if word in words.TIME_WORDS and "." in story.distribution(place):
                split = [*document.tokens[:place], ".", *document.tokens[place + 1 :]]
                assert split.count(".") == 1 + document.tokens.count(".")
                for tokens in (document.tokens, split):
                    found = kitchen.masked_distribution(tokens, place)
                    assert {".", "before", "after"} <= set(found)
                    agree(found, brute_force(tokens, place, joint_next_words(tokens[:place])))
                return
    raise AssertionError("no blank could be a full stop or a word")


def test_the_end(short):
    tokens = short[0].tokens
    for back, word in ((1, "</s>"), (2, ".")):
        assert kitchen.masked_distribution(tokens, len(tokens) - back) == {word: 1.0}


def test_what_is_no_place_and_no_story(short):
    tokens = short[0].tokens
    for place in (-1, len(tokens)):
        with pytest.raises(IndexError, match="no place"):
            kitchen.masked_distribution(tokens, place)
    for broken in ([], tokens[:-1], [*tokens, "the"], ["[MASK]", *tokens[1:]], tokens[:20]):
        with pytest.raises(kitchen.NotKitchen):
            kitchen.Story(broken)


def test_log_probability_of_the_story(short):
    for document in short[:20]:
        assert kitchen.Story(document.tokens).log_probability == pytest.approx(document.log_probability, abs=CLOSE)


def test_pseudo_log_likelihood(short):
    """Knowing both sides helps on average; the sum is over single blanks and no probability of the text."""
    for document in short[:5]:
        each = kitchen.masked_log_probabilities(document.tokens)
        assert len(each) == len(document)
        assert max(each) <= 0.0
        assert kitchen.pseudo_log_likelihood(document.tokens) == pytest.approx(math.fsum(each))
        for place in (0, 7, len(document) - 1):
            truth = kitchen.masked_distribution(document.tokens, place)[document.tokens[place]]
            assert each[place] == pytest.approx(math.log(truth), abs=CLOSE)
        assert kitchen.pseudo_log_likelihood(document.tokens) > document.log_probability


def test_floor_of_some_blanks(short):
    documents = short[:8]
    filled = kitchen.blanks(documents)
    assert [(b.document, b.place) for b in filled] == [(i, p) for i, d in enumerate(documents) for p in range(len(d))]
    floor = kitchen.summary(filled)
    assert floor.tokens == len(filled)
    assert floor.nats == pytest.approx(
        -math.fsum(kitchen.pseudo_log_likelihood(d.tokens) for d in documents) / len(filled)
    )
    assert 0.0 < floor.nats_error < floor.nats < kitchen.floor(documents).nats
    assert 0.5 < floor.accuracy < 1.0
    assert 0.0 < floor.accuracy_error < 0.1
    assert "accuracy" in str(floor)
    best = [max(kitchen.masked_distribution(documents[b.document].tokens, b.place).values()) for b in filled[::20]]
    assert [b.best for b in filled[::20]] == pytest.approx(best, abs=1e-12)

    some = kitchen.blanks(documents, 50, seed=1)
    assert len(set(some)) == 50
    assert set(some) <= set(filled)
    assert some == kitchen.blanks(documents, 50, seed=1) != kitchen.blanks(documents, 50, seed=2)
    assert kitchen.masked_floor(documents, 50, seed=1) == kitchen.summary(some)
    assert kitchen.masked_floor(documents, None) == floor
    assert kitchen.masked_floor("valid", 20).tokens == 20


def test_floor_with_unknown_words(short):
    """Words outside the vocabulary are one word: its probability is the sum of theirs."""
    documents = short[:6]
    known = {word for d in documents for word in d.tokens} - set(words.SURNAMES.words)
    merged, exact = kitchen.blanks(documents, None, 0, known), kitchen.blanks(documents)
    for one, other in zip(merged, exact, strict=True):
        word = documents[one.document].tokens[one.place]
        truth = kitchen.masked_distribution(documents[one.document].tokens, one.place)
        outside = math.fsum(p for w, p in truth.items() if w not in known)
        assert math.exp(one.log_probability) == pytest.approx(truth[word] if word in known else outside, rel=1e-9)
        assert one.best == pytest.approx(max([outside, *(p for w, p in truth.items() if w in known)]), rel=1e-9)
        assert one.log_probability >= other.log_probability - 1e-12
    assert kitchen.summary(merged).nats < kitchen.summary(exact).nats
