"""Answers to the task score of chapter 09."""


# %% right="a loop with an index, numpy's logarithm"
def score(step, source, target):
    words = list(target) + ["</s>"]
    chances = [step(source, tuple(words[:i])).get(w, 0.0) for i, w in enumerate(words)]
    if min(chances) <= 0:
        return float("-inf")
    return np.log(chances).sum()


def preferred(step, source, candidates):
    scores = [score(step, source, c) for c in candidates]
    return candidates[scores.index(max(scores))]


# %% right="recursive, from the front"
def score(step, source, target):
    total, written = 0.0, []
    for word in target:
        p = step(source, tuple(written)).get(word)
        if not p:
            return -math.inf
        total, written = total + math.log(p), [*written, word]
    p = step(source, tuple(written)).get("</s>")
    return total + math.log(p) if p else -math.inf


def preferred(step, source, candidates):
    best, best_score = None, None
    for candidate in candidates:
        s = score(step, source, candidate)
        if best is None or s > best_score:
            best, best_score = candidate, s
    return best


# %% wrong="the end is forgotten" caught_by="the end is a word" change="[*target, \"</s>\"] -> list(target)"


# %% wrong="a product first, its logarithm after" caught_by="the end is a word"
# -     total = 0
# +     total = 1

# -         total += math.log(p)
# -     return total
# +         total *= p
# +     return math.log(total) if total > 0 else -math.inf


# %% wrong="the model never sees what is written" caught_by="source and prefix reach the model" change="tuple(target[:t]) -> ()"


# %% wrong="only the last word is handed on" caught_by="source and prefix reach the model" change="tuple(target[:t]) -> tuple(target[max(t - 1, 0) : t])"


# %% wrong="the source is not handed on" caught_by="source and prefix reach the model" change="step(source, -> step((),"


# %% wrong="log base 2" caught_by="the end is a word" change="math.log(p) -> math.log2(p)"


# %% wrong="the mean over words" caught_by="the end is a word" change="return total -> return total / (len(target) + 1)"


# %% wrong="an impossible word is skipped" caught_by="source and prefix reach the model" change="return -math.inf -> continue"


# %% wrong="an impossible word costs 100 nats" caught_by="source and prefix reach the model" change="return -math.inf -> total -= 100; continue"


# %% wrong="an unknown word is an error" caught_by="source and prefix reach the model" change=".get(word, 0) -> [word]"


# %% wrong="the prefix holds the word itself" caught_by="source and prefix reach the model" change="target[:t] -> target[: t + 1]"


# %% wrong="the least probable one" caught_by="the preferred one" change="return max( -> return min("


# %% wrong="the first candidate" caught_by="the preferred one"
# -     return max(candidates, key=lambda target: score(step, source, target))
# +     return candidates[0]


# %% wrong="the place, not the target" caught_by="the preferred one"
# -     return max(candidates, key=lambda target: score(step, source, target))
# +     scores = [score(step, source, target) for target in candidates]
# +     return scores.index(max(scores))


# %% wrong="the last, if several are equal" caught_by="the preferred one" change="max(candidates, -> max(candidates[::-1],"


# %% wrong="preferred by the mean over words" caught_by="the preferred one" change="score(step, source, target)) -> score(step, source, target) / len(target))"


# %% wrong="preferred by the mean over words and the end" caught_by="the preferred one" change="score(step, source, target)) -> score(step, source, target) / (len(target) + 1))"


# %% wrong="of equals the last in the alphabet" caught_by="the preferred one"
# -     return max(candidates, key=lambda target: score(step, source, target))
# +     return max((score(step, source, target), target) for target in candidates)[1]


# %% wrong="an end that is not named is certain" caught_by="source and prefix reach the model" change=".get(word, 0) -> .get(word, word == \"</s>\")"


# %% wrong="probabilities are compared: 0 for all long candidates" caught_by="the preferred one" change="key=lambda target: score(step, source, target)) -> key=lambda target: math.exp(score(step, source, target)))"


# %% wrong="the empty target is never preferred" caught_by="the preferred one" change="max(candidates, -> max([one for one in candidates if len(one)] or candidates,"


# %% wrong="below 1e-12 counts as impossible" caught_by="the end is a word" change="if p == 0 -> if p < 1e-12"


# %% wrong="the target must be a list: a tuple is an error" caught_by="the end is a word" change="[*target, \"</s>\"] -> target + [\"</s>\"]"
