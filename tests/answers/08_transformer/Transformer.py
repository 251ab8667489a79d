"""Answers to the task Transformer of chapter 08."""


# %% right="nn.Sequential, positions looked up"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.Sequential(*blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        places = torch.arange(tokens.size(1), device=tokens.device)
        x = self.blocks(self.embedding(tokens) + self.positions(places)[None])
        return self.head(self.norm(x))


# %% right="tied the other way round"
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


# %% wrong="positions forgotten" caught_by="scores by formula"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# %% wrong="the last norm forgotten" caught_by="scores by formula"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(x)


# %% wrong="the norm comes before the blocks" caught_by="scores by formula"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.norm(self.embedding(tokens) + self.positions.weight[: tokens.shape[1]])
        for block in self.blocks:
            x = block(x)
        return self.head(x)


# %% wrong="blocks from the last to the first" caught_by="scores by formula"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in reversed(self.blocks):
            x = block(x)
        return self.head(self.norm(x))


# %% wrong="every block reads the embedding" caught_by="scores by formula"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        e = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(e)
        return self.head(self.norm(x))


# %% wrong="positions added before every block" caught_by="scores by formula"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x + self.positions.weight[: tokens.shape[1]])
        return self.head(self.norm(x))


# %% wrong="probabilities instead of scores" caught_by="scores by formula"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)).softmax(-1)


# %% wrong="not tied" caught_by="one matrix at both ends"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# %% wrong="equal at the start, but not tied" caught_by="one matrix at both ends"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight.data.copy_(self.embedding.weight.data)

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# %% wrong="a copy as a new parameter" caught_by="one matrix at both ends"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = nn.Parameter(self.embedding.weight.detach().clone())

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# %% wrong="a bias in the head" caught_by="one matrix at both ends"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# %% wrong="blocks in a plain list" caught_by="the weights of blocks are found"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = list(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# %% wrong="the blocks run without gradients" caught_by="the weights of blocks are found"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        with torch.no_grad():
            for block in self.blocks:
                x = block(x)
        return self.head(self.norm(x))


# %% wrong="places counted from the end" caught_by="shorter texts begin at place 0"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight[-tokens.shape[1] :]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# %% wrong="all positions for every text" caught_by="shorter texts begin at place 0"
class Transformer(nn.Module):
    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# %% wrong="two parameters that share their numbers" caught_by="one matrix at both ends"
class Transformer(nn.Module):
    """Scores for the next token at each place of texts of up to `block` tokens."""

    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight.data = self.embedding.weight.data

    def forward(self, tokens):
        """[B, T] -> [B, T, V]"""
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# %% wrong="the embedding is looked up without gradients" caught_by="the weights of blocks are found"
class Transformer(nn.Module):
    """Scores for the next token at each place of texts of up to `block` tokens."""

    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        """[B, T] -> [B, T, V]"""
        x = self.embedding(tokens).detach() + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# %% wrong="places counted within the batch" caught_by="scores by formula"
class Transformer(nn.Module):
    """Scores for the next token at each place of texts of up to `block` tokens."""

    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        """[B, T] -> [B, T, V]"""
        x = self.embedding(tokens) + self.positions.weight[torch.arange(len(tokens))[:, None]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# %% wrong="the last block left out" caught_by="scores by formula"
class Transformer(nn.Module):
    """Scores for the next token at each place of texts of up to `block` tokens."""

    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        """[B, T] -> [B, T, V]"""
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks[:-1]:
            x = block(x)
        return self.head(self.norm(x))


# %% wrong="the residual around every block" caught_by="scores by formula"
class Transformer(nn.Module):
    """Scores for the next token at each place of texts of up to `block` tokens."""

    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        """[B, T] -> [B, T, V]"""
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = x + block(x)
        return self.head(self.norm(x))


# %% wrong="the embedding scaled by the root of the width" caught_by="scores by formula"
class Transformer(nn.Module):
    """Scores for the next token at each place of texts of up to `block` tokens."""

    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        """[B, T] -> [B, T, V]"""
        x = self.embedding(tokens) * self.norm.normalized_shape[0] ** 0.5 + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# %% right="a buffer of places"
class Transformer(nn.Module):
    """Scores for the next token at each place of texts of up to `block` tokens."""

    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.register_buffer("places", torch.arange(block))
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        """[B, T] -> [B, T, V]"""
        x = self.embedding(tokens) + self.positions(self.places[: tokens.shape[1]])
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# %% wrong="takes the blocks out of the list" caught_by="scores by formula" change="self.blocks = nn.ModuleList(blocks) -> self.blocks = nn.ModuleList([blocks.pop(0) for _ in range(len(blocks))])"


# %% wrong="each module only once" caught_by="scores by formula"
# -         self.blocks = nn.ModuleList(blocks)
# +         self.blocks = nn.ModuleList()
# +         for block_ in blocks:
# +             if not any(block_ is other for other in self.blocks):
# +                 self.blocks.append(block_)
