"""Answers to the task jelinek_mercer of chapter 02."""


# %% right="from the empty context upwards"
def jelinek_mercer(word, context, table, V, weight):
    p = 1 / V
    for start in range(len(context), -1, -1):
        row = table.get(tuple(context[start:]), {})
        total = sum(row.values())
        if total:
            p = (1 - weight) * p + weight * (row[word] if word in row else 0) / total
    return p


# %% right="recursion with a missing row as weight 0"
def jelinek_mercer(word, context, table, V, weight):
    counts = table.get(context, {})
    n = sum(counts.values())
    lam, ratio = (weight, counts.get(word, 0) / n) if n > 0 else (0, 0)
    if len(context) == 0:
        return np.float64(lam * ratio + (1 - lam) / V)
    return np.float64(lam * ratio + (1 - lam) * jelinek_mercer(word, context[1:], table, V, weight))


# %% wrong="lambda weights the shorter context" caught_by="every level is smoothed" change="weight * row.get(word, 0) / sum(row.values()) + (1 - weight) -> (1 - weight) * row.get(word, 0) / sum(row.values()) + weight"


# %% wrong="lower level not smoothed" caught_by="every level is smoothed"
def jelinek_mercer(word, context, table, V, weight):
    def ratio(h):
        row = table.get(h, {})
        return row.get(word, 0) / sum(row.values()) if row else 0

    if not context:
        return weight * ratio(()) + (1 - weight) / V
    return weight * ratio(context) + (1 - weight) * ratio(context[1:])


# %% wrong="unseen context keeps only 1 - lambda" caught_by="unseen contexts pass the question on | sums to one for every weight"
def jelinek_mercer(word, context, table, V, weight):
    below = jelinek_mercer(word, context[1:], table, V, weight) if context else 1 / V
    row = table.get(context, {})
    ratio = row.get(word, 0) / sum(row.values()) if row else 0
    return weight * ratio + (1 - weight) * below


# %% wrong="drops the newest word" caught_by="every level is smoothed | unseen contexts pass the question on" change="context[1: -> context[:-1"


# %% wrong="no uniform below" caught_by="one level over the uniform"
def jelinek_mercer(word, context, table, V, weight):
    row = table.get(context, {})
    ratio = row.get(word, 0) / sum(row.values()) if row else 0
    if not context:
        return ratio
    below = jelinek_mercer(word, context[1:], table, V, weight)
    return weight * ratio + (1 - weight) * below if row else below


# %% wrong="uniform over the words seen" caught_by="one level over the uniform" change="/ V -> / len(table[()])"


# %% wrong="three words skip the bigrams" caught_by="every level is smoothed"
# -     below = jelinek_mercer(word, context[1:], table, V, weight) if context else 1 / V
# +     shorter = () if len(context) == 3 else context[1:]
# +     below = jelinek_mercer(word, shorter, table, V, weight) if context else 1 / V


# %% wrong="a KeyError without the empty context" caught_by="unseen contexts pass the question on"
# -     below = jelinek_mercer(word, context[1:], table, V, weight) if context else 1 / V
# +     if not context:
# +         row = table[()]
# +         return weight * row.get(word, 0) / sum(row.values()) + (1 - weight) / V
# +     below = jelinek_mercer(word, context[1:], table, V, weight)


# %% wrong="contexts asked for get a row" caught_by="every level is smoothed" change="get(context -> setdefault(context, {}"


# %% wrong="words asked for get a count" caught_by="one level over the uniform" change="row.get -> row.setdefault"


# %% wrong="an empty row is a seen context" caught_by="unseen contexts pass the question on"
def jelinek_mercer(word, context, table, V, weight):
    below = jelinek_mercer(word, context[1:], table, V, weight) if context else 1 / V
    if context not in table:
        return below
    row = table[context]
    return weight * row.get(word, 0) / max(sum(row.values()), 1) + (1 - weight) * below


# %% wrong="remembers answers of other tables" caught_by="one level over the uniform"
memory = {}


def jelinek_mercer(word, context, table, V, weight):
    if (word, context) not in memory:
        below = jelinek_mercer(word, context[1:], table, V, weight) if context else 1 / V
        row = table.get(context)
        mixed = weight * row.get(word, 0) / sum(row.values()) + (1 - weight) * below if row else below
        memory[word, context] = mixed
    return memory[word, context]


