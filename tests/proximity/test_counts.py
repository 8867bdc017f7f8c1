"""Counts of sensitive values on larger tables: rows that repeat or differ,
few values and many, compiled.
"""

from collections import Counter

import numpy as np
import polars as pl
import pytest

from ratingpriv import RatingTable
from ratingpriv.base.compute.resources import Resources
from ratingpriv.proximity.neighbourhoods import neighbourhoods


@pytest.mark.parametrize("issues", [3, 7], ids=["rows repeat", "rows differ"])
@pytest.mark.parametrize("values", [5, 60, 2000])
def test_against_a_plain_count(issues: int, values: int) -> None:
    rng = np.random.default_rng(issues * values)
    n = 6000
    answers = rng.integers(1, 6, (n, issues))
    secret = rng.integers(0, values, n) / 8
    missing = rng.random(n) < 0.1
    frame = pl.DataFrame({f"q{i}": answers[:, i] for i in range(issues)}).with_columns(
        pl.Series(
            "s", [None if m else v for v, m in zip(secret.tolist(), missing.tolist(), strict=True)]
        )
    )
    table = RatingTable.from_wide(frame, sensitive=["s"])
    found = neighbourhoods(table, 1, counts=True, resources=Resources(2))
    little = neighbourhoods(table, 1, counts=True, resources=Resources(2, 200_000))
    counts = found.counts[0]
    for name in ("known", "largest", "distinct", "entropy"):
        assert np.array_equal(getattr(counts, name), getattr(little.counts[0], name))
    assert counts.least == little.counts[0].least
    for record in rng.choice(n, 40, replace=False).tolist():
        near = (np.abs(answers - answers[record]) <= 1).all(axis=1)
        known = Counter(secret[near & ~missing].tolist())
        assert found.sizes[record] == near.sum()
        assert counts.known[record] == sum(known.values())
        assert counts.largest[record] == max(known.values(), default=0)
        assert counts.distinct[record] == len(known)
        shares = np.array(list(known.values())) / max(sum(known.values()), 1)
        assert counts.entropy[record] == pytest.approx(-(shares * np.log2(shares)).sum(), abs=1e-12)
        mine = found.moments[0]
        assert mine.known[record] == counts.known[record]
        if len(known) > 1:
            expected = secret[near & ~missing].std()
            assert mine.sd(found.sizes, "ignore")[record] == pytest.approx(expected)
