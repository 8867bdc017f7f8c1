"""What a report says: what decides comes first, and what was not measured is not safe."""

import copy
import re
from pathlib import Path

import pytest

import ratingpriv
from ratingpriv.base.errors import ParameterError
from ratingpriv.report.overview import report_html
from ratingpriv.report.overview.overview import report_document, satisfied, summary
from ratingpriv.report.pages import page_of

from .judging import read

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def survey():
    table = ratingpriv.read(ROOT / "examples" / "survey.csv", sensitive=["pay"], scale=(1, 5))
    return table, ratingpriv.audit(table, k=5, epsilon=1, l=0.5, exposure=1)


def said(documents, **more):
    return " ".join(read(report_html(documents, **more)).everything.split())


def first_screen(html):
    """The verdict with its sentence, and the figures, before any other heading."""
    return " ".join(
        re.sub(
            r"<[^>]*>", " ", html.split("</header>")[1].split('<section id="meaning"')[0]
        ).split()
    )


def found_by(documents, rate, **more):
    """Documents of a release of 500 that keeps what was asked for,
    and of whose people so many are found.
    """
    made = copy.deepcopy(documents)
    for part in ("audit", "audit_release"):
        made[part]["dataset"]["records"] = 500
        made[part]["k_epsilon"] |= {"satisfied": True, "violators": 0}
        made[part]["cautions"] = []
    attack = made["attack"]
    attack |= {"targets": 500, "could_not_attack": 0}
    attack["release"] |= {"targets": 500, "withheld": 0}
    measured = {
        "rate": rate, "low": max(0.0, rate - 0.03), "high": min(1.0, rate + 0.03),
        "count": round(500 * rate),
        "of": 500,
    }  # fmt: skip
    nobody = {"rate": 0.0, "low": 0.0, "high": 0.01, "count": 0, "of": 500}
    same = {"rate": 0.3, "low": 0.25, "high": 0.35, "of": 500}
    for one in (attack, *attack["suite"]):
        one["success"] = {**measured}
        one["release"]["profile"] = {**nobody}
        one["release"]["success"] = one["release"]["success_of_released"] = {**measured}
        one["release"]["inference"]["sensitive"]["pay"] |= {"correct": same, "baseline": {**same}}
    whole = {"algorithm": "nearest-row", "records": 500, "distinct": 500, "at_most": 1.0}
    attack["whole_record"] = {**whole, "success": {**measured}}
    attack["release"]["whole_record"] = {**whole, "success": {**measured}}
    attack["release"] |= more
    return made


def test_the_document_is_whole(documents):
    html = report_html(documents)
    page = read(html)
    assert page.headings[0] == "How private is table?"
    loaded = [
        (tag, name, value)
        for tag, attributes in page.tags
        for name, value in attributes.items()
        if name in ("src", "href", "srcset", "xlink:href", "action", "data")
        and not value.startswith("#")
    ]
    assert loaded == []
    assert "<script" not in html
    policy = next(one["content"] for tag, one in page.tags if one.get("http-equiv"))
    assert "default-src 'none'" in policy
    ids = [one["id"] for _, one in page.tags if "id" in one]
    assert len(ids) == len(set(ids))
    assert all(one["scope"] for tag, one in page.tags if tag == "th")


@pytest.mark.parametrize("rate", [0.2, 0.12, 0.87])
@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.usefixtures("no_pictures")
def test_who_reads_the_first_screen_only_is_not_misled(documents, rate, internal):
    html = report_html(found_by(documents, rate), internal=internal)
    screen = first_screen(html)
    assert "SATISFIED" in screen
    assert f"{round(100 * rate)} %" in screen
    assert "do not publish on the strength of this verdict" in screen
    assert 'class="say open"' in html
    assert 'class="say good"' not in html
    page = summary(found_by(documents, rate))
    assert page.good is None
    assert any(f"{round(100 * rate)} %" in item for item in page.sections[0].items)


def test_people_who_were_left_out_make_no_release_safe(documents):
    """95 % are suppressed: of all targets 1 % is found, of those in the release 20 %."""
    few = {"rate": 0.01, "low": 0.0, "high": 0.02, "count": 5, "of": 500}
    made = found_by(documents, 0.2, success=few, withheld=475)
    screen = first_screen(report_html(made))
    assert "about 20 %" in screen
    assert "do not publish" in screen


def without(part, *names):
    return {name: one for name, one in part.items() if name not in names}


def setting(value, *places):
    """Return a change that updates what stands at each of the places with ``value``."""

    def change(made):
        for place in places:
            part = made
            for step in place:
                part = part[step]
            part.update(value)
        return made

    return change


def each_release(made, value, *path):
    releases = [
        ("attack", "release"),
        *(("attack", "suite", n, "release") for n in range(len(made["attack"]["suite"]))),
    ]
    return setting(value, *((*release, *path) for release in releases))(made)


def of_everybody(made, success):
    """Return documents in which the strongest adversary finds so many of the release."""
    return setting({"success": success}, ("attack", "release", "whole_record"))(made)


def on_the_data_only(made):
    attack = without(made["attack"], "release", "difference")
    attack["whole_record"] = dict(made["attack"]["whole_record"])
    attack["suite"] = [without(one, "release", "difference") for one in attack["suite"]]
    return {**made, "attack": attack}


def worthless(made):
    for one in made["utility"].values():
        if isinstance(one, dict) and one.get("worthless") is not None:
            one["value"] = one["worthless"]
    return made


