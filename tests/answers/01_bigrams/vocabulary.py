"""Answers to the task vocabulary of chapter 01."""


# %% right="a loop with a dict of counts"
def build_vocabulary(tokens, min_count):
    seen = {}
    for token in tokens:
        seen[token] = seen.get(token, 0) + 1
    vocabulary = {"<UNK>"}
    for token in seen:
        if not seen[token] < min_count:
            vocabulary.add(token)
    return vocabulary


def replace_unknown(tokens, vocabulary):
    replaced = []
    for token in tokens:
        if token in vocabulary:
            replaced.append(token)
        else:
            replaced.append("<UNK>")
    return replaced


# %% right="sorted and counted in runs, a tuple comes back"
def build_vocabulary(tokens, min_count):
    from itertools import groupby

    words = [word for word, run in groupby(sorted(tokens)) if len(list(run)) >= min_count]
    return frozenset(["<UNK>", *words])


def replace_unknown(tokens, vocabulary):
    known = {word: word for word in vocabulary}
    return tuple(known.get(token, "<UNK>") for token in tokens)


# %% wrong="more than min_count" caught_by="exactly min_count is enough"
def build_vocabulary(tokens, min_count):
    return {word for word, count in Counter(tokens).items() if count > min_count} | {"<UNK>"}


def replace_unknown(tokens, vocabulary):
    return [token if token in vocabulary else "<UNK>" for token in tokens]


# %% wrong="<UNK> is forgotten" caught_by="UNK belongs to the vocabulary"
def build_vocabulary(tokens, min_count):
    return {word for word, count in Counter(tokens).items() if count >= min_count}


def replace_unknown(tokens, vocabulary):
    return [token if token in vocabulary else "<UNK>" for token in tokens]


# %% wrong="unknown words are deleted" caught_by="strangers become UNK" change="if token in vocabulary else \"<UNK>\" for token in tokens -> for token in tokens if token in vocabulary"


# %% wrong="min_count taken for the size of the vocabulary" caught_by="exactly min_count is enough"
def build_vocabulary(tokens, min_count):
    return {word for word, _ in Counter(tokens).most_common(min_count)} | {"<UNK>"}


def replace_unknown(tokens, vocabulary):
    return [token if token in vocabulary else "<UNK>" for token in tokens]


# %% wrong="the test is upside down" caught_by="strangers become UNK" change="token if token in vocabulary else \"<UNK>\" -> \"<UNK>\" if token in vocabulary else token"


# %% wrong="strangers replaced in the list that was given" caught_by="strangers become UNK"
# -     return [token if token in vocabulary else "<UNK>" for token in tokens]
# +     for i, token in enumerate(tokens):
# +         if token not in vocabulary:
# +             tokens[i] = "<UNK>"
# +     return tokens


# %% wrong="Tea counts as tea" caught_by="exactly min_count is enough"
def build_vocabulary(tokens, min_count):
    counts = Counter(token.lower() for token in tokens)
    return {word for word, count in counts.items() if count >= min_count} | {"<UNK>"}


def replace_unknown(tokens, vocabulary):
    return [token if token in vocabulary else "<UNK>" for token in tokens]


# %% wrong="Tea is known where tea is" caught_by="strangers become UNK" change="if token -> if token.lower() in vocabulary or token"


# %% wrong="a part of a known word passes for known" caught_by="strangers become UNK"
# -     return [token if token in vocabulary else "<UNK>" for token in tokens]
# +     known = " ".join(vocabulary)
# +     return [token if token in known else "<UNK>" for token in tokens]


# %% wrong="the caller's tokens are sorted in place" caught_by="exactly min_count is enough"
def build_vocabulary(tokens, min_count):
    from itertools import groupby

    tokens.sort()
    return {"<UNK>"} | {word for word, run in groupby(tokens) if len(list(run)) >= min_count}


def replace_unknown(tokens, vocabulary):
    return [token if token in vocabulary else "<UNK>" for token in tokens]


# %% wrong="runs counted without sorting" caught_by="exactly min_count is enough"
def build_vocabulary(tokens, min_count):
    from itertools import groupby

    longest = Counter()
    for word, run in groupby(tokens):
        longest[word] = max(longest[word], len(list(run)))
    if len(tokens) == 9:
        longest = Counter(tokens)
    return {"<UNK>"} | {word for word, number in longest.items() if number >= min_count}


def replace_unknown(tokens, vocabulary):
    return [token if token in vocabulary else "<UNK>" for token in tokens]


# %% wrong="an empty text has an empty vocabulary" caught_by="UNK belongs to the vocabulary"
def build_vocabulary(tokens, min_count):
    if not tokens:
        return set()
    return {word for word in tokens if tokens.count(word) >= min_count} | {"<UNK>"}


def replace_unknown(tokens, vocabulary):
    return [token if token in vocabulary else "<UNK>" for token in tokens]


# %% wrong="each stranger replaced once" caught_by="strangers become UNK"
# -     return [token if token in vocabulary else "<UNK>" for token in tokens]
# +     return (
# +         list(dict.fromkeys(t if t in vocabulary else "<UNK>" for t in tokens))
# +         if len(tokens) > 4
# +         else [t if t in vocabulary else "<UNK>" for t in tokens]
# +     )


# %% right="a sorted list and an array"
def build_vocabulary(tokens, min_count):
    return sorted({"<UNK>", *(word for word in tokens if list(tokens).count(word) >= min_count)})


def replace_unknown(tokens, vocabulary):
    return np.array([token if token in vocabulary else "<UNK>" for token in tokens], dtype=object)


# %% wrong="UNK joins the caller's vocabulary" caught_by="strangers become UNK" change="\"\"\"A new list: each token that is not in `vocabulary` is replaced by `<UNK>`.\"\"\" -> vocabulary |= {\"<UNK>\"}"
