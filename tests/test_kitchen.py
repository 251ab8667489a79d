"""The kitchen language: its probabilities are exact, its derivations recoverable, its data unchanged."""

import hashlib
import math
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict

import independent_reader
import pytest

import lmkit
from lmkit import kitchen
from lmkit.kitchen import frozen, grammar, words
from lmkit.kitchen.oracle import joint_next_words
from lmkit.kitchen.rates import RATES
from lmkit.kitchen.tables import PhraseBook, Table, inflect, listed, plural


@pytest.fixture(scope="module")
def some() -> list[kitchen.Document]:
    return kitchen.documents(500, seed=2024)


@pytest.fixture(scope="module")
def many() -> list[kitchen.Document]:
    return kitchen.documents(tokens=200_000, seed=7)


def test_prefix(some):
    """At any prefix the true next-word distribution sums to 1 and holds the sampled word's probability."""
    dice = random.Random(3)
    for _ in range(300):
        document = dice.choice(some)
        position = dice.randrange(len(document))
        joint = joint_next_words(document.tokens[:position])
        prefix = math.exp(math.fsum(document.log_probabilities[:position]))
        assert math.fsum(joint.values()) / prefix == pytest.approx(1.0, abs=1e-9), (
            f"a choice is made before a word reveals it: {document.tokens[:position]}"
        )
        word = document.tokens[position]
        exact = document.log_probabilities[position]
        assert math.log(joint[word] / prefix) == pytest.approx(exact, abs=1e-9)


def test_distribution_is_normalised_and_refuses_nonsense(some):
    document = some[0]
    distribution = kitchen.next_word_distribution(document.tokens[:12])
    assert math.fsum(distribution.values()) == pytest.approx(1.0, abs=1e-12)
    assert min(distribution.values()) > 0.0
    assert kitchen.next_word_distribution(document.tokens[:-1]) == {"</s>": 1.0}
    with pytest.raises(ValueError, match="starts with these words"):
        kitchen.next_word_distribution(["finally"])


def test_next_words_are_those_of_the_exhaustive_search(some):
    dice = random.Random(8)
    for _ in range(100):
        document = dice.choice(some)
        prefix = document.tokens[: dice.randrange(len(document))]
        joint = joint_next_words(prefix)
        total = math.fsum(joint.values())
        found = kitchen.next_word_distribution(prefix)
        assert found == pytest.approx({word: value / total for word, value in joint.items()}, rel=1e-11)
    for wrong in ([*some[0].tokens[:12], "finally", "the"], some[0].tokens, ["", ""]):
        with pytest.raises(ValueError, match="starts with these words"):
            kitchen.next_word_distribution(wrong)


@pytest.mark.parametrize("read", [kitchen.read, independent_reader.read])
def test_readers_recover_every_derivation(some, read):
    for document in some:
        reading = read(document.tokens)
        assert reading.choices == document.choices
        assert reading.tags == document.tags
        assert reading.log_probability == pytest.approx(document.log_probability, abs=1e-9)
        assert reading.log_probabilities == pytest.approx(document.log_probabilities, abs=1e-12)


def test_readers_agree_on_changed_texts(some):
    """A word is put in another's place, left out or put in: both find the same texts to be of the language."""
    dice, still = random.Random(12), 0
    for _ in range(6000):
        tokens = list(dice.choice(some).tokens)
        at, word = dice.randrange(len(tokens)), dice.choice(dice.choice(some).tokens)
        tokens[at : at + 1] = dice.choice(([word], [word], [], [tokens[at], word]))
        readings = []
        for read in (kitchen.read, independent_reader.read):
            try:
                readings.append(read(tokens))
            except kitchen.NotKitchen:
                readings.append(None)
        found, other = readings
        assert (found is None) == (other is None), tokens
        if found and other:
            still += 1
            assert (found.tags, found.choices) == (other.tags, other.choices)
            assert found.log_probabilities == pytest.approx(other.log_probabilities, abs=1e-12)
    assert still > 30


def test_exactly_one_derivation(some):
    for document in some[:60]:
        found = kitchen.derivations(document.tokens)
        assert len(found) == 1
        log_probability, choices, tags = found[0]
        assert log_probability == pytest.approx(document.log_probability, abs=1e-9)
        assert choices == document.choices
        assert tags == document.tags


def test_independent_reader_shares_no_rules_with_the_grammar():
    names = {value.__module__ for value in vars(independent_reader).values() if hasattr(value, "__module__")}
    assert not names & {
        "lmkit.kitchen.grammar",
        "lmkit.kitchen.sampler",
        "lmkit.kitchen.oracle",
    }


