# %% [markdown]
# With six layers, three masks and two sequences of different lengths, the numbers are torch's.

# %% [markdown] statement="EncoderDecoder"
# The class below has the parts and names of *The Annotated Transformer* (Rush, 2018), a well-known page that explains this model line by line; Silvestri's
# lecture prints it, too. It has five parts: two stacks of layers, two embeddings (a class for them, `Embed`, is given after this task), and the *generator*,
# a linear layer that turns vectors into scores. In that code the training loop calls the generator; here `decode` does.
#
# - `EncoderDecoder(encoder, decoder, src_embed, tgt_embed, generator)` keeps the five parts under these names.
# - `encode(source, inside_source)`: the encoder is called with the embedded source and its mask.
# - `decode(memory, across, target, inside_target)`: scores $[B, n, V]$, what the generator makes of `decoder(embedded target, memory, inside_target,
#   across)`. Beware: `decode` itself gets these things in another order.
# - `forward(source, target, masks)`: both, with the three masks in the order of `three_masks`.

# %% [markdown]
# **Encode once, decode many**: every round of writing needs the memory, but it never changes.
#
# - `write(encode, decode, source, n, masks)`: `encode` and `decode` are called as the two methods above, and `masks(source, target)` gives the three masks,
#   as `three_masks` does. Each round appends the best next word, for all texts at once. A text is over when it has written `EOS`, and only then: a `PAD` that
#   the model chooses does not end it. Stop when all texts are over. The result $[B, t]$, $t \le n$, leaves out `BOS`, keeps the `EOS` of each text, and has
#   `PAD` behind it.

# %% [markdown] hints="EncoderDecoder"
# 1. Which of the calls does *not* depend on the words that have been written? It belongs before the loop.
# 2. The target begins as a column of `BOS`; each round decodes all of it, and only the scores of the last place count.
# 3. `masked_fill` overrules the choice for texts that are over. Which mask does `encode` need, and does it change while you write? You may ask `masks` with the first column.


# %% task="EncoderDecoder" points=3 level=2 minutes=20
class EncoderDecoder(nn.Module):
    """As in The Annotated Transformer, but decode calls the generator."""

    def __init__(self, encoder, decoder, src_embed, tgt_embed, generator):
        super().__init__()
        ### BEGIN SOLUTION
        self.encoder, self.decoder, self.generator = encoder, decoder, generator
        self.src_embed, self.tgt_embed = src_embed, tgt_embed
        ### END SOLUTION

    def encode(self, source, inside_source):
        """The memory of a source [B, m]."""
        ### BEGIN SOLUTION
        return self.encoder(self.src_embed(source), inside_source)
        ### END SOLUTION

    def decode(self, memory, across, target, inside_target):
        """Scores [B, n, V] for the word after each of the target [B, n]."""
        ### BEGIN SOLUTION
        x = self.decoder(self.tgt_embed(target), memory, inside_target, across)
        return self.generator(x)
        ### END SOLUTION

    def forward(self, source, target, masks):
        """Scores [B, n, V]; masks: inside the source, inside the target, across."""
        ### BEGIN SOLUTION
        inside_source, inside_target, across = masks
        memory = self.encode(source, inside_source)
        return self.decode(memory, across, target, inside_target)
        ### END SOLUTION


def write(encode, decode, source, n, masks):
    """At most n words for each source [B, m], greedily: [B, t] without BOS."""
    ### BEGIN SOLUTION
    target = torch.full((len(source), 1), BOS, device=source.device)
    over = torch.zeros(len(source), dtype=torch.bool, device=source.device)
    memory = encode(source, masks(source, target)[0])
    for _ in range(n):
        if over.all():
            break
        _, inside, across = masks(source, target)
        scores = decode(memory, across, target, inside)
        word = scores[:, -1].argmax(-1).masked_fill(over, PAD)
        over = over | (word == EOS)
        target = torch.cat([target, word[:, None]], dim=1)
    return target[:, 1:]
    ### END SOLUTION