INVALID = {
    "valid": False, "release": "r.csv", "problems": ["the file was changed"],
    "claimed": {"k": 3, "epsilon": 1.0, "l": None, "nulls": "strict"},
    "signature": {"signed": False, "checked": False, "valid": None}, "stated_not_checked": {},
    "tool": {"version": "1", "command": None}, "release_sha256": "0" * 64, "read": {"claim": None},
    "cautions": [],
}  # fmt: skip
PAY = ("inference", "sensitive", "pay")
NOBODY = {"rate": None, "low": 0.0, "high": 1.0, "count": 0, "of": 0}
FEW = {"rate": 0.0, "low": 0.0, "high": 0.16, "count": 0, "of": 25}
ALL = {"rate": 1.0, "low": 0.98, "high": 1.0, "count": 500, "of": 500}
BROKEN = setting({"satisfied": False, "violators": 20}, ("audit_release", "k_epsilon"))


@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        (
            setting({"verify": INVALID}, ()),
            "bad",
            "NOT VALID: the file is not what its manifest claims",
        ),
        (BROKEN, "bad", "What was asked for does not hold: do not publish the release"),
        (
            setting({"cautions": [{"code": "k-asks-nothing", "message": "m"}]}, ("audit_release",)),
            "open",
            "Reservation: this asks for nothing.",
        ),
        (lambda made: without(made, "audit_release"), "open", "the release, which was not audited"),
        (
            lambda made: without(made, "attack"),
            "open",
            "the re-identification rate was not measured",
        ),
        (on_the_data_only, "open", "the re-identification rate was not measured"),
        (
            lambda made: of_everybody(
                setting({"success": NOBODY, "success_of_released": NOBODY}, ("attack", "release"))(
                    made
                ),
                NOBODY,
            ),
            "open",
            "the re-identification rate was not measured",
        ),
        (
            lambda made: of_everybody(
                each_release(made, {"success": FEW, "success_of_released": FEW}), FEW
            ),
            "open",
            "too few people were attacked",
        ),
        (
            setting(ALL, ("attack", "suite", 0, "release", "profile")),
            "open",
            "the whole record of many is disclosed",
        ),
        (
            lambda made: each_release(
                made, {"correct": {"rate": 0.9, "low": 0.85, "high": 0.95, "of": 500}}, *PAY
            ),
            "open",
            "infers a sensitive value",
        ),
        (worthless, "open", "by most measures the release is no better than the random baseline"),
        (lambda made: made, "good", "about 2 %"),
    ],
)
def test_what_decides_is_said_first(documents, change, kind, sentence):
    made = change(found_by(documents, 0.02))
    html = report_html(made)
    assert f'class="say {kind}"' in html
    assert sentence in first_screen(html)
    assert satisfied(made) is (kind != "bad")
    assert "A low rate is no proof" in html or "attack" not in made


@pytest.mark.usefixtures("no_pictures")
def test_the_verdict_is_that_of_the_audit_page(survey):
    _, audit = survey
    exact = said({"audit": audit.to_dict(0)}, internal=True)
    assert page_of(audit).headline in exact
    assert "2 of 300 records (0.7 %) have fewer than 5 records (themselves included)" in exact
    assert (
        "In the worst case 1 record remains. For 109 of 300 records (36.3 %) some such knowledge"
        in exact
    )
    others = said({"audit": audit.to_dict(0)})
    assert "Fewer than 10 of 300 records (under 3.3 %) have fewer than 5 records" in others
    assert "In the worst case fewer than 10 records remain. For about 110 of 300 records" in others
    assert not satisfied({"audit": audit.to_dict(0)})


def test_what_was_not_measured_is_said_with_its_command(survey):
    _, audit = survey
    text = said({"audit": {**audit.to_dict(0), "exposure": None}})
    for lack, command in (
        (
            "the exposure to knowledge with a rating error",
            "ratingpriv audit survey.csv --k 5 --epsilon 1 --exposure 1",
        ),
        ("how many people an adversary re-identifies", "ratingpriv attack survey.csv"),
        ("which k holds at which distance", "ratingpriv frontier survey.csv --k 5"),
        ("what may be published", "ratingpriv recommend survey.csv"),
    ):
        assert lack in text, lack
        assert command in text, command
    assert "No release was given" in text
    assert not re.search(
        r"\bsafe\b", text.replace("is not safe", "").replace("not the safe reading", "")
    )


def test_a_release_is_not_taken_for_verified_or_attacked(documents):
    text = said({part: documents[part] for part in ("audit", "utility")})
    assert "This verdict is about the data, not about the release" in text
    assert "whether a manifest is true of the release" in text
    assert "how many people are re-identified in the release" in said(on_the_data_only(documents))


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


def test_the_words_are_those_of_the_glossary(documents):
    page = (
        (ROOT / "docs" / "glossary.md")
        .read_text(encoding="utf-8")
        .partition("## What may be said")[0]
    )
    entries = dict(re.findall(r"^\*\*(.+?)\.\*\* (.+?)(?=\n\n|\Z)", page, re.MULTILINE | re.DOTALL))

    def plain(text):
        text = re.sub(r" ?\(\[[^\]]*\]\([^)]*\)\)", "", " ".join(text.split()))
        text = re.sub(r" See \[[^\]]*\]\([^)]*\)\.", "", text)
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
        return text.replace("*", "").replace("`", "")

    words = report_html(documents).partition('<dl class="words">')[2].partition("</dl>")[0]
    terms = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", words)
    assert len(terms) >= 5
    assert {word: plain(entries[word]) for word, _ in terms} == dict(terms)


def test_wrong_parts(documents):
    with pytest.raises(ParameterError, match="audit"):
        report_html({"attack": documents["attack"]})
    with pytest.raises(ParameterError, match="risk"):
        report_html({**documents, "risk": {}})
    with pytest.raises(ParameterError, match="threshold"):
        report_html(documents, threshold=0)
    assert report_document(documents)["documents"] == documents
