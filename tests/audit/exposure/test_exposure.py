"""Exposure against enumeration of all knowledge; the counterexamples;
what results say of themselves.
"""

import itertools
import math
from typing import Any

import naive.exposure
import naive.proximity
import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, table2
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from properties.strategies import tables

import ratingpriv
import ratingpriv.base.errors
from ratingpriv import RatingTable
from ratingpriv.audit.exposure import _examine as kernels
from ratingpriv.audit.exposure import examine, measure
from ratingpriv.audit.exposure.result import Exposure
from ratingpriv.base.compute.compiling import pinned

pytestmark = pytest.mark.small

RULES = ("strict", "wildcard", "known")
MOST = 700  # knowledge of a record that a test enumerates


def check_witnesses(table: RatingTable, result: Exposure) -> None:
    """Every witness is off by at most the error, and leaves as many as it is said to."""
    rows = naive.proximity.ratings(table)
    limit = naive.proximity.as_number(table, float(result.error))
    for record, row in enumerate(rows):
        known = {
            table.issues.index(issue): naive.proximity.as_number(table, value)
            for issue, value in result.witness(record).items()
        }
        assert list(known) == list(row)
        if naive.proximity.decimal_levels(table):
            assert all(abs(known[issue] - value) <= limit for issue, value in row.items())
        left = naive.exposure.left(table, known, result.error, result.nulls)
        assert left == result.worst_by_record[record]


def knowledge_of(table: RatingTable, error: float) -> int:
    """How much knowledge there is of the record of which there is most.

    Of one rating at most MOST.
    """
    return max(
        math.prod(
            sum(
                1 for _ in itertools.islice(naive.exposure.knowledge(table, value, error), MOST + 1)
            )
            for value in row.values()
        )
        for row in naive.proximity.ratings(table)
    )


errors = st.one_of(st.sampled_from([0, 0.1, 0.2, 0.25, 0.5, 1, 1.5, 2, 5, 6]), st.floats(0, 3))


# what is asked, and what of the plan is another
WAYS: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "enumerated": ({"exact": True}, {}),
    "greedy": ({"exact": False, "samples": 3}, {}),
    # too many members fit some knowledge to be listed
    "among many": ({"samples": 50}, {"most": 2}),
}


def measured(table: RatingTable, way: str, **asked: Any) -> Exposure:
    more, changes = WAYS[way]
    plan = measure._plan
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "_plan", lambda *some: plan(*some)._replace(**changes))
        return ratingpriv.exposure(table, threads=1, **{**more, **asked})


@pytest.mark.parametrize("way", WAYS)
@given(
    table=tables(most_records=8, most_issues=4, most_sensitive=0),
    error=errors,
    nulls=st.sampled_from(RULES),
)
@settings(max_examples=40 * DEPTH, deadline=None)
def test_beside_enumeration(way: str, table: RatingTable, error: float, nulls: str) -> None:
    assume(knowledge_of(table, error) <= MOST)
    expected, worst = naive.exposure.exposure(table, error, nulls)
    result = measured(table, way, error=error, nulls=nulls)
    assert np.all(result.worst_by_record >= worst)
    exact = result.worst_exact_by_record
    assert result.worst_by_record[exact].tolist() == np.array(worst)[exact].tolist()
    assert not result.worst_exact or result.worst == min(worst)
    assert result.certain <= worst.count(1)
    assert not result.certain_exact or result.certain == worst.count(1)
    check_witnesses(table, result)
    if way == "enumerated":
        assert exact.all()
        assert result.exact
        assert result.expected_by_record == pytest.approx(expected, rel=1e-9)
        assert result.expected_low == result.expected == result.expected_high
    if way == "among many":
        assert result.expected_low - 1e-9 <= np.mean(expected) <= result.expected_high + 1e-9
        assert result.expected_by_record == pytest.approx(expected, abs=0.4)


def as_clauses(seed: int) -> tuple[RatingTable, list[list[int]]]:
    """A record that rates everything 3, and others of which knowledge
    2 or 4 of an issue rules some out.

    Whom knowledge leaves are the clauses that an assignment does not satisfy: the fewest are
    MAX-SAT.
    """
    rng = np.random.default_rng(seed)
    rows = [[3] * 7]
    for _ in range(45):
        row = [3] * 7
        for issue in rng.choice(7, 2, replace=False):
            row[issue] = int(rng.choice([2, 4]))
        rows.append(row)
    return build(rows, scale=(1, 5)), rows


