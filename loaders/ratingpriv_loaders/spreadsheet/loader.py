"""Answers in a sheet of a workbook (.xlsx)."""

from __future__ import annotations

import dataclasses
import struct

from ratingpriv.codebook.raw import RawData
from ratingpriv.errors import DataError, Problem
from ratingpriv.formats import column_names
from ratingpriv.formats.reading import Columns, Detection, ReadOptions, Source
from ratingpriv.table import RatingTable
from ratingpriv_loaders import background
from ratingpriv_loaders.fixed_options import refuse_given
from ratingpriv_loaders.wide_or_long import TAKES, table_of_raw

__all__ = ["SpreadsheetLoader"]

_ZIP = b"PK\x03\x04"
_COMPOUND = bytes.fromhex("d0cf11e0a1b11ae1")  # of Excel 97-2003, and of a workbook with a password
_FIRST = ("[Content_Types].xml", "_rels/", "docProps/", "xl/", "customXml/", "mimetype")
_SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


class SpreadsheetLoader:
    """Reads one sheet of an .xlsx workbook; what it cannot be sure of, a cell's address is named for."""

    name = "xlsx"
    takes = (*TAKES, "sheet")
    description = "a sheet of an Excel workbook (.xlsx)"

    def detect(self, source: Source, options: ReadOptions) -> Detection | None:
        """Claim what begins as an Office file does, or is called so."""
        if source.is_dir:
            return None
        if source.head.startswith(_COMPOUND) or _first_name(source.head).startswith(_FIRST):
            return Detection(0.95, "it begins as a workbook does")
        suffix = source.path.suffix.lower()
        called_so = not source.is_stream and suffix in _SUFFIXES
        return Detection(0.6, f"the name ends in {suffix}") if called_so else None

    def columns(self, source: Source, options: ReadOptions) -> Columns:
        """Say what each column is taken for; DataError where a layout's columns are not found."""
        from ratingpriv_loaders.spreadsheet.sheet import Sheet

        _refuse_others(source)
        sheet = Sheet(source, options)
        found = column_names.described(sheet.names, options, file=source.name, header=None)
        return dataclasses.replace(found, aside=sheet.aside)

    def raw(self, source: Source, options: ReadOptions) -> RawData:
        """Read all columns that are wanted, as they are."""
        from ratingpriv_loaders.spreadsheet.sheet import Sheet

        refuse_given(options, ("delimiter", "encoding"), "workbooks have no such thing")
        _refuse_others(source)
        with background.digest(source) as digest:
            raw = Sheet(source, options).raw()
            return dataclasses.replace(raw, origin=dataclasses.replace(raw.origin, sha256=digest()))

    def load(self, source: Source, options: ReadOptions) -> RatingTable:
        """Read everything, or raise DataError with the problems found."""
        return table_of_raw(self.raw(source, options), options)


def _first_name(head: bytes) -> str:
    """Return the name of the first file in a zip; empty if it is none."""
    if not head.startswith(_ZIP) or len(head) < 30:
        return ""
    length = struct.unpack_from("<H", head, 26)[0]
    return head[30 : 30 + length].decode("utf-8", "replace")


def _refuse_others(source: Source) -> None:
    """Refuse what is no .xlsx: workbooks of other kinds, and files that are called so."""
    if source.head.startswith(_ZIP):
        return
    expected, remedy = "an .xlsx workbook", "save it as .xlsx, without a password"
    if source.head.startswith(_COMPOUND):
        found = "a workbook of Excel 97-2003 (.xls), or one that a password protects"
    elif not source.head:
        found, remedy = "an empty file", "check that it was written whole"
    else:
        found, remedy = "a file that is no workbook", "if it is text, say `format='delimited'`"
    raise DataError(Problem(source.name, found, expected, remedy))
