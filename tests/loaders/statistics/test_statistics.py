"""SPSS, Stata and SAS files: what pandas and pyreadstat write and read
is what we read and write.
"""

import datetime
import struct
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyreadstat
import pytest
from loaders.files import refusal as refused

import ratingpriv
from ratingpriv.data.codebook.files.toml_file import toml_text
from ratingpriv.data.formats.describing import describe_raw
from ratingpriv.data.formats.reading import ReadOptions, Source, detect, loaders
from ratingpriv.data.formats.writing import UnwritableError, WriteOptions, write_table

FRAME = pd.DataFrame(
    {
        "caseno": ["a", "b", "c", "d"],
        "q1": [1.0, 7.0, 99.0, None],
        "q2": [1.5, 2.0, -5.0, 3.0],
        "day": [datetime.date(2024, 1, day) for day in (1, 2, 3, 4)],
        "region": ["north", "", "south", "?"],
    }
)
LABELS = {"q1": {7: "good", 1: "bad", 99: "refused"}, "region": {"north": "The North"}}
RANGES = {"q1": [99], "q2": [{"lo": -9, "hi": -1}], "region": ["?"]}
QUESTIONS = {"q1": "How was it?", "day": "When?"}


def spss(path: Path, **more: Any) -> Path:
    about = {"variable_value_labels": LABELS, "missing_ranges": RANGES, "column_labels": QUESTIONS}
    pyreadstat.write_sav(
        FRAME, str(path), **{**about, "variable_measure": {"q1": "ordinal"}, **more}
    )
    return path


def raw(path: Path, **options: Any) -> dict[str, Any]:
    source = Source(path)
    loader, _ = detect(source)
    read = loaders()[loader.name].raw(source, ReadOptions(**options))
    return {column.name: column for column in read.columns}


def test_tagged_missing_values_of_stata_are_ways_of_saying_unanswered(tmp_path):
    frame = pd.DataFrame(
        {"id": [1, 2, 3, 4, 5], "q1": [1.0, 2.0, "a", "b", "b"], "q2": [1, 2, 1, 2, 1]},
        dtype=object,
    )
    pyreadstat.write_dta(
        frame, str(tmp_path / "a.dta"), missing_user_values={"q1": ["a", "b"]}, version=13,
        variable_value_labels={"q1": {1.0: "bad", 2.0: "good", "a": "refused"}},
    )  # fmt: skip
    columns = raw(tmp_path / "a.dta")
    assert columns["q1"].cells.to_list() == [1, 2, None, None, None]
    assert columns["q1"].cells.dtype == pl.Int64
    assert columns["q1"].missing == {".a": 1, ".b": 2}
    assert columns["q1"].labels == ((1.0, "bad"), (2.0, "good"))
    assert columns["q2"].missing == {}
    audited = ratingpriv.audit(
        ratingpriv.read(tmp_path / "a.dta", ratings=["q1", "q2"]), k=2, epsilon=1
    )
    assert "null-spellings" in [caution.code for caution in audited.cautions]


@pytest.mark.parametrize("name", ["a.sav", "a.zsav", "a.data"])
def test_spss(tmp_path, name):
    columns = raw(spss(tmp_path / name, compress=name == "a.zsav"))
    assert columns["q1"].cells.to_list() == [1, 7, None, None]
    assert columns["q1"].cells.dtype == pl.Int64
    assert columns["q1"].labels == ((1.0, "bad"), (7.0, "good"))
    assert columns["q1"].missing == {"99": 1}
    assert columns["q1"].question == "How was it?"
    assert columns["q2"].cells.to_list() == [1.5, 2.0, None, 3.0]
    assert columns["q2"].missing == {"-5": 1}
    assert columns["day"].cells.dtype == pl.Date
    region = columns["region"].cells
    assert region.texts.gather(region.codes).to_list() == ["north", "", "south", ""]
    assert (columns["region"].missing, columns["region"].labels) == ({"?": 1}, ())


@pytest.mark.parametrize("write", [pyreadstat.write_sav, pyreadstat.write_dta])
@pytest.mark.parametrize("row", [1, 3, 4])
def test_messages_name_the_row_of_the_data(tmp_path, write, row):
    """Rows are counted from 1, as the program shows them: there is no header in the way."""
    answers = ["1", "2", "3", "4"]
    answers[row - 1] = "good"
    path = tmp_path / ("a.sav" if write is pyreadstat.write_sav else "a.dta")
    write(
        pd.DataFrame({"who": ["a", "b", "c", "d"], "q1": answers, "q2": [1.0, 2, 3, 4]}), str(path)
    )
    assert f"line {row}, column q1" in refused(path, id="who", ratings=["q1", "q2"])


