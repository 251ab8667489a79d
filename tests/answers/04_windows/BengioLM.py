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
# -         x = self.embedding(rows).flatten(1)  # (B, n m)
# +         x = torch.cat([self.embedding(rows[:, k]) for k in range(rows.shape[1])], dim=1)

# -     return V * m + V * (1 + n * m + h) + h * (1 + n * m)
# +     return (V + h) * (1 + n * m) + V * (m + h)


# %% wrong="a second bias" caught_by="parts and their shapes" change="V, bias=False -> V"


# %% wrong="no direct connection in the scores" caught_by="equal to the formula" change="direct(x) + self.out -> out"


# %% wrong="no tanh" caught_by="equal to the formula" change="torch.tanh(self.hidden(x) -> self.hidden(x"


# %% wrong="relu" caught_by="equal to the formula" change="tanh -> relu"


# %% wrong="tanh around all" caught_by="equal to the formula" change="self.direct(x) + self.out(torch.tanh -> torch.tanh(self.direct(x) + self.out"


# %% wrong="minus the direct path" caught_by="equal to the formula" change="direct(x) + self.out(torch.tanh(self.hidden(x)) -> out(torch.tanh(self.hidden(x))) - self.direct(x"


# %% wrong="probabilities for scores" caught_by="equal to the formula" change="self.direct(x) + self.out(torch.tanh(self.hidden(x)) -> (self.direct(x) + self.out(torch.tanh(self.hidden(x)))).softmax(1"


# %% wrong="columns interleaved" caught_by="equal to the formula" change="flatten -> transpose(1, 2).flatten"


# %% wrong="words reversed" caught_by="equal to the formula" change="rows).flatten -> rows.flip(1)).flatten"


# %% wrong="no bias in the hidden layer" caught_by="parts and their shapes" change="* m, h -> * m, h, bias=False"


# %% wrong="hidden of width m" caught_by="parts and their shapes"
# -         self.hidden = nn.Linear(n * m, h)
# +         self.hidden = nn.Linear(n * m, m)

# -         self.out = nn.Linear(h, V)
# +         self.out = nn.Linear(m, V)


# %% wrong="the vectors forgotten" caught_by="how many numbers" change="m + V * (1 -> (1"


# %% wrong="two words always" caught_by="how many numbers" change="n * m + h) + h * (1 + n -> 2 * m + h) + h * (1 + 2"


# %% wrong="biases forgotten" caught_by="how many numbers" change="1 + n * m + h) + h * (1 + n * m) -> n * m + h) + h * n * m"


# %% wrong="one bias for W too" caught_by="how many numbers" change="V * (1 -> V * (2"


# %% wrong="C beside the vectors" caught_by="how many numbers" change="V * m -> 2 * V * m"


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


# %% wrong="word 0 never learns" caught_by="all weights learn" change="V, m -> V, m, padding_idx=0"


# %% wrong="vectors looked up without gradients" caught_by="all weights learn" change="embedding(rows).flatten(1)  # (B, n m -> embedding.weight.data[rows].flatten(1"


# %% wrong="the direct path does not teach the vectors" caught_by="all weights learn"
# -         x = self.embedding(rows).flatten(1)  # (B, n m)
# -         return self.direct(x) + self.out(torch.tanh(self.hidden(x)))
# +         x = self.embedding(rows).flatten(1)
# +         return self.direct(x.detach()) + self.out(torch.tanh(self.hidden(x)))


# %% wrong="a batch of one is squeezed" caught_by="equal to the formula"
# -         x = self.embedding(rows).flatten(1)  # (B, n m)
# -         return self.direct(x) + self.out(torch.tanh(self.hidden(x)))
# +         x = self.embedding(rows).flatten(1)
# +         return (self.direct(x) + self.out(torch.tanh(self.hidden(x)))).squeeze(0)


# %% wrong="tanh of the vectors too" caught_by="equal to the formula"
# -         x = self.embedding(rows).flatten(1)  # (B, n m)
# -         return self.direct(x) + self.out(torch.tanh(self.hidden(x)))
# +         x = self.embedding(rows).flatten(1)
# +         return self.direct(torch.tanh(x)) + self.out(torch.tanh(self.hidden(x)))


# %% wrong="the newest model says how wide all are" caught_by="equal to the formula"
#   class BengioLM(nn.Module):
# +     settings = {}
# +

#           super().__init__()
# +         self.settings["width"] = n * m

# -         x = self.embedding(rows).flatten(1)  # (B, n m)
# +         x = self.embedding(rows).reshape(len(rows), self.settings["width"])


# %% right="one product for both paths"
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        self.embedding, self.hidden = nn.Embedding(V, m), nn.Linear(n * m, h)
        self.direct, self.out = nn.Linear(n * m, V, bias=False), nn.Linear(h, V)

    def forward(self, rows):
        x = F.embedding(rows, self.embedding.weight).reshape(rows.shape[0], -1)
        both = torch.cat([x, torch.tanh(self.hidden(x))], 1)
        return torch.addmm(self.out.bias, both, torch.cat([self.direct.weight, self.out.weight], 1).T)


def bengio_parameters(V, n, m, h):
    return sum(rows * columns for rows, columns in ((V, m), (V, n * m), (V, h + 1), (h, n * m + 1)))


# %% wrong="dropout while it trains" caught_by="equal to the formula" change="torch.tanh(self.hidden(x)) -> F.dropout(torch.tanh(self.hidden(x)), 0.1, self.training)"


# %% wrong="vectors no longer than 1" caught_by="equal to the formula" change="nn.Embedding(V, m) -> nn.Embedding(V, m, max_norm=1.0)"


# %% wrong="the hidden layer does not teach the vectors" caught_by="all weights learn" change="self.hidden(x) -> self.hidden(x.detach())"


# %% wrong="one vector less" caught_by="how many numbers" change="V * m + V -> (V - 1) * m + V"


# %% wrong="tanh from two exponentials, which overflow" caught_by="equal to the formula"
# -         return self.direct(x) + self.out(torch.tanh(self.hidden(x)))
# +         z = self.hidden(x)
# +         a = (z.exp() - (-z).exp()) / (z.exp() + (-z).exp())
# +         return self.direct(x) + self.out(a)
