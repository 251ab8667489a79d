"""Returns script, which the test's message quotes.

Honest mark: 0 of 3.
"""


def square(x):
    return (
        "</pre></div><script>alert(4711)</script><img src=x onerror=alert(4711)><a href='javascript:alert(4711)'>x</a>"
    )
