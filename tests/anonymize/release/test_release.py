"""A release is written, read again, audited, and only then named.

What would undo it is in the key alone.
"""

import json
import os
import stat

import numpy as np
import polars as pl
import pytest
from golden.tables import build
from release_samples import FIVE, SURVEY, anonymized, manifest_of, survey

import ratingpriv
from ratingpriv.anonymize import Publish, make_release, modify, suppress
from ratingpriv.anonymize.release import writing as module
from ratingpriv.anonymize.release.manifest import commitment
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import (
    DataError,
    OutputError,
    ParameterError,
    ResourceError,
    TargetNotReachedError,
)
from ratingpriv.base.keys import read_key
from ratingpriv.base.target import Target
from ratingpriv.report.pages import page_of
from ratingpriv.report.text import render


@pytest.fixture
def made(tmp_path):
    return anonymized(survey(tmp_path), FIVE)


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "input.csv")


def said(words, result):
    return any(words in warning for warning in result.warnings)


def test_a_release_and_its_manifest(tmp_path, made):
    release = write_release(made, tmp_path / "r.csv", rng=1)
    assert names(tmp_path) == ["r.csv", "r.csv.manifest.json"]
    lines = (tmp_path / "r.csv").read_text().splitlines()
    before = SURVEY.splitlines()[:6]
    assert lines[0] == before[0]
    assert [line.partition(",")[0] for line in lines[1:]] == ["1", "2", "3", "4", "5"]
    assert sorted(line.partition(",")[2] for line in lines) == sorted(
        line.partition(",")[2] for line in before
    )
    assert release.audit.satisfied
    assert release.sha256 == release.audit.dataset.sha256 == verify(tmp_path / "r.csv").sha256
    assert manifest_of(tmp_path / "r.csv")["release"]["sha256"] == release.sha256


def test_amounts(tmp_path):
    """Six records; lou (one rating) is left out, bob's q2 suppressed, joe's q1 changed by 1."""
    original = survey(tmp_path)
    (tmp_path / "other").mkdir()
    text = "user,q1,q2,age\nann,4,5,30\nbob,4,,40\neve,4,5,50\njoe,2,4,60\nkim,3,5,30\n"
    made = anonymized(original, FIVE, k=1, changed=survey(tmp_path / "other", text))
    release = write_release(made, tmp_path / "r.csv", original=original)
    content = json.loads(json.dumps(release.to_dict(), allow_nan=False))
    assert content["equal"]["max_k"] == release.audit.equal.max_k
    assert content["records"] == {"original": 6, "released": 5, "touched": 2, "withheld": 1}
    assert content["cells"] == {"total": 12, "rated": 11, "changed": 1, "filled": 0, "erased": 1}
    assert content["distortion"] == 1 + 4
    assert content["shares"] == {
        "changed": 1 / 11,
        "filled": 0.0,
        "erased": 1 / 11,
        "withheld": 1 / 11,
    }
    assert made.distortion.cells_touched == 2


def test_what_makes_the_promise_a_small_one_is_said(tmp_path):
    table = survey(tmp_path)
    release = write_release(modify(table, k=2, epsilon=table.scale.maximum), tmp_path / "r.csv")
    assert said("covers the whole range of ratings", release)
    frame = pl.DataFrame({"a": [1, 2] * 10, "b": [3] * 20, "pay": [1] * 19 + [5]})
    table = ratingpriv.RatingTable.from_wide(frame, sensitive=["pay"], scale=(1, 5))
    release = write_release(modify(table, k=5, epsilon=1, l=0.8), tmp_path / "s.csv")
    assert said("inference: in 20 neighbourhoods", release)


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
    for name in ("r.csv", "r.parquet"):
        path, key = tmp_path / name, tmp_path / f"{name}.key"
        write_release(anonymized(original, FIVE), path, original=original, key=key, rng=987654321)
        public = path.read_bytes() + path.with_name(f"{name}.manifest.json").read_bytes()
        secrets = [
            original.origin.sha256,
            "987654321",
            "Ann",
            "Eve",
            "input.csv",
            str(tmp_path),
            ".partial",
        ]
        assert [secret for secret in secrets if secret.encode() in public] == []
        assert "987654321" in key.read_text()
        assert read_key(key).facts["nonce"].encode() not in public


@pytest.fixture
def many():
    return build(np.random.default_rng(5).integers(1, 6, (60, 6)).tolist(), scale=(1, 5))


