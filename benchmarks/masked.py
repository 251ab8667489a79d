"""Models that fill in a blank, read against the exact answer: which part of the text must a model see?

    python -m benchmarks.masked [sweep] [early] [tuning] [ladder] [senses] [pseudo] [rates] [longer] [agreement]

About half an hour of CPU time on one thread. Writes data/masked/*.csv (a README there says what stands in them); what
is already there is not made again, so a run that was stopped goes on. Weights of the ladder lie in runs/masked.

All learn from the same million tokens of kitchen text (seed 1; words seen once are `<UNK>`), with about as many
weights between embedding and output, for the same CPU time, with Adam, each at its own best rate of the sweep, which
uses a seed not used otherwise. Networks that read both sides get 15 % of the words hidden (80 % behind <MASK>, 10 % by
another word, 10 % left), the one that reads only the left side is told to say every next word. All are asked one
blank at a time in whole stories of another text.
"""

import os
import time
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import torch  # noqa: E402
from torch import Tensor, nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

from benchmarks.commands import run_parts  # noqa: E402
from benchmarks.timed import train_for  # noqa: E402
from lmkit import kitchen  # noqa: E402
from lmkit.models import Neural, build, encode, parameter_count  # noqa: E402
from lmkit.models.masked import (  # noqa: E402
    MASK,
    PAD,
    BothSides,
    FillIn,
    LeftOnly,
    Unigram,
    build_both,
    filled,
)
from lmkit.training import set_seed, warmup_cosine  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
DATA, WEIGHTS = ROOT / "data" / "masked", ROOT / "runs" / "masked"
WIDTH, BATCH, SEEDS, SWEEP_SEED = 64, 8, (1, 2, 3), 9
SIZES: dict[str, dict[str, Any]] = {
    "left only (LSTM)": {"hidden": 124},
    "window": {"hidden": 156, "n": 4},
    "bilstm": {"hidden": 80},
    "encoder": {"layers": 2, "heads": 4},
}
SWEPT = {"encoder": (0.002, 0.004, 0.008)}
FAST = (0.004, 0.008, 0.016)  # for all others
SECONDS = {"sweep": 8.0, "ladder": 40.0, "rates": 20.0}  # of CPU time, for each run
LONGER = {40.0: ("encoder", "window", "left only (LSTM)"), 240.0: ("encoder", "window")}
AGREEMENT = (("encoder", 40.0, "15 %"), ("encoder", 40.0, "30 %"), ("window", 40.0, "30 %"), ("bilstm", 40.0, "30 %"),
             ("left only (LSTM)", 40.0, "-"), ("encoder", 120.0, "30 %"), ("window", 120.0, "30 %"),
             ("bilstm", 120.0, "30 %"), ("left only (LSTM)", 15.0, "-"))  # fmt: skip
BLANKS = {"sweep": 500, "ladder": 3000, "rates": 1500}
MASKING = {"15 %": (0.15, 0.8, 0.1), "5 %": (0.05, 0.8, 0.1), "30 %": (0.3, 0.8, 0.1), "50 %": (0.5, 0.8, 0.1),
           "15 %, only <MASK>": (0.15, 1.0, 0.0)}  # fmt: skip


class Text:
    """The text to learn from, the text to be asked, and the exact answers there."""

    def __init__(self) -> None:
        stories = kitchen.documents(tokens=1_000_000, seed=1)
        counts = pd.Series([word for story in stories for word in story.tokens]).value_counts()
        self.words = sorted(counts[counts >= 2].index)
        self.symbols = [PAD, MASK, "<UNK>", *self.words]
        self.counts = [1e-9, 1e-9, float(counts[counts < 2].sum()), *map(float, counts[self.words])]
        self.V = len(self.symbols)
        self.train = encode(self.symbols, [story.tokens for story in stories])
        self.test = kitchen.documents(tokens=200_000, seed=21)

    def ask(self, count: int) -> tuple[pd.DataFrame, list[list[str]]]:
        """`count` blanks with what the truth says there, and what kind of word stands there."""
        truth = kitchen.blanks(self.test, count, 7, set(self.words))
        rows = []
        for blank in truth:
            story, marks = self.test[blank.document], {}
            for mark in story.marks:
                marks[mark.position] = mark.kind
            kind = kind_of(marks.get(blank.place, ""), story.tags[blank.place])
            rows.append((blank.document, blank.place, kind, blank.log_probability, blank.best))
        table = pd.DataFrame(rows, columns=["document", "place", "kind", "truth", "best"])
        return table, [story.tokens for story in self.test]