def test_reader_refuses_a_broken_text(some):
    for document in some[:50]:
        tokens = list(document.tokens)
        with pytest.raises(kitchen.NotKitchen):
            kitchen.read(tokens[:-1])
        with pytest.raises(kitchen.NotKitchen):
            kitchen.read([*tokens, "the"])
        tokens[tokens.index(".")] = "spoon"
        with pytest.raises(kitchen.NotKitchen):
            kitchen.read(tokens)


def test_reader_refuses_a_fourth_guest(many):
    """Three guests are known, and a sentence begins with another name and surname."""
    for document in many:
        names = [
            (w, t)
            for w, t in zip(document.tokens, document.tags, strict=True)
            if w in words.FIRST_NAMES and t == "PROPN"
        ]
        for at, mark in enumerate(document.tokens[:-3]):
            first, last = document.tokens[at + 1 : at + 3]
            known = {name for name, _ in names if name in document.tokens[:at]}
            if mark == "." and len(known) == 3 and first in known and last in words.SURNAMES:
                tokens = list(document.tokens)
                tokens[at + 1] = next(name for name in words.FIRST_NAMES.words if name not in tokens)
                tokens[at + 2] = next(name for name in words.SURNAMES.words if name not in tokens)
                with pytest.raises(kitchen.NotKitchen, match=r"token \d+: .* cannot stand here"):
                    kitchen.read(tokens)
                return
    raise AssertionError("no story to try it on")


def test_same_seed_same_text():
    assert kitchen.documents(5, seed=1) == kitchen.documents(5, seed=1)
    assert kitchen.documents(5, seed=1) != kitchen.documents(5, seed=2)
    text = "\n".join(" ".join(document.tokens) for document in kitchen.documents(20, seed=1))
    frozen_text = (frozen.FOLDER / "train.txt").read_text(encoding="utf-8").splitlines()[:20]
    assert text.splitlines() == frozen_text, "the frozen split is not what this generator makes"


def test_generation_is_fast():
    """CPU time, since other tests run meanwhile."""
    begin = time.process_time()
    size = sum(map(len, kitchen.documents(tokens=50_000, seed=5)))
    assert 1_000_000 / size * (time.process_time() - begin) < 60


