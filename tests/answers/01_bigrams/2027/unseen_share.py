"""Answers to the task unseen_share of chapter 01 in its variant 2027."""


# %% right="Counter, one look at each kind"
def unseen_share(train_sentences, test_sentences, n):
    def count(sentences):
        grams = Counter()
        for sentence in sentences:
            padded = (n - 1) * ["<s>"] + list(sentence) + ["</s>"]
            grams.update(zip(*[padded[i:] for i in range(n)]))
        return grams

    seen, asked = count(train_sentences), count(test_sentences)
    return sum(gram not in seen for gram in asked) / len(asked)


# %% right="joined strings and NumPy"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentences):
        return np.unique(["\t".join(gram) for sentence in sentences for gram in windows(sentence, n)])

    return 1 - np.isin(grams(test_sentences), grams(train_sentences)).mean()


# %% wrong="last year's answer: tokens" caught_by="types, not tokens"
def unseen_share(train_sentences, test_sentences, n):
    seen = {gram for sentence in train_sentences for gram in windows(sentence, n)}
    asked = [gram for sentence in test_sentences for gram in windows(sentence, n)]
    return sum(gram not in seen for gram in asked) / len(asked)


# %% wrong="unseen kinds by all tokens" caught_by="types, not tokens"
# -     return len(asked - seen) / len(asked)
# +     return len(asked - seen) / sum(len(list(windows(sentence, n))) for sentence in test_sentences)


# %% wrong="by the kinds of the training text" caught_by="right share for every n" change="/ len(asked) -> / len(seen)"


# %% wrong="the seen share" caught_by="types, not tokens" change="asked - seen -> asked & seen"


# %% wrong="what the training text has and the test text lacks" caught_by="types, not tokens" change="len(asked - seen) -> len(seen - asked)"


# %% wrong="no padding" caught_by="padding at both ends"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentences):
        return {tuple(s[i : i + n]) for s in sentences for i in range(len(s) - n + 1)}

    asked = grams(test_sentences)
    return len(asked - grams(train_sentences)) / max(len(asked), 1)


# %% wrong="bigrams whatever n is" caught_by="right share for every n"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentences):
        return {pair for s in sentences for pair in zip(["<s>", *s], [*s, "</s>"])}

    asked = grams(test_sentences)
    return len(asked - grams(train_sentences)) / len(asked)


# %% wrong="averaged by sentence" caught_by="right share for every n"
def unseen_share(train_sentences, test_sentences, n):
    seen = {gram for sentence in train_sentences for gram in windows(sentence, n)}
    asked = [set(windows(sentence, n)) for sentence in test_sentences]
    return np.mean([len(grams - seen) / len(grams) for grams in asked])


# %% wrong="words glued together" caught_by="types, not tokens"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentences):
        return {"".join(gram) for sentence in sentences for gram in windows(sentence, n)}

    asked = grams(test_sentences)
    return len(asked - grams(train_sentences)) / len(asked)