def kind_of(mark: str, tag: str) -> str:
    if mark.startswith(("copy", "recall")):
        return "copies"
    if mark.startswith("agreement"):
        return "agreement"
    return "open classes" if tag in {"NOUN", "VERB", "ADJ", "ADV", "PROPN", "NUM", "INTJ"} else "closed classes"


def batches(texts: Sequence[Tensor], seed: int) -> Any:
    """Stories of about the same length together, in random order, again and again: [B, T], filled up with 0."""
    draw = np.random.default_rng(seed)
    lengths = np.array([len(text) for text in texts])
    while True:
        order = np.argsort(lengths + draw.uniform(0, 10, len(texts)))
        parts = [order[i : i + BATCH] for i in range(0, len(order), BATCH)]
        for i in draw.permutation(len(parts)):
            yield nn.utils.rnn.pad_sequence([texts[j] for j in parts[i]], batch_first=True)


def hide(
    tokens: Tensor, rate: float, blank: float, other: float, V: int, draw: torch.Generator
) -> tuple[Tensor, Tensor]:
    """The corrupted texts, and which places are asked [B, T]."""
    asked = (torch.rand(tokens.shape, generator=draw) < rate) & (tokens > 0)
    lot = torch.rand(tokens.shape, generator=draw)
    words = torch.randint(3, V, tokens.shape, generator=draw)
    changed = torch.where(lot < blank, 1, torch.where(lot < blank + other, words, tokens))
    return torch.where(asked, changed, tokens), asked


def train(
    name: str, text: Text, rate: float, seed: int, seconds: float, masking: tuple[float, float, float]
) -> tuple[FillIn, nn.Module, dict[str, float]]:
    """A network after so many seconds of CPU time; the learning rate falls to a tenth with the time used."""
    set_seed(seed)
    left = name.startswith("left")
    sizes = {"width": WIDTH, **SIZES[name]}
    network: Any = build("lstm", text.V, **sizes) if left else build_both(name, text.V, **sizes)
    end, draw, stream = text.symbols.index("</s>"), torch.Generator().manual_seed(seed), batches(text.train, seed)

    def loss(network: Any, tokens: Tensor) -> tuple[Tensor, int]:
        """Mean over the places that are asked, and how many words were read."""
        if left:
            before = torch.cat([torch.full((len(tokens), 1), end), tokens[:, :-1]], 1)
            states = network.between(network.embedding(before), before)
            asked = tokens > 0
        else:
            inputs, asked = hide(tokens, *masking, text.V, draw)
            states = network.states(inputs)
        scores = F.linear(states[asked], network.embedding.weight)
        return F.cross_entropy(scores, tokens[asked]), int((tokens > 0).sum())

    adam = torch.optim.Adam(network.parameters(), lr=rate, betas=(0.9, 0.98), fused=True)
    history = train_for(seconds, network, lambda step: next(stream), loss, adam, warmup_cosine(50))
    steps, seen = int(history.step.iloc[-1]), int(history.tokens.iloc[-1])
    model: FillIn = LeftOnly(Neural(network, text.symbols)) if left else BothSides(network, text.symbols)
    weights = parameter_count(network) - network.embedding.weight.numel()
    return model, network, {"steps": steps, "passes": seen / 1e6, "weights": weights}


def rows_of(model: FillIn, asked: pd.DataFrame, stories: list[list[str]]) -> list[tuple[str, int, float, float]]:
    """For all blanks and for each kind: how many, nats, accuracy."""
    log_p, right = filled(model, stories, list(zip(asked.document, asked.place, strict=True)))
    found = []
    for kind in ("all", *sorted(set(asked.kind))):
        here = (asked.kind == kind).to_numpy() | (kind == "all")
        found.append((kind, int(here.sum()), float(-log_p[here].mean()), float(right[here].mean())))
    return found


