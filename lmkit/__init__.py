"""What the notebooks of *Counts to Transformers* import: text to learn from, plots, and helpers that hold no answer."""

from lmkit.corpora import Corpus, load

__all__ = ["Corpus", "load"]
