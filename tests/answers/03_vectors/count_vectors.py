"""Answers to the task count_vectors of chapter 03."""


# %% right="counted in a loop"
def count_vectors(texts, words):
    place = {word: i for i, word in enumerate(words)}
    found = np.zeros((len(texts), len(words)))
    for row, text in enumerate(texts):
        for word in text:
            if word in place:
                found[row, place[word]] += 1
    return found


def twins(texts):
    total = 0
    for i in range(len(texts)):
        for j in range(i + 1, len(texts)):
            if texts[i] != texts[j] and sorted(texts[i]) == sorted(texts[j]):
                total += 1
    return total


missing = 6


# %% right="groups of equal bags"
def count_vectors(texts, words):
    return torch.tensor([[text.count(word) for word in words] for text in texts])


def twins(texts):
    groups = {}
    for text in texts:
        groups.setdefault(tuple(sorted(text)), Counter())[tuple(text)] += 1
    pairs = 0
    for group in groups.values():
        size = sum(group.values())
        pairs += (size**2 - sum(count**2 for count in group.values())) // 2
    return pairs


missing = 6


# %% wrong="yes or no, not how often" caught_by="a column for each word" change="count[word] for word in words -> int(count[word] > 0) for word in words"

# %% wrong="columns in alphabetical order" caught_by="a column for each word" change="count[word] for word in words -> count[word] for word in sorted(words)"

# %% wrong="equal texts are twins too" caught_by="twins differ in order only" change="Counter(one) == Counter(other) and list(one) != list(other) -> Counter(one) == Counter(other)"

# %% wrong="every pair twice" caught_by="twins differ in order only" change="texts[:place] -> texts"

# %% wrong="sets of words" caught_by="twins differ in order only" change="Counter(one) == Counter(other) -> set(one) == set(other)"

# %% wrong="neighbouring texts only" caught_by="twins differ in order only" change="texts[:place] -> texts[max(0, place - 1) : place]"

# %% wrong="sorts the caller's texts" caught_by="twins differ in order only"
# -     return sum(
# +     [text.sort() for text in texts]
# +     return sum(

# %% wrong="counted from 1" caught_by="the tag that the page lacks" change="missing = 6 -> missing = 7"

# %% wrong="eight bits for a count" caught_by="a column for each word" change="np.array([[count[word] for word in words] for count in counts]) -> np.array([[count[word] % 256 for word in words] for count in counts])"

# %% wrong="letters of all words in a row" caught_by="twins differ in order only" change="Counter(one) == Counter(other) -> ''.join(sorted(one)) == ''.join(sorted(other))"


# %% wrong="words inside words are counted" caught_by="a column for each word" change="[[count[word] for word in words] for count in counts] -> [[chr(32).join(text).count(word) for word in words] for text in texts]"


# %% wrong="only the reversed text is a twin" caught_by="twins differ in order only"
# -         Counter(one) == Counter(other) and list(one) != list(other)
# -         for place, one in enumerate(texts)
# -         for other in texts[:place]
# +         texts[s] == texts[t][::-1] and texts[s] != texts[t] for s in range(len(texts)) for t in range(s)


# %% wrong="capitals do not matter" caught_by="a column for each word"
# -     counts = [Counter(text) for text in texts]
# -     return np.array([[count[word] for word in words] for count in counts])
# +     lowered = [word.lower() for word in words]
# +     return np.array([[sum(w.lower() == word for w in text) for word in lowered] for text in texts])


# %% wrong="only the ends of texts are compared" caught_by="twins differ in order only"
# -         Counter(one) == Counter(other) and list(one) != list(other)
# +         Counter(one) == Counter(other) and (one[:1], one[-1:]) != (other[:1], other[-1:])


# %% wrong="a thousand words are enough" caught_by="a column for each word" change="Counter(text) for -> Counter(text[:1000]) for"


# %% wrong="counts compared over the words of the first text" caught_by="twins differ in order only"
# -         Counter(one) == Counter(other) and list(one) != list(other)
# +         all(one.count(word) == other.count(word) for word in texts[0]) and list(one) != list(other)
