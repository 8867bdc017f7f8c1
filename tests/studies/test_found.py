"""Bounds on who is re-identified, against the product's own attack and against the definition."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from properties.strategies import mixed_tables, tables

from ratingpriv import anonymize, attack
from ratingpriv.attack import whole_record
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, TargetNotReachedError
from ratingpriv.base.target import Target
from ratingpriv.partition.distortion.pairing import positions_in_release
from ratingpriv.partition.near.near import near_groups
from ratingpriv.proximity.cores import Levels, equal_rows
from ratingpriv.studies.candidates import exchanged, make
from ratingpriv.studies.found import STEPS, measured, of_groups, of_modified, of_release, of_withheld

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
    """The share that an adversary finds who knows all but the sensitive columns: 1 of each class."""
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
    """Of each class of equal records one is found, but for those that somebody from outside joins."""
    made = released(table, "modify", k=k, epsilon=epsilon)
    assume(made.table.n_records == table.n_records)
    found = of_modified(Levels.at(table, epsilon, most=4), equal_rows(table), k)
    assert re_identified(table, made.table, made.key_of(table)) >= found.low - ROUNDING


@given(
    table=tables(16, 3, 1), k=st.integers(2, 3), epsilon=st.sampled_from([1, 2, 5]), seed=st.integers(0, 9)
)
@settings(max_examples=25 * DEPTH, deadline=None)
def test_a_swap_gives_away_at_most_its_groups(table, k, epsilon, seed):
    assume(table.n_records >= 2 * k)
    near = near_groups(table, k, epsilon, withhold_at_most=1.0)
    kept = np.flatnonzero(near.labels >= 0)
    assume(len(kept))
    groups = near.labels[kept]
    drawn = exchanged(table.take(kept), groups, np.random.default_rng(seed))
    found = of_groups(near.groups.count, len(kept))
    assert found.high <= 1 / k
    for group in np.unique(groups):  # each item's answers of a group are those that it had
        of = np.flatnonzero(groups == group)
        before, after = table.take(kept[of]), drawn.take(of)
        for item in range(table.n_issues):
            has = [sorted(one.levels[one.codes[one.indices == item]].tolist()) for one in (before, after)]
            assert has[0] == has[1]


def test_the_groups_hold_against_the_attack_on_average():
    """Over draws: no attack by all answers finds more than one of each group."""
    rng = np.random.default_rng(0)
    table = build(rng.integers(1, 6, (24, 4)).tolist(), scale=(1, 5))
    near = near_groups(table, 3, 4)
    assert near.left_out == 0
    key = "ids"
    rates = [
        re_identified(table, exchanged(table, near.labels, np.random.default_rng(seed)), key)
        for seed in range(5)
    ]
    bound = of_groups(near.groups.count, 24).high
    assert np.mean(rates) <= bound + 3 * np.std(rates) / math.sqrt(len(rates)) + ROUNDING


@pytest.mark.parametrize("rate", [0.07, 0.11])
def test_the_sequential_attack_is_seldom_on_the_wrong_side(rate):
    made, wrong = SimpleNamespace(kept=np.arange(50_000)), 0
    rng = np.random.default_rng(1)

    def simulated(label, _attack):
        if label == "strongest":  # says nothing here
            return [{"low": 0.0, "high": 0.0, "of": 0}]
        of = np.diff([0, *STEPS])[STEPS.index(int(label.split()[1]))]
        return [{"algorithm": "one", "count": float(rng.binomial(of, rate)), "of": int(of)}]

    for _ in range(150 * DEPTH):
        found = measured(None, made, 0.09, seed=0, resources=Resources(1), keep=simulated)
        wrong += found.keeps(0.09) if rate > 0.09 else found.exceeds(0.09)
    assert wrong <= 0.05 * 150 * DEPTH


def test_of_everybody_the_attack_is_exact():
    table = build([[1, 1], [1, 1], [2, 5], [5, 2]] * 2, scale=(1, 5))
    made = make(table, "suppress", Target(k=2, epsilon=0.0), 0, Resources(1)).release
    found = measured(table, made, 0.09, seed=0, resources=Resources(1), keep=lambda _, attack: attack())
    assert found.low == found.high == 3 / 8
    assert (found.by, found.targets) == ("measured", 8)
