"""Answers to the task perplexity of chapter 01."""


# %% right="NumPy mean, then exp with the base"
def perplexity(log_probabilities, base):
    return np.exp(-np.mean(log_probabilities) * np.log(base))


def scored_symbols(sentence):
    return list(sentence) + ["</s>"]


# %% right="power of the inverse, loop"
def perplexity(log_probabilities, base):
    total, n = 0.0, 0
    for logarithm in log_probabilities:
        total += logarithm
        n += 1
    return math.pow(1 / base, total / n)


def scored_symbols(sentence):
    padded = ["<s>", *sentence, "</s>"]
    return tuple(padded[1:])


# %% wrong="product of probabilities, then a root" caught_by="long and impossible texts"
def perplexity(log_probabilities, base):
    product = 1.0
    for logarithm in log_probabilities:
        product *= base**logarithm
    if product == 0:
        return 0.0
    return (1 / product) ** (1 / len(log_probabilities))


def scored_symbols(sentence):
    return [*sentence, "</s>"]


# %% wrong="always base e" caught_by="base fits the logarithms"
def perplexity(log_probabilities, base):
    return math.exp(-np.mean(log_probabilities))


def scored_symbols(sentence):
    return [*sentence, "</s>"]


# %% wrong="always base 2, as on the slide" caught_by="base fits the logarithms"
def perplexity(log_probabilities, base):
    return 2 ** -np.mean(log_probabilities)


def scored_symbols(sentence):
    return [*sentence, "</s>"]


# %% wrong="weighted by the probabilities, as on the slide" caught_by="N-th root of inverse probability"
def perplexity(log_probabilities, base):
    total = 0.0
    for logarithm in log_probabilities:
        total += base**logarithm * logarithm if logarithm > -math.inf else -math.inf
    return base ** min(-total, 1000)


def scored_symbols(sentence):
    return [*sentence, "</s>"]


# %% wrong="mean of inverse probabilities" caught_by="N-th root of inverse probability"
def perplexity(log_probabilities, base):
    return sum(base**-logarithm for logarithm in log_probabilities) / len(log_probabilities)


def scored_symbols(sentence):
    return [*sentence, "</s>"]


# %% wrong="minus sign forgotten" caught_by="N-th root of inverse probability"
def perplexity(log_probabilities, base):
    return base ** np.mean(log_probabilities)


def scored_symbols(sentence):
    return [*sentence, "</s>"]


# %% wrong="start symbol counted" caught_by="symbols that N counts"
def perplexity(log_probabilities, base):
    return base ** -np.mean(log_probabilities)


def scored_symbols(sentence):
    return ["<s>", *sentence, "</s>"]


# %% wrong="end symbol not counted" caught_by="symbols that N counts"
def perplexity(log_probabilities, base):
    return base ** -np.mean(log_probabilities)


def scored_symbols(sentence):
    return list(sentence)


# %% wrong="repeated words counted once" caught_by="symbols that N counts"
def perplexity(log_probabilities, base):
    return base ** -np.mean(log_probabilities)


def scored_symbols(sentence):
    return [*dict.fromkeys(sentence), "</s>"]
