"""Answers to the task adamw_step of chapter 08."""


# %% right="in place on copies, decay first"
def adamw_step(w, g, m, v, t, rate, decay, betas, eps):
    one, two = betas
    w, m, v = w.clone(), m.clone(), v.clone()
    w.mul_(1 - rate * decay)
    m.lerp_(g, 1 - one)
    v.mul_(two).addcmul_(g, g, value=1 - two)
    m_hat = m / (1 - one**t)
    v_hat = v / (1 - two**t)
    w.sub_(rate * m_hat / (torch.sqrt(v_hat) + eps))
    return w, m, v


def decay_groups(weights, decay):
    groups = [{"params": [], "weight_decay": 0}, {"params": [], "weight_decay": decay}]
    for weight in weights:
        groups[len(weight.shape) > 1]["params"].append(weight)
    return groups


# %% right="one formula, a list of results"
def adamw_step(w, g, m, v, t, rate, decay, betas, eps):
    m = m + (1 - betas[0]) * (g - m)
    v = v + (1 - betas[1]) * (g * g - v)
    scale = rate / (1 - betas[0] ** t)
    root = v.sqrt() / math.sqrt(1 - betas[1] ** t) + eps
    return [w - rate * decay * w - scale * m / root, m, v]


def decay_groups(weights, decay):
    matrices, vectors = [], []
    for weight in weights:
        (matrices if weight.dim() >= 2 else vectors).append(weight)
    return {"params": matrices, "weight_decay": decay}, {"params": vectors, "weight_decay": 0}


# %% wrong="decay passed through the means (L2)" caught_by="decay without a gradient"
# -     """New (w, m, v), each in the one shape of w, g, m and v; betas is (beta_1, beta_2)."""
# +     """New (w, m, v), all of one shape, from weights w, gradient g, means m and v; betas is (beta_1, beta_2)."""
# +     g = g + decay * w

# -     return (1 - rate * decay) * w - rate * direction, m, v
# +     return w - rate * direction, m, v


# %% wrong="no correction of the young means" caught_by="the first step has the rate's size" change="1 - betas[0] ** t) / ((v / (1 - betas[1] ** t)) -> v"


# %% wrong="decay not scaled with the rate" caught_by="decay without a gradient" change="rate * decay -> decay"


# %% wrong="eps under the root" caught_by="many steps like torch" change="(v / (1 - betas[1] ** t)).sqrt() + eps -> v / (1 - betas[1] ** t) + eps).sqrt("


# %% wrong="corrected means returned" caught_by="the first step has the rate's size" change="direction, m, v -> direction, m / (1 - betas[0] ** t), v / (1 - betas[1] ** t)"


# %% wrong="upwards" caught_by="the first step has the rate's size" change="w - -> w +"


# %% wrong="decay of the new weight" caught_by="many steps like torch" change="w - rate * direction -> (w - rate * direction)"


# %% wrong="decay on the corrected step only" caught_by="decay without a gradient" change="(1 - rate * decay) * w - rate -> w - rate * (1 + decay)"


# %% wrong="m and v updated in place" caught_by="many steps like torch"
# -     m = betas[0] * m + (1 - betas[0]) * g
# -     v = betas[1] * v + (1 - betas[1]) * g**2
# +     m.mul_(betas[0]).add_((1 - betas[0]) * g)
# +     v.mul_(betas[1]).add_((1 - betas[1]) * g**2)


# %% wrong="w updated in place" caught_by="many steps like torch"
# -     return (1 - rate * decay) * w - rate * direction, m, v
# +     w *= 1 - rate * decay
# +     w -= rate * direction
# +     return w, m, v


# %% wrong="counts the steps itself" caught_by="many steps like torch"
# -     """New (w, m, v), each in the one shape of w, g, m and v; betas is (beta_1, beta_2)."""
# +     t = adamw_step.steps = getattr(adamw_step, "steps", 0) + 1


# %% wrong="means kept between calls" caught_by="many steps like torch"
# -     """New (w, m, v), each in the one shape of w, g, m and v; betas is (beta_1, beta_2)."""
# +     global _kept
# +     m, v = (m, v) if t == 1 or _kept[0].shape != m.shape else _kept

#       v = betas[1] * v + (1 - betas[1]) * g**2
# +     _kept = m, v

#       return (1 - rate * decay) * w - rate * direction, m, v
# +
# +
# + _kept = torch.zeros(0), torch.zeros(0)


# %% right="float32, groups the other way round"
def adamw_step(w, g, m, v, t, rate, decay, betas, eps):
    w, g, m, v = (part.float() for part in (w, g, m, v))
    m = torch.lerp(g, m, betas[0])
    v = torch.lerp(g.square(), v, betas[1])
    step = (m / (1 - betas[0] ** t)) / ((v / (1 - betas[1] ** t)) ** 0.5 + eps)
    return w - rate * (step + decay * w), m, v


def decay_groups(weights, decay):
    return (
        dict(params=tuple(w for w in weights if w.ndim in (0, 1)), weight_decay=0),
        dict(params=tuple(w for w in weights if w.ndim not in (0, 1)), weight_decay=decay),
    )


# %% wrong="corrected only while the means are young" caught_by="many steps like torch"
# -     direction = m / (1 - betas[0] ** t) / ((v / (1 - betas[1] ** t)).sqrt() + eps)
# +     young = t < 10
# +     first = m / (1 - betas[0] ** t) if young else m
# +     second = v / (1 - betas[1] ** t) if young else v
# +     direction = first / (second.sqrt() + eps)


# %% wrong="no step where the gradient is zero" caught_by="many steps like torch" change="return (1 - rate * decay) * w - rate * direction, m, v -> return (1 - rate * decay) * w - rate * direction * (g != 0), m, v"


# %% wrong="young for ever" caught_by="many steps like torch" change="(1 - betas[1] ** t) -> (1 - betas[1] ** min(t, 1000))"


# %% wrong="a beta of 0 is taken for the usual one" caught_by="the first step has the rate's size"
#       m = betas[0] * m + (1 - betas[0]) * g
# +     betas = betas[0], betas[1] or 0.999


# %% wrong="gradients of at most 10,000" caught_by="the first step has the rate's size" change="    m = betas[0] * m + (1 - betas[0]) * g ->     g = g.clamp(-1e4, 1e4); m = betas[0] * m + (1 - betas[0]) * g"
