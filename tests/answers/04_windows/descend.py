"""Answers to the task descend of chapter 04."""


# %% right="leaf tensors, backward, zeroed gradients"
def descend(W, b, batches, rate):
    W, b = W.clone().requires_grad_(), b.clone().requires_grad_()
    losses = []
    for x, y in batches:
        loss = F.cross_entropy(x @ W + b, y)
        loss.backward()
        with torch.no_grad():
            W -= rate * W.grad
            b -= rate * b.grad
        W.grad = b.grad = None
        losses.append(float(loss))
    return W.detach(), b.detach(), losses


# %% right="the gradient by its formula"
def descend(W, b, batches, rate):
    losses = []
    for x, y in batches:
        log_p = (x @ W + b).log_softmax(1)
        losses.append(-log_p[range(len(y)), y].mean().item())
        error = (log_p.exp() - F.one_hot(y, len(b))) / len(y)
        W, b = W - rate * x.T @ error, b - rate * error.sum(0)
    return W, b, losses


# %% right="torch's own optimiser"
def descend(W, b, batches, rate):
    W, b = nn.Parameter(W.clone()), nn.Parameter(b.clone())
    optimiser = torch.optim.SGD([W, b], lr=rate)
    losses = []
    for x, y in batches:
        optimiser.zero_grad()
        loss = F.cross_entropy(x @ W + b, y)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return W.data, b.data, losses


# %% wrong="gradients pile up" caught_by="gradients do not pile up"
def descend(W, b, batches, rate):
    W, b = W.clone().requires_grad_(), b.clone().requires_grad_()
    losses = []
    for x, y in batches:
        loss = F.cross_entropy(x @ W + b, y)
        loss.backward()
        with torch.no_grad():
            W -= rate * W.grad
            b -= rate * b.grad
        losses.append(loss.item())
    return W.detach(), b.detach(), losses


# %% wrong="uphill" caught_by="losses before each step | one step against the gradient"
# -         W_gradient, b_gradient = torch.autograd.grad(loss, [W, b])
# -         W, b = W - rate * W_gradient, b - rate * b_gradient
# +         gW, gb = torch.autograd.grad(loss, [W, b])
# +         W, b = W + rate * gW, b + rate * gb


# %% wrong="the sum of the losses, not the mean" caught_by="losses before each step | one step against the gradient"
def descend(W, b, batches, rate):
    losses = []
    for x, y in batches:
        W, b = W.detach().requires_grad_(), b.detach().requires_grad_()
        loss = F.cross_entropy(x @ W + b, y, reduction="sum")
        gW, gb = torch.autograd.grad(loss, [W, b])
        W, b = W - rate * gW, b - rate * gb
        losses.append(loss.item())
    return W.detach(), b.detach(), losses


# %% wrong="the bias stays" caught_by="the bias learns too"
def descend(W, b, batches, rate):
    losses = []
    for x, y in batches:
        W = W.detach().requires_grad_()
        loss = F.cross_entropy(x @ W + b, y)
        W = W - rate * torch.autograd.grad(loss, W)[0]
        losses.append(loss.item())
    return W.detach(), b, losses


# %% wrong="losses after the step" caught_by="losses before each step"
def descend(W, b, batches, rate):
    losses = []
    for x, y in batches:
        W, b = W.detach().requires_grad_(), b.detach().requires_grad_()
        loss = F.cross_entropy(x @ W + b, y)
        gW, gb = torch.autograd.grad(loss, [W, b])
        W, b = W - rate * gW, b - rate * gb
        losses.append(F.cross_entropy(x @ W + b, y).item())
    return W.detach(), b.detach(), losses


# %% wrong="every step from the first weights" caught_by="gradients do not pile up"
def descend(W, b, batches, rate):
    losses = []
    for x, y in batches:
        W0, b0 = W.detach().requires_grad_(), b.detach().requires_grad_()
        loss = F.cross_entropy(x @ W0 + b0, y)
        gW, gb = torch.autograd.grad(loss, [W0, b0])
        newest = W0 - rate * gW, b0 - rate * gb
        losses.append(loss.item())
    return newest[0].detach(), newest[1].detach(), losses


