# ---
# title: Words that look things up
# ---

# %% [markdown]
# Read this story, and stop where it stops:
#
# *On a foggy day, Olga Keller visits the golden fox, a grill in Westford. The waiter serves the menu to Olga. Finally, Olga loves the golden fox in …*
#
# You know the next word: *Westford*. And how did you know it? Perhaps you carried the town along through every word of the story. More likely your eyes jumped
# back, found it, and you copied it.
#
# The recurrent network of chapter 05 cannot jump. Whatever the first word has to tell the last one must pass through every state in between. In a text of a
# thousand words that is a thousand handovers, and at each of them something may get lost. So let us give words what your eyes have: the power to look back
# directly, at any word, however far away it is. This is called **attention**. In the Transformers behind today's language models it is the only way in which one
# word learns anything of another.
#
# **What this chapter promises.** You write attention as one small function and let it grow, step by step. At the end of section 4 it is part of your first
# network, and the loss of that network is too good to be true. In section 7 you build and train a network with two layers of attention, and before your eyes a
# small machine forms inside it that nobody has wired. It is called an *induction head*: when you read a word for the second time, the head looks up which word
# followed it the first time, and predicts that one. Such heads have been found in language models of many sizes.
#
# You will measure your induction heads and cut them out. Then you will catch a second network that reaches the same loss by cheating. And after that you will look
# at your own network once more, with suspicion.
#
# The eleven tasks take about three and a half hours, and reading takes about two and a half. Do not try that in one sitting: the end of section 5 is a good
# place for a long break. The story ends with section 10. Section 11 trains a few small networks more, and it prepares chapter 08.

# %%
import math
import time

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from IPython.display import display
from torch import nn
from torch.nn import functional as F

from lmkit import drawings, gallery, plots
from lmkit.kitchen.words import TOWNS
from lmkit.looking import (
    Film,
    KitchenReader,
    OneLook,
    shaded,
    square,
    type_a_sentence,
    weights_of_heads,
)
from lmkit.testing import (
    beside_the_answer,
    close,
    gradients,
    is_number,
    parameter_gradients,
    torch_module,
)
from lmkit.training import choose_device, set_seed, train, warmup_cosine

device = choose_device()
plots.use_style()
plt.rcParams.update({"figure.figsize": (7, 3.2), "figure.dpi": 140})
torch.set_num_threads(1)  # for networks this small a second thread costs more
print("Networks of this chapter are trained on:", device)

# %% [markdown]
# If that line says *cuda*, your networks are trained on a GPU. Then make any new tensor where its input is: `torch.zeros(3, device=x.device)`.
#
# ## First, look
#
# Here is a small Transformer that has learned to continue kitchen stories. These are invented texts about guests who visit a place, order something, and are
# named again at the end. The network has two **layers**, which work one after the other, and in each layer there are four **heads**. Layers and heads are counted
# from 0, as Python counts.
#
# In section 6 you will build heads yourself. For the moment, think of a head as one pair of eyes. Whenever the network reads a word, each head looks back over
# the words so far and gives each of them a **weight**. The weights of one head always sum to 1.
#
# The next cell shows our story through the eyes of one of them, head 1 in layer 0, at the moment when the network has read the last word. The darker a word, the
# more weight it gets, and weights from 0.05 are printed. `</s>` marks the beginning of a story. Behind the arrow stands the word that the network expects next.

# %%
reader = KitchenReader()
story = (
    "on a foggy day , olga keller visits the golden fox , a grill in westford . "
    "the waiter serves the menu to olga . finally , olga loves the golden fox in"
)
type_a_sentence(reader, story, layer=0, head=1)

# %% [markdown]
# The last word, *in*, gives 0.94 of its weight to *westford*, the one word that it needs. Is that luck? Put another town into the story. If you sit at a
# notebook, you can type into the field. Keep to words that the network knows, for example the towns *ashmere, eldford, kingham, stoneton*, the guests *anna,
# felix, maria*, and the animals *duck, goose, lamb, wolf*.
#
# The next cell tries three changes. The first story has another town, *kingham*. In the second one the town stands near the beginning. The third one stops two
# words earlier, after *golden*, so that an animal must come next and no town.

# %% scratch=true
# Stories of your own: change them as you like.
display(shaded(reader.read(story.replace("westford", "kingham")), layer=0, head=1))
earlier = story.replace(" in westford", "").replace(
    "olga keller", "olga keller from westford", 1
)
display(shaded(reader.read(earlier), layer=0, head=1))
display(shaded(reader.read(story[: story.rindex(" fox")]), layer=0, head=1))

# %% [markdown]
# Three more times it was right. In the first story the head finds *kingham*, and in the second one it finds *westford* at its new place. In the third story,
# where the name of an animal is due, the same head gives most of its weight to *fox*.
#
# The network can hardly know these stories by heart, since we have just changed them. It has learned *where to look*. What do the other seven heads look at? The
# next table has one line for each head of the network, for our story as it was. It says which word gets most of the head's weight, how many places back that word
# stands, and what its weight is:

# %%
reading = reader.read(story)
rows = {}
for layer in range(reader.layers):
    for head in range(reader.heads):
        weights = reading.weights[layer, head, -1]
        best = int(weights.argmax())
        behind = len(reading.words) - 1 - best
        rows[f"layer {layer}, head {head}"] = {
            "looks most at": reading.words[best],
            "places back": behind,
            "weight": round(weights[best].item(), 2),
        }
pd.DataFrame(rows).T

# %% [markdown]
# Each of the four heads of layer 1 gives all its weight to a single word, and this word stands at most four places before the last one, *in*. Head 2 of layer 0
# is the opposite: even its favourite word gets only 0.11, so its weight is spread over many words. And head 1 of layer 0 is the one that you have watched. So
# each head seems to have a habit. One word of one story cannot prove that. But suppose that head 1 of layer 0 is the one that finds the town. Then without this
# head the network could not say *westford*. Near the end of this chapter we come back to this network, switch that head off, and then fool it.
#
# How can a word *look*? Where do the weights come from, and how does a network learn them? Let us open the machine. It begins with something that you know: a
# dictionary.
