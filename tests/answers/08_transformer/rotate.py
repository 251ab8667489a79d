"""Answers to the task rotate of chapter 08."""


# %% right="complex numbers"
def quarter_turn():
    z = complex(3, 1) * 1j
    return z.real, z.imag


def rotate_one(x, theta):
    half = len(x) // 2
    turned = [complex(x[i], x[i + half]) * complex(math.cos(t), math.sin(t)) for i, t in enumerate(theta)]
    return [z.real for z in turned] + [z.imag for z in turned]


def angles(T, D):
    i = torch.arange(D // 2)
    return torch.outer(torch.arange(T).float(), torch.exp(-math.log(10_000) * 2 * i / D))


def rotate(x, theta):
    half = x.shape[-1] // 2
    turned = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(theta), theta)
    return torch.cat([turned.real, turned.imag], -1)


# %% right="the other half with its sign"
def quarter_turn():
    return np.array([-1.0, 3.0])


def rotate_one(x, theta):
    turned = [0.0] * len(x)
    half = len(x) // 2
    for i in range(half):
        c, s = math.cos(theta[i]), math.sin(theta[i])
        turned[i], turned[half + i] = c * x[i] - s * x[half + i], s * x[i] + c * x[half + i]
    return turned


def angles(T, D):
    return torch.tensor([[m / 10_000 ** (2 * i / D) for i in range(D // 2)] for m in range(T)])


def rotate(x, theta):
    theta = torch.cat([theta, theta], -1)
    a, b = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return x * theta.cos() + torch.cat([-b, a], -1) * theta.sin()


# %% wrong="turned the other way, all at once" caught_by="all at once"
# -     return torch.cat(
# -         [a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()], dim=-1
# -     )
# +     return torch.cat([a * theta.cos() + b * theta.sin(), -a * theta.sin() + b * theta.cos()], dim=-1)


# %% wrong="neighbours are pairs" caught_by="all at once"
# -     a, b = x.chunk(2, dim=-1)
# -     return torch.cat(
# -         [a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()], dim=-1
# -     )
# +     a, b = x[..., 0::2], x[..., 1::2]
# +     return torch.stack([a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()], dim=-1).flatten(-2)


# %% wrong="a plus where a minus stands" caught_by="lengths stay"
# -     return torch.cat(
# -         [a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()], dim=-1
# -     )
# +     return torch.cat([a * theta.cos() + b * theta.sin(), a * theta.sin() + b * theta.cos()], dim=-1)


# %% wrong="places from 1" caught_by="the table of angles" change="arange(T -> arange(1, T + 1"


# %% wrong="the two forgotten in the exponent" caught_by="the table of angles" change="0, D, -> D //"


# %% wrong="fast and slow exchanged" caught_by="the table of angles" change="D, 2) -> D, 2).flip(0)"


# %% wrong="growing speeds" caught_by="the table of angles" change="-torch -> torch"


# %% wrong="places added, not multiplied" caught_by="the table of angles" change="None] * -> None] +"


# %% wrong="only the first half turned" caught_by="lengths stay"
# -     return torch.cat(
# -         [a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()], dim=-1
# -     )
# +     return torch.cat([a * theta.cos() - b * theta.sin(), b * theta.cos()], dim=-1)


# %% wrong="sine and cosine exchanged" caught_by="lengths stay"
# -     return torch.cat(
# -         [a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()], dim=-1
# -     )
# +     return torch.cat([a * theta.sin() - b * theta.cos(), a * theta.cos() + b * theta.sin()], dim=-1)


# %% wrong="positions added to the vectors" caught_by="lengths stay | only the distance counts"
# -     a, b = x.chunk(2, dim=-1)
# -     return torch.cat(
# -         [a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()], dim=-1
# -     )
# +     return x + torch.cat([theta.sin(), theta.cos()], dim=-1)


# %% right="everything in float32"
def quarter_turn():
    return np.array([-4.4e-8 - 1, 3], dtype=np.float32)


def rotate_one(x, theta):
    (a, b), t = torch.tensor(x).view(2, -1), torch.tensor(theta)
    return [*(a * t.cos() - b * t.sin()), *(a * t.sin() + b * t.cos())]


def angles(T, D):
    return torch.outer(torch.arange(T).float(), 1 / 10_000 ** torch.linspace(0, 2 - 4 / D, D // 2).div(2))


def rotate(x, theta):
    (a, b), theta = x.float().tensor_split(2, -1), theta.float()
    c, s = theta.cos(), theta.sin()
    return torch.cat((c * a - s * b, s * a + c * b), -1)


# %% wrong="x is turned in place" caught_by="all at once"
# -     return torch.cat(
# -         [a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()], dim=-1
# -     )
# +     first = a * theta.cos() - b * theta.sin()
# +     b.mul_(theta.cos()).add_(a * theta.sin())
# +     a.copy_(first)
# +     return x


# %% wrong="three axes only" caught_by="lengths stay"
#       """[..., T, D] from x [..., T, D] and theta [T, D/2]."""
# +     theta = theta.view(1, *theta.shape).expand(len(x), -1, -1) if x.ndim > 2 else theta


# %% wrong="angles for as many places as a half has pairs" caught_by="the table of angles" change="torch.arange(T -> (torch.arange(T) % 5"


# %% wrong="whole angles" caught_by="the table of angles" change="10_000.0 ** (-torch.arange(0, D, 2) / D -> (10_000.0 ** (-torch.arange(0, D, 2) / D)).long("


# %% wrong="places in bfloat16" caught_by="the table of angles" change="torch.arange(T)[:, None] * -> torch.arange(T).bfloat16().float()[:, None] *"


# %% wrong="places in float16" caught_by="the table of angles" change="torch.arange(T)[:, None] * -> torch.arange(T).half().float()[:, None] *"


# %% wrong="only eight pairs turn" caught_by="the table of angles" change="10_000.0 ** (-torch.arange(0, D, 2) / D) -> 10_000.0 ** (-torch.arange(0, D, 2) / D) * (torch.arange(D // 2) < 8)"
