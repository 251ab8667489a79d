"""One writer, an outbox, workers that may die: the gradebook holds what plain nbgrader would have written."""

import errno
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest
from distributed import LocalCluster
from nbgrader.api import Gradebook
from postgresql import postgresql
from sqlalchemy.exc import OperationalError

from autograder.authoring.build import build
from autograder.chapter.reference import read_reference
from autograder.course import Course, CourseError, open_course
from autograder.disk import WRITING, write_atomically
from autograder.grading import coordinator as grade
from autograder.grading import gradebook, outbox
from autograder.grading.coordinator import grade_class, graded_with_older_tests, register, students_to_grade
from autograder.grading.gradebook import GradebookWriter
from autograder.grading.marks import marks_of_class, totals
from autograder.grading.outbox import DAMAGED, OUTCOME, RECORD, Outbox
from autograder.grading.pool import cluster, workers_that_fit
from autograder.grading.work import GradedSubmission, assignment_of, grade_submission
from autograder.pages.tables import grade_with_progress
from autograder.wall.seeds import key_of, secret_of
from conftest import CHAPTER, SETTINGS, TEXT, answered, make_course

RIGHT, WRONG = "def square(x):\n    return x * x", "def square(x):\n    return x * abs(x)"
CLASS = {"ada": RIGHT, "bob": WRONG, "cy": ""}  # the last one hands in the release as it is
MARKS = {"ada": 3, "bob": 1, "cy": 0}
LATE = "c.LateSubmissionPlugin.penalty_method = 'zero'\n"


def hand_in(course: Course, student: str, code: str) -> Path:
    path = course.submitted / student / CHAPTER / f"{CHAPTER}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    if code:
        nbformat.write(answered(course, code).node, path)
    else:
        shutil.copy(course.release / CHAPTER / f"{CHAPTER}.ipynb", path)
    return path


def class_of(built_course: Course, folder: Path, settings: str = "") -> Course:
    shutil.copytree(built_course.root, folder)
    (folder / "nbgrader_config.py").write_text(SETTINGS + settings)
    course = open_course(folder)
    for student, code in CLASS.items():
        hand_in(course, student, code)
    return course


def marks(course: Course) -> dict[str, float]:
    return totals(marks_of_class(course, CHAPTER))["points"].to_dict()


def grade_all(course: Course, **options: Any) -> dict[str, str]:
    """Problems by student."""
    students = students_to_grade(course, CHAPTER, **options)
    return {result.student: result.problem for result in grade_class(course, CHAPTER, students, jobs=2)}


def rows(course: Course) -> list[Any]:
    """All that the gradebook says about submissions, without its random keys."""
    with Gradebook(course.database, course.course_id) as gradebook:
        return [
            [
                [submission.student.id, str(submission.timestamp), submission.score],
                [notebook.late_submission_penalty for notebook in submission.notebooks],
                sorted(
                    (g.name, g.auto_score, g.manual_score, g.extra_credit, g.needs_manual_grade)
                    for notebook in submission.notebooks
                    for g in notebook.grades
                ),
                sorted(
                    (c.name, str(c.auto_comment), str(c.manual_comment))
                    for notebook in submission.notebooks
                    for c in notebook.comments
                ),
            ]
            for submission in sorted(gradebook.find_assignment(CHAPTER).submissions, key=lambda s: s.student.id)
        ]


def files(course: Course) -> dict[str, tuple[int, Any]]:
    """Graded files with their permissions; of notebooks the content without the seconds that tests took."""
    found = {}
    for path in sorted(course.autograded.rglob("*")):
        if path.is_file():
            content: Any = path.read_text()
            if path.suffix == ".ipynb":
                content = json.loads(content)
                for verdict in content["metadata"]["autograder"]["verdicts"]:
                    del verdict["seconds"]
            found[str(path.relative_to(course.autograded))] = path.stat().st_mode, content
    return found


def give_a_mark(course: Course, student: str, points: float, comment: str) -> None:
    with Gradebook(course.database, course.course_id) as gradebook:
        mark = gradebook.find_grade("square--negative-numbers", CHAPTER, CHAPTER, student)
        mark.manual_score, mark.extra_credit = points, 0.5
        gradebook.find_comment("square", CHAPTER, CHAPTER, student).manual_comment = comment
        gradebook.db.commit()


