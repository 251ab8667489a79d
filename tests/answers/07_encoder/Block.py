"""Answers to the task Block of chapter 07."""


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


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "the code": "pre"}


# %% right="a loop over the two steps"
# -         x = x + self.attention(self.attention_norm(x))
# -         return x + self.feed_forward(self.feed_forward_norm(x))
# +         for name in ("attention", "feed_forward"):
# +             x = x + getattr(self, name)(getattr(self, name + "_norm")(x))
# +         return x

# - labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "the code": "pre"}
# + labels = dict(zip(["the code", "Module(LN(a)) + a", "LN(Module(a) + a)"], ["pre", "pre", "post"]))


# %% wrong="labels as printed" caught_by="three labels, pre or post" change="pre\", \"LN(Module(a) + a)\": \"post -> post\", \"LN(Module(a) + a)\": \"pre"


# %% wrong="the printed formula believed, not the code" caught_by="three labels, pre or post" change="pre\"} -> post\"}"


# %% wrong="all three post" caught_by="three labels, pre or post" change="pre\", \"LN(Module(a) + a)\": \"post\", \"the code\": \"pre -> post\", \"LN(Module(a) + a)\": \"post\", \"the code\": \"post"


# %% wrong="no residual" caught_by="pre-norm, by formula | the stream carries gradients"
# -         x = x + self.attention(self.attention_norm(x))
# -         return x + self.feed_forward(self.feed_forward_norm(x))
# +         x = self.attention(self.attention_norm(x))
# +         return self.feed_forward(self.feed_forward_norm(x))


# %% wrong="side by side, not one after the other" caught_by="pre-norm, by formula"
# -         x = x + self.attention(self.attention_norm(x))
# -         return x + self.feed_forward(self.feed_forward_norm(x))
# +         return x + self.attention(self.attention_norm(x)) + self.feed_forward(self.feed_forward_norm(x))


# %% wrong="the normalised copy is added" caught_by="pre-norm, by formula | the stream carries gradients"
# -         x = x + self.attention(self.attention_norm(x))
# -         return x + self.feed_forward(self.feed_forward_norm(x))
# +         a = self.attention_norm(x)
# +         x = a + self.attention(a)
# +         a = self.feed_forward_norm(x)
# +         return a + self.feed_forward(a)


# %% wrong="feed-forward first" caught_by="pre-norm, by formula"
# -         x = x + self.attention(self.attention_norm(x))
# -         return x + self.feed_forward(self.feed_forward_norm(x))
# +         x = x + self.feed_forward(self.feed_forward_norm(x))
# +         return x + self.attention(self.attention_norm(x))


# %% wrong="one norm for both" caught_by="pre-norm, by formula" change="nn.LayerNorm(width), feed_forward -> self.attention_norm, feed_forward"


# %% wrong="norms swapped" caught_by="pre-norm, by formula"
# -         x = x + self.attention(self.attention_norm(x))
# -         return x + self.feed_forward(self.feed_forward_norm(x))
# +         x = x + self.attention(self.feed_forward_norm(x))
# +         return x + self.feed_forward(self.attention_norm(x))


# %% wrong="the second residual forgotten" caught_by="pre-norm, by formula | the stream carries gradients" change="return x -> return self.feed_forward_norm(x)"


# %% wrong="the stream is detached" caught_by="the stream carries gradients" change="= x -> = x.detach()"


# %% wrong="post-norm that is pre-norm" caught_by="post-norm, by formula"
# -         x = self.attention_norm(x + self.attention(x))
# -         return self.feed_forward_norm(x + self.feed_forward(x))
# +         x = x + self.attention(self.attention_norm(x))
# +         return x + self.feed_forward(self.feed_forward_norm(x))


# %% wrong="post-norm only at the end" caught_by="post-norm, by formula" change="self.attention_norm(x + self.attention(x) -> x + self.attention(x"


# %% wrong="norm of the branch, then the sum" caught_by="post-norm, by formula"
# -         x = self.attention_norm(x + self.attention(x))
# -         return self.feed_forward_norm(x + self.feed_forward(x))
# +         x = x + self.attention_norm(self.attention(x))
# +         return x + self.feed_forward_norm(self.feed_forward(x))


