"""Answers to the task pseudo of chapter 07."""


# %% right="all probabilities first"
def pseudo_log_likelihood(fill, words):
    found = [fill(words, t).get(words[t], 0.0) for t in range(len(words))]
    if any(p == 0 for p in found):
        return -math.inf
    return math.fsum(map(math.log, found))


def ranked_right(good, bad):
    points = [1 if g > b else 0.5 if g == b else 0 for g, b in zip(good, bad)]
    return sum(points) / len(points)


# %% right="NumPy in float32, without warnings"
def pseudo_log_likelihood(fill, words):
    p = np.array([fill(words, t).get(w, 0) for t, w in enumerate(words)], dtype=np.float32)
    with np.errstate(divide="ignore"):
        return np.log(p).sum()


def ranked_right(good, bad):
    good, bad = torch.tensor(good).double(), torch.tensor(bad).double()
    return ((good > bad).double() + (good >= bad).double()).mean().item() / 2


# %% wrong="the mean" caught_by="one blank at a time"
# -     return total
# +     return total / max(len(words), 1)

# %% wrong="the left words only" caught_by="one blank at a time" change="fill(words, place) -> fill(words[: place + 1], place)"

# %% wrong="the likeliest word each time" caught_by="one blank at a time" change=".get(word, 0) -> .get(max(fill(words, place), key=fill(words, place).get, default=word), 0)"

# %% wrong="the first word is left out" caught_by="one blank at a time"
# -     for place, word in enumerate(words):
# +     for place, word in list(enumerate(words))[1:]:

# %% wrong="places counted from 1" caught_by="one blank at a time" change="fill(words, place) -> fill(words, (place + 1) % len(words))"

# %% wrong="bits" caught_by="one blank at a time" change="math.log(p) -> math.log2(p)"

# %% wrong="words hidden one after the other for good" caught_by="one blank at a time"
# -         p = fill(words, place).get(word, 0)
# +         p = fill(words, place).get(word, 0)
# +         words[place] = "?"

# %% wrong="a product, then its logarithm" caught_by="impossible words, long texts"
# -     total = 0.0
# +     total = 1.0

# -         total += math.log(p) if p > 0 else -math.inf
# -     return total
# +         total *= p
# +     return math.log(total) if total > 0 else -math.inf

# %% wrong="impossible words do not count" caught_by="impossible words, long texts" change="else -math.inf -> else 0.0"

# %% wrong="a missing word is an error" caught_by="impossible words, long texts" change=".get(word, 0) -> [word]"

# %% wrong="a smallest probability" caught_by="impossible words, long texts" change="math.log(p) if p > 0 else -math.inf -> math.log(max(p, 1e-300))"

# %% wrong="only left out is impossible" caught_by="impossible words, long texts" change="if p > 0 else -> if word in fill(words, place) else"

# %% wrong="a tie is no pair won" caught_by="pairs and ties" change=" + np.mean(good == bad) / 2 -> "

# %% wrong="a tie is won" caught_by="pairs and ties" change="np.mean(good == bad) / 2 -> np.mean(good == bad)"

# %% wrong="ties by the difference" caught_by="pairs and ties" change="np.mean(good == bad) / 2 -> np.mean(good - bad == 0) / 2"

# %% wrong="two of -inf are no pair" caught_by="pairs and ties"
# -     good, bad = np.asarray(good), np.asarray(bad)
# +     good, bad = np.asarray(good), np.asarray(bad)
# +     some = np.isfinite(good) | np.isfinite(bad)
# +     good, bad = good[some], bad[some]

# %% wrong="the wrong way round" caught_by="pairs and ties" change="good > bad -> good < bad"

# %% wrong="what is nearly equal is a tie" caught_by="pairs and ties"
# -     return float(np.mean(good > bad) + np.mean(good == bad) / 2)
# +     return float(np.where(np.isclose(good, bad), 0.5, good > bad).mean())

# %% wrong="below a billionth is impossible" caught_by="impossible words, long texts" change="if p > 0 else -> if p > 1e-9 else"