# %% wrong="softmax twice" caught_by="one step against the gradient | the bias learns too"
def descend(W, b, batches, rate):
    losses = []
    for x, y in batches:
        W, b = W.detach().requires_grad_(), b.detach().requires_grad_()
        loss = F.cross_entropy((x @ W + b).softmax(1), y)
        gW, gb = torch.autograd.grad(loss, [W, b])
        W, b = W - rate * gW, b - rate * gb
        losses.append(loss.item())
    return W.detach(), b.detach(), losses


# %% wrong="W and b still ask for gradients" caught_by="one step against the gradient | the bias learns too"
def descend(W, b, batches, rate):
    W, b = W.clone().requires_grad_(), b.clone().requires_grad_()
    losses = []
    for x, y in batches:
        loss = F.cross_entropy(x @ W + b, y)
        loss.backward()
        with torch.no_grad():
            W -= rate * W.grad
            b -= rate * b.grad
        W.grad = b.grad = None
        losses.append(loss.item())
    return W, b, losses


# %% wrong="losses with their graphs" caught_by="losses before each step"
def descend(W, b, batches, rate):
    losses = []
    for x, y in batches:
        W, b = W.detach().requires_grad_(), b.detach().requires_grad_()
        loss = F.cross_entropy(x @ W + b, y)
        gW, gb = torch.autograd.grad(loss, [W, b])
        W, b = W - rate * gW, b - rate * gb
        losses.append(loss)
    return W.detach(), b.detach(), losses


# %% right="float64 inside, a list of NumPy numbers"
def descend(W, b, batches, rate):
    W, b, losses = W.double(), b.double(), []
    for x, y in batches:
        W, b = W.detach().clone().requires_grad_(), b.detach().clone().requires_grad_()
        loss = nn.CrossEntropyLoss()(x.double() @ W + b, y)
        loss.backward()
        W, b = W.detach() - rate * W.grad, b.detach() - rate * b.grad
        losses.append(np.float32(loss.item()))
    return W, b, losses


# %% wrong="divides by the first batch's size" caught_by="losses before each step | gradients do not pile up"
def descend(W, b, batches, rate):
    losses, size = [], None
    for x, y in batches:
        size = size or len(y)
        log_p = (x @ W + b).log_softmax(1)
        losses.append(-log_p[range(len(y)), y].sum().item() / size)
        error = (log_p.exp() - F.one_hot(y, len(b))) / size
        W, b = W - rate * x.T @ error, b - rate * error.sum(0)
    return W, b, losses


# %% wrong="counts the batches first" caught_by="gradients do not pile up"
def descend(W, b, batches, rate):
    losses = [0.0] * sum(1 for _ in batches)
    for i, (x, y) in enumerate(batches):
        W, b = W.detach().requires_grad_(), b.detach().requires_grad_()
        loss = F.cross_entropy(x @ W + b, y)
        gW, gb = torch.autograd.grad(loss, [W, b])
        W, b = W - rate * gW, b - rate * gb
        losses[i] = loss.item()
    return W.detach(), b.detach(), losses


# %% wrong="needs a length" caught_by="gradients do not pile up"
def descend(W, b, batches, rate):
    losses = []
    for i in range(len(batches)):
        x, y = batches[i]
        W, b = W.detach().requires_grad_(), b.detach().requires_grad_()
        loss = F.cross_entropy(x @ W + b, y)
        gW, gb = torch.autograd.grad(loss, [W, b])
        W, b = W - rate * gW, b - rate * gb
        losses.append(loss.item())
    return W.detach(), b.detach(), losses


# %% wrong="moves the caller's W and b" caught_by="losses before each step"
def descend(W, b, batches, rate):
    losses = []
    for x, y in batches:
        log_p = (x @ W + b).log_softmax(1)
        losses.append(-log_p[range(len(y)), y].mean().item())
        error = (log_p.exp() - F.one_hot(y, len(b))) / len(y)
        W -= rate * x.T @ error
        b -= rate * error.sum(0)
    return W, b, losses


