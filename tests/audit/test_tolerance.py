"""A tolerance: counted exactly, beside the verdict and never in it."""

import random
from decimal import Decimal

import polars as pl
import pytest

import ratingpriv
from ratingpriv.audit.parameters import Tolerance
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable


def crowd(many, alone):
    """Return ``many`` records that are alike and ``alone`` that are far from everybody."""
    rows = {f"a{n}": 1.0 for n in range(many)} | {f"z{n}": 10.0 * (n + 1) for n in range(alone)}
    return RatingTable.from_wide(
        pl.DataFrame({"id": list(rows), "q": list(rows.values())}), id="id"
    )


def test_it_is_compared_as_decimals():
    draw = random.Random(1)  # noqa: S311
    for _ in range(2000):
        digits = draw.randint(1, 6)
        share = Decimal(draw.randint(0, 10**digits - 1)).scaleb(-digits)
        records = draw.choice((1, 7, 100, 300, 9999))
        near = int(share * records)
        for violators in {max(near - 1, 0), near, min(near + 1, records)}:
            found = Tolerance(float(share), violators, records)
            assert found.within == (Decimal(violators) <= share * records), (
                share,
                violators,
                records,
            )
    assert not 29 <= 0.29 * 100
    assert Tolerance(0.29, 29, 100).within


@pytest.mark.parametrize(
    ("at_most", "within"), [(0, False), (0.0199, False), (0.02, True), (0.5, True)]
)
def test_the_verdict_stays_what_it_is(at_most, within):
    table = crowd(98, 2)
    plain, found = (
        ratingpriv.audit(table, k=2, epsilon=1, **more) for more in ({}, {"at_most": at_most})
    )
    assert found.to_dict()["tolerance"] == {"at_most": at_most, "share": 0.02, "within": within}
    assert (found.satisfied, found.n_violators, found.k_epsilon) == (False, 2, plain.k_epsilon)
    told = found.to_dict()
    assert told.pop("tolerance")["within"] is within
    assert plain.to_dict() | {"tolerance": None} == told | {"tolerance": None}
    assert repr(found).startswith(
        "<AuditResult 'table': NOT satisfied (k=2, ε=1); 2 of 100 records break it, "
    )
    assert plain.tolerance is None


def test_every_demand_counts():
    frame = pl.DataFrame({"id": list("abcd"), "q": [1, 1, 1, 9], "s": [5, 5, 5, 1]})
    table = RatingTable.from_wide(frame, id="id", sensitive=["s"])
    found = ratingpriv.audit(table, k=2, epsilon=0, at_most=0.25)
    assert (found.n_violators, found.tolerance.within) == (1, True)
    found = ratingpriv.audit(table, k=2, epsilon=0, max_share=0.5, at_most=0.25)
    assert (found.n_violators, found.tolerance.within) == (4, False)


@pytest.mark.parametrize("at_most", [1, 1.0, 5, -0.1, float("nan"), "1%", True])
def test_what_tolerates_everybody_is_refused(at_most):
    with pytest.raises(ParameterError, match="at_most"):
        ratingpriv.audit(crowd(3, 1), k=2, epsilon=0, at_most=at_most)


def test_it_is_no_good_news_and_the_report_says_it_without_counts():
    from ratingpriv.report.pages import page_of, standing_of
    from ratingpriv.report.templating import phrase

    table = crowd(98, 2)
    for at_most, good in ((0.02, None), (0.01, False)):
        found = ratingpriv.audit(table, k=2, epsilon=1, at_most=at_most)
        document = found.to_dict()
        standing = standing_of(document)
        assert page_of(found).good is found.standing.good is standing.good is good
        assert page_of(found).headline == phrase("headline", document, standing)
        said = phrase("headline", document, standing, False)
        assert said.startswith("NOT SATISFIED: ")
        assert f"your tolerance of {100 * at_most:g} %" in said
        assert "2 of 100" not in said
