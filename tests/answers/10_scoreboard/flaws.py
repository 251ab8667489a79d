"""Answers to the task flaws of chapter 10."""


# %% right="a list of conditions, lists and all"
def flaws(tokens, sentences):
    ends = sum(1 for token in tokens if token == "</s>")
    left = [t for t in tokens if t != "</s>"]
    right = []
    for sentence in sentences:
        right.extend(sentence)
    other = len(left) != len(right)
    for i in range(min(len(left), len(right))):
        other = other or (left[i] != right[i] and left[i] != "<UNK>")
    checks = {"ends": ends != len(sentences), "unknown words": "<UNK>" in left, "other text": other}
    return [name for name, holds in checks.items() if holds]


# %% right="blanks filled in from the sentences"
def flaws(tokens, sentences):
    words = sum((list(s) for s in sentences), [])
    said = [t for t in tokens if t != "</s>"]
    filled = [w if t == "<UNK>" else t for t, w in zip(said, words)]
    result = frozenset()
    if Counter(tokens)["</s>"] != len(sentences):
        result |= {"ends"}
    if Counter(tokens)["<UNK>"]:
        result |= {"unknown words"}
    if len(said) != len(words) or filled != words:
        result |= {"other text"}
    return result


# %% wrong="any end will do" caught_by="ends and unknown words" change="len(tokens) - len(said) != len(sentences) -> len(tokens) == len(said)"


# %% wrong="only missing ends" caught_by="ends and unknown words" change="len(tokens) - len(said) != len(sentences) -> len(tokens) - len(said) < len(sentences)"


# %% wrong="zip stops at the shorter row" caught_by="another text" change="if len(said) != len(words) or not same: -> if not same:"


# %% wrong="only the length" caught_by="another text" change="if len(said) != len(words) or not same: -> if len(said) != len(words):"


# %% wrong="words counted without their order" caught_by="another text"
# -     same = all(a in (b, "<UNK>") for a, b in zip(said, words, strict=False))
# +     same = not Counter(said) - Counter([*words, *["<UNK>"] * len(said)])


# %% wrong="an unknown word is another text" caught_by="ends and unknown words" change="a in (b, \"<UNK>\") -> a == b"


# %% wrong="only one flaw is named" caught_by="ends and unknown words"
# -         found.add("other text")
# +         found = {"other text"}


# %% wrong="an end counts as a word" caught_by="ends and unknown words" change="[token for token in tokens if token != \"</s>\"] -> list(tokens)"


# %% wrong="everything after the first unknown word is believed" caught_by="another text"
# -     same = all(a in (b, "<UNK>") for a, b in zip(said, words, strict=False))
# +     known = said.index("<UNK>") if "<UNK>" in said else len(said)
# +     same = said[:known] == words[:known]


# %% wrong="case is ignored" caught_by="another text" change="a in (b, \"<UNK>\") -> a == \"<UNK>\" or a.lower() == b.lower()"


# %% wrong="the ends are taken out of the student's list" caught_by="tokens and sentences stay"
# -     said = [token for token in tokens if token != "</s>"]
# +     before = len(tokens)
# +     if isinstance(tokens, list):
# +         while "</s>" in tokens:
# +             tokens.remove("</s>")
# +     said = [token for token in tokens if token != "</s>"]

# -     if len(tokens) - len(said) != len(sentences):
# +     if before - len(said) != len(sentences):


# %% wrong="an empty text has no flaw" caught_by="ends and unknown words"
# -     found = set()
# +     found = set()
# +     if not tokens:
# +         return found


# %% right="one list made of all sentences with sum"
def flaws(tokens, sentences):
    words = sum(sentences, [])
    said = [token for token in tokens if token != "</s>"]
    named = {"ends"} if tokens.count("</s>") != len(sentences) else set()
    if "<UNK>" in tokens:
        named.add("unknown words")
    if len(said) != len(words) or any(t not in ("<UNK>", w) for t, w in zip(said, words)):
        named.add("other text")
    return named


