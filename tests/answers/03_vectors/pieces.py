"""Answers to the task pieces of chapter 03."""


# %% right="place by place, counted"
def pieces(word, low, high):
    marked, found = "<" + word + ">", []
    for begin in range(len(marked)):
        for end in range(begin + low, min(begin + high, len(marked)) + 1):
            found.append(marked[begin:end])
    return tuple(found)


def compose(word, Z, low, high):
    total = 0 * np.asarray(list(Z.values())[0], dtype=float)
    for piece, times in Counter(pieces(word, low, high)).items():
        if piece in Z:
            total = total + times * np.asarray(Z[piece])
    return total


# %% right="columns of shifted letters"
def pieces(word, low, high):
    letters = ["<", *word, ">"]
    found = []
    for n in range(low, high + 1):
        found += ["".join(some) for some in zip(*(letters[o:] for o in range(n)))]
    return found


def compose(word, Z, low, high):
    d = np.shape(list(Z.values())[-1])
    known = [Z[p] for p in pieces(word, low, high) if p in Z]
    return np.sum([np.zeros(d), *known], axis=0)


# %% wrong="no marks" caught_by="stretches of every length" change="<{word}> -> {word}"

# %% wrong="no mark at the end" caught_by="stretches of every length" change="<{word}> -> <{word}"

# %% wrong="the longest left out" caught_by="stretches of every length" change="range(low, high + 1) -> range(low, high)"

# %% wrong="the last place left out" caught_by="stretches of every length" change="len(marked) - n + 1 -> len(marked) - n"

# %% wrong="marks do not count" caught_by="stretches of every length" change="range(low, high + 1) -> range(low + 1, high + 2)"

# %% wrong="always 3 to 6" caught_by="stretches of every length" change="range(low, high + 1) -> range(3, 7)"

# %% wrong="too short: the whole word" caught_by="short words and repeated pieces"
# -     marked = f"<{word}>"
# +     marked = f"<{word}>"
# +     if len(marked) < low:
# +         return [marked]

# %% wrong="stretches that run over the end" caught_by="stretches of every length" change="range(len(marked) - n + 1) -> range(len(marked))"

# %% wrong="each piece once" caught_by="short words and repeated pieces"
# -     return [
# -         marked[t : t + n]
# -         for n in range(low, high + 1)
# -         for t in range(len(marked) - n + 1)
# -     ]
# +     return sorted({
# +         marked[t : t + n]
# +         for n in range(low, high + 1)
# +         for t in range(len(marked) - n + 1)
# +     })

# %% wrong="a repeated piece counts once in the sum" caught_by="short words and repeated pieces" change="for piece in pieces(word, low, high): -> for piece in set(pieces(word, low, high)):"

# %% wrong="the mean instead of the sum" caught_by="the sum of known pieces"
# -     return total
# +     return total / max(1, sum(piece in Z for piece in pieces(word, low, high)))

# %% wrong="added into the dictionary's own vector" caught_by="short words and repeated pieces"
# -     total = np.zeros(len(next(iter(Z.values()))))
# -     for piece in pieces(word, low, high):
# -         if piece in Z:
# -             total = total + Z[piece]
# -     return total
# +     known = [piece for piece in pieces(word, low, high) if piece in Z]
# +     if not known:
# +         return np.zeros(len(next(iter(Z.values()))))
# +     total = Z[known[0]]
# +     for piece in known[1:]:
# +         total += Z[piece]
# +     return total

# %% wrong="0 where nothing is known" caught_by="the sum of known pieces" change="total = np.zeros(len(next(iter(Z.values())))) -> total = 0"

# %% wrong="every vector of the dictionary" caught_by="the sum of known pieces"
# -     for piece in pieces(word, low, high):
# -         if piece in Z:
# -             total = total + Z[piece]
# +     for piece in Z:
# +         total = total + Z[piece]

# %% wrong="lengths of its own" caught_by="the sum of known pieces" change="for piece in pieces(word, low, high): -> for piece in pieces(word, 3, 6):"


# %% wrong="capitals are lost" caught_by="stretches of every length" change="{word} -> {word.lower()}"


# %% wrong="bytes for characters" caught_by="stretches of every length"
# -     marked = f"<{word}>"
# +     marked = f"<{word}>".encode().decode("latin-1")


# %% wrong="hyphens at the ends are dropped" caught_by="stretches of every length"
# -     marked = f"<{word}>"
# +     marked = f"<{word.strip(chr(45))}>"


# %% wrong="no word, no pieces" caught_by="stretches of every length"
# -     marked = f"<{word}>"
# +     marked = f"<{word}>" if word else ""


# %% wrong="remembers words, whatever the lengths" caught_by="stretches of every length"
# + _seen = {}
# +
# +
#   def pieces(word, low, high):

# -     marked = f"<{word}>"
# -     return [
# -         marked[t : t + n]
# -         for n in range(low, high + 1)
# -         for t in range(len(marked) - n + 1)
# -     ]
# +     if word not in _seen:
# +         marked = f"<{word}>"
# +         _seen[word] = [
# +             marked[t : t + n] for n in range(low, high + 1) for t in range(len(marked) - n + 1)
# +         ]
# +     return list(_seen[word])


# %% wrong="looks up what Z lacks with a default that stays" caught_by="short words and repeated pieces"
# -     total = np.zeros(len(next(iter(Z.values()))))
# -     for piece in pieces(word, low, high):
# -         if piece in Z:
# -             total = total + Z[piece]
# +     zero = np.zeros(np.shape(next(iter(Z.values()))))
# +     total = zero.copy()
# +     for piece in pieces(word, low, high):
# +         total = total + Z.setdefault(piece, zero)


# %% wrong="marks of the word's own are taken off" caught_by="stretches of every length"
# -     marked = f"<{word}>"
# +     marked = "<" + word.strip("<>") + ">"