# %%
class ByRule:
    """A model that computes its next word from all it was given, and notes what it is asked."""

    V = 13

    def __init__(self):
        self.encoded, self.decoded = [], []

    def encode(self, source, inside_source):
        self.encoded.append((source.tolist(), tuple(inside_source.shape)))
        return 2 * source + 1

    def decode(self, memory, across, target, inside_target):
        self.decoded.append(tuple(target.shape))
        heard = (memory * across[:, 0]).sum(1, keepdim=True)
        said = (inside_target * target[:, None]).sum(2)
        return F.one_hot(EOS + (heard + 3 * said) % (self.V - EOS), self.V).float()


def by_rule(row, n):
    """What `ByRule` writes for one source, by hand."""
    heard, target = sum(2 * word + 1 for word in row if word != PAD), [BOS]
    while len(target) <= n and target[-1] != EOS:
        target.append(EOS + (heard + 3 * sum(target)) % (ByRule.V - EOS))
    return target[1:]


def loop_masks(source, target):
    return tuple(map(torch.tensor, masks_by_loop(source, target)))


def written_by_rule(write, rows, n):
    """What a function writes with `ByRule`, what it asked the encoder, and the shapes that it asked the decoder."""
    model, shapes = ByRule(), []

    def decode(memory, across, target, inside):
        shapes.append([tuple(across.shape), tuple(target.shape), tuple(inside.shape)])
        return model.decode(memory, across, target, inside)

    return write(model.encode, decode, rows, n, loop_masks), model.encoded, shapes


# %% test="EncoderDecoder" aspect="five parts, wired" points=1
_parts = [torch_module("Linear", 2, 3) for _ in range(5)]
_names = ["encoder", "decoder", "src_embed", "tgt_embed", "generator"]
_state = dict(EncoderDecoder(*_parts).state_dict())
assert sorted({name.split(".")[0] for name in _state}) == sorted(_names), (
    f"Five modules wanted, {_names}; torch finds the weights {sorted(_state)}."
)


### BEGIN HIDDEN TESTS
def _five():  # each takes as many inputs as it is given, in an order that shows
    yield nn.Bilinear(4, 4, 4)
    yield nn.TransformerDecoderLayer(4, 1, 8, 0.0, batch_first=True)
    yield from (nn.Embedding(9, 4), nn.Embedding(9, 4), nn.Linear(4, 7))


_like = set_at_random(nn.ModuleDict(zip(_names, _five(), strict=True)))


@beside_the_answer
def _wired(Model, weights, mode, source, target, *masks):
    model = Model(*_five())
    model.load_state_dict(weights)
    getattr(model, mode)()
    if mode == "train":  # whose numbers are those of "eval": nothing is dropped here
        return parameter_gradients(model, source, target, masks)
    memory = model.encode(source, masks[0])
    return {
        "encode": memory,
        "decode": model.decode(memory, masks[2], target, masks[1]),
        "forward": model(source, target, tuple(2 * mask for mask in masks)),
    }


B, m, n = (size(name, large=None) for name in ("B", "m", "n"))
agrees(
    EncoderDecoder,
    ours.EncoderDecoder,
    dict(_like.state_dict()),
    choice("train", "eval"),
    *(made(padded_rows, B, length) for length in (m, n)),
    *(tensor(B, *axes) for axes in ((m, 4), (n, n), (n, m))),
    by=_wired,
    rtol=1e-3,
    atol=1e-3,
)
### END HIDDEN TESTS

# %% test="EncoderDecoder" aspect="encode once, decode many" points=1
_rows, _n = [[4, 5, 2], [7, 2, 0]], 3
_model, _source = ByRule(), torch.tensor(_rows)
_got = write(_model.encode, _model.decode, _source.clone(), _n, loop_masks)
_wanted = [by_rule(_row, _n) for _row in _rows]
_longest = max(map(len, _wanted))
_wanted = [_row + [PAD] * (_longest - len(_row)) for _row in _wanted]
assert close(_got, _wanted), (
    f"Sources {_rows}, n = {_n}, a model that adds up what it is given: {_wanted} wanted; yours: {_got}."
)
assert _model.encoded == [(_rows, (len(_rows), len(_rows[0]), len(_rows[0])))], (
    f"The encoder should be asked once, with the whole source and its mask; yours asks {len(_model.encoded)} times."
)
assert _model.decoded == [(len(_rows), _t + 1) for _t in range(_longest)], (
    f"Each round decodes BOS and the words so far; yours decodes the shapes {_model.decoded}."
)
### BEGIN HIDDEN TESTS
B, m = size("B", large=None), size("m", large=None)
rows = made(padded_rows, B, m, 40)
agrees(write, ours.write, rows, whole(1, 8), by=written_by_rule)
_rows, _asked = torch.tensor([[4, 5, 2], [7, 2, 0]]), []
write(
    lambda source, mask: (_asked.append(mask), source)[1],
    lambda memory, across, target, inside: F.one_hot(
        torch.full(target.shape, EOS), 9
    ).float(),
    _rows.clone(),
    1,
    loop_masks,
)
_wanted = loop_masks(_rows, torch.full((2, 1), BOS))[0]
assert close(_asked[0], _wanted), (
    f"Sources {_rows.tolist()}: the encoder is to get the mask {_wanted.int().tolist()}; it got {_asked[0]}."
)
### END HIDDEN TESTS


