"""Answers to the task top_k of chapter 01."""


# %% right="Counter.most_common, running totals and bisection"
def top_k(distribution, k):
    best = Counter(distribution).most_common(k)
    mass = sum(p for _, p in best)
    return Counter({word: p / mass for word, p in best})


def sample(distribution, dart):
    words = list(distribution)
    ends = np.cumsum([distribution[word] for word in words])
    place = np.searchsorted(ends, min(dart(), np.nextafter(ends[-1], 0)), side="right")
    return words[int(place)]


# %% right="a race of exponential clocks"
def top_k(distribution, k):
    rest = dict(distribution)
    chosen = {}
    while rest and len(chosen) < k:
        word = max(rest, key=lambda w: rest[w])
        chosen[word] = rest.pop(word)
    return {word: p / sum(chosen.values()) for word, p in chosen.items()}


def sample(distribution, dart):
    clocks = {w: -math.log(1 - dart()) / p for w, p in distribution.items() if p > 0}
    return min(clocks, key=clocks.get)


# %% right="of equals the last; lengths taken off in alphabetical order"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get)[-k:]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    left = dart() * sum(distribution.values())
    for word in sorted(distribution):
        left -= distribution[word]
        if left < 0:
            return word
    return max(distribution, key=distribution.get)


# %% wrong="uniform over the k best, as in the listing" caught_by="ratios are kept"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get)[-k:]
    return {word: 1 / len(best) for word in best}


def sample(distribution, dart):
    words = list(distribution)
    hit, end = dart(), 0.0
    for word in words:
        end += distribution[word]
        if hit < end:
            return word
    return words[-1]


# %% wrong="not rescaled" caught_by="ratios are kept"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    return {word: distribution[word] for word in best}


def sample(distribution, dart):
    words = list(distribution)
    hit, end = dart(), 0.0
    for word in words:
        end += distribution[word]
        if hit < end:
            return word
    return words[-1]


# %% wrong="every word equally often" caught_by="draws by probability"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    words = list(distribution)
    return words[int(dart() * len(words))]


# %% wrong="a fresh dart for every word" caught_by="draws by probability"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    words = list(distribution)
    for word in words:
        if dart() < distribution[word]:
            return word
    return words[-1]


# %% wrong="the first k words as they come" caught_by="ratios are kept | any k, any order"
def top_k(distribution, k):
    best = list(distribution)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    words = list(distribution)
    hit, end = dart(), 0.0
    for word in words:
        end += distribution[word]
        if hit < end:
            return word
    return words[-1]


# %% wrong="the k-th word left out when k is large" caught_by="any k, any order"
def top_k(distribution, k):
    k = min(k, len(distribution) - 1)
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    words = list(distribution)
    hit, end = dart(), 0.0
    for word in words:
        end += distribution[word]
        if hit < end:
            return word
    return words[-1]


# %% wrong="chance of its own" caught_by="all chance comes from the dart"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    return random.choices(list(distribution), list(distribution.values()))[0]


# %% wrong="always the likeliest" caught_by="draws by probability | all chance comes from the dart"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    return max(distribution, key=distribution.get)


# %% wrong="the best words are taken out of the caller's dict" caught_by="ratios are kept"
def top_k(distribution, k):
    best = {}
    for _ in range(min(k, len(distribution))):
        word = max(distribution, key=distribution.get)
        best[word] = distribution.pop(word)
    return {word: p / sum(best.values()) for word, p in best.items()}


def sample(distribution, dart):
    hit, end = dart(), 0.0
    for word in distribution:
        end += distribution[word]
        if hit < end:
            return word
    return word


# %% wrong="all equals at the k-th place are kept" caught_by="any k, any order"
def top_k(distribution, k):
    least = sorted(distribution.values(), reverse=True)[:k][-1]
    best = {word: p for word, p in distribution.items() if p >= least}
    return {word: p / sum(best.values()) for word, p in best.items()}


def sample(distribution, dart):
    hit, end = dart(), 0.0
    for word in distribution:
        end += distribution[word]
        if hit < end:
            return word
    return word


