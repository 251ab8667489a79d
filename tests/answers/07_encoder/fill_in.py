"""Answers to the task fill_in of chapter 07."""


# %% right="candidate by candidate, and place by place"
def fill_in(ln_p, words, place, candidates):
    scores = []
    for word in candidates:
        text = list(words)
        text[place] = word
        scores.append(ln_p(text))
    top = max(scores)
    if top == -math.inf:
        raise ValueError("nothing fits")
    total = sum(math.exp(s - top) for s in scores)
    return np.array([math.exp(s - top) / total for s in scores])


def fill_bigram(ln_a, ids):
    V, text = len(ln_a), [0, *ids, 0]
    rows = []
    for t in range(1, len(text) - 1):
        scores = [float(ln_a[text[t - 1], w]) + float(ln_a[w, text[t + 1]]) for w in range(1, V)]
        top = max(scores)
        weights = [0.0] + [math.exp(s - top) for s in scores]
        rows.append([x / sum(weights) for x in weights])
    return np.array(rows)


# %% right="torch's softmax, float32"
def fill_in(ln_p, words, place, candidates):
    scores = torch.tensor([ln_p(words[:place] + [w] + words[place + 1 :]) for w in candidates])
    if scores.isneginf().all():
        raise ValueError
    return scores.softmax(0)


def fill_bigram(ln_a, ids):
    x = torch.as_tensor(ln_a).float()
    text = torch.tensor([0, *ids, 0])
    scores = x[text[:-2]] + x[:, text[2:]].T
    return scores.index_fill(1, torch.tensor([0]), -torch.inf).softmax(1)


# %% wrong="probabilities before the division" caught_by="every candidate in the blank"
# -     weights = np.exp(scores - scores.max())
# -     return weights / weights.sum()
# +     return np.exp(scores)

# %% wrong="only the words up to the place" caught_by="every candidate in the blank" change="word, *words[place + 1 :]]) -> word])"

# %% wrong="the word is put in, not exchanged" caught_by="every candidate in the blank" change="*words[place + 1 :]] -> *words[place:]]"

# %% wrong="the candidates sorted" caught_by="every candidate in the blank" change="for word in candidates] -> for word in sorted(candidates)]"

# %% wrong="the text given is changed" caught_by="every candidate in the blank"
# -     scores = np.array(
# -         [ln_p([*words[:place], word, *words[place + 1 :]]) for word in candidates]
# -     )
# +     scores = []
# +     for word in candidates:
# +         words[place] = word
# +         scores.append(ln_p(words))
# +     scores = np.array(scores)

# %% wrong="e to the power of ln P itself" caught_by="far down, and impossible" change="scores - scores.max()) -> scores)"

# %% wrong="the mean is subtracted" caught_by="far down, and impossible" change="scores.max()) -> scores.mean())"

# %% wrong="impossible candidates are left out" caught_by="far down, and impossible"
# -     weights = np.exp(scores - scores.max())
# -     return weights / weights.sum()
# +     scores = scores[scores > -math.inf]
# +     weights = np.exp(scores - scores.max())
# +     return weights / weights.sum()

# %% wrong="nothing possible: all alike" caught_by="far down, and impossible"
# -         raise ValueError("No candidate is possible here.")
# +         return np.ones(len(candidates)) / len(candidates)

# %% wrong="a floor under every score" caught_by="far down, and impossible" change="scores = np.array( -> scores = np.maximum(-2000, "

# %% wrong="from the left only" caught_by="both neighbours" change="ln_a[before] + ln_a[:, after].T -> ln_a[before].copy()"

# %% wrong="the right neighbour's row" caught_by="both neighbours" change="ln_a[:, after].T -> ln_a[after]"

# %% wrong="the text begins with itself" caught_by="both neighbours" change="[0, *ids[:-1]], [*ids[1:], 0] -> [ids[-1], *ids[:-1]], [*ids[1:], ids[0]]"

# %% wrong="divided by columns" caught_by="both neighbours" change="weights.sum(1, keepdims=True) -> weights.sum(0, keepdims=True)"

# %% wrong="the table is changed in place" caught_by="both neighbours"
# -     scores = ln_a[before] + ln_a[:, after].T
# +     ln_a[:] = np.maximum(ln_a, -1)
# +     scores = ln_a[before] + ln_a[:, after].T

# %% wrong="</s> inside a text" caught_by="both neighbours"
# -     scores[:, 0] = -math.inf

# %% wrong="the end of the text does not count" caught_by="ends of a text, zeros, small numbers"
#       scores[:, 0] = -math.inf
# +     scores[-1] = ln_a[before[-1]]

# %% wrong="no shift before the exponential" caught_by="ends of a text, zeros, small numbers" change="scores - scores.max(1, keepdims=True) -> scores"

# %% wrong="the largest of the whole array is subtracted" caught_by="ends of a text, zeros, small numbers" change="scores.max(1, keepdims=True) -> scores.max()"
