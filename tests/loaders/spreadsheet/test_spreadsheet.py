"""Workbooks: the same table as from CSV, and what a sheet is refused for,
by the address of its cells.
"""

import datetime
import hashlib
import io
import struct
import sys
import zipfile
from typing import Any

import openpyxl
import polars as pl
import pytest
import xlsxwriter
from loaders.files import refusal as refused
from loaders.spreadsheet.workbooks import repacked, workbook

import ratingpriv
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.codebook.table_like import as_table
from ratingpriv.data.formats.reading import ReadOptions, Source, detect, loaders
from ratingpriv.data.formats.writing import UnwritableError, WriteOptions, write_table

ROWS: list[list[Any]] = [["id", "q1", "q2"], ["ann", 4, 5], ["bob", 4.5, None], ["cy", 1, 2]]
SHEET1 = "xl/worksheets/sheet1.xml"


def test_it_is_what_the_same_rows_are_as_csv(tmp_path):
    path = workbook(tmp_path / "a.xlsx", {"Data": ROWS})
    text = "\n".join(",".join("" if c is None else str(c) for c in row) for row in ROWS)
    (tmp_path / "a.csv").write_text(text)
    found, same = ratingpriv.read(path), ratingpriv.read(tmp_path / "a.csv")
    assert found.to_wide("polars").equals(same.to_wide("polars"))
    assert found.origin.format == "xlsx"
    assert found.origin.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert detect(Source(path))[0].name == "xlsx"


def test_titles_blank_rows_and_what_stands_around_the_table(tmp_path):
    rows = [
        [],
        [None, None, "Survey of May"],
        [],
        *([None, *row] for row in ROWS[:3]),
        [],
        [None, *ROWS[3]],
        [],
    ]
    path = workbook(tmp_path / "a.xlsx", {"Data": rows})
    assert ratingpriv.read(path).record_ids.to_list() == ["ann", "bob", "cy"]
    said = refused(path, scale=(1, 4))
    assert "a number off the scale in 2 cells" in said
    assert "line 6, column q1 (cell C6)" in said
    assert "(cell C8)" in refused(path, scale=(2, 5))  # its row, though there is a blank one above


def test_types(tmp_path):
    day, time = datetime.date(2024, 5, 6), datetime.datetime(2024, 5, 6, 7, 8)
    rows = [
        [
            "id",
            "answer",
            "stored_as_text",
            "mixed",
            "day",
            "moment",
            "yes",
            "words",
            "empty",
            "sum",
        ],
        [7, 1, "3", 2, day, time, True, " good ", None, 0.1 + 0.2],
        [8, 2.5, "4", "x", day, day, False, None, None, 1],
    ]
    path = workbook(tmp_path / "a.xlsx", {"Data": rows})
    raw = loaders()["xlsx"].raw(Source(path), ReadOptions())
    cells = {column.name: column.cells for column in raw.columns}
    texts = {
        name: [found.texts[int(code)] for code in found.codes]
        for name, found in cells.items()
        if not isinstance(found, pl.Series)
    }
    assert texts == {"stored_as_text": ["3", "4"], "mixed": ["2", "x"], "words": ["good", ""]}
    assert cells["id"].dtype == pl.Int64
    assert cells["answer"].to_list() == [1.0, 2.5]
    assert cells["day"].dtype == pl.Date
    assert cells["moment"].to_list() == [time, datetime.datetime(2024, 5, 6)]
    assert cells["yes"].to_list() == [True, False]
    assert cells["empty"].null_count() == 2
    assert cells["sum"].to_list() == [0.3, 1.0]  # as the program shows it
    left_out = ["mixed", "day", "moment", "yes", "words", "empty"]
    assert ratingpriv.read(path, drop=left_out).issues == ("answer", "stored_as_text", "sum")


def test_an_unnamed_first_column_holds_row_names_as_pandas_writes_them(tmp_path):
    frame = pl.DataFrame({"q1": [1, 2], "q2": [2, 2]}).to_pandas()
    frame.index = ["x", "y"]
    frame.to_excel(tmp_path / "a.xlsx", engine="openpyxl")
    assert ratingpriv.read(tmp_path / "a.xlsx").record_ids.to_list() == ["x", "y"]


