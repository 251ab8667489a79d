"""Answers to the task prefer of chapter 01."""


# %% right="loop that keeps the best so far"
def prefer(model, candidates):
    best, best_score = candidates[0], -math.inf
    for sentence in candidates:
        score, previous = 0.0, "<s>"
        for word in list(sentence) + ["</s>"]:
            probability = model.get(previous, {}).get(word, 0.0)
            score = score + math.log(probability) if probability else -math.inf
            previous = word
            if score == -math.inf:
                break
        if score > best_score:
            best, best_score = sentence, score
    return best


# %% right="NumPy argmax of log2 scores"
def prefer(model, candidates):
    scores = []
    for sentence in candidates:
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        factors = np.array([model.get(a, {}).get(b, 0) for a, b in pairs])
        scores.append(np.log2(factors).sum() if factors.all() else -np.inf)
    return candidates[int(np.argmax(scores))]


# %% wrong="product of probabilities" caught_by="long sentences do not underflow"
def prefer(model, candidates):
    def score(sentence):
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        return math.prod(model.get(a, {}).get(b, 0) for a, b in pairs)

    return max(candidates, key=score)


# %% wrong="divided by the length" caught_by="likelier sentence wins"
def prefer(model, candidates):
    def score(sentence):
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        factors = [model.get(a, {}).get(b, 0) for a, b in pairs]
        return sum(math.log(f) if f else -math.inf for f in factors) / len(factors)

    return max(candidates, key=score)


# %% wrong="zero factors are skipped" caught_by="zeros and ties"
def prefer(model, candidates):
    def score(sentence):
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        factors = [model.get(a, {}).get(b, 0) for a, b in pairs]
        return sum(math.log(f) for f in factors if f)

    return max(candidates, key=score)


# %% wrong="the last of equals" caught_by="zeros and ties"
def prefer(model, candidates):
    best, best_score = candidates[0], -math.inf
    for sentence in candidates:
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        factors = [model.get(a, {}).get(b, 0) for a, b in pairs]
        score = sum(math.log(f) if f else -math.inf for f in factors)
        if score >= best_score:
            best, best_score = sentence, score
    return best


# %% wrong="the end of the sentence is left out" caught_by="likelier sentence wins"
def prefer(model, candidates):
    def score(sentence):
        padded = ["<s>", *sentence]
        factors = [model.get(a, {}).get(b, 0) for a, b in zip(padded, padded[1:])]
        return sum(math.log(f) if f else -math.inf for f in factors)

    return max(candidates, key=score)


# %% wrong="the start of the sentence is left out" caught_by="likelier sentence wins"
def prefer(model, candidates):
    def score(sentence):
        padded = [*sentence, "</s>"]
        factors = [model.get(a, {}).get(b, 0) for a, b in zip(padded, padded[1:])]
        return sum(math.log(f) if f else -math.inf for f in factors)

    return max(candidates, key=score)


# %% wrong="the least likely one" caught_by="likelier sentence wins"
def prefer(model, candidates):
    def score(sentence):
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        factors = [model.get(a, {}).get(b, 0) for a, b in pairs]
        return sum(math.log(f) if f else -math.inf for f in factors)

    return min(candidates, key=score)


# %% wrong="a missing row raises an error" caught_by="zeros and ties"
def prefer(model, candidates):
    def score(sentence):
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        factors = [model[a].get(b, 0) for a, b in pairs]
        return sum(math.log(f) if f else -math.inf for f in factors)

    return max(candidates, key=score)


# %% wrong="a missing row is passed over" caught_by="zeros and ties"
def prefer(model, candidates):
    def score(sentence):
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        factors = [model.get(a, {}).get(b, 0) for a, b in pairs if a in model]
        return sum(math.log(f) if f else -math.inf for f in factors)

    return max(candidates, key=score)


