"""Answers to the task ngrams of chapter 01."""


# %% right="shifted copies zipped together"
def ngrams(tokens, n):
    padded = (n - 1) * ["<s>"] + [*tokens, "</s>"]
    return list(zip(*(padded[shift:] for shift in range(n))))


# %% right="a window that forgets its oldest word"
def ngrams(tokens, n):
    from collections import deque

    window = deque(["<s>"] * n, maxlen=n)
    grams = []
    for token in [*tokens, "</s>"]:
        window.append(token)
        grams.append(tuple(window))
    return grams


# %% wrong="one start symbol whatever n is" caught_by="n minus one start symbols" change="] * (n - 1) + list(tokens) + [\" -> , *tokens, \""


# %% wrong="n start symbols" caught_by="bigrams of three words" change="(n - 1) -> n"


# %% wrong="no end symbol" caught_by="one for each word, one for the end" change="tokens) + [\"</s>\"] -> tokens)"


# %% wrong="the last window is missed" caught_by="bigrams of three words | one for each word, one for the end" change="n + 1 -> n"


# %% wrong="n words of past" caught_by="n minus one start symbols"
def ngrams(tokens, n):
    padded = ["<s>"] * n + list(tokens) + ["</s>"]
    return [tuple(padded[i : i + n + 1]) for i in range(len(padded) - n)]


# %% wrong="n end symbols too" caught_by="one for each word, one for the end" change="/s>\"] -> /s>\"] * (n - 1)"


# %% wrong="at most three start symbols" caught_by="n minus one start symbols | one for each word, one for the end" change="] * (n - 1) -> , \"<s>\", \"<s>\"][: n - 1]"


# %% wrong="boundaries put into the caller's list" caught_by="bigrams of three words"
def ngrams(tokens, n):
    for _ in range(n - 1):
        tokens.insert(0, "<s>")
    tokens.append("</s>")
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


# %% wrong="an empty sentence has no n-gram" caught_by="n minus one start symbols | one for each word, one for the end"
# -     """The n-grams (tuples) of one sentence, padded with n-1 `<s>` in front and one `</s>` at the end."""
# +     if not tokens:
# +         return []


# %% wrong="a sentence shorter than n keeps the first window only" caught_by="one for each word, one for the end"
def ngrams(tokens, n):
    padded = ["<s>"] * (n - 1) + list(tokens) + ["</s>"]
    number = 1 if len(tokens) + 1 < n else len(padded) - n + 1
    return [tuple(padded[i : i + n]) for i in range(number)]


# %% wrong="each n-gram once" caught_by="bigrams of three words" change="[tuple(padded[i : i + n]) for i in range(len(padded) - n + 1)] -> list(dict.fromkeys(tuple(padded[i : i + n]) for i in range(len(padded) - n + 1)))"


# %% wrong="padding kept from the call before" caught_by="bigrams of three words"
def ngrams(tokens, n, padded=[]):
    padded += ["<s>"] * (n - 1) + list(tokens) + ["</s>"]
    return [tuple(padded[i : i + n]) for i in range(len(padded) - n + 1)]


# %% right="a tuple of tuples, word by word"
def ngrams(tokens, n):
    grams, past = (), ("<s>",) * (n - 1)
    for token in (*tokens, "</s>"):
        gram = (*past, token)
        grams, past = (*grams, gram), gram[1:]
    return grams


# %% wrong="one call for each window: a long sentence is too deep" caught_by="bigrams of three words"
def ngrams(tokens, n):
    def slide(padded):
        return [tuple(padded[:n]), *slide(padded[1:])] if len(padded) >= n else []

    return slide(["<s>"] * (n - 1) + list(tokens) + ["</s>"])
