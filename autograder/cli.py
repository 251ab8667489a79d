"""The command line: `autograder build | check | collect | grade | feedback | report | export | demo | ...`."""

import gc
import logging
import os
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

import autograder
from autograder.course import HISTORY, TERM, Course, CourseError, notebook_in, open_course
from autograder.disk import REFUSALS, WRITING
from autograder.logs import LOG, is_logged, keep_log, logged_course, show_log, text_of
from autograder.wording import count, printable

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
CourseOption = Annotated[Path | None, typer.Option("--course", help="Folder of the course; default: where you are.")]
Chapters = Annotated[list[str] | None, typer.Argument(help="Chapters, such as 01_bigrams or 01; default: all.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version(autograder.DISTRIBUTION))
        raise typer.Exit


def _opened(start: Path | None) -> Course:
    """The course that is meant; faults of ours are kept in its log from now on."""
    course = open_course(start)
    if "exporter_class" not in course.nbgrader.get("Autograde", {}):  # a course that knows nothing of us
        from autograder.wall.nbgrader_setup import harden

        harden(course.nbgrader)
    keep_log(course)
    return course


def _names(course: Course, chapters: list[str] | None) -> list[str]:
    """The chapters that are meant; all if none is named."""
    return [course.chapter_meant(text) for text in chapters] if chapters else course.chapters()


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print the traceback of every error, your own mistakes included.")
    ] = False,
) -> None:
    """Build, grade and report on a course of nbgrader notebooks."""
    show_log(debug)


@app.command()
def new(folder: Annotated[Path, typer.Argument(help="The folder to make; it gives the course its name.")]) -> None:
    """Make a small course of one assignment, written as text, to begin with.

    Example: autograder new my-course
    """
    from autograder.authoring.begin import begin

    for path in begin(folder):
        typer.echo(f"Wrote {path}")
    typer.echo(f"Next: cd {shlex.quote(str(folder))}, then autograder build; README.md there says the rest.")


@app.command()
def adopt(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only look and try: show the line that nbgrader_config.py would get.")
    ] = False,
    course: CourseOption = None,
) -> None:
    """Look at a course of nbgrader's, try its solutions, and have nbgrader grade through the wall from now on.

    Example: autograder adopt --dry-run --course ~/my-course
    """
    from autograder.authoring.adopting import add_line, begin_adopting, line_is_there, look_at, try_course
    from autograder.authoring.tables import show_adopted
    from autograder.pages.terminal import warn_if_reduced

    begin_adopting(course or Path.cwd(), dry_run)
    opened = _opened(course)
    warn_if_reduced()
    for line in look_at(opened):
        typer.echo(printable(line))
    if line_is_there(opened):
        typer.echo("nbgrader_config.py has our line.")
    else:
        typer.echo(f"nbgrader_config.py {'would get' if dry_run else 'got'} this line: {add_line(opened, dry_run)}")
    show_adopted(try_course(opened))


@app.command()
def build(
    chapters: Chapters = None,
    check: Annotated[bool, typer.Option(help="Write nothing: fail if a chapter is out of date.")] = False,
    force: Annotated[bool, typer.Option(help="Execute references even if their code has not changed.")] = False,
    variant: Annotated[
        str | None, typer.Option(help="Build the chapters that have this variant in it; default: c.Authoring.variant.")
    ] = None,
    course: CourseOption = None,
) -> None:
    """Text source -> executed reference in solutions/ -> release in notebooks/.

    Example: autograder build 01 --variant 2027
    """
    from autograder.authoring.build import build as build_chapter
    from autograder.chapter.variants import chosen_variants

    opened = _opened(course)
    for name, chosen in chosen_variants(opened, _names(opened, chapters), variant).items():
        result = build_chapter(opened, name, check=check, force=force, variant=chosen)
        if result.changed:
            typer.echo(f"{name}: wrote {', '.join(map(str, result.changed))}")
        else:
            typer.echo(f"{name}: up to date")


