"""Answers to the task beam_search of chapter 09."""

# %% wrong="a heap of the best, probabilities multiplied" caught_by="one prefix is greedy"
import heapq


def beam_search(step, source, k, N, alpha=0):
    followed, done = {(): 1.0}, {}
    while followed:
        longer = {}
        for words, p in followed.items():
            for word, q in step(source, words).items():
                if q and (word == "</s>" or len(words) < N):
                    longer[(*words, word)] = p * q
        kept = heapq.nlargest(k, longer, key=longer.get)
        done.update({words[:-1]: longer[words] for words in kept if words[-1] == "</s>"})
        followed = {words: longer[words] for words in kept if words[-1] != "</s>"}
    found = [(words, math.log(p)) for words, p in done.items()]
    found.sort(key=lambda pair: pair[1] / (1 + len(pair[0])) ** alpha, reverse=True)
    return found


# %% right="round after round, lists of words"
def beam_search(step, source, k, N, alpha=0):
    beam, finished = [(0.0, [])], []
    for n in range(N + 1):
        candidates = []
        for total, words in beam:
            row = step(source, tuple(words))
            if n == N:
                row = {"</s>": row.get("</s>", 0)}
            for word, p in row.items():
                if p > 0:
                    candidates.append((total + float(np.log(p)), [*words, word]))
        candidates.sort(key=lambda c: c[0], reverse=True)
        beam = []
        for total, words in candidates[:k]:
            if words[-1] == "</s>":
                finished.append((tuple(words[:-1]), total))
            else:
                beam.append((total, words))
    return sorted(finished, key=lambda f: -f[1] / (len(f[0]) + 1) ** alpha)


# %% wrong="k best of each prefix, not of all" caught_by="the k best of each round"
# -             for word, p in step(source, words).items()
# +             for word, p in sorted(step(source, words).items(), key=lambda q: -q[1])[:k]

# -         best = sorted(candidates, key=lambda pair: -pair[1])[:k]
# +         best = sorted(candidates, key=lambda pair: -pair[1])


# %% wrong="ended ones are kept apart and take no place" caught_by="one prefix is greedy | the k best of each round"
# -         best = sorted(candidates, key=lambda pair: -pair[1])[:k]
# +         best = sorted(candidates, key=lambda pair: -pair[1])

# -         beam = [pair for pair in best if pair[0][-1] != "</s>"]
# +         beam = [pair for pair in best if pair[0][-1] != "</s>"][:k]


# %% wrong="k places in all: fewer are followed once some have ended" caught_by="the k best of each round"
# -         best = sorted(candidates, key=lambda pair: -pair[1])[:k]
# +         best = sorted(candidates, key=lambda pair: -pair[1])
# +         best = best[: max(0, k - len(finished))]


# %% wrong="stops at the first ended one" caught_by="a wide beam finds the best of all"
#       while beam:
# +         if finished:
# +             break


# %% wrong="prefixes of N words may go on" caught_by="one prefix is greedy"
# -             if p > 0 and (len(words) < N or word == "</s>")
# +             if p > 0 and (len(words) <= N or word == "</s>")

# %% wrong="what is cut at N words counts as ended" caught_by="a wide beam finds the best of all"
# -             if p > 0 and (len(words) < N or word == "</s>")
# +             if p > 0 and len(words) <= N

# -         beam = [pair for pair in best if pair[0][-1] != "</s>"]
# +         beam = [pair for pair in best if pair[0][-1] != "</s>"]
# +         finished += [(w[:-1], t) for w, t in beam if len(w) > N]
# +         beam = [pair for pair in beam if len(pair[0]) <= N]


# %% wrong="normalised ln P is handed back" caught_by="normalised by length"
# -     return sorted(
# -         finished, key=lambda pair: pair[1] / (len(pair[0]) + 1) ** alpha, reverse=True
# -     )
# +     normal = [(w, t / (len(w) + 1) ** alpha) for w, t in finished]
# +     return sorted(normal, key=lambda pair: -pair[1])


# %% wrong="the end is not counted in the length" caught_by="normalised by length" change="(len(pair[0]) + 1) ** alpha -> max(len(pair[0]), 1) ** alpha"

# %% wrong="alpha multiplies" caught_by="normalised by length" change="(len(pair[0]) + 1) ** alpha -> ((len(pair[0]) + 1) * alpha or 1)"

# %% wrong="worst first" caught_by="a wide beam finds the best of all" change=", reverse=True -> "

# %% wrong="always normalised" caught_by="a wide beam finds the best of all" change="** alpha -> ** (alpha or 1)"


# %% wrong="in each round the goal with alpha" caught_by="normalised by length"
# -         best = sorted(candidates, key=lambda pair: -pair[1])[:k]
# +         best = sorted(
# +             candidates,
# +             key=lambda pair: -pair[1] / (len(pair[0]) + (pair[0][-1] != "</s>")) ** alpha,
# +         )[:k]


# %% right="one measure for all candidates of a round" change="key=lambda pair: -pair[1])[:k] -> key=lambda pair: -pair[1] / len(pair[0]) ** alpha)[:k]"


# %% wrong="below 1e-9 is no candidate" caught_by="one prefix is greedy" change="if p > 0 and (len(words) -> if p > 1e-9 and (len(words)"


# %% wrong="where the end is nearly sure nothing else is tried" caught_by="the k best of each round"
# -             if p > 0 and (len(words) < N or word == "</s>")
# +             if p > 0 and (len(words) < N or word == "</s>") and p > 0.001


# %% wrong="the end is taken out of the model's own row" caught_by="one prefix is greedy" change="for word, p in step(source, words).items() -> for row in [step(source, words)] for word, p in [(word, row.pop(word) if word == '</s>' else row[word]) for word in [*row]]"
