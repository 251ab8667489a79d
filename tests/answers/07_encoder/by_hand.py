"""Answers to the task by_hand of chapter 07."""


# %% right="loops, words compared place by place"
def both_sides(table, words, place):
    found = {}
    for text in table:
        if len(text) != len(words) or not table[text]:
            continue
        if all(text[i] == words[i] for i in range(len(text)) if i != place):
            found[text[place]] = table[text]
    total = sum(found.values())
    if total == 0:
        raise ValueError("none")
    for word in found:
        found[word] = found[word] / total
    return found


def left_only(table, words, place):
    begin, found = list(words)[:place], Counter()
    for text, P in table.items():
        if list(text[:place]) == begin and len(text) >= place + 1 and P:
            found[text[place]] += P
    total = sum(found.values())
    if not found:
        raise ValueError
    return {word: P / total for word, P in found.items()}


from collections import Counter

surprise = [["the", "guard", "sings"], 0]


# %% right="one helper, candidates filled in"
def both_sides(table, words, place):
    candidates = {text[place] for text in table if len(text) > place}
    filled = {w: table.get((*words[:place], w, *words[place + 1 :]), 0) for w in candidates}
    return normal(filled)


def normal(filled):
    filled = {w: P for w, P in filled.items() if P > 0}
    if not filled:
        raise ValueError("nothing fits")
    total = sum(filled.values())
    return {w: float(P / total) for w, P in filled.items()}


def left_only(table, words, place):
    filled = {}
    for text, P in table.items():
        if len(text) > place and all(a == b for a, b in zip(text, words[:place])):
            filled[text[place]] = filled.setdefault(text[place], 0) + P
    return normal(filled)


surprise = (("a", "cook", "sings"), 0)


# %% wrong="only the right neighbour counts" caught_by="a ratio of whole sentences"
# -         and (*text[:place], *text[place + 1 :]) == rest
# +         and text[place + 1 :] == tuple(words[place + 1 :])


# %% wrong="only the two neighbours count" caught_by="a ratio of whole sentences"
# -         and (*text[:place], *text[place + 1 :]) == rest
# +         and text[max(0, place - 1) : place] == tuple(words[max(0, place - 1) : place])
# +         and text[place + 1 : place + 2] == tuple(words[place + 1 : place + 2])


# %% wrong="divided by all, not by what fits" caught_by="a ratio of whole sentences" change="P / sum(fits.values()) -> P / sum(table.values())"


# %% wrong="longer sentences fit as well" caught_by="a ratio of whole sentences"
# -         and len(text) == len(words)
# -         and (*text[:place], *text[place + 1 :]) == rest
# +         and len(text) >= len(words)
# +         and (*text[:place], *text[place + 1 : len(words)]) == rest


# %% wrong="words of probability 0 are kept" caught_by="a ratio of whole sentences"
# -         if P > 0
# -         and len(text) == len(words)
# +         if len(text) == len(words)


# %% wrong="nothing fits: an empty dict" caught_by="a ratio of whole sentences"
#           and (*text[:place], *text[place + 1 :]) == rest
#       }
# -     if not fits:
# -         raise ValueError("No sentence of the table fits.")
# +     if not fits:
# +         return {}


# %% wrong="what words holds at the place is read" caught_by="a ratio of whole sentences"
# -     rest = (*words[:place], *words[place + 1 :])
# +     rest = (*words[:place], *words[place + 1 :])
# +     if "_" not in str(words[place]) and all(words[place] not in text for text in table):
# +         raise ValueError("no such word")


# %% wrong="a list of words never fits" caught_by="a ratio of whole sentences"
# -     rest = (*words[:place], *words[place + 1 :])
# +     rest = (*words[:place], *words[place + 1 :]) if isinstance(words, tuple) or place == 0 else None


# %% wrong="the table is emptied on the way" caught_by="a ratio of whole sentences"
# -     rest = (*words[:place], *words[place + 1 :])
# +     rest = (*words[:place], *words[place + 1 :])
# +     for text in [text for text, P in table.items() if P == 0 or len(text) != len(words)]:
# +         del table[text]


# %% wrong="the last sentence with a word wins" caught_by="the left side alone" change="sums[text[place]] = sums.get(text[place], 0) + P -> sums[text[place]] = P"


# %% wrong="only sentences as long as words" caught_by="the left side alone" change="len(text) > place and text -> len(text) == len(words) and text"


# %% wrong="only the word before" caught_by="the left side alone" change="text[:place] == tuple(words[:place]) -> text[max(0, place - 1) : place] == tuple(words[max(0, place - 1) : place])"


# %% wrong="sentences that end before the place count below the line" caught_by="the left side alone"
# -         if P > 0 and len(text) > place and text[:place] == tuple(words[:place]):
# -             sums[text[place]] = sums.get(text[place], 0) + P
# +         if P > 0 and text[:place] == tuple(words[:place]):
# +             word = text[place] if len(text) > place else None
# +             sums[word] = sums.get(word, 0) + P


# %% wrong="sentences counted, not weighed" caught_by="the left side alone" change="sums.get(text[place], 0) + P -> sums.get(text[place], 0) + 1"


# %% wrong="a place where the right side helps" caught_by="a word less probable from both sides" change="\"sings\"), 0 -> \"sings\"), 1"


# %% wrong="a last place, where both are equal" caught_by="a word less probable from both sides" change="\"sings\"), 0 -> \"sings\"), 2"


# %% wrong="a first word that becomes more probable" caught_by="a word less probable from both sides" change="\"guard\", \"sings\"), 0 -> \"guards\", \"sing\"), 0"


# %% wrong="the left side as one string" caught_by="the left side alone" change="text[:place] == tuple(words[:place]) -> ' '.join(text).startswith(' '.join(words[:place]))"


# %% wrong="every ___ is open" caught_by="a ratio of whole sentences"
# -         and (*text[:place], *text[place + 1 :]) == rest
# +         and all(b in (a, "___") for a, b in zip((*text[:place], *text[place + 1 :]), rest, strict=True))
