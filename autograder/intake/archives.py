"""Unpack what a learning management system hands out into `submitted/STUDENT/CHAPTER/CHAPTER.ipynb`.

Nothing in an archive is trusted: where a file goes follows from the student's name, made safe, and from the chapter,
never from a path in the archive. First all is read and checked, then it is moved into place.
"""

import gzip
import os
import re
import shutil
import stat
import struct
import tarfile
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

import yaml

from autograder.course import Course, CourseError
from autograder.disk import write_atomically
from autograder.intake.files import LARGEST_SUBMISSION, TIMESTAMP, name_without_copies
from autograder.intake.lms import System, systems
from autograder.wording import printable

MAX_ENTRIES = 10_000
MAX_UNPACKED = 2**30  # bytes of all files together
MAX_RATIO = 200  # unpacked to packed size; JSON with pictures stays far below
RATIO_FREE = 2**20  # bytes below which the ratio does not matter
MAX_METADATA = 5 * 2**20  # bytes of Gradescope's list of submitters
ENTRY_BYTES = 1000  # of a zip's directory, for one entry: 46 and its name
LONGEST_NAME = 100
METADATA = "submission_metadata.yml"
PACKED = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")

PLAIN = "plain"  # no system's layout: one's own zip


@dataclass(frozen=True)
class Taken:
    """An entry of the archive that became a submission."""

    student: str
    entry: str
    path: Path
    when: str = ""  # what the archive says about the time: LATE, or the time itself


@dataclass(frozen=True)
class Person:
    """What an archive says about a student."""

    name: str = ""
    email: str = ""

    @property
    def first_name(self) -> str:
        return self.name.rpartition(" ")[0]

    @property
    def last_name(self) -> str:
        return self.name.rpartition(" ")[2]


@dataclass
class Collection:
    """What was taken from an archive, and every other file in it with the reason why not."""

    lms: str
    taken: list[Taken] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)
    people: dict[str, Person] = field(default_factory=dict)  # by student
    late_without_time: list[str] = field(default_factory=list)  # students of whom only that they are late is known


@dataclass(frozen=True)
class _Entry:
    """A file in an archive. `reason` says why it cannot be taken; else `content`, if we want it, is its copy."""

    name: str
    reason: str = ""
    content: Path | None = None


@dataclass(frozen=True)
class _Listed:
    """A submission in Gradescope's list."""

    submitters: dict[str, Person]  # by what tells them apart
    time: datetime | None


def collect(
    course: Course,
    chapter: str,
    archive: Path,
    lms: str | None = None,
    replace: bool = False,
    due: Callable[[], datetime | None] = lambda: None,
) -> Collection:
    """Take the submissions to `chapter` out of a zip or tar; the layout is found out if `lms` does not name it.

    Of two files for one student the first counts. When something was handed in is written where nbgrader reads it;
    of what is LATE (Canvas) the hour is not known, so that is one second after what `due` says.
    A submission that is already there stays, unless `replace` is given.
    Raises CourseError, with nothing written, if the chapter is unknown or the archive cannot be read.
    """
    course.chapter_source(chapter)
    if lms is not None and lms not in (PLAIN, *systems()):
        raise CourseError(f"There is no layout {lms!r}: choose one of {', '.join([*systems(), PLAIN])}.")
    if not archive.is_file():
        raise CourseError(f"{archive} does not exist: name the zip or tar file that you downloaded.")
    course.submitted.mkdir(exist_ok=True)
    # Copies are made inside submitted/, on the same disk, so that moving them into place cannot fail half-way.
    with tempfile.TemporaryDirectory(prefix=".collect-", dir=course.submitted) as folder:
        entries = list(_read(archive, Path(folder)))
        if not entries:
            raise CourseError(f"{archive.name} holds no file: download it again.")
        layout = lms or _layout([entry.name for entry in entries])
        return _Sorter(course, chapter, layout, replace, due).sort(entries)


