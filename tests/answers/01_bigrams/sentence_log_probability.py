"""Answers to the task sentence_log_probability of chapter 01."""


# %% right="a walk with the word before"
def sentence_log_probability(model, sentence, end=True):
    result, before = 0.0, "<s>"
    for word in list(sentence) + (["</s>"] if end else []):
        if before not in model or model[before].get(word, 0) == 0:
            return float("-inf")
        result += math.log(model[before][word])
        before = word
    return result


# %% right="look-ups first, numpy last"
def sentence_log_probability(model, sentence, end=True):
    words = ["<s>"] + list(sentence)
    if end:
        words.append("</s>")
    factors = []
    for i in range(1, len(words)):
        try:
            factors.append(model[words[i - 1]][words[i]])
        except KeyError:
            factors.append(0.0)
    with np.errstate(divide="ignore"):
        return np.log(np.array(factors)).sum()


# %% right="recursion on the last word"
def sentence_log_probability(model, sentence, end=True):
    def log(p):
        return math.log(p) if p > 0 else -math.inf

    def score(before, rest):
        steps = []
        for word in rest:
            steps.append(log(model.get(before, {}).get(word, 0)))
            before = word
        return math.fsum(steps) if -math.inf not in steps else -math.inf

    return score("<s>", [*sentence, *(["</s>"] if end else [])])


# %% wrong="the logarithm of a product" caught_by="long sentences do not vanish"
def sentence_log_probability(model, sentence, end=True):
    tokens = ["<s>", *sentence] + ["</s>"] * bool(end)
    product = 1.0
    for w1, w2 in zip(tokens[:-1], tokens[1:]):
        product *= model.get(w1, {}).get(w2, 0.0)
    return math.log(product) if product > 0 else -math.inf


# %% wrong="unseen pairs are skipped" caught_by="unseen means minus infinity"
def sentence_log_probability(model, sentence, end=True):
    tokens = ["<s>", *sentence] + ["</s>"] * bool(end)
    total = 0.0
    for w1, w2 in zip(tokens[:-1], tokens[1:]):
        p = model.get(w1, {}).get(w2, 0.0)
        if p == 0:
            continue
        total += math.log(p)
    return total


# %% wrong="a tiny number for unseen pairs" caught_by="unseen means minus infinity"
def sentence_log_probability(model, sentence, end=True):
    tokens = ["<s>", *sentence] + ["</s>"] * bool(end)
    total = 0.0
    for w1, w2 in zip(tokens[:-1], tokens[1:]):
        p = model.get(w1, {}).get(w2, 0.0)
        if p == 0:
            p = 1e-12
        total += math.log(p)
    return total


# %% wrong="end is ignored" caught_by="prefix and sentence differ"
def sentence_log_probability(model, sentence, end=True):
    tokens = ["<s>", *sentence] + ["</s>"]
    total = 0.0
    for w1, w2 in zip(tokens[:-1], tokens[1:]):
        p = model.get(w1, {}).get(w2, 0.0)
        if p == 0:
            return -math.inf
        total += math.log(p)
    return total


# %% wrong="never closed by </s>" caught_by="prefix and sentence differ"
def sentence_log_probability(model, sentence, end=True):
    tokens = ["<s>", *sentence]
    total = 0.0
    for w1, w2 in zip(tokens[:-1], tokens[1:]):
        p = model.get(w1, {}).get(w2, 0.0)
        if p == 0:
            return -math.inf
        total += math.log(p)
    return total


# %% wrong="base 2" caught_by="sentences of the house | prefix and sentence differ"
def sentence_log_probability(model, sentence, end=True):
    tokens = ["<s>", *sentence] + ["</s>"] * bool(end)
    total = 0.0
    for w1, w2 in zip(tokens[:-1], tokens[1:]):
        p = model.get(w1, {}).get(w2, 0.0)
        if p == 0:
            return -math.inf
        total += math.log2(p)
    return total


# %% wrong="starts at the second word" caught_by="sentences of the house | prefix and sentence differ"
def sentence_log_probability(model, sentence, end=True):
    tokens = [*sentence] + ["</s>"] * bool(end)
    total = 0.0
    for w1, w2 in zip(tokens[:-1], tokens[1:]):
        p = model.get(w1, {}).get(w2, 0.0)
        if p == 0:
            return -math.inf
        total += math.log(p)
    return total


# %% wrong="the probability, not its logarithm" caught_by="sentences of the house"
def sentence_log_probability(model, sentence, end=True):
    tokens = ["<s>", *sentence] + ["</s>"] * bool(end)
    total = 1.0
    for w1, w2 in zip(tokens[:-1], tokens[1:]):
        p = model.get(w1, {}).get(w2, 0.0)
        if p == 0:
            return -math.inf
        total *= p
    return total


# %% wrong="pairs looked up back to front" caught_by="sentences of the house"
def sentence_log_probability(model, sentence, end=True):
    tokens = ["<s>", *sentence] + ["</s>"] * bool(end)
    total = 0.0
    for w1, w2 in zip(tokens[:-1], tokens[1:]):
        p = model.get(w2, {}).get(w1, 0.0)
        if p == 0:
            return -math.inf
        total += math.log(p)
    return total
