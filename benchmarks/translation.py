"""Encoders and decoders on the translation text, at equal weights and equal CPU time.

    python -m benchmarks.translation [own] [mixed] [smoothing] [tasks]

About an hour of CPU time on one thread; the parts may run side by side. `own`: LSTMs joined by one vector, LSTMs
with attention, Transformer; `mixed`: an encoder of one kind with a decoder of the other; `smoothing`: the Transformer
with label smoothing; `tasks`: one Transformer for three tasks, which the first word of its source names. Writes
data/seq2seq/*.csv (a README there says what stands in them); what is already there is not made again, so a run that
was stopped goes on.

All learn from the 5,000 frozen training pairs with about as many weights between the embeddings, in batches of 32
pairs, for the same CPU time, with AdamW, each at the best rate of a sweep that takes as long, with another seed.
They are asked for 1,500 new pairs: their translations are compared with one reference, with all, and with the
grammar, which accepts or rejects. What attention looks at is compared with the alignment by the grammar.
"""

import itertools
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import pandas as pd
import sacrebleu
import torch
from torch.nn import functional as F

from benchmarks.commands import run_parts
from benchmarks.timed import train_for
from lmkit import translation
from lmkit.models import parameter_count
from lmkit.models.seq2seq import PAD, EncoderDecoder, Vocabulary, build_pair, translate
from lmkit.paths import DATA
from lmkit.training import set_seed, warmup_cosine

FOLDER = DATA / "seq2seq"
SECONDS = 75.0
BATCH, ASKED, SEEDS, SWEEP_SEED = 32, 1500, (1, 2, 3), 9
# Sizes with about 231,000 weights between the embeddings, which are 64 wide in all of them.
SIZES: dict[tuple[str, str], dict[str, int]] = {
    ("lstm", "vector"): {"hidden": 137},
    ("lstm", "lstm"): {"hidden": 128},
    ("transformer", "lstm"): {"hidden": 125},
    ("lstm", "transformer"): {"hidden": 114},
    ("transformer", "transformer"): {"hidden": 0},
}
OWN = (("lstm", "vector"), ("lstm", "lstm"), ("transformer", "transformer"))
MIXED = (("lstm", "transformer"), ("transformer", "lstm"))
RATES = (0.00125, 0.0025, 0.005, 0.01, 0.02)  # for all; the ends must not be the best
BINS = ((1, 5), (6, 7), (8, 9), (10, 11), (12, 99))  # words of a source


@dataclass(frozen=True)
class Setting:
    """One training: the part of the study it belongs to, and all that may differ."""

    part: str
    encoder: str
    decoder: str
    hidden: int
    smoothing: float
    rate: float
    seed: int

    @property
    def key(self) -> tuple[Any, ...]:
        return tuple(asdict(self).values())


class Text:
    """Numbers for the words, training batches, and new pairs to be asked for."""

    def __init__(self) -> None:
        sources, targets = translation.split("train")
        self.source_words, self.target_words = Vocabulary(sources), Vocabulary(targets)
        self.x, self.y = self.source_words.encode(sources), self.target_words.encode(targets, begin=True)
        known = {tuple(source) for name in translation.SPLITS for source in translation.split(name)[0]}
        new = (pair for pair in translation.stream(seed=2014) if tuple(pair[0]) not in known)
        self.asked = list(itertools.islice(new, ASKED))
        self.sources = [source for source, _ in self.asked]
        self.references = [" ".join(target) for _, target in self.asked]
        every = [[" ".join(one) for one in translation.references(source)] for source in self.sources]
        self.all_references = list(itertools.zip_longest(*every))
        self.links = [translation.links(*pair) for pair in self.asked]
        self.asked_x = self.source_words.encode(self.sources)
        self.asked_y = self.target_words.encode([target for _, target in self.asked], begin=True)


def drawn(x: torch.Tensor, y: torch.Tensor, seed: int) -> Callable[[int], tuple[torch.Tensor, torch.Tensor]]:
    """For each step its pairs, cut to the longest source and target among them."""

    def batch(step: int) -> tuple[torch.Tensor, torch.Tensor]:
        chosen = torch.randint(len(x), (BATCH,), generator=torch.Generator().manual_seed(step + 1_000_003 * seed))
        source, target = x[chosen], y[chosen]
        return source[:, : int((source != PAD).sum(1).max())], target[:, : int((target != PAD).sum(1).max())]

    return batch


def loss_of(model: EncoderDecoder, x: torch.Tensor, y: torch.Tensor, smoothing: float = 0.0) -> torch.Tensor:
    """Mean of -ln P of the words of the target and its end; y [B, n + 1] begins with BOS."""
    scores = model(x, y[:, :-1])
    return F.cross_entropy(scores.flatten(0, 1), y[:, 1:].flatten(), ignore_index=PAD, label_smoothing=smoothing)


