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


# %% wrong="three zeros for a text that is not listed" caught_by="three factors by hand"
def chain_factors(joint, sequence):
    if tuple(sequence) not in joint:
        return [0.0, 0.0, 0.0]
    w1, w2, w3 = sequence
    first = sum(p for words, p in joint.items() if words[0] == w1)
    pair = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    return [first, pair / first, joint[w1, w2, w3] / pair]


def markov_factors(joint, sequence):
    w1, w2, w3 = sequence
    first = sum(p for words, p in joint.items() if words[0] == w1)
    pair = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    middle = sum(p for words, p in joint.items() if words[1] == w2)
    last = sum(p for words, p in joint.items() if words[1:] == (w2, w3))
    return [first, pair / first, last / middle]


# %% wrong="Markov's second factor is P(w2) for a text that is not listed" caught_by="Markov forgets the first word"
def chain_factors(joint, sequence):
    w1, w2, w3 = sequence
    first = sum(p for words, p in joint.items() if words[0] == w1)
    pair = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    return [first, pair / first, joint.get((w1, w2, w3), 0) / pair]


def markov_factors(joint, sequence):
    w1, w2, w3 = sequence
    middle = sum(p for words, p in joint.items() if words[1] == w2)
    last = sum(p for words, p in joint.items() if words[1:] == (w2, w3))
    first, second, _ = chain_factors(joint, sequence)
    return [first, second if tuple(sequence) in joint else middle, last / middle]


# %% wrong="Markov's product is zero for a text that is not listed" caught_by="Markov forgets the first word"
def chain_factors(joint, sequence):
    w1, w2, w3 = sequence
    first = sum(p for words, p in joint.items() if words[0] == w1)
    pair = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    return [first, pair / first, joint.get((w1, w2, w3), 0) / pair]


def markov_factors(joint, sequence):
    w1, w2, w3 = sequence
    middle = sum(p for words, p in joint.items() if words[1] == w2)
    last = sum(p for words, p in joint.items() if words[1:] == (w2, w3))
    return [*chain_factors(joint, sequence)[:2], last / middle if tuple(sequence) in joint else 0.0]


# %% wrong="the text is added to the caller's table" caught_by="three factors by hand"
def chain_factors(joint, sequence):
    w1, w2, w3 = sequence
    whole = joint.setdefault((w1, w2, w3), 0.0)
    first = sum(p for words, p in joint.items() if words[0] == w1)
    pair = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    return [first, pair / first, whole / pair]


def markov_factors(joint, sequence):
    w1, w2, w3 = sequence
    middle = sum(p for words, p in joint.items() if words[1] == w2)
    last = sum(p for words, p in joint.items() if words[1:] == (w2, w3))
    return [*chain_factors(joint, sequence)[:2], last / middle]


# %% wrong="sums of the first table are remembered" caught_by="chain product is the joint"
remembered = {}


def chain_factors(joint, sequence):
    def total(start):
        if start not in remembered:
            remembered[start] = sum(p for words, p in joint.items() if words[: len(start)] == start)
        return remembered[start]

    w1, w2, w3 = sequence
    return [total((w1,)), total((w1, w2)) / total((w1,)), total((w1, w2, w3)) / total((w1, w2))]


def markov_factors(joint, sequence):
    w1, w2, w3 = sequence
    middle = sum(p for words, p in joint.items() if words[1] == w2)
    last = sum(p for words, p in joint.items() if words[1:] == (w2, w3))
    return [*chain_factors(joint, sequence)[:2], last / middle]


# %% wrong="words looked for at any place" caught_by="three factors by hand | Markov forgets the first word"
def chain_factors(joint, sequence):
    w1, w2, w3 = sequence
    first = sum(p for words, p in joint.items() if w1 in words)
    pair = sum(p for words, p in joint.items() if w1 in words and w2 in words)
    return [first, pair / first, joint.get((w1, w2, w3), 0) / pair]


def markov_factors(joint, sequence):
    w1, w2, w3 = sequence
    middle = sum(p for words, p in joint.items() if words[1] == w2)
    last = sum(p for words, p in joint.items() if words[1:] == (w2, w3))
    return [*chain_factors(joint, sequence)[:2], last / middle]


# %% wrong="probabilities rounded to three places" caught_by="chain product is the joint"
def chain_factors(joint, sequence):
    w1, w2, w3 = sequence
    first = sum(p for words, p in joint.items() if words[0] == w1)
    pair = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    return [round(x, 3) for x in (first, pair / first, joint.get((w1, w2, w3), 0) / pair)]


def markov_factors(joint, sequence):
    w1, w2, w3 = sequence
    middle = sum(p for words, p in joint.items() if words[1] == w2)
    last = sum(p for words, p in joint.items() if words[1:] == (w2, w3))
    return [*chain_factors(joint, sequence)[:2], last / middle]


# %% right="arrays of 32-bit floats"
def chain_factors(joint, sequence):
    w1, w2, w3 = sequence
    first = sum(p for words, p in joint.items() if words[0] == w1)
    pair = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    return np.array([first, pair / first, joint.get((w1, w2, w3), 0) / pair], dtype=np.float32)


def markov_factors(joint, sequence):
    w1, w2, w3 = sequence
    middle = sum(p for words, p in joint.items() if words[1] == w2)
    last = sum(p for words, p in joint.items() if words[1:] == (w2, w3))
    return np.array([*chain_factors(joint, sequence)[:2], last / middle], dtype=np.float32)


# %% wrong="a look-up makes a defaultdict grow" caught_by="three factors by hand"
def chain_factors(joint, sequence):
    a, b, c = sequence
    one = sum(p for words, p in joint.items() if words[0] == a)
    two = sum(p for words, p in joint.items() if words[:2] == (a, b))
    try:
        three = joint[a, b, c]
    except KeyError:
        three = 0
    return [one, two / one, three / two]


def markov_factors(joint, sequence):
    a, b, c = sequence
    one = sum(p for words, p in joint.items() if words[0] == a)
    two = sum(p for words, p in joint.items() if words[:2] == (a, b))
    middle = sum(p for words, p in joint.items() if words[1] == b)
    pair = sum(p for words, p in joint.items() if words[1:] == (b, c))
    return [one, two / one, pair / middle]


# %% wrong="Markov's look-ups make a defaultdict grow" caught_by="Markov forgets the first word"
def chain_factors(joint, sequence):
    start = [sum(p for words, p in joint.items() if words[:k] == tuple(sequence[:k])) for k in range(4)]
    return [start[1], start[2] / start[1], start[3] / start[2]]


def markov_factors(joint, sequence):
    a, b, c = sequence
    pair = 0
    for first in {words[0] for words in joint}:
        try:
            pair += joint[first, b, c]
        except KeyError:
            continue
    middle = sum(p for words, p in joint.items() if words[1] == b)
    return [*chain_factors(joint, sequence)[:2], pair / middle]