@app.command()
def check(
    notebooks: Annotated[
        list[str] | None,
        typer.Argument(help="Your notebook, its folder, or a chapter, such as 01; default: a line for each chapter."),
    ] = None,
    all_checks: Annotated[bool, typer.Option("--all", help="Show every check, not only those that failed.")] = False,
    rubric: Annotated[
        bool, typer.Option(help="Show what the questions that you answered in words are measured by, with samples.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a script, and nothing else.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Wait, and check each notebook when you save it; Ctrl-C ends it.")
    ] = False,
    course: CourseOption = None,
) -> None:
    """Grade your own notebooks with the hidden tests: task, points and what is wrong, never the answer.

    One notebook is shown check by check, several as a table with a line for each.

    Example: autograder check 01 --watch

    Exit codes: 0 the notebooks were checked, whatever they earned; 1 one of them could not be; 2 a wrong option.
    """
    opened = _opened(course)  # not from where the notebook lies: a settings file beside it would be run
    named = [path for text in notebooks or [] for path in opened.notebooks_meant(text)]
    paths = named or opened.learners_notebooks()
    if watch:
        if as_json:
            raise typer.BadParameter("--watch shows its results to a person: leave --json out.")
        _watch(opened, paths, all_checks, rubric)
        return
    if len(paths) == 1:
        from autograder.learner.early import start_early

        start_early(opened, paths[0])  # before what follows, which takes long to import
    from autograder.learner.checked import show_json, show_progress, show_verdicts
    from autograder.learner.progress import progress_of, progress_of_all
    from autograder.learner.workplace import remember
    from autograder.pages.terminal import warn_if_reduced

    if not as_json:
        warn_if_reduced()
    found = [progress_of(opened, paths[0])] if notebooks and len(paths) == 1 else [*progress_of_all(opened, paths)]
    remember(opened, found)
    if as_json:
        show_json(found)
    elif notebooks and len(paths) == 1 and found[0].checked:
        show_verdicts(found[0].checked, all_checks, rubric)
    else:
        show_progress(found)
    if unread := [progress.notebook.name for progress in found if progress.problem]:
        raise CourseError(f"Not checked: {', '.join(unread)}; the problem of each is named above.")


def _watch(course: Course, paths: list[Path], all_checks: bool, rubric: bool) -> None:
    """Check each notebook whenever it is saved, until Ctrl-C."""
    from autograder.learner.checked import show_verdicts
    from autograder.learner.progress import progress_of
    from autograder.learner.watch import saved
    from autograder.learner.workplace import remember
    from autograder.pages.terminal import warn_if_reduced

    warn_if_reduced()
    names = paths[0].name if len(paths) == 1 else count(len(paths), "notebook")
    changes = saved(paths)
    typer.echo(f"Waiting until you save {names}; Ctrl-C ends it.")
    try:
        for path in changes:
            try:
                found = progress_of(course, path)
            except CourseError as problem:  # perhaps the editor is still writing: the next save is checked again
                typer.echo(printable(f"autograder: {problem}"), err=True)
                continue
            remember(course, [found])
            if found.checked:
                show_verdicts(found.checked, all_checks, rubric)
    except KeyboardInterrupt:
        typer.echo("")  # the shell's next line stands by itself


@app.command()
def reveal(
    chapter: Annotated[str, typer.Argument(help="Chapter, such as 01_bigrams or 01.")],
    task: Annotated[str, typer.Argument(help="Task, as `autograder check` calls it.")],
    course: CourseOption = None,
) -> None:
    """Show the course's own answer to a task, the second time you ask."""
    from autograder.learner.reveal import reveal as reveal_answer

    opened = _opened(course)
    chapter = opened.chapter_meant(chapter)
    answer = reveal_answer(opened, chapter, task)
    typer.echo(
        answer
        or f"First open the three hints under {task}, and read what `autograder check {chapter[:2]}` says of it. "
        "If you still want the answer, run this command again."
    )


