"""The scoreboard: every model of the course on one text. One command makes data/scoreboard and docs/scoreboard.md.

    python -m benchmarks.scoreboard [PART ...]              scores models probes shares sizes; the page at the end
    python -m benchmarks.scoreboard --corpus berkeley       the same models on another corpus: a table on the screen

About 20 minutes of CPU time on one thread; what is already in data/scoreboard is not made again, so a run that was
stopped goes on (delete a file, or rows of it, to have them made anew). The README there says what each column is.

Judged is the frozen split "test" of the kitchen text, whole, in the symbols of the recorded runs: what occurs twice in
the first million words of their training, all else is `<UNK>`; every `</s>` counts. The counting models have counted a
million tokens (seed 11). The recorded networks have read fresh stories, more of them: the column `tokens read` says so.
"""

import math
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import typer

from benchmarks.commands import named_or_all

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import torch  # noqa: E402
from torch import Tensor  # noqa: E402

from benchmarks import scoreboard_page  # noqa: E402
from benchmarks.models import MODELS, Text  # noqa: E402
from lmkit import kitchen, ngrams, runs  # noqa: E402
from lmkit.kitchen import Document  # noqa: E402
from lmkit.models import Counted, LanguageModel, Neural, build, by_band, encode, parameter_count, score, write  # noqa: E402
from lmkit.ngrams import UNKNOWN  # noqa: E402
from lmkit.optimizers import adamw  # noqa: E402
from lmkit.runs.configs import RATES, SIZES, STEPS_A_MINUTE  # noqa: E402
from lmkit.runs.run import trained  # noqa: E402
from lmkit.runs.stories import WORDS_OF_TEST, Stories, pair, vocabulary  # noqa: E402
from lmkit.runs.text import NO_TARGET, Loss  # noqa: E402
from lmkit.scoreboard import FOLDER, TRUTH, log_probabilities  # noqa: E402
from lmkit.training import set_seed, train, warmup_cosine  # noqa: E402

COUNTED_TOKENS, COUNTED_SEED = 1_000_000, 11
SAMPLE = 200  # test stories of which every token's ln P is kept
KEPT = ("unigram", "Laplace 2", "modified Kneser-Ney 5", "window", "RNN", "LSTM", "Transformer",
        "Transformer, shift", TRUTH)  # fmt: skip


@lru_cache
def symbols() -> tuple[str, ...]:
    """What every model can say."""
    return vocabulary("word")


@lru_cache
def counted_text() -> Text:
    """The million tokens that the counting models count."""
    return Text.of(kitchen.documents(tokens=COUNTED_TOKENS, seed=COUNTED_SEED), symbols())


@lru_cache
def test() -> list[Document]:
    """The frozen stories on which all are judged."""
    return kitchen.split("test")


@lru_cache
def true_nats() -> list[np.ndarray]:
    """-ln P of each token of each test story by the truth: its floor."""
    return [-np.array(kitchen.log_probabilities(story, set(symbols()))) for story in test()]


# ---------------------------------------------------------------- every token of some stories
def scores() -> None:
    """log_probabilities.npz: what some models say of each token, and what the truth says of their likeliest."""
    file = FOLDER / "log_probabilities.npz"
    if file.exists():
        return
    stories = test()[:SAMPLE]
    texts = encode(symbols(), [story.tokens for story in stories])
    tokens = torch.cat(texts).numpy()
    given, top, top_given = [], [], []
    for name in KEPT[:-1]:
        rows = all_rows(MODELS[name].make(counted_text()), texts)
        given.append(rows[np.arange(len(tokens)), tokens])
        top.append(rows.argmax(1))
        top_given.append(np.exp(rows.max(1)))
        print(f"scores: {name}, {-given[-1].mean():.4f} nats", flush=True)
    truth = true_rows(stories)
    given.append(np.log(truth[np.arange(len(tokens)), tokens]))
    top.append(truth.argmax(1))
    top_given.append(truth.max(1))
    top_true = [truth[np.arange(len(tokens)), one] for one in top]
    np.savez_compressed(
        file,
        names=np.array(KEPT),
        symbols=np.array(symbols()),
        document=np.repeat(np.arange(len(texts)), [len(text) for text in texts]).astype(np.int16),
        tokens=tokens.astype(np.int16),
        given=np.array(given, np.float32),
        top=np.array(top, np.int16),
        top_given=np.array(top_given, np.float16),
        top_true=np.array(top_true, np.float16),
    )


