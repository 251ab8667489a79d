"""Answers to the task heads_at_work of chapter 06."""


# %% right="indices, a table of equal words, a mask on the numbers of z"
def previous_word(P):
    i = torch.arange(1, P.shape[1])
    return P[:, i, i - 1].mean(dim=1)


def copying(P, words):
    T = len(words)
    rows = []
    for i in range(T):
        places = {j + 1 for j in range(i) if words[j] == words[i]}
        if places:
            rows.append(sum(P[:, i, j] for j in places))
    return sum(rows) / len(rows) if rows else P.new_zeros(P.shape[0])


def without_head(W, head, h):
    keep = torch.ones(h, W.shape[1] // h)
    keep[head] = 0
    return W * keep.flatten()


# %% right="lists and NumPy"
def previous_word(P):
    return [float(np.mean([one[i, i - 1] for i in range(1, len(one))])) for one in P.numpy()]


def copying(P, words):
    P, sums, asked = P.numpy(), np.zeros(len(P)), 0
    for i in range(len(words)):
        hits = [j + 1 for j, word in enumerate(words[:i]) if word == words[i]]
        asked += bool(hits)
        sums += P[:, i, hits].sum(axis=1)
    return sums / max(asked, 1)


def without_head(W, head, h):
    blocks = [block.clone() for block in W.chunk(h, dim=1)]
    blocks[head].zero_()
    return torch.cat(blocks, dim=1)


# %% wrong="the word after, as columns asked" caught_by="weight on the word before" change="diagonal(-1, dim1=1 -> diagonal(1, dim1=1"


# %% wrong="the weight on itself" caught_by="weight on the word before" change="diagonal(-1, -> diagonal(0,"


# %% wrong="divided by all words" caught_by="weight on the word before" change="dim2=2).mean(-1) -> dim2=2).sum(-1) / P.shape[1]"


# %% wrong="the sum" caught_by="weight on the word before" change="dim2=2).mean(-1) -> dim2=2).sum(-1)"


# %% wrong="the two words before" caught_by="weight on the word before" change="return P.diagonal(-1, dim1=1, dim2=2).mean(-1) -> return P.tril(-1).triu(-2).sum(-1)[:, 1:].mean(-1)"


# %% wrong="rows and columns exchanged" caught_by="weight on the word before" change="return P.diagonal -> return P.mT.diagonal"


# %% wrong="mean over the heads" caught_by="weight on the word before" change="dim2=2).mean(-1) -> dim2=2).mean(0)"


# %% wrong="the earlier word itself, not the one after it" caught_by="weight where a copy is found" change="[j + 1 for j -> [j for j"


# %% wrong="the word before the earlier one" caught_by="weight where a copy is found" change="[j + 1 for j -> [max(j - 1, 0) for j"


# %% wrong="only the latest occurrence" caught_by="weight where a copy is found" change="found.append(P[:, i, after] -> found.append(P[:, i, after[-1:]]"


# %% wrong="only the first occurrence" caught_by="weight where a copy is found" change="found.append(P[:, i, after] -> found.append(P[:, i, after[:1]]"


# %% wrong="mean over the places" caught_by="weight where a copy is found" change="i, after].sum(-1) -> i, after].mean(-1)"


# %% wrong="words that are new count as zero" caught_by="weight where a copy is found"
# -         if after:
# -             found.append(P[:, i, after].sum(-1))
# +         found.append(P[:, i, after].sum(-1))


# %% wrong="no word twice is an error" caught_by="weight where a copy is found" change=" if found else P.new_zeros(len(P)) -> "


# %% wrong="zero instead of zeros" caught_by="weight where a copy is found" change="P.new_zeros(len(P)) -> 0"


# %% wrong="summed, not averaged" caught_by="weight where a copy is found" change="torch.stack(found).mean(0) -> torch.stack(found).sum(0)"


# %% wrong="the place of the asking word itself is left out" caught_by="weight where a copy is found" change="if words[j] == word] -> if words[j] == word and j + 1 < i]"


# %% wrong="a pair of equal neighbours is no copy" caught_by="weight where a copy is found" change="for j in range(i) if -> for j in range(i - 1) if"


# %% wrong="rows instead of columns" caught_by="one head has no say" change="W[:, head * d_k : (head + 1) * d_k] = 0 -> W[head * d_k : (head + 1) * d_k] = 0"


# %% wrong="a copy, and nothing is cut" caught_by="one head has no say"
# -     W[:, head * d_k : (head + 1) * d_k] = 0
# -     return W
# +     return W


# %% wrong="in place" caught_by="one head has no say" change="W, d_k = W.clone(), W -> W, d_k = W, W"


# %% wrong="heads from one" caught_by="one head has no say" change="W[:, head * d_k : (head + 1) * d_k] -> W[:, (head - 1) * d_k : head * d_k]"


# %% wrong="every h-th column" caught_by="one head has no say" change="W[:, head * d_k : (head + 1) * d_k] -> W[:, head::heads]"


# %% wrong="only this head is kept" caught_by="one head has no say"
# -     W[:, head * d_k : (head + 1) * d_k] = 0
# -     return W
# +     alone = torch.zeros_like(W)
# +     alone[:, head * d_k : (head + 1) * d_k] = W[:, head * d_k : (head + 1) * d_k]
# +     return alone


# %% wrong="the head's columns are taken out" caught_by="one head has no say"
# -     W[:, head * d_k : (head + 1) * d_k] = 0
# -     return W
# +     return torch.cat([W[:, : head * d_k], W[:, (head + 1) * d_k :]], dim=1)


# %% wrong="words compared by identity" caught_by="weight where a copy is found" change="if words[j] == word] -> if words[j] is word]"


# %% right="masks, numbers of words in a tensor"
def previous_word(P):
    T = P.shape[-1]
    return (P * torch.diag(torch.ones(T - 1), -1)).sum((1, 2)) / (T - 1)


def copying(P, words):
    number = torch.tensor(words)
    same = (number[:, None] == number).tril(-1)
    after = torch.zeros_like(same)
    after[:, 1:] = same[:, :-1]
    rows = same.any(1)
    if not rows.any():
        return P.new_zeros(len(P))
    return (P * after).sum(-1)[:, rows].mean(-1)


def without_head(W, head, h):
    keep = torch.ones(W.shape[1]).view(h, -1)
    keep[head] = 0
    return W * keep.flatten()
