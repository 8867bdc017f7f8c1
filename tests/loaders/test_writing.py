"""What a writer writes, its loader reads back the same: every format, every layout, any table."""

import dataclasses
import datetime
import gzip
import zipfile

import numpy as np
import polars as pl
import pytest
from depth import DEPTH
from golden.tables import table2
from hypothesis import example, given, settings
from hypothesis import strategies as st
from loaders.files import write
from properties.strategies import tables

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.anonymize.release.rereading import difference
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.formats.reading import Source, detect
from ratingpriv.data.formats.writing import (
    Rereading,
    UnwritableError,
    WriteOptions,
    choose_format,
    write_table,
)

LONG = [
    (layout, name)
    for layout in ("wide", "long")
    for name in ("a.csv", "a.tsv", "a.parquet", "a.csv.gz")
]


def round_trip(table, path, **more):
    """Write, read back as the writer says, from JSON-like values; what differs."""
    said = Rereading.from_dict(write_table(table, path, **more).to_dict())
    return difference(table, said.read(path))


@pytest.mark.parametrize(("layout", "name"), LONG)
@settings(max_examples=12 * DEPTH)
@given(table=tables())
def test_any_table_comes_back(tmp_path_factory, layout, name, table):
    path, options = tmp_path_factory.mktemp("written") / name, WriteOptions(layout=layout)
    digits = max(
        (len(repr(level).replace(".", "").strip("-0")) for level in table.levels.tolist()),
        default=0,
    )
    if digits > 15 and "parquet" not in name:  # no reader of text would take it
        with pytest.raises(
            UnwritableError, match=f"a number of {digits} significant digits|round the ratings"
        ):
            write_table(table, path, options=options)
        return
    assert round_trip(table, path, options=options) is None


AWKWARD = st.text(st.sampled_from('ab,;"\n\r\t: é€0'), min_size=1, max_size=4)


@settings(max_examples=30 * DEPTH)
@example(ids=["0", "\r0\r"], names=["0", "0\r0"], delimiter=",", encoding="utf-8", layout="long")
@given(
    ids=st.lists(AWKWARD, min_size=2, max_size=4, unique=True),
    names=st.lists(AWKWARD.map(str.strip).filter(bool), min_size=2, max_size=3, unique=True),
    delimiter=st.sampled_from([",", ";", "\t", "::"]),
    encoding=st.sampled_from(["utf-8", "cp1252", "utf-16", "ascii"]),
    layout=st.sampled_from(["wide", "long"]),
)
def test_awkward_names_are_quoted(tmp_path_factory, ids, names, delimiter, encoding, layout):
    frame = pl.DataFrame({name: [1, 2, 3, None][: len(ids)] for name in names}).with_columns(
        pl.Series("the records", ids)
    )
    table = RatingTable.from_wide(frame, id="the records")
    table = with_details(table, delimiter=delimiter, encoding=encoding)
    path = tmp_path_factory.mktemp("written") / "a.csv"
    assert round_trip(table, path, options=WriteOptions(layout=layout)) is None


DAY = datetime.date(2005, 9, 6)
UNIX = 881_250_949


def log(**columns):
    """Return a table of two ratings, with some columns replaced."""
    whole = {"record": ["7", "8"], "issue": ["1", "2"], "rating": [4.0, 3.0], **columns}
    time = {"timestamp": "timestamp"} if "timestamp" in whole else {}
    return RatingTable.from_long(pl.DataFrame(whole), **time)


def with_details(table, **details):
    return table.replace(
        origin=dataclasses.replace(table.origin, format="delimited", details=details)
    )


