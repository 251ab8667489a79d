"""Answers to the task fine_tune of chapter 07."""


# %% right="torch's optimiser, weights chosen by name"
class Tagger(nn.Module):
    def __init__(self, encoder, C, K, freeze):
        super().__init__()
        self.encoder = copy.deepcopy(encoder)
        for weight in self.encoder.parameters():
            weight.requires_grad = not freeze
            weight.grad = None
        self.head = nn.Linear(C, K)

    def forward(self, ids):
        x = self.encoder(ids)
        return x @ self.head.weight.T + self.head.bias


def step(model, ids, tags, rate):
    if (tags == -100).all():
        return 0
    moves = torch.optim.SGD([w for w in model.parameters() if w.requires_grad], lr=rate)
    moves.zero_grad()
    ln_p = model(ids).log_softmax(-1)
    asked = tags != -100
    loss = -ln_p[asked].gather(1, tags[asked][:, None]).mean()
    loss.backward()
    moves.step()
    return float(loss)


# %% right="sum over places, divided by their number, at least 1"
class Tagger(nn.Module):
    def __init__(self, encoder, C, K, freeze):
        super().__init__()
        self.encoder, self.head = copy.deepcopy(encoder), nn.Linear(C, K)
        self.encoder.requires_grad_(not freeze)

    def forward(self, ids):
        return self.head(self.encoder(ids))


def step(model, ids, tags, rate):
    model.zero_grad()
    logits = model(ids)
    total = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), tags.reshape(-1), reduction="sum", ignore_index=-100)
    loss = total / max(int((tags != -100).sum()), 1)
    loss.backward()
    for weight in model.parameters():
        if weight.grad is not None:
            weight.data = weight.data - rate * weight.grad
    return loss.item()


# %% wrong="the encoder is shared" caught_by="a copy of the encoder, then a head" change="copy.deepcopy(encoder).requires_grad_(not freeze) -> encoder.requires_grad_(not freeze)"

# %% wrong="a shallow copy" caught_by="a copy of the encoder, then a head" change="copy.deepcopy -> copy.copy"

# %% wrong="probabilities, not logits" caught_by="a copy of the encoder, then a head" change="self.head(self.encoder(ids)) -> self.head(self.encoder(ids)).softmax(-1)"

# %% wrong="the copy forgets what was learned" caught_by="a copy of the encoder, then a head"
#           self.encoder = copy.deepcopy(encoder).requires_grad_(not freeze)
# +         self.encoder.reset_parameters()

# %% wrong="a tagger for whole texts" caught_by="a copy of the encoder, then a head" change="self.head(self.encoder(ids)) -> self.head(self.encoder(ids)).mean(1, keepdim=True).expand(-1, ids.shape[1], -1)"

# %% wrong="never frozen" caught_by="frozen and fine-tuned" change=".requires_grad_(not freeze) -> "

# %% wrong="the given encoder is frozen, then copied" caught_by="frozen and fine-tuned" change="copy.deepcopy(encoder).requires_grad_(not freeze) -> copy.deepcopy(encoder.requires_grad_(not freeze))"

# %% wrong="what came frozen stays frozen" caught_by="frozen and fine-tuned"
# -         self.encoder = copy.deepcopy(encoder).requires_grad_(not freeze)
# +         self.encoder = copy.deepcopy(encoder)
# +         if freeze:
# +             self.encoder.requires_grad_(False)

# %% wrong="everything frozen, the head too" caught_by="frozen and fine-tuned"
#           self.head = nn.Linear(C, K)
# +         self.head.weight.requires_grad_(not freeze)

# %% wrong="freeze the wrong way round" caught_by="frozen and fine-tuned" change="not freeze -> freeze"

# %% wrong="uphill" caught_by="downhill by rate times gradient" change="weight -= rate -> weight += rate"

# %% wrong="only the head moves" caught_by="downhill by rate times gradient" change="for weight in model.parameters() if -> for weight in model.head.parameters() if"

# %% wrong="the loss is a tensor" caught_by="downhill by rate times gradient" change="return loss.item() -> return loss.detach()"

