"""The kitchen language checked once at full size: derivations, prefixes, floor, speed, word counts.

python -m benchmarks.kitchen_exact          about two minutes on one core
"""

import math
import random
import time
from collections import Counter

import numpy as np

from lmkit import kitchen
from lmkit.kitchen.oracle import joint_next_words


def main() -> None:
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
    print(f"Independent reader: {recovered:,} of 10,000 derivations and tags recovered,", end=" ")
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


if __name__ == "__main__":
    main()