def test_without_a_seed_it_is_the_systems_and_nowhere_but_in_the_key(many, tmp_path):
    made = modify(many, k=4, epsilon=1)
    secret = made.secret_seed
    assert secret.bit_length() > 64
    assert secret != modify(many, k=4, epsilon=1).secret_seed
    again = modify(many, k=4, epsilon=1, rng=secret)
    assert np.array_equal(again.table.values, made.table.values)  # it is what decides
    assert again.secret_seed is None
    release = write_release(made, tmp_path / "r.csv", key=tmp_path / "key")
    assert read_key(tmp_path / "key").facts["method_seed"] == secret
    public = [
        (tmp_path / name).read_text(encoding="utf-8") for name in ("r.csv", "r.csv.manifest.json")
    ]
    for text in (*public, json.dumps(release.to_dict()), render(page_of(release)), repr(made)):
        assert str(secret) not in text
    assert made.parameters.seed is None
    assert not said("seed", release)
    assert modify(many, k=1, epsilon=1).secret_seed is None  # where nothing is drawn
    assert suppress(many, k=1, epsilon=1).secret_seed is None


def test_a_given_seed_is_public_and_the_result_warns(many, tmp_path):
    release = write_release(
        modify(many, k=4, epsilon=1, rng=3), tmp_path / "r.csv", key=tmp_path / "key"
    )
    assert manifest_of(tmp_path / "r.csv")["method"]["seed"] == 3
    assert read_key(tmp_path / "key").facts["method_seed"] == 3
    assert said("the manifest states the seed 3", release)
    assert modify(many, k=1, epsilon=1, rng=3).notes == ()  # where nothing is drawn


def test_the_order_is_random_unless_a_seed_is_given(tmp_path):
    original = survey(
        tmp_path, "user,q1,age\n" + "".join(f"u{i},{1 + i % 5},{i}\n" for i in range(40))
    )
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
    assert sorted(one for one in read_key(tmp_path / "s.key").released if one is not None) == [
        0,
        1,
        2,
        3,
        4,
    ]
    kept = write_release(made, tmp_path / "k.csv", ids="keep")
    assert (tmp_path / "k.csv").read_text() == "\n".join(SURVEY.splitlines()[:6]) + "\n"
    assert said("keeps the records' ids", kept)


def test_an_input_without_ids_gets_none_unless_they_are_kept(tmp_path):
    original = survey(tmp_path, "q1,age\n4,30\n1,40\n5,20\n", scale=None)
    made = anonymized(original, [0, 2], k=2)
    write_release(made, tmp_path / "r.csv", original=original, key=tmp_path / "k")
    assert (tmp_path / "r.csv").read_text().startswith("q1,age\n")
    assert sorted(map(str, read_key(tmp_path / "k").released)) == ["0", "1", "None"]
    assert read_key(tmp_path / "k").original == (0, 1, 2)
    write_release(made, tmp_path / "s.csv", ids="keep")
    assert (tmp_path / "s.csv").read_text() == "record,q1,age\n0,4,30\n2,5,20\n"
    frame = pl.DataFrame({"id": [70, 80, 90], "q": [1, 1, 2]})
    original = ratingpriv.RatingTable.from_wide(frame, id="id")
    # as a reader finds them
    for name, ids in (("n.parquet", {1, 2, 3}), ("n.csv", {"1", "2", "3"})):
        write_release(anonymized(original, k=2), tmp_path / name, key=tmp_path / f"{name}.key")
        assert set(read_key(tmp_path / f"{name}.key").released) == ids


def test_a_long_release_says_nothing_of_the_inputs_order(tmp_path):
    """In the input the first record's issues come first.

    In the release the issues are sorted by name.
    """
    text = (
        "user,item,rating\nx,i9,3\nx,i5,4\ny,i1,4\ny,i5,3\nx,i1,4\ny,i9,3\nz,i9,3\nz,i5,3\nz,i1,4\n"
    )
    original = survey(tmp_path, text, sensitive=[])
    assert original.issues == ("i9", "i5", "i1")
    write_release(anonymized(original), tmp_path / "r.csv")
    items = [line.split(",")[1] for line in (tmp_path / "r.csv").read_text().splitlines()[1:]]
    assert items == ["i1", "i5", "i9"] * 3


