# %% [markdown]
# ## 2. A stack
#
# No DFA recognises $a^n b^n$, $n$ letters *a* and then as many *b*: with $k$ states it cannot tell more than $k$ different numbers apart. Brackets that close are of this kind. A **push-down automaton** has a stack as well, and sees only its top. Ours reads rules
#
# `{(state, symbol, top): (state, action)}`
#
# where the action `"push"` lays the symbol just read on the stack, `"pop"` takes the top away, and `"keep"` does nothing. On the empty stack the top is `None`; a `"pop"` there refuses the word, and so does a missing rule. A word is accepted if it ends in an accepting state **with an empty stack**.

# %% [markdown] statement="pushdown"
# - `accepts_pushdown(word, rules, start, accepting)`: a bool;
# - `anbn()`: `(rules, start, accepting)` for all $a^n b^n$ with $n \ge 0$. It gets by with two states.

# %% [markdown] hints="pushdown"
# 1. What should lie on the stack after three *a*? What does each *b* do to it?
# 2. A list is a stack; its last item is the top. Look up the rule *before* you change anything.
# 3. State "reading a": an *a* is pushed, whatever the top is; a *b* on an *a* pops and goes to "reading b". There only *b* on *a* has a rule. Both states may accept, for the stack decides.


# %% task="pushdown" points=4 level=2 minutes=18
def accepts_pushdown(word, rules, start, accepting):
    """Whether the push-down automaton ends in an accepting state with an empty stack."""
    ### BEGIN SOLUTION
    state, stack = start, []
    for symbol in word:
        rule = rules.get((state, symbol, stack[-1] if stack else None))
        if rule is None:
            return False
        state, action = rule
        if action == "push":
            stack.append(symbol)
        elif action == "pop":
            if not stack:
                return False
            stack.pop()
    return state in accepting and not stack
    ### END SOLUTION


def anbn():
    """(rules, start, accepting) of a push-down automaton for a^n b^n, n >= 0."""
    ### BEGIN SOLUTION
    rules = {
        ("a", "a", None): ("a", "push"),
        ("a", "a", "a"): ("a", "push"),
        ("a", "b", "a"): ("b", "pop"),
        ("b", "b", "a"): ("b", "pop"),
    }
    return rules, "a", {"a", "b"}
    ### END SOLUTION


# %% test="pushdown" aspect="brackets" points=2
_rules = {(0, "(", None): (0, "push"), (0, "(", "("): (0, "push")}
_rules |= {(0, ")", "("): (0, "pop"), (0, ".", None): (0, "keep")}
for _word, _wanted in (("()", True), ("(", False), (")", False), ("(()())", True)):
    _got = accepts_pushdown(_word, dict(_rules), 0, {0})
    assert _got is not None, "You return None; return True or False."
    assert bool(_got) == _wanted, f"Brackets: {_word!r} gives {_wanted}; yours: {_got}."
### BEGIN HIDDEN TESTS
for _x, _y in itertools.product("([", repeat=2):
    _rules[0, _x, _y] = _rules[0, _x, None] = (0, "push")
_rules[0, "]", "["] = (0, "pop")


def _brackets(rng, n, change):
    """Brackets that close, with dots between them; then two neighbours are changed."""
    word = ["."] if rng.random() < 0.5 else []
    for _ in range(n):
        place = rng.randrange(len(word) + 1)
        word[place:place] = rng.choice(["()", "[]"])
    place = rng.randrange(len(word) + 1)
    word[place : place + 2] = change(word[place : place + 2])
    return "".join(word)


_changes = (
    lambda two: two,
    lambda two: two[::-1],
    lambda two: two[1:],
    lambda two: [*two, ")"],
    lambda two: ["(", *two],
    lambda two: ["x", *two],
)
agrees(
    accepts_pushdown,
    ours.accepts_pushdown,
    made(_brackets, size("pairs", least=0), choice(*_changes)),
    dict(_rules),
    0,
    {0},
    mixtures=40,
)
_deep = choice("([" * 150 + "])" * 150, "(.)"), dict(_rules), 0, {0}
agrees(accepts_pushdown, ours.accepts_pushdown, *_deep, mixtures=0)
### END HIDDEN TESTS

# %% test="pushdown" aspect="states, empty stacks and keep" points=1
_rules = {("s", "x", None): ("t", "push"), ("t", "y", "x"): ("u", "pop")}
_got = accepts_pushdown("xy", dict(_rules), "s", {"t"})
assert _got is not None and not _got, (
    "The stack is empty, but the state `u` is not accepting."
)
### BEGIN HIDDEN TESTS
_words = [list(word) for n in range(5) for word in itertools.product("xy", repeat=n)]


def _machine(rng, missing):
    """Rules of two states for x and y, some of which are missing."""
    triples = itertools.product((0, 1), "xy", (None, "x", "y"))
    actions = ("push", "pop", "pop", "keep")
    rules = {one: (rng.randrange(2), rng.choice(actions)) for one in triples}
    return {one: rule for one, rule in rules.items() if rng.random() > missing}


agrees(
    accepts_pushdown,
    ours.accepts_pushdown,
    made(_machine, choice(0.0, 0.2, 0.5)),
    0,
    choice({0, 1}, {0}, {1}, set()),
    by=lambda accepts, *machine: {
        "".join(word): accepts(word, *machine) for word in _words
    },
)
_rules = {(0, "x", None): (0, "push"), (0, "y", "x"): (0, "pop")}
agrees(accepts_pushdown, ours.accepts_pushdown, "xxyy", _rules, 0, {0}, mixtures=0)
### END HIDDEN TESTS

# %% test="pushdown" aspect="your machine for a^n b^n" points=1
_got = anbn()
assert _got is not None and len(_got) == 3, f"Return three things; yours: {_got!r}."


_words = anything.short_words(*_got, 4)
assert "aabb" in _words, "Your machine refuses `aabb`."
assert "aab" not in _words, "Your machine accepts `aab`."
### BEGIN HIDDEN TESTS
_few = ["".join(word) for n in range(8) for word in itertools.product("ab", repeat=n)]
_many = ["a" * 300 + "b" * n for n in (299, 300, 301)]
_good = "a" * 12 + "b" * 12
for _place in range(len(_good)):  # one letter more, less or exchanged, anywhere
    _before, _two = _good[:_place], _good[_place : _place + 2]
    _many += [
        _before + some + _good[_place + 2 :] for some in ("ba", "aab", "abb", "b")
    ]


def _verdicts(machine):
    """What the machine says of short words and of long ones."""
    found = machine()
    return {word: ours.accepts_pushdown(word, *found) for word in [*_few, *_many]}


agrees(anbn, ours.anbn, by=_verdicts, mixtures=0)
### END HIDDEN TESTS
