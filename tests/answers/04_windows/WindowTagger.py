"""Answers to the task WindowTagger of chapter 04."""


# %% right="sum over places, views of the shapes"
# -         vectors = self.embedding(windows)  # (B, 2c + 1, dim)
# -         x = vectors.mean(1) if self.mean else vectors.flatten(1)
# +         vectors = self.embedding(windows)
# +         x = vectors.sum(1) / windows.shape[1] if self.mean else vectors.reshape(len(windows), -1)


# %% right="one place after the other"
class WindowTagger(nn.Module):
    def __init__(self, n_words, n_tags, context, dim=32, width=64, mean=False):
        super().__init__()
        self.places, self.dim, self.mean = 2 * context + 1, dim, mean
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.hidden = nn.Linear(dim * (1 if mean else self.places), width)
        self.out = nn.Linear(width, n_tags)

    def forward(self, windows):
        h = self.hidden.bias
        for k in range(self.places):
            block = self.hidden.weight if self.mean else self.hidden.weight[:, k * self.dim : (k + 1) * self.dim]
            h = h + self.embedding(windows[:, k]) @ block.T / (self.places if self.mean else 1)
        return self.out(h.tanh())


# %% right="PAD masked as well"
# -     def forward(self, windows):
# -         """Word numbers (B, 2c + 1) -> scores (B, n_tags)."""
# -         vectors = self.embedding(windows)  # (B, 2c + 1, dim)
# +     def forward(self, w):
# +         vectors = self.embedding(w) * (w != 0)[..., None]


# %% wrong="PAD is a word like others" caught_by="PAD is zero and stays so" change="dim, padding_idx=0 -> dim"


# %% wrong="PAD starts at zero and learns" caught_by="PAD is zero and stays so"
# -         self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
# +         self.embedding = nn.Embedding(n_words, dim)
# +         self.embedding.weight.data[0] = 0


# %% wrong="no tanh" caught_by="scores of the concatenation | scores of the mean" change="torch.tanh(self.hidden(x) -> self.hidden(x"


# %% wrong="another squashing function" caught_by="scores of the concatenation" change="tanh -> relu"


# %% wrong="tanh over the scores too" caught_by="scores of the concatenation" change="self.out(torch.tanh(self.hidden(x -> torch.tanh(self.out(torch.tanh(self.hidden(x)"


# %% wrong="probabilities instead of scores" caught_by="scores of the concatenation" change="x))) -> x))).softmax(1)"


# %% wrong="always the mean" caught_by="parts and their shapes | scores of the concatenation"
# -         self.hidden = nn.Linear(dim if mean else (2 * context + 1) * dim, width)
# +         self.hidden = nn.Linear(dim, width)

# -         vectors = self.embedding(windows)  # (B, 2c + 1, dim)
# -         x = vectors.mean(1) if self.mean else vectors.flatten(1)
# +         vectors = self.embedding(windows)
# +         x = vectors.mean(1)


# %% wrong="a mean over words, PAD left out" caught_by="scores of the mean"
# -         vectors = self.embedding(windows)  # (B, 2c + 1, dim)
# -         x = vectors.mean(1) if self.mean else vectors.flatten(1)
# +         vectors = self.embedding(windows)
# +         x = vectors.sum(1) / (windows > 0).sum(1, keepdim=True).clamp(min=1) if self.mean else vectors.flatten(1)


# %% wrong="a sum for a mean" caught_by="scores of the mean"
# -         vectors = self.embedding(windows)  # (B, 2c + 1, dim)
# -         x = vectors.mean(1) if self.mean else vectors.flatten(1)
# +         vectors = self.embedding(windows)
# +         x = vectors.sum(1) if self.mean else vectors.flatten(1)


# %% wrong="laid end to end by column" caught_by="scores of the concatenation"
# -         vectors = self.embedding(windows)  # (B, 2c + 1, dim)
# -         x = vectors.mean(1) if self.mean else vectors.flatten(1)
# +         vectors = self.embedding(windows)
# +         x = vectors.mean(1) if self.mean else vectors.transpose(1, 2).flatten(1)