def test_where_greed_fails_it_is_not_said_to_be_exact() -> None:
    beaten = 0
    for seed in range(12):
        table, rows = as_clauses(seed)
        others = np.array(rows)
        fewest = min(
            int(np.count_nonzero(np.all(np.abs(others - np.array(known)) <= 1, axis=1)))
            for known in itertools.product((2, 4), repeat=7)
        )
        for way in ("greedy", "among many"):
            result = measured(table, way, error=1, samples=2)
            assert result.worst_by_record[0] >= fewest
            assert result.worst_by_record[0] == fewest or not result.worst_exact_by_record[0]
            assert not result.worst_exact or result.worst == 1
            check_witnesses(table, result)
            beaten += int(result.worst_by_record[0] > fewest)
    assert beaten


def test_a_bound_that_greed_reaches_is_proof() -> None:
    """Knowledge of 3 leaves out 2 or 4, not both: no record but it fits all,
    and yet two are always left.
    """
    result = measured(build([(3,), (2,), (4,)], scale=(1, 5)), "greedy", error=1)
    assert not result.expected_exact
    assert result.worst_by_record.tolist() == [2, 1, 1]
    assert result.worst_exact


@pytest.mark.parametrize("scale", [None, (1, 5)])
def test_a_satisfied_verdict_leaves_nobody_but_the_target(scale: tuple[int, int] | None) -> None:
    """Records ann 3 and bob 2 are (2,1)-anonymous; knowledge 4 fits ann alone, knowledge 1 bob."""
    table = build([(3,), (2,)], scale=scale)
    assert ratingpriv.audit(table, k=2, epsilon=1).satisfied
    result = ratingpriv.exposure(table, error=1)
    assert (result.worst, result.certain, result.exact) == (1, 2, True)
    assert result.fewest_left == ((1, 2),)
    assert result.witness(0) == {"issue 1": 4}
    assert result.witness(1) == {"issue 1": 1}
    assert result.expected == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)


def test_alone_in_a_neighbourhood_is_not_found_by_all_knowledge() -> None:
    """Ratings 3 and 5 are each alone at 1. Knowledge 4 fits both, knowledge 2 the first only."""
    table = build([(3,), (5,)], scale=(1, 5))
    assert ratingpriv.audit(table, k=1, epsilon=1).sizes.tolist() == [1, 1]
    result = ratingpriv.exposure(table, error=1)
    assert result.expected_by_record.tolist() == pytest.approx(
        [(1 + 1 + 1 / 2) / 3, (1 + 1 / 2) / 2]
    )
    assert result.worst_by_record.tolist() == [1, 1]


def test_table_2_is_anonymous_and_exposed() -> None:
    """Table 2 is (2,1)-anonymous [SWLZ11]; knowledge off by 1 can pin down all but t3."""
    assert ratingpriv.audit(table2(), k=2, epsilon=1).satisfied
    result = ratingpriv.exposure(table2(), error=1)
    assert (result.worst, result.certain) == (1, 5)


def test_a_rating_off_the_scale_stretches_it() -> None:
    table = build([(3,), (5,)], scale=(1, 5))
    off = table.replace(levels=np.array([3.0, 9.0]))
    result = ratingpriv.exposure(off, error=1)
    assert result.worst_by_record.tolist() == [1, 1]
    assert result.witness(1)["issue 1"] <= 9


def test_the_seed_decides_and_threads_do_not() -> None:
    rng = np.random.default_rng(6)
    table = build(rng.integers(1, 6, (40, 5)).astype(float).tolist())
    asked = {"error": 1, "exact": False, "samples": 3}
    one = ratingpriv.exposure(table, **asked, rng=7, threads=1)
    for other in (
        ratingpriv.exposure(table, **asked, rng=7, threads=3),
        ratingpriv.exposure(table, **asked, rng=one.seed),
    ):
        assert other.to_dict() == one.to_dict()
        assert other.expected_by_record.tolist() == one.expected_by_record.tolist()
        assert other.worst_by_record.tolist() == one.worst_by_record.tolist()
    assert ratingpriv.exposure(table, **asked, rng=8, threads=1).expected != one.expected
    by_generator = ratingpriv.exposure(table, **asked, rng=np.random.default_rng(3))
    again = ratingpriv.exposure(table, **asked, rng=by_generator.seed)
    assert again.to_dict() == by_generator.to_dict()


