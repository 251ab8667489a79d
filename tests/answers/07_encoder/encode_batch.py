"""Answers to the task encode_batch of chapter 07."""


# %% right="lists filled up; torch.where"
def pad(texts, filler):
    T = max([len(text) for text in texts] + [0])
    rows = [list(text) + [filler] * (T - len(text)) for text in texts]
    ids = torch.tensor(rows, dtype=torch.int64).reshape(len(texts), T)
    return ids, torch.tensor([len(text) for text in texts], dtype=torch.int64)


def encode_batch(encoder, table, positions, ids, lengths):
    B, T = ids.shape
    x = F.embedding(ids, table) + positions[None, :T]
    mask = torch.arange(T)[None] < lengths.reshape(B, 1)
    y = encoder(x, mask.reshape(B, 1, 1, T))
    return torch.where(mask[:, :, None], y, torch.zeros_like(y))


# %% right="text by text"
def pad(texts, filler):
    lengths = [len(text) for text in texts]
    T = max(lengths) if lengths else 0
    ids = torch.zeros(len(texts), T, dtype=torch.long) + filler
    for b, text in enumerate(texts):
        for t, word in enumerate(text):
            ids[b, t] = word
    return [ids, torch.tensor(lengths).long()]


def encode_batch(encoder, table, positions, ids, lengths):
    B, T = ids.shape
    mask = torch.zeros(B, 1, 1, T, dtype=torch.bool)
    for b in range(B):
        mask[b, :, :, : int(lengths[b])] = True
    y = encoder(table[ids] + positions[:T].expand(B, -1, -1), mask)
    result = torch.zeros(B, T, y.shape[2])
    for b in range(B):
        result[b, : lengths[b]] = y[b, : lengths[b]]
    return result


# %% wrong="fillers in front" caught_by="filled up to the longest" change="row[: len(text)] = -> row[len(row) - len(text) :] ="


# %% wrong="filled with zeros, whatever the filler" caught_by="filled up to the longest" change="torch.full((len(texts), T), filler) -> torch.full((len(texts), T), 0)"


# %% wrong="cut to the shortest" caught_by="filled up to the longest"
# -     T = max(map(len, texts), default=0)
# +     T = min(map(len, texts), default=0)

# -         row[: len(text)] = torch.tensor(text)
# +         row[: len(text)] = torch.tensor(text[:T])


# %% wrong="no text at all is an error" caught_by="filled up to the longest" change="texts), default=0) -> texts))"


# %% wrong="as long as the first text, at least" caught_by="filled up to the longest" change="default=0) -> default=0) + (len(texts) == 1)"


# %% wrong="lengths counted by what is no filler" caught_by="filled up to the longest"
# -     return ids, lengths
# +     return ids, (ids != filler).sum(1)


# %% wrong="lengths as floats" caught_by="filled up to the longest" change="dtype=torch.long) -> dtype=torch.float)"


# %% wrong="all lengths are T" caught_by="filled up to the longest" change="[len(text) for text in texts] -> [max(map(len, texts)) for text in texts]"


# %% wrong="the caller's texts are filled up" caught_by="filled up to the longest"
#       T = max(map(len, texts), default=0)
# -     ids = torch.full((len(texts), T), filler)
# +     for text in texts:
# +         text += [filler] * (T - len(text))
# +     ids = torch.full((len(texts), T), filler)


# %% wrong="no positions" caught_by="words and places, once" change="table[ids] + positions[:T] -> table[ids]"


# %% wrong="positions added behind the encoder, too" caught_by="words and places, once" change="y.masked_fill -> (y + positions[:T]).masked_fill"


# %% wrong="positions behind the encoder" caught_by="words and places, once"
# -     y = encoder(table[ids] + positions[:T], real[:, None, None])
# +     y = encoder(table[ids], real[:, None, None]) + positions[:T]


# %% wrong="the last positions" caught_by="words and places, once" change="positions[:T] -> positions[-T:]"


# %% wrong="positions by the number of the word" caught_by="words and places, once" change="positions[:T] -> positions[ids % len(positions)]"


