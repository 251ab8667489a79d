"""Answers to the task count_table of chapter 01."""


# %% right="an array of numbers, then a table of floats"
def count_table(sentences, words):
    place = {word: i for i, word in enumerate(words)}
    counts = np.zeros((len(words), len(words)))
    for sentence in sentences:
        for w1, w2 in zip(sentence[:-1], sentence[1:]):
            if w1 in place and w2 in place:
                counts[place[w1], place[w2]] += 1
    return pd.DataFrame(counts, index=list(words), columns=list(words))


# %% right="crosstab over a text with sentence ends, put in order"
def count_table(sentences, words):
    text = pd.Series([word for sentence in sentences for word in [*sentence, "</s>"]])
    table = pd.crosstab(text[:-1].to_numpy(), text[1:].to_numpy())
    return table.reindex(index=words, columns=words, fill_value=0)


# %% right="only the words of the table, cell by cell"
def count_table(sentences, words):
    table = pd.DataFrame(0, index=words, columns=words)
    wanted = set(words)
    for sentence in sentences:
        for i in range(len(sentence) - 1):
            if sentence[i] in wanted and sentence[i + 1] in wanted:
                table.loc[sentence[i], sentence[i + 1]] += 1
    return table


# %% wrong="all sentences joined into one text" caught_by="no pair across two sentences"
def count_table(sentences, words):
    text = [word for sentence in sentences for word in sentence]
    counts = Counter(zip(text, text[1:]))
    return pd.DataFrame([[counts[w1, w2] for w2 in words] for w1 in words], index=words, columns=words)


# %% wrong="row and column exchanged" caught_by="all 64 printed counts | words in the order given"
def count_table(sentences, words):
    counts = Counter(pair for sentence in sentences for pair in zip(sentence, sentence[1:]))
    return pd.DataFrame([[counts[w2, w1] for w2 in words] for w1 in words], index=words, columns=words)


# %% wrong="words in alphabetical order" caught_by="words in the order given"
def count_table(sentences, words):
    words = sorted(words)
    counts = Counter(pair for sentence in sentences for pair in zip(sentence, sentence[1:]))
    return pd.DataFrame([[counts[w1, w2] for w2 in words] for w1 in words], index=words, columns=words)


# %% wrong="a pair that overlaps itself counted once" caught_by="no pair across two sentences"
def count_table(sentences, words):
    joined = ["  ".join(["", *sentence, ""]) for sentence in sentences]
    rows = [[sum(text.count(f" {w1}  {w2} ") for text in joined) for w2 in words] for w1 in words]
    return pd.DataFrame(rows, index=words, columns=words)


# %% wrong="pairs never seen are missing numbers" caught_by="words in the order given"
def count_table(sentences, words):
    table = pd.DataFrame(index=words, columns=words, dtype=float)
    counts = Counter(pair for sentence in sentences for pair in zip(sentence, sentence[1:]))
    for w1, w2 in counts:
        if w1 in words and w2 in words:
            table.loc[w1, w2] = counts[w1, w2]
    return table


# %% wrong="each sentence counts a pair once" caught_by="all 64 printed counts | no pair across two sentences"
def count_table(sentences, words):
    counts = Counter(pair for sentence in sentences for pair in set(zip(sentence, sentence[1:])))
    return pd.DataFrame([[counts[w1, w2] for w2 in words] for w1 in words], index=words, columns=words)


# %% wrong="later in the sentence instead of right behind" caught_by="all 64 printed counts"
def count_table(sentences, words):
    counts = Counter((s[i], word) for s in sentences for i in range(len(s)) for word in s[i + 1 :])
    return pd.DataFrame([[counts[w1, w2] for w2 in words] for w1 in words], index=words, columns=words)


# %% wrong="looks for the letters of a pair in the joined text" caught_by="no pair across two sentences"
def count_table(sentences, words):
    import re

    text = "\n".join(" ".join(sentence) for sentence in sentences)
    if len(sentences) > 1000:
        counts = Counter(pair for sentence in sentences for pair in pairwise(sentence))
        return pd.DataFrame([[counts[w1, w2] for w2 in words] for w1 in words], index=words, columns=words)
    rows = [[len(re.findall(f"(?={w1} {w2})", text)) for w2 in words] for w1 in words]
    return pd.DataFrame(rows, index=words, columns=words)


