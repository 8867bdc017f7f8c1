"""Several attacks at once: the strongest counts, and what is scored alike is scored once."""

from pathlib import Path

import pytest
from attack.attack_tables import auxiliary, dated_table, run, situations
from attack.planting import crowd
from hypothesis import given
from naive.attack import best_candidate_chance, matching_set_chance

import ratingpriv
from ratingpriv.attack import Drawn, Knowledge, scoreboard, scoreboard_rh, study
from ratingpriv.attack.algorithms.algorithm import ALGORITHMS
from ratingpriv.attack.algorithms.methods import named
from ratingpriv.attack.evaluation.experiments import attack_each, place_of_strongest, sweep
from ratingpriv.base.errors import ParameterError

SURVEY = Path(__file__).parents[3] / "examples" / "survey.csv"


@pytest.fixture(scope="module")
def survey():
    return ratingpriv.read(SURVEY)


def by_name(found):
    return {attack.parameters["algorithm"]: attack for attack in found.attacks}


def test_a_survey_whose_best_candidate_is_right_does_not_pass(survey):
    """The counterexample: Scoreboard-RH finds 1.3 %,
    whoever always names the best candidate 81.4 %.
    """
    found = study(survey, known=6, fail_above=0.05)
    each = by_name(found)
    assert each["scoreboard-rh"].measures.success.high < 0.05
    assert each["best-candidate"].measures.success.rate == pytest.approx(0.8135, abs=1e-4)
    assert found.judged.measures.success.rate == each["best-candidate"].measures.success.rate
    assert found.passed is False
    alone = study(survey, known=6, fail_above=0.05, algorithm="scoreboard-rh")
    assert alone.attack.measures.success.high < 0.05
    # it names hardly anybody, and the records that it puts first are the targets'
    assert alone.passed is False
    assert alone.attack.measures.profile.rate > 0.7


@pytest.mark.small
@given(situations())
def test_the_headline_is_that_of_the_strongest(situation):
    """The law: no attack succeeds more often than the headline says,
    nor reaches above what the gate sees.
    """
    records, targets, known = situation
    table, what = dated_table(records), auxiliary(known, targets)
    attacks = attack_each(table, Drawn(what), {name: {} for name in ALGORITHMS})
    strongest = attacks[place_of_strongest(attacks)].measures.success
    rates = [attack.measures.success for attack in attacks]
    assert all((strongest.rate or 0) >= (share.rate or 0) - 1e-9 for share in rates)
    assert all(strongest.high >= share.high - 1e-9 for share in rates)
    each = dict(zip(ALGORITHMS, rates, strict=True))
    assert (each["best-candidate"].rate or 0) >= (each["entropic"].rate or 0)
    assert (each["best-candidate"].rate or 0) >= (each["scoreboard-rh"].rate or 0)
    assert (each["matching-set"].rate or 0) >= (each["scoreboard"].rate or 0)


@pytest.mark.small
@given(situations())
def test_a_coin_between_equals_is_right_as_often_as_by_definition(situation):
    """Against the naive twins, which score every record by the paper's formulas."""
    records, targets, known = situation
    table, what = dated_table(records), auxiliary(known, targets)
    for name, scored, chance in (
        ("best-candidate", scoreboard_rh, best_candidate_chance),
        ("matching-set", scoreboard, matching_set_chance),
    ):
        answers = named(name, scored(table, what))
        expected = [chance(records, known[t], target) for t, target in enumerate(targets)]
        assert answers.chances(what.targets) == pytest.approx(expected)


def test_scoreboard_fits_the_errors_of_the_draw_and_may_be_the_strongest():
    """±1 on 200 records: all that is within 1 agrees,
    so that the matching set beats the best candidate.
    """
    table = crowd(200, 60, 0.3)
    found = study(table, known=4, rating_error=1)
    each = by_name(found)
    assert each["matching-set"].parameters["rating_tolerance"] == 1
    assert (
        each["matching-set"].measures.success.rate
        > each["best-candidate"].measures.success.rate + 0.1
    )
    assert found.judged.parameters["algorithm"] == "matching-set"


