"""A release is written, read again, audited, and only then named; what would undo it is in the key alone."""

from __future__ import annotations

import errno
import json
import os
import stat

import numpy as np
import polars as pl
import pytest
from release_samples import SURVEY, anonymized, manifest_of, survey

import ratingpriv
from ratingpriv.anonymize.modification.modify import modify
from ratingpriv.anonymize.release import writing as module
from ratingpriv.anonymize.release.manifest import commitment
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import OutputError, ParameterError, ResourceError, TargetNotReachedError
from ratingpriv.base.keys import read_key

FIVE = [0, 1, 2, 3, 4]


@pytest.fixture
def made(tmp_path):
    return anonymized(survey(tmp_path), FIVE)


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "input.csv")


def test_a_release_and_its_manifest(tmp_path, made):
    release = write_release(made, tmp_path / "r.csv", rng=1)
    assert names(tmp_path) == ["r.csv", "r.csv.manifest.json"]
    lines = (tmp_path / "r.csv").read_text().splitlines()
    assert lines[0] == SURVEY.splitlines()[0]
    assert [line.partition(",")[0] for line in lines[1:]] == ["1", "2", "3", "4", "5"]
    before = sorted(line.partition(",")[2] for line in SURVEY.splitlines()[1:6])
    assert sorted(line.partition(",")[2] for line in lines[1:]) == before
    assert release.audit.satisfied
    assert manifest_of(tmp_path / "r.csv")["release"]["sha256"] == release.sha256
    assert json.dumps(release.to_dict(), allow_nan=False)


def test_the_file_that_is_named_is_the_one_that_was_audited(tmp_path, made):
    release = write_release(made, tmp_path / "r.csv")
    assert release.audit.dataset.sha256 == release.sha256 == verify(tmp_path / "r.csv").sha256


def test_what_makes_the_promise_a_small_one_is_said(tmp_path):
    table = survey(tmp_path)
    assert table.scale is not None
    made = modify(table, k=2, epsilon=table.scale.maximum)
    release = write_release(made, tmp_path / "r.csv")
    assert any("covers the whole range of ratings" in warning for warning in release.warnings)


# ---- order, ids, key ----


def test_the_key_leads_back(tmp_path):
    original = survey(tmp_path)
    made = anonymized(original, [0, 2, 3, 4])
    write_release(made, tmp_path / "r.csv", original=original, key=tmp_path / "r.key")
    key = read_key(tmp_path / "r.key")
    assert key.original == ("ann", "bob", "eve", "joe", "kim", "lou")
    assert (key.released[1], key.released[5]) == (None, None)
    released = ratingpriv.read(tmp_path / "r.csv", sensitive=["age"]).to_wide("polars")
    rows = {row[0]: row[1:] for row in released.iter_rows()}
    for line in SURVEY.splitlines()[1:]:
        who, *cells = line.split(",")
        new = key.released[key.original.index(who)]
        assert new is None or rows[new] == tuple(map(int, cells))
    assert stat.S_IMODE((tmp_path / "r.key").stat().st_mode) == 0o600
    assert key.facts["input_sha256"] == original.origin.sha256
    kept = manifest_of(tmp_path / "r.csv")["input"]
    assert kept["commitment"] == commitment(key.facts["nonce"], key.facts["input_sha256"])


def test_nothing_public_undoes_the_release(tmp_path):
    text = SURVEY.replace("ann", "Ann Smith").replace("eve", "Eve Adams")
    original = survey(tmp_path, text)
    path, key = tmp_path / "r.csv", tmp_path / "r.key"
    write_release(anonymized(original, FIVE), path, original=original, key=key, rng=987654321)
    public = path.read_text() + path.with_name("r.csv.manifest.json").read_text()
    secrets = [original.origin.sha256, "987654321", "Ann", "Eve", "input.csv", str(tmp_path)]
    assert [secret for secret in secrets if secret in public] == []
    assert "987654321" in key.read_text()
    assert read_key(key).facts["nonce"] not in public


