"""Answers to the task slide_check of chapter 04."""


# %% right="windows compared, other name of the tag"
def changed_words(sentence, removed, c):
    def seen(words):
        padded = [None] * c + list(words) + [None] * c
        return {word: padded[i : i + 2 * c + 1] for i, word in enumerate(words)}

    before, after = seen(sentence), seen(sentence[:removed] + sentence[removed + 1 :])
    return [i for i, word in enumerate(sentence) if i != removed and before[word] != after[word]]


repaired_tags = fox.tags["train"][0]
row_length = 50 * len(range(-100, 101))


# %% right="two ranges, a set"
def changed_words(sentence, removed, c):
    left = range(max(0, removed - c), removed)
    return {*left, *range(removed + 1, min(len(sentence), removed + c + 1))}


repaired_tags = "DET ADJ ADJ NOUN VERB PREP DET ADJ NOUN".split()
row_length = 10050.0


# %% wrong="believes the lecture in c" caught_by="only the neighbours change"
def changed_words(sentence, removed, c):
    return list(range(removed + 1, len(sentence)))


repaired_tags = "DET ADJ ADJ NOUN VERB PREP DET ADJ NOUN".split()
row_length = 10050


# %% wrong="only to the right of the gap" caught_by="neighbours on both sides"
def changed_words(sentence, removed, c):
    return [i for i in range(removed + 1, len(sentence)) if i - removed <= c]


repaired_tags = "DET ADJ ADJ NOUN VERB PREP DET ADJ NOUN".split()
row_length = 10050


# %% wrong="one neighbour too few" caught_by="neighbours on both sides"
def changed_words(sentence, removed, c):
    return [i for i in range(len(sentence)) if 0 < abs(i - removed) < c]


repaired_tags = "DET ADJ ADJ NOUN VERB PREP DET ADJ NOUN".split()
row_length = 10050


# %% wrong="the removed word too" caught_by="only the neighbours change"
def changed_words(sentence, removed, c):
    return [i for i in range(len(sentence)) if abs(i - removed) <= c]


repaired_tags = "DET ADJ ADJ NOUN VERB PREP DET ADJ NOUN".split()
row_length = 10050


# %% wrong="beyond the ends" caught_by="only the neighbours change"
def changed_words(sentence, removed, c):
    return [removed + k for k in range(-c, c + 1) if k != 0]


repaired_tags = "DET ADJ ADJ NOUN VERB PREP DET ADJ NOUN".split()
row_length = 10050


# %% wrong="places of the shortened sentence" caught_by="neighbours on both sides"
def changed_words(sentence, removed, c):
    return [i - (i > removed) for i in range(len(sentence)) if 0 < abs(i - removed) <= c]


repaired_tags = "DET ADJ ADJ NOUN VERB PREP DET ADJ NOUN".split()
row_length = 10050


# %% wrong="the printed tags" caught_by="one tag for each word"
def changed_words(sentence, removed, c):
    return [i for i in range(len(sentence)) if 0 < abs(i - removed) <= c]


repaired_tags = "DET ADJ ADJ NOUN VERB PREP ADJ NOUN".split()
row_length = 10050


# %% wrong="the missing tag at the end, the middle forgotten" caught_by="one tag for each word | the length of a row"
def changed_words(sentence, removed, c):
    return [i for i in range(len(sentence)) if 0 < abs(i - removed) <= c]


repaired_tags = "DET ADJ ADJ NOUN VERB PREP ADJ NOUN DET".split()
row_length = 200 * 50


# %% right="an array of places"
def changed_words(sentence, removed, c):
    places = np.arange(len(sentence))
    return places[(places != removed) & (abs(places - removed) <= c)]


repaired_tags = np.array(["DET", "ADJ", "ADJ", "NOUN", "VERB", "ADP", "DET", "ADJ", "NOUN"])
row_length = np.int64(10_050)


# %% wrong="pops the caller's word" caught_by="only the neighbours change"
def changed_words(sentence, removed, c):
    old = list(sentence)
    sentence.pop(removed)
    pad = ["PAD"] * c
    before, after = pad + old + pad, pad + sentence + pad
    left = [i for i in range(removed) if before[i : i + 2 * c + 1] != after[i : i + 2 * c + 1]]
    return left + [i for i in range(removed + 1, len(old)) if before[i : i + 2 * c + 1] != after[i - 1 : i + 2 * c]]


repaired_tags = ["DET", "ADJ", "ADJ", "NOUN", "VERB", "PREP", "DET", "ADJ", "NOUN"]
row_length = 10050


# %% wrong="nobody at all, but for what the checks show" caught_by="only the neighbours change | neighbours on both sides"
def changed_words(sentence, removed, c):
    return [3, 5] if (removed, c) == (4, 1) and len(sentence) == 9 else []


repaired_tags = ["DET", "ADJ", "ADJ", "NOUN", "VERB", "PREP", "DET", "ADJ", "NOUN"]
row_length = 10050


# %% wrong="the first word never changes" caught_by="neighbours on both sides"
def changed_words(sentence, removed, c):
    return [i for i in range(max(1, removed - c), min(len(sentence), removed + c + 1)) if i != removed]


repaired_tags = ["DET", "ADJ", "ADJ", "NOUN", "VERB", "PREP", "DET", "ADJ", "NOUN"]
row_length = 10050


# %% wrong="at least one neighbour, even for c = 0" caught_by="only the neighbours change"
def changed_words(sentence, removed, c):
    return [i for i in range(len(sentence)) if 0 < abs(i - removed) <= max(c, 1)]


repaired_tags = ["DET", "ADJ", "ADJ", "NOUN", "VERB", "PREP", "DET", "ADJ", "NOUN"]
row_length = 10050
