"""Answers to the task go_on of chapter 08."""


# %% right="the tokens stay a tensor"
def go_on(model, tokens, n, pick, longest):
    text = torch.tensor([tokens], device=device)
    for _ in range(n):
        scores = model(text[:, -longest:])
        new = torch.tensor([[pick(scores[:, -1, :])]], device=device)
        text = torch.cat([text, new], dim=1)
    return text[0].tolist()


# %% right="it calls itself"
def go_on(model, tokens, n, pick, longest):
    if n == 0:
        return tokens[:]
    read = torch.as_tensor(tokens[max(0, len(tokens) - longest) :], device=device)
    scores = model(read.unsqueeze(0))
    return go_on(model, tokens + [pick(scores[0, -1:])], n - 1, pick, longest)


# %% right="the window is kept beside the text"
def go_on(model, tokens, n, pick, longest):
    written, window = [], tokens[-longest:]
    while len(written) < n:
        new = pick(model(torch.tensor([window], device=device))[:, len(window) - 1])
        written.append(new)
        window = [*window, new][-longest:]
    return tokens + written


# %% wrong="reads only the last token" caught_by="one token after the other" change="tokens[-longest:] -> tokens[-1:]"

# %% wrong="reads all, however long" caught_by="it reads what it has places for" change="tokens[-longest:] -> tokens"

# %% wrong="reads the beginning" caught_by="it reads what it has places for" change="tokens[-longest:] -> tokens[:longest]"

# %% wrong="one place less than it has" caught_by="it reads what it has places for" change="tokens[-longest:] -> tokens[-max(longest - 1, 1) :]"

# %% wrong="one place more than it has" caught_by="it reads what it has places for" change="tokens[-longest:] -> tokens[-longest - 1 :]"

# %% wrong="the scores of the first place" caught_by="one token after the other" change="[:, -1] -> [:, 0]"

# %% wrong="picks from all places" caught_by="one token after the other" change="model(read)[:, -1] -> model(read)"

# %% wrong="one score too few in each row" caught_by="one token after the other" change="[:, -1] -> [:, -1, :-1]"

# %% wrong="the batch is lost on the way" caught_by="one token after the other" change="[:, -1] -> [0, -1]"

# %% wrong="one token too many" caught_by="one token after the other | your list stays as it is" change="range(n) -> range(n + 1)"

# %% wrong="n tokens in all" caught_by="one token after the other" change="range(n) -> range(n - len(tokens))"

# %% wrong="always the likeliest" caught_by="one token after the other" change="pick(model(read)[:, -1]) -> model(read)[:, -1].argmax(-1).item()"

# %% wrong="only what is new" caught_by="one token after the other"
# -     return tokens
# +     return tokens[-n:] if n else []

# %% wrong="the list itself grows" caught_by="one token after the other" change="tokens = list(tokens) -> pass"

# %% wrong="reads once and picks n times" caught_by="one token after the other"
# -     for _ in range(n):
# -         read = torch.tensor([tokens[-longest:]], device=device)
# -         tokens.append(pick(model(read)[:, -1]))
# +     scores = model(torch.tensor([tokens[-longest:]], device=device))[:, -1]
# +     tokens += [pick(scores) for _ in range(n)]

# %% wrong="stops when the places are full" caught_by="it reads what it has places for"
#       for _ in range(n):
# +         if len(tokens) == longest:
# +             break

# %% wrong="begins anew when the places are full" caught_by="it reads what it has places for" change="tokens[-longest:] -> tokens[(len(tokens) - 1) // longest * longest :]"


# %% wrong="nothing to write: the same list" caught_by="your list stays as it is"
@torch.no_grad()
def go_on(model, tokens, n, pick, longest):
    if n == 0:
        return tokens
    tokens = list(tokens)
    for _ in range(n):
        read = torch.tensor([tokens[-longest:]], device=device)
        tokens.append(pick(model(read)[:, -1]))
    return tokens


# %% wrong="one draw for each window" caught_by="it reads what it has places for"
#       tokens = list(tokens)
# +     known = {}
#       for _ in range(n):
# -         read = torch.tensor([tokens[-longest:]], device=device)
# -         tokens.append(pick(model(read)[:, -1]))
# +         read = torch.tensor([tokens[-longest:]], device=device)
# +         window = tuple(tokens[-longest:])
# +         if window not in known:
# +             known[window] = pick(model(read)[:, -1])
# +         tokens.append(known[window])
