"""A chapter as its author wrote it: cells with short keys, checked, and turned into nbgrader's metadata."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.chapter.cells import (
    BEGIN_HIDDEN,
    BEGIN_SOLUTION,
    CHANGES,
    CHECKS,
    END_HIDDEN,
    END_SOLUTION,
    first_line_of_test,
    line_when_passed,
)
from autograder.chapter.text import Cell, SourceError, Text, read_text
from autograder.course import CourseError
from autograder.wording import count

# Which keys a cell of each kind must and may carry; the kind is named by the first key found.
KINDS: dict[str, dict[str, type]] = {
    "task": {"task": str, "points": int, "level": int, "minutes": int, "changes": bool},
    "family": {"family": str},
    "test": {"test": str, "aspect": str, "points": int},
    "written": {"written": str, "points": int, "minutes": int},
    "statement": {"statement": str},
    "hints": {"hints": str},
    "scratch": {"scratch": bool},
    "include": {"include": str},
}
OPTIONAL = {"changes"}  # true where a task is to change its arguments in place
# What cells of the course may carry as well: what is to be seen in their figure, and what a folded one does.
ALT, FOLDED = "alt", "folded"
WITH_ALT = ("given", "include", "test")
MARKDOWN_KINDS = {"statement", "hints"}
ANSWERS = ("task", "written")
RUN_ME = " (run me: Shift+Enter)"  # how the first line of a folded cell ends, which is all one sees of it
LONGEST_ID = 64  # Jupyter's limit for the id of a cell
LEVELS = range(1, 5)
RUBRIC, SAMPLE, FEWEST_SAMPLES = "**Rubric.**", "**Sample,", 3  # how the parts of a written question's solution begin
HINT_TITLES = ("a nudge", "the idea", "the line of reasoning")
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


@dataclass(frozen=True)
class Chapter:
    """A chapter whose keys have been checked: every task has a statement, hints and tests worth its points."""

    text: Text

    @property
    def path(self) -> Path:
        return self.text.path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def cells(self) -> list[Cell]:
        return self.text.cells

    def tasks(self) -> list[Cell]:
        return [cell for cell in self.cells if kind_of(cell) == "task"]

    def written(self) -> list[Cell]:
        """Questions that are answered in the student's own words (or code) and graded by a person."""
        return [cell for cell in self.cells if kind_of(cell) == "written"]

    def tests(self, task: str) -> list[Cell]:
        return [cell for cell in self.cells if cell.keys.get("test") == task]


def read_chapter(path: Path) -> Chapter:
    """Read and check a chapter. Raises SourceError at the first mistake."""
    chapter = Chapter(read_text(path))
    if not chapter.text.header.get("title"):
        first = chapter.cells[0].path if chapter.cells else path
        raise SourceError(first, 1, "Begin the file with a block `# ---`, `# title: ...`, `# ---`.")
    check_cells(chapter.cells)
    chapter = _with_families(chapter)
    _check_tasks(chapter)
    return chapter


def _with_families(chapter: Chapter) -> Chapter:
    """The chapter without its family cells: what one holds is written into each hidden part of its task's tests."""
    families: dict[str, Cell] = {}
    for cell in chapter.cells:
        if kind_of(cell) == "family":
            task = cell.keys["family"]
            if task in families:
                raise cell.error(f"{task!r} has a family already, in {families[task].place}: join the two.")
            if not any(BEGIN_HIDDEN in test.source for test in chapter.tests(task)):
                raise cell.error(f"No test of a task {task!r} has a hidden part: mend the name or remove this cell.")
            families[task] = cell
    cells = []
    for cell in chapter.cells:
        if (family := families.get(cell.keys.get("test", ""))) is not None:
            source = cell.source.replace(BEGIN_HIDDEN, f"{BEGIN_HIDDEN}\n{family.source}", 1)
            cell = replace(cell, source=source)
        if kind_of(cell) != "family":
            cells.append(cell)
    return Chapter(replace(chapter.text, cells=cells))


def check_cells(cells: Sequence[Cell]) -> None:
    """Check what each cell says by itself. Raises SourceError at the first mistake."""
    for cell in cells:
        _check_keys(cell)
        _check_regions(cell)
        _check_formulas(cell)


def kind_of(cell: Cell) -> str:
    """What a cell is: a key of KINDS, or "text" for markdown and "given" for locked code."""
    for kind in KINDS:
        if kind in cell.keys:
            return kind
    return "text" if cell.cell_type == "markdown" else "given"


