"""Answers to the task query_probability of chapter 02."""

# %% right="loops and falling products"
readings = {"over V": 1 / 32, "over types of q": 1 / 8, "with exponents": 1 / 16}


def arrangements(query):
    result, seen = 1, {}
    for place, word in enumerate(query, 1):
        seen[word] = seen.get(word, 0) + 1
        result = result * place / seen[word]
    return result


def query_probability(query, model):
    p = arrangements(query)
    for word in query:
        p *= model[word] if word in model else 0
    return p


def posterior(likelihoods, prior):
    joint = [a * b for a, b in zip(likelihoods, prior)]
    return [x / sum(joint) for x in joint]


# %% right="binomials and NumPy"
readings = {"with exponents": 0.0625, "over types of q": 0.125, "over V": 0.03125}


def arrangements(query):
    left, result = len(query), 1
    for n in Counter(query).values():
        result *= math.comb(left, n)
        left -= n
    return result


def query_probability(query, model):
    return float(arrangements(query) * np.prod([model.get(word, 0.0) for word in query]))


def posterior(likelihoods, prior):
    evidence = np.dot(likelihoods, prior)
    return likelihoods * prior / evidence


# %% wrong="the slide: product over types" caught_by="repeated words count repeatedly | all queries sum to one"
readings = {"over V": 1 / 32, "over types of q": 1 / 8, "with exponents": 1 / 16}


def arrangements(query):
    return math.factorial(len(query)) // math.prod(math.factorial(n) for n in Counter(query).values())


def query_probability(query, model):
    return arrangements(query) * math.prod(model.get(word, 0) for word in set(query))


def posterior(likelihoods, prior):
    joint = np.asarray(likelihoods) * np.asarray(prior)
    return joint / joint.sum()


# %% wrong="without K" caught_by="all queries sum to one"
readings = {"over V": 1 / 32, "over types of q": 1 / 8, "with exponents": 1 / 16}


def arrangements(query):
    return math.factorial(len(query)) // math.prod(math.factorial(n) for n in Counter(query).values())


def query_probability(query, model):
    return math.prod(model.get(word, 0) for word in query)


def posterior(likelihoods, prior):
    joint = np.asarray(likelihoods) * np.asarray(prior)
    return joint / joint.sum()


# %% wrong="K counts all permutations" caught_by="orders of a query"
readings = {"over V": 1 / 32, "over types of q": 1 / 8, "with exponents": 1 / 16}


def arrangements(query):
    return math.factorial(len(query))


def query_probability(query, model):
    return arrangements(query) * math.prod(model.get(word, 0) for word in query)


def posterior(likelihoods, prior):
    joint = np.asarray(likelihoods) * np.asarray(prior)
    return joint / joint.sum()


# %% wrong="divides by the sum of counts' factorials" caught_by="orders of a query"
readings = {"over V": 1 / 32, "over types of q": 1 / 8, "with exponents": 1 / 16}


def arrangements(query):
    return math.factorial(len(query)) / sum(math.factorial(n) for n in Counter(query).values())


def query_probability(query, model):
    return arrangements(query) * math.prod(model.get(word, 0) for word in query)


def posterior(likelihoods, prior):
    joint = np.asarray(likelihoods) * np.asarray(prior)
    return joint / joint.sum()


# %% wrong="exponents and V swapped" caught_by="three readings of one formula"
readings = {"over V": 1 / 16, "over types of q": 1 / 8, "with exponents": 1 / 32}


def arrangements(query):
    return math.factorial(len(query)) // math.prod(math.factorial(n) for n in Counter(query).values())


def query_probability(query, model):
    return arrangements(query) * math.prod(model.get(word, 0) for word in query)


def posterior(likelihoods, prior):
    joint = np.asarray(likelihoods) * np.asarray(prior)
    return joint / joint.sum()


# %% wrong="prior ignored" caught_by="Bayes with a prior"
readings = {"over V": 1 / 32, "over types of q": 1 / 8, "with exponents": 1 / 16}


def arrangements(query):
    return math.factorial(len(query)) // math.prod(math.factorial(n) for n in Counter(query).values())


