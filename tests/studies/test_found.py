"""Bounds on who is re-identified, against the product's own attack and against the definition."""

import math
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from properties.strategies import mixed_tables, tables

from ratingpriv import anonymize, attack, read
from ratingpriv.anonymize.modification.grouping import leaves_core
from ratingpriv.anonymize.swapping.exchange import bits_of, exchange
from ratingpriv.attack import whole_record
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, TargetNotReachedError
from ratingpriv.base.keys import Key
from ratingpriv.base.target import Target
from ratingpriv.data.table import QuasiColumn
from ratingpriv.partition.distortion.pairing import positions_in_release
from ratingpriv.partition.near.near import near_groups
from ratingpriv.proximity.cores import Levels, equal_rows
from ratingpriv.studies.candidates import make
from ratingpriv.studies.found import (
    STEPS,
    measured,
    of_groups,
    of_modified,
    of_release,
    of_withheld,
    same_rows,
)

ANY = tables(16, 3, 1) | mixed_tables(14, 1)
ROUNDING = 1e-9


def released(table, method, **target):
    try:
        return anonymize(table, method, rng=0, **target)
    except (TargetNotReachedError, ParameterError):
        assume(False)


def re_identified(table, release, key):
    """The share of all released people whom the strongest of the product's attacks re-identifies.

    Who gave no answer cannot be attacked by the suite, and counts there as nobody found.
    """
    whole = whole_record(table, release, positions_in_release(table, release, key)).success.rate
    try:
        found = attack(table, release, truth=key, adversary="everything", targets=table.n_records,
                       false_positives=False)  # fmt: skip
    except ParameterError:
        return whole
    return max(whole, *(pair.of_released.count / release.n_records for pair in found.pairs))


def told_apart(table):
    """The share that an adversary finds who knows all but the sensitive columns:
    1 of each class.
    """
    rows = equal_rows(table).of
    return sum(1 / np.count_nonzero(rows == row) for row in rows) / table.n_records


@given(table=ANY, k=st.integers(2, 4), epsilon=st.sampled_from([0, 1, 2]))
@settings(max_examples=12 * DEPTH, deadline=None)
def test_withholding_leaves_exactly_the_distinct_rows(table, k, epsilon):
    found = of_withheld(Levels.at(table, epsilon, most=4), equal_rows(table), k)
    if found is None:
        with pytest.raises(TargetNotReachedError):
            anonymize(table, "suppress", k=k, epsilon=epsilon)
        return
    made = released(table, "suppress", k=k, epsilon=epsilon)
    assert found.low == found.high == pytest.approx(told_apart(made.table))
    assert re_identified(table, made.table, made.key_of(table)) == pytest.approx(found.high)


@pytest.mark.deep
@given(table=ANY, method=st.sampled_from(["modify", "predictive"]), epsilon=st.sampled_from([0, 1]))
@settings(max_examples=25 * DEPTH, deadline=None)
def test_no_release_gives_away_more_than_its_distinct_rows(table, method, epsilon):
    made = released(table, method, k=2, epsilon=epsilon)
    found = of_release(made.table)
    assert found.high == pytest.approx(told_apart(made.table))
    assert re_identified(table, made.table, made.key_of(table)) <= found.high + ROUNDING


@pytest.mark.deep
@given(table=ANY, k=st.integers(2, 4), epsilon=st.sampled_from([0, 1, 2]))
@settings(max_examples=25 * DEPTH, deadline=None)
def test_modify_gives_away_at_least_the_core(table, k, epsilon):
    """Of each class of equal records one is found,
    but for those that somebody from outside joins.
    """
    made = released(table, "modify", k=k, epsilon=epsilon)
    assume(made.table.n_records == table.n_records)
    found = of_modified(Levels.at(table, epsilon, most=4), equal_rows(table), k)
    assert re_identified(table, made.table, made.key_of(table)) >= found.low - ROUNDING


