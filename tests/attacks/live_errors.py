"""Raises errors whose kind, text and answer are script, so that messages and tracebacks would carry it.

Honest mark: 0 of 3.
"""

EVIL = "<script>alert(4711)</script><img src=x onerror=alert(4711)>"


def square(x):
    raise type(EVIL, (ValueError,), {})(EVIL)


# %%
raise type(EVIL, (Exception,), {})(EVIL + "\x1b[31m" + EVIL + "\x1b]8;;javascript:alert(4711)\x07x")
