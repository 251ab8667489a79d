"""The models that a learner has made, as a course keeps them in JSON files beside the notebooks (docs/gallery.md)."""

from pathlib import Path

import msgspec

from autograder.intake.files import UnreadableSubmission, read_file
from autograder.learner.workplace import NOTES

MOST_MODELS = 100
LONGEST_TEXT = 400  # characters of a continuation, as a cell of a course shortens it
FORMER = "~1"  # ends the name of a model that was replaced by one of the same name


class Model(msgspec.Struct):
    """A model of the gallery as its file describes it: what a page shows of it."""

    name: str
    text: str
    continuations: dict[str, str]
    kept: str
    chapter: int | None = None
    bits_per_byte: float | None = None
    bits_above_floor: float | None = None
    minutes: float | None = None

    @property
    def facts(self) -> str:
        """What was measured, and on which text, in one line."""
        known = [
            f"learned from {self.text}" if self.text else "",
            "" if self.bits_above_floor is None else f"{self.bits_above_floor:.2f} bits above the floor",
            "" if self.bits_per_byte is None else f"{self.bits_per_byte:.2f} bits per byte",
            "" if self.minutes is None else f"{self.minutes:.1f} minutes of training",
            f"kept on {self.kept[:10]}",
        ]
        return "; ".join(filter(None, known))

    @property
    def shown(self) -> list[tuple[str, str]]:
        """The first three prompts, each with how the model went on."""
        return [
            (prompt, more if len(more) <= LONGEST_TEXT else more[:LONGEST_TEXT] + "…")
            for prompt, more in [*self.continuations.items()][:3]
        ]


def models_in(folder: Path) -> tuple[list[Model], list[str]]:
    """The models of a gallery, the latest first, and a line on each file that is none."""
    found: list[Model] = []
    left: list[str] = []
    for path in sorted(folder.glob("*.json"))[: 2 * MOST_MODELS]:  # with those that were replaced
        if path.stem.endswith(FORMER):
            continue
        try:
            found.append(msgspec.json.decode(read_file(path), type=Model))
        except (UnreadableSubmission, msgspec.DecodeError, RecursionError) as problem:
            left.append(f"{path} is left out: {problem}")
    return sorted(found, key=lambda model: (model.kept, model.name), reverse=True)[:MOST_MODELS], left


def gallery_near(notebook: Path) -> Path:
    """Where a notebook at that place keeps its models."""
    ours = (folder for folder in notebook.parents if (folder / NOTES).is_file())
    return next(ours, notebook.parent) / "gallery"
