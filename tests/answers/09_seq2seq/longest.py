"""Answers to the task longest of chapter 09."""


# %% right="division of whole numbers"
def longest(d, b, V):
    states, n = 1 << (d * b), 0
    while states >= V:
        states //= V
        n += 1
    return n


def half(right):
    count = 0
    for share in right:
        if share < 0.5:
            return count
        count += 1
    return count


# %% right="a logarithm, then corrected"
def longest(d, b, V):
    n = int(d * b / math.log2(V)) + 1
    while V**n > 2 ** (d * b):
        n -= 1
    return n


def half(right):
    return len(list(itertools.takewhile(lambda share: share >= 0.5, right)))


# %% wrong="a logarithm, rounded down" caught_by="a state for each sequence"
def longest(d, b, V):
    return int(d * b * math.log(2) / math.log(V))


def half(right):
    return next((i for i, share in enumerate(right) if share < 0.5), len(right))


# %% wrong="log2, rounded down" caught_by="a state for each sequence"
def longest(d, b, V):
    return math.floor(d * b / math.log2(V))


def half(right):
    return next((i for i, share in enumerate(right) if share < 0.5), len(right))


# %% wrong="one too many" caught_by="a state for each sequence" change="V ** (n + 1) -> V**n"


# %% wrong="strictly fewer" caught_by="a state for each sequence" change="<= 2 ** (d * b) -> < 2 ** (d * b)"


# %% wrong="d states for each bit" caught_by="a state for each sequence" change="2 ** (d * b) -> d**b"


# %% wrong="bits of one number only" caught_by="a state for each sequence" change="2 ** (d * b) -> d * 2**b"


# %% wrong="all sequences of up to n words" caught_by="a state for each sequence"
# -     while V ** (n + 1) <= 2 ** (d * b):
# +     while sum(V**i for i in range(n + 2)) <= 2 ** (d * b):


# %% wrong="the last length that is good" caught_by="until half fail"
# -     return next((i for i, share in enumerate(right) if share < 0.5), len(right))
# +     return max((i + 1 for i, share in enumerate(right) if share >= 0.5), default=0)


# %% wrong="how many are good" caught_by="until half fail"
# -     return next((i for i, share in enumerate(right) if share < 0.5), len(right))
# +     return sum(share >= 0.5 for share in right)


# %% wrong="more than half" caught_by="until half fail" change="share < 0.5 -> share <= 0.5"


# %% wrong="one too many lengths" caught_by="until half fail" change="(i for i, share -> (i + 1 for i, share"


# %% wrong="None if all are good" caught_by="until half fail" change="if share < 0.5), len(right)) -> if share < 0.5), None)"


# %% wrong="a logarithm, mended from above only" caught_by="a state for each sequence"
# -     n = 0
# -     while V ** (n + 1) <= 2 ** (d * b):
# -         n += 1
# +     n = int(math.log(2 ** (d * b), V))
# +     while V**n > 2 ** (d * b):
# +         n -= 1


# %% wrong="no further than 10,000 words" caught_by="a state for each sequence" change="while V ** (n + 1) -> while n < 10_000 and V ** (n + 1)"
