"""Recommendations: rows are what the commands give, fronts what they say; resumption changes nothing."""

import numpy as np
import polars as pl
import pytest

import ratingpriv
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.recommend import SuppressionStep as Step
from ratingpriv.report.pages import page_of
from ratingpriv.report.text import render
from ratingpriv.studies import measuring
from ratingpriv.studies.measuring import Measurer
from ratingpriv.studies.recommend import FRONT


def survey(n=24, seed=1):
    values = np.random.default_rng(seed).integers(2, 5, (n, 3))
    values[0] = (5, 1, 5)  # nobody is near
    frame = pl.DataFrame({"id": list(range(n)), **{f"q{j}": values[:, j] for j in range(3)}})
    return RatingTable.from_wide(frame, id="id", scale=(1, 5))


@pytest.fixture(scope="module")
def found():
    return ratingpriv.recommend(survey(), k=[3, 4], epsilon=[1, 4], method=["modify", "suppress"], threads=1)


def test_the_rows_are_what_the_library_gives(found):
    table = survey()
    assert [(one.method, one.k, one.epsilon) for one in found.options] == [
        ("modify", 3, 1.0), ("modify", 4, 1.0), ("suppress", 3, 1.0), ("suppress", 4, 1.0),
    ]  # fmt: skip
    for one in found.options[2:]:
        made = ratingpriv.anonymize(table, "suppress", k=one.k, epsilon=1)
        exposed = ratingpriv.exposure(made.table, error=1)
        assert one.value("max_k") == made.audit.k_epsilon.max_k >= one.k
        assert one.value("records_suppressed") == made.distortion.records_withheld
        assert one.value("ratings_kept") == 1 - made.distortion.ratings_withheld / made.distortion.ratings
        assert one.value("exposure_worst") == exposed.worst
        assert one.value("exposure_expected") == pytest.approx(exposed.expected)
    for one in found.options:
        assert one.value("max_k") >= one.k
        assert one.measures["attack_success"]["low"] <= one.value("attack_success")


def test_the_front_by_brute_force(found):
    assert [front.epsilon for front in found.fronts] == [1.0]
    columns = found.fronts[0].columns
    better = dict(FRONT)

    def beats(one, other):
        signs = {name: 1 if better[name] == "less" else -1 for name in columns}
        pairs = [(sign * one.value(name), sign * other.value(name)) for name, sign in signs.items()]
        return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)

    for one in found.options:
        assert one.front is not any(beats(other, one) for other in found.options)


def test_an_epsilon_that_protects_nothing_has_a_reason(found):
    reasons = {one.epsilon: one.reason for one in found.epsilons}
    assert reasons[1.0] == ""
    assert "no protection" in reasons[4.0]


def test_an_epsilon_between_two_distances_is_the_smaller_one():
    result = ratingpriv.recommend(survey(), k=2, epsilon=[1, 1.5], method="suppress", threads=1)
    assert {one.epsilon: one.reason for one in result.epsilons}[1.5].startswith("the same as epsilon 1")
    assert {one.epsilon for one in result.options} == {1.0}


def test_a_knee_is_a_row_and_a_sentence():
    values = [[5, 5], *[[1, 1]] * 20, *[[1, 2]] * 20]
    table = RatingTable.from_wide(pl.DataFrame(values, schema=["a", "b"], orient="row"), scale=(1, 5))
    result = ratingpriv.recommend(table, epsilon=1, method="suppress", threads=1)
    assert result.suppression[0].knees == [Step(40, 1)]
    assert [one.k for one in result.options] == [5, 10, 20, 40]
    assert [one.value("records_suppressed") for one in result.options] == [1] * 4
    shown = " ".join(render(page_of(result)).split())
    assert "Suppress 1 record of 41 (2.4 %) and k = 40 at epsilon = 1; as the data are, k = 1." in shown
    assert "Every record has at least 40 records (itself included) within a rating distance of 1." in shown


def test_a_row_that_could_not_be_measured_is_not_on_the_front(monkeypatch):
    attack = Measurer._attack

    def unmeasured(self, made, cell):
        for row in attack(self, made, cell):
            yield row if cell.k == 3 else type(row)(row.measure, attack=row.attack, reason="broken")

    monkeypatch.setitem(measuring._MEASURES, "attack", unmeasured)
    result = ratingpriv.recommend(survey(), k=[3, 4], epsilon=1, method=["modify", "suppress"], threads=1)
    fronts = {(one.method, one.k): one.front for one in result.options}
    assert fronts["modify", 4] is None
    assert fronts["suppress", 4] is None
    assert fronts["suppress", 3] is not None
    assert result.fronts[0].compared == 2


def test_what_cannot_be_made_is_a_row_with_a_reason():
    result = ratingpriv.recommend(survey(), k=[3, 40], epsilon=1, method="suppress", threads=1)
    one = result.options[1]
    assert "k = 40" in one.reason
    assert one.front is None
    assert one.value("max_k") is None


@pytest.mark.parametrize(
    "wrong",
    [{"k": 0}, {"k": []}, {"epsilon": -1}, {"method": "no"}, {"exposure": -1}, {"nulls": "known"}, {"l": 1}],
)
def test_what_may_not_be_asked_for(wrong):
    with pytest.raises(ParameterError):
        ratingpriv.recommend(survey(), **wrong)
