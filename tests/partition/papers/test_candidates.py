"""Counted candidates against the naive twin, and the model beside them [SWLZ11, §5.2.1, Eq. 11-16]."""

from __future__ import annotations

import numpy as np
import pytest
from golden.tables import build, table1, table2
from hypothesis import given
from hypothesis import strategies as st
from naive.candidates import left_after_each_issue

from ratingpriv import audit
from ratingpriv.base.errors import ParameterError
from ratingpriv.partition.papers.candidates import count_candidates

pytestmark = pytest.mark.small
cells = st.none() | st.sampled_from([0.5, 1, 1.5, 2, 3, 4, 5])


def test_table_2_by_hand():
    # issue 1 is rated 3, 2, 4, 5, 1, 2: within 1 of these are 4, 4, 3, 2, 3, 4 records, 20/6 on average.
    # issue 2 then parts {t1..t4} (6, 5, 7, 6) from {t5, t6}: 3, 2, 3, 2, 2, 2 are left
    found = count_candidates(table2(), 1)
    assert (6 * found.counted).round(9).tolist() == [20, 14, 14]
    assert found.modelled.round(9).tolist() == [2, round(2 / 3, 9), round(2 / 9, 9)]  # 6 (2·1/6)^j
    assert found.cost() == (pytest.approx((20 + 20 + 14) / 6), pytest.approx(2 + 2 + 2 / 3))
    assert found.cost(0) == (pytest.approx(20 / 6), pytest.approx(2))


@pytest.mark.parametrize("epsilon", [0, 1, 4, 5, 6])
def test_what_is_left_at_the_end_are_the_neighbourhoods(epsilon):
    found = count_candidates(table1(), epsilon)
    assert found.counted[-1] == pytest.approx(audit(table1(), k=1, epsilon=epsilon).sizes.mean())


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=7)
    ),
    st.sampled_from([0, 0.5, 1, 2, 5]),
    st.sampled_from(["strict", "wildcard"]),
    st.sampled_from([1, 1 << 20]),
)
def test_counted_as_the_twin_counts(rows, epsilon, nulls, memory):
    table = build(rows, scale=(0.5, 5))
    found = count_candidates(table, epsilon, nulls=nulls, memory=memory)
    assert found.counted.tolist() == pytest.approx(
        [float(x) for x in left_after_each_issue(table, epsilon, nulls)]
    )


def test_the_model_fits_what_it_is_made_for():
    rows = np.random.default_rng(0).uniform(0, 1, (1000, 4))
    found = count_candidates(build(rows.tolist(), scale=(0, 1)), 0.05)
    assert found.counted[:2] == pytest.approx(found.modelled[:2], rel=0.1)
    assert found.cost()[0] == pytest.approx(found.cost()[1], rel=0.1)


def test_the_model_is_at_most_everybody():
    assert count_candidates(table1(), 100).modelled.tolist() == [5, 5, 5]


def test_progress_is_told():
    seen = []
    count_candidates(table2(), 1, memory=1, progress=lambda *what: seen.append(what))
    assert seen[-1] == ("candidates", 6, 6)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": 1, "extent": 0}, "extent"),
        ({"epsilon": 1, "extent": float("nan")}, "extent"),
        ({"epsilon": 1, "nulls": "none"}, "nulls"),
    ],
)
def test_wrong_arguments(arguments, name):
    with pytest.raises(ParameterError, match=name):
        count_candidates(table1(), **arguments)


def test_other_wrong_arguments():
    with pytest.raises(ParameterError, match="extent"):
        count_candidates(build([(None,), (None,)]), 1)  # nobody rates anything: there is no scale
    with pytest.raises(ParameterError, match="c: "):
        count_candidates(table1(), 1).cost(-1)
