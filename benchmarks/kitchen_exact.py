"""The kitchen language checked once at full size: derivations, prefixes, floor, speed, word counts, blanks.

python -m benchmarks.kitchen_exact          about six minutes on one core
python -m benchmarks.kitchen_exact masked   the blanks alone, about four minutes
"""

import math
import random
import time
from collections import Counter, defaultdict

import numpy as np

from benchmarks.commands import run_parts
from lmkit import kitchen
from lmkit.kitchen.frozen import SPLITS
from lmkit.kitchen.oracle import derivations, joint_next_words


def floor() -> None:
    begin = time.process_time()
    sample = kitchen.documents(tokens=2_000_000, seed=99)
    seconds = time.process_time() - begin
    size = sum(map(len, sample))
    print(f"Generation: {size:,} tokens, {len(sample):,} documents in {seconds:.1f} CPU s", end="")
    print(f" = {size / seconds:,.0f} tokens/s")
    print(f"Long-run floor: {kitchen.floor(sample)}")
    free = sum(1 for d in sample for value in d.log_probabilities if value < -1e-12)
    print(f"Tokens that the prefix determines: {1 - free / size:.1%}")

    first = kitchen.documents(tokens=1_000_000, seed=11)
    counts = Counter(word for d in first for word in d.tokens)
    ranked = np.log([count for _, count in counts.most_common()])
    ranks = np.log(np.arange(1, len(ranked) + 1))
    slopes = [
        np.polyfit(ranks[low:high], ranked[low:high], 1)[0] for low, high in ((0, 100), (100, 500), (500, len(ranked)))
    ]
    once = sum(1 for count in counts.values() if count == 1)
    print(f"1 M tokens: {len(counts):,} types, {once} of them once;", end=" ")
    print("log-log slope of ranks 1-100, 100-500, 500-: " + ", ".join(f"{s:.2f}" for s in slopes))
    kinds = Counter(mark.kind for d in first for mark in d.marks)
    recalled = kinds["recall: dish of the guest"] + kinds["recall: guest of the dish"]
    print(f"Recalls of a dish or its guest: {recalled / 1000:.2f} per 1,000 tokens")

    begin = time.process_time()
    recovered, furthest = 0, 0.0
    for document in sample[:10_000]:
        reading = kitchen.read(document.tokens)
        far = abs(reading.log_probability - document.log_probability)
        furthest = max(furthest, far)
        same = reading.choices == document.choices and reading.tags == document.tags
        recovered += same and far < 1e-9
    print(f"Reader: {recovered:,} of 10,000 derivations and tags recovered,", end=" ")
    print(f"ln P off by at most {furthest:.1e} ({time.process_time() - begin:.0f} CPU s)")

    begin = time.process_time()
    single = sum(len(kitchen.derivations(document.tokens)) == 1 for document in sample[:1000])
    print(f"Exhaustive search: {single:,} of 1,000 documents have exactly one derivation", end=" ")
    print(f"({time.process_time() - begin:.0f} CPU s)")

    dice, sums, words = random.Random(3), 0.0, 0.0
    for _ in range(2000):
        document = dice.choice(sample)
        position = dice.randrange(len(document))
        joint = joint_next_words(document.tokens[:position])
        prefix = math.exp(math.fsum(document.log_probabilities[:position]))
        sums = max(sums, abs(math.fsum(joint.values()) / prefix - 1))
        exact = document.log_probabilities[position]
        words = max(words, abs(math.log(joint[document.tokens[position]] / prefix) - exact))
    print(f"2,000 random prefixes: next-word sums off 1 by at most {sums:.1e},", end=" ")
    print(f"ln P(word) off the sampler's by at most {words:.1e}")


def masked() -> None:
    """The masked distribution against brute force, then the masked floor of the frozen test split, by kind of word."""
    begin = time.process_time()
    sample, dice, furthest, stories = kitchen.documents(500, seed=77), random.Random(3), 0.0, 0
    for _ in range(200):
        document = dice.choice(sample)
        place = dice.randrange(len(document))
        left, right = document.tokens[:place], document.tokens[place + 1 :]
        joint = kitchen.Story(document.tokens).log_joint(place)
        for word in joint_next_words(left):
            found = derivations([*left, word, *right])
            stories += 1
            if len(found) != (word in joint):
                raise AssertionError(f"{left} {word} {right}: {len(found)} derivations")
            furthest = max(furthest, *(abs(value - joint[word]) for value, _, _ in found), 0.0)
    print(f"200 random blanks, {stories:,} stories by exhaustive search: the same words fit,", end=" ")
    print(f"ln P off by at most {furthest:.1e} ({time.process_time() - begin:.0f} CPU s)")

    tokens, seed = SPLITS["test"]
    test = kitchen.documents(tokens=tokens, seed=seed)  # the frozen split, with its marks
    begin = time.process_time()
    filled = kitchen.blanks(test)
    seconds = time.process_time() - begin
    print(f"{len(filled):,} blanks in {seconds:.0f} CPU s = {len(filled) / seconds:,.0f} a second")
    print(f"Masked floor of the test split: {kitchen.summary(filled)}")
    print(f"10,000 of them: {kitchen.masked_floor('test')}")
    print(f"Blanks that the other words determine: {sum(b.best > 1 - 1e-9 for b in filled) / len(filled):.1%}")
    some = random.Random(0).sample(filled, 3000)
    best = [max(kitchen.next_word_distribution(test[b.document].tokens[: b.place]).values()) for b in some]
    print(f"From the left alone, 3,000 places: accuracy {np.mean(best):.2%} ± {np.std(best) / 3000**0.5:.2%}")

    kinds: dict[str, list[kitchen.Blank]] = defaultdict(list)
    marks = {(number, mark.position): mark.kind for number, d in enumerate(test) for mark in d.marks}
    for blank in filled:
        mark = marks.get((blank.document, blank.place), "")
        if mark.startswith(("agreement", "copy", "recall", "companion", "quote", "closing")):
            kinds[mark].append(blank)
        else:
            kinds["other " + test[blank.document].tags[blank.place]].append(blank)
    print(
        "| kind of word | blanks | nats, left alone | nats, both sides | accuracy, both sides |\n|---|---|---|---|---|"
    )
    for kind, here in sorted(kinds.items()):
        left_alone = -math.fsum(test[b.document].log_probabilities[b.place] for b in here) / len(here)
        both = kitchen.summary(here)
        print(f"| {kind} | {len(here):,} | {left_alone:.3f} | {both.nats:.3f} ± {both.nats_error:.3f} |", end=" ")
        print(f"{both.accuracy:.1%} |")


if __name__ == "__main__":
    run_parts({"floor": floor, "masked": masked})