def test_times_are_released_only_if_asked_for_and_where_there_is_a_place(tmp_path):
    text = "user,item,rating,date\nx,a,3,2005-09-06\ny,a,3,2005-09-07\n"
    made = anonymized(survey(tmp_path, text, sensitive=[]), k=2)
    assert said("no timestamps", write_release(made, tmp_path / "r.csv"))
    assert "2005" not in (tmp_path / "r.csv").read_text()
    kept = write_release(made, tmp_path / "t.csv", timestamps=True)
    assert "2005-09-06" in (tmp_path / "t.csv").read_text()
    for result in (kept, verify(tmp_path / "t.csv")):
        assert said("has timestamps", result)
    wide = write_release(made, tmp_path / "w.csv", timestamps=True, layout="wide", ids="strip")
    assert (tmp_path / "w.csv").read_text() == "a\n3\n3\n"
    assert said("no timestamps", wide)


# ---- what is refused, and leaves nothing ----


@pytest.mark.parametrize(
    ("asked", "name"),
    [({"ids": "hide"}, "ids"), ({"labels": "runes"}, "labels"), ({"layout": "tall"}, "layout"),
     ({"publish_utility": ("bias",)}, "publish_utility"), ({"utility": 5}, "utility"),
     ({"accept": ("nothing",)}, "accept"), ({"key": "r.csv"}, "key"),
     ({"key": "r.csv.manifest.json"}, "key"),
     ({"format": "none"}, "format"), ({"sign": "none.pem"}, "sign"),
     ({"key": "r.key"}, "original")],  # the key names the suppressed records
)  # fmt: skip
def test_what_is_out_of_range(tmp_path, monkeypatch, made, asked, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError) as caught:
        write_release(made, "r.csv", **asked)
    assert caught.value.name == name
    assert names(tmp_path) == []


def test_what_is_not_anonymous_is_not_written(tmp_path):
    made = anonymized(survey(tmp_path), None, k=3)  # lou is alone
    asked = {"key": tmp_path / "r.key", "original": made.table}
    largest = "With the same ε the largest that hold are k=1"
    with pytest.raises(TargetNotReachedError, match=largest) as caught:
        write_release(made, tmp_path / "r.csv", **asked)
    assert caught.value.best is made
    assert caught.value.exit_code == 1
    with pytest.raises(
        TargetNotReachedError, match=r"k=3, ε=1, l=20\)-anonymous.* k=5, l=11\.\d+ \(age\)"
    ):
        write_release(anonymized(survey(tmp_path), FIVE, l=20), tmp_path / "r.csv")
    unknown = survey(tmp_path, "user,q1,age\nann,4,\nbob,4,\n")
    with pytest.raises(TargetNotReachedError, match=r"k=2, l=any \(age\)"):
        write_release(anonymized(unknown, k=3, l=1), tmp_path / "r.csv")
    assert names(tmp_path) == []


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

    def writing(change):
        def wrong(table, path, **more):
            said = real(table, path, **more)
            path.write_text(change(path.read_text()))
            return said

        monkeypatch.setattr(module, "write_table", wrong)

    writing(lambda text: text.replace("30", "31"))
    with pytest.raises(ResourceError, match="holds other values of 'age'"):
        write_release(made, tmp_path / "r.csv")
    writing(lambda _: "x")
    with pytest.raises(ResourceError, match="could not be read again"):
        write_release(made, tmp_path / "r.csv")
    assert names(tmp_path) == []


def test_a_layout_that_has_no_place_for_a_record_becomes_text(tmp_path):
    """MovieLens has a line for each rating and its time: without times there is none to write."""
    (tmp_path / "u.data").write_text("".join(f"{user}\t7\t3\t881250949\n" for user in (1, 2, 3)))
    original = ratingpriv.read(tmp_path / "u.data", timestamps=True)
    release = write_release(anonymized(original), tmp_path / "r.data")
    assert (original.origin.format, release.read.format) == ("movielens", "delimited")
    assert said("the layout of movielens has no place", release)


@pytest.mark.parametrize("name", ["=1+1", "@SUM(A1)", "a;=1"])
def test_a_release_with_formulas_is_refused_and_never_escaped(name, tmp_path):
    (tmp_path / "d.csv").write_text(f'id,"{name}",b\n=ann,-1,2\nbob,-1,2\n', encoding="utf-8")
    made = modify(ratingpriv.read(tmp_path / "d.csv"), k=2, epsilon=0)
    assert ratingpriv.read(write_release(made, tmp_path / "r.csv").path).issues == (name, "b")
    for more, count in (({}, 1), ({"ids": "keep"}, 2)):
        with pytest.raises(DataError, match=f"found {count} names, ids or values") as caught:
            write_release(made, tmp_path / "s.csv", csv_safe=True, **more)
        assert name in caught.value.with_cells()
    assert not (tmp_path / "s.csv").exists()
    made = modify(ratingpriv.read(tmp_path / "d.csv", drop=[name]), k=2, epsilon=0)
    write_release(made, tmp_path / "s.csv", csv_safe=True)


