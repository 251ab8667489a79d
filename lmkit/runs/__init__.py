"""Recorded runs: models of the course, trained for as long as it takes, and kept with all that is known about them.

run = load("kitchen-transformer")
run.model            behind the interface of lmkit.models
run.history          step, losses, learning rate, tokens and CPU seconds of each seed
run.numbers          what was measured at the end, for each seed
run.samples          texts that the model made up
names()              what there is

python -m lmkit.runs make kitchen-transformer        makes it again
"""

from lmkit.runs.configs import RUNS, STUDIES, RunConfig, Study
from lmkit.runs.reading import Run, load, load_study, names

__all__ = ["RUNS", "STUDIES", "Run", "RunConfig", "Study", "load", "load_study", "names"]
