"""Small dated tables, what is known of their records,
and answers compared with the naive twin's.
"""

import math
from dataclasses import fields

import numpy as np
import polars as pl
from hypothesis import strategies as st

from ratingpriv import RatingTable
from ratingpriv.attack import Auxiliary, Judging, Knowledge, compare
from ratingpriv.attack import draw as draw_knowledge
from ratingpriv.attack import experiment as attack_and_judge
from ratingpriv.base.compute.resources import Resources

__all__ = [
    "assert_same", "auxiliary", "cells", "compared", "counts_of", "dated_table", "draw", "run",
    "situations",
]  # fmt: skip

ISSUES = 5


def dated_table(records, *, issues=ISSUES, stamps="date", scale=None):
    """A table; ``stamps`` is "date", "seconds" or "none"."""
    names = [f"i{j}" for j in range(issues)]
    rows = [
        (f"t{r}", names[i], rating, day)
        for r, record in enumerate(records)
        for i, (rating, day) in (record or {0: (None, None)}).items()
    ]
    ids, rated, ratings, days = zip(*rows, strict=True)
    frame = pl.DataFrame(
        {
            "record": ids,
            "issue": pl.Series(rated, dtype=pl.Enum(names)),
            "rating": pl.Series(ratings, dtype=pl.Float64),
        }
    )
    if stamps == "none":
        return RatingTable.from_long(frame, scale=scale)
    whole = [
        None if day is None else int(day) if stamps == "date" else round(day * 86400)
        for day in days
    ]
    when = pl.Series("when", whole, dtype=pl.Int32 if stamps == "date" else pl.Int64)
    frame = frame.with_columns(when.cast(pl.Date) if stamps == "date" else when)
    return RatingTable.from_long(frame, timestamp="when", scale=scale)


def auxiliary(known, targets, *, absent=False, counts=None):
    """What is known of some targets; issue -1 is one that the table does not have."""
    flat = [(issue, *cell) for one in known for issue, cell in one.items()]
    return Auxiliary(
        targets=np.array(targets, dtype=np.int64),
        indptr=np.cumsum([0, *(len(one) for one in known)]).astype(np.int64),
        issues=np.array([issue for issue, _, _ in flat], dtype=np.int32),
        ratings=np.array([rating for _, rating, _ in flat], dtype=np.float64),
        dates=np.array([math.nan if day is None else day for _, _, day in flat], dtype=np.float64),
        absent=absent,
        counts=None if counts is None else np.array(counts, dtype=np.int64).reshape(-1, 2),
    )


def _options(kind, words):
    """The frozen object of ``kind`` that the words say, taken out of them."""
    return kind(
        **{field.name: words.pop(field.name) for field in fields(kind) if field.name in words}
    )


def draw(table, *, rng=None, **words):
    return draw_knowledge(table, Knowledge(**words), rng=rng)


def run(table, *, rng=0, **words):
    knowledge, judging, resources = (
        _options(kind, words) for kind in (Knowledge, Judging, Resources)
    )
    drawn = draw_knowledge(table, knowledge, rng=rng)
    return attack_and_judge(table, drawn, judging=judging, resources=resources, **words)


def compared(before, release, truth):
    return compare([before], release, truth)[0]


LEVELS = {
    "survey": [1, 2, 3, 4, 5],
    "tenths": [0.1, 0.3, 0.7, 1.0],
    "two": [-1, 1],
    "float": [1 / 3, 2 / 3, 4, 9],
}


@st.composite
def cells(draw, levels, *, most=ISSUES, least=0):
    rated = draw(st.lists(st.integers(0, ISSUES - 1), min_size=least, max_size=most, unique=True))
    day = st.one_of(st.none(), st.integers(12_000, 12_003), st.integers(11_000, 13_000))
    return {issue: (draw(st.sampled_from(levels)), draw(day)) for issue in rated}


@st.composite
def situations(draw):
    """Records with ties, duplicates, one record alone, lonely issues; targets;
    and what is known of them.
    """
    levels = LEVELS[draw(st.sampled_from(sorted(LEVELS)))]
    records = draw(st.lists(cells(levels), min_size=1, max_size=7))
    records += draw(st.lists(st.sampled_from(records), max_size=4))
    off_level = [*levels, 1.5]
    targets = draw(st.lists(st.integers(-1, len(records) - 1), min_size=1, max_size=4))
    known = []
    for target in targets:
        right = {} if target < 0 else records[target]
        one = dict(right) if right and draw(st.booleans()) else draw(cells(off_level, least=1))
        if draw(st.integers(0, 9)) == 0:
            one = {-1: (levels[0], None), **one}
        known.append(one)
    return records, targets, known


def counts_of(targets):
    """The fewest and the most ratings that each target may have made, or that nobody knows."""
    bounds = st.tuples(st.integers(0, 3), st.integers(0, 5))
    return st.none() | st.lists(bounds, min_size=len(targets), max_size=len(targets))


def assert_same(found, t, expected, *, phi=None):
    """Target ``t`` of an attack has the answers of the naive twin."""

    rounding = 1e-14 * expected.sharpness * max(1.0, expected.eccentricity or 0.0)

    def near(value, other):
        if other is None:
            return math.isnan(value)
        if math.isinf(other):
            return value == other
        return math.isclose(value, other, rel_tol=1e-9, abs_tol=1e-9 + rounding)

    def position(value):
        return None if value == -1 else int(value)

    on_the_edge = phi is not None and expected.eccentricity is not None
    on_the_edge = on_the_edge and math.isclose(expected.eccentricity, phi, rel_tol=1e-9)
    if not on_the_edge:
        best = position(found.best[t])
        assert best == expected.best or expected.scores[best] == expected.scores[expected.best]
        assert found.matching[t] == expected.matching
    assert near(found.eccentricity[t], expected.eccentricity)
    assert found.n_candidates[t] == expected.n_candidates
    assert near(found.score_true[t], expected.score_true)
    assert near(found.better[t], expected.better)
    assert near(found.tied[t], expected.tied)
    assert near(found.entropy_bits[t], expected.entropy_bits)
    assert near(found.shannon_bits[t], expected.shannon_bits)
    assert (found.best_candidate[t] == -1) == (expected.best_candidate is None)
    rows = zip(found.candidates[t], found.scores[t], found.probabilities[t], strict=True)
    listed = [row for row in rows if row[0] >= 0]
    positive = sorted((score for score in expected.scores.values() if score > 0), reverse=True)
    assert len(listed) == min(len(positive), found.candidates.shape[1])
    for (candidate, score, probability), wanted in zip(listed, positive, strict=False):
        assert near(score, wanted)
        assert near(score, expected.scores[int(candidate)])
        assert near(probability, expected.probabilities[int(candidate)])
    assert len({int(c) for c, _, _ in listed}) == len(listed)
