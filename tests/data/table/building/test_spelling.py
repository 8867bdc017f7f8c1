"""One person twice: ids and identifiers are compared as they are meant,
whichever door a table comes by.
"""

import polars as pl
import pytest

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table.building.spelling import same_ids, shared

SPELT = {
    "case": ("ann", "Ann"),
    "a blank": ("ann b", "ann  b"),
    "no width": ("ann", "an\u200bn"),
    "composed": ("Zo\u00eb", "Zoe\u0308"),
    "sharp s": ("STRASSE", "straße"),
    "full width": ("ann", "\uff41nn"),
    "an address": ("a@b.org", "A@B.org"),
    "a telephone": ("+41 79 555 01 01", "079-5550101"),
}
OTHERS = {"a telephone": ("+41 79 555 01 02", "+41 79 555 01 03")}


def wide_of(kind):
    ids = [*SPELT[kind], *OTHERS.get(kind, ("x", "y"))]
    return pl.DataFrame({"id": ids, "q1": [1, 1, 5, 5], "q2": [2, 2, 4, 4]})


def long_of(wide, *more):
    key = [wide.columns[0], *more]
    return wide.unpivot(index=key, variable_name="item", value_name="rating").rename(
        {key[0]: "user"}
    )


def written(frame, path):
    getattr(
        frame,
        {".csv": "write_csv", ".parquet": "write_parquet", ".xlsx": "write_excel"}[path.suffix],
    )(path)
    return path


def from_wide(frame, name, **said):
    return RatingTable.from_wide(frame, id=name, **said)


def from_long(frame, **said):
    return RatingTable.from_long(frame, record="user", issue="item", **said)


FRAMES = {
    "polars": lambda frame: frame,
    "pandas": pl.DataFrame.to_pandas,
    "arrow": pl.DataFrame.to_arrow,
    "categorical": lambda frame: frame.with_columns(pl.col(pl.String).cast(pl.Categorical)),
}


@pytest.mark.parametrize("kind", SPELT)
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx"])
def test_ids_of_files(tmp_path, suffix, kind):
    wide = wide_of(kind)
    table = ratingpriv.read(written(wide, tmp_path / f"w{suffix}"), id="id")
    assert table.repeats == (("id", 3, 4),)
    assert "identifier-repeats" in ratingpriv.audit(table, k=1, epsilon=0).standing.reserved
    table = ratingpriv.read(written(long_of(wide), tmp_path / f"l{suffix}"), layout="long")
    assert table.repeats == (("user", 3, 4),)


@pytest.mark.parametrize("kind", SPELT)
@pytest.mark.parametrize("frame", FRAMES)
def test_ids_of_frames(frame, kind):
    wide = wide_of(kind)
    assert ratingpriv.read(FRAMES[frame](wide), id="id").repeats == (("id", 3, 4),)
    assert from_wide(FRAMES[frame](wide), "id").repeats == (("id", 3, 4),)
    assert from_long(FRAMES[frame](long_of(wide))).repeats == (("user", 3, 4),)


def contacts(name, values):
    return pl.DataFrame({"rid": list("abcd"), name: values, "q1": [1, 1, 5, 5], "q2": [2, 2, 4, 4]})


PHONES = ["+41 79 555 01 01", "0041795550101", "+41 79 555 01 02", "+41 79 555 01 03"]
SHARED = {
    "email": ["a@b.org", "A@b.org ", "c@b.org", "d@b.org"],
    "phone": PHONES,
    "v7": PHONES,  # whatever it is called
    "v8": ["a@b.org", "mailto:a@b.org", None, "d@b.org"],
}
FOUND = {"v8": (2, 3)}


@pytest.mark.parametrize("name", SHARED)
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx"])
def test_columns_that_files_leave_out(tmp_path, suffix, name):
    wide = contacts(name, SHARED[name])
    expected = ((name, *FOUND.get(name, (3, 4))),)
    path = written(wide, tmp_path / f"w{suffix}")
    assert ratingpriv.read(path, id="rid", drop=[name]).repeats == expected
    assert ratingpriv.read(path, id="rid", identifier=[name]).repeats == expected
    path = written(long_of(wide, name), tmp_path / f"l{suffix}")
    assert ratingpriv.read(path, layout="long", drop=[name]).repeats == expected


@pytest.mark.parametrize("name", SHARED)
@pytest.mark.parametrize("frame", FRAMES)
def test_columns_that_frames_leave_out(frame, name):
    wide = contacts(name, SHARED[name])
    expected = ((name, *FOUND.get(name, (3, 4))),)
    assert ratingpriv.read(FRAMES[frame](wide), id="rid", drop=[name]).repeats == expected
    assert from_wide(FRAMES[frame](wide), "rid", drop=[name]).repeats == expected
    assert from_long(FRAMES[frame](long_of(wide, name)), drop=[name]).repeats == expected


def test_attributes_that_nobody_names_are_looked_at(tmp_path):
    (tmp_path / "l.csv").write_text("user,item,rating\na,1,3\nb,1,3\n")
    (tmp_path / "a.csv").write_text("user,v7,age\na,x@y.org,30\nb,X@y.org,30\n")
    table = ratingpriv.read(tmp_path / "l.csv", attributes=tmp_path / "a.csv", quasi=["age"])
    assert table.repeats == (("v7", 1, 2),)


def test_what_people_share_is_nothing():
    assert shared("v", pl.Series(["2021-01-01", "2021-01-01", "01.02.2021", "01.02.2021"])) is None
    assert shared("v", pl.Series(["good", "good"])) is None
    assert shared("v", pl.Series([79555010, 79555010])) is None
    # one record, twice
    assert shared("v", pl.Series(["a@b.org", "A@b.org"]), pl.Series([1, 1])) is None
    # places and persons of a study
    assert same_ids(pl.Series(["12-3-00456", "1-23-00456"])) is None


def test_a_dropped_column_that_cannot_be_read_does_no_harm(tmp_path):
    broken = pl.DataFrame({"id": [1, 2], "q1": [1, 2], "note": ["a", "b"]}).to_arrow()
    import pyarrow as pa
    import pyarrow.parquet

    bad = pa.array([b"\xff", b"b"], pa.binary()).view(pa.string())
    pyarrow.parquet.write_table(broken.set_column(2, "note", bad), tmp_path / "a.parquet")
    assert ratingpriv.read(tmp_path / "a.parquet", id="id", drop=["note"]).n_issues == 1


def test_a_row_a_rating_has_no_others(tmp_path):
    path = written(long_of(wide_of("case")), tmp_path / "l.csv")
    with pytest.raises(ParameterError, match="others"):
        ratingpriv.read(path, others="rating")
