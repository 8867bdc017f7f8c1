"""Scanned delimited text becomes a table: the wide layout (a row a record) and the long (a row a rating)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.escaping import looks_like_data
from ratingpriv.data.codebook.building import table_of
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
    parse_cells,
)
from ratingpriv.data.codebook.deciding import wanted
from ratingpriv.data.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.data.formats.reading import ReadOptions, Source
from ratingpriv.data.table import Origin, RatingTable
from ratingpriv.data.table.building.coordinates import Coordinates, parts_from_coordinates
from ratingpriv.data.table.building.delimited import cells_in_words, fault_problem
from ratingpriv.data.table.building.problems import Place, Problems
from ratingpriv.data.table.parts import Spellings
from ratingpriv_loaders.long_roles import long_roles
from ratingpriv_loaders.text import bytestream
from ratingpriv_loaders.text.dialect import COMMA_NUMBER, Opening
from ratingpriv_loaders.text.scan import ISSUE, RATING, RECORD, SKIP, TIME, Scan, scan_text
from ratingpriv_loaders.text.timestamps import timestamps_of
from ratingpriv_loaders.text.wide_doubts import WideDoubts

_NO_ANSWERS = ("identifier", "drop")
_BLANKS = re.compile(rb"[ \t]+")
_AROUND = re.compile(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)")


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
        said = long_roles(self.opening.names, self.options, file=self.file)
        names, options, columns = self.opening.names, said.options, said.columns
        timestamp = columns.timestamp if options.timed else None
        meaning = {columns.record: RECORD, columns.issue: ISSUE, columns.rating: RATING}
        if timestamp is not None:
            meaning[timestamp] = TIME
        scan = self._scan([*(meaning.get(name, SKIP) for name in names), *[SKIP] * self.opening.trailing])
        codebook = options.codebook
        missing = (*(() if codebook is None else codebook.missing), *said.rating.missing)
        self.nulls = NullTokens(options, missing)
        parsed = self._parsed_long(scan, columns.rating, said.rating.labels)
        self._refuse_empty(scan, scan.records, RECORD, columns.record, "a record id")
        self._refuse_empty(scan, scan.issues, ISSUE, columns.issue, "an issue")
        issue_names = scan.texts[ISSUE].to_list()
        issues = said.issues(issue_names)
        bad, inexact = parsed.kinds == BAD, parsed.kinds == INEXACT
        if bad.any() or inexact.any():
            kept = ~np.isin(issue_names, issues.drop)[scan.issues]
            self._note_bad_long(scan, np.flatnonzero(bad[scan.ratings] & kept), columns.rating)
            texts, lines = scan.texts[RATING], scan.lines
            self.problems.at(
                np.flatnonzero(inexact[scan.ratings] & kept),
                lambda row: inexact_rating(
                    texts[int(scan.ratings[row])], self.file, lines.of(row), columns.rating
                ),
            )
        rated = parsed.kinds == NUMBER
        times = None
        if timestamp is not None:
            times = timestamps_of(
                scan,
                scan.texts[TIME].to_list(),
                self.nulls,
                column=timestamp,
                file=self.file,
                problems=self.problems,
            )
        origin = self._origin(
            "long",
            scan.texts[RATING],
            record_name=columns.record,
            issue_name=columns.issue,
            rating_name=columns.rating,
            timestamp_name=columns.timestamp or "timestamp",
        )
        table = RatingTable.of(
            parts_from_coordinates(
                Coordinates(
                    scan.records,
                    scan.issues,
                    lean(parsed.values)[scan.ratings],
                    lambda row: Place(self.file, scan.lines.of(row), self._called(columns.rating)),
                    None if rated.all() else rated[scan.ratings],
                ),
                dataclasses.replace(
                    options.handling,
                    sensitive=issues.sensitive,
                    drop=issues.drop,
                    scale=options.scale or said.rating.scale,
                ),
                record_ids=scan.texts[RECORD],
                issue_names=issue_names,
                origin=origin,
                dropped_columns=columns.dropped,
                timestamps=times,
                problems=self.problems,
            )
        )
        spelled = Spellings.of(null_texts(TextCells(scan.texts[RATING], scan.ratings), parsed))
        table = table.replace(roles=said.roles, origin=table.origin.spelled(spelled))
        wanted = [name for name in options.only or issues.kept or () if name not in issues.sensitive]
        return table.select_issues(wanted) if options.only or issues.kept is not None else table

    def _parsed_long(self, scan: Scan, column: str, labels: tuple[str, ...]) -> ParsedCells:
        """Return what the texts of ratings mean: as words of a scale (1, 2, ...), or as numbers."""
        texts = scan.texts[RATING]
        if labels:
            places = {label.strip().casefold(): float(at) for at, label in enumerate(labels, 1)}
            found = [places.get(text.strip().casefold()) for text in texts]
            kinds = [
                NULL if t in self.nulls else BAD if v is None else NUMBER
                for t, v in zip(texts, found, strict=True)
            ]
            values = [value or 0.0 for value in found]
            return ParsedCells(np.array(kinds, dtype=np.uint8), np.array(values, dtype=np.float64))
        if not self.opening.decimal_comma:
            return parse_cells(texts, self.nulls)
        doubts = WideDoubts(self.file, scan, self.problems, self._called)
        plain = texts.str.strip_chars(BLANKS)
        return parse_cells(self._pointed(plain, doubts, [(column, scan.ratings)]), self.nulls)

    def _pointed(
        self, plain: pl.Series, doubts: WideDoubts, columns: list[tuple[str, NDArray[np.unsignedinteger]]]
    ) -> pl.Series:
        """Return texts with decimal points for commas; note numbers of ``columns`` that have points."""
        comma = plain.str.contains(COMMA_NUMBER)
        doubts.note_points(columns, plain, comma.to_numpy(), self.nulls)
        pointed = plain.str.replace(",", ".", literal=True)
        return pl.select(pl.when(comma).then(pointed).otherwise(plain)).to_series()

    def wide(self) -> RatingTable:
        """Read a row a record."""
        return table_of(self.raw(), self.options)

    def raw(self) -> RawData:
        """Read the cells of a row a record, whatever they mean, with what is wrong with the lines.

        That is: lines of statistics, cells behind the last column, numbers with a comma of which nobody has
        said what it means.

        Raises
        ------
        DataError
            No line can be cut into cells, or rows of numbers without a header look like a long layout.
        """
        opening, options = self.opening, self.options
        roles = wanted(opening.names, options, file=self.file)
        known = self._known(roles)
        id_name = next((name for name in opening.names if known.get(name, roles[name]) == "id"), None)
        skipped = {name for name, role in roles.items() if role == "drop"}
        meaning = [
            RECORD if name == id_name else SKIP if name in skipped else RATING for name in opening.names
        ]
        watched = meaning[0] == SKIP and len(meaning) > 1
        roles_of = [ISSUE if watched else meaning[0], *meaning[1:], *[RATING] * opening.trailing]
        scan = self._scan(roles_of, wide=True)
        read = [name for name, role in zip(opening.names, meaning, strict=True) if role == RATING]
        codes = scan.ratings.reshape(scan.rows, len(read) + opening.trailing)
        doubts = WideDoubts(self.file, scan, self.problems, self._called)
        fronts: list[tuple[pl.Series, NDArray[Any]]] = (
            [(scan.texts[RECORD], scan.records)] if id_name is not None else []
        )
        if watched:
            fronts.append((scan.texts[ISSUE], scan.issues))
        elif meaning[0] == RATING and roles[opening.names[0]] == "identifier":
            fronts.append((scan.texts[RATING], codes[:, 0]))
        doubts.note_statistics(fronts, codes)
        if opening.trailing:
            doubts.note_behind(codes[:, -1])
        if (
            options.layout is None
            and not opening.header
            and not (options.sensitive or options.scale or options.only)
        ):
            doubts.refuse_triples(codes, opening.line)
        texts, codes = self._plain_texts(doubts, scan, codes, read, {**roles, **known})
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
            read=tuple(columns),
            records=scan.rows,
            origin=self._origin("wide", texts, record_name="record" if id_name is None else id_name),
            locate=lambda row, column: Place(self.file, scan.lines.of(row), self._called(column) or None),
            unread=tuple((name, "drop") for name in opening.names if name in skipped),
            names=opening.names,
            problems=self.problems,
        )

    def _plain_texts(
        self,
        doubts: WideDoubts,
        scan: Scan,
        codes: NDArray[np.unsignedinteger],
        read: list[str],
        known: Mapping[str, str | None],
    ) -> tuple[pl.Series, NDArray[np.unsignedinteger]]:
        """Return the distinct texts without blanks around them and with decimal points, and codes of them."""
        plain = scan.texts[RATING].str.strip_chars(BLANKS)
        comma = plain.str.contains(COMMA_NUMBER)
        if comma.any() or self.opening.decimal_comma:
            answers = [at for at, name in enumerate(read) if known.get(name) not in _NO_ANSWERS]
            looked = [(read[at], codes[:, at]) for at in answers]
            if not self.opening.decimal_comma and self.options.decimal_comma is None:
                doubts.refuse_commas(looked, plain, comma.to_numpy(), self.nulls)
            if self.opening.decimal_comma:
                plain = self._pointed(plain, doubts, looked)
        if plain.n_unique() < len(plain):
            distinct = plain.unique(maintain_order=True)
            position = {text: at for at, text in enumerate(distinct)}
            renumbered = np.array([position[text] for text in plain], dtype=codes.dtype)
            return distinct, renumbered[codes]
        return plain, codes

    def _known(self, roles: Mapping[str, str | None]) -> dict[str, str]:
        """Return the roles that an export is sure of; its id is an identifier where another column is one."""
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

    def _scan(self, roles: list[int], *, wide: bool = False) -> Scan:
        opening = self.opening
        pieces = _reported(self.source, self.options)
        if opening.runs:
            pieces = _one_blank(pieces)
        scan = scan_text(pieces, opening.delimiter, roles, skip=opening.skipped, wide=wide)
        if scan.rows == 0 and not scan.total_faults:
            found = f"a header ({len(opening.names)} columns) and nothing below it"
            remedy = "check that the file was written whole"
            raise DataError(Problem(self.file, found, "at least one record or rating", remedy, opening.line))
        self._note_faults(scan)
        if scan.rows == 0:
            raise self.problems.error()
        return scan

    def _note_faults(self, scan: Scan) -> None:
        """Note the lines that could not be cut into cells; as one where it is the same on every line."""
        columns, header = len(self.opening.names), self.opening.header
        as_many = f"as many as the header has name{'s' * (columns > 1)}" if header else "as most lines have"
        expected = f"{columns} ({as_many})"
        ragged = sum(scan.widths.values())
        if header and scan.rows == 0 and len(scan.widths) == 1 and scan.total_faults == ragged > 1:
            width = next(iter(scan.widths))
            found = f"{cells_in_words(width)} in every line"
            remedy = "make header and rows agree, or name the right `delimiter`"
            if width == columns + 1:
                found += ", one more than there are names, as where R's write.table writes row names"
                remedy = (
                    "put a name and a delimiter in front of the header if the first cell is the row's name "
                    "(col.names=NA in R, or write.csv), else name the right `delimiter`"
                )
            self.problems.add(Problem(self.file, found, expected, remedy, scan.faults[0].line))
            return
        for fault in scan.faults:
            self.problems.add(fault_problem(fault, expected, self.file))
        self.problems.count(scan.total_faults - len(scan.faults))

    def _origin(
        self, layout: str, texts: pl.Series, *, record_name: str, order: tuple[str, ...] = (), **names: Any
    ) -> Origin:
        plain = texts.str.strip_chars(BLANKS)
        details = {  # in how many ways cells say that they are not rated: "", "NA"
            "unanswered": plain.filter(plain.is_in(list(self.nulls.texts))).n_unique(),
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

    def _note_bad_long(self, scan: Scan, rows: NDArray[np.int64], column: str) -> None:
        texts = scan.texts[RATING]
        if len(rows) > 2 and len(rows) * 2 > scan.rows:
            examples = texts.gather(scan.ratings[rows[:3]]).unique(maintain_order=True).to_list()
            found, line = f"text in {len(rows):,} of {scan.rows:,} cells", scan.lines.of(int(rows[0]))
            remedy = "name the column of ratings with `rating`"
            self.problems.add(Problem(self.file, found, "ratings", remedy, line, column, ", ".join(examples)))
            return
        self.problems.at(
            rows, lambda row: bad_rating(texts[int(scan.ratings[row])], self.file, scan.lines.of(row), column)
        )

    def _called(self, name: str) -> str | int:
        """Return a column as messages call it: by name, or by number where the name looks like data."""
        return self.opening.names.index(name) + 1 if looks_like_data(name) else name