# %% test="EncoderDecoder" aspect="each text ends by itself" points=1
_cases = [([[5, 2], [9, 2]], 4)]
for _rows, _n in _cases:
    _wanted = [by_rule(_row, _n) for _row in _rows]
    _longest = max(map(len, _wanted))
    _wanted = [_row + [PAD] * (_longest - len(_row)) for _row in _wanted]
    _model = ByRule()
    _got = write(_model.encode, _model.decode, torch.tensor(_rows), _n, loop_masks)
    assert np.shape(_got) == (len(_rows), _longest), (
        f"Sources {_rows}, n = {_n}: {_longest} columns wanted, without BOS; yours has the shape {np.shape(_got)}."
    )
    assert close(_got, np.reshape(_wanted, (len(_rows), _longest))), (
        f"Sources {_rows}, n = {_n}: {_wanted} wanted; yours: {_got}."
    )
    assert len(_model.decoded) == _longest, (
        f"When all texts are over, nothing more should be decoded: {_longest} rounds wanted, yours: {len(_model.decoded)}."
    )
### BEGIN HIDDEN TESTS
B, m = size("B", large=None), size("m", large=None)
agrees(
    write,
    ours.write,
    made(padded_rows, B, m, 40),
    whole(0, 12, (25,)),
    by=lambda *inputs: written_by_rule(*inputs)[::2],
)
_says = F.one_hot(torch.tensor([[5, PAD, 6, EOS, 7], [EOS, 4, 4, 4, 4]]), 9).float()
_got = write(
    lambda source, mask: source,
    lambda memory, across, target, inside: _says[:, : target.shape[1]],
    torch.tensor([[5, 2], [9, 2]]),
    5,
    loop_masks,
)
assert close(_got, [[5, PAD, 6, EOS], [EOS, PAD, PAD, PAD]]), (
    f"A model that says PAD in the middle of a text: only EOS ends it; yours: {_got}."
)
parameter_gradients(torch_module("Linear", 2, 3), torch.ones(1, 2))  # still recorded
### END HIDDEN TESTS


# %% [markdown]
# ### Your Transformer learns
#
# Now the parts come together: your three masks, your layer that writes, your model, and your function that lets it write. (Attention, the feed-forward
# network and the layer that reads come from earlier chapters.) Only vectors are missing, for both stacks expect them and a text is made of numbers. `Embed`
# adds two learned vectors, one for the word and one for its place, since attention alone does not know what comes first (chapter 6). While it learns, it also
# sets each number to 0 with probability 0.1, drawn by lot (dropout). This is meant to keep the model from learning the 5,000 pairs by heart; whether it needs
# that here, we have not tested.


# %%
class Embed(nn.Module):
    """Word numbers [B, n] -> [B, n, d]: a vector for the word, plus one for its place."""

    def __init__(self, V, d, longest=40):
        super().__init__()
        self.words, self.places = nn.Embedding(V, d), nn.Embedding(longest, d)
        for table in (self.words, self.places):
            nn.init.normal_(table.weight, std=0.4)  # as large as each other
        self.dropout = nn.Dropout(0.1)

    def forward(self, numbers):
        places = self.places.weight[: numbers.shape[1]]
        return self.dropout(self.words(numbers) + places)


def new_transformer(d=64, h=4, N=2):
    """N layers that read and N that write, for English and Selvan."""
    return EncoderDecoder(
        Stack([EncoderLayer(d, h) for _ in range(N)], d),
        Stack([DecoderLayer(d, h) for _ in range(N)], d),
        Embed(len(english), d),
        Embed(len(selvan), d),
        nn.Linear(d, len(selvan)),
    )


