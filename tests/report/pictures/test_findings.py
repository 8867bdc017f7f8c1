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
        "k = 1 asks for nothing: it holds for any data"
    )
    found["smallest_epsilon"]["neighbourhood"] = None
    assert finding(found) == "k = 3 with l = 0.5 is not within reach at any rating distance that protects"


def test_wildcard_is_in_the_title(document):
    for name in ("frontier", "audit", "partition"):
        found = document(name)
        found["cautions"].append({"code": "nulls-wildcard", "message": ""})
        kind = {"audit": "sizes"}.get(name)
        assert finding(found, kind).endswith(" where an unanswered question matches anything")


def test_a_frontier_without_a_target(document):
    found = document("frontier")
    found["parameters"]["k"], found["smallest_epsilon"] = None, None
    for row in found["rows"]:
        row["max_k"] = 2 if row["protection"] else 30
    assert "; the largest k at a distance that protects is 2, at 0" in finding(found)
    found["complete"] = False
    assert "a distance that protects of those shown is 2" in finding(found)
    for row in found["rows"]:
        row["protection"] = False
    assert finding(found).endswith("; no distance protects")


@pytest.mark.parametrize(
    ("code", "but", "said"),
    [
        ("epsilon-covers-range", None, ", but this protects nothing"),
        ("epsilon-reaches-null-distance", None, ", but this protects nothing"),
        ("epsilon-covers-range", "this protects no rating", ", but this protects no rating"),
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
        "Knowledge that is off by up to 1 leaves, in expectation, a chance of 9.35 % of picking the right "
        "record; in the worst case 1 record remains. For 109 records some such knowledge fits nobody else"
    )
    told.update(expected_exact=False, expected_low=0.09, expected_high=0.1, worst=2, worst_exact=False)
    told.update(certain=0, certain_exact=False)
    assert finding(found, "exposure") == (
        "Knowledge that is off by up to 1 leaves, in expectation, a chance of 9.35 % (95 % interval 9 % to "
        "10 %) of picking the right record; in the worst case 2 records remain (may not be the fewest)"
    )


def test_an_attack(document):
    found = document("attack")
    rate = {"rate": 0.686, "low": 0.6, "high": 0.75, "count": 177, "of": 258}
    found["success"] = found["release"]["success"] = rate
    found["release"]["dataset"]["name"] = "folder/release.csv"
    found["parameters"]["algorithm"] = "scoreboard"
    assert finding(found, "attack") == (
        "68.6 % of 258 targets identified in release.csv (95 % interval 60 % to 75 %) by the strongest of 2 "
        "attacks (scoreboard); before, in table: 68.6 %"
    )
    assert "A low number is no proof" in caption(found, "attack")
    found["release"]["success"] = {**rate, "rate": None, "of": 0}
    assert finding(found, "attack").endswith("nothing was measured: that is not safe")


def test_a_release_that_was_not_made_has_no_picture():
    assert kinds({"schema": "ratingpriv.anonymize/1", "satisfied": False, "best": None}) == ()


def test_a_partition_that_was_not_found_proves_nothing(document):
    found = document("partition")
    assert finding(found).startswith(
        "All 30 records are in 15 groups of at least 2 records that are all within"
    )
    found.update(found=False, withheld=1)
    assert finding(found).startswith("No partition was found: 1 record of 30 is in no group of at least 2")
    found.update(proved_impossible=True)
    assert finding(found).startswith("It is proved that there is no partition into groups of at least 2")


def test_utility_is_between_worthless_and_original(document):
    found = document("utility")
    for name in ("query_error", "information_loss", "bias", "questions"):
        found[name].update(value=0.5, original=0.0, worthless=1.0)  # half way is not nearer
    assert finding(found, "utility") == (
        "0 of 4 measures are nearer to the original than to a worthless release"
    )
    found["bias"]["value"] = 0.499
    assert finding(found, "utility").startswith("1 of 4")
    found["bias"].update(worthless=0.0)
    assert finding(found, "utility").startswith("0 of 3")
    assert "No place, as original and worthless are equal or not known: bias" in caption(found, "utility")


def test_a_part_of_the_data_is_said(document):
    found = document("audit")
    found["selection"] = {
        "issues": 4, "of_issues": 1682, "records": 30, "of_records": 30, "seed": None, "dropped": [],
    }  # fmt: skip
    for kind in kinds(found):
        assert "This is about 4 of 1,682 questions, not about the whole data." in caption(found, kind)


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


def test_quasi_identifiers_are_in_the_sentence(document):
    found = document("audit")
    found["dataset"]["quasi"] = [
        {"name": "Q3", "rule": "equal"},
        {"name": "age", "rule": "within", "within": 5},
    ]
    assert finding(found, "sizes").endswith(
        "within a rating distance of 1 and equal on Q3 and within 5 on age"
    )
