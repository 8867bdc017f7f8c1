"""Lowering quasi-identifiers into what engines compare: bands of codes, classes, guards,
the cache.
"""

import gc
import re
import weakref
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from golden.tables import build
from house.checkout import ROOT

from ratingpriv import RatingTable
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import QuasiColumn
from ratingpriv.proximity.fixed_rules import (
    ComparisonTable,
    comparison_table,
    equal_classes,
    near_codes,
    numbered_by_first,
)
from ratingpriv.proximity.join import prepare
from ratingpriv.proximity.neighbourhoods import neighbourhoods
from ratingpriv.proximity.pairwise import proximity_blocks

pytestmark = pytest.mark.small


def column(codes: list[int], values: list[object], within: float | None = None, name: str = "q"):
    kind = pl.Float64 if values and isinstance(values[0], float) else pl.String
    return QuasiColumn(name, np.array(codes, dtype=np.int32), pl.Series(values, dtype=kind), within)


def with_quasi(*columns: QuasiColumn, rows=((1,), (2,), (3,)), scale=(1, 5)) -> RatingTable:
    return replace(build(rows, scale=scale), quasi=columns)


AGE = column([0, 1, 2], [20.0, 24.0, 30.0], 5.0, "age")
SEX = column([0, 1, 0], ["f", "m"], name="sex")


def sizes(table: RatingTable, epsilon: float, nulls: str = "strict") -> list[int]:
    found = [
        neighbourhoods(table, epsilon, nulls=nulls, engine=engine)
        for engine in ("slicing", "pairwise")
    ]
    assert found[0].sizes.tolist() == found[1].sizes.tolist()
    return found[0].sizes.tolist()


def test_own_tolerances_are_bands_that_no_epsilon_moves():
    table = with_quasi(AGE)
    lowered = comparison_table(table, 1, "strict")
    assert isinstance(lowered, ComparisonTable)
    assert (lowered.n_rated, lowered.first_fixed, lowered.issues) == (1, 3, ("issue 1", "age"))
    assert lowered.levels.tolist() == [1, 2, 3, 4, 5, 6]
    assert [near_codes(lowered, epsilon)[1][3:].tolist() for epsilon in (0, 1, 4)] == [
        [4, 4, 5]
    ] * 3
    assert [sizes(table, epsilon) for epsilon in (0, 1, 4)] == [[1, 1, 1], [2, 2, 1], [2, 2, 1]]


def test_what_has_to_be_equal_is_a_class_and_costs_nothing():
    table = with_quasi(SEX)
    lowered = comparison_table(table, 1, "strict")
    assert lowered.quasi == (SEX,)
    for name in ("indptr", "indices", "codes", "levels"):
        assert getattr(lowered, name) is getattr(table, name)
    assert sizes(table, 4) == [2, 1, 2]


def test_a_null_equals_a_null_only_under_strict_whatever_epsilon_is():
    null = [column([-1, -1, 0], ["f"]), column([-1, -1, 0], [30.0], 1e300)]
    for one in null:
        for table in (
            with_quasi(one, rows=((1,), (1,), (1,))),
            with_quasi(one, rows=((1,), (None,), (1,))),
        ):
            assert sizes(table, 9) == [2, 2, 1]  # r and more: a null of ratings separates no more
            assert sizes(table, 9, "wildcard") == [3, 3, 3]
            assert sizes(table, 9, "known")[2] == 1
        assert sizes(with_quasi(one, rows=((1,), (1,), (1,))), 0) == [2, 2, 1]
        assert sizes(with_quasi(one, rows=((1,), (1,), (1,))), 0, "known") == [3, 3, 1]


@pytest.mark.parametrize("last", [5.0, 2.0**53, -3.5, 1e300])
@pytest.mark.parametrize("values", [[0.0], [-1e15, 0.25, 1e15], [0.1, 0.2], [2.0**53 - 1, 2.0**53]])
def test_levels_ascend_whatever_the_numbers_are(last, values):
    table = with_quasi(column([0, 0, 0], values, 0.0), rows=((last,), (last,), (last,)), scale=None)
    for epsilon, nulls in ((0, "strict"), (1e301, "strict"), (0, "wildcard")):
        lowered = comparison_table(table, epsilon, nulls)
        assert np.all(np.diff(lowered.levels) > 0)
        assert np.all(np.isfinite(lowered.levels))
        assert sizes(table, 0, nulls) == [3, 3, 3]


