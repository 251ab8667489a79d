"""Answers to the task train_step of chapter 05."""


# %% right="torch's own clipping and optimiser"
def train_step(model, inputs, targets, state, lr, limit):
    descent = torch.optim.SGD(model.parameters(), lr=lr)
    descent.zero_grad()
    scores, state = model(inputs, state)
    B, T, V = scores.shape
    loss = nn.functional.cross_entropy(scores.reshape(B * T, V), targets.reshape(B * T))
    loss.backward()
    length = nn.utils.clip_grad_norm_(model.parameters(), math.inf if limit is None else limit)
    descent.step()
    if isinstance(state, tuple):
        h, C = state
        return loss.item(), float(length), (h.detach(), C.detach())
    return loss.item(), float(length), state.detach()


# %% right="one long vector, gradients taken away by hand"
def train_step(model, inputs, targets, state, lr, limit):
    model.zero_grad()
    scores, state = model(inputs, state)
    loss = F.cross_entropy(scores.transpose(1, 2), targets)
    loss.backward()
    with torch.no_grad():
        g = torch.cat([w.grad.flatten() for w in model.parameters()])
        norm = g.norm().item()
        if limit is not None and norm > limit:
            for w in model.parameters():
                w.grad *= limit / norm
        for w in model.parameters():
            w.sub_(w.grad, alpha=lr)
    kept = [s.detach().clone() for s in state] if isinstance(state, tuple) else state.detach().clone()
    return [loss.item(), norm, tuple(kept) if isinstance(state, tuple) else kept]


# %% wrong="uphill" caught_by="downhill, all weights" change="weight -= lr -> weight += lr"


# %% wrong="the sum of the losses" caught_by="loss and norm come first" change="targets.flatten()) -> targets.flatten(), reduction=\"sum\")"


# %% wrong="only the last word of each text" caught_by="loss and norm come first" change="scores.flatten(0, 1), targets.flatten() -> scores[:, -1], targets[:, -1]"


# %% wrong="the squared norm" caught_by="loss and norm come first" change="math.sqrt(sum((g**2).sum().item() for g in found)) -> sum((g**2).sum().item() for g in found)"


# %% wrong="sum of the norms" caught_by="loss and norm come first" change="math.sqrt(sum((g**2).sum().item() for g in found)) -> sum(g.norm().item() for g in found)"


# %% wrong="the norm after clipping" caught_by="loss and norm come first" change="loss.item(), norm, state -> loss.item(), norm * shrink, state"


# %% wrong="the loss is a tensor" caught_by="loss and norm come first" change="loss.item(), -> loss,"


# %% wrong="always scaled to the limit" caught_by="a long gradient is shortened" change="limit is None or norm <= limit -> limit is None"


# %% wrong="never clipped" caught_by="a long gradient is shortened" change="limit is None or norm <= limit -> True"


# %% wrong="each entry clipped by itself" caught_by="a long gradient is shortened"
# -             weight -= lr * shrink * g
# +             weight -= lr * (g if limit is None else g.clamp(-limit, limit))


# %% wrong="each weight clipped by itself" caught_by="a long gradient is shortened"
# -             weight -= lr * shrink * g
# +             weight -= lr * g * (1 if limit is None else min(1, limit / max(g.norm(), 1e-9)))


# %% wrong="divided by the norm only" caught_by="a long gradient is shortened" change="else limit / norm -> else 1 / norm"


# %% wrong="gradients pile up" caught_by="steps do not pile up"
# -     found = torch.autograd.grad(loss, weights)
# +     loss.backward()
# +     found = [weight.grad for weight in weights]


# %% wrong="the state is thrown away" caught_by="the state goes on, its history not" change="model(inputs, state) -> model(inputs)"


# %% wrong="the old state goes back" caught_by="the state goes on, its history not"
# -     scores, state = model(inputs, state)
# +     scores, _ = model(inputs, state)
# +     state = torch.zeros(1, len(inputs), scores.shape[-1]) if state is None else state


# %% wrong="the history goes on" caught_by="the state goes on, its history not"
# -     if isinstance(state, tuple):
# -         state = tuple(part.detach() for part in state)
# -     else:
# -         state = state.detach()


# %% wrong="of the LSTM's state only h" caught_by="the state goes on, its history not" change="state = tuple(part.detach() for part in state) -> state = state[0].detach()"


# %% wrong="only the first weight learns" caught_by="downhill, all weights" change="zip(weights, found, strict=True) -> zip(weights[:1], found, strict=False)"


# %% wrong="gradients set to zero behind the step, not before" caught_by="steps do not pile up"
def train_step(model, inputs, targets, state, lr, limit):
    scores, state = model(inputs, state)
    loss = F.cross_entropy(scores.flatten(0, 1), targets.flatten())
    loss.backward()
    weights = list(model.parameters())
    norm = math.sqrt(sum((w.grad**2).sum().item() for w in weights))
    shrink = 1.0 if limit is None or norm <= limit else limit / norm
    with torch.no_grad():
        for w in weights:
            w -= lr * shrink * w.grad
    model.zero_grad()
    state = tuple(part.detach() for part in state) if isinstance(state, tuple) else state.detach()
    return loss.item(), norm, state


