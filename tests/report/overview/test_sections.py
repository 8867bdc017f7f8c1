"""What a report says, in order, and what it says of what was not measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ratingpriv
from ratingpriv.errors import ParameterError
from ratingpriv.report.overview import report_html, sections
from ratingpriv.report.overview.overview import report_document, satisfied
from ratingpriv.report.overview.words import TERMS
from ratingpriv.report.verdicts import audit_headline

from .judging import read

ROOT = Path(__file__).resolve().parents[3]
TITLES = [
    "The verdict", "Who is exposed, and to whom", "What was done, and what it cost",
    "The choice of k and epsilon", "What was assumed", "What this does not prove", "How to check it",
    "The words of this report",
]  # fmt: skip


@pytest.fixture(scope="module")
def survey():
    table = ratingpriv.read(ROOT / "examples" / "survey.csv", sensitive=["pay"], scale=(1, 5))
    return table, ratingpriv.audit(table, k=5, epsilon=1, l=0.5, exposure=1)


def said(documents, **more):
    return " ".join(read(report_html(documents, **more)).everything.split())


def test_the_sections_come_in_order_and_the_document_is_whole(documents):
    page = read(report_html(documents))
    assert page.headings == ["How private is table?", *(f"{n}. {t}" for n, t in enumerate(TITLES, 1))]
    loaded = [
        (tag, name, value)
        for tag, attributes in page.tags
        for name, value in attributes.items()
        if name in ("src", "href", "srcset", "xlink:href", "action", "data") and not value.startswith("#")
    ]
    assert loaded == []
    policy = next(one["content"] for tag, one in page.tags if one.get("http-equiv"))
    assert "default-src 'none'" in policy
    ids = [one["id"] for _, one in page.tags if "id" in one]
    assert len(ids) == len(set(ids))
    assert all(one["scope"] for tag, one in page.tags if tag == "th")


@pytest.mark.usefixtures("no_pictures")
def test_the_verdict_is_that_of_the_audit_page(survey):
    _, audit = survey
    exact = said({"audit": audit.to_dict(0)}, internal=True)
    assert audit_headline(audit) in exact
    assert "2 of 300 records (0.7 %) have fewer than 5 records (themselves included)" in exact
    assert "in the worst case 1 record remains. For 109 of 300 records (36.3 %) some such knowledge" in exact
    others = said({"audit": audit.to_dict(0)})
    assert "Fewer than 10 of 300 records (under 3.3 %) have fewer than 5 records" in others
    assert "in the worst case fewer than 10 records remain. For at most 110 of 300 records" in others
    assert not satisfied({"audit": audit.to_dict(0)})


def test_what_was_not_measured_is_said(survey):
    _, audit = survey
    document = {**audit.to_dict(0), "exposure": None}
    text = said({"audit": document})
    for lack in (
        "Exposure was not measured: what inexact knowledge leaves is not known",
        "No attack was made: how many people somebody finds",
        "Nothing was done: no release was given",
        "Which k holds at which distance was not measured",
        "What other k, epsilon and methods would cost was not measured",
        "There is no release to verify",
    ):
        assert lack in text, lack
    assert not re.search(r"\bsafe\b", text.replace("not being safe", "").replace("not the safe reading", ""))


def test_a_release_that_was_not_audited_verified_or_attacked_is_no_release_of_good_news(documents):
    text = said({part: documents[part] for part in ("audit", "utility")})
    assert "This verdict is about the data, not about the release" in text
    assert "The release was not verified: no manifest was found beside it" in text
    without = {**documents["attack"], "release": None, "difference": None}
    del without["release"], without["difference"]
    without["suite"] = [
        {name: one for name, one in row.items() if name not in ("release", "difference")}
        for row in without["suite"]
    ]
    text = said({**documents, "attack": without})
    assert "The release was not attacked: which of its records is whose was not said" in text


@pytest.mark.usefixtures("no_pictures")
def test_an_attack_that_measured_nothing_is_not_safe(documents):
    nothing = {"rate": None, "low": 0.0, "high": 1.0, "count": 0, "of": 0}
    attack = {**documents["attack"], "success": nothing, "targets": 0, "could_not_attack": 60}
    attack["release"] = {**attack["release"], "success": nothing, "targets": 0}
    for internal in (False, True):
        text = said({"audit": documents["audit"], "attack": attack}, internal=internal)
        assert "could be judged. That does not mean that it is safe" in text


@pytest.mark.usefixtures("no_pictures")
def test_names_of_the_data_are_escaped(documents):
    name = "<script>alert(1)</script>\x1b[31m&\u202e"
    audit = {**documents["audit"], "dataset": {**documents["audit"]["dataset"], "name": name}}
    audit["inference"] = {name: audit["inference"]["pay"]}
    audit["dataset"]["sensitive"] = [name]
    for internal in (False, True):
        html = report_html({"audit": audit}, internal=internal)
        assert "<script>alert" not in html
        assert "\x1b" not in html
        assert "\u202e" not in html


def test_the_words_are_those_of_the_glossary():
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").partition("## What may be said")[0]
    entries = dict(re.findall(r"^\*\*(.+?)\.\*\* (.+?)(?=\n\n|\Z)", page, re.MULTILINE | re.DOTALL))

    def plain(text):
        text = re.sub(r" ?\(\[[^\]]*\]\([^)]*\)\)", "", " ".join(text.split()))
        text = re.sub(r" See \[[^\]]*\]\([^)]*\)\.", "", text)
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
        return text.replace("*", "").replace("`", "")

    assert {word: plain(entries[word]) for word in TERMS} == dict(TERMS)


def test_an_invalid_manifest_is_no_good_news(documents):
    verify = {
        "valid": False, "release": "r.csv", "problems": ["the file was changed"],
        "claimed": {"k": 3, "epsilon": 1.0, "l": None, "nulls": "strict"},
        "signature": {"signed": False, "checked": False, "valid": None}, "stated_not_checked": {},
        "tool": {"version": "1", "command": None}, "release_sha256": "0" * 64, "read": {"claim": None},
        "cautions": [],
    }  # fmt: skip
    assert not satisfied({**documents, "verify": verify})
    assert "NOT VALID: r.csv is not what its manifest claims" in said({**documents, "verify": verify})


def test_wrong_parts(documents):
    with pytest.raises(ParameterError, match="audit"):
        report_html({"attack": documents["attack"]})
    with pytest.raises(ParameterError, match="risk"):
        report_html({**documents, "risk": {}})
    with pytest.raises(ParameterError, match="threshold"):
        sections(documents, threshold=0)
    assert report_document(documents)["documents"] == documents