@app.command()
def collect(
    chapter: Annotated[str, typer.Argument(help="Chapter, such as 01_bigrams or 01.")],
    archive: Annotated[Path, typer.Argument(help="The zip, tar or tar.gz that your learning management system gave.")],
    lms: Annotated[
        str | None, typer.Option(help="canvas, moodle, gradescope or plain; default: found out from the names.")
    ] = None,
    replace: Annotated[bool, typer.Option(help="Replace submissions that are there already.")] = False,
    course: CourseOption = None,
) -> None:
    """Unpack an archive of submissions into submitted/STUDENT/CHAPTER/CHAPTER.ipynb; list what was left, and why."""
    from autograder.grading.gradebook import due_date, remember_students
    from autograder.intake.archives import collect as collect_archive

    opened = _opened(course)
    chapter = opened.chapter_meant(chapter)
    if opened.parts(chapter) != [chapter]:
        raise CourseError(f"{chapter} has notebooks of other names: `nbgrader zip_collect {chapter}` can unpack it.")
    collection = collect_archive(opened, chapter, archive, lms, replace, lambda: due_date(opened, chapter))
    remember_students(opened, collection.people)
    for taken in collection.taken:
        typer.echo(printable(f"{taken.student}: {taken.entry}{f' ({taken.when})' if taken.when else ''}"))
    for entry, reason in collection.left:
        typer.echo(printable(f"not taken: {entry}: {reason}"))
    collected, left = count(len(collection.taken), "submission"), count(len(collection.left), "file")
    typer.echo(f"{collected} collected ({collection.lms}), {left} not taken")
    if collection.late_without_time:
        typer.echo(
            "LATE, but by how much the archive does not say: set the due date in formgrader and collect again, "
            f"then nbgrader knows them as late: {printable(', '.join(collection.late_without_time))}"
        )
    if not collection.taken:
        raise CourseError("Nothing was collected: the lines above say why; --lms names the layout if it was not seen.")


@app.command()
def grade(
    chapter: Annotated[str, typer.Argument(help="Chapter, such as 01_bigrams or 01.")],
    force: Annotated[bool, typer.Option(help="Grade every submission again, not only new and changed ones.")] = False,
    regrade: Annotated[bool, typer.Option(help="Grade again what was graded with tests that changed since.")] = False,
    only: Annotated[
        list[str] | None, typer.Option("--student", help="Grade again whoever is named; may be given again.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Worker processes; default: one for each core, fewer if memory is short.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Grade on the Dask cluster of this scheduler, such as tcp://10.0.0.1:8786.")
    ] = None,
    unsafe: Annotated[
        bool, typer.Option("--unsafe", help="Grade where no sandbox can be had: students' code then runs as you.")
    ] = False,
    course: CourseOption = None,
) -> None:
    """Grade all submissions of a chapter into nbgrader's gradebook. Marks and comments given by hand stay."""
    from autograder.grading.coordinator import graded_with_older_tests, students_to_grade
    from autograder.grading.pool import cluster
    from autograder.pages.tables import grade_with_progress, show_class
    from autograder.pages.terminal import warn_if_reduced

    opened = _opened(course)
    opened.nbgrader.Judge.unsafe = unsafe or bool(opened.nbgrader.Judge.get("unsafe"))
    chapter = opened.chapter_meant(chapter)
    parts = opened.parts(chapter)
    students = {part: students_to_grade(opened, part, force, regrade, only) for part in parts}
    if not scheduler:
        warn_if_reduced()
    elif not any(students.values()):
        with cluster(scheduler):  # a wrong address is an error on every day
            pass
    graded = grade_with_progress(opened, students, jobs, scheduler)
    show_class(opened, chapter, graded)
    if older := sum(graded_with_older_tests(opened, part) for part in parts):
        typer.echo(f"Graded with older tests: {count(older, 'submission')}; --regrade grades them again.")
    _note_changes(opened, [chapter], "graded")


