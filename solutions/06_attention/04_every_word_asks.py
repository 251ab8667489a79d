# %% [markdown]
# ## 4. Every word asks
#
# So far somebody from outside asked one question. In a text, *each* word has something to ask: a verb looks for its subject, *she* for a name, the last word of
# our story for a town. So let every word ask, and let the same words answer.
#
# Let $x$ $[T, C]$ be a text of $T$ words: each row is the vector of one word, with $C$ numbers. The vector says what the word *is*. A lookup needs three other
# things of each word:
#
# - its query: what does it look for? A verb looks for nouns.
# - its key: by what is it found? "I am a noun."
# - its value: what does it tell a word that has found it? "I am the cook."
#
# All three can be computed from the vector. So we let the network learn three matrices, which make a query, a key and a value of each word:
#
# $$Q = x W_q \qquad K = x W_k \qquad V = x W_v$$
#
# With them, your function does the rest: `scaled_attention(Q, K, V)`. This is **self-attention**: queries, keys and values come from the same words. Row $i$ of
# the scores $QK^T$ says how well each word answers word $i$, and row $i$ of the result is what word $i$ has found.
#
# Here is all of it on three words, with numbers that you can follow in your head. The vector of a word has three numbers: is it a noun, is it a verb, and, for a
# person, how old?
#
# - The query is the second number. So the verb *thanks* asks, with the query 1, and the nouns do not.
# - The key is the first number. So nouns are found, with the key 1.
# - The value is the third number, the age.
#
# So each of the three matrices picks one of the three numbers, and $d_k = d_v = 1$. As in section 1, take powers of 3 for the moment:
#
# | | vector | query | key | value | scores against *cook, thanks, guest* | weights (powers of 3) | finds |
# |---|---|---|---|---|---|---|---|
# | cook | 1 0 50 | 0 | 1 | 50 | 0 0 0 | 1/3, 1/3, 1/3 | 30 |
# | thanks | 0 1 0 | 1 | 0 | 0 | 1 0 1 | 3/7, 1/7, 3/7 | 38.6 |
# | guest | 1 0 40 | 0 | 1 | 40 | 0 0 0 | 1/3, 1/3, 1/3 | 30 |
#
# Read the row of *thanks*. Its query, 1, meets the keys 1, 0 and 1, which gives the scores 1, 0 and 1. Three to the power of these is 3, 1 and 3, with the sum 7.
# So the weights are 3/7, 1/7 and 3/7, and the verb finds $\frac37 \cdot 50 + \frac17 \cdot 0 + \frac37 \cdot 40 = 38.6$. It asked for the nouns, whose mean age
# is 45. The plain mean of the three values is 30, and the verb has moved more than half way from 30 to 45.
#
# The rows of *cook* and *guest* are simpler. Their query is 0, so they ask for nothing and get the plain mean, 30. Now the same with your function, which uses
# powers of $e$:

# %%
x = torch.tensor([[1.0, 0, 50], [0, 1, 0], [1, 0, 40]])  # cook, thanks, guest
W_k, W_q, W_v = torch.eye(3).split(1, dim=1)  # [3, 1] each
print("scores: ", (x @ W_q @ (x @ W_k).T).tolist())
print("weights:", scaled_attention(x @ W_q, x @ W_k, torch.eye(3)).numpy().round(2))
print(
    "found:  ", scaled_attention(x @ W_q, x @ W_k, x @ W_v).flatten().numpy().round(1)
)

# %% [markdown]
# The verb finds 38.0 instead of 38.6, because $e$ is a little smaller than 3.
#
# To print the weights we have used a trick that will come back in section 5. As values we gave the function the rows of the unit matrix, `torch.eye(3)`. The
# weighted mean of these rows is the list of the weights themselves.
#
# Next, two whole sentences. Each different word gets a random vector, and the three matrices are random as well. We print the eight numbers that *cook* has
# found, once as the one who thanks, and once as the one who is thanked:

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
# The same eight numbers, twice. In one sentence the cook thanks, in the other one he is thanked, and self-attention does not notice. The two sentences have the
# same five words, so the query of *cook* meets the same five keys. *Where* a key stands does not occur in the formula.
#
# There is a simple way out. **Add a vector for the place** to the vector of each word. There is one such vector for place 0, another one for place 1, and so
# on. They may be random or learned. Then *cook* at place 1 is no longer the same vector as *cook* at place 4:

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
# Now the two lines differ. The attention networks that you train in this chapter get such vectors, until section 11 takes them away.
#
# ### Your first network
#
# You have all the parts of a network that looks things up. What it needs is a text in which looking back is worth something. The next cell makes the simplest
# ones that there are: each text is a list of random words, said again and again.

# %%
sixty_four = (
    "moss kite drum fig lamp rope salt crow bell fern mint harp silk pond oak plum "
    "wolf tent coin leaf star boat cork dune echo frog gate hill iron jade king lark "
    "mask nest opal pine quill reed sand tide urn vine wax yarn zinc ash bay clay "
    "dawn elm fog gull hay ink jar knot loom mud nut owl pear rain sage toad"
)
WORDS = sixty_four.split()


def lists(step, lengths, B=32, T=39, seed=0, before=(0,)):
    """B texts of T words: each says one random list again and again; its length is drawn from `lengths`.

    As many other words as drawn from `before` stand before the list (by default none).
    Returns the words [B, T] and, for each of the first T - 1 places, whether the word after it can be known.
    """
    draw = np.random.default_rng([seed, step])
    chosen, others = draw.choice(lengths, size=B), draw.choice(before, size=B)
    rows = []
    for n, k in zip(chosen, others, strict=True):
        words = draw.permutation(len(WORDS))
        rows.append(np.append(words[:k], np.resize(words[k : k + n], T - k)))
    # The word that begins round two is not counted: that the list ends there, one can know only after 20 words.
    repeats = np.arange(1, T) > (chosen + others)[:, None]
    return torch.from_numpy(np.array(rows)), torch.from_numpy(repeats)


