"""Anybody can check a release: whatever was changed since, in file or manifest, is found or shown."""

from __future__ import annotations

import dataclasses
import json
import shutil

import pytest
from release_samples import anonymized, manifest_of, survey

import ratingpriv
from ratingpriv.anonymize.release import verify as verifying
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import DataError, ParameterError


@pytest.fixture
def release(tmp_path):
    folder = tmp_path / "published"
    folder.mkdir()
    write_release(anonymized(survey(tmp_path), [0, 1, 2, 3, 4], l=1), folder / "r.csv")
    return folder / "r.csv"


def edited(release, *place, value):
    content = manifest_of(release)
    inner = content
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    release.with_name("r.csv.manifest.json").write_text(json.dumps(content))


def rehashed(release):
    """Make the manifest fit a file that was changed, as a forger would."""
    edited(release, "release", "sha256", value=ratingpriv.data.formats.sources.Source(release).sha256())


def test_a_good_release(release):
    found = verify(release)
    assert (found.valid, found.problems) == (True, ())
    assert found.audit.satisfied
    content = found.to_dict()
    assert json.dumps(content, allow_nan=False)
    assert content["schema"] == "ratingpriv.verify/1"
    assert content["claimed"]["k"] == 3
    assert content["found"]["largest_k"] == 5
    assert content["demanded"] is None


def test_a_result_in_a_line(release):
    assert repr(verify(release)).startswith(f"<VerifyResult {str(release)!r}: valid; ")
    release.write_bytes(release.read_bytes() + b"\n")
    assert ": NOT valid" in repr(verify(release))


def test_elsewhere_under_another_name(release, tmp_path):
    there = tmp_path / "downloads"
    there.mkdir()
    shutil.copy(release, there / "copy.csv")
    shutil.copy(release.with_name("r.csv.manifest.json"), there / "copy.csv.manifest.json")
    shutil.rmtree(release.parent)
    assert verify(there / "copy.csv").valid


def test_one_byte_changed(release):
    release.write_text(release.read_text().replace("30", "31"))
    found = verify(release)
    assert not found.valid
    assert "not the file that the manifest speaks of" in found.problems[0]
    assert found.to_dict()["is_the_manifests"] is False


def test_what_the_publisher_accepted_is_told(release):
    edited(release, "accepted", value=["epsilon-covers-range"])
    found = verify(release)
    assert found.to_dict()["claimed"]["accepted"] == ["epsilon-covers-range"]
    assert any("the publisher accepted" in said for said in found.warnings)


def test_a_record_changed_and_the_hash_with_it(release):
    release.write_text(release.read_text().replace("3,5,30", "1,1,30"))
    rehashed(release)
    found = verify(release)
    assert not found.valid
    assert "not as anonymous as claimed: 1 of 5 records violate (k=3, ε=1, l=1)" in found.problems[0]