def all_rows(model: LanguageModel, texts: Sequence[Tensor]) -> np.ndarray:
    """ln P of each symbol at each place of each text, one below the other [N, V]; symbols in our order."""
    place = {symbol: number for number, symbol in enumerate(model.symbols)}
    ours = torch.tensor([place[symbol] for symbol in symbols()])
    return torch.cat([model.log_probabilities(ours[text][None])[0, :-1][:, ours] for text in texts]).numpy()


def true_rows(stories: Sequence[Document]) -> np.ndarray:
    """P of each symbol at each place by the truth, which reads the words themselves [N, V]."""
    index = {symbol: number for number, symbol in enumerate(symbols())}
    rows = np.zeros((sum(map(len, stories)), len(symbols())))
    number = 0
    for story in stories:
        for place in range(len(story)):
            for word, probability in kitchen.next_word_distribution(story.tokens[:place]).items():
                rows[number, index.get(word, index[UNKNOWN])] += probability
            number += 1
    return rows


# ---------------------------------------------------------------- rows that are kept as soon as they are made
class Rows:
    """A table in data/scoreboard that grows row by row; what is in it is not made again."""

    def __init__(self, name: str, key: Sequence[str]) -> None:
        self.file, self.key = FOLDER / f"{name}.csv", list(key)
        self.rows: list[dict[str, Any]] = pd.read_csv(self.file).to_dict("records") if self.file.exists() else []  # type: ignore[assignment]

    def __contains__(self, values: tuple[Any, ...]) -> bool:
        return any(tuple(row[name] for name in self.key) == values for row in self.rows)

    def add(self, row: dict[str, Any]) -> None:
        """Keep a row, on disk too; numbers to five digits."""
        self.rows.append({k: float(f"{v:.5g}") if isinstance(v, float) else v for k, v in row.items()})
        pd.DataFrame(self.rows).to_csv(self.file, index=False)
        print(f"{self.file.stem}: {self.rows[-1]}", flush=True)


def against_truth(model: LanguageModel, stories: Sequence[Document]) -> dict[str, float]:
    """Perplexity, and bits per token above the floor of the same stories with its standard error over stories."""
    found = score(model, [story.tokens for story in stories])
    return compared([-one for one in found], true_nats()[: len(stories)])


def compared(nats: Sequence[np.ndarray], floor: Sequence[np.ndarray]) -> dict[str, float]:
    """The same from -ln P of each token of each story, by a model and by the truth."""
    lengths = np.array([len(one) for one in nats])
    more = np.array([one.sum() - best.sum() for one, best in zip(nats, floor, strict=True)]) / math.log(2)
    mean = more.sum() / lengths.sum()
    error = math.sqrt(((more - mean * lengths) ** 2).sum()) / lengths.sum()
    return {
        "perplexity": math.exp(np.concatenate(nats).mean()),
        "bits above the floor": float(mean),
        "error": error,
    }


# ---------------------------------------------------------------- by the share of the training text
SHARES = (10, 30, 100)  # per cent of the frozen split "train", 100,000 tokens
MORE = (300, 1_000)  # per cent: other text; only for models that count
SHARED = ("unigram", "Laplace 2", "Good-Turing 3", "Katz 3", "modified Kneser-Ney 3", "modified Kneser-Ney 5")
TRAINED = ("lstm", "transformer")
SEEDS = (1, 2, 3)


