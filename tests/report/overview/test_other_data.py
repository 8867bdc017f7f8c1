"""Reports of data that have more, or less, than the usual: rules, words, demands, costs,
saved tolerances.
"""

import polars as pl
import pytest

import ratingpriv
from ratingpriv.report.overview import report_html

from .judging import read

pytestmark = pytest.mark.usefixtures("no_pictures")


def said(documents, **more):
    return " ".join(read(report_html(documents, **more)).everything.split())


def people(**more):
    """Sixty people in six places, who answered three questions, and one more."""
    columns = {
        "who": [f"zq{n}" for n in range(60)],
        **{f"q{place}": [1 + (n // 10 + place) % 5 for n in range(60)] for place in range(3)},
        "town": [("north", "south", "west")[n % 3] for n in range(60)],
        "age": [20 + 10 * (n % 2) for n in range(60)],
        "mood": [1 + n % 2 for n in range(60)],
    }
    return pl.DataFrame({**columns, **more})


def table(**settings):
    given = {"id": "who", "sensitive": ["mood"], "quasi": ["town", "age=5"], "scale": (1, 5)}
    return ratingpriv.read(people(), **{**given, **settings})


def test_without_a_scale_a_sensitive_question_or_a_release():
    plain = table(sensitive=[], quasi=[], scale=None, drop=["town", "age", "mood"])
    audit = ratingpriv.audit(plain, k=3, epsilon=1, exposure=1).to_dict(0)
    text = said({"audit": audit})
    assert "No item is declared sensitive" in text
    assert "No scale was declared" in text
    assert "No attack was made" in text
    for document in (audit, {**audit, "exposure": None}):
        assert "No attack was made" in said({"audit": document}, internal=True)
        assert "No attack was made" in said({"audit": document}, threshold=40)
        assert "No attack was made" in said({"audit": document}, threshold=70)


def test_a_tolerance_is_said_and_counts_nobody():
    odd = people(
        q0=[5] + [1 + n // 10 % 5 for n in range(1, 60)],
        q1=[1] + [1 + (n // 10 + 1) % 5 for n in range(1, 60)],
    )
    rare = ratingpriv.RatingTable.from_wide(
        odd.drop("town", "age"), id="who", sensitive=["mood"], scale=(1, 5)
    )
    found = ratingpriv.audit(rare, k=3, epsilon=0, at_most=0.2)
    assert not found.satisfied
    assert found.tolerance.within
    text = said({"audit": found.to_dict(0)})
    assert "NOT SATISFIED" in text
    assert "within your tolerance of 20 %" in text
    assert f"{found.n_violators} of 60" not in text
