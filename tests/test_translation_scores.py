"""Chapter 09's reference answers against other people's code and against trying everything."""

import itertools
import math
import random
from typing import Any

import pytest
import sacrebleu

from benchmarks.chapters import chapter_functions


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """The chapter's reference answers by name."""
    return chapter_functions("09_seq2seq", {"greedy", "beam_search", "bleu", "best_of_all"})


@pytest.mark.parametrize("seed", range(200))
def test_bleu_is_that_of_sacrebleu(answers: dict[str, Any], seed: int) -> None:
    dice = random.Random(seed)
    words = [chr(97 + n) for n in range(dice.randint(2, 12))]
    outputs, references = [], []
    for _ in range(dice.randint(1, 8)):
        some = [dice.choices(words, k=dice.randint(1, 14)) for _ in range(dice.randint(1, 4))]
        output = [dice.choice(words) if dice.random() < 0.2 else word for word in some[0]]
        outputs.append(output[: dice.randint(0, 14)])
        references.append(some)
    columns = [
        [" ".join(one) if one else None for one in column]
        for column in itertools.zip_longest(*references, fillvalue=[])
    ]
    theirs = sacrebleu.corpus_bleu(
        [" ".join(output) for output in outputs], columns, tokenize="none", smooth_method="none", force=True
    )
    assert answers["bleu"](outputs, references) == pytest.approx(theirs.score / 100, abs=1e-9)


@pytest.mark.parametrize("longest", range(7))
def test_a_beam_that_loses_nothing_finds_what_trying_everything_finds(answers: dict[str, Any], longest: int) -> None:
    for seed in range(10):
        dice = random.Random(seed)
        table = {}
        for length in range(longest + 1):
            for prefix in itertools.product("ab", repeat=length):
                shares = [dice.choice([0.0, dice.random(), dice.random()]) for _ in range(2)] + [dice.random()]
                table[prefix] = dict(zip(["a", "b", "</s>"], [share / sum(shares) for share in shares], strict=True))

        def step(_: Any, written: tuple[str, ...], table: dict[Any, Any] = table) -> dict[str, float]:
            return dict(table[tuple(written)])

        every = {}
        for length in range(longest + 1):
            for words in itertools.product("ab", repeat=length):
                chances = [table[words[:t]][word] for t, word in enumerate((*words, "</s>"))]
                if all(chances):
                    every[words] = sum(map(math.log, chances))
        found = answers["beam_search"](step, (), 3 * 2**longest, longest)
        assert dict(found) == pytest.approx(every)
        assert found[0][1] == pytest.approx(answers["best_of_all"](step, (), longest)[1])
        assert answers["beam_search"](step, (), 1, longest) == [answers["greedy"](step, (), longest)]
