# %% [markdown]
# ## 9. And your own network?
#
# It is easy to laugh at the cheater. On its own texts its loss was perfect, and so is your learner's. Have we tried hard enough to convict the learner? We have
# given it lists of other lengths. But all our lists, in training and in every test so far, have one thing in common: they begin at place 0.
#
# And there was something odd. In section 7 a head of layer 0 had a dark line one cell below the diagonal: each word looked at the previous word and wrote a
# **note**, such as "after kite". But that line ended half way down, near place 19. So the words beyond place 19 carry no notes. Why did this do no harm?
#
# Perhaps because nobody needs those notes. Look at a small text of seven words, with a list of four:
#
# | place | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
# |---|---|---|---|---|---|---|---|
# | word | moss | kite | drum | fig | moss | kite | drum |
# | the next word is | | | | | kite | drum | |
# | so it needs the note at place | | | | | 1 | 2 | |
#
# - At place 4 the word is *moss*, and the network should say *kite*. It needs the note "after moss", which stands at place 1.
# - At place 5 the word is *kite*, and the network should say *drum*. It needs the note "after kite", at place 2.
# - At place 6 the text ends, and nothing is asked.
#
# So the last note that this text needs is the one at place 2. A longer text would have a round three. But its words can use the notes of round one as well, so
# it needs no others.

# %% [markdown] statement="suspect"
# ### Predict where it fails
#
# Two small functions turn the suspicion into numbers. The first says up to which place notes are needed at all. The second predicts what happens if other words
# stand before the list, so that all of it moves to the right.
#
# - `last_needed(n, T)`: a text of $T$ words says a list of $n$ different words again and again, from place 0 on, as in the table. From place $n$ on, the
#   network is asked at each place but the last one for the word that comes next. The word at place $n$ asks for the note at place 1, the word at place $n +
#   1$ for the note at place 2, and so on, as in the table. Return the last place whose note is needed, or 0 if nothing is asked.
# - `share_noted(n, before, noted)`: now the list begins at place `before`, and the text is long enough for the whole of round two. So $n$ notes are needed.
#   They stand right after the $n$ words of round one, at the places `before` + 1 to `before` + $n$. (The last of them stands where round two begins.) Suppose
#   that a network writes notes up to place `noted` and none beyond. Return the share of the $n$ notes that it has, from 0 to 1.
#
# The cells below the checks compare both with what your three networks do.

# %% [markdown] hints="suspect"
# 1. Draw a table as above for a list of 3 in a text of 8. Which places are asked, and which notes do they need?
# 2. The word at place $n$ needs the note at place 1, the next word the note at place 2, and so on. What ends this: the list, or the text?
# 3. With 3 words before a list of 4, the list stands at places 3, 4, 5 and 6. Which four places need a note? Neither answer can be below 0, and none can count
#    more than the whole list.


# %% task="suspect" points=3 level=3 minutes=25
def last_needed(n, T):
    """The last place whose note is needed in a text of T words that repeats a list of n from place 0 on; 0 if none is."""
    ### BEGIN SOLUTION
    return max(min(n, T - 1 - n), 0)
    ### END SOLUTION


def share_noted(n, before, noted):
    """Share of the n places after the words of a list that begins at place `before` which are at most `noted`."""
    ### BEGIN SOLUTION
    return min(max(noted - before, 0), n) / n
    ### END SOLUTION


# %% test="suspect" aspect="the last note that is needed" points=2
for _given, _wanted, _why in (
    ((4, 7), 2, "the table above"),
    ((3, 8), 3, "all of round two is asked, and round three needs no other notes"),
    ((5, 6), 0, "only place 5 says a word again, and the text ends with it"),
):
    _got = last_needed(*_given)
    assert is_number(_got) and close(_got, _wanted, 0, 0), (
        f"A list of {_given[0]} in a text of {_given[1]}: {_wanted} ({_why}); yours: {_got!r}."
    )
### BEGIN HIDDEN TESTS
_n = whole(1, 40)
agrees(last_needed, ours.last_needed, _n, whole(1, 99), rtol=0, atol=0)
_T = made(  # the text ends near the end of round one, two or three
    lambda rng, n: max(1, rng.choice([n, 2 * n, 3 * n]) + rng.randint(-2, 3)),
    _n,
    edges=[
        lambda rng, n, k=k, more=more: max(1, k * n + more)
        for k in (1, 2, 3)
        for more in (-1, 0, 1)
    ],
)
agrees(last_needed, ours.last_needed, _n, _T, rtol=0, atol=0)
### END HIDDEN TESTS

