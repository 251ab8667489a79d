# %% [markdown]
# ## 10. Back to Olga Keller
#
# We began with a network that copies *westford* from the middle of the story of Olga Keller, and we watched head 1 of layer 0, which looks at that town. Now you
# have the knife, and can ask whether the copying depends on that head. The cell cuts out each of the eight heads in turn, with your `without_head`, and then all
# heads of a layer at once. Each line says how much probability is left for all 40 towns together, and which three words are the likeliest after *… olga loves the
# golden fox in*:

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
    out.weight.data = torch.zeros_like(whole)
    rows[f"layer {layer}, all heads"] = reader.read(story, best=everything).next_words
    out.weight.data = whole
for name, words in rows.items():
    likeliest = ", ".join(f"{word} {p:.0%}" for word, p in [*words.items()][:3])
    towns = sum(words.get(town, 0) for town in TOWNS.words)
    print(f"cut out: {name:16} all towns together {towns:4.0%}; next: {likeliest}")

# %% [markdown]
# For six of the eight heads, the line looks like the first one, where nothing is cut out. So these six heads can be cut out, one at a time, and *westford* still
# gets 100 %. The four heads of layer 1 are among them, although each of them gives all its weight to a single word. Even all four at once can go, as the last
# line says. So for this word they are not needed, whatever their weights are.
#
# The lines of two heads are different:
#
# - **Layer 0, head 1.** This is the head that we have watched. Without it *westford* is gone from the likeliest words. All towns together keep 43 %, but no
#   single town has more than 8 %. So the network still half expects a town, and does not know which.
# - **Layer 0, head 0.** Without it, all towns together have only 17 %, and nearly all of that is for *westford*. The likeliest word is now *the*, as in *in the
#   …* So the network hardly expects a town any more, but if there is one, it knows which.
#
# One line is strange. Without *all* heads of layer 0 the towns have 82 %, more than without head 0 alone. So cuts do not simply add up. Perhaps other heads of
# this layer push towards *the*, and head 0 pushes back. (Which town it is, the network does not know then, as without head 1.)
#
# All of this is one story. For a law we would need many.

# %% [markdown]
# ### Does it know where the fox is?
#
# Olga's fox is in Westford. Does head 1 know that? It stands in layer 0, where each key is made from the vector of a single word. So the key of *westford* can
# say "I am a town". It cannot say "I am the town of the fox", because nothing has told it what stands around it. Nor does the query of *in* know anything of a
# fox. So this head can only look for *a* town. If layer 1 does not help it, then in a story with two houses in two towns the network should name the same town
# for both.
#
# That is a prediction, and we can test it. Into our story we put a second house in a second town: Anna visits the silver duck in Kingham. Then we end the
# story in two ways, *olga loves the golden fox in* and *anna loves the silver duck in*, and see which town the network says. We do this with six pairs of
# towns, each in both orders. The cell prints a table of the first two cases, and then three counts:
#
# - *the same town for the fox and for the duck*: in how many of the 12 cases? If our prediction is right, in all.
# - *the same town if the two are exchanged*: does the network choose by the name? Then the answer for the fox would stay the same when we exchange the two
#   towns. In how many of the 6 pairs does it?
# - *the town to which head 1 gives more weight*: in how many of the 12 cases does the network say this town for the fox? If it is all 12, head 1 decides.

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
    of_fox = reader.read(text)
    of_duck = reader.read(
        text.replace("olga loves the golden fox", "anna loves the silver duck")
    )
    row["fox in …"] = next(iter(of_fox.next_words))
    row["duck in …"] = next(iter(of_duck.next_words))
    weights = of_fox.weights[0, 1, -1]  # of head 1, when the text ends with the fox
    row["most weight"] = max(
        (fox, duck), key=lambda town: weights[of_fox.words.index(town)]
    )
    rows.append(row)
table = pd.DataFrame(rows)
display(table[["the fox is in", "the duck is in", "fox in …", "duck in …"]][:2])
same = (table["fox in …"] == table["duck in …"]).sum()
print(f"the same town for the fox and for the duck: {same} of {len(table)} cases")
said_town = table["fox in …"].to_numpy().reshape(-1, 2)  # a pair and its exchange
exchanged = (said_town[:, 0] == said_town[:, 1]).sum()
print(f"the same town if the two are exchanged: {exchanged} of {len(pairs)} pairs")
seen = (table["fox in …"] == table["most weight"]).sum()
print(f"the town to which head 1 gives more weight: {seen} of {len(table)} cases")

# %% [markdown]
# The first row of the table is our story. The fox is in Westford, and the network says so. The duck is in Kingham, but here it says *westford* again. In the
# second row we have exchanged the two towns, and again it says the same town twice.
#
# This is so in all twelve cases, as the first printed line says: the network gives the fox and the duck the same town. So in each case it is wrong once. We have
# fooled it. The last printed line fits this: it always says the town to which head 1 gives more weight.
#
# How does it choose between the two? The line in the middle shows that it goes neither always by the name nor always by the place. In two of the six pairs,
# ours among them, the answer stays the same *name* when we exchange the towns. In the other four the name changes. The last line has told us that it always
# names one of the two towns of the story. So if the name changes when they are exchanged, it has both times named the town at the same *place*: the first
# town of the story, or the second.
#
# The fox has nothing to do with it. After *in*, that head looks for a town, and with only one town in the story nobody would notice. (All twelve cases are
# the same story, and the six pairs are made of only five towns. So they are not twelve independent tests.)
#
# This is one more network that got away with less than we had thought. To do better, layer 0 would have to tell some word whose town it is, and layer 1 would
# have to ask for it, as the two layers of your learner do.
