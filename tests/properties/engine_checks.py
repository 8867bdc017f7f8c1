"""What has to hold between an engine's answer and the oracles'."""

import math

import naive.moments
import naive.proximity
import numpy as np

from ratingpriv import RatingTable
from ratingpriv.proximity.neighbourhoods import Neighbourhoods
from ratingpriv.proximity.pairs import PairBlock

__all__ = ["as_triples", "check_against_naive"]


def check_against_naive(
    table: RatingTable, found: Neighbourhoods, epsilon: float, nulls: str
) -> None:
    """Sizes, pairs, moments, SDs and verdicts equal the oracle's."""
    expected = naive.proximity.neighbourhoods(table, epsilon, nulls)
    assert found.sizes.tolist() == [len(group) for group in expected]
    if nulls != "known":
        assert found.pairs == sum(len(group) - 1 for group in expected) // 2
    assert [moments.name for moments in found.moments] == [
        column.name for column in table.sensitive
    ]
    for column, moments in zip(table.sensitive, found.moments, strict=True):
        groups = [naive.moments.values(column, group) for group in expected]
        assert moments.known.tolist() == [
            sum(value is not None for value in group) for group in groups
        ]
        for rule in ("paper", "ignore"):
            exact = [naive.moments.sd(group, rule) for group in groups]
            np.testing.assert_allclose(moments.sd(found.sizes, rule), exact, rtol=1e-9, atol=1e-9)
            for l in {0.0, 1.0, 0.5, *(value for value in exact if math.isfinite(value))}:  # noqa: E741
                holds = [naive.moments.at_least(group, l, rule) for group in groups]
                assert moments.at_least(l, found.sizes, rule).tolist() == holds
            largest = moments.largest_l(found.sizes, rule)
            if largest is None:
                assert all(math.isinf(value) for value in exact)
            else:
                assert all(naive.moments.at_least(group, largest, rule) for group in groups)
                above = math.nextafter(largest, math.inf)
                assert not all(naive.moments.at_least(group, above, rule) for group in groups)


def as_triples(blocks: list[PairBlock]) -> list[tuple[int, int, float]]:
    """All pairs of some blocks, as (left, right, distance)."""
    return [
        triple
        for block in blocks
        for triple in zip(
            block.left.tolist(), block.right.tolist(), block.distance.tolist(), strict=True
        )
    ]