# %%
def transformer_loss(model, batch):
    """The mean of -ln P over the target's words, and how many these are."""
    source, _, given, wanted = batch
    scores = model(source, given, three_masks(source, given))
    return translation_loss(scores, wanted), int((wanted != PAD).sum())


def translate_all(model, sources):
    """What a Transformer writes for these sources, all at once: lists of words."""
    numbers = english.encode(sources, end=False).to(device)
    with torch.no_grad():
        written = write(model.encode, model.decode, numbers, 20, three_masks)
    return selvan.decode(written)


# %% [markdown]
# While it learns, it stops a few times and translates 100 new sentences. Is what it writes a sentence of Selvan at all, whatever it means? To see that, you
# need one more judge. `phrase` walks through the words with the rules of the grammar, and says how far it gets.


# %%
@functools.cache
def phrase(symbol, words):
    """Where a Selvan phrase of that kind can end in the words: a set; how many of them can begin one."""
    found, furthest = set(), 0
    for rule in translation.grammar()[symbol]:
        for pattern in rule.targets:
            reached = {0}
            for part in pattern:
                after = set()
                for n in reached:
                    if isinstance(part, str):
                        fits = words[n : n + 1] == (part,)
                        more, far = ({1}, 1) if fits else (set(), 0)
                    else:
                        more, far = phrase(rule.children[part], words[n:])
                    after |= {n + m for m in more}
                    furthest = max(furthest, n + far)
                reached = after
            found |= reached
    return found, furthest


def four_shares(sources, written):
    """Four shares: longer words that belong, steps that fit, sentences of Selvan, right ones."""
    belong, fit, selvan_sentences = [], [], []
    for source, words in zip(sources, written, strict=True):
        valid = {*itertools.chain(*translation.references(source))}
        belong += [word in valid for word in words if len(word) >= 4]
        found, furthest = phrase("S", tuple(words))
        whole = len(words) in found
        selvan_sentences.append(whole)
        fit += [True] * (furthest + whole) + [False] * (not whole)
    right = map(translation.is_translation, sources, written)
    return [np.mean(x or [0]) for x in (belong, fit, selvan_sentences, [*right])]


# %% [markdown]
# Each line will show two losses and four shares:
#
# - *loss* is that on the held-out pairs; for *strange*, each sentence is given the source of another one. A network that does not care about the source has
#   the same loss in both.
# - *words*: of the words that it writes, the share that stand in some valid translation of the same source. (Only words of four letters or more.)
# - *fits*: the share of steps that the grammar allows. A step is a word or the end, and it fits if some sentence of Selvan begins like this. In each sentence
#   we count up to the first step that does not fit.
# - *Selvan*: the share of its sentences that fit from the first word to the end.
# - *right*: the share that are valid translations.
#
# At the end of each line stands what it makes of *the old cook tastes the soup*, which is in no training text. One right translation is *kubar vedo to supen
# ta ne gusta*. What do you expect: does it first learn to write Selvan, and then what the words mean? The training takes about half a minute.

# %%
# NBVAL_IGNORE_OUTPUT
# Another machine trains slightly other weights.
set_seed(1)
my_transformer = new_transformer().to(device).eval()
watched = ["the", "old", "cook", "tastes", "the", "soup"]
held_out = [part.to(device) for part in valid_pairs]
strange = [held_out[0].roll(1, 0), *held_out[1:]]  # each with another one's source
spoken = {}


def show_progress(step):
    if step not in (0, 100, 200, 400, 1_000):
        return
    with torch.no_grad():
        both = [
            float(transformer_loss(my_transformer, x)[0]) for x in (held_out, strange)
        ]
    first, *others = translate_all(my_transformer, [watched, *valid_sources[:100]])
    spoken[step] = first, others
    losses = "".join(f"{loss:9.2f}" for loss in both)
    percent = "".join(
        f"{share:8.0%}" for share in four_shares(valid_sources[:100], others)
    )
    print(f"{step:4}{losses}{percent}   {' '.join(first)[:45]}")