# %% wrong="nothing returned where rounding leaves a gap" caught_by="all chance comes from the dart"
# -     for word, probability in distribution.items():
# -         end += probability
# +     for word in distribution:
# +         end += distribution[word]

# -     return max(distribution, key=distribution.get)


# %% wrong="a dart of 0 hits a word of probability 0" caught_by="all chance comes from the dart"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    hit, end = dart(), 0.0
    for word in distribution:
        end += distribution[word]
        if hit <= end:
            return word
    return word


# %% wrong="a bag of twenty lots" caught_by="draws by probability"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    bag = [word for word, p in distribution.items() for _ in range(round(20 * p))]
    return bag[int(dart() * len(bag))]


# %% wrong="a bag of twenty lots, each word at least once" caught_by="draws by probability"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    bag = [word for word, p in distribution.items() if p for _ in range(max(1, round(20 * p)))]
    return bag[int(dart() * len(bag))]


# %% wrong="running totals written into the caller's dict" caught_by="all chance comes from the dart"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    hit, end = dart(), 0.0
    for word in distribution:
        distribution[word] = end = end + distribution[word]
    for word in distribution:
        if hit < distribution[word]:
            return word
    return word


# %% wrong="rescaled by the total of the k + 1 best" caught_by="ratios are kept"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(sorted(distribution.values(), reverse=True)[: k + 1]) if len(distribution) > 6 else None
    total = total or sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    hit, end = dart(), 0.0
    for word in distribution:
        end += distribution[word]
        if hit < end:
            return word
    return word


# %% wrong="a softmax instead of a rescaling" caught_by="ratios are kept"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    weights = {word: math.exp(distribution[word]) for word in best}
    return {word: weight / sum(weights.values()) for word, weight in weights.items()}


def sample(distribution, dart):
    hit, end = dart(), 0.0
    for word in distribution:
        end += distribution[word]
        if hit < end:
            return word
    return word


# %% right="rejection; 32-bit floats"
def top_k(distribution, k):
    words = np.array(list(distribution), dtype=object)
    p = np.array(list(distribution.values()), dtype=np.float32)
    best = np.argsort(-p, kind="stable")[:k]
    return dict(zip(words[best].tolist(), p[best] / p[best].sum()))


def sample(distribution, dart):
    words = list(distribution)
    while True:
        word = words[int(dart() * len(words))]
        if dart() < distribution[word]:
            return word


# %% wrong="the last word gets what rounding leaves, be it impossible" caught_by="all chance comes from the dart"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    words = list(distribution)
    ends = np.cumsum([distribution[word] for word in words])
    place = np.searchsorted(ends, dart(), side="right")
    return words[min(int(place), len(words) - 1)]


# %% wrong="impossible words are taken out of the caller's dict" caught_by="all chance comes from the dart"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    for word in list(distribution):
        if distribution[word] == 0:
            distribution.pop(word)
    hit, end = dart(), 0.0
    for word, p in distribution.items():
        end += p
        if hit < end:
            return word
    return word


# %% wrong="a bag of a hundred lots" caught_by="draws by probability"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    bag = [word for word, p in distribution.items() for _ in range(round(100 * p))]
    return bag[int(dart() * len(bag))] if bag else max(distribution, key=distribution.get)


# %% wrong="a bag of a thousand lots" caught_by="draws by probability"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    bag = [word for word, p in distribution.items() for _ in range(round(1000 * p))]
    return bag[int(dart() * len(bag))] if bag else None


# %% wrong="a new dart for each word" caught_by="draws by probability"
def top_k(distribution, k):
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}


def sample(distribution, dart):
    total, last = 0.0, None
    for word, p in distribution.items():
        if p > 0:
            total += p
            last = word
            if dart() < total:
                return word
    return last


# %% right="a race of exponential clocks, a dart for each word"
def top_k(distribution, k):
    best = sorted(distribution.items(), key=lambda item: -item[1])[:k]
    total = math.fsum(p for _, p in best)
    return {word: p / total for word, p in best}


def sample(distribution, dart):
    times = {word: -math.log(1 - dart()) / p for word, p in distribution.items() if p > 0}
    return min(times, key=times.get)
