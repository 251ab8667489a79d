"""Makes encoder/steps.csv: the encoder of chapter 07 after 0, 200, 800 and 6,000 steps, asked what the chapter asks it.

    python -m benchmarks.record.gaps

Runs the chapter's own functions, some three minutes on one core. A row: steps, what, name, value. "guesses": the three
likeliest words for each gap; "loss": nats for each hidden word of new sentences; and for the last two numbers of steps
"nats": for each word of 25 new stories, exact and by the encoder, "pll": of four sentences, "verbs": share of pairs in
which the right form of a verb has the higher PLL, "tags": share of wrong tags after 50 labelled sentences.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import torch

from benchmarks.chapters import on_the_kitchen_text
from lmkit import kitchen
from lmkit.paths import DATA
from lmkit.training import set_seed, train

WANTED = {"Filler", "vocabulary", "number", "lines", "new_lines", "lesson", "masked_loss", "guesses", "GAPS",
          "your_fill", "sentences_of", "pseudo_log_likelihood", "ranked_right", "Tagger", "step", "Words", "tagged",
          "tag_kinds", "blank"}  # fmt: skip
SENTENCES = "the cook sings .", "the cook sing .", "the cooks sing .", "the cooks sings ."


def nats(its: dict[str, Any]) -> tuple[float, float]:
    """The mean of -ln P over the words of 25 new stories: exact, and by the encoder."""
    found = []
    for story in kitchen.split("test")[:25]:
        exact = kitchen.masked_log_probabilities(story.tokens)
        for begin, words in its["sentences_of"](story.tokens):
            for i, word in enumerate(words):
                if word in its["number"]:
                    found.append((-exact[begin + i], -math.log(its["your_fill"](words, i)[word])))
    exact_nats, own = np.mean(found, axis=0)
    return float(exact_nats), float(own)


def verbs(its: dict[str, Any]) -> dict[str, float]:
    scores: dict[str, list[list[float]]] = {}
    for probe in kitchen.probes_in("agreement", kitchen.documents(tokens=10_000, seed=41)):
        for begin, words in its["sentences_of"](probe.document.tokens):
            place = probe.position - begin
            if 0 <= place < len(words) and words[place] in its["number"] and probe.wrong[0] in its["number"]:
                both = words, [*words[:place], probe.wrong[0], *words[place + 1 :]]
                pair = [its["pseudo_log_likelihood"](its["your_fill"], some) for some in both]
                scores.setdefault(probe.label, []).append(pair)
    return {label: its["ranked_right"](*zip(*pairs, strict=True)) for label, pairs in scores.items()}


def tags(its: dict[str, Any], model: Any, freeze: bool) -> float:
    few, new = its["tagged"]("train", 50), its["tagged"]("valid", 400)
    set_seed(1)
    tagger = its["Tagger"](its["Words"](model), 64, len(its["tag_kinds"]), freeze)
    for _ in range(200):
        its["step"](tagger, *few, 0.3)
    with torch.no_grad():
        said = tagger(new[0]).argmax(-1)
    return float((said != new[1])[new[1] != -100].float().mean())


def asked(its: dict[str, Any], steps: int) -> Iterator[tuple[str, str, object]]:
    set_seed(1)
    model = its["filler"] = its["Filler"](len(its["vocabulary"]))

    def loss(model: Any, batch: Any) -> Any:
        return its["masked_loss"](model(*batch[:2]), batch[2]), int((batch[2] != -100).sum())

    valid = its["lesson"](its["new_lines"], 400, np.random.default_rng(2))
    if steps:
        train(model, batches=lambda step: its["lesson"](its["lines"], 32, np.random.default_rng([1, step])), loss=loss,
              steps=steps, rate=0.003)  # fmt: skip
    with torch.no_grad():
        yield "loss", "new sentences", f"{loss(model, valid)[0].item():.2f}"
    for text in its["GAPS"]:
        yield "guesses", text, its["guesses"](model, text)
    if steps >= 800:
        for name, value in zip(("exact", "encoder"), nats(its), strict=True):
            yield "nats", name, f"{value:.2f}"
        for text in SENTENCES:
            yield "pll", text, f"{its['pseudo_log_likelihood'](its['your_fill'], text.split()):.2f}"
        for name, value in verbs(its).items():
            yield "verbs", name, f"{value:.3f}"
        for freeze in (False, True):
            yield "tags", "frozen" if freeze else "fine-tuned", f"{tags(its, model, freeze):.3f}"


def main() -> None:
    torch.set_num_threads(1)
    its, rows = on_the_kitchen_text("07_encoder", WANTED, "laptop"), []
    for steps in (0, 200, 800, 6000):
        for row in asked(its, steps):
            rows.append((steps, *row))
            print(*rows[-1], flush=True)
            table = pd.DataFrame(rows, columns=["steps", "what", "name", "value"])
            table.to_csv(DATA / "encoder" / "steps.csv", index=False)


if __name__ == "__main__":
    main()
