"""Writes corpus.txt: 9,222 restaurant requests whose counts equal the published Berkeley tables.

The lectures print 8 unigram and 64 bigram counts of a spoken-dialogue corpus that is not shipped
here. This program writes sentences of our own with the same counts. How it works:

1. `words.toml` says what may stand in a slot such as {dish}, `frames.toml` holds sentences with
   slots. Both are text that a person can read and extend.
2. The published counts are a budget. It is kept as pairs (word, next word) in which every
   unpublished word is "*": ("want", "to"): 608, ("*", "to"): 1787, ... Unigram counts need no
   account of their own: the pairs that end in a word add up to its count.
3. Frames are grouped by the pair they are there to pay for. Group by group, sentences are drawn at
   random. A sentence is kept only if the budget can pay for all of its pairs. A group is done when
   its own pair is used up. The rarest pairs come first, while the budget is still rich; the last
   groups hold sentences with one published word each, so the remainder can always be paid to the
   last pair. That is why the counts are exact and not just close.
4. Sentences that hold none of the eight words cost nothing. They fill the corpus up to 9,222
   sentences. Here also the vocabulary is brought to exactly 1,446 types: while types are missing,
   a phrase that has not occurred yet is put into a sentence. Most such words occur just once, as
   rare words do in any text.

`python -m benchmarks.record.berkeley` writes corpus.txt and its checksum anew, with FOLDER behind it
elsewhere. The seed is fixed, so the text is the same each time.
`tests/test_berkeley_corpus.py` recounts it without this program.
"""

import csv
import hashlib
import random
import re
import tomllib
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer

from lmkit.paths import DATA

FOLDER = DATA / "berkeley"
SEED = 1994  # the year in which the Berkeley Restaurant Project was described
SENTENCES = 9222
TYPES = 1446
STARTS_WITH_I = 2306  # 2306 / 9222 rounds to the printed P(i | <s>) = .25
ENDS_WITH_FOOD = 743  # 743 / 1093 rounds to the printed P(</s> | food) = .68
RARE_WORD_SENTENCES = 900  # so many are held back at the end to complete the vocabulary
LONG = 7  # a sentence of at least so many words is not said twice

# Words that a natural sentence may hold more than once.
MAY_REPEAT = {"i", "to", "the", "a", "of", "and", "my", "as", "want", "eat", "food"}

Pair = tuple[str, str]
Sentence = list[str]

# A slot, an optional part or a choice that has no other markup inside it.
MARKUP = re.compile(r"\{(?P<slot>\w+)\}|\[(?P<optional>[^][{}()]*)\]|\((?P<choice>[^][{}()]*)\)")


def read_slots() -> dict[str, list[str]]:
    """The phrases of each slot, from common to rare."""
    table = tomllib.loads((FOLDER / "words.toml").read_text())
    return {slot: [" ".join(phrase.split()) for phrase in text.split(",")] for slot, text in table.items()}


def read_frames() -> dict[str, list[str]]:
    """The frames of each group, from common to rare, in the order in which the groups are paid."""
    table = tomllib.loads((FOLDER / "frames.toml").read_text())
    return {group: text.strip().split("\n") for part in table.values() for group, text in part.items()}


def read_budget() -> tuple[Counter[Pair], set[str]]:
    """How often each pair must occur, and the eight published words."""
    with (FOLDER / "unigram_counts.csv").open() as file:
        unigrams = {row["word"]: int(row["count"]) for row in csv.DictReader(file)}
    with (FOLDER / "bigram_counts.csv").open() as file:
        header, *rows = csv.reader(file)
    budget: Counter[Pair] = Counter()
    for row_name, *cells in rows:
        for column_name, cell in zip(header[1:], cells, strict=True):
            budget[row_name, column_name] = int(cell)
    for word, count in unigrams.items():
        # What the eight words leave over goes to all other words and to the edges of sentences.
        budget["*", word] = count - sum(budget[other, word] for other in unigrams)
        budget[word, "*"] = count - sum(budget[word, other] for other in unigrams)
    budget["<s>", "i"] = STARTS_WITH_I
    budget["*", "i"] -= STARTS_WITH_I
    budget["food", "</s>"] = ENDS_WITH_FOOD
    budget["food", "*"] -= ENDS_WITH_FOOD
    return budget, set(unigrams)


def cost(sentence: Sentence, published: set[str]) -> Counter[Pair]:
    """The pairs of a sentence that touch a published word; all other words and edges are "*"."""
    padded = ["<s>", *sentence, "</s>"]
    pairs: Counter[Pair] = Counter()
    for previous, following in pairwise(padded):
        left = previous if previous in published or (previous, following) == ("<s>", "i") else "*"
        right = following if following in published or (previous, following) == ("food", "</s>") else "*"
        if (left, right) != ("*", "*"):
            pairs[left, right] += 1
    return pairs


def choose(options: list[str], generator: random.Random, flatness: float, power: float) -> str:
    """One option; the first is the most probable and the rest follow a law like Zipf's."""
    weights = [1 / (rank + flatness) ** power for rank in range(1, len(options) + 1)]
    return generator.choices(options, weights)[0]


def with_right_articles(sentence: Sentence) -> Sentence:
    """Frames say "a" throughout; before a vowel sound it becomes "an"."""
    result = []
    for word, following in zip(sentence, [*sentence[1:], ""], strict=True):
        vowel_sound = following[:1] in tuple("aeiou") and not following.startswith(("eu", "uni", "one", "ur"))
        silent_h = following in ("hour", "herbal")
        result.append("an" if word == "a" and (vowel_sound or silent_h) else word)
    return result


