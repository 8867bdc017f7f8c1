"""Larger tables, with sorted members and binned levels, against enumeration by NumPy."""

import itertools

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.audit.exposure import measure
from ratingpriv.audit.exposure.result import Exposure

RULES = ("strict", "wildcard", "known")
# steps on the scale 1..5: 5 levels, or 41, which share bins
LEVELS = {"likert": 1.0, "tenths": 0.1}
KINDS = [*itertools.product(LEVELS, RULES)]


def drawn(kind: str, records: int, missing: float) -> NDArray[np.float64]:
    """Ratings of three issues that have something to do with each other; NaN is not rated."""
    rng = np.random.default_rng(11)
    step = LEVELS[kind]
    taste = rng.normal(3, 0.9, (records, 1)) + rng.normal(0, 0.7, (records, 3))
    ratings = np.clip(np.rint(taste / step) * step, 1, 5).round(1)
    ratings[rng.random(ratings.shape) < missing] = np.nan
    return ratings


def as_table(ratings: NDArray[np.float64]) -> RatingTable:
    frame = pl.DataFrame(ratings, schema=["a", "b", "c"], nan_to_null=True)
    return RatingTable.from_wide(frame, scale=(1, 5))


def left(ratings: NDArray[np.float64], known: NDArray[np.float64], error: float, nulls: str) -> int:
    """How many records fit what is known, in whole tenths."""
    rates, of = ~np.isnan(ratings), ~np.isnan(known)
    fits = np.abs(np.rint(10 * ratings) - np.rint(10 * known)) <= round(10 * error)
    if nulls == "wildcard":
        return int(np.count_nonzero(np.all(fits | ~rates | ~of, axis=1)))
    fits = np.all(fits | ~of, axis=1)
    return int(np.count_nonzero(fits & np.all(rates == of, axis=1) if nulls == "strict" else fits))


def enumerated(
    ratings: NDArray[np.float64], record: int, step: float, error: float, nulls: str
) -> tuple[float, int]:
    places = round(error / step)
    choices = [
        [np.nan]
        if np.isnan(value)
        else [v for i in range(-places, places + 1) if 1 <= (v := value + i * step) <= 5.01]
        for value in ratings[record]
    ]
    counts = [left(ratings, np.array(known), error, nulls) for known in itertools.product(*choices)]
    return float(np.mean([1 / count for count in counts])), min(counts)


def check_witnesses(
    ratings: NDArray[np.float64], result: Exposure, records: NDArray[np.int64]
) -> None:
    for record in records.tolist():
        known = np.full(3, np.nan)
        for issue, value in result.witness(record).items():
            known["abc".index(issue)] = value
        assert np.array_equal(np.isnan(known), np.isnan(ratings[record]))
        assert not np.any(np.abs(known - ratings[record]) > result.error + 1e-9)
        assert left(ratings, known, result.error, result.nulls) == result.worst_by_record[record]


@pytest.mark.parametrize(("kind", "nulls"), KINDS)
def test_enumeration(kind: str, nulls: str) -> None:
    ratings, error = drawn(kind, 1300, 0.1), {"likert": 1.0, "tenths": 0.2}[kind]
    result = ratingpriv.exposure(as_table(ratings), error=error, nulls=nulls)
    assert result.exact
    some = np.random.default_rng(1).choice(1300, 40, replace=False)
    found = [enumerated(ratings, record, LEVELS[kind], error, nulls) for record in some.tolist()]
    assert result.worst_by_record[some].tolist() == [worst for _, worst in found]
    assert result.expected_by_record[some] == pytest.approx([expected for expected, _ in found])
    check_witnesses(ratings, result, some[:15])


@pytest.mark.parametrize(("kind", "nulls"), KINDS)
def test_drawn_and_searched(kind: str, nulls: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where more members fit some knowledge than are listed: here more than ten."""
    ratings, error = drawn(kind, 1300, 0.1), {"likert": 1.0, "tenths": 0.2}[kind]
    table = as_table(ratings)
    exact = ratingpriv.exposure(table, error=error, nulls=nulls)
    plan = measure._plan
    monkeypatch.setattr(measure, "_plan", lambda *asked: plan(*asked)._replace(most=10))
    result = ratingpriv.exposure(table, error=error, nulls=nulls, samples=64)
    assert not result.expected_exact
    assert result.expected_low <= exact.expected <= result.expected_high
    assert np.all(result.worst_by_record >= exact.worst_by_record)
    proved = result.worst_exact_by_record
    assert np.array_equal(result.worst_by_record[proved], exact.worst_by_record[proved])
    assert result.certain <= exact.certain
    assert np.max(np.abs(result.expected_by_record - exact.expected_by_record)) < 0.5
    check_witnesses(ratings, result, np.random.default_rng(2).choice(1300, 25, replace=False))


def test_little_memory_changes_nothing() -> None:
    """Where bitsets are afforded for no issue, or one, what they let pass is looked at."""
    ratings = drawn("likert", 700, 0.2)
    table = as_table(ratings)
    for nulls in RULES:
        whole = ratingpriv.exposure(table, error=1, nulls=nulls)
        for memory in (1_000_000, 4_000):
            little = ratingpriv.exposure(table, error=1, nulls=nulls, memory=memory * 3, threads=1)
            assert np.array_equal(little.worst_by_record, whole.worst_by_record)
            assert np.array_equal(little.expected_by_record, whole.expected_by_record)