def test_the_order_is_random_unless_a_seed_is_given(tmp_path):
    original = survey(tmp_path, "user,q1,age\n" + "".join(f"u{i},{1 + i % 5},{i}\n" for i in range(40)))
    made = anonymized(original, k=2)
    texts = []
    for number, rng in enumerate([None, None, 5, 5]):
        write_release(made, tmp_path / f"{number}.csv", rng=rng)
        texts.append((tmp_path / f"{number}.csv").read_text())
    assert texts[0] != texts[1]
    assert texts[2] == texts[3]
    ages = [line.rpartition(",")[2] for line in texts[0].splitlines()[1:]]
    assert ages != sorted(ages, key=int)


def test_ids_can_be_stripped_or_kept(tmp_path, made):
    original = survey(tmp_path)
    write_release(made, tmp_path / "s.csv", ids="strip", key=tmp_path / "s.key", original=original)
    assert (tmp_path / "s.csv").read_text().splitlines()[0] == "q1,q2,age"
    assert sorted(one for one in read_key(tmp_path / "s.key").released if one is not None) == [0, 1, 2, 3, 4]
    kept = write_release(made, tmp_path / "k.csv", ids="keep")
    assert (tmp_path / "k.csv").read_text() == "\n".join(SURVEY.splitlines()[:6]) + "\n"
    assert any("keeps the records' ids" in warning for warning in kept.warnings)
    assert any("keeps the input's ids" in warning for warning in verify(tmp_path / "k.csv").warnings)
    with pytest.raises(ParameterError, match="one of shuffle, strip, keep"):
        write_release(made, tmp_path / "x.csv", ids="hide")


def test_what_was_not_measured_is_not_published(tmp_path, made):
    with pytest.raises(ParameterError, match="publish_utility"):
        write_release(made, tmp_path / "r.csv", publish_utility=("bias",))
    assert not (tmp_path / "r.csv").exists()


def test_an_input_without_ids_gets_none(tmp_path):
    original = survey(tmp_path, "q1,age\n4,30\n4,40\n5,20\n", scale=None)
    write_release(
        anonymized(original, [0, 2], k=2), tmp_path / "r.csv", original=original, key=tmp_path / "k"
    )
    assert (tmp_path / "r.csv").read_text().startswith("q1,age\n")
    assert sorted(map(str, read_key(tmp_path / "k").released)) == ["0", "1", "None"]
    assert read_key(tmp_path / "k").original == (0, 1, 2)


def test_a_key_needs_the_withheld_records(tmp_path, made):
    with pytest.raises(ParameterError, match="suppressed records"):
        write_release(made, tmp_path / "r.csv", key=tmp_path / "r.key")
    assert names(tmp_path) == []


def test_a_long_release_says_nothing_of_the_inputs_order(tmp_path):
    """In the input the first record's issues come first; in the release the issues are sorted by name."""
    text = "user,item,rating\nx,i9,3\nx,i5,4\ny,i1,4\ny,i5,3\nx,i1,4\ny,i9,3\nz,i9,3\nz,i5,3\nz,i1,4\n"
    original = survey(tmp_path, text, sensitive=[])
    assert original.issues == ("i9", "i5", "i1")
    write_release(anonymized(original), tmp_path / "r.csv")
    items = [line.split(",")[1] for line in (tmp_path / "r.csv").read_text().splitlines()[1:]]
    assert items == ["i1", "i5", "i9"] * 3


def test_times_are_released_only_if_asked_for(tmp_path):
    text = "user,item,rating,date\nx,a,3,2005-09-06\ny,a,3,2005-09-07\n"
    original = survey(tmp_path, text, sensitive=[])
    made = anonymized(original, k=2)
    left_out = write_release(made, tmp_path / "r.csv")
    assert "2005" not in (tmp_path / "r.csv").read_text()
    assert any("no timestamps" in warning for warning in left_out.warnings)
    kept = write_release(made, tmp_path / "t.csv", timestamps=True)
    assert "2005-09-06" in (tmp_path / "t.csv").read_text()
    assert any("has timestamps" in warning for warning in kept.warnings)
    assert any("has timestamps" in warning for warning in verify(tmp_path / "t.csv").warnings)


