"""Releases with quasi-identifiers, nominal sensitive, carried and recoded columns,
and their verification.
"""

import csv
import io

import numpy as np
import polars as pl
import pytest
from fuzz.manifests import forged
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import quasi_groups
from release_samples import GONE, anonymized, edit, manifest_of, rehash

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.roles import ColumnSpec
from ratingpriv.data.formats.writing import UnwritableError, WriteOptions, write_table
from ratingpriv.data.table import Origin, QuasiColumn, SensitiveColumn

MIXED = """id,surname,e_mail,age,region,q1,q2,income,mood,note,spare
1,Ann Smith,ann@x.org,20-29,North,4,5,1000,good,x y,77
2,Bob Brown,bob@x.org,20-29,North,4,4,1500,bad,"a, b",78
3,Cy Young,cy@x.org,20-29,North,5,4,1200,good,,79
4,Di Jones,di@x.org,30-39,"South, far",1,2,9000,good,q,80
5,Ed King,ed@x.org,30-39,"South, far",2,2,9100,bad,r,81
6,Flo Wood,flo@x.org,30-39,"South, far",1,2,9400,ok,s,82
"""
"""Two groups of three who are the same on age and region, and within 1 on q1, q2 and 1000 on
income.
"""

SECRETS = ("surname", "e_mail", "spare", "Ann", "Smith", "Flo", "@x.org")
"""Of columns that are in no release."""

KNOWN = {"sensitive": ["mood"], "quasi": ["income=1000"], "carry": ["note"]}
"""What a receiver has to say for a demand of k and ε."""


def mixed(folder, text=MIXED, **options):
    path = folder / "input.csv"
    path.write_text(text, encoding="utf-8")
    said = {
        "quasi": ["age", "region", "income=1000"],
        "identifier": ["surname", "e_mail"],
        "drop": ["spare"],
        "carry": ["note"],
        "codebook": Codebook(columns={"mood": ColumnSpec(role="sensitive", kind="nominal")}),
        "scale": (1, 5),
    }
    return ratingpriv.read(path, **said | options)


@pytest.fixture
def release(tmp_path):
    table = mixed(tmp_path)
    write_release(
        anonymized(table), tmp_path / "r.csv", original=table, key=tmp_path / "key", rng=1
    )
    return tmp_path / "r.csv"


def forge(release, /, **changes):
    """Change the manifest, and all figures that would be counted again with it."""
    found = verify(edit(release, **changes))
    path = release.with_name(release.name + ".manifest.json")
    path.write_text(forged(path.read_text(encoding="utf-8"), None, found), encoding="utf-8")
    return release


def said(release, **columns):
    """Return ``read`` of the manifest with other words on single columns; None takes them away."""
    read = manifest_of(release)["read"]
    found = {name: spec for name, spec in (read["columns"] | columns).items() if spec is not None}
    return {**read, "columns": found}


def warned(words, result):
    return any(words in warning for warning in result.warnings)


# ---- what is written ----


def test_every_released_column_is_written_and_no_other(release):
    rows = list(csv.DictReader(io.StringIO(release.read_text(encoding="utf-8"))))
    assert list(rows[0]) == ["id", "age", "region", "q1", "q2", "income", "mood", "note"]
    meant = list(csv.DictReader(io.StringIO(MIXED)))
    kept = [name for name in rows[0] if name != "id"]
    assert sorted(tuple(row[name] for name in kept) for row in rows) == sorted(
        tuple(row[name] for name in kept) for row in meant
    )
    assert sorted(row["id"] for row in rows) == [str(number) for number in range(1, 7)]


def test_the_manifest_says_every_rule_and_no_name_of_a_column_that_is_left_out(release):
    content = manifest_of(release)
    assert content["quasi"] == [
        {"name": "age", "rule": "equal"},
        {"name": "region", "rule": "equal"},
        {"name": "income", "rule": "within", "within": 1000.0},
    ]
    assert (content["nominal"], content["carried"]) == (["mood"], ["note"])
    assert content["left_out"] == {"identifier": 2, "drop": 1}
    for path in (release, release.with_name("r.csv.manifest.json"), release.with_name("key")):
        text = path.read_text(encoding="utf-8")
        assert [secret for secret in SECRETS if f'"{secret}"' in text or f"{secret}," in text] == []
        assert "@x.org" not in text
    found = verify(release)
    assert found.valid, found.problems
    assert warned("WITHOUT AN AUDIT: note", found)
    content = found.to_dict()
    assert content["claimed"]["carried"] == content["read"]["claim"]["carried"] == ["note"]
    assert content["read"]["claim"]["by_the_word_of"]["quasi"] == "manifest"