def train_pair(
    model: EncoderDecoder, batches: Any, rate: float, seconds: float, smoothing: float = 0.0, **more: Any
) -> tuple[int, int]:
    """Train it for so many seconds of CPU time in training steps; its steps, and the target words it has read."""

    def loss(model: EncoderDecoder, pair: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, int]:
        return loss_of(model, *pair, smoothing), int((pair[1][:, 1:] != PAD).sum())

    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, fused=True)
    history = train_for(seconds, model, batches, loss, optimiser, warmup_cosine(50), **more)
    return int(history.step.iloc[-1]), int(history.tokens.iloc[-1])


def train(text: Text, setting: Setting, seconds: float) -> tuple[EncoderDecoder, int, int]:
    """The model of a setting after so many seconds; its steps, and the target words it has read."""
    set_seed(setting.seed)
    words = len(text.source_words), len(text.target_words)
    model = build_pair(setting.encoder, setting.decoder, *words, hidden=setting.hidden)
    return model, *train_pair(model, drawn(text.x, text.y, setting.seed), setting.rate, seconds, setting.smoothing)


@torch.no_grad()
def judge(text: Text, model: EncoderDecoder) -> tuple[dict[str, float], list[bool]]:
    """Loss, BLEU, share of valid translations, alignment errors, speed; for each source whether it came out right."""
    begin, found = time.process_time(), []
    for some in text.asked_x.split(100):
        found += text.target_words.decode(translate(model, some))
    used = time.process_time() - begin
    right = [translation.is_translation(*pair) for pair in zip(text.sources, found, strict=True)]
    hypotheses = [" ".join(words) for words in found]
    bleu = {"tokenize": "none", "force": True}
    numbers = {
        "loss": float(loss_of(model, text.asked_x, text.asked_y)),
        "bleu": sacrebleu.corpus_bleu(hypotheses, [text.references], **bleu).score,
        "bleu_all": sacrebleu.corpus_bleu(hypotheses, text.all_references, **bleu).score,
        "right": sum(right) / len(right),
        "same": sum(a == b for a, b in zip(hypotheses, text.references, strict=True)) / len(right),
        "translated_per_second": sum(len(words) + 1 for words in found) / used,
    }
    model(text.asked_x, text.asked_y[:, :-1])
    layers = getattr(model.decoder, "layers", None)
    looked = [layer.across.weights for layer in layers] if layers else [model.decoder.weights]
    for name, weights in zip(("alignment_error", "alignment_error_2"), looked, strict=False):
        if weights is not None:
            numbers[name] = alignment_error(text, weights)
    return numbers, right


def alignment_error(text: Text, weights: torch.Tensor) -> float:
    """The share of target words that look most at a source word which is not theirs; words that have none do not count.

    weights [B, n, m]: where the decoder looks when it says the n-th word.
    """
    wrong = asked = 0
    for links, best in zip(text.links, weights.argmax(2).tolist(), strict=True):
        for j in {j for _, j in links}:
            asked, wrong = asked + 1, wrong + ((best[j], j) not in links)
    return wrong / asked


class Table:
    """A CSV file that grows line by line; what stands in it is not made again."""

    def __init__(self, name: str, columns: str) -> None:
        FOLDER.mkdir(parents=True, exist_ok=True)
        self.path, self.columns = FOLDER / f"{name}.csv", columns.split()
        if not self.path.exists():
            self.path.write_text(",".join(self.columns) + "\n")

    def add(self, *row: Any) -> None:
        line = ",".join(f"{v:.5f}".rstrip("0").rstrip(".") if isinstance(v, float) else str(v) for v in row)
        with self.path.open("a") as file:  # one short write, so that two processes may share the file
            file.write(line + "\n")

    def frame(self) -> pd.DataFrame:
        return pd.read_csv(self.path)


KEY = "part encoder decoder hidden smoothing rate seed"
MEASURED = "loss bleu bleu_all right same translated_per_second alignment_error alignment_error_2"


