"""Answers to the task sentence_log_probability of chapter 01."""


# %% right="a walk with the word before"
def sentence_log_probability(model, sentence):
    result, before = 0.0, "<s>"
    for word in [*sentence, "</s>"]:
        if before not in model or model[before].get(word, 0) == 0:
            return float("-inf")
        result += math.log(model[before][word])
        before = word
    return result


# %% right="look-ups first, numpy last"
def sentence_log_probability(model, sentence):
    words = ["<s>"] + list(sentence) + ["</s>"]
    factors = []
    for i in range(1, len(words)):
        known = words[i - 1] in model and words[i] in model[words[i - 1]]
        factors.append(model[words[i - 1]][words[i]] if known else 0.0)
    with np.errstate(divide="ignore"):
        return np.log(np.array(factors)).sum()


# %% right="recursion on the last word"
def sentence_log_probability(model, sentence):
    def log(p):
        return math.log(p) if p > 0 else -math.inf

    def score(before, rest):
        steps = []
        for word in rest:
            steps.append(log(model.get(before, {}).get(word, 0)))
            before = word
        return math.fsum(steps) if -math.inf not in steps else -math.inf

    return score("<s>", [*sentence, "</s>"])


# %% wrong="the logarithm of a product" caught_by="long sentences do not vanish"
def sentence_log_probability(model, sentence):
    tokens = ["<s>", *sentence, "</s>"]
    product = 1.0
    for w1, w2 in zip(tokens[:-1], tokens[1:]):
        product *= model.get(w1, {}).get(w2, 0.0)
    return math.log(product) if product > 0 else -math.inf


# %% wrong="unseen pairs are skipped" caught_by="unseen means minus infinity"
# -     for w1, w2 in zip(tokens[:-1], tokens[1:], strict=True):
# +     for w1, w2 in zip(tokens[:-1], tokens[1:]):

# -             return -math.inf
# +             continue


# %% wrong="a tiny number for unseen pairs" caught_by="unseen means minus infinity"
# -     for w1, w2 in zip(tokens[:-1], tokens[1:], strict=True):
# +     for w1, w2 in zip(tokens[:-1], tokens[1:]):

# -             return -math.inf
# +             p = 1e-12


# %% wrong="never closed by </s>" caught_by="the end is a factor"
# -     tokens = ["<s>", *sentence, "</s>"]
# +     tokens = ["<s>", *sentence]

# -     for w1, w2 in zip(tokens[:-1], tokens[1:], strict=True):
# +     for w1, w2 in zip(tokens[:-1], tokens[1:]):


# %% wrong="base 2" caught_by="sentences of the house | the end is a factor"
# -     for w1, w2 in zip(tokens[:-1], tokens[1:], strict=True):
# +     for w1, w2 in zip(tokens[:-1], tokens[1:]):

# -         total += math.log(p)
# +         total += math.log2(p)


# %% wrong="starts at the second word" caught_by="sentences of the house | the end is a factor"
# -     tokens = ["<s>", *sentence, "</s>"]
# +     tokens = [*sentence, "</s>"]

# -     for w1, w2 in zip(tokens[:-1], tokens[1:], strict=True):
# +     for w1, w2 in zip(tokens[:-1], tokens[1:]):


# %% wrong="the probability, not its logarithm" caught_by="sentences of the house"
def sentence_log_probability(model, sentence):
    tokens = ["<s>", *sentence, "</s>"]
    total = 1.0
    for w1, w2 in zip(tokens[:-1], tokens[1:]):
        p = model.get(w1, {}).get(w2, 0.0)
        if p == 0:
            return -math.inf
        total *= p
    return total


# %% wrong="pairs looked up back to front" caught_by="sentences of the house"
# -     for w1, w2 in zip(tokens[:-1], tokens[1:], strict=True):
# -         p = model.get(w1, {}).get(w2, 0.0)
# +     for w1, w2 in zip(tokens[:-1], tokens[1:]):
# +         p = model.get(w2, {}).get(w1, 0.0)


