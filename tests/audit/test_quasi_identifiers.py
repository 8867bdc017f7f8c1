"""Verdicts with quasi-identifiers, columns that nobody audits,
and sensitive items that are words.
"""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from golden.tables import table2
from json_contracts import faults
from properties.strategies import without_ratings

from ratingpriv import audit, frontier, partition
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import QuasiColumn, SensitiveColumn
from ratingpriv.report.pages import page_of

pytestmark = pytest.mark.small

AGE = QuasiColumn(
    "age", np.array([0, 1, 0, 1, 2, 2], dtype=np.int32), pl.Series([20.0, 24.0, 60.0]), 5.0
)
SEX = QuasiColumn("sex", np.array([0, 0, 0, 0, 1, 1], dtype=np.int32), pl.Series(["f", "m"]))
ALONE = QuasiColumn("home", np.arange(6, dtype=np.int32), pl.Series(list("abcdef")))
WORDS = SensitiveColumn(
    "illness", np.array([0, 1, 2, 0, 1, 0.0]), np.ones(6, bool), ("flu", "cold", "none")
)


def table(*quasi: QuasiColumn, **more: object):
    return replace(table2(), quasi=quasi, **more)


def codes(result) -> list[str]:
    return [caution.code for caution in result.cautions]


def test_a_quasi_identifier_decides_a_verdict():
    assert audit(table(), k=2, epsilon=1).satisfied
    both = audit(table(AGE, SEX), k=2, epsilon=1)
    assert both.satisfied
    assert page_of(both).headline.endswith(
        "within epsilon on 3 items and equal on sex and within 5 on age."
    )
    assert "equal on sex and within 5 on age" in repr(both)
    found = audit(table(AGE, ALONE), k=2, epsilon=1)
    assert not found.satisfied
    assert found.k_epsilon.max_k == 1
    assert audit(table(AGE, ALONE), k=2, epsilon=1, engine="pairwise").sizes.tolist() == [1] * 6


def test_who_is_alone_by_a_quasi_identifier_is_not_alone_by_what_was_rated():
    sparse = next(
        one for one in audit(table(ALONE), k=2, epsilon=1).cautions if one.code == "sparse-data"
    )
    assert (
        "6 of 6 records (100%) are the only ones that rate what they rate and have what they have "
        "on home" in (sparse.message)
    )
    assert "sparse-data" not in codes(audit(table(AGE), k=2, epsilon=1))


def test_epsilon_over_the_whole_range_leaves_the_quasi_identifiers():
    found = audit(table(SEX), k=2, epsilon=6)
    covers = next(one for one in found.cautions if one.code == "epsilon-covers-range")
    assert "only which items are rated and sex distinguish records" in covers.message
    assert page_of(found).headline.startswith("SATISFIED WITH RESERVATION: ")
    assert "this protects no rating" in repr(found)
    assert "this protects nothing" in page_of(audit(table(), k=2, epsilon=6)).explanation[0]


def test_quasi_identifiers_alone_are_k_anonymity():
    alone = without_ratings(table(SEX, sensitive=()))
    for epsilon in (0.0, 3.0):
        found = audit(alone, k=2, epsilon=epsilon)
        assert found.sizes.tolist() == [4, 4, 4, 4, 2, 2]
        assert codes(found) == ["no-ratings"]
    assert page_of(found).headline == (
        "SATISFIED: table 2 is (k = 2, epsilon = 3)-anonymous without ratings, equal on sex."
    )
    assert not audit(alone, k=3, epsilon=9).satisfied
    searched = frontier(alone, k=2, partition=False)
    assert [(row.epsilon, row.max_k, row.protection) for row in searched.rows] == [(0.0, 2, True)]
    assert searched.smallest_epsilon.neighbourhood == 0
    assert "no-ratings" in codes(searched)
    assert frontier(alone, k=3, partition=False).smallest_epsilon.neighbourhood is None


def test_a_frontier_moves_ratings_only():
    plain = [row.max_k for row in frontier(table(), partition=False).rows]
    found = frontier(table(AGE, SEX), partition=False)
    assert [row.epsilon for row in found.rows] == [0, 1, 2, 3, 4, 5, 6, 7]
    for row in found.rows:
        assert row.max_k == audit(table(AGE, SEX), k=1, epsilon=row.epsilon).k_epsilon.max_k
    assert all(row.max_k <= most for row, most in zip(found.rows, plain, strict=True))
    assert found.rows[-1].max_k == 2 < plain[-1] == 6  # r and more: only the fixed rules are left
    assert frontier(table(ALONE), k=2, partition=False).smallest_epsilon.neighbourhood is None


def test_what_is_released_unaudited_is_said_everywhere():
    note = table(carried=(pl.Series("note", list("abcdef")), pl.Series("diary", list("abcdef"))))
    for result in (
        audit(note, k=2, epsilon=1),
        frontier(note, k=2, partition=False),
        partition(note, k=2, epsilon=1),
    ):
        said = [one.message for one in result.cautions if one.code == "carried-columns"]
        assert len(said) == 1
        assert said[0].startswith("released unaudited: note, diary.")
        assert result.to_dict()["dataset"]["carried"] == ["note", "diary"]


def test_l_is_about_numbers():
    both = table(sensitive=(*table2().sensitive, WORDS))
    only, found = audit(table(), k=2, epsilon=1, l=1), audit(both, k=2, epsilon=1, l=1)
    assert found.satisfied
    assert found.k_epsilon_l.max_l == only.k_epsilon_l.max_l
    said = next(one for one in found.cautions if one.code == "nominal-not-in-l")
    assert "illness" in said.message
    assert "issue 4" not in said.message
    assert page_of(found).headline.endswith("-anonymous; l is about issue 4, not about illness.")
    assert "nominal-not-in-l" not in codes(audit(both, k=2, epsilon=1))
    searched = frontier(both, l=1, partition=False)
    assert searched.feasible == frontier(table(), l=1, partition=False).feasible
    assert [set(row.max_l) for row in searched.rows] == [{"issue 4"}] * len(searched.rows)
    assert "nominal-not-in-l" in codes(searched)
    assert not faults(searched.to_dict())


def test_no_sd_of_words():
    both = table(sensitive=(*table2().sensitive, WORDS))
    found = audit(both, k=3, epsilon=0, l=9)
    document = found.to_dict()
    assert document["dataset"]["nominal"] == ["illness"]
    assert set(document["k_epsilon_l"]["max_l"]) == {"issue 4"}
    assert all(set(one["sd"]) == {"issue 4"} for one in document["violators"])
    assert all(set(one["share"]) == {"issue 4", "illness"} for one in document["violators"])
    assert set(document["inference"]) == {"issue 4", "illness"}
    assert not faults(document)
    assert "sd:illness" not in found.to_frame().columns
    assert "share:illness" in found.to_frame().columns
    with pytest.raises(ParameterError, match="SD of codes"):
        found.sd("illness")
    assert found.counts("illness").distinct.tolist() == [1] * 6


def test_l_is_refused_where_all_is_words():
    words = table(sensitive=(WORDS,))
    for ask in (
        lambda: audit(words, k=2, epsilon=1, l=1),
        lambda: frontier(words, l=1),
        lambda: partition(words, k=2, epsilon=1, l=1),
    ):
        with pytest.raises(ParameterError, match="sensitive item"):
            ask()
    found = audit(words, k=2, epsilon=1, distinct=3)
    assert [one.sd for one in found.violators()] == [None] * found.n_violators
    assert found.to_dict()["distinct"]["largest"] == {"illness": 2}
