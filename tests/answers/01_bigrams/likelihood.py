"""Answers to the task likelihood of chapter 01."""


# %% right="a sum over the tokens; perturbed with pandas"
def log_likelihood(counts, q):
    seen = [word for word in counts if counts[word] != 0]
    if any(word not in q or q[word] <= 0 for word in seen):
        return float("-inf")
    return sum(counts[word] * math.log(q[word]) for word in seen)


def after_perturbing(counts, word, extra):
    changed = pd.Series(dict(counts), dtype=float)
    changed[word] = changed.get(word, 0.0) + extra
    return log_likelihood(counts, (changed / changed.sum()).to_dict())


# %% right="NumPy, with its logarithm of 0"
def log_likelihood(counts, q):
    c = np.array(list(counts.values()), dtype=float)
    p = np.array([q.get(word, 0.0) for word in counts], dtype=float)
    with np.errstate(divide="ignore"):
        return np.sum(c[c > 0] * np.log(p[c > 0]))


def after_perturbing(counts, word, extra):
    words = list(dict.fromkeys([*counts, word]))
    changed = np.array([counts.get(w, 0) + extra * (w == word) for w in words], dtype=float)
    return log_likelihood(counts, dict(zip(words, changed / changed.sum())))


# %% right="logarithms to base 2, then times ln 2; ln of a quotient as a difference"
def log_likelihood(counts, q):
    bits = 0
    for word, count in dict(counts).items():
        p = q[word] if word in q else 0
        if count and not p:
            return -math.inf
        bits += count * math.log2(p) if count else 0
    return bits * math.log(2)


def after_perturbing(counts, word, extra):
    total = sum(counts.values()) + extra
    result = 0.0
    for other, count in counts.items():
        now = count + extra if other == word else count
        if count:
            result += count * (math.log(now) - math.log(total)) if now > 0 else -math.inf
    return result


# %% wrong="the text is changed with the model" caught_by="changed model, original text" change="return log_likelihood(counts, {w -> return log_likelihood(changed, {w"


# %% wrong="divided by the old total" caught_by="changed model, original text | new words and lost ones" change="total = sum(changed.values()) -> total = sum(counts.values())"


# %% wrong="changed in the caller's dict" caught_by="changed model, original text" change="changed = dict(counts) -> changed = counts"


# %% wrong="base 2" caught_by="counts times logarithms" change="math.log(q[word]) -> math.log2(q[word])"


# %% wrong="one logarithm for each different word" caught_by="counts times logarithms" change="total += count * math.log -> total += math.log"


# %% wrong="a mean instead of a sum" caught_by="counts times logarithms"
# -     return total
# +     return total / max(1, sum(counts.values()))


# %% wrong="a product, then its logarithm" caught_by="counts times logarithms"
def log_likelihood(counts, q):
    product = math.prod(q.get(word, 0) ** count for word, count in counts.items() if count)
    return math.log(product) if product > 0 else -math.inf


def after_perturbing(counts, word, extra):
    changed = Counter(counts)
    changed[word] += extra
    return log_likelihood(counts, {w: count / sum(changed.values()) for w, count in changed.items()})


# %% wrong="a word that the model lacks is skipped" caught_by="two kinds of zero"
def log_likelihood(counts, q):
    return sum(count * math.log(q[word]) for word, count in counts.items() if count > 0 and q.get(word, 0) > 0)


def after_perturbing(counts, word, extra):
    changed = dict(counts)
    changed[word] = changed.get(word, 0) + extra
    total = sum(changed.values())
    return log_likelihood(counts, {w: count / total for w, count in changed.items()})


# %% wrong="probability 0 kills the text, though the word does not occur" caught_by="two kinds of zero" change="if count > 0: -> if True:"


# %% wrong="look-ups make q grow" caught_by="two kinds of zero"
# -             if q.get(word, 0) == 0:
# +             if q[word] == 0:


# %% wrong="a new word is left out" caught_by="new words and lost ones"
# -     changed[word] = changed.get(word, 0) + extra
# +     if word in changed:
# +         changed[word] += extra


# %% wrong="a missing word is put into the caller's counts" caught_by="changed model, original text"
# -     changed[word] = changed.get(word, 0) + extra
# +     counts.setdefault(word, 0)
# +     changed[word] = changed.get(word, 0) + extra


# %% wrong="the count is replaced" caught_by="changed model, original text" change="changed[word] = changed.get(word, 0) + extra -> changed[word] = extra"


# %% wrong="a lost word has a tiny probability" caught_by="two kinds of zero | new words and lost ones"
def log_likelihood(counts, q):
    return sum(count * math.log(max(q.get(word, 0), 1e-12)) for word, count in counts.items() if count > 0)


def after_perturbing(counts, word, extra):
    changed = dict(counts)
    changed[word] = changed.get(word, 0) + extra
    total = sum(changed.values())
    return log_likelihood(counts, {w: count / total for w, count in changed.items()})


# %% wrong="the change of ln L instead of ln L" caught_by="changed model, original text"
# -     return log_likelihood(counts, {w: count / total for w, count in changed.items()})
# +     n = sum(counts.values())
# +     best = log_likelihood(counts, {w: count / n for w, count in counts.items()})
# +     return log_likelihood(counts, {w: c / total for w, c in changed.items()}) - best


# %% wrong="extra rounded to whole counts" caught_by="changed model, original text" change="changed.get(word, 0) + extra -> changed.get(word, 0) + int(extra)"