def test_columns_of_many_values_are_told_apart():
    n = 300  # more codes than a byte holds, and more than the engine's bins
    many = column(list(range(n)), [float(i) for i in range(n)], 1.0)
    table = with_quasi(many, rows=((1,),) * n)
    assert comparison_table(table, 0, "strict").codes.dtype == np.uint16
    for nulls in ("strict", "wildcard", "known"):
        assert sizes(table, 0, nulls) == [2, *[3] * (n - 2), 2]


def test_classes_are_numbered_by_their_first_record():
    codes = [[2, 0, -1, 2, -1], [0, 0, 1, 0, 1]]
    columns = [column(one, ["a", "b", "c"], name=f"q{i}") for i, one in enumerate(codes)]
    assert equal_classes(columns).tolist() == [0, 1, 2, 0, 2]
    assert equal_classes([replace(AGE)]) is None
    assert numbered_by_first(np.array([7, 3, 7, 9]))[0].tolist() == [0, 1, 0, 2]


def test_who_forgets_to_lower_is_told():
    table = with_quasi(AGE)
    with pytest.raises(ValueError, match="quasi-identifiers"):
        near_codes(table, 1)
    lowered = comparison_table(table, 1, "strict")
    assert comparison_table(lowered, 2, "strict") is lowered
    for epsilon, nulls in ((5, "strict"), (1, "wildcard"), (1, "known")):
        with pytest.raises(ValueError, match="made to be compared by classes"):
            prepare(lowered, epsilon, nulls)
    with pytest.raises(ValueError, match="pairwise"):
        next(proximity_blocks(lowered, 1, "strict"))


def test_nobody_compares_records_past_the_fixed_rules():
    """Who takes ranges of codes from levels alone ignores quasi-identifiers:
    those who may are listed.
    """
    package = ROOT / "ratingpriv"
    using = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"\bproximate_codes\(", path.read_text(encoding="utf-8"))
    }
    allowed = {
        "proximity/fixed_rules.py",
        "proximity/levels.py",
        "proximity/pairwise.py",  # has a way of its own
        "proximity/reservations.py",  # ends of the range
        "audit/frontier/candidates.py",  # distances of ratings
        "audit/known/literals.py",  # refuses quasi-identifiers
        "studies/papers/counting.py",  # a figure of ratings
    }
    assert {one for one in using if not one.startswith("attack/")} <= allowed


def test_a_table_is_lowered_once_a_rule_and_forgotten_with_it():
    table = with_quasi(AGE, SEX)
    made = {
        rule: comparison_table(table, *rule)
        for rule in ((1, "strict"), (5, "strict"), (1, "wildcard"))
    }
    assert len(set(map(id, made.values()))) == 3
    assert comparison_table(table, 2, "strict") is made[1, "strict"]
    assert comparison_table(table, 9, "strict") is made[5, "strict"]
    other = replace(table, quasi=(SEX,))
    assert comparison_table(other, 1, "strict").n_issues == 1
    gone = weakref.ref(table)
    kept = made[1, "strict"]
    del table, made
    gc.collect()
    assert gone() is None
    assert kept.n_issues == 2


@pytest.mark.parametrize(
    ("codes", "values", "within", "wrong"),
    [
        ([0, 3, 1], ["a", "b", "c"], None, "codes"),
        ([0, -2, 1], ["a", "b", "c"], None, "codes"),
        ([0, 1, 1], ["a", "b"], 1.0, "numbers"),
        ([0, 1, 1], [2.0, 1.0], 1.0, "ascending"),
        ([0, 1, 1], [1.0, 1.0], 1.0, "ascending"),
        ([0, 1, 1], [1.0, float("nan")], 1.0, "ascending"),
        ([0, 1, 1], [1.0, 2.0], -1.0, "within"),
        ([0, 1, 1], [1.0, 2.0], float("nan"), "within"),
    ],
)
def test_a_column_that_cannot_be_compared_is_refused(codes, values, within, wrong):
    with pytest.raises(ParameterError, match=wrong):
        with_quasi(column(codes, values, within))
