"""Answers to the task fair_bits of chapter 02 in its variant 2027."""


# %% right="natural logs until the end"
def spelling_bits(word, letters):
    return -(sum(math.log(letters[c]) for c in word) + math.log(letters["#"])) / math.log(2)


def bits_per_letter(logs, words, known, letters):
    strangers = [w for w in words if w not in set(known) | {"</s>"}]
    total = -np.sum(logs) / np.log(2) + sum(spelling_bits(w, letters) for w in strangers)
    return total / len("".join(words).replace("</s>", ""))


# %% right="one pass over pairs"
def spelling_bits(word, letters):
    bits = np.log2(1 / letters["#"])
    for symbol in word:
        bits += np.log2(1 / letters[symbol])
    return bits


def bits_per_letter(logs, words, known, letters):
    bits = count = 0.0
    for logarithm, word in zip(logs, words):
        bits += -logarithm * math.log2(math.e)
        if word != "</s>":
            count += len(word)
            if word not in known:
                bits += spelling_bits(word, letters)
    return bits / count


# %% wrong="last year's answer under its new name" caught_by="bits and letters of known words"
# -             count += len(word)
# +             count += len(word) + 1

# -     return bits / count
# +     return bits / (count + list(words).count("</s>"))


# %% wrong="blanks count" caught_by="bits and letters of known words" change="count += len(word) -> count += len(word) + 1"


# %% wrong="the end of a sentence counts four letters" caught_by="the end needs no spelling" change="return bits / count -> return bits / sum(len(word) for word in words)"


# %% wrong="the end of the spelling is a letter" caught_by="a stranger costs twice"
# -             bits += 0 if word in known else spelling_bits(word, letters)
# +             bits += 0 if word in known else spelling_bits(word, letters)
# +             count += word not in known


# %% wrong="only the letters of known words count" caught_by="a stranger costs twice" change="count += len(word) -> count += len(word) if word in known else 0"


# %% wrong="what the ends cost is left out" caught_by="the end needs no spelling"
# -     bits, count = -sum(logs) / math.log(2), 0
# +     bits, count = -sum(l for l, word in zip(logs, words) if word != "</s>") / math.log(2), 0


# %% wrong="nats called bits" caught_by="bits and letters of known words" change="-sum(logs) / math.log(2) -> -sum(logs)"


# %% wrong="a repeated stranger spelled once" caught_by="a stranger costs twice"
# -     for word in words:
# +     known = set(known)
# +     for word in words:

# -             bits += 0 if word in known else spelling_bits(word, letters)
# +             bits += 0 if word in known else spelling_bits(word, letters)
# +             known.add(word)


# %% wrong="a stranger pays the spelling only" caught_by="a stranger costs twice"
# -     bits, count = -sum(logs) / math.log(2), 0
# +     bits, count = 0, 0
# +     for l, word in zip(logs, words):
# +         bits -= l / math.log(2) if word == "</s>" or word in known else 0


# %% wrong="no end symbol in the spelling" caught_by="spelling includes the end" change='[*word, "#"] -> word'


# %% wrong="the logarithms are turned into bits where they stand" caught_by="the end needs no spelling"
# -     bits, count = -sum(logs) / math.log(2), 0
# +     for i in range(len(logs)):
# +         logs[i] /= math.log(2)
# +     bits, count = -sum(logs), 0
