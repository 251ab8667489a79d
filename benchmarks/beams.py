"""Beam search with a trained translator: what a wider beam finds, and what it is worth.

    python -m benchmarks.beams

Trains the LSTM with attention of `benchmarks.translation` on one seed not used there, then translates 300 of its new
sources with beams of 1 to 16, the finished targets ranked by ln P / (words + 1)^alpha. About four minutes of CPU time
on one thread. Writes data/seq2seq/beams.csv, one row for each width and alpha: BLEU against all valid translations
(0 to 100), share of valid translations, words per reference word (its closest), mean ln P of what was found, share of
sources for which the found ln P is below the greedy one's or below the best valid translation's (a search error:
something better was there, even if what was found is valid), and the share in which the found target is wrong and at
least as probable as every valid translation (a model error: no search would help).
"""

import math

import pandas as pd
import sacrebleu
import torch

from benchmarks.translation import FOLDER, Setting, Text, train
from lmkit import translation
from lmkit.models.seq2seq import BOS, EOS, PAD, UNK, EncoderDecoder, Memory
from lmkit.training import set_seed

SECONDS, ASKED, LONGEST, SEED, RATE, HIDDEN = 75.0, 300, 25, 4, 0.01, 128
WIDTHS, ALPHAS = (1, 2, 4, 8, 16), (0.0, 0.5, 1.0, 2.0)


class Rows:
    """ln P of each next word after a prefix, asked of the model once for each prefix of a source."""

    def __init__(self, model: EncoderDecoder, memory: Memory) -> None:
        self.model, self.memory = model, memory
        self.known: dict[tuple[int, ...], tuple[torch.Tensor, object]] = {}

    @torch.no_grad()
    def after(self, words: tuple[int, ...]) -> torch.Tensor:
        """[V]"""
        if words not in self.known:
            past = None
            if words:
                self.after(words[:-1])
                past = self.known[words[:-1]][1]
            token = torch.tensor([[words[-1] if words else BOS]])
            scores, past = self.model.decode(self.memory, token, past)
            row = scores[0, -1].double()
            row[[PAD, BOS, UNK]] = -math.inf  # never part of a target
            self.known[words] = row.log_softmax(-1), past
        return self.known[words][0]

    def total(self, words: tuple[int, ...]) -> float:
        """ln P of a whole target."""
        return sum(float(self.after(words[:t])[word]) for t, word in enumerate((*words, EOS)))


def finished(rows: Rows, k: int) -> list[tuple[tuple[int, ...], float]]:
    """All targets that a beam of k comes to, with ln P; as the chapter's task defines it."""
    beam: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    found = []
    for n in range(LONGEST + 1):
        candidates = []
        for words, total in beam:
            row = rows.after(words)
            best = row.topk(k) if n < LONGEST else torch.return_types.topk((row[EOS : EOS + 1], torch.tensor([EOS])))
            candidates += [
                ((*words, int(word)), total + float(p)) for p, word in zip(best.values, best.indices, strict=True)
            ]
        candidates = sorted(candidates, key=lambda pair: -pair[1])[:k]
        found += [(words[:-1], total) for words, total in candidates if words[-1] == EOS]
        beam = [pair for pair in candidates if pair[0][-1] != EOS]
        if not beam:
            break
    return found


def main() -> None:
    torch.set_num_threads(1)
    set_seed(SEED)
    text = Text()
    model, steps, _ = train(text, Setting("beams", "lstm", "lstm", HIDDEN, 0.0, RATE, SEED), SECONDS)
    print(f"{steps} steps", flush=True)
    found: dict[tuple[int, float], list[tuple[tuple[int, ...], float]]] = {}
    best_valid, valid = [], []
    for number, source in enumerate(text.sources[:ASKED]):
        rows = Rows(model, model.encode(text.source_words.encode([source])))
        every = [tuple(text.target_words.number.get(w, UNK) for w in one) for one in translation.references(source)]
        best_valid.append(max(rows.total(one) if UNK not in one else -math.inf for one in every))
        valid.append({*every})
        for k in WIDTHS:
            ends = finished(rows, k)
            for alpha in ALPHAS:
                pick = max(ends, key=lambda pair: pair[1] / (len(pair[0]) + 1) ** alpha)
                found.setdefault((k, alpha), []).append(pick)
        if number % 50 == 0:
            print(number, flush=True)
    table = []
    references = [list(column) for column in text.all_references]
    for (k, alpha), picks in found.items():
        outputs = [" ".join(text.target_words.words[w] for w in words) for words, _ in picks]
        columns = [column[:ASKED] for column in references]
        bleu = sacrebleu.corpus_bleu(outputs, columns, tokenize="none", smooth_method="none", force=True)
        greedy = [total for _, total in found[1, alpha]]
        right = [words in one for (words, _), one in zip(picks, valid, strict=True)]
        totals = [total for _, total in picks]
        table.append(
            {
                "k": k,
                "alpha": alpha,
                "bleu": round(bleu.score, 2),
                "valid": sum(right) / ASKED,
                "length": round(bleu.sys_len / bleu.ref_len, 4),
                "ln_p": round(sum(totals) / ASKED, 4),
                "below_greedy": sum(t < g - 1e-9 for t, g in zip(totals, greedy, strict=True)) / ASKED,
                "search_error": sum(t < b - 1e-9 for t, b in zip(totals, best_valid, strict=True)) / ASKED,
                "model_error": sum(not r and t >= b - 1e-9 for r, t, b in zip(right, totals, best_valid, strict=True))
                / ASKED,
            }
        )
    pd.DataFrame(table).round(4).to_csv(FOLDER / "beams.csv", index=False)
    print(pd.DataFrame(table).to_string())


if __name__ == "__main__":
    main()
