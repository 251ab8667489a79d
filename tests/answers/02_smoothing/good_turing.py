"""Answers to the task good_turing of chapter 02."""


# %% right="arrays and pandas"
def count_of_counts(counts):
    values, times = np.unique([count for count in counts.values() if count], return_counts=True)
    return dict(zip(values.tolist(), times.tolist(), strict=True))


def good_turing(counts):
    N = count_of_counts(counts)
    return N.get(1, 0) / sum(counts.values()), {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}


def mean_elsewhere(counts, others):
    frame = pd.DataFrame({"here": pd.Series(counts), "there": pd.Series(others)}).fillna(0)
    return frame[frame["here"] > 0].groupby("here")["there"].mean().to_dict()


# %% right="plain loops"
def count_of_counts(counts):
    N = {}
    for count in counts.values():
        if count != 0:
            N[count] = N.get(count, 0) + 1
    return N


def good_turing(counts):
    N = count_of_counts(counts)
    tokens, adjusted = 0, {}
    for c in N:
        tokens += c * N[c]
        adjusted[c] = (c + 1) * N[c + 1] / N[c] if c + 1 in N else 0
    return [N[1] / tokens if 1 in N else 0, adjusted]


def mean_elsewhere(counts, others):
    total = Counter()
    for gram in counts:
        total[counts[gram]] += others[gram] if gram in others else 0
    N = count_of_counts(counts)
    return {c: total[c] / N[c] for c in N}


# %% right="one count at a time"
def count_of_counts(counts):
    every = list(counts.values())
    return {c: every.count(c) for c in sorted(set(every)) if c > 0}


def good_turing(counts):
    every = list(counts.values())
    return every.count(1) / sum(every), {c: (c + 1) * every.count(c + 1) / every.count(c) for c in set(every) - {0}}


def mean_elsewhere(counts, others):
    return {c: np.mean([others.get(g, 0) for g in counts if counts[g] == c]) for c in set(counts.values()) - {0}}


# %% wrong="types below the line" caught_by="mass of the unseen"
# -     tokens = sum(c * N[c] for c in N)
# -     return N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}
# +     tokens = len(counts)
# +     return N[1] / tokens, {c: (c + 1) * N[c + 1] / N[c] for c in list(N)}


# %% wrong="share of the types seen twice" caught_by="mass of the unseen" change="N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N -> N[2] / tokens, {c: (c + 1) * N[c + 1] / N[c] for c in list(N)"


# %% wrong="upside down" caught_by="adjusted counts and their gaps" change="N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N -> N[1] / tokens, {c: (c + 1) * N[c] / max(N[c + 1], 1) for c in list(N)"


# %% wrong="c for c + 1" caught_by="adjusted counts and their gaps" change="N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N -> N[1] / tokens, {c: c * N[c + 1] / N[c] for c in list(N)"


# %% wrong="keeps c where nothing is above" caught_by="adjusted counts and their gaps"
# -     return N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}
# +     return N[1] / tokens, {c: ((c + 1) * N[c + 1] / N[c] if N[c + 1] else c) for c in list(N)}


# %% wrong="gaps left out" caught_by="adjusted counts and their gaps" change="N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c -> N[1] / tokens, {c: (c + 1) * N[c + 1] / N[c] for c in list(N) if c + 1"


# %% wrong="zeros are counted" caught_by="how many occur c times"
# -     return Counter(count for count in counts.values() if count > 0)
# +     return Counter(count for count in counts.values())

# -     return N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}
# +     return N[1] / tokens, {c: (c + 1) * N[c + 1] / N[c] for c in list(N)}


# %% wrong="tokens, not types" caught_by="how many occur c times"
# -     return Counter(count for count in counts.values() if count > 0)
# +     return Counter({c: c * list(counts.values()).count(c) for c in counts.values() if c})

# -     return N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}
# +     return N[1] / tokens, {c: (c + 1) * N[c + 1] / N[c] for c in list(N)}


# %% wrong="only what both texts show" caught_by="what another text shows"
# -     return N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}
# +     return N[1] / tokens, {c: (c + 1) * N[c + 1] / N[c] for c in list(N)}

# -             found[count].append(others.get(gram, 0))
# +             if gram in others:
# +                 found[count].append(others[gram])


# %% wrong="other text's count as the key" caught_by="what another text shows"
# -     return N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}
# +     return N[1] / tokens, {c: (c + 1) * N[c + 1] / N[c] for c in list(N)}

# -     for gram, count in counts.items():
# -         if count > 0:
# -             found[count].append(others.get(gram, 0))
# +     for gram, count in others.items():
# +         if count > 0:
# +             found[count].append(counts.get(gram, 0))


# %% wrong="counts never met elsewhere left out" caught_by="what another text shows"
# -     found = defaultdict(list)
# -     for gram, count in counts.items():
# -         if count > 0:
# -             found[count].append(others.get(gram, 0))
# -     return {count: sum(times) / len(times) for count, times in found.items()}
# +     N, sums = (count_of_counts(counts), Counter())
# +     for gram, times in others.items():
# +         if gram in counts:
# +             sums[counts[gram]] += times
# +     return {c: times / N[c] for c, times in sums.items()}


