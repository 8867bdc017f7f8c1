"""A report's documents from Python: what is measured, what is taken from saved results, what is refused."""

import json

import pytest

import ratingpriv
from ratingpriv.audit.result import AuditParameters
from ratingpriv.base.errors import ParameterError
from ratingpriv.report.overview import Measuring, report, report_html
from ratingpriv.report.overview.measuring import target_of

TARGET = AuditParameters(k=3, epsilon=1.2)
QUICK = ("exposure", "attack", "utility")


def test_parts_are_measured_and_a_page_is_made_of_them(people, no_pictures):
    notes = []
    how = Measuring(skip=QUICK, named=2, note=notes.append)
    settings = {"id": "who", "sensitive": ["pay"]}
    table, released = (ratingpriv.RatingTable.from_wide(one, **settings) for one in (people, people[:50]))
    documents = report(table, released, target=TARGET, measuring=how)
    assert list(documents) == ["audit", "audit_release", "frontier"]
    assert documents["audit"] == {**ratingpriv.audit(table, k=3, epsilon=1.2).to_dict(2), "accepted": []}
    assert [note[:14] for note in notes] == [f"report: {place} of 3" for place in (1, 2, 3)]
    assert "No release was given" not in report_html(documents)


def test_what_was_saved_is_taken_and_says_the_target(tmp_path, people):
    (tmp_path / "s.csv").write_text(people.write_csv(), encoding="utf-8")
    table = ratingpriv.read(tmp_path / "s.csv", id="who", sensitive=["pay"])
    saved = ratingpriv.audit(table, k=4, epsilon=1.2).to_dict()
    (tmp_path / "a.json").write_text(json.dumps(saved), encoding="utf-8")
    found = report(
        table, saved=[str(tmp_path / "a.json")], accept=["k-asks-nothing"], measuring=Measuring(skip=QUICK)
    )
    assert found["audit"] == {**json.loads(json.dumps(saved)), "accepted": ["k-asks-nothing"]}
    assert found["frontier"]["parameters"]["k"] == 4
    assert target_of(found).k == 4
    with pytest.raises(ParameterError, match="that of the saved audit, 4"):
        target_of(found, k=3)
    with pytest.raises(ParameterError, match="epsilon"):
        target_of({}, k=3)
    with pytest.raises(ParameterError, match="no audit"):
        report(saved=[])
