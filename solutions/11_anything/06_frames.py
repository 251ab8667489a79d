# %% [markdown]
# ## 6. Sound is a row of frames
#
# A sound is a row of samples $x_0, x_1, \dots$, thousands each second, far too many to read one by one. What we hear in it are *frequencies*, so let us measure those. Cut the sound into short *frames* of $N$ samples, a new one every `hop` samples, so that frames may overlap; and ask of each frame how strong each frequency is in it. How does one ask? Multiply the frame by a cosine that swings $k$ times within it, and add up. If the frame swings in step with the cosine, large meets large and the sum is large; if not, positive and negative products cancel. A sound can also swing out of step with the cosine, so the same is done with a sine, and the two sums are combined as the two sides of a right angle. With $e^{-i\varphi} = \cos\varphi - i \sin\varphi$ both fit into one line:
#
# $$m_k = \left| \sum_{j=0}^{N-1} w_j\, x_j\, e^{-2 \pi i\, k j / N} \right| , \qquad w_j = \tfrac12 - \tfrac12 \cos \frac{2 \pi j}{N} , \qquad k = 0, \dots, \lfloor N/2 \rfloor .$$

# %% [markdown]
# So $m_k$ is large if the frame swings $k$ times. The window $w$ fades the frame in and out, since its cut edges would sound like a click. A row of such frames is a **spectrogram**, and it is what Whisper reads (A. Radford and others, 2022). As with patches, a frame is an *input*: a list of numbers that goes in, and that this model never predicts.

# %% [markdown] statement="spectrogram"
# - `frames(x, N, hop)`: $B$ sounds of $L$ samples, $[B, L]$ → $T$ frames of each, $[B, T, N]$. Frame $t$ begins at sample $t \cdot$ `hop`; there are as many as fit *whole*, and samples that are left over are dropped. `hop` may be larger than $N$. If not one frame fits, raise `ValueError`.
# - `magnitudes(frames)`: frames $[B, T, N]$ with $N \ge 2$, even or odd → $m$, $[B, T, \lfloor N/2 \rfloor + 1]$.
#
# Together they are what `torch.stft` computes; the next cell compares.

# %% [markdown] hints="spectrogram"
# 1. How many frames fit into 10 samples with $N = 4$ and a hop of 3? Into 9? Into 4?
# 2. `tensor.unfold` cuts along one axis, or index with a sum of two `arange`s, one upright.
# 3. The sum over $j$ is a product with a matrix of cosines and one of sines, $[N, \lfloor N/2 \rfloor + 1]$; `torch.fft.rfft` does the same faster. Mind which $N$ the window's cosine is divided by: not $N - 1$.


# %% task="spectrogram" points=3 level=2 minutes=18
def frames(x, N, hop):
    """Sounds [B, L] -> frames [B, T, N], all that fit whole; ValueError if none does."""
    ### BEGIN SOLUTION
    if x.shape[1] < N:
        raise ValueError(f"{x.shape[1]} samples are less than a frame of {N}.")
    return x.unfold(1, N, hop)
    ### END SOLUTION


def magnitudes(frames):
    """Frames [B, T, N] -> how strong each frequency is, [B, T, N // 2 + 1]."""
    ### BEGIN SOLUTION
    N = frames.shape[-1]
    j = torch.arange(N, dtype=frames.dtype)
    w = 0.5 - 0.5 * torch.cos(2 * torch.pi * j / N)
    return torch.fft.rfft(frames * w).abs()
    ### END SOLUTION


