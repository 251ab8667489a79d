"""Every embedded corpus behind the one interface: shapes, sums, loading times, figures."""

import hashlib
import json
import subprocess
import sys
from collections import Counter
from itertools import pairwise

import matplotlib
import pytest

import lmkit
from lmkit import berkeley, kitchen
from lmkit.corpora import EMBEDDED, NAMES, REAL, TOYS, ParallelCorpus, RetrievalCorpus
from lmkit.paths import DATA

matplotlib.use("Agg")

CORPORA = {name: lmkit.load(name) for name in EMBEDDED}


@pytest.mark.parametrize("name", EMBEDDED)
def test_shapes(name: str) -> None:
    corpus = CORPORA[name]
    assert corpus.name == name
    assert len(corpus.about) > 60 and "\n" not in corpus.about
    assert "train" in corpus.splits
    for parts in corpus.splits.values():
        assert parts and all(parts)
        assert all(isinstance(word, str) and word and word not in ("<s>", "</s>") for part in parts for word in part)
    assert corpus.vocabulary == sorted({word for part in corpus.splits["train"] for word in part})
    if corpus.tags is not None:
        assert list(corpus.tags) == list(corpus.splits)
        for split, parts in corpus.splits.items():
            assert [len(part) for part in corpus.tags[split]] == [len(part) for part in parts]
    with pytest.raises(ValueError, match="no split"):
        corpus.floor("trian")


def test_every_embedded_corpus_loads_within_a_second() -> None:
    program = (
        "import json, sys, time, lmkit; start = time.process_time(); lmkit.load(sys.argv[1]).vocabulary;"
        " print(json.dumps(time.process_time() - start))"
    )
    for name in EMBEDDED:
        times = []
        for _ in range(3):  # a fresh process each time; the machine may be busy once
            run = subprocess.run([sys.executable, "-c", program, name], capture_output=True, text=True, check=True)
            times.append(json.loads(run.stdout))
            if times[-1] < 1.0:
                break
        assert min(times) < 1.0, (name, times)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="berkeley, kitchen, translation") as error:
        lmkit.load("berkley")
    assert all(name in str(error.value) for name in NAMES)
    assert set(NAMES) == {*EMBEDDED, *REAL, "mine", "shakespeare"} and len(set(NAMES)) == len(NAMES)


def test_berkeley_has_the_fixed_split() -> None:
    train, test = berkeley.split()
    assert CORPORA["berkeley"].splits == {"train": train, "test": test}
    assert len(train) + len(test) == berkeley.SENTENCES
    seen = {tuple(sentence) for sentence in train}
    assert 0.35 < sum(tuple(sentence) in seen for sentence in test) / len(test) < 0.45, "as the datasheet says"


def test_the_floor_of_the_kitchen_is_the_languages_own() -> None:
    corpus = CORPORA["kitchen"]
    found, known = corpus.floor("valid"), kitchen.floor("valid")
    assert found is not None
    assert (found.nats, found.bits, found.perplexity) == (known.nats, known.bits, known.perplexity)
    assert found.tokens == sum(len(part) + 1 for part in corpus.splits["valid"]), "the end counts as a token"
    assert 0 < found.perplexity_error < 0.1 * found.perplexity


def test_translation_is_parallel() -> None:
    corpus = CORPORA["translation"]
    assert isinstance(corpus, ParallelCorpus)
    for split, sources in corpus.splits.items():
        assert len(sources) == len(corpus.targets[split])
    assert corpus.targets["valid"][0] in corpus.references("valid")[0]


def test_retrieval_has_queries_and_relevance() -> None:
    corpus = CORPORA["retrieval"]
    assert isinstance(corpus, RetrievalCorpus)
    for split in ("train", "test"):
        assert len(corpus.queries[split]) == len(corpus.relevance[split]) == 60
        assert all(max(grades) < len(corpus.splits["train"]) for grades in corpus.relevance[split])


def test_toy_house_gives_the_printed_figures() -> None:
    sentences = CORPORA["toy-house"].splits["train"]
    words = Counter(word for sentence in sentences for word in sentence)
    pairs = Counter(pair for sentence in sentences for pair in pairwise(sentence))
    assert (len(words), words.total()) == (15, 21)
    assert (pairs["we", "sat"], pairs["we", "wish"], words["we"]) == (2, 1, 6)
    assert (pairs["sat", "in"], words["sat"]) == (1, 2)


def test_toy_fox_has_two_sentences_that_a_bag_of_words_confuses() -> None:
    first, second, *_ = CORPORA["toy-fox"].splits["train"]
    assert sorted(first) == sorted(second) and first != second and len(first) == 9
    assert CORPORA["toy-fox"].tags["train"][0] != CORPORA["toy-fox"].tags["train"][1]


def test_the_other_toys_make_their_point() -> None:
    san = Counter(pair for s in CORPORA["toy-san"].splits["train"] for pair in pairwise(s))
    assert {first for first, second in san if second == "francisco"} == {"san"}
    assert len({first for first, second in san if second == "food"}) >= 4
    increase = CORPORA["toy-increase"]
    tags = {
        t
        for s, ts in zip(increase.splits["train"], increase.tags["train"], strict=True)
        for w, t in zip(s, ts, strict=True)
        if w == "increase"
    }
    assert tags == {"NOUN", "VERB"}
    coffee = CORPORA["toy-coffee"]
    assert {"the", "coffee", "black", "me", "pleases", "much"} <= set(coffee.vocabulary)
    assert ["the", "dog", "bit", "the", "man"] in CORPORA["toy-animals"].splits["train"]
    assert len(TOYS) == 6


def test_frozen_files_have_their_sums() -> None:
    files = [*DATA.glob("*/SHA256SUMS"), DATA / "berkeley" / "corpus.sha256"]
    assert len(files) == 6
    for file in files:
        for line in file.read_text().splitlines():
            expected, name = line.split()
            assert hashlib.sha256((file.parent / name).read_bytes()).hexdigest() == expected, name


def test_describe_counts_a_toy() -> None:
    row = CORPORA["toy-house"].describe(plot=False).loc["train"]
    assert row.tolist() == [3, 21, 15, 7, 0]
    table = CORPORA["berkeley"].describe(plot=False)
    assert list(table.columns) == ["sentences", "tokens", "types", "mean length", "unseen tokens, %"]
    assert table.loc["train", "unseen tokens, %"] == 0 < table.loc["test", "unseen tokens, %"]


@pytest.mark.parametrize("name", ["toy-house", "berkeley", "kitchen"])
def test_describe_draws_two_labelled_panels(name: str) -> None:
    import matplotlib.pyplot as plt

    plt.close("all")
    CORPORA[name].describe()
    (figure,) = map(plt.figure, plt.get_fignums())
    left, right = figure.axes
    assert left.get_xscale() == left.get_yscale() == "log"
    assert all(axes.get_xlabel() and axes.get_ylabel() for axes in (left, right))
    drawn = sum(bar.get_height() for bar in right.patches)
    assert drawn == len(CORPORA[name].splits["train"]), "every sentence is in a bar"
    plt.close("all")


def test_the_readme_describes_every_set_and_hash() -> None:
    text = (DATA / "README.md").read_text()
    for name in [*EMBEDDED, *REAL]:
        assert f"`{name}`" in text, name
    sums = [DATA / name / "SHA256SUMS" for name in ("translation", "retrieval", "names", "glove")]
    for file in (*sums, DATA / "berkeley" / "corpus.sha256"):
        for line in file.read_text().splitlines():
            assert line.split()[0] in text, line
