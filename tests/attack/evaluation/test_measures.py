"""Measures: planted answers, and every number again from the rows of the targets."""

import json
import math

import numpy as np
import pytest

from ratingpriv.attack import Judging
from ratingpriv.attack.algorithms.attacked import Attacked
from ratingpriv.attack.evaluation.learning import Learned
from ratingpriv.attack.evaluation.measures import Tradeoff, measure

NAN = math.nan


def answers(best, *, bits=None, eccentricity=None, better=None, tied=None, candidate=None):
    """Answers to as many targets, with what is not given unremarkable."""
    count = len(best)
    zeros = np.zeros(count)

    def column(values, otherwise=0.0, kind=np.float64):
        return (
            np.full(count, otherwise, dtype=kind)
            if values is None
            else np.array(values, dtype=kind)
        )

    return Attacked(
        best=np.array(best, dtype=np.int64),
        best_candidate=np.array(best if candidate is None else candidate, dtype=np.int64),
        matching=(np.array(best) >= 0).astype(np.int64),
        eccentricity=column(eccentricity, NAN),
        n_candidates=np.full(count, 16),
        score_true=zeros,
        better=column(better),
        tied=column(tied),
        entropy_bits=column(bits),
        shannon_bits=zeros,
        candidates=np.full((count, 1), -1),
        scores=np.zeros((count, 1)),
        probabilities=np.zeros((count, 1)),
        algorithm="scoreboard-rh",
        parameters={},
    )


TRUE = np.array([0, 1, 2, 3])
SIMILAR = Judging(theta=0.5)


def learned(flags, disclosed=None):
    """What the candidates give away: who is similar, and whose profile, and ratings,
    are disclosed.
    """
    disclosed = flags if disclosed is None else disclosed
    return Learned(
        disclosed, ~disclosed, np.ones(len(flags), dtype=bool), flags.astype(float), None
    )


@pytest.mark.small
def test_right_wrong_and_none():
    found = measure(answers([0, 1, 7, -1]), TRUE, records=16)
    assert (found.success.count, found.wrong_match.count, found.no_match.count, found.targets) == (
        2,
        1,
        1,
        4,
    )
    assert (found.success.rate, found.baseline, found.lift) == (0.5, 1 / 16, 8)
    assert found.false_positive.rate is None
    assert (found.false_positive.low, found.false_positive.high) == (0, 1)


@pytest.mark.small
def test_a_target_that_is_not_there_is_never_found():
    true = np.array([0, -1, -1, 3])
    open_ended = measure(answers([0, 5, -1, 3]), true, records=16)
    # nobody knows what is right for -1
    assert (open_ended.targets, open_ended.success.count) == (2, 2)
    withheld = measure(answers([0, 5, -1, 3]), true, records=16, judged=np.ones(4, dtype=bool))
    assert (withheld.targets, withheld.success.count, withheld.wrong_match.count) == (4, 2, 1)
    assert withheld.no_match.count == 1


@pytest.mark.small
def test_risk_is_the_probability_of_the_true_record():
    found = measure(answers([-1] * 4, bits=[0, 1, 2, NAN]), TRUE, records=16)
    assert found.expected_risk.rate == pytest.approx((1 + 1 / 2 + 1 / 4 + 0) / 4)
    assert found.worst_risk == 1
    assert (found.entropy_bits.median, found.entropy_bits.of, found.entropy_bits.prior) == (1, 3, 4)
    assert (found.entropy_bits.lower_quartile, found.entropy_bits.upper_quartile) == (0.5, 1.5)
    impossible = measure(answers([-1], bits=[math.inf]), np.array([0]), records=16)
    assert (impossible.entropy_bits.median, impossible.expected_risk.rate) == (4, 0)  # all the bits


@pytest.mark.small
def test_lineups_break_ties_at_random():
    found = measure(answers([-1] * 4, better=[0, 0, 4, 9], tied=[0, 3, 1, 0]), TRUE, records=16)
    assert found.top[1].rate == pytest.approx((1 + 1 / 4 + 0 + 0) / 4)
    assert found.top[5].rate == pytest.approx((1 + 1 + 1 / 2 + 0) / 4)
    assert found.top[10].rate == 1


