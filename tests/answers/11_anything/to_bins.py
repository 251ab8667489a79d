"""Answers to the task to_bins of chapter 11."""


# %% right="bucketize with edges in x, doubles"
def _bend_back(g, mu):
    g = torch.as_tensor(g, dtype=torch.float64)
    return g if mu == 0 else g.sign() * ((1 + mu) ** g.abs() - 1) / mu


def to_bins(x, K, mu=0):
    inner = _bend_back([2 * k / K - 1 for k in range(1, K)], mu)
    return torch.bucketize(x.double(), inner, right=True)


def from_bins(k, K, mu=0):
    middles = _bend_back([(2 * i + 1) / K - 1 for i in range(K)], mu)
    return middles[k.long()]


def worst_error(K, mu=0):
    return float(1 - _bend_back(1 - 1 / K, mu))


# %% right="numpy, and the worst of all edges"
def to_bins(x, K, mu=0):
    a = np.clip(np.asarray(x, dtype=float), -1, 1)
    if mu > 0:
        a = np.sign(a) * np.log(1 + mu * np.abs(a)) / np.log(1 + mu)
    k = np.minimum(np.floor((a + 1) * K / 2), K - 1)
    return torch.as_tensor(k).to(torch.int64)


def from_bins(k, K, mu=0):
    g = (np.asarray(k, dtype=float) + 0.5) * 2 / K - 1
    x = np.sign(g) * np.expm1(np.abs(g) * np.log1p(mu)) / mu if mu > 0 else g
    return torch.as_tensor(x)


def worst_error(K, mu=0):
    g = np.linspace(-1, 1, K + 1)
    edges = np.sign(g) * np.expm1(np.abs(g) * np.log1p(mu)) / mu if mu > 0 else g
    middles = from_bins(torch.arange(K), K, mu).numpy()
    return max(np.max(edges[1:] - middles), np.max(middles - edges[:-1]))


# %% wrong="rounded, not cut off" caught_by="edges and ends" change="floor() -> round()"


# %% wrong="an edge belongs to the bin below" caught_by="edges and ends" change="((g + 1) / 2 * K).floor() -> (((g + 1) / 2 * K).ceil() - 1)"


# %% wrong="1 gets a bin of its own" caught_by="edges and ends" change=".clamp(0, K - 1) -> .clamp(0, K)"


# %% wrong="what lies outside is wrapped round" caught_by="edges and ends"
# -     x = x.clamp(-1, 1)
# +     x = torch.where(x.abs() > 1, (x.clamp(-9, 9) + 1) % 2 - 1, x)


# %% wrong="K - 1 steps" caught_by="edges and ends" change="/ 2 * K) -> / 2 * (K - 1))"


# %% right="only the bin is clamped" change="x = x.clamp(-1, 1) -> x = x * 1"


# %% wrong="numbers of bins as floats" caught_by="edges and ends" change=".long() -> .float()"


# %% wrong="32 bits" caught_by="edges and ends" change=".long() -> .int()"


# %% wrong="clamped in place" caught_by="edges and ends" change="x.clamp(-1, 1) -> x.clamp_(-1, 1)"


# %% wrong="the sign is lost" caught_by="edges and ends" change="x.sign() * ( -> ("


# %% wrong="mu is not used" caught_by="edges and ends" change="if mu else x -> if mu < 0 else x"


# %% wrong="always divided by ln 256" caught_by="edges and ends" change="log1p() / math.log1p(mu) -> log1p() / math.log(256)"


# %% wrong="ln of mu" caught_by="edges and ends" change="log1p() / math.log1p(mu) -> log1p() / math.log(mu + 1e-9 + (mu == 1))"


# %% wrong="mu below 1 counts as none" caught_by="edges and ends" change="if mu else x -> if mu >= 1 else x"


# %% wrong="the lower edge is read back" caught_by="the middle of a bin" change="(2 * k + 1) / K -> 2 * k / K"


# %% wrong="from end to end" caught_by="the middle of a bin" change="(2 * k + 1) / K - 1 -> 2 * k / max(K - 1, 1) - 1"


# %% wrong="the middle in x, not in g" caught_by="the middle of a bin"
# -     g = (2 * k + 1) / K - 1
# -     return g.sign() * (g.abs() * math.log1p(mu)).expm1() / mu if mu else g
# +     sides = []
# +     for g in (2 * k / K - 1, 2 * (k + 1) / K - 1):
# +         sides.append(g.sign() * (g.abs() * math.log1p(mu)).expm1() / mu if mu else g)
# +     return sum(sides) / 2


