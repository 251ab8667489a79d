"""Answers to the task zero_factors of chapter 01."""

# %% right="loop over positions, share by counting"
guess = 0.5


def zero_factors(model, sentence):
    padded = ["<s>"] + list(sentence) + ["</s>"]
    zeros = []
    for t in range(1, len(padded)):
        before, word = padded[t - 1], padded[t]
        if before not in model or word not in model[before] or model[before][word] == 0:
            zeros.append((before, word))
    return zeros


count = 0
for sentence in new_sentences:
    if len(zero_factors(restaurant_model, sentence)) > 0:
        count += 1
measured = count / len(new_sentences)


# %% right="every zero looked up, NumPy mean"
guess = 1


def zero_factors(model, sentence):
    pairs = list(zip(["<s>", *sentence], [*sentence, "</s>"]))
    possible = {(w1, w2) for w1 in model for w2 in model[w1] if model[w1][w2] > 0}
    return tuple(pair for pair in pairs if pair not in possible)


measured = np.mean([len(zero_factors(restaurant_model, s)) != 0 for s in new_sentences])


# %% right="a repeated pair listed once, in order; guess after the function"
def zero_factors(model, sentence):
    pairs = dict.fromkeys(zip(["<s>", *sentence], [*sentence, "</s>"]))
    return [[w1, w2] for w1, w2 in pairs if not model.get(w1, {}).get(w2)]


guess = 0.4
measured = sum(map(bool, (zero_factors(restaurant_model, s) for s in new_sentences))) / len(new_sentences)


# %% wrong="an impossible word in a known row is forgotten" caught_by="zero pairs are found"
guess = 0.2


def zero_factors(model, sentence):
    padded = ["<s>", *sentence, "</s>"]
    return [(a, b) for a, b in zip(padded, padded[1:]) if b not in model.get(a, {})]


measured = np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in new_sentences])


# %% wrong="boundaries are left out" caught_by="boundaries and unseen contexts"
guess = 0.2


def zero_factors(model, sentence):
    pairs = zip(sentence, sentence[1:])
    return [(a, b) for a, b in pairs if not model.get(a, {}).get(b)]


measured = np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in new_sentences])


# %% wrong="an unseen context is skipped" caught_by="boundaries and unseen contexts"
guess = 0.2


def zero_factors(model, sentence):
    padded = ["<s>", *sentence, "</s>"]
    return [(a, b) for a, b in zip(padded, padded[1:]) if a in model and not model[a].get(b)]


measured = np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in new_sentences])


# %% wrong="guess in per cent" caught_by="a guess comes first"
guess = 20


def zero_factors(model, sentence):
    padded = ["<s>", *sentence, "</s>"]
    return [(a, b) for a, b in zip(padded, padded[1:]) if not model.get(a, {}).get(b)]


measured = np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in new_sentences])


# %% wrong="share of pairs instead of sentences" caught_by="share of impossible sentences"
guess = 0.2


def zero_factors(model, sentence):
    padded = ["<s>", *sentence, "</s>"]
    return [(a, b) for a, b in zip(padded, padded[1:]) if not model.get(a, {}).get(b)]


zeros = sum(len(zero_factors(restaurant_model, s)) for s in new_sentences)
measured = zeros / sum(len(s) + 1 for s in new_sentences)


# %% wrong="measured on the training sentences" caught_by="share of impossible sentences"
guess = 0.2


def zero_factors(model, sentence):
    padded = ["<s>", *sentence, "</s>"]
    return [(a, b) for a, b in zip(padded, padded[1:]) if not model.get(a, {}).get(b)]


measured = np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in train_sentences])


# %% wrong="measured with the leak" caught_by="share of impossible sentences"
guess = 0.3


def zero_factors(model, sentence):
    padded = ["<s>", *sentence, "</s>"]
    return [(a, b) for a, b in zip(padded, padded[1:]) if not model.get(a, {}).get(b)]


measured = np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in test_sentences])


# %% wrong="a set: the order is lost" caught_by="zero pairs are found"
guess = 0.2


