"""Answers to the task weights of chapter 07."""


# %% right="measured on modules, on paper for the sum"
def layer_weights(C):
    def size(*modules):
        return sum(w.numel() for module in modules for w in module.parameters())

    return {
        "norms": size(nn.LayerNorm(C), nn.LayerNorm(C)),
        "attention": size(*[nn.Linear(C, C, device="meta") for _ in range(4)]),
        "feed_forward": size(nn.Linear(C, 4 * C, device="meta"), nn.Linear(4 * C, C, device="meta")),
    }


def total(V, T, C, N):
    return C * (V + T + 2 + N * (12 * C + 13))


guess_share = 0.3
measured_share = 0.52042


# %% right="products and biases apart"
def layer_weights(C):
    product = {"attention": 4, "feed_forward": 8, "norms": 0}
    rest = {"attention": 4, "feed_forward": 5, "norms": 4}
    return {part: np.int64(product[part] * C**2 + rest[part] * C) for part in product}


def total(V, T, C, N):
    count = (V + T) * C + 2 * C
    for _ in range(N):
        count += sum(layer_weights(C).values())
    return count


guess_share = 2 / 3
measured_share = np.float64(12 * 4_722_432 / 108_890_112)


# %% wrong="no biases in attention" caught_by="the parts of a layer" change="4 * (C * C + C) -> 4 * C * C"


# %% wrong="the last map of attention forgotten" caught_by="the parts of a layer" change="4 * (C * C + C) -> 3 * (C * C + C)"


# %% wrong="the sum right, a bias in the wrong part" caught_by="the parts of a layer"
# -         "attention": 4 * (C * C + C),
# -         "feed_forward": 2 * 4 * C * C + 4 * C + C,
# +         "attention": 4 * C * C + 5 * C,
# +         "feed_forward": 8 * C * C + 4 * C,


# %% wrong="attention and feed-forward swapped" caught_by="the parts of a layer"
# -         "attention": 4 * (C * C + C),
# -         "feed_forward": 2 * 4 * C * C + 4 * C + C,
# +         "feed_forward": 4 * (C * C + C),
# +         "attention": 2 * 4 * C * C + 4 * C + C,

# - measured_share = 12 * layer_weights(768)["feed_forward"] / total(30522, 512, 768, 12)
# + measured_share = 0.52042


# %% wrong="biases of the feed-forward layer: 8 C" caught_by="the parts of a layer" change="+ 4 * C + C -> + 8 * C"


# %% wrong="one norm" caught_by="the parts of a layer" change="2 * 2 * C -> 2 * C"


# %% wrong="norms without bias" caught_by="the parts of a layer" change="2 * 2 * C -> 2 * C + 0"


# %% wrong="exact for width 4 only" caught_by="the parts of a layer" change="2 * 4 * C * C + 4 * C + C -> 9 * C * C + C"


# %% wrong="the last norm forgotten" caught_by="the whole encoder" change=" + 2 * C\n -> \n"


# %% wrong="a norm behind each layer" caught_by="the whole encoder" change="+ 2 * C\n -> + N * C\n"


# %% wrong="the positions forgotten" caught_by="the whole encoder" change="V * C + T * C -> V * C"


# %% wrong="positions in each layer" caught_by="the whole encoder" change="+ T * C -> + N * T * C"


# %% wrong="one layer for all" caught_by="the whole encoder" change="N * sum -> sum"


# %% wrong="the table at both ends" caught_by="the whole encoder" change="V * C + T -> 2 * V * C + T"


# %% wrong="the share of one layer" caught_by="two shares between 0 and 1" change="12 * layer -> layer"


# %% wrong="the share within the layers" caught_by="two shares between 0 and 1" change="/ total(30522, 512, 768, 12) -> / (12 * sum(layer_weights(768).values()))"


# %% wrong="two thirds, the round number" caught_by="two shares between 0 and 1"
# - measured_share = 12 * layer_weights(768)["feed_forward"] / total(30522, 512, 768, 12)
# + measured_share = 2 / 3


# %% wrong="by the rough formula" caught_by="two shares between 0 and 1"
# - measured_share = 12 * layer_weights(768)["feed_forward"] / total(30522, 512, 768, 12)
# + measured_share = 8 * 12 * 768**2 / (12 * 12 * 768**2 + 30522 * 768)
