"""The files packed in an .xlsx: found, bounded, and looked through for what no value says.

A workbook is a zip of XML. Before a library unpacks it, its size is measured here, and the cells of the sheet
are looked at one by one: how large an area they span, which are formulas without a result, errors, or merged.
"""

from __future__ import annotations

import contextlib
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any
from xml.etree import ElementTree

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.escaping import shown_name

_MOST_BYTES = 1 << 30  # unpacked, all parts together
_PARTS = frozenset(
    ("[Content_Types].xml", "_rels/.rels", "xl/_rels/workbook.xml.rels", "xl/workbook.xml", "xl/styles.xml",
     "xl/sharedStrings.xml", "xl/theme/theme1.xml", "docProps/app.xml", "docProps/core.xml")
)  # fmt: skip
"""The parts that every workbook may have, beside its sheets."""
_TAGS = frozenset(
    ("worksheet", "sheetPr", "dimension", "sheetViews", "sheetView", "selection", "sheetFormatPr", "cols",
     "col", "sheetData", "row", "c", "v", "is", "t", "r", "rPr", "f", "mergeCells", "mergeCell",
     "pageMargins")
)  # fmt: skip
"""The elements of a sheet that hold its cells, or say how wide they are."""
_OTHER_ZIPS = (  # by a part that they have
    ("xl/workbook.bin", "a binary workbook (.xlsb)", "save it as .xlsx"),
    ("content.xml", "an OpenDocument file (.ods)", "save it as .xlsx"),
    ("[Content_Types].xml", "an Office document without sheets", "check that the right file was given"),
    ("", "a zip that is no workbook", "if there is a text in it, say `format='delimited'`"),
)
_TIME = re.compile(r"[0-9TZ:.+-]+")
_ADDRESS = re.compile(r"([A-Z]{1,3})([0-9]{1,7})\Z")
_OF_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
_BROKEN = (*_OF_ZIP, ElementTree.ParseError, KeyError, OverflowError, ValueError)


type Cell = tuple[int, int]
"""Row and column of a cell, counted from 0."""


def address(row: int, column: int) -> str:
    """Return what spreadsheets call the cell at these positions, counted from 0: ``B7``."""
    letters, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


@dataclass(slots=True)
class SheetPart:
    """A sheet of a workbook, and what is seen in it beside its values.

    Attributes
    ----------
    name, part, visible : what it is called, the part that it is in, and whether people see it
    cells, filled : how many cells there are, and whether one has a value or a formula
    bottom, right : the last row and column that have a cell; -1: none has
    uncomputed : those of ``formulas`` without a result
    errors : cells that hold an error (``#N/A``), and which
    merged : first and last cell of each rectangle of merged cells
    others : names of elements that are no cells: headers and footers, links, rules for cells
    """

    name: str
    part: str
    visible: bool
    cells: int = 0
    filled: bool = False
    bottom: int = -1
    right: int = -1
    uncomputed: list[Cell] = field(default_factory=list)
    formulas: list[Cell] = field(default_factory=list)
    errors: dict[Cell, str] = field(default_factory=dict)
    merged: list[tuple[Cell, Cell]] = field(default_factory=list)
    others: set[str] = field(default_factory=set)

    def look_at(self, row: int, cells: ElementTree.Element) -> None:
        """Note what is seen in the cells of a row: ``<c r="B7" t="e"><f>1/0</f><v>#DIV/0!</v></c>``."""
        column = -1
        for cell in cells:
            where = cell.get("r")
            row, column = (row, column + 1) if where is None else _position(where)
            self.cells += 1
            self.bottom, self.right = max(self.bottom, row), max(self.right, column)
            inside = {_local(part.tag): part.text or "" for part in cell}
            self.filled = self.filled or not inside.keys().isdisjoint(("f", "v", "is"))
            if "f" in inside:
                self.formulas.append((row, column))
                if "v" not in inside or not (inside["v"] or cell.get("t") == "str"):
                    self.uncomputed.append((row, column))
            if cell.get("t") == "e":
                self.errors[row, column] = inside.get("v", "")


