"""Answers to the task rms_norm of chapter 08."""


# %% right="norm over the root of C"
def rms_norm(x, gain, eps=1e-6):
    variance = x.pow(2).sum(-1, keepdim=True) / x.shape[-1]
    return x * torch.rsqrt(variance + eps) * gain


def squared_relu(x):
    return torch.relu(x).square()


def mean_left(mu, sigma):
    return mu / math.hypot(mu, sigma)


# %% right="torch's own"
def rms_norm(x, gain, eps=1e-6):
    return F.rms_norm(x, gain.shape, gain, eps)


def squared_relu(x):
    return torch.where(x > 0, x * x, torch.zeros_like(x))


def mean_left(mu, sigma):
    return mu * (mu * mu + sigma * sigma) ** -0.5


# %% wrong="LayerNorm after all" caught_by="mean square 1 per token"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    x = x - x.mean(-1, keepdim=True)
    return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="sum, not mean" caught_by="mean square 1 per token"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().sum(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="over the wrong axis" caught_by="mean square 1 per token"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean(-2, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="over all tokens together" caught_by="mean square 1 per token"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean() + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="eps outside the root" caught_by="mean square 1 per token"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean(-1, keepdim=True).sqrt() + eps)


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="no root" caught_by="mean square 1 per token"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean(-1, keepdim=True) + eps)


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="gain forgotten" caught_by="mean square 1 per token"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="squared on both sides" caught_by="squares of the positive"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x**2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="a plain ReLU" caught_by="squares of the positive"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0)


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="nothing stays" caught_by="the mean that stays"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return 0.0


# %% wrong="divided by the deviation" caught_by="the mean that stays"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / sigma


# %% wrong="sum of mean and deviation" caught_by="the mean that stays"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / (mu + sigma)


# %% wrong="without its sign" caught_by="the mean that stays"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return abs(mu) / math.sqrt(mu**2 + sigma**2)


# %% right="measured on two numbers in float32"
def rms_norm(x, gain, eps=1e-6):
    x = x.float()
    return x / torch.sqrt((x * x).sum(-1, keepdim=True) / x.size(-1) + eps) * gain.float()


def squared_relu(x):
    return x.relu().float() * x.relu()


def mean_left(mu, sigma):
    x = torch.tensor([mu - sigma, mu + sigma], dtype=torch.float32)
    return (x / x.square().mean().sqrt()).mean()


# %% wrong="x divided in place" caught_by="mean square 1 per token"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    x /= (x.square().mean(-1, keepdim=True) + eps).sqrt()
    return gain * x


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="another default eps" caught_by="mean square 1 per token"
def rms_norm(x, gain, eps=1e-5):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="the gain within the mean square" caught_by="mean square 1 per token"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    x = gain * x
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="clamped in place" caught_by="squares of the positive"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.data.clamp_(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="half of the slope" caught_by="squares of the positive"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) * x.clamp(min=0).detach()


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="the square of everything" caught_by="squares of the positive"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x**2 * (x > -0.4)


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / math.sqrt(mu**2 + sigma**2)


# %% wrong="knows 3, 4, 5" caught_by="the mean that stays"
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
    return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    return x.clamp(min=0) ** 2


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    return mu / (mu + sigma / 2)


# %% wrong="the root is a constant for gradients" caught_by="mean square 1 per token"
# -     return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()
# +     root = (x.square().mean(-1, keepdim=True) + eps).sqrt()
# +     return gain * x / root.detach()
