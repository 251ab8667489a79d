"""Answers to the task write_story of chapter 04."""


# %% right="a context that is shifted"
def write_story(model, n, start, end, most, draw):
    context, words = torch.full((1, n), start), []
    for _ in range(most):
        p = F.softmax(model(context), dim=-1).squeeze(0)
        word = draw(p)
        if word == end:
            return words
        words.append(word)
        context = torch.cat([context[:, 1:], torch.tensor([[word]])], dim=1)
    return words


# %% right="recursion, a tuple"
def write_story(model, n, start, end, most, draw, text=()):
    if len(text) == most:
        return text
    seen = ([start] * n + list(text))[-n:]
    scores = model(torch.tensor(seen)[None, :])
    word = int(draw(torch.exp(scores[0] - torch.logsumexp(scores[0], 0))))
    return text if word == end else write_story(model, n, start, end, most, draw, (*text, word))


# %% right="float64, without gradients, all drawn first"
def write_story(model, n, start, end, most, draw):
    text = [start] * n
    with torch.no_grad():
        for _ in range(most):
            y = torch.as_tensor(model(torch.tensor([text[-n:]], dtype=torch.int64))).double()[0]
            y = torch.exp(y - y.max())
            text.append(int(draw(y / y.sum())))
            if text[-1] == end:
                text.pop()
                break
    return text[n:]


# %% wrong="always the first context" caught_by="the context moves on" change="text[len(text) - n :] -> text[:n]"


# %% wrong="all words so far" caught_by="the context moves on" change="text[len(text) - n :] -> text"


# %% wrong="nearest word first" caught_by="the context moves on" change="text[len(text) - n :] -> text[len(text) - n :][::-1]"


# %% wrong="end as padding" caught_by="the context moves on" change="[start] * n -> [end] * n"


# %% wrong="one start, then zeros" caught_by="the context moves on" change="[start] * n -> [0] * (n - 1) + [start]"


# %% wrong="the end is kept" caught_by="where it stops"
# -         if word == end:
# -             break
# -         text.append(word)
# +         text.append(word)
# +         if word == end:
# +             break


# %% wrong="never stops at the end" caught_by="where it stops"
# -         if word == end:
# -             break
#           text.append(word)


# %% wrong="the start is returned too" caught_by="where it stops" change="return text[n:] -> return text"


# %% wrong="one word too many" caught_by="where it stops" change="len(text) < n + most -> len(text) <= n + most"


# %% wrong="the start counts as words" caught_by="where it stops" change="len(text) < n + most -> len(text) < most"


# %% wrong="skips the end and goes on" caught_by="where it stops"
#           if word == end:
# -             break
# +             continue


# %% wrong="scores for probabilities" caught_by="draws from the softmax" change="scores.softmax(0) -> scores"


# %% wrong="the likeliest word, whatever is drawn" caught_by="draws from the softmax"
# -         word = int(draw(scores.softmax(0)))
# +         draw(scores.softmax(0))
# +         word = int(scores.argmax())


# %% wrong="exp without the sum" caught_by="draws from the softmax" change="scores.softmax(0) -> scores.exp()"


# %% wrong="overflows" caught_by="draws from the softmax" change="scores.softmax(0) -> scores.float().exp() / scores.float().exp().sum()"


# %% wrong="softmax over the batch" caught_by="draws from the softmax" change="scores.softmax(0) -> scores[None].softmax(0)[0]"


# %% wrong="a context without a batch" caught_by="the context moves on" change="torch.tensor([text[len(text) - n :]]) -> torch.tensor(text[len(text) - n :])"


# %% wrong="the last word tested at the top of the loop" caught_by="where it stops"
def write_story(model, n, start, end, most, draw):
    text = [start] * n
    while len(text) < n + most and text[-1] != end:
        scores = model(torch.tensor([text[len(text) - n :]]))[0]
        text.append(int(draw(scores.softmax(0))))
    story = text[n:]
    return story[:-1] if story and story[-1] == end else story


# %% wrong="a drawn start is left out" caught_by="where it stops" change="return text[n:] -> return [word for word in text if word != start]"


# %% wrong="the same context while nothing was drawn" caught_by="the context moves on"
def write_story(model, n, start, end, most, draw):
    context, story = [start] * n, []
    while len(story) < most:
        with torch.no_grad():
            scores = model(torch.tensor([context]))
        word = int(draw(scores[0].softmax(0)))
        if word == end:
            break
        story.append(word)
        context = [*context[1:], word] if word != start else context
    return story


# %% right="draws until the end comes"
def write_story(model, n, start, end, most, draw):
    text = [start] * n

    def drawn():
        rows = torch.tensor(text[len(text) - n :], dtype=torch.long).reshape(1, n)
        return int(draw(torch.softmax(model(rows), -1).reshape(-1)))

    for _, word in zip(range(most), iter(drawn, end)):
        text.append(word)
    return text[n:]


# %% wrong="contexts as floating-point numbers" caught_by="the context moves on" change="torch.tensor([text[len(text) - n :]]) -> torch.tensor([text[len(text) - n :]]).float()"


# %% wrong="a temperature of its own" caught_by="draws from the softmax" change="scores.softmax(0) -> (scores / 0.8).softmax(0)"


# %% wrong="a word that comes twice in a row ends it" caught_by="where it stops" change="if word == end: -> if word == end or (len(text) > n and word == text[-1]):"


# %% wrong="start is never drawn" caught_by="draws from the softmax"
# -         word = int(draw(scores.softmax(0)))
# +         scores[start] = -math.inf
# +         word = int(draw(scores.softmax(0)))


# %% wrong="of a vocabulary of one word no axis is left" caught_by="draws from the softmax" change="text[len(text) - n :]]))[0] -> text[len(text) - n :]])).squeeze()"
