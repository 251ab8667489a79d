"""Makes automata.csv: which model learns (ab)* and a^n b^n, and for which lengths does it hold?

    python -m benchmarks.record.automata [seconds of CPU for each run, 10]

Learned from are words with n of 1 to 12 (repetitions of ab, or numbers of a), drawn anew for each batch. `right` is the
share of the n in a range for which a model continues rightly at every place where the language leaves no choice that
is wrong: in (ab)* its likeliest symbol never breaks the pattern; in a^n b^n, after the first b, it asks for a b until
there are n and then for the end. Rates: AdamW, the best of three with seed 4; then seeds 1 to 3. The bigram counts.
"""

from collections.abc import Callable
from typing import Annotated, Any

import pandas as pd
import torch
import typer
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.timed import train_for
from lmkit.models.networks import build, parameter_count
from lmkit.paths import DATA
from lmkit.training import set_seed

HERE = DATA / "anything"
END, A, B = 0, 1, 2
TRAINED_TO = 12
RANGES = {"1-12": range(1, 13), "13-24": range(13, 25), "25-40": range(25, 41)}
SEEDS, TUNING_SEED, RATES = (1, 2, 3), 4, (1e-3, 3e-3, 1e-2)
SIZES: dict[str, tuple[str, dict[str, Any]]] = {
    "RNN": ("rnn", {"width": 32, "hidden": 32}),
    "LSTM": ("lstm", {"width": 32, "hidden": 32}),
    "Transformer, rotary": ("transformer", {"width": 32, "layers": 2, "heads": 2, "block": 100}),
    "Transformer, no places": (
        "transformer",
        {"width": 32, "layers": 2, "heads": 2, "block": 100, "positions": "none"},
    ),
}
LANGUAGES: dict[str, Callable[[int], list[int]]] = {
    "(ab)*": lambda n: [A, B] * n,
    "a^n b^n": lambda n: [A] * n + [B] * n,
}
Rule = Callable[[Tensor], Tensor]  # symbols [1, T], the end before them -> the likeliest next one at each place [T]


def holds(language: str, n: int, likeliest: Rule) -> bool:
    """Whether a model continues the word of that n rightly everywhere."""
    word = LANGUAGES[language](n)
    said = likeliest(torch.tensor([[END, *word]])).tolist()
    if language == "(ab)*":
        return all(one == B if place % 2 else one != B for place, one in enumerate(said))
    return said[n + 1 :] == [*word[n + 1 :], END]


def network_rule(network: nn.Module) -> Rule:
    """The likeliest symbol by a network."""

    @torch.no_grad()
    def likeliest(symbols: Tensor) -> Tensor:
        scores: Tensor = network(symbols)
        return scores[0].argmax(-1)

    return likeliest


def bigram_rule(language: str) -> Rule:
    """The likeliest symbol by counts of pairs in one word of each n up to 12."""
    counts = torch.zeros(3, 3)
    for n in range(1, TRAINED_TO + 1):
        word = [END, *LANGUAGES[language](n), END]
        for x, y in zip(word[:-1], word[1:], strict=True):
            counts[x, y] += 1
    return lambda symbols: counts[symbols[0]].argmax(-1)


def batch(language: str, numbers: Tensor) -> tuple[Tensor, Tensor]:
    """What is given and what is wanted after it [B, T], for the word of each n; -100 behind an end."""
    words = [torch.tensor(LANGUAGES[language](int(n))) for n in numbers]
    given = [F.pad(word, (1, 0), value=END) for word in words]
    wanted = [F.pad(word, (0, 1), value=END) for word in words]
    pad = nn.utils.rnn.pad_sequence
    return pad(given, batch_first=True), pad(wanted, batch_first=True, padding_value=-100)


def learn(language: str, name: str, seed: int, rate: float, seconds: float) -> tuple[nn.Module, float, int]:
    """A network after so many seconds of CPU time; its last loss, the mean of 50 batches; its steps."""
    set_seed(seed)
    kind, sizes = SIZES[name]
    network = build(kind, 3, **sizes)

    def loss(network: nn.Module, pair: tuple[Tensor, Tensor]) -> tuple[Tensor, int]:
        given, wanted = pair
        scores = network(given).flatten(0, 1)
        return F.cross_entropy(scores, wanted.flatten(), ignore_index=-100), int((wanted >= 0).sum())

    history = train_for(
        seconds,
        network,
        lambda step: batch(language, torch.randint(1, TRAINED_TO + 1, (32,))),
        loss,
        torch.optim.AdamW(network.parameters(), lr=rate),
        schedule=None,
        every=1,
    )
    return network, float(history["train loss"].tail(50).mean()), len(history)


def main(seconds: Annotated[float, typer.Argument(help="Of CPU time, for each run.")] = 10) -> None:
    """Make the table again."""
    torch.set_num_threads(1)
    rows = []
    for language in LANGUAGES:
        for name in ("bigram", *SIZES):
            runs: list[tuple[int, float, int, int, Rule]] = []
            if name == "bigram":
                runs.append((0, 0.0, 9, 0, bigram_rule(language)))
            else:
                rate = min(RATES, key=lambda rate: learn(language, name, TUNING_SEED, rate, seconds)[1])
                for seed in SEEDS:
                    network, _, steps = learn(language, name, seed, rate, seconds)
                    runs.append((seed, rate, parameter_count(network), steps, network_rule(network)))
            for seed, rate, weights, steps, rule in runs:
                row = {"language": language, "model": name, "seed": seed, "rate": rate}
                row |= {"weights": weights, "steps": steps}
                row |= {span: sum(holds(language, n, rule) for n in ns) / len(ns) for span, ns in RANGES.items()}
                rows.append(row)
                print(row, flush=True)
    pd.DataFrame(rows).round(3).to_csv(HERE / "automata.csv", index=False)


if __name__ == "__main__":
    typer.run(main)
