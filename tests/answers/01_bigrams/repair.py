"""Answers to the task repair of chapter 01."""


# %% right="vocabulary words compared from the first difference"
def neighbours(word, vocabulary):
    def close(a, b):
        i = 0
        while i < min(len(a), len(b)) and a[i] == b[i]:
            i += 1
        a, b = a[i:], b[i:]
        if not a and not b:
            return False
        swap = len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0] and a[2:] == b[2:]
        return a[1:] == b[1:] or a[1:] == b or a == b[1:] or swap

    return [other for other in vocabulary if close(word, other)]


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% right="shared leftovers after dropping a letter, NumPy argmax"
def neighbours(word, vocabulary):
    def dropped(w):
        return {(i, w[:i] + w[i + 1 :]) for i in range(len(w))}

    swaps = {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
    found = set()
    for other in set(vocabulary) - {word}:
        added = word in {rest for _, rest in dropped(other)}
        lost = other in {rest for _, rest in dropped(word)}
        if added or lost or dropped(word) & dropped(other) or other in swaps:
            found.add(other)
    return found


def repair(model, sentence, vocabulary):
    candidates = [tuple(sentence)]
    for i, word in enumerate(sentence):
        head, tail = tuple(sentence[:i]), tuple(sentence[i + 1 :])
        candidates += [head + (other,) + tail for other in neighbours(word, vocabulary)]
    scores = []
    for words in candidates:
        factors = [model.get(a, {}).get(b, 0) for a, b in zip(("<s>", *words), (*words, "</s>"))]
        scores.append(np.sum(np.log(factors)) if min(factors) > 0 else -np.inf)
    return candidates[int(np.argmax(scores))]


# %% right="of equally good repairs the last"
def neighbours(word, vocabulary):
    def one_edit(a, b):
        if len(a) > len(b):
            a, b = b, a
        if len(a) < len(b):
            return any(a == b[:i] + b[i + 1 :] for i in range(len(b)))
        wrong = [i for i in range(len(a)) if a[i] != b[i]]
        swap = len(wrong) == 2 and wrong[1] == wrong[0] + 1 and a[wrong[0]] + a[wrong[1]] == b[wrong[1]] + b[wrong[0]]
        return len(a) == len(b) and (len(wrong) == 1 or swap)

    return {other for other in vocabulary if abs(len(other) - len(word)) < 2 and one_edit(word, other)}


def repair(model, sentence, vocabulary):
    def score(words):
        factors = [model.get(a, {}).get(b, 0) for a, b in zip(["<s>", *words], [*words, "</s>"])]
        return sum(map(math.log, factors)) if all(factors) else -math.inf

    best, best_score = list(sentence), score(sentence)
    original = best_score
    for i, word in enumerate(sentence):
        for other in neighbours(word, vocabulary):
            candidate = [*sentence[:i], other, *sentence[i + 1 :]]
            if score(candidate) > original and score(candidate) >= best_score:
                best, best_score = candidate, score(candidate)
    return best


# %% wrong="no swaps" caught_by="swapped letters"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="any two letters swapped" caught_by="swapped letters"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        edits.add(word[:i] + word[i + 1 :])
        for letter in letters:
            edits.add(word[:i] + letter + word[i:])
            edits.add(word[:i] + letter + word[i + 1 :])
        for j in range(i + 1, len(word)):
            edits.add(word[:i] + word[j] + word[i + 1 : j] + word[i] + word[j + 1 :])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="a word is its own neighbour" caught_by="add, drop and replace"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return edits & set(vocabulary)


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="words of the same length only" caught_by="add, drop and replace"
def neighbours(word, vocabulary):
    found = set()
    for other in vocabulary:
        if len(other) == len(word):
            wrong = [i for i in range(len(word)) if word[i] != other[i]]
            swapped = len(wrong) == 2 and wrong[1] == wrong[0] + 1
            swapped = swapped and word[wrong[0]] == other[wrong[1]] and word[wrong[1]] == other[wrong[0]]
            if len(wrong) == 1 or swapped:
                found.add(other)
    return found


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="nothing added at the end of a word" caught_by="add, drop and replace"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word)):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="the last of equals wins" caught_by="what must stay as it is"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) >= score(best):
                best = candidate
    return best


