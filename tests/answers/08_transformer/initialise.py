"""Answers to the task initialise of chapter 08."""


# %% right="in two passes, by the names of parameters"
def initialise(model, layers):
    for module in model.modules():
        if isinstance(module, (nn.Linear, nn.Embedding)):
            module.weight.data = 0.02 * torch.randn_like(module.weight)
            if getattr(module, "bias", None) is not None:
                module.bias.data.zero_()
    linear = {name for name, module in model.named_modules() if isinstance(module, nn.Linear)}
    for name, value in model.named_parameters():
        path, _, kind = name.rpartition(".")
        if path in linear and kind == "weight" and path.rsplit(".", 1)[-1] in ("out", "down"):
            value.data /= (2 * layers) ** 0.5


# %% right="without gradients, each kind for itself"
def initialise(model, layers):
    with torch.no_grad():
        for path, module in model.named_modules():
            if isinstance(module, nn.Embedding):
                module.weight.normal_(0, 0.02)
            elif isinstance(module, nn.Linear):
                last = path.rpartition(".")[2]
                module.weight.normal_(0, 0.02 * (0.5 / layers) ** (0.5 if last == "out" or last == "down" else 0))
                if module.bias is not None:
                    module.bias.zero_()


# %% wrong="the variance is 0.02" caught_by="small normal weights"
def initialise(model, layers):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=math.sqrt(0.02 / (2 * layers) if writes else 0.02))
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="uniform numbers" caught_by="small normal weights"
def initialise(model, layers):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.split(".")[-1] in ("out", "down")
            a = 0.02 * math.sqrt(3) / (math.sqrt(2 * layers) if writes else 1)
            nn.init.uniform_(module.weight, -a, a)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="embeddings left as torch starts them" caught_by="small normal weights"
def initialise(model, layers):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear):
            writes = name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="only embeddings and matrices with a bias" caught_by="small normal weights"
def initialise(model, layers):
    for name, module in model.named_modules():
        if (
            isinstance(module, nn.Embedding)
            or getattr(module, "bias", None) is not None
            and isinstance(module, nn.Linear)
        ):
            writes = name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="all matrices made smaller" caught_by="small normal weights"
def initialise(model, layers):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers))
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="no smaller writers" caught_by="writers start smaller"
def initialise(model, layers):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="N instead of 2 N" caught_by="writers start smaller"
def initialise(model, layers):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="no root" caught_by="writers start smaller"
def initialise(model, layers):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02 / (2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="only attention writes" caught_by="writers start smaller"
def initialise(model, layers):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.split(".")[-1] in ("out",)
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="up taken for down" caught_by="writers start smaller | small normal weights"
def initialise(model, layers):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.split(".")[-1] in ("out", "up")
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="only the last block's writers" caught_by="writers start smaller"
def initialise(model, layers):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.split(".")[-1] in ("out", "down") and f"blocks.{layers - 1}." in name
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="biases left alone" caught_by="biases zero, norms untouched"
def initialise(model, layers):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)


# %% wrong="biases drawn, too" caught_by="biases zero, norms untouched"
def initialise(model, layers):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.normal_(module.bias, std=0.02)


# %% wrong="norms filled, too" caught_by="biases zero, norms untouched"
def initialise(model, layers):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
        if isinstance(module, nn.LayerNorm):
            nn.init.normal_(module.weight, std=0.02)


# %% wrong="out or down anywhere in the path" caught_by="writers start smaller"
def initialise(model, layers):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = "out" in name or "down" in name  # also blocks.0.output_gate.query
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="whatever ends with out" caught_by="writers start smaller"
def initialise(model, layers):
    """Fill the weights of a module that has `layers` blocks; returns nothing."""
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = isinstance(module, nn.Linear) and name.endswith(("out", "down"))
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="an embedding called down is a writer, too" caught_by="writers start smaller"
def initialise(model, layers):
    """Fill the weights of a module that has `layers` blocks; returns nothing."""
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="out must lie in a block" caught_by="writers start smaller"
def initialise(model, layers):
    """Fill the weights of a module that has `layers` blocks; returns nothing."""
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = isinstance(module, nn.Linear) and name.endswith((".out", ".down"))
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="norms start anew" caught_by="biases zero, norms untouched"
def initialise(model, layers):
    """Fill the weights of a module that has `layers` blocks; returns nothing."""
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = isinstance(module, nn.Linear) and name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.LayerNorm):
            module.reset_parameters()
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="every bias, by its name" caught_by="biases zero, norms untouched"
def initialise(model, layers):
    """Fill the weights of a module that has `layers` blocks; returns nothing."""
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = isinstance(module, nn.Linear) and name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
    for name, value in model.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(value)


# %% wrong="the same seed before every layer" caught_by="small normal weights"
def initialise(model, layers):
    """Fill the weights of a module that has `layers` blocks; returns nothing."""
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            torch.manual_seed(0)
            writes = isinstance(module, nn.Linear) and name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="the same seed for every model" caught_by="small normal weights"
#       """Fill the weights of a module that has `layers` blocks; returns nothing."""
# +     torch.manual_seed(8)


# %% wrong="only what lies in blocks" caught_by="small normal weights"
def initialise(model, layers):
    """Fill the weights of a module that has `layers` blocks; returns nothing."""
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding) and "blocks" in name:
            writes = isinstance(module, nn.Linear) and name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="draws added to what was there" caught_by="small normal weights"
def initialise(model, layers):
    """Fill the weights of a module that has `layers` blocks; returns nothing."""
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = isinstance(module, nn.Linear) and name.split(".")[-1] in ("out", "down")
            module.weight.data += torch.randn_like(module.weight) * (0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


# %% wrong="a new parameter for each weight" caught_by="small normal weights"
#               nn.init.normal_(
# -                 module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02
# +                 module.weight.detach().clone(), std=0.02
#               )
# +             std = 0.02 / math.sqrt(2 * layers) if writes else 0.02
# +             module.weight = nn.Parameter(std * torch.randn(module.weight.shape))


# %% wrong="exactly nn.Linear, no derived class" caught_by="small normal weights" change="if isinstance(module, nn.Linear | nn.Embedding): -> if type(module) in (nn.Linear, nn.Embedding):"


# %% wrong="token 0 begins with zeros" caught_by="small normal weights"
#           if isinstance(module, nn.Linear) and module.bias is not None:
#               nn.init.zeros_(module.bias)
# +         if isinstance(module, nn.Embedding):
# +             module.weight.data[0] = 0


# %% wrong="out and down anywhere in the path" caught_by="small normal weights"
# -             writes = isinstance(module, nn.Linear) and name.split(".")[-1] in (
# -                 "out",
# -                 "down",
# -             )
# +             writes = isinstance(module, nn.Linear) and {"out", "down"} & {*name.split(".")}
