"""Answers to the task suspect of chapter 06."""


# %% right="a dictionary of places, a count"
def first_and_last(P, words):
    places, rows = {}, []
    for i, word in enumerate(words):
        its = places.setdefault(word, [])
        if len(its) > 1:
            rows.append([P[:, i, its[0] + 1], P[:, i, its[-1] + 1]])
        its.append(i)
    if not rows:
        return torch.zeros(2, P.shape[0])
    return torch.stack([sum(row[k] for row in rows) / len(rows) for k in (0, 1)])


def share_noted(n, before, noted):
    return sum(before + k + 1 <= noted for k in range(n)) / n


# %% right="NumPy, lists"
def first_and_last(P, words):
    P, words = P.numpy(), list(words)
    sums, asked = np.zeros((2, len(P))), 0
    for i in range(len(words)):
        if words[:i].count(words[i]) >= 2:
            last = i - 1 - words[:i][::-1].index(words[i])
            sums += np.stack([P[:, i, words.index(words[i]) + 1], P[:, i, last + 1]])
            asked += 1
    return (sums / max(asked, 1)).tolist()


def share_noted(n, before, noted):
    return float(np.clip((noted - before) / n, 0, 1))


# %% wrong="once is enough" caught_by="after the first and after the last" change="len(earlier) >= 2 -> earlier"


# %% wrong="the occurrences themselves" caught_by="after the first and after the last" change="[earlier[0] + 1, earlier[-1] + 1] -> [earlier[0], earlier[-1]]"


# %% wrong="last before first" caught_by="after the first and after the last" change="[earlier[0] + 1, earlier[-1] + 1] -> [earlier[-1] + 1, earlier[0] + 1]"


# %% wrong="the second instead of the last" caught_by="after the first and after the last" change="earlier[-1] + 1] -> earlier[1] + 1]"


# %% wrong="the sum over words" caught_by="after the first and after the last" change="torch.stack(found).mean(0) -> torch.stack(found).sum(0)"


# %% wrong="divided by all words" caught_by="after the first and after the last" change="torch.stack(found).mean(0) -> torch.stack(found).sum(0) / len(words)"


# %% wrong="columns that look" caught_by="after the first and after the last" change="P[:, i, [earlier[0] + 1, earlier[-1] + 1]].T -> P[:, [earlier[0] + 1, earlier[-1] + 1], i].T"


# %% wrong="heads by rows" caught_by="after the first and after the last" change="earlier[-1] + 1]].T -> earlier[-1] + 1]]"


# %% wrong="equal by identity" caught_by="after the first and after the last" change="words[j] == word -> words[j] is word"


# %% wrong="nothing for no word" caught_by="after the first and after the last" change="if found else P.new_zeros(2, len(P)) -> if found else None"


# %% wrong="not a number for no word" caught_by="after the first and after the last" change="if found else P.new_zeros(2, len(P)) -> if found else P.new_zeros(2, len(P)) * math.nan"


# %% wrong="notes of the words themselves" caught_by="the share of notes" change="noted - before, 0 -> noted - before + 1, 0"


# %% wrong="the last one needs none" caught_by="the share of notes" change="0), n) / n -> 0), n - 1) / (n - 1 or 1)"


# %% wrong="below 0" caught_by="the share of notes" change="min(max(noted - before, 0), n) / n -> min(noted - before, n) / n"


# %% wrong="above 1" caught_by="the share of notes" change="min(max(noted - before, 0), n) / n -> max(noted - before, 0) / n"


# %% wrong="all or nothing" caught_by="the share of notes" change="min(max(noted - before, 0), n) / n -> float(noted >= before + n)"


# %% wrong="how many" caught_by="the share of notes" change="0), n) / n -> 0), n)"
