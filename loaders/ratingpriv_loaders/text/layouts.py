"""Scanned delimited text becomes a table: the wide layout (a row a record) and the long (a row a rating)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.codebook.applying import table_of, wanted
from ratingpriv.codebook.cells import (
    BAD,
    BLANKS,
    INEXACT,
    NUMBER,
    NullTokens,
    lean,
    number,
    numeral,
    parse_cells,
)
from ratingpriv.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.codebook.refusals import bad_rating, inexact_rating
from ratingpriv.errors import DataError, Problem
from ratingpriv.escaping import looks_like_data
from ratingpriv.formats.reading import ReadOptions, Source
from ratingpriv.table import Origin, RatingTable
from ratingpriv.table.building.assembling import Place, Problems, table_from_coordinates
from ratingpriv_loaders import column_names
from ratingpriv_loaders.text import bytestream
from ratingpriv_loaders.text.dialect import COMMA_NUMBER, Opening
from ratingpriv_loaders.text.problems import note_faults
from ratingpriv_loaders.text.scan import scan_text
from ratingpriv_loaders.text.scanned import ISSUE, RATING, RECORD, SKIP, TIME, Scan
from ratingpriv_loaders.text.timestamps import timestamps_of

__all__ = ["TextReading"]

TOTALS = frozenset(
    [
        "total",
        "totals",
        "grand",
        "total",
        "subtotal",
        "sum",
        "average",
        "avg",
        "mean",
        "median",
        "std",
        "sd",
        "min",
        "max",
        "minimum",
        "maximum",
        "gesamt",
        "gesamtsumme",
        "summe",
        "mittelwert",
        "durchschnitt",
        "total",
        "général",
        "total",
        "general",
        "somme",
        "moyenne",
        "médiane",
        "suma",
        "promedio",
        "media",
        "mediana",
        "soma",
        "média",
        "totale",
        "somma",
        "totaal",
        "totalen",
        "som",
        "gemiddelde",
        "razem",
        "średnia",
        "summa",
        "medelvärde",
        "keskiarvo",
        "toplam",
        "ortalama",
        "итого",
        "всего",
        "сумма",
        "среднее",
        "合計",
        "平均",
        "总计",
        "總計",
    ]
) | {"grand total", "total général", "total general", "standard deviation", "std dev", "std. dev."}
"""Words in front of a line that is no record, but made of the others."""

_UNREAD = ("identifier", "drop")
_LAST = 5  # rows at the end of a file that may be such lines
_POINT_NUMBER = r"^[+-]?[0-9]*\.[0-9]+$"
_BLANKS = re.compile(rb"[ \t]+")
_AROUND = re.compile(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)")
_FEW = 21  # a rating scale rarely has more levels than this (Likert, stars, half stars, 0..20)


def _reported(source: Source, options: ReadOptions) -> Iterator[bytes]:
    for piece, done in bytestream.chunks(source, options.encoding):
        yield piece
        if options.progress is not None:
            options.progress(f"reading {source.name}", done, source.size)


def _one_blank(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the text with one blank between two cells, and none at the ends of lines; by whole lines."""
    rest = b""
    for piece in pieces:
        whole, end, rest = (rest + piece).rpartition(b"\n")
        if len(rest) > bytestream.LONGEST_LINE:  # refused by the scanner
            whole, rest = whole + end + rest, b""
            end = b""
        yield _BLANKS.sub(b" ", _AROUND.sub(b"", whole + end))
    yield _BLANKS.sub(b" ", _AROUND.sub(b"", rest))


def _like_triples(codes: NDArray[np.unsignedinteger]) -> bool:
    """Whether no pair of the first two columns repeats, though both columns do, and the third has few values."""
    rows = len(codes)
    distinct = [len(np.unique(codes[:, place])) for place in range(3)]
    if max(distinct[:2]) == rows or min(distinct[:2]) < 2 or distinct[2] > _FEW:
        return False
    pairs = codes[:, 0].astype(np.int64) << 32 | codes[:, 1].astype(np.int64)
    return len(np.unique(pairs)) == rows


