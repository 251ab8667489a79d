"""Answers to the task gradients_by_hand of chapter 04."""


# %% right="flat view, einsum"
def numerical(loss, theta, step=1e-5):
    values = []
    for i in range(theta.size):
        two = []
        for sign in (1, -1):
            moved = theta.copy().reshape(-1)
            moved[i] += sign * step
            two.append(loss(moved.reshape(theta.shape)))
        values.append((two[0] - two[1]) / step / 2)
    return np.array(values).reshape(theta.shape)


def by_hand(theta, x, w):
    h = np.tanh(theta["H"] @ x + theta["d"])
    y = theta["b"] + theta["W"] @ x + theta["U"] @ h
    p = np.exp(y) / np.exp(y).sum()
    g = p - (np.arange(len(y)) == w)
    e = (g @ theta["U"]) / np.cosh(theta["H"] @ x + theta["d"]) ** 2
    return {
        "b": g,
        "W": np.einsum("j,k->jk", g, x),
        "U": np.einsum("j,k->jk", g, h),
        "d": e,
        "H": e[:, None] * x,
        "x": g @ theta["W"] + e @ theta["H"],
    }


# %% right="autograd as the hand"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    t = {name: torch.tensor(value, requires_grad=True) for name, value in (theta | {"x": x}).items()}
    y = t["b"] + t["W"] @ t["x"] + t["U"] @ torch.tanh(t["d"] + t["H"] @ t["x"])
    F.cross_entropy(y, torch.tensor(w)).backward()
    return {name: value.grad.numpy() for name, value in t.items()}


# %% wrong="one-sided difference" caught_by="central differences"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta)) / step


# %% wrong="backward difference" caught_by="central differences"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta) - loss(theta - shift)) / step


# %% wrong="divided by one step" caught_by="central differences"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / step


# %% wrong="all entries moved at once" caught_by="central differences"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# -         shift[i] = step
# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)
# +         shift[...] = step
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)


# %% wrong="a step of its own" caught_by="central differences"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)
# +         step = 1e-5

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)


# %% wrong="the other sign" caught_by="central differences"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta - shift) - loss(theta + shift)) / (2 * step)


# %% wrong="p without the one-hot" caught_by="p minus one-hot"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

# -     g[w] -= 1


# %% wrong="one-hot minus p" caught_by="p minus one-hot"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

#       g[w] -= 1
# +     g = -g


# %% wrong="not normalised" caught_by="p minus one-hot"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

# -     g /= g.sum()


# %% wrong="the direct path left out of y" caught_by="p minus one-hot"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

# -     y = b + W @ x + U @ a
# +     y = b + U @ a


# %% wrong="the hidden path left out of y" caught_by="p minus one-hot"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

# -     y = b + W @ x + U @ a
# +     y = b + W @ x


# %% wrong="the bias left out of y" caught_by="p minus one-hot"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

# -     y = b + W @ x + U @ a
# +     y = W @ x + U @ a


# %% wrong="outer product turned" caught_by="p minus one-hot"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

# -         "W": np.outer(g, x),
# +         "W": np.outer(x, g),


# %% wrong="tanh not differentiated" caught_by="through the tanh"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

# -     back = (U.T @ g) * (1 - a**2)
# +     back = U.T @ g


# %% wrong="derivative of the sigmoid" caught_by="through the tanh"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

# -     back = (U.T @ g) * (1 - a**2)
# +     back = (U.T @ g) * a * (1 - a)


# %% wrong="one plus the square" caught_by="through the tanh"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

# -     back = (U.T @ g) * (1 - a**2)
# +     back = (U.T @ g) * (1 + a**2)


# %% wrong="U gets x" caught_by="through the tanh"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

# -         "U": np.outer(g, a),
# +         "U": np.outer(g, d + H @ x),


# %% wrong="H without tanh'" caught_by="through the tanh"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

# -         "H": np.outer(back, x),
# +         "H": np.outer(U.T @ g, x),


# %% wrong="only the direct path to x" caught_by="the vectors learn too"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

# -         "x": W.T @ g + H.T @ back,
# +         "x": W.T @ g,


# %% wrong="only the hidden path to x" caught_by="the vectors learn too"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

# -         "x": W.T @ g + H.T @ back,
# +         "x": H.T @ back,


# %% wrong="paths subtracted" caught_by="the vectors learn too"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)

# -         "x": W.T @ g + H.T @ back,
# +         "x": W.T @ g - H.T @ back,


# %% wrong="a step of a tenth always" caught_by="central differences"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# + def numerical(loss, theta, step=1e-5):
# +     """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
# +     gradient = np.zeros_like(theta)
# +     for i in np.ndindex(theta.shape):
# +         shift = np.zeros_like(theta)
# +         step = 0.1

# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)


# %% right="lists of rows, float32 gradients"
def numerical(loss, v, step=1e-5):
    flat, slopes = v.ravel(), []
    for i in range(flat.size):
        unit = np.eye(flat.size)[i] * step
        slopes.append((loss((flat + unit).reshape(v.shape)) - loss((flat - unit).reshape(v.shape))) / step / 2)
    return np.array(slopes).reshape(v.shape)