def grade_id(task: str, aspect: str) -> str:
    """nbgrader's name of the test cell that checks `aspect` of `task`."""
    return f"{task}--{_slug(aspect)}"


def without_marks(source: str) -> str:
    """A task cell as its answer: without the lines that enclose the solution."""
    return "\n".join(line for line in source.split("\n") if line.strip() not in (BEGIN_SOLUTION, END_SOLUTION))


def notebook_of(chapter: Chapter, find_chapter: Callable[[str], Path]) -> NotebookNode:
    """The source notebook with nbgrader's metadata and stable cell ids, not yet executed.

    `find_chapter(name)` gives the path of another chapter's text, for cells that include one of its answers.
    """
    cells = [
        _built_cell(chapter, cell, name, find_chapter)
        for cell, name in zip(chapter.cells, cell_names(chapter), strict=True)
    ]
    title = new_markdown_cell(f"# {chapter.text.header['title']}", id="title")
    notebook: NotebookNode = new_notebook(
        cells=[title, *cells],
        metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}},
    )
    return notebook


def cell_names(chapter: Chapter) -> list[str]:
    """What each cell is called in the notebook: the grade id, or its section's heading and a number.

    Numbers begin anew in each section, so that an edit elsewhere renames no cell.
    """
    names = []
    numbers: dict[str, int] = {}
    section = "start"
    for cell in chapter.cells:
        kind = kind_of(cell)
        heading = re.search(r"^#+ (.+)$", cell.source, flags=re.MULTILINE)
        if cell.cell_type == "markdown" and heading and kind != "written":  # ### BEGIN SOLUTION is no heading
            section = _slug(heading.group(1))
        if kind in ANSWERS:
            names.append(_named(cell))
        elif kind == "test":
            names.append(grade_id(cell.keys["test"], cell.keys["aspect"]))
        else:
            numbers[section] = numbers.get(section, 0) + 1
            names.append(f"{section[: LONGEST_ID - 8]}-{numbers[section]}")
    return names


def _built_cell(chapter: Chapter, cell: Cell, name: str, find_chapter: Callable[[str], Path]) -> NotebookNode:
    built = _plain_cell(chapter, cell, name, find_chapter)
    if kind_of(cell) in ("test", "include") or FOLDED in cell.keys:
        built.metadata["jupyter"] = {"source_hidden": True}
    if ALT in cell.keys:
        built.metadata[ALT] = cell.keys[ALT]  # nbconvert and the site read it there
    return built


def _folded(does: str, source: str) -> str:
    """The code under a line that says what it does."""
    return f"# {does[:1].upper()}{does[1:]}{RUN_ME}\n{source}"


def without_first_line(cell: NotebookNode) -> str:
    """The code of a built cell without the line that the build writes on top of folded ones."""
    source: str = cell.source
    first, _, rest = source.partition("\n")
    return rest if first.startswith(CHECKS) or first.endswith(RUN_ME) else source


def _plain_cell(chapter: Chapter, cell: Cell, name: str, find_chapter: Callable[[str], Path]) -> NotebookNode:
    kind = kind_of(cell)
    if kind == "task":
        task = _code(name, cell.source, solution=True)
        if "changes" in cell.keys:
            task.metadata[CHANGES] = True
        return task
    if kind == "test":
        aspect, points = cell.keys["aspect"], cell.keys["points"]
        first_line = first_line_of_test(cell.keys["test"], aspect, count(points, "point"))
        source = f"{first_line}\n{cell.source}\n{line_when_passed(aspect)}"
        return _code(name, source, grade=True, locked=True, points=points)
    if kind == "written":
        return _written(cell)
    if kind == "statement":
        return _markdown(name, _with_task_line(chapter, cell))
    if kind == "hints":
        return _markdown(name, _folded_hints(cell))
    if kind == "text":
        return _markdown(name, cell.source)
    if kind == "scratch":
        scratch: NotebookNode = new_code_cell(cell.source, id=name)
        return scratch
    source = cell.source
    if kind == "include":
        topic, _, task = cell.keys["include"].partition(":")
        source = (
            f"# Carries over {task} from chapter {topic.partition('_')[0]}{RUN_ME}\n{_included(cell, find_chapter)}"
        )
    elif FOLDED in cell.keys:
        words = cell.keys[FOLDED]
        source = f"# {words[:1].upper()}{words[1:]}{RUN_ME}\n{source}"
    return _code(name, source, locked=True)


def _markdown(name: str, source: str) -> NotebookNode:
    cell: NotebookNode = new_markdown_cell(source, id=name)
    return cell