@app.command()
def feedback(
    chapter: Annotated[str, typer.Argument(help="Chapter, such as 01_bigrams or 01.")], course: CourseOption = None
) -> None:
    """Write a feedback page for each graded student: answers, verdicts, messages, comments; no hidden test."""
    from autograder.pages.feedback import write_feedback

    opened = _opened(course)
    chapter = opened.chapter_meant(chapter)
    pages = write_feedback(opened, chapter)
    typer.echo(f"{len(pages)} pages, the first one is {pages[0]}")
    _note_changes(opened, [chapter], "seen by feedback")


@app.command()
def report(chapters: Chapters = None, course: CourseOption = None) -> None:
    """Write pages about the class: marks, hardest tasks, checks worth a look; without a chapter: all, and one across.

    Example: autograder report, then open reports/course.html
    """
    from autograder.grading.gradebook import graded_chapters
    from autograder.pages.course_report import write_course_report
    from autograder.pages.report import write_report

    opened = _opened(course)
    graded = _names(opened, chapters) if chapters else graded_chapters(opened)
    for chapter in graded:
        for path in write_report(opened, chapter):
            typer.echo(path)
    _note_changes(opened, graded, "seen by report")
    if not chapters:
        across, *pages = write_course_report(opened, graded)
        typer.echo(f"{across}, and {count(len(pages), 'page')} beside it, one for each student")


@app.command()
def alike(
    chapter: Annotated[str, typer.Argument(help="Chapter, such as 01_bigrams or 01.")], course: CourseOption = None
) -> None:
    """Write a page on who wrote unusually alike, and how unusual that is in this class. It proves nothing."""
    from autograder.pages.alike import write_alike

    opened = _opened(course)
    path, unusual = write_alike(opened, opened.chapter_meant(chapter))
    for pair in unusual:
        typer.echo(printable(f"{' and '.join(pair.names)}: {pair.bits:.0f} bits, {pair.matches[0].task}"))
    typer.echo(f"{path}: {count(len(unusual), 'unusual pair')}")


@app.command()
def review(
    chapter: Annotated[str, typer.Argument(help="Chapter, such as 01_bigrams or 01.")],
    only_list: Annotated[bool, typer.Option("--list", help="Do not open formgrader.")] = False,
    course: CourseOption = None,
) -> None:
    """List what of a graded chapter needs a person, and open formgrader there."""
    from autograder.grading.review import to_look_at
    from autograder.pages.tables import show_review

    opened = _opened(course)
    chapter = opened.chapter_meant(chapter)
    looks = to_look_at(opened, chapter)
    show_review(chapter, looks)
    if looks and not only_list:
        import subprocess

        parts = opened.parts(chapter)
        page = f"/formgrader/gradebook/{chapter}{f'/{notebook_in(parts[0])}' if len(parts) == 1 else ''}"
        typer.echo("Formgrader opens in the browser; Ctrl-C here ends it.")
        as_root = ["--allow-root"] if os.name == "posix" and os.getuid() == 0 else []
        lab = [sys.executable, "-m", "jupyterlab", f"--LabApp.default_url={page}", *as_root]
        subprocess.run(lab, cwd=opened.root, check=False)


@app.command()
def export(
    target: Annotated[Path, typer.Argument(help="The CSV file to write.")],
    chapters: Chapters = None,
    form: Annotated[
        str, typer.Option("--format", help="csv, or the learning management system that takes it: canvas, moodle.")
    ] = "csv",
    roster: Annotated[Path | None, typer.Option(help="The table of grades that this system exports.")] = None,
    course: CourseOption = None,
) -> None:
    """Write the marks of graded chapters, less penalties, as a table or into the one that Canvas or Moodle gave."""
    from autograder.grading.export import export as export_marks
    from autograder.grading.gradebook import graded_chapters

    opened = _opened(course)
    graded = _names(opened, chapters) if chapters else graded_chapters(opened)
    students = export_marks(opened, graded, target, form, roster)
    typer.echo(f"{target}: {count(students, 'student')}, {', '.join(graded)}")
    _note_changes(opened, graded, "seen by export")