# %% test="suspect" aspect="the share of notes" points=1
for _given, _wanted in {(4, 3, 19): 1, (8, 16, 19): 3 / 8, (8, 20, 19): 0}.items():
    _got = share_noted(*_given)
    assert is_number(_got) and close(_got, _wanted, 0, 1e-6), (
        f"n, before, noted = {_given}: {_wanted}; yours: {_got!r}."
    )
### BEGIN HIDDEN TESTS
_n, _before = whole(1, 20), whole(0, 40)
agrees(share_noted, ours.share_noted, _n, _before, whole(0, 60), rtol=0, atol=1e-6)
_noted = made(  # near the first and the last place that needs a note
    lambda rng, n, before: before + rng.choice([-1, 0, 1, n - 1, n, n + 1]),
    *(_n, _before),
)
agrees(share_noted, ours.share_noted, _n, _before, _noted, rtol=0, atol=1e-6)
_prime, _one = choice(7, 11, 13), made(lambda rng, before: before + 1, _before)
agrees(share_noted, ours.share_noted, _prime, _before, _one, rtol=0, atol=1e-6)
### END HIDDEN TESTS


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
def most_before(model, text):
    """[T]: at each place, the largest weight that a head of layer 0 gives to the previous word (at place 0: 0)."""
    before = look(model, text)[0].diagonal(-1, dim1=1, dim2=2).amax(0)
    return torch.cat([torch.zeros(1), before])


def last_note(model, text=None):
    """The last place at which some head of layer 0 looks at the previous word with more than half of its weight."""
    before = most_before(model, shown[:-1] if text is None else text)
    return int((torch.arange(len(before)) * (before > 0.5)).max())


needed = [last_needed(n, 39) for n in range(8, 21)]
print("the last note that is needed, for lists of 8 to 20 words:", needed)
forty = lists(0, range(8, 21), B=40, seed=96)[0][:, :-1]
for seed, model in learners.items():
    ends = [last_note(model, text) for text in forty]
    near = most_before(model, shown[:-1])[18:21].numpy().round(2)
    print(f"seed {seed}: the notes end at place {last_note(model)},", end=" ")
    print(f"in 40 other texts at {min(ends)} to {max(ends)};", end=" ")
    print(f"weight at places 18, 19, 20: {near}")

# %% [markdown]
# The first line is arithmetic, by your function: for each length of the list, from 8 to 20 words, the last note that a text of 39 words needs. The largest of
# these numbers is 19. So no text in the training of your networks has ever needed a note beyond place 19.
#
# The other lines are measured. In all three networks the notes end at place 19, or one place before it, on the text of the squares and on 40 other texts. The
# end is sharp: from place 18 to place 20 the weight on the previous word falls from nearly 1 to less than 0.1, when we ran this. So it hardly matters that we
# have put the limit at one half. None of the networks has notes beyond what was needed.
#
# This also solves a riddle of section 7. In layer 1 there was a line eleven places below the diagonal: row 12 was dark in column 1, row 13 in column 2, and so
# on. It ended near row 30. Eleven places before place 30 stands place 19, and there the notes end. Row 31 would have to find its word at place 20, and place 20
# carries no note.
#
# Now we can make a test that your learner might fail. Lists of eight words and texts of 39 words occurred in training, too. But now other words, up to 22 of
# them, stand before the list, so that the notes it needs stand further right. What will happen? With notes up to place 19, the prediction is your
# `share_noted(8, before, 19)`. Take 16 words before the list: then eight notes are needed, at places 17 to 24. Only those at 17, 18 and 19 are there, so the
# prediction is $3/8$.


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
def round_two(model, before, n=8):
    """The share of round two that a model continues rightly, and its loss there, with so many words before the list."""
    words = lists(0, [n], B=64, seed=98, before=[before])[0].to(device)
    asking = slice(before + n, before + 2 * n)
    with torch.no_grad():
        scores = model(words[:, :-1])[:, asking]
    wanted = words[:, 1:][:, asking]
    right = (scores.argmax(-1) == wanted).float().mean().item()
    return right, F.cross_entropy(scores.flatten(0, 1), wanted.flatten()).item()


