"""Answers to the task Seq2Seq of chapter 09."""


# %% right="each row by itself, a loop"
class Seq2Seq(nn.Module):
    def __init__(self, V_source, V, d):
        super().__init__()
        self.source_words, self.target_words = nn.Embedding(V_source, d), nn.Embedding(V, d)
        self.encoder, self.decoder = (nn.LSTM(d, d, batch_first=True) for _ in range(2))
        self.out = nn.Linear(d, V)

    def encode(self, source, lengths):
        rows = [self.encoder(self.source_words(row[None, :length]))[1] for row, length in zip(source, lengths.tolist())]
        return tuple(torch.cat(parts, dim=1) for parts in zip(*rows))

    def decode(self, state, given):
        h, c = state
        return self.out(self.decoder(self.target_words(given), (h, c))[0])

    def forward(self, source, lengths, given):
        return self.decode(self.encode(source, lengths), given)


# %% right="word by word, finished rows keep their state"
class Seq2Seq(nn.Module):
    def __init__(self, V_source, V, d):
        super().__init__()
        self.source_words, self.target_words = nn.Embedding(V_source, d), nn.Embedding(V, d)
        self.encoder = nn.LSTM(d, d, batch_first=True)
        self.decoder = nn.LSTM(d, d, batch_first=True)
        self.out, self.d = nn.Linear(d, V), d

    def encode(self, source, lengths):
        h = c = torch.zeros(1, len(source), self.d)
        for i in range(source.shape[1]):
            _, (h2, c2) = self.encoder(self.source_words(source[:, i : i + 1]), (h, c))
            goes_on = (i < lengths)[None, :, None]
            h, c = torch.where(goes_on, h2, h), torch.where(goes_on, c2, c)
        return h, c

    def decode(self, state, given):
        scores = []
        for t in range(given.shape[1]):
            z, state = self.decoder(self.target_words(given[:, t : t + 1]), tuple(state))
            scores.append(self.out(z))
        return torch.cat(scores, dim=1)

    def forward(self, source, lengths, given):
        return self.decode(self.encode(source, lengths), given)


# %% wrong="padding is read" caught_by="padding is not read"
# -         packed = nn.utils.rnn.pack_padded_sequence(
# -             self.source_words(source), lengths, batch_first=True, enforce_sorted=False
# -         )
# -         return self.encoder(packed)[1]
# +         return self.encoder(self.source_words(source))[1]


# %% wrong="c is that after the padding" caught_by="padding is not read"
# -         return self.encoder(packed)[1]
# +         h, _ = self.encoder(packed)[1]
# +         return h, self.encoder(self.source_words(source))[1][1]


# %% wrong="sorted, and never put back" caught_by="padding is not read"
# -         packed = nn.utils.rnn.pack_padded_sequence(
# -             self.source_words(source), lengths, batch_first=True, enforce_sorted=False
# -         )
# +         lengths, order = lengths.sort(descending=True)
# +         packed = nn.utils.rnn.pack_padded_sequence(
# +             self.source_words(source[order]), lengths, batch_first=True
# +         )


# %% wrong="the longest length for all" caught_by="padding is not read" change="lengths, batch_first=True, enforce_sorted=False -> torch.full_like(lengths, int(lengths.max())), batch_first=True, enforce_sorted=False"


# %% wrong="the decoder begins with nothing" caught_by="equal to two LSTMs" change="self.target_words(given), state -> self.target_words(given)"


# %% wrong="c is not handed over" caught_by="equal to two LSTMs" change="self.target_words(given), state -> self.target_words(given), (state[0], torch.zeros_like(state[0]))"


# %% wrong="h and c swapped" caught_by="equal to two LSTMs" change="self.target_words(given), state -> self.target_words(given), tuple(state)[::-1]"


# %% wrong="one LSTM for both" caught_by="equal to two LSTMs"
# -         self.decoder = nn.LSTM(d, d, batch_first=True)
# +         self.decoder = self.encoder


# %% wrong="the source's words for both" caught_by="equal to two LSTMs" change="self.target_words(given), state -> self.source_words(given % self.source_words.num_embeddings), state"


# %% wrong="a softmax at the end" caught_by="equal to two LSTMs"
# -         return self.out(self.decoder(self.target_words(given), state)[0])
# +         return self.out(self.decoder(self.target_words(given), state)[0]).softmax(-1)


# %% wrong="keeps the last source to itself" caught_by="only the vector crosses"
# -         return self.encoder(packed)[1]
# +         self.state = self.encoder(packed)[1]
# +         return self.state

# -         return self.out(self.decoder(self.target_words(given), state)[0])
# +         return self.out(self.decoder(self.target_words(given), self.state)[0])


# %% wrong="the state goes on from call to call" caught_by="only the vector crosses"
# -         return self.out(self.decoder(self.target_words(given), state)[0])
# +         z, after = self.decoder(self.target_words(given), state)
# +         state[0].data.copy_(after[0].data)
# +         return self.out(z)


# %% wrong="the vector is detached" caught_by="both halves learn"
# -         return self.encoder(packed)[1]
# +         h, c = self.encoder(packed)[1]
# +         return h.detach(), c.detach()


# %% wrong="no batch_first" caught_by="equal to two LSTMs"
# -         self.decoder = nn.LSTM(d, d, batch_first=True)
# +         self.decoder = nn.LSTM(d, d)

# -         return self.out(self.decoder(self.target_words(given), state)[0])
# +         z = self.target_words(given)
# +         if z.shape[0] != z.shape[1]:
# +             state = tuple(s[:, :1].expand(-1, z.shape[1], -1).contiguous() for s in state)
# +         return self.out(self.decoder(z, state)[0])


# %% wrong="h is detached, c is not" caught_by="both halves learn"
# -         return self.encoder(packed)[1]
# +         h, c = self.encoder(packed)[1]
# +         return h.detach(), c


# %% wrong="forward ignores the lengths" caught_by="padding is not read"
# -         return self.decode(self.encode(source, lengths), given)
# +         whole = torch.full((len(source),), source.shape[1])
# +         return self.decode(self.encode(source, whole), given)


# %% right="counts the words itself" change="self.source_words(source), lengths -> self.source_words(source), (source != PAD).sum(1)"


# %% right="the row of the padding does not learn"
# -         self.source_words = nn.Embedding(V_source, d)
# -         self.target_words = nn.Embedding(V, d)
# +         self.source_words = nn.Embedding(V_source, d, padding_idx=PAD)
# +         self.target_words = nn.Embedding(V, d, padding_idx=PAD)


# %% wrong="logarithms in eval mode" caught_by="equal to two LSTMs"
# -         return self.out(self.decoder(self.target_words(given), state)[0])
# +         scores = self.out(self.decoder(self.target_words(given), state)[0])
# +         return scores if self.training else scores.log_softmax(-1)