def test_sheets(tmp_path):
    other = [["id", "q9"], ["z", 1]]
    sheets = {"Data": ROWS, "More": other, "Empty": [], "Lists": other}
    path = workbook(tmp_path / "a.xlsx", sheets, hidden=["Lists"])
    message = refused(path)
    assert "2 sheets: 'Data', 'More'" in message
    assert "`sheet='Data'`" in message
    assert ratingpriv.read(path, sheet="More").issues == ("q9",)
    assert ratingpriv.read(path, sheet="Lists").issues == ("q9",)
    assert "one of the sheets 'Data', 'More', 'Empty', 'Lists'" in refused(path, sheet="data")
    hidden = workbook(tmp_path / "h.xlsx", {"Empty": [], "Lists": other}, hidden=["Lists"])
    assert "only hidden sheets ('Lists')" in refused(hidden)
    assert "found no sheet with anything in it" in refused(
        workbook(tmp_path / "e.xlsx", {"Empty": []})
    )


def merged(where: str) -> Any:
    return lambda sheet: sheet.merge_cells(where)


@pytest.mark.parametrize(
    ("rows", "change", "said"),
    [
        ([["id", "q", None], ["a", 1, 2]], merged("B1:C1"), "the merged cells B1:C1 in the header"),
        ([["id", "q"], ["a", 1], ["b", None]], merged("B2:B3"), "the merged cells B2:B3"),
        ([["id", None, "q"], ["a", 1, 2]], None, "a column without a name (cell B1)"),
        ([["id", "q"], ["a", 1, 2]], None, "a column without a name (cell C1)"),
        (
            [["good", "bad", "good"], ["bad", "good", "bad"]],
            None,
            "the name 'good' a second time (cell C1)",
        ),
        ([[1, 2], [3, 4]], None, "numbers in the first row of the table (row 1)"),
        ([["id", "q"], ["a", "#REF!"], ["b", "#REF!"]], None, "#REF! in 2 cells (B2, B3)"),
        (
            [["id", "q"], ["a", "=1+1"], ["b", "=B2"]],
            None,
            "formulas without a result that can be relied on (",
        ),
        ([["id", "q"]], None, "a header (2 columns) and nothing below it"),
    ],
)
def test_what_is_refused_by_address(tmp_path, rows, change, said):
    message = refused(workbook(tmp_path / "a.xlsx", {"Data": rows}, change=change))
    assert said in message
    assert "sheet 'Data', line " in message
    assert "\n" not in message


def test_errors_and_formulas_that_are_not_read_do_no_harm(tmp_path):
    rows = [["id", "q", "note", "sum"], ["a", 1, "#N/A", "=B2"], ["b", "#REF!", "x", "=B3"]]
    path = workbook(tmp_path / "a.xlsx", {"Data": rows})
    table = ratingpriv.read(path, drop=["note", "sum"], null=["#REF!"])
    assert table.n_ratings == 1
    assert "#REF! in 1 cell (B3)" in refused(path, drop=["note", "sum"])


def part(change: Any, changed: str = SHEET1) -> Any:
    return lambda name, content: change(content) if name == changed else content


def test_cached_results_of_formulas_are_read_unless_the_file_disowns_them(tmp_path):
    rows = [["id", "q"], ["a", "=1+1"], ["b", 3]]
    path = workbook(tmp_path / "a.xlsx", {"Data": rows})
    computed = part(lambda old: old.replace(b"<v />", b"<v>2</v>").replace(b"<v></v>", b"<v>2</v>"))
    owned = part(lambda old: old.replace(b'fullCalcOnLoad="1"', b""), "xl/workbook.xml")
    assert "formulas without a result" in refused(repacked(path, computed))
    empty = workbook(tmp_path / "b.xlsx", {"Data": rows})
    assert "formulas without a result that can be relied on (B2)" in refused(repacked(empty, owned))
    assert ratingpriv.read(repacked(path, owned)).to_wide("polars")["q"].to_list() == [2, 3]


def test_no_header(tmp_path):
    path = workbook(tmp_path / "a.xlsx", {"Data": [[1, 2], [3, 4]]})
    assert ratingpriv.read(path, header=False).issues == ("1", "2")