moved = range(23)
tried = {seed: [round_two(m, k) for k in moved] for seed, m in learners.items()}
print(
    "20 words before the list: loss",
    [round(its[20][1], 1) for its in tried.values()],
    f"where a reader that knows nothing has {math.log(64):.1f}",
)

# %% alt="Share of round two that is right over the number of words before the list. The three learners are at 1 up to ten words, then fall along the predicted line to 0 at 20 words."
_, axes = plt.subplots(figsize=(8, 3.4))
axes.plot(
    moved,
    [share_noted(8, k, max(needed)) for k in moved],
    "k--",
    label="your prediction",
)
for seed, its in tried.items():
    shares = [right for right, _ in its]
    axes.plot(moved, shares, " os^"[seed], mfc="none", label=f"learner, seed {seed}")
axes.set(xlabel="words before the list", ylabel="right in round two")
axes.set(ylim=(-0.05, 1.08), xticks=moved[::2])
axes.set(title="The learner fails where its notes end")
axes.legend(fontsize=10, loc="lower left")
plt.show()

# %% [markdown]
# The dashed line is your prediction, and the networks follow it closely. Up to ten words before the list, all of round two is right in all three networks. From
# there on one note after the other is missing, and with each a word goes wrong. The orange squares lie a little below your line: in that network, of seed 2, the
# notes ended at place 18 when we ran it.
#
# With twenty words before the list the networks are hardly ever right, and their loss is about 7, where a reader that knows nothing has 4.2. Yet these texts
# are not longer than those that they have learned from, and neither are their lists.
#
# ### Write the notes by hand
#
# So the networks fail just where their notes end. Are the missing notes to blame? There is a second suspect: layer 1 has never had to look beyond place 19
# either, so perhaps it cannot.
#
# We can find out, because we know what a note is. In the next cell the previous-word heads of layer 0 no longer choose where to look. Each of them takes the
# value of the word before, *at every place*, and only place 0, which has no word before it, gets no note. Everything else stays as it was, and nothing is
# trained. If the notes are to blame, the copying should come back. If layer 1 is, it should not.


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
def with_notes(model, forged=(), lie="names"):
    """The model, but its previous-word heads in layer 0 take the value of the word before, and nothing at place 0.

    forged=(i, j): they do so at these two places only, and there the two notes have exchanged their names, or "places".
    """
    heads, _ = heads_by_score(previous_word(look(model, shown[:-1])[0]))

    def alter(found, words):
        at = [*forged] or [*range(1, words.shape[1])]
        before = [p - 1 for p in at]
        name = before[::-1] if forged and lie == "names" else before
        place = before[::-1] if forged and lie == "places" else before
        x = model.embedding(words)[:, name] + model.positions.weight[place]
        notes = split_heads(model.layers[0].v(x), 4)
        for head in heads:
            found[:, head, at] = notes[:, head]
            if not forged:
                found[:, head, 0] = 0  # there is no word before it
        return found

    return altered(model, alter)


by_hand = {
    seed: [round_two(with_notes(m), k)[0] for k in moved]
    for seed, m in learners.items()
}
for seed, shares in by_hand.items():
    print(
        f"seed {seed}: right with 20 and 22 words before the list:",
        f"{tried[seed][20][0]:.2f} {tried[seed][22][0]:.2f} as it is,",
        f"{shares[20]:.2f} {shares[22]:.2f} with notes written by hand",
    )

# %% alt="Share of round two that is right over the number of words before the list. As they are, the three learners fall to 0 at 20 words. With notes written by hand they stay at 1, or within a hundredth or two of it, up to 22 words."
_, axes = plt.subplots(figsize=(8, 3.4))
for n, (name, its) in enumerate(
    {
        "as it is": {s: [right for right, _ in t] for s, t in tried.items()},
        "notes written by hand": by_hand,
    }.items()
):
    for seed, shares in its.items():
        style = {"color": plots.COLOURS[n], "mfc": "none"}
        label = f"{name}, seed {seed}"
        axes.plot(moved, shares, " os^"[seed], label=label, **style)
axes.set(xlabel="words before the list", ylabel="right in round two")
axes.set(ylim=(-0.05, 1.08), xticks=moved[::2])
axes.set(title="With notes written by hand, the learner copies again")
axes.legend(fontsize=10, loc="lower left")
plt.show()

