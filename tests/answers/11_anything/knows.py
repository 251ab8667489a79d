"""Answers to the task knows of chapter 11."""


# %% right="from the end, with sorted"
def knows(following, n):
    for k in range(n, 0, -1):
        p = dict(following("a" * n + "b" * k))
        wanted = "b" if k < n else "</s>"
        ranked = sorted(p, key=p.get)
        if ranked[-1] != wanted or p[ranked[-2]] == p[wanted]:
            return False
    return True


# %% right="all at once"
def knows(following, n):
    wanted = ["b"] * (n - 1) + ["</s>"] * (n > 0)

    def sure(p, right):
        return all(p[right] > p[other] for other in {"a", "b", "</s>"} - {right})

    return all(sure(following("a" * n + "b" * (k + 1)), right) for k, right in enumerate(wanted))


# %% wrong="equal is enough" caught_by="one failure is enough" change="p[right] <= max(others) -> p[right] < max(others)"


# %% wrong="more than a half is wanted" caught_by="one failure is enough" change="if p[right] <= max(others): -> if p[right] <= 0.5:"


# %% wrong="the end is not asked for" caught_by="b, and then the end" change="range(1, n + 1) -> range(1, n)"


# %% wrong="only the end is asked for" caught_by="b, and then the end" change="range(1, n + 1) -> range(max(n, 1), n + 1)"


# %% wrong="asked from the last a on" caught_by="one failure is enough" change="range(1, n + 1) -> range(0, n + 1)"


# %% wrong="the last place decides" caught_by="one failure is enough"
# -     for k in range(1, n + 1):
# +     good = True
# +     for k in range(1, n + 1):

# -         if p[right] <= max(others):
# -             return False
# -     return True
# +         good = p[right] > max(others)
# +     return good


# %% wrong="right at one place is enough" caught_by="one failure is enough"
# -         if p[right] <= max(others):
# -             return False
# -     return True
# +         if p[right] > max(others):
# +             return True
# +     return n == 0


# %% wrong="a is never looked at" caught_by="one failure is enough" change="in (\"a\", \"b\", \"</s>\") if -> in (\"b\", \"</s>\") if"


# %% wrong="the prefix has as many a as b" caught_by="one failure is enough" change="\"a\" * n + \"b\" * k -> \"a\" * min(n, k + (k < n)) + \"b\" * k"


# %% wrong="one b more" caught_by="b, and then the end" change="\"</s>\" if k == n else \"b\" -> \"</s>\" if k > n else \"b\""


# %% wrong="nothing asked is nothing known" caught_by="b, and then the end"
# -     return True
# +     return n > 0


# %% wrong="most places are enough" caught_by="one failure is enough"
# -     for k in range(1, n + 1):
# +     failures = 0
# +     for k in range(1, n + 1):

# -             return False
# -     return True
# +             failures += 1
# +     return 4 * failures <= n


# %% wrong="the order of the dict breaks a tie" caught_by="one failure is enough"
def knows(following, n):
    for k in range(1, n + 1):
        p = following("a" * n + "b" * k)
        if max(p, key=p.get) != ("</s>" if k == n else "b"):
            return False
    return True


# %% wrong="blanks between the b" caught_by="one failure is enough" change="\"a\" * n + \"b\" * k -> \"a\" * n + \"b \" * k"


# %% wrong="compares two digits only" caught_by="one failure is enough" change="p[right] <= max(others) -> round(p[right], 2) <= round(max(others), 2)"


# %% wrong="only some places are asked" caught_by="one failure is enough" change="range(1, n + 1): -> sorted({1, 2, (n + 1) // 2, n - 1, n} & {*range(1, n + 1)}):"


# %% wrong="more by a millionth" caught_by="one failure is enough" change="if p[right] <= max(others): -> if p[right] <= max(others) + 1e-6:"


# %% wrong="the last b is not asked of long words" caught_by="b, and then the end"
# -     for k in range(1, n + 1):
# +     for k in range(1, n + 1 - (n > 30)):


# %% wrong="something is asked for 0" caught_by="b, and then the end"
# -     for k in range(1, n + 1):
# -         p = following("a" * n + "b" * k)
# -         right = "</s>" if k == n else "b"
# -         others = [p[symbol] for symbol in ("a", "b", "</s>") if symbol != right]
# -         if p[right] <= max(others):
# +     for k in range(n + 1):
# +         if k == 0 and n > 0:
# +             continue
# +         p = following("a" * n + "b" * k)
# +         right = "b" if k < n else "</s>"
# +         if any(p[right] <= p[other] for other in p if other != right):


# %% wrong="takes the right symbol out of the model's dict" caught_by="b, and then the end"
# -         others = [p[symbol] for symbol in ("a", "b", "</s>") if symbol != right]
# -         if p[right] <= max(others):
# +         if p.pop(right) <= max(p.values()):
