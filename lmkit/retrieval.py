"""Documents, queries and relevance labels for retrieval, generated from topics that share words.

collection(documents=600, queries=120, seed=1)   a fresh collection
frozen()                                         the collection that ships with the course

A document describes one restaurant and has topics of its own: a cuisine, a place, two features. A query asks for
one or two of them in a few words. The labels come from the topics and not from the words, so a relevant
document may lack a word of the query (an unsmoothed model gives it probability zero), and a document that
mentions the word in passing is not relevant. The topics are in `data/retrieval/topics.toml`.
`python -m lmkit.retrieval` writes the frozen collection anew.
"""

import random
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lmkit.paths import DATA
from lmkit.sums import write_with_sums

FOLDER = DATA / "retrieval"
DOCUMENTS, QUERIES, SEED = 600, 120, 1998  # the year of J. Ponte and W. Croft's query likelihood model
STOPWORDS = frozenset({"a", "and", "for", "of", "the", "to"})

Sentence = list[str]


@dataclass(frozen=True)
class Collection:
    """Documents and queries as lists of words, and what is relevant.

    `relevance[q]` maps the index of a document to its grade for query q: 2 it has all that is asked for,
    1 only the first thing asked for. Documents that are not listed have grade 0.
    """

    documents: list[Sentence]
    queries: list[Sentence]
    relevance: list[dict[int, int]]


@dataclass(frozen=True)
class _Restaurant:
    topics: dict[str, tuple[str, ...]]
    text: Sentence


@cache
def _topics() -> dict[str, dict[str, list[str]]]:
    """Kind of topic -> topic -> its words and phrases, most frequent first."""
    data = tomllib.loads((FOLDER / "topics.toml").read_text(encoding="utf-8"))
    return (
        {
            kind: {name: words.split(", ") for name, words in data[kind].items()}
            for kind in ("cuisine", "place", "feature")
        }
        | {
            table: {name: text.strip().splitlines() for name, text in data[table].items()}
            for table in ("sentences", "queries")
        }
        | {
            "words": {name: words.split(", ") for name, words in data["words"].items()},
        }
    )


def _zipf(items: Sequence[str], source: random.Random, excluding: Sequence[str] = ()) -> str:
    """One of the items; the r-th has weight 1 / r."""
    weights = [0 if item in excluding else 1 / rank for rank, item in enumerate(items, 1)]
    return source.choices(items, weights)[0]


def _restaurant(source: random.Random) -> _Restaurant:
    """A restaurant and what somebody wrote about it: 4 to 16 sentences."""
    data = _topics()
    topics = {
        "cuisine": (source.choice(list(data["cuisine"])),),
        "place": (source.choice(list(data["place"])),),
        "feature": tuple(source.sample(list(data["feature"]), 2)),
    }
    # Each writer knows only some of the words of a topic.
    known = {
        kind: [
            word for name in names for word in sorted(source.sample(data[kind][name], k), key=data[kind][name].index)
        ]
        for (kind, names), k in zip(topics.items(), (7, 5, 4), strict=True)
    }
    name = source.choice(data["words"]["name"])
    body = [
        "place",
        "feature",
        *source.choices(["cuisine", "place", "feature", "passing"], [6, 2, 2, 2], k=source.randint(0, 12)),
    ]
    source.shuffle(body)
    said: list[str] = []
    sentences = []
    for kind in ["opening", *body, "closing"]:
        patterns = data["sentences"][kind]
        pattern = source.choice([p for p in patterns if p not in said] or patterns)
        said.append(pattern)
        used: list[str] = []

        def fill(match: re.Match[str], used: list[str] = used) -> str:
            slot = match[1]
            if slot == "name":
                return name
            if slot in known:
                words = known[slot]
            elif slot == "other":
                words = data["cuisine"][source.choice(list(data["cuisine"]))]
            elif slot == "elsewhere":
                words = data["place"][source.choice(list(data["place"]))]
            else:
                words = data["words"][slot]
            used.append(_zipf(words, source, used))
            return used[-1]

        sentences.append(re.sub(r"{(\w+)}", fill, pattern))
    return _Restaurant(topics, " ".join(sentences).split())


def _query(source: random.Random) -> tuple[list[tuple[str, str]], Sentence]:
    """What is asked for, the most important first, as (kind, topic), and the words of the query."""
    data = _topics()
    kinds = source.choice([["cuisine"], ["cuisine", "place"], ["cuisine", "feature"], ["feature", "place"]])
    asked = [(kind, source.choice(list(data[kind]))) for kind in kinds]
    phrases = {}
    for kind, topic in asked:
        first = _zipf(data[kind][topic], source)
        phrases[kind] = [first, _zipf(data[kind][topic], source, [first])]
    if source.random() < 0.5:
        frame = source.choice(data["queries"]["_".join(kinds)])
        return asked, re.sub(r"{(\w+)}", lambda slot: phrases[slot[1]][0], frame).split()
    bare = [phrase for kind in kinds for phrase in phrases[kind][: 2 if len(kinds) == 1 else source.choice([1, 1, 2])]]
    words = [word for phrase in bare for word in phrase.split() if word not in STOPWORDS]
    return asked, list(dict.fromkeys(words))


def collection(documents: int = DOCUMENTS, queries: int = QUERIES, seed: int = SEED) -> Collection:
    """A fresh collection; the same seed gives the same one. No query is asked twice, each has a document of grade 2."""
    source = random.Random(seed)
    restaurants = [_restaurant(source) for _ in range(documents)]
    found: dict[tuple[str, ...], dict[int, int]] = {}
    tries = 0
    while len(found) < queries:
        tries += 1
        if tries > 10 * queries:
            raise ValueError(f"{documents} documents are too few for {queries} different queries.")
        asked, words = _query(source)
        grades = {}
        for number, restaurant in enumerate(restaurants):
            has = [topic in restaurant.topics[kind] for kind, topic in asked]
            if has[0]:
                grades[number] = 2 if all(has) else 1
        if words and tuple(words) not in found and 2 in grades.values():
            found[tuple(words)] = grades
    return Collection([r.text for r in restaurants], [list(query) for query in found], list(found.values()))


def frozen(folder: Path = FOLDER) -> Collection:
    """The collection that ships with the course."""
    documents = (folder / "documents.txt").read_text(encoding="utf-8").splitlines()
    queries = (folder / "queries.txt").read_text(encoding="utf-8").splitlines()
    relevance: list[dict[int, int]] = [{} for _ in queries]
    for line in (folder / "relevance.tsv").read_text(encoding="utf-8").splitlines():
        query, document, grade = map(int, line.split("\t"))
        relevance[query][document] = grade
    return Collection([line.split() for line in documents], [line.split() for line in queries], relevance)


def write(folder: Path = FOLDER) -> None:
    """Generate the frozen collection and its SHA-256 sums. A line of relevance.tsv: query, document, grade; from 0."""
    made = collection()
    lines = {
        "documents.txt": [" ".join(words) for words in made.documents],
        "queries.txt": [" ".join(words) for words in made.queries],
        "relevance.tsv": [
            f"{query}\t{document}\t{grade}"
            for query, grades in enumerate(made.relevance)
            for document, grade in grades.items()
        ],
    }
    write_with_sums(folder, {name: "".join(row + "\n" for row in rows) for name, rows in lines.items()})


if __name__ == "__main__":
    write()
