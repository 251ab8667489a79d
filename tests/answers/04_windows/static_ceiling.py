"""Answers to the task static_ceiling of chapter 04."""


# %% right="a Counter for each word"
def static_ceiling(words, tags):
    from collections import defaultdict

    seen = defaultdict(Counter)
    for word, tag in zip(words, tags):
        seen[word][tag] += 1
    return sum(counter.most_common(1)[0][1] for counter in seen.values()) / len(tags)


guess_ceiling = 0.9
measured_ceiling = static_ceiling(ambiguous_words, ambiguous_tags)


# %% right="a pandas table"
def static_ceiling(words, tags):
    return pd.crosstab(pd.Series(words), pd.Series(tags)).max(axis=1).sum() / len(words)


guess_ceiling = 0
measured_ceiling = static_ceiling(ambiguous_words, ambiguous_tags)


# %% wrong="one tag for all words" caught_by="each word has its own tag"
def static_ceiling(words, tags):
    return Counter(tags).most_common(1)[0][1] / len(words)


guess_ceiling = 0.6
measured_ceiling = 0.727


# %% wrong="mean over words, not tokens" caught_by="shares of tokens, not words"
def static_ceiling(words, tags):
    shares = []
    for word in set(words):
        own = [tag for w, tag in zip(words, tags) if w == word]
        shares.append(max(own.count(tag) for tag in own) / len(own))
    return sum(shares) / len(shares)


guess_ceiling = 0.6
measured_ceiling = 0.727


# %% wrong="counts only words that are never ambiguous" caught_by="increase stays at a half"
def static_ceiling(words, tags):
    kinds = Counter(word for word, _ in set(zip(words, tags)))
    return sum(kinds[word] == 1 for word in words) / len(words)


guess_ceiling = 0.6
measured_ceiling = 0.727


# %% wrong="a number of tokens" caught_by="increase stays at a half"
def static_ceiling(words, tags):
    counts = Counter(zip(words, tags))
    return sum(max(n for (w, _), n in counts.items() if w == word) for word in set(words))


guess_ceiling = 0.6
measured_ceiling = 0.727


# %% wrong="measured on all tokens" caught_by="predicted, then measured"
def static_ceiling(words, tags):
    return pd.crosstab(pd.Series(words), pd.Series(tags)).max(axis=1).sum() / len(words)


guess_ceiling = 0.6
measured_ceiling = static_ceiling(all_words, all_tags)


# %% wrong="a guess in percent" caught_by="predicted, then measured"
def static_ceiling(words, tags):
    return pd.crosstab(pd.Series(words), pd.Series(tags)).max(axis=1).sum() / len(words)


guess_ceiling = 60
measured_ceiling = static_ceiling(ambiguous_words, ambiguous_tags)


# %% right="NumPy, in float32"
def static_ceiling(words, tags):
    words, tags = np.array(words), np.array(tags)
    best = [np.unique(tags[words == word], return_counts=True)[1].max() for word in np.unique(words)]
    return np.float32(sum(best)) / np.float32(len(words))


guess_ceiling = np.float32(0.6)
measured_ceiling = static_ceiling(ambiguous_words, ambiguous_tags)


# %% wrong="May is may" caught_by="each word has its own tag" change="zip(words, tags, strict=True -> (word.lower(), tag) for word, tag in zip(words, tags"


# %% wrong="the first tag seen instead of the best" caught_by="shares of tokens, not words"
def static_ceiling(words, tags):
    first = {}
    for word, tag in zip(words, tags):
        first.setdefault(word, tag)
    return sum(first[word] == tag for word, tag in zip(words, tags)) / len(words)


guess_ceiling = 0.6
measured_ceiling = 0.7266


# %% wrong="the last tag seen instead of the best" caught_by="shares of tokens, not words"
def static_ceiling(words, tags):
    last = dict(zip(words, tags))
    return sum(last[word] == tag for word, tag in zip(words, tags)) / len(words)


guess_ceiling = 0.6
measured_ceiling = 0.7266


# %% wrong="sorts the caller's lists" caught_by="increase stays at a half"
def static_ceiling(words, tags):
    pairs = sorted(zip(words, tags))
    words[:], tags[:] = [word for word, _ in pairs], [tag for _, tag in pairs]
    best = Counter()
    for (word, _), count in Counter(pairs).items():
        best[word] = max(best[word], count)
    return sum(best.values()) / len(words)


guess_ceiling = 0.6
measured_ceiling = static_ceiling(list(ambiguous_words), list(ambiguous_tags))


# %% wrong="ties count for nothing" caught_by="increase stays at a half"
def static_ceiling(words, tags):
    right = 0
    for word in set(words):
        own = Counter(tag for w, tag in zip(words, tags) if w == word).most_common()
        right += own[0][1] if len(own) == 1 or own[0][1] > own[1][1] else 0
    return right / len(words)


guess_ceiling = 0.6
measured_ceiling = 0.7266


# %% wrong="remembers the tokens of earlier calls" caught_by="shares of tokens, not words"
seen_so_far = Counter()


def static_ceiling(words, tags):
    seen_so_far.update(zip(words, tags))
    best = Counter()
    for (word, _), count in seen_so_far.items():
        best[word] = max(best[word], count)
    return sum(best.values()) / sum(seen_so_far.values())


guess_ceiling = 0.6
measured_ceiling = 0.7266


# %% wrong="the hundred commonest words only" caught_by="each word has its own tag"
def static_ceiling(words, tags):
    counts, best = Counter(zip(words, tags)), Counter()
    for (word, _), count in counts.items():
        best[word] = max(best[word], count)
    return sum(best[word] for word, _ in Counter(words).most_common(100)) / len(words)


guess_ceiling = 0.6
measured_ceiling = static_ceiling(ambiguous_words, ambiguous_tags)


# %% right="runs of a sorted list"
def static_ceiling(words, tags):
    from itertools import groupby

    right = 0
    for _, pairs in groupby(sorted(zip(words, tags)), key=lambda pair: pair[0]):
        right += max(len([*same]) for _, same in groupby(pairs))
    return right / len(words)


guess_ceiling = 0.6
measured_ceiling = static_ceiling(ambiguous_words, ambiguous_tags)


# %% wrong="words that occur once count as wrong" caught_by="each word has its own tag" change="sum(best.values()) -> sum(count for count in best.values() if count > 1)"


# %% wrong="a share in whole percent" caught_by="shares of tokens, not words" change="sum(best.values()) / len(words) -> round(sum(best.values()) / len(words), 2)"


# %% wrong="runs of neighbours, not sorted" caught_by="shares of tokens, not words"
def static_ceiling(words, tags):
    from itertools import groupby

    best = Counter()
    for (word, _), run in groupby(zip(words, tags)):
        best[word] = max(best[word], len([*run]))
    return sum(best.values()) / len(words)


guess_ceiling = 0.6
measured_ceiling = 0.7266


# %% wrong="words and tags joined with a slash and cut at the first one" caught_by="each word has its own tag"
def static_ceiling(words, tags):
    counts = Counter(f"{word}/{tag}" for word, tag in zip(words, tags, strict=True))
    best = {}
    for key, count in counts.items():
        word = key.split("/")[0]
        best[word] = max(best.get(word, 0), count)
    return sum(best.values()) / len(words)


guess_ceiling = 0.7
measured_ceiling = static_ceiling(ambiguous_words, ambiguous_tags)
