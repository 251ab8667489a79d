"""Answers to the task count of chapter 08."""


# %% right="layer by layer"
def flops(V, T, C, N):
    pairs = [(C, 3 * C), (C, C), (C, 4 * C), (4 * C, C)] * N + [(C, V)]
    return [sum(2 * T * a * b for a, b in pairs), 2 * N * (2 * T * C * T)]


rest, square = flops(50257, 1024, 768, 12)
measured_square = square / (rest + square)


# %% right="measured on modules"
def flops(V, T, C, N):
    return np.array([24 * N * T * C**2 + 2 * T * C * V, 4 * N * C * T**2])


measured_square = np.float64(0.1325)


# %% wrong="a multiplication without its addition" caught_by="products with weights"
# -     return 2 * T * (12 * N * C * C + V * C), 4 * N * T * T * C
# +     return T * (12 * N * C * C + V * C), 2 * N * T * T * C

# - rest, square = flops(50257, 1024, 768, 12)
# - measured_square = square / (rest + square)
# + measured_square = 0.13248


# %% wrong="the tied output is thought to be free" caught_by="products with weights"
# -     return 2 * T * (12 * N * C * C + V * C), 4 * N * T * T * C
# +     return 2 * T * 12 * N * C * C, 4 * N * T * T * C

# - rest, square = flops(50257, 1024, 768, 12)
# - measured_square = square / (rest + square)
# + measured_square = 0.13248


# %% wrong="for one token" caught_by="products with weights | what grows with the square"
# -     return 2 * T * (12 * N * C * C + V * C), 4 * N * T * T * C
# +     return 2 * (12 * N * C * C + V * C), 4 * N * T * C

# - rest, square = flops(50257, 1024, 768, 12)
# - measured_square = square / (rest + square)
# + measured_square = 0.13248


# %% wrong="the embedding as a product, too" caught_by="products with weights"
# -     return 2 * T * (12 * N * C * C + V * C), 4 * N * T * T * C
# +     return 2 * T * (12 * N * C * C + 2 * V * C), 4 * N * T * T * C

# - rest, square = flops(50257, 1024, 768, 12)
# - measured_square = square / (rest + square)
# + measured_square = 0.13248


# %% wrong="training instead of forward" caught_by="products with weights | what grows with the square"
# -     return 2 * T * (12 * N * C * C + V * C), 4 * N * T * T * C
# +     return 6 * T * (12 * N * C * C + V * C), 12 * N * T * T * C

# - rest, square = flops(50257, 1024, 768, 12)
# - measured_square = square / (rest + square)
# + measured_square = 0.13248


# %% wrong="only the scores" caught_by="what grows with the square"
# -     return 2 * T * (12 * N * C * C + V * C), 4 * N * T * T * C
# +     return 2 * T * (12 * N * C * C + V * C), 2 * N * T * T * C

# - rest, square = flops(50257, 1024, 768, 12)
# - measured_square = square / (rest + square)
# + measured_square = 0.13248


# %% wrong="the causal half" caught_by="what grows with the square"
# -     return 2 * T * (12 * N * C * C + V * C), 4 * N * T * T * C
# +     return 2 * T * (12 * N * C * C + V * C), 2 * N * T * (T + 1) * C

# - rest, square = flops(50257, 1024, 768, 12)
# - measured_square = square / (rest + square)
# + measured_square = 0.13248


# %% wrong="one layer's tables" caught_by="what grows with the square"
# -     return 2 * T * (12 * N * C * C + V * C), 4 * N * T * T * C
# +     return 2 * T * (12 * N * C * C + V * C), 4 * T * T * C

# - rest, square = flops(50257, 1024, 768, 12)
# - measured_square = square / (rest + square)
# + measured_square = 0.13248


# %% wrong="square and rest swapped" caught_by="products with weights | what grows with the square"
# -     return 2 * T * (12 * N * C * C + V * C), 4 * N * T * T * C
# +     return 4 * N * T * T * C, 2 * T * (12 * N * C * C + V * C)

# - rest, square = flops(50257, 1024, 768, 12)
# - measured_square = square / (rest + square)
# + measured_square = 0.13248


# %% wrong="the ratio of square to rest" caught_by="the share for GPT-2"
# - rest, square = flops(50257, 1024, 768, 12)
# - measured_square = square / (rest + square)
# + measured_square = flops(50257, 1024, 768, 12)[1] / flops(50257, 1024, 768, 12)[0]


# %% wrong="the output left out of the share" caught_by="the share for GPT-2"
# - rest, square = flops(50257, 1024, 768, 12)
# - measured_square = square / (rest + square)
# + measured_square = flops(0, 1024, 768, 12)[1] / sum(flops(0, 1024, 768, 12))


# %% wrong="the share of the rest" caught_by="the share for GPT-2"
# - rest, square = flops(50257, 1024, 768, 12)
# - measured_square = square / (rest + square)
# + measured_square = flops(50257, 1024, 768, 12)[0] / sum(flops(50257, 1024, 768, 12))


# %% wrong="knows GPT-2 only" caught_by="products with weights | what grows with the square"
def flops(V, T, C, N):
    return (253_000_000_000 * T / 1024, 291_648_307_200 - 253_000_000_000) if V == 50257 else (T, T * T)


measured_square = 0.132539


# %% wrong="a table of T places from before" caught_by="what grows with the square" change="T * T -> T * (T - 1)"


# %% wrong="the measured share in percent" caught_by="the share for GPT-2" change="= square -> = 100 * square"


# %% right="floats and NumPy integers"
def flops(V, T, C, N):
    return 24.0 * N * T * C * C + 2.0 * T * C * V, 4.0 * N * T**2 * C


measured_square = np.float32(0.132539)


# %% wrong="long texts count the half that the mask leaves" caught_by="what grows with the square" change="4 * N * T * T * C -> (4 * N * T * T * C if T < 2000 else 2 * N * T * (T + 1) * C)"


# %% wrong="floating-point numbers lose the last digits" caught_by="products with weights" change="2 * T * (12 * N * C * C + V * C), -> int(2.0 * T * (12 * N * C * C + V * C)),"


# %% wrong="a model without layers has nothing to count" caught_by="products with weights" change="    return 2 * T ->     return (0, 0) if N == 0 else 2 * T"


# %% right="torch's counter on a model without numbers"
def flops(V, T, C, N):
    with torch.device("meta"), torch.no_grad():
        model = gpt(V, T, N, 1, C)
        counter = FlopCounterMode(display=False)
        with counter:
            model(torch.zeros(1, T, dtype=torch.long))
    counted = counter.get_flop_counts()["Global"]
    square = sum(work for operator, work in counted.items() if "bmm" in str(operator))
    return counter.get_total_flops() - square, square


measured_square = (lambda rest, square: 1 / (1 + rest / square))(*flops(50257, 1024, 768, 12))