def test_the_weight_is_no_answer(tmp_path):
    path = spss(tmp_path / "a.sav", column_labels=None)
    content = bytearray(path.read_bytes())
    struct.pack_into("<i", content, 76, 3)  # the third slot of eight bytes: caseno, q1, q2
    path.write_bytes(content)
    columns = raw(path)
    known = {name: column.known_role for name, column in columns.items() if column.known_role}
    assert known == {"q2": "drop"}
    assert "weights" in columns["q2"].why
    long = FRAME.assign(caseno=["x" * 300, "b", "c", "d"])
    pyreadstat.write_sav(long, str(path))
    content = bytearray(path.read_bytes())
    struct.pack_into("<i", content, 76, 32 + 6 + 1 + 1)  # behind a text of two segments, and q1
    path.write_bytes(content)
    assert [name for name, column in raw(path).items() if column.known_role] == ["q2"]


def test_stata(tmp_path):
    frame = pd.DataFrame(
        {"who": ["a", "b", "c"], "q": [1.0, None, 5.0], "day": pd.to_datetime(["2024-01-01"] * 3)}
    )
    frame.to_stata(
        tmp_path / "a.dta", write_index=False, value_labels={"q": {1: "low", 5: "high"}},
        variable_labels={"q": "How?"}, version=118,
    )  # fmt: skip
    columns = raw(tmp_path / "a.dta")
    assert columns["q"].cells.to_list() == [1, None, 5]
    assert columns["q"].labels == ((1.0, "low"), (5.0, "high"))
    assert columns["q"].question == "How?"
    assert columns["day"].cells.dtype == pl.Datetime("us")
    frame.to_stata(tmp_path / "old.data", write_index=False, version=114)
    assert raw(tmp_path / "old.data")["q"].cells.to_list() == [1, None, 5]
    table = ratingpriv.read(
        tmp_path / "a.dta", drop=["day"], id="who", ratings=["q"], layout="wide"
    )
    assert table.record_ids.to_list() == ["a", "b", "c"]


def test_extended_missing_values_of_stata_are_null(tmp_path):
    frame = pd.DataFrame({"q": [1, "a", "z", 4]})
    pyreadstat.write_dta(frame, str(tmp_path / "a.dta"), missing_user_values={"q": ["a", "z"]})
    assert raw(tmp_path / "a.dta")["q"].cells.to_list() == [1, None, None, 4]


def test_sas(tmp_path):
    frame = pd.DataFrame({"who": ["a", "b"], "q": [1.0, None]})
    pyreadstat.write_xport(
        frame, str(tmp_path / "a.xpt"), column_labels=["", "How?"], file_format_version=5
    )
    column = raw(tmp_path / "a.xpt")["q"]
    assert (column.cells.to_list(), column.question) == ([1, None], "How?")
    theirs = pd.read_sas(tmp_path / "a.xpt", encoding="latin-1")
    assert theirs["q"].isna().tolist() == [False, True]
    assert ratingpriv.read(tmp_path / "a.xpt", id="who").n_ratings == 1


def test_encodings(tmp_path):
    frame = pd.DataFrame({"who": ["Jürgen", "b"], "q": [1, 2]})
    frame.to_stata(tmp_path / "a.dta", write_index=False, version=114)  # latin-1
    assert raw(tmp_path / "a.dta", encoding="cp1252")["who"].cells.texts.to_list() == [
        "Jürgen",
        "b",
    ]
    assert "encoding" in refused(tmp_path / "a.dta", encoding="klingon")


