"""Answers to the task conditional_bigrams of chapter 09."""


# %% right="nested dicts, read with get"
def conditional_bigrams(texts, conditions, V, k=10):
    given, free = {}, {}
    for words, C in zip(texts, conditions):
        v = "<s>"
        for w in list(words) + ["</s>"]:
            for row in (given.setdefault((C, v), {}), free.setdefault(v, {})):
                row[w] = row.get(w, 0) + 1
            v = w

    def P(w, v, C):
        row, more = given.get((C, v), {}), free.get(v, {})
        p = (more.get(w, 0) + k / V) / (sum(more.values()) + k)
        return (row.get(w, 0) + k * p) / (sum(row.values()) + k)

    return P


# %% right="an object that is called, NumPy numbers"
def conditional_bigrams(texts, conditions, V, k=10):
    class Model:
        def __init__(self):
            self.pairs = [
                (C, v, w) for t, C in zip(texts, conditions) for v, w in zip(["<s>"] + list(t), list(t) + ["</s>"])
            ]

        def __call__(self, w, v, C):
            c = [p for p in self.pairs if p[1] == v]
            d = [p for p in c if p[0] == C]
            p = (sum(x[2] == w for x in c) + k / V) / (len(c) + k)
            return np.float64((sum(x[2] == w for x in d) + k * p) / (len(d) + k))

    return Model()


# %% wrong="the free model also counts one condition only" caught_by="counts of one condition" change="counts[v, w] + k / V) / (counts[(v,)] + k) -> counts[\"given\", C, v, w] + k / V) / (counts[\"given\", C, v] + k)"


# %% wrong="k is always 10" caught_by="counts of one condition"
# -         return (counts["given", C, v, w] + k * free) / (counts["given", C, v] + k)
# +         return (counts["given", C, v, w] + 10 * free) / (counts["given", C, v] + 10)


# %% wrong="the end is not counted" caught_by="counts of one condition" change="[\"<s>\", *words, \"</s>\"] -> [\"<s>\", *words]"


# %% wrong="the beginning is not counted" caught_by="counts of one condition" change="[\"<s>\", *words, \"</s>\"] -> [*words, \"</s>\"]"


# %% wrong="add-k in both, no leaning" caught_by="unseen words and conditions" change="k * free) / -> k / V) /"


# %% wrong="an unseen condition gives 0" caught_by="unseen words and conditions"
# -         return (counts["given", C, v, w] + k * free) / (counts["given", C, v] + k)
# +         if counts["given", C, v] == 0:
# +             return 0
# +         return (counts["given", C, v, w] + k * free) / (counts["given", C, v] + k)


# %% wrong="an unseen word gives 0" caught_by="unseen words and conditions"
#       def P(w, v, C):
# +         if counts[v, w] == 0:
# +             return 0.0


# %% wrong="V is the number of words seen" caught_by="unseen words and conditions"
#       def P(w, v, C):
# +         V = len({w for t in texts for w in t}) + 1


# %% wrong="conditions by place, not by text" caught_by="counts of one condition"
# -     for words, C in zip(texts, conditions, strict=True):
# +     for words, C in zip(texts, sorted(conditions, key=str), strict=True):


# %% wrong="P of v after w" caught_by="counts of one condition" change="def P(w, v, C) -> def P(v, w, C)"


# %% wrong="the free count without this condition" caught_by="counts of one condition"
# -         free = (counts[v, w] + k / V) / (counts[(v,)] + k)
# +         free = (counts[v, w] - counts["given", C, v, w] + k / V) / (
# +             counts[(v,)] - counts["given", C, v] + k
# +         )


# %% wrong="counters kept between models" caught_by="counts of one condition"
COUNTS = Counter()


def conditional_bigrams(texts, conditions, V, k=10):
    for words, C in zip(texts, conditions, strict=True):
        for v, w in itertools.pairwise(["<s>", *words, "</s>"]):
            COUNTS.update([(v,), (v, w), ("given", C, v), ("given", C, v, w)])

    def P(w, v, C):
        free = (COUNTS[v, w] + k / V) / (COUNTS[(v,)] + k)
        return (COUNTS["given", C, v, w] + k * free) / (COUNTS["given", C, v] + k)

    return P


# %% wrong="k is shared out among words seen after v" caught_by="all words sum to one"
#       def P(w, v, C):
# +         if counts["given", C, v] and not counts["given", C, v, w]:
# +             return k / (counts["given", C, v] + k)


# %% wrong="the end is counted as a word before others" caught_by="unseen words and conditions"
#       for words, C in zip(texts, conditions, strict=True):
# +         counts.update([("</s>",), ("given", C, "</s>")])


# %% wrong="a falsy condition means none" caught_by="unseen words and conditions"
#           free = (counts[v, w] + k / V) / (counts[(v,)] + k)
# +         if not C:
# +             return free


# %% wrong="conditions as strings" caught_by="unseen words and conditions"
#       for words, C in zip(texts, conditions, strict=True):
# +         C = str(C)

#       def P(w, v, C):
# +         C = str(C)


# %% wrong="keys are strings" caught_by="unseen words and conditions"
def conditional_bigrams(texts, conditions, V, k=10):
    triples, pairs, of_condition, of_word = Counter(), Counter(), Counter(), Counter()
    for words, C in zip(texts, conditions, strict=True):
        for v, w in itertools.pairwise(["<s>", *words, "</s>"]):
            triples[f"{C}|{v}|{w}"] += 1
            of_condition[f"{C}|{v}"] += 1
            pairs[v, w] += 1
            of_word[v] += 1

    def P(w, v, C):
        plain = (pairs[v, w] + k / V) / (of_word[v] + k)
        return (triples[f"{C}|{v}|{w}"] + k * plain) / (of_condition[f"{C}|{v}"] + k)

    return P