# %% wrong="post-norm without residuals" caught_by="post-norm, by formula"
# -         x = self.attention_norm(x + self.attention(x))
# -         return self.feed_forward_norm(x + self.feed_forward(x))
# +         x = self.attention_norm(self.attention(x))
# +         return self.feed_forward_norm(self.feed_forward(x))


# %% wrong="both modules in a tuple, where torch does not look" caught_by="pre-norm, by formula"
# -         self.attention_norm, self.attention = nn.LayerNorm(width), attention
# -         self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward
# +         self.attention_norm, self.feed_forward_norm = nn.LayerNorm(width), nn.LayerNorm(width)
# +         self.modules_of_mine = attention, feed_forward

# -         x = x + self.attention(self.attention_norm(x))
# -         return x + self.feed_forward(self.feed_forward_norm(x))
# +         x = x + self.modules_of_mine[0](self.attention_norm(x))
# +         return x + self.modules_of_mine[1](self.feed_forward_norm(x))

# -         x = self.attention_norm(x + self.attention(x))
# -         return self.feed_forward_norm(x + self.feed_forward(x))
# +         x = self.attention_norm(x + self.modules_of_mine[0](x))
# +         return self.feed_forward_norm(x + self.modules_of_mine[1](x))


# %% wrong="the stream is added to in place" caught_by="pre-norm, by formula"
# -         x = x + self.attention(self.attention_norm(x))
# -         return x + self.feed_forward(self.feed_forward_norm(x))
# +         x += self.attention(self.attention_norm(x))
# +         x += self.feed_forward(self.feed_forward_norm(x))
# +         return x


# %% wrong="post-norm adds in place" caught_by="post-norm, by formula"
# -         x = self.attention_norm(x + self.attention(x))
# +         x += self.attention(x)
# +         x = self.attention_norm(x)


# %% wrong="the branches read a detached copy" caught_by="the stream carries gradients" change="attention_norm(x) -> attention_norm(x.detach())"


# %% wrong="norms without gain and bias" caught_by="pre-norm, by formula"
# -         self.attention_norm, self.attention = nn.LayerNorm(width), attention
# -         self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward
# +         self.attention_norm, self.attention = nn.LayerNorm(width, elementwise_affine=False), attention
# +         self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width, elementwise_affine=False), feed_forward


# %% wrong="norms of the module's own making in forward" caught_by="pre-norm, by formula" change="self.attention_norm(x) -> F.layer_norm(x, x.shape[-1:])"


# %% wrong="a post-norm block that shares one norm" caught_by="post-norm, by formula" change="feed_forward_norm(x + -> attention_norm(x +"


# %% right="add_module, parts by their names"
# -         self.attention_norm, self.attention = nn.LayerNorm(width), attention
# -         self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward
# +         for name, module in (("attention", attention), ("feed_forward", feed_forward)):
# +             self.add_module(name + "_norm", nn.LayerNorm(width))
# +             self.add_module(name, module)

# -         x = x + self.attention(self.attention_norm(x))
# -         return x + self.feed_forward(self.feed_forward_norm(x))
# +         parts = dict(self.named_children())
# +         for name in ("attention", "feed_forward"):
# +             x = torch.add(x, parts[name](parts[name + "_norm"](x)))
# +         return x


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


labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "the code": "pre"}


# %% wrong="one text of one token loses its axes" caught_by="post-norm, by formula" change="return self.feed_forward_norm(x + self.feed_forward(x)) -> return self.feed_forward_norm(x + self.feed_forward(x)).squeeze()"


# %% wrong="post-norm without gradients" caught_by="the stream carries gradients" change="self.attention_norm(x + self.attention(x)) -> self.attention_norm(x.detach() + self.attention(x.detach()))"


# %% wrong="post-norm: the second sum reads a detached stream" caught_by="the stream carries gradients" change="self.feed_forward_norm(x + self.feed_forward(x)) -> self.feed_forward_norm(x.detach() + self.feed_forward(x))"


# %% wrong="copies of the two modules" caught_by="pre-norm, by formula" change="nn.LayerNorm(width), attention -> nn.LayerNorm(width), copy.deepcopy(attention)"