# %% [markdown]
# The copying is back, in all three networks and up to 22 words. Before, hardly anything was right from 19 words on. And no weight has been trained for it. So
# layer 1 is innocent: it could look there all along, and only the notes were missing. Your learner, too, has found a rule that is right only on texts like
# its own: it writes notes only as far as its training has made it, and beyond that it cannot copy.
#
# No loss on texts of our recipe could have told us. What told us was one odd thing in the squares, which we did not explain away. If you understand *how* a
# network does something, you can predict where it stops, and even mend it by hand. That is the best reason to look inside.
#
# ### Forge two notes
#
# In section 7 we assumed that a note says "after kite". But the value of *kite* is made from its word and from its place. So the note may tell the *name* of
# the word before, and it may tell its *place*, "after place 1". Which of the two does layer 1 read?
#
# So let us lie to the network. We take 200 lists of twelve words that are said twice, and forge two notes of the first round, those at places 4 and 8. The
# table says in short what they tell: "word 3" is the name of the word at place 3. All other heads and all other places are left alone.
#
# | | the note at place 4 | the note at place 8 |
# |---|---|---|
# | true | after word 3, at place 3 | after word 7, at place 7 |
# | first lie: names exchanged | after **word 7**, at place 3 | after **word 3**, at place 7 |
# | second lie: places exchanged | after word 3, at **place 7** | after word 7, at **place 3** |
#
# Then, in round two, the network reads the word that stood at place 3. What will it say next: the word of place 4, which has really followed, or the word of
# place 8, where a forged note says so? We also ask after the word of place 7. That makes 400 answers for each lie.

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
set_seed(5)
lists_twice = torch.stack([torch.randperm(64)[:12].repeat(2) for _ in range(200)])
lists_twice = lists_twice.to(device)
for lie in ("names", "places"):
    print(f"{lie} exchanged, of {2 * len(lists_twice)} answers:")
    for seed, model in learners.items():
        with torch.no_grad():
            says = with_notes(model, (4, 8), lie)(lists_twice)[:, [15, 19]].argmax(-1)
        followed = int((says == lists_twice[:, [4, 8]]).sum())
        lied_to = int((says == lists_twice[:, [8, 4]]).sum())
        print(
            f"  seed {seed}: what really followed {followed}, what the lie says {lied_to}"
        )

# %% [markdown]
# If the names are exchanged, each network believes the forged notes in all 400 answers: after the word of place 3 it says that of place 8, and after the word
# of place 7 that of place 4. What it has really read in round one counts for nothing. If the places are exchanged, no network lets itself be fooled a single
# time. So layer 1 reads the names in the notes of layer 0, and not the places. Section 7 still owed us this test. You have just changed what a network
# believes, by hand and at two places, because you knew where it was written.

# %% [markdown]
# ### Do other data cure the fault?
#
# A network should write its notes by itself. So let us change the data. The next cell trains three new networks, which are called `cured` in the code, with
# the same 500 steps, on texts in which 0 to 22 words stand before the list. (In each text about half as many places are repeats now, so they have less
# practice, too.) For each network it prints how much of round two is right with 0, 12, 20 and 22 words before the list, the place at which its notes end, and
# how much is right with 22 words if we write the notes by hand.
#
# The last two lines of each network are about texts without words in front. They count the mistakes in round two of 1,000 lists of eight words: how many
# there are, how many of them are at the first word of round two, and how many of these say that same word again. The second of these lines counts once more
# with a single change, the note of place 0 taken away. We come to this at the end.

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
cured = {seed: fresh(seed) for seed in learners}
begin = time.perf_counter()
for model in cured.values():
    practise(model, range(8, 21), before=range(23))
seconds = (time.perf_counter() - begin) / len(cured)


def without_note_0(model):
    """The model, but its previous-word heads in layer 0 bring nothing to place 0. All else is as trained."""
    heads, _ = heads_by_score(previous_word(look(model, shown[:-1])[0]))

    def alter(found, words):
        for head in heads:
            found[:, head, 0] = 0
        return found

    return altered(model, alter)


def mistakes(model):
    """In round two of 1,000 lists of eight: wrong words; those at its first word; those of these that say it again."""
    words = lists(0, [8], B=1000, seed=98)[0].to(device)
    with torch.no_grad():
        says = model(words[:, :-1])[:, 8:16].argmax(-1)
    wrong, again = says != words[:, 9:17], says == words[:, 8:16]
    return int(wrong.sum()), int(wrong[:, 0].sum()), int(again[:, 0].sum())