def test_bombs_are_refused_whatever_they_say_of_their_size(tmp_path, monkeypatch):
    grown = part(lambda content: content + b" " * (1 << 20))
    path = repacked(workbook(tmp_path / "a.xlsx", {"Data": ROWS}), grown)
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as opened:
        true = opened.getinfo(SHEET1).file_size
    for at in (i for i in range(len(content)) if content[i : i + 4] == struct.pack("<I", true)):
        content[at : at + 4] = struct.pack("<I", 10)  # what the zip says of the part's size
    (tmp_path / "b.xlsx").write_bytes(content)
    monkeypatch.setattr("ratingpriv_loaders.workbook._MOST_BYTES", 1 << 19)
    assert "a workbook of more than 524,288 bytes unpacked" in refused(path)
    assert "cut short or damaged" in refused(tmp_path / "b.xlsx")


def test_one_cell_far_away_does_not_cost_the_area_between(tmp_path):
    far = workbook(
        tmp_path / "a.xlsx", {"Data": ROWS}, change=lambda sheet: sheet.cell(1 << 20, 1 << 14, 1)
    )
    assert "a sheet whose cells span 1,048,576 rows and 16,384 columns" in refused(far)


def in_sheet(cells, after="", texts=None):
    """Put what follows behind the first two rows of a sheet,
    and texts in the place of the workbook's.
    """
    text = "".join(f"<si><t>{one}</t></si>" for one in texts or ())

    def change(name, content):
        if name == SHEET1:
            content = content.replace(b"</sheetData>", f"{cells}</sheetData>{after}".encode())
        if name == "xl/sharedStrings.xml" and texts is not None:
            content = f'<sst xmlns="{SPREADSHEET}">{text}</sst>'.encode()
        return content

    return change


SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LONG = "x" * 32_768
NO_TEXT = "a text that the workbook does not have (cell A5)"
TOO_LONG = "a text of more than 32,767 characters (cell A5)"
FEW = {"MOST_CELLS": 100, "_MOST_ELEMENTS": 100}


@pytest.mark.parametrize(("cells", "after", "said"), [
    (f'<row r="5"><c r="A5" t="inlineStr"><is><t>{LONG}</t></is></c></row>', "", TOO_LONG),
    (f'<row r="5"><c r="A5" t="str"><v>{LONG}</v></c></row>', "", TOO_LONG),
    (f'<row r="5"><c r="A5"><v>{"1" * 40_000}</v></c></row>', "", TOO_LONG),
    *((f'<row r="5"><c r="A5" t="s"><v>{number}</v></c></row>', "", NO_TEXT)
      for number in ("-1", "7", "1.5", "x", "9" * 30, "\u0663")),
    ("<row>" + "<c/>" * 120 + "</row>", "", "a sheet of more than 100 cells"),
    ("<row>" + "<c><v>1</v></c>" * 30 + "</row>", "", "cells span 5 rows and 21 columns"),
    ('<row r="5">' + '<c r="A5"/>' * 30 + "</row>", "",
    "more cells than rows and columns have places"),
    ('<row r="1048577"/>', "", "a row beyond the last one of a sheet (1,048,576)"),
    ('<row r="-3"/>', "", "a row beyond the last one of a sheet (1,048,576)"),
    ("", "<x/>" * 600, "more than 100 elements that are no cells"),
    ("", '<mergeCells>' + '<mergeCell ref="H1:I1"/>' * 600 + "</mergeCells>",
    "more than 100 elements"),
    ("", "<x>" * 40 + "</x>" * 40, "elements more than 32 deep"),
], ids=lambda text: text[-40:])  # fmt: skip
def test_each_hostile_sheet_is_refused_in_its_own_words(tmp_path, monkeypatch, cells, after, said):
    for name, few in FEW.items():
        monkeypatch.setattr(f"ratingpriv_loaders.workbook.{name}", few)
    path = repacked(workbook(tmp_path / "a.xlsx", {"Data": ROWS}), in_sheet(cells, after))
    assert said in refused(path)


def test_a_look_ends_at_the_first_cell_beyond_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("ratingpriv_loaders.workbook.MOST_CELLS", 100)
    wide = '<row r="5"><c r="CW5"><v>1</v></c><c r="nonsense"/></row>'
    path = repacked(workbook(tmp_path / "a.xlsx", {"Data": ROWS}), in_sheet(wide))
    assert "cells span 5 rows and 101 columns" in refused(path)