print(
    "step     loss  strange   words    fits  Selvan   right   the old cook tastes the soup"
)
show_progress(0)
pick = shuffled(len(sources), 32, seed=1)
history = train(
    my_transformer,
    batches=lambda step: batch(pick(step)),
    loss=transformer_loss,
    steps=1_000,
    rate=0.005,
    schedule=warmup_cosine(50),
    validation=[valid_pairs],
    every=100,
    watch=lambda rows: show_progress(rows["step"].iloc[-1]),
)

# %%
# NBVAL_IGNORE_OUTPUT
# Another machine trains slightly other weights.
print("one sentence for all sources             words    fits  Selvan   right")
for first, _ in spoken.values():
    found = four_shares(valid_sources[:100], [first] * 100)
    print(f"{' '.join(first)[:37]:38}" + "".join(f"{share:8.0%}" for share in found))
print("\nsmall words after 100 steps")
_, others = spoken.get(100, spoken[0])  # the first, if you have stopped before that
for small in ("ne", "ri", "ve", "mek", "ka"):
    asked = [small in T for T in valid_targets[:100]]
    said = [small in T for T in others]
    both = sum(x and y for x, y in zip(asked, said, strict=True))
    print(
        f"{small:4} belongs in {sum(asked):2} of 100 sentences; "
        f"written in {both:2} of these, and in {sum(said) - both} others"
    )


# %%
# NBVAL_IGNORE_OUTPUT
# Another machine trains slightly other weights.
written = translate_all(my_transformer, valid_sources[:100])
right = [
    translation.is_translation(source, words)
    for source, words in zip(valid_sources, written, strict=False)
]
translated["Transformer"] = written
print(f"your Transformer: {sum(right)} of {len(right)} new sentences are right")
inside = ("encoder", "decoder", "mix")  # not the embeddings, not the scores
for name, model in (
    ("attention", learned["attention"][0]),
    ("Transformer", my_transformer),
):
    parts = [p.numel() for n, p in model.named_parameters() if n.startswith(inside)]
    print(f"{name}: {sum(parts):,} weights between embeddings and scores")


def transformer_step(source, written):
    """P(next word | source, what is written) by your Transformer: a dict."""
    numbers = english.encode([source], end=False).to(device)
    given = [[BOS, *(selvan.number[word] for word in written)]]
    given = torch.tensor(given, device=device)
    with torch.no_grad():
        scores = my_transformer(numbers, given, three_masks(numbers, given))
        p = next_word(scores[0, -1]).tolist()
    return {w: p[i] for i, w in enumerate(selvan.words) if i not in (PAD, BOS, UNK)}


# %% scratch=true
# NBVAL_IGNORE_OUTPUT
# Another machine trains slightly other weights.
say("does the child drink the hot coffee", transformer_step)
say(
    "we do not show a student who knows the guest the hot tea",
    transformer_step,
)

# %% [markdown]
# Read the last column first, and you may be tempted to tell a story. After 100 steps, when we ran it, there is a time in front, a particle *ne* and a verb at
# the end: it looks like Selvan, and has nothing to do with the source. So has it first learned the language, and then what the words mean? One sentence is
# not enough to say so, and this one is not even Selvan: *gero* means "yesterday", and the verb *konurasu* stands in the present.
#
# Look at the four shares after 100 steps. It is tempting to compare *Selvan* with *words*, 11 % with 11 %, and to conclude that language and meaning come
# together. But the two have different units. *Selvan* counts whole sentences, and one wrong step spoils a sentence of nine words. *words* counts single
# words. So compare *words* with *fits*, which counts single steps. There the story looks right: 86 % of the steps fit, and only 11 % of the longer words
# belong.
#
# But what is a share of 11 % or of 86 % worth? The first table below the training shows what somebody reaches who knows nothing of the source and gives *one*
# sentence to all 100. The sentence of step 100 has 9 % of *words* like this. So the 11 % are hardly more than ignorance. And *fits* begins at 43 %, before
# any training, since many beginnings are allowed. From there, 86 % is three quarters of the way to the top.
#
# Yet the network does not ignore the source. With a strange source its loss after 100 steps is one nat higher, 3.43 in place of 2.39. What has it read there?
# The second table shows a part of it: English words like *who* and *not*, which ask for a small word in Selvan. *ri* ends a relative clause (*who sees the
# guests*). It belongs in 45 of the 100 sentences, and the network has written it in 44 of these and in only two others. *ne* marks an object, *ve* says
# *not*, and *mek* a place. So after 100 steps it writes "not" wherever the source says *not* (and in six more), and beside it a verb that has nothing to do
# with the source. (Not all small words are so far: the *ka* of questions is missing in more than half of them.)
#
# So the story is half right. The network has learned the frame of a sentence before the nouns and verbs in it. But it has not learned this frame without its
# meaning: which frame it writes depends on the source. (Perhaps because the small words are so frequent: a noun or a verb comes up far more rarely. We have
# not tested it.)
#
# In the end 78 of the 100 new sentences are right, where the two LSTMs with attention had 74 after as many steps. Do not read a victory into this. Four
# sentences of a hundred, in one training of each, are no difference. And it was no fair race: as printed above, the Transformer has three times as many
# weights there, and it had another learning rate and a schedule. Section 8 compares networks of one size. To see whether more practice helps, set the 1,000
# steps of the training cell to 3,000 and run it again; then try a sentence of your own.