# %% wrong="stops where a context is missing" caught_by="unseen contexts pass the question on"
def jelinek_mercer(word, context, table, V, weight):
    p = 1 / V
    for length in range(len(context) + 1):
        row = table.get(context[len(context) - length :])
        if not row:
            break
        p = weight * row.get(word, 0) / sum(row.values()) + (1 - weight) * p
    return p


# %% right="weights collected from the longest context down, an array"
def jelinek_mercer(word, context, table, V, weight):
    p, left = (np.zeros(()), 1.0)
    while True:
        row = table.get(tuple(context)) or {}
        if row:
            p = p + left * weight * row.get(word, 0) / sum(row.values())
            left *= 1 - weight
        if not context:
            return p + left / V
        context = context[1:]


# %% wrong="a row with one count is no row" caught_by="one level over the uniform | every level is smoothed"
# -     if not row:
# +     if not row or sum(row.values()) < 2:


# %% wrong="a row with one kind of follower is no row" caught_by="every level is smoothed" change="if not row: -> if not row or len(row) < 2:"


# %% wrong="keeps answers for the same contexts, whatever the counts" caught_by="every level is smoothed"
kept_answers = {}


def jelinek_mercer(word, context, table, V, weight):
    asked = (word, context, frozenset(table), V, weight)
    if asked not in kept_answers:
        p = 1 / V
        for start in range(len(context), -1, -1):
            row = table.get(context[start:])
            if row:
                p = weight * row.get(word, 0) / sum(row.values()) + (1 - weight) * p
        kept_answers[asked] = p
    return kept_answers[asked]


# %% wrong="keeps 1/V of the first call" caught_by="one level over the uniform"
first_V = []


def jelinek_mercer(word, context, table, V, weight):
    first_V.append(V)
    below = jelinek_mercer(word, context[1:], table, V, weight) if context else 1 / first_V[0]
    row = table.get(context)
    if not row:
        return below
    return weight * row.get(word, 0) / sum(row.values()) + (1 - weight) * below


# %% wrong="asking for a row by try makes a defaultdict grow" caught_by="every level is smoothed"
# -     row = table.get(context)
# +     try:
# +         row = table[context]
# +     except KeyError:
# +         row = None


# %% wrong="asking a row by try makes the row grow" caught_by="every level is smoothed"
# -     return weight * row.get(word, 0) / sum(row.values()) + (1 - weight) * below
# +     try:
# +         count = row[word]
# +     except KeyError:
# +         count = 0
# +     return weight * count / sum(row.values()) + (1 - weight) * below


# %% wrong="levels counted from the last two words" caught_by="unseen contexts pass the question on"
def jelinek_mercer(word, context, table, V, weight):
    context = context[-3:]
    below = jelinek_mercer(word, context[1:], table, V, weight) if context else 1 / V
    row = table.get(context)
    if not row:
        return below
    return weight * row.get(word, 0) / sum(row.values()) + (1 - weight) * below


# %% wrong="a weight of 0 becomes one half" caught_by="every level is smoothed"
# -     below = jelinek_mercer(word, context[1:], table, V, weight) if context else 1 / V
# +     weight = weight or 0.5
# +     below = jelinek_mercer(word, context[1:], table, V, weight) if context else 1 / V


# %% wrong="no word with a row, no level" caught_by="every level is smoothed" change="if not row: -> if not row or word not in row:"


# %% wrong="behind an unseen context only the empty one" caught_by="unseen contexts pass the question on" change="return below -> return jelinek_mercer(word, (), table, V, weight) if context else below"


# %% right="levels first, then a sum of products"
def jelinek_mercer(word, context, table, V, weight):
    shares, h = [], tuple(context)
    while True:
        total = sum(table.get(h, {}).values())
        if total > 0:
            shares.append(table[h].get(word, 0) / total)
        if not h:
            break
        h = h[1:]
    shares.append(1 / V)
    last = len(shares) - 1
    return sum(p * (1 - weight) ** i * (weight if i < last else 1) for i, p in enumerate(shares))