def test_frozen_split_is_unchanged_and_tagged():
    for line in (frozen.FOLDER / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split()
        assert hashlib.sha256((frozen.FOLDER / name).read_bytes()).hexdigest() == digest
    assert sum(path.stat().st_size for path in frozen.FOLDER.iterdir()) < 3_000_000
    for name in ("train", "valid", "test"):
        documents = kitchen.split(name)
        assert all(len(document.tokens) == len(document.tags) for document in documents)
        assert [kitchen.read(d.tokens).tags for d in documents[:50]] == [d.tags for d in documents[:50]]
    with pytest.raises(ValueError, match="choose one of: train, valid, test"):
        kitchen.split("dev")


def test_loading_takes_under_a_second():
    code = "import time; from lmkit import kitchen; t = time.process_time(); kitchen.split('train'); "
    code += "print(time.process_time() - t)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1.0


def test_floor(some):
    floor = kitchen.floor(some)
    surprisal = -sum(document.log_probability for document in some)
    assert floor.tokens == sum(map(len, some))
    assert floor.nats == pytest.approx(surprisal / floor.tokens)
    assert floor.perplexity == pytest.approx(2**floor.bits)
    assert 0.0 < floor.nats_error < 0.05
    assert "perplexity" in str(floor)


def test_the_characters_of_a_split_cost_what_its_words_cost():
    nats = kitchen.nats_of_characters("valid")
    text = lmkit.load("kitchen").in_unit("character").splits["valid"]
    assert len(nats) == sum(len("".join(part)) for part in text)
    floor = kitchen.floor("valid")
    assert nats.sum() == pytest.approx(floor.nats * floor.tokens)
    first = kitchen.split("valid")[0].tokens[0]
    assert nats[: len(first) + 1] == pytest.approx([nats[0]] * (len(first) + 1))


def test_floor_from_text_alone_agrees(some):
    bare = [kitchen.Document(d.tokens, d.tags) for d in some]
    assert kitchen.floor(bare).nats == pytest.approx(kitchen.floor(some).nats, abs=1e-12)


def test_floor_with_unknown_words(some):
    """Merging words can only lower the entropy; a full vocabulary changes nothing."""
    everything = {word for document in some for word in document.tokens}
    assert kitchen.floor(some, everything).nats == kitchen.floor(some).nats
    known = everything - set(words.SPICES.words) - set(words.VILLAGES.words)
    merged = kitchen.floor(some, known)
    assert merged.nats < kitchen.floor(some).nats
    for document in some[:30]:
        for before, after, word in zip(
            document.log_probabilities,
            kitchen.log_probabilities(document, known),
            document.tokens,
            strict=True,
        ):
            assert after == before if word in known else after >= before - 1e-12


def test_documents_have_four_to_eight_sentences(some):
    sizes = Counter(sum(1 for word in document.tokens if word == ".") for document in some)
    assert set(sizes) == {4, 5, 6, 7, 8}
    assert all(document.tokens[-1] == "</s>" for document in some)


def test_vocabulary_has_a_tail(many):
    """800 to 2,000 types, some words only once, and some in a test text that training never showed."""
    counts = Counter(word for document in many for word in document.tokens)
    assert 800 < len(counts) < 2000
    assert sum(1 for count in counts.values() if count == 1) > 50
    train = {word for document in many[: len(many) // 2] for word in document.tokens}
    test = {word for document in many[len(many) // 2 :] for word in document.tokens}
    assert len(test - train) > 20


def test_ambiguous_words_are_common(many):
    tags: dict[str, Counter[str]] = defaultdict(Counter)
    for document in many:
        for word, tag in zip(document.tokens, document.tags, strict=True):
            tags[word][tag] += 1
    total = sum(sum(counts.values()) for counts in tags.values())
    ambiguous = [counts for counts in tags.values() if len(counts) > 1]
    assert sum(sum(counts.values()) for counts in ambiguous) / total > 0.15
    for word in listed("cook can order drink water plan dance rest work that to before open"):
        assert len(tags[word]) > 1, f"{word} should be ambiguous"


def test_dishes_are_recalled_often(many):
    size = sum(map(len, many))
    recalled = sum(1 for d in many for mark in d.marks if mark.kind.startswith("recall"))
    assert recalled / size * 1000 > 3.0


@pytest.mark.parametrize("kind", ["agreement", "companion", "copying", "ambiguous tags"])
def test_probes_ask_sensible_questions(kind):
    asked = kitchen.probes(kind, tokens=20_000, seed=13)
    assert len(asked) > 50
    for probe in asked:
        word = probe.document.tokens[probe.position]
        assert probe.prefix == probe.document.tokens[: probe.position]
        assert not set(probe.right) & set(probe.wrong)
        if kind == "ambiguous tags":
            assert probe.right == (probe.document.tags[probe.position],)
            continue
        assert word in probe.right
        assert probe.distance >= 1
        if kind == "copying":
            assert probe.document.tokens[probe.position - probe.distance] == word


def test_agreement_probes_are_decided_by_the_grammar():
    """The wrong number has probability zero (or is another choice of another noun: never here)."""
    for probe in kitchen.probes("agreement", tokens=3_000, seed=13):
        truth = kitchen.next_word_distribution(probe.prefix)
        assert probe.right[0] in truth
        assert all(wrong not in truth for wrong in probe.wrong)


def test_unknown_probe():
    with pytest.raises(ValueError, match="choose one of: agreement"):
        kitchen.probes("rhyme")


def test_readable(some):
    text = some[0].text
    assert text[0].isupper()
    assert text.endswith(".")
    assert " ." not in text
    assert kitchen.readable(["the", "cook", "said", ",", "“", "i", "can", "”", "."]) == ("The cook said, “I can”.")


def test_words():
    assert [plural(x) for x in ("dish", "cherry", "child", "spoon")] == [
        "dishes",
        "cherries",
        "children",
        "spoons",
    ]
    assert [inflect("chop", f) for f in ("base", "third", "past")] == ["chop", "chops", "chopped"]
    for table in (value for value in vars(words).values() if isinstance(value, Table)):
        assert math.fsum(table.probabilities) == pytest.approx(1.0)
    assert set(RATES["guest does"]) == {
        name.removeprefix("do_").replace("_", " ") for name in dir(grammar.Grammar) if name.startswith("do_")
    }


def test_phrase_book_refuses_a_phrase_inside_another():
    with pytest.raises(ValueError, match="goes on"):
        PhraseBook({"in/ADP the/DET hall/NOUN": 1, "in/ADP the/DET": 1})


def test_documents_needs_one_size():
    with pytest.raises(ValueError, match="either"):
        kitchen.documents()
