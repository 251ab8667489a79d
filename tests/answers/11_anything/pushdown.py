"""Answers to the task pushdown of chapter 11."""


# %% right="a string as a stack; the stack decides, one more state"
def accepts_pushdown(word, rules, start, accepting):
    state, stack = start, ()
    for symbol in word:
        top = stack[0] if stack else None
        if (state, symbol, top) not in rules:
            return False
        state, action = rules[state, symbol, top]
        if action == "push":
            stack = (symbol, *stack)
        if action == "pop":
            if top is None:
                return False
            stack = stack[1:]
    return len(stack) == 0 and state in accepting


def anbn():
    rules = {("begin", "a", None): ("more", "push"), ("more", "a", "a"): ("more", "push")}
    rules |= {(s, "b", "a"): ("less", "pop") for s in ("more", "less")}
    return rules, "begin", {"begin", "less"}


# %% right="with exceptions"
def accepts_pushdown(word, rules, start, accepting):
    stack = []
    try:
        for symbol in word:
            start, action = rules[start, symbol, stack[-1] if stack else None]
            {"push": lambda: stack.append(symbol), "pop": stack.pop, "keep": len}[action](
                *([stack] if action == "keep" else [])
            )
    except (KeyError, IndexError):
        return False
    return start in accepting and stack == []


def anbn():
    one, two = 1, 2
    rules = {(one, "a", top): (one, "push") for top in (None, "a")}
    rules[one, "b", "a"] = rules[two, "b", "a"] = (two, "pop")
    return rules, one, [one, two]


# %% wrong="the stack need not be empty" caught_by="brackets" change="state in accepting and not stack -> state in accepting"


# %% wrong="the state does not matter" caught_by="states, empty stacks and keep" change="state in accepting and not stack -> not stack"


# %% wrong="a missing rule ends the reading" caught_by="brackets"
# -         if rule is None:
# -             return False
# +         if rule is None:
# +             break


# %% wrong="a missing rule is skipped" caught_by="brackets"
# -         if rule is None:
# -             return False
# +         if rule is None:
# +             continue


# %% wrong="a pop on the empty stack is fine" caught_by="states, empty stacks and keep"
# -             if not stack:
# -                 return False
# -             stack.pop()
# +             stack = stack[:-1]


# %% wrong="the bottom is taken for the top" caught_by="brackets" change="stack[-1] if stack -> stack[0] if stack"


# %% wrong="keep pushes" caught_by="states, empty stacks and keep" change="if action == \"push\": -> if action != \"pop\":"


# %% wrong="keep refuses" caught_by="states, empty stacks and keep"
# -             stack.pop()
# +             stack.pop()
# +         else:
# +             return False


# %% wrong="a queue" caught_by="brackets" change="stack.pop() -> stack.pop(0)"


# %% wrong="counts instead of a stack" caught_by="brackets"
# -             stack.append(symbol)
# +             stack.append(word[0])


# %% wrong="the empty word is refused" caught_by="states, empty stacks and keep" change="state in accepting and not stack -> len(word) > 0 and state in accepting and not stack"


# %% wrong="the state is changed only by a push" caught_by="states, empty stacks and keep"
# -         state, action = rule
# -         if action == "push":
# -             stack.append(symbol)
# +         _, action = rule
# +         if action == "push":
# +             state = rule[0]
# +             stack.append(symbol)


# %% wrong="n of at least 1" caught_by="your machine for a^n b^n" change="\"a\", {\"a\", \"b\"} -> \"a\", {\"b\"}"


# %% wrong="an a may come after a b" caught_by="your machine for a^n b^n"
# -         ("b", "b", "a"): ("b", "pop"),
# +         ("b", "b", "a"): ("b", "pop"),
# +         ("b", "a", None): ("a", "push"),


# %% wrong="an a between the b" caught_by="your machine for a^n b^n" change="(\"a\", \"b\", \"a\"): (\"b\", \"pop\") -> (\"a\", \"b\", \"a\"): (\"a\", \"pop\")"


# %% wrong="only the first a is pushed" caught_by="your machine for a^n b^n" change="(\"a\", \"a\", \"a\"): (\"a\", \"push\") -> (\"a\", \"a\", \"a\"): (\"a\", \"keep\")"


# %% wrong="only aabb" caught_by="your machine for a^n b^n" change="(\"b\", \"b\", \"a\"): (\"b\", \"pop\"), -> "


# %% wrong="keep pops a top that equals the symbol" caught_by="states, empty stacks and keep"
# -             stack.pop()
# +             stack.pop()
# +         elif stack and stack[-1] == symbol:
# +             stack.pop()


# %% wrong="keep leaves the state as it is" caught_by="states, empty stacks and keep"
# -         state, action = rule
# +         then, action = rule
# +         if action == "keep":
# +             continue
# +         state = then


# %% wrong="a stack of fifty" caught_by="brackets"
# -             stack.append(symbol)
# +             stack[:] = [*stack, symbol][:50]


# %% wrong="an a in the middle, with a tall stack" caught_by="your machine for a^n b^n"
# -     return rules, "a", {"a", "b"}
# +     rules = {(0, "a", None): (1, "push"), ("b", "b", "a"): ("b", "pop")}
# +     rules |= {(k, "a", "a"): (min(k + 1, 7), "push") for k in range(1, 8)}
# +     rules |= {(k, "b", "a"): ("b" if k < 7 else 7, "pop") for k in range(1, 8)}
# +     return rules, 0, {0, 7, "b"}


# %% wrong="an empty stack in the middle refuses" caught_by="brackets"
# -     for symbol in word:
# -         rule = rules.get((state, symbol, stack[-1] if stack else None))
# -         if rule is None:
# -             return False
# -         state, action = rule
# +     for place, symbol in enumerate(word):
# +         top = stack[-1] if stack else None
# +         if (state, symbol, top) not in rules or (place and not stack):
# +             return False
# +         state, action = rules[state, symbol, top]


# %% wrong="a tall stack repeats its top" caught_by="brackets"
# -             stack.append(symbol)
# +             stack.append(symbol if len(stack) < 100 else stack[-1])


# %% wrong="a rule for the empty stack is used for every top" caught_by="brackets"
# -         rule = rules.get((state, symbol, stack[-1] if stack else None))
# +         top = stack[-1] if stack else None
# +         rule = rules.get((state, symbol, top), rules.get((state, symbol, None)))
