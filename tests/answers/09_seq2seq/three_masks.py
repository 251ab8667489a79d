"""Answers to the task three_masks of chapter 09."""


# %% right="places compared, repeat"
def three_masks(source, target):
    B, m = source.shape
    n = target.shape[1]
    place = torch.arange(n)
    words, written = source.ne(0), target.ne(0)
    inside = (place[None, :] <= place[:, None])[None].repeat(B, 1, 1)
    inside = inside & written.unsqueeze(1)
    return words.unsqueeze(1).repeat(1, m, 1), inside, words.unsqueeze(1).repeat(1, n, 1)


# %% right="a loop over texts, a list returned"
def three_masks(source, target):
    def all_at(row, count):
        return torch.stack([row > 0] * count)

    m, n = source.shape[1], target.shape[1]
    triangle = ~torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
    return [
        torch.stack([all_at(row, m) for row in source]),
        torch.stack([all_at(row, n) & triangle for row in target]),
        torch.stack([all_at(row, n) for row in source]),
    ]


# %% wrong="the source is read from left to right, too" caught_by="inside the source"
# -     return is_word.expand(B, m, m), causal & is_written, is_word.expand(B, n, m)
# +     left = torch.ones(m, m, dtype=torch.bool).tril()
# +     return is_word & left, causal & is_written, is_word.expand(B, n, m)


# %% wrong="True means forbidden" caught_by="inside the source | inside the target | across"
# -     return is_word.expand(B, m, m), causal & is_written, is_word.expand(B, n, m)
# +     return ~is_word.expand(B, m, m), ~(causal & is_written), ~is_word.expand(B, n, m)


# %% wrong="padding asks nobody, but is asked" caught_by="inside the source | across"
# -     is_word, is_written = (source != PAD)[:, None], (target != PAD)[:, None]
# +     is_word, is_written = (source != PAD)[:, :, None], (target != PAD)[:, None]

# -     return is_word.expand(B, m, m), causal & is_written, is_word.expand(B, n, m)
# +     across = is_word.transpose(1, 2).expand(B, n, m)
# +     return is_word.expand(B, m, m), causal & is_written, across | True


# %% wrong="rows of padding are closed as well" caught_by="inside the source"
# -     return is_word.expand(B, m, m), causal & is_written, is_word.expand(B, n, m)
# +     both = is_word & (source != PAD)[:, :, None]
# +     return both, causal & is_written, is_word.expand(B, n, m)


# %% wrong="a word may not look at itself" caught_by="inside the target" change="tril() -> tril(-1)"


# %% wrong="the triangle the other way round" caught_by="inside the target" change="tril() -> triu()"


# %% wrong="padding inside the target is seen" caught_by="inside the target" change="causal & is_written -> causal.expand(B, n, n)"


# %% wrong="the target is not causal" caught_by="inside the target" change="causal & is_written -> is_written.expand(B, n, n)"


# %% wrong="the triangle across as well" caught_by="across" change="is_word.expand(B, n, m) -> is_word & torch.ones(n, m, dtype=torch.bool).tril()"


# %% wrong="axes of the mask across swapped" caught_by="across" change="is_word.expand(B, n, m) -> is_word.expand(B, n, m).transpose(1, 2)"


# %% wrong="nothing is expanded" caught_by="inside the source | across"
# -     return is_word.expand(B, m, m), causal & is_written, is_word.expand(B, n, m)
# +     return is_word, causal & is_written, is_word


# %% wrong="the masks are floats" caught_by="inside the source | inside the target | across"
# -     return is_word.expand(B, m, m), causal & is_written, is_word.expand(B, n, m)
# +     masks = is_word.expand(B, m, m), causal & is_written, is_word.expand(B, n, m)
# +     return tuple(mask.float() for mask in masks)


# %% wrong="unknown words and ends count as padding" caught_by="inside the source | inside the target | across"
# -     is_word, is_written = (source != PAD)[:, None], (target != PAD)[:, None]
# +     is_word, is_written = (source > UNK)[:, None], (target > UNK)[:, None]


# %% wrong="the padding of the target across" caught_by="across" change="is_word.expand(B, n, m) -> is_word & (target != PAD)[:, :, None]"


# %% wrong="word numbers of 8 bits" caught_by="inside the source" change="(source != PAD)[:, None] -> (source.to(torch.uint8) != PAD)[:, None]"


# %% wrong="a triangle of 128 places" caught_by="inside the target" change="torch.ones(n, n, dtype=torch.bool, device=target.device).tril() -> torch.ones(128, 128, dtype=torch.bool, device=target.device).tril()[:n, :n]"
