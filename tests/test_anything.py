"""Data of chapter 11: shapes told apart, notes that sound where they should, an arm that reaches; its records."""

import numpy as np
import pandas as pd
import pytest
import torch

from lmkit import anything, paths


def test_shapes_are_drawn_from_the_seed_alone_and_lie_in_the_picture() -> None:
    images, kinds = anything.shapes(300, 7)
    again, _ = anything.shapes(300, 7)
    assert images.shape == (300, 3, 16, 16) and torch.equal(images, again)
    assert images.min() >= 0 and images.max() <= 1
    assert set(kinds.tolist()) == {0, 1, 2, 3}
    border = torch.cat([images[:, :, 0], images[:, :, -1], images[:, :, :, 0], images[:, :, :, -1]], dim=2)
    assert border.mean() < 0.35, "the borders show the dark ground"


def test_shapes_fill_what_their_names_say() -> None:
    images, kinds = anything.shapes(2000, 3)
    inside = images.mean(1) > 0.5
    rows, columns = inside.any(2).sum(1), inside.any(1).sum(1)
    share = inside.sum((1, 2)) / (rows * columns)  # of the smallest box around the shape
    means = [share[kinds == number].mean().item() for number in range(4)]
    square, disk, triangle, cross = means
    assert square > 0.97 and 0.7 < disk < 0.9 and 0.4 < triangle < 0.7 and 0.4 < cross < 0.7, means
    triangles = inside[kinds == 2].float()
    weight = (triangles.sum(2) * torch.arange(16.0)).sum(1) / triangles.sum((1, 2))
    box = torch.stack([torch.nonzero(one.any(1)).float().mean() for one in triangles])
    assert (weight > box).float().mean() > 0.95, "a triangle stands on its base"


def test_tunes_sound_at_the_frequencies_of_their_notes() -> None:
    sound, notes = anything.tunes(4, 1, noise=0.01)
    assert sound.shape == notes.shape == (4, anything.RATE)
    for row in range(4):
        for note in range(1, 9):
            there = notes[row] == note
            if there.sum() < 300:
                continue
            begin = int(torch.nonzero(there)[0])
            piece = sound[row, begin : begin + 300]
            power = torch.fft.rfft(piece * torch.hann_window(300), n=8000).abs()
            assert abs(int(power[350:750].argmax()) + 350 - anything.NOTES[note - 1]) < 6, (row, note)
    silent = sound[notes == 0]
    assert silent.abs().mean() < 0.02 < sound[notes > 0].abs().mean()


def test_the_arm_reaches_the_points_and_no_farther() -> None:
    turn = np.linspace(0, 2 * np.pi, 50)
    points = np.stack([0.9 + 0.6 * np.cos(turn), 0.2 + 0.6 * np.sin(turn)], axis=1)
    assert np.allclose(anything.hand(anything.reach(points)), points)
    with pytest.raises(ValueError, match="choose nearer points"):
        anything.reach(np.array([[2.0, 0.5]]))


def test_places_are_all_that_tells_permuted_patches_apart() -> None:
    torch.manual_seed(0)
    patches = torch.randn(2, 16, 48)
    order = torch.randperm(16)
    for places in (False, True):
        model = anything.PatchReader(16, 48, 4, places=places).eval()
        with torch.no_grad():
            same = torch.allclose(model(patches), model(patches[:, order]), atol=1e-5)
        assert same is not places


def test_records_say_what_the_chapter_says() -> None:
    pictures = pd.read_csv(paths.DATA / "anything" / "pictures.csv")
    right = pictures.groupby(["model", "pictures"])["right"].mean()
    assert (pictures.groupby(["model", "pictures"]).size() == 3).all()
    assert right["linear"].max() < 0.5
    assert (right["no places"] > right["places"]).all()
    assert (right["convolution"] > right["no places"]).all()
    mixed = pd.read_csv(paths.DATA / "anything" / "mixed.csv").groupby(["model", "kind"]).mean(numeric_only=True)
    alone, together = mixed.loc["alone"]["nats"], mixed.loc["together"]["nats"]
    assert abs(together["picture"] / alone["picture"] - 1) < 0.05 and abs(together["arm"] / alone["arm"] - 1) < 0.05
    assert together["words"] < 0.5 * alone["words"]
    assert mixed.loc[("together", "words"), "swapped"] > 3 * alone["words"]
    assert mixed.loc[("together", "arm"), "kind_nats"] == pytest.approx(-np.log(67 / 91) / 24, rel=0.1)
    assert mixed.loc[("together", "picture"), "kind_nats"] == pytest.approx(-np.log(24 / 91) / 64, rel=0.1)


def test_short_words_of_automata_with_and_without_a_stack() -> None:
    step = {(0, "a"): 1, (1, "b"): 0}
    assert anything.short_words(step, 0, {0}, 5) == {"", "ab", "abab"}
    assert anything.short_words(step, 0, [1], 3) == {"a", "aba"}
    assert anything.short_words(step, 1, {7}, 3) == set()
    rules = {
        ("a", "a", None): ("a", "push"),
        ("a", "a", "a"): ("a", "push"),
        ("a", "b", "a"): ("b", "pop"),
        ("b", "b", "a"): ("b", "pop"),
        ("b", "c", None): ("b", "keep"),
        ("b", "d", None): ("b", "pop"),
    }
    assert anything.short_words(rules, "a", {"a", "b"}, 5) == {"", "ab", "aabb", "abc", "abcc", "abccc", "aabbc"}
    assert anything.short_words(rules, "a", {"b"}, 4) == {"ab", "aabb", "abc", "abcc"}
