"""Prints the source of later cells from IPython's history in all its forms.

Honest mark: 1 of 3.
"""

from IPython import get_ipython


def square(x):
    print(get_ipython().user_ns.get("In"), get_ipython().user_ns.get("_ih"))
    return x * abs(x)


# %%
shell = get_ipython()
print(In, _ih, Out, globals().get("_i"), globals().get("_ii"))
shell.run_line_magic("history", "-g")
for part in shell.history_manager.get_range(session=0, raw=True):
    print(part)
