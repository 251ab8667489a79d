"""Answers to the task simple_good_turing of chapter 02."""


# %% right="least squares by hand, a switch found first"
def spread(N):
    c = np.array(sorted(N))
    neighbours = np.concatenate([[0], c, [2 * c[-1] - (c[-2] if len(c) > 1 else 0)]])
    Z = np.array([N[x] for x in c.tolist()]) / ((neighbours[2:] - neighbours[:-2]) / 2)
    return dict(zip(c.tolist(), Z.tolist(), strict=True))


def simple_good_turing(N):
    Z = spread(N)
    x, y = np.log(sorted(Z)), np.log([Z[c] for c in sorted(Z)])
    b = np.cov(x, y)[0, 1] / np.var(x, ddof=1)
    a = y.mean() - b * x.mean()

    def S(c):
        return math.exp(a + b * math.log(c))

    switch = next(c for c in sorted(N) if not worth_it(N, c, (c + 1) * S(c + 1) / S(c)))
    result = {c: (c + 1) * (N[c + 1] / N[c] if c < switch else S(c + 1) / S(c)) for c in sorted(N)}
    total = sum(c * n for c, n in N.items()) - N.get(1, 0)
    factor = total / sum(N[c] * result[c] for c in N)
    return {c: factor * result[c] for c in N}


# %% right="np.polyval, a loop with break"
def spread(N):
    counts = sorted(N)
    Z = {}
    for i, c in enumerate(counts):
        q = counts[i - 1] if i > 0 else 0
        t = counts[i + 1] if i + 1 < len(counts) else 2 * c - q
        Z[c] = 2 * N[c] / (t - q)
    return Z


def simple_good_turing(N):
    Z = spread(N)
    line = np.polyfit(np.log(list(Z.keys())), np.log(list(Z.values())), 1)
    S = {c: np.exp(np.polyval(line, np.log(c))) for c in [*N, *(c + 1 for c in N)]}
    stars = {c: (c + 1) * S[c + 1] / S[c] for c in N}
    for c in sorted(N):
        if not worth_it(N, c, stars[c]):
            break
        stars[c] = (c + 1) * N[c + 1] / N[c]
    kept = sum(N[c] * stars[c] for c in N)
    return {c: stars[c] * sum(c * N[c] for c in N if c != 1) / kept for c in N}


# %% wrong="no spreading" caught_by="gaps share their neighbours"
# -     Z = {}
# -     for q, c, t in zip([0, *ordered], ordered, [*ordered[1:], None], strict=False):
# -         after = 2 * c - q if t is None else t
# -         Z[c] = 2 * N[c] / (after - q)
# -     return Z
# +     before = [0, *ordered[:-1]]
# +     after = [*ordered[1:], 2 * ordered[-1] - before[-1]]
# +     return {c: float(N[c]) for q, c, t in zip(before, ordered, after)}


# %% wrong="half forgotten" caught_by="gaps share their neighbours"
# -     Z = {}
# -     for q, c, t in zip([0, *ordered], ordered, [*ordered[1:], None], strict=False):
# -         after = 2 * c - q if t is None else t
# -         Z[c] = 2 * N[c] / (after - q)
# -     return Z
# +     before = [0, *ordered[:-1]]
# +     after = [*ordered[1:], 2 * ordered[-1] - before[-1]]
# +     return {c: N[c] / (t - q) for q, c, t in zip(before, ordered, after)}


# %% wrong="last one reaches to its neighbour only" caught_by="gaps share their neighbours"
# -     Z = {}
# -     for q, c, t in zip([0, *ordered], ordered, [*ordered[1:], None], strict=False):
# -         after = 2 * c - q if t is None else t
# -         Z[c] = 2 * N[c] / (after - q)
# -     return Z
# +     before = [0, *ordered[:-1]]
# +     after = [*ordered[1:], ordered[-1]]
# +     return {c: N[c] / ((t - q) / 2) for q, c, t in zip(before, ordered, after)}