class _Sorter:
    """Decides for each entry whose submission it is, and puts it there."""

    def __init__(self, course: Course, chapter: str, layout: str, replace: bool, due: Callable[[], datetime | None]):
        self.course, self.chapter, self.replace, self.due = course, chapter, replace, due
        self.other_chapters = set(course.chapters()) - {chapter}
        self.collection = Collection(layout)
        self.system = systems().get(layout) or System(
            PLAIN,
            re.compile(rf"(?P<student>[^/]+?)(?:/(?:{re.escape(chapter)}/)?(?P<file>{re.escape(chapter)}))?\.ipynb"),
            example="STUDENT/CHAPTER.ipynb or STUDENT.ipynb",
            student="{student}",
        )
        self.pattern = self.system.pattern
        self.listed: dict[str, _Listed] = {}
        self.first: dict[str, str] = {}  # student -> the entry that counts

    def sort(self, entries: list[_Entry]) -> Collection:
        notebooks = []
        for entry in entries:
            if entry.content is None:
                self._leave(entry, entry.reason)
            elif _file_name(entry.name) == METADATA:
                self._read_submitters(entry)
            else:
                notebooks.append((entry, self.pattern.fullmatch(entry.name)))
        # The file that is named after the chapter comes first, if someone handed in several.
        for entry, match in sorted(notebooks, key=lambda pair: _stem(pair[1]) != self.chapter):
            stem = _stem(match)
            students = self._students(match)
            if not students:
                self._leave(entry, f"its name is not like {self.system.example}")
            elif stem in self.other_chapters:
                self._leave(entry, f"it is named after chapter {stem}")
            else:
                assert match is not None
                is_late = bool(match.groupdict().get("late"))
                listed = self.listed.get(match["student"])
                for student, person in students.items():
                    if self._place(student, entry, is_late, listed.time if listed else None) and person.name:
                        self.collection.people[student] = person
        return self.collection

    def _students(self, match: re.Match[str] | None) -> dict[str, Person]:
        """Whose work an entry is, by names that are safe in a path; more than one for a group."""
        if match is None or match["student"] == self.chapter:
            return {}
        name = self.system.student.format(**match.groupdict())
        raw = {name: Person(name) if self.system.is_full_name else Person()}
        if match["student"] in self.listed:  # by Gradescope
            raw = self.listed[match["student"]].submitters
        return {student: person for name, person in raw.items() if (student := safe_name(name))}

    def _place(self, student: str, entry: _Entry, is_late: bool, time: datetime | None) -> bool:
        """Put an entry where it belongs, or say why not. Returns whether it is there."""
        assert entry.content is not None
        path = self.course.submission(student, self.chapter)
        key = student.casefold()  # some disks do not tell Ann from ann
        if key in self.first:
            self._leave(entry, f"{student} has handed in {_shown(self.first[key])} as well, and the first one counts")
            return False
        self.first[key] = entry.name
        if not path.resolve().is_relative_to(self.course.submitted.resolve()):
            self._leave(entry, f"{path.parent} is a link that leads out of {self.course.submitted}")
        elif path.is_file() and path.read_bytes() == entry.content.read_bytes():
            self._leave(entry, f"{student} has this very file there already")
            self._keep_time(student, path.with_name(TIMESTAMP), is_late, time)
            return True
        elif path.exists() and not self.replace:
            self._leave(entry, f"{student} has another file there already; --replace would take this one")
        elif path.is_dir() or not _make_folder(path.parent):
            self._leave(entry, f"{path} cannot be written: something else is in its place")
        else:
            copy = entry.content.with_name("copy")  # a group's file goes to several places
            shutil.copyfile(entry.content, copy)
            copy.replace(path)
            when = self._keep_time(student, path.with_name(TIMESTAMP), is_late, time)
            self.collection.taken.append(Taken(student, _shown(entry.name), path, when))
            return True
        return False

    def _keep_time(self, student: str, path: Path, is_late: bool, time: datetime | None) -> str:
        """Write down when something was handed in, as far as that is known; returns it in words."""
        if is_late and time is None:
            due = self.due()
            if due is None:
                self.collection.late_without_time.append(student)
            else:
                time = due + timedelta(seconds=1)
        if time is None:
            path.unlink(missing_ok=True)  # of an earlier version
            return "LATE" if is_late else ""
        text = f"{time:%Y-%m-%d %H:%M:%S} UTC"
        write_atomically(path, text.encode())
        return f"LATE, taken as {text}" if is_late else text

    def _read_submitters(self, entry: _Entry) -> None:
        """Gradescope's list: submission -> student numbers, or what else tells people apart."""
        assert entry.content is not None
        if self.collection.lms != "gradescope" or self.pattern.fullmatch(entry.name):
            self._leave(
                entry, "it is not a notebook (.ipynb)"
            )  # in a student's folder it is the student's, not Gradescope's
            return
        try:
            loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
            for submission, facts in yaml.load(entry.content.read_bytes(), Loader=loader).items():
                people = {_submitter(person): _person(person) for person in facts[":submitters"]}
                if all(people) and people:
                    self.listed[str(submission)] = _Listed(people, _time(facts.get(":created_at")))
            self._leave(entry, "it says who handed in what, and was used for that")
        except Exception:  # whatever is wrong with it, work can still be told apart by submission
            self._leave(entry, "it cannot be read; students are called after their submissions")

    def _leave(self, entry: _Entry, reason: str) -> None:
        self.collection.left.append((_shown(entry.name), reason))


