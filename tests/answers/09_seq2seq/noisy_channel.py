"""Answers to the task noisy_channel of chapter 09."""


# %% right="a product of arrays"
def channel(t, source, target):
    places = ["", *target]
    with np.errstate(divide="ignore"):
        table = np.array([[t.get((x, y), 0.0) for y in places] for x in source])
        return float(np.log(table.reshape(len(source), len(places)).mean(1)).sum())


def noisy_channel(t, language, source, candidates, weight=1):
    best, highest = None, None
    for target in candidates:
        value = channel(t, source, target)
        if weight != 0:
            value += weight * language(target)
        if best is None or value > highest:
            best, highest = target, value
    return best


# %% right="logarithms first"
def channel(t, source, target):
    sums = [t.get((x, ""), 0) + sum(t.get((x, y), 0) for y in target) for x in source]
    if not all(sums):
        return -math.inf
    return sum(map(math.log, sums)) - len(source) * math.log(len(target) + 1)


def noisy_channel(t, language, source, candidates, weight=1):
    values = [channel(t, source, T) + (weight * language(T) if weight else 0) for T in candidates]
    return candidates[values.index(max(values))]


# %% wrong="no empty word" caught_by="the channel"
# -         p = sum(t.get((x, y), 0) for y in ["", *target]) / (len(target) + 1)
# +         p = sum(t.get((x, y), 0) for y in target) / (len(target) + 1)

# %% wrong="n places" caught_by="the channel" change="/ (len(target) + 1) -> / max(len(target), 1)"

# %% wrong="a word twice counts once" caught_by="the channel"
# -         p = sum(t.get((x, y), 0) for y in ["", *target]) / (len(target) + 1)
# +         p = sum(t.get((x, y), 0) for y in {"", *target}) / (len(target) + 1)

# %% wrong="the best link instead of the sum" caught_by="the channel"
# -         p = sum(t.get((x, y), 0) for y in ["", *target]) / (len(target) + 1)
# +         p = max(t.get((x, y), 0) for y in ["", *target]) / (len(target) + 1)

# %% wrong="a product, which is 0 for long sources" caught_by="the channel"
# -     total = 0
# +     total = 1.0

# -         if p == 0:
# -             return -math.inf
# -         total += math.log(p)
# -     return total
# +         total *= p
# +     return math.log(total) if total else -math.inf


# %% wrong="impossible words are skipped" caught_by="the channel"
#           if p == 0:
# -             return -math.inf
# +             continue


# %% wrong="the other way: target given source" caught_by="the channel" change="t.get((x, y), 0) -> t.get((y, x), 0)"

# %% wrong="the weight is on the channel" caught_by="both together"
# -         fluent = weight * language(target) if weight else 0
# -         return channel(t, source, target) + fluent
# +         return weight * channel(t, source, target) + language(target)


# %% wrong="channel alone" caught_by="both together"
# -         return channel(t, source, target) + fluent
# +         return channel(t, source, target)


# %% wrong="probabilities added" caught_by="both together"
# -         fluent = weight * language(target) if weight else 0
# -         return channel(t, source, target) + fluent
# +         fluent = math.exp(language(target))
# +         return math.exp(channel(t, source, target)) + weight * fluent


# %% wrong="the last of equals" caught_by="both together" change="max(candidates, key=value) -> max(reversed(candidates), key=value)"

# %% wrong="0 times minus infinity" caught_by="both together" change=" if weight else 0 -> "


# %% wrong="None if all are impossible" caught_by="both together"
# -     return max(candidates, key=value)
# +     best, found = None, -math.inf
# +     for target in candidates:
# +         if value(target) > found:
# +             best, found = target, value(target)
# +     return best


# %% wrong="impossible candidates are left out" caught_by="both together"
# -     return max(candidates, key=value)
# +     some = [T for T in candidates if channel(t, source, T) > -math.inf]
# +     return max(some, key=value)


# %% wrong="below 1e-10 counts as impossible" caught_by="the channel" change="if p == 0 -> if p < 1e-10"


# %% wrong="a negative weight is taken for none" caught_by="both together" change=" if weight else 0 ->  if weight > 0 else 0"


# %% wrong="the language model is asked at weight 0, too" caught_by="both together"
def channel(t, source, target):
    total, words = 0.0, ["", *target]
    for x in source:
        p = sum(t.get((x, y), 0) for y in words) / len(words)
        if p <= 0:
            return -math.inf
        total += math.log(p)
    return total


def noisy_channel(t, language, source, candidates, weight=1):
    scores = []
    for target in candidates:
        ln_p = language(target)
        scores.append(channel(t, source, target) + (weight * ln_p if weight else 0))
    return candidates[scores.index(max(scores))]


# %% wrong="better by a thousandth at least" caught_by="both together" change="max(candidates, key=value) -> functools.reduce(lambda one, other: other if value(other) > value(one) + 1e-3 else one, candidates)"
