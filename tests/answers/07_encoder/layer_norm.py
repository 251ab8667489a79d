"""Answers to the task layer_norm of chapter 07."""


# %% right="var without correction, normal distribution"
def layer_norm(x, gain, bias, eps=1e-5):
    scale = (x.var(-1, unbiased=False, keepdim=True) + eps).rsqrt()
    return (x - x.mean(-1, keepdim=True)) * scale * gain + bias


def gelu(x):
    return x * torch.distributions.Normal(0, 1).cdf(x)


def printed_ratio(C):
    return (1 - 1 / C) ** 0.5


# %% right="mean square minus squared mean, erfc"
def layer_norm(x, gain, bias, eps=1e-5):
    C = x.shape[-1]
    centred = x - x.sum(-1, keepdim=True) / C
    return torch.addcmul(bias, gain, centred / (torch.linalg.vecdot(centred, centred)[..., None] / C + eps) ** 0.5)


def gelu(x):
    return 0.5 * x * torch.erfc(-x * 0.5**0.5)


def printed_ratio(C):
    x = np.arange(C)
    return x.std() / x.std(ddof=1)


# %% right="torch's own functions"
def layer_norm(x, gain, bias, eps=1e-5):
    return F.layer_norm(x, gain.shape, gain, bias, eps)


def gelu(x):
    return F.gelu(x)


def printed_ratio(C):
    return math.sqrt((C - 1) / C)


# %% wrong="as printed, with C - 1" caught_by="mean 0, variance 1 per token"
# -     variance = (x - mean).square().mean(-1, keepdim=True)
# -     return gain * (x - mean) / torch.sqrt(variance + eps) + bias
# +     std = x.std(-1, keepdim=True)
# +     return gain * (x - mean) / (std + eps) + bias


# %% wrong="eps outside the root" caught_by="mean 0, variance 1 per token"
# -     variance = (x - mean).square().mean(-1, keepdim=True)
# -     return gain * (x - mean) / torch.sqrt(variance + eps) + bias
# +     return gain * (x - mean) / (x.std(-1, keepdim=True, correction=0) + eps) + bias


# %% wrong="statistics of the whole batch" caught_by="mean 0, variance 1 per token"
# -     mean = x.mean(-1, keepdim=True)
# -     variance = (x - mean).square().mean(-1, keepdim=True)
# -     return gain * (x - mean) / torch.sqrt(variance + eps) + bias
# +     return gain * (x - x.mean()) / torch.sqrt(x.var(correction=0) + eps) + bias


# %% wrong="over places instead of numbers" caught_by="mean 0, variance 1 per token"
# -     mean = x.mean(-1, keepdim=True)
# -     variance = (x - mean).square().mean(-1, keepdim=True)
# -     return gain * (x - mean) / torch.sqrt(variance + eps) + bias
# +     mean = x.mean(-2, keepdim=True)
# +     return gain * (x - mean) / torch.sqrt(x.var(-2, correction=0, keepdim=True) + eps) + bias


# %% wrong="divided by the variance" caught_by="mean 0, variance 1 per token"
# -     variance = (x - mean).square().mean(-1, keepdim=True)
# -     return gain * (x - mean) / torch.sqrt(variance + eps) + bias
# +     return gain * (x - mean) / (x.var(-1, correction=0, keepdim=True) + eps) + bias


# %% wrong="the mean stays in" caught_by="mean 0, variance 1 per token"
# -     mean = x.mean(-1, keepdim=True)
# -     variance = (x - mean).square().mean(-1, keepdim=True)
# -     return gain * (x - mean) / torch.sqrt(variance + eps) + bias
# +     return gain * x / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps) + bias


# %% wrong="the bias is scaled, too" caught_by="mean 0, variance 1 per token"
# -     variance = (x - mean).square().mean(-1, keepdim=True)
# -     return gain * (x - mean) / torch.sqrt(variance + eps) + bias
# +     return gain * ((x - mean) / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps) + bias)


# %% wrong="statistics detached" caught_by="gradients through mean and variance"
# -     mean = x.mean(-1, keepdim=True)
# -     variance = (x - mean).square().mean(-1, keepdim=True)
# +     mean = x.mean(-1, keepdim=True).detach()
# +     variance = x.var(-1, correction=0, keepdim=True).detach()


# %% wrong="only the variance detached" caught_by="gradients through mean and variance" change="(x - mean).square().mean(-1, keepdim=True -> x.var(-1, correction=0, keepdim=True).detach("