# %% wrong="the norm of the first four weights" caught_by="a long gradient is shortened" change="for g in found)) -> for g in found[:4]))"


# %% wrong="a limit of 0 is no limit" caught_by="a long gradient is shortened"
# -     shrink = 1.0 if limit is None or norm <= limit else limit / norm
# +     shrink = limit / norm if limit and norm > limit else 1.0


# %% wrong="only targets that lie in one piece" caught_by="loss and norm come first"
def train_step(model, inputs, targets, state, lr, limit):
    scores, state = model(inputs, state)
    loss = F.cross_entropy(scores.reshape(-1, scores.shape[-1]), targets.view(-1))
    weights = list(model.parameters())
    grads = torch.autograd.grad(loss, weights)
    norm = math.sqrt(sum(float((g**2).sum()) for g in grads))
    factor = 1.0 if limit is None or norm <= limit else limit / norm
    with torch.no_grad():
        for w, g in zip(weights, grads):
            w -= lr * factor * g
    if isinstance(state, (tuple, list)):
        state = tuple(s.detach() for s in state)
    else:
        state = state.detach()
    return loss.item(), norm, state


# %% wrong="the first learning rate is kept" caught_by="steps do not pile up"
def train_step(model, inputs, targets, state, lr, limit):
    if "optimizer" not in model.__dict__:
        model.__dict__["optimizer"] = torch.optim.SGD(model.parameters(), lr=lr)
    optimizer = model.__dict__["optimizer"]
    scores, state = model(inputs, state)
    loss = F.cross_entropy(scores.flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf if limit is None else limit)
    optimizer.step()
    state = tuple(s.detach() for s in state) if isinstance(state, tuple) else state.detach()
    return loss.item(), float(norm), state


# %% wrong="a sum over the steps of a long piece" caught_by="loss and norm come first"
def train_step(model, inputs, targets, state, lr, limit):
    scores, state = model(inputs, state)
    loss = F.cross_entropy(scores.reshape(-1, scores.shape[-1]), targets.reshape(-1)) * (
        inputs.shape[1] if inputs.shape[1] > 8 else 1
    )
    weights = list(model.parameters())
    grads = torch.autograd.grad(loss, weights)
    norm = math.sqrt(sum(float((g**2).sum()) for g in grads))
    factor = 1.0 if limit is None or norm <= limit else limit / norm
    with torch.no_grad():
        for w, g in zip(weights, grads):
            w -= lr * factor * g
    if isinstance(state, (tuple, list)):
        state = tuple(s.detach() for s in state)
    else:
        state = state.detach()
    return loss.item(), norm, state


# %% wrong="no limit above one" caught_by="a long gradient is shortened"
def train_step(model, inputs, targets, state, lr, limit):
    scores, state = model(inputs, state)
    loss = F.cross_entropy(scores.reshape(-1, scores.shape[-1]), targets.reshape(-1))
    weights = list(model.parameters())
    grads = torch.autograd.grad(loss, weights)
    norm = math.sqrt(sum(float((g**2).sum()) for g in grads))
    factor = 1.0 if limit is None or norm <= limit else min(limit, 1.0) / norm
    with torch.no_grad():
        for w, g in zip(weights, grads):
            w -= lr * factor * g
    if isinstance(state, (tuple, list)):
        state = tuple(s.detach() for s in state)
    else:
        state = state.detach()
    return loss.item(), norm, state


# %% wrong="divides by the length of a gradient of zero" caught_by="a long gradient is shortened" change="1.0 if limit is None or norm <= limit else limit / norm -> 1.0 if limit is None else min(1.0, limit / norm)"


# %% wrong="only torch's LSTM has a tuple" caught_by="the state goes on, its history not" change="isinstance(state, tuple) -> isinstance(model, nn.LSTM)"


# %% wrong="weights of modules within modules are moved once for each module around them" caught_by="downhill, all weights"
def train_step(model, inputs, targets, state, lr, limit):
    scores, state = model(inputs, state)
    loss = F.cross_entropy(scores.flatten(0, 1), targets.flatten())
    weights = [w for module in model.modules() for w in module.parameters()]
    grads = torch.autograd.grad(loss, weights)
    norm = math.sqrt(sum(g.pow(2).sum().item() for g in grads))
    if limit is not None and norm > limit:
        grads = [g * limit / norm for g in grads]
    for w, g in zip(weights, grads, strict=True):
        w.data -= lr * g
    if isinstance(state, tuple):
        return loss.item(), norm, tuple(s.detach() for s in state)
    return loss.item(), norm, state.detach()


# %% wrong="a weight that two modules share moves twice" caught_by="downhill, all weights" change="list(model.parameters()) -> [w for part in model.modules() for w in part.parameters(recurse=False)]"


# %% wrong="the logarithm of a softmax" caught_by="loss and norm come first" change="F.cross_entropy(scores.flatten(0, 1), targets.flatten()) -> -scores.softmax(-1).gather(-1, targets[..., None]).log().mean()"
