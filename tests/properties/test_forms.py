"""Plain and compiled kernels give the same answers: audit, partition, both releases,
the attacks.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest
from attack.attack_tables import draw
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import AUDIT_NULLS, NULLS, epsilons, tables

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.anonymize import modify, suppress
from ratingpriv.anonymize.modification._grouping import Costs, Room, fill_tables
from ratingpriv.attack import scoreboard, scoreboard_rh
from ratingpriv.base.compute import compiling
from ratingpriv.base.errors import RatingPrivError

pytestmark = pytest.mark.skipif(
    compiling.switched("NUMBA_DISABLE_JIT"), reason="nothing is compiled"
)

few = st.integers(1, 5)
nulls_rule = st.sampled_from(NULLS)
diversity = st.sampled_from([None, 0.0, 0.5, 1.0])


def plainly(answer: Any) -> Any:
    """An answer as what can be compared, floats bit by bit."""
    if isinstance(answer, RatingPrivError):
        return type(answer).__name__, str(answer)
    if isinstance(answer, np.ndarray):
        return (
            answer.dtype.str,
            answer.shape,
            answer.tobytes() if answer.dtype != object else answer.tolist(),
        )
    if isinstance(answer, (float, np.floating)):
        return float(answer).hex()
    if isinstance(answer, pl.Series):
        return answer.to_list()
    if dataclasses.is_dataclass(answer) and not isinstance(answer, type):
        return {
            field.name: plainly(getattr(answer, field.name)) for field in dataclasses.fields(answer)
        }
    if isinstance(answer, Mapping):
        return {key: plainly(value) for key, value in answer.items()}
    if isinstance(answer, (list, tuple)):
        return [plainly(value) for value in answer]
    return answer if isinstance(answer, (int, str, bool, type(None))) else repr(answer)


def in_form(form: str, work: Callable[[], Any]) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling.Kernel, "__call__", getattr(compiling.Kernel, form))
        try:
            return plainly(work())
        except RatingPrivError as error:
            return plainly(error)


def same_in_both_forms(work: Callable[[], Any]) -> None:
    assert in_form("run_plain", work) == in_form("run_compiled", work)


@given(table=tables(), k=few, epsilon=epsilons, l=diversity, nulls=st.sampled_from(AUDIT_NULLS))
@settings(max_examples=60 * DEPTH)
def test_audit(table: RatingTable, k: int, epsilon: float, l: float | None, nulls: str) -> None:  # noqa: E741
    l = l if table.sensitive else None  # noqa: E741
    same_in_both_forms(lambda: ratingpriv.audit(table, k=k, epsilon=epsilon, l=l, nulls=nulls))


@given(table=tables(), k=few, epsilon=epsilons, l=diversity, nulls=nulls_rule, search=st.booleans())
@settings(max_examples=60 * DEPTH)
def test_partition(table, k, epsilon, l, nulls, search):  # noqa: E741
    l = l if table.sensitive else None  # noqa: E741
    same_in_both_forms(
        lambda: ratingpriv.partition(
            table, k=k, epsilon=epsilon, l=l, nulls=nulls, method="auto" if search else "greedy"
        )
    )


@given(
    table=tables(), k=few, epsilon=epsilons, nulls=nulls_rule,
    strategy=st.sampled_from(["window", "paper"]),
    fabricate=st.booleans(), seed=st.integers(0, 3),
)  # fmt: skip
@settings(max_examples=40 * DEPTH)
def test_modify(table, k, epsilon, nulls, strategy, fabricate, seed):
    same_in_both_forms(
        lambda: modify(
            table,
            k=k,
            epsilon=epsilon,
            nulls=nulls,
            strategy=strategy,
            fabricate=fabricate,
            rng=seed,
        )
    )


@given(table=tables(), k=few, epsilon=epsilons, nulls=nulls_rule)
@settings(max_examples=40 * DEPTH)
def test_suppress(table: RatingTable, k: int, epsilon: float, nulls: str) -> None:
    same_in_both_forms(lambda: suppress(table, k=k, epsilon=epsilon, nulls=nulls))


@given(
    table=tables(), known=st.integers(1, 4), wrong=st.integers(0, 1),
    error=st.sampled_from([0.0, 1.0]),
    absent=st.booleans(), graded=st.booleans(), seed=st.integers(0, 3),
    knows_count=st.sampled_from([None, 0.0, 0.3]),
)  # fmt: skip
@settings(max_examples=60 * DEPTH)
def test_attacks(table, known, wrong, error, absent, graded, seed, knows_count):
    def attacks() -> list[Any]:
        drawn = draw(
            table, known=known, wrong=min(wrong, known - 1), rating_error=error,
            knows_count=knows_count, rng=seed,
        )  # fmt: skip
        known_ratings = dataclasses.replace(drawn.auxiliary, absent=absent)
        return [scoreboard_rh(table, known_ratings), scoreboard(table, known_ratings)]

    same_in_both_forms(attacks)


@given(
    seed=st.integers(0, 10**6),
    separates=st.booleans(),
    fabricate=st.booleans(),
    median=st.booleans(),
)
def test_cost_tables(seed: int, separates: bool, fabricate: bool, median: bool) -> None:
    rng = np.random.default_rng(seed)
    levels = np.unique(rng.integers(-5, 20, rng.integers(1, 7))).astype(np.float64)
    width = float(rng.integers(0, 6))
    low = np.unique(np.concatenate([levels, levels - width]))
    costs = Costs(
        levels, low, low + width, np.searchsorted(levels, low),
        np.searchsorted(levels, low + width, "right"),
        np.full(len(levels), width), separates, fabricate, median, width == 0,
    )  # fmt: skip
    h = rng.integers(0, 3, (4, len(levels) + 1)).astype(np.int32)
    room = Room(*np.zeros((2, len(levels) + 1)))

    def tables(costs: Costs = costs) -> Any:
        more, less = np.zeros(h.shape, np.float32), np.zeros(h.shape, np.float32)
        return fill_tables(h.copy(), costs, room, more, less), more, less

    same_in_both_forms(tables)
    with compiling.pinned("compiled"):  # from medians, and by trying every window
        for shown, tried in zip(tables(), tables(costs._replace(whole=False)), strict=True):
            np.testing.assert_array_equal(shown, tried)
