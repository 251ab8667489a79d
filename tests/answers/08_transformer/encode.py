"""Answers to the task encode of chapter 08."""


# %% right="merge after merge, in their order"
def encode(text, merges):
    tokens = []
    for piece in bpe.pieces(text):
        found = list(piece.encode("utf-8"))
        for r, (first, second) in enumerate(merges):
            i = 0
            while i + 1 < len(found):
                if found[i] == first and found[i + 1] == second:
                    found[i : i + 2] = [256 + r]
                i += 1
        tokens.extend(found)
    return tokens


def decode(tokens, merges):
    def string(token):
        if token < 256:
            return bytes([token])
        first, second = merges[token - 256]
        return string(first) + string(second)

    return b"".join(map(string, tokens)).decode(errors="replace")


# %% right="strings of bytes in a dict"
#   def decode(tokens, merges):
#       """The text of a list of token numbers; � stands where their bytes are no valid UTF-8."""
# -     strings = [bytes([byte]) for byte in range(256)]
# -     for first, second in merges:
# -         strings.append(strings[first] + strings[second])
# -     return b"".join(strings[token] for token in tokens).decode("utf-8", "replace")
# +     strings = {byte: bytes([byte]) for byte in range(256)}
# +     for r, (first, second) in enumerate(merges):
# +         strings[256 + r] = strings[first] + strings[second]
# +     whole = bytearray()
# +     for token in tokens:
# +         whole += strings[token]
# +     return str(bytes(whole), "utf-8", "replace")


# %% wrong="the leftmost merge first" caught_by="the earliest merge first" change="best = min(options, key=rank.get) -> best = options[0]"

# %% wrong="the latest merge first" caught_by="the earliest merge first" change="min(options, key=rank.get) -> max(options, key=rank.get)"

# %% wrong="merges cross the borders of pieces" caught_by="the earliest merge first" change="bpe.pieces(text) -> [text]"

# %% wrong="token by token decoded" caught_by="from tokens to text | nothing is lost"
#       for first, second in merges:
#           strings.append(strings[first] + strings[second])
# -     return b"".join(strings[token] for token in tokens).decode("utf-8", "replace")
# +     return "".join(strings[token].decode("utf-8", "replace") for token in tokens)

# %% wrong="broken characters are left out" caught_by="nothing is lost"
#           strings.append(strings[first] + strings[second])
# -     return b"".join(strings[token] for token in tokens).decode("utf-8", "replace")
# +     return b"".join(strings[token] for token in tokens).decode("utf-8", "ignore")

# %% wrong="broken characters stop it" caught_by="nothing is lost"
#           strings.append(strings[first] + strings[second])
# -     return b"".join(strings[token] for token in tokens).decode("utf-8", "replace")
# +     return b"".join(strings[token] for token in tokens).decode("utf-8")

# %% wrong="letters instead of bytes" caught_by="nothing is lost" change="found = list(piece.encode()) -> found = [min(ord(letter), 255) for letter in piece]"


# %% wrong="only the first 256 merges" caught_by="the earliest merge first" change="enumerate(merges)} -> enumerate(merges[:256])}"


# %% wrong="letters and their accents are composed" caught_by="nothing is lost"
#       known, tokens = {}, []
# +     import unicodedata
# +
# +     text = unicodedata.normalize("NFC", text)


# %% wrong="the ends of lines of Windows become plain ones" caught_by="nothing is lost" change="bpe.pieces(text) -> bpe.pieces(text.replace('\r', ''))"


# %% wrong="blanks at the end are cut off" caught_by="nothing is lost" change="\"replace\") -> \"replace\").rstrip(\" \")"
