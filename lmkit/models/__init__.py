"""Every language model of the course behind one interface: ln P of each next token, for a batch of texts.

    model = Neural(build("lstm", len(symbols), width=128), symbols)
    model.log_probabilities(tokens)           [B, T] -> [B, T + 1, V]
    score(model, documents)                   ln P of each token of each document
    write(model, generator)                   a text that the model makes up

Whoever compares models needs nothing else: counting models, networks and the truth differ only behind it.
"""

from lmkit.models.evaluate import Answer, answers, by_place, nats_per_token
from lmkit.models.interface import Counted, LanguageModel, Neural, Truth, encode, score, write
from lmkit.models.networks import NETWORKS, Recurrent, WindowNetwork, build, parameter_count

__all__ = [
    "NETWORKS",
    "Answer",
    "Counted",
    "LanguageModel",
    "Neural",
    "Recurrent",
    "Truth",
    "WindowNetwork",
    "answers",
    "build",
    "by_place",
    "encode",
    "nats_per_token",
    "parameter_count",
    "score",
    "write",
]
