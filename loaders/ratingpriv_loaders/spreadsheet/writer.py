"""Writing a workbook: one sheet, a row a record; numbers, and texts that stay texts."""

from __future__ import annotations

import datetime
import io
from pathlib import Path

from ratingpriv.base.progress import Progress
from ratingpriv.data.formats.writing import Rereading, UnwritableError, WriteOptions
from ratingpriv.data.table import RatingTable
from ratingpriv_loaders.spreadsheet.sheet import MOST_CELLS
from ratingpriv_loaders.wide_cells import STATES, TypedColumns
from ratingpriv_loaders.wide_or_long import needed

_ROWS, _COLUMNS, _CHARACTERS = 1 << 20, 1 << 14, 32_767
_LONG_AGO = datetime.datetime(2000, 1, 1)
_PLAIN = {"in_memory": True} | dict.fromkeys(
    ("strings_to_numbers", "strings_to_formulas", "strings_to_urls"), False
)


class SpreadsheetWriter:
    """Writes an .xlsx whose properties say nothing: one date for all, nobody's name."""

    name = "xlsx"
    description = "an Excel workbook (.xlsx) with one sheet, a row a record"
    states = STATES

    def write(
        self, table: RatingTable, path: Path, options: WriteOptions, progress: Progress | None = None
    ) -> Rereading:
        """Write ``table`` to ``path``; UnwritableError if it is long, or a sheet has no room for it."""
        xlsxwriter = needed("xlsxwriter", extra="spreadsheets", kind="workbooks")
        release = TypedColumns(table, options)
        release.refuse_empty_rows()
        rows, width = table.n_records + 1, len(release.columns)
        if rows > _ROWS or width > _COLUMNS or rows * width > MOST_CELLS:
            expected = f"at most {_ROWS - 1:,} records, {_COLUMNS:,} columns and {MOST_CELLS:,} cells"
            found = f"{table.n_records:,} records of {width:,} columns"
            raise UnwritableError("format", found, expected, "write it as CSV or Parquet")
        packed = io.BytesIO()
        workbook = xlsxwriter.Workbook(packed, _PLAIN)
        workbook.set_properties({"created": _LONG_AGO})
        sheet = workbook.add_worksheet("data")
        for place, column in enumerate(release.columns):
            sheet.write_string(0, place, column.name)
            put = sheet.write_number if column.dtype.is_numeric() else sheet.write_string
            for row, value in enumerate(column.to_list(), start=1):
                if value is not None and put(row, place, value) < 0:
                    found, expected = f"a text of more than {_CHARACTERS:,} characters", "shorter ones"
                    raise UnwritableError("format", found, expected, "write it as CSV")
            if progress is not None:
                progress(f"writing {options.name or path.name}", place + 1, width)
        workbook.close()
        path.write_bytes(packed.getvalue())
        return Rereading("xlsx", release.said)