def _note_changes(course: Course, chapters: list[str], occasion: str) -> None:
    """Keep what became of each mark, and say which names of `term.toml` nobody has."""
    from autograder.grading.gradebook import known_students, students_in
    from autograder.grading.history import note_changes
    from autograder.grading.term import read_term

    graded = [chapter for chapter in chapters if students_in(course, chapter)]
    if changes := note_changes(course, graded, occasion):
        typer.echo(f"{count(changes, 'mark')} new or changed: {HISTORY}")
    if strangers := read_term(course).strangers({*known_students(course)}):
        typer.echo(printable(f"{TERM} names {', '.join(strangers)}, whom the gradebook does not know: a slip?"))


@app.command()
def backup(
    target: Annotated[Path, typer.Argument(help="The file to write, such as marks-2027-02-01.tar.gz.")],
    course: CourseOption = None,
) -> None:
    """Keep the gradebook, the history of marks, term.toml and what grading must remember in one file."""
    from autograder.grading.backup import back_up

    typer.echo(f"{target}: {', '.join(back_up(_opened(course), target))}")


@app.command()
def restore(
    source: Annotated[Path, typer.Argument(help="A file that `autograder backup` wrote.")],
    replace: Annotated[bool, typer.Option(help="Move aside what is there.")] = False,
    course: CourseOption = None,
) -> None:
    """Bring back what `autograder backup` kept; what is there is moved aside, not deleted."""
    from autograder.grading.backup import restore as restore_backup

    typer.echo(f"Restored: {', '.join(restore_backup(_opened(course), source, replace))}")


@app.command()
def bank(
    chapters: Chapters = None,
    task: Annotated[list[str] | None, typer.Option(help="Only answers to this task; may be given again.")] = None,
    repeat: Annotated[
        int, typer.Option(min=0, help="Grade so often with new random inputs; list the answers whose verdicts change.")
    ] = 0,
    scan: Annotated[bool, typer.Option(help="Only see what the visible checks earn if learned by heart.")] = False,
    answers: Annotated[
        Path | None,
        typer.Option(help='A folder of somebody else\'s answers instead; caught_by="?" where any test may catch one.'),
    ] = None,
    course: CourseOption = None,
) -> None:
    """Grade the bank of right and wrong answers: no right one may lose a point, no wrong one slip through."""
    from autograder.authoring.bank import try_bank, try_folder, unsteady_answers
    from autograder.authoring.by_heart import earned_by_heart
    from autograder.authoring.tables import show_by_heart, show_trials, show_unsteady

    opened = _opened(course)
    failed = []
    for name in _names(opened, chapters):
        if repeat:
            unsteady = unsteady_answers(opened, name, repeat, tasks=task, folder=answers)
            found = [show_unsteady(name, repeat, unsteady)]
        elif answers:
            found = [show_trials(name, try_folder(opened, name, answers, task))]
        else:
            found = [] if scan else [show_trials(name, try_bank(opened, name, tasks=task))]
            found += [] if task else [show_by_heart(name, earned_by_heart(opened, name))]
        if not all(found):
            failed.append(name)
    if failed:
        raise CourseError(f"{', '.join(failed)}: fix the tests or the answers above.")