def test_words_are_written_back_in_their_order_but_for_answers_between_two(tmp_path):
    words, path = ["never", "at times", "always"], tmp_path / "r.csv"

    def written(q1, q2, **options):
        table = RatingTable.from_wide(pl.DataFrame({"q1": q1, "q2": q2}), scale=(1, 3))
        labels = {"labels": {"q1": words, "q2": words}}
        table = table.replace(origin=Origin(name="t", details=labels))
        said = write_table(table, path, options=WriteOptions(record_ids=False, **options))
        return path.read_text(encoding="utf-8").split(), said.to_dict().get("columns", {})

    cells, said = written([1, 2, 2, 1], [3, 3, 2, None])
    assert " ".join(cells) == "q1,q2 never,always at times,always at times,at times never,"
    assert said["q1"] == {"role": "rating", "labels": words}
    assert written([1, 2, 2, 1], [3, 3, 2, None], labels="numbers") == (
        ["q1,q2", "1,3", "2,3", "2,2", "1,"],
        {},
    )
    cells, said = written([1.0, 2.5], [3, 3])
    assert cells == ["q1,q2", "1,always", "2.5,always"]
    assert list(said) == ["q2"]


# ---- what has no place is refused ----


@pytest.mark.parametrize("beside", ["quasi", "carried", "nominal"])
@pytest.mark.parametrize("name", ["delimited", "parquet", "movielens"])
def test_a_row_a_rating_has_no_place_for_attributes(tmp_path, beside, name):
    table = ratingpriv.RatingTable.from_long(
        pl.DataFrame({"record": ["1", "2"], "issue": ["1", "1"], "rating": [3, 4]}), scale=(1, 5)
    )
    more = {
        "quasi": {
            "quasi": (QuasiColumn("age", np.array([0, 1], dtype=np.int32), pl.Series(["a", "b"])),)
        },
        "carried": {"carried": (pl.Series("note", ["x", "y"]),)},
        "nominal": {
            "sensitive": (
                SensitiveColumn("mood", np.array([0.0, 1]), np.array([True, True]), ("a", "b")),
            )
        },
    }[beside]
    with pytest.raises(UnwritableError, match="long, of a table with columns that are no ratings"):
        write_table(table.replace(**more), tmp_path / "r", format=name)
    with pytest.raises(ParameterError, match="only ratings"):
        table.replace(**more).to_long()


@pytest.mark.parametrize(
    ("name", "layout", "words"),
    [("r.csv", "long", "wide"), ("r.xls", None, "ends in"), ("r.ODS", None, "ends in"),
     ("r.dta", None, "ends in")],
)  # fmt: skip
def test_a_long_release_and_text_by_the_name_of_another_format_leave_nothing(
    tmp_path, name, layout, words
):
    with pytest.raises(ParameterError, match=words):
        write_release(anonymized(mixed(tmp_path)), tmp_path / name, layout=layout)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["input.csv"]


def test_text_that_no_reader_keeps_is_refused(tmp_path):
    table = mixed(tmp_path)
    blank = table.quasi[1]
    for values in (["", "x"], [" a", "x"]):
        odd = QuasiColumn(blank.name, blank.codes, pl.Series(values), None)
        with pytest.raises(UnwritableError, match="empty texts, or blanks"):
            write_table(table.replace(quasi=(odd,)), tmp_path / "r.csv")


def test_recoded_values_are_said_and_one_that_usually_means_unanswered_is_kept(tmp_path):
    table = mixed(tmp_path, MIXED.replace("North", "None"), only_null=[""])
    age = table.quasi[0]
    recoded = QuasiColumn(age.name, age.codes, age.values, None, "band=10")
    write_release(anonymized(table.replace(quasi=(recoded, *table.quasi[1:]))), tmp_path / "r.csv")
    found = verify(tmp_path / "r.csv")
    assert found.valid, found.problems
    assert set(found.reading.table.quasi[1].values) == {"None", "South, far"}
    assert manifest_of(tmp_path / "r.csv")["recoded"] == {"age": "band=10"}
    assert found.to_dict()["stated_not_checked"]["recoded"] == {"age": "band=10"}