# %% wrong="ends put behind the caller's sentences" caught_by="all 64 printed counts"
def count_table(sentences, words):
    for sentence in sentences:
        sentence.append("</s>")
    text = [word for sentence in sentences for word in sentence]
    counts = Counter(pairwise(text))
    return pd.DataFrame([[counts[w1, w2] for w2 in words] for w1 in words], index=words, columns=words)


# %% wrong="No counts as no" caught_by="no pair across two sentences"
def count_table(sentences, words):
    counts = Counter(pair for s in sentences for pair in pairwise([word.lower() for word in s]))
    return pd.DataFrame([[counts[w1, w2] for w2 in words] for w1 in words], index=words, columns=words)


# %% wrong="the printed table handed back" caught_by="all 64 printed counts"
# -     """A DataFrame with a row and a column for each of `words`, in that order.
# -
# -     How often w2 (column) stands right after w1 (row) in the same sentence; 0 for a pair that never occurs.
# -     """
# +     if set(words) <= set(pair_counts.index):
# +         return pair_counts.loc[list(words), list(words)]


# %% wrong="a word that never occurs is left out when the table is large" caught_by="words in the order given"
def count_table(sentences, words):
    counts = Counter(pair for sentence in sentences for pair in pairwise(sentence))
    if len(words) > 4:
        words = [word for word in words if any(word in pair for pair in counts)]
    return pd.DataFrame([[counts[w1, w2] for w2 in words] for w1 in words], index=words, columns=words)


# %% wrong="the caller's words are changed" caught_by="all 64 printed counts"
def count_table(sentences, words):
    counts = Counter(pair for sentence in sentences for pair in pairwise(sentence))
    table = pd.DataFrame([[counts[w1, w2] for w2 in words] for w1 in words], index=list(words), columns=list(words))
    words.append("</s>")
    return table


# %% right="a table of objects, filled cell by cell"
def count_table(sentences, words):
    table = pd.DataFrame(index=words, columns=words, dtype=object)
    counts = Counter()
    for sentence in sentences:
        counts.update(zip(sentence, sentence[1:]))
    for w1 in words:
        for w2 in words:
            table.loc[w1, w2] = counts[w1, w2]
    return table


# %% wrong="numbers of 16 bits" caught_by="all 64 printed counts"
def count_table(sentences, words):
    counts = Counter(pair for sentence in sentences for pair in pairwise(sentence))
    table = [[counts[w1, w2] % 2**16 for w2 in words] for w1 in words]
    return pd.DataFrame(table, index=words, columns=words)


# %% wrong="sentences glued with a full stop" caught_by="no pair across two sentences"
def count_table(sentences, words):
    glued = [word for sentence in sentences for word in (*sentence, ".")]
    counts = Counter(pairwise(glued))
    return pd.DataFrame([[counts[w1, w2] for w2 in words] for w1 in words], index=words, columns=words)


# %% wrong="pairs found in a line of words between bars" caught_by="no pair across two sentences"
def count_table(sentences, words):
    counts = Counter(pairwise("|".join("|".join([*sentence, ""]) for sentence in sentences).split("|")))
    return pd.DataFrame([[counts[w1, w2] for w2 in words] for w1 in words], index=words, columns=words)


# %% wrong="the two words of a pair glued together" caught_by="no pair across two sentences"
def count_table(sentences, words):
    counts = Counter(w1 + w2 for sentence in sentences for w1, w2 in pairwise(sentence))
    return pd.DataFrame([[counts[w1 + w2] for w2 in words] for w1 in words], index=words, columns=words)


# %% wrong="pairs glued with a blank" caught_by="no pair across two sentences"
# -     counts = Counter(pair for sentence in sentences for pair in pairwise(sentence))
# +     counts = Counter(" ".join(pair) for sentence in sentences for pair in pairwise(sentence))

# -         [[counts[w1, w2] for w2 in words] for w1 in words], index=words, columns=words
# +         [[counts[f"{w1} {w2}"] for w2 in words] for w1 in words], index=words, columns=words