# %% wrong="bent the wrong way" caught_by="the middle of a bin" change="g.sign() * (g.abs() * math.log1p(mu)).expm1() / mu if mu -> g.sign() * (g.abs() * mu).log1p() / math.log1p(mu) if mu"


# %% wrong="the sign is lost on the way back" caught_by="the middle of a bin" change="g.sign() * (g.abs() -> (g.abs()"


# %% wrong="read back without mu" caught_by="the middle of a bin" change=".expm1() / mu if mu else g -> .expm1() / mu if mu < 0 else g"


# %% wrong="reading back changes the bins" caught_by="the middle of a bin"
# -     g = (2 * k + 1) / K - 1
# +     g = k.mul_(2).add_(1) / K - 1


# %% wrong="a whole bin" caught_by="the worst error" change="g = 1 - 1 / K -> g = 1 - 2 / K"


# %% wrong="the bound without mu" caught_by="the worst error"
# -     return 1 - (math.expm1(g * math.log1p(mu)) / mu if mu else g)
# +     return 1 - g


# %% wrong="half the width of the last bin" caught_by="the worst error"
# -     g = 1 - 1 / K
# -     return 1 - (math.expm1(g * math.log1p(mu)) / mu if mu else g)
# +     g = 1 - 2 / K
# +     if g < 0:
# +         return 1
# +     return (1 - (math.expm1(g * math.log1p(mu)) / mu if mu else g)) / 2


# %% wrong="the smallest bin" caught_by="the worst error"
# -     g = 1 - 1 / K
# -     return 1 - (math.expm1(g * math.log1p(mu)) / mu if mu else g)
# +     return math.expm1(math.log1p(mu) / K) / mu if mu else 1 / K


# %% wrong="the other side of the last bin" caught_by="the worst error"
# -     g = 1 - 1 / K
# -     return 1 - (math.expm1(g * math.log1p(mu)) / mu if mu else g)
# +     def back(g):
# +         return math.expm1(g * math.log1p(mu)) / mu if mu else g
# +     return back(1 - 1 / K) - back(max(1 - 2 / K, 0)) if K > 1 else 1.0


# %% right="float32 all the way; the worst error read off the last bin"
def to_bins(x, K, mu=0):
    x = x.clamp(-1, 1)
    if mu:
        x = x.sign() * torch.log(1 + mu * x.abs()) / math.log(1 + mu)
    return ((x + 1) * K / 2).floor().long().clamp(0, K - 1)


def from_bins(k, K, mu=0):
    g = -1 + (2 * k.float() + 1) / K
    return g.sign() * ((1 + mu) ** g.abs() - 1) / mu if mu else g


def worst_error(K, mu=0):
    return 1 - float(from_bins(torch.tensor([K - 1]), K, mu))


# %% wrong="with mu, an edge belongs to the bin below" caught_by="edges and ends"
# -     return ((g + 1) / 2 * K).floor().clamp(0, K - 1).long()
# +     if mu:
# +         return (((g + 1) / 2 * K).ceil() - 1).clamp(0, K - 1).long()
# +     return ((g + 1) / 2 * K).floor().clamp(0, K - 1).long()


# %% wrong="bins up to 4095" caught_by="edges and ends" change="clamp(0, K - 1) -> clamp(0, min(K - 1, 4095))"


# %% wrong="a ten-thousandth of a bin is added" caught_by="edges and ends" change="((g + 1) / 2 * K).floor() -> ((g + 1) / 2 * K + 1e-4).floor()"


# %% wrong="32-bit floats: just below an edge is on the edge" caught_by="edges and ends"
def to_bins(x, K, mu=0):
    g = x.float().clamp(-1, 1)
    if mu > 0:
        g = g.sign() * torch.log1p(mu * g.abs()) / math.log1p(mu)
    return torch.floor((g + 1) / 2 * K).long().clamp(max=K - 1)


def from_bins(k, K, mu=0):
    g = (2 * k + 1) / K - 1
    if not mu:
        return g
    return torch.sign(g) * ((1 + mu) ** g.abs() - 1) / mu


def worst_error(K, mu=0):
    return 1 - float(from_bins(torch.tensor([K - 1], dtype=torch.float64), K, mu)[0])
