# %% [markdown]
# ## Back to Olga Keller
#
# We began with a network that copies *westford* from the middle of a story, and with the suspicion that this hangs on one head. You have the knife now. The cell cuts out each of its eight heads in turn, with your `without_head`, and asks for the next word:

# %%
everything = len(reader.symbols)
rows = {"nothing": reader.read(story, best=everything).next_words}
for layer, block in enumerate(reader.network.blocks):
    out = block.attention.out
    whole = out.weight.data.clone()
    for head in range(reader.heads):
        out.weight.data = torch.as_tensor(without_head(whole, head, reader.heads))
        rows[f"layer {layer}, head {head}"] = reader.read(
            story, best=everything
        ).next_words
    out.weight.data = whole
for name, words in rows.items():
    likeliest = ", ".join(f"{word} {p:.0%}" for word, p in [*words.items()][:3])
    towns = sum(words.get(town, 0) for town in TOWNS.words)
    print(f"cut out: {name:16} all towns together {towns:4.0%}; next: {likeliest}")

# %% [markdown]
# Take away head 1 of layer 0, and *westford* is gone. Several towns share what is left, and all 40 towns together have lost more than half of their probability. So this head does not only say *which* town. To a good part it also says that a town is due.
#
# Look at head 0 as well, which matters in another way. In the table at the beginning of the chapter it looked at *finally*. Without it, the network would rather go on with something new: *in the* … (All of this is one story. For a law we would need many.)
#
# Is head 1 an induction head? It cannot be. It stands in the first layer, so its keys are made from the vectors of single words, and no word has been told anything about its neighbours. So it can look for a town, because a town can be recognised by its own vector, but it cannot know *whose* town it is. That is a prediction, and we can test it. Put a second house and a second town into the story, ask once for the fox and once for the duck, and then exchange the two towns:

# %%
two_towns = story.replace(
    " finally", " anna visits the silver duck , a grill in kingham . finally"
)
exchanged = two_towns.replace("westford", "X").replace("kingham", "westford")
exchanged = exchanged.replace("X", "kingham")
for name, text in {"fox in westford": two_towns, "fox in kingham": exchanged}.items():
    for asked in ("olga loves the golden fox", "anna loves the silver duck"):
        reading = reader.read(text.replace("olga loves the golden fox", asked))
        weights = reading.weights[0, 1, -1]
        at = {
            town: round(float(weights[reading.words.index(town)]), 2)
            for town in ("westford", "kingham")
        }
        guess, p = next(iter(reading.next_words.items()))
        print(f"{name}; {asked} in: weights {at}, it says {guess} ({p:.0%})")

# %% [markdown]
# We have fooled it. The head gives nearly all its weight to the two towns, and it does not matter which house is asked for: the network says the same town for the fox and for the duck, and after we have exchanged the two towns, it still says the same one. It has no idea where the fox is. It looks for *a town*. In the stories that it has read this was nearly always enough, and a network learns what pays. To do better, some word of a first layer would have to be told whose town it is, and a second layer would have to ask for it: two hops. In your lists of random words nothing less was enough, and there the circuit came.
#
# ## What you have now
#
# One function, grown step by step: a soft lookup; scaled, so that wide keys do not make it hard; asked by every word; masked, so that it cannot see what it should guess; with several heads, because one lookup is one average; and across two texts. With it you have trained a network in which a circuit formed. You have found both of its parts and the joint between them, cut them out in three networks, and seen through a cheater that had the better loss.
#
# Your learner goes into the gallery. Its prompts are lists, since lists are all that it knows.

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
    model=learner.state_dict(),
    text="random lists",
    continuations={prompt: continued(prompt) for prompt in prompts},
    minutes=seconds / 60,
    notes="two layers of attention and nothing else",
)
gallery.show()

# %% [markdown]
# What does attention cost? Every word looks at every other, so twice as many words make four times as many scores. And our networks here have attention only. What is missing for a language model is a part that *thinks* about what has been found at each place, and a way to stack many layers so that they can be trained. Both come in chapter 07, and in chapter 08 your attention writes your text.
#
# **To read on.** D. Bahdanau, K. Cho and Y. Bengio (2015) brought attention into translation, with a small network in place of the dot product. A. Vaswani and others, *Attention is all you need* (2017), made it the whole model. N. Elhage and others, *A mathematical framework for transformer circuits* (2021), and C. Olsson and others, *In-context learning and induction heads* (2022), found the circuit that you have watched.
