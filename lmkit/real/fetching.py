"""Files of a corpus into the cache: from the network or from a file somebody has, checked.

The cache folder is that of the operating system, or the one that the environment variable LMKIT_CACHE names. Every
problem ends in one `FetchError` whose message is one line.
"""

import json
import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

from lmkit.files import write_whole
from lmkit.real.registry import Entry, File

TIMEOUT = 30.0  # seconds without a single byte
RECORDED = "recorded.json"
_AGENT = "counts-to-transformers/0.1 (a course on language models)"


class FetchError(RuntimeError):
    """A corpus could not be brought into the cache; the message says why, in one line."""


def cache_folder() -> Path:
    """Where fetched files are kept."""
    import pooch

    return Path(os.environ.get("LMKIT_CACHE") or pooch.os_cache("counts-to-transformers"))


def _recorded(folder: Path) -> dict[str, str]:
    """File name -> SHA-256, for files of the folder whose hash the registry does not know."""
    path = folder / RECORDED
    return json.loads(path.read_text()) if path.exists() else {}


def _expected(file: File, folder: Path) -> str | None:
    return file.sha256 or _recorded(folder).get(file.name)


def _hash(path: Path) -> str:
    import pooch

    return str(pooch.file_hash(str(path), alg="sha256"))


def is_cached(entry: Entry, folder: Path | None = None) -> bool:
    """Whether every file of the corpus lies in the cache with the right hash."""
    folder = (folder or cache_folder()) / entry.name
    return all(_is_good(file, folder) for file in entry.files)


def _is_good(file: File, folder: Path) -> bool:
    path = folder / file.name
    return path.is_file() and _expected(file, folder) == _hash(path)


def _download(entry: Entry, file: File, folder: Path, progress: bool) -> None:
    """One file from the network into the folder; nothing is kept of a download that fails."""
    import pooch
    import requests

    pooch.get_logger().setLevel("ERROR")
    downloader = pooch.HTTPDownloader(progressbar=progress, headers={"User-Agent": _AGENT}, timeout=TIMEOUT)
    known = _expected(file, folder)
    try:
        pooch.retrieve(file.url, f"sha256:{known}" if known else None, file.name, folder, downloader=downloader)
    except requests.RequestException as error:
        status = error.response.status_code if error.response is not None else 0
        reason = f"the server answers {status}" if status else f"no connection ({type(error).__name__})"
        raise FetchError(
            f"{entry.name}: {file.url} cannot be fetched: {reason}."
            f" If you have the file: python -m lmkit.corpora fetch {entry.name} --from FILE"
        ) from None
    except ValueError as error:  # pooch has compared the hashes and deleted the download
        found = re.search(r"but got (\w+)", str(error))
        raise FetchError(
            f"{entry.name}: refused {file.name} from {file.url}: its SHA-256 is {found[1] if found else 'wrong'},"
            f" expected {known}. Nothing was kept."
        ) from None
    except OSError as error:
        raise FetchError(f"{entry.name}: cannot write to {folder}: {error.strerror}.") from None


def _record(file: File, folder: Path) -> None:
    """Remember the hash of a file that the registry does not know, and say so."""
    known = _recorded(folder)
    known[file.name] = _hash(folder / file.name)
    (folder / RECORDED).write_text(json.dumps(known, indent=1) + "\n")
    size = (folder / file.name).stat().st_size
    warnings.warn(
        f"No SHA-256 of {file.name} was known, so it could not be checked; recorded {known[file.name]}"
        f" ({size:,} bytes) in {folder / RECORDED}.",
        stacklevel=3,
    )


def _take(entry: Entry, given: Sequence[Path], folder: Path) -> None:
    """Copy files that somebody has already into the folder; all are checked before the first is copied."""
    chosen: dict[str, Path] = {}
    for path in given:
        if not path.is_file():
            raise FetchError(f"{entry.name}: there is no file {path}.")
        found = _hash(path)
        matches = [file for file in entry.files if _expected(file, folder) == found]
        matches += [file for file in entry.files if not _expected(file, folder) and file.name == path.name]
        if not matches:
            named = [file for file in entry.files if file.name == path.name] or entry.files
            wanted = " or ".join(f"{file.name} with {_expected(file, folder) or 'any'}" for file in named)
            raise FetchError(f"{entry.name}: refused {path}: its SHA-256 is {found}, expected {wanted}.")
        chosen[matches[0].name] = path
    for name, path in chosen.items():
        write_whole(folder / name, path.read_bytes())


def fetch(
    entry: Entry, given: Sequence[Path] = (), *, folder: Path | None = None, progress: bool = True
) -> dict[str, Path]:
    """Bring a corpus into the cache: from the `given` files, or else from the network. File name -> path.

    Files that are there with the right hash are left alone. Raises FetchError; warns when it
    records a hash that was not known.
    """
    folder = (folder or cache_folder()) / entry.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FetchError(f"{entry.name}: cannot make the folder {folder}: {error.strerror}.") from None
    if given:
        _take(entry, given, folder)
    for file in entry.files:
        if _is_good(file, folder):
            continue
        unknown = _expected(file, folder) is None
        if given and not (unknown and (folder / file.name).is_file()):
            raise FetchError(f"{entry.name}: {file.name} is still missing; give it too, or fetch without --from.")
        if not given:
            if unknown:  # a file of unknown origin, left by a run that was stopped
                (folder / file.name).unlink(missing_ok=True)
            _download(entry, file, folder, progress)
        if unknown:
            _record(file, folder)
    return {file.name: folder / file.name for file in entry.files}
