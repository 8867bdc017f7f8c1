"""Digits behind a 0 are codes: regions 01 and 1 are two, whatever numbers they spell."""

from __future__ import annotations

import ratingpriv
from ratingpriv.anonymize import suppress
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.roles import ColumnSpec


def read(folder, regions, **spec):
    rows = "".join(f"r{number},3,{region}\n" for number, region in enumerate(regions))
    (folder / "a.csv").write_text(f"id,q1,region\n{rows}")
    codebook = Codebook(columns={"region": ColumnSpec(role="quasi", **spec)})
    return ratingpriv.read(folder / "a.csv", id="id", codebook=codebook)


def test_regions_that_spell_one_number_are_two(tmp_path):
    """SATISFIED it was for k = 2, and a release called both 1."""
    table = read(tmp_path, ["1", "01", "2", "2"])
    assert not ratingpriv.audit(table, k=2, epsilon=1).satisfied
    assert ratingpriv.audit(read(tmp_path, ["1", "1.0", "2", "2"]), k=2, epsilon=1).satisfied


def test_a_code_is_released_as_it_is(tmp_path):
    table = read(tmp_path, ["01234", "01234", "1234", "1234"])
    release = write_release(suppress(table, k=2, epsilon=1), tmp_path / "r.csv", ids="keep")
    assert [line.rpartition(",")[2] for line in release.path.read_text().splitlines()[1:]] == [
        "01234",
        "01234",
        "1234",
        "1234",
    ]
    assert verify(release.path).valid


def test_a_rule_for_numbers_makes_them_numbers(tmp_path):
    assert read(tmp_path, ["05", "5", "7"], within=1.0).quasi[0].values.to_list() == [5.0, 7.0]
    assert read(tmp_path, ["05", "5", "17"], band=10.0).quasi[0].values.to_list() == ["0-9", "10-19"]
    assert read(tmp_path, ["05", "5", "17"], bands=(10.0,)).quasi[0].values.to_list() == [5.0, 17.0]
