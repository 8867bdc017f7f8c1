"""Experiments: the draw, the algorithm and the judgement together; what must be said; laws."""

import numpy as np
import pytest
from attack.attack_tables import draw, run
from attack.planting import crowd, long_table

from ratingpriv.attack.algorithms.algorithm import ALGORITHMS, OPTIONS
from ratingpriv.attack.algorithms.methods import options_of
from ratingpriv.attack.evaluation.experiments import experiment
from ratingpriv.base.errors import ParameterError


def test_targets_that_cannot_be_attacked_are_in_no_rate():
    rows = [
        (f"r{i}", f"i{j}", 1 + (i * j) % 5, 0) for i in range(30) for j in range(3 if i < 10 else 8)
    ]
    found = run(long_table(rows), known=5)
    assert (found.could_not_attack, found.measures.targets, found.measures.success.of) == (
        10,
        20,
        20,
    )
    assert any("not attacked: 10 of 30 targets" in warning for warning in found.warnings)
    assert "targets-not-attacked" in [caution.code for caution in found.cautions]
    assert found.to_dict()["reasons"] == {"fewer than 5 ratings": 10}
    with pytest.raises(ParameterError, match="fewer"):
        run(long_table(rows), known=5, short="refuse")


def test_nobody_that_can_be_attacked_is_not_safe():
    found = run(crowd(20, 10), known=11)
    assert found.measures.success.rate is None
    assert found.exceeds(1.0)
    assert any("says nothing about how safe" in warning for warning in found.warnings)
    assert found.cautions[0].code == "not-measured"


def test_the_gate_is_the_upper_end():
    found = run(crowd(60, 20), known=3)
    success, profile = found.measures.success, found.measures.profile
    # a profile is disclosed whether or not the record stands out
    assert success.high < profile.high
    assert not found.exceeds(profile.high)
    assert found.exceeds(profile.high - 1e-9)
    assert success.rate < success.high


def test_what_must_be_said():
    table = crowd(40, 20)
    unused = experiment(table.replace(timestamps=None), draw(table, known=3, date_error=3, rng=0))
    for found, words, code in (
        (run(table, known=3), "the adversary was given none", "dates-not-known"),
        (run(crowd(40, 20, 0.6), known=3), "Only 40 targets", "few-targets"),
        (run(crowd(1, 20), known=2), "one record only", "single-record"),
        (unused, "were not used", "dates-not-used"),
    ):
        assert any(words in caution.message for caution in found.cautions if caution.code == code)
    assert run(crowd(120, 20, 0.6), known=3, date_error=3).warnings == ()


def test_scoreboards_tolerances_are_the_errors():
    asked = {"known": 4, "rating_error": 1, "date_error": 14, "algorithm": "scoreboard"}
    found = run(crowd(60, 20), **asked)
    assert found.parameters["rating_tolerance"] == 1
    assert found.parameters["date_tolerance"] == 14
    assert found.measures.top[1].rate > 0.5
    assert np.all(found.attacked.matching >= 1)  # the true record always agrees
    strict = run(crowd(60, 20), **asked, options={"rating_tolerance": 0})
    assert not np.all(strict.attacked.matching >= 1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_options_of_another_algorithm_are_refused(algorithm):
    assert options_of(
        algorithm, {name: name == "dates" or 0.5 for name in ALGORITHMS[algorithm].options}
    )
    for name in OPTIONS.keys() - set(ALGORITHMS[algorithm].options):
        with pytest.raises(ParameterError, match=f"option of {algorithm}"):
            options_of(algorithm, {name: 1})


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_values_of_options_that_are_never_right_are_refused_without_data(name):
    algorithm = next(one for one in ALGORITHMS if name in ALGORITHMS[one].options)
    with pytest.raises(ParameterError, match=f"^{name}: found"):
        options_of(algorithm, {name: -1})


def test_memory_and_threads_change_nothing():
    table = crowd(80, 20)
    plain = run(table, known=4).to_dict(per_target=True)
    assert run(table, known=4, threads=1, memory=1).to_dict(per_target=True) == plain
    assert run(table, known=4, threads=2).to_dict(per_target=True) == plain