def safe_name(raw: str) -> str:
    """A student's name as one part of a path: letters and digits of any script, `-`, `_`, `.` and `@`."""
    text = unicodedata.normalize("NFC", raw)
    text = "".join(letter if letter in "-_.@" or unicodedata.category(letter)[0] in "LMN" else "_" for letter in text)
    text = re.sub(r"_+", "_", text)[:LONGEST_NAME].encode()[: 2 * LONGEST_NAME].decode(errors="ignore")
    return text.lstrip("-._").rstrip("._")


def _submitter(person: dict[str, Any]) -> str:
    return str(person.get(":sid") or person.get(":email") or person.get(":name") or "")


def _person(facts: dict[str, Any]) -> Person:
    return Person(*(printable(str(facts.get(key) or ""))[:LONGEST_NAME] for key in (":name", ":email")))


def _time(value: object) -> datetime | None:
    """A time in UTC without its zone, as nbgrader has them."""
    if not isinstance(value, datetime):
        return None
    return (value.astimezone(UTC) if value.tzinfo else value).replace(tzinfo=None)


def _layout(names: list[str]) -> str:
    """The layout that most notebooks of an archive follow; plain if none does."""
    notebooks = [name for name in names if name.lower().endswith(".ipynb")]
    count = {lms: sum(bool(system.pattern.fullmatch(name)) for name in notebooks) for lms, system in systems().items()}
    best = max(count, key=lambda lms: count[lms])
    return best if count[best] else PLAIN


def _stem(match: re.Match[str] | None) -> str:
    """The name that a student gave the file, less what Canvas adds when it is handed in again."""
    name = _file_name((match and match["file"]) or "")
    return name_without_copies(re.sub(r"(-\d+)?\.ipynb$", "", name, flags=re.IGNORECASE))


def _file_name(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _shown(name: str) -> str:
    """A name from an archive as it may be printed: no control characters, not endless."""
    return printable(name[:200].replace("\n", "?"))


def _make_folder(path: Path) -> bool:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return True


def _refused(name: str) -> str:
    """Why a file of this name is not taken; empty if it may be."""
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or re.match(r"[A-Za-z]:", name):
        return "its path leads out of the archive"
    if any(part.startswith(".") or part == "__MACOSX" for part in parts):
        return "it is a hidden file or a copy that Jupyter made"
    if name.lower().endswith(PACKED):
        return "it is an archive inside the archive: unpack it by hand, or ask for the notebook itself"
    if not name.lower().endswith(".ipynb") and parts[-1] != METADATA:
        return "it is not a notebook (.ipynb)"
    return ""


def _read(archive: Path, folder: Path) -> Iterator[_Entry]:
    """All files of an archive; copies of the notebooks are written to `folder`. Raises CourseError if it is broken."""
    with archive.open("rb") as file:
        start = file.read(512)
        file.seek(0)
        try:
            if start[:4] in (b"PK\3\4", b"PK\5\6"):
                yield from _read_zip(file, archive, folder)
            elif start[:2] == b"\x1f\x8b":
                with _unpacked(file, archive, folder) as inner:
                    yield from _read_tar(inner, archive, folder)
            elif start[257:262] == b"ustar":
                yield from _read_tar(file, archive, folder)
            else:
                raise CourseError(f"{archive.name} is no zip, tar or tar.gz: download it again, or pack it as a zip.")
        except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile, struct.error) as error:
            raise _damaged(archive, error) from None
        except OSError as error:
            if error.errno is not None:  # the disk, not the archive
                raise CourseError(f"{archive.name} could not be unpacked: {error.strerror}.") from None
            raise _damaged(archive, error) from None