# %% wrong="the tanh formula" caught_by="a soft knee" change="x * (1 + torch.erf(x / math.sqrt(2))) / 2 -> F.gelu(x, approximate=\"tanh\")"


# %% wrong="erf without the root of 2" caught_by="a soft knee" change="x / math.sqrt(2) -> x"


# %% wrong="the sigmoid for the normal distribution" caught_by="a soft knee" change="(1 + torch.erf(x / math.sqrt(2))) / 2 -> torch.sigmoid(1.702 * x)"


# %% wrong="ReLU" caught_by="a soft knee" change="x * (1 + torch.erf(x / math.sqrt(2))) / 2 -> torch.relu(x)"


# %% wrong="the ratio upside down" caught_by="how far the print is off" change="(C - 1) / C -> C / (C - 1)"


# %% wrong="the ratio without a root" caught_by="how far the print is off" change="math.sqrt((C - 1) / C) -> (C - 1) / C"


# %% wrong="C + 1 in place of C - 1" caught_by="how far the print is off" change="(C - 1) / C -> C / (C + 1)"


# %% wrong="mean square minus squared mean: digits cancel" caught_by="mean 0, variance 1 per token" change="(x - mean).square().mean(-1, keepdim=True -> x.square().mean(-1, keepdim=True) - mean.square("


# %% wrong="x is centred in place" caught_by="mean 0, variance 1 per token"
# -     mean = x.mean(-1, keepdim=True)
# -     variance = (x - mean).square().mean(-1, keepdim=True)
# -     return gain * (x - mean) / torch.sqrt(variance + eps) + bias
# +     x -= x.mean(-1, keepdim=True)
# +     return gain * x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps) + bias


# %% wrong="another default eps" caught_by="mean 0, variance 1 per token" change="1e-5 -> 1e-6"


# %% wrong="the eps of the call is not used" caught_by="mean 0, variance 1 per token" change="eps) -> 1e-5)"


# %% wrong="the second axis, which is the last of some" caught_by="mean 0, variance 1 per token"
# -     mean = x.mean(-1, keepdim=True)
# -     variance = (x - mean).square().mean(-1, keepdim=True)
# +     mean = x.mean(min(2, x.ndim - 1), keepdim=True)
# +     variance = (x - mean).square().mean(min(2, x.ndim - 1), keepdim=True)


# %% wrong="gelu in place" caught_by="a soft knee"
# -     """x times the probability that a standard normal number is below x, for each entry of a tensor; gradients pass."""
# -     return x * (1 + torch.erf(x / math.sqrt(2))) / 2
# +     """x times the probability that a standard normal number is below x, for each entry of a tensor."""
# +     return x.mul_((1 + torch.erf(x / math.sqrt(2))) / 2)


# %% wrong="gelu by the logistic curve 1.702" caught_by="a soft knee"
# -     """x times the probability that a standard normal number is below x, for each entry of a tensor; gradients pass."""
# -     return x * (1 + torch.erf(x / math.sqrt(2))) / 2
# +     """x times the probability that a standard normal number is below x, for each entry of a tensor."""
# +     return x * torch.sigmoid(1.702 * x)


# %% right="float32 throughout"
def layer_norm(x, gain, bias, eps=1e-5):
    x = x.float()
    centred = x - x.mean(-1, keepdim=True)
    return centred / (centred**2).mean(-1, keepdim=True).add(eps).sqrt() * gain.float() + bias.float()


def gelu(x):
    return F.gelu(x.float())


def printed_ratio(C):
    return np.float32(np.sqrt(1 - 1 / C))


# %% wrong="the chance in gelu is a constant for gradients" caught_by="a soft knee" change="torch.erf(x / math.sqrt(2)) -> torch.erf(x.detach() / math.sqrt(2))"


# %% wrong="gelu drops axes of size 1" caught_by="a soft knee" change="return x * (1 + torch.erf(x / math.sqrt(2))) / 2 -> return (x * (1 + torch.erf(x / math.sqrt(2))) / 2).squeeze()"


# %% wrong="gelu is zero below minus three" caught_by="a soft knee"
def layer_norm(x, gain, bias, eps=1e-5):
    centred = x - x.mean(-1, keepdim=True)
    return gain * centred / (centred.pow(2).mean(-1, keepdim=True) + eps).sqrt() + bias


def gelu(x):
    x = x.where(x > -4, 0 * x)
    return x * (1 + torch.erf(x / math.sqrt(2))) / 2


def printed_ratio(C):
    return math.sqrt((C - 1) / C)
