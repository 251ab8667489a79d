"""The oracle: a student's answer and the course's, called with the same inputs, compared and told apart in words.

A test says which inputs a task allows, each as a *source*, and `agrees` does the rest: it tries a usual case, then each
*edge* of each source by rule (an axis of size 1, a large one, ties, numbers laid out column by column ...), then some
mixtures; of a difference it looks for the smallest case that still shows it. All that is drawn follows from Python's
`random`, so under a judge that seeds it the verdict stays what it is.

It needs nothing but Python; NumPy and torch are used where a source asks for them.
"""

from autograder.oracle.answers import Answers, answers
from autograder.oracle.compare import difference
from autograder.oracle.sources import (
    Source,
    array,
    choice,
    ids,
    listing,
    made,
    number,
    shares,
    size,
    tensor,
    truths,
    whole,
    words,
)
from autograder.oracle.trial import agrees, spreads_like

__all__ = [
    "Answers",
    "Source",
    "agrees",
    "answers",
    "array",
    "choice",
    "difference",
    "ids",
    "listing",
    "made",
    "number",
    "shares",
    "size",
    "spreads_like",
    "tensor",
    "truths",
    "whole",
    "words",
]