def test_gradebook_and_files_are_those_of_plain_nbgrader(built_course: Course, tmp_path: Path) -> None:
    """Twice, since a second grading meets marks given by hand: on time, late, untouched, with files beside it."""
    ours = class_of(built_course, tmp_path / "ours", LATE)
    (ours.source / CHAPTER / "table.csv").write_text("1,2")
    for name, text in {"notes.txt": "mine", "table.csv": "3,4", "timestamp.txt": "2026-03-02 10:00:00 UTC"}.items():
        (ours.submitted / "bob" / CHAPTER / name).write_text(text)
    register(ours, CHAPTER)
    with Gradebook(ours.database, ours.course_id) as gradebook:
        gradebook.update_or_create_assignment(CHAPTER, duedate="2026-03-01 10:00:00 UTC")
    secret_of(ours)  # both draw alike
    theirs = open_course(shutil.copytree(ours.root, tmp_path / "theirs"))
    for number in range(2):
        for course in (ours, theirs):
            if number:
                give_a_mark(course, "ada", 1.5, "well done")
        assert set(grade_all(ours, force=True).values()) == {""}
        command = [sys.executable, "-m", "nbgrader", "autograde", CHAPTER, "--force"]
        subprocess.run(command, cwd=theirs.root, check=True, capture_output=True)
        assert rows(ours) == rows(theirs)
        assert files(ours) == files(theirs)
    by_student = {row[0][0]: row for row in rows(ours)}
    assert by_student["bob"][1] == [1] and by_student["cy"][3] == [("square", "No response.", "None")]


def test_changes_are_noticed_by_content_and_not_by_time(built_course: Course, tmp_path: Path) -> None:
    course = class_of(built_course, tmp_path / "course")
    assert grade_all(course) == dict.fromkeys(CLASS, "")
    path = hand_in(course, "ada", RIGHT)
    assert students_to_grade(course, CHAPTER) == []
    hand_in(course, "ada", WRONG)
    os.utime(path, (0, 0))
    assert students_to_grade(course, CHAPTER) == ["ada"]
    (course.submitted / "bob" / CHAPTER / "timestamp.txt").write_text("2026-03-02 10:00:00 UTC")
    assert students_to_grade(course, CHAPTER) == ["ada", "bob"]
    assert grade_all(course) == {"ada": "", "bob": ""} and marks(course) == MARKS | {"ada": 1}
    with Gradebook(course.database, course.course_id) as gradebook:
        gradebook.remove_submission(CHAPTER, "cy")
    assert students_to_grade(course, CHAPTER) == ["cy"]


def test_after_a_test_was_mended_marks_by_hand_stay(tmp_path: Path) -> None:
    course = make_course(tmp_path)
    build(course, CHAPTER)
    for student, code in CLASS.items():
        hand_in(course, student, code)
    grade_all(course)
    give_a_mark(course, "bob", 1.5, "nearly")
    mended = TEXT.replace("square(-2) == 4,", "square(-2) in (4, -4),")
    (course.chapter_source(CHAPTER) / f"{CHAPTER}.py").write_text(mended)
    build(course, CHAPTER)
    assert students_to_grade(course, CHAPTER) == [] and graded_with_older_tests(course, CHAPTER) == 3
    assert grade_all(course, regrade=True) == dict.fromkeys(CLASS, "")
    assert students_to_grade(course, CHAPTER, regrade=True) == [] and graded_with_older_tests(course, CHAPTER) == 0
    assert marks(course) == MARKS | {"bob": 3}
    (bob,) = [row for row in rows(course) if row[0][0] == "bob"]
    assert bob[2][0] == ("square--negative-numbers", 2, 1.5, 0.5, True) and "nearly" in bob[3][0]
    assert bob[2][1][-1] is False


def test_a_change_of_words_leaves_the_marks_valid(tmp_path: Path) -> None:
    course = make_course(tmp_path)
    build(course, CHAPTER)
    hand_in(course, "ada", RIGHT)
    grade_all(course)
    (course.chapter_source(CHAPTER) / f"{CHAPTER}.py").write_text(TEXT.replace("Think of an area", "Think of a field"))
    build(course, CHAPTER)
    assert graded_with_older_tests(course, CHAPTER) == 0