# %% wrong="a rate that falls" caught_by="losses before each step | gradients do not pile up"
def descend(W, b, batches, rate):
    losses = []
    for i, (x, y) in enumerate(batches):
        W, b = W.detach().requires_grad_(), b.detach().requires_grad_()
        loss = F.cross_entropy(x @ W + b, y)
        gW, gb = torch.autograd.grad(loss, [W, b])
        W, b = W - rate / (i + 1) * gW, b - rate / (i + 1) * gb
        losses.append(loss.item())
    return W.detach(), b.detach(), losses


# %% wrong="the last loss again, after the end" caught_by="losses before each step"
def descend(W, b, batches, rate):
    losses = []
    for x, y in batches:
        W, b = W.detach().requires_grad_(), b.detach().requires_grad_()
        loss = F.cross_entropy(x @ W + b, y)
        gW, gb = torch.autograd.grad(loss, [W, b])
        W, b = W - rate * gW, b - rate * gb
        losses.append(loss.item() if not losses else 0.5 * (losses[-1] + loss.item()))
    return W.detach(), b.detach(), losses


# %% wrong="gradients clipped at 1" caught_by="one step against the gradient"
# -         W_gradient, b_gradient = torch.autograd.grad(loss, [W, b])
# -         W, b = W - rate * W_gradient, b - rate * b_gradient
# +         gW, gb = torch.autograd.grad(loss, [W, b])
# +         W, b = W - rate * gW / max(1, gW.norm() / 1.5), b - rate * gb


# %% wrong="asks for gradients in the caller's W and b" caught_by="the bias learns too"
# -         W, b = W.detach().requires_grad_(), b.detach().requires_grad_()
# +         for part in (W, b):
# +             part.requires_grad_()

# -         W, b = W - rate * W_gradient, b - rate * b_gradient
# +         W, b = (W - rate * W_gradient).detach(), (b - rate * b_gradient).detach()


# %% wrong="a clipped gradient" caught_by="one step against the gradient"
def descend(W, b, batches, rate):
    W, b, losses = W.detach().clone(), b.detach().clone(), []
    for x, w in batches:
        W.requires_grad_()
        b.requires_grad_()
        loss = F.cross_entropy(x @ W + b, w)
        dW, db = (g.clamp(-5, 5) for g in torch.autograd.grad(loss, (W, b)))
        W, b = (W - rate * dW).detach(), (b - rate * db).detach()
        losses.append(loss.item())
    return W, b, losses


# %% right="a linear layer that holds the transposed weights"
def descend(W, b, batches, rate):
    layer, losses = nn.Linear(*W.shape).to(W.dtype), []
    layer.load_state_dict({"weight": W.T, "bias": b})
    for x, y in batches:
        layer.zero_grad()
        loss = -F.log_softmax(layer(x), 1).gather(1, y[:, None]).mean()
        loss.backward()
        with torch.no_grad():
            for weight in layer.parameters():
                weight.sub_(weight.grad, alpha=rate)
        losses.append(loss.tolist())
    return layer.weight.detach().T, layer.bias.detach(), losses


# %% wrong="momentum" caught_by="gradients do not pile up"
def descend(W, b, batches, rate):
    W, b, losses = nn.Parameter(W.clone()), nn.Parameter(b.clone()), []
    optimiser = torch.optim.SGD([W, b], lr=rate, momentum=0.5)
    for x, y in batches:
        optimiser.zero_grad()
        loss = F.cross_entropy(x @ W + b, y)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return W.data, b.data, losses


# %% wrong="weights decay a little" caught_by="one step against the gradient" change="W - rate * W_gradient -> W * (1 - 1e-4) - rate * W_gradient"


# %% wrong="losses with three digits" caught_by="losses before each step" change="loss.item() -> round(loss.item(), 3)"


# %% wrong="no step where the loss is small" caught_by="gradients do not pile up"
# -         W, b = W - rate * W_gradient, b - rate * b_gradient
# +         if loss > 0.5:
# +             W, b = W - rate * W_gradient, b - rate * b_gradient


# %% wrong="the logarithm of a softmax that may have become 0" caught_by="losses before each step" change="F.cross_entropy(x @ W + b, w) -> F.nll_loss((x @ W + b).softmax(1).log(), w)"
