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


# %% wrong="a repeated stranger spelled once" caught_by="a stranger costs twice"
def spelling_bits(word, letters):
    return -sum((math.log2(letters[symbol]) for symbol in [*word, "#"]))


def bits_per_character(logs, words, known, letters):
    bits = -sum(logs) / math.log(2)
    bits += sum((spelling_bits(word, letters) for word in set(words) - set(known) - {"</s>"}))
    return bits / sum((1 if word == "</s>" else len(word) + 1 for word in words))


# %% wrong="the end becomes known to the caller" caught_by="bits and characters of known words"
def spelling_bits(word, letters):
    return -sum((math.log2(letters[symbol]) for symbol in [*word, "#"]))


def bits_per_character(logs, words, known, letters):
    known.add("</s>")
    bits = -sum(logs) / math.log(2)
    bits += sum((spelling_bits(word, letters) for word in words if word not in known))
    return bits / sum((1 if word == "</s>" else len(word) + 1 for word in words))


# %% wrong="each letter of a word once" caught_by="spelling includes the end" change="math.log2(letters[symbol]) for symbol in [*word, \"#\"] -> (math.log2(letters[symbol]) for symbol in {*word, \"#\"})"


# %% wrong="a product that becomes 0" caught_by="spelling includes the end"
# -     return -sum(math.log2(letters[symbol]) for symbol in [*word, "#"])
# +     p = math.prod((letters[symbol] for symbol in word + "#"))
# +     return -math.log2(p) if p else math.inf


# %% wrong="one end for all" caught_by="bits and characters of known words"
def spelling_bits(word, letters):
    return -sum((math.log2(letters[symbol]) for symbol in [*word, "#"]))


def bits_per_character(logs, words, known, letters):
    inner = [word for word in words if word != "</s>"]
    bits = -sum(logs) / math.log(2) + sum((spelling_bits(word, letters) for word in inner if word not in known))
    return bits / (sum((len(word) + 1 for word in inner)) + 1)


# %% wrong="strangers without their own logarithm if the first is one" caught_by="a stranger costs twice"
def spelling_bits(word, letters):
    return -sum((math.log2(letters[symbol]) for symbol in [*word, "#"]))


def bits_per_character(logs, words, known, letters):
    bits = 0
    for log, word in zip(logs, words):
        bits -= log / math.log(2) if word in known or word == "</s>" else 0
        bits += spelling_bits(word, letters) if word not in known and word != "</s>" else 0
    return bits / sum((1 if word == "</s>" else len(word) + 1 for word in words))


# %% right="arrays, single precision"
def spelling_bits(word, letters):
    return np.array(-np.log2([letters[symbol] for symbol in word + "#"]).sum(), dtype=np.float32)


def bits_per_character(logs, words, known, letters):
    bits = -np.sum(logs) / np.log(2)
    for word in words:
        if word not in {*known, "</s>"}:
            bits = bits + spelling_bits(word, letters)
    return np.float32(bits / sum((len(word) + 1 - 4 * (word == "</s>") for word in words)))


# %% wrong="keeps the bits of a word for other letters" caught_by="spelling includes the end"
spelled_before = {}


def spelling_bits(word, letters):
    if word not in spelled_before:
        spelled_before[word] = -sum(math.log2(letters[symbol]) for symbol in [*word, "#"])
    return spelled_before[word]


def bits_per_character(logs, words, known, letters):
    bits = -sum(logs) / math.log(2)
    for word in words:
        if word != "</s>" and word not in known:
            bits -= sum(math.log2(letters[symbol]) for symbol in word + "#")
    return bits / sum(1 if word == "</s>" else len(word) + 1 for word in words)


# %% wrong="the end is taken out of the letters" caught_by="spelling includes the end"
# -     return -sum(math.log2(letters[symbol]) for symbol in [*word, "#"])
# +     end = letters.pop("#")
# +     bits = -math.log2(end) - sum(math.log2(letters[symbol]) for symbol in word)
# +     letters["end"] = end
# +     return bits


# %% wrong="an array of logs becomes bits in place" caught_by="bits and characters of known words"
# -     bits, characters = -sum(logs) / math.log(2), 0
# +     logs = np.asarray(logs)
# +     logs *= -1 / math.log(2)
# +     bits, characters = logs.sum(), 0


# %% wrong="known if it stands inside a known word" caught_by="a stranger costs twice"
# -     bits, characters = -sum(logs) / math.log(2), 0
# +     known = " ".join(known)
# +     bits, characters = -sum(logs) / math.log(2), 0


# %% wrong="known is asked in lower case" caught_by="bits and characters of known words" change="word not in known: -> word.lower() not in known:"


# %% wrong="the end of a spelling is a character" caught_by="a stranger costs twice"
# -             bits += spelling_bits(word, letters)
# +             bits += spelling_bits(word, letters)
# +             characters += 1


# %% right="different words with their number"
def spelling_bits(word, letters):
    return -sum(times * math.log2(letters[symbol]) for symbol, times in Counter(word + "#").items())


def bits_per_character(logs, words, known, letters):
    found = Counter(words)
    ends = found.pop("</s>", 0)
    spelled = sum(times * spelling_bits(word, letters) for word, times in found.items() if word not in known)
    characters = ends + sum(times * (len(word) + 1) for word, times in found.items())
    return (spelled - math.fsum(logs) / math.log(2)) / characters


# %% right="a recursion for the spelling, natural logs to the end"
def spelling_bits(word, letters):
    head, tail = word[:1], word[1:]
    if not head:
        return math.log2(1 / letters["#"])
    return math.log(1 / letters[head], 2) + spelling_bits(tail, letters)


def bits_per_character(logs, words, known, letters):
    nats = [-float(x) for x in logs]
    sizes = [len(word) + 1 if word != "</s>" else 1 for word in words]
    for word in words:
        if not (word == "</s>" or word in known):
            nats.append(spelling_bits(word, letters) * math.log(2))
    return math.fsum(nats) / math.log(2) / math.fsum(sizes)


# %% wrong="bytes are counted" caught_by="bits and characters of known words" change="len(word) + 1 -> len(word.encode()) + 1"


# %% wrong="only what consists of letters is spelled" caught_by="a stranger costs twice" change="word not in known: -> word not in known and word.isalpha():"
