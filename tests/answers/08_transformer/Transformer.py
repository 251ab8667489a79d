"""Answers to the task Transformer of chapter 08."""


# %% right="nn.Sequential, positions looked up"
# -         self.blocks = nn.ModuleList(blocks)
# +         self.blocks = nn.Sequential(*blocks)

# -         x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
# -         for block in self.blocks:
# -             x = block(x)
# +         places = torch.arange(tokens.size(1), device=tokens.device)
# +         x = self.blocks(self.embedding(tokens) + self.positions(places)[None])


# %% right="tied the other way round, the block in four steps"
class Block(nn.Module):
    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        looked = self.attention(self.attention_norm(x))
        middle = looked + x
        thought = self.feed_forward(self.feed_forward_norm(middle))
        return torch.add(middle, thought)


class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.embedding.weight = self.head.weight

    def forward(self, tokens):
        B, T = tokens.shape
        h = self.embedding(tokens)
        h = h + self.positions(torch.arange(T).expand(B, T))
        for k in range(len(self.blocks)):
            h = self.blocks[k](h)
        h = self.norm(h)
        return h @ self.head.weight.T


# %% wrong="positions forgotten" caught_by="scores by formula" change="tokens) + self.positions.weight[: tokens.shape[1]] -> tokens)"


# %% wrong="the last norm forgotten" caught_by="scores by formula" change="self.norm(x) -> x"


# %% wrong="the norm comes before the blocks" caught_by="scores by formula"
# -         x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
# +         x = self.norm(self.embedding(tokens) + self.positions.weight[: tokens.shape[1]])

# -         return self.head(self.norm(x))
# +         return self.head(x)


# %% wrong="blocks from the last to the first" caught_by="scores by formula" change="self.blocks: -> reversed(self.blocks):"


# %% wrong="every block reads the embedding" caught_by="scores by formula"
# -         x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
# +         e = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]

# -             x = block(x)
# +             x = block(e)


# %% wrong="positions added before every block" caught_by="scores by formula"
# -         x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
# +         x = self.embedding(tokens)

# -             x = block(x)
# +             x = block(x + self.positions.weight[: tokens.shape[1]])


# %% wrong="probabilities instead of scores" caught_by="scores by formula" change="self.head(self.norm(x)) -> self.head(self.norm(x)).softmax(-1)"


# %% wrong="not tied" caught_by="one matrix at both ends"
# -         self.head.weight = self.embedding.weight


# %% wrong="equal at the start, but not tied" caught_by="one matrix at both ends" change="weight = self.embedding.weight -> weight.data.copy_(self.embedding.weight.data)"


# %% wrong="a copy as a new parameter" caught_by="one matrix at both ends" change="self.embedding.weight -> nn.Parameter(self.embedding.weight.detach().clone())"


# %% wrong="a bias in the head" caught_by="one matrix at both ends" change="vocabulary, bias=False -> vocabulary"


# %% wrong="blocks in a plain list" caught_by="the weights of blocks are found" change="nn.ModuleList -> list"


# %% wrong="the blocks run without gradients" caught_by="the weights of blocks are found"
# -         for block in self.blocks:
# -             x = block(x)
# +         with torch.no_grad():
# +             for block in self.blocks:
# +                 x = block(x)


# %% wrong="places counted from the end" caught_by="shorter texts begin at place 0" change=": tokens.shape[1] -> -tokens.shape[1] :"


# %% wrong="all positions for every text" caught_by="shorter texts begin at place 0" change="weight[: tokens.shape[1]] -> weight"


# %% wrong="two parameters that share their numbers" caught_by="one matrix at both ends" change="weight = self.embedding.weight -> weight.data = self.embedding.weight.data"


# %% wrong="the embedding is looked up without gradients" caught_by="the weights of blocks are found" change="tokens) + -> tokens).detach() +"


# %% wrong="places counted within the batch" caught_by="scores by formula" change=": tokens.shape[1 -> torch.arange(len(tokens))[:, None"


# %% wrong="the last block left out" caught_by="scores by formula" change="blocks: -> blocks[:-1]:"


# %% wrong="the residual around every block" caught_by="scores by formula" change="= block -> = x + block"


# %% wrong="the embedding scaled by the root of the width" caught_by="scores by formula" change="tokens) + -> tokens) * self.norm.normalized_shape[0] ** 0.5 +"


# %% right="a buffer of places"
#           self.norm = nn.LayerNorm(width)
# +         self.register_buffer("places", torch.arange(block))

# -         x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
# +         x = self.embedding(tokens) + self.positions(self.places[: tokens.shape[1]])


