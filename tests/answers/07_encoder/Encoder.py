"""Answers to the task Encoder of chapter 07."""


# %% right="appended in a loop; names replaced as strings"
def clones(module, N):
    copies = nn.ModuleList()
    for _ in range(N):
        copies.append(copy.deepcopy(module))
    return copies


class Encoder(nn.Module):
    def __init__(self, layer, N, C):
        super().__init__()
        self.norm = nn.LayerNorm(C)
        self.layers = clones(layer, N)

    def forward(self, x, mask=None):
        for n in range(len(self.layers)):
            x = self.layers[n](x, mask)
        return self.norm(x)


def copied(state):
    C = state["norm1.weight"].shape[0]
    result = {}
    for name, part in state.items():
        if "in_proj" in name:
            kind = name.rsplit("_", 1)[1]
            for i, letter in enumerate("qkv"):
                result[f"attention.{letter}.{kind}"] = part[i * C : (i + 1) * C].clone()
            continue
        for old, new in (
            ("self_attn.out_proj", "attention.out"),
            ("linear1", "feed_forward.up"),
            ("linear2", "feed_forward.down"),
            ("norm1", "attention_norm"),
            ("norm2", "feed_forward_norm"),
        ):
            name = name.replace(old, new)
        result[name] = part.clone()
    return result


# %% right="a list wrapped, from_torch on cut names"
def clones(module, N):
    return nn.ModuleList([copy.deepcopy(module) for i in range(N)])


class Encoder(nn.Module):
    def __init__(self, layer, N, C):
        super().__init__()
        self.layers, self.norm = clones(layer, N), nn.LayerNorm(C, eps=1e-5)

    def forward(self, x, mask=None):
        out = x
        for layer in self.layers:
            out = layer(out, mask)
        return self.norm(out)


def copied(state):
    from collections import OrderedDict

    inner = {name[10:]: part for name, part in state.items() if name[:10] == "self_attn."}
    result = OrderedDict(("attention." + name, part) for name, part in from_torch(inner).items())
    for kind in (".weight", ".bias"):
        result["feed_forward.up" + kind] = state["linear1" + kind]
        result["feed_forward.down" + kind] = state["linear2" + kind]
        result["attention_norm" + kind] = state["norm1" + kind]
        result["feed_forward_norm" + kind] = state["norm2" + kind]
    return result


# %% wrong="N times the same module" caught_by="clones that share nothing" change="copy.deepcopy(module) -> module"


# %% wrong="shallow copies, which share their weights" caught_by="clones that share nothing" change="copy.deepcopy -> copy.copy"


# %% wrong="the module itself is the first" caught_by="clones that share nothing"
# -     return nn.ModuleList(copy.deepcopy(module) for _ in range(N))
# +     return nn.ModuleList([module, *(copy.deepcopy(module) for _ in range(N - 1))][:N])


# %% wrong="one copy, N times" caught_by="clones that share nothing"
# -     return nn.ModuleList(copy.deepcopy(module) for _ in range(N))
# +     return nn.ModuleList([copy.deepcopy(module)] * N)


# %% wrong="a plain list" caught_by="clones that share nothing"
# -     return nn.ModuleList(copy.deepcopy(module) for _ in range(N))
# +     return [copy.deepcopy(module) for _ in range(N)]


# %% wrong="one copy too many" caught_by="clones that share nothing" change="range(N) -> range(N + 1)"


# %% wrong="at least one copy" caught_by="clones that share nothing" change="range(N) -> range(max(N, 1))"


# %% wrong="weights drawn anew" caught_by="clones that share nothing"
# -     return nn.ModuleList(copy.deepcopy(module) for _ in range(N))
# +     copies = nn.ModuleList(copy.deepcopy(module) for _ in range(N))
# +     for one in copies:
# +         for part in one.modules():
# +             if hasattr(part, "reset_parameters"):
# +                 part.reset_parameters()
# +     return copies


# %% wrong="weights are copied, buffers are shared" caught_by="clones that share nothing"
# -     return nn.ModuleList(copy.deepcopy(module) for _ in range(N))
# +     shared = {id(buffer): buffer for buffer in module.buffers()}
# +     return nn.ModuleList(copy.deepcopy(module, dict(shared)) for _ in range(N))


# %% wrong="no last norm" caught_by="equal to torch's encoder" change="return self.norm(x) -> return x"


# %% wrong="the norm behind each layer" caught_by="equal to torch's encoder" change="x = layer(x, mask) -> x = self.norm(layer(x, mask))"


