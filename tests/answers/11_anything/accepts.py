"""Answers to the task accepts of chapter 11."""


# %% right="recursive; states with names, and one that is a trap"
def accepts(word, step, start, accepting):
    if len(word) == 0:
        return start in accepting
    following = step.get((start, word[0]), None)
    if (start, word[0]) not in step:
        return False
    return accepts(word[1:], step, following, accepting)


def ab_star():
    step = {("even", "a"): "odd", ("odd", "b"): "even"}
    for state, symbol in (("even", "b"), ("odd", "a"), ("trap", "a"), ("trap", "b")):
        step[state, symbol] = "trap"
    return step, "even", ["even"]


# %% right="a set of states, as for automata that are not deterministic; three states"
def accepts(word, step, start, accepting):
    states = {start}
    for symbol in word:
        states = {step[state, symbol] for state in states if (state, symbol) in step}
    return bool(states & set(accepting))


def ab_star():
    return ({(0, "a"): 1, (1, "b"): 2, (2, "a"): 1}, 0, frozenset({0, 2}))


# %% wrong="accepts as soon as an accepting state is met" caught_by="states and missing steps"
# -         state = step[state, symbol]
# -     return state in accepting
# +         state = step[state, symbol]
# +         if state in accepting:
# +             return True
# +     return state in accepting


# %% wrong="a missing step is skipped" caught_by="states and missing steps"
# -         if (state, symbol) not in step:
# -             return False
# -         state = step[state, symbol]
# +         state = step.get((state, symbol), state)


# %% wrong="a missing step ends the reading" caught_by="states and missing steps"
# -             return False
# -         state = step[state, symbol]
# +             break
# +         state = step[state, symbol]


# %% wrong="a missing step leads back to the start" caught_by="states and missing steps"
# -         if (state, symbol) not in step:
# -             return False
# -         state = step[state, symbol]
# +         state = step.get((state, symbol), start)


# %% wrong="a state 0 counts as none" caught_by="states and missing steps"
# -         if (state, symbol) not in step:
# -             return False
# -         state = step[state, symbol]
# +         state = step.get((state, symbol))
# +         if not state:
# +             return False


# %% wrong="the empty word is always accepted" caught_by="states and missing steps"
# -     state = start
# +     if not word:
# +         return True
# +     state = start


# %% wrong="the empty word is never accepted" caught_by="states and missing steps"
# -     return state in accepting
# +     return len(word) > 0 and state in accepting


# %% wrong="the last symbol is not read" caught_by="states and missing steps" change="for symbol in word: -> for symbol in word[:-1]:"


# %% wrong="steps are taken out as they are used" caught_by="states and missing steps" change="state = step[state, symbol] -> state = step.pop((state, symbol))"


# %% wrong="stops when it comes to a state once more" caught_by="states and missing steps"
# -         state = step[state, symbol]
# +         if step[state, symbol] == state:
# +             break
# +         state = step[state, symbol]


# %% wrong="an a at the end is fine" caught_by="your machine for (ab)*" change="0, {0} -> 0, {0, 1}"


# %% wrong="the empty word is not in it" caught_by="your machine for (ab)*" change="{(0, \"a\"): 1, (1, \"b\"): 0}, 0, {0} -> {(0, \"a\"): 1, (1, \"b\"): 2, (2, \"a\"): 1}, 0, {2}"


# %% wrong="a*b*" caught_by="your machine for (ab)*" change="{(0, \"a\"): 1, (1, \"b\"): 0}, 0, {0} -> {(0, \"a\"): 0, (0, \"b\"): 1, (1, \"b\"): 1}, 0, {0, 1}"


# %% wrong="only up to four times ab" caught_by="your machine for (ab)*"
# -     return {(0, "a"): 1, (1, "b"): 0}, 0, {0}
# +     step = {(i, "ab"[i % 2]): i + 1 for i in range(8)}
# +     return step, 0, {0, 2, 4, 6, 8}


# %% wrong="a symbol that no step knows is skipped" caught_by="states and missing steps"
# -         if (state, symbol) not in step:
# +         if symbol not in {s for _, s in step}:
# +             continue
# +         if (state, symbol) not in step:


# %% right="dict.get, and None for a step that is missing"
def accepts(word, step, start, accepting):
    state = start
    for symbol in word:
        state = step.get((state, symbol))
        if state is None:
            return False
    return state in accepting


def ab_star():
    return {(1, "a"): 2, (2, "b"): 1}, 1, {1}


# %% wrong="states are compared as text" caught_by="states and missing steps" change="return state in accepting -> return str(state) in map(str, accepting)"


# %% wrong="a missing last step does not matter" caught_by="states and missing steps"
# -     for symbol in word:
# -         if (state, symbol) not in step:
# -             return False
# -         state = step[state, symbol]
# -     return state in accepting
# +     for symbol in word[:-1]:
# +         if (state, symbol) not in step:
# +             return False
# +         state = step[state, symbol]
# +     return (step.get((state, word[-1]), state) if word else state) in accepting


# %% wrong="missing entries are written into step" caught_by="states and missing steps"
# -         if (state, symbol) not in step:
# -             return False
# -         state = step[state, symbol]
# +         state = step.setdefault((state, symbol), None)
# +         if state is None:
# +             return False


# %% wrong="remembers words, whatever the machine" caught_by="states and missing steps"
# + _known = {}
# +
# +
#   def accepts(word, step, start, accepting):

# -     state = start
# -     for symbol in word:
# -         if (state, symbol) not in step:
# -             return False
# -         state = step[state, symbol]
# -     return state in accepting
# +     key = (word, start, len(step))
# +     if key not in _known:
# +         state = start
# +         for symbol in word:
# +             state = step.get((state, symbol))
# +             if state is None:
# +                 break
# +         _known[key] = state in accepting
# +     return _known[key]


# %% wrong="fifty symbols are enough" caught_by="states and missing steps" change="in word: -> in word[:50]:"


# %% wrong="a trap called -1, which may be a state" caught_by="states and missing steps"
def accepts(word, step, start, accepting):
    state = start
    for symbol in word:
        state = step.get((state, symbol), -1)
    return state in accepting


def ab_star():
    return {(0, "a"): 1, (1, "b"): 0}, 0, {0}