def test_a_sample_of_records_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all records are too much work, some are examined,
    and nothing is called exact that is not.
    """
    rng = np.random.default_rng(8)
    table = build(rng.integers(1, 6, (60, 3)).astype(float).tolist(), scale=(1, 5))
    whole = ratingpriv.exposure(table, error=1)
    monkeypatch.setattr(measure, "_WORK", 1)
    monkeypatch.setattr(measure, "_FEW", 20)
    result = ratingpriv.exposure(table, error=1)
    assert result.records == 20
    assert int(np.count_nonzero(result.worst_by_record)) == 20
    assert int(np.count_nonzero(np.isnan(result.expected_by_record))) == 40
    assert not result.expected_exact
    assert not result.certain_exact
    assert result.worst_exact == (result.worst == 1)
    assert result.expected_low <= whole.expected <= result.expected_high
    position = int(np.flatnonzero(result.worst_by_record == 0)[0])
    with pytest.raises(ratingpriv.base.errors.ParameterError, match="examined"):
        result.witness(position)


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"error": -1}, "error"),
        ({"error": float("nan")}, "error"),
        ({"error": 1, "nulls": "any"}, "nulls"),
        ({"error": 1, "samples": 0}, "samples"),
        ({"error": 1, "exact": 1}, "exact"),
        ({"error": 1, "rng": -1}, "rng"),
    ],
)
def test_arguments_are_checked(asked: dict[str, object], named: str) -> None:
    with pytest.raises(ratingpriv.base.errors.ParameterError, match=f"^{named}:"):
        ratingpriv.exposure(build([(1,)]), **asked)


def test_too_little_memory_is_said() -> None:
    rng = np.random.default_rng(9)
    table = build(rng.integers(1, 6, (300, 14)).astype(float).tolist())
    with pytest.raises(ratingpriv.base.errors.ResourceError, match="`memory`"):
        ratingpriv.exposure(table, error=3, memory=1000)


def test_empty_rows_and_tables() -> None:
    table = build([(None,), (None,), (1,)])
    result = ratingpriv.exposure(table, error=1)
    assert result.worst_by_record.tolist() == [2, 2, 1] if result.error < 1 else [3, 3, 3]
    nothing = build([(None,), (None,)])
    assert ratingpriv.exposure(nothing, error=0).worst == 2
    with pytest.raises(ratingpriv.base.errors.ParameterError, match="no records"):
        ratingpriv.exposure(table.take(np.array([], dtype=np.int64)), error=1)


def test_a_long_search_is_not_gone_through_in_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """The arrays of a few records are small, and what is searched in them is not:
    this took hours.
    """
    rng = np.random.default_rng(4)
    table = build((rng.random((40, 15)) < 0.5).astype(float).tolist())
    given: list[int] = []
    plain, long = kernels.examine.run_plain, []

    def counted(targets: np.ndarray, *others: Any) -> int:
        plan = others[2]
        given.append(len(targets) * max(plan.enumeration, plan.samples))
        return int(plain(targets, *others))

    def finished(targets: np.ndarray, *others: Any) -> int:
        long.extend(targets.tolist())
        return len(targets)

    monkeypatch.setattr(kernels.examine, "run_plain", counted)
    monkeypatch.setattr(kernels.examine, "run_compiled", finished)
    monkeypatch.setattr(examine, "_TRIAL", 1 << 13)
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    with pinned(None):
        result = ratingpriv.exposure(table, error=1)
    assert given
    assert max(given) <= 1 << 13
    assert long
    assert not result.exact  # what was left open by the trial is not said to be decided


def test_many_people_are_not_examined_in_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    forms: list[str] = []

    def told(form: str) -> Any:
        def examined(targets: np.ndarray, *_: Any) -> int:
            forms.append(form)
            return len(targets)

        return examined

    for form in ("run_plain", "run_compiled"):
        monkeypatch.setattr(kernels.examine, form, told(form))
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    for records, form in ((20, "run_plain"), (250, "run_compiled")):
        table = build(np.random.default_rng(4).integers(1, 6, (records, 6)).astype(float).tolist())
        with pinned(None):
            ratingpriv.exposure(table, error=1)
        assert set(forms) == {form}
        forms.clear()


def test_a_search_in_two_tries_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    table = build(rng.integers(1, 5, (12, 5)).astype(float).tolist(), scale=(1, 4))
    once = ratingpriv.exposure(table, error=1)
    monkeypatch.setattr(examine, "_TRIAL", 12 * 20)
    assert ratingpriv.exposure(table, error=1).to_dict() == once.to_dict()
