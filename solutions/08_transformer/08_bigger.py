# %% [markdown]
# ## 8. Bigger
#
# Your class can hold more than what you have trained yourself. In this section weights move into it that were trained for longer: first those of the course,
# and then, if you like, those of GPT-2.

# %% [markdown]
# ### Trained by somebody else
#
# `lmkit` has a Transformer of its own. With the right settings it has exactly your modules under your names, so its weights fit into your class. The next cell
# loads a recorded training of it, which read the kitchen text word by word, and copies the weights into a model of yours. It gives both models the same six words
# and prints the largest difference between their scores.
#
# Below that it prints how long the recorded training took, and how many bits per word the model is above the **floor**, that is, above what is possible at all on
# this text.

# %%
run = runs.load("kitchen-gpt")
symbols, form = run.model.symbols, run.config.sizes
yours = gpt(len(symbols), form["block"], form["layers"], form["heads"], form["width"])
yours.load_state_dict(run.network.state_dict())
yours.to(device)
story = ["</s>", "on", "a", "cold", "evening", ","]
tokens_of_story = [symbols.index(word) for word in story]
with torch.no_grad():
    read = torch.tensor([tokens_of_story], device=device)
    difference = yours(read) - run.network.to(device)(read)
print(
    f"{len(symbols):,} words; largest difference of a score: {difference.abs().max():.4f}"
)
trained = run.numbers["1"]
print(f"{trained['parameters']:,} weights, {trained['tokens']:,} words read", end=", ")
print(f"{trained['CPU seconds'] / 60:.1f} minutes of one core")
print(f"{trained['bits above the floor']:.2f} bits per word above the floor")

# %% [markdown]
# For these six words the scores agree to four decimals: with its weights, what you have built computes what that model computes. In the next cell it writes, in
# your loop, with your `next_distribution` choosing the words:

# %%
# NBVAL_IGNORE_OUTPUT
# (one last digit rounded otherwise changes a token, and all that follow)
for seed in (1, 2):
    pick = drawn(lambda scores: next_distribution(scores, 0.8, 0.95), seed)
    told = go_on(yours, tokens_of_story, 50, pick, form["block"])
    print(" ".join(symbols[token] for token in told[1:]).replace(" </s>", "\n  "), "\n")

# %% [markdown]
# Its sentences hold together, though not all of them make sense. To train such a model on your own text, see `docs/pretrain.md`.
#
# How far back does *this* model look? Ask it as you have asked yours: exchange one word and see how far the loss of the next one moves. It reads `</s>` and
# the first 64 words of a story, and is asked for word 65. So at the distance of 64 we exchange word 1. There are about a thousand such stories that it has
# not read. Half of them begin with the name of a guest, and the others with *on*, as in *on a cold evening*, so we ask for them apart.

# %%
number = {symbol: i for i, symbol in enumerate(symbols)}
stories = lmkit.load("kitchen").splits
beginnings = [
    [number.get(word, number["<UNK>"]) for word in ["</s>", *story][:66]]
    for story in stories["valid"] + stories["test"]
    if len(story) >= 65
]
asked_of_it = torch.tensor(beginnings, device=device)
with_on = asked_of_it[:, 1] == number["on"]
far = [*distances[:-1], 59, 64]
print("words back:                ", *(f"{k:5}" for k in far))
for begins, its in {
    "a name": asked_of_it[~with_on],
    "on": asked_of_it[with_on],
}.items():
    moved_there = [moved_by_exchange(yours, its, k) for k in far]
    print(
        f"{len(its)} stories, first {begins:7}",
        *(f"{nats:5.2f}" for nats in moved_there),
    )

# %% [markdown]
# At first the numbers fall as yours did, and at a distance of 24 hardly anything is left. But look at the right end, where they *rise* again. In the stories
# of the first line, word 1 is the name of a guest, and it stands at the distance 64, where exchanging it moves the loss by 0.25 nats. In those of the second
# line word 1 is *on*, and exchanging it moves only 0.02. There the guest comes in later, as in *on a cold evening , ruth …*, and stands at the distance 59:
# 0.29 nats. So this model does not use what is near and forget the rest. It has found out which words, far back, will be needed again. A table of counts that
# ends after nine tokens cannot do that. Section 9 shows when a Transformer begins to.