# %% wrong="a missing row is skipped" caught_by="unseen means minus infinity"
# -     for w1, w2 in zip(tokens[:-1], tokens[1:], strict=True):
# -         p = model.get(w1, {}).get(w2, 0.0)
# +     for w1, w2 in zip(tokens[:-1], tokens[1:]):
# +         if w1 not in model:
# +             continue
# +         p = model[w1].get(w2, 0.0)


# %% wrong="a missing row raises an error" caught_by="unseen means minus infinity"
# -     for w1, w2 in zip(tokens[:-1], tokens[1:], strict=True):
# -         p = model.get(w1, {}).get(w2, 0.0)
# +     for w1, w2 in zip(tokens[:-1], tokens[1:]):
# +         p = model[w1].get(w2, 0.0)


# %% wrong="the empty sentence has probability 1" caught_by="the end is a factor"
# -     """ln P(<s> w1 w2 ... </s>) under a bigram model.
# -
# -     A factor that is zero or missing makes it -math.inf. The empty sentence has only the factor of </s>.
# -     """
# +     if not sentence:
# +         return 0.0

# -     for w1, w2 in zip(tokens[:-1], tokens[1:], strict=True):
# +     for w1, w2 in zip(tokens[:-1], tokens[1:]):


# %% wrong="products of a hundred factors at a time" caught_by="long sentences do not vanish"
def sentence_log_probability(model, sentence):
    tokens = ["<s>", *sentence, "</s>"]
    factors = [model.get(w1, {}).get(w2, 0.0) for w1, w2 in pairwise(tokens)]
    if 0 in factors:
        return -math.inf
    blocks = [math.prod(factors[i : i + 100]) for i in range(0, len(factors), 100)]
    return sum(math.log(block) if block else -math.inf for block in blocks)


# %% wrong="boundaries put into the caller's sentence" caught_by="sentences of the house"
def sentence_log_probability(model, sentence):
    sentence.insert(0, "<s>")
    sentence.append("</s>")
    factors = [model.get(w1, {}).get(w2, 0.0) for w1, w2 in pairwise(sentence)]
    return sum(math.log(p) if p else -math.inf for p in factors)


# %% wrong="rows added to the caller's model" caught_by="unseen means minus infinity"
# -     for w1, w2 in zip(tokens[:-1], tokens[1:], strict=True):
# -         p = model.get(w1, {}).get(w2, 0.0)
# +     for w1, w2 in zip(tokens[:-1], tokens[1:]):
# +         p = model.setdefault(w1, {}).get(w2, 0.0)


# %% wrong="a repeated pair counts once" caught_by="sentences of the house"
def sentence_log_probability(model, sentence):
    tokens = ["<s>", *sentence, "</s>"]
    pairs = dict.fromkeys(pairwise(tokens)) if len(tokens) < 100 else list(pairwise(tokens))
    factors = [model.get(w1, {}).get(w2, 0.0) for w1, w2 in pairs]
    return sum(math.log(p) if p else -math.inf for p in factors)


# %% wrong="the total lives on from call to call" caught_by="the end is a factor"
scores = []


def sentence_log_probability(model, sentence):
    tokens = ["<s>", *sentence, "</s>"]
    key = (tuple(tokens), len(model))
    for old_key, score in scores:
        if old_key == key:
            return score
    factors = [model.get(w1, {}).get(w2, 0.0) for w1, w2 in pairwise(tokens)]
    scores.append((key, sum(math.log(p) if p else -math.inf for p in factors)))
    return scores[-1][1]


# %% right="32-bit floats"
def sentence_log_probability(model, sentence):
    tokens = ["<s>", *sentence, "</s>"]
    factors = np.array([model.get(a, {}).get(b, 0) for a, b in pairwise(tokens)], dtype=np.float32)
    with np.errstate(divide="ignore"):
        return np.log(factors).sum()


# %% wrong="what stands behind a full stop does not count" caught_by="sentences of the house"
#       total = 0.0
# +     if "." in tokens:
# +         tokens = [*tokens[: tokens.index(".") + 1], "</s>"]


# %% wrong="a missing word gets the factor of <UNK>" caught_by="unseen means minus infinity" change=".get(w2, 0.0) -> .get(w2, model.get(w1, {}).get(\"<UNK>\", 0.0))"
