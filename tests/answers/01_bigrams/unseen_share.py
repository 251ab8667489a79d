"""Answers to the task unseen_share of chapter 01."""


# %% right="sliding windows by zip, Counter"
def unseen_share(train_sentences, test_sentences, n):
    def count(sentences):
        grams = Counter()
        for sentence in sentences:
            padded = (n - 1) * ["<s>"] + sentence + ["</s>"]
            grams.update(zip(*[padded[i:] for i in range(n)]))
        return grams

    seen, asked = count(train_sentences), count(test_sentences)
    unseen = sum(number for gram, number in asked.items() if gram not in seen)
    return unseen / sum(asked.values())


# %% right="joined strings and NumPy"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentences):
        out = []
        for sentence in sentences:
            context = ["<s>"] * (n - 1)
            for word in [*sentence, "</s>"]:
                gram = [*context, word]
                out.append("\t".join(gram))
                context = gram[1:]
        return np.array(out)

    return 1 - np.isin(grams(test_sentences), grams(train_sentences)).mean()


# %% wrong="types instead of tokens" caught_by="tokens, not types"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentences):
        found = set()
        for sentence in sentences:
            padded = ["<s>"] * (n - 1) + sentence + ["</s>"]
            found |= {tuple(padded[i : i + n]) for i in range(len(padded) - n + 1)}
        return found

    asked = grams(test_sentences)
    return len(asked - grams(train_sentences)) / len(asked)


# %% wrong="no padding" caught_by="padding at both ends"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentences):
        return [tuple(s[i : i + n]) for s in sentences for i in range(len(s) - n + 1)]

    asked, seen = grams(test_sentences), set(grams(train_sentences))
    return sum(gram not in seen for gram in asked) / max(len(asked), 1)


# %% wrong="always one start symbol" caught_by="padding at both ends"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentences):
        out = []
        for sentence in sentences:
            padded = ["<s>", *sentence, "</s>"]
            out += [tuple(padded[i : i + n]) for i in range(len(padded) - n + 1)]
        return out

    asked, seen = grams(test_sentences), set(grams(train_sentences))
    return sum(gram not in seen for gram in asked) / max(len(asked), 1)


# %% wrong="the seen share" caught_by="tokens, not types"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentences):
        out = []
        for sentence in sentences:
            padded = ["<s>"] * (n - 1) + sentence + ["</s>"]
            out += [tuple(padded[i : i + n]) for i in range(len(padded) - n + 1)]
        return out

    asked, seen = grams(test_sentences), set(grams(train_sentences))
    return sum(gram in seen for gram in asked) / len(asked)


# %% wrong="the last n-gram is lost" caught_by="padding at both ends"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentences):
        out = []
        for sentence in sentences:
            padded = ["<s>"] * (n - 1) + sentence + ["</s>"]
            out += [tuple(padded[i : i + n]) for i in range(len(padded) - n)]
        return out

    asked, seen = grams(test_sentences), set(grams(train_sentences))
    return sum(gram not in seen for gram in asked) / len(asked)


# %% wrong="bigrams whatever n is" caught_by="right share for every n"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentences):
        return [pair for s in sentences for pair in zip(["<s>", *s], [*s, "</s>"])]

    asked, seen = grams(test_sentences), set(grams(train_sentences))
    return sum(gram not in seen for gram in asked) / len(asked)


# %% wrong="averaged by sentence" caught_by="right share for every n"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentence):
        padded = ["<s>"] * (n - 1) + sentence + ["</s>"]
        return [tuple(padded[i : i + n]) for i in range(len(padded) - n + 1)]

    seen = {gram for sentence in train_sentences for gram in grams(sentence)}
    shares = [np.mean([g not in seen for g in grams(s)]) for s in test_sentences]
    return sum(shares) / len(shares)


# %% wrong="words glued together" caught_by="tokens, not types"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentence):
        padded = ["<s>"] * (n - 1) + list(sentence) + ["</s>"]
        return ["".join(padded[i : i + n]) for i in range(len(padded) - n + 1)]

    seen = {gram for sentence in train_sentences for gram in grams(sentence)}
    asked = [gram for sentence in test_sentences for gram in grams(sentence)]
    return sum(gram not in seen for gram in asked) / len(asked)


# %% wrong="No counts as no" caught_by="tokens, not types"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentence):
        padded = ["<s>"] * (n - 1) + list(sentence) + ["</s>"]
        return [tuple(word.lower() for word in padded[i : i + n]) for i in range(len(padded) - n + 1)]

    seen = {gram for sentence in train_sentences for gram in grams(sentence)}
    asked = [gram for sentence in test_sentences for gram in grams(sentence)]
    return sum(gram not in seen for gram in asked) / len(asked)


# %% wrong="empty sentences are left out" caught_by="padding at both ends"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentence):
        padded = ["<s>"] * (n - 1) + list(sentence) + ["</s>"]
        return [tuple(padded[i : i + n]) for i in range(len(padded) - n + 1)]

    seen = {gram for sentence in train_sentences for gram in grams(sentence)}
    asked = [gram for sentence in test_sentences if sentence for gram in grams(sentence)]
    return sum(gram not in seen for gram in asked) / max(len(asked), 1)


# %% wrong="boundaries put into the caller's sentences" caught_by="tokens, not types"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentence):
        sentence[:0] = ["<s>"] * (n - 1)
        sentence.append("</s>")
        return [tuple(sentence[i : i + n]) for i in range(len(sentence) - n + 1)]

    seen = {gram for sentence in train_sentences for gram in grams(sentence)}
    asked = [gram for sentence in test_sentences for gram in grams(sentence)]
    return sum(gram not in seen for gram in asked) / len(asked)


# %% wrong="the order of the words is forgotten" caught_by="padding at both ends"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentence):
        padded = ["<s>"] * (n - 1) + list(sentence) + ["</s>"]
        return [tuple(sorted(padded[i : i + n])) for i in range(len(padded) - n + 1)]

    seen = {gram for sentence in train_sentences for gram in grams(sentence)}
    asked = [gram for sentence in test_sentences for gram in grams(sentence)]
    return sum(gram not in seen for gram in asked) / len(asked)


# %% wrong="the share of the training text that the test text lacks" caught_by="tokens, not types"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentences):
        padded = [["<s>"] * (n - 1) + list(sentence) + ["</s>"] for sentence in sentences]
        return [tuple(s[i : i + n]) for s in padded for i in range(len(s) - n + 1)]

    seen, asked = set(grams(test_sentences)), grams(train_sentences)
    return sum(gram not in seen for gram in asked) / len(asked)


# %% wrong="at most four tokens are compared" caught_by="right share for every n"
def unseen_share(train_sentences, test_sentences, n):
    def grams(sentence):
        padded = ["<s>"] * (n - 1) + list(sentence) + ["</s>"]
        return [tuple(padded[i : i + n][-4:]) for i in range(len(padded) - n + 1)]

    seen = {gram for sentence in train_sentences for gram in grams(sentence)}
    asked = [gram for sentence in test_sentences for gram in grams(sentence)]
    return sum(gram not in seen for gram in asked) / len(asked)


# %% right="the given windows; 32-bit floats"
def unseen_share(train_sentences, test_sentences, n):
    seen = Counter(gram for sentence in train_sentences for gram in windows(sentence, n))
    return np.float32(np.mean([seen[gram] == 0 for sentence in test_sentences for gram in windows(sentence, n)]))