@pytest.mark.parametrize(("texts", "said"), [
    (["id", "q1", "q2", "ann", "bob", LONG],
    "line 4: found a text of more than 32,767 characters (cell A4)"),
    (["id", "q1", "q2", "ann", "bob"],
    "line 4: found a text that the workbook does not have (cell A4)"),
    (["id", "q1", "q2", "ann", "bob", "cy", "_x000D_" * 30_000], None),
    (["id", "q1", "q2", "ann", "bob", "cy", LONG], None),  # which no cell has
    (["id", "q1", "q2", "ann", "bob", "cy"] * 200, "more than 100 elements that are no cells"),
], ids=["long", "missing", "escaped", "unused", "many"])  # fmt: skip
def test_texts_that_stand_once_for_all_sheets(tmp_path, monkeypatch, texts, said):
    monkeypatch.setattr("ratingpriv_loaders.workbook._MOST_ELEMENTS", 100)
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as made:
        sheet = made.add_worksheet()
        for number, row in enumerate(ROWS):
            sheet.write_row(number, 0, row)
    path = repacked(tmp_path / "a.xlsx", in_sheet("", texts=texts))
    if said is None:
        assert ratingpriv.read(path).n_records == 3
    else:
        assert said in refused(path)


def test_two_sheets_have_not_the_same_cells(tmp_path):
    path = workbook(tmp_path / "a.xlsx", {"Data": ROWS, "More": ROWS})
    path = repacked(path, lambda name, content: content.replace(b"sheet2.xml", b"sheet1.xml")
                    if name.endswith(".rels") else content)  # fmt: skip
    assert "two sheets with the same cells" in refused(path)


def test_no_document_type_is_expanded(tmp_path):
    laughing = part(
        lambda content: b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>' + content
    )
    path = repacked(workbook(tmp_path / "a.xlsx", {"Data": ROWS}), laughing)
    assert "a document type" in refused(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "an empty file"),
        (b"id,q\n1,2\n", "a file that is no workbook"),
        (b"PK\x03\x04" + b"\0" * 40, "cut short or damaged"),
        (
            bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 600,
            "Excel 97-2003 (.xls), or one that a password",
        ),
    ],
)
def test_files_that_are_called_so(tmp_path, content, said):
    path = tmp_path / "a.xlsx"
    path.write_bytes(content)
    assert said in refused(path)


@pytest.mark.parametrize(
    ("member", "said"),
    [("content.xml", "(.ods)"), ("xl/workbook.bin", "(.xlsb)"), ("word/d.xml", "no workbook")],
)
def test_other_zips(tmp_path, member, said):
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as packed:
        packed.writestr(member, "x")
    assert said in refused(tmp_path / "a.xlsx")


def test_from_a_pipe(tmp_path):
    content = workbook(tmp_path / "a.xlsx", {"Data": ROWS}).read_bytes()
    table = ratingpriv.read(Source("-", io.BytesIO(content)))
    assert table.n_records == 3
    assert table.origin.sha256 == hashlib.sha256(content).hexdigest()


def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch):
    path = workbook(tmp_path / "a.xlsx", {"Data": ROWS})
    table = ratingpriv.read(path)
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    assert "pip install 'ratingpriv[spreadsheets]'" in refused(path)
    with pytest.raises(ParameterError, match=r"ratingpriv\[spreadsheets\]"):
        write_table(table, tmp_path / "b.xlsx")


# -- written


def test_what_is_written_is_read_again_and_openpyxl_reads_the_same(tmp_path):
    rows = [[*ROWS[0], "sex"], *([*row, "f"] for row in ROWS[1:])]
    path = workbook(tmp_path / "a.xlsx", {"Data": rows})
    table = ratingpriv.read(path, quasi=["sex"], sensitive=["q2"])
    said = write_table(table, tmp_path / "b.xlsx")
    again = said.read(tmp_path / "b.xlsx")
    assert said.format == "xlsx"
    assert again.to_wide("polars").equals(table.to_wide("polars"))
    assert [column.name for column in again.quasi] == ["sex"]
    assert [column.name for column in again.sensitive] == ["q2"]
    sheet = openpyxl.load_workbook(tmp_path / "b.xlsx").active
    assert [[cell.value for cell in row] for row in sheet.rows] == rows


