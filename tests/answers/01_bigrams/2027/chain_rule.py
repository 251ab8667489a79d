"""Answers to the task chain_rule of chapter 01 in its variant 2027."""


# %% right="marginal tables in dicts"
def chain_factors(joint, sequence):
    last, pair = Counter(), Counter()
    for (_, b, c), p in joint.items():
        last[c] += p
        pair[b, c] += p
    w1, w2, w3 = sequence
    return [last[w3], pair[w2, w3] / last[w3], joint.get((w1, w2, w3), 0) / pair[w2, w3]]


def markov_factors(joint, sequence):
    w1, w2, w3 = sequence
    middle, first = Counter(), Counter()
    for (a, b, _), p in joint.items():
        middle[b] += p
        first[a, b] += p
    return [*chain_factors(joint, sequence)[:2], first[w1, w2] / middle[w2]]


# %% right="arrays of 32-bit floats"
def chain_factors(joint, sequence):
    w1, w2, w3 = sequence
    last = sum(p for words, p in joint.items() if words[2] == w3)
    pair = sum(p for words, p in joint.items() if words[1:] == (w2, w3))
    return np.array([last, pair / last, joint.get((w1, w2, w3), 0) / pair], dtype=np.float32)


def markov_factors(joint, sequence):
    w1, w2, w3 = sequence
    middle = sum(p for words, p in joint.items() if words[1] == w2)
    first = sum(p for words, p in joint.items() if words[:2] == (w1, w2))
    return np.array([*chain_factors(joint, sequence)[:2], first / middle], dtype=np.float32)


# %% wrong="last year's answer: from the front" caught_by="three factors by hand | Markov forgets the last word"
def chain_factors(joint, sequence):
    start = [sum(p for words, p in joint.items() if words[:k] == tuple(sequence[:k])) for k in range(4)]
    return [start[1], start[2] / start[1] if start[1] else 0, start[3] / start[2] if start[2] else 0]


def markov_factors(joint, sequence):
    pair = sum(p for words, p in joint.items() if words[1:] == tuple(sequence[1:]))
    middle = sum(p for words, p in joint.items() if words[1] == sequence[1])
    return [*chain_factors(joint, sequence)[:2], pair / middle]


# %% wrong="from the front to the back, and then turned round" caught_by="three factors by hand"
# -     return [ends[2], ends[1] / ends[2], ends[0] / ends[1]]
# +     return [ends[0] / ends[1], ends[1] / ends[2], ends[2]]


# %% wrong="the third factor lacks its denominator" caught_by="chain product is the joint"
# -     return [ends[2], ends[1] / ends[2], ends[0] / ends[1]]
# +     return [ends[2], ends[1] / ends[2], ends[0] / ends[2]]


# %% wrong="Markov's factor still knows the last word" caught_by="Markov forgets the last word"
# -     return [*chain_factors(joint, sequence)[:2], pair / middle]
# +     return chain_factors(joint, sequence)


# %% wrong="Markov forgets the first word" caught_by="Markov forgets the last word"
# -     pair = sum(p for words, p in joint.items() if words[:2] == tuple(sequence[:2]))
# +     pair = sum(p for words, p in joint.items() if words[1:] == tuple(sequence[1:]))


# %% wrong="words looked for at any place" caught_by="three factors by hand"
# -         sum(p for words, p in joint.items() if words[k:] == tuple(sequence[k:]))
# +         sum(p for words, p in joint.items() if set(sequence[k:]) <= set(words))


# %% wrong="three zeros for a text that is not listed" caught_by="three factors by hand"
# -     ends = [
# +     if tuple(sequence) not in joint:
# +         return [0.0, 0.0, 0.0]
# +     ends = [
