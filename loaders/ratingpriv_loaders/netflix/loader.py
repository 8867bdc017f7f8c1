"""Netflix Prize data: ``combined_data_*.txt``, the original ``mv_*.txt``, or a folder of either."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from ratingpriv.codebook.cells import NullTokens
from ratingpriv.errors import DataError, Problem
from ratingpriv.formats.reading import Columns, Detection, ReadOptions, Source
from ratingpriv.table import Origin, RatingTable
from ratingpriv.table.building.assembling import Place, Problems, table_from_coordinates
from ratingpriv.table.building.delimited import too_long
from ratingpriv_loaders import background
from ratingpriv_loaders.fixed_options import described, refuse_described
from ratingpriv_loaders.text import bytestream
from ratingpriv_loaders.text.scan import Growing

__all__ = ["NetflixLoader"]

_NAMES = re.compile(r"(combined_data_|mv_)\d+.*\.txt(\.gz|\.zst|\.zip)?")
_START = re.compile(rb"\d{1,9}:\r?\n(?:\d{1,9}:\r?\n)*\d{1,9},\d{1,3},\d{4}-\d{2}-\d{2}\r?(?:\n|$)")
_ROWS = 1 << 19
_COLUMNS = ("customer", "movie", "rating", "date")


class NetflixLoader:
    """Reads Netflix Prize ratings with their dates; records are customers, issues are movie numbers."""

    name = "netflix"
    description = "Netflix Prize: combined_data_*.txt, mv_*.txt, or a folder of them"

    def detect(self, source: Source, options: ReadOptions) -> Detection | None:
        """Claim text that opens with ``movie:`` and ``customer,rating,date``, and folders of such files."""
        if described(options):
            return None
        if not source.is_dir:
            return (
                Detection(0.95, "a line 'movie:' and lines 'customer,rating,date' below")
                if _opens(source)
                else None
            )
        files = _files(source.path)
        if not files or not _opens(source.part(files[0])):
            return None
        return Detection(
            0.95, f"a folder with {len(files)} Netflix Prize file{'s' if len(files) > 1 else ''}"
        )

    def columns(self, source: Source, options: ReadOptions) -> Columns:
        """Say what each column is taken for: always the same."""
        return Columns("long", _COLUMNS, None, *_COLUMNS, aside=tuple(bytestream.packed_beside(source)))

    def load(self, source: Source, options: ReadOptions) -> RatingTable:
        """Read everything, or raise DataError with the problems found."""
        refuse_described(options, self.name)
        files = _files(source.path) if source.is_dir else []
        if source.is_dir and not files:
            expected = "files called combined_data_*.txt or mv_*.txt"
            raise DataError(
                Problem(source.name, "a folder without Netflix Prize files", expected, "check the path")
            )
        kinds = {path.name[:2] for path in files}
        if len(kinds) > 1:
            found = "both combined_data_*.txt and mv_*.txt files, which hold the same ratings"
            raise DataError(
                Problem(source.name, found, "one of the two", "move one kind elsewhere, or name a file")
            )
        with background.digest(source, files or None) as digest:
            parser = _Parser(options)
            total = sum(path.stat().st_size for path in files) if files else source.size
            before = 0
            for part in [source.part(path) for path in files] or [source]:
                parser.file(part, before, total)
                before += part.size or 0
            origin = Origin(
                name=source.name, format=self.name, layout="long", record_name="customer", issue_name="movie",
                rating_name="rating", timestamp_name="date",
            )  # fmt: skip
            return parser.table(origin, digest)


def _files(folder: Path) -> list[Path]:
    """Return the folder's Netflix files (or those in ``training_set`` below it) by their numbers."""
    for place in (folder, folder / "training_set"):
        if place.is_dir():
            found = [path for path in place.iterdir() if _NAMES.fullmatch(path.name) and path.is_file()]
            if found:
                return sorted(found, key=lambda path: (int(re.findall(r"\d+", path.name)[0]), path.name))
    return []


def _opens(source: Source) -> bool:
    try:
        return _START.match(bytestream.head(source, None, 4096)) is not None
    except DataError:
        return False


