"""Answers to the task AttentionOnly of chapter 06."""


# %% right="places by number, a mask of its own"
class AttentionOnly(nn.Module):
    def __init__(self, vocabulary, longest, C, layers):
        super().__init__()
        self.to_words = nn.Linear(C, vocabulary)
        self.layers = nn.ModuleList()
        for layer in layers:
            self.layers.append(layer)
        self.positions = nn.Embedding(longest, C)
        self.embedding = nn.Embedding(vocabulary, C)

    def forward(self, words):
        B, T = words.shape
        j = torch.arange(T, device=words.device)
        mask = j[:, None] >= j
        x = self.embedding(words) + self.positions(j)[None]
        for layer in self.layers:
            x = layer(x, mask=mask) + x
        return self.to_words(x)


# %% right="the second text given"
class AttentionOnly(nn.Module):
    def __init__(self, vocabulary, longest, C, layers):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(vocabulary, C), nn.Embedding(longest, C)
        self.layers, self.to_words = nn.ModuleList(list(layers)), nn.Linear(C, vocabulary)

    def forward(self, words):
        places = torch.arange(words.size(1)).expand_as(words)
        stream = self.embedding(words).add(self.positions(places.to(words.device)))
        may = torch.ones(words.size(1), words.size(1)).tril() > 0
        for layer in self.layers:
            stream = stream + layer(stream, stream, mask=may.to(words.device))
        return self.to_words(stream)


# %% wrong="no places" caught_by="words, places, scores" change=" + self.positions.weight[:T] -> "


# %% wrong="places from one" caught_by="words, places, scores" change="self.positions.weight[:T] -> self.positions.weight[torch.arange(1, T + 1) % len(self.positions.weight)]"


# %% wrong="the last rows of the table" caught_by="words, places, scores" change="weight[:T] -> weight[-T:]"


# %% wrong="scores without bias" caught_by="words, places, scores" change="nn.Linear(C, vocabulary) -> nn.Linear(C, vocabulary, bias=False)"


# %% wrong="probabilities" caught_by="words, places, scores" change="return self.to_words(x) -> return self.to_words(x).softmax(-1)"


# %% wrong="only the last word" caught_by="words, places, scores" change="return self.to_words(x) -> return self.to_words(x)[:, -1]"


# %% wrong="as many places as words are known" caught_by="words, places, scores" change="nn.Embedding(longest, C) -> nn.Embedding(vocabulary, C)"


# %% wrong="layers replace" caught_by="layers add, under a causal mask" change="x = x + layer -> x = layer"


# %% wrong="no mask" caught_by="layers add, under a causal mask" change="layer(x, mask=mask) -> layer(x)"


# %% wrong="mask as y" caught_by="layers add, under a causal mask" change="layer(x, mask=mask) -> layer(x, mask)"


# %% wrong="the mask turned round" caught_by="layers add, under a causal mask" change="causal_mask(T) -> causal_mask(T).mT"


# %% wrong="a word does not see itself" caught_by="layers add, under a causal mask" change="causal_mask(T) -> causal_mask(T).tril(-1)"


# %% wrong="all layers read the words" caught_by="layers add, under a causal mask"
# -         for layer in self.layers:
# -             x = x + layer(x, mask=mask)
# +         first = x
# +         for layer in self.layers:
# +             x = x + layer(first, mask=mask)


# %% wrong="two layers at most" caught_by="layers add, under a causal mask" change="in self.layers -> in self.layers[:2]"


# %% wrong="places in each layer" caught_by="layers add, under a causal mask" change="layer(x, mask=mask) -> layer(x + self.positions.weight[:T], mask=mask)"


# %% wrong="layers in a list" caught_by="all weights can learn" change="nn.ModuleList(layers) -> list(layers)"


# %% wrong="places that cannot learn" caught_by="all weights can learn" change="weight[:T] -> weight[:T].detach()"


# %% wrong="words that cannot learn" caught_by="all weights can learn" change="self.embedding(words) -> self.embedding(words).detach()"


# %% wrong="the stream is changed in place" caught_by="all weights can learn" change="x = x + layer(x, mask=mask) -> x += layer(x, mask=mask)"


# %% wrong="a mask made once, from which a shorter text sees too much" caught_by="layers add, under a causal mask"
# -         mask = causal_mask(T).to(words.device)
# +         self.longest = getattr(self, "longest", T)
# +         mask = torch.ones(T, T).tril(max(0, self.longest - T)).bool()


# %% wrong="the mask is the third argument, without its name" caught_by="layers add, under a causal mask"
class AttentionOnly(nn.Module):
    def __init__(self, vocabulary, longest, C, layers):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(vocabulary, C), nn.Embedding(longest, C)
        self.layers = nn.ModuleList(layers)
        self.to_words = nn.Linear(C, vocabulary)

    def forward(self, words):
        T = words.shape[1]
        x = self.embedding(words) + self.positions(torch.arange(T, device=words.device))
        mask = causal_mask(T).to(words.device)
        for layer in self.layers:
            x = x + layer(x, None, mask)
        return self.to_words(x)