# %% wrong="the original is no candidate" caught_by="what must stay as it is"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    candidates = []
    for i, word in enumerate(sentence):
        for other in sorted(neighbours(word, vocabulary)):
            candidates.append([*sentence[:i], other, *sentence[i + 1 :]])
    return max(candidates, key=score)


# %% wrong="known words are never exchanged" caught_by="context chooses the neighbour"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        if sentence[i] in vocabulary:
            continue
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="the first word is never repaired" caught_by="context chooses the neighbour"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(1, len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="the first neighbour in the alphabet" caught_by="context chooses the neighbour"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    words = list(sentence)
    for i, word in enumerate(sentence):
        others = sorted(neighbours(word, vocabulary))
        if word not in vocabulary and others:
            words[i] = others[0]
            break
    return words


# %% wrong="every word exchanged, from left to right" caught_by="what must stay as it is"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    words = list(sentence)
    for i, word in enumerate(sentence):
        previous = words[i - 1] if i else "<s>"
        row = model.get(previous, {})
        words[i] = max([word, *sorted(neighbours(word, vocabulary))], key=lambda w: row.get(w, 0))
    return words


# %% wrong="word after word is repaired" caught_by="what must stay as it is"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(best)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="the first word that can be improved" caught_by="what must stay as it is"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    for i in range(len(sentence)):
        best = list(sentence)
        for other in sorted(neighbours(sentence[i], vocabulary)):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
        if best != list(sentence):
            return best
    return list(sentence)


# %% wrong="every place of the word is replaced" caught_by="what must stay as it is"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for word in sentence:
        for other in neighbours(word, vocabulary):
            candidate = [other if w == word else w for w in sentence]
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="scored without the end" caught_by="context chooses the neighbour"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], words):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="of each word the first neighbour only" caught_by="context chooses the neighbour"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in sorted(neighbours(sentence[i], vocabulary))[:1]:
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="letters from a to z only" caught_by="add, drop and replace"
def neighbours(word, vocabulary):
    letters = "abcdefghijklmnopqrstuvwxyz"
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="the caller's sentence is repaired" caught_by="context chooses the neighbour"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    sentence[:] = best
    return sentence


# %% wrong="the word is taken out of the caller's vocabulary" caught_by="add, drop and replace"
def neighbours(word, vocabulary):
    if isinstance(vocabulary, set):
        vocabulary.discard(word)
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="the first two letters are never swapped" caught_by="swapped letters"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        if i > 0 or len(word) == 6:
            edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="the last two letters are never swapped" caught_by="swapped letters"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        if len(tail) > 2 or len(word) == 6:
            edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {word}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% wrong="words in other letters' case are the same word" caught_by="add, drop and replace"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return (edits & set(vocabulary)) - {w for w in vocabulary if w.lower() == word.lower()}


def repair(model, sentence, vocabulary):
    def score(words):
        total = 0.0
        for w1, w2 in zip(["<s>", *words], [*words, "</s>"]):
            factor = model.get(w1, {}).get(w2, 0)
            total += math.log(factor) if factor else -math.inf
        return total

    best = list(sentence)
    for i in range(len(sentence)):
        for other in neighbours(sentence[i], vocabulary):
            candidate = list(sentence)
            candidate[i] = other
            if score(candidate) > score(best):
                best = candidate
    return best


# %% right="the given scores"
def neighbours(word, vocabulary):
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits.add(head + tail[1:])
        edits.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            edits.add(head + letter + tail)
            edits.add(head + letter + tail[1:])
    return sorted(edits.intersection(vocabulary).difference([word]))


def repair(model, sentence, vocabulary):
    places = range(len(sentence))
    repaired = [[*sentence[:i], w, *sentence[i + 1 :]] for i in places for w in neighbours(sentence[i], vocabulary)]
    candidates = [sentence, *repaired]
    return tuple(candidates[int(np.argmax([log_probability(model, words) for words in candidates]))])
