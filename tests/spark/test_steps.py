"""All steps together, with emulated shuffles, against one machine's engine: record by record, bit by bit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, table1, table2, table3
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import epsilons, mixed_tables, tables
from spark.emulated import neighbourhoods_by_steps

from ratingpriv import RatingTable
from ratingpriv.comparison.levels import null_separates, proximate_codes
from ratingpriv.errors import ParameterError
from ratingpriv.proximity.neighbourhoods import Neighbourhoods, neighbourhoods


def check_equal(found: Neighbourhoods, expected: Neighbourhoods) -> None:
    """Every number is the same; only sums in float64 may be off by their blur."""
    assert found.sizes.tolist() == expected.sizes.tolist()
    for mine, other in zip(found.moments, expected.moments, strict=True):
        assert (mine.name, mine.shift, mine.decimals, mine.exact) == (
            other.name, other.shift, other.decimals, other.exact,
        )  # fmt: skip
        assert mine.known.tolist() == other.known.tolist()
        for name in ("sums", "squares"):
            a, b = getattr(mine, name), getattr(other, name)
            if mine.exact:
                assert a.dtype == b.dtype == np.int64
                assert a.tolist() == b.tolist()
            else:
                np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    for mine_, other_ in zip(found.counts, expected.counts, strict=True):
        for name in ("known", "largest", "distinct", "entropy"):
            assert getattr(mine_, name).tolist() == getattr(other_, name).tolist(), name
        assert (mine_.reaches is None) == (other_.reaches is None)
        if mine_.reaches is not None and other_.reaches is not None:
            assert mine_.reaches.tolist() == other_.reaches.tolist()
        assert mine_.least == other_.least


def collide(key: bytes) -> int:
    """A hash that has two values only."""
    return len(key) % 2


def check(table: RatingTable, epsilon: float, entropy: Fraction | None = None, **options: Any) -> None:
    if refused(table, epsilon):
        with pytest.raises(ParameterError, match=r"epsilon.*the scale's maximum"):
            neighbourhoods_by_steps(table, epsilon, **options)
        return
    expected = neighbourhoods(table, epsilon, counts=True, entropy=entropy, threads=1)
    found = neighbourhoods_by_steps(table, epsilon, entropy=entropy, **options)
    check_equal(found.neighbourhoods, expected)


def refused(table: RatingTable, epsilon: float) -> bool:
    """A null keeps nobody apart, somebody has one, and ratings still do: no key parts the records."""
    _, hi = proximate_codes(table.levels, epsilon)
    apart = len(hi) > 0 and hi[0] < len(hi) - 1
    missing = table.n_ratings < table.n_records * table.n_issues
    return apart and missing and not null_separates(table.scale, epsilon, "strict")


@st.composite
def ways(draw: st.DrawFn) -> dict[str, Any]:
    """How the data are laid out, cut and spread."""
    return {
        "long": draw(st.booleans()),
        "size": draw(st.sampled_from([1, 3, 37, 5000])),
        "budget": draw(st.sampled_from([1, 5_000, 20_000, 1 << 26])),
        "tasks": draw(st.sampled_from([1, 3])),
        "planned": draw(st.sampled_from([None, 1, 5_000, 12_000])),
        "share": draw(st.sampled_from([1.0, 0.5])),
        "counted": draw(st.booleans()),
        **({"hashing": collide} if draw(st.booleans()) else {}),
        **({"rng": np.random.default_rng(0)} if draw(st.booleans()) else {}),
    }


entropies = st.sampled_from([None, Fraction(2), Fraction(3, 2), Fraction(3)])


@settings(max_examples=25 * DEPTH, deadline=None)
@given(tables(), epsilons, entropies, ways())
def test_random_tables(
    table: RatingTable, epsilon: float, entropy: Fraction | None, way: dict[str, Any]
) -> None:
    check(table, epsilon, entropy, **way)


@settings(max_examples=25 * DEPTH, deadline=None)
@given(mixed_tables(most_sensitive=1), epsilons, ways())
def test_random_tables_with_quasi_identifiers(
    table: RatingTable, epsilon: float, way: dict[str, Any]
) -> None:
    check(table, epsilon, **way)


@pytest.mark.parametrize("epsilon", [0, 1, 2, 5])
def test_worked_examples(epsilon: float) -> None:
    for table in (table1(), table2(), table3()):
        check(table, epsilon, Fraction(2))


@pytest.mark.parametrize(("planned", "budget"), [(30_000, 1 << 26), (60_000, 120_000)])
def test_a_survey_with_trees_salts_and_many_values(planned: int | None, budget: int) -> None:
    rng = np.random.default_rng(4)
    answers = rng.integers(1, 6, (250, 4)).astype(object)
    answers[rng.random(answers.shape) < 0.03] = None
    pay = np.round(rng.lognormal(8, 1, 250), 2)
    table = build(answers.tolist(), [pay.tolist(), rng.integers(1, 4, 250).tolist()], scale=(1, 5))
    check(table, 1, Fraction(3), planned=planned, budget=budget, share=0.5, size=60)
    real = build(answers.tolist(), [rng.normal(size=250).tolist()], scale=(1, 5))
    check(real, 2, planned=planned, budget=budget, long=False)
