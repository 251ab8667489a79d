# %% [markdown]
# ## 9. And your own network?
#
# It is easy to laugh at the cheater. On its own texts its loss was perfect, and so is your learner's. Have we tried hard enough to convict the learner? We have given it lists of other lengths. But all our lists, in training and in every test so far, have one thing in common: they begin at place 0.
#
# So go back to the squares of section 7 with a colder eye. One thing there did not fit the plan: the line of the previous word in layer 0 ends near place 19. Beyond that place, layer 0 writes no notes. Why does this do no harm?
#
# Perhaps because nobody needs them. Look at a small text of seven words, with a list of four:
#
# | place | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
# |---|---|---|---|---|---|---|---|
# | word | moss | kite | drum | fig | moss | kite | drum |
# | asked for | | | | | kite | drum | |
# | needs the note at place | | | | | 1 | 2 | |
#
# At place 4 the network is asked what comes after *moss*. For that it needs the note "after moss", which stands at place 1. At place 5 it needs the note at place 2. At place 6 the text ends, and nothing is asked. So the last note that this text needs is the one at place 2. Longer texts have a third round and more, but the notes of round one are enough for all of them.

# %% [markdown] statement="suspect"
# ### Predict where it fails
#
# Two small functions turn the suspicion into numbers. The first says up to which place notes are needed at all. The second predicts what happens if other words stand before the list, so that all of it moves to the right.
#
# - `last_needed(n, T)`: a text of $T$ words says a list of $n$ different words again and again, from place 0 on, as in the table. From place $n$ on, the network is asked at each place but the last one for the word that comes next. For each answer it needs the note right after the *first* occurrence of the word that asks. At which place stands the last note that is needed? The answer is 0 if nothing is asked.
# - `share_noted(n, before, noted)`: now the list begins at place `before`, and the text is long enough for the whole of round two. So a note is needed at the $n$ places after the words of round one, also after its last word. If a network has notes at places 1 to `noted` only, which share of these $n$ is there, from 0 to 1?
#
# The cells below the checks compare both with what your three networks do.

# %% [markdown] hints="suspect"
# 1. Draw a table as above for a list of 3 in a text of 8. Which places are asked, and which notes do they need?
# 2. The word at place $n$ needs the note at place 1, the next word the note at place 2, and so on. What ends this: the list, or the text?
# 3. With 3 words before a list of 4, the list stands at places 3, 4, 5 and 6. Which four places need a note? Neither answer can be below 0, and none can count more than the whole list.


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
    lambda rng, n: max(1, rng.choice([n, 2 * n, 3 * n]) + rng.randint(-2, 3)), _n
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
    lambda rng, n, before: before + rng.choice([-1, 0, 1, n - 1, n, n + 1]), _n, _before
)
agrees(share_noted, ours.share_noted, _n, _before, _noted, rtol=0, atol=1e-6)
### END HIDDEN TESTS


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
def last_note(model):
    """The last place at which some head of layer 0 looks at the previous word with more than half of its weight."""
    before = look(model, shown[:-1])[0].diagonal(-1, dim1=1, dim2=2).amax(0)
    return int((torch.arange(1, len(before) + 1) * (before > 0.5)).max())


def in_round_three(model, asking):
    """Mean weight of layer 1 on the right place of round one, and on that of round two, for these words of round three."""
    P = look(model, shown[:-1])[1].mean(0)
    rows = torch.tensor([*asking], dtype=torch.long)
    return P[rows, rows - 23].mean().item(), P[rows, rows - 11].mean().item()


needed = [last_needed(n, 39) for n in range(8, 21)]
print("the last note that is needed, for lists of 8 to 20 words:", needed, "\n")
for seed, model in learners.items():
    end = last_note(model)
    one, two = in_round_three(model, range(24, end + 12))  # both rounds have a note
    alone, _ = in_round_three(model, range(end + 12, 36))
    print(
        f"seed {seed}: the notes end at place {end}. Where rounds one and two have notes, layer 1 gives them "
        f"{one:.2f} and {two:.2f}; where only round one has notes, it gets {alone:.2f}"
    )

# %% [markdown]
# The first line is arithmetic. The largest number is 19, and it belongs to the list of 19 words. No text that the networks have learned from needs a note beyond place 19. The other lines are measured: the notes of all three networks end at that place or just before it. A network learns what pays, and notes beyond place 19 are never *needed*.
#
# The last numbers that are printed for each seed are about round three, where layer 1 could look at round one or at round two. Where both have notes, it uses both. Where only round one has notes, it looks at round one. So it goes where the notes are.
#
# And the lists of 25 words, which the learner copied so well in section 7? Our texts have room for thirteen words of their second round, so `last_needed(25, 39)` is 13. The learner has these notes, so that test could not fail.
#
# Here is one that can. We take lists of eight words, as in training, in texts of the same length as in training. Only other words, up to 22 of them, stand before the list. What will happen? You have a prediction: `share_noted(8, before, 19)`.


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


moved = range(0, 23, 2)
tried = {seed: [round_two(m, k) for k in moved] for seed, m in learners.items()}
print(
    "20 words before the list: loss",
    [round(its[10][1], 1) for its in tried.values()],
    f"where a reader that knows nothing has {math.log(64):.1f}",
)

