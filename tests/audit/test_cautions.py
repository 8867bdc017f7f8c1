"""Each warning is given when it is due, and not otherwise."""

import pytest
from golden.tables import build

from ratingpriv import audit
from ratingpriv.base.cautions import WILDCARD

pytestmark = pytest.mark.small


def warnings_of(table, **more):
    """All warnings but those on inference, which most of these small
    tables deserve: test_inference.py.
    """
    found = audit(table, **{"k": 2, "epsilon": 0, **more}).cautions
    return tuple(caution.message for caution in found if caution.code != "inference")


def one(warnings, start):
    found = [warning for warning in warnings if warning.startswith(start)]
    assert len(found) == 1, warnings
    return found[0]


def test_an_ordinary_table_has_none(golden):
    assert warnings_of(golden(1), epsilon=0.5, l=1) == ()


def test_sparse_data_under_the_strict_rule(table_of):
    sparse = table_of(
        [
            (1, None, None, 1),
            (None, 1, None, 1),
            (None, None, 1, 1),
            (1, 1, None, 1),
            (1, 1, None, 1),
        ]
    )
    said = one(warnings_of(sparse), "sparse data")
    assert "3 of 5 records (60%)" in said
    assert "wildcard" not in said  # laxer, and no remedy: the advice is the attack
    assert "attack the data" in said
    (wildcard,) = warnings_of(sparse, nulls="wildcard")
    assert wildcard.startswith(WILDCARD)
    # r = 1
    assert not any(warning.startswith("sparse") for warning in warnings_of(sparse, epsilon=1))


def test_one_lonely_support_in_many_is_not_sparse_data(table_of):
    assert warnings_of(table_of([(1, 1, 1)] * 10 + [(2, None, 1)])) == ()


def test_sensitive_nulls_on_which_the_rules_differ(table_of):
    table = table_of([(1, 5), (1, 5), (1, None), (3, 1), (3, 9)])
    said = one(warnings_of(table, l=2), "missing sensitive ratings")
    assert "disagree on 3 records" in said
    assert "paper: satisfied, ignore: not satisfied; this result uses paper" in said
    assert warnings_of(table, l=0)[0].startswith("no data could fail l = 0")
    assert warnings_of(table) == ()


def test_a_scale_without_a_usable_r(table_of):
    table = table_of([(-3, -1, 1), (-3, None, 1)])
    said = one(warnings_of(table, epsilon=1), "scale")
    assert "r = -1" in said
    assert audit(table, k=2, epsilon=100).satisfied is False


def test_epsilon_not_below_r(table_of):
    table = table_of([(1, 5, 1), (1, None, 1)])
    assert "r = 5 (the largest rating of the data" in one(
        warnings_of(table, epsilon=5), "epsilon 5 is not below"
    )
    declared = table_of([(1, 5, 1), (1, None, 1)], scale=(1, 5))
    assert "(declared)" in one(warnings_of(declared, epsilon=5), "epsilon 5 is not below")
    assert not [said for said in warnings_of(table, epsilon=4) if "not below" in said]


def test_epsilon_over_the_whole_range(table_of):
    table = table_of([(1, 1), (5, 1), (5, 1)])
    assert "(1 to 5)" in one(warnings_of(table, epsilon=4), "epsilon 4 covers")
    assert warnings_of(table, epsilon=3.5) == ()


def test_an_l_that_nothing_can_reach(golden):
    said = one(warnings_of(golden(1), epsilon=1, l=2.6), "l = 2.6 cannot be reached on 's'")
    assert "above 2.5" in said
    assert warnings_of(golden(1), epsilon=0.5, l=2.5) == ()


def test_texts_and_codes_stand_side_by_side_in_json(table_of):
    found = audit(table_of([(1, None, 1), (None, 1, 1)]), k=2, epsilon=0).to_dict()
    assert [caution["message"] for caution in found["cautions"]] == found["warnings"]
    assert [caution["code"] for caution in found["cautions"]] == ["sparse-data", "inference"]


def codes(table, **more):
    return [
        one.code
        for one in audit(table, **{"k": 2, "epsilon": 0, **more}).cautions
        if one.code != "inference"
    ]


def test_the_null_rule_known_is_told_of_where_something_is_unknown():
    assert "known-null-rule" in codes(build([(1, None), (1, 2)], scale=(1, 5)), nulls="known")
    assert "known-null-rule" not in codes(build([(1, 2), (1, 2)], scale=(1, 5)), nulls="known")
    assert "known-null-rule" not in codes(build([(1, None), (1, 2)], scale=(1, 5)))


def test_sparse_data_from_the_limit_on_and_of_more_than_one_record():
    tenth = [(1, None), *[(1, 1)] * 9]
    assert "sparse-data" in codes(build(tenth, scale=(1, 5)))
    assert "sparse-data" not in codes(build([*tenth, (1, 1)], scale=(1, 5)))
    assert "sparse-data" not in codes(build([(1, None)], scale=(1, 5)), k=1)


@pytest.mark.parametrize(("maximum", "due"), [(-1, True), (0, True), (0.5, False), (1, False)])
def test_a_maximum_that_is_no_distance(maximum, due):
    table = build([(maximum, None), (maximum, maximum)], scale=(-5, maximum))
    assert ("scale-without-null-distance" in codes(table)) is due
