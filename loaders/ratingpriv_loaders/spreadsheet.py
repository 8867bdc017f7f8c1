"""Answers in a sheet of a workbook (.xlsx): which sheet, which row is the header,
what its cells hold.
"""

from __future__ import annotations

import datetime
import io
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.base.extras import needed
from ratingpriv.base.numbers import LARGEST
from ratingpriv.base.progress import Progress
from ratingpriv.data.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import ReadOptions, Source
from ratingpriv.data.formats.writing import Rereading, UnwritableError, WriteOptions
from ratingpriv.data.table import Origin, RatingTable
from ratingpriv.data.table.building.problems import Place, Problems
from ratingpriv_loaders.totals import TAIL, is_statistic, note_statistics
from ratingpriv_loaders.wide_or_long import TAKES, FileLoader, OpenedFile, TypedFile
from ratingpriv_loaders.workbook import (
    COLUMNS,
    MOST_CELLS,
    MOST_CHARACTERS,
    ROWS,
    Cell,
    Package,
    SheetPart,
    address,
)
from ratingpriv_loaders.writing import STATES, TypedColumns

_ZIP = b"PK\x03\x04"
_COMPOUND = bytes.fromhex("d0cf11e0a1b11ae1")  # of Excel 97-2003, and of a workbook with a password
_FIRST = ("[Content_Types].xml", "_rels/", "docProps/", "xl/", "customXml/", "mimetype")
_LAST = 5  # rows at the end that may be notes
_SHOWN = 8  # names of sheets, or addresses, in one message
_OF_CELLS = ("#N/A", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")
_ERRORS = (*_OF_CELLS, "#GETTING_DATA", "#SPILL!", "#CALC!")
_LONG_AGO = datetime.datetime(2000, 1, 1)
_PLAIN = {"in_memory": True} | dict.fromkeys(
    ("strings_to_numbers", "strings_to_formulas", "strings_to_urls"), False
)


class SpreadsheetLoader(FileLoader):
    """Reads one sheet of an .xlsx workbook.

    What it cannot be sure of, a cell's address is named for.
    """

    name = "xlsx"
    takes = (*TAKES, "sheet")
    description = "a sheet of an Excel workbook (.xlsx)"
    owners, begins_as = "workbooks have", "a workbook does"
    suffixes = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
    has_no = ("delimiter", "encoding")

    def begins(self, head: bytes) -> bool:
        """Whether a file that begins with ``head`` is a workbook."""
        if not head.startswith(_ZIP) or len(head) < 30:
            return head.startswith(_COMPOUND)
        length = struct.unpack_from("<H", head, 26)[0]  # of the name of the first file in a zip
        return head[30 : 30 + length].decode("utf-8", "replace").startswith(_FIRST)

    def opened(self, source: Source, options: ReadOptions) -> OpenedFile:
        """Read a sheet; DataError for workbooks of other kinds, and files that are called so."""
        if source.head.startswith(_ZIP):
            return Sheet(source, options)
        expected, remedy = "an .xlsx workbook", "save it as .xlsx, without a password"
        if source.head.startswith(_COMPOUND):
            actual = "a workbook of Excel 97-2003 (.xls), or one that a password protects"
        elif not source.head:
            actual, remedy = "an empty file", "check that it was written whole"
        else:
            actual, remedy = "a file that is no workbook", "if it is text, say `format='delimited'`"
        raise DataError(Problem(source.name, actual, expected, remedy))


class Sheet(TypedFile):
    """A sheet, read: the one that is named, or the only one with anything in it.

    Attributes
    ----------
    file : how messages call the sheet
    headed : whether a row names the columns
    names, places : of the columns, and their positions in a row
    rows : positions of the records' rows
    values : all rows of the sheet from its first on, None where nothing but blanks is in a cell
    aside : what the workbook holds beside the table, in words
    """

    def __init__(self, source: Source, options: ReadOptions) -> None:
        calamine = needed("python_calamine", extra="spreadsheets", kind="workbooks")
        self.source, self.options = source.name, options
        with source.open() as file:
            package = Package(file, source.name)
            self.sheet, self._stale = _chosen(package, source.name, options.sheet), package.stale
            self.file = package.of(self.sheet)
            beside = tuple(package.beside(self.sheet))
            if self.sheet.beyond:
                expected = f"at most {MOST_CELLS:,} cells"
                remedy = "delete what stands far away from the table, or save the sheet as CSV"
                raise DataError(Problem(self.file, self.sheet.beyond, expected, remedy))
            package.look_at_texts(self.sheet)
            file.seek(0)
            with (
                package.damage(calamine.CalamineError),
                calamine.CalamineWorkbook.from_filelike(file) as workbook,
            ):
                read = workbook.get_sheet_by_name(self.sheet.name).to_python(skip_empty_area=False)
        self.values: list[list[Any]] = [
            [None if _blank(cell) else cell for cell in row] for row in read
        ]
        self.aside = (*beside, *self._lay_out())

    def _lay_out(self) -> Iterator[str]:
        """Find the header and the records below it; return what the sheet has beside them."""
        file, values = self.file, self.values
        filled = [[column for column, cell in enumerate(row) if cell is not None] for row in values]
        used = sorted({position for row in filled for position in row})
        if not used:
            remedy = "check that the right file was given"
            raise DataError(
                Problem(file, "no cells with anything in them", "a table of ratings", remedy)
            )
        column_names.refuse_too_many(len(used), file=file)
        least = min(2, len(used))
        top = next(row for row, places in enumerate(filled) if len(places) >= least)
        # what stands beside a title, above the table, is no column of it
        used = sorted({position for row in filled[top:] for position in row})
        self.headed, self.places = self.options.header is not False, tuple(used)
        self.rows = [row for row in range(top + self.headed, len(values)) if filled[row]]
        self.names = tuple(str(number) for number in range(1, len(used) + 1))
        self._refuse_merged(top)
        if self.headed:
            self.names = self._header(top)
        if not self.rows:
            finding = f"a header ({len(self.names)} columns) and nothing below it"
            remedy = "check that it was saved whole"
            raise DataError(Problem(file, finding, "at least one record", remedy, top + 1))
        return self._beside(top, sum(map(bool, filled[:top])))

    def _beside(self, top: int, above: int) -> Iterator[str]:
        """Yield what the sheet has beside the table; ``above`` : rows with something in them."""
        values = self.values
        if above:
            yield f"rows above the names of columns: {above}"
        if self.sheet.formulas:
            yield f"formulas: {len(self.sheet.formulas)}"
        if self.sheet.others:
            kinds = "kinds of elements that are no cells, such as headers and links"
            yield f"{kinds}: {len(self.sheet.others)}"
        if any(
            isinstance(cell, float) and _as_shown(cell) != cell for row in values for cell in row
        ):
            yield "numbers of more than 15 digits"
        given = {_text(values[top][position]).strip() for position in self.places}
        if again := sum(name.endswith(")") and name not in given for name in self.names):
            yield f"repeated names numbered, as (2): {again}"

    def _refuse_merged(self, top: int) -> None:
        """Refuse merged cells in the header, in row ``top``, and in the table below it."""
        for first, last in self.sheet.merged:
            area = f"{address(*first)}:{address(*last)}"
            line, finding = first[0] + 1, f"the merged cells {area}"
            expected, remedy = (
                "a value of its own in every cell",
                "unmerge them, and fill in each of them",
            )
            if self.headed and first[0] <= top <= last[0] and first[1] < last[1]:
                line, finding, expected = (
                    top + 1,
                    f"{finding} in the header",
                    "a name for every column",
                )
                remedy = "unmerge them, and give every column a name of its own"
            elif last[0] < top or first[1] > self.places[-1] or last[1] < self.places[0]:
                continue
            raise DataError(Problem(self.file, finding, expected, remedy, line))

    def _header(self, top: int) -> tuple[str, ...]:
        """Return the names of the columns; the first may have none: it holds row names then."""
        problems, row, line = Problems(), self.values[top], top + 1
        names: list[str] = []
        below = {_text(row[column]).strip() for row in self.values[line:] for column in self.places}
        for column in self.places:
            name, cell = _text(row[column]).strip(), f"(cell {address(top, column)})"
            if not name and column != self.places[0]:
                finding, expected = f"a column without a name {cell}", "a name for every column"
                remedy = (
                    "name it, or delete the column; rows above the header may hold one cell at most"
                )
                problems.add(Problem(self.file, finding, expected, remedy, line))
            elif name and name in names and name in below:  # an answer, not a name
                finding, expected = (
                    f"the name {shown_name(name)} a second time {cell}",
                    "a different name for every column",
                )
                remedy = "rename it; if the row is the first record, write names above it"
                problems.add(Problem(self.file, finding, expected, remedy, line))
            names.append(name)
        problems.raise_if_any()
        if all(isinstance(row[column], int | float) for column in self.places):
            finding = f"numbers in the first row of the table (row {line})"
            remedy = "write names above them; if it is the first record, say `header=False`"
            raise DataError(Problem(self.file, finding, "names of columns", remedy, line))
        return column_names.unique_names(names)

    def raw(self) -> RawData:
        """Return the columns that are wanted."""
        kept, _ = self.wanted(self.file)
        wanted, unread = self.wanted(self.file, look=True)
        place_of = dict(zip(self.names, self.places, strict=True))
        self._refuse_what_is_no_value({place_of[name] for name in kept})
        self._refuse_what_is_no_record()

        def locate(row: int, column: str) -> Place:
            line = self.rows[row]
            if column not in place_of:
                return Place(self.file, line + 1, None)
            return Place(self.file, line + 1, f"{column} (cell {address(line, place_of[column])})")

        columns = []
        for name in wanted:
            cells = _cells(name, [self.values[row][place_of[name]] for row in self.rows])
            role, why = (
                (None, "") if name else ("id", "a first column without a name holds row names")
            )
            columns.append(RawColumn(name=name, cells=cells, known_role=role, why=why))
        origin = Origin(name=self.source, format="xlsx", order=self.names)
        rows = len(self.rows)
        return self.raw_of(
            columns, origin, rows, unread, locate, sheet=self.sheet.name, header=self.headed
        )

    def _refuse_what_is_no_record(self) -> None:
        """Refuse lines of statistics below the table, and notes:
        one cell of text behind an empty row.
        """
        problems = Problems(self.options.max_problems)
        rows = self.rows
        filled = [
            [cell for column in self.places if (cell := self.values[row][column]) is not None]
            for row in rows
        ]
        fronts = [[value for value in values[:1] if isinstance(value, str)] for values in filled]
        tail = max(0, len(rows) - TAIL)

        before = {text for front in fronts[:tail] for text in front}
        words = [
            [text for text in front if is_statistic(text) and text not in before]
            for front in fronts[tail:]
        ]
        note_statistics(words, lambda row: rows[row] + 1, len(rows), self.file, problems)
        for index in range(max(1, len(rows) - _LAST), 0 if problems else len(rows)):
            row = rows[index]
            note = (
                len(self.places) > 2
                and len(filled[index]) == 1
                and isinstance(filled[index][0], str)
            )
            if note and row > rows[index - 1] + 1:
                actual, expected = (
                    "one cell of text, behind an empty row",
                    "a record, as in the lines above",
                )
                remedy = (
                    "delete the line if it is a note; if it is a record without ratings, the "
                    "empty row"
                )
                problems.add(Problem(self.file, actual, expected, remedy, row + 1))
        problems.raise_if_any()

    def _refuse_what_is_no_value(self, wanted: set[int]) -> None:
        """Refuse formulas without a result, and errors, in the table."""
        from ratingpriv.data.codebook.cells import NullTokens

        problems = Problems(self.options.max_problems)
        first, nulls = self.rows[0], NullTokens(self.options)

        def here(cells: Sequence[Cell]) -> list[Cell]:
            return [cell for cell in cells if cell[1] in wanted and cell[0] >= first]

        uncomputed = here(self.sheet.formulas if self._stale else self.sheet.uncomputed)
        if uncomputed:
            finding = f"formulas without a result that can be relied on ({_addresses(uncomputed)})"
            remedy = (
                "open the workbook in a spreadsheet program and save it, or replace formulas "
                "by their values"
            )
            problems.add(Problem(self.file, finding, "values", remedy, uncomputed[0][0] + 1))
        by_error: dict[str, list[Cell]] = {}
        for cell in here(list(self.sheet.errors)):
            by_error.setdefault(self.sheet.errors[cell], []).append(cell)
        for error, cells in by_error.items():
            if error in nulls or cells[0] in uncomputed:
                continue
            shown = error if error in _ERRORS else "an error"
            finding = (
                f"{shown} in {len(cells):,} cell{'s' * (len(cells) > 1)} ({_addresses(cells)})"
            )
            remedy = "correct the cells"
            if error in _ERRORS:
                remedy += f"; if it means missing, name it with `null='{error}'`"
            problems.add(Problem(self.file, finding, "values", remedy, cells[0][0] + 1))
        problems.raise_if_any()


def _chosen(package: Package, file: str, wanted: str | None) -> SheetPart:
    """Return the sheet that the user names, or the only one that is visible and not empty."""
    if wanted is not None:
        for sheet in package.sheets:
            if sheet.name == wanted:
                return package.look_through(sheet)
        names = [sheet.name for sheet in package.sheets]
        finding, expected = f"no sheet {shown_name(wanted)}", f"one of the sheets {_listed(names)}"
        raise DataError(Problem(file, finding, expected, "check `sheet`"))
    looked = [package.look_through(sheet) for sheet in package.sheets if sheet.visible]
    filled = [sheet for sheet in looked if sheet.filled]
    if len(filled) == 1:
        return filled[0]
    if filled:
        finding = f"{len(filled)} sheets: {_listed([sheet.name for sheet in filled])}"
        fullest = max(filled, key=lambda sheet: (sheet.right > 0, sheet.cells))
        remedy = (
            f"name the one with the ratings, which may be the one of {fullest.bottom + 1:,} rows "
            f"and {fullest.right + 1:,} columns: `sheet={fullest.name!r}`"
        )
        raise DataError(Problem(file, finding, "one", remedy))
    hidden = [sheet.name for sheet in package.sheets if not sheet.visible]
    finding = (
        f"only hidden sheets ({_listed(hidden)})" if hidden else "no sheet with anything in it"
    )
    remedy = "name one with `sheet`" if hidden else "check that the right file was given"
    raise DataError(Problem(file, finding, "a sheet of ratings", remedy))


_TYPES: dict[frozenset[type], Any] = {
    frozenset(): pl.Null,
    frozenset((bool,)): pl.Boolean,
    frozenset((datetime.date,)): pl.Date,
    frozenset((datetime.datetime,)): pl.Datetime("ms"),
    frozenset((datetime.date, datetime.datetime)): pl.Datetime("ms"),  # a day is its midnight
}


def _cells(name: str, values: list[Any]) -> TextCells | pl.Series:
    """Return a column in its type: numbers, booleans or dates where all cells are that,
    else text.
    """
    kinds = frozenset(type(value) for value in values if value is not None)
    if kinds and kinds <= {int, float}:
        numbers = pl.Series(name, values, dtype=pl.Float64, strict=False)
        if bool(((numbers.floor() == numbers) & (numbers.abs() <= LARGEST)).all()):
            return numbers.cast(pl.Int64)
        shown = [None if cell is None else _as_shown(cell) for cell in values]
        return pl.Series(name, shown, dtype=pl.Float64)
    if kinds in _TYPES:
        return pl.Series(name, values, dtype=_TYPES[kinds], strict=False)
    return TextCells.of(pl.Series(name, map(_text, values), dtype=pl.String))


def _blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _as_shown(value: float) -> float:
    """Return a number with the 15 digits that spreadsheets count with and show:
    0.1 + 0.2 is 0.3 there.
    """
    return float(f"{value:.15g}")


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        integral = float(value).is_integer() and abs(value) <= LARGEST
        return str(int(value)) if integral else f"{value:.15g}"
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(shown_name, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")


def _addresses(cells: Sequence[Cell]) -> str:
    shown = ", ".join(address(row, column) for row, column in cells[:_SHOWN])
    return shown + (", ..." if len(cells) > _SHOWN else "")


class SpreadsheetWriter:
    """Writes an .xlsx whose properties say nothing: one date for all, nobody's name."""

    name = "xlsx"
    description = "an Excel workbook (.xlsx) with one sheet, one row per record"
    suffixes = (".xlsx",)
    states = STATES

    def write(
        self,
        table: RatingTable,
        path: Path,
        options: WriteOptions,
        progress: Progress | None = None,
    ) -> Rereading:
        """Write ``table`` to ``path``.

        UnwritableError if it is long, or a sheet has no room for it.
        """
        xlsxwriter = needed("xlsxwriter", extra="spreadsheets", kind="workbooks")
        release = TypedColumns(table, options)
        if bool(
            pl.DataFrame(release.columns).select(pl.all_horizontal(pl.all().is_null()).any()).item()
        ):
            remedy = "write it with ids, or as parquet"  # no reader sees an empty row
            raise UnwritableError(
                "ids", "a record without any rating", "something in every row", remedy
            )
        rows, width = table.n_records + 1, len(release.columns)
        if rows > ROWS or width > COLUMNS or rows * width > MOST_CELLS:
            expected = f"at most {ROWS - 1:,} records, {COLUMNS:,} columns and {MOST_CELLS:,} cells"
            finding = f"{table.n_records:,} records of {width:,} columns"
            raise UnwritableError("format", finding, expected, "write it as CSV or Parquet")
        packed = io.BytesIO()
        workbook = xlsxwriter.Workbook(packed, _PLAIN)
        workbook.set_properties({"created": _LONG_AGO})
        sheet = workbook.add_worksheet("data")
        for position, column in enumerate(release.columns):
            sheet.write_string(0, position, column.name)
            put = sheet.write_number if column.dtype.is_numeric() else sheet.write_string
            for row, value in enumerate(column.to_list(), start=1):
                if value is not None and put(row, position, value) < 0:
                    finding, expected = (
                        f"a text of more than {MOST_CHARACTERS:,} characters",
                        "shorter ones",
                    )
                    raise UnwritableError("format", finding, expected, "write it as CSV")
            if progress is not None:
                progress(f"writing {options.name or path.name}", position + 1, width)
        workbook.close()
        path.write_bytes(packed.getvalue())
        return Rereading("xlsx", release.said)