# %% alt="Share of round two that is right over the number of words before the list. The three learners are at 1 up to ten words, then fall along the predicted line to 0 at 20 words."
_, axes = plt.subplots(figsize=(8, 3.4))
axes.plot(moved, [share_noted(8, k, 19) for k in moved], "k--", label="your prediction")
for seed, its in tried.items():
    shares = [right for right, _ in its]
    axes.plot(moved, shares, " os^"[seed], mfc="none", label=f"learner, seed {seed}")
axes.set(xlabel="words before the list", ylabel="right in round two", xticks=moved)
axes.set(ylim=(-0.05, 1.08), title="The learner fails where its notes end")
axes.legend(fontsize=10, loc="lower left")
plt.show()

# %% [markdown]
# The dashed line is yours, and the networks follow it closely. Arithmetic gave the 19, which is as far as notes can be *needed*. That the networks really write notes as far as that, the squares have told us. We needed both. (If the notes of one of them end a place earlier, its marks lie a little below the line, as they should.)
#
# So your learner is a cheater too. It has built the circuit, but only for the first nineteen places. With twenty words before the list it is hardly ever right, and its loss is far above that of a reader that knows nothing. Yet these texts are not longer than those that it has learned from, and neither are their lists.
#
# No loss on texts of our recipe could have told us. What told us was one odd thing in the squares, which we did not explain away. If you understand *how* a network does something, you can predict where it stops, and that is the best reason to look into it.
#
# ### Can it be cured?
#
# The cure is in the data again. The next cell trains three new networks, with the same 500 steps, on texts in which 0 to 22 words stand before the list. It also prints, for both kinds of training texts, how many of them need the note at a place. (For this it calls your `last_needed`.)

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
cured = {seed: fresh(seed) for seed in learners}
begin = time.perf_counter()
for model in cured.values():
    practise(model, range(8, 21), before=range(23))
seconds = (time.perf_counter() - begin) / len(cured)


def share_that_need(place, before):
    """Share of the training texts that need the note at this place, if as many words as in `before` stand before the list."""
    need = [
        k < place <= k + last_needed(n, 39 - k) for n in range(8, 21) for k in before
    ]
    return np.mean(need)


print("Share of the training texts that need the note at a place:")
places = (8, 18, 19, 20, 25, 26, 27, 30)
print(f"{'place':23}", *(f"{place:6}" for place in places))
for name, before in {"no other words": (0,), "0 to 22 other words": range(23)}.items():
    print(f"{name:23}", *(f"{share_that_need(place, before):6.1%}" for place in places))
print()
for seed, model in cured.items():
    shares = [round(round_two(model, k)[0], 2) for k in (0, 12, 20, 22)]
    print(
        f"seed {seed}: loss without words before the list {held_out_loss(model):.2f}; right with "
        f"0, 12, 20 and 22 words before it {shares}; the notes end at place {last_note(model)}"
    )

# %% alt="Left: share of round two that is right over the number of words before the list; the learners fall to 0 at 20 words, the cured networks stay near 1 up to about 16 words and fall after it, both along the lines that are predicted from where their notes end. Right: two squares of weights of the best previous-word head; the learner's line ends half way down, the cured one's a few places later."
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), width_ratios=(2, 1, 1))
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
axes[0].set(ylim=(-0.05, 1.08), xticks=range(0, 23, 4), title="The cure moves the end")
axes[0].legend(fontsize=10, loc="lower left")
for its, (name, model) in zip(
    axes[1:], {"learner": learner, "cured": cured[1]}.items(), strict=True
):
    P = look(model, shown[:-1])[0]
    head = int(torch.as_tensor(previous_word(P)).argmax())
    shades = its.imshow(P[head], cmap="Blues", vmin=0, vmax=1)
    its.set(title=f"{name}: layer 0, head {head}", xlabel="place looked at")
    its.title.set_fontsize(11)
    its.grid(visible=False)
axes[1].set_ylabel("place that looks")
figure.colorbar(shades, ax=axes[1:], label="weight", shrink=0.7)
plt.show()

# %% [markdown]
# On the left each mark is the mean of three networks. The dashed lines are `share_noted` again. But this time nobody could have drawn them beforehand, because they use the places where the notes end, measured in each network. The cured networks go further than the learners, and on the old texts they lose nothing worth mentioning. But with 20 words before the list they make mistakes, and with 22 about half of what they say is wrong, although they have practised both.
#
# In the squares you see why. The line of the previous word has grown by a few places, and then it ends again. To answer everything in their training texts, the cured networks would need notes up to place 30.
#
# Why does the line end before place 30? The printed table above gives one possible reason: the last notes are rarely needed, the one at place 30 by one training text in 300. It is not the whole reason. Two learners have written the note at place 19, which one text in thirteen needs, and one cured network has left out a note that one text in eight needs. We have not found out more, nor have we tried a longer training.
#
# It is a cure by degrees, because each place has a vector of its own, and a network must learn for each place anew which one is just before.
# If the score depended only on how *far apart* two words are, it would have to learn that once. The network that reads kitchen stories works like that, and chapter 08 shows how.
