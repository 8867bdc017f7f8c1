"""Anybody can check a release: whatever was changed since, in file or manifest,
is found or shown.
"""

import dataclasses
import json
import shutil

import pytest
from release_samples import FIVE, GONE, anonymized, edit, manifest_of, rehash, survey

from ratingpriv.anonymize.release import verify as verifying
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.base.reservations import RESERVATIONS


@pytest.fixture
def release(tmp_path):
    folder = tmp_path / "published"
    folder.mkdir()
    return write_release(anonymized(survey(tmp_path), FIVE, l=1), folder / "r.csv").path


def test_a_good_release(release):
    """Nothing is warned of but that a sensitive question is in no k."""
    found = verify(release)
    assert repr(found).startswith(f"<VerifyResult {str(release)!r}: valid; ")
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (content["schema"], content["valid"], content["as_written"]) == (
        "ratingpriv.verify/1",
        True,
        True,
    )
    assert (content["claimed"]["k"], content["found"]["largest_k"], content["demanded"]) == (
        3,
        5,
        None,
    )
    narrow, identified, said = found.warnings
    assert narrow.startswith("at epsilon 1 any two ratings of 'q1', 'q2' count as the same")
    assert said.startswith("k and ε do not cover items that the manifest declares sensitive (age)")
    assert identified == RESERVATIONS["found"].when
    assert verify(release, k=3, sensitive="age").warnings == (narrow, identified)


def test_who_is_found_is_a_reservation_of_the_receiver_too(release):
    """The writer's threshold, its acceptance and its words bind no receiver."""
    found = verify(release, accept="epsilon-covers-questions")
    assert (found.valid, found.standing.reserved, bool(found)) == (True, ("found",), False)
    assert verify(release, accept=["epsilon-covers-questions", "found"])
    cautions = manifest_of(release)["cautions"]
    silent = [one | {"but": ""} if one["code"] == "found" else one for one in cautions]
    without = [one for one in cautions if one["code"] != "found"]
    changes = [
        {"cautions": silent},
        {"cautions": without, "found_at_most": 0.5},
        {"cautions": without, "found_at_most": None},
    ]
    for changed in changes:
        assert "found" in verify(edit(release, **changed)).standing.reserved
    kept = edit(release, cautions=without, found_at_most=0.05)
    assert "found" not in verify(kept).standing.reserved


def test_elsewhere_under_another_name_and_through_links(release, tmp_path):
    beside, link = release.with_name("r.csv.manifest.json"), tmp_path / "link.csv"
    link.symlink_to(release)
    assert verify(link).valid  # by the manifest beside the file that it leads to
    (tmp_path / "downloads").mkdir()
    for path, name in ((release, "copy.csv"), (beside, "copy.csv.manifest.json")):
        shutil.copy(path, tmp_path / "downloads" / name)
    assert verify(tmp_path / "downloads" / "copy.csv").valid
    shutil.move(beside, tmp_path / "link.csv.manifest.json")
    assert verify(link).valid


def test_one_byte_changed(release):
    release.write_text(release.read_text().replace("30", "31"))
    found = verify(release)
    assert "not the file that the manifest speaks of" in found.problems[0]
    assert ": NOT valid" in repr(found)
    content = found.to_dict()
    assert (content["valid"], content["is_the_manifests"], content["as_written"]) == (
        False,
        False,
        None,
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("3,5,30", "1,1,30", "not as anonymous as claimed: 1 of 5 records violate (k=3, ε=1, l=1)"),
        (
            "q1,q2,age\n",
            "q1,q2,age\n6,4,4,50\n",
            "records: the manifest says 5; counted again, it is 6",
        ),
    ],
)
def test_a_record_changed_or_added_and_the_hash_with_it(release, old, new, problem):
    release.write_text(release.read_text().replace(old, new))
    assert any(problem in one for one in verify(rehash(release)).problems)