# %% wrong="the loss after the step" caught_by="downhill by rate times gradient" change="return loss.item() -> return F.cross_entropy(model(ids).flatten(0, 1), tags.flatten()).item()"

# %% wrong="older gradients count" caught_by="downhill by rate times gradient"
# -     found = torch.autograd.grad(loss, weights)
# +     loss.backward()
# +     found = [weight.grad for weight in weights]

# %% wrong="the sum, not the mean" caught_by="downhill by rate times gradient | places without a tag" change="tags.flatten()) -> tags.flatten(), reduction='sum')"

# %% wrong="divided by all places" caught_by="places without a tag" change="tags.flatten()) -> tags.flatten(), reduction='sum') / tags.numel()"

# %% wrong="the mean of the texts' means" caught_by="places without a tag"
# -     loss = F.cross_entropy(model(ids).flatten(0, 1), tags.flatten())
# +     rows = zip(model(ids), tags)
# +     loss = torch.stack([F.cross_entropy(a, b) for a, b in rows if (b != -100).any()]).mean()

# %% wrong="untagged places count as tag 0" caught_by="places without a tag" change="tags.flatten()) -> tags.flatten().clamp(min=0))"

# %% wrong="NaN where no place has a tag" caught_by="places without a tag"
# -     if not (tags != -100).any():
# -         return 0.0

# %% wrong="no tag at the first place: nothing learned" caught_by="places without a tag" change="if not (tags != -100).any(): -> if not (tags != -100).all():"

# %% wrong="no tag: older gradients move the weights" caught_by="places without a tag"
# -     if not (tags != -100).any():
# -         return 0.0
# -     loss = F.cross_entropy(model(ids).flatten(0, 1), tags.flatten())
# +     loss = torch.zeros([])
#       weights = [weight for weight in model.parameters() if weight.requires_grad]
# -     found = torch.autograd.grad(loss, weights)
# +     if (tags != -100).any():
# +         model.zero_grad()
# +         loss = F.cross_entropy(model(ids).flatten(0, 1), tags.flatten())
# +         loss.backward()
# +     found = [weight.grad for weight in weights]
#       with torch.no_grad():

# %% wrong="only matrices are frozen" caught_by="frozen and fine-tuned"
#           self.encoder = copy.deepcopy(encoder).requires_grad_(not freeze)
# +         for weight in self.encoder.parameters():
# +             weight.requires_grad_(not freeze or weight.dim() < 2)


# %% wrong="an old gradient of a weight that is frozen now moves it" caught_by="frozen and fine-tuned"
# -     found = torch.autograd.grad(loss, weights)
# +     for weight in weights:
# +         weight.grad = None
# +     loss.backward()

# -         for weight, gradient in zip(weights, found, strict=True):
# -             weight -= rate * gradient
# +         for weight in model.parameters():
# +             if weight.grad is not None:
# +                 weight -= rate * weight.grad


# %% wrong="clips the gradient" caught_by="downhill by rate times gradient"
class Tagger(nn.Module):
    def __init__(self, encoder, C, K, freeze):
        super().__init__()
        self.encoder = copy.deepcopy(encoder)
        self.encoder.requires_grad_(not freeze)
        self.head = nn.Linear(C, K)

    def forward(self, ids):
        return self.head(self.encoder(ids))


def step(model, ids, tags, rate):
    asked = tags != -100
    if not asked.any():
        return 0.0
    model.zero_grad()
    loss = F.cross_entropy(model(ids)[asked], tags[asked])
    loss.backward()
    nn.utils.clip_grad_norm_([w for w in model.parameters() if w.grad is not None], 5.0)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.requires_grad and weight.grad is not None:
                weight -= rate * weight.grad
    return loss.item()


# %% wrong="the learning rate of the first step for all" caught_by="downhill by rate times gradient"
# -     with torch.no_grad():
# +     rate = model.__dict__.setdefault("rate", rate)
# +     with torch.no_grad():


# %% wrong="a weight that two modules share moves twice" caught_by="downhill by rate times gradient"
# -     weights = [weight for weight in model.parameters() if weight.requires_grad]
# +     weights = [w for part in model.modules() for w in part.parameters(recurse=False) if w.requires_grad]