def test_the_bytes_depend_on_the_table_alone(tmp_path, monkeypatch):
    table = ratingpriv.read(workbook(tmp_path / "a.xlsx", {"Data": ROWS}))
    write_table(table, tmp_path / "b.xlsx")
    monkeypatch.setenv("USER", "somebody else")
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    write_table(table, tmp_path / "c.xlsx")
    assert (tmp_path / "b.xlsx").read_bytes() == (tmp_path / "c.xlsx").read_bytes()
    properties = openpyxl.load_workbook(tmp_path / "b.xlsx").properties
    assert properties.created == datetime.datetime(2000, 1, 1)
    assert not properties.creator
    assert not properties.lastModifiedBy


def test_texts_stay_texts(tmp_path):
    frame = pl.DataFrame({"id": ["=1+1", "-7"], "q": [1, 2], "place": ["http://x.example", "=A1"]})
    table = as_table(frame, quasi=["place"])
    again = write_table(table, tmp_path / "b.xlsx").read(tmp_path / "b.xlsx")
    assert again.to_wide("polars").equals(table.to_wide("polars"))


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        ([["q1", "q2"], [1, 2], [None, 3]], WriteOptions(layout="long"), "layout"),
        (
            [["id", "q"], ["a", 1], ["b", None]],
            WriteOptions(record_ids=False),
            "a record without any rating",
        ),
    ],
)
def test_what_a_sheet_cannot_hold(tmp_path, rows, options, said):
    table = ratingpriv.read(workbook(tmp_path / "a.xlsx", {"Data": rows}))
    with pytest.raises(UnwritableError, match=said):
        write_table(table, tmp_path / "b.xlsx", options=options)


@pytest.mark.parametrize(
    ("below", "found"),
    [
        ([["Mittelwert", 3.2, 3.5]], "line 5: found a line of statistics"),
        ([[], ["Source: survey of May"]], "line 6: found one cell of text, behind an empty row"),
        ([["n = 3"]], "line 5: found a line of statistics"),
        ([["SD", 1, 1], ["kein Wort", 2, 2]], "line 6: found a line below one of statistics"),
        ([[None, "Gesamtergebnis", 9]], "line 5: found a line of statistics"),
    ],
)
def test_what_stands_below_the_table_is_no_record(tmp_path, below, found):
    path = workbook(tmp_path / "a.xlsx", {"Data": [*ROWS, *below]})
    assert found in refused(path)
    silent = workbook(tmp_path / "b.xlsx", {"Data": [*ROWS, ["dan"]]})
    assert ratingpriv.read(silent).n_records == 4


def test_not_available_is_unanswered_and_repeated_names_are_numbered(tmp_path):
    path = workbook(
        tmp_path / "a.xlsx", {"Data": [["id", "q", "q"], ["a", 1, 2], ["b", 3, "#N/A"]]}
    )
    table = ratingpriv.read(path)
    assert (table.issues, table.n_ratings) == (("q", "q (2)"), 3)
    source = Source(path)
    assert any(
        "numbered" in said for said in detect(source)[0].columns(source, ReadOptions()).aside
    )


@pytest.mark.parametrize(
    "beside",
    [
        [
            [word]
            for word in ("Read me", "This is a survey", "Ask Jo", "about it", "or me", *"abcde")
        ],
        [["variable", "meaning"], ["q1", "How was it?"]],
        [["total", 3]],
        [["id", "q9"], ["z", 1]],
        [["1"]],
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_of_several_sheets_the_one_of_records_is_advised(tmp_path, beside, first):
    rows = [["id", "q1", "q2"], *([f"r{at}", at % 5 + 1, at % 4 + 1] for at in range(6))]
    sheets = {"Answers": rows, "Beside": beside} if first else {"Beside": beside, "Answers": rows}
    message = refused(workbook(tmp_path / "a.xlsx", sheets))
    assert "`sheet='Answers'`" in message
    assert "7 rows and 3 columns" in message


@pytest.mark.parametrize("blank", [0, 1, 3])
def test_messages_name_the_row_that_the_program_shows(tmp_path, blank):
    """Titles and empty rows above the table are counted, as a spreadsheet program counts them."""
    rows = (
        [["a title"], *[[] for _ in range(blank)], *ROWS, ["dan", "x", 3]]
        if blank
        else [*ROWS, ["dan", "x", 3]]
    )
    path = workbook(tmp_path / "a.xlsx", {"Data": rows})
    said = refused(path, ratings=["q1", "q2"])
    assert f"line {len(rows)}" in said
    assert f"(cell B{len(rows)})" in said