def reads_badly(sentence: Sentence) -> bool:
    """Whether a word is said twice that people say once: "pizza or pizza"."""
    return any(count > 1 and word not in MAY_REPEAT for word, count in Counter(sentence).items())


class Speaker:
    """Draws sentences from frames and slots."""

    def __init__(self, seed: int) -> None:
        self.generator = random.Random(seed)
        self.slots = read_slots()

    def sentence(self, frame: str, forced: Pair | None = None) -> Sentence:
        """Fill a frame. `forced` = (slot, phrase) fixes what the first such slot holds."""
        text = frame
        if forced:
            text = text.replace("{" + forced[0] + "}", forced[1], 1)
        while match := MARKUP.search(text):
            text = text[: match.start()] + self.replacement(match) + text[match.end() :]
        return with_right_articles(text.split())

    def replacement(self, match: re.Match[str]) -> str:
        if match["slot"]:
            return choose(self.slots[match["slot"]], self.generator, flatness=2, power=1.6)
        if match["optional"] is not None:
            return match["optional"] if self.generator.random() < 0.5 else ""
        choices: list[str] = match["choice"].split("|")
        return self.generator.choice(choices)

    def say_one_of(self, frames: list[str]) -> Sentence:
        return self.sentence(choose(frames, self.generator, flatness=6, power=1.0))


class Writer:
    """Collects sentences as long as the budget pays for them."""

    def __init__(self, speaker: Speaker) -> None:
        self.speaker = speaker
        self.budget, self.published = read_budget()
        self.sentences: list[Sentence] = []
        self.types: set[str] = set()
        self.said: set[str] = set()

    def accept(self, sentence: Sentence, new_types_allowed: int | None = None) -> bool:
        """Take a sentence if it reads well, is affordable and is not a long repetition."""
        pairs = cost(sentence, self.published)
        text = " ".join(sentence)
        if any(self.budget[pair] < count for pair, count in pairs.items()) or reads_badly(sentence):
            return False
        if len(sentence) >= LONG and text in self.said:
            return False
        if new_types_allowed is not None and len(set(sentence) - self.types) > new_types_allowed:
            return False
        self.budget.subtract(pairs)
        self.sentences.append(sentence)
        self.types.update(sentence)
        self.said.add(text)
        return True

    def pay(self, pair: Pair, frames: list[str]) -> None:
        """Draw from one group until its pair is used up."""
        attempts = 0
        while self.budget[pair]:
            attempts += 1
            if attempts > 200_000:
                raise RuntimeError(f"No affordable sentence for {pair}: {self.budget[pair]} are left.")
            sentence = self.speaker.say_one_of(frames)
            if cost(sentence, self.published)[pair]:
                self.accept(sentence)

    def fill(self, frames: list[str], length: int, new_types_allowed: int | None = None) -> None:
        """Draw sentences without published words until the corpus has `length` sentences."""
        while len(self.sentences) < length:
            self.accept(self.speaker.say_one_of(frames), new_types_allowed)

    def complete_vocabulary(self, frames: list[str]) -> None:
        """Say phrases that have not occurred yet until the number of types is right."""
        unused = [
            (slot, phrase)
            for slot, phrases in self.speaker.slots.items()
            for phrase in phrases
            if not set(MARKUP.sub("", phrase).split()) <= self.types
        ]
        self.speaker.generator.shuffle(unused)
        for slot, phrase in unused:
            homes = [frame for frame in frames if "{" + slot + "}" in frame]
            for _ in range(20 if homes else 0):
                frame = self.speaker.generator.choice(homes)
                missing = TYPES - len(self.types)
                if missing and self.accept(self.speaker.sentence(frame, (slot, phrase)), missing):
                    break
        if len(self.types) != TYPES:
            raise RuntimeError(f"The corpus has {len(self.types)} types instead of {TYPES}.")


def write_corpus(seed: int) -> list[Sentence]:
    """The whole corpus, in random order."""
    speaker = Speaker(seed)
    writer = Writer(speaker)
    groups = read_frames()
    for line in groups.pop("frames"):
        if not writer.accept(line.split()):
            raise RuntimeError(f"The budget does not allow: {line}")
    free = groups.pop("none")
    for group, frames in groups.items():
        previous, following = group.split()
        writer.pay((previous, following), frames)
    unpaid = {pair: count for pair, count in writer.budget.items() if count}
    if unpaid:
        raise RuntimeError(f"Not paid: {unpaid}")
    writer.fill(free, SENTENCES - RARE_WORD_SENTENCES)
    writer.complete_vocabulary(free)
    writer.fill(free, SENTENCES, new_types_allowed=0)
    speaker.generator.shuffle(writer.sentences)
    return writer.sentences


def main(folder: Annotated[Path, typer.Argument(help="Where the two files go.")] = FOLDER) -> None:
    """Write corpus.txt and its checksum."""
    text = "".join(" ".join(sentence) + "\n" for sentence in write_corpus(SEED))
    (folder / "corpus.txt").write_text(text)
    checksum = hashlib.sha256(text.encode()).hexdigest()
    (folder / "corpus.sha256").write_text(f"{checksum}  corpus.txt\n")


if __name__ == "__main__":
    typer.run(main)
