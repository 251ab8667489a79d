# %% [markdown]
# ## 4. Every word asks
#
# So far somebody from outside asked one question. In a text, *each* word has something to ask: a verb looks for its subject, *she* for a name, the last word of our story for a town. So let every word ask, and let the same words answer.
#
# Let $x$ $[T, C]$ be a text of $T$ words, a vector of $C$ numbers in each row. The vector says what the word *is*. But what a word looks for is something else than what it is: a verb looks for nouns. And a word is found by one thing ("I am a noun": its key) and then tells another ("I am the cook": its value). Therefore we let the network learn three matrices, which make three things of each word:
#
# $$Q = x W_q \qquad K = x W_k \qquad V = x W_v$$
#
# With them, your function does the rest: `scaled_attention(Q, K, V)`. This is **self-attention**: queries, keys and values come from the same words. Row $i$ of the scores $QK^T$ says how well each word answers word $i$, and row $i$ of the result is what word $i$ has found.
#
# Let us try it on two sentences. Each different word gets a random vector, the matrices are random as well, and we print what *cook* has found in each of them:

# %%
set_seed(1)
C = 8
W_q, W_k, W_v = torch.randn(3, C, C) / math.sqrt(C)
vector = {word: torch.randn(C) for word in ("the", "cook", "thanks", "guest")}


def found(sentence):
    """What each word of a sentence finds by self-attention, [T, C]."""
    x = torch.stack([vector[word] for word in sentence.split()])
    return scaled_attention(x @ W_q, x @ W_k, x @ W_v)


thanks, thanked = found("the cook thanks the guest"), found("the guest thanks the cook")
print("the COOK thanks the guest:", np.round(thanks[1].tolist(), 2))
print("the guest thanks the COOK:", np.round(thanked[4].tolist(), 2))

# %% [markdown]
# The same eight numbers. In one sentence the cook thanks, in the other he is thanked, and self-attention does not notice. It never asks *where* a word stands, because nothing in the formula depends on it: the keys of five words are a bag of keys.
#
# The usual way out is simple. **Add a vector for the place** to the vector of each word: a random one, or a learned one, for place 0, for place 1, and so on. Then *cook* at place 1 is no longer the same vector as *cook* at place 4:

# %%
places = torch.randn(6, C)


def found_with_places(sentence):
    """The same after the vector of its place has been added to each word."""
    x = torch.stack([vector[word] for word in sentence.split()]) + places[:5]
    return scaled_attention(x @ W_q, x @ W_k, x @ W_v)


with_thanks = found_with_places("the cook thanks the guest")
with_thanked = found_with_places("the guest thanks the cook")
print("the COOK thanks the guest:", np.round(with_thanks[1].tolist(), 2))
print("the guest thanks the COOK:", np.round(with_thanked[4].tolist(), 2))

# %% [markdown]
# Now the two differ. All networks of this chapter get such vectors. Which ones are good, and whether a network could do without them, is a question for section 9, where we have a network to try it on.
