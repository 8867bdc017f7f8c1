"""Groups of records that answered alike: cliques by definition, what is asked of them,
and refusals.
"""

from fractions import Fraction

import naive.inference
import naive.near
import numpy as np
import polars as pl
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import epsilons, mixed_tables, tables

from ratingpriv import RatingTable
from ratingpriv.base.errors import ParameterError, ResourceError, TargetNotReachedError
from ratingpriv.data.table import QuasiColumn
from ratingpriv.partition import Groups, check_groups, least_epsilon, near_groups, partition
from ratingpriv.partition.certificate import certificate
from ratingpriv.partition.near import _clique, grouping
from ratingpriv.partition.near.arrays import Space
from ratingpriv.partition.near.demands import Demands

NULLS = ["exchange", "fill", "strict"]


def survey(n: int, p: int, seed: int, missing: float = 0.0) -> RatingTable:
    """People who agree, more or less, with one of each other; and what they earn, from 1 to 4."""
    rng = np.random.default_rng(seed)
    answers = np.clip((rng.normal(3, 0.8, (n, 1)) + rng.normal(0, 0.7, (n, p))).round(), 1, 5)
    rows = [[None if rng.random() < missing else a for a in row] for row in answers.tolist()]
    pay = [None if rng.random() < missing else float(x) for x in rng.integers(1, 5, n)]
    return build(rows, [pay])


@pytest.mark.small
@pytest.mark.parametrize("blocks_from", [20_000, 0])
@given(
    table=st.one_of(tables(most_records=14), mixed_tables(most_records=14)),
    k=st.integers(2, 4), epsilon=epsilons, nulls=st.sampled_from(NULLS),
)  # fmt: skip
@settings(max_examples=100 * DEPTH)
def test_groups_are_cliques_by_definition(blocks_from, table, k, epsilon, nulls):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_BLOCKS_FROM", blocks_from)
        patch.setattr(grouping, "_BLOCK", 5)
        if table.n_records < 2 * k:
            with pytest.raises(ParameterError, match="table"):
                near_groups(table, k, epsilon, nulls=nulls)
            return
        found = near_groups(table, k, epsilon, nulls=nulls, withhold_at_most=1)
    labels = found.labels.tolist()
    assert naive.near.faults(table, labels, k, epsilon, nulls) == []
    assert found.left_out == labels.count(-1)
    if not any(column.within is not None for column in table.quasi):
        assert found.scatter == pytest.approx(naive.near.scatter(table, labels), abs=1e-9)
    if found.groups.count:
        assert check_groups(table, found.labels, k, epsilon, nulls).labels.tolist() == labels


@pytest.mark.parametrize("nulls", NULLS)
@pytest.mark.parametrize(("n", "p", "missing"), [(150, 6, 0.0), (120, 5, 0.1), (160, 3, 0.02)])
def test_groups_of_surveys_are_cliques_by_definition(nulls, n, p, missing):
    table = survey(n, p, n, missing)
    found = near_groups(table, 6, 1, nulls=nulls, withhold_at_most=1)
    assert naive.near.faults(table, found.labels.tolist(), 6, 1, nulls) == []
    again = near_groups(table, 6, 1, nulls=nulls, withhold_at_most=1)
    assert again.labels.tolist() == found.labels.tolist()


DEMANDS = [
    {"max_share": 0.5},
    {"distinct": 3},
    {"entropy": 2.5},
    {"l": 1.0},
    {"max_share": 0.4, "distinct": 3},
]


@pytest.mark.parametrize("demand", DEMANDS, ids=str)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_every_group_meets_what_is_asked(demand, missing):
    table = survey(150, 4, 7, missing)
    found = near_groups(table, 6, 2, withhold_at_most=1, **demand)
    assert naive.near.faults(table, found.labels.tolist(), 6, 2, "exchange") == []
    assert found.left_out < 0.2 * table.n_records
    free = near_groups(table, 6, 2, withhold_at_most=1)
    assert not all(_met(table, members.tolist(), demand) for members in free.groups.members())
    assert all(_met(table, members.tolist(), demand) for members in found.groups.members())