@pytest.mark.parametrize(
    ("demand", "words"),
    [
        ({"quasi": ["age"], "sensitive": ["age"]}, "one role a column"),
        (KNOWN | {"quasi": ["income=1000", "spare"]}, "a column of the release"),
        (KNOWN | {"sensitive": []}, "without 'mood'"),  # categories are something
    ],
)
def test_what_a_receiver_may_not_say(release, demand, words):
    with pytest.raises(ParameterError, match=words):
        verify(release, k=3, **demand)


# ---- what a forger may try ----


def test_a_quasi_identifier_turned_into_a_carried_column(release):
    read = said(release, age={"role": "carry"})
    rules = [rule for rule in manifest_of(release)["quasi"] if rule["name"] != "age"]
    lie = forge(release, read=read, quasi=rules, carried=["note", "age"])
    found = verify(lie)
    assert found.valid
    assert warned("WITHOUT AN AUDIT: age, note", found)
    found = verify(lie, k=3, **KNOWN)
    assert not found.valid
    assert any("has columns without an audit ('age')" in problem for problem in found.problems)
    # the receiver's word counts
    assert verify(lie, k=3, **KNOWN | {"quasi": ["age", "income=1000"]}).valid


def test_a_quasi_identifier_taken_off_the_list(release):
    rules = [rule for rule in manifest_of(release)["quasi"] if rule["name"] != "income"]
    assert not verify(edit(release, quasi=rules)).valid  # the file is read with it
    read = said(release, income=None)  # numbers count as ratings then
    found = verify(edit(release, read={**read, "scale": [0, 10000]}, quasi=rules, issues=3))
    assert any("not as anonymous as claimed" in problem for problem in found.problems)
    with pytest.raises(DataError):  # and text is no rating
        verify(edit(release, read=said(release, age=None)))


def test_a_wider_tolerance(release):
    rules = manifest_of(release)["quasi"]
    rules[2]["within"] = 1e6
    lie = forge(release, read=said(release, income={"role": "quasi", "within": 1e6}), quasi=rules)
    assert warned("income (within 1000000)", verify(lie))
    with pytest.raises(
        ParameterError, match="only the manifest states how much records may differ: 'income'"
    ):
        verify(lie, k=3, sensitive=["mood"], carry=["note"])
    assert verify(lie, k=3, **KNOWN).valid
    assert not verify(lie, k=3, **KNOWN | {"quasi": ["income=100"]}).valid


def test_ratings_declared_as_quasi_identifiers_of_huge_tolerance(release):
    columns = {name: {"role": "quasi", "within": 1e9} for name in ("q1", "q2")}
    rules = [
        *manifest_of(release)["quasi"],
        *({"name": name, "rule": "within", "within": 1e9} for name in columns),
    ]
    lie = forge(release, read=said(release, **columns), quasi=rules, issues=0)
    with pytest.raises(ParameterError, match=r"quasi: .*'q1', 'q2'"):
        verify(lie, k=3, **KNOWN)
    codebook = Codebook(columns={"q[12]": ColumnSpec(role="rating")})
    found = verify(lie, k=3, epsilon=0, codebook=codebook, **KNOWN)
    assert found.demanded.n_violators == 6


def test_words_of_a_scale_in_another_order(tmp_path):
    """By the true order, always and never are 2 apart."""
    (tmp_path / "input.csv").write_text("q1,q2\n1,1\n3,1\n1,1\n3,1\n", encoding="utf-8")
    table = ratingpriv.read(tmp_path / "input.csv", scale=(1, 3))
    words = ["nix", "naja", "jede"]
    details = {**table.origin.details, "labels": {"q1": words}}
    table = table.replace(origin=Origin(format="delimited", details=details))
    release = tmp_path / "r.csv"
    write_release(anonymized(table, k=2, epsilon=0), release)
    lie = forge(
        release, read=said(release, q1={"role": "rating", "labels": ["nix", "jede", "naja"]})
    )
    assert warned("order of the words of q1", verify(lie))
    with pytest.raises(DataError):  # no usual scale has them, and the manifest's word is not enough
        verify(lie, k=2, epsilon=1)
    codebook = Codebook(columns={"q1": ColumnSpec(role="rating", labels=tuple(words))})
    assert verify(lie, k=4, epsilon=1, codebook=codebook).demanded.n_violators == 4
    assert verify(lie, k=2, epsilon=1, codebook=codebook).demanded.satisfied


