"""Answers to the task beyond_the_window of chapter 04."""


# %% right="clones and cat"
def exam(fillers, distance, n):
    parts = []
    for cue in (0, 1):
        copy = fillers.clone()
        copy[:, -distance] = cue
        parts.append(copy[:, -n:])
    return torch.cat(parts), torch.tensor([0] * len(fillers) + [1] * len(fillers))


guess_beyond = 0.9
measured_beyond = []
for k in range(1, 7):
    exam_rows, cues = exam(exam_fillers, k, 4)
    measured_beyond.append(float((reader(exam_rows).argmax(dim=1) == cues).float().mean()))


# %% right="lists of numbers"
def exam(fillers, distance, n):
    rows, cues = [], []
    for cue in range(2):
        for text in fillers.tolist():
            text[len(text) - distance] = cue
            rows.append(text[len(text) - n :])
            cues.append(cue)
    return torch.tensor(rows), torch.tensor(cues)


def _share(distance):
    rows, cues = exam(exam_fillers, distance, 4)
    scores = reader(rows)
    return np.mean([float(one > zero) == cue for (zero, one), cue in zip(scores.tolist(), cues.tolist())])


guess_beyond = 1 / 2
measured_beyond = [_share(distance) for distance in (1, 2, 3, 4, 5, 6)]


# %% wrong="distance counted from 0" caught_by="the cue at its distance" change="distance] -> distance - 1]"


# %% wrong="one place too near" caught_by="the cue at its distance" change="T - distance -> (T - distance + 1) % T"


# %% wrong="distance from the beginning" caught_by="the cue at its distance" change="T - distance -> distance - 1"


# %% wrong="cues as words 1 and 2" caught_by="the cue at its distance" change="distance] = cues -> distance] = cues + 1"


# %% wrong="all with cue 0" caught_by="each filler with both cues" change="arange(2).repeat_interleave(N -> zeros(2 * N, dtype=torch.long"


# %% wrong="cues in turn" caught_by="each filler with both cues" change="repeat_interleave -> repeat"


# %% wrong="one cue for each filler" caught_by="each filler with both cues"
# -     cues = torch.arange(2).repeat_interleave(N)
# -     texts = fillers.repeat(2, 1)
# +     cues = torch.arange(N) % 2
# +     texts = fillers.clone()


# %% wrong="cue 1 first" caught_by="each filler with both cues" change="torch -> 1 - torch"


# %% wrong="the first n words" caught_by="only the last n words" change="T - n : -> :n"


# %% wrong="the whole text" caught_by="only the last n words"
# -     return texts[:, T - n :], cues
# +     return texts[:, :], cues

# -     exam_rows, cues = exam(exam_fillers, distance, 4)
# +     exam_rows, cues = (lambda r, c: (r[:, -4:], c))(*exam(exam_fillers, distance, 4))


# %% wrong="one word too few" caught_by="only the last n words"
# -     return texts[:, T - n :], cues
# +     return texts[:, T - n + 1 :], cues

# -     exam_rows, cues = exam(exam_fillers, distance, 4)
# +     exam_rows, cues = exam(exam_fillers, distance, 5)


# %% wrong="percent" caught_by="predicted, then measured" change="item() -> item() * 100"


# %% wrong="a window too wide for the exam" caught_by="predicted, then measured" change="1, 7 -> 2, 8"


# %% wrong="what was expected, not measured" caught_by="predicted, then measured"
# - measured_beyond = []
# + measured_beyond = [1.0, 1.0, 1.0, 1.0, 0.9, 0.8]

# -     measured_beyond.append((reader(exam_rows).argmax(1) == cues).double().mean().item())
# +     (lambda share: None)((reader(exam_rows).argmax(1) == cues).double().mean().item())


# %% wrong="fillers overwritten" caught_by="each filler with both cues"
def exam(fillers, distance, n):
    parts = []
    for cue in (0, 1):
        fillers[:, -distance] = cue
        parts.append(fillers[:, -n:].clone())
    return torch.cat(parts), torch.tensor([0] * len(fillers) + [1] * len(fillers))


guess_beyond = 0.5
measured_beyond = []
for k in range(1, 7):
    exam_rows, cues = exam(exam_fillers.clone(), k, 4)
    measured_beyond.append((reader(exam_rows).argmax(1) == cues).double().mean().item())


# %% right="where and float shares as an array"
def exam(fillers, distance, n):
    N, T = fillers.shape
    cues = torch.cat([torch.zeros(N), torch.ones(N)]).int()
    here = torch.arange(T) == T - distance
    return torch.where(here, cues[:, None], torch.cat([fillers, fillers]))[:, T - n :], cues


