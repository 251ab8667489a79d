"""The house of training: config -> text -> train -> weights, history, record -> load.

run = load("kitchen-transformer")    a recorded run of the course, or the folder of one of yours
run.model            behind the interface of lmkit.models
run.write("ROMEO:")  what it writes after a prompt
run.history          step, losses, learning rate, tokens and seconds of each seed
run.numbers          what was measured at the end, for each seed
run.samples          texts that the model made up
names()              what there is

python -m lmkit.runs make kitchen-transformer                     trains a recorded run again
python -m lmkit.pretrain --text my.txt --level bpe --out mine     trains a Transformer on your text

configs     what a run is, and every run that has a name
stories     fresh kitchen stories as a source of batches
rows        a file or a corpus as one long row of tokens, likewise
batches     its blocks, loaded ahead
text        what a source offers, and the loss that a network is judged by
processes   one process for each GPU, and what they tell one another
run         the run itself, around `lmkit.training.train`
record      what is kept of it
reading     what was kept, read back
"""

from lmkit.runs.configs import CONFIGS, RUNS, STUDIES, RunConfig, RunError, Study, changed
from lmkit.runs.reading import Run, load, load_study, names

__all__ = [
    "CONFIGS",
    "RUNS",
    "STUDIES",
    "Run",
    "RunConfig",
    "RunError",
    "Study",
    "changed",
    "load",
    "load_study",
    "names",
]
