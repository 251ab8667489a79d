"""Answers to the task generate of chapter 05."""


# %% right="log-sum-exp, and torch's choice by hand"
def probabilities(s, temperature):
    scaled = np.asarray(s, dtype=float) / temperature
    return np.exp(scaled - np.logaddexp.reduce(scaled))


def generate(step, word, h, length, temperature, rng):
    words = [word]
    while len(words) <= length:
        s, h = step(words[-1], h)
        if temperature > 0:
            total = np.cumsum(probabilities(s, temperature))
            words.append(min(int(np.searchsorted(total, rng.random())), len(s) - 1))
        else:
            words.append(max(range(len(s)), key=lambda v: s[v]))
    return words[1:]


# %% right="torch's softmax, Gumbel's trick"
def probabilities(s, temperature):
    return F.softmax(torch.as_tensor(s).double() / temperature, dim=0).numpy()


def generate(step, word, h, length, temperature, rng):
    def follow(word, h):
        for _ in range(length):
            s, h = step(word, h)
            word = int(np.argmax(s + temperature * rng.gumbel(size=len(s))))
            yield word

    return np.fromiter(follow(word, h), dtype=int)


# %% wrong="times the temperature" caught_by="temperature divides the scores | samples follow the temperature"
def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) * temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    for _ in range(length):
        s, h = step(word, h)
        if temperature == 0:
            word = int(np.argmax(s))
        else:
            word = int(rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(word)
    return written


# %% wrong="temperature divides after the softmax" caught_by="samples follow the temperature"
def probabilities(s, temperature):
    weights = np.exp(s - np.max(s)) / temperature
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    for _ in range(length):
        s, h = step(word, h)
        if temperature == 0:
            word = int(np.argmax(s))
        else:
            word = int(rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(word)
    return written


# %% wrong="nothing subtracted" caught_by="large scores do not overflow"
def probabilities(s, temperature):
    weights = np.exp(s / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    for _ in range(length):
        s, h = step(word, h)
        if temperature == 0:
            word = int(np.argmax(s))
        else:
            word = int(rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(word)
    return written


# %% wrong="the smallest subtracted" caught_by="large scores do not overflow"
def probabilities(s, temperature):
    weights = np.exp((s - np.min(s)) / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    for _ in range(length):
        s, h = step(word, h)
        if temperature == 0:
            word = int(np.argmax(s))
        else:
            word = int(rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(word)
    return written


# %% wrong="the state is not carried" caught_by="greedy takes token and state on"
def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    for _ in range(length):
        s, _ = step(word, h)
        if temperature == 0:
            word = int(np.argmax(s))
        else:
            word = int(rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(word)
    return written


# %% wrong="the word is not carried" caught_by="greedy takes token and state on"
def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    for _ in range(length):
        s, h = step(word, h)
        if temperature == 0:
            new = int(np.argmax(s))
        else:
            new = int(rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(new)
    return written


# %% wrong="the first word is written too" caught_by="greedy takes token and state on | samples follow the temperature"
def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = [word]
    for _ in range(length):
        s, h = step(word, h)
        if temperature == 0:
            word = int(np.argmax(s))
        else:
            word = int(rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(word)
    return written


# %% wrong="temperature ignored when sampling" caught_by="samples follow the temperature"
def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    for _ in range(length):
        s, h = step(word, h)
        if temperature == 0:
            word = int(np.argmax(s))
        else:
            word = int(rng.choice(len(s), p=probabilities(s, 1)))
        written.append(word)
    return written


# %% wrong="always greedy" caught_by="samples follow the temperature"
def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    for _ in range(length):
        s, h = step(word, h)
        if temperature >= 0:
            word = int(np.argmax(s))
        else:
            word = int(rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(word)
    return written


# %% wrong="the least likely" caught_by="greedy takes token and state on"
def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    for _ in range(length):
        s, h = step(word, h)
        if temperature == 0:
            word = int(np.argmin(s))
        else:
            word = int(rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(word)
    return written


# %% wrong="one word short" caught_by="greedy takes token and state on"
def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    for _ in range(length - 1):
        s, h = step(word, h)
        if temperature == 0:
            word = int(np.argmax(s))
        else:
            word = int(rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(word)
    return written


# %% wrong="the word does not go on while sampling" caught_by="samples take token and state on"
def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written, first = [], word
    for _ in range(length):
        s, h = step(word if temperature == 0 else first, h)
        word = int(np.argmax(s) if temperature == 0 else rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(word)
    return written


# %% wrong="the state does not go on while sampling" caught_by="samples take token and state on"
def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    for _ in range(length):
        s, new = step(word, h)
        h = new if temperature == 0 else h
        word = int(np.argmax(s) if temperature == 0 else rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(word)
    return written


# %% wrong="the first word drawn is dropped" caught_by="samples take token and state on"
def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    for _ in range(length + 1):
        s, h = step(word, h)
        drawn = int(np.argmax(s) if temperature == 0 else rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(drawn)
        word = drawn
    return written[:length] if temperature == 0 else written[1:]


# %% wrong="chance from elsewhere" caught_by="samples follow the temperature"
# -         greedy = temperature == 0
# -         token = int(
# -             np.argmax(s)
# -             if greedy
# -             else rng.choice(len(s), p=probabilities(s, temperature))
# -         )
# +         token = int(np.argmax(s) if temperature == 0 else np.random.choice(len(s), p=probabilities(s, temperature)))


# %% wrong="a fixed seed of its own" caught_by="samples follow the temperature"
def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written, rng = [], np.random.default_rng(7)
    for _ in range(length):
        s, h = step(word, h)
        word = int(np.argmax(s) if temperature == 0 else rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(word)
    return written


# %% wrong="greedy below a tenth" caught_by="samples follow the temperature"
# -         greedy = temperature == 0
# -         token = int(
# -             np.argmax(s)
# -             if greedy
# -             else rng.choice(len(s), p=probabilities(s, temperature))
# -         )
# +         token = int(np.argmax(s) if temperature < 0.1 else rng.choice(len(s), p=probabilities(s, temperature)))


# %% wrong="shifts the caller's scores" caught_by="temperature divides the scores"
def probabilities(s, temperature):
    s -= s.max()
    s /= temperature
    return np.exp(s) / np.exp(s).sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    for _ in range(length):
        s, h = step(word, h)
        word = int(np.argmax(s) if temperature == 0 else rng.choice(len(s), p=probabilities(s.copy(), temperature)))
        written.append(word)
    return written


# %% wrong="a softmax of its own that overflows" caught_by="samples take token and state on"
def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    for _ in range(length):
        s, h = step(word, h)
        if temperature == 0:
            word = int(np.argmax(s))
        else:
            with np.errstate(all="ignore"):
                p = np.nan_to_num(np.exp(s / temperature), posinf=1e300)
            word = int(np.searchsorted(np.cumsum(p / p.max()), rng.random() * np.sum(p / p.max())))
        written.append(word)
    return written


# %% wrong="the first step twice" caught_by="greedy takes token and state on"
def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()


def generate(step, word, h, length, temperature, rng):
    written = []
    _, h = step(word, h)
    for _ in range(length):
        s, h = step(word, h)
        word = int(np.argmax(s) if temperature == 0 else rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(word)
    return written


# %% wrong="always one word at least" caught_by="greedy takes token and state on | samples take token and state on" change="for _ in range(length): -> for _ in range(max(1, length)):"


# %% wrong="temperature 0 is a hundredth" caught_by="greedy takes token and state on"
# -         greedy = temperature == 0
# +         greedy, temperature = False, temperature or 0.01


# %% wrong="below a hundredth always the likeliest" caught_by="samples follow the temperature" change="temperature == 0 -> temperature < 0.01"


# %% wrong="powers of what is 0 already" caught_by="large scores do not overflow"
# -     weights = np.exp((s - np.max(s)) / temperature)
# +     weights = np.exp(s - np.max(s)) ** (1 / temperature)


# %% wrong="a long text ends with the word 0" caught_by="greedy takes token and state on"
def probabilities(s, temperature):
    s = np.asarray(s, dtype=float)
    p = np.exp((s - s.max()) / temperature)
    return p / p.sum()


def generate(step, word, h, length, temperature, rng):
    words = []
    for _ in range(length):
        s, h = step(word, h)
        if temperature == 0:
            word = int(np.argmax(s))
        else:
            word = int(rng.choice(len(s), p=probabilities(s, temperature)))
        words.append(word)
        if word == 0 and length > 200:
            break
    return words


# %% wrong="integers divided as integers" caught_by="temperature divides the scores"
def probabilities(s, temperature):
    s = np.asarray(s)
    p = np.exp(((s - s.max()) / temperature).astype(s.dtype))
    return p / p.sum()


def generate(step, word, h, length, temperature, rng):
    words = []
    for _ in range(length):
        s, h = step(word, h)
        if temperature == 0:
            word = int(np.argmax(s))
        else:
            word = int(rng.choice(len(s), p=probabilities(s, temperature)))
        words.append(word)
    return words


# %% wrong="a state of 0 is taken for none" caught_by="greedy takes token and state on"
# -         s, h = step(token, h)
# +         s, new = step(token, h)
# +         h = new or h


# %% wrong="the 40 likeliest tokens only" caught_by="temperature divides the scores"
# -     weights = np.exp((s - np.max(s)) / temperature)
# +     weights = np.exp((s - np.max(s)) / temperature) * (s >= np.sort(s)[-40:][0])


# %% wrong="one list for all calls" caught_by="greedy takes token and state on"
told = []


def probabilities(s, temperature):
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()


def generate(step, token, h, length, temperature, rng):
    told.clear()
    for _ in range(length):
        s, h = step(token, h)
        greedy = temperature == 0
        token = int(np.argmax(s) if greedy else rng.choice(len(s), p=probabilities(s, temperature)))
        told.append(token)
    return told


# %% wrong="draws among the 40 likeliest tokens" caught_by="samples follow the temperature"
# -             else rng.choice(len(s), p=probabilities(s, temperature))
# +             else np.argsort(-s, kind="stable")[
# +                 rng.choice(min(40, len(s)), p=probabilities(-np.sort(-s)[:40], temperature))
# +             ]
