# %% [markdown]
# ## 10. Back to Olga Keller
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
# Is head 1 an induction head? It cannot be. It stands in the first layer, so its keys are made from the vectors of single words, and no word has been told anything about its neighbours. The word that asks is *in*, in both questions, so its query cannot know either whether the fox or the duck is meant. So it can look for a town, because a town can be recognised by its own vector, but it cannot know *whose* town it is. That is a prediction, and we can test it. Put a second house and a second town into the story, and ask once for the fox, where Olga is, and once for the duck, where Anna is. We do this with six pairs of towns, each in both orders:

# %%
two_towns = story.replace(
    " finally", " anna visits the silver duck , a grill in kingham . finally"
)
pairs = [("westford", "kingham"), ("ashmere", "eldford"), ("stoneton", "ashmere")]
pairs += [("eldford", "stoneton"), ("kingham", "eldford"), ("ashmere", "kingham")]
rows = []
for fox, duck in [pair[::turn] for pair in pairs for turn in (1, -1)]:
    text = two_towns.replace("westford", "X").replace("kingham", duck).replace("X", fox)
    row = {"the fox is in": fox, "the duck is in": duck}
    for asked in ("olga loves the golden fox", "anna loves the silver duck"):
        reading = reader.read(text.replace("olga loves the golden fox", asked))
        weights = reading.weights[0, 1, -1]
        at = [weights[reading.words.index(town)].item() for town in (fox, duck)]
        house = asked.split()[-1]
        row[f"weights, {house}?"] = " ".join(f"{p:.2f}" for p in at)
        row[f"it says, {house}?"] = next(iter(reading.next_words))
    rows.append(row)
pd.DataFrame(rows)

# %% [markdown]
# We have fooled it. The columns *weights* say what head 1 gives to the town of the fox and to that of the duck. It is nearly all that it has, and it does not matter which house is asked for: in all twelve stories the network says the same town for the fox and for the duck. So it is wrong once in each of them. For four of the six pairs it says the town that was named last. For the two others it says *westford* or *eldford* in both orders, so it also seems to like some towns better than others. It has no idea where the fox is. It looks for *a town*, and as long as a story has only one, nobody notices.
#
# This is a third network that got away with less than we had thought. To do better, some word of a first layer would have to be told whose town it is, and a second layer would have to ask for it, as the two layers of your learner do.
