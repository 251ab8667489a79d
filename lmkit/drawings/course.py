"""The course as a whole: which chapter builds on which, and how long each takes."""

from collections.abc import Mapping
from typing import NamedTuple

from matplotlib.figure import Figure

from lmkit.drawings.canvas import Canvas


class Chapter(NamedTuple):
    """A chapter on the map: its centre, its label and the hours that it takes; `needs` and `helped_by` by number."""

    place: tuple[float, float]
    label: str
    hours: str
    needs: tuple[str, ...] = ()
    helped_by: tuple[str, ...] = ()


# Hours: the minutes that a chapter's tasks and questions announce, plus a quarter of that for reading and for figures,
# to the nearest half hour. tests/test_workplace.py adds them up.
CHAPTERS = {
    "01": Chapter((1.75, 7.4), "a machine\nthat babbles", "2½"),
    "02": Chapter((5.25, 7.4), "smoothing", "5½", needs=("01",)),
    "03": Chapter((1.75, 5.3), "word vectors", "6", needs=("01",)),
    "04": Chapter((5.25, 5.3), "word windows", "6½", needs=("01",), helped_by=("03",)),
    "05": Chapter((8.75, 5.3), "a network\nthat remembers", "3½", needs=("04",)),
    "06": Chapter((12.25, 5.3), "attention", "4½", needs=("05",)),
    "07": Chapter((12.25, 3.2), "reading\nboth ways", "6", needs=("06",)),
    "08": Chapter((8.75, 3.2), "your own\nTransformer", "4", needs=("06",), helped_by=("07",)),
    "09": Chapter((5.25, 3.2), "one sequence\nto another", "5½", needs=("08",)),
    "10": Chapter((8.75, 1.1), "all models\non one text", "3", needs=("08",)),
    "11": Chapter((12.25, 1.1), "whatever can\nbe tokenised", "3", needs=("08",), helped_by=("07",)),
}


def course_map(points: Mapping[str, tuple[float, float]] | None = None) -> Figure:
    """The map of the chapters. `points` gives what was earned and what can be, by number: ("01", (12, 66)).

    A chapter in which points were earned says how many; a complete one is coloured.
    """
    canvas = Canvas(14, 8.4)
    boxes = {}
    for number, chapter in CHAPTERS.items():
        earned, most = (points or {}).get(number, (0, 0))
        below = f"{earned:g} of {most:g} points" if earned else f"{chapter.hours} hours"
        role = "output" if earned and earned == most else None
        boxes[number] = canvas.box(*chapter.place, 2.9, 1.6, f"{number} {chapter.label}\n{below}", role, size=10)
    for number, chapter in CHAPTERS.items():
        for other in (*chapter.needs, *chapter.helped_by):
            start, end = boxes[other], boxes[number]
            if start.y == end.y:
                ends = (start.right, end.left) if start.x < end.x else (start.left, end.right)
            elif start.x == end.x:
                ends = (start.top, end.bottom) if start.y < end.y else (start.bottom, end.top)
            else:  # from corner to corner
                side = 1.2 if start.x < end.x else -1.2
                ends = (start.x + side, start.y - start.height / 2), (end.x - side, end.y + end.height / 2)
            canvas.arrow(*ends, dashed=other in chapter.helped_by)
    canvas.arrow((7.3, 7.7), (8.4, 7.7))
    canvas.text(8.7, 7.7, "builds on the one before", 10, align="left")
    canvas.arrow((7.3, 7.0), (8.4, 7.0), dashed=True)
    canvas.text(8.7, 7.0, "uses part of it", 10, align="left")
    return canvas.figure