def zero_factors(model, sentence):
    pairs = set(pairwise(["<s>", *sentence, "</s>"]))
    return {(a, b) for a, b in pairs if not model.get(a, {}).get(b)}


measured = np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in new_sentences])


# %% wrong="in the order of the alphabet" caught_by="zero pairs are found"
guess = 0.2


def zero_factors(model, sentence):
    pairs = pairwise(["<s>", *sentence, "</s>"])
    return sorted((a, b) for a, b in pairs if not model.get(a, {}).get(b))


measured = np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in new_sentences])


# %% wrong="a model without a row for <s> raises an error" caught_by="boundaries and unseen contexts"
guess = 0.2


def zero_factors(model, sentence):
    padded = [*sentence, "</s>"]
    zeros = [("<s>", padded[0])] if not model["<s>"].get(padded[0]) else []
    return zeros + [(a, b) for a, b in pairwise(padded) if not model.get(a, {}).get(b)]


measured = np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in new_sentences])


# %% wrong="an empty sentence has no pair" caught_by="boundaries and unseen contexts"
guess = 0.2


def zero_factors(model, sentence):
    if len(sentence) == 0:
        return []
    pairs = pairwise(["<s>", *sentence, "</s>"])
    return [(a, b) for a, b in pairs if not model.get(a, {}).get(b)]


measured = np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in new_sentences])


# %% wrong="boundaries put into the caller's sentence" caught_by="zero pairs are found"
guess = 0.2


def zero_factors(model, sentence):
    if sentence[:1] != ["<s>"]:
        sentence.insert(0, "<s>")
        sentence.append("</s>")
    return [(a, b) for a, b in pairwise(sentence) if not model.get(a, {}).get(b)]


measured = np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in new_sentences])


# %% wrong="a small probability passes for zero" caught_by="zero pairs are found"
guess = 0.2


def zero_factors(model, sentence):
    pairs = pairwise(["<s>", *sentence, "</s>"])
    return [(a, b) for a, b in pairs if model.get(a, {}).get(b, 0) < 1e-6]


measured = np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in new_sentences])


# %% wrong="the first zero only" caught_by="zero pairs are found"
guess = 0.2


def zero_factors(model, sentence):
    for a, b in pairwise(["<s>", *sentence, "</s>"]):
        if not model.get(a, {}).get(b):
            return [(a, b)]
    return []


measured = np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in new_sentences])


# %% wrong="rows added to the caller's model" caught_by="boundaries and unseen contexts"
guess = 0.2


def zero_factors(model, sentence):
    pairs = pairwise(["<s>", *sentence, "</s>"])
    return [(a, b) for a, b in pairs if not model.setdefault(a, {}).get(b)]


measured = np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in new_sentences])


# %% right="pairs as an array"
guess = np.float32(0.25)


def zero_factors(model, sentence):
    pairs = zip(["<s>", *sentence], [*sentence, "</s>"])
    return np.array([(a, b) for a, b in pairs if model.get(a, {}).get(b, 0) == 0], dtype=object)


measured = np.float32(np.mean([len(zero_factors(restaurant_model, s)) > 0 for s in new_sentences]))


# %% wrong="look-ups give a defaultdict new rows and words" caught_by="boundaries and unseen contexts"
def zero_factors(model, sentence):
    found = []
    for pair in pairwise(["<s>", *sentence, "</s>"]):
        try:
            p = model[pair[0]][pair[1]]
        except KeyError:
            p = 0
        if p == 0:
            found.append(pair)
    return found


guess = 0.3
measured = np.mean([bool(zero_factors(restaurant_model, s)) for s in new_sentences])


# %% wrong="sentences said twice count once" caught_by="share of impossible sentences"
def zero_factors(model, sentence):
    pairs = pairwise(["<s>", *sentence, "</s>"])
    return [(w1, w2) for w1, w2 in pairs if model.get(w1, {}).get(w2, 0) == 0]


guess = 0.3
different = {tuple(sentence) for sentence in new_sentences}
measured = sum(bool(zero_factors(restaurant_model, s)) for s in different) / len(different)
