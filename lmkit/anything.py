"""Data of chapter 11 that no text is: drawn shapes, played notes, an arm with two joints; and a reader of patches.

    images, kinds = shapes(500, seed=1)          [500, 3, 16, 16] in 0..1, and [500] numbers of SHAPES
    sound, notes = tunes(20, seed=1)             [20, 8000] samples at 8 kHz, and the note at each sample
    angles = reach(points)                       [T, 2] places of the hand -> [T, 2] angles of shoulder and elbow
    points = hand(angles)                        and back
    short_words(step, start, accepting, 4)       the words of up to 4 symbols that an automaton accepts

Everything is drawn from the seed alone, so that the same call gives the same data.
"""

from collections.abc import Collection, Hashable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

SHAPES = ("square", "disk", "triangle", "cross")
SIZE = 16  # pixels on each side of a picture
RATE = 8000  # samples a second
NOTES = 440 * 2 ** (np.arange(8) / 12)  # Hz: eight neighbouring semitones; the number 0 stands for silence


def shapes(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """`count` pictures [count, 3, 16, 16] with numbers from 0 to 1, and what they show [count], numbers of SHAPES.

    Place, size and both colours are drawn, a bright one on a dark ground; every pixel has a little noise.
    """
    draws = np.random.default_rng(seed)
    kinds = draws.integers(len(SHAPES), size=count)
    r = draws.uniform(3, 5, size=(count, 1, 1))  # half the height, in pixels
    x, y = draws.uniform(r, SIZE - 1 - r, size=(2, count, 1, 1))  # the middle
    down, right = np.mgrid[:SIZE, :SIZE]
    a, b = np.abs(right - x), np.abs(down - y)
    inside = np.select(
        [kinds[:, None, None] == number for number in range(len(SHAPES))],
        [
            np.maximum(a, b) <= 0.85 * r,
            a**2 + b**2 <= r**2,
            (b <= r) & (a <= (down - y + r) / 2),
            (np.minimum(a, b) <= r / 3) & (np.maximum(a, b) <= r),
        ],
    )
    ground, colour = draws.uniform(0, 0.45, size=(count, 3)), draws.uniform(0.55, 1, size=(count, 3))
    images = np.where(inside[:, None], colour[:, :, None, None], ground[:, :, None, None])
    images = np.clip(images + draws.normal(0, 0.05, size=images.shape), 0, 1)
    return torch.from_numpy(images.astype(np.float32)), torch.from_numpy(kinds)


def tunes(count: int, seed: int, noise: float = 1.0, samples: int = RATE) -> tuple[Tensor, Tensor]:
    """`count` melodies: samples [count, samples], and at each sample the note that sounds, 1 to 8, or 0 for silence.

    A note lasts 40 to 160 ms and has two overtones; `noise` is the deviation of what is added to every sample.
    """
    draws = np.random.default_rng(seed)
    time = np.arange(samples) / RATE
    sound, notes = np.zeros((count, samples)), np.zeros((count, samples), dtype=np.int64)
    for row in range(count):
        begin = 0
        while begin < samples:
            end = begin + int(draws.integers(RATE * 40 // 1000, RATE * 160 // 1000))
            note = int(draws.integers(len(NOTES) + 1))
            notes[row, begin:end] = note
            phases = draws.uniform(0, 2 * np.pi, size=3)
            for overtone in range(3 if note else 0):
                turns = NOTES[note - 1] * (overtone + 1) * time[begin:end]
                sound[row, begin:end] += np.sin(2 * np.pi * turns + phases[overtone]) / (overtone + 1)
            begin = end
    sound += draws.normal(0, noise, size=sound.shape)
    return torch.from_numpy(sound.astype(np.float32)), torch.from_numpy(notes)


def hand(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where the hand is, [T, 2], for the angles [T, 2] of shoulder and elbow in radians; both bones have length 1."""
    shoulder, both = angles[:, 0], angles.sum(1)
    return np.stack([np.cos(shoulder) + np.cos(both), np.sin(shoulder) + np.sin(both)], axis=1)


def reach(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The angles [T, 2] of shoulder and elbow that bring the hand to the points [T, 2], elbow bent to the left.

    ValueError if a point is farther away than the arm is long, 2.
    """
    far = np.hypot(points[:, 0], points[:, 1])
    if (far > 2).any():
        raise ValueError(f"The hand reaches 2 units far; a point is {far.max():.2f} away: choose nearer points.")
    elbow = np.arccos(np.clip(far**2 / 2 - 1, -1, 1))
    shoulder = np.arctan2(points[:, 1], points[:, 0]) - elbow / 2
    return np.stack([np.unwrap(shoulder), elbow], axis=1)


class PatchReader(nn.Module):
    """A small Transformer over patches: what does the picture show? [B, T, n] -> scores [B, kinds].

    Each patch of n numbers is projected to `width` and gets a learned vector of its place; two encoder layers; the mean
    over the patches is read out. `places=False` leaves the places out.
    """

    def __init__(self, patches: int, numbers: int, kinds: int, width: int = 48, places: bool = True) -> None:
        super().__init__()
        self.project = nn.Linear(numbers, width)
        self.places = nn.Parameter(torch.randn(patches, width) * 0.02) if places else None
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(width, kinds)

    def forward(self, patches: Tensor) -> Tensor:
        """Patches [B, T, n] -> scores [B, kinds]."""
        x = self.project(patches)
        if self.places is not None:
            x = x + self.places
        scores: Tensor = self.out(self.layers(x).mean(1))
        return scores


def short_words(
    rules: Mapping[tuple[Hashable, ...], Hashable], start: Hashable, accepting: Collection[Hashable], longest: int
) -> set[str]:
    """All words of at most `longest` symbols that an automaton of chapter 11 accepts, each as one string.

    `rules` is `{(state, symbol): state}` or, with a stack, `{(state, symbol, top): (state, action)}`. The words are not
    tried one by one: every rule is followed from every configuration that can be reached.
    """
    reached: list[tuple[str, Hashable, tuple[Hashable, ...]]] = [("", start, ())]
    accepted = set()
    for length in range(longest + 1):
        accepted |= {word for word, state, stack in reached if state in accepting and not stack}
        if length < longest:
            reached = [
                (word + str(rule[1]), *after)
                for word, state, stack in reached
                for rule, then in rules.items()
                if (after := _after(state, stack, rule, then)) is not None
            ]
    return accepted


def _after(
    state: Hashable, stack: tuple[Hashable, ...], rule: tuple[Hashable, ...], then: Hashable
) -> tuple[Hashable, tuple[Hashable, ...]] | None:
    """State and stack, its top first, after a rule; None where it does not apply."""
    if rule[0] != state:
        return None
    if len(rule) == 2:
        return then, stack
    top = stack[0] if stack else None
    assert isinstance(then, tuple | list)
    new, action = then
    if rule[2] != top or (action == "pop" and not stack):
        return None
    return new, {"push": (rule[1], *stack), "pop": stack[1:]}.get(str(action), stack)
