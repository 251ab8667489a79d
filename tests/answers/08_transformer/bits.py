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


# %% wrong="e for 2" caught_by="perplexity of the slide"
# slide = {"LSTM": a number, "Transformer": a number}
slide = {"LSTM": math.exp(1.25), "Transformer": math.exp(1.07)}


def bits(nats, tokens, characters):
    """Bits per character."""
    return nats * tokens / math.log(2) / characters


def megabytes(bpc, characters):
    """Size of the packed text in 10^6 bytes."""
    return bpc * characters / 8 / 1e6


# %% wrong="the bits themselves" caught_by="perplexity of the slide"
# slide = {"LSTM": a number, "Transformer": a number}
slide = {"LSTM": 1.25, "Transformer": 1.07}


def bits(nats, tokens, characters):
    """Bits per character."""
    return nats * tokens / math.log(2) / characters


def megabytes(bpc, characters):
    """Size of the packed text in 10^6 bytes."""
    return bpc * characters / 8 / 1e6


# %% wrong="exchanged" caught_by="perplexity of the slide"
# slide = {"LSTM": a number, "Transformer": a number}
slide = {"LSTM": 2**1.0701, "Transformer": 2**1.25}


def bits(nats, tokens, characters):
    """Bits per character."""
    return nats * tokens / math.log(2) / characters


def megabytes(bpc, characters):
    """Size of the packed text in 10^6 bytes."""
    return bpc * characters / 8 / 1e6


# %% wrong="multiplied with ln 2" caught_by="nats per token to bits"
# slide = {"LSTM": a number, "Transformer": a number}
slide = {"LSTM": 2**1.25, "Transformer": 2**1.07}


def bits(nats, tokens, characters):
    """Bits per character."""
    return nats * tokens * math.log(2) / characters


def megabytes(bpc, characters):
    """Size of the packed text in 10^6 bytes."""
    return bpc * characters / 8 / 1e6


# %% wrong="still nats" caught_by="nats per token to bits"
# slide = {"LSTM": a number, "Transformer": a number}
slide = {"LSTM": 2**1.25, "Transformer": 2**1.07}


def bits(nats, tokens, characters):
    """Bits per character."""
    return nats * tokens / characters


def megabytes(bpc, characters):
    """Size of the packed text in 10^6 bytes."""
    return bpc * characters / 8 / 1e6


# %% wrong="per token, not per character" caught_by="nats per token to bits"
# slide = {"LSTM": a number, "Transformer": a number}
slide = {"LSTM": 2**1.25, "Transformer": 2**1.07}


def bits(nats, tokens, characters):
    """Bits per character."""
    return nats / math.log(2)


def megabytes(bpc, characters):
    """Size of the packed text in 10^6 bytes."""
    return bpc * characters / 8 / 1e6


# %% wrong="tokens and characters exchanged" caught_by="nats per token to bits"
# slide = {"LSTM": a number, "Transformer": a number}
slide = {"LSTM": 2**1.25, "Transformer": 2**1.07}


def bits(nats, tokens, characters):
    """Bits per character."""
    return nats * characters / math.log(2) / tokens


def megabytes(bpc, characters):
    """Size of the packed text in 10^6 bytes."""
    return bpc * characters / 8 / 1e6


# %% wrong="megabits" caught_by="size of the packed text"
# slide = {"LSTM": a number, "Transformer": a number}
slide = {"LSTM": 2**1.25, "Transformer": 2**1.07}


def bits(nats, tokens, characters):
    """Bits per character."""
    return nats * tokens / math.log(2) / characters


def megabytes(bpc, characters):
    """Size of the packed text in 10^6 bytes."""
    return bpc * characters / 1e6


# %% wrong="kilobytes" caught_by="size of the packed text"
# slide = {"LSTM": a number, "Transformer": a number}
slide = {"LSTM": 2**1.25, "Transformer": 2**1.07}


def bits(nats, tokens, characters):
    """Bits per character."""
    return nats * tokens / math.log(2) / characters


def megabytes(bpc, characters):
    """Size of the packed text in 10^6 bytes."""
    return bpc * characters / 8 / 1e3


# %% wrong="2 to the 20 bytes" caught_by="size of the packed text"
# slide = {"LSTM": a number, "Transformer": a number}
slide = {"LSTM": 2**1.25, "Transformer": 2**1.07}


def bits(nats, tokens, characters):
    """Bits per character."""
    return nats * tokens / math.log(2) / characters


def megabytes(bpc, characters):
    """Size of the packed text in 10^6 bytes."""
    return bpc * characters / 8 / 2**20


# %% right="float32"
slide = {name: np.float32(2) ** np.float32(rate) for name, rate in (("Transformer", 1.07), ("LSTM", 1.25))}


def bits(nats, tokens, characters):
    return torch.tensor(nats * tokens / characters).float() / torch.tensor(2.0).log()


def megabytes(bpc, characters):
    return np.float32(bpc) * np.float32(characters) / np.float32(8e6)


# %% wrong="five characters a word" caught_by="nats per token to bits"
slide = {"LSTM": 2**1.25, "Transformer": 2**1.07}


def bits(nats, tokens, characters):
    """Bits per character."""
    return nats / math.log(2) / (1 if tokens == characters else 5)


def megabytes(bpc, characters):
    """Size of the packed text in 10^6 bytes."""
    return bpc * characters / 8 / 1e6


# %% wrong="eight bits a character always" caught_by="size of the packed text"
slide = {"LSTM": 2**1.25, "Transformer": 2**1.07}


def bits(nats, tokens, characters):
    """Bits per character."""
    return nats * tokens / math.log(2) / characters


def megabytes(bpc, characters):
    """Size of the packed text in 10^6 bytes."""
    return characters / 1e6


# %% wrong="rounded up to whole megabytes" caught_by="size of the packed text"
slide = {"LSTM": 2**1.25, "Transformer": 2**1.07}


def bits(nats, tokens, characters):
    """Bits per character."""
    return nats * tokens / math.log(2) / characters


def megabytes(bpc, characters):
    """Size of the packed text in 10^6 bytes."""
    return math.ceil(bpc * characters / 8 / 1e6)
