# ---
# title: Words that look things up
# ---

# %% [markdown]
# Read this story, and stop where it stops:
#
# *On a foggy day, Olga Keller visits the golden fox, a grill in Westford. The waiter serves the menu to Olga. Finally, Olga loves the golden fox in …*
#
# You know the next word: *Westford*. And how did you know it? Perhaps you carried the town along through every word of the story. More likely your eyes jumped back, found it, and you copied it.
#
# The recurrent network of chapter 05 cannot jump. Whatever the first word has to tell the last one must pass through every state in between. In a text of a thousand words these are a
# thousand handovers, and at each of them something may get lost. So let us give words what your eyes have: the power to look back directly, at any word, however far away it is. This is called **attention**, and in the Transformers behind today's language models it is the only way in which one word learns anything of another.
#
# **What this chapter promises.** You write attention as one small function and let it grow, step by step. At the end of section 4 it is part of your first network, whose loss is too good to be true. In section 7 your own layers make a network of two layers. You train it for less than half a minute, and before your eyes a small machine forms inside it, which nobody has wired: an *induction head*. It finds what came next the last time, and says it again. Such heads have been found in
# language models of many sizes, from two layers of attention up. You will measure yours and cut it out. Then you will catch a second network that reaches the same loss by cheating, and after that you will look at your own once more, with suspicion.
#
# The eleven tasks take about three and a half hours, and reading takes more than another hour. Do not try that in one sitting: the end of section 5 is a good place for a long break. The story ends with section 10. Sections 11 and 12 are short, and they prepare chapters 08 and 09.

# %%
import math
import time
from itertools import combinations

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
    type_a_sentence,
    weights_of_heads,
)
from lmkit.testing import (
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
# Here is a small Transformer that has learned to continue kitchen stories: invented texts about guests who visit a place, order something, and are named again at the end. It has two layers, and in each layer four **heads**.
# In section 6 you will build heads yourself. For the moment, think of a head as one pair of eyes: whenever the network reads a word, each head looks back over the words so far, and gives each of them a **weight**. The
# weights of one head always sum to 1. (Layers and heads are counted from 0, as Python counts.)
#
# The next cell shows our story, through the eyes of head 1 in layer 0, at the moment when the network has read the last word. The darker a word, the more weight it gets (weights from 0.05 are printed). `</s>` marks the
# beginning of a story. At the end, behind the arrow, stands the word that the network expects next.

# %%
reader = KitchenReader()
story = (
    "on a foggy day , olga keller visits the golden fox , a grill in westford . "
    "the waiter serves the menu to olga . finally , olga loves the golden fox in"
)
type_a_sentence(reader, story, layer=0, head=1)

# %% [markdown]
# The word *in* looks back over the whole story to the one word that it needs. Is that luck? Put another town into the story. If you sit at a notebook, you can type into the field. Keep to words that the network knows, for example the towns
# *ashmere, eldford, kingham, stoneton*, the guests *anna, felix, maria*, the animals *duck, goose, lamb, wolf*.

# %% scratch=true
# Stories of your own: change them as you like.
display(shaded(reader.read(story.replace("westford", "kingham")), layer=0, head=1))
earlier = story.replace(" in westford", "").replace(
    "olga keller", "olga keller from westford", 1
)
display(shaded(reader.read(earlier), layer=0, head=1))
display(shaded(reader.read(story[: story.rindex(" fox")]), layer=0, head=1))

# %% [markdown]
# It was no luck. With another town the eyes find that one, and if the town stands earlier in the story, they find it there. In the last story we stopped one word earlier, after *golden*, and now the same head looks at another word: at the *fox*, which is the name to be completed.
#
# The network cannot recite all these stories, in which we have just exchanged and moved the town. It has learned *where to look*. What do its other seven heads look at? For each of them, the word with most weight:

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
# Some heads give nearly all their weight to one place, and some of these look only a few words back. Others spread it. So heads have habits, and one of them has the habit on which our story depends. At the end of this chapter we come back to this network, switch that head off, and then fool it.
#
# How can a word *look*? Where do the weights come from, and how does a network learn them? Let us open the machine. It begins with something that you know: a dictionary.