class Epochs:
    """Batch number i of a finite text, epoch after epoch: inputs and targets [B, T] of stories of similar length."""

    def __init__(self, texts: Sequence[Tensor], end: int, size: int, seed: int) -> None:
        self.texts, self.end, self.size = texts, end, size
        self.random = np.random.default_rng(seed)
        self._waiting: list[tuple[Tensor, Tensor]] = []

    def __call__(self, step: int) -> tuple[Tensor, Tensor]:
        if not self._waiting:
            lengths = np.array([len(text) for text in self.texts]) + self.random.uniform(0, 20, len(self.texts))
            order = np.argsort(lengths)  # not quite: else the same stories would always meet
            groups = [order[i : i + self.size] for i in range(0, len(order), self.size)]
            self.random.shuffle(groups)
            self._waiting = [pair([self.texts[i] for i in group], self.end) for group in groups]
        return self._waiting.pop()


def learned(network: str, text: Sequence[Sequence[str]], valid: Sequence[Sequence[str]], listed: Sequence[str],
            seed: int, steps: int | None = None, seconds: float | None = None,
            batch: int = 16, **sizes: Any) -> tuple[Neural, pd.DataFrame]:  # fmt: skip
    """A network of the recorded size, trained on a finite text; of all validations the best one's weights are kept."""
    set_seed(seed)
    model = build(network, len(listed), **{**SIZES[network], **sizes})
    end = list(listed).index(ngrams.END)
    judged = encode(listed, valid)
    history = train(
        model,
        Epochs(encode(listed, text), end, batch, seed),
        lambda model, batch: (Loss(model, padded=True)(*batch), int((batch[1] != NO_TARGET).sum())),
        steps=steps,
        seconds=seconds,
        optimiser=adamw(model, RATES[network], 0.01, (0.9, 0.98)),
        schedule=warmup_cosine(100, lowest=0.0),
        validation=[pair(judged[i : i + 16], end) for i in range(0, len(judged), 16)],
        every=max(1, (steps or 800) // 16),
        patience=1_000,  # never stops early, but the best weights are kept
        precision="float32",
        clock=time.process_time,
        progress=False,
    )
    return Neural(model, listed), history


def shares() -> None:
    """shares.csv: 10, 30, 100 % of the shipped training text, and for counting models three and ten times as much."""
    table = Rows("shares", ("model", "share", "seed"))
    shipped = kitchen.split("train")
    for share in (*SHARES, *MORE):
        stories = shipped if share <= 100 else kitchen.documents(tokens=share * 1_000, seed=COUNTED_SEED)
        part = stories[: round(len(stories) * share / 100)] if share <= 100 else stories
        text = Text.of(part, symbols())
        for name in SHARED:
            if (name, share, 0) not in table:
                begin = time.process_time()
                model = MODELS[name].make(text)
                seconds = time.process_time() - begin
                row = {"model": name, "share": share, "seed": 0, "tokens": text.tokens, "passes": 1.0}
                table.add(row | against_truth(model, test()[:400]) | {"CPU seconds": seconds})
    valid = [story.tokens for story in kitchen.split("valid")[:64]]
    for seed in SEEDS:
        for share in SHARES:
            texts = [story.tokens for story in shipped[: round(len(shipped) * share / 100)]]
            tokens = sum(map(len, texts))
            for network in TRAINED:
                if (network, share, seed) in table:
                    continue
                # A minute on all of the text, on less of it by the root of the share: more passes, but not ten times.
                steps = round(STEPS_A_MINUTE[network] * math.sqrt(share / 100))
                trained_on, history = learned(network, texts, valid, symbols(), seed, steps)
                passes = float(history["tokens"].iloc[-1]) / tokens
                row = {"model": network, "share": share, "seed": seed, "tokens": tokens, "passes": passes}
                seconds = float(history["seconds"].iloc[-1])
                table.add(row | against_truth(trained_on, test()[:400]) | {"CPU seconds": seconds})


# ---------------------------------------------------------------- the table of models
SPOKEN = 30  # tokens that a model writes while its time is taken


def models() -> None:
    """models.csv: what each model costs and what it reaches."""
    table = Rows("models", ("model",))
    for name, entry in MODELS.items():
        if (name,) in table:
            continue
        if entry.kind == "truth":
            nats = np.concatenate(true_nats())
            row = {"tokens read": 0, "CPU seconds": 0.0, "weights": 0, "bytes": 0, "perplexity": math.exp(nats.mean())}
            table.add({"model": name, "kind": entry.kind} | row | {"bits above the floor": 0.0, "error": 0.0})
            continue
        text = counted_text()
        begin = time.process_time()
        model = entry.make(text)
        row = {"tokens read": text.tokens, "CPU seconds": time.process_time() - begin}
        if entry.run:
            run = runs.load(entry.run)
            row = {"tokens read": run.each("tokens")[0], "CPU seconds": run.each("CPU seconds")[0]}
        row |= dict(zip(("weights", "bytes"), size(model), strict=True)) | against_truth(model, test())
        unigram = MODELS["unigram"].make(text)
        for how, work in (("scoring", scoring), ("writing", writing)):
            speeds = [work(fresh(model)) / work(fresh(unigram)) for _ in range(3)]
            row[f"{how}, unigram = 1"] = float(np.median(speeds))
        row["scored a second"] = max(scoring(fresh(model)) for _ in range(3))
        row["written a second"] = max(writing(fresh(model)) for _ in range(3))
        table.add({"model": name, "kind": entry.kind} | row)


def size(model: LanguageModel) -> tuple[int, int]:
    """How many numbers a model keeps, and how many bytes they and what finds them take in memory."""
    if isinstance(model, Neural):
        weights = parameter_count(model.network)
        return weights, 4 * weights
    assert isinstance(model, Counted)
    counts = model.model.counts  # type: ignore[attr-defined]
    arrays = [array for level in counts.levels for array in level.values()] + list(counts._keys)
    if isinstance(model.model, ngrams.BackoffModel):
        tables = [np.asarray(one) for one in (*model.model.probability, *model.model.backoff)]
        return sum(one.size for one in tables), sum(one.nbytes for one in (*arrays, *tables))
    return sum(len(level["count"]) for level in counts.levels), sum(array.nbytes for array in arrays)


def fresh(model: LanguageModel) -> LanguageModel:
    """The same model without the rows that it remembers from earlier texts."""
    return Counted(model.model) if isinstance(model, Counted) else model


def scoring(model: LanguageModel) -> float:
    """Tokens a CPU second, 32 stories in one batch."""
    stories = [story.tokens for story in test()[:32]]
    begin = time.process_time()
    score(model, stories)
    return sum(map(len, stories)) / (time.process_time() - begin)


def writing(model: LanguageModel) -> float:
    """Tokens a CPU second, one after the other; the interface reads the whole text anew for each."""
    begin = time.process_time()
    words = sum(len(write(model, torch.Generator().manual_seed(seed), max_tokens=SPOKEN)) for seed in range(4))
    return words / (time.process_time() - begin)


# ---------------------------------------------------------------- probes by distance
ASKED = ("Laplace 2", "Katz 3", "modified Kneser-Ney 5")


def probes() -> None:
    """probes.csv: of each kind and distance, how many were asked and how many answered right."""
    table = Rows("probes", ("model", "probe"))
    documents = kitchen.documents(tokens=60_000, seed=13)
    asked = [p for kind in ("agreement", "companion", "copying") for p in kitchen.probes_in(kind, documents)]
    for name, entry in MODELS.items():
        if entry.kind == "truth" or entry.kind == "counted" and name not in ASKED:
            continue
        if any(row["model"] == name for row in table.rows):
            continue
        if entry.run:
            run = runs.load(entry.run)
            bands = run.numbers[run.seeds[0]]["probes"]  # asked when the run was recorded: the same 60,000 tokens
        else:
            bands = by_band(entry.make(counted_text()), asked)
        for band, (right, number) in bands.items():
            table.add({"model": name, "probe": band, "right": right, "asked": number})


# ---------------------------------------------------------------- by the number of weights
WIDTHS = (16, 32, 64)
HIDDEN = {16: 30, 32: 61, 64: 122}  # of the LSTM: as many weights as the Transformer has beside its embedding


def sizes() -> None:
    """sizes.csv: narrower LSTMs and Transformers, the steps of a minute at full width, fresh text, seed 1."""
    table = Rows("sizes", ("network", "width"))
    for network in TRAINED:
        full = runs.load(f"kitchen-{network}-1min")
        if (network, 128) not in table:
            row = {"network": network, "width": 128, "weights": int(full.each("parameters")[0])}
            row |= {"tokens read": full.each("tokens")[0], "CPU seconds": full.each("CPU seconds")[0]}
            row |= {"perplexity": math.exp(full.each("test nats")[0])}
            table.add(row | {"bits above the floor": full.each("bits above the floor")[0]})
        for width in WIDTHS:
            if (network, width) in table:
                continue
            changed = {"hidden": HIDDEN[width]} if network == "lstm" else {}
            config = replace(runs.RUNS[full.name], sizes={**SIZES[network], "width": width, **changed})
            made, history = trained(config, 1, Stories(config.level))
            row = {"network": network, "width": width, "weights": parameter_count(made)}
            last = history.iloc[-1]
            row |= {"tokens read": int(last["tokens"]), "CPU seconds": float(last["seconds"])}
            found = against_truth(Neural(made, symbols()), recorded_test())
            table.add(row | {name: found[name] for name in ("perplexity", "bits above the floor")})


def recorded_test() -> list[Document]:
    """The stories that judged the recorded runs: the first 50,000 tokens of the frozen split."""
    lengths = np.cumsum([len(story) for story in test()])
    return test()[: int(np.searchsorted(lengths, WORDS_OF_TEST)) + 1]


# ---------------------------------------------------------------- calibration, exponents: from what is recorded
BINS = 10


def derived() -> None:
    """calibration.csv, trust.csv and exponents.csv from the stored tokens and from shares.csv."""
    if (FOLDER / "log_probabilities.npz").exists():
        calibration()
    if (FOLDER / "shares.csv").exists():
        exponents()


def calibration() -> None:
    """By tenths of the probability that a model gives to the word it holds likeliest: how often that word came."""
    stored = log_probabilities()
    bins, trust = [], []
    for name in stored.names:
        said, came = stored.confidence(name), stored.top(name) == stored.tokens
        true = stored.true_confidence(name)
        tenth = np.minimum((said * BINS).astype(int), BINS - 1)
        gaps = 0.0
        for number in range(BINS):
            here = tenth == number
            if not here.any():
                continue
            row = {"model": name, "from": number / BINS, "to": (number + 1) / BINS, "tokens": int(here.sum())}
            bins.append(row | {"said": said[here].mean(), "came": came[here].mean(), "truth": true[here].mean()})
            gaps += abs(came[here].sum() - said[here].sum())
        row = {"model": name, "said": said.mean(), "came": came.mean(), "calibration error": gaps / len(said)}
        trust.append(row | {"word by word": np.abs(said - true).mean()})
    pd.DataFrame(bins).round(5).to_csv(FOLDER / "calibration.csv", index=False)
    pd.DataFrame(trust).round(5).to_csv(FOLDER / "trust.csv", index=False)


def exponents() -> None:
    """bits above the floor = a N ^ -b, N tokens: b by least squares on logarithms, and its standard error."""
    shares = pd.read_csv(FOLDER / "shares.csv")
    found = []
    for name, rows in shares.groupby("model", sort=False):
        for most in (100, max(MORE)):
            here = rows[rows["share"] <= most]
            if len(here) < 3 or most > 100 and here["share"].max() <= 100:
                continue
            x, y = np.log(here["tokens"]), np.log(here["bits above the floor"])
            slope, start = np.polyfit(x, y, 1)
            left = float(((y - slope * x - start) ** 2).sum())
            error = math.sqrt(left / (len(x) - 2) / float(((x - x.mean()) ** 2).sum()))
            row = {"model": name, "shares": f"10 to {most}", "points": len(x), "exponent": -slope, "error": error}
            found.append(row | {"factor": math.exp(start)})
    pd.DataFrame(found).round(4).to_csv(FOLDER / "exponents.csv", index=False)


# ---------------------------------------------------------------- another corpus
def other_corpus(name: str, seconds: float) -> None:
    """The same models on another corpus, on the screen; networks learn from the same finite text as the others."""
    from lmkit import corpora, real

    if name in corpora.REAL and not real.is_cached(real.registry()[name]):
        raise SystemExit(f"{name} is not on this machine; fetch it first: python -m lmkit.corpora fetch {name}")
    try:
        splits = corpora.load(name).splits
        told, judge = splits["train"], [[*sentence, ngrams.END] for sentence in splits["test"]]
    except (ValueError, KeyError, AttributeError) as error:
        raise SystemExit(f"{name} cannot be judged: {error}. It needs sentences with splits train and test.") from None
    held = max(1, len(told) // 20)
    told, valid = told[:-held], [[*sentence, ngrams.END] for sentence in told[-held:][:500]]
    often = Counter(word for sentence in told for word in sentence)
    listed = [UNKNOWN, *sorted(word for word, number in often.items() if number > 1), ngrams.END]
    text = Text.of([[*sentence, ngrams.END] for sentence in told], listed)
    longest = max(len(sentence) + 1 for part in (told, valid, judge) for sentence in part)
    tokens = sum(map(len, judge))
    print(f"{name}: {text.tokens:,} tokens to learn from, {tokens:,} to judge, V = {len(listed):,}\n")
    print("| model | CPU s | perplexity | bits |\n|---|---|---|---|")

    def row(label: str, spent: float, model: LanguageModel) -> None:
        nats = -np.concatenate(score(model, judge)).mean()
        print(f"| {label} | {spent:.3g} | {math.exp(nats):.2f} | {nats / math.log(2):.3f} |", flush=True)

    for label, entry in MODELS.items():
        if entry.kind == "counted":
            begin = time.process_time()
            model = entry.make(text)
            row(label, time.process_time() - begin, model)
    batch = max(16, round(1_300 / (text.tokens / len(told))))
    for network in SIZES:
        sizes = {"block": longest + 1} if network == "transformer" else {}
        lines = [[*sentence, ngrams.END] for sentence in told]
        found, history = learned(network, lines, valid, listed, 1, seconds=seconds, batch=batch, **sizes)
        row(network, float(history["seconds"].iloc[-1]), found)


PARTS = {"scores": scores, "models": models, "probes": probes, "sizes": sizes, "shares": shares}


def main(
    parts: Annotated[list[str] | None, typer.Argument(help="What to make; all of it if none is named.")] = None,
    corpus: Annotated[str | None, typer.Option(help="Another corpus by its name; nothing is written.")] = None,
    seconds: Annotated[float, typer.Option(help="CPU seconds for each network, with --corpus.")] = 60,
) -> None:
    """Every model of the course on one text: tables, and the page of them."""
    torch.set_num_threads(1)
    if corpus:
        other_corpus(corpus, seconds)
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in named_or_all(parts, PARTS):
        PARTS[name]()
    derived()
    needed = ["log_probabilities.npz", *(f"{name}.csv" for name in PARTS if name != "scores")]
    if all((FOLDER / name).exists() for name in needed):
        scoreboard_page.FILE.write_text(scoreboard_page.page(), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
