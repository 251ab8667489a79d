"""Answers to the task bits of chapter 08."""

# %% right="exp2 and log2"
slide = {"LSTM": 2.38, "Transformer": 2.10}


def bits(nats, tokens, characters):
    return math.log2(math.e) * nats * (tokens / characters)


def megabytes(bpc, characters):
    return bpc / 8_000_000 * characters


# %% right="numpy, a check of the table on the side"
slide = dict(zip(["LSTM", "Transformer"], np.exp2([1.25, 1.07])))


def bits(nats, tokens, characters):
    whole = np.log2(np.exp(nats)) * tokens
    return whole / characters


def megabytes(bpc, characters):
    return bpc * characters / 8 / 10**6


# %% wrong="e for 2" caught_by="perplexity of the slide" change="2**1.25, \"Transformer\": 2**1.07 -> math.exp(1.25), \"Transformer\": math.exp(1.07)"


# %% wrong="the bits themselves" caught_by="perplexity of the slide" change="2**1.25, \"Transformer\": 2**1 -> 1.25, \"Transformer\": 1"


# %% wrong="exchanged" caught_by="perplexity of the slide" change="25, \"Transformer\": 2**1.07 -> 0701, \"Transformer\": 2**1.25"


# %% wrong="multiplied with ln 2" caught_by="nats per token to bits" change="/ math -> * math"


# %% wrong="still nats" caught_by="nats per token to bits" change="math.log(2) / characters -> characters"


# %% wrong="per token, not per character" caught_by="nats per token to bits" change="* tokens / math.log(2) / characters -> / math.log(2)"


# %% wrong="tokens and characters exchanged" caught_by="nats per token to bits" change="tokens / math.log(2) / characters -> characters / math.log(2) / tokens"


# %% wrong="megabits" caught_by="size of the packed text" change="8 / 1e6 -> 1e6"


# %% wrong="kilobytes" caught_by="size of the packed text" change="1e6 -> 1e3"


# %% wrong="2 to the 20 bytes" caught_by="size of the packed text" change="1e6 -> 2**20"


# %% right="float32"
slide = {name: np.float32(2) ** np.float32(rate) for name, rate in (("Transformer", 1.07), ("LSTM", 1.25))}


def bits(nats, tokens, characters):
    return torch.tensor(nats * tokens / characters).float() / torch.tensor(2.0).log()


def megabytes(bpc, characters):
    return np.float32(bpc) * np.float32(characters) / np.float32(8e6)


# %% wrong="five characters a word" caught_by="nats per token to bits" change="* tokens / math.log(2) / characters -> / math.log(2) / (1 if tokens == characters else 5)"


# %% wrong="eight bits a character always" caught_by="size of the packed text" change="bpc * characters / 8 -> characters"


# %% wrong="rounded up to whole megabytes" caught_by="size of the packed text" change="bpc * characters / 8 / 1e6 -> math.ceil(bpc * characters / 8 / 1e6)"


# %% wrong="whole bytes of characters" caught_by="size of the packed text" change="bpc * characters / 8 / 1e6 -> bpc * (characters // 8) / 1e6"
