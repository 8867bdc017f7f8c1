"""A report's documents from Python: what is measured, what is taken from saved results,
what is refused.
"""

import json

import pytest

import ratingpriv
from ratingpriv.audit.result import AuditParameters
from ratingpriv.base.errors import ParameterError
from ratingpriv.report.overview import Measuring, report, report_html
from ratingpriv.report.overview.measuring import target_of

TARGET = AuditParameters(k=3, epsilon=1.2)
QUICK = ("exposure", "attack", "utility", "recommend")


def test_parts_are_measured_and_a_page_is_made_of_them(people, no_pictures):
    notes = []
    how = Measuring(skip=QUICK, named=2, note=notes.append)
    settings = {"id": "who", "sensitive": ["pay"]}
    table, released = (
        ratingpriv.RatingTable.from_wide(one, **settings) for one in (people, people[:50])
    )
    documents = report(table, released, target=TARGET, measuring=how)
    assert list(documents) == ["audit", "audit_release", "frontier"]
    assert documents["audit"] == {
        **ratingpriv.audit(table, k=3, epsilon=1.2).to_dict(2),
        "accepted": [],
    }
    assert [note[:14] for note in notes] == [f"report: {place} of 3" for place in (1, 2, 3)]
    assert "No release was given" not in report_html(documents)


def test_what_was_saved_is_taken_and_says_the_target(tmp_path, people):
    (tmp_path / "s.csv").write_text(people.write_csv(), encoding="utf-8")
    table = ratingpriv.read(tmp_path / "s.csv", id="who", sensitive=["pay"])
    saved = ratingpriv.audit(table, k=4, epsilon=1.2).to_dict()
    (tmp_path / "a.json").write_text(json.dumps(saved), encoding="utf-8")
    found = report(
        table,
        saved=[str(tmp_path / "a.json")],
        accept=["k-asks-nothing"],
        measuring=Measuring(skip=QUICK),
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


def test_what_may_be_published_is_measured_by_the_rules_of_the_audit(people, monkeypatch):
    asked = {}

    class Found:
        def to_dict(self):
            return {"cautions": []}

    def recommend(table, **rules):
        asked.update(rules, records=table.n_records)
        return Found()

    monkeypatch.setattr("ratingpriv.report.overview.measuring.recommend", recommend)
    notes = []
    for records, demand, skipped, measured in (
        (60, {}, (), True),
        (60, {}, ("recommend",), False),
        (11, {}, (), False),  # of 11 people none may be found
        (60, {"max_share": 0.9}, (), False),  # of which it knows nothing
        (60, {"ratings": 10}, (), False),  # more than it is measured of
    ):
        if demand.pop("ratings", None):
            monkeypatch.setattr("ratingpriv.report.overview.measuring._MOST_RATINGS", 10)
        how = Measuring(skip=(*QUICK[:3], "frontier", *skipped), seed=5, note=notes.append)
        table = ratingpriv.RatingTable.from_wide(people[:records], id="who", sensitive=["pay"])
        target = AuditParameters(
            k=3, epsilon=1.2, l=0.5, nulls="wildcard", sensitive_nulls="ignore", **demand
        )
        documents = report(table, target=target, measuring=how)
        assert ("recommend" in documents) == measured
        if not measured:
            assert "what may be published" in report_html(documents).partition("Not measured")[2]
    why = [note for note in notes if "is not measured" in note]
    assert ["too few" in why[0], "max-share" in why[1], "more than 10 ratings" in why[2]] == [
        True
    ] * 3
    assert (asked["records"], asked["rng"]) == (60, 5)
    assert (asked["l"], asked["nulls"], asked["sensitive_nulls"]) == (0.5, "wildcard", "ignore")


def test_the_first_page_says_what_may_be_published(people):
    table = ratingpriv.RatingTable.from_wide(people, id="who", sensitive=["pay"])
    found = ratingpriv.recommend(table, found_at_most=0.4, method="swap", threads=1)
    documents = {
        "audit": ratingpriv.audit(table, k=3, epsilon=1.2).to_dict(),
        "recommend": found.to_dict(),
    }
    pages = {internal: report_html(documents, internal=internal) for internal in (True, False)}
    first = {name: page.partition('id="appendix"')[0] for name, page in pages.items()}
    assert found.choice.words.partition(":")[0] in first[True]
    for page in first.values():
        assert "<svg" in page
        assert "What may be published" in page
    assert "swap with k" in first[False]
