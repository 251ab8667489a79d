"""The kitchen language: short restaurant stories whose probability is known exactly.

documents(tokens=1_000_000, seed=1)   tokens, tags, ln P of every token, the derivation
floor(documents)                      what the best possible model reaches on them
nats_of_characters("test")            nats of each character of a frozen split by the true distribution
next_word_distribution(prefix)        the truth, word by word
masked_distribution(tokens, place)    the truth in a blank, from both sides
masked_floor("test", count=10_000)    what the best possible masked model reaches
probes("agreement")                   positions with labelled questions
split("train")                        the small text that ships with the course
read(tokens)                          the derivation of any text of the language
"""

from lmkit.kitchen.entropy import Floor, floor, log_probabilities, nats_of_characters
from lmkit.kitchen.frozen import split
from lmkit.kitchen.masked import (
    Blank,
    MaskedFloor,
    Story,
    blanks,
    masked_distribution,
    masked_floor,
    masked_log_probabilities,
    pseudo_log_likelihood,
    summary,
)
from lmkit.kitchen.oracle import derivations
from lmkit.kitchen.probes import Probe, probes, probes_in
from lmkit.kitchen.reader import NotKitchen, Reading, next_word_distribution, read
from lmkit.kitchen.sampler import Document, documents, readable, stream

__all__ = [
    "Blank",
    "Document",
    "Floor",
    "MaskedFloor",
    "NotKitchen",
    "Probe",
    "Reading",
    "Story",
    "blanks",
    "derivations",
    "documents",
    "floor",
    "log_probabilities",
    "masked_distribution",
    "masked_floor",
    "masked_log_probabilities",
    "nats_of_characters",
    "next_word_distribution",
    "probes",
    "probes_in",
    "pseudo_log_likelihood",
    "read",
    "readable",
    "split",
    "stream",
    "summary",
]
