"""Answers to the task infer_v of chapter 02."""


# %% right="arrays of candidates"
def v_interval(numerator, n, printed):
    ends = numerator / (printed + last_digit(printed) * np.array([0.5, -0.5])) - n
    return ends


def most_supported(intervals):
    low, high = np.array(intervals).T
    V = np.arange(math.floor(low.min()), math.ceil(high.max()) + 1)
    votes = ((low <= V[:, None]) & (V[:, None] <= high)).sum(axis=1)
    return V[votes == votes.max()]


# %% right="each candidate asks all intervals"
def v_interval(numerator, n, printed):
    largest, smallest = printed + 0.5 * last_digit(printed), printed - 0.5 * last_digit(printed)
    return [numerator / largest - n, numerator / smallest - n]


def most_supported(intervals):
    candidates = range(math.floor(min(low for low, _ in intervals)), math.ceil(max(high for _, high in intervals)) + 1)
    votes = {V: sum(low <= V <= high for low, high in intervals) for V in candidates}
    return [V for V, count in votes.items() if count == max(votes.values())]


# %% wrong="ends exchanged" caught_by="one cell leaves a range"
def v_interval(numerator, n, printed):
    half = last_digit(printed) / 2
    return numerator / (printed - half) - n, numerator / (printed + half) - n


def most_supported(intervals):
    votes = Counter()
    for low, high in intervals:
        votes.update(range(math.ceil(low), math.floor(high) + 1))
    return sorted(V for V in votes if votes[V] == max(votes.values()))


# %% wrong="a whole digit to either side" caught_by="one cell leaves a range"
def v_interval(numerator, n, printed):
    half = last_digit(printed)
    return numerator / (printed + half) - n, numerator / (printed - half) - n


def most_supported(intervals):
    votes = Counter()
    for low, high in intervals:
        votes.update(range(math.ceil(low), math.floor(high) + 1))
    return sorted(V for V in votes if votes[V] == max(votes.values()))


# %% wrong="n + V instead of V" caught_by="one cell leaves a range"
def v_interval(numerator, n, printed):
    half = last_digit(printed) / 2
    return numerator / (printed + half), numerator / (printed - half)


def most_supported(intervals):
    votes = Counter()
    for low, high in intervals:
        votes.update(range(math.ceil(low), math.floor(high) + 1))
    return sorted(V for V in votes if votes[V] == max(votes.values()))


# %% wrong="two digits, also of large numbers" caught_by="large numbers are printed whole"
def v_interval(numerator, n, printed):
    half = 10.0 ** (math.floor(math.log10(printed)) - 1) / 2
    return numerator / (printed + half) - n, numerator / (printed - half) - n


def most_supported(intervals):
    votes = Counter()
    for low, high in intervals:
        votes.update(range(math.ceil(low), math.floor(high) + 1))
    return sorted(V for V in votes if votes[V] == max(votes.values()))


# %% wrong="the intersection of all" caught_by="a misprint is outvoted"
def v_interval(numerator, n, printed):
    half = last_digit(printed) / 2
    return numerator / (printed + half) - n, numerator / (printed - half) - n


def most_supported(intervals):
    low, high = max(low for low, _ in intervals), min(high for _, high in intervals)
    return list(range(math.ceil(low), math.floor(high) + 1))


# %% wrong="only the first of several" caught_by="ends and ties count"
def v_interval(numerator, n, printed):
    half = last_digit(printed) / 2
    return numerator / (printed + half) - n, numerator / (printed - half) - n


def most_supported(intervals):
    votes = Counter()
    for low, high in intervals:
        votes.update(range(math.ceil(low), math.floor(high) + 1))
    return [votes.most_common(1)[0][0]]


# %% wrong="the upper end left out" caught_by="ends and ties count"
def v_interval(numerator, n, printed):
    half = last_digit(printed) / 2
    return numerator / (printed + half) - n, numerator / (printed - half) - n


def most_supported(intervals):
    candidates = range(math.floor(min(low for low, _ in intervals)), math.ceil(max(high for _, high in intervals)) + 1)
    votes = {V: sum(low <= V < high for low, high in intervals) for V in candidates}
    return [V for V, count in votes.items() if count == max(votes.values())]


# %% wrong="1 to 10 taken as whole numbers" caught_by="large numbers are printed whole"
# -     half = last_digit(printed) / 2
# -     return numerator / (printed + half) - n, numerator / (printed - half) - n
# +     half = 0.5 if printed >= 1 else last_digit(printed) / 2
# +     return (numerator / (printed + half) - n, numerator / (printed - half) - n)


