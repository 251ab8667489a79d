"""Answers to the task bits_per_word of chapter 10."""


# %% right="a loop, token by token"
def bits_per_word(ln_p, tokens, kinds):
    bits, words = 0.0, 0
    for value, token in zip(ln_p, tokens):
        bits -= math.log2(math.e) * float(value)
        if token == "<UNK>":
            bits += math.log2(kinds)
        words += token != "</s>"
    return bits / words


# %% right="arrays"
def bits_per_word(ln_p, tokens, kinds):
    tokens = np.array(tokens)
    price = (tokens == "<UNK>").sum() * np.log(max(kinds, 1))
    return (price - np.asarray(ln_p).sum()) / np.log(2) / (tokens != "</s>").sum()


# %% wrong="ends count as words" caught_by="ends cost, and are no words" change="sum(token != \"</s>\" for token in tokens) -> len(tokens)"


# %% wrong="ends cost nothing" caught_by="ends cost, and are no words"
# -     total = -np.sum(ln_p) + (unknown * math.log(kinds) if unknown else 0)
# +     kept = [p for p, token in zip(ln_p, tokens) if token != "</s>"]
# +     total = -np.sum(kept) + (unknown * math.log(kinds) if unknown else 0)


# %% wrong="the price is in bits, then divided again" caught_by="unknown words must be named" change="math.log(kinds) if -> math.log2(kinds) if"


# %% wrong="nothing is paid" caught_by="unknown words must be named" change="(unknown * math.log(kinds) if unknown else 0) -> 0"


# %% wrong="paid once for all" caught_by="unknown words must be named" change="unknown * math.log(kinds) if -> math.log(kinds) if"


# %% wrong="paid even if none occurs" caught_by="unknown words must be named" change="(unknown * math.log(kinds) if unknown else 0) -> max(unknown, 1) * math.log(max(kinds, 1))"


# %% wrong="nats" caught_by="ends cost, and are no words" change="total / math.log(2) / words -> total / words"


# %% wrong="an unknown word is no word" caught_by="unknown words must be named" change="token != \"</s>\" -> token not in (\"</s>\", \"<UNK>\")"


# %% wrong="the sign is forgotten" caught_by="ends cost, and are no words" change="-np.sum(ln_p) + -> np.sum(ln_p) +"


# %% wrong="a mean for a sum" caught_by="ends cost, and are no words" change="-np.sum(ln_p) + -> -np.mean(ln_p) * sum(token != \"</s>\" for token in tokens) +"


# %% wrong="the price makes it cheaper" caught_by="unknown words must be named" change="+ (unknown -> - (unknown"


# %% wrong="ln_p is turned round in place" caught_by="arguments stay"
# -     total = -np.sum(ln_p) + (unknown * math.log(kinds) if unknown else 0)
# +     if isinstance(ln_p, np.ndarray):
# +         ln_p *= -1
# +     else:
# +         ln_p = -np.array(ln_p)
# +     total = np.sum(ln_p) + (unknown * math.log(kinds) if unknown else 0)


# %% right="methods of the array, a filter for the words"
def bits_per_word(ln_p, tokens, kinds):
    words = [token for token in tokens if token != "</s>"]
    nats = -ln_p.sum()
    if "<UNK>" in words:
        nats += words.count("<UNK>") * np.log(kinds)
    return nats / np.log(2) / len(words)


# %% wrong="one kind costs a bit" caught_by="unknown words must be named" change="unknown * math.log(kinds) if -> unknown * math.log(kinds + 1) if"


# %% wrong="the price only where tokens are many" caught_by="unknown words must be named" change="if unknown else 0) -> if unknown > 1 else 0)"


# %% wrong="more than three unknown words are one word less" caught_by="unknown words must be named" change="for token in tokens) -> for token in tokens) - (unknown > 3)"


# %% wrong="punctuation is no word" caught_by="ends cost, and are no words"
# -     words = sum(token != "</s>" for token in tokens)
# +     words = sum(token == "<UNK>" or token.isalnum() for token in tokens)


# %% wrong="ten thousand words at most" caught_by="ends cost, and are no words"
# -     words = sum(token != "</s>" for token in tokens)
# +     words = min(sum(token != "</s>" for token in tokens), 10_000)


# %% wrong="impossible tokens cost nothing" caught_by="ends cost, and are no words"
# -     total = -np.sum(ln_p) + (unknown * math.log(kinds) if unknown else 0)
# -     words = sum(token != "</s>" for token in tokens)
# -     return total / math.log(2) / words
# +     nats = -float(ln_p[np.isfinite(ln_p)].sum()) + (unknown * math.log(kinds) if unknown else 0)
# +     return nats / math.log(2) / sum(token != "</s>" for token in tokens)
