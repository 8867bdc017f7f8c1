"""The files packed in an .xlsx: found, bounded, and looked through for what no value says.

A workbook is a zip of XML. Before a library unpacks it, its size is measured here, and the cells of
the sheet are looked at one by one: how large an area they span, which are formulas without a
result, errors, or merged. The look ends at the first cell, row or element beyond what a sheet of
answers has.
"""

from __future__ import annotations

import contextlib
import functools
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, NoReturn
from xml.parsers import expat

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.escaping import shown_name

_MOST_BYTES = 1 << 30  # unpacked, all parts together
MOST_CELLS = 20_000_000
"""Of the area that a sheet spans: a library keeps a place for each, filled or not."""
MOST_CHARACTERS = 32_767
"""Of a cell."""
ROWS, COLUMNS = 1 << 20, 1 << 14
"""Of a sheet."""
_MOST_ELEMENTS, _OF_A_CELL = (
    2_000_000,
    16,
)  # of a part: so many, and so many more for each of its cells or texts
_DEEPEST = 32
_ENCRYPTED = 1  # of a part's flags in the zip
_CELL_BEGINS = (b"<c ", b"<c>", b"<c/")
_SHARED = "xl/sharedStrings.xml"
_PARTS = frozenset(
    ("[Content_Types].xml", "_rels/.rels", "xl/_rels/workbook.xml.rels", "xl/workbook.xml",
    "xl/styles.xml",
     _SHARED, "xl/theme/theme1.xml", "docProps/app.xml", "docProps/core.xml")
)  # fmt: skip
"""The parts that every workbook may have, beside its sheets."""
_TAGS = frozenset(
    ("worksheet", "sheetPr", "dimension", "sheetViews", "sheetView", "selection", "sheetFormatPr",
    "cols",
     "col", "sheetData", "row", "c", "v", "is", "t", "r", "rPr", "f", "mergeCells", "mergeCell",
     "pageMargins")
)  # fmt: skip
"""The elements of a sheet that hold its cells, or say how wide they are."""
_OTHER_ZIPS = (  # by a part that they have
    ("xl/workbook.bin", "a binary workbook (.xlsb)", "save it as .xlsx"),
    ("content.xml", "an OpenDocument file (.ods)", "save it as .xlsx"),
    (
        "[Content_Types].xml",
        "an Office document without sheets",
        "check that the right file was given",
    ),
    ("", "a zip that is no workbook", "if there is a text in it, say `format='delimited'`"),
)
_ESCAPED = re.compile("_x[0-9A-Fa-f]{4}_")  # one character
_TIME = re.compile(r"[0-9TZ:.+-]+")
_ADDRESS = re.compile(r"([A-Z]{1,3})([0-9]{1,7})\Z")
_OF_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
_BROKEN = (*_OF_ZIP, expat.ExpatError, KeyError, OverflowError, ValueError)


_SAVE = "open it in a spreadsheet program and save it again"
_TOO_LONG = (
    f"a text of more than {MOST_CHARACTERS:,} characters",
    f"at most {MOST_CHARACTERS:,}, as a cell can hold",
    "shorten it, or save the sheet as CSV",
)
_TWICE = (
    "more cells than rows and columns have places",
    "a cell once",
    "save it again as .xlsx or CSV",
)
_NO_TEXT = (
    "a text that the workbook does not have",
    "one of its texts, by number",
    "copy or download it again",
)


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
    texts : the number of each text that stands once for all sheets, and the first cell that has it
    beyond : what is more than a sheet of answers has, in words, where the look ended; empty:
        nothing
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

    texts: dict[int, Cell] = field(default_factory=dict)
    beyond: str = ""


class _FullError(Exception):
    """There is more in a part than is looked at."""


