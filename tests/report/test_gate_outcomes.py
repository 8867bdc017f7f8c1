"""What became of a gate, in words: missed is never told as kept,
what was not measured never as good.
"""

import pytest

from ratingpriv.base.requirement import Requirement
from ratingpriv.report.gates import gated, judged_of, outcomes, with_gate
from ratingpriv.report.page import Page, Section

PAGE = Page("the headline", ("why",), (Section("more", ("text",)),), good=True)
LIMIT = Requirement("max_k", "<=", 0.5)
KEPT, MISSED = LIMIT.judge(0.25), LIMIT.judge(0.75)
UNSURE = LIMIT.judge(0.25, low=0.2, high=0.75)
UNMEASURED = LIMIT.judge(None, "nobody looked")


def test_the_limits_are_the_first_lines_of_a_page():
    page = gated(PAGE, [KEPT])
    assert (page.good, page.headline) == (True, "the headline")
    assert page.explanation == ("Limits: kept (max_k<=0.5).", "why")
    assert [section.title for section in page.sections] == ["What was required", "more"]
    for bad in (MISSED, UNSURE, UNMEASURED):
        page = gated(PAGE, [KEPT, bad])
        assert page.good is False
        assert page.explanation[0] == "Limits: NOT kept (max_k<=0.5)."
    assert gated(Page("no verdict"), [KEPT]).good is None
    assert gated(PAGE, []) == PAGE


@pytest.mark.parametrize(
    ("judged", "said"),
    [
        (KEPT, "the limit max_k<=0.5 is kept: it is 0.25"),
        (MISSED, "the limit max_k<=0.5 is NOT kept: it is 0.75"),
        (UNSURE, "the limit max_k<=0.5 is NOT kept: it is 0.25, and it may be as high as 0.75"),
        (
            UNMEASURED,
            "the limit max_k<=0.5 is NOT kept: it could not be measured, as nobody looked",
        ),
    ],
)
def test_a_sentence_a_limit(judged, said):
    assert gated(PAGE, [judged]).sections[0].items == (said,)


@pytest.mark.parametrize(("operator", "found"), [("<=", "0.123457"), (">=", "0.123456")])
def test_what_was_found_is_rounded_to_the_side_of_the_limit(operator, found):
    judged = Requirement("max_k", operator, 0.5).judge(0.1234564999)
    (said,) = gated(PAGE, [judged]).sections[0].items
    assert f"it is {found}" in said


def test_limits_join_the_gate_of_the_document():
    assert with_gate({"a": 1}, []) == {"a": 1}
    for own in (
        {},
        {"gate": {"fail_above": 0.1, "passed": True}},
        {"gate": {"fail_above": 0.1, "passed": False}},
    ):
        for judged in ([KEPT], [MISSED], [KEPT, UNMEASURED]):
            gate = with_gate(own, judged)["gate"]
            assert gate["passed"] == (
                own.get("gate", {"passed": True})["passed"] and judged == [KEPT]
            )
            assert gate.get("fail_above") == own.get("gate", {}).get("fail_above")
            assert judged_of({"gate": gate}) == tuple(judged)
    assert judged_of({}) == ()


def states(document, judged=(), verdict=None, page=PAGE):
    return [
        (one.rule, one.name, one.state, one.message)
        for one in outcomes(
            {"cautions": [], "accepted": [], **document}, judged, page, verdict=verdict
        )
    ]


@pytest.mark.parametrize("key", ["satisfied", "valid", "right", "found"])
def test_a_verdict_is_an_outcome(key):
    assert states({key: True}, verdict="k = 2") == [("verdict", "k = 2", "passed", "the headline")]
    assert states({key: False}, verdict="k = 2") == [("verdict", "k = 2", "failed", "the headline")]
    but = {key: True, "cautions": [{"code": "k-asks-nothing", "message": "k is 1"}]}
    for accepted, state in (([], "failed"), (["k-asks-nothing"], "passed")):
        assert states({**but, "accepted": accepted}, verdict="k = 2")[0][2] == state
    for within, state in ((True, "tolerated"), (False, "failed")):
        document = {key: False, "tolerance": {"within": within, "at_most": 0.01}}
        asked = "k = 2 for all but 0.01 of the records"
        assert states(document, verdict="k = 2") == [("verdict", asked, state, "the headline")]
    assert states({key: True}) == []


@pytest.mark.parametrize(
    ("passed", "targets", "state"),
    [(True, 5, "passed"), (False, 5, "failed"), (False, 1, "failed"), (False, 0, "unmeasured")],
)
def test_an_attack_of_nobody_is_not_measured(passed, targets, state):
    page = Page(
        "the headline",
        ("other", "FAILED: it is above" if not passed else "PASSED: it is not", "more"),
    )
    document = {"gate": {"fail_above": 0.1, "passed": passed}, "targets": targets}
    assert states(document, page=page) == [("fail-above", "0.1", state, page.explanation[1])]
    assert states(document) == [("fail-above", "0.1", state, "the headline")]


def test_every_limit_is_an_outcome():
    judged = [KEPT, MISSED, UNSURE, UNMEASURED]
    assert [state for _, _, state, _ in states({}, judged)] == [
        "passed",
        "failed",
        "failed",
        "unmeasured",
    ]
    assert {(kind, name) for kind, name, _, _ in states({}, judged)} == {("require", "max_k<=0.5")}