@pytest.mark.small
def test_nothing_measured_is_not_safe():
    found = measure(answers([]), np.array([], dtype=np.int64), records=16)
    assert not found.measured
    assert (found.success.rate, found.success.high, found.lift, found.worst_risk) == (
        None,
        1,
        None,
        None,
    )
    assert (found.entropy_bits.median, found.entropy_bits.of) == (None, 0)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.small
def test_a_table_of_nobody_has_no_baseline():
    found = measure(answers([-1]), np.array([-1]), records=0, judged=np.array([True]))
    assert (found.baseline, found.lift, found.success.rate) == (0, None, 0)
    assert found.entropy_bits.prior == 0


@pytest.mark.small
def test_only_those_judged_are_counted():
    """The third target is left out of everything, the fourth is not in the table, and judged."""
    flags = np.array([True, False, True, False])
    found = measure(
        answers(
            [0, 7, 2, -1], bits=[1, 2, 0, 0], eccentricity=[2, 1, 4, 0.5], candidate=[0, 7, 2, 5]
        ),
        np.array([0, 1, 2, -1]),
        records=16,
        judged=np.array([True, True, False, True]),
        absent=answers([-1, 4, 4, 4], eccentricity=[1, 2, 4, 0]),
        learned=learned(flags),
        judging=SIMILAR,
    )
    assert (found.targets, found.success.count, found.wrong_match.count, found.no_match.count) == (
        3,
        1,
        1,
        1,
    )
    assert (found.false_positive.count, found.false_positive.of) == (2, 3)
    assert (found.both_right.count, found.both_right.of) == (1, 3)
    assert (found.profile.count, found.rating_profile.count, found.similar.count) == (1, 2, 1)
    assert found.top[1].rate == pytest.approx(2 / 3)  # nobody is in a lineup who is not there
    assert found.expected_risk.rate == pytest.approx((1 / 2 + 1 / 4) / 3)
    assert found.worst_risk == 0.5
    assert (found.entropy_bits.of, found.entropy_bits.mean) == (2, 1.5)
    assert found.tradeoff.threshold.tolist() == [0.5, 1, 2]
    assert found.tradeoff.precision.tolist() == pytest.approx([1 / 3, 1 / 2, 1])
    assert found.tradeoff.recall.tolist() == pytest.approx([1 / 3] * 3)
    assert found.tradeoff.false_positive.tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 3])


@pytest.mark.small
def test_a_true_record_without_a_rank_is_in_no_lineup():
    found = measure(answers([-1] * 2, better=[NAN, 0], tied=[NAN, 0]), np.array([0, 1]), records=16)
    assert {number: mean.rate for number, mean in found.top.items()} == {1: 0.5, 5: 0.5, 10: 0.5}


def thresholds(recall, false_positive):
    """A tradeoff of the thresholds 1, 2, ...; each half as precise as the one before."""
    threshold = np.arange(1.0, len(recall) + 1)
    return Tradeoff(
        threshold, 0.5**threshold, np.array(recall, float), np.array(false_positive, float)
    )


@pytest.mark.small
@pytest.mark.parametrize(
    ("recall", "false_positive", "expected"),
    [
        ([1, 0.75, 0.5], [1, 0.5, 0], (2, 0.5)),  # errors of 0 and 1, 1/4 and 1/2, 1/2 and 0
        # 1/4 and 0, 3/4 and 1/2: the lower of equally good ones
        ([0.75, 0.25], [0, 0.5], (1, 0.25)),
        ([0.75, 0.25], [NAN, 0.5], None),
        ([0.75, 0.25], [NAN, NAN], None),
        ([], [], None),
    ],
)
def test_where_both_errors_are_nearest_to_equal(recall, false_positive, expected):
    assert thresholds(recall, false_positive).equal_error == expected


@pytest.mark.small
def test_rows_are_spread_evenly():
    found = thresholds(np.full(22, 0.5), [0.25] * 21 + [NAN])
    assert [row["threshold"] for row in found.rows(4)] == [1, 8, 15, 22]
    assert len(found.rows()) == 21
    assert len(found.rows(22)) == len(found.rows(50)) == 22
    assert found.rows(22)[20:] == (
        {"threshold": 21, "precision": 0.5**21, "recall": 0.5, "false_positive": 0.25},
        {"threshold": 22, "precision": 0.5**22, "recall": 0.5, "false_positive": None},
    )
