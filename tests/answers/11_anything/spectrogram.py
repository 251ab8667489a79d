"""Answers to the task spectrogram of chapter 11."""


# %% right="a loop over frames, the sums as matrices"
def frames(x, N, hop):
    L = x.shape[1]
    if L < N:
        raise ValueError("too short")
    return torch.stack([x[:, s : s + N] for s in range(0, L - N + 1, hop)], dim=1)


def magnitudes(frames):
    N = frames.shape[-1]
    j = torch.arange(N).double()
    k = torch.arange(N // 2 + 1).double()
    turn = 2 * math.pi * j[:, None] * k / N
    f = frames.double() * (0.5 - 0.5 * torch.cos(2 * math.pi * j / N))
    return ((f @ turn.cos()) ** 2 + (f @ turn.sin()) ** 2).sqrt()


# %% right="an index of arange, torch's window"
def frames(x, N, hop):
    if N > x.shape[1]:
        raise ValueError(f"{x.shape[1]} < {N}")
    T = 1 + (x.shape[1] - N) // hop
    return x[:, torch.arange(T)[:, None] * hop + torch.arange(N)]


def magnitudes(frames):
    N = frames.shape[2]
    window = torch.hann_window(N, dtype=frames.dtype)
    return torch.fft.fft(window * frames)[..., : N // 2 + 1].abs()


# %% right="numpy inside"
def frames(x, N, hop):
    if x.shape[1] < N:
        raise ValueError("no frame fits")
    windows = np.lib.stride_tricks.sliding_window_view(x.numpy(), N, axis=1)
    return torch.from_numpy(windows[:, ::hop].copy())


def magnitudes(frames):
    N = frames.shape[2]
    w = np.hanning(N + 1)[:N]
    return torch.from_numpy(np.abs(np.fft.rfft(frames.numpy() * w)))


# %% wrong="one frame too few" caught_by="whole frames, overlapping or not" change="return x.unfold(1, N, hop) -> return x.unfold(1, N, hop)[:, : max(1, (x.shape[1] - N) // hop)]"


# %% wrong="frames side by side, the hop unused" caught_by="whole frames, overlapping or not" change="unfold(1, N, hop) -> unfold(1, N, N)"


# %% wrong="a hop is never larger than a frame" caught_by="whole frames, overlapping or not" change="unfold(1, N, hop) -> unfold(1, N, min(N, hop))"


# %% wrong="the last samples get a frame of their own" caught_by="whole frames, overlapping or not" change="return x.unfold -> return F.pad(x, (0, -(x.shape[1] - N) % hop)).unfold"


# %% wrong="N and time exchanged" caught_by="whole frames, overlapping or not" change="return x.unfold(1, N, hop) -> return x.unfold(1, N, hop).transpose(1, 2)"


# %% wrong="a short sound gets zeros" caught_by="whole frames, overlapping or not" change="raise ValueError(f\"{x.shape[1]} samples are less than a frame of {N}.\") -> x = F.pad(x, (0, N - x.shape[1]))"


# %% wrong="a sound of one frame is refused" caught_by="whole frames, overlapping or not" change="x.shape[1] < N -> x.shape[1] <= N"


# %% wrong="a short sound gives no frames" caught_by="whole frames, overlapping or not" change="raise ValueError(f\"{x.shape[1]} samples are less than a frame of {N}.\") -> return x.new_zeros(len(x), 0, N)"


# %% wrong="the batch's length is looked at" caught_by="whole frames, overlapping or not" change="x.shape[1] < N -> x.shape[0] > N"


# %% wrong="a symmetric window" caught_by="each frequency, by the sum" change="j / N) -> j / (N - 1))"


# %% wrong="no window" caught_by="each frequency, by the sum" change="frames * w -> frames"


# %% wrong="Hamming's window" caught_by="each frequency, by the sum" change="0.5 - 0.5 * torch.cos -> 0.54 - 0.46 * torch.cos"


# %% wrong="the window twice" caught_by="each frequency, by the sum" change="frames * w -> frames * w**2"


# %% wrong="power instead of magnitude" caught_by="each frequency, by the sum" change=".abs() -> .abs() ** 2"


# %% wrong="the real part alone" caught_by="each frequency, by the sum" change=".abs() -> .real.abs()"


# %% wrong="complex numbers" caught_by="each frequency, by the sum" change="torch.fft.rfft(frames * w).abs() -> torch.fft.rfft(frames * w)"


# %% wrong="divided by the root of N" caught_by="each frequency, by the sum" change="rfft(frames * w) -> rfft(frames * w, norm=\"ortho\")"


# %% wrong="all frequencies, the mirrored ones too" caught_by="each frequency, by the sum" change="rfft(frames * w) -> fft(frames * w)"


# %% wrong="the last frequency is missing" caught_by="each frequency, by the sum" change="rfft(frames * w).abs() -> rfft(frames * w).abs()[..., : N // 2]"


# %% wrong="N is taken for even" caught_by="each frequency, by the sum" change="rfft(frames * w) -> rfft(frames * w, n=N + N % 2)"


# %% wrong="along time" caught_by="each frequency, by the sum" change="rfft(frames * w) -> rfft(frames * w, dim=1)"


# %% wrong="the mean taken away" caught_by="both together are torch's stft" change="rfft(frames * w) -> rfft((frames - frames.mean(-1, keepdim=True)) * w)"


# %% wrong="in decibels" caught_by="both together are torch's stft" change=".abs() -> .abs().clamp(min=1e-9).log10() * 20"


# %% wrong="a symmetric window for long odd frames" caught_by="both together are torch's stft" change="2 * torch.pi * j / N) -> 2 * torch.pi * j / (N - (N > 100) * (N % 2)))"


# %% wrong="a thousand frames at most" caught_by="whole frames, overlapping or not" change="return x.unfold(1, N, hop) -> return x.unfold(1, N, hop)[:, :1000]"


# %% wrong="power, if the frame is long" caught_by="each frequency, by the sum" change=".abs() -> .abs() ** (2 if N > 2048 else 1)"


# %% wrong="all sounds as one" caught_by="whole frames, overlapping or not"
# -         raise ValueError(f"{x.shape[1]} samples are less than a frame of {N}.")
# -     return x.unfold(1, N, hop)
# +         raise ValueError("not one frame fits")
# +     return x.reshape(1, -1).unfold(1, N, hop)


# %% wrong="the rest dropped in front" caught_by="whole frames, overlapping or not"
# -     if x.shape[1] < N:
# -         raise ValueError(f"{x.shape[1]} samples are less than a frame of {N}.")
# -     return x.unfold(1, N, hop)
# +     B, L = x.shape
# +     if L < N:
# +         raise ValueError("not one frame fits")
# +     return x[:, (L - N) % hop :].unfold(1, N, hop)
