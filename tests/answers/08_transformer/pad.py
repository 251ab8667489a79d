"""Answers to the task pad of chapter 08."""


# %% right="torch fills"
def pad(texts):
    rows = [torch.tensor(words) for words in texts]
    inputs = nn.utils.rnn.pad_sequence([row[:-1] for row in rows], batch_first=True)
    targets = nn.utils.rnn.pad_sequence([row[1:] for row in rows], batch_first=True, padding_value=-100)
    return inputs, targets


def whole_gradient(gradients, counts):
    total = torch.zeros_like(gradients[0])
    for gradient, count in zip(gradients, counts):
        total += gradient * count
    return total / sum(counts)


# %% right="full tensors, written row by row"
def pad(texts):
    T = max(len(words) for words in texts) - 1
    inputs = torch.zeros(len(texts), T, dtype=torch.long)
    targets = torch.full((len(texts), T), -100)
    for row, words in enumerate(texts):
        inputs[row, : len(words) - 1] = torch.tensor(words[:-1])
        targets[row, : len(words) - 1] = torch.tensor(words[1:])
    return [inputs, targets]


def whole_gradient(gradients, counts):
    share = torch.tensor(counts) / sum(counts)
    return torch.stack(
        [part * float(n) for part, n in zip(gradients, torch.tensor(counts).double() / sum(counts))]
    ).sum(0)


# %% wrong="mean of the means" caught_by="every token counts alike" change="n * g for n, g in zip(counts, gradients, strict=True)) / sum(counts -> gradients) / len(gradients"


# %% wrong="sums, not the mean" caught_by="every token counts alike" change=") / sum(counts) -> )"


# %% wrong="divided by the number of parts" caught_by="equal to one large batch" change="/ sum -> / len"


# %% wrong="zeros as targets" caught_by="shifted, then filled" change="-100 -> 0"


# %% wrong="the last token stays an input" caught_by="shifted, then filled" change="words[:-1], *[0] * (T + 1 - len(words)) -> words, *[0] * (T - len(words))][:T"


# %% wrong="targets are the inputs" caught_by="shifted, then filled" change="words[1: -> words[:-1"


# %% wrong="filled on the left" caught_by="shifted, then filled"
# -     inputs = [[*words[:-1], *[0] * (T + 1 - len(words))] for words in texts]
# -     targets = [[*words[1:], *[-100] * (T + 1 - len(words))] for words in texts]
# +     inputs = [[*[0] * (T + 1 - len(words)), *words[:-1]] for words in texts]
# +     targets = [[*[-100] * (T + 1 - len(words)), *words[1:]] for words in texts]


# %% wrong="cut to the shortest" caught_by="shifted, then filled"
# -     """(inputs [B, T], targets [B, T]), tensors of int64, from B lists of token numbers, which stay as they are."""
# -     T = max(map(len, texts)) - 1
# +     """(inputs [B, T], targets [B, T]), tensors of integers, from B lists of token numbers."""
# +     T = min(map(len, texts)) - 1
# +     texts = [words[: T + 1] for words in texts]


# %% wrong="sorted by length" caught_by="any lengths in any order"
# -     """(inputs [B, T], targets [B, T]), tensors of int64, from B lists of token numbers, which stay as they are."""
# +     """(inputs [B, T], targets [B, T]), tensors of integers, from B lists of token numbers."""
# +     texts = sorted(texts, key=len, reverse=True)


# %% wrong="the first text is the longest" caught_by="any lengths in any order"
# -     """(inputs [B, T], targets [B, T]), tensors of int64, from B lists of token numbers, which stay as they are."""
# -     T = max(map(len, texts)) - 1
# +     """(inputs [B, T], targets [B, T]), tensors of integers, from B lists of token numbers."""
# +     T = len(texts[0]) - 1


# %% wrong="every 0 is taken for missing" caught_by="shifted, then filled"
# -     return torch.tensor(inputs), torch.tensor(targets)
# +     inputs, targets = torch.tensor(inputs), torch.tensor(targets)
# +     return inputs, targets.masked_fill(inputs == 0, -100)


# %% wrong="a target 0 is taken for missing" caught_by="shifted, then filled"
# -     return torch.tensor(inputs), torch.tensor(targets)
# +     targets = torch.tensor(targets)
# +     return torch.tensor(inputs), targets.masked_fill(targets == 0, -100)


# %% wrong="the lists themselves are filled up" caught_by="any lengths in any order"
def pad(texts):
    T = max(map(len, texts)) - 1
    lengths = [len(words) for words in texts]
    for words in texts:
        while len(words) < T + 1:
            words.append(0)
    rows = torch.tensor(texts)
    inputs, targets = rows[:, :-1].clone(), rows[:, 1:].clone()
    for row, length in enumerate(lengths):
        inputs[row, length - 1 :], targets[row, length - 1 :] = 0, -100
    return inputs, targets


def whole_gradient(gradients, counts):
    """The gradient of the mean loss of all targets, from a list of tensors and a list of numbers."""
    return sum(n * g for n, g in zip(counts, gradients, strict=True)) / sum(counts)


# %% wrong="the lists are sorted in place" caught_by="any lengths in any order"
#       T = max(map(len, texts)) - 1
# +     order, texts[:] = list(texts), sorted(texts, key=len)
# +     texts, order = order, texts


# %% wrong="the last token of a shorter text stays an input" caught_by="any lengths in any order" change="words[:-1], *[0] * (T + 1 - len(words)) -> words, *[0] * (T - len(words))][:T"


# %% wrong="summed up in the first gradient" caught_by="every token counts alike"
# -     return sum(n * g for n, g in zip(counts, gradients, strict=True)) / sum(counts)
# +     total = gradients[0]
# +     total *= counts[0]
# +     for gradient, count in zip(gradients[1:], counts[1:]):
# +         total += count * gradient
# +     return total / sum(counts)


# %% wrong="two parts always" caught_by="every token counts alike" change="sum(n * g for n, g in zip(counts, gradients, strict=True)) / sum(counts -> (counts[0] * gradients[0] + counts[-1] * gradients[-1]) / (counts[0] + counts[-1]"


# %% right="NumPy tables, weights as a tensor"
def pad(texts):
    lengths = [len(words) - 1 for words in texts]
    inputs = np.zeros((len(texts), max(lengths)), dtype=int)
    targets = np.full_like(inputs, -100)
    for row, (words, n) in enumerate(zip(texts, lengths)):
        inputs[row, :n], targets[row, :n] = words[:n], words[1:]
    return torch.from_numpy(inputs).long(), torch.from_numpy(targets).long()


def whole_gradient(gradients, counts):
    weights = torch.tensor(counts).float()
    return torch.tensordot(weights / weights.sum(), torch.stack(gradients).float(), 1)


# %% wrong="tokens in 16 bits" caught_by="shifted, then filled" change="return torch.tensor(inputs), torch.tensor(targets) -> return torch.tensor(inputs).short(), torch.tensor(targets).short()"


# %% wrong="inputs in 32 bits" caught_by="shifted, then filled" change="return torch.tensor(inputs), torch.tensor(targets) -> return torch.tensor(inputs).int(), torch.tensor(targets)"