def _met(table: RatingTable, members: list[int], demand: dict[str, float]) -> bool:
    (column,) = table.sensitive
    group = [Fraction(int(column.values[t])) if column.present[t] else None for t in members]
    share = naive.inference.largest_share(group)
    known = [float(value) for value in group if value is not None]
    if not known or share is None:
        return True
    mean = sum(known) / len(known)
    squares = sum((value - mean) ** 2 for value in known) + mean**2 * (len(group) - len(known))
    return (
        share <= Fraction(str(demand.get("max_share", 1)))
        and naive.inference.distinct(group) >= demand.get("distinct", 0)
        and naive.inference.entropy_at_least(group, demand.get("entropy", 1))
        and (squares / len(group)) ** 0.5 >= demand.get("l", 0) - 1e-12
    )


@pytest.mark.parametrize("demand", DEMANDS, ids=str)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_kernels_and_the_judge_tell_groups_that_meet_a_demand(demand, missing):
    table = survey(90, 2, 11, missing)
    labels = np.arange(90) // 6
    asked = Demands(**demand).asked(table, 6)
    space = Space.of(asked, 90, 2, 0)
    judged = Demands(**demand).met(table, Groups.of_labels(labels)).tolist()
    members = [np.flatnonzero(labels == g).tolist() for g in range(15)]
    assert judged == [_met(table, group, demand) for group in members]
    assert {*judged} == {True, False}
    own = [np.array(group, dtype=np.int32) for group in members]
    kept = [_clique.shortfall(group, 6, -1, -1, asked, space) <= 0 for group in own]
    assert kept == judged


def test_a_judge_has_the_last_word():
    table = survey(120, 4, 3)

    def few(labels: np.ndarray) -> np.ndarray:
        return np.bincount(labels[labels >= 0]) <= 7

    found = near_groups(table, 6, 2, judge=few, withhold_at_most=1)
    assert found.groups.sizes.max() <= 7
    assert found.left_out == 0 or found.left_out >= 6

    def nobody(labels: np.ndarray) -> np.ndarray:
        return np.zeros(labels.max(initial=-1) + 1, dtype=bool)

    assert near_groups(table, 6, 2, judge=nobody, withhold_at_most=1).left_out == 120


def test_quasi_identifiers_are_equal_in_a_group():
    table = survey(120, 3, 4)
    region = QuasiColumn("region", np.arange(120, dtype=np.int32) % 3, pl.Series(["a", "b", "c"]))
    found = near_groups(table.replace(quasi=(region,)), 6, 2)
    assert all(len({t % 3 for t in members.tolist()}) == 1 for members in found.groups.members())


def test_larger_groups_make_up_for_too_few_who_are_left_out():
    # nine near each other, ten elsewhere, and one near nobody
    rows = [(1.0, 1.0)] * 9 + [(5.0, 5.0)] * 10 + [(1.0, 5.0)]
    found = near_groups(build(rows), 6, 1)
    assert found.left_out == 6
    assert sorted(found.groups.sizes.tolist()) == [6, 8] or sorted(found.groups.sizes.tolist()) == [
        7,
        7,
    ]
    tight = near_groups(
        build([(1.0, 1.0)] * 6 + [(5.0, 5.0)] * 6 + [(1.0, 5.0)]), 6, 1, withhold_at_most=1
    )
    assert (tight.left_out, tight.groups.count) == (7, 1)


def test_groups_of_other_data_are_refused():
    table = survey(60, 4, 1)
    found = near_groups(table, 5, 2)
    with pytest.raises(ParameterError, match="not 1-proximate"):
        check_groups(table, found.labels, 5, 1)
    with pytest.raises(ParameterError, match="fewer than 30"):
        check_groups(table, found.labels, 30, 2)
    with pytest.raises(ParameterError, match="labels"):
        check_groups(survey(61, 4, 1), found.labels, 5, 2)
    with pytest.raises(ParameterError, match="3 records suppressed"):
        check_groups(build([(1.0,)] * 9), np.array([0] * 6 + [-1] * 3), 6, 0)
    with pytest.raises(ParameterError, match="no groups"):
        check_groups(table, np.full(60, -1), 5, 1)
    with pytest.raises(ParameterError, match="float64"):
        check_groups(table, found.labels.astype(float), 5, 2)