# %% wrong="no bias in the hidden layer" caught_by="parts and their shapes" change="width) -> width, bias=False)"


# %% right="PAD's gradient stopped by a hook"
class WindowTagger(nn.Module):
    def __init__(self, n_words, n_tags, context, dim=32, width=64, mean=False):
        super().__init__()
        places = 1 if mean else 2 * context + 1
        self.hidden, self.out = nn.Linear(places * dim, width), nn.Linear(width, n_tags)
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.reduce = (lambda v: v.sum(-2).div(v.shape[-2])) if mean else (lambda v: v.flatten(-2))

    def forward(self, windows):
        return self.out(self.hidden(self.reduce(F.embedding(windows, self.embedding.weight, padding_idx=0))).tanh())


# %% wrong="vectors looked up without gradients" caught_by="PAD is zero and stays so" change="embedding(windows)  # (B, 2c + 1, dim) -> embedding.weight.data[windows]"


# %% wrong="the hidden layer learns nothing" caught_by="PAD is zero and stays so" change="self.hidden(x -> F.linear(x, self.hidden.weight.detach(), self.hidden.bias"


# %% wrong="a batch of one is squeezed" caught_by="scores of the concatenation | scores of the mean" change="x))) -> x))).squeeze()"


# %% wrong="a width of its own by default" caught_by="parts and their shapes" change="32, width=64 -> 50, width=100"


# %% wrong="PAD written into the caller's windows" caught_by="scores of the concatenation"
# -         vectors = self.embedding(windows)  # (B, 2c + 1, dim)
# +         vectors = self.embedding(windows)
# +         windows[windows == 0] = 1


# %% wrong="the newest tagger says whether all average" caught_by="scores of the concatenation | scores of the mean"
class WindowTagger(nn.Module):
    settings = {}

    def __init__(self, n_words, n_tags, context, dim=32, width=64, mean=False):
        super().__init__()
        self.settings["mean"] = mean
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.hidden = nn.Linear(dim if mean else (2 * context + 1) * dim, width)
        self.out = nn.Linear(width, n_tags)

    def forward(self, windows):
        vectors = self.embedding(windows)
        x = vectors.mean(1) if self.settings["mean"] else vectors.flatten(1)
        return self.out(torch.tanh(self.hidden(x)))


# %% right="the row of PAD multiplied by zero"
class WindowTagger(nn.Module):
    def __init__(self, n_words, n_tags, context, dim=32, width=64, mean=False):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.embedding.weight.data[0].zero_()
        self.keep = (torch.arange(n_words) > 0)[:, None].float()
        self.hidden = nn.Linear(dim if mean else dim + 2 * context * dim, width)
        self.out, self.mean = nn.Linear(width, n_tags), mean

    def forward(self, windows):
        vectors = (self.embedding.weight * self.keep)[windows]
        x = torch.einsum("bnm->bm", vectors) / vectors.shape[1] if self.mean else torch.cat(vectors.unbind(1), 1)
        return self.out(self.hidden(x).tanh())


# %% wrong="dropout while it trains" caught_by="scores of the concatenation | scores of the mean" change="torch.tanh(self.hidden(x) -> F.dropout(torch.tanh(self.hidden(x)), 0.2, self.training"


# %% wrong="vectors no longer than 1" caught_by="scores of the concatenation | scores of the mean" change="padding_idx=0 -> padding_idx=0, max_norm=1.0"


# %% wrong="a ramp for the tanh" caught_by="scores of the concatenation" change="torch.tanh(self.hidden(x)) -> F.hardtanh(self.hidden(x))"


# %% wrong="the mean forgets the last place" caught_by="scores of the mean" change="vectors.mean(1) -> vectors[:, :-1].sum(1) / vectors.shape[1]"


# %% wrong="the context is never more than eight" caught_by="parts and their shapes" change="(2 * context + 1) * dim -> (2 * min(context, 8) + 1) * dim"
