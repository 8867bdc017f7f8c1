"""What holds of every measure of records that are paired: no order counts,
and settings are checked.
"""

import numpy as np
import pytest
from golden.tables import build
from utility.releases import ONE, drawn, paired

from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.utility.classification import classification
from ratingpriv.utility.membership import membership_change
from ratingpriv.utility.query_error import query_error
from ratingpriv.utility.recommender import recommender

SETTINGS = {
    membership_change: {"clusters": 4},
    classification: {"target": "issue 5", "trials": 4},
    recommender: {"factors": 3},
}


def measured(measure, pair, seed=0, **settings):
    return measure(
        pair, rng=np.random.default_rng(seed), resources=ONE, **SETTINGS.get(measure, {}) | settings
    )


@pytest.mark.parametrize("measure", SETTINGS)
def test_no_order_of_records_or_issues_counts(measure):
    rng = np.random.default_rng(2)
    hidden = rng.integers(0, 3, 30).astype(float).tolist()
    tables = [
        build(drawn(rng, 30, 4, 0.8, rng.random((30, 4)).round(6) * 4 + 1), [hidden])
        for _ in range(2)
    ]
    here = measured(measure, paired(*tables))
    orders = [rng.permutation(30) for _ in range(2)]
    names = ["record", "issue 3", "issue 1", "issue 4", "issue 2", "issue 5"]
    turned = [
        RatingTable.from_wide(
            table.to_wide()[order].select(names),
            id="record",
            sensitive=["issue 5"],
            sensitive_scale={"issue 5": None},
        )
        for table, order in zip(tables, orders, strict=True)
    ]
    there = measured(measure, paired(*turned, np.argsort(orders[1])[orders[0]]))
    assert there.value == pytest.approx(here.value, abs=1e-9)
    assert measured(measure, paired(*tables), seed=1) != here


@pytest.mark.parametrize(
    ("measure", "wrong"),
    [
        (membership_change, {"clusters": 1}),
        (membership_change, {"nulls": "none"}),
        (classification, {"target": "size"}),
        (classification, {"classifier": "oracle"}),
        (query_error, {"queries": 0}),
    ],
)
def test_settings_are_checked(measure, wrong):
    table = build([(1, 2), (2, 3)], [(1, 2)], scale=(1, 5))
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        measured(measure, paired(table), **wrong)
