"""The files of a corpus as splits of tokens: one function for each corpus of the registry."""

import random
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

Sentence = list[str]
Splits = dict[str, list[Sentence]]


def transcript_words(line: str) -> Sentence:
    """The words of one line of the Berkeley transcripts, without its id and its markup.

    `33_1_0001 <i> [uh] i wa- want . (thi)-s` -> `i want this`. Written from the transcription guidelines:
    <...> repaired words, [...] fillers and noises, "." a long pause, "wa-" a fragment, "(thi)-s" a word of which only
    the "s" was heard and the rest is the transcriber's guess, *...* mispronounced; "!", ":" and {} are undocumented.
    """
    _, _, text = line.partition(" ")
    text = re.sub(r"\[[^\]]*\]", " ", text)
    while (shorter := re.sub(r"<[^<>]*>", " ", text)) != text:
        text = shorter
    words = []
    for token in re.sub(r"[{}*!:]", "", text).replace("`", "'").replace(";", "'").split():
        word = re.sub(r"-?\(|\)-?", "", token).strip(".") if "(" in token or ")" in token else token.strip(".")
        if word and not word.startswith("-") and not word.endswith("-") and "<" not in word and ">" not in word:
            words.append(word)
    return words


def _transcripts(files: Mapping[str, Path]) -> Splits:
    """Nine tenths of the speakers train, the others test: nobody is in both."""
    lines = files["transcript.txt"].read_text(encoding="utf-8").splitlines()
    speakers = sorted({line[:2] for line in lines})
    held_out = set(random.Random(1994).sample(speakers, len(speakers) // 10))
    splits: Splits = {"train": [], "test": []}
    for line in lines:
        if words := transcript_words(line):
            splits["test" if line[:2] in held_out else "train"].append(words)
    return splits


def _shakespeare(files: Mapping[str, Path]) -> Splits:
    text = files["input.txt"].read_text(encoding="utf-8")
    speeches = [speech for speech in re.split(r"(?<=\n\n)", text) if speech]
    return _in_order([list(speech) for speech in speeches], len(text))


def _text8(files: Mapping[str, Path]) -> Splits:
    words: dict[str, str] = {}  # one string object for each type: 17 million would not fit everywhere
    stretches: list[Sentence] = []
    rest = ""
    with zipfile.ZipFile(files["text8.zip"]) as archive, archive.open("text8") as stream:
        size = 0
        while block := stream.read(10_000).decode("ascii"):
            size += len(block)
            whole, _, last = (rest + block).rpartition(" ")
            rest = last
            stretches.append([words.setdefault(word, word) for word in whole.split()])
        if rest.strip():
            stretches.append([rest.strip()])
    return _in_order([stretch for stretch in stretches if stretch], size, blanks=1)


def _in_order(parts: list[Sentence], size: int, blanks: int = 0) -> Splits:
    """Parts that begin in the first 90 % of the characters train, in the next 5 % valid, in the rest test."""
    splits: Splits = {"train": [], "valid": [], "test": []}
    done = 0
    for part in parts:
        splits["train" if done < 0.9 * size else "valid" if done < 0.95 * size else "test"].append(part)
        done += sum(map(len, part)) + blanks * len(part)
    return splits


def _ptb(files: Mapping[str, Path]) -> Splits:
    return {
        split: [line.split() for line in files[f"ptb.{split}.txt"].read_text(encoding="utf-8").splitlines()]
        for split in ("train", "valid", "test")
    }


def _wikitext(files: Mapping[str, Path]) -> Splits:
    with zipfile.ZipFile(files["wikitext-2-v1.zip"]) as archive:
        texts = {
            split: archive.read(f"wikitext-2/wiki.{split}.tokens").decode("utf-8")
            for split in ("train", "valid", "test")
        }
    return {split: [words for line in text.split("\n") if (words := line.split())] for split, text in texts.items()}


PREPARE: dict[str, Callable[[Mapping[str, Path]], Splits]] = {
    "berkeley-transcripts": _transcripts,
    "tiny-shakespeare": _shakespeare,
    "ptb": _ptb,
    "wikitext-2": _wikitext,
    "text8": _text8,
}
