"""Titles are true where they turn, and say of risk what the glossary has and nothing else."""

import pytest
from house.test_risk_sentences import false_sentences

from ratingpriv.report.pictures import PICTURES, caption, finding, kinds


def test_a_frontier_that_reaches_k_or_not(document):
    found = document("frontier")
    assert finding(found) == "The smallest rating distance at which k = 3 holds is 3"
    found["parameters"]["l"] = 0.5
    assert finding(found) == "The smallest rating distance at which k = 3 with l = 0.5 holds is 3"
    assert finding({**found, "parameters": {**found["parameters"], "k": 1, "l": None}}) == (
        "k = 1: this asks for nothing"
    )
    found["smallest_epsilon"]["neighbourhood"] = None
    assert (
        finding(found)
        == "k = 3 with l = 0.5 is not within reach at any rating distance that protects"
    )


def test_wildcard_is_in_the_title(document):
    for name in ("frontier", "audit", "partition"):
        found = document(name)
        found["cautions"].append({"code": "nulls-wildcard", "message": ""})
        kind = {"audit": "sizes"}.get(name)
        assert finding(found, kind).endswith(" where a missing rating matches anything")


@pytest.mark.parametrize(
    ("code", "but", "said"),
    [
        ("epsilon-covers-range", None, "; reservation: this protects nothing"),
        ("epsilon-reaches-null-distance", None, "; reservation: this protects nothing"),
        (
            "epsilon-covers-range",
            "this protects no rating",
            "; reservation: this protects no rating",
        ),
    ],
)
def test_a_verdict_that_protects_nothing_says_so(document, code, but, said):
    found = document("audit")
    found["k_epsilon"]["violators"] = 0
    found["cautions"] = [{"code": code, "message": "", **({} if but is None else {"but": but})}]
    assert finding(found, "sizes").endswith(said)


def test_exposure_says_what_is_exact(document):
    found = document("audit")
    told = found["exposure"]
    told.update(expected=0.0935, expected_exact=True, worst=1, worst_exact=True, certain=109)
    assert finding(found, "exposure") == (
        "Knowledge that is off by up to 1 leaves, in expectation, a chance of 9.35 % of picking "
        "the right "
        "record; in the worst case 1 record remains. For 109 records some such knowledge fits "
        "nobody else"
    )
    told.update(
        expected_exact=False, expected_low=0.09, expected_high=0.1, worst=2, worst_exact=False
    )
    told.update(certain=0, certain_exact=False)
    assert finding(found, "exposure") == (
        "Knowledge that is off by up to 1 leaves, in expectation, a chance of 9.35 % (95 % "
        "interval 9 % to "
        "10 %) of picking the right record; in the worst case 2 records remain (may not be the "
        "fewest)"
    )


def test_a_release_that_was_not_made_has_no_picture():
    assert kinds({"schema": "ratingpriv.anonymize/1", "satisfied": False, "best": None}) == ()


def test_a_partition_that_was_not_found_proves_nothing(document):
    found = document("partition")
    assert finding(found).startswith(
        "All 30 records are in 15 groups of at least 2 records that are all within"
    )
    found.update(found=False, withheld=1)
    assert finding(found).startswith(
        "No partition was found: 1 record of 30 is in no group of at least 2"
    )
    found.update(proved_impossible=True)
    assert finding(found).startswith(
        "It is proved that there is no partition into groups of at least 2"
    )


def test_every_picture_says_what_may_be_said(documents):
    seen = set()
    for document in documents.values():
        for kind in kinds(document):
            said = f"{finding(document, kind)}. {caption(document, kind)}"
            assert not false_sentences(said, kind)
            assert not finding(document, kind).endswith(".")
            assert "None" not in said
            assert "nan" not in said.split()
            seen.add((document["schema"], kind))
    made = {(schema, kind) for schema, found in PICTURES.items() for kind in found}
    unseen = {("ratingpriv.anonymize/1", kind) for kind in PICTURES["ratingpriv.anonymize/1"]}
    assert seen == made - unseen