def test_a_record_added_and_the_hash_with_it(release):
    release.write_text(release.read_text() + "6,4,4,50\n")
    rehashed(release)
    assert any("6 records instead of the 5" in problem for problem in verify(release).problems)


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        (("parameters", "k"), 6, "not as anonymous as claimed"),
        (("parameters", "epsilon"), 0, "not as anonymous as claimed"),
        (("parameters", "l"), 20, "not as anonymous as claimed"),
        (("parameters", "epsilon"), 0.5, "not as anonymous as claimed"),
        (("parameters", "l"), None, "other l"),
        (("verification", "largest_k"), 4, "k = 4 holds at most; counted again, it is 5"),
        (("verification", "largest_l"), {"age": 99}, "other l"),
        (("verification", "largest_l"), None, "other l"),
        (("records", "released"), 4, "5 records instead of the 4"),
        (("records", "withheld"), 0, "does not add up: records left out"),
        (("issues",), 3, "issues that are not sensitive: the manifest says 3; counted again, it is 2"),
        (("sensitive",), [], "other sensitive issues"),
        (("verification", "satisfied"), False, "itself says that its claim does not hold"),
        (("verification", "read_from"), "memory", "not counted from the written file"),
        (("verification", "violators"), 1, "violate the claim: the manifest says 1; counted again, it is 0"),
        (("verification", "highest_risk"), 0.1, "the highest risk: the manifest says 0.1"),
        (("verification", "average_risk"), 0.3, "the average risk: the manifest says 0.3"),
        (
            ("distortion", "filled"),
            1,
            "ratings of the release: the manifest says 11; counted again, it is 10",
        ),
        (("distortion", "mean_after"), 3, "the mean of its ratings"),
        (("distortion", "mean_after"), None, "the mean of its ratings"),
        (("distortion", "changed"), 11, "the changed and imputed ratings"),
        (("distortion", "total"), 1, "the information loss"),
        (("distortion", "records_touched"), 1, "the records that were touched"),
        (("distortion", "cells"), 13, "the cells of the input"),
        (("distortion", "ratings"), 13, "the ratings of the input"),
        (("distortion", "mean_before"), None, "the mean before"),
        (("distortion", "sd_filled"), 1, "the mean of imputed ratings"),
        (("distortion", "shares", "withheld"), 0, "the shares"),
        (("cautions",), [{"code": "inference", "message": "none"}], "other cautions"),
        (("ids",), "strip", "the file has record ids, and its manifest says that it has none"),
    ],
)
def test_a_manifest_that_was_changed(release, place, value, problem):
    edited(release, *place, value=value)
    found = verify(release)
    assert not found.valid
    assert any(problem in one for one in found.problems)


def test_a_weaker_claim_is_shown_and_can_be_refused(release):
    """Who forges the manifest well can claim less. So the claim is shown, and more can be demanded."""
    edited(release, "parameters", "k", value=1)
    found = verify(release)
    assert [problem for problem in found.problems if "other cautions" not in problem] == []
    edited(release, "cautions", value=found.to_dict()["cautions"])
    found = verify(release)
    assert found.valid
    assert found.to_dict()["claimed"]["k"] == 1
    assert any("this asks for nothing" in warning for warning in found.warnings)
    assert verify(release, k=5, sensitive=["age"]).valid
    assert not verify(release, k=6, sensitive=["age"]).valid


@pytest.mark.parametrize(
    ("demand", "valid"),
    [({"k": 5}, True), ({"k": 6}, False), ({"epsilon": 2}, True), ({"epsilon": 0}, False),
     ({"l": 11}, True), ({"l": 12}, False), ({"k": 1, "epsilon": 0, "l": 0}, True)],
)  # fmt: skip
def test_demands(release, demand, valid):
    found = verify(release, **demand, sensitive=["age"])
    assert found.valid is valid
    assert found.demanded is not None
    assert found.audit.satisfied  # the claim still holds
    assert valid or "demanded" in found.problems[0]


@pytest.mark.parametrize(
    "demand",
    [{"k": 0}, {"epsilon": -1}, {"l": float("nan")}, {"l": 1e308}, {"epsilon": 1e300}, {"nulls": "known"},
     {"layout": "tall"}, {"sensitive": [3]}, {"scale": (5, 1)}, {"l": 1, "sensitive": []}],
)  # fmt: skip
def test_wrong_demands(release, demand):
    with pytest.raises(ParameterError):
        verify(release, **{"sensitive": ["age"], **demand})


def test_one_name_is_a_list_of_one(release):
    assert verify(release, k=5, sensitive="age").demanded.parameters.l == 1


@pytest.mark.parametrize(
    ("place", "value", "warning"),
    [
        (("read", "sensitive"), ["age", "q2"], ""),
        (("ids",), "keep", "ids and order"),
    ],
)
def test_what_makes_a_claim_small_is_said(release, place, value, warning):
    edited(release, *place, value=value)
    found = verify(release)
    assert any(warning in one for one in (*found.warnings, *found.problems))