AGAIN = "the manifest says {}; counted again, it is"
OTHERS = "the manifest names others"
UNCLAIMED = json.loads(
    '{"m": 1, "k": 3, "epsilon": 1.0, "error": null, "items": null, "satisfied": true, '
    '"proved_m": 1, '
    '"exact": true, "below_k": [], "largest_k": [], "without_ratings": 0, "random": []}'
)
"""A verdict against known ratings, in a manifest whose target is another."""


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        ("parameters k", 6, "not as anonymous as claimed"),
        ("parameters epsilon", 0, "not as anonymous as claimed"),
        ("parameters epsilon", 0.5, "not as anonymous as claimed"),
        ("parameters l", 20, "not as anonymous as claimed"),
        ("parameters l", None, "largest l"),
        ("verification largest_k", 4, "largest k: " + AGAIN.format(4)),
        ("verification largest_l", {"age": 99}, "largest l"),
        ("verification largest_l", {"age": None}, "largest l"),
        ("verification largest_l", {}, "largest l"),
        ("verification largest_l", None, "largest l"),
        ("verification satisfied", False, "satisfied: " + AGAIN.format(False)),
        ("verification read_from", "memory", "read from: " + AGAIN.format("memory")),
        ("verification violators", 1, "violators: " + AGAIN.format(1)),
        ("verification highest_risk", 0.1, "highest risk: " + AGAIN.format(0.1)),
        ("verification average_risk", 0.3, "average risk: " + AGAIN.format(0.3)),
        (
            "verification known",
            UNCLAIMED,
            "known: the manifest says more of known ratings than it claims",
        ),
        ("records released", 4, "records: " + AGAIN.format(4)),
        ("records withheld", 0, "suppressed records"),
        ("issues", 3, "items that are not sensitive: " + AGAIN.format(3)),
        ("sensitive", [], "sensitive: " + OTHERS),
        ("nominal", ["age"], "nominal: " + OTHERS),
        ("quasi", [{"name": "age", "rule": "equal"}], "quasi: " + OTHERS),
        ("carried", ["age"], "carried: " + OTHERS),
        ("read sensitive", ["age", "q2"], "items that are not sensitive"),
        ("distortion filled", 1, "ratings of the release: " + AGAIN.format(11)),
        ("distortion mean_after", 3, "the mean of its ratings"),
        ("distortion mean_after", None, "the mean of its ratings"),
        ("distortion changed", 11, "the changed and imputed ratings"),
        ("distortion total", 1, "the information loss"),
        ("distortion records_touched", 1, "the records that were touched"),
        ("distortion cells", 13, "the cells of the input"),
        ("distortion ratings", 13, "the ratings of the input"),
        ("distortion mean_before", None, "the mean before"),
        ("distortion sd_filled", 1, "the mean of imputed ratings"),
        ("distortion shares withheld", 0, "the shares"),
        ("cautions", [{"code": "inference", "message": "none"}], "other cautions"),
        ("ids", "strip", "the file has record ids, and its manifest says that it has none"),
    ],
)
def test_a_manifest_that_was_changed(release, place, value, problem):
    found = verify(edit(release, (*place.split(), value)))
    assert any(problem in one for one in found.problems)


PEOPLE = """user,q1,q2,pay,age,region,income
a,4,5,1,30,north,1000
b,4,5,2,30,north,1500
c,4,5,3,30,north,1900
d,2,1,4,40,south,5000
e,2,1,5,40,south,5500
f,2,1,1,40,south,5900
"""
QUASI = dict.fromkeys(("cells", "changed", "erased", "records_touched", "withheld", "moved"), 0)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"erased": 1}, "values of quasi-identifiers"),
        ({"cells": 0}, "values of quasi-identifiers"),
        ({"withheld": 1}, "values of quasi-identifiers"),
        ({"cells": 19, "withheld": 1}, "the values of suppressed records"),
        ({"changed": 1}, "the records that lost or changed values"),
        ({"records_touched": 1}, "the records that lost or changed values"),
        ({"moved": 0.5}, "the values that were changed"),
        ({"changed": 99, "records_touched": 6}, "the values that were changed"),
        (GONE, "has costs on quasi-identifiers"),
    ],
)
def test_costs_on_quasi_identifiers_have_to_add_up(tmp_path, changes, problem):
    table = survey(tmp_path, PEOPLE, sensitive=["pay"], quasi=["age", "region", "income=1000"])
    release = write_release(anonymized(table), tmp_path / "r.csv", original=table).path
    cost = manifest_of(release)["distortion"]["quasi"]
    assert cost == {**QUASI, "cells": 18}
    edit(release, ("distortion", "quasi", GONE if changes is GONE else {**cost, **changes}))
    assert any(problem in one for one in verify(release).problems)


