"""Scanned delimited text becomes a table: the wide layout (a row a record) and the long (a row a rating)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.errors import DataError, ParameterError, Problem
from ratingpriv.escaping import looks_like_data
from ratingpriv.formats.reading import ReadOptions, Source
from ratingpriv.table import Origin, RatingTable
from ratingpriv.table.building.assembling import (
    Place,
    Problems,
    issue_roles,
    missing_column,
    table_from_columns,
    table_from_coordinates,
)
from ratingpriv_loaders import column_names
from ratingpriv_loaders.text import bytestream
from ratingpriv_loaders.text.cells import (
    BAD,
    INEXACT,
    NULL,
    NUMBER,
    NullTokens,
    ParsedCells,
    number,
    parse_cells,
)
from ratingpriv_loaders.text.dialect import Opening
from ratingpriv_loaders.text.problems import bad_rating, inexact_rating, note_faults, text_column
from ratingpriv_loaders.text.scan import scan_text
from ratingpriv_loaders.text.scanned import ISSUE, RATING, RECORD, SKIP, TIME, Scan
from ratingpriv_loaders.text.timestamps import timestamps_of

__all__ = ["TextReading"]

_FEW = 21  # a rating scale rarely has more levels than this (Likert, stars, half stars, 0..20)


def _reported(source: Source, options: ReadOptions) -> Iterator[bytes]:
    for piece, done in bytestream.chunks(source, options.encoding):
        yield piece
        if options.progress is not None:
            options.progress(f"reading {source.name}", done, source.size)


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
        names, options = self.opening.names, self.options
        id_name = column_names.wide_id_column(names, options, file=self.file)
        for role, named in (("sensitive", options.sensitive), ("drop", options.drop)):
            if id_name is not None and id_name in named:
                raise ParameterError(role, id_name, "a column other than the one of record ids (`id`)")
        issues = [name for name in names if name != id_name]
        issue_roles(issues, options.sensitive, options.drop, self.file)
        missing = [
            missing_column(name, "kept", issues, self.file) for name in options.only if name not in issues
        ]
        if missing:
            raise DataError(missing)
        unwanted = [
            name for name in issues if options.only and name not in {*options.only, *options.sensitive}
        ]
        skipped = {*options.drop, *unwanted}
        roles = [RECORD if name == id_name else SKIP if name in skipped else RATING for name in names]
        scan = self._scan(roles)
        read = [name for name, role in zip(names, roles, strict=True) if role == RATING]
        codes = scan.ratings.reshape(scan.rows, len(read))
        parsed = parse_cells(scan.texts[RATING], self.nulls)
        if options.layout is None and not (options.sensitive or options.scale or options.only):
            self._refuse_long(codes, read)
        if (parsed.kinds == BAD).any():
            self._note_bad_wide(scan, codes, parsed, read, id_name)
        if (inexact := parsed.kinds == INEXACT).any():
            for place, name in enumerate(read):
                column_codes = codes[:, place]
                self._note_inexact(scan, column_codes, np.flatnonzero(inexact[column_codes]), name)
        values, rated = _lean(parsed.values), parsed.kinds == NUMBER
        columns = []
        for place, name in enumerate(read):
            cells = codes[:, place]
            column = pl.Series(name, values[cells])
            absent = ~rated[cells]
            columns.append(column.set(pl.Series(absent), None) if absent.any() else column)
        ids = None
        if id_name is not None:
            texts = scan.texts[RECORD]
            ids = texts.gather(scan.records).alias(id_name)
            if "" in texts:
                ids = ids.set(ids == "", None)
        return table_from_columns(
            columns,
            record_ids=ids,
            sensitive=options.sensitive,
            drop=options.drop,
            scale=options.scale,
            sensitive_scale=options.sensitive_scale,
            unread=unwanted,
            origin=self._origin(
                "wide", record_name=id_name or "record", order=tuple(column.name for column in columns)
            ),
            locate=lambda row, column: Place(self.file, scan.lines.of(row), self._called(column) or None),
            problems=self.problems,
        )

    def _refuse_long(self, codes: NDArray[np.unsignedinteger], read: list[str]) -> None:
        """Refuse to guess wide where the columns look like record, issue and rating of a long layout."""
        if not 2 <= len(read) <= 4 or len(codes) < 100:
            return
        distinct = [len(np.unique(codes[:, place])) for place in range(len(read))]
        few = [name for name, number in zip(read, distinct, strict=True) if number <= _FEW]
        if len(few) != 1 or sum(number > 5 * _FEW for number in distinct) != len(read) - 1:
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
        scan = scan_text(pieces, opening.delimiter, roles, skip=int(opening.header), hopeless=self._hopeless)
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

    def _note_bad_wide(
        self,
        scan: Scan,
        codes: NDArray[np.unsignedinteger],
        parsed: ParsedCells,
        read: list[str],
        id_name: str | None,
    ) -> None:
        """Note cells of text: one problem for a column of mostly text, else one a cell, in file order."""
        texts, bad = scan.texts[RATING], parsed.kinds == BAD
        single: list[tuple[int, int]] = []
        for place, name in enumerate(read):
            rows = np.flatnonzero(bad[codes[:, place]])
            rated = int(np.count_nonzero(parsed.kinds[codes[:, place]] != NULL))
            if len(rows) > 2 and len(rows) * 2 > rated:
                distinct = pl.Series(codes[rows, place]).unique(maintain_order=True)
                self.problems.add(
                    text_column(
                        self._called(name),
                        name,
                        texts.gather(distinct.head(3)).to_list(),
                        len(rows),
                        rated,
                        scan.lines.of(int(rows[0])),
                        self.file,
                        ids=id_name is None and len(distinct) == scan.rows,
                        sensitive=name in self.options.sensitive,
                    )
                )
                continue
            single.extend((row, place) for row in rows[: self.problems.limit].tolist())
            self.problems.count(max(0, len(rows) - self.problems.limit))
        for row, place in sorted(single):
            text = texts[int(codes[row, place])]
            self.problems.add(bad_rating(text, self.file, scan.lines.of(row), self._called(read[place])))

    def _called(self, name: str) -> str | int:
        """Return a column as messages call it: by name, or by number where the name looks like data."""
        return self.opening.names.index(name) + 1 if looks_like_data(name) else name
