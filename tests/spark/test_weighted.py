"""Weighted rows with query and member masks, against plain loops."""

from itertools import pairwise

import naive.weighted
import numpy as np
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st

from ratingpriv.proximity.join import Limits
from ratingpriv.proximity.levels import proximate_codes
from ratingpriv.spark.joining import WeightedJoin

PATHS = [
    None,
    Limits(direct=0, fuse=1, sort=1, split=1, queries=3),
    Limits(direct=0, fuse=1, sort=1, bins=2),
]


@st.composite
def joins(
    draw: st.DrawFn,
) -> tuple[list[list[int]], list[int], float, list[bool], list[bool], list[list[int]]]:
    """Rows of a few groups, each of one width; an ε; masks; amounts."""
    widths = draw(st.lists(st.integers(0, 4), min_size=1, max_size=3))
    n = draw(st.integers(1, 14))
    groups = draw(st.lists(st.integers(0, len(widths) - 1), min_size=n, max_size=n))
    rows = [
        draw(st.lists(st.integers(0, 4), min_size=widths[g], max_size=widths[g])) for g in groups
    ]
    masks = [draw(st.lists(st.booleans(), min_size=n, max_size=n)) for _ in range(2)]
    if draw(st.booleans()):
        masks = [[True] * n, masks[1]]
    width = draw(st.integers(1, 4))
    amount = st.sampled_from([0, 1, 1, 2, 7, 1 << 40])
    amounts = [draw(st.lists(amount, min_size=width, max_size=width)) for _ in range(n)]
    return rows, groups, draw(st.sampled_from([0, 1, 2, 3, 9])), masks[0], masks[1], amounts


@pytest.mark.small
@pytest.mark.parametrize("limits", PATHS, ids=["as it is", "every path", "binned"])
@settings(max_examples=60 * DEPTH)
@given(joins())
def test_totals_and_lists_are_those_of_plain_loops(limits: Limits | None, drawn) -> None:
    rows, groups, epsilon, queries, members, amounts = drawn
    lo, hi = proximate_codes(np.arange(5.0), epsilon)
    join = WeightedJoin(
        np.array([code for row in rows for code in row], dtype=np.uint8),
        np.cumsum([0, *map(len, rows)], dtype=np.int64),
        np.array(groups) * 1000 - 7, lo, hi, queries=np.array(queries), members=np.array(members),
        _limits=limits,
    )  # fmt: skip
    plain = rows, groups, lo.tolist(), hi.tolist()
    given_amounts = np.array(amounts, dtype=np.int64)
    assert join.totals(given_amounts).tolist() == naive.weighted.totals(
        *plain, queries, members, amounts
    )
    sizes = join.totals(np.ones((len(rows), 1), dtype=np.int64))[:, 0]
    asked = np.flatnonzero(np.arange(len(sizes)) % 3 != 1)[::-1].copy()
    bounds, listed = join.listed(asked, sizes[asked])
    for at, (a, b) in zip(asked.tolist(), pairwise(bounds.tolist()), strict=True):
        expected = naive.weighted.near(*plain, members, int(join.queries[at]))
        assert sorted(listed[a:b].tolist()) == expected


def test_large_groups_take_the_compiled_paths() -> None:
    rng = np.random.default_rng(3)
    n, width = 7000, 6
    codes = rng.integers(0, 5, (n, width)).astype(np.uint8)
    weights = rng.integers(1, 50, n)
    queries, members = rng.random(n) < 0.5, rng.random(n) < 0.7
    lo, hi = proximate_codes(np.arange(5.0), 1)
    join = WeightedJoin(
        codes.ravel(), np.arange(n + 1) * width, np.zeros(n, dtype=np.int64), lo, hi,
        queries=queries, members=members,
    )  # fmt: skip
    found = join.totals(np.stack((weights, np.ones(n, dtype=np.int64)), axis=1))
    for at in rng.choice(len(join.queries), 50, replace=False).tolist():
        near = (np.abs(codes.astype(int) - codes[join.queries[at]].astype(int)) <= 1).all(
            axis=1
        ) & members
        assert found[at].tolist() == [int(weights[near].sum()), int(near.sum())]
