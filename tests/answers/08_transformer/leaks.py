"""Answers to the task leaks of chapter 08."""


# %% right="the whole future at once, from each place"
def leaks(model, tokens):
    before = model(tokens)
    V = before.shape[2]
    changes = []
    for t in range(tokens.shape[1] - 1):
        other = torch.cat([tokens[:, : t + 1], (tokens[:, t + 1 :] + 2) % V], dim=1)
        changes.append((model(other) - before)[:, t].abs().max().item())
    return max(changes) > 1e-5


diagnosis = {"A": "starts too sure", "B": "sees no past", "C": "healthy", "D": "sees the future"}


# %% right="prefixes alone and as a beginning"
@torch.no_grad()
def leaks(model, tokens):
    V = model(tokens).shape[-1]
    for last in reversed(range(1, tokens.shape[1])):
        changed = torch.stack([row.index_add(0, torch.tensor([last]), torch.tensor([1])) for row in tokens]) % V
        difference = model(tokens)[:, :last] - model(changed)[:, :last]
        if difference.abs().sum() > 1e-4:
            return np.bool_(True)
    return np.bool_(False)


diagnosis = {}
for name, row in measured.items():
    if leaks(patients[name], one_batch[0]):
        diagnosis[name] = "sees the future"
    elif row["first loss"] > math.log(V) + 1:
        diagnosis[name] = "starts too sure"
    else:
        diagnosis[name] = "healthy" if row["after 100 steps on one batch"] < 0.5 else "sees no past"


# %% wrong="only the last token is exchanged" caught_by="every look ahead is found" change="range(1, tokens.shape[1]) -> [tokens.shape[1] - 1]"


# %% wrong="only the second token is exchanged" caught_by="every look ahead is found" change="range(1, tokens.shape[1]) -> [1]"


# %% wrong="only the place just before is watched" caught_by="every look ahead is found" change="[:, :t] -> [:, t - 1]"


# %% wrong="only the first place is watched" caught_by="every look ahead is found" change="[:, :t] -> [:, 0]"


# %% wrong="its own place counts as a leak" caught_by="the past is allowed" change="[:, :t] -> [:, : t + 1]"


# %% wrong="any change counts as a leak" caught_by="the past is allowed" change="[:, :t].abs() -> .abs()"


# %% wrong="later places are watched" caught_by="the past is allowed" change="[:, :t].abs().max() > 1e-4 -> [:, t + 1 :].abs().gt(1e-4).any()"


# %% wrong="tokens exchanged in place, compared with themselves" caught_by="every look ahead is found"
def leaks(model, tokens):
    for t in range(1, tokens.shape[1]):
        other = tokens
        other[:, t] = (other[:, t] + 1) % 3
        if not torch.allclose(model(other)[:, :t], model(tokens)[:, :t]):
            return True
    return False


diagnosis = {"A": "starts too sure", "B": "sees no past", "C": "healthy", "D": "sees the future"}


# %% wrong="token 0 for every other" caught_by="every look ahead is found" change="(other[:, t] + 1) % scores.shape[-1] -> 0"


# %% wrong="the last token is left out" caught_by="every look ahead is found" change="1]) -> 1] - 1)"


# %% wrong="true and false swapped" caught_by="the past is allowed | every look ahead is found"
# -             return True
# -     return False
# +             return False
# +     return True


# %% wrong="too sure taken for healthy" caught_by="the right diagnosis"
def leaks(model, tokens):
    scores = model(tokens)
    for t in range(1, tokens.shape[1]):
        other = tokens.clone()
        other[:, t] = (other[:, t] + 1) % scores.shape[-1]
        if not torch.allclose(model(other)[:, :t], scores[:, :t], atol=1e-6):
            return True
    return False


diagnosis = {"A": "healthy", "B": "sees no past", "C": "starts too sure", "D": "sees the future"}


# %% wrong="no past taken for healthy" caught_by="the right diagnosis"
def leaks(model, tokens):
    scores = model(tokens)
    for t in range(1, tokens.shape[1]):
        other = tokens.clone()
        other[:, t] = (other[:, t] + 1) % scores.shape[-1]
        if not torch.allclose(model(other)[:, :t], scores[:, :t], atol=1e-6):
            return True
    return False


