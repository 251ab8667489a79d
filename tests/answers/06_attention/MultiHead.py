"""Answers to the task MultiHead of chapter 06."""


# %% right="one loop over heads, mask as minus infinity"
class MultiHead(nn.Module):
    def __init__(self, C, heads):
        super().__init__()
        self.H = heads
        self.q = nn.Linear(C, C)
        self.k = nn.Linear(C, C)
        self.v = nn.Linear(C, C)
        self.out = nn.Linear(C, C)

    def forward(self, x, y=None, mask=None):
        if y is None:
            y = x
        if mask is not None and mask.ndim == 4:
            mask = mask[:, 0]
        results = []
        parts = self.q(x).chunk(self.H, dim=2), self.k(y).chunk(self.H, dim=2), self.v(y).chunk(self.H, dim=2)
        for q, k, v in zip(*parts):
            scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[2])
            if mask is not None:
                scores = scores.masked_fill(mask == 0, -1e9)
            results.append(torch.softmax(scores, dim=2) @ v)
        return self.out(torch.cat(results, dim=2))


# %% right="torch does the attention"
class MultiHead(nn.Module):
    def __init__(self, d, h):
        nn.Module.__init__(self)
        for name in ("q", "k", "v", "out"):
            self.add_module(name, nn.Linear(d, d))
        self.d, self.h = d, h

    def split(self, y):
        return y.unflatten(2, (self.h, self.d // self.h)).movedim(2, 1)

    def forward(self, x, y=None, mask=None):
        y = y if y is not None else x
        z = F.scaled_dot_product_attention(self.split(self.q(x)), self.split(self.k(y)), self.split(self.v(y)), mask)
        return self.out(z.movedim(1, 2).flatten(2))


# %% right="keys without their bias, which adds the same to all scores of a row" change="self.k(y) -> y @ self.k.weight.mT"


# %% wrong="heads by reshape alone" caught_by="equal to nn.MultiheadAttention"
# -         Q = split_heads(self.q(x), self.heads)
# -         K = split_heads(self.k(y), self.heads)
# -         V = split_heads(self.v(y), self.heads)
# +         C, H = x.shape[-1], self.heads
# +         Q, K, V = (part(z).view(len(z), H, -1, C // H) for part, z in ((self.q, x), (self.k, y), (self.v, y)))


# %% wrong="merged by reshape alone" caught_by="equal to nn.MultiheadAttention" change="merge_heads(masked_attention(Q, K, V, mask)) -> masked_attention(Q, K, V, mask).reshape(x.shape)"


# %% wrong="out forgotten" caught_by="equal to nn.MultiheadAttention" change="self.out(merge_heads(masked_attention(Q, K, V, mask))) -> merge_heads(masked_attention(Q, K, V, mask))"


# %% wrong="keys and queries swapped" caught_by="equal to nn.MultiheadAttention"
# -         Q = split_heads(self.q(x), self.heads)
# -         K = split_heads(self.k(y), self.heads)
# +         Q = split_heads(self.k(x), self.heads)
# +         K = split_heads(self.q(y), self.heads)


# %% wrong="not scaled" caught_by="equal to nn.MultiheadAttention" change="masked_attention(Q, K -> masked_attention(Q * Q.shape[-1] ** 0.5, K"


# %% wrong="one head" caught_by="equal to nn.MultiheadAttention" change="self.heads = heads -> self.heads = 1"


# %% wrong="without biases" caught_by="equal to nn.MultiheadAttention" change="(nn.Linear(C, C) -> (nn.Linear(C, C, bias=False)"


# %% wrong="all modules share the number of heads" caught_by="equal to nn.MultiheadAttention" change="self.heads = heads -> MultiHead.heads = heads"


# %% wrong="at most eight heads" caught_by="equal to nn.MultiheadAttention" change="self.heads = heads -> self.heads = min(heads, 8)"


# %% wrong="maps that cannot learn" caught_by="equal to nn.MultiheadAttention" change="self.q(x) -> self.q(x).detach()"


# %% wrong="values without their map" caught_by="equal to nn.MultiheadAttention" change="self.v(y) -> y"


# %% wrong="always causal" caught_by="equal to nn.MultiheadAttention" change="torch.ones(x.shape[1], y.shape[1], dtype=torch.bool, device=x.device) -> causal_mask(max(x.shape[1], y.shape[1]))[: x.shape[1], : y.shape[1]]"


# %% wrong="one text is no batch" caught_by="equal to nn.MultiheadAttention" change="self.out(merge_heads(masked_attention(Q, K, V, mask))) -> self.out(merge_heads(masked_attention(Q, K, V, mask))).squeeze(0)"


# %% wrong="mask the other way round" caught_by="masked words are unseen"
#           if mask is None:
#               mask = torch.ones(x.shape[1], y.shape[1], dtype=torch.bool, device=x.device)
# +         else:
# +             mask = ~mask


# %% wrong="mask transposed" caught_by="masked words are unseen"
#           if mask is None:
#               mask = torch.ones(x.shape[1], y.shape[1], dtype=torch.bool, device=x.device)
# +         else:
# +             mask = mask.mT


# %% wrong="mask unused" caught_by="masked words are unseen" change="if mask is None: -> if True:"


# %% wrong="the last mask is kept" caught_by="masked words are unseen"
#           self.heads = heads
# +         self.mask = None

# -         if mask is None:
# +         if mask is None:
# +             mask = self.mask
# +         self.mask = mask
# +         if mask is None:


# %% wrong="in eval mode the mask is left out" caught_by="masked words are unseen" change="if mask is None: -> if mask is None or not self.training:"


# %% wrong="a word always sees itself" caught_by="masked words are unseen"
#           y = x if y is None else y
# +         if mask is not None and mask.shape[-1] == mask.shape[-2]:
# +             mask = mask | torch.eye(mask.shape[-1]).bool()


# %% wrong="the mask is cut to a triangle" caught_by="masked words are unseen"
#           y = x if y is None else y
# +         if mask is not None and mask.shape[-1] == mask.shape[-2]:
# +             mask = mask.tril()


# %% wrong="a mask of more than 64 words is cut to a band" caught_by="masked words are unseen"
#           y = x if y is None else y
# +         if mask is not None and mask.shape[-1] > 64:
# +             mask = mask.tril(64).triu(-64)


# %% wrong="only the first head is masked" caught_by="masked words are unseen"
# -         return self.out(merge_heads(masked_attention(Q, K, V, mask)))
# +         free = torch.ones_like(mask)
# +         first = masked_attention(Q[:, :1], K[:, :1], V[:, :1], mask)
# +         others = masked_attention(Q[:, 1:], K[:, 1:], V[:, 1:], free)
# +         return self.out(merge_heads(torch.cat([first, others], dim=1)))


# %% wrong="the other text is not used" caught_by="another text answers" change="y = x if y is None else y -> y = x"


# %% wrong="values from the asking text" caught_by="another text answers"
# -         V = split_heads(self.v(y), self.heads)
# +         V = split_heads(self.v(x if x.shape == y.shape else y + x.mean(1, keepdim=True)), self.heads)


# %% wrong="the other text asks" caught_by="another text answers"
#           y = x if y is None else y
# +         x, y = y, x


# %% wrong="a mask of a batch counts for its first text" caught_by="another text answers"
#           y = x if y is None else y
# +         if mask is not None and mask.ndim == 4:
# +             mask = mask[0, 0]


# %% right="one head after the other, each by the function of the chapter"
class MultiHead(nn.Module):
    def __init__(self, C, heads):
        super().__init__()
        self.D = C // heads
        self.q, self.k, self.v, self.out = (nn.Linear(C, C) for _ in range(4))

    def forward(self, x, y=None, mask=None):
        y = x if y is None else y
        parts = zip(*(part.split(self.D, dim=-1) for part in (self.q(x), self.k(y), self.v(y))))
        H = x.shape[-1] // self.D
        mask = torch.tensor(True) if mask is None else mask
        mask = mask.expand(len(x), H, x.shape[1], y.shape[1])
        found = [masked_attention(q, k, v, mask[:, h]) for h, (q, k, v) in enumerate(parts)]
        return self.out(torch.cat(found, dim=-1))


# %% wrong="every mask is brought to [-1, 1, m, n]" caught_by="another text answers"
# -         Q = split_heads(self.q(x), self.heads)
# +         mask = mask.reshape(-1, 1, x.shape[1], y.shape[1])
# +         Q = split_heads(self.q(x), self.heads)
