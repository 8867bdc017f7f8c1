"""Laws that hold whatever the table says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties.strategies import AUDIT_NULLS, epsilons, tables

from ratingpriv import RatingTable
from ratingpriv.proximity.levels import null_separates
from ratingpriv.proximity.neighbourhoods import Neighbourhoods, neighbourhoods

pytestmark = pytest.mark.small

nulls_rule = st.sampled_from(AUDIT_NULLS)


def answer(found: Neighbourhoods, order: np.ndarray | None = None) -> list[list[object]]:
    """Sizes and SDs, in another order of the records."""
    at = np.arange(len(found.sizes)) if order is None else order
    sds = [moments.sd(found.sizes, "paper")[at].round(9).tolist() for moments in found.moments]
    return [found.sizes[at].tolist(), *sds]


@given(table=tables(), epsilon=epsilons, nulls=nulls_rule, data=st.data())
def test_permuting_records_changes_nothing(
    table: RatingTable, epsilon: float, nulls: str, data: st.DataObject
) -> None:
    order = np.array(data.draw(st.permutations(range(table.n_records))), dtype=np.int64)
    permuted = neighbourhoods(table.take(order), epsilon, nulls=nulls)
    assert answer(permuted) == answer(neighbourhoods(table, epsilon, nulls=nulls), order)


@given(table=tables(), epsilon=epsilons, nulls=nulls_rule, data=st.data())
def test_permuting_issues_changes_nothing(
    table: RatingTable, epsilon: float, nulls: str, data: st.DataObject
) -> None:
    issues = data.draw(st.permutations(table.issues))
    sensitive = [column.name for column in table.sensitive]
    frame = table.to_wide("polars")
    key = next(name for name in frame.columns if name not in {*issues, *sensitive})
    declared = table.scale is not None and table.scale.declared
    scale = (table.scale.minimum, table.scale.maximum) if declared else None
    other = RatingTable.from_wide(
        frame.select(key, *issues, *sensitive),
        id=key,
        sensitive=sensitive,
        scale=scale,
        sensitive_scale=dict.fromkeys(sensitive),
    )
    assert answer(neighbourhoods(other, epsilon, nulls=nulls)) == answer(
        neighbourhoods(table, epsilon, nulls=nulls)
    )


@given(table=tables(most_sensitive=0), first=epsilons, second=epsilons, nulls=nulls_rule)
def test_larger_epsilon_never_lowers_a_size(
    table: RatingTable, first: float, second: float, nulls: str
) -> None:
    low, high = sorted((first, second))
    assert np.all(
        neighbourhoods(table, low, nulls=nulls).sizes <= neighbourhoods(table, high, nulls=nulls).sizes
    )


@given(table=tables(), epsilon=epsilons, nulls=nulls_rule)
def test_duplicating_every_record_doubles_sizes_and_keeps_sds(
    table: RatingTable, epsilon: float, nulls: str
) -> None:
    once = neighbourhoods(table, epsilon, nulls=nulls)
    twice = neighbourhoods(duplicated(table), epsilon, nulls=nulls)
    assert twice.sizes.tolist() == (2 * np.tile(once.sizes, 2)).tolist()
    for mine, other in zip(once.moments, twice.moments, strict=True):
        np.testing.assert_allclose(
            other.sd(twice.sizes, "paper"), np.tile(mine.sd(once.sizes, "paper"), 2), rtol=1e-9, atol=1e-9
        )


@given(table=tables(most_sensitive=0), epsilon=epsilons, nulls=nulls_rule, data=st.data())
def test_fewer_issues_never_lower_a_size(
    table: RatingTable, epsilon: float, nulls: str, data: st.DataObject
) -> None:
    kept = data.draw(st.lists(st.sampled_from(table.issues), min_size=1, unique=True))
    fewer = neighbourhoods(table.select_issues(kept), epsilon, nulls=nulls)
    assert np.all(fewer.sizes >= neighbourhoods(table, epsilon, nulls=nulls).sizes)


@given(table=tables(most_sensitive=0), epsilon=epsilons)
def test_wildcard_never_lowers_a_size(table: RatingTable, epsilon: float) -> None:
    strict = neighbourhoods(table, epsilon, nulls="strict").sizes
    assert np.all(neighbourhoods(table, epsilon, nulls="wildcard").sizes >= strict)


@given(table=tables(most_sensitive=0), epsilon=epsilons)
def test_known_lies_between_strict_and_wildcard(table: RatingTable, epsilon: float) -> None:
    known = neighbourhoods(table, epsilon, nulls="known").sizes
    assert np.all(neighbourhoods(table, epsilon, nulls="wildcard").sizes >= known)
    if null_separates(table.scale, epsilon, "strict"):
        assert np.all(known >= neighbourhoods(table, epsilon, nulls="strict").sizes)
    if table.n_ratings == table.n_records * table.n_issues:
        assert np.array_equal(known, neighbourhoods(table, epsilon, nulls="strict").sizes)


def duplicated(table: RatingTable) -> RatingTable:
    """Every record twice, under two ids."""
    import dataclasses

    import polars as pl

    ratings = table.n_ratings
    return table.replace(
        record_ids=pl.Series([f"{i}" for i in range(2 * table.n_records)]),
        indptr=np.concatenate((table.indptr, table.indptr[1:] + ratings)),
        indices=np.tile(table.indices, 2),
        codes=np.tile(table.codes, 2),
        sensitive=tuple(
            dataclasses.replace(column, values=np.tile(column.values, 2), present=np.tile(column.present, 2))
            for column in table.sensitive
        ),
    )