def sweep(text: Text) -> None:
    asked, stories = text.ask(BLANKS["sweep"])
    table = Table("sweep", "model rate steps passes weights nats accuracy")
    for name in SIZES:
        for rate in SWEPT.get(name, FAST):
            if not table.has(model=name, rate=rate):
                model, _, about = train(name, text, rate, SWEEP_SEED, SECONDS["sweep"], MASKING["15 %"])
                (_, _, nats, accuracy), *_ = rows_of(model, asked, stories)
                table.add(name, rate, *about.values(), nats, accuracy)


def best(name: str) -> float:
    found = pd.read_csv(DATA / "sweep.csv")
    return float(found[found.model == name].sort_values("nats").rate.iloc[0])


def ladder(text: Text, seeds: Sequence[int] = SEEDS) -> None:
    asked, stories = text.ask(BLANKS["ladder"])
    table = Table("ladder", "model seed kind blanks nats nats_error accuracy gap gap_error steps passes weights")
    document = asked.document.to_numpy()

    def add(name: str, seed: int, log_p: np.ndarray, right: np.ndarray, about: dict[str, float]) -> None:
        for kind in ("all", *sorted(set(asked.kind))):
            here = (asked.kind == kind).to_numpy() | (kind == "all")
            own, over = -log_p[here], (asked.truth.to_numpy() - log_p)[here]
            table.add(name, seed, kind, int(here.sum()), own.mean(), error(own, document[here]), right[here].mean(),
                      over.mean(), error(over, document[here]), *about.values())  # fmt: skip

    nothing = {"steps": 0.0, "passes": 0, "weights": 0}
    pairs = list(zip(asked.document, asked.place, strict=True))
    if not table.has(model="floor"):
        add("floor", 0, asked.truth.to_numpy(), asked.best.to_numpy(), nothing)
        add("unigram", 0, *filled(Unigram(text.symbols, text.counts), stories, pairs), nothing)
    WEIGHTS.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        for name in SIZES:
            if table.has(model=name, seed=seed):
                continue
            model, network, about = train(name, text, best(name), seed, SECONDS["ladder"], MASKING["15 %"])
            torch.save(network.state_dict(), WEIGHTS / f"{name}-{seed}.pt")
            add(name, seed, *filled(model, stories, pairs), about)


def early(text: Text) -> None:
    """Two seeds of the ladder: what `tuning` begins with."""
    ladder(text, SEEDS[:2])


def error(values: np.ndarray, groups: np.ndarray) -> float:
    """Standard error of the mean; stories are the independent draws."""
    off = pd.Series(values - values.mean()).groupby(groups).sum()
    return float(np.sqrt((off**2).sum()) / len(values))


def rates(text: Text) -> None:
    asked, stories = text.ask(BLANKS["rates"])
    table = Table("rates", "masking seed kind blanks nats accuracy steps passes")
    for seed in SEEDS:
        for masking, numbers in MASKING.items():
            if table.has(masking=masking, seed=seed):
                continue
            model, _, about = train("encoder", text, best("encoder"), seed, SECONDS["rates"], numbers)
            for row in rows_of(model, asked, stories):
                table.add(masking, seed, *row, about["steps"], about["passes"])


def longer(text: Text, seed: int = 1) -> None:
    """One seed, with more time and, for those that read both sides, twice as many words hidden."""
    asked, stories = text.ask(BLANKS["ladder"])
    table = Table("longer", "model seconds seed kind blanks nats accuracy steps passes")
    for seconds, names in LONGER.items():
        for name in names:
            if table.has(model=name, seconds=seconds, seed=seed):
                continue
            model, _, about = train(name, text, best(name), seed, seconds, MASKING["30 %"])
            for row in rows_of(model, asked, stories):
                table.add(name, seconds, seed, *row, about["steps"], about["passes"])