class _Look:
    """What is seen of a sheet as its XML goes by: ``<c r="B7" t="e"><f>1/0</f><v>#DIV/0!</v></c>``.

    ``refuse`` is called with what cannot be in a cell, what is expected, what to do, and the cell.
    """

    def __init__(self, sheet: SheetPart, refuse: Callable[[str, str, str, Cell], NoReturn]) -> None:
        self._sheet, self._refuse = sheet, refuse
        self.filled = 0  # cells with anything in them
        self._row = self._column = -1
        self._kind: str | None = None  # of the cell that is open, by its attribute t; None: none is
        self._inside: dict[str, str] = {}  # the texts of its f, v and is
        self._open = ""  # which of these is

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin an element."""
        if tag == "c":
            self._begin_cell(attributes)
        elif self._kind is not None and tag in ("f", "v", "is"):
            self._open, self._inside[tag] = tag, ""
        elif tag == "row":
            self._row, self._column = int(attributes.get("r", self._row + 2)) - 1, -1
            if not 0 <= self._row < ROWS:
                self._stop(f"a row beyond the last one of a sheet ({ROWS:,})")
        elif tag == "mergeCell":
            first, _, last = attributes["ref"].partition(":")
            self._sheet.merged.append((_position(first), _position(last or first)))
        elif tag not in _TAGS:
            self._sheet.others.add(tag)

    def text(self, text: str) -> None:
        """Take a piece of text."""
        if self._open in ("", "f"):  # a formula may be long, and only whether there is one matters
            return
        self._inside[self._open] = text_inside = self._inside[self._open] + text
        if too_long(text_inside):
            self._refuse(*_TOO_LONG, (self._row, self._column))

    def end(self, tag: str) -> None:
        """End an element."""
        if tag == self._open:
            self._open = ""
        elif tag == "c":
            self._end_cell()

    def _begin_cell(self, attributes: Mapping[str, str]) -> None:
        sheet, where = self._sheet, attributes.get("r")
        self._row, self._column = (
            (self._row, self._column + 1) if where is None else _position(where)
        )
        self._kind, self._inside = attributes.get("t", ""), {}
        sheet.cells += 1
        sheet.bottom, sheet.right = max(sheet.bottom, self._row), max(sheet.right, self._column)
        if (sheet.bottom + 1) * (sheet.right + 1) > MOST_CELLS:
            span = f"{sheet.bottom + 1:,} rows and {sheet.right + 1:,} columns"
            self._stop(f"a sheet whose cells span {span}")
        if self._column >= COLUMNS:
            self._stop(f"a column beyond the last one of a sheet ({COLUMNS:,})")
        if sheet.cells > (sheet.bottom + 1) * (sheet.right + 1):
            self._refuse(*_TWICE, (self._row, self._column))

    def _end_cell(self) -> None:
        sheet, inside, here = self._sheet, self._inside, (self._row, self._column)
        value = inside.get("v", "")
        self.filled += bool(inside)
        sheet.filled = self.filled > 0
        if "f" in inside:
            sheet.formulas.append(here)
            if "v" not in inside or not (value or self._kind == "str"):
                sheet.uncomputed.append(here)
        if self._kind == "e":
            sheet.errors[here] = value
        elif self._kind == "s" and value:
            number = value.strip()
            if not (number.isascii() and number.isdecimal() and len(number) < 10):
                self._refuse(*_NO_TEXT, here)
            sheet.texts.setdefault(int(number), here)
        self._kind = None

    def _stop(self, what: str) -> NoReturn:
        """End the look: what the sheet is matters only if it is the one that is read."""
        self._sheet.beyond, self._sheet.filled = what, True
        raise _FullError


class _Texts:
    """What is seen of the texts that stand once for all sheets: how many there are,
    which are too long.
    """

    def __init__(self) -> None:
        self.count, self.long, self._said = 0, set[int](), ""
        self._open = False

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin an element."""
        if tag == "si":
            self.count, self._said = self.count + 1, ""
        self._open = tag == "t"

    def text(self, text: str) -> None:
        """Take a piece of text; of one that is too long no more."""
        if self._open and not too_long(self._said):
            self._said += text

    def end(self, tag: str) -> None:
        """End an element."""
        self._open = False
        if tag == "si" and too_long(self._said):
            self.long.add(self.count - 1)