def _read_zip(file: IO[bytes], archive: Path, folder: Path) -> Iterator[_Entry]:
    if _directory_size(file) > MAX_ENTRIES * ENTRY_BYTES:
        raise _too_many(archive)
    with zipfile.ZipFile(file) as packed:
        if len(packed.infolist()) > MAX_ENTRIES:
            raise _too_many(archive)
        total = 0
        for number, info in enumerate(packed.infolist()):
            kind = stat.S_IFMT(info.external_attr >> 16)
            name = _zip_name(info)
            if info.is_dir() or kind == stat.S_IFDIR:
                continue
            reason = _refused(name)
            if kind not in (0, stat.S_IFREG):
                reason = "it is a link or a device, not a plain file"
            elif info.flag_bits & 1:
                reason = "it is encrypted"
            reason = reason or _too_large(name, info.file_size)
            if not reason and info.file_size > max(RATIO_FREE, MAX_RATIO * info.compress_size):
                reason = f"it unpacks to more than {MAX_RATIO} times its size"
            if reason:
                yield _Entry(name, reason)
                continue
            try:
                with packed.open(info) as inner:
                    content = inner.read(LARGEST_SUBMISSION + 1)
            except NotImplementedError:
                yield _Entry(name, "it is packed in a way that is not understood")
                continue
            total += len(content)
            if total > MAX_UNPACKED:
                raise _too_long(archive)
            yield _copied(name, content, folder / str(number))


def _directory_size(file: IO[bytes]) -> int:
    """Bytes of a zip's directory as its last record says: reading it all in is the first thing that zipfile does."""
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - 2**16 - 22 - 76))
    tail = file.read()
    file.seek(0)
    place = tail.rfind(b"PK\5\6")
    if place < 0:
        raise zipfile.BadZipFile("it has no end")
    if place >= 76 and tail[place - 20 : place - 16] == b"PK\6\7":  # a zip64, where the numbers stand before that
        (size,) = struct.unpack_from("<Q", tail, place - 76 + 40)
    else:
        (size,) = struct.unpack_from("<L", tail, place + 12)
    return int(size)


def _zip_name(info: zipfile.ZipInfo) -> str:
    """The name of an entry; many programs write UTF-8 without saying so."""
    name = info.filename
    if not info.flag_bits & 0x800:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            name = info.filename
    return name.replace("\\", "/")


@contextmanager
def _unpacked(file: IO[bytes], archive: Path, folder: Path) -> Iterator[IO[bytes]]:
    """The tar inside a tar.gz, as a file of its own: so its size is known before anything in it is believed."""
    most = min(MAX_UNPACKED, max(MAX_RATIO * archive.stat().st_size, 10 * RATIO_FREE))
    with gzip.open(file) as packed, (folder / "tar").open("w+b") as unpacked:
        total = 0
        while part := packed.read(2**20):
            total += len(part)
            if total > most:
                raise _too_long(archive)
            unpacked.write(part)
        unpacked.seek(0)
        if unpacked.read(512)[257:262] != b"ustar":
            raise CourseError(f"{archive.name} is no tar.gz: pack the files as a zip or a tar.")
        unpacked.seek(0)
        yield unpacked


def _read_tar(file: IO[bytes], archive: Path, folder: Path) -> Iterator[_Entry]:
    if os.fstat(file.fileno()).st_size > MAX_UNPACKED:
        raise _too_long(archive)
    with tarfile.open(fileobj=file, mode="r:") as packed:
        for number, member in enumerate(packed):
            if number >= MAX_ENTRIES:
                raise _too_many(archive)
            if member.isdir():
                continue
            name = member.name.replace("\\", "/").removeprefix("./")
            reason = _refused(name)
            if not member.isreg() or member.issparse():
                reason = "it is a link or a device, not a plain file"
            reason = reason or _too_large(name, member.size)
            inner = None if reason else packed.extractfile(member)
            if inner is None:
                yield _Entry(name, reason)
            else:
                yield _copied(name, inner.read(), folder / str(number))
        # tarfile takes a damaged header for the end.
        file.seek(packed.offset)
        if file.read(512) != bytes(512):
            raise tarfile.ReadError("it ends too early")


def _too_large(name: str, size: int) -> str:
    most = MAX_METADATA if _file_name(name) == METADATA else LARGEST_SUBMISSION
    return f"it has more than {most // 2**20} MiB: ask for one with its outputs cleared" if size > most else ""


def _copied(name: str, content: bytes, path: Path) -> _Entry:
    path.write_bytes(content)
    return _Entry(name, content=path)


def _damaged(archive: Path, error: Exception) -> CourseError:
    return CourseError(f"{archive.name} is damaged: download it again ({' '.join(str(error).split())[:100]}).")


def _too_many(archive: Path) -> CourseError:
    return CourseError(f"{archive.name} holds more than {MAX_ENTRIES:,} files: hand them over in several archives.")


def _too_long(archive: Path) -> CourseError:
    return CourseError(
        f"{archive.name} unpacks to more than {MAX_UNPACKED // 2**20} MiB or {MAX_RATIO} times its size: "
        "look at it by hand, or hand it over in several archives."
    )