def agreement(text: Text, seed: int = 1) -> None:
    """The right form of a hidden verb against its other number: how often the right one is likelier."""
    known = set(text.words)
    found = kitchen.probes_in("agreement", kitchen.documents(tokens=60_000, seed=41))
    found = [probe for probe in found if probe.right[0] in known and probe.wrong and probe.wrong[0] in known]
    stories, places = [probe.document.tokens for probe in found], [probe.position for probe in found]
    broken = [
        [*tokens[:t], probe.wrong[0], *tokens[t + 1 :]] for tokens, t, probe in zip(stories, places, found, strict=True)
    ]
    labels, pairs = np.array([probe.label for probe in found]), list(enumerate(places))
    table = Table("agreement", "model seconds masking seed label verbs right nats steps")

    def add(model: FillIn, *about: Any, steps: float) -> None:
        (good, _), (bad, _) = filled(model, stories, pairs), filled(model, broken, pairs)
        for label in sorted(set(labels)):
            here = labels == label
            right = float((good > bad)[here].mean())
            table.add(*about, label, int(here.sum()), right, float(-good[here].mean()), steps)

    if not table.has(model="unigram"):
        add(Unigram(text.symbols, text.counts), "unigram", 0.0, "-", 0, steps=0)
    for name, seconds, masking in AGREEMENT:
        if not table.has(model=name, seconds=seconds, masking=masking, seed=seed):
            model, _, about = train(name, text, best(name), seed, seconds, MASKING.get(masking, MASKING["15 %"]))
            add(model, name, seconds, masking, seed, steps=about["steps"])


def senses(text: Text) -> None:
    """Vectors of one word at many places, by the sense it has there: what a linear probe makes of them."""
    stories = kitchen.documents(tokens=400_000, seed=31)
    table = Table("senses", "model word seed width examples error")
    for word in ("order", "drink", "dance"):
        places = [
            (i, t, story.tags[t]) for i, story in enumerate(stories) for t, w in enumerate(story.tokens) if w == word
        ]
        places = [place for place in places if place[2] in ("NOUN", "VERB")]
        few = min(sum(tag == "NOUN" for *_, tag in places), sum(tag == "VERB" for *_, tag in places), 200)
        chosen = [place for sense in ("NOUN", "VERB") for place in [p for p in places if p[2] == sense][:few]]
        y = np.array([tag == "VERB" for *_, tag in chosen], dtype=float)
        tokens = nn.utils.rnn.pad_sequence(
            encode(text.symbols, [stories[i].tokens for i, *_ in chosen]), batch_first=True
        )
        at = torch.arange(len(chosen)), torch.tensor([t for _, t, _ in chosen])
        for seed in SEEDS:
            for name in ("static", "window", "bilstm", "encoder"):
                if table.has(model=name, word=word, seed=seed):
                    continue
                network = restored("encoder" if name == "static" else name, text, seed)
                with torch.no_grad():
                    x = network.embedding(tokens) if name == "static" else network.states(tokens)
                x = x[at].double().numpy()
                table.add(name, word, seed, x.shape[1], len(y), probe(x, y, seed))


def probe(x: np.ndarray, y: np.ndarray, seed: int) -> float:
    """The share of wrong answers of a linear classifier (least squares, ridge) on the half it did not learn from."""
    order = np.random.default_rng(seed).permutation(len(y))
    learn, test = order[::2], order[1::2]
    x = (x - x[learn].mean(0)) / (x[learn].std(0) + 1e-6)
    x = np.column_stack([x, np.ones(len(x))])
    w = np.linalg.solve(x[learn].T @ x[learn] + np.eye(x.shape[1]), x[learn].T @ (2 * y[learn] - 1))
    return float(((x[test] @ w > 0) != y[test]).mean())


def restored(name: str, text: Text, seed: int) -> Any:
    network = build_both(name, text.V, width=WIDTH, **SIZES[name])
    network.load_state_dict(torch.load(WEIGHTS / f"{name}-{seed}.pt"))
    return network.eval()