class Package:
    """An opened .xlsx; DataError where it is damaged, none,
    or larger unpacked than any workbook of answers.

    ``sheets`` : the worksheets, in the workbook's order. ``stale`` : whether the workbook asks for
    its formulas to be computed when it is opened: their results in it are none.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._name, self.stale, self._defined = name, False, 0
        self.sheets: list[SheetPart] = []
        with self.damage():
            self._zip = zipfile.ZipFile(file)
            self._refuse()
            self._read_workbook()

    def _refuse(self) -> None:
        """Refuse other kinds of files, and what is too large unpacked.

        Of another size than said: damaged.
        """
        names, entries = set(self._zip.namelist()), self._zip.infolist()
        if "xl/workbook.xml" not in names:
            finding, remedy = next(
                words for part, *words in _OTHER_ZIPS if not part or part in names
            )
            raise DataError(Problem(self._name, finding, "an .xlsx workbook", remedy))
        if len(names) < len(entries):
            raise zipfile.BadZipFile("two parts of one name")
        if sum(entry.file_size for entry in entries) > _MOST_BYTES:
            finding = f"a workbook of more than {_MOST_BYTES:,} bytes unpacked"
            raise DataError(Problem(self._name, finding, "a smaller one", "save the sheet as CSV"))
        if any(entry.flag_bits & _ENCRYPTED for entry in entries):
            finding, remedy = (
                "a part that a password protects",
                "save the workbook without a password",
            )
            raise DataError(
                Problem(self._name, finding, "an .xlsx workbook without a password", remedy)
            )
        if (damaged := self._zip.testzip()) is not None:
            raise zipfile.BadZipFile(damaged)

    def _read_workbook(self) -> None:
        targets: dict[str, str] = {}

        def relation(tag: str, attributes: Mapping[str, str]) -> None:
            if tag == "Relationship" and attributes["Type"].endswith("/worksheet"):
                target = attributes["Target"]
                path = target[1:] if target.startswith("/") else posixpath.join("xl", target)
                targets[attributes["Id"]] = posixpath.normpath(path)

        def part(tag: str, attributes: Mapping[str, str]) -> None:
            if tag == "sheet":
                number = next(
                    (value for name, value in attributes.items() if _local(name) == "id"), ""
                )
                if number in targets:
                    shown = attributes.get("state", "visible") == "visible"
                    self.sheets.append(SheetPart(attributes["name"], targets[number], shown))
            elif tag == "calcPr":
                self.stale = attributes.get("fullCalcOnLoad", "0") in ("1", "true")
            self._defined += tag == "definedName"

        self._walk("xl/_rels/workbook.xml.rels", relation)
        self._walk("xl/workbook.xml", part)
        parts = [sheet.part for sheet in self.sheets]
        if len(set(parts)) < len(parts):
            raise self._problem(
                "two sheets with the same cells", "a part for each sheet", "save it again"
            )

    def look_through(self, sheet: SheetPart) -> SheetPart:
        """Look at every cell of a sheet; return it."""

        def refuse(finding: str, expected: str, remedy: str, cell: Cell) -> NoReturn:
            where = f"{finding} (cell {address(*cell)})"
            raise DataError(Problem(self.of(sheet), where, expected, remedy, cell[0] + 1))

        look = _Look(sheet, refuse)
        with self.damage(), contextlib.suppress(_FullError):
            if self._counted([sheet]) > MOST_CELLS:
                sheet.beyond, sheet.filled = f"a sheet of more than {MOST_CELLS:,} cells", True
            else:
                self._walk(sheet.part, look.begin, look.text, look.end, lambda: look.filled)
        return sheet

    def _counted(self, sheets: Iterable[SheetPart]) -> int:
        """Return about how many cells there are, counted in the bytes:
        much sooner than looked at.
        """
        count = 0
        for sheet in sheets:
            with self._zip.open(sheet.part) as opened:
                while chunk := opened.read(1 << 20):
                    count += sum(map(chunk.count, _CELL_BEGINS))
        return count

    def look_at_texts(self, sheet: SheetPart) -> None:
        """Refuse a cell of a sheet whose text is none of the workbook's,
        or longer than a cell can be.
        """
        texts = _Texts()
        with self.damage():
            if _SHARED in self._zip.namelist():
                # a text is of one at least
                cells = functools.cache(lambda: self._counted(self.sheets))
                self._walk(_SHARED, texts.begin, texts.text, texts.end, cells)
        for number, cell in sheet.texts.items():
            if number >= texts.count or number in texts.long:
                finding, expected, remedy = _NO_TEXT if number >= texts.count else _TOO_LONG
                where = f"{finding} (cell {address(*cell)})"
                raise DataError(Problem(self.of(sheet), where, expected, remedy, cell[0] + 1))

    def of(self, sheet: SheetPart) -> str:
        """Return how messages call a sheet."""
        return f"{self._name}, sheet {shown_name(sheet.name)}"

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
        names_beside: list[str] = []
        with self.damage():
            if "docProps/core.xml" in parts:
                self._walk("docProps/core.xml", text=names_beside.append)
        if any(text.strip() and not _TIME.fullmatch(text.strip()) for text in names_beside):
            yield "properties such as a name or a title"

    @contextlib.contextmanager
    def damage(self, *more: type[Exception]) -> Iterator[None]:
        """Say of whatever goes wrong with the zip, its XML, or as ``more``,
        that the workbook is damaged.
        """
        kinds: tuple[type[Exception], ...] = (*_BROKEN, *more, OSError)
        try:
            yield
        except DataError:  # a ValueError, too
            raise
        except kinds as error:
            if isinstance(error, OSError) and error.errno is not None:  # the disk's, not the file's
                raise
            actual, remedy = "a workbook that is cut short or damaged", "copy or download it again"
            reason = shown_name(str(error).splitlines()[0]) if str(error) else type(error).__name__
            problem = Problem(self._name, actual, "a whole .xlsx workbook", remedy, cell=reason)
            raise DataError(problem) from error

    def _problem(self, finding: str, expected: str, remedy: str) -> DataError:
        return DataError(Problem(self._name, finding, expected, remedy))

    def _walk(
        self,
        part: str,
        begin: Callable[[str, Mapping[str, str]], None] = lambda tag, attributes: None,
        text: Callable[[str], object] = lambda text: None,
        end: Callable[[str], None] = lambda tag: None,
        cells: Callable[[], int] = lambda: 0,
    ) -> None:
        """Call what takes the elements and texts of a part, in their order; ``cells``:
        how many it has yet.

        A part that declares a document type, nests elements or has many more of them than cells is
        refused.
        """
        count = depth = 0
        names: dict[str, str] = {}

        def begun(name: str, attributes: Mapping[str, str]) -> None:
            nonlocal count, depth
            count, depth = count + 1, depth + 1
            if count > _MOST_ELEMENTS and count > _MOST_ELEMENTS + _OF_A_CELL * cells():
                finding = (
                    f"more than {_MOST_ELEMENTS:,} elements that are no cells ({shown_name(part)})"
                )
                raise self._problem(finding, "a sheet of ratings", "save the sheet as CSV")
            if depth > _DEEPEST:
                finding = f"elements more than {_DEEPEST} deep in each other ({shown_name(part)})"
                raise self._problem(finding, "a workbook as spreadsheet programs write it", _SAVE)
            if name not in names:
                names[name] = _local(name)
            begin(names[name], attributes)

        def ended(name: str) -> None:
            nonlocal depth
            depth -= 1
            end(names[name])

        def typed(*_: object) -> NoReturn:
            finding = f"a document type ({shown_name(part)}), which no workbook has"
            raise self._problem(finding, "a workbook as spreadsheet programs write it", _SAVE)

        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = begun, ended
        parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text, typed
        with self._zip.open(part) as opened:
            while chunk := opened.read(1 << 16):
                parser.Parse(chunk, False)
            parser.Parse(b"", True)


def too_long(text: str) -> bool:
    """Whether a text is longer than a cell can be; ``_x000D_`` is one character."""
    if len(text) <= MOST_CHARACTERS:
        return False
    return len(text) > 7 * MOST_CHARACTERS or len(_ESCAPED.sub(".", text)) > MOST_CHARACTERS


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _position(where: str) -> Cell:
    """Return row and column, counted from 0, of an address; ValueError if it is none."""
    parts = _ADDRESS.match(where)
    if parts is None:
        raise ValueError("a cell without an address")
    column = 0
    for letter in parts[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    row = int(parts[2])
    if not (1 <= row <= ROWS and column <= COLUMNS):
        raise ValueError("a cell beyond those of a sheet")
    return row - 1, column - 1
