"""The short form of ``python -m tests.fuzz.manifests``, and the cases that once failed there."""

from __future__ import annotations

import json

import pytest

from fuzz import manifests

CASES = sorted(manifests.CORPUS.glob("manifest-*.json"))


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    return {sample.name: sample for sample in manifests.samples(tmp_path_factory.mktemp("releases"))}


@pytest.mark.deep
def test_edited_manifests():
    tally = manifests.run(150, 7, keep=False)
    assert (tally.wrong, tally.unexpected) == (0, 0)
    assert tally.valid > 5
    assert tally.invalid > 5


def test_the_true_manifests_are_valid(releases):
    assert {manifests.trial(sample, [], {}, forge=False) for sample in releases.values()} == {"valid"}


def test_the_judge_knows_what_does_not_hold(releases):
    """A judge that agreed with everything would find nothing."""
    sample = releases["wide.csv"]
    target = {"epsilon": 1, "l": None, "nulls": "strict", "sensitive_nulls": "paper"}
    assert manifests.holds(sample, ["pay"], (1, 5), k=2, **target)
    assert not manifests.holds(sample, [], (1, 60), k=2, **target)
    assert not manifests.holds(sample, ["pay"], (1, 5), k=9, **target)
    assert not manifests.holds(sample, ["pay"], (1, 5), k=2, **target | {"l": 100})


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_what_once_failed(releases, case):
    said = json.loads(case.read_text(encoding="utf-8"))
    answer = manifests.trial(releases[said["release"]], said["edits"], said["asked"], forge=said["forge"])
    assert answer in ("valid", "invalid", "refused")
