"""Answers to the task best_of_all of chapter 09."""


# %% right="breadth first, an array of candidates; another trap"
def greedy(step, source, N):
    words, logs = [], []
    for _ in range(N):
        row = sorted(step(source, tuple(words)).items(), key=lambda pair: -pair[1])
        word, p = row[0]
        logs.append(math.log(p))
        if word == "</s>":
            return tuple(words), sum(logs)
        words.append(word)
    p = step(source, tuple(words)).get("</s>", 0)
    return tuple(words), sum(logs) + (math.log(p) if p else -math.inf)


def best_of_all(step, source, N):
    whole, open_ = [], [((), 1.0)]
    for n in range(N + 1):
        longer = []
        for words, p in open_:
            row = step(source, words)
            whole.append((p * row.get("</s>", 0), words))
            longer += [((*words, w), p * q) for w, q in row.items() if w != "</s>"]
        open_ = [pair for pair in longer if pair[1] > 0]
    p, words = max(whole)
    return words, math.log(p) if p > 0 else -math.inf


TRAP = {
    (): {"a": 0.5, "b": 0.49, "</s>": 0.01},
    ("a",): {"</s>": 0.055} | {str(i): 0.021 for i in range(45)},
    ("a", "0"): {"x": 0.3, "y": 0.3, "</s>": 0.4},
    ("b",): {"c": 1.0},
}


# %% right="depth first with a stack"
def greedy(step, source, N):
    words, total = (), 0.0
    while True:
        row = step(source, words)
        if len(words) == N:
            row = {"</s>": row.get("</s>", 0)}
        best = sorted(row, key=row.get)[-1]
        total += math.log(row[best]) if row[best] else -math.inf
        if best == "</s>":
            return list(words), total
        words += (best,)


def best_of_all(step, source, N):
    stack, best = [((), 0.0)], ([], -math.inf)
    while stack:
        words, total = stack.pop()
        for word, p in step(source, words).items():
            if not p:
                continue
            if word == "</s>":
                if total + math.log(p) > best[1]:
                    best = list(words), total + math.log(p)
            elif len(words) < N:
                stack.append(((*words, word), total + math.log(p)))
    return best


TRAP = {
    (): {"a": 0.51, "b": 0.49},
    ("a",): {f"{i}": 0.025 for i in range(40)},
    ("b",): {"c": 1},
    ("b", "c"): {"</s>": 1},
}


# %% wrong="greedy without the end's probability" caught_by="greedy, word by word"
# -         total += math.log(p) if p > 0 else -math.inf
# -         if best == "</s>":
# -             return words, total
# +         if best == "</s>":
# +             return words, total
# +         total += math.log(p) if p > 0 else -math.inf


# %% wrong="greedy stops at N without the end" caught_by="greedy, word by word"
#       while True:
# +         if len(words) == N:
# +             return words, total


# %% wrong="greedy writes one word more" caught_by="greedy, word by word" change="if len(words) < N else \"</s>\" -> if len(words) <= N else \"</s>\""


# %% wrong="greedy is never cut" caught_by="greedy, word by word"
# -         best = max(row, key=row.get) if len(words) < N else "</s>"
# +         best = max(row, key=row.get) if len(words) < 40 else "</s>"


# %% wrong="greedy takes the first word" caught_by="greedy, word by word" change="max(row, key=row.get) -> next(iter(row))"


# %% wrong="greedy never ends before N" caught_by="greedy, word by word" change="max(row, key=row.get) -> max((w for w in row if w != \"</s>\"), key=row.get, default=\"</s>\")"


# %% wrong="the end of a longest text is free" caught_by="none is forgotten"
# -             elif p > 0 and len(words) < N:
# -                 follow((*words, word), total + math.log(p))
# +             elif p > 0 and len(words) == N - 1:
# +                 found = (*words, word), total + math.log(p)
# +                 best = max(best, found, key=lambda b: b[1])
# +             elif p > 0 and len(words) < N:
# +                 follow((*words, word), total + math.log(p))


# %% wrong="texts shorter than N only" caught_by="none is forgotten" change="elif p > 0 and len(words) < N -> elif p > 0 and len(words) < N - 1"


# %% wrong="the empty text is left out" caught_by="none is forgotten" change="if p > 0 and word == \"</s>\" -> if p > 0 and word == \"</s>\" and words"


# %% wrong="the greedy one after all" caught_by="none is forgotten"
#   def best_of_all(step, source, N):
# +     return greedy(step, source, N)


# %% wrong="the two most probable words at each step only" caught_by="none is forgotten"
# -         for word, p in step(source, words).items():
# +         row = step(source, words)
# +         for word in sorted(row, key=row.get)[-2:]:
# +             p = row[word]


# %% wrong="the end's probability is left out" caught_by="none is forgotten" change="(words, total + math.log(p)) -> (words, total)"


# %% wrong="one word too many" caught_by="none is forgotten" change="elif p > 0 and len(words) < N -> elif p > 0 and len(words) <= N"


# %% wrong="the mean over words is compared" caught_by="none is forgotten" change="key=lambda b: b[1]) -> key=lambda b: b[1] / (len(b[0]) + 1))"


# %% wrong="the source is dropped" caught_by="none is forgotten" change="for word, p in step(source, words).items() -> for word, p in step((), words).items()"


# %% wrong="a trap that costs a factor of 2" caught_by="a trap for greedy" change="1 / 20 for i in range(20) -> 1 / 3 for i in range(3)"


# %% wrong="a trap whose rows do not sum to one" caught_by="a trap for greedy" change="\"alone\": 0.4 -> \"alone\": 0.5"


# %% wrong="a trap whose best target has four words" caught_by="a trap for greedy"
# -     ("crowd",): {f"word {i}": 1 / 20 for i in range(20)},
# +     ("crowd",): {f"word {i}": 1 / 20 for i in range(20)},
# +     ("alone",): {"b": 1},
# +     ("alone", "b"): {"c": 1},
# +     ("alone", "b", "c"): {"d": 1},


# %% wrong="only the ten best words of a row are followed" caught_by="none is forgotten"
# -         for word, p in step(source, words).items():
# +         row = step(source, words)
# +         for word, p in sorted(row.items(), key=lambda one: -one[1])[:10]:


# %% right="branch and bound"
#       def follow(words, total):
#           nonlocal best
# +         if total < best[1]:
# +             return


# %% wrong="improbable words are not followed" caught_by="none is forgotten" change="elif p > 0 and -> elif p > 1e-6 and"


# %% wrong="greedy multiplies probabilities, which underflow" caught_by="greedy, word by word"
# -     words, total = (), 0
# -     while True:
# -         row = step(source, words)
# -         best = max(row, key=row.get) if len(words) < N else "</s>"
# -         p = row.get(best, 0)
# -         total += math.log(p) if p > 0 else -math.inf
# -         if best == "</s>":
# -             return words, total
# +     words, product = (), 1.0
# +     while True:
# +         row = step(source, words)
# +         best = max(row, key=row.get) if len(words) < N else "</s>"
# +         product *= row.get(best, 0)
# +         if best == "</s>":
# +             return words, math.log(product) if product > 0 else -math.inf


# %% wrong="rows remembered for whatever source" caught_by="none is forgotten" change="for word, p in step(source, words).items() -> for word, p in vars(best_of_all).setdefault((step, words), step(source, words)).items()"
