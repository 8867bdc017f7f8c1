"""Scanned delimited text becomes a table: the wide layout (a row a record) and the long (a row a rating)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.codebook.applying import table_of, wanted
from ratingpriv.codebook.cells import BAD, INEXACT, NUMBER, NullTokens, lean, number, parse_cells
from ratingpriv.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.codebook.refusals import bad_rating, inexact_rating
from ratingpriv.errors import DataError, Problem
from ratingpriv.escaping import looks_like_data
from ratingpriv.formats.reading import ReadOptions, Source
from ratingpriv.table import Origin, RatingTable
from ratingpriv.table.building.assembling import Place, Problems, table_from_coordinates
from ratingpriv_loaders import column_names
from ratingpriv_loaders.text import bytestream
from ratingpriv_loaders.text.dialect import Opening
from ratingpriv_loaders.text.problems import note_faults
from ratingpriv_loaders.text.scan import scan_text
from ratingpriv_loaders.text.scanned import ISSUE, RATING, RECORD, SKIP, TIME, Scan
from ratingpriv_loaders.text.timestamps import timestamps_of

__all__ = ["TextReading"]


def _reported(source: Source, options: ReadOptions) -> Iterator[bytes]:
    for piece, done in bytestream.chunks(source, options.encoding):
        yield piece
        if options.progress is not None:
            options.progress(f"reading {source.name}", done, source.size)


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
        names, options = self.opening.names, self.options
        roles = wanted(names, options, file=self.file)
        scanned = {"id": RECORD, "identifier": SKIP, "drop": SKIP}
        scan = self._scan([scanned.get(roles[name] or "", RATING) for name in names])
        read = [name for name in names if scanned.get(roles[name] or "") is None]
        codes = scan.ratings.reshape(scan.rows, len(read))
        columns = {
            name: RawColumn(name, TextCells(scan.texts[RATING], codes[:, place]))
            for place, name in enumerate(read)
        }
        id_name = next((name for name in names if roles[name] == "id"), None)
        if id_name is not None:
            columns[id_name] = RawColumn(id_name, TextCells(scan.texts[RECORD], scan.records))
        raw = RawData(
            columns=tuple(columns[name] for name in names if name in columns),
            records=scan.rows,
            origin=self._origin("wide", record_name=id_name or "record"),
            locate=lambda row, column: Place(self.file, scan.lines.of(row), self._called(column) or None),
            unread=tuple((name, role) for name, role in roles.items() if role in ("identifier", "drop")),
            names=tuple(names),
        )
        return table_of(raw, options, self.problems)

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

    def _called(self, name: str) -> str | int:
        """Return a column as messages call it: by name, or by number where the name looks like data."""
        return self.opening.names.index(name) + 1 if looks_like_data(name) else name
