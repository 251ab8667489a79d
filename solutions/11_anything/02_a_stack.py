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
for _word, _wanted in (
    ("", True),
    ("()()", True),
    ("())", False),
    (")(", False),
    ("(()", False),
    (".().", True),
    ("(.)", False),
    ("((((()))))", True),
    ("((((())))", False),
    ("(x)", False),
):
    _got = accepts_pushdown(_word, dict(_rules), 0, {0})
    assert _got is not None and bool(_got) == _wanted, (
        f"Brackets, and dots outside of them: {_word!r} gives {_wanted}; yours: {_got}."
    )
_two = {(s, x, t): (s, "push") for s in (0,) for x in "([" for t in (None, "(", "[")}
_two |= {(0, ")", "("): (0, "pop"), (0, "]", "["): (0, "pop")}
for _word, _wanted in (
    ("([])[]", True),
    ("([)]", False),
    ("[(])", False),
    ("[([])]", True),
):
    _got = accepts_pushdown(_word, dict(_two), 0, {0})
    assert _got is not None and bool(_got) == _wanted, (
        f"Two kinds of brackets: {_word!r} gives {_wanted}; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="pushdown" aspect="states, empty stacks and keep" points=1
_rules = {("s", "x", None): ("t", "push"), ("t", "y", "x"): ("u", "pop")}
_got = accepts_pushdown("xy", dict(_rules), "s", {"t"})
assert _got is not None and not _got, (
    "The stack is empty, but the state `u` is not accepting."
)
### BEGIN HIDDEN TESTS
for _word, _more, _accepting, _wanted, _what in (
    ("xy", {}, {"u"}, True, "accepting state and empty stack"),
    ("x", {}, {"t"}, False, "accepting state, but something on the stack"),
    ("", {}, {"s"}, True, "nothing read, start accepting"),
    ("", {}, {"t"}, False, "nothing read, start not accepting"),
    ("z", {("s", "z", None): ("s", "pop")}, {"s"}, False, "a pop on the empty stack"),
    ("xz", {("t", "z", "x"): ("t", "keep")}, {"t"}, False, "`keep` keeps the top"),
    ("xzy", {("t", "z", "x"): ("t", "keep")}, {"u"}, True, "`keep`, and then a pop"),
    (
        "zxy",
        {("s", "z", None): ("s", "keep")},
        {"u"},
        True,
        "`keep` on the empty stack",
    ),
    (["x", "y"], {}, {"u"}, True, "a list of symbols"),
    ("z", {("s", "z", None): ("v", "keep")}, {"v"}, True, "`keep` changes the state"),
    (
        "z",
        {("s", "z", None): ("v", "keep")},
        {"s"},
        False,
        "`keep` changes the state, too",
    ),
    (
        "xxy",
        {("t", "x", "x"): ("t", "keep")},
        {"u"},
        True,
        "`keep` on a symbol like the top",
    ),
):
    _all = {**_rules, **_more}
    _got = accepts_pushdown(_word, dict(_all), "s", set(_accepting))
    assert _got is not None and bool(_got) == _wanted, (
        f"{_what}: {_word!r} gives {_wanted}; yours: {_got}."
    )
_after = arguments_after(accepts_pushdown, ["x", "y"], dict(_rules), "s", {"u"})
assert list(_after[0]) == ["x", "y"] and dict(_after[1]) == _rules, (
    "An argument is changed."
)
### END HIDDEN TESTS

# %% test="pushdown" aspect="your machine for a^n b^n" points=1
_got = anbn()
assert _got is not None and len(_got) == 3, f"Return three things; yours: {_got!r}."


_words = anything.short_words(*_got, 4)
assert "aabb" in _words, "Your machine refuses `aabb`."
assert "aab" not in _words, "Your machine accepts `aab`."
### BEGIN HIDDEN TESTS


def _says(machine, word):
    """What the machine says of the word, run by this test's own loop."""
    rules, state, accepting = machine
    stack = []
    for symbol in word:
        rule = dict(rules).get((state, symbol, stack[-1] if stack else None))
        if rule is None or (rule[1] == "pop" and not stack):
            return False
        state = rule[0]
        if rule[1] == "push":
            stack.append(symbol)
        elif rule[1] == "pop":
            stack.pop()
    return state in accepting and not stack


for _length in range(8):
    for _letters in itertools.product("ab", repeat=_length):
        _word = "".join(_letters)
        _half = _length // 2
        _wanted = _word == "a" * _half + "b" * _half
        assert _says(_got, _word) == _wanted, (
            f"Your machine should {'accept' if _wanted else 'refuse'} {_word!r}."
        )
assert _says(_got, "a" * 300 + "b" * 300) and not _says(_got, "a" * 300 + "b" * 299), (
    "With 300 letters a your machine is wrong."
)
### END HIDDEN TESTS
