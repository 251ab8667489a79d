"""Corpora that others made: looked up in `data/registry.toml`, fetched on request, checked, prepared."""

import zipfile

from lmkit.real.fetching import FetchError, cache_folder, fetch, is_cached
from lmkit.real.preparing import PREPARE, Splits, transcript_words
from lmkit.real.registry import Entry, File, registry

__all__ = [
    "PREPARE",
    "Entry",
    "FetchError",
    "File",
    "Splits",
    "cache_folder",
    "fetch",
    "is_cached",
    "registry",
    "splits",
    "transcript_words",
]


def splits(name: str) -> Splits:
    """The prepared text of a corpus of the registry; it is fetched if it is not in the cache (FetchError)."""
    entry = registry()[name]
    if not is_cached(entry):
        size = f"{entry.bytes:,} bytes" if entry.bytes else "size not known"
        print(f"Fetching {name} ({size}; licence: {entry.licence}) from {entry.source}")
    files = fetch(entry)
    try:
        return PREPARE[name](files)
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError) as error:
        raise FetchError(f"{name}: a file in {cache_folder() / name} cannot be read ({error}); delete it.") from None