def test_an_outcome_that_waits_is_stored_and_not_graded_again(
    built_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = class_of(built_course, tmp_path / "course")

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(GradebookWriter, "write", killed)
        grade_all(course)
    (waiting,) = [outcome.student for outcome in Outbox(course, CHAPTER).waiting()]
    torn = Outbox(course, CHAPTER).folder / waiting / f"{WRITING}torn"
    torn.write_text("{")
    with monkeypatch.context() as patch:
        patch.setattr(grade, "local_pool", killed)
        assert [result.problem for result in grade_class(course, CHAPTER, [waiting])] == [""]
    assert marks(course) == {waiting: MARKS[waiting]} and not torn.exists()
    assert waiting not in grade_all(course)
    assert marks(course) == MARKS


def test_nothing_beside_a_notebook_stops_a_batch_or_earns_anothers_marks(built_course: Course, tmp_path: Path) -> None:
    course = class_of(built_course, tmp_path / "course")
    (course.source / CHAPTER / "pictures").mkdir()
    (course.source / CHAPTER / "pictures" / "square.txt").write_text("of the course")
    names = ["same-name", "folder-for-file", "sparse", "many", "deep"]
    folders = {name: hand_in(course, name, RIGHT).parent for name in names}
    (folders["same-name"] / "pictures").write_text("a file where the course has a folder")
    (folders["folder-for-file"] / "pictures" / "square.txt").mkdir(parents=True)
    (folders["folder-for-file"] / "pictures" / "square.txt" / "mine").write_text("mine")
    with (folders["sparse"] / "large").open("wb") as file:
        file.truncate(400 * 2**20)
    for number in range(3000):
        (folders["many"] / f"{number}.txt").touch()
    deep = folders["deep"]
    for _ in range(100):
        deep = deep / "down"
        deep.mkdir()
    (course.submitted / "linked").symlink_to("ada")
    (course.submitted / "linked-chapter").mkdir()
    (course.submitted / "linked-chapter" / CHAPTER).symlink_to(f"../ada/{CHAPTER}")
    students = students_to_grade(course, CHAPTER)
    theirs = open_course(shutil.copytree(course.root, tmp_path / "theirs", symlinks=True))
    for _ in range(2):
        results = {result.student: result for result in grade_class(course, CHAPTER, students, jobs=2)}
        assert {result.problem for result in results.values()} == {""}
    assert marks(course) == MARKS | dict.fromkeys(names, 3) | {"linked": 0, "linked-chapter": 0}
    remarks = {student: " ".join(result.remarks) for student, result in results.items()}
    assert "in the way" in remarks["same-name"] and "in the way" in remarks["folder-for-file"]
    assert "too large" in remarks["sparse"] and "2900 files" in remarks["many"].replace(",", "")
    assert "deeper than 5" in remarks["deep"] and remarks["ada"] == ""
    assert "Its folder is a link" in remarks["linked"] and "Its folder is a link" in remarks["linked-chapter"]
    assert sum(path.stat().st_size for path in course.autograded.rglob("*") if path.is_file()) < 10 * 2**20
    for student in students:
        assert (course.autograded / student / CHAPTER / "pictures" / "square.txt").read_text() == "of the course"
    register(theirs, CHAPTER)
    command = [sys.executable, "-m", "nbgrader", "autograde", CHAPTER, "--force"]
    subprocess.run(command, cwd=theirs.root, check=True, capture_output=True)
    assert marks(theirs) == marks(course)


def test_a_reference_without_full_marks_stops_grading_before_it_begins(tmp_path: Path) -> None:
    broken = tmp_path / "the machine is broken"
    check = f"assert square(-2) == 4 and not __import__('os').path.exists({str(broken)!r}),"
    (tmp_path / "course").mkdir()
    course = make_course(tmp_path / "course", TEXT.replace("assert square(-2) == 4,", check))
    build(course, CHAPTER)
    hand_in(course, "ada", RIGHT)
    broken.touch()
    with pytest.raises(
        CourseError, match="Nothing was graded.*fails 1 test.*square: negative numbers: failed"
    ) as error:
        grade_all(course)
    assert "\n" not in str(error.value)
    with Gradebook(course.database, course.course_id) as gradebook:
        assert gradebook.students == []
    broken.unlink()
    assert grade_all(course) == {"ada": ""} and marks(course) == {"ada": 3}


def test_a_fault_of_disk_or_gradebook_is_one_line_and_a_rerun_completes(
    built_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = class_of(built_course, tmp_path / "course")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "outcome.json")

    def locked(*_: Any) -> None:
        raise OperationalError("UPDATE grade", None, Exception("database is locked"))

    faults = [
        ("autograder.disk.os.fsync", full, r"No space left on device \(outcome.json\): make room"),
        ("autograder.grading.gradebook.GradebookWriter._write_marks", locked, "database is locked: close"),
    ]
    for place, fault, message in faults:
        with monkeypatch.context() as patch, pytest.raises(CourseError, match=message) as error:
            patch.setattr(place, fault)
            grade_all(course)
        assert "same command again" in str(error.value) and "\n" not in str(error.value)
    assert set(grade_all(course).values()) == {""} and marks(course) == MARKS

    folder = Outbox(course, CHAPTER).folder
    for student, content in {"ada": "{", "bob": "[]", "cy": "\x00"}.items():
        (folder / student / RECORD).write_text(content)
        (folder / student / OUTCOME).write_text(content)
    assert set(grade_all(course)) == set(CLASS) and marks(course) == MARKS
    assert {path.name for path in (folder / "ada").iterdir()} == {RECORD, RECORD + DAMAGED, OUTCOME + DAMAGED}
    assert students_to_grade(course, CHAPTER) == []


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), RuntimeError),
        (ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"), ConnectionResetError),
        (FileNotFoundError(errno.ENOENT, "No such file", "ours"), FileNotFoundError),
    ],
)
def test_a_broken_connection_is_not_taken_for_a_full_disk(fault: OSError, kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught, grade._one_line_for_the_disk():
        raise fault
    assert fault in (caught.value, caught.value.__cause__)
    assert not isinstance(caught.value, OSError) or caught.value.errno != errno.EPIPE, "Typer would end without a word"


def test_two_coordinators_at_once_are_refused(built_course: Course, tmp_path: Path) -> None:
    course = class_of(built_course, tmp_path / "course")
    first = grade_class(course, CHAPTER, list(CLASS), jobs=1)
    next(first)
    with pytest.raises(CourseError, match="Another `autograder grade` is at work"):
        next(grade_class(course, CHAPTER, list(CLASS)))
    first.close()
    assert set(grade_all(course).values()) == {""} and marks(course) == MARKS


def test_work_and_outcome_travel_and_hold_no_secret(built_course: Course, tmp_path: Path) -> None:
    secret = "c.CourseDirectory.db_url = 'postgresql://teacher:pass-word@host/marks'\n"
    course = class_of(built_course, tmp_path / "course")
    key = key_of(course, CHAPTER)
    assignment = assignment_of(CHAPTER, read_reference(course, CHAPTER), course.nbgrader, key)
    (course.root / "nbgrader_config.py").write_text(SETTINGS + secret)
    work = pickle.dumps(grade._work(open_course(course.root), assignment, "bob"))
    assert b"pass-word" not in work and str(course.root).encode() not in work
    assert secret_of(course).encode() not in work and assignment.key.encode() in work
    outcome = grade_submission(pickle.loads(work))
    assert sum(score or 0 for score in outcome.scores.values()) == MARKS["bob"]
    assert GradedSubmission.from_json(outcome.to_json()) == pickle.loads(pickle.dumps(outcome)) == outcome


def test_the_newest_schema_is_the_one_that_nbgrader_finds() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        command = [sys.executable, "-c", "from nbgrader import api; print(api.get_alembic_version())"]
        assert subprocess.run(command, capture_output=True, text=True).stdout.strip() == gradebook._newest_schema()


def test_a_file_is_old_or_new_and_never_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "folder" / "file"
    write_atomically(path, b"old")
    with monkeypatch.context() as patch, pytest.raises(OSError, match="disk full"):
        patch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old" and [entry.name for entry in path.parent.iterdir()] == ["file"]


def test_workers_fit_into_memory() -> None:
    available = psutil.virtual_memory().available
    assert workers_that_fit(100 * available) == 1
    assert workers_that_fit(2**20) == len(os.sched_getaffinity(0))


def test_long_ones_first(built_course: Course, tmp_path: Path) -> None:
    course = class_of(built_course, tmp_path / "course")
    hand_in(course, "large", RIGHT + "\n" + "#" * 5000)
    records = {name: outbox.Record("", "", seconds, {}, {}, []) for name, seconds in {"ada": 1.0, "bob": 9.0}.items()}
    ordered = grade._heavy_first(course, CHAPTER, ["ada", "bob", "cy", "large"], records)
    assert ordered == ["large", "cy", "bob", "ada"]


def test_stopping_with_control_c(built_course: Course, tmp_path: Path) -> None:
    course = class_of(built_course, tmp_path / "course")
    for number in range(6):
        hand_in(course, f"slow{number}", f"import time\ntime.sleep(1)\n{RIGHT}")
    command = [sys.executable, "-m", "autograder.cli", "grade", CHAPTER, "--jobs", "2"]
    process = subprocess.Popen(
        command,
        cwd=course.root,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job would ignore it
    )
    deadline = time.monotonic() + 60
    while not Outbox(course, CHAPTER).records() and time.monotonic() < deadline:
        time.sleep(0.05)
    family = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 1 and complaint.count("\n") == 1
    assert "Stopped: " in complaint and "the same command goes on with them" in complaint
    assert not psutil.wait_procs(family, timeout=10)[1]
    left = students_to_grade(course, CHAPTER)
    assert 0 < len(left) < 9 and f"{9 - len(left)} graded and in the gradebook, {len(left)} left" in complaint
    assert set(grade_all(course).values()) == {""} and len(marks(course)) == 9


def test_stopping_counts_what_was_just_stored(
    built_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = class_of(built_course, tmp_path / "course")
    store = Outbox.done

    def stored_then_stopped(self: Outbox, outcome: GradedSubmission, remarks: list[str]) -> None:
        store(self, outcome, remarks)
        raise KeyboardInterrupt

    monkeypatch.setattr(Outbox, "done", stored_then_stopped)
    for force in False, True:  # the second time one has a record from before
        with pytest.raises(CourseError, match="Stopped: 1 graded and in the gradebook, "):
            grade_with_progress(course, {CHAPTER: students_to_grade(course, CHAPTER, force=force)}, 1)
    monkeypatch.undo()
    assert set(grade_all(course).values()) == {""} and len(marks(course)) == 3


def test_no_cluster_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.grading.pool.SECONDS_TO_CONNECT", 1)
    with (
        pytest.raises(CourseError, match="No Dask scheduler answers at tcp://127.0.0.1:9"),
        cluster("tcp://127.0.0.1:9"),
    ):
        pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CourseError, match="run `pip install distributed`"), cluster("tcp://x:1"):
        pass


def test_a_cluster_gives_the_same_marks(built_course: Course, tmp_path: Path) -> None:
    course = class_of(built_course, tmp_path / "course")
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as machines:
        address = machines.scheduler_address
        results = grade_with_progress(course, {CHAPTER: students_to_grade(course, CHAPTER)}, None, address)
        assert [result.problem for result in results] == [""] * 3
    assert marks(course) == MARKS


def test_a_gradebook_in_postgresql(built_course: Course, tmp_path: Path) -> None:
    server = tmp_path / "server"
    server.mkdir()
    plain = class_of(built_course, tmp_path / "plain")
    with postgresql(server) as url:
        course = class_of(built_course, tmp_path / "course", f"c.CourseDirectory.db_url = {url!r}\n")
        for number in range(2):
            for each in (plain, course):
                if number:
                    give_a_mark(each, "ada", 1.5, "well done")
                assert grade_all(each, force=True) == dict.fromkeys(CLASS, "")
            assert rows(course) == rows(plain)
        assert not (course.root / "gradebook.db").exists()
    with pytest.raises(CourseError, match="The gradebook cannot be opened: .*db_url"):
        grade_all(course, force=True)