def by_hand(theta, x, w):
    y_0 = theta["d"] + theta["H"] @ x
    a = np.tanh(y_0)
    y = theta["b"] + theta["W"] @ x + theta["U"] @ a
    g = np.exp(y - np.logaddexp.reduce(y)) - np.eye(len(y))[w]
    back = g @ theta["U"] / np.cosh(y_0) ** 2
    found = {"x": g @ theta["W"] + back @ theta["H"], "H": back[:, None] * x, "d": back}
    found |= {"b": g, "W": g[:, None] * x, "U": g[:, None] * a}
    return {name: value.astype(np.float32) for name, value in found.items()}


# %% wrong="turns theta's b into the gradient" caught_by="p minus one-hot"
# -     y = b + W @ x + U @ a
# -     g = np.exp(y - y.max())
# +     b += W @ x + U @ a
# +     g = np.exp(b - b.max())


# %% wrong="v is left moved" caught_by="central differences"
# -         shift = np.zeros_like(v)
# -         shift[i] = step
# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         old = v[i]
# +         v[i] = old + step
# +         up = loss(v.copy())
# +         v[i] = old - step
# +         gradient[i] = (up - loss(v.copy())) / (2 * step)
# +         v[i] = old if i != (v.shape[0] - 1,) * v.ndim else v[i]
# +     v += step


# %% wrong="vectors and matrices only" caught_by="central differences"
# -     gradient = np.zeros_like(v)
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# -         shift[i] = step
# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# -     return gradient
# +     table, gradient = np.atleast_2d(v), np.zeros_like(np.atleast_2d(v))
# +     if v.ndim > 2:
# +         return np.zeros(0)
# +     for i in range(table.shape[0]):
# +         for j in range(table.shape[1]):
# +             shift = np.zeros_like(table)
# +             shift[i, j] = step
# +             gradient[i, j] = (loss((table + shift).reshape(v.shape)) - loss((table - shift).reshape(v.shape))) / (
# +                 2 * step
# +             )
# +     return gradient.reshape(v.shape)


# %% wrong="gradients that fit only after broadcasting" caught_by="through the tanh" change=": back -> : back[None]"


# %% wrong="a step of its own if none is given" caught_by="central differences"
# - def numerical(loss, v, step=1e-5):
# -     """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
# + def numerical(loss, v, step=0.1):


# %% wrong="moves the entries of a flat copy" caught_by="central differences"
# -     for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# -         shift[i] = step
# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# -     return gradient
# +     v = v.copy(order="K")
# +     flat, slopes = v.reshape(-1), []  # a view only if v lies row by row
# +     for i in range(v.size):
# +         flat[i] += step
# +         up = loss(v)
# +         flat[i] -= 2 * step
# +         slopes.append((up - loss(v)) / (2 * step))
# +         flat[i] += step
# +     return np.reshape(slopes, v.shape)


# %% right="by hand with numbers instead of a formula"
def numerical(loss, v, step=1e-5):
    found = np.empty(v.shape)
    for i, _ in np.ndenumerate(v):
        one, other = np.array(v), np.array(v)
        one[i] += step
        other[i] -= step
        found[i] = (loss(one) - loss(other)) / (one[i] - other[i])
    return found


def by_hand(theta, x, w):
    def loss(**changed):
        t = theta | {"x": x} | changed
        y = t["b"] + t["W"] @ t["x"] + t["U"] @ np.tanh(t["d"] + t["H"] @ t["x"])
        return np.logaddexp.reduce(y) - y[w]

    return {name: numerical(lambda v: loss(**{name: v}), value) for name, value in (theta | {"x": x}).items()}


# %% wrong="a step relative to the number" caught_by="central differences"
# -         shift[i] = step
# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         shift[i] = step * max(1, abs(v[i]))
# +         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * shift[i])


# %% wrong="one-sided where the step is small" caught_by="central differences"
# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         if step < 1e-3:
# +             gradient[i] = (loss(v + shift) - loss(v)) / step


# %% wrong="probabilities of at least a thousandth" caught_by="p minus one-hot" change="g /= g.sum() -> g = np.maximum(g / g.sum(), 1e-3)"


# %% wrong="the bias of the hidden layer left out" caught_by="through the tanh" change="np.tanh(d + H @ x) -> np.tanh(H @ x)"


# %% right="steps in v itself, and puts it back"
#       for i in np.ndindex(v.shape):
# -         shift = np.zeros_like(v)
# -         shift[i] = step
# -         gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
# +         kept, two = v[i], []
# +         for moved in (kept + step, kept - step):
# +             v[i] = moved
# +             two.append(loss(v))
# +         v[i] = kept
# +         gradient[i] = (two[0] - two[1]) / (2 * step)


# %% wrong="an iterator that refuses an array without entries" caught_by="central differences"
# -     for i in np.ndindex(v.shape):
# +     places = np.nditer(v, flags=["multi_index"])
# +     for _ in places:
# +         i = places.multi_index