def tuning(text: Text) -> None:
    """A tagger on 50, 200 or 1,000 labelled sentences: four ways to begin, each at its own best rate."""
    tags = sorted({tag for story in kitchen.split("train") for tag in story.tags})
    pairs = [pair for story in kitchen.split("train") for pair in zip(story.tokens, story.tags, strict=True)]
    several = pd.DataFrame(pairs).groupby(0)[1].nunique()
    labelled, test = sentences(kitchen.split("train")), sentences(kitchen.split("valid"))[:600]
    x_test, y_test = numbered(text, test, tags)
    ambiguous = torch.isin(x_test, torch.tensor([i for i, w in enumerate(text.symbols) if several.get(w, 1) > 1]))
    table = Table("tuning", "start sentences seed rate error error_ambiguous")
    for start in ("scratch", "vectors", "pre-trained", "pre-trained, frozen"):
        for sentences_, seed in ((200, SWEEP_SEED), *((n, seed) for n in (50, 200, 1000) for seed in range(1, 6))):
            swept = pd.DataFrame([r for r in table.rows if r[0] == start and r[2] == SWEEP_SEED], columns=table.columns)
            fast = (0.01, 0.03) if "frozen" in start else (0.003, 0.01)
            for rate in fast if seed == SWEEP_SEED else [float(swept.sort_values("error").rate.iloc[0])]:
                if table.has(start=start, sentences=sentences_, seed=seed, rate=rate):
                    continue
                draw = np.random.default_rng([seed, sentences_])
                some = [labelled[i] for i in draw.choice(len(labelled), sentences_, replace=False)]
                wrong = (
                    tagger(start, text, *numbered(text, some, tags), rate, seed, len(tags))(x_test).argmax(2) != y_test
                )
                table.add(start, sentences_, seed, rate, float(wrong[y_test >= 0].float().mean()),
                          float(wrong[ambiguous].float().mean()))  # fmt: skip


def tagger(start: str, text: Text, x: Tensor, y: Tensor, rate: float, seed: int, K: int, steps: int = 100) -> Any:
    """Encoder and linear head after 100 steps of 16 sentences; with "frozen" only the head learns."""
    set_seed(seed)
    network = build_both("encoder", text.V, width=WIDTH, **SIZES["encoder"])
    if start.startswith("pre-trained"):
        network = restored("encoder", text, 1 + seed % 2)
    if start == "vectors":  # 50 of the 64 numbers, as large as the others
        stored = np.load(ROOT / "data" / "vectors" / "words.npz")
        place = {word: i for i, word in enumerate(stored["words"].tolist())}
        known = [i for i, word in enumerate(text.symbols) if word in place]
        A = torch.tensor(stored["A"].astype(np.float32))
        with torch.no_grad():
            chosen = A[[place[text.symbols[i]] for i in known]]
            network.embedding.weight[known, : A.shape[1]] = 0.05 * chosen / chosen.std()
    head = nn.Linear(WIDTH, K)
    network.requires_grad_("frozen" not in start)
    weights = [w for w in (*network.parameters(), *head.parameters()) if w.requires_grad]
    adam, factor = torch.optim.Adam(weights, lr=rate, fused=True), warmup_cosine(15)
    draw = torch.Generator().manual_seed(seed)
    for step in range(steps):
        adam.param_groups[0]["lr"] = rate * factor(step, step / steps)
        some = torch.randperm(len(x), generator=draw)[:16]
        loss = F.cross_entropy(head(network.states(x[some])).flatten(0, 1), y[some].flatten(), ignore_index=-100)
        adam.zero_grad()
        loss.backward()
        adam.step()
    return lambda texts: head(network.eval().states(texts)).detach()


