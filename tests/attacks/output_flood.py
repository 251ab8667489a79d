"""Fills each of its own cells with as many and as long errors and pictures as the limits of one cell let through.

Honest mark: 1 of 3.
"""


def square(x):
    return x * abs(x)


def flood():
    import sys

    outputs = sys.stdout.sink.outputs
    for _ in range(100):
        outputs.append({"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["t" * 40_000] * 4})


# %%
flood()
# %%
flood()
# %%
flood()
# %%
flood()
# %%
flood()
# %%
flood()
