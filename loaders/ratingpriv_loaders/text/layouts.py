"""Scanned delimited text becomes a table: the wide layout (a row a
record) and the long (a row a rating).
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.escaping import looks_like_data
from ratingpriv.data.codebook.cells import (
    BAD,
    BLANKS,
    INEXACT,
    NULL,
    NUMBER,
    NullTokens,
    ParsedCells,
    bad_rating,
    inexact_rating,
    lean,
    null_texts,
    number,
    numeral,
    parse_cells,
)
from ratingpriv.data.codebook.deciding import wanted
from ratingpriv.data.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.data.codebook.recognition.one_person import repeats_left_out
from ratingpriv.data.formats.reading import ReadOptions, Source
from ratingpriv.data.table import Origin, RatingTable
from ratingpriv.data.table.building.coordinates import Coordinates, parts_from_coordinates
from ratingpriv.data.table.building.delimited import cells_in_words, fault_problem
from ratingpriv.data.table.building.problems import Place, Problems
from ratingpriv.data.table.building.spelling import Repeats
from ratingpriv.data.table.parts import Multiline, Spellings
from ratingpriv_loaders.long_roles import long_roles
from ratingpriv_loaders.text import bytestream
from ratingpriv_loaders.text.dialect import COMMA_NUMBER, Opening, one_blank
from ratingpriv_loaders.text.scan import ISSUE, RATING, RECORD, SKIP, TIME, Scan, scan_text
from ratingpriv_loaders.totals import TAIL, is_statistic, note_statistics
from ratingpriv_loaders.wide_or_long import OpenedFile

_POINT_NUMBER = r"^[+-]?[0-9]*\.[0-9]+$"
_FEW = 21  # a rating scale rarely has more levels than this (Likert, stars, half stars, 0..20)

# timestamps: an empty cell; a whole number; days since 1970-01-01; microseconds since then; none
_NO_TIME, _SECONDS, _DATE, _INSTANT, _NONE = range(5)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_FIRST_DAY = datetime.date(1970, 1, 1).toordinal()
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND, _DAY_OF_THEM = datetime.timedelta(microseconds=1), 86_400_000_000

type _Codes = NDArray[np.unsignedinteger]
type _Columns = Sequence[tuple[str, _Codes]]
"""Name, and positions among the distinct texts, of each column."""


class TextReading(OpenedFile):
    """A text, opened: what is known of it, and the two layouts."""

    def __init__(
        self,
        source: Source,
        options: ReadOptions,
        opening: Opening,
        format: str = "delimited",  # noqa: A002
    ) -> None:
        self.source, self.options, self.opening, self.format = source, options, opening, format
        self.file, self.names, self.header = source.name, opening.names, opening.header
        self.aside = itertools.chain(opening.oddities, bytestream.packed_beside(source))
        self.nulls = NullTokens(options)
        self.problems, self.multiline = Problems(options.max_problems), Multiline(0, 0)

    def long(self) -> RatingTable:
        """Read a row a rating."""
        roles = long_roles(self.opening.names, self.options, file=self.file)
        options, columns, rating = roles.options, roles.columns, roles.columns.rating
        timestamp = columns.timestamp if options.timed else None
        meaning = {columns.record: RECORD, columns.issue: ISSUE, rating: RATING}
        if timestamp is not None:
            meaning[timestamp] = TIME
        scan = self._scan([*(meaning.get(name, SKIP) for name in self.opening.names)])
        texts, lines = scan.texts, scan.lines
        codebook = options.codebook
        missing = (*(() if codebook is None else codebook.missing), *roles.rating.missing)
        self.nulls = NullTokens(options, missing)
        parsed = self._parsed_long(scan, rating, roles.rating.labels)
        self._refuse_empty(scan, scan.records, RECORD, columns.record, "a record id")
        self._refuse_empty(scan, scan.issues, ISSUE, columns.issue, "an item")
        issue_names = texts[ISSUE].to_list()
        sensitive, drop, chosen = roles.issues(issue_names)
        wrong = np.isin(parsed.kinds, (BAD, INEXACT))
        if wrong.any():
            kept = ~np.isin(issue_names, drop)[scan.issues]
            of_rows = parsed.kinds[scan.ratings]
            self._note_bad_long(scan, np.flatnonzero((of_rows == BAD) & kept), rating)
            self.problems.at(
                np.flatnonzero((of_rows == INEXACT) & kept),
                lambda row: inexact_rating(
                    texts[RATING][int(scan.ratings[row])], self.file, lines.of(row), rating
                ),
            )
        rated = parsed.kinds == NUMBER
        times = None if timestamp is None else self._timestamps(scan, timestamp)
        table = RatingTable.of(
            parts_from_coordinates(
                Coordinates(
                    scan.records,
                    scan.issues,
                    lean(parsed.values)[scan.ratings],
                    lambda row: Place(self.file, lines.of(row), self._called(rating)),
                    None if rated.all() else rated[scan.ratings],
                ),
                dataclasses.replace(
                    options.handling,
                    sensitive=sensitive,
                    drop=drop,
                    scale=options.scale or roles.rating.scale,
                ),
                record_ids=texts[RECORD],
                issue_names=issue_names,
                origin=self._origin(
                    "long",
                    texts[RATING],
                    record_name=columns.record,
                    issue_name=columns.issue,
                    rating_name=rating,
                    timestamp_name=columns.timestamp or "timestamp",
                ),
                dropped_columns=columns.dropped,
                timestamps=times,
                problems=self.problems,
            )
        )
        spelled = Spellings.of(null_texts(TextCells(texts[RATING], scan.ratings), parsed))
        origin = table.origin.spelled(spelled).repeating(
            *self._repeats(columns.record, columns.dropped)
        )
        table = table.replace(roles=roles.roles, origin=origin)
        return table if options.only or chosen is None else table.select_issues(chosen)

    def _repeats(self, record: str, dropped: Sequence[str]) -> Iterator[Repeats | None]:
        """Yield what several records share in columns that were left out.

        The text is read again for it.
        """
        if not dropped:
            return
        meaning = {record: RECORD} | dict.fromkeys(dropped, RATING)
        scan = self._scan([meaning.get(name, SKIP) for name in self.names], wide=True)
        names = [name for name in self.names if name in dropped]
        owners = pl.Series(scan.records)
        gone = pl.Series([text in self.nulls for text in scan.texts[RATING]], dtype=pl.Boolean)
        for name, codes in zip(names, scan.ratings.reshape(scan.rows, len(names)).T, strict=True):
            cells = scan.texts[RATING].gather(codes)
            yield repeats_left_out(name, cells.set(gone.gather(codes), None), owners)

    def _parsed_long(self, scan: Scan, column: str, labels: tuple[str, ...]) -> ParsedCells:
        """Return what the texts of ratings mean: as words of a scale (1, 2, ...), or as numbers."""
        texts = scan.texts[RATING]
        if labels:
            values = {
                label.strip().casefold(): float(number) for number, label in enumerate(labels, 1)
            }
            values_found = [values.get(text.strip().casefold()) for text in texts]
            kinds = [
                NULL if text in self.nulls else BAD if value is None else NUMBER
                for text, value in zip(texts, values_found, strict=True)
            ]
            return ParsedCells(
                np.array(kinds, dtype=np.uint8), np.array([value or 0.0 for value in values_found])
            )
        if self.opening.decimal_comma:
            texts = self._pointed(texts.str.strip_chars(BLANKS), scan, [(column, scan.ratings)])
        return parse_cells(texts, self.nulls)

    def _refuse_empty(
        self, scan: Scan, codes: NDArray[np.int32], role: int, column: str, expected: str
    ) -> None:
        nothing = scan.texts[role].index_of("")
        if nothing is not None:
            self.problems.at(
                np.flatnonzero(codes == nothing),
                lambda row: Problem(
                    self.file, "an empty cell", expected, "fill it in", scan.lines.of(row), column
                ),
            )

    def _note_bad_long(self, scan: Scan, rows: NDArray[np.int64], column: str) -> None:
        """Note ratings that are text; as one problem where most are: it is another column then."""
        texts = scan.texts[RATING]
        if len(rows) > 2 and len(rows) * 2 > scan.rows:
            examples = texts.gather(scan.ratings[rows[:3]]).unique(maintain_order=True).to_list()
            actual, line = (
                f"text in {len(rows):,} of {scan.rows:,} cells",
                scan.lines.of(int(rows[0])),
            )
            remedy = "name the column of ratings with `rating`"
            self.problems.add(
                Problem(self.file, actual, "ratings", remedy, line, column, ", ".join(examples))
            )
            return
        self.problems.at(
            rows,
            lambda row: bad_rating(
                texts[int(scan.ratings[row])], self.file, scan.lines.of(row), column
            ),
        )

    def _timestamps(self, scan: Scan, column: str) -> pl.Series:
        """Return the timestamps (n_rows,), null where empty: Int64, Date,
        or Datetime with times of day.

        Texts that are no timestamps, and a mixture of numbers and dates, are noted as problems.
        """
        texts, line_of = scan.texts[TIME].to_list(), scan.lines.of
        times = np.array([_time_of(text, self.nulls) for text in texts], dtype=np.int64).reshape(
            -1, 2
        )
        seen, given = np.full(scan.rows, _SECONDS, dtype=np.int8), scan.times.copy()
        seen[~scan.whole], given[~scan.whole] = times[scan.times[~scan.whole]].T

        def bad_timestamp(row: int) -> Problem:
            expected = "a whole number (unix seconds) or an ISO date such as 2005-09-06"
            remedy, cell = "correct it or leave it empty", texts[int(scan.times[row])]
            return Problem(self.file, "text", expected, remedy, line_of(row), column, cell)

        self.problems.at(np.flatnonzero(seen == _NONE), bad_timestamp)
        present = np.bincount(seen, minlength=_NONE + 1)
        numbers, dates = int(present[_SECONDS]), int(present[_DATE] + present[_INSTANT])
        if numbers and dates:
            fewer = seen == _SECONDS if numbers < dates else (seen == _DATE) | (seen == _INSTANT)
            actual, expected = f"{numbers:,} numbers and {dates:,} dates", "timestamps of one kind"
            line = line_of(int(np.argmax(fewer)))
            self.problems.add(
                Problem(self.file, actual, expected, "write all of them in one way", line, column)
            )
            return pl.Series(column, given)
        if present[_INSTANT]:
            given = np.where(seen == _DATE, given * _DAY_OF_THEM, given)
        series = pl.Series(column, given)
        if dates:
            series = (
                series.cast(pl.Datetime("us"))
                if present[_INSTANT]
                else series.cast(pl.Int32).cast(pl.Date)
            )
        missing = seen == _NO_TIME
        return series.set(pl.Series(missing), None) if missing.any() else series

    def raw(self) -> RawData:
        """Read the cells of a row a record, whatever they mean, with what is wrong with the lines.

        That is: lines of statistics, cells behind the last column, numbers with a comma of which
        nobody has said what it means. DataError where no line can be cut into cells, or rows of
        numbers without a header look like a long layout.
        """
        opening, options, names = self.opening, self.options, self.opening.names
        roles = wanted(names, options, file=self.file, look=True)
        roles_known = self._known_roles(roles)
        id_name = next((name for name in names if roles_known.get(name, roles[name]) == "id"), None)
        meaning = self._meaning(roles, id_name)
        read = [name for name, role in zip(names, meaning, strict=True) if role == RATING]
        # the words in front of statistics may stand there
        if meaning[0] == SKIP and len(meaning) > 1:
            meaning[0] = ISSUE
        scan = self._scan(meaning, RATING, wide=True)
        codes: _Codes = scan.ratings.reshape(scan.rows, len(read) + opening.trailing)
        first = codes[:, 0] if meaning[0] == RATING and roles[names[0]] == "identifier" else None
        fronts = self._fronts(scan, meaning, first)
        self._note_statistics(scan, fronts, codes)
        if opening.trailing:
            self._note_trailing(scan, codes)
        if not self._described:
            self._refuse_triples(codes)
        texts, codes = self._plain_texts(scan, codes, read, {**roles, **roles_known})
        cells_of = {
            name: TextCells(texts, column) for name, column in zip(read, codes.T, strict=False)
        }
        if id_name is not None:
            cells_of[id_name] = TextCells(scan.texts[RECORD], scan.records.view(np.uint32))
        return RawData(
            read=tuple(
                self._column(name, cells_of[name], roles_known)
                for name in names
                if name in cells_of
            ),
            records=scan.rows,
            origin=self._origin(
                "wide", texts, record_name="record" if id_name is None else id_name
            ),
            locate=lambda row, column: Place(
                self.file, scan.lines.of(row), self._called(column) or None
            ),
            unread=tuple((name, "drop") for name in names if roles[name] == "drop"),
            names=names,
            problems=self.problems,
        )

    def _meaning(self, roles: Mapping[str, str | None], id_name: str | None) -> list[int]:
        """Return what a scan does with each column: ids, ratings, or nothing."""
        return [
            RECORD if name == id_name else SKIP if roles[name] == "drop" else RATING
            for name in self.opening.names
        ]

    @staticmethod
    def _fronts(
        scan: Scan, meaning: Sequence[int], first: NDArray[Any] | None
    ) -> list[tuple[pl.Series, NDArray[Any]]]:
        """Return the columns in which the words in front of statistics may stand; ``first``:
        of ratings.
        """
        fronts = [
            (scan.texts[role], column)
            for role, column in ((RECORD, scan.records), (ISSUE, scan.issues))
            if role in meaning
        ]
        return fronts if first is None else [*fronts, (scan.texts[RATING], first)]

    @property
    def _described(self) -> bool:
        """Whether a header or options say that rows are records."""
        options = self.options
        layout = (
            options.layout
            or self.opening.header
            or options.sensitive
            or options.scale
            or options.only
        )
        return bool(layout)

    def _known_roles(self, roles: Mapping[str, str | None]) -> dict[str, str]:
        """Return what an export is sure of; its id is an identifier where another column is one."""
        roles_known = {name: role for name, (role, _) in self.opening.known.items()}
        codebook = self.options.codebook
        id_said = codebook is not None and any(
            codebook.spec_of(name).role == "id" for name in self.opening.names
        )
        if self.options.id is None and not id_said:
            return roles_known
        return {
            name: "identifier" if role == "id" and roles[name] != "id" else role
            for name, role in roles_known.items()
        }

    def _note_trailing(self, scan: Scan, codes: _Codes) -> None:
        """Note cells that are filled behind the last column that has a name."""
        filled = (scan.texts[RATING].str.strip_chars() != "").to_numpy()
        actual = "a cell behind the last column that has a name"
        expected, remedy = (
            "nothing, as in the first lines",
            "name the last column, or empty the cell",
        )
        self.problems.at(
            np.flatnonzero(filled[codes[:, -1]]),
            lambda row: Problem(self.file, actual, expected, remedy, scan.lines.of(row)),
        )

    def _column(self, name: str, cells: TextCells, known: Mapping[str, str]) -> RawColumn:
        why, question = self.opening.known.get(name, ("", ""))[1], self.opening.questions.get(name)
        return RawColumn(name, cells, question=question, known_role=known.get(name), why=why)

    def _note_statistics(
        self, scan: Scan, fronts: Sequence[tuple[pl.Series, NDArray[Any]]], codes: _Codes
    ) -> None:
        """Note rows at the end that hold sums or means of the others, by the word in front.

        ``fronts`` : (distinct texts, code a row) of the columns in front; in a row where they are
        empty it is the first cell with anything in it.
        """
        texts, tail = scan.texts[RATING], max(0, scan.rows - TAIL)

        def words(row: int) -> Iterator[str]:
            """Yield the words of statistics in front of a row,
            but those that rows above have as answers.
            """
            named = [
                (front, codes_of_column)
                for front, codes_of_column in fronts
                if front[int(codes_of_column[row])].strip()
            ]
            filled = (
                (texts, codes_of_column)
                for codes_of_column in codes.T
                if texts[int(codes_of_column[row])].strip()
            )
            for front, codes_of_column in named or itertools.islice(filled, 1):
                word = front[int(codes_of_column[row])]
                if (
                    is_statistic(word)
                    and not (codes_of_column[:tail] == codes_of_column[row]).any()
                ):
                    yield word

        rows_found = [list(words(row)) for row in range(tail, scan.rows)]
        note_statistics(rows_found, scan.lines.of, scan.rows, self.file, self.problems)

    def _refuse_triples(self, codes: _Codes) -> None:
        """Refuse to guess wide where rows of numbers without names look like record,
        issue and rating.

        That is: no pair of the first two columns repeats, though both columns do, and the third has
        few values.
        """
        rows, width = codes.shape
        if width not in (3, 4):
            return
        distinct = [len(np.unique(column)) for column in codes.T[:3]]
        if max(distinct[:2]) == rows or min(distinct[:2]) < 2 or distinct[2] > _FEW:
            return
        pairs = codes[:, 0].astype(np.int64) << 32 | codes[:, 1].astype(np.int64)
        if len(np.unique(pairs)) < rows:
            return
        words = "record, issue and rating" if width == 3 else "record, issue, rating and time"
        actual = f"rows of {width} numbers without a header, which look like {words}"
        remedy = (
            f"say `layout='long'` if they are {words} in this order (else name them with `id`, "
            f"`issue` and "
            "`rating`), or `layout='wide'` if every row is a record"
        )
        raise DataError(Problem(self.file, actual, "a stated layout", remedy, self.opening.line))

    def _plain_texts(
        self, scan: Scan, codes: _Codes, read: list[str], roles: Mapping[str, str | None]
    ) -> tuple[pl.Series, _Codes]:
        """Return the distinct texts without blanks around them and with decimal points,
        and codes of them.

        DataError for columns of numbers with a comma of which nobody has said what it means.
        """
        plain = scan.texts[RATING].str.strip_chars(BLANKS)
        comma = plain.str.contains(COMMA_NUMBER)
        answers = [
            (name, codes[:, index])
            for index, name in enumerate(read)
            if roles.get(name) not in ("identifier", "drop")
        ]
        if self.opening.decimal_comma:
            plain = self._pointed(plain, scan, answers)
        elif self.options.decimal_comma is None and comma.any():
            samples = self._of_numbers(plain, comma.to_numpy(), answers)
            for name, row in samples[:1]:
                more = f" (and in {len(samples) - 1} more columns)" if len(samples) > 1 else ""
                finding, expected = "a number with a comma" + more, "numbers with a decimal point"
                remedy = (
                    "say `decimal_comma=True` if it is a decimal comma, else "
                    "`decimal_comma=False`: digit groups, or several choices in a cell, are no "
                    "numbers"
                )
                line, cell = scan.lines.of(row), str(plain[int(dict(answers)[name][row])])
                self.problems.add(
                    Problem(self.file, finding, expected, remedy, line, self._called(name), cell)
                )
                raise self.problems.error()
        if plain.n_unique() < len(plain):
            distinct = plain.unique(maintain_order=True)
            position = {text: index for index, text in enumerate(distinct)}
            renumbered = np.array([position[text] for text in plain], dtype=codes.dtype)
            return distinct, renumbered[codes]
        return plain, codes

    def _pointed(self, plain: pl.Series, scan: Scan, columns: _Columns) -> pl.Series:
        """Return texts with decimal points for commas.

        Note numbers with points: 1.234 may be 1234.
        """
        for name, row in self._of_numbers(
            plain, plain.str.contains(_POINT_NUMBER).to_numpy(), columns
        ):
            actual = "a number with a point, where decimals have a comma"
            remedy = (
                "write it as the others, or say `decimal_comma=False` if the point is the "
                "decimal sign"
            )
            line, column = scan.lines.of(row), self._called(name)
            self.problems.add(Problem(self.file, actual, "one decimal sign", remedy, line, column))
        pointed = plain.str.replace(",", ".", literal=True)
        return pl.select(
            pl.when(plain.str.contains(COMMA_NUMBER)).then(pointed).otherwise(plain)
        ).to_series()

    def _of_numbers(
        self, texts: pl.Series, marked: NDArray[np.bool_], columns: _Columns
    ) -> list[tuple[str, int]]:
        """Return the columns of numbers, with commas or not, that hold a ``marked`` text;
        and its row.
        """
        numbers = texts.str.contains(COMMA_NUMBER).to_numpy() | np.array(
            [text in self.nulls or numeral(text) for text in texts], dtype=bool
        )
        samples = []
        for name, codes in columns:
            seen = np.unique(codes)
            if marked[seen].any() and numbers[seen].all():
                samples.append((name, int(np.argmax(marked[codes]))))
        return samples

    def _scan(self, roles: list[int], behind: int = SKIP, *, wide: bool = False) -> Scan:
        """Scan the text: a role a column, ``behind`` that of an empty one at the end;
        note faulty lines.
        """
        opening = self.opening
        roles = [*roles, *[behind] * opening.trailing]
        scan = scan_text(
            self._pieces(),
            opening.delimiter,
            roles,
            skip=opening.skipped,
            wide=wide,
            multiline=bool(self.options.multiline),
        )
        self.multiline = scan.multiline
        if scan.rows == 0 and not scan.total_faults:
            actual = f"a header ({len(opening.names)} columns) and nothing below it"
            remedy = "check that the file was written whole"
            raise DataError(
                Problem(self.file, actual, "at least one record or rating", remedy, opening.line)
            )
        self._note_faults(scan)
        if scan.rows == 0:
            raise self.problems.error()
        return scan

    def _pieces(self) -> Iterator[bytes]:
        """Yield the text; where blanks run, by whole lines with one blank between two cells."""
        rest, progress = b"", self.options.progress
        for piece, done in bytestream.chunks(self.source, self.options.encoding):
            if self.opening.runs:
                lines, end, rest = (rest + piece).rpartition(b"\n")
                if len(rest) > bytestream.LONGEST_LINE:  # refused by the scanner
                    end, rest = end + rest, b""
                piece = one_blank((lines + end).decode()).encode()
            yield piece
            if progress is not None:
                progress(f"reading {self.source.name}", done, self.source.size)
        if rest:
            yield one_blank(rest.decode()).encode()

    def _note_faults(self, scan: Scan) -> None:
        """Note the lines that could not be cut into cells.

        As one where it is the same on every line.
        """
        columns, header = len(self.opening.names), self.opening.header
        as_many = (
            f"as many as the header has name{'s' * (columns > 1)}"
            if header
            else "as most lines have"
        )
        expected = f"{columns} ({as_many})"
        ragged = sum(scan.widths.values())
        if header and scan.rows == 0 and len(scan.widths) == 1 and scan.total_faults == ragged > 1:
            width = next(iter(scan.widths))
            finding = f"{cells_in_words(width)} in every line"
            remedy = "make header and rows agree, or name the right `delimiter`"
            if width == columns + 1:
                finding += (
                    ", one more than there are names, as where R's write.table writes row names"
                )
                remedy = (
                    "put a name and a delimiter in front of the header if the first cell is the "
                    "row's name "
                    "(col.names=NA in R, or write.csv), else name the right `delimiter`"
                )
            self.problems.add(Problem(self.file, finding, expected, remedy, scan.faults[0].line))
            return
        more = scan.fault_counts - Counter(fault.kind for fault in scan.faults)
        for fault in scan.faults:  # the first of a kind stands for those that are not listed
            self.problems.add(
                fault_problem(fault, expected, self.file), 1 + more.pop(fault.kind, 0)
            )

    def _origin(self, layout: str, texts: pl.Series, **names: Any) -> Origin:
        plain = texts.str.strip_chars(BLANKS)
        details = {  # in how many ways cells say that they are not rated: "", "NA"
            "unanswered": plain.filter(plain.is_in(list(self.nulls.texts))).n_unique(),
            "delimiter": self.opening.delimiter,
            "header": self.opening.header,
            "encoding": bytestream.check_encoding(self.options.encoding),
            "null": list(self.options.only_null or self.options.null),
            "columns": list(self.opening.names),
            "multiline": self.multiline,
        }
        if self.opening.decimal_comma:
            details["decimal_comma"] = True
        return Origin(name=self.file, format=self.format, layout=layout, details=details, **names)

    def _called(self, name: str) -> str | int:
        """Return a column as messages call it: by name,
        or by number where the name looks like data.
        """
        return self.opening.names.index(name) + 1 if looks_like_data(name) else name


def _time_of(text: str, nulls: NullTokens) -> tuple[int, int]:
    """Return what kind of timestamp a text is, and how many seconds,
    days or microseconds since 1970.
    """
    with contextlib.suppress(ValueError):
        if _DAY.fullmatch(text):
            return _DATE, datetime.date.fromisoformat(text).toordinal() - _FIRST_DAY
        if not text or text in nulls:
            return _NO_TIME, 0
        seconds = number(text)
        if seconds is not None and seconds == int(seconds) and abs(seconds) < 1 << 53:
            return _SECONDS, int(seconds)
        # an ISO date and time, UTC if it has no offset
        moment = datetime.datetime.fromisoformat(text.strip(BLANKS))
        moment = moment.replace(tzinfo=datetime.UTC) if moment.tzinfo is None else moment
        return _INSTANT, (moment - _EPOCH) // _MICROSECOND
    return _NONE, 0
