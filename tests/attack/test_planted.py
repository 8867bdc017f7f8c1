"""Planted cases whose answers are known, one for each rule of the algorithms [NS08, §4-5]."""

import math

import numpy as np
import pytest
from attack.attack_tables import auxiliary, dated_table

from ratingpriv.attack import scoreboard, scoreboard_rh
from ratingpriv.base.compute.resources import Resources

pytestmark = pytest.mark.small
LN2 = math.log(2)


def attacked(records, known, own, algorithm=scoreboard_rh, *, absent=False, issues=8, **options):
    table = dated_table(records, issues=issues)
    return algorithm(
        table, auxiliary([known], [own], absent=absent), resources=Resources(1), **options
    )


def test_one_rare_item_gives_its_owner_away():
    records = [{0: (3, None)} for _ in range(50)]
    records[17] = {0: (3, None), 1: (5, None)}
    found = attacked(records, {0: (3, None), 1: (5, None)}, 17)
    assert found.best[0] == 17
    assert found.score_true[0] == pytest.approx(1 / math.log(50) + 1 / LN2)
    # 49 equal scores and one that is 1/ln 2 above: σ = sqrt(1/50 · 49/50) / ln 2
    assert found.eccentricity[0] == pytest.approx(1 / math.sqrt(1 / 50 * 49 / 50))
    x = 1 / math.sqrt(1 / 50 * 49 / 50)
    assert found.entropy_bits[0] == pytest.approx(math.log2(1 + 49 * math.exp(-x)))


def crowd_and_target():
    """100 records that rate issues 0..7 now and then, and record 0,
    who rates all of them with 5.
    """
    rng = np.random.default_rng(3)
    crowd = [
        {
            int(i): (int(rng.integers(1, 6)), 12_000 + int(rng.integers(0, 900)))
            for i in rng.permutation(8)[:3]
        }
        for _ in range(100)
    ]
    return [{i: (5, 12_000 + 10 * i) for i in range(8)}, *crowd]


def test_two_wrong_of_eight_do_not_save_the_target():
    records = crowd_and_target()
    right = dict(records[0])
    wrong = {**right, 2: (1, 12_700), 6: (1, 12_800)}
    for known in (right, wrong):
        assert attacked(records, known, 0).best[0] == 0
        assert attacked(records, known, 0, dates=False).best[0] == 0
    # the simple algorithm is defeated by a single wrong rating
    assert attacked(records, right, 0, scoreboard).best[0] == 0
    simple = attacked(records, wrong, 0, scoreboard)
    assert (simple.best[0], simple.matching[0]) == (-1, 0)
    assert simple.entropy_bits[0] == simple.shannon_bits[0] == math.log2(101)


def test_dates_off_by_14_days_still_tell():
    """All ratings are equal: without dates nobody stands out;
    with dates 14 days off the target does.
    """
    records = [{0: (4, 12_000 + 200 * r), 1: (4, 12_000 + 200 * r)} for r in range(20)]
    known = {0: (4, 12_000 + 1400 + 14), 1: (4, 12_000 + 1400 - 14)}
    assert attacked(records, known, 7, dates=False).eccentricity[0] == 0
    found = attacked(records, known, 7)
    assert found.best[0] == 7
    weight = 1 / math.log(20)
    assert found.score_true[0] == pytest.approx(2 * weight * (1 + math.exp(-14 / 30)))
    second = 2 * weight + weight * (math.exp(-186 / 30) + math.exp(-214 / 30))
    assert found.scores[0, 1] == pytest.approx(second)
    assert attacked(records, known, 7, scoreboard, date_tolerance=14).best[0] == 7
    assert attacked(records, known, 7, scoreboard, date_tolerance=13).matching[0] == 0
    assert attacked(records, known, 7, scoreboard).matching[0] == 20


def test_instants_exactly_as_far_apart_as_allowed_are_similar():
    # in 2014, float64 takes some such differences for more than 3 days
    times = range(1_415_404_800, 1_415_404_812)
    assert any((time + 3 * 86_400) / 86_400 - time / 86_400 > 3 for time in times)
    for time in times:
        table = dated_table([{0: (1, time / 86_400)}, {0: (2, time / 86_400)}], stamps="seconds")
        known = auxiliary([{0: (1, (time + 3 * 86_400) / 86_400)}], [0])
        assert scoreboard(table, known, date_tolerance=3, resources=Resources(1)).best[0] == 0
        assert (
            scoreboard(table, known, date_tolerance=2.99999, resources=Resources(1)).best[0] == -1
        )


def test_an_eccentricity_of_phi_is_a_match():
    records = [{0: (3, None)} for _ in range(50)]
    records[17] = {0: (3, None), 1: (5, None)}
    known = {0: (3, None), 1: (5, None)}
    reached = float(attacked(records, known, 17).eccentricity[0])
    assert attacked(records, known, 17, phi=reached).best[0] == 17
    assert attacked(records, known, 17, phi=reached * (1 + 1e-9)).best[0] == -1


def test_scores_too_small_for_their_squares_are_still_told_apart():
    # without a perfect rating all terms are e^-1000000·..., far below what a square can hold
    records = [{0: (1, None)}, {0: (2, None)}, {0: (3, None)}, {1: (1, None)}]
    found = attacked(records, {0: (1.5, None)}, 0, rho0=0.5 / 600, phi=0)
    assert 0 < found.score_true[0] < 1e-200
    assert found.eccentricity[0] == 0  # records 0 and 1 are equally far
    found = attacked(records, {0: (1.4, None)}, 0, rho0=0.4 / 600, phi=0)
    assert found.best[0] == 0
    assert found.eccentricity[0] == pytest.approx(1 / math.sqrt(1 / 4 * 3 / 4))


def test_a_decimal_tolerance_is_a_decimal():
    table = dated_table([{0: (0.8, None)}, {0: (0.3, None)}], stamps="none")
    for known, tolerance, match in ((0.6, 0.2, 0), (0.6, 0.1, -1), (0.1, 0.2, 1), (0.55, 0.25, -1)):
        found = scoreboard(table, auxiliary([{0: (known, None)}], [0]), rating_tolerance=tolerance)
        assert found.best[0] == match
    assert found.matching[0] == 2  # 0.55 is exactly 0.25 from both
