# %% [markdown]
# ## 8. Bigger
#
# A million weights and five minutes are one end of a long scale. At the other end is *the same program*. In this section other people's weights move into the class that you wrote.

# %% [markdown]
# ### Trained by somebody else
#
# `lmkit` has a trainer with the refinements that one wants for long runs: checkpoints on disk, several GPUs, a better optimiser. Its Transformer, with the right switches, has exactly your modules under your
# names. So what it has trained fits into your class. Here is such a run, recorded. It read the kitchen text word by word, on one core, with an optimiser called Muon. The next cell loads its weights into a model
# of yours and compares the scores of both for the same words. It also prints how much the model has read.

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
# The scores are the same: what you have built *is* that model. And this is how it writes, in your loop, with your `next_distribution` choosing the words:

# %%
# NBVAL_IGNORE_OUTPUT
# (one last digit rounded otherwise changes a token, and all that follow)
for seed in (1, 2):
    pick = drawn(lambda scores: next_distribution(scores, 0.8, 0.95), seed)
    told = go_on(yours, tokens_of_story, 50, pick, form["block"])
    print(" ".join(symbols[token] for token in told[1:]).replace(" </s>", "\n  "), "\n")

# %% [markdown]
# You can do the same with your own text. Type this into a terminal before you go to bed; the run can be interrupted, and with `--resume` it goes on:
#
# ```bash
# python -m lmkit.pretrain --text work/texts/my.txt --level bpe --out runs/mine \
#     --set positions=learned --set norm=layer --set activation=gelu --set bias=true \
#     --set layers=4 --set heads=4 --set width=128 \
#     --set vocabulary=1000 --set block=128 --set steps=5000
# ```
#
# In the morning `runs.load("runs/mine")` gives you the model, and its weights fit into `gpt(1000, block=128, layers=4, heads=4, width=128)`. Look at its history, too. If the validation loss has risen again,
# the model has learned your text by heart, as in section 6, and fewer steps are better.

# %% [markdown]
# ### GPT-2
#
# In February 2019 OpenAI announced GPT-2, and held its largest version back for months, because it was said to write too well. The smallest version has 12 layers of 12 heads, a width of 768 and a vocabulary
# of 50,257 tokens. Its architecture is the one that you have just written: learned positions, pre-norm blocks with GELU, one matrix at both ends. (Its GELU is computed by an approximation, which changes a value
# by less than a thousandth.) The weights are public. So they should fit into *your* class.
#
# With an internet connection the next cell can fetch them, once, about 550 megabytes. With them come GPT-2's 50,000 merges. These are a list of pairs, just like yours, so your own `encode` and `decode` read and
# write GPT-2's tokens. (GPT-2 numbers the 256 bytes in an order of its own, and `gpt2.load` sorts the rows of its embedding into ours.)
#
# Set `fetch_gpt2 = True` if you want to try it. Then the first cell says that 124 million weights are in your class, and the second one lets GPT-2 finish the sentence *The secret of a good soup is*, with 40
# tokens that come out of your `go_on` and your `next_distribution`. Offline both cells rest, and you miss nothing that a later section needs. (The course's own copy of this notebook was made without internet, so
# we cannot show you the sentence here.)

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
    tokens = encode("The secret of a good soup is", published.merges)
    # The last token stands for the end of a text, and there is nothing to write behind it.
    pick = drawn(lambda scores: next_distribution(scores[:, :50256], 0.8, 0.9), 1)
    told = go_on(big, tokens, 40, pick, 1_024)
    print(decode(told, published.merges))

# %% [markdown]
# GPT-2 and the model that wrote the noise *after 0 steps* in section 6 have the same parts. (If you have fetched GPT-2, you have seen its weights fit into your class.) What differs is above all their number, 124 million in place of about a million, and 40 gigabytes of text in place of a megabyte. Making both larger is called **scaling**, and chapter 10 asks whether one can forecast what it brings.

# %% [markdown]
# ### What newer models do differently
#
# GPT-2 is from 2019. Surprisingly little has changed since. Today's models normalise with the root mean square alone (**RMSNorm**), use other activations in the feed-forward layer, leave out the biases, and have
# replaced the table of positions by **rotary positions** (J. Su and others, 2021).
#
# Rotary positions work like the hands of clocks. Take the numbers of a query in pairs. Each pair is the end of one hand, and each hand has a speed $\alpha$ of its own. It is turned by an angle that is proportional to the place, and the same is done with the keys. A query at
# place 7 is turned by $7\alpha$, and a key at place 5 by $5\alpha$. So the angle between them has changed by $2\alpha$. At the places 107 and 105 it would have changed by $2\alpha$, too. So the score knows how far apart
# two words are, and not where they stand.

# %% [markdown]
# ### A cache
#
# The other important change is a matter of speed. When you let your model write, it reads the whole text again for every new token. Is that necessary? A place never looks at later ones. So as long as the text
# fits into the model, its keys and values stay what they were when a new token is added. One can keep them in a **cache**.
#
# The picture shows three rounds of writing after a prompt of three tokens. How many places does the model compute without a cache, and how many with it?

# %% folded="draws the cache" alt="Three rounds of writing. Without a cache all tokens are computed in each round, 12 in all; with it only the new one after the prompt, 5 in all."
drawings.kv_cache(prompt=3)

# %% [markdown]
# Without a cache the model computes 3 + 4 + 5 = 12 places. With it, every token after the prompt costs one place, which makes 3 + 1 + 1 = 5.
#
# Does this save time? Your class has no cache, but the Transformer of `lmkit` has one. So we let the model that you loaded at the beginning of this section write the same story twice, always with the
# likeliest word: first in your class, and then in `lmkit`'s. The weights are the same, so the words should be the same, too.


# %%
# NBVAL_IGNORE_OUTPUT
# (times differ from run to run)
cached = run.network.to(device)
begun = torch.tensor([tokens_of_story], device=device)
for n in (50, 240):
    begin = time.perf_counter()
    slow_story = go_on(yours, tokens_of_story, n, likeliest, form["block"])
    slow, begin = time.perf_counter() - begin, time.perf_counter()
    fast_story = cached.generate(begun, n, temperature=0.0)[0].tolist()
    fast = time.perf_counter() - begin
    print(f"{n:3} words: {slow:.2f} s without a cache, {fast:.2f} s with it", end="; ")
    print("the same words:", slow_story == fast_story)

# %% [markdown]
# The longer the text, the more the cache saves. Its price is memory: two numbers for each layer, place and unit of width. For GPT-2 with its 1,024 places these are $2 \cdot 12 \cdot 1024 \cdot 768$ numbers, or 38
# megabytes at two bytes each, for every single text that is being written. A service with a thousand readers needs 38 gigabytes for caches, while the model itself takes only a quarter of a gigabyte.