# %% wrong="not scaled" caught_by="no mass is lost"
def spread(N):
    ordered = sorted(N)
    before = [0, *ordered[:-1]]
    after = [*ordered[1:], 2 * ordered[-1] - before[-1]]
    return {c: N[c] / ((t - q) / 2) for q, c, t in zip(before, ordered, after)}


def simple_good_turing(N):
    Z = spread(N)
    b, _ = np.polyfit(np.log(list(Z)), np.log(list(Z.values())), 1)
    adjusted, trusted = {}, True
    for c in sorted(N):
        line = (c + 1) * ((c + 1) / c) ** b
        trusted = trusted and worth_it(N, c, line)
        adjusted[c] = (c + 1) * N[c + 1] / N[c] if trusted else line
    scale = sum(c * N[c] for c in N if c > 1) / sum(N[c] * adjusted[c] for c in N)
    return {c: value for c, value in adjusted.items()}


# %% wrong="scaled to all tokens" caught_by="no mass is lost"
def spread(N):
    ordered = sorted(N)
    before = [0, *ordered[:-1]]
    after = [*ordered[1:], 2 * ordered[-1] - before[-1]]
    return {c: N[c] / ((t - q) / 2) for q, c, t in zip(before, ordered, after)}


def simple_good_turing(N):
    Z = spread(N)
    b, _ = np.polyfit(np.log(list(Z)), np.log(list(Z.values())), 1)
    adjusted, trusted = {}, True
    for c in sorted(N):
        line = (c + 1) * ((c + 1) / c) ** b
        trusted = trusted and worth_it(N, c, line)
        adjusted[c] = (c + 1) * N[c + 1] / N[c] if trusted else line
    scale = sum(c * N[c] for c in N) / sum(N[c] * adjusted[c] for c in N)
    return {c: scale * value for c, value in adjusted.items()}


# %% wrong="Turing's where there is one" caught_by="Turing first, then never again"
def spread(N):
    ordered = sorted(N)
    before = [0, *ordered[:-1]]
    after = [*ordered[1:], 2 * ordered[-1] - before[-1]]
    return {c: N[c] / ((t - q) / 2) for q, c, t in zip(before, ordered, after)}


def simple_good_turing(N):
    Z = spread(N)
    b, _ = np.polyfit(np.log(list(Z)), np.log(list(Z.values())), 1)
    adjusted, trusted = {}, True
    for c in sorted(N):
        line = (c + 1) * ((c + 1) / c) ** b
        trusted = N.get(c + 1, 0) > 0
        adjusted[c] = (c + 1) * N[c + 1] / N[c] if trusted else line
    scale = sum(c * N[c] for c in N if c > 1) / sum(N[c] * adjusted[c] for c in N)
    return {c: scale * value for c, value in adjusted.items()}


# %% wrong="Turing trusted again later" caught_by="Turing first, then never again"
def spread(N):
    ordered = sorted(N)
    before = [0, *ordered[:-1]]
    after = [*ordered[1:], 2 * ordered[-1] - before[-1]]
    return {c: N[c] / ((t - q) / 2) for q, c, t in zip(before, ordered, after)}


def simple_good_turing(N):
    Z = spread(N)
    b, _ = np.polyfit(np.log(list(Z)), np.log(list(Z.values())), 1)
    adjusted, trusted = {}, True
    for c in sorted(N):
        line = (c + 1) * ((c + 1) / c) ** b
        trusted = worth_it(N, c, line)
        adjusted[c] = (c + 1) * N[c + 1] / N[c] if trusted else line
    scale = sum(c * N[c] for c in N if c > 1) / sum(N[c] * adjusted[c] for c in N)
    return {c: scale * value for c, value in adjusted.items()}


# %% wrong="line everywhere" caught_by="Turing first, then never again"
def spread(N):
    ordered = sorted(N)
    before = [0, *ordered[:-1]]
    after = [*ordered[1:], 2 * ordered[-1] - before[-1]]
    return {c: N[c] / ((t - q) / 2) for q, c, t in zip(before, ordered, after)}


