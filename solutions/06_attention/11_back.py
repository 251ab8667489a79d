# %% [markdown]
# ## 10. Back to Olga Keller
#
# We began with a network that copies *westford* from the middle of a story, and with the suspicion that this depends on one head. You have the knife now. The cell cuts out each of its eight heads in turn, with your `without_head`, and asks for the next word:

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
# Six of the eight heads can be cut out, one at a time, and nothing changes. The two others matter in different ways:
#
# - Without head 1 of layer 0, *westford* is gone. All 40 towns together keep 43 %, and several of them share it. So this head says *which* town.
# - Without head 0 of layer 0, only 17 % are left for all towns together, nearly all for *westford*. The network would rather go on with *in the* … So this head says *that* a town is due. (In the table at the beginning of the chapter it looked at *finally*.)
#
# All of this is one story. For a law we would need many.
#
# Does head 1 know that it is the fox who is in Westford? It stands in the first layer, and there each key is made from the vector of a single word. The key of *westford* says "I am a town". It cannot say "I am the town of the fox", because no word has been told anything about the words around it. The query comes from *in*, and for the same reason *in* cannot ask for the town of the fox. So this head can only look for *a* town. If a story has two, the second layer would have to know better.
#
# That is a prediction, and we can test it. Put a second house and a second town into the story. Then ask once for the fox, where Olga is, and once for the duck, where Anna is. We do this with six pairs of towns, each in both orders:

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
# Read one row. The two columns *weights* say what head 1 gives to the town of the fox and to that of the duck, first for the one question and then for the other. Their ratio must be the same for both questions, and the other words get too little for two decimals to show it. The columns *it says* are the test, since the second layer might know better. It does not: in each of the twelve rows the network says the same town for the fox and for the duck. So it is wrong once in each row. We have fooled it.
#
# Which of the two towns does it say? With four of the six pairs it is the town that was named last. With the two others it is *westford* or *eldford* in both orders, so it also seems to like some towns better than others. It has no idea where the fox is. It looks for *a town*, and as long as a story has only one, nobody notices.
#
# This is a third network that got away with less than we had thought. To do better, some word of a first layer would have to be told whose town it is, and a second layer would have to ask for it, as the two layers of your learner do.