# ---- the layout of the input ----


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("respondent,q1,age,q2\nann,4,30,5\nbob,,31,2.5\n", {"sensitive": ["age"]}),
        ("who;q1;q2\nann;N/A;5\nbob;3;N/A\n", {"id": "who", "null": ["N/A"]}),
        ("q1\tq2\n4\t\n\t2\n", {}),
        ("7,4,5\n8,,2\n", {"header": False, "id": "1"}),
        ("4,5,7\n,2,8\n", {"header": False, "id": "3"}),
        ("user,movie,rating\nx,A,5\nx,B,4\ny,A,3\n", {}),
        (
            "user|movie|stars|date\nx|A|5|2005-09-06\nx|B|4|2005-09-07\ny|A|3|\n",
            {"timestamp": "date"},
        ),
        ("1::10::5::900000000\n1::20::4::900000001\n2::10::3::900000002\n", {}),
        ("1\t10\t5\t900000000\n1\t20\t4\t900000001\n2\t10\t3\t900000002\n", {}),
        ("userId,movieId,rating,timestamp\n1,10,5.0,900000000\n1,20,4.5,900000001\n", {}),
        ("s\n4\nNA\n3\n", {}),
        ("q1,respondent,age,q2\n4,ann,30,5\n,bob,31,2\n", {"sensitive": ["age"]}),
        (",q1,q2\na,1,2\nb,2,\n", {}),
        ("rating;user;date;item\n3;x;2005-09-06;A\n4;y;;A\n", {}),
    ],
)
def test_a_text_is_written_as_it_was(tmp_path, text, options):
    """Byte for byte, columns where they stood."""
    table = ratingpriv.read(write(tmp_path, text), **options)
    after = tmp_path / "after.csv"
    columns = WriteOptions(record_ids=table.record_ids.dtype == pl.String)
    said = write_table(table, after, options=columns)
    assert after.read_text(encoding="utf-8") == text
    assert said.format == table.origin.format
    assert difference(table, said.read(after)) is None


@settings(max_examples=25 * DEPTH)
@given(
    rows=st.dictionaries(
        st.tuples(st.integers(1, 9), st.integers(1, 99)),
        st.tuples(
            st.integers(1, 5), st.dates(datetime.date(1999, 1, 1), datetime.date(2030, 1, 1))
        ),
        min_size=1,
        max_size=15,
    ),
)
def test_logs_come_back_as_movielens(tmp_path_factory, rows):
    table = log(
        record=[record for record, _ in rows],
        issue=[str(issue) for _, issue in rows],
        rating=[rating for rating, _ in rows.values()],
        timestamp=[day.toordinal() * 1000 - 5 for _, day in rows.values()],
    )
    path = tmp_path_factory.mktemp("written") / "a.txt"
    assert round_trip(table, path, format="movielens") is None
    assert detect(Source(path))[0].name == "movielens"


def test_a_rating_that_looks_like_a_null_is_none(tmp_path):
    """A modified rating may get the value that meant "not rated" before."""
    table = ratingpriv.read(write(tmp_path, "id,a,b\nx,-1,1\ny,0,1\n"), null=["0"])
    changed = table.replace(levels=np.array([0.0, 1.0]))
    path = tmp_path / "b.csv"
    assert round_trip(changed, path) is None
    assert path.read_text() == "id,a,b\nx,0,1\ny,,1\n"


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_nobody_nothing_and_no_time_of_day_is_lost_in_a_long_layout(tmp_path, name):
    unrated = pl.DataFrame({"id": ["x", "y"], "a": [None, None], "b": [None, 4], "s": [None, 1]})
    table = RatingTable.from_wide(unrated, id="id", sensitive=["s"])
    assert round_trip(table, tmp_path / name, options=WriteOptions(layout="long")) is None
    moment = datetime.datetime(2005, 9, 6, 12, 30, 1, 250)
    assert round_trip(log(timestamp=[moment, None]), tmp_path / name) is None


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_without_ids_no_issue_is_taken_for_them(tmp_path, name):
    frame = pl.DataFrame({"id": ["x", "y"], "user": [4, 5], "a": [1, 2], "s": [3, 3]})
    table = RatingTable.from_wide(frame, id="id", sensitive=["s"])
    said = Rereading.from_dict(
        write_table(table, tmp_path / name, options=WriteOptions(record_ids=False)).to_dict()
    )
    assert difference(table, said.read(tmp_path / name), by_position=True) is None