@pytest.mark.parametrize("name", ["a.sav", "a.dta", "a.xpt", "a.sas7bdat"])
@pytest.mark.parametrize(
    ("content", "said"), [(b"", "an empty file"), (b"id,q\n1,2\n", "a file that does not begin as")]
)
def test_files_that_are_called_so(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    assert said in refused(tmp_path / name)


def test_files_that_are_cut_short_are_refused(tmp_path):
    whole = {"sav": spss(tmp_path / "a.sav").read_bytes()}
    whole["zsav"] = spss(tmp_path / "z.sav", compress=True).read_bytes()
    FRAME[["caseno", "q1"]].to_stata(tmp_path / "a.dta", version=118)
    whole["dta"] = (tmp_path / "a.dta").read_bytes()
    pyreadstat.write_xport(FRAME[["caseno", "q1"]], str(tmp_path / "a.xpt"))
    whole["xpt"] = (tmp_path / "a.xpt").read_bytes()
    for kind, content in whole.items():
        for part in range(1, 8):
            (tmp_path / f"d.{kind}").write_bytes(content[: len(content) * part // 8])
            assert len(refused(tmp_path / f"d.{kind}", only=["q1"]).splitlines()) == 1
    content = bytearray(whole["sav"])
    struct.pack_into("<i", content, 80, 400)  # so many cases, it says
    (tmp_path / "d.sav").write_bytes(content)
    assert "cut short, damaged" in refused(tmp_path / "d.sav")


def test_too_many_cells(tmp_path, monkeypatch):
    monkeypatch.setattr("ratingpriv_loaders.statistics.MOST_CELLS", 10)
    assert "found more than 10 cells" in refused(spss(tmp_path / "a.sav"))


# -- written


@pytest.mark.parametrize("name", ["b.sav", "b.zsav"])
def test_what_is_written_is_read_again_with_its_labels(tmp_path, name):
    path = spss(tmp_path / "a.sav")
    table = ratingpriv.read(path, id="caseno", drop=["day"], quasi=["region"], sensitive=["q2"])
    said = write_table(table, tmp_path / name)
    again = said.read(tmp_path / name)
    assert said.format == "sav"
    assert again.to_wide("polars").equals(table.to_wide("polars"))
    theirs, about = pyreadstat.read_sav(str(tmp_path / name))
    assert theirs["q1"].tolist()[:2] == [1, 7]
    assert theirs["region"].tolist() == ["north", "", "south", ""]
    assert about.variable_value_labels["q1"] == {1: "bad", 7: "good"}
    assert about.column_names_to_labels["q1"] == "How was it?"
    assert about.variable_measure["q1"] == "ordinal"
    assert b"When?" not in (tmp_path / name).read_bytes()  # of a column that is not released


def test_the_bytes_depend_on_the_table_alone(tmp_path):
    table = ratingpriv.read(spss(tmp_path / "a.sav"), id="caseno", drop=["day"], quasi=["region"])
    write_table(table, tmp_path / "b.sav")
    content = (tmp_path / "b.sav").read_bytes()
    today = datetime.datetime.now(tz=datetime.UTC)
    assert content[92:109] == b"01 Jan 0000:00:00"
    assert today.strftime("%d %b %y").encode() not in content


def test_a_name_that_spss_does_not_take_is_refused_not_changed(tmp_path):
    table = ratingpriv.RatingTable.from_wide(pl.DataFrame({"question one": [1, 2]}))
    with pytest.raises(UnwritableError, match="a name that SPSS does not take: 'question one'"):
        write_table(table, tmp_path / "b.sav")
    assert not (tmp_path / "b.sav").exists()
    alike = ratingpriv.RatingTable.from_wide(pl.DataFrame({"q": [1, 2], "Q": [1, 2]}))
    with pytest.raises(UnwritableError, match="differ in case only"):
        write_table(alike, tmp_path / "b.sav")
    with pytest.raises(UnwritableError, match="layout"):
        write_table(alike, tmp_path / "b.sav", options=WriteOptions(layout="long"))


ORDERED = {1: "kaum", 2: "ein wenig", 3: "recht", 4: "wahnsinnig"}  # no scale that is known


@pytest.mark.parametrize(
    ("labels", "measure", "role"),
    [
        ({"v1": ORDERED}, {"v1": "ordinal"}, "rating"),
        ({"v1": ORDERED, "v2": ORDERED}, {}, "rating"),
        ({"v1": ORDERED}, {"v1": "nominal"}, "quasi"),
        ({"v1": ORDERED}, {}, "quasi"),
        ({"region": ORDERED}, {"region": "ordinal"}, "quasi"),
    ],
)
def test_words_in_an_order_are_proposed_as_ratings(tmp_path, labels, measure, role):
    frame = pd.DataFrame(
        {
            name: [float(at * step // 3 % 4 + 1) for at in range(40)]
            for step, name in enumerate(("v1", "v2", "region"), 2)
        }
    )
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(frame, str(path), variable_value_labels=labels, variable_measure=measure)
    name = next(iter(labels))
    source = Source(path)
    described = describe_raw(detect(source)[0].raw(source, ReadOptions()), ReadOptions())
    (found,) = [column for column in described.columns if column.name == name]
    assert found.role == role
    assert (
        name in refused(path) if name != "region" else ratingpriv.read(path).guessed == ("region",)
    )
    if role == "rating":
        assert found.spec.labels == tuple(ORDERED.values())
        assert "confirm" in found.why
        book = tmp_path / "a.toml"
        book.write_text(toml_text(described.codebook), encoding="utf-8")
        assert name in ratingpriv.read(path, codebook=book).issues