def test_what_cannot_be_made_is_refused():
    table = survey(60, 4, 1)
    with pytest.raises(ParameterError, match="k: found 1"):
        near_groups(table, 1, 1)
    with pytest.raises(ParameterError, match="table: found '60 records'"):
        near_groups(table, 31, 4)
    with pytest.raises(ParameterError, match=r"epsilon: .*`epsilon=\d` leaves \d+ out"):
        near_groups(table, 20, 0)
    with pytest.raises(ParameterError, match="max_share"):
        near_groups(table, 5, 2, max_share=0.2)
    with pytest.raises(ParameterError, match="distinct"):
        near_groups(table, 5, 2, distinct=5)
    with pytest.raises(ParameterError, match="data with a sensitive item"):
        near_groups(build([(1.0,)] * 20), 5, 2, distinct=2)
    with pytest.raises(ParameterError, match="withhold_at_most"):
        near_groups(table, 5, 2, withhold_at_most=2)
    with pytest.raises(ResourceError, match="memory"):
        near_groups(table, 5, 2, memory=100)


def test_the_smallest_epsilon_leaves_few_out_and_the_next_smaller_more():
    table = survey(120, 4, 2, 0.02)
    found = least_epsilon(table, 6, 0.05)
    assert found.near.left_out <= 0.05 * 120 < (found.smaller_left_out or 0)
    assert (
        near_groups(table, 6, found.smaller, withhold_at_most=1).left_out == found.smaller_left_out
    )
    assert len(least_epsilon(survey(40, 1, 3), 2).candidates) <= 12
    real = build([(x,) for x in np.random.default_rng(1).normal(0, 1, 80).tolist()])
    assert 6 < len(least_epsilon(real, 4, 0.1).candidates) <= 12
    with pytest.raises(ParameterError, match="below the whole range"):
        least_epsilon(build([(1.0, 1.0)] * 3 + [(10.0, 1.0)] * 3 + [(1.0, 10.0)] * 4), 4)


def test_a_larger_epsilon_may_leave_more_out_and_the_smallest_that_serves_is_found_all_the_same():
    """Groups are not the best that there are: halving the candidates would miss some that serve."""
    pairs = ((4, 2), (4, 2), (5, 4), (4, 1), (2, 1), (2, 5), (4, 1), (4, 4), (1, 1), (2, 1))
    table = build([(float(first), float(second), 6.0) for first, second in pairs])
    out = [near_groups(table, 3, each, withhold_at_most=1).left_out for each in range(4)]
    assert out == [10, 3, 4, 0]
    found = least_epsilon(table, 3, 0.3)
    assert (found.epsilon, found.smaller, found.smaller_left_out) == (1, 0, 10)


def test_a_partition_near_has_a_certificate_and_says_how_it_was_made():
    table = survey(120, 4, 5)
    found = partition(table, k=6, epsilon=2, order="near")
    assert found.found
    assert found.groups.labels.tolist() == near_groups(table, 6, 2, nulls="strict").labels.tolist()
    assert len(certificate(found, table)["groups"]) == found.n_groups
    diverse = partition(table, k=6, epsilon=2, l=1.0, order="near")
    assert all(sd >= 1.0 for sd in diverse.min_sd.values() if sd is not None)
    assert partition(table, k=1, epsilon=0, order="near").n_groups == 120
    assert partition(table, k=200, epsilon=4, order="near").n_groups == 0
    with pytest.raises(ParameterError, match="method"):
        partition(table, k=6, epsilon=2, order="near", method="exact")


def test_work_is_told_about_and_can_be_ended():
    told: list[tuple[str, int, int | None]] = []
    table = survey(300, 6, 1)
    near_groups(table, 12, 2, progress=lambda *step: told.append(step))
    assert {what for what, _, _ in told} >= {
        "making groups",
        "improving groups",
        "comparing groups",
    }
    assert all(0 <= done <= (total or 0) for _, done, total in told)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        near_groups(table, 12, 2, progress=stop)


@pytest.mark.parametrize("nulls", ["exchange", "strict"])
def test_groups_that_leave_too_many_are_given_up_and_others_are_the_same(nulls):
    table = survey(60, 4, 1, 0.05)
    whole = near_groups(table, 4, 1, nulls=nulls, withhold_at_most=1)
    assert whole.left_out > 0
    with pytest.raises(TargetNotReachedError, match="given up"):
        near_groups(table, 4, 1, nulls=nulls, withhold_at_most=1, give_up_beyond=0)
    same = near_groups(table, 4, 1, nulls=nulls, withhold_at_most=1, give_up_beyond=60)
    assert same.labels.tolist() == whole.labels.tolist()
