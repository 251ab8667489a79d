"""Answers to the task suspect of chapter 06."""


# %% right="every place that is asked, a count"
def last_needed(n, T):
    notes = [0]
    for i in range(n, T - 1):
        notes.append(i % n + 1)
    return max(notes)


def share_noted(n, before, noted):
    return sum(before + k + 1 <= noted for k in range(n)) / n


# %% right="a text of numbers, NumPy"
def last_needed(n, T):
    words = [k % n for k in range(T)]
    asked = [words[i] for i in range(T - 1) if i >= n]
    return np.max([words.index(word) + 1 for word in asked]) if asked else 0.0


def share_noted(n, before, noted):
    return float(np.clip((noted - before) / n, 0, 1))


# %% wrong="always the whole list" caught_by="the last note that is needed" change="max(min(n, T - 1 - n), 0) -> n"


# %% wrong="all that is left of the text" caught_by="the last note that is needed" change="max(min(n, T - 1 - n), 0) -> max(T - 1 - n, 0)"


# %% wrong="the last word asks as well" caught_by="the last note that is needed" change="T - 1 - n -> T - n"


# %% wrong="the place of the word itself" caught_by="the last note that is needed" change="max(min(n, T - 1 - n), 0) -> max(min(n - 1, T - 2 - n), 0)"


# %% wrong="below 0 for a text that does not repeat" caught_by="the last note that is needed" change="max(min(n, T - 1 - n), 0) -> min(n, T - 1 - n)"


# %% wrong="only what is asked in the last round" caught_by="the last note that is needed" change="max(min(n, T - 1 - n), 0) -> max((T - 1) % n, 0) if T > n else 0"


# %% wrong="the last place of all, not of round one" caught_by="the last note that is needed" change="max(min(n, T - 1 - n), 0) -> max(T - n, 0)"


# %% wrong="notes of the words themselves" caught_by="the share of notes" change="noted - before, 0 -> noted - before + 1, 0"


# %% wrong="the last one needs none" caught_by="the share of notes" change="(noted - before, 0), n) / n -> (noted - before, 0), n - 1) / (n - 1 or 1)"


# %% wrong="below 0" caught_by="the share of notes" change="min(max(noted - before, 0), n) / n -> min(noted - before, n) / n"


# %% wrong="above 1" caught_by="the share of notes" change="min(max(noted - before, 0), n) / n -> max(noted - before, 0) / n"


# %% wrong="all or nothing" caught_by="the share of notes" change="min(max(noted - before, 0), n) / n -> float(noted >= before + n)"


# %% wrong="how many" caught_by="the share of notes" change="(noted - before, 0), n) / n -> (noted - before, 0), n)"


# %% wrong="two full rounds ask for every note" caught_by="the last note that is needed" change="return max(min(n, T - 1 - n), 0) -> return n if T >= 2 * n else max(T - 1 - n, 0)"


# %% wrong="shares with three digits" caught_by="the share of notes" change="return min(max(noted - before, 0), n) / n -> return round(min(max(noted - before, 0), n) / n, 3)"
