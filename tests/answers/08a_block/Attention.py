"""Answers to the task Attention of chapter 08."""


# %% right="torch's own attention, slices of the product"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        hidden = torch.ones(block, block, dtype=torch.bool).triu(1)
        self.register_buffer("mask", torch.zeros(block, block).masked_fill(hidden, -math.inf), persistent=False)

    def forward(self, x):
        B, T, C = x.shape
        a = self.qkv(x).view(B, T, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        z = F.scaled_dot_product_attention(a[0], a[1], a[2], attn_mask=self.mask[:T, :T])
        return self.out(z.transpose(1, 2).reshape(B, T, C))


# %% right="split by width, the mask from causal_mask"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.width = width
        self.register_buffer("mask", causal_mask(block), persistent=False)

    def forward(self, x):
        length = x.size(1)
        q, k, v = self.qkv(x).split(self.width, 2)
        mask = self.mask[:length]
        return self.out(multi_head(q, k, v, self.heads, mask[:, :length]))


# %% wrong="the mask is learned" caught_by="weights and a buffer"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mask = nn.Parameter(torch.full((block, block), -math.inf).triu(1))

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.out(multi_head(q, k, v, self.heads, self.mask[:T, :T]))


# %% wrong="a plain tensor, no buffer" caught_by="weights and a buffer"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mask = torch.full((block, block), -math.inf).triu(1)

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.out(multi_head(q, k, v, self.heads, self.mask[:T, :T]))


# %% wrong="the mask is saved" caught_by="weights and a buffer"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.full((block, block), -math.inf).triu(1))

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.out(multi_head(q, k, v, self.heads, self.mask[:T, :T]))


# %% wrong="without biases" caught_by="weights and a buffer"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.register_buffer("mask", torch.full((block, block), -math.inf).triu(1), persistent=False)

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.out(multi_head(q, k, v, self.heads, self.mask[:T, :T]))


# %% wrong="keys first" caught_by="equal to torch's attention"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.full((block, block), -math.inf).triu(1), persistent=False)

    def forward(self, x):
        T = x.shape[1]
        k, q, v = self.qkv(x).chunk(3, dim=-1)
        return self.out(multi_head(q, k, v, self.heads, self.mask[:T, :T]))


# %% wrong="values first" caught_by="equal to torch's attention"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.full((block, block), -math.inf).triu(1), persistent=False)

    def forward(self, x):
        T = x.shape[1]
        v, q, k = self.qkv(x).chunk(3, dim=-1)
        return self.out(multi_head(q, k, v, self.heads, self.mask[:T, :T]))


# %% wrong="the last layer forgotten" caught_by="equal to torch's attention"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.full((block, block), -math.inf).triu(1), persistent=False)

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return multi_head(q, k, v, self.heads, self.mask[:T, :T])


# %% wrong="a single head" caught_by="equal to torch's attention"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.full((block, block), -math.inf).triu(1), persistent=False)

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.out(multi_head(q, k, v, 1, self.mask[:T, :T]))


# %% wrong="the residual is in already" caught_by="equal to torch's attention"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.full((block, block), -math.inf).triu(1), persistent=False)

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return x + self.out(multi_head(q, k, v, self.heads, self.mask[:T, :T]))


# %% wrong="the mask is not used" caught_by="the past is deaf to the future"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.full((block, block), -math.inf).triu(1), persistent=False)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.out(multi_head(q, k, v, self.heads, 0))


# %% wrong="the mask is transposed" caught_by="the past is deaf to the future"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.full((block, block), -math.inf).triu(1), persistent=False)

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.out(multi_head(q, k, v, self.heads, self.mask[:T, :T].T))


# %% wrong="sees one place ahead" caught_by="the past is deaf to the future"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.full((block, block), -math.inf).triu(2), persistent=False)

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.out(multi_head(q, k, v, self.heads, self.mask[:T, :T]))


# %% wrong="the whole mask for every text" caught_by="shorter texts than the block"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.full((block, block), -math.inf).triu(1), persistent=False)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.out(multi_head(q, k, v, self.heads, self.mask))


# %% wrong="padded to the block, never cut again" caught_by="shorter texts than the block"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.full((block, block), -math.inf).triu(1), persistent=False)

    def forward(self, x):
        x = F.pad(x, (0, 0, 0, len(self.mask) - x.shape[1]))
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.out(multi_head(q, k, v, self.heads, self.mask))


# %% wrong="the end of the mask for short texts, one off" caught_by="shorter texts than the block"
class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.full((block, block), -math.inf).triu(1), persistent=False)

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        mask = self.mask if T == len(self.mask) else self.mask[:T, 1 : T + 1]
        return self.out(multi_head(q, k, v, self.heads, mask))