class Study:
    """Trains what is missing and writes it down."""

    def __init__(self) -> None:
        self.text = Text()
        self.runs = Table("runs", f"{KEY} weights steps read seconds {MEASURED}")
        self.lengths = Table("lengths", f"{KEY} shortest longest asked right")

    def make(self, setting: Setting) -> None:
        done = {tuple(row) for row in self.runs.frame()[KEY.split()].itertuples(index=False)}
        if setting.key in done:
            return
        seconds = SECONDS / 3 if setting.part == "a third" else SECONDS
        model, steps, read = train(self.text, setting, seconds)
        numbers, right = judge(self.text, model)
        outside = model.encoder.embedding, model.decoder.embedding, model.decoder.unembedding
        weights = parameter_count(model) - sum(map(parameter_count, outside))
        for low, high in BINS:
            here = [r for r, source in zip(right, self.text.sources, strict=True) if low <= len(source) <= high]
            self.lengths.add(*setting.key, low, high, len(here), sum(here))
        measured = [numbers.get(name, "") for name in MEASURED.split()]
        self.runs.add(*setting.key, weights, steps, read, seconds, *measured)
        print(setting, {name: round(v, 3) for name, v in numbers.items()}, f"{time.process_time():.0f} s", flush=True)

    def best_rate(self, encoder: str, decoder: str) -> float:
        """The rate of the sweep with the lowest loss."""
        frame = self.runs.frame()
        frame = frame[(frame.part == "sweep") & (frame.encoder == encoder) & (frame.decoder == decoder)]
        return float(frame.sort_values("loss").rate.iloc[0])


def swept(every: Study, pair: tuple[str, str]) -> Setting:
    """A setting of the race, at the best rate of the sweep."""
    blank = Setting("sweep", *pair, SIZES[pair]["hidden"], 0.0, 0.0, SWEEP_SEED)
    for rate in RATES:
        every.make(replace(blank, rate=rate))
    return replace(blank, part="models", rate=every.best_rate(*pair))


def race(pairs: tuple[tuple[str, str], ...]) -> None:
    """Every pair with every seed."""
    every = Study()
    settings = [swept(every, pair) for pair in pairs]
    for seed, setting in itertools.product(SEEDS, settings):
        every.make(replace(setting, seed=seed))


def smoothing() -> None:
    """The Transformer of the race with a smoothed loss; without is part of the race."""
    every = Study()
    setting = swept(every, ("transformer", "transformer"))
    for seed, share in itertools.product(SEEDS, (0.1, 0.2)):
        every.make(replace(setting, part="smoothing", smoothing=share, seed=seed))


NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
TASKS = ("translate", "backwards", "count")


def in_and_out(task: str, source: list[str], target: list[str]) -> tuple[list[str], list[str]]:
    """What a model of several tasks reads and should write: words in, words out, whatever is asked."""
    answers = {"translate": target, "backwards": source[::-1], "count": NUMBERS.split()[len(source) : len(source) + 1]}
    return [task, *source], answers[task]


def tasks(seeds: tuple[int, ...] = SEEDS[:2]) -> None:
    """One Transformer for three tasks; a third, two thirds and all of its time."""
    pairs = list(zip(*translation.split("train"), strict=True))
    asked = list(zip(*translation.split("test"), strict=True))[:300]
    lessons = [in_and_out(task, *pair) for pair in pairs for task in TASKS]
    words = Vocabulary([one for one, _ in lessons]), Vocabulary([one for _, one in lessons])
    x, y = words[0].encode([one for one, _ in lessons]), words[1].encode([one for _, one in lessons], begin=True)
    table = Table("tasks", "seed seconds steps task asked right")
    examples = Table("task_examples", "seed source output")

    def judge(model: EncoderDecoder, seed: int, third: int, step: int) -> None:
        for task in TASKS:
            read = [in_and_out(task, *pair) for pair in asked]
            found = words[1].decode(translate(model, words[0].encode([one for one, _ in read])))
            right = [
                translation.is_translation(pair[0], out) if task == "translate" else out == wanted
                for pair, (_, wanted), out in zip(asked, read, found, strict=True)
            ]
            table.add(seed, round(SECONDS * third / 3), step, task, len(asked), sum(right))
            print("tasks", seed, third, task, sum(right) / len(asked), flush=True)
            if third == 3:
                for place in (3, 7):
                    examples.add(seed, " ".join(read[place][0]), " ".join(found[place]))

    def at_thirds(model: EncoderDecoder, seed: int) -> Callable[[pd.DataFrame], None]:
        due = 1

        def watch(history: pd.DataFrame) -> None:
            nonlocal due
            if history.seconds.iloc[-1] >= SECONDS * due / 3:
                judge(model, seed, due, int(history.step.iloc[-1]))
                due += 1

        return watch

    every = Study()
    for seed in SEEDS:  # to compare: translation alone, in a third of the time
        every.make(replace(swept(every, ("transformer", "transformer")), part="a third", seed=seed))
    for seed in seeds:
        if (table.frame().seed == seed).sum() == 3 * len(TASKS):
            continue
        set_seed(seed)
        model = build_pair("transformer", "transformer", *map(len, words))
        train_pair(model, drawn(x, y, seed), 0.005, SECONDS, every=1, watch=at_thirds(model, seed))


if __name__ == "__main__":
    torch.set_num_threads(1)
    run_parts({"own": lambda: race(OWN), "mixed": lambda: race(MIXED), "smoothing": smoothing, "tasks": tasks})
