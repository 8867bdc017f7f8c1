"""Answers in a sheet of a workbook (.xlsx)."""

from __future__ import annotations

import struct

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.data.formats.reading import ReadOptions, Source
from ratingpriv_loaders.wide_or_long import TAKES, TypedFile, TypedLoader

_ZIP = b"PK\x03\x04"
_COMPOUND = bytes.fromhex("d0cf11e0a1b11ae1")  # of Excel 97-2003, and of a workbook with a password
_FIRST = ("[Content_Types].xml", "_rels/", "docProps/", "xl/", "customXml/", "mimetype")


class SpreadsheetLoader(TypedLoader):
    """Reads one sheet of an .xlsx workbook; what it cannot be sure of, a cell's address is named for."""

    name = "xlsx"
    takes = (*TAKES, "sheet")
    description = "a sheet of an Excel workbook (.xlsx)"
    program, begins_as = "workbooks", "a workbook does"
    suffixes = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
    has_no = ("delimiter", "encoding")

    def begins(self, head: bytes) -> bool:
        """Whether a file that begins with ``head`` is a workbook."""
        if not head.startswith(_ZIP) or len(head) < 30:
            return head.startswith(_COMPOUND)
        length = struct.unpack_from("<H", head, 26)[0]  # of the name of the first file in a zip
        return head[30 : 30 + length].decode("utf-8", "replace").startswith(_FIRST)

    def opened(self, source: Source, options: ReadOptions) -> TypedFile:
        """Read a sheet; DataError for workbooks of other kinds, and files that are called so."""
        from ratingpriv_loaders.spreadsheet.sheet import Sheet

        if source.head.startswith(_ZIP):
            return Sheet(source, options)
        expected, remedy = "an .xlsx workbook", "save it as .xlsx, without a password"
        if source.head.startswith(_COMPOUND):
            found = "a workbook of Excel 97-2003 (.xls), or one that a password protects"
        elif not source.head:
            found, remedy = "an empty file", "check that it was written whole"
        else:
            found, remedy = "a file that is no workbook", "if it is text, say `format='delimited'`"
        raise DataError(Problem(source.name, found, expected, remedy))