diagnosis = {"A": "starts too sure", "B": "healthy", "C": "sees no past", "D": "sees the future"}


# %% wrong="the future taken for the past" caught_by="the right diagnosis"
def leaks(model, tokens):
    scores = model(tokens)
    for t in range(1, tokens.shape[1]):
        other = tokens.clone()
        other[:, t] = (other[:, t] + 1) % scores.shape[-1]
        if not torch.allclose(model(other)[:, :t], scores[:, :t], atol=1e-6):
            return True
    return False


diagnosis = {"A": "starts too sure", "B": "sees the future", "C": "healthy", "D": "sees no past"}


# %% wrong="all healthy" caught_by="the right diagnosis"
def leaks(model, tokens):
    scores = model(tokens)
    for t in range(1, tokens.shape[1]):
        other = tokens.clone()
        other[:, t] = (other[:, t] + 1) % scores.shape[-1]
        if not torch.allclose(model(other)[:, :t], scores[:, :t], atol=1e-6):
            return True
    return False


diagnosis = {"A": "healthy", "B": "healthy", "C": "healthy", "D": "healthy"}


# %% wrong="only the first text is looked at" caught_by="every look ahead is found" change="[:, :t] -> [0, :t]"


# %% wrong="the number of kinds guessed from the tokens" caught_by="every look ahead is found" change="scores.shape[-1] -> (tokens.max() + 1)"


# %% wrong="the tokens themselves are exchanged" caught_by="the past is allowed" change="tokens.clone() -> tokens"


# %% wrong="the last digits count" caught_by="the past is allowed" change="> 1e-4 -> > 0"


# %% wrong="never a leak" caught_by="the past is allowed | every look ahead is found"
def leaks(model, tokens):
    return False


diagnosis = {"A": "starts too sure", "B": "sees no past", "C": "healthy", "D": "sees the future"}


# %% wrong="always a leak" caught_by="the past is allowed"
def leaks(model, tokens):
    return True


diagnosis = {"A": "starts too sure", "B": "sees no past", "C": "healthy", "D": "sees the future"}


# %% wrong="the mean over the texts is compared, loosely" caught_by="every look ahead is found" change="(model(other) - scores)[:, :t].abs().max() > 1e-4 -> (model(other) - scores)[:, :t].mean(0).abs().max() > 0.35"


# %% right="gradients are not needed: every other token in turn"
def leaks(model, tokens):
    before = np.asarray(model(tokens))
    V = before.shape[-1]
    worst = 0.0
    for t in range(tokens.shape[1]):
        for step in range(1, V):
            other = torch.tensor(tokens.tolist())
            other[:, t] = (other[:, t] + step) % V
            worst = max([worst, *np.abs(np.asarray(model(other)) - before)[:, :t].ravel()])
    return int(worst > 1e-4)


diagnosis = {"A": "starts too sure", "B": "sees no past", "C": "healthy", "D": "sees the future"}


# %% wrong="a leak found, the text stays exchanged" caught_by="the past is allowed"
#       for t in range(1, tokens.shape[1]):
# -         other = tokens.clone()
# -         other[:, t] = (other[:, t] + 1) % scores.shape[-1]
# -         if (model(other) - scores)[:, :t].abs().max() > 1e-4:
# -             return True
# +         kept = tokens[:, t].clone()
# +         tokens[:, t] = (kept + 1) % scores.shape[-1]
# +         if (model(tokens) - scores)[:, :t].abs().max() > 1e-4:
# +             return True
# +         tokens[:, t] = kept


# %% wrong="small changes pass for rounding" caught_by="every look ahead is found" change="> 1e-4 -> > 0.1"


# %% wrong="a small share of the score is no leak" caught_by="every look ahead is found" change="if (model(other) - scores)[:, :t].abs().max() > 1e-4: -> if not torch.allclose(model(other)[:, :t], scores[:, :t], atol=1e-6):"


# %% wrong="the model is put into train mode" caught_by="the past is allowed"
#       scores = model(tokens)
# +     if hasattr(model, "train"):
# +         model.train()
# +         scores = model(tokens)
