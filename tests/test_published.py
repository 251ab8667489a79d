"""Each printed figure that the chapters quote, recomputed from the published counts."""

import csv
import math

import pytest

from lmkit import berkeley
from lmkit.paths import DATA

ROWS = list(csv.DictReader((DATA / "published.csv").open()))


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_right_value_follows_from_the_counts(row: dict[str, str]) -> None:
    bigrams, unigrams = berkeley.table("bigram_counts"), berkeley.unigram_counts()
    counts = {(w1, w2): bigrams.loc[w1, w2] for w1 in bigrams.index for w2 in bigrams.columns}
    value = eval(row["how"], {"math": math, "B": counts, "U": unigrams})
    assert math.isclose(value, float(row["right"]), rel_tol=5e-6, abs_tol=1e-12)


def test_the_two_lectures_print_the_same_counts_as_the_tables() -> None:
    exact = berkeley.table("bigram_counts").div(berkeley.unigram_counts(), axis=0)
    assert (exact.sum(axis=1) < 1).all()
    with pytest.raises(ValueError, match="There is no table 'nothing'; choose one of"):
        berkeley.table("nothing")