# %% wrong="takes the blocks out of the list" caught_by="scores by formula" change="self.blocks = nn.ModuleList(blocks) -> self.blocks = nn.ModuleList([blocks.pop(0) for _ in range(len(blocks))])"


# %% wrong="each module only once" caught_by="scores by formula"
# -         self.blocks = nn.ModuleList(blocks)
# +         self.blocks = nn.ModuleList()
# +         for block_ in blocks:
# +             if not any(block_ is other for other in self.blocks):
# +                 self.blocks.append(block_)


# %% wrong="places are counted once, for the first text" caught_by="shorter texts begin at place 0"
# -         x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
# +         if not hasattr(self, "places"):
# +             self.places = torch.arange(tokens.shape[1])
# +         x = self.embedding(tokens) + self.positions(self.places[: tokens.shape[1]])


# %% wrong="a block that stands twice is copied" caught_by="the weights of blocks are found" change="nn.ModuleList(blocks) -> nn.ModuleList(__import__('copy').deepcopy(block) for block in blocks)"


# %% wrong="in eval mode only the last place has scores of its own" caught_by="scores by formula"
# -         return self.head(self.norm(x))
# +         x = self.norm(x)
# +         return self.head(x if self.training else x[:, -1:].expand_as(x))


# %% wrong="without blocks no norm" caught_by="scores by formula" change="self.head(self.norm(x)) -> self.head(self.norm(x) if len(self.blocks) else x)"


# %% wrong="the result takes the place of the stream" caught_by="a block adds to the stream" change="x = x + self.attention( -> x = self.attention("


# %% wrong="no residual around the feed-forward layer" caught_by="a block adds to the stream" change="return x + self.feed_forward( -> return self.feed_forward("


# %% wrong="post-norm" caught_by="a block adds to the stream"
# -         x = x + self.attention(self.attention_norm(x))
# -         return x + self.feed_forward(self.feed_forward_norm(x))
# +         x = self.attention_norm(x + self.attention(x))
# +         return self.feed_forward_norm(x + self.feed_forward(x))


# %% wrong="the normalised copy goes on" caught_by="a block adds to the stream"
# -         x = x + self.attention(self.attention_norm(x))
# +         x = self.attention_norm(x)
# +         x = x + self.attention(x)


# %% wrong="both modules read the same stream" caught_by="a block adds to the stream"
# -         x = x + self.attention(self.attention_norm(x))
# -         return x + self.feed_forward(self.feed_forward_norm(x))
# +         looked = self.attention(self.attention_norm(x))
# +         return x + looked + self.feed_forward(self.feed_forward_norm(x))


# %% wrong="one norm for both modules" caught_by="a block adds to the stream" change="self.feed_forward_norm(x) -> self.attention_norm(x)"


# %% wrong="no norm before the feed-forward layer" caught_by="a block adds to the stream" change="self.feed_forward_norm(x) -> x"


# %% wrong="feed-forward first" caught_by="a block adds to the stream"
# -         x = x + self.attention(self.attention_norm(x))
# -         return x + self.feed_forward(self.feed_forward_norm(x))
# +         x = x + self.feed_forward(self.feed_forward_norm(x))
# +         return x + self.attention(self.attention_norm(x))


# %% wrong="the stream is doubled" caught_by="a block adds to the stream" change="return x + self.feed_forward( -> return x + x + self.feed_forward("


# %% wrong="added in place" caught_by="a block adds to the stream"
# -         x = x + self.attention(self.attention_norm(x))
# +         x += self.attention(self.attention_norm(x))


# %% wrong="Block's second sum is made in place, so backward through a block is an error" caught_by="a block adds to the stream"
# -         return x + self.feed_forward(self.feed_forward_norm(x))
# +         x += self.feed_forward(self.feed_forward_norm(x))
# +         return x


# %% right="the embedding takes the head's weight"
# -         self.embedding = nn.Embedding(vocabulary, width)
# -         self.positions = nn.Embedding(block, width)
# -         self.blocks = nn.ModuleList(blocks)
# -         self.norm = nn.LayerNorm(width)
# -         self.head = nn.Linear(width, vocabulary, bias=False)
# -         self.head.weight = self.embedding.weight
# +         self.head = nn.Linear(width, vocabulary, bias=False)
# +         self.positions = nn.Embedding(block, width)
# +         self.blocks = nn.ModuleList(blocks)
# +         self.norm = nn.LayerNorm(width)
# +         self.embedding = nn.Embedding(vocabulary, width)
# +         self.embedding.weight = self.head.weight


# %% wrong="another head in its place is not asked" caught_by="scores by formula" change="self.head(self.norm(x)) -> F.linear(self.norm(x), self.embedding.weight)"
