"""Answers to the task temperature of chapter 01."""


# %% right="logarithms; running totals and bisection"
def temper(distribution, temperature):
    logs = {word: math.log(p) / temperature if p else -math.inf for word, p in distribution.items()}
    most = max(logs.values())
    weights = {word: math.exp(value - most) for word, value in logs.items()}
    return Counter({word: weight / sum(weights.values()) for word, weight in weights.items()})


def sample(distribution, dart):
    words = list(distribution)
    ends = np.cumsum([distribution[word] for word in words])
    place = np.searchsorted(ends, min(dart(), np.nextafter(ends[-1], 0)), side="right")
    return words[int(place)]


# %% right="arrays; a race of exponential clocks"
def temper(distribution, temperature):
    p = np.array(list(distribution.values()))
    p = (p / p.max()) ** (1 / temperature)
    return dict(zip(distribution, p / p.sum(), strict=True))


def sample(distribution, dart):
    clocks = {w: -math.log(1 - dart()) / p for w, p in distribution.items() if p > 0}
    return min(clocks, key=clocks.get)


# %% right="rejection"
def temper(distribution, temperature):
    best = max(distribution.values())
    new = {word: math.pow(p / best, 1 / temperature) for word, p in distribution.items()}
    mass = math.fsum(new.values())
    for word in new:
        new[word] /= mass
    return new


def sample(distribution, dart):
    words = list(distribution)
    while True:
        word = words[int(dart() * len(words))]
        if dart() < distribution[word]:
            return word


# %% right="lengths taken off in alphabetical order"
def temper(distribution, temperature):
    largest = max(distribution.values())
    total = sum((p / largest) ** (1 / temperature) for p in distribution.values())
    return {word: (p / largest) ** (1 / temperature) / total for word, p in distribution.items()}


def sample(distribution, dart):
    left = dart() * sum(distribution.values())
    for word in sorted(distribution):
        left -= distribution[word]
        if left < 0:
            return word
    return max(distribution, key=distribution.get)


# %% wrong="the temperature itself as exponent" caught_by="ratios become powers" change="** (1 / temperature) -> ** temperature"

# %% wrong="not rescaled" caught_by="ratios become powers" change="{word: weight / total for -> {word: weight for"

# %% wrong="rescaled by the number of words" caught_by="ratios become powers" change="{word: weight / total for -> {word: weight / len(raised) for"

# %% wrong="divided by the temperature" caught_by="ratios become powers" change="(p / largest) ** (1 / temperature) -> (p / largest) / temperature"

# %% wrong="a softmax of the probabilities" caught_by="ratios become powers" change="(p / largest) ** (1 / temperature) -> math.exp(p / temperature)"

# %% wrong="powers of the plain probabilities" caught_by="nearly frozen" change="(p / largest) ** -> p **"

# %% wrong="below a hundredth, as at a hundredth" caught_by="nearly frozen"
# -     largest = max(distribution.values())
# +     largest, temperature = max(distribution.values()), max(temperature, 0.01)

# %% wrong="frozen: the first of the likeliest takes all" caught_by="nearly frozen"
# -     largest = max(distribution.values())
# +     largest = max(distribution.values())
# +     if temperature < 0.02:
# +         best = max(distribution, key=distribution.get)
# +         return {word: float(word == best) for word in distribution}

# %% wrong="impossible words are left out" caught_by="ratios become powers" change="(1 / temperature) for word, p in distribution.items() -> (1 / temperature) for word, p in distribution.items() if p"

# %% wrong="only the nine likeliest stay" caught_by="ratios become powers"
# -     largest = max(distribution.values())
# +     largest = max(distribution.values())
# +     distribution = dict(sorted(distribution.items(), key=lambda item: -item[1])[:9])

# %% wrong="written into the caller's dict" caught_by="ratios become powers"
# -     raised = {
# -         word: (p / largest) ** (1 / temperature) for word, p in distribution.items()
# -     }
# +     raised = distribution
# +     for word in raised:
# +         raised[word] = (raised[word] / largest) ** (1 / temperature)

# %% wrong="every word equally often" caught_by="draws by probability" change="hit, end = dart(), 0.0 -> return list(distribution)[int(dart() * len(distribution))]"

# %% wrong="a fresh dart for every word" caught_by="draws by probability"
# -         if hit < end:
# -             return word
# +         if dart() < probability:
# +             return word

# %% wrong="a new dart against each running total" caught_by="draws by probability" change="if hit < end: -> if dart() < end:"

# %% wrong="a bag of twenty lots" caught_by="draws by probability"
# -     hit, end = dart(), 0.0
# +     bag = [word for word, p in distribution.items() for _ in range(round(20 * p))]
# +     return bag[int(dart() * len(bag))]
# +     hit, end = dart(), 0.0

# %% wrong="a bag of a thousand lots" caught_by="draws by probability"
# -     hit, end = dart(), 0.0
# +     bag = [word for word, p in distribution.items() for _ in range(round(1000 * p))]
# +     return bag[int(dart() * len(bag))] if bag else None
# +     hit, end = dart(), 0.0

# %% wrong="chance of its own" caught_by="all chance comes from the dart" change="hit, end = dart(), 0.0 -> hit, end = random.random(), 0.0"

# %% wrong="always the likeliest" caught_by="draws by probability | all chance comes from the dart" change="hit, end = dart(), 0.0 -> hit, end = 2.0, 0.0"

# %% wrong="a dart of 0 hits a word of probability 0" caught_by="all chance comes from the dart" change="if hit < end: -> if hit <= end:"

# %% wrong="nothing where rounding leaves a gap" caught_by="all chance comes from the dart" change="    return max(distribution, key=distribution.get) -> "

# %% wrong="the last word where rounding leaves a gap, be it impossible" caught_by="all chance comes from the dart" change="return max(distribution, key=distribution.get) -> return word"


# %% wrong="no temperature above 100" caught_by="ratios become powers"
#       largest = max(distribution.values())
# +     temperature = min(temperature, 100)
