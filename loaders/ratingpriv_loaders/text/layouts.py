"""Scanned delimited text becomes a table: the wide layout (a row a record) and the long (a row a rating)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.errors import DataError, Problem
from ratingpriv.escaping import looks_like_data
from ratingpriv.formats.reading import ReadOptions, Source
from ratingpriv.table import Origin, RatingTable
from ratingpriv.table.building.assembling import Place, Problems, table_from_coordinates
from ratingpriv_loaders import column_names
from ratingpriv_loaders.text import bytestream
from ratingpriv_loaders.text.cells import (
    BAD,
    BLANKS,
    INEXACT,
    NUMBER,
    NullTokens,
    number,
    numeral,
    parse_cells,
)
from ratingpriv_loaders.text.dialect import COMMA_NUMBER, Opening
from ratingpriv_loaders.text.problems import bad_rating, inexact_rating, note_faults
from ratingpriv_loaders.text.scan import scan_text
from ratingpriv_loaders.text.scanned import ISSUE, RATING, RECORD, SKIP, TIME, Scan
from ratingpriv_loaders.text.standin import UNREAD, table_of, wanted
from ratingpriv_loaders.text.timestamps import timestamps_of

__all__ = ["TextReading"]

TOTALS = frozenset(
    "total totals grand total subtotal sum average avg mean median std sd min max minimum maximum "
    "gesamt gesamtsumme summe mittelwert durchschnitt total général total general somme moyenne médiane "
    "suma promedio media mediana soma média totale somma totaal totalen som gemiddelde razem średnia "
    "summa medelvärde keskiarvo toplam ortalama итого всего сумма среднее 合計 平均 总计 總計".split()
) | {"grand total", "total général", "total general", "standard deviation", "std dev", "std. dev."}
"""Words in front of a line that is no record, but made of the others."""

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


def _lean(values: NDArray[np.float64]) -> NDArray[np.generic]:
    """Return the values in the smallest type that holds all exactly (floats: by their shortest decimal)."""
    if len(values) == 0 or bool(np.all(values == np.floor(values))):
        for kind in (np.uint8, np.int8, np.int16, np.int32):
            limits = np.iinfo(kind)
            if len(values) == 0 or (values.min() >= limits.min and values.max() <= limits.max):
                return values.astype(kind)
        return values
    with np.errstate(over="ignore"):
        short = values.astype(np.float32)
    if len(values) <= 1 << 16 and all(
        float(str(a)) == b for a, b in zip(short, values.tolist(), strict=True)
    ):
        return short
    return values


def _like_triples(codes: NDArray[np.unsignedinteger], distinct: list[int]) -> bool:
    """Whether no pair of the first two columns repeats, though both columns do, and the third has few values."""
    rows = len(codes)
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
            _lean(parsed.values)[scan.ratings],
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
        return table_of(self.raw(), self.options)

    def raw(self) -> RawData:
        """Read the cells of a row a record, whatever they mean.

        Raises
        ------
        DataError
            Lines that cannot be cut into cells, a line of totals, cells behind the last column, numbers with
            a comma of which nobody has said what it means.
        """
        opening, options = self.opening, self.options
        id_name = self._id_name()
        roles = wanted(opening.names, options)
        unread = [(name, role) for name, role in roles.items() if role in UNREAD and name != id_name]
        skipped = {name for name, _ in unread}
        meaning = [
            RECORD if name == id_name else SKIP if name in skipped else RATING for name in opening.names
        ]
        watched = meaning[0] == SKIP and len(meaning) > 1
        scanned = [ISSUE if watched else meaning[0], *meaning[1:], *([RATING] if opening.trailing else ())]
        scan = self._scan(scanned)
        read = [name for name, role in zip(opening.names, meaning, strict=True) if role == RATING]
        codes = scan.ratings.reshape(scan.rows, len(read) + opening.trailing)
        self._refuse_totals(scan, codes, meaning, watched=watched)
        if opening.trailing:
            self._refuse_behind(scan, codes[:, -1])
        if options.layout is None and not (options.sensitive or options.scale or options.only):
            self._refuse_long(codes, read)
        texts, codes = self._plain_texts(scan, codes, read)
        self.problems.raise_if_any()
        place, columns = {name: at for at, name in enumerate(read)}, []
        for name in opening.names:
            role, why = opening.known.get(name, (None, ""))
            if name == id_name:
                cells = TextCells(scan.texts[RECORD], scan.records.view(np.uint32))
                role, why = role or "id", why or self._why_id(name)
            elif name in place:
                cells = TextCells(texts, codes[:, place[name]])
            else:
                continue
            question = opening.questions.get(name)
            columns.append(RawColumn(name, cells, question=question, known_role=role, why=why))
        return RawData(
            tuple(columns),
            scan.rows,
            self._origin("wide", record_name="record" if id_name is None else id_name, order=tuple(read)),
            lambda row, column: Place(self.file, scan.lines.of(row), self._called(column) or None),
            tuple(unread),
        )

    def _id_name(self) -> str | None:
        """Return the column of record ids, as said, or as known, or as recognised."""
        opening, options = self.opening, self.options
        known = next((name for name, (role, _) in opening.known.items() if role == "id"), None)
        if known is not None and options.id is None:
            return known
        return column_names.wide_id_column(opening.names, options, file=self.file)

    def _why_id(self, name: str) -> str:
        if self.options.id is not None:
            return "named as the column of ids"
        return (
            "its name is one of ids" if name else "an unnamed first column, as pandas and R write row names"
        )

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
        settled = getattr(self.options, "decimal_comma", None)
        point = texts.str.contains(_POINT_NUMBER).to_numpy()
        numbers = np.array([text in self.nulls or numeral(text) for text in texts]) | comma
        asked = []
        for place, name in enumerate(read):
            if self.opening.known.get(name, ("", ""))[0] in UNREAD:
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

    def _refuse_long(self, codes: NDArray[np.unsignedinteger], read: list[str]) -> None:
        """Refuse to guess wide where the columns look like record, issue and rating of a long layout."""
        if not 2 <= len(read) <= 4:
            return
        distinct = [len(np.unique(codes[:, place])) for place in range(len(read))]
        if not self.opening.header and len(read) > 2 and _like_triples(codes, distinct):
            words = "record, issue and rating" if len(read) == 3 else "record, issue, rating and time"
            found = f"rows of {len(read)} numbers without a header, which look like {words}"
            expected = "a stated layout"
            remedy = (
                f"say `layout='long'` if they are {words} in this order (else name them with `id`, `issue` and "
                "`rating`), or `layout='wide'` if every row is a record"
            )
            raise DataError(Problem(self.file, found, expected, remedy, self.opening.line))
        few = [name for name, number in zip(read, distinct, strict=True) if number <= _FEW]
        others = sum(number > 5 * _FEW for number in distinct)
        if len(codes) < 100 or len(few) != 1 or others != len(read) - 1:
            return
        counts = ", ".join(f"{number:,}" for number in distinct)
        found = f"columns of {counts} different values, by no known names"
        rating = self._called(few[0])
        expected = f"ratings only, or a stated layout (column {rating} may be the rating of a long one)"
        remedy = "say `layout='long'` with `id`, `issue` and `rating` (names or numbers), or `layout='wide'`"
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
            "null": list(self.options.null),
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