def test_existing_files_are_kept_and_a_key_even_with_force(tmp_path, made):
    asked = {"key": tmp_path / "r.key", "original": survey(tmp_path)}
    for name, force in (
        ("r.csv", False), ("r.csv.manifest.json", False), ("r.key", False), ("r.key", True),
    ):  # fmt: skip
        (tmp_path / name).write_text("mine")
        with pytest.raises(OutputError, match="exists"):
            write_release(made, tmp_path / "r.csv", force=force, **asked)
        assert names(tmp_path) == [name]
        assert (tmp_path / name).read_text() == "mine"
        (tmp_path / name).unlink()


def test_force_replaces_both(tmp_path, made):
    for name in ("r.csv", "r.csv.manifest.json"):
        (tmp_path / name).write_text("old")
    (tmp_path / "r.csv").chmod(0o640)
    for _ in range(2):
        again = write_release(made, tmp_path / "r.csv", force=True)
        found = verify(tmp_path / "r.csv")
        assert found.valid
        assert found.sha256 == again.sha256
    assert stat.S_IMODE((tmp_path / "r.csv").stat().st_mode) == 0o640
    assert names(tmp_path) == ["r.csv", "r.csv.manifest.json"]


def test_a_link_stays_one(tmp_path, made):
    (tmp_path / "there").mkdir()
    (tmp_path / "r.csv").symlink_to(tmp_path / "there" / "real.csv")
    write_release(made, tmp_path / "r.csv")
    assert (tmp_path / "r.csv").is_symlink()
    assert manifest_of(tmp_path / "there" / "real.csv")["release"]["file"] == "real.csv"
    assert verify(tmp_path / "there" / "real.csv").valid


@pytest.mark.parametrize("place", ["no/r.csv", "", os.devnull])
def test_places_that_hold_no_release(tmp_path, made, place):
    with pytest.raises(OutputError):
        write_release(made, tmp_path / place)
    assert names(tmp_path) == []


# ---- in one call ----

TARGET = Target(k=2, epsilon=1.0)


def test_it_is_written_with_its_proof_and_what_it_is_good_for(tmp_path):
    accept = ["epsilon-covers-questions"]  # two questions of two answers each
    publish = Publish(
        path=tmp_path / "r.csv",
        key=tmp_path / "r.key",
        order_seed=3,
        publish_utility=["all"],
        accept=accept,
    )
    release = make_release(survey(tmp_path), "suppress", TARGET, publish)
    assert release.standing.reserved == ("found",)  # 4 of 5 records are like no other
    assert release.attack["success"]["count"] == 4
    assert release.utility is not None
    assert sorted(publish.files) == sorted(
        path for path in tmp_path.iterdir() if path.name != "input.csv"
    )
    assert not verify(tmp_path / "r.csv")  # what the publisher accepted binds nobody else
    assert verify(tmp_path / "r.csv", accept=[*accept, "found"])
    again = Publish(path=tmp_path / "s.csv", order_seed=3, utility="none", accept=accept)
    bare = make_release(survey(tmp_path), "suppress", TARGET, again)
    assert bare.utility is None  # the strongest adversary is measured all the same
    assert bare.attack["success"] == release.attack["success"]
    assert bare.standing.reserved == ("found",)
    accepted = Publish(
        path=tmp_path / "u.csv", order_seed=3, utility="none", accept=[*accept, "found"]
    )
    assert make_release(survey(tmp_path), "suppress", TARGET, accepted).standing.passes
    lenient = Publish(
        path=tmp_path / "v.csv", order_seed=3, utility="none", accept=accept, found_at_most=0.9
    )
    assert make_release(survey(tmp_path), "suppress", TARGET, lenient).standing.passes
    assert bare.sha256 == release.sha256
    with pytest.raises(ParameterError, match="measure it with `utility='all'`"):
        Publish(path=tmp_path / "t.csv", publish_utility=["recommender"])


def test_no_release_is_replaced_unasked_and_none_by_predictive_has_timestamps(tmp_path):
    (tmp_path / "r.csv").touch()
    with pytest.raises(OutputError):
        Publish(path=tmp_path / "r.csv")
    publish = Publish(path=tmp_path / "r.csv", force=True, timestamps=True)
    with pytest.raises(ParameterError) as caught:
        make_release(survey(tmp_path), "predictive", TARGET, publish)
    assert caught.value.name == "timestamps"
    assert (tmp_path / "r.csv").read_bytes() == b""