@dataclass
class TextReading:
    """One file being read: what is known of it, and the two layouts."""

    source: Source
    options: ReadOptions
    opening: Opening
    format: str = "delimited"

    def __post_init__(self) -> None:
        self.file = self.source.name
        self.nulls = NullTokens(self.options)
        self.problems = Problems(self.options.max_problems)

    def long(self) -> RatingTable:
        """Read a row a rating."""
        names, options = self.opening.names, self.options
        columns = column_names.long_columns(names, options, file=self.file)
        timestamp = columns.timestamp if options.timestamps else None
        meaning = {columns.record: RECORD, columns.issue: ISSUE, columns.rating: RATING}
        if timestamp is not None:
            meaning[timestamp] = TIME
        scan = self._scan([meaning.get(name, SKIP) for name in names])
        parsed = parse_cells(scan.texts[RATING], self.nulls)
        self._refuse_empty(scan, scan.records, RECORD, columns.record, "a record id")
        self._refuse_empty(scan, scan.issues, ISSUE, columns.issue, "an issue")
        issue_names = scan.texts[ISSUE].to_list()
        bad, inexact = parsed.kinds == BAD, parsed.kinds == INEXACT
        if bad.any() or inexact.any():
            kept = (
                ~np.isin(issue_names, options.drop)[scan.issues] if options.drop else np.ones(scan.rows, bool)
            )
            self._note_bad_long(scan, np.flatnonzero(bad[scan.ratings] & kept), columns.rating)
            self._note_inexact(
                scan, scan.ratings, np.flatnonzero(inexact[scan.ratings] & kept), columns.rating
            )
        rated = parsed.kinds == NUMBER
        times = None
        if timestamp is not None:
            texts = scan.texts[TIME].to_list()
            times = timestamps_of(
                scan, texts, self.nulls, column=timestamp, file=self.file, problems=self.problems
            )
        origin = self._origin(
            "long",
            record_name=columns.record,
            issue_name=columns.issue,
            rating_name=columns.rating,
            timestamp_name=columns.timestamp or "timestamp",
        )
        table = table_from_coordinates(
            scan.records,
            scan.issues,
            lean(parsed.values)[scan.ratings],
            record_ids=scan.texts[RECORD],
            issue_names=issue_names,
            rated=None if rated.all() else rated[scan.ratings],
            timestamps=times,
            sensitive=options.sensitive,
            drop=options.drop,
            dropped_columns=columns.dropped,
            scale=options.scale,
            sensitive_scale=options.sensitive_scale,
            duplicates=options.duplicates,
            origin=origin,
            locate=lambda row: Place(self.file, scan.lines.of(row), self._called(columns.rating)),
            problems=self.problems,
        )
        wanted = [name for name in options.only if name not in options.sensitive]
        return table.select_issues(wanted) if options.only else table

    def wide(self) -> RatingTable:
        """Read a row a record."""
        raw = self.raw()
        return table_of(raw, self.options, self.problems)

    def raw(self) -> RawData:
        """Read the cells of a row a record, whatever they mean; what is wrong with lines is in ``problems``.

        That is: lines of totals, cells behind the last column, numbers with a comma of which nobody has said
        what it means.

        Raises
        ------
        DataError
            No line can be cut into cells, or rows of numbers without a header look like a long layout.
        """
        opening, options = self.opening, self.options
        roles = wanted(opening.names, options, file=self.file)
        known = self._known(roles)
        id_name = next((name for name in opening.names if known.get(name, roles[name]) == "id"), None)
        skipped = {name for name, role in roles.items() if role in _UNREAD}
        meaning = [
            RECORD if name == id_name else SKIP if name in skipped else RATING for name in opening.names
        ]
        watched = meaning[0] == SKIP and len(meaning) > 1
        scan = self._scan([ISSUE if watched else meaning[0], *meaning[1:], *[RATING] * opening.trailing])
        read = [name for name, role in zip(opening.names, meaning, strict=True) if role == RATING]
        codes = scan.ratings.reshape(scan.rows, len(read) + opening.trailing)
        self._refuse_totals(scan, codes, meaning, watched=watched)
        if opening.trailing:
            self._refuse_behind(scan, codes[:, -1])
        if options.layout is None and not (options.sensitive or options.scale or options.only):
            self._refuse_triples(codes)
        texts, codes = self._plain_texts(scan, codes, read)
        place, columns = {name: at for at, name in enumerate(read)}, []
        for name in opening.names:
            if name == id_name:
                cells = TextCells(scan.texts[RECORD], scan.records.view(np.uint32))
            elif name in place:
                cells = TextCells(texts, codes[:, place[name]])
            else:
                continue
            why = opening.known.get(name, ("", ""))[1]
            question, role = opening.questions.get(name), known.get(name)
            columns.append(RawColumn(name, cells, question=question, known_role=role, why=why))
        return RawData(
            columns=tuple(columns),
            records=scan.rows,
            origin=self._origin("wide", record_name="record" if id_name is None else id_name),
            locate=lambda row, column: Place(self.file, scan.lines.of(row), self._called(column) or None),
            unread=tuple((name, role) for name, role in roles.items() if role in _UNREAD),
            names=opening.names,
        )

    def _known(self, roles: Mapping[str, str | None]) -> dict[str, str]:
        """Return the roles that an export is sure of; its id is an identifier where another column is the id."""
        known = {name: role for name, (role, _) in self.opening.known.items()}
        codebook = self.options.codebook
        said = codebook is not None and any(
            codebook.spec_of(name).role == "id" for name in self.opening.names
        )
        if self.options.id is not None or said:
            known = {
                name: "identifier" if role == "id" and roles[name] != "id" else role
                for name, role in known.items()
            }
        return known

    def _refuse_totals(
        self, scan: Scan, codes: NDArray[np.unsignedinteger], meaning: list[int], *, watched: bool
    ) -> None:
        """Note rows at the end that hold sums or means of the others, by the word in front of them."""
        fronts: list[tuple[pl.Series, NDArray[Any]]] = []
        if RECORD in meaning:
            fronts.append((scan.texts[RECORD], scan.records))
        if watched:
            fronts.append((scan.texts[ISSUE], scan.issues))
        elif meaning[0] == RATING:
            fronts.append((scan.texts[RATING], codes[:, 0]))
        tail = max(0, scan.rows - _LAST)
        found = set()
        for texts, front in fronts:
            last = texts.gather(front[tail:]).to_list()
            words = {text for text in last if text.strip(" \t:=.").casefold() in TOTALS}
            for word in words:
                code = texts.index_of(word)
                if not (front[:tail] == code).any():  # an answer like others, if it is there too
                    found |= {tail + at for at, text in enumerate(last) if text == word}
        for row in sorted(found):
            expected = "a record, as in the lines above"
            remedy = "delete the line: a sum or a mean of the others is nobody's record"
            line = scan.lines.of(row)
            self.problems.add(Problem(self.file, "a line of totals or averages", expected, remedy, line))

    def _refuse_behind(self, scan: Scan, codes: NDArray[np.unsignedinteger]) -> None:
        """Note what stands in the last column, which the opening showed to be empty and without a name."""
        empty = scan.texts[RATING].str.strip_chars() == ""
        filled = np.flatnonzero(~empty.to_numpy()[codes])
        self.problems.at(
            filled,
            lambda row: Problem(
                self.file,
                "a cell behind the last column that has a name",
                "nothing there, as in the first lines",
                "give the last column a name, or empty the cell",
                scan.lines.of(row),
            ),
        )

    def _plain_texts(
        self, scan: Scan, codes: NDArray[np.unsignedinteger], read: list[str]
    ) -> tuple[pl.Series, NDArray[np.unsignedinteger]]:
        """Return the distinct texts without blanks around them and with decimal points, and codes of them."""
        texts = scan.texts[RATING]
        plain = texts.str.strip_chars(BLANKS)
        comma = plain.str.contains(COMMA_NUMBER)
        if comma.any() or self.opening.decimal_comma:
            self._note_commas(scan, codes, read, plain, comma.to_numpy())
            if self.opening.decimal_comma:
                pointed = plain.str.replace(",", ".", literal=True)
                plain = pl.select(pl.when(comma).then(pointed).otherwise(plain)).to_series()
        if plain.n_unique() < len(plain):
            distinct = plain.unique(maintain_order=True)
            position = {text: at for at, text in enumerate(distinct)}
            renumbered = np.array([position[text] for text in plain], dtype=codes.dtype)
            return distinct, renumbered[codes]
        return plain, codes

    def _note_commas(
        self,
        scan: Scan,
        codes: NDArray[np.unsignedinteger],
        read: list[str],
        texts: pl.Series,
        comma: NDArray[np.bool_],
    ) -> None:
        """Note columns of numbers with a comma, of which nobody has said what it means; or with both signs."""
        settled = self.options.decimal_comma
        point = texts.str.contains(_POINT_NUMBER).to_numpy()
        numbers = np.array([text in self.nulls or numeral(text) for text in texts]) | comma
        asked = []
        for place, name in enumerate(read):
            if self.opening.known.get(name, ("", ""))[0] in _UNREAD:
                continue
            seen = np.unique(codes[:, place])
            if not numbers[seen].all():
                continue
            if self.opening.decimal_comma and point[seen].any():
                row = int(np.argmax(point[codes[:, place]]))
                self.problems.add(
                    Problem(
                        self.file,
                        "a number with a point, where others have a decimal comma",
                        "one sign for decimals",
                        "say `decimal_comma=False` if the point is the decimal sign; or write it as the others",
                        scan.lines.of(row),
                        self._called(name),
                    )
                )
            elif comma[seen].any() and not self.opening.decimal_comma and settled is None:
                asked.append(name)
        if asked:
            first = read.index(asked[0])
            row = int(np.argmax(comma[codes[:, first]]))
            expected = "numbers with a decimal point"
            remedy = (
                "say `decimal_comma=True` if it is a decimal comma, else `decimal_comma=False` "
                "(digit groups, or several answers in a cell, are no numbers)"
            )
            more = f" (and in {len(asked) - 1} more columns)" if len(asked) > 1 else ""
            found = "a number with a comma" + more
            line = scan.lines.of(row)
            self.problems.add(Problem(self.file, found, expected, remedy, line, self._called(asked[0])))

    def _refuse_triples(self, codes: NDArray[np.unsignedinteger]) -> None:
        """Refuse to guess wide where rows of numbers look like record, issue and rating of a long layout."""
        width = codes.shape[1]
        if self.opening.header or width not in (3, 4):
            return
        if _like_triples(codes):
            words = "record, issue and rating" if width == 3 else "record, issue, rating and time"
            found = f"rows of {width} numbers without a header, which look like {words}"
            expected = "a stated layout"
            remedy = (
                f"say `layout='long'` if they are {words} in this order (else name them with `id`, `issue` and "
                "`rating`), or `layout='wide'` if every row is a record"
            )
            raise DataError(Problem(self.file, found, expected, remedy, self.opening.line))

    def _scan(self, roles: list[int]) -> Scan:
        opening = self.opening
        pieces = _reported(self.source, self.options)
        if opening.runs:
            pieces = _one_blank(pieces)
        scan = scan_text(pieces, opening.delimiter, roles, skip=opening.skipped, hopeless=self._hopeless)
        if scan.rows == 0 and not scan.total_faults:
            found = f"a header ({len(opening.names)} columns) and nothing below it"
            remedy = "check that the file was written whole"
            raise DataError(Problem(self.file, found, "at least one record or rating", remedy, opening.line))
        note_faults(scan, opening.names, header=opening.header, file=self.file, problems=self.problems)
        if scan.rows == 0:
            raise self.problems.error()
        return scan

    def _hopeless(self, texts: Iterable[str]) -> bool:
        """Whether none of the texts is a rating, or says that there is none."""
        return not any(number(text) is not None or text in self.nulls for text in texts)

    def _origin(self, layout: str, *, record_name: str, order: tuple[str, ...] = (), **names: Any) -> Origin:
        details = {
            "delimiter": self.opening.delimiter,
            "header": self.opening.header,
            "encoding": bytestream.check_encoding(self.options.encoding),
            "null": list(self.options.only_null or self.options.null),
            "columns": list(self.opening.names),
        }
        if self.opening.decimal_comma:
            details["decimal_comma"] = True
        if self.opening.heads:
            details["header_rows"] = {name: list(cells) for name, cells in self.opening.heads.items()}
        return Origin(
            name=self.file,
            format=self.format,
            layout=layout,
            record_name=record_name,
            order=order,
            details=details,
            **names,
        )

    def _refuse_empty(self, scan: Scan, codes: NDArray[np.int32], role: int, column: str, what: str) -> None:
        """Note rows whose record or issue is an empty cell."""
        place = scan.texts[role].index_of("")
        if place is None:
            return
        self.problems.at(
            np.flatnonzero(codes == place),
            lambda row: Problem(self.file, "an empty cell", what, "fill it in", scan.lines.of(row), column),
        )

    def _note_inexact(
        self, scan: Scan, codes: NDArray[np.unsignedinteger], rows: NDArray[np.int64], column: str
    ) -> None:
        """Note the numbers in ``rows`` of a column, which float64 does not keep; ``codes`` (n_rows,)."""
        texts = scan.texts[RATING]
        self.problems.at(
            rows,
            lambda row: inexact_rating(texts[int(codes[row])], self.file, scan.lines.of(row), column),
        )

    def _note_bad_long(self, scan: Scan, rows: NDArray[np.int64], column: str) -> None:
        texts = scan.texts[RATING]
        if len(rows) > 2 and len(rows) * 2 > scan.rows:
            examples = texts.gather(scan.ratings[rows[:3]]).unique(maintain_order=True).to_list()
            found, line = f"text in {len(rows):,} of {scan.rows:,} cells", scan.lines.of(int(rows[0]))
            remedy = "name the column of ratings with `rating`"
            self.problems.add(Problem(self.file, found, "ratings", remedy, line, column, ", ".join(examples)))
            return
        self.problems.at(
            rows,
            lambda row: bad_rating(texts[int(scan.ratings[row])], self.file, scan.lines.of(row), column),
        )

    def _called(self, name: str) -> str | int:
        """Return a column as messages call it: by name, or by number where the name looks like data."""
        return self.opening.names.index(name) + 1 if looks_like_data(name) else name
