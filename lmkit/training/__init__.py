"""One training loop for every neural chapter: any model, any data, exact resume.

    set_seed(1)
    model = Tagger(width=64).to(choose_device())
    pick = shuffled(len(words), size=32, seed=1)
    history = train(
        model,
        batches=lambda step: (words[pick(step)], tags[pick(step)]),
        loss=lambda model, batch: (F.cross_entropy(model(batch[0]), batch[1]), len(batch[1])),
        steps=500,
    )
    plot_loss(history)

A batch is a function of its number, not the next item of an iterator: a run that was killed goes on with the very
batch that it would have had.
"""

from lmkit.training.loop import train
from lmkit.training.tools import choose_device, live_plot, plot_loss, set_seed, shuffled, to_device, warmup_cosine

__all__ = ["choose_device", "live_plot", "plot_loss", "set_seed", "shuffled", "to_device", "train", "warmup_cosine"]
