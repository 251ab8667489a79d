"""Answers to the task tokenise of chapter 01."""


# %% right="pieces tried by falling length"
def tokenise(text, level, pieces=()):
    if level == "word":
        return [word for word in text.replace("\n", " ").replace("\t", " ").split(" ") if word]
    if level == "character":
        return [character for character in text]
    longest_first = sorted(set(pieces), key=len, reverse=True)
    tokens = []
    while text:
        for piece in longest_first:
            if text[: len(piece)] == piece:
                break
        else:
            piece = text[0]
        tokens.append(piece)
        text = text[len(piece) :]
    return tokens


# %% right="one regular expression for each level"
def tokenise(text, level, pieces=()):
    import re

    if level == "word":
        return re.findall(r"\S+", text)
    inventory = sorted(pieces, key=len, reverse=True) if level == "piece" else []
    return re.findall("|".join([*map(re.escape, inventory), "."]), text, flags=re.DOTALL)


# %% right="windows that shrink, returned as a tuple"
def tokenise(text, level, pieces=()):
    if level == "word":
        return tuple(text.split())
    width = max(map(len, pieces), default=1) if level == "piece" else 1
    tokens, start = [], 0
    while start < len(text):
        stop = min(start + width, len(text))
        while stop > start + 1 and text[start:stop] not in pieces:
            stop -= 1
        tokens.append(text[start:stop])
        start = stop
    return tuple(tokens)


# %% wrong="split at each single space" caught_by="white space is no word" change="split( -> split(\" \""


# %% wrong="first piece that fits instead of the longest" caught_by="the longest piece wins" change="max([text[position], *fitting], key=len) -> fitting[0] if fitting else text[position]"


# %% wrong="spaces dropped from the characters" caught_by="a cat at three levels | joining gives the text back" change="list(text) -> [character for character in text if character != \" \"]"


# %% wrong="characters that no piece covers are skipped" caught_by="joining gives the text back"
# -         tokens.append(max([text[position], *fitting], key=len))
# -         position += len(tokens[-1])
# +         if fitting:
# +             tokens.append(max(fitting, key=len))
# +             position += len(tokens[-1])
# +         else:
# +             position += 1


# %% wrong="i'm is torn apart" caught_by="white space is no word" change="split -> replace(\"'\", \" ' \").split"


# %% wrong="pieces in a regular expression, not escaped" caught_by="the longest piece wins"
def tokenise(text, level, pieces=()):
    if level == "word":
        return text.split()
    if level == "character":
        return list(text)
    import re

    longest_first = sorted(pieces, key=len, reverse=True)
    return re.findall("|".join([*longest_first, "."]), text, flags=re.DOTALL)


# %% wrong="a regular expression that leaves out line breaks" caught_by="a cat at three levels | joining gives the text back"
def tokenise(text, level, pieces=()):
    if level == "word":
        return text.split()
    if level == "character":
        return list(text)
    import re

    longest_first = sorted(pieces, key=len, reverse=True)
    return re.findall("|".join([*map(re.escape, longest_first), "."]), text)


# %% wrong="the longest piece anywhere in the text comes first" caught_by="the longest piece wins"
def tokenise(text, level, pieces=()):
    if level == "word":
        return text.split()
    if level == "character":
        return list(text)
    for piece in sorted(pieces, key=len, reverse=True):
        head, found, tail = text.partition(piece)
        if found:
            return [*tokenise(head, level, pieces), piece, *tokenise(tail, level, pieces)]
    return list(text)


# %% wrong="pieces of more than four letters are overlooked" caught_by="the longest piece wins"
def tokenise(text, level, pieces=()):
    if level == "word":
        return text.split()
    if level == "character":
        return list(text)
    tokens, start = [], 0
    while start < len(text):
        fitting = [text[start : start + k] for k in (4, 3, 2) if text[start : start + k] in pieces]
        tokens.append(fitting[0] if fitting else text[start])
        start += len(tokens[-1])
    return tokens


# %% wrong="a tab is no white space" caught_by="white space is no word" change="text.split() -> [word for word in text.replace(\"\\n\", \" \").split(\" \") if word]"


# %% wrong="everything in lower case" caught_by="a cat at three levels" change="\"\"\"The tokens of `text` as a list; `level` is \"word\", \"character\" or \"piece\".\"\"\" -> text = text.lower()"


# %% wrong="words without their full stops" caught_by="white space is no word" change="text.split() -> [word.strip(\".,\") for word in text.split()]"


# %% wrong="the caller's pieces are sorted in place" caught_by="the longest piece wins"
def tokenise(text, level, pieces=()):
    if level == "word":
        return text.split()
    if level == "character":
        return list(text)
    if isinstance(pieces, list):
        pieces.sort(key=len, reverse=True)
    tokens = []
    while text:
        fitting = [piece for piece in sorted(pieces, key=len, reverse=True) if text.startswith(piece)]
        tokens.append(fitting[0] if fitting else text[0])
        text = text[len(tokens[-1]) :]
    return tokens


# %% wrong="a piece is cut inside the words only, spaces left out when alone" caught_by="a cat at three levels | joining gives the text back"
def tokenise(text, level, pieces=()):
    if level == "word":
        return text.split()
    if level == "character":
        return list(text)
    tokens = []
    for word in text.split():
        while word:
            fitting = [piece for piece in pieces if word.startswith(piece)]
            tokens.append(max([word[0], *fitting], key=len))
            word = word[len(tokens[-1]) :]
    return tokens


# %% right="an array of strings"
def tokenise(text, level, pieces=()):
    if level == "word":
        return np.array(text.split())
    if level == "character":
        return np.array(list(text))
    tokens, position = [], 0
    while position < len(text):
        fitting = [piece for piece in pieces if text.startswith(piece, position)]
        tokens.append(max([text[position], *fitting], key=len))
        position += len(tokens[-1])
    return np.array(tokens)