# %% wrong="an empty candidate is certain" caught_by="zeros and ties"
def prefer(model, candidates):
    def score(sentence):
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        if not sentence:
            return 0.0
        factors = [model.get(a, {}).get(b, 0) for a, b in pairs]
        return sum(math.log(f) if f else -math.inf for f in factors)

    return max(candidates, key=score)


# %% wrong="an empty candidate is never chosen" caught_by="zeros and ties"
def prefer(model, candidates):
    def score(sentence):
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        if not sentence:
            return -math.inf
        factors = [model.get(a, {}).get(b, 0) for a, b in pairs]
        return sum(math.log(f) if f else -math.inf for f in factors)

    return max(candidates, key=score)


# %% wrong="half precision" caught_by="long sentences do not underflow"
def prefer(model, candidates):
    def score(sentence):
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        factors = [model.get(a, {}).get(b, 0) for a, b in pairs]
        return np.float16(sum(math.log(f) if f else -math.inf for f in factors))

    return max(candidates, key=score)


# %% wrong="scores rounded to two places" caught_by="long sentences do not underflow"
def prefer(model, candidates):
    def score(sentence):
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        factors = [model.get(a, {}).get(b, 0) for a, b in pairs]
        return round(sum(math.log(f) / 100 if f else -math.inf for f in factors), 2)

    return max(candidates, key=score)


# %% wrong="ends put behind the caller's candidates" caught_by="likelier sentence wins"
def prefer(model, candidates):
    def score(sentence):
        sentence.append("</s>")
        factors = [model.get(a, {}).get(b, 0) for a, b in pairwise(["<s>", *sentence])]
        return sum(math.log(f) if f else -math.inf for f in factors)

    return max(candidates, key=score)[:-1]


# %% wrong="the caller's candidates are sorted" caught_by="likelier sentence wins"
def prefer(model, candidates):
    def score(sentence):
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        factors = [model.get(a, {}).get(b, 0) for a, b in pairs]
        return sum(math.log(f) if f else -math.inf for f in factors)

    candidates.sort(key=score, reverse=True)
    return candidates[0]


# %% wrong="the shorter of two is taken when both are possible" caught_by="likelier sentence wins"
def prefer(model, candidates):
    def score(sentence):
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        factors = [model.get(a, {}).get(b, 0) for a, b in pairs]
        return sum(math.log(f) if f else -math.inf for f in factors)

    return min(candidates, key=lambda s: (score(s) == -math.inf, len(s), -score(s)))


# %% right="the given scores, a dict"
def prefer(model, candidates):
    scores = {}
    for sentence in candidates:
        scores.setdefault(ln_probability(model, sentence), tuple(sentence))
    return scores[max(scores)]


# %% right="32-bit floats"
def prefer(model, candidates):
    def score(sentence):
        pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
        factors = np.array([model.get(a, {}).get(b, 0) for a, b in pairs], dtype=np.float32)
        with np.errstate(divide="ignore"):
            return np.log(factors).sum(dtype=np.float32)

    return max(candidates, key=score)


# %% wrong="look-ups make a defaultdict grow" caught_by="zeros and ties"
def prefer(model, candidates):
    def score(sentence):
        total = 0.0
        for w1, w2 in pairwise(["<s>", *sentence, "</s>"]):
            try:
                total += math.log(model[w1][w2])
            except (KeyError, ValueError):
                return -math.inf
        return total

    return max(candidates, key=score)


# %% wrong="scores to two places" caught_by="likelier sentence wins"
def prefer(model, candidates):
    scores = [f"{ln_probability(model, words):.2f}" for words in candidates]
    return candidates[scores.index(max(scores, key=float))]


# %% wrong="scores a millionth apart are equal" caught_by="likelier sentence wins"
def prefer(model, candidates):
    best, top = None, -math.inf
    for words in candidates:
        score = ln_probability(model, words)
        if best is None or score > top + 1e-6:
            best, top = words, score
    return best
