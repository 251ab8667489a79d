"""Answers to the task writing of chapter 01."""


# %% right="the context cut from the front until it is known"
def write(tables, start, words, draw):
    written = []
    while len(written) < words:
        memory = len(tables) - 1
        context = (["<s>"] * memory + list(start) + written)[-memory:] if memory else []
        while tuple(context) not in tables[len(context)]:
            context = context[1:]
        word = draw(tables[len(context)][tuple(context)])
        if word == "</s>":
            return [*start, *written]
        written.append(word)
    return [*start, *written]


# %% right="one word, then the rest by recursion"
def write(tables, start, words, draw):
    if words == 0:
        return list(start)
    past = ("<s>",) * len(tables) + tuple(start)
    found = [table[past[len(past) - n :]] for n, table in enumerate(tables) if past[len(past) - n :] in table]
    word = draw(found[-1])
    return list(start) if word == "</s>" else write(tables, [*start, word], words - 1, draw)


# %% right="a tuple" change="return text -> return tuple(text)"

# %% wrong="always the table with one word of memory" caught_by="back to a shorter memory" change="for n in reversed(range(len(tables))): -> for n in reversed(range(min(2, len(tables)))):"

# %% wrong="the shortest context that is known" caught_by="each word follows the last ones" change="for n in reversed(range(len(tables))): -> for n in range(len(tables)):"

# %% wrong="at once to no memory" caught_by="back to a shorter memory" change="for n in reversed(range(len(tables))): -> for n in (len(tables) - 1, 0):"

# %% wrong="the context is never renewed" caught_by="each word follows the last ones" change="past = [\"<s>\"] * len(tables) + text -> past = [\"<s>\"] * len(tables) + list(start)"

# %% wrong="one <s> only" caught_by="sentences begin and end" change="[\"<s>\"] * len(tables) + text -> [\"<s>\"] + text"

# %% wrong="no <s> where words were given" caught_by="sentences begin and end" change="[\"<s>\"] * len(tables) + text -> [\"<s>\"] * len(tables) * (not start) + text"

# %% wrong="the end is written" caught_by="sentences begin and end"
# -         if word == "</s>":
# -             break
# -         text.append(word)
# +         text.append(word)
# +         if word == "</s>":
# +             break

# %% wrong="goes on after the end" caught_by="one draw for each word"
# -         if word == "</s>":
# -             break
# -         text.append(word)
# +         if word != "</s>":
# +             text.append(word)

# %% wrong="words counts the given ones" caught_by="each word follows the last ones" change="for _ in range(words): -> for _ in range(words - len(text)):"

# %% wrong="at most thirty words" caught_by="each word follows the last ones" change="for _ in range(words): -> for _ in range(min(words, 30)):"

# %% wrong="only the new words" caught_by="each word follows the last ones" change="return text -> return text[len(start) :]"

# %% wrong="the caller's start grows" caught_by="each word follows the last ones" change="text = list(start) -> text = start"

# %% wrong="a draw from every table" caught_by="one draw for each word"
# -         word = draw(tables[n][context])
# +         found = [tuple(past[len(past) - k :]) for k in range(n + 1)]
# +         word = [draw(tables[k][found[k]]) for k in range(n + 1) if found[k] in tables[k]][-1]

# %% wrong="the likeliest word instead of a drawn one" caught_by="one draw for each word" change="word = draw(tables[n][context]) -> word = max(tables[n][context], key=tables[n][context].get)"

# %% wrong="drawn twice, the second counts" caught_by="one draw for each word"
# -         word = draw(tables[n][context])
# +         word = draw(tables[n][context])
# +         word = draw(tables[n][context])


# %% wrong="long contexts with one word only are skipped" caught_by="back to a shorter memory" change="if context in tables[n]: -> if len(tables[n].get(context, ())) > (n > 2):"


# %% wrong="one draw too many where the words are used up" caught_by="one draw for each word"
def write(tables, start, words, draw):
    def following(text):
        padded = ["<s>"] * len(tables) + text
        for n in reversed(range(len(tables))):
            context = tuple(padded[len(padded) - n :])
            if context in tables[n]:
                return draw(tables[n][context])

    text, new = list(start), 0
    word = following(text)
    while word != "</s>" and new < words:
        text.append(word)
        new += 1
        word = following(text)
    return text