guess_beyond = torch.tensor(0.5)
measured_beyond = np.array([1, 1, 1, 1, 0.5, 0.5], dtype=np.float32)


# %% wrong="two fillers or five hundred" caught_by="each filler with both cues"
def exam(fillers, distance, n):
    N, T = fillers.shape
    cues = torch.tensor([0, 0, 1, 1]) if N < 500 else torch.arange(2).repeat_interleave(500)
    texts = fillers.repeat(2, 1)
    for i in range(2 * N):
        texts[i, T - distance] = i // N
    return texts[:, T - n :], cues


guess_beyond = 0.5
measured_beyond = [1, 1, 1, 1, 0.5, 0.5]


# %% wrong="cut before the cue is planted" caught_by="only the last n words"
def exam(fillers, distance, n):
    N, T = fillers.shape
    cues = torch.arange(2).repeat_interleave(N)
    texts = fillers.repeat(2, 1)[:, T - n :]
    texts[:, max(n - distance, 0)] = cues
    return texts, cues


guess_beyond = 0.5
measured_beyond = [1, 1, 1, 1, 0.5, 0.5]


# %% wrong="a cue at the very beginning is lost" caught_by="the cue at its distance"
def exam(fillers, distance, n):
    N, T = fillers.shape
    cues = torch.arange(2).repeat_interleave(N)
    texts = fillers.repeat(2, 1)
    if distance < T:
        texts[:, -distance] = cues
    return texts[:, T - n :], cues


guess_beyond = 0.5
measured_beyond = [1, 1, 1, 1, 0.5, 0.5]


# %% wrong="rows as floating-point numbers" caught_by="the cue at its distance"
def exam(fillers, distance, n):
    N, T = fillers.shape
    texts = torch.zeros(2 * N, T)
    texts[:N] = texts[N:] = fillers
    texts[:, T - distance] = (torch.arange(2 * N) >= N).float()
    return texts[:, T - n :], (torch.arange(2 * N) >= N).int()


guess_beyond = 0.5
measured_beyond = [1, 1, 1, 1, 0.5, 0.5]


# %% wrong="the cue for a distance beyond the window put at its edge" caught_by="only the last n words"
def exam(fillers, distance, n):
    N, T = fillers.shape
    cues = torch.arange(2).repeat_interleave(N)
    texts = fillers.repeat(2, 1)
    texts[:, T - min(distance, n)] = cues
    return texts[:, T - n :], cues


guess_beyond = 0.5
measured_beyond = [1, 1, 1, 1, 0.5, 0.5]


# %% wrong="keeps one exam for each size" caught_by="the cue at its distance"
# + kept = {}
# +
# +
#   def exam(fillers, distance, n):

# -     texts = fillers.repeat(2, 1)
# +     if (N, T) not in kept:
# +         kept[N, T] = fillers.repeat(2, 1)
# +     texts = kept[N, T].clone()


# %% wrong="the mean probability of the right cue" caught_by="predicted, then measured" change="measured_beyond.append((reader(exam_rows).argmax(1) == cues).double().mean().item()) -> measured_beyond.append(reader(exam_rows).softmax(1).gather(1, cues[:, None]).mean().item())"


# %% wrong="cues as floating-point numbers" caught_by="each filler with both cues" change="texts[:, T - n :], cues -> texts[:, T - n :], cues.float()"


# %% right="columns put together"
def exam(fillers, distance, n):
    N, T = fillers.shape
    place, cues = T - distance, torch.tensor([[0], [1]]).expand(2, N).reshape(-1)
    before, behind = fillers[:, :place].tile(2, 1), fillers[:, place + 1 :].tile(2, 1)
    return torch.cat([before, cues[:, None], behind], 1)[:, T - n :], cues


guess_beyond = 0.5
measured_beyond = tuple(
    (reader(rows)[range(1000), cues] > reader(rows)[range(1000), 1 - cues]).double().mean()
    for rows, cues in (exam(exam_fillers, k, 4) for k in range(1, 7))
)


# %% wrong="equal fillers only once" caught_by="each filler with both cues" change="N, T = fillers.shape -> N, T = (fillers := torch.unique(fillers, dim=0)).shape"


# %% wrong="a cue that nobody sees is not written" caught_by="only the last n words" change="return texts[:, T - n :], cues -> return (texts if distance < n else fillers.repeat(2, 1))[:, T - n :], cues"


# %% wrong="every word like the one at the distance becomes the cue" caught_by="the cue at its distance" change="texts[:, T - distance] = cues -> texts = torch.where(texts == texts[:, T - distance].clone()[:, None], cues[:, None], texts)"
