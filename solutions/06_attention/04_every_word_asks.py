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
# Here is all of it on three words, with numbers that you can follow in your head. The vector of a word says: is it a noun, is it a verb, and, for a person, how old? The verb *thanks* asks for nouns, with the query 1. Nouns are found, with the key 1. And each word tells its age, which is its value. So $W_q$ picks the second number, $W_k$ the first and $W_v$ the third, and $d_k = d_v = 1$. As in section 1, take powers of 3 for the moment:
#
# | | vector | query | key | value | scores against *cook, thanks, guest* | weights (powers of 3) | finds |
# |---|---|---|---|---|---|---|---|
# | cook | 1 0 40 | 0 | 1 | 40 | 0 0 0 | 1/3, 1/3, 1/3 | 20 |
# | thanks | 0 1 0 | 1 | 0 | 0 | 1 0 1 | 3/7, 1/7, 3/7 | 25.7 |
# | guest | 1 0 20 | 0 | 1 | 20 | 0 0 0 | 1/3, 1/3, 1/3 | 20 |
#
# The verb has found something near the mean age of the two nouns, which is 30. The nouns ask for nothing, and get the plain mean of all three values. Now the same with your function, which uses powers of $e$:

# %%
x = torch.tensor([[1.0, 0, 40], [0, 1, 0], [1, 0, 20]])  # cook, thanks, guest
W_k, W_q, W_v = torch.eye(3).split(1, dim=1)  # [3, 1] each
print("scores: ", (x @ W_q @ (x @ W_k).T).tolist())
print("weights:", scaled_attention(x @ W_q, x @ W_k, torch.eye(3)).numpy().round(2))
print(
    "found:  ", scaled_attention(x @ W_q, x @ W_k, x @ W_v).flatten().numpy().round(1)
)

# %% [markdown]
# In the second line there is a trick that we shall use again: if the values are the rows of the unit matrix, the weighted mean of the values *is* the list of weights.
#
# Next, two whole sentences. Each different word gets a random vector, the matrices are random as well, and we print what *cook* has found in each of them:

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
# Now the two differ. All networks of this chapter get such vectors. Is it always so, and is there another way to notice the order? We come back to that in section 11.
