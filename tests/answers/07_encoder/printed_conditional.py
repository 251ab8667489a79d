"""Answers to the task printed_conditional of chapter 07."""

# %% right="loops over all texts"
printed_value = 1.0


def conditions(i, T):
    return {place for place in range(1, T + 1) if place != i}


def sum_of_products(P):
    total = 0.0
    for text in np.ndindex(*P.shape):
        product = 1.0
        for i in range(P.ndim):
            line = sum(P[(*text[:i], w, *text[i + 1 :])] for w in range(P.shape[i]))
            product *= P[text] / line if P[text] > 0 else 0.0
        total += product
    return float(total)


# %% right="NaN taken for 0, a list of places"
printed_value = 1


def conditions(i, T):
    return frozenset([*range(1, i), *range(i + 1, T + 1)])


def sum_of_products(P):
    with np.errstate(invalid="ignore"):
        parts = [np.nan_to_num(P / P.sum(i, keepdims=True)) for i in range(P.ndim)]
    product = parts[0]
    for part in parts[1:]:
        product = product * part
    return product.sum()


# %% wrong="the printed expression is thought a guess" caught_by="a number, and a set of places" change="printed_value = 1 -> printed_value = 0.5"


# %% wrong="the printed expression is thought impossible" caught_by="a number, and a set of places" change="printed_value = 1 -> printed_value = 0"


# %% wrong="only the left side" caught_by="a number, and a set of places" change="set(range(1, T + 1)) - {i} -> set(range(1, i))"


# %% wrong="as on the slide, with the word itself" caught_by="a number, and a set of places" change=" - {i} -> "


# %% wrong="the last place forgotten" caught_by="a number, and a set of places" change="range(1, T + 1) -> range(1, T)"


# %% wrong="places counted from 0" caught_by="a number, and a set of places" change="range(1, T + 1)) - {i} -> range(T)) - {i - 1}"


# %% wrong="only the neighbours" caught_by="a number, and a set of places" change="set(range(1, T + 1)) - {i} -> {i - 1, i + 1} & set(range(1, T + 1))"


# %% wrong="0/0 is NaN" caught_by="words that need each other" change="np.divide(P, total, out=np.zeros_like(P), where=P > 0) -> P / total"


# %% wrong="product of the words' own shares" caught_by="words that need each other"
# -         total = np.broadcast_to(P.sum(axis=i, keepdims=True), P.shape)
# -         product *= np.divide(P, total, out=np.zeros_like(P), where=P > 0)
# +         others = tuple(axis for axis in range(P.ndim) if axis != i)
# +         product *= P.sum(axis=others, keepdims=True)


# %% wrong="given the asked word instead of the others" caught_by="texts of any length"
# -         total = np.broadcast_to(P.sum(axis=i, keepdims=True), P.shape)
# +         others = tuple(axis for axis in range(P.ndim) if axis != i)
# +         total = np.broadcast_to(P.sum(axis=others, keepdims=True), P.shape)


# %% wrong="two words only" caught_by="texts of any length" change="range(P.ndim) -> range(min(2, P.ndim))"


# %% wrong="believed to be a probability" caught_by="words that need each other" change="return product.sum() -> return 1.0"


# %% wrong="weighted with the texts' probabilities" caught_by="words that need each other" change="return product.sum() -> return (P * product).sum()"


# %% wrong="the mean over texts" caught_by="words that need each other" change="return product.sum() -> return product.mean()"


# %% wrong="one factor is left out" caught_by="words that need each other" change="range(P.ndim) -> range(1, P.ndim)"


# %% wrong="the caller's table is changed" caught_by="words that need each other" change="product.sum() -> P.fill(0) or product.sum()"


# %% wrong="a small number keeps 0/0 away, and rare texts out" caught_by="words that need each other"
# -         product *= np.divide(P, total, out=np.zeros_like(P), where=P > 0)
# +         product *= P / (total + 1e-9)


# %% wrong="quotients put where P was" caught_by="words that need each other" change="np.asarray(P, dtype=float) -> np.array(P)"
