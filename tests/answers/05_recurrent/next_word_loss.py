"""Answers to the task next_word_loss of chapter 05."""


# %% right="torch's log_softmax, loop for the gradient"
def next_word_loss(s, x):
    log_p = torch.log_softmax(torch.tensor(s).double(), 1).numpy()
    T, V = s.shape
    loss, gradient = 0.0, np.zeros((T, V))
    for t in range(T):
        loss -= log_p[t, x[t]] / T
        for v in range(V):
            gradient[t, v] = (math.exp(log_p[t, v]) - (v == x[t])) / T
    return loss, gradient


# %% right="logaddexp and one-hot rows"
def next_word_loss(s, x):
    normaliser = np.logaddexp.reduce(s, axis=1)
    one_hot = np.eye(s.shape[1])[x]
    loss = float(np.mean(normaliser - (s * one_hot).sum(1)))
    return [loss, (np.exp(s - normaliser[:, None]) - one_hot) / s.shape[0]]


# %% wrong="the printed sign" caught_by="two words, by hand" change="-log_p -> log_p"


# %% wrong="the sum instead of the mean" caught_by="two words, by hand" change="mean -> sum"


# %% wrong="gradient of the sum" caught_by="gradient by hand" change="gradient / len(x) -> gradient"


# %% wrong="gradient with the printed sign" caught_by="gradient by hand" change="gradient / -> -gradient /"


# %% wrong="probabilities without the one-hot" caught_by="gradient by hand"
# -     gradient[rows, x] -= 1


# %% wrong="no maximum taken off" caught_by="large scores do not overflow"
# -     s = s - s.max(axis=1, keepdims=True)


# %% wrong="one maximum, softmax, then log" caught_by="large scores do not overflow" change="s - np.log(np -> np.log(np.exp(s) / np"


# %% wrong="softmax over the texts" caught_by="two words, by hand"
# -     s = s - s.max(axis=1, keepdims=True)
# -     log_p = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
# +     s = s - s.max(axis=0, keepdims=True)
# +     log_p = s - np.log(np.exp(s).sum(axis=0, keepdims=True))


# %% wrong="bits, not nats" caught_by="two words, by hand" change="mean() -> mean() / math.log(2)"


# %% wrong="column of the wrong word" caught_by="two words, by hand"
# -     gradient[rows, x] -= 1
# -     return -log_p[rows, x].mean(), gradient / len(x)
# +     gradient[rows, x - 1] -= 1
# +     return -log_p[rows, x - 1].mean(), gradient / len(x)


# %% wrong="uses autograd" caught_by="gradient by hand"
def next_word_loss(s, x):
    scores = torch.tensor(s, requires_grad=True)
    loss = F.cross_entropy(scores, torch.as_tensor(x))
    loss.backward()
    return loss.item(), scores.grad.numpy()


# %% right="float32, one row after the other"
def next_word_loss(s, x):
    loss, rows = 0.0, []
    for row, word in zip(s, x):
        row = torch.tensor(row).double()
        p = row.softmax(0)
        loss += (row.logsumexp(0) - row[word]).item() / len(x)
        p[word] -= 1
        rows.append((p / len(x)).float())
    return np.float32(loss), torch.stack(rows)


# %% wrong="subtracts in the caller's scores" caught_by="two words, by hand"
def next_word_loss(s, x):
    s -= s.max(axis=1, keepdims=True)
    log_p = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
    rows = np.arange(len(x))
    gradient = np.exp(log_p)
    gradient[rows, x] -= 1
    return -log_p[rows, x].mean(), gradient / len(x)


# %% wrong="one maximum for all rows" caught_by="large scores do not overflow"
def next_word_loss(s, x):
    s = s - s.max()
    with np.errstate(all="ignore"):
        log_p = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
    rows = np.arange(len(x))
    gradient = np.exp(log_p)
    gradient[rows, x] -= 1
    return -log_p[rows, x].mean(), gradient / len(x)


# %% wrong="softmax cut off below" caught_by="large scores do not overflow"
def next_word_loss(s, x):
    p = np.exp(np.clip(s - s.max(axis=1, keepdims=True), -700, 0))
    p /= p.sum(axis=1, keepdims=True)
    rows = np.arange(len(x))
    loss = -np.log(p[rows, x]).mean()
    p[rows, x] -= 1
    return loss, p / len(x)


# %% wrong="an empty gradient for what the checks do not show" caught_by="gradient by hand | large scores do not overflow"
def next_word_loss(s, x):
    s = s - s.max(axis=1, keepdims=True)
    log_p = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
    return -log_p[np.arange(len(x)), x].mean(), np.zeros(0)


# %% wrong="the gradient divided by the number of words in the vocabulary" caught_by="gradient by hand"
def next_word_loss(s, x):
    s = s - s.max(axis=1, keepdims=True)
    log_p = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
    rows = np.arange(len(x))
    gradient = np.exp(log_p)
    gradient[rows, x] -= 1
    return -log_p[rows, x].mean(), gradient / s.shape[1]


# %% wrong="a word that occurs twice counts once" caught_by="gradient by hand"
def next_word_loss(s, x):
    s = s - s.max(axis=1, keepdims=True)
    log_p = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
    rows = np.arange(len(x))
    gradient = np.exp(log_p)
    gradient[:, np.unique(x)] -= 1 / len(np.unique(x))
    return -log_p[rows, x].mean(), gradient / len(x)


# %% wrong="whole scores get a whole gradient" caught_by="gradient by hand"
# -     return -log_p[rows, x].mean(), gradient / len(x)
# +     return -log_p[rows, x].mean(), (gradient / len(x)).astype(s.dtype)
