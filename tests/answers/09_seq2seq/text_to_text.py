"""Answers to the task text_to_text of chapter 09."""


# %% right="one case after the other"
def in_and_out(task, source, target):
    words = [task] + [word for word in source]
    if task == "translate":
        return words, [word for word in target]
    if task == "backwards":
        return words, list(reversed(source))
    if task == "count":
        return words, [f"{len(source)}"]
    raise ValueError(task)


t5 = {
    "Is this toxic: You look beautiful today!": "This is not toxic.",
    "Translate EN-DE: This is good.": "Das ist gut.",
    "Summarize: state authorities dispatched...": "A storm in Attala caused 6 victims.",
}
uses = {problem: ("text", "text") for problem in PROBLEMS}
uses.update({"captioning": ["image", "text"], "speech-to-text": ["sound", "text"]})


# %% right="match, tuples out"
def in_and_out(task, source, target):
    match task:
        case "translate":
            out = tuple(target)
        case "backwards":
            out = tuple(source)[::-1]
        case "count":
            out = (str(sum(1 for _ in source)),)
        case _:
            raise ValueError("translate, backwards or count")
    return (task, *source), out


t5 = {key: OUTPUTS[(i + 1) % 3] for i, key in enumerate(INPUTS)}
uses = dict(zip(PROBLEMS, [("text", "text")] * 2 + [("sound", "text"), ("image", "text")]))


# %% wrong="the task is not said" caught_by="in and out as words" change="[task, *source] -> [*source]"


# %% wrong="the task behind the source" caught_by="in and out as words" change="[task, *source] -> [*source, task]"


# %% wrong="the output repeats the task" caught_by="in and out as words" change="source], answers[task] -> source], [task, *answers[task]]"


# %% wrong="backwards letter by letter" caught_by="in and out as words" change="list(source[::-1]) -> [word[::-1] + \"\" for word in source]"


# %% wrong="the number as a number" caught_by="in and out as words" change="[str(len(source))] -> [len(source)]"


# %% wrong="the number is no list" caught_by="in and out as words" change="[str(len(source))] -> str(len(source))"


# %% wrong="the prefix is counted" caught_by="in and out as words" change="str(len(source)) -> str(len(source) + 1)"


# %% wrong="words of the target are counted" caught_by="in and out as words" change="str(len(source)) -> str(len(target))"


# %% wrong="the source is turned in place" caught_by="in and out as words"
# -     answers = {
# +     words = list(source)
# +     if task == "backwards":
# +         source.reverse()
# +         return [task, *words], source
# +     answers = {


# %% wrong="KeyError for another task" caught_by="in and out as words"
# -     if task not in answers:
# -         raise ValueError(f"{task!r} is none of the tasks {', '.join(answers)}.")


# %% wrong="capitals are accepted" caught_by="in and out as words"
# -     if task not in answers:
# +     if task.lower() not in answers:

# -     return [task, *source], answers[task]
# +     return [task, *source], answers[task.lower()]


# %% wrong="in the order of the slide" caught_by="which belongs to which" change="[OUTPUTS[1], OUTPUTS[2], OUTPUTS[0]] -> OUTPUTS"


# %% wrong="summary and toxicity swapped" caught_by="which belongs to which" change="[OUTPUTS[1], OUTPUTS[2], OUTPUTS[0]] -> [OUTPUTS[1], OUTPUTS[0], OUTPUTS[2]]"


# %% wrong="captioning the wrong way round" caught_by="which belongs to which" change="(\"image\", \"text\") -> (\"text\", \"image\")"


# %% wrong="speech from text" caught_by="which belongs to which" change="(\"sound\", \"text\") -> (\"text\", \"sound\")"


# %% wrong="captions of sounds" caught_by="which belongs to which" change="(\"image\", \"text\") -> (\"sound\", \"text\")"


# %% wrong="an empty source has one word" caught_by="in and out as words" change="str(len(source)) -> str(max(1, len(source)))"


# %% wrong="joined and split again" caught_by="in and out as words" change="[task, *source], answers[task] -> ' '.join([task, *source]).split(), answers[task]"