@app.command()
def replay(
    student: Annotated[str, typer.Argument(help="Whose submission.")],
    chapter: Annotated[str, typer.Argument(help="Chapter, such as 01_bigrams or 01.")],
    test: Annotated[str, typer.Argument(help="Grade id of the test, TASK--ASPECT, as the report shows it.")],
    course: CourseOption = None,
) -> None:
    """Run one test of a submission again with the same random inputs, and show what it asked of the student's code."""
    from autograder.grading.replay import replay as replay_test
    from autograder.pages.tables import show_replay

    opened = _opened(course)
    show_replay(replay_test(opened, student, opened.chapter_meant(chapter), test))


@app.command()
def pack(
    out: Annotated[Path, typer.Argument(help="The folder to make, such as kit; kit.zip is made next to it.")],
    chapters: Annotated[str | None, typer.Option(help="Chapters, such as 01,02; default: all.")] = None,
    wheel: Annotated[
        str | None,
        typer.Option(help="URL or path of the wheel that notebooks install in Colab; default: the one next to them."),
    ] = None,
    course: CourseOption = None,
) -> None:
    """Make the folder and the zip that students get: notebooks, what they import, how to install it; no solution.

    Example: autograder pack kit --chapters 01,02
    """
    from autograder.learner.kit import pack as pack_kit

    opened = _opened(course)
    for path in pack_kit(opened, out, _names(opened, chapters.split(",") if chapters else None), wheel):
        typer.echo(f"Wrote {path}")