def said(numbers):
    return " ".join(WORDS[i] for i in numbers)


print(len(WORDS), "words; two texts:\n")
for row in lists(0, [8, 13], B=2, seed=3)[0]:
    print(said(row), "\n")

# %% [markdown]
# Each text has 39 words, and its list has between 8 and 20. We call each time that the list is said a **round**. What can a reader know of such a text?
#
# - The words of round one cannot be guessed, because they are random.
# - The first word of round two cannot be guessed either, because nothing tells the reader for certain that the list is over. (It becomes more probable with each
#   word, and certain after twenty.) So we do not count it.
# - From then on a perfect reader makes no mistakes.
#
# How would *you* do it? Suppose that you are in round two and have come to the word *kite*. You find the place where *kite* was said before, you look at the
# word after it, and you say that. You could also count how long the list is, and then always look back as far. But the length differs from text to text.
#
# Now the network. We call it `OneLook`, because it has a single lookup, which is your function. It works in four steps:
#
# 1. Each word gets a vector of 64 numbers, and a vector for its place is added.
# 2. Three matrices make a query, a key and a value of each of these vectors.
# 3. Your `scaled_attention` looks up, and what a word has found is added to its vector.
# 4. Another matrix makes 64 scores of the sum, one for each of the 64 words that may come next. (`OneLook??` in a cell of your own shows its code, about a
#    dozen lines.)
#
# At each place it should guess the next word. The loss is the cross-entropy that you know, in nats. It counts only the places where the next word can be known.

# %% [markdown]
# ### What would be a good loss?
#
# We need something to compare with. Here are three readers that need no training, since we can compute what they say:
#
# - One *knows nothing*. It gives each of the 64 words the same probability, so its loss is $\ln 64 = 4.16$.
# - One *knows which words were said*, but not in which order. From round two on it has seen all $n$ words of the list, and it gives each of them the probability
#   $1/n$. So its loss is $\ln n$. For a list of 8 words this is 2.08.
# - One also *strikes out the last seven*. Every list has at least eight words, so none of the seven words that were said last can come next. It gives $1/(n - 7)$
#   to each of the others. For a list of 8 words only one word is left, and this reader is always right. For longer lists it is not.
#
# We also ask a simpler question. We take 200 new texts, stop each of them after 25 words, and ask only for word 26. In how many of the 200 is the guess right?
#
# The next cell defines all this, and the cell after it trains your network.


# %%
def repeat_loss(model, batch):
    """Mean loss (nats) of the words that are repeats, and how many they are."""
    words, repeats = batch
    scores = model(words[:, :-1])
    losses = F.cross_entropy(
        scores.flatten(0, 1), words[:, 1:].flatten(), reduction="none"
    )
    known = repeats.flatten().to(losses.dtype)
    return (losses * known).sum() / known.sum(), int(known.sum())


def practise(model, lengths, steps=500, watch=None, before=(0,), rate=0.01):
    return train(
        model,
        batches=lambda step: lists(step, lengths, before=before),
        loss=repeat_loss,
        steps=steps,
        rate=rate,
        schedule=warmup_cosine(10, 0.1),
        every=20,
        watch=watch,
    )


def held_out_loss(model, lengths=range(8, 21)):
    """Loss on the repeats of 64 texts that the model has never seen."""
    batch = [part.to(device) for part in lists(0, lengths, B=64, seed=99)]
    with torch.no_grad():
        return repeat_loss(model, batch)[0].item()


def bag_loss(struck=0):
    """The loss there of a reader that knows which words were said, and strikes out the last `struck` of them."""
    words, repeats = lists(0, range(8, 21), B=64, seed=99)
    different = [
        [len({*row[: i + 1]}) for i in range(len(row))]
        for row in words[:, :-1].tolist()
    ]
    return (torch.tensor(different)[repeats] - struck).log().mean().item()


def cut_after(words, n=25):
    """Texts that end after n words, and the word that comes next in each."""
    return words[:, :n], words[:, n]


def guessed(model):
    """How many of 200 new texts, cut after 25 words, are continued with the right word."""
    texts, following = cut_after(lists(0, range(8, 21), B=200, seed=97)[0].to(device))
    with torch.no_grad():
        return int((model(texts)[:, -1].argmax(-1) == following).sum())


def bag_guessed(struck=0):
    """How many of them such a reader continues rightly, on average."""
    texts, _ = cut_after(lists(0, range(8, 21), B=200, seed=97)[0])
    return sum(1 / (len({*row}) - struck) for row in texts.tolist())


def tell(name, loss, right):
    print(f"{name:32} loss {loss:.2f},  next word right in {right:3.0f} of 200 texts")


def tell_readers():
    tell("knows nothing", math.log(64), 200 / 64)
    tell("knows which words were said", bag_loss(), bag_guessed())
    tell("and strikes out the last seven", bag_loss(7), bag_guessed(7))


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
set_seed(1)
lookers = {"your first network": OneLook(scaled_attention).to(device)}
practise(lookers["your first network"], range(8, 21), steps=300)
for name, model in lookers.items():
    tell(name, held_out_loss(model), guessed(model))
tell_readers()

# %% [markdown]
# Look at the losses first. By its loss, 0.13, your network is a genius: the best of the three readers, in the last line, has 1.72.
#
# Then look at the last column, where each text has been stopped and the next word is not there yet. Your network is right in about 10 of 200 texts. Even the
# reader that picks any word of the list is right in 15.
#
# How can both be true? Make a guess before you read on.