# ---- packing ----


@pytest.mark.parametrize("name", ["a.csv.gz", "a.csv.zst", "a.csv.zip", "a.parquet"])
def test_packing_says_nothing_of_time_and_place(tmp_path, name):
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        assert round_trip(table2(), folder / name) is None
    assert (one / name).read_bytes() == (two / name).read_bytes()


def test_the_final_name_says_how_it_is_packed(tmp_path):
    path = tmp_path / "temporary"
    write_table(table2(), path, options=WriteOptions(name="r.csv.zip"))
    assert zipfile.ZipFile(path).namelist() == ["r.csv"]
    write_table(table2(), path, options=WriteOptions(name="r.csv.gz"))
    assert path.read_bytes()[3] == 0  # no name
    assert path.read_bytes()[4:8] == b"\0\0\0\0"  # no time
    assert gzip.decompress(path.read_bytes()).startswith(b"record,")


# ---- which format ----


def test_the_format_follows_the_name_then_the_origin():
    table = table2()
    assert choose_format(table, "a.parquet") == "parquet"
    assert choose_format(table, "a.csv") == "delimited"
    assert choose_format(table, "a.csv", "parquet") == "parquet"
    with pytest.raises(ParameterError, match="one of delimited, movielens, parquet"):
        choose_format(table, "a.csv", "excel")


@pytest.mark.parametrize(
    "table",
    [log(timestamp=[DAY, None]), log(record=["x", "y"], timestamp=[DAY, DAY]), log(), table2()],
    ids=["a date missing", "ids of text", "no dates", "half stars and gaps"],
)
def test_what_a_format_cannot_hold_is_refused_or_written_as_text(tmp_path, table):
    with pytest.raises(UnwritableError, match="write it as delimited"):
        write_table(table, tmp_path / "a.txt", format="movielens")
    table = table.replace(origin=dataclasses.replace(table.origin, format="movielens"))
    said = write_table(table, tmp_path / "b.txt")
    assert said.format == "delimited"
    assert difference(table, said.read(tmp_path / "b.txt")) is None


# ---- what a reader is told ----


@pytest.mark.parametrize(
    "content",
    [{}, {"format": 3}, {"format": "delimited", "colour": "red"},
    {"format": "delimited", "null": "x"},
     {"format": "delimited", "header": "yes"}, {"format": "delimited", "scale": ["1", "5"]}],
)  # fmt: skip
def test_wrong_instructions_are_refused(content):
    with pytest.raises(ParameterError):
        Rereading.from_dict(content)


# ---- what MovieLens's files have no place for ----

MOVIELENS = [
    (log(), "ratings without a time"),
    (log(timestamp=[UNIX, 7]), "no unix times"),
    (log(timestamp=[UNIX, UNIX]).take([0]), "records or movies without a rating"),
    (log(timestamp=[UNIX, UNIX], record=["7", "ann"]), "record ids that are no numbers"),
    (log(timestamp=[UNIX, UNIX], issue=["1", "Alien"]), "items that are no numbers"),
    (log(timestamp=[UNIX, UNIX], rating=[4.0, 3.3]), "ratings that are no multiples"),
]


@pytest.mark.parametrize(("table", "what"), MOVIELENS)
def test_what_has_no_place(tmp_path, table, what):
    with pytest.raises(UnwritableError, match=what):
        write_table(table, tmp_path / "a.txt", format="movielens")
    assert not list(tmp_path.iterdir())


def test_rows_of_records(tmp_path):
    wide = WriteOptions(layout="wide")
    with pytest.raises(UnwritableError, match="wide"):
        write_table(
            log(timestamp=[UNIX, UNIX]), tmp_path / "a.txt", format="movielens", options=wide
        )
