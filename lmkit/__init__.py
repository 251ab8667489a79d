"""What the notebooks of *Counts to Transformers* import: text to learn from, training, plots. It holds no answer."""

from lmkit.budgets import budget
from lmkit.corpora import Corpus, load

__all__ = ["Corpus", "budget", "load"]