def _written(cell: Cell) -> NotebookNode:
    """The cell for the student's answer, in the reference with rubric and sample answers; in words or in code."""
    name, points = cell.keys["written"], cell.keys["points"]
    code = _code(name, cell.source, grade=True, solution=True, points=points)
    if cell.cell_type == "code":
        return code
    markdown: NotebookNode = new_markdown_cell(cell.source, id=name, metadata=code.metadata)
    return markdown


def _code(
    name: str, source: str, grade: bool = False, solution: bool = False, locked: bool = False, points: int | None = None
) -> NotebookNode:
    nbgrader = {
        "grade": grade,
        "grade_id": name,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    if points is not None:
        nbgrader["points"] = points
    cell: NotebookNode = new_code_cell(source, id=name, metadata={"nbgrader": nbgrader})
    return cell


def _with_task_line(chapter: Chapter, cell: Cell) -> str:
    name = cell.keys["statement"]
    keys = next(other.keys for other in [*chapter.tasks(), *chapter.written()] if _named(other) == name)
    kind = "Question" if "written" in keys else "Task"
    level = "graded by a person" if "written" in keys else f"level {keys['level']} of {LEVELS[-1]}"
    line = (
        f"> **{kind}** `{name}` · {level} · about {count(keys['minutes'], 'minute')} · {count(keys['points'], 'point')}"
    )
    heading, _, rest = cell.source.partition("\n")
    if heading.startswith("#"):
        return f"{heading}\n\n{line}\n\n{rest.lstrip()}"
    return f"{line}\n\n{cell.source}"


def _named(cell: Cell) -> str:
    """What a task or a written question is called."""
    name: str = cell.keys[kind_of(cell)]
    return name


def _folded_hints(cell: Cell) -> str:
    hints = re.split(r"^\d\. ", cell.source, flags=re.MULTILINE)
    if len(hints) != len(HINT_TITLES) + 1 or hints[0].strip():
        raise cell.error("Write the hints as one list of exactly three items: `1.`, `2.`, `3.`.")
    return "\n".join(
        f"<details><summary>Hint {number}: {title}</summary>\n\n{_dedent(hint)}\n\n</details>"
        for number, (title, hint) in enumerate(zip(HINT_TITLES, hints[1:], strict=True), start=1)
    )


def _included(cell: Cell, find_chapter: Callable[[str], Path]) -> str:
    reference = cell.keys["include"]
    name, _, task = reference.partition(":")
    try:
        source = find_chapter(name)
    except CourseError:
        raise cell.error(f'include="{reference}": there is no chapter {name!r}; write "NN_topic:task".') from None
    for other in read_chapter(source).tasks():
        if other.keys["task"] == task:
            return without_marks(other.source)
    raise cell.error(f'include="{reference}": chapter {name} has no task {task!r}.')


def _check_keys(cell: Cell) -> None:
    kind = kind_of(cell)
    if not cell.keys:
        return
    known = KINDS.get(kind, {})
    words = [word for word, kinds in {ALT: WITH_ALT, FOLDED: ("given",)}.items() if kind in kinds]
    for key in cell.keys:
        if key not in known and key not in words:
            hint = f"a {kind} cell takes {', '.join([*known, *words])}"
            if not known:
                hint = f"a cell begins with one of {', '.join([*KINDS, *words])}"
            owners = [name for name, keys in KINDS.items() if key in keys]
            if owners and not known:
                hint = f"write {' or '.join(f'{name}=' for name in owners)} before it"
            raise cell.error(f"{'Misplaced' if owners else 'Unknown'} key {key!r}: {hint}.")
    for key, wanted in (known | {word: str for word in words if word in cell.keys}).items():
        if key not in cell.keys and key in OPTIONAL:
            continue
        if key not in cell.keys:
            example = f'{key}="..."' if wanted is str else f"{key}=1"
            raise cell.error(f"This {kind} cell lacks {key!r}: write {example}.")
        value = cell.keys[key]
        if type(value) is not wanted or not value or (isinstance(value, int) and value < 1):
            wish = {str: "a text in quotes", int: "a whole number of at least 1", bool: "true"}[wanted]
            raise cell.error(f"{key}={value!r}: write {wish}.")
    if kind == "task" and cell.keys["level"] not in LEVELS:
        raise cell.error(f"level={cell.keys['level']}: write 1, 2, 3 or 4.")
    if kind in ANSWERS and not cell.keys[kind].isidentifier():
        raise cell.error(f"{kind}={cell.keys[kind]!r}: write a Python name.")
    if kind != "written" and (cell.cell_type == "markdown") != (kind in MARKDOWN_KINDS):
        right = (
            f'`# %% [markdown] {kind}="..."`' if kind in MARKDOWN_KINDS else f"`# %% {kind}=...`, without [markdown]"
        )
        raise cell.error(f"Write this {kind} cell as {right}.")


def _check_formulas(cell: Cell) -> None:
    """JupyterLab takes `$` beside a backtick for the end or the start of a formula, wherever it was meant."""
    if cell.cell_type == "markdown" and re.search(r"\$`|`\$", cell.source):
        raise cell.error(r"A `$` touches a backtick: write $\texttt{...}$ inside the formula instead.")


def _check_regions(cell: Cell) -> None:
    lines = [line.strip() for line in cell.source.split("\n")]
    mine = kind_of(cell)
    for begin, end, kind in ((BEGIN_SOLUTION, END_SOLUTION, "task"), (BEGIN_HIDDEN, END_HIDDEN, "test")):
        marks = [line for line in lines if line in (begin, end)]
        if marks and mine != kind and not (kind == "task" and mine == "written"):
            raise cell.error(f"`{begin}` belongs in a {kind} cell: give this cell the key {kind}=.")
        if marks != [begin, end] * (len(marks) // 2):
            raise cell.error(f"Close each `{begin}` with `{end}` before the next one opens.")
        if kind == "task" and mine == "task" and not marks:
            raise cell.error(f"Put the reference answer between `{begin}` and `{end}`.")
    if mine == "written":
        _check_rubric(cell)


def _check_rubric(cell: Cell) -> None:
    """A written question says to who grades it what earns the points, and what answers look like."""
    _, marked, rest = cell.source.partition(BEGIN_SOLUTION)
    text = rest.partition(END_SOLUTION)[0]
    if not marked or RUBRIC not in text or text.count(SAMPLE) < FEWEST_SAMPLES:
        raise cell.error(
            f"Between `{BEGIN_SOLUTION}` and `{END_SOLUTION}`, write `{RUBRIC}` and what earns the points, then at "
            f"least {FEWEST_SAMPLES} answers, each after `{SAMPLE} ... points.**`.",
        )


def _check_tasks(chapter: Chapter) -> None:
    seen: dict[str, Cell] = {}
    for cell in [*chapter.tasks(), *chapter.written()]:
        name = _named(cell)
        if name in seen:
            raise cell.error(f"Task {name!r} exists already in {seen[name].place}: rename one.")
        seen[name] = cell
    for cell in chapter.cells:
        kind = kind_of(cell)
        if kind in ("test", "statement", "hints") and cell.keys[kind] not in seen:
            raise cell.error(f"There is no task {cell.keys[kind]!r}: add it or mend the name.")
    identifiers: dict[str, str] = {}
    for name, task in seen.items():
        tests = chapter.tests(name)
        if kind_of(task) == "written":
            if tests:
                raise tests[0].error(f"{name!r} is graded by a person: remove this test.")
            _check_companions(chapter, name, task, ("statement",))
            continue
        if not tests:
            raise task.error(f'Task {name!r} has no test: add `# %% test="{name}" aspect="..." points=1`.')
        if chapter.cells.index(tests[0]) < chapter.cells.index(task):
            raise task.error(f"A test of {name!r} stands above its task: move it below.")
        total = sum(test.keys["points"] for test in tests)
        if total != task.keys["points"]:
            raise task.error(
                f"Task {name!r} says points={task.keys['points']}, its tests give {total}: make them equal.",
            )
        _check_companions(chapter, name, task, ("statement", "hints"))
        for test in tests:
            identifier = grade_id(name, test.keys["aspect"])
            if identifier in identifiers:
                raise test.error(f"The aspect of this test is that of {identifiers[identifier]}: reword one.")
            if len(identifier) > LONGEST_ID:
                raise test.error(f"Shorten this aspect by {len(identifier) - LONGEST_ID} characters.")
            identifiers[identifier] = test.place


def _check_companions(chapter: Chapter, name: str, task: Cell, kinds: Sequence[str]) -> None:
    for kind in kinds:
        if sum(cell.keys.get(kind) == name for cell in chapter.cells) != 1:
            raise task.error(f'Task {name!r} needs exactly one cell `# %% [markdown] {kind}="{name}"`.')


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "cell"


def _dedent(hint: str) -> str:
    return "\n".join(line.strip() for line in hint.strip().split("\n"))