class _Parser:
    """Parses file after file; users and movies keep the order of their first appearance."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._problems = Problems(options.max_problems)
        self._records, self._ratings, self._days = Growing(np.int32), Growing(np.uint8), Growing(np.uint16)
        self._table = np.zeros(1 << 22, dtype=np.int32)
        self._ids = np.empty(1 << 22, dtype=np.int32)
        self._state = np.zeros(9, dtype=np.int64)
        self._movies: dict[int, int] = {}
        self._files: list[str] = []
        self._marks: list[tuple[int, int, int, int]] = []  # row, line, position of the movie, of the file
        self._rows = 0
        self._out = (np.empty(_ROWS, np.int32), np.empty(_ROWS, np.uint8), np.empty(_ROWS, np.uint16))
        self._mark_room = np.empty((4096, 3), dtype=np.int64)
        self._fault_room = np.empty((4096, 3), dtype=np.int64)

    def file(self, source: Source, before: int, total: int | None) -> None:
        """Parse one file; ``before`` raw bytes of ``total`` were read before it."""
        self._files.append(source.name)
        self._state[:4] = 1, -1, self._state[2], 1
        rest, some = b"", False
        for piece, done in bytestream.chunks(source, self._options.encoding):
            some = True
            rest = self._feed(rest + piece)
            if len(rest) > bytestream.LONGEST_LINE:
                line = int(self._state[0])
                raise DataError(too_long(source.name, line, bytestream.LONGEST_LINE))
            if self._options.progress is not None:
                self._options.progress(f"reading {source.name}", before + done, total)
        if rest:
            self._feed(rest + b"\n")
        if not some:
            remedy = "check that it was written whole"
            self._problems.add(
                Problem(source.name, "an empty file", "a line 'movie:' and ratings below it", remedy)
            )

    def _feed(self, data: bytes) -> bytes:
        from ratingpriv_loaders.netflix import _loader as kernel

        buffer, at = np.frombuffer(data, dtype=np.uint8), 0
        while True:
            status = kernel.parse(
                buffer,
                at,
                len(buffer),
                *self._out,
                self._mark_room,
                self._fault_room,
                self._table,
                self._ids,
                self._state,
            )
            at, rows, marks, faults = self._state[4:8].tolist()
            for row, line, movie in self._mark_room[:marks].tolist():
                issue = self._movies.setdefault(movie, len(self._movies))
                self._marks.append((self._rows + row, line, issue, len(self._files) - 1))
            self._records.append(self._out[0][:rows])
            self._ratings.append(self._out[1][:rows])
            self._days.append(self._out[2][:rows])
            self._rows += rows
            for what, line, start in self._fault_room[:faults].tolist():
                self._fault(
                    what,
                    line,
                    data[start : start + 80].split(b"\n")[0].decode("utf-8", "replace").rstrip("\r"),
                )
            if status == kernel.GROW:
                room_for = 1 << int(self._state[8]).bit_length()
                self._table = np.concatenate(
                    (self._table, np.zeros(room_for - len(self._table), dtype=np.int32))
                )
                self._ids = np.concatenate((self._ids, np.empty(room_for - len(self._ids), dtype=np.int32)))
            elif status == kernel.DONE:
                return data[at:]

    def _fault(self, what: int, line: int, text: str) -> None:
        expected, remedy, column = (
            ("'movie:' or 'customer,rating,YYYY-MM-DD'", "correct or remove the line", None),
            ("a customer number without leading zeros", "correct it", 1),
            ("a whole number as rating", "correct it", 2),
            ("a date YYYY-MM-DD, 1970 or later", "correct it", 3),
            (
                "a line 'movie:' before the first rating",
                "add it: without it nobody knows which movie is rated",
                None,
            ),
        )[what]
        self._problems.add(Problem(self._files[-1], "something else", expected, remedy, line, column, text))

    def table(self, origin: Origin, digest: Callable[[], str]) -> RatingTable:
        """Finish: coordinates become rows."""
        if self._rows == 0:
            if not self._problems:
                self._problems.add(
                    Problem(origin.name, "no rating", "lines 'customer,rating,date' below 'movie:'")
                )
            raise self._problems.error()
        starts = np.array([mark[0] for mark in self._marks], dtype=np.int64)
        labels = np.array([mark[2] for mark in self._marks], dtype=np.int32)
        issues = np.repeat(labels, np.diff(np.append(starts, self._rows)))

        def locate(row: int) -> tuple[str, int | None, str | int | None]:
            first, line, _, file = self._marks[int(np.searchsorted(starts, row, side="right")) - 1]
            return Place(self._files[file], line + row - first, 2)

        options = self._options
        nulls = NullTokens(options)
        rated = np.array([str(rating) not in nulls for rating in range(256)])
        ratings = self._ratings.finish()
        days = self._days.finish() if options.timed else None
        table = table_from_coordinates(
            self._records.finish(),
            issues,
            ratings,
            record_ids=pl.Series("customer", self._ids[: int(self._state[2])]).cast(pl.String),
            issue_names=[str(movie) for movie in self._movies],
            rated=None if rated.all() else rated[ratings],
            timestamps=None if days is None else pl.Series("date", days).cast(pl.Int32).cast(pl.Date),
            sensitive=options.sensitive,
            drop=options.drop,
            scale=options.scale,
            sensitive_scale=options.sensitive_scale,
            duplicates=options.duplicates,
            origin=dataclasses.replace(origin, sha256=digest()),
            locate=locate,
            problems=self._problems,
        )
        wanted = [name for name in options.only if name not in options.sensitive]
        return table.select_issues(wanted) if options.only else table