def test_an_epsilon_that_covers_everything(tmp_path):
    write_release(
        anonymized(survey(tmp_path, sensitive=[], drop=["age"]), k=6, epsilon=5), tmp_path / "r.csv"
    )
    warnings = " ".join(verify(tmp_path / "r.csv").warnings)
    assert "covers the whole range of ratings" in warnings
    assert "no issue is named as sensitive" in warnings


def test_no_release_or_no_manifest(release, tmp_path):
    with pytest.raises(DataError, match="no such file"):
        verify(release.with_name("r2.csv"))
    with pytest.raises(DataError, match="a release, which is one file"):
        verify(tmp_path)
    release.with_name("r.csv.manifest.json").unlink()
    with pytest.raises(DataError, match="published with its manifest"):
        verify(release)


def test_how_to_read_it_is_checked_too(release):
    edited(release, "read", "delimiter", value=";")
    with pytest.raises(DataError):
        verify(release)


def test_no_l_is_claimed_of_a_sensitive_issue(tmp_path):
    write_release(anonymized(survey(tmp_path), [0, 1, 2, 3, 4]), tmp_path / "r.csv")
    assert any("no l is claimed" in one and "(age)" in one for one in verify(tmp_path / "r.csv").warnings)


def test_a_largest_l_that_is_another(release):
    edited(release, "verification", "largest_l", value={"age": None})
    assert any("other l" in problem for problem in verify(release).problems)


@pytest.mark.parametrize("value", [{"age": "11"}, {"age": True}, {"age": -1}, []])
def test_a_largest_l_that_is_no_number(release, value):
    edited(release, "verification", "largest_l", value=value)
    with pytest.raises(DataError, match="belongs"):
        verify(release)


def test_a_link_to_a_release_finds_the_manifest_beside_the_file(release, tmp_path):
    (tmp_path / "link.csv").symlink_to(release)
    assert verify(tmp_path / "link.csv").valid


def test_the_manifest_beside_a_link_comes_first(release, tmp_path):
    link = tmp_path / "link.csv"
    link.symlink_to(release)
    shutil.move(release.with_name("r.csv.manifest.json"), tmp_path / "link.csv.manifest.json")
    assert verify(link).valid


def test_a_loader_that_read_other_bytes_is_noticed(tmp_path, monkeypatch):
    """A source gives its readers the bytes that were hashed; a foreign loader may open the file itself."""
    path = write_release(anonymized(survey(tmp_path), [0, 1, 2, 3, 4]), tmp_path / "r.csv").path
    plain = verifying.read_for_claim

    def other_bytes(*args, **more):
        reading = plain(*args, **more)
        origin = dataclasses.replace(reading.table.origin, sha256="0" * 64)
        return dataclasses.replace(reading, table=reading.table.replace(origin=origin))

    monkeypatch.setattr(verifying, "read_for_claim", other_bytes)
    found = verify(path)
    assert not found.valid
    assert "the file was changed while it was read" in found.problems


def test_an_ordinary_release_is_told_nothing_else(release):
    """With a demand of one's own not even that the manifest's word was taken."""
    (said,) = verify(release).warnings
    assert said.startswith("k and ε say nothing of what the manifest takes for sensitive (age)")
    (said,) = verify(release, k=3, sensitive="age").warnings  # of answers as found, on no declared scale
    assert said.startswith("at epsilon 1 any two answers to 'q1', 'q2' count as the same")


def test_a_demand_of_what_no_rating_is_is_refused(release):
    for name in ("epsilon", "l"):
        with pytest.raises(ParameterError, match=rf"{name}: .* up to 2\^53"):
            verify(release, sensitive="age", **{name: 2.0**53 * 2})
        assert verify(release, sensitive="age", **{name: 2.0**53}).demanded is not None


def test_an_l_is_demanded_of_a_sensitive_issue(release):
    with pytest.raises(ParameterError, match="l"):
        verify(release, k=3, sensitive=[], l=1)
