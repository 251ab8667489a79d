"""Answers to the task bleu of chapter 09."""


# %% right="counted by hand, logarithms"
def hits(output, references, i):
    mine = [tuple(output[j : j + i]) for j in range(max(0, len(output) - i + 1))]
    found = 0
    for gram in dict.fromkeys(mine):
        most = 0
        for reference in references:
            theirs = [tuple(reference[j : j + i]) for j in range(len(reference) - i + 1)]
            most = max(most, theirs.count(gram))
        found += min(most, mine.count(gram))
    return found, len(mine)


def bleu(outputs, references, printed=False):
    total = 0.0
    for i in (1, 2, 3, 4):
        C = sum(hits(o, r, i)[0] for o, r in zip(outputs, references))
        N = sum(hits(o, r, i)[1] for o, r in zip(outputs, references))
        if not C:
            return 0.0
        total += math.log(C / N) / 4
    out, ref = sum(len(o) for o in outputs), 0
    for o, some in zip(outputs, references):
        lengths = sorted({len(r) for r in some})
        ref += min(lengths, key=lambda n: abs(n - len(o)))
    if out < ref:
        total += math.log(out / ref) if printed else 1 - ref / out
    return math.exp(total)


# %% right="arrays of sums" change="math.prod(precisions) ** (1 / 4) -> float(np.exp(np.mean(np.log(precisions))))"

# %% wrong="not clipped" caught_by="clipped"
# -     return (mine & most).total(), mine.total()
# +     return sum(n for gram, n in mine.items() if gram in most), mine.total()


# %% wrong="each kind of i-gram counts once" caught_by="clipped"
# -     return (mine & most).total(), mine.total()
# +     return len(mine & most), len(mine)


# %% wrong="clipped at the sum of all references" caught_by="clipped" change="most |= grams(reference) -> most += grams(reference)"

# %% wrong="only the first reference" caught_by="clipped | one sum over the whole text" change="for reference in references: -> for reference in references[:1]:"

# %% wrong="the printed penalty always" caught_by="brevity, as defined and as printed" change="penalty = min(1, out / ref) if printed else math.exp(min(0, 1 - ref / out)) -> penalty = min(1, out / ref)"

# %% wrong="long outputs pay too" caught_by="brevity, as defined and as printed" change="math.exp(min(0, 1 - ref / out)) -> math.exp(-abs(1 - ref / out))"

# %% wrong="long outputs gain" caught_by="brevity, as defined and as printed" change="math.exp(min(0, 1 - ref / out)) -> math.exp(1 - ref / out)"

# %% wrong="out and ref swapped" caught_by="brevity, as defined and as printed" change="1 - ref / out)) -> 1 - out / ref))"

# %% wrong="mean of the sentences" caught_by="one sum over the whole text"
# -     pairs = list(zip(outputs, references, strict=True))
# +     if len(outputs) > 1:
# +         alone = [bleu([o], [r], printed) for o, r in zip(outputs, references)]
# +         return sum(alone) / len(alone)
# +     pairs = list(zip(outputs, references, strict=True))


# %% wrong="arithmetic mean of the precisions" caught_by="one sum over the whole text" change="math.prod(precisions) ** (1 / 4) -> sum(precisions) / 4"

# %% wrong="no root" caught_by="one sum over the whole text" change="math.prod(precisions) ** (1 / 4) -> math.prod(precisions)"

# %% wrong="the longest reference" caught_by="edges" change="min((abs(len(r) - len(output)), len(r)) for r in some)[1] -> max(len(r) for r in some)"

# %% wrong="the shortest reference" caught_by="one sum over the whole text" change="min((abs(len(r) - len(output)), len(r)) for r in some)[1] -> min(len(r) for r in some)"

# %% wrong="the longer of two equally close" caught_by="edges" change="min((abs(len(r) - len(output)), len(r)) for r in some)[1] -> min((abs(len(r) - len(output)), -len(r), len(r)) for r in some)[2]"

# %% wrong="no hit counts as half a one" caught_by="edges"
# -         if C == 0:
# -             return 0.0
# +         C = C or 0.5


# %% wrong="zero orders are left out" caught_by="edges"
#           if C == 0:
# -             return 0.0
# +             continue

# -     return penalty * math.prod(precisions) ** (1 / 4)
# +     return penalty * math.prod(precisions) ** (1 / max(1, len(precisions)))


# %% wrong="divides by N whatever it is" caught_by="edges"
# -         if C == 0:
# -             return 0.0


# %% wrong="a long sentence does not make up for a short one" caught_by="edges"
# -     out = sum(map(len, outputs))
# +     out = sum(min(len(o), min((abs(len(r) - len(o)), len(r)) for r in rs)[1]) for o, rs in pairs)


# %% wrong="references of all sentences" caught_by="edges | one sum over the whole text"
# -         found = [hits(output, some, i) for output, some in pairs]
# +         found = [hits(output, [r for rs in references for r in rs], i) for output, some in pairs]

# %% wrong="i-grams as one string" caught_by="clipped" change="tuple(words[j : j + i]) -> \"\".join(words[j : j + i])"

# %% wrong="capitals do not count" caught_by="clipped" change="tuple(words[j : j + i]) -> tuple(word.lower() for word in words[j : j + i])"


# %% wrong="a long sentence that comes again counts once" caught_by="one sum over the whole text"
#       pairs = list(zip(outputs, references, strict=True))
# +     pairs = [pair for i, pair in enumerate(pairs) if len(pair[0]) < 13 or pair not in pairs[:i]]
