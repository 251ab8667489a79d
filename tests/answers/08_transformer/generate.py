"""Answers to the task generate of chapter 08."""


# %% right="recursion over the rounds, a list of columns"
def generate(model, tokens, n, choose, end):
    columns = [tokens]
    alive = torch.ones(tokens.shape[0], dtype=torch.bool)
    past, round_ = None, 0
    while round_ < n and bool(alive.any()):
        scores, past = model(columns[-1], past)
        column = choose(scores[:, -1, :]).clone()
        column[~alive] = end
        alive &= column != end
        columns.append(column.unsqueeze(1))
        round_ += 1
    return torch.cat(columns, dim=1)


# %% right="where instead of a fill"
# -         chosen = choose(scores[:, -1]).masked_fill(over, end)
# +         chosen = torch.where(over, torch.tensor(end), choose(scores[:, -1]))


# %% wrong="the whole text is read in each round" caught_by="each token is read once"
# -         scores, past = model(new, past)
# +         scores, past = model(tokens, None)


# %% wrong="the whole text and the past" caught_by="goes on from the whole text"
# -         scores, past = model(new, past)
# +         scores, past = model(tokens, past)


# %% wrong="the past is not handed on" caught_by="goes on from the whole text"
# -         scores, past = model(new, past)
# +         scores, _ = model(new, None)


# %% wrong="the prompt token by token" caught_by="each token is read once"
# -     for _ in range(n):
# +     for t in range(tokens.shape[1] - 1 if n else 0):
# +         _, past = model(tokens[:, t : t + 1], past)
# +     new = tokens[:, -1:]
# +     for _ in range(n):


# %% wrong="the last token is read, too" caught_by="each token is read once"
# -     return tokens
# +     if n:
# +         model(new, past)
# +     return tokens


# %% wrong="the first place's scores" caught_by="goes on from the whole text" change="choose(scores[:, -1]) -> choose(scores[:, 0])"


# %% wrong="always the best, whatever choose says" caught_by="goes on from the whole text" change="choose(scores[:, -1]) -> scores[:, -1].argmax(-1)"


# %% wrong="an end in the prompt counts" caught_by="each text ends by itself" change="over = torch.zeros(len(tokens), dtype=torch.bool, device=tokens.device) -> over = (tokens == end).any(1)"


# %% wrong="stops when the first text is over" caught_by="each text ends by itself" change="over.all() -> over.any()"


# %% wrong="texts go on behind their end" caught_by="each text ends by itself" change=".masked_fill(over, end) -> "


# %% wrong="never stops early" caught_by="each text ends by itself"
# -         if over.all():
# -             break


# %% wrong="only what was written is returned" caught_by="goes on from the whole text"
# -     return tokens
# +     return tokens[:, -n:]


# %% wrong="one token too many" caught_by="goes on from the whole text" change="range(n) -> range(n + 1)"
