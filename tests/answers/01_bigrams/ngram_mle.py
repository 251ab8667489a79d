"""Answers to the task ngram_mle of chapter 01."""


# %% right="ngrams of section 3, plain dicts"
def ngram_mle(sentences, n):
    model = {}
    for sentence in sentences:
        for gram in ngrams(sentence, n):
            row = model.setdefault(gram[:-1], {})
            row[gram[-1]] = row.get(gram[-1], 0) + 1
    for row in model.values():
        total = sum(row.values())
        for word in row:
            row[word] /= total
    return model


# %% right="two Counters, n-grams and contexts"
def ngram_mle(sentences, n):
    grams, contexts = Counter(), Counter()
    for sentence in sentences:
        past = ("<s>",) * (n - 1)
        for word in [*sentence, "</s>"]:
            grams[past, word] += 1
            contexts[past] += 1
            past = (past + (word,))[1:] if n > 1 else ()
    model = defaultdict(Counter)
    for (past, word), count in grams.items():
        model[past][word] = count / contexts[past]
    return model


# %% right="windows by zip, totals from the list of pairs"
def ngram_mle(sentences, n):
    pairs = []
    for sentence in sentences:
        padded = ["<s>"] * (n - 1) + sentence + ["</s>"]
        windows = list(zip(*[padded[i:] for i in range(n)]))
        pairs += [(window[:-1], window[-1]) for window in windows]
    table = Counter(pairs)
    total = Counter(context for context, _ in pairs)
    return {c: {w: table[c, w] / total[c] for (d, w) in table if d == c} for c in total}


# %% wrong="always bigrams" caught_by="two words of context | starts and ends of sentences"
def ngram_mle(sentences, n):
    counts = defaultdict(Counter)
    for sentence in sentences:
        for w1, w2 in pairwise(["<s>", *sentence, "</s>"]):
            counts[(w1,)][w2] += 1
    return {c: {w: k / sum(row.values()) for w, k in row.items()} for c, row in counts.items()}


# %% wrong="n words of context" caught_by="two words of context | no past and all of it"
def ngram_mle(sentences, n):
    counts = defaultdict(Counter)
    for sentence in sentences:
        padded = ["<s>"] * n + list(sentence) + ["</s>"]
        for i in range(n, len(padded)):
            counts[tuple(padded[i - n : i])][padded[i]] += 1
    return {c: {w: k / sum(row.values()) for w, k in row.items()} for c, row in counts.items()}


# %% wrong="one start symbol whatever n is" caught_by="starts and ends of sentences"
def ngram_mle(sentences, n):
    counts = defaultdict(Counter)
    for sentence in sentences:
        padded = ["<s>", *sentence, "</s>"]
        for i in range(n - 1, len(padded)):
            counts[tuple(padded[i - n + 1 : i])][padded[i]] += 1
    return {c: {w: k / sum(row.values()) for w, k in row.items()} for c, row in counts.items()}


# %% wrong="no end of sentence" caught_by="starts and ends of sentences | no past and all of it"
def ngram_mle(sentences, n):
    counts = defaultdict(Counter)
    for sentence in sentences:
        padded = ["<s>"] * (n - 1) + list(sentence)
        for i in range(n - 1, len(padded)):
            counts[tuple(padded[i - n + 1 : i])][padded[i]] += 1
    return {c: {w: k / sum(row.values()) for w, k in row.items()} for c, row in counts.items()}


# %% wrong="divided by the number of all n-grams" caught_by="every row sums to one | two words of context"
def ngram_mle(sentences, n):
    counts, total = defaultdict(Counter), 0
    for sentence in sentences:
        padded = ["<s>"] * (n - 1) + list(sentence) + ["</s>"]
        for i in range(n - 1, len(padded)):
            counts[tuple(padded[i - n + 1 : i])][padded[i]] += 1
            total += 1
    return {c: {w: k / total for w, k in row.items()} for c, row in counts.items()}


# %% wrong="every word that was seen gets the same share" caught_by="two words of context"
def ngram_mle(sentences, n):
    counts = defaultdict(set)
    for sentence in sentences:
        padded = ["<s>"] * (n - 1) + list(sentence) + ["</s>"]
        for i in range(n - 1, len(padded)):
            counts[tuple(padded[i - n + 1 : i])].add(padded[i])
    return {c: {w: 1 / len(row) for w in row} for c, row in counts.items()}


# %% wrong="a slice that is empty for unigrams only" caught_by="no past and all of it"
def ngram_mle(sentences, n):
    counts = defaultdict(Counter)
    for sentence in sentences:
        words = ["<s>"] * n + list(sentence) + ["</s>"]
        for i in range(n, len(words)):
            counts[tuple(words[i - max(n - 1, 1) : i])][words[i]] += 1
    return {c: {w: k / sum(row.values()) for w, k in row.items()} for c, row in counts.items()}


# %% wrong="text of all sentences in one, contexts run over" caught_by="starts and ends of sentences"
def ngram_mle(sentences, n):
    text = ["<s>"] * (n - 1) + [word for sentence in sentences for word in [*sentence, "</s>"]]
    counts = defaultdict(Counter)
    for i in range(n - 1, len(text)):
        counts[tuple(text[i - n + 1 : i])][text[i]] += 1
    return {c: {w: k / sum(row.values()) for w, k in row.items()} for c, row in counts.items()}