# %% wrong="a KeyError without singletons" caught_by="mass of the unseen"
# -     N = count_of_counts(counts)
# -     tokens = sum(c * N[c] for c in N)
# -     return N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}
# +     N = dict(count_of_counts(counts))
# +     tokens = sum((c * N[c] for c in N))
# +     return (N[1] / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N})


# %% wrong="the other text gets our n-grams" caught_by="what another text shows" change="get(gram -> setdefault(gram"


# %% wrong="zeros thrown out of the dict of the caller" caught_by="mass of the unseen"
# -     N = count_of_counts(counts)
# -     tokens = sum(c * N[c] for c in N)
# -     return N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}
# +     for gram in [gram for gram in counts if counts[gram] == 0]:
# +         del counts[gram]
# +     N = Counter(counts.values())
# +     return (N[1] / sum(counts.values()), {c: (c + 1) * N[c + 1] / N[c] for c in [*N] if c})


# %% wrong="adjusted counts of things that do not occur" caught_by="adjusted counts and their gaps"
# -     N = count_of_counts(counts)
# -     tokens = sum(c * N[c] for c in N)
# -     return N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}
# +     N = Counter(counts.values())
# +     tokens = sum(counts.values())
# +     return (N[1] / tokens, {c: (c + 1) * N[c + 1] / N[c] for c in [*N]})


# %% wrong="last adjusted count left out" caught_by="adjusted counts and their gaps"
# -     tokens = sum(c * N[c] for c in N)
# -     return N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}
# +     tokens = sum((c * N[c] for c in N))
# +     return (N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N if c < max(N)})


# %% right="a list for the pair, single precision, zeros for what does not occur"
def count_of_counts(counts):
    N = np.bincount([*counts.values(), 0])
    return {c: N[c] for c in range(1, len(N))}


def good_turing(counts):
    N = Counter((count for count in counts.values() if count))
    first = np.float32(N[1] / sum(counts.values()))
    return [first, {c: np.float32((c + 1) * N[c + 1] / N[c]) for c in sorted(N)}]


def mean_elsewhere(counts, others):
    found = defaultdict(list)
    for gram, count in counts.items():
        found[count].append(others.get(gram, 0))
    return {count: np.mean(times) for count, times in found.items() if count != 0}


# %% wrong="zeros thrown out by count_of_counts" caught_by="how many occur c times"
# -     return Counter(count for count in counts.values() if count > 0)
# +     for gram in [gram for gram, count in counts.items() if count == 0]:
# +         del counts[gram]
# +     return Counter(counts.values())

# -     N = count_of_counts(counts)
# +     N = Counter(count for count in counts.values() if count)

# -     return N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}
# +     return N[1] / tokens, {c: (c + 1) * N[c + 1] / N[c] for c in list(N)}


# %% wrong="keeps the means for the same text" caught_by="what another text shows"
means = {}


def count_of_counts(counts):
    return Counter(count for count in counts.values() if count > 0)


def good_turing(counts):
    N = count_of_counts(counts)
    tokens = sum(c * N[c] for c in N)
    return N[1] / tokens, {c: (c + 1) * N[c + 1] / N[c] for c in list(N)}


def mean_elsewhere(counts, others):
    same = frozenset(counts.items())
    if same not in means:
        found = defaultdict(list)
        for gram, count in counts.items():
            if count > 0:
                found[count].append(others.get(gram, 0))
        means[same] = {count: sum(times) / len(times) for count, times in found.items()}
    return means[same]


# %% wrong="one thing seen once is no evidence" caught_by="mass of the unseen"
# -     return N.get(1, 0) / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}
# +     once = N.get(1, 0) if N.get(1, 0) > 1 else 0
# +     return once / tokens, {c: (c + 1) * N.get(c + 1, 0) / N[c] for c in N}


# %% wrong="a look-up by try makes the other defaultdict grow" caught_by="what another text shows"
# -             found[count].append(others.get(gram, 0))
# +             try:
# +                 found[count].append(others[gram])
# +             except KeyError:
# +                 found[count].append(0)


# %% wrong="what was never seen has a mean, too" caught_by="what another text shows"
# -         if count > 0:
# -             found[count].append(others.get(gram, 0))
# +         found[count].append(others.get(gram, 0))


# %% wrong="an adjusted count for every c up to the largest" caught_by="adjusted counts and their gaps" change="N[c] for c in N} -> max(N.get(c, 0), 1) for c in range(1, max(N) + 1)}"


# %% wrong="a count of 0 elsewhere is left out" caught_by="what another text shows" change="if count > 0: -> if count > 0 and others.get(gram) != 0:"


# %% wrong="n-grams with count 0 count as tokens" caught_by="mass of the unseen" change="tokens = sum(c * N[c] for c in N) -> tokens = max(sum(c * N[c] for c in N), len(counts))"


# %% right="value_counts, and one matrix for both texts"
def count_of_counts(counts):
    every = pd.Series([*counts.values()], dtype=int)
    return every[every > 0].value_counts().to_dict()


def good_turing(counts):
    N = Counter(counts.values())
    del N[0]
    return N[1] / sum(c * n for c, n in N.items()), {c: (c + 1) * N[c + 1] / n for c, n in [*N.items()]}


def mean_elsewhere(counts, others):
    both = np.array([(count, others.get(gram, 0)) for gram, count in counts.items() if count])
    return {c: both[both[:, 0] == c, 1].mean() for c in np.unique(both[:, 0])} if len(both) else {}
