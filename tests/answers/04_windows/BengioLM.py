"""Answers to the task BengioLM of chapter 04."""


# %% right="reshape, count by modules"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.direct = nn.Linear(m * n, V, bias=False)
        self.hidden = nn.Linear(m * n, h)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        vectors = self.embedding(rows)
        x = vectors.reshape(vectors.shape[0], -1)
        a = self.hidden(x).tanh()
        return self.out(a) + self.direct(x)


def bengio_parameters(V, n, m, h):
    return sum(weight.numel() for weight in BengioLM(V, n, m, h).parameters())


# %% right="place by place"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = torch.cat([self.embedding(rows[:, k]) for k in range(rows.shape[1])], dim=1)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return (V + h) * (1 + n * m) + V * (m + h)


# %% wrong="a second bias" caught_by="parts and their shapes"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="no direct connection in the scores" caught_by="equal to the formula"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="no tanh" caught_by="equal to the formula"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return self.direct(x) + self.out(self.hidden(x))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="relu" caught_by="equal to the formula"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return self.direct(x) + self.out(torch.relu(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="tanh around all" caught_by="equal to the formula"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return torch.tanh(self.direct(x) + self.out(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="minus the direct path" caught_by="equal to the formula"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return self.out(torch.tanh(self.hidden(x))) - self.direct(x)


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="probabilities for scores" caught_by="equal to the formula"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return (self.direct(x) + self.out(torch.tanh(self.hidden(x)))).softmax(1)


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="columns interleaved" caught_by="equal to the formula"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).transpose(1, 2).flatten(1)  # (B, n m)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="words reversed" caught_by="equal to the formula"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows.flip(1)).flatten(1)  # (B, n m)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="no bias in the hidden layer" caught_by="parts and their shapes"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h, bias=False)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="hidden of width m" caught_by="parts and their shapes"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, m)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(m, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="the vectors forgotten" caught_by="how many numbers"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="two words always" caught_by="how many numbers"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * m + V * (1 + 2 * m + h) + h * (1 + 2 * m)


# %% wrong="biases forgotten" caught_by="how many numbers"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * m + V * (n * m + h) + h * n * m


# %% wrong="one bias for W too" caught_by="how many numbers"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return V * m + V * (2 + n * m + h) + h * (1 + n * m)


# %% wrong="C beside the vectors" caught_by="how many numbers"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    return 2 * V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% right="unbound columns, float64 count"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.out, self.direct = nn.Linear(h, V), nn.Linear(n * m, V, bias=False)
        self.hidden, self.embedding = nn.Linear(n * m, h), nn.Embedding(V, m)

    def forward(self, rows):
        x = torch.cat([self.embedding(column) for column in rows.unbind(1)], dim=-1)
        return self.out(self.hidden(x).tanh()).add(self.direct(x))


def bengio_parameters(V, n, m, h):
    return np.float64(V * m + V + V * n * m + V * h + h + h * n * m)


# %% wrong="word 0 never learns" caught_by="all weights learn"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m, padding_idx=0)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        x = self.embedding(rows).flatten(1)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="vectors looked up without gradients" caught_by="all weights learn"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        x = self.embedding.weight.data[rows].flatten(1)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="the direct path does not teach the vectors" caught_by="all weights learn"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        x = self.embedding(rows).flatten(1)
        return self.direct(x.detach()) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="a batch of one is squeezed" caught_by="equal to the formula"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        x = self.embedding(rows).flatten(1)
        return (self.direct(x) + self.out(torch.tanh(self.hidden(x)))).squeeze(0)


def bengio_parameters(V, n, m, h):
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="tanh of the vectors too" caught_by="equal to the formula"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        x = self.embedding(rows).flatten(1)
        return self.direct(torch.tanh(x)) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)


# %% wrong="the newest model says how wide all are" caught_by="equal to the formula"
class BengioLM(nn.Module):
    settings = {}

    def __init__(self, V, n, m, h):
        super().__init__()
        self.settings["width"] = n * m
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)

    def forward(self, rows):
        x = self.embedding(rows).reshape(len(rows), self.settings["width"])
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))


def bengio_parameters(V, n, m, h):
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)
