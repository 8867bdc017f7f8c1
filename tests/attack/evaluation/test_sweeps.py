"""Sweeps: every combination, the same as single attacks, and the shapes of the paper's figures."""

from __future__ import annotations

import pytest
from attack.attack_tables import run
from attack.planting import crowd

from ratingpriv.attack import Knowledge
from ratingpriv.attack.evaluation.sweeps import VARIED, sweep
from ratingpriv.base.errors import ParameterError

RH = {"scoreboard-rh": {}}


def test_every_point_is_the_attack_of_its_own():
    table = crowd(70, 25)
    found = sweep(
        table, Knowledge(targets=40), {"known": (2, 4), "date_error": (None, 3)}, rng=3, algorithms=RH
    )
    assert found.varied == ("known", "date_error")
    assert [(p.setting["known"], p.setting["date_error"]) for p in found.points] == [
        (2, None), (2, 3), (4, None), (4, 3),
    ]  # fmt: skip
    for point in found.points:
        alone = run(table, **point.setting, rng=3, targets=40)
        assert point.measures.to_dict() == alone.measures.to_dict()
        assert point.could_not_attack == alone.could_not_attack
    assert found.measured
    assert found.seed == 3


def test_more_wrong_than_known_is_left_out():
    found = sweep(crowd(30, 20), Knowledge(), {"known": (1, 2, 3), "wrong": (0, 2)})
    assert [(p.setting["known"], p.setting["wrong"]) for p in found.points] == [
        (1, 0), (2, 0), (2, 2), (3, 0), (3, 2),
    ]  # fmt: skip
    with pytest.raises(ParameterError):
        sweep(crowd(30, 20), Knowledge(known=1), {"wrong": (2, 3)})


def test_curves():
    found = sweep(crowd(30, 20), Knowledge(), {"known": (1, 2), "rating_error": (0, 1)})
    curves = list(found.series("known"))
    assert [others for others, _ in curves] == [{"rating_error": 0}, {"rating_error": 1}]
    assert [[p.setting["known"] for p in points] for _, points in curves] == [[1, 2], [1, 2]]


def test_rows_tell_settings_and_measures():
    (row,) = sweep(crowd(30, 20), Knowledge(known=3), {}).to_dicts()
    assert [row[name] for name in VARIED] == [3, 0, 0, 0.0, None, "uniform", None]
    assert row["targets"] + row["could_not_attack"] == 30
    assert set(row) > {"success", "false_positive", "no_match", "entropy_bits", "expected_risk"}


def test_a_point_that_could_not_be_measured_shows():
    found = sweep(crowd(30, 8), Knowledge(), {"known": (2, 9)})
    assert not found.measured
    assert found.points[1].measures.success.rate is None
    assert found.points[1].could_not_attack == 30