def test_answers_in_usual_words_come_back_as_words_and_need_nobodys_word(tmp_path):
    agreement = [
        "Strongly disagree",
        "Disagree",
        "Neither agree nor disagree",
        "Agree",
        "Strongly agree",
    ]
    frequency = ["Never", "Rarely", "Sometimes", "Often", "Always"]
    lines = [f"{one},{other}" for one, other in zip(agreement, frequency, strict=True)]
    (tmp_path / "input.csv").write_text("\n".join(["q1,q2", *lines]) + "\n", encoding="utf-8")
    table = ratingpriv.read(tmp_path / "input.csv")
    release = tmp_path / "r.csv"
    write_release(anonymized(table, k=2, epsilon=1), release)
    assert sorted(release.read_text(encoding="utf-8").splitlines()) == sorted(["q1,q2", *lines])
    found = verify(release, k=2, epsilon=1)
    assert found.valid, found.problems
    assert found.demanded_reading.worded == []
    assert not verify(release, k=3, epsilon=1).valid  # at the ends of the scale
    write_release(anonymized(table, k=2, epsilon=1), release, labels="numbers", force=True)
    assert "agree" not in release.read_text(encoding="utf-8")
    assert verify(release).valid


@pytest.mark.parametrize(
    "columns",
    [
        {"age": {"role": "identifier"}},
        {"age": {"role": "drop"}},
        {"age": {"role": "id"}},
        {"age": {"role": "quasi", "band": 10}},
        {"age": {"role": "quasi", "map": "/etc/passwd"}},
        {"age": {"role": "quasi", "missing": ["20-29"]}},
        {"age": {"role": "quasi", "within": -1}},
        {"age": {"role": "quasi", "within": "5"}},
        {"age": {"role": "quasi", "within": True}},
        {"age": {"role": "carry", "within": 1}},
        {"age": {"role": "sensitive", "kind": "nominal"}},  # not in read.sensitive
        {"q1": {"role": "rating", "labels": ["1", "2", "5", "3", "4"]}},
        {"q1": {"role": "rating", "labels": ["one", "one"]}},
        {"q1": {"role": "rating", "labels": ["one", "NA"]}},
        {"q1": {"role": "rating", "labels": ["one"]}},
        {"q1": {"role": ["rating"]}},
        {"q1": "rating"},
    ],
)
def test_what_no_manifest_may_state(release, columns):
    with pytest.raises(DataError, match="manifest"):
        verify(edit(release, read=said(release, **columns)))


def test_other_readings(release):
    with pytest.raises(DataError, match="only an empty cell"):
        verify(edit(release, read={**said(release), "null": ["North"]}))
    read = said(release)
    del read["null"]
    # that are not there
    for columns in ({"a*": {"role": "quasi"}}, {"renamed": {"role": "quasi"}}):
        with pytest.raises(DataError):
            verify(edit(release, read={**read, "columns": {**read["columns"], **columns}}))
    found = verify(edit(release, read={**read, "only": ["q1"]}, issues=1))
    assert any(
        "1 column that the manifest takes for nothing" in problem for problem in found.problems
    )


def test_the_receivers_codebook_finds_a_direct_identifier(release, tmp_path):
    path = tmp_path / "codebook.toml"
    path.write_text('[columns.region]\nrole = "identifier"\n', encoding="utf-8")
    spec = {"region": ColumnSpec(role="identifier"), "absent": ColumnSpec(role="quasi")}
    for codebook in (Codebook(columns=spec), path, str(path)):
        found = verify(release, k=3, codebook=codebook, **KNOWN)
        assert not found.valid
        assert any("your codebook does not name: 'region'" in problem for problem in found.problems)


def test_a_manifest_of_an_older_version_names_none(tmp_path):
    table = mixed(tmp_path, quasi=[], drop=["spare", "age", "region", "income", "mood"], carry=[],
                  identifier=["surname", "e_mail", "note"], codebook=None)  # fmt: skip
    write_release(anonymized(table), tmp_path / "r.csv")
    gone = ("nominal", "quasi", "recoded", "carried", "left_out")
    assert verify(edit(tmp_path / "r.csv", *((name, GONE) for name in gone))).valid