# %% wrong="ten printed with a decimal" caught_by="large numbers are printed whole"
# -     half = last_digit(printed) / 2
# -     return numerator / (printed + half) - n, numerator / (printed - half) - n
# +     half = 0.05 if 1 <= printed <= 10 else last_digit(printed) / 2
# +     return (numerator / (printed + half) - n, numerator / (printed - half) - n)


# %% wrong="equal intervals vote once" caught_by="a misprint is outvoted"
def v_interval(numerator, n, printed):
    half = last_digit(printed) / 2
    return (numerator / (printed + half) - n, numerator / (printed - half) - n)


def most_supported(intervals):
    votes = Counter((V for low, high in set(intervals) for V in range(math.ceil(low), math.floor(high) + 1)))
    return sorted((V for V in votes if votes[V] == max(votes.values())))


# %% wrong="sorts the intervals of the caller" caught_by="a misprint is outvoted"
def v_interval(numerator, n, printed):
    half = last_digit(printed) / 2
    return (numerator / (printed + half) - n, numerator / (printed - half) - n)


def most_supported(intervals):
    intervals.sort()
    votes = Counter((V for low, high in intervals for V in range(math.ceil(low), math.floor(high) + 1)))
    return [V for V in votes if votes[V] == max(votes.values())]


# %% wrong="cuts the ends off towards zero" caught_by="ends and ties count"
def v_interval(numerator, n, printed):
    half = last_digit(printed) / 2
    return (numerator / (printed + half) - n, numerator / (printed - half) - n)


def most_supported(intervals):
    votes = Counter((V for low, high in intervals for V in range(int(low - 1e-09) + 1, int(high) + 1)))
    return sorted((V for V in votes if votes[V] == max(votes.values())))


# %% wrong="rounds the ends to the next integer" caught_by="ends and ties count"
def v_interval(numerator, n, printed):
    half = last_digit(printed) / 2
    return (numerator / (printed + half) - n, numerator / (printed - half) - n)


def most_supported(intervals):
    votes = Counter((V for low, high in intervals for V in range(round(low), round(high) + 1)))
    return sorted((V for V in votes if votes[V] == max(votes.values())))


# %% right="arrays for both answers"
def v_interval(numerator, n, printed):
    ends = printed + np.array([1, -1]) * last_digit(printed) / 2
    return numerator / ends - n


def most_supported(intervals):
    low, high = np.array(intervals).T
    candidates = np.arange(math.ceil(low.min()), math.floor(high.max()) + 1)
    votes = [np.sum((low <= V) & (V <= high)) for V in candidates]
    return candidates[np.array(votes) == max(votes)]


# %% wrong="as many digits as Python writes" caught_by="one cell leaves a range" change="half = last_digit(printed) / 2 -> half = 0.5 if printed >= 10 else 10.0 ** -len(f'{printed:f}'.rstrip('0').split('.')[1]) / 2"


# %% wrong="the first clue is taken for true" caught_by="a misprint is outvoted"
# -     votes = Counter(
# -         V
# -         for low, high in intervals
# -         for V in range(math.ceil(low), math.floor(high) + 1)
# -     )
# +     first, last = intervals[0]
# +     votes = Counter()
# +     for V in range(math.ceil(first), math.floor(last) + 1):
# +         votes[V] = sum(low <= V <= high for low, high in intervals)


# %% wrong="all between the first and the last winner" caught_by="ends and ties count"
# -     return sorted(V for V in votes if votes[V] == max(votes.values()))
# +     best = [V for V in votes if votes[V] == max(votes.values())]
# +     return list(range(min(best), max(best) + 1))


# %% right="a walk along the sorted ends"
def v_interval(numerator, n, printed):
    low, high = (numerator / (printed + sign * last_digit(printed) / 2) - n for sign in (1, -1))
    return np.array([low, high])


def most_supported(intervals):
    change = Counter()
    for low, high in intervals:
        if math.ceil(low) <= math.floor(high):
            change[math.ceil(low)] += 1
            change[math.floor(high) + 1] -= 1
    best, winners, votes, places = 0, [], 0, sorted(change)
    for place, next_place in pairwise(places):
        votes += change[place]
        if votes > best:
            best, winners = votes, []
        if votes == best and votes > 0:
            winners += range(place, next_place)
    return np.array(winners, dtype=np.int64)
