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
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta)) / step
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="backward difference" caught_by="central differences"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta) - loss(theta - shift)) / step
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="divided by one step" caught_by="central differences"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / step
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="all entries moved at once" caught_by="central differences"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[...] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="a step of its own" caught_by="central differences"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        step = 1e-5
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="the other sign" caught_by="central differences"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta - shift) - loss(theta + shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="p without the one-hot" caught_by="p minus one-hot"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="one-hot minus p" caught_by="p minus one-hot"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    g = -g
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="not normalised" caught_by="p minus one-hot"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="the direct path left out of y" caught_by="p minus one-hot"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="the hidden path left out of y" caught_by="p minus one-hot"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="the bias left out of y" caught_by="p minus one-hot"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="outer product turned" caught_by="p minus one-hot"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(x, g),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="tanh not differentiated" caught_by="through the tanh"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = U.T @ g
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="derivative of the sigmoid" caught_by="through the tanh"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * a * (1 - a)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="one plus the square" caught_by="through the tanh"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 + a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="U gets x" caught_by="through the tanh"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, d + H @ x),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="H without tanh'" caught_by="through the tanh"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(U.T @ g, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="only the direct path to x" caught_by="the vectors learn too"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g,
    }


# %% wrong="only the hidden path to x" caught_by="the vectors learn too"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": H.T @ back,
    }


# %% wrong="paths subtracted" caught_by="the vectors learn too"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g - H.T @ back,
    }


# %% wrong="a step of a tenth always" caught_by="central differences"
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        step = 0.1
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


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
def numerical(loss, v, step=1e-5):
    gradient = np.zeros_like(v)
    for i in np.ndindex(v.shape):
        shift = np.zeros_like(v)
        shift[i] = step
        gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    b += W @ x + U @ a
    g = np.exp(b - b.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="v is left moved" caught_by="central differences"
def numerical(loss, v, step=1e-5):
    gradient = np.zeros_like(v)
    for i in np.ndindex(v.shape):
        old = v[i]
        v[i] = old + step
        up = loss(v.copy())
        v[i] = old - step
        gradient[i] = (up - loss(v.copy())) / (2 * step)
        v[i] = old if i != (v.shape[0] - 1,) * v.ndim else v[i]
    v += step
    return gradient


def by_hand(theta, x, w):
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="vectors and matrices only" caught_by="central differences"
def numerical(loss, v, step=1e-5):
    table, gradient = np.atleast_2d(v), np.zeros_like(np.atleast_2d(v))
    if v.ndim > 2:
        return np.zeros(0)
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            shift = np.zeros_like(table)
            shift[i, j] = step
            gradient[i, j] = (loss((table + shift).reshape(v.shape)) - loss((table - shift).reshape(v.shape))) / (
                2 * step
            )
    return gradient.reshape(v.shape)


def by_hand(theta, x, w):
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="gradients that fit only after broadcasting" caught_by="through the tanh"
def numerical(loss, v, step=1e-5):
    gradient = np.zeros_like(v)
    for i in np.ndindex(v.shape):
        shift = np.zeros_like(v)
        shift[i] = step
        gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back[None],
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }


# %% wrong="a step of its own if none is given" caught_by="central differences"
def numerical(loss, v, step=0.1):
    gradient = np.zeros_like(v)
    for i in np.ndindex(v.shape):
        shift = np.zeros_like(v)
        shift[i] = step
        gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
    return gradient


def by_hand(theta, x, w):
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }
