"""Answers to the task chain_rule of chapter 01."""


# %% right="marginal tables in dicts"
def chain_factors(joint, sequence):
    first, pair = Counter(), Counter()
    for (a, b, _), p in joint.items():
        first[a] += p
        pair[a, b] += p
    w1, w2, w3 = sequence
    return [first[w1], pair[w1, w2] / first[w1], joint.get((w1, w2, w3), 0) / pair[w1, w2]]


def markov_factors(joint, sequence):
    w1, w2, w3 = sequence
    middle, last = Counter(), Counter()
    for (_, b, c), p in joint.items():
        middle[b] += p
        last[b, c] += p
    return [*chain_factors(joint, sequence)[:2], last[w2, w3] / middle[w2]]


# %% right="an array with an axis for each place"
def table_of(joint):
    places = [sorted({words[k] for words in joint}) for k in range(3)]
    p = np.zeros([len(place) for place in places])
    for words, value in joint.items():
        p[tuple(place.index(word) for place, word in zip(places, words))] = value
    return p, places


def chain_factors(joint, sequence):
    p, places = table_of(joint)
    a, b, c = (place.index(word) for place, word in zip(places, sequence))
    return np.array([p[a].sum(), p[a, b].sum() / p[a].sum(), p[a, b, c] / p[a, b].sum()])


def markov_factors(joint, sequence):
    p, places = table_of(joint)
    a, b, c = (place.index(word) for place, word in zip(places, sequence))
    return p[a].sum(), p[a, b].sum() / p[a].sum(), p[:, b, c].sum() / p[:, b].sum()


# %% wrong="a factor is left out, as in the lecture" caught_by="three factors by hand"
def chain_factors(joint, sequence):
    w1, w2, w3 = sequence
    first = sum(p for words, p in joint.items() if words[0] == w1)
    pair = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    return [first, joint.get((w1, w2, w3), 0) / pair]


def markov_factors(joint, sequence):
    w1, w2, w3 = sequence
    first = sum(p for words, p in joint.items() if words[0] == w1)
    pair = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    middle = sum(p for words, p in joint.items() if words[1] == w2)
    last = sum(p for words, p in joint.items() if words[1:] == (w2, w3))
    return [first, pair / first, last / middle]


# %% wrong="the third factor lacks its denominator" caught_by="chain product is the joint"
def chain_factors(joint, sequence):
    w1, w2, w3 = sequence
    first = sum(p for words, p in joint.items() if words[0] == w1)
    pair = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    return [first, pair / first, joint.get((w1, w2, w3), 0) / first]


def markov_factors(joint, sequence):
    w1, w2, w3 = sequence
    middle = sum(p for words, p in joint.items() if words[1] == w2)
    last = sum(p for words, p in joint.items() if words[1:] == (w2, w3))
    return [*chain_factors(joint, sequence)[:2], last / middle]


# %% wrong="Markov's factor still knows the first word" caught_by="Markov forgets the first word"
def chain_factors(joint, sequence):
    w1, w2, w3 = sequence
    first = sum(p for words, p in joint.items() if words[0] == w1)
    pair = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    return [first, pair / first, joint.get((w1, w2, w3), 0) / pair]


def markov_factors(joint, sequence):
    return chain_factors(joint, sequence)


# %% wrong="Markov's factor forgets everything" caught_by="Markov forgets the first word"
def chain_factors(joint, sequence):
    w1, w2, w3 = sequence
    first = sum(p for words, p in joint.items() if words[0] == w1)
    pair = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    return [first, pair / first, joint.get((w1, w2, w3), 0) / pair]


def markov_factors(joint, sequence):
    last = sum(p for words, p in joint.items() if words[2] == sequence[2])
    return [*chain_factors(joint, sequence)[:2], last]


# %% wrong="Markov's factor counts pairs at any place" caught_by="Markov forgets the first word"
def chain_factors(joint, sequence):
    w1, w2, w3 = sequence
    first = sum(p for words, p in joint.items() if words[0] == w1)
    pair = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    return [first, pair / first, joint.get((w1, w2, w3), 0) / pair]


def markov_factors(joint, sequence):
    _, w2, w3 = sequence
    pair = sum(p for a, p in joint.items() for k in (0, 1) if a[k : k + 2] == (w2, w3))
    single = sum(p for a, p in joint.items() for k in (0, 1) if a[k] == w2)
    return [*chain_factors(joint, sequence)[:2], pair / single]


# %% wrong="the condition stands on the wrong side" caught_by="three factors by hand"
def chain_factors(joint, sequence):
    w1, w2, w3 = sequence
    first = sum(p for words, p in joint.items() if words[0] == w1)
    second = sum(p for words, p in joint.items() if words[1] == w2)
    pair = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    return [first, pair / second, joint.get((w1, w2, w3), 0) / pair]


def markov_factors(joint, sequence):
    w1, w2, w3 = sequence
    middle = sum(p for words, p in joint.items() if words[1] == w2)
    last = sum(p for words, p in joint.items() if words[1:] == (w2, w3))
    return [*chain_factors(joint, sequence)[:2], last / middle]