# %% [markdown]
# ### GPT-2
#
# In February 2019 OpenAI announced GPT-2, and held its largest version back for months, because they feared that it could be misused. The smallest version has
# 12 layers of 12 heads, a width of 768 and a vocabulary of 50,257 tokens. Its architecture is that of your class, and its weights are public. So they should fit
# into *your* class, and its 50,000 merges into your `encode` and `decode`.
#
# If you have an internet connection and want to try it, set `fetch_gpt2 = True`. Then the second cell fetches about 550 megabytes, once, and the third one lets
# GPT-2 finish the sentence *The secret of a good soup is*. The course's own copy was made without internet, and tried this only with a small file of the same
# form. So the sentence will be news to us, too.

# %% scratch=true
fetch_gpt2 = False  # 550 megabytes, once

# %%
# NBVAL_IGNORE_OUTPUT
# (it says whether the weights could be fetched)
big = None
if fetch_gpt2 and budget().name != "grading":
    try:
        published = gpt2.load()
        sizes = dict(published.sizes)
        big = gpt(sizes.pop("vocabulary"), **sizes)
        found = big.load_state_dict(published.weights, strict=False)
        print("weights that GPT-2 does not have:", found.missing_keys)
    except FetchError as error:
        print(f"GPT-2 cannot be fetched now, so this cell rests: {error}")
if big is None:
    print("GPT-2 is not loaded. The rest of the chapter does not need it.")
else:
    print(
        f"{sum(w.numel() for w in big.parameters()):,} weights are in your class now."
    )


# %%
# NBVAL_IGNORE_OUTPUT
# (one last digit rounded otherwise changes a token, and all that follow)
if big is not None:
    big.to(device)
    begun = encode("The secret of a good soup is", published.merges)
    # The last token stands for the end of a text, and there is nothing to write behind it.
    pick = drawn(lambda scores: next_distribution(scores[:, :50256], 0.8, 0.9), 1)
    told = go_on(big, begun, 40, pick, 1_024)
    print(decode(told, published.merges))

# %% [markdown]
# GPT-2 has the same parts as your model. (Its GELU is an approximation with tanh, which differs from yours by less than a thousandth.) What differs is above all
# the size and the training: 124 million weights in place of about a million, and 40 gigabytes of text in place of a megabyte. Making both larger is called
# **scaling**, and chapter 10 asks whether one can forecast what it brings.

# %% [markdown]
# ### What newer models do differently
#
# GPT-2 is from 2019, and the plan of its blocks is still in use. Many of today's models normalise with the root mean square alone (**RMSNorm**), use another
# activation in the feed-forward layer, and leave out the biases.
#
# Nor do they learn a vector for each position. They rotate the queries and keys instead, by angles that are proportional to the position. Think of two
# numbers of a query as an arrow in a plane, and of two numbers of a key as another one. Let each place turn its arrows by one degree more than the place before
# it. Then at place 7 the query is turned by 7 degrees, and at place 4 the key by 4, so the angle between them changes by 3 degrees. At places 107 and 104 it
# changes by 3 degrees, too. The product of two arrows depends only on their lengths and on this angle. So a score depends on positions only through the distance
# of the two tokens. These are **rotary positions** (J. Su and others, 2021).
#
# Another change is a matter of speed. When your model writes, it reads the whole text again for every new token. Is that necessary? A place never looks at
# later ones. So as long as the text fits into the model, the keys and values of a place stay what they are when a new token is added. One can keep them in a
# **cache**.
#
# The picture shows three rounds of writing after a prompt of three tokens. How many tokens are read in all, without a cache and with one?

# %% folded="draws the cache" alt="Three rounds of writing. Without a cache all tokens are computed in each round, 12 in all; with it only the new one after the prompt, 5 in all."
drawings.kv_cache(prompt=3)

# %% [markdown]
# Without a cache the model reads 3 + 4 + 5 = 12 tokens. With it, each round after the first reads only the newest token, which makes 3 + 1 + 1 = 5. So the longer
# the text, the more work the cache saves. It costs memory: for a text of 1,024 tokens GPT-2 would keep $1024 \cdot 12$ keys and as many values, of 768 numbers
# each. With two bytes for a number that makes 38 megabytes.
