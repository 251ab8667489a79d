"""Answers to the task fair_bits of chapter 02."""


# %% right="natural logs until the end"
def spelling_bits(word, letters):
    return -(sum(math.log(letters[c]) for c in word) + math.log(letters["#"])) / math.log(2)


def bits_per_character(logs, words, known, letters):
    words = list(words)
    strangers = [w for w in words if w not in set(known) | {"</s>"}]
    total = -np.sum(logs) / np.log(2) + sum(spelling_bits(w, letters) for w in strangers)
    return total / sum(1 + len(w.replace("</s>", "")) for w in words)


# %% right="one pass over pairs"
def spelling_bits(word, letters):
    bits = np.log2(1 / letters["#"])
    for symbol in word:
        bits += np.log2(1 / letters[symbol])
    return bits


def bits_per_character(logs, words, known, letters):
    bits = characters = 0.0
    for logarithm, word in zip(logs, words):
        bits += -logarithm * math.log2(math.e)
        if word == "</s>":
            characters += 1
            continue
        characters += len(word) + 1
        if word not in known:
            bits += spelling_bits(word, letters)
    return bits / characters


# %% wrong="no end symbol in the spelling" caught_by="spelling includes the end"
def spelling_bits(word, letters):
    return -sum(math.log2(letters[c]) for c in word)


def bits_per_character(logs, words, known, letters):
    bits = -sum(logs) / math.log(2) + sum(spelling_bits(w, letters) for w in words if w != "</s>" and w not in known)
    return bits / sum(1 if w == "</s>" else len(w) + 1 for w in words)


# %% wrong="nats called bits" caught_by="bits and characters of known words"
def spelling_bits(word, letters):
    return -sum(math.log2(letters[c]) for c in word + "#")


def bits_per_character(logs, words, known, letters):
    bits = -sum(logs) + sum(spelling_bits(w, letters) for w in words if w != "</s>" and w not in known)
    return bits / sum(1 if w == "</s>" else len(w) + 1 for w in words)


# %% wrong="a stranger pays the spelling only" caught_by="a stranger costs twice"
def spelling_bits(word, letters):
    return -sum(math.log2(letters[c]) for c in word + "#")


def bits_per_character(logs, words, known, letters):
    bits = 0
    for log, w in zip(logs, words):
        bits += -log / math.log(2) if w in known or w == "</s>" else spelling_bits(w, letters)
    return bits / sum(1 if w == "</s>" else len(w) + 1 for w in words)


# %% wrong="every word is spelled" caught_by="bits and characters of known words"
def spelling_bits(word, letters):
    return -sum(math.log2(letters.get(c, 0.5)) for c in word + "#")


def bits_per_character(logs, words, known, letters):
    bits = -sum(logs) / math.log(2) + sum(spelling_bits(w, letters) for w in words if w != "</s>")
    return bits / sum(1 if w == "</s>" else len(w) + 1 for w in words)


# %% wrong="spells the end of the sentence" caught_by="the end needs no spelling"
def spelling_bits(word, letters):
    return -sum(math.log2(letters.get(c, 0.5)) for c in word + "#")


def bits_per_character(logs, words, known, letters):
    bits = -sum(logs) / math.log(2) + sum(spelling_bits(w, letters) for w in words if w not in known)
    return bits / sum(1 if w == "</s>" else len(w) + 1 for w in words)


# %% wrong="the end counts as four characters" caught_by="bits and characters of known words | the end needs no spelling"
def spelling_bits(word, letters):
    return -sum(math.log2(letters[c]) for c in word + "#")


def bits_per_character(logs, words, known, letters):
    bits = -sum(logs) / math.log(2) + sum(spelling_bits(w, letters) for w in words if w != "</s>" and w not in known)
    return bits / sum(len(w) for w in words)


# %% wrong="bits per word" caught_by="bits and characters of known words"
def spelling_bits(word, letters):
    return -sum(math.log2(letters[c]) for c in word + "#")


def bits_per_character(logs, words, known, letters):
    bits = -sum(logs) / math.log(2) + sum(spelling_bits(w, letters) for w in words if w != "</s>" and w not in known)
    return bits / len(words)