# %% test="spectrogram" aspect="whole frames, overlapping or not" points=1
_got = frames(torch.arange(10.0)[None], 4, 3)
assert close(_got, [[[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9]]]), (
    f"Samples 0 to 9, N = 4, hop = 3: three frames that begin with 0, 3 and 6; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_x = tensor(size("B"), size("L", most=12), kind=choice("float32", "float64"))
agrees(frames, ours.frames, _x, size("N", large=None), whole(1, 9), raises=ValueError)
agrees(frames, ours.frames, tensor(1, 2500), 3, 1, mixtures=0)
### END HIDDEN TESTS

# %% test="spectrogram" aspect="each frequency, by the sum" points=1
_got = magnitudes(torch.tensor([[[1.0, 1, 1, 1]]]))
assert close(_got, [[[2, 1, 0]]], 1e-4, 1e-4), (
    f"The frame 1, 1, 1, 1 has the window's own frequencies, 2, 1, 0; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_frames = tensor(size("B"), size("T"), size("N", least=2, most=16))
agrees(magnitudes, ours.magnitudes, _frames, rtol=1e-4, atol=1e-4)
_frames = tensor(1, 2, 2500)  # angles of some thousand are not exact in float32
agrees(magnitudes, ours.magnitudes, _frames, rtol=0.01, atol=0.1, mixtures=0)
_got = magnitudes(torch.ones(1, 2, 4))
assert torch.is_tensor(_got) and not _got.is_complex(), (
    f"A tensor of real numbers is wanted; yours: {_got!r}."
)
### END HIDDEN TESTS

# %% test="spectrogram" aspect="both together are torch's stft" points=1
_time = torch.arange(400) / 8000
_x = torch.sin(2 * torch.pi * 1000 * _time)[None]
_got = magnitudes(frames(_x.clone(), 80, 40))
assert torch.is_tensor(_got) and _got.ndim == 3, (
    f"A tensor [1, 9, 41] wanted; yours: {_got!r}."
)
assert (_got[0].argmax(1) == 10).all(), (
    f"1000 Hz in frames of 80 samples at 8 kHz swing 10 times; yours: {_got[0].argmax(1).tolist()}."
)


### BEGIN HIDDEN TESTS
def _stft(x, N, hop):
    """The same by torch, [B, T, N // 2 + 1]."""
    options = {"window": torch.hann_window(N), "center": False, "return_complex": True}
    return torch.stft(x, N, hop, **options).abs().transpose(1, 2)


agrees(
    lambda x, N, hop: magnitudes(frames(x, N, hop)),
    _stft,
    tensor(size("B"), size("L", least=101, most=300, large=None), scale=3),
    size("N", least=2, most=50, large=101),
    whole(1, 40),
    rtol=1e-4,
    atol=1e-3,
)
### END HIDDEN TESTS

# %%
sound, notes = anything.tunes(24, seed=1)  # a second each, at 8 kHz
new_sound, new_notes = anything.tunes(100, seed=2)
mine = magnitudes(frames(sound, 256, 80))
torchs = torch.stft(
    sound, 256, 80, window=torch.hann_window(256), center=False, return_complex=True
)
print("the same as torch.stft:", close(mine, torchs.abs().transpose(1, 2), atol=1e-3))

# %% alt="A spectrogram: a bright stripe for each note steps up and down over a second, with fainter overtones above it. A dashed line 200 hertz lower shows what was played."
_, axes = plt.subplots(figsize=(9, 3.6))
axes.imshow(
    mine[0, :, :48].T,
    origin="lower",
    aspect="auto",
    cmap="cividis",
    extent=(0.016, 0.984, 0, 1500),
)
axes.grid(False)
axes.set(xlabel="seconds", ylabel="frequency (Hz)", xlim=(0.016, 0.984))
axes.set_title("A spectrogram: each note is a stripe, with overtones above it")
played = np.where(notes[0] > 0, anything.NOTES[(notes[0] - 1).clamp(min=0)], np.nan)
line = {"color": "white", "linewidth": 1.5, "linestyle": (0, (3, 2))}
axes.plot(np.arange(8000) / 8000, played - 200, **line)
axes.text(0.03, 130, "played (drawn 200 Hz lower)", color="white")
plt.show()

# %% [markdown]
# The bright stripe near 500 Hz is what a reader has to find: eight neighbouring semitones, 440 to 659 Hz, in much noise. So that you can see it, what was really played is drawn 200 Hz below. The fainter stripes above are overtones, at two and three times the frequency.
#
# How long should a frame be? Frequencies lie $8000/N$ Hz apart and the closest semitones 26 Hz, so a frame of 256 samples (31 Hz) should be too coarse and one of 512 (16 Hz) fine enough. But a long frame holds more than one note, since notes last 40 to 160 ms. Predict the best $N$ for writing down, every 10 ms, which note sounds, if a linear model reads single frames. We let it read once only the frequencies below 700 Hz, where no overtone is, and once those up to 1,200 Hz.


# %%
def inputs(sound, notes, N, top=1200, hop=80):
    """Logarithms of magnitudes up to `top` Hz [B, T, ...], and the note at the middle of each frame [B, T]."""
    found = magnitudes(frames(F.pad(sound, (N // 2, N // 2)), N, hop))[:, :100]
    middles = torch.arange(found.shape[1]) * hop
    return (found + 0.1).log()[:, :, : N * top // 8000 + 1], notes[:, middles]


# %%
def linear_reader(x, y, steps=150):
    """A function of inputs [..., n]: the number of the note for each, by a linear model that learned x, y."""
    x, y = x.flatten(0, 1), y.flatten()
    mean, deviation = x.mean(0), x.std(0)
    set_seed(1)
    model = torch.nn.Linear(x.shape[1], 9)
    optimiser = torch.optim.AdamW(model.parameters(), 0.01, weight_decay=0.1)
    for _ in range(steps):
        optimiser.zero_grad()
        F.cross_entropy(model((x - mean) / deviation), y).backward()
        optimiser.step()
    return lambda x: model((x - mean) / deviation).argmax(-1)


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
lengths = [64, 128, 256, 512, 1024, 2048]
right = {}  # (top, N) -> share of right notes in each new tune
for top, N in itertools.product((700, 1200), lengths):
    read = linear_reader(*inputs(sound, notes, N, top))
    x, y = inputs(new_sound, new_notes, N, top)
    right[top, N] = (read(x) == y).float().mean(1)
for top in (700, 1200):
    gain = 100 * (right[top, 512] - right[top, 256])
    error = gain.std() / len(gain) ** 0.5
    short, long = 100 * right[top, 256].mean(), 100 * right[top, 512].mean()
    print(
        f"up to {top:4} Hz: {short:.1f} % right with N = 256, {long:.1f} % with N = 512,"
        f" difference {gain.mean():+.1f} ± {error:.1f} (standard error, paired by tune)"
    )

# %% folded="draws the share of wrong notes" alt="Wrong notes by length of a frame: a valley with its bottom at 256 to 512 samples, about five percent, and half of the notes wrong at both ends."
_, axes = plt.subplots(figsize=(9, 3.6))
for top, name in ((700, "up to 700 Hz: no overtones"), (1200, "up to 1,200 Hz")):
    some = 1 - torch.stack([right[top, N] for N in lengths])
    error = 2 * some.std(1) / some.shape[1] ** 0.5
    axes.errorbar(lengths, some.mean(1), error, fmt="o-", capsize=3, label=name)
axes.set_title("A frame must be long enough for the pitch, short enough for the note")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
labels = {"xlabel": "samples in a frame, N", "ylabel": "share of notes wrong (log)"}
plots.log_ticks(axes, lengths, yscale="log", **labels)
axes.set_yticks([0.05, 0.1, 0.2, 0.5], ["5 %", "10 %", "20 %", "50 %"])
axes.minorticks_off()
plt.show()

# %% [markdown]
# (The bars are two standard errors over 100 new tunes.) Too short a frame cannot tell neighbouring semitones apart, too long a one holds two or three notes
# at once. No $N$ has both: what is exact in frequency is blurred in time. Did your prediction come true? Without overtones it does: 512 beats 256, as the 26
# Hz demand. With overtones, 256 is best here. Between the overtones of neighbouring notes lie 52 Hz or more, twice as much as between the notes, so a frame
# half as long separates them as well, and is sharper in time. But be careful: this is a small training set of 24 tunes, on which the longer row of numbers
# overfits. With 400 tunes, in a trial apart from this notebook (`anything.tunes(400, seed=5)`), both had 96.9 %, a draw. (Whisper's frames have 25 ms, that
# is 200 samples here, a new one every 10 ms.)


# %%
def melody(row):
    """What changes in a row of notes: equal neighbours are one note, silence (0) is left out."""
    return " ".join(str(note) for note, _ in itertools.groupby(row.tolist()) if note)


read = linear_reader(*inputs(sound, notes, 256))
x, y = inputs(new_sound, new_notes, 256)
print("played", melody(y[0]))
print("read  ", melody(read(x)[0]))

# %% [markdown]
# Nearly 96 % of the frames are right, and yet there are more notes in the melody than were played: a wrong frame in the middle of a note makes two notes
# more, itself and the second half. Frames go in, notes come out, and neither their number nor their places agree. That is the problem of chapter 9, and
# Whisper solves it as chapter 9 did: an encoder reads the frames, and a decoder writes a text. There, at the output, are the tokens.