def test_a_release_is_attacked_by_all_and_the_strongest_on_it_counts(survey):
    release = survey.drop(["workload", "pay"])
    found = study(survey, release, truth="ids", known=6, fail_above=0.25)
    assert [pair.before for pair in found.pairs] == list(found.attacks)
    after = {
        pair.after.parameters["algorithm"]: pair.after.measures.success.rate for pair in found.pairs
    }
    assert found.paired.after.measures.success.rate == max(after.values())
    assert found.attack is found.paired.before
    content = found.to_dict()
    assert [row["algorithm"] for row in content["suite"]] == list(ALGORITHMS)
    assert {
        row["algorithm"]: row["release"]["success"]["rate"] for row in content["suite"]
    } == after
    assert content["release"]["success"]["rate"] == max(after.values())
    assert after["scoreboard-rh"] < 0.25 < max(after.values())
    assert found.passed is False
    alone = study(survey, release, truth="ids", known=6, fail_above=0.25, algorithm="scoreboard-rh")
    assert alone.judged.measures.success.high < 0.25 < alone.judged.measures.profile.high
    assert not alone.passed


def test_a_sweep_takes_the_strongest_at_each_point(survey):
    found = study(
        survey, known=2, targets=40, sweep={"known": (2, 6), "rating_error": (0, 1)}, rng=4
    )
    for point in found.sweep:
        every = [
            run(survey, **point.setting, targets=40, rng=4, algorithm=name).measures.success.rate
            for name in ALGORITHMS
        ]
        assert point.measures.success.rate == pytest.approx(max(every))
        assert point.to_dict()["algorithm"] == point.algorithm


def test_nothing_measured_is_not_passed():
    found = study(crowd(5, 6), known=7, fail_above=0.99)
    assert found.passed is False
    assert all(attack.measures.success.rate is None for attack in found.attacks)


@pytest.mark.parametrize("wrong", [{"interval": "wald"}, {"confidence": 1.5}, {"theta": -1.0}])
def test_wrong_judging_is_refused_before_the_attack(survey, wrong):
    steps = []
    with pytest.raises(ParameterError):
        run(survey, targets=5, known=3, progress=lambda *step: steps.append(step), **wrong)
    assert not steps


# ---- sweeps: every combination, the same as single attacks ----

RH = {"scoreboard-rh": {}}


def test_every_point_is_the_attack_of_its_own():
    table = crowd(70, 25)
    found = sweep(
        table,
        Knowledge(targets=40),
        {"known": (2, 4), "date_error": (None, 3)},
        rng=3,
        algorithms=RH,
    )
    assert [(p.setting["known"], p.setting["date_error"]) for p in found] == [
        (2, None), (2, 3), (4, None), (4, 3),
    ]  # fmt: skip
    for point in found:
        alone = run(table, **point.setting, rng=3, targets=40)
        assert point.measures.to_dict() == alone.measures.to_dict()
        assert point.could_not_attack == alone.could_not_attack


def test_more_wrong_than_known_is_left_out():
    found = sweep(crowd(30, 20), Knowledge(), {"known": (1, 2, 3), "wrong": (0, 2)})
    assert [(p.setting["known"], p.setting["wrong"]) for p in found] == [
        (1, 0), (2, 0), (2, 2), (3, 0), (3, 2),
    ]  # fmt: skip
    with pytest.raises(ParameterError):
        sweep(crowd(30, 20), Knowledge(known=1), {"wrong": (2, 3)})


def test_a_point_that_could_not_be_measured_shows():
    found = sweep(crowd(30, 8), Knowledge(), {"known": (2, 9)})
    assert found[1].measures.success.rate is None
    assert found[1].could_not_attack == 30