# %% wrong="the norm in front" caught_by="equal to torch's encoder"
# -         for layer in self.layers:
# -             x = layer(x, mask)
# -         return self.norm(x)
# +         x = self.norm(x)
# +         for layer in self.layers:
# +             x = layer(x, mask)
# +         return x


# %% wrong="layers in the wrong order" caught_by="equal to torch's encoder" change="in self.layers: -> in reversed(self.layers):"


# %% wrong="one more residual around each layer" caught_by="equal to torch's encoder" change="x = layer(x, mask) -> x = x + layer(x, mask)"


# %% wrong="the first layer only, N times" caught_by="equal to torch's encoder"
# -         for layer in self.layers:
# -             x = layer(x, mask)
# +         for _ in self.layers:
# +             x = self.layers[0](x, mask)


# %% wrong="every layer reads the input" caught_by="equal to torch's encoder"
# -         for layer in self.layers:
# -             x = layer(x, mask)
# -         return self.norm(x)
# +         y = x
# +         for layer in self.layers:
# +             y = layer(x, mask)
# +         return self.norm(y)


# %% wrong="a norm without gain and bias" caught_by="equal to torch's encoder" change="nn.LayerNorm(C) -> nn.LayerNorm(C, elementwise_affine=False)"


# %% wrong="the result is detached" caught_by="equal to torch's encoder" change="x = layer(x, mask) -> x = layer(x, mask).detach()"


# %% wrong="the mask is forgotten" caught_by="every layer gets the mask" change="layer(x, mask) -> layer(x)"


# %% wrong="the mask for the first layer only" caught_by="every layer gets the mask"
# -             x = layer(x, mask)
# +             x = layer(x, mask)
# +             mask = None


# %% wrong="the mask for all layers but the last" caught_by="every layer gets the mask"
# -         for layer in self.layers:
# -             x = layer(x, mask)
# +         for layer in self.layers[:-1]:
# +             x = layer(x, mask)
# +         for layer in self.layers[-1:]:
# +             x = layer(x)


# %% wrong="the mask turned round" caught_by="every layer gets the mask" change="layer(x, mask) -> layer(x, None if mask is None else ~mask)"


# %% wrong="norms swapped" caught_by="torch's weights under our names" change="{\"norm1\": \"attention_norm\", \"norm2\": \"feed_forward_norm\"} -> {\"norm2\": \"attention_norm\", \"norm1\": \"feed_forward_norm\"}"


# %% wrong="linear maps transposed" caught_by="torch's weights under our names" change="= state[f\"{old}.{end}\"] -> = state[f\"{old}.{end}\"].T if \"linear\" in old else state[f\"{old}.{end}\"]"


# %% wrong="up and down swapped" caught_by="torch's weights under our names" change="{\"linear1\": \"feed_forward.up\", \"linear2\": \"feed_forward.down\"} -> {\"linear2\": \"feed_forward.up\", \"linear1\": \"feed_forward.down\"}"


# %% wrong="biases forgotten" caught_by="torch's weights under our names" change="(\"weight\", \"bias\") -> (\"weight\",)"


# %% wrong="attention under torch's names" caught_by="torch's weights under our names" change="from_torch(attention).items() -> attention.items()"


# %% wrong="queries and keys swapped" caught_by="torch's weights under our names"
# -     return found
# +     for end in ("weight", "bias"):
# +         q, v = found[f"attention.q.{end}"], found[f"attention.v.{end}"]
# +         found[f"attention.q.{end}"], found[f"attention.v.{end}"] = v, q
# +     return found


# %% wrong="torch's dict is emptied" caught_by="torch's weights under our names" change="= state[f\"{old}.{end}\"] -> = state.pop(f\"{old}.{end}\")"


# %% wrong="norms as new, gain 1 and bias 0" caught_by="torch's weights under our names"
# -     return found
# +     for norm in ("attention_norm", "feed_forward_norm"):
# +         found[f"{norm}.weight"] = torch.ones_like(found[f"{norm}.weight"])
# +         found[f"{norm}.bias"] = torch.zeros_like(found[f"{norm}.bias"])
# +     return found


# %% wrong="the mask by the name that torch's layer has for it" caught_by="every layer gets the mask" change="layer(x, mask) -> layer(x, src_mask=mask)"


# %% right="without a mask the layers get none" change="x = layer(x, mask) -> x = layer(x) if mask is None else layer(x, mask)"
