# %% [markdown]
# ## 12. Another text
#
# Your layer has a second argument, $y$, that we have not used yet. With it, the words of one text look at the words of another one. Think of a translator who writes
# English and looks at a German text in front of her. The words of the *English* text ask, with their queries. The words of the *German* text answer, with their keys
# and values.

# %% folded="draws attention across texts" alt="The words the house ask with queries; das Haus brennt gives keys and values; the softmax of their products weighs the values, a row for each asking word."
drawings.cross_attention()

# %% [markdown]
# Does your layer look across? Here is the smallest test that there is: **write a word of ten letters backwards**. The text $y$ is the word, which we call the
# source. The text $x$ is what is to be written: ten places, and each has only a vector that says which place it is. The network has to learn which letter of the
# source belongs at each of them. We train it twice. Once it may look at the source, and once only at itself.


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
class Backwards(nn.Module):
    """Scores [B, 10, 26] for the letters of a word [B, 10], written from its end."""

    def __init__(self, may_look, C=32):
        super().__init__()
        self.letters, self.may_look = nn.Embedding(26, C), may_look
        self.places, self.to_fill = nn.Embedding(10, C), nn.Embedding(10, C)
        self.attention, self.to_letters = MultiHead(C, 1), nn.Linear(C, 26)

    def forward(self, words):
        source = self.letters(words) + self.places.weight
        x = self.to_fill.weight.expand(len(words), -1, -1)
        return self.to_letters(x + self.attention(x, source if self.may_look else None))


def backwards_loss(model, words):
    wanted = words.flip(1)
    return F.cross_entropy(model(words).flatten(0, 1), wanted.flatten()), words.numel()


def some_words(step):
    return torch.from_numpy(np.random.default_rng(step).integers(0, 26, (64, 10)))


writers = {}
for name, may_look in {"sees only itself": False, "sees the source": True}.items():
    set_seed(1)
    writers[name] = Backwards(may_look).to(device)
    history = train(writers[name], some_words, backwards_loss, steps=200, rate=0.01)
    print(f"{name:16} loss {history['train loss'].iloc[-1]:.3f}")
print(f"knows nothing    loss {math.log(26):.3f}")

# %% scratch=true
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
word = "strawberry"  # any ten letters from a to z
numbers = torch.tensor([[ord(letter) - ord("a") for letter in word]], device=device)
for name, writer in writers.items():
    written = writer(numbers)[0].argmax(-1).tolist()
    print(f"{name:16} {word} -> {''.join(chr(ord('a') + i) for i in written)}")

# %% [markdown]
# The writer that sees only itself is left at a loss of about $\ln 26 = 3.26$: it can do no better than to guess one of 26 letters. The other one has a loss of about
# 0. Where does it look? To find out, we use the trick of section 4. If the values are the rows of the unit matrix, the lookup returns its weights. The next cell
# draws them, with a row for each place that is to be written and a column for each letter of the source:

# %% alt="A square of weights: rows are the places that are written, columns the letters of the word dictionary. Dark cells lie on the diagonal from the top right to the bottom left."
with torch.no_grad():
    writer, word = writers["sees the source"], "dictionary"
    numbers = torch.tensor([ord(letter) - ord("a") for letter in word], device=device)
    source = writer.letters(numbers) + writer.places.weight
    P = masked_attention(
        writer.attention.q(writer.to_fill.weight),
        writer.attention.k(source),
        torch.eye(10, device=device),
        torch.ones(10, 10, device=device).bool(),
    ).cpu()
_, axes = plt.subplots(figsize=(5.2, 4.4))
plt.colorbar(axes.imshow(P, cmap="Blues", vmin=0, vmax=1), label="weight", shrink=0.8)
axes.set_xticks(range(10), word)
axes.set_yticks(range(10), word[::-1])
axes.set(
    xlabel="the source",
    ylabel="what is to be written",
    title="Place 0 looks at letter 9, place 1 at letter 8, …",
)
axes.grid(visible=False)
plt.show()

# %% [markdown]
# In the upper row, the first place to be written looks at the last letter of *dictionary*, the *y*. The next row looks at the letter before it, and so on. Every
# weight on the line is close to 1. Nothing is read in any order here: all ten letters are written at once, because each place has learned where its letter stands.
# In chapter 09 you will see such squares for a translator.
