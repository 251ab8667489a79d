"""Answers to the task join of chapter 11."""


# %% right="a table of all numbers, probabilities in double"
def stretches(sizes):
    result, begin = {}, 0
    for q in sizes:
        result[q] = range(begin, begin + sizes[q])
        begin += sizes[q]
    return result


def join(parts, sizes):
    own = stretches(sizes)
    for q, tokens in parts:
        if any(t not in range(sizes[q]) for t in tokens):
            raise ValueError(f"{q}: {tokens}")
    return [own[q].start + t for q, tokens in parts for t in tokens]


def split(numbers, sizes):
    owner = [(q, t) for q, n in sizes.items() for t in range(n)]
    groups = itertools.groupby((owner[i] for i in numbers), key=lambda pair: pair[0])
    return [(q, [t for _, t in some]) for q, some in groups]


def kind_and_token(logits, numbers, sizes):
    kinds, tokens = [], []
    for row, number in zip(logits.double(), numbers.tolist()):
        own = next(s for s in stretches(sizes).values() if number in s)
        of_kind = row[own.start : own.stop].logsumexp(0)
        kinds.append(row.logsumexp(0) - of_kind)
        tokens.append(of_kind - row[number])
    return torch.stack(kinds), torch.stack(tokens)


# %% right="a matrix of who owns what, cross-entropy"
def stretches(sizes):
    ends = np.cumsum(list(sizes.values())).tolist()
    return {q: range(e - sizes[q], e) for q, e in zip(sizes, ends)}


def join(parts, sizes):
    numbers = []
    for q, tokens in parts:
        if len(tokens) and not (min(tokens) >= 0 and max(tokens) < sizes[q]):
            raise ValueError(f"{q} has only {sizes[q]} tokens")
        numbers += [stretches(sizes)[q].start + t for t in tokens]
    return numbers


def split(numbers, sizes):
    result = []
    for number in numbers:
        for q, own in stretches(sizes).items():
            if own.start <= number < own.stop:
                if result and result[-1][0] == q:
                    result[-1] = (q, (*result[-1][1], number - own.start))
                else:
                    result.append((q, (number - own.start,)))
    return result


def kind_and_token(logits, numbers, sizes):
    owner = torch.cat([torch.full((n,), i) for i, n in enumerate(sizes.values())])
    same = owner[numbers][:, None] == owner  # [T, V]
    within = logits.masked_fill(~same, -math.inf)
    token = F.cross_entropy(within, numbers, reduction="none")
    return F.cross_entropy(logits, numbers, reduction="none") - token, token


# %% wrong="numbers from 1" caught_by="no two kinds share a number"
# -     return {q: range(e - n, e) for (q, n), e in zip(sizes.items(), ends, strict=True)}
# +     return {q: range(e - n + 1, e + 1) for (q, n), e in zip(sizes.items(), ends, strict=True)}


# %% wrong="kinds in alphabetical order" caught_by="no two kinds share a number" change="sizes.values()) -> dict(sorted(sizes.items(), key=lambda pair: str(pair[0]))).values())"


# %% wrong="each kind from 0" caught_by="no two kinds share a number" change="numbers.append(owned[q][token]) -> numbers.append(token)"


# %% wrong="a token too many is let through" caught_by="no two kinds share a number"
# -             if not 0 <= token < sizes[q]:
# +             if not 0 <= token <= sizes[q]:

# -             numbers.append(owned[q][token])
# +             numbers.append(owned[q].start + token)


# %% wrong="negative tokens count from the end" caught_by="no two kinds share a number" change="not 0 <= token < sizes[q] -> token >= sizes[q]"


# %% wrong="a wrong token raises IndexError" caught_by="no two kinds share a number" change="raise ValueError( -> raise IndexError("


# %% wrong="only the first token is looked at" caught_by="no two kinds share a number"
# -             if not 0 <= token < sizes[q]:
# +             if not 0 <= tokens[0] < sizes[q]:

# -             numbers.append(owned[q][token])
# +             numbers.append(owned[q].start + token)


# %% wrong="parts of one kind are put together" caught_by="no two kinds share a number" change="for q, tokens in parts: -> for q, tokens in sorted(parts, key=lambda pair: list(sizes).index(pair[0])):"


# %% wrong="a wrong token is left out" caught_by="no two kinds share a number"
# -                 raise ValueError(
# -                     f"{q} has {sizes[q]} tokens, but none numbered {token}."
# -                 )
# +                 continue


# %% wrong="neighbours of a kind stay apart" caught_by="back into kinds" change="if not pairs or pairs[-1][0] != q: -> if True:"


# %% wrong="a kind that comes again is joined to the first" caught_by="back into kinds"
# -         if not pairs or pairs[-1][0] != q:
# -             pairs.append((q, []))
# -         pairs[-1][1].append(number - owned[q].start)
# +         if q not in dict(pairs):
# +             pairs.append((q, []))
# +         dict(pairs)[q].append(number - owned[q].start)


# %% wrong="shared numbers are left" caught_by="back into kinds" change="append(number - owned[q].start) -> append(number)"


# %% wrong="a kind of size 0 owns a number" caught_by="back into kinds" change="if number in some) -> if number <= max(some.stop - 1, some.start))"


# %% wrong="the last pair is lost" caught_by="back into kinds" change="return pairs -> return pairs[:-1]"


# %% wrong="every kind gets a pair" caught_by="back into kinds"
# -     pairs, owned = [], stretches(sizes)
# +     pairs, owned = [(next(iter(sizes)), [])], stretches(sizes)


# %% wrong="of the whole softmax, twice" caught_by="which kind, then which token" change="return kind, whole - kind -> return kind, whole"