# %% [markdown]
# ### Three ways, one number
#
# Your `write` encodes the source only once. But `decode` multiplies the memory with the matrices for keys and values again in every round, and always with
# the same result. In chapter 8 you kept the keys and values of old words, and each round added one of each. Here nothing is ever added: those of the source
# can all be computed once. Take one head. A word $x$ $[d]$ asks the memory $Y$ $[m, d]$:
#
# $$\text{anew}(x, Y) = \text{softmax}\!\left(\frac{(x W_q)(Y W_k)^\top}{\sqrt d}\right) (Y W_v)$$
#
# with three matrices $[d, d]$. Get the same numbers in two other ways:

# %% [markdown] statement="cross_cache"
# - `keep(Y, W_k, W_v)` does all products of $Y$ with the two matrices, once, and returns what `ask` needs of them, as a tuple of tensors. `ask(x, kept, W_q)`
#   is then called in every round, and returns the same numbers as the formula;
# - `fold(W_q, W_k)`: one matrix $A$ $[d, d]$ with $x A Y^\top = (x W_q)(Y W_k)^\top$ for all $x$ and $Y$, so that the memory itself serves as keys.
#
# And the price: suppose that the memory has $m$ words, and that $n$ words are written, one in each round. How many multiplications of two numbers do the
# products $Y W_k$ and $Y W_v$ need altogether? `products(m, n, d)` returns a dict: `"anew"`, if both products are made in each of the $n$ rounds, and
# `"kept"`, if they are made once.

# %% [markdown] hints="cross_cache"
# 1. Underline in the formula what does not change from round to round.
# 2. $(Y W_k)^\top = W_k^\top Y^\top$. Write the score with this, and look for two neighbours that know nothing of the texts.
# 3. A product of $[m, d]$ and $[d, d]$ has $m d$ entries, each a sum of $d$ products.


# %% task="cross_cache" points=3 level=2 minutes=14
def keep(Y, W_k, W_v):
    """What is needed of the memory Y [m, d], as a tuple of tensors."""
    ### BEGIN SOLUTION
    return Y @ W_k, Y @ W_v
    ### END SOLUTION


def ask(x, kept, W_q):
    """[d]: what one word x [d] gets from the kept source."""
    ### BEGIN SOLUTION
    K, V = kept
    return torch.softmax(x @ W_q @ K.T / math.sqrt(len(x)), dim=-1) @ V
    ### END SOLUTION


def fold(W_q, W_k):
    """A [d, d] such that x A Y^T are the scores before they are divided."""
    ### BEGIN SOLUTION
    return W_q @ W_k.T
    ### END SOLUTION


def products(m, n, d):
    """{"anew": ..., "kept": ...}: multiplications for all keys and values, n words written, m read."""
    ### BEGIN SOLUTION
    once = 2 * m * d * d
    return {"anew": n * once, "kept": once}
    ### END SOLUTION


# %%
def anew(x, Y, W_q, W_k, W_v):
    """The first way, the formula as it stands."""
    return torch.softmax((x @ W_q) @ (Y @ W_k).T / math.sqrt(len(x)), -1) @ (Y @ W_v)