# %% wrong="an end in another place is another text" caught_by="another text"
# -     if len(said) != len(words) or not same:
# +     cut = [[]]
# +     for token in tokens:
# +         cut[-1].append(token) if token != "</s>" else cut.append([])
# +     lengths = [len(one) for one in cut[:-1]] == [len(one) for one in sentences]
# +     if len(said) != len(words) or not same or ("ends" not in found and not lengths):


# %% wrong="the text must close with an end" caught_by="ends and unknown words"
# -     if len(tokens) - len(said) != len(sentences):
# +     if len(tokens) - len(said) != len(sentences) or (tokens and tokens[-1] != "</s>"):


# %% wrong="the unknown words are left out, the others only in order" caught_by="another text"
# -     same = all(a in (b, "<UNK>") for a, b in zip(said, words, strict=False))
# +     rest = iter(words)
# +     same = all(word in rest for word in said if word != "<UNK>")


# %% wrong="whatever contains UNK is unknown" caught_by="ends and unknown words" change="if \"<UNK>\" in said: -> if any(\"UNK\" in token for token in said):"


# %% wrong="the letters in a row are compared" caught_by="another text"
# -     if len(said) != len(words) or not same:
# +     if "".join(said) != "".join(words) and not (same and len(said) == len(words)):


# %% wrong="a word that is hidden once may not be shown" caught_by="another text"
# -     same = all(a in (b, "<UNK>") for a, b in zip(said, words, strict=False))
# +     pairs = list(zip(said, words, strict=False))
# +     hidden = {b for a, b in pairs if a == "<UNK>"}
# +     same = all(a in (b, "<UNK>") and a not in hidden for a, b in pairs)


# %% wrong="UNK stands for two words at most" caught_by="another text" change="same = all( -> same = len({b for a, b in zip(said, words, strict=False) if a == '<UNK>'}) < 3 and all("


# %% wrong="empty sentences need no end" caught_by="ends and unknown words"
# -     said = [token for token in tokens if token != "</s>"]
# -     words = [word for sentence in sentences for word in sentence]
# -     found = set()
# -     if len(tokens) - len(said) != len(sentences):
# -         found.add("ends")
# -     if "<UNK>" in said:
# -         found.add("unknown words")
# -     same = all(a in (b, "<UNK>") for a, b in zip(said, words, strict=False))
# -     if len(said) != len(words) or not same:
# +     found = set()
# +     words = [word for sentence in sentences for word in sentence]
# +     said = [token for token in tokens if token != "</s>"]
# +     if len(tokens) - len(said) != sum(1 for sentence in sentences if sentence):
# +         found.add("ends")
# +     if "<UNK>" in said:
# +         found.add("unknown words")
# +     if len(said) != len(words) or any(t not in (w, "<UNK>") for t, w in zip(said, words)):


# %% wrong="one sentence without an end is fine" caught_by="ends and unknown words"
# -     if len(tokens) - len(said) != len(sentences):
# +     if max(1, len(tokens) - len(said)) != max(1, len(sentences)):


# %% wrong="words are patterns" caught_by="another text"
import re


def flaws(tokens, sentences):
    found = set()
    if tokens.count("</s>") != len(sentences):
        found.add("ends")
    if "<UNK>" in tokens:
        found.add("unknown words")
    words = [word for sentence in sentences for word in sentence]
    said = [token for token in tokens if token != "</s>"]
    if len(words) != len(said) or any(not re.fullmatch(t.replace("<UNK>", ".*"), w) for w, t in zip(words, said)):
        found.add("other text")
    return found


# %% wrong="texts are joined and split again" caught_by="another text"
# -     words = [word for sentence in sentences for word in sentence]
# +     words = " ".join(" ".join(sentence) for sentence in sentences).split()
# +     tokens = " ".join(tokens).split()
# +     said = [token for token in tokens if token != "</s>"]
