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
# -     """Each token's numbers divided by their root mean square, times gain: [..., C]; gradients pass."""
# +     """Each token's numbers divided by their root mean square, times gain: [..., C]."""
# +     x = x - x.mean(-1, keepdim=True)


# %% wrong="sum, not mean" caught_by="mean square 1 per token"
# -     """Each token's numbers divided by their root mean square, times gain: [..., C]; gradients pass."""
# -     return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()
# +     """Each token's numbers divided by their root mean square, times gain: [..., C]."""
# +     return gain * x / (x.square().sum(-1, keepdim=True) + eps).sqrt()


# %% wrong="over the wrong axis" caught_by="mean square 1 per token"
# -     """Each token's numbers divided by their root mean square, times gain: [..., C]; gradients pass."""
# -     return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()
# +     """Each token's numbers divided by their root mean square, times gain: [..., C]."""
# +     return gain * x / (x.square().mean(-2, keepdim=True) + eps).sqrt()


# %% wrong="over all tokens together" caught_by="mean square 1 per token"
# -     """Each token's numbers divided by their root mean square, times gain: [..., C]; gradients pass."""
# -     return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()
# +     """Each token's numbers divided by their root mean square, times gain: [..., C]."""
# +     return gain * x / (x.square().mean() + eps).sqrt()


# %% wrong="eps outside the root" caught_by="mean square 1 per token"
# -     """Each token's numbers divided by their root mean square, times gain: [..., C]; gradients pass."""
# -     return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()
# +     """Each token's numbers divided by their root mean square, times gain: [..., C]."""
# +     return gain * x / (x.square().mean(-1, keepdim=True).sqrt() + eps)


# %% wrong="no root" caught_by="mean square 1 per token"
# -     """Each token's numbers divided by their root mean square, times gain: [..., C]; gradients pass."""
# -     return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()
# +     """Each token's numbers divided by their root mean square, times gain: [..., C]."""
# +     return gain * x / (x.square().mean(-1, keepdim=True) + eps)


# %% wrong="gain forgotten" caught_by="mean square 1 per token"
# -     """Each token's numbers divided by their root mean square, times gain: [..., C]; gradients pass."""
# -     return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()
# +     """Each token's numbers divided by their root mean square, times gain: [..., C]."""
# +     return x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


# %% wrong="squared on both sides" caught_by="squares of the positive" change="x.clamp(min=0) ** 2 -> x**2"


# %% wrong="a plain ReLU" caught_by="squares of the positive" change="0) ** 2 -> 0)"


# %% wrong="nothing stays" caught_by="the mean that stays" change="mu / math.sqrt(mu**2 + sigma**2) -> 0.0"


# %% wrong="divided by the deviation" caught_by="the mean that stays" change="math.sqrt(mu**2 + sigma**2) -> sigma"


# %% wrong="sum of mean and deviation" caught_by="the mean that stays" change="math.sqrt(mu**2 + sigma**2 -> (mu + sigma"


# %% wrong="without its sign" caught_by="the mean that stays" change="mu / -> abs(mu) /"


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
# -     """Each token's numbers divided by their root mean square, times gain: [..., C]; gradients pass."""
# -     return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()
# +     """Each token's numbers divided by their root mean square, times gain: [..., C]."""
# +     x /= (x.square().mean(-1, keepdim=True) + eps).sqrt()
# +     return gain * x


# %% wrong="another default eps" caught_by="mean square 1 per token"
# - def rms_norm(x, gain, eps=1e-6):
# -     """Each token's numbers divided by their root mean square, times gain: [..., C]; gradients pass."""
# + def rms_norm(x, gain, eps=1e-5):
# +     """Each token's numbers divided by their root mean square, times gain: [..., C]."""


# %% wrong="the gain within the mean square" caught_by="mean square 1 per token"
# -     """Each token's numbers divided by their root mean square, times gain: [..., C]; gradients pass."""
# -     return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()
# +     """Each token's numbers divided by their root mean square, times gain: [..., C]."""
# +     x = gain * x
# +     return x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


# %% wrong="clamped in place" caught_by="squares of the positive" change="clamp -> data.clamp_"


# %% wrong="half of the slope" caught_by="squares of the positive" change="** 2 -> * x.clamp(min=0).detach()"


# %% wrong="the square of everything" caught_by="squares of the positive" change="x.clamp(min=0) ** 2 -> x**2 * (x > -0.4)"


# %% wrong="knows 3, 4, 5" caught_by="the mean that stays" change="math.sqrt(mu**2 + sigma**2 -> (mu + sigma / 2"


# %% wrong="the root is a constant for gradients" caught_by="mean square 1 per token"
# -     return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()
# +     root = (x.square().mean(-1, keepdim=True) + eps).sqrt()
# +     return gain * x / root.detach()
