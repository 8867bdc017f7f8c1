"""The short form of ``make fuzz KINDS=manifests``, and the cases that once failed there."""

from __future__ import annotations

import json

import pytest

from fuzz import manifests
from fuzz.registry import dice

CASES = sorted(manifests.CORPUS.glob("manifest-*.json"))


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    return {sample.name: sample for sample in manifests.samples(tmp_path_factory.mktemp("releases"))}


@pytest.mark.deep
def test_edited_manifests():
    ends = {word for number in range(8) for word in manifests.attempt(dice("manifests", 7, number)).split()}
    assert ends == {"valid", "invalid", "refused"}


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