def simple_good_turing(N):
    Z = spread(N)
    b, _ = np.polyfit(np.log(list(Z)), np.log(list(Z.values())), 1)
    adjusted, trusted = {}, False
    for c in sorted(N):
        line = (c + 1) * ((c + 1) / c) ** b
        trusted = trusted and worth_it(N, c, line)
        adjusted[c] = (c + 1) * N[c + 1] / N[c] if trusted else line
    scale = sum(c * N[c] for c in N if c > 1) / sum(N[c] * adjusted[c] for c in N)
    return {c: scale * value for c, value in adjusted.items()}


# %% wrong="line through N, not Z" caught_by="the line where Turing is doubtful | Turing first, then never again"
def spread(N):
    ordered = sorted(N)
    before = [0, *ordered[:-1]]
    after = [*ordered[1:], 2 * ordered[-1] - before[-1]]
    return {c: N[c] / ((t - q) / 2) for q, c, t in zip(before, ordered, after)}


def simple_good_turing(N):
    Z = spread(N)
    b, _ = np.polyfit(np.log(list(N)), np.log(list(N.values())), 1)
    adjusted, trusted = {}, True
    for c in sorted(N):
        line = (c + 1) * ((c + 1) / c) ** b
        trusted = trusted and worth_it(N, c, line)
        adjusted[c] = (c + 1) * N[c + 1] / N[c] if trusted else line
    scale = sum(c * N[c] for c in N if c > 1) / sum(N[c] * adjusted[c] for c in N)
    return {c: scale * value for c, value in adjusted.items()}


# %% wrong="line without logarithms of c" caught_by="the line where Turing is doubtful"
def spread(N):
    ordered = sorted(N)
    before = [0, *ordered[:-1]]
    after = [*ordered[1:], 2 * ordered[-1] - before[-1]]
    return {c: N[c] / ((t - q) / 2) for q, c, t in zip(before, ordered, after)}


def simple_good_turing(N):
    Z = spread(N)
    b, _ = np.polyfit(list(Z), np.log(list(Z.values())), 1)
    adjusted, trusted = {}, True
    for c in sorted(N):
        line = (c + 1) * ((c + 1) / c) ** b
        trusted = trusted and worth_it(N, c, line)
        adjusted[c] = (c + 1) * N[c + 1] / N[c] if trusted else line
    scale = sum(c * N[c] for c in N if c > 1) / sum(N[c] * adjusted[c] for c in N)
    return {c: scale * value for c, value in adjusted.items()}


# %% wrong="S(c) over S(c + 1)" caught_by="the line where Turing is doubtful"
def spread(N):
    ordered = sorted(N)
    before = [0, *ordered[:-1]]
    after = [*ordered[1:], 2 * ordered[-1] - before[-1]]
    return {c: N[c] / ((t - q) / 2) for q, c, t in zip(before, ordered, after)}


def simple_good_turing(N):
    Z = spread(N)
    b, _ = np.polyfit(np.log(list(Z)), np.log(list(Z.values())), 1)
    adjusted, trusted = {}, True
    for c in sorted(N):
        line = (c + 1) * (c / (c + 1)) ** b
        trusted = trusted and worth_it(N, c, line)
        adjusted[c] = (c + 1) * N[c + 1] / N[c] if trusted else line
    scale = sum(c * N[c] for c in N if c > 1) / sum(N[c] * adjusted[c] for c in N)
    return {c: scale * value for c, value in adjusted.items()}


# %% wrong="counts above get a key in the dict of the caller" caught_by="no mass is lost"
def spread(N):
    ordered = sorted(N)
    Z = {}
    for q, c, t in zip([0, *ordered], ordered, [*ordered[1:], None], strict=False):
        after = 2 * c - q if t is None else t
        Z[c] = 2 * N[c] / (after - q)
    return Z


def simple_good_turing(N):
    Z = spread(dict(N))
    b, _ = np.polyfit(np.log(list(Z)), np.log(list(Z.values())), 1)
    adjusted, trusted, ordered = ({}, True, sorted(N))
    for c in ordered:
        line = (c + 1) * ((c + 1) / c) ** b
        trusted = trusted and worth_it(N, c, line)
        N.setdefault(c + 1, 0)
        adjusted[c] = (c + 1) * N[c + 1] / N[c] if trusted else line
    scale = sum((c * N[c] for c in ordered if c > 1)) / sum((N[c] * adjusted[c] for c in ordered))
    return {c: scale * value for c, value in adjusted.items()}