@pytest.mark.parametrize(
    ("records", "more", "outside", "leaves"),
    [
        (120, {}, 0, True), (120, {}, 1, True), (120, {}, 9, True),
        (120, {"nulls": "wildcard"}, 9, True), (120, {"l": 0.5}, 9, False),
        (90, {}, 9, False), (90, {}, 0, True),
    ],
)  # fmt: skip
def test_when_a_modification_is_sure_to_leave_the_core(records, more, outside, leaves):
    table = build([[1, 2], [5, 4]] * (records // 2), scale=(1, 5))
    target = Target(k=3, epsilon=1.0, **more)
    assert leaves_core(table, target, outside, None) == leaves
    halves = build([[1.5, 2], [5, 4]] * (records // 2), scale=(1, 5))
    assert leaves_core(halves, target, outside, None) == leaves
    code = np.zeros(records, dtype=np.int32)
    quasi = table.replace(quasi=(QuasiColumn("office", code, pl.Series(["a"])),))
    assert not leaves_core(quasi, target, outside, None)


@pytest.mark.parametrize("outside", [1, 30])
def test_a_modification_leaves_the_core_as_it_is(outside):
    rng = np.random.default_rng(outside)
    rows = [[1, 2], [5, 4], [3, 3]] * 40 + rng.integers(1, 6, (outside, 2)).tolist()
    table = build(rows, scale=(1, 5))
    levels = Levels.at(table, 0, most=7)
    core = levels.core(7)
    assert leaves_core(table, Target(k=7, epsilon=0.0), int(levels.withheld[7]), None)
    made = anonymize(table, "modify", k=7, epsilon=0, rng=0, threads=1)
    assert same_rows(table, made.table)[core].all()


@given(
    table=tables(16, 3, 1),
    k=st.integers(2, 3),
    epsilon=st.sampled_from([1, 2, 5]),
    seed=st.integers(0, 9),
)
@settings(max_examples=25 * DEPTH, deadline=None)
def test_a_swap_gives_away_at_most_its_groups(table, k, epsilon, seed):
    assume(table.n_records >= 2 * k)
    near = near_groups(table, k, epsilon, withhold_at_most=1.0)
    kept = np.flatnonzero(near.labels >= 0)
    assume(len(kept))
    groups = near.labels[kept]
    drawn = exchange(table, near.groups, bits_of(np.random.default_rng(seed))).table
    found = of_groups(near.groups.count, len(kept))
    assert found.high <= 1 / k
    for group in np.unique(groups):  # each item's answers of a group are those that it had
        of = np.flatnonzero(groups == group)
        before, after = table.take(kept[of]), drawn.take(of)
        for item in range(table.n_issues):
            has = [
                sorted(one.levels[one.codes[one.indices == item]].tolist())
                for one in (before, after)
            ]
            assert has[0] == has[1]


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("quasi", [(), ("office",)])
def test_the_groups_hold_against_the_attack_on_average(missing, quasi):
    """Over tables and draws: the product's own attacks by all answers
    find no more than one of each group.
    """
    rng, beyond = np.random.default_rng(0), []
    for place in range(6 * DEPTH):
        values = rng.integers(1, 4, (18, 3)).astype(object)
        values[rng.random(values.shape) < missing] = None
        columns = {
            f"q{item}": pl.Series(values[:, item].tolist(), dtype=pl.Int64) for item in range(3)
        }
        columns |= {
            "office": pl.Series(rng.choice(["a", "b"], 18)),
            "pay": pl.Series(rng.integers(1, 4, 18)),
        }
        kept = [name for name in columns if name != "office" or quasi]
        frame = pl.DataFrame(
            {"id": [f"r{one}" for one in range(18)], **{one: columns[one] for one in kept}}
        )
        roles = {
            "id": "id",
            "ratings": ["q0", "q1", "q2"],
            "sensitive": ["pay"],
            "quasi": list(quasi),
        }
        table = read(frame, scale=(1, 5), **roles)
        near = near_groups(table, 3, 2, withhold_at_most=1.0)
        who = np.flatnonzero(near.labels >= 0)
        bound = of_groups(near.groups.count, len(who)).high
        drawn = exchange(table, near.groups, bits_of(np.random.default_rng(place))).table
        names = tuple(drawn.record_ids.to_list())
        beyond.append(re_identified(table.take(who), drawn, Key(names, names)) - bound)
    assert np.mean(beyond) <= 3 * np.std(beyond) / math.sqrt(len(beyond)) + ROUNDING


@pytest.mark.parametrize("rate", [0.07, 0.11])
def test_the_sequential_attack_is_seldom_on_the_wrong_side(rate):
    made, wrong = SimpleNamespace(kept=np.arange(50_000)), 0
    rng = np.random.default_rng(1)

    def simulated(label, _attack):
        if label == "strongest":  # says nothing here
            return [{"low": 0.0, "high": 0.0, "of": 0}]
        of = np.diff([0, *STEPS])[STEPS.index(int(label.split()[1]))]
        return [{"algorithm": "one", "count": float(rng.binomial(of, rate)), "of": int(of)}]

    for _ in range(200 * DEPTH):
        found = measured(
            None, made, 0.09, seed=0, resources=Resources(1), keep=simulated, originals={}
        )
        wrong += found.keeps(0.09) if rate > 0.09 else found.exceeds(0.09)
    assert wrong <= 0.05 * 200 * DEPTH


def test_of_everybody_the_attack_is_exact():
    table = build([[1, 1], [1, 1], [2, 5], [5, 2]] * 2, scale=(1, 5))
    made = make(table, "suppress", Target(k=2, epsilon=0.0), 0, Resources(1)).release
    found = measured(
        table,
        made,
        0.09,
        seed=0,
        resources=Resources(1),
        keep=lambda _, attack: attack(),
        originals={},
    )
    assert found.low == found.high == 3 / 8
    assert (found.by, found.targets) == ("measured", 8)