def test_a_weaker_claim_is_shown_and_can_be_refused(release):
    """Who forges the manifest well can claim less.

    So the claim is shown, and more can be demanded.
    """
    found = verify(edit(release, ("parameters", "k", 1)))
    assert all("other cautions" in problem for problem in found.problems)
    found = verify(edit(release, cautions=found.to_dict()["cautions"], accepted=["k-asks-nothing"]))
    assert found.valid
    claimed = found.to_dict()["claimed"]
    assert (claimed["k"], claimed["accepted"]) == (1, ["k-asks-nothing"])
    for words in ("this asks for nothing", "the publisher accepted"):
        assert any(words in warning for warning in found.warnings)
    assert verify(release, k=5, sensitive=["age"]).valid
    assert not verify(release, k=6, sensitive=["age"]).valid


@pytest.mark.parametrize(
    ("demand", "valid"),
    [({"k": 5}, True), ({"k": 6}, False), ({"epsilon": 2}, True), ({"epsilon": 0}, False),
    ({"l": 11}, True),
     ({"l": 12}, False), ({"k": 1, "epsilon": 0, "l": 0}, True), ({"epsilon": 2**53}, True)],
)  # fmt: skip
def test_demands(release, demand, valid):
    found = verify(release, **demand, sensitive="age")
    assert found.audit.satisfied  # the claim holds all the same
    assert found.demanded.parameters.l == demand.get("l", 1)
    assert found.valid is valid
    assert valid or "demanded" in found.problems[0]


@pytest.mark.parametrize(
    "demand",
    [{"k": 0}, {"epsilon": -1}, {"l": float("nan")}, {"l": 1e308}, {"epsilon": 2.0**54},
    {"l": 2.0**54},
     {"nulls": "known"}, {"layout": "tall"}, {"sensitive": [3]}, {"scale": (5, 1)},
     {"l": 1, "sensitive": []}],
)  # fmt: skip
def test_wrong_demands(release, demand):
    with pytest.raises(ParameterError) as caught:
        verify(release, **{"sensitive": ["age"], **demand})
    assert caught.value.name in demand


def test_what_makes_a_claim_small_is_said(release, tmp_path):
    assert any("ids and order" in one for one in verify(edit(release, ids="keep")).warnings)
    write_release(anonymized(survey(tmp_path), FIVE), tmp_path / "r.csv")
    assert any(
        "no l is claimed" in one and "(age)" in one for one in verify(tmp_path / "r.csv").warnings
    )
    made = anonymized(survey(tmp_path, sensitive=[], drop=["age"]), k=6, epsilon=5)
    write_release(made, tmp_path / "all.csv")
    warnings = " ".join(verify(tmp_path / "all.csv").warnings)
    assert "covers the whole range of ratings" in warnings
    assert "no item is named as sensitive" in warnings
    write_release(
        anonymized(survey(tmp_path, "user,q1,age\na,4,30\nb,4,30\nc,4,30\n")), tmp_path / "one.csv"
    )
    found = verify(tmp_path / "one.csv")
    assert any(
        "one value of 'age' has a share of more than" in warning for warning in found.warnings
    )
    assert [caution["code"] for caution in found.to_dict()["cautions"]][1:] == [
        "inference",
        "found",
    ]


def test_no_release_or_no_manifest(release, tmp_path):
    with pytest.raises(DataError, match="no such file"):
        verify(release.with_name("r2.csv"))
    with pytest.raises(DataError, match="a release, which is one file"):
        verify(tmp_path)
    with pytest.raises(DataError):
        verify(edit(release, ("read", "delimiter", ";")))
    release.with_name("r.csv.manifest.json").unlink()
    with pytest.raises(DataError, match="published with its manifest"):
        verify(release)


def test_a_loader_that_read_other_bytes_is_noticed(release, monkeypatch):
    """A source gives its readers the bytes that were hashed.

    A foreign loader may open the file itself.
    """
    plain = verifying.read_for_claim

    def other_bytes(*args, **more):
        reading = plain(*args, **more)
        origin = dataclasses.replace(reading.table.origin, sha256="0" * 64)
        return dataclasses.replace(reading, table=reading.table.replace(origin=origin))

    monkeypatch.setattr(verifying, "read_for_claim", other_bytes)
    assert "the file was changed while it was read" in verify(release).problems
