"""Answers to the task merges of chapter 08."""


# %% right="a stack that joins with what lies on top, counts kept by piece"
def join(tokens, pair, new):
    result, may_join = [], False
    for token in tokens:
        if may_join and (result[-1], token) == tuple(pair):
            result[-1], may_join = new, False
        else:
            result.append(token)
            may_join = True
    return result


def learn_merges(counts, n):
    words, merges = {piece: list(piece.encode()) for piece in counts}, []
    for r in range(n):
        pairs = {}
        for piece, tokens in words.items():
            for i in range(len(tokens) - 1):
                pair = tokens[i], tokens[i + 1]
                pairs[pair] = pairs.get(pair, 0) + counts[piece]
        frequent = sorted((-count, pair) for pair, count in pairs.items() if count >= 2)
        if not frequent:
            return merges
        merges.append(frequent[0][1])
        words = {piece: join(tokens, merges[-1], 256 + r) for piece, tokens in words.items()}
    return merges


# %% right="pairs as lists"
#           new = 256 + len(merges)
# -         merges.append(best)
# +         merges.append(list(best))

# %% right="the best pair by sorting" change="min(pairs, key=lambda pair: (-pairs[pair], pair), default=None) -> next(iter(sorted(pairs, key=lambda pair: (-pairs[pair], pair))), None)"


# %% wrong="joined from the right" caught_by="neighbours become one token"
def join(tokens, pair, new):
    result, i = [], len(tokens) - 1
    while i >= 0:
        if i > 0 and (tokens[i - 1], tokens[i]) == tuple(pair):
            result.append(new)
            i -= 2
        else:
            result.append(tokens[i])
            i -= 1
    return result[::-1]


def learn_merges(counts, n):
    """A list of at most n pairs of token numbers, in the order in which they are merged.

    counts: {piece (a string): how often it occurs}. Among equally frequent pairs the smallest one comes first
    (its first number, then its second). Stops early when no pair of neighbours occurs at least twice.
    """
    words = [(list(piece.encode()), often) for piece, often in counts.items()]
    merges = []
    while len(merges) < n:
        pairs = Counter()
        for tokens, often in words:
            for pair in pairwise(tokens):
                pairs[pair] += often
        best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
        if best is None or pairs[best] < 2:
            break
        new = 256 + len(merges)
        merges.append(best)
        words = [(join(tokens, best, new), often) for tokens, often in words]
    return merges


# %% wrong="an occurrence is used twice" caught_by="neighbours become one token" change="i += 2 -> i += 1"

# %% wrong="pieces are counted once" caught_by="the most frequent pair each time" change="pairs[pair] += often -> pairs[pair] += 1"

# %% wrong="among equals the largest pair" caught_by="ties, and an early end"
# -         best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
# +         best = max(pairs, key=lambda pair: (pairs[pair], pair), default=None)

# %% wrong="among equals the one met first" caught_by="ties, and an early end"
# -         best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
# +         best = max(pairs, key=lambda pair: pairs[pair], default=None)

# %% wrong="goes on with pairs that occur once" caught_by="ties, and an early end" change="pairs[best] < 2 -> pairs[best] < 1"

# %% wrong="letters instead of bytes" caught_by="the most frequent pair each time" change="list(piece.encode()) -> list(map(ord, piece))"

# %% wrong="numbers of new tokens begin at 255" caught_by="the most frequent pair each time" change="new = 256 + len(merges) -> new = 255 + len(merges)"


# %% wrong="joined in a text of numbers" caught_by="neighbours become one token"
# -     result, i = [], 0
# -     while i < len(tokens):
# -         if tuple(tokens[i : i + 2]) == tuple(pair):
# -             result.append(new)
# -             i += 2
# -         else:
# -             result.append(tokens[i])
# -             i += 1
# -     return result
# +     text = " ".join(map(str, tokens))
# +     return [int(token) for token in text.replace(f"{pair[0]} {pair[1]}", str(new)).split()]


# %% wrong="ties by first * 256 + second, which is no order of numbers above 255" caught_by="ties, and an early end" change="(-pairs[pair], pair), default -> (-pairs[pair], pair[0] * 256 + pair[1]), default"
