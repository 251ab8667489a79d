"""Answers to the task unknown_words of chapter 04."""


# %% right="loops, one counter by hand"
def numbering(sentences, least):
    counts = {}
    for sentence in sentences:
        for word in sentence:
            counts[word] = counts.get(word, 0) + 1
    number = {}
    for word in sorted(counts):
        if counts[word] >= least:
            number[word] = len(number) + 2
    return number


def numbers_of(words, number):
    return [number[word] if word in number else 1 for word in words]


def error_rate(predicted, right, group):
    pairs = [(p, r) for p, r, g in zip(predicted.tolist(), right.tolist(), group.tolist()) if g]
    return sum(p != r for p, r in pairs) / len(pairs) if pairs else math.nan


# %% right="most common first, tuples, masks multiplied"
def numbering(sentences, least):
    counts = Counter()
    for sentence in sentences:
        counts.update(sentence)
    kept = [word for word, count in counts.most_common() if count > least - 1]
    return dict(zip(kept, range(2, len(kept) + 2)))


def numbers_of(words, number):
    return tuple(map(lambda word: number.get(word, 1), words))


def error_rate(predicted, right, group):
    wrong = (predicted != right) & group
    return float("nan") if not group.any() else (wrong.sum() / group.sum()).item()


# %% right="a NumPy mean"
# -     return (predicted != right)[group].double().mean().item()
# +     wrong = (predicted[group] != right[group]).numpy()
# +     return np.float64(wrong.mean()) if len(wrong) else np.nan


# %% wrong="more than least" caught_by="who gets a number" change="count >= least -> count > least"


# %% wrong="counted in each sentence" caught_by="who gets a number"
# -     counts = Counter(word for sentence in sentences for word in sentence)
# +     counts = Counter()
# +     for sentence in sentences:
# +         counts |= Counter(sentence)


# %% wrong="sentences, not tokens" caught_by="who gets a number" change="for word in sentence) -> for word in set(sentence))"


# %% wrong="numbers from 1" caught_by="who gets a number" change="start=2 -> start=1"


# %% wrong="numbers with gaps" caught_by="who gets a number"
# -     kept = [word for word, count in counts.items() if count >= least]
# -     return {word: i for i, word in enumerate(kept, start=2)}
# +     return {word: i for i, (word, count) in enumerate(counts.items(), start=2) if count >= least}


# %% wrong="all in lower case" caught_by="who gets a number" change="Counter(word for -> Counter(word.lower() for"


# %% wrong="unknown is PAD" caught_by="the others are unknown" change="number.get(word, 1) -> number.get(word, 0)"


# %% wrong="unknown words left out" caught_by="the others are unknown" change="number.get(word, 1) for word in words -> number[word] for word in words if word in number"


# %% wrong="unknown words get an entry" caught_by="the others are unknown" change="number.get(word, 1) -> number.setdefault(word, 1)"


# %% wrong="a share of all tokens" caught_by="errors of one group" change="(predicted != right)[group] -> ((predicted != right) & group)"


# %% wrong="the share that is right" caught_by="errors of one group" change="predicted != right -> predicted == right"


# %% wrong="the group forgotten" caught_by="errors of one group" change="[group].double -> .double"


# %% wrong="the others" caught_by="errors of one group" change="[group] -> [~group]"


# %% wrong="how many, not which share" caught_by="errors of one group" change="mean() -> sum()"


# %% wrong="zero for an empty group" caught_by="errors of one group" change=".mean().item() -> .mean().nan_to_num().item()"


# %% wrong="writes the group into predicted" caught_by="errors of one group"
# -     return (predicted != right)[group].double().mean().item()
# +     predicted[~group] = right[~group]
# +     return ((predicted != right).sum() / group.sum()).item()


# %% wrong="an unknown word is looked up again in small letters" caught_by="the others are unknown" change="number.get(word, 1) -> number.get(word, number.get(word.lower(), 1))"


# %% wrong="blanks around a word stripped" caught_by="the others are unknown" change="number.get(word, 1) -> number.get(word.strip(), 1)"


# %% right="NumPy counts, a dict that knows what is missing"
def numbering(sentences, least):
    flat = sorted(word for sentence in sentences for word in sentence)
    kept = [word for i, word in enumerate(flat) if flat[i - least + 1 : i + 1] == [word] * least]
    return {word: 2 + i for i, word in enumerate(dict.fromkeys(kept))} if flat else {}


def numbers_of(words, number):
    class Known(dict):
        def __missing__(self, word):
            return 1

    known = Known(number)
    return [known[word] for word in words]


def error_rate(predicted, right, group):
    return torch.where(group, (predicted != right).float(), math.nan).nanmean().item()


# %% wrong="the empty word is no word" caught_by="who gets a number" change="for word in sentence) -> for word in sentence if word)"


# %% wrong="a group of one has no rate" caught_by="errors of one group"
# -     return (predicted != right)[group].double().mean().item()
# +     if group.sum() < 2:
# +         return math.nan
# +     return (predicted != right)[group].double().mean().item()


# %% wrong="a rate with two digits" caught_by="errors of one group" change="return (predicted != right)[group].double().mean().item() -> return round((predicted != right)[group].double().mean().item(), 2)"


# %% wrong="each word once" caught_by="the others are unknown" change="for word in words] -> for word in dict.fromkeys(words)]"


# %% wrong="a word whose number is 0 counts as unknown" caught_by="the others are unknown" change="number.get(word, 1) -> number.get(word) or 1"
