"""Answers to the task continue_greedy of chapter 01."""


# %% right="while loop, sorted pairs"
def continue_greedy(model, prompt, max_words):
    text = [word for word in prompt]
    context = text[-1] if len(text) > 0 else "<s>"
    while len(text) < len(prompt) + max_words and context in model:
        probability, word = sorted((p, w) for w, p in model[context].items())[-1]
        if word == "</s>":
            return text
        text.append(word)
        context = word
    return text


# %% right="recursion"
def continue_greedy(model, prompt, max_words):
    last = (["<s>"] + list(prompt))[-1]
    if max_words == 0 or last not in model:
        return tuple(prompt)
    word, _ = max(model[last].items(), key=lambda item: item[1])
    if word == "</s>":
        return tuple(prompt)
    return continue_greedy(model, (*prompt, word), max_words - 1)


# %% right="of equals the last in the row"
def continue_greedy(model, prompt, max_words):
    words = ["<s>", *prompt]
    for _ in range(max_words):
        row = model.get(words[-1], {})
        best = [word for word in row if row[word] == max(row.values())]
        if best == [] or best[-1] == "</s>":
            break
        words.append(best[-1])
    return words[1:]


# %% wrong="prompt in lower case, as in the listing" caught_by="case and short prompts"
def continue_greedy(model, prompt, max_words):
    text = list(prompt)
    for _ in range(max_words):
        context = text[-1].lower() if text else "<s>"
        row = model.get(context)
        if not row:
            break
        word = max(row, key=row.get)
        if word == "</s>":
            break
        text.append(word)
    return text


# %% wrong="empty prompt comes back empty" caught_by="case and short prompts"
def continue_greedy(model, prompt, max_words):
    text = list(prompt)
    for _ in range(max_words):
        if not text or text[-1] not in model:
            break
        row = model[text[-1]]
        word = max(row, key=row.get)
        if word == "</s>":
            break
        text.append(word)
    return text


# %% wrong="end symbol is written" caught_by="stops where it should"
def continue_greedy(model, prompt, max_words):
    text = list(prompt)
    for _ in range(max_words):
        row = model.get(text[-1] if text else "<s>")
        if not row:
            break
        text.append(max(row, key=row.get))
    return text


# %% wrong="an unseen context raises KeyError" caught_by="stops where it should"
def continue_greedy(model, prompt, max_words):
    text = list(prompt)
    for _ in range(max_words):
        row = model[text[-1] if text else "<s>"]
        word = max(row, key=row.get)
        if word == "</s>":
            break
        text.append(word)
    return text


# %% wrong="the end symbol is passed over" caught_by="stops where it should"
def continue_greedy(model, prompt, max_words):
    text = list(prompt)
    for _ in range(max_words):
        row = dict(model.get(text[-1] if text else "<s>", {}))
        row.pop("</s>", None)
        if not row:
            break
        text.append(max(row, key=row.get))
    return text


# %% wrong="max_words counts the prompt too" caught_by="likeliest word, again and again"
def continue_greedy(model, prompt, max_words):
    text = list(prompt)
    while len(text) < max_words:
        row = model.get(text[-1] if text else "<s>")
        if not row:
            break
        word = max(row, key=row.get)
        if word == "</s>":
            break
        text.append(word)
    return text


# %% wrong="largest word instead of largest probability" caught_by="likeliest word, again and again"
def continue_greedy(model, prompt, max_words):
    text = list(prompt)
    for _ in range(max_words):
        row = model.get(text[-1] if text else "<s>")
        if not row:
            break
        word = max(row)
        if word == "</s>":
            break
        text.append(word)
    return text


# %% wrong="an unseen context starts anew" caught_by="stops where it should" change="<s>\" -> <s>\", model.get(\"<s>\")"


# %% wrong="stops as soon as the end has four in ten" caught_by="stops where it should" change="/s>\" -> /s>\" or row.get(\"</s>\", 0) >= 0.4"


# %% wrong="stops only when the end has more than a half" caught_by="stops where it should"
def continue_greedy(model, prompt, max_words):
    words = list(prompt)
    for _ in range(max_words):
        row = dict(model.get(words[-1] if words else "<s>", {}))
        if not row or row.pop("</s>", 0) > 0.5 or not row:
            break
        words.append(max(row, key=row.get))
    return words


# %% wrong="the first new word is never the end" caught_by="stops where it should"
# -     for _ in range(max_words):
# +     for number in range(max_words):

# -         if word == "</s>":
# +         if word == "</s>" and number > 0:


# %% wrong="new words put behind the caller's prompt" caught_by="case and short prompts" change="list(prompt) -> prompt"


# %% wrong="rows added to the caller's model" caught_by="case and short prompts" change="get(words[-1] if words else \"<s>\" -> setdefault(words[-1] if words else \"<s>\", {}"


# %% wrong="max_words of zero writes one word" caught_by="stops where it should" change="range(max_words -> range(max(max_words, 1)"


# %% wrong="a word is never said twice in a row or again after two" caught_by="likeliest word, again and again" change="row.get -> lambda w: row[w] if w not in words[-1:] or len(words) < 3 else 0"


# %% wrong="looked up in lower case when the word is missing" caught_by="case and short prompts" change="model.get(words[-1] if words else \" -> (model.get(words[-1]) or model.get(words[-1].lower())) if words else model.get(\""


# %% right="NumPy's argmax"
def continue_greedy(model, prompt, max_words):
    words = np.array([*prompt], dtype=object)
    while len(words) < len(prompt) + max_words:
        row = model.get(words[-1] if len(words) else "<s>", {})
        names = [*row]
        if not names or names[np.argmax([row[name] for name in names])] == "</s>":
            break
        words = np.append(words, names[np.argmax([row[name] for name in names])])
    return words


# %% wrong="a look-up gives a defaultdict a new row" caught_by="case and short prompts"
def continue_greedy(model, prompt, max_words):
    text = list(prompt)
    while len(text) < len(prompt) + max_words:
        try:
            row = model[text[-1]] if text else model["<s>"]
        except KeyError:
            return text
        likeliest = max(row, key=lambda word: row[word], default="</s>")
        if likeliest == "</s>":
            return text
        text.append(likeliest)
    return text


# %% wrong="asking for the end gives the row of a defaultdict a new word" caught_by="case and short prompts"
def continue_greedy(model, prompt, max_words):
    text = list(prompt)
    for _ in range(max_words):
        context = text[-1] if text else "<s>"
        if context not in model:
            break
        row = model[context]
        try:
            end = row["</s>"]
        except KeyError:
            end = 0
        others = [word for word in row if word != "</s>"]
        best = max(others, key=row.get, default=None)
        if best is None or row[best] <= end:
            break
        text.append(best)
    return text


# %% wrong="gives up when a context comes again and again" caught_by="stops where it should"
def continue_greedy(model, prompt, max_words):
    words, seen = list(prompt), Counter()
    while len(words) - len(prompt) < max_words:
        context = words[-1] if words else "<s>"
        if context not in model or seen[context] > 8:
            break
        seen[context] += 1
        best = max(model[context], key=model[context].get)
        if best == "</s>":
            break
        words.append(best)
    return words