@app.command()
def challenge(
    entries: Annotated[list[Path], typer.Argument(help="Notebooks that define fit, or folders of them.")],
    seconds: Annotated[float, typer.Option(help="CPU seconds that each entry has, answers included.")] = 20.0,
    words: Annotated[int, typer.Option(help="Tokens to learn from.")] = 100_000,
    scored: Annotated[int, typer.Option(help="Tokens that are scored, made afterwards.")] = 4_000,
    memory: Annotated[float, typer.Option(help="GiB of memory for each entry.")] = 8.0,
    seed: Annotated[
        int | None, typer.Option(help="Makes the same text again; default: a random number that nobody knows.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(help="Entries at the same time; default: one for each core.")] = None,
    baselines: Annotated[bool, typer.Option(help="Let the course's own entries take part.")] = True,
    out: Annotated[Path, typer.Option(help="Folder for standing.csv and standing.html.")] = Path("challenge-standing"),
    course: CourseOption = None,
) -> None:
    """A competition: train each entry in the sandbox, and score it on text that is generated afterwards.

    Example: autograder challenge my_model.ipynb
    """
    import tempfile

    from autograder.challenge.game import entries_in, fields, make_game, module_of, require_sandbox, run_entries
    from autograder.challenge.standing import show_standing, write_standing

    opened = _opened(course)
    module = module_of(opened)
    require_sandbox()
    own = sorted(opened.entries.glob("*.ipynb")) if baselines else []
    asked = entries_in(entries)
    paths = entries_in([*asked, *(path for path in own if path.resolve() not in [one.resolve() for one in asked])])
    with tempfile.TemporaryDirectory() as folder:
        game = make_game(module, words, scored, seed, Path(folder))
    found = []
    for entry in run_entries(paths, game, seconds, int(memory * 2**30), jobs):
        typer.echo(printable(f"{entry.name}: {entry.problem or f'{entry.score:.4f} bits above the truth'}"))
        found.append(entry)
    rows = fields(found, game.seed)
    show_standing(rows)
    for path in write_standing(out, rows, game, seconds):
        typer.echo(f"Wrote {path}")


@app.command()
def site(
    out: Annotated[Path, typer.Argument(help="The folder to make.")] = Path("site"),
    course: CourseOption = None,
) -> None:
    """Make static pages of the course to read and to search: chapters without solutions, figures, docs.

    Example: autograder site, then open site/index.html
    """
    from autograder.pages.site import make_site

    typer.echo(f"Wrote {make_site(_opened(course), out)}")


@app.command()
def start(course: CourseOption = None) -> None:
    """Prepare the folder work/, in which you learn: a copy of each released notebook that no update overwrites."""
    from autograder.learner.workplace import prepare

    opened = _opened(course)
    for line in prepare(opened):
        typer.echo(line)
    typer.echo(f"Your notebooks are in {opened.workplace}.")


@app.command()
def built(
    out: Annotated[Path, typer.Argument(help="The page to write.")] = Path("built.html"),
    name: Annotated[str, typer.Option(help="The name that stands on the page; default: none, or the student's.")] = "",
    student: Annotated[
        str | None,
        typer.Option(help="For instructors: take this student's marks from the gradebook, and sign the page."),
    ] = None,
    gallery: Annotated[
        Path | None, typer.Option(help="Folder of the models; default: work/gallery, with --student none.")
    ] = None,
    course: CourseOption = None,
) -> None:
    """Write a page to keep or to print: the models that somebody built, what they write, points by chapter.

    Example: autograder built --name "Ada Lovelace", then open built.html
    """
    from autograder.learner.built import write_built

    if left := write_built(_opened(course), out, name or student or "", student, gallery):
        typer.echo(printable(left), err=True)
    typer.echo(f"Wrote {out}")


@app.command()
def verify(
    page: Annotated[Path, typer.Argument(help="A page that `autograder built --student` wrote.")],
    course: CourseOption = None,
) -> None:
    """Tell whether this course signed a page of `autograder built` and nothing in it was changed since.

    Exit codes: 0 it did, 1 it did not, or the page was changed.
    """
    from autograder.learner.built import is_unchanged

    if not is_unchanged(_opened(course), page):
        raise CourseError(f"{page}: not as this course signed it. It was changed, or another course signed it.")
    typer.echo(f"{page}: signed by this course, and unchanged.")


@app.command()
def doctor() -> None:
    """Look for faults of this environment and of the folder where you are; each comes with the line that fixes it.

    Exit codes: 0 nothing hinders you, 1 a fault does.
    """
    from autograder.learner.doctor import main as examine

    examine()


@app.command()
def demo(course: CourseOption = None) -> None:
    """Make a class of twelve submissions, good, wrong and broken, grade it and show what comes out."""
    from autograder.demo import run_demo

    run_demo(_opened(course))


def main() -> None:
    """Run the command line. Mistakes of the user end in one line, faults of ours in one that names the log."""
    try:
        app()
    except CourseError as error:
        logging.getLogger(__name__).debug(text_of(error))
        sys.exit(printable(f"autograder: {error}"))
    except Exception as error:
        if isinstance(error, OSError) and _is_the_users(error, sys.argv[1:]):
            logging.getLogger(__name__).debug(text_of(error))
            where = error.filename or "the machine"
            sys.exit(printable(f"autograder: {where}: {error.strerror}: fix that and try again."))
        course = logged_course()
        if course is None or not is_logged(error):
            raise
        what = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
        sys.exit(
            printable(
                f"autograder: This is a bug of autograder, not your mistake ({what}). "
                f"Its traceback is in {course.state / LOG}."
            )
        )
    finally:
        gc.freeze()  # or Python looks through all that torch brought once more before it ends: a second


def _is_the_users(error: OSError, words: list[str]) -> bool:
    """Whether an error is about a path that the command line names, or a refusal of the disk that the course is on."""
    course = logged_course()
    if not isinstance(error.filename, str):
        return error.errno in REFUSALS
    path = Path(error.filename).absolute()
    if course and path.is_relative_to(course.root) and error.errno in REFUSALS:
        return True
    for word in words:
        text = word.partition("=")[2] if word.startswith("--") else word
        named = Path(text).absolute()
        if not text or (course and course.root.is_relative_to(named)):
            continue  # an option, or the folder of the course, in which all else is
        if path.is_relative_to(named) or named.is_relative_to(path):
            return True
        if path.parent == named.parent and path.name.startswith(WRITING):  # is to become what was named
            return True
    return False


if __name__ == "__main__":
    main()
