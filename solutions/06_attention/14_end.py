# %% [markdown]
# ## What you have now
#
# You have written one function and let it grow. It began as a soft lookup. You scaled it, so that wide keys do not make it hard from the start, and let every
# word ask. A mask kept it from seeing what it should guess. And it got several heads, because one lookup brings home only one mean.
#
# With it you have trained a network in which a circuit formed. You have found its two parts, cut one out in three networks, and written its notes by hand,
# and each time the copying went and came as the plan says. You have seen through a cheater that had the same loss. Then you predicted where your own network
# fails, and it did. Notes written by hand mended it. Other data mended the fault only in part.
#
# One of the networks that were trained with words in front goes into the gallery. Its prompts are lists, since lists are all that it knows.

# %%
# NBVAL_IGNORE_OUTPUT
# (the minutes of its training stand in it)
prompts = (
    "moss kite drum fig lamp rope salt crow bell moss kite",
    "pear owl rain gull king zinc toad moss star pear owl",
    "wax yarn dawn elm fog hay ink jar knot loom wax yarn",
)
gallery.keep(
    "06_induction",
    model=cured[1].state_dict(),
    text="random lists",
    continuations={prompt: continued(prompt, model=cured[1]) for prompt in prompts},
    minutes=seconds / 60,
    notes="two layers of attention and nothing else",
)
gallery.show()

# %% [markdown]
# Two things are left open. The first is the cost. Every word looks at every other, so twice as many words make four times as many scores. The second is that our
# networks have attention only. A language model also needs a part that works on what each word has found, and a way to stack many layers so that they can be
# trained. Both come in chapter 07, and in chapter 08 your attention writes your text.
#
# **To read on.** D. Bahdanau, K. Cho and Y. Bengio (2015) brought attention into translation, with a small network in place of the dot product. A. Vaswani and
# others, *Attention is all you need* (2017), did without recurrence altogether. N. Elhage and others, *A mathematical framework for transformer circuits* (2021),
# and C. Olsson and others, *In-context learning and induction heads* (2022), found the circuit that you have watched. There you will meet the names *QK circuit*
# for $W_q$ and $W_k$ together, which decide where a head looks, and *OV circuit* for $W_v$ and $W_o$, which decide what it brings along.
