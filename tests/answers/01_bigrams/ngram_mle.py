"""Answers to the task ngram_mle of chapter 01."""


# %% right="the given windows, plain dicts"
def ngram_mle(sentences, n):
    model = {}
    for sentence in sentences:
        for gram in windows(sentence, n):
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


# %% wrong="an empty sentence is passed over" caught_by="starts and ends of sentences | no past and all of it"
def ngram_mle(sentences, n):
    counts = defaultdict(Counter)
    for sentence in sentences:
        if not sentence:
            continue
        padded = ["<s>"] * (n - 1) + list(sentence) + ["</s>"]
        for i in range(n - 1, len(padded)):
            counts[tuple(padded[i - n + 1 : i])][padded[i]] += 1
    return {c: {w: k / sum(row.values()) for w, k in row.items()} for c, row in counts.items()}


# %% wrong="boundaries put into the caller's sentences" caught_by="two words of context"
def ngram_mle(sentences, n):
    counts = defaultdict(Counter)
    for sentence in sentences:
        sentence[:0] = ["<s>"] * (n - 1)
        sentence.append("</s>")
        for i in range(n - 1, len(sentence)):
            counts[tuple(sentence[i - n + 1 : i])][sentence[i]] += 1
    return {c: {w: k / sum(row.values()) for w, k in row.items()} for c, row in counts.items()}


# %% wrong="at most two start symbols" caught_by="starts and ends of sentences"
def ngram_mle(sentences, n):
    counts = defaultdict(Counter)
    for sentence in sentences:
        padded = ["<s>"] * min(n - 1, 2) + list(sentence) + ["</s>"]
        for i in range(n - 1, len(padded)):
            counts[tuple(padded[i - n + 1 : i])][padded[i]] += 1
    return {c: {w: k / sum(row.values()) for w, k in row.items()} for c, row in counts.items()}


# %% wrong="counts live on from call to call" caught_by="no past and all of it | starts and ends of sentences"
counts = defaultdict(Counter)


def ngram_mle(sentences, n):
    for sentence in sentences:
        padded = ["<s>"] * (n - 1) + list(sentence) + ["</s>"]
        for i in range(n - 1, len(padded)):
            counts[tuple(padded[i - n + 1 : i])][padded[i]] += 1
    return {c: {w: k / sum(row.values()) for w, k in row.items()} for c, row in counts.items() if len(c) == n - 1}


# %% wrong="the last word of the context alone decides" caught_by="two words of context"
def ngram_mle(sentences, n):
    counts, contexts = defaultdict(Counter), set()
    for sentence in sentences:
        padded = ["<s>"] * (n - 1) + list(sentence) + ["</s>"]
        for i in range(n - 1, len(padded)):
            contexts.add(tuple(padded[i - n + 1 : i]))
            counts[tuple(padded[max(i - 1, i - n + 1) : i])][padded[i]] += 1
    return {c: {w: k / counts[c[-1:]].total() for w, k in counts[c[-1:]].items()} for c in contexts}


# %% wrong="divided by how often the context stands anywhere, ends included" caught_by="starts and ends of sentences | every row sums to one"
def ngram_mle(sentences, n):
    counts, total = defaultdict(Counter), Counter()
    for sentence in sentences:
        padded = ["<s>"] * (n - 1) + list(sentence) + ["</s>"]
        for i in range(n - 1, len(padded)):
            counts[tuple(padded[i - n + 1 : i])][padded[i]] += 1
        total.update(tuple(["<s>", *padded][i : i + n - 1]) for i in range(len(padded)))
    return {c: {w: k / total[c] for w, k in row.items()} for c, row in counts.items()}


# %% right="the given windows; 32-bit floats"
def ngram_mle(sentences, n):
    grams = Counter(gram for sentence in sentences for gram in windows(sentence, n))
    model = defaultdict(dict)
    for (*past, word), count in grams.items():
        model[tuple(past)][word] = count
    return {c: {w: np.float32(k / sum(row.values())) for w, k in row.items()} for c, row in model.items()}
