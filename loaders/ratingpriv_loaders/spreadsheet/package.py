"""The files packed in an .xlsx: found, bounded, and looked through for what no value says.

A workbook is a zip of XML. Before a library unpacks it, its true size is measured here, and the cells of the
sheet are looked at one by one: how large an area they span, which are formulas without a result, errors, or
merged. None of that can be seen in the values that a library returns.
"""

from __future__ import annotations

import posixpath
import re
import struct
import xml.parsers.expat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from ratingpriv.errors import DataError, Problem
from ratingpriv.escaping import shown_name

__all__ = ["Area", "Looks", "Package", "SheetEntry", "address"]

_MOST_BYTES = 1 << 30  # unpacked, all parts together
_MOST_PARTS = 10_000
_PIECE = 1 << 18
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
_TIME = re.compile(r"[0-9TZ:.+-]+")
_ADDRESS = re.compile(r"([A-Z]{1,3})([0-9]{1,7})\Z")
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    xml.parsers.expat.ExpatError,
    EOFError,
    KeyError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    UnicodeDecodeError,
    ValueError,
)


def address(row: int, column: int) -> str:
    """Return what spreadsheets call the cell at these positions, counted from 0: ``B7``."""
    letters, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of cells; positions count from 0, and the last ones are in it."""

    top: int
    left: int
    bottom: int
    right: int

    def __str__(self) -> str:
        return f"{address(self.top, self.left)}:{address(self.bottom, self.right)}"


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """A sheet of a workbook: its name, the part that it is in, and whether people see it."""

    name: str
    part: str
    visible: bool


@dataclass(slots=True)
class Looks:
    """What is seen in a sheet beside its values; cells by (row, column), counted from 0.

    Attributes
    ----------
    cells : how many there are
    bottom, right : the last row and column that have a cell; -1: none has
    uncomputed : formulas without a result
    formulas : all formulas
    errors : cells that hold an error (``#N/A``), and which
    merged : areas that are one cell to people
    others : names of elements that are no cells: headers and footers, links, rules for cells
    """

    cells: int = 0
    bottom: int = -1
    right: int = -1
    uncomputed: list[tuple[int, int]] = field(default_factory=list)
    formulas: list[tuple[int, int]] = field(default_factory=list)
    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    merged: list[Area] = field(default_factory=list)
    others: set[str] = field(default_factory=set)


class Package:
    """An opened .xlsx.

    Attributes
    ----------
    sheets : the worksheets, in the workbook's order
    stale : whether the workbook asks for its formulas to be computed when it is opened: their results in it
        are none

    Raises
    ------
    DataError
        It is damaged, no workbook, or larger unpacked than any workbook of answers.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._name = name
        self._file = file
        try:
            self._zip = zipfile.ZipFile(file)
            self._refuse_other_kinds()
            self._refuse_bomb()
            self.sheets, self.stale = self._workbook()
        except DataError:
            raise
        except _BROKEN as error:
            raise self._damaged(error) from error

    def is_empty(self, sheet: SheetEntry) -> bool:
        """Whether a sheet has no cell with a value."""

        class _FoundError(Exception):
            pass

        def start(tag: str, attributes: dict[str, str]) -> None:
            if _local(tag) in ("v", "is", "f"):
                raise _FoundError

        try:
            self._parse(sheet.part, start)
        except _FoundError:
            return False
        except _BROKEN as error:
            raise self._damaged(error) from error
        return True

    def look_through(self, sheet: SheetEntry) -> Looks:
        """Look at every cell of a sheet."""
        try:
            return self._looked_through(sheet)
        except _BROKEN as error:
            raise self._damaged(error) from error

    def beside(self, sheet: SheetEntry) -> Iterator[str]:
        """Yield what the workbook holds beside the cells of a sheet, in words."""
        try:
            yield from self._beside(sheet)
        except _BROKEN as error:
            raise self._damaged(error) from error

    def _beside(self, sheet: SheetEntry) -> Iterator[str]:
        if len(self.sheets) > 1:
            yield f"other sheets, hidden ones too: {len(self.sheets) - 1}"
        elif not sheet.visible:
            yield "a hidden sheet"
        others = set(self._zip.namelist()) - _PARTS - {one.part for one in self.sheets}
        if others:
            yield f"parts that are no cells, such as comments and drawings: {len(others)}"
        names, texts = [], []

        def entry(tag: str, attributes: dict[str, str]) -> None:
            if _local(tag) == "definedName":
                names.append(tag)

        self._parse("xl/workbook.xml", entry)
        if names:
            yield f"defined names: {len(names)}"
        if "docProps/core.xml" in self._zip.namelist():
            parser = self._parser(lambda tag, attributes: texts.append(""))
            parser.CharacterDataHandler = lambda text: texts.append(text.strip())
            for piece in self._pieces("docProps/core.xml"):
                parser.Parse(piece, False)
            parser.Parse(b"", True)
        if any(not _TIME.fullmatch(text) for text in texts if text):
            yield "properties such as a name or a title"

    def _looked_through(self, sheet: SheetEntry) -> Looks:
        looks = Looks()
        row, column, kind = -1, -1, ""
        formula = value = False
        text: list[str] = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            nonlocal row, column, kind, formula, value
            tag = _local(tag)
            if tag == "c":
                where = attributes.get("r")
                if where is None:
                    column += 1
                else:
                    row, column = _positions(where)
                looks.cells += 1
                looks.bottom, looks.right = max(looks.bottom, row), max(looks.right, column)
                kind, formula, value = attributes.get("t", ""), False, False
                if kind == "e":
                    looks.errors[row, column] = ""
            elif tag == "row":
                row, column = int(attributes["r"]) - 1 if "r" in attributes else row + 1, -1
                if not 0 <= row < 1 << 20:
                    raise ValueError("a row beyond those of a sheet")
            elif tag == "f":
                formula = True
                looks.formulas.append((row, column))
            elif tag == "v":
                value = True
                if formula or kind == "e":
                    text.clear()
                    parser.CharacterDataHandler = text.append
            elif tag not in _TAGS:
                looks.others.add(tag)
            elif tag == "mergeCell":
                first, _, last = attributes["ref"].partition(":")
                (top, left), (bottom, right) = _positions(first), _positions(last or first)
                looks.merged.append(Area(top, left, bottom, right))

        def end(tag: str) -> None:
            nonlocal value
            tag = _local(tag)
            if tag == "v" and (formula or kind == "e"):
                parser.CharacterDataHandler = None
                value = bool("".join(text)) or kind == "str"
                if kind == "e":
                    looks.errors[row, column] = "".join(text)
            elif tag == "c" and formula and not value:
                looks.uncomputed.append((row, column))

        parser = self._parser(start)
        parser.EndElementHandler = end
        for piece in self._pieces(sheet.part):
            parser.Parse(piece, False)
        parser.Parse(b"", True)
        return looks

    def _workbook(self) -> tuple[list[SheetEntry], bool]:
        targets: dict[str, str] = {}
        sheets: list[SheetEntry] = []
        stale = False

        def relation(tag: str, attributes: dict[str, str]) -> None:
            if _local(tag) == "Relationship" and attributes["Type"].endswith("/worksheet"):
                target = attributes["Target"]
                path = target[1:] if target.startswith("/") else posixpath.join("xl", target)
                targets[attributes["Id"]] = posixpath.normpath(path)

        def entry(tag: str, attributes: dict[str, str]) -> None:
            nonlocal stale
            if _local(tag) == "sheet":
                number = next((value for name, value in attributes.items() if _local(name) == "id"), "")
                if number in targets:
                    shown = attributes.get("state", "visible") == "visible"
                    sheets.append(SheetEntry(attributes["name"], targets[number], shown))
            elif _local(tag) == "calcPr":
                stale = attributes.get("fullCalcOnLoad", "0") in ("1", "true")

        self._parse("xl/_rels/workbook.xml.rels", relation)
        self._parse("xl/workbook.xml", entry)
        return sheets, stale

    def _refuse_other_kinds(self) -> None:
        names = set(self._zip.namelist())
        if "xl/workbook.xml" in names:
            return
        found, remedy = "a zip that is no workbook", "if there is a text in it, say `format='delimited'`"
        if "xl/workbook.bin" in names:
            found, remedy = "a binary workbook (.xlsb)", "save it as .xlsx"
        elif "content.xml" in names:
            found, remedy = "an OpenDocument file (.ods)", "save it as .xlsx"
        elif "[Content_Types].xml" in names:
            found, remedy = "an Office document without sheets", "check that the right file was given"
        raise DataError(Problem(self._name, found, "an .xlsx workbook", remedy))

    def _refuse_bomb(self) -> None:
        """Refuse what is too large unpacked, whatever its directory says of that."""
        entries = self._zip.infolist()
        if len(entries) > _MOST_PARTS or len({entry.filename for entry in entries}) < len(entries):
            raise zipfile.BadZipFile("too many parts, or two of one name")
        room = _MOST_BYTES
        for entry in entries:
            if entry.filename.startswith("xl/") and not entry.filename.startswith("xl/media/"):
                for piece in self._pieces(entry.filename):
                    room -= len(piece)
                    if room < 0:
                        found = f"a workbook of more than {_MOST_BYTES:,} bytes unpacked"
                        remedy = "save the sheet as CSV"
                        raise DataError(Problem(self._name, found, "a smaller one", remedy))

    def _pieces(self, part: str) -> Iterator[bytes]:
        """Unpack a part to its true end, which its stated length may not be."""
        entry = self._zip.getinfo(part)
        if entry.flag_bits & 1:
            raise zipfile.BadZipFile("an encrypted part")
        self._file.seek(entry.header_offset)
        header = self._file.read(30)
        if not header.startswith(b"PK\x03\x04"):
            raise zipfile.BadZipFile("a part that is not there")
        self._file.seek(sum(struct.unpack_from("<HH", header, 26)), 1)
        left = entry.compress_size
        if entry.compress_type == zipfile.ZIP_STORED:
            while left > 0 and (piece := self._file.read(min(_PIECE, left))):
                left -= len(piece)
                yield piece
            return
        if entry.compress_type != zipfile.ZIP_DEFLATED:
            raise zipfile.BadZipFile("a part that is packed in another way")
        unpacker = zlib.decompressobj(-15)
        while not unpacker.eof:
            packed = unpacker.unconsumed_tail
            if not packed:
                packed = self._file.read(min(_PIECE, left))
                left -= len(packed)
                if not packed:
                    raise zipfile.BadZipFile("a part that is cut short")
            yield unpacker.decompress(packed, _PIECE)

    def _parse(self, part: str, start: object) -> None:
        parser = self._parser(start)
        for piece in self._pieces(part):
            parser.Parse(piece, False)
        parser.Parse(b"", True)

    @staticmethod
    def _parser(start: object) -> xml.parsers.expat.XMLParserType:
        parser = xml.parsers.expat.ParserCreate()
        parser.StartElementHandler = start  # type: ignore[assignment]

        def refuse(*_: object) -> None:
            raise ValueError("a document type, which no workbook has")

        parser.StartDoctypeDeclHandler = refuse
        return parser

    def _damaged(self, error: Exception) -> DataError:
        found, remedy = "a workbook that is cut short or damaged", "copy or download it again"
        reason = shown_name(str(error).splitlines()[0]) if str(error) else type(error).__name__
        return DataError(Problem(self._name, found, "a whole .xlsx workbook", remedy, cell=reason))


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _positions(where: str) -> tuple[int, int]:
    """Return row and column, counted from 0, of an address; ValueError if it is none."""
    found = _ADDRESS.match(where)
    if found is None:
        raise ValueError("a cell without an address")
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    row = int(found[2])
    if not (1 <= row <= 1 << 20 and column <= 1 << 14):
        raise ValueError("a cell beyond those of a sheet")
    return row - 1, column - 1