def test_a_wide_release_has_no_times(tmp_path):
    text = "user,item,rating,date\nx,a,3,2005-09-06\ny,a,3,2005-09-07\n"
    made = anonymized(survey(tmp_path, text, sensitive=[]), k=2)
    release = write_release(made, tmp_path / "r.csv", timestamps=True, layout="wide", ids="strip")
    assert (tmp_path / "r.csv").read_text() == "a\n3\n3\n"
    assert any("no timestamps" in warning for warning in release.warnings)


def test_row_numbers_can_be_kept_as_ids(tmp_path):
    original = survey(tmp_path, "q1,age\n4,30\n1,40\n5,20\n", scale=None)
    write_release(anonymized(original, [0, 2], k=2), tmp_path / "r.csv", ids="keep")
    assert (tmp_path / "r.csv").read_text() == "record,q1,age\n0,4,30\n2,5,20\n"


def test_a_key_on_another_disk(tmp_path, made, monkeypatch):
    """Where the key cannot be renamed to its place it is written there."""

    def elsewhere(staged, target):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    monkeypatch.setattr(module, "install_file", elsewhere)
    write_release(made, tmp_path / "r.csv", key=tmp_path / "r.key", original=survey(tmp_path))
    assert stat.S_IMODE((tmp_path / "r.key").stat().st_mode) == 0o600
    assert names(tmp_path) == ["r.csv", "r.csv.manifest.json", "r.key"]


@pytest.mark.parametrize("name", ["r.csv.gz", "r.csv.zip", "r.parquet", "r.tsv"])
def test_the_name_says_how_it_is_packed(tmp_path, made, name):
    write_release(made, tmp_path / name)
    assert verify(tmp_path / name).valid


def test_another_format_and_layout(tmp_path, made):
    for number, (form, layout) in enumerate(
        [("parquet", "long"), ("delimited", "long"), ("parquet", "wide")]
    ):
        release = write_release(made, tmp_path / f"r{number}", format=form, layout=layout)
        assert (release.read.format, release.read.options.layout) == (form, layout)
        assert verify(tmp_path / f"r{number}").valid


# ---- what is refused, and leaves nothing ----


def test_what_is_not_anonymous_is_not_written(tmp_path):
    made = anonymized(survey(tmp_path), None, k=3)  # lou is alone
    with pytest.raises(
        TargetNotReachedError, match="With the same ε the largest that hold are k=1"
    ) as caught:
        write_release(made, tmp_path / "r.csv", key=tmp_path / "r.key", original=made.table)
    assert caught.value.best is made
    assert caught.value.exit_code == 1
    assert names(tmp_path) == []


def test_the_l_that_would_hold_is_named(tmp_path):
    made = anonymized(survey(tmp_path), FIVE, l=20)
    with pytest.raises(TargetNotReachedError, match=r"k=3, ε=1, l=20\)-anonymous.* k=5, l=11\.\d+ \(age\)"):
        write_release(made, tmp_path / "r.csv")
    unknown = survey(tmp_path, "user,q1,age\nann,4,\nbob,4,\n")
    with pytest.raises(TargetNotReachedError, match=r"k=2, l=any \(age\)"):
        write_release(anonymized(unknown, k=3, l=1), tmp_path / "r.csv")
    assert names(tmp_path) == []


def test_a_layout_that_has_no_place_for_a_record_becomes_text(tmp_path):
    """MovieLens has a line for each rating and its time: without times there is none to write."""
    (tmp_path / "u.data").write_text("".join(f"{user}\t7\t3\t881250949\n" for user in (1, 2, 3)))
    original = ratingpriv.read(tmp_path / "u.data", timestamps=True)
    release = write_release(anonymized(original), tmp_path / "r.data")
    assert (original.origin.format, release.read.format) == ("movielens", "delimited")
    assert any("the layout of movielens has no place" in warning for warning in release.warnings)


def test_a_file_that_fails_its_audit_is_not_named(tmp_path, made):
    """As if the audit in memory had been wrong: what counts is the file."""
    original = survey(tmp_path)
    lie = type(made)(**{**{name: getattr(made, name) for name in made.__slots__},
                        "table": original, "kept": np.arange(6)})  # fmt: skip
    with pytest.raises(TargetNotReachedError, match="what was written is not"):
        write_release(lie, tmp_path / "r.csv", key=tmp_path / "r.key", original=original)
    assert names(tmp_path) == []