class Package:
    """An opened .xlsx; DataError where it is damaged, none, or larger unpacked than any workbook of answers.

    ``sheets`` : the worksheets, in the workbook's order. ``stale`` : whether the workbook asks for its
    formulas to be computed when it is opened: their results in it are none.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._name, self.stale, self._defined = name, False, 0
        self.sheets: list[SheetPart] = []
        with self.damage():
            self._zip = zipfile.ZipFile(file)
            self._refuse()
            self._read_workbook()

    def _refuse(self) -> None:
        """Refuse other kinds of files, and what is too large unpacked; of another size than said: damaged."""
        names, entries = set(self._zip.namelist()), self._zip.infolist()
        if "xl/workbook.xml" not in names:
            finding, remedy = next(words for part, *words in _OTHER_ZIPS if not part or part in names)
            raise DataError(Problem(self._name, finding, "an .xlsx workbook", remedy))
        if len(names) < len(entries):
            raise zipfile.BadZipFile("two parts of one name")
        if sum(entry.file_size for entry in entries) > _MOST_BYTES:
            finding = f"a workbook of more than {_MOST_BYTES:,} bytes unpacked"
            raise DataError(Problem(self._name, finding, "a smaller one", "save the sheet as CSV"))
        if (damaged := self._zip.testzip()) is not None:
            raise zipfile.BadZipFile(damaged)

    def _read_workbook(self) -> None:
        targets: dict[str, str] = {}
        for tag, element in self._elements("xl/_rels/workbook.xml.rels"):
            if tag == "Relationship" and element.attrib["Type"].endswith("/worksheet"):
                target = element.attrib["Target"]
                path = target[1:] if target.startswith("/") else posixpath.join("xl", target)
                targets[element.attrib["Id"]] = posixpath.normpath(path)
        for tag, element in self._elements("xl/workbook.xml"):
            if tag == "sheet":
                number = next((value for name, value in element.items() if _local(name) == "id"), "")
                if number in targets:
                    shown = element.get("state", "visible") == "visible"
                    self.sheets.append(SheetPart(element.attrib["name"], targets[number], shown))
            elif tag == "calcPr":
                self.stale = element.get("fullCalcOnLoad", "0") in ("1", "true")
            self._defined += tag == "definedName"

    def look_through(self, sheet: SheetPart) -> SheetPart:
        """Look at every cell of a sheet; return it."""
        row = -1
        with self.damage():
            for tag, element in self._elements(sheet.part):
                if tag == "row":
                    row = int(element.get("r", row + 2)) - 1
                    sheet.look_at(row, element)
                    element.clear()
                elif tag == "mergeCell":
                    first, _, last = element.attrib["ref"].partition(":")
                    sheet.merged.append((_position(first), _position(last or first)))
                elif tag not in _TAGS:
                    sheet.others.add(tag)
        return sheet

    def beside(self, sheet: SheetPart) -> Iterator[str]:
        """Yield what the workbook holds beside the cells of a sheet, in words."""
        parts = self._zip.namelist()
        if len(self.sheets) > 1:
            yield f"other sheets, hidden ones too: {len(self.sheets) - 1}"
        elif not sheet.visible:
            yield "a hidden sheet"
        if others := set(parts) - _PARTS - {one.part for one in self.sheets}:
            yield f"parts that are no cells, such as comments and drawings: {len(others)}"
        if self._defined:
            yield f"defined names: {self._defined}"
        with self.damage():
            core = self._elements("docProps/core.xml") if "docProps/core.xml" in parts else ()
            texts = [(element.text or "").strip() for _, element in core]
        if any(text and not _TIME.fullmatch(text) for text in texts):
            yield "properties such as a name or a title"

    @contextlib.contextmanager
    def damage(self, *more: type[Exception]) -> Iterator[None]:
        """Say of whatever goes wrong with the zip, its XML, or as ``more``, that the workbook is damaged."""
        kinds: tuple[type[Exception], ...] = (*_BROKEN, *more, OSError)
        try:
            yield
        except DataError:  # a ValueError, too
            raise
        except kinds as error:
            if isinstance(error, OSError) and error.errno is not None:  # the disk's, not the file's
                raise
            found, remedy = "a workbook that is cut short or damaged", "copy or download it again"
            reason = shown_name(str(error).splitlines()[0]) if str(error) else type(error).__name__
            problem = Problem(self._name, found, "a whole .xlsx workbook", remedy, cell=reason)
            raise DataError(problem) from error

    def _elements(self, part: str) -> Iterator[tuple[str, ElementTree.Element]]:
        """Yield the elements of a part as they end, each with its name."""
        parser: Any = ElementTree.XMLPullParser()
        with self._zip.open(part) as opened:
            chunk = b" "
            while chunk:
                chunk = opened.read(1 << 16)
                if b"<!DOCTYPE" in chunk:
                    raise ValueError("a document type, which no workbook has")
                if chunk:
                    parser.feed(chunk)
                else:
                    parser.close()
                for _, element in parser.read_events():
                    yield _local(element.tag), element


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _position(where: str) -> Cell:
    """Return row and column, counted from 0, of an address; ValueError if it is none."""
    parts = _ADDRESS.match(where)
    if parts is None:
        raise ValueError("a cell without an address")
    column = 0
    for letter in parts[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    row = int(parts[2])
    if not (1 <= row <= 1 << 20 and column <= 1 << 14):
        raise ValueError("a cell beyond those of a sheet")
    return row - 1, column - 1
