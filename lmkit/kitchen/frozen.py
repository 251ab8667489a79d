"""The small split that ships with the course: written once, the same for everybody."""

from pathlib import Path

from lmkit.kitchen.sampler import Document, documents
from lmkit.paths import DATA
from lmkit.sums import write_with_sums

FOLDER = DATA / "kitchen"
SPLITS = {"train": (100_000, 1), "valid": (20_000, 2), "test": (100_000, 3)}  # tokens, seed


def split(name: str, folder: Path = FOLDER) -> list[Document]:
    """The frozen documents of "train", "valid" or "test", with gold tags (one letter each on disk)."""
    if name not in SPLITS:
        raise ValueError(f"There is no split {name!r}; choose one of: {', '.join(SPLITS)}.")
    texts = (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    letters = (folder / f"{name}.tags").read_text(encoding="utf-8").splitlines()
    return [
        Document(text.split(), [_TAGS[letter] for letter in line]) for text, line in zip(texts, letters, strict=True)
    ]


LETTERS = {
    "NOUN": "N",
    "PROPN": "P",
    "VERB": "V",
    "AUX": "U",
    "ADJ": "J",
    "ADV": "R",
    "ADP": "I",
    "DET": "D",
    "PRON": "O",
    "NUM": "M",
    "PART": "T",
    "SCONJ": "S",
    "CCONJ": "C",
    "INTJ": "H",
    "PUNCT": ".",
    "X": "X",
}
_TAGS = {letter: tag for tag, letter in LETTERS.items()}


def write(folder: Path = FOLDER) -> None:
    """Generate the split and its SHA-256 sums (`sha256sum -c SHA256SUMS` checks them)."""
    texts = {}
    for name, (tokens, seed) in SPLITS.items():
        made = documents(tokens=tokens, seed=seed)
        for suffix, lines in {
            "txt": [" ".join(document.tokens) for document in made],
            "tags": ["".join(LETTERS[tag] for tag in document.tags) for document in made],
        }.items():
            texts[f"{name}.{suffix}"] = "\n".join(lines) + "\n"
    write_with_sums(folder, texts)


if __name__ == "__main__":
    write()
