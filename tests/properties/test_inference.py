"""Counts of sensitive values: slicing, pairwise and plain loops agree,
whatever path the engine takes.
"""

import math
from decimal import Decimal
from fractions import Fraction

import naive.inference
import naive.moments
import naive.proximity
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.engine_checks import check_against_naive
from properties.strategies import NULLS, epsilons, tables
from properties.test_engines import PATHS, paths

from ratingpriv import RatingTable
from ratingpriv.base.compute.resources import Resources
from ratingpriv.proximity import counting
from ratingpriv.proximity.counts import Counting, entropy_at_least, largest_entropy_l
from ratingpriv.proximity.neighbourhoods import Neighbourhoods, neighbourhoods

pytestmark = pytest.mark.small

LS = (1.0, 1.5, 2.0, 2.8284271247461903, 3.0, 4.0)


def check(table: RatingTable, found: Neighbourhoods, epsilon: float, nulls: str, l: float) -> None:  # noqa: E741
    check_against_naive(table, found, epsilon, nulls)
    near = naive.proximity.neighbourhoods(table, epsilon, nulls)
    assert [counts.name for counts in found.counts] == [column.name for column in table.sensitive]
    for column, counts in zip(table.sensitive, found.counts, strict=True):
        groups = [naive.moments.values(column, records) for records in near]
        shares = [naive.inference.largest_share(group) for group in groups]
        assert counts.known.tolist() == [
            sum(value is not None for value in group) for group in groups
        ]
        assert [
            Fraction(largest, known) if known else None
            for largest, known in zip(counts.largest.tolist(), counts.known.tolist(), strict=True)
        ] == shares
        assert counts.distinct.tolist() == list(map(naive.inference.distinct, groups))
        everybody = naive.moments.values(column, range(table.n_records))
        apart = [
            naive.inference.distance(group, everybody, ordered=not column.nominal)
            for group in groups
        ]
        assert counts.gaps is not None
        assert apart == [
            Fraction(int(gap), counts.unit * known) if known else None
            for gap, known in zip(counts.gaps.tolist(), counts.known.tolist(), strict=True)
        ]
        entropies = [naive.inference.entropy(group) or 0.0 for group in groups]
        assert counts.entropy.tolist() == pytest.approx(entropies, abs=1e-12)
        assert counts.reaches is not None
        assert counts.reaches.tolist() == [
            naive.inference.entropy_at_least(group, l) for group in groups
        ]
        for limit in {share for share in shares if share is not None}:
            above = [share is not None and share > limit for share in shares]
            assert counts.share_above(limit).tolist() == above
        largest = largest_entropy_l(counts.least)
        if largest is None:
            assert not any(map(naive.inference.counts, groups))
        else:
            assert all(naive.inference.entropy_at_least(group, largest) for group in groups)
            more = math.nextafter(largest, math.inf)
            assert not all(naive.inference.entropy_at_least(group, more) for group in groups)


@given(
    path=paths,
    few=st.sampled_from([32, 1]),
    table=tables(),
    epsilon=epsilons,
    nulls=st.sampled_from(NULLS),
    l=st.sampled_from(LS),
)
@settings(max_examples=240 * DEPTH)
def test_slicing_equals_naive_on_every_path(path, few, table, epsilon, nulls, l):  # noqa: E741
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_FEW", few)
        limits, asked = PATHS[path], Counting(Fraction(Decimal(repr(l))), distances=True)
        found = neighbourhoods(
            table, epsilon, nulls=nulls, counts=asked, resources=Resources(2), _limits=limits
        )
    check(table, found, epsilon, nulls, l)


@given(
    table=tables(),
    epsilon=epsilons,
    nulls=st.sampled_from(NULLS),
    l=st.sampled_from(LS),
    memory=st.sampled_from([1, 500, 10**6]),
    few=st.sampled_from([32, 1]),
)
@settings(max_examples=60 * DEPTH)
def test_little_memory_and_the_baseline_change_nothing(table, epsilon, nulls, l, memory, few):  # noqa: E741
    exact = Counting(Fraction(Decimal(repr(l))), distances=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_FEW", few)
        patch.setattr(counting, "_BLOCK", 64)
        found = [
            neighbourhoods(
                table,
                epsilon,
                nulls=nulls,
                counts=exact,
                engine=engine,
                resources=Resources(memory=memory),
            )
            for engine in ("slicing", "pairwise")
        ]
    check(table, found[0], epsilon, nulls, l)
    for one, other in zip(found[0].counts, found[1].counts, strict=True):
        assert one.entropy.tolist() == other.entropy.tolist()  # to the last bit: JSON is compared
        for name in ("known", "largest", "distinct", "reaches"):
            assert getattr(one, name).tolist() == getattr(other, name).tolist()
        assert one.least == other.least


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(1, 6), st.integers(1, 6))
def test_ties_of_entropies_are_exact(counts: list[int], above: int, below: int) -> None:
    l = Fraction(above, below)  # noqa: E741
    total = sum(counts)
    product = math.prod(Fraction(total, c) ** c for c in counts)
    assert entropy_at_least(tuple(counts), l) is (product >= l**total or l <= 1)


def test_ties_of_billions_of_records_are_exact() -> None:
    many = 10**9  # as weights of equal records can be; their powers would have billions of digits
    assert entropy_at_least((many, many), Fraction(2))
    assert entropy_at_least((many, many, many), Fraction(3))
    assert not entropy_at_least((many, many - 1), Fraction(2))


def test_a_tie_of_unequal_counts() -> None:
    """4:1:1:1:1 has an entropy of exactly two bits."""
    assert entropy_at_least((1, 1, 1, 1, 4), Fraction(4))
    assert not entropy_at_least((1, 1, 1, 1, 4), Fraction(4) + Fraction(1, 10**40))
    assert largest_entropy_l(((1, 1, 1, 1, 4),)) == 4.0
