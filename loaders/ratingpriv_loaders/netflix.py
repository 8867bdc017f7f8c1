"""Netflix Prize data: ``combined_data_*.txt``, the original ``mv_*.txt``, or a folder of either."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.data.codebook.cells import NullTokens
from ratingpriv.data.formats.reading import Columns, Detection, ReadOptions, Source
from ratingpriv.data.table import Origin, RatingTable
from ratingpriv.data.table.building.coordinates import Coordinates, parts_from_coordinates
from ratingpriv.data.table.building.delimited import too_long
from ratingpriv.data.table.building.problems import Place, Problems
from ratingpriv_loaders import background
from ratingpriv_loaders.numbering import Numbering
from ratingpriv_loaders.text import bytestream
from ratingpriv_loaders.text.scan import Lines
from ratingpriv_loaders.wide_or_long import described, refuse_described

_NAMES = re.compile(r"(combined_data_|mv_)\d+.*\.txt(\.gz|\.zst|\.zip)?")
_START = re.compile(rb"\d{1,9}:\r?\n(?:\d{1,9}:\r?\n)*\d{1,9},\d{1,3},\d{4}-\d{2}-\d{2}\r?(?:\n|$)")
_UNRATED = re.compile(rb"\d{1,9}:\r?\n(?:\d{1,9}:\r?\n)*\d{1,9}(,\d{4}-\d{2}-\d{2})?\r?(?:\n|$)")
"""How the files open of which the ratings had to be guessed."""
_MOVIE = re.compile("([0-9]{1,9}):", re.ASCII)
_COMPILED = 1 << 22  # bytes from which on compiled code pays
_FIRST, _LAST = datetime.date(1970, 1, 1), datetime.date(2148, 12, 31)
_COLUMNS = ("customer", "movie", "rating", "date")


class NetflixLoader:
    """Reads Netflix Prize ratings with their dates.

    Records are customers, issues are movie numbers.
    """

    name = "netflix"
    description = "Netflix Prize: combined_data_*.txt, mv_*.txt, or a folder of them"

    def detect(self, source: Source, options: ReadOptions) -> Detection | None:
        """Claim text that opens with ``movie:`` and ``customer,rating,date``,
        and folders of such files.
        """
        if described(options):
            return None
        files = _files(source.path) if source.is_dir else []
        if source.is_dir and not files:
            return None
        try:
            head = bytestream.head(source.part(files[0]) if files else source, None, 4096)
        except DataError:
            return None
        reason = "a line 'movie:' and lines 'customer,rating,date' below"
        if files:
            reason = f"a folder with {len(files)} Netflix Prize file{'s' if len(files) > 1 else ''}"
        if _UNRATED.match(head):
            return Detection(
                0.95,
                "lines 'movie:' with customers below, as in Netflix's probe or qualifying file",
            )
        return Detection(0.95, reason) if _START.match(head) else None

    def columns(self, source: Source, options: ReadOptions) -> Columns:
        """Say what each column is taken for: always the same."""
        return Columns(
            "long", _COLUMNS, None, *_COLUMNS, aside=tuple(bytestream.packed_beside(source))
        )

    def load(self, source: Source, options: ReadOptions) -> RatingTable:
        """Read everything, or raise DataError with the problems found."""
        refuse_described(options, self.name)
        files = _files(source.path) if source.is_dir else []
        finding = expected = ""
        if source.is_dir and not files:
            finding, remedy = "a folder without Netflix Prize files", "check the path"
            expected = "files called combined_data_*.txt or mv_*.txt"
        elif len({path.name[:2] for path in files}) > 1:
            finding = "both combined_data_*.txt and mv_*.txt files, which hold the same ratings"
            expected, remedy = "one of the two", "move one kind elsewhere, or name a file"
        if finding:
            raise DataError(Problem(source.name, finding, expected, remedy))
        first = source.part(files[0]) if files else source
        if _UNRATED.match(bytestream.head(first, options.encoding, 4096)):
            actual, expected = (
                "customers (and dates) without ratings, as in probe.txt and qualifying.txt",
                "ratings",
            )
            remedy = "read the training set, which has them: combined_data_*.txt or mv_*.txt"
            raise DataError(Problem(first.name, actual, expected, remedy, line=1))
        with background.digest(source, files or None) as digest:
            total = sum(path.stat().st_size for path in files) if files else source.size
            parser = _Parser(options, total)
            before = 0
            for part in [source.part(path) for path in files] or [source]:
                parser.file(part, before, total)
                before += part.size or 0
            return parser.table(source.name, digest)


def _files(folder: Path) -> list[Path]:
    """Return the folder's Netflix files (or those in ``training_set``
    below it) by their numbers.
    """
    for place in (folder, folder / "training_set"):
        if place.is_dir():
            paths = [
                path for path in place.iterdir() if _NAMES.fullmatch(path.name) and path.is_file()
            ]
            if paths:
                return sorted(
                    paths, key=lambda path: (int(re.findall(r"\d+", path.name)[0]), path.name)
                )
    return []


class _Parser:
    """Parses file after file; customers and movies keep the order of their first appearance."""

    def __init__(self, options: ReadOptions, size: int | None) -> None:
        self._options = options
        self._problems = Problems(options.max_problems)
        self._rows = 0
        # customers, movies, ratings and days of rows
        self._pieces: list[tuple[NDArray[Any], ...]] = []
        self._customers = Numbering(text=False, compiled=size is None or size > _COMPILED)
        self._movies: dict[int, int] = {}
        self._files: list[tuple[int, str, Lines]] = []  # first row, name, lines of its rows

    def file(self, source: Source, before: int, total: int | None) -> None:
        """Parse one file; ``before`` raw bytes of ``total`` were read before it."""
        self._files.append((self._rows, source.name, Lines()))
        self._line, self._movie = 1, -1
        rest, empty = b"", True
        for piece, done in bytestream.chunks(source, self._options.encoding):
            lines, end, rest = (rest + piece).rpartition(b"\n")
            empty = False
            if end:
                self._feed(lines)
            if len(rest) > bytestream.LONGEST_LINE:
                raise DataError(too_long(source.name, self._line, bytestream.LONGEST_LINE))
            if self._options.progress is not None:
                self._options.progress(f"reading {source.name}", before + done, total)
        if rest:
            self._feed(rest)
        if empty:
            expected, remedy = (
                "a line 'movie:' and ratings below it",
                "check that it was written whole",
            )
            self._problems.add(Problem(source.name, "an empty file", expected, remedy))

    def _feed(self, data: bytes) -> None:
        """Parse whole lines; the last one is without its end.

        Of ``7:``, ``12,5,2005-09-06``, ``7,x,2005-09-06`` the first is a start (movie 7), the
        second a row of it, and the third is wrong.
        """
        text = pl.Series([data.decode()]).str.split("\n").explode().str.strip_suffix("\r")
        customer, rating, date = text.str.splitn(",", 3).struct.unnest().get_columns()
        # lines without a comma: those that start a movie
        lone = (rating.is_null() & (text != "")).arg_true()
        matches = [_MOVIE.fullmatch(line) for line in text.gather(lone)]
        starts = [line for line, movie in zip(lone, matches, strict=True) if movie]
        numbers = np.array(
            [self._movie, *(int(movie[1]) for movie in matches if movie)], dtype=np.int64
        )
        # cells of ratings, null where they are none
        customers = _digits(customer).cast(pl.Int32, strict=False)
        zeros = customer.str.starts_with("0") & (customer != "0")
        customers = customers.set(zeros | (customers >= 10**9), None)
        ratings = _digits(rating).cast(pl.UInt8, strict=False)
        dates = date.str.to_date("%Y-%m-%d", strict=False)
        dates = dates.set((date.str.len_bytes() != 10) | ~dates.is_between(_FIRST, _LAST), None)
        # whole ratings below a movie are rows; what is neither, nor a start, nor empty, is wrong
        before = 0 if self._movie >= 0 else next(iter(starts), len(text))  # above the first movie
        good = customers.is_not_null() & ratings.is_not_null() & dates.is_not_null()
        rows = good.arg_true().to_numpy()
        rows = rows[rows >= before]
        wrong = np.ones(len(text), dtype=bool)
        wrong[rows], wrong[starts], wrong[(text == "").arg_true().to_numpy()] = False, False, False
        expected = "'movie:', or below it 'customer,rating,YYYY-MM-DD', from 1970 on"

        def problem(line: int) -> Problem:
            file, remedy, cell = self._files[-1][1], "correct or remove the line", text[line][:80]
            return Problem(file, "something else", expected, remedy, self._line + line, cell=cell)

        self._problems.at(np.flatnonzero(wrong), problem)
        # which of ``numbers`` a row's movie is
        self._files[-1][2].append(self._rows, self._line + rows)
        of_row = np.searchsorted(starts, rows)
        labels = np.zeros(len(numbers), dtype=np.int32)
        for index in np.unique(of_row).tolist():
            labels[index] = self._movies.setdefault(int(numbers[index]), len(self._movies))
        customer_numbers = self._customers.positions(customers.gather(rows))
        stars, days = ratings.gather(rows).to_numpy(), dates.gather(rows).to_physical().to_numpy()
        self._pieces.append((customer_numbers, labels[of_row], stars, days.astype(np.uint16)))
        self._rows += len(rows)
        self._line += len(text)
        self._movie = int(numbers[-1])

    def table(self, name: str, digest: Callable[[], str]) -> RatingTable:
        """Finish: coordinates become rows."""
        if not self._rows:
            if not self._problems:
                self._problems.add(
                    Problem(name, "no rating", "lines 'customer,rating,date' below 'movie:'")
                )
            raise self._problems.error()
        firsts = [first for first, _, _ in self._files]

        def locate(row: int) -> Place:
            _, file, lines = self._files[int(np.searchsorted(firsts, row, side="right")) - 1]
            return Place(file, lines.of(row), 2)

        options = self._options
        nulls = NullTokens(options)
        rated = np.array([str(rating) not in nulls for rating in range(256)])
        records, issues, ratings, days = map(np.concatenate, zip(*self._pieces, strict=True))
        record, issue, rating, date = _COLUMNS
        return RatingTable.of(
            parts_from_coordinates(
                Coordinates(
                    records, issues, ratings, locate, None if rated.all() else rated[ratings]
                ),
                options.handling,
                record_ids=self._customers.ids().alias(record).cast(pl.String),
                issue_names=[str(movie) for movie in self._movies],
                timestamps=pl.Series(date, days).cast(pl.Int32).cast(pl.Date)
                if options.timed
                else None,
                origin=Origin(
                    name=name,
                    format="netflix",
                    layout="long",
                    record_name=record,
                    issue_name=issue,
                    rating_name=rating,
                    timestamp_name=date,
                    sha256=digest(),
                ),
                problems=self._problems,
            )
        )


def _digits(numbers: pl.Series) -> pl.Series:
    """Return numbers without those that have a sign, or blanks before them."""
    return numbers.set(numbers.str.slice(0, 1).is_in([*"+- "]), None)
