# ---
# title: A machine that babbles
# ---

# %% [markdown]
# Take a text. Count how often each word is followed by each other word. That is all that our machine will know: no grammar, no dictionary, no meaning. When it
# speaks, it draws one word after the other at random, and a word that often followed the last one in your text is drawn often. Soon you will hear it talk about
# a text that you have chosen yourself. Judge for yourself how good it is, for a thing that knows so little.
#
# Such a machine is a **language model**: a rule that gives every possible next word a probability (perhaps 0). The systems that
# answer your questions today are language models, too. They are far larger, but they do the same
# job. The first thing that they are trained for is to make one number small. You will meet this number in section 5.
#
# **What this chapter promises.** You will build the machine with your own hands and let it write. You will learn to say in a single number how good it is. In
# section 6 you will see how little it brings to remember more than two words. And in section 7 you will catch the machine: you will find something that a
# machine with one word of memory can never get right, however much it reads. That more words of memory bring little, and that one word can never be enough:
# these are the two reasons for the chapters from 04 on.

# %% [markdown]
# How a chapter works is explained on the start page, `00_start`. In short: write your answers into the cells that raise `NotImplementedError` and run the check
# below each of them. When you want to try the hidden tests, open *Tasks* at the right edge of JupyterLab and press *Check*, or type `.venv/bin/autograder check
# 01` in a terminal. The chapter takes three and a half to four hours. Section 4 ends at a good place for a break.

# %%
import itertools
import math
import random
from collections import Counter, defaultdict
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import display

import lmkit
from lmkit import berkeley, drawings, gallery, plots
from lmkit.babble import (
    Babbler,
    guess_the_next_word,
    rounds_of,
)
from lmkit.testing import close, is_number

plots.use_style()
plt.rcParams["figure.dpi"] = 140

# %% [markdown]
# ## Choose your text
#
# Put any plain text file into the folder `work/texts`: a novel, your old essays, the chat with your best friend. It should
# have at least 20,000 words, and more is better. If you have none at hand, run the next cell as it is. It then
# takes Shakespeare, or, where there is no internet, the *kitchen* text, which we have generated for this course.
#
# How is your text cut? Each line of the file becomes one *sentence*, whatever stands in it, and a full stop or a comma counts as a word of its own. In the
# kitchen text, one line is a whole short story. A part of your file is kept back, the last fifth, and the machine never reads it. The first half of this part
# serves a game, soon, and the measurements in section 6. The second half serves a single score, at the end of section 6. (The kitchen text and Shakespeare
# come with parts of their own, for the same three uses.)
#
# The numbers that this chapter quotes come from our own run, which reads the kitchen text. With another text yours will differ. Compare them.

# %%
mine = lmkit.load("mine", unit="word")


# %% folded="keeps the chapter quick where a text is long"
def first_words(sentences, limit):
    """The first sentences, until they have `limit` words together."""
    kept, total = [], 0
    for sentence in sentences:
        if total >= limit:
            break
        kept.append(sentence)
        total += len(sentence)
    return kept


# %%
my_train = first_words(mine.splits["train"], 200_000)
my_valid = first_words(mine.splits["valid"], 20_000)
my_words = {word for sentence in my_train for word in sentence}
print(
    f"{sum(map(len, my_train)):,} words to learn from, {len(my_words):,} different ones"
)
if (kept_back := sum(map(len, my_valid))) < 1_600:  # 40 passages of 40 words
    print(
        f"Only {kept_back} words are kept back for section 6, and it would like 1,600: better take more text."
    )

# %% [markdown]
# ## Three machines talk
#
# We build three machines from this text. They differ only in how many words they remember.
#
# - The machine with *no memory* knows how frequent each word is, and nothing else.
# - The machine with *one word* of memory looks at the word that it has just said. It draws the next word from those that followed this word in your text.
# - The machine with *two words* of memory does the same with the last two words.
#
# Run the cell and read the three lines aloud.

# %%
machines = {
    name: Babbler(my_train, memory)
    for memory, name in enumerate(("no memory", "one word", "two words"))
}
for name, machine in machines.items():
    print(f"{name:>9}:  {machine.write(words=28, seed=4)}\n")

# %% scratch=true
# Another seed gives another text. Try some, and try an opening of your own.
for name, machine in machines.items():
    print(f"{name:>9}:  {machine.write(words=28, seed=5, start=['the'])}\n")

# %% [markdown]
# What the machine with no memory says is word salad. With one word of memory, any two neighbours in a sentence have also stood side by side in your text, but the
# whole leads nowhere. With two words, longer pieces often sound right. One line of each machine is little to judge by, so read a few seeds. (How much of it is
# simply copied? You will measure this in section 6.)
#
# If two words of memory are better than one, why not three, or ten? Keep this question. You will be able to answer it
# yourself in section 6, too.

# %% [markdown]
# ## Play against it
#
# In 1951 Claude Shannon asked people to guess a text letter by letter, because he wanted to know how predictable English
# is. We do the same with words, and you play against the machine with two words of memory. You see the beginning of a
# passage from a part of your text that the machine has *not* read. Type the next word and press Enter. Then the machine
# shows its five best guesses, and the truth is revealed. Play ten rounds.

# %%
guess_the_next_word(machines["two words"], my_valid, rounds=10)

# %% [markdown]
# How many of your guesses were right, and how many of the machine's? (It is not a fair game. You see the whole beginning, and the machine sees only the last two
# words.) Whoever won, many guesses were wrong. That is no shame, because at most places many different words would have made sense. So counting right
# guesses is a poor way to keep score.
#
# There is a better way. In each round, the line that begins with *the truth* tells **how much probability the machine gave to the word that really came**. If it
# gave 0.5 to this word, it was hardly surprised. If it gave 0.001, it was very surprised. And sometimes the line says *probability 0*. Then the machine was
# certain that this word could not come, and it came.
#
# Sections 4 and 5 follow from this one idea: a good model gives much probability to what really happens.