# %% wrong="counts taken in the order of the dict" caught_by="gaps share their neighbours | Turing first, then never again"
def spread(N):
    ordered, Z = (list(N), {})
    for q, c, t in zip([0, *ordered], ordered, [*ordered[1:], None], strict=False):
        after = 2 * c - q if t is None else t
        Z[c] = 2 * N[c] / max(abs(after - q), 1)
    return Z


def simple_good_turing(N):
    Z = spread({c: N[c] for c in sorted(N)})
    b, _ = np.polyfit(np.log(list(Z)), np.log(list(Z.values())), 1)
    adjusted, trusted = ({}, True)
    for c in N:
        line = (c + 1) * ((c + 1) / c) ** b
        trusted = trusted and worth_it(N, c, line)
        adjusted[c] = (c + 1) * N[c + 1] / N[c] if trusted else line
    scale = sum((c * N[c] for c in N if c > 1)) / sum((N[c] * adjusted[c] for c in N))
    return {c: scale * value for c, value in adjusted.items()}


# %% wrong="a KeyError without singletons" caught_by="no mass is lost" change="sum(c * N[c] for c in N if c > 1) / sum(N[c] * adjusted[c] for c in N -> (sum((c * N[c] for c in N)) - N[1]) / sum((N[c] * adjusted[c] for c in N)"


# %% wrong="the first c spread from itself" caught_by="gaps share their neighbours"
# -     Z = {}
# -     for q, c, t in zip([0, *ordered], ordered, [*ordered[1:], None], strict=False):
# -         after = 2 * c - q if t is None else t
# -         Z[c] = 2 * N[c] / (after - q)
# -     return Z
# +     before = [ordered[0] - 1, *ordered[:-1]]
# +     after = [*ordered[1:], 2 * ordered[-1] - before[-1]]
# +     return {c: 2 * N[c] / (t - q) for q, c, t in zip(before, ordered, after)}


# %% wrong="only what the line says is scaled" caught_by="Turing first, then never again"
def spread(N):
    ordered = sorted(N)
    Z = {}
    for q, c, t in zip([0, *ordered], ordered, [*ordered[1:], None], strict=False):
        after = 2 * c - q if t is None else t
        Z[c] = 2 * N[c] / (after - q)
    return Z


def simple_good_turing(N):
    Z = spread(N)
    b, _ = np.polyfit(np.log(list(Z)), np.log(list(Z.values())), 1)
    turing, line, trusted = ({}, {}, True)
    for c in sorted(N):
        smooth = (c + 1) * ((c + 1) / c) ** b
        trusted = trusted and worth_it(N, c, smooth)
        if trusted:
            turing[c] = (c + 1) * N[c + 1] / N[c]
        else:
            line[c] = smooth
    left = sum((c * N[c] for c in N if c > 1)) - sum((N[c] * turing[c] for c in turing))
    scale = left / sum((N[c] * line[c] for c in line))
    return turing | {c: scale * value for c, value in line.items()}


# %% right="arrays, keys of NumPy, largest count first"
# -     ordered = sorted(N)
# -     Z = {}
# -     for q, c, t in zip([0, *ordered], ordered, [*ordered[1:], None], strict=False):
# -         after = 2 * c - q if t is None else t
# -         Z[c] = 2 * N[c] / (after - q)
# -     return Z
# +     c = np.sort(list(N))
# +     padded = np.concatenate([[0], c])
# +     after = np.append(c[1:], 2 * c[-1] - padded[-2])
# +     return dict(zip(c[::-1], (2 * np.array([N[x] for x in c]) / (after - padded[:-1]))[::-1]))


# %% wrong="looks for N of c + 1 by try, which adds it" caught_by="no mass is lost"
# -         trusted = trusted and worth_it(N, c, line)
# +         try:
# +             trusted = trusted and N[c + 1] > 0 and worth_it(N, c, line)
# +         except KeyError:
# +             trusted = False
