"""Answers to the task DecoderLayer of chapter 09."""


# %% right="a loop over three steps"
# -         y = self.inside_norm(x)
# -         x = x + self.inside(y, y, inside_mask)
# -         x = x + self.across(self.across_norm(x), memory, across_mask)
# -         return x + self.feed(self.feed_norm(x))
# +         steps = (
# +             (self.inside_norm, lambda y: self.inside(y, y, inside_mask)),
# +             (self.across_norm, lambda y: self.across(y, memory, across_mask)),
# +             (self.feed_norm, self.feed),
# +         )
# +         for norm, step in steps:
# +             x = torch.add(step(norm(x)), x)
# +         return x


# %% right="parts by their names, a copy of the stream"
class DecoderLayer(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        for name in ("inside", "across", "feed"):
            self.add_module(f"{name}_norm", nn.LayerNorm(d))
            self.add_module(name, FeedForward(d) if name == "feed" else Attention(d, h))

    def forward(self, x, memory, inside_mask=None, across_mask=None):
        stream = x.clone()
        asked = self.inside_norm(stream)
        stream = self.inside(x=asked, y=asked, mask=inside_mask) + stream
        stream = stream + self.across(x=self.across_norm(stream), y=memory, mask=across_mask)
        return stream + self.feed(self.feed_norm(stream))


# %% wrong="post-norm" caught_by="equal to torch's layer"
# -         y = self.inside_norm(x)
# -         x = x + self.inside(y, y, inside_mask)
# -         x = x + self.across(self.across_norm(x), memory, across_mask)
# -         return x + self.feed(self.feed_norm(x))
# +         x = self.inside_norm(x + self.inside(x, x, inside_mask))
# +         x = self.across_norm(x + self.across(x, memory, across_mask))
# +         return self.feed_norm(x + self.feed(x))


# %% wrong="the answers inside are not normalised" caught_by="equal to torch's layer" change="(y, y, inside_mask) -> (y, x, inside_mask)"


# %% wrong="the memory is normalised again" caught_by="equal to torch's layer" change="(x), memory, -> (x), self.across_norm(memory),"


# %% wrong="the source asks" caught_by="equal to torch's layer"
# -         x = x + self.across(self.across_norm(x), memory, across_mask)
# +         x = x + self.across(memory, self.across_norm(x)).mean(1, keepdim=True)


# %% wrong="masks swapped" caught_by="each mask in its place"
# -         x = x + self.inside(y, y, inside_mask)
# -         x = x + self.across(self.across_norm(x), memory, across_mask)
# +         n, m = x.shape[1], memory.shape[1]
# +         a = None if across_mask is None or n > m else across_mask[:, :, :n]
# +         b = None if inside_mask is None or m > n else inside_mask[:, :, :m]
# +         x = x + self.inside(y, y, a)
# +         x = x + self.across(self.across_norm(x), memory, b)


# %% wrong="no mask inside" caught_by="each mask in its place" change="(y, y, inside_mask) -> (y, y)"


# %% wrong="no mask across" caught_by="each mask in its place" change="memory, across_mask) -> memory)"


# %% wrong="always causal, whatever mask is given" caught_by="equal to torch's layer | each mask in its place"
# -         x = x + self.inside(y, y, inside_mask)
# +         n = x.shape[1]
# +         causal = torch.ones(n, n, dtype=torch.bool).tril().expand(len(x), n, n)
# +         x = x + self.inside(y, y, causal)


# %% wrong="source before target" caught_by="equal to torch's layer"
# -         y = self.inside_norm(x)
# -         x = x + self.inside(y, y, inside_mask)
# -         x = x + self.across(self.across_norm(x), memory, across_mask)
# +         x = x + self.across(self.across_norm(x), memory, across_mask)
# +         y = self.inside_norm(x)
# +         x = x + self.inside(y, y, inside_mask)


# %% wrong="one norm for all" caught_by="equal to torch's layer"
# -         x = x + self.across(self.across_norm(x), memory, across_mask)
# -         return x + self.feed(self.feed_norm(x))
# +         x = x + self.across(self.inside_norm(x), memory, across_mask)
# +         return x + self.feed(self.inside_norm(x))


# %% wrong="one attention for both" caught_by="equal to torch's layer" change="x + self.across(self -> x + self.inside(self"


# %% wrong="cross-attention does not add, it replaces" caught_by="equal to torch's layer" change="x = x + self.across( -> x = self.across("


# %% wrong="the last step forgets the stream" caught_by="equal to torch's layer" change="return x + self.feed -> return self.feed"


# %% wrong="no feed-forward" caught_by="equal to torch's layer" change="return x + self.feed(self.feed_norm(x)) -> return x"


# %% wrong="the memory is detached" caught_by="gradients to target, memory and weights" change="memory, across_mask -> memory.detach(), across_mask"


# %% wrong="the stream is changed in place" caught_by="equal to torch's layer"
# -         x = x + self.inside(y, y, inside_mask)
# +         x += self.inside(y, y, inside_mask)


# %% wrong="computed without gradients in the middle" caught_by="gradients to target, memory and weights"
# -         x = x + self.across(self.across_norm(x), memory, across_mask)
# +         with torch.no_grad():
# +             heard = self.across(self.across_norm(x), memory, across_mask)
# +         x = x + heard


# %% wrong="the mask of the first text for all" caught_by="each mask in its place"
# -         x = x + self.across(self.across_norm(x), memory, across_mask)
# +         if across_mask is not None:
# +             across_mask = across_mask[:1]
# +         x = x + self.across(self.across_norm(x), memory, across_mask)


# %% wrong="the first memory is kept" caught_by="equal to torch's layer"
# -         x = x + self.across(self.across_norm(x), memory, across_mask)
# +         if getattr(self, "memory", None) is None or self.memory.shape != memory.shape:
# +             self.memory = memory
# +         x = x + self.across(self.across_norm(x), self.memory, across_mask)


# %% wrong="another epsilon in the norm inside" caught_by="equal to torch's layer" change="self.inside, self.inside_norm = Attention(d, h), nn.LayerNorm(d) -> self.inside, self.inside_norm = Attention(d, h), nn.LayerNorm(d, 1e-6)"


# %% wrong="another epsilon in the norm across" caught_by="equal to torch's layer" change="self.across, self.across_norm = Attention(d, h), nn.LayerNorm(d) -> self.across, self.across_norm = Attention(d, h), nn.LayerNorm(d, 1e-6)"


# %% wrong="another epsilon in the last norm" caught_by="equal to torch's layer" change="FeedForward(d), nn.LayerNorm(d) -> FeedForward(d), nn.LayerNorm(d, 1e-6)"


# %% wrong="a square mask across serves inside too, if there is none" caught_by="each mask in its place"
#           y = self.inside_norm(x)
# +         if inside_mask is None and x.shape[1] == memory.shape[1]:
# +             inside_mask = across_mask


# %% wrong="square masks change places" caught_by="each mask in its place"
# -         y = self.inside_norm(x)
# +         given = [mask for mask in (inside_mask, across_mask) if mask is not None]
# +         if len(given) == 2 and given[0].shape == given[1].shape:
# +             across_mask, inside_mask = given
# +         y = self.inside_norm(x)


# %% wrong="the future is masked only while training" caught_by="each mask in its place" change="self.inside(y, y, inside_mask) -> self.inside(y, y, inside_mask if self.training else None)"


# %% wrong="the first memory is kept in eval mode" caught_by="equal to torch's layer"
# -         x = x + self.across(self.across_norm(x), memory, across_mask)
# +         if not self.training:
# +             self.kept = memory = getattr(self, "kept", memory)
# +         x = x + self.across(self.across_norm(x), memory, across_mask)


# %% wrong="without gradients the target is changed in place" caught_by="equal to torch's layer"
# -         x = x + self.inside(y, y, inside_mask)
# +         x = x + self.inside(y, y, inside_mask) if torch.is_grad_enabled() else x.add_(self.inside(y, y, inside_mask))


# %% wrong="layers of one size share a feed-forward network" caught_by="equal to torch's layer"
# + @functools.cache
# + def _feed(d):
# +     return FeedForward(d)
# +
# +
#   class DecoderLayer(nn.Module):

# -         self.feed, self.feed_norm = FeedForward(d), nn.LayerNorm(d)
# +         self.feed, self.feed_norm = _feed(d), nn.LayerNorm(d)