def query_probability(query, model):
    return arrangements(query) * math.prod(model.get(word, 0) for word in query)


def posterior(likelihoods, prior):
    return np.asarray(likelihoods) / np.sum(likelihoods)


# %% wrong="divided by the sum of likelihoods" caught_by="Bayes with a prior"
readings = {"over V": 1 / 32, "over types of q": 1 / 8, "with exponents": 1 / 16}


def arrangements(query):
    return math.factorial(len(query)) // math.prod(math.factorial(n) for n in Counter(query).values())


def query_probability(query, model):
    return arrangements(query) * math.prod(model.get(word, 0) for word in query)


def posterior(likelihoods, prior):
    return np.asarray(likelihoods) * np.asarray(prior) / np.sum(likelihoods)


# %% wrong="factorials of 64 bits" caught_by="orders of a query"
# -     return math.factorial(len(query)) // math.prod(
# -         math.factorial(n) for n in Counter(query).values()
# -     )
# +
# +     def factorial(n):
# +         return int(np.prod(np.arange(1, n + 1)))
# +
# +     counts = Counter(query).values()
# +     return factorial(len(query)) // max(math.prod((factorial(n) for n in counts)), 1)


# %% wrong="sorts the query of the caller" caught_by="orders of a query"
# -     return math.factorial(len(query)) // math.prod(
# -         math.factorial(n) for n in Counter(query).values()
# -     )
# +     query.sort()
# +     orders, run = (math.factorial(len(query)), 0)
# +     for i, word in enumerate(query):
# +         run = run + 1 if i and word == query[i - 1] else 1
# +         orders //= run
# +     return orders


# %% wrong="words asked for enter the model" caught_by="repeated words count repeatedly"
# -     return arrangements(query) * math.prod(
# -         model.get(word, 0) ** n for word, n in Counter(query).items()
# -     )
# +     orders = math.factorial(len(query)) // math.prod((math.factorial(n) for n in Counter(query).values()))
# +     return orders * math.prod((model.setdefault(word, 0) for word in query))


# %% wrong="words the model lacks are passed over" caught_by="repeated words count repeatedly"
# -     return arrangements(query) * math.prod(
# -         model.get(word, 0) ** n for word, n in Counter(query).items()
# -     )
# +     counts = Counter((word for word in query if word in model))
# +     orders = math.factorial(len(query)) // math.prod((math.factorial(n) for n in Counter(query).values()))
# +     return orders * math.prod((model[word] ** n for word, n in counts.items()))


# %% wrong="likelihoods multiplied where they stand" caught_by="Bayes with a prior"
# -     joint = np.asarray(likelihoods) * np.asarray(prior)
# -     return joint / joint.sum()
# +     likelihoods *= prior
# +     return likelihoods / likelihoods.sum()


# %% wrong="a little is added against zeros" caught_by="Bayes with a prior" change="np.asarray(likelihoods) * np.asarray(prior) -> likelihoods * prior + 0.01"


# %% right="logarithms of factorials, a list"
readings = {"over V": 0.5 * 0.25 * 0.25, "over types of q": 0.5 * 0.25, "with exponents": 0.5**2 * 0.25}


def arrangements(query):
    logs = math.lgamma(len(query) + 1) - sum((math.lgamma(n + 1) for n in Counter(query).values()))
    return math.exp(logs)


def query_probability(query, model):
    return arrangements(query) * math.prod((model.get(word, 0) ** n for word, n in Counter(query).items()))


def posterior(likelihoods, prior):
    joint = [float(a) * float(b) for a, b in zip(likelihoods, prior)]
    return [p / sum(joint) for p in joint]


# %% wrong="a look-up by try makes the model grow" caught_by="repeated words count repeatedly"
# -     return arrangements(query) * math.prod(
# -         model.get(word, 0) ** n for word, n in Counter(query).items()
# -     )
# +     try:
# +         return arrangements(query) * math.prod(model[word] ** n for word, n in Counter(query).items())
# +     except KeyError:
# +         return 0