# ---- any table ----

TEXTS = st.sampled_from(["North", "South, far", "None", "NA", 'say "so"', "ü", "20-29", "=1"])


@st.composite
def attributed(draw):
    """Draw a table with ratings and every kind of column beside them."""
    n = draw(st.integers(2, 8))
    rows = st.lists(st.one_of(st.none(), st.integers(1, 3)), min_size=n, max_size=n)
    table = RatingTable.from_wide(
        pl.DataFrame({name: pl.Series(draw(rows), dtype=pl.Int64) for name in ("q1", "q2")}),
        scale=(1, 3),
    )
    values = draw(st.lists(TEXTS, min_size=1, max_size=3, unique=True))
    amounts = sorted(
        draw(st.lists(st.sampled_from([0.5, 1.0, 2.5, 1e6, -3.0]), min_size=1, unique=True))
    )

    def codes(count):
        cells = st.lists(st.integers(-1, count - 1), min_size=n, max_size=n)
        return np.array(draw(cells), dtype=np.int32)

    mood = codes(len(values))
    return table.replace(
        quasi=(
            QuasiColumn("region", codes(len(values)), pl.Series(values)),
            QuasiColumn(
                "pay",
                codes(len(amounts)),
                pl.Series(amounts),
                draw(st.sampled_from([None, 0.5, 2])),
            ),
        ),
        sensitive=(
            SensitiveColumn(
                "mood", np.where(mood < 0, 0, mood).astype(float), mood >= 0, tuple(values)
            ),
        ),
        carried=(
            pl.Series("note", draw(st.lists(st.one_of(st.none(), TEXTS), min_size=n, max_size=n))),
        ),
    )


def cells(table):
    frame = table.to_wide("polars").drop("record", "id", strict=False)
    return sorted(frame.select(sorted(frame.columns)).rows(), key=repr)


@pytest.mark.parametrize("name", ["r.csv", "r.parquet"])
@settings(max_examples=15)
@given(table=attributed(), ids=st.sampled_from(["shuffle", "keep"]))
def test_what_is_read_again_is_what_was_meant(tmp_path_factory, name, table, ids):
    release = tmp_path_factory.mktemp("any") / name
    made = anonymized(table, k=1)
    written = write_release(made, release, ids=ids)
    found = verify(release)
    assert found.valid, found.problems
    again = found.reading.table
    assert cells(again) == cells(table)
    assert [(one.name, one.within) for one in again.quasi] == [
        (one.name, one.within) for one in table.quasi
    ]
    counted = min(map(sum, quasi_groups.near(again, 1.0, "strict")))
    assert written.audit.k_epsilon.max_k == found.audit.k_epsilon.max_k == counted


# ---- workbooks and files of statistics programs ----


@pytest.mark.parametrize(
    ("name", "package"), [("r.xlsx", "python_calamine"), ("r.sav", "pyreadstat")]
)
def test_other_formats_hold_every_column(tmp_path, name, package):
    pytest.importorskip(package)
    pytest.importorskip("xlsxwriter")
    write_release(anonymized(mixed(tmp_path)), tmp_path / name)
    found = verify(tmp_path / name, k=3, **KNOWN)
    assert found.valid, found.problems
    assert [one.name for one in found.reading.table.quasi] == ["age", "region", "income"]


def test_values_that_a_file_declares_missing_are_there_for_everybody(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    release = tmp_path / "r.sav"
    write_release(anonymized(mixed(tmp_path)), release)
    frame, _ = pyreadstat.read_sav(release)
    pyreadstat.write_sav(frame, release, missing_ranges={"income": [{"lo": 0, "hi": 99999}]})
    with pytest.raises(DataError, match="6 values that the file itself declares missing"):
        verify(rehash(release))


def test_a_manifest_that_leaves_out_columns_is_not_a_file_that_changed(release):
    forged = edit(release, read={**said(release), "only": ["q1"]}, issues=1)
    with pytest.raises(DataError, match="some columns of the release are not read") as caught:
        verify(forged, quasi=["region", "income=1000"], sensitive=["mood"])
    assert "a moment ago" not in str(caught.value)