# %% wrong="the other way round" caught_by="which kind, then which token" change="return kind, whole - kind -> return whole - kind, kind"


# %% wrong="log base 2" caught_by="which kind, then which token" change="return kind, whole - kind -> return kind / math.log(2), (whole - kind) / math.log(2)"


# %% wrong="means, not one for each" caught_by="which kind, then which token" change="return kind, whole - kind -> return kind.mean(), (whole - kind).mean()"


# %% wrong="the mean of the logits of a kind" caught_by="which kind, then which token" change="some.stop].logsumexp(-1) -> some.stop].mean(-1)"


# %% wrong="the largest of a kind stands for it" caught_by="which kind, then which token" change="some.stop].logsumexp(-1) -> some.stop].amax(-1)"


# %% wrong="exp and log without a care" caught_by="which kind, then which token" change="-logs[there, some.start : some.stop].logsumexp(-1) -> -logs[there, some.start : some.stop].exp().sum(-1).log()"


# %% wrong="logits that are not normalised" caught_by="which kind, then which token" change="logits.log_softmax(-1) -> logits"


# %% wrong="normalised over time" caught_by="which kind, then which token" change="logits.log_softmax(-1) -> logits.log_softmax(0)"


# %% wrong="the kind of the likeliest token" caught_by="which kind, then which token" change="there = (numbers >= some.start) & (numbers < some.stop) -> there = (logits.argmax(-1) >= some.start) & (logits.argmax(-1) < some.stop)"


# %% wrong="a stretch ends too late" caught_by="which kind, then which token" change="some.start : some.stop]. -> some.start : some.stop + 1]."


# %% wrong="logits changed in place" caught_by="which kind, then which token" change="logs = logits.log_softmax(-1) -> logs = logits.sub_(logits.logsumexp(-1, keepdim=True))"


# %% right="results in float32, filled kind by kind"
# -     kind = torch.zeros_like(whole)
# +     kind = torch.zeros(len(numbers))


# %% wrong="a gap behind large kinds" caught_by="no two kinds share a number"
def stretches(sizes):
    found, start = {}, 0
    for kind, size in sizes.items():
        found[kind] = range(start, start + size)
        start += size + (size > 40)
    return found


def join(parts, sizes):
    return [stretches(sizes)[q][token] for q, tokens in parts for token in tokens]


def split(numbers, sizes):
    pairs, owned = [], stretches(sizes)
    for number in numbers:
        q = next(q for q, some in owned.items() if number in some)
        if not pairs or pairs[-1][0] != q:
            pairs.append((q, []))
        pairs[-1][1].append(number - owned[q].start)
    return pairs


# %% wrong="kinds without tokens are taken out of the sizes" caught_by="no two kinds share a number"
# -     numbers, owned = [], stretches(sizes)
# +     numbers, owned = [], stretches(sizes)
# +     for q in [q for q, size in sizes.items() if size == 0]:
# +         del sizes[q]


# %% wrong="a thousand tokens of a kind" caught_by="no two kinds share a number"
# -             if not 0 <= token < sizes[q]:
# +             if not 0 <= token < min(sizes[q], 1000):


# %% wrong="tokens from 500 on are lost" caught_by="back into kinds" change="pairs[-1][1].append(number - owned[q].start) -> pairs[-1][1].append((number - owned[q].start) % 500)"


# %% wrong="nothing becomes an empty pair" caught_by="back into kinds"
# -     pairs, owned = [], stretches(sizes)
# -     for number in numbers:
# -         q = next(q for q, some in owned.items() if number in some)
# -         if not pairs or pairs[-1][0] != q:
# -             pairs.append((q, []))
# -         pairs[-1][1].append(number - owned[q].start)
# -     return pairs
# +     found, parts = stretches(sizes), []
# +     kind, tokens = None, []
# +     for number in numbers:
# +         its = next(kind for kind, some in found.items() if number in some)
# +         if its != kind and tokens:
# +             parts.append((kind, tokens))
# +             tokens = []
# +         kind = its
# +         tokens.append(number - found[kind].start)
# +     parts.append((kind, tokens))
# +     return parts


# %% wrong="the probability of a kind became 0" caught_by="which kind, then which token"
# -     logs = logits.log_softmax(-1)
# -     whole = -logs.gather(1, numbers[:, None])[:, 0]
# -     kind = torch.zeros_like(whole)
# -     for some in stretches(sizes).values():
# -         there = (numbers >= some.start) & (numbers < some.stop)
# -         if there.any():
# -             kind[there] = -logs[there, some.start : some.stop].logsumexp(-1)
# -     return kind, whole - kind
# +     P, logs = torch.softmax(logits, -1), F.log_softmax(logits, -1)
# +     kinds = []
# +     for row, number in zip(P, numbers.tolist()):
# +         some = next(some for some in stretches(sizes).values() if number in some)
# +         kinds.append(-torch.log(row[some.start : some.stop].sum()))
# +     first = torch.stack(kinds)
# +     return first, -logs[torch.arange(len(logs)), numbers] - first


# %% wrong="a kind without tokens trips the search" caught_by="back into kinds"
# -     pairs, owned = [], stretches(sizes)
# -     for number in numbers:
# -         q = next(q for q, some in owned.items() if number in some)
# -         if not pairs or pairs[-1][0] != q:
# -             pairs.append((q, []))
# -         pairs[-1][1].append(number - owned[q].start)
# -     return pairs
# +     found, parts = stretches(sizes), []
# +     for number in numbers:
# +         kind = next(kind for kind, some in found.items() if number <= some[-1])
# +         if not parts or parts[-1][0] != kind:
# +             parts.append((kind, []))
# +         parts[-1][1].append(number - found[kind].start)
# +     return parts
