"""The picture in docs/architecture.md: where a chapter and a submission go. `python -m benchmarks.diagram`"""

from pathlib import Path

from lmkit.drawings.canvas import SMALL, Canvas

FILE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "architecture.png"
DOTS_PER_INCH = 110  # 1,100 pixels wide


def draw() -> Canvas:
    """Two rows of what authors and students have, and below them the way of a submission."""
    canvas = Canvas(20.2, 9.4)
    text = canvas.box(2.1, 8.3, 3.2, 1.5, "a chapter's text\nNN_topic.py", "input")
    authoring = canvas.box(6.7, 8.3, 3.2, 1.5, "authoring\nbuilds, checks", "query")
    reference = canvas.box(12.0, 8.3, 4.2, 1.5, "reference (solutions/)\nanswers, hidden tests", "input")
    release = canvas.box(6.7, 5.6, 3.2, 1.5, "release\n(notebooks/)", "input")
    student = canvas.box(12.0, 5.6, 4.2, 1.5, "a student solves it\n(learner: check, map)", "query")
    submission = canvas.box(17.6, 5.6, 3.4, 1.5, "a submission\n(any file at all)", "gradient")
    intake = canvas.box(17.6, 2.3, 3.4, 2.2, "intake\nrebuilds it: only\nanswers are theirs", "query")
    agent = canvas.box(12.9, 1.7, 2.8, 1.9, "student code,\nin bubblewrap", "gradient")
    judge = canvas.box(8.9, 1.7, 2.8, 1.9, "the judge\nruns the tests", "query")
    canvas.box(10.9, 1.9, 7.6, 3.3, rounded=False, dashed=True, behind=True)
    canvas.text(10.9, 3.15, "wall", SMALL)
    canvas.arrow((10.9, 0.5), (10.9, 2.9), head=False, width=4)
    grading = canvas.box(4.9, 2.3, 2.9, 1.7, "grading\none gradebook", "query")
    pages = canvas.box(1.6, 2.3, 2.5, 1.7, "pages\nfeedback,\nreports", "output")
    for start, end in ((text, authoring), (authoring, reference), (release, student), (student, submission)):
        canvas.arrow(start.right, end.left)
    canvas.arrow(authoring.bottom, release.top)
    canvas.arrow(submission.bottom, intake.top)
    canvas.arrow(reference.right, (19.9, 8.3), (19.9, 2.3), intake.right, dashed=True)
    canvas.text(17.0, 8.65, "tests and given cells", SMALL)
    canvas.arrow(intake.left, (14.7, 2.3))
    canvas.arrow((judge.right[0], 2.05), (agent.left[0], 2.05))
    canvas.arrow((agent.left[0], 1.35), (judge.right[0], 1.35))
    canvas.arrow((7.1, 2.3), grading.right)
    canvas.arrow(grading.left, pages.right)
    return canvas


def main() -> None:
    """Write the picture."""
    FILE.parent.mkdir(exist_ok=True)
    draw().figure.savefig(FILE, dpi=DOTS_PER_INCH, metadata={"Software": None})
    print(f"{FILE.name}: {FILE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
