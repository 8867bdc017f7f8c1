"""Counted candidates against the naive twin, and the model beside
them [SWLZ11, §5.2.1, Eq. 11-16].
"""

import pytest
from golden.tables import build, table1, table2
from hypothesis import given
from hypothesis import strategies as st
from naive.candidates import left_after_each_issue

from ratingpriv.base.errors import ParameterError
from ratingpriv.partition.papers.candidates import count_candidates

pytestmark = pytest.mark.small
cells = st.none() | st.sampled_from([0.5, 1, 1.5, 2, 3, 4, 5])


def test_table_2_by_hand():
    # issue 1 is rated 3, 2, 4, 5, 1, 2: within 1 of these are 4, 4, 3, 2, 3, 4 records, 20/6 on
    # average. issue 2 then parts {t1..t4} (6, 5, 7, 6) from {t5, t6}: 3, 2, 3, 2, 2, 2 are left
    found = count_candidates(table2(), 1)
    assert (6 * found.counted).round(9).tolist() == [20, 14, 14]
    assert found.modelled.round(9).tolist() == [2, round(2 / 3, 9), round(2 / 9, 9)]  # 6 (2·1/6)^j
    assert found.cost() == (pytest.approx((20 + 20 + 14) / 6), pytest.approx(2 + 2 + 2 / 3))
    assert found.cost(0) == (pytest.approx(20 / 6), pytest.approx(2))


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=7
        )
    ),
    st.sampled_from([0, 0.5, 1, 2, 5]),
    st.sampled_from(["strict", "wildcard"]),
)
def test_counted_as_the_twin_counts(rows, epsilon, nulls):
    table = build(rows, scale=(0.5, 5))
    found = count_candidates(table, epsilon, nulls=nulls)
    assert found.counted.tolist() == pytest.approx(
        [float(x) for x in left_after_each_issue(table, epsilon, nulls)]
    )


@pytest.mark.parametrize(
    ("table", "arguments", "c", "name"),
    [
        (table1(), {"epsilon": -1}, 1, "epsilon"),
        (table1(), {"epsilon": 1, "extent": 0}, 1, "extent"),
        (table1(), {"epsilon": 1, "extent": float("nan")}, 1, "extent"),
        (table1(), {"epsilon": 1, "nulls": "none"}, 1, "nulls"),
        (table1(), {"epsilon": 1}, -1, "c: "),
        (build([(None,), (None,)]), {"epsilon": 1}, 1, "extent"),  # nobody rates anything: no scale
    ],
)
def test_wrong_arguments(table, arguments, c, name):
    with pytest.raises(ParameterError, match=name):
        count_candidates(table, **arguments).cost(c)
