"""Answers to the task Block of chapter 08."""


# %% right="sums in place of assignments, a class of its own"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention = attention
        self.feed_forward = feed_forward
        self.feed_forward_norm = nn.LayerNorm(width)
        self.attention_norm = nn.LayerNorm(width)

    def forward(self, x):
        mixed = self.attention(self.attention_norm(x))
        return x + mixed + self.feed_forward(self.feed_forward_norm(mixed + x))


class PostBlock(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention, self.feed_forward = attention, feed_forward
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x):
        for norm, module in ((self.attention_norm, self.attention), (self.feed_forward_norm, self.feed_forward)):
            x = norm(module(x) + x)
        return x


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% right="a loop over the two steps"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        for name in ("attention", "feed_forward"):
            x = x + getattr(self, name)(getattr(self, name + "_norm")(x))
        return x


class PostBlock(Block):
    def forward(self, x):
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = dict(zip(["code of 002", "Module(LN(a)) + a", "LN(Module(a) + a)"], ["pre", "pre", "post"]))


# %% wrong="labels as printed" caught_by="names of the two orders"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    def forward(self, x):
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "post", "LN(Module(a) + a)": "pre", "code of 002": "pre"}


# %% wrong="the text of 002 believed, not its code" caught_by="names of the two orders"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    def forward(self, x):
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "post"}


# %% wrong="all three post" caught_by="names of the two orders"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    def forward(self, x):
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "post", "LN(Module(a) + a)": "post", "code of 002": "post"}


# %% wrong="no residual" caught_by="pre-norm, by formula | the stream carries gradients"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        x = self.attention(self.attention_norm(x))
        return self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    def forward(self, x):
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="side by side, not one after the other" caught_by="pre-norm, by formula"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        return x + self.attention(self.attention_norm(x)) + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    def forward(self, x):
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="the normalised copy is added" caught_by="pre-norm, by formula | the stream carries gradients"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        a = self.attention_norm(x)
        x = a + self.attention(a)
        a = self.feed_forward_norm(x)
        return a + self.feed_forward(a)


class PostBlock(Block):
    def forward(self, x):
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="feed-forward first" caught_by="pre-norm, by formula"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        x = x + self.feed_forward(self.feed_forward_norm(x))
        return x + self.attention(self.attention_norm(x))


class PostBlock(Block):
    def forward(self, x):
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="one norm for both" caught_by="pre-norm, by formula"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = self.attention_norm, feed_forward

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    def forward(self, x):
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="norms swapped" caught_by="pre-norm, by formula"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        x = x + self.attention(self.feed_forward_norm(x))
        return x + self.feed_forward(self.attention_norm(x))


class PostBlock(Block):
    def forward(self, x):
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="the second residual forgotten" caught_by="pre-norm, by formula | the stream carries gradients"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return self.feed_forward_norm(x) + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    def forward(self, x):
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="the stream is detached" caught_by="the stream carries gradients"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        x = x.detach() + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    def forward(self, x):
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="post-norm that is pre-norm" caught_by="post-norm, by formula"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="post-norm only at the end" caught_by="post-norm, by formula"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    def forward(self, x):
        x = x + self.attention(x)
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="norm of the branch, then the sum" caught_by="post-norm, by formula"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    def forward(self, x):
        x = x + self.attention_norm(self.attention(x))
        return x + self.feed_forward_norm(self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="post-norm without residuals" caught_by="post-norm, by formula"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    def forward(self, x):
        x = self.attention_norm(self.attention(x))
        return self.feed_forward_norm(self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="both modules in a tuple, where torch does not look" caught_by="pre-norm, by formula"
class Block(nn.Module):
    """Pre-norm: each module reads a normalised copy, and adds to the stream. The x handed over stays as it is."""

    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.modules_of_mine = attention, feed_forward

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x = x + self.modules_of_mine[0](self.attention_norm(x))
        return x + self.modules_of_mine[1](self.feed_forward_norm(x))


class PostBlock(Block):
    """Post-norm: the sum is normalised."""

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x = self.attention_norm(x + self.modules_of_mine[0](x))
        return self.feed_forward_norm(x + self.modules_of_mine[1](x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="the stream is added to in place" caught_by="pre-norm, by formula"
class Block(nn.Module):
    """Pre-norm: each module reads a normalised copy, and adds to the stream. The x handed over stays as it is."""

    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x += self.attention(self.attention_norm(x))
        x += self.feed_forward(self.feed_forward_norm(x))
        return x


class PostBlock(Block):
    """Post-norm: the sum is normalised."""

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="post-norm adds in place" caught_by="post-norm, by formula"
class Block(nn.Module):
    """Pre-norm: each module reads a normalised copy, and adds to the stream. The x handed over stays as it is."""

    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    """Post-norm: the sum is normalised."""

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x += self.attention(x)
        x = self.attention_norm(x)
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="the branches read a detached copy" caught_by="the stream carries gradients"
class Block(nn.Module):
    """Pre-norm: each module reads a normalised copy, and adds to the stream. The x handed over stays as it is."""

    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x = x + self.attention(self.attention_norm(x.detach()))
        return x + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    """Post-norm: the sum is normalised."""

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="norms without gain and bias" caught_by="pre-norm, by formula"
class Block(nn.Module):
    """Pre-norm: each module reads a normalised copy, and adds to the stream. The x handed over stays as it is."""

    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width, elementwise_affine=False), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width, elementwise_affine=False), feed_forward

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    """Post-norm: the sum is normalised."""

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="norms of the module's own making in forward" caught_by="pre-norm, by formula"
class Block(nn.Module):
    """Pre-norm: each module reads a normalised copy, and adds to the stream. The x handed over stays as it is."""

    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x = x + self.attention(F.layer_norm(x, x.shape[-1:]))
        return x + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    """Post-norm: the sum is normalised."""

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="a post-norm block that shares one norm" caught_by="post-norm, by formula"
class Block(nn.Module):
    """Pre-norm: each module reads a normalised copy, and adds to the stream. The x handed over stays as it is."""

    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class PostBlock(Block):
    """Post-norm: the sum is normalised."""

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x = self.attention_norm(x + self.attention(x))
        return self.attention_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% right="add_module, parts by their names"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        for name, module in (("attention", attention), ("feed_forward", feed_forward)):
            self.add_module(name + "_norm", nn.LayerNorm(width))
            self.add_module(name, module)

    def forward(self, x):
        parts = dict(self.named_children())
        for name in ("attention", "feed_forward"):
            x = torch.add(x, parts[name](parts[name + "_norm"](x)))
        return x


class PostBlock(Block):
    """Post-norm: the sum is normalised."""

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}


# %% wrong="parts from a list made once, both orders" caught_by="pre-norm, by formula | post-norm, by formula"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        for name, module in (("attention", attention), ("feed_forward", feed_forward)):
            self.add_module(name + "_norm", nn.LayerNorm(width))
            self.add_module(name, module)
        self.steps = [(self.attention_norm, attention), (self.feed_forward_norm, feed_forward)]

    def forward(self, x):
        for norm, module in self.steps:
            x = torch.add(x, module(norm(x)))
        return x


class PostBlock(Block):
    """Post-norm: the sum is normalised."""

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        for norm, module in self.steps:
            x = norm(torch.add(x, module(x)))
        return x


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}
