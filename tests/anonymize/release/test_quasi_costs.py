"""What a manifest says that a release cost on quasi-identifiers: amounts that add up with the file."""

from __future__ import annotations

import pytest
from release_samples import anonymized, edit, manifest_of, survey

from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import DataError

PEOPLE = """user,q1,q2,pay,age,region,income
a,4,5,1,30,north,1000
b,4,5,2,30,north,1500
c,4,5,3,30,north,1900
d,2,1,4,40,south,5000
e,2,1,5,40,south,5500
f,2,1,1,40,south,5900
"""


@pytest.fixture
def release(tmp_path):
    table = survey(tmp_path, PEOPLE, sensitive=["pay"], quasi=["age", "region", "income=1000"])
    return write_release(anonymized(table), tmp_path / "r.csv", original=table).path


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"erased": 1}, "values of quasi-identifiers"),
        ({"cells": 0}, "values of quasi-identifiers"),
        ({"withheld": 1}, "values of quasi-identifiers"),
        ({"cells": 19, "withheld": 1}, "the values of records left out"),
        ({"changed": 1}, "the records that were touched"),
        ({"records_touched": 1}, "the records that were touched"),
        ({"moved": 0.5}, "the values that were changed"),
        ({"changed": 99, "records_touched": 6}, "the values that were changed"),
    ],
)
def test_costs_on_quasi_identifiers_have_to_add_up(release, changes, problem):
    cost = manifest_of(release)["distortion"]
    assert cost["quasi"] == {
        "cells": 18, "changed": 0, "erased": 0, "records_touched": 0, "withheld": 0, "moved": 0.0
    }  # fmt: skip
    found = verify(edit(release, distortion={**cost, "quasi": {**cost["quasi"], **changes}}))
    assert not found.valid
    assert any(problem in one for one in found.problems)


@pytest.mark.parametrize("wrong", [-1, None, True, "1"])
@pytest.mark.parametrize("name", ["cells", "changed", "erased", "records_touched", "withheld", "moved"])
def test_costs_on_quasi_identifiers_are_amounts(release, name, wrong):
    cost = manifest_of(release)["distortion"]
    with pytest.raises(DataError, match="expected a manifest"):
        verify(edit(release, distortion={**cost, "quasi": {**cost["quasi"], name: wrong}}))


def test_costs_on_quasi_identifiers_are_there(release):
    cost = {**manifest_of(release)["distortion"]}
    del cost["quasi"]
    assert any(
        "has costs on quasi-identifiers" in one for one in verify(edit(release, distortion=cost)).problems
    )
