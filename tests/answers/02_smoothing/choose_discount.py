"""Answers to the task choose_discount of chapter 02."""


# %% right="a loop over occurrences, masks"
def leave_one_out(counts, k):
    total = 0.0
    for c in counts:
        total += math.log(k) if c == 1 else c * math.log(c - 1 - k)
    return total


def estimate_discount(counts):
    counts = list(counts)
    return counts.count(1) / (counts.count(1) + 2 * counts.count(2))


# %% right="the whole matrix first, counts of counts"
def leave_one_out(counts, k):
    n = np.bincount(counts)
    return n[1] * np.log(k) + sum(c * n[c] * np.log(c - 1 - k) for c in range(2, len(n)))


def estimate_discount(counts):
    n = np.bincount(counts, minlength=3)
    return n[1] / (n[1] + 2 * n[2])


# %% wrong="each pair left out once" caught_by="each occurrence left out once"
def leave_one_out(counts, k):
    more = counts[counts > 1]
    return np.sum(counts == 1) * np.log(k) + np.sum(np.log(more - 1 - k))


def estimate_discount(counts):
    n1, n2 = np.sum(counts == 1), np.sum(counts == 2)
    return n1 / (n1 + 2 * n2)


# %% wrong="the occurrence stays in" caught_by="each occurrence left out once"
def leave_one_out(counts, k):
    return np.sum(counts * np.log(counts - k))


def estimate_discount(counts):
    n1, n2 = np.sum(counts == 1), np.sum(counts == 2)
    return n1 / (n1 + 2 * n2)


# %% wrong="the 2 forgotten in the estimate" caught_by="estimate from once and twice"
def leave_one_out(counts, k):
    more = counts[counts > 1]
    return np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))


def estimate_discount(counts):
    n1, n2 = np.sum(counts == 1), np.sum(counts == 2)
    return n1 / (n1 + n2)


# %% wrong="2 n1 in the estimate" caught_by="estimate from once and twice"
def leave_one_out(counts, k):
    more = counts[counts > 1]
    return np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))


def estimate_discount(counts):
    n1, n2 = np.sum(counts == 1), np.sum(counts == 2)
    return 2 * n2 / (n1 + 2 * n2)


# %% wrong="equal counts left out once" caught_by="each occurrence left out once" change="counts[counts > 1] -> np.unique(counts[counts > 1])"


# %% wrong="counts lowered where they stand" caught_by="each occurrence left out once"
# -     more = counts[counts > 1]
# -     return np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))
# +     counts -= 1
# +     ones = np.sum(counts == 0)
# +     more = counts[counts > 0]
# +     return ones * np.log(k) + np.sum((more + 1) * np.log(more - k))


# %% wrong="fails if nothing occurs twice" caught_by="estimate from once and twice" change="n1, n2 = np.sum(counts == 1), np.sum(counts == 2) -> _, n1, n2 = np.bincount(counts)[:3]"


# %% right="single precision, numbers without a dimension"
def leave_one_out(counts, k):
    more = counts[counts > 1]
    return np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))


def estimate_discount(counts):
    n1, n2 = (np.sum(counts == 1), np.sum(counts == 2))
    return n1 / (n1 + 2 * n2)


# %% wrong="the estimate sorts the counts where they stand" caught_by="estimate from once and twice"
# -     n1, n2 = np.sum(counts == 1), np.sum(counts == 2)
# +     counts.sort()
# +     once, twice, more = np.searchsorted(counts, (1, 2, 3))
# +     n1, n2 = twice - once, more - twice


# %% wrong="the estimate sets larger counts to zero" caught_by="estimate from once and twice"
# -     n1, n2 = np.sum(counts == 1), np.sum(counts == 2)
# +     counts[counts > 2] = 0
# +     n1, n2 = np.bincount(counts, minlength=3)[1:]


# %% wrong="the estimate needs two things seen once" caught_by="estimate from once and twice"
# -     return n1 / (n1 + 2 * n2)
# +     return n1 / (n1 + 2 * n2) if n1 > 1 else 0.0


# %% wrong="keeps F for the same counts, whatever k" caught_by="each occurrence left out once"
# + found_before = {}
# +
# +
#   def leave_one_out(counts, k):

# -     return np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))
# +     value = np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))
# +     return found_before.setdefault(tuple(counts.tolist()), value)


# %% wrong="large counts are left out" caught_by="each occurrence left out once" change="counts[counts > 1] -> counts[(counts > 1) & (counts < 1000)]"


# %% wrong="a discount of 1 is cut" caught_by="estimate from once and twice" change="return n1 / (n1 + 2 * n2) -> return np.clip(n1 / (n1 + 2 * n2), 0.01, 0.99)"


# %% wrong="zeros count as seen once" caught_by="estimate from once and twice" change="np.sum(counts == 1), np.sum(counts == 2) -> np.sum(counts <= 1), np.sum(counts == 2)"


# %% wrong="small numbers that 16 bits hold" caught_by="each occurrence left out once" change="more = counts[counts > 1] -> more = counts[counts > 1].astype(np.int16)"


# %% right="different counts with their number, a Fraction"
def leave_one_out(counts, k):
    found = Counter(counts.tolist())
    return math.fsum(n * c * math.log(c - 1 - k if c > 1 else k) for c, n in found.items())


def estimate_discount(counts):
    from fractions import Fraction

    found = Counter(counts.tolist())
    return Fraction(found[1], found[1] + 2 * found[2])