def test_a_writer_that_writes_something_else_is_found_out(tmp_path, made, monkeypatch):
    real = module.write_table

    def wrong(table, path, **more):
        said = real(table, path, **more)
        path.write_text(path.read_text().replace("30", "31"))
        return said

    monkeypatch.setattr(module, "write_table", wrong)
    with pytest.raises(ResourceError, match="holds other ratings of 'age'"):
        write_release(made, tmp_path / "r.csv")
    monkeypatch.setattr(module, "write_table", lambda *a, **b: (real(*a, **b), a[1].write_text("x"))[0])
    with pytest.raises(ResourceError, match="could not be read again"):
        write_release(made, tmp_path / "r.csv")
    assert names(tmp_path) == []


def test_existing_files_are_kept(tmp_path, made):
    original = survey(tmp_path)
    for name in ("r.csv", "r.csv.manifest.json", "r.key"):
        (tmp_path / name).write_text("mine")
        with pytest.raises(OutputError, match="exists"):
            write_release(made, tmp_path / "r.csv", key=tmp_path / "r.key", original=original)
        assert names(tmp_path) == [name]
        assert (tmp_path / name).read_text() == "mine"
        (tmp_path / name).unlink()


def test_a_key_is_never_replaced(tmp_path, made):
    (tmp_path / "r.key").write_text("mine")
    with pytest.raises(OutputError, match="never replaced"):
        write_release(made, tmp_path / "r.csv", key=tmp_path / "r.key", original=made.table, force=True)
    assert names(tmp_path) == ["r.key"]


def test_force_replaces_both(tmp_path, made):
    for name in ("r.csv", "r.csv.manifest.json"):
        (tmp_path / name).write_text("old")
    (tmp_path / "r.csv").chmod(0o640)
    write_release(made, tmp_path / "r.csv", force=True)
    assert verify(tmp_path / "r.csv").valid
    assert stat.S_IMODE((tmp_path / "r.csv").stat().st_mode) == 0o640
    again = write_release(made, tmp_path / "r.csv", force=True)
    assert verify(tmp_path / "r.csv").sha256 == again.sha256
    assert "replaces" not in manifest_of(tmp_path / "r.csv")
    assert names(tmp_path) == ["r.csv", "r.csv.manifest.json"]


def test_a_link_stays_one(tmp_path, made):
    (tmp_path / "there").mkdir()
    (tmp_path / "r.csv").symlink_to(tmp_path / "there" / "real.csv")
    write_release(made, tmp_path / "r.csv")
    assert (tmp_path / "r.csv").is_symlink()
    assert verify(tmp_path / "r.csv").valid
    assert verify(tmp_path / "there" / "real.csv").valid


@pytest.mark.parametrize("place", ["no/r.csv", "", "/dev/null"])
def test_places_that_hold_no_release(tmp_path, made, place):
    with pytest.raises(OutputError):
        write_release(made, tmp_path / place)
    assert names(tmp_path) == []


def test_a_key_beside_itself(tmp_path, made):
    for name in ("r.csv", "r.csv.manifest.json"):
        with pytest.raises(ParameterError, match="another file"):
            write_release(made, tmp_path / "r.csv", key=tmp_path / name, original=made.table)


def test_ids_that_are_numbers_stay_numbers(tmp_path):
    frame = pl.DataFrame({"id": [70, 80, 90], "q": [1, 1, 2]})
    original = ratingpriv.RatingTable.from_wide(frame, id="id")
    made = anonymized(original, k=2)
    write_release(made, tmp_path / "r.parquet", original=original, key=tmp_path / "r.key")
    assert set(read_key(tmp_path / "r.key").released) == {1, 2, 3}
    write_release(made, tmp_path / "r.csv", original=original, key=tmp_path / "t.key")
    assert set(read_key(tmp_path / "t.key").released) == {"1", "2", "3"}  # as a reader of the text finds them


def test_no_name_of_this_machine_is_written(tmp_path, made):
    write_release(made, tmp_path / "r.parquet")
    public = (tmp_path / "r.parquet").read_bytes() + (tmp_path / "r.parquet.manifest.json").read_bytes()
    assert os.fsencode(tmp_path) not in public
    assert b".partial" not in public