for seed, model in cured.items():
    shares = [round(round_two(model, k)[0], 2) for k in (0, 12, 20, 22)]
    print(f"seed {seed}: right with 0, 12, 20 and 22 words before the list {shares}")
    by_itself = last_note(model)
    right = round_two(with_notes(model), 22)[0]
    print(f"  notes end at place {by_itself}; by hand, with 22 words: {right:.2f}")
    wrong, first, again = mistakes(model)
    print(f"  nothing in front: {wrong} of 8000 wrong,", end=" ")
    print(f"{first} at the first word ({again} say it again)")
    wrong, first, _ = mistakes(without_note_0(model))
    print(f"  the same without note 0: {wrong} wrong, {first} at the first word")

# %% alt="Left: share of round two that is right over the number of words before the list; the learners fall to 0 at 20 words, the new networks stay near 1 up to about 16 words and fall after it, both along the lines that follow from where their notes end. Right: two squares of weights of the best previous-word head; the learner's line ends half way down, the new one's a few places later."
figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), width_ratios=(4, 3, 3))
for kind, models, mark in (
    ("trained without", learners, "o"),
    ("trained with 0 to 22", cured, "s"),
):
    rights = [[round_two(m, k)[0] for m in models.values()] for k in moved]
    axes[0].plot(moved, np.mean(rights, axis=1), mark, label=kind)
    ends = [last_note(m) for m in models.values()]
    expected = [np.mean([share_noted(8, k, end) for end in ends]) for k in moved]
    axes[0].plot(
        moved, expected, "k--", label="_" * (mark == "o") + "from where notes end"
    )
axes[0].set(xlabel="words before the list", ylabel="right in round two")
axes[0].set(
    ylim=(-0.05, 1.08), xticks=range(0, 23, 4), title="The new data move the end"
)
axes[0].legend(fontsize=10, loc="lower left")
for its, (name, model) in zip(
    axes[1:], {"learner": learner, "new": cured[1]}.items(), strict=True
):
    P = look(model, shown[:-1])[0]
    head = int(torch.as_tensor(previous_word(P)).argmax())
    shades = square(its, P[head])
    its.set(title=f"{name}: layer 0, head {head}", xlabel="place looked at")
    its.title.set_fontsize(11)
axes[1].set_ylabel("place that looks")
figure.colorbar(shades, ax=axes[1:], label="weight", shrink=0.7)
plt.show()

# %% [markdown]
# Begin with the panel on the left, which has the mean of three networks each time. With sixteen words before the list, the new networks make no mistake, or
# hardly one, while the learners are right in about a third. But with 20 words the new ones make mistakes too, and with 22 about half of what they say is
# wrong, although they have practised both. Again it is the notes: written by hand, they bring all three back, as the second printed line of each network
# says. (The dashed lines are `share_noted`, from the places where the notes end. We have read these places off the networks, so this time the lines are no
# prediction.)
#
# The two squares say why. Each shows the best previous-word head of one network. The learner's line ends near place 19. The line of the new network goes on
# for a few places, to about 25, and then it ends as well. Its training texts had up to 22 words in front of a list, so to answer everything in them, it would
# need notes up to place 30. Such late notes are rarely needed, so they take longer to learn.
#
# **A small mistake with a reason.** With nothing in front, the new networks make 65 mistakes in 24,000 words, all three together and when we ran this. Of
# these, 62 are at the first word of round two, and 50 of the 62 say that word itself once more. Take *moss kite drum fig moss*: after the second *moss* it
# says *moss*. Section 7 has announced why. Place 0 has no word before it, so its note is wrong: it says "after moss", and stands at *moss*. So the question
# "who is after *moss*?" has two answers, *kite* and *moss*.
#
# If that is the reason, most of these mistakes must go when this one note goes. The last line of each network tries it: the previous-word heads bring nothing
# to place 0, and all else is as it was trained. Of the 62 mistakes at the first word only 3 are left, all in one network. So the wrong note was to blame for
# nearly all. (The learners, whose lists all began at place 0, have learned to live with it. For the new networks a list begins there in one text of 23.)
#
# So after 500 steps the fault is half cured. With more steps the notes go on. In two trainings with `steps=2000`, which are not shown here, they ended at
# place 29, and with 20 words in front nearly everything was right. But each place has a vector of its own, and a network must learn for each place anew which
# place is just before it. It would be easier if a score depended only on how *far apart* two words are. Then "one place back" would have to be learned only
# once. The network that reads kitchen stories works like that, and chapter 08 shows how.
