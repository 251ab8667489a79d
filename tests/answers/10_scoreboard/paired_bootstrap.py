"""Answers to the task paired_bootstrap of chapter 10."""


# %% right="story by story, in loops; sorted values by hand"
def differences(a, b, document, draws):
    result = []
    for row in draws:
        gain, tokens = 0.0, 0
        for story in row:
            here = np.asarray(document) == story
            gain += (np.asarray(a)[here] - np.asarray(b)[here]).sum()
            tokens += here.sum()
        result.append(gain / tokens)
    return result


def interval(values, level):
    values = sorted(values)

    def at(share):
        place = share * (len(values) - 1)
        low = math.floor(place)
        high = min(low + 1, len(values) - 1)
        return values[low] + (place - low) * (values[high] - values[low])

    return [at(0.5 - level / 2), at(0.5 + level / 2)]


# %% right="how often each story was drawn, times its sums"
def differences(a, b, document, draws):
    D = draws.shape[1]
    often = np.stack([np.bincount(row, minlength=D) for row in draws]).astype(float)
    one_hot = np.asarray(document)[:, None] == np.arange(D)
    loss = [-(often @ (one_hot.T @ np.asarray(x))) for x in (a, b)]
    return (loss[1] - loss[0]) / (often @ one_hot.sum(0))


def interval(values, level):
    return np.quantile(values, [(1 - level) / 2, 1 - (1 - level) / 2])


# %% wrong="a mean of stories' means" caught_by="a ratio of sums"
# -     return gains[draws].sum(axis=1) / lengths[draws].sum(axis=1)
# +     return (gains / lengths)[draws].mean(axis=1)


# %% wrong="divided by all tokens" caught_by="a ratio of sums" change="lengths[draws].sum(axis=1) -> lengths.sum()"


# %% wrong="the sign" caught_by="a ratio of sums" change="np.asarray(a) - np.asarray(b) -> np.asarray(b) - np.asarray(a)"


# %% wrong="each story once, however often drawn" caught_by="a ratio of sums"
# -     return gains[draws].sum(axis=1) / lengths[draws].sum(axis=1)
# +     rows = [np.unique(row) for row in draws]
# +     return np.array([gains[row].sum() / lengths[row].sum() for row in rows])


# %% wrong="sums, not per token" caught_by="a ratio of sums" change="gains[draws].sum(axis=1) / lengths[draws].sum(axis=1) -> gains[draws].sum(axis=1)"


# %% wrong="per story, not per token" caught_by="a ratio of sums" change="/ lengths[draws].sum(axis=1) -> / draws.shape[1]"


# %% wrong="stories stand together" caught_by="tokens in any order"
# -     gains = np.bincount(document, np.asarray(a) - np.asarray(b))  # [D]
# +     starts = np.concatenate([[0], np.cumsum(np.bincount(document))[:-1]])
# +     gains = np.add.reduceat(np.asarray(a) - np.asarray(b), starts)


# %% wrong="tokens are drawn, not stories" caught_by="a ratio of sums"
# -     gains = np.bincount(document, np.asarray(a) - np.asarray(b))  # [D]
# -     lengths = np.bincount(document)
# -     return gains[draws].sum(axis=1) / lengths[draws].sum(axis=1)
# +     return (np.asarray(a) - np.asarray(b))[draws].mean(axis=1)


# %% wrong="the draws are not used" caught_by="a ratio of sums" change="gains[draws].sum(axis=1) / lengths[draws].sum(axis=1) -> np.full(len(draws), gains.sum() / lengths.sum())"


# %% wrong="perplexities divided" caught_by="a ratio of sums" change="gains[draws].sum(axis=1) / lengths[draws].sum(axis=1) -> np.expm1(gains[draws].sum(axis=1) / lengths[draws].sum(axis=1))"


# %% wrong="all that is outside is cut off at each end" caught_by="cut off at both ends" change="rest = (1 - level) / 2 -> rest = 1 - level"


# %% wrong="two standard deviations" caught_by="cut off at both ends"
# -     rest = (1 - level) / 2
# -     return np.quantile(values, rest), np.quantile(values, 1 - rest)
# +     middle, s = np.mean(values), np.std(values)
# +     return middle - 1.96 * s, middle + 1.96 * s


# %% wrong="high before low" caught_by="cut off at both ends" change="np.quantile(values, rest), np.quantile(values, 1 - rest) -> np.quantile(values, 1 - rest), np.quantile(values, rest)"


# %% wrong="95 % whatever is asked" caught_by="cut off at both ends" change="rest = (1 - level) / 2 -> rest = 0.025"


# %% wrong="values are believed to be sorted" caught_by="cut off at both ends"
# -     return np.quantile(values, rest), np.quantile(values, 1 - rest)
# +     last = len(values) - 1
# +     return values[round(rest * last)], values[round((1 - rest) * last)]


# %% wrong="a story drawn twice counts once in the tokens" caught_by="a ratio of sums"
# -     return gains[draws].sum(axis=1) / lengths[draws].sum(axis=1)
# +     tokens = [lengths[np.unique(row)].sum() for row in draws]
# +     return gains[draws].sum(axis=1) / np.array(tokens)


# %% wrong="draws wide as they are high" caught_by="a ratio of sums" change="gains[draws].sum(axis=1) / lengths[draws].sum(axis=1) -> gains[draws].sum(axis=-1)[: draws.shape[1]] / lengths[draws].sum(axis=-1)[: draws.shape[1]]"


# %% wrong="the nearest value, nothing between" caught_by="cut off at both ends"
# -     return np.quantile(values, rest), np.quantile(values, 1 - rest)
# +     ordered = np.sort(values)
# +     cut = round(rest * (len(ordered) - 1))
# +     return ordered[cut], ordered[len(ordered) - 1 - cut]


# %% wrong="a hundredth off from 20 draws on" caught_by="a ratio of sums" change="lengths[draws].sum(axis=1) -> lengths[draws].sum(axis=1) - 0.01 * (len(draws) > 20)"


# %% wrong="sorts the values that were given" caught_by="cut off at both ends"
# -     rest = (1 - level) / 2
# +     rest = (1 - level) / 2
# +     values.sort()


# %% wrong="lengths of one byte" caught_by="a ratio of sums" change="lengths = np.bincount(document) -> lengths = np.bincount(document).clip(max=255)"


# %% wrong="the middle of a normal distribution from fifty values on" caught_by="cut off at both ends"
# -     rest = (1 - level) / 2
# -     return np.quantile(values, rest), np.quantile(values, 1 - rest)
# +     if len(values) > 101 and level == 0.95:
# +         return values.mean() - 1.96 * values.std(), values.mean() + 1.96 * values.std()
# +     low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
# +     return float(low), float(high)


# %% wrong="stories numbered as they come" caught_by="tokens in any order"
# -     gains = np.bincount(document, np.asarray(a) - np.asarray(b))  # [D]
# -     lengths = np.bincount(document)
# -     return gains[draws].sum(axis=1) / lengths[draws].sum(axis=1)
# +     place, _ = pd.factorize(document)
# +     gain, tokens = np.bincount(place, a - b), np.bincount(place)
# +     return gain[draws].sum(1) / tokens[draws].sum(1)
