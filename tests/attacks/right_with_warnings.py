"""Right code that writes warnings and errors to stderr; plain nbgrader takes all its points.

Honest mark: 3 of 3.
"""

import logging
import sys
import warnings


def square(x):
    warnings.warn("this is only a warning", stacklevel=1)
    print("this too", file=sys.stderr)
    logging.getLogger().error("and this")
    return x * x
