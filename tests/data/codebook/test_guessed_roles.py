"""Columns that are quasi-identifiers on nobody's word, which every result says."""

from __future__ import annotations

import pytest

import ratingpriv
from ratingpriv.anonymize import modify, suppress
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release

ROWS = "record,q1,q2,gender,age group\n" + "".join(
    f"r{i},{i % 5 + 1},{i % 3 + 1},{i % 2 + 1},{i % 4 + 1}\n" for i in range(60)
)


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text(ROWS)
    return path


def guessed(result):
    return [caution.message for caution in result.cautions if caution.code == "roles-guessed"]


def test_an_attribute_that_nobody_named_is_said(survey):
    table = ratingpriv.read(survey)
    assert table.guessed == ("gender", "age group")
    (message,) = guessed(ratingpriv.audit(table, k=2, epsilon=1))
    assert message.startswith("'gender', 'age group': taken for quasi-identifiers and compared as equal")
    assert table.issues == ("q1", "q2")
    (findings,) = [ratingpriv.attack(table, targets=5)]
    assert "roles-guessed" in str(findings.to_dict()["cautions"])


@pytest.mark.parametrize(
    "said",
    [{"quasi": ("gender", "age group")}, {"ratings": ("gender", "age group")}, {"drop": ("gender", "age*")}],
)
def test_a_word_settles_it(survey, said):
    assert not guessed(ratingpriv.audit(ratingpriv.read(survey, **said), k=2, epsilon=1))


def test_what_is_named_or_left_out_is_not_guessed(survey):
    assert ratingpriv.read(survey).select_issues("q1").guessed == ("gender", "age group")
    assert ratingpriv.read(survey, only=("q1", "q2")).guessed == ()
    named = ratingpriv.read(survey, only=("q1", "gender"))
    assert (named.issues, named.guessed) == (("q1", "gender"), ())


@pytest.mark.parametrize("method", [suppress, modify])
def test_a_release_says_it_too(survey, tmp_path, method):
    """In the file that is read again roles are the manifest's word, and nothing is guessed."""
    made = method(ratingpriv.read(survey), k=2, epsilon=1)
    release = write_release(made, tmp_path / "release.csv")
    assert not guessed(release.audit)
    (message,) = [one["message"] for one in release.to_dict()["cautions"] if one["code"] == "roles-guessed"]
    assert message in release.warnings
    assert verify(release.path).valid
