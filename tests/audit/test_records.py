"""What is said of records: the worst in the order that is promised, and the data frame of all."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st

from ratingpriv import RatingTable, audit
from ratingpriv.audit.judging import Judged
from ratingpriv.audit.records import violator, worst_first
from ratingpriv.audit.result import AuditParameters
from ratingpriv.base.compute.resources import Resources
from ratingpriv.proximity.neighbourhoods import neighbourhoods

pytestmark = pytest.mark.small

values = st.sampled_from([None, 1, 1, 2, 5])


@st.composite
def judgements(draw: st.DrawFn) -> Judged:
    """Up to nine records on one issue, with two sensitive ones, of which many tie."""
    n = draw(st.integers(1, 9))
    ratings = draw(st.lists(st.sampled_from([1, 1, 2, 5, 9]), min_size=n, max_size=n))
    hidden = [draw(st.lists(values, min_size=n, max_size=n)) for _ in range(2)]
    table = build([(rating,) for rating in ratings], hidden)
    rule, l = draw(st.sampled_from(["paper", "ignore"])), draw(st.sampled_from([None, 0.5, 3]))  # noqa: E741
    return judged(
        table, k=draw(st.integers(1, 5)), epsilon=draw(st.integers(0, 3)), l=l, sensitive_nulls=rule
    )


def judged(table: RatingTable, **asked: Any) -> Judged:
    parameters = AuditParameters(**asked)
    counted = neighbourhoods(table, parameters.epsilon, counts=True, resources=Resources(1))
    return Judged.of(counted, parameters)


def badness(of: Judged, record: int) -> tuple[int, float, float]:
    """Size, smallest SD, largest share: the last two of the issues on which something is known."""
    found, rule = of.neighbourhoods, of.parameters.sensitive_nulls
    sds = [float(one.sd(found.sizes, rule)[record]) for one in found.moments]
    shares = [one.largest[record] / one.known[record] for one in found.counts if one.known[record]]
    return int(found.sizes[record]), min(sds), -max(shares, default=0.0)


@given(judgements(), st.none() | st.integers(0, 10))
@settings(max_examples=200 * DEPTH)
def test_worst_first(of, show):
    every = sorted(
        np.flatnonzero(~of.satisfied).tolist(), key=lambda record: (badness(of, record), record)
    )
    assert worst_first(of, show).tolist() == every[:show]


@given(judgements())
@settings(max_examples=60 * DEPTH)
def test_a_violator_is_told_by_its_own_neighbourhood(of):
    found, rule = of.neighbourhoods, of.parameters.sensitive_nulls
    for record in range(len(found.sizes)):
        one = violator(of, record, "x")
        assert (one.record, one.size) == ("x", found.sizes[record])
        for moments in found.moments:
            sd = float(moments.sd(found.sizes, rule)[record])
            assert one.sd[moments.name] == (sd if math.isfinite(sd) else None)
        for counts in found.counts:
            known = int(counts.known[record])
            expected = (
                (
                    int(counts.largest[record]) / known,
                    int(counts.distinct[record]),
                    float(counts.entropy[record]),
                )
                if known
                else (None, None, None)
            )
            name = counts.name
            assert (one.share[name], one.distinct[name], one.entropy[name]) == expected


def test_nothing_is_said_of_the_exposure_of_records_that_were_not_examined():
    result = audit(build([(1,), (1,), (5,)]), k=2, epsilon=1, exposure=1)
    exposure = replace(
        result.exposure,
        expected_by_record=np.array([0.5, np.nan, 1.0]),
        worst_by_record=np.array([2, 0, 1]),
        worst_exact_by_record=np.array([False, False, True]),
    )
    frame = replace(result, exposure=exposure).to_frame()
    assert frame["exposure_expected"].to_list() == [0.5, None, 1.0]
    assert frame["exposure_worst"].to_list() == [2, None, 1]
    assert frame["exposure_worst_exact"].to_list() == [False, None, True]


def test_every_row_says_of_which_part_of_the_data_it_is():
    table = build([(1, 2), (1, 2), (5, 5)])
    part = table.select_issues("issue 1").take(np.array([0, 2]))
    frame = audit(part, k=1, epsilon=0).to_frame()
    assert frame["selection"].to_list() == ["1 of 2 issues, 2 of 3 records"] * 2
    assert "selection" not in audit(table, k=1, epsilon=0).to_frame().columns