def pseudo(text: Text) -> None:
    """Stories, each with one word changed, by ln P and by pseudo-log-likelihood: the truth's, and that of networks.

    The changed word is drawn from all that are possible there; "broken" has a verb in the wrong number instead.
    """
    draw = np.random.default_rng(1)
    chosen: list[Any] = []
    rows = []
    for story in kitchen.documents(tokens=160_000, seed=41):
        agreement = [probe for probe in kitchen.probes_in("agreement", [story]) if probe.wrong]
        place = int(draw.integers(len(story) - 1))
        if len(story) > 80 or len(chosen) == 150 or not agreement:
            continue
        possible = sorted(set(kitchen.masked_distribution(story.tokens, place)) - {story.tokens[place]})
        if possible:
            other, broken = list(story.tokens), list(story.tokens)
            other[place] = possible[draw.integers(len(possible))]
            broken[agreement[0].position] = agreement[0].wrong[0]
            chosen.append((story.tokens, other, broken))
    if not (DATA / "pseudo.csv").exists():
        for tokens, other, _ in chosen:
            numbers = [f(some) for some in (tokens, other) for f in (true_log_p, kitchen.pseudo_log_likelihood)]
            rows.append((len(tokens), *numbers))
        columns = ["length", "ln_p", "pll", "other_ln_p", "other_pll"]
        pd.DataFrame(rows, columns=columns).round(4).to_csv(DATA / "pseudo.csv", index=False)
    true = pd.read_csv(DATA / "pseudo.csv")
    table = Table("ranking", "model seed pairs right")
    for seed in SEEDS if (WEIGHTS / "encoder-3.pt").exists() else ():
        for name in ("left only (LSTM)", "encoder"):
            if table.has(model=name, seed=seed):
                continue
            model = restored_model(name, text, seed)
            texts = [some for three in chosen for some in three]
            pairs = [(i, t) for i, some in enumerate(texts) for t in range(len(some))]
            log_p, _ = filled(model, texts, pairs)
            score = pd.Series(log_p).groupby([i for i, _ in pairs]).sum().to_numpy().reshape(-1, 3)
            same = (score[:, 0] > score[:, 1]) == (true.ln_p > true.other_ln_p)
            table.add(name, seed, "one word changed", float(same.mean()))
            table.add(name, seed, "wrong verb form", float((score[:, 0] > score[:, 2]).mean()))


def true_log_p(tokens: list[str]) -> float:
    return float(kitchen.read(tokens).log_probability)


def restored_model(name: str, text: Text, seed: int) -> FillIn:
    if not name.startswith("left"):
        return BothSides(restored(name, text, seed), text.symbols)
    network = build("lstm", text.V, width=WIDTH, **SIZES[name])
    network.load_state_dict(torch.load(WEIGHTS / f"{name}-{seed}.pt"))
    return LeftOnly(Neural(network, text.symbols))


def sentences(stories: Sequence[kitchen.Document]) -> list[tuple[list[str], list[str]]]:
    found: list[tuple[list[str], list[str]]] = []
    for story in stories:
        ends = [i + 1 for i, word in enumerate(story.tokens) if word == "."]
        found += [(story.tokens[a:b], story.tags[a:b]) for a, b in zip([0, *ends], ends, strict=False) if b - a <= 30]
    return found


def numbered(text: Text, some: Sequence[tuple[list[str], list[str]]], tags: list[str]) -> tuple[Tensor, Tensor]:
    """Words [n, T], filled up with 0, and tags [n, T], filled up with -100."""
    x = nn.utils.rnn.pad_sequence(encode(text.symbols, [words for words, _ in some]), batch_first=True)
    y = [torch.tensor([tags.index(tag) for tag in gold]) for _, gold in some]
    return x, nn.utils.rnn.pad_sequence(y, batch_first=True, padding_value=-100)


class Table:
    """A CSV file that grows row by row; what stands in it is not made again."""

    def __init__(self, name: str, columns: str) -> None:
        DATA.mkdir(parents=True, exist_ok=True)
        self.path, self.columns = DATA / f"{name}.csv", columns.split()
        self.rows = pd.read_csv(self.path, keep_default_na=False).values.tolist() if self.path.exists() else []

    def has(self, **wanted: Any) -> bool:
        return any(all(row[self.columns.index(k)] == v for k, v in wanted.items()) for row in self.rows)

    def add(self, *row: Any) -> None:
        self.rows.append([round(float(v), 4) if isinstance(v, float) else v for v in row])
        pd.DataFrame(self.rows, columns=self.columns).to_csv(self.path, index=False)
        print(self.path.stem, *self.rows[-1], f"{time.process_time():.0f} s", flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    text = cache(Text)
    parts = (sweep, early, tuning, ladder, senses, pseudo, rates, longer, agreement)
    run_parts({part.__name__: partial(lambda part: part(text()), part) for part in parts})
