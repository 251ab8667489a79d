"""Train a causal Transformer, on one CPU, one GPU or many: `python -m lmkit.pretrain --config laptop --out runs/mine`.

configs     what a run is: model, text, steps, learning rates
text        a file or corpus as numbers
processes   one process for each GPU, and what they tell one another
data        the batches of a process, loaded ahead
run         the run itself, around `lmkit.training.train`
record      what is kept of it: record.json, history.csv, loss.png
"""

from lmkit.pretrain.configs import CONFIGS, PretrainConfig, RunError, changed
from lmkit.pretrain.run import pretrain
from lmkit.pretrain.text import Text, read_text

__all__ = ["CONFIGS", "PretrainConfig", "RunError", "Text", "changed", "pretrain", "read_text"]