# %% test="cross_cache" aspect="kept once, asked often" points=1
_sizes = [(3, 2, 2)]  # m, d, rounds
for _m, _d, _rounds in _sizes:
    _Y, _W = torch.randn(_m, _d).double(), torch.randn(3, _d, _d).double()
    _x = torch.randn(_rounds, _d).double() * 2
    _kept = keep(_Y.clone(), _W[1].clone(), _W[2].clone())
    _other = keep(torch.randn(_m, _d).double(), _W[2].clone(), _W[1].clone())
    for _one in _x:
        _got, _wanted = ask(_one.clone(), _kept, _W[0].clone()), anew(_one, _Y, *_W)
        assert np.shape(_got) == (_d,), (
            f"m = {_m}, d = {_d}: shape ({_d},) wanted; yours: {np.shape(_got)}."
        )
        assert close(_got, _wanted, 1e-5, 1e-7), (
            f"m = {_m}, d = {_d}: {_wanted.tolist()} wanted, as the formula says; yours: {_got}."
        )


### BEGIN HIDDEN TESTS
@beside_the_answer
def _heard(both, Y, xs, W_q, W_k, W_v):
    kept = both[0](Y, W_k, W_v)
    both[0](Y + 1, W_v, W_k)  # another memory in between
    return [both[1](x, kept, W_q) for x in xs]


m, d = size("m"), size("d", large=None)
square = {"scale": 0.5, "kind": "float64"}
agrees(
    (keep, ask),
    (ours.keep, ours.ask),
    tensor(m, d, edges=["huge"], kind="float64"),
    tensor(size("rounds", large=None), d, scale=0.05, kind="float64"),
    *(tensor(d, d, **square) for _ in range(3)),
    by=_heard,
)
_Y, _W = torch.randn(1, 9).double(), torch.randn(2, 9, 9).double()
_kept = keep(_Y.clone(), _W[0].clone(), _W[1].clone())
assert isinstance(_kept, tuple | list), f"keep returns a tuple; yours: {_kept!r}."
_numbers = sum(math.prod(np.shape(_part)) for _part in _kept)
assert _numbers < 81, (
    f"Of one word with d = 9 you keep {_numbers} numbers: matrices, so their products are still to be computed in every round."
)
### END HIDDEN TESTS

# %% test="cross_cache" aspect="one matrix in place of two" points=1
_d = 2
_got = fold(torch.eye(_d).double(), torch.eye(_d).double())
assert close(_got, np.eye(_d)), (
    f"Both maps do nothing, so x A Yᵀ is x Yᵀ; your A: {_got}."
)
### BEGIN HIDDEN TESTS
d = size("d")
agrees(fold, ours.fold, *(tensor(d, d, kind="float64") for _ in range(2)))
### END HIDDEN TESTS

# %% test="cross_cache" aspect="multiplications" points=1
_got = products(1, 1, 1)
assert hasattr(_got, "keys") and {"anew", "kept"} <= set(_got), (
    f'A dict with "anew" and "kept" wanted; yours: {_got!r}.'
)
assert _got["anew"] == _got["kept"] == 2, (
    f"One word, one round, d = 1: one product for the key, one for the value; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
agrees(
    products,
    ours.products,
    whole(1, 40),
    whole(1, 64),
    whole(1, 64, (3_001,)),
    by=lambda products, *sizes: {
        way: products(*sizes)[way] for way in ("anew", "kept")
    },
)
### END HIDDEN TESTS

# %%
set_seed(1)
m, n, d = 10, 12, 64  # words read, words written, width
Y, xs = torch.randn(m, d).double(), torch.randn(n, d).double()
W_q, W_k, W_v = torch.randn(3, d, d).double() / math.sqrt(d)
kept, A, Y_v = keep(Y, W_k, W_v), fold(W_q, W_k), Y @ W_v
for x in xs:  # one round for each word that is written
    once = ask(x, kept, W_q)
    folded = torch.softmax(x @ A @ Y.T / math.sqrt(d), dim=-1) @ Y_v
    wanted = anew(x, Y, W_q, W_k, W_v)
    assert torch.allclose(once, wanted) and torch.allclose(folded, wanted)
price = products(m, n, d)
print(
    f"{n} rounds, the same numbers in three ways. Multiplications for keys and values:"
)
print(f"anew {price['anew']:,}, kept {price['kept']:,}")
