"""What was not measured is no 0 in a picture, and no good news in its title."""

from __future__ import annotations

import pytest

from ratingpriv.base.errors import ParameterError
from ratingpriv.report.pictures import caption, finding, kinds, svg

NOTHING = "nothing was measured"


def measures_of(found):
    return [one for one in found.values() if isinstance(one, dict) and "worthless" in one]


def test_a_utility_without_a_value(document):
    found = document("utility")
    for one in measures_of(found):
        one["value"] = None
    assert finding(found, "utility") == "Nothing was measured"
    assert NOTHING in svg(found, kind="utility")
    assert "Not measured: " in caption(found, "utility")


def test_a_utility_of_one_measure_and_one_without_references(document):
    found = document("utility")
    for one in measures_of(found):
        one["original"] = None
    found["bias"]["value"] = None
    found["information_loss"].update(value=0.1, original=0.0, worthless=1.0)
    assert finding(found, "utility") == "The measure is nearer to the original"
    found["information_loss"]["value"] = 0.9
    assert finding(found, "utility") == "The measure is nearer to a worthless release"
    assert "No place, as original and worthless are equal or not known" in caption(found, "utility")
    assert "<svg" in svg(found, kind="utility")


def test_questions_and_loss_that_were_not_taken(document):
    found = document("utility")
    found["questions"]["questions"] = []
    with pytest.raises(ParameterError, match="questions was not taken"):
        svg(found, kind="questions")
    found["information_loss"] = None
    with pytest.raises(ParameterError, match="information loss was not measured"):
        svg(found, kind="loss")
    assert kinds(found) == ("utility",)


def test_a_sweep_without_a_rate(document):
    found = document("attack")
    for row in found["sweep"]:
        row["success"]["rate"] = None
    assert finding(found, "sweep") == "Nothing was measured: that is not safe"
    assert NOTHING in svg(found, kind="sweep")
    assert f"Not drawn: {len(found['sweep'])} settings" in caption(found, "sweep")