# %% wrong="the table is changed" caught_by="words and places, once"
#       real = torch.arange(T, device=ids.device) < lengths[:, None]
# -     y = encoder(table[ids] + positions[:T], real[:, None, None])
# +     table[ids[:1, 0]] += 1
# +     y = encoder(table[ids] + positions[:T], real[:, None, None])


# %% wrong="the encoder is called for each text" caught_by="words and places, once"
# -     y = encoder(table[ids] + positions[:T], real[:, None, None])
# +     x = table[ids] + positions[:T]
# +     y = x.clone()
# +     for b in range(len(ids)):
# +         y[b : b + 1] = encoder(x[b : b + 1], real[b : b + 1, None, None])


# %% wrong="no mask: all may be looked at" caught_by="alone or among longer texts" change="real[:, None, None]) -> torch.ones_like(real)[:, None, None])"


# %% wrong="the mask turned round" caught_by="alone or among longer texts" change="real[:, None, None]) -> (~real)[:, None, None])"


# %% wrong="one word too many" caught_by="alone or among longer texts" change="torch.arange(T, device=ids.device) < lengths -> torch.arange(T, device=ids.device) <= lengths"


# %% wrong="a mask of the shape [B, T]" caught_by="alone or among longer texts" change="real[:, None, None]) -> real)"


# %% wrong="padding may not ask, but answers" caught_by="alone or among longer texts" change="real[:, None, None]) -> real[:, None, :, None])"


# %% wrong="the mask of the first text for all" caught_by="alone or among longer texts" change="real[:, None, None]) -> real[:1].expand_as(real)[:, None, None])"


# %% wrong="padding known by its number 0" caught_by="alone or among longer texts" change="torch.arange(T, device=ids.device) < lengths[:, None] -> (torch.arange(T) < lengths[:, None]) & (ids != 2)"


# %% wrong="the filler's vector set to zero, no mask" caught_by="alone or among longer texts"
# -     y = encoder(table[ids] + positions[:T], real[:, None, None])
# +     x = (table[ids] + positions[:T]).masked_fill(~real[..., None], 0)
# +     y = encoder(x, torch.ones_like(real)[:, None, None])


# %% wrong="padding keeps the encoder's answer" caught_by="zeros at padding" change="return y.masked_fill(~real[..., None], 0) -> return y"


# %% wrong="multiplied with zero" caught_by="zeros at padding" change="y.masked_fill(~real[..., None], 0) -> y * real[..., None]"


# %% wrong="nan becomes zero, all else stays" caught_by="zeros at padding" change="y.masked_fill(~real[..., None], 0) -> torch.where(real[..., None], y, torch.nan_to_num(y, 0.0))"


# %% wrong="an empty text counts as one word" caught_by="zeros at padding" change="< lengths[:, None] -> < lengths.clamp(min=1)[:, None]"


# %% wrong="nan and inf become zero, at words, too" caught_by="zeros at padding" change="return y.masked_fill(~real[..., None], 0) -> return torch.nan_to_num(y, 0.0, 0.0, 0.0) * real[..., None]"


# %% wrong="word 0 never learns" caught_by="words and places, once" change="table[ids] -> F.embedding(ids, table, padding_idx=0)"


# %% wrong="no gradients" caught_by="words and places, once" change="table[ids] + positions[:T] -> table.detach()[ids] + positions.detach()[:T]"


# %% wrong="the answer without gradients" caught_by="words and places, once" change="y.masked_fill -> y.detach().masked_fill"


# %% wrong="positions do not learn" caught_by="words and places, once" change="positions[:T] -> positions.detach()[:T]"


# %% wrong="zeros written into the encoder's answer" caught_by="words and places, once"
# -     return y.masked_fill(~real[..., None], 0)
# +     y[~real] = 0
# +     return y


# %% wrong="floats where all texts are empty" caught_by="filled up to the longest"
# -     ids = torch.full((len(texts), T), filler)
# -     for row, text in zip(ids, texts, strict=True):
# -         row[: len(text)] = torch.tensor(text)
# -     return ids, lengths
# +     if not texts:
# +         return torch.zeros(0, 0, dtype=torch.long), lengths
# +     return torch.tensor([[*text, *[filler] * (T - len(text))] for text in texts]), lengths
